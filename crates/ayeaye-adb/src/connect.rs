//! Phones on the network: connect, disconnect, pair, discover. These calls are rare, and a person waits
//! for them.
mod address;
mod ask;
mod offers;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceNames, NearbyPhone};
use tokio::time::{Instant, sleep, timeout};

use self::address::PhoneAddress;
use self::ask::{ask, by_adb_client, query, server_for_adb_client};
pub use self::offers::{MdnsService, OfferKind};
use crate::connect_reply::{ConnectCommand, ConnectError, failure};
use crate::parse::DeviceListing;
use crate::server::Server;
use crate::{AdbDevices, parse};

/// For the fuzz tests.
#[cfg(test)]
pub(crate) mod parsers {
    pub(crate) use super::address::PhoneAddress;
    pub(crate) use super::offers::offers;
}

/// How often the state of a phone is looked at that has just been connected. Older servers say that it
/// is before they have greeted it.
const LOOK_EVERY: Duration = Duration::from_millis(60);
/// Listing what the adb server has heard of.
const LIST_LIMIT: Duration = Duration::from_secs(3);

/// How long the adb server may take to say it where nobody asked for it.
const NEARBY_LIMIT: Duration = Duration::from_secs(1);

/// What became of a pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paired {
    /// The name by which the phone announces itself from now on, such as `adb-R58M12ABCDE-Hq2xYz`,
    /// if the phone told it.
    pub name: Option<String>,
}

impl AdbDevices {
    /// Connects to a phone that listens on the network, `HOST[:PORT]` or the name of an mDNS service.
    /// Returns its serial once it is ready: adb's word alone does not count.
    ///
    /// # Errors
    ///
    /// [`ConnectError::NotAuthorized`] where a person has to allow this computer on the phone; the
    /// phone stays in the list then. The rest says why there is no connection.
    pub async fn connect(&self, address: &str) -> Result<String, ConnectError> {
        let address = PhoneAddress::parse(address)?;
        let server = self.server();
        let was_listed = is_listed(server, address.as_str()).await;
        self.connect_new(&address, was_listed).await?;
        let listed = settled(server, address.as_str()).await?;
        let connected = match listed.as_ref().map(|line| line.state.as_str()) {
            // adb keeps a phone that it has lost in its list, and is content with that.
            Some("offline") => {
                disconnect_once(server, &address).await?;
                self.connect_new(&address, was_listed).await?;
                ready(&address, settled(server, address.as_str()).await?)
            }
            _ => ready(&address, listed),
        };
        // What is no phone would stay in adb's list, and be tried again and again.
        if matches!(connected, Err(ConnectError::NotAPhone(_)))
            && let Err(error) = disconnect_once(server, &address).await
        {
            tracing::debug!("{address} stays in adb's list: {error}");
        }
        connected
    }

    /// Disconnects a phone on the network: by its address or serial, or all of them. A phone on a cable
    /// stays.
    pub async fn disconnect(&self, which: Option<&str>) -> Result<(), ConnectError> {
        let Some(which) = which else {
            let asked = ConnectCommand::Disconnect(String::new());
            for server in self.all_servers() {
                ask(server, "host:disconnect:", &asked).await?;
            }
            return Ok(());
        };
        let address = PhoneAddress::parse(which)?;
        let mut outcome = Err(ConnectError::NotConnected(address.to_string()));
        for server in self.all_servers() {
            match disconnect_once(server, &address).await {
                Err(ConnectError::NotConnected(_)) => {}
                Err(error) if outcome.is_err() => outcome = Err(error),
                Err(_) => {}
                Ok(()) => outcome = Ok(()),
            }
        }
        outcome
    }

    /// Pairs with a phone that shows a code and an address for it, or has read both from a QR code.
    pub async fn pair(&self, address: &str, code: &str) -> Result<Paired, ConnectError> {
        let address = PhoneAddress::parse_for_pairing(address)?;
        // A colon would end the code for adb.
        if code.is_empty() || 64 < code.len() || !code.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(ConnectError::InvalidCode);
        }
        let asked = ConnectCommand::Pair(address.to_string());
        let said = ask(self.server(), &format!("host:pair:{code}:{address}"), &asked).await?;
        let name = said.split_once("[guid=").and_then(|(_, rest)| rest.split_once(']'));
        let name = name.map(|(name, _)| parse::sanitize(name)).filter(|name| !name.is_empty());
        Ok(Paired { name })
    }

    /// Whether an address can be paired with, before anybody is asked for the code.
    pub fn check_pairing_address(address: &str) -> Result<(), ConnectError> {
        PhoneAddress::parse_for_pairing(address).map(drop)
    }

    /// The phones that announce themselves on the network (mDNS), as far as the adb server has heard of
    /// them.
    ///
    /// # Errors
    ///
    /// [`ConnectError::TooOld`] and [`ConnectError::NoDiscovery`] where the server does not listen for
    /// them at all.
    pub async fn discover(&self) -> Result<Vec<MdnsService>, ConnectError> {
        let server = self.server();
        let told = match query(server, "host:mdns:services", LIST_LIMIT).await? {
            Ok(told) => told,
            Err(said) => return Err(no_discovery(&said)),
        };
        let found = offers::offers(&told);
        if !found.is_empty() {
            return Ok(found);
        }
        // An empty list is also what a server says that does not listen.
        match query(server, "host:mdns:check", LIST_LIMIT).await? {
            Ok(said) if said.starts_with("mdns daemon version") => Ok(found),
            Ok(said) | Err(said) => Err(no_discovery(&said)),
        }
    }

    /// Phones on the network that are not among these, as far as the server tells it at once.
    pub(crate) async fn not_connected(&self, listed: &[DeviceNames]) -> Vec<NearbyPhone> {
        let Ok(Ok(offers)) = timeout(NEARBY_LIMIT, self.discover()).await else {
            return Vec::new();
        };
        let pairing = |offer: &MdnsService| offer.kind == OfferKind::Pairing;
        let is_listed = |offer: &MdnsService| {
            let mut serials = listed.iter().flat_map(|it| std::iter::once(&it.id).chain(&it.also));
            serials.any(|serial| offer.is_serial(serial.as_str()))
        };
        let new = offers.into_iter().filter(|offer| pairing(offer) || !is_listed(offer));
        new.map(|offer| NearbyPhone {
            pairing: pairing(&offer),
            name: offer.name,
            address: offer.address,
        })
        .collect()
    }

    /// Connects once; an address that adb did not know before is taken out of its list again if that fails.
    async fn connect_new(
        &self,
        address: &PhoneAddress,
        was_listed: bool,
    ) -> Result<(), ConnectError> {
        let connected = self.connect_once(address).await;
        if !was_listed
            && connected.as_ref().is_err_and(stays_listed)
            && let Ok(Err(error)) =
                timeout(LIST_LIMIT, disconnect_once(self.server(), address)).await
        {
            tracing::debug!("{address} was not in adb's list, or stays there: {error}");
        }
        connected
    }

    async fn connect_once(&self, address: &PhoneAddress) -> Result<(), ConnectError> {
        let server = self.server();
        let asked = ConnectCommand::Connect(address.to_string());
        match (server_for_adb_client(server), address.v4()) {
            (Some(at), Some(phone)) => {
                by_adb_client(server, at, &asked, move |adb| adb.connect_device(phone)).await
            }
            _ => ask(server, &format!("host:connect:{address}"), &asked).await.map(drop),
        }
    }
}

/// Whether adb may keep an address that it could not connect, as `offline`, and try it again and again. One that does
/// not trust this computer yet is to stay until somebody allows it.
fn stays_listed(error: &ConnectError) -> bool {
    matches!(
        error,
        ConnectError::NotAPhone(_)
            | ConnectError::PortClosed(_)
            | ConnectError::UnknownHost(_)
            | ConnectError::HostSilent { .. }
            | ConnectError::Refused(_)
            | ConnectError::TimedOut(_)
    )
}

/// Whether adb lists a phone, in whatever state. What cannot be asked is taken for listed, and stays.
async fn is_listed(server: &Server, serial: &str) -> bool {
    list(server).await.map_or(true, |lines| lines.iter().any(|line| is_serial(line, serial)))
}

async fn list(server: &Server) -> Result<Vec<DeviceListing>, ConnectError> {
    let list = server.query("host:devices-l").await;
    let list = list.map_err(|error| ConnectError::NoServer(error.to_string()))?;
    Ok(parse::devices(&String::from_utf8_lossy(&list)))
}

/// Many servers list what they have found by mDNS with a dot at the end.
fn is_serial(line: &DeviceListing, serial: &str) -> bool {
    line.serial.trim_end_matches('.') == serial.trim_end_matches('.')
}

async fn disconnect_once(server: &Arc<Server>, address: &PhoneAddress) -> Result<(), ConnectError> {
    let asked = ConnectCommand::Disconnect(address.to_string());
    match (server_for_adb_client(server), address.v4()) {
        (Some(at), Some(phone)) => {
            by_adb_client(server, at, &asked, move |adb| adb.disconnect_device(phone)).await
        }
        _ => ask(server, &format!("host:disconnect:{address}"), &asked).await.map(drop),
    }
}

fn no_discovery(said: &str) -> ConnectError {
    let asked = ConnectCommand::Connect(String::new());
    if matches!(failure(&asked, said), ConnectError::TooOld(_)) {
        return ConnectError::TooOld("look for phones on the network");
    }
    ConnectError::NoDiscovery(parse::sanitize(said.trim_start_matches("ERROR: ")))
}

/// The serial of a phone that is ready, or what it lacks.
fn ready(address: &PhoneAddress, listed: Option<DeviceListing>) -> Result<String, ConnectError> {
    let name = address.to_string();
    let state = listed.as_ref().map(|line| line.state.as_str());
    match state {
        Some("device") => Ok(listed.map_or(name, |line| line.serial)),
        Some("unauthorized" | "authorizing") => Err(ConnectError::NotAuthorized(name)),
        Some("offline") => Err(ConnectError::NotAPhone(name)),
        Some(other) => Err(ConnectError::NotReady(name, format!("it is {other}"))),
        None => Err(ConnectError::NotReady(name, "gone again at once".to_owned())),
    }
}

/// What adb lists of a phone as soon as it is ready, at the latest when its time is up.
async fn settled(server: &Server, serial: &str) -> Result<Option<DeviceListing>, ConnectError> {
    let deadline = Instant::now() + server.config().limits.attach;
    loop {
        let listed = list(server).await?.into_iter().find(|line| is_serial(line, serial));
        let last = deadline <= Instant::now();
        let state = listed.as_ref().map(|line| line.state.as_str());
        if last || matches!(state, Some("device" | "unauthorized")) {
            return Ok(listed);
        }
        sleep(LOOK_EVERY).await;
    }
}
