//! How a task is repeated.
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use jiff::SignedDuration;

/// `run --every` and those like it.
#[derive(Debug, Clone, Copy, Args)]
pub struct Repeat {
    /// Repeat it at this interval: 90s, 15m, 2h, 1d
    #[arg(long, value_name = "TIME")]
    pub every: Option<Every>,
    /// Stop after this many rounds
    #[arg(long, value_name = "N", requires = "every", value_parser = clap::value_parser!(u32).range(1..))]
    pub times: Option<u32>,
}

/// The time from one round to the next: at least a second, at most a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every(pub Duration);

/// A text that is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a time between rounds is 90s, 15m, 2h, 1h 30m or whole days such as 1d: from 1s to 366d")]
pub struct InvalidEvery;

impl Every {
    const SHORTEST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_hours(366 * 24);
}

impl FromStr for Every {
    type Err = InvalidEvery;

    fn from_str(text: &str) -> Result<Self, InvalidEvery> {
        let text = text.trim();
        let days = text.strip_suffix('d').and_then(|days| days.trim_end().parse::<u64>().ok());
        let span = match days {
            Some(days) => days.checked_mul(24 * 3600).map(Duration::from_secs),
            None => text.parse::<SignedDuration>().ok().and_then(|span| span.try_into().ok()),
        };
        span.filter(|span| (Self::SHORTEST..=Self::LONGEST).contains(span))
            .map(Self)
            .ok_or(InvalidEvery)
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = SignedDuration::try_from(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{span:#}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        text.parse::<Every>().ok().map(|every| every.0.as_secs())
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("90s", 90),
            ("15m", 900),
            ("2h", 7200),
            ("1h 30m", 5400),
            ("1h30m", 5400),
            ("1d", 86_400),
            (" 366d ", 366 * 86_400),
        ] {
            assert_eq!(seconds(text), Some(wanted), "{text}");
        }
        for text in
            ["", "0s", "15", "-5m", "500ms", "367d", "1 fortnight", "d", "99999999999999999999d"]
        {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_again(whole in 1_u64..=366 * 86_400) {
            let every = Every(Duration::from_secs(whole));
            prop_assert_eq!(every.to_string().parse(), Ok(every));
        }

        #[test]
        fn any_text_is_read_without_fear(text in "\\PC{0,20}") {
            if let Ok(every) = text.parse::<Every>() {
                prop_assert!((Every::SHORTEST..=Every::LONGEST).contains(&every.0));
            }
        }
    }
}
