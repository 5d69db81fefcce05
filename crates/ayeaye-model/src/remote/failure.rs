//! Why an attempt failed, in our words, and what to do next.
use std::time::Duration;

use reqwest::StatusCode;

use super::wire::OptionalFeature;

/// A failed attempt. The text goes on from "the model endpoint <URL> …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttemptError {
    pub text: String,
    pub next: Recovery,
}

/// What may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recovery {
    /// Nothing but a change of settings.
    GiveUp,
    /// Another attempt, after the time the endpoint asked for if it did.
    Retry { after: Option<Duration> },
    /// One more attempt and no further one: the failure itself took long.
    RetryOnce,
    /// The same without something that this endpoint does not take.
    WithoutFeature(OptionalFeature),
    /// The same with less of the history.
    ShorterPrompt,
}

impl AttemptError {
    pub(super) fn retryable(text: impl Into<String>) -> Self {
        Self { text: text.into(), next: Recovery::Retry { after: None } }
    }

    pub(super) fn fatal(text: impl Into<String>) -> Self {
        Self { text: text.into(), next: Recovery::GiveUp }
    }

    /// Nothing came for too long.
    pub(super) fn timed_out(what: &str, limit: Duration) -> Self {
        let text = format!(
            "{what} within {:.1} s: it may be loading the model or be overloaded; a smaller picture \
             or model answers sooner",
            limit.as_secs_f64()
        );
        Self { text, next: Recovery::RetryOnce }
    }

    /// The request could not be sent, or the answer not be received.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut root: &dyn std::error::Error = &error;
        while let Some(source) = root.source() {
            root = source;
        }
        let cause = excerpt(&root.to_string());
        if error.is_builder() {
            Self::fatal(format!("cannot be asked: {cause}"))
        } else if error.is_connect() {
            Self::retryable(format!(
                "cannot be reached ({cause}): start it, or correct the model's base URL"
            ))
        } else if error.is_timeout() {
            Self { text: format!("did not answer in time ({cause})"), next: Recovery::RetryOnce }
        } else {
            Self::retryable(format!("broke off the connection ({cause})"))
        }
    }

    /// The answer is not one of the API that is spoken.
    pub(super) fn wrong_api(what: &str) -> Self {
        Self::retryable(format!(
            "answered with {what}: the base URL must be that of an OpenAI-compatible API, which \
             usually ends in /v1, or of the API that the model's profile speaks"
        ))
    }

    /// An error the endpoint reports, by status or inside its answer.
    pub(super) fn from_status(status: u16, said: &str, asked: Option<Duration>) -> Self {
        let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let mut text = format!("answered {status}");
        if let Some(name) = name {
            text = format!("{text} {name}");
        }
        let lower = said.to_ascii_lowercase();
        let speaks_of = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let unknown = unsupported_feature(&lower);
        let (way_out, next) = match status {
            401 | 403 => (
                "the key is missing, wrong or not allowed this model: set the model's key",
                Recovery::GiveUp,
            ),
            400 | 404 | 415 | 422 if speaks_of(&SIGHT) => (
                "this model takes no pictures: choose one that sees, or serve this one with its \
                     vision part",
                Recovery::GiveUp,
            ),
            400 | 404 | 422 | 501 if unknown.is_some() => (
                "it does not take such a request",
                unknown.map_or(Recovery::GiveUp, Recovery::WithoutFeature),
            ),
            404 | 405 => (
                "either the path or the model's name is wrong: the base URL usually ends in /v1, and \
                 the endpoint lists its models under /models",
                Recovery::GiveUp,
            ),
            400 | 422 if speaks_of(&CONTEXT) => TOO_LONG,
            413 => TOO_LONG,
            400 if speaks_of(&KEY) => ("the key is wrong: set the model's key", Recovery::GiveUp),
            400 | 402 | 429 if speaks_of(&["insufficient_quota", "billing", "credit balance"]) => {
                ("the quota of this key is used up", Recovery::GiveUp)
            }
            408 | 409 | 425 | 429 => ("it is busy: try later", Recovery::Retry { after: asked }),
            500..=599 => {
                ("the fault is on its side: look at its log", Recovery::Retry { after: asked })
            }
            _ => ("it does not take such a request", Recovery::GiveUp),
        };
        let said = if said.is_empty() { String::new() } else { format!(" ({})", excerpt(said)) };
        Self { text: format!("{text}{said}: {way_out}"), next }
    }

    /// The endpoint sends us elsewhere. We do not go: the key is for this address only.
    pub(super) fn redirect(status: u16, to: &str) -> Self {
        Self::fatal(format!(
            "answered {status} and points to {}: not followed, so that the key stays where it is \
             meant to be; if that is the right place, make it the base URL",
            excerpt(to)
        ))
    }
}

/// What an endpoint refuses, by the words it says so in.
fn unsupported_feature(said: &str) -> Option<OptionalFeature> {
    let speaks_of = |words: &[&str]| words.iter().any(|word| said.contains(word));
    Some(match said {
        _ if speaks_of(&["stream_options", "include_usage"]) => OptionalFeature::StreamUsage,
        // It names both the word it refuses and the one it wants.
        _ if speaks_of(&["max_completion_tokens"]) => OptionalFeature::MaxTokens,
        _ if speaks_of(&["response_format", "json_schema", "responsejsonschema"]) => {
            OptionalFeature::ResponseSchema
        }
        _ if speaks_of(&["output_config", "output_format", "structured output"]) => {
            OptionalFeature::ResponseSchema
        }
        _ if speaks_of(&["temperature", "top_p", "frequency_penalty", "`seed`"]) => {
            OptionalFeature::Sampling
        }
        _ if speaks_of(&["tool choice", "tool_choice", "support tools", "tool use"]) => {
            OptionalFeature::Tools
        }
        _ if speaks_of(&["'tools'", "`tools`", "\"tools\""]) => OptionalFeature::Tools,
        _ => return None,
    })
}

const KEY: [&str; 4] =
    ["api key not valid", "api_key_invalid", "invalid api key", "invalid_api_key"];

const TOO_LONG: (&str, Recovery) = (
    "the prompt is longer than the model's context: serve the model with a longer one (8192 tokens \
     serve), or send smaller pictures",
    Recovery::ShorterPrompt,
);

const CONTEXT: [&str; 12] = [
    "context length",
    "context_length",
    "context window",
    "context size",
    "maximum context",
    "too many tokens",
    "exceed_context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "request_too_large",
    "reduce the length",
];

const SIGHT: [&str; 5] = [
    "image input",
    "image_url",
    "not a multimodal",
    "does not support image",
    "not support vision",
];

/// The most characters of foreign text in a message of ours.
const LONGEST_QUOTE: usize = 200;

/// Foreign words as they may stand in a message: short, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let line = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(LONGEST_QUOTE).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    format!("“{short}”")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_again() {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            let failure = AttemptError::from_status(status, "busy", None);
            assert_eq!(failure.next, Recovery::Retry { after: None }, "{}", failure.text);
        }
        for (status, said, part) in [
            (401, "", "key"),
            (403, "", "key"),
            (404, "model `x` not found", "name is wrong"),
            (400, "x is not a multimodal model", "takes no pictures"),
            (400, "messages: roles must alternate", "such a request"),
            (400, "API key not valid. Please pass a valid API key.", "key"),
            (400, "Your credit balance is too low", "quota"),
            (429, "insufficient_quota", "quota"),
            (418, "", "such a request"),
        ] {
            let failure = AttemptError::from_status(status, said, None);
            assert_eq!(failure.next, Recovery::GiveUp, "{}", failure.text);
            assert!(failure.text.contains(part), "{}", failure.text);
            assert!(failure.text.contains(&status.to_string()), "{}", failure.text);
        }
    }

    #[test]
    fn what_is_tried_again_in_another_way() {
        for (status, said, next) in [
            (
                400,
                "unknown field stream_options",
                Recovery::WithoutFeature(OptionalFeature::StreamUsage),
            ),
            (
                400,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                 'max_completion_tokens' instead.",
                Recovery::WithoutFeature(OptionalFeature::MaxTokens),
            ),
            (
                400,
                "Unsupported value: 'temperature' does not support 0.0 with this model.",
                Recovery::WithoutFeature(OptionalFeature::Sampling),
            ),
            (
                400,
                "invalid response_format",
                Recovery::WithoutFeature(OptionalFeature::ResponseSchema),
            ),
            (
                400,
                "registry/model does not support tools",
                Recovery::WithoutFeature(OptionalFeature::Tools),
            ),
            (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice",
                Recovery::WithoutFeature(OptionalFeature::Tools),
            ),
            (400, "This model's maximum context length is 4096 tokens.", Recovery::ShorterPrompt),
            (400, "prompt is too long: 215000 tokens > 200000 maximum", Recovery::ShorterPrompt),
            (
                400,
                "The input token count (1100000) exceeds the maximum number of tokens",
                Recovery::ShorterPrompt,
            ),
            (413, "", Recovery::ShorterPrompt),
        ] {
            let failure = AttemptError::from_status(status, said, None);
            assert_eq!(failure.next, next, "{}", failure.text);
        }
    }

    #[test]
    fn foreign_words_are_short_and_on_one_line() {
        assert_eq!(excerpt("a\u{1b}[31m\n\tb"), "“a [31m b”");
        assert_eq!(excerpt(&"x".repeat(999)).chars().count(), LONGEST_QUOTE + 3);
    }
}
