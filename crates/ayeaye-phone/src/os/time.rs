//! The phone's time: what fell due since somebody looked last is done as of the moment when it was due.
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::{Fling, Os};

/// Tuesday, 12 May 2026, 9:41, since 1970. The clock of a new phone starts there, whatever the host's says, so that
/// pictures of it are the same every day.
pub(crate) const CLOCK_START: Duration = Duration::from_mins(29_642_981);

/// A moment since 1970 as day and time in UTC.
fn civil(since: Duration) -> DateTime {
    let since = SignedDuration::try_from(since).unwrap_or(SignedDuration::MAX);
    Offset::UTC.to_datetime(Timestamp::from_duration(since).unwrap_or(Timestamp::MAX))
}

impl Os {
    pub(crate) fn elapsed(&self) -> Duration {
        self.now.saturating_duration_since(self.started_at)
    }

    /// What the phone's clock shows, since 1970. It is in UTC, the time zone of this phone.
    pub(crate) fn unix_time(&self) -> Duration {
        CLOCK_START + self.elapsed()
    }

    /// What the phone's clock shows, as day and time.
    pub(crate) fn local_time(&self) -> DateTime {
        civil(self.unix_time())
    }

    pub(super) fn minute(&self) -> u64 {
        self.elapsed().as_secs() / 60
    }

    /// Does what is due. Called first whenever the lock is taken.
    pub(crate) fn tick(&mut self) {
        let now = Instant::now();
        // In the order they fall due: one may set another.
        while let Some(i) = (0..self.timers.len())
            .filter(|i| self.timers[*i].0 <= now)
            .min_by_key(|i| self.timers[*i].0)
        {
            let (due, package, event) = self.timers.remove(i);
            self.live_until(due);
            self.dispatch_event(package, event);
        }
        self.live_until(now);
    }

    /// Goes on to this moment, with what ends by itself until then.
    fn live_until(&mut self, now: Instant) {
        self.now = now;
        if self.awake && self.screen_timeout().is_some_and(|after| self.used_at + after <= now) {
            self.sleep();
        }
        if self.transition.as_ref().is_some_and(|t| t.end <= now) {
            self.transition = None;
            self.invalidate();
        }
        if let Some(fling) = &self.fling {
            let (name, to, done) = (fling.name.clone(), fling.at(now), fling.end <= now);
            self.scrolls.insert(name, to);
            if done {
                self.fling = None;
            }
            self.invalidate();
        }
        if self.heads_up.as_ref().is_some_and(|h| h.until <= now) {
            self.heads_up = None;
            self.invalidate();
        }
        if self.toast.as_ref().is_some_and(|t| t.1 <= now) {
            self.toast = None;
            self.invalidate();
        }
        if self.stopwatch_runs() {
            self.invalidate();
        }
    }

    fn stopwatch_runs(&self) -> bool {
        self.awake
            && self.foreground == crate::apps::clock::PACKAGE
            && self.apps.clock.is_moving()
            && !self.locked
    }

    /// When all animations and timers will have ended; in an hour while a stopwatch runs.
    pub(crate) fn settles_at(&self) -> Option<Instant> {
        if !self.awake {
            return None;
        }
        let endless = self.stopwatch_runs().then(|| self.now + Duration::from_hours(1));
        [
            self.transition.as_ref().map(|t| t.end),
            self.fling.as_ref().map(|f| f.end),
            self.timers.iter().map(|t| t.0).max(),
            endless,
        ]
        .into_iter()
        .flatten()
        .max()
    }
}

impl Fling {
    fn at(&self, now: Instant) -> f32 {
        let whole = self.end.saturating_duration_since(self.start).as_secs_f32();
        let gone = now.saturating_duration_since(self.start).as_secs_f32();
        let at = if whole > 0.0 { (gone / whole).min(1.0) } else { 1.0 };
        self.from + (self.to - self.from) * (1.0 - (1.0 - at).powi(3))
    }
}
