//! A wait for one screen to come to rest: what has been seen of it so far, and what that says.
use std::slice;
use std::time::Duration;

use tokio::time::Instant;

use super::times::{ActTimes, Expected, ScreenChange};
use super::{EarlyFrame, ScreenCapture, capture_at, look_again, looks_same};
use crate::{Device, DeviceError, Frame};

/// What was seen of a screen since a gesture.
#[derive(Debug, Clone)]
pub(crate) struct Settling {
    expected: Expected,
    before: Option<Frame>,
    /// The gesture's end.
    since: Instant,
    /// When the first capture began.
    began: Instant,
    newest: EarlyFrame,
    captures: u32,
    /// What the last one took that was carried.
    capture_took: Duration,
    /// When the last capture began that looks otherwise than the newest, and the first that looks as it does.
    moved: Option<Instant>,
    rested: Instant,
    /// When the first capture began that looked otherwise than before the gesture.
    answered: Option<Instant>,
    /// It looks as before the gesture.
    is_unmoved: bool,
    has_settled: bool,
}

impl Settling {
    /// A screen of which this is the first frame.
    pub(crate) fn new(
        expected: Expected,
        before: Option<Frame>,
        since: Instant,
        first: EarlyFrame,
    ) -> Self {
        let is_unmoved = before.as_ref().is_some_and(|before| looks_same(before, &first.frame));
        Self {
            expected,
            before,
            since,
            began: first.began,
            captures: 1,
            capture_took: first.ended - first.began,
            moved: None,
            rested: first.began,
            answered: (!is_unmoved).then_some(first.began),
            is_unmoved,
            has_settled: false,
            newest: first,
        }
    }

    /// The newest frame.
    pub(crate) fn newest(&self) -> &EarlyFrame {
        &self.newest
    }

    /// Nothing has come of the gesture so far.
    pub(crate) fn is_unmoved(&self) -> bool {
        self.is_unmoved
    }

    /// Whether it has come to rest.
    pub(crate) fn has_settled(&self) -> bool {
        self.has_settled
    }

    /// Whether it is not looked at any more: it has come to rest, or never does. One frame tells neither, however long
    /// its capture took.
    pub(crate) fn is_over(&self) -> bool {
        self.has_settled || 1 < self.captures && self.expected.rule.cap <= self.since.elapsed()
    }

    /// Whether a screen that never rests was given up on a while ago: it may be another one by now.
    pub(crate) fn is_out_of_date(&self) -> bool {
        let seen = self.newest.ended.elapsed();
        self.is_over() && !self.has_settled && self.expected.rule.between <= seen
    }

    /// The next look, when it is best.
    pub(crate) async fn look_again(&self, device: &dyn Device) -> Result<EarlyFrame, DeviceError> {
        if self.is_likely_to_stay() {
            look_again(device, self.next_look(), slice::from_ref(&self.newest.frame)).await
        } else {
            // What has moved has to be carried anyway.
            capture_at(device, self.next_look()).await
        }
    }

    /// Whether the newest frame is likely to be the settled one: it has stood still once, or such acts are known for it.
    pub(crate) fn is_likely_to_stay(&self) -> bool {
        self.rested < self.newest.began || self.expected.stays(self.age())
    }

    /// How long after the gesture the newest frame is.
    pub(crate) fn age(&self) -> Duration {
        self.newest.began - self.since
    }

    /// What was expected of such a gesture.
    pub(crate) fn expected(&self) -> &Expected {
        &self.expected
    }

    /// When the next capture is best.
    pub(crate) fn next_look(&self) -> Instant {
        let next = self.next_look_at_motion();
        let enough = self.since + self.expected.rule.patience;
        let capture = self.capture_took;
        // Where nothing has come of the gesture, one that begins so shortly before that is certain would be followed
        // by another one.
        let soon = next.max(self.newest.ended);
        if self.is_unmoved && soon < enough && enough <= soon + capture / 2 { enough } else { next }
    }

    /// When the next capture is best of a screen that moves, or may.
    fn next_look_at_motion(&self) -> Instant {
        if self.newest.began == self.rested {
            return self.rested + self.expected.next_look(self.rested - self.since);
        }
        let proven = self.rested + self.stand();
        let next = self.newest.began + self.expected.rule.between;
        // The look that shows it is not put off by another one.
        if self.newest.began < proven { proven.min(next) } else { next }
    }

    fn stand(&self) -> Duration {
        self.expected.stand(self.rested - self.since)
    }

    /// The next frame has been seen. Whether it looks as the one before.
    pub(crate) fn add(&mut self, next: EarlyFrame) -> bool {
        let same = looks_same(&self.newest.frame, &next.frame);
        if !same {
            (self.moved, self.rested) = (Some(self.newest.began), next.began);
            let unmoved = |before: &Frame| looks_same(before, &next.frame);
            self.is_unmoved = self.before.as_ref().is_some_and(unmoved);
            if !self.is_unmoved {
                self.answered.get_or_insert(next.began);
            }
        }
        if !next.by_digest {
            self.capture_took = next.ended - next.began;
        }
        self.captures += 1;
        self.newest = next;
        let stands = same && self.stand() <= self.newest.began - self.rested;
        // The frame shows the screen as it was when its capture began.
        let reacted = !self.is_unmoved || self.expected.rule.patience <= self.age();
        self.has_settled = stands && reacted;
        same
    }

    /// The newest frame looks as the one before, and yet it is another screen.
    pub(crate) fn has_changed(&mut self) {
        (self.moved, self.rested) = (Some(self.rested), self.newest.began);
        self.has_settled = false;
    }

    /// What was seen so far.
    pub(crate) fn capture(&self) -> ScreenCapture {
        ScreenCapture {
            frame: self.newest.frame.clone(),
            captures: self.captures,
            settled: self.has_settled,
            first_look: Some(self.began - self.since),
            took: self.newest.ended - self.began,
            seen_at: self.newest.began,
        }
    }

    /// What is to be remembered of it; nothing of a screen that does not come to rest.
    pub(crate) fn outcome(&self) -> Option<ActTimes> {
        let change = |answered: Instant| ScreenChange {
            answered: answered - self.since,
            moved: self.moved.map(|moved| moved - self.since),
            rested: self.rested - self.since,
        };
        self.has_settled.then(|| ActTimes {
            change: self.answered.filter(|_| !self.is_unmoved).map(change),
            capture: self.capture_took,
            patience: self.expected.rule.patience,
        })
    }
}
