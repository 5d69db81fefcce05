//! Why an attempt failed, in our words, and what to do next.
use std::time::Duration;

use reqwest::StatusCode;

use super::wire::Extra;

/// A failed attempt. The text goes on from "the model endpoint <URL> …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub text: String,
    pub next: Next,
}

/// What may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing but a change of settings.
    GiveUp,
    /// Another attempt, after the time the endpoint asked for if it did.
    Again { asked: Option<Duration> },
    /// One more attempt and no further one: the failure itself took long.
    Once,
    /// The same without something that this endpoint does not take.
    Without(Extra),
    /// The same with less of the history.
    Shorter,
}

impl Failure {
    pub(super) fn again(text: impl Into<String>) -> Self {
        Self { text: text.into(), next: Next::Again { asked: None } }
    }

    pub(super) fn give_up(text: impl Into<String>) -> Self {
        Self { text: text.into(), next: Next::GiveUp }
    }

    /// Nothing came for too long.
    pub(super) fn slow(what: &str, limit: Duration) -> Self {
        let text = format!(
            "{what} within {:.1} s: it may be loading the model or be overloaded; a smaller picture \
             or model answers sooner",
            limit.as_secs_f64()
        );
        Self { text, next: Next::Once }
    }

    /// The request could not be sent, or the answer not be received.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut root: &dyn std::error::Error = &error;
        while let Some(source) = root.source() {
            root = source;
        }
        let cause = quoted(&root.to_string());
        if error.is_builder() {
            Self::give_up(format!("cannot be asked: {cause}"))
        } else if error.is_connect() {
            Self::again(format!(
                "cannot be reached ({cause}): start it, or correct the model's base URL"
            ))
        } else if error.is_timeout() {
            Self { text: format!("did not answer in time ({cause})"), next: Next::Once }
        } else {
            Self::again(format!("broke off the connection ({cause})"))
        }
    }

    /// The answer is not one of the API that is spoken.
    pub(super) fn alien(what: &str) -> Self {
        Self::again(format!(
            "answered with {what}: the base URL must be that of an OpenAI-compatible API, which \
             usually ends in /v1, or of the API that the model's profile speaks"
        ))
    }

    /// An error the endpoint reports, by status or inside its answer.
    pub(super) fn reported(status: u16, said: &str, asked: Option<Duration>) -> Self {
        let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let mut text = format!("answered {status}");
        if let Some(name) = name {
            text = format!("{text} {name}");
        }
        let lower = said.to_ascii_lowercase();
        let speaks_of = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let unknown = extra(&lower);
        let (way_out, next) = match status {
            401 | 403 => (
                "the key is missing, wrong or not allowed this model: set the model's key",
                Next::GiveUp,
            ),
            400 | 404 | 415 | 422 if speaks_of(&SIGHT) => (
                "this model takes no pictures: choose one that sees, or serve this one with its \
                     vision part",
                Next::GiveUp,
            ),
            400 | 404 | 422 | 501 if unknown.is_some() => {
                ("it does not take such a request", unknown.map_or(Next::GiveUp, Next::Without))
            }
            404 | 405 => (
                "either the path or the model's name is wrong: the base URL usually ends in /v1, and \
                 the endpoint lists its models under /models",
                Next::GiveUp,
            ),
            400 | 422 if speaks_of(&CONTEXT) => TOO_LONG,
            413 => TOO_LONG,
            400 if speaks_of(&KEY) => ("the key is wrong: set the model's key", Next::GiveUp),
            400 | 402 | 429 if speaks_of(&["insufficient_quota", "billing", "credit balance"]) => {
                ("the quota of this key is used up", Next::GiveUp)
            }
            408 | 409 | 425 | 429 => ("it is busy: try later", Next::Again { asked }),
            500..=599 => ("the fault is on its side: look at its log", Next::Again { asked }),
            _ => ("it does not take such a request", Next::GiveUp),
        };
        let said = if said.is_empty() { String::new() } else { format!(" ({})", quoted(said)) };
        Self { text: format!("{text}{said}: {way_out}"), next }
    }

    /// The endpoint sends us elsewhere. We do not go: the key is for this address only.
    pub(super) fn redirected(status: u16, to: &str) -> Self {
        Self::give_up(format!(
            "answered {status} and points to {}: not followed, so that the key stays where it is \
             meant to be; if that is the right place, make it the base URL",
            quoted(to)
        ))
    }
}

/// What an endpoint refuses, by the words it says so in.
fn extra(said: &str) -> Option<Extra> {
    let speaks_of = |words: &[&str]| words.iter().any(|word| said.contains(word));
    Some(match said {
        _ if speaks_of(&["stream_options", "include_usage"]) => Extra::Usage,
        // It names both the word it refuses and the one it wants.
        _ if speaks_of(&["max_completion_tokens"]) => Extra::MaxTokens,
        _ if speaks_of(&["response_format", "json_schema", "responsejsonschema"]) => Extra::Schema,
        _ if speaks_of(&["output_config", "output_format", "structured output"]) => Extra::Schema,
        _ if speaks_of(&["temperature", "top_p", "frequency_penalty", "`seed`"]) => Extra::Sampling,
        _ if speaks_of(&["tool choice", "tool_choice", "support tools", "tool use"]) => {
            Extra::Tools
        }
        _ if speaks_of(&["'tools'", "`tools`", "\"tools\""]) => Extra::Tools,
        _ => return None,
    })
}

const KEY: [&str; 4] =
    ["api key not valid", "api_key_invalid", "invalid api key", "invalid_api_key"];

const TOO_LONG: (&str, Next) = (
    "the prompt is longer than the model's context: serve the model with a longer one (8192 tokens \
     serve), or send smaller pictures",
    Next::Shorter,
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
pub(crate) fn quoted(text: &str) -> String {
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
            let failure = Failure::reported(status, "busy", None);
            assert_eq!(failure.next, Next::Again { asked: None }, "{}", failure.text);
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
            let failure = Failure::reported(status, said, None);
            assert_eq!(failure.next, Next::GiveUp, "{}", failure.text);
            assert!(failure.text.contains(part), "{}", failure.text);
            assert!(failure.text.contains(&status.to_string()), "{}", failure.text);
        }
    }

    #[test]
    fn what_is_tried_again_in_another_way() {
        for (status, said, next) in [
            (400, "unknown field stream_options", Next::Without(Extra::Usage)),
            (
                400,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                 'max_completion_tokens' instead.",
                Next::Without(Extra::MaxTokens),
            ),
            (
                400,
                "Unsupported value: 'temperature' does not support 0.0 with this model.",
                Next::Without(Extra::Sampling),
            ),
            (400, "invalid response_format", Next::Without(Extra::Schema)),
            (400, "registry/model does not support tools", Next::Without(Extra::Tools)),
            (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice",
                Next::Without(Extra::Tools),
            ),
            (400, "This model's maximum context length is 4096 tokens.", Next::Shorter),
            (400, "prompt is too long: 215000 tokens > 200000 maximum", Next::Shorter),
            (
                400,
                "The input token count (1100000) exceeds the maximum number of tokens",
                Next::Shorter,
            ),
            (413, "", Next::Shorter),
        ] {
            let failure = Failure::reported(status, said, None);
            assert_eq!(failure.next, next, "{}", failure.text);
        }
    }

    #[test]
    fn foreign_words_are_short_and_on_one_line() {
        assert_eq!(quoted("a\u{1b}[31m\n\tb"), "“a [31m b”");
        assert_eq!(quoted(&"x".repeat(999)).chars().count(), LONGEST_QUOTE + 3);
    }
}
