//! Puts an entry into a client's file and takes it back, so that afterwards the file is what it was.
//!
//! Beside a file that is changed its former text is kept (`NAME.before-ayeaye`). Taken back is to that
//! very text, as long as the file is still what was written; otherwise the entry alone is taken out.
use std::io;
use std::path::{Path, PathBuf};

use ayeaye_agent::private_files::remove_file;
use serde_json::Value;

use super::document::{EditError, Format, Key};
use super::entry::is_up_to_date;
use crate::atomic_file;

/// What the file of former text has at the end of its name.
const ENDING: &str = ".before-ayeaye";

/// Why a file cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum KeptError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is not text in UTF-8", path.display())]
    NotText { path: PathBuf },
    #[error("{} is a pipe, a device or the like, not a file", path.display())]
    NotFile { path: PathBuf },
    #[error("{}", path.display())]
    Edit { path: PathBuf, source: EditError },
    #[error("{} was changed by another program just now; try again", path.display())]
    Changed { path: PathBuf },
}

/// What is to be done with a file.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, as it is named.
    pub path: PathBuf,
    /// Its text; `None` when it is not there.
    pub before: Option<String>,
    /// Its text afterwards; `None` when it goes.
    pub after: Option<String>,
    /// Whether the file had no entry before.
    pub is_new: bool,
    /// Whether the former text is kept.
    keep: bool,
    /// Whether the kept text goes, since the file is as it was.
    forget: bool,
    /// Whether nobody but its owner may read the file afterwards.
    owner_only: bool,
}

impl FileChange {
    /// A change of a file of our own, whose former text is nobody's.
    pub fn plain(path: PathBuf, before: Option<String>, after: String) -> Self {
        let (keep, is_new, forget, owner_only) = (false, false, false, false);
        Self { path, before, after: Some(after), is_new, keep, forget, owner_only }
    }

    /// Has nobody but its owner read the file afterwards.
    #[must_use]
    pub fn for_owner_only(self) -> Self {
        Self { owner_only: true, ..self }
    }

    /// Whether there is nothing to do.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// Where the former text is kept, if it is.
    pub fn backup(&self) -> Option<PathBuf> {
        (self.keep && self.before.is_some() && !self.is_nothing()).then(|| backup(&self.path))
    }

    /// Does it, unless the file is no longer what it was.
    pub fn write(&self) -> Result<(), KeptError> {
        let write = |source| KeptError::Write { path: self.path.clone(), source };
        if self.is_nothing() {
            return Ok(());
        }
        if read(&self.path)? != self.before {
            return Err(KeptError::Changed { path: self.path.clone() });
        }
        let backup = backup(&self.path);
        match (&self.before, self.keep) {
            (Some(before), true) => {
                atomic_file::replace_like(&backup, before, Some(&self.path)).map_err(write)?;
            }
            // A file that is new has no former text.
            (None, true) => remove(&backup).map_err(write)?,
            (_, false) => {}
        }
        match &self.after {
            Some(after) if self.owner_only => {
                atomic_file::replace_for_owner(&self.path, after).map_err(write)?;
            }
            Some(after) => atomic_file::replace(&self.path, after).map_err(write)?,
            // A link stays, as it does when its file is written.
            None => {
                atomic_file::followed(&self.path).and_then(|file| remove(&file)).map_err(write)?;
            }
        }
        if self.forget {
            remove(&backup).map_err(write)?;
        }
        Ok(())
    }
}

/// What putting the entry in would do.
pub fn install(
    path: &Path,
    format: Format,
    key: Key<'_>,
    entry: &Value,
) -> Result<FileChange, KeptError> {
    let edit = |source| KeptError::Edit { path: path.to_owned(), source };
    let before = read(path)?;
    let text = before.as_deref().unwrap_or_default();
    let old = format.entry(text, key).map_err(edit)?;
    let after = match &old {
        Some(old) if is_up_to_date(old, entry) => before.clone(),
        _ => Some(format.with_entry(text, key, entry).map_err(edit)?),
    };
    // An entry of ours that is only changed leaves the text from before it in its place. One that somebody
    // else has put there is in the text that is kept.
    let alone = |old: &Value| format.alone(key, old).is_ok_and(|alone| alone == text);
    let keep = old.as_ref().is_none_or(|old| !backup(path).exists() && !alone(old));
    let is_new = old.is_none();
    let (path, forget, owner_only) = (path.to_owned(), false, false);
    Ok(FileChange { path, before, after, is_new, keep, forget, owner_only })
}

/// What taking the entry out would do; `None` where there is none.
pub fn uninstall(
    path: &Path,
    format: Format,
    key: Key<'_>,
) -> Result<Option<FileChange>, KeptError> {
    let edit = |source| KeptError::Edit { path: path.to_owned(), source };
    let before = read(path)?;
    let Some(text) = before.as_deref() else { return Ok(None) };
    let Some(entry) = format.entry(text, key).map_err(edit)? else { return Ok(None) };
    let kept = read(&backup(path)).ok().flatten();
    let is_kept = kept.is_some();
    // A text that has an entry already is not the one to go back to.
    let former = kept.filter(|former| matches!(format.entry(former, key), Ok(None)));
    let change = |after: Option<String>, forget| {
        Some(FileChange {
            path: path.to_owned(),
            before: before.clone(),
            after,
            keep: false,
            is_new: false,
            forget,
            owner_only: false,
        })
    };
    if let Some(former) = &former
        && format.with_entry(former, key, &entry).as_deref() == Ok(text)
    {
        return Ok(change(Some(former.clone()), true));
    }
    if !is_kept && format.alone(key, &entry).as_deref() == Ok(text) {
        // Nothing else was ever in it.
        return Ok(change(None, false));
    }
    let had_section = former
        .as_ref()
        .is_none_or(|former| !matches!(format.section(former, key.section), Ok(None)));
    let after = format.without_entry(text, key, !had_section).map_err(edit)?;
    let forget = after.is_some() && after == former;
    Ok(change(after, forget))
}

/// The text of a file; `None` when it is not there.
pub fn read(path: &Path) -> Result<Option<String>, KeptError> {
    // A pipe would be waited for until somebody writes into it. Of a folder, reading says what it is.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Err(KeptError::NotFile { path: path.to_owned() });
    }
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| KeptError::NotText { path: path.to_owned() }),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(KeptError::Read { path: path.to_owned(), source }),
    }
}

/// The file of the former text.
pub fn backup(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ENDING);
    PathBuf::from(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match remove_file(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
