//! Numbers that are secrets: of cards and of persons, known by their check digits, and codes.
use super::SecretKind;

/// A digit of any script as one of ASCII.
pub(crate) fn plain_digit(c: char) -> char {
    /// Where the digits of scripts begin: Arabic, Persian, Devanagari, Bengali, Thai, wide ones.
    const ZEROS: [u32; 6] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
    let number = u32::from(c);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&number));
    zero.and_then(|zero| char::from_digit(number - zero, 10)).unwrap_or(c)
}

/// One group of digits, or groups that are alike but for the last: "482-913", not "2026-11-23".
pub(super) fn is_grouped(code: &str) -> bool {
    let groups: Vec<usize> = code
        .split(|c: char| !c.is_ascii_digit())
        .filter(|it| !it.is_empty())
        .map(str::len)
        .collect();
    let Some((last, others)) = groups.split_last() else { return false };
    others.windows(2).all(|it| it[0] == it[1]) && others.first().is_none_or(|it| last <= it)
}

/// Runs of digits, with blanks or hyphens between them, that are numbers of cards or persons.
pub(super) fn id_numbers(text: &str) -> impl Iterator<Item = (SecretKind, &str)> {
    let part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | 'X' | 'x');
    text.split(move |c| !part(c)).filter_map(|run| {
        let run = run.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, 'X' | 'x'));
        let digits: String = run
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let kind = if is_card(&digits) {
            SecretKind::Card
        } else if is_chinese_id(&digits) {
            SecretKind::Identity
        } else {
            return None;
        };
        Some((kind, run))
    })
}

/// 13 to 19 digits whose sum by Luhn's rule (ISO/IEC 7812-1) is right.
fn is_card(digits: &str) -> bool {
    if !(13..=19).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    // All alike is a placeholder, and right by the rule.
    let first = digits.as_bytes()[0];
    if digits.bytes().all(|b| b == first) {
        return false;
    }
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, b)| {
            let digit = u32::from(b - b'0') * if place % 2 == 1 { 2 } else { 1 };
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// 17 digits and a check character by GB 11643 (ISO 7064, MOD 11-2).
fn is_chinese_id(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let bytes = text.as_bytes();
    if bytes.len() != 18 || !bytes[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(b, weight)| u32::from(b - b'0') * weight).sum();
    b"10X98765432"[(sum % 11) as usize] == bytes[17]
}
