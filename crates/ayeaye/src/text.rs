//! Makes foreign text safe to print: bounded, on one line or several, without control sequences.

/// The text, or its first `max - 1` characters and an ellipsis.
pub fn truncate(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('\u{2026}');
    short
}

/// The text on one line, without control characters and bidirectional overrides.
pub fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_bidi(*c))
        .collect()
}

/// The text with its lines kept, without control characters and bidirectional overrides.
pub fn lines(text: &str) -> String {
    text.chars().filter(|c| *c == '\n' || (!c.is_control() && !is_bidi(*c))).collect()
}

/// The first `max` characters without control characters, to quote input in an error.
pub fn excerpt(text: &str, max: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(max).collect()
}

/// Such as "1 step" and "2 steps".
pub fn count(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// An amount of bytes for people, such as "512 B", "29.2 kB" and "1.3 GB".
pub fn bytes(amount: u64) -> String {
    let mut unit = "B";
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut value = amount as f64;
    for larger in ["kB", "MB", "GB", "TB"] {
        // 999.95 would be shown as 1000.0.
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1e3, larger);
    }
    if unit == "B" || 99.95 <= value {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// A time for people, where they are: `2026-10-20 16:03 CEST`.
pub fn local_time(at: jiff::Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M %Z").to_string()
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc\u{202e}d"), "a[2Jb cd");
        assert_eq!(lines("a\nb\u{7}"), "a\nb");
        assert_eq!(excerpt("a\u{7}bcd", 3), "abc");
    }

    #[test]
    fn what_was_cut_says_so() {
        assert_eq!(truncate("häßlich", 7), "häßlich");
        assert_eq!(truncate("häßlich!", 7), "häßlic\u{2026}");
    }

    #[test]
    fn amounts_have_three_digits_and_a_unit() {
        for (amount, said) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (29_249, "29.2 kB"),
            (292_000, "292 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (1 << 30, "1.1 GB"),
        ] {
            assert_eq!(bytes(amount), said);
        }
        assert_eq!(count(1, "step", "steps"), "1 step");
        assert_eq!(count(0, "step", "steps"), "0 steps");
    }
}
