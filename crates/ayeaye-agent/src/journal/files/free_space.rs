//! Whether there is room for a new session. One that runs is never stopped for want of it: it has
//! a size of its own to keep to ([`JournalWriter::size`](crate::JournalWriter::size)).
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::journal::JournalError;

/// Returns the free bytes on a folder's disk; `None` if the system cannot tell.
pub type FreeSpace = Arc<dyn Fn(&Path) -> io::Result<Option<u64>> + Send + Sync>;

/// Free bytes below which no session is begun, unless said otherwise: about a thousand steps with
/// their pictures.
pub const MIN_FREE_BYTES: u64 = 256 << 20;

/// The free space as the system reports it.
pub fn system_free_space() -> FreeSpace {
    Arc::new(|path| {
        let found = fs4::statvfs(path)?;
        // Some file systems of the network and of memory have no size, and say 0 to everything.
        Ok((found.total_space() != 0).then(|| found.available_space()))
    })
}

/// Fails when less than `min_free_bytes` bytes are free.
pub(super) fn check(
    probe: &FreeSpace,
    min_free_bytes: u64,
    path: &Path,
) -> Result<(), JournalError> {
    if min_free_bytes == 0 {
        return Ok(());
    }
    match probe(path) {
        Ok(Some(free)) if free < min_free_bytes => {
            Err(JournalError::NoRoom { path: path.to_owned(), free, min_free_bytes })
        }
        Ok(_) => Ok(()),
        // Whoever cannot say how much is free does not say that nothing is.
        Err(err) => {
            tracing::warn!(path = %path.display(), error = %err, "free space is not known");
            Ok(())
        }
    }
}
