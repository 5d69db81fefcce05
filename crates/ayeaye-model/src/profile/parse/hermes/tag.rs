//! The tags around a call.
use super::super::values::fold_name;

/// One tag of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    /// Where it starts.
    pub start: usize,
    /// Where the text after it starts.
    pub end: usize,
    /// Whether it is a closing tag.
    pub closes: bool,
}

/// The first tag of a call from `from` on: in any case, with blanks inside, with `-` for `_`, or an
/// opening tag without its `>`.
pub(super) fn next(text: &str, from: usize) -> Option<Tag> {
    text[from..].match_indices('<').find_map(|(at, _)| at_bracket(text, from + at))
}

/// The tag at the start of a text.
pub(super) fn leading(text: &str) -> Option<Tag> {
    text.starts_with('<').then(|| at_bracket(text, 0)).flatten()
}

fn at_bracket(text: &str, start: usize) -> Option<Tag> {
    let inside = text[start + 1..].trim_start();
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, inside),
    };
    let end = inside
        .bytes()
        .take(12)
        .position(|b| !b.is_ascii_alphabetic() && b != b'_' && b != b'-')
        .unwrap_or(inside.len().min(12));
    let (name, rest) = inside.split_at(end);
    if !matches!(fold_name(name).as_str(), "toolcall" | "toolcalls") {
        return None;
    }
    let behind = rest.trim_start();
    match behind.strip_prefix('>') {
        Some(behind) => Some(Tag { start, end: text.len() - behind.len(), closes }),
        None if closes && behind.is_empty() => None,
        None if closes || behind.starts_with('{') => {
            Some(Tag { start, end: text.len() - rest.len(), closes })
        }
        None => None,
    }
}
