//! JSON as a model or an endpoint wrote it: whatever is a text elsewhere may be a name in it, a number, or a list of
//! letters or digits.
use serde_json::{Map, Value};

use super::spelling::SHORTEST;

/// Shows every text, every name and every number. A number of which something else is made becomes a text.
pub(super) fn visit_map(map: &mut Map<String, Value>, visit: &mut impl FnMut(&mut String)) {
    for (mut name, mut value) in std::mem::take(map) {
        visit(&mut name);
        visit_value(&mut value, visit);
        if map.contains_key(&name) {
            // Two names had a secret in them, or were long.
            name = format!("{name} ({})", map.len());
        }
        map.insert(name, value);
    }
}

pub(super) fn visit_value(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Number(number) => {
            if let Some(text) = changed(&number.to_string(), visit) {
                *value = Value::String(text);
            }
        }
        Value::Array(items) => {
            if let Some(text) = spelled(items).and_then(|text| changed(&text, visit)) {
                *items = vec![Value::String(text)];
            } else {
                for item in items {
                    visit_value(item, visit);
                }
            }
        }
        Value::Object(map) => visit_map(map, visit),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What is made of a text, if that is something else.
fn changed(text: &str, visit: &mut impl FnMut(&mut String)) -> Option<String> {
    let mut shown = text.to_owned();
    visit(&mut shown);
    (shown != text).then_some(shown)
}

/// What a list of single letters and digits spells.
fn spelled(items: &[Value]) -> Option<String> {
    if items.len() < SHORTEST {
        return None;
    }
    let one = |item: &Value| match item {
        Value::String(text) => text.chars().next().filter(|first| first.len_utf8() == text.len()),
        Value::Number(number) => char::from_digit(number.as_u64()?.try_into().ok()?, 10),
        _ => None,
    };
    items.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(mut value: Value) -> Value {
        visit_value(&mut value, &mut |text| *text = text.replace("482913", "[x]"));
        value
    }

    #[test]
    fn names_numbers_and_lists_of_digits_are_texts() {
        for (written, left) in [
            (
                json!({ "text": 482_913, "point": [482, 913] }),
                json!({ "text": "[x]", "point": [482, 913] }),
            ),
            (
                json!({ "482913": 1, "a": { "b": [7, 482_913] } }),
                json!({ "[x]": 1, "a": { "b": [7, "[x]"] } }),
            ),
            (json!([4, 8, 2, 9, 1, 3]), json!(["[x]"])),
            (json!(["4", 8, "2", 9, 1, "3", 0]), json!(["[x]0"])),
            (
                json!([[0, 4, 8, 2], [9, 1, 3, 0], -482_913.5]),
                json!([[0, 4, 8, 2], [9, 1, 3, 0], "-[x].5"]),
            ),
            (json!([4.0, 8, 2, 9, 1, 3, null, true]), json!([4.0, 8, 2, 9, 1, 3, null, true])),
        ] {
            assert_eq!(shown(written), left);
        }
        let two = shown(json!({ "a482913": 1, "a[x]": 2 }));
        assert_eq!(two.as_object().map(Map::len), Some(2), "{two}");
    }
}
