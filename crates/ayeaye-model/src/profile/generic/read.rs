//! Reading an action out of a call of the tool, or out of `Thought: ... Action: {...}`.
use ayeaye_agent::{Action, Decision, Gesture, ParseError, Question, Reply, ToolCall};
use serde_json::{Map, Value};

use super::super::CoordContext;
use super::super::parse::args::{Args, flattened};
use super::super::parse::{excerpt, json, labelled, point, reject, unwrapped, values};
use super::tool;
use super::word::Word;

/// Names of objects whose contents stand beside the others.
const NESTS: [&str; 8] = [
    "action",
    "arguments",
    "args",
    "parameters",
    "params",
    "actioninput",
    "actionargs",
    "toolcall",
];

/// What a whole reply says to do.
pub(super) fn read(
    reply: &Reply,
    coords: &CoordContext,
    named: bool,
) -> Result<Decision, ParseError> {
    let text = unwrapped(&reply.text);
    let Some((call, more)) = reply.calls.split_first() else {
        return in_text(text, coords, named);
    };
    let same = |it: &ToolCall| it.name == call.name && it.arguments == call.arguments;
    if !more.iter().all(same) {
        return reject("it calls for more than one action; call the tool once");
    }
    let map = match call.arguments.trim() {
        "" => Map::new(),
        arguments => json::object(arguments)?,
    };
    let cut = call.arguments.trim().is_empty();
    let mut decision = decision(map, Some(&call.name), coords, named)?;
    if cut && matches!(decision.action, Action::Complete { .. }) {
        return reject("its call has no arguments, so that nobody knows whether it is whole");
    }
    // Words beside a call are its reasons, unless they are another action.
    if let Ok(said) = in_text(text, coords, named)
        && said.action != decision.action
    {
        return reject("its words and its call are two different actions; give one");
    }
    if decision.thought.is_empty() {
        decision.thought = labelled::reasons("", text);
    }
    Ok(labelled::explained(decision))
}

/// What a reply without a call says to do.
fn in_text(text: &str, coords: &CoordContext, named: bool) -> Result<Decision, ParseError> {
    let found = labelled::found(text)?;
    let decision = decision(found.map.clone(), None, coords, named)?;
    found.carried_by(decision)
}

/// What an object says to do, by itself or as what a tool of this name is called with.
fn decision(
    map: Map<String, Value>,
    tool: Option<&str>,
    coords: &CoordContext,
    named: bool,
) -> Result<Decision, ParseError> {
    let mut map = map;
    // A call of the tool that came as text.
    let nested = map.keys().any(|name| NESTS[1..].contains(&values::fold_name(name).as_str()));
    let called = match tool {
        None if nested => ["name", "tool", "tool_name", "function"]
            .iter()
            .find_map(|name| map.remove(*name)?.as_str().map(str::to_owned)),
        other => other.map(str::to_owned),
    };
    let map = flattened(map, &NESTS)?;
    let map = flattened(map, &NESTS)?;
    if named && map.values().any(is_box) {
        return reject(
            "a box of four numbers does not say which of them are from the left; name one place by \
             `x` and `y`",
        );
    }
    let mut args = Args::of(&map)?;
    let said = match args.text(&["action", "actiontype", "actionname"])? {
        None => args.text(&["type"])?,
        said => said,
    };
    let said = match (said, called) {
        (Some(said), Some(called)) => {
            let by_name = Word::named(&called);
            if by_name.is_none() && !tool::is_it(&called) {
                return reject(format!(
                    "there is no tool {}; call {}",
                    excerpt(&called),
                    tool::NAME
                ));
            }
            if by_name.is_some() && by_name != Word::named(&said) {
                return reject("it names two different actions; name one");
            }
            said
        }
        (Some(said), None) => said,
        (None, Some(called)) if !tool::is_it(&called) => called,
        (None, _) => return reject("it names no action; say which one in the field `action`"),
    };
    let Some(word) = Word::named(&said) else {
        return reject(format!(
            "{} is not an action; use one of {}",
            excerpt(&said),
            tool::ACTIONS.join(", ")
        ));
    };
    args.named(&said);
    let action = with_leave(action(word, &args, coords)?, &args)?;
    let text = |names: &[&str]| args.text(names).map(Option::unwrap_or_default);
    Ok(Decision {
        action,
        thought: text(&["thought", "thinking", "reasoning", "reason_for_action"])?,
        explain: text(&["explain", "explanation", "description", "conclusion"])?,
        summary: text(&["summary", "progress"])?,
        observation: text(&["observation"])?,
    })
}

/// Whether an end is a good one.
const SUCCESS: [&str; 3] = ["success", "succeeded", "successful"];

/// Whether a text to be typed stands beside a key.
fn typed(args: &Args<'_>) -> Result<bool, ParseError> {
    Ok(args.text(&["text", "inputtext"])?.is_some_and(|text| !text.trim().is_empty()))
}

const TEXT: [&str; 4] = ["text", "value", "content", "inputtext"];

fn action(word: Word, args: &Args<'_>, coords: &CoordContext) -> Result<Action, ParseError> {
    let seconds = || args.text(&["seconds", "duration", "time"]);
    let at = || place(args, coords);
    let here = || match place(args, coords)? {
        Some(point) => Ok(point),
        None => args.missing("`point`, two numbers"),
    };
    let both = || match two_places(args, coords)? {
        Some(both) => Ok(both),
        None => args.missing("`start` and `end`, two numbers each"),
    };
    Ok(match word {
        Word::Click if args.has(&["key", "button"]) && !args.has(&POINT) && !args.has(&["x"]) => {
            key(args)?
        }
        Word::Click => Gesture::Click { point: here()? }.into(),
        Word::DoubleClick => Gesture::DoubleClick { point: here()? }.into(),
        Word::LongPress => {
            let duration = values::press(seconds()?.as_deref());
            Gesture::LongPress { point: here()?, duration }.into()
        }
        Word::Type => {
            let Some(text) = args.text(&TEXT)?.filter(|text| !text.is_empty()) else {
                return args.missing("`text`, which is what to type");
            };
            let clear = args.flag(&["clear", "cleartext", "clearfirst"])?;
            let submit = args.flag(&["submit", "pressenter", "enter"])?;
            Gesture::Type { text, point: at()?, clear, submit }.into()
        }
        Word::Swipe => match two_places(args, coords)? {
            Some((from, to)) => Gesture::Slide { from, to, duration: values::SLIDE }.into(),
            None => {
                return reject(
                    "a swipe needs `start` and `end`; to show what lies in a direction, use scroll",
                );
            }
        },
        Word::Scroll => match args.text(&["direction"])? {
            Some(direction) => {
                let direction = values::direction(&direction)?;
                Gesture::Scroll { direction, at: at()? }.into()
            }
            None => return args.missing("`direction`: up, down, left or right"),
        },
        Word::Drag => {
            let (from, to) = both()?;
            Gesture::Drag { from, to }.into()
        }
        Word::OpenApp => {
            let names = ["app", "appname", "name", "package", "packagename", "text", "value"];
            let app = values::unquoted(&args.needed(&names, "`app`, the name of the app")?);
            Gesture::Awake { app }.into()
        }
        Word::Key => key(args)?,
        Word::Press(key) if typed(args)? => {
            return reject(format!(
                "it presses {} and has a text: type it, or press the key without one",
                key.name()
            ));
        }
        Word::Press(key) => Gesture::HotKey { key }.into(),
        Word::Wait => Action::Wait(values::wait(seconds()?.as_deref())?),
        Word::Note => {
            let text = args.needed(&[&TEXT[..], &["note"]].concat(), "`text`, what to note")?;
            Action::Note { text }
        }
        Word::Ask => {
            let names = [&["question", "message"], &TEXT[..]].concat();
            let mut question = Question::info(args.needed(&names, "`question`")?);
            if let Some(Value::Array(options)) = args.value(&["options", "choices"])? {
                let texts = options.iter().filter_map(Value::as_str);
                question.options = texts.take(20).map(str::to_owned).collect();
            }
            Action::Info(question)
        }
        Word::TakeOver => {
            let names = [&["question", "message", "reason"], &TEXT[..]].concat();
            let asked = args.needed(&names, "`question`, saying what the user has to do")?;
            Action::Info(Question::takeover(asked))
        }
        Word::Complete => {
            let names = [&["message", "answer", "result", "return", "report"], &TEXT[..]].concat();
            match args.text(&["status", "goalstatus"])?.map(|it| values::fold_name(&it)).as_deref()
            {
                // A flag beside the word, as the `done` of browser agents has it.
                None | Some("success" | "complete" | "completed" | "succeeded" | "done")
                    if args.value(&SUCCESS)?.is_some() && !args.flag(&SUCCESS)? =>
                {
                    let names = [&["reason"], &names[..]].concat();
                    Action::Abort { reason: args.text(&names)?.unwrap_or_default() }
                }
                None | Some("success" | "complete" | "completed" | "succeeded" | "done") => {
                    Action::Complete { message: args.text(&names)?.unwrap_or_default() }
                }
                Some("fail" | "failed" | "failure" | "infeasible" | "impossible") => {
                    let names = [&["reason"], &names[..]].concat();
                    Action::Abort { reason: args.text(&names)?.unwrap_or_default() }
                }
                Some(other) => {
                    return reject(format!(
                        "{} is no status of an end; use success or fail",
                        excerpt(other)
                    ));
                }
            }
        }
        Word::Abort => {
            let names = [&["reason", "message"], &TEXT[..]].concat();
            Action::Abort { reason: args.text(&names)?.unwrap_or_default() }
        }
    })
}

/// The same, if it is one for the phone and its user is to be asked first.
fn with_leave(action: Action, args: &Args<'_>) -> Result<Action, ParseError> {
    let Action::Gesture(gesture) = action else { return Ok(action) };
    let text = match args.value(&["confirm", "requiresconfirmation", "sensitive"])? {
        None | Some(Value::Bool(false)) => return Ok(gesture.into()),
        Some(Value::String(no)) if is_word(no, &["", "false", "no", "none", "null"]) => {
            return Ok(gesture.into());
        }
        Some(yes) if *yes == Value::Bool(true) || is_flag(yes) => {
            let why = args.text(&["explain", "explanation", "thought"])?.unwrap_or_default();
            let why = if why.trim().is_empty() { gesture.name().to_owned() } else { why };
            format!("May this be done? {why}")
        }
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            return reject(format!(
                "`confirm` must be a question to the user, not {}",
                excerpt(&other.to_string())
            ));
        }
    };
    Ok(Action::Confirm { gesture, question: Question::confirm(text) })
}

fn is_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Whether a text says yes in place of a question.
fn is_flag(value: &Value) -> bool {
    value.as_str().is_some_and(|text| is_word(text, &["true", "yes"]))
}

fn key(args: &Args<'_>) -> Result<Action, ParseError> {
    let names = ["key", "keyname", "button", "keycode", "text", "value"];
    let name = args.needed(&names, "`key`: back, home, enter ...")?;
    Ok(Gesture::HotKey { key: values::key(&name)? }.into())
}

const POINT: [&str; 7] =
    ["point", "coordinate", "coordinates", "position", "location", "at", "box"];
const FROM: [&str; 8] = [
    "start",
    "startpoint",
    "startcoordinate",
    "from",
    "point1",
    "coordinate1",
    "startposition",
    "begin",
];
const TO: [&str; 8] =
    ["end", "endpoint", "endcoordinate", "to", "point2", "coordinate2", "endposition", "target"];

fn place(
    args: &Args<'_>,
    coords: &CoordContext,
) -> Result<Option<ayeaye_agent::Point>, ParseError> {
    let pair = args.pair("x", "y", coords)?;
    let said = args.point(&POINT, coords)?;
    match (pair, said) {
        (Some(one), Some(other)) if one != other => {
            reject("it says two different places; name one")
        }
        (pair, said) => Ok(said.or(pair)),
    }
}

fn two_places(
    args: &Args<'_>,
    coords: &CoordContext,
) -> Result<Option<(ayeaye_agent::Point, ayeaye_agent::Point)>, ParseError> {
    // Qwen's names for them.
    let qwen = args.has(&["coordinate2"]) && !args.has(&["coordinate1"]);
    let from = if qwen { args.point(&["coordinate"], coords)? } else { args.point(&FROM, coords)? };
    let from = match from {
        None => args.pair("x1", "y1", coords)?,
        from => from,
    };
    let to = match args.point(&TO, coords)? {
        None => args.pair("x2", "y2", coords)?,
        to => to,
    };
    Ok(from.zip(to))
}

/// Whether a value is four numbers.
fn is_box(value: &Value) -> bool {
    match value {
        Value::Array(list) if list.len() == 1 => is_box(&list[0]),
        Value::Array(list) => list.len() == 4 && list.iter().all(Value::is_number),
        Value::String(text) => point::numbers(text).is_ok_and(|numbers| numbers.len() == 4),
        _ => false,
    }
}
