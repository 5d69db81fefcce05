//! What a client has sent that is no text by the rules: bytes that are not UTF-8, and half a character as an escape
//! (`\ud83d`, as programs write it that cut a text by its UTF-16 units).

use ayeaye_model::without_halves;

/// The line with U+FFFD in the place of each; `None` if it has none.
pub(super) fn mended(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let mended = match without_halves(text.as_bytes()) {
        Some(whole) => String::from_utf8(whole).expect("whole characters took the place of others"),
        None => text.into_owned(),
    };
    (mended.as_bytes() != line).then_some(mended)
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
