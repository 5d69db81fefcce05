//! The adb server: connecting to it, and starting it where that is allowed.
//!
//! The only place in this crate that starts a process: always `adb start-server`, of whose arguments only the
//! configured port or socket varies. A server is never stopped, since other programs use it too.
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ayeaye_agent::DeviceError;
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::parse::sanitize_up_to;
use crate::protocol::{Connection, MAX_SERVICE, ProtocolError};
use crate::{AdbConfig, ServerAddress};

/// The most characters of why a server cannot be used.
const MAX_CAUSE: usize = 512;

/// adb's variable for the address of its server. Where it is set, even to this machine's or to nothing, adb starts no
/// server: "cannot start server on remote host". Which address is meant has been read before.
const ADDRESS: &str = "ANDROID_ADB_SERVER_ADDRESS";

/// How long after a failed attempt to start a server the next one may follow.
const RETRY_START_AFTER: Duration = Duration::from_secs(10);

/// An adb server, which is started if it has to be.
#[derive(Debug)]
pub(crate) struct Server {
    config: AdbConfig,
    /// When starting failed last, and why. Locked while a server is being started.
    last_failure: Mutex<Option<(Instant, String)>>,
}

impl Server {
    pub(crate) fn new(config: AdbConfig) -> Self {
        Self { config, last_failure: Mutex::new(None) }
    }

    pub(crate) fn config(&self) -> &AdbConfig {
        &self.config
    }

    /// A new connection. Ends by itself inside the limits for connecting and starting.
    pub(crate) async fn connect(&self) -> Result<Connection, DeviceError> {
        match self.dial().await {
            Ok(connection) => Ok(connection),
            Err(error) if is_unreachable(&error) && self.config.server.is_local() => {
                self.start(&error).await?;
                self.dial().await.map_err(|error| self.unavailable(error))
            }
            Err(error) => Err(self.unavailable(error)),
        }
    }

    /// The answer to a query that is about no particular phone.
    pub(crate) async fn query(&self, service: &str) -> Result<Vec<u8>, DeviceError> {
        self.query_within(service, self.config.limits.list).await
    }

    /// The answer to a query that may take longer than most.
    pub(crate) async fn query_within(
        &self,
        service: &str,
        limit: Duration,
    ) -> Result<Vec<u8>, DeviceError> {
        let mut connection = self.connect().await?;
        let answer = async {
            connection.request(service).await?;
            connection.read_block(MAX_SERVICE).await
        };
        match timeout(limit, answer).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(error)) => Err(self.unavailable(error)),
            Err(_) => Err(self.no_answer(limit)),
        }
    }

    /// The answer to a query about one phone, which the server answers itself.
    pub(crate) async fn query_device(
        &self,
        serial: &str,
        question: &str,
    ) -> Result<Result<Vec<u8>, ProtocolError>, DeviceError> {
        let mut connection = self.connect().await?;
        let limit = self.config.limits.list;
        let answer = async {
            connection.request(&format!("host-serial:{serial}:{question}")).await?;
            connection.read_block(MAX_SERVICE).await
        };
        timeout(limit, answer).await.map_err(|_| self.no_answer(limit))
    }

    /// The error for a server that cannot be used.
    pub(crate) fn unavailable(&self, cause: impl std::fmt::Display) -> DeviceError {
        // It may be in a server's own words.
        let cause = sanitize_up_to(&cause.to_string(), MAX_CAUSE);
        let address = self.config.server.to_string();
        DeviceError::NoServer { address, cause, hangs: false }
    }

    fn no_answer(&self, limit: Duration) -> DeviceError {
        let cause = format!("it did not answer within {} s", limit.as_secs_f32());
        DeviceError::NoServer { address: self.config.server.to_string(), cause, hangs: true }
    }

    /// Whether many small answers on one connection come without delay. Over TCP that takes
    /// [`Connection::acknowledge`], which these systems have; Unix sockets hold nothing back.
    pub(crate) fn answers_at_once(&self) -> bool {
        matches!(self.config.server, ServerAddress::Local(_))
            || cfg!(any(target_os = "linux", target_os = "android"))
    }

    async fn dial(&self) -> std::io::Result<Connection> {
        let limit = self.config.connect_limit();
        let dialled = async {
            match &self.config.server {
                ServerAddress::Tcp { host, port } => {
                    let stream = match host.as_str() {
                        "localhost" => dial_this_machine(*port).await?,
                        host => TcpStream::connect((host, *port)).await?,
                    };
                    stream.set_nodelay(true)?;
                    Ok(Connection::new(stream))
                }
                #[cfg(unix)]
                ServerAddress::Local(path) => {
                    Ok(Connection::new(tokio::net::UnixStream::connect(path).await?))
                }
                #[cfg(not(unix))]
                ServerAddress::Local(_) => Err(std::io::Error::new(
                    std::io::ErrorKind::Unsupported,
                    "an adb server at a Unix socket is not for this system: set adb.server to tcp:HOST:PORT",
                )),
            }
        };
        timeout(limit, dialled).await.unwrap_or_else(|_| {
            let text = format!("no connection within {} s", limit.as_secs_f32());
            Err(std::io::Error::new(std::io::ErrorKind::TimedOut, text))
        })
    }

    async fn start(&self, why: &std::io::Error) -> Result<(), DeviceError> {
        let Some(adb) = &self.config.adb else {
            let hint = "none was started: there is no adb program (install Android's platform-tools), or \
                        adb.start-server is off";
            return Err(self.unavailable(format_args!("{why}; {hint}")));
        };
        let mut failed = self.last_failure.lock().await;
        if self.dial().await.is_ok() {
            return Ok(()); // another task was faster
        }
        if let Some((when, cause)) = failed.as_ref()
            && when.elapsed() < RETRY_START_AFTER
        {
            return Err(self.unavailable(cause));
        }
        tracing::info!(server = %self.config.server, adb = %adb.display(), "starting the adb server");
        let mut command = self.start_command(adb);
        let cause = match timeout(self.config.limits.start, command.status()).await {
            Ok(Ok(status)) if status.success() => {
                *failed = None;
                return Ok(());
            }
            Ok(Ok(status)) => format!("`{} start-server` ended with {status}", adb.display()),
            Ok(Err(error)) => format!("`{}` cannot be run: {error}", adb.display()),
            Err(_) => format!(
                "`{} start-server` did not end within {} s",
                adb.display(),
                self.config.limits.start.as_secs_f32()
            ),
        };
        *failed = Some((Instant::now(), cause.clone()));
        Err(self.unavailable(cause))
    }

    fn start_command(&self, adb: &Path) -> Command {
        let mut command = Command::new(adb);
        match &self.config.server {
            ServerAddress::Tcp { port, .. } => command.arg("-P").arg(port.to_string()),
            local @ ServerAddress::Local(_) => command.arg("-L").arg(local.to_string()),
        };
        // The server outlives this process and would hold a pipe open, and keys in its environment.
        for name in &self.config.not_inherited {
            command.env_remove(name);
        }
        command
            .env_remove(ADDRESS)
            .arg("start-server")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        if let Some(folder) = self.working_folder(adb) {
            command.current_dir(folder);
        }
        command
    }

    /// The root of the file system that the program is on. The server stays in its working folder for as long as it
    /// runs, and Windows lets nobody remove or rename that. `None` where a path is relative, to the folder of this
    /// process, or the root one of a share (`\\server\share`) or of `\\?\`, where not every program can work.
    fn working_folder<'a>(&self, adb: &'a Path) -> Option<&'a Path> {
        let paths_are_whole = match &self.config.server {
            ServerAddress::Tcp { .. } => adb.is_absolute(),
            ServerAddress::Local(socket) => adb.is_absolute() && socket.is_absolute(),
        };
        let is_plain = !adb.as_os_str().as_encoded_bytes().starts_with(br"\\");
        adb.ancestors().last().filter(|_| paths_are_whole && is_plain)
    }
}

/// adb listens at the first of these. Systems resolve the name to the other one first, and Windows takes seconds to
/// say that nobody listens there.
async fn dial_this_machine(port: u16) -> std::io::Result<TcpStream> {
    match TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
        Ok(stream) => Ok(stream),
        Err(error) => TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await.map_err(|_| error),
    }
}

/// Whether nothing listens there, of an address on this machine. Windows may be too slow to say so in time;
/// elsewhere who does not answer in time is there, and adb's own program would end a server of another version.
fn is_unreachable(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, NotFound, TimedOut};
    let kind = error.kind();
    matches!(kind, ConnectionRefused | NotFound) || cfg!(windows) && kind == TimedOut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_server_inherits_no_address() {
        let port = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: 39415 };
        for address in [port, ServerAddress::Local("/run/adb.sock".into())] {
            let server = Server::new(AdbConfig::new(address, None));
            let command = server.start_command(Path::new("adb"));
            let removed =
                command.as_std().get_envs().any(|variable| variable == (ADDRESS.as_ref(), None));
            assert!(removed, "{command:?}");
        }
    }

    #[test]
    fn a_started_server_stays_in_no_folder_of_the_user() {
        let root = if cfg!(windows) { r"C:\" } else { "/" };
        let adb = format!("{root}sdk/platform-tools/adb");
        let tcp = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: 39415 };
        let local = |path: &str| ServerAddress::Local(path.into());
        let whole = local(&format!("{root}run/adb.sock"));
        for (address, adb, folder) in [
            (&tcp, adb.as_str(), Some(root)),
            (&whole, adb.as_str(), Some(root)),
            (&local("adb.sock"), adb.as_str(), None),
            (&tcp, "tools/adb", None),
            (&tcp, r"\\server\tools\adb.exe", None),
            (&tcp, r"\\?\C:\sdk\adb.exe", None),
        ] {
            let server = Server::new(AdbConfig::new(address.clone(), None));
            let command = server.start_command(Path::new(adb));
            assert_eq!(command.as_std().get_current_dir(), folder.map(Path::new), "{command:?}");
        }
    }
}
