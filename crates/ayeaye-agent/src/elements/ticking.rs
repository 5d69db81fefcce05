//! Clocks and countdowns, which a screen goes on showing otherwise though it is still the same page.
use std::time::Duration;

use super::Elements;

/// How far a clock may be from what it should show, for the moments at which the two lists were read.
const SLACK: Duration = Duration::from_secs(2);

impl Elements {
    /// The same, with each time that has gone on from `before` by no more than so long as it was there.
    ///
    /// A time that has changed otherwise, such as that of an appointment, is left as it is.
    pub(crate) fn with_clocks_as_in(mut self, before: &Self, since: Duration) -> Self {
        for (now, then) in self.0.iter_mut().zip(&before.0) {
            for (now, then) in
                [(&mut now.text, &then.text), (&mut now.description, &then.description)]
            {
                if now != then && has_gone_on(then, now, since) {
                    now.clone_from(then);
                }
            }
        }
        self
    }
}

/// Whether two texts differ in nothing but times, and these by no more than has passed.
fn has_gone_on(then: &str, now: &str, since: Duration) -> bool {
    let ((then, before), (now, after)) = (times(then), times(now));
    let most = (since + SLACK).as_secs();
    let near = |(before, after): (&u64, &u64)| before.abs_diff(*after) <= most;
    then == now && before.len() == after.len() && before.iter().zip(&after).all(near)
}

/// A text without its times, and these: two or three numbers of at most two digits with colons between them, the last
/// taken for seconds.
fn times(text: &str) -> (String, Vec<u64>) {
    let mut around = String::new();
    let mut times = Vec::new();
    let is_part = |c: char| c.is_ascii_digit() || c == ':';
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        around.push_str(before);
        match seconds(word) {
            Some(time) => {
                around.push(':');
                times.push(time);
            }
            None => around.push_str(word),
        }
        rest = behind;
    }
    around.push_str(rest);
    (around, times)
}

fn seconds(word: &str) -> Option<u64> {
    let numbers: Vec<&str> = word.split(':').collect();
    let is_number = |it: &&str| (1..=2).contains(&it.len());
    if !(2..=3).contains(&numbers.len()) || !numbers.iter().all(is_number) {
        return None;
    }
    numbers.iter().try_fold(0, |sum, it| Some(sum * 60 + it.parse::<u64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_clock_would_change_is_taken_for_one() {
        let since = Duration::from_secs(4);
        for (then, now) in [
            ("Pay within 14:59", "Pay within 14:55"),
            ("1:00:00 left", "0:59:55 left"),
            ("9:59", "10:00"),
            ("00:10 of 3:20", "00:14 of 3:20"),
        ] {
            assert!(has_gone_on(then, now, since), "{then} {now}");
        }
        for (then, now) in [
            ("Book at 10:30", "Book at 11:30"),
            ("Pay 14:59", "Send 14:55"),
            ("€ 12.50", "€ 12.54"),
            ("12", "13"),
            ("1:2:3:4", "1:2:3:5"),
            ("100:20", "100:21"),
            ("10:30", "10:30 10:31"),
        ] {
            assert!(!has_gone_on(then, now, since), "{then} {now}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split(text: String) {
            let (around, times) = times(&text);
            proptest::prop_assert!(times.len() <= around.len());
            proptest::prop_assert!(has_gone_on(&text, &text, Duration::ZERO));
        }
    }
}
