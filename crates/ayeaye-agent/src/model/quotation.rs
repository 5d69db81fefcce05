//! Replies as they are quoted to the model that gave them.
use std::borrow::Cow;

/// Characters of a reply that are quoted whole.
const WHOLE: usize = 500;
/// Characters of a longer one, at its beginning and at its end.
const END: usize = 250;

/// Whether only parts of a reply are quoted.
pub(crate) fn is_cut(reply: &str) -> bool {
    WHOLE < reply.chars().count()
}

/// A reply, or the beginning and the end of a long one.
pub(super) fn quoted(reply: &str) -> Cow<'_, str> {
    if !is_cut(reply) {
        return Cow::Borrowed(reply);
    }
    let count = reply.chars().count();
    let at = |nth: usize| reply.char_indices().nth(nth).map_or(reply.len(), |(at, _)| at);
    let (beginning, end) = (&reply[..at(END)], &reply[at(count - END)..]);
    Cow::Owned(format!("{beginning}\n[{} characters left out]\n{end}", count - 2 * END))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reply_is_quoted_by_its_beginning_and_its_end() {
        for whole in ["", "a", &"登".repeat(500)] {
            assert_eq!(quoted(whole), whole);
        }
        let long = format!("<{}>", "登".repeat(4000));
        let quote = quoted(&long);
        assert!(quote.starts_with("<登") && quote.ends_with("登>"), "{quote}");
        assert!(quote.contains("[3502 characters left out]"), "{quote}");
        assert!(quote.chars().count() < 600, "{quote}");
    }
}
