//! Where the HTTP server listens: a TCP address or a Unix socket.
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::ValueError;

/// Where to listen, as `http.listen` and `--http` say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// An address.
    Tcp(SocketAddr),
    /// A Unix socket, by an absolute path.
    Unix(PathBuf),
}

impl Listen {
    /// The address that programs of this machine reach it at; `None` for a socket. What listens at every address
    /// has none itself: it answers to the names of loopback.
    pub fn reached_at(&self) -> Option<SocketAddr> {
        let Self::Tcp(address) = self else { return None };
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        Some(SocketAddr::new(ip, address.port()))
    }

    /// Whether it listens at every address of the machine.
    pub fn is_everywhere(&self) -> bool {
        matches!(self, Self::Tcp(address) if address.ip().is_unspecified())
    }
}

impl FromStr for Listen {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(path) = text.strip_prefix("unix:") else {
            return socket_address(text).map(Self::Tcp);
        };
        if !cfg!(unix) {
            return Err(ValueError::NoUnixSockets);
        }
        let path = Path::new(path);
        if !path.is_absolute() || path.file_name().is_none() {
            return Err(ValueError::NotASocketPath);
        }
        Ok(Self::Unix(path.to_owned()))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// An address to listen at: `IP:PORT`, `localhost:PORT`, or only a port on loopback.
pub fn socket_address(text: &str) -> Result<SocketAddr, ValueError> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let port = text.strip_prefix("localhost:").or(text.strip_prefix(':')).unwrap_or(text);
    match port.parse() {
        Ok(port) => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        Err(_) => Err(ValueError::NotAnAddress),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written_the_same() {
        for text in [
            "127.0.0.1:8642",
            "[::1]:80",
            #[cfg(unix)]
            "unix:/run/user/1000/a b.sock",
        ] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        let port: Listen = "8642".parse().unwrap();
        assert_eq!(port, Listen::Tcp("127.0.0.1:8642".parse().unwrap()));
        for wrong in ["unix:", "unix:a.sock", "unix:/", "unix:../a", "nowhere", ""] {
            assert!(wrong.parse::<Listen>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_listens_everywhere_is_reached_at_loopback() {
        for (listens, here) in [
            ("0.0.0.0:80", Some("127.0.0.1:80")),
            ("[::]:80", Some("[::1]:80")),
            ("10.0.0.2:80", Some("10.0.0.2:80")),
            #[cfg(unix)]
            ("unix:/a.sock", None),
        ] {
            let listen: Listen = listens.parse().unwrap();
            let reached = listen.reached_at().map(|address| address.to_string());
            assert_eq!(reached.as_deref(), here);
            assert_eq!(listen.is_everywhere(), reached.is_some_and(|it| it != listens));
        }
    }

    #[test]
    fn places_to_listen() {
        for (text, address) in [
            ("8080", "127.0.0.1:8080"),
            (":8080", "127.0.0.1:8080"),
            ("localhost:8080", "127.0.0.1:8080"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(socket_address(text).unwrap().to_string(), address);
        }
        for wrong in ["", "localhost", "example.com:80", "127.0.0.1", "70000"] {
            assert!(socket_address(wrong).is_err(), "{wrong}");
        }
    }
}
