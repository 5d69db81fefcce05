//! JSON objects in replies: complete, and without contradictory duplicate keys.
use std::fmt;

use ayeaye_agent::ParseError;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{excerpt, reject};

mod python;
mod zeros;

/// The single object in a text. Text around it, such as code fences, is ignored; a second brace after it
/// is rejected.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, ParseError> {
    let (read, rest) = first(text)?;
    if rest.contains('{') {
        return reject("it holds more than one JSON object; reply with one action");
    }
    Ok(read)
}

/// The object that begins at the first brace of a text, and the rest of the text.
pub(crate) fn first(text: &str) -> Result<(Map<String, Value>, &str), ParseError> {
    let Some(start) = text.find('{') else {
        return reject("it holds no JSON object");
    };
    let (read, end) = leading(&text[start..])?;
    Ok((read, &text[start + end..]))
}

/// The object at the start of a text, and its length in bytes.
pub(crate) fn leading(text: &str) -> Result<(Map<String, Value>, usize), ParseError> {
    let mut reader = serde_json::Deserializer::from_str(text).into_iter::<UniqueKeys>();
    match reader.next() {
        Some(Ok(UniqueKeys(Value::Object(map)))) => Ok((map, reader.byte_offset())),
        Some(Err(error)) => {
            if let Some((json, length)) = in_order(text)
                && let Ok(UniqueKeys(Value::Object(map))) = serde_json::from_str(&json)
            {
                return Ok((map, length));
            }
            let way_out = if error.is_syntax() && !error.is_eof() {
                "; a quote inside a text has a backslash before it"
            } else {
                ""
            };
            reject(format!("it is not whole JSON ({error}){way_out}"))
        }
        _ => reject("it holds no JSON object"),
    }
}

/// The object at the start of a text that is none of JSON, as it would be in JSON, and its length in bytes as it came.
fn in_order(text: &str) -> Option<(String, usize)> {
    match python::as_json(text) {
        Some((json, length)) => {
            Some((zeros::without(&json).map_or(json, |(json, _)| json), length))
        }
        None => zeros::without(text),
    }
}

/// Any complete JSON value, in which no key has two different values.
pub(crate) fn strict(text: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<UniqueKeys>(text).map(|UniqueKeys(value)| value)
}

/// A value in which no key has two different values: a map alone would keep the last.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OnceVisitor)
    }
}

struct OnceVisitor;

impl<'de> Visitor<'de> for OnceVisitor {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::from(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<UniqueKeys, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueKeys(value)) = seq.next_element()? {
            list.push(value);
        }
        Ok(UniqueKeys(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<UniqueKeys, A::Error> {
        let mut map = Map::new();
        while let Some((key, UniqueKeys(value))) = entries.next_entry::<String, UniqueKeys>()? {
            if map.get(&key).is_some_and(|before| *before != value) {
                return Err(A::Error::custom(format_args!("it says {} twice", excerpt(&key))));
            }
            map.insert(key, value);
        }
        Ok(UniqueKeys(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_object_is_read() {
        for text in
            ["{\"a\":1}", "```json\n{\"a\":1}\n```", "Action: {\"a\": 1}", "{\"a\":1,\"a\":1}"]
        {
            assert_eq!(object(text).unwrap()["a"], 1, "{text}");
        }
    }

    #[test]
    fn what_could_be_two_things_is_refused() {
        for (text, part) in [
            ("", "no JSON"),
            ("click", "no JSON"),
            ("{\"a\":1", "whole"),
            ("{\"a\":1}{\"a\":2}", "more than one"),
            ("{\"a\":1,\"a\":2}", "twice"),
            ("{'a':1", "whole"),
            ("{\"a\":\"b \"c\"\"}", "backslash"),
        ] {
            let why = object(text).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
