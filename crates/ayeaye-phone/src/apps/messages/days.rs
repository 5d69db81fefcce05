//! How messages are dated, as of a day.
use jiff::civil::DateTime;

use crate::apps::widgets::{format_clock, format_date};

/// How many days ago: `None` for a day to come.
fn days_ago(at: DateTime, now: DateTime) -> Option<u32> {
    let since = now.date() - at.date();
    u32::try_from(since.get_days()).ok()
}

/// When a conversation went on last, for the list: 9:12, Yesterday, Sun, 3 May.
pub(super) fn short(at: DateTime, now: DateTime) -> String {
    match days_ago(at, now) {
        Some(0) => format_clock(at),
        Some(1) => "Yesterday".to_owned(),
        Some(2..7) => at.strftime("%a").to_string(),
        _ => at.strftime("%-d %b").to_string(),
    }
}

/// The day above the messages of a day: Today, Yesterday, Sunday, Sun, 3 May.
pub(super) fn heading(at: DateTime, now: DateTime) -> String {
    match days_ago(at, now) {
        Some(0) => "Today".to_owned(),
        Some(1) => "Yesterday".to_owned(),
        Some(2..7) => at.strftime("%A").to_string(),
        _ => format_date(at.date()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_list_and_the_conversation_name_the_same_day() {
        let now = date(2026, 5, 12).at(9, 41, 0, 0);
        let told = |month, day| {
            let at = date(2026, month, day).at(21, 5, 0, 0);
            (short(at, now), heading(at, now))
        };
        let both = |short: &str, heading: &str| (short.to_owned(), heading.to_owned());
        assert_eq!(told(5, 12), both("21:05", "Today"));
        assert_eq!(told(5, 11), both("Yesterday", "Yesterday"));
        assert_eq!(told(5, 10), both("Sun", "Sunday"));
        assert_eq!(told(5, 6), both("Wed", "Wednesday"));
        assert_eq!(told(5, 5), both("5 May", "Tue, 5 May"));
        assert_eq!(told(4, 30), both("30 Apr", "Thu, 30 Apr"));
    }
}
