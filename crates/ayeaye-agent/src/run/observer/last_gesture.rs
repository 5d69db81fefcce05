//! What was done on the phone since its screen was last seen at rest: the next look waits for what comes of it.
use tokio::time::Instant;

use super::{EarlyFrames, Observer};
use crate::settle::Settling;
use crate::settle::times::{ActKind, Expected};
use crate::{DeviceError, Frame, Gesture, Key, ScreenState, error_chain};

/// So many frames of one screen are prepared before it has settled: one that has moved on so often is waited for.
pub(super) const MOST_EARLY: u32 = 3;

/// What is known of a screen, and what the phone said of itself with its newest frame.
#[derive(Debug, Clone)]
pub(super) struct LookSoFar {
    pub(super) settling: Settling,
    pub(super) state: ScreenState,
}

/// A gesture after which the screen has not been seen at rest yet.
#[derive(Debug, Clone)]
pub(super) struct LastGesture {
    /// The frame that it was decided on.
    pub(super) before: Frame,
    /// When it was over.
    pub(super) ended: Instant,
    pub(super) kind: ActKind,
    /// What is to be expected after it.
    pub(super) expected: Expected,
    /// What was seen since.
    pub(super) seen: Option<LookSoFar>,
    /// The record was synced since.
    pub(super) synced: bool,
}

impl Observer {
    /// Called after a gesture that was decided on this frame: the last screen is out of date.
    pub(in crate::run) fn gesture_ended(
        &mut self,
        gesture: &Gesture,
        frame: Frame,
        app: Option<String>,
        ended: Instant,
    ) {
        self.last.is_current = false;
        self.reusable_dump = None;
        self.early = EarlyFrames::default();
        let is_power = matches!(gesture, Gesture::HotKey { key: Key::Power });
        self.light.power_pressed = is_power.then_some(ended);
        let act = match gesture {
            Gesture::HotKey { key } => key.name(),
            other => other.name(),
        };
        let kind = ActKind { device: self.device.id().clone(), app, act: Some(act) };
        let expected = self.times.expect(&kind, &self.settle);
        self.last_gesture =
            Some(LastGesture { before: frame, ended, kind, expected, seen: None, synced: false });
    }

    /// Called when the last gesture did not reach the phone: a screen that goes dark is not said to be off by it.
    pub(in crate::run) fn power_was_not_pressed(&mut self) {
        self.light.power_pressed = None;
    }

    /// Called when the screen may have changed otherwise than by a gesture: one capture does not show that it is at
    /// rest.
    pub(in crate::run) fn may_have_changed(&mut self) {
        self.has_been_left_since(Instant::now());
        self.forget_screens();
    }

    /// Called when the phone was left to itself for longer than a look takes: it may have gone on by itself.
    pub(in crate::run) fn has_been_left_since(&mut self, since: Instant) {
        (self.changed_at, self.last.is_current) = (Some(since), false);
    }

    /// The last gesture, for a look after it. If that fails, the next one knows no more than that something was done.
    pub(super) fn take_gesture(&mut self) -> Option<LastGesture> {
        let gesture = self.last_gesture.take();
        self.changed_at = gesture.as_ref().map(|it| it.ended).or(self.changed_at);
        gesture
    }

    /// Nothing has been seen of it for so long that the screen may be any by now.
    pub(super) fn is_long_ago(&self, gesture: &LastGesture) -> bool {
        let last = gesture.seen.as_ref().map_or(gesture.ended, |look| look.settling.newest().ended);
        self.settle.cap <= last.elapsed()
    }

    /// A look after this gesture has failed, perhaps after long: what was seen before says nothing of the screen any
    /// more, and the settled frame is waited for.
    pub(super) fn look_failed(&mut self, gesture: LastGesture, err: &DeviceError) {
        tracing::warn!(device = %self.device.id(), "looking after an act: {}", error_chain(err));
        self.early.prepared = MOST_EARLY;
        self.last_gesture = Some(LastGesture { seen: None, ..gesture });
    }

    /// A screen has come to rest after this gesture.
    pub(super) fn has_settled(&mut self, gesture: &LastGesture, settling: &Settling) {
        if let Some(outcome) = settling.outcome() {
            self.times.learn(&gesture.kind, outcome);
        }
        (self.last_gesture, self.changed_at) = (None, None);
    }
}
