//! The two ways to ask an adb server about phones on the network.
//!
//! `adb_client` connects and disconnects IPv4 addresses. It blocks without time limits, so it runs on a
//! few threads of its own; a thread that hangs is abandoned when its time is up. Everything else that
//! it cannot do (names, IPv6, servers on Unix sockets, pairing, whose failures it cannot read) is asked
//! over our own connection: see `docs/decisions/0015-phones-on-the-network.md`.
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

use adb_client::RustADBError;
use adb_client::server::ADBServer;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::ConnectError;
use crate::ServerAddress;
use crate::connect_reply::{ConnectCommand, failure, read};
use crate::protocol::{Connection, MAX_SERVICE, ProtocolError};
use crate::server::Server;

/// The limit of one call. adb itself gives up connecting after 10 s.
pub(super) const LIMIT: Duration = Duration::from_secs(15);
/// A server that works tells its version at once.
const VERSION_LIMIT: Duration = Duration::from_secs(2);
/// The most calls of `adb_client` that may hang at the same time.
const MAX_CONCURRENT: usize = 4;

/// Asks by a service of the adb server; its reply, if it tells of a success.
pub(super) async fn ask(
    server: &Server,
    service: &str,
    asked: &ConnectCommand,
) -> Result<String, ConnectError> {
    match query(server, service, LIMIT).await? {
        Ok(said) => read(asked, &said),
        Err(said) => Err(failure(asked, &said)),
    }
}

/// The reply to a service, or the words of its refusal.
pub(super) async fn query(
    server: &Server,
    service: &str,
    limit: Duration,
) -> Result<Result<String, String>, ConnectError> {
    let mut connection = connect(server).await?;
    let answer = async {
        connection.request(service).await?;
        connection.read_late_answer(MAX_SERVICE).await
    };
    match timeout(limit, answer).await {
        Ok(Ok(body)) => Ok(Ok(String::from_utf8_lossy(&body).into_owned())),
        Ok(Err(ProtocolError::Failed(text))) => Ok(Err(text)),
        Ok(Err(error)) => Err(broken_off(server, service, &error).await),
        Err(_) => Err(timed_out(server, limit).await),
    }
}

/// Whom to blame for an answer that broke off. A server that works breaks off a pairing that went wrong in itself,
/// where `adb pair` says "protocol fault (couldn't read status message)".
async fn broken_off(server: &Server, service: &str, error: &ProtocolError) -> ConnectError {
    if !tells_version(server).await {
        return ConnectError::NoServer(error.to_string());
    }
    ConnectError::Refused(if service.starts_with("host:pair:") {
        format!(
            "the pairing broke off ({error}); look whether the phone still shows its dialog for it"
        )
    } else {
        format!("it broke off: {error}")
    })
}

/// Whom to blame for no answer: the phone, or a server that does not even tell its version.
async fn timed_out(server: &Server, limit: Duration) -> ConnectError {
    if tells_version(server).await {
        ConnectError::TimedOut(limit)
    } else {
        ConnectError::ServerHangs
    }
}

/// Whether there is an adb server that works.
async fn tells_version(server: &Server) -> bool {
    let version = async {
        let mut connection = connect(server).await.ok()?;
        connection.request("host:version").await.ok()?;
        connection.read_late_answer(MAX_SERVICE).await.ok()
    };
    timeout(VERSION_LIMIT, version).await.is_ok_and(|version| version.is_some())
}

/// A connection to the server, which is started if that is needed and allowed.
async fn connect(server: &Server) -> Result<Connection, ConnectError> {
    server.connect().await.map_err(|error| ConnectError::NoServer(error.to_string()))
}

/// Where `adb_client` finds the server, if it can.
pub(super) fn server_for_adb_client(server: &Server) -> Option<SocketAddrV4> {
    match &server.config().server {
        ServerAddress::Tcp { host, port } => {
            let host = if host == "localhost" { Ipv4Addr::LOCALHOST } else { host.parse().ok()? };
            Some(SocketAddrV4::new(host, *port))
        }
        ServerAddress::Local(_) => None,
    }
}

/// Runs one call of `adb_client` on a thread that may block.
pub(super) async fn by_adb_client(
    server: &Arc<Server>,
    address: SocketAddrV4,
    asked: &ConnectCommand,
    call: impl FnOnce(&mut ADBServer) -> Result<(), RustADBError> + Send + 'static,
) -> Result<(), ConnectError> {
    static PERMITS: Semaphore = Semaphore::const_new(MAX_CONCURRENT);
    drop(connect(server).await?);
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
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(RustADBError::ADBRequestFailed(said)))) => Err(failure(asked, &said)),
        Ok(Ok(Err(RustADBError::IOError(error)))) => Err(ConnectError::NoServer(error.to_string())),
        Ok(Ok(Err(error))) => {
            Err(ConnectError::Refused(crate::parse::sanitize(&error.to_string())))
        }
        Ok(Err(_)) => Err(ConnectError::Refused("the call broke down".to_owned())),
        Err(_) => Err(timed_out(server, LIMIT).await),
    }
}
