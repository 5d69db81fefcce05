//! What is a secret: questions that ask for one, and texts that look like one.
mod asked;
mod before;
mod binders;
mod code_reply;
mod labelled;
mod lowered;
mod numbers;
mod phrase;
mod spelling;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use self::asked::{asks_for_tan, may_ask_for_secret, secret_asked_for};
pub(crate) use self::code_reply::{code_in, is_of_everyday, numbers};
use self::labelled::labelled_secrets;
pub(crate) use self::numbers::plain_digit;
use self::numbers::{id_numbers, is_date, is_time, is_year};
pub(crate) use self::words::{PHRASES, PROOFS, is_of_other_code};

/// What sort of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    Password,
    Code,
    Card,
    Identity,
    /// Somebody said that it is one.
    Marked,
}

/// Secrets in a text that is not one as a whole: card numbers, numbers of identity cards, and what
/// is called a password or a code ("the password is ..."). What stands for a secret already is none, and a text
/// with very many has none beyond those.
pub(crate) fn find_secrets(text: &str) -> Vec<(SecretKind, &str)> {
    let parts = outside_placeholders(text);
    let numbers = parts.iter().flat_map(|part| id_numbers(part)).take(MOST_FOUND);
    let labelled = parts.iter().flat_map(|part| labelled_secrets(part)).take(MOST_FOUND);
    numbers.chain(labelled).collect()
}

/// Most secrets of either sort that are found in one text.
const MOST_FOUND: usize = 64;

/// How every placeholder begins.
pub(crate) const OPENING: &str = "[secret ";

/// How long the placeholder is that a text begins with, in bytes.
pub(crate) fn placeholder_length(text: &str) -> Option<usize> {
    /// None is longer, so that a text with many beginnings is not searched to its end for each.
    const LONGEST: usize = 64;
    let inside = text.strip_prefix(OPENING)?;
    let inside = &inside[..inside.bytes().take(LONGEST).position(|byte| byte == b']')?];
    let (_, tag) = inside.split_once(" #")?;
    let is_tag = tag.len() == 8 && tag.bytes().all(|b| b.is_ascii_hexdigit());
    is_tag.then_some(OPENING.len() + inside.len() + 1)
}

/// What stands before, between and behind the placeholders of a text.
fn outside_placeholders(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(open) = text[at..].find(OPENING).map(|found| at + found) {
        at = match placeholder_length(&text[open..]) {
            Some(length) => {
                parts.push(&text[begin..open]);
                begin = open + length;
                begin
            }
            None => open + OPENING.len(),
        };
    }
    parts.push(&text[begin..]);
    parts
}

/// An answer to an earlier request, for a model: the secrets in it were for that request alone, so that nothing is
/// restored where they stood.
pub(crate) fn not_told_again(answer: &str) -> String {
    outside_placeholders(answer)
        .join("(a secret, which is not told again: ask for it where it is needed)")
}

/// What may be the secret in an answer that is one: words that are not plain ones, without what stands
/// around them ("It is 482-913."), and numbers without what parts them. A time beside those is none.
pub(crate) fn secret_parts(answer: &str) -> Vec<String> {
    let answer: String = answer.chars().map(plain_digit).collect();
    let all = parts(&answer, |_| false);
    let others = parts(&answer, is_time);
    if others.is_empty() { all } else { others }
}

/// What may be a secret in an answer that may be none: times, dates and years hardly ever are. A count may be one: no
/// list tells "4829 works" from "1500 pieces" in every language.
pub(crate) fn likely_parts(answer: &str) -> Vec<String> {
    let answer: String = answer.chars().map(plain_digit).collect();
    parts(&answer, |it| is_time(it) || is_date(it) || is_year(it))
}

/// Words that are not plain ones, and numbers. Of what is `other` nothing is one.
fn parts(answer: &str, other: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::with_capacity(answer.len());
    // Between letters of other scripts a code stands without blanks.
    for run in answer.split_inclusive(|c: char| !c.is_ascii_graphic()) {
        let word = run.trim_matches(|c: char| !c.is_ascii_graphic() || c.is_ascii_punctuation());
        let is_other = other(word);
        rest.push_str(if is_other { "," } else { run });
        if is_other {
            continue;
        }
        if 3 <= word.len() && word.chars().any(|c| !c.is_ascii_alphabetic()) {
            found.push(word.to_owned());
            // "code:482913", "code=Quince-41"
            let behind_sign = word.rsplit([':', '=']).next().unwrap_or_default();
            found.push(behind_sign.to_owned());
        }
    }
    let number = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '\u{a0}');
    for run in rest.split(|c| !number(c)) {
        let run = run.trim_matches(|c: char| !c.is_ascii_digit());
        let digits: String = run.chars().filter(char::is_ascii_digit).collect();
        if 3 <= digits.len() && digits.len() <= 24 {
            found.push(run.to_owned());
            found.push(digits);
        }
    }
    found.retain(|part| 3 <= part.chars().count());
    found.sort_unstable();
    found.dedup();
    found
}
