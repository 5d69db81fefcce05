//! Which way of capturing suits this phone and the link to it, by what was measured.
//!
//! Raw is best on a good link. Where its ten megabytes take longer than a phone needs to pack them, `gzip -1` is
//! tried once, with a capture that is wanted anyway; where that takes seconds too, a PNG, which takes a phone longer
//! and is smaller. Other packers are in no Android's shell. The quicker one is kept until the times change.
use std::time::Duration;

use tokio::time::Instant;

/// A raw capture that takes no longer is as good as any other way: phones take that long to pack a screen (MAA,
/// issue 5426: 28.5 MB/s).
const QUICK: Duration = Duration::from_millis(400);
/// A raw capture that would take longer is given up for another way, even if none is known to be quicker.
const LONGEST_RAW: Duration = Duration::from_millis(1500);
/// A compressed capture that takes longer is compared with a PNG.
const SLOW: Duration = Duration::from_millis(2500);
/// Another way has to be so much quicker than raw, which burdens the phone least.
const WORTH_IT: f64 = 0.85;
/// Raw captures so much slower than when the others were compared with them: the link has changed.
const CHANGED: f64 = 1.3;
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
    /// How long the last two captures took, or would have taken.
    times: Option<[Duration; 2]>,
    /// How long raw captures took when it was measured last.
    beside_raw: Option<Duration>,
    refused_until: Option<Instant>,
}

impl Record {
    /// The shorter of two: what else goes on at the time only adds to it.
    fn took(&self) -> Option<Duration> {
        self.times.map(|[last, before]| last.min(before))
    }
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
    /// The way of the last capture, and how long it took.
    latest: Option<(Way, Duration)>,
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
        if raw && (due || self.raw.took().is_none_or(|took| took <= QUICK)) {
            return Way::Raw;
        }
        if gzip && self.is_to_be_measured(&self.gzip) {
            return Way::Gzip;
        }
        let raw_is_slow = !raw || self.raw.took().is_none_or(|took| LONGEST_RAW < took);
        let gzip_is_slow = !gzip || self.gzip.took().is_none_or(|took| SLOW < took);
        // A PNG takes a phone half a second more, so it is not tried where it could not win.
        if raw_is_slow && gzip_is_slow && self.is_to_be_measured(&self.png) {
            return Way::Png;
        }
        self.best(raw, gzip).unwrap_or(Way::Png)
    }

    /// Whether a way has not been compared with raw captures as they are now.
    fn is_to_be_measured(&self, record: &Record) -> bool {
        if record.times.is_none() {
            return true;
        }
        let (Some(then), Some(now)) = (record.beside_raw, self.raw.took()) else { return false };
        then.mul_f64(CHANGED) < now
    }

    /// The quickest of those that were measured, and raw unless another one is worth it.
    fn best(&self, raw: bool, gzip: bool) -> Option<Way> {
        let known = [
            (Way::Raw, raw, self.raw.took()),
            (Way::Gzip, gzip, self.gzip.took().map(as_raw)),
            (Way::Png, true, self.png.took().map(as_raw)),
        ];
        let known = known.into_iter().filter(|(_, usable, _)| *usable);
        let measured = known.filter_map(|(way, _, took)| Some((way, took?)));
        measured.min_by_key(|(_, took)| *took).map(|(way, _)| way)
    }

    /// How long a raw capture may take before another way is better.
    pub(super) fn patience_for_raw(&self) -> Duration {
        let others = [self.gzip.took(), self.png.took()].into_iter().flatten().min();
        // As much patience as it takes to be chosen again.
        others.map_or(LONGEST_RAW, |took| as_raw(took).max(LONGEST_RAW))
    }

    /// A capture has come.
    pub(super) fn succeeded(&mut self, way: Way, took: Duration, now: Instant) {
        let before = self.record(way).times.map_or(took, |[last, _]| last);
        self.measured(way, [took, before]);
        self.latest = Some((way, took));
        if way == Way::Raw {
            if self.best(true, true) == Some(Way::Raw) {
                (self.retry_raw, self.pause) = (None, PAUSE);
            } else {
                self.postpone_raw(now);
            }
        } else if self.retry_raw.is_none() {
            self.postpone_raw(now);
        }
    }

    /// A capture has come that may have taken longer because of another one.
    pub(super) fn came_beside_another(&mut self, way: Way, took: Duration) {
        self.latest = Some((way, took));
    }

    /// The way of the last capture, and how long it took.
    pub(super) fn latest(&self) -> Option<(Way, Duration)> {
        self.latest
    }

    /// A capture was given up because of the link; it would have taken so long or longer.
    pub(super) fn was_too_slow(&mut self, way: Way, would_take: Duration, now: Instant) {
        self.measured(way, [would_take; 2]);
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

    fn measured(&mut self, way: Way, times: [Duration; 2]) {
        let beside_raw = self.raw.took();
        let record = self.record(way);
        (record.times, record.beside_raw) = (Some(times), beside_raw);
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

/// How long a raw capture may take to be as good as another one that takes so long.
fn as_raw(took: Duration) -> Duration {
    took.div_f64(WORTH_IT)
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
        assert_eq!(choice.next(now, false), Way::Gzip, "once may be chance");
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

    /// How long a capture takes by the figures of the virtual phone: a screen of so many bytes, packed to a
    /// twentieth, over a link of so many a second.
    fn times(bytes: u64, rate: u64) -> impl Fn(Way) -> Duration {
        let carried = move |bytes: u64| Duration::from_nanos(bytes * 1_000_000_000 / rate);
        move |way| {
            let packing = Duration::from_nanos(bytes * 1_000_000_000 / 28_500_000);
            let made = match way {
                Way::Raw | Way::Framebuffer => carried(bytes),
                Way::Gzip => packing + carried(bytes / 20),
                Way::Png => 549 * MS + carried(bytes / 20),
            };
            100 * MS + made
        }
    }

    /// The ways of so many captures, each as long as the function says.
    fn ways(
        choice: &mut Choice,
        captures: usize,
        now: Instant,
        took: impl Fn(Way) -> Duration,
    ) -> Vec<Way> {
        let one = |_| {
            let way = choice.next(now, false);
            choice.succeeded(way, took(way), now);
            way
        };
        (0..captures).map(one).collect()
    }

    #[test]
    fn each_link_has_its_way_after_the_first_two_captures() {
        const SCREEN: u64 = 1080 * 2400 * 4;
        const TALL: u64 = 1440 * 3120 * 4;
        for (screen, rate, first) in [
            (SCREEN, 125_000_000, [Way::Raw, Way::Raw, Way::Raw]),
            (SCREEN, 36_000_000, [Way::Raw, Way::Raw, Way::Raw]),
            // Tried, and not worth it.
            (TALL, 36_000_000, [Way::Raw, Way::Gzip, Way::Raw]),
            (SCREEN, 16_000_000, [Way::Raw, Way::Gzip, Way::Gzip]),
            (TALL, 12_000_000, [Way::Raw, Way::Gzip, Way::Gzip]),
        ] {
            let (mut choice, now) = (Choice::default(), Instant::now());
            let ways = ways(&mut choice, 20, now, times(screen, rate));
            assert_eq!((&ways[..3], &ways[3..]), (&first[..], &[first[2]; 17][..]), "{rate}");
        }
    }

    #[test]
    fn a_link_that_changes_is_measured_again() {
        const SCREEN: u64 = 1080 * 2400 * 4;
        let (mut choice, now) = (Choice::default(), Instant::now());
        let of = |rate| times(SCREEN, rate);
        assert_eq!(
            ways(&mut choice, 5, now, of(30_000_000)),
            [Way::Raw, Way::Gzip, Way::Raw, Way::Raw, Way::Raw]
        );
        let slower = ways(&mut choice, 6, now, of(14_000_000));
        assert_eq!(slower, [Way::Raw, Way::Raw, Way::Gzip, Way::Gzip, Way::Gzip, Way::Gzip]);
        assert_eq!(ways(&mut choice, 2, now, of(125_000_000)), [Way::Gzip; 2], "not yet");
        assert_eq!(ways(&mut choice, 3, now + PAUSE, of(125_000_000)), [Way::Raw; 3]);
    }

    #[test]
    fn a_raw_capture_that_is_chosen_is_not_given_up() {
        let now = Instant::now();
        for raw in [450, 1400, 1600, 2000, 2600, 9000] {
            for (gzip, png) in
                [(None, Some(700)), (Some(1900), None), (Some(2600), Some(2600)), (None, None)]
            {
                let mut choice = Choice::default();
                let mut given_up = 0;
                for _ in 0..50 {
                    let way = choice.next(now, false);
                    match (way, gzip, png) {
                        (Way::Raw, ..) if choice.patience_for_raw() < raw * MS => {
                            given_up += 1;
                            choice.was_too_slow(way, raw * MS, now);
                        }
                        (Way::Raw, ..) => choice.succeeded(way, raw * MS, now),
                        (Way::Gzip, Some(gzip), _) => choice.succeeded(way, gzip * MS, now),
                        (Way::Gzip, None, _) => choice.refused(way, now),
                        (_, _, Some(png)) => choice.succeeded(way, png * MS, now),
                        (_, _, None) => choice.was_too_slow(way, 20_000 * MS, now),
                    }
                }
                assert!(given_up < 2, "{raw} {gzip:?} {png:?}");
            }
        }
    }
}
