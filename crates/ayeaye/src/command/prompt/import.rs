//! `ayeaye model prompt import`.
use std::collections::HashMap;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use ayeaye_model::{Endpoint, OfficialPrompt, Profile, Published, TextFound};

use super::{FOLDER, fetch, file_name};
use crate::atomic_file;
use crate::cli::ImportPrompt;
use crate::command::Exit;
use crate::config::{Config, edited};
use crate::terminal::Terminal;
use crate::text;
use ayeaye_agent::bounded_file::bounded_file;

/// The most bytes of a file of a checkout.
const LARGEST: u64 = 16 << 20;

/// Reads a prompt out of a checkout, or out of what is fetched, and keeps it.
pub(super) async fn import(
    what: &ImportPrompt,
    config: &Config,
    folder: &Path,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let published = chosen(what, config)?;
    let fetched = match &what.fetch {
        Some(base) => fetch::files(published, base).await?,
        None => HashMap::new(),
    };
    let read = |path: &str| match &what.from {
        Some(from) => bounded_file(&from.join(path), LARGEST).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound => format!("it is not in {}", from.display()),
            _ => err.to_string(),
        }),
        None => fetched.get(path).cloned().ok_or_else(|| "it was not fetched".to_owned()),
    };
    if !published.not_for_phones.is_empty() {
        // What was found is shown all the same: it tells whether the checkout is the right one.
        if let Ok(found) = OfficialPrompt::texts_in_checkout(published, &read) {
            show_texts(&found, terminal);
        }
        anyhow::bail!("{} is not used here: {}", published.name(), published.not_for_phones);
    }
    let read = OfficialPrompt::from_checkout(published, &read);
    let (prompt, found) = read.map_err(|err| {
        anyhow::anyhow!(
            "{}: {err}\nhint: a checkout of github.com/{} at {} holds the known one",
            published.name(),
            published.repository,
            published.commit
        )
    })?;
    terminal
        .item("prompt", &format!("{} of github.com/{}", published.name(), published.repository));
    show_texts(&found, terminal);
    for check in prompt.checks() {
        terminal.item("checked", &check.to_string());
    }
    let path = folder.join(file_name(prompt.family(), prompt.variant()) + ".json");
    atomic_file::replace(&path, &prompt.to_file())
        .with_context(|| format!("writing {}", path.display()))?;
    let state = if prompt.is_as_published() {
        "It is as published."
    } else {
        "It is not the known one: the checks above passed, but its words were not compared."
    };
    terminal.line(&format!("{state} Kept in {}", path.display()));
    let other = asked_as(config).filter(|profile| profile.name() != published.family);
    if let Some(other) = other {
        let trouble = format!(
            "{} is treated as {}, and this prompt is for {}: nothing would run with it",
            text::one_line(&config.model.name),
            other.name(),
            published.family
        );
        let way = "set model.name (or model.profile) first";
        anyhow::ensure!(
            !what.use_it,
            "{trouble}, so the settings were not changed\nhint: {way}, then --use"
        );
        terminal.line(&format!("{trouble}; {way}."));
    }
    use_it(config, &path, what.use_it, terminal)?;
    Ok(Exit::Done)
}

fn show_texts(found: &[TextFound], terminal: Terminal) {
    for it in found {
        let state = if it.is_known { "as published" } else { "not the known text" };
        let what = format!("{} in {}: {} characters, {state}", it.constant, it.path, it.chars);
        terminal.item("text", &text::one_line(&what));
    }
}

/// Puts the prompt into the settings, or says how.
fn use_it(config: &Config, path: &Path, write: bool, terminal: Terminal) -> anyhow::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let value = format!("{FOLDER}/{name}");
    let settings = config.file.as_deref().or(config.default_file.as_deref());
    let settings = settings.context("there is no settings file")?;
    if !write {
        terminal.line(&format!(
            "For the settings in {}: [model] prompt = \"{value}\" (--use puts it there)",
            settings.display()
        ));
        return Ok(());
    }
    let before = match std::fs::read_to_string(settings) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => String::new(),
        Err(err) => return Err(err).with_context(|| format!("reading {}", settings.display())),
    };
    let after = edited(&before, "model.prompt", Some(value.as_str().into()))
        .with_context(|| settings.display().to_string())?;
    atomic_file::replace(settings, &after)
        .with_context(|| format!("writing {}", settings.display()))?;
    terminal.line(&format!("Written to {}: [model] prompt = \"{value}\"", settings.display()));
    Ok(())
}

/// The profile that the acting model is asked with.
fn asked_as(config: &Config) -> Option<Profile> {
    let model = &config.model;
    let by_name = || {
        let endpoint = Endpoint::parse(model.base_url.as_str()).ok()?;
        Some(Profile::for_model(&model.name, &endpoint))
    };
    model.profile.or_else(by_name)
}

/// The prompt that is meant: by its family, else the one that the folder holds.
fn chosen(what: &ImportPrompt, config: &Config) -> anyhow::Result<&'static Published> {
    let variants = |family: &str| {
        let all = Published::all()
            .iter()
            .filter(|it| it.family == family && it.not_for_phones.is_empty());
        all.map(|it| file_name("", &it.variant)).collect::<Vec<_>>()
    };
    if let Some(family) = &what.family {
        return Published::find(family, &what.variant).with_context(|| match variants(family).as_slice() {
            [] => format!("no prompt of {family:?} is known here\nhint: `ayeaye model prompt list` shows the known ones"),
            some => format!("{family} has no variant {:?}\nhint: there is the usual one, and {}", what.variant, some.join(" ").replace(" -", ", ").trim_matches([' ', '-', ','])),
        });
    }
    if let Some(from) = &what.from {
        anyhow::ensure!(from.exists(), "there is no folder {}", from.display());
        anyhow::ensure!(from.is_dir(), "{} is not a folder: name the checkout's", from.display());
    }
    let own = asked_as(config);
    let Some(from) = &what.from else {
        let own = own.map(Profile::name).unwrap_or_default();
        return Published::find(own, &what.variant).with_context(|| {
            format!("no prompt of {own:?} is known here\nhint: say which with --family")
        });
    };
    let has_files = |it: &&Published| {
        !it.paths().is_empty() && it.paths().iter().all(|path| from.join(path).is_file())
    };
    let all_there = || Published::all().iter().filter(has_files);
    let is_meant = |it: &&Published| it.variant == what.variant && it.not_for_phones.is_empty();
    let there: Vec<&Published> = all_there().filter(is_meant).collect();
    if there.is_empty() {
        let others = all_there().filter(|it| it.not_for_phones.is_empty());
        let others: Vec<_> = others.map(Published::name).collect();
        anyhow::ensure!(
            others.is_empty(),
            "{} holds other prompts: {}\nhint: say which with --family and --variant",
            from.display(),
            others.join(", ")
        );
        if let Some(other) = all_there().next() {
            anyhow::bail!("{} is not used here: {}", other.name(), other.not_for_phones);
        }
    }
    let of_own = there.iter().find(|it| own.is_some_and(|own| own.name() == it.family));
    match (there.as_slice(), of_own) {
        ([], _) => anyhow::bail!(
            "{} holds no prompt that is known here{}\nhint: `ayeaye model prompt list` shows repositories and \
             variants",
            from.display(),
            if what.variant.is_empty() { String::new() } else { format!(" as {:?}", what.variant) }
        ),
        ([one], _) => Ok(*one),
        (_, Some(own)) => Ok(*own),
        (some, None) => {
            let names: Vec<&str> = some.iter().map(|it| it.family.as_str()).collect();
            anyhow::bail!(
                "{} holds prompts of {}\nhint: say which with --family",
                from.display(),
                names.join(", ")
            )
        }
    }
}
