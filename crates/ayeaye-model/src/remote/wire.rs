//! The APIs of endpoints: what is sent where, and what the answers hold.
use std::fmt;

use ayeaye_agent::{Part, Picture, Prompt, Role};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use super::completion::Completion;
use super::computer_tool::ComputerTool;
use super::features::{OptionalFeature, UnsupportedFeatures};
use crate::profile::{Sampling, Wire};
use crate::{CallSettings, Endpoint, Secret};

mod anthropic;
mod chat;
mod extra;
mod gemini;
mod responses;

pub(super) use extra::{merge as merge_extra, recorded as recorded_extra};

/// One API: everything that the client does not have to know about it. All of it is pure.
pub(super) trait Api: fmt::Debug + Send + Sync {
    /// Where a prompt is sent.
    fn completion_url(&self, endpoint: &Endpoint, model: &str, stream: bool) -> Url;
    /// Where the models are listed.
    fn models_url(&self, endpoint: &Endpoint) -> Url;
    /// The headers that carry the key, name and value.
    fn auth_headers(&self, key: &Secret, endpoint: &Endpoint) -> Vec<(HeaderName, String)>;
    /// Further headers of a request that declares such a tool, if any.
    fn headers(&self, computer: Option<ComputerTool>) -> HeaderMap;
    /// Whether a request has a field for this setting of calls, by the name that the record gives it.
    fn takes(&self, setting: &str) -> bool;
    /// The body of a request.
    fn body(&self, request: &ModelRequest<'_>) -> Value;
    /// Adds a whole answer, or one event of a stream. `false` if it holds nothing of an answer.
    /// Errors that the endpoint reports have been dealt with before.
    fn merge(&self, completion: &mut Completion, json: &Value) -> bool;
    /// What every answer of this API holds, for the message about one that does not.
    fn expected_content(&self) -> &'static str;
    /// Whether a request can do without this feature, once it has been refused for it.
    fn is_optional(&self, feature: OptionalFeature) -> bool;
    /// Whether every whole answer has a finish reason. One without has then been cut off.
    fn always_gives_finish_reason(&self) -> bool;
}

/// The API that a profile is asked over.
pub(super) fn api(wire: Wire) -> &'static dyn Api {
    match wire {
        Wire::Chat => &chat::Chat,
        Wire::Anthropic => &anthropic::Anthropic,
        Wire::Gemini => &gemini::Gemini,
        Wire::Responses => &responses::Responses,
    }
}

/// A prompt, and how it is to be answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelRequest<'a> {
    pub model: &'a str,
    pub prompt: &'a Prompt,
    pub sampling: Sampling,
    /// What else is set of calls.
    pub calls: &'a CallSettings,
    /// Where it is sent.
    pub endpoint: Option<&'a Endpoint>,
    pub stream: bool,
    /// What this endpoint has refused so far.
    pub unsupported: UnsupportedFeatures,
    /// As which generation the prompt's tool for computers is declared.
    pub computer: Option<ComputerTool>,
}

impl ModelRequest<'_> {
    /// Whether the request uses this feature, so that it can have been refused for it.
    pub(super) fn includes(&self, feature: OptionalFeature) -> bool {
        let wanted = match feature {
            OptionalFeature::StreamUsage => self.stream,
            OptionalFeature::ResponseSchema => self.prompt.schema.is_some(),
            OptionalFeature::Sampling => self.sampling.params().len() > 1,
            OptionalFeature::MaxTokens => true,
            OptionalFeature::Tools => !self.prompt.tools.is_empty(),
            OptionalFeature::PastCalls => {
                let mut parts = self.prompt.messages.iter().flat_map(|message| &message.parts);
                parts.any(|part| matches!(part, Part::Call(_)))
            }
            OptionalFeature::SystemMessage => {
                self.prompt.messages.iter().any(|message| message.role == Role::System)
            }
        };
        wanted && !self.unsupported.contains(feature)
    }

    /// The sampling parameters without `max_tokens`, under the names of chat endpoints.
    fn sampling(&self) -> Map<String, Value> {
        if !self.includes(OptionalFeature::Sampling) {
            return Map::new();
        }
        let mut params = self.sampling.params();
        params.remove("max_tokens");
        params
    }
}

/// A count of tokens, which relays also write as `2000.0` or as a string.
fn token_count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let text = value.as_str().map(str::trim).map(str::to_owned);
        let text = text.or_else(|| value.as_f64().map(|number| number.to_string()))?;
        let whole = text.split_once('.').filter(|(_, part)| part.bytes().all(|it| it == b'0'));
        whole.map_or(text.as_str(), |(whole, _)| whole).parse().ok()
    })
}

fn base64_picture(picture: &Picture) -> String {
    STANDARD.encode(&picture.bytes)
}

/// A picture as an address that contains it. Written at once, since it is most of a request.
fn data_url(picture: &Picture) -> String {
    let mut url = format!("data:{};base64,", picture.media_type);
    url.reserve_exact(picture.bytes.len().div_ceil(3) * 4);
    STANDARD.encode_string(&picture.bytes, &mut url);
    url
}

/// A call's arguments as an object. Anything else goes under one name, so that it is not lost.
fn arguments_object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ if text.trim().is_empty() => Value::Object(Map::new()),
        _ => serde_json::json!({ "arguments": text }),
    }
}

/// A text for the places where APIs refuse an empty one.
fn non_empty_text(text: &str) -> &str {
    if text.trim().is_empty() { "(empty)" } else { text }
}

fn header(map: &mut HeaderMap, name: &'static str, value: &'static str) {
    map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::LazyLock;

    use ayeaye_agent::{Message, ScreenSize, ToolCall};
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    pub(super) const SAMPLING: Sampling =
        Sampling { temperature: Some(0.1), max_tokens: 4096, ..Sampling::GREEDY };

    static NO_CALLS: LazyLock<CallSettings> = LazyLock::new(CallSettings::default);

    pub(super) fn picture() -> Picture {
        Picture {
            bytes: Bytes::from_static(&[0xff, 0xd8, 0xff]),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        }
    }

    /// Rules, a request with a screen, a tool call and its result.
    pub(in crate::remote) fn prompt() -> Prompt {
        let call = ToolCall {
            id: "step_1".to_owned(),
            name: "tap".to_owned(),
            arguments: "{\"x\":1}".to_owned(),
        };
        let result = Part::Result {
            id: "step_1".to_owned(),
            name: "tap".to_owned(),
            text: "Done.".to_owned(),
            picture: Some(picture()),
            answer: None,
        };
        let message = |role, parts| Message { role, parts };
        Prompt {
            messages: vec![
                Message::text(Role::System, "rules"),
                message(Role::User, vec![Part::Text("look".to_owned()), Part::Picture(picture())]),
                message(Role::Assistant, vec![Part::Text("I tap.".to_owned()), Part::Call(call)]),
                message(Role::User, vec![Part::Text("and now?".to_owned()), result]),
            ],
            tools: vec![json!({ "name": "tap" })],
            schema: None,
        }
    }

    pub(super) fn request(prompt: &Prompt) -> ModelRequest<'_> {
        ModelRequest {
            model: "m",
            prompt,
            sampling: SAMPLING,
            calls: &NO_CALLS,
            endpoint: None,
            stream: true,
            unsupported: UnsupportedFeatures::default(),
            computer: ComputerTool::declared(&prompt.tools),
        }
    }

    #[test]
    fn what_is_not_in_a_request_cannot_be_refused() {
        let prompt = Prompt::default();
        let request = ModelRequest { stream: false, ..request(&prompt) };
        assert!(
            !request.includes(OptionalFeature::StreamUsage)
                && !request.includes(OptionalFeature::ResponseSchema)
        );
        assert!(
            request.includes(OptionalFeature::Sampling)
                && request.includes(OptionalFeature::MaxTokens)
        );
        let unsupported = UnsupportedFeatures::default().with(OptionalFeature::Sampling);
        assert!(!ModelRequest { unsupported, ..request }.includes(OptionalFeature::Sampling));
    }

    #[test]
    fn counts_are_read_in_every_spelling() {
        for count in [json!(2000), json!(2000.0), json!("2000"), json!(" 2000.0 ")] {
            assert_eq!(token_count(&count), Some(2000), "{count}");
        }
        for none in [json!(null), json!(-1), json!(-1.0), json!(0.5), json!("many"), json!([1])] {
            assert_eq!(token_count(&none), None, "{none}");
        }
    }

    #[test]
    fn broken_arguments_are_not_lost() {
        assert_eq!(arguments_object("{\"a\":1}"), json!({"a": 1}));
        assert_eq!(arguments_object(" "), json!({}));
        assert_eq!(arguments_object("[1]"), json!({"arguments": "[1]"}));
    }
}
