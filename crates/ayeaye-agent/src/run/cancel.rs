//! Cancelling a run: by its client (the call, `stop_task` or `tasks/cancel`), the operator (Ctrl-C), or
//! the server when it shuts down.
//!
//! Whatever the run waits for (a model, a screen that settles, a pause) is abandoned at once. A gesture
//! that was sent is waited for and recorded; one that was not is recorded as not sent (`actor.rs`). The
//! run then ends as after an error, without a last look (`end.rs`): `session.end` says why, the round
//! stays open, the lease is given back, and the session can be continued.
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::StopReason;

/// Asks a run to stop at the next safe point.
#[derive(Debug, Clone, Default)]
pub struct CancelHandle {
    token: CancellationToken,
    reason: Arc<OnceLock<StopReason>>,
}

/// The run was asked to stop.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{}", match reason {
    StopReason::ServerRestarted => "the server was shut down; the session can be continued",
    StopReason::UserPaused => "the operator paused the run; the session can be continued",
    _ => "the run was cancelled; the session can be continued",
})]
pub(crate) struct Cancelled {
    pub(crate) reason: StopReason,
}

impl CancelHandle {
    /// Stops the run; the first reason wins.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
    }

    /// Whether the run was asked to stop.
    pub(crate) fn is_asked(&self) -> bool {
        self.token.is_cancelled()
    }

    pub(super) fn check(&self) -> Result<(), Cancelled> {
        if self.token.is_cancelled() { Err(self.cancelled()) } else { Ok(()) }
    }

    /// Waits for the future, or until the run is asked to stop. Never use it for a command that changes the phone:
    /// nobody would know whether the command was carried out.
    pub(crate) async fn race<T>(&self, waiting: impl Future<Output = T>) -> Result<T, Cancelled> {
        self.token.run_until_cancelled(waiting).await.ok_or_else(|| self.cancelled())
    }

    fn cancelled(&self) -> Cancelled {
        Cancelled { reason: self.reason.get().copied().unwrap_or(StopReason::Cancelled) }
    }
}
