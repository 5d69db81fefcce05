//! Times that count down on what is touched: "Pay (4:59)" is the same button as "Pay (4:58)" a second ago. A time
//! that does not count is what the button is about: "Order (14:30)".
use std::time::Duration;

use super::request::ScreenFacts;

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('（', '）')];
/// How seconds are written behind their number.
const SECONDS: [&str; 4] = ["s", "sec", "秒", "с"];
/// By how many seconds a count may be ahead or behind of the time that has passed: a phone takes a while to say what
/// it shows.
const INACCURACY: u64 = 5;

/// Removes the times in brackets from a text, and adds them to `times` in seconds. A time without brackets may be the
/// text's subject: "Book 14:30".
pub(crate) fn take_countdowns(text: &str, times: &mut Vec<u32>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, inside, after)) = next_brackets(rest) {
        out.push_str(before);
        match seconds(inside.trim()) {
            Some(time) => times.push(time),
            None => out.push_str(inside),
        }
        rest = after;
    }
    out + rest
}

/// What stands up to an opening bracket and with it, up to the closing one, and from that on.
fn next_brackets(text: &str) -> Option<(&str, &str, &str)> {
    let open = text.find(BRACKETS.map(|(open, _)| open))?;
    let (_, close) =
        BRACKETS.into_iter().find(|(open_with, _)| text[open..].starts_with(*open_with))?;
    let from = open + text[open..].chars().next().map_or(0, char::len_utf8);
    let to = from + text[from..].find(close)?;
    Some((&text[..from], &text[from..to], &text[to..]))
}

/// How many seconds these minutes and seconds are, perhaps behind hours, or seconds alone; `None` for an amount or a
/// count.
pub(crate) fn seconds(text: &str) -> Option<u32> {
    let number = |it: &str, longest: usize| {
        let digits =
            (1..=longest).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit());
        it.parse::<u32>().ok().filter(|_| digits)
    };
    let parts: Vec<_> = text.split(':').collect();
    match *parts {
        [time] => SECONDS
            .iter()
            .filter_map(|unit| time.strip_suffix(unit))
            .find_map(|it| number(it.trim_end(), 3)),
        [first, ref others @ ..] if others.len() < 3 => {
            others.iter().try_fold(number(first, 2)?, |sum, it| {
                let part = number(it, 2).filter(|_| it.len() == 2)?;
                Some(sum * 60 + part)
            })
        }
        _ => None,
    }
}

/// Whether times are the same as before, or have counted down since.
pub(crate) fn have_counted_down(before: &[u32], now: &[u32], passed: Duration) -> bool {
    let passed = passed.as_secs();
    let counted = |(before, now): (&u32, &u32)| {
        let by = before.checked_sub(*now).map(u64::from);
        // "(14:30)" and "(14:15)" may be of a day, and so may "(14:37)" and "(14:07)": what goes every half an hour. A
        // count that meets this by chance is asked about again.
        let may_be_of_a_day = before.is_multiple_of(5) && now.is_multiple_of(5);
        let may_be_apart = |by: u64| by.is_multiple_of(10) || by.is_multiple_of(15);
        by.is_some_and(|by| {
            let counts = !may_be_of_a_day && !may_be_apart(by);
            by == 0 || counts && by.abs_diff(passed) <= INACCURACY
        })
    };
    before.len() == now.len() && before.iter().zip(now).all(counted)
}

/// Whether a screen is the same as before, except for countdowns that have gone on.
pub(crate) fn is_same_later(before: ScreenFacts, now: ScreenFacts, passed: Duration) -> bool {
    let (mut times_before, mut times_now) = (Vec::new(), Vec::new());
    let before = but_for_countdowns(before, &mut times_before);
    let now = but_for_countdowns(now, &mut times_now);
    before == now && have_counted_down(&times_before, &times_now, passed)
}

fn but_for_countdowns(mut screen: ScreenFacts, times: &mut Vec<u32>) -> ScreenFacts {
    let ScreenFacts {
        aimed, focused, controls, titles, header, texts, said, line, telling, ..
    } = &mut screen;
    let controls = aimed.iter_mut().chain(focused).chain(controls);
    let of_controls = controls.flat_map(|it| {
        it.names.iter_mut().chain(&mut it.beside).chain(std::iter::once(&mut it.content))
    });
    let others = [titles, header, texts, said, line].into_iter().flatten();
    let others = others.chain(telling.iter_mut().map(|it| &mut it.text));
    of_controls.chain(others).for_each(|text| *text = take_countdowns(text, times));
    screen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_brackets_go_and_nothing_else() {
        for (text, left, time) in [
            ("Pay €49.95 (4:01)", "Pay €49.95 ()", 241),
            ("Pay (€49.95) (0:59)", "Pay (€49.95) ()", 59),
            ("Resend (59 s)", "Resend ()", 59),
            ("Weiter [1:00:05] jetzt", "Weiter [] jetzt", 3605),
            ("获取验证码（59秒）", "获取验证码（）", 59),
        ] {
            let mut times = Vec::new();
            assert_eq!(take_countdowns(text, &mut times), left);
            assert_eq!(times, [time]);
        }
        for text in [
            "Book 14:30",
            "Pay (49.95)",
            "Pay (€5:00)",
            "Delete (12)",
            "Send (4:1)",
            "Give (5 shares)",
            "(:)",
            "((",
            "()",
            "(s)",
            "Alarm (7:00 pm)",
            "(1:00:00:00)",
            ")4:01(",
        ] {
            let mut times = Vec::new();
            assert_eq!(take_countdowns(text, &mut times), text);
            assert_eq!(times, [0; 0]);
        }
    }

    #[test]
    fn a_time_counts_down_as_fast_as_time_passes_or_stands_still() {
        let minute = Duration::from_mins(1);
        for (before, now, counted) in [
            (241, 182, true),
            (241, 178, true),
            (241, 241, true),
            (241, 190, false),
            (241, 170, false),
            (241, 242, false),
            (14 * 60 + 30, 19 * 60 + 30, false),
            (19 * 60 + 30, 14 * 60 + 30, false),
        ] {
            assert_eq!(have_counted_down(&[before], &[now], minute), counted, "{before} {now}");
        }
        for (before, now, passed) in [
            ("19:30", "19:15", 15),
            ("19:30", "18:30", 60),
            ("14:30", "14:25", 3),
            ("14:37", "14:07", 30),
            ("14:37", "13:37", 60),
            ("14:37", "14:27", 8),
        ] {
            let times = [before, now].map(|it| seconds(it).unwrap());
            let passed = Duration::from_secs(passed);
            assert!(!have_counted_down(&times[..1], &times[1..], passed), "{before} {now}");
        }
        assert!(!have_counted_down(&[5], &[], minute));
    }
}
