//! Entries in TOML: a table of its own at the end of the file.
use serde_json::Value;
use toml_edit::{Document, DocumentMut, Item, Table, TableLike};

use super::super::entry::is_ours;
use super::{EditError, Key, line_end, place, removed};
use crate::text::with_ends_of;

pub(super) fn parse(text: &str) -> Result<Value, EditError> {
    Ok(table_value(document(text)?.as_table()))
}

/// As JSON, to compare, in the order of the file; times become text.
fn table_value(table: &dyn TableLike) -> Value {
    let rows = table.iter().map(|(name, item)| (name.to_owned(), item_value(item)));
    Value::Object(rows.collect())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_value(value),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|it| table_value(it)).collect(),
    }
}

fn value_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(value_value).collect(),
        toml_edit::Value::InlineTable(table) => table_value(table),
    }
}

pub(super) fn put(text: &str, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
    let document = document(text)?;
    match document.get(key.section) {
        None => {}
        Some(Item::Table(section)) if section.is_dotted() => {
            return Err(EditError::NotChanged { why: "keys with dots" });
        }
        Some(Item::Table(section)) => match section.get(key.name) {
            None => {}
            Some(Item::Table(_)) => return update(text, key, entry),
            Some(_) => return Err(EditError::NotChanged { why: "an inline table" }),
        },
        Some(Item::Value(_)) => return Err(EditError::NotChanged { why: "an inline table" }),
        Some(_) => return Err(EditError::NotASection { section: key.section.to_owned() }),
    }
    let line = line_end(text);
    let mut after = text.to_owned();
    if !text.is_empty() {
        if !text.ends_with('\n') {
            after.push_str(line);
        }
        after.push_str(line);
    }
    after.extend(["[", &bare(key.section), ".", &bare(key.name), "]", line]);
    for (name, value) in entry.as_object().into_iter().flatten() {
        after.extend([&*bare(name), " = ", &written(value), line]);
    }
    Ok(after)
}

/// Changes an entry key by key; comments and keys of the person's stay.
fn update(text: &str, key: Key<'_>, entry: &Value) -> Result<String, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|err| syntax(text, &err))?;
    let table = document[key.section][key.name]
        .as_table_mut()
        .ok_or(EditError::NotChanged { why: "an inline table" })?;
    change(table, entry, is_ours)?;
    Ok(with_ends_of(text, &document.to_string()))
}

/// Makes of a table another one, and so of each that is in it.
fn change(
    table: &mut dyn TableLike,
    wanted: &Value,
    is_ours: fn(&str) -> bool,
) -> Result<(), EditError> {
    let gone: Vec<String> = table
        .iter()
        .map(|(name, _)| name.to_owned())
        .filter(|name| is_ours(name) && wanted.get(name).is_none())
        .collect();
    for name in gone {
        table.remove(&name);
    }
    for (name, value) in wanted.as_object().into_iter().flatten() {
        let old = table.get(name).map(item_value);
        if old.is_some_and(|old| old == *value || !is_ours(name)) {
            continue;
        }
        let below = table.get_mut(name).and_then(Item::as_table_like_mut);
        if let Some(below) = below.filter(|_| value.is_object()) {
            // What is not ours in it is in what is wanted.
            change(below, value, |_| true)?;
            continue;
        }
        let new: toml_edit::Value = written(value)
            .parse()
            .map_err(|_| EditError::NotChanged { why: "a value that cannot be written" })?;
        if let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        } else {
            table.remove(name);
            table.insert(name, Item::Value(new));
        }
    }
    Ok(())
}

pub(super) fn take(text: &str, key: Key<'_>) -> Result<String, EditError> {
    let document = document(text)?;
    let section = document.get(key.section).and_then(Item::as_table);
    let Some(table) = section.and_then(|it| it.get(key.name)).and_then(Item::as_table) else {
        return Err(EditError::NotChanged { why: "an inline table" });
    };
    let mut blocks = Vec::new();
    blocks_of(text, table, &mut blocks)?;
    blocks.sort_by_key(|block| block.start);
    Ok(removed(text, &blocks))
}

/// The lines of a table and of those below it, each with one empty line in front.
fn blocks_of(
    text: &str,
    table: &Table,
    blocks: &mut Vec<std::ops::Range<usize>>,
) -> Result<(), EditError> {
    const NO_LINES: EditError = EditError::NotChanged { why: "keys with dots" };
    if table.is_dotted() {
        return Err(NO_LINES);
    }
    let mut end = 0;
    for (_, item) in table {
        match item {
            Item::Table(below) => blocks_of(text, below, blocks)?,
            Item::Value(value) => end = end.max(value.span().ok_or(NO_LINES)?.end),
            Item::None => {}
            Item::ArrayOfTables(_) => {
                return Err(EditError::NotChanged { why: "a list of tables" });
            }
        }
    }
    // A table that is only named by those below it has no lines.
    if let (false, Some(span)) = (table.is_implicit(), table.span()) {
        let end = end.max(span.start);
        let end = text[end..].find('\n').map_or(text.len(), |it| end + it + 1);
        let line = text[..span.start].rfind('\n').map_or(0, |it| it + 1);
        let before = &text[..line];
        let empty = ["\n\r\n", "\n\n"].into_iter().find(|it| before.ends_with(it));
        let start = match empty {
            Some(empty) => line - (empty.len() - 1),
            None => line,
        };
        blocks.push(start..end);
    }
    Ok(())
}

fn document(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|err| syntax(text, &err))
}

fn syntax(text: &str, err: &toml_edit::TomlError) -> EditError {
    let (line, column) = place(text, err.span().map_or(0, |span| span.start));
    EditError::Syntax { line, column, problem: err.message().to_owned() }
}

/// A key, in quotes where it needs them.
fn bare(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        toml::Value::from(name).to_string()
    }
}

/// A value on one line.
fn written(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let rows: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{} = {}", bare(name), written(value)))
                .collect();
            format!("{{ {} }}", rows.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => toml::Value::from(text.as_str()).to_string(),
        other => other.to_string(),
    }
}
