//! A handle on a run of another server.
use std::sync::Arc;

use futures::FutureExt as _;

use crate::coordinator::{Coordinator, CoordinatorError, InboxMessage, InboxMessageBody};
use crate::{SessionId, StopReason, error_chain};

/// A run of another server.
#[derive(Debug, Clone)]
pub(super) struct RunElsewhere {
    pub(super) coordinator: Arc<dyn Coordinator>,
    pub(super) session: SessionId,
    pub(super) epoch: u64,
}

impl RunElsewhere {
    /// Asks it to stop, without waiting.
    pub(super) fn stop(&self, reason: StopReason) {
        let run = self.clone();
        tokio::spawn(async move {
            if let Err(err) = run.ask_to_stop(reason).await {
                tracing::warn!(session = %run.session, "it was not asked to stop: {}", error_chain(&err));
            }
        }.boxed());
    }

    /// Asks it to stop, and returns when that is kept for it.
    pub(super) async fn ask_to_stop(&self, reason: StopReason) -> Result<(), CoordinatorError> {
        let message = InboxMessage::new(InboxMessageBody::Stop { run: self.epoch, reason });
        match self.coordinator.send(self.session, &message, Some(self.epoch)).await {
            // It is over.
            Err(CoordinatorError::RunEnded) => Ok(()),
            sent => sent,
        }
    }
}
