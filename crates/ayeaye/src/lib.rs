//! The server and the command line. From the outside in: what the user says ([`cli`], [`config`]),
//! the parts put together ([`wiring`]), what clients call ([`mcp`]) and where ([`stdio`], [`http`]), the
//! subcommands ([`command`]), and how all of it ends ([`shutdown`]).
pub mod cli;
pub mod config;

pub mod scripted_model;
pub mod wiring;

pub mod mcp;

pub mod http;
pub mod stdio;

pub mod command;
pub mod terminal;

pub mod log;
pub mod shutdown;
#[cfg(test)]
mod testing;

use cli::{Cli, Command, Exit, Sessions};
use config::{Config, Environment};
use wiring::{App, ModelChoice};

/// Does what the command line says.
pub fn run(cli: Cli) -> anyhow::Result<Exit> {
    let environment = Environment::read();
    let config = match Config::settle(&cli.flags(), cli.config_file(), &environment) {
        Ok(config) => config,
        Err(err) => {
            complain(&err.into());
            return Ok(Exit::Usage);
        }
    };
    // Between the lines of a terminal command only trouble is worth a line, unless the user asks.
    let served = matches!(cli.command, Command::Serve(_));
    let filter = if served || config.log_is_chosen() { &config.log } else { "warn" };
    if let Err(err) = log::to_stderr(filter, config.no_color) {
        complain(&err.into());
        return Ok(Exit::Usage);
    }
    for note in &config.notes {
        tracing::warn!("{note}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let exit = runtime.block_on(dispatch(cli.command, &config));
    // A thread may still wait for a line of stdin that never comes.
    runtime.shutdown_background();
    exit
}

async fn dispatch(command: Command, config: &Config) -> anyhow::Result<Exit> {
    let terminal = terminal::Terminal::new(config.no_color);
    match command {
        Command::Serve(serve) => {
            let app = app(config, serve.virtual_phone).await?;
            if serve.http.is_some() {
                command::serve::http(&app, config).await
            } else {
                command::serve::stdio(&app, config).await
            }
        }
        Command::Demo(demo) => command::demo::demo(config, demo.yes, terminal).await,
        Command::Run(run) => {
            let app = app(config, run.virtual_phone).await?;
            let device = match (run.device, &app.adb_device) {
                (Some(device), _) => device,
                (None, Some(adb_device)) => adb_device.serial().to_owned(),
                (None, None) => anyhow::bail!("name a phone with --device"),
            };
            let task = command::run::Task {
                device: ayeaye_agent::DeviceId::new(device),
                words: run.task,
                max_steps: config.run.max_steps,
                reply_mode: config.run.reply_mode,
                planner: config.run.planner,
            };
            command::run::run(&app.agent, config, task, terminal).await
        }
        Command::Devices => {
            let app = App::new(config).await?;
            Ok(command::devices::devices(&app.agent, terminal).await)
        }
        Command::Doctor => {
            let app = App::new(config).await?;
            Ok(command::doctor::doctor(&app, config, terminal).await)
        }
        Command::Config => {
            terminal.line(config.explain().trim_end());
            Ok(Exit::Done)
        }
        Command::Model(what) => {
            let model = wiring::model(config)?;
            match what {
                cli::Model::List { json } => {
                    Ok(command::model::list(config, &model, json, terminal))
                }
                cli::Model::Calibrate { probes, seed, write } => {
                    let plan = ayeaye_model::CalibrationPlan { probes, seed };
                    command::model::calibrate(config, &model, plan, write, terminal).await
                }
            }
        }
        Command::Sessions(sessions) => {
            let app = App::new(config).await?;
            match sessions {
                Sessions::List { json } => {
                    command::sessions::list(&*app.journal, json, terminal).await
                }
                Sessions::Show { id } => {
                    command::sessions::show(&app.agent, config, id, terminal).await
                }
                Sessions::Answer { id, text } => {
                    command::sessions::answer(&app.agent, id, &text, terminal).await
                }
                Sessions::Export { id, format, out } => {
                    let format = format.into();
                    command::sessions::export(&app.files, config, (id, format), &out, terminal)
                        .await
                }
                Sessions::Rm { ids } => {
                    command::sessions::remove(&*app.journal, &ids, terminal).await
                }
            }
        }
        Command::Phone(phone) => command::phone::phone(phone, terminal).await,
        Command::Bench(bench) => {
            if let Some(steps) = bench.long {
                return command::bench::long(config, steps, terminal).await;
            }
            let plan = command::bench::Plan {
                taps: bench.steps,
                device: bench.device.map(ayeaye_agent::DeviceId::new),
                at: bench.at,
            };
            command::bench::bench(config, plan, terminal).await
        }
    }
}

/// The parts for a task. With a virtual phone and no model of the user's own, the stand-in decides.
async fn app(config: &Config, virtual_phone: bool) -> anyhow::Result<App> {
    if !virtual_phone {
        return App::new(config).await;
    }
    let decider =
        if config.model_is_chosen() { ModelChoice::Configured } else { ModelChoice::Scripted };
    let app = App::with_virtual_phone(config, decider).await?;
    if app.scripted {
        tracing::info!(
            "no model is configured: a stand-in decides, which knows the virtual phone only"
        );
    }
    Ok(app)
}

/// An error on stderr, with its causes.
pub fn complain(err: &anyhow::Error) -> Exit {
    use std::io::Write as _;
    let text = match err.downcast_ref::<ayeaye_agent::AgentError>() {
        Some(err) => mcp::tool_error::explain_agent_error(err),
        None => format!("{err:#}"),
    };
    let written = writeln!(std::io::stderr().lock(), "ayeaye: {text}");
    // Nobody is left to tell.
    drop(written);
    Exit::Failed
}
