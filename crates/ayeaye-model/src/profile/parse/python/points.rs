//! Calls whose points are whole, and the quotes, brackets and commas around them are not.
//!
//! Doubao-Seed forgets what stands behind a point's closing tag, or writes another quote there.
use super::{MAX_ARGS, TextCall, argument, head, opened, value};

const OPEN: &str = "<point>";
const CLOSE: &str = "</point>";

/// The one call that a text is. What could be the beginning of a longer one is none.
pub(super) fn call(text: &str, known: &[&str]) -> Option<TextCall> {
    let (name, rest) = head(text)?;
    let mut call = TextCall { name: name.to_owned(), ..TextCall::default() };
    let mut rest = opened(rest)?.trim_start();
    for _ in 0..MAX_ARGS {
        let (name, written) = argument(rest, known)?;
        let found = if name.ends_with("point") { point(written) } else { None };
        let is_point = found.is_some();
        let (value, behind) = match found {
            Some((point, behind)) => (point.to_owned(), behind),
            None => value(written)?,
        };
        call.args.push((name.to_owned(), value));
        rest = behind.trim_start_matches(|c: char| is_mark(c) || is_point && QUOTES.contains(&c));
        let marks = &behind[..behind.len() - rest.len()];
        let closes = marks.contains([')', '）']);
        if rest.is_empty() {
            // A quote that opened nothing is an end, too; the right one alone may have been cut behind.
            let opened = written.chars().next();
            let odd = |c: char| is_point && QUOTES.contains(&c) && Some(c) != opened;
            return (closes || marks.contains(odd)).then_some(call);
        }
        if closes || !is_point && !marks.contains([',', '，']) {
            return None;
        }
    }
    None
}

const QUOTES: [char; 2] = ['\'', '"'];

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, ')' | '）' | ']' | ',' | '，' | ';')
}

/// A point in its tags behind at most one quote, and what stands behind it.
fn point(written: &str) -> Option<(&str, &str)> {
    let tagged = written.strip_prefix(QUOTES).unwrap_or(written);
    let inside = tagged.strip_prefix(OPEN)?;
    let end = inside.find(CLOSE)?;
    let numbers = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '.' | '-');
    let is_point = inside[..end].chars().all(numbers);
    is_point.then(|| tagged.split_at(OPEN.len() + end + CLOSE.len()))
}
