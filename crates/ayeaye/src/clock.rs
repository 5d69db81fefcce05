//! The system's clock. Whatever needs the time is handed it, so that tests can hand in another.
use std::sync::Arc;

use ayeaye_agent::Clock;

/// The real clock.
pub fn system() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is where the clock is handed in")]
    Arc::new(jiff::Timestamp::now)
}
