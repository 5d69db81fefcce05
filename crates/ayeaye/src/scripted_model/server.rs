//! The HTTP face: as much of OpenAI's chat completions as a model client can expect.
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

use super::NAME;
use super::context::{LauncherApp, StepContext};
use super::hear::{Heard, hear};
use super::reply::Move;
use super::skill;

/// A prompt with the picture of a large screen is below a megabyte.
const LARGEST: usize = 16 << 20;
/// The longest to wait for a screen that moves; a spinner never stops by itself.
const SETTLES: Duration = Duration::from_secs(2);

/// What all requests share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) phone: Phone,
    pub(super) key: String,
    pub(super) delay: Duration,
}

/// To whoever asks for something else: a plan over apps, a judgement, an answer for the user.
const ONLY_STEPS: &str = "the stand-in for a model only decides on the steps of one task in one app: a \
    planner, a judge or automatic replies need a model (model.base-url, model.name)";

/// Why a request is not answered: a status and what to say.
type Refusal = (StatusCode, String);

pub(super) fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/v1/models", get(models))
        .route("/v1/chat/completions", post(chat))
        .layer(DefaultBodyLimit::max(LARGEST))
        .with_state(shared)
}

async fn models(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if let Err(refusal) = admit(&shared, &headers) {
        return refused(refusal);
    }
    let model = json!({ "id": NAME, "object": "model", "created": 0, "owned_by": "ayeaye" });
    Json(json!({ "object": "list", "data": [model] })).into_response()
}

async fn chat(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let asked = admit(&shared, &headers).and_then(|()| read(&body));
    let (heard, streamed, length) = match asked {
        Ok(asked) => asked,
        Err(refusal) => return refused(refusal),
    };
    tokio::time::sleep(shared.delay).await;
    let reply = decide(&shared.phone, &heard).await.written();
    let completion = tokens(reply.len());
    let prompt = tokens(length);
    let usage = json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    });
    if streamed { in_pieces(&reply, &usage) } else { at_once(&reply, &usage) }
}

/// What to do next, as the screen is once it stands still.
pub(super) async fn decide(phone: &Phone, heard: &Heard) -> Move {
    let latest = tokio::time::Instant::now() + SETTLES;
    while let Some(still) = phone.settles_at() {
        let now = tokio::time::Instant::now();
        if latest <= now {
            break;
        }
        // Never for no time at all: what is due now may still be under way.
        tokio::time::sleep_until(still.clamp(now + Duration::from_millis(1), latest)).await;
    }
    let apps = phone.packages().into_iter().filter(|package| package.launcher.is_some());
    let apps: Vec<_> =
        apps.map(|package| LauncherApp { label: package.label, package: package.name }).collect();
    let state = phone.state();
    skill::next(&StepContext { heard, state: &state, apps: &apps })
}

/// Whether the request bears our key. Hashes are compared, so that the time says nothing.
fn admit(shared: &Shared, headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let key = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if Sha256::digest(key) == Sha256::digest(&shared.key) {
        Ok(())
    } else {
        Err((StatusCode::UNAUTHORIZED, "the request bears no key, or another one".to_owned()))
    }
}

/// The prompt, whether the reply is to come in pieces, and the length of all words.
fn read(body: &[u8]) -> Result<(Heard, bool, usize), Refusal> {
    let wrong = |why: String| (StatusCode::BAD_REQUEST, why);
    let request: Value = serde_json::from_slice(body)
        .map_err(|error| wrong(format!("the body is not JSON: {error}")))?;
    match request["model"].as_str() {
        Some(NAME) => {}
        name => {
            let name = name.unwrap_or_default();
            return Err((
                StatusCode::NOT_FOUND,
                format!("there is no model `{name}`, only `{NAME}`"),
            ));
        }
    }
    let Some(messages) = request["messages"].as_array() else {
        return Err(wrong("there are no messages".to_owned()));
    };
    let (mut words, mut pictures) = (String::new(), 0);
    for content in messages.iter().map(|message| &message["content"]) {
        if let Some(text) = content.as_str() {
            words.push_str(text);
            words.push('\n');
        }
        for part in content.as_array().into_iter().flatten() {
            match (part["type"].as_str(), &part["text"], &part["image_url"]["url"]) {
                (Some("text"), Value::String(text), _) => {
                    words.push_str(text);
                    words.push('\n');
                }
                (Some("image_url"), _, Value::String(url)) => {
                    look(url).map_err(wrong)?;
                    pictures += 1;
                }
                _ => return Err(wrong("a part is neither text nor a picture".to_owned())),
            }
        }
    }
    if pictures != 1 {
        return Err(wrong(format!("there are {pictures} pictures where one is needed")));
    }
    let Some(heard) = hear(&words) else {
        return Err(wrong(ONLY_STEPS.to_owned()));
    };
    Ok((heard, request["stream"].as_bool().unwrap_or_default(), words.len()))
}

/// Not what is on the picture, but that it is one: a client that sends none must not get by.
fn look(url: &str) -> Result<(), String> {
    let data = url
        .strip_prefix("data:image/jpeg;base64,")
        .ok_or("the picture is not a data URL of type image/jpeg")?;
    let jpeg = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|error| format!("the picture is not in base64: {error}"))?;
    match size(&jpeg) {
        Some((width, height)) if 0 < width && 0 < height => Ok(()),
        _ => Err("the picture is not a JPEG".to_owned()),
    }
}

/// Width and height by a JPEG's frame header (ITU T.81, B.2.2).
fn size(jpeg: &[u8]) -> Option<(u16, u16)> {
    let mut rest = jpeg.strip_prefix(&[0xFF, 0xD8])?;
    loop {
        let (&[0xFF, marker, high, low], _) = rest.split_first_chunk()? else { return None };
        let segment = rest.get(2..)?.get(..usize::from(u16::from_be_bytes([high, low])))?;
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            let number =
                |at: usize| Some(u16::from_be_bytes([*segment.get(at)?, *segment.get(at + 1)?]));
            return Some((number(5)?, number(3)?));
        }
        if segment.len() < 2 {
            return None;
        }
        rest = rest.get(2 + segment.len()..)?;
    }
}

/// Nobody counts for us: about four bytes make a token.
fn tokens(bytes: usize) -> usize {
    bytes / 4 + 1
}

fn at_once(reply: &str, usage: &Value) -> Response {
    let message = json!({ "role": "assistant", "content": reply });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    let whole = json!({
        "id": "pilot", "object": "chat.completion", "created": 0, "model": NAME,
        "choices": [choice], "usage": usage,
    });
    Json(whole).into_response()
}

fn in_pieces(reply: &str, usage: &Value) -> Response {
    let chunk = |choices: Value, usage: &Value| {
        json!({
            "id": "pilot", "object": "chat.completion.chunk", "created": 0, "model": NAME,
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
    fn a_jpeg_is_known_by_its_frame() {
        let jpeg = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 1, 0xFF, 0xC0, 0, 8, 8, 6, 64, 2, 208, 3];
        assert_eq!(size(&jpeg), Some((720, 1600)));
        assert_eq!(size(&jpeg[..12]), None);
        assert!(look("data:image/png;base64,AAAA").is_err());
        assert!(look("data:image/jpeg;base64,!").is_err());
    }

    proptest! {
        #[test]
        fn no_picture_panics(head in 0usize..3, mut jpeg in any::<Vec<u8>>()) {
            jpeg.splice(0..0, [0xFF, 0xD8, 0xFF].into_iter().take(head + 1));
            prop_assert!(size(&jpeg).is_none_or(|_| jpeg.len() > 8));
        }

        #[test]
        fn no_body_panics(body in any::<Vec<u8>>()) {
            prop_assert!(read(&body).is_err());
        }
    }
}
