//! How files that people write hold their text: in UTF-8 or not, with a mark before it, with line ends of Windows.
use std::io;

/// The byte order mark that Windows programs put before a text.
const MARK: &str = "\u{feff}";

/// The text without the mark before it.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The text of a file that a person wrote.
///
/// # Errors
///
/// The line in which it is something else, such as the UTF-16 that Windows PowerShell writes and appends: of letters
/// of English every second byte is zero there, which no such text has.
pub fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    let valid = str::from_utf8(&bytes).map_or_else(|err| err.valid_up_to(), str::len);
    let zero = bytes.iter().position(|byte| *byte == 0);
    let foreign = zero.map_or(valid, |zero| zero.min(valid));
    if foreign < bytes.len() {
        let line = bytes[..foreign].split(|byte| *byte == b'\n').count();
        return Err(io::Error::other(format!(
            "line {line} is not text in UTF-8: save the file in that encoding"
        )));
    }
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// The text with the byte order mark of the one that it was made from, and with lines that end as they do
/// there: a parser that knows `\n` alone has lost both. New lines end in `\r\n` if any did.
pub fn with_ends_of(before: &str, after: &str) -> String {
    let mark = if before.starts_with(MARK) && !after.starts_with(MARK) { MARK } else { "" };
    if !before.contains("\r\n") {
        return format!("{mark}{after}");
    }
    let before = without_mark(before);
    let old: Vec<_> = before.split_inclusive('\n').map(line_and_end).collect();
    let (mut rest, mut text) = (&old[..], mark.to_owned());
    for (line, end) in after.split_inclusive('\n').map(line_and_end) {
        text.push_str(line);
        let same = rest.iter().position(|(old, _)| *old == line);
        let was = same.map_or("", |at| rest[at].1);
        rest = &rest[same.map_or(0, |at| at + 1)..];
        text.push_str(match (end, was) {
            ("", _) => "",
            (_, "") => "\r\n",
            (_, was) => was,
        });
    }
    text
}

fn line_and_end(line: &str) -> (&str, &str) {
    let bare = line.strip_suffix('\n').unwrap_or(line);
    line.split_at(bare.strip_suffix('\r').unwrap_or(bare).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_another_encoding_is_told_by_its_line() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(utf8("\u{feff}a\r\nö".into()).unwrap(), "\u{feff}a\r\nö");
        let appended = [b"a\n", &utf16("b\n")[..]].concat();
        for (bytes, line) in [
            (utf16("\u{feff}anna"), 1),
            (utf16("anna"), 1),
            (appended, 2),
            (b"a\nb\nJ\xf6rg".to_vec(), 3),
        ] {
            let told = utf8(bytes).unwrap_err().to_string();
            let expected =
                format!("line {line} is not text in UTF-8: save the file in that encoding");
            assert_eq!(told, expected);
        }
        assert_eq!((without_mark("\u{feff}a"), without_mark("a")), ("a", "a"));
    }

    #[test]
    fn lines_end_as_they_did() {
        let before = "\u{feff}a\r\nb\nc\r\nd";
        assert_eq!(with_ends_of(before, "a\nx\nb\nc\nd"), "\u{feff}a\r\nx\r\nb\nc\r\nd");
        assert_eq!(with_ends_of(before, "c\nd\n"), "\u{feff}c\r\nd\r\n");
        assert_eq!(with_ends_of("a\nb", "a\nx\nb\n"), "a\nx\nb\n");
        assert_eq!(with_ends_of("", "a\n"), "a\n");
    }
}
