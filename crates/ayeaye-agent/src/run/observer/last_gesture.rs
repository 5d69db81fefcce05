//! What was done on the phone since its screen was last seen at rest: the next look waits for what comes of it.
use serde_json::Map;
use tokio::time::Instant;

use super::{EarlyFrames, Observer};
use crate::event::STEP;
use crate::journal::{Fact, NoteKind};
use crate::run::recorder::Recorder;
use crate::settle::Settling;
use crate::settle::times::{ActKind, Expected};
use crate::{DeviceError, Frame, Gesture, JournalError, Key, ScreenState, error_chain};

/// Why it is not certain that a gesture had its effect.
pub(in crate::run) const WAS_OFF_AFTERWARDS: &str =
    "the screen was off when it was looked at afterwards, and may have been off before";

/// The most frames of one screen that are prepared before it has settled. After that many moves the settled frame is
/// waited for.
pub(super) const MOST_EARLY: u32 = 3;

/// The frames of a screen so far, and the phone's state with the newest.
#[derive(Debug, Clone)]
pub(super) struct LookSoFar {
    pub(super) settling: Settling,
    pub(super) state: ScreenState,
}

/// The last gesture, after which the screen has not been seen at rest yet.
#[derive(Debug, Clone)]
pub(super) struct LastGesture {
    /// The frame that the gesture was decided on.
    pub(super) before: Frame,
    /// When the phone had carried it out.
    pub(super) ended: Instant,
    pub(super) kind: ActKind,
    /// How the screen is expected to behave after it.
    pub(super) expected: Expected,
    /// The frames seen since.
    pub(super) seen: Option<LookSoFar>,
    /// Whether the record was synced since.
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
        (self.light.power_pressed, self.light.needed_by) = (is_power.then_some(ended), None);
        let act = match gesture {
            Gesture::HotKey { key } => key.name(),
            other => other.name(),
        };
        let kind = ActKind { device: self.device.id().clone(), app, act: Some(act) };
        let expected = self.times.expect(&kind, &self.settle);
        self.last_gesture =
            Some(LastGesture { before: frame, ended, kind, expected, seen: None, synced: false });
    }

    /// Called when the last gesture, of this step, was one that a phone ignores while its screen is off.
    pub(in crate::run) fn needed_light(&mut self, step: Option<u32>) {
        self.light.needed_by = step;
    }

    /// Records that the last gesture may have had no effect, where it needed light and the screen is off now. The phone
    /// does not say since when.
    pub(super) async fn doubt_last_gesture(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<(), JournalError> {
        let Some(step) = self.light.needed_by.take() else { return Ok(()) };
        let (kind, text) = (NoteKind::ActInDoubt.into(), WAS_OFF_AFTERWARDS.to_owned());
        let figures = Map::from_iter([(STEP.to_owned(), step.into())]);
        recorder.append(Fact::Note { kind, text, figures }).await
    }

    /// Called when the last gesture did not reach the phone: if the screen goes dark now, POWER did not cause it.
    pub(in crate::run) fn power_was_not_pressed(&mut self) {
        self.light.power_pressed = None;
    }

    /// Called when the screen may have changed without a gesture: one capture then does not prove that it is at rest.
    pub(in crate::run) fn may_have_changed(&mut self) {
        self.has_been_left_since(Instant::now());
        self.forget_screens();
    }

    /// Called when the phone was left to itself for longer than a look takes: it may have gone on by itself.
    pub(in crate::run) fn has_been_left_since(&mut self, since: Instant) {
        (self.changed_at, self.last.is_current) = (Some(since), false);
    }

    /// Takes the last gesture, for the look after it. If that look fails, the next one only knows that something was
    /// done.
    pub(super) fn take_gesture(&mut self) -> Option<LastGesture> {
        let gesture = self.last_gesture.take();
        self.changed_at = gesture.as_ref().map(|it| it.ended).or(self.changed_at);
        gesture
    }

    /// Whether the gesture was so long ago, without a look since, that nothing is known of the screen.
    pub(super) fn is_long_ago(&self, gesture: &LastGesture) -> bool {
        let last = gesture.seen.as_ref().map_or(gesture.ended, |look| look.settling.newest().ended);
        self.settle.cap <= last.elapsed()
    }

    /// Notes that a look after this gesture failed. Frames from before no longer say anything about the screen, so the
    /// next look waits for a settled frame.
    pub(super) fn look_failed(&mut self, gesture: LastGesture, err: &DeviceError) {
        tracing::warn!(device = %self.device.id(), "looking after an act: {}", error_chain(err));
        self.early.prepared = MOST_EARLY;
        self.last_gesture = Some(LastGesture { seen: None, ..gesture });
    }

    /// Notes that the screen has come to rest after this gesture.
    pub(super) fn has_settled(&mut self, gesture: &LastGesture, settling: &Settling) {
        if let Some(outcome) = settling.outcome() {
            self.times.learn(&gesture.kind, outcome);
        }
        (self.last_gesture, self.changed_at) = (None, None);
    }
}
