//! Where the HTTP server listens: a TCP address or a Unix socket.
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
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
        for text in ["127.0.0.1:8642", "[::1]:80", "unix:/run/user/1000/a b.sock"] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        let port: Listen = "8642".parse().unwrap();
        assert_eq!(port, Listen::Tcp("127.0.0.1:8642".parse().unwrap()));
        for wrong in ["unix:", "unix:a.sock", "unix:/", "unix:../a", "nowhere", ""] {
            assert!(wrong.parse::<Listen>().is_err(), "{wrong}");
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
