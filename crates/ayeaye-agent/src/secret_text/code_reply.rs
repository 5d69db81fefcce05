//! Replies that are a code, whatever was asked: no list of words knows every way to ask for one.
use std::ops::RangeInclusive;

use super::asked::is_compound;
use super::lowered::is_spaced;
use super::numbers::{is_grouped, is_year, plain_digit};
use super::words::{BESIDE_CODES, PLACES, UNITS, is_of_other_code};

/// Characters of a reply that says a code and little else.
const LONGEST: usize = 40;
/// Digits of what is hardly anything but a code, so that other words may stand beside it.
const USUAL: RangeInclusive<usize> = 6..=8;
/// Most of those words on either side, and the characters of one.
const MOST_WORDS: usize = 3;
const LONGEST_WORD: usize = 8;

/// What is a secret whatever else is said of it.
const ALWAYS_SECRET: [&str; 6] = ["pin", "otp", "mtan", "passcode", "pincode", "пин"];

/// The code that a reply consists of, but for a few words around it: the one number of four to eight digits, also in
/// groups, in any letters for digits. Everyday answers have numbers too, so "Room 4012", "1500 pieces" and "2027" are
/// none.
pub(crate) fn code_in(reply: &str) -> Option<&str> {
    let reply = reply.trim();
    if LONGEST < reply.chars().count() {
        return None;
    }
    let mut codes = numbers(reply).filter(|(front, number, behind)| {
        let plain: String = number.chars().map(plain_digit).collect();
        (4..=8).contains(&count_digits(number))
            && is_grouped(&plain)
            && !is_year(&plain)
            && !goes_on(front.chars().rev())
            && !goes_on(behind.chars())
    });
    let (front, code, behind) = codes.next()?;
    if codes.next().is_some() {
        return None;
    }
    // An amount: "4500 €".
    let near = [front.trim_end().chars().next_back(), behind.trim_start().chars().next()];
    if near.into_iter().flatten().any(|c| "€$£¥₽₹%°+#".contains(c)) || is_of_everyday(front, behind)
    {
        return None;
    }
    let [before, after] = [front, behind].map(other_words);
    if before.is_empty() && after.is_empty() {
        return Some(code);
    }
    // A code of another sort is named beside it.
    let is_other = |it: &String| is_of_other_code(it) || it.ends_with("code") && !is_compound(it);
    let is_little = |words: &[String]| {
        words.len() <= MOST_WORDS
            && words.iter().all(|it| it.chars().count() <= LONGEST_WORD && !is_other(it))
    };
    let is_usual = USUAL.contains(&count_digits(code));
    // It is called what it is: "use 2116 as PIN".
    let is_called = before.iter().chain(&after).any(|it| ALWAYS_SECRET.contains(&it.as_str()));
    (is_called || is_usual && is_little(&before) && is_little(&after)).then_some(code)
}

/// The numbers of a text, each with blanks and hyphens between its digits: what stands before it, itself, and what stands
/// behind it.
pub(crate) fn numbers(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let is_part = |c: char| is_digit(c) || matches!(c, ' ' | '-' | '\u{a0}' | '\u{2011}');
    text.split(move |c| !is_part(c)).filter_map(|run| {
        let number = run.trim_matches(|c| !is_digit(c));
        let begin = number.as_ptr() as usize - text.as_ptr() as usize;
        let around = (&text[..begin], number, &text[begin + number.len()..]);
        (!number.is_empty()).then_some(around)
    })
}

fn is_digit(c: char) -> bool {
    plain_digit(c).is_ascii_digit()
}

fn count_digits(number: &str) -> usize {
    number.chars().filter(|it| is_digit(*it)).count()
}

/// Whether a number is a part of something longer by what touches it: "4471-KX", "LH2134", "12345,67".
fn goes_on(mut beside: impl Iterator<Item = char>) -> bool {
    let Some(sign) = beside.next() else { return false };
    sign.is_ascii_alphabetic()
        || "-_/@€$£¥₽₹%°+#".contains(sign)
        || ".,:".contains(sign) && beside.next().is_some_and(is_digit)
}

/// Whether a number counts something, or names a place: "150000 steps", "Room 401234".
pub(crate) fn is_of_everyday(front: &str, behind: &str) -> bool {
    let parts = |c: char| !c.is_alphanumeric();
    let place = front.trim_end_matches(parts).rsplit(parts).next().unwrap_or_default();
    let unit = behind.trim_start().split(parts).next().unwrap_or_default();
    let [place, unit] = [place, unit].map(str::to_lowercase);
    // "認証番号" ends like the number of a room, and is a code.
    let is_place = |it: &&str| {
        place == **it
            || !it.starts_with(is_spaced) && place.ends_with(*it) && !place.ends_with("番号")
    };
    PLACES.iter().any(is_place)
        || UNITS.iter().any(|it| unit == *it || !it.starts_with(is_spaced) && unit.starts_with(it))
}

/// The words of a text but for numbers and those that say no more than that this is the code.
fn other_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    words.filter(|it| !says_code(it) && !it.chars().all(is_digit)).map(str::to_lowercase).collect()
}

/// Whether a word beside a code says no more than that it is one: "is", "please".
fn says_code(word: &str) -> bool {
    BESIDE_CODES.contains(&word.to_lowercase().as_str())
}
