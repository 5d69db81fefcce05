//! From layers to plain values.
use std::path::Path;

use url::Url;

use super::layer::{Given, Layer, Origin, Raw};
use super::{
    AdbSettings, Config, ConfigError, Environment, HttpSettings, ModelSettings, RunSettings, paths,
    setting, value,
};
use crate::mcp::args::MOST_STEPS;

/// The layers, strongest first.
pub(super) struct Stack {
    pub(super) layers: [Layer; 4],
}

impl Stack {
    /// Settles every setting. Paths of a file start at `base`, its folder.
    pub(super) fn settle(
        &self,
        base: Option<&Path>,
        environment: &Environment,
    ) -> Result<Config, ConfigError> {
        let path = |text: &str, origin: &Origin| {
            let base = match origin {
                Origin::File { .. } => base.unwrap_or(Path::new("")),
                Origin::Flag(_) | Origin::Environment(_) | Origin::Default => Path::new(""),
            };
            let path = paths::resolve(text, base, environment)?;
            std::path::absolute(path).map_err(|err| err.to_string())
        };
        let count = |text: &str| value::number(text, 1, 10_000).map(to_u32);
        let mut config = Config {
            data_dir: self.given("data-dir", path)?.ok_or(ConfigError::NoDataDir)?,
            log: self.need("log", value::line)?,
            model: ModelSettings {
                base_url: self.need("model.base-url", value::endpoint)?,
                name: self.need("model.name", value::line)?,
                api_key: self.may("model.api-key", value::secret)?,
                profile: self.may("model.profile", value::line)?,
                connect_timeout: self.need("model.connect-timeout", value::limit)?,
                first_byte_timeout: self.need("model.first-byte-timeout", value::limit)?,
                timeout: self.need("model.timeout", value::limit)?,
                retries: self
                    .need("model.retries", |text| value::number(text, 0, 20).map(to_u32))?,
                stream: self.need("model.stream", value::switch)?,
            },
            run: RunSettings {
                max_steps: self.need("run.max-steps", |text| {
                    value::number(text, 1, u64::from(MOST_STEPS)).map(to_u32)
                })?,
                session_max_steps: self.need("run.session-max-steps", count)?,
                time_limit: self.need("run.time-limit", value::limit)?,
                token_budget: self
                    .may("run.token-budget", |text| value::number(text, 1, u64::MAX))?,
                reply_mode: self.need("run.reply-mode", value::reply_mode)?,
                wait: self.need("run.wait", value::duration)?,
                wait_with_progress: self.need("run.wait-with-progress", value::duration)?,
                first_look: self.need("run.first-look", value::duration)?,
                settle_limit: self.need("run.settle-limit", value::limit)?,
                device_wait: self.need("run.device-wait", value::duration)?,
            },
            adb: AdbSettings {
                server: self.need("adb.server", value::adb_server)?,
                start_server: self.need("adb.start-server", value::switch)?,
                program: self.given("adb.program", path)?,
                search: paths::adb_folders(environment),
            },
            http: HttpSettings {
                listen: self.need("http.listen", value::listen)?,
                token: self.may("http.token", |text| {
                    let long = text.len() >= SHORTEST_TOKEN;
                    if long { value::secret(text) } else { Err(too_short()) }
                })?,
                allowed_hosts: self.list("http.allowed-hosts")?,
                allowed_origins: self.list("http.allowed-origins")?,
                body_limit: self.need("http.body-limit", |text| value::size(text, 64 << 20))?,
            },
            file: None,
            usual_file: None,
            no_color: environment.get("NO_COLOR").is_some(),
            notes: Vec::new(),
            given: setting::SETTINGS.iter().map(|known| self.find(known.key).cloned()).collect(),
        };
        if config.model.api_key.is_some() && in_clear(&config.model.base_url) {
            config.notes.push(format!(
                "the model's key goes over the network unencrypted: {} is not https",
                config.model.base_url
            ));
        }
        Ok(config)
    }

    fn find(&self, key: &'static str) -> Option<&Given> {
        debug_assert!(setting::find(key).is_some(), "{key} is in the list of settings");
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    fn given<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str, &Origin) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(Given { raw, origin }) = self.find(key) else { return Ok(None) };
        let parsed = match raw {
            Raw::Text(text) => parse(text, origin),
            Raw::List(_) => Err("it must be one value, not a list".to_owned()),
        };
        parsed.map(Some).map_err(|problem| bad(key, origin, problem))
    }

    fn may<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        self.given(key, |text, _| parse(text))
    }

    fn need<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        Ok(self.may(key, parse)?.expect("default-config.toml has it; every test reads it"))
    }

    /// A list: in the file one, elsewhere words between commas.
    fn list<T: std::str::FromStr<Err = String>>(
        &self,
        key: &'static str,
    ) -> Result<Vec<T>, ConfigError> {
        let Some(Given { raw, origin }) = self.find(key) else { return Ok(Vec::new()) };
        let words: Vec<&str> = match raw {
            Raw::List(words) => words.iter().map(String::as_str).collect(),
            Raw::Text(text) => {
                text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()
            }
        };
        words
            .into_iter()
            .map(str::parse)
            .collect::<Result<_, String>>()
            .map_err(|problem| bad(key, origin, problem))
    }
}

/// A token that can be guessed is worse than none: it looks like a lock.
const SHORTEST_TOKEN: usize = 16;

fn too_short() -> String {
    format!("it must have at least {SHORTEST_TOKEN} characters; `openssl rand -hex 32` makes one")
}

fn bad(key: &'static str, origin: &Origin, problem: String) -> ConfigError {
    ConfigError::Bad { key, origin: origin.clone(), problem }
}

fn to_u32(number: u64) -> u32 {
    u32::try_from(number).expect("the range was checked")
}

/// Whether requests to `url` can be read by others on the way.
fn in_clear(url: &Url) -> bool {
    let here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !here
}
