//! Typing a text into the focused field, exactly or not at all.
//!
//! `input text` presses the keys of a US keyboard: printable ASCII and nothing else. Other texts go
//! through a keyboard app made for it (`ADBKeyboard`), which takes them as base64, or through the
//! helper `yadb` if it has been installed on the phone.
mod keys;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceError, Point, ScreenSize};
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::gesture;
use crate::ime::{self, ImeSwitch};
use crate::parse::{InputMethods, batch, keyboard_shown, split_batch};
use crate::quote::quote;

/// The longest text that is typed in one gesture.
const MAX_BYTES: usize = 16 * 1024;

/// Where GELab-Zero and others install it.
const YADB: &str = "/data/local/tmp/yadb";

/// How a text is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum InputStrategy {
    /// `input text`.
    KeyEvents,
    /// An installed keyboard of the `ADBKeyboard` family, and the current state to restore.
    Ime(String, InputMethods),
    Yadb,
}

/// A text to type, and what to do before and after.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextEntry<'a> {
    pub(crate) text: &'a str,
    /// The field to tap first.
    pub(crate) point: Option<Point>,
    /// Whether to empty the field first.
    pub(crate) clear: bool,
    /// Whether to press enter afterwards.
    pub(crate) submit: bool,
}

impl TextEntry<'_> {
    /// Types it. A text that cannot be typed is refused before anything is touched; each part is
    /// sent once.
    pub(crate) async fn perform(
        self,
        client: &Arc<DeviceClient>,
        on: ScreenSize,
    ) -> Result<(), DeviceError> {
        let strategy = choose_strategy(client, self.text).await?;
        if let Some(point) = self.point {
            gesture::tap(point, on).send(client, "the tap on the field").await?;
            wait_for_keyboard(client).await?;
        }
        match strategy {
            InputStrategy::KeyEvents => {
                self.clear_by_keys(client).await?;
                type_by_keys(client, self.text).await?;
                self.press_enter(client).await
            }
            InputStrategy::Yadb => {
                self.clear_by_keys(client).await?;
                type_by_yadb(client, self.text).await?;
                self.press_enter(client).await
            }
            InputStrategy::Ime(id, methods) => {
                let switch = ImeSwitch::activate(client, &id, &methods).await?;
                let typed = self.type_by_ime(client, &id).await;
                switch.restore().await;
                typed
            }
        }
    }

    async fn type_by_ime(self, client: &DeviceClient, id: &str) -> Result<(), DeviceError> {
        if self.clear {
            ime::clear(client, id).await?;
        }
        ime::commit(client, id, self.text).await?;
        self.press_enter(client).await
    }

    async fn clear_by_keys(self, client: &DeviceClient) -> Result<(), DeviceError> {
        if self.clear { keys::clear(client).await } else { Ok(()) }
    }

    async fn press_enter(self, client: &DeviceClient) -> Result<(), DeviceError> {
        if self.submit {
            gesture::key(ayeaye_agent::Key::Enter).send(client, "the enter key").await?;
        }
        Ok(())
    }
}

async fn choose_strategy(client: &DeviceClient, text: &str) -> Result<InputStrategy, DeviceError> {
    let refused = |reason: String| Err(client.refused("the text", reason));
    if MAX_BYTES < text.len() {
        return refused(format!("it has more than {MAX_BYTES} bytes; type it in parts"));
    }
    if text.chars().all(keys::has_key) {
        return Ok(InputStrategy::KeyEvents);
    }
    if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return refused(format!("it has the control character U+{:04X}", u32::from(control)));
    }
    let ask = batch(&[
        "ime list -s -a",
        "ime list -s",
        "settings get secure default_input_method",
        &format!("ls {YADB}"),
    ]);
    let output = client.shell_quick("the list of keyboards", &ask).await?;
    let [all, enabled, current, yadb] = split_batch(&output.stdout);
    let methods = InputMethods::read(all, enabled, current);
    if let Some(id) = ime::find(&methods) {
        return Ok(InputStrategy::Ime(id, methods));
    }
    if yadb.trim() == YADB && quote(text).is_ok() {
        return Ok(InputStrategy::Yadb);
    }
    let odd = text.chars().find(|c| !keys::has_key(*c)).unwrap_or_default();
    refused(format!(
        "`input text` has no key for {odd:?} and no keyboard app that takes any text is installed: \
         install ADBKeyboard (com.android.adbkeyboard), or use letters of the English keyboard in \
         one line"
    ))
}

async fn type_by_keys(client: &DeviceClient, text: &str) -> Result<(), DeviceError> {
    let lines = keys::commands(text);
    for (index, line) in lines.iter().enumerate() {
        let output = match client.shell_quick("the text", line).await {
            Ok(output) => output,
            Err(error) if index == 0 => return Err(error),
            Err(error) => {
                return Err(client.garbled("the text", partly_typed(index, &lines, &error)));
            }
        };
        if let Err(error) = gesture::ensure_accepted(client, "the text", &output) {
            // A line of several commands may have typed the first before it failed.
            let untouched = index == 0 && !line.contains("&&");
            let doubtful = || client.garbled("the text", partly_typed(index, &lines, &error));
            return Err(if untouched { error } else { doubtful() });
        }
    }
    Ok(())
}

fn partly_typed(done: usize, lines: &[String], error: &DeviceError) -> String {
    format!("{done} of {} parts were typed, then: {error}", lines.len())
}

async fn type_by_yadb(client: &DeviceClient, text: &str) -> Result<(), DeviceError> {
    let word = quote(text).map_err(|e| client.refused("the text", e.to_string()))?;
    let command = format!(
        "app_process -Djava.class.path={YADB} /data/local/tmp com.ysbing.yadb.Main -keyboard {word}"
    );
    let output = client.shell_quick("the text", &command).await?;
    gesture::ensure_accepted(client, "the text", &output)
}

/// Waits until the tapped field has brought up the keyboard. Phones with a hardware keyboard never
/// show one, so running out of time is no error.
async fn wait_for_keyboard(client: &DeviceClient) -> Result<(), DeviceError> {
    let deadline = Instant::now() + client.limits().keyboard;
    loop {
        let ask = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";
        let output = client.shell_quick("the keyboard's state", ask).await?;
        if keyboard_shown(&output.stdout) != Some(false) || deadline <= Instant::now() {
            return Ok(());
        }
        sleep(Duration::from_millis(80)).await;
    }
}
