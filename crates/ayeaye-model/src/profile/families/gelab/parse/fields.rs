//! `key:value` fields, separated by tabs or by what models write in their place.
use super::ParseError;
use super::VERBS;

/// A key of the format. Any other is part of the value before it, unless it stands behind a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Action,
    Explain,
    Point,
    Point1,
    Point2,
    Value,
    Return,
    Summary,
    Verify,
    Note,
    Milestone,
    Thought,
    Duration,
    Direction,
    Keyboard,
    Clear,
    Submit,
    Status,
    /// The `key` of a hotkey, which the model's own client reads. Behind a tab only: elsewhere it is a word.
    Pressed,
    /// Known and ignored.
    Unused,
    /// A name behind a tab that is not of the format: it ends the value before it, as for the model's own client.
    Unknown,
}

/// The most fields a reply may have: the time to weigh them is quadratic.
const MOST_FIELDS: usize = 500;

/// Keys that are arguments, with their names in the table of verbs.
pub(super) const ARGUMENTS: &[(Key, &str)] = &[
    (Key::Point, "point"),
    (Key::Point1, "point1"),
    (Key::Point2, "point2"),
    (Key::Value, "value"),
    (Key::Return, "return"),
    (Key::Note, "note"),
    (Key::Duration, "duration"),
    (Key::Direction, "direction"),
    (Key::Keyboard, "keyboard"),
    (Key::Clear, "clear"),
    (Key::Submit, "submit"),
    (Key::Status, "status"),
];

/// The fields of a reply, in order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Fields(pub Vec<(Key, String)>);

impl Fields {
    /// The last value of a key.
    pub(super) fn last(&self, key: Key) -> Option<&str> {
        self.0.iter().rev().find(|(k, _)| *k == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.last(key).is_some()
    }

    pub(super) fn every(&self, key: Key) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(k, _)| *k == key).map(|(_, value)| value.as_str())
    }

    /// Whether a key has two values that are not alike.
    pub(super) fn differ(&self, key: Key) -> bool {
        let mut all = self.every(key);
        let one = all.next();
        all.any(|other| Some(other) != one)
    }
}

/// Whether a text begins with a field or a wrapper of fields.
pub(super) fn begins(text: &str) -> bool {
    let text = text.trim_start();
    let upper: String = text.chars().take(10).collect::<String>().to_ascii_uppercase();
    ["{", "[{", "```", "<|BEGIN_OF", "<STATUS>", "<ACTION>"].iter().any(|w| upper.starts_with(w))
        || key_at(text).is_some()
}

/// Where the first field begins.
pub(super) fn first(text: &str) -> Option<usize> {
    let sure = |mark: &FieldStart| mark.rank != Rank::Blanks && mark.name != Key::Unknown;
    marks(text).into_iter().find(sure).map(|mark| mark.key)
}

/// Splits a text into its fields.
///
/// Tabs separate fields; so do newlines in replies of sloppy models, and runs of blanks if nothing else
/// does. Behind a tab, any name makes a field. Since a value may hold newlines and words that look like keys, a key
/// found after a tab anywhere is not also taken after a newline, and a value followed by a tab is kept whole.
pub(super) fn split(text: &str) -> Result<Fields, ParseError> {
    let kept = starts(text)?;
    let ends = kept.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    let all = kept
        .iter()
        .zip(ends)
        .map(|(mark, end)| (mark.name, text[mark.value..end].trim().to_owned()));
    Ok(Fields(all.collect()))
}

/// Whether the last field shows that the action and what belongs to it are whole: it is none of these itself. Behind a
/// text it must be set apart as that is: a line of a text may look like a field.
pub(super) fn shows_end(text: &str) -> bool {
    const WORDS: [Key; 5] = [Key::Summary, Key::Explain, Key::Verify, Key::Milestone, Key::Thought];
    let Ok(fields) = starts(text) else { return false };
    let mut texts = fields.iter().filter(|it| matches!(it.name, Key::Value | Key::Return));
    fields
        .last()
        .is_some_and(|last| WORDS.contains(&last.name) && texts.all(|text| last.rank <= text.rank))
}

/// Where the fields of a text start.
fn starts(text: &str) -> Result<Vec<FieldStart>, ParseError> {
    let marks = marks(text);
    if MOST_FIELDS < marks.len() {
        return Err(ParseError::new("it holds too many fields"));
    }
    let (loose, mut firm): (Vec<_>, Vec<_>) =
        marks.into_iter().partition(|mark| mark.rank == Rank::Blanks);
    if !firm.iter().any(|mark| mark.name == Key::Action) {
        firm.extend(loose);
        firm.sort_by_key(|mark| mark.start);
    }
    weigh(text, &firm)
}

/// Fields within the action's own field, as in `CLICK point:500,300`.
pub(super) fn inline(text: &str) -> Vec<(Key, String)> {
    let mut found: Vec<FieldStart> = Vec::new();
    let starts = text.char_indices().filter(|(_, c)| c.is_whitespace() || matches!(c, ',' | '，'));
    for at in [0].into_iter().chain(starts.map(|(at, c)| at + c.len_utf8())) {
        let Some((name, key, value)) = key_at(&text[at..]) else { continue };
        let open = |mark: &FieldStart| matches!(mark.name, Key::Value | Key::Return);
        if found.last().is_some_and(|mark| open(mark) || mark.key == at + key) {
            continue;
        }
        found.push(FieldStart {
            start: at,
            key: at + key,
            value: at + value,
            name,
            rank: Rank::Blanks,
        });
    }
    if found.first().is_none_or(|mark| !text[..mark.key].trim().is_empty()) {
        return Vec::new();
    }
    let ends = found.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    found.iter().zip(ends).map(|(m, end)| (m.name, text[m.value..end].trim().to_owned())).collect()
}

/// The separator before a key, from strong to weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Tab,
    Line,
    Blanks,
}

/// A place where a field may begin.
#[derive(Debug, Clone, Copy)]
struct FieldStart {
    /// Where its separator starts.
    start: usize,
    key: usize,
    value: usize,
    name: Key,
    rank: Rank,
}

fn marks(text: &str) -> Vec<FieldStart> {
    let mut marks = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (rank, next) = separator(text, at);
        let found = || key_at(&text[next..]).or_else(|| key_behind_tab(text, at, next));
        if let Some(rank) = rank
            && let Some((name, key, value)) = found()
        {
            marks.push(FieldStart { start: at, key: next + key, value: next + value, name, rank });
            at = next + value;
        } else {
            at = next.max(at + text[at..].chars().next().map_or(1, char::len_utf8));
        }
    }
    marks
}

/// The separator at this offset, and where it ends. The start of the text counts as a tab.
fn separator(text: &str, at: usize) -> (Option<Rank>, usize) {
    let rest = &text[at..];
    // A tab or newline spelled as an escape.
    let spelled = rest.starts_with("\\t") || rest.starts_with("\\n");
    let length = if spelled { 2 } else { rest.len() - rest.trim_start().len() };
    let run = &rest[..length];
    let rank = if run.contains('\t') || run == "\\t" || at == 0 {
        Some(Rank::Tab)
    } else if run.contains('\n') || run == "\\n" {
        Some(Rank::Line)
    } else if 1 < run.chars().count() {
        Some(Rank::Blanks)
    } else {
        None
    };
    (rank, at + length)
}

/// The key at the start of a text, and where its name and its value start. List markers and emphasis
/// around it are ignored. A blank before the colon makes it ordinary text, which [`part_field_names`]
/// relies on.
fn key_at(text: &str) -> Option<(Key, usize, usize)> {
    let decoration = |c: char| matches!(c, '-' | '*' | '•' | '>' | '`' | '"' | '#' | ' ');
    let start = text.char_indices().take(8).find(|(_, c)| !decoration(*c))?.0;
    let bare = &text[start..];
    let name: &str = bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let key = named(name)?;
    let after = bare[name.len()..].trim_start_matches(['*', '`', '"']);
    let value = after.strip_prefix([':', '：']).or_else(|| {
        // As `coordinate=[500,300]`, in the manner of other families.
        let place = after.strip_prefix('=')?;
        (key == Key::Point && place.trim_start().starts_with(['[', '('])).then_some(place)
    })?;
    // Emphasis that starts before the key may end after the colon.
    let value = if text[..start].contains('*') { value.trim_start_matches('*') } else { value };
    Some((key, start, text.len() - value.len()))
}

/// A key behind a real tab, whatever its name. A line's indentation is no such tab, and an address no field.
fn key_behind_tab(text: &str, separator: usize, at: usize) -> Option<(Key, usize, usize)> {
    let before = &text[separator..at];
    let rest = &text[at..];
    let end = rest.bytes().take(21).position(|b| !b.is_ascii_lowercase() && b != b'_')?;
    let value = rest[end..].strip_prefix(':').filter(|value| !value.starts_with("//"))?;
    // Of a number or an address to write to it is the beginning.
    let is_address = matches!(&rest[..end], "tel" | "mailto" | "sms" | "geo");
    let parts = before.contains('\t') && !before.contains('\n') && 0 < end && !is_address;
    let name = if &rest[..end] == "key" { Key::Pressed } else { Key::Unknown };
    parts.then_some((name, 0, rest.len() - value.len()))
}

fn named(name: &str) -> Option<Key> {
    let key = match name.to_ascii_lowercase().as_str() {
        "action" | "action_type" => Key::Action,
        "explain" | "explanation" => Key::Explain,
        "point" | "coordinate" => Key::Point,
        "point1" | "start_point" => Key::Point1,
        "point2" | "end_point" => Key::Point2,
        "value" => Key::Value,
        "return" => Key::Return,
        "summary" => Key::Summary,
        "verify" => Key::Verify,
        "note" => Key::Note,
        "key_process" => Key::Milestone,
        "cot" => Key::Thought,
        "duration" => Key::Duration,
        "direction" => Key::Direction,
        "keyboard" | "keyboard_exists" | "is_keyboard" => Key::Keyboard,
        "clear" => Key::Clear,
        "submit" | "press_enter" => Key::Submit,
        "status" => Key::Status,
        "plan" | "search_type" | "is_auto_close" | "close_reasons" => Key::Unused,
        _ => return None,
    };
    Some(key)
}

/// Whether this is the name of the action's field.
pub(super) fn is_action(name: &str) -> bool {
    named(name) == Some(Key::Action)
}

/// The first word of a text, and the rest.
pub(super) fn head(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}

/// Puts a blank between the name of a field and its colon, which makes both ordinary text.
pub(in super::super) fn part_field_names(text: &str) -> String {
    let mut parted = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if matches!(c, ':' | '：') {
            let head = text[..at].trim_end_matches(['*', '`', '"']);
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let start = head.char_indices().rev().take(16).take_while(|(_, c)| is_name(*c)).last();
            let start = start.map_or(head.len(), |(start, _)| start);
            let word = &head[start..];
            // A tab or newline spelled as an escape separates fields like a real one.
            let behind_escape =
                head[..start].ends_with('\\').then(|| word.get(1..).unwrap_or_default());
            if named(word).is_some() || behind_escape.is_some_and(|word| named(word).is_some()) {
                parted.push(' ');
            }
        }
        parted.push(c);
    }
    parted
}

/// Chooses among the places where fields may start.
fn weigh(text: &str, marks: &[FieldStart]) -> Result<Vec<FieldStart>, ParseError> {
    let after_tab = |key| marks.iter().any(|mark| mark.name == key && mark.rank == Rank::Tab);
    // Values that start after a tab, each with its end and whether a tab ends it.
    let values: Vec<(usize, usize, bool)> = marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| mark.name == Key::Value && mark.rank == Rank::Tab)
        .map(|(i, mark)| {
            let next = marks[i + 1..].iter().find(|mark| mark.rank == Rank::Tab);
            (mark.value, next.map_or(text.len(), |mark| mark.start), next.is_some())
        })
        .collect();
    let word = |mark: &FieldStart| {
        let word = head(text[mark.value..].trim_start()).0;
        VERBS.knows(word).then_some(word)
    };
    let firm = marks.iter().find(|m| m.name == Key::Action && m.rank == Rank::Tab).and_then(word);
    let mut kept = Vec::new();
    for mark in marks {
        let within = values.iter().find(|(from, to, _)| (*from..*to).contains(&mark.start));
        if mark.rank == Rank::Tab {
            kept.push(*mark);
        } else if after_tab(mark.name) {
            let same = |word| firm.is_some_and(|firm| VERBS.same_verb(word, firm));
            let other = word(mark).is_some_and(|word| !same(word));
            if mark.name == Key::Action && within.is_none() && other {
                return Err(contradiction());
            }
        } else if !within.is_some_and(|(_, _, whole)| *whole)
            || matches!(mark.name, Key::Summary | Key::Point)
        {
            kept.push(*mark);
        }
    }
    Ok(kept)
}

/// The error for a reply that names two actions.
pub(super) fn contradiction() -> ParseError {
    ParseError::new("it holds more than one action; name exactly one in the field `action`")
}

#[cfg(test)]
mod tests;
