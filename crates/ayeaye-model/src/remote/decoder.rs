//! Bytes in, a completion out: whole JSON or an event stream, whichever the bytes turn out to be.
use serde_json::{Map, Value};

use super::completion::{Completion, DONE_WITHOUT_REASON, REFUSAL, TRUNCATED, UNPARSED};
use super::error::AttemptError;
use super::error_body::{bare_error, reported_error, words_in};
use super::sse::EventReader;
use super::surrogates::json_with_halves;
use super::wire::Api;
use crate::Limits;

/// The most tool calls in one reply.
const MAX_TOOL_CALLS: usize = 64;

/// Reads the body of an answer as it arrives.
#[derive(Debug)]
pub(super) struct ResponseDecoder {
    api: &'static dyn Api,
    limits: Limits,
    /// From the answer's header; used where the bytes themselves do not tell.
    content_type: String,
    /// Bytes so far, decompressed.
    received: usize,
    body: Body,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a call")]
enum Body {
    /// Nothing but blanks so far.
    Unknown,
    Json(Vec<u8>),
    Events {
        reader: EventReader,
        completion: Completion,
        has_events: bool,
        /// Some of them were of this API.
        is_of_api: bool,
    },
}

impl ResponseDecoder {
    pub(super) fn new(api: &'static dyn Api, limits: Limits, content_type: &str) -> Self {
        let content_type = content_type.split(';').next().unwrap_or_default().trim();
        // No type is longer; what is may be anything, and is told in errors.
        let content_type = content_type.chars().take(80).collect::<String>().to_ascii_lowercase();
        Self { api, limits, content_type, received: 0, body: Body::Unknown }
    }

    /// Decodes the next bytes. `true` when the reply is complete and nothing more needs to come.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<bool, AttemptError> {
        self.received += bytes.len();
        if self.limits.body < self.received {
            return Err(AttemptError::too_long(format!(
                "answered with more than {} bytes: no reply is that long",
                self.limits.body
            )));
        }
        if let Body::Unknown = self.body {
            let Some(body) = self.recognize(bytes)? else { return Ok(false) };
            self.body = body;
        }
        match &mut self.body {
            Body::Unknown => Ok(false),
            Body::Json(body) => {
                body.extend_from_slice(bytes);
                Ok(false)
            }
            Body::Events { reader, completion, has_events, is_of_api } => {
                let (api, limit) = (self.api, self.limits.reply);
                reader.push(bytes, &mut |event| {
                    *has_events = true;
                    *is_of_api |= merge(completion, api, event, limit)? || has_place(api, event);
                    Ok(completion.ended)
                })
            }
        }
    }

    /// What kind of body begins with these bytes; `None` while they are all blank.
    fn recognize(&self, bytes: &[u8]) -> Result<Option<Body>, AttemptError> {
        let events = || Body::Events {
            reader: EventReader::default(),
            completion: Completion::default(),
            has_events: false,
            is_of_api: false,
        };
        Ok(match bytes.iter().find(|byte| !b" \t\r\n\xef\xbb\xbf".contains(byte)) {
            None => None,
            Some(b'{' | b'[' | b'"') => Some(Body::Json(Vec::new())),
            Some(b'<') => {
                let page = String::from_utf8_lossy(bytes);
                let words = title(&page).unwrap_or(&page).to_owned();
                return Err(AttemptError::wrong_api("a web page").quoting(words));
            }
            Some(b'd' | b'e' | b'i' | b'r' | b':') => Some(events()),
            Some(_) if self.content_type == "text/event-stream" => Some(events()),
            Some(_) => {
                let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
                let kind = Some(self.content_type.as_str()).filter(|it| !it.is_empty());
                let what = format!("{} that is no JSON", kind.unwrap_or("text"));
                return Err(AttemptError::wrong_api(&what).quoting(text.into_owned()));
            }
        })
    }

    /// Whether any of the reply has arrived. Known for streams only.
    pub(super) fn has_begun(&self) -> bool {
        match &self.body {
            Body::Events { completion, .. } => completion.has_begun(),
            Body::Unknown | Body::Json(_) => false,
        }
    }

    /// Whether all of the reply has arrived. Known for streams only.
    pub(super) fn is_whole(&self) -> bool {
        match &self.body {
            Body::Events { completion, .. } => completion.is_whole(),
            Body::Unknown | Body::Json(_) => false,
        }
    }

    /// The completion, where an error ends the answer: the error is none where all of the reply has arrived.
    pub(super) fn finish_after(self, error: AttemptError) -> Result<Completion, AttemptError> {
        if !error.is_break() {
            return Err(error);
        }
        // What comes in one piece is written by then.
        let has_cost = self.has_begun() || matches!(self.body, Body::Json(_));
        match self.finish() {
            Ok(completion) if completion.is_whole() || completion.is_unparsed() => Ok(completion),
            Err(reported) if reported.is_reported => Err(reported),
            Ok(_) | Err(_) => Err(error.behind(has_cost)),
        }
    }

    /// The completion, when no more bytes come.
    pub(super) fn finish(self) -> Result<Completion, AttemptError> {
        let (api, limit) = (self.api, self.limits.reply);
        match self.body {
            Body::Unknown => Err(AttemptError::invalid_response("answered with nothing at all")),
            Body::Json(body) => {
                let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body);
                decode_json(api, body, limit)
            }
            Body::Events { reader, mut completion, mut has_events, mut is_of_api } => {
                let ended = reader.finish(&mut |event| {
                    has_events = true;
                    is_of_api |=
                        merge(&mut completion, api, event, limit)? || has_place(api, event);
                    Ok(completion.ended)
                });
                let done = match ended {
                    // What is broken stands behind the end of the reply.
                    Err(error) if error.is_break() && completion.is_whole() => false,
                    Err(error) => return Err(error.behind(completion.has_begun())),
                    Ok(done) => done,
                };
                if !has_events {
                    let message = "answered with a stream that says nothing";
                    return Err(AttemptError::invalid_response(message));
                }
                if !is_of_api {
                    let what = format!("a stream whose events hold no {}", api.expected_content());
                    return Err(AttemptError::wrong_api(&what));
                }
                // A relay ends its stream in order also where that behind it has broken off.
                let is_cut = !done || completion.gives_reason;
                let gives_reason = completion.gives_reason || api.always_gives_finish_reason();
                let has_ended =
                    completion.finish_reason.is_some() && !(completion.goes_on && gives_reason);
                if !has_ended && is_cut {
                    let reason = if done { DONE_WITHOUT_REASON } else { TRUNCATED };
                    completion.finish_reason = Some(reason.to_owned());
                }
                finished(completion, api)
            }
        }
    }
}

/// Decodes an answer that came in one piece. `limit` bounds the bytes of the reply.
pub(super) fn decode_json(
    api: &dyn Api,
    body: &[u8],
    limit: usize,
) -> Result<Completion, AttemptError> {
    let json = match json_with_halves(body) {
        Ok(json) => json,
        Err(error) if error.is_data() => {
            let what = format!("JSON that can be read in two ways ({error})");
            return Err(AttemptError::wrong_api(&what));
        }
        Err(_) => return Err(AttemptError::wrong_api("JSON that is broken")),
    };
    let mut completion = Completion::default();
    let found = merge(&mut completion, api, &json, limit);
    if !found.map_err(|error| error.behind(completion.has_cost()))? {
        let expected = api.expected_content();
        if is_empty(json.get(expected.trim_matches('`'))) {
            return Err(AttemptError::withheld(expected));
        }
        let what = format!("JSON that holds no {expected}");
        let words = words_in(&json).map_or_else(|| fields(&json), str::to_owned);
        return Err(AttemptError::wrong_api(&what).quoting(words));
    }
    // By its last brace.
    completion.is_closed = true;
    finished(completion, api)
}

/// The title of a web page, which tells more of it than its first bytes.
fn title(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<title")?;
    let (_, rest) = rest.split_once('>')?;
    let (title, _) = rest.split_once("</title")?;
    Some(title.trim()).filter(|title| !title.is_empty())
}

/// What JSON has instead: its names, since what they hold may be a reply, with a password to be typed.
fn fields(json: &Value) -> String {
    let names: Vec<_> =
        json.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    if names.is_empty() { String::new() } else { format!("it has: {}", names.join(", ")) }
}

/// Whether JSON has the place where this API puts its answers, be it empty.
fn has_place(api: &dyn Api, json: &Value) -> bool {
    json.get(api.expected_content().trim_matches('`')).is_some()
}

/// Whether a field is there and nothing is in it.
fn is_empty(field: Option<&Value>) -> bool {
    field.is_some_and(|it| it.is_null() || it.as_array().is_some_and(Vec::is_empty))
}

/// Adds a whole answer, or one event of a stream; `limit` bounds the bytes of text, reasoning and
/// tool calls together. `false` if it holds nothing of an answer.
pub(super) fn merge(
    completion: &mut Completion,
    api: &dyn Api,
    json: &Value,
    limit: usize,
) -> Result<bool, AttemptError> {
    if let Some(error) = reported_error(json) {
        // Beside it some tell what had come of the reply. Counts alone are no sign in a stream: it may open with them.
        api.merge(completion, json);
        if completion.has_begun() && error.is_unparsed_reply() {
            // A reply all the same, which its model can be asked to write otherwise.
            completion.finish_reason = Some(UNPARSED.to_owned());
            (completion.goes_on, completion.ended) = (false, true);
            return Ok(true);
        }
        return Err(error.behind(completion.has_begun()));
    }
    let (was_empty, bytes) = (completion.is_empty(), completion.bytes());
    let earlier = completion.finish_reason.take();
    let had_reason = earlier.is_some();
    let found = api.merge(completion, json);
    let has_reason = completion.finish_reason.is_some();
    completion.finish_reason = completion.finish_reason.take().or(earlier);
    if !found && let Some(error) = bare_error(json) {
        return Err(error.behind(completion.has_begun()));
    }
    let is_more = bytes != completion.bytes();
    completion.goes_on = !has_reason && (completion.goes_on || had_reason && is_more);
    // Chat endpoints count tokens behind the end.
    let counts = json["choices"].as_array().is_some_and(Vec::is_empty) && json["usage"].is_object();
    completion.is_closed = if had_reason {
        !is_more
            && (completion.is_closed || counts && !completion.is_empty() && !completion.goes_on)
    } else {
        has_reason && !was_empty
    };
    if limit < completion.bytes() {
        return Err(AttemptError::too_long(format!(
            "answered with more than {limit} bytes: no action is that long"
        )));
    }
    if MAX_TOOL_CALLS < completion.tool_call_count() {
        return Err(AttemptError::too_long(format!(
            "answered with more than {MAX_TOOL_CALLS} calls of tools: one action is one call"
        )));
    }
    Ok(found)
}

fn finished(mut completion: Completion, api: &dyn Api) -> Result<Completion, AttemptError> {
    completion.join_halves();
    if completion.finish_reason.is_none() && api.always_gives_finish_reason() {
        completion.finish_reason = Some(TRUNCATED.to_owned());
    }
    if completion.refused && !completion.is_cut() {
        completion.finish_reason = Some(REFUSAL.to_owned());
    }
    match completion.failure() {
        Some(reason) => Err(AttemptError::failed(reason).behind(completion.has_cost())),
        None => Ok(completion),
    }
}

#[cfg(test)]
mod tests;
