//! The address of an endpoint.
use std::fmt;

use url::{Host, Url};

/// The base URL of an endpoint, in any of the usual spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at the end; `/chat/completions`, `/models` and the like lie below it.
    base: Url,
}

/// A text that is not a base URL; says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("model base URL {0}")]
pub struct InvalidEndpoint(String);

impl Endpoint {
    /// Reads `http://host:8000`, `http://host:8000/v1` and `http://host:8000/v1/chat/completions`
    /// alike. A path other than `/v1` is kept; only a bare host gets `/v1` added.
    pub fn parse(text: &str) -> Result<Self, InvalidEndpoint> {
        let text = text.trim();
        let refused = |why: &str| Err(InvalidEndpoint(why.to_owned()));
        if text.is_empty() {
            return refused("is empty: write it like http://127.0.0.1:11434/v1");
        }
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return refused("must begin with http:// or https://, like http://127.0.0.1:11434/v1");
        }
        let Ok(mut base) = Url::parse(text) else {
            return refused("cannot be read: write it like http://127.0.0.1:11434/v1");
        };
        if !base.username().is_empty() || base.password().is_some() {
            return refused(
                "must not hold a user name or password: put the key in its own setting",
            );
        }
        base.set_fragment(None);
        let path = base.path().trim_end_matches('/').to_owned();
        let leaves = ["/chat/completions", "/messages", "/responses"];
        let path = leaves.into_iter().find_map(|leaf| path.strip_suffix(leaf)).unwrap_or(&path);
        let path = path.trim_end_matches('/');
        base.set_path(if path.is_empty() { "/v1" } else { path });
        Ok(Self { base })
    }

    /// A URL below the base, such as `/models`. The query stays.
    pub(crate) fn join(&self, leaf: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{leaf}", self.base.path().trim_end_matches('/')));
        url
    }

    /// The path of the base URL.
    pub(crate) fn path(&self) -> &str {
        self.base.path().trim_end_matches('/')
    }

    /// The host's name or address.
    pub(crate) fn host(&self) -> Option<&str> {
        self.base.host_str()
    }

    /// Whether it is one of Alibaba Cloud's, such as `DashScope`'s.
    pub(crate) fn is_aliyun(&self) -> bool {
        self.host().is_some_and(|host| host.ends_with("aliyuncs.com"))
    }

    /// The host and port of connections.
    pub(crate) fn address(&self) -> Option<(String, u16)> {
        let host = self.base.host_str()?.trim_start_matches('[').trim_end_matches(']');
        Some((host.to_owned(), self.base.port_or_known_default()?))
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        match self.base.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Whether it is on this machine or in a network of one's own, by its address or name.
    pub fn is_own(&self) -> bool {
        match self.base.host() {
            Some(Host::Domain(name)) => {
                let own = [".local", ".lan", ".internal", ".home.arpa"];
                self.is_loopback()
                    || !name.contains('.')
                    || own.iter().any(|end| name.ends_with(end))
            }
            Some(Host::Ipv4(address)) => {
                address.is_loopback() || address.is_private() || address.is_link_local()
            }
            Some(Host::Ipv6(address)) => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
            None => false,
        }
    }

    /// Whether what is sent to it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted_url(&self.base))
    }
}

/// A URL for messages: without user, query and fragment, which may hold secrets.
pub(crate) fn redacted_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for URLs that cannot have a user at all.
    let bare = url.set_username("").is_ok() && url.set_password(None).is_ok();
    if bare || url.host().is_none() { url.to_string() } else { url.origin().ascii_serialization() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(text: &str) -> String {
        Endpoint::parse(text).unwrap().join("/chat/completions").to_string()
    }

    #[test]
    fn every_usual_way_to_write_it_means_the_same() {
        for text in [
            "http://127.0.0.1:8000",
            "http://127.0.0.1:8000/",
            "http://127.0.0.1:8000/v1",
            " http://127.0.0.1:8000/v1/ ",
            "http://127.0.0.1:8000/v1/chat/completions",
            "http://127.0.0.1:8000/chat/completions",
        ] {
            assert_eq!(chat(text), "http://127.0.0.1:8000/v1/chat/completions", "{text}");
        }
        assert_eq!(
            chat("https://example.com/api/paas/v4"),
            "https://example.com/api/paas/v4/chat/completions"
        );
        assert_eq!(
            chat("https://example.com/openai/v1?api-version=1"),
            "https://example.com/openai/v1/chat/completions?api-version=1"
        );
        for leaf in ["chat/completions", "messages", "responses"] {
            let pasted = Endpoint::parse(&format!("http://h/v1/{leaf}")).unwrap();
            assert_eq!(pasted.join("/models").as_str(), "http://h/v1/models", "{leaf}");
        }
    }

    #[test]
    fn what_cannot_be_an_endpoint_is_refused_with_the_way_out() {
        for (text, part) in [
            ("", "is empty"),
            ("localhost:8000", "http://"),
            ("ftp://x/", "http://"),
            ("http://", "cannot be read"),
            ("http://me:pw@host/v1", "its own setting"),
        ] {
            let error = Endpoint::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_shown_holds_no_secret() {
        let url = Url::parse("https://me:pw@example.com/v1?key=s#f").unwrap();
        assert_eq!(redacted_url(&url), "https://example.com/v1");
    }

    #[test]
    fn endpoints_of_ones_own_are_known_by_their_addresses_and_names() {
        let own = ["http://localhost:8000", "http://10.0.2.2:8000", "http://192.168.1.7/v1"];
        let also =
            ["http://[fd00::1]:80", "http://gpu:8000/v1", "http://gpu.lan", "http://a.local"];
        for text in own.into_iter().chain(also) {
            assert!(Endpoint::parse(text).unwrap().is_own(), "{text}");
        }
        for text in ["https://api.example.com/v1", "http://8.8.8.8", "http://[2001:db8::1]/"] {
            assert!(!Endpoint::parse(text).unwrap().is_own(), "{text}");
        }
    }

    #[test]
    fn loopback_is_known_in_every_spelling() {
        for text in
            ["http://localhost:1", "http://127.8.0.1", "http://[::1]:80", "http://a.localhost"]
        {
            assert!(Endpoint::parse(text).unwrap().is_loopback(), "{text}");
        }
        assert!(!Endpoint::parse("http://10.0.2.2:8000").unwrap().is_loopback());
    }
}
