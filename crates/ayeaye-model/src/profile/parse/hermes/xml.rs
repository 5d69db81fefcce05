//! Calls as XML functions, the spelling of Qwen's models since 3.5 when they use their own template:
//! `<function=NAME>`, for each argument `<parameter=KEY>`, its value, `</parameter>`, then
//! `</function>`.
use ayeaye_agent::ParseError;
use serde_json::{Map, Value};

use super::super::reject;

/// A call that was read.
pub(super) struct Function {
    /// The tool's.
    pub name: String,
    /// Texts, all of them: what else they may be is for the reader of each.
    pub arguments: Map<String, Value>,
    /// Bytes of the text that it is.
    pub length: usize,
}

/// Longer names are none.
const LONGEST_NAME: usize = 64;

/// The function with which a text begins, if it begins with one.
pub(super) fn function(text: &str) -> Result<Option<Function>, ParseError> {
    let Some((name, mut rest)) = opening(text, "<function=") else { return Ok(None) };
    let mut arguments = Map::new();
    while let Some((key, inside)) = opening(rest.trim_start(), "<parameter=") {
        let Some(end) = inside.find("</parameter>") else {
            return reject(format!("its parameter {key} has no closing </parameter>"));
        };
        let value = &inside[..end];
        if value.contains("<parameter=") || value.contains("</function>") {
            return reject(format!("its parameter {key} has no closing </parameter>"));
        }
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = Value::from(value.strip_suffix('\n').unwrap_or(value));
        if arguments.get(key).is_some_and(|before| *before != value) {
            return reject(format!("it says the parameter {key} twice"));
        }
        arguments.insert(key.to_owned(), value);
        rest = &inside[end + "</parameter>".len()..];
    }
    let Some(rest) = rest.trim_start().strip_prefix("</function>") else {
        return reject("its function has no closing </function>");
    };
    let length = text.len() - rest.len();
    Ok(Some(Function { name: name.to_owned(), arguments, length }))
}

/// The name in an opening tag, and what stands behind it.
fn opening<'a>(text: &'a str, tag: &str) -> Option<(&'a str, &'a str)> {
    let inside = text.strip_prefix(tag)?;
    let end = inside.bytes().take(LONGEST_NAME).position(|b| b == b'>')?;
    let name = inside[..end].trim().trim_matches('"');
    (!name.is_empty()).then_some((name, &inside[end + 1..]))
}
