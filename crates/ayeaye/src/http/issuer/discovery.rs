//! Where an issuer's keys are: at an address that was configured, or where its metadata says (RFC
//! 8414, or `OpenID` Connect Discovery 1.0).
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::redirect;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::config::is_loopback;
use crate::text::truncate;

/// The timeout for one document, connecting included.
const LIMIT: Duration = Duration::from_secs(4);
/// The largest document, in bytes.
const MAX_DOCUMENT: usize = 512 << 10;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{url}: {source}")]
    Http { url: Url, source: reqwest::Error },
    #[error("{url} answered {status}")]
    Status { url: Url, status: reqwest::StatusCode },
    #[error("{url}: {problem}")]
    Document { url: Url, problem: String },
    #[error("{url}: it is the metadata of {two}: they must be the same, to the letter")]
    OtherIssuer { url: Url, two: String },
}

#[derive(Debug)]
pub(super) struct KeySource {
    issuer: String,
    /// Where to look: the keys themselves, or documents that may name them, in this order.
    keys: Option<Url>,
    metadata: Vec<Url>,
    http: reqwest::Client,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

#[derive(Debug, Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl KeySource {
    pub(super) fn new(issuer: &str, keys: Option<Url>) -> Result<Self, String> {
        let url = Url::parse(issuer).map_err(|err| err.to_string())?;
        // reqwest is built without a TLS provider of its own; the first user installs this one.
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::trace!("a TLS provider is already installed");
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("ayeaye/", env!("CARGO_PKG_VERSION")))
            // No redirects: keys come from the configured address, or not at all.
            .redirect(redirect::Policy::none())
            .timeout(LIMIT);
        let start = keys.as_ref().unwrap_or(&url);
        if is_loopback(start) {
            builder = builder.no_proxy();
        }
        if start.scheme() == "http" {
            // Without TLS no certificates are needed.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|err| err.to_string())?;
        Ok(Self { issuer: issuer.to_owned(), metadata: documents(&url), keys, http })
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The keys, each not yet parsed.
    pub(super) async fn fetch(&self) -> Result<Vec<Value>, FetchError> {
        let url = match &self.keys {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let set: KeySet = self.get(&url).await?;
        Ok(set.keys)
    }

    async fn discover(&self) -> Result<Url, FetchError> {
        let mut told = None;
        for url in &self.metadata {
            match self.get(url).await.and_then(|found| self.believed(url, &found)) {
                Ok(keys) => return Ok(keys),
                // One that is there tells more than those that are not.
                Err(err @ FetchError::OtherIssuer { .. }) => told = Some(err),
                Err(err) => told = told.or(Some(err)),
            }
        }
        Err(told.expect("there is a document to ask for"))
    }

    /// The address of the keys, if the document is the issuer's own.
    fn believed(&self, url: &Url, found: &Metadata) -> Result<Url, FetchError> {
        let problem = |problem: String| FetchError::Document { url: url.clone(), problem };
        // RFC 8414, 3.3: otherwise one issuer could serve another's keys.
        if found.issuer != self.issuer {
            return Err(FetchError::OtherIssuer {
                url: url.clone(),
                two: format!(
                    "{}, and http.issuer is {}",
                    truncate(&found.issuer, 200),
                    self.issuer
                ),
            });
        }
        let keys = Url::parse(&found.jwks_uri).map_err(|err| problem(err.to_string()))?;
        let safe = keys.scheme() == "https" || (is_loopback(&keys) && is_loopback(url));
        if safe { Ok(keys) } else { Err(problem("its jwks_uri is not https".to_owned())) }
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, url: &Url) -> Result<T, FetchError> {
        let failed = |source: reqwest::Error| FetchError::Http {
            url: url.clone(),
            source: source.without_url(),
        };
        let answer = self.http.get(url.clone()).header("accept", "application/json").send().await;
        let answer = answer.map_err(failed)?;
        let status = answer.status();
        if status != reqwest::StatusCode::OK {
            return Err(FetchError::Status { url: url.clone(), status });
        }
        let mut bytes = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            bytes.extend_from_slice(&chunk.map_err(failed)?);
            if MAX_DOCUMENT < bytes.len() {
                let problem = format!("it is larger than {MAX_DOCUMENT} bytes");
                return Err(FetchError::Document { url: url.clone(), problem });
            }
        }
        serde_json::from_slice(&bytes)
            .map_err(|err| FetchError::Document { url: url.clone(), problem: err.to_string() })
    }
}

/// Where the metadata of an issuer may be. RFC 8414 puts the well-known part before the issuer's
/// path, `OpenID` Connect behind it.
fn documents(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/').to_owned();
    let mut found: Vec<Url> = Vec::new();
    for at in [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ] {
        let mut url = issuer.clone();
        url.set_path(&at);
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_the_standards_put_it() {
        let at = |issuer: &str| -> Vec<String> {
            documents(&Url::parse(issuer).unwrap()).iter().map(Url::to_string).collect()
        };
        assert_eq!(
            at("https://login.example.com/realms/phones"),
            [
                "https://login.example.com/.well-known/oauth-authorization-server/realms/phones",
                "https://login.example.com/.well-known/openid-configuration/realms/phones",
                "https://login.example.com/realms/phones/.well-known/openid-configuration",
            ]
        );
        assert_eq!(at("https://login.example.com/").len(), 2);
    }

    #[tokio::test]
    async fn metadata_of_another_issuer_ends_no_search() {
        use axum::{Json, Router, routing::get};

        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let document = |issuer: String| {
            let found = serde_json::json!({ "issuer": issuer, "jwks_uri": format!("{base}/keys") });
            get(async move || Json(found))
        };
        let router = Router::new()
            // A host that answers for all its realms with the metadata of its root.
            .route("/.well-known/oauth-authorization-server/{realm}", document(base.clone()))
            .route("/phones/.well-known/openid-configuration", document(format!("{base}/phones")));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let found = |realm: &str| KeySource::new(&format!("{base}/{realm}"), None).unwrap();
        assert_eq!(found("phones").discover().await.unwrap().as_str(), format!("{base}/keys"));
        let told = found("others").discover().await.unwrap_err().to_string();
        assert!(told.contains(&format!("of {base}, and http.issuer is {base}/others")), "{told}");
    }

    #[test]
    fn only_the_issuers_own_metadata_and_safe_addresses_are_believed() {
        let source = KeySource::new("https://login.example.com", None).unwrap();
        let url = &source.metadata[0];
        let believed = |issuer: &str, keys: &str| {
            let found = Metadata { issuer: issuer.to_owned(), jwks_uri: keys.to_owned() };
            source.believed(url, &found).map(|url| url.to_string()).map_err(|err| err.to_string())
        };
        let ours = "https://login.example.com";
        assert!(believed(ours, "https://keys.example.com/k").is_ok());
        assert!(believed("https://evil.example", "https://keys.example.com/k").is_err());
        assert!(believed("https://login.example.com/", "https://keys.example.com/k").is_err());
        for unsafe_one in ["http://keys.example.com/k", "http://127.0.0.1/k", "file:///etc/x", ""] {
            assert!(believed(ours, unsafe_one).is_err(), "{unsafe_one}");
        }
    }
}
