//! Makes foreign text safe to print: bounded, on one line or several, without control sequences.
mod encoding;

use ayeaye_agent::is_unseen;

pub use encoding::{utf8, with_ends_of, without_mark};

/// The text, or its first `max - 1` characters and an ellipsis.
pub fn truncate(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('\u{2026}');
    short
}

/// The text on one line, without control characters, and without what is not seen and changes how the rest
/// is shown.
pub fn one_line(text: &str) -> String {
    lines(text).replace('\n', " ")
}

/// The text with its lines, without control characters, and without what is not seen and changes how the rest is shown.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| match c {
            // What parts words or lines goes on doing so: two numbers are not one.
            '\t' => ' ',
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            c => c,
        })
        .filter(|c| *c == '\n' || (!c.is_control() && !is_unseen(*c)))
        .collect()
}

/// The text with its lines as [`lines`] has it, of at most `max` characters.
pub fn short_lines(text: &str, max: usize) -> String {
    truncate(&lines(text), max)
}

/// Written JSON in which nothing is left that a terminal obeys. It is still the same JSON.
pub fn json_for_terminals(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !(c.is_control() || is_unseen(c)) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            safe.extend(["\\u", &format!("{unit:04x}")]);
        }
    }
    safe
}

/// The first `max` characters without control characters, to quote input in an error.
pub fn excerpt(text: &str, max: usize) -> String {
    text.chars().filter(|c| !c.is_control() && !is_unseen(*c)).take(max).collect()
}

/// A word as a shell takes it: that of Windows is PowerShell.
pub fn shell_word(word: &str) -> String {
    word_for(word, cfg!(windows))
}

fn word_for(word: &str, windows: bool) -> String {
    let safe = if windows { "/._-:=+" } else { "/._-:=+@,%" };
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || safe.contains(c)) {
        word.to_owned()
    } else if windows {
        word_for_powershell(word)
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// In the marks that cmd and Git's shell take too, where nothing in it is special there.
fn word_for_powershell(word: &str) -> String {
    // Before the mark at the end a backslash counts twice.
    let backslashes = "\\".repeat(word.len() - word.trim_end_matches('\\').len());
    if word.contains('"') {
        // Windows PowerShell drops such marks, and later ones do not: no line is good for both.
        "\"\u{2026}\"".to_owned()
    } else if word.contains(['$', '`', '\u{201c}', '\u{201d}', '\u{201e}']) {
        // It takes the marks of print for those of a keyboard.
        let is_mark = |c: char| matches!(c, '\'' | '\u{2018}'..='\u{201b}');
        let twice = word.chars().flat_map(|c| std::iter::repeat_n(c, 1 + usize::from(is_mark(c))));
        format!("'{}{backslashes}'", twice.collect::<String>())
    } else {
        format!("\"{word}{backslashes}\"")
    }
}

/// The text of a file, for a line for a shell, inside double quotes.
pub fn text_of_file_in_shell(path: &str, windows: bool) -> String {
    format!("$({} '{path}')", if windows { "Get-Content" } else { "cat" })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc\u{202e}d"), "a[2Jb cd");
        assert_eq!(lines("a\nb\u{7}"), "a\nb");
        assert_eq!(one_line("a\u{61c}b\u{200b}c\u{2028}d\u{9b}31m"), "abc d31m");
        assert_eq!(lines("a\u{2028}b\u{202e}\u{feff}\n"), "a\nb\n");
        assert_eq!(lines("Send 5\t000"), "Send 5 000");
        assert_eq!(lines("5\r000\r\n1"), "5\n000\n1");
        assert_eq!(excerpt("a\u{7}bcd", 3), "abc");
    }

    #[test]
    fn json_keeps_its_meaning_and_orders_no_terminal_about() {
        let evil = "a\u{9b}31m\u{202e}b\u{e0041}\u{200b}\n\"ü";
        let value = serde_json::json!({ "message": evil });
        let shown = json_for_terminals(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{e0041}', '\u{200b}']), "{shown:?}");
        assert!(shown.contains('ü') && shown.contains('\n'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
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

    #[test]
    fn a_word_for_a_shell_is_quoted_where_it_must_be() {
        for (word, unix, windows) in [
            ("it's", r"'it'\''s'", "\"it's\""),
            ("", "''", "\"\""),
            ("a/b.c", "a/b.c", "a/b.c"),
            ("@a,b", "@a,b", "\"@a,b\""),
            (r"C:\my data\", r"'C:\my data\'", r#""C:\my data\\""#),
            ("for $5, it's", r"'for $5, it'\''s'", "'for $5, it''s'"),
            (
                "\u{201c}Trip\u{201d} of Anna\u{2019}s",
                "'\u{201c}Trip\u{201d} of Anna\u{2019}s'",
                "'\u{201c}Trip\u{201d} of Anna\u{2019}\u{2019}s'",
            ),
            ("tell \"Anna\" hi", "'tell \"Anna\" hi'", "\"\u{2026}\""),
        ] {
            assert_eq!(
                (word_for(word, false), word_for(word, true)),
                (unix.to_owned(), windows.to_owned())
            );
        }
        assert_eq!(text_of_file_in_shell("/d/t", false), "$(cat '/d/t')");
        assert_eq!(text_of_file_in_shell(r"C:\d\t", true), r"$(Get-Content 'C:\d\t')");
    }
}
