//! The settings as text, each with its origin: what `ayeaye config` prints.
use serde_json::{Value, json};

use super::known::KnownSetting;
use super::layer::{LayerEntry, RawValue};
use super::origin::Origin;

/// Writes the settings as TOML with comments, in their order.
pub(super) fn explain(read: &[(KnownSetting, Option<LayerEntry>)]) -> String {
    let mut text = String::new();
    let mut section = "";
    for (setting, entry) in read {
        let (name, key) = setting.parts();
        if name != section {
            section = name;
            text.extend(["\n[", section, "]\n"]);
        }
        text.push_str(&line(setting.secret, key, entry.as_ref()));
    }
    text
}

/// The settings for programs, in their order.
pub(super) fn explain_json(read: &[(KnownSetting, Option<LayerEntry>)]) -> Vec<Value> {
    let one = |(setting, entry): &(KnownSetting, Option<LayerEntry>)| {
        let value = match entry.as_ref().map(|entry| &entry.raw) {
            None => Value::Null,
            Some(_) if setting.secret => "(set)".into(),
            Some(RawValue::Text(text) | RawValue::Table(text)) => text.as_str().into(),
            Some(RawValue::List(values)) => values.clone().into(),
        };
        let origin = match entry.as_ref().map(|entry| &entry.origin) {
            None => Value::Null,
            Some(Origin::Default) => "default".into(),
            Some(origin) => origin.to_string().into(),
        };
        json!({ "key": setting.key, "value": value, "origin": origin, "secret": setting.secret })
    };
    read.iter().map(one).collect()
}

/// What the embedded defaults say of a setting: the comment above it, on one line.
pub(super) fn about(defaults: &str, key: &str) -> String {
    let (mut section, mut comment) = (String::new(), Vec::new());
    for line in defaults.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        }
        let words = line.strip_prefix("# ").or((line == "#").then_some(""));
        match (words, line.trim_start_matches('#').split_once('=')) {
            (Some(words), _) => comment.push(words),
            (None, Some((name, _))) if format!("{section}{}", name.trim()) == key => break,
            (None, _) => comment.clear(),
        }
    }
    comment.join(" ")
}

fn line(secret: bool, key: &str, entry: Option<&LayerEntry>) -> String {
    let Some(entry) = entry else {
        return format!("# {key} is not set\n");
    };
    let value = match &entry.raw {
        _ if secret => "\"(set)\"".to_owned(),
        RawValue::List(values) => {
            toml::Value::from(values.iter().map(String::as_str).collect::<Vec<_>>()).to_string()
        }
        RawValue::Text(text) if is_bare(text) => text.clone(),
        RawValue::Text(text) | RawValue::Table(text) => {
            toml::Value::from(text.as_str()).to_string()
        }
    };
    match &entry.origin {
        Origin::Default => format!("{key} = {value}\n"),
        origin @ (Origin::Flag(_) | Origin::Environment(_) | Origin::File { .. }) => {
            format!("{key} = {value} # {origin}\n")
        }
    }
}

/// Whether TOML takes the text without quotes: a number or a boolean.
pub(super) fn is_bare(text: &str) -> bool {
    matches!(text, "true" | "false")
        || (text.parse::<f64>().is_ok_and(f64::is_finite)
            && text.starts_with(|c: char| c.is_ascii_digit())
            && toml::de::DeValue::parse(text).is_ok())
}
