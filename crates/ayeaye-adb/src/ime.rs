//! The input method (IME) that types any text, active only while it does.
//!
//! It is a keyboard app that listens for broadcasts: `ADB_INPUT_B64` with base64 text,
//! `ADB_CLEAR_TEXT`. The previous keyboard is restored on every way out, also when the call is
//! dropped in the middle.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceError, DeviceId, SettingChange};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use tokio::sync::OwnedRwLockReadGuard;
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::gesture::ensure_accepted;
use crate::parse::{
    CURRENT_USER, InputMethods, batch, input_method_ids, keyboard_shown, split_batch,
};
use crate::quote::{is_package, quote};
use crate::refusal;
use crate::settings::{ACTIVE, KEYBOARD, KEYBOARD_ENABLED};
use crate::shell::ShellOutput;

/// The most bytes of text in one broadcast.
const MAX_CHUNK: usize = 3000;
/// How often restoring the previous keyboard is retried in the background, and how far apart.
const RETRIES: u32 = 5;
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// How long to wait for an active keyboard to be shown: with a hardware keyboard attached, none
/// ever is.
const HIDDEN_PATIENCE: Duration = Duration::from_millis(800);

/// Where GELab-Zero and others install the helper `yadb`.
pub(crate) const YADB: &str = "/data/local/tmp/yadb";

/// The input methods of a phone, and whether it has `yadb`.
pub(crate) async fn query(client: &DeviceClient) -> Result<(InputMethods, bool), DeviceError> {
    let ask = batch(&[
        "ime list -s -a 2>&1",
        "ime list -s 2>&1",
        ACTIVE,
        &format!("ls {YADB} 2>/dev/null"),
        "settings --user current get secure enabled_input_methods",
        // Of everybody otherwise, which fails where one of them lets no computer ask.
        &format!("pm list packages --user {CURRENT_USER} adbkeyboard"),
    ]);
    let output = client.shell_quick("the list of keyboards", &ask).await?;
    let [all, enabled, current, yadb, setting, packages] = split_batch(&output.stdout);
    let methods = InputMethods::read_refused([all, enabled, current], setting, packages);
    Ok((methods, yadb.trim() == YADB))
}

/// The keyboard that a text of any letters can go through, or why there is none and the way out.
pub(crate) fn usable(device: &DeviceId, methods: &InputMethods) -> Result<String, String> {
    let Some(id) = find(methods) else {
        let refused = methods.refusal.as_deref().and_then(refusal::explain);
        let first = refused.map(|(_, mend)| mend.strip_suffix(", then try again").unwrap_or(mend));
        let first = first.map(|mend| format!("; before that: {mend}")).unwrap_or_default();
        return Err(format!(
            "no keyboard app that takes any text is installed: `ayeaye setup {device} --keyboard fetch`, on the \
             computer that runs Aye-aye, asks and puts one on the phone, or install ADBKeyboard \
             (com.android.adbkeyboard) yourself{first}"
        ));
    };
    match &methods.refusal {
        Some(_) if methods.current.as_deref() != Some(id.as_str()) => Err(format!(
            "ADBKeyboard is installed, but {}; or choose ADBKeyboard as the keyboard on the phone itself",
            refusal::reason("WRITE_SECURE_SETTINGS").unwrap_or_default()
        )),
        _ => Ok(id),
    }
}

/// `ADBKeyboard`, in the short and in the long form. Any other app may have a name like it, and gets every text.
const KNOWN: [&str; 2] =
    ["com.android.adbkeyboard/.AdbIME", "com.android.adbkeyboard/com.android.adbkeyboard.AdbIME"];

/// The installed `ADBKeyboard`.
pub(crate) fn find(methods: &InputMethods) -> Option<String> {
    let installed = |id: &&str| methods.installed.iter().any(|it| it == id);
    KNOWN.into_iter().find(installed).map(ToOwned::to_owned)
}

/// A keyboard made active for a while. Dropping it restores the previous one.
#[derive(Debug)]
pub(crate) struct ImeSwitch {
    client: Arc<DeviceClient>,
    /// The command line that restores it, and what it puts back, until that is done.
    restore: Option<(String, Vec<SettingChange>)>,
    /// Tells whoever waits for that, until then.
    borrowed: Option<OwnedRwLockReadGuard<()>>,
}

impl ImeSwitch {
    /// Makes a keyboard the active one and waits until it is ready.
    pub(crate) async fn activate(
        client: &Arc<DeviceClient>,
        id: &str,
        methods: &InputMethods,
    ) -> Result<Self, DeviceError> {
        if methods.current.as_deref() == Some(id) {
            return Ok(Self { client: Arc::clone(client), restore: None, borrowed: None });
        }
        let what = "the change of keyboard";
        let word = |id: &str| quote(id).map_err(|e| client.refused(what, e.to_string()));
        let ours = word(id)?;
        let mut changes = Vec::new();
        let set = methods.current.as_deref().map(word).transpose()?;
        let mut restore = set.map(|own| format!("ime set {own}")).unwrap_or_default();
        let mut change = format!("ime set {ours}");
        if !methods.enabled.iter().any(|enabled| enabled == id) {
            change = format!("ime enable {ours} && {change}");
            let disable = format!("ime disable {ours}");
            restore = match &*restore {
                "" => disable,
                // Both, and a failure of either is one.
                set => format!("{set} && {disable} || {{ {disable}; false; }}"),
            };
            changes.push(SettingChange {
                setting: format!("{KEYBOARD_ENABLED}{id}"),
                before: None,
                value: "enabled".to_owned(),
            });
        }
        if let Some(current) = &methods.current {
            changes.push(SettingChange {
                setting: KEYBOARD.to_owned(),
                before: Some(current.clone()),
                value: id.to_owned(),
            });
        }
        for change in &changes {
            client.changing(change).await?;
        }
        let borrowed = Some(client.borrow_keyboard().await);
        // From here on there may be something to restore, however the next call ends: not where this keyboard was
        // enabled and none was in use.
        let restore = Some((restore, changes)).filter(|(line, _)| !line.is_empty());
        let switch = Self { client: Arc::clone(client), restore, borrowed };
        let output = client.act_quick(what, &change).await?;
        let told = output.combined();
        if output.exit_code != 0
            || told.contains("SecurityException")
            || told.to_ascii_lowercase().contains("unknown input method")
        {
            // Where it was enabled and could not be set, its output tells of the one and its errors of the other.
            let has_errors = !output.stderr.trim().is_empty();
            let failed = if has_errors { output.with_stdout("") } else { output };
            let reason = refusal::reason(&told).unwrap_or_else(|| failed.summary());
            return Err(client.refused(what, reason));
        }
        switch.wait_until_ready(id).await?;
        Ok(switch)
    }

    /// Restores the previous keyboard. A failure is no error, since the text has been typed: it is
    /// retried in the background.
    pub(crate) async fn restore(mut self) {
        if let Some((back, changes)) = &self.restore
            && run_restore(&self.client, back, changes).await
        {
            self.restore = None;
        }
    }

    /// Waits until the keyboard has been seen active and shown twice in a row: it listens only once
    /// its view exists.
    async fn wait_until_ready(&self, id: &str) -> Result<(), DeviceError> {
        let what = "the keyboard's state";
        let ask =
            batch(&[ACTIVE, "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'"]);
        let begun = Instant::now();
        let mut seen = 0;
        loop {
            let output = self.client.shell_quick(what, &ask).await?;
            let [current, shown] = split_batch(&output.stdout);
            let in_use = input_method_ids(current).iter().any(|current| current == id);
            let on_screen =
                keyboard_shown(shown).unwrap_or(true) || HIDDEN_PATIENCE <= begun.elapsed();
            seen = if in_use && on_screen { seen + 1 } else { 0 };
            if seen == 2 {
                return Ok(());
            }
            if self.client.limits().keyboard * 2 <= begun.elapsed() {
                return Err(self.client.refused("the keyboard", format!("{id} does not come up")));
            }
            sleep(Duration::from_millis(60)).await;
        }
    }
}

impl Drop for ImeSwitch {
    fn drop(&mut self) {
        let Some((back, changes)) = self.restore.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            tracing::warn!(device = %self.client.id(), "the phone's own keyboard was not put back");
            return;
        };
        let (client, borrowed) = (Arc::clone(&self.client), self.borrowed.take());
        runtime.spawn(async move {
            let _until_done = borrowed;
            for _ in 0..RETRIES {
                if run_restore(&client, &back, &changes).await {
                    return;
                }
                sleep(RETRY_DELAY).await;
            }
            tracing::warn!(device = %client.id(), "the phone's own keyboard could not be put back");
        }.boxed());
    }
}

/// Idempotent, so it may be repeated.
async fn run_restore(client: &DeviceClient, back: &str, changes: &[SettingChange]) -> bool {
    match client.act_quick("putting the keyboard back", back).await {
        Ok(output) if output.exit_code == 0 => {
            for change in changes.iter().rev() {
                client.has_put_back(change).await;
            }
            true
        }
        Ok(output) => {
            tracing::debug!(device = %client.id(), told = output.summary(), "keyboard not put back");
            false
        }
        Err(error) => {
            tracing::debug!(device = %client.id(), %error, "keyboard not put back");
            false
        }
    }
}

/// Types a text through the active keyboard.
pub(crate) async fn commit(client: &DeviceClient, id: &str, text: &str) -> Result<(), DeviceError> {
    let what = "the text";
    for (index, chunk) in split_text(text).into_iter().enumerate() {
        let words = format!("-a ADB_INPUT_B64 --es msg {}", STANDARD.encode(chunk));
        match broadcast(client, what, id, &words).await {
            Ok(()) => {}
            Err(error) if error.ends_driving() => return Err(error),
            Err(error) if index == 0 => return Err(error),
            Err(error) => {
                return Err(client.garbled(what, format!("it was typed in part, then: {error}")));
            }
        }
    }
    Ok(())
}

/// Empties the field in focus.
pub(crate) async fn clear(client: &DeviceClient, id: &str) -> Result<(), DeviceError> {
    broadcast(client, "emptying the field", id, "-a ADB_CLEAR_TEXT").await
}

/// Sent to that keyboard's package only, so that no other app receives the text.
async fn broadcast(
    client: &DeviceClient,
    what: &str,
    id: &str,
    words: &str,
) -> Result<(), DeviceError> {
    let package = id.split('/').next().filter(|package| is_package(package));
    let package = package.ok_or_else(|| client.refused(what, format!("{id} is no keyboard")))?;
    let output: ShellOutput =
        client.act_quick(what, &format!("am broadcast {words} -p {package}")).await?;
    ensure_accepted(client, what, &output)?;
    if output.combined().contains("Broadcast completed") {
        return Ok(());
    }
    Err(client.garbled(what, output.summary()))
}

/// The text in parts that do not split a character.
fn split_text(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(MAX_CHUNK));
        parts.push(part);
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_known_keyboard_is_found() {
        let with = |ids: &[&str]| InputMethods {
            installed: ids.iter().map(|id| (*id).to_owned()).collect(),
            enabled: Vec::new(),
            current: None,
            refusal: None,
        };
        let found = find(&with(&["com.x/.Keys", "com.android.adbkeyboard/.AdbIME"]));
        assert_eq!(found.as_deref(), Some("com.android.adbkeyboard/.AdbIME"));
        let both = ["com.evil.adbkeyboard/.AdbIME", "com.android.adbkeyboard/.AdbIME"];
        assert_eq!(find(&with(&both)).as_deref(), Some(both[1]));
        for other in [
            "com.github.uiautomator/.AdbKeyboard",
            "com.evil.adbkeyboard/.AdbIME",
            "adbkeyboard/.AdbIME",
            "com.android.adbkeyboard/com.evil.Keys",
        ] {
            assert_eq!(find(&with(&[other])), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn parts_make_up_the_whole(text in "\\PC{0,3000}") {
            let parts = split_text(&text);
            prop_assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= MAX_CHUNK));
            prop_assert_eq!(parts.concat(), text);
        }
    }
}
