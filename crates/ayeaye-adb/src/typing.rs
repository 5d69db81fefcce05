//! Text into the field in focus, exact to the last character or refused.
//!
//! `input text` presses the keys of an American keyboard: printable ASCII and nothing else. Other
//! texts go through a keyboard app made for it (`ADBKeyboard`), which takes them as base64, or
//! through the helper `yadb` when somebody has put it on the phone.
mod keys;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceError, Point, ScreenSize};
use tokio::time::{Instant, sleep};

use crate::gesture;
use crate::keyboard::{self, Borrowed};
use crate::link::Link;
use crate::parse::{Keyboards, joined, keyboard_shown, sections};
use crate::quote::quote;

/// The longest text that is typed at once, in bytes.
const LONGEST: usize = 16 * 1024;

/// Where GELab-Zero and others put it.
const YADB: &str = "/data/local/tmp/yadb";

/// What a text is typed by.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    /// Key by key.
    Keys,
    /// An installed keyboard of the `ADBKeyboard` family, and what was there before.
    Keyboard(String, Keyboards),
    Yadb,
}

/// What is to be typed, and what around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typing<'a> {
    pub(crate) text: &'a str,
    /// The field to tap first.
    pub(crate) point: Option<Point>,
    /// Empty the field first.
    pub(crate) clear: bool,
    /// Press enter afterwards.
    pub(crate) submit: bool,
}

impl Typing<'_> {
    /// Types it. Whether it can be typed at all is found out before anything is touched; each part
    /// is sent once.
    pub(crate) async fn perform(self, link: &Arc<Link>, on: ScreenSize) -> Result<(), DeviceError> {
        let way = way(link, self.text).await?;
        if let Some(point) = self.point {
            gesture::tap(point, on).send(link, "the tap on the field").await?;
            field_has_keyboard(link).await?;
        }
        match way {
            Way::Keys => {
                self.clear_by_keys(link).await?;
                by_keys(link, self.text).await?;
                self.press_enter(link).await
            }
            Way::Yadb => {
                self.clear_by_keys(link).await?;
                by_yadb(link, self.text).await?;
                self.press_enter(link).await
            }
            Way::Keyboard(id, keyboards) => {
                let borrowed = Borrowed::take(link, &id, &keyboards).await?;
                let typed = self.by_keyboard(link, &id).await;
                borrowed.give_back().await;
                typed
            }
        }
    }

    async fn by_keyboard(self, link: &Link, id: &str) -> Result<(), DeviceError> {
        if self.clear {
            keyboard::clear(link, id).await?;
        }
        keyboard::commit(link, id, self.text).await?;
        self.press_enter(link).await
    }

    async fn clear_by_keys(self, link: &Link) -> Result<(), DeviceError> {
        if self.clear { keys::clear(link).await } else { Ok(()) }
    }

    async fn press_enter(self, link: &Link) -> Result<(), DeviceError> {
        if self.submit {
            gesture::key(ayeaye_agent::Key::Enter).send(link, "the enter key").await?;
        }
        Ok(())
    }
}

async fn way(link: &Link, text: &str) -> Result<Way, DeviceError> {
    let refused = |reason: String| Err(link.refused("the text", reason));
    if LONGEST < text.len() {
        return refused(format!("it has more than {LONGEST} bytes; type it in parts"));
    }
    if text.chars().all(keys::has_key) {
        return Ok(Way::Keys);
    }
    if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return refused(format!("it has the control character U+{:04X}", u32::from(control)));
    }
    let ask = joined(&[
        "ime list -s -a",
        "ime list -s",
        "settings get secure default_input_method",
        &format!("ls {YADB}"),
    ]);
    let output = link.quick("the list of keyboards", &ask).await?;
    let [all, enabled, current, yadb] = sections(&output.out);
    let keyboards = Keyboards::read(all, enabled, current);
    if let Some(id) = keyboard::find(&keyboards) {
        return Ok(Way::Keyboard(id, keyboards));
    }
    if yadb.trim() == YADB && quote(text).is_ok() {
        return Ok(Way::Yadb);
    }
    let odd = text.chars().find(|c| !keys::has_key(*c)).unwrap_or_default();
    refused(format!(
        "`input text` has no key for {odd:?} and no keyboard app that takes any text is installed: \
         install ADBKeyboard (com.android.adbkeyboard), or use letters of the English keyboard in \
         one line"
    ))
}

async fn by_keys(link: &Link, text: &str) -> Result<(), DeviceError> {
    let lines = keys::lines(text);
    for (index, line) in lines.iter().enumerate() {
        let output = match link.quick("the text", line).await {
            Ok(output) => output,
            Err(error) if index == 0 => return Err(error),
            Err(error) => return Err(link.garbled("the text", half_typed(index, &lines, &error))),
        };
        if let Err(error) = gesture::accepted(link, "the text", &output) {
            // A line of several parts that fails may have typed the first of them.
            let untouched = index == 0 && !line.contains("&&");
            let doubtful = || link.garbled("the text", half_typed(index, &lines, &error));
            return Err(if untouched { error } else { doubtful() });
        }
    }
    Ok(())
}

fn half_typed(done: usize, lines: &[String], error: &DeviceError) -> String {
    format!("{done} of {} parts were typed, then: {error}", lines.len())
}

async fn by_yadb(link: &Link, text: &str) -> Result<(), DeviceError> {
    let word = quote(text).map_err(|e| link.refused("the text", e.to_string()))?;
    let command = format!(
        "app_process -Djava.class.path={YADB} /data/local/tmp com.ysbing.yadb.Main -keyboard {word}"
    );
    let output = link.quick("the text", &command).await?;
    gesture::accepted(link, "the text", &output)
}

/// Waits until the field that was tapped has brought up the keyboard. Phones with a keyboard of
/// keys never show one, so the end of the limit is no error.
async fn field_has_keyboard(link: &Link) -> Result<(), DeviceError> {
    let deadline = Instant::now() + link.limits().keyboard;
    loop {
        let ask = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";
        let output = link.quick("the keyboard's state", ask).await?;
        if keyboard_shown(&output.out) != Some(false) || deadline <= Instant::now() {
            return Ok(());
        }
        sleep(Duration::from_millis(80)).await;
    }
}
