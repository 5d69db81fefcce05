//! From a decision to the call that says it: for telling a model of earlier steps in its own format.
use ayeaye_agent::{Action, Decision, Direction, Gesture, Key, Point, Question, QuestionKind};
use serde_json::{Map, Value, json};

use super::super::CoordContext;
use super::super::parse::values;
use super::quoted::without_tags;
use super::{Dialect, NAME};

/// Bytes of a text in a call that is told again.
const LONGEST_TEXT: usize = 2 << 10;

/// The call as text, in its tags; `None` for what the tool has no word for.
pub(crate) fn call(
    decision: &Decision,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Option<String> {
    let arguments = spaced(&arguments(decision, coords, dialect)?);
    Some(format!("<tool_call>\n{{\"name\": \"{NAME}\", \"arguments\": {arguments}}}\n</tool_call>"))
}

/// The arguments as JSON on one line.
pub(crate) fn object(
    decision: &Decision,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Option<String> {
    Some(spaced(&arguments(decision, coords, dialect)?))
}

/// JSON with the blanks that the families were trained with, in which no tag stands.
fn spaced(map: &Map<String, Value>) -> String {
    let list = |list: &Vec<Value>| {
        format!("[{}]", list.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
    };
    let said: Vec<String> = map
        .iter()
        .map(|(key, value)| match value {
            Value::Array(values) => format!("\"{key}\": {}", list(values)),
            value => format!("\"{key}\": {value}"),
        })
        .collect();
    without_tags(&format!("{{{}}}", said.join(", ")), "\\u003c")
}

fn arguments(
    decision: &Decision,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Option<Map<String, Value>> {
    let value = match &decision.action {
        Action::Gesture(gesture) => gesture_said(gesture, coords, dialect),
        Action::Wait(time) => json!({"action": "wait", "time": number(time.as_secs_f64())}),
        Action::Note { .. } => return None,
        Action::Info(Question { kind: QuestionKind::Takeover, text, .. }) => {
            json!({"action": "interact", "text": short(text)})
        }
        // What was asked for is not done yet, with leave or without.
        Action::Info(question) | Action::Confirm { question, .. } => {
            json!({"action": "ask_user", "text": short(&question.text)})
        }
        Action::Complete { message } if message.trim().is_empty() => {
            json!({"action": "terminate", "status": "success"})
        }
        Action::Complete { message } => json!({"action": "answer", "text": short(message)}),
        Action::Abort { reason } if reason.trim().is_empty() => {
            json!({"action": "terminate", "status": dialect.failure})
        }
        Action::Abort { reason } => {
            json!({"action": "terminate", "status": dialect.failure, "text": short(reason)})
        }
    };
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn gesture_said(gesture: &Gesture, coords: &CoordContext, dialect: &Dialect) -> Value {
    let at = |point: &Point| place(*point, coords);
    match gesture {
        Gesture::Click { point } => json!({"action": "click", "coordinate": at(point)}),
        Gesture::DoubleClick { point } => {
            json!({"action": "double_click", "coordinate": at(point)})
        }
        Gesture::LongPress { point, duration } if *duration == values::USUAL_PRESS => {
            json!({"action": "long_press", "coordinate": at(point)})
        }
        Gesture::LongPress { point, duration } => {
            let time = number(duration.as_secs_f64());
            json!({"action": "long_press", "coordinate": at(point), "time": time})
        }
        Gesture::Type { text, point, clear, submit } => {
            let mut said = json!({"action": "type", "text": short(text)});
            if let Some(point) = point {
                said["coordinate"] = at(point);
            }
            if *clear {
                said["clear"] = Value::Bool(true);
            }
            if *submit {
                said["submit"] = Value::Bool(true);
            }
            said
        }
        Gesture::Slide { from, to, .. } if dialect.swipes_by_direction => {
            let finger = direction(*from, *to);
            json!({"action": "swipe", "direction": finger.to_string(), "coordinate": at(from)})
        }
        Gesture::Slide { from, to, .. } => {
            json!({"action": "swipe", "coordinate": at(from), "coordinate2": at(to)})
        }
        Gesture::Scroll { direction, at: place } if dialect.swipes_by_direction => {
            let finger = values::opposite(*direction).to_string();
            let mut said = json!({"action": "swipe", "direction": finger});
            if let Some(place) = place {
                said["coordinate"] = at(place);
            }
            said
        }
        Gesture::Scroll { direction, at: place } => {
            let (from, to) = drawn(*direction, *place);
            json!({"action": "swipe", "coordinate": at(&from), "coordinate2": at(&to)})
        }
        Gesture::Drag { from, to } => {
            json!({"action": "drag", "start_coordinate": at(from), "end_coordinate": at(to)})
        }
        Gesture::Awake { app } => json!({"action": "open", "text": short(app)}),
        Gesture::HotKey { key } => match button(*key) {
            Some(name) if dialect.lower_buttons => {
                json!({"action": "system_button", "button": name.to_ascii_lowercase()})
            }
            Some(name) => json!({"action": "system_button", "button": name}),
            None => json!({"action": "key", "text": key.name().to_ascii_lowercase()}),
        },
    }
}

/// The button of a key, if the tool has one.
fn button(key: Key) -> Option<&'static str> {
    match key {
        Key::Back => Some("Back"),
        Key::Home => Some("Home"),
        Key::Menu => Some("Menu"),
        Key::Enter => Some("Enter"),
        _ => None,
    }
}

/// Where the finger goes that is drawn from one place to another, more or less.
fn direction(from: Point, to: Point) -> Direction {
    let ((x1, y1), (x2, y2)) = (from.fractions(), to.fractions());
    let (across, down) = (x2 - x1, y2 - y1);
    match (across.abs() < down.abs(), across < 0.0, down < 0.0) {
        (true, _, true) => Direction::Up,
        (true, _, false) => Direction::Down,
        (false, true, _) => Direction::Left,
        (false, false, _) => Direction::Right,
    }
}

/// The way of a finger that shows what lies in a direction.
fn drawn(shown: Direction, at: Option<Point>) -> (Point, Point) {
    let (x, y) = at.map_or((0.5, 0.5), Point::fractions);
    let (dx, dy) = match shown {
        Direction::Down => (0.0, -0.3),
        Direction::Up => (0.0, 0.3),
        Direction::Right => (-0.3, 0.0),
        Direction::Left => (0.3, 0.0),
    };
    let inside = |x: f64, y: f64| {
        Point::from_fractions(x.clamp(0.05, 0.95), y.clamp(0.05, 0.95))
            .expect("both are between 0 and 1")
    };
    (inside(x, y), inside(x + dx, y + dy))
}

fn place(point: Point, coords: &CoordContext) -> Value {
    let (first, second) = coords.system.numbers(point, coords.image);
    json!([number(first), number(second)])
}

/// A number as people write it: whole ones without a fraction.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^53")]
    if value.fract() == 0.0 && value.abs() < 1e9 { json!(value as i64) } else { json!(value) }
}

/// A text of bounded length. What is told of an earlier step needs no more.
fn short(text: &str) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let end = (0..=LONGEST_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}
