//! The attempts of one call that fail before it has a reply.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A failed attempt inside one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// What went wrong.
    pub error: String,
    /// What went wrong without the endpoint's own words, where `error` quotes any.
    pub unquoted: Option<String>,
    /// How long was waited before the next attempt.
    pub waited: Duration,
    /// The endpoint had taken the request: it had begun to answer, or nothing came in time. It may cost what a
    /// call costs, and nobody has counted its tokens.
    pub taken: bool,
}

impl Retry {
    /// What went wrong, with the endpoint's own words or without.
    pub(crate) fn wording(&self, quotes: bool) -> &str {
        let unquoted = self.unquoted.as_deref().filter(|_| !quotes);
        unquoted.unwrap_or(&self.error)
    }
}

/// The attempts of a call under way that have failed so far: whoever gives the call up has them still.
#[derive(Debug, Clone, Default)]
pub struct FailedAttempts(Arc<Mutex<Vec<Retry>>>);

impl FailedAttempts {
    /// One more has failed.
    pub fn push(&self, attempt: Retry) {
        self.lock().push(attempt);
    }

    /// Those so far, which are gone from here then.
    pub fn take(&self) -> Vec<Retry> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Retry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
