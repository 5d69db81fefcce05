//! The HTTP servers that run over a data folder, noted in it so that a command can find one.
//!
//! Beside a note is a file that its server keeps locked: a lock ends with its process, however that ends, so a note
//! without one is stale, and one with a lock tells where that very process listens. Whoever hands a token to
//! that address hands it to nobody else. The note itself is not locked, since Windows lets nobody read what another
//! process has locked. Each server has a note of its own, whose name is the time at which it began: where the newest
//! has ended, the one before it is found.
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ayeaye_agent::bounded_file::open_file;
use ayeaye_agent::private_files::{
    make_private_file, private_folder, private_options, remove_file,
};

use crate::clock;

/// The beginning of its name in the data folder.
const FILE: &str = "http-server.";
/// The end of the name of the file that is locked, which begins like that of the note.
const LOCK: &str = ".lock";
/// The longest note, in bytes.
const LONGEST: u64 = 4096;
/// A server that has left its note empty for so long was killed before it could write it.
const BEGINNING: Duration = Duration::from_mins(1);

/// The note of this process, until it is dropped.
#[derive(Debug)]
pub struct RunningServer {
    path: PathBuf,
    /// Keeps the lock.
    _lock: File,
}

impl RunningServer {
    /// Notes that this process serves the page at this URL: the newest server of a folder is the one that is found.
    pub fn note(data_dir: &Path, url: &str) -> io::Result<Self> {
        private_folder(data_dir, true)?;
        for stale in noted(data_dir)?.into_iter().filter(|it| it.state() == ServerState::Died) {
            remove(&stale.path);
        }
        let began = now();
        let path = data_dir.join(format!("{FILE}{began}"));
        // Nobody tries the lock of an empty note: there is nothing to learn from it yet.
        let mut note = make_private_file(&path, private_options().write(true))?;
        let noted = lock(&path).and_then(|lock| {
            note.write_all(format!("{url}\n").as_bytes())?;
            Ok(lock)
        });
        match noted {
            Ok(lock) => Ok(Self { path, _lock: lock }),
            Err(err) => {
                remove(&path);
                Err(err)
            }
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Makes the file beside a note, locked.
fn lock(note: &Path) -> io::Result<File> {
    let lock = make_private_file(&beside(note), private_options().write(true))?;
    lock.try_lock().map_err(|err| match err {
        TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
        TryLockError::Error(err) => err,
    })?;
    Ok(lock)
}

/// The file beside a note that its server keeps locked.
fn beside(note: &Path) -> PathBuf {
    let mut path = note.as_os_str().to_owned();
    path.push(LOCK);
    path.into()
}

/// The URL of the page of the newest server that runs over this folder; `None` when there is none, or none that can
/// be told from one that has died.
pub fn find(data_dir: &Path) -> Option<String> {
    let notes = noted(data_dir).unwrap_or_default();
    notes.into_iter().rev().find_map(|note| match note.state() {
        ServerState::Runs(url) => Some(url),
        ServerState::Died | ServerState::NotTold => None,
    })
}

/// A note in the data folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Note {
    /// When its server began.
    began: u64,
    path: PathBuf,
}

/// What became of the server of a note.
#[derive(Debug, PartialEq, Eq)]
enum ServerState {
    /// It runs, with its page at this URL.
    Runs(String),
    /// It died without removing its note.
    Died,
    /// It has just begun, or neither its note nor its lock can be told from here.
    NotTold,
}

impl Note {
    fn state(&self) -> ServerState {
        let Ok(mut file) = open_file(&self.path) else { return ServerState::NotTold };
        let mut text = String::new();
        match Read::by_ref(&mut file).take(LONGEST).read_to_string(&mut text) {
            Ok(0) if BEGINNING.as_nanos() < now().saturating_sub(self.began).into() => {
                return ServerState::Died;
            }
            Ok(0) | Err(_) => return ServerState::NotTold,
            Ok(_) => {}
        }
        // A server of a version before locks its note itself.
        let lock = match open_file(&beside(&self.path)) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(file),
            lock => lock,
        };
        match lock.map_err(TryLockError::Error).and_then(|lock| lock.try_lock_shared()) {
            Err(TryLockError::WouldBlock) => ServerState::Runs(text.trim_end().to_owned()),
            Ok(()) => ServerState::Died,
            Err(TryLockError::Error(err)) => {
                tracing::debug!("{}: {err}", self.path.display());
                ServerState::NotTold
            }
        }
    }
}

/// All notes, those of the newest servers last.
fn noted(data_dir: &Path) -> io::Result<Vec<Note>> {
    let mut notes = Vec::new();
    for entry in std::fs::read_dir(data_dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let began = name.to_str().and_then(|name| name.strip_prefix(FILE)?.parse().ok());
        notes.extend(began.map(|began| Note { began, path: entry.path() }));
    }
    notes.sort_unstable();
    Ok(notes)
}

/// In nanoseconds since 1970, as in the names of notes.
fn now() -> u64 {
    clock::system()().as_nanosecond().try_into().unwrap_or_default()
}

/// Removes a note and what is beside it. The lock goes first: one without a note would never be found again.
fn remove(note: &Path) {
    for path in [beside(note), note.to_owned()] {
        match remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                tracing::debug!("{} stays: {err}", path.display());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_while_it_runs_and_the_newest_of_several() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        assert_eq!(find(&data), None);
        let first = RunningServer::note(&data, "http://127.0.0.1:1/").unwrap();
        assert_eq!(find(&data).as_deref(), Some("http://127.0.0.1:1/"));
        let second = RunningServer::note(&data, "http://127.0.0.1:2/").unwrap();
        drop(first);
        assert_eq!(find(&data).as_deref(), Some("http://127.0.0.1:2/"));
        drop(second);
        assert_eq!(find(&data), None);
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0);
    }

    #[test]
    fn an_older_server_is_found_again_once_the_newer_one_has_ended() {
        let home = tempfile::tempdir().unwrap();
        let notes = [1, 2, 3].map(|port| format!("http://127.0.0.1:{port}/"));
        let [first, second, third] =
            [0, 1, 2].map(|at: usize| RunningServer::note(home.path(), &notes[at]).unwrap());
        drop(third);
        assert_eq!(find(home.path()).as_ref(), Some(&notes[1]));
        drop(second);
        assert_eq!(find(home.path()).as_ref(), Some(&notes[0]));
        drop(first);
        assert_eq!(find(home.path()), None);
    }

    #[test]
    fn a_note_is_read_while_its_server_runs() {
        let home = tempfile::tempdir().unwrap();
        let server = RunningServer::note(home.path(), "http://127.0.0.1:1/").unwrap();
        // Windows would let nobody read it otherwise. Where that is not so, a lock of ours shows that it has none.
        File::open(&server.path).unwrap().try_lock().unwrap();
        assert_eq!(std::fs::read_to_string(&server.path).unwrap(), "http://127.0.0.1:1/\n");
    }

    /// Windows does not let us read its note.
    #[cfg(unix)]
    #[test]
    fn a_server_of_the_version_before_is_found_while_it_runs() {
        let home = tempfile::tempdir().unwrap();
        let note = home.path().join(format!("{FILE}7"));
        std::fs::write(&note, "http://127.0.0.1:1/\n").unwrap();
        let running = File::open(&note).unwrap();
        running.try_lock().unwrap();
        assert_eq!(find(home.path()).as_deref(), Some("http://127.0.0.1:1/"));
        drop(RunningServer::note(home.path(), "http://127.0.0.1:2/").unwrap());
        assert!(note.exists(), "it runs");
        drop(running);
        assert_eq!(find(home.path()), None);
    }

    #[test]
    fn one_that_was_killed_is_not_found() {
        let home = tempfile::tempdir().unwrap();
        // The second is of the version before, which had no file beside its note.
        for killed in ["7", "7.lock", "8"] {
            let text = if killed.ends_with(LOCK) { "" } else { "http://127.0.0.1:1/\n" };
            std::fs::write(home.path().join(format!("{FILE}{killed}")), text).unwrap();
        }
        assert_eq!(find(home.path()), None);
        let next = RunningServer::note(home.path(), "http://127.0.0.1:2/").unwrap();
        assert_eq!(find(home.path()).as_deref(), Some("http://127.0.0.1:2/"));
        drop(next);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nor kept");
    }

    #[test]
    fn an_empty_note_is_kept_for_a_minute_and_no_longer() {
        let home = tempfile::tempdir().unwrap();
        let beginning = home.path().join(format!("{FILE}{}", now()));
        std::fs::write(&beginning, "").unwrap();
        std::fs::write(home.path().join(format!("{FILE}7")), "").unwrap();
        assert_eq!(find(home.path()), None);
        drop(RunningServer::note(home.path(), "http://127.0.0.1:1/").unwrap());
        let left = noted(home.path()).unwrap().into_iter().map(|note| note.path);
        assert_eq!(left.collect::<Vec<_>>(), [beginning], "that server has just begun");
    }
}
