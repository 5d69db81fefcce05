//! The system's clock. It is passed to whatever needs the time, so that tests can pass another.
use std::sync::Arc;

use ayeaye_agent::Clock;

/// The real clock.
pub fn system() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is where the clock is handed in")]
    Arc::new(jiff::Timestamp::now)
}
