//! Reading an action out of a call of the tool, or out of `Thought: ... Action: {...}`.
use ayeaye_agent::{Decision, ParseError, Reply, ToolCall};
use serde_json::{Map, Value};

use super::{Generic, tool};
use crate::profile::parse::args::{Args, flattened, names_place, renamed};
use crate::profile::parse::values::fold_name;
use crate::profile::parse::{
    ParsedCall, ParsedReply, excerpt, json, labelled, point, reject, without_tokens,
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
    let mut parsed = parse(map, Some(&call.name), ParsedReply::default(), coords, family)?;
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
    let parsed = parse(map, None, parsed, coords, family)?;
    Ok(labelled::explained(family.verbs().decide(parsed, coords)?))
}

/// An object, by itself or as what a tool of this name is called with.
fn parse(
    mut map: Map<String, Value>,
    tool: Option<&str>,
    mut parsed: ParsedReply,
    coords: &CoordContext,
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
    let map = renamed(flattened(flattened(map, &NESTS)?, &NESTS)?, family.aliases)?;
    if family.verbs.named_points {
        for (_, place) in map.iter().filter(|(name, _)| names_place(name)) {
            refuse_unnamed(place, coords)?;
        }
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
    parsed.call = ParsedCall { name, args: map, ..ParsedCall::default() };
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

/// Refuses a place whose numbers have no names: such a model may have put the height first.
fn refuse_unnamed(place: &Value, coords: &CoordContext) -> Result<(), ParseError> {
    match unnamed(place) {
        4 => reject(
            "a box of four numbers does not say which of them are from the left; name one place by \
             `x` and `y`",
        ),
        // Where the settings say that the height comes first, it does.
        2 if !coords.system.y_first => reject(
            "two numbers do not say which of them is from the left; name a place by `x` and `y`",
        ),
        _ => Ok(()),
    }
}

/// How many numbers without names a value consists of; 0 where it is anything else.
fn unnamed(value: &Value) -> usize {
    let is_number = |it: &Value| match it {
        Value::String(text) => text.trim().parse::<f64>().is_ok(),
        other => other.is_number(),
    };
    match value {
        Value::Array(list) if list.len() == 1 => unnamed(&list[0]),
        Value::Array(list) if list.iter().all(is_number) => list.len(),
        Value::String(text) if point::named_y_first(text).is_none() => {
            point::numbers(text).map_or(0, |numbers| numbers.len())
        }
        _ => 0,
    }
}
