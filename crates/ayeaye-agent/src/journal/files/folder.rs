//! The folder of a session, and the few things done to files that the standard library leaves to us.
//!
//! ```text
//! <data>/sessions/<session_id>/      0700
//!   events.jsonl                     0600, append-only; the only truth
//!   events.jsonl.torn-<time>         what a crash left behind the last whole line
//!   blobs/<aa>/<sha256>.<ext>        written once
//!   lock                             held by the one writer
//!   answer                           an operator's words for the writer
//!   session.json                     a summary; may be deleted, is made anew
//! ```
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::SessionId;
use crate::journal::JournalError;

/// Where a session is kept. It need not exist.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) id: SessionId,
    pub(super) path: PathBuf,
}

impl Folder {
    pub(super) fn events(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    pub(super) fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    pub(super) fn answer(&self) -> PathBuf {
        self.path.join("answer")
    }

    pub(super) fn cache(&self) -> PathBuf {
        self.path.join("session.json")
    }

    /// Length of all blobs. None may have been kept yet.
    pub(super) fn blob_bytes(&self) -> io::Result<u64> {
        let mut sum = 0;
        for shelf in entries(&self.blobs())? {
            for blob in entries(&shelf.path())? {
                // A file may go while this looks: a writer puts it beside its place, then moves it.
                sum += blob.metadata().map_or(0, |found| found.len());
            }
        }
        Ok(sum)
    }

    /// Fails when there is no such session.
    pub(super) fn must_exist(&self) -> Result<(), JournalError> {
        match fs::metadata(self.events()) {
            Ok(_) => Ok(()),
            Err(err) => Err(self.absent_or("look for", &self.events(), err)),
        }
    }

    /// Makes this process the one writer, until the file is closed.
    pub(super) fn lock(&self) -> Result<File, JournalError> {
        let path = self.path.join("lock");
        let file = private_file(OpenOptions::new().write(true).create(true), &path)
            .map_err(|err| self.absent_or("open", &path, err))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(JournalError::Busy(self.id)),
            Err(fs::TryLockError::Error(err)) => Err(storage("lock", &path)(err)),
        }
    }

    /// A missing file means that there is no such session.
    pub(super) fn absent_or(&self, doing: &str, path: &Path, err: io::Error) -> JournalError {
        if err.kind() == io::ErrorKind::NotFound {
            return JournalError::Unknown(self.id);
        }
        storage(doing, path)(err)
    }
}

/// What is in a folder; nothing when it is not there, or is none.
fn entries(path: &Path) -> io::Result<Vec<DirEntry>> {
    match fs::read_dir(path) {
        Ok(entries) => entries.collect(),
        Err(err)
            if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        Err(err) => Err(err),
    }
}

/// For `map_err`: names the file and what was to be done with it.
pub(super) fn storage(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    let what = format!("{} ({doing})", path.display());
    move |source| JournalError::Storage { what, source }
}

/// Opens a file that only its owner may read, if it has to be made.
pub(super) fn private_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Makes a folder that only its owner may enter. One that is there already is an error, unless its
/// parents may be made too.
pub(super) fn private_folder(path: &Path, with_parents: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(with_parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Puts the names in a folder on the disk. Systems other than Unix have no such call, and need none.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// A name beside `path` that no other writer uses.
pub(super) fn beside(path: &Path, why: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{why}-{}-{count}", process::id()));
    path.with_file_name(name)
}

/// A file that is complete or not there: written beside its place, then moved.
pub(super) fn write_whole(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let temp = beside(path, "temp");
    let written = fill(&temp, bytes, sync).and_then(|()| fs::rename(&temp, path));
    if written.is_err() {
        // The first error is the one to report; this one could only repeat it.
        fs::remove_file(&temp).ok();
    }
    written
}

fn fill(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let mut file = private_file(OpenOptions::new().write(true).create_new(true), path)?;
    io::Write::write_all(&mut file, bytes)?;
    if sync { file.sync_all() } else { Ok(()) }
}
