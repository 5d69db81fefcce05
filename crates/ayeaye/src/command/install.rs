//! `ayeaye install` and `ayeaye uninstall`: an entry for this server in a client's settings, and out of them.
mod diff;
mod plan;
mod settings;
mod shown;
mod start;
mod variable;

use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::cli::{EntryArgs, Install, Uninstall};
use crate::clients::document::{Format, Key};
use crate::clients::kept::{self, Change};
use crate::clients::{Client, Folders, Place, System};
use crate::command::{Exit, Start};
use crate::config::{Config, TOKEN_VARIABLE};
use crate::terminal::Terminal;
use crate::text::lines;

use plan::Plan;
use settings::Settings;

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
        terminal.line("No client that this program knows was found here. It knows:");
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
            state.word()
        ));
    }
    if !terminal.is_interactive() || args.entry.yes || args.entry.dry_run {
        terminal.line("\nTo add the server to one of them: ayeaye install CLIENT");
        return Ok(Exit::Done);
    }
    match pick(&here, terminal).await {
        Some(client) => into(client, config, start, args, terminal).await,
        None => Ok(Exit::Done),
    }
}

/// Asks for one of the clients.
async fn pick(here: &[(Client, State)], terminal: Terminal) -> Option<Client> {
    loop {
        let answer = terminal.ask_line("Which one? (a number or a name; Enter for none)").await?;
        if answer.is_empty() {
            return None;
        }
        let number = answer.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
        let by_number = number.and_then(|at| here.get(at)).map(|(client, _)| *client);
        match by_number.or_else(|| Client::from_id(&answer)) {
            Some(client) => return Some(client),
            None => terminal.line("that is none of them"),
        }
    }
}

/// How far a client is.
#[derive(Debug, Clone)]
pub(super) enum State {
    /// Its settings have an entry for this server.
    Installed(std::path::PathBuf),
    /// They have none.
    Without(std::path::PathBuf),
    /// Its settings cannot be read.
    Unreadable(std::path::PathBuf),
    /// It has no file.
    Paste,
}

impl State {
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
pub(super) fn clients_here(start: &Start) -> anyhow::Result<Vec<(Client, State)>> {
    let folders = folders(start)?;
    let here = Client::ALL.into_iter().filter(|client| folders.is_here(*client));
    Ok(here
        .map(|client| {
            let place = folders.place(client, crate::clients::Scope::User, "".as_ref());
            let Place::File(file) = place else { return (client, State::Paste) };
            let key = Key { section: client.section(), name: "ayeaye" };
            let text = kept::read(&file).map(Option::unwrap_or_default);
            let entry = text.map(|text| client.format().entry(&text, key));
            let state = match entry {
                Ok(Ok(Some(_))) => State::Installed(file),
                Ok(Ok(None)) => State::Without(file),
                Ok(Err(_)) | Err(_) => State::Unreadable(file),
            };
            (client, state)
        })
        .collect())
}

pub(super) fn folders(start: &Start) -> anyhow::Result<Folders> {
    Folders::new(System::HERE, &start.environment)
        .context("there is no home folder: set HOME (on Windows USERPROFILE)")
}

/// What is told of an installation: to people, beside the facts where those are asked for.
struct Told {
    terminal: Terminal,
    json: bool,
    facts: serde_json::Map<String, Value>,
}

impl Told {
    fn new(terminal: Terminal, entry: &EntryArgs) -> Self {
        let terminal = if entry.json { terminal.beside_json() } else { terminal };
        Self { terminal, json: entry.json, facts: serde_json::Map::new() }
    }

    fn line(&self, text: &str) {
        self.terminal.line(text);
    }

    fn item(&self, name: &str, text: &str) {
        self.terminal.item(name, text);
    }

    fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Shows what would change in a file.
    fn change(
        &mut self,
        name: &str,
        change: &Change,
        (format, key): (Format, Option<Key<'_>>),
        secrets: &[String],
    ) {
        let rows = shown::rows(change, format, key, secrets);
        let is_new = if change.before.is_none() { " (new)" } else { "" };
        self.item("file", &format!("{}{is_new}", change.path.display()));
        for row in &rows {
            self.line(&format!("  {}", lines(row)));
        }
        self.fact(name, json!({ "file": change.path.display().to_string(), "diff": rows }));
    }

    fn end(self, state: &str, exit: Exit) -> Exit {
        if self.json {
            let mut facts = self.facts;
            facts.insert("state".to_owned(), state.into());
            self.terminal.json(&facts);
        }
        exit
    }
}

async fn into(
    client: Client,
    config: &Config,
    start: &Start,
    args: &Install,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let mut told = Told::new(terminal, &args.entry);
    let terminal = told.terminal;
    let asking = terminal.is_interactive() && !args.entry.yes && !args.entry.dry_run;
    told.fact("client", client.id());
    told.fact("name", args.entry.name.as_str());
    let mut plan = Plan::new(client, config, start, args)?;
    // What cannot be is said before anything is asked.
    plan.entry(&args.entry.name)?;
    if plan.needs_leave_for_token() {
        let may = asking
            && terminal
                .confirm(
                    &format!(
                        "{client} takes the token from nowhere else: write it into {}?",
                        plan.place_in_words()
                    ),
                    false,
                )
                .await
                .unwrap_or_default();
        if !may {
            anyhow::bail!(
                "{client} can have the server's token in its settings file only, and whoever reads that \
                 file has it then: say --token-in-file, or let {client} start the server (without --http)"
            );
        }
        plan.allow_token();
    }
    let entry = plan.entry(&args.entry.name)?;
    told.fact("entry", plan.hidden(&entry));
    let key = Key { section: client.section(), name: &args.entry.name };
    let file = match &plan.place {
        Place::File(file) => file.clone(),
        Place::OneOf(files) => {
            told.line(&format!(
                "Nothing was changed. By hand, put this into the file that {client} reads:\n"
            ));
            told.line(&client.format().to_paste(key, &plan.hidden(&entry)));
            anyhow::bail!(one_of(client, files))
        }
        Place::Paste(place) => {
            told.line(&format!("{client} has no settings file. Paste this at {place}:\n"));
            told.line(&client.format().to_paste(key, &plan.hidden(&entry)));
            if plan.token().is_some() {
                told.line("(secret) stands for the server's token.");
            }
            return Ok(told.end("paste", Exit::Done));
        }
        Place::NoProject => {
            anyhow::bail!("{client} has no settings of a project: leave out --scope")
        }
    };
    let change = match kept::install(&file, client.format(), key, &entry) {
        // Whoever can read the file has the token.
        Ok(change) if plan.writes_token() => change.for_owner_only(),
        Ok(change) => change,
        Err(err) => {
            // Nothing is lost: a person can do what the program does not dare.
            told.line(&format!(
                "Nothing was changed. By hand, put this into {}:\n",
                file.display()
            ));
            told.line(&client.format().to_paste(key, &plan.hidden(&entry)));
            return Err(err).context(format!("{client}'s settings"));
        }
    };
    let mut settings = Settings::new(config, start, &plan)?;
    if asking {
        settings.ask_for_secrets(client, terminal).await;
    } else if args.keep_secrets {
        settings.keep_secrets();
    }
    for note in settings.left_out(client) {
        told.item("note", &note);
    }
    if let Some(variable) = plan.token_variable(start) {
        told.fact("token_variable", variable.fact());
        if let Some(note) = variable.note() {
            told.item("note", &note);
        }
    }
    if change.is_nothing() && settings.is_nothing() {
        told.item("there", &format!("{} has this entry already", file.display()));
        if args.entry.dry_run {
            return Ok(told.end("already_there", Exit::Done));
        }
        return try_it(client, &file, key, &plan, start, told, "already_there").await;
    }
    if !change.is_nothing() {
        told.change("change", &change, (client.format(), Some(key)), &plan.secrets());
    }
    if let Some(change) = settings.change()? {
        told.line("");
        told.change("settings", &change, (Format::Toml, None), &settings.secrets());
        told.line(&settings.why(client));
    }
    if args.entry.dry_run {
        return Ok(told.end("would_change", Exit::Done));
    }
    if !args.entry.yes {
        if !asking {
            told.line("\nNothing was written: nobody can be asked here. --yes writes it.");
            return Ok(told.end("would_change", Exit::Usage));
        }
        if terminal.confirm("\nWrite this?", true).await != Some(true) {
            told.line("Nothing was written.");
            return Ok(told.end("refused", Exit::Failed));
        }
    }
    if let Some(file) = settings.write()? {
        told.item("written", &file.display().to_string());
    }
    change.write()?;
    match change.backup() {
        Some(backup) => {
            told.item("written", &format!("{}; as it was: {}", file.display(), backup.display()));
            told.fact("backup", backup.display().to_string());
        }
        // The settings may be all that changed.
        None if change.is_nothing() => {}
        None => told.item("written", &file.display().to_string()),
    }
    let state = if change.is_new { "added" } else { "changed" };
    try_it(client, &file, key, &plan, start, told, state).await
}

/// Why none of several files is changed.
fn one_of(client: Client, files: &[PathBuf]) -> String {
    let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    format!("{client} reads one of {}, and which one cannot be told", files.join(", "))
}

/// Does what the client will do: reads its file and starts what stands there.
async fn try_it(
    client: Client,
    file: &std::path::Path,
    key: Key<'_>,
    plan: &Plan,
    start: &Start,
    mut told: Told,
    state: &str,
) -> anyhow::Result<Exit> {
    let text = kept::read(file)?.unwrap_or_default();
    let entry = client.format().entry(&text, key).ok().flatten().unwrap_or_default();
    let answer = match (plan.command_in(&entry), plan.url()) {
        (Some(command), _) => start::stdio(&command, &plan.desktop(start)).await,
        (None, Some(url)) => start::http(url, plan.token()).await,
        (None, None) => Err("the entry has no command".to_owned()),
    };
    match answer {
        Ok(answer) => {
            let time = answer.time.as_millis();
            let how = match (plan.url(), plan.token_variable(start)) {
                (None, _) => format!("started as {client} does"),
                (Some(_), None) => format!("called as {client} does"),
                // What stands in the file is not what was sent.
                (Some(_), Some(variable)) if variable.is_set() => {
                    format!("called with the token of {TOKEN_VARIABLE}")
                }
                (Some(_), Some(_)) => {
                    format!("called with the server's token, which {client} is still to be given")
                }
            };
            told.item("tried", &format!("{how}: {} tools in {time} ms", answer.tools));
            told.fact(
                "tried",
                json!({ "ok": true, "tools": answer.tools,
                "ms": u64::try_from(time).unwrap_or(u64::MAX) }),
            );
            if entry["enabled"] == false {
                told.item("note", "the entry is switched off there (`enabled`), and stays so");
            }
            told.item("next", client.next());
            told.fact("next", client.next());
            Ok(told.end(state, Exit::Done))
        }
        Err(err) => {
            let way_out = match plan.url() {
                Some(_) => "start the server there (`ayeaye serve --http`), and look at the token",
                None => "`ayeaye doctor` looks further",
            };
            let undo = format!("`ayeaye uninstall {}` takes the entry out again", client.id());
            told.item("tried", &format!("{client} could not start it: {}", lines(&err)));
            told.item("next", &format!("{way_out}; {undo}"));
            told.fact("tried", json!({ "ok": false, "error": err }));
            Ok(told.end(state, Exit::Failed))
        }
    }
}

/// Takes the server out of a client.
pub async fn uninstall(
    start: &Start,
    args: &Uninstall,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let client = args.client;
    let mut told = Told::new(terminal, &args.entry);
    let terminal = told.terminal;
    told.fact("client", client.id());
    told.fact("name", args.entry.name.as_str());
    let project = std::env::current_dir().context("the working directory")?;
    let file = match folders(start)?.place(client, args.entry.scope, &project) {
        Place::File(file) => file,
        Place::OneOf(files) => anyhow::bail!(one_of(client, &files)),
        Place::Paste(place) => anyhow::bail!("{client} has no settings file: remove it at {place}"),
        Place::NoProject => {
            anyhow::bail!("{client} has no settings of a project: leave out --scope")
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
    told.change("change", &change, (client.format(), Some(key)), &[]);
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
    let gone = if change.after.is_none() { " (it held nothing else, and is gone)" } else { "" };
    told.item("written", &format!("{}{gone}", file.display()));
    if let Some(settings) = Config::default_file_in(&start.environment).filter(|file| file.exists())
    {
        let why = "the settings of all that starts it; delete it if nothing else does";
        told.item("kept", &format!("{} ({why})", settings.display()));
    }
    Ok(told.end("removed", Exit::Done))
}
