//! The subcommands.
pub mod demo;
pub mod devices;
pub mod doctor;
mod http_client;
pub mod install;
pub mod model;
pub mod phone;
mod report;
pub mod run;
pub mod serve;
pub mod sessions;
pub mod setup;

use std::process::ExitCode;

use crate::cli::{self, Command, Sessions};
use crate::config::{Config, Environment, Flag};
use crate::terminal::Terminal;
use crate::wiring::{self, App, ModelChoice};

/// How the program ends. Scripts branch on its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// Failure.
    Failed,
    /// The command line or the settings are wrong. Clap exits with the same code.
    Usage,
    /// The task waits for an answer.
    NeedsAnswer,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NeedsAnswer => 3,
        })
    }
}

/// What a command that sets up other programs must know of how this one was started.
#[derive(Debug, Clone)]
pub struct Start {
    /// The environment.
    pub environment: Environment,
    /// The settings of the command line.
    pub flags: Vec<Flag>,
    /// The settings file that the command line names.
    pub file: Option<std::path::PathBuf>,
}

/// Runs a command.
pub async fn dispatch(command: Command, config: &Config, start: &Start) -> anyhow::Result<Exit> {
    let terminal = Terminal::new(config.no_color);
    match command {
        Command::Serve(serve) => {
            let app = app(config, serve.virtual_phone).await?;
            if serve.http.is_some() {
                serve::http(&app, config).await
            } else {
                serve::stdio(&app, config).await
            }
        }
        Command::Demo(demo) => demo::demo(config, demo.yes, terminal).await,
        Command::Run(run) => {
            let app = app(config, run.virtual_phone).await?;
            let device = match (run.device, &app.adb_device) {
                (Some(device), _) => device,
                (None, Some(phone)) => phone.serial().to_owned(),
                (None, None) => anyhow::bail!("name a phone with --device"),
            };
            let task = run::Task {
                device: ayeaye_agent::DeviceId::new(device),
                words: run.task,
                max_steps: config.run.max_steps,
                reply_mode: config.run.reply_mode,
                planner: config.run.planner,
            };
            run::run(&app.agent, config, task, terminal).await
        }
        Command::Install(args) => install::install(config, start, &args, terminal).await,
        Command::Uninstall(args) => install::uninstall(start, &args, terminal).await,
        Command::Setup(args) => setup::setup(config, start, &args, terminal).await,
        Command::Devices => {
            let app = App::new(config).await?;
            Ok(devices::devices(&app.agent, terminal).await)
        }
        Command::Doctor => {
            let app = App::new(config).await?;
            Ok(doctor::doctor(&app, config, terminal).await)
        }
        Command::Config => {
            terminal.line(config.explain().trim_end());
            Ok(Exit::Done)
        }
        Command::Model(what) => {
            let model = wiring::model(config)?;
            match what {
                cli::Model::List { json } => Ok(model::list(config, &model, json, terminal)),
                cli::Model::Calibrate { probes, seed, write } => {
                    let plan = ayeaye_model::CalibrationPlan { probes, seed };
                    model::calibrate(config, &model, plan, write, terminal).await
                }
            }
        }
        Command::Sessions(sessions) => {
            let app = App::new(config).await?;
            match sessions {
                Sessions::List { json } => sessions::list(&*app.journal, json, terminal).await,
                Sessions::Show { id } => sessions::show(&app.agent, config, id, terminal).await,
                Sessions::Answer { id, text } => {
                    sessions::answer(&app.agent, id, &text, terminal).await
                }
                Sessions::Export { id, format, out } => {
                    sessions::export(&app.files, config, (id, format), &out, terminal).await
                }
                Sessions::Rm { ids } => sessions::remove(&*app.journal, &ids, terminal).await,
            }
        }
        Command::Phone(phone) => phone::phone(phone, terminal).await,
    }
}

/// The app for a task. With a virtual phone and no configured model, the scripted model decides.
async fn app(config: &Config, virtual_phone: bool) -> anyhow::Result<App> {
    if !virtual_phone {
        return App::new(config).await;
    }
    let decider =
        if config.model_is_set() { ModelChoice::Configured } else { ModelChoice::Scripted };
    let app = App::with_virtual_phone(config, decider).await?;
    if app.scripted {
        tracing::info!(
            "no model is configured: a stand-in decides, which knows the virtual phone only"
        );
    }
    Ok(app)
}

/// Prints an error with its causes to stderr.
pub fn print_error(err: &anyhow::Error) -> Exit {
    use std::io::Write as _;
    let text = match err.downcast_ref::<ayeaye_agent::AgentError>() {
        Some(err) => crate::mcp::tool_error::explain_agent_error(err),
        None => format!("{err:#}"),
    };
    let written = writeln!(std::io::stderr().lock(), "ayeaye: {text}");
    // Stderr is closed: there is nowhere else to report to.
    drop(written);
    Exit::Failed
}
