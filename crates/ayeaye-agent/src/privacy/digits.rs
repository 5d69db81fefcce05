//! Numbers that are secrets, such as those of cards: whoever writes one again groups its digits as they like.
use crate::secret_text::plain_digit;

/// Fewer digits would be found everywhere.
const FEWEST_DIGITS: usize = 4;
/// More digits are no number that anybody groups.
const MOST_DIGITS: usize = 24;
/// Digits of a Chinese identity number before an X at its end.
const BEFORE_X: usize = 17;
/// Fewer digits in groups with anything but a blank between them are a range, a sum or an amount of money: `10-15`,
/// `10+15`, `12.00`.
const FEWEST_GROUPED: usize = 6;
/// Up to so many digits are a code, which is read out in twos and threes as well.
const LONGEST_CODE: usize = 12;

/// What stands between groups: as people write it, and as it is written in addresses, in `input text` and in JSON.
const BETWEEN: [&str; 11] =
    [" ", "-", "\u{a0}", "\u{202f}", "\u{2011}", "\u{2013}", " - ", "%20", "+", "%s", "\\u00a0"];
/// What stands between groups in a number that is too short for the others.
const BLANKS: [&str; 2] = [" ", "\u{a0}"];
/// What stands between single digits.
const BETWEEN_DIGITS: [&str; 5] = [" ", "-", "\u{a0}", ", ", ","];

/// The digits of a text that consists of these and what parts them, with the X of a Chinese identity number.
pub(super) fn bare_digits(text: &str) -> Option<String> {
    let parts = |c: char| c.is_whitespace() || "-.,/_\u{2010}\u{2011}\u{2012}\u{2013}".contains(c);
    let mut digits = String::new();
    for c in text.trim().chars().map(plain_digit).filter(|c| !parts(*c)) {
        match c {
            '0'..='9' if digits.len() < MOST_DIGITS && !digits.ends_with('X') => digits.push(c),
            'X' | 'x' if digits.len() == BEFORE_X => digits.push('X'),
            _ => return None,
        }
    }
    (FEWEST_DIGITS <= digits.len()).then_some(digits)
}

/// Whether two texts are the same, or the same number.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let number = || bare_digits(one).filter(|it| bare_digits(other).as_ref() == Some(it));
    one == other || number().is_some()
}

/// A number (of [`bare_digits`]) in every way of writing it: without anything between its digits, in groups, digit by
/// digit.
pub(super) fn ways_to_write(number: &str) -> Vec<String> {
    let mut all = vec![number.to_owned()];
    let groups = groups(number);
    let between: Vec<&str> = match number.len() {
        ..FEWEST_GROUPED => BLANKS.to_vec(),
        _ => BETWEEN.into_iter().chain(["."]).collect(),
    };
    for between in between {
        all.extend(groups.iter().map(|it| it.join(between)));
    }
    let digits: Vec<&str> = number.split("").filter(|it| !it.is_empty()).collect();
    all.extend(BETWEEN_DIGITS.map(|between| digits.join(between)));
    if number.ends_with('X') {
        let small: Vec<String> = all.iter().map(|it| it.replace('X', "x")).collect();
        all.extend(small);
    }
    all
}

/// The ways to write a number that are looked for also where they were cut off.
pub(super) fn usual_ways(number: &str) -> Vec<String> {
    let groups = groups(number);
    let grouped = [" ", "-"].into_iter().filter(|it| *it == " " || FEWEST_GROUPED <= number.len());
    let grouped = grouped.flat_map(|it| groups.iter().map(move |all| all.join(it)));
    std::iter::once(number.to_owned()).chain(grouped).collect()
}

/// The groups that a number is written in.
fn groups(number: &str) -> Vec<Vec<&str>> {
    let length = number.len();
    let mut sizes: Vec<Vec<usize>> = vec![vec![length / 2]];
    if FEWEST_GROUPED <= length {
        sizes.push(vec![4; length / 4]);
    }
    if (FEWEST_GROUPED..=LONGEST_CODE).contains(&length) {
        sizes.extend([vec![2; length / 2], vec![3; length / 3]]);
    }
    match length {
        // Diners Club, American Express, and a card of nineteen.
        14 | 15 => sizes.push(vec![4, 6]),
        19 => sizes.push(vec![6]),
        // A Chinese identity number: the place, the birthday, the rest.
        18 => sizes.extend([vec![6, 8], vec![6, 4, 4], vec![3, 3, 4, 4]]),
        _ => {}
    }
    let mut all: Vec<Vec<&str>> = sizes.iter().map(|it| cut(number, it)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A number in groups of these sizes, and the rest.
fn cut<'a>(number: &'a str, sizes: &[usize]) -> Vec<&'a str> {
    let mut rest = number;
    let mut groups = Vec::new();
    for size in sizes {
        let (group, others) = rest.split_at(*size);
        groups.push(group);
        rest = others;
    }
    if !rest.is_empty() {
        groups.push(rest);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_told_from_what_parts_them() {
        for (text, digits) in [
            ("4111 1111-1111\u{a0}1111", "4111111111111111"),
            ("48.29.13", "482913"),
            ("４８２９", "4829"),
            ("110105 19491231 002x", "11010519491231002X"),
        ] {
            assert_eq!(bare_digits(text).as_deref(), Some(digits), "{text}");
        }
        for text in ["1-2-3", "hunter2", "4829X", "12:30", "+49 170 1234567", "", "X"] {
            assert_eq!(bare_digits(text), None, "{text}");
        }
        assert_eq!(bare_digits(&"1".repeat(25)), None);
        assert!(is_same("48 29", "4829") && !is_same("48 29", "4828") && is_same("a", "a"));
    }

    #[test]
    fn a_number_is_written_in_the_groups_of_its_kind() {
        for (number, ways) in [
            ("482913", &["48 29 13", "482.913", "482-913", "48%2029%2013", "4, 8, 2, 9, 1, 3"][..]),
            ("4111111111111111", &["4111 1111 1111 1111", "4111\u{a0}1111\u{a0}1111\u{a0}1111"]),
            ("371449635398431", &["3714 496353 98431", "3714-496353-98431"]),
            ("11010519491231002X", &["110105 19491231 002X", "110105-1949-1231-002x"]),
            ("5500005555555559123", &["5500 0055 5555 5559 123"]),
        ] {
            let all = ways_to_write(number);
            for way in ways {
                assert!(all.iter().any(|it| it == way), "{way}: {all:?}");
            }
        }
        let short = ways_to_write("1015");
        for other in ["10.15", "10-15", "10\u{2013}15", "10+15", "10 - 15", "101 5"] {
            assert!(!short.iter().any(|it| it == other), "{other}: {short:?}");
        }
        assert!(short.iter().any(|it| it == "10 15"), "{short:?}");
    }

    #[test]
    fn there_are_not_many_ways() {
        for length in FEWEST_DIGITS..=MOST_DIGITS {
            let number = &"123456789012345678901234"[..length];
            assert!(ways_to_write(number).len() <= 80, "{length}: {}", ways_to_write(number).len());
        }
        assert!(ways_to_write("11010519491231002X").len() <= 160);
    }
}
