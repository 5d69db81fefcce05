//! Between the vocabulary and what is kept of it: an [`Action`] and its [`ActionRecord`], the
//! [`Tokens`] of a call and their [`TokenRecord`].
//!
//! Names are those of [`Action::name`]. Arguments by action:
//!
//! | action | arguments |
//! |---|---|
//! | CLICK, `DOUBLE_CLICK` | `point` |
//! | LONGPRESS | `point`, `duration_ms` |
//! | TYPE | `value`, `point` if there is one, `clear`, `submit` |
//! | SLIDE | `point1`, `point2`, `duration_ms` |
//! | SCROLL | `direction` (`up`, `down`, `left`, `right`), `point` if there is one |
//! | DRAG | `point1`, `point2` |
//! | AWAKE | `app` |
//! | `HOT_KEY` | `key`, such as `BACK` |
//! | `OPEN_URL` | `url` |
//! | `STOP_APP`, `UNINSTALL_APP` | `app` |
//! | `INSTALL_APP` | `file`; `package` and `sha256` of what was found in it |
//! | `SEND_FILE` | `file`, `to` |
//! | `FETCH_FILE` | `from`, `file` |
//! | WAIT | `seconds`, a fraction if need be |
//! | NOTE | `text` |
//! | INFO | `question`: `kind`, `text`, `options`, `app` if known; `act` if it asks for permission to do that: `function`, `arguments` |
//! | COMPLETE | `return` |
//! | ABORT | `reason` |
//!
//! Points are `[x, y]` in thousandths, with up to three places where a model names them finer. Times are kept to the millisecond; what is finer is cut off.
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{ActionRecord, ResponseRecord, TokenRecord};
use crate::{
    Action, Decision, DeviceCommand, Direction, Gesture, Key, OffScreen, Point, Question,
    QuestionKind, Tokens,
};

/// A kept action that this version cannot read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidActionRecord {
    /// No action has this name.
    #[error("no action is called `{0}`")]
    Name(String),
    /// An argument is missing, or is not what it should be.
    #[error("{function} has no usable argument `{argument}`")]
    Argument {
        /// The action's name.
        function: &'static str,
        /// The argument's name.
        argument: &'static str,
    },
    /// A point is not on the screen.
    #[error(transparent)]
    OffScreen(#[from] OffScreen),
}

impl From<&Action> for ActionRecord {
    fn from(action: &Action) -> Self {
        let mut arguments = Map::new();
        let mut put = |name: &str, value: Value| {
            arguments.insert(name.to_owned(), value);
        };
        match action {
            Action::Gesture(gesture) => put_gesture(gesture, &mut put),
            Action::Wait(time) => put("seconds", seconds(*time)),
            Action::Note { text } => put("text", json!(text)),
            Action::Info(question) => put("question", question_facts(question)),
            Action::Confirm { gesture, question } => {
                put("question", question_facts(question));
                let act = Self::from(&Action::Gesture(gesture.clone()));
                put("act", json!({ "function": act.function, "arguments": act.arguments }));
            }
            Action::Complete { message } => put("return", json!(message)),
            Action::Abort { reason } => put("reason", json!(reason)),
        }
        Self { function: action.name().to_owned(), arguments }
    }
}

impl ActionRecord {
    /// This action as people are shown it. A question for permission that had been given is shown as the act, if the act
    /// was sent. Any other question for permission is shown as the user was `asked`, since the gate may have reworded it.
    #[must_use]
    pub fn as_told(&self, was_sent: bool, asked: Option<&str>) -> Self {
        match (Action::try_from(self), asked) {
            (Ok(Action::Confirm { gesture, .. }), _) if was_sent => {
                Self::from(&Action::Gesture(gesture))
            }
            (Ok(Action::Confirm { gesture, question }), Some(asked)) => {
                let question = Question { text: asked.to_owned(), ..question };
                Self::from(&Action::Confirm { gesture, question })
            }
            _ => self.clone(),
        }
    }
}

impl TryFrom<&ActionRecord> for Action {
    type Error = InvalidActionRecord;

    fn try_from(facts: &ActionRecord) -> Result<Self, InvalidActionRecord> {
        let args = |function| Arguments { function, of: &facts.arguments };
        Ok(match facts.function.as_str() {
            "CLICK" => Gesture::Click { point: args("CLICK").point("point")? }.into(),
            "DOUBLE_CLICK" => {
                Gesture::DoubleClick { point: args("DOUBLE_CLICK").point("point")? }.into()
            }
            "LONGPRESS" => {
                let args = args("LONGPRESS");
                let (point, duration) = (args.point("point")?, args.millis("duration_ms")?);
                Gesture::LongPress { point, duration }.into()
            }
            "TYPE" => {
                let args = args("TYPE");
                Gesture::Type {
                    text: args.text("value")?,
                    point: args.point_if_any("point")?,
                    clear: args.flag("clear")?,
                    submit: args.flag("submit")?,
                }
                .into()
            }
            "SLIDE" => {
                let args = args("SLIDE");
                let (from, to) = (args.point("point1")?, args.point("point2")?);
                Gesture::Slide { from, to, duration: args.millis("duration_ms")? }.into()
            }
            "SCROLL" => {
                let args = args("SCROLL");
                let direction = args.direction("direction")?;
                Gesture::Scroll { direction, at: args.point_if_any("point")? }.into()
            }
            "DRAG" => {
                let args = args("DRAG");
                Gesture::Drag { from: args.point("point1")?, to: args.point("point2")? }.into()
            }
            "AWAKE" => Gesture::Awake { app: args("AWAKE").text("app")? }.into(),
            "HOT_KEY" => {
                let args = args("HOT_KEY");
                let key = Key::from_name(&args.text("key")?).ok_or_else(|| args.bad("key"))?;
                Gesture::HotKey { key }.into()
            }
            "WAIT" => Self::Wait(args("WAIT").seconds("seconds")?),
            "NOTE" => Self::Note { text: args("NOTE").text("text")? },
            "INFO" => {
                let args = args("INFO");
                let question = args.question("question")?;
                match args.gesture("act")? {
                    Some(gesture) => Self::Confirm { gesture, question },
                    None => Self::Info(question),
                }
            }
            "COMPLETE" => Self::Complete { message: args("COMPLETE").text("return")? },
            "ABORT" => Self::Abort { reason: args("ABORT").text("reason")? },
            other => {
                let text = |function, name| args(function).text(name);
                match DeviceCommand::read(other, text) {
                    Some(command) => Gesture::Command(command?).into(),
                    None => {
                        return Err(InvalidActionRecord::Name(other.chars().take(64).collect()));
                    }
                }
            }
        })
    }
}

impl From<&Decision> for ResponseRecord {
    fn from(decision: &Decision) -> Self {
        let questions = match &decision.action {
            Action::Info(question) | Action::Confirm { question, .. } => {
                vec![question.text.clone()]
            }
            _ => Vec::new(),
        };
        Self {
            observation: decision.observation.clone(),
            thought: decision.thought.clone(),
            comment: decision.explain.clone(),
            summary: decision.summary.clone(),
            questions,
            ..Self::default()
        }
    }
}

impl From<Tokens> for TokenRecord {
    fn from(tokens: Tokens) -> Self {
        let Tokens { prompt, completion, thinking, cached } = tokens;
        Self { prompt, completion, thinking, cached, total: prompt.saturating_add(completion) }
    }
}

impl std::ops::AddAssign for TokenRecord {
    fn add_assign(&mut self, other: Self) {
        // The numbers are an endpoint's, which may say anything.
        for (sum, more) in [
            (&mut self.prompt, other.prompt),
            (&mut self.completion, other.completion),
            (&mut self.thinking, other.thinking),
            (&mut self.cached, other.cached),
            (&mut self.total, other.total),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

fn put_gesture(gesture: &Gesture, put: &mut impl FnMut(&str, Value)) {
    match gesture {
        Gesture::Click { point } | Gesture::DoubleClick { point } => put("point", pair(*point)),
        Gesture::LongPress { point, duration } => {
            put("point", pair(*point));
            put("duration_ms", millis(*duration));
        }
        Gesture::Type { text, point, clear, submit } => {
            put("value", json!(text));
            if let Some(point) = point {
                put("point", pair(*point));
            }
            put("clear", json!(clear));
            put("submit", json!(submit));
        }
        Gesture::Slide { from, to, duration } => {
            put("point1", pair(*from));
            put("point2", pair(*to));
            put("duration_ms", millis(*duration));
        }
        Gesture::Scroll { direction, at } => {
            put("direction", json!(direction.to_string()));
            if let Some(point) = at {
                put("point", pair(*point));
            }
        }
        Gesture::Drag { from, to } => {
            put("point1", pair(*from));
            put("point2", pair(*to));
        }
        Gesture::Awake { app } => put("app", json!(app)),
        Gesture::HotKey { key } => put("key", json!(key.name())),
        Gesture::Command(command) => {
            for (name, value) in command.arguments() {
                put(name, json!(value));
            }
        }
    }
}

fn pair(point: Point) -> Value {
    let (x, y) = point.fractions();
    json!([thousandths(x), thousandths(y)])
}

/// A whole number where it is one, as GELab's always are.
fn thousandths(fraction: f64) -> Value {
    let millionths = (fraction * 1e6).round();
    if millionths % 1e3 == 0.0 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        return json!((millionths / 1e3) as u16);
    }
    json!(millionths / 1e3)
}

fn millis(time: Duration) -> Value {
    json!(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn seconds(time: Duration) -> Value {
    let rest = time.subsec_millis();
    if rest == 0 {
        return json!(time.as_secs());
    }
    json!(Duration::new(time.as_secs(), rest * 1_000_000).as_secs_f64())
}

fn question_facts(question: &Question) -> Value {
    let Question { kind, text, options, app } = question;
    let mut facts = json!({ "kind": kind.name(), "text": text, "options": options });
    if let Some(app) = app {
        facts["app"] = json!(app);
    }
    facts
}

/// The arguments of one action, and its name for complaints.
#[derive(Clone, Copy)]
struct Arguments<'a> {
    function: &'static str,
    of: &'a Map<String, Value>,
}

impl Arguments<'_> {
    fn bad(self, argument: &'static str) -> InvalidActionRecord {
        InvalidActionRecord::Argument { function: self.function, argument }
    }

    fn text(self, name: &'static str) -> Result<String, InvalidActionRecord> {
        self.of.get(name).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| self.bad(name))
    }

    fn flag(self, name: &'static str) -> Result<bool, InvalidActionRecord> {
        self.of.get(name).and_then(Value::as_bool).ok_or_else(|| self.bad(name))
    }

    fn point(self, name: &'static str) -> Result<Point, InvalidActionRecord> {
        self.point_if_any(name)?.ok_or_else(|| self.bad(name))
    }

    fn point_if_any(self, name: &'static str) -> Result<Option<Point>, InvalidActionRecord> {
        let Some(value) = self.of.get(name) else { return Ok(None) };
        let Some([x, y]) = value.as_array().map(Vec::as_slice) else { return Err(self.bad(name)) };
        match (x.as_f64(), y.as_f64()) {
            (Some(x), Some(y)) => Ok(Some(Point::from_fractions(x / 1e3, y / 1e3)?)),
            _ => Err(self.bad(name)),
        }
    }

    fn direction(self, name: &'static str) -> Result<Direction, InvalidActionRecord> {
        match self.of.get(name).and_then(Value::as_str) {
            Some("up") => Ok(Direction::Up),
            Some("down") => Ok(Direction::Down),
            Some("left") => Ok(Direction::Left),
            Some("right") => Ok(Direction::Right),
            _ => Err(self.bad(name)),
        }
    }

    fn millis(self, name: &'static str) -> Result<Duration, InvalidActionRecord> {
        let millis = self.of.get(name).and_then(Value::as_u64).ok_or_else(|| self.bad(name))?;
        Ok(Duration::from_millis(millis))
    }

    fn seconds(self, name: &'static str) -> Result<Duration, InvalidActionRecord> {
        let value = self.of.get(name).ok_or_else(|| self.bad(name))?;
        if let Some(whole) = value.as_u64() {
            return Ok(Duration::from_secs(whole));
        }
        let exact = value.as_f64().and_then(|s| Duration::try_from_secs_f64(s).ok());
        // To the nearest millisecond: 0.1 is not a tenth in binary.
        exact
            .and_then(|time| time.checked_add(Duration::from_micros(500)))
            .map(|time| Duration::new(time.as_secs(), time.subsec_millis() * 1_000_000))
            .ok_or_else(|| self.bad(name))
    }

    fn gesture(self, name: &'static str) -> Result<Option<Gesture>, InvalidActionRecord> {
        let Some(value) = self.of.get(name) else { return Ok(None) };
        let function = value["function"].as_str();
        let (Some(function), Some(arguments)) = (function, value["arguments"].as_object()) else {
            return Err(self.bad(name));
        };
        // Only what goes to a phone: a question inside a question would have no end.
        let facts = ActionRecord { function: function.to_owned(), arguments: arguments.clone() };
        match facts.function.as_str() {
            "INFO" => Err(self.bad(name)),
            _ => match Action::try_from(&facts)? {
                Action::Gesture(gesture) => Ok(Some(gesture)),
                _ => Err(self.bad(name)),
            },
        }
    }

    fn question(self, name: &'static str) -> Result<Question, InvalidActionRecord> {
        let facts = self.of.get(name).and_then(Value::as_object).ok_or_else(|| self.bad(name))?;
        let kind = match facts.get("kind").and_then(Value::as_str) {
            Some("info") => QuestionKind::Info,
            Some("confirm") => QuestionKind::Confirm,
            Some("takeover") => QuestionKind::Takeover,
            _ => return Err(self.bad(name)),
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let options = facts.get("options").and_then(Value::as_array);
        let options = options.and_then(|all| all.iter().map(text).collect::<Option<Vec<_>>>());
        let app = match facts.get("app") {
            None => Some(None),
            Some(value) => text(value).map(Some),
        };
        match (facts.get("text").and_then(text), options, app) {
            (Some(text), Some(options), Some(app)) => Ok(Question { kind, text, options, app }),
            _ => Err(self.bad(name)),
        }
    }
}
