//! Headers of one's own, which some gateways want with every request.
use std::str::FromStr;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::Secret;

/// Headers for one endpoint. Each value counts as a key: it is sent there and nowhere else, and never shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraHeaders(HeaderMap);

/// More are no headers for a gateway.
const MOST: usize = 16;

/// Headers that the program or its HTTP client writes.
const RESERVED: [&str; 24] = [
    "accept",
    "accept-encoding",
    "anthropic-beta",
    "anthropic-version",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-api-key",
    "x-goog-api-key",
];

/// Headers that cannot be sent. Says why, without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidHeaders(String);

/// A JSON object with a text for each name.
impl FromStr for ExtraHeaders {
    type Err = InvalidHeaders;

    fn from_str(text: &str) -> Result<Self, InvalidHeaders> {
        let invalid = |why: String| Err(InvalidHeaders(why));
        let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
            let why =
                "it must be a table or a JSON object, such as {\"x-portkey-provider\": \"openai\"}";
            return invalid(why.to_owned());
        };
        if MOST < fields.len() {
            return invalid(format!("it must not hold more than {MOST} headers"));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &fields {
            let Ok(header) = HeaderName::try_from(name) else {
                // It is whatever was written in the place of a name.
                return invalid(
                    "the name of each header must be letters, digits and hyphens".to_owned(),
                );
            };
            if RESERVED.contains(&header.as_str()) {
                return invalid(format!(
                    "it must not hold `{header}`, which only ayeaye itself writes; a key belongs in model.api-key"
                ));
            }
            let value = value.as_str().map(str::trim);
            let value = value.filter(|value| !value.is_empty() && value.is_ascii());
            let Some(Ok(mut value)) = value.map(HeaderValue::from_str) else {
                return invalid(format!(
                    "the value of `{header}` must be a text of plain ASCII, in one line"
                ));
            };
            value.set_sensitive(true);
            if headers.insert(&header, value).is_some() {
                return invalid(format!("it must not hold `{header}` twice"));
            }
        }
        Ok(Self(headers))
    }
}

/// Shorter words than this are hardly keys.
const LONG: usize = 16;

impl ExtraHeaders {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For a request to their endpoint. Their values are marked as sensitive, so that they are not shown either.
    pub fn to_send(&self) -> &HeaderMap {
        &self.0
    }

    /// What is hidden wherever it turns up: the keys within the values, what stands behind `Bearer` and the like, and
    /// values that are one long word. The name of a provider or a title would be missing wherever it is a word.
    pub fn secrets(&self) -> impl Iterator<Item = Secret> {
        let values = self.0.values().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| {
            let part_of_key = |c: char| c.is_ascii_alphanumeric() || "-_.~+/=".contains(c);
            let keys = value.split(move |c| !part_of_key(c)).filter(|it| is_like_a_key(it));
            let whole = (LONG <= value.len() && !value.contains([' ', '/'])).then_some(value);
            whole.into_iter().chain(behind_scheme(value)).chain(keys).filter_map(Secret::new)
        })
    }
}

/// The credentials in a value that says of which kind they are, as that of `Authorization` does.
fn behind_scheme(value: &str) -> Option<&str> {
    let (scheme, rest) = value.split_once(' ')?;
    ["basic", "bearer", "token"].contains(&scheme.to_ascii_lowercase().as_str()).then_some(rest)
}

fn is_like_a_key(word: &str) -> bool {
    LONG <= word.len() && word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_shown_nowhere() {
        let text = r#"{"X-Portkey-Provider": "anthropic", "helicone-auth": "Bearer sk-helicone-c4n4ry-0123"}"#;
        let headers: ExtraHeaders = text.parse().unwrap();
        assert_eq!(headers.to_send()["x-portkey-provider"], "anthropic");
        let shown = format!("{headers:?}");
        assert!(!shown.contains("anthropic") && !shown.contains("c4n4ry"), "{shown}");
        let secrets: Vec<_> = headers.secrets().map(|it| it.expose().to_owned()).collect();
        assert_eq!(secrets, ["sk-helicone-c4n4ry-0123", "sk-helicone-c4n4ry-0123"]);
        let secrets = |value: &str| {
            let text = serde_json::json!({ "x-a": value }).to_string();
            let headers: ExtraHeaders = text.parse().unwrap();
            headers.secrets().map(|it| it.expose().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(secrets("token abcdefghijklmnop"), ["abcdefghijklmnop"]);
        assert_eq!(secrets("abcdefghijklmnop"), ["abcdefghijklmnop"]);
        for words in ["Settings", "anthropic", "the team of marketing", "https://example.com/"] {
            assert!(secrets(words).is_empty(), "{words}");
        }
        assert!("{}".parse::<ExtraHeaders>().unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_a_header_is_refused_without_its_value() {
        let many: Vec<String> = (0..17).map(|at| format!("\"x-{at}\": \"c4n4ry\"")).collect();
        let many = format!("{{{}}}", many.join(","));
        for (text, part) in [
            ("c4n4ry", "JSON object"),
            (r#"["c4n4ry"]"#, "JSON object"),
            (r#"{"Authorization": "c4n4ry"}"#, "model.api-key"),
            (r#"{"content-type": "c4n4ry"}"#, "`content-type`"),
            (r#"{"x-c4n4ry: y": "z"}"#, "letters, digits"),
            (r#"{"": "c4n4ry"}"#, "letters, digits"),
            (r#"{"x-a": {"c4n4ry": 1}}"#, "`x-a`"),
            (r#"{"x-a": "c4n4ry\r\nhost: b"}"#, "`x-a`"),
            (r#"{"x-a": "c4n4rý"}"#, "`x-a`"),
            (r#"{"x-a": " "}"#, "`x-a`"),
            (r#"{"x-a": "c4n4ry", "X-A": "c4n4ry"}"#, "twice"),
            (many.as_str(), "more than 16"),
        ] {
            let why = text.parse::<ExtraHeaders>().unwrap_err().to_string();
            assert!(why.contains(part) && !why.contains("c4n4r"), "{text}: {why}");
        }
    }
}
