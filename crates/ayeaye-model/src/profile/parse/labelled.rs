//! Replies with a reason and one JSON object: `Thought: ...` and `Action: {...}`, in tags, in fences or
//! bare.
use ayeaye_agent::{Decision, ParseError};
use serde_json::{Map, Value};

use super::{ParsedReply, content, excerpt, json, reasoning, reject, without_tokens};
use crate::profile::escape::truncated;

/// The object of a reply, and the rest of the reply.
pub(crate) fn parse(text: &str) -> Result<(Map<String, Value>, ParsedReply), ParseError> {
    let cut = reasoning::cut(content(text)?, begins);
    let body = without_tokens(cut.body);
    let (start, firm) = match (firm(body), body.find('{')) {
        (Some(start), _) => (start, true),
        (None, Some(start)) => (start, false),
        (None, None) => {
            return reject("it names no action; give it as one JSON object on a line of its own");
        }
    };
    let (map, behind) = json::first(&body[start..])?;
    if behind.contains('{') {
        return reject("it holds more than one JSON object; reply with one action");
    }
    let thought = reasons(&cut.thought, &body[..start]);
    let mut reply = ParsedReply { thought, ..ParsedReply::default() };
    if !is_decoration(behind) {
        let why = "text follows its action and may contradict it: ";
        reply.doubt = Some(format!("{why}{}", excerpt(behind.trim())));
    }
    reply.doubt_if(another(&body[..start]), "another JSON object stands in front of its action");
    reply.doubt_if(!firm, "its action stands in the middle of a line and not on one of its own");
    reply.doubt_if(cut.unclosed, "its reasoning has no end");
    Ok((map, reply))
}

/// Whether a text holds a complete, non-empty object. Only a limited number of braces is tried.
fn another(text: &str) -> bool {
    text.match_indices('{')
        .take(32)
        .any(|(at, _)| json::leading(&text[at..]).is_ok_and(|(map, _)| !map.is_empty()))
}

/// Whether a text begins like a reply without reasoning.
fn begins(text: &str) -> bool {
    text.starts_with(['{', '[', '`'])
        || ["<tool_call>", "<|begin_of_box|>", "<act>"].iter().any(|tag| text.starts_with(tag))
        || ["thought", "reason", "action"].iter().any(|name| label(text, name).is_some())
}

/// The text after a label at the start, such as `Action:`, with or without emphasis.
fn label<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let text = text.trim_start_matches(['*', '#', ' ', '>', '-', '_']);
    let (head, rest) = text.split_at_checked(name.len())?;
    if !head.eq_ignore_ascii_case(name) {
        return None;
    }
    let rest = rest.trim_start_matches(['*', '_', ' ']);
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
    Some(rest.trim_start_matches(['*', '_', ' ']))
}

/// Where an object begins that has a line of its own or follows `Action:` at the start of one.
fn firm(body: &str) -> Option<usize> {
    let mut at = 0;
    // A bare `Action:` is no special case: the object has the next line to itself.
    for line in body.split_inclusive('\n') {
        let bare = line.trim_start();
        let inner = label(bare, "action").unwrap_or(bare);
        let inner = inner.trim_start_matches(|c: char| c.is_whitespace() || c == '[' || c == '`');
        let inner = inner.strip_prefix("json").unwrap_or(inner);
        let inner = inner.trim_start().trim_start_matches("<tool_call>");
        let inner = inner.trim_start().trim_start_matches("<|begin_of_box|>");
        let inner = inner.trim_start().trim_start_matches("<ACTION>").trim_start();
        let inner = inner.trim_start_matches("<act>").trim_start();
        if inner.starts_with('{') {
            return Some(at + line.len() - inner.len());
        }
        at += line.len();
    }
    None
}

/// Whether a text consists of brackets, closing wrappers and the full stop of a sentence alone.
fn is_decoration(text: &str) -> bool {
    const TAGS: [&str; 6] =
        ["</tool_call>", "<|end_of_box|>", "</answer>", "</action>", "</ACTION>", "</act>"];
    let text = text.trim();
    let mut text = text.strip_suffix(['.', '。']).unwrap_or(text).to_owned();
    for tag in TAGS {
        text = text.replace(tag, "");
    }
    text.chars().all(|c| c.is_whitespace() || "`]*".contains(c))
}

/// The reasons before an action, without their labels.
pub(crate) fn reasons(thought: &str, before: &str) -> String {
    let mut before = before.trim();
    if let Some(rest) = label(before, "thought").or_else(|| label(before, "reason")) {
        before = rest.trim();
    }
    let mut lines: Vec<&str> = before.lines().collect();
    while let Some(line) = lines.last() {
        let bare = line.trim().trim_matches(['`', '[', '*']);
        let opens = ["<tool_call>", "<act>"].iter().any(|tag| bare.starts_with(tag));
        let empty = bare.is_empty() || bare == "json" || opens;
        if empty || label(bare, "action").is_some_and(|rest| rest.trim_matches('`').is_empty()) {
            lines.pop();
        } else {
            break;
        }
    }
    let before = lines.join("\n");
    match (thought.trim(), before.trim()) {
        ("", before) => before.to_owned(),
        (thought, "") => thought.to_owned(),
        (thought, before) => format!("{thought}\n{before}"),
    }
}

/// Bytes of a thought that is a whole explanation.
const SHORT_THOUGHT: usize = 300;

/// Takes a short thought as the explanation, too, where there is none; of a long one its first sentence.
pub(crate) fn explained(mut decision: Decision) -> Decision {
    let thought = decision.thought.trim();
    if decision.explain.trim().is_empty() {
        let is_short = thought.len() <= SHORT_THOUGHT && thought.lines().count() <= 1;
        let reason = if is_short { thought } else { first_sentence(thought) };
        decision.explain = truncated(reason, SHORT_THOUGHT).to_owned();
    }
    decision
}

/// What a text begins with, up to the end of a sentence or of its line.
fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default().trim_end();
    let ends = line.char_indices().find_map(|(at, c)| {
        let behind = &line[at + c.len_utf8()..];
        let is_end = "。！？".contains(c) || ".!?".contains(c) && behind.starts_with(' ');
        is_end.then(|| line.len() - behind.len())
    });
    &line[..ends.unwrap_or(line.len())]
}
