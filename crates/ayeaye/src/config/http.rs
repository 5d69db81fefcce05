//! `[http]`: MCP over HTTP.
use std::path::PathBuf;

use ayeaye_model::Secret;
use url::Url;

use super::reader::Reader;
use super::{ConfigError, HostName, Listen, WebOrigin, value};

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
    /// Whether who is signed in to the page stays so when the server is started again.
    pub keep_logins: bool,
}

/// Who issues tokens beside this server.
#[derive(Debug, Clone)]
pub struct IssuerSettings {
    /// Its name and address, as `iss` has it in its tokens.
    pub name: String,
    /// The `aud` of its tokens, when that is not this server's URL.
    pub audience: Option<String>,
    /// Where its keys are, when its metadata does not say.
    pub keys: Option<Url>,
}

impl HttpSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let a_minute = || value::number(0..=1_000_000);
        Ok(Self {
            listen: reader.required("http.listen", str::parse)?,
            token: reader.secret("http.token", value::token)?,
            tokens_file: reader.path("http.tokens-file")?,
            allowed_hosts: reader.list("http.allowed-hosts")?,
            allowed_origins: reader.list("http.allowed-origins")?,
            public_url: reader.optional("http.public-url", value::base_url)?,
            issuer: IssuerSettings::read(reader)?,
            body_limit: reader.required("http.body-limit", |text| value::size(text, 64 << 20))?,
            rate_limit: reader.required("http.rate-limit", a_minute())?,
            wrong_tokens: reader.required("http.wrong-tokens", a_minute())?,
            keep_logins: true,
        })
    }
}

impl IssuerSettings {
    fn read(reader: &Reader<'_>) -> Result<Option<Self>, ConfigError> {
        const ISSUER: &str = "http.issuer";
        // To the letter: tokens must have it so.
        let name =
            reader.optional(ISSUER, |text| value::encrypted(text).map(|_| text.to_owned()))?;
        let audience = reader.optional("http.audience", value::line)?;
        let keys = reader.optional("http.jwks-url", value::trusted_document)?;
        match name {
            Some(name) => Ok(Some(Self { name, audience, keys })),
            None if audience.is_some() => Err(reader.needs("http.audience", ISSUER)),
            None if keys.is_some() => Err(reader.needs("http.jwks-url", ISSUER)),
            None => Ok(None),
        }
    }
}
