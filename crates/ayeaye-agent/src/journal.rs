//! The seam to what is kept: one append-only record a session, the only truth about it.
mod files;
mod private_screens;
mod retention;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

pub(crate) use files::hex;
pub use files::{
    Clock, FileJournal, FreeSpace, InvalidRecordLine, MIN_FREE_BYTES, SyncPolicy, VerifyReport,
    system_free_space,
};
pub use private_screens::PrivateScreens;
pub use retention::{
    PruneReport, Removable, Retention, RetentionCandidate, candidates, prune, select_for_removal,
};

pub use crate::event::*;
pub use crate::session::{SessionBuilder, Summary, SummaryBuilder};
use crate::{DeviceId, MissingSessionStart, SessionId, SettingChange};

/// Why a record could not be kept or read. What to do about each is in `ayeaye/src/hint.rs`.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is no session of this id.
    #[error("there is no session {0}")]
    Unknown(SessionId),
    /// Another process writes it now.
    #[error("session {0} is being written by another process")]
    Busy(SessionId),
    /// Good records follow a bad one: it can be read up to there, and is not written any more.
    #[error("session {id} is damaged at record {seq}: {what}")]
    Damaged {
        /// Which session.
        id: SessionId,
        /// The first record that is not as it was written (1 is the first).
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a later version.
    #[error("session {id} has format {found}, this version reads up to {}", FORMAT)]
    TooNew {
        /// Which session.
        id: SessionId,
        /// Its format.
        found: u32,
    },
    /// The disk said no. After this the record takes nothing more (a failed sync is not repeated:
    /// it can report success for data that is lost).
    #[error("cannot use {what}: {source}")]
    Storage {
        /// The file, and what was to be done with it.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A blob that is named but not there, or not what it was.
    #[error("blob {0} is missing or damaged")]
    Blob(String),
    /// Too little is free to begin a session.
    #[error(
        "{} MiB are free in {}, and a new session needs {} MiB: remove old sessions or make room",
        free >> 20, path.display(), min_free_bytes >> 20
    )]
    NoRoom {
        /// Where sessions are kept.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that must be.
        min_free_bytes: u64,
    },
    /// A record without a beginning cannot be summed up.
    #[error(transparent)]
    MissingSessionStart(#[from] MissingSessionStart),
}

/// Takes the events of a record in their order, one by one.
pub type EventSink<'a> = &'a mut (dyn FnMut(Event) + Send);
/// Edits the open changes of a phone; returns whether it changed anything.
pub type OpenChangesEdit = Box<dyn FnOnce(&mut Vec<OpenChange>) -> bool + Send>;

/// How far a record was read. The default is its beginning.
#[derive(Debug, Clone, Default)]
pub struct ReadPosition {
    /// The number of events that were handed out.
    pub seq: u64,
    /// The journal's own note of the place; opaque to others.
    pub note: Vec<u8>,
}

/// A setting that a session has changed on a phone and not put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenChange {
    /// The session that made the change.
    pub session: SessionId,
    /// The change.
    pub change: SettingChange,
    /// The number of times that the phone refused to put it back, counted at most once an hour.
    pub refusals: u32,
    /// When the phone last refused.
    pub refused_at: Option<Timestamp>,
    /// The driver that made the change, by the name that the phone knows it by.
    pub driver: Option<String>,
    /// The phone that was changed: another one may have its address by now. `None` in files of an earlier version.
    pub phone: Option<DeviceRecord>,
}

/// All sessions.
#[async_trait]
pub trait Journal: Send + Sync + fmt::Debug {
    /// Begins the record of a new session and holds its lock.
    async fn create(&self, id: &SessionId) -> Result<Box<dyn JournalWriter>, JournalError>;
    /// Opens a session to go on with it: takes its lock, mends a torn tail (and notes that), and
    /// hands out the [`visit_compact`](Self::visit_compact) of everything recorded so far. After an error what
    /// was handed out is to be forgotten.
    async fn open(
        &self,
        id: &SessionId,
        each: EventSink<'_>,
    ) -> Result<Box<dyn JournalWriter>, JournalError>;
    /// Hands out everything recorded so far, without a lock and without mending: a torn last line is
    /// left out. Where a damaged record has good events in front, they come before the error.
    async fn visit(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError>;
    /// [`visit`](Self::visit) for those who fold a [`Session`](crate::Session), in less time: requests
    /// to models come without messages, parameters, schemas and results of tools, answers without the
    /// text as it came, reasoning, calls of tools and retries.
    async fn visit_compact(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.visit(id, each).await
    }
    /// [`visit_compact`](Self::visit_compact) of what was recorded behind `from`. Returns how far that is, so that
    /// who follows a record reads no event twice. After an error what was handed out counts as read up to the last
    /// position that was returned.
    async fn visit_after(
        &self,
        id: &SessionId,
        from: &ReadPosition,
        each: EventSink<'_>,
    ) -> Result<ReadPosition, JournalError> {
        let mut seq = from.seq;
        let mut later = |event: Event| {
            if seq < event.seq {
                seq = event.seq;
                each(event);
            }
        };
        self.visit_compact(id, &mut later).await?;
        Ok(ReadPosition { seq, note: Vec::new() })
    }
    /// [`visit`](Self::visit) for those who need all events whole and at once.
    async fn read(&self, id: &SessionId) -> Result<Vec<Event>, JournalError> {
        let mut events = Vec::new();
        self.visit(id, &mut |event| events.push(event)).await?;
        Ok(events)
    }
    /// The session in short. Of one that is not being written this does not read the record, as a
    /// rule.
    async fn summary(&self, id: &SessionId) -> Result<Summary, JournalError>;
    /// Bytes of the sessions with all that is removed with them, such as logs beside the record. Of one
    /// that is not among them it is what its summary says.
    async fn disk_use(&self) -> Result<HashMap<SessionId, u64>, JournalError> {
        Ok(HashMap::new())
    }
    /// Every session there is, newest first.
    async fn list(&self) -> Result<Vec<SessionId>, JournalError>;
    /// The bytes of a blob.
    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError>;
    /// The file that holds a blob, in a journal that keeps each as a file of its own: a copy on the same
    /// disk may be a hard link to it. It may be damaged; [`Journal::blob`] tells.
    fn blob_path(&self, _id: &SessionId, _blob: &BlobRef) -> Option<PathBuf> {
        None
    }
    /// Whether some process writes the session now.
    async fn is_locked(&self, id: &SessionId) -> Result<bool, JournalError>;
    /// The time by the clock of its events; `None` if it has none.
    fn now(&self) -> Option<Timestamp> {
        None
    }
    /// Edits what is remembered on the disk of the settings that sessions have changed on a phone and not put back.
    /// Edits through one journal follow each other: a task that puts a keyboard back may outlive its run and meet
    /// the next. Other processes are kept out by the lease of the phone, so only whoever has that calls this.
    async fn edit_open_changes(
        &self,
        device: &DeviceId,
        edit: OpenChangesEdit,
    ) -> Result<(), JournalError>;
    /// What is remembered of a phone, in the order in which it was changed.
    async fn open_changes(&self, device: &DeviceId) -> Result<Vec<OpenChange>, JournalError>;
    /// The phones of which anything is remembered.
    async fn changed_devices(&self) -> Result<Vec<DeviceId>, JournalError>;
    /// Removes a session that nobody writes, with all that belongs to it.
    async fn remove(&self, id: &SessionId) -> Result<(), JournalError>;
}

/// The record of one session, open for writing by one owner. Dropping it releases the lock.
#[async_trait]
pub trait JournalWriter: Send + fmt::Debug {
    /// Writes one event behind the others, with one write of one line. It is safe from a crash of
    /// this process at once, and from a crash of the machine after [`sync`](Self::sync).
    async fn append(&mut self, entry: RecordEntry) -> Result<Event, JournalError>;
    /// Returns when everything appended so far is on the disk.
    async fn sync(&mut self) -> Result<(), JournalError>;
    /// Keeps bytes under their SHA-256. The same bytes are stored once. The file is complete under its
    /// name before this returns, and on the disk after the next [`sync`](Self::sync).
    async fn store_blob(&mut self, bytes: Bytes, media_type: &str)
    -> Result<BlobRef, JournalError>;
    /// Bytes of the record so far, blobs included. Nothing is refused for its size: whoever writes
    /// looks at it, and stops in good order.
    fn size(&self) -> u64;
    /// Ends the writing, and returns when whatever follows the record has followed it to its end.
    /// Dropping it loses nothing that was recorded.
    async fn close(self: Box<Self>) {}
}
