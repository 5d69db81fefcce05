//! Times of day, of twelve hours and of twenty-four.

/// Ways to say which half of the day it is, behind its number; `true` for the second.
const HALVES: [(&str, bool); 6] =
    [("am", false), ("a.m", false), ("a. m", false), ("pm", true), ("p.m", true), ("p. m", true)];
/// Ways to say which half of the day it is, before its number; `true` for the second.
#[rustfmt::skip]
const HALVES_BEFORE: [(&str, bool); 10] = [
    ("上午", false), ("早上", false), ("凌晨", false), ("午前", false), ("오전", false), ("下午", true), ("晚上", true), ("傍晚", true), ("午後", true), ("오후", true),
];
/// Numbers as Chinese writes them.
const CHINESE: [char; 11] = ['一', '二', '两', '三', '四', '五', '六', '七', '八', '九', '十'];

/// Where in a text (normalized) stands which half of the day it is: right behind a number, with a blank between or
/// without.
fn halves(text: &str) -> impl Iterator<Item = (usize, bool)> {
    HALVES.iter().flat_map(move |(half, is_second)| {
        text.match_indices(half).map(|(at, _)| (at, *is_second)).filter(move |(at, _)| {
            text[..*at].trim_end().ends_with(|c: char| c.is_ascii_digit())
                && !text[at + half.len()..].starts_with(char::is_alphanumeric)
        })
    })
}

/// Where in a text (normalized) what tells before a number which half of the day it is ends.
fn halves_before(text: &str) -> impl Iterator<Item = (usize, bool)> {
    HALVES_BEFORE.iter().flat_map(move |(half, is_second)| {
        text.match_indices(half).map(|(at, it)| (at + it.len(), *is_second)).filter(|(end, _)| {
            let rest = text[*end..].trim_start();
            rest.starts_with(|c: char| c.is_ascii_digit() || CHINESE.contains(&c))
        })
    })
}

/// The half of the day that a text names, where it names one alone; of several the one that stands beside the hour of
/// this number.
fn half_of(text: &str, hour: u32) -> Option<bool> {
    let behind = halves(text).map(|(at, half)| {
        let before = text[..at].trim_end();
        let is_end = |c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.');
        (before.rsplit(is_end).next().unwrap_or_default(), half)
    });
    let before = halves_before(text).map(|(end, half)| (text[end..].trim_start(), half));
    let all: Vec<(Option<u32>, bool)> = behind
        .chain(before)
        .map(|(number, half)| {
            let digits = number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            (digits.parse().ok(), half)
        })
        .collect();
    let same = |it: &Option<u32>| it.is_some_and(|it| it % 12 == hour % 12);
    only(all.iter().filter(|(it, _)| same(it)).map(|(_, half)| *half))
        .or_else(|| only(all.iter().map(|(_, half)| *half)))
}

/// What all of some are.
fn only(mut halves: impl Iterator<Item = bool>) -> Option<bool> {
    let first = halves.next()?;
    halves.all(|it| it == first).then_some(first)
}

/// A text (normalized) with a blank before each half of the day: "7 pm" of "7pm".
pub(super) fn apart(text: &str) -> String {
    let mut places: Vec<usize> = halves(text).map(|(at, _)| at).collect();
    places.sort_unstable();
    let mut out = text.to_owned();
    for at in places.into_iter().rev().filter(|at| !text[..*at].ends_with(' ')) {
        out.insert(at, ' ');
    }
    out
}

/// The ways in which a text may name the time that is shown with this number: "7:00" of "7:00 PM" where it does not say
/// am, and "19:00". What is no time stays as it is.
pub(super) fn readings(number: &str, shown: &str, text: &str) -> Vec<String> {
    let time = number.split_once([':', '.']).filter(|(_, minutes)| minutes.len() == 2);
    let hour = time.and_then(|(hour, _)| hour.parse::<u32>().ok()).filter(|it| *it < 24);
    let Some(hour) = hour else { return vec![number.to_owned()] };
    let rest = &number[number.find([':', '.']).unwrap_or_default()..];
    let (said, shown) = (half_of(text, hour), half_of(shown, hour));
    let is_second = shown.unwrap_or(12 <= hour);
    let of_twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let of_day = if shown.is_some() { hour % 12 + if is_second { 12 } else { 0 } } else { hour };
    // What says neither half may be either, and means the day where it shows more than twelve hours.
    let fits = said.map_or(shown.is_some() || of_day == of_twelve, |it| it == is_second);
    let mut all = Vec::new();
    all.extend(fits.then_some(of_twelve));
    all.extend((of_day != of_twelve).then_some(of_day));
    all.into_iter().map(|it| format!("{it}{rest}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_may_be_said() {
        for (number, shown, text, all) in [
            ("7:00", "7:00 pm", "delete the alarm at 7 pm", &["7:00", "19:00"][..]),
            ("7:00", "7:00 am", "delete the alarm at 7pm", &[]),
            ("7:00", "7:00 pm", "delete the alarm at 7 a.m.", &["19:00"]),
            ("19:00", "19:00", "delete the alarm at 7 pm", &["7:00", "19:00"]),
            ("19:00", "19:00", "delete the alarm at 7", &["19:00"]),
            ("7:00", "7:00", "delete the alarm at 7 pm", &[]),
            ("7:00", "7:00", "delete the alarm at 7 am", &["7:00"]),
            ("7:00", "7:00", "delete the alarm at 7", &["7:00"]),
            ("7:00", "7:00 pm", "delete the alarms at 6 am and 7 pm", &["7:00", "19:00"]),
            ("6:00", "6:00 pm", "delete the alarms at 6 am and 7 pm", &["18:00"]),
            ("7:00", "7:00 p. m.", "elimina la alarma de las 7 pm", &["7:00", "19:00"]),
            ("7:00", "7:00 p. m.", "elimina la alarma de las 7 a. m.", &["19:00"]),
            ("7:00", "下午7:00", "删除晚上7点的闹钟", &["7:00", "19:00"]),
            ("7:00", "下午 7:00", "删除早上7点的闹钟", &["19:00"]),
            ("7:00", "오후 7:00", "오전 7시 알람 삭제해 줘", &["19:00"]),
            ("7:00", "午前7:00", "午後7時のアラームを削除して", &[]),
            ("19:00", "19:00", "删除晚上七点的闹钟", &["7:00", "19:00"]),
            ("12:30", "12:30 am", "delete the alarm at 0:30", &["12:30", "0:30"]),
            ("0:30", "00:30", "delete the alarm at 12:30 am", &["12:30", "0:30"]),
            ("12:30", "12:30", "delete the alarm at 12:30 pm", &["12:30"]),
            ("1.999", "1.999", "delete 1.999", &["1.999"]),
        ] {
            assert_eq!(readings(number, shown, text), all, "{number}: {text}");
        }
        assert_eq!(apart("at 7pm or 8 am"), "at 7 pm or 8 am");
    }
}
