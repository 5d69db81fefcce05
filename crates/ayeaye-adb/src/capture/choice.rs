//! Which way of capturing suits this phone and the link to it, by what was measured.
//!
//! Raw is best on a good link. On a poor one its ten megabytes take seconds, and the phone has time
//! to compress: with `gzip`, or as a PNG, which takes it longer and is smaller.
use std::time::Duration;

use tokio::time::Instant;

/// A raw capture that takes no longer is as good as any other way.
pub(super) const QUICK: Duration = Duration::from_millis(1200);
/// A compressed capture that takes longer is compared with a PNG.
const SLOW: Duration = Duration::from_millis(2500);
/// How long a link that was too slow for raw captures is left alone, at first and at most.
const PAUSE: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_mins(8);
/// How long a phone that does not know a way is not asked for it again.
const REFUSED: Duration = Duration::from_mins(10);

/// A way of capturing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Raw,
    Gzip,
    Png,
    /// Where the others give nothing.
    Framebuffer,
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Gzip => "gzip",
            Self::Png => "PNG",
            Self::Framebuffer => "framebuffer",
        }
    }
}

/// What is known about one way.
#[derive(Debug, Clone, Copy, Default)]
struct Record {
    /// How long the last capture took, or would have taken.
    took: Option<Duration>,
    refused_until: Option<Instant>,
}

/// What was learnt about all of them.
#[derive(Debug)]
pub(super) struct Choice {
    raw: Record,
    gzip: Record,
    png: Record,
    framebuffer: Record,
    /// When raw captures are tried again on a link that was too slow for them.
    retry_raw: Option<Instant>,
    pause: Duration,
    /// The way of the last capture.
    latest: Option<Way>,
}

impl Default for Choice {
    fn default() -> Self {
        let [raw, gzip, png, framebuffer] = [Record::default(); 4];
        Self { raw, gzip, png, framebuffer, retry_raw: None, pause: PAUSE, latest: None }
    }
}

impl Choice {
    /// The way for the next capture, of one panel of several or of all there is.
    pub(super) fn next(&self, now: Instant, of_several: bool) -> Way {
        let usable = |record: &Record| record.refused_until.is_none_or(|until| until <= now);
        // What is compressed are raw captures.
        let raw = usable(&self.raw);
        let gzip = raw && usable(&self.gzip);
        if !raw && !usable(&self.png) && usable(&self.framebuffer) && !of_several {
            return Way::Framebuffer;
        }
        let due = self.retry_raw.is_some_and(|at| at <= now);
        if raw && (due || self.raw.took.is_none_or(|took| took <= QUICK)) {
            return Way::Raw;
        }
        if gzip && self.gzip.took.is_none() {
            return Way::Gzip;
        }
        let compressed_is_slow = !gzip || self.gzip.took.is_none_or(|took| SLOW < took);
        if compressed_is_slow && self.png.took.is_none() {
            return Way::Png;
        }
        let known =
            [(Way::Raw, raw, self.raw), (Way::Gzip, gzip, self.gzip), (Way::Png, true, self.png)];
        let known = known.into_iter().filter(|(_, usable, _)| *usable);
        let measured = known.filter_map(|(way, _, record)| Some((way, record.took?)));
        measured.min_by_key(|(_, took)| *took).map_or(Way::Png, |(way, _)| way)
    }

    /// How long a raw capture may take before another way is better.
    pub(super) fn patience_for_raw(&self) -> Duration {
        let others = [self.gzip.took, self.png.took].into_iter().flatten().min();
        // Never more patience than it takes to be chosen again.
        others.unwrap_or_default().max(QUICK + Duration::from_millis(300))
    }

    /// A capture has come.
    pub(super) fn succeeded(&mut self, way: Way, took: Duration, now: Instant) {
        self.record(way).took = Some(took);
        self.latest = Some(way);
        if way == Way::Raw {
            if took <= QUICK {
                (self.retry_raw, self.pause) = (None, PAUSE);
            } else {
                self.postpone_raw(now);
            }
        }
    }

    /// The way of the last capture, and how long it took.
    pub(super) fn latest(&self) -> Option<(Way, Duration)> {
        let way = self.latest?;
        let record = match way {
            Way::Raw => &self.raw,
            Way::Gzip => &self.gzip,
            Way::Png => &self.png,
            Way::Framebuffer => &self.framebuffer,
        };
        Some((way, record.took?))
    }

    /// A capture was given up because of the link; it would have taken so long or longer.
    pub(super) fn was_too_slow(&mut self, way: Way, would_take: Duration, now: Instant) {
        self.record(way).took = Some(would_take);
        if way == Way::Raw {
            self.postpone_raw(now);
        }
    }

    /// The phone does not know this way.
    pub(super) fn refused(&mut self, way: Way, now: Instant) {
        self.record(way).refused_until = Some(now + REFUSED);
    }

    /// It was not that: the phone gave no picture in any way.
    pub(super) fn forgive(&mut self, way: Way) {
        self.record(way).refused_until = None;
    }

    fn postpone_raw(&mut self, now: Instant) {
        self.retry_raw = Some(now + self.pause);
        self.pause = (self.pause * 2).min(MAX_PAUSE);
    }

    fn record(&mut self, way: Way) -> &mut Record {
        match way {
            Way::Raw => &mut self.raw,
            Way::Gzip => &mut self.gzip,
            Way::Png => &mut self.png,
            Way::Framebuffer => &mut self.framebuffer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_good_link_has_raw_captures() {
        let (mut choice, now) = (Choice::default(), Instant::now());
        for took in [300, 900, 400] {
            assert_eq!(choice.next(now, false), Way::Raw);
            choice.succeeded(Way::Raw, took * MS, now);
        }
        assert_eq!(choice.next(now, false), Way::Raw);
    }

    #[test]
    fn a_slow_link_has_what_takes_least_and_is_tried_again_now_and_then() {
        let (mut choice, now) = (Choice::default(), Instant::now());
        choice.was_too_slow(Way::Raw, 10_000 * MS, now);
        assert_eq!(choice.next(now, false), Way::Gzip);
        choice.succeeded(Way::Gzip, 1500 * MS, now);
        assert_eq!(choice.next(now, false), Way::Gzip);
        choice.succeeded(Way::Gzip, 3000 * MS, now);
        assert_eq!(choice.next(now, false), Way::Png, "not measured yet");
        choice.succeeded(Way::Png, 4000 * MS, now);
        assert_eq!(choice.next(now, false), Way::Gzip);
        choice.was_too_slow(Way::Gzip, 10_000 * MS, now);
        assert_eq!(choice.next(now, false), Way::Png);
        let later = now + PAUSE;
        assert_eq!(choice.next(later, false), Way::Raw);
        choice.was_too_slow(Way::Raw, 9_000 * MS, later);
        assert_eq!(choice.next(later + PAUSE, false), Way::Png, "less and less often");
        assert_eq!(choice.next(later + 2 * PAUSE, false), Way::Raw);
        choice.succeeded(Way::Raw, 300 * MS, later + 2 * PAUSE);
        assert_eq!(choice.next(later + 2 * PAUSE, false), Way::Raw);
    }

    #[test]
    fn a_phone_is_not_asked_for_what_it_does_not_know() {
        let (mut choice, now) = (Choice::default(), Instant::now());
        choice.was_too_slow(Way::Raw, 3_000 * MS, now);
        choice.refused(Way::Gzip, now);
        assert_eq!(choice.next(now, false), Way::Png);
        choice.succeeded(Way::Png, 4_000 * MS, now);
        assert_eq!(choice.next(now, false), Way::Raw, "slow, and still the quickest");
        choice.refused(Way::Raw, now);
        assert_eq!(choice.next(now, false), Way::Png);
        assert_eq!(choice.next(now + REFUSED, false), Way::Raw);
    }

    #[test]
    fn the_framebuffer_is_for_phones_with_one_panel_that_give_no_other_picture() {
        let (mut choice, now) = (Choice::default(), Instant::now());
        choice.refused(Way::Raw, now);
        assert_eq!(choice.next(now, false), Way::Png);
        choice.refused(Way::Png, now);
        assert_eq!(choice.next(now, true), Way::Png, "of one of several panels");
        assert_eq!(choice.next(now, false), Way::Framebuffer);
        choice.succeeded(Way::Framebuffer, 500 * MS, now);
        assert_eq!(choice.latest(), Some((Way::Framebuffer, 500 * MS)));
        assert_eq!(choice.next(now + REFUSED, false), Way::Raw);
        choice.refused(Way::Framebuffer, now);
        assert_eq!(choice.next(now, false), Way::Png);
    }
}
