//! Entries in YAML: whole lines at the top of their section, put in and taken out.
//!
//! There is no library that changes YAML and keeps its comments. Lines are safe where the section is a
//! block mapping; anything else is refused.
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

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
            if only(entries, key.name)?.is_some() {
                // Keys of the person's in it go with the old entry; the difference is shown before.
                let text = take(&text, key, false)?;
                return put(&text, key, entry);
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
    let start = span.start;
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
                let is_nothing = matches!(&value.kind, Kind::Scalar(text, ScalarStyle::Plain) if text.is_empty());
                let end = if is_nothing { key.last_line } else { value.last_line };
                last_line = last_line.max(end);
                entries.push((span, name, Node { last_line: end, ..value }));
            }
            Kind::Map(entries)
        }
        _ => return Err(CUT),
    };
    Ok(Node { kind, start, last_line, flow })
}

/// The last line of a span; one that ends where a line begins does not reach into it.
fn last_line(span: Span) -> usize {
    let end = span.end.line();
    if span.end.col() == 0 && span.start.line() < end { end - 1 } else { end }
}
