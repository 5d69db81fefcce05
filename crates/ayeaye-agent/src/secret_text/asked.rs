//! Questions that ask for a secret, and answers that are one.
use super::SecretKind;
use super::lowered::{begins_word, has_any, lowered};
use super::numbers::{is_grouped, plain_digit};
use super::words::{
    BEFORE_TAN, BEHIND_TAN, CODES, ENDINGS, KEYS, LOGINS, PASSWORDS, PERHAPS, PHRASES, PROOFS,
    is_of_other_code,
};

/// The kind of secret a question asks for, if it asks for one.
pub(crate) fn secret_asked_for(question: &str) -> Option<SecretKind> {
    let asked = lowered(question);
    if [PASSWORDS, PHRASES, KEYS, LOGINS].iter().any(|words| has_any(&asked, words)) {
        return Some(SecretKind::Password);
    }
    let mut words = asked.split(|c: char| !c.is_alphanumeric());
    let code = has_any(&asked, CODES)
        || has_any(&asked, PROOFS)
        || asked
            .match_indices("code")
            .any(|(at, it)| begins_word(&asked, at, it) && !is_other_code(&asked, at))
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

/// Whether the code whose name begins there is another one by the word before it: "zip code", "dress-code".
pub(super) fn is_other_code(text: &str, begin: usize) -> bool {
    /// Bytes of the longest word before it.
    const REACH: usize = 24;
    let near = &text[text.floor_char_boundary(begin.saturating_sub(REACH))..begin];
    let Some(front) = near.strip_suffix([' ', '-', '_', '\u{a0}']) else { return false };
    is_of_other_code(front.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
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

/// Whether a reply is nothing but a code, or a code in a few words, whatever was asked: four to eight
/// digits, also in groups, in any letters for digits.
pub(crate) fn is_code(reply: &str) -> bool {
    /// Characters of a reply that says a code and little else.
    const LONGEST: usize = 40;
    let reply: String = reply.trim().chars().map(plain_digit).collect();
    if LONGEST < reply.chars().count() {
        return false;
    }
    let inside = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '\u{a0}' | '\u{2011}');
    let mut codes =
        reply.split(|c| !inside(c)).map(|it| it.trim_matches(|c: char| !c.is_ascii_digit()));
    let digits = |it: &str| it.chars().filter(char::is_ascii_digit).count();
    let found = codes.by_ref().filter(|it| (4..=8).contains(&digits(it)) && is_grouped(it)).count();
    // What stands with signs of time, place or money is another number: "12:30", "3,50 €", "10.0.0.1".
    let other = |c: char| ":/.,@€$£¥₽₹%°+".contains(c);
    let between = reply.char_indices().any(|(at, c)| {
        let near = |it: Option<char>| it.is_some_and(|c| c.is_ascii_digit());
        other(c)
            && (near(reply[..at].chars().next_back())
                && near(reply[at + c.len_utf8()..].chars().next())
                || "€$£¥₽₹%°".contains(c))
    });
    found == 1 && !between
}
