//! The server behind which a family's model sits, in the APIs there are.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::asked::{self, Asked};
use super::{Mind, Said, Sight, Task, Tongue};
use crate::support::KEY;

/// The API that a family is asked over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Chat,
    Anthropic,
    Gemini,
}

/// A family's server. Dropping it ends it.
pub struct FamilyServer {
    pub address: SocketAddr,
    shared: Arc<Mutex<Inner>>,
    server: tokio::task::JoinHandle<()>,
}

struct Inner {
    tongue: Box<dyn Tongue>,
    mind: Mind,
    task: Task,
    said: Vec<Said>,
    complaints: Vec<String>,
    requests: usize,
}

impl FamilyServer {
    pub async fn start(tongue: Box<dyn Tongue>, mind: Mind) -> Self {
        let shared = Arc::new(Mutex::new(Inner {
            tongue,
            mind,
            task: Task::Wifi,
            said: Vec::new(),
            complaints: Vec::new(),
            requests: 0,
        }));
        let router = Router::new()
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
            .with_state(shared.clone());
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, shared, server }
    }

    /// From now on this is what is to be done, in a new session.
    pub fn take_up(&self, task: Task) {
        let mut inner = self.inner();
        inner.task = task;
        inner.said.clear();
    }

    /// What was wrong with requests.
    pub fn complaints(&self) -> Vec<String> {
        self.inner().complaints.clone()
    }

    pub fn requests(&self) -> usize {
        self.inner().requests
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FamilyServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(shared): State<Arc<Mutex<Inner>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap();
    let mut inner = shared.lock().unwrap_or_else(PoisonError::into_inner);
    inner.requests += 1;
    let path = parts.uri.to_string();
    match inner.reply(&path, parts.headers, &body) {
        Ok(response) => response,
        Err(complaint) => {
            let complaint: String = complaint.chars().take(3000).collect();
            inner.complaints.push(complaint.clone());
            // Not 400: a client may try again without what that could be about.
            (StatusCode::FORBIDDEN, complaint).into_response()
        }
    }
}

impl Inner {
    fn reply(&mut self, path: &str, headers: HeaderMap, body: &[u8]) -> Result<Response, String> {
        let body: Value = serde_json::from_slice(body).map_err(|err| format!("not JSON: {err}"))?;
        let wire = self.tongue.wire();
        let turns = match wire {
            Wire::Chat => asked::chat(&body)?,
            Wire::Anthropic => asked::anthropic(&body)?,
            Wire::Gemini => asked::gemini(&body)?,
        };
        let asked = Asked { path: path.to_owned(), headers, body, turns };
        let streamed = admit(wire, self.tongue.model(), &asked)?;
        let words = asked.words();
        asked.says(self.task.words())?;
        let sent = asked.picture().ok_or("no picture")?;
        let sight = Sight::new(self.mind.phone.display_size(), sent);
        if !sight.keeps_shape(32) {
            return Err(format!("a picture of {sent:?} of a screen of {:?}", sight.screen));
        }
        self.tongue.check(&asked, &self.said)?;
        let intent = self.mind.next(self.task, &words);
        let said = self.tongue.say(&intent, &asked, &sight);
        self.said.push(said.clone());
        Ok(match wire {
            Wire::Chat => chat(&said, self.said.len(), streamed),
            Wire::Anthropic => anthropic(&said, self.said.len(), streamed),
            Wire::Gemini => gemini(&said, streamed),
        })
    }
}

/// Whether the reply is to come in pieces; complains about another path, key or name.
fn admit(wire: Wire, model: &str, asked: &Asked) -> Result<bool, String> {
    let has = |name: &str| asked.headers.get(name).and_then(|value| value.to_str().ok());
    let (path, key, stream) = match wire {
        Wire::Chat => (
            "/v1/chat/completions".to_owned(),
            has("authorization").and_then(|value| value.strip_prefix("Bearer ")),
            asked.body["stream"] == true,
        ),
        Wire::Anthropic => {
            has("anthropic-version").ok_or("no anthropic-version")?;
            ("/v1/messages".to_owned(), has("x-api-key"), asked.body["stream"] == true)
        }
        Wire::Gemini => {
            let stream = asked.path.contains(":stream");
            let verb = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
            (format!("/v1beta/models/{model}:{verb}"), has("x-goog-api-key"), stream)
        }
    };
    if asked.path != path {
        return Err(format!("asked at {}, not {path}", asked.path));
    }
    if key != Some(KEY) {
        return Err(format!("the key is {key:?}"));
    }
    if wire != Wire::Gemini && asked.body["model"] != model {
        return Err(format!("the model is {}", asked.body["model"]));
    }
    Ok(stream)
}

fn events(events: impl IntoIterator<Item = (Option<&'static str>, String)>) -> Response {
    let mut text = String::new();
    for (name, data) in events {
        if let Some(name) = name {
            text.extend(["event: ", name, "\n"]);
        }
        text.extend(["data: ", &data, "\n\n"]);
    }
    ([(header::CONTENT_TYPE, "text/event-stream")], text).into_response()
}

/// A text in two pieces, cut where characters end.
fn halves(text: &str) -> (&str, &str) {
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at));
    text.split_at(middle.unwrap_or(0))
}

fn chat(said: &Said, number: usize, streamed: bool) -> Response {
    let reason = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({ "prompt_tokens": 1200, "completion_tokens": 60, "total_tokens": 1260 });
    let calls: Vec<Value> = said
        .calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({ "id": format!("call_{number}_{index}"), "type": "function", "index": index,
                    "function": { "name": name, "arguments": arguments.to_string() } })
        })
        .collect();
    if !streamed {
        let mut message = json!({ "role": "assistant", "content": said.text });
        if !said.reasoning.is_empty() {
            message["reasoning_content"] = said.reasoning.as_str().into();
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let choice = json!({ "index": 0, "finish_reason": reason, "message": message });
        let whole =
            json!({ "id": "x", "object": "chat.completion", "choices": [choice], "usage": usage });
        return axum::Json(whole).into_response();
    }
    let piece = |delta: Value, reason: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        let chunk = json!({ "id": "x", "object": "chat.completion.chunk", "choices": [choice] });
        (None, chunk.to_string())
    };
    let (first, second) = halves(&said.text);
    let mut all = vec![piece(json!({ "role": "assistant", "content": "" }), Value::Null)];
    if !said.reasoning.is_empty() {
        all.push(piece(json!({ "reasoning_content": said.reasoning }), Value::Null));
    }
    all.push(piece(json!({ "content": first }), Value::Null));
    all.push(piece(json!({ "content": second }), Value::Null));
    for mut call in calls {
        // The name comes first and the arguments in pieces, as OpenAI streams them.
        let arguments = call["function"]["arguments"].as_str().unwrap().to_owned();
        let index = call["index"].clone();
        call["function"]["arguments"] = "".into();
        all.push(piece(json!({ "tool_calls": [call] }), Value::Null));
        let (first, second) = halves(&arguments);
        for part in [first, second] {
            let call = json!({ "index": index, "function": { "arguments": part } });
            all.push(piece(json!({ "tool_calls": [call] }), Value::Null));
        }
    }
    all.push(piece(json!({}), reason.into()));
    all.push((None, json!({ "choices": [], "usage": usage }).to_string()));
    all.push((None, "[DONE]".to_owned()));
    events(all)
}

fn anthropic(said: &Said, number: usize, streamed: bool) -> Response {
    let reason = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({ "input_tokens": 1200, "output_tokens": 60 });
    let mut blocks = Vec::new();
    if !said.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": said.text }));
    }
    for (index, (name, input)) in said.calls.iter().enumerate() {
        let id = format!("toolu_{number}_{index}");
        blocks.push(json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
    }
    let mut message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
        "content": blocks, "stop_reason": reason, "stop_sequence": null, "usage": usage,
    });
    if !streamed {
        return axum::Json(message).into_response();
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let event = |kind: &'static str, mut data: Value| {
        data["type"] = kind.into();
        (Some(kind), data.to_string())
    };
    let mut all =
        vec![event("message_start", json!({ "message": message })), event("ping", json!({}))];
    for (index, block) in blocks.iter().enumerate() {
        let mut start = block.clone();
        let (kind, field, whole) = if block["type"] == "text" {
            start["text"] = "".into();
            ("text_delta", "text", said.text.clone())
        } else {
            start["input"] = json!({});
            ("input_json_delta", "partial_json", block["input"].to_string())
        };
        all.push(event("content_block_start", json!({ "index": index, "content_block": start })));
        let (first, second) = halves(&whole);
        for part in [first, second] {
            let delta = json!({ "type": kind, field: part });
            all.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
        }
        all.push(event("content_block_stop", json!({ "index": index })));
    }
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    all.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 60 } })));
    all.push(event("message_stop", json!({})));
    events(all)
}

fn gemini(said: &Said, streamed: bool) -> Response {
    let usage =
        json!({ "promptTokenCount": 1200, "candidatesTokenCount": 60, "totalTokenCount": 1260 });
    let text = |text: &str| (!text.is_empty()).then(|| json!({ "text": text }));
    let calls = said.calls.iter();
    let calls: Vec<_> = calls
        .map(|(name, args)| json!({ "functionCall": { "name": name, "args": args } }))
        .collect();
    let candidate = |parts: Vec<Value>, reason: Option<&str>| {
        let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
        if let Some(reason) = reason {
            candidate["finishReason"] = reason.into();
        }
        json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini" })
    };
    if streamed {
        let (first, second) = halves(&said.text);
        return events([
            (None, candidate(text(first).into_iter().collect(), None).to_string()),
            (
                None,
                candidate(text(second).into_iter().chain(calls).collect(), Some("STOP"))
                    .to_string(),
            ),
        ]);
    }
    let parts = text(&said.text).into_iter().chain(calls).collect();
    axum::Json(candidate(parts, Some("STOP"))).into_response()
}
