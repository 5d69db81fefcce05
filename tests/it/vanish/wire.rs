//! A client on each of the wires, close enough to them to vanish at any moment.
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::sync::Notify;
use tokio_util::sync::DropGuard;

use crate::process::{TOKEN, serve_http};
use crate::support::{Answer, Binary, FakeVlm, Raw, http, plugged_in, quick_phone, within};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Stdio,
    /// Streamable HTTP with sessions, 2025-11-25.
    Legacy,
    /// Streamable HTTP of 2026-07-28.
    Modern,
}

use Wire::{Legacy, Modern, Stdio};

/// The real program with a phone, a model that waits for the gate, and a client.
pub struct World {
    pub wire: Wire,
    pub virtual_phone: ayeaye_phone::VirtualPhone,
    pub vlm: FakeVlm,
    pub gate: Arc<Notify>,
    binary: Binary,
    server: Server,
    capabilities: Value,
    /// Calls so far.
    asked: AtomicU32,
    _adb: DropGuard,
}

#[expect(clippy::large_enum_variant, reason = "one a test")]
enum Server {
    /// Started with each client.
    Stdio,
    Http {
        _child: Child,
        url: String,
        address: SocketAddr,
        session: Option<String>,
    },
}

/// A call whose answer nobody has read.
#[expect(clippy::large_enum_variant, reason = "one a test")]
pub enum Call {
    Stdio(Raw),
    Http { stream: TcpStream, heard: String },
}

/// What came before the client went.
pub struct Heard {
    /// The last event's name, for `Last-Event-ID`.
    pub last_event: Option<String>,
}

impl World {
    /// With a client that asks people.
    pub async fn new(wire: Wire) -> Self {
        Self::with(wire, json!({ "elicitation": { "form": {} } })).await
    }

    pub async fn without_forms(wire: Wire) -> Self {
        Self::with(wire, json!({})).await
    }

    async fn with(wire: Wire, capabilities: Value) -> Self {
        let virtual_phone = quick_phone();
        let (adb, guard) = plugged_in(&virtual_phone).await;
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        let binary = Binary::with(adb, &vlm)
            .set("AYEAYE_HTTP_TOKEN", TOKEN)
            // While the model thinks nothing is asked of the phone: what comes next is the gesture.
            .set("AYEAYE_JOURNAL_UI_TREE", "never");
        let server = match wire {
            Stdio => Server::Stdio,
            Legacy | Modern => {
                let (child, url) = serve_http(&binary).await;
                let address = url.strip_prefix("http://").unwrap();
                let address = address.strip_suffix("/mcp").unwrap().parse().unwrap();
                let session = match wire {
                    Legacy => Some(open_session(&url, &capabilities).await),
                    Stdio | Modern => None,
                };
                Server::Http { _child: child, url, address, session }
            }
        };
        let gate = Arc::new(Notify::new());
        Self {
            wire,
            virtual_phone,
            vlm,
            gate,
            binary,
            server,
            capabilities,
            asked: AtomicU32::new(2),
            _adb: guard,
        }
    }

    fn start(&self) -> Value {
        json!({ "name": "ask_agent_start_new_task",
            "arguments": { "device_id": self.virtual_phone.serial(), "task": "Tell Anna" } })
    }

    /// Sends the call of a task and reads nothing.
    pub async fn begin(&self) -> Call {
        self.send(self.start()).await
    }

    /// The same with any call.
    pub async fn send(&self, params: Value) -> Call {
        match &self.server {
            Server::Stdio => {
                let mut raw = self.binary.raw_with_capabilities(self.capabilities.clone()).await;
                raw.send("tools/call", params).await;
                Call::Stdio(raw)
            }
            Server::Http { address, .. } => {
                let (body, headers) = self.request(params, &self.capabilities);
                let mut lines = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\n");
                for (name, value) in headers {
                    lines.extend([name, ": ", &value, "\r\n"]);
                }
                lines.extend(["Content-Length: ", &body.len().to_string(), "\r\n\r\n", &body]);
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(lines.as_bytes()).await.unwrap();
                Call::Http { stream, heard: String::new() }
            }
        }
    }

    /// A tool call as this wire has it: its body and its headers.
    fn request(&self, mut params: Value, able_to: &Value) -> (String, Vec<(&'static str, String)>) {
        let mut headers = vec![
            ("Authorization", format!("Bearer {TOKEN}")),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("Content-Type", "application/json".to_owned()),
        ];
        match &self.server {
            Server::Http { session: Some(session), .. } => {
                headers.push(("Mcp-Session-Id", session.clone()));
                headers.push(("MCP-Protocol-Version", "2025-11-25".to_owned()));
            }
            Server::Http { session: None, .. } | Server::Stdio => {
                headers.push(("MCP-Protocol-Version", "2026-07-28".to_owned()));
                headers.push(("Mcp-Method", "tools/call".to_owned()));
                headers.push(("Mcp-Name", params["name"].as_str().unwrap().to_owned()));
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": able_to,
                    "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
                });
            }
        }
        // Two calls of one name would be one to the server.
        let id = self.asked.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        (body.to_string(), headers)
    }

    fn records(&self) -> Vec<PathBuf> {
        let Ok(folders) = std::fs::read_dir(self.binary.data.path().join("sessions")) else {
            return Vec::new();
        };
        folders
            .map(|folder| folder.unwrap().path().join("events.jsonl"))
            .filter(|it| it.exists())
            .collect()
    }

    /// Whether a line of the record has both.
    pub fn recorded(&self, kind: &str, word: &str) -> bool {
        let texts = self.records().into_iter().map(|path| std::fs::read_to_string(path).unwrap());
        texts
            .into_iter()
            .any(|text| text.lines().any(|line| line.contains(kind) && line.contains(word)))
    }

    /// Every record ends with an end, and every line of it can be read.
    pub fn is_whole(&self) {
        for path in self.records() {
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.ends_with('\n'), "no torn line");
            let mut last = Value::Null;
            for line in text.lines() {
                last = serde_json::from_str(line).expect("every line is JSON");
            }
            // A call that came with the end of the server may have got no further than its name.
            let end = last["type"].as_str().unwrap();
            assert!(matches!(end, "session.end" | "session.start"), "{last}");
        }
    }

    pub fn taps(&self) -> u64 {
        self.virtual_phone.phone().state().counts.taps
    }

    /// The session once nobody drives it; nothing when none has begun within three seconds.
    pub async fn session_at_rest(&mut self) -> Option<Value> {
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        let deadline = tokio::time::Instant::now() + Duration::from_secs(3);
        loop {
            tick.tick().await;
            let list = self.call("list_sessions", json!({})).await;
            match list["sessions"].as_array().unwrap().as_slice() {
                [] if deadline < tokio::time::Instant::now() => return None,
                [session] if session["stop_reason"] != "STILL_RUNNING" => {
                    return Some(session.clone());
                }
                [] | [_] => {}
                more => panic!("one session: {more:?}"),
            }
        }
    }

    /// Another client may have the phone.
    pub async fn is_free(&mut self) {
        let list = self.call("list_connected_devices", json!({})).await;
        assert_eq!(list["devices"][0]["busy"], false, "{list}");
    }

    /// Goes on with the session.
    pub async fn facts(&mut self, tool: &str, session: &Value, mut more: Value) -> Value {
        more["session_id"] = session["session_id"].clone();
        self.call(tool, more).await
    }

    /// The same start again, by the same client.
    pub async fn start_again(&mut self) -> Value {
        let arguments = self.start()["arguments"].clone();
        self.call("ask_agent_start_new_task", arguments).await
    }

    /// Calls a tool, on stdio in a new server, and reads the answer.
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = match &self.server {
            Server::Stdio => {
                let mut raw = self.binary.raw().await;
                let facts = raw.facts(tool, arguments).await;
                raw.hang_up();
                raw.end().await;
                return facts;
            }
            Server::Http { url, .. } => {
                let params = json!({ "name": tool, "arguments": arguments });
                let (body, headers) = self.request(params, &json!({}));
                let mut request = http().post(url).body(body);
                for (name, value) in headers {
                    request = request.header(name, value);
                }
                result_in(request).await
            }
        };
        assert_ne!(answer["isError"], true, "{answer}");
        answer["structuredContent"].clone()
    }

    /// What a stream says again to whoever lost it.
    pub async fn replayed(&self, last: &str) -> Value {
        let Server::Http { url, session: Some(session), .. } = &self.server else {
            panic!("only streams of sessions can be taken up again")
        };
        let request = http()
            .get(url)
            .header("Authorization", format!("Bearer {TOKEN}"))
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", session)
            .header("MCP-Protocol-Version", "2025-11-25")
            .header("Last-Event-ID", last);
        result_in(request).await["structuredContent"].clone()
    }
}

/// The result in the answer to a request, be it JSON or a stream of events.
async fn result_in(request: reqwest::RequestBuilder) -> Value {
    let mut answer = within(20, "the headers", request.send()).await.unwrap();
    assert_eq!(answer.status(), 200);
    let mut text = String::new();
    loop {
        let chunk = within(8, &format!("the answer after {text}"), answer.chunk()).await.unwrap();
        text.push_str(&String::from_utf8_lossy(chunk.as_deref().unwrap_or_default()));
        // A stream may be cut in the middle of a line: only whole ones are read.
        let whole =
            if chunk.is_some() { text.rfind('\n').map_or("", |end| &text[..end]) } else { &text };
        for line in whole.lines() {
            let data = line.strip_prefix("data:").unwrap_or(line).trim();
            if let Ok(message) = serde_json::from_str::<Value>(data)
                && message["result"].is_object()
            {
                return message["result"].clone();
            }
        }
        assert!(chunk.is_some(), "no result in {text}");
    }
}

async fn open_session(url: &str, capabilities: &Value) -> String {
    let post = |body: Value| {
        http()
            .post(url)
            .header("Authorization", format!("Bearer {TOKEN}"))
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .body(body.to_string())
    };
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "0" } } });
    let answer = post(hello).send().await.unwrap();
    let session = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ready = post(ready).header("Mcp-Session-Id", &session).send().await.unwrap();
    assert_eq!(ready.status(), 202);
    session
}

impl Call {
    /// Reads until this text has come.
    pub async fn wait_for_output(&mut self, text: &str) {
        match self {
            Self::Stdio(raw) => raw.wait_for_output(text).await,
            Self::Http { stream, heard } => {
                while !heard.contains(text) {
                    read_some(stream, heard).await;
                }
            }
        }
    }

    /// The client hangs up, and the server has seen that.
    pub async fn hang_up(self) {
        let Self::Http { mut stream, .. } = self else { panic!("only a connection is hung up") };
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        within(20, "the end of the connection", stream.read_to_end(&mut rest)).await.ok();
    }

    /// The client is gone, without a word.
    pub async fn vanish(self, world: &World) -> Heard {
        match self {
            Self::Stdio(mut raw) => {
                raw.hang_up();
                // Which it is waited for a while only.
                let (code, _) = raw.end().await;
                assert_eq!(code, Some(0), "the server ends with its client");
                Heard { last_event: None }
            }
            Self::Http { mut stream, mut heard } => {
                // In a session the stream begins with an event that only gives it a name.
                if world.wire == Legacy && !world.vlm.asked().is_empty() {
                    while !heard.contains("\nid:") {
                        read_some(&mut stream, &mut heard).await;
                    }
                    while !heard[heard.rfind("\nid:").unwrap() + 1..].contains('\n') {
                        read_some(&mut stream, &mut heard).await;
                    }
                }
                let last = heard.lines().filter_map(|line| line.strip_prefix("id:")).next_back();
                Heard { last_event: last.map(|id| id.trim().to_owned()) }
            }
        }
    }
}

async fn read_some(stream: &mut TcpStream, heard: &mut String) {
    let mut buffer = [0; 4096];
    let read = within(20, "more of the stream", stream.read(&mut buffer)).await.unwrap();
    assert_ne!(read, 0, "the stream goes on: {heard}");
    heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
}
