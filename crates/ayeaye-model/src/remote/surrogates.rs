//! Characters whose two halves in UTF-16 come apart.
//!
//! Beyond U+FFFF a character is two escapes in JSON, `\ud83d\ude42`. Relays that cut a text by UTF-16 units send one in
//! one piece of a stream and the other in the next. Each piece is JSON by its grammar, and no text of ours can hold
//! half a character. Until the reply is whole a half is three noncharacters instead, which Unicode keeps for use
//! inside a program.
use std::borrow::Cow;

use serde_json::Value;

use crate::profile::strict_json;

/// The first of the noncharacters that stand for the upper three of a half's eleven bits.
const LEAD: u16 = 0xfde0;
/// The first of those that stand for four bits, twice behind it.
const NIBBLE: u16 = 0xfdd0;

/// Any complete JSON value in which no key has two values, with stand-ins for halves of characters.
pub(super) fn json_with_halves(text: &[u8]) -> Result<Value, serde_json::Error> {
    strict_json(text).or_else(|error| match stand_ins(text) {
        Some(text) => strict_json(&text),
        None => Err(error),
    })
}

/// The JSON with U+FFFD for each escape that is half a character; `None` if it has none.
pub fn without_halves(json: &[u8]) -> Option<Vec<u8>> {
    replaced(json, |_, json| json.extend_from_slice("\u{fffd}".as_bytes()))
}

/// The JSON with a stand-in for each escape that is half a character; `None` if it has none.
fn stand_ins(json: &[u8]) -> Option<Vec<u8>> {
    replaced(json, |half, json| {
        for unit in stand_in(half) {
            json.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        }
    })
}

/// The JSON with what `write` puts in the place of each escape that is half a character; `None` if it has none.
fn replaced(json: &[u8], write: impl Fn(u16, &mut Vec<u8>)) -> Option<Vec<u8>> {
    let mut replaced = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(backslash) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += backslash;
        at += match escape_at(json, at) {
            None => 2,
            Some(0xd800..0xdc00) if matches!(escape_at(json, at + 6), Some(0xdc00..0xe000)) => 12,
            Some(half @ 0xd800..0xe000) => {
                replaced.extend_from_slice(&json[copied..at]);
                write(half, &mut replaced);
                copied = at + 6;
                6
            }
            Some(_) => 6,
        };
        if json.len() <= at {
            break;
        }
    }
    if copied == 0 {
        return None;
    }
    replaced.extend_from_slice(&json[copied..]);
    Some(replaced)
}

/// The UTF-16 unit of an escape.
fn escape_at(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u16::from_str_radix(str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

fn stand_in(half: u16) -> [u16; 3] {
    [LEAD + (half >> 8 & 7), NIBBLE + (half >> 4 & 15), NIBBLE + (half & 15)]
}

/// The text with its halves joined; one that has remained alone is U+FFFD.
pub(super) fn join_halves(text: &str) -> Cow<'_, str> {
    if !text.contains(is_lead) {
        return Cow::Borrowed(text);
    }
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    let mut buffer = [0; 2];
    while let Some(c) = rest.next() {
        match half_at(c, rest.as_str()) {
            Some(half) => {
                units.push(half);
                rest.nth(1);
            }
            None => units.extend_from_slice(c.encode_utf16(&mut buffer)),
        }
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

fn is_lead(c: char) -> bool {
    matches!(c, '\u{fde0}'..='\u{fde7}')
}

/// The half that a character begins the stand-in of.
fn half_at(lead: char, behind: &str) -> Option<u16> {
    let nibble = |c: char| {
        let unit = u16::try_from(u32::from(c)).ok()?;
        unit.checked_sub(NIBBLE).filter(|it| *it < 16)
    };
    let mut behind = behind.chars();
    let (middle, low) = (nibble(behind.next()?)?, nibble(behind.next()?)?);
    let lead = u16::try_from(u32::from(lead)).ok()?.checked_sub(LEAD).filter(|it| *it < 8)?;
    Some(0xd800 + (lead << 8) + (middle << 4) + low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(json: &str) -> Option<String> {
        let value = json_with_halves(json.as_bytes()).ok()?;
        Some(join_halves(value.as_str()?).into_owned())
    }

    #[test]
    fn a_half_alone_is_a_replacement_character() {
        for (json, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\uDE42b""#, "\u{fffd}b"),
            (r#""\ude42\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude42""#, "\u{fffd}🙂"),
            (r#""\ud83d\n""#, "\u{fffd}\n"),
            // Those are a backslash and letters.
            (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
        ] {
            assert_eq!(read(json).as_deref(), Some(text), "{json}");
        }
        for broken in
            [r#""\ud83d"#, r#""\ud83"#, r#""\ud83d\"#, r#""\u+83d""#, r#"{"\ud83d":1,"\ud83d":2}"#]
        {
            assert_eq!(read(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_text_without_halves_stays_as_it_is() {
        for text in ["", "🙂", "\u{fde1}", "\u{fdd0}\u{fdd1}", "\u{fde0}\u{fdd0}x"] {
            assert_eq!(join_halves(text), text);
        }
    }

    /// A string of JSON in which everything is an escape.
    fn escaped(units: &[u16]) -> String {
        let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", escapes.concat())
    }

    proptest! {
        #[test]
        fn a_text_cut_between_any_two_units_is_whole_again(text in ".*", cuts in prop::collection::vec(0_usize..40, 0..6)) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut joined = String::new();
            let mut ends: Vec<usize> = cuts.into_iter().map(|at| at.min(units.len())).collect();
            ends.push(units.len());
            ends.sort_unstable();
            let mut from = 0;
            for end in ends {
                let json = escaped(&units[from..end]);
                joined.push_str(json_with_halves(json.as_bytes()).unwrap().as_str().unwrap());
                from = end;
            }
            prop_assert_eq!(join_halves(&joined), text);
        }

        #[test]
        fn any_units_read_as_they_do_together(units in prop::collection::vec(prop_oneof![0xd7fe_u16..0xe002, any::<u16>()], 0..12)) {
            prop_assert_eq!(read(&escaped(&units)), Some(String::from_utf16_lossy(&units)));
        }
    }
}
