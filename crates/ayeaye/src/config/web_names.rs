//! The names that a browser's request carries: `Host` and `Origin`.
use std::fmt;
use std::str::FromStr;

use url::Url;

use super::ValueError;

/// The `Host` of a request: RFC 9110, 7.2, without user information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// In lower case, an IPv6 address in brackets.
    pub name: String,
    /// None where the URL's scheme implies it.
    pub port: Option<u16>,
}

impl FromStr for HostName {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ValueError::NotAHost(shown(text));
        let (name, port) = match text.rfind(']') {
            Some(end) => text.split_at(end + 1),
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(digits) => Some(port_number(digits).ok_or_else(wrong)?),
            None if port.is_empty() => None,
            None => return Err(wrong()),
        };
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let good = match inner {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                (1..=253).contains(&name.len())
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
                    && !name.starts_with('.')
                    && !name.ends_with('.')
            }
        };
        if good { Ok(Self { name: name.to_ascii_lowercase(), port }) } else { Err(wrong()) }
    }
}

impl HostName {
    /// The host that requests to this URL say.
    pub fn of(url: &Url) -> Option<Self> {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", url.host_str()?).parse().ok()
    }

    /// Whether it is an IP address.
    pub fn is_address(&self) -> bool {
        self.name.starts_with('[') || self.name.parse::<std::net::Ipv4Addr>().is_ok()
    }

    /// Whether it is a name of loopback, at whatever port.
    pub fn is_local(&self) -> bool {
        matches!(self.name.as_str(), "localhost" | "127.0.0.1" | "[::1]")
    }

    /// What programs say at a Unix socket, which has no name.
    pub fn is_localhost(&self) -> bool {
        self.name == "localhost"
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The origin of a web page: RFC 6454, without the opaque ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(String);

impl FromStr for WebOrigin {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && !text.ends_with('/')
                && !text.contains(['\\', '\t', '\n', '\r', ' '])
        });
        let url = url.ok_or_else(|| ValueError::NotAnOrigin(shown(text)))?;
        Ok(Self(url.origin().ascii_serialization()))
    }
}

/// The beginning of a name, fit for an error.
fn shown(text: &str) -> String {
    text.chars().take(64).flat_map(char::escape_debug).collect()
}

/// A port as it is written in URLs: no sign, no leading zero.
fn port_number(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostName {
        text.parse().unwrap_or_else(|err| panic!("{err}"))
    }

    #[test]
    fn odd_hosts_are_no_hosts() {
        for odd in [
            "",
            ":80",
            "localhost:",
            "localhost:+80",
            "localhost:080",
            "localhost:99999",
            "user@localhost:80",
            "localhost:80:80",
            "local host",
            "localhost.",
            "::1",
            "[::1",
            "[::1]80",
            "[localhost]:80",
            "localhost/",
            "[fe80::1%eth0]:80",
            "löcalhost",
        ] {
            assert!(odd.parse::<HostName>().is_err(), "{odd}");
        }
    }

    #[test]
    fn origins_are_compared_whole() {
        let origin = |text: &str| text.parse::<WebOrigin>().ok();
        assert_eq!(origin("https://App.example.com:443"), origin("https://app.example.com"));
        assert_ne!(origin("https://app.example.com"), origin("http://app.example.com"));
        assert_ne!(origin("https://app.example.com"), origin("https://app.example.com:8443"));
        for odd in [
            "null",
            "*",
            "",
            "app.example.com",
            "https://",
            "https://u@app.example.com",
            "https://app.example.com/",
            "https://app.example.com/x",
            "file:///x",
            "https://a.example https://b.example",
            "https:\\\\app.example.com",
        ] {
            assert!(origin(odd).is_none(), "{odd}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_makes_them_panic(text in "\\PC{0,64}") {
            drop((text.parse::<HostName>(), text.parse::<WebOrigin>()));
        }

        #[test]
        fn what_was_read_is_written_the_same(name in "[a-z][a-z0-9]{0,9}(\\.[a-z]{1,5})?", port in 1u16..) {
            let text = format!("{name}:{port}");
            proptest::prop_assert_eq!(host(&text).to_string(), text);
        }
    }
}
