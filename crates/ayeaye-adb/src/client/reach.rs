//! Getting to the phone, in one way or another.
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ayeaye_agent::{DeviceError, Transport};
use tokio::time::{Instant, timeout, timeout_at};

use super::{DeviceClient, Route};
use crate::config::{is_host, parse_port};
use crate::connect_reply::{ConnectCommand, ConnectError, read};
use crate::errors::{Stage, device_error};
use crate::protocol::Connection;
use crate::server::Server;

/// How often the adb server is asked to connect a phone that is missing.
pub(crate) const CONNECT_EVERY: Duration = Duration::from_secs(10);
/// How long the adb server may take for it: it gives up after ten seconds itself.
const CONNECTING: Duration = Duration::from_secs(12);

impl DeviceClient {
    /// A connection to the phone itself, on which nothing has been asked of it yet. That is why another way
    /// may be tried where there is one.
    ///
    /// Not all of this is under the deadline, which is that of the phone's answer: the adb server is connected to
    /// within `limits.connect`, and where none runs it is started within `limits.start`, which a command that may take
    /// two seconds must not cut off. Looking for another way takes `limits.list` and twice `limits.describe` at most,
    /// and then the server of that way is connected to.
    pub(super) async fn reach(
        &self,
        what: &str,
        deadline: Instant,
    ) -> Result<Connection, DeviceError> {
        if self.is_in_doubt.swap(false, Ordering::Relaxed) {
            self.go_another_way(false).await;
        }
        let connection = match self.transport(what, deadline).await {
            Err(error) if error.is_unreachable() && self.go_another_way(true).await => {
                self.transport(what, deadline).await?
            }
            Err(DeviceError::NotFound(_)) if self.connected_again().await => {
                self.transport(what, deadline).await?
            }
            reached => reached?,
        };
        // A connection does not outlive its link: where another phone answers now, this one leads to that one, or is dead.
        self.ensure_same_phone().await?;
        Ok(connection)
    }

    pub(super) async fn transport(
        &self,
        what: &str,
        deadline: Instant,
    ) -> Result<Connection, DeviceError> {
        let Route { server, serial } = self.way();
        let transport = format!("host:transport:{serial}");
        let asked = async {
            let mut connection = server.connect().await?;
            match timeout_at(deadline, connection.request(&transport)).await {
                Ok(Ok(())) => Ok(connection),
                Ok(Err(error)) => Err(device_error(&self.id, what, Stage::Connecting, error)),
                Err(_) => {
                    let state = "out of reach: the adb server does not answer".to_owned();
                    Err(DeviceError::NotReady(self.id.clone(), state))
                }
            }
        };
        let reached = asked.await;
        if reached.is_err() {
            self.same_phone.link_lost();
        }
        reached
    }

    /// Whether the adb server was asked to connect a phone on the network that is missing from its list, and has it again.
    ///
    /// A server that was started anew knows none of them. Only a phone that is driven is connected, at the very address
    /// at which it was; whether it is that phone is looked at before anything is asked of it.
    async fn connected_again(&self) -> bool {
        let Route { server, serial } = self.way();
        if !self.is_driven() || !is_network_address(&serial) || !self.may_connect_again() {
            return false;
        }
        tracing::info!(device = %self.id, "it is missing from the adb server's list; asking for it");
        connect_again(&server, &serial).await
    }

    /// Whether it was not asked for just now.
    fn may_connect_again(&self) -> bool {
        let mut asked = self.asked_to_connect.lock().unwrap_or_else(PoisonError::into_inner);
        let may = asked.is_none_or(|at| CONNECT_EVERY <= at.elapsed());
        if may {
            *asked = Some(Instant::now());
        }
        may
    }

    /// True if there is another way, which is taken from now on.
    async fn go_another_way(&self, is_gone: bool) -> bool {
        let Some(others) = &self.others else { return false };
        let limit = self.limits.list + 2 * self.limits.describe;
        let found = timeout(limit, others.instead_of(&self.way(), is_gone)).await;
        let Ok(Some(way)) = found else { return false };
        let server = &way.server.config().server;
        tracing::warn!(device = %self.id, serial = way.serial, %server, "its link is gone; going on over another");
        *self.way.lock().unwrap_or_else(PoisonError::into_inner) = way;
        true
    }
}

/// Has an adb server connect the phone at this address; true if it has it in its list then.
pub(crate) async fn connect_again(server: &Server, serial: &str) -> bool {
    let asked = server.query_within(&format!("host:connect:{serial}"), CONNECTING).await;
    let address = &server.config().server;
    match &asked {
        Ok(said) => {
            let said = String::from_utf8_lossy(said);
            match read(&ConnectCommand::Connect(serial.to_owned()), &said) {
                // A phone that does not trust this computer yet asks its person whether it may, and stays in the
                // list as unauthorized.
                Ok(_) | Err(ConnectError::NotAuthorized(_)) => return true,
                Err(error) => {
                    tracing::debug!(serial, server = %address, %error, "not connected again");
                }
            }
        }
        Err(error) => {
            tracing::debug!(serial, server = %address, %error, "not connected again");
        }
    }
    // adb may keep what it could not connect in its list.
    drop(server.query(&format!("host:disconnect:{serial}")).await);
    false
}

/// Whether a serial is where a phone listens on the network, `HOST:PORT`. What adb has found by mDNS it connects itself.
pub fn is_network_address(serial: &str) -> bool {
    let address = serial.rsplit_once(':');
    let host = |host: &str| is_host(host.trim_start_matches('[').trim_end_matches(']'));
    address.is_some_and(|(at, port)| host(at) && parse_port(port).is_some())
}

/// How a phone is attached, from its serial.
pub(crate) fn transport(serial: &str) -> Transport {
    let number = serial.strip_prefix("emulator-");
    if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
        return Transport::Emulator;
    }
    let port = serial.rsplit_once(':').map(|(_, port)| port);
    let is_address = port.is_some_and(|p| p.parse::<u16>().is_ok());
    if is_address || serial.contains("._adb-tls-connect._tcp") || serial.contains("._adb._tcp") {
        return Transport::Tcp;
    }
    Transport::Usb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_tell_how_a_phone_is_attached() {
        for (serial, expected) in [
            ("R58M12ABCDE", Transport::Usb),
            ("(no serial number)", Transport::Usb),
            ("emulator-5554", Transport::Emulator),
            ("emulator-x", Transport::Usb),
            ("emulator-", Transport::Usb),
            ("192.168.0.3:5555", Transport::Tcp),
            ("phone.local:37199", Transport::Tcp),
            ("[fe80::1]:5555", Transport::Tcp),
            ("adb-X1._adb-tls-connect._tcp", Transport::Tcp),
            ("adb-X1-abc (2)._adb-tls-connect._tcp", Transport::Tcp),
            ("adb-R5._adb._tcp", Transport::Tcp),
        ] {
            assert_eq!(transport(serial), expected, "{serial}");
        }
    }

    #[test]
    fn only_addresses_on_the_network_are_connected() {
        for address in ["10.0.0.9:5555", "phone.local:41235", "[fe80::1%wlan0]:5555"] {
            assert!(is_network_address(address), "{address}");
        }
        for other in [
            "R58M1",
            "emulator-5554",
            "adb-R58M1-abc._adb-tls-connect._tcp",
            "a b:5555",
            ":5555",
            "x:0",
        ] {
            assert!(!is_network_address(other), "{other}");
        }
    }
}
