//! Removing a session with its logs. A full disk is when people most need that, so nothing here takes room.
use std::io;
use std::path::Path;

use ayeaye_agent::{JournalError, SessionId};
use tokio::time::{sleep, timeout};

use super::pending::PendingMarker;
use super::{CLOSE_TIMEOUT, POLL_INTERVAL, SharedState};
use crate::log_path;

/// Removes a session's logs and record while nobody writes them. Where somebody has deleted the record by hand the
/// logs go.
pub(super) async fn remove(shared: &SharedState, id: SessionId) -> Result<(), JournalError> {
    // Asked first: the logs of a session that somebody writes are not to be stopped.
    let has_record = match shared.inner.is_locked(&id).await {
        Ok(false) => true,
        Ok(true) => return Err(JournalError::Busy(id)),
        Err(JournalError::Unknown(_)) if has_logs(&shared.data, id).await? => false,
        Err(err) => return Err(err),
    };
    shared.cancel(id);
    let Ok(held) = timeout(CLOSE_TIMEOUT, hold(shared, id)).await else {
        return Err(JournalError::Busy(id));
    };
    let marker = held.map_err(|source| storage_error(&shared.data.join("projecting"), source))?;
    let was_pending = marker.as_ref().is_some_and(PendingMarker::is_pending);
    // From here on the next process would go on with this. Where it cannot be said, that is one thing less that is
    // tidied up after a crash in the next moment; to keep everything would be worse.
    if let Some(marker) = marker.as_ref().filter(|_| !was_pending)
        && let Err(err) = marker.set(true)
    {
        tracing::debug!(session = %id, "a removal is not marked: {err}");
    }
    let removed = match shared.inner.remove(&id).await {
        // What an earlier attempt has left of it is gone all the same.
        Err(JournalError::Unknown(_)) if !has_record => Ok(()),
        removed => removed,
    };
    if let Err(err) = removed {
        // Nothing has changed. A mark that stays costs one look at the next start.
        if let Some(marker) = marker.filter(|_| !was_pending) {
            drop(marker.set(false));
        }
        return Err(err);
    }
    remove_logs(&shared.data, id).await.map_err(|source| storage_error(&shared.data, source))?;
    match marker {
        Some(marker) => {
            let path = marker.path.clone();
            marker.remove().map_err(|source| storage_error(&path, source))
        }
        None => Ok(()),
    }
}

/// The right to a session's logs, as soon as nobody else has it; nothing where no mark can be made, as on a full disk:
/// then nobody else has one either.
async fn hold(shared: &SharedState, id: SessionId) -> io::Result<Option<PendingMarker>> {
    loop {
        match shared.try_lock(id).await {
            Ok(Some(marker)) => return Ok(Some(marker)),
            Ok(None) => sleep(POLL_INTERVAL).await,
            Err(_) if !PendingMarker::exists(&shared.data, id).await => return Ok(None),
            Err(err) => return Err(err),
        }
    }
}

/// Whether any log of a session is there.
async fn has_logs(data: &Path, id: SessionId) -> Result<bool, JournalError> {
    let folder = data.to_owned();
    let found = tokio::task::spawn_blocking(move || log_path::session_logs(&folder, id)).await;
    let found = found.map_err(io::Error::other).and_then(|found| found.map_err(io::Error::other));
    found.map(|logs| !logs.is_empty()).map_err(|source| storage_error(data, source))
}

/// Removes the logs of a session, and nothing of its record.
pub(super) async fn remove_logs(data: &Path, id: SessionId) -> io::Result<()> {
    let data = data.to_owned();
    tokio::task::spawn_blocking(move || log_path::remove_logs(&data, id))
        .await
        .map_err(io::Error::other)?
        .map_err(io::Error::other)
}

fn storage_error(path: &Path, source: io::Error) -> JournalError {
    JournalError::Storage { what: format!("{} (remove)", path.display()), source }
}
