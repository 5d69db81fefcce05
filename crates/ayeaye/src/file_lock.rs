//! A file that is locked while others are read and replaced: of several processes one has its turn.
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use ayeaye_agent::private_files::{private_folder, private_options};
use tokio::time::{Instant, sleep};

/// How long another process may take, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(10);

/// Waits until no other process has this lock; none has it until what is returned is dropped, or its process ends.
/// Not for the file itself that is replaced: a new one takes its place.
pub(crate) async fn lock(path: &Path) -> io::Result<File> {
    private_folder(path.parent().unwrap_or(Path::new(".")), true)?;
    let file = private_options().write(true).create(true).truncate(false).open(path)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(err)) => return Err(err),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(RETRY).await,
            Err(TryLockError::WouldBlock) => {
                let why = "another ayeaye process holds it, and does not go on: end it";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
        }
    }
}
