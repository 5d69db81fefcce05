//! The deadlines of one attempt.
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tokio::time::{Instant, timeout_at};

use super::error::AttemptError;
use crate::Limits;

/// Longer limits are as good as none, and would overflow clocks.
pub(super) const MAX_LIMIT: Duration = Duration::from_hours(24);

/// When an attempt has to be over, and how long nothing may come before that.
pub(super) struct Deadlines {
    idle: Duration,
    started: Instant,
    end: Instant,
}

impl Deadlines {
    /// From now on, by the limits of one attempt and the end of the whole call.
    pub(super) fn new(limits: &Limits, end: Instant) -> Self {
        let started = Instant::now();
        let total = started + limits.total.min(MAX_LIMIT);
        Self { idle: limits.first_byte.min(MAX_LIMIT), started, end: end.min(total) }
    }

    /// Waits for the next thing to happen; `what` says in the error what did not.
    pub(super) async fn bound<T>(
        &self,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, AttemptError> {
        self.bound_by(None, what, future).await
    }

    /// Waits for the next thing to happen, but no later than `last` if there is one.
    pub(super) async fn bound_by<T>(
        &self,
        last: Option<Instant>,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, AttemptError> {
        let begun = Instant::now();
        let until = (begun + self.idle).min(self.end);
        let until = last.map_or(until, |last| until.min(last));
        timeout_at(until, future).await.map_err(|_| {
            let since = if until == self.end { self.started } else { begun };
            AttemptError::timed_out(what, until.duration_since(since))
        })
    }
}

/// Appends the first `max` bytes of a body. Behind an error is what came before it.
pub(super) async fn read_into(
    body: &mut Vec<u8>,
    bytes: impl Stream<Item = reqwest::Result<Bytes>>,
    max: usize,
    deadlines: &Deadlines,
) -> Result<(), AttemptError> {
    let mut bytes = std::pin::pin!(bytes);
    while body.len() < max
        && let Some(piece) = deadlines.bound("sent no more of its answer", bytes.next()).await?
    {
        let piece = piece.map_err(AttemptError::transport)?;
        body.extend_from_slice(&piece[..piece.len().min(max - body.len())]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_time_that_was_over_is_told() {
        let deadlines = |limit: u64| {
            let end = Instant::now() + Duration::from_secs(limit);
            let limits = Limits { first_byte: Duration::from_mins(1), ..Limits::DEFAULT };
            Deadlines::new(&limits, end)
        };
        for (limit, last, told) in [
            (90, None, "60.0 s"),
            (90, Some(3), "3.0 s"),
            (20, None, "20.0 s"),
            (20, Some(3), "3.0 s"),
        ] {
            let deadlines = deadlines(limit);
            let last = last.map(|seconds| Instant::now() + Duration::from_secs(seconds));
            let waited = deadlines.bound_by(last, "was silent", std::future::pending::<()>());
            let message = waited.await.unwrap_err().message(str::to_owned);
            assert!(message.starts_with(&format!("was silent within {told}")), "{message}");
        }
    }
}
