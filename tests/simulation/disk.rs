//! A disk in memory: it knows what was written and what is safe.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ayeaye_agent::coordinator::MemoryStore;
use ayeaye_agent::journal::{
    BlobRef, Event, EventSink, FORMAT, Fact, OpenChange, OpenChangesEdit, ReadPosition,
    RecordEntry, Summary,
};
use ayeaye_agent::{DeviceId, Journal, JournalError, JournalWriter, SessionId, SettingChange};
use bytes::Bytes;
use jiff::{Timestamp, ToSpan as _};

use crate::planted::Planted;
use crate::schedule::{Fault, Site};
use crate::world::{Crash, World};

#[derive(Debug)]
pub struct Disk {
    world: Arc<World>,
    state: Mutex<State>,
    servers: Arc<MemoryStore>,
    /// Held by whoever edits what was changed on a phone.
    one_edit: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<SessionId, Record>,
    changes: HashMap<DeviceId, Vec<OpenChange>>,
    clock_ahead_years: i64,
}

#[derive(Debug, Default)]
struct Record {
    events: Vec<Event>,
    synced: usize,
    blobs: HashMap<String, Bytes>,
    locked: bool,
    /// Whoever writes has to open it anew.
    failed: bool,
}

impl Disk {
    pub fn new(world: Arc<World>) -> Self {
        Self {
            world,
            state: Mutex::default(),
            servers: Arc::default(),
            one_edit: tokio::sync::Mutex::default(),
        }
    }

    /// What the processes know of each other.
    pub fn servers(&self) -> Arc<MemoryStore> {
        self.servers.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The process is gone: its locks are too, and after a loss of power what was not synced, from some
    /// event on.
    pub fn crash(&self, how: Crash) {
        let mut state = self.state();
        if self.world.has(Planted::SessionForgotten) {
            state.sessions.clear();
        }
        for record in state.sessions.values_mut() {
            if how == Crash::PowerLost {
                let loose = u32::try_from(record.events.len() - record.synced).expect("few");
                let kept =
                    record.synced + usize::try_from(self.world.random(loose + 1)).expect("few");
                record.events.truncate(kept);
            }
            if self.world.has(Planted::TailLost) {
                record.events.pop();
            }
            if self.world.has(Planted::TailRepeated) {
                record.events.extend(record.events.last().cloned());
            }
            record.synced = record.events.len();
            record.locked = self.world.has(Planted::LockLeaks);
            record.failed = false;
        }
    }

    /// The events of a session, as they are.
    pub fn events(&self, id: SessionId) -> Vec<Event> {
        self.state().sessions.get(&id).map(|record| record.events.clone()).unwrap_or_default()
    }

    /// Pictures that are named and not there.
    pub fn lost_blobs(&self, id: SessionId) -> Vec<String> {
        let state = self.state();
        let Some(record) = state.sessions.get(&id) else { return Vec::new() };
        let named = |event: &Event| match &event.entry.fact {
            Fact::Observe(seen) => seen.screenshot.as_ref().map(|blob| blob.sha256.clone()),
            _ => None,
        };
        let named: HashSet<String> = record.events.iter().filter_map(named).collect();
        named.into_iter().filter(|name| !record.blobs.contains_key(name)).collect()
    }

    /// Before a gesture goes to the phone it is announced, and that is safe.
    pub fn check_announced(&self, what: &str) {
        let announced = |record: &Record| {
            let Some(event) = record.events.last() else { return false };
            let Fact::ToolStart(start) = &event.entry.fact else { return false };
            start.device && record.synced == record.events.len()
        };
        let holds = self.state().sessions.values().any(announced);
        self.world
            .check(holds, || format!("{what} went to the phone before that was safe on the disk"));
    }

    pub fn remembers(&self, device: &DeviceId, change: &SettingChange) -> bool {
        let state = self.state();
        let open = state.changes.get(device).into_iter().flatten();
        open.into_iter().any(|open| open.change == *change)
    }

    pub fn remembers_any(&self) -> bool {
        self.state().changes.values().any(|open| !open.is_empty())
    }

    async fn write(&self, site: Site, what: &str) -> Result<(), JournalError> {
        match self.world.arrive(site).await {
            Some(Fault::DiskFails) => {
                let source = std::io::Error::other("no space left on device");
                Err(JournalError::Storage { what: what.to_owned(), source })
            }
            Some(Fault::ClockJumps) => {
                let ahead = i64::from(self.world.random(3)) - 1;
                self.state().clock_ahead_years += ahead;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn time(&self) -> Timestamp {
        let millis = i64::try_from(self.world.now().as_millis()).expect("short");
        let years = self.state().clock_ahead_years;
        Timestamp::UNIX_EPOCH + (1_700_000_000_000 + millis + years * 31_536_000_000).milliseconds()
    }
}

/// The journal of one process.
#[derive(Debug)]
pub struct DiskJournal(pub Arc<Disk>);

#[derive(Debug)]
struct Writer {
    disk: Arc<Disk>,
    id: SessionId,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(record) = self.disk.state().sessions.get_mut(&self.id) {
            record.locked = false;
        }
    }
}

impl Writer {
    /// A sync that is tried again can report success for what is lost.
    fn refuse_after_failure(&self) -> Result<(), JournalError> {
        let failed = self.disk.state().sessions.get(&self.id).is_some_and(|record| record.failed);
        if !failed {
            return Ok(());
        }
        let source = std::io::Error::other("an earlier write failed");
        Err(JournalError::Storage { what: "events.jsonl".to_owned(), source })
    }
}

impl DiskJournal {
    fn writer(&self, id: SessionId) -> Box<dyn JournalWriter> {
        Box::new(Writer { disk: self.0.clone(), id })
    }
}

#[async_trait]
impl Journal for DiskJournal {
    async fn create(&self, id: &SessionId) -> Result<Box<dyn JournalWriter>, JournalError> {
        self.0.write(Site::Append, "a folder").await?;
        let record = Record { locked: true, ..Record::default() };
        self.0.state().sessions.insert(*id, record);
        Ok(self.writer(*id))
    }

    async fn open(
        &self,
        id: &SessionId,
        each: EventSink<'_>,
    ) -> Result<Box<dyn JournalWriter>, JournalError> {
        {
            let mut state = self.0.state();
            let record = state.sessions.get_mut(id).ok_or(JournalError::Unknown(*id))?;
            if record.locked {
                return Err(JournalError::Busy(*id));
            }
            record.locked = true;
            record.failed = false;
        }
        let writer = self.writer(*id);
        self.visit(id, each).await?;
        Ok(writer)
    }

    async fn visit(&self, id: &SessionId, each: EventSink<'_>) -> Result<(), JournalError> {
        self.visit_after(id, &ReadPosition::default(), each).await.map(drop)
    }

    async fn visit_after(
        &self,
        id: &SessionId,
        from: &ReadPosition,
        each: EventSink<'_>,
    ) -> Result<ReadPosition, JournalError> {
        let events = {
            let state = self.0.state();
            let record = state.sessions.get(id).ok_or(JournalError::Unknown(*id))?;
            let after = usize::try_from(from.seq).expect("few");
            record.events.get(after..).unwrap_or_default().to_vec()
        };
        let mut seq = from.seq;
        for event in events {
            // As the record on a real disk is read: numbers without gaps.
            if event.seq != seq + 1 {
                let what = format!("it is numbered {}", event.seq);
                return Err(JournalError::Damaged { id: *id, seq: seq + 1, what });
            }
            seq += 1;
            each(event);
        }
        Ok(ReadPosition { seq, note: Vec::new() })
    }

    async fn summary(&self, id: &SessionId) -> Result<Summary, JournalError> {
        Ok(Summary::of(*id, &self.read(id).await?, 0)?)
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        let mut all: Vec<SessionId> = self.0.state().sessions.keys().copied().collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        Ok(all)
    }

    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let state = self.0.state();
        let record = state.sessions.get(id).ok_or(JournalError::Unknown(*id))?;
        record
            .blobs
            .get(&blob.sha256)
            .cloned()
            .ok_or_else(|| JournalError::Blob(blob.sha256.clone()))
    }

    async fn is_locked(&self, id: &SessionId) -> Result<bool, JournalError> {
        Ok(self.0.state().sessions.get(id).is_some_and(|record| record.locked))
    }

    async fn edit_open_changes(
        &self,
        device: &DeviceId,
        edit: OpenChangesEdit,
    ) -> Result<(), JournalError> {
        let _one = self.0.one_edit.lock().await;
        let mut open = self.open_changes(device).await?;
        if !edit(&mut open) {
            return Ok(());
        }
        self.0.write(Site::Sync, "open changes").await?;
        if !self.0.world.has(Planted::ChangesForgotten) {
            self.0.state().changes.insert(device.clone(), open);
        }
        Ok(())
    }

    async fn open_changes(&self, device: &DeviceId) -> Result<Vec<OpenChange>, JournalError> {
        Ok(self.0.state().changes.get(device).cloned().unwrap_or_default())
    }

    async fn changed_devices(&self) -> Result<Vec<DeviceId>, JournalError> {
        let state = self.0.state();
        let open = state.changes.iter().filter(|(_, changes)| !changes.is_empty());
        Ok(open.map(|(device, _)| device.clone()).collect())
    }

    async fn remove(&self, id: &SessionId) -> Result<(), JournalError> {
        self.0.state().sessions.remove(id);
        Ok(())
    }
}

#[async_trait]
impl JournalWriter for Writer {
    async fn append(&mut self, entry: RecordEntry) -> Result<Event, JournalError> {
        self.refuse_after_failure()?;
        let written = self.disk.write(Site::Append, "events.jsonl").await;
        let swallowed = self.disk.world.has(Planted::WriteErrorSwallowed);
        let ts = self.disk.time();
        let mut state = self.disk.state();
        let record = state.sessions.get_mut(&self.id).ok_or(JournalError::Unknown(self.id))?;
        let seq = record.events.len() as u64 + 1;
        let event = Event { v: FORMAT, seq, ts, entry };
        match written {
            Ok(()) => record.events.push(event.clone()),
            Err(_) if swallowed => {}
            Err(err) => {
                record.failed = true;
                return Err(err);
            }
        }
        Ok(event)
    }

    async fn sync(&mut self) -> Result<(), JournalError> {
        self.refuse_after_failure()?;
        let synced = self.disk.write(Site::Sync, "events.jsonl").await;
        let world = &self.disk.world;
        let mut state = self.disk.state();
        let record = state.sessions.get_mut(&self.id).ok_or(JournalError::Unknown(self.id))?;
        match synced {
            Err(_) if world.has(Planted::SyncErrorSwallowed) => return Ok(()),
            Err(err) => {
                record.failed = true;
                return Err(err);
            }
            Ok(()) if world.has(Planted::NoSync) => {}
            Ok(()) => record.synced = record.events.len(),
        }
        Ok(())
    }

    async fn store_blob(
        &mut self,
        bytes: Bytes,
        media_type: &str,
    ) -> Result<BlobRef, JournalError> {
        self.disk.write(Site::Blob, "a picture").await?;
        // A name of its own for other bytes is all that is asked for here.
        let mut name = format!("{:016x}", bytes.len());
        name.extend(bytes.iter().take(24).map(|byte| format!("{byte:02x}")));
        let blob = BlobRef {
            sha256: format!("{name:0<64}"),
            bytes: bytes.len() as u64,
            media_type: media_type.to_owned(),
        };
        if !self.disk.world.has(Planted::PictureLost) {
            let mut state = self.disk.state();
            let record = state.sessions.get_mut(&self.id).ok_or(JournalError::Unknown(self.id))?;
            record.blobs.insert(blob.sha256.clone(), bytes);
        }
        Ok(blob)
    }

    fn size(&self) -> u64 {
        0
    }
}
