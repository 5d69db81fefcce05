//! What clients send that means the same as what a schema says: nothing where a field may be left out, numbers as
//! text, and fields that no model has written.
//!
//! Some frameworks make every argument required (strict schemas), so that a model can only leave one out by giving
//! nothing: an empty text, or 0. Some turn every value into text. Some hosts add fields of their own to each call.
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::config::nearest_of;

/// Fields that hosts add by themselves: n8n (`toolCallId`, `tool`, `sessionId`, `action`, `chatInput`), and Cursor and others
/// to tools that take none (`random_string`). All that begin with `_` are taken for such, too.
const OF_HOSTS: [&str; 6] =
    ["toolCallId", "tool", "sessionId", "action", "chatInput", "random_string"];

/// The arguments in the types of the schema. An argument with only one possible meaning is converted; any other is left
/// as it is, to be refused.
pub(super) fn coerce(arguments: JsonObject, schema: &JsonObject) -> JsonObject {
    let none = JsonObject::new();
    let fields = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let is_kept = |(name, mut value): (String, Value)| match fields.get(&name) {
        Some(field) => {
            if !is_required(&name) && is_nothing(&name, &value, field) {
                return None;
            }
            convert(&mut value, field);
            Some((name, value))
        }
        None => (!is_of_host(&name, &value, fields)).then_some((name, value)),
    };
    arguments.into_iter().filter_map(is_kept).collect()
}

/// The name of the existing field that an unknown one most likely means.
pub(super) fn meant<'a>(name: &str, schema: &'a JsonObject) -> Option<&'a str> {
    let fields = schema.get("properties").and_then(Value::as_object)?;
    // `deviceId` is nearer to `device_id` than its letters say.
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let same = fields.keys().map(String::as_str).find(|it| plain(it) == plain(name));
    same.or_else(|| nearest_of(name, fields.keys().map(String::as_str)))
}

/// The first coordinate with a fraction, if all coordinates are fractions of the screen: rounded they would mean a
/// corner.
pub(super) fn fraction(arguments: &JsonObject, schema: &JsonObject) -> Option<(String, f64)> {
    let fields = schema.get("properties").and_then(Value::as_object)?;
    let given = arguments.iter().filter(|(name, _)| fields.get(*name).is_some_and(is_coordinate));
    let given: Vec<(&String, f64)> = given
        .filter_map(|(name, value)| {
            let in_text = value.as_str().and_then(number);
            Some((name, in_text.as_ref().unwrap_or(value).as_f64()?))
        })
        .collect();
    let are_all = given.iter().all(|(_, it)| (0.0..=1.0).contains(it));
    let first = given.into_iter().find(|(_, it)| are_all && it.fract() != 0.0);
    first.map(|(name, it)| (name.clone(), it))
}

/// The limits of a number, if it has both.
pub(super) fn range(name: &str, schema: &JsonObject) -> Option<(u64, u64)> {
    let field = schema.get("properties")?.get(name)?;
    Some((field.get("minimum")?.as_u64()?, field.get("maximum")?.as_u64()?))
}

/// Whether a host has added this field, which the tool does not have, and nothing is lost without it.
fn is_of_host(name: &str, value: &Value, fields: &JsonObject) -> bool {
    if fields.is_empty() || name.starts_with('_') {
        return true;
    }
    // A host's own chat has an id as well. One of ours under this name is a typing error of somebody who means it.
    let names_ours = name == "sessionId"
        && fields.contains_key("session_id")
        && value.as_str().is_some_and(|it| super::session_id(it).is_ok());
    OF_HOSTS.contains(&name) && !names_ours
}

/// Whether an optional field has a value that says nothing: a blank text, or 0 where 0 is out of range anyway. 0 steps
/// are a mistake that is told: whoever gives them would not expect twenty.
fn is_nothing(name: &str, value: &Value, field: &Value) -> bool {
    match value {
        Value::String(text) if text.trim().is_empty() => true,
        _ if name == "max_steps" => false,
        Value::String(text) if kind(field) != "string" => {
            number(text).is_some_and(|it| is_no_number(&it, field))
        }
        value => is_no_number(value, field),
    }
}

fn is_no_number(value: &Value, field: &Value) -> bool {
    let least = field.get("minimum").and_then(Value::as_f64);
    value.as_f64() == Some(0.0) && least.is_some_and(|least| 0.0 < least)
}

/// Makes a number or a boolean of a text that is exactly one, and an integer of `5.0`, where the field is of that kind.
fn convert(value: &mut Value, field: &Value) {
    if let Value::String(text) = value {
        let meant = match kind(field) {
            "integer" | "number" => number(text),
            "boolean" => boolean(text),
            _ => None,
        };
        if let Some(meant) = meant {
            *value = meant;
        }
    }
    if is_coordinate(field) {
        round(value);
    }
    as_integer(value);
}

/// Whether it is given in thousandths of the screen.
fn is_coordinate(field: &Value) -> bool {
    let limit = |name: &str| field.get(name).and_then(Value::as_f64);
    kind(field) == "integer" && limit("minimum") == Some(0.0) && limit("maximum") == Some(1000.0)
}

/// A place that was computed, as by the middle of an element's bounds, need not be a whole number.
fn round(value: &mut Value) {
    if let Some(float) = value.as_f64().filter(|it| value.is_f64() && it.fract() != 0.0) {
        *value = float.round().into();
    }
}

fn kind(field: &Value) -> &str {
    field.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    let parsed: Value = serde_json::from_str(text).ok()?;
    parsed.is_number().then_some(parsed)
}

fn boolean(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        _ => None,
    }
}

/// `5.0` is an integer in JSON Schema, and clients whose language has one kind of number send it.
fn as_integer(value: &mut Value) {
    /// Up to here every integer is a double of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Value::Number(number) = value
        && let Some(float) = number.as_f64().filter(|it| number.is_f64() && it.fract() == 0.0)
        && float.abs() <= EXACT
    {
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer within the range")]
        let integer = float as i64;
        *value = integer.into();
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;
    use crate::mcp::args::device::{LongPressArgs, SwipeArgs, TapArgs};
    use crate::mcp::args::{ContinueArgs, NoArgs, StartArgs};
    use crate::mcp::schema::input;

    const OURS: &str = "01a2d8a5-1cbb-7d7c-9a3e-0123456789ab";

    fn coerced<T: JsonSchema>(arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        coerce(arguments, &input::<T>()).into()
    }

    #[test]
    fn a_place_between_two_thousandths_is_rounded_and_nothing_else_is() {
        let given = json!({ "device_id": "X", "x": 513.9, "y": "20.4", "duration_ms": 500.5 });
        let read = json!({ "device_id": "X", "x": 514, "y": 20, "duration_ms": 500.5 });
        assert_eq!(coerced::<LongPressArgs>(given), read);
        assert_eq!(
            coerced::<TapArgs>(json!({ "x": 1000.4, "y": -0.6 })),
            json!({ "x": 1000, "y": -1 })
        );
    }

    #[test]
    fn fractions_of_the_screen_are_no_thousandths() {
        let found = |given: Value, schema: &JsonObject| {
            fraction(given.as_object().unwrap(), schema).map(|(name, _)| name)
        };
        let (tap, swipe) = (input::<TapArgs>(), input::<SwipeArgs>());
        for (given, name) in [
            (json!({ "x": 0.5, "y": 0.25 }), Some("x")),
            (json!({ "x": "0.5", "y": "1" }), Some("x")),
            (json!({ "x": 0, "y": 0.5 }), Some("y")),
            (json!({ "x": 0.5, "y": 500 }), None),
            (json!({ "x": 1, "y": 1.0 }), None),
            (json!({ "x": 513.5, "y": 20 }), None),
            (json!({ "ref": "0.5" }), None),
        ] {
            assert_eq!(found(given.clone(), &tap).as_deref(), name, "{given}");
        }
        let up =
            json!({ "from_x": 0.5, "from_y": 0.8, "to_x": 0.5, "to_y": 0.2, "duration_ms": 500 });
        assert_eq!(found(up, &swipe).as_deref(), Some("from_x"));
    }

    #[test]
    fn integers_that_are_written_as_floats_are_integers() {
        for (given, read) in [
            (json!(5.0), json!(5)),
            (json!(-500.0), json!(-500)),
            (json!(1e3), json!(1000)),
            (json!(0.0), json!(0)),
            (json!(5.5), json!(5.5)),
            (json!(1e300), json!(1e300)),
            (json!("5.0"), json!("5.0")),
        ] {
            let mut value = given.clone();
            as_integer(&mut value);
            assert_eq!(value, read, "{given}");
        }
    }

    #[test]
    fn whoever_must_give_every_argument_can_leave_one_out() {
        let full = json!({
            "session_id": "a", "device_id": "", "task": " ", "reply_from_client": "Anna Berg", "question_step": 0,
            "reply_is_secret": false, "max_steps": "", "reply_mode": "", "planner": "", "policy": "\n",
            "wait_seconds": 0, "screenshot": "", "call_number": 0,
        });
        assert_eq!(
            coerced::<ContinueArgs>(full),
            json!({
                "session_id": "a", "reply_from_client": "Anna Berg", "reply_is_secret": false, "wait_seconds": 0,
                "call_number": 0,
            })
        );
        let tap = json!({
            "device_id": "a", "ref": "", "x": 0, "y": 500, "session_id": "", "approval": "", "screenshot": "0",
        });
        assert_eq!(coerced::<TapArgs>(tap), json!({ "device_id": "a", "x": 0, "y": 500 }));
        // No steps are a mistake that is told.
        for none in [json!(0), json!("0")] {
            let read = coerced::<StartArgs>(json!({ "max_steps": none }));
            assert_eq!(read, json!({ "max_steps": 0 }));
        }
    }

    #[test]
    fn what_is_required_is_never_left_out() {
        let given = json!({ "device_id": "", "task": " " });
        assert_eq!(coerced::<StartArgs>(given.clone()), given);
        let given = json!({ "device_id": "a", "from_x": 0, "from_y": 0, "to_x": 0, "to_y": 0 });
        assert_eq!(coerced::<SwipeArgs>(given.clone()), given);
    }

    #[test]
    fn numbers_and_booleans_that_came_as_text_are_read() {
        for (given, read) in [
            (json!({ "x": "500" }), json!({ "x": 500 })),
            (json!({ "x": " -3.0 " }), json!({ "x": -3 })),
            (json!({ "double": "True" }), json!({ "double": true })),
            (json!({ "double": "false" }), json!({ "double": false })),
        ] {
            assert_eq!(coerced::<TapArgs>(given), read);
        }
        let given = json!({ "wait_seconds": "1.5", "task": "500", "queue": "true" });
        let read = json!({ "wait_seconds": 1.5, "task": "500", "queue": true });
        assert_eq!(coerced::<StartArgs>(given), read);
        for odd in [
            json!({ "x": "5 px" }),
            json!({ "x": "0x10" }),
            json!({ "x": "true" }),
            json!({ "x": "[5]" }),
            json!({ "double": "yes" }),
            json!({ "double": 1 }),
            json!({ "ref": 3 }),
        ] {
            assert_eq!(coerced::<TapArgs>(odd.clone()), odd);
        }
    }

    #[test]
    fn what_a_host_adds_is_ignored_and_a_typing_error_is_not() {
        let added = json!({ "random_string": "x", "anything": [1] });
        assert_eq!(coerced::<NoArgs>(added), json!({}));
        let added = json!({
            "device_id": "a", "toolCallId": "b", "sessionId": "0f3c", "action": "sendMessage", "chatInput": "hi",
            "_sessionID": OURS, "_meta": {},
        });
        assert_eq!(coerced::<TapArgs>(added.clone()), json!({ "device_id": "a" }));
        assert_eq!(coerced::<StartArgs>(added), json!({ "device_id": "a" }));
        let meant = json!({ "device_id": "a", "sessionId": OURS });
        assert_eq!(coerced::<TapArgs>(meant.clone()), meant, "it says where to act");
        assert_eq!(coerced::<StartArgs>(meant), json!({ "device_id": "a" }), "no session is taken");
        let typo = json!({ "device_id": "a", "sesion_id": "b" });
        assert_eq!(coerced::<TapArgs>(typo.clone()), typo);
    }

    #[test]
    fn the_field_that_was_meant_is_named() {
        let schema = input::<ContinueArgs>();
        for (given, name) in [
            ("max_step", Some("max_steps")),
            ("sessionId", Some("session_id")),
            ("replyFromClient", Some("reply_from_client")),
            ("speed", None),
        ] {
            assert_eq!(meant(given, &schema), name, "{given}");
        }
    }
}
