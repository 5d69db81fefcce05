//! Phones on the network: connect, disconnect, pair, discover.
//!
//! These calls are rare, a person waits for them, and `adb_client` has them; see
//! `docs/decisions/0001-own-adb-client.md` for why everything else here does without that crate. It
//! blocks without time limits, so it runs on a few threads of its own; a thread that hangs is
//! abandoned when its time is up.
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

use adb_client::RustADBError;
use adb_client::server::ADBServer;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::server::Server;
use crate::{AdbDevices, ServerAddress};

/// The limit of one call. adb itself gives up connecting after 10 s.
const LIMIT: Duration = Duration::from_secs(15);
/// The most calls that may hang at the same time.
const MAX_CONCURRENT: usize = 4;

/// A phone that offers debugging on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MdnsService {
    /// The name that the phone announces.
    pub name: String,
    /// The service type: `_adb-tls-pairing._tcp`, `_adb-tls-connect._tcp` or `_adb._tcp`.
    pub service: String,
    /// Where it listens.
    pub address: SocketAddrV4,
}

/// Why a phone on the network could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The adb server cannot be reached, or not in this way.
    #[error("no adb server: {0}")]
    NoServer(String),
    /// Not an address of a phone.
    #[error("`{0}` is not an address: use HOST:PORT")]
    InvalidAddress(String),
    /// adb tried and failed, for this reason.
    #[error("adb says: {0}")]
    Refused(String),
    /// No answer in time.
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// Too many earlier calls have not ended.
    #[error("too many of these calls are still under way")]
    Busy,
}

impl AdbDevices {
    /// Connects to a phone that listens on the network, `HOST:PORT`.
    pub async fn connect(&self, address: &str) -> Result<(), ConnectError> {
        let phone = phone_address(address).await?;
        blocking(self.server(), move |adb| adb.connect_device(phone)).await
    }

    /// Disconnects a phone on the network.
    pub async fn disconnect(&self, address: &str) -> Result<(), ConnectError> {
        let phone = phone_address(address).await?;
        blocking(self.server(), move |adb| adb.disconnect_device(phone)).await
    }

    /// Pairs with a phone that shows a code and an address for it.
    pub async fn pair(&self, address: &str, code: &str) -> Result<(), ConnectError> {
        let phone = phone_address(address).await?;
        if code.is_empty() || 64 < code.len() || !code.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(ConnectError::Refused("a pairing code is made of digits".to_owned()));
        }
        let code = code.to_owned();
        blocking(self.server(), move |adb| adb.pair(phone, code)).await
    }

    /// The phones that announce themselves on the network (mDNS).
    pub async fn discover(&self) -> Result<Vec<MdnsService>, ConnectError> {
        let offers = blocking(self.server(), ADBServer::mdns_services).await?;
        let to_service = |offer: adb_client::server::MDNSServices| MdnsService {
            name: crate::parse::sanitize(&offer.service_name),
            service: crate::parse::sanitize(&offer.reg_type),
            address: offer.socket_v4,
        };
        Ok(offers.into_iter().map(to_service).collect())
    }
}

/// Runs one call of `adb_client` on a thread that may block.
async fn blocking<T: Send + 'static>(
    server: &Arc<Server>,
    call: impl FnOnce(&mut ADBServer) -> Result<T, RustADBError> + Send + 'static,
) -> Result<T, ConnectError> {
    static PERMITS: Semaphore = Semaphore::const_new(MAX_CONCURRENT);
    // Starts a server if that is needed and allowed.
    let wire = server.connect().await.map_err(|e| ConnectError::NoServer(e.to_string()))?;
    drop(wire);
    let address = server_address(&server.config().server).await?;
    let permit = PERMITS.try_acquire().map_err(|_| ConnectError::Busy)?;
    let called = tokio::task::spawn_blocking(move || {
        // It would run `adb start-server` before every call, on adb's default port whatever the
        // address. With an empty program name it cannot.
        let mut adb = ADBServer::new_from_path(address, Some(String::new()));
        let result = call(&mut adb);
        drop(permit);
        result
    });
    match timeout(LIMIT, called).await {
        Ok(Ok(Ok(answer))) => Ok(answer),
        Ok(Ok(Err(error))) => {
            Err(ConnectError::Refused(crate::parse::sanitize(&error_text(&error))))
        }
        Ok(Err(_)) => Err(ConnectError::Refused("the call broke down".to_owned())),
        Err(_) => Err(ConnectError::TimedOut(LIMIT)),
    }
}

fn error_text(error: &RustADBError) -> String {
    match error {
        RustADBError::ADBRequestFailed(text) => text.clone(),
        other => other.to_string(),
    }
}

async fn server_address(address: &ServerAddress) -> Result<SocketAddrV4, ConnectError> {
    let ServerAddress::Tcp { host, port } = address else {
        let reason = "phones on the network can be connected only over a server on a TCP port";
        return Err(ConnectError::NoServer(reason.to_owned()));
    };
    resolve_v4(&format!("{host}:{port}")).await
}

async fn phone_address(text: &str) -> Result<SocketAddrV4, ConnectError> {
    match ServerAddress::parse(text) {
        Ok(ServerAddress::Tcp { .. }) if !text.starts_with("tcp:") => resolve_v4(text).await,
        _ => Err(ConnectError::InvalidAddress(crate::parse::sanitize(text))),
    }
}

/// `adb_client` takes IPv4 addresses only.
async fn resolve_v4(address: &str) -> Result<SocketAddrV4, ConnectError> {
    let bad = || ConnectError::InvalidAddress(crate::parse::sanitize(address));
    let looked_up = timeout(LIMIT, tokio::net::lookup_host(address)).await;
    let found = looked_up.map_err(|_| ConnectError::TimedOut(LIMIT))?.map_err(|_| bad())?;
    let mut fourth = found.filter_map(|address| match address {
        SocketAddr::V4(address) => Some(address),
        SocketAddr::V6(_) => None,
    });
    fourth.next().ok_or_else(bad)
}
