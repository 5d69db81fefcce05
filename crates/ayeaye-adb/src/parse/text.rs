//! Strings that come from a phone.

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

/// The first line that is not empty, [sanitized](sanitize).
pub(crate) fn sanitize_first_line(text: &str) -> Option<String> {
    text.lines().map(sanitize).find(|line| !line.is_empty())
}

fn is_invisible_format(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Several commands as one command line, so that they cost one round trip; [`split_batch`] splits
/// their output.
pub(crate) fn batch(commands: &[&str]) -> String {
    commands.join(&format!("; echo {SEPARATOR}; "))
}

/// The outputs of the commands of a [`batch`], in order; a missing one is empty.
pub(crate) fn split_batch<const N: usize>(output: &str) -> [&str; N] {
    let mut parts = output.splitn(N, SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

const SEPARATOR: &str = "--ayeaye--";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_deceive_a_reader_is_taken_out() {
        assert_eq!(sanitize("Pixel\u{202e} 7\x1b[31m\n"), "Pixel 7[31m");
        assert_eq!(sanitize(&"长".repeat(200)).chars().count(), 128);
        assert_eq!(sanitize_first_line("\n \nPixel 7\r\nmore"), Some("Pixel 7".to_owned()));
        assert_eq!(sanitize_first_line("\u{feff}\n"), None);
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
    }
}
