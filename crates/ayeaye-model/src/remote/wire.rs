//! The APIs that endpoints speak: what is sent where, and what their answers say.
use std::fmt;

use ayeaye_agent::{Picture, Prompt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use super::completion::Completion;
use super::failure::AttemptError;
use crate::profile::{Sampling, Wire};
use crate::{Endpoint, Secret};

mod anthropic;
mod chat;
mod gemini;

/// One API: everything about it that the client need not know. All of it is pure.
pub(super) trait Api: fmt::Debug + Send + Sync {
    /// Where a prompt is sent.
    fn url(&self, endpoint: &Endpoint, model: &str, stream: bool) -> Url;
    /// Where the models are listed.
    fn models(&self, endpoint: &Endpoint) -> Url;
    /// The header of the key, and what stands in it.
    fn auth_header(&self, key: &Secret) -> (HeaderName, String);
    /// What else has to be said above the body.
    fn headers(&self, prompt: Option<&Prompt>) -> HeaderMap;
    /// The body of a request.
    fn body(&self, ask: &ModelRequest<'_>) -> Value;
    /// Takes in a whole answer or one event of a stream. `false` if there is nothing of an answer in
    /// it; errors that the endpoint reports have been dealt with before.
    fn merge(&self, answer: &mut Completion, said: &Value) -> Result<bool, AttemptError>;
    /// What an answer of this API holds, for the message when one does not.
    fn expected_content(&self) -> &'static str;
    /// Whether a request is also sent without this, once it has been refused for it.
    fn is_optional(&self, extra: OptionalFeature) -> bool;
    /// Whether an answer always says why it ended. One that does not is then cut off.
    fn always_gives_finish_reason(&self) -> bool;
}

/// The API of a wire.
pub(super) fn api(wire: Wire) -> &'static dyn Api {
    match wire {
        Wire::Chat => &chat::Chat,
        Wire::Anthropic => &anthropic::Anthropic,
        Wire::Gemini => &gemini::Gemini,
    }
}

/// A prompt and how it is to be answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelRequest<'a> {
    pub model: &'a str,
    pub prompt: &'a Prompt,
    pub sampling: Sampling,
    pub stream: bool,
    /// What this endpoint has refused to be asked.
    pub unsupported: UnsupportedFeatures,
}

/// Things that some endpoints know and others refuse a request for. Each is left out, or said in
/// another way, from the first refusal on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionalFeature {
    /// Token counts at the end of a stream.
    StreamUsage,
    /// A schema that the reply has to obey.
    ResponseSchema,
    /// How words are chosen: temperature and the like.
    Sampling,
    /// The older word for the most tokens of a reply.
    MaxTokens,
    /// Tools: without them the model is left with what the prompt's words say of its actions.
    Tools,
}

impl OptionalFeature {
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] =
        [Self::StreamUsage, Self::ResponseSchema, Self::Sampling, Self::MaxTokens, Self::Tools];

    /// What it is called in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StreamUsage => "`stream_options`",
            Self::ResponseSchema => "a schema for its reply",
            Self::Sampling => "a choice of temperature or the like",
            Self::MaxTokens => "`max_tokens`",
            Self::Tools => "tools",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::StreamUsage => 1,
            Self::ResponseSchema => 2,
            Self::Sampling => 4,
            Self::MaxTokens => 8,
            Self::Tools => 16,
        }
    }
}

/// A set of [`OptionalFeature`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UnsupportedFeatures(pub(super) u8);

impl UnsupportedFeatures {
    pub(super) fn contains(self, extra: OptionalFeature) -> bool {
        self.0 & extra.bit() != 0
    }

    #[must_use]
    pub(super) fn with(self, extra: OptionalFeature) -> Self {
        Self(self.0 | extra.bit())
    }
}

impl ModelRequest<'_> {
    /// Whether the request says this, so that it can be the reason of a refusal.
    pub(super) fn includes(&self, extra: OptionalFeature) -> bool {
        let there = match extra {
            OptionalFeature::StreamUsage => self.stream,
            OptionalFeature::ResponseSchema => self.prompt.schema.is_some(),
            OptionalFeature::Sampling => self.sampling.params().len() > 1,
            OptionalFeature::MaxTokens => true,
            OptionalFeature::Tools => !self.prompt.tools.is_empty(),
        };
        there && !self.unsupported.contains(extra)
    }

    /// How words are to be chosen, without the most tokens, under the names of chat endpoints.
    fn sampling(&self) -> Map<String, Value> {
        if !self.includes(OptionalFeature::Sampling) {
            return Map::new();
        }
        let mut params = self.sampling.params();
        params.remove("max_tokens");
        params
    }
}

/// The bytes of a picture as JSON can hold them.
fn base64_picture(picture: &Picture) -> String {
    STANDARD.encode(&picture.bytes)
}

/// Arguments of a call as an object; what is none is told under one name, so that it is not lost.
fn arguments_object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ if text.trim().is_empty() => Value::Object(Map::new()),
        _ => serde_json::json!({ "arguments": text }),
    }
}

/// Words of a message that may not be empty.
fn non_empty_text(text: &str) -> &str {
    if text.trim().is_empty() { "(empty)" } else { text }
}

fn header(map: &mut HeaderMap, name: &'static str, value: &'static str) {
    map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
}

#[cfg(test)]
pub(super) mod tests {
    use ayeaye_agent::{Message, Part, Role, ScreenSize, ToolCall};
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    pub(super) const SAMPLING: Sampling =
        Sampling { temperature: Some(0.1), max_tokens: 4096, ..Sampling::GREEDY };

    pub(super) fn picture() -> Picture {
        Picture {
            bytes: Bytes::from_static(&[0xff, 0xd8, 0xff]),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        }
    }

    /// Rules, a request with a screen, a call and what came of it.
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
        };
        let said = |role, parts| Message { role, parts };
        Prompt {
            messages: vec![
                Message::text(Role::System, "rules"),
                said(Role::User, vec![Part::Text("look".to_owned()), Part::Picture(picture())]),
                said(Role::Assistant, vec![Part::Text("I tap.".to_owned()), Part::Call(call)]),
                said(Role::User, vec![Part::Text("and now?".to_owned()), result]),
            ],
            tools: vec![json!({ "name": "tap" })],
            schema: None,
        }
    }

    pub(super) fn ask(prompt: &Prompt) -> ModelRequest<'_> {
        ModelRequest {
            model: "m",
            prompt,
            sampling: SAMPLING,
            stream: true,
            unsupported: UnsupportedFeatures::default(),
        }
    }

    #[test]
    fn extras_are_known_apart() {
        let mut unsupported = UnsupportedFeatures::default();
        for extra in OptionalFeature::ALL {
            assert!(!unsupported.contains(extra), "{extra:?}");
            unsupported = unsupported.with(extra);
            assert!(unsupported.contains(extra), "{extra:?}");
        }
    }

    #[test]
    fn what_is_not_asked_cannot_be_refused() {
        let prompt = Prompt::default();
        let ask = ModelRequest { stream: false, ..ask(&prompt) };
        assert!(
            !ask.includes(OptionalFeature::StreamUsage)
                && !ask.includes(OptionalFeature::ResponseSchema)
        );
        assert!(
            ask.includes(OptionalFeature::Sampling) && ask.includes(OptionalFeature::MaxTokens)
        );
        let unsupported = UnsupportedFeatures::default().with(OptionalFeature::Sampling);
        assert!(!ModelRequest { unsupported, ..ask }.includes(OptionalFeature::Sampling));
    }

    #[test]
    fn broken_arguments_are_not_lost() {
        assert_eq!(arguments_object("{\"a\":1}"), json!({"a": 1}));
        assert_eq!(arguments_object(" "), json!({}));
        assert_eq!(arguments_object("[1]"), json!({"arguments": "[1]"}));
    }
}
