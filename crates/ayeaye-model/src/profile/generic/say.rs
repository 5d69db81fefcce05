//! Writing a decision down in the generic format: what the reader of replies takes for the same.
use ayeaye_agent::{Action, Gesture, Point, Question, QuestionKind};
use serde_json::{Map, Value, json};

use super::super::CoordContext;

/// The arguments of an action, with points as lists, or as objects where `named`.
pub(super) fn arguments(action: &Action, coords: &CoordContext, named: bool) -> Map<String, Value> {
    let value = match action {
        Action::Gesture(gesture) => gesture_value(gesture, coords, named),
        Action::Confirm { gesture, question } => {
            let mut value = gesture_value(gesture, coords, named);
            value["confirm"] = json!(question.text);
            value
        }
        Action::Wait(time) => json!({ "action": "wait", "seconds": number(time.as_secs_f64()) }),
        Action::Note { text } => json!({ "action": "note", "text": text }),
        Action::Info(Question { kind: QuestionKind::Takeover, text, .. }) => {
            json!({ "action": "take_over", "question": text })
        }
        Action::Info(Question { text, options, .. }) if options.is_empty() => {
            json!({ "action": "ask_user", "question": text })
        }
        Action::Info(Question { text, options, .. }) => {
            json!({ "action": "ask_user", "question": text, "options": options })
        }
        Action::Complete { message } => json!({ "action": "complete", "message": message }),
        Action::Abort { reason } => json!({ "action": "abort", "reason": reason }),
    };
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn gesture_value(gesture: &Gesture, coords: &CoordContext, named: bool) -> Value {
    let at = |point: &Point| place(*point, coords, named);
    match gesture {
        Gesture::Click { point } => json!({ "action": "click", "point": at(point) }),
        Gesture::DoubleClick { point } => json!({ "action": "double_click", "point": at(point) }),
        Gesture::LongPress { point, duration } => {
            let seconds = number(duration.as_secs_f64());
            json!({ "action": "long_press", "point": at(point), "seconds": seconds })
        }
        Gesture::Type { text, point, clear, submit } => {
            let mut value = json!({ "action": "type", "text": text });
            if let Some(point) = point {
                value["point"] = at(point);
            }
            for (name, said) in [("clear", *clear), ("submit", *submit)] {
                if said {
                    value[name] = json!(true);
                }
            }
            value
        }
        Gesture::Slide { from, to, .. } => {
            json!({ "action": "swipe", "start": at(from), "end": at(to) })
        }
        Gesture::Scroll { direction, at: None } => {
            json!({ "action": "scroll", "direction": direction.to_string() })
        }
        Gesture::Scroll { direction, at: Some(point) } => json!({
            "action": "scroll", "direction": direction.to_string(), "point": at(point),
        }),
        Gesture::Drag { from, to } => {
            json!({ "action": "drag", "start": at(from), "end": at(to) })
        }
        Gesture::Awake { app } => json!({ "action": "open_app", "app": app }),
        Gesture::HotKey { key } => {
            json!({ "action": "press_key", "key": key.name().to_ascii_lowercase() })
        }
    }
}

/// A place, as it is written.
pub(in super::super) fn place(point: Point, coords: &CoordContext, named: bool) -> Value {
    let (first, second) = coords.system.numbers(point, coords.image);
    if !named {
        return json!([number(first), number(second)]);
    }
    let (x, y) = if coords.system.y_first { (second, first) } else { (first, second) };
    json!({ "x": number(x), "y": number(y) })
}

/// A number, without a fraction where it has none.
pub(in super::super) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    if value.fract() == 0.0 && value.abs() < 1e9 { json!(value as i64) } else { json!(value) }
}
