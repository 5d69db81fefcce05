//! Bounds for what a page keeps of a record: texts are clipped, lists cut.
use ayeaye_agent::journal::{ActionRecord, BlobRef};
use serde_json::{Map, Value};

use super::html::Clipped;

/// The longest thought, task or answer, in bytes.
pub(super) const MAX_TEXT: usize = 8_000;

pub(super) fn clip(text: &str, bytes: usize) -> Clipped {
    Clipped::of(text, bytes)
}

pub(super) fn clip_all(texts: &[String]) -> Vec<Clipped> {
    texts.iter().take(20).map(|text| clip(text, MAX_TEXT)).collect()
}

/// Names and values in one line of JSON.
pub(super) fn json_text(map: &Map<String, Value>, bytes: usize) -> Clipped {
    if map.is_empty() {
        return Clipped::default();
    }
    clip(&serde_json::to_string(map).unwrap_or_default(), bytes)
}

/// An action whose texts are not endless. One that is far too large keeps its name alone.
pub(super) fn clip_action(action: &ActionRecord) -> ActionRecord {
    let mut action = action.clone();
    action.function = clip(&action.function, 100).text;
    if action.arguments.values().map(size).sum::<usize>() <= MAX_TEXT {
        return action;
    }
    for value in action.arguments.values_mut() {
        if let Value::String(text) = value {
            *text = clip(text, MAX_TEXT).text;
        } else if MAX_TEXT < size(value) {
            *value = Value::Null;
        }
    }
    if 8 * MAX_TEXT < weight(&action.arguments) {
        action.arguments = Map::new();
    }
    action
}

pub(super) fn length(text: Option<&Clipped>) -> usize {
    text.map_or(0, |it| it.text.len())
}

pub(super) fn weight(map: &Map<String, Value>) -> usize {
    map.iter().map(|(name, value)| name.len() + size(value)).sum()
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size).sum::<usize>() + 8,
        Value::Object(map) => weight(map) + 8,
    }
}

/// A reference whose words are not endless.
pub(super) fn clip_blob(blob: &BlobRef) -> BlobRef {
    BlobRef {
        sha256: clip(&blob.sha256, 64).text,
        bytes: blob.bytes,
        media_type: clip(&blob.media_type, 100).text,
    }
}
