//! A model's endpoint on a bare socket, which answers as it is told: well-formed or not.
//!
//! Each crate that tests calls of models takes this file in as a module of its own.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the endpoint does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, then a comment every few milliseconds until the caller leaves.
    Drip(Vec<u8>),
    /// These bytes, then nothing until the caller leaves.
    Hang(Vec<u8>),
    /// The connection is reset without an answer.
    Reset,
}

pub(crate) const JSON: &str = "content-type: application/json\r\n";
pub(crate) const EVENTS: &str = "content-type: text/event-stream\r\n";

impl Act {
    /// An answer with a status, headers and a body that ends with the connection.
    pub(crate) fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Self {
        Self::Bytes(raw(status, headers, body))
    }

    /// A whole answer with this JSON.
    pub(crate) fn says(answer: &Value) -> Self {
        Self::http("200 OK", JSON, answer.to_string())
    }
}

/// The bytes of an answer.
pub(crate) fn raw(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body.as_ref());
    bytes
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Method, path and headers, in lower case.
    pub(crate) head: String,
    /// The body; null if it is not JSON.
    pub(crate) body: Value,
}

type Script = Box<dyn FnMut(&Request) -> Act + Send>;

/// The endpoint. Dropping it ends it.
pub(crate) struct RawEndpoint {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    seen: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Drop for RawEndpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RawEndpoint {
    /// Listens on a free port and answers each request by the script.
    pub(crate) async fn start(script: impl FnMut(&Request) -> Act + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(Box::new(script)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (acting, log) = (script.clone(), seen.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, acting.clone(), log.clone()));
            }
        });
        Self { address, script, seen, task }
    }

    /// Replaces the script, and forgets the requests so far.
    pub(crate) fn now(&self, script: impl FnMut(&Request) -> Act + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
        self.seen.lock().unwrap().clear();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Mutex<Script>>, log: Arc<Mutex<Vec<Request>>>) {
    let Some(request) = request(&mut stream).await else { return };
    // Not under the lock of the log: a script may look at it.
    let act = (script.lock().unwrap())(&request);
    log.lock().unwrap().push(request);
    let bytes = match &act {
        Act::Bytes(bytes) | Act::Drip(bytes) | Act::Hang(bytes) => bytes.as_slice(),
        Act::Reset => {
            stream.set_zero_linger().ok();
            return;
        }
    };
    if stream.write_all(bytes).await.is_err() {
        return;
    }
    match act {
        Act::Bytes(_) | Act::Reset => {}
        Act::Hang(_) => {
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await.ok();
        }
        Act::Drip(_) => {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            while stream.write_all(b": still here\n\n").await.is_ok() {
                tick.tick().await;
            }
        }
    }
}

async fn request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let length = text.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    while bytes.len() < head + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = serde_json::from_slice(&bytes[head..]).unwrap_or_default();
    Some(Request { head: text, body })
}
