//! Calls as XML functions, as Qwen's models since 3.5 write them with their own template:
//! `<function=NAME>`, for each argument `<parameter=KEY>`, its value, `</parameter>`, then
//! `</function>`.
use ayeaye_agent::ParseError;
use serde_json::{Map, Value};

use super::super::reject;

/// A parsed call.
pub(super) struct Function {
    /// The tool's name.
    pub name: String,
    /// All values as texts; the reader of an argument converts them.
    pub arguments: Map<String, Value>,
    /// Its length in bytes.
    pub length: usize,
}

/// No tool has a longer name.
const LONGEST_NAME: usize = 64;

/// The function at the start of a text, if there is one.
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

/// The name in an opening tag, and the text after the tag.
fn opening<'a>(text: &'a str, tag: &str) -> Option<(&'a str, &'a str)> {
    let inside = text.strip_prefix(tag)?;
    let end = inside.bytes().take(LONGEST_NAME).position(|b| b == b'>')?;
    let name = inside[..end].trim().trim_matches('"');
    (!name.is_empty()).then_some((name, &inside[end + 1..]))
}
