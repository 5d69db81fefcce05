//! A quick look at an endpoint: whether anything runs there, before anything is asked of it.
use std::io::ErrorKind;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout};

use super::client::{Client, ModelList};

/// A connection on this machine that takes this long is being dropped by a firewall. Windows tries twice more before
/// it says that nobody listens, which takes two seconds.
const LOOPBACK: Duration = Duration::from_secs(if cfg!(windows) { 3 } else { 1 });

/// What a quick look at an endpoint finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It offers the model.
    Offered,
    /// It offers models, and this one is not among them.
    NotOffered,
    /// It answers, but does not say what it offers.
    Answers,
    /// It refuses connections, or its name is no machine's: nothing runs there.
    Refused,
    /// No answer in time, or none that tells.
    Unknown,
}

/// Whether the model is among those offered. Ollama lists what was pulled without a tag as `:latest`.
pub(crate) fn lists(names: &[String], name: &str) -> bool {
    names.iter().any(|offered| offered == name || offered.strip_suffix(":latest") == Some(name))
}

impl Client {
    /// Whether the endpoint can be reached, found out within `limit` once a connection is there.
    pub(crate) async fn reach(&self, limit: Duration) -> Reach {
        if self.config().endpoint.is_loopback() && self.refuses().await {
            return Reach::Refused;
        }
        match self.list(Instant::now() + limit).await {
            Ok(ModelList::Names(names) | ModelList::FirstPage(names))
                if lists(&names, &self.config().name) =>
            {
                self.note_listed();
                Reach::Offered
            }
            Ok(ModelList::Names(_)) => Reach::NotOffered,
            Ok(ModelList::FirstPage(_) | ModelList::Unlisted | ModelList::WebPage) => {
                Reach::Answers
            }
            Err(error) if error.is_absent() => Reach::Refused,
            Err(_) if self.has_answered() => Reach::Answers,
            Err(_) => Reach::Unknown,
        }
    }

    /// Whether a connection is refused. On this machine the kernel says so at once, but for Windows, so this takes
    /// no longer than the machine is busy, and `limit` does not cut it short.
    async fn refuses(&self) -> bool {
        let Some(address) = self.config().endpoint.address() else { return false };
        timeout(LOOPBACK, host_refuses(address)).await.unwrap_or(false)
    }
}

/// Whether each address of this host refuses. `localhost` has two; they are tried at the same time, since the one
/// where nobody listens may be the slow one.
async fn host_refuses(address: (String, u16)) -> bool {
    let Ok(addresses) = lookup_host(address).await else { return false };
    let mut tries: FuturesUnordered<_> = addresses.map(TcpStream::connect).collect();
    let mut refused = false;
    while let Some(tried) = tries.next().await {
        match tried {
            Ok(_) => return false,
            Err(err) => refused |= err.kind() == ErrorKind::ConnectionRefused,
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_name_with_two_addresses_refuses_only_where_both_do() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = ("localhost".to_owned(), listener.local_addr().unwrap().port());
        assert!(!host_refuses(address.clone()).await);
        drop(listener);
        assert!(host_refuses(address).await);
    }

    #[test]
    fn a_tag_that_ollama_adds_makes_no_other_model() {
        let offered = ["gelab-zero-4b-preview:latest".to_owned(), "qwen3-vl:8b".to_owned()];
        assert!(lists(&offered, "gelab-zero-4b-preview"));
        assert!(lists(&offered, "gelab-zero-4b-preview:latest"));
        assert!(lists(&offered, "qwen3-vl:8b"));
        assert!(!lists(&offered, "qwen3-vl"));
        assert!(!lists(&offered, "gelab"));
    }
}
