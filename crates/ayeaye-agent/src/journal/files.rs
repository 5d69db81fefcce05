//! The journal in files: one folder a session, one line an event.
//!
//! Start at [`FileJournal`]. A line is made and read in `line`, a whole record in `scan`; `record`
//! writes, `folder` knows the names.
mod answer;
mod blobs;
mod claim;
mod folder;
mod line;
mod record;
mod scan;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};

use self::folder::{Folder, private_file, private_folder, storage, sync_folder};
use self::line::Chain;
use self::record::FileRecord;
use self::scan::{End, Scanned, scan};
use super::{BlobRef, Claim, Entry, Event, Fact, Journal, JournalError, Record};
use crate::{DeviceId, SessionId};

/// The time of day, as it is handed in.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// When what was written is put on the disk, and not only in the system's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncWhen {
    /// After every event and blob.
    Always,
    /// When [`Record::sync`] says so: before the phone is touched and after what cost money.
    Step,
    /// Left to the system. A crash of the machine may lose the end of a session; a crash of this
    /// process never does.
    Never,
}

/// Looking whether a lock is held takes the lock for a moment; whoever finds it taken tries again
/// after this time.
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);

/// All sessions below one folder.
///
/// A fact of more than 4 MiB, or one that would not read back as it is, is refused with
/// [`JournalError::Storage`]; nothing of it is written, and the record goes on.
#[derive(Clone)]
pub struct FileJournal {
    sessions: PathBuf,
    /// Locks, one a phone.
    devices: PathBuf,
    clock: Clock,
    when: SyncWhen,
}

/// What a session's record turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Good records in front.
    pub records: u64,
    /// The first one that is not good.
    pub bad: Option<BadRecord>,
}

/// Where and why a record stops being good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecord {
    /// Its number, from 1.
    pub seq: u64,
    /// Where it begins in `events.jsonl`, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
    /// Nothing whole follows: a write was cut short, and the next writer cuts it off.
    pub torn: bool,
}

impl FileJournal {
    /// The sessions in `data`, which need not exist yet.
    pub fn new(data: &Path, clock: Clock, when: SyncWhen) -> Self {
        Self { sessions: data.join("sessions"), devices: data.join("devices"), clock, when }
    }

    /// Checks every record of a session, without a lock and without mending.
    pub async fn verify(&self, id: &SessionId) -> Result<Verdict, JournalError> {
        self.at(id, "read", |folder| Ok(verdict(&scan_file(&folder, |_| {})?))).await
    }

    /// As much of a session as is good, damaged or not, and where it stops being so.
    pub async fn salvage(&self, id: &SessionId) -> Result<(Vec<Event>, Verdict), JournalError> {
        self.at(id, "read", |folder| {
            let (events, scanned) = read_all(&folder)?;
            Ok((events, verdict(&scanned)))
        })
        .await
    }

    async fn try_open(
        &self,
        id: &SessionId,
    ) -> Result<(Vec<Event>, Box<dyn Record>), JournalError> {
        let Self { clock, when, .. } = self.clone();
        let opened = self.at(id, "open", move |folder| {
            folder.must_exist()?;
            let lock = folder.lock()?;
            let (mut events, scanned) = read_all(&folder)?;
            if let Some(refusal) = refusal(folder.id, &scanned) {
                return Err(refusal);
            }
            let End::Torn { bytes } = scanned.end else {
                return Ok((events, FileRecord::new(folder, clock, when, scanned.chain, lock)?));
            };
            let aside = cut(&folder, scanned.good_bytes, clock(), when)?;
            let mut record = FileRecord::new(folder, clock, when, scanned.chain, lock)?;
            events.push(record.write(&recovered(bytes, &aside))?);
            Ok((events, record))
        });
        let (events, record) = opened.await?;
        Ok((events, Box::new(record)))
    }

    fn folder(&self, id: &SessionId) -> Folder {
        Folder { id: *id, path: self.sessions.join(id.to_string()) }
    }

    /// Does file work for a session away from the threads that must not wait.
    async fn at<T: Send + 'static>(
        &self,
        id: &SessionId,
        doing: &'static str,
        work: impl FnOnce(Folder) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let folder = self.folder(id);
        let path = folder.path.clone();
        blocking(doing, &path, move || work(folder)).await
    }
}

#[async_trait]
impl Journal for FileJournal {
    async fn create(&self, id: &SessionId) -> Result<Box<dyn Record>, JournalError> {
        let Self { sessions, clock, when, .. } = self.clone();
        let record = self.at(id, "make", move |folder| {
            private_folder(&sessions, true).map_err(storage("make", &sessions))?;
            private_folder(&folder.path, false).map_err(storage("make", &folder.path))?;
            let lock = folder.lock()?;
            let path = folder.events();
            private_file(OpenOptions::new().append(true).create_new(true), &path)
                .map_err(storage("make", &path))?;
            FileRecord::new(folder, clock, when, Chain::start(), lock)
        });
        Ok(Box::new(record.await?))
    }

    async fn open(&self, id: &SessionId) -> Result<(Vec<Event>, Box<dyn Record>), JournalError> {
        match self.try_open(id).await {
            // Somebody may only have looked whether it is driven.
            Err(JournalError::Busy(_)) => {
                tokio::time::sleep(LOOK).await;
                self.try_open(id).await
            }
            other => other,
        }
    }

    async fn read(&self, id: &SessionId) -> Result<Vec<Event>, JournalError> {
        self.at(id, "read", |folder| {
            let (events, scanned) = read_all(&folder)?;
            let Some(_) = refusal(folder.id, &scanned) else { return Ok(events) };
            // A writer that cut off a torn tail and went on while we read looks like damage, once.
            let (events, scanned) = read_all(&folder)?;
            refusal(folder.id, &scanned).map_or(Ok(events), Err)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        let sessions = self.sessions.clone();
        blocking("list", &self.sessions, move || {
            list(&sessions).map_err(storage("list", &sessions))
        })
        .await
    }

    async fn blob(&self, id: &SessionId, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let blob = blob.clone();
        self.at(id, "read", move |folder| blobs::load(&folder, &blob)).await
    }

    async fn driven(&self, id: &SessionId) -> Result<bool, JournalError> {
        self.at(id, "look for", |folder| {
            folder.must_exist()?;
            match folder.lock() {
                Ok(_) => Ok(false),
                Err(JournalError::Busy(_)) => Ok(true),
                Err(err) => Err(err),
            }
        })
        .await
    }

    async fn claim(&self, device: &DeviceId, session: &SessionId) -> Result<Claim, JournalError> {
        let (folder, device, session) = (self.devices.clone(), device.clone(), *session);
        let once = || {
            let (folder, device) = (folder.clone(), device.clone());
            blocking("lock", &self.devices, move || claim::claim(&folder, &device, session))
        };
        match once().await? {
            // Somebody may only have looked who drives it.
            Claim::Taken(_) => {
                tokio::time::sleep(LOOK).await;
                once().await
            }
            yours @ Claim::Yours(_) => Ok(yours),
        }
    }

    async fn claimant(&self, device: &DeviceId) -> Result<Option<SessionId>, JournalError> {
        let (folder, device) = (self.devices.clone(), device.clone());
        blocking("look for", &self.devices, move || Ok(claim::claimant(&folder, &device))).await
    }

    async fn leave_answer(&self, id: &SessionId, text: &str) -> Result<(), JournalError> {
        let text = text.to_owned();
        self.at(id, "write", move |folder| answer::leave(&folder, &text)).await
    }

    async fn take_answer(&self, id: &SessionId) -> Result<Option<String>, JournalError> {
        self.at(id, "read", |folder| answer::take(&folder)).await
    }

    async fn remove(&self, id: &SessionId) -> Result<(), JournalError> {
        let trash = self.sessions.join(format!(".trash-{id}"));
        self.at(id, "remove", move |folder| {
            folder.must_exist()?;
            let lock = folder.lock()?;
            // Windows does not move a folder in which a file is open.
            let lock = (!cfg!(windows)).then_some(lock);
            // It is gone at once, and a crash in between leaves nothing that looks like a session.
            fs::rename(&folder.path, &trash).map_err(storage("remove", &folder.path))?;
            drop(lock);
            fs::remove_dir_all(&trash).map_err(storage("remove", &trash))
        })
        .await
    }
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, devices: _, clock: _, when } = self;
        f.debug_struct("FileJournal").field("sessions", sessions).field("when", when).finish()
    }
}

/// Runs file work where it may take its time.
async fn blocking<T: Send + 'static>(
    doing: &str,
    path: &Path,
    work: impl FnOnce() -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(err) => Err(storage(doing, path)(io::Error::other(err))),
    }
}

fn scan_file(folder: &Folder, each: impl FnMut(Event)) -> Result<Scanned, JournalError> {
    let path = folder.events();
    let file = File::open(&path).map_err(|err| folder.absent_or("read", &path, err))?;
    scan(BufReader::with_capacity(256 << 10, file), each).map_err(storage("read", &path))
}

fn read_all(folder: &Folder) -> Result<(Vec<Event>, Scanned), JournalError> {
    let mut events = Vec::new();
    let scanned = scan_file(folder, |event| events.push(event))?;
    Ok((events, scanned))
}

fn verdict(scanned: &Scanned) -> Verdict {
    let seq = scanned.chain.seq;
    let (what, torn) = match &scanned.end {
        End::Clean => return Verdict { records: seq - 1, bad: None },
        End::Torn { bytes } => (format!("the last {bytes} bytes are not a whole record"), true),
        End::Damaged { what } => (what.clone(), false),
        End::TooNew { found } => (format!("it has format {found}"), false),
    };
    let bad = BadRecord { seq, offset: scanned.good_bytes, what, torn };
    Verdict { records: seq - 1, bad: Some(bad) }
}

/// Why a record is not read as if nothing were wrong with it.
fn refusal(id: SessionId, scanned: &Scanned) -> Option<JournalError> {
    match &scanned.end {
        End::Clean | End::Torn { .. } => None,
        End::TooNew { found } => Some(JournalError::TooNew { id, found: *found }),
        End::Damaged { what } => {
            Some(JournalError::Damaged { id, seq: scanned.chain.seq, what: what.clone() })
        }
    }
}

/// Cuts off what follows the good lines, and puts it aside under the name it returns: it may hold
/// what a person wants to see, and nothing is thrown away unasked.
fn cut(
    folder: &Folder,
    good_bytes: u64,
    now: Timestamp,
    when: SyncWhen,
) -> Result<String, JournalError> {
    // Longer than any write of ours: the rest is what a failing disk made up.
    const MOST: u64 = 2 * line::MAX_LINE as u64;
    let path = folder.events();
    let name = format!("events.jsonl.torn-{}", now.strftime("%Y%m%dT%H%M%S.%6fZ"));
    let aside = folder.path.join(&name);
    let copied = || -> io::Result<()> {
        let mut from = File::open(&path)?;
        from.seek(SeekFrom::Start(good_bytes))?;
        // Of two crashes in one microsecond the later tail is kept.
        let options = &mut OpenOptions::new();
        let mut to = private_file(options.write(true).create(true).truncate(true), &aside)?;
        io::copy(&mut from.take(MOST), &mut to)?;
        if when == SyncWhen::Never {
            return Ok(());
        }
        to.sync_all()?;
        sync_folder(&folder.path)
    };
    copied().map_err(storage("write", &aside))?;
    // Not the handle for appending: Windows lets that one only append.
    let events = OpenOptions::new().write(true).open(&path);
    events.and_then(|file| file.set_len(good_bytes)).map_err(storage("cut", &path))?;
    Ok(name)
}

fn recovered(bytes: u64, aside: &str) -> Entry {
    let figures: Map<String, Value> =
        [("dropped_bytes".to_owned(), bytes.into()), ("aside".to_owned(), aside.into())]
            .into_iter()
            .collect();
    let text = format!("The last write was cut short: {bytes} bytes were moved to {aside}.");
    let fact = Fact::Note { kind: "recovered".to_owned(), text, figures };
    Entry { round: None, step: None, agent: None, fact }
}

/// Names of the form we give, with a record in them; the newest first, since they begin with the time.
fn list(sessions: &Path) -> io::Result<Vec<SessionId>> {
    let entries = match fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(err),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let id = entry.file_name().to_str().and_then(|name| name.parse::<SessionId>().ok());
        if let Some(id) = id
            && entry.path().join("events.jsonl").is_file()
        {
            found.push(id);
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}
