//! Reasoning before a reply, and where it ends.

/// A reply, split where its reasoning ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut<'a> {
    /// The reasoning, without its tags.
    pub thought: String,
    /// The rest, to be parsed.
    pub body: &'a str,
    /// The reasoning never ends, so `body` may be part of it.
    pub unclosed: bool,
}

const NAMES: [&str; 9] = [
    "think",
    "thinking",
    "thought",
    "tink",
    "thin",
    "thnk",
    "grounding_think",
    "seed:think",
    "think_never_used_51bce0c785ca2f68081bfa7d91973934",
];

/// Splits a reply at the last end of reasoning before the action; `begins` tells whether a text begins
/// like an action. The opening tag may be missing, as some servers put it into the prompt.
pub(crate) fn cut(text: &str, begins: impl Fn(&str) -> bool) -> Cut<'_> {
    let text = text.trim();
    if begins(text) {
        return Cut { thought: String::new(), body: text, unclosed: false };
    }
    let tags: Vec<Tag> = text.match_indices('<').filter_map(|(at, _)| tag_at(text, at)).collect();
    let closing = || tags.iter().filter(|tag| tag.closes);
    let ends = closing().find(|tag| begins(text[tag.end..].trim_start()));
    if let Some(tag) = ends.or_else(|| closing().next_back()) {
        let thought = strip_tags(&text[..tag.start], &tags);
        return Cut { thought, body: text[tag.end..].trim_start(), unclosed: false };
    }
    match tags.first() {
        Some(opened) => Cut {
            thought: text[opened.end..].trim().to_owned(),
            body: text[opened.end..].trim_start(),
            unclosed: true,
        },
        None => Cut { thought: String::new(), body: text, unclosed: false },
    }
}

/// The reasoning before an action, in tags or not; else what the endpoint returned as reasoning.
pub(crate) fn joined(parts: [&str; 2], apart: &str) -> String {
    let parts = parts.map(str::trim);
    let all: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    if all.is_empty() { apart.trim().to_owned() } else { all.join("\n") }
}

struct Tag {
    start: usize,
    end: usize,
    closes: bool,
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let inside = text[start + 1..].trim_start();
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, inside),
    };
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && !"_:".contains(c))?;
    let (name, rest) = inside.split_at(end);
    let rest = rest.trim_start();
    let known = NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    (known && rest.starts_with('>')).then(|| Tag {
        start,
        end: text.len() - rest.len() + 1,
        closes,
    })
}

/// `head` without its tags.
fn strip_tags(head: &str, tags: &[Tag]) -> String {
    let mut text = String::new();
    let mut from = 0;
    for tag in tags.iter().filter(|tag| tag.end <= head.len()) {
        text.push_str(&head[from..tag.start]);
        from = tag.end;
    }
    text.push_str(&head[from..]);
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_ends_where_an_action_begins() {
        for (text, thought, body, unclosed) in [
            ("<think>a</think>\n<answer>do", "a", "<answer>do", false),
            ("a</think><answer>do", "a", "<answer>do", false),
            ("<Thinking> a </ thinking ><answer>", "a", "<answer>", false),
            ("<think>a </think> b</think><answer>", "a  b", "<answer>", false),
            ("<answer>say </think>", "", "<answer>say </think>", false),
            ("<think>a", "a", "a", true),
            ("plain", "", "plain", false),
            ("<think>a</think>", "a", "", false),
        ] {
            let cut = cut(text, |text| text.starts_with("<answer>"));
            let thought = thought.to_owned();
            assert_eq!(cut, Cut { thought, body, unclosed }, "{text:?}");
        }
    }
}
