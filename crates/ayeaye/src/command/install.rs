//! `ayeaye install` and `ayeaye uninstall`: an entry for this server in a client's settings, and out of them.
mod diff;
mod plan;
mod planned;
mod settings;
mod shown;
mod start;
mod told;
mod variable;

use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::cli::{Install, Uninstall};
use crate::clients::document::Key;
use crate::clients::kept;
use crate::clients::{Client, ConfigPlace, Folders, System};
use crate::command::{Exit, Start};
use crate::config::Config;
use crate::terminal::Terminal;

use planned::planned;
use told::InstallOutput;

/// Adds the server to a client, or lists the clients.
pub async fn install(
    config: &Config,
    start: &Start,
    args: &Install,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    match args.client {
        Some(client) => into(client, config, start, args, terminal).await,
        None => choose(config, start, args, terminal).await,
    }
}

/// Lists the clients that are here; asks for one where somebody can answer.
async fn choose(
    config: &Config,
    start: &Start,
    args: &Install,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let here = clients_here(start)?;
    if args.entry.json {
        let rows: Vec<Value> = here
            .iter()
            .map(|(client, state)| {
                json!({ "client": client.id(), "title": client.title(), "state": state.word(),
                    "file": state.file().map(|file| file.display().to_string()) })
            })
            .collect();
        terminal.json(&json!({ "clients": rows }));
        return Ok(Exit::Done);
    }
    if here.is_empty() {
        terminal.line("No known client was found here. Known clients:");
        for client in Client::ALL {
            terminal.line(&format!("  ayeaye install {:<15} {client}", client.id()));
        }
        return Ok(Exit::Failed);
    }
    terminal.line("Found here:");
    for (at, (client, state)) in here.iter().enumerate() {
        let number = at + 1;
        terminal.line(&format!(
            "  {number:>2}  {:<15} {:<22} {}",
            client.id(),
            client.title(),
            state.in_words()
        ));
    }
    if !terminal.is_interactive() || args.entry.yes || args.entry.dry_run {
        terminal.line("\nTo add the server to one of them: ayeaye install CLIENT");
        // Whoever says yes beforehand wants something done, and nothing was.
        return Ok(if args.entry.yes { Exit::Failed } else { Exit::Done });
    }
    let Some(client) = pick(&here, terminal).await else {
        terminal.line("Nothing was written.");
        return Ok(Exit::Failed);
    };
    into(client, config, start, args, terminal).await
}

/// Asks for one of the clients.
async fn pick(here: &[(Client, InstallState)], terminal: Terminal) -> Option<Client> {
    loop {
        let answer = terminal.ask_line("Which one? (a number or a name; Enter for none)").await?;
        if answer.is_empty() {
            return None;
        }
        let number = answer.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
        let by_number = number.and_then(|at| here.get(at)).map(|(client, _)| *client);
        match by_number.or_else(|| Client::from_id(&answer)) {
            Some(client) => return Some(client),
            None => terminal.line("that is not one of them"),
        }
    }
}

/// How far a client is.
#[derive(Debug, Clone)]
pub(super) enum InstallState {
    /// Its settings have an entry for this server.
    Installed(std::path::PathBuf),
    /// They have none.
    Without(std::path::PathBuf),
    /// Its settings cannot be read.
    Unreadable(std::path::PathBuf),
    /// It has no file.
    Paste,
}

impl InstallState {
    /// For people: the client is there in any case, what is told is about the entry.
    fn in_words(&self) -> &'static str {
        match self {
            Self::Installed(_) => "has ayeaye",
            Self::Without(_) => "does not have ayeaye",
            Self::Unreadable(_) | Self::Paste => self.word(),
        }
    }

    /// For programs.
    fn word(&self) -> &'static str {
        match self {
            Self::Installed(_) => "installed",
            Self::Without(_) => "not installed",
            Self::Unreadable(_) => "settings cannot be read",
            Self::Paste => "by hand",
        }
    }

    fn file(&self) -> Option<&std::path::Path> {
        match self {
            Self::Installed(file) | Self::Without(file) | Self::Unreadable(file) => Some(file),
            Self::Paste => None,
        }
    }

    /// Whether there is an entry.
    pub(super) fn is_installed(&self) -> bool {
        matches!(self, Self::Installed(_))
    }
}

/// The clients that seem to be on this machine.
pub(super) fn clients_here(start: &Start) -> anyhow::Result<Vec<(Client, InstallState)>> {
    let folders = folders(start)?;
    let here = Client::ALL.into_iter().filter(|client| folders.is_here(*client));
    Ok(here
        .map(|client| {
            let place = folders.place(client, crate::clients::Scope::User, "".as_ref());
            let ConfigPlace::File(file) = place else { return (client, InstallState::Paste) };
            let key = Key { section: client.section(), name: "ayeaye" };
            let text = kept::read(&file).map(Option::unwrap_or_default);
            let entry = text.map(|text| client.format().entry(&text, key));
            let state = match entry {
                Ok(Ok(Some(_))) => InstallState::Installed(file),
                Ok(Ok(None)) => InstallState::Without(file),
                Ok(Err(_)) | Err(_) => InstallState::Unreadable(file),
            };
            (client, state)
        })
        .collect())
}

pub(super) fn folders(start: &Start) -> anyhow::Result<Folders> {
    Folders::new(System::HERE, &start.environment)
        .context("there is no home folder: set HOME (on Windows USERPROFILE) to an absolute path")
}

async fn into(
    client: Client,
    config: &Config,
    start: &Start,
    args: &Install,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let mut told = InstallOutput::new(terminal, &args.entry);
    told.fact("client", client.id());
    told.fact("name", args.entry.name.as_str());
    match planned(client, config, start, args, &mut told).await? {
        Some(planned) => planned.carry_out(start, args, told).await,
        None => Ok(told.end("paste", Exit::Done)),
    }
}

/// Why none of several files is changed.
fn one_of(client: Client, files: &[PathBuf]) -> String {
    let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    format!("{client} reads one of {}, and it is unclear which one", files.join(", "))
}

/// Takes the server out of a client.
pub async fn uninstall(
    start: &Start,
    args: &Uninstall,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let client = args.client;
    let mut told = InstallOutput::new(terminal, &args.entry);
    let terminal = told.terminal;
    told.fact("client", client.id());
    told.fact("name", args.entry.name.as_str());
    let project = std::env::current_dir().context("the working directory")?;
    let file = match folders(start)?.place(client, args.entry.scope, &project) {
        ConfigPlace::File(file) => file,
        ConfigPlace::OneOf(files) => anyhow::bail!(one_of(client, &files)),
        ConfigPlace::Paste(place) => {
            anyhow::bail!("{client} has no settings file: remove the entry at {place}")
        }
        ConfigPlace::NoProject => {
            anyhow::bail!("{client} has no project settings: leave out --scope")
        }
    };
    let key = Key { section: client.section(), name: &args.entry.name };
    let change = kept::uninstall(&file, client.format(), key)
        .with_context(|| format!("{client}'s settings"))?;
    let Some(change) = change else {
        told.item(
            "nothing",
            &format!("to remove: no entry `{}` in {}", args.entry.name, file.display()),
        );
        return Ok(told.end("not_there", Exit::Done));
    };
    told.change("change", &change, client.format(), Some(key), &[]);
    if args.entry.dry_run {
        return Ok(told.end("would_change", Exit::Done));
    }
    if !args.entry.yes {
        if !terminal.is_interactive() {
            told.line("\nNothing was written: nobody can be asked here. --yes writes it.");
            return Ok(told.end("would_change", Exit::Usage));
        }
        if terminal.confirm("\nWrite this?", true).await != Some(true) {
            told.line("Nothing was written.");
            return Ok(told.end("refused", Exit::Failed));
        }
    }
    change.write()?;
    let gone = if change.after.is_none() { " (it held nothing else and was removed)" } else { "" };
    told.item("written", &format!("{}{gone}", file.display()));
    if let Some(settings) = Config::default_file_in(&start.environment).filter(|file| file.exists())
    {
        let why = "the settings for everything that starts it; delete it if nothing else does";
        told.item("kept", &format!("{} ({why})", settings.display()));
    }
    Ok(told.end("removed", Exit::Done))
}
