//! Tool calls in the Hermes format, which Qwen's models and their derivatives write: `<tool_call>`, a JSON
//! object with `name` and `arguments`, `</tool_call>`. Also the variants of servers and small models:
//! fences, missing or doubled tags, bare JSON, XML functions, and calls that the server has already
//! taken out of the text.
use ayeaye_agent::{ParseError, Reply};
use serde_json::{Map, Value};

use super::earlier_act::acts;
use super::values::fold_name;
use super::{begins_anew, is_web_page, json, reasoning, reject, without_tokens};

mod repair;
mod tag;
mod xml;

use tag::Tag;

/// The call in a reply.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolReply<'a> {
    /// Reasoning in tags.
    pub thought: String,
    /// The text between the reasoning and the call.
    pub head: &'a str,
    /// The tool's name as written; empty if there were only arguments.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// What the model says behind it of the step, in tags for that; empty where it does not.
    pub conclusion: String,
    /// Why this call must not end a task, although it can be parsed.
    pub doubt: Option<&'static str>,
}

/// Finds the call of a reply. Several calls are accepted if they are equal.
pub(crate) fn call(reply: &Reply) -> Result<ToolReply<'_>, ParseError> {
    let text = without_tokens(&reply.text);
    if text.is_empty() && reply.calls.is_empty() {
        return reject("it is empty");
    }
    if is_web_page(text) {
        return reject("it is a web page and no reply of a model; check the endpoint's address");
    }
    let cut = reasoning::cut(text, begins);
    let mut found = FoundCalls::default();
    for call in &reply.calls {
        let arguments = match json::leading(call.arguments.trim()) {
            Ok((map, end)) if call.arguments.trim().len() == end => map,
            Ok(_) => return reject("the arguments of its tool call are more than one object"),
            Err(why) => return reject(format!("the arguments of its tool call: {why}")),
        };
        found.add(&call.name, arguments)?;
    }
    let head = tagged(cut.body, &mut found)?;
    let head = match head {
        None if found.call.is_none() => bare(cut.body, &mut found)?,
        None => {
            let words = found.without_conclusion(cut.body);
            if words.contains('{') {
                found.doubt = Some("its words hold another JSON object beside its tool call");
            }
            words
        }
        Some(head) => {
            if !begins_anew(head) {
                found.doubt = Some("its tool call stands in the middle of a sentence");
            } else if acts(head, |_| false) {
                found.doubt = Some("another action stands in front of its tool call");
            }
            head
        }
    };
    let Some((name, arguments)) = found.call else {
        return reject(
            "it holds no tool call; end it with <tool_call>{\"name\": \"mobile_use\", \
             \"arguments\": {...}}</tool_call>",
        );
    };
    let (head, conclusion, doubt) = if cut.unclosed {
        ("", String::new(), Some("its reasoning has no end"))
    } else {
        (head.trim(), found.conclusion, found.doubt)
    };
    Ok(ToolReply { thought: without_calls(&cut), head, name, arguments, conclusion, doubt })
}

/// The reasoning; if it never ends, everything is part of it.
fn without_calls(cut: &reasoning::Cut<'_>) -> String {
    let end = if cut.unclosed { tag::next(&cut.thought, 0).map(|tag| tag.start) } else { None };
    cut.thought[..end.unwrap_or(cut.thought.len())].trim().to_owned()
}

/// The calls found so far.
#[derive(Default)]
struct FoundCalls {
    call: Option<(String, Map<String, Value>)>,
    conclusion: String,
    doubt: Option<&'static str>,
}

impl FoundCalls {
    fn add(&mut self, name: &str, arguments: Map<String, Value>) -> Result<(), ParseError> {
        let next = normal(name, arguments)?;
        match &self.call {
            Some(call) if *call != next => {
                reject("it holds more than one tool call; reply with one action")
            }
            _ => {
                self.call = Some(next);
                Ok(())
            }
        }
    }

    /// A text without the conclusion at its end, which is kept apart. GUI-Owl's own client asks for one
    /// behind every call, the one that ends the task too.
    fn without_conclusion<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.trim_end().strip_suffix("</conclusion>");
        let Some((before, inside)) = end.and_then(|it| it.rsplit_once("<conclusion>")) else {
            return text;
        };
        inside.trim().clone_into(&mut self.conclusion);
        before
    }
}

/// Whether a text begins like the part that follows reasoning.
fn begins(text: &str) -> bool {
    const WORDS: [&str; 7] = ["thought", "action", "思考", "动作", "操作", "### ", "```"];
    let lower = text.get(..7).map(str::to_ascii_lowercase);
    text.starts_with('{')
        || tag::leading(text).is_some_and(|tag| !tag.closes)
        || WORDS.iter().any(|word| {
            text.starts_with(word) || lower.as_ref().is_some_and(|lower| lower.starts_with(word))
        })
}

/// Parses the calls in tags, and returns the text before the first; `None` if there are none.
fn tagged<'a>(body: &'a str, found: &mut FoundCalls) -> Result<Option<&'a str>, ParseError> {
    let mut head = None;
    let mut at = 0;
    // Where the last call ends: nothing meaningful may follow.
    let mut end = 0;
    while let Some(tag) = tag::next(body, at) {
        if tag.closes {
            if head.is_none() && body[at..tag.start].contains('{') {
                // The opening tag was part of the prompt, or is missing.
                return Ok(None);
            }
            at = tag.end;
            continue;
        }
        at = tag.end;
        let inside = opened(&body[tag.end..]);
        let from = body.len() - inside.len();
        let (name, arguments, length) = if inside.starts_with('{') {
            let (map, length) = repair::leading(inside)?;
            (String::new(), map, length)
        } else if let Some((map, length)) = in_quotes(inside)? {
            (String::new(), map, length)
        } else if let Some(function) = xml::function(inside)? {
            (function.name, function.arguments, function.length)
        } else {
            continue;
        };
        head.get_or_insert(&body[..tag.start]);
        if body[end..tag.start].contains('{') && end != 0 {
            return reject("something stands between its tool calls; reply with one action");
        }
        found.add(&name, arguments)?;
        let (behind, closed) = closing(body, from + length);
        if !closed {
            found.doubt = Some("its tool call has no closing </tool_call>");
        }
        at = behind;
        end = behind;
    }
    if head.is_some() {
        rest(&body[end..], found)?;
    }
    Ok(head)
}

/// An object, and the bytes that it takes in a text.
type WrittenObject = (Map<String, Value>, usize);

/// The object in quotes at the start of a text, escaped or as it is, and its length with them. Sets that models are
/// trained with have calls so.
fn in_quotes(text: &str) -> Result<Option<WrittenObject>, ParseError> {
    let Some(bare) = text.strip_prefix('"').filter(|it| it.starts_with('{')) else {
        return Ok(None);
    };
    let mut reader = serde_json::Deserializer::from_str(text).into_iter::<String>();
    if let Some(Ok(inside)) = reader.next()
        && let Ok((map, length)) = json::leading(inside.trim())
        && length == inside.trim().len()
    {
        return Ok(Some((map, reader.byte_offset())));
    }
    let (map, length) = repair::leading(bare)?;
    if bare[length..].starts_with('"') {
        return Ok(Some((map, length + 2)));
    }
    reject("the quote before its object has no end")
}

/// Parses a call without tags: the first object in a text.
fn bare<'a>(body: &'a str, found: &mut FoundCalls) -> Result<&'a str, ParseError> {
    let Some(from) = body.find('{') else { return Ok(body) };
    let (map, length) = repair::leading(&body[from..])?;
    found.add("", map)?;
    let head = &body[..from];
    let fenced = head.trim_end().trim_end_matches("json").trim_end().ends_with("```");
    let (behind, closed) = closing(body, from + length);
    if fenced && !closed {
        found.doubt = Some("the code fence around it has no end");
    }
    let own_line = head.trim_end_matches([' ', '\t']);
    if !closed && !own_line.is_empty() && !own_line.ends_with('\n') {
        // In the middle of a sentence.
        found.doubt = Some("its JSON object stands in a sentence");
    }
    rest(&body[behind..], found)?;
    let head = head.trim_end();
    Ok(if fenced { head[..head.rfind("```").unwrap_or(head.len())].trim_end() } else { head })
}

/// Checks the text after the last call: a conclusion is kept, more tags and braces of the format are
/// ignored, other words cast doubt on an end of the task, and another object is another action.
fn rest(text: &str, found: &mut FoundCalls) -> Result<(), ParseError> {
    let text = found.without_conclusion(text);
    if text.contains('{') {
        return reject("it holds more than one JSON object; reply with one action");
    }
    let mut at = 0;
    let mut has_text = false;
    while let Some(Tag { start, end, .. }) = tag::next(text, at) {
        has_text |= !is_nothing(&text[at..start]);
        at = end;
    }
    if has_text || !is_nothing(&text[at..]) {
        found.doubt = Some("text follows its tool call and may contradict it");
    }
    Ok(())
}

fn is_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || "`}]".contains(c))
}

/// The text after an opening tag, without a second such tag, a fence or a list around the object.
fn opened(text: &str) -> &str {
    let mut text = text.trim_start();
    if let Some(tag) = tag::leading(text)
        && !tag.closes
    {
        text = text[tag.end..].trim_start();
    }
    text = text.strip_prefix("```").map_or(text, |rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim_start()
    });
    match text.strip_prefix('[') {
        Some(inside) if inside.trim_start().starts_with('{') => inside.trim_start(),
        _ => text,
    }
}

/// Where a call ends that was parsed up to `from`, and whether its end is marked: by the closing tag, by
/// an opening one in its place, or by the end of a fence.
fn closing(body: &str, from: usize) -> (usize, bool) {
    let mut text = body[from..].trim_start_matches(|c: char| c.is_whitespace() || "}]".contains(c));
    let mut closed = false;
    if let Some(behind) = text.strip_prefix("```") {
        closed = true;
        text = behind.trim_start();
    }
    match tag::leading(text) {
        // An opening tag that opens nothing closes the call.
        Some(tag) if tag.closes || opened(&text[tag.end..]).is_empty() => {
            (body.len() - text.len() + tag.end, true)
        }
        _ => (body.len() - text.len(), closed),
    }
}

/// The tool's name and arguments, whichever shape the call has.
fn normal(
    name: &str,
    mut map: Map<String, Value>,
) -> Result<(String, Map<String, Value>), ParseError> {
    let mut name = name.trim().to_owned();
    if let Some(Value::Object(function)) = map.get("function") {
        map = function.clone();
    }
    let inner = ["arguments", "parameters", "args"].iter().find_map(|key| map.get(*key).cloned());
    if let Some(inner) = inner {
        if let Some(inner_name) = map.get("name") {
            let Some(inner_name) = inner_name.as_str() else {
                return reject("its tool's name is no text");
            };
            if !name.is_empty() && fold_name(&name) != fold_name(inner_name) {
                return reject("it names two tools; reply with one action");
            }
            inner_name.trim().clone_into(&mut name);
        }
        map = match inner {
            Value::Object(arguments) => arguments,
            // JSON within a JSON string.
            Value::String(text) => match json::leading(text.trim()) {
                Ok((arguments, end)) if end == text.trim().len() => arguments,
                _ => return reject("the arguments of its tool call are no JSON object"),
            },
            _ => return reject("the arguments of its tool call are no JSON object"),
        };
    }
    let bare = name.rsplit(['.', '/']).next().unwrap_or_default();
    Ok((bare.to_owned(), map))
}

#[cfg(test)]
mod tests;
