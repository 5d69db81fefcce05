//! A finger that stays on the screen from one command to the next: `input motionevent`.
//!
//! What it did is known when it is lifted; until then nothing on the screen follows it.
use tokio::time::Instant;

use super::{Os, input::SLOP_DP};

/// What a finger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FingerEvent {
    Down,
    Move,
    Up,
    Cancel,
}

/// A finger on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finger {
    from: (f32, f32),
    to: (f32, f32),
    since: Instant,
    /// When it first was beyond the touch slop.
    moved: Option<Instant>,
}

impl Os {
    /// `false` where there is no finger that could do this.
    pub(crate) fn finger(&mut self, event: FingerEvent, at: (f32, f32)) -> bool {
        let (now, slop) = (self.now, SLOP_DP * self.scale());
        if event == FingerEvent::Down {
            self.finger = Some(Finger { from: at, to: at, since: now, moved: None });
            return true;
        }
        let Some(finger) = &mut self.finger else { return false };
        if event == FingerEvent::Cancel {
            self.finger = None;
            return true;
        }
        finger.to = at;
        if finger.moved.is_none() && slop <= (at.0 - finger.from.0).hypot(at.1 - finger.from.1) {
            finger.moved = Some(now);
        }
        if event == FingerEvent::Up {
            let finger = *finger;
            self.finger = None;
            self.lift(finger);
        }
        true
    }

    fn lift(&mut self, Finger { from, to, since, moved }: Finger) {
        let (held, long) = (self.now.duration_since(since), self.long_press());
        match moved {
            None if held < long => self.tap(from.0, from.1),
            Some(moved) if long <= moved.duration_since(since) => self.drag(from, to, held),
            _ => self.swipe(from, to, held),
        }
    }
}
