//! Questions whose words are spelled so that nobody but a reader finds them: "pаsswоrd" with letters of another script,
//! "p a s s w o r d", "pass-word".
use super::lowered::lowered;
use crate::is_unseen;
use crate::lookalike::latin;

/// Signs that stand for letters within words.
const SIGNS: &[(char, char)] = &[
    ('0', 'o'),
    ('1', 'i'),
    ('3', 'e'),
    ('4', 'a'),
    ('5', 's'),
    ('7', 't'),
    ('@', 'a'),
    ('$', 's'),
];

/// A question in small letters as it looks: without what nobody sees, each word in letters of one script.
pub(super) fn as_it_looks(question: &str) -> String {
    let seen: String = question.chars().filter(|c| !is_hidden(*c)).map(plain).collect();
    let seen = lowered(&seen);
    seen.split_inclusive(char::is_whitespace).map(in_one_script).collect()
}

/// With its words closed up: those with signs within them, and those whose letters stand apart.
pub(super) fn closed_up(text: &str) -> String {
    let mut closed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let is_letter =
            |word: &str| word.chars().count() == 1 && !word.chars().all(char::is_numeric);
        let last = closed.rsplit(' ').next().unwrap_or_default();
        // Of letters that stand apart the first is the last word, or begins it.
        let goes_on = is_letter(&word) && (closed.ends_with('\u{1}') || is_letter(last));
        if closed.ends_with('\u{1}') {
            closed.pop();
        }
        if !goes_on && !closed.is_empty() {
            closed.push(' ');
        }
        closed.push_str(&word);
        if goes_on {
            closed.push('\u{1}');
        }
    }
    closed.trim_end_matches('\u{1}').to_owned()
}

fn is_hidden(c: char) -> bool {
    is_unseen(c)
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{180b}'..='\u{180e}' | '\u{200c}'..='\u{200d}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}')
}

/// Letters of mathematics, in every style.
fn plain(c: char) -> char {
    match c {
        '\u{1d400}'..='\u{1d6a3}' => {
            let number = (u32::from(c) - 0x1d400) % 26;
            char::from_u32(u32::from(b'a') + number).unwrap_or(c)
        }
        c => c,
    }
}

/// A word with Latin letters and others that look like such as one of Latin letters; so of digits among more letters.
fn in_one_script(word: &str) -> String {
    if !word.contains(|c: char| c.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let letters: String = word.chars().map(latin).collect();
    let sign = |c: char| SIGNS.iter().find(|(it, _)| *it == c).map(|(_, letter)| *letter);
    let signs = letters.chars().filter(|c| sign(*c).is_some()).count();
    if signs < letters.chars().filter(char::is_ascii_alphabetic).count() {
        letters.chars().map(|c| sign(c).unwrap_or(c)).collect()
    } else {
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_look() {
        assert_eq!(as_it_looks("Your bаnk pаsswоrd?"), "your bank password?");
        assert_eq!(as_it_looks("Dein Kenn\u{200b}wort, P4ssw0rd"), "dein kennwort, password");
        assert_eq!(as_it_looks("Какой пароль? 6 из 12"), "какой пароль? 6 из 12");
        assert_eq!(
            closed_up("your pass-word or p a s s w o r d now"),
            "your password or password now"
        );
        assert_eq!(closed_up("a p.i.n."), "a pin");
        assert_eq!(closed_up(""), "");
    }
}
