//! What a client has sent that is no text by the rules: bytes that are not UTF-8, and half a character as an escape
//! (`\ud83d`, as programs write it that cut a text by its UTF-16 units).

/// The line with U+FFFD in the place of each; `None` if it has none.
pub(super) fn mended(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let mut mended = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        mended.push_str(before);
        let (kept, length) = match unit(escape) {
            // A backslash, and what it stands before.
            None => (true, 1 + escape[1..].chars().next().map_or(0, char::len_utf8)),
            Some(0xd800..0xdc00) if matches!(unit(&escape[6..]), Some(0xdc00..0xe000)) => {
                (true, 12)
            }
            Some(0xd800..0xe000) => (false, 6),
            Some(_) => (true, 6),
        };
        let (escape, behind) = escape.split_at(length);
        mended.push_str(if kept { escape } else { "\u{fffd}" });
        rest = behind;
    }
    mended.push_str(rest);
    (mended.as_bytes() != line).then_some(mended)
}

/// The UTF-16 unit of the escape that a text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn halves_and_bytes_that_are_no_text_are_replaced() {
        for (line, expected) in [
            (&br#"{"a":"ok \ud83d"}"#[..], Some("{\"a\":\"ok \u{fffd}\"}")),
            (br#""\uDE42b""#, Some("\"\u{fffd}b\"")),
            (br#""\ud83d\ud83d\ude42""#, Some("\"\u{fffd}\\ud83d\\ude42\"")),
            (b"\"a\xffb\"", Some("\"a\u{fffd}b\"")),
            (br#""\ud83d\ude42 \n\\ \"""#, None),
            // Those are a backslash and letters.
            (br#""\\ud83d""#, None),
            (br#""\ud83"#, None),
            (b"\\", None),
            ("\\ü".as_bytes(), None),
        ] {
            let shown = String::from_utf8_lossy(line);
            assert_eq!(mended(line).as_deref(), expected, "{shown}");
        }
    }

    proptest! {
        #[test]
        fn what_is_text_stays_as_it_is(text in ".*") {
            let json = serde_json::to_vec(&text).unwrap();
            prop_assert_eq!(mended(&json), None);
        }

        #[test]
        fn any_escapes_can_be_read_then(units in prop::collection::vec(any::<u16>(), 0..12)) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{}\"", escapes.concat());
            let read: String = serde_json::from_str(&mended(json.as_bytes()).unwrap_or(json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
