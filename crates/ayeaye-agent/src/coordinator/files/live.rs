//! Which runs are alive: each holds the lock of a file of its own.
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::wakeups::Wakeups;
use super::{names, storage};
use crate::SessionId;
use crate::coordinator::table::RunTable;
use crate::coordinator::{CoordinatorError, RunEntry};
use crate::private_files::{is_locked, open_private_file, private_options, remove_file, try_lock};

const LIVE: &str = ".live";

fn path(runs: &Path, epoch: u64) -> PathBuf {
    runs.join(format!("{epoch}{LIVE}"))
}

/// The lock of a registered run.
#[derive(Debug)]
pub(super) struct LiveFile {
    /// `None` once it is given back.
    file: Option<File>,
    path: PathBuf,
    session: SessionId,
    wakeups: Arc<Wakeups>,
}

impl LiveFile {
    /// Before the table names the run, so that nobody takes it for dead. Its epoch is nobody else's.
    pub(super) fn create(
        runs: &Path,
        run: &RunEntry,
        wakeups: Arc<Wakeups>,
    ) -> Result<Self, CoordinatorError> {
        let path = path(runs, run.epoch);
        let file = open_private_file(&path, private_options().read(true).write(true))
            .map_err(storage("make", &path))?;
        match try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(storage("lock", &path)(io::ErrorKind::WouldBlock.into()));
            }
            Err(TryLockError::Error(err)) => return Err(storage("lock", &path)(err)),
        }
        Ok(Self { file: Some(file), path, session: run.session, wakeups })
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        // What is left is removed by the next server that registers a run.
        fs::remove_file(&self.path).ok();
        self.file = None;
        self.wakeups.wake(self.session);
    }
}

/// Whether the process lives that this file is of. What is no file, such as a pipe or a link, no run has made: what a
/// link names may be the file of another run.
fn is_alive(path: &Path) -> Result<bool, CoordinatorError> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => Ok(false),
        _ => is_locked(path).map_err(storage("look at", path)),
    }
}

/// Those of the runs whose process lives.
pub(super) fn only_alive(
    runs: &Path,
    entries: Vec<RunEntry>,
) -> Result<Vec<RunEntry>, CoordinatorError> {
    let mut alive = Vec::with_capacity(entries.len());
    for entry in entries {
        let path = path(runs, entry.epoch);
        if is_alive(&path)? {
            alive.push(entry);
        }
    }
    Ok(alive)
}

/// The epochs of all runs that have a file, and whether the process of each lives. For whoever cannot ask the table.
pub(super) fn registered(runs: &Path) -> Result<Vec<(u64, bool)>, CoordinatorError> {
    let names = names(runs).map_err(storage("list", runs))?;
    let alive = |epoch: u64| {
        let path = path(runs, epoch);
        Ok((epoch, is_alive(&path)?))
    };
    names.iter().filter_map(|name| epoch(name)).map(alive).collect()
}

/// From the name of a run's file.
fn epoch(name: &str) -> Option<u64> {
    name.strip_suffix(LIVE)?.parse().ok()
}

/// Removes what dead processes left. What resists is left for the next time.
pub(super) fn sweep(runs: &Path, table: &RunTable) {
    for name in names(runs).unwrap_or_default() {
        let is_known = |epoch: u64| table.runs.iter().any(|run| run.epoch == epoch);
        let is_left = epoch(&name).is_some_and(|epoch| !is_known(epoch)) || name.contains(".temp-");
        if is_left && let Err(err) = remove_file(&runs.join(&name)) {
            tracing::debug!(name, "a file of a process that is gone is still there: {err}");
        }
    }
}
