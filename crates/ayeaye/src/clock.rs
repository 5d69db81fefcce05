//! The system's clock. It is passed to whatever needs the time, so that tests can pass another.
use std::sync::Arc;
use std::time::SystemTime;

use ayeaye_agent::Clock;
use jiff::Timestamp;

/// The real clock.
pub fn system() -> Clock {
    Arc::new(|| timestamp(SystemTime::now()))
}

/// A time of the system, which may be set to any. One before the year -9999 or after 9999 is the nearest that can be
/// written: a clock that is wrong stops nothing.
fn timestamp(time: SystemTime) -> Timestamp {
    let nearest = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(nearest)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_clock_is_beyond_what_can_be_written() {
        let years = |years: u64| Duration::from_secs(years * 31_556_952);
        let after = |time| timestamp(SystemTime::UNIX_EPOCH + time);
        let before = |time| SystemTime::UNIX_EPOCH.checked_sub(time).map(timestamp);
        assert_eq!(after(Duration::from_millis(1)).as_millisecond(), 1);
        assert_eq!(before(Duration::from_millis(1)).unwrap().as_millisecond(), -1);
        assert_eq!(after(years(9000)), Timestamp::MAX);
        // Not every system can tell it.
        assert_eq!(before(years(13_000)).unwrap_or(Timestamp::MIN), Timestamp::MIN);
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-30T22:00:00.999999999Z");
    }
}
