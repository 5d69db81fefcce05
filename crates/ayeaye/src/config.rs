//! Settings: read from flags, environment and file once, into plain values.
//!
//! Stronger first: flags, environment, the user's `ayeaye.toml`, the defaults embedded from
//! `default-config.toml`. [`Environment::read`] is the only place in the project that reads the
//! environment; everything after it is handed around and can be tested with a map.
//!
//! A settings file in the working directory is never read. Clients start the server in folders that
//! others made (a checkout, a download), and such a file could send screenshots to another model.
//!
//! To add a setting: a field with the line that reads it ([`ModelSettings`], [`RunSettings`] …), its
//! default and its explanation for users in `default-config.toml`, a row in `docs/configuration.md`.
//! Tests compare the three. Its name in the environment, `ayeaye config` and the errors follow.
mod call_table;
mod edit;
mod environment;
mod error;
mod explain;
mod exposed;
mod known;
mod layer;
mod lost;
mod origin;
mod paths;
mod reader;
mod settings_file;
mod value;

mod http;
mod journal;
mod listen;
mod model;
mod policy;
mod price;
mod run;
mod tool_set;
mod url_scheme;
mod web_names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ayeaye_export::LogSettings;

pub use call_table::CallTable;
pub use edit::{EditError, edited};
pub use environment::{Environment, TOKEN_VARIABLE};
pub(crate) use error::wrong_with_url;
pub use error::{ConfigError, ValueError};
pub use exposed::ExposedKeys;
pub use http::{HttpSettings, IssuerSettings};
pub use journal::JournalSettings;
pub(crate) use known::nearest_of;
pub use listen::{Listen, socket_address};
pub use lost::LostSetting;
pub use model::{ModelSettings, RoleSettings};
pub use origin::Origin;
pub use price::PriceTable;
pub use run::{Evaluate, MAX_STEPS, RunSettings};
pub use tool_set::{ToolChoice, ToolSet};
pub use url_scheme::UrlScheme;
pub use value::{AdbServer, is_loopback};
pub use web_names::{HostName, WebOrigin};

use known::KnownSetting;
use layer::{Layer, LayerEntry, RawValue};
use reader::{ReadSettings, Reader};

/// All settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder for sessions and what belongs to them.
    pub data_dir: PathBuf,
    /// What is logged, as levels and `target=level`.
    pub log: String,
    /// The models.
    pub model: ModelSettings,
    /// Runs and calls.
    pub run: RunSettings,
    /// What may be done on phones without asking.
    pub policy: ayeaye_agent::gate::Policy,
    /// What is kept of sessions, and for how long.
    pub journal: JournalSettings,
    /// The logs that are written for others' tools while sessions run.
    pub logs: LogSettings,
    /// The adb server.
    pub adb: AdbSettings,
    /// Which tools clients are offered.
    pub tools: ToolChoice,
    /// The schemes of addresses that a client may have opened on a phone.
    pub url_schemes: Vec<UrlScheme>,
    /// MCP over HTTP.
    pub http: HttpSettings,
    /// The settings file that was read.
    pub file: Option<PathBuf>,
    /// Where a settings file would have been read.
    pub default_file: Option<PathBuf>,
    /// The home folder, for paths that somebody types.
    pub home: Option<PathBuf>,
    /// Whether the user asked for texts without colour (`NO_COLOR`).
    pub no_color: bool,
    /// Whether the terminal shows what it is sent and nothing more (`TERM=dumb`).
    pub dumb_terminal: bool,
    /// Warnings, to be logged once logging is set up.
    pub notes: Vec<String>,
    /// Every setting with the entry that counted.
    read: ReadSettings,
    /// Those that are paths, whole.
    paths: BTreeMap<String, PathBuf>,
}

/// Where the adb server is and how it may be started.
#[derive(Debug, Clone)]
pub struct AdbSettings {
    /// `tcp:HOST:PORT` or `localfilesystem:PATH`.
    pub server: String,
    /// Further servers, whose phones are there too.
    pub servers: Vec<AdbServer>,
    /// Whether a server is started when none runs.
    pub start_server: bool,
    /// The program, when the user named one.
    pub program: Option<PathBuf>,
    /// Absolute folders to look for it in otherwise.
    pub search: Vec<PathBuf>,
    /// The variables of this project: a server that is started has none of them, since there may be keys in them.
    pub not_inherited: Vec<String>,
    /// The folder from which files go to phones and into which they come; without it one in the data folder.
    pub files: Option<PathBuf>,
}

/// A setting on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The setting, as it is called in the file.
    pub key: &'static str,
    /// The flag, as the user typed it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

impl Config {
    /// These settings with the prompt of the model's profile instead of an imported one.
    #[must_use]
    pub fn without_prompt(&self) -> Self {
        let model = ModelSettings { prompt: None, ..self.model.clone() };
        Self { model, ..self.clone() }
    }

    /// Loads all settings. `named` is the file that `--config` names; it must exist, as must the one
    /// that `AYEAYE_CONFIG` names. The user's own need not.
    pub fn load(
        flags: &[Flag],
        named: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let default_file = paths::settings_file(environment);
        let from_environment = environment.get("AYEAYE_CONFIG").map(PathBuf::from);
        let named = named.map(Path::to_owned).or(from_environment);
        let (file, text) = if let Some(path) = named {
            let path = std::path::absolute(&path).unwrap_or(path);
            let text = settings_file::read(&path)?;
            (Some(path), text)
        } else {
            let usual = default_file.as_deref();
            match usual.map(settings_file::read_if_there).transpose()?.flatten() {
                Some(text) => (default_file.clone(), text),
                None => (None, String::new()),
            }
        };
        let mut config = Self::from_layers(flags, file.as_deref(), &text, environment)?;
        config.default_file = default_file;
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

    /// Whether the user set what to log.
    pub fn log_is_set(&self) -> bool {
        self.is_set("log")
    }

    /// Whether the user set the model, by flag, environment or file.
    pub fn model_is_set(&self) -> bool {
        self.is_set("model.base-url") || self.is_set("model.name")
    }

    /// Whether the command line or the environment names the model.
    pub fn model_is_overridden(&self) -> bool {
        ["model.base-url", "model.name", "model.profile"].iter().any(|key| self.is_overridden(key))
    }

    /// Whether the command line or the environment sets the coordinates.
    pub fn coordinates_are_overridden(&self) -> bool {
        self.is_overridden("model.coordinates")
    }

    /// The settings as TOML, each that is not a default with its origin. Secrets show as `(set)`.
    pub fn explain(&self) -> String {
        let file = match (&self.file, &self.default_file) {
            (Some(path), _) => format!("# settings file: {}\n", path.display()),
            (None, Some(path)) => format!("# settings file: none at {}\n", path.display()),
            (None, None) => "# settings file: none\n".to_owned(),
        };
        file + &explain::explain(&self.with_whole_paths())
    }

    /// The settings as they were read, with paths whole: what is shown may be copied into a file, and a relative path
    /// starts elsewhere there.
    fn with_whole_paths(&self) -> ReadSettings {
        let mut read = self.read.clone();
        for (setting, entry) in &mut read {
            let whole = self.paths.get(&setting.key).and_then(|path| path.to_str());
            if let Some((entry, whole)) = entry.as_mut().zip(whole) {
                entry.raw = RawValue::Text(whole.to_owned());
            }
        }
        read
    }

    /// The settings for programs: a list of them, each with `key`, `value` (a text, a list of texts, or
    /// null when not set), `origin` (`default`, or as the text form has it) and `secret`.
    pub fn explain_json(&self) -> serde_json::Value {
        serde_json::json!({
            "file": self.file.as_deref().map(Path::to_string_lossy),
            "default_file": self.default_file.as_deref().map(Path::to_string_lossy),
            "settings": explain::explain_json(&self.with_whole_paths()),
        })
    }

    /// What a setting is for, in the words of the defaults; empty where they say nothing.
    pub fn about(key: &str) -> String {
        explain::about(layer::DEFAULTS, key)
    }

    /// The error that the value of a setting is wrong, where only its use could tell.
    pub(crate) fn invalid(&self, key: &str, problem: ValueError) -> ConfigError {
        let origin = self.origin(key).cloned().unwrap_or(Origin::Default);
        ConfigError::InvalidValue { key: key.to_owned(), origin, problem }
    }

    fn is_set(&self, key: &str) -> bool {
        self.origin(key).is_some_and(|origin| *origin != Origin::Default)
    }

    fn is_overridden(&self, key: &str) -> bool {
        matches!(self.origin(key), Some(Origin::Flag(_) | Origin::Environment(_)))
    }

    fn origin(&self, key: &str) -> Option<&Origin> {
        let (_, entry) = self.read.iter().find(|(setting, _)| setting.key == key)?;
        entry.as_ref().map(|entry| &entry.origin)
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
                let is_known = Self::known().iter().any(|it| it.key == flag.key);
                debug_assert!(is_known, "{} is no setting", flag.key);
                let (raw, origin) = (RawValue::Text(flag.value.clone()), Origin::Flag(flag.name));
                (flag.key.to_owned(), LayerEntry { raw, origin })
            })
            .collect();
        let from_environment = layer::from_environment(environment, Self::known(), &mut notes)?;
        let from_file = match file {
            Some(path) => layer::from_file(text, path, Self::known())?,
            None => Layer::new(),
        };
        let mut defaults = layer::defaults();
        let usual = paths::data_dir(environment);
        // One whose name is no text would be another folder as a text.
        if let Some(folder) = usual.as_deref().and_then(Path::to_str) {
            layer::set_default(&mut defaults, "data-dir", folder);
        }
        let base = file.and_then(Path::parent).unwrap_or(Path::new(""));
        let layers = vec![flags, from_environment, from_file, defaults];
        let reader = Reader::new(layers, base, environment);
        let mut config = Self::read(&reader).map_err(|err| match (err, usual) {
            (ConfigError::NoDataDir, Some(folder)) => ConfigError::DataDirNotUtf8 { folder },
            (err, _) => err,
        })?;
        (config.read, config.paths) = reader.into_read();
        config.file = file.map(Path::to_owned);
        config.notes.extend(notes);
        Ok(config)
    }

    /// The keys of the settings whose values must never be shown.
    #[cfg(test)]
    pub(crate) fn secret_keys() -> impl Iterator<Item = &'static str> {
        Self::known().iter().filter(|setting| setting.secret).map(|setting| setting.key.as_str())
    }

    /// Which settings there are: those that are read, in that order.
    fn known() -> &'static [KnownSetting] {
        static KNOWN: LazyLock<Vec<KnownSetting>> = LazyLock::new(|| {
            let mut defaults = layer::defaults();
            layer::set_default(&mut defaults, "data-dir", "/");
            let environment = Environment::default();
            let reader = Reader::new(vec![defaults], Path::new(""), &environment);
            Config::read(&reader).expect("the defaults are right: read by every test");
            reader.into_read().0.into_iter().map(|(setting, _)| setting).collect()
        });
        &KNOWN
    }

    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let mut config = Self {
            data_dir: reader.path("data-dir")?.ok_or(ConfigError::NoDataDir)?,
            log: reader.required("log", value::log_filter)?,
            model: ModelSettings::read(reader)?,
            run: RunSettings::read(reader)?,
            policy: policy::read(reader)?,
            journal: JournalSettings::read(reader)?,
            logs: journal::read_logs(reader)?,
            adb: AdbSettings {
                server: reader.required("adb.server", value::adb_server)?,
                servers: reader.list("adb.servers")?,
                start_server: reader.required("adb.start-server", value::boolean)?,
                program: reader.path("adb.program")?,
                search: paths::adb_folders(reader.environment),
                not_inherited: reader.environment.own_names().map(str::to_owned).collect(),
                files: reader.path("adb.files")?,
            },
            tools: reader.required("mcp.tools", str::parse)?,
            url_schemes: reader.list("mcp.url-schemes")?,
            http: HttpSettings::read(reader)?,
            file: None,
            default_file: None,
            home: reader.environment.home(),
            no_color: reader.environment.get("NO_COLOR").is_some(),
            dumb_terminal: reader.environment.get("TERM").is_some_and(|term| term == "dumb"),
            notes: Vec::new(),
            read: Vec::new(),
            paths: BTreeMap::new(),
        };
        config.notes.extend(config.model.exposed_keys().into_iter().map(|url| {
            format!("the model's key goes over the network unencrypted: {url} is not https")
        }));
        Ok(config)
    }
}

#[cfg(test)]
mod tests;
