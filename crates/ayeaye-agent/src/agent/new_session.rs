//! The record of a session that has no run yet.
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{Agent, AgentError};
use crate::journal::{Journal, JournalError, SessionStart};
use crate::run::Recorder;
use crate::{SessionId, error_chain};

/// How often, and after how long each time, a record that was given up is tried to be removed. A process that is being
/// started holds what this one had open, its lock too, until it has become the other program.
const REMOVALS: u32 = 20;
const REMOVE_AGAIN: Duration = Duration::from_millis(50);

/// Has a record go away again unless a run begins on it: whoever gives up a call before that, or is refused, has asked
/// for nothing that could be looked up, and a record without a run looks like one whose server died.
pub(super) struct UnbegunRecord {
    id: SessionId,
    /// None once a run has begun.
    journal: Option<Arc<dyn Journal>>,
    tracker: TaskTracker,
    /// From the record's beginning on, so that the end of the server misses nothing.
    _waited_for: TaskTrackerToken,
}

impl UnbegunRecord {
    pub(super) fn has_begun(mut self) {
        self.journal = None;
    }
}

impl Drop for UnbegunRecord {
    fn drop(&mut self) {
        let (id, Some(journal)) = (self.id, self.journal.take()) else { return };
        self.tracker.spawn(async move {
            if let Err(err) = remove_once_free(&*journal, &id).await {
                tracing::warn!(session = %id, "it never began, and stays: {}", error_chain(&err));
            }
        }.boxed());
    }
}

async fn remove_once_free(journal: &dyn Journal, id: &SessionId) -> Result<(), JournalError> {
    for _ in 1..REMOVALS {
        match journal.remove(id).await {
            Err(JournalError::Busy(_)) => sleep(REMOVE_AGAIN).await,
            removed => return removed,
        }
    }
    journal.remove(id).await
}

impl Agent {
    /// Begins the record of a session, which is on the disk when this returns. Unless a run begins on it, nothing is left of
    /// it, also where this future is dropped.
    pub(super) async fn new_record(
        &self,
        id: SessionId,
        start: SessionStart,
    ) -> Result<(Recorder, UnbegunRecord), AgentError> {
        let (journal, privacy) = (Arc::clone(&self.deps.journal), self.deps.privacy);
        let secrets = self.secret_stores.of(id, privacy.text);
        let tracker = self.runs.tracker.clone();
        // A task of its own: dropped half way, a record would be there that nobody knows of.
        let making = self.runs.tracker.spawn(
            async move {
                let recorder = Recorder::create(&*journal, id, start, secrets, privacy).await?;
                let (journal, waited_for) = (Some(journal), tracker.token());
                Ok((recorder, UnbegunRecord { id, journal, tracker, _waited_for: waited_for }))
            }
            .boxed(),
        );
        let made = making.await.unwrap_or_else(|err| {
            let what = format!("session {id} (make)");
            Err(JournalError::Storage { what, source: io::Error::other(err) })
        });
        Ok(made?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::Rig;

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_lingers_is_waited_for() {
        let rig = Rig::new([]);
        let id = SessionId::new();
        let writer = rig.journal.create(&id).await.unwrap();
        let (removed, ()) = tokio::join!(remove_once_free(&*rig.journal, &id), async {
            sleep(REMOVE_AGAIN * 3).await;
            drop(writer);
        });
        removed.unwrap();
        assert_eq!(rig.journal.list().await.unwrap(), []);
    }
}
