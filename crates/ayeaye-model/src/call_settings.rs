//! How a model is asked to choose its words, where that is set otherwise than its profile has it.
use std::str::FromStr;

use serde_json::{Map, Value};

/// Settings of calls. What is not set is as in the model's profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallSettings {
    /// 0 to 2; 0 for always the likeliest token.
    pub temperature: Option<Sent<f64>>,
    /// Above 0, to 1.
    pub top_p: Option<Sent<f64>>,
    /// 1 to 100,000; -1 for all tokens.
    pub top_k: Option<Sent<i64>>,
    /// 0.01 to 10; 1 for none.
    pub repetition_penalty: Option<Sent<f64>>,
    /// -2 to 2; 0 for none.
    pub frequency_penalty: Option<Sent<f64>>,
    /// Tokens of a reply, reasoning included: 16 to 1,000,000.
    pub max_tokens: Option<u32>,
    /// Texts that end a reply; empty if none were set.
    pub stop: Vec<String>,
    /// How much the model is to think.
    pub effort: Option<Effort>,
    /// Whether the model is to think at all.
    pub thinking: Option<bool>,
    /// Further fields of the request's body. None of them is one of [`RESERVED`].
    pub extra_body: Map<String, Value>,
}

/// A parameter that is sent with a value, or left out of requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sent<T> {
    /// It is left out: the endpoint's own default counts.
    No,
    /// It is sent.
    With(T),
}

impl<T> Sent<T> {
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::No => None,
            Self::With(value) => Some(value),
        }
    }
}

/// How much a model is to think. Which of these an endpoint takes is its own affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Effort {
    const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// As endpoints have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// Fields of a request that only the program writes.
pub const RESERVED: [&str; 10] = [
    "messages",
    "model",
    "stream",
    "tools",
    "tool_choice",
    "contents",
    "input",
    "instructions",
    "system",
    "systemInstruction",
];

/// A setting of calls that is none, or has a value it cannot have. Says what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidCallSetting(String);

fn invalid<T>(why: impl Into<String>) -> Result<T, InvalidCallSetting> {
    Err(InvalidCallSetting(why.into()))
}

impl CallSettings {
    /// The names of the settings, as files have them.
    pub const NAMES: [&str; 10] = [
        "temperature",
        "top-p",
        "top-k",
        "repetition-penalty",
        "frequency-penalty",
        "max-tokens",
        "stop",
        "reasoning-effort",
        "thinking",
        "extra-body",
    ];

    /// Sets one of [`Self::NAMES`] to what a text says. `stop` may be a JSON list of texts.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), InvalidCallSetting> {
        let text = text.trim();
        match name.replace('_', "-").as_str() {
            "temperature" => self.temperature = Some(number(text, 0.0, 2.0)?),
            "top-p" => {
                let top_p = number(text, 0.0, 1.0)?;
                if top_p == Sent::With(0.0) {
                    return invalid("it must be more than 0 and at most 1, or \"none\"");
                }
                self.top_p = Some(top_p);
            }
            "top-k" => self.top_k = Some(top_k(text)?),
            "repetition-penalty" => self.repetition_penalty = Some(number(text, 0.01, 10.0)?),
            "frequency-penalty" => self.frequency_penalty = Some(number(text, -2.0, 2.0)?),
            "max-tokens" => {
                let most = text.parse().ok().filter(|most| (16..=1_000_000).contains(most));
                let Some(most) = most else {
                    return invalid("it must be a whole number from 16 to 1000000");
                };
                self.max_tokens = Some(most);
            }
            "stop" => self.stop = stop(text)?,
            "reasoning-effort" => {
                let effort = Effort::ALL.into_iter().find(|effort| effort.name() == text);
                let Some(effort) = effort else {
                    return invalid("it must be none, minimal, low, medium, high, xhigh or max");
                };
                self.effort = Some(effort);
            }
            "thinking" => {
                self.thinking = Some(match text {
                    "on" | "true" => true,
                    "off" | "false" => false,
                    _ => return invalid("it must be on or off"),
                });
            }
            "extra-body" => self.extra_body = extra_body(text)?,
            _ => {
                let names = Self::NAMES.join(", ");
                return invalid(format!("there is no `{name}` of calls: there are {names}"));
            }
        }
        Ok(())
    }

    /// These settings, and where they say nothing, others. Both extra bodies count, field by field.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.temperature = self.temperature.or(other.temperature);
        self.top_p = self.top_p.or(other.top_p);
        self.top_k = self.top_k.or(other.top_k);
        self.repetition_penalty = self.repetition_penalty.or(other.repetition_penalty);
        self.frequency_penalty = self.frequency_penalty.or(other.frequency_penalty);
        self.max_tokens = self.max_tokens.or(other.max_tokens);
        if self.stop.is_empty() {
            self.stop.clone_from(&other.stop);
        }
        self.effort = self.effort.or(other.effort);
        self.thinking = self.thinking.or(other.thinking);
        for (name, value) in &other.extra_body {
            if !self.extra_body.contains_key(name) {
                self.extra_body.insert(name.clone(), value.clone());
            }
        }
        self
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `NAME=VALUE` several times, with blanks between. A value with blanks is JSON: `"a b"`, `["a b"]` or
/// `{"a": 1}`.
impl FromStr for CallSettings {
    type Err = InvalidCallSetting;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let mut settings = Self::default();
        let mut rest = line.trim();
        while !rest.is_empty() {
            let Some((name, value)) = rest.split_once('=') else {
                return invalid(format!("`{rest}` is not NAME=VALUE, such as temperature=0.7"));
            };
            let name = name.trim();
            let length = if value.starts_with(['"', '[', '{']) {
                let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
                match values.next() {
                    Some(Ok(_)) => values.byte_offset(),
                    _ => return invalid(format!("the value of `{name}` is not JSON")),
                }
            } else {
                value.find(char::is_whitespace).unwrap_or(value.len())
            };
            let (value, behind) = value.split_at(length);
            if behind.starts_with(|c: char| !c.is_whitespace()) {
                return invalid(format!("there must be a blank behind the value of `{name}`"));
            }
            settings
                .set(name, value)
                .map_err(|why| InvalidCallSetting(format!("{name}={value}: {why}")))?;
            rest = behind.trim_start();
        }
        Ok(settings)
    }
}

fn number(text: &str, least: f64, most: f64) -> Result<Sent<f64>, InvalidCallSetting> {
    if text == "none" {
        return Ok(Sent::No);
    }
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.map(Sent::With).ok_or_else(|| {
        InvalidCallSetting(format!("it must be a number from {least} to {most}, or \"none\""))
    })
}

fn top_k(text: &str) -> Result<Sent<i64>, InvalidCallSetting> {
    if text == "none" {
        return Ok(Sent::No);
    }
    let number = text.parse().ok().filter(|it| *it == -1 || (1..=100_000).contains(it));
    number.map(Sent::With).ok_or_else(|| {
        InvalidCallSetting(
            "it must be a whole number from 1 to 100000, -1 for all tokens, or \"none\"".to_owned(),
        )
    })
}

fn stop(text: &str) -> Result<Vec<String>, InvalidCallSetting> {
    let texts = match serde_json::from_str(text) {
        Ok(Value::Array(all)) => {
            all.iter().map(|it| it.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        }
        Ok(Value::String(one)) => Some(vec![one]),
        _ => Some(vec![text.to_owned()]),
    };
    match texts {
        Some(texts) if texts.iter().all(|text| !text.is_empty()) && texts.len() <= 16 => Ok(texts),
        _ => invalid("it must be at most 16 texts that are not empty"),
    }
}

fn extra_body(text: &str) -> Result<Map<String, Value>, InvalidCallSetting> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return invalid(
            "it must be a table or a JSON object, such as {\"chat_template_kwargs\": {}}",
        );
    };
    match fields.keys().find(|name| RESERVED.contains(&name.as_str())) {
        Some(name) => {
            invalid(format!("it must not hold `{name}`, which only ayeaye itself writes"))
        }
        None => Ok(fields),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(text: &str) -> CallSettings {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn a_line_sets_what_it_names() {
        let set = line(
            r#"temperature=0.7 top-p=0.8  top_k=-1 repetition-penalty=1.05 frequency-penalty=none
            max-tokens=512 stop=["</a b>","\n\n"] reasoning-effort=high thinking=off
            extra-body={"a": {"b": 1}, "c d": "="}"#,
        );
        assert_eq!(
            set,
            CallSettings {
                temperature: Some(Sent::With(0.7)),
                top_p: Some(Sent::With(0.8)),
                top_k: Some(Sent::With(-1)),
                repetition_penalty: Some(Sent::With(1.05)),
                frequency_penalty: Some(Sent::No),
                max_tokens: Some(512),
                stop: vec!["</a b>".to_owned(), "\n\n".to_owned()],
                effort: Some(Effort::High),
                thinking: Some(false),
                extra_body: json!({"a": {"b": 1}, "c d": "="}).as_object().unwrap().clone(),
            }
        );
        assert!(line(" ").is_empty());
        assert_eq!(line("stop=</end>").stop, ["</end>"]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_could() {
        for (text, part) in [
            ("temperature=3", "from 0 to 2"),
            ("temperature=warm", "from 0 to 2"),
            ("temperature=NaN", "from 0 to 2"),
            ("top-p=0", "more than 0"),
            ("top-k=0", "-1 for all tokens"),
            ("top-k=1.5", "whole number"),
            ("repetition-penalty=0", "0.01 to 10"),
            ("max-tokens=4", "16 to 1000000"),
            ("max-tokens=none", "16 to 1000000"),
            ("stop=[1]", "texts that are not empty"),
            ("stop=\"\"", "texts that are not empty"),
            ("reasoning-effort=much", "xhigh or max"),
            ("thinking=perhaps", "on or off"),
            ("extra-body=[1]", "JSON object"),
            ("extra-body={\"messages\":[]}", "`messages`"),
            ("extra-body={\"stream\":false}", "`stream`"),
            ("extra-body={\"a\":1", "not JSON"),
            ("extra-body={}x", "a blank behind"),
            ("colour=red", "there is no `colour`"),
            ("temperature", "NAME=VALUE"),
        ] {
            let why = text.parse::<CallSettings>().unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn the_nearer_settings_win_one_by_one() {
        let near = line(r#"temperature=none stop=a extra-body={"x":1}"#);
        let both = near.or(&line(r#"temperature=1 max-tokens=99 stop=b extra-body={"x":2,"y":3}"#));
        assert_eq!(both, line(r#"temperature=none stop=a max-tokens=99 extra-body={"x":1,"y":3}"#));
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(text in "[a-z= \"{}:0-9.\\[\\]-]{0,60}") {
            drop(text.parse::<CallSettings>());
        }
    }
}
