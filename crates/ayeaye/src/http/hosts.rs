//! Which hosts this server answers to.
//!
//! A web page can make its browser call a server on loopback. With a name that resolves to 127.0.0.1
//! (DNS rebinding) the browser even lets the page read the answers; the `Host` header reveals that
//! name.
use std::net::IpAddr;

use crate::config::{HostName, Listen};

/// The hosts that requests may name.
#[derive(Debug, Clone)]
pub(super) struct Hosts {
    allowed: Vec<HostName>,
    port: u16,
    /// Whether a browser can connect to it without anything between.
    is_tcp: bool,
}

impl Hosts {
    /// The names of loopback, those of the address the server listens at, and `more`.
    pub(super) fn new(listens: &Listen, more: &[HostName]) -> Self {
        let literal = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let (mut names, mut port) = (vec!["localhost".to_owned()], 80);
        // A Unix socket has no address: programs send `localhost`, and browsers cannot connect.
        if let Listen::Tcp(address) = listens {
            port = address.port();
            names.extend(["127.0.0.1".to_owned(), "[::1]".to_owned()]);
            if !address.ip().is_unspecified() {
                names.push(literal(address.ip()));
            }
        }
        let own = names.into_iter().map(|name| HostName { name, port: Some(port) });
        let is_tcp = matches!(listens, Listen::Tcp(_));
        Self { allowed: own.chain(more.iter().cloned()).collect(), port, is_tcp }
    }

    /// Whether pages of this origin come from this very server: from loopback, at the name and port that the request
    /// for one of our hosts gave. Browsers write it exactly so; other ways to write the same are of no browser.
    ///
    /// At a Unix socket whatever passes the request on has that origin.
    pub(super) fn is_own_origin(&self, host: &HostName, origin: &str) -> bool {
        let port = |host: &HostName| host.port.unwrap_or(80);
        let origin = origin.strip_prefix("http://").and_then(|it| it.parse::<HostName>().ok());
        self.is_tcp
            && host.is_local()
            && origin.is_some_and(|it| it.name == host.name && port(&it) == port(host))
    }

    /// The hosts that requests may name, with the ports that they may come with.
    pub(super) fn names(&self) -> impl Iterator<Item = HostName> {
        self.allowed.iter().flat_map(|host| {
            let with_ours = HostName { port: Some(self.port), ..host.clone() };
            [Some(host.clone()), host.port.is_none().then_some(with_ours)].into_iter().flatten()
        })
    }

    /// What to answer to a request for this host: the reason, and the setting that lets it in.
    pub(super) fn refusal(&self, host: &HostName) -> String {
        let port = self.port;
        let reason = if host.is_local() {
            format!(
                "it listens at port {port}, and another port reaches it through a tunnel or a container \
                 only (ssh -L, docker -p)"
            )
        } else {
            "a web page could have pointed that name at this machine (DNS rebinding)".to_owned()
        };
        format!(
            "this server does not answer to {host}: {reason}. If the name is right, add it: \
             http.allowed-hosts = [\"{host}\"] in ayeaye.toml, or AYEAYE_HTTP_ALLOWED_HOSTS={host}"
        )
    }

    /// Whether a request may name this host. A name that was allowed without a port may come without
    /// one (a proxy at the default port) or with ours.
    pub(super) fn allow(&self, host: &HostName) -> bool {
        self.allowed.iter().any(|allowed| {
            allowed.name == host.name
                && match (allowed.port, host.port) {
                    (Some(allowed), Some(said)) => allowed == said,
                    // Clients leave out port 80.
                    (Some(allowed), None) => allowed == 80,
                    (None, Some(said)) => said == self.port,
                    (None, None) => true,
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostName {
        text.parse().unwrap_or_else(|err| panic!("{err}"))
    }

    #[test]
    fn loopback_answers_to_its_names_with_its_port_only() {
        let hosts = Hosts::new(&"127.0.0.1:8642".parse().unwrap(), &[]);
        for good in ["localhost:8642", "LOCALHOST:8642", "127.0.0.1:8642", "[::1]:8642"] {
            assert!(hosts.allow(&host(good)), "{good}");
        }
        for evil in [
            "localhost",
            "localhost:80",
            "localhost:8643",
            "evil.example:8642",
            "localhost.evil.example:8642",
            "127.0.0.1.nip.io:8642",
            "0.0.0.0:8642",
            "127.0.0.2:8642",
            "[::]:8642",
            "[::ffff:127.0.0.1]:8642",
        ] {
            assert!(!hosts.allow(&host(evil)), "{evil}");
        }
    }

    #[test]
    fn its_own_origin_is_the_one_of_the_host_that_was_named_on_loopback() {
        let hosts = Hosts::new(&"127.0.0.1:8642".parse().unwrap(), &[]);
        let own = |host_named: &str, origin: &str| hosts.is_own_origin(&host(host_named), origin);
        for name in ["localhost:8642", "127.0.0.1:8642", "[::1]:8642"] {
            assert!(own(name, &format!("http://{name}")), "{name}");
        }
        assert!(own("LocalHost:8642", "http://localhost:8642"));
        assert!(own("localhost:8642", "http://LOCALHOST:8642"));
        for port_80 in [("localhost:80", "http://localhost"), ("localhost", "http://localhost")] {
            assert!(own(port_80.0, port_80.1), "{port_80:?}");
        }
        for other in [
            "null",
            "",
            "localhost:8642",
            // There is no TLS here, and another scheme is another origin.
            "https://localhost:8642",
            "HTTP://localhost:8642",
            "ws://localhost:8642",
            "http://localhost",
            "http://localhost:80",
            "http://localhost:8643",
            "http://localhost:08642",
            "http://127.0.0.1:8642",
            "http://[::1]:8642",
            "http://localhost.:8642",
            "http://localhost.evil.example:8642",
            "http://evil.localhost:8642",
            "http://@localhost:8642",
            "http://user@localhost:8642",
            "http://localhost:8642@evil.example",
            "http://localhost:8642/",
            "http://localhost:8642/mcp",
            "http://localhost:8642?",
            "http://localhost:8642 http://evil.example",
            " http://localhost:8642",
            "http:\\\\localhost:8642",
        ] {
            assert!(!own("localhost:8642", other), "{other}");
        }
        for same_machine in
            ["http://127.1:8642", "http://2130706433:8642", "http://[::ffff:127.0.0.1]:8642"]
        {
            assert!(!own("127.0.0.1:8642", same_machine), "{same_machine}");
        }
    }

    #[test]
    fn no_name_but_those_of_loopback_has_an_origin_of_its_own() {
        let more = [host("phones.example.com"), host("10.0.0.2:8642"), host("127.0.0.1:9999")];
        let hosts = Hosts::new(&"0.0.0.0:8642".parse().unwrap(), &more);
        for name in ["phones.example.com", "phones.example.com:8642", "10.0.0.2:8642"] {
            assert!(hosts.allow(&host(name)), "{name}");
            assert!(!hosts.is_own_origin(&host(name), &format!("http://{name}")), "{name}");
        }
        // The end of a tunnel that the settings name.
        assert!(hosts.is_own_origin(&host("127.0.0.1:9999"), "http://127.0.0.1:9999"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_of_loopback_before_a_socket_has_no_origin_of_its_own() {
        // Whatever is at port 80 and passes requests on to a socket may serve anybody's pages.
        let socket = Hosts::new(&"unix:/run/ayeaye.sock".parse().unwrap(), &[]);
        assert!(socket.allow(&host("localhost")));
        assert!(!socket.is_own_origin(&host("localhost"), "http://localhost"));
    }

    #[test]
    fn a_refusal_names_the_reason_and_the_setting() {
        let hosts = Hosts::new(&"127.0.0.1:8642".parse().unwrap(), &[]);
        let tunnel = hosts.refusal(&host("127.0.0.1:9999"));
        for part in [
            "127.0.0.1:9999",
            "port 8642",
            "ssh -L",
            "http.allowed-hosts",
            "AYEAYE_HTTP_ALLOWED_HOSTS",
        ] {
            assert!(tunnel.contains(part), "{part}: {tunnel}");
        }
        assert!(hosts.refusal(&host("evil.example")).contains("DNS rebinding"));
        // What it says helps.
        let told = Hosts::new(&"127.0.0.1:8642".parse().unwrap(), &[host("127.0.0.1:9999")]);
        assert!(told.allow(&host("127.0.0.1:9999")) && !told.allow(&host("127.0.0.1:9998")));
    }

    #[test]
    fn other_names_are_those_of_the_settings() {
        let more = [host("phones.example.com"), host("other.example:9000")];
        let hosts = Hosts::new(&"10.0.0.2:8642".parse().unwrap(), &more);
        for good in
            ["phones.example.com", "phones.example.com:8642", "other.example:9000", "10.0.0.2:8642"]
        {
            assert!(hosts.allow(&host(good)), "{good}");
        }
        for evil in ["phones.example.com:9000", "other.example", "other.example:8642", "10.0.0.2"] {
            assert!(!hosts.allow(&host(evil)), "{evil}");
        }
        let any = Hosts::new(&"0.0.0.0:80".parse().unwrap(), &[]);
        assert!(any.allow(&host("localhost")));
        assert!(!any.allow(&host("0.0.0.0")));
    }
}
