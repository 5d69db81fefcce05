//! The mark that a session's logs may be behind its record, and the right to write them.
//!
//! `<data>/projecting/<session_id>` is a small file that stays as long as the session. Whoever writes
//! the logs holds its lock; it is empty when they are complete. Only its length says so: to lengthen a file takes no
//! room on the disk, and none may be left when a session is to be removed.
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ayeaye_agent::SessionId;
use ayeaye_agent::private_files::{open_private_file, private_options};

use crate::folder::create_private_dir;

/// A mark whose lock is held until this is dropped.
#[derive(Debug)]
pub(super) struct PendingMarker {
    pub(super) path: PathBuf,
    file: File,
}

impl PendingMarker {
    /// Notes that the logs are behind, whoever may be writing them.
    pub(super) async fn set_pending(data: &Path, id: SessionId) -> io::Result<()> {
        let folder = marker_dir(data);
        blocking(move || {
            create_private_dir(&folder, true).map_err(io::Error::other)?;
            open(&folder.join(id.to_string()))?.set_len(BEHIND)
        })
        .await
    }

    /// Takes the lock; nothing when somebody else has it.
    pub(super) async fn lock(data: &Path, id: SessionId) -> io::Result<Option<Self>> {
        let folder = marker_dir(data);
        blocking(move || {
            create_private_dir(&folder, true).map_err(io::Error::other)?;
            let path = folder.join(id.to_string());
            let file = open(&path)?;
            match file.try_lock() {
                Ok(()) if path.exists() => Ok(Some(Self { path, file })),
                // Its session was removed at this very moment.
                Ok(()) | Err(fs::TryLockError::WouldBlock) => Ok(None),
                Err(fs::TryLockError::Error(err)) => Err(err),
            }
        })
        .await
    }

    /// Whether a session has a mark, whatever it says. If that cannot be told it may.
    pub(super) async fn exists(data: &Path, id: SessionId) -> bool {
        let path = marker_dir(data).join(id.to_string());
        let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        let found = blocking(move || fs::symlink_metadata(path)).await;
        found.map_or_else(|err| !absent.contains(&err.kind()), |_| true)
    }

    /// Sessions whose logs are behind.
    pub(super) async fn sessions_behind(data: &Path) -> Vec<SessionId> {
        let folder = marker_dir(data);
        let found = blocking(move || {
            let mut ids = Vec::new();
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
                if let (Some(id), 1..) = (id, entry.metadata()?.len()) {
                    ids.push(id);
                }
            }
            ids.sort_unstable();
            Ok(ids)
        });
        match found.await {
            Ok(ids) => ids,
            Err(err) if err.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(err) => {
                tracing::warn!("logs that are behind cannot be looked for: {err}");
                Vec::new()
            }
        }
    }

    /// Whether the logs are behind. If that cannot be told they may be.
    pub(super) fn is_pending(&self) -> bool {
        self.file.metadata().map_or(true, |found| found.len() != 0)
    }

    /// Says whether they are.
    pub(super) fn set(&self, behind: bool) -> io::Result<()> {
        self.file.set_len(if behind { BEHIND } else { 0 })
    }

    /// Removes the mark: there is no such session any more.
    pub(super) fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// Bytes of a mark that says so. Any but none would do.
const BEHIND: u64 = 7;

fn marker_dir(data: &Path) -> PathBuf {
    data.join("projecting")
}

/// Not for appending: Windows does not let such a handle change the length.
fn open(path: &Path) -> io::Result<File> {
    open_private_file(path, private_options().write(true))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    // Boxed: a task is compiled once for what it returns, and not once for each closure.
    let work: Box<dyn FnOnce() -> io::Result<T> + Send> = Box::new(work);
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
