//! The second step: a model of one's own, or none.
use std::path::PathBuf;

use anyhow::Context as _;
use ayeaye_model::{
    Endpoint, ExtraHeaders, ModelConfig, ModelList, Profile, RemoteModel, Severity,
};

use crate::cli::Setup;
use crate::clients::kept;
use crate::command::asker::Asker;
use crate::command::doctor;
use crate::command::model_servers::{
    self, Finder, Offered, Server, ServerKind, Shut, tokens_needed,
};
use crate::config::{Config, edited};
use crate::terminal::Terminal;
use crate::text::one_line;
use crate::wiring;

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Address up to and with `/v1`, and name; `None` for no model.
    model: Option<(String, String)>,
    /// The model that one with a larger context was made of, by Ollama.
    copy_of: Option<String>,
    /// Whether it found the mark in the picture.
    pub(super) works: bool,
    /// Whether the imported prompt of the settings is one for it.
    keeps_prompt: bool,
}

/// What only the server may have that it was made for.
const SECRETS: [&str; 2] = ["model.api-key", "model.extra-headers"];

/// More models than anyone chooses from at a terminal; `--model` names every other.
const SHOWN: usize = 40;

/// Finds models, tests one, makes its context large enough.
pub(super) async fn choose(
    config: &Config,
    args: &Setup,
    asker: Asker,
) -> anyhow::Result<Option<Chosen>> {
    let terminal = asker.terminal;
    let none = Chosen { model: None, copy_of: None, works: false, keeps_prompt: true };
    if args.model.as_deref() == Some("none") {
        terminal.line("No model: your client's own model drives.");
        return Ok(Some(none));
    }
    terminal.line(
        "With a model of its own, a whole task is one call, and a model on your machine keeps the screen here. \
         Without one your client's model drives, tap by tap.\n",
    );
    let settings = &config.model;
    let (key, headers) = (settings.api_key.clone(), settings.extra_headers.clone());
    let finder = Finder::new(settings.base_url.as_str(), key, headers)?;
    let (servers, trouble) = answering(config, &finder).await?;
    let mut offers: Vec<(&Server, &Offered)> = servers
        .iter()
        .flat_map(|server| server.models.iter().map(move |it| (server, it)))
        .collect();
    offers.sort_by_key(|(server, offered)| rank(server, offered));
    // Nothing else was looked at, so nothing else is wrong.
    if let Some(why) = trouble.as_ref().filter(|_| config.model_is_overridden() && args.is_told()) {
        anyhow::bail!("{}", one_line(why));
    }
    if let Some(name) = &args.model {
        let called = |offered: &&Offered| offered.name == *name || offered.aliases.contains(name);
        let Some((server, offered)) = offers.iter().find(|(_, it)| called(it)) else {
            if let Some(server) = servers.iter().find(|server| lists_in_part(server)) {
                let offered = Offered::named(name.clone());
                return test(config, &finder, server, &offered, asker).await.map(Some);
            }
            let all: Vec<&str> = offers.iter().map(|(_, it)| it.name.as_str()).collect();
            anyhow::bail!(
                "none of the servers found offers {name}; they offer: {}. --model-base-url names another \
                 server",
                if all.is_empty() { "none".to_owned() } else { all.join(", ") }
            );
        };
        // The name that was given may tell the family where the first of the list does not.
        let offered = Offered { name: name.clone(), ..(*offered).clone() };
        return test(config, &finder, server, &offered, asker).await.map(Some);
    }
    if asker.yes && offers.is_empty() && config.model_is_overridden() {
        anyhow::bail!("{} lists no models: --model NAME names one", config.model.base_url.as_str());
    }
    if let Some(why) = trouble {
        terminal.line(&format!("  {}", one_line(&why)));
    }
    offers.truncate(SHOWN);
    show(&servers, &offers, terminal);
    let without = offers.len() + 1;
    terminal.line(&format!("  {without:>2}  no model: my client's own model drives"));
    terminal.line(
        "  (One that runs elsewhere: Ctrl-C, then `ayeaye setup --model-base-url URL`, its key in \
         AYEAYE_MODEL_API_KEY.)",
    );
    let can = |at: usize| offers.get(at).is_some_and(|(server, it)| rank(server, it).0 < BLIND);
    let default = if can(0) { 1 } else { without };
    match asker.choose("Which one?", without, default).await {
        Some(at) if at < without => {
            let (server, offered) = offers[at - 1];
            test(config, &finder, server, offered, asker).await.map(Some)
        }
        Some(_) => Ok(Some(none)),
        None => Ok(None),
    }
}

/// The servers that answer: that of the settings, and those at the usual addresses. With them why that of the settings
/// does not.
async fn answering(
    config: &Config,
    finder: &Finder,
) -> anyhow::Result<(Vec<Server>, Option<String>)> {
    let mut servers = Vec::new();
    let mut trouble = None;
    if config.model_is_set() {
        match named(config, finder).await? {
            Ok(server) => servers.push(server),
            Err(why) => trouble = Some(why),
        }
    }
    if !config.model_is_overridden() {
        for server in finder.usual().await {
            if servers.iter().all(|it| it.root != server.root) {
                servers.push(server);
            }
        }
    }
    Ok((servers, trouble))
}

/// What serves models at the address of the settings, or why nothing does, as doctor says it.
async fn named(config: &Config, finder: &Finder) -> anyhow::Result<Result<Server, String>> {
    let base_url = config.model.base_url.as_str();
    let mut wanted = wiring::model_config(config)?;
    // Before a model is chosen its name does not tell which API the endpoint speaks.
    wanted.prompt = None;
    wanted.profile = own_api(config).or_else(|| Profile::at_home(&wanted.endpoint));
    if wanted.profile.is_none()
        && let Some(server) = finder.look(base_url).await
        && server.shut.is_none()
    {
        return Ok(Ok(server));
    }
    let endpoint = wanted.endpoint.clone();
    let model = RemoteModel::new(wanted).context("the model")?;
    Ok(match model.offered().await {
        Err(why) => Err(why),
        Ok(ModelList::Names(names) | ModelList::FirstPage(names)) => {
            Ok(Server::plain(base_url, names))
        }
        Ok(ModelList::Unlisted) => Ok(Server::plain(base_url, Vec::new())),
        Ok(ModelList::WebPage) => Err(format!(
            "{endpoint} shows a web page where it should list its models: the base URL usually ends in /v1"
        )),
    })
}

/// The profile of the settings, where it is for another API than chat.
fn own_api(config: &Config) -> Option<Profile> {
    let chat = Profile::GENERIC.listed().api;
    config.model.profile.filter(|profile| profile.listed().api != chat)
}

/// Whether a server may have models that it does not list: it lists none, or it is one of those that list a page
/// of them.
fn lists_in_part(server: &Server) -> bool {
    let hosted = Endpoint::parse(&server.base_url).is_ok_and(|it| Profile::at_home(&it).is_some());
    server.kind == ServerKind::Other
        && server.shut.is_none()
        && (server.models.is_empty() || hosted)
}

/// The last rank of models that may see.
const BLIND: usize = 3;

/// Models that see and whose family is known come first, in the order of the families.
fn rank(server: &Server, offered: &Offered) -> (usize, usize) {
    let family = family(server, &offered.name);
    let at = family.and_then(|family| Profile::ALL.iter().position(|it| *it == family));
    let rank = match (offered.sees, family) {
        (Some(false), _) | (None, None) => BLIND,
        (Some(true), Some(_)) => 0,
        (None, Some(_)) => 1,
        (Some(true), None) => 2,
    };
    (rank, at.unwrap_or(usize::MAX))
}

/// The family that the model's name tells.
fn family(server: &Server, name: &str) -> Option<Profile> {
    model_servers::family(name, &Endpoint::parse(&server.base_url).ok()?)
}

fn show(servers: &[Server], offers: &[(&Server, &Offered)], terminal: Terminal) {
    for server in servers {
        let count = match server.models.len() {
            _ if server.shut == Some(Shut::Loading) => {
                "which is loading its model: try again when its log says that it is ready"
                    .to_owned()
            }
            _ if server.shut == Some(Shut::Locked) => format!(
                "which wants a key: `ayeaye setup --model-base-url {}`, the key in AYEAYE_MODEL_API_KEY",
                server.base_url
            ),
            0 if server.kind == ServerKind::Other => {
                "which lists no models: --model NAME names one".to_owned()
            }
            0 => "without a model".to_owned(),
            1 => "with one model".to_owned(),
            more => format!("with {more} models"),
        };
        terminal.line(&format!("  {} at {}, {count}", server.kind.title(), server.root));
    }
    if servers.is_empty() {
        terminal.line(
            "  no model server is running here (looked for Ollama, LM Studio, vLLM, llama.cpp and LiteLLM at ports \
             11434, 1234, 8000, 8080 and 4000); `ayeaye setup --model-base-url URL` looks elsewhere",
        );
    }
    for (at, (server, it)) in offers.iter().enumerate() {
        let family = family(server, &it.name);
        let known = match (it.sees, family) {
            (Some(false), _) => Some("takes no pictures".to_owned()),
            (_, Some(family)) => Some(format!("known: {}", family.listed().title)),
            (Some(true), None) => Some("takes pictures".to_owned()),
            (None, None) => None,
        };
        let context = it.context.map(|tokens| format!("{tokens} tokens"));
        let facts: Vec<String> = known.into_iter().chain(context).collect();
        let from = if servers.len() < 2 { "" } else { server.kind.title() };
        let line =
            format!("  {:>2}  {:<32} {}  {from}", at + 1, one_line(&it.name), facts.join(", "));
        terminal.line(line.trim_end());
    }
}

/// Has the model find a mark in a picture, and sees to its context.
async fn test(
    config: &Config,
    finder: &Finder,
    server: &Server,
    offered: &Offered,
    asker: Asker,
) -> anyhow::Result<Chosen> {
    let terminal = asker.terminal;
    let needed = tokens_needed(family(server, &offered.name));
    let mut name = offered.name.clone();
    // Ollama cuts what does not fit without a word, so a test with too little tells nothing.
    if server.kind == ServerKind::Ollama && offered.context.is_none_or(|it| it < u64::from(needed))
    {
        let loaded = finder.loaded_context(server, &name).await;
        if offered.context.or(loaded).is_none_or(|it| it < u64::from(needed)) {
            name = raise(finder, server, offered, offered.context.or(loaded), needed, asker).await;
        }
    } else if let Some(context) = offered.context.filter(|it| *it < u64::from(needed)) {
        say_how(server, offered, context, needed, terminal);
    }
    terminal
        .line(&format!("\n{} is shown a picture; loading it may take a while …", one_line(&name)));
    let wanted = as_in_a_run(config, server, &offered.name, &name)?;
    let keeps_prompt = config.model.prompt.is_none() || wanted.prompt.is_some();
    if !keeps_prompt {
        terminal
            .line("model.prompt is for another family, so it is asked with the built-in prompt.");
    }
    let works = check(wanted, terminal).await?;
    if let Some(context) = finder.loaded_context(server, &name).await
        && context < u64::from(needed)
        && offered.context.is_none()
    {
        say_how(server, offered, context, needed, terminal);
    }
    let copy_of = (name != offered.name).then(|| offered.name.clone());
    Ok(Chosen { model: Some((server.base_url.clone(), name)), copy_of, works, keeps_prompt })
}

fn say_how(server: &Server, offered: &Offered, context: u64, needed: u32, terminal: Terminal) {
    terminal.line(&format!(
        "its context is {context} tokens, and a task needs {needed}: {}",
        one_line(&server.kind.how_to_raise(offered, needed))
    ));
}

/// Makes a model with a larger context, if that is wanted; returns the name to use.
async fn raise(
    finder: &Finder,
    server: &Server,
    offered: &Offered,
    context: Option<u64>,
    needed: u32,
    asker: Asker,
) -> String {
    let terminal = asker.terminal;
    let name = &offered.name;
    let has = context
        .map_or("Ollama decides how much context it gets, often 4096 tokens".to_owned(), |it| {
            format!("its context is {it} tokens")
        });
    terminal.line(&format!(
        "\n{has}; a task needs {needed}, and what does not fit is cut off silently."
    ));
    let question =
        format!("Have Ollama make a copy of the model with {needed} tokens (no download)?");
    if asker.confirm(&question, true).await != Some(true) {
        terminal.line(&server.kind.how_to_raise(offered, needed));
        return name.clone();
    }
    match finder.with_context(server, name, needed).await {
        Ok(made) => {
            terminal.line(&format!("Made {made}."));
            made
        }
        Err(err) => {
            terminal.line(&format!("That did not work: {}", one_line(&err)));
            terminal.line(&server.kind.how_to_raise(offered, needed));
            name.clone()
        }
    }
}

/// The model as a run would ask it once it is chosen: with the other settings as they are, except for those that were
/// made for another model. `offered` is what it was before a copy of it was made.
fn as_in_a_run(
    config: &Config,
    server: &Server,
    offered: &str,
    name: &str,
) -> anyhow::Result<ModelConfig> {
    let usual = wiring::model_config(config)?;
    let mut chosen = config.clone();
    chosen.model.base_url = server.base_url.parse()?;
    name.clone_into(&mut chosen.model.name);
    let is_other = ![name, offered].contains(&config.model.name.as_str());
    if is_other {
        chosen.model.coordinates = None;
        chosen.model.max_pixels = None;
        chosen.model.profile = None;
    }
    let mut wanted = wiring::model_config(&chosen)?;
    if wanted.endpoint != usual.endpoint {
        wanted.key = None;
        wanted.extra_headers = ExtraHeaders::default();
    } else if is_other {
        wanted.profile = own_api(config);
    }
    let by_name = || Profile::for_model(name, &wanted.endpoint);
    let profile = wanted.profile.unwrap_or_else(by_name);
    // That of another family would be refused.
    wanted.prompt = wanted.prompt.filter(|prompt| prompt.family() == profile.name());
    Ok(wanted)
}

/// What a settings file says of this setting of a model.
fn said(text: &str, key: &str) -> Option<toml::Value> {
    let all: toml::Table = text.parse().ok()?;
    let (section, name) = key.split_once('.')?;
    all.get(section)?.get(name).cloned()
}

/// Doctor's check of a model; whether a task could be done with it.
async fn check(wanted: ModelConfig, terminal: Terminal) -> anyhow::Result<bool> {
    let model = RemoteModel::new(wanted).context("the model")?;
    let mut works = true;
    for finding in model.check().await {
        works &= finding.verdict != Severity::Error;
        doctor::tell_model(&finding, terminal);
    }
    Ok(works)
}

impl Chosen {
    /// Writes it into the settings file; comments stay. Whether the file says so in the end.
    pub(super) async fn write(&self, config: &Config, asker: Asker) -> anyhow::Result<bool> {
        let terminal = asker.terminal;
        let file: PathBuf = config
            .file
            .clone()
            .or_else(|| config.default_file.clone())
            .context("there is no place for a settings file; name one with --config")?;
        let before = kept::read(&file)?;
        let after = self.written_into(before.as_deref().unwrap_or_default(), config);
        let after = after.with_context(|| file.display().to_string())?;
        let change = kept::FileChange::plain(file.clone(), before, after);
        // No model is said by saying nothing.
        let unsaid = change.is_nothing() && self.model.is_none();
        let empty = change.before.is_none() && change.after.as_deref().is_none_or(str::is_empty);
        if empty || unsaid {
            terminal.line("Nothing needs to be written for that.");
        } else if change.is_nothing() {
            terminal.line("The settings file already says so.");
        } else if self.model.is_some()
            && !self.works
            && asker.confirm("\nIt does not work as it is. Use it anyway?", false).await
                != Some(true)
        {
            terminal.line("The settings stay as they are.");
            return Ok(false);
        } else {
            change.write()?;
            terminal.item("written", &file.display().to_string());
            let has =
                |text: &Option<String>, key| text.as_deref().and_then(|it| said(it, key)).is_some();
            for key in
                SECRETS.into_iter().filter(|it| has(&change.before, it) && !has(&change.after, it))
            {
                terminal.line(&format!(
                    "{key} was for another address, and is not in the file any more: set it again for this one."
                ));
            }
        }
        if config.model_is_overridden() {
            terminal.line("A flag or the environment also names a model, and takes precedence.");
        }
        Ok(true)
    }

    /// The settings file with this in it. What a flag or the environment says is not in the file, and does not
    /// count.
    fn written_into(&self, before: &str, config: &Config) -> anyhow::Result<String> {
        let mut after = before.to_owned();
        let (url, name) = self.model.clone().unzip();
        let written = |key| said(before, key)?.as_str().map(ToOwned::to_owned);
        let endpoint = |text: &str| Endpoint::parse(text).ok();
        let usual = written("model.base-url").unwrap_or_else(|| config.model.base_url.to_string());
        let same_endpoint = url.as_deref().is_some_and(|url| endpoint(url) == endpoint(&usual));
        // A profile for an API of its own is also the endpoint's.
        let keeps_api = same_endpoint && own_api(config).is_some();
        let names = [name.as_ref(), self.copy_of.as_ref()];
        let same_model = match (&name, written("model.name")) {
            (Some(_), Some(written)) => names.contains(&Some(&written)),
            (Some(_), None) => {
                !config.model_is_overridden() && names.contains(&Some(&config.model.name))
            }
            (None, written) => written.is_none(),
        };
        let is_elsewhere = url.is_some() && !same_endpoint;
        for (key, value) in [("model.base-url", url), ("model.name", name)] {
            after = edited(&after, key, value.map(Into::into))?;
        }
        // What was found out of one model does not hold for another.
        let mut stale = Vec::new();
        if !same_model {
            stale = vec!["model.coordinates", "model.max-pixels"];
            if !keeps_api {
                stale.push("model.profile");
            }
        }
        if !self.keeps_prompt {
            stale.push("model.prompt");
        }
        // Nor does the key of one server for another.
        if is_elsewhere {
            stale.extend(SECRETS);
        }
        for key in stale {
            after = edited(&after, key, None)?;
        }
        Ok(after)
    }
}
