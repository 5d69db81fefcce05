//! Entries in JSON, with or without comments.
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::super::entry::is_ours;
use super::{EditError, Format, Insertion, Key, inserted, line_end, place, removed, replaced};

/// The mark some editors put in front. It is no JSON, and stays.
const MARK: char = '\u{feff}';

pub(super) fn parse(text: &str, format: Format) -> Result<Value, EditError> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    Ok(tree(text, format)?.map_or_else(|| Value::Object(serde_json::Map::new()), Value::from))
}

/// The file as it was parsed; `None` for one without any value.
fn tree(text: &str, format: Format) -> Result<Option<Node<'_>>, EditError> {
    let lenient = format == Format::JsonWithComments;
    let options = ParseOptions {
        allow_comments: lenient,
        allow_trailing_commas: lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|err| {
        let (line, column) = place(text, err.range().start);
        EditError::Syntax { line, column, problem: err.kind().to_string() }
    })?;
    if !lenient && parsed.value.is_some() {
        ensure_strict(text)?;
    }
    match &parsed.value {
        Some(Node::Object(_)) | None => Ok(parsed.value),
        Some(_) => Err(EditError::NotASection { section: "the whole file".to_owned() }),
    }
}

/// Whether clients can read it: the parser that keeps places takes control characters in strings, and they do not.
fn ensure_strict(text: &str) -> Result<(), EditError> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // How deep it goes is no fault of a file.
        Err(err) if err.is_syntax() && !err.to_string().starts_with("recursion limit") => {
            let (line, column) = (err.line(), err.column());
            let problem = err.to_string();
            let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
            Err(EditError::Syntax { line, column, problem })
        }
        _ => Ok(()),
    }
}

pub(super) fn put(
    text: &str,
    key: Key<'_>,
    entry: &Value,
    format: Format,
) -> Result<String, EditError> {
    let (mark, text) = split(text);
    let Some(Node::Object(root)) = tree(text, format)? else {
        let style = Style { line: line_end(text), unit: "  ".to_owned() };
        let mut section = serde_json::Map::new();
        section.insert(key.name.to_owned(), entry.clone());
        let mut all = serde_json::Map::new();
        all.insert(key.section.to_owned(), section.into());
        let end = style.line;
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
        return Ok(format!("{mark}{text}{gap}{}{end}", style.pretty(&all.into(), "")));
    };
    let style = Style::of(text, &root);
    let after = match only(&root, key.section)? {
        None => {
            let mut section = serde_json::Map::new();
            section.insert(key.name.to_owned(), entry.clone());
            inserted(text, &append(text, &style, &root, key.section, &section.into()))
        }
        Some(ObjectProp { value: Node::Object(section), .. }) => match only(section, key.name)? {
            None => inserted(text, &append(text, &style, section, key.name, entry)),
            Some(ObjectProp { value: Node::Object(_), .. }) => {
                return update(text, key, entry, format).map(|after| format!("{mark}{after}"));
            }
            Some(ObjectProp { value, .. }) => {
                let range = jsonc_parser::common::Ranged::range(value);
                let new = style.pretty(entry, &indent_at(text, range.start));
                replaced(text, range.start..range.end, &new)
            }
        },
        Some(_) => return Err(EditError::NotASection { section: key.section.to_owned() }),
    };
    Ok(format!("{mark}{after}"))
}

/// Changes an entry key by key: those of ours that are no longer wanted go, the rest of the entry stays.
fn update(text: &str, key: Key<'_>, entry: &Value, format: Format) -> Result<String, EditError> {
    let old = parse(text, format)?[key.section][key.name].clone();
    change(text, &[key.section, key.name], Update { old: &old, wanted: entry }, format, is_ours)
}

/// What stands there, and what is to.
#[derive(Clone, Copy)]
struct Update<'a> {
    old: &'a Value,
    wanted: &'a Value,
}

/// Makes of the object at this path another one, and so of each that is in it.
fn change(
    text: &str,
    path: &[&str],
    Update { old, wanted }: Update<'_>,
    format: Format,
    is_ours: fn(&str) -> bool,
) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for name in old.as_object().into_iter().flatten().map(|(name, _)| name) {
        if is_ours(name) && wanted.get(name).is_none() {
            text = with_object(&text, path, format, |text, object| {
                let Some(at) = object.properties.iter().position(|it| it.name.as_str() == name)
                else {
                    return text.to_owned();
                };
                removed(text, &cut(text, object, at))
            })?;
        }
    }
    for (name, value) in wanted.as_object().into_iter().flatten() {
        let old = old.get(name);
        if old.is_some_and(|old| old == value || !is_ours(name)) {
            continue;
        }
        if let Some(old) = old.filter(|old| old.is_object() && value.is_object()) {
            let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            // What is not ours in it is in what is wanted.
            text = change(&text, &path, Update { old, wanted: value }, format, |_| true)?;
            continue;
        }
        text = with_object(&text, path, format, |text, object| {
            let style = Style { line: line_end(text), unit: unit(text) };
            let Some(prop) = object.properties.iter().find(|it| it.name.as_str() == name) else {
                return inserted(text, &append(text, &style, object, name, value));
            };
            let range = jsonc_parser::common::Ranged::range(&prop.value);
            let new = style.pretty(value, &indent_at(text, range.start));
            replaced(text, range.start..range.end, &new)
        })?;
    }
    Ok(text)
}

/// Changes the text by what is in the object at this path.
fn with_object(
    text: &str,
    path: &[&str],
    format: Format,
    change: impl FnOnce(&str, &Object<'_>) -> String,
) -> Result<String, EditError> {
    let Some(Node::Object(root)) = tree(text, format)? else { return Ok(text.to_owned()) };
    let object = path.iter().try_fold(&root, |object, name| object.get_object(name));
    Ok(object.map_or_else(|| text.to_owned(), |object| change(text, object)))
}

pub(super) fn take(
    text: &str,
    key: Key<'_>,
    section_too: bool,
    format: Format,
) -> Result<String, EditError> {
    let (mark, text) = split(text);
    let Some(Node::Object(root)) = tree(text, format)? else {
        return Ok(format!("{mark}{text}"));
    };
    only(&root, key.section)?;
    let Some(Node::Object(section)) = root.get(key.section).map(|prop| &prop.value) else {
        return Err(EditError::NotASection { section: key.section.to_owned() });
    };
    only(section, key.name)?;
    let at = |object: &Object<'_>, name: &str| {
        object.properties.iter().position(|it| it.name.as_str() == name).unwrap_or_default()
    };
    let ranges = if section_too && section.properties.len() == 1 {
        cut(text, &root, at(&root, key.section))
    } else {
        cut(text, section, at(section, key.name))
    };
    Ok(format!("{mark}{}", removed(text, &ranges)))
}

fn split(text: &str) -> (&str, &str) {
    text.strip_prefix(MARK).map_or(("", text), |rest| text.split_at(text.len() - rest.len()))
}

/// The property of this name; twice the same name has no meaning that everyone shares.
fn only<'o, 'a>(
    object: &'o Object<'a>,
    name: &str,
) -> Result<Option<&'o ObjectProp<'a>>, EditError> {
    let mut all = object.properties.iter().filter(|it| it.name.as_str() == name);
    let first = all.next();
    if all.next().is_some() {
        return Err(EditError::Twice { name: name.to_owned() });
    }
    Ok(first)
}

/// How a file is laid out.
struct Style {
    line: &'static str,
    /// One step of indentation; empty in a file that is one line.
    unit: String,
}

impl Style {
    fn of(text: &str, root: &Object<'_>) -> Self {
        let inside = &text[root.range.start..root.range.end];
        let one_line = !inside.contains('\n') && !root.properties.is_empty();
        let unit = if one_line { String::new() } else { unit(text) };
        Self { line: line_end(text), unit }
    }

    /// The value over several lines: objects are opened, lists stay on their line.
    fn pretty(&self, value: &Value, indent: &str) -> String {
        match value {
            Value::Object(map) if !map.is_empty() && !self.unit.is_empty() => {
                let inner = format!("{indent}{}", self.unit);
                let rows: Vec<String> = map
                    .iter()
                    .map(|(key, value)| {
                        format!(
                            "{inner}{}: {}",
                            Value::from(key.as_str()),
                            self.pretty(value, &inner)
                        )
                    })
                    .collect();
                let line = self.line;
                format!("{{{line}{}{line}{indent}}}", rows.join(&format!(",{line}")))
            }
            Value::Object(map) if !map.is_empty() => {
                let rows = map.iter().map(|(key, value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.pretty(value, ""))
                });
                format!("{{ {} }}", rows.collect::<Vec<_>>().join(", "))
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|it| self.pretty(it, indent)).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// One step of indentation: that of the first line that is indented.
fn unit(text: &str) -> String {
    let indents = text.lines().map(|line| {
        let rest = line.trim_start_matches([' ', '\t']);
        (&line[..line.len() - rest.len()], rest)
    });
    let first = indents
        .filter(|(indent, rest)| !indent.is_empty() && rest.starts_with('"'))
        .map(|(indent, _)| indent)
        .next();
    first.unwrap_or("  ").to_owned()
}

/// The white space that begins the line of this place.
fn indent_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    text[start..at].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// What puts a property at the end of an object.
fn append(
    text: &str,
    style: &Style,
    object: &Object<'_>,
    name: &str,
    value: &Value,
) -> Vec<Insertion> {
    let name = Value::from(name).to_string();
    let (open, close) = (object.range.start, object.range.end - 1);
    let outer = indent_at(text, open);
    let Some(last) = object.properties.last() else {
        let end = last_comment(text, open + 1, close);
        if style.unit.is_empty() && !text[open..close].contains('\n') {
            let one = Style { line: style.line, unit: String::new() };
            return vec![(end, format!(" {name}: {} ", one.pretty(value, "")))];
        }
        let inner = format!("{outer}{}", style.unit);
        let mut new = format!("{}{inner}{name}: {}", style.line, style.pretty(value, &inner));
        if !text[end..close].contains('\n') {
            new.push_str(style.line);
            new.push_str(&outer);
        }
        return vec![(end, new)];
    };
    let comma = find_comma(text, last.range.end, close);
    let end = end_of_row(text, comma.map_or(last.range.end, |at| at + 1), close);
    let mut new = if text[open..close].contains('\n') {
        let inner = match indent_at(text, last.range.start) {
            // The last property is on the line of the brace.
            same if !text[open..last.range.start].contains('\n') => same + &style.unit,
            own => own,
        };
        format!("{}{inner}{name}: {}", style.line, style.pretty(value, &inner))
    } else {
        let one = Style { line: style.line, unit: String::new() };
        format!(" {name}: {}", one.pretty(value, ""))
    };
    if comma.is_some() {
        new.push(',');
        vec![(end, new)]
    } else {
        vec![(last.range.end, ",".to_owned()), (end, new)]
    }
}

/// The ranges that take a property out of an object: what [`append`] has put in, wherever it stands now.
fn cut(text: &str, object: &Object<'_>, at: usize) -> Vec<std::ops::Range<usize>> {
    let (open, close) = (object.range.start, object.range.end - 1);
    let prop = &object.properties[at];
    let before = at.checked_sub(1).map(|it| &object.properties[it]);
    let floor = before.map_or(open + 1, |it| it.range.end);
    let next = object.properties.get(at + 1).map_or(close, |it| it.range.start);
    let parts = trivia(text, floor, prop.range.start);
    let parts = parts.filter(|(.., kind)| !matches!(kind, Trivia::Space));
    let start = parts.map(|(_, end, _)| end).last().unwrap_or(floor);
    let own = find_comma(text, prop.range.end, next);
    let mut end = own.map_or(prop.range.end, |it| it + 1);
    if object.properties.len() == 1 && text[open + 1..start].trim().is_empty() {
        // Alone, and no comment in front: what is left is an empty object.
        if text[end..close].trim().is_empty() {
            return std::iter::once(open + 1..close).collect();
        }
    }
    let mut ranges = Vec::new();
    if own.is_none()
        && let Some(before) = before
        && let Some(comma) = find_comma(text, before.range.end, prop.range.start)
    {
        ranges.push(comma..comma + 1);
    }
    // A comment to the end of the line in front must keep its line.
    if in_line_comment(text, floor, start)
        && !text[end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n')
    {
        let start = start + text[start..prop.range.start].find('\n').map_or(0, |it| it + 1);
        ranges.push(start..end);
        return ranges;
    }
    // A comma of the row before may be right where this begins.
    let start = ranges.first().map_or(start, |comma| start.max(comma.end));
    end = end.max(start);
    ranges.push(start..end);
    ranges
}

/// Where one part of the text between values ends, and whether it is a comment.
enum Trivia {
    Comment { line: bool },
    Space,
    Other,
}

/// The parts of the text between values: comments, white space, one character of anything else.
fn trivia(text: &str, from: usize, to: usize) -> impl Iterator<Item = (usize, usize, Trivia)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..to).filter(|rest| !rest.is_empty())?;
        let start = at;
        let (length, kind) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            (rest[..length].trim_end_matches('\r').len(), Trivia::Comment { line: true })
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |it| it + 2), Trivia::Comment { line: false })
        } else {
            let first = rest.chars().next()?;
            let kind = if first.is_whitespace() { Trivia::Space } else { Trivia::Other };
            (first.len_utf8(), kind)
        };
        at += length;
        Some((start, at, kind))
    })
}

/// The comma between two values, past comments.
fn find_comma(text: &str, from: usize, to: usize) -> Option<usize> {
    trivia(text, from, to)
        .find(|(start, _, kind)| matches!(kind, Trivia::Other) && text[*start..].starts_with(','))
        .map(|(start, ..)| start)
}

/// The end of the comments that go on in the line of `from`; `from` itself if there are none.
fn end_of_row(text: &str, from: usize, to: usize) -> usize {
    let mut end = from;
    for (start, stop, kind) in trivia(text, from, to) {
        match kind {
            Trivia::Comment { .. } => end = stop,
            Trivia::Space if text[start..stop].starts_with('\n') => break,
            Trivia::Space => {}
            Trivia::Other => break,
        }
    }
    end
}

/// The end of the last comment between two places; the first of them if there is none.
fn last_comment(text: &str, from: usize, to: usize) -> usize {
    let comments =
        trivia(text, from, to).filter(|(.., kind)| matches!(kind, Trivia::Comment { .. }));
    comments.map(|(_, end, _)| end).last().unwrap_or(from)
}

/// Whether the text between two places ends in a comment to the end of its line.
fn in_line_comment(text: &str, from: usize, to: usize) -> bool {
    trivia(text, from, to)
        .last()
        .is_some_and(|(.., kind)| matches!(kind, Trivia::Comment { line: true }))
}
