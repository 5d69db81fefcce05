//! The server behind which a family's model sits, in the APIs there are.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::gpt_computer;
use super::request::{self, FamilyRequest};
use super::{Coords, FakeFamily, FakeReply, Task, TaskOracle};
use crate::support::KEY;

/// The API that a family is asked over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Chat,
    Anthropic,
    Gemini,
    Responses,
}

/// A family's server. Dropping it ends it.
pub struct FamilyServer {
    pub address: SocketAddr,
    shared: Arc<Mutex<Inner>>,
    server: tokio::task::JoinHandle<()>,
}

struct Inner {
    family: Box<dyn FakeFamily>,
    oracle: TaskOracle,
    replies: Vec<FakeReply>,
    complaints: Vec<String>,
    requests: usize,
    refusals: usize,
}

impl FamilyServer {
    pub async fn start(family: Box<dyn FakeFamily>, oracle: TaskOracle) -> Self {
        let shared = Arc::new(Mutex::new(Inner {
            family,
            oracle,
            replies: Vec::new(),
            complaints: Vec::new(),
            requests: 0,
            refusals: 0,
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
    pub fn begin(&self, task: Task) {
        let mut inner = self.inner();
        inner.oracle.begin(task);
        inner.replies.clear();
    }

    /// What was wrong with requests.
    pub fn complaints(&self) -> Vec<String> {
        self.inner().complaints.clone()
    }

    pub fn requests(&self) -> usize {
        self.inner().requests
    }

    /// Requests that were answered 400, as the family's own server would.
    pub fn refusals(&self) -> usize {
        self.inner().refusals
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
        let wire = self.family.wire();
        let turns = match wire {
            Wire::Chat => request::chat(&body)?,
            Wire::Anthropic => request::anthropic(&body)?,
            Wire::Gemini => request::gemini(&body)?,
            Wire::Responses => gpt_computer::turns(&body)?,
        };
        let request = FamilyRequest { path: path.to_owned(), headers, body, turns };
        if let Some(why) = self.family.refusal(&request) {
            self.refusals += 1;
            let error = json!({ "type": "invalid_request_error", "message": why });
            let error = axum::Json(json!({ "type": "error", "error": error }));
            return Ok((StatusCode::BAD_REQUEST, error).into_response());
        }
        let says_nothing = |message: &Value| message["content"] == "";
        let mut messages = request.body["messages"].as_array().into_iter().flatten();
        if !self.family.takes_empty_turns() && messages.any(says_nothing) {
            return Err("an empty message".to_owned());
        }
        let streamed = admit(wire, self.family.model(), &request)?;
        request.expect_text(self.oracle.task().words())?;
        let sent = request.picture().ok_or("no picture")?;
        let coords = Coords::new(self.oracle.phone.display_size(), sent);
        if !coords.keeps_shape(32) {
            return Err(format!("a picture of {sent:?} of a screen of {:?}", coords.screen));
        }
        self.family.check(&request, &self.replies)?;
        let next = self.oracle.next(&request.text())?;
        let reply = self.family.format_reply(&next, &request, &coords);
        self.replies.push(reply.clone());
        Ok(match wire {
            Wire::Chat => chat(&reply, self.replies.len(), streamed),
            Wire::Anthropic => anthropic(&reply, self.replies.len(), streamed),
            Wire::Gemini => gemini(&reply, streamed),
            Wire::Responses => gpt_computer::answer(&reply, self.replies.len(), streamed),
        })
    }
}

/// Whether the reply is to come in pieces; complains about another path, key or name.
fn admit(wire: Wire, model: &str, request: &FamilyRequest) -> Result<bool, String> {
    let has = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
    let (path, key, stream) = match wire {
        Wire::Chat => (
            "/v1/chat/completions".to_owned(),
            has("authorization").and_then(|value| value.strip_prefix("Bearer ")),
            request.body["stream"] == true,
        ),
        Wire::Anthropic => {
            has("anthropic-version").ok_or("no anthropic-version")?;
            ("/v1/messages".to_owned(), has("x-api-key"), request.body["stream"] == true)
        }
        Wire::Responses => (
            "/v1/responses".to_owned(),
            has("authorization").and_then(|value| value.strip_prefix("Bearer ")),
            request.body["stream"] == true,
        ),
        Wire::Gemini => {
            let stream = request.path.contains(":stream");
            let verb = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
            (format!("/v1beta/models/{model}:{verb}"), has("x-goog-api-key"), stream)
        }
    };
    if request.path != path {
        return Err(format!("asked at {}, not {path}", request.path));
    }
    if key != Some(KEY) {
        return Err(format!("the key is {key:?}"));
    }
    if wire != Wire::Gemini && request.body["model"] != model {
        return Err(format!("the model is {}", request.body["model"]));
    }
    Ok(stream)
}

pub(super) fn events(events: impl IntoIterator<Item = (Option<&'static str>, String)>) -> Response {
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

fn chat(reply: &FakeReply, number: usize, streamed: bool) -> Response {
    let reason = if reply.calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({ "prompt_tokens": 1200, "completion_tokens": 60, "total_tokens": 1260 });
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({ "id": format!("call_{number}_{index}"), "type": "function", "index": index,
                    "function": { "name": name, "arguments": arguments.to_string() } })
        })
        .collect();
    if !streamed {
        let mut message = json!({ "role": "assistant", "content": reply.text });
        if !reply.reasoning.is_empty() {
            message["reasoning_content"] = reply.reasoning.as_str().into();
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
    let (first, second) = halves(&reply.text);
    let mut all = vec![piece(json!({ "role": "assistant", "content": "" }), Value::Null)];
    if !reply.reasoning.is_empty() {
        all.push(piece(json!({ "reasoning_content": reply.reasoning }), Value::Null));
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

fn anthropic(reply: &FakeReply, number: usize, streamed: bool) -> Response {
    let reason = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({ "input_tokens": 1200, "output_tokens": 60 });
    let mut blocks = Vec::new();
    if !reply.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": reply.text }));
    }
    for (index, (name, input)) in reply.calls.iter().enumerate() {
        let id = format!("toolu_{number}_{index}");
        let mut block = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        if let Some((toolset, member)) = name.split_once('.') {
            block["name"] = member.into();
            block["toolset_name"] = toolset.into();
        }
        blocks.push(block);
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
            ("text_delta", "text", reply.text.clone())
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

fn gemini(reply: &FakeReply, streamed: bool) -> Response {
    let usage =
        json!({ "promptTokenCount": 1200, "candidatesTokenCount": 60, "totalTokenCount": 1260 });
    let text = |text: &str| (!text.is_empty()).then(|| json!({ "text": text }));
    let calls = reply.calls.iter();
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
        let (first, second) = halves(&reply.text);
        return events([
            (None, candidate(text(first).into_iter().collect(), None).to_string()),
            (
                None,
                candidate(text(second).into_iter().chain(calls).collect(), Some("STOP"))
                    .to_string(),
            ),
        ]);
    }
    let parts = text(&reply.text).into_iter().chain(calls).collect();
    axum::Json(candidate(parts, Some("STOP"))).into_response()
}
