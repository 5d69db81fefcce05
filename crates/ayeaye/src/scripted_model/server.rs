//! The HTTP server: as much of OpenAI's chat completions as a model client needs.
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use ayeaye_phone::Phone;
use base64::Engine as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::progress::TaskProgress;
use super::step::{NextStep, format_reply};
use super::{NAME, next_step};

/// A prompt with the picture of a large screen is below a megabyte.
const MAX_BODY: usize = 16 << 20;
/// The longest to wait for a screen that moves; a spinner never stops by itself.
const MAX_SETTLE: Duration = Duration::from_secs(2);

/// What all requests share.
#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) phone: Phone,
    /// `None`: anyone on this machine may ask.
    pub(super) key: Option<String>,
    pub(super) delay: Duration,
}

/// The answer to requests for anything else: a plan over apps, a judgement, an answer for the user.
pub const ONLY_STEPS: &str = "the stand-in for a model only decides on the steps of one task in one app: a \
    planner, a judge or automatic replies need a model (model.base-url, model.name)";

/// Why a request is refused: status and message.
type Refusal = (StatusCode, String);

pub(super) fn routes(shared: SharedState) -> Router {
    Router::new()
        .route("/v1/models", get(models))
        .route("/v1/chat/completions", post(chat))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(shared)
}

async fn models(State(shared): State<SharedState>, headers: HeaderMap) -> Response {
    if let Err(refusal) = authorize(&shared, &headers) {
        return refused(refusal);
    }
    let model = json!({ "id": NAME, "object": "model", "created": 0, "owned_by": "ayeaye" });
    Json(json!({ "object": "list", "data": [model] })).into_response()
}

async fn chat(State(shared): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let request = authorize(&shared, &headers).and_then(|()| ChatRequest::parse(&body));
    let request = match request {
        Ok(request) => request,
        Err(refusal) => return refused(refusal),
    };
    tokio::time::sleep(shared.delay).await;
    let reply = format_reply(&decide(&shared.phone, &request.progress).await);
    let completion = estimated_tokens(reply.len());
    let prompt = estimated_tokens(request.text_bytes);
    let usage = json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    });
    if request.stream { in_pieces(&reply, &usage) } else { at_once(&reply, &usage) }
}

/// The next step, once the screen stands still.
pub(super) async fn decide(phone: &Phone, progress: &TaskProgress) -> NextStep {
    let latest = tokio::time::Instant::now() + MAX_SETTLE;
    while let Some(settled) = phone.settles_at() {
        let now = tokio::time::Instant::now();
        if latest <= now {
            break;
        }
        // Never zero: what is due now may still be in progress.
        tokio::time::sleep_until(settled.clamp(now + Duration::from_millis(1), latest)).await;
    }
    next_step(phone, progress)
}

/// Whether the request has the key. Compares hashes, so that timing reveals nothing.
fn authorize(shared: &SharedState, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(key) = &shared.key else { return Ok(()) };
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = value.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if Sha256::digest(given) == Sha256::digest(key) {
        Ok(())
    } else {
        Err((StatusCode::UNAUTHORIZED, "the request bears no key, or another one".to_owned()))
    }
}

#[derive(Debug)]
struct ChatRequest {
    progress: TaskProgress,
    stream: bool,
    /// Of all texts together.
    text_bytes: usize,
}

impl ChatRequest {
    fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let wrong = |why: String| (StatusCode::BAD_REQUEST, why);
        let request: Value = serde_json::from_slice(body)
            .map_err(|error| wrong(format!("the body is not JSON: {error}")))?;
        let name = request["model"].as_str().unwrap_or_default();
        if name != NAME {
            let why = format!("there is no model `{name}`, only `{NAME}`");
            return Err((StatusCode::NOT_FOUND, why));
        }
        let Some(messages) = request["messages"].as_array() else {
            return Err(wrong("there are no messages".to_owned()));
        };
        let (mut progress, mut text_bytes, mut pictures) = (None, 0, 0);
        for message in messages {
            let content = &message["content"];
            if let Some(text) = content.as_str() {
                text_bytes += text.len();
                if message["role"] == "system" {
                    progress = progress.or_else(|| TaskProgress::from_message(text));
                }
            }
            for part in content.as_array().into_iter().flatten() {
                match (part["type"].as_str(), &part["text"], &part["image_url"]["url"]) {
                    (Some("text"), Value::String(text), _) => text_bytes += text.len(),
                    (Some("image_url"), _, Value::String(url)) => {
                        check_picture(url).map_err(wrong)?;
                        pictures += 1;
                    }
                    _ => return Err(wrong("a part is neither text nor a picture".to_owned())),
                }
            }
        }
        let Some(progress) = progress else {
            return Err(wrong(ONLY_STEPS.to_owned()));
        };
        if pictures != 1 {
            return Err(wrong(format!("there are {pictures} pictures where one is needed")));
        }
        let stream = request["stream"].as_bool().unwrap_or_default();
        Ok(Self { progress, stream, text_bytes })
    }
}

/// Checks that a picture is a whole JPEG. It is not used, but a client that sends none must fail.
fn check_picture(url: &str) -> Result<(), String> {
    let data = url
        .strip_prefix("data:image/jpeg;base64,")
        .ok_or("the picture is not a data URL of type image/jpeg")?;
    let jpeg = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|error| format!("the picture is not in base64: {error}"))?;
    match jpeg[..] {
        [0xFF, 0xD8, .., 0xFF, 0xD9] => Ok(()),
        _ => Err("the picture is not a JPEG".to_owned()),
    }
}

/// A usual estimate: four bytes to a token.
fn estimated_tokens(bytes: usize) -> usize {
    bytes / 4 + 1
}

fn at_once(reply: &str, usage: &Value) -> Response {
    let message = json!({ "role": "assistant", "content": reply });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    let whole = json!({
        "id": "scripted", "object": "chat.completion", "created": 0, "model": NAME,
        "choices": [choice], "usage": usage,
    });
    Json(whole).into_response()
}

fn in_pieces(reply: &str, usage: &Value) -> Response {
    let chunk = |choices: Value, usage: &Value| {
        json!({
            "id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": NAME,
            "choices": choices, "usage": usage,
        })
    };
    let piece = |text: &str| {
        let choice = json!([{ "index": 0, "delta": { "content": text }, "finish_reason": null }]);
        chunk(choice, &Value::Null)
    };
    let mut chunks: Vec<_> = reply.split_inclusive(['\n', '\t']).map(piece).collect();
    let end = json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]);
    chunks.push(chunk(end, &Value::Null));
    chunks.push(chunk(json!([]), usage));
    let chunks = chunks.iter().map(Value::to_string).chain(["[DONE]".to_owned()]);
    let events: String = chunks.map(|data| ["data: ", &data, "\n\n"].concat()).collect();
    ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
}

fn refused((status, message): Refusal) -> Response {
    let error = json!({ "error": { "message": message, "type": "invalid_request_error" } });
    (status, Json(error)).into_response()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_whole_jpeg_passes() {
        assert!(check_picture("data:image/jpeg;base64,/9j/2Q==").is_ok());
        for url in [
            "data:image/jpeg;base64,/9j/",
            "data:image/jpeg;base64,!",
            "data:image/png;base64,AAAA",
        ] {
            assert!(check_picture(url).is_err(), "{url}");
        }
    }

    proptest! {
        #[test]
        fn no_body_panics(body in any::<Vec<u8>>()) {
            prop_assert!(ChatRequest::parse(&body).is_err());
        }
    }
}
