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

/// A year of our times.
pub(super) fn is_year(number: &str) -> bool {
    number.len() == 4 && (number.starts_with("19") || number.starts_with("20"))
}

/// A time of day: "16:45", "9:05:30", also with what stands behind it without a blank ("16:45h", "4:45pm").
pub(super) fn is_time(word: &str) -> bool {
    let clock = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    // "7:30Sunshine" may be a password.
    let behind = word[clock.len()..].to_ascii_lowercase();
    if !matches!(behind.as_str(), "" | "h" | "am" | "pm" | "uhr") {
        return false;
    }
    let parts: Vec<&str> = clock.split(':').collect();
    let is_part = |(at, part): (usize, &&str)| {
        let most = if at == 0 { 24 } else { 59 };
        let digits = if at == 0 { 1..=2 } else { 2..=2 };
        digits.contains(&part.len()) && part.parse::<u8>().is_ok_and(|it| it <= most)
    };
    (2..=3).contains(&parts.len()) && parts.iter().enumerate().all(is_part)
}

/// A day with its year: "2026-11-23", "23.11.2026", "11/23/26".
pub(super) fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '.', '/']).collect();
    let [first, second, third] = parts.as_slice() else { return false };
    let is_part = |part: &&str| {
        (1..=2).contains(&part.len()) && part.parse::<u8>().is_ok_and(|it| (1..=31).contains(&it))
    };
    let ends_with_year = is_year(third) || word.contains(['.', '/']) && is_part(third);
    let (year, day) = if is_year(first) { (true, third) } else { (ends_with_year, first) };
    year && is_part(second) && is_part(day)
}

/// Runs of digits, with blanks or hyphens between them, that are numbers of cards or persons; also one among other
/// numbers, as `4111 1111 1111 1111 12/27`, in the groups that cards have.
pub(super) fn id_numbers(text: &str) -> impl Iterator<Item = (SecretKind, &str)> {
    let is_digit = |c: char| plain_digit(c).is_ascii_digit();
    let between = |c| matches!(c, ' ' | '-' | '\u{a0}' | '\u{202f}' | '\u{2011}');
    let part = move |c: char| is_digit(c) || between(c) || matches!(c, 'X' | 'x');
    text.split(move |c| !part(c)).flat_map(move |run| {
        let run = run.trim_matches(between);
        if let Some(kind) = kind(run) {
            return vec![(kind, run)];
        }
        cards_among(run, between)
    })
}

fn kind(run: &str) -> Option<SecretKind> {
    let digits: String = run
        .chars()
        .map(plain_digit)
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_uppercase())
        .collect();
    match () {
        () if is_card(&digits) => Some(SecretKind::Card),
        () if is_chinese_id(&digits) => Some(SecretKind::Identity),
        () => None,
    }
}

/// Cards in a run of groups: whatever else has as many digits is one in ten times right by the rule, so only groups as
/// they stand on cards count.
fn cards_among(run: &str, between: impl Fn(char) -> bool) -> Vec<(SecretKind, &str)> {
    const SHAPES: [&[usize]; 5] = [&[16], &[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[15]];
    let groups: Vec<&str> = run.split(between).filter(|it| !it.is_empty()).collect();
    let place = |part: &str| part.as_ptr() as usize - run.as_ptr() as usize;
    let mut found = Vec::new();
    let mut from = 0;
    while from < groups.len() {
        let card = SHAPES.iter().find_map(|shape| {
            let span = groups.get(from..from + shape.len())?;
            let last = span[span.len() - 1];
            let text = &run[place(span[0])..place(last) + last.len()];
            let fits = span.iter().zip(*shape).all(|(it, digits)| it.chars().count() == *digits);
            (fits && kind(text) == Some(SecretKind::Card)).then_some((text, shape.len()))
        });
        from += card.map_or(1, |(_, groups)| groups);
        found.extend(card.map(|(text, _)| (SecretKind::Card, text)));
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_dates_and_years_are_known() {
        assert!(
            ["16:45", "9:05", "23:59:59", "16:45h", "4:45pm", "9:05AM", "16:45Uhr"]
                .into_iter()
                .all(is_time)
        );
        assert!(!["7:30Sunshine", "7:30x", "16:45pmx"].into_iter().any(is_time));
        assert!(!["4471:45", "16:4", "25:00", "16", "12:60", "a:12", ""].into_iter().any(is_time));
        assert!(["2026-11-23", "23.11.2026", "1.2.26", "11/23/26"].into_iter().all(is_date));
        assert!(!["48-29-13", "482-913", "2026-99-23", "10.0.0.1", ""].into_iter().any(is_date));
        assert!(is_year("2025") && is_year("1984") && !is_year("4829") && !is_year("20251"));
    }

    #[test]
    fn a_card_is_found_beside_other_numbers() {
        for (text, found) in [
            ("Pay with 4111 1111 1111 1111 12/27, CVV 739", &["4111 1111 1111 1111"][..]),
            ("2 x 4111-1111-1111-1111 27", &["4111-1111-1111-1111"]),
            ("4111\u{a0}1111\u{a0}1111\u{a0}1111 12", &["4111\u{a0}1111\u{a0}1111\u{a0}1111"]),
            ("３７１４ ４９６３５３ ９８４３１", &["３７１４ ４９６３５３ ９８４３１"]),
            (
                "3714 496353 98431 and 4111111111111111 1227",
                &["3714 496353 98431", "4111111111111111"],
            ),
            ("4111111111111111 1227", &["4111111111111111"]),
            ("call 0170 1234 5678 9012 now", &[]),
            ("2026-11-27 10-30 2026-11-28", &[]),
            ("x - x", &[]),
        ] {
            let all: Vec<_> = id_numbers(text).map(|(_, run)| run).collect();
            assert_eq!(all, found, "{text}");
        }
    }
}
