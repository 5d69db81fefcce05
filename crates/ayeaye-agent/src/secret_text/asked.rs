//! Questions that ask for a secret, and answers that are one.
use super::SecretKind;
use super::lowered::{begins_word, has_any, lowered};
use super::spelling::{as_it_looks, closed_up};
use super::words::{
    BACKS_OF_OTHER_CODES, BEFORE_TAN, BEHIND_TAN, CASH, CODES, ENDINGS, KEYS, LINKS, LOGINS,
    PASSWORDS, PERHAPS, PHRASES, PLAIN_CODES, PROOFS, PROVING_PAIRS, is_of_other_code,
};

/// The kind of secret a question asks for, if it asks for one.
pub(crate) fn secret_asked_for(question: &str) -> Option<SecretKind> {
    let asked = lowered(question);
    kind_asked_for(&asked, question).or_else(|| {
        let looks = as_it_looks(question);
        let kind = (looks != asked).then(|| kind_asked_for(&looks, &looks)).flatten();
        kind.or_else(|| kind_closed_up(&closed_up(&looks)))
    })
}

/// The kind that the words of a question show which were closed up. Of two that were one, fewer are told from others.
fn kind_closed_up(asked: &str) -> Option<SecretKind> {
    if has_any(asked, PASSWORDS) || has_any(asked, PHRASES) {
        return Some(SecretKind::Password);
    }
    has_any(asked, PROOFS).then_some(SecretKind::Code)
}

/// The kind that the words of a question show, which is in small letters and as it is written.
fn kind_asked_for(asked: &str, question: &str) -> Option<SecretKind> {
    if [PASSWORDS, PHRASES, KEYS, LOGINS].iter().any(|words| has_any(asked, words)) {
        return Some(SecretKind::Password);
    }
    let mut words = asked.split(|c: char| !c.is_alphanumeric());
    let is_code = |(at, word): (usize, &str)| {
        let is_other = || is_other_code(asked, at) || is_code_of_thing(&asked[at + word.len()..]);
        begins_word(asked, at, word) && (!is_plain_code(word) || !is_other())
    };
    let code = has_any(asked, PROOFS)
        || PROVING_PAIRS.iter().any(|pair| pair.iter().all(|words| has_any(asked, words)))
        || ["code"].iter().chain(CODES).any(|word| asked.match_indices(word).any(is_code))
        || words.any(is_compound)
        || asks_for_tan(question);
    code.then_some(SecretKind::Code)
}

/// Whether a question may be answered with a secret, and as well with something else: "Which login?"
pub(crate) fn may_ask_for_secret(question: &str) -> bool {
    has_any(&lowered(question), PERHAPS)
}

/// "Bestätigungscode", "Einmalpasswort"; of "barcode", "postcode" and the like nothing is secret.
pub(super) fn is_compound(word: &str) -> bool {
    /// What is no code at all.
    const OTHERS: [&str; 7] =
        ["encode", "decode", "unicode", "opcode", "transcode", "recode", "geocode"];
    let ends = |end: &&str| end.len() < word.len() && word.ends_with(end);
    ENDINGS.iter().any(ends)
        && !OTHERS.contains(&word)
        && !word.strip_suffix("code").is_some_and(is_of_other_code)
}

/// Whether a word says no more than "code", in any language, so that it may be one of another sort.
pub(super) fn is_plain_code(word: &str) -> bool {
    PLAIN_CODES.contains(&word)
}

/// Whether the code whose name begins there is another one by the word before it, or by two that are one: "zip code",
/// "dress-code", "pick-up code".
pub(super) fn is_other_code(text: &str, begin: usize) -> bool {
    /// Bytes of the longest word before it.
    const REACH: usize = 24;
    let near = &text[text.floor_char_boundary(begin.saturating_sub(REACH))..begin];
    let Some(front) = near.strip_suffix([' ', '-', '_', '\u{a0}']) else { return false };
    let mut words = front.rsplit(|c: char| !is_letter(c));
    let last = words.next().unwrap_or_default();
    let is_other = is_of_other_code(last)
        || words.next().is_some_and(|before| is_of_other_code(&[before, last].concat()));
    is_other && !has_any(front, CASH)
}

/// Signs above and below letters are parts of the words of some scripts.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{900}'..='\u{97f}')
}

/// Whether the code is another one by what follows its name: "code for the order", "code de retrait du colis".
pub(super) fn is_code_of_thing(behind: &str) -> bool {
    /// Words between them.
    const MOST_LINKS: usize = 3;
    /// Bytes in which is said that it is handed out in cash.
    const REACH: usize = 48;
    let mut rest = behind.trim_start_matches([' ', '\u{a0}']);
    for _ in 0..=MOST_LINKS {
        if BACKS_OF_OTHER_CODES.iter().any(|it| rest.starts_with(it)) {
            let until = rest.floor_char_boundary(REACH);
            return !has_any(&rest[..until], CASH);
        }
        let Some(end) = rest.find([' ', '\'', '’', '\u{a0}']) else { return false };
        if !LINKS.contains(&&rest[..end]) {
            return false;
        }
        rest = rest[end..].trim_start_matches([' ', '\'', '’', '\u{a0}']);
    }
    false
}

/// Whether a text names the TAN of a bank: in capitals, of which not all there is consists, or beside what says so.
pub(crate) fn asks_for_tan(written: &str) -> bool {
    let text = lowered(written);
    // Screens have many texts, and hardly one of them does.
    if !text.contains("tan") {
        return false;
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    if !words.contains(&"tan") {
        return false;
    }
    let in_capitals = written.split(|c: char| !c.is_alphanumeric()).any(|it| it == "TAN");
    let stands_out = words.len() <= 2 || written.contains(char::is_lowercase);
    let beside = words.windows(2).any(|it| {
        it[1] == "tan" && BEFORE_TAN.contains(&it[0])
            || it[0] == "tan" && BEHIND_TAN.contains(&it[1])
    });
    let spanish =
        words.windows(2).any(|it| matches!(it[0], "qué" | "que" | "cuán") && it[1] == "tan");
    words == ["tan"] || !spanish && (in_capitals && stands_out || beside)
}
