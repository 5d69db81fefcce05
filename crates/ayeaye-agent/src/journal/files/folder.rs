//! The folder of a session.
//!
//! ```text
//! <data>/sessions/<session_id>/      0700
//!   events.jsonl                     0600, append-only; the only truth
//!   events.jsonl.torn-<time>         what a crash left behind the last whole line
//!   blobs/<aa>/<sha256>.<ext>        0400, written once
//!   lock                             held by the one writer
//!   inbox/                           messages that nobody has taken: the coordinator's
//!   session.json                     a summary; may be deleted, is made anew
//! ```
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::SessionId;
use crate::journal::JournalError;
pub(super) use crate::private_files::{
    is_locked, make_private_file, open_private_file, private_folder, private_options, sync_folder,
    try_lock, write_whole,
};

/// The folder of a session. It need not exist.
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

    /// The file whose lock the session's only writer holds.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.path.join("lock")
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

    /// Makes this process the session's only writer, until the file is closed.
    pub(super) fn lock(&self) -> Result<File, JournalError> {
        let path = self.lock_path();
        let file = open_private_file(&path, private_options().read(true).write(true))
            .map_err(|err| self.absent_or("open", &path, err))?;
        match try_lock(&file) {
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
