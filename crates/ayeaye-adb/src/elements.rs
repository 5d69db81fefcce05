//! What the screen consists of, by `uiautomator dump`.
//!
//! `uiautomator` waits until the screen is idle, and some screens never are; with `--compressed` it
//! listens to fewer events and often gets through. It needs the phone's only `UiAutomation`, which
//! another automation may hold, or a dump of ours that was given up (see [`Dumps`](crate::dumps::Dumps)).
use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use ayeaye_agent::{DeviceError, NoElements};
use tokio::time::{Instant, sleep, timeout_at};

use crate::client::DeviceClient;
use crate::parse::{
    WINDOWS_QUERY, batch, is_tree_of, sanitize_first_line, split_batch, ui_tree,
    with_valid_characters,
};

/// The most bytes of a dump of the UI tree; more is an endless list.
const MAX_TREE: usize = 4 * 1024 * 1024;

/// How many dumps in a row are compressed ones, after one that was not got nowhere.
const COMPRESSED_FOR: u8 = 5;

/// How often an empty dump is made at most.
const ATTEMPTS: u32 = 3;

/// How long after one that found the `UiAutomation` taken the next dump begins.
const TAKEN_PAUSE: Duration = Duration::from_millis(25);

const WHAT: &str = "its elements";

const CUT: &str = "its list of elements broke off before its end";

const TAKEN: &str = "another program on the phone or on a computer holds its UiAutomation (Appium, \
    uiautomator2, a test, a screen reader's test tool): end it to have elements";

/// Reads the elements of one phone.
#[derive(Debug, Default)]
pub(crate) struct ElementReader {
    /// So many dumps more are compressed ones.
    compressed: AtomicU8,
}

/// What came of one dump.
enum Dump {
    Tree(String),
    /// The screen was not idle in time.
    Restless,
    /// Nothing, as between two screens, in these words: the next dump may have it.
    Empty(String),
    /// Something else came of it.
    None(NoElements),
}

impl ElementReader {
    /// The tree as XML, or what is known of why there is none. Refused if the phone will not say for as long as
    /// another automation runs.
    pub(crate) async fn read_or_why(
        &self,
        client: &DeviceClient,
    ) -> Result<Result<String, NoElements>, DeviceError> {
        let left = self.compressed.load(Ordering::Relaxed);
        if left == 0 {
            match read(client, "uiautomator dump /dev/tty").await? {
                Dump::Tree(tree) => return Ok(Ok(tree)),
                Dump::None(why) => return Ok(Err(why)),
                Dump::Restless | Dump::Empty(_) => {}
            }
        }
        self.compressed.store(left.checked_sub(1).unwrap_or(COMPRESSED_FOR), Ordering::Relaxed);
        Ok(match read(client, "uiautomator dump --compressed /dev/tty").await? {
            Dump::Tree(tree) => Ok(tree),
            Dump::Restless => Err(NoElements::Restless),
            Dump::Empty(said) => Err(NoElements::Said(said)),
            Dump::None(why) => Err(why),
        })
    }
}

/// What `uiautomator` prints, and while that is an empty dump what it prints when asked again, until a
/// deadline for all of it. While it fails because of one that was given up, it is asked again too.
///
/// The inner error says why the tree is that of another display, where several show something: then the windows are
/// asked for before and after, in the same command.
pub(crate) async fn dump(
    client: &DeviceClient,
    command: &str,
    deadline: Instant,
) -> Result<Result<String, String>, DeviceError> {
    let wanted = client.dumps().wanted();
    let asked = match wanted {
        None => Cow::Borrowed(command),
        Some(_) => Cow::Owned(batch(&[WINDOWS_QUERY, command, WINDOWS_QUERY])),
    };
    let limit = deadline.saturating_duration_since(Instant::now());
    let (mut attempt, mut taken) = (1, false);
    loop {
        let Ok(turn) = timeout_at(deadline, client.dumps().turn(taken)).await else {
            let (id, what) = (client.id().clone(), WHAT.to_owned());
            return Err(DeviceError::TimedOut { id, what, after: limit });
        };
        let begun = Instant::now();
        let bytes = client.exec_on_terminal(WHAT, &asked, deadline, MAX_TREE).await?;
        let all = String::from_utf8_lossy(&bytes);
        let [before, text, after] = match wanted {
            None => ["", &*all, ""],
            Some(_) => split_batch(&all),
        };
        taken = is_taken(text);
        turn.over(!taken);
        // Only as long as there is time for an answer: each attempt starts a program on the phone.
        let answered = Instant::now() + TAKEN_PAUSE + begun.elapsed();
        if taken && client.dumps().one_may_go_on() && answered < deadline {
            sleep(TAKEN_PAUSE).await;
            continue;
        }
        if !is_empty_dump(text) || attempt == ATTEMPTS || deadline <= Instant::now() {
            let elsewhere = wanted
                .zip(ui_tree(text))
                .and_then(|(display, tree)| is_tree_of(display, tree, [before, after]).err());
            return Ok(elsewhere.map_or_else(|| Ok(text.to_owned()), Err));
        }
        attempt += 1;
    }
}

async fn read(client: &DeviceClient, command: &str) -> Result<Dump, DeviceError> {
    let text = match dump(client, command, Instant::now() + client.limits().ui_tree).await {
        Ok(Ok(text)) => text,
        Ok(Err(elsewhere)) => return Ok(Dump::None(NoElements::Because(elsewhere))),
        Err(DeviceError::TimedOut { .. }) => return Ok(Dump::Restless),
        // What is too long, among others.
        Err(DeviceError::Garbled { reason, .. }) => {
            return Ok(Dump::None(NoElements::Unusable(reason)));
        }
        Err(error) => return Err(error),
    };
    if let Some(tree) = ui_tree(&text) {
        return Ok(Dump::Tree(with_valid_characters(tree).into_owned()));
    }
    if text.contains("could not get idle state") {
        return Ok(Dump::Restless);
    }
    if has_tree(&text) {
        return Ok(Dump::None(NoElements::Unusable(CUT.to_owned())));
    }
    let said = sanitize_first_line(&without_theme_trace(&text))
        .or_else(|| sanitize_first_line(&text))
        .unwrap_or_default();
    if is_taken(&text) {
        // By one of ours, perhaps.
        let ours = client.dumps().one_may_go_on();
        return if ours {
            Ok(Dump::None(NoElements::Said(said)))
        } else {
            Err(client.refused(WHAT, TAKEN))
        };
    }
    Ok(if is_empty_dump(&text) { Dump::Empty(said) } else { Dump::None(NoElements::Said(said)) })
}

/// Whether somebody else has the phone's `UiAutomation`.
fn is_taken(text: &str) -> bool {
    !has_tree(text) && text.contains("UiAutomation") && text.contains("already registered")
}

/// Whether a dump failed in a way that passes: while the screen changes, it may have no window in front, or an element is
/// gone before it is read, at which `uiautomator` itself ends (AOSP, `AccessibilityNodeInfoDumper.childNafCheck`).
fn is_empty_dump(text: &str) -> bool {
    if has_tree(text) {
        return false;
    }
    without_theme_trace(text).trim().is_empty()
        || ["null root node", "childNafCheck"].iter().any(|it| text.contains(it))
}

/// Whether there is a list, or a part of one; what stands in it is an app's.
fn has_tree(text: &str) -> bool {
    text.contains("<hierarchy")
}

/// Without the trace that MIUI and `HyperOS` print of a file of themes that is not there, whatever comes of the dump.
fn without_theme_trace(text: &str) -> Cow<'_, str> {
    const THEMES: &str = "/data/system/theme_config/";
    if !text.contains(THEMES) {
        return Cow::Borrowed(text);
    }
    let is_of_trace = |line: &str| {
        ["at ", "Caused by: ", "... "].iter().any(|it| line.trim_start().starts_with(it))
    };
    let mut in_trace = false;
    let is_left = |line: &&str| {
        in_trace = line.contains(THEMES) || in_trace && is_of_trace(line);
        !in_trace
    };
    text.split_inclusive('\n').filter(is_left).collect()
}
