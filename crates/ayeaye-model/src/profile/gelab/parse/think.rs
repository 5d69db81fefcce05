//! The reasoning before a reply's fields: `<THINK> … </THINK>`, and what models make of it.
use super::fields;

/// A reply, cut where its reasoning ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    /// The reasoning, without its tags.
    pub thought: String,
    /// What is left to be read.
    pub body: &'a str,
    /// Reasoning was begun and never ended, so that nobody knows whether `body` is still part of
    /// it.
    pub unclosed: bool,
}

/// Cuts a reply.
///
/// Seen in the field: tags in any case, with blanks in them, written `TINK` or `THIN`; two blocks
/// after each other (the endpoint's reasoning and the model's own); only the closing tag; only the
/// opening one. A closing tag ends the reasoning only where fields follow, since a reply may speak
/// of tags.
pub(super) fn cut(text: &str) -> Cut<'_> {
    let text = text.trim_start();
    let tags = tags(text);
    let nothing = |body| Cut { thought: String::new(), body, unclosed: false };
    if tags.is_empty() || fields::begins(text) {
        return nothing(text);
    }
    for tag in tags.iter().filter(|tag| tag.closes) {
        let rest = text[tag.end..].trim_start();
        if fields::begins(rest) {
            return Cut { thought: words(&text[..tag.start], &tags), body: rest, unclosed: false };
        }
    }
    if let Some(last) = tags.iter().rev().find(|tag| tag.closes) {
        let thought = words(&text[..last.start], &tags);
        return Cut { thought, body: text[last.end..].trim_start(), unclosed: false };
    }
    let opened = tags[0].end;
    let start = fields::first(&text[opened..]).map_or(text.len(), |at| opened + at);
    Cut { thought: words(&text[..start], &tags), body: &text[start..], unclosed: true }
}

struct Tag {
    start: usize,
    end: usize,
    closes: bool,
}

const NAMES: [&str; 5] = ["think", "tink", "thin", "thinking", "thnk"];

fn tags(text: &str) -> Vec<Tag> {
    text.match_indices('<').filter_map(|(start, _)| tag_at(text, start)).collect()
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let inside = text[start + 1..].trim_start();
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, inside),
    };
    let name = inside.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let rest = inside[name.len()..].trim_start();
    let known = NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    (known && rest.starts_with('>')).then(|| Tag {
        start,
        end: text.len() - rest.len() + 1,
        closes,
    })
}

/// `head` without the tags in it.
fn words(head: &str, tags: &[Tag]) -> String {
    let mut words = String::new();
    let mut from = 0;
    for tag in tags.iter().filter(|tag| tag.end <= head.len()) {
        words.push_str(&head[from..tag.start]);
        from = tag.end;
    }
    words.push_str(&head[from..]);
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, thought: &str, body: &str, unclosed: bool) {
        let thought = thought.to_owned();
        assert_eq!(cut(text), Cut { thought, body, unclosed }, "{text:?}");
    }

    #[test]
    fn reasoning_ends_where_fields_begin() {
        check("<THINK> a </THINK>\nexplain:b", "a", "explain:b", false);
        check("< think >a< / Think >explain:b", "a", "explain:b", false);
        check("<TINK>a</TINK>explain:b", "a", "explain:b", false);
        check("<THIN>a</THIN>\naction:BACK", "a", "action:BACK", false);
        check("a</think>\n\nexplain:b", "a", "explain:b", false);
        check("<think>r</think><THINK>c</THINK>\nexplain:b", "rc", "explain:b", false);
        check("<think>say </think> then</think>\n{\"a\":1}", "say  then", "{\"a\":1}", false);
        check(
            "explain:b\tvalue:</think>\taction:TYPE",
            "",
            "explain:b\tvalue:</think>\taction:TYPE",
            false,
        );
    }

    #[test]
    fn reasoning_that_does_not_end_is_told() {
        check("<THINK> a\nexplain:b\taction:BACK", "a", "explain:b\taction:BACK", true);
        check("<THINK> a", "a", "", true);
        check("<THINK> a </THINK>", "a", "", false);
        check("<THINK> a </THINK> Sorry.", "a", "Sorry.", false);
    }

    #[test]
    fn other_tags_are_left_alone() {
        check("1 < 2, <b>, <thinker>", "", "1 < 2, <b>, <thinker>", false);
    }
}
