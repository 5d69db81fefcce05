//! The arguments of an action that came as a JSON object.
use std::collections::BTreeMap;

use ayeaye_agent::{ParseError, Point};
use serde_json::{Map, Value, json};

use super::super::CoordContext;
use super::json::object;
use super::values::fold_name;
use super::{excerpt, point, reject};

/// An object in which those under these names, whether objects or texts of objects, stand beside the
/// others. A name that would say two things is refused.
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

/// Names and values, by names without case, dashes and underscores.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    all: BTreeMap<String, &'a Value>,
    /// What they are arguments of, for refusals.
    of: String,
}

impl<'a> Args<'a> {
    /// The values of an object that are not null. One name that says two things is refused.
    pub(crate) fn of(map: &'a Map<String, Value>) -> Result<Self, ParseError> {
        let mut all = Self { all: BTreeMap::new(), of: "the action".to_owned() };
        all.take(map)?;
        Ok(all)
    }

    /// Says what they are arguments of.
    pub(crate) fn named(&mut self, action: &str) {
        action.clone_into(&mut self.of);
    }

    fn take(&mut self, map: &'a Map<String, Value>) -> Result<(), ParseError> {
        for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
            if self.all.insert(fold_name(name), value).is_some_and(|before| before != value) {
                return reject(format!("it says {} twice, and not the same", excerpt(name)));
            }
        }
        Ok(())
    }

    /// Whether one of these names is there.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.all.contains_key(*name))
    }

    /// The one value under these names; several that differ are refused.
    pub(crate) fn value(&self, names: &[&str]) -> Result<Option<&'a Value>, ParseError> {
        let mut found = None;
        for name in names {
            match (found, self.all.get(*name).copied()) {
                (None, next) => found = next,
                (Some(one), Some(other)) if one != other => {
                    return reject(format!(
                        "it says two different things for {}",
                        excerpt(names.first().unwrap_or(name))
                    ));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// A text, or a number as it is written.
    pub(crate) fn text(&self, names: &[&str]) -> Result<Option<String>, ParseError> {
        match self.value(names)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(number @ Value::Number(_)) => Ok(Some(number.to_string())),
            Some(other) => reject(format!(
                "{} must be a text, not {}",
                excerpt(names.first().copied().unwrap_or_default()),
                excerpt(&other.to_string())
            )),
        }
    }

    /// A text that says something. `what` names it in the refusal.
    pub(crate) fn needed(&self, names: &[&str], what: &str) -> Result<String, ParseError> {
        match self.text(names)?.filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text),
            None => self.missing(what),
        }
    }

    /// A yes or no; no where it is not said.
    pub(crate) fn flag(&self, names: &[&str]) -> Result<bool, ParseError> {
        match self.value(names)? {
            None => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(text))
                if text.trim().is_empty() || text.trim().eq_ignore_ascii_case("false") =>
            {
                Ok(false)
            }
            Some(other) => reject(format!(
                "{} must be true or false, not {}",
                excerpt(names.first().copied().unwrap_or_default()),
                excerpt(&other.to_string())
            )),
        }
    }

    /// A place, if one is said.
    pub(crate) fn point(
        &self,
        names: &[&str],
        coords: &CoordContext,
    ) -> Result<Option<Point>, ParseError> {
        self.value(names)?.map(|value| point::point_in(value, coords)).transpose()
    }

    /// A place whose two numbers have names of their own.
    pub(crate) fn pair(
        &self,
        x: &str,
        y: &str,
        coords: &CoordContext,
    ) -> Result<Option<Point>, ParseError> {
        match (self.value(&[x])?, self.value(&[y])?) {
            (Some(x), Some(y)) => point::point_in(&json!({ "x": x, "y": y }), coords).map(Some),
            (None, None) => Ok(None),
            _ => self.missing("both numbers of the place"),
        }
    }

    /// Refuses for want of something.
    pub(crate) fn missing<T>(&self, what: &str) -> Result<T, ParseError> {
        reject(format!("{} needs {what}", excerpt(&self.of)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value, names: &[&str]) -> Result<Option<String>, ParseError> {
        Args::of(value.as_object().unwrap())?.text(names)
    }

    #[test]
    fn names_are_compared_by_their_letters_and_must_agree() {
        let said = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(read(&json!({"App_Name": "a"}), &["app", "appname"]), said("a"));
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
