//! The keyboard that types texts of every script: put on the phone once its owner allows it, and taken
//! off again. Nothing of it comes with this program: it is a file that the person names, or that this machine
//! fetches from where its authors publish it.
mod file;

use std::path::PathBuf;

use ayeaye_adb::{AdbDevice, Proof};
use ayeaye_agent::{
    DeviceError, DeviceHolder, DeviceId, KEYBOARD_READY, Principal, Question, error_chain,
};
use ayeaye_phone::VirtualPhone;

use self::file::{PAGE, PUBLISHED, fetch, from_file, typed_path};
use crate::cli::{KeyboardChoice, Setup};
use crate::command::asker::Asker;
use crate::command::called::ayeaye;
use crate::command::{Exit, doctor};
use crate::config::Config;
use crate::hint::{Reader, for_device_error};
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::{App, ModelChoice};

/// Chinese, Russian, Arabic, Hindi and Greek, a letter with a combining mark, and an emoji of several parts.
const SAMPLE: &str = "你好 Привет مرحبا नमस्ते Γειά e\u{301} 👩\u{200d}👩\u{200d}👧";

/// `ayeaye setup [DEVICE] --keyboard …`: that and nothing else.
pub(super) async fn only(
    config: &Config,
    args: &Setup,
    choice: &KeyboardChoice,
    virtual_phone: Option<VirtualPhone>,
    asker: Asker,
    signals: &Shutdown,
) -> anyhow::Result<Exit> {
    let app = match virtual_phone {
        Some(phone) => App::with_phone(config, phone, ModelChoice::Scripted).await?,
        None => App::new(config).await?,
    };
    let device = match (&args.device, &app.virtual_phone) {
        (Some(device), _) => DeviceId::new(device),
        (None, Some(phone)) => DeviceId::new(phone.serial()),
        (None, None) => {
            let looking = doctor::tell_phones(&app, config, asker.terminal);
            let Some(phones) = signals.unless_asked(looking).await else { return Ok(Exit::Failed) };
            match phones.as_slice() {
                [only] => only.id.clone(),
                [] => return Ok(Exit::Failed),
                _ => {
                    let which = "Which phone? Name it: ayeaye setup DEVICE --keyboard …";
                    asker.terminal.line(which);
                    return Ok(Exit::Usage);
                }
            }
        }
    };
    let desk = Desk { app: &app, device: &device, asker, config, in_task: false };
    let work = async |phone: &AdbDevice| match choice {
        KeyboardChoice::Remove => desk.remove(phone).await,
        choice => desk.put(phone, choice).await,
    };
    Ok(desk.unless_asked(signals, work).await)
}

/// After the phone was chosen: says what can be typed on it, and offers what is missing.
pub(super) async fn offer(
    app: &App,
    config: &Config,
    device: &DeviceId,
    asker: Asker,
    signals: &Shutdown,
) {
    let desk = Desk { app, device, asker, config, in_task: false };
    desk.unless_asked(signals, async |phone: &AdbDevice| desk.offer(phone).await).await;
}

/// In the middle of a task that needs it: offers the keyboard to the person at the terminal. Returns the
/// answer to the task's question if the keyboard is there afterwards.
pub(super) async fn offer_for_task(
    app: &App,
    config: &Config,
    device: &DeviceId,
    question: &Question,
    terminal: Terminal,
) -> Option<String> {
    if !question.is_about_keyboard() || !terminal.is_interactive() {
        return None;
    }
    let desk = Desk { app, device, asker: Asker { terminal, yes: false }, config, in_task: true };
    let offered = match desk.phone().await {
        Ok(phone) => desk.offer(&phone).await,
        Err(error) => Err(error),
    };
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
    config: &'a Config,
    /// Whether a task waits for it, whose screen must stay as it is.
    in_task: bool,
}

/// How trying the keyboard ended.
struct Tried {
    exit: Exit,
    /// It typed something else, or nothing.
    is_old: bool,
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

    /// Does it, unless the program is asked to end: then nothing more is done, and this returns when the phone has its
    /// own keyboard back.
    async fn unless_asked(
        &self,
        signals: &Shutdown,
        work: impl AsyncFnOnce(&AdbDevice) -> Result<Exit, NotDone>,
    ) -> Exit {
        let phone = match signals.unless_asked(self.phone()).await {
            Some(Ok(phone)) => phone,
            Some(Err(error)) => return self.told(Err(error)),
            None => return Exit::Failed,
        };
        if let Some(done) = signals.unless_asked(work(&phone)).await {
            return self.told(done);
        }
        // The line of a prompt may be open.
        self.asker.terminal.line("");
        signals.wait_for("the phone's own keyboard", phone.keyboard_is_back()).await;
        self.item("stopped");
        Exit::Failed
    }

    /// The phone, unless a task drives it now.
    async fn phone(&self) -> Result<std::sync::Arc<AdbDevice>, NotDone> {
        let holder = self.app.agent.device_holder(self.device, &Principal::operator()).await;
        if !matches!(holder, DeviceHolder::Free) {
            return Err(NotDone::Otherwise(format!(
                "{} is in use now, by a task or by hand: try again when it is done",
                self.device
            )));
        }
        Ok(self.app.open_adb(self.device).await?)
    }

    async fn offer(&self, phone: &AdbDevice) -> Result<Exit, NotDone> {
        let state = phone.keyboard().await?;
        if state.is_usable() {
            self.item("ADBKeyboard is installed: text in every script can be typed");
            return Ok(Exit::Done);
        }
        if let (Some(_), Some(refusal)) = (&state.installed, &state.refusal) {
            self.item(&format!(
                "ADBKeyboard is installed, but {refusal}; or choose ADBKeyboard as the keyboard on the phone itself"
            ));
            return Ok(Exit::Done);
        }
        self.item(
            "only ASCII can be typed on this phone. For every other script and emoji it needs a keyboard \
             that takes texts from adb:\nADBKeyboard, 17 kB, GPL-2.0, by others",
        );
        let terminal = self.asker.terminal;
        terminal.line("   1  download it from its publisher, and install it on the phone");
        terminal.line("   2  install it from a file that I have");
        terminal.line("   3  not now");
        // Nobody's phone is changed by a default that nobody has seen.
        let default = if self.asker.yes { 3 } else { 1 };
        let choice = match self.asker.choose("What now?", 3, default).await {
            Some(1) => KeyboardChoice::Fetch,
            Some(2) => match self.ask_for_file().await {
                Some(file) => KeyboardChoice::File(file),
                None => return Ok(self.left_alone()),
            },
            _ => return Ok(self.left_alone()),
        };
        Ok(self.install_and_prove(phone, &choice).await?.exit)
    }

    /// A file that is an app; `None` if there is to be none.
    async fn ask_for_file(&self) -> Option<PathBuf> {
        loop {
            let said = self.asker.terminal.ask_line("The file:").await?;
            if said.is_empty() {
                return None;
            }
            let path = typed_path(&said, self.config.home.as_deref());
            match from_file(&path) {
                Ok(_) => return Some(path),
                Err(error) => self.item(&format!("{error:#}; another one, or Enter for none")),
            }
        }
    }

    fn left_alone(&self) -> Exit {
        // A virtual phone is gone with this command.
        let later = if self.app.virtual_phone.is_some() {
            String::new()
        } else {
            format!("; `{} setup {} --keyboard fetch` does it later", ayeaye(), self.device)
        };
        self.item(&format!("nothing was changed{later}"));
        Exit::Done
    }

    /// Puts it on the phone as the command line says.
    async fn put(&self, phone: &AdbDevice, choice: &KeyboardChoice) -> Result<Exit, NotDone> {
        let is_there = phone.keyboard().await?.installed.is_some();
        if is_there && *choice == KeyboardChoice::Fetch {
            self.item("ADBKeyboard is already on the phone");
            let tried = self.enable_and_prove(phone).await?;
            if !tried.is_old {
                return Ok(tried.exit);
            }
        }
        if let KeyboardChoice::File(path) = choice {
            // Nobody is asked about a file that is not there.
            from_file(path).map_err(NotDone::File)?;
        }
        let place = if is_there { ", in place of the one that is there" } else { "" };
        let question =
            format!("Put ADBKeyboard (17 kB, GPL-2.0, {PAGE}) on {}{place}?", self.device);
        if !self.is_allowed(&question).await? {
            let left = self.left_alone();
            // It is there, and does not type.
            let is_old = is_there && *choice == KeyboardChoice::Fetch;
            return Ok(if is_old { Exit::Failed } else { left });
        }
        Ok(self.install_and_prove(phone, choice).await?.exit)
    }

    /// Whether a person agrees; an error if there is nobody to be asked.
    async fn is_allowed(&self, question: &str) -> Result<bool, NotDone> {
        self.asker.confirm(question, true).await.ok_or_else(|| {
            _ = self.left_alone();
            NotDone::Otherwise("nobody can be asked here: --yes says yes".to_owned())
        })
    }

    async fn install_and_prove(
        &self,
        phone: &AdbDevice,
        choice: &KeyboardChoice,
    ) -> Result<Tried, NotDone> {
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
        let installed = phone.install(&apk).await;
        drop(waiting);
        installed?;
        self.item("installed");
        self.enable_and_prove(phone).await
    }

    async fn enable_and_prove(&self, phone: &AdbDevice) -> Result<Tried, NotDone> {
        let waiting = self.asker.terminal.waiting("Switching it on");
        let id = match phone.enable_keyboard().await {
            Ok(id) => id,
            Err(error) => {
                drop(waiting);
                self.item(&format!("it is installed but not switched on: {}", error_chain(&error)));
                self.item(
                    "switch it on in the phone's settings (Languages & input, On-screen keyboard) and choose \
                     it there; `--keyboard remove` removes it again",
                );
                return Ok(Tried { exit: Exit::Failed, is_old: false });
            }
        };
        if self.in_task {
            // The task's own text is looked for in its field.
            drop(waiting);
            self.item(&format!("{id} is switched on, and the task continues"));
            return Ok(Tried { exit: Exit::Done, is_old: false });
        }
        waiting.now("Typing into the search of its settings");
        let proof = phone.prove_typing(SAMPLE).await;
        drop(waiting);
        let (text, tried) = match proof {
            Err(error) => {
                self.item(&format!("{id} is switched on, but could not be tried:"));
                return Err(error.into());
            }
            Ok(proof) => verdict(&id, proof),
        };
        self.item(&text);
        self.item(
            "your own keyboard stays in use; this one replaces it only while a text is typed",
        );
        if self.app.virtual_phone.is_none() {
            let (ayeaye, device) = (ayeaye(), self.device);
            self.item(&format!("`{ayeaye} setup {device} --keyboard remove` removes it again"));
        }
        Ok(tried)
    }

    async fn remove(&self, phone: &AdbDevice) -> Result<Exit, NotDone> {
        let Some(id) = phone.keyboard().await?.installed else {
            self.item("the phone has no keyboard that takes text from adb");
            return Ok(Exit::Done);
        };
        let question = format!("Take {id} off {}?", self.device);
        match self.asker.confirm(&question, true).await {
            Some(true) => {}
            Some(false) => {
                self.item("nothing was changed");
                return Ok(Exit::Done);
            }
            None => {
                let why = "nobody can be asked here, and nothing was changed: --yes says yes";
                return Err(NotDone::Otherwise(why.to_owned()));
            }
        }
        phone.remove_keyboard().await?;
        let state = phone.keyboard().await?;
        if state.installed.is_some() {
            return Err(NotDone::Otherwise(format!(
                "{id} is still on the phone: remove it there by hand"
            )));
        }
        let current = state.current.unwrap_or_else(|| "the phone's own".to_owned());
        self.item(&format!("{id} was removed; the keyboard in use is {current}"));
        Ok(Exit::Done)
    }
}

/// What the proof has shown, and how the command ends.
fn verdict(id: &str, proof: Proof) -> (String, Tried) {
    let count = SAMPLE.chars().count();
    match proof {
        Proof::Exact => (
            format!(
                "{id} works: five scripts, a combining mark and an emoji ({count} code points) arrived exactly"
            ),
            Tried { exit: Exit::Done, is_old: false },
        ),
        Proof::Different(held) => (
            format!(
                "{id} is switched on, but after a test text the field held {held:?}. Older versions \
                     do nothing on newer phones: put the newest on it, from a file ({PAGE}/releases)"
            ),
            Tried { exit: Exit::Failed, is_old: true },
        ),
        Proof::NoField => (
            format!(
                "{id} is switched on; it was not tried, because no text field of the phone's settings came to the front"
            ),
            Tried { exit: Exit::Done, is_old: false },
        ),
    }
}
