//! The record of a session that has no run yet.
use std::io;
use std::sync::Arc;

use super::{Agent, AgentError};
use crate::journal::{Journal, JournalError, SessionStart};
use crate::run::Recorder;
use crate::{SessionId, error_chain};

/// A record that goes away again unless a run begins on it: whoever gives up a call before that has asked for nothing
/// that could be looked up, and a record without a run looks like one whose server died.
struct NewRecord {
    recorder: Option<Recorder>,
    id: SessionId,
    journal: Arc<dyn Journal>,
}

impl NewRecord {
    /// For a run that begins before anybody is waited for again.
    fn claim(mut self) -> Recorder {
        self.recorder.take().expect("it is claimed once")
    }
}

impl Drop for NewRecord {
    fn drop(&mut self) {
        let Some(recorder) = self.recorder.take() else { return };
        let (id, journal) = (self.id, Arc::clone(&self.journal));
        tokio::spawn(async move {
            drop(recorder);
            if let Err(err) = journal.remove(&id).await {
                tracing::warn!(session = %id, "it never began, and stays: {}", error_chain(&err));
            }
        });
    }
}

impl Agent {
    /// Begins the record of a session, which is on the disk when this returns. A run has to begin on it without waiting
    /// for anything else. If this future is dropped, nothing is left of it.
    pub(super) async fn new_record(
        &self,
        id: SessionId,
        start: SessionStart,
    ) -> Result<Recorder, AgentError> {
        let (journal, privacy) = (Arc::clone(&self.deps.journal), self.deps.privacy);
        let secrets = self.secret_stores.of(id, privacy.text);
        // A task of its own: dropped half way, a record would be there that nobody knows of.
        let making = tokio::spawn(async move {
            let recorder = Recorder::create(&*journal, id, start, secrets, privacy).await?;
            Ok::<_, JournalError>(NewRecord { recorder: Some(recorder), id, journal })
        });
        let made = making.await.unwrap_or_else(|err| {
            let what = format!("session {id} (make)");
            Err(JournalError::Storage { what, source: io::Error::other(err) })
        });
        Ok(made?.claim())
    }
}
