//! Texts in small letters, and where in the text as it is written each of them stands.

/// A text in small letters of the usual width.
pub(super) struct Lowered {
    pub(super) text: String,
    /// For each byte of it, and its end, where the letter begins in the original.
    places: Vec<usize>,
}

impl Lowered {
    pub(super) fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut places = Vec::with_capacity(original.len() + 1);
        for (at, c) in original.char_indices() {
            push(c, &mut text);
            places.resize(text.len(), at);
        }
        places.push(original.len());
        Self { text, places }
    }

    /// Where the letter at this place stands in the original.
    pub(super) fn original(&self, at: usize) -> usize {
        self.places[at]
    }
}

/// A text in small letters, where it does not matter which letter of the original each one was.
pub(super) fn lowered(original: &str) -> String {
    let mut text = String::with_capacity(original.len());
    original.chars().for_each(|c| push(c, &mut text));
    text
}

fn push(c: char, text: &mut String) {
    /// How far the wide forms of ASCII's letters are from these.
    const WIDE: u32 = 0xfee0;
    let narrow = match c {
        '！'..='～' => char::from_u32(u32::from(c) - WIDE).unwrap_or(c),
        c => c,
    };
    // A Turkish I with a dot is an i, whose dot needs no sign of its own.
    text.extend(narrow.to_lowercase().filter(|it| *it != '\u{307}'));
}

/// Whether one of these words stands in a text in small letters.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| begins_word(text, at, word))
}

/// Whether a word of letters that are parted by blanks stands there on its own: "pin" in "shopping" does
/// not.
pub(super) fn begins_word(text: &str, at: usize, word: &str) -> bool {
    if !word.starts_with(is_spaced) {
        return true;
    }
    let before = text[..at].chars().next_back();
    let after = text[at + word.len()..].chars().next();
    // "PIN码" is one, and "pink" is none.
    let goes_on =
        word.chars().count() <= 4 && after.is_some_and(|c| c.is_alphabetic() && is_spaced(c));
    // "Secretary" and "clavel" are other words, and "secrets" is none.
    let goes_on = goes_on
        || matches!(word, "secret" | "clave")
            && text[at + word.len()..]
                .strip_prefix('s')
                .unwrap_or(&text[at + word.len()..])
                .starts_with(|c: char| c.is_alphabetic() && is_spaced(c));
    let joined = before.is_some_and(|c| c.is_alphanumeric() && is_spaced(c));
    !joined && !goes_on
}

/// Whether a letter or digit is of a script that puts blanks between its words: ASCII's, and others of Europe.
pub(super) fn is_spaced(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '\u{c0}'..='\u{52f}' | '\u{1e00}'..='\u{1eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_found_again() {
        let original = "ŞİFRE：ПАРОЛЬ Ⱥx";
        let low = Lowered::of(original);
        assert_eq!(low.text, "şifre:пароль ⱥx");
        assert_eq!(lowered(original), low.text);
        for (part, begins) in [("fre", "FRE"), (":", "："), ("пар", "ПАР"), ("x", "x")] {
            let at = low.text.find(part).unwrap();
            assert!(original[low.original(at)..].starts_with(begins), "{part}");
        }
        assert_eq!(low.original(low.text.len()), original.len());
    }

    #[test]
    fn a_word_begins_and_a_short_one_ends() {
        for text in ["my pin", "我的pin码", "pin:", "(pin)"] {
            assert!(has_word(text, "pin"), "{text}");
        }
        for text in ["pink", "shopping", "opinion"] {
            assert!(!has_word(text, "pin"), "{text}");
        }
    }
}
