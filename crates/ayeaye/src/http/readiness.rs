//! `/readyz`: whether tasks are accepted, for load balancers.
//!
//! It needs no token, so it reveals no path and no number, and checks the disk at most once a second.
use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::hint;

/// How long a result is reused.
const FRESH: Duration = Duration::from_secs(1);

/// Why no task would be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotReady {
    #[error("shutting down")]
    ShuttingDown,
    #[error("the data folder cannot be written")]
    ReadOnly,
    #[error("the file system of the data folder has no locks")]
    NoLocks,
    #[error("the disk is too full for a new session (journal.min-free)")]
    Full,
}

#[derive(Debug)]
pub(super) struct Readiness {
    data_dir: PathBuf,
    /// Bytes that must be free for a new session.
    floor: u64,
    stop: CancellationToken,
    found: Mutex<Option<(Instant, Result<(), NotReady>)>>,
}

impl Readiness {
    pub(super) fn new(data_dir: PathBuf, floor: u64, stop: CancellationToken) -> Self {
        Self { data_dir, floor, stop, found: Mutex::default() }
    }

    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if self.stop.is_cancelled() {
            return Err(NotReady::ShuttingDown);
        }
        let mut found = self.found.lock().await;
        if let Some((when, result)) = *found
            && when.elapsed() < FRESH
        {
            return result;
        }
        let (data_dir, floor) = (self.data_dir.clone(), self.floor);
        let looked = tokio::task::spawn_blocking(move || look(&data_dir, floor)).await;
        let result = looked.unwrap_or(Err(NotReady::ReadOnly));
        *found = Some((Instant::now(), result));
        result
    }
}

/// Says at the start, in the log, where no task would be accepted: over stdio, or where nobody asks for `/readyz`, nothing
/// else tells it before one fails.
pub(crate) fn warn_unless_ready(data_dir: &Path, floor: u64) {
    // The first server there makes it.
    let written = ayeaye_agent::private_files::private_folder(data_dir, true)
        .and_then(|()| try_to_write(data_dir));
    let why = written.as_ref().err().map(|err| format!(" ({err})")).unwrap_or_default();
    if let Err(not_ready) = judge(written, data_dir, floor) {
        let folder = data_dir.display();
        tracing::warn!(
            "every task will fail: {not_ready}: {folder}{why}; `ayeaye doctor` says what to do"
        );
    }
}

fn look(data_dir: &Path, floor: u64) -> Result<(), NotReady> {
    let result = try_to_write(data_dir);
    if let Err(err) = &result
        && err.kind() != std::io::ErrorKind::StorageFull
    {
        tracing::warn!("the data folder {} cannot be used: {err}", data_dir.display());
    }
    judge(result, data_dir, floor)
}

/// Writes a file in the data folder, locks it as runs lock theirs, and removes it.
pub(crate) fn try_to_write(data_dir: &Path) -> std::io::Result<()> {
    write_and_lock(data_dir, File::try_lock)
}

fn write_and_lock(
    data_dir: &Path,
    lock: impl FnOnce(&File) -> Result<(), TryLockError>,
) -> std::io::Result<()> {
    // A name of its own: another server that looks at the same moment would remove it.
    let mut file = tempfile::Builder::new().prefix(".ready-").tempfile_in(data_dir)?;
    file.write_all(b"ready\n")?;
    lock(file.as_file())?;
    file.close()
}

fn judge(written: std::io::Result<()>, data_dir: &Path, floor: u64) -> Result<(), NotReady> {
    match written {
        Ok(()) => {}
        Err(err) if err.kind() == std::io::ErrorKind::StorageFull => return Err(NotReady::Full),
        Err(err) if hint::is_without_locks(&err) => return Err(NotReady::NoLocks),
        Err(_) => return Err(NotReady::ReadOnly),
    }
    match free_space(data_dir) {
        Some(free) if free < floor => Err(NotReady::Full),
        _ => Ok(()),
    }
}

/// The bytes that are free for this folder; `None` where the system does not say.
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    let found = fs4::statvfs(folder).ok()?;
    // Some network and memory file systems have no size and report 0 for everything.
    (found.total_space() != 0).then(|| found.available_space())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_reason_is_said() {
        let home = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        let ready = |path: &Path, floor| Readiness::new(path.to_owned(), floor, stop.clone());
        assert_eq!(ready(home.path(), 0).check().await, Ok(()));
        assert_eq!(ready(home.path(), u64::MAX).check().await, Err(NotReady::Full));
        let changing = ready(&home.path().join("later"), 0);
        assert_eq!(changing.check().await, Err(NotReady::ReadOnly));
        std::fs::create_dir(home.path().join("later")).unwrap();
        assert_eq!(changing.check().await, Err(NotReady::ReadOnly), "kept for a second");
        tokio::time::advance(FRESH).await;
        assert_eq!(changing.check().await, Ok(()));
        stop.cancel();
        assert_eq!(changing.check().await, Err(NotReady::ShuttingDown));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "nothing stays behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_system_without_locks_is_not_ready() {
        let home = tempfile::tempdir().unwrap();
        let none = |_: &File| Err(TryLockError::Error(rustix::io::Errno::NOLCK.into()));
        let written = write_and_lock(home.path(), none);
        assert_eq!(judge(written, home.path(), 0), Err(NotReady::NoLocks));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing stays behind");
        for (no, reason) in [
            (rustix::io::Errno::NOLCK, NotReady::NoLocks),
            (rustix::io::Errno::OPNOTSUPP, NotReady::NoLocks),
            (rustix::io::Errno::ACCESS, NotReady::ReadOnly),
        ] {
            assert_eq!(judge(Err(no.into()), Path::new("/"), 0), Err(reason), "{no}");
        }
    }
}
