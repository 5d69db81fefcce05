//! Replies of reasons and one JSON object: `Thought: ...` and `Action: {...}`, in tags, fences or
//! nothing.
use ayeaye_agent::{Action, Decision, ParseError};
use serde_json::{Map, Value};

use super::{excerpt, json, reasoning, reject, unwrapped};

/// The one object of a reply, and what tells whether an end of the task may be taken from it.
#[derive(Debug)]
pub(crate) struct Found {
    /// It.
    pub map: Map<String, Value>,
    /// The reasons in front of it.
    thought: String,
    /// It stands on a line of its own, or behind a label at the start of one.
    firm: bool,
    /// Reasoning was begun in front of it and never ended.
    unclosed: bool,
    /// Another one stands in the words in front of it.
    another: bool,
    /// What stands behind it, if that is more than the ends of wrappings.
    behind: Option<String>,
}

/// Finds it.
pub(crate) fn found(text: &str) -> Result<Found, ParseError> {
    let text = unwrapped(text);
    if text.is_empty() {
        return reject("it is empty");
    }
    let start: String = text.chars().take(9).collect::<String>().to_ascii_lowercase();
    if start == "<!doctype" || start.starts_with("<html") {
        return reject("it is a web page");
    }
    let cut = reasoning::cut(text, begins);
    let body = unwrapped(cut.body);
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
    Ok(Found {
        map,
        thought: reasons(&cut.thought, &body[..start]),
        firm,
        unclosed: cut.unclosed,
        another: another(&body[..start]),
        behind: (!is_decoration(behind)).then(|| behind.trim().to_owned()),
    })
}

/// Whether a whole object of something stands in a text. Only so many braces are looked at.
fn another(text: &str) -> bool {
    text.match_indices('{')
        .take(32)
        .any(|(at, _)| json::leading(&text[at..]).is_ok_and(|(map, _)| !map.is_empty()))
}

impl Found {
    /// The decision that was read from the object, with the reasons around it; an end only where
    /// nothing around it casts doubt on that.
    pub(crate) fn carried_by(self, mut decision: Decision) -> Result<Decision, ParseError> {
        if matches!(decision.action, Action::Complete { .. }) {
            if self.unclosed {
                return reject("its reasoning has no end, so that its action may be part of it");
            }
            if !self.firm {
                return reject(
                    "its action stands in the middle of a line; write it on a line of its own",
                );
            }
            if self.another {
                return reject(
                    "another JSON object stands in front of its action; reply with one action",
                );
            }
            if let Some(behind) = &self.behind {
                return reject(format!(
                    "words stand behind its action, which may take it back: {}",
                    excerpt(behind)
                ));
            }
        }
        if decision.thought.is_empty() {
            decision.thought = self.thought;
        }
        Ok(explained(decision))
    }
}

/// Whether a text begins as a reply without reasoning does.
fn begins(text: &str) -> bool {
    text.starts_with(['{', '[', '`'])
        || ["<tool_call>", "<|begin_of_box|>"].iter().any(|tag| text.starts_with(tag))
        || ["thought", "reason", "action"].iter().any(|name| label(text, name).is_some())
}

/// What stands behind a label at the start of a text, such as `Action:`. Emphasis around it does not
/// matter.
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

/// Where the object begins that stands on a line of its own or behind `Action:` at the start of one.
fn firm(body: &str) -> Option<usize> {
    let mut at = 0;
    // Whether the last line was `Action:` and no more is of no matter: the next one is a line of its own.
    for line in body.split_inclusive('\n') {
        let bare = line.trim_start();
        let inner = label(bare, "action").unwrap_or(bare);
        let inner = inner.trim_start_matches(|c: char| c.is_whitespace() || c == '[' || c == '`');
        let inner = inner.strip_prefix("json").unwrap_or(inner);
        let inner = inner.trim_start().trim_start_matches("<tool_call>");
        let inner = inner.trim_start().trim_start_matches("<|begin_of_box|>");
        let inner = inner.trim_start().trim_start_matches("<ACTION>").trim_start();
        if inner.starts_with('{') {
            return Some(at + line.len() - inner.len());
        }
        at += line.len();
    }
    None
}

/// Whether nothing but brackets and ends of wrappings stands in a text.
fn is_decoration(text: &str) -> bool {
    let mut text = text.trim().to_owned();
    for tag in ["</tool_call>", "<|end_of_box|>", "</answer>", "</action>", "</ACTION>"] {
        text = text.replace(tag, "");
    }
    text.chars().all(|c| c.is_whitespace() || "`]*".contains(c))
}

/// The reasons in front of an action, without labels.
pub(crate) fn reasons(thought: &str, before: &str) -> String {
    let mut before = before.trim();
    if let Some(rest) = label(before, "thought").or_else(|| label(before, "reason")) {
        before = rest.trim();
    }
    let mut lines: Vec<&str> = before.lines().collect();
    while let Some(line) = lines.last() {
        let bare = line.trim().trim_matches(['`', '[', '*']);
        let empty = bare.is_empty() || bare == "json" || bare.starts_with("<tool_call>");
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

/// A short thought explains the action as well.
pub(crate) fn explained(mut decision: Decision) -> Decision {
    let thought = decision.thought.trim();
    if decision.explain.trim().is_empty() && thought.len() <= 300 && thought.lines().count() == 1 {
        decision.explain = thought.to_owned();
    }
    decision
}
