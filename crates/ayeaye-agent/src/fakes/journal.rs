//! A disk that fails at a given moment, and takes nothing more after that; or that is slow.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::Barrier;

use super::FakeDevice;
use crate::journal::{
    BlobRef, Event, EventSink, Fact, OpenChange, OpenChangesEdit, ReadPosition, RecordEntry,
    Summary,
};
use crate::{DeviceId, Follower, Journal, JournalError, JournalWriter, SessionId, StopReason};

/// What does not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    Append,
    Sync,
    Keep,
    /// What is changed on a phone.
    Changes,
}

/// Passes everything on until the nth write of one kind.
#[derive(Debug)]
pub(crate) struct FailingJournal {
    inner: Arc<dyn Journal>,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    write: Write,
    nth: u32,
    count: AtomicU32,
    phone: Arc<FakeDevice>,
    /// What had been sent to the phone when the disk failed.
    sent: Mutex<Option<Vec<String>>>,
    /// The run to stop while this is being announced.
    stops: Mutex<Option<(&'static str, Follower)>>,
    sync_takes: Mutex<Duration>,
    syncs: AtomicU32,
    /// Where the next reading of a record waits for the test.
    reading: Mutex<Option<Arc<Barrier>>>,
}

impl FailingJournal {
    pub(crate) fn new(
        inner: Arc<dyn Journal>,
        phone: Arc<FakeDevice>,
        write: Write,
        nth: u32,
    ) -> Self {
        let state = State {
            write,
            nth,
            count: AtomicU32::new(0),
            phone,
            sent: Mutex::default(),
            stops: Mutex::default(),
            sync_takes: Mutex::default(),
            syncs: AtomicU32::new(0),
            reading: Mutex::default(),
        };
        Self { inner, state: Arc::new(state) }
    }

    /// It takes so long until what was written is down for good.
    pub(crate) fn syncs_in(&self, time: Duration) {
        *self.state.sync_takes.lock().expect("no test panics while it holds this") = time;
    }

    /// How often that was asked for.
    pub(crate) fn syncs(&self) -> u32 {
        self.state.syncs.load(Ordering::Relaxed)
    }

    /// The next reading of a record waits four times for the test to wait too: it is asked for, is begun, has read all
    /// there is, and returns.
    pub(crate) fn holds_reading(&self) -> Arc<Barrier> {
        let both = Arc::new(Barrier::new(2));
        *self.state.reading.lock().expect("as above") = Some(both.clone());
        both
    }

    /// Stops the run at the moment when this is written down, before it is done.
    pub(crate) fn stops_at(&self, name: &'static str, follower: Follower) {
        *self.state.stops.lock().expect("no test panics while it holds this") =
            Some((name, follower));
    }

    /// What had been sent to the phone when the disk failed, if it has.
    pub(crate) fn sent(&self) -> Option<Vec<String>> {
        self.state.sent.lock().expect("no test panics while it holds this").clone()
    }
}

impl State {
    fn check(&self, write: Write) -> Result<(), JournalError> {
        let mut sent = self.sent.lock().expect("no test panics while it holds this");
        if sent.is_none() {
            let due =
                write == self.write && self.count.fetch_add(1, Ordering::Relaxed) + 1 == self.nth;
            if !due {
                return Ok(());
            }
            *sent = Some(self.phone.sent());
        }
        let source = std::io::Error::other("no space left on device");
        Err(JournalError::Storage { what: "events.jsonl".to_owned(), source })
    }
}

#[derive(Debug)]
struct FailingWriter {
    inner: Box<dyn JournalWriter>,
    state: Arc<State>,
}

#[async_trait]
impl Journal for FailingJournal {
    async fn create(&self, id: &SessionId) -> Result<Box<dyn JournalWriter>, JournalError> {
        let inner = self.inner.create(id).await?;
        Ok(Box::new(FailingWriter { inner, state: self.state.clone() }))
    }

    async fn open(
        &self,
        id: &SessionId,
        each: EventSink<'_>,
    ) -> Result<Box<dyn JournalWriter>, JournalError> {
        let inner = self.inner.open(id, each).await?;
        Ok(Box::new(FailingWriter { inner, state: self.state.clone() }))
    }

    async fn visit(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.inner.visit(id, each).await
    }

    async fn visit_compact(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        let held = self.state.reading.lock().expect("as above").take();
        let Some(held) = held else { return self.inner.visit_compact(id, each).await };
        held.wait().await;
        held.wait().await;
        let read = self.inner.visit_compact(id, each).await;
        held.wait().await;
        held.wait().await;
        read
    }

    async fn visit_after(
        &self,
        id: &SessionId,
        from: &ReadPosition,
        each: EventSink<'_>,
    ) -> Result<ReadPosition, JournalError> {
        self.inner.visit_after(id, from, each).await
    }

    async fn summary(&self, id: &SessionId) -> Result<Summary, JournalError> {
        self.inner.summary(id).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.inner.list().await
    }

    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError> {
        self.inner.blob(id, blob).await
    }

    async fn is_locked(&self, id: &SessionId) -> Result<bool, JournalError> {
        self.inner.is_locked(id).await
    }

    fn now(&self) -> Option<Timestamp> {
        self.inner.now()
    }

    async fn edit_open_changes(
        &self,
        device: &DeviceId,
        edit: OpenChangesEdit,
    ) -> Result<(), JournalError> {
        self.state.check(Write::Changes)?;
        self.inner.edit_open_changes(device, edit).await
    }

    async fn open_changes(&self, device: &DeviceId) -> Result<Vec<OpenChange>, JournalError> {
        self.inner.open_changes(device).await
    }

    async fn changed_devices(&self) -> Result<Vec<DeviceId>, JournalError> {
        self.inner.changed_devices().await
    }

    async fn remove(&self, id: &SessionId) -> Result<(), JournalError> {
        self.inner.remove(id).await
    }
}

#[async_trait]
impl JournalWriter for FailingWriter {
    async fn append(&mut self, entry: RecordEntry) -> Result<Event, JournalError> {
        self.state.check(Write::Append)?;
        self.state.phone.unsynced.fetch_add(1, Ordering::Relaxed);
        if let Some((name, follower)) = &*self.state.stops.lock().expect("as above")
            && matches!(&entry.fact, Fact::ToolStart(start) if start.name == *name)
        {
            follower.stop(StopReason::Cancelled);
        }
        self.inner.append(entry).await
    }

    async fn sync(&mut self) -> Result<(), JournalError> {
        self.state.check(Write::Sync)?;
        self.state.syncs.fetch_add(1, Ordering::Relaxed);
        let takes = *self.state.sync_takes.lock().expect("as above");
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
        self.inner.sync().await?;
        self.state.phone.unsynced.store(0, Ordering::Relaxed);
        Ok(())
    }

    async fn store_blob(
        &mut self,
        bytes: Bytes,
        media_type: &str,
    ) -> Result<BlobRef, JournalError> {
        self.state.check(Write::Keep)?;
        self.inner.store_blob(bytes, media_type).await
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }
}
