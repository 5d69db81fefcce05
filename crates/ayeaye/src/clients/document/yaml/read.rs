//! YAML as it is written: values, and where each of them is.
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::super::EditError;
use super::byte;

/// A key with its place, its text and its value.
pub(super) type Entry = (Span, String, Node);

/// The entry of this name; the parser does not mind two.
pub(super) fn only<'t>(
    entries: &'t [Entry],
    name: &str,
) -> Result<Option<(Span, &'t Node)>, EditError> {
    let mut all = entries.iter().filter(|(_, key, _)| key == name);
    let first = all.next();
    if all.next().is_some() {
        return Err(EditError::Twice { name: name.to_owned() });
    }
    Ok(first.map(|(span, _, node)| (*span, node)))
}

/// A value and where it is.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) start: Marker,
    /// The place behind it, if it is no list and no map.
    pub(super) end: Marker,
    /// The last line with something of it, from 1.
    pub(super) last_line: usize,
    /// Whether it is written in braces.
    pub(super) flow: bool,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Scalar(String, ScalarStyle),
    List(Vec<Node>),
    Map(Vec<Entry>),
    Alias(usize),
}

impl Node {
    /// Whether nothing is written there.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(text, ScalarStyle::Plain) if text.is_empty())
    }

    /// As JSON, to compare; what JSON does not have becomes text.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(text, ScalarStyle::Plain) => plain(text),
            NodeKind::Scalar(text, _) => text.as_str().into(),
            NodeKind::List(items) => items.iter().map(Self::value).collect(),
            NodeKind::Map(entries) => {
                let entries = entries.iter().map(|(_, key, node)| (key.clone(), node.value()));
                Value::Object(entries.collect())
            }
            NodeKind::Alias(number) => format!("*{number}").into(),
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
pub(super) fn read(text: &str) -> Result<Option<Node>, EditError> {
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

type YamlParser<'t> = Parser<'t, saphyr_parser::StrInput<'t>>;

fn next<'t>(parser: &mut YamlParser<'t>) -> Result<Option<(Event<'t>, Span)>, EditError> {
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
    parser: &mut YamlParser<'t>,
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
        Event::Scalar(value, style, ..) => NodeKind::Scalar(value.clone().into_owned(), *style),
        Event::Alias(number) => NodeKind::Alias(*number),
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
            NodeKind::List(items)
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
                    NodeKind::Scalar(name, _) => name.clone(),
                    _ => return Err(EditError::NotChanged { why: "a key that is no text" }),
                };
                let (event, at) = next(parser)?.ok_or(CUT)?;
                let value = node(text, parser, &event, at, depth + 1)?;
                let last = if value.is_nothing() { key.last_line } else { value.last_line };
                last_line = last_line.max(last);
                entries.push((span, name, Node { last_line: last, ..value }));
            }
            NodeKind::Map(entries)
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
