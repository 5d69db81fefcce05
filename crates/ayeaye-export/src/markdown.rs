//! Text of others in a page of Markdown, shown as it is: it can neither format nor link, nor load anything.
use crate::text::harmless;

/// A line with all that Markdown or HTML would see in it taken literally. That includes bare addresses, of which
/// GitHub and VS Code make links.
pub(crate) fn literal(line: &str) -> String {
    let line = line.trim();
    let mut out = String::with_capacity(line.len() + 8);
    for (at, char) in line.char_indices() {
        let (before, after) = (&line[..at], &line[at + char.len_utf8()..]);
        match char {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | '#' | '!' => {
                out.extend(['\\', char]);
            }
            ':' if after.starts_with("//") => out.push_str("\\:"),
            '.' if ends_with_www(before) => out.push_str("\\."),
            // Mail addresses are looked for in what is left when backslashes are gone: this parts it.
            '@' if before.ends_with(|it: char| !it.is_whitespace()) => out.push_str("<!-- -->@"),
            '\t' => out.push(' '),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(harmless(char)),
        }
    }
    // What makes a list, a rule or a heading only at the beginning of a line.
    let digits = out.len() - out.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    if out[digits..].starts_with(['.', ')']) && 0 < digits {
        out.insert(digits, '\\');
    } else if out.starts_with(['-', '+', '=']) {
        out.insert(0, '\\');
    }
    out
}

fn ends_with_www(before: &str) -> bool {
    before
        .len()
        .checked_sub(3)
        .and_then(|at| before.get(at..))
        .is_some_and(|it| it.eq_ignore_ascii_case("www"))
}

/// Code, fenced by more backticks than it holds in a row.
pub(crate) fn code(text: &str) -> String {
    let text: String =
        text.chars().map(|it| if it.is_control() { '\u{fffd}' } else { harmless(it) }).collect();
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_formats_or_loads() {
        assert_eq!(literal("# <b>*hi*</b> ![a](b)"), r"\# \<b\>\*hi\*\</b\> \!\[a\](b)");
        assert_eq!(literal("- a"), r"\- a");
        assert_eq!(literal("1. \u{7}\tx"), "1\\. \u{fffd} x");
        assert_eq!(literal("a\u{202e}cod.exe"), "a\u{fffd}cod.exe");
        assert_eq!(code("a\u{202e}b"), "`a\u{fffd}b`");
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
    }

    #[test]
    fn bare_addresses_are_no_links() {
        assert_eq!(literal("see https://evil.example/a"), r"see https\://evil.example/a");
        assert_eq!(literal("WWW.evil.example"), r"WWW\.evil.example");
        assert_eq!(literal("mail a@evil.example"), "mail a<!-- -->@evil.example");
        assert_eq!(literal("at 10:30, @anna, 长www"), "at 10:30, @anna, 长www");
    }
}
