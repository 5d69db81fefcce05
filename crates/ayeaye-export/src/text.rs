//! Text as others read it: JSON in ASCII, times without a zone, one-line excerpts.
//!
//! A file that is torn in the middle of a multi-byte character is refused whole by Python's readers;
//! one in ASCII loses its last line at most.
use std::fmt;
use std::io::{self, Write};

use ayeaye_agent::journal::LlmResponse;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// JSON on one line with a space behind `,` and `:`, as Python's `json.dumps` writes it: lengths
/// are counted in it.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    written(value, Spaced)
}

/// JSON over several lines, two spaces a level.
pub(crate) fn json_pretty(value: &impl Serialize) -> String {
    let text = written(value, PrettyFormatter::new());
    let mut out = Vec::with_capacity(text.len());
    // Other characters stand only inside its texts and keys, where they may be escaped.
    escape(&mut out, &text).expect("a Vec takes everything");
    String::from_utf8(out).expect("what is escaped is ASCII")
}

fn written(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut out = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut out, formatter))
        .expect("JSON values and maps with text keys can always be written");
    String::from_utf8(out).expect("a serializer of JSON writes text")
}

/// `2026-01-09T16:07:34.123456`: UTC without saying so, and always six digits, so that sorting as
/// text sorts by time.
pub(crate) fn iso(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string()
}

/// `2026-01-09T16:07:34.123456Z`, which says that it is UTC: RFC 3339. Some readers want as many digits each time.
pub(crate) fn rfc_3339(time: Timestamp) -> String {
    format!("{}Z", iso(time))
}

/// The beginning of a text, without line ends of any kind or other control characters.
pub(crate) fn excerpt(text: &str, longest: usize) -> String {
    let ends_line = |it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}');
    let mut chars = text.chars();
    let shown = |it: char| if ends_line(it) { ' ' } else { harmless(it) };
    let mut short: String = chars.by_ref().take(longest).map(shown).collect();
    if chars.next().is_some() {
        short.push_str("...");
    }
    short
}

/// Lines as they are, but with a mark in place of other control characters, which a terminal would carry out, and of
/// those that turn the direction of what follows.
pub(crate) fn harmless_lines(text: &str) -> String {
    let shown = |it: char| match it {
        '\n' | '\t' => it,
        it if it.is_control() => '\u{fffd}',
        it => harmless(it),
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// What a text may show. Control characters are shown as their pictures; the characters that turn
/// the direction of what follows around could make a text read as something else.
pub(crate) fn harmless(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fffe}'
        | '\u{ffff}' => '\u{fffd}',
        other => other,
    }
}

/// A text of limited length.
pub(crate) fn limited(text: &str, longest: usize) -> &str {
    text.char_indices().nth(longest).map_or(text, |(end, _)| &text[..end])
}

/// What a model replied, word for word; of a reply without words the tools it calls, as JSON.
pub(crate) fn reply_text(response: &LlmResponse) -> Option<String> {
    match &response.raw_content {
        None if response.tool_calls.is_empty() => None,
        Some(text) if !text.is_empty() || response.tool_calls.is_empty() => Some(text.clone()),
        _ => Some(json_line(&response.tool_calls)),
    }
}

/// Formatted text at the end of another.
pub(crate) fn put(text: &mut String, what: fmt::Arguments<'_>) {
    fmt::Write::write_fmt(text, what).expect("a String takes everything");
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        escape(out, fragment)
    }
}

fn escape<W: ?Sized + Write>(out: &mut W, fragment: &str) -> io::Result<()> {
    if fragment.is_ascii() {
        return CompactFormatter.write_string_fragment(out, fragment);
    }
    for char in fragment.chars() {
        if char.is_ascii() {
            out.write_all(&[char as u8])?;
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn json_is_ascii_and_spaced_as_python_writes_it() {
        let value = json!({ "a": [1, "é🦉"], "b": {}, "c": [] });
        assert_eq!(json_line(&value), r#"{"a": [1, "\u00e9\ud83e\udd89"], "b": {}, "c": []}"#);
        let pretty = json_pretty(&value);
        assert!(pretty.is_ascii() && pretty.starts_with("{\n  \"a\": [\n    1,\n"), "{pretty}");
        assert_eq!(serde_json::from_str::<Value>(&pretty).unwrap(), value);
    }

    #[test]
    fn a_time_has_six_digits_even_on_the_second() {
        let time: Timestamp = "2026-01-09T16:07:34Z".parse().unwrap();
        assert_eq!(iso(time), "2026-01-09T16:07:34.000000");
    }

    #[test]
    fn an_excerpt_is_one_line() {
        assert_eq!(excerpt("a\nb\tc", 10), "a b c");
        assert_eq!(excerpt("中文字", 2), "中文...");
        assert_eq!(limited("中文字", 2), "中文");
    }

    #[test]
    fn no_text_turns_the_direction_of_what_follows() {
        let turning = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        for turn in turning.chain(['\u{fdd0}', '\u{fffe}']) {
            let text = format!("pay {turn}01 EUR");
            assert_eq!(excerpt(&text, 100), "pay \u{fffd}01 EUR", "{turn:?}");
            assert_eq!(excerpt("a\u{2028}b\nc", 100), "a b c");
            assert_eq!(harmless_lines(&text), "pay \u{fffd}01 EUR", "{turn:?}");
        }
        // Letters that are written from right to left do so by themselves, and marks between them only help.
        for text in ["שלום", "مرحبا", "a\u{200f}b\u{200e}c"] {
            assert_eq!(
                (excerpt(text, 100), harmless_lines(text)),
                (text.to_owned(), text.to_owned())
            );
        }
    }

    #[test]
    fn lines_carry_nothing_out_in_a_terminal() {
        let text = "a\tb\r\n\u{1b}]0;title\u{7}\rc\u{9b}2J";
        assert_eq!(harmless_lines(text), "a\tb\n\u{fffd}]0;title\u{fffd}\u{fffd}c\u{fffd}2J");
    }
}
