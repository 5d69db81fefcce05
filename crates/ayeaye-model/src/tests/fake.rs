//! An endpoint that answers what it is told to, well-formed or not.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One answer of the fake.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// Exactly these bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, then nothing until the caller leaves.
    Hang(Vec<u8>),
    /// These bytes, then a comment every few milliseconds until the caller leaves.
    Drip(Vec<u8>),
    /// The connection is reset before the request is read.
    Reset,
}

/// What the fake was asked.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// Method, path and headers, in lower case.
    pub head: String,
    /// The body, `null` if it is not JSON.
    pub body: Value,
}

/// A listening fake. It gives its answers in order, the last one for ever.
#[derive(Debug)]
pub(super) struct Fake {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Fake {
    pub(super) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut next = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let answer = answers[next.min(answers.len() - 1)].clone();
                next += 1;
                tokio::spawn(serve(stream, answer, Arc::clone(&log)));
            }
        });
        Self { address, seen, task }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("no test panics while it holds this").clone()
    }
}

/// The fake is gone when the caller is: errors of its own end it.
async fn serve(mut stream: TcpStream, answer: Answer, log: Arc<Mutex<Vec<Request>>>) {
    if let Answer::Reset = answer {
        // Closing with unread bytes resets the connection.
        let mut byte = [0; 1];
        if stream.read_exact(&mut byte).await.is_ok() {
            drop(stream);
        }
        return;
    }
    let Some(request) = request(&mut stream).await else { return };
    log.lock().expect("no test panics while it holds this").push(request);
    let (Answer::Bytes(bytes) | Answer::Hang(bytes) | Answer::Drip(bytes)) = &answer else {
        return;
    };
    if stream.write_all(bytes).await.is_err() {
        return;
    }
    match answer {
        Answer::Bytes(_) | Answer::Reset => {}
        Answer::Hang(_) => {
            let mut rest = Vec::new();
            if let Err(error) = stream.read_to_end(&mut rest).await {
                tracing::debug!(%error, "the caller left in a hurry");
            }
        }
        Answer::Drip(_) => {
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

/// An answer with a status, headers and a body that ends with the connection.
pub(super) fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Answer {
    Answer::Bytes(raw(status, headers, body))
}

pub(super) fn raw(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body.as_ref());
    bytes
}

pub(super) const JSON: &str = "content-type: application/json\r\n";
pub(super) const EVENTS: &str = "content-type: text/event-stream\r\n";

/// A whole answer with this reply.
pub(super) fn says(text: &str) -> Answer {
    http("200 OK", JSON, completion(text, "stop").to_string())
}

pub(super) fn completion(text: &str, finish_reason: &str) -> Value {
    json!({
        "model": "fake-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    })
}

/// The events of a streamed reply: each piece, then the reason if there is one.
pub(super) fn events(pieces: &[&str], finish_reason: Option<&str>) -> String {
    let mut body = String::new();
    let mut event = |said: Value| body.extend(["data: ", &said.to_string(), "\n\n"]);
    for piece in pieces {
        event(json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
    }
    if let Some(reason) = finish_reason {
        event(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
        event(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}));
        body.push_str("data: [DONE]\n\n");
    }
    body
}
