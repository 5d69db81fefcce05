//! `session.json`: a session's summary beside its record, so that a list need not read all records.
//!
//! It says which record it was made from: the length, the last bytes, in which the last line has its sum, and when it was
//! last written to, since damage in the middle leaves both as they are. Where the record says otherwise it is made anew,
//! and so is one that is missing, damaged or of another version. Nothing depends on it, nothing is lost with it, and
//! whether it can be written does not matter.
use std::io::{self, Read as _, Seek as _, SeekFrom};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::folder::{Folder, storage, write_whole};
use super::line::Detail;
use super::read;
use crate::bounded_file::{bounded_file, open_file};
use crate::journal::{JournalError, Summary};
use crate::session::SummaryBuilder;

/// Raised when a summary of the last version would be misread.
const VERSION: u32 = 3;

/// Most bytes of the file: a request and a message, escaped.
const MOST: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Cached {
    v: u32,
    of: Stamp,
    summary: Summary,
}

/// Which record a summary is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// When the file was written to, where the file system tells.
    #[serde(default)]
    modified: Option<Timestamp>,
    /// The end of the record, or all of it.
    tail: String,
}

/// The summary of a session, from the cache if it is up to date.
pub(super) fn summary(folder: &Folder) -> Result<Summary, JournalError> {
    let path = folder.events();
    let stamp = || stamp(folder).map_err(|err| folder.absent_or("read", &path, err));
    let of = stamp()?;
    if let Some(Cached { summary, .. }) = load(folder).filter(|cached| cached.of == of) {
        return Ok(summary);
    }
    let mut summing = SummaryBuilder::new(folder.id);
    read::read(folder, Detail::Compact, &mut |event| summing.apply(&event))?;
    let summary = summing.finish(of.bytes.saturating_add(count(folder)?))?;
    // One that is being written is out of date at once.
    if stamp()? == of {
        let cached = Cached { v: VERSION, of, summary: summary.clone() };
        save(folder, &cached);
    }
    Ok(summary)
}

/// Length of all blobs. They are counted one by one only if the record has grown since it was summed up.
pub(super) fn blob_bytes(folder: &Folder) -> Result<u64, JournalError> {
    let path = folder.events();
    let of = stamp(folder).map_err(|err| folder.absent_or("read", &path, err))?;
    match load(folder).filter(|cached| cached.of == of) {
        Some(cached) => Ok(cached.summary.bytes.saturating_sub(of.bytes)),
        None => count(folder),
    }
}

fn count(folder: &Folder) -> Result<u64, JournalError> {
    folder.blob_bytes().map_err(storage("read", &folder.blobs()))
}

fn stamp(folder: &Folder) -> io::Result<Stamp> {
    const TAIL: u64 = 32; // the sum and more
    let mut file = open_file(&folder.events())?;
    let about = file.metadata()?;
    let bytes = about.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    let tail = String::from_utf8_lossy(&tail).into_owned();
    let modified = about.modified().ok().and_then(|it| Timestamp::try_from(it).ok());
    Ok(Stamp { bytes, modified, tail })
}

fn load(folder: &Folder) -> Option<Cached> {
    let bytes = bounded_file(&folder.cache(), MOST).ok()?;
    let cached: Cached = serde_json::from_slice(&bytes).ok()?;
    (cached.v == VERSION).then_some(cached)
}

fn save(folder: &Folder, cached: &Cached) {
    let path = folder.cache();
    let saved = serde_json::to_vec(cached)
        .map_err(io::Error::other)
        .and_then(|bytes| write_whole(&path, &bytes, false));
    if let Err(err) = saved {
        tracing::debug!(path = %path.display(), error = %err, "a summary was not kept");
    }
}
