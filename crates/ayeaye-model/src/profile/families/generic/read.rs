//! Reading an action out of a call of the tool, or out of `Thought: ... Action: {...}`.
use ayeaye_agent::{Decision, ParseError, Reply, ToolCall};
use serde_json::{Map, Value};

use super::{Generic, tool};
use crate::profile::parse::args::{Args, flattened};
use crate::profile::parse::values::fold_name;
use crate::profile::parse::{
    Call, ParsedReply, excerpt, json, labelled, point, reject, without_tokens,
};
use crate::profile::{CoordContext, Family as _};

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
    family: &Generic,
) -> Result<Decision, ParseError> {
    let text = without_tokens(&reply.text);
    let Some((call, more)) = reply.calls.split_first() else {
        return in_text(text, coords, family);
    };
    let same = |it: &ToolCall| it.name == call.name && it.arguments == call.arguments;
    if !more.iter().all(same) {
        return reject("it calls for more than one action; call the tool once");
    }
    let written = call.arguments.trim();
    let map = if written.is_empty() { Map::new() } else { json::object(written)? };
    let mut parsed = parse(map, Some(&call.name), ParsedReply::default(), family)?;
    parsed.doubt_if(written.is_empty(), "its call has no arguments, and may not be whole");
    let mut decision = family.verbs().decide(parsed, coords)?;
    // Words beside a call are its reasons, unless they are another action.
    if let Ok(other) = in_text(text, coords, family)
        && other.action != decision.action
    {
        return reject("its words and its call are two different actions; give one");
    }
    if decision.thought.is_empty() {
        decision.thought = labelled::reasons("", text);
    }
    Ok(labelled::explained(decision))
}

/// What a reply without a call says to do.
fn in_text(text: &str, coords: &CoordContext, family: &Generic) -> Result<Decision, ParseError> {
    let (map, parsed) = labelled::parse(text)?;
    let parsed = parse(map, None, parsed, family)?;
    Ok(labelled::explained(family.verbs().decide(parsed, coords)?))
}

/// An object, by itself or as what a tool of this name is called with.
fn parse(
    mut map: Map<String, Value>,
    tool: Option<&str>,
    mut parsed: ParsedReply,
    family: &Generic,
) -> Result<ParsedReply, ParseError> {
    // A call of the tool that came as text.
    let nested = map.keys().any(|name| NESTS[1..].contains(&fold_name(name).as_str()));
    let called = match tool {
        None if nested => ["name", "tool", "tool_name", "function"]
            .iter()
            .find_map(|name| map.shift_remove(*name)?.as_str().map(str::to_owned)),
        other => other.map(str::to_owned),
    };
    let map = flattened(flattened(map, &NESTS)?, &NESTS)?;
    if family.named && map.values().any(is_box) {
        return reject(
            "a box of four numbers does not say which of them are from the left; name one place by \
             `x` and `y`",
        );
    }
    let args = Args::in_map(&map)?;
    let verb = match args.text(&["action", "action_type", "action_name"], false)? {
        None => args.text(&["type"], false)?,
        verb => verb,
    };
    let text = |names: &[&str]| args.text(names, false).map(Option::unwrap_or_default);
    let thought = text(&["thought", "thinking", "reasoning", "reason_for_action"])?;
    if !thought.is_empty() {
        parsed.thought = thought;
    }
    parsed.explain = text(&["explain", "explanation", "description", "conclusion"])?;
    parsed.summary = text(&["summary", "progress"])?;
    parsed.observation = text(&["observation"])?;
    let name = verb_named(verb, called, family)?;
    parsed.call = Call { name, args: map, positional: Vec::new() };
    Ok(parsed)
}

/// The verb that the field `action` names, or the tool.
fn verb_named(
    verb: Option<String>,
    called: Option<String>,
    family: &Generic,
) -> Result<String, ParseError> {
    match (verb, called) {
        (Some(verb), Some(called)) if !tool::is_it(&called) => {
            let verbs = family.verbs();
            if !verbs.knows(&called) {
                return reject(format!(
                    "there is no tool {}; call {}",
                    excerpt(&called),
                    tool::NAME
                ));
            }
            if !verbs.same_verb(&called, &verb) {
                return reject("it names two different actions; name one");
            }
            Ok(verb)
        }
        (Some(verb), _) => Ok(verb),
        (None, Some(called)) if !tool::is_it(&called) => Ok(called),
        (None, _) => reject("it names no action; say which one in the field `action`"),
    }
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
