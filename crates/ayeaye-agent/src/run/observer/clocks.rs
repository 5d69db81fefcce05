//! Whether the computer has slept: what was seen before is old, though tokio's clock has stood still meanwhile.
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

/// Clocks are set now and then, by less than that.
const APART: Duration = Duration::from_secs(1);

/// Two clocks read at one moment: one stops while the computer sleeps, the other goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    running: Instant,
    wall: SystemTime,
}

impl Clocks {
    pub(super) fn now() -> Self {
        Self { running: Instant::now(), wall: SystemTime::now() }
    }

    /// Whether the computer has slept since then, or somebody has put its clock forward.
    pub(super) fn have_parted(&self) -> bool {
        // A clock that was put back tells nothing.
        let wall = self.wall.elapsed().unwrap_or_default();
        self.running.elapsed() + APART < wall
    }

    /// As if the computer had slept for so long since.
    #[cfg(test)]
    pub(super) fn after_sleep_of(self, time: Duration) -> Self {
        Self { wall: self.wall - time, ..self }
    }
}
