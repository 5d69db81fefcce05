//! Parses replies of AutoGLM-Phone: reasoning, then `do(...)` or `finish(...)`.
use ayeaye_agent::{ParseError, Reply};
use serde_json::Value;

use super::VERBS;
use crate::profile::parse::{
    ParsedCall, ParsedReply, TWO_ENDS, begins_anew, content, earlier_act, excerpt, python,
    reasoning, reject,
};

/// Parses a whole reply.
pub(super) fn parse(reply: &Reply) -> Result<ParsedReply, ParseError> {
    let text = content(&reply.text)?;
    let unwrapped = unwrapped(text);
    let cut = reasoning::cut(unwrapped.as_deref().unwrap_or(text), begins);
    if cut.body.is_empty() {
        return reject("it holds reasoning and no action");
    }
    let names = [&VERBS.arg_names()[..], &["action"]].concat();
    let (head, written) = match split(cut.body)? {
        Some(found) => found,
        // What is cut within its reasoning may have been going to say something else.
        None => behind_prose(cut.body, &names)
            .filter(|_| !cut.unclosed)
            .ok_or_else(|| no_single_action(cut.body))?,
    };
    if python::head(written.trim()).is_none() {
        return Err(no_single_action(written));
    }
    let calls = python::calls(written, &names);
    let first = calls.as_ref().ok().and_then(|calls| calls.first()).cloned().unwrap_or_default();
    let mut call = match calls.and_then(python::only) {
        Ok(call) => call,
        Err(why) => typed(written).ok_or(why)?,
    };
    if call.name.eq_ignore_ascii_case("do") {
        // In front, the name of the action may stand alone. Behind, words are a piece of a text with quotes in it.
        let leads = first.args.first().is_some_and(|(name, _)| name.is_empty());
        call.name = match call.args.shift_remove("action") {
            Some(Value::String(name)) if call.positional.is_empty() => name,
            None if leads => {
                let name = call.positional.remove(0);
                // What else has no name may be a piece of its text.
                if VERBS.same_verb(&name, "Type") && !call.positional.is_empty() {
                    return reject(TWO_ENDS);
                }
                name
            }
            _ => return reject("do needs action, such as do(action=\"Back\")"),
        };
    }
    let mut parsed = ParsedReply {
        call,
        thought: reasoning::joined([&cut.thought, head], &reply.reasoning),
        ..ParsedReply::default()
    };
    let within = !begins_anew(head);
    parsed.doubt_if(
        within,
        "its finish stands in the middle of a sentence and not on a line of its own",
    );
    let acts = earlier_act::acts(head, |name| VERBS.completes(name));
    parsed.doubt_if(acts, "another action stands in front of it");
    parsed.doubt_if(cut.unclosed, "its reasoning has no end");
    Ok(parsed)
}

/// Whether the call may go on: a text in it holds quotes like those around it and an open bracket, and no tag closes the
/// answer.
pub(super) fn may_be_cut(text: &str) -> bool {
    let Ok(text) = content(text) else { return false };
    let names = [&VERBS.arg_names()[..], &["action"]].concat();
    let cut = reasoning::cut(text, begins);
    !text.ends_with(ANSWER_END)
        && matches!(split(cut.body), Ok(Some((_, it))) if python::may_be_cut(it.trim(), &names))
}

/// A reply in the form that its own earlier ones are shown in, tags within tags, without the outer ones.
fn unwrapped(text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix("<think>")?.strip_suffix(ANSWER_END)?;
    let (thought, action) = inside.split_once("<answer></think>")?;
    let is_one = action.matches(ANSWER).count() == 1 && !thought.contains(ANSWER);
    (thought.starts_with("<think>") && is_one).then(|| format!("{thought}{action}"))
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

/// The text before the call, and the call without its wrapping; `None` if there is none in a place that a call
/// has.
fn split(body: &str) -> Result<Option<(&str, &str)>, ParseError> {
    for (open, close) in [(ANSWER, ANSWER_END), (BOX, BOX_END)] {
        if let Some((head, inside)) = body.split_once(open) {
            let inside = inside.trim_end();
            let inside = match inside.rfind(close) {
                Some(at) if at + close.len() == inside.len() => &inside[..at],
                // The closing tag may be the server's stop sequence.
                None => inside,
                Some(at) => {
                    let behind = excerpt(&inside[at + close.len()..]);
                    return reject(format!("{behind} stands behind its answer"));
                }
            };
            return Ok(Some((head, unboxed(inside))));
        }
    }
    let bare = python::unfenced(body.strip_suffix(ANSWER_END).unwrap_or(body));
    Ok(if begins_call(bare) { Some(("", bare)) } else { loose(body) })
}

/// Why there is no one action in a text.
fn no_single_action(text: &str) -> ParseError {
    let several = 1 < [DO, FINISH].iter().map(|begin| text.matches(begin).count()).sum::<usize>();
    let why = if several { python::SEVERAL } else { NO_ACTION };
    ParseError::new(why)
}

const NO_ACTION: &str =
    "it names no action; end it with one such as <answer>do(action=\"Back\")</answer>";

fn unboxed(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix(BOX).unwrap_or(text);
    python::unfenced(text.strip_suffix(BOX_END).unwrap_or(text))
}

/// A call without tags after the reasoning: on a line of its own or after a sentence. The end of the task
/// must stand behind a whole one, since a sentence may only mention it.
fn loose(body: &str) -> Option<(&str, &str)> {
    let calls =
        body.match_indices(['d', 'D', 'f', 'F']).filter(|(at, _)| begins_call(&body[*at..]));
    for (at, letter) in calls {
        let before = body[..at].trim_end_matches([' ', '\t', '`']);
        let own_line = before.is_empty() || before.ends_with('\n');
        let sentence = before.ends_with(['。', '！', '.', '!', '>', '：', ':', '”', '」', '）']);
        let whole = before.ends_with(['。', '！', '.', '!']);
        if own_line || sentence && letter.eq_ignore_ascii_case("d") || whole {
            return Some((&body[..at], to_end(&body[at..])));
        }
    }
    None
}

/// A call without what may stand behind it.
fn to_end(written: &str) -> &str {
    let written = written.trim_end();
    let written = written.strip_suffix(ANSWER_END).unwrap_or(written).trim_end();
    written.trim_end_matches(['`', '\n'])
}

const DO: &str = "do(action=";
const FINISH: &str = "finish(message=";

/// A `do` behind any words, as its own client reads it. It must be the only call, whole, and the end of the
/// reply; of `finish`, words may only speak.
fn behind_prose<'a>(body: &'a str, names: &[&str]) -> Option<(&'a str, &'a str)> {
    let (head, rest) = body.split_once(DO)?;
    let is_only = !rest.contains(DO) && !body.contains(FINISH);
    let in_word = head.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let written = to_end(&body[head.len()..]);
    (is_only && !in_word && python::is_strict(written, names)).then_some((head, written))
}

/// A text to type with quotes and brackets within, which its own client takes up to the end of the call.
fn typed(written: &str) -> Option<ParsedCall> {
    let (name, rest) = written.strip_prefix(DO)?.strip_prefix('"')?.split_once('"')?;
    let rest = rest.trim_start().strip_prefix(',')?.trim_start();
    let inside = rest.strip_prefix("text=\"")?.trim_end().strip_suffix("\")")?;
    if !VERBS.same_verb(name, "Type") || inside.contains(DO) || inside.contains(FINISH) {
        return None;
    }
    let mut call = ParsedCall::default();
    call.args.insert("action".to_owned(), Value::from(name));
    call.args.insert("text".to_owned(), Value::from(python::unescaped(inside)));
    "do".clone_into(&mut call.name);
    (!could_end(inside)).then_some(call)
}

/// Whether a call could end within its text: at a quote in front of a bracket that closes none of the text's own,
/// or of another argument.
fn could_end(inside: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            '"' => {
                let behind = inside[at + 1..].trim_start();
                if depth == 0 && python::closed(behind).is_some() || python::goes_on(behind) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
