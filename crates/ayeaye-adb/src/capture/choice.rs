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
/// How long a link that was too slow for raw captures is left alone, and a phone that did not know a way is not asked
/// for it again, at first and at most.
const PAUSE: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_mins(8);
/// So many damaged captures in a row are the way's fault: one may be that of the link.
const MOST_BROKEN: u32 = 2;
/// How long a raw capture may take where there is no other way: as long as it is allowed to.
const ANY_TIME: Duration = Duration::from_hours(1);
/// How long it is believed what was measured of a way that is not in use.
const STALE: Duration = Duration::from_mins(8);

/// A way of capturing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaptureWay {
    Raw,
    Gzip,
    Png,
    /// Where the others give nothing.
    Framebuffer,
}

impl CaptureWay {
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
    measured_at: Option<Instant>,
    refused_until: Option<Instant>,
    /// How long the next refusal is believed, after one.
    next_pause: Option<Duration>,
    /// Captures that came damaged, in a row.
    broken: u32,
}

impl Record {
    /// The shorter of two: what else goes on at the time only adds to it.
    fn took(&self) -> Option<Duration> {
        self.times.map(|[last, before]| last.min(before))
    }

    fn is_usable(&self, now: Instant) -> bool {
        self.refused_until.is_none_or(|until| until <= now)
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
    latest: Option<(CaptureWay, Duration)>,
}

impl Default for Choice {
    fn default() -> Self {
        let [raw, gzip, png, framebuffer] = [Record::default(); 4];
        Self { raw, gzip, png, framebuffer, retry_raw: None, pause: PAUSE, latest: None }
    }
}

impl Choice {
    /// The way for the next capture, of one panel of several or of all there is.
    pub(super) fn next(&self, now: Instant, of_several: bool) -> CaptureWay {
        let [raw, gzip, png] = self.usable(now);
        if !raw && !png && self.framebuffer.is_usable(now) && !of_several {
            return CaptureWay::Framebuffer;
        }
        let due = self.retry_raw.is_some_and(|at| at <= now);
        if raw && (due || self.raw.took().is_none_or(|took| took <= QUICK)) {
            return CaptureWay::Raw;
        }
        if gzip && self.is_to_be_measured(&self.gzip, now) {
            return CaptureWay::Gzip;
        }
        let raw_is_slow = !raw || self.raw.took().is_none_or(|took| LONGEST_RAW < took);
        let gzip_is_slow = !gzip || self.gzip.took().is_none_or(|took| SLOW < took);
        // A PNG takes a phone half a second more, so it is not tried where it could not win.
        if png && raw_is_slow && gzip_is_slow && self.is_to_be_measured(&self.png, now) {
            return CaptureWay::Png;
        }
        self.best([raw, gzip, png]).unwrap_or(CaptureWay::Png)
    }

    /// Whether the phone is asked for a raw capture, a compressed one, and a PNG.
    fn usable(&self, now: Instant) -> [bool; 3] {
        let raw = self.raw.is_usable(now);
        // What is compressed are raw captures.
        [raw, raw && self.gzip.is_usable(now), self.png.is_usable(now)]
    }

    /// Whether a way has not been compared with raw captures as they are now, or long ago.
    fn is_to_be_measured(&self, record: &Record, now: Instant) -> bool {
        if record.measured_at.is_none_or(|at| at + STALE <= now) {
            return true;
        }
        let (Some(then), Some(now)) = (record.beside_raw, self.raw.took()) else { return false };
        then.mul_f64(CHANGED) < now
    }

    /// The quickest of those that were measured, and raw unless another one is worth it.
    fn best(&self, [raw, gzip, png]: [bool; 3]) -> Option<CaptureWay> {
        let known = [
            (CaptureWay::Raw, raw, self.raw.took()),
            (CaptureWay::Gzip, gzip, self.gzip.took().map(as_raw)),
            (CaptureWay::Png, png, self.png.took().map(as_raw)),
        ];
        let known = known.into_iter().filter(|(_, usable, _)| *usable);
        let measured = known.filter_map(|(way, _, took)| Some((way, took?)));
        measured.min_by_key(|(_, took)| *took).map(|(way, _)| way)
    }

    /// How long a raw capture may take before another way is better.
    pub(super) fn patience_for_raw(&self, now: Instant) -> Duration {
        let [_, gzip, png] = self.usable(now);
        if !gzip && !png {
            return ANY_TIME;
        }
        let others = [(gzip, &self.gzip), (png, &self.png)];
        let others =
            others.into_iter().filter_map(|(usable, it)| it.took().filter(|_| usable)).min();
        // As much patience as it takes to be chosen again.
        others.map_or(LONGEST_RAW, |took| as_raw(took).max(LONGEST_RAW))
    }

    /// A capture has come.
    pub(super) fn succeeded(&mut self, way: CaptureWay, took: Duration, now: Instant) {
        self.measured_once(way, took, now);
        // The phone knows it.
        self.forgive(way);
        self.latest = Some((way, took));
        if way == CaptureWay::Raw {
            if self.best([true; 3]) == Some(CaptureWay::Raw) {
                (self.retry_raw, self.pause) = (None, PAUSE);
            } else {
                self.postpone_raw(now);
            }
        } else if self.retry_raw.is_none() {
            self.postpone_raw(now);
        }
    }

    /// A capture has come that may have taken longer because of another one.
    pub(super) fn came_beside_another(&mut self, way: CaptureWay, took: Duration) {
        self.forgive(way);
        self.latest = Some((way, took));
    }

    /// A capture came damaged. True where it is the way's fault, which is then left alone for a while.
    pub(super) fn was_broken(&mut self, way: CaptureWay, now: Instant) -> bool {
        let record = self.record(way);
        record.broken += 1;
        if record.broken < MOST_BROKEN {
            return false;
        }
        record.broken = 0;
        self.refused(way, now);
        true
    }

    /// The link broke: captures that came damaged may have been its fault.
    pub(super) fn link_broke(&mut self) {
        for record in [&mut self.raw, &mut self.gzip, &mut self.png, &mut self.framebuffer] {
            record.broken = 0;
        }
    }

    /// The way of the last capture, and how long it took.
    pub(super) fn latest(&self) -> Option<(CaptureWay, Duration)> {
        self.latest
    }

    /// A capture was given up because of the link; it would have taken so long or longer.
    pub(super) fn was_too_slow(&mut self, way: CaptureWay, would_take: Duration, now: Instant) {
        if way == CaptureWay::Raw {
            // It is tried again soon.
            self.measured(way, [would_take; 2], now);
            self.postpone_raw(now);
        } else {
            self.measured_once(way, would_take, now);
        }
    }

    /// The phone does not know this way, or so it said: some say so once, and are asked again.
    pub(super) fn refused(&mut self, way: CaptureWay, now: Instant) {
        let record = self.record(way);
        if record.refused_until.is_some_and(|until| now < until) {
            return;
        }
        let pause = record.next_pause.unwrap_or(PAUSE);
        record.refused_until = Some(now + pause);
        record.next_pause = Some((pause * 2).min(MAX_PAUSE));
    }

    /// It was not that: the phone gave no picture in any way.
    pub(super) fn forgive(&mut self, way: CaptureWay) {
        let record = self.record(way);
        (record.refused_until, record.next_pause, record.broken) = (None, None, 0);
    }

    fn measured_once(&mut self, way: CaptureWay, took: Duration, now: Instant) {
        let before = self.record(way).times.map_or(took, |[last, _]| last);
        self.measured(way, [took, before], now);
    }

    fn measured(&mut self, way: CaptureWay, times: [Duration; 2], now: Instant) {
        let beside_raw = self.raw.took();
        let record = self.record(way);
        (record.times, record.beside_raw, record.measured_at) =
            (Some(times), beside_raw, Some(now));
    }

    fn postpone_raw(&mut self, now: Instant) {
        self.retry_raw = Some(now + self.pause);
        self.pause = (self.pause * 2).min(MAX_PAUSE);
    }

    fn record(&mut self, way: CaptureWay) -> &mut Record {
        match way {
            CaptureWay::Raw => &mut self.raw,
            CaptureWay::Gzip => &mut self.gzip,
            CaptureWay::Png => &mut self.png,
            CaptureWay::Framebuffer => &mut self.framebuffer,
        }
    }
}

/// How long a raw capture may take to be as good as another one that takes so long.
fn as_raw(took: Duration) -> Duration {
    took.div_f64(WORTH_IT)
}

#[cfg(test)]
mod tests;
