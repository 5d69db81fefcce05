//! Puts one entry into a settings file and takes it out, and leaves every other byte as it is.
//!
//! Only text is inserted and removed; no file is written anew from what was parsed. After each change the
//! result is parsed and compared: everything but the entry must be what it was, or nothing is done.
use serde_json::Value;

use super::entry::{is_as, is_ours, updated};

mod json;
mod toml;
mod yaml;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON as its standard has it.
    Json,
    /// JSON with comments and commas at the end.
    JsonWithComments,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// Where an entry is: a name in a section at the top of the file.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    /// The section.
    pub section: &'a str,
    /// The name in it.
    pub name: &'a str,
}

/// Why a file is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum EditError {
    #[error("line {line}, column {column}: {problem}")]
    Syntax { line: usize, column: usize, problem: String },
    #[error("`{section}` is not a section that entries can be added to")]
    NotASection { section: String },
    #[error("`{name}` is there more than once")]
    Twice { name: String },
    #[error("it is written in a way that this program does not change ({why})")]
    NotChanged { why: &'static str },
}

impl Format {
    /// What the entry is; `None` where there is none.
    pub fn entry(self, text: &str, key: Key<'_>) -> Result<Option<Value>, EditError> {
        Ok(self.section(text, key.section)?.and_then(|mut section| {
            section.as_object_mut().and_then(|entries| entries.shift_remove(key.name))
        }))
    }

    /// The section, if the file has it.
    pub fn section(self, text: &str, section: &str) -> Result<Option<Value>, EditError> {
        let mut all = self.parse(text)?;
        Ok(all.as_object_mut().and_then(|all| all.shift_remove(section)))
    }

    /// The text with the entry, put in or changed. Keys of an entry that are not ours stay as they are, and so do
    /// the person's own variables and headers.
    pub fn with_entry(self, text: &str, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
        let before = self.parse(text)?;
        let entry = &updated(&before[key.section][key.name], entry);
        let after = match self {
            Self::Json | Self::JsonWithComments => json::put(text, key, entry, self)?,
            Self::Toml => toml::put(text, key, entry)?,
            Self::Yaml => yaml::put(text, key, entry)?,
        };
        let now = self.parse(&after)?;
        let (old, is) = (&before[key.section][key.name], &now[key.section][key.name]);
        let mut theirs = old.as_object().into_iter().flatten().filter(|(name, _)| !is_ours(name));
        if !is_as(is, entry)
            || theirs.any(|(name, value)| is.get(name) != Some(value))
            || without(now.clone(), key) != without(before.clone(), key)
        {
            return Err(EditError::NotChanged { why: "the result would not be the same" });
        }
        Ok(after)
    }

    /// The text without the entry; `None` where there is none. With `section_too` a section that is empty
    /// then goes as well.
    pub fn without_entry(
        self,
        text: &str,
        key: Key<'_>,
        section_too: bool,
    ) -> Result<Option<String>, EditError> {
        let before = self.parse(text)?;
        if before[key.section].get(key.name).is_none() {
            return Ok(None);
        }
        let after = match self {
            Self::Json | Self::JsonWithComments => json::take(text, key, section_too, self)?,
            Self::Toml => toml::take(text, key)?,
            Self::Yaml => yaml::take(text, key, section_too)?,
        };
        let now = self.parse(&after)?;
        if now[key.section].get(key.name).is_some() || without(now, key) != without(before, key) {
            return Err(EditError::NotChanged { why: "the result would not be the same" });
        }
        Ok(Some(after))
    }

    /// A file with nothing but the entry.
    pub fn alone(self, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
        self.with_entry("", key, entry)
    }

    /// The entry as a person would paste it, with its section.
    pub fn to_paste(self, key: Key<'_>, entry: &Value) -> String {
        self.alone(key, entry).unwrap_or_else(|_| entry.to_string())
    }

    /// The whole file as values.
    pub fn parse(self, text: &str) -> Result<Value, EditError> {
        match self {
            Self::Json | Self::JsonWithComments => json::parse(text, self),
            Self::Toml => toml::parse(text),
            Self::Yaml => yaml::parse(text),
        }
    }
}

/// The whole without the entry, and without a section that is empty then.
fn without(mut all: Value, key: Key<'_>) -> Value {
    if let Some(top) = all.as_object_mut() {
        let section = top.get_mut(key.section);
        let is_empty = match section {
            Some(Value::Object(entries)) => {
                entries.shift_remove(key.name);
                entries.is_empty()
            }
            Some(Value::Null) => true,
            _ => false,
        };
        if is_empty {
            top.shift_remove(key.section);
        }
    }
    all
}

/// Line and column of a byte, both from 1, the column in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Text to put in, by the place in the text before.
type Insertion = (usize, String);

/// The text with these insertions, which are in order.
fn inserted(text: &str, insertions: &[Insertion]) -> String {
    let mut after = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for (at, new) in insertions {
        after.push_str(&text[done..*at]);
        after.push_str(new);
        done = *at;
    }
    after.push_str(&text[done..]);
    after
}

/// The text without these ranges, which are in order and apart.
fn removed(text: &str, ranges: &[std::ops::Range<usize>]) -> String {
    let mut after = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        after.push_str(&text[done..range.start]);
        done = range.end;
    }
    after.push_str(&text[done..]);
    after
}

/// The text with another text in place of this range.
fn replaced(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// How lines end in this text.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
pub(super) mod tests;
