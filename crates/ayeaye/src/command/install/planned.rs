//! What an installation does: what changes is settled first, then shown, written, and tried.
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::one_of;
use super::plan::Plan;
use super::settings::Settings;
use super::start;
use super::told::InstallOutput;
use crate::cli::Install;
use crate::clients::document::{Format, Key};
use crate::clients::kept::{self, FileChange};
use crate::clients::{Client, ConfigPlace};
use crate::command::{Exit, Start};
use crate::config::{Config, TOKEN_VARIABLE};
use crate::text::{lines, one_line};

/// An entry that can be written, and the settings that go with it.
pub(super) struct Planned<'a> {
    client: Client,
    plan: Plan,
    key: Key<'a>,
    file: PathBuf,
    change: FileChange,
    settings: Settings,
}

/// Whether a person is there to be asked.
fn asks(args: &Install, told: &InstallOutput) -> bool {
    told.terminal.is_interactive() && !args.entry.yes && !args.entry.dry_run
}

/// What is to be written. `None` where a person has to paste the entry instead, which is told.
pub(super) async fn planned<'a>(
    client: Client,
    config: &Config,
    start: &Start,
    args: &'a Install,
    told: &mut InstallOutput,
) -> anyhow::Result<Option<Planned<'a>>> {
    let mut plan = Plan::new(client, config, start, args)?;
    // What cannot be is said before anything is asked.
    plan.entry(&args.entry.name)?;
    if plan.needs_leave_for_token() {
        ask_for_token(&plan, args, told).await?;
        plan.allow_token();
    }
    let entry = plan.entry(&args.entry.name)?;
    told.fact("entry", plan.hidden(&entry));
    let key = Key { section: client.section(), name: &args.entry.name };
    let Some(file) = file_to_change(&plan, key, &entry, told)? else { return Ok(None) };
    let change = match kept::install(&file, client.format(), key, &entry) {
        // Anyone who can read the file has the token.
        Ok(change) if plan.writes_token() => change.for_owner_only(),
        Ok(change) => change,
        Err(err) => {
            // Nothing is lost: a person can do what the program does not dare.
            let place = file.display();
            told.line(&format!("Nothing was changed. By hand, put this into {place}:\n"));
            told.verbatim(&client.format().to_paste(key, &plan.hidden(&entry)));
            return Err(err).context(format!("{client}'s settings"));
        }
    };
    let settings = settings_beside(&plan, config, start, args, told).await?;
    if let Some(variable) = plan.token_variable(start) {
        told.fact("token_variable", variable.fact());
        if let Some(note) = variable.note() {
            told.item("note", &note);
        }
    }
    Ok(Some(Planned { client, plan, key, file, change, settings }))
}

/// Asks whether the token may stand in the client's settings. Fails where nobody says yes.
async fn ask_for_token(plan: &Plan, args: &Install, told: &InstallOutput) -> anyhow::Result<()> {
    let client = plan.client;
    let question = format!(
        "the token has to be in the settings of {client}: write it into {}?",
        plan.place_in_words()
    );
    if asks(args, told) && told.terminal.confirm(&question, false).await == Some(true) {
        return Ok(());
    }
    // An input has to be declared beside the servers, and this program writes entries alone.
    let by_hand = match client {
        Client::VsCode => {
            ", or write the entry by hand with `${input:…}`, for which VS Code asks you (docs/clients.md)"
        }
        _ => "",
    };
    anyhow::bail!(
        "`install` can put the server's token for {client} into its settings file only, and whoever reads \
         that file has it then: add --token-in-file, or let {client} start the server (without \
         --http){by_hand}"
    )
}

/// The file that the entry belongs into. `None` where the client has none: the entry to paste is told.
fn file_to_change(
    plan: &Plan,
    key: Key<'_>,
    entry: &Value,
    told: &mut InstallOutput,
) -> anyhow::Result<Option<PathBuf>> {
    let client = plan.client;
    match &plan.place {
        ConfigPlace::File(file) => Ok(Some(file.clone())),
        ConfigPlace::OneOf(files) => {
            told.line(&format!(
                "Nothing was changed. By hand, put this into the file that {client} reads:\n"
            ));
            told.verbatim(&client.format().to_paste(key, &plan.hidden(entry)));
            anyhow::bail!(one_of(client, files))
        }
        ConfigPlace::Paste(place) => {
            told.line(&format!("{client} has no settings file. Paste this at {place}:\n"));
            told.verbatim(&client.format().to_paste(key, &plan.hidden(entry)));
            if plan.token().is_some() {
                told.line("(secret) stands for the server's token.");
            }
            Ok(None)
        }
        ConfigPlace::NoProject => {
            anyhow::bail!("{client} has no project settings: leave out --scope")
        }
    }
}

/// The settings of ours that go with the entry. What of them stays out is told.
async fn settings_beside(
    plan: &Plan,
    config: &Config,
    start: &Start,
    args: &Install,
    told: &mut InstallOutput,
) -> anyhow::Result<Settings> {
    let mut settings = Settings::new(config, start, plan)?;
    if asks(args, told) {
        settings.ask_for_secrets(plan.client, told.terminal).await;
    } else if args.keep_secrets {
        settings.keep_secrets();
    }
    for note in settings.left_out(plan.client) {
        told.item("note", &note);
    }
    Ok(settings)
}

impl Planned<'_> {
    /// Shows it, writes it unless somebody is against it, and tries what is there then.
    pub(super) async fn carry_out(
        &self,
        start: &Start,
        args: &Install,
        mut told: InstallOutput,
    ) -> anyhow::Result<Exit> {
        let Self { client, change, settings, .. } = self;
        let (client, key) = (*client, self.key);
        if change.is_nothing() && settings.is_nothing() {
            told.item("there", &format!("{} already has this entry", self.file.display()));
            if args.entry.dry_run {
                return Ok(told.end("already_there", Exit::Done));
            }
            return self.try_it(start, told, "already_there").await;
        }
        if !change.is_nothing() {
            told.change("change", change, client.format(), Some(key), &self.plan.secrets());
        }
        // Worked out once: what is written is what was shown, or nothing.
        let kept_here = settings.change()?;
        if let Some(change) = &kept_here {
            told.line("");
            told.change("settings", change, Format::Toml, None, &settings.secrets());
            told.line(&settings.why(client));
        }
        if args.entry.dry_run {
            return Ok(told.end("would_change", Exit::Done));
        }
        if !args.entry.yes {
            if !asks(args, &told) {
                told.line("\nNothing was written: nobody can be asked here. --yes writes it.");
                return Ok(told.end("would_change", Exit::Usage));
            }
            if told.terminal.confirm("\nWrite this?", true).await != Some(true) {
                told.line("Nothing was written.");
                return Ok(told.end("refused", Exit::Failed));
            }
        }
        if let Some(change) = kept_here {
            change.write()?;
            told.item("written", &change.path.display().to_string());
        }
        change.write()?;
        match change.backup() {
            Some(backup) => {
                told.item(
                    "written",
                    &format!("{}; as it was: {}", self.file.display(), backup.display()),
                );
                told.fact("backup", backup.display().to_string());
            }
            // The settings may be all that changed.
            None if change.is_nothing() => {}
            None => told.item("written", &self.file.display().to_string()),
        }
        let state = if change.is_new { "added" } else { "changed" };
        self.try_it(start, told, state).await
    }

    /// Does what the client will do: reads its file and starts what stands there.
    async fn try_it(
        &self,
        start: &Start,
        mut told: InstallOutput,
        state: &str,
    ) -> anyhow::Result<Exit> {
        let Self { client, plan, key, file, .. } = self;
        let text = kept::read(file)?.unwrap_or_default();
        let entry = client.format().entry(&text, *key).ok().flatten().unwrap_or_default();
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
                        format!("called with the server's token, which {client} still needs")
                    }
                };
                told.item("tried", &format!("{how}: {} tools in {time} ms", answer.tools));
                told.fact(
                    "tried",
                    json!({ "ok": true, "tools": answer.tools,
                    "ms": u64::try_from(time).unwrap_or(u64::MAX) }),
                );
                if entry["enabled"] == false {
                    told.item("note", "the entry is switched off there (`enabled`) and stays off");
                }
                told.item("next", client.next());
                told.fact("next", client.next());
                Ok(told.end(state, Exit::Done))
            }
            Err(err) => {
                let (what, way_out) = match plan.url() {
                    Some(url) => (
                        format!("calling {} as {client} does failed", one_line(url)),
                        "start the server there (`ayeaye serve --http`), and look at the token",
                    ),
                    None => {
                        (format!("{client} could not start it"), "`ayeaye doctor` looks further")
                    }
                };
                let undo = format!("`ayeaye uninstall {}` removes the entry again", client.id());
                told.item("tried", &format!("{what}: {}", lines(&err)));
                told.item("next", &format!("{way_out}; {undo}"));
                told.fact("tried", json!({ "ok": false, "error": err }));
                Ok(told.end(state, Exit::Failed))
            }
        }
    }
}
