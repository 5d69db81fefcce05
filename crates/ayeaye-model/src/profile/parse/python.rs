//! Calls in Python's notation: `name(arg='...', other=[1, 2])`.
//!
//! Models forget to escape quotes within a text. The text then reaches to the quote before the next
//! argument or the last bracket; a call that could end in two places is rejected.
use ayeaye_agent::ParseError;

use serde_json::Value;

use super::{ParsedCall, excerpt, reject};
use crate::profile::escape::{is_unsafe, unicode_escape};

mod points;

/// A call with its arguments as texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TextCall {
    /// As written.
    pub name: String,
    /// Name and value of each argument, in order. The name is empty if there is none.
    pub args: Vec<(String, String)>,
    /// The other names that its arguments had, which are left out as by the models' own clients.
    pub left_out: Vec<String>,
}

impl TextCall {
    /// The call, unless an argument has two different values.
    fn into_call(self) -> Result<ParsedCall, ParseError> {
        if MAX_ARGS < self.args.len() {
            return reject("its action has too many arguments");
        }
        let mut call =
            ParsedCall { name: self.name, left_out: self.left_out, ..ParsedCall::default() };
        for (name, value) in self.args {
            if name.is_empty() {
                call.positional.push(value);
                continue;
            }
            let value = Value::from(value);
            if call.args.get(&name).is_some_and(|before| *before != value) {
                return reject(format!("it says {} twice, in two ways", excerpt(&name)));
            }
            call.args.insert(name, value);
        }
        Ok(call)
    }
}

const MAX_ARGS: usize = 16;
/// How many calls of a reply are compared.
const MAX_CALLS: usize = 64;

fn same(known: &str, name: &str) -> bool {
    known.eq_ignore_ascii_case(name)
}

/// What is said of a reply with several different actions.
pub(crate) const SEVERAL: &str = "it holds more than one action; reply with the next one alone";

/// The single call of a reply. Repetitions are accepted, different calls are rejected.
pub(crate) fn only(calls: Vec<TextCall>) -> Result<ParsedCall, ParseError> {
    let mut calls = calls.into_iter();
    let Some(first) = calls.next() else {
        return reject("it names no action");
    };
    if calls.any(|other| other != first) {
        return reject(SEVERAL);
    }
    first.into_call()
}

/// The name at the start of a text that goes on like a call, and the rest.
pub(crate) fn head(text: &str) -> Option<(&str, &str)> {
    // No verb has a longer name.
    let end = text.bytes().take(41).position(|b| !b.is_ascii_alphanumeric() && b != b'_')?;
    let (name, rest) = text.split_at(end);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let rest = rest.trim_start();
    (begins && rest.starts_with(['(', '（'])).then_some((name, rest))
}

/// A text without a fence or backticks around it.
pub(crate) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    if let Some(inside) = text.strip_prefix("```") {
        let inside = match inside.split_once('\n') {
            Some((language, rest)) if language.trim().chars().all(char::is_alphanumeric) => rest,
            _ => inside,
        };
        return inside.trim_end().strip_suffix("```").unwrap_or(inside).trim();
    }
    let inside = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inside.unwrap_or(text).trim()
}

/// The calls that a text consists of. `known` are the names of arguments.
pub(crate) fn calls(text: &str, known: &[&str]) -> Result<Vec<TextCall>, ParseError> {
    let text = without_full_stop(text.trim());
    if head(text).is_none() {
        return reject("it names no action; write one call of an action, such as press_back()");
    }
    match strict(text, known).or_else(|| Some(vec![points::call(text, known)?])) {
        Some(calls) => Ok(calls),
        None => Ok(vec![loose(text, known)?]),
    }
}

/// A call without the full stop of the sentence that it ends.
fn without_full_stop(text: &str) -> &str {
    let call = text.strip_suffix(['.', '。']).unwrap_or(text).trim_end();
    if call.ends_with([')', '）']) { call } else { text }
}

/// Whether a text is one call whose texts are all properly quoted.
pub(crate) fn is_strict(text: &str, known: &[&str]) -> bool {
    strict(text, known).is_some_and(|calls| calls.len() == 1)
}

/// Whether a call that can be read may be half of one: half of `f("a("b") c")` looks whole, too, where it ends behind
/// the first of its closing brackets. Then more of them are open than closed.
pub(crate) fn may_be_cut(text: &str, known: &[&str]) -> bool {
    let count = |of: [char; 2]| text.matches(of).count();
    count([')', '）']) < count(['(', '（'])
        && strict(text, known).is_none()
        && points::call(text, known).is_none()
}

/// Calls whose texts are all properly quoted.
fn strict(text: &str, known: &[&str]) -> Option<Vec<TextCall>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (call, behind) = one(rest, known)?;
        found.push(call);
        rest = behind.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if found.len() == MAX_CALLS && !rest.is_empty() {
            return None;
        }
    }
    Some(found)
}

/// The call at the start of a text, if its texts are all properly quoted, and what stands behind it.
pub(crate) fn one<'a>(text: &'a str, known: &[&str]) -> Option<(TextCall, &'a str)> {
    let (name, rest) = head(text)?;
    let mut call = TextCall { name: name.to_owned(), ..TextCall::default() };
    let mut rest = opened(rest)?.trim_start();
    if let Some(behind) = closed(rest) {
        return Some((call, behind));
    }
    for _ in 0..=MAX_ARGS {
        let named = argument(rest, known);
        let other = if named.is_none() { other_argument(rest) } else { None };
        let (name, after) = named.unwrap_or(("", other.map_or(rest, |(_, after)| after)));
        let (value, after) = value(after)?;
        match other {
            Some((name, _)) => call.left_out.push(name.to_owned()),
            None => call.args.push((name.to_owned(), value)),
        }
        rest = after.trim_start();
        if let Some(behind) = closed(rest) {
            return Some((call, behind));
        }
        rest = rest.strip_prefix([',', '，'])?.trim_start();
        if let Some(behind) = closed(rest) {
            return Some((call, behind));
        }
    }
    None
}

fn opened(text: &str) -> Option<&str> {
    text.strip_prefix(['(', '（'])
}

/// What stands behind a closing bracket.
pub(crate) fn closed(text: &str) -> Option<&str> {
    text.strip_prefix([')', '）'])
}

/// The name of an argument, and the text after its equals sign.
fn argument<'a, 'k>(text: &'a str, known: &[&'k str]) -> Option<(&'k str, &'a str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = text.split_at(end);
    let name = known.iter().find(|it| same(it, name))?;
    let rest = rest.trim_start().strip_prefix(['=', '＝'])?;
    Some((name, rest.trim_start()))
}

/// The other name of an argument, and the text after its equals sign. Of `x=500, y=300` the names are part of a place.
fn other_argument(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = text.split_at(end);
    let value = rest.trim_start().strip_prefix(['=', '＝'])?.trim_start();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let of_place = ["x", "y"].iter().any(|axis| same(axis, name));
    (is_name && !of_place && !value.starts_with('=')).then_some((name, value))
}

const QUOTES: [(char, char); 4] = [('\'', '\''), ('"', '"'), ('“', '”'), ('‘', '’')];

/// A value, and the rest of the text.
fn value(text: &str) -> Option<(String, &str)> {
    if let Some((open, close)) = QUOTES.iter().find(|(open, _)| text.starts_with(*open)) {
        let inside = &text[open.len_utf8()..];
        let mut escaped = false;
        for (at, c) in inside.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == *close => {
                    return Some((unescaped(&inside[..at]), &inside[at + c.len_utf8()..]));
                }
                _ => {}
            }
        }
        return None;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '（' => depth += 1,
            ')' | ']' | '}' | '）' if 0 < depth => depth -= 1,
            ')' | '）' | ',' | '，' if depth == 0 => {
                let value = text[..at].trim();
                return (!value.is_empty()).then(|| (value.to_owned(), &text[at..]));
            }
            '\'' | '"' | '\n' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// One call with a text that holds quotes like those around it.
fn loose(text: &str, known: &[&str]) -> Result<TextCall, ParseError> {
    let open = || ParseError::new("its action has no end; close its text and its bracket");
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let (name, rest) = head(text).ok_or_else(open)?;
    let inside = opened(rest).and_then(|rest| rest.strip_suffix([')', '）'])).ok_or_else(open)?;
    let inside = inside.trim();
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, comma) in inside.char_indices().filter(|(_, c)| matches!(c, ',' | '，')) {
        let behind = at + comma.len_utf8();
        let ends = inside[start..at].trim_end().ends_with(|c: char| "'\"”’])>".contains(c));
        if ends && argument(inside[behind..].trim_start(), known).is_some() {
            pieces.push(&inside[start..at]);
            start = behind;
        }
        if MAX_ARGS < pieces.len() {
            return reject("its action has too many arguments");
        }
    }
    pieces.push(inside[start..].trim_end_matches([',', '，']));
    let mut call = TextCall { name: name.to_owned(), ..TextCall::default() };
    for piece in pieces {
        let piece = piece.trim();
        let (name, written) = argument(piece, known).unwrap_or(("", piece));
        call.args.push((name.to_owned(), within(written)?));
    }
    Ok(call)
}

/// The text between the first and the last quote of a value.
fn within(written: &str) -> Result<String, ParseError> {
    let Some((open, close)) = QUOTES.iter().find(|(open, _)| written.starts_with(*open)) else {
        if written.contains(['\'', '"']) {
            return reject(format!("{} is not a value; put it in quotes", excerpt(written)));
        }
        // What stands between the brackets of two calls, as in `f() or g()`.
        if closes_more(written) {
            return reject(SEVERAL);
        }
        return Ok(written.to_owned());
    };
    let inside = written[open.len_utf8()..].strip_suffix(*close).ok_or_else(|| {
        ParseError::new(format!("the text {} has no closing quote", excerpt(written)))
    })?;
    // Another quote could be the closing one, too.
    let last_word = inside.rfind(char::is_alphanumeric).unwrap_or(0);
    for (at, _) in inside.match_indices(*close) {
        let behind = inside[at + close.len_utf8()..].trim_start();
        if closed(behind).is_some() && at < last_word || goes_on(behind) {
            return reject(
                "it could end in two places; put a backslash before each quote inside a text, and \
                 reply with one action",
            );
        }
    }
    Ok(unescaped(inside))
}

/// Whether a bracket in a text closes none of its own, and another one stays open, as between two calls.
fn closes_more(text: &str) -> bool {
    let (mut depth, mut closes) = (0_usize, false);
    for c in text.chars() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' if depth == 0 => closes = true,
            ')' | '）' => depth -= 1,
            _ => {}
        }
    }
    closes && depth > 0
}

/// Whether a text goes on with another argument of any name.
pub(crate) fn goes_on(text: &str) -> bool {
    let Some(rest) = text.strip_prefix([',', '，']) else { return false };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let behind = rest[end..].trim_start();
    0 < end
        && behind
            .strip_prefix(['=', '＝'])
            .is_some_and(|it| it.trim_start().starts_with(['\'', '"', '[']))
}

/// Resolves Python's escapes for quotes and newlines.
pub(crate) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(c @ ('\\' | '\'' | '"')) => plain.push(c),
            Some(kind @ ('u' | 'U' | 'x')) => match escaped_character(kind, rest.as_str()) {
                Some((c, length)) => {
                    plain.push(c);
                    rest = rest.as_str()[length..].chars();
                }
                None => plain.extend(['\\', kind]),
            },
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}

/// The character that the hexadecimal digits at the start of a text stand for behind `\u`, `\U` or `\x`, and their
/// length. Beyond U+FFFF it may be two escapes, as in JSON.
fn escaped_character(kind: char, text: &str) -> Option<(char, usize)> {
    let digits = match kind {
        'u' => 4,
        'U' => 8,
        _ => 2,
    };
    let unit = hexadecimal(text, digits)?;
    if let Some(c) = char::from_u32(unit) {
        return Some((c, digits));
    }
    let low = hexadecimal(text.get(digits..)?.strip_prefix("\\u")?, 4)?;
    let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some((c, digits + "\\u".len() + 4))
}

/// The number that a text of this many hexadecimal digits begins with.
fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// A text in quotes of this kind, as [`calls`] parses it. Tags and line ends in it are escaped.
pub(crate) fn quoted(text: &str, quote: char) -> String {
    let mut written = String::from(quote);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            '\\' => written.push_str("\\\\"),
            c if c == quote => written.extend(['\\', c]),
            c if is_unsafe(&text[at..], c) => {
                written += &unicode_escape(c);
            }
            c => written.push(c),
        }
    }
    written.push(quote);
    written
}

#[cfg(test)]
mod tests;
