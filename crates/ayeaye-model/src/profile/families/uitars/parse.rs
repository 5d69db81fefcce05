//! Parses replies of UI-TARS: labelled lines, and a call in Python's notation.
use ayeaye_agent::{ParseError, Reply};

use super::VERBS;
use crate::profile::parse::args::names_place;
use crate::profile::parse::python::{self, TextCall};
use crate::profile::parse::{ParsedCall, ParsedReply, content, earlier_act, reasoning, reject};

const LABELS: [&str; 3] = ["action", "动作", "操作"];

/// Parses a whole reply. Of several gestures, which its own client performs in turn, it is the first: what the others
/// would meet, the next screen shows.
pub(super) fn parse(reply: &Reply) -> Result<ParsedReply, ParseError> {
    with_call(reply, |calls| python::only(leading(calls)))
}

/// Parses a whole reply, which may hold one action and no other.
pub(in crate::profile) fn parse_only(reply: &Reply) -> Result<ParsedReply, ParseError> {
    with_call(reply, python::only)
}

/// Whether the call may go on: a text in it holds quotes like those around it and an open bracket, or its place has lost
/// its brackets.
pub(super) fn may_be_cut(text: &str) -> bool {
    let Ok(text) = content(text) else { return false };
    split(reasoning::cut(text, begins).body).is_some_and(|(_, written)| {
        let bare = without_closing_tags(written);
        if bare.len() < written.trim_end().len() {
            return false;
        }
        match garbled(bare).filter(|_| python::head(bare).is_none()) {
            Some((_, place)) => !place.contains("</"),
            None => python::may_be_cut(bare, &VERBS.arg_names()),
        }
    })
}

/// The first of several calls where that is a gesture and none of the others is an end or a question: those might be
/// meant in its place. All of them otherwise.
fn leading(mut calls: Vec<TextCall>) -> Vec<TextCall> {
    let leads = calls.first().is_some_and(|call| VERBS.is_simple_gesture(&call.name));
    if leads && calls.iter().all(|call| VERBS.is_gesture(&call.name)) {
        calls.truncate(1);
    }
    calls
}

fn with_call(
    reply: &Reply,
    chosen: impl FnOnce(Vec<TextCall>) -> Result<ParsedCall, ParseError>,
) -> Result<ParsedReply, ParseError> {
    let cut = reasoning::cut(content(&reply.text)?, begins);
    if cut.body.is_empty() {
        return reject("it holds reasoning and no action");
    }
    let Some((head, written)) = split(cut.body) else {
        return reject(
            "it names no action; end it with a line such as Action: \
             click(point='<point>100 200</point>')",
        );
    };
    let mut parsed = labelled(head);
    parsed.thought = reasoning::joined([&cut.thought, &parsed.thought], &reply.reasoning);
    parsed.call = chosen(calls(written)?)?;
    let acts = earlier_act::acts(head, |name| VERBS.completes(name));
    parsed.doubt_if(acts, "another action stands in front of it");
    parsed.doubt_if(cut.unclosed, "its reasoning has no end");
    Ok(parsed)
}

/// Whether a text begins like a reply without reasoning.
fn begins(text: &str) -> bool {
    let word = text.trim_start_matches(['*', '#', '`', ' ']);
    let labels = [
        "Thought:",
        "Thought：",
        "Reflection:",
        "Action:",
        "Action：",
        "Action_Summary:",
        "Summary:",
    ];
    let labelled = |label: &&str| {
        word.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label))
    };
    labels.iter().any(labelled) || begins_call(text)
}

/// Whether a text begins with a call of a known verb.
fn begins_call(text: &str) -> bool {
    let named =
        python::head(text).map(|(name, _)| name).or_else(|| garbled(text).map(|(name, _)| name));
    named.is_some_and(is_known)
}

fn is_known(name: &str) -> bool {
    VERBS.knows(name)
}

/// A call collapsed into `click>point>point>510 172`: its name and the rest.
fn garbled(text: &str) -> Option<(&str, &str)> {
    let (at, _) = text.char_indices().take(20).find(|(_, c)| *c == '>')?;
    is_known(&text[..at]).then(|| (&text[..at], &text[at + 1..]))
}

/// The text before the call, and the call.
fn split(body: &str) -> Option<(&str, &str)> {
    let body = without_fence(body);
    let bare = python::unfenced(body);
    if begins_call(bare) {
        return Some(("", bare));
    }
    let is_one_line = !body.trim().contains('\n');
    let mut inline = None;
    for (start, end) in labels(body) {
        // In a reply of many lines an escaped one is a part of what the thought quotes.
        let escaped = || is_one_line && body[..start].ends_with(ESCAPED_LINE_END);
        let first = begins_line(&body[..start]) || escaped();
        let behind = body[end..].trim_start_matches(['*', '`', ' ', '\n', '\r', '\t']);
        let behind = behind.strip_prefix("python\n").unwrap_or(behind);
        if !first && inline.is_some() || python::head(behind).is_none() && !begins_call(behind) {
            continue;
        }
        // A thought may mention the end of the task, so the call must begin a sentence.
        let ends = python::head(behind).is_some_and(|(name, _)| VERBS.completes(name));
        let sentence = body[..start].trim_end().ends_with(['.', '。', '!', '！', '\n']);
        if !first && ends && !sentence {
            continue;
        }
        let cut = (
            body[..start].trim_end_matches(['*', ' ']),
            python::unfenced(body[end..].trim_start_matches(['*', ' ', '\n'])),
        );
        if first {
            return Some(cut);
        }
        inline = Some(cut);
    }
    inline.or_else(|| {
        // Without a label, the call must have a line of its own.
        let mut at = 0;
        body.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            let is_call = begins_call(line.trim_start_matches([' ', '`']));
            is_call.then(|| (&body[..start], python::unfenced(&body[start..])))
        })
    })
}

/// A reply without the fence around all of it, or the end of one behind the call.
fn without_fence(body: &str) -> &str {
    if body.trim_start().starts_with("```") {
        return python::unfenced(body);
    }
    let inside = body.trim_end().strip_suffix("```");
    inside.filter(|it| it.trim_end_matches([' ', '\t']).ends_with('\n')).map_or(body, str::trim_end)
}

/// Whether only punctuation precedes this offset in its line.
fn begins_line(before: &str) -> bool {
    let marks = |c: char| c != '\n' && (c.is_whitespace() || "*#`-".contains(c));
    let rest = before.trim_end_matches(marks);
    rest.is_empty() || rest.ends_with('\n')
}

/// A line end that came escaped once more.
const ESCAPED_LINE_END: &str = "\\n";

/// Where the label of the action starts and ends, colon included.
fn labels(body: &str) -> impl Iterator<Item = (usize, usize)> {
    body.match_indices([':', '：']).filter_map(|(at, colon)| {
        let before = body[..at].trim_end_matches(['*', '`', ' ']);
        let start = LABELS.iter().find_map(|label| {
            let start = before.len().checked_sub(label.len())?;
            before.get(start..).filter(|word| word.eq_ignore_ascii_case(label)).map(|_| start)
        })?;
        let in_word = before[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let own = !in_word || before[..start].ends_with(ESCAPED_LINE_END);
        own.then_some((start, at + colon.len()))
    })
}

fn calls(written: &str) -> Result<Vec<TextCall>, ParseError> {
    let written = without_closing_tags(written);
    if python::head(written).is_none()
        && let Some((name, rest)) = garbled(written)
    {
        let args = vec![(String::new(), rest.trim().to_owned())];
        return Ok(vec![TextCall { name: name.to_owned(), args, left_out: Vec::new() }]);
    }
    python::calls(written, &VERBS.arg_names()).or_else(|why| before_comment(written).ok_or(why))
}

/// A gesture with a comment behind it, as Python has them. Behind a text it could be a piece of that.
fn before_comment(written: &str) -> Option<Vec<TextCall>> {
    let (call, behind) = python::one(written.trim_start(), &VERBS.arg_names())?;
    let is_comment = behind.trim_start().starts_with('#') && !behind.contains(['(', '（']);
    let has_text = call.args.iter().any(|(name, _)| !names_place(name) && name != "direction");
    (is_comment && !has_text && VERBS.is_gesture(&call.name)).then(|| vec![call])
}

/// A call without the closing tags behind it, of whatever a prompt had put around the action.
fn without_closing_tags(written: &str) -> &str {
    let mut text = written.trim_end();
    while let Some((before, name)) = text.strip_suffix('>').and_then(|it| it.rsplit_once("</")) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:".contains(c);
        let before = before.trim_end();
        if name.is_empty() || !name.chars().all(is_name) || !before.ends_with([')', '）', '>', '`'])
        {
            break;
        }
        text = before;
    }
    if text.ends_with([')', '）', '`']) { text } else { written }
}

/// Fills in the lines before the call.
fn labelled(head: &str) -> ParsedReply {
    let mut parsed = ParsedReply::default();
    let mut into = 0;
    for line in head.trim().lines() {
        let bare = line.trim_start_matches(['*', '#', ' ', '`']);
        let (label, rest) = bare.split_once([':', '：']).unwrap_or(("", bare));
        let label = label.trim_end_matches(['*', ' ']).to_ascii_lowercase();
        let (next, line) = match label.as_str() {
            "thought" | "思考" => (0, rest.trim_start_matches('*')),
            "reflection" => (1, rest.trim_start_matches('*')),
            "action_summary" | "action summary" | "summary" => (2, rest.trim_start_matches('*')),
            _ => (into, line),
        };
        into = next;
        let text = match into {
            0 => &mut parsed.thought,
            1 => &mut parsed.observation,
            _ => &mut parsed.summary,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim());
    }
    for text in [&mut parsed.thought, &mut parsed.observation, &mut parsed.summary] {
        *text = text.trim().to_owned();
    }
    parsed
}
