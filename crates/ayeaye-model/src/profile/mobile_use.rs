//! `mobile_use`, the tool by which Qwen's vision models and those made from them use a phone: its
//! actions and their arguments, as several families write them.
//!
//! What differs between the families is in a [`Dialect`]; how a call is written down is for
//! [`hermes`].
use ayeaye_agent::{Action, Decision, ParseError, Reply};
use serde_json::{Map, Value};

use super::CoordContext;
use super::parse::values::fold_name;
use super::parse::{excerpt, hermes, reject};

mod act;
mod head;
pub(super) mod history;
pub(super) mod quoted;
pub(super) mod rules;
pub(super) mod say;

/// What the families' tools do not have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// The actions its prompt offers, in this order.
    pub actions: &'static [&'static str],
    /// Whether `swipe` has a direction, which is the finger's, instead of two places.
    pub swipes_by_direction: bool,
    /// The word for a task that could not be done.
    pub failure: &'static str,
    /// Whether the names of buttons are in lower case.
    pub lower_buttons: bool,
}

/// The name of the tool.
pub(super) const NAME: &str = "mobile_use";

/// What a reply decides that ends with a call of the tool.
pub(super) fn decide(
    reply: &Reply,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Result<Decision, ParseError> {
    let call = hermes::call(reply)?;
    let arguments = arguments(&call.name, call.arguments)?;
    let head = head::read(call.head);
    let thought = if call.thought.is_empty() { head.thought } else { call.thought };
    decision(&arguments, thought, head.action, call.doubt, coords, dialect)
}

/// A decision of these arguments. `doubt` is why an end of the task is not taken from them.
pub(super) fn decision(
    arguments: &Map<String, Value>,
    thought: String,
    explain: String,
    doubt: Option<&str>,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Result<Decision, ParseError> {
    let action = act::action(arguments, &explain, coords, dialect)?;
    if let (Action::Complete { .. } | Action::Abort { .. }, Some(doubt)) = (&action, doubt) {
        return reject(format!("{doubt}, so that the end of the task is in doubt"));
    }
    Ok(Decision { action, thought, explain, summary: String::new(), observation: String::new() })
}

/// The arguments of a call. Some models call the action as if it were the tool.
pub(super) fn arguments(
    name: &str,
    mut map: Map<String, Value>,
) -> Result<Map<String, Value>, ParseError> {
    let name_folded = fold_name(name);
    if name.is_empty() || name_folded == "mobileuse" {
        return Ok(map);
    }
    match map.get("action") {
        None => {
            map.insert("action".to_owned(), Value::from(name));
            Ok(map)
        }
        Some(Value::String(action)) if fold_name(action) == name_folded => Ok(map),
        Some(_) => reject(format!("{} is not a tool; call {NAME}", excerpt(name))),
    }
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
