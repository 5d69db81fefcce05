//! `ayeaye doctor`: everything a task needs, checked at once, each with the way to fix it.
use ayeaye_agent::{DeviceEntry, DeviceId, Principal, error_chain};
use ayeaye_model::Severity;

use crate::command::Exit;
use crate::config::Config;
use crate::mcp::tool_error::device_hint;
use crate::terminal::Terminal;
use crate::text::{lines, one_line};
use crate::wiring::{App, adb_config};

/// One finding.
struct Finding {
    verdict: Severity,
    about: &'static str,
    text: String,
    hint: String,
}

impl Finding {
    fn print(&self, terminal: Terminal) {
        let mark = match self.verdict {
            Severity::Ok => "ok     ",
            Severity::Warning => "unsure ",
            Severity::Error => "PROBLEM",
        };
        terminal.line(&format!("{mark}  {:<9} {}", self.about, lines(&self.text)));
        if !self.hint.is_empty() {
            terminal.line(&format!("         {:<9} -> {}", "", lines(&self.hint)));
        }
    }
}

fn of_model(finding: &ayeaye_model::Finding) -> Finding {
    Finding {
        verdict: finding.verdict,
        about: "model",
        text: finding.text.clone(),
        hint: String::new(),
    }
}

/// Says what is found of a model.
pub(super) fn tell_model(finding: &ayeaye_model::Finding, terminal: Terminal) {
    of_model(finding).print(terminal);
}

/// Says what is found of adb and the phones; returns those that a task can be given.
pub(super) async fn tell_phones(app: &App, config: &Config, terminal: Terminal) -> Vec<DeviceId> {
    let (phones, entries) = phones(app).await;
    adb_program(config, phones.answered).print(terminal);
    phones.finding.print(terminal);
    let mut ready = Vec::new();
    for entry in entries {
        let finding = phone(app, &entry).await;
        finding.print(terminal);
        if finding.verdict != Severity::Error {
            ready.push(entry.id);
        }
    }
    ready
}

/// Checks everything. Fails when a task on a phone could not work.
pub async fn doctor(app: &App, config: &Config, terminal: Terminal) -> Exit {
    let mut all_good = true;
    let mut tell = |finding: Finding| {
        all_good &= finding.verdict != Severity::Error;
        finding.print(terminal);
    };
    tell(settings(config));
    tell(data_folder(config));
    let (phones, entries) = phones(app).await;
    tell(adb_program(config, phones.answered));
    tell(phones.finding);
    for entry in &entries {
        tell(phone(app, entry).await);
    }
    for finding in app.model.check().await {
        tell(of_model(&finding));
    }
    terminal.line("");
    if all_good {
        terminal.line("Everything that a task needs is there.");
        Exit::Done
    } else {
        terminal
            .line("Fix what is marked PROBLEM. To try without a phone and a model: ayeaye demo");
        Exit::Failed
    }
}

fn settings(config: &Config) -> Finding {
    let text = match &config.file {
        Some(path) => format!("settings from {}", path.display()),
        None => "default settings; `ayeaye config` shows them and where a file would go".to_owned(),
    };
    Finding { verdict: Severity::Ok, about: "settings", text, hint: String::new() }
}

fn data_folder(config: &Config) -> Finding {
    let folder = &config.data_dir;
    let probe = folder.join(".doctor");
    let tried = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, b"ok"))
        .and_then(|()| std::fs::remove_file(&probe));
    match tried {
        Ok(()) => Finding {
            verdict: Severity::Ok,
            about: "data",
            text: format!("{} can be written", folder.display()),
            hint: String::new(),
        },
        Err(err) => Finding {
            verdict: Severity::Error,
            about: "data",
            text: format!("{} cannot be written: {err}", folder.display()),
            hint: "make it writable, or name another with --data-dir or AYEAYE_DATA_DIR".to_owned(),
        },
    }
}

/// `answered`: whether an adb server answered.
fn adb_program(config: &Config, answered: bool) -> Finding {
    let server = &config.adb.server;
    let server = if answered {
        format!("the server at {server} answers")
    } else {
        format!("no answer from the server at {server}")
    };
    let program = config.adb.program.clone().or_else(|| ayeaye_adb::find_adb(&config.adb.search));
    match (program, adb_config(config)) {
        (_, Err(err)) => Finding {
            verdict: Severity::Error,
            about: "adb",
            text: err.to_string(),
            hint: "set adb.server to tcp:HOST:PORT or localfilesystem:PATH".to_owned(),
        },
        (Some(path), Ok(_)) => Finding {
            verdict: Severity::Ok,
            about: "adb",
            text: format!("{}; {server}", path.display()),
            hint: String::new(),
        },
        (None, Ok(_)) => Finding {
            // A server may run all the same, for instance on the host of a container.
            verdict: Severity::Ok,
            about: "adb",
            text: format!("no adb program found; {server}"),
            hint: "install Android platform-tools (Debian: apt install adb; macOS: brew install \
                   android-platform-tools; Windows: winget install Google.PlatformTools), or set adb.program"
                .to_owned(),
        },
    }
}

/// The result of looking for phones.
struct Phones {
    finding: Finding,
    answered: bool,
}

async fn phones(app: &App) -> (Phones, Vec<DeviceEntry>) {
    let listing = app.agent.devices(&Principal::operator()).await;
    let answered = listing.is_ok();
    let (finding, entries) = told(listing);
    (Phones { finding, answered }, entries)
}

fn told(
    listing: Result<Vec<(DeviceEntry, ayeaye_agent::DeviceHolder)>, ayeaye_agent::DeviceError>,
) -> (Finding, Vec<DeviceEntry>) {
    match listing {
        Err(err) => {
            let hint = device_hint(&err).to_owned();
            (
                Finding {
                    verdict: Severity::Error,
                    about: "phones",
                    text: error_chain(&err),
                    hint,
                },
                Vec::new(),
            )
        }
        Ok(devices) if devices.is_empty() => (
            Finding {
                verdict: Severity::Error,
                about: "phones",
                text: "the adb server runs, no phone is connected".to_owned(),
                hint:
                    "plug a phone in; on it: Settings > About phone, tap Build number seven times, \
                       then Developer options > USB debugging"
                        .to_owned(),
            },
            Vec::new(),
        ),
        Ok(devices) => {
            let entries: Vec<_> = devices.into_iter().map(|(entry, _)| entry).collect();
            let text = format!("{} connected", entries.len());
            (Finding { verdict: Severity::Ok, about: "phones", text, hint: String::new() }, entries)
        }
    }
}

async fn phone(app: &App, entry: &DeviceEntry) -> Finding {
    let about = "phone";
    let name = one_line(entry.id.as_str());
    if !entry.ready {
        let hint = entry.hint.clone().unwrap_or_default();
        return Finding {
            verdict: Severity::Error,
            about,
            text: format!("{name} is {}", entry.state),
            hint,
        };
    }
    match look(app, &entry.id).await {
        Ok(text) => Finding {
            verdict: Severity::Ok,
            about,
            text: format!("{name}: {text}"),
            hint: entry.hint.clone().unwrap_or_default(),
        },
        Err(err) => {
            let hint = device_hint(&err).to_owned();
            Finding {
                verdict: Severity::Error,
                about,
                text: format!("{name}: {}", error_chain(&err)),
                hint,
            }
        }
    }
}

/// Times what a step would do first.
async fn look(app: &App, id: &DeviceId) -> Result<String, ayeaye_agent::DeviceError> {
    let device = app.agent.device(id).await?;
    let info = device.info().await?;
    let begun = tokio::time::Instant::now();
    let frame = device.capture().await?;
    let took = begun.elapsed();
    let state = device.state().await?;
    let mut text = format!(
        "{}, Android {}, a capture of {} in {} ms",
        one_line(&info.model),
        one_line(&info.android_version),
        frame.size(),
        took.as_millis()
    );
    if !state.awake {
        text.push_str("; the screen is off");
    } else if state.locked {
        text.push_str("; it is locked: unlock it, or remove the lock");
    } else if frame.is_black() {
        text.push_str("; but the capture is black: an app protects its screen");
    }
    Ok(text)
}
