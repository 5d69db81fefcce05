//! Replies that are a code, whatever was asked: no list of words knows every way to ask for one.
use super::asked::is_compound;
use super::numbers::{is_grouped, is_year, plain_digit};
use super::words::{BESIDE_CODES, is_of_other_code};

/// Characters of a reply that says a code and little else.
const LONGEST: usize = 40;
/// Digits of what is hardly anything but a code, so that other words may stand in front of it.
const USUAL: usize = 6;
/// Most of those words, and the characters of one.
const MOST_WORDS: usize = 3;
const LONGEST_WORD: usize = 8;

/// The code that a reply consists of, but for a few words around it: four to eight digits, also in groups, in any
/// letters for digits. Everyday answers have numbers too, so "Room 4012", "1500 pieces" and "2027" are none.
pub(crate) fn code_in(reply: &str) -> Option<&str> {
    let reply = reply.trim();
    if LONGEST < reply.chars().count() {
        return None;
    }
    let is_digit = |c: char| plain_digit(c).is_ascii_digit();
    let first = reply.find(is_digit)?;
    let last = reply.rfind(is_digit)?;
    let end = last + reply[last..].chars().next()?.len_utf8();
    let (front, code, behind) = (&reply[..first], &reply[first..end], &reply[end..]);
    // With anything else between its digits it is several numbers, a time, an amount or an address.
    if !code.chars().all(|c| is_digit(c) || matches!(c, ' ' | '-' | '\u{a0}' | '\u{2011}')) {
        return None;
    }
    let plain: String = code.chars().map(plain_digit).collect();
    let digits = plain.chars().filter(char::is_ascii_digit).count();
    if !(4..=8).contains(&digits) || !is_grouped(&plain) || is_year(&plain) {
        return None;
    }
    // A part of something longer: "4471-KX", "LH2134", "4500 €".
    let parts_off = |c: char| c.is_ascii_alphabetic() || "-_/@€$£¥₽₹%°+#".contains(c);
    let near = [front.trim_end().chars().next_back(), behind.trim_start().chars().next()];
    let touching = [front.chars().next_back(), behind.chars().next()];
    let is_sign = |c: char| parts_off(c) && !c.is_alphabetic();
    if touching.into_iter().flatten().any(parts_off) || near.into_iter().flatten().any(is_sign) {
        return None;
    }
    let [before, after] = [front, behind].map(other_words);
    // A code of another sort is named in front of it, or behind the word for it.
    let is_other = |it: &String| is_of_other_code(it) || it.ends_with("code") && !is_compound(it);
    let usual = digits == USUAL
        && before.len() <= MOST_WORDS
        && before.iter().all(|it| it.chars().count() <= LONGEST_WORD && !is_other(it));
    (after.is_empty() && (before.is_empty() || usual)).then_some(code)
}

/// The words of a text but for those that say no more than that this is the code.
fn other_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    words.filter(|it| !says_code(it)).map(str::to_lowercase).collect()
}

/// Whether a word beside a code says no more than that it is one: "is", "please".
pub(super) fn says_code(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    BESIDE_CODES.contains(&word.as_str())
}
