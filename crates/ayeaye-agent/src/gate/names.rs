//! Whether a text names what is shown.
use super::fillers::{EMPTY_WORDS, says_something};
use super::text::{holds, is_spaced, normalized, words};

/// What Arabic writes to a word without a blank: "for", "with" or "by", "and", "so".
const ARABIC_PREFIXES: [char; 4] = ['ل', 'ب', 'و', 'ف'];
/// Of two the first and the second: "ولأبي". In another order they are letters of the name.
const FIRST_OF_TWO: [char; 2] = ['و', 'ف'];
const SECOND_OF_TWO: [char; 2] = ['ل', 'ب'];

/// Whether a text (normalized) names what is shown: a word that says something is in both, or the whole, which is of
/// two letters at least.
pub(super) fn names(text: &str, shown: &str) -> bool {
    names_but(text, shown, &|_| false)
}

/// What [`names`] tells, where words that are `empty` say nothing either.
pub(super) fn names_but(text: &str, shown: &str, empty: &dyn Fn(&str) -> bool) -> bool {
    let shown = normalized(shown);
    if text.is_empty() || words(&shown).all(empty) {
        return false;
    }
    let whole = !EMPTY_WORDS.contains(&shown) && 2 <= shown.chars().count();
    whole && holds(text, &shown)
        || words(&shown).filter(|it| says_something(it) && !empty(it)).any(|word| {
            if word.chars().all(|c| is_spaced(c) || c.is_numeric()) {
                holds(text, word) || has_prefixed(text, word)
            } else {
                2 <= word.chars().count() && text.contains(word)
            }
        })
}

/// Whether a word of Arabic stands in a text with another before it: "لأحمد" for "أحمد".
fn has_prefixed(text: &str, word: &str) -> bool {
    let is_behind = |said: &str| {
        let one = said.strip_prefix(ARABIC_PREFIXES);
        let two = said.strip_prefix(FIRST_OF_TWO).and_then(|it| it.strip_prefix(SECOND_OF_TWO));
        one == Some(word) || two == Some(word)
    };
    word.chars().all(|c| matches!(c, '\u{620}'..='\u{64a}')) && words(text).any(is_behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arabic_name_is_known_behind_what_is_written_to_it() {
        for (text, shown) in
            [("أرسل لأحمد رسالة", "أحمد"), ("اتصل بأمي", "أمي"), ("اكتب لأمي ولأبي", "أبي")]
        {
            assert!(names(&normalized(text), shown), "{text}: {shown}");
        }
        for (text, shown) in [
            ("أرسل لمحمود رسالة", "أحمد"),
            ("اتصل بسلمى", "لمى"),
            ("اتصل بكمال", "مال"),
            ("أرسل لوسام رسالة", "سام"),
            ("أرسل لبسام رسالة", "سام"),
        ] {
            assert!(!names(&normalized(text), shown), "{text}: {shown}");
        }
    }
}
