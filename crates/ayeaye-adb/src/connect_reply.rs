//! adb's replies about phones on the network, and the errors they mean.
//!
//! adb says `OKAY` also when it failed: only the sentence behind it tells. The sentences are those of
//! AOSP's `transport_local.cpp`, `network.cpp`, `sysdeps_win32.cpp` and `adb_wifi.cpp`.
use std::time::Duration;

use crate::parse::sanitize;

/// Why a phone on the network could not be connected, paired, found or disconnected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The adb server cannot be reached.
    #[error("no adb server: {0}")]
    NoServer(String),
    /// The adb server is too old for this.
    #[error(
        "this adb server cannot {0}: it is older than Android's platform-tools 30, or not Android's own"
    )]
    TooOld(&'static str),
    /// The adb server finds no phones on the network; its reason.
    #[error("this adb server does not look for phones on the network: {0}")]
    NoDiscovery(String),
    /// Not an address of a phone.
    #[error("`{0}` is not an address: use HOST or HOST:PORT")]
    InvalidAddress(String),
    /// An address for pairing without the port.
    #[error("`{0}` lacks the port: the phone shows it beside the pairing code")]
    MissingPort(String),
    /// Not a pairing code.
    #[error("that is not a pairing code: the phone shows six digits")]
    InvalidCode,
    /// There is no such host.
    #[error("no host of the name `{}` is known", host_of(.0))]
    UnknownHost(String),
    /// The host is there, but nothing listens at the port.
    #[error("nothing listens at {0}")]
    PortClosed(String),
    /// The host does not answer.
    #[error("{address} does not answer: {said}")]
    HostSilent {
        /// Where the phone was looked for.
        address: String,
        /// adb's words.
        said: String,
    },
    /// Something listens there, but it does not speak as a phone does: so does one with wireless debugging that this
    /// computer was never paired with.
    #[error("{} takes the connection, but {}", .0, broke_off(.0))]
    NotAPhone(String),
    /// The phone does not trust this computer yet.
    #[error("{0} does not trust this computer yet")]
    NotAuthorized(String),
    /// The phone is connected, but cannot be used; its state.
    #[error("{0} is connected, but {1}")]
    NotReady(String, String),
    /// The phone refused the pairing code, or broke off.
    #[error("the phone did not take the code")]
    WrongCode,
    /// The phone does not wait for a pairing at this address.
    #[error("{0} does not wait for a pairing")]
    NotPairing(String),
    /// Nothing is connected under this name.
    #[error("{0} is not connected")]
    NotConnected(String),
    /// adb failed for another reason, in its words.
    #[error("adb says: {0}")]
    Refused(String),
    /// No answer in time.
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The adb server itself does not answer.
    #[error("the adb server does not answer; the phone was not asked")]
    ServerHangs,
    /// Too many earlier calls have not ended.
    #[error("too many of these calls are still under way")]
    Busy,
}

/// Why a connection ends before anything is said. Wireless debugging has any port but 5555, and breaks off where it
/// does not know the computer's key; of that adb says no more than of what is no phone.
fn broke_off(address: &str) -> &'static str {
    match address.rsplit_once(':') {
        Some((_, "5555")) => "does not answer as a phone",
        _ => "is not paired with this computer, or is no phone",
    }
}

/// An address without its port, which may not have been typed.
fn host_of(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(host, _)| host)
}

/// What adb was asked for, as far as its reply depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConnectCommand {
    Connect(String),
    Disconnect(String),
    Pair(String),
}

/// The reply to a request: what it means if it is a success, otherwise why not.
pub(crate) fn read(asked: &ConnectCommand, said: &str) -> Result<String, ConnectError> {
    let succeeded = match asked {
        ConnectCommand::Connect(_) => {
            said.starts_with("connected to") || said.starts_with("already connected to")
        }
        ConnectCommand::Disconnect(_) => said.starts_with("disconnected"),
        ConnectCommand::Pair(_) => said.starts_with("Successfully paired"),
    };
    if succeeded { Ok(said.to_owned()) } else { Err(failure(asked, said)) }
}

/// The error that a sentence of adb means.
pub(crate) fn failure(asked: &ConnectCommand, said: &str) -> ConnectError {
    let lower = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["unknown host service"]) {
        return ConnectError::TooOld(match asked {
            ConnectCommand::Pair(_) => "pair",
            ConnectCommand::Connect(_) | ConnectCommand::Disconnect(_) => {
                "connect phones over the network"
            }
        });
    }
    match asked {
        ConnectCommand::Pair(address) => pairing_failure(address, said, &has),
        ConnectCommand::Disconnect(name) if has(&["no such device", "not found"]) => {
            ConnectError::NotConnected(name.clone())
        }
        ConnectCommand::Connect(address) => connecting_failure(address, said, &has),
        ConnectCommand::Disconnect(_) => ConnectError::Refused(sanitize(said)),
    }
}

fn connecting_failure(address: &str, said: &str, has: &dyn Fn(&[&str]) -> bool) -> ConnectError {
    let address = address.to_owned();
    if has(&["failed to authenticate", "unauthorized"]) {
        return ConnectError::NotAuthorized(address);
    }
    if has(&["resolve host", "name or service not known", "nodename nor servname", "no such host"])
    {
        return ConnectError::UnknownHost(address);
    }
    if has(&["connection refused", "actively refused", "(10061)"]) {
        return ConnectError::PortClosed(address);
    }
    if has(&["bad port number", "no host in", "couldn't parse", "empty address"]) {
        return ConnectError::InvalidAddress(address);
    }
    if has(&["no route", "unreachable", "timed out", "timeout", "host is down", "(1006", "(10051)"])
    {
        // What stands behind the address is the reason.
        let reason = said.rsplit(": ").next().unwrap_or(said);
        return ConnectError::HostSilent { address, said: sanitize(reason) };
    }
    // With a reason behind the address nothing took the connection.
    if has(&["connect to"]) && !said.contains(": ") {
        return ConnectError::NotAPhone(address);
    }
    ConnectError::Refused(sanitize(said))
}

fn pairing_failure(address: &str, said: &str, has: &dyn Fn(&[&str]) -> bool) -> ConnectError {
    if has(&["wrong password", "connection was dropped"]) {
        ConnectError::WrongCode
    } else if has(&["unable to start pairing client", "connection refused", "no route"]) {
        ConnectError::NotPairing(address.to_owned())
    } else if has(&["failed to parse address", "invalid port"]) {
        ConnectError::InvalidAddress(address.to_owned())
    } else {
        ConnectError::Refused(sanitize(said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHONE: &str = "10.0.0.9:5555";

    fn connecting(said: &str) -> Result<String, ConnectError> {
        read(&ConnectCommand::Connect(PHONE.to_owned()), said)
    }

    #[test]
    fn every_way_to_fail_at_connecting_is_told_apart() {
        assert!(connecting("connected to 10.0.0.9:5555").is_ok());
        assert!(connecting("already connected to 10.0.0.9:5555").is_ok());
        let of = |said: &str| connecting(said).unwrap_err();
        let phone = || PHONE.to_owned();
        for said in [
            "failed to connect to '10.0.0.9:5555': Connection refused",
            "unable to connect to 10.0.0.9:5555: Connection refused",
            "cannot connect to 10.0.0.9:5555: No connection could be made because the target machine \
             actively refused it. (10061)",
        ] {
            assert_eq!(of(said), ConnectError::PortClosed(phone()), "{said}");
        }
        for said in [
            "failed to connect to '10.0.0.9:5555': No route to host",
            "failed to connect to '10.0.0.9:5555': Connection timed out",
            "failed to connect to '10.0.0.9:5555': Operation timed out",
            "failed to connect to '10.0.0.9:5555': Network is unreachable",
            "cannot connect to 10.0.0.9:5555: A connection attempt failed because the connected party did \
             not properly respond after a period of time. (10060)",
        ] {
            assert!(matches!(of(said), ConnectError::HostSilent { .. }), "{said}: {:?}", of(said));
        }
        assert_eq!(
            of("failed to connect to '10.0.0.9:5555': No route to host").to_string(),
            "10.0.0.9:5555 does not answer: No route to host"
        );
        for said in [
            "failed to resolve host: 'nowhere': Name or service not known",
            "cannot resolve host 'nowhere' and port 5555: No such host is known. (11001)",
        ] {
            assert_eq!(of(said), ConnectError::UnknownHost(phone()), "{said}");
        }
        assert_eq!(
            of("failed to authenticate to 10.0.0.9:5555"),
            ConnectError::NotAuthorized(phone())
        );
        let not_one = of("failed to connect to 10.0.0.9:5555");
        assert_eq!(not_one, ConnectError::NotAPhone(phone()));
        assert!(not_one.to_string().ends_with("does not answer as a phone"), "{not_one}");
        for address in ["10.0.0.9:41235", "adb-X1-abc._adb-tls-connect._tcp"] {
            let said = format!("failed to connect to {address}");
            let error =
                read(&ConnectCommand::Connect(address.to_owned()), &said).unwrap_err().to_string();
            assert!(error.contains("is not paired with this computer, or is no phone"), "{error}");
        }
        assert_eq!(
            of("bad port number '99999' in '10.0.0.9:99999'"),
            ConnectError::InvalidAddress(phone())
        );
        // Nothing took the connection: the computer refused it itself.
        let refused = "cannot connect to 10.0.0.9:5555: An attempt was made to access a socket in a way forbidden \
             by its access permissions. (10013)";
        assert_eq!(of(refused), ConnectError::Refused(refused.to_owned()));
        assert_eq!(
            of("something\u{202e} new\n"),
            ConnectError::Refused("something new".to_owned())
        );
    }

    #[test]
    fn every_way_to_fail_at_pairing_is_told_apart() {
        let of = |said: &str| read(&ConnectCommand::Pair(PHONE.to_owned()), said);
        assert!(of("Successfully paired to 10.0.0.9:37123 [guid=adb-X1-abc]").is_ok());
        let of = |said: &str| of(said).unwrap_err();
        assert_eq!(
            of("Failed: Wrong password or connection was dropped."),
            ConnectError::WrongCode
        );
        assert_eq!(
            of("Failed: Unable to start pairing client."),
            ConnectError::NotPairing(PHONE.to_owned())
        );
        assert_eq!(of("unknown host service"), ConnectError::TooOld("pair"));
        assert_eq!(
            of("Failed to parse address for pairing: bad port number"),
            ConnectError::InvalidAddress(PHONE.to_owned())
        );
        assert!(matches!(
            of("Failed: Successfully paired but server returned unknown response=7"),
            ConnectError::Refused(_)
        ));
    }

    #[test]
    fn what_is_not_connected_cannot_be_disconnected() {
        let of = |said: &str| read(&ConnectCommand::Disconnect(PHONE.to_owned()), said);
        assert!(of("disconnected 10.0.0.9:5555").is_ok());
        assert!(of("disconnected everything").is_ok());
        for said in ["no such device '10.0.0.9:5555'", "error: device '10.0.0.9:5555' not found"] {
            assert_eq!(of(said), Err(ConnectError::NotConnected(PHONE.to_owned())));
        }
    }
}
