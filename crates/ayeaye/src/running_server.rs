//! The HTTP server that runs over a data folder, noted in it so that a command can find it.
//!
//! The note is a file that its server keeps locked: a lock ends with its process, however that ends, so a note
//! without one is stale, and one with a lock tells where that very process listens. Whoever hands a token to
//! that address hands it to nobody else.
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::private_files::{private_folder, private_options};

/// The file in the data folder.
const FILE: &str = "http-server";
/// The longest note, in bytes.
const LONGEST: u64 = 4096;

/// The note of this process, until it is dropped.
#[derive(Debug)]
pub struct RunningServer {
    path: PathBuf,
    url: String,
    /// Keeps the lock.
    _locked: File,
}

impl RunningServer {
    /// Notes that this process serves the page at this URL, in place of whoever was noted before: the newest
    /// server of a folder is the one that is found.
    pub fn note(data_dir: &Path, url: &str) -> io::Result<Self> {
        private_folder(data_dir, true)?;
        let path = data_dir.join(FILE);
        let draft = data_dir.join(format!("{FILE}.{}", std::process::id()));
        let mut file = private_options().write(true).create(true).truncate(true).open(&draft)?;
        let noted = file
            .try_lock()
            .map_err(|err| match err {
                TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
                TryLockError::Error(err) => err,
            })
            .and_then(|()| writeln!(file, "{url}"))
            .and_then(|()| std::fs::rename(&draft, &path));
        if let Err(err) = noted {
            // The first error is what matters.
            drop(std::fs::remove_file(&draft));
            return Err(err);
        }
        Ok(Self { path, url: url.to_owned(), _locked: file })
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // Another server may have been started since.
        if read(&self.path).is_ok_and(|noted| noted == self.url)
            && let Err(err) = std::fs::remove_file(&self.path)
        {
            tracing::debug!("{} stays: {err}", self.path.display());
        }
    }
}

/// The URL of the page of the server that runs over this folder; `None` when there is none, or none that can be
/// told from one that has died.
pub fn find(data_dir: &Path) -> Option<String> {
    let path = data_dir.join(FILE);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read_from(file).ok(),
        // Its server died without removing it.
        Ok(()) => None,
        Err(TryLockError::Error(err)) => {
            tracing::debug!("{}: {err}", path.display());
            None
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    read_from(File::open(path)?)
}

fn read_from(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    Ok(text.trim_end().to_owned())
}

#[cfg(all(test, unix))]
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
    fn one_that_was_killed_is_not_found() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), "http://127.0.0.1:1/\n").unwrap();
        assert_eq!(find(home.path()), None);
        let next = RunningServer::note(home.path(), "http://127.0.0.1:2/").unwrap();
        assert_eq!(find(home.path()).as_deref(), Some("http://127.0.0.1:2/"));
        drop(next);
    }
}
