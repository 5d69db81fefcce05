//! Settings: read from flags, environment and file, settled once into plain values.
//!
//! Stronger first: flags, environment, the user's `ayeaye.toml`, the defaults embedded from
//! `default-config.toml`. [`Environment::read`] is the only place in the project that reads the
//! environment; everything after it is handed around and can be tested with a map.
//!
//! A settings file in the working directory is never read. Clients start the server in folders that
//! others made (a checkout, a download), and such a file could send screenshots to another model.
mod environment;
mod explain;
mod layer;
mod listen;
mod paths;
mod price;
mod setting;
mod settle;
mod tool_set;
mod value;
mod web_names;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

pub use environment::Environment;
pub use layer::Origin;
pub use listen::{Listen, socket_address};
pub use price::PriceTable;
pub use tool_set::ToolSet;
pub use value::is_loopback;
pub use web_names::{HostName, WebOrigin};

use ayeaye_agent::journal::{Retention, SyncPolicy};
use ayeaye_agent::{Prices, PrivacySettings, ReplyMode};
use ayeaye_export::LogSettings;
use ayeaye_model::{CoordSystem, Profile};

use layer::{Given, Layer, Raw};
use settle::Stack;

use crate::secret::Secret;

/// The most steps that one call may ask for.
pub const MAX_STEPS: u32 = 500;

/// All settings, settled.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder for sessions and what belongs to them.
    pub data_dir: PathBuf,
    /// What is logged, in the syntax of tracing's `EnvFilter`.
    pub log: String,
    /// The model.
    pub model: ModelSettings,
    /// Runs and calls.
    pub run: RunSettings,
    /// What is kept of sessions, and for how long.
    pub journal: JournalSettings,
    /// The logs that are written for others' tools while sessions run.
    pub logs: LogSettings,
    /// The adb server.
    pub adb: AdbSettings,
    /// Which tools clients are offered.
    pub tools: ToolSet,
    /// MCP over HTTP.
    pub http: HttpSettings,
    /// The settings file that was read.
    pub file: Option<PathBuf>,
    /// Where a settings file would have been read.
    pub usual_file: Option<PathBuf>,
    /// Whether the user asked for texts without colour (`NO_COLOR`).
    pub no_color: bool,
    /// Odd things that stop nothing, to be logged once logging is there.
    pub notes: Vec<String>,
    given: Vec<Option<Given>>,
}

/// Where the model is and how it is called.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    pub base_url: Url,
    pub name: String,
    pub api_key: Option<Secret>,
    /// The model family, when the name does not tell.
    pub profile: Option<Profile>,
    /// What its coordinates are, when the family does not tell.
    pub coordinates: Option<CoordSystem>,
    /// Most pixels of a picture.
    pub max_pixels: Option<u32>,
    pub connect_timeout: Duration,
    pub first_byte_timeout: Duration,
    /// For the whole answer.
    pub timeout: Duration,
    /// Further tries after the first.
    pub retries: u32,
    pub stream: bool,
    /// What its calls cost, when the user said.
    pub prices: Option<Prices>,
    /// What calls of models cost, by their names.
    pub price_table: PriceTable,
    /// Splits requests over apps.
    pub plan: RoleSettings,
    /// Answers as the user would.
    pub reply: RoleSettings,
    /// Puts the last screen into words.
    pub caption: RoleSettings,
    /// Judges.
    pub judge: RoleSettings,
    /// Goes on when the model that acts fails.
    pub fallback: RoleSettings,
}

/// What is said of the model for one part; what is not said is as with the one that acts.
#[derive(Debug, Clone, Default)]
pub struct RoleSettings {
    pub name: Option<String>,
    pub base_url: Option<Url>,
    pub api_key: Option<Secret>,
    pub profile: Option<Profile>,
}

impl RoleSettings {
    /// Whether nothing is said of it.
    pub fn is_empty(&self) -> bool {
        let Self { name, base_url, api_key, profile } = self;
        name.is_none() && base_url.is_none() && api_key.is_none() && profile.is_none()
    }
}

/// The limits of runs, and how tool calls wait for them.
#[derive(Debug, Clone)]
pub struct RunSettings {
    pub max_steps: u32,
    pub session_max_steps: u32,
    pub time_limit: Duration,
    /// Prompt and completion together.
    pub token_budget: Option<u64>,
    /// US dollars of one session; calls of unknown price count as free.
    pub cost_budget: Option<f64>,
    pub reply_mode: ReplyMode,
    pub wait: Duration,
    pub wait_with_progress: Duration,
    pub first_look: Duration,
    pub settle_limit: Duration,
    pub device_wait: Duration,
    pub evaluate: Evaluate,
    /// Whether the screen that ends a run is put into words.
    pub caption: bool,
    /// Whether a host agent splits requests up over apps.
    pub planner: bool,
}

/// When a model judges whether a request was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluate {
    Off,
    /// After each round.
    Round,
    /// After each run that has ended a round, for the session so far.
    Session,
    Both,
}

impl Evaluate {
    /// Every choice, by its word in settings.
    pub const ALL: [(&'static str, Self); 4] = [
        ("off", Self::Off),
        ("round", Self::Round),
        ("session", Self::Session),
        ("both", Self::Both),
    ];

    /// Whether rounds are judged.
    pub fn rounds(self) -> bool {
        matches!(self, Self::Round | Self::Both)
    }

    /// Whether sessions are judged.
    pub fn sessions(self) -> bool {
        matches!(self, Self::Session | Self::Both)
    }
}

/// What is kept of sessions, and for how long.
#[derive(Debug, Clone)]
pub struct JournalSettings {
    pub privacy: PrivacySettings,
    pub sync: SyncPolicy,
    /// Bytes that must be free for a new session.
    pub min_free: u64,
    /// Bytes of one session, at which its runs stop.
    pub max_session_size: u64,
    pub retention: Retention,
}

/// Where the adb server is and how it may be started.
#[derive(Debug, Clone)]
pub struct AdbSettings {
    /// `tcp:HOST:PORT` or `localfilesystem:PATH`.
    pub server: String,
    pub start_server: bool,
    /// The program, when one was named.
    pub program: Option<PathBuf>,
    /// Absolute folders to look for it in otherwise.
    pub search: Vec<PathBuf>,
}

/// MCP over HTTP.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub listen: Listen,
    /// What clients must send, when the user chose it.
    pub token: Option<Secret>,
    /// The file of named tokens, when the user chose it.
    pub tokens_file: Option<PathBuf>,
    pub allowed_hosts: Vec<HostName>,
    pub allowed_origins: Vec<WebOrigin>,
    /// What clients call this server, when it is behind a proxy: scheme, host and port.
    pub public_url: Option<Url>,
    /// Who issues tokens beside this server.
    pub issuer: Option<IssuerSettings>,
    /// In bytes.
    pub body_limit: usize,
    /// Requests of one principal in a minute; 0 for any number.
    pub rate_limit: u32,
    /// Wrong tokens from one address in a minute; 0 for any number.
    pub wrong_tokens: u32,
}

/// Who issues tokens beside this server.
#[derive(Debug, Clone)]
pub struct IssuerSettings {
    /// Its name and address, as its tokens say it.
    pub name: String,
    /// Whom its tokens must be for, when that is not this server's URL.
    pub audience: Option<String>,
    /// Where its keys are, when its metadata does not say.
    pub keys: Option<Url>,
}

/// A setting said on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The setting, as it is called in the file.
    pub key: &'static str,
    /// The flag, as the user typed it.
    pub name: &'static str,
    /// What it said.
    pub value: String,
}

/// Why there are no settings. All of these are for the user to mend: the program ends with exit
/// code 2.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ConfigError {
    #[error("cannot read the settings file {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: not TOML: {problem}", path.display())]
    Syntax { path: PathBuf, line: usize, problem: String },
    #[error("{}, line {line}: there is no setting `{key}`{}", path.display(), did_you_mean(*nearest))]
    Unknown { path: PathBuf, line: usize, key: String, nearest: Option<&'static str> },
    #[error("`{key}` from {origin}: {problem}")]
    Bad { key: &'static str, origin: Origin, problem: String },
    #[error("there is no folder for data: neither HOME nor data-dir (AYEAYE_DATA_DIR) is set")]
    NoDataDir,
}

impl Config {
    /// Settles all settings. `named` is the file that `--config` names; it must be there, as must
    /// the one that `AYEAYE_CONFIG` names. The user's own may be absent.
    pub fn settle(
        flags: &[Flag],
        named: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let usual = paths::settings_file(environment);
        let from_environment = environment.get("AYEAYE_CONFIG").map(PathBuf::from);
        let must = named.map(Path::to_owned).or(from_environment);
        let (file, text) = match must {
            Some(path) => {
                let path = std::path::absolute(&path).unwrap_or(path);
                let text = read(&path)?;
                (Some(path), text)
            }
            None => match usual.clone() {
                Some(path) if path.exists() => {
                    let text = read(&path)?;
                    (Some(path), text)
                }
                _ => (None, String::new()),
            },
        };
        let mut config = Self::from_layers(flags, file.as_deref(), &text, environment)?;
        config.usual_file = usual;
        Ok(config)
    }

    /// The defaults alone, with `data_dir` for data: settings for tests, which no file and no
    /// environment of the machine can change.
    pub fn isolated(data_dir: &Path) -> Self {
        let flag = Flag {
            key: "data-dir",
            name: "--data-dir",
            value: data_dir.to_str().expect("tests make folders with names in UTF-8").to_owned(),
        };
        Self::from_layers(&[flag], None, "", &Environment::default())
            .expect("the defaults are right")
    }

    /// Whether the user said what to log.
    pub fn log_is_chosen(&self) -> bool {
        explain::chosen(&self.given, &["log"])
    }

    /// Whether the user said anything about which model it is, by flag, environment or file.
    pub fn model_is_chosen(&self) -> bool {
        explain::chosen(&self.given, &["model.base-url", "model.name"])
    }

    /// Whether the command line or the environment says which model it is.
    pub fn model_is_overridden(&self) -> bool {
        ["model.base-url", "model.name", "model.profile"]
            .iter()
            .any(|key| explain::stronger_than_file(&self.given, key))
    }

    /// Whether what the file says of coordinates does not count.
    pub fn coordinates_are_overridden(&self) -> bool {
        explain::stronger_than_file(&self.given, "model.coordinates")
    }

    /// The settings as TOML, each that is not a default with its origin. Secrets show as `(set)`.
    pub fn explain(&self) -> String {
        let file = match (&self.file, &self.usual_file) {
            (Some(path), _) => format!("# settings file: {}\n", path.display()),
            (None, Some(path)) => format!("# settings file: none at {}\n", path.display()),
            (None, None) => "# settings file: none\n".to_owned(),
        };
        file + &explain::explain(&self.given)
    }

    fn from_layers(
        flags: &[Flag],
        file: Option<&Path>,
        text: &str,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let mut notes = Vec::new();
        let flags: Layer = flags
            .iter()
            .map(|flag| {
                let origin = Origin::Flag(flag.name);
                (flag.key, Given { raw: Raw::Text(flag.value.clone()), origin })
            })
            .collect();
        let from_environment = layer::from_environment(environment, &mut notes)?;
        let from_file = match file {
            Some(path) => layer::from_file(text, path)?,
            None => Layer::new(),
        };
        let mut defaults = layer::defaults();
        if let Some(folder) = paths::data_dir(environment) {
            let raw = Raw::Text(folder.to_string_lossy().into_owned());
            defaults.insert("data-dir", Given { raw, origin: Origin::Default });
        }
        let stack = Stack { layers: [flags, from_environment, from_file, defaults] };
        let base = file.and_then(Path::parent);
        let mut config = stack.settle(base, environment)?;
        config.file = file.map(Path::to_owned);
        config.notes.extend(notes);
        Ok(config)
    }
}

/// More is no settings file.
const LARGEST_FILE: u64 = 1 << 20;

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let read = || {
        let mut text = String::new();
        std::fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_string(&mut text)?;
        if LARGEST_FILE < text.len() as u64 {
            return Err(io::Error::other("it is larger than 1 MiB"));
        }
        Ok(text)
    };
    read().map_err(|source| ConfigError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
