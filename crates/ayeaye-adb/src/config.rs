//! Settings: where the adb server is, what may start one, and time limits.
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the adb server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A TCP port.
    Tcp {
        /// A name or an address, without brackets.
        host: String,
        /// Usually 5037.
        port: u16,
    },
    /// A Unix socket, as `adb -L localfilesystem:PATH` creates it. Only those with access to the
    /// path can reach it; a TCP port is open to everybody on the machine.
    Local(PathBuf),
}

/// All settings of this crate. It reads no environment and no files itself.
#[derive(Debug, Clone)]
pub struct AdbConfig {
    /// Where the adb server is.
    pub server: ServerAddress,
    /// The adb program to start a server with when none runs on this machine; `None` never starts
    /// one. See [`find_adb`].
    pub adb: Option<PathBuf>,
    /// Names of variables that such a server does not inherit, which outlives this process: those of keys.
    pub not_inherited: Vec<String>,
    /// How long each kind of call may take.
    pub limits: Limits,
}

/// How long each kind of call may take. adb itself waits forever for a frozen phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Reaching the adb server.
    pub connect: Duration,
    /// Starting one.
    pub start: Duration,
    /// Listing the phones that the server knows.
    pub list: Duration,
    /// The properties of one phone in the list. A slower phone is listed without them.
    pub describe: Duration,
    /// A command, besides the time that the gesture itself takes.
    pub shell: Duration,
    /// A screen capture, retries included.
    pub capture: Duration,
    /// The tree of the screen's elements.
    pub ui_tree: Duration,
    /// Until the keyboard has come up for a tapped field, or another keyboard is ready.
    pub keyboard: Duration,
    /// Until a phone is awake or unlocked.
    pub wake: Duration,
    /// Until a phone on the network is ready after adb has said that it is connected.
    pub attach: Duration,
}

/// A server address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    #[error(
        "`{0}` is not an adb server address: use tcp:HOST:PORT, tcp:PORT or localfilesystem:PATH"
    )]
    Malformed(String),
    /// One that adb knows.
    #[error(
        "an adb server at `{0}:` cannot be reached from here: use tcp:HOST:PORT, tcp:PORT or localfilesystem:PATH"
    )]
    UnknownKind(String),
}

/// What adb's program can listen at besides TCP ports and files (`socket_spec.cpp`).
const OTHER_KINDS: [&str; 8] =
    ["acceptfd", "dev", "dev-raw", "jdwp", "local", "localabstract", "localreserved", "vsock"];

/// Windows tries a port of this machine at which nobody listens twice more before it says that the connection is
/// refused, which takes two seconds; for the name `localhost` it may do so for two addresses.
const REFUSED_ON_WINDOWS: Duration = Duration::from_secs(5);

impl AdbConfig {
    /// Default limits.
    pub fn new(server: ServerAddress, adb: Option<PathBuf>) -> Self {
        Self { server, adb, not_inherited: Vec::new(), limits: Limits::DEFAULT }
    }

    /// How long reaching the adb server may take.
    pub(crate) fn connect_limit(&self) -> Duration {
        let is_slow = cfg!(windows) && self.server.is_local();
        let least = if is_slow { REFUSED_ON_WINDOWS } else { Duration::ZERO };
        self.limits.connect.max(least)
    }
}

impl Limits {
    /// What suits phones on a cable or a home network.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(2),
        start: Duration::from_secs(15),
        list: Duration::from_secs(3),
        describe: Duration::from_secs(2),
        shell: Duration::from_secs(10),
        capture: Duration::from_secs(10),
        ui_tree: Duration::from_secs(5),
        keyboard: Duration::from_millis(1500),
        wake: Duration::from_secs(3),
        attach: Duration::from_secs(3),
    };
}

impl ServerAddress {
    /// adb's default port.
    pub const DEFAULT_PORT: u16 = 5037;

    pub fn local() -> Self {
        Self::Tcp { host: "127.0.0.1".to_owned(), port: Self::DEFAULT_PORT }
    }

    /// An address in the form of `ADB_SERVER_SOCKET`: `tcp:HOST:PORT`, `tcp:PORT` or
    /// `localfilesystem:PATH`. Plain `HOST:PORT` is accepted too.
    pub fn parse(text: &str) -> Result<Self, InvalidAddress> {
        let bad = || InvalidAddress::Malformed(text.to_owned());
        let kind = text.split_once(':').map(|(kind, _)| kind);
        // A host may well be called so.
        let is_host_and_port = |kind: &str| {
            matches!(kind, "dev" | "local") && parse_port(&text[kind.len() + 1..]).is_some()
        };
        let is_other = |kind: &&str| OTHER_KINDS.contains(kind) && !is_host_and_port(kind);
        if let Some(kind) = kind.filter(is_other) {
            return Err(InvalidAddress::UnknownKind(kind.to_owned()));
        }
        if let Some(path) = text.strip_prefix("localfilesystem:") {
            if path.is_empty() || path.contains('\0') {
                return Err(bad());
            }
            return Ok(Self::Local(PathBuf::from(path)));
        }
        let rest = text.strip_prefix("tcp:").unwrap_or(text);
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) => (unbracketed(host), port),
            None if text.starts_with("tcp:") => ("127.0.0.1", rest),
            None => return Err(bad()),
        };
        let port = parse_port(port).ok_or_else(bad)?;
        if !is_server_host(host) {
            return Err(bad());
        }
        Ok(Self::Tcp { host: host.to_owned(), port })
    }

    /// Whether it is on this machine, so that a server can be started there.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Local(_) => true,
            Self::Tcp { host, .. } => {
                host.eq_ignore_ascii_case("localhost")
                    || host
                        .parse::<std::net::IpAddr>()
                        .is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
            }
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Local(path) => write!(f, "localfilesystem:{}", path.display()),
        }
    }
}

/// The adb program in the first of these folders that has it, directly or in `platform-tools` (so an
/// SDK's root will do). Programs that a desktop starts often lack the `PATH` of a terminal, so the
/// caller lists the usual SDK folders too.
pub fn find_adb(folders: &[PathBuf]) -> Option<PathBuf> {
    let name = if cfg!(windows) { "adb.exe" } else { "adb" };
    folders
        .iter()
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| [folder.join(name), folder.join("platform-tools").join(name)])
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(about) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        about.is_file() && about.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        about.is_file()
    }
}

fn unbracketed(host: &str) -> &str {
    host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host)
}

/// Names have no colon: what has one and is no address is an address of another form.
fn is_server_host(host: &str) -> bool {
    let address = host.split('%').next().unwrap_or(host);
    is_host(host) && (!host.contains(':') || address.parse::<std::net::Ipv6Addr>().is_ok())
}

pub(crate) fn is_host(host: &str) -> bool {
    !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%'))
}

pub(crate) fn parse_port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tcp(host: &str, port: u16) -> ServerAddress {
        ServerAddress::Tcp { host: host.to_owned(), port }
    }

    #[test]
    fn addresses_are_read_as_adb_reads_them() {
        let parse = |text| ServerAddress::parse(text).unwrap();
        assert_eq!(parse("tcp:5038"), tcp("127.0.0.1", 5038));
        assert_eq!(parse("tcp:build-host:5038"), tcp("build-host", 5038));
        assert_eq!(parse("tcp:[::1]:5038"), tcp("::1", 5038));
        assert_eq!(parse("127.0.0.1:5039"), tcp("127.0.0.1", 5039));
        assert_eq!(
            parse("localfilesystem:/run/adb.sock"),
            ServerAddress::Local("/run/adb.sock".into())
        );
        for bad in [
            "",
            "tcp:",
            "tcp:0",
            "tcp:host:",
            "tcp:host:99999",
            "5037",
            "tcp:a b:1",
            "localfilesystem:",
            "unix:tmp:5037",
        ] {
            assert!(ServerAddress::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_kind_of_server_that_only_adb_reaches_is_named_and_taken_for_no_host() {
        for (text, kind) in [
            ("localabstract:5037", "localabstract"),
            ("vsock:2:5037", "vsock"),
            ("local:a", "local"),
        ] {
            let error = ServerAddress::parse(text).unwrap_err();
            assert_eq!(error, InvalidAddress::UnknownKind(kind.to_owned()));
            assert!(error.to_string().contains(&format!("`{kind}:`")), "{error}");
        }
        assert_eq!(ServerAddress::parse("localhost:1"), Ok(tcp("localhost", 1)));
        assert_eq!(ServerAddress::parse("dev:5037"), Ok(tcp("dev", 5037)));
    }

    #[test]
    fn only_this_machine_is_local() {
        assert!(ServerAddress::local().is_local());
        assert!(tcp("::1", 1).is_local());
        assert!(tcp("localhost", 1).is_local() && tcp("LocalHost", 1).is_local());
        assert!(tcp("0.0.0.0", 1).is_local());
        assert!(ServerAddress::Local("/x".into()).is_local());
        assert!(!tcp("10.0.0.7", 5037).is_local());
        assert!(!tcp("localhost.example.com", 5037).is_local());
    }

    #[test]
    #[cfg(unix)]
    fn adb_is_found_in_an_sdk_but_not_as_a_plain_file() {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = tempfile::tempdir().unwrap();
        let tools = dir.path().join("platform-tools");
        std::fs::create_dir(&tools).unwrap();
        let adb = tools.join("adb");
        std::fs::write(&adb, "").unwrap();
        let folders = [PathBuf::from("relative"), dir.path().to_owned()];
        assert_eq!(find_adb(&folders), None);
        std::fs::set_permissions(&adb, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find_adb(&folders), Some(adb));
    }

    proptest! {
        #[test]
        fn any_text_is_an_address_or_refused(text in "\\PC{0,40}") {
            if let Ok(address) = ServerAddress::parse(&text) {
                prop_assert_eq!(ServerAddress::parse(&address.to_string()), Ok(address));
            }
        }
    }
}
