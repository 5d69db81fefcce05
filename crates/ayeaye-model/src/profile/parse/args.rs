//! The arguments of a call, whatever its grammar.
use std::collections::BTreeMap;

use ayeaye_agent::{ParseError, Point};
use serde_json::{Map, Value, json};

use super::values::fold_name;
use super::{ParsedCall, excerpt, json::object, point, reject};
use crate::profile::CoordContext;

/// How many options of a question are read.
const MAX_TEXTS: usize = 20;

/// Lifts the fields of objects nested under these names to the top; an object may also be given as a
/// text. A field that would get two different values is rejected.
pub(crate) fn flattened(
    map: Map<String, Value>,
    names: &[&str],
) -> Result<Map<String, Value>, ParseError> {
    let mut flat = Map::new();
    let mut put = |name: String, value: Value| {
        if flat.get(&name).is_some_and(|before| *before != value) {
            return reject(format!("it says {} twice, and not the same", excerpt(&name)));
        }
        flat.insert(name, value);
        Ok(())
    };
    for (name, value) in map {
        let inner = match &value {
            _ if !names.contains(&fold_name(&name).as_str()) => None,
            Value::Object(inner) => Some(inner.clone()),
            Value::String(text) if text.trim_start().starts_with('{') => Some(object(text)?),
            _ => None,
        };
        match inner {
            Some(inner) => inner.into_iter().try_for_each(|(name, value)| put(name, value))?,
            None => put(name, value)?,
        }
    }
    Ok(flat)
}

/// The fields of a call, those of other names by ours. A field that would get two different values is rejected.
pub(crate) fn renamed(
    mut map: Map<String, Value>,
    aliases: &[(&str, &str)],
) -> Result<Map<String, Value>, ParseError> {
    for (theirs, ours) in aliases {
        if let Some(value) = map.shift_remove(*theirs)
            && map.insert((*ours).to_owned(), value.clone()).is_some_and(|before| before != value)
        {
            return reject(format!("it says {} twice, and not the same", excerpt(ours)));
        }
    }
    Ok(map)
}

/// Whether an argument of this name is for a place, in any format there is.
pub(crate) fn names_place(name: &str) -> bool {
    const PARTS: [&str; 8] =
        ["box", "point", "coord", "position", "location", "bounds", "region", "element"];
    const NAMES: [&str; 16] = [
        "start", "begin", "end", "from", "to", "at", "x", "y", "x1", "y1", "index", "target",
        "center", "area", "pos", "mark",
    ];
    let name = fold_name(name);
    PARTS.iter().any(|part| name.contains(part)) || NAMES.contains(&name.as_str())
}

/// A call from an object that holds the verb under one of `names` beside its arguments.
pub(crate) fn call(map: Map<String, Value>, names: &[&str]) -> Result<ParsedCall, ParseError> {
    match Args::in_map(&map)?.text(names, false)? {
        Some(name) => {
            Ok(ParsedCall { name: name.trim().to_owned(), args: map, ..ParsedCall::default() })
        }
        None => reject(format!("it names no action; say which one in the field `{}`", names[0])),
    }
}

/// Arguments by name, compared as [`fold_name`] does.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    named: BTreeMap<String, &'a Value>,
    positional: &'a [String],
}

impl<'a> Args<'a> {
    /// The arguments that are not null. One name with two different values is rejected.
    pub(crate) fn of(call: &'a ParsedCall) -> Result<Self, ParseError> {
        Ok(Self { positional: &call.positional, ..Self::in_map(&call.args)? })
    }

    /// The arguments of an object that are not null.
    pub(crate) fn in_map(map: &'a Map<String, Value>) -> Result<Self, ParseError> {
        let mut named = BTreeMap::new();
        for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
            if named.insert(fold_name(name), value).is_some_and(|before| before != value) {
                return reject(format!("it says {} twice, and not the same", excerpt(name)));
            }
        }
        Ok(Self { named, positional: &[] })
    }

    /// Whether an argument with one of these names exists.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.named.contains_key(&fold_name(name)))
    }

    /// Whether an argument with one of these names exists and is not blank.
    pub(crate) fn is_given(&self, names: &[&str]) -> bool {
        names.iter().filter_map(|name| self.named.get(&fold_name(name))).any(|value| match value {
            Value::String(text) => !is_blank(text),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        })
    }

    /// The value under these names; several that differ are rejected.
    pub(crate) fn value(&self, names: &[&str]) -> Result<Option<&'a Value>, ParseError> {
        let mut found = None;
        for name in names {
            match (found, self.named.get(&fold_name(name)).copied()) {
                (None, next) => found = next,
                (Some(one), Some(other)) if one != other => {
                    return reject(format!("it says two different things for `{}`", names[0]));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// A text, or a number as written. With `positional`, a single argument without a name counts.
    pub(crate) fn text(
        &self,
        names: &[&str],
        positional: bool,
    ) -> Result<Option<String>, ParseError> {
        match self.value(names)? {
            None => Ok(match self.positional {
                [only] if positional => Some(only.clone()),
                _ => None,
            }),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(number @ Value::Number(_)) => Ok(Some(number.to_string())),
            Some(other) => wrong_type(names, "a text", other),
        }
    }

    /// A text, or true or false as a text.
    pub(crate) fn text_or_flag(&self, names: &[&str]) -> Result<Option<String>, ParseError> {
        match self.value(names)? {
            Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
            _ => self.text(names, false),
        }
    }

    /// A list of texts; empty if missing.
    pub(crate) fn texts(&self, names: &[&str]) -> Result<Vec<String>, ParseError> {
        match self.value(names)? {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => {
                let texts = list.iter().take(MAX_TEXTS).map(|it| it.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map_or_else(|| wrong_list(names), Ok)
            }
            Some(_) => wrong_list(names),
        }
    }

    /// A yes or no; no if missing.
    pub(crate) fn flag(&self, names: &[&str]) -> Result<bool, ParseError> {
        match self.value(names)? {
            None => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Ok(true),
                "" | "false" | "0" => Ok(false),
                _ => wrong_type(names, "true or false", &Value::from(text.as_str())),
            },
            Some(other) => wrong_type(names, "true or false", other),
        }
    }

    /// A point, if there is one; a blank text is none. With `positional`, its numbers may be the arguments
    /// without names.
    pub(crate) fn point(
        &self,
        names: &[&str],
        positional: bool,
        coords: &CoordContext,
    ) -> Result<Option<Point>, ParseError> {
        match self.value(names)? {
            Some(Value::String(text)) if is_blank(text) => Ok(None),
            Some(Value::Array(list)) if list.is_empty() => Ok(None),
            Some(value) => point::point_in(value, coords).map(Some),
            None if positional && (1..=4).contains(&self.positional.len()) => {
                point::point(&self.positional.join(","), coords).map(Some)
            }
            None => Ok(None),
        }
    }

    /// A point whose two numbers are arguments of their own.
    pub(crate) fn pair(
        &self,
        x: &[&str],
        y: &[&str],
        coords: &CoordContext,
    ) -> Result<Option<Point>, ParseError> {
        match (self.value(x)?, self.value(y)?) {
            (Some(x), Some(y)) => point::point_in(&json!({ "x": x, "y": y }), coords).map(Some),
            (None, None) => Ok(None),
            _ => reject(format!("a place needs both numbers, `{}` and `{}`", x[0], y[0])),
        }
    }
}

/// Whether a text says nothing, or is a place without numbers such as `()`.
fn is_blank(text: &str) -> bool {
    matches!(text.trim(), "" | "()" | "[]" | "[[]]" | "（）")
}

fn wrong_type<T>(names: &[&str], wanted: &str, value: &Value) -> Result<T, ParseError> {
    reject(format!("`{}` must be {wanted}, not {}", names[0], excerpt(&value.to_string())))
}

fn wrong_list<T>(names: &[&str]) -> Result<T, ParseError> {
    reject(format!("`{}` must be a list of texts", names[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value, names: &[&str]) -> Result<Option<String>, ParseError> {
        Args::in_map(value.as_object().unwrap())?.text(names, false)
    }

    #[test]
    fn names_are_compared_by_their_letters_and_must_agree() {
        let said = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(read(&json!({"App_Name": "a"}), &["app", "app_name"]), said("a"));
        assert_eq!(read(&json!({"text": 5}), &["text"]), said("5"));
        assert_eq!(read(&json!({"text": null}), &["text"]), Ok(None));
        assert_eq!(read(&json!({"text": "a", "value": "a"}), &["text", "value"]), said("a"));
        for odd in [
            json!({"text": "a", "value": "b"}),
            json!({"Text": "a", "text": "b"}),
            json!({"text": ["a"]}),
        ] {
            assert!(read(&odd, &["text", "value"]).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_is_nested_comes_to_stand_beside() {
        let flat = |value: Value| {
            let Value::Object(map) = value else { unreachable!("written as one") };
            flattened(map, &["args", "action"]).map(Value::Object)
        };
        let beside = json!({"action": "click", "x": 1});
        assert_eq!(flat(json!({"action": "click", "Args": {"x": 1}})).unwrap(), beside);
        assert_eq!(flat(json!({"action": {"action": "click", "x": 1}})).unwrap(), beside);
        assert_eq!(flat(json!({"args": "{\"action\":\"click\",\"x\":1}"})).unwrap(), beside);
        assert!(flat(json!({"action": "click", "args": {"action": "tap"}})).is_err());
    }
}
