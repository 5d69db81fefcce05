//! `ayeaye setup`: phone, model and client, one after the other, and a task at the end.
//!
//! Every question has a default and can be skipped. Nothing is written before its question is answered, and
//! each file is written in one step: Ctrl-C at any place leaves nothing half done. Where the phone is about to
//! get its own keyboard back, that is waited for.
mod first_task;
mod model;
mod phone;

use ayeaye_agent::DeviceId;

use crate::cli::{ClientChoice, EntryArgs, Install, Setup};
use crate::clients::Scope;
use crate::command::asker::Asker;
use crate::command::install::{self, InstallState, clients_here};
use crate::command::{Exit, Start, keyboard};
use crate::config::Config;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::{App, ModelChoice};

/// The phone that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phone {
    /// A phone of the adb server.
    Real(DeviceId),
    /// A virtual phone, which lives until this command ends.
    Virtual,
    /// None for now.
    None,
}

/// Walks through everything.
pub async fn setup(
    config: &Config,
    start: &Start,
    args: &Setup,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    if args.keyboard.is_none() && !args.yes && !terminal.is_interactive() {
        terminal.line(
            "`ayeaye setup` asks questions, and nobody can be asked here. --yes takes the defaults; \
             DEVICE or --virtual, --model and --client answer what they are about.",
        );
        return Ok(Exit::Usage);
    }
    let asker = Asker { terminal, yes: args.yes };
    let virtual_phone = args.virtual_phone.then(|| args.traits.phone());
    let signals = Shutdown::on_signals()?;
    if let Some(choice) = &args.keyboard {
        return keyboard::only(config, args, choice, virtual_phone, asker, &signals).await;
    }
    terminal.line(
        "Three steps: phone, model, client. Enter takes the answer in brackets, Ctrl-C stops.\n",
    );
    heading(terminal, "1. The phone");
    let Some(phone) = signals.unless_asked(phone::choose(config, args, asker)).await else {
        return Ok(stopped(terminal));
    };
    let (phone, virtual_phone) = (phone?, virtual_phone.unwrap_or_default());
    let at = match &phone {
        Phone::None => None,
        Phone::Real(device) => Some((App::new(config).await?, device.clone())),
        Phone::Virtual => {
            let app = App::with_phone(config, virtual_phone.clone(), ModelChoice::Scripted).await?;
            Some((app, DeviceId::new(virtual_phone.serial())))
        }
    };
    if let Some((app, device)) = at {
        keyboard::offer(&app, config, &device, asker, &signals).await;
    }
    if signals.asked.is_cancelled() {
        return Ok(Exit::Failed);
    }
    let without_phone = model_and_client(config, start, args, &phone, asker);
    let Some(walked) = signals.unless_asked(without_phone).await else {
        return Ok(stopped(terminal));
    };
    let Walked { config, model_works, client_added, exit } = walked?;
    if args.no_task {
        return Ok(exit);
    }
    heading(terminal, "A first task");
    let ready = first_task::Ready { model_works, client_added };
    let done = first_task::run(&config, &phone, &virtual_phone, ready, asker, &signals).await?;
    Ok(if exit == Exit::Done { done } else { exit })
}

/// After Ctrl-C at a question, whose line is still open.
fn stopped(terminal: Terminal) -> Exit {
    terminal.line("\nStopped. Changes made so far stay.");
    Exit::Failed
}

/// What the second and the third step have come to.
struct Walked {
    /// With what was written meanwhile.
    config: Config,
    model_works: bool,
    client_added: bool,
    exit: Exit,
}

/// The steps that touch no phone.
async fn model_and_client(
    config: &Config,
    start: &Start,
    args: &Setup,
    phone: &Phone,
    asker: Asker,
) -> anyhow::Result<Walked> {
    let terminal = asker.terminal;
    heading(terminal, "2. The model");
    let model = model::choose(config, args, asker).await?;
    let model_works = model.as_ref().is_some_and(|it| it.works);
    let kept = match &model {
        Some(model) => model.write(config, asker).await?,
        None => true,
    };
    // What was written counts from here on.
    let config = Config::load(&start.flags, start.file.as_deref(), &start.environment)?;
    heading(terminal, "3. The client");
    // A flag says where to look for a model. What was chosen stands in the settings, which a flag in the client's entry
    // would outweigh for good.
    let mut entry = start.clone();
    entry.flags.retain(|flag| !flag.key.starts_with("model."));
    let (client_added, exit) = client(&config, &entry, args, phone, asker).await?;
    // A script that names a model, or asks for whatever is there, must hear that it has not got it.
    let exit = if args.is_told() && !kept { Exit::Failed } else { exit };
    Ok(Walked { config, model_works, client_added, exit })
}

fn heading(terminal: Terminal, text: &str) {
    terminal.line(&format!("\n{}", terminal.bold(text)));
}

/// Adds the server to a client; whether one has it in the end.
async fn client(
    config: &Config,
    start: &Start,
    args: &Setup,
    phone: &Phone,
    asker: Asker,
) -> anyhow::Result<(bool, Exit)> {
    let terminal = asker.terminal;
    let mut has_one = false;
    let client = match args.client {
        Some(ClientChoice::This(client)) => Some(client),
        Some(ClientChoice::None) => None,
        None => {
            let here: Vec<_> = clients_here(start)?
                .into_iter()
                .filter(|(_, state)| !matches!(state, InstallState::Unreadable(_)))
                .collect();
            if here.is_empty() {
                terminal.line("No client was found here; `ayeaye install CLIENT` adds one later.");
                return Ok((false, Exit::Done));
            }
            // Its entry would have to name the virtual phone.
            has_one =
                *phone != Phone::Virtual && here.iter().any(|(_, state)| state.is_installed());
            for (at, (client, state)) in here.iter().enumerate() {
                let state = if state.is_installed() { "has ayeaye" } else { "" };
                terminal.line(&format!("  {:>2}  {:<22} {state}", at + 1, client.title()));
            }
            let none = here.len() + 1;
            terminal.line(&format!("  {none:>2}  none for now"));
            // Nobody's settings are changed by a default.
            let default = if asker.yes { none } else { 1 };
            let chosen = asker.choose("Which one should use the phone?", none, default).await;
            chosen.and_then(|at| here.get(at - 1)).map(|(client, _)| *client)
        }
    };
    let Some(client) = client else {
        terminal.line("No client was changed; `ayeaye install CLIENT` adds one later.");
        return Ok((has_one, Exit::Done));
    };
    let install = Install {
        client: Some(client),
        http: None,
        token_in_file: false,
        virtual_phone: *phone == Phone::Virtual,
        tools: None,
        keep_secrets: false,
        entry: EntryArgs {
            name: "ayeaye".to_owned(),
            scope: Scope::User,
            yes: args.yes,
            dry_run: false,
            json: false,
        },
    };
    let exit = install::install(config, start, &install, terminal).await?;
    let added =
        clients_here(start)?.iter().any(|(it, state)| *it == client && state.is_installed());
    Ok((added, exit))
}
