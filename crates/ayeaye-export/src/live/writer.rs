//! A record whose events are handed on to the logs beside it.
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use ayeaye_agent::journal::{BlobRef, Event, RecordEntry};
use ayeaye_agent::{JournalError, JournalWriter};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::CLOSE_TIMEOUT;

/// The writer's end of a projector.
pub(super) struct ProjectorHandle {
    pub(super) queue: mpsc::Sender<Event>,
    /// Number of the last event of the record, handed over or not.
    pub(super) appended: Arc<AtomicU64>,
    pub(super) task: JoinHandle<()>,
}

/// A record whose events are handed on. One that is dropped without being closed leaves its logs to
/// be completed in the background.
pub(super) struct LoggingWriter {
    pub(super) inner: Box<dyn JournalWriter>,
    pub(super) logs: ProjectorHandle,
}

#[async_trait]
impl JournalWriter for LoggingWriter {
    async fn append(&mut self, entry: RecordEntry) -> Result<Event, JournalError> {
        let event = self.inner.append(entry).await?;
        // A full queue is no harm: what is missing is read in the record. First the event, then its
        // number, so that a number without its event means just that.
        if let Err(mpsc::error::TrySendError::Full(_)) = self.logs.queue.try_send(event.clone()) {
            tracing::debug!(seq = event.seq, "the logs are behind");
        }
        self.logs.appended.store(event.seq, Ordering::Release);
        Ok(event)
    }

    async fn sync(&mut self) -> Result<(), JournalError> {
        self.inner.sync().await
    }

    async fn store_blob(
        &mut self,
        bytes: Bytes,
        media_type: &str,
    ) -> Result<BlobRef, JournalError> {
        self.inner.store_blob(bytes, media_type).await
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    async fn close(self: Box<Self>) {
        let Self { inner, logs: ProjectorHandle { queue, appended: _, task } } = *self;
        drop(queue);
        match timeout(CLOSE_TIMEOUT, task).await {
            Ok(Ok(())) => {}
            Ok(Err(err)) => tracing::warn!("the logs of a session broke off: {err}"),
            Err(_) => tracing::debug!("the logs of a session are completed in the background"),
        }
        inner.close().await;
    }
}

impl fmt::Debug for LoggingWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoggingWriter").field(&self.inner).finish()
    }
}
