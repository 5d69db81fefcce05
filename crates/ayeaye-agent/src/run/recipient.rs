//! Who is written to, as the top of the screen names them: the field and the button are the same whoever it is.
use std::time::Duration;

use crate::ScreenSize;
use crate::elements::Elements;
use crate::gate::header::{self, HeaderText};
use crate::gate::{seconds, take_countdowns};
use crate::secret_text::plain_digit;

/// The most digits of a number of what is unread, as a rule.
const UNREAD_DIGITS: usize = 3;
/// The fewest of a number that can be called.
const DIALED_DIGITS: usize = 7;
/// How much faster than time passes a recording may be played, and by how many seconds what is shown may be late.
const PACE: u64 = 2;
const INACCURACY: u64 = 5;

/// The name at the top of a screen, such as the person that a chat is with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recipient {
    /// What may be the name, or a part of it.
    names: Vec<String>,
    /// The times beside it, in seconds: of calls, recordings and players.
    times: Vec<u32>,
}

impl Recipient {
    pub(super) fn on(elements: &Elements, size: ScreenSize) -> Self {
        Self::of(&header::texts(elements, size))
    }

    /// The name is the first text that has letters, or the digits of a telephone number. What stands before it may be a
    /// name too, but for counts beside it, which go on whoever is written to. Where none is written, everything that
    /// stands there counts, and what icons are called as well: some apps write nothing, and describe everything.
    fn of(header: &[HeaderText]) -> Self {
        let is_name = |it: &HeaderText| {
            let is_dialed = || DIALED_DIGITS <= digits(&it.text) && seconds_of(&it.text).is_none();
            !it.is_icon && (has_letters(&it.text) || is_dialed())
        };
        let name = header.iter().position(is_name);
        let told = name.map_or(header, |at| &header[..=at]);
        let goes_on = |it: &HeaderText| {
            is_count(&it.text) && name.is_some_and(|at| it.is_beside(&header[at]))
        };
        let (mut names, mut times) = (Vec::new(), Vec::new());
        for it in told.iter().filter(|it| !is_glyph(&it.text) && !goes_on(it)) {
            match seconds_of(&it.text) {
                Some(these) => times.extend(these),
                None => names.push(take_times(&take_countdowns(&it.text, &mut times), &mut times)),
            }
        }
        Self { names, times }
    }

    pub(super) fn names_nobody(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether it is the same as before, `passed` ago, or nobody was named then and nobody is now.
    pub(super) fn is_still(&self, before: &Self, passed: Duration) -> bool {
        let most = passed.as_secs().saturating_mul(PACE).saturating_add(INACCURACY);
        let went_on = |(before, now): (&u32, &u32)| {
            // Of two chats that are named by a time of day most differ by this.
            let may_be_of_a_day = before.is_multiple_of(5) && now.is_multiple_of(5);
            before == now || !may_be_of_a_day && u64::from(before.abs_diff(*now)) <= most
        };
        // A recording may have begun or ended.
        let is_one = self.times.len() != before.times.len()
            || before.times.iter().zip(&self.times).all(went_on);
        self.names == before.names && is_one
    }

    /// Whether only digits beside words differ, as in "1,234 watching".
    pub(super) fn differs_in_digits(&self, before: &Self) -> bool {
        let words =
            |it: &str| it.chars().filter(|it| !it.is_numeric() && *it != ',').collect::<String>();
        let is_one = |(before, now): (&String, &String)| {
            before == now || has_letters(now) && words(before) == words(now)
        };
        self.names.len() == before.names.len() && before.names.iter().zip(&self.names).all(is_one)
    }
}

/// Whether a text is a number of what is unread, as "3", "(3)" or "99+".
fn is_count(text: &str) -> bool {
    !has_letters(text) && (1..=UNREAD_DIGITS).contains(&digits(text))
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn digits(text: &str) -> usize {
    text.chars().filter(|it| it.is_numeric()).count()
}

/// The times that a text consists of, with signs around them, as in "● 01:15 / 03:20"; `None` if anything else is in
/// it.
fn seconds_of(text: &str) -> Option<Vec<u32>> {
    let text: String = text.chars().map(plain_digit).collect();
    if text.chars().any(|it| it.is_alphanumeric() && !it.is_ascii_digit()) {
        return None;
    }
    let pieces = text.split(|it: char| !it.is_ascii_digit() && it != ':');
    let times = pieces.filter(|it| !it.is_empty());
    let times: Vec<_> =
        times.map(|it| seconds(it).filter(|_| it.contains(':'))).collect::<Option<_>>()?;
    (!times.is_empty()).then_some(times)
}

/// Takes the times that stand among the words of a text out of it, and adds them in seconds: "Time left 09:58".
fn take_times(text: &str, times: &mut Vec<u32>) -> String {
    if !has_letters(text) {
        return text.to_owned();
    }
    let text: String = text.chars().map(plain_digit).collect();
    let mut rest = |word: &str| {
        let time = word.trim_matches(|it: char| !it.is_ascii_digit());
        match seconds(time) {
            Some(these) => {
                times.push(these);
                word.replacen(time, "", 1)
            }
            None => word.to_owned(),
        }
    };
    text.split(' ').map(&mut rest).collect::<Vec<_>>().join(" ")
}

/// Whether a text is made of what only an app's own font shows (Unicode's private use areas).
fn is_glyph(text: &str) -> bool {
    text.chars().all(|it| {
        it.is_whitespace() || matches!(it, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts beside each other, and those of icons.
    fn header(written: &[&str], icons: &[&str]) -> Vec<HeaderText> {
        let text =
            |text: &&str, is_icon| HeaderText { text: (*text).to_owned(), is_icon, rows: 40..90 };
        let written = written.iter().map(|it| text(it, false));
        written.chain(icons.iter().map(|it| text(it, true))).collect()
    }

    fn is_still(before: &[HeaderText], now: &[HeaderText]) -> bool {
        Recipient::of(now).is_still(&Recipient::of(before), Duration::from_secs(3))
    }

    #[test]
    fn a_name_is_told_whatever_stands_before_it() {
        for before in
            ["3", "99+", "(3)", "٣", "‹", "❮", "\u{e601}", "1,204", "12,345", "01:15 / 03:20"]
        {
            let with = |name| header(&[before, name, "online"], &["Call"]);
            assert!(is_still(&with("Anna"), &header(&[before, "Anna", "typing…"], &["Hang up"])));
            for other in ["Mallory", "Anne", "Anna 2"] {
                assert!(!is_still(&with("Anna"), &with(other)), "{before} {other}");
            }
        }
        for (one, other) in [
            ("❤", "🐻"),
            ("7726", "4636"),
            ("112", "110"),
            (".", ":)"),
            ("24/7", "7/11"),
            ("+49 151 12345678", "+49 151 12345679"),
            ("192.168.1.1:8080", "192.168.1.2:8080"),
            ("3:16", "7:11"),
        ] {
            for written in [&["3", one][..], &[one]] {
                let now: Vec<_> =
                    written.iter().map(|it| if *it == one { other } else { *it }).collect();
                let icons = ["Call"];
                assert!(!is_still(&header(written, &icons), &header(&now, &icons)), "{one}");
            }
        }
    }

    #[test]
    fn counts_beside_a_name_and_times_go_on() {
        for (before, now) in [
            ("3", "4"),
            ("٣", "٤"),
            ("99", "99+"),
            ("00:37", "00:38"),
            ("-00:37", "-00:36"),
            ("• 00:37", "• 00:38"),
            ("● 1:15", "● 1:16"),
            ("🔴 ٠٠:٣٧", "🔴 ٠٠:٣٨"),
            ("▶ 01:15 / 03:20", "▶ 01:16 / 03:20"),
        ] {
            for name in ["Anna", "+49 151 12345678"] {
                let with = |it| header(&[it, name], &["Call"]);
                assert!(is_still(&with(before), &with(now)), "{before} {name}");
            }
        }
        assert!(is_still(&header(&["Anna"], &[]), &header(&["00:37", "Anna"], &[])));
        // What was sent last stands below.
        assert!(is_still(&header(&["Anna", "12:45"], &[]), &header(&["Anna", "19:30"], &[])));
        let meeting = |time| header(&[time], &[]);
        assert!(is_still(&meeting("Meeting (4:59)"), &meeting("Meeting (4:56)")));
        assert!(!is_still(&meeting("Meeting (14:30)"), &meeting("Meeting (19:30)")));
        for (before, now) in [
            ("Time left 09:58", "Time left 09:55"),
            ("剩余时间09:58", "剩余时间09:55"),
            ("٠٩:٥٨ left", "٠٩:٥٧ left"),
        ] {
            assert!(is_still(&meeting(before), &meeting(now)), "{before}");
        }
        for (before, now) in [
            ("Stand-up 9:15", "Stand-up 9:20"),
            ("Stand-up 9:15", "Stand-up"),
            ("Stand-up 9:15", "Anna 9:15"),
            ("Room 3:16", "Room 7:11"),
            ("10.0.0.1:80 office", "10.0.0.1:81 office"),
            ("Open 24/7", "Open 7/11"),
        ] {
            assert!(!is_still(&meeting(before), &meeting(now)), "{before}");
        }
    }

    #[test]
    fn a_count_with_words_is_told_from_a_name_with_a_number() {
        let differ = |before, now| {
            let [before, now] = [before, now].map(|it| Recipient::of(&header(&[it], &[])));
            now.differs_in_digits(&before)
        };
        assert!(differ("1,234 watching", "12,345 watching"));
        for (before, now) in [("Anna", "Mallory"), ("7726", "4636"), ("2 watching", "2 waiting")] {
            assert!(!differ(before, now), "{before}");
        }
    }

    #[test]
    fn a_number_above_other_words_is_no_count() {
        let above = |number: &str| {
            let mut told = header(&[number, "SMS"], &["Call"]);
            told[1].rows = 90..130;
            told
        };
        assert!(is_still(&above("112"), &above("112")));
        assert!(!is_still(&above("112"), &above("110")));
    }

    #[test]
    fn where_nobody_is_written_all_descriptions_count() {
        for written in [&[][..], &["3"], &["❮"]] {
            let with = |name| header(written, &["Open navigation menu", name, "Call"]);
            assert!(is_still(&with("Anna"), &with("Anna")));
            assert!(!is_still(&with("Anna"), &with("Mallory")), "{written:?}");
        }
        let nobody = |time| header(&[time, "\u{e601}"], &[]);
        assert!(is_still(&nobody("00:37"), &nobody("00:39")));
        assert!(!is_still(&nobody("00:37"), &header(&["Anna"], &[])));
    }
}
