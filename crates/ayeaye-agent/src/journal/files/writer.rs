//! The record of one session, open for writing.
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use bytes::Bytes;

use super::blobs::{self, MAX_BLOB, StoredBlob};
use super::folder::{Folder, private_options, storage, sync_folder};
use super::line::{self, Chain};
use super::summary_cache;
use super::{Clock, SyncPolicy, blocking};
use crate::journal::{BlobRef, Event, Fact, JournalError, JournalWriter, RecordEntry};
use crate::private_files::{sync_data, sync_file};

/// Writes one session's record, as the module describes.
pub(super) struct FileWriter {
    folder: Folder,
    clock: Clock,
    sync: SyncPolicy,
    events: Arc<File>,
    chain: Chain,
    health: Health,
    /// Whether lines were written since the last sync.
    unsynced_lines: bool,
    /// Blobs that lines may name and that may not be on the disk yet, whoever wrote them.
    unsynced_blobs: Vec<PathBuf>,
    /// Folders that have new entries.
    unsynced_folders: Vec<PathBuf>,
    /// Blobs, and folders in `blobs`, that are known to be on the disk.
    synced: Recent,
    /// Bytes of the lines.
    lines: u64,
    /// Bytes of the blobs.
    blobs: u64,
    /// Counted here, for all sessions of a journal.
    syncs: Arc<AtomicU64>,
    /// Held as long as this lives.
    _lock: File,
}

impl FileWriter {
    /// A writer that continues a record at `chain`, with this many bytes of blobs. Holds `lock` until dropped.
    pub(super) fn new(
        folder: Folder,
        clock: Clock,
        sync: SyncPolicy,
        chain: Chain,
        blobs: u64,
        lock: File,
    ) -> Result<Self, JournalError> {
        let path = folder.events();
        let events = private_options()
            .append(true)
            .open(&path)
            .map_err(|err| folder.absent_or("open", &path, err))?;
        // Should somebody have removed the lock under a writer's hands, that one still has this. Not
        // on Windows, where it would keep readers away.
        if cfg!(unix) && matches!(events.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(JournalError::Busy(folder.id));
        }
        let lines = events.metadata().map_err(storage("read", &path))?.len();
        // Whoever made these may have died before they were on the disk.
        let above = folder.path.ancestors().take(3).filter(|path| !path.as_os_str().is_empty());
        let unsynced_folders = above.map(Path::to_owned).collect();
        Ok(Self {
            folder,
            clock,
            sync,
            events: Arc::new(events),
            chain,
            health: Health::default(),
            unsynced_lines: true,
            unsynced_blobs: Vec::new(),
            unsynced_folders,
            synced: Recent::default(),
            lines,
            blobs,
            syncs: Arc::default(),
            _lock: lock,
        })
    }

    /// Counts the writer's syncs in `syncs`.
    pub(super) fn counting(self, syncs: Arc<AtomicU64>) -> Self {
        Self { syncs, ..self }
    }

    /// Writes one line with one write. The page cache takes it in microseconds, so this does not
    /// leave the thread; `sync` does.
    pub(super) fn write(&mut self, entry: &RecordEntry) -> Result<Event, JournalError> {
        self.health.check()?;
        let path = self.folder.events();
        let line = line::encode(&self.chain, (self.clock)(), entry)
            .map_err(|why| storage("append", &path)(invalid(why)))?;
        let written = write_once(&self.events, &line.bytes);
        self.health.note(written.map_err(storage("append", &path)))?;
        self.chain = line.chain;
        self.lines += line.bytes.len() as u64;
        self.unsynced_lines = true;
        Ok(line.event)
    }

    /// What has to be put on the disk: blobs before the lines that name them.
    fn unsynced(&self) -> Unsynced {
        let mut folders: Vec<PathBuf> = Vec::new();
        for blob in &self.unsynced_blobs {
            for (nth, above) in blobs::folders_above(&self.folder, blob).enumerate() {
                // The innermost has a new entry for certain; the others only once.
                let known = nth != 0 && self.synced.contains(above);
                if !known && !folders.iter().any(|listed| listed == above) {
                    folders.push(above.to_owned());
                }
            }
        }
        folders.extend(self.unsynced_folders.iter().cloned());
        let events = self.unsynced_lines.then(|| Arc::clone(&self.events));
        let (lines, events_path) = (self.lines, self.folder.events());
        Unsynced { blobs: self.unsynced_blobs.clone(), folders, events, lines, events_path }
    }

    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn events_replaced_by(&mut self, file: File) {
        self.events = Arc::new(file);
    }
}

#[async_trait]
impl JournalWriter for FileWriter {
    async fn append(&mut self, entry: RecordEntry) -> Result<Event, JournalError> {
        let event = self.write(&entry)?;
        if self.sync == SyncPolicy::Always {
            self.sync().await?;
        }
        if let Fact::SessionEnd(_) = event.entry.fact {
            // From here on it is listed more often than it is written. Not a part of the record:
            // whether this works does not matter to whoever writes it.
            let folder = self.folder.clone();
            let summing =
                blocking("sum up", &self.folder.path, move || summary_cache::summary(&folder));
            if let Err(err) = summing.await {
                tracing::debug!(session = %self.folder.id, error = %err, "it was not summed up");
            }
        }
        Ok(event)
    }

    async fn sync(&mut self) -> Result<(), JournalError> {
        self.health.check()?;
        let job = self.unsynced();
        if self.sync == SyncPolicy::Never || job.is_empty() {
            return Ok(());
        }
        self.syncs.fetch_add(1, Ordering::Relaxed);
        let (job, health) = (Arc::new(job), self.health.clone());
        let done = Arc::clone(&job);
        // Whoever waits may be dropped, and the work goes on: so it notes its failure itself, and
        // nothing counts as synced before the wait is over.
        let work = move || health.note(job.sync());
        self.health.note(blocking("sync", &self.folder.path, work).await)?;
        self.unsynced_lines = false;
        self.unsynced_blobs.clear();
        self.unsynced_folders.clear();
        self.synced.add(done.blobs.iter().chain(&done.folders));
        Ok(())
    }

    async fn store_blob(
        &mut self,
        bytes: Bytes,
        media_type: &str,
    ) -> Result<BlobRef, JournalError> {
        self.health.check()?;
        if MAX_BLOB < bytes.len() as u64 {
            let why = format!("a blob has at most {MAX_BLOB} bytes");
            return Err(storage("write", &self.folder.blobs())(invalid(why)));
        }
        let (folder, media_type) = (self.folder.clone(), media_type.to_owned());
        let work = move || blobs::keep(&folder, &bytes, &media_type);
        // A failure leaves nothing half-written, and no line names the blob: the record is as good as it was, and where
        // a picture finds no room the end of the run may.
        let kept = blocking("write", &self.folder.blobs(), work).await;
        let StoredBlob { blob, path, new } = kept?;
        if new {
            self.blobs = self.blobs.saturating_add(blob.bytes);
        }
        // One that was there already may have been left by a process that died before its sync.
        let to_sync = self.sync != SyncPolicy::Never;
        if to_sync && !self.synced.contains(&path) && !self.unsynced_blobs.contains(&path) {
            self.unsynced_blobs.push(path);
        }
        if self.sync == SyncPolicy::Always {
            self.sync().await?;
        }
        Ok(blob)
    }

    fn size(&self) -> u64 {
        self.lines.saturating_add(self.blobs)
    }
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, chain, .. } = self;
        f.debug_struct("FileWriter")
            .field("folder", folder)
            .field("chain", chain)
            .finish_non_exhaustive()
    }
}

/// What was not on the disk when it was asked for.
struct Unsynced {
    blobs: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    events: Option<Arc<File>>,
    /// Bytes of what was written to it.
    lines: u64,
    events_path: PathBuf,
}

impl Unsynced {
    fn is_empty(&self) -> bool {
        self.blobs.is_empty() && self.folders.is_empty() && self.events.is_none()
    }

    fn sync(&self) -> Result<(), JournalError> {
        for blob in &self.blobs {
            sync_path(blob).map_err(storage("sync", blob))?;
        }
        for folder in &self.folders {
            sync_folder(folder).map_err(storage("sync", folder))?;
        }
        let Some(events) = &self.events else { return Ok(()) };
        sync_data(events).map_err(storage("sync", &self.events_path))?;
        // What is written to a file that is not the record any more is written for nobody.
        is_still_at(events, self.lines, &self.events_path)
            .map_err(storage("sync", &self.events_path))
    }
}

/// Fails where a file that is open, with so many bytes, is not the one at its path any more: it was removed, moved,
/// cut short, or another was put in its place.
fn is_still_at(file: &File, bytes: u64, path: &Path) -> io::Result<()> {
    let (open, at_path) = (file.metadata()?, fs::metadata(path)?);
    #[cfg(unix)]
    let is_other = {
        use std::os::unix::fs::MetadataExt as _;
        (open.dev(), open.ino()) != (at_path.dev(), at_path.ino())
    };
    // Windows lets nobody take away what is open here.
    #[cfg(not(unix))]
    let is_other = false;
    if is_other || open.len() < bytes || at_path.len() < bytes {
        let why = "somebody replaced, moved or cut it while it was written";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    Ok(())
}

/// Whether the record can still be trusted. A failed write may have left half a line, and a failed
/// sync may have dropped what it could not write: neither is tried again, and the next who opens the
/// session sees what is really there.
#[derive(Debug, Clone, Default)]
struct Health(Arc<OnceLock<(String, io::ErrorKind, String)>>);

impl Health {
    fn check(&self) -> Result<(), JournalError> {
        let Some((what, kind, text)) = self.0.get() else { return Ok(()) };
        let source =
            io::Error::new(*kind, format!("{text}; nothing is written to this record since then"));
        Err(JournalError::Storage { what: what.clone(), source })
    }

    fn note<T>(&self, result: Result<T, JournalError>) -> Result<T, JournalError> {
        if let Err(JournalError::Storage { what, source }) = &result {
            // The first failure is the one that counts.
            self.0.get_or_init(|| (what.clone(), source.kind(), source.to_string()));
        }
        result
    }
}

/// The last few thousand paths that were added, at least. One that was forgotten costs a sync too many.
#[derive(Debug, Default)]
struct Recent {
    new: HashSet<PathBuf>,
    old: HashSet<PathBuf>,
}

impl Recent {
    const MOST: usize = 2048;

    fn contains(&self, path: &Path) -> bool {
        self.new.contains(path) || self.old.contains(path)
    }

    fn add<'a>(&mut self, paths: impl Iterator<Item = &'a PathBuf>) {
        for path in paths {
            if self.new.len() == Self::MOST {
                self.old = std::mem::take(&mut self.new);
            }
            self.new.insert(path.clone());
        }
    }
}

/// One write: a line is in the file as a whole, or its record is given up.
fn write_once(mut file: &File, line: &[u8]) -> io::Result<()> {
    loop {
        return match file.write(line) {
            Ok(written) if written == line.len() => Ok(()),
            Ok(written) => Err(io::Error::new(
                io::ErrorKind::WriteZero,
                format!("only {written} of {} bytes were written", line.len()),
            )),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue, // nothing was written
            Err(err) => Err(err),
        };
    }
}

/// Windows syncs only what could have been written; elsewhere a blob may only be read.
fn sync_path(path: &Path) -> io::Result<()> {
    sync_file(&fs::File::options().read(true).write(cfg!(windows)).open(path)?)
}

fn invalid(why: impl fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why.to_string())
}
