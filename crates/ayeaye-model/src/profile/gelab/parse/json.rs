//! Replies in JSON: one object, flat or with the arguments apart. The hosted Step models write
//! `{"action_type": "Click", "args": {"normalized_point": [0.5, 0.2]}}`.
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::ParseError;
use super::fields::{Fields, Key, contradiction};

/// The fields of a text that begins with an object. What follows the object is not read, but must
/// not be another one.
pub(super) fn fields(text: &str) -> Result<Fields, ParseError> {
    let mut reader = serde_json::Deserializer::from_str(text).into_iter::<Node>();
    let node = match reader.next() {
        Some(Ok(node)) => node,
        Some(Err(error)) => return Err(ParseError(format!("it is not whole JSON ({error})"))),
        None => return Err(ParseError("it holds no JSON object".to_owned())),
    };
    if text[reader.byte_offset()..].contains('{') {
        return Err(contradiction());
    }
    let object = match node {
        Node::Object(object) => object,
        Node::List(mut list) => match (list.len(), list.pop()) {
            (1, Some(Node::Object(object))) => object,
            (0 | 1, _) => return Err(ParseError("it holds no JSON object".to_owned())),
            _ => return Err(contradiction()),
        },
        Node::Text(_) => return Err(ParseError("it holds no JSON object".to_owned())),
    };
    let mut fields = Fields { closed: true, ..Fields::default() };
    flatten(object, &mut fields);
    Ok(fields)
}

fn flatten(object: Vec<(String, Node)>, fields: &mut Fields) {
    let fractions = object.iter().any(|(name, _)| name.starts_with("normalized_"));
    fields.fractions |= fractions;
    for (name, node) in object {
        let name = name.to_ascii_lowercase();
        match node {
            Node::Object(inner)
                if matches!(
                    name.as_str(),
                    "action" | "args" | "arguments" | "parameters" | "params" | "payload"
                ) =>
            {
                flatten(inner, fields);
            }
            // Beside fractions, these are pixels of some screen.
            _ if fractions && matches!(name.as_str(), "point" | "coordinate" | "path") => {}
            node => {
                let text = node.text();
                // `null` is as good as not said, but a report may be empty.
                if let Some(key) = named(&name)
                    && (!text.is_empty() || matches!(key, Key::Return | Key::Summary))
                {
                    fields.all.push((key, text));
                }
            }
        }
    }
}

fn named(name: &str) -> Option<Key> {
    let key = match name {
        "action" | "action_type" => Key::Action,
        "explain" | "explanation" => Key::Explain,
        "point" | "normalized_point" | "path" | "normalized_path" => Key::Point,
        "point1" | "start_point" => Key::Point1,
        "point2" | "end_point" => Key::Point2,
        "value" | "text" | "content" | "app" | "app_name" | "question" | "key" | "reason"
        | "abort_reason" => Key::Value,
        "return" | "message" => Key::Return,
        "summary" => Key::Summary,
        "verify" => Key::Verify,
        "note" => Key::Note,
        "key_process" => Key::Milestone,
        "cot" | "think" | "thought" => Key::Thought,
        "duration" => Key::Duration,
        "direction" => Key::Direction,
        "keyboard" | "keyboard_exists" | "is_keyboard" => Key::Keyboard,
        "clear" => Key::Clear,
        "submit" | "press_enter" => Key::Submit,
        _ => return None,
    };
    Some(key)
}

/// JSON that keeps keys said twice, which a map would hide.
enum Node {
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Node {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::List(list) => list.into_iter().map(Self::text).collect::<Vec<_>>().join(","),
            Self::Object(object) => {
                let pairs: Vec<_> =
                    object.into_iter().map(|(k, v)| format!("{k}:{}", v.text())).collect();
                pairs.join(",")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, v: bool) -> Result<Node, E> {
        Ok(Node::Text(v.to_string()))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Node, E> {
        Ok(Node::Text(v.to_string()))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Node, E> {
        Ok(Node::Text(v.to_string()))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Node, E> {
        // Always with a fraction, so that 1.0 is still told from 1.
        Ok(Node::Text(format!("{v:?}")))
    }

    fn visit_str<E>(self, v: &str) -> Result<Node, E> {
        Ok(Node::Text(v.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Text(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = seq.next_element()? {
            list.push(node);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut object = Vec::new();
        while let Some(pair) = map.next_entry()? {
            object.push(pair);
        }
        Ok(Node::Object(object))
    }
}
