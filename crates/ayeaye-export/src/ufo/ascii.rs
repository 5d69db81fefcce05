//! JSON in ASCII alone. UFO's readers refuse a whole file whose last line was torn inside a letter
//! of several bytes, so there are none.
use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// One line, with its end.
pub(super) fn line(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(4096);
    value
        .serialize(&mut Serializer::with_formatter(&mut out, Ascii))
        .expect("a tree of JSON values is written to memory");
    out.push(b'\n');
    out
}

/// The same without the end, as text.
pub(super) fn text(value: &Value) -> String {
    let mut line = line(value);
    line.pop();
    String::from_utf8(line).expect("ASCII")
}

struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|char: char| !char.is_ascii() || char == '\u{7f}') {
            CompactFormatter.write_string_fragment(writer, &rest[..at])?;
            let char = rest[at..].chars().next().expect("found there");
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + char.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_is_ascii_and_reads_back(text in any::<String>()) {
            let value = serde_json::json!({ "a": text.as_str(), text.as_str(): 1.5 });
            let line = line(&value);
            prop_assert!(line[..line.len() - 1].iter().all(|byte| (0x20..0x7f).contains(byte)));
            prop_assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), value);
        }
    }
}
