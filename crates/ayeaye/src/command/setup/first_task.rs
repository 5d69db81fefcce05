//! The end of the walk: something is done on the phone, so that one knows that it works.
use ayeaye_agent::{
    Agreed, DeviceId, DirectAction, DirectOutcome, Gesture, Key, Principal, ReplyMode,
};

use ayeaye_phone::VirtualPhone;

use super::Phone;
use crate::command::Exit;
use crate::command::asker::Asker;
use crate::command::run::{self, RunOptions, TaskToRun};
use crate::config::Config;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::{App, ModelChoice};

/// Harmless on every phone, and in plain sight.
const TASK: &str = "Open the Settings app";
/// The first task for the stand-in, which knows the virtual phone's own tasks.
const SCRIPTED_TASK: &str = "Switch Wi-Fi off";

/// What of the setup has come about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready {
    pub(super) model_works: bool,
    pub(super) client_added: bool,
}

/// Does a task with the model; without one shows that the phone can be seen and driven.
pub(super) async fn run(
    config: &Config,
    phone: &Phone,
    virtual_phone: &VirtualPhone,
    Ready { model_works, client_added }: Ready,
    asker: Asker,
    signals: &Shutdown,
) -> anyhow::Result<Exit> {
    let terminal = asker.terminal;
    let app = match phone {
        Phone::None => {
            terminal.line("No phone, no task. `ayeaye demo` shows one on a virtual phone.");
            return Ok(Exit::Done);
        }
        Phone::Virtual if model_works => {
            App::with_phone(config, virtual_phone.clone(), ModelChoice::Configured).await?
        }
        Phone::Virtual => {
            terminal
                .line("A stand-in for a model decides; it only knows the virtual phone's tasks.");
            App::with_phone(config, virtual_phone.clone(), ModelChoice::Scripted).await?
        }
        Phone::Real(_) => App::new(config).await?,
    };
    let device = match (phone, &app.virtual_phone) {
        (Phone::Real(device), _) => device.clone(),
        (_, Some(phone)) => DeviceId::new(phone.serial()),
        _ => return Ok(Exit::Failed),
    };
    if !model_works && !app.scripted {
        // The client's model will do what a task needs: see, and act. So see and act.
        return act_by_hand(&app, &device, client_added, terminal, signals).await;
    }
    let words = if app.scripted { SCRIPTED_TASK } else { TASK };
    let question = format!("Do a task now: {words:?}?");
    match signals.unless_asked(asker.confirm(&question, true)).await {
        Some(Some(true)) => {}
        Some(_) => return Ok(Exit::Done),
        None => return Ok(super::stopped(terminal)),
    }
    let options = RunOptions {
        max_steps: config.run.max_steps,
        reply_mode: if asker.yes { ReplyMode::NoReply } else { ReplyMode::PassToClient },
        planner: false,
        queue: false,
        json: false,
        answer_by: None,
    };
    let task = TaskToRun { device: Some(device), text: words.to_owned(), replay: None };
    let exit = run::run(&app, config, task, options, terminal, signals).await?.exit;
    if exit == Exit::Done {
        terminal.line(match (client_added, phone) {
            (true, _) => "\nThat is all. Your client can do the same: just ask it.",
            (false, Phone::Virtual) => {
                "\nThat is all. `ayeaye run TASK --virtual` does the next one; `ayeaye install CLIENT --virtual` lets a \
                 client do the same."
            }
            (false, _) => {
                "\nThat is all. `ayeaye run TASK` does the next one; `ayeaye install CLIENT` lets a client do the same."
            }
        });
    }
    Ok(exit)
}

/// Presses Home, and says how the client goes on from there.
async fn act_by_hand(
    app: &App,
    device: &DeviceId,
    client_added: bool,
    terminal: Terminal,
    signals: &Shutdown,
) -> anyhow::Result<Exit> {
    // An act that was sent comes to its end by itself.
    let mut acting = Box::pin(press_home(app, device, terminal));
    let Some(acted) = signals.unless_asked(&mut acting).await else {
        terminal.line("Stopping after this act; Ctrl-C again stops at once.");
        tokio::select! {
            done = acting => drop(done?),
            () = signals.at_once.cancelled() => {}
        }
        return Ok(super::stopped(terminal));
    };
    let exit = acted?;
    if exit == Exit::Done {
        terminal.line(if client_added {
            "\nNow say to your client: Open the Settings app on my phone."
        } else {
            "\nNow add it to a client, which does the rest: ayeaye install"
        });
    }
    Ok(exit)
}

/// Presses Home, as the client's model would: recorded, sent, and looked at.
async fn press_home(app: &App, device: &DeviceId, terminal: Terminal) -> anyhow::Result<Exit> {
    let home = DirectAction {
        device_id: device.clone(),
        session_id: None,
        gesture: Gesture::HotKey { key: Key::Home },
        reason: "a first try".to_owned(),
        secret: false,
        agreed: Agreed::Nothing,
        by_hand: false,
        principal: Principal::local(),
    };
    let mut run = app.agent.act(home).await?;
    run.finished().await;
    let Some(result) = run.result() else { anyhow::bail!("the action could not be recorded") };
    let (DirectOutcome::Done, Some(_)) = (&result.outcome, &result.shown) else {
        terminal.item(
            "phone",
            &format!("{device}: Home was not pressed, or nothing was seen after it"),
        );
        return Ok(Exit::Failed);
    };
    terminal.item("phone", &format!("{device}: Home was pressed, and its screen can be seen"));
    Ok(Exit::Done)
}
