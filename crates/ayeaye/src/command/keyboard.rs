//! The keyboard that types texts of every script: put on the phone once its owner allows it, and taken
//! off again. Nothing of it comes with this program: it is a file that the person names, or that this machine
//! fetches from where its authors publish it.
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_adb::{AdbDevice as AdbPhone, Proof};
use ayeaye_agent::{
    DeviceError, DeviceHolder, DeviceId, KEYBOARD_READY, Principal, Question, error_chain,
};
use ayeaye_phone::AdbDevice;
use sha2::{Digest as _, Sha256};

use crate::cli::{KeyboardChoice, Setup};
use crate::command::asker::Asker;
use crate::command::called::ayeaye;
use crate::command::http_client::http_client;
use crate::command::{Exit, doctor};
use crate::config::Config;
use crate::hint::{Reader, for_device_error};
use crate::terminal::Terminal;
use crate::wiring::{App, ModelChoice};

/// `ADBKeyboard` (GPL-2.0) as its authors publish it, at the commit of April 2026.
const PUBLISHED: &str = "https://raw.githubusercontent.com/senzhk/ADBKeyBoard/4b513f3313b8392b316b37e9c08b0be2def79dda/ADBKeyboard.apk";
/// What that file is.
const SHA256: &str = "e698adea5633135a067b038f9a0cf41baa4de09888713a81593fb2b9682cdc59";
const PAGE: &str = "https://github.com/senzhk/ADBKeyBoard";
/// The most bytes of a keyboard.
const MAX: usize = 16 << 20;
const FETCH_TIMEOUT: Duration = Duration::from_mins(1);

/// Chinese, Russian, Arabic, Hindi and Greek, a letter with a combining mark, and an emoji of several parts.
const SAMPLE: &str = "你好 Привет مرحبا नमस्ते Γειά e\u{301} 👩\u{200d}👩\u{200d}👧";

/// `ayeaye setup [DEVICE] --keyboard …`: that and nothing else.
pub(super) async fn only(
    config: &Config,
    args: &Setup,
    (choice, virtual_phone): (&KeyboardChoice, Option<AdbDevice>),
    asker: Asker,
) -> anyhow::Result<Exit> {
    let app = match virtual_phone {
        Some(phone) => App::with_phone(config, phone, ModelChoice::Scripted).await?,
        None => App::new(config).await?,
    };
    let device = match (&args.device, &app.adb_device) {
        (Some(device), _) => DeviceId::new(device),
        (None, Some(phone)) => DeviceId::new(phone.serial()),
        (None, None) => match doctor::tell_phones(&app, config, asker.terminal).await.as_slice() {
            [only] => only.id.clone(),
            [] => return Ok(Exit::Failed),
            _ => {
                asker.terminal.line("Which phone? Name it: ayeaye setup DEVICE --keyboard …");
                return Ok(Exit::Usage);
            }
        },
    };
    let desk = Desk { app: &app, device: &device, asker, in_task: false };
    let done = match choice {
        KeyboardChoice::Remove => desk.remove().await,
        choice => desk.put(choice).await,
    };
    Ok(desk.told(done))
}

/// After the phone was chosen: says what can be typed on it, and offers what is missing.
pub(super) async fn offer(app: &App, device: &DeviceId, asker: Asker) {
    let desk = Desk { app, device, asker, in_task: false };
    let offered = desk.offer().await;
    desk.told(offered);
}

/// In the middle of a task that needs it: offers the keyboard to the person at the terminal. Returns the
/// answer to the task's question if the keyboard is there afterwards.
pub(super) async fn offer_for_task(
    app: &App,
    device: &DeviceId,
    question: &Question,
    terminal: Terminal,
) -> Option<String> {
    if !question.is_about_keyboard() || !terminal.is_interactive() {
        return None;
    }
    let desk = Desk { app, device, asker: Asker { terminal, yes: false }, in_task: true };
    let offered = desk.offer().await;
    desk.told(offered);
    let state = app.open_adb(device).await.ok()?.keyboard().await.ok()?;
    state.is_usable().then(|| KEYBOARD_READY.to_owned())
}

/// One phone, and whoever is asked about it.
#[derive(Clone, Copy)]
struct Desk<'a> {
    app: &'a App,
    device: &'a DeviceId,
    asker: Asker,
    /// Whether a task waits for it, whose screen must stay as it is.
    in_task: bool,
}

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
enum NotDone {
    #[error(transparent)]
    Phone(#[from] DeviceError),
    /// The file is not there, or not what it should be; nothing was changed.
    #[error("{0:#}")]
    File(anyhow::Error),
    #[error("{0}")]
    Otherwise(String),
}

impl Desk<'_> {
    fn item(&self, text: &str) {
        self.asker.terminal.item("keyboard", text);
    }

    /// Says what has gone wrong.
    fn told(&self, done: Result<Exit, NotDone>) -> Exit {
        let (text, hint) = match done {
            Ok(exit) => return exit,
            Err(NotDone::Phone(err)) => {
                (error_chain(&err), Some(for_device_error(&err, Reader::Terminal)))
            }
            Err(other) => (other.to_string(), None),
        };
        self.item(&text);
        if let Some(hint) = hint.filter(|hint| !hint.is_empty()) {
            self.asker.terminal.line(&format!("          -> {hint}"));
        }
        Exit::Failed
    }

    /// The phone, unless a task drives it now.
    async fn phone(&self) -> Result<std::sync::Arc<AdbPhone>, NotDone> {
        let holder = self.app.agent.device_holder(self.device, &Principal::operator()).await;
        if !matches!(holder, DeviceHolder::Free) {
            return Err(NotDone::Otherwise(format!(
                "{} is in use now, by a task or by hand: try again when it is done",
                self.device
            )));
        }
        Ok(self.app.open_adb(self.device).await?)
    }

    async fn offer(&self) -> Result<Exit, NotDone> {
        let phone = self.phone().await?;
        let state = phone.keyboard().await?;
        if state.is_usable() {
            self.item("ADBKeyboard is on it: texts of every script can be typed");
            return Ok(Exit::Done);
        }
        if let (Some(_), Some(refusal)) = (&state.installed, &state.refusal) {
            self.item(&format!(
                "ADBKeyboard is on it, but {refusal}; or choose ADBKeyboard as the keyboard on the phone itself"
            ));
            return Ok(Exit::Done);
        }
        self.item(
            "this phone can only be typed ASCII into. For every other script and emoji it needs a keyboard \
             that takes texts from adb:\nADBKeyboard, 17 kB, GPL-2.0, by others",
        );
        let terminal = self.asker.terminal;
        terminal.line("   1  fetch it from where it is published, and put it on the phone");
        terminal.line("   2  put it on from a file that I have");
        terminal.line("   3  not now");
        // Nobody's phone is changed by a default that nobody has seen.
        let default = if self.asker.yes { 3 } else { 1 };
        let choice = match self.asker.choose("What now?", 3, default).await {
            Some(1) => KeyboardChoice::Fetch,
            Some(2) => match terminal.ask_line("The file:").await.filter(|it| !it.is_empty()) {
                Some(file) => KeyboardChoice::File(file.into()),
                None => return Ok(self.left_alone()),
            },
            _ => return Ok(self.left_alone()),
        };
        self.install_and_prove(&phone, &choice).await
    }

    fn left_alone(&self) -> Exit {
        // A virtual phone is gone with this command.
        let later = if self.app.adb_device.is_some() {
            String::new()
        } else {
            format!("; `{} setup {} --keyboard fetch` does it later", ayeaye(), self.device)
        };
        self.item(&format!("nothing was changed{later}"));
        Exit::Done
    }

    /// Puts it on the phone as the command line says.
    async fn put(&self, choice: &KeyboardChoice) -> Result<Exit, NotDone> {
        let phone = self.phone().await?;
        let state = phone.keyboard().await?;
        if state.installed.is_some() {
            self.item("ADBKeyboard is on the phone already");
            return self.enable_and_prove(&phone).await;
        }
        if let KeyboardChoice::File(path) = choice {
            // Nobody is asked about a file that is not there.
            from_file(path).map_err(NotDone::File)?;
        }
        let question = format!("Put ADBKeyboard (17 kB, GPL-2.0, {PAGE}) on {}?", self.device);
        match self.asker.confirm(&question, true).await {
            Some(true) => {}
            Some(false) => return Ok(self.left_alone()),
            None => {
                self.item("nobody could be asked here: --yes says yes");
                _ = self.left_alone();
                return Ok(Exit::Failed);
            }
        }
        self.install_and_prove(&phone, choice).await
    }

    async fn install_and_prove(
        &self,
        phone: &AdbPhone,
        choice: &KeyboardChoice,
    ) -> Result<Exit, NotDone> {
        let terminal = self.asker.terminal;
        let apk = match choice {
            KeyboardChoice::File(path) => {
                let (apk, what) = from_file(path).map_err(NotDone::File)?;
                self.item(&what);
                apk
            }
            KeyboardChoice::Url(url) => fetch(url.as_str()).await.map_err(NotDone::File)?,
            KeyboardChoice::Fetch | KeyboardChoice::Remove => {
                fetch(PUBLISHED).await.map_err(NotDone::File)?
            }
        };
        let waiting = terminal.waiting("Installing it; the phone may ask you to allow that");
        phone.install(&apk).await?;
        drop(waiting);
        self.item("installed");
        self.enable_and_prove(phone).await
    }

    async fn enable_and_prove(&self, phone: &AdbPhone) -> Result<Exit, NotDone> {
        let waiting = self.asker.terminal.waiting("Switching it on");
        let id = match phone.enable_keyboard().await {
            Ok(id) => id,
            Err(error) => {
                drop(waiting);
                self.item(&format!("it is installed and not switched on: {}", error_chain(&error)));
                self.item(
                    "switch it on in the phone's settings (Languages & input, On-screen keyboard) and choose \
                     it there; `--keyboard remove` takes it off again",
                );
                return Ok(Exit::Failed);
            }
        };
        if self.in_task {
            // The task's own text is looked for in its field.
            drop(waiting);
            self.item(&format!("{id} is switched on, and the task goes on"));
            return Ok(Exit::Done);
        }
        waiting.now("Typing into the search of its settings");
        let proof = phone.prove_typing(SAMPLE).await;
        drop(waiting);
        let (text, exit) = match proof {
            Err(error) => {
                self.item(&format!("{id} is switched on; it could not be tried:"));
                return Err(error.into());
            }
            Ok(proof) => verdict(&id, proof),
        };
        self.item(&text);
        self.item("your own keyboard stays the one in use; this one takes its place only while a text is typed");
        if self.app.adb_device.is_none() {
            let (ayeaye, device) = (ayeaye(), self.device);
            self.item(&format!("`{ayeaye} setup {device} --keyboard remove` takes it off again"));
        }
        Ok(exit)
    }

    async fn remove(&self) -> Result<Exit, NotDone> {
        let phone = self.phone().await?;
        let Some(id) = phone.keyboard().await?.installed else {
            self.item("there is none on the phone that takes texts from adb");
            return Ok(Exit::Done);
        };
        let question = format!("Take {id} off {}?", self.device);
        if self.asker.confirm(&question, true).await != Some(true) {
            self.item("nothing was changed");
            return Ok(Exit::Done);
        }
        phone.remove_keyboard().await?;
        let state = phone.keyboard().await?;
        if state.installed.is_some() {
            return Err(NotDone::Otherwise(format!(
                "{id} is still on the phone: remove it there by hand"
            )));
        }
        let current = state.current.unwrap_or_else(|| "the phone's own".to_owned());
        self.item(&format!("{id} is off the phone; the keyboard in use is {current}"));
        Ok(Exit::Done)
    }
}

/// What the proof has shown, and how the command ends.
fn verdict(id: &str, proof: Proof) -> (String, Exit) {
    let count = SAMPLE.chars().count();
    match proof {
        Proof::Exact => (
            format!(
                "{id} works: five scripts, a combining mark and an emoji ({count} code points) arrived exactly"
            ),
            Exit::Done,
        ),
        Proof::Different(held) => (
            format!(
                "{id} is switched on, but of the text that was tried a field held {held:?}. Older versions \
                     do nothing on newer phones: put the newest on it, from a file ({PAGE}/releases)"
            ),
            Exit::Failed,
        ),
        Proof::NoField => {
            (format!("{id} is switched on; no field was found to try it in"), Exit::Done)
        }
    }
}

/// The file, and what it is.
fn from_file(path: &Path) -> anyhow::Result<(Vec<u8>, String)> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("{shown} cannot be read"))?.len();
    if MAX as u64 <= size {
        anyhow::bail!("{shown} has {size} bytes: that is no keyboard; nothing was changed");
    }
    let content = std::fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    if !content.starts_with(b"PK") {
        anyhow::bail!(
            "{shown} is no Android app: get ADBKeyboard.apk from {PAGE}; nothing was changed"
        );
    }
    let sum = hex(&content);
    let known = if sum == SHA256 {
        "the file that its authors publish".to_owned()
    } else {
        format!(
            "not the published file known here (SHA-256 {sum}); you have named it, so it is taken"
        )
    };
    let what = format!("{shown}, {} bytes: {known}", content.len());
    Ok((content, what))
}

/// The published file, from there or from a mirror; anything else is refused.
async fn fetch(url: &str) -> anyhow::Result<Vec<u8>> {
    let offline = |cause: reqwest::Error| {
        anyhow::anyhow!(
            "{url} cannot be fetched ({}), and nothing was changed. On a machine that can, get ADBKeyboard.apk \
             from {PAGE}, and name the file: --keyboard FILE",
            error_chain(&cause.without_url())
        )
    };
    let client = http_client(url, FETCH_TIMEOUT)?;
    let answer = client.get(url).send().await.map_err(offline)?;
    let answer = answer.error_for_status().map_err(offline)?;
    if answer.content_length().is_some_and(|length| MAX as u64 <= length) {
        anyhow::bail!("what {url} offers is no keyboard; nothing was changed");
    }
    let content = answer.bytes().await.map_err(offline)?;
    let sum = hex(&content);
    if sum != SHA256 {
        anyhow::bail!(
            "what came from {url} is not the published file (SHA-256 {sum}, wanted {SHA256}); nothing was changed"
        );
    }
    Ok(content.to_vec())
}

fn hex(content: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(content).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}
