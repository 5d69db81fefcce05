//! The UI tree, as `uiautomator dump` prints it.
use std::borrow::Cow;

/// The XML document, without a byte order mark before it and the message after it; the first of several. `None` without
/// a whole document, as when only a stack trace was printed.
pub(crate) fn ui_tree(text: &str) -> Option<&str> {
    let root = text.find("<hierarchy")?;
    let start = text[..root].rfind("<?xml").unwrap_or(root);
    let tag = root + text[root..].find('>')? + 1;
    // A screen without elements: `<hierarchy rotation="0" />`.
    let end = if text[..tag].ends_with("/>") {
        tag
    } else {
        tag + text[tag..].find(CLOSED)? + CLOSED.len()
    };
    text.get(start..end)
}

const CLOSED: &str = "</hierarchy>";

/// The references by name that XML has.
const NAMED: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];

/// The document as XML that can be read: texts of apps may hold characters that XML has none for, and phones write some
/// of those by number all the same, or a character as its two halves in UTF-16. What phones write by number without need,
/// such as 😀, is written as it is: so a text is found again. An `&` that refers to nothing is one: for it the whole
/// document would be refused.
pub(crate) fn with_valid_characters(xml: &str) -> Cow<'_, str> {
    let mut valid = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = xml[at..].find(|c| c == '&' || !is_valid(c)) {
        at += found;
        let rest = &xml[at..];
        let (length, becomes) = match reference(rest) {
            Some((number, length)) => match char::from_u32(number) {
                Some(c) if is_valid(c) => (length, is_plain(c).then_some(c)),
                Some(_) => (length, Some('\u{fffd}')),
                None => match reference(&rest[length..])
                    .and_then(|(low, more)| Some((joined(number, low)?, more)))
                {
                    Some((c, more)) => (length + more, Some(c)),
                    None => (length, Some('\u{fffd}')),
                },
            },
            None if rest.starts_with('&') => {
                if !NAMED.iter().any(|name| rest.starts_with(name)) {
                    valid.push_str(&xml[copied..at]);
                    valid.push_str(NAMED[0]);
                    copied = at + 1;
                }
                (1, None)
            }
            None => (rest.chars().next().map_or(1, char::len_utf8), Some('\u{fffd}')),
        };
        if let Some(c) = becomes {
            valid.push_str(&xml[copied..at]);
            valid.push(c);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(xml);
    }
    valid.push_str(&xml[copied..]);
    Cow::Owned(valid)
}

/// Whether it may stand in an attribute as it is, and stays what it is there.
fn is_plain(c: char) -> bool {
    !matches!(c, '<' | '>' | '&' | '"' | '\'' | '\t' | '\n' | '\r')
}

/// Whether XML 1.0 has this character.
fn is_valid(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// The number of a reference such as `&#55357;` or `&#xd83d;` at the beginning of a text, and its length.
fn reference(text: &str) -> Option<(u32, usize)> {
    /// No number of a character is longer.
    const LONGEST: usize = 12;
    let inside = text.strip_prefix("&#")?;
    let end = inside.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let digits = &inside[..end];
    let (digits, radix) = match digits.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let are_digits = digits.chars().all(|c| c.is_digit(radix));
    Some((u32::from_str_radix(digits, radix).ok().filter(|_| are_digits)?, end + 3))
}

/// The character of two halves.
fn joined(high: u32, low: u32) -> Option<char> {
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    char::decode_utf16(units).next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_has_not_are_replaced_and_halves_are_joined() {
        for (xml, read) in [
            ("a&#0;b", "a\u{fffd}b"),
            ("a&#11;&#xb;b", "a\u{fffd}\u{fffd}b"),
            ("a\u{fffe}b\u{1}", "a\u{fffd}b\u{fffd}"),
            ("&#55357;&#56397;!", "👍!"),
            ("&#xd83d;&#xdc4d;", "👍"),
            ("&#55357;a", "\u{fffd}a"),
            ("&#56397;&#55357;", "\u{fffd}\u{fffd}"),
            ("&#55357;&#55357;&#56397;", "\u{fffd}👍"),
            ("&#1114112;", "\u{fffd}"),
            ("&#128077;&#x1f600;&#65;", "👍😀A"),
            ("a & b &amp; c&", "a &amp; b &amp; c&amp;"),
            ("&#0;&nbsp;&lt;", "\u{fffd}&amp;nbsp;&lt;"),
            ("&#;&#x;&#12", "&amp;#;&amp;#x;&amp;#12"),
            ("&#+65;&#长;", "&amp;#+65;&amp;#长;"),
        ] {
            assert_eq!(with_valid_characters(xml), read, "{xml}");
        }
        for valid in ["", "a &amp; b", "&#10;&#9;&#60;&#38;&#34;&#x27;", "👍\t\n"] {
            assert!(
                matches!(with_valid_characters(valid), Cow::Borrowed(it) if it == valid),
                "{valid}"
            );
        }
    }
}
