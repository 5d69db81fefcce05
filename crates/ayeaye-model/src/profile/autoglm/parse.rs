//! Reading a reply of AutoGLM-Phone: reasoning, then `do(...)` or `finish(...)`.
use ayeaye_agent::{Action, Decision, Gesture, Key, ParseError, Question, Reply};

use super::super::CoordContext;
use super::super::parse::python::{self, Call};
use super::super::parse::{begins_anew, excerpt, point, reasoning, reject, unwrapped, values};

/// The names of arguments.
const ARGS: &[&str] =
    &["action", "element", "text", "app", "start", "end", "message", "duration", "instruction"];

/// What the model writes into a message when it has nothing to say there.
const NOTHING_SAID: [&str; 6] = ["true", "重要操作", "敏感操作", "important", "sensitive", "yes"];

/// What it writes there for an ordinary tap.
const NOT_SENSITIVE: [&str; 3] = ["false", "none", "null"];

/// Understands a whole reply, or says why not.
pub(super) fn parse(reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
    let text = unwrapped(&reply.text);
    if text.is_empty() {
        return reject("it is empty");
    }
    let start = text.get(..9).unwrap_or_default().to_ascii_lowercase();
    if start == "<!doctype" || start.starts_with("<html") {
        return reject("it is a web page");
    }
    let cut = reasoning::cut(text, begins);
    let body = cut.body;
    if body.is_empty() {
        return reject("it holds reasoning and no action");
    }
    let (head, written) = split(body)?;
    let thought = reasoning::joined([&cut.thought, head], &reply.reasoning);
    let call = python::only(python::calls(written, ARGS)?)?;
    let action = action(&call, &thought, coords)?;
    if cut.unclosed && matches!(action, Action::Complete { .. }) {
        return reject("its reasoning has no end (`</think>`), so that finish may be part of it");
    }
    if !begins_anew(head) && matches!(action, Action::Complete { .. }) {
        return reject(
            "its finish stands in the middle of a sentence; write it on a line of its own",
        );
    }
    let (explain, summary, observation) = (String::new(), String::new(), String::new());
    Ok(Decision { action, thought, explain, summary, observation })
}

const ANSWER: &str = "<answer>";
const ANSWER_END: &str = "</answer>";
const BOX: &str = "<|begin_of_box|>";
const BOX_END: &str = "<|end_of_box|>";

fn begins(text: &str) -> bool {
    text.starts_with(ANSWER) || text.starts_with(BOX) || begins_call(text)
}

fn begins_call(text: &str) -> bool {
    python::head(text).is_some_and(|(name, _)| {
        name.eq_ignore_ascii_case("do") || name.eq_ignore_ascii_case("finish")
    })
}

/// What stands in front of the call, and the call without its wrapping.
fn split(body: &str) -> Result<(&str, &str), ParseError> {
    for (open, close) in [(ANSWER, ANSWER_END), (BOX, BOX_END)] {
        if let Some((head, inside)) = body.split_once(open) {
            let inside = inside.trim_end();
            let inside = match inside.rfind(close) {
                Some(at) if at + close.len() == inside.len() => &inside[..at],
                // The last tag may be what the server stops at.
                None => inside,
                Some(at) => {
                    let behind = excerpt(&inside[at + close.len()..]);
                    return reject(format!("{behind} stands behind its answer"));
                }
            };
            return Ok((head, unboxed(inside)));
        }
    }
    let bare = python::unfenced(body.strip_suffix(ANSWER_END).unwrap_or(body));
    if begins_call(bare) {
        return Ok(("", bare));
    }
    loose(body).ok_or_else(|| {
        ParseError(
            "it names no action; end it with one such as <answer>do(action=\"Back\")</answer>"
                .to_owned(),
        )
    })
}

fn unboxed(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix(BOX).unwrap_or(text);
    python::unfenced(text.strip_suffix(BOX_END).unwrap_or(text))
}

/// A call without tags behind its reasoning. It has a line of its own, or follows a sentence; the
/// end of the task only has a line of its own, for a sentence may speak of it.
fn loose(body: &str) -> Option<(&str, &str)> {
    let calls =
        body.match_indices(['d', 'D', 'f', 'F']).filter(|(at, _)| begins_call(&body[*at..]));
    for (at, letter) in calls {
        let before = body[..at].trim_end_matches([' ', '\t', '`']);
        let own_line = before.is_empty() || before.ends_with('\n');
        let sentence = before.ends_with(['。', '！', '.', '!', '>', '：', ':', '”', '」', '）']);
        if own_line || sentence && letter.eq_ignore_ascii_case("d") {
            let written = body[at..].trim_end();
            let written = written.strip_suffix(ANSWER_END).unwrap_or(written).trim_end();
            return Some((&body[..at], written.trim_end_matches(['`', '\n'])));
        }
    }
    None
}

fn action(call: &Call, thought: &str, coords: &CoordContext) -> Result<Action, ParseError> {
    let said = |name| call.named(&[name]).map(str::trim).filter(|said| !said.is_empty());
    if call.name.eq_ignore_ascii_case("finish") {
        let message = call.arg(&["message"]).unwrap_or_default().trim().to_owned();
        return Ok(Action::Complete { message });
    }
    let Some(name) = call.arg(&["action"]) else {
        return reject("do needs action, such as do(action=\"Back\")");
    };
    let missing = |what: &str| ParseError(format!("{} needs {what}", excerpt(name)));
    let place = |name| {
        let at = said(name).ok_or_else(|| missing(&format!("{name}, such as {name}=[500,300]")))?;
        point::point(at, coords)
    };
    let told = || said("message").filter(|it| !NOTHING_SAID.contains(&it.to_lowercase().as_str()));
    let reason = || Some(thought.trim()).filter(|thought| !thought.is_empty());
    Ok(match values::fold_name(name).as_str() {
        "launch" => {
            let app = said("app").ok_or_else(|| missing("app"))?;
            Gesture::Awake { app: app.to_owned() }.into()
        }
        "tap" | "click" => {
            let gesture = Gesture::Click { point: place("element")? };
            match said("message") {
                None => gesture.into(),
                Some(no) if NOT_SENSITIVE.iter().any(|it| no.eq_ignore_ascii_case(it)) => {
                    gesture.into()
                }
                Some(message) => {
                    let text = told().or_else(reason).unwrap_or(message);
                    Action::Confirm { gesture, question: Question::confirm(text) }
                }
            }
        }
        "type" | "typename" => {
            let text = call.named(&["text"]).ok_or_else(|| missing("text"))?.to_owned();
            Gesture::Type { text, point: None, clear: true, submit: false }.into()
        }
        "swipe" => {
            let (from, to) = (place("start")?, place("end")?);
            Gesture::Slide { from, to, duration: values::SLIDE }.into()
        }
        "longpress" => {
            let duration = values::press(said("duration"));
            Gesture::LongPress { point: place("element")?, duration }.into()
        }
        "doubletap" => Gesture::DoubleClick { point: place("element")? }.into(),
        "back" => Gesture::HotKey { key: Key::Back }.into(),
        "home" => Gesture::HotKey { key: Key::Home }.into(),
        "wait" => Action::Wait(values::wait(said("duration"))?),
        "note" => {
            let text =
                told().or_else(reason).ok_or_else(|| missing("message, with what to note"))?;
            Action::Note { text: text.to_owned() }
        }
        // It asks for what it has seen to be summed up, which is for itself to do: it is told its
        // own words again, with the other notes.
        "callapi" => {
            let text = said("instruction").ok_or_else(|| missing("instruction"))?;
            Action::Note { text: text.to_owned() }
        }
        "interact" => {
            let text =
                told().or_else(reason).ok_or_else(|| missing("message, with the question"))?;
            Action::Info(Question::info(text))
        }
        "takeover" => {
            let text = told()
                .or_else(reason)
                .ok_or_else(|| missing("message, with what the user has to do"))?;
            Action::Info(Question::takeover(text))
        }
        _ => {
            return reject(format!(
                "{} is not an action; use one of Launch, Tap, Type, Swipe, Long Press, Double Tap, \
                 Back, Home, Wait, Note, Interact, Take_over, or finish",
                excerpt(name)
            ));
        }
    })
}
