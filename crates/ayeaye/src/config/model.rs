//! `[model]`: where the models are, and how they are called.
use std::path::PathBuf;
use std::time::Duration;

use ayeaye_agent::Prices;
use ayeaye_model::{CallSettings, CoordSystem, ExtraHeaders, Profile, Secret};
use url::Url;

use super::call_table::StopText;
use super::reader::Reader;
use super::{CallTable, ConfigError, PriceTable, ValueError, value};

/// Where the model is and how it is called.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    pub base_url: Url,
    pub name: String,
    pub api_key: Option<Secret>,
    /// Headers that the endpoint wants besides. Each is a key too.
    pub extra_headers: ExtraHeaders,
    /// The model family, when the name does not tell.
    pub profile: Option<Profile>,
    /// The file of an imported prompt in the place of the profile's own.
    pub prompt: Option<PathBuf>,
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
    /// How the model that acts is asked to choose its words.
    pub calls: CallSettings,
    /// How models are asked to choose their words, by their names.
    pub call_table: CallTable,
    /// What its calls cost, where that was set for this model.
    pub prices: Option<Prices>,
    /// What calls of models cost, by their names.
    pub price_table: PriceTable,
    /// Splits requests over apps.
    pub plan: RoleSettings,
    /// Answers questions as the user would.
    pub reply: RoleSettings,
    /// Puts the last screen into words.
    pub caption: RoleSettings,
    /// Judges whether a request was carried out.
    pub judge: RoleSettings,
    /// Takes over when the model that acts fails.
    pub fallback: RoleSettings,
}

/// The model for one role. What is not set is as for the model that acts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoleSettings {
    pub name: Option<String>,
    pub base_url: Option<Url>,
    pub api_key: Option<Secret>,
    pub profile: Option<Profile>,
    pub calls: CallSettings,
}

impl RoleSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn read(reader: &Reader<'_>, role: &str) -> Result<Self, ConfigError> {
        Ok(Self {
            name: reader.optional(format_args!("model.{role}-name"), value::line)?,
            base_url: reader.optional(format_args!("model.{role}-base-url"), value::endpoint)?,
            api_key: reader.secret(format_args!("model.{role}-api-key"), value::secret)?,
            profile: reader.optional(format_args!("model.{role}-profile"), str::parse)?,
            calls: reader
                .optional(format_args!("model.{role}-options"), str::parse)?
                .unwrap_or_default(),
        })
    }
}

impl ModelSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            base_url: reader.required("model.base-url", value::endpoint)?,
            name: reader.required("model.name", value::line)?,
            api_key: reader.secret("model.api-key", value::secret)?,
            extra_headers: reader
                .secret_table("model.extra-headers", |text| Ok(text.parse()?))?
                .unwrap_or_default(),
            profile: reader.optional("model.profile", str::parse)?,
            prompt: reader.path_unless("model.prompt", "builtin")?,
            coordinates: reader.optional("model.coordinates", str::parse)?,
            max_pixels: reader.optional("model.max-pixels", value::number(10_000..=64_000_000))?,
            connect_timeout: reader.required("model.connect-timeout", value::timeout)?,
            first_byte_timeout: reader.required("model.first-byte-timeout", value::timeout)?,
            timeout: reader.required("model.timeout", value::timeout)?,
            retries: reader.required("model.retries", value::number(0..=20))?,
            stream: reader.required("model.stream", value::boolean)?,
            calls: read_calls(reader)?,
            call_table: CallTable(reader.list("model.options")?),
            prices: read_prices(reader)?,
            price_table: PriceTable(reader.list("model.prices")?),
            plan: RoleSettings::read(reader, "plan")?,
            reply: RoleSettings::read(reader, "reply")?,
            caption: RoleSettings::read(reader, "caption")?,
            judge: RoleSettings::read(reader, "judge")?,
            fallback: RoleSettings::read(reader, "fallback")?,
        })
    }

    /// The endpoints that a key is sent to over an unencrypted network, each once.
    pub(super) fn exposed_keys(&self) -> Vec<String> {
        let roles = [&self.plan, &self.reply, &self.caption, &self.judge, &self.fallback];
        let roles =
            roles.map(|it| (it.api_key.is_some(), it.base_url.as_ref().unwrap_or(&self.base_url)));
        let has_key = self.api_key.is_some() || !self.extra_headers.is_empty();
        let mut exposed = Vec::new();
        for (has_key, url) in [(has_key, &self.base_url)].into_iter().chain(roles) {
            let in_clear = url.scheme() == "http" && !value::is_loopback(url);
            if has_key && in_clear && !exposed.contains(&url.to_string()) {
                exposed.push(url.to_string());
            }
        }
        exposed
    }
}

/// How the model that acts is asked: a setting for each of the names.
fn read_calls(reader: &Reader<'_>) -> Result<CallSettings, ConfigError> {
    let mut calls = CallSettings::default();
    for name in CallSettings::NAMES {
        let key = format!("model.{name}");
        if name == "stop" {
            let texts = reader.list::<StopText>(&key)?;
            calls.stop = texts.into_iter().map(|text| text.0).collect();
        } else {
            reader.table_or_text(&key, |text| calls.set(name, text).map_err(ValueError::from))?;
        }
    }
    Ok(calls)
}

/// The prices of the model that acts: input and output together, or neither.
fn read_prices(reader: &Reader<'_>) -> Result<Option<Prices>, ConfigError> {
    const INPUT: &str = "model.input-price";
    const OUTPUT: &str = "model.output-price";
    const CACHED: &str = "model.cached-price";
    let input = reader.optional(INPUT, value::price)?;
    let output = reader.optional(OUTPUT, value::price)?;
    let cached = reader.optional(CACHED, value::price)?;
    match (input, output) {
        (Some(input), Some(output)) => Ok(Some(Prices { input, output, cached })),
        (Some(_), None) => Err(reader.needs(INPUT, OUTPUT)),
        (None, Some(_)) => Err(reader.needs(OUTPUT, INPUT)),
        (None, None) if cached.is_some() => Err(reader.needs(CACHED, INPUT)),
        (None, None) => Ok(None),
    }
}
