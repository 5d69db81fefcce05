//! Times that count down on what is touched: "Pay (4:59)" is the same button as "Pay (4:58)".
use super::request::ScreenFacts;

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('（', '）')];
/// How seconds are written behind their number.
const SECONDS: [&str; 4] = ["s", "sec", "秒", "с"];

/// A text without times in brackets. Without brackets a time may be what the text is about: "Book 14:30".
pub(crate) fn without_countdown(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, inside, after)) = next_brackets(rest) {
        out.push_str(before);
        if !is_countdown(inside.trim()) {
            out.push_str(inside);
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

/// Whether this is minutes and seconds, perhaps behind hours, or seconds alone: no amount, no count.
fn is_countdown(text: &str) -> bool {
    let is_number = |it: &str, longest: usize| {
        (1..=longest).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<_> = text.split(':').collect();
    match *parts {
        [seconds] => SECONDS
            .iter()
            .filter_map(|unit| seconds.strip_suffix(unit))
            .any(|it| is_number(it.trim_end(), 3)),
        [first, ref others @ ..] if others.len() < 3 => {
            is_number(first, 2) && others.iter().all(|it| it.len() == 2 && is_number(it, 2))
        }
        _ => false,
    }
}

/// The same screen without them, so that it can be compared with one of a little later.
pub(crate) fn but_for_countdowns(mut screen: ScreenFacts) -> ScreenFacts {
    let ScreenFacts { aimed, focused, controls, titles, header, texts, said, line, .. } =
        &mut screen;
    let controls = aimed.iter_mut().chain(focused).chain(controls);
    let of_controls = controls.flat_map(|it| {
        it.names.iter_mut().chain(&mut it.beside).chain(std::iter::once(&mut it.content))
    });
    let others = [titles, header, texts, said, line].into_iter().flatten();
    of_controls.chain(others).for_each(|text| *text = without_countdown(text));
    screen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_brackets_go_and_nothing_else() {
        for (text, left) in [
            ("Pay €49.95 (4:01)", "Pay €49.95 ()"),
            ("Pay (€49.95) (0:59)", "Pay (€49.95) ()"),
            ("Resend (59 s)", "Resend ()"),
            ("Weiter [1:00:05] jetzt", "Weiter [] jetzt"),
            ("获取验证码（59秒）", "获取验证码（）"),
        ] {
            assert_eq!(without_countdown(text), left);
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
            assert_eq!(without_countdown(text), text);
        }
    }
}
