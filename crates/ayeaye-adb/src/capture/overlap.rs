//! Whether a phone takes two captures at once as quickly as one, by what was measured. Where the time goes
//! into making a picture, it may; where it goes into sending one, two share the link.
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A quicker capture is not worth it, and a slower one is a burden to the phone.
const WORTH_IT: std::ops::RangeInclusive<Duration> =
    Duration::from_millis(60)..=Duration::from_millis(600);
/// A capture during which another one began may take this much longer, and so many milliseconds.
const MOST_LONGER: f64 = 1.2;
const NOISE: Duration = Duration::from_millis(10);
/// How long a phone that was slower with two is not given two again, at first and at most.
const PAUSE: Duration = Duration::from_mins(1);
const MAX_PAUSE: Duration = Duration::from_mins(30);

/// What was learnt.
#[derive(Debug, Default)]
pub(super) struct Overlap(Mutex<OverlapState>);

#[derive(Debug, Default)]
struct OverlapState {
    under_way: u32,
    /// Captures that have begun so far.
    begun: u64,
    /// How long the last capture took during which there was no other one.
    alone: Option<Duration>,
    not_until: Option<Instant>,
    pause: Option<Duration>,
}

/// A capture that is under way until this is dropped.
pub(super) struct UnderWay<'a> {
    overlap: &'a Overlap,
    /// It is the only one at its beginning.
    first: bool,
    number: u64,
}

impl Overlap {
    /// Whether a second capture may begin before the first is over.
    pub(super) fn pays(&self, now: Instant) -> bool {
        let known = self.known();
        known.alone.is_some_and(|alone| WORTH_IT.contains(&alone))
            && known.not_until.is_none_or(|until| until <= now)
    }

    pub(super) fn begin(&self) -> UnderWay<'_> {
        let mut known = self.known();
        known.under_way += 1;
        known.begun += 1;
        UnderWay { overlap: self, first: known.under_way == 1, number: known.begun }
    }

    /// How many are under way now.
    pub(super) fn under_way(&self) -> u32 {
        self.known().under_way
    }

    /// Nothing is known of another link.
    pub(super) fn forget(&self) {
        let mut known = self.known();
        (known.alone, known.not_until, known.pause) = (None, None, None);
    }

    /// Never held over an await.
    fn known(&self) -> MutexGuard<'_, OverlapState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay<'_> {
    /// It has come, and took so long. False if it took longer than it does alone, or that is not known: then it
    /// tells nothing of its way.
    pub(super) fn succeeded(self, took: Duration, now: Instant) -> bool {
        let mut known = self.overlap.known();
        let met_another = self.number < known.begun;
        if self.first && !met_another {
            known.alone = Some(took);
            return true;
        }
        let Some(alone) = known.alone else { return false };
        let as_quick = took <= alone.mul_f64(MOST_LONGER) + NOISE;
        if self.first && !as_quick {
            let pause = known.pause.unwrap_or(PAUSE);
            known.not_until = Some(now + pause);
            known.pause = Some((pause * 2).min(MAX_PAUSE));
        }
        as_quick
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.overlap.known().under_way -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Two captures, of which the second begins during the first.
    fn pair(overlap: &Overlap, took: Duration, now: Instant) {
        let first = overlap.begin();
        let second = overlap.begin();
        first.succeeded(took, now);
        second.succeeded(took, now);
        assert_eq!(overlap.under_way(), 0);
    }

    #[test]
    fn a_capture_that_shared_the_link_tells_nothing_of_its_way() {
        let (overlap, now) = (Overlap::default(), Instant::now());
        let (first, second) = (overlap.begin(), overlap.begin());
        assert_eq!(overlap.under_way(), 2);
        assert!(!first.succeeded(600 * MS, now) && !second.succeeded(600 * MS, now));
        assert!(overlap.begin().succeeded(390 * MS, now), "it was alone");
        let (first, second) = (overlap.begin(), overlap.begin());
        assert!(!first.succeeded(680 * MS, now) && !second.succeeded(680 * MS, now));
        let (first, second) = (overlap.begin(), overlap.begin());
        assert!(first.succeeded(400 * MS, now) && second.succeeded(410 * MS, now), "no longer");
    }

    #[test]
    fn two_at_once_are_tried_once_it_is_known_how_long_one_takes() {
        let (overlap, now) = (Overlap::default(), Instant::now());
        assert!(!overlap.pays(now));
        pair(&overlap, 300 * MS, now);
        assert!(!overlap.pays(now), "none was alone");
        overlap.begin().succeeded(300 * MS, now);
        assert!(overlap.pays(now));
        pair(&overlap, 330 * MS, now);
        assert!(overlap.pays(now));
        overlap.begin().succeeded(20 * MS, now);
        assert!(!overlap.pays(now), "too quick to be worth it");
        overlap.begin().succeeded(700 * MS, now);
        assert!(!overlap.pays(now), "too slow to be asked for twice as much");
    }

    #[test]
    fn a_phone_that_is_slower_with_two_is_given_one_at_a_time_for_ever_longer() {
        let (overlap, now) = (Overlap::default(), Instant::now());
        overlap.begin().succeeded(300 * MS, now);
        pair(&overlap, 500 * MS, now);
        assert!(!overlap.pays(now));
        let later = now + PAUSE;
        assert!(overlap.pays(later));
        pair(&overlap, 500 * MS, later);
        assert!(!overlap.pays(later + PAUSE));
        assert!(overlap.pays(later + 2 * PAUSE));
        overlap.forget();
        assert!(!overlap.pays(later + 2 * PAUSE), "nothing is known of the new link");
    }

    #[test]
    fn a_capture_that_is_given_up_is_under_way_no_more() {
        let (overlap, now) = (Overlap::default(), Instant::now());
        drop(overlap.begin());
        overlap.begin().succeeded(100 * MS, now);
        assert!(overlap.pays(now));
    }
}
