//! The actions of UI-TARS and of Doubao-Seed, which took them over: what each call means, and what
//! call says a decision.
use ayeaye_agent::{Action, Decision, Direction, Gesture, Key, ParseError, Point, Question};

use super::super::parse::python::Call;
use super::super::parse::{excerpt, point, reject, values};
use super::super::{CoordContext, turns};

/// The names of arguments.
pub(in super::super) const ARGS: &[&str] = &[
    "point",
    "start_point",
    "end_point",
    "start_box",
    "end_box",
    "box",
    "content",
    "text",
    "message",
    "direction",
    "app_name",
    "app",
    "name",
    "key",
    "time",
    "duration",
];

const POINT: [&str; 5] = ["point", "start_box", "start_point", "box", "start"];
const TEXT: [&str; 3] = ["content", "text", "message"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Click,
    DoubleClick,
    LongPress,
    Type,
    Scroll,
    Drag,
    Open,
    Press(Key),
    HotKey,
    Wait,
    CallUser,
    Finished,
}

fn verb(name: &str) -> Option<Verb> {
    Some(match values::fold_name(name).as_str() {
        "click" | "tap" | "leftsingle" | "leftclick" => Verb::Click,
        "leftdouble" | "doubleclick" | "doubletap" => Verb::DoubleClick,
        "longpress" => Verb::LongPress,
        "type" => Verb::Type,
        "scroll" => Verb::Scroll,
        "drag" | "swipe" => Verb::Drag,
        "openapp" => Verb::Open,
        "presshome" => Verb::Press(Key::Home),
        "pressback" => Verb::Press(Key::Back),
        "pressenter" => Verb::Press(Key::Enter),
        "hotkey" => Verb::HotKey,
        "wait" => Verb::Wait,
        "calluser" => Verb::CallUser,
        "finished" => Verb::Finished,
        _ => return None,
    })
}

/// Whether this is the name of an action.
pub(in super::super) fn is_known(name: &str) -> bool {
    verb(name).is_some()
}

/// Whether this is the name of the action that ends a task.
pub(in super::super) fn ends(name: &str) -> bool {
    verb(name) == Some(Verb::Finished)
}

/// What a call means. `thought` is what the model gave as its reason.
pub(in super::super) fn action(
    call: &Call,
    thought: &str,
    coords: &CoordContext,
) -> Result<Action, ParseError> {
    let Some(verb) = verb(&call.name) else {
        return reject(format!(
            "{} is not an action; use one of click, long_press, type, scroll, drag, open_app, \
             press_home, press_back, wait, call_user, finished",
            excerpt(&call.name)
        ));
    };
    let missing = |what: &str| ParseError(format!("{} needs {what}", excerpt(&call.name)));
    let text = || call.arg(&TEXT).filter(|text| !text.trim().is_empty());
    let action = match verb {
        Verb::Click => Gesture::Click { point: place(call, coords)? }.into(),
        Verb::DoubleClick => Gesture::DoubleClick { point: place(call, coords)? }.into(),
        Verb::LongPress => {
            let duration = values::press(call.named(&["time", "duration"]));
            Gesture::LongPress { point: place(call, coords)?, duration }.into()
        }
        Verb::Type => {
            let text = call.arg(&TEXT).filter(|text| !text.is_empty());
            typed(text.ok_or_else(|| missing("content, with the text to type"))?)
        }
        Verb::Scroll => scroll(call, coords)?,
        Verb::Drag => {
            let (from, to) = path(call, coords)?;
            // The family's servers draw a finger, they do not hold it down first.
            Gesture::Slide { from, to, duration: values::SLIDE }.into()
        }
        Verb::Open => {
            let app = call.arg(&["app_name", "app", "name", "content"]).map(values::unquoted);
            let app = app.filter(|app| !app.is_empty());
            Gesture::Awake { app: app.ok_or_else(|| missing("app_name"))? }.into()
        }
        Verb::Press(key) => Gesture::HotKey { key }.into(),
        Verb::HotKey => {
            let name = call.arg(&["key"]).ok_or_else(|| missing("key"))?;
            Gesture::HotKey { key: values::key(name)? }.into()
        }
        Verb::Wait => Action::Wait(values::wait(call.arg(&["time", "duration"]))?),
        Verb::CallUser => match (text(), thought.trim()) {
            (Some(asked), _) => Action::Info(Question::info(asked)),
            // It says nothing of what it wants, as its older checkpoints do.
            (None, "") => Action::Info(Question::takeover(
                "The agent needs your help on the phone and did not say with what. Look at the \
                 screen, do what has to be done there, and say when it is done.",
            )),
            (None, thought) => Action::Info(Question::takeover(thought)),
        },
        Verb::Finished => {
            let message = call.arg(&TEXT).unwrap_or_default().trim().to_owned();
            Action::Complete { message }
        }
    };
    Ok(action)
}

/// A new line at the end presses the enter key, written down or real.
fn typed(text: &str) -> Action {
    let bare = text.strip_suffix("\\n").or_else(|| text.strip_suffix('\n'));
    match bare {
        Some("") => Gesture::HotKey { key: Key::Enter }.into(),
        _ => Gesture::Type {
            text: bare.unwrap_or(text).to_owned(),
            point: None,
            clear: false,
            submit: bare.is_some(),
        }
        .into(),
    }
}

fn scroll(call: &Call, coords: &CoordContext) -> Result<Action, ParseError> {
    let Some(direction) = call.named(&["direction"]) else {
        // The first checkpoints scroll from a box to a box.
        let (from, to) = path(call, coords).map_err(|_| {
            ParseError("scroll needs direction, such as direction='down'".to_owned())
        })?;
        return Ok(Gesture::Slide { from, to, duration: values::SLIDE }.into());
    };
    // The family says what is to be seen, as we do, and not where the finger goes.
    let direction = values::direction(direction)?;
    let at = call.named(&POINT).map(|at| point::point(at, coords)).transpose()?;
    Ok(Gesture::Scroll { direction, at }.into())
}

/// The one place of a call, however its argument is called. Without a name, two numbers may be two
/// arguments.
fn place(call: &Call, coords: &CoordContext) -> Result<Point, ParseError> {
    if let Some(at) = call.named(&POINT) {
        return point::point(at, coords);
    }
    let nameless = call.args.iter().filter(|(name, _)| name.is_empty());
    let said: Vec<&str> = nameless.map(|(_, value)| value.as_str()).collect();
    match said[..] {
        [] => reject(format!(
            "{} needs point, such as point='<point>100 200</point>'",
            excerpt(&call.name)
        )),
        [..] if said.len() <= 4 => point::point(&said.join(","), coords),
        _ => reject(format!("{} has too many arguments", excerpt(&call.name))),
    }
}

fn path(call: &Call, coords: &CoordContext) -> Result<(Point, Point), ParseError> {
    let from = call.named(&["start_point", "start_box", "start"]);
    let to = call.named(&["end_point", "end_box", "end"]);
    match (from, to) {
        (Some(from), Some(to)) if !to.trim().is_empty() => {
            Ok((point::point(from, coords)?, point::point(to, coords)?))
        }
        _ => reject(format!("{} needs start_point and end_point", excerpt(&call.name))),
    }
}

/// A decision as a call: of this family or, made by another model, in its words.
pub(in super::super) fn said(decision: &Decision, coords: &CoordContext) -> Call {
    let at = |point: &Point| {
        let (x, y) = coords.system.numbers(*point, coords.image);
        format!("<point>{x} {y}</point>")
    };
    let call = |name: &str, args: &[(&str, String)]| Call {
        name: name.to_owned(),
        args: args.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    };
    let path = |from, to| call("drag", &[("start_point", at(from)), ("end_point", at(to))]);
    let asked = |text: &str| call("call_user", &[("content", text.to_owned())]);
    match &decision.action {
        Action::Gesture(gesture) => match gesture {
            Gesture::Click { point } => call("click", &[("point", at(point))]),
            Gesture::DoubleClick { point } => call("left_double", &[("point", at(point))]),
            Gesture::LongPress { point, .. } => call("long_press", &[("point", at(point))]),
            Gesture::Type { text, submit, .. } => {
                call("type", &[("content", text.clone() + if *submit { "\n" } else { "" })])
            }
            Gesture::Slide { from, to, .. } | Gesture::Drag { from, to } => path(from, to),
            Gesture::Scroll { direction, at: place } => {
                let middle = || Point::new(500, 500).expect("the middle of the screen");
                let place = place.unwrap_or_else(middle);
                call("scroll", &[("point", at(&place)), ("direction", word(*direction).to_owned())])
            }
            Gesture::Awake { app } => call("open_app", &[("app_name", app.clone())]),
            Gesture::HotKey { key: Key::Home } => call("press_home", &[]),
            Gesture::HotKey { key: Key::Back } => call("press_back", &[]),
            Gesture::HotKey { key: Key::Enter } => call("type", &[("content", "\n".to_owned())]),
            Gesture::HotKey { key } => call("hotkey", &[("key", key.name().to_ascii_lowercase())]),
        },
        Action::Wait(time) if *time != values::USUAL_WAIT => {
            call("wait", &[("time", time.as_secs_f64().to_string())])
        }
        Action::Wait(_) | Action::Note { .. } => call("wait", &[]),
        Action::Info(question) | Action::Confirm { question, .. } => asked(&question.text),
        Action::Complete { message } => call("finished", &[("content", message.clone())]),
        Action::Abort { reason } => asked(reason),
    }
}

/// Why, as the model said it; and what its call cannot say.
pub(in super::super) fn why(decision: &Decision) -> String {
    let thought = turns::thought(decision);
    match &decision.action {
        Action::Note { text } => format!("{thought} To remember: {}", turns::slot(text)),
        _ => thought,
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "left",
        Direction::Right => "right",
    }
}
