//! `ayeaye model prompt`: the prompts that models were trained with, out of the person's own checkouts.
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use ayeaye_model::{LONGEST_PROMPT_FILE, OfficialPrompt, Published};
use serde_json::json;

use crate::cli::PromptCommand;
use crate::command::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text;
use ayeaye_agent::bounded_file::bounded_file;
use ayeaye_agent::private_files::remove_file;

mod fetch;
mod import;

/// The folder of imported prompts, beside the settings file.
const FOLDER: &str = "prompts";

/// Imports, lists, shows and deletes prompts.
pub(super) async fn prompt(
    what: PromptCommand,
    config: &Config,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let folder = folder(config)?;
    match what {
        PromptCommand::Import(what) => import::import(&what, config, &folder, terminal).await,
        PromptCommand::List { json } => list(config, &folder, json, terminal),
        PromptCommand::Show { name } => show(&folder, &name, terminal),
        PromptCommand::Rm { name } => remove(config, &folder, &name, terminal),
    }
}

fn folder(config: &Config) -> anyhow::Result<PathBuf> {
    let settings = config.file.as_deref().or(config.default_file.as_deref());
    let folder = settings.and_then(Path::parent);
    let folder = folder.context("there is no place for a settings file: name one with --config")?;
    Ok(folder.join(FOLDER))
}

/// The name of a prompt's file, without `.json`.
fn file_name(family: &str, variant: &str) -> String {
    if variant.is_empty() { family.to_owned() } else { format!("{family}-{variant}") }
}

/// A prompt that was imported, by its name; what is wrong with it otherwise.
fn kept(folder: &Path, name: &str) -> anyhow::Result<OfficialPrompt> {
    let path = path_of(folder, name)?;
    let bytes = match bounded_file(&path, LONGEST_PROMPT_FILE as u64) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => anyhow::bail!(
            "there is no imported prompt {name:?}\nhint: `ayeaye model prompt list` shows all of them"
        ),
        read => read.with_context(|| path.display().to_string())?,
    };
    OfficialPrompt::parse(&bytes).with_context(|| path.display().to_string())
}

fn path_of(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let is_name = name.chars().all(plain) && !name.starts_with('.') && !name.is_empty();
    anyhow::ensure!(is_name, "{name:?} is not the name of an imported prompt");
    Ok(folder.join(format!("{name}.json")))
}

fn list(config: &Config, folder: &Path, as_json: bool, terminal: Terminal) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    for published in Published::all().iter().filter(|it| it.not_for_phones.is_empty()) {
        let name = file_name(&published.family, &published.variant);
        let path = path_of(folder, &name)?;
        let state = match path.exists().then(|| kept(folder, &name)) {
            None => "not imported".to_owned(),
            Some(Ok(prompt)) if prompt.is_as_published() => "as published".to_owned(),
            Some(Ok(_)) => "imported, not as published".to_owned(),
            Some(Err(err)) => text::one_line(&format!("cannot be used: {err:#}")),
        };
        let is_used = config.model.prompt.as_deref() == Some(path.as_path());
        rows.push((name, published, state, is_used));
    }
    if as_json {
        let row = |(name, published, state, is_used): &(String, &Published, String, bool)| {
            json!({
                "name": name, "family": published.family, "variant": published.variant,
                "repository": published.repository, "commit": published.commit, "state": state,
                "used": is_used,
            })
        };
        terminal.json(&json!({ "prompts": rows.iter().map(row).collect::<Vec<_>>() }));
        return Ok(Exit::Done);
    }
    for (name, published, state, is_used) in &rows {
        let used = if *is_used { ", used" } else { "" };
        let text = format!("{name:<32} {state}{used}; github.com/{}", published.repository);
        terminal.line(&text);
    }
    Ok(Exit::Done)
}

fn show(folder: &Path, name: &str, terminal: Terminal) -> anyhow::Result<Exit> {
    let prompt = kept(folder, name)?;
    terminal.item("prompt", &text::one_line(&prompt.description()));
    for (path, sha256) in &prompt.source().files {
        terminal.item("file", &text::one_line(&format!("{path}, sha256 {sha256}")));
    }
    for check in prompt.checks() {
        terminal.item("checked", &text::one_line(&check.to_string()));
    }
    // Tabs are the format of some, and would not be seen.
    terminal.line(&text::lines(&prompt.shown().replace('\t', "⇥")));
    Ok(Exit::Done)
}

fn remove(config: &Config, folder: &Path, name: &str, terminal: Terminal) -> anyhow::Result<Exit> {
    let path = path_of(folder, name)?;
    anyhow::ensure!(
        config.model.prompt.as_deref() != Some(path.as_path()),
        "it is in use for the model\nhint: set model.prompt to \"builtin\" first"
    );
    match remove_file(&path) {
        Ok(()) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => anyhow::bail!(
            "there is no imported prompt {name:?}\nhint: `ayeaye model prompt list` shows all of them"
        ),
        Err(err) => return Err(err).with_context(|| path.display().to_string()),
    }
    terminal.line(&format!("{name} is deleted"));
    Ok(Exit::Done)
}
