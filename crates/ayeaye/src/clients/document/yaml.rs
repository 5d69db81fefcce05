//! Entries in YAML: whole lines at the top of their section, put in and taken out.
//!
//! There is no library that changes YAML and keeps its comments. Lines are safe where the section, and an
//! entry that is there already, is a block mapping; anything else is refused.
use std::ops::Range;

use saphyr_parser::{Marker, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::super::entry::is_ours;
use super::{EditError, Key, inserted, line_end, replaced};

mod read;

use read::{Entry, Node, NodeKind, only, read};

pub(super) fn parse(text: &str) -> Result<Value, EditError> {
    Ok(read(text)?.map_or_else(|| Value::Object(Map::new()), |node| node.value()))
}

pub(super) fn put(text: &str, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
    let root = read(text)?;
    let line = line_end(text);
    let mut text = text.to_owned();
    let section = match &root {
        None => None,
        Some(Node { kind: NodeKind::Map(root), flow: false, .. }) => only(root, key.section)?,
        Some(_) => return Err(EditError::NotChanged { why: "it is no block of keys" }),
    };
    let Some((name, value)) = section else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { line };
        let head = format!("{gap}{}:{line}", key.section);
        text.push_str(&head);
        text.push_str(&lines(key.name, entry, 2, line));
        return Ok(text);
    };
    match &value.kind {
        NodeKind::Map(entries) if !value.flow && !entries.is_empty() => {
            match only(entries, key.name)? {
                None => {}
                Some((_, Node { kind: NodeKind::Map(rows), flow, last_line, .. }))
                    if !rows.is_empty() =>
                {
                    if *flow {
                        return Err(EditError::NotChanged { why: "the entry is in braces" });
                    }
                    return update(&text, rows, *last_line, entry);
                }
                // Without a key in it nothing of the person's can go with it.
                Some(_) => return put(&take(&text, key, false)?, key, entry),
            }
            let column = entries[0].0.start.col();
            let at = line_start(&text, name.end.line() + 1);
            if entries[0].0.start.line() <= name.end.line() {
                return Err(EditError::NotChanged { why: "the section begins on its own line" });
            }
            Ok(inserted(&text, &[(at, lines(key.name, entry, column, line))]))
        }
        NodeKind::Map(entries) if entries.is_empty() => {
            let at = byte(&text, value.start);
            let rest = text[at..].find('}').map_or(text.len(), |it| at + it + 1);
            let cut = replaced(&text, at..rest, "");
            let after = line_start(&cut, value.start.line() + 1);
            Ok(below(&cut, after, line, &lines(key.name, entry, name.start.col() + 2, line)))
        }
        NodeKind::Scalar(text_of, ScalarStyle::Plain) if text_of.is_empty() => {
            let after = line_start(&text, name.end.line() + 1);
            Ok(below(&text, after, line, &lines(key.name, entry, name.start.col() + 2, line)))
        }
        _ => Err(EditError::NotChanged { why: "the section is in braces" }),
    }
}

/// The lines put in at a place, which may be the end of a text without a last line break.
fn below(text: &str, at: usize, line: &str, new: &str) -> String {
    let gap = if at == text.len() && !text.ends_with('\n') { line } else { "" };
    inserted(text, &[(at, format!("{gap}{new}"))])
}

/// Changes an entry key by key, each by its lines; comments and keys of the person's stay.
fn update(
    text: &str,
    rows: &[Entry],
    last_line: usize,
    entry: &Value,
) -> Result<String, EditError> {
    if text.replace("\r\n", "").contains('\r') {
        // To the parser that is the end of a line.
        return Err(EditError::NotChanged { why: "a line ends in a carriage return alone" });
    }
    let mut changes = Vec::new();
    collect(text, rows, last_line, entry, is_ours, &mut changes)?;
    // Of two at one place the inner one, which was found first, comes first.
    changes.sort_by_key(|(range, _)| range.start);
    if !text.ends_with('\n') {
        let added = changes.iter_mut().find(|(at, new)| at.start == text.len() && !new.is_empty());
        if let Some((_, new)) = added {
            new.insert_str(0, line_end(text));
        }
    }
    // From the end, so that the places of the others stay.
    let text = text.to_owned();
    Ok(changes.into_iter().rev().fold(text, |text, (range, new)| replaced(&text, range, &new)))
}

/// What makes of a block of keys another one, and so of each that is in it.
fn collect(
    text: &str,
    rows: &[Entry],
    last_line: usize,
    wanted: &Value,
    is_ours: fn(&str) -> bool,
    changes: &mut Vec<(Range<usize>, String)>,
) -> Result<(), EditError> {
    let line = line_end(text);
    let pad = rows.first().map_or_else(String::new, |(key, ..)| " ".repeat(key.start.col()));
    for (key, name, value) in rows {
        if is_ours(name) && wanted.get(name).is_none() {
            let last = value.last_line.max(key.end.line());
            let lines = line_start(text, key.start.line())..line_start(text, last + 1);
            changes.push((lines, String::new()));
        }
    }
    let mut missing = String::new();
    for (name, new) in wanted.as_object().into_iter().flatten() {
        match only(rows, name)? {
            None => missing.extend([&pad, &quoted(name), ": ", &flow(new), line]),
            Some((_, old)) if !is_ours(name) || old.value() == *new => {}
            // What is not ours in a map is in what is wanted.
            Some((_, Node { kind: NodeKind::Map(rows), flow: false, last_line, .. }))
                if new.is_object() =>
            {
                collect(text, rows, *last_line, new, |_| true, changes)?;
            }
            Some((_, Node { kind: NodeKind::Map(rows), start, .. })) if new.is_object() => {
                let start = byte(text, *start);
                changes.push((start..braces_end(text, start), braces(text, rows, new)?));
            }
            Some((key, old)) => changes.extend(new_value(text, key, old, new)?),
        }
    }
    if !missing.is_empty() {
        let at = line_start(text, last_line + 1);
        changes.push((at..at, missing));
    }
    Ok(())
}

/// A map in braces that becomes another one. What stays is written as it was, since 007 is not 7 to everyone.
fn braces(text: &str, rows: &[Entry], wanted: &Value) -> Result<String, EditError> {
    let mut parts = Vec::new();
    for (name, new) in wanted.as_object().into_iter().flatten() {
        parts.push(match only(rows, name)? {
            Some((key, old)) if old.value() == *new && !old.is_nothing() => {
                text[byte(text, key.start)..value_end(text, old)].to_owned()
            }
            _ => format!("{}: {}", quoted(name), flow(new)),
        });
    }
    Ok(format!("{{ {} }}", parts.join(", ")))
}

/// What puts a value in the place of the one after this key. A comment behind it stays.
fn new_value(
    text: &str,
    key: Span,
    old: &Node,
    new: &Value,
) -> Result<Vec<(Range<usize>, String)>, EditError> {
    const UNUSUAL: EditError = EditError::NotChanged { why: "a value in an unusual form" };
    let end = byte(text, key.end);
    let colon = text[end..].find(':').map(|it| end + it + 1);
    let colon = colon.filter(|it| text[end..it - 1].trim_matches(' ').is_empty()).ok_or(UNUSUAL)?;
    let below = line_start(text, key.end.line() + 1);
    if old.start.line() == key.end.line() && !old.is_nothing() {
        let start = byte(text, old.start);
        if !text.get(colon..start).is_some_and(|it| it.trim().is_empty()) {
            return Err(UNUSUAL);
        }
        return Ok(vec![(start..value_end(text, old), flow(new))]);
    }
    let rest = text.get(colon..below).ok_or(UNUSUAL)?.trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(UNUSUAL);
    }
    let lines = below..line_start(text, old.last_line + 1).max(below);
    Ok(vec![(colon..colon, format!(" {}", flow(new))), (lines, String::new())])
}

/// The place behind a value that begins on the line of its key.
fn value_end(text: &str, value: &Node) -> usize {
    let start = byte(text, value.start);
    match value.kind {
        // To the parser the comment behind quotes and braces belongs to them.
        NodeKind::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
            // An anchor or a tag may be in front.
            let quote = text[start..].find(['"', '\'']);
            quoted_end(text, start + quote.unwrap_or_default())
        }
        NodeKind::List(_) | NodeKind::Map(_) => braces_end(text, start),
        NodeKind::Scalar(..) | NodeKind::Alias(_) => byte(text, value.end),
    }
}

/// The place behind the text in quotes that begins here. Two single quotes are one that is meant.
fn quoted_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes.get(start).copied().unwrap_or_default();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\\' if quote == b'"' => at += 2,
            it if it == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            it if it == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The place behind the brace that closes the one here.
fn braces_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(byte) = bytes.get(at) {
        // Elsewhere these are characters of a word.
        let before = at.checked_sub(1).map_or(b' ', |it| bytes[it]);
        let begins = before.is_ascii_whitespace() || b"[{,:".contains(&before);
        match *byte {
            b'"' | b'\'' if begins => at = quoted_end(text, at) - 1,
            b'#' if before.is_ascii_whitespace() => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth <= 1 => return at + 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

pub(super) fn take(text: &str, key: Key<'_>, section_too: bool) -> Result<String, EditError> {
    const BRACES: EditError = EditError::NotChanged { why: "the section is in braces" };
    let root = read(text)?;
    let Some(Node { kind: NodeKind::Map(root), flow: false, .. }) = &root else {
        return Err(BRACES);
    };
    let Some((section, value)) = only(root, key.section)? else { return Err(BRACES) };
    let Node { kind: NodeKind::Map(entries), flow: false, .. } = value else { return Err(BRACES) };
    let Some((name, entry)) = only(entries, key.name)? else { return Err(BRACES) };
    if name.start.line() == section.start.line() {
        return Err(BRACES);
    }
    let first = if section_too && entries.len() == 1 { section.start } else { name.start };
    let from = line_start(text, first.line());
    let to = line_start(text, entry.last_line.max(name.end.line()) + 1);
    Ok(replaced(text, from..to, ""))
}

/// The entry as a block at this column.
fn lines(name: &str, entry: &Value, column: usize, line: &str) -> String {
    let pad = " ".repeat(column);
    let mut text = format!("{pad}{}:{line}", quoted(name));
    for (key, value) in entry.as_object().into_iter().flatten() {
        text.extend([&pad, "  ", &quoted(key), ": ", &flow(value), line]);
    }
    text
}

/// A name, in quotes where it could be read as something else.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let reads = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain);
    let word = matches!(
        name.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    if reads && !word { name.to_owned() } else { Value::from(name).to_string() }
}

/// A value on one line. What JSON writes is YAML too.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let rows: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), flow(value)))
                .collect();
            format!("{{ {} }}", rows.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) if text.chars().any(|c| ('\u{7f}'..='\u{9f}').contains(&c)) => {
            let escape = |c: char| match c {
                '\u{7f}'..='\u{9f}' => format!("\\u{:04x}", u32::from(c)),
                other => other.to_string(),
            };
            Value::from(text.as_str()).to_string().chars().map(escape).collect()
        }
        other => other.to_string(),
    }
}

/// The byte where a line begins; the end of the text past its last line.
fn line_start(text: &str, line: usize) -> usize {
    let mut at = 0;
    for _ in 1..line {
        match text[at..].find('\n') {
            Some(end) => at += end + 1,
            None => return text.len(),
        }
    }
    at
}

/// The byte of a mark, which counts characters.
fn byte(text: &str, mark: Marker) -> usize {
    let start = line_start(text, mark.line());
    let columns = text[start..].char_indices().map(|(at, _)| start + at);
    columns.chain([text.len()]).nth(mark.col()).unwrap_or(text.len())
}
