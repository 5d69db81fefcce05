//! From the arguments of a call to an action.
use ayeaye_agent::{Action, Gesture, ParseError, Point, Question};
use serde_json::{Map, Value};

use super::super::CoordContext;
use super::super::parse::json::{missing, written};
use super::super::parse::values::{self, fold_name};
use super::super::parse::{excerpt, point, reject};
use super::Dialect;

/// What the arguments say to do. `explain` is what the reply says of it in words.
pub(super) fn action(
    map: &Map<String, Value>,
    explain: &str,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Result<Action, ParseError> {
    let said = match map.get("action") {
        Some(Value::String(said)) => said.trim(),
        Some(other) => return reject(format!("{} is no action", excerpt(&other.to_string()))),
        None => return missing("an \"action\"", super::NAME),
    };
    let arguments = Arguments { map, coords, of: said };
    let action = match fold_name(said).as_str() {
        "click" | "tap" => Gesture::Click { point: arguments.place()? }.into(),
        "doubleclick" | "doubletap" => Gesture::DoubleClick { point: arguments.place()? }.into(),
        "longpress" | "longclick" => {
            let duration = values::press(arguments.text(&["time", "duration"])?.as_deref());
            Gesture::LongPress { point: arguments.place()?, duration }.into()
        }
        "swipe" | "scroll" => arguments.swipe(dialect)?,
        "drag" => {
            let (from, to) = arguments.path()?;
            Gesture::Drag { from, to }.into()
        }
        "type" | "input" | "inputtext" => Gesture::Type {
            text: arguments.needed(&["text"])?,
            point: arguments.point(COORDINATE)?,
            clear: arguments.flag("clear")?,
            submit: arguments.flag("submit")?,
        }
        .into(),
        "key" | "press" | "presskey" => {
            Gesture::HotKey { key: values::key(&arguments.needed(&["text", "key"])?)? }.into()
        }
        "systembutton" => {
            let button = arguments.needed(&["button", "text"])?;
            Gesture::HotKey { key: values::key(&button)? }.into()
        }
        "open" | "openapp" | "launch" | "awake" => {
            Gesture::Awake { app: arguments.needed(&["text", "app", "app_name"])? }.into()
        }
        "wait" => Action::Wait(values::wait(arguments.text(&["time", "duration"])?.as_deref())?),
        "answer" => Action::Complete { message: arguments.needed(&["text"])? },
        "askuser" | "ask" | "info" => {
            Action::Info(Question::info(arguments.needed(&["text", "question"])?))
        }
        "interact" | "calluser" | "takeover" => {
            let asked = arguments.text(&["text", "message"])?;
            match asked.or_else(|| Some(explain.trim().to_owned()).filter(|it| !it.is_empty())) {
                Some(asked) => Action::Info(Question::takeover(asked)),
                None => return missing("\"text\", saying what the user has to do", said),
            }
        }
        "terminate" => arguments.end(explain)?,
        _ => {
            return reject(format!(
                "{} is not an action; use one of {}",
                excerpt(said),
                dialect.actions.join(", ")
            ));
        }
    };
    Ok(action)
}

/// The names of a place; of the beginning and the end of a way.
const COORDINATE: &[&str] = &["coordinate", "coordinates", "point"];
const START: &[&str] = &["start_coordinate", "coordinate", "coordinate1", "coordinates"];
const END: &[&str] = &["end_coordinate", "coordinate2", "coordinates2"];

struct Arguments<'a> {
    map: &'a Map<String, Value>,
    coords: &'a CoordContext,
    /// The action, for messages.
    of: &'a str,
}

impl Arguments<'_> {
    /// The value by any of its names; two that differ are two ways to read it.
    fn value(&self, names: &[&str]) -> Result<Option<&Value>, ParseError> {
        let mut said = names.iter().filter_map(|name| Some((name, self.map.get(*name)?)));
        let mut said = said.by_ref().filter(|(_, value)| !value.is_null());
        let Some((name, value)) = said.next() else { return Ok(None) };
        match said.find(|(_, other)| *other != value) {
            Some((other, _)) => reject(format!("its \"{name}\" and its \"{other}\" differ")),
            None => Ok(Some(value)),
        }
    }

    fn text(&self, names: &[&str]) -> Result<Option<String>, ParseError> {
        if self.value(names)?.is_some_and(|value| value.is_object() || value.is_array()) {
            return reject(format!("its \"{}\" is no text", names[0]));
        }
        Ok(written(self.map, names).filter(|text| !text.trim().is_empty()))
    }

    fn needed(&self, names: &[&str]) -> Result<String, ParseError> {
        match self.text(names)? {
            Some(text) => Ok(text),
            None => missing(&format!("\"{}\"", names[0]), self.of),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, ParseError> {
        match self.text(&[name])?.as_deref() {
            None | Some("false" | "False" | "0") => Ok(false),
            Some("true" | "True" | "1") => Ok(true),
            Some(odd) => reject(format!("its \"{name}\" is {}, not true or false", excerpt(odd))),
        }
    }

    fn point(&self, names: &[&str]) -> Result<Option<Point>, ParseError> {
        self.value(names)?.map(|value| point::point_in(value, self.coords)).transpose()
    }

    fn place(&self) -> Result<Point, ParseError> {
        match self.point(COORDINATE)? {
            Some(point) => Ok(point),
            None => missing("\"coordinate\", a list of two numbers", self.of),
        }
    }

    fn path(&self) -> Result<(Point, Point), ParseError> {
        match (self.point(START)?, self.point(END)?) {
            (Some(from), Some(to)) => Ok((from, to)),
            _ => missing("two places, where the finger goes down and where it is lifted", self.of),
        }
    }

    fn swipe(&self, dialect: &Dialect) -> Result<Action, ParseError> {
        let by_path = self.value(END)?.is_some();
        let direction = self.text(&["direction"])?;
        match direction {
            Some(_) if by_path && dialect.swipes_by_direction => {
                reject("its swipe has a direction and an end; say only one of them")
            }
            // The finger goes against what it shows. `scroll` may mean either.
            Some(direction) if dialect.swipes_by_direction && fold_name(self.of) == "swipe" => {
                let finger = values::direction(&direction)?;
                let at = self.point(COORDINATE)?;
                Ok(Gesture::Scroll { direction: values::opposite(finger), at }.into())
            }
            Some(_) if !by_path => reject(format!(
                "the direction of {} could be the finger's or the page's; {}",
                excerpt(self.of),
                if dialect.swipes_by_direction {
                    "use swipe, with the finger's direction"
                } else {
                    "use swipe with \"coordinate\" and \"coordinate2\""
                }
            )),
            None if !by_path && dialect.swipes_by_direction => missing("a \"direction\"", self.of),
            _ => {
                let (from, to) = self.path()?;
                Ok(Gesture::Slide { from, to, duration: values::SLIDE }.into())
            }
        }
    }

    fn end(&self, explain: &str) -> Result<Action, ParseError> {
        let status = self.needed(&["status"])?;
        let text = self.text(&["text", "reason", "message"])?;
        match fold_name(&status).as_str() {
            "success" => Ok(Action::Complete { message: text.unwrap_or_default() }),
            "failure" | "fail" | "failed" | "infeasible" | "impossible" => {
                Ok(Action::Abort { reason: text.unwrap_or_else(|| explain.trim().to_owned()) })
            }
            _ => reject(format!(
                "{} is not a status; use success, or failure when the task cannot be done",
                excerpt(&status)
            )),
        }
    }
}
