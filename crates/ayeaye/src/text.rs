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
}
