//! The journal in files: one folder a session, one line an event.
//!
//! Start at [`FileJournal`]. `line` encodes and decodes one line, `scan` a whole record, `read` a
//! session; `open` repairs what a crash has left, `writer` appends, `folder` has the names and the file
//! operations.
mod blobs;
mod changes;
mod folder;
mod free_space;
mod line;
mod open;
mod read;
mod scan;
mod sessions_folder;
mod summary_cache;
#[cfg(test)]
mod tests;
mod writer;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use self::folder::{
    Folder, is_locked, make_private_file, private_folder, private_options, storage,
};
pub use self::free_space::{FreeSpace, MIN_FREE_BYTES, system_free_space};
pub(crate) use self::line::hex;
use self::line::{Chain, Detail};
use self::read::{scan_file, stream_events, verify_report};
use self::writer::FileWriter;
use super::retention::{self, PruneReport, Retention};
use super::{
    BlobRef, Event, EventSink, Journal, JournalError, JournalWriter, OpenChange, OpenChangesEdit,
    ReadPosition, Summary,
};
use crate::{DeviceId, SessionId};

/// How long the lock of a record is waited for, and how often it is tried.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The time of day, as it is handed in.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// When what was written is put on the disk, and not only in the system's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncPolicy {
    /// After every event and blob.
    Always,
    /// When [`JournalWriter::sync`] says so: before the phone is touched and after what cost money.
    Step,
    /// Left to the system. A crash of the machine may lose the end of a session; a crash of this
    /// process never does.
    Never,
}

/// All sessions below one folder.
///
/// A fact of more than 4 MiB, or one that would not read back as it is, is refused with
/// [`JournalError::Storage`]; nothing of it is written, and the record goes on.
#[derive(Clone)]
pub struct FileJournal {
    sessions: PathBuf,
    /// What was changed on each phone.
    devices: PathBuf,
    clock: Clock,
    sync: SyncPolicy,
    /// Free bytes below which no session is begun.
    min_free_bytes: u64,
    free_space: FreeSpace,
    /// Since this journal was made, of all its sessions.
    syncs: Arc<AtomicU64>,
}

/// What a session's record turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyReport {
    /// Good records in front.
    pub records: u64,
    /// The first one that is not good.
    pub bad: Option<InvalidRecordLine>,
}

/// Where and why a record stops being good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRecordLine {
    /// Its number, from 1.
    pub seq: u64,
    /// Where it begins in `events.jsonl`, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
    /// Nothing whole follows: a write was cut short, and the next writer cuts it off.
    pub torn: bool,
    /// The format it has, where that is a later one.
    pub later_format: Option<u32>,
}

impl InvalidRecordLine {
    /// The error with which this session is refused for it.
    pub fn refusal(&self, id: SessionId) -> JournalError {
        match self.later_format {
            Some(found) => JournalError::TooNew { id, found },
            None => JournalError::Damaged { id, seq: self.seq, what: self.what.clone() },
        }
    }
}

impl FileJournal {
    /// The sessions in `data`, which need not exist yet.
    pub fn new(data: &Path, clock: Clock, sync: SyncPolicy) -> Self {
        let (sessions, devices) = (data.join("sessions"), data.join("devices"));
        Self {
            sessions,
            devices,
            clock,
            sync,
            min_free_bytes: MIN_FREE_BYTES,
            free_space: free_space::system_free_space(),
            syncs: Arc::default(),
        }
    }

    /// The folder of a session: its record `events.jsonl` and the files it names in `blobs`, and what this
    /// journal keeps beside them for itself.
    pub fn session_folder(&self, id: &SessionId) -> PathBuf {
        self.folder(id).path
    }

    /// How often records were brought to the disk.
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// Begins no session when less than this many bytes are free; 0 for never minding.
    #[must_use]
    pub fn with_min_free_bytes(self, min_free_bytes: u64) -> Self {
        Self { min_free_bytes, ..self }
    }

    /// Asks this how much is free, and not the system.
    #[must_use]
    pub fn with_free_space(self, free_space: FreeSpace) -> Self {
        Self { free_space, ..self }
    }

    /// Removes the sessions that are not to be kept. Where something else belongs to a session,
    /// [`retention::prune`] goes through the journal that knows of it.
    pub async fn prune(&self, retention: &Retention) -> Result<PruneReport, JournalError> {
        retention::prune(self, retention, (self.clock)()).await
    }

    /// Checks every record of a session, without a lock and without mending.
    pub async fn verify(&self, id: &SessionId) -> Result<VerifyReport, JournalError> {
        self.with_folder_blocking(id, "read", |folder| {
            Ok(verify_report(&scan_file(&folder, Detail::Whole, |_| {})?))
        })
        .await
    }

    /// As much of a session as is good, damaged or not, and where it stops being so.
    pub async fn salvage(
        &self,
        id: &SessionId,
    ) -> Result<(Vec<Event>, VerifyReport), JournalError> {
        self.with_folder_blocking(id, "read", |folder| {
            let mut events = Vec::new();
            let scanned = scan_file(&folder, Detail::Whole, |event| events.push(event))?;
            Ok((events, verify_report(&scanned)))
        })
        .await
    }

    async fn emit(
        &self,
        id: &SessionId,
        detail: Detail,
        each: EventSink<'_>,
    ) -> Result<(), JournalError> {
        let work =
            move |folder: Folder, each: &mut dyn FnMut(Event)| read::read(&folder, detail, each);
        stream_events(self.folder(id), "read", each, work).await
    }

    fn folder(&self, id: &SessionId) -> Folder {
        Folder { id: *id, path: self.sessions.join(id.to_string()) }
    }

    /// Runs file work with the folder of a session, on a thread that may block.
    async fn with_folder_blocking<T: Send + 'static>(
        &self,
        id: &SessionId,
        doing: &'static str,
        work: impl FnOnce(Folder) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let folder = self.folder(id);
        let path = folder.path.clone();
        blocking(doing, &path, move || work(folder)).await
    }

    /// The lock of a record that is there. A process that is being started holds what this one had open, its locks too,
    /// until it has become the other program: that is waited for.
    async fn lock_once_free(&self, id: &SessionId) -> Result<File, JournalError> {
        let deadline = Instant::now() + LOCK_PATIENCE;
        loop {
            let lock = |folder: Folder| folder.must_exist().and_then(|()| folder.lock());
            match self.with_folder_blocking(id, "lock", lock).await {
                Err(JournalError::Busy(_)) if Instant::now() < deadline => sleep(LOCK_RETRY).await,
                locked => return locked,
            }
        }
    }
}

#[async_trait]
impl Journal for FileJournal {
    async fn create(&self, id: &SessionId) -> Result<Box<dyn JournalWriter>, JournalError> {
        let Self { sessions, clock, sync, min_free_bytes, free_space, syncs, .. } = self.clone();
        let record = self.with_folder_blocking(id, "make", move |folder| {
            private_folder(&sessions, true).map_err(storage("make", &sessions))?;
            sessions_folder::sweep(&sessions);
            free_space::check(&free_space, min_free_bytes, &sessions)?;
            private_folder(&folder.path, false).map_err(storage("make", &folder.path))?;
            let lock = folder.lock()?;
            let path = folder.events();
            make_private_file(&path, private_options().append(true))
                .map_err(storage("make", &path))?;
            Ok(FileWriter::new(folder, clock, sync, Chain::start(), 0, lock)?.counting(syncs))
        });
        Ok(Box::new(record.await?))
    }

    async fn open(
        &self,
        id: &SessionId,
        each: EventSink<'_>,
    ) -> Result<Box<dyn JournalWriter>, JournalError> {
        let Self { clock, sync, syncs, .. } = self.clone();
        let lock = self.lock_once_free(id).await?;
        let work = move |folder, each: &mut dyn FnMut(Event)| {
            Ok(open::open(folder, lock, clock, sync, each)?.counting(syncs))
        };
        Ok(Box::new(stream_events(self.folder(id), "open", each, work).await?))
    }

    async fn visit(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.emit(id, Detail::Whole, each).await
    }

    async fn visit_compact(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.emit(id, Detail::Compact, each).await
    }

    async fn visit_after(
        &self,
        id: &SessionId,
        from: &ReadPosition,
        each: EventSink<'_>,
    ) -> Result<ReadPosition, JournalError> {
        let from = from.clone();
        let work = move |folder: Folder, each: &mut dyn FnMut(Event)| {
            read::read_after(&folder, &from, each)
        };
        stream_events(self.folder(id), "read", each, work).await
    }

    async fn summary(&self, id: &SessionId) -> Result<Summary, JournalError> {
        self.with_folder_blocking(id, "read", |folder| summary_cache::summary(&folder)).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        let sessions = self.sessions.clone();
        blocking("list", &self.sessions, move || {
            sessions_folder::list(&sessions).map_err(storage("list", &sessions))
        })
        .await
    }

    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let blob = blob.clone();
        self.with_folder_blocking(id, "read", move |folder| blobs::load(&folder, &blob)).await
    }

    fn blob_path(&self, id: &SessionId, blob: &BlobRef) -> Option<PathBuf> {
        blobs::path(&self.folder(id), blob)
    }

    async fn is_locked(&self, id: &SessionId) -> Result<bool, JournalError> {
        self.with_folder_blocking(id, "look for", |folder| {
            folder.must_exist()?;
            let lock = folder.lock_path();
            is_locked(&lock).map_err(storage("look for", &lock))
        })
        .await
    }

    fn now(&self) -> Option<Timestamp> {
        Some((self.clock)())
    }

    async fn edit_open_changes(
        &self,
        device: &DeviceId,
        edit: OpenChangesEdit,
    ) -> Result<(), JournalError> {
        let (folder, device) = (self.devices.clone(), device.clone());
        let lock = changes::lock(&folder).await?;
        let work = move || {
            let mut open = changes::load_to_edit(&folder, &device)?;
            let done =
                if edit(&mut open) { changes::store(&folder, &device, open) } else { Ok(()) };
            drop(lock);
            done
        };
        blocking("write", &self.devices, work).await
    }

    async fn open_changes(&self, device: &DeviceId) -> Result<Vec<OpenChange>, JournalError> {
        let (folder, device) = (self.devices.clone(), device.clone());
        blocking("read", &self.devices, move || Ok(changes::load(&folder, &device))).await
    }

    async fn changed_devices(&self) -> Result<Vec<DeviceId>, JournalError> {
        let folder = self.devices.clone();
        blocking("list", &self.devices, move || Ok(changes::devices(&folder))).await
    }

    async fn remove(&self, id: &SessionId) -> Result<(), JournalError> {
        let sessions = self.sessions.clone();
        self.with_folder_blocking(id, "remove", move |folder| {
            sessions_folder::remove(&sessions, &folder)
        })
        .await
    }
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, sync, min_free_bytes, .. } = self;
        f.debug_struct("FileJournal")
            .field("sessions", sessions)
            .field("sync", sync)
            .field("min_free_bytes", min_free_bytes)
            .finish_non_exhaustive()
    }
}

/// Runs file work where it may take its time.
async fn blocking<T: Send + 'static>(
    doing: &str,
    path: &Path,
    work: impl FnOnce() -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    // Boxed: a task is compiled once for what it returns, and not once for each closure.
    let work: Box<dyn FnOnce() -> Result<T, JournalError> + Send> = Box::new(work);
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(err) => Err(storage(doing, path)(io::Error::other(err))),
    }
}
