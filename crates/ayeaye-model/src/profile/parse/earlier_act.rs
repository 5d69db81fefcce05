//! An act that stands in front of the action of a reply. Where that ends the task, the act would be lost.
use serde_json::{Map, Value};

use super::{json, python};

/// How many objects of a text are looked at: one that has no end is read to the end of the text.
const MAX_OBJECTS: usize = 16;

/// How the families and their relatives end a task.
const ENDS: [&str; 9] =
    ["abort", "answer", "complete", "completed", "done", "exit", "finish", "finished", "terminate"];

/// Whether a line of a text begins with an act, in whichever family's notation. `ends` tells what ends a task in this
/// family.
pub(crate) fn acts(text: &str, ends: impl Fn(&str) -> bool) -> bool {
    let is_act = |name: &str| !ends(name) && !ENDS.contains(&&*name.to_ascii_lowercase());
    let mut at = 0;
    let mut objects = MAX_OBJECTS;
    text.split_inclusive('\n').any(|line| {
        let rest = &text[at..];
        at += line.len();
        let written = unwrapped(line);
        if written.starts_with('{') && 0 < objects {
            objects -= 1;
            let object = line.find('{').and_then(|from| json::leading(&rest[from..]).ok());
            return object.is_some_and(|(map, _)| verb(&map).is_some_and(is_act));
        }
        called(written).is_some_and(is_act)
    })
}

/// A line without a label, backticks and a tag in front of it, as far as these are one line.
fn unwrapped(line: &str) -> &str {
    let line = line.trim().trim_matches('`');
    let line = line.strip_prefix("Action:").unwrap_or(line).trim_start();
    let tag = line.strip_prefix('<').and_then(|tag| tag.split_once('>'));
    let Some((_, inside)) = tag else { return line };
    inside.rsplit_once("</").map_or(inside, |(inside, _)| inside).trim()
}

/// The verb of an object, if it is that of an action or of a tool call.
fn verb(map: &Map<String, Value>) -> Option<&str> {
    let inner = map.get("arguments").and_then(Value::as_object);
    let within = inner.and_then(|it| it.get("action"));
    let plain = map.get("action").or_else(|| map.get("action_type"));
    let tool = inner.and(map.get("name"));
    within.or(plain).or(tool).and_then(Value::as_str)
}

/// The name of what a line calls in Python's notation.
fn called(line: &str) -> Option<&str> {
    let (name, rest) = python::head(line)?;
    // No blank stands before the bracket of a call, as it does in `Inbox (3)`.
    let is_call = line[name.len()..].starts_with(rest) && is_code(rest);
    (is_call && python::is_strict(line, &[])).then_some(name)
}

/// Whether what stands in brackets is code. A word or a count is none: `Settings(Android)`, `WiFi(2)`.
fn is_code(rest: &str) -> bool {
    let inside = rest.trim_matches(['(', ')']);
    let are_numbers = || {
        let mut pieces = inside.split(',').map(str::trim);
        pieces.clone().count() > 1 && pieces.all(|it| it.parse::<f64>().is_ok())
    };
    rest == "()" || inside.contains(['=', '\'', '"']) || are_numbers()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_found_in_any_notation_and_words_are_none() {
        let ends = |name: &str| name == "stop";
        for text in [
            "click(start_box='(1,2)')",
            "I tap it.\nAction: tap(10, 20)\n",
            "`do(action=\"Back\")`",
            "<answer>do(action=\"Back\")</answer>",
            "{\"action\": \"click\", \"coordinate\": [1, 2]}",
            "First:\n{\"action_type\": \"open_app\", \"app_name\": \"Notes\"}\n",
            "<tool_call>\n{\"name\": \"mobile_use\",\n \"arguments\": {\"action\": \"click\"}}\n</tool_call>",
            "<tool_call>{\"name\": \"tap\", \"arguments\": {}}</tool_call>",
            "{'action': 'click', 'coordinate': [1, 2]}",
        ] {
            assert!(acts(text, ends), "{text}");
        }
        for text in [
            "",
            "stop(message=\"done\")",
            "{\"action\": \"stop\"}",
            "Finished(content='done')",
            "{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"terminate\"}}",
            "{\"name\": \"Anna\"}",
            "{ is a brace",
            "The note says {\"action\": \"click\"} and no more.",
            "Inbox (3)",
            "Settings(Android)",
        ] {
            assert!(!acts(text, ends), "{text}");
        }
    }

    #[test]
    fn objects_without_an_end_are_read_only_so_often() {
        let text = "{\"a\":\n".repeat(100_000);
        assert!(!acts(&text, |_| false));
    }
}
