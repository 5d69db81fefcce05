//! Logs that are written while sessions run.
//!
//! [`LoggingJournal`] stands in front of a journal. Beside each open record goes a [`projector`] of its
//! own, a task that is handed every event through a bounded queue and does its file work on threads
//! that may wait. The record comes first: appending neither waits for a log nor fails with it. A
//! projector that missed something reads it in the record.
//!
//! While a session's logs may be behind, a mark says so ([`pending`]), so that what a killed process has
//! left is completed by the next.
mod pending;
mod projector;
mod removal;
mod resting;
mod session_blobs;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::available_parallelism;
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::journal::{
    BlobRef, Event, EventSink, OpenChange, OpenChangesEdit, ReadPosition, Summary,
};
use ayeaye_agent::{DeviceId, Journal, JournalError, JournalWriter, SessionId};
use bytes::Bytes;
use futures::FutureExt as _;
use jiff::Timestamp;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::pending::PendingMarker;
use self::projector::{LogSlot, Projector};
use self::resting::{REST, RestingLogs};
pub(crate) use self::session_blobs::SessionBlobs;
use self::session_blobs::UnpackBuffer;
use self::writer::{LoggingWriter, ProjectorHandle};
use crate::disk_use::disk_use;
use crate::formats::{LogSettings, MakeProjection, make_projection};

/// How many events a log may lie behind before it has to read the record.
const QUEUE_LEN: usize = 256;

/// How long whoever closes a record waits for its logs.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Between two looks whether another process is through with a session's logs.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A journal whose sessions appear in the formats others read, as they happen.
///
/// A log that cannot be written (a full disk, a file where its folder should be, a projection that
/// fails) is said once in the server's log, tried again when the record is closed, and never touches
/// the record.
#[derive(Debug)]
pub struct LoggingJournal {
    shared: Arc<SharedState>,
}

struct SharedState {
    inner: Arc<dyn Journal>,
    data: PathBuf,
    settings: LogSettings,
    make_projection: MakeProjection,
    /// Stops the projectors of this process, for whoever removes a session.
    running: Mutex<HashMap<SessionId, CancellationToken>>,
    /// What the next act of a client goes on with.
    resting: RestingLogs,
    /// Told whenever a projector is through.
    closed: Notify,
    /// Whose turn it is to work: pictures are decoded and drawn on, which holds some megabytes each.
    turns: Arc<Semaphore>,
    /// See [`UnpackBuffer`].
    unpack_buffer: Mutex<Weak<Mutex<Vec<u8>>>>,
}

/// Projectors that work at once. More than there are processors would only hold more memory; one that waits
/// for its disk does not hold up all others.
fn turns() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(available_parallelism().map_or(2, NonZeroUsize::get).max(2)))
}

impl LoggingJournal {
    /// The sessions of `inner`, their logs in `data`.
    pub fn new(inner: Arc<dyn Journal>, data: &Path, settings: LogSettings) -> Self {
        Self::with_projections(inner, data, settings, Arc::new(make_projection))
    }

    fn with_projections(
        inner: Arc<dyn Journal>,
        data: &Path,
        settings: LogSettings,
        make_projection: MakeProjection,
    ) -> Self {
        let shared = SharedState {
            inner,
            data: data.to_owned(),
            settings,
            make_projection,
            running: Mutex::default(),
            resting: RestingLogs::default(),
            closed: Notify::new(),
            turns: turns(),
            unpack_buffer: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Completes the logs that killed processes have left behind, and returns how many sessions
    /// that were. Sessions that are being written are left to their writers.
    pub async fn catch_up(&self) -> usize {
        let mut done = 0;
        for id in PendingMarker::sessions_behind(&self.shared.data).await {
            let Ok(Some(marker)) = self.shared.try_lock(id).await else { continue };
            // It may have been completed since the list was made.
            if marker.is_pending() {
                let stop = self.shared.register(id);
                if Projector::of_closed(&self.shared, id, stop).run(marker).await {
                    done += 1;
                }
            }
        }
        done
    }

    /// Returns when a record of this process has been closed and its logs are through, since this was
    /// called last.
    pub async fn closed(&self) {
        self.shared.closed.notified().await;
    }

    /// Returns when this process writes nothing more into a session's logs: its record has been closed and they
    /// are complete, or have failed.
    pub async fn completed(&self, id: SessionId) {
        let projector = self.shared.running().get(&id).cloned();
        if let Some(projector) = projector {
            projector.cancelled().await;
        }
    }

    /// Begins the logs of a record that goes on after the event of that number.
    async fn start_projector(&self, id: SessionId, last: u64) -> ProjectorHandle {
        // Before the first event: whatever happens from here on, the next process looks after it.
        if let Err(err) = PendingMarker::set_pending(&self.shared.data, id).await {
            tracing::warn!(session = %id, "logs cannot be marked as unfinished: {err}");
        }
        let (queue, events) = mpsc::channel(QUEUE_LEN);
        let appended = Arc::new(AtomicU64::new(last));
        let stop = self.shared.register(id);
        let mut projector =
            Projector::of_open(&self.shared, id, events, Arc::clone(&appended), stop.clone());
        let shared = Arc::clone(&self.shared);
        let task = tokio::spawn(
            async move {
                if let Some(marker) = shared.wait_for_lock(id, &stop).await {
                    if let Some(logs) = shared.resting.take(id, last) {
                        projector.go_on_with(logs).await;
                    }
                    projector.run(marker).await;
                }
                stop.cancel();
                shared.closed.notify_one();
            }
            .boxed(),
        );
        ProjectorHandle { queue, appended, task }
    }

    fn wrap(inner: Box<dyn JournalWriter>, logs: ProjectorHandle) -> Box<dyn JournalWriter> {
        Box::new(LoggingWriter { inner, logs })
    }
}

impl SharedState {
    fn running(&self) -> MutexGuard<'_, HashMap<SessionId, CancellationToken>> {
        // Nothing that holds it can panic half way.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That of the sessions which are being written; it goes with the last of them.
    fn unpack_buffer(&self) -> UnpackBuffer {
        let mut shared = self.unpack_buffer.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let buffer = UnpackBuffer::default();
            *shared = Arc::downgrade(&buffer);
            buffer
        })
    }

    fn register(&self, id: SessionId) -> CancellationToken {
        let stop = CancellationToken::new();
        let mut running = self.running();
        running.retain(|_, stop| !stop.is_cancelled());
        running.insert(id, stop.clone());
        stop
    }

    /// Keeps the logs of a session for a while, as they stand.
    fn rest(self: &Arc<Self>, id: SessionId, logs: Vec<LogSlot>) {
        self.resting.keep(id, logs);
        let shared = Arc::downgrade(self);
        tokio::spawn(
            async move {
                sleep(REST).await;
                if let Some(shared) = shared.upgrade() {
                    shared.resting.expire();
                }
            }
            .boxed(),
        );
    }

    fn cancel(&self, id: SessionId) {
        self.resting.forget(id);
        if let Some(stop) = self.running().remove(&id) {
            stop.cancel();
        }
    }

    /// The right to write a session's logs, as soon as nobody has it; nothing when stopped or when
    /// it cannot be had.
    async fn wait_for_lock(
        &self,
        id: SessionId,
        stop: &CancellationToken,
    ) -> Option<PendingMarker> {
        loop {
            match self.try_lock(id).await {
                Ok(Some(marker)) => return Some(marker),
                Ok(None) => {}
                Err(err) => {
                    tracing::warn!(session = %id, "no logs are written for this session: {err}");
                    return None;
                }
            }
            tokio::select! {
                () = stop.cancelled() => return None,
                () = sleep(POLL_INTERVAL) => {}
            }
        }
    }

    async fn try_lock(&self, id: SessionId) -> std::io::Result<Option<PendingMarker>> {
        PendingMarker::lock(&self.data, id).await
    }
}

#[async_trait]
impl Journal for LoggingJournal {
    async fn create(&self, id: &SessionId) -> Result<Box<dyn JournalWriter>, JournalError> {
        let record = self.shared.inner.create(id).await?;
        Ok(Self::wrap(record, self.start_projector(*id, 0).await))
    }

    async fn open(
        &self,
        id: &SessionId,
        each: EventSink<'_>,
    ) -> Result<Box<dyn JournalWriter>, JournalError> {
        let mut last = 0;
        let mut each = |event: Event| {
            last = event.seq;
            each(event);
        };
        let record = self.shared.inner.open(id, &mut each).await?;
        Ok(Self::wrap(record, self.start_projector(*id, last).await))
    }

    async fn visit(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.shared.inner.visit(id, each).await
    }

    async fn visit_compact(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.shared.inner.visit_compact(id, each).await
    }

    async fn visit_after(
        &self,
        id: &SessionId,
        from: &ReadPosition,
        each: EventSink<'_>,
    ) -> Result<ReadPosition, JournalError> {
        self.shared.inner.visit_after(id, from, each).await
    }

    async fn summary(&self, id: &SessionId) -> Result<Summary, JournalError> {
        self.shared.inner.summary(id).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.shared.inner.list().await
    }

    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError> {
        self.shared.inner.blob(id, blob).await
    }

    fn blob_path(&self, id: &SessionId, blob: &BlobRef) -> Option<PathBuf> {
        self.shared.inner.blob_path(id, blob)
    }

    async fn is_locked(&self, id: &SessionId) -> Result<bool, JournalError> {
        self.shared.inner.is_locked(id).await
    }

    fn now(&self) -> Option<Timestamp> {
        self.shared.inner.now()
    }

    async fn edit_open_changes(
        &self,
        device: &DeviceId,
        edit: OpenChangesEdit,
    ) -> Result<(), JournalError> {
        self.shared.inner.edit_open_changes(device, edit).await
    }

    async fn open_changes(&self, device: &DeviceId) -> Result<Vec<OpenChange>, JournalError> {
        self.shared.inner.open_changes(device).await
    }

    async fn changed_devices(&self) -> Result<Vec<DeviceId>, JournalError> {
        self.shared.inner.changed_devices().await
    }

    async fn remove(&self, id: &SessionId) -> Result<(), JournalError> {
        removal::remove(&self.shared, *id).await
    }

    async fn disk_use(&self) -> Result<HashMap<SessionId, u64>, JournalError> {
        let data = self.shared.data.clone();
        let looked = tokio::task::spawn_blocking(move || disk_use(&data)).await;
        let found = looked
            .map_err(std::io::Error::other)
            .and_then(|found| found.map_err(std::io::Error::other))
            .map_err(|source| JournalError::Storage {
                what: format!("{} (how much room sessions take)", self.shared.data.display()),
                source,
            })?;
        Ok(found.into_iter().map(|(id, room)| (id, room.total())).collect())
    }
}

impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedState")
            .field("inner", &self.inner)
            .field("data", &self.data)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
