//! An endpoint on a bare socket, which speaks each of the three APIs well or in any other way.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::gelab;

/// The APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    Chat,
    Anthropic,
    Gemini,
}

impl Api {
    pub const ALL: [Self; 3] = [Self::Chat, Self::Anthropic, Self::Gemini];

    /// A model that is asked over it, and its profile.
    pub fn model(self) -> (&'static str, &'static str) {
        match self {
            Self::Chat => ("gelab-fake", "gelab"),
            Self::Anthropic => ("claude-fake", "claude"),
            Self::Gemini => ("gemini-fake", "gemini"),
        }
    }

    /// A whole answer that calls a tool of this name, or in GELab's words does the same.
    pub fn says(self, tool: &str, arguments: &Value) -> Value {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        match self {
            Self::Chat => {
                let reply = match tool {
                    "ask_user" => gelab("INFO", &format!("value:{}", text("question")), "asked"),
                    "done" => gelab("COMPLETE", &format!("return:{}", text("message")), "done"),
                    _ => gelab("BACK", "", "went back"),
                };
                json!({
                    "model": "gelab-fake", "choices": [{ "finish_reason": "stop",
                        "message": { "content": reply } }],
                    "usage": { "prompt_tokens": 7, "completion_tokens": 2 },
                })
            }
            Self::Anthropic => json!({
                "type": "message", "model": "claude-fake", "stop_reason": "tool_use",
                "content": [{ "type": "tool_use", "id": "t", "name": tool, "input": arguments }],
                "usage": { "input_tokens": 7, "output_tokens": 2 },
            }),
            Self::Gemini => json!({
                "modelVersion": "gemini-fake",
                "candidates": [{ "finishReason": "STOP", "content": { "parts": [
                    { "functionCall": { "name": tool, "args": arguments } } ] } }],
                "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 2 },
            }),
        }
    }

    pub fn asks(self) -> Act {
        Act::says(&self.says("ask_user", &json!({ "question": "Ready?" })))
    }

    pub fn done(self) -> Act {
        Act::says(&self.says("done", &json!({ "message": "Done." })))
    }

    /// The same end of a task in the events of a stream, up to the last byte that is needed.
    pub fn done_in_events(self) -> String {
        let events = match self {
            Self::Chat => {
                let whole = self.says("done", &json!({ "message": "Done." }));
                let text = &whole["choices"][0]["message"]["content"];
                vec![
                    json!({ "choices": [{ "delta": { "content": text } }] }),
                    json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
                ]
            }
            Self::Anthropic => vec![
                json!({ "type": "message_start", "message": { "model": "claude-fake" } }),
                json!({ "type": "content_block_start", "index": 0, "content_block":
                    { "type": "tool_use", "id": "t", "name": "done", "input": {} } }),
                json!({ "type": "content_block_delta", "index": 0, "delta":
                    { "type": "input_json_delta", "partial_json": "{\"message\":\"Done.\"}" } }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            ],
            Self::Gemini => vec![
                json!({ "candidates": [{ "content": { "parts": [
                    { "functionCall": { "name": "done", "args": { "message": "Done." } } }] } }] }),
                json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": "STOP" }] }),
            ],
        };
        let lines: Vec<String> = events.iter().map(|event| format!("data: {event}")).collect();
        lines.join("\n\n")
    }
}

/// What the endpoint does with a request.
#[derive(Debug, Clone)]
pub enum Act {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, then a comment every few milliseconds until the caller leaves.
    Drip(Vec<u8>),
    /// These bytes, then nothing until the caller leaves.
    Hang(Vec<u8>),
    /// The connection is cut before the request is read.
    Reset,
}

pub const JSON: &str = "content-type: application/json\r\n";
pub const EVENTS: &str = "content-type: text/event-stream\r\n";

impl Act {
    pub fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Self {
        Self::Bytes(raw(status, headers, body))
    }

    pub fn says(answer: &Value) -> Self {
        Self::http("200 OK", JSON, answer.to_string())
    }
}

pub fn raw(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body.as_ref());
    bytes
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method, path and headers.
    pub head: String,
    pub body: Value,
}

type Script = Box<dyn FnMut(&Request) -> Act + Send>;

/// The endpoint. Dropping it ends it.
pub struct RawEndpoint {
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
    pub async fn start(script: impl FnMut(&Request) -> Act + Send + 'static) -> Self {
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

    /// Puts another script in place, and forgets what was asked.
    pub fn now(&self, script: impl FnMut(&Request) -> Act + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
        self.seen.lock().unwrap().clear();
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn seen(&self) -> Vec<Request> {
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
        Act::Reset => return,
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
