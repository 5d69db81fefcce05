//! Addresses of phones on the network, as a person types them.
use std::fmt;
use std::net::SocketAddrV4;

use super::ConnectError;
use crate::config::{is_host, parse_port};

/// The port that `adb tcpip` and emulators use, and that adb adds by itself.
const DEFAULT_PORT: u16 = 5555;

/// The longest name: a host name has at most 253 characters, an mDNS service somewhat more.
const MAX_CHARS: usize = 300;

/// Where a phone listens: `HOST:PORT`, or the name of an mDNS service, which adb looks up itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhoneAddress(String);

impl PhoneAddress {
    /// For connecting: `HOST[:PORT]`, `[IPV6][:PORT]`, or the name of a service such as
    /// `adb-R58M12ABCDE-Hq2xYz._adb-tls-connect._tcp`.
    pub(crate) fn parse(text: &str) -> Result<Self, ConnectError> {
        Self::with_port(text, Some(DEFAULT_PORT))
    }

    /// For pairing, where the phone chooses the port.
    pub(crate) fn parse_for_pairing(text: &str) -> Result<Self, ConnectError> {
        Self::with_port(text, None)
    }

    fn with_port(text: &str, default: Option<u16>) -> Result<Self, ConnectError> {
        let text = text.trim();
        let bad = || ConnectError::InvalidAddress(crate::parse::sanitize(text));
        if MAX_CHARS < text.len() {
            return Err(bad());
        }
        if is_service_name(text) {
            return Ok(Self(text.to_owned()));
        }
        let (host, port) = split(text).ok_or_else(bad)?;
        let port = match (port, default) {
            (Some(port), _) => parse_port(port).ok_or_else(bad)?,
            (None, Some(port)) => port,
            (None, None) => return Err(ConnectError::MissingPort(crate::parse::sanitize(text))),
        };
        if !is_host(host) {
            return Err(bad());
        }
        let is_v6 = host.contains(':');
        Ok(Self(if is_v6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") }))
    }

    /// As adb is told, which is also the serial that the phone gets.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What `adb_client` can take: an IPv4 address.
    pub(crate) fn v4(&self) -> Option<SocketAddrV4> {
        self.0.parse().ok()
    }
}

impl fmt::Display for PhoneAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Host and port, the brackets of an IPv6 address taken away.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return match after {
            "" => Some((host, None)),
            _ => Some((host, Some(after.strip_prefix(':')?))),
        };
    }
    match text.split_once(':') {
        // An IPv6 address without brackets cannot have a port.
        Some((host, port)) if !port.contains(':') => Some((host, Some(port))),
        _ => Some((text, None)),
    }
}

/// `NAME._adb-tls-connect._tcp` and the like. The name may hold blanks: a second phone of one name gets
/// ` (2)`.
fn is_service_name(text: &str) -> bool {
    let Some((name, rest)) = text.rsplit_once("._adb") else { return false };
    let service = rest.trim_end_matches('.');
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '(' | ')');
    !name.is_empty() && service.ends_with("._tcp") && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_people_type_becomes_what_adb_reads() {
        for (typed, told) in [
            ("192.168.1.20", "192.168.1.20:5555"),
            ("192.168.1.20:41235", "192.168.1.20:41235"),
            (" phone.local:5555 ", "phone.local:5555"),
            ("[fe80::1%wlan0]:5555", "[fe80::1%wlan0]:5555"),
            ("[2001:db8::7]", "[2001:db8::7]:5555"),
            ("2001:db8::7", "[2001:db8::7]:5555"),
            ("adb-X1 (2)._adb-tls-connect._tcp", "adb-X1 (2)._adb-tls-connect._tcp"),
        ] {
            assert_eq!(PhoneAddress::parse(typed).unwrap().as_str(), told);
        }
        for bad in
            ["", ":5555", "a b", "phone:0", "phone:99999", "phone:x", "; id", "[::1", "a;b:1"]
        {
            let parsed = PhoneAddress::parse(bad);
            assert!(matches!(parsed, Err(ConnectError::InvalidAddress(_))), "{bad}: {parsed:?}");
        }
    }

    #[test]
    fn for_pairing_the_port_is_the_phones() {
        assert!(matches!(
            PhoneAddress::parse_for_pairing("192.168.1.20"),
            Err(ConnectError::MissingPort(_))
        ));
        let parsed = PhoneAddress::parse_for_pairing("192.168.1.20:37123").unwrap();
        assert_eq!(parsed.v4().unwrap().port(), 37123);
    }

    proptest! {
        #[test]
        fn nothing_that_is_taken_could_be_another_request(text in "\\PC{0,60}") {
            if let Ok(address) = PhoneAddress::parse(&text) {
                let odd = |c: char| c.is_control() || matches!(c, ';' | '\'' | '"' | '/' | '\\');
                prop_assert!(!address.as_str().contains(odd));
                prop_assert_eq!(PhoneAddress::parse(address.as_str()).unwrap(), address);
            }
        }
    }
}
