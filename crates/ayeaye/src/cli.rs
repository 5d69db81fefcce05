//! The command line: flags and subcommands. What they do is in [`command`](crate::command).
mod bench;
mod every;
mod help;
mod install;
mod policy;
mod prompt;
mod run;
mod secret;
mod session_name;
mod sessions;
mod setup;
mod task;
#[cfg(test)]
mod tests;
mod tip;
mod ui;
mod virtual_phone;

use std::path::PathBuf;

use ayeaye_model::CalibrationPlan;
use clap::{Args, FromArgMatches as _, Parser, Subcommand};

use self::bench::BENCH_EXAMPLES;
pub use self::bench::Bench;
pub use self::every::{Every, InvalidEvery, Repeat};
pub use self::help::command_line;
use self::install::INSTALL_EXAMPLES;
pub use self::install::{EntryArgs, Install, Uninstall};
pub use self::policy::Policy;
pub use self::prompt::{ImportPrompt, PromptCommand};
use self::run::{CONTINUE_EXAMPLES, RUN_EXAMPLES};
pub use self::run::{Continue, Demo, HowToRun, Run, RunFlags};
pub use self::secret::SecretCommand;
pub use self::session_name::{InvalidSessionName, SessionName};
pub use self::sessions::Sessions;
use self::setup::SETUP_EXAMPLES;
pub use self::setup::{ClientChoice, KeyboardChoice, Setup};
pub use self::task::{RunTask, SaveTask, TaskCommand};
use self::ui::UI_EXAMPLES;
pub use self::ui::Ui;
pub use self::virtual_phone::{FaultFlag, Phone, VirtualTraits, phone};
use crate::config::{Flag, Listen, ValueError};

const EXAMPLES: &str = "\
Examples:
  ayeaye demo --yes                            see it work: no phone, no model, nothing to install
  ayeaye doctor                                what is missing on this machine, and how to fix it
  ayeaye model list                            which models are known, and which family yours is
  ayeaye serve                                 MCP on stdio, as clients start it
  ayeaye serve --http 127.0.0.1:8642           MCP at http://127.0.0.1:8642/mcp
  ayeaye run 'Open the settings'               on the phone that is connected

Exit codes: 0 done, 1 failed, 2 usage, 3 the task needs an answer.
Settings come from flags, the environment (AYEAYE_…) and ayeaye.toml; `ayeaye config` shows them.";

/// An MCP server that hands tasks to Android phones.
#[derive(Debug, Parser)]
#[command(name = "ayeaye", bin_name = "ayeaye", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    settings: SettingFlags,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes, and that the help of `ayeaye` alone shows. There are none for keys
/// and tokens: a command line is read by every process of the machine.
#[derive(Debug, Args)]
struct SettingFlags {
    /// Read this settings file; it must exist
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder for sessions and everything that belongs to them
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<String>,
    /// The root of the model's API, up to and including `/v1`
    #[arg(long, global = true, value_name = "URL")]
    model_base_url: Option<String>,
    /// The model's name, as its endpoint knows it
    #[arg(long, global = true, value_name = "NAME")]
    model_name: Option<String>,
    /// The model's family, if its name does not tell
    #[arg(long, global = true, value_name = "PROFILE")]
    model_profile: Option<String>,
    /// What to log on stderr, such as `debug` or `info,ayeaye_adb=trace`
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
}

/// What the program can do. `help.rs` puts them in groups.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve MCP on stdio, or with --http over Streamable HTTP
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Show phones and sessions in the browser, live, and act there
    #[command(after_help = UI_EXAMPLES)]
    Ui(Ui),
    /// Do a task on the virtual phone with a stand-in for the model, from start to finish
    Demo(Demo),
    /// Do one task from the terminal; questions are asked there
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Set up phone, model and client, one after the other, and do a task
    #[command(after_help = SETUP_EXAMPLES)]
    Setup(Setup),
    /// Add this server to an MCP client; without CLIENT, say which are on this machine
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(Install),
    /// Remove this server from an MCP client again
    Uninstall(Uninstall),
    /// Continue a session: answer its question, advise it, give it the next task
    #[command(after_help = CONTINUE_EXAMPLES)]
    Continue(Continue),
    /// List the phones
    Devices {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Connect a phone that listens on the network
    #[command(after_help = CONNECT_EXAMPLES)]
    Connect {
        /// Its address, as the phone shows it under Wireless debugging, or its mDNS name; the port is 5555 if left out
        #[arg(value_name = "HOST[:PORT]")]
        address: String,
    },
    /// Pair with a phone over Wi-Fi, by a QR code shown here or by the code that the phone shows
    #[command(after_help = PAIR_EXAMPLES)]
    Pair {
        /// The address that the phone shows beside its pairing code; without it a QR code is shown here
        #[arg(value_name = "HOST:PORT")]
        address: Option<String>,
        /// The pairing code; without it you are asked
        #[arg(requires = "address")]
        code: Option<String>,
    },
    /// Disconnect a phone from the network, or all of them
    #[command(after_help = DISCONNECT_EXAMPLES)]
    Disconnect {
        /// Its address or mDNS name, as `ayeaye devices` prints it; without it all phones on the network
        #[arg(value_name = "HOST[:PORT]")]
        address: Option<String>,
    },
    /// Check everything that a task needs, and say how to fix what is wrong
    Doctor {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Show every setting, its value, and where that comes from
    Config {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// List the families of models; try a model; find out which coordinates it uses
    #[command(subcommand)]
    Model(Model),
    /// Show what is done on phones without asking, and why an act was asked about or refused
    #[command(subcommand)]
    Policy(Policy),
    /// Store secrets that a task can name and that no model sees
    #[command(subcommand)]
    Secret(SecretCommand),
    /// Save tasks under a name, with slots for what differs, and repeat them
    #[command(subcommand)]
    Task(TaskCommand),
    /// Look at sessions, answer them, export them
    #[command(subcommand)]
    Sessions(Sessions),
    /// Measure what a step costs besides the model
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Run a virtual phone for `adb connect`
    #[command(after_help = virtual_phone::help())]
    Phone(Phone),
    /// Print a script that makes a shell complete commands and flags
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them into a folder
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Write a page for each command into this folder, such as ~/.local/share/man/man1
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

const SERVE_EXAMPLES: &str = "\
Examples:
  ayeaye serve
  ayeaye serve --virtual
  ayeaye serve --tools agent,device
  ayeaye serve --http 127.0.0.1:8642";

const CONNECT_EXAMPLES: &str = "\
Examples:
  ayeaye connect 192.168.1.20:41235      the address on the phone's Wireless debugging page

A phone that has never met this computer is paired first: ayeaye pair";

const PAIR_EXAMPLES: &str = "\
Examples:
  ayeaye pair                                 shows a QR code to scan with the phone
  ayeaye pair 192.168.1.20:37123 482913       address and code, as the phone shows them

Both are on the phone (Android 11 and newer) under Developer options > Wireless debugging.";

const DISCONNECT_EXAMPLES: &str = "\
Examples:
  ayeaye disconnect 192.168.1.20:41235
  ayeaye disconnect                      all phones on the network; those on a cable stay";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  ayeaye completions bash > ~/.local/share/bash-completion/completions/ayeaye
  ayeaye completions zsh > ~/.zfunc/_ayeaye
  ayeaye completions fish > ~/.config/fish/completions/ayeaye.fish
  ayeaye completions elvish > ~/.config/elvish/lib/ayeaye.elv      and `use ayeaye` in rc.elv
  ayeaye completions powershell | Out-String | Invoke-Expression   a line for PowerShell's $PROFILE";

const MAN_EXAMPLES: &str = "\
Examples:
  ayeaye man | man -l -
  ayeaye man --out ~/.local/share/man/man1";

const TRY_EXAMPLES: &str = "\
Examples:
  ayeaye model try
  ayeaye model try --model-base-url http://127.0.0.1:8000/v1 --model-name ui-tars-1.5-7b
  ayeaye model try --pictures pictures      and keep what it was shown

Each screen is one call. An answer is right, near (the right kind of act, just beside its target), wrong, \
unreadable, or the call failed. Exit codes: 0 the model can be trusted: at least 8 of 10 are right, and it \
neither claimed that something was done that was not, nor obeyed a text on the screen. 1 it cannot be trusted, \
or could not be asked. 2 usage.";

/// `ayeaye serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Listen here instead of on stdio: IP:PORT, a port, or `unix:/PATH`; without ADDR, at
    /// http.listen
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "", value_parser = http_address)]
    pub http: Option<String>,
    /// Add a virtual phone; if no model is configured it is the only one, and a stand-in decides
    #[arg(long = "virtual")]
    pub virtual_phone: bool,
    #[command(flatten)]
    pub traits: VirtualTraits,
    /// Let a host agent split up each request over the phone's apps
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on",
        require_equals = true)]
    planner: Option<String>,
    /// Offer these tools: read-only, agent, device, manage or all, or several with commas; or auto,
    /// depending on whether there is a model
    #[arg(long, value_name = "TOOLS")]
    pub tools: Option<String>,
}

/// `ayeaye model`.
#[derive(Debug, Subcommand)]
pub enum Model {
    /// List the known families of models, and the one the model is taken for
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Have the model tap marks in pictures, and find out which coordinates it uses
    Calibrate {
        /// How many marks; each is a call to the model
        #[arg(long, value_name = "N", default_value_t = CalibrationPlan::DEFAULT.probes,
              value_parser = clap::value_parser!(u32).range(i64::from(CalibrationPlan::MIN_PROBES)..=i64::from(CalibrationPlan::MAX_PROBES)))]
        probes: u32,
        /// The same seed makes the same pictures
        #[arg(long, value_name = "N", default_value_t = CalibrationPlan::DEFAULT.seed)]
        seed: u64,
        /// Write the result into the settings file
        #[arg(long)]
        write: bool,
    },
    /// Show the model ten screens of virtual phones, and see whether it can be trusted with a real one
    #[command(after_help = TRY_EXAMPLES)]
    Try {
        /// Also write the pictures that the model is sent into this folder
        #[arg(long, value_name = "DIR")]
        pictures: Option<PathBuf>,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Use the prompt a model was trained with, from your own checkout of its repository
    #[command(subcommand)]
    Prompt(PromptCommand),
}

impl Cli {
    /// Reads the command line of this process; `columns` as wide help is at most. What is to be printed
    /// instead, such as help, is the error.
    pub fn read(columns: Option<usize>) -> Result<Self, clap::Error> {
        let mut command = command_line(columns);
        let matches =
            command.try_get_matches_from_mut(std::env::args_os()).map_err(tip::with_tip)?;
        Self::from_arg_matches(&matches).map_err(|err| err.format(&mut command))
    }

    /// The settings file that the command line names.
    pub fn config_file(&self) -> Option<&std::path::Path> {
        self.settings.config.as_deref()
    }

    /// The settings on the command line, for [`Config::load`](crate::config::Config::load).
    pub fn flags(&self) -> Vec<Flag> {
        let SettingFlags { config: _, data_dir, model_base_url, model_name, model_profile, log } =
            &self.settings;
        let mut settings = vec![
            ("data-dir", "--data-dir", data_dir),
            ("model.base-url", "--model-base-url", model_base_url),
            ("model.name", "--model-name", model_name),
            ("model.profile", "--model-profile", model_profile),
            ("log", "--log", log),
        ];
        match &self.command {
            Command::Serve(Serve { http, tools, planner, .. }) => {
                settings.push(("run.planner", "--planner", planner));
                settings.push(("http.listen", "--http", http));
                settings.push(("mcp.tools", "--tools", tools));
            }
            Command::Run(Run { flags: RunFlags { how, .. }, .. })
            | Command::Continue(Continue { how, .. })
            | Command::Task(TaskCommand::Run(RunTask { flags: RunFlags { how, .. }, .. })) => {
                let HowToRun { max_steps, reply_mode, planner, json: _ } = how;
                settings.push(("run.planner", "--planner", planner));
                settings.push(("run.max-steps", "--max-steps", max_steps));
                settings.push(("run.reply-mode", "--reply-mode", reply_mode));
            }
            Command::Install(Install { tools, .. }) => {
                settings.push(("mcp.tools", "--tools", tools));
            }
            Command::Ui(_)
            | Command::Demo(_)
            | Command::Setup(_)
            | Command::Uninstall(_)
            | Command::Devices { .. }
            | Command::Connect { .. }
            | Command::Pair { .. }
            | Command::Disconnect { .. }
            | Command::Doctor { .. }
            | Command::Config { .. }
            | Command::Model(_)
            | Command::Policy(_)
            | Command::Secret(_)
            | Command::Task(_)
            | Command::Sessions(_)
            | Command::Bench(_)
            | Command::Phone(_)
            | Command::Completions { .. }
            | Command::Man { .. } => {}
        }
        settings
            .into_iter()
            .filter_map(|(key, name, value)| {
                // `--http` alone names no address.
                let value =
                    value.clone().filter(|value| !(key == "http.listen" && value.is_empty()))?;
                Some(Flag { key, name, value })
            })
            .collect()
    }
}

/// Checks the address of `--http`, which may be left out.
fn http_address(text: &str) -> Result<String, ValueError> {
    if !text.is_empty() {
        text.parse::<Listen>()?;
    }
    Ok(text.to_owned())
}
