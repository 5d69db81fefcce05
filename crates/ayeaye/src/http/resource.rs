//! This server as an OAuth protected resource, whose metadata tells clients where to get tokens (RFC
//! 9728). Only with an issuer.
use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use axum::{Extension, Router};
use url::Url;

use super::hosts::Hosts;
use super::issuer::{Issuer, SCOPE};
use crate::config::{HostName, Listen, WebOrigin};

/// The path of the metadata. Clients try it with the resource's own path appended first.
const PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// This server, by the name that clients use: the public one, where the settings have it, else the one that a request
/// came by, since clients use no resource but the one that they asked.
#[derive(Debug, Clone)]
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

    /// The URLs of MCP by all names that this server answers to.
    pub(super) fn urls(&self, hosts: &Hosts) -> Vec<String> {
        let mut urls = Vec::new();
        for host in hosts.names() {
            let url = self.at(&host).url();
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        urls
    }

    /// The same server for a request that named this host, which was found to be one of ours.
    pub(super) fn at(&self, host: &HostName) -> Self {
        if self.public {
            return self.clone();
        }
        // As clients write it: without the port that the scheme implies.
        let port = host.port.filter(|port| *port != 80);
        let host = HostName { name: host.name.clone(), port };
        Self { base: format!("http://{host}"), public: false }
    }

    /// The value of `WWW-Authenticate`, with the error and what is said of it.
    pub(super) fn challenge(
        &self,
        issuer: Option<&Issuer>,
        error: Option<(&str, Option<&str>)>,
    ) -> HeaderValue {
        let mut text = "Bearer realm=\"ayeaye\"".to_owned();
        let mut add = |name: &str, value: &str| {
            for part in [", ", name, "=\"", value, "\""] {
                text.push_str(part);
            }
        };
        if let Some((error, _)) = error {
            add("error", error);
        }
        if issuer.is_some() {
            add("scope", SCOPE);
            add("resource_metadata", &format!("{}{}", self.base, PATHS[1]));
        }
        if let Some((_, Some(description))) = error {
            add("error_description", description);
        }
        HeaderValue::try_from(text).expect("a URL and words")
    }

    /// The routes of the metadata; none without an issuer.
    pub(super) fn routes(&self, issuer: Option<&Issuer>) -> Router {
        let Some(issuer) = issuer else { return Router::new() };
        let of = Arc::new((self.clone(), issuer.name().to_owned()));
        PATHS.into_iter().fold(Router::new(), |router, path| {
            let of = Arc::clone(&of);
            let answer = async move |Extension(host): Extension<HostName>| {
                let (resource, issuer) = &*of;
                let metadata = serde_json::json!({
                    "resource": resource.at(&host).url(),
                    "authorization_servers": [issuer],
                    "scopes_supported": [SCOPE],
                    "bearer_methods_supported": ["header"],
                    "resource_name": "Aye-aye",
                });
                ([(CONTENT_TYPE, "application/json")], metadata.to_string())
            };
            router.route(path, get(answer))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_urls_are_those_of_its_names_as_clients_write_them() {
        let urls = |listen: &str, public: Option<&str>| {
            let listen: Listen = listen.parse().unwrap();
            let names = ["phones.lan", "127.0.0.1:9000"].map(|it| it.parse().unwrap());
            let public = public.map(|url| url.parse().unwrap());
            Resource::new(public.as_ref(), &listen).urls(&Hosts::new(&listen, &names))
        };
        let local = |port: &str| {
            ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("http://{name}{port}/mcp"))
        };
        let told = ["http://phones.lan/mcp", "http://127.0.0.1:9000/mcp"].map(ToOwned::to_owned);
        assert_eq!(urls("127.0.0.1:80", None), [local("").as_slice(), &told].concat());
        let with_port = urls("0.0.0.0:8642", None);
        assert_eq!(with_port[..3], local(":8642"));
        assert_eq!(
            with_port[3..],
            ["http://phones.lan/mcp", "http://phones.lan:8642/mcp", "http://127.0.0.1:9000/mcp"]
        );
        let public = urls("127.0.0.1:8642", Some("https://phones.example.com"));
        assert_eq!(public, ["https://phones.example.com/mcp"]);
    }
}
