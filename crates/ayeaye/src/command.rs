//! The subcommands.
mod asker;
mod bench;
mod called;
mod connect;
pub mod continue_session;
pub mod demo;
pub mod devices;
pub mod doctor;
mod http_client;
pub mod install;
mod keyboard;
pub mod model;
mod model_servers;
mod model_try;
mod pair;
pub mod phone;
mod policy;
mod prompt;
mod repetitions;
mod report;
pub mod run;
mod secret;
pub mod serve;
pub mod sessions;
pub mod setup;
pub mod shell;
mod task;
mod ui;

use std::io::Write as _;
use std::process::ExitCode;

use ayeaye_agent::{AgentError, ReplyMode};

use crate::cli::{self, Command, Model, Policy, Sessions};
use crate::clock;
use crate::command::run::{RunOptions, TaskToRun};
use crate::config::{Config, ConfigError, Environment, Flag};
use crate::hint::{self, Reader};
use crate::mcp::connection_tools::ConnectionTools;
use crate::model_presence::ModelState;
use crate::saved_tasks::SavedTaskError;
use crate::scripted_model::ONLY_STEPS;
use crate::shutdown::Shutdown;
use crate::terminal::{self, Terminal};
use crate::text;
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
    let terminal = Terminal::new(config.no_color, config.dumb_terminal);
    called::remember(start);
    match command {
        Command::Serve(serve) => {
            let app = app(config, serve.virtual_phone, &serve.traits).await?;
            if serve.http.is_some() {
                serve::http(&app, config).await
            } else {
                serve::stdio(&app, config).await
            }
        }
        Command::Ui(ui) => {
            if let Some(opened) = ui::open_running(config, start, &ui, terminal).await? {
                return Ok(opened);
            }
            let app = app(config, ui.virtual_phone, &ui.traits).await?;
            ui::serve_here(&app, config, start, &ui, terminal).await
        }
        Command::Demo(demo) => demo::demo(config, demo.yes, terminal).await,
        Command::Run(wanted) => run_task(config, wanted, terminal).await,
        Command::Task(what) => task::task(what, config, terminal).await,
        Command::Install(args) => install::install(config, start, &args, terminal).await,
        Command::Uninstall(args) => install::uninstall(start, &args, terminal).await,
        Command::Setup(args) => setup::setup(config, start, &args, terminal).await,
        Command::Continue(cli::Continue { id, text, virtual_phone, how }) => {
            let terminal = if how.json { terminal.beside_json() } else { terminal };
            let options = RunOptions::new(config, how.json);
            let named = continue_session::Named { id, virtual_phone };
            Box::pin(continue_session::go_on(config, named, text.as_deref(), options, terminal))
                .await
        }
        Command::Devices { json } => {
            let app = App::new(config).await?;
            Ok(devices::devices(&app, json, terminal).await)
        }
        Command::Connect { address } => {
            let adb = wiring::adb_devices(config)?;
            Ok(connect::connect(&adb, &address, terminal).await)
        }
        Command::Pair { address, code } => pair_phone(config, address, code, terminal).await,
        Command::Disconnect { address } => {
            let adb = wiring::adb_devices(config)?;
            Ok(connect::disconnect(&adb, address.as_deref(), terminal).await)
        }
        Command::Doctor { json } => check_all(config, json, terminal).await,
        Command::Config { json: true } => {
            terminal.json(&config.explain_json());
            Ok(Exit::Done)
        }
        Command::Config { json: false } => show_settings(config, terminal).await,
        Command::Policy(what) => policy(what, config, terminal).await,
        Command::Secret(what) => secret::secret(what, config, terminal).await,
        Command::Model(what) => model(what, config, terminal).await,
        Command::Sessions(what) => sessions(what, config, terminal).await,
        Command::Bench(options) => bench::bench(config, options, terminal).await,
        Command::Phone(phone) => phone::phone(phone, terminal).await,
        Command::Completions { shell } => Ok(shell::completions(shell, terminal)),
        Command::Man { out } => shell::man(out.as_deref(), terminal),
    }
}

async fn run_task(config: &Config, wanted: cli::Run, terminal: Terminal) -> anyhow::Result<Exit> {
    let cli::Run { task: text, device, flags } = wanted;
    let cli::RunFlags { virtual_phone, traits, queue, how, repeat } = flags;
    let terminal = if how.json { terminal.beside_json() } else { terminal };
    let app = app(config, virtual_phone, &traits).await?;
    ensure_model(&app, "ayeaye run", repeat.every.is_some()).await?;
    let device = device.map(ayeaye_agent::DeviceId::new);
    let task = TaskToRun { device, text, replay: None };
    let options = RunOptions { queue, ..RunOptions::new(config, how.json) };
    run_rounds(&app, config, task, options, repeat, terminal).await
}

async fn pair_phone(
    config: &Config,
    address: Option<String>,
    code: Option<String>,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let adb = wiring::adb_devices(config)?;
    let signals = Shutdown::on_signals()?;
    let pairing = pair::pair(&adb, address.as_deref(), code, terminal);
    let Some(exit) = signals.unless_asked(Box::pin(pairing)).await else {
        // The line of a prompt may still be open.
        terminal.line("");
        return Ok(Exit::Failed);
    };
    Ok(exit)
}

async fn check_all(config: &Config, json: bool, terminal: Terminal) -> anyhow::Result<Exit> {
    // A problem with a prompt is shown in addition to everything else.
    let trouble = wiring::model(config).err();
    let usable = match &trouble {
        Some(_) => &config.without_prompt(),
        None => config,
    };
    let app = App::new(usable).await?;
    Ok(doctor::doctor(&app, config, trouble, json, terminal).await)
}

async fn show_settings(config: &Config, terminal: Terminal) -> anyhow::Result<Exit> {
    terminal.verbatim(config.explain().trim_end());
    let model = std::sync::Arc::new(wiring::model(config)?);
    let presence = wiring::presence(config, model);
    let state = presence.state().await;
    let tools = ConnectionTools::new(config.tools, state).tools;
    terminal.verbatim(&format!("\n# now: {} (tools: {tools})", presence.describe(state)));
    Ok(Exit::Done)
}

async fn policy(what: Policy, config: &Config, terminal: Terminal) -> anyhow::Result<Exit> {
    match what {
        Policy::Show { json } => Ok(policy::show(config, json, terminal)),
        Policy::Explain { id, step, json } => {
            let journal = App::new(config).await?.journal;
            let id = sessions::find(&*journal, &id).await?;
            policy::explain(&*journal, id, step, json, terminal).await
        }
    }
}

async fn model(what: Model, config: &Config, terminal: Terminal) -> anyhow::Result<Exit> {
    match what {
        Model::Prompt(what) => prompt::prompt(what, config, terminal).await,
        Model::List { json } => Ok(model::list(config, &wiring::model(config)?, json, terminal)),
        Model::Calibrate { probes, seed, write } => {
            let model = wiring::model(config)?;
            let plan = ayeaye_model::CalibrationPlan { probes, seed };
            model::calibrate(config, &model, plan, write, terminal).await
        }
        Model::Try { pictures, json } => {
            let model = wiring::model(config)?;
            let (pictures, is_set) = (pictures.as_deref(), config.model_is_set());
            model_try::try_out(&model, is_set, pictures, json, terminal).await
        }
    }
}

async fn sessions(what: Sessions, config: &Config, terminal: Terminal) -> anyhow::Result<Exit> {
    let app = App::new(config).await?;
    let journal = &*app.journal;
    match what {
        Sessions::List { limit, json } => sessions::list(&app.agent, limit, json, terminal).await,
        Sessions::Show { id, json } => {
            let id = sessions::find(journal, &id).await?;
            sessions::show(&app.agent, journal, config, id, json, terminal).await
        }
        Sessions::Answer { id, text } => {
            let id = sessions::find(journal, &id).await?;
            sessions::answer(&app.agent, id, &text, terminal).await
        }
        Sessions::Export { id, format, out } => {
            let id = sessions::find(journal, &id).await?;
            sessions::export(&app.journal_files, config, id, format, &out, terminal).await
        }
        Sessions::Du { ids, json } => sessions::room(&app, config, &ids, json, terminal).await,
        Sessions::Rm { ids } => {
            sessions::remove(journal, &wiring::coordinator(config), &ids, terminal).await
        }
    }
}

/// Runs a task, as often as it is to be repeated.
async fn run_rounds(
    app: &App,
    config: &Config,
    task: TaskToRun,
    options: RunOptions,
    repeat: cli::Repeat,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    if refuses_more_than_steps(app, options) {
        return Ok(Exit::Usage);
    }
    let its = app.virtual_phone.as_ref().map(|phone| ayeaye_agent::DeviceId::new(phone.serial()));
    let task = TaskToRun { device: task.device.or(its), ..task };
    // One for all repetitions: a signal that comes between two counts too.
    let signals = Shutdown::on_signals()?;
    // By the time of a repetition the model may be gone. Kept steps do without one.
    let looks = repeat.every.is_some() && task.replay.is_none();
    let once = |answer_by| {
        let (task, options) = (task.clone(), RunOptions { answer_by, ..options });
        let signals = &signals;
        async move {
            if looks {
                refuse_without_model(app, "ayeaye run", app.presence.look().await)?;
            }
            let ended = run::run(app, config, task, options, terminal, signals).await;
            app.tidy_once(config).await;
            ended
        }
    };
    repetitions::repeat_task(repeat, terminal, &clock::system(), &signals, once).await
}

/// Prints that the stand-in cannot be the other parts that a run is to have. False where it need not be any.
fn refuses_more_than_steps(app: &App, options: RunOptions) -> bool {
    let more = options.planner || options.reply_mode == ReplyMode::AutoReply;
    if app.scripted && more {
        let without = "--planner=off and another --reply-mode do without one";
        wrong_usage(&format!("{ONLY_STEPS}; {without}"));
    }
    app.scripted && more
}

/// Whether there is a model, which this command needs. One that refuses now may be there for the next repetition.
async fn ensure_model(app: &App, command: &str, repeats: bool) -> anyhow::Result<()> {
    match app.presence.state().await {
        ModelState::Refused if repeats => Ok(()),
        found => refuse_without_model(app, command, found),
    }
}

/// Fails where no model is there to be handed a task.
fn refuse_without_model(app: &App, command: &str, found: ModelState) -> anyhow::Result<()> {
    match found {
        ModelState::Ready | ModelState::StandIn => Ok(()),
        ModelState::Refused => anyhow::bail!(
            "the model's endpoint {} cannot be reached, and `{command}` needs it\nhint: start the model, or correct \
             model.base-url; `ayeaye doctor` checks it",
            app.presence.endpoint()
        ),
        ModelState::NotConfigured => anyhow::bail!(
            "no model is configured, and `{command}` needs one (none answers at {})\nhint: `ayeaye setup` \
             finds or takes one; with --virtual a stand-in carries out the virtual phone's own tasks; in a client, the \
             client's own model can drive the phone",
            app.presence.endpoint()
        ),
    }
}

/// The app for a task. With a virtual phone and no configured model, the scripted model decides.
async fn app(
    config: &Config,
    virtual_phone: bool,
    traits: &cli::VirtualTraits,
) -> anyhow::Result<App> {
    if !virtual_phone {
        return App::new(config).await;
    }
    let decider =
        if config.model_is_set() { ModelChoice::Configured } else { ModelChoice::Scripted };
    App::with_phone(config, traits.phone(), decider).await
}

/// Prints an error with its causes to stderr.
pub fn print_error(err: &anyhow::Error) -> Exit {
    let text = match err.downcast_ref::<AgentError>() {
        Some(err) => {
            let hint = hint::for_agent_error(err, Reader::Terminal);
            format!("{}{}", ayeaye_agent::error_chain(err), hint::below(&hint))
        }
        None => format!("{err:#}"),
    };
    // Stderr is closed: there is nowhere else to report to.
    let text = terminal::folded_for_stderr(&format!("ayeaye: {}", text::lines(&text)));
    drop(writeln!(std::io::stderr().lock(), "{text}"));
    let is_usage = matches!(err.downcast_ref(), Some(SavedTaskError::Name(_)));
    // Of settings that only their use could tell to be wrong.
    if is_usage || err.is::<ConfigError>() { Exit::Usage } else { Exit::Failed }
}

/// Says on stderr what is wrong with the words of a command, where only doing it could tell.
fn wrong_usage(what: &str) -> Exit {
    print_error(&anyhow::Error::msg(what.to_owned()));
    Exit::Usage
}

/// Prints what the command line asks for instead of a command, such as help, or what is wrong with it.
pub fn print_usage(answer: &clap::Error) -> Exit {
    match (answer.print().and_then(|()| std::io::stdout().flush()), answer.use_stderr()) {
        (_, true) => Exit::Usage,
        (Ok(()), false) => Exit::Done,
        (Err(err), false) => output_lost(err.kind(), &err.to_string()),
    }
}

/// How the program ends when not everything has reached stdout.
pub fn with_output(exit: Exit) -> Exit {
    let Some((kind, text)) = terminal::output_failure() else { return exit };
    let lost = output_lost(kind, text);
    // A code that says more stays.
    if exit == Exit::Done { lost } else { exit }
}

/// A reader that has enough closes the pipe: that is no news to anybody.
fn output_lost(kind: std::io::ErrorKind, text: &str) -> Exit {
    if kind != std::io::ErrorKind::BrokenPipe {
        return print_error(&anyhow::Error::msg(format!("stdout cannot be written to: {text}")));
    }
    Exit::Failed
}
