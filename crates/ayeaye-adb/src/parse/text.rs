//! Strings that come from a phone.
use ayeaye_agent::is_unseen;

/// The most characters that are kept of one.
const MAX_CHARS: usize = 128;

/// A string from a phone, safe to show: without control characters, invisible characters and
/// bidirectional overrides, at most 128 characters.
pub(crate) fn sanitize(text: &str) -> String {
    sanitize_up_to(text, MAX_CHARS)
}

/// The same with another limit, for what a phone says at length.
pub(crate) fn sanitize_up_to(text: &str, most: usize) -> String {
    let shown = |c: &char| !c.is_control() && !is_invisible_format(*c);
    text.chars().filter(shown).take(most).collect::<String>().trim().to_owned()
}

/// The same in quotes. Signs above and below letters, which are parts of words in Hindi, Thai and Arabic, stay as they
/// are; `{:?}` would escape them.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", sanitize(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// The lines of what a phone printed. Recordings that went through an editor begin with a byte order mark.
pub(super) fn lines(text: &str) -> std::str::Lines<'_> {
    text.trim_start_matches('\u{feff}').lines()
}

/// Seconds since 1970 and the seconds that local time is ahead of UTC, from `date '+%s %z'`.
pub(crate) fn clock(text: &str) -> Option<(i64, i32)> {
    let (seconds, offset) = text.trim().split_once(' ')?;
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let known = (0..=18).contains(&hours) && (0..60).contains(&minutes);
    known.then_some((seconds.parse().ok()?, sign * (hours * 3600 + minutes * 60)))
}

/// The first line that is not empty, [sanitized](sanitize). The linker's warnings are none of it: where there is one way
/// out for all that is said, they stand before each answer of some phones.
pub(crate) fn sanitize_first_line(text: &str) -> Option<String> {
    let is_said = |line: &String| !line.is_empty() && !line.starts_with("WARNING: linker:");
    text.lines().map(sanitize).find(is_said)
}

/// What joins letters joins nothing in what is told of a phone.
fn is_invisible_format(c: char) -> bool {
    is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Several commands as one command line, so that they cost one round trip; [`split_batch`] splits
/// their output.
pub(crate) fn batch(commands: &[&str]) -> String {
    commands.join(&format!("; echo {SEPARATOR}; "))
}

/// The outputs of the commands of a [`batch`], in order, without byte order marks before them; a missing one is empty. A
/// line that only contains the separator, as a window's title may, does not separate.
pub(crate) fn split_batch<const N: usize>(output: &str) -> [&str; N] {
    let mut rest = Some(output);
    let mut part = 0;
    std::array::from_fn(|_| {
        part += 1;
        let all = rest.take().unwrap_or_default();
        let Some(at) = separator(all).filter(|_| part < N) else { return without_mark(all) };
        rest = all.get(at + SEPARATOR.len()..);
        without_mark(&all[..at])
    })
}

/// What comes before the first separator and what comes behind it, which begins with a line of its own. `None` where
/// there is none.
pub(crate) fn split_first(output: &str) -> Option<(&str, &str)> {
    let at = separator(output)?;
    let behind = &output[at + SEPARATOR.len()..];
    Some((without_mark(&output[..at]), behind.split_once('\n').map_or("", |(_, rest)| rest)))
}

/// Without the byte order mark that the first line begins with, if it does.
fn without_mark(part: &str) -> &str {
    let first = part.trim_start_matches(['\r', '\n']);
    if first.starts_with('\u{feff}') { first.trim_start_matches('\u{feff}') } else { part }
}

/// Where the first separator is that has a line to itself.
fn separator(text: &str) -> Option<usize> {
    let is_alone = |at: &usize| {
        let before = text[..*at].rsplit('\n').next().unwrap_or_default();
        let behind = text[at + SEPARATOR.len()..].split('\n').next().unwrap_or_default();
        before.trim().is_empty() && behind.trim().is_empty()
    };
    text.match_indices(SEPARATOR).map(|(at, _)| at).find(is_alone)
}

/// What stands between the outputs of a [`batch`].
pub(crate) const SEPARATOR: &str = "--ayeaye--";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_deceive_a_reader_is_taken_out() {
        assert_eq!(sanitize("Pixel\u{202e} 7\x1b[31m\n"), "Pixel 7[31m");
        assert_eq!(sanitize(&"长".repeat(200)).chars().count(), 128);
        assert_eq!(sanitize_first_line("\n \nPixel 7\r\nmore"), Some("Pixel 7".to_owned()));
        assert_eq!(sanitize_first_line("\u{feff}\n"), None);
        let warning = "WARNING: linker: Warning: failed to find generated linker configuration\r\n";
        assert_eq!(sanitize_first_line(&format!("{warning}30\r\n")), Some("30".to_owned()));
        assert_eq!(sanitize_first_line(warning), None);
    }

    #[test]
    fn a_name_in_quotes_is_told_as_it_is_written() {
        for name in ["संदेश", "ข้อความ", "الرَّسائل", "Café"] {
            assert_eq!(quoted(name), format!("\"{name}\""));
        }
        for name in ["Notes", "a\"b", "a\\b", "it's"] {
            assert_eq!(quoted(name), format!("{name:?}"));
        }
        assert_eq!(quoted("a\u{202e}\nb"), "\"ab\"");
    }

    #[test]
    fn clocks_are_read_with_their_offset() {
        assert_eq!(clock("1778594400 +0530\n"), Some((1_778_594_400, 19_800)));
        assert_eq!(clock("1778594400 -0330"), Some((1_778_594_400, -12_600)));
        for wrong in ["", "date: bad", "1 +9900", "1 0530", "x +0100", "1 +é1"] {
            assert_eq!(clock(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn joined_commands_come_apart_again() {
        assert_eq!(batch(&["a", "b"]), "a; echo --ayeaye--; b");
        assert_eq!(split_batch("1\n--ayeaye--\n2\n"), ["1\n", "\n2\n"]);
        assert_eq!(split_batch("1"), ["1", "", ""]);
        assert_eq!(split_batch("1\r\n--ayeaye--\r\n2"), ["1\r\n", "\r\n2"]);
        assert_eq!(
            split_batch("\u{feff}1\n--ayeaye--\r\n\u{feff}2\n--ayeaye--\n3\u{feff}\n"),
            ["1\n", "2\n", "\n3\u{feff}\n"]
        );
        assert_eq!(
            split_first("1\r\n--ayeaye--\r\n2\n--ayeaye--\n3"),
            Some(("1\r\n", "2\n--ayeaye--\n3"))
        );
        assert_eq!(split_first("1\n--ayeaye--"), Some(("1\n", "")));
        assert_eq!(split_first("1\n2"), None);
        let titled = "Window #1 Window{1 u0 --ayeaye--mInputStarted=false}:\n";
        assert_eq!(split_batch(&format!("{titled}--ayeaye--\n2")), [titled, "\n2"]);
    }
}
