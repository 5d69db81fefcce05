//! Entries in YAML: whole lines at the top of their section, put in and taken out.
//!
//! There is no library that changes YAML and keeps its comments. Lines are safe where the section, and an
//! entry that is there already, is a block mapping; anything else is refused.
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::super::entry::is_ours;
use super::{EditError, Key, inserted, line_end, replaced};

pub(super) fn parse(text: &str) -> Result<Value, EditError> {
    Ok(read(text)?.map_or_else(|| Value::Object(Map::new()), |node| node.value()))
}

pub(super) fn put(text: &str, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
    let root = read(text)?;
    let line = line_end(text);
    let mut text = text.to_owned();
    let section = match &root {
        None => None,
        Some(Node { kind: Kind::Map(root), flow: false, .. }) => only(root, key.section)?,
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
        Kind::Map(entries) if !value.flow && !entries.is_empty() => {
            match only(entries, key.name)? {
                None => {}
                Some((_, Node { kind: Kind::Map(rows), flow, last_line, .. }))
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
        Kind::Map(entries) if entries.is_empty() => {
            let at = byte(&text, value.start);
            let rest = text[at..].find('}').map_or(text.len(), |it| at + it + 1);
            let cut = replaced(&text, at..rest, "");
            let after = line_start(&cut, value.start.line() + 1);
            Ok(below(&cut, after, line, &lines(key.name, entry, name.start.col() + 2, line)))
        }
        Kind::Scalar(text_of, ScalarStyle::Plain) if text_of.is_empty() => {
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
    let line = line_end(text);
    let pad = " ".repeat(rows[0].0.start.col());
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for (key, name, value) in rows {
        if is_ours(name) && entry.get(name).is_none() {
            let last = value.last_line.max(key.end.line());
            let lines = line_start(text, key.start.line())..line_start(text, last + 1);
            changes.push((lines, String::new()));
        }
    }
    let mut missing = String::new();
    for (name, new) in entry.as_object().into_iter().flatten() {
        match only(rows, name)? {
            None => missing.extend([&pad, &quoted(name), ": ", &flow(new), line]),
            Some((_, old)) if !is_ours(name) || old.value() == *new => {}
            Some((key, old)) => changes.extend(new_value(text, key, old, new)?),
        }
    }
    changes.sort_by_key(|(range, _)| range.start);
    let at = line_start(text, last_line + 1);
    // From the end, so that the places of the others stay.
    let text = if missing.is_empty() { text.to_owned() } else { below(text, at, line, &missing) };
    Ok(changes.into_iter().rev().fold(text, |text, (range, new)| replaced(&text, range, &new)))
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
        let end = match old.kind {
            // To the parser the comment behind quotes and braces belongs to them.
            Kind::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
                // An anchor or a tag may be in front.
                let quote = text[start..].find(['"', '\'']);
                quoted_end(text, start + quote.unwrap_or_default())
            }
            Kind::List(_) | Kind::Map(_) => braces_end(text, start),
            Kind::Scalar(..) | Kind::Alias(_) => byte(text, old.end),
        };
        return Ok(vec![(start..end, flow(new))]);
    }
    let rest = text.get(colon..below).ok_or(UNUSUAL)?.trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(UNUSUAL);
    }
    let lines = below..line_start(text, old.last_line + 1).max(below);
    Ok(vec![(colon..colon, format!(" {}", flow(new))), (lines, String::new())])
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
    let Some(Node { kind: Kind::Map(root), flow: false, .. }) = &root else {
        return Err(BRACES);
    };
    let Some((section, value)) = only(root, key.section)? else { return Err(BRACES) };
    let Node { kind: Kind::Map(entries), flow: false, .. } = value else { return Err(BRACES) };
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

/// A key with its place, its text and its value.
type Entry = (Span, String, Node);

/// The entry of this name; the parser does not mind two.
fn only<'t>(entries: &'t [Entry], name: &str) -> Result<Option<(Span, &'t Node)>, EditError> {
    let mut all = entries.iter().filter(|(_, key, _)| key == name);
    let first = all.next();
    if all.next().is_some() {
        return Err(EditError::Twice { name: name.to_owned() });
    }
    Ok(first.map(|(span, _, node)| (*span, node)))
}

/// A value and where it is.
#[derive(Debug)]
struct Node {
    kind: Kind,
    start: Marker,
    /// The place behind it, if it is no list and no map.
    end: Marker,
    /// The last line with something of it, from 1.
    last_line: usize,
    /// Whether it is written in braces.
    flow: bool,
}

#[derive(Debug)]
enum Kind {
    Scalar(String, ScalarStyle),
    List(Vec<Node>),
    Map(Vec<Entry>),
    Alias(usize),
}

impl Node {
    /// Whether nothing is written there.
    fn is_nothing(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(text, ScalarStyle::Plain) if text.is_empty())
    }

    /// As JSON, to compare; what JSON does not have becomes text.
    fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(text, ScalarStyle::Plain) => plain(text),
            Kind::Scalar(text, _) => text.as_str().into(),
            Kind::List(items) => items.iter().map(Self::value).collect(),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(_, key, node)| (key.clone(), node.value()));
                Value::Object(entries.collect())
            }
            Kind::Alias(number) => format!("*{number}").into(),
        }
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        number => match number.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => number.into(),
        },
    }
}

/// Reads the file's one document; `None` for a file without any.
fn read(text: &str) -> Result<Option<Node>, EditError> {
    let mut parser = Parser::new_from_str(text);
    let mut root = None;
    while let Some((event, span)) = next(&mut parser)? {
        match event {
            Event::DocumentStart(_) if root.is_some() => {
                return Err(EditError::NotChanged { why: "it has several documents" });
            }
            Event::Scalar(ref value, ScalarStyle::Plain, 0, None) if value.is_empty() => {}
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
            event => root = Some(node(text, &mut parser, &event, span, 0)?),
        }
    }
    Ok(root)
}

type Read<'t> = Parser<'t, saphyr_parser::StrInput<'t>>;

fn next<'t>(parser: &mut Read<'t>) -> Result<Option<(Event<'t>, Span)>, EditError> {
    parser.next_event().transpose().map_err(|err| EditError::Syntax {
        line: err.marker().line(),
        column: err.marker().col() + 1,
        problem: err.info().to_owned(),
    })
}

/// More than any settings file has.
const MAX_DEPTH: usize = 100;

fn node<'t>(
    text: &str,
    parser: &mut Read<'t>,
    event: &Event<'t>,
    span: Span,
    depth: usize,
) -> Result<Node, EditError> {
    const CUT: EditError = EditError::NotChanged { why: "it ends too early" };
    if MAX_DEPTH < depth {
        return Err(EditError::NotChanged { why: "it is too deep" });
    }
    let (start, end) = (span.start, span.end);
    let flow = text[byte(text, start)..].starts_with(['{', '[']);
    let mut last_line = last_line(span);
    let kind = match event {
        Event::Scalar(value, style, ..) => Kind::Scalar(value.clone().into_owned(), *style),
        Event::Alias(number) => Kind::Alias(*number),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                let (event, span) = next(parser)?.ok_or(CUT)?;
                if event == Event::SequenceEnd {
                    last_line = if flow { span.end.line() } else { last_line };
                    break;
                }
                let item = node(text, parser, &event, span, depth + 1)?;
                last_line = last_line.max(item.last_line);
                items.push(item);
            }
            Kind::List(items)
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            loop {
                let (event, span) = next(parser)?.ok_or(CUT)?;
                if event == Event::MappingEnd {
                    last_line = if flow { span.end.line() } else { last_line };
                    break;
                }
                let key = node(text, parser, &event, span, depth + 1)?;
                let name = match &key.kind {
                    Kind::Scalar(name, _) => name.clone(),
                    _ => return Err(EditError::NotChanged { why: "a key that is no text" }),
                };
                let (event, at) = next(parser)?.ok_or(CUT)?;
                let value = node(text, parser, &event, at, depth + 1)?;
                let last = if value.is_nothing() { key.last_line } else { value.last_line };
                last_line = last_line.max(last);
                entries.push((span, name, Node { last_line: last, ..value }));
            }
            Kind::Map(entries)
        }
        _ => return Err(CUT),
    };
    Ok(Node { kind, start, end, last_line, flow })
}

/// The last line of a span; one that ends where a line begins does not reach into it.
fn last_line(span: Span) -> usize {
    let end = span.end.line();
    if span.end.col() == 0 && span.start.line() < end { end - 1 } else { end }
}
