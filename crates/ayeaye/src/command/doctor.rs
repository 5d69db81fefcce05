//! `ayeaye doctor`: everything a task needs, checked at once, each with the way to fix it.
mod context;
mod phones;

use std::env::consts;
use std::path::{Path, PathBuf};

use ayeaye_agent::private_files::private_folder;
use ayeaye_agent::{DeviceEntry, Principal, error_chain};
use ayeaye_model::{CheckSubject, SYSTEM_STORE, Severity};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::config::{Config, ToolChoice};
use crate::hint::{ADB_ELSEWHERE, NO_LOCKS, is_elsewhere, is_without_locks};
use crate::http;
use crate::mcp::connection_tools::ConnectionTools;
use crate::mcp::questions::STATE_KEY_FILE;
use crate::model_presence::ModelState;
use crate::named_secrets::SecretFile;
use crate::secret;
use crate::terminal::{Terminal, Waiting};
use crate::text::{lines, one_line};
use crate::wiring::{App, adb_config};

/// One finding.
struct DoctorFinding {
    verdict: Severity,
    about: &'static str,
    text: String,
    hint: String,
    /// The phone it is about.
    device: Option<String>,
}

impl DoctorFinding {
    fn new(verdict: Severity, about: &'static str, text: impl Into<String>) -> Self {
        Self { verdict, about, text: text.into(), hint: String::new(), device: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    fn print(&self, terminal: Terminal) {
        let mark = match self.verdict {
            Severity::Ok => "ok     ",
            Severity::Warning => "unsure ",
            Severity::Error => "PROBLEM",
        };
        terminal.beside(&format!("{mark}  {:<9} ", self.about), &lines(&self.text));
        if !self.hint.is_empty() {
            terminal.beside(&format!("         {:<9} -> ", ""), &lines(&self.hint));
        }
    }

    fn in_json(&self) -> Value {
        let verdict = match self.verdict {
            Severity::Ok => "ok",
            Severity::Warning => "unsure",
            Severity::Error => "problem",
        };
        let hint = Some(&self.hint).filter(|hint| !hint.is_empty());
        let mut told =
            json!({ "verdict": verdict, "about": self.about, "text": self.text, "hint": hint });
        if let Some(device) = &self.device {
            told["device"] = device.as_str().into();
        }
        told
    }
}

fn of_model(finding: &ayeaye_model::CheckFinding) -> DoctorFinding {
    DoctorFinding::new(finding.verdict, "model", finding.text.clone())
}

/// Says what is found of a model.
pub(super) fn tell_model(finding: &ayeaye_model::CheckFinding, terminal: Terminal) {
    of_model(finding).print(terminal);
}

/// Says what is found of adb and the phones; returns those that a task can be given.
pub(super) async fn tell_phones(
    app: &App,
    config: &Config,
    terminal: Terminal,
) -> Vec<DeviceEntry> {
    let waiting = terminal.waiting(ASKING_ADB);
    check_phones(app, config, &waiting, &mut |finding| finding.print(terminal)).await
}

const ASKING_ADB: &str = "Asking adb for phones";

/// Tells what is found of adb and the phones, one by one; returns those that a task can be given.
async fn check_phones(
    app: &App,
    config: &Config,
    waiting: &Waiting,
    tell: &mut impl FnMut(DoctorFinding),
) -> Vec<DeviceEntry> {
    let listing = app.agent.devices(&Principal::operator()).await;
    adb_servers(app, config, listing.is_ok()).await.into_iter().for_each(&mut *tell);
    let (found, entries) = phones::listed(listing);
    tell(found);
    let mut ready = Vec::new();
    for entry in entries {
        waiting.now("Looking at each phone");
        let findings = phones::phone(app, &entry).await;
        let is_ready = findings.iter().all(|finding| finding.verdict != Severity::Error);
        findings.into_iter().for_each(&mut *tell);
        if is_ready {
            ready.push(entry);
        }
    }
    ready
}

/// Checks everything. Fails when a task on a phone could not work.
/// `trouble` is what keeps the model's settings from being used.
pub async fn doctor(
    app: &App,
    config: &Config,
    trouble: Option<anyhow::Error>,
    as_json: bool,
    terminal: Terminal,
) -> Exit {
    let mut found = Vec::new();
    let mut tell = |finding: DoctorFinding| {
        if !as_json {
            finding.print(terminal);
        }
        found.push(finding);
    };
    tell(program());
    tell(settings(config));
    trust(config).into_iter().for_each(&mut tell);
    tell(data_folder(config));
    secrets(config).into_iter().for_each(&mut tell);
    if let Some(finding) = Box::pin(issuer(config, terminal)).await {
        tell(finding);
    }
    let waiting = terminal.waiting(ASKING_ADB);
    check_phones(app, config, &waiting, &mut tell).await;
    if let Some(trouble) = trouble {
        tell(DoctorFinding::new(Severity::Error, "model", format!("{trouble:#}")));
    }
    waiting.now("Looking for the model");
    let state = app.presence.state().await;
    if state == ModelState::NotConfigured {
        tell(DoctorFinding {
            hint: "to hand over whole tasks: `ayeaye setup`, or set model.base-url and model.name"
                .to_owned(),
            ..DoctorFinding::new(Severity::Ok, "model", app.presence.describe(state))
        });
    } else {
        waiting.now("Showing the model a picture");
        let checked = app.model.check().await;
        for finding in &checked {
            tell(of_model(finding));
        }
        match left_unchecked(config, &checked) {
            Some(finding) => tell(finding),
            None => {
                context::served_context(app.model.config()).await.into_iter().for_each(&mut tell);
            }
        }
    }
    tell(tools(config, state));
    drop(waiting);
    let all_good = found.iter().all(|finding| finding.verdict != Severity::Error);
    let exit = if all_good { Exit::Done } else { Exit::Failed };
    if as_json {
        let findings: Vec<Value> = found.iter().map(DoctorFinding::in_json).collect();
        terminal.json(&json!({ "ok": all_good, "findings": findings }));
        return exit;
    }
    terminal.line("");
    terminal.line(if all_good && state == ModelState::NotConfigured {
        "Everything a client needs to drive a phone with its own model is there."
    } else if all_good {
        "Everything a task needs is there."
    } else if found.iter().any(|it| it.about == "data" && it.verdict == Severity::Error) {
        // The demo needs the folder too.
        "Fix what is marked PROBLEM."
    } else {
        "Fix what is marked PROBLEM. To try it without a phone and a model: ayeaye demo"
    });
    exit
}

/// What cannot be known of a model whose endpoint cannot be asked, if it cannot.
fn left_unchecked(
    config: &Config,
    checked: &[ayeaye_model::CheckFinding],
) -> Option<DoctorFinding> {
    let is_unasked = |it: &ayeaye_model::CheckFinding| {
        it.subject == CheckSubject::Connection && it.verdict == Severity::Error
    };
    checked.iter().any(is_unasked).then(|| {
        let text = format!(
            "not checked, because the endpoint could not be reached: whether {} is offered there, sees a screen, and taps the right \
             place on it",
            one_line(&config.model.name)
        );
        DoctorFinding::new(Severity::Warning, "model", text)
            .with_hint("once that is fixed, check again")
    })
}

/// Which tools a client is offered now.
fn tools(config: &Config, state: ModelState) -> DoctorFinding {
    let offer = ConnectionTools::new(config.tools, state);
    let text = match (offer.tools.agent, offer.tools.device) {
        (true, true) if state == ModelState::Refused => {
            "clients are offered whole tasks, which fail until the model can be reached, and taps, texts and keys, for \
             their own model to drive until then"
        }
        (true, false) if state == ModelState::Refused => {
            "clients are offered whole tasks, which fail until the model can be reached, and tools that only look"
        }
        _ if offer.client_drives() => {
            "clients are offered taps, texts and keys, for their own model to drive"
        }
        (true, false) => "clients are offered whole tasks, and tools that only look",
        (_, true) => "clients are offered whole tasks, and taps, texts and keys",
        (false, false) => "clients are offered only tools that look",
    };
    let setting = match config.tools {
        ToolChoice::Auto => format!("mcp.tools is auto, now {}", offer.tools),
        ToolChoice::Only(tools) => format!("mcp.tools is {tools}"),
    };
    let text = format!("{text} ({setting})");
    DoctorFinding::new(Severity::Ok, "tools", text)
}

/// Which program says all this: for whoever is shown it.
fn program() -> DoctorFinding {
    let (version, os, arch) = (env!("CARGO_PKG_VERSION"), consts::OS, consts::ARCH);
    DoctorFinding::new(Severity::Ok, "ayeaye", format!("version {version} on {os} {arch}"))
}

fn settings(config: &Config) -> DoctorFinding {
    let text = match &config.file {
        Some(path) => format!("settings from {}", path.display()),
        None => "default settings; `ayeaye config` shows them and where a file would go".to_owned(),
    };
    DoctorFinding::new(Severity::Ok, "settings", text)
}

/// Settings that protect less than they appear to: keys that others can read, and limits that bind nobody.
fn trust(config: &Config) -> Vec<DoctorFinding> {
    let about = "settings";
    let mut findings = Vec::new();
    if let Some(exposed) = config.exposed_keys() {
        let finding = DoctorFinding::new(Severity::Warning, about, exposed.to_string());
        findings.push(finding.with_hint(exposed.way_out()));
    }
    // The tokens themselves are looked at with the other secrets.
    if http::check_tokens(&config.http, &config.data_dir).is_ok()
        && let Err(err) = http::check_narrowed(&config.policy, &config.http, &config.data_dir)
    {
        findings.push(DoctorFinding::new(Severity::Error, about, error_chain(&err)));
    }
    if let Some(mode) = secret::mode_if_others_may_write(&config.data_dir) {
        let folder = config.data_dir.display();
        let text = format!(
            "others may change what is in the data folder {folder} (mode {mode:o}), including tokens and records"
        );
        let finding = DoctorFinding::new(Severity::Warning, "data", text);
        findings.push(finding.with_hint(format!("chmod 700 '{folder}'")));
    }
    findings.extend(outside_profile(config, cfg!(windows)));
    findings
}

/// A data folder that Windows may show to others, as it does most folders outside the user's profile.
fn outside_profile(config: &Config, windows: bool) -> Option<DoctorFinding> {
    let home = config.home.as_deref().filter(|home| windows && !is_in(&config.data_dir, home))?;
    let text = format!(
        "the data folder {} is not in your profile {}: others may be able to read what is there, including tokens, secrets and \
         records",
        config.data_dir.display(),
        home.display()
    );
    Some(DoctorFinding::new(Severity::Warning, "data", text).with_hint(
        "name one in your profile with --data-dir or AYEAYE_DATA_DIR, or let nobody else into it (Properties > Security)",
    ))
}

/// Whether one folder is in another, in capitals or not.
fn is_in(folder: &Path, other: &Path) -> bool {
    let alike = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    alike(folder).starts_with(alike(other))
}

fn data_folder(config: &Config) -> DoctorFinding {
    let folder = &config.data_dir;
    let tried = private_folder(folder, true).and_then(|()| http::try_to_write(folder));
    let floor = config.journal.min_free;
    match tried {
        Ok(()) => match http::free_space(folder) {
            // No session would begin.
            Some(free) if free < floor => DoctorFinding::new(
                Severity::Error,
                "data",
                format!(
                    // As journal.min-free is written.
                    "{} has {} MiB free, and a new session needs {} MiB (journal.min-free)",
                    folder.display(),
                    free >> 20,
                    floor >> 20
                ),
            )
            .with_hint(
                "`ayeaye sessions du` shows what sessions take and `ayeaye sessions rm` removes them; free space on \
                 the disk, or set journal.min-free lower",
            ),
            _ => DoctorFinding::new(Severity::Ok, "data", format!("{} can be written", folder.display())),
        },
        Err(err) if is_without_locks(&err) => {
            let text = format!("files in {} cannot be locked: {err}", folder.display());
            DoctorFinding::new(Severity::Error, "data", text).with_hint(NO_LOCKS)
        }
        Err(err) => DoctorFinding::new(
            Severity::Error,
            "data",
            format!("{} cannot be written: {err}", folder.display()),
        )
        .with_hint(match err.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "free some disk space, or name another folder with --data-dir or AYEAYE_DATA_DIR"
            }
            _ => "make it writable, or name another folder with --data-dir or AYEAYE_DATA_DIR",
        }),
    }
}

/// Which secrets and tokens the server cannot use as they are.
fn secrets(config: &Config) -> Vec<DoctorFinding> {
    let about = "secrets";
    let mut findings = Vec::new();
    if let Err(err) = secret::check(&config.data_dir, STATE_KEY_FILE) {
        findings.push(DoctorFinding::new(Severity::Warning, about, error_chain(&err)).with_hint(
            "`ayeaye serve` works without it, but forms that are open when it ends become invalid",
        ));
    }
    if config.http.token.is_none()
        && let Err(err) = secret::check(&config.data_dir, http::TOKEN_FILE)
    {
        findings.push(DoctorFinding::new(Severity::Error, about, error_chain(&err)).with_hint(
            "`ayeaye serve --http` and `ayeaye ui` cannot start like this; a token of your own in AYEAYE_HTTP_TOKEN \
             needs no file",
        ));
    }
    if let Err(err) = http::check_tokens(&config.http, &config.data_dir) {
        findings.push(DoctorFinding::new(Severity::Error, about, error_chain(&err)).with_hint(
            "`ayeaye serve --http` and `ayeaye ui` cannot start like this; a line of the file is a name, a blank and a \
             token, and http.tokens-file (AYEAYE_HTTP_TOKENS_FILE) names another file",
        ));
    }
    if let Err(err) = SecretFile::of(&config.data_dir).list() {
        findings.push(DoctorFinding::new(Severity::Error, about, error_chain(&err)).with_hint(
            "until then no task of yours begins and no screen is shown, since no kept secret could be hidden",
        ));
    }
    findings
}

/// What a server finds of the issuer, where the settings name one.
async fn issuer(config: &Config, terminal: Terminal) -> Option<DoctorFinding> {
    let settings = config.http.issuer.as_ref()?;
    let _waiting = terminal.waiting("Fetching the issuer's keys");
    Some(match http::check_issuer(settings).await {
        Ok(text) => DoctorFinding::new(Severity::Ok, "issuer", text),
        // The server's own tokens work all the same.
        Err(problem) => DoctorFinding::new(Severity::Warning, "issuer", problem).with_hint(format!(
            "this machine has to reach it; http.issuer is compared with the issuer's metadata to the letter, a `/` at its end too; http.jwks-url \
             names the keys where there is no metadata; {}",
            if SYSTEM_STORE {
                "a CA of your own has to be in the system's store"
            } else {
                "SSL_CERT_FILE names the CA where that is one of your own"
            }
        )),
    })
}

const INSTALL_ADB: &str = "install Android platform-tools (Debian: apt install adb; macOS: brew install \
    android-platform-tools; Windows: winget install Google.PlatformTools, then open a new terminal or restart the \
    client), or set adb.program";

/// The adb program with the first server, and the further servers.
async fn adb_servers(app: &App, config: &Config, listed: bool) -> Vec<DoctorFinding> {
    let Some(adb) = app.adb.as_deref().filter(|adb| adb.has_several_servers()) else {
        return vec![adb_program(config, listed)];
    };
    let mut servers = adb.servers().await.into_iter();
    let first = servers.next().is_some_and(|(_, answer)| answer.is_ok());
    let mut findings = vec![adb_program(config, first)];
    findings.extend(servers.map(|(server, answer)| {
        match answer {
            Ok(_) => {
                DoctorFinding::new(Severity::Ok, "adb", format!("the server at {server} answers"))
            }
            // The phones of the others are there all the same.
            Err(err) => DoctorFinding::new(Severity::Warning, "adb", error_chain(&err))
                .with_hint("start it there, or remove it from adb.servers"),
        }
    }));
    findings
}

/// `answered`: whether an adb server answered. One may run without a program here, for instance on the
/// host of a container.
fn adb_program(config: &Config, answered: bool) -> DoctorFinding {
    let about = "adb";
    let server = &config.adb.server;
    let server = if answered {
        format!("the server at {server} answers")
    } else {
        format!("no answer from the server at {server}")
    };
    if let Err(err) = adb_config(config) {
        return DoctorFinding::new(Severity::Error, about, err.to_string())
            .with_hint("set adb.server to tcp:HOST:PORT or localfilesystem:PATH");
    }
    // No program of this machine starts one there.
    if !answered && is_elsewhere(&config.adb.server) {
        return DoctorFinding::new(Severity::Error, about, server).with_hint(ADB_ELSEWHERE);
    }
    let program = config.adb.program.clone().or_else(|| ayeaye_adb::find_adb(&config.adb.search));
    match (program, answered) {
        (Some(path), true) => {
            DoctorFinding::new(Severity::Ok, about, format!("{}; {server}", path.display()))
        }
        (Some(path), false) => {
            let text = format!("{}; {server}", path.display());
            DoctorFinding::new(Severity::Error, about, text).with_hint(
                "`adb start-server` says why it does not start, `adb kill-server` ends one that hangs; or set adb.server to \
                 another",
            )
        }
        (None, true) => DoctorFinding::new(
            Severity::Ok,
            about,
            format!("{server}; no adb program is needed for that"),
        ),
        (None, false) => {
            DoctorFinding::new(Severity::Error, about, format!("no adb program found; {server}"))
                .with_hint(INSTALL_ADB)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_shows_others_what_is_outside_the_profile() {
        let told = |data_dir: &str, windows| {
            let mut config = Config::isolated(Path::new(data_dir));
            (config.data_dir, config.home) = (data_dir.into(), Some("/Users/Ada".into()));
            outside_profile(&config, windows).map(|it| it.text)
        };
        assert!(told("/data/ayeaye", true).unwrap().contains("/Users/Ada"));
        assert!(told("/Users/Adam/ayeaye", true).is_some());
        assert_eq!(told("/users/ada/AppData/ayeaye", true), None);
        assert_eq!(told("/data/ayeaye", false), None);
    }
}
