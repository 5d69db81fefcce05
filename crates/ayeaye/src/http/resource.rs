//! This server as an OAuth protected resource, whose metadata tells clients where to get tokens (RFC
//! 9728). Only with an issuer.
use std::sync::Arc;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use url::Url;

use super::issuer::{Issuer, SCOPE};
use crate::config::{HostName, Listen, WebOrigin};

/// The path of the metadata. Clients try it with the resource's own path appended first.
const PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// This server, by the name that clients use.
#[derive(Debug)]
pub(super) struct Resource {
    /// Scheme, host and port.
    base: String,
    public: bool,
}

impl Resource {
    pub(super) fn new(public: Option<&Url>, listens: &Listen) -> Self {
        let base = match (public, listens.reached_at()) {
            (Some(url), _) => url.origin().ascii_serialization(),
            (None, Some(address)) => format!("http://{address}"),
            (None, None) => "http://localhost".to_owned(),
        };
        Self { base, public: public.is_some() }
    }

    /// Whether clients connect through a proxy.
    pub(super) fn is_public(&self) -> bool {
        self.public
    }

    /// Whether what names this host comes through TLS, as far as the settings tell.
    pub(super) fn is_encrypted_at(&self, host: &HostName) -> bool {
        self.base.strip_prefix("https://").is_some_and(|own| own == host.to_string())
    }

    /// Whether the page is public, and has this origin there.
    pub(super) fn is_page_at(&self, origin: &WebOrigin) -> bool {
        self.public && self.base.parse::<WebOrigin>().is_ok_and(|base| base == *origin)
    }

    /// The URL of the page.
    pub(super) fn page_url(&self) -> String {
        format!("{}/", self.base)
    }

    /// The URL of MCP.
    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// The value of `WWW-Authenticate`.
    pub(super) fn challenge(&self, issuer: Option<&Issuer>, error: Option<&str>) -> HeaderValue {
        let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
        let more = issuer.map(|_| {
            let (base, path) = (&self.base, PATHS[1]);
            format!(", scope=\"{SCOPE}\", resource_metadata=\"{base}{path}\"")
        });
        let text = format!("Bearer realm=\"ayeaye\"{error}{}", more.unwrap_or_default());
        HeaderValue::try_from(text).expect("a URL and words")
    }

    /// The routes of the metadata; none without an issuer.
    pub(super) fn routes(&self, issuer: Option<&Issuer>) -> Router {
        let Some(issuer) = issuer else { return Router::new() };
        let metadata = serde_json::json!({
            "resource": self.url(),
            "authorization_servers": [issuer.name()],
            "scopes_supported": [SCOPE],
            "bearer_methods_supported": ["header"],
            "resource_name": "Aye-aye",
        });
        let metadata: Arc<str> = metadata.to_string().into();
        PATHS.into_iter().fold(Router::new(), |router, path| {
            let metadata = Arc::clone(&metadata);
            let answer = async move || ([(CONTENT_TYPE, "application/json")], metadata.to_string());
            router.route(path, get(answer))
        })
    }
}
