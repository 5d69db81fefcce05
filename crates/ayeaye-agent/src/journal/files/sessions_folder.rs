//! The folder of all sessions: what is in it, and what does not belong there any more.
use std::fs;
use std::io;
use std::path::Path;

use super::folder::{Folder, storage};
use crate::SessionId;
use crate::journal::JournalError;
use crate::private_files::{remove_folder, replace_file};

/// A session that is being removed is called so.
const TRASH: &str = ".trash-";

/// The sessions: folders with a session's name and a record in them. The newest come first, as names begin with the
/// time.
pub(super) fn list(sessions: &Path) -> io::Result<Vec<SessionId>> {
    let entries = match fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(err),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let id = entry.file_name().to_str().and_then(|name| name.parse::<SessionId>().ok());
        if let Some(id) = id
            // Whatever it is: what is no file is told of when it is read.
            && entry.path().join("events.jsonl").symlink_metadata().is_ok()
        {
            found.push(id);
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

/// Removes a session, unless somebody is writing it.
pub(super) fn remove(sessions: &Path, folder: &Folder) -> Result<(), JournalError> {
    let trash = sessions.join(format!("{TRASH}{}", folder.id));
    if let Err(err) = folder.must_exist() {
        // An earlier attempt may have moved it away, and no more.
        discard(&trash).map_err(storage("remove", &trash))?;
        return Err(err);
    }
    let lock = folder.lock()?;
    sweep(sessions);
    // Windows does not move a folder in which a file is open.
    let lock = (!cfg!(windows)).then_some(lock);
    // It is gone at once, and a crash in between leaves nothing that looks like a session.
    replace_file(&folder.path, &trash).map_err(storage("remove", &folder.path))?;
    drop(lock);
    discard(&trash).map_err(storage("remove", &trash))
}

/// Finishes removals that a crash cut short. What cannot be removed now is left for the next time.
pub(super) fn sweep(sessions: &Path) {
    let Ok(entries) = fs::read_dir(sessions) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        // Only names that we give: what a person keeps here stays.
        let id = name.to_str().and_then(|name| name.strip_prefix(TRASH));
        if id.is_some_and(|id| id.parse::<SessionId>().is_ok())
            && let Err(err) = discard(&entry.path())
        {
            tracing::warn!(path = %entry.path().display(), error = %err, "a removed session is still there");
        }
    }
}

/// Somebody else may be at it too.
fn discard(path: &Path) -> io::Result<()> {
    match remove_folder(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
