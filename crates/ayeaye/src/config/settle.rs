//! From layers to plain values.
use std::path::Path;

use ayeaye_agent::journal::{Retention, SyncPolicy};
use ayeaye_agent::{KeepElements, KeepImages, KeepText, Prices, PrivacySettings};
use ayeaye_export::{Format, Images, LogSettings};
use ayeaye_model::Profile;
use url::Url;

use super::layer::{Given, Layer, Origin, Raw};
use super::{
    AdbSettings, Config, ConfigError, Environment, Evaluate, HttpSettings, IssuerSettings,
    JournalSettings, MAX_STEPS, ModelSettings, PriceTable, RoleSettings, RunSettings, ToolSet,
    paths, setting, value,
};

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
                profile: self.may("model.profile", profile)?,
                coordinates: self.may("model.coordinates", |text| {
                    text.parse().map_err(|err: ayeaye_model::UnknownCoordSystem| err.to_string())
                })?,
                max_pixels: self.may("model.max-pixels", |text| {
                    value::number(text, 10_000, 64_000_000).map(to_u32)
                })?,
                connect_timeout: self.need("model.connect-timeout", value::limit)?,
                first_byte_timeout: self.need("model.first-byte-timeout", value::limit)?,
                timeout: self.need("model.timeout", value::limit)?,
                retries: self
                    .need("model.retries", |text| value::number(text, 0, 20).map(to_u32))?,
                stream: self.need("model.stream", value::switch)?,
                prices: self.prices()?,
                price_table: PriceTable(self.list("model.prices")?),
                plan: self.role(&role_keys!("plan"))?,
                reply: self.role(&role_keys!("reply"))?,
                caption: self.role(&role_keys!("caption"))?,
                judge: self.role(&role_keys!("judge"))?,
                fallback: self.role(&role_keys!("fallback"))?,
            },
            run: RunSettings {
                max_steps: self.need("run.max-steps", |text| {
                    value::number(text, 1, u64::from(MAX_STEPS)).map(to_u32)
                })?,
                session_max_steps: self.need("run.session-max-steps", count)?,
                time_limit: self.need("run.time-limit", value::limit)?,
                token_budget: self
                    .may("run.token-budget", |text| value::number(text, 1, u64::MAX))?,
                cost_budget: self.may("run.cost-budget", value::price)?,
                reply_mode: self.need("run.reply-mode", value::reply_mode)?,
                wait: self.need("run.wait", value::duration)?,
                wait_with_progress: self.need("run.wait-with-progress", value::duration)?,
                first_look: self.need("run.first-look", value::duration)?,
                settle_limit: self.need("run.settle-limit", value::limit)?,
                device_wait: self.need("run.device-wait", value::duration)?,
                evaluate: self.need("run.evaluate", |text| value::word(text, &Evaluate::ALL))?,
                caption: self.need("run.caption", value::on_off)?,
                planner: self.need("run.planner", value::on_off)?,
            },
            journal: JournalSettings {
                privacy: PrivacySettings {
                    images: self
                        .need("journal.images", |text| value::word(text, &KeepImages::ALL))?,
                    text: self.need("journal.text", |text| value::word(text, &KeepText::ALL))?,
                    elements: self
                        .need("journal.ui-tree", |text| value::word(text, &KeepElements::ALL))?,
                },
                sync: self.need("journal.sync", |text| value::word(text, &SYNC))?,
                min_free: self.need("journal.min-free", value::room)?,
                max_session_size: self.need("journal.max-session-size", value::room)?,
                retention: Retention {
                    max_age: self.bound("journal.max-age", value::age)?,
                    max_sessions: self.bound("journal.max-sessions", |text| {
                        let number = value::number(text, 1, 1_000_000)?;
                        usize::try_from(number).map_err(|err| err.to_string())
                    })?,
                    max_total_bytes: self.bound("journal.max-size", |text| {
                        // Less would remove every session as soon as it is over.
                        value::room(text).and_then(|room| match room {
                            LEAST_ROOM.. => Ok(room),
                            _ => Err("it must be at least 1MiB".to_owned()),
                        })
                    })?,
                },
            },
            logs: LogSettings {
                formats: self.formats()?,
                images: self.need("logs.images", |text| value::word(text, &IMAGES))?,
            },
            adb: AdbSettings {
                server: self.need("adb.server", value::adb_server)?,
                start_server: self.need("adb.start-server", value::switch)?,
                program: self.given("adb.program", path)?,
                search: paths::adb_folders(environment),
            },
            tools: self.need("mcp.tools", ToolSet::parse)?,
            http: HttpSettings {
                listen: self.need("http.listen", str::parse)?,
                token: self.may("http.token", |text| {
                    let long = text.len() >= SHORTEST_TOKEN;
                    if long { value::secret(text) } else { Err(too_short()) }
                })?,
                tokens_file: self.given("http.tokens-file", path)?,
                allowed_hosts: self.list("http.allowed-hosts")?,
                allowed_origins: self.list("http.allowed-origins")?,
                public_url: self.may("http.public-url", value::base)?,
                issuer: self.issuer()?,
                body_limit: self.need("http.body-limit", |text| value::size(text, 64 << 20))?,
                rate_limit: self.need("http.rate-limit", a_minute)?,
                wrong_tokens: self.need("http.wrong-tokens", a_minute)?,
            },
            file: None,
            usual_file: None,
            no_color: environment.get("NO_COLOR").is_some(),
            notes: Vec::new(),
            given: setting::SETTINGS.iter().map(|known| self.find(known.key).cloned()).collect(),
        };
        let mut open = Vec::new();
        {
            let model = &config.model;
            let main = &model.base_url;
            let roles = [&model.plan, &model.reply, &model.caption, &model.judge, &model.fallback];
            let keys = roles.map(|role| (&role.api_key, role.base_url.as_ref().unwrap_or(main)));
            for (key, url) in [(&model.api_key, main)].into_iter().chain(keys) {
                if key.is_some() && in_clear(url) && !open.contains(&url.to_string()) {
                    open.push(url.to_string());
                }
            }
        }
        config.notes.extend(open.into_iter().map(|url| {
            format!("the model's key goes over the network unencrypted: {url} is not https")
        }));
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

    /// A bound that may be lifted.
    fn bound<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let bound = |text: &str| if text == "none" { Ok(None) } else { parse(text).map(Some) };
        Ok(self.may(key, bound)?.flatten())
    }

    /// The formats of logs, each once.
    fn formats(&self) -> Result<Vec<Format>, ConfigError> {
        let named: Vec<FormatName> = self.list("logs.formats")?;
        Ok(Format::ALL
            .into_iter()
            .filter(|format| named.iter().any(|it| it.0 == *format))
            .collect())
    }

    /// The model's prices: both or none.
    fn prices(&self) -> Result<Option<Prices>, ConfigError> {
        let (sent, received) = ("model.input-price", "model.output-price");
        let half = |missing: &'static str, there: &'static str| {
            let origin = self.find(there).map_or(Origin::Default, |given| given.origin.clone());
            bad(there, &origin, format!("it needs {missing} beside it"))
        };
        let cached = self.may("model.cached-price", value::price)?;
        match (self.may(sent, value::price)?, self.may(received, value::price)?) {
            (Some(input), Some(output)) => Ok(Some(Prices { input, output, cached })),
            (None, None) if cached.is_some() => Err(half(sent, "model.cached-price")),
            (None, None) => Ok(None),
            (Some(_), None) => Err(half(received, sent)),
            (None, Some(_)) => Err(half(sent, received)),
        }
    }

    /// What is said of the model for one part.
    fn role(&self, keys: &RoleKeys) -> Result<RoleSettings, ConfigError> {
        Ok(RoleSettings {
            name: self.may(keys.name, value::line)?,
            base_url: self.may(keys.base_url, value::endpoint)?,
            api_key: self.may(keys.api_key, value::secret)?,
            profile: self.may(keys.profile, profile)?,
        })
    }

    /// Who issues tokens, if anybody; what else is said of them needs their name.
    fn issuer(&self) -> Result<Option<IssuerSettings>, ConfigError> {
        let audience = self.may("http.audience", value::line)?;
        let keys = self.may("http.jwks-url", value::encrypted)?;
        if let Some(name) = self.may("http.issuer", |text| {
            // To the letter: this is what its tokens say.
            value::encrypted(text).map(|_| text.to_owned())
        })? {
            return Ok(Some(IssuerSettings { name, audience, keys }));
        }
        for alone in ["http.audience", "http.jwks-url"] {
            if let Some(given) = self.find(alone) {
                return Err(bad(alone, &given.origin, "it needs http.issuer beside it".to_owned()));
            }
        }
        Ok(None)
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

/// The settings of the model for one part.
struct RoleKeys {
    name: &'static str,
    base_url: &'static str,
    api_key: &'static str,
    profile: &'static str,
}

macro_rules! role_keys {
    ($role:literal) => {
        RoleKeys {
            name: concat!("model.", $role, "-name"),
            base_url: concat!("model.", $role, "-base-url"),
            api_key: concat!("model.", $role, "-api-key"),
            profile: concat!("model.", $role, "-profile"),
        }
    };
}
use role_keys;

fn profile(text: &str) -> Result<Profile, String> {
    text.parse().map_err(|err: ayeaye_model::UnknownProfile| err.to_string())
}

const LEAST_ROOM: u64 = 1 << 20;

/// A format in a list.
struct FormatName(Format);

impl std::str::FromStr for FormatName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        value::word(name, &Format::ALL.map(|format| (format.name(), format))).map(Self)
    }
}

/// When the record is put on the disk, by the word for it.
const SYNC: [(&str, SyncPolicy); 3] =
    [("always", SyncPolicy::Always), ("step", SyncPolicy::Step), ("never", SyncPolicy::Never)];

/// The pictures of UFO's folder, by the word for them.
const IMAGES: [(&str, Images); 3] =
    [("none", Images::None), ("clean", Images::Clean), ("all", Images::All)];

/// How often a minute.
fn a_minute(text: &str) -> Result<u32, String> {
    value::number(text, 0, 1_000_000).map(to_u32)
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
    url.scheme() == "http" && !value::is_loopback(url)
}
