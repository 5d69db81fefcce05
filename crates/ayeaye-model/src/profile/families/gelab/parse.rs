//! Parses GELab's replies: fields separated by tabs, or JSON.
//!
//! The format is that of GELab-Zero's `parser_0920_summary` and its relatives. Above all, only an action
//! field can end a task.
use ayeaye_agent::{Decision, ParseError};
use serde_json::{Map, Value, json};

use super::VERBS;
use crate::profile::CoordContext;
use crate::profile::coords::CoordSystem;
use crate::profile::parse::args::{self, Args, flattened};
use crate::profile::parse::reasoning::{self, Cut};
use crate::profile::parse::values::unquoted;
use crate::profile::parse::{
    ParsedCall, ParsedReply, content, excerpt, json as parse_json, point, reject, without_tokens,
};
pub(super) use fields::part_field_names;
use fields::{Fields, Key};

mod fields;
#[cfg(test)]
mod tests;

/// Parses a whole reply.
pub(super) fn read(text: &str, coords: &CoordContext) -> Result<Decision, ParseError> {
    let Cut { thought, body, unclosed } = behind_reasoning(text)?;
    let body = unwrapped(body);
    if body.is_empty() {
        return reject("it holds reasoning and no action");
    }
    let (mut parsed, coords) = match object(&body)? {
        Some(map) => from_json(map, coords)?,
        None => (from_fields(fields::split(&body)?, coords)?, *coords),
    };
    parsed.thought = [thought.as_str(), parsed.thought.as_str()].join("\n").trim().to_owned();
    parsed.doubt_if(unclosed, "its reasoning has no end (`</THINK>`)");
    VERBS.decide(parsed, &coords)
}

/// Whether the last of a reply's fields may be half of one: only a field behind the action and what belongs to it shows
/// that these are whole. The object of a reply in JSON has its own end.
pub(super) fn may_be_cut(text: &str) -> bool {
    behind_reasoning(text).is_ok_and(|cut| {
        let body = unwrapped(cut.body);
        matches!(object(&body), Ok(None)) && !fields::shows_end(&body)
    })
}

/// A reply behind its reasoning. Where that has no end, the rest is still parsed, but must not end the task.
fn behind_reasoning(text: &str) -> Result<Cut<'_>, ParseError> {
    let cut = reasoning::cut(content(text)?, fields::begins);
    if !cut.unclosed {
        return Ok(cut);
    }
    let (thought, body) = cut.body.split_at(fields::first(cut.body).unwrap_or(cut.body.len()));
    Ok(Cut { thought: thought.trim().to_owned(), body, unclosed: true })
}

/// The body without the wrappers of servers and models: code fences, box and end tokens, and the older
/// `<STATUS> <ACTION> <PAYLOAD>` sections, which become fields like the others.
fn unwrapped(body: &str) -> String {
    let mut body = without_tokens(body);
    body = body.strip_prefix("<answer>").unwrap_or(body);
    body = without_tokens(body.strip_suffix("</answer>").unwrap_or(body));
    if let Some(fence) = body.find("```")
        // Text before a fence is chat, unless the fence is part of a value.
        && (fence == 0 || fields::first(&body[..fence]).is_none())
    {
        let inside = &body[fence + 3..];
        let inside = inside.split_once('\n').map_or(inside, |(language, rest)| {
            if language.trim().chars().all(char::is_alphanumeric) { rest } else { inside }
        });
        body = inside.rfind("```").map_or(inside, |end| &inside[..end]).trim();
    }
    sections(body).unwrap_or_else(|| body.to_owned())
}

fn sections(body: &str) -> Option<String> {
    // Tags are ASCII, so lower case keeps all offsets.
    let lower = body.to_ascii_lowercase();
    if !lower.starts_with("<status>") && !lower.starts_with("<action>") {
        return None;
    }
    let action = lower.find("<action>")?;
    let from = action + "<action>".len();
    let (to, tail) = match lower[from..].rfind("<payload>") {
        Some(at) => (from + at, &body[from + at + "<payload>".len()..]),
        None => (body.len(), ""),
    };
    let middle = strip_end(&body[from..to], "</action>");
    let tail = strip_end(tail, "</payload>").trim();
    // Without a key of its own, it would become part of the value before it.
    let tail = if fields::begins(tail) { tail } else { "" };
    Some(format!("{}\t{tail}", middle.trim()))
}

fn strip_end<'a>(text: &'a str, tag: &str) -> &'a str {
    let text = text.trim_end();
    match text.len().checked_sub(tag.len()).and_then(|at| text.split_at_checked(at)) {
        Some((head, end)) if end.eq_ignore_ascii_case(tag) => head,
        _ => text,
    }
}

/// The object of a reply in JSON; `None` if the reply consists of fields.
fn object(body: &str) -> Result<Option<Map<String, Value>>, ParseError> {
    let starts =
        body.starts_with('{') || body.starts_with('[') && body[1..].trim_start().starts_with('{');
    if starts {
        let map = parse_json::object(body.trim_start_matches('['))?;
        return Ok(Some(map));
    }
    match body.find('{') {
        Some(at) if !fields::split(body)?.has(Key::Action) => {
            let map = parse_json::object(&body[at..]).ok();
            Ok(map.filter(|map| map.keys().any(|key| fields::is_action(key))))
        }
        _ => Ok(None),
    }
}

/// A reply in JSON, flat or with nested arguments. The hosted Step models write
/// `{"action_type": "Click", "args": {"normalized_point": [0.5, 0.2]}}`.
fn from_json(
    map: Map<String, Value>,
    coords: &CoordContext,
) -> Result<(ParsedReply, CoordContext), ParseError> {
    let nests = ["action", "args", "arguments", "parameters", "params", "payload"];
    let mut map = flattened(map, &nests)?;
    let mut coords = *coords;
    for (name, plain) in [("normalized_point", "point"), ("normalized_path", "path")] {
        if let Some(value) = map.shift_remove(name) {
            // Beside a point in fractions, another one is in pixels of an unknown screen.
            map.retain(|name, _| !["point", "coordinate", "path"].contains(&name.as_str()));
            map.insert(plain.to_owned(), value);
            if coords.system == super::SPEC.coords {
                coords.system = CoordSystem::FRACTIONS;
            }
        }
    }
    if let Some(path) = map.shift_remove("path") {
        map.insert("point".to_owned(), path);
    }
    let args = Args::in_map(&map)?;
    let text = |name: &str| args.value(&[name]).map(|value| value.map(plain).unwrap_or_default());
    let seen = [text("verify")?, text("note")?, text("key_process")?];
    let mut parsed = ParsedReply {
        thought: [text("cot")?, text("think")?, text("thought")?].concat(),
        explain: text("explain")? + &text("explanation")?,
        summary: text("summary")?,
        observation: observation(&seen),
        ..ParsedReply::default()
    };
    parsed.call = args::call(map, &["action", "action_type"])?;
    arrange(&mut parsed.call);
    Ok((parsed, coords))
}

/// A value as text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn observation(seen: &[String]) -> String {
    let all = seen.iter().filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("none"));
    all.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// A reply that consists of fields.
fn from_fields(mut fields: Fields, coords: &CoordContext) -> Result<ParsedReply, ParseError> {
    let (name, beside) = verb(&fields)?;
    with_inline(&mut fields, &name, &beside, coords)?;
    said_once(&fields, &name)?;
    // A text that breaks off after the verb may have been going to continue.
    let closed = [Key::Return, Key::Value, Key::Summary].into_iter().any(|key| fields.has(key));
    if VERBS.completes(&name) && !closed {
        return reject("its action needs the field return, with the report to the user");
    }
    let text = |key| fields.last(key).unwrap_or_default().to_owned();
    // If the action is quoted, texts are, too.
    let in_quotes = fields.every(Key::Action).any(|value| value.starts_with(['"', '“', '\'']));
    let mut call = ParsedCall { name, ..ParsedCall::default() };
    for (key, name) in fields::ARGUMENTS {
        if let Some(value) = fields.last(*key).filter(|value| !value.is_empty()) {
            let value = if in_quotes { unquoted(value) } else { value.to_owned() };
            call.args.insert((*name).to_owned(), Value::from(value));
        }
    }
    if VERBS.same_verb(&call.name, "HOTKEY")
        && let Some(key) = fields.last(Key::Pressed).filter(|key| !key.is_empty())
    {
        call.args.insert("key".to_owned(), Value::from(unquoted(key)));
    }
    arrange(&mut call);
    Ok(ParsedReply {
        call,
        thought: text(Key::Thought),
        explain: text(Key::Explain),
        summary: text(Key::Summary),
        observation: observation(&[Key::Verify, Key::Note, Key::Milestone].map(text)),
        doubt: None,
    })
}

/// The single action a reply names, and the rest of its field.
fn verb(fields: &Fields) -> Result<(String, String), ParseError> {
    let mut found: Option<(String, String)> = None;
    let mut times = 0;
    for value in fields.every(Key::Action) {
        let bare =
            value.trim_matches(|c: char| c.is_whitespace() || "\"'`“”‘’*.。,，;；<>".contains(c));
        let (first, rest) = fields::head(bare);
        let next = if VERBS.knows(bare) { (bare, "") } else { (first, rest) };
        if found.as_ref().is_some_and(|found| !VERBS.same_verb(&found.0, next.0)) {
            return Err(fields::contradiction());
        }
        found = Some((next.0.to_owned(), next.1.to_owned()));
        times += 1;
    }
    let Some(found) = found else {
        return reject(
            "it names no action; end it with the fields explain, action and summary, separated by \
             tabs",
        );
    };
    let differ = |key| fields.differ(key);
    if 1 < times && [Key::Point, Key::Point1, Key::Point2, Key::Value].into_iter().any(differ) {
        return Err(fields::contradiction());
    }
    // A tab in the text may have made two of it.
    if VERBS.same_verb(&found.0, "TYPE") && differ(Key::Value) {
        return reject(
            "it has two texts to type; type a text with a tab or `value:` in it in parts",
        );
    }
    Ok(found)
}

/// Refuses two different values of a field that says where, what is asked or what was done: a tab in
/// words that the model repeats makes a field of what stands behind it. Of two apps the last is opened, as
/// its own client does: no place is touched and nothing is reported by it.
fn said_once(fields: &Fields, name: &str) -> Result<(), ParseError> {
    let places = [(Key::Point, "point"), (Key::Point1, "point1"), (Key::Point2, "point2")];
    let texts = [(Key::Value, "value"), (Key::Return, "return"), (Key::Pressed, "key")];
    let app = VERBS.same_verb(name, "AWAKE");
    let mut all = places.into_iter().chain(texts.into_iter().filter(|_| !app));
    match all.find(|(key, _)| fields.differ(*key)) {
        Some((_, twice)) => reject(format!("its field {twice} stands there twice; say it once")),
        None => Ok(()),
    }
}

/// Takes the fields within the action's own field, as in `action:CLICK point:500,300`. Anything else
/// there is ambiguous.
fn with_inline(
    fields: &mut Fields,
    name: &str,
    beside: &str,
    coords: &CoordContext,
) -> Result<(), ParseError> {
    let beside = beside.trim();
    if beside.is_empty() || !VERBS.knows(name) {
        return Ok(());
    }
    let found = fields::inline(beside);
    if !found.is_empty() {
        fields.0.extend(found);
        return Ok(());
    }
    // Words in brackets would be another family's format, with other coordinates.
    if VERBS.points(name)
        && !beside.contains(char::is_alphabetic)
        && !fields.has(Key::Point)
        && point::point(beside, coords).is_ok()
    {
        fields.0.push((Key::Point, beside.to_owned()));
        return Ok(());
    }
    reject(format!("the field action holds more than the name of an action: {}", excerpt(beside)))
}

/// Moves arguments to the names in the table. Of two fields that may hold the text, the usual one counts.
fn arrange(call: &mut ParsedCall) {
    let has = |call: &ParsedCall, name: &str| call.args.get(name).is_some_and(|it| !it.is_null());
    if VERBS.points(&call.name) {
        if !has(call, "point")
            && !has(call, "point2")
            && let Some(point) = call.args.shift_remove("point1")
        {
            call.args.insert("point".to_owned(), point);
        }
    } else if !has(call, "point1")
        && !has(call, "point2")
        && let Some((from, to)) = call.args.get("point").and_then(ends)
    {
        call.args.shift_remove("point");
        call.args.insert("point1".to_owned(), from);
        call.args.insert("point2".to_owned(), to);
    }
    let (usual, other) =
        if VERBS.completes(&call.name) { ("return", "value") } else { ("value", "return") };
    if has(call, usual) {
        call.args.shift_remove(other);
    }
    if VERBS.same_verb(&call.name, "LONGPRESS") && has(call, "duration") {
        call.args.shift_remove("value");
    }
    if !VERBS.same_verb(&call.name, "NOTE") {
        return;
    }
    if let (false, Some(note)) = (has(call, "value"), call.args.shift_remove("note")) {
        call.args.insert("value".to_owned(), note);
    }
}

/// Two points in one value.
fn ends(both: &Value) -> Option<(Value, Value)> {
    match both {
        Value::Array(list) => match &list[..] {
            [from @ Value::Array(_), .., to @ Value::Array(_)] => Some((from.clone(), to.clone())),
            [x1, y1, x2, y2] => Some((json!([x1, y1]), json!([x2, y2]))),
            _ => None,
        },
        Value::String(text) => match point::numbers(text).ok()?[..] {
            [x1, y1, x2, y2] => Some((json!([x1, y1]), json!([x2, y2]))),
            _ => None,
        },
        _ => None,
    }
}
