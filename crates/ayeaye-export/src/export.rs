//! A session's log in a folder of the user's choice, made from its record by the same code that
//! makes it while the session runs.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ayeaye_agent::journal::{BlobRef, Event, FileJournal, InvalidRecordLine};
use ayeaye_agent::{JournalError, SessionId};
use bytes::Bytes;

use crate::folder::FolderError;
use crate::formats::{Format, LogSettings, MakeProjection, make_projection};
use crate::live::SessionBlobs;
use crate::log_writer::{LogError, LogWriter, Target, why_cut_short};
use crate::projection::Blobs;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Every file, in order of their names.
    pub files: Vec<PathBuf>,
    /// Where the record stops being good; the files hold what is before it.
    pub damage: Option<InvalidRecordLine>,
    /// Pictures and other files of the record that could not be read, in order of their hashes. The log goes on
    /// without them; its lines name them all the same.
    pub missing: Vec<BlobRef>,
}

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ExportError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Folder(FolderError),
    #[error("nothing of session {id} is good: {what}")]
    Nothing { id: SessionId, what: String },
    #[error("the {format} projection failed: {what}")]
    Projection { format: Format, what: String },
}

/// Writes the log of a session into `out`, which is made when it is not there, and gone over when it
/// holds the log of the same session.
///
/// UFO's files are directly in it, PyCatan's in a `session_…` folder beside `current_session.txt`,
/// GELab's in `traces`; the page is `<session_id>.html`, the film `<session_id>.gif`.
pub async fn export(
    journal: &FileJournal,
    id: SessionId,
    format: Format,
    out: &Path,
    settings: &LogSettings,
) -> Result<Exported, ExportError> {
    export_with(journal, id, format, out, settings, &(Arc::new(make_projection) as MakeProjection))
        .await
}

pub(crate) async fn export_with(
    journal: &FileJournal,
    id: SessionId,
    format: Format,
    out: &Path,
    settings: &LogSettings,
    make_projection: &MakeProjection,
) -> Result<Exported, ExportError> {
    let (events, verdict) = journal.salvage(&id).await?;
    let damage = verdict.bad.filter(|bad| !bad.torn);
    if events.is_empty() {
        let what = damage.map_or("it is empty".to_owned(), |bad| bad.what);
        return Err(ExportError::Nothing { id, what });
    }
    let log_writer =
        LogWriter::new(format, id, Target::Export(out.to_owned()), settings, make_projection);
    let why = damage.as_ref().map(|bad| why_cut_short(&bad.refusal(id)));
    let blobs = SessionBlobs::new(Arc::new(journal.clone()), id);
    let work = move || write(log_writer, &events, blobs, why.as_deref());
    let (files, missing) = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(written)) => written,
        Ok(Err(LogError::Folder(err))) => return Err(ExportError::Folder(err)),
        Ok(Err(LogError::Panic(what))) => return Err(ExportError::Projection { format, what }),
        Err(err) => return Err(ExportError::Projection { format, what: err.to_string() }),
    };
    Ok(Exported { files, damage, missing })
}

fn write(
    mut log_writer: LogWriter,
    events: &[Event],
    inner: SessionBlobs,
    damage: Option<&str>,
) -> Result<(Vec<PathBuf>, Vec<BlobRef>), LogError> {
    let blobs = CountedBlobs { inner, missing: Mutex::default() };
    log_writer.feed(events, &blobs)?;
    log_writer.finish(&blobs, damage)?;
    let files = log_writer.folder().map(|folder| folder.written().collect()).unwrap_or_default();
    let missing = blobs.missing.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((files, missing.into_values().collect()))
}

/// Blobs that remember which of them could not be read, whoever asked: a line, a copy, or a picture that is drawn
/// from one.
struct CountedBlobs {
    inner: SessionBlobs,
    missing: Mutex<BTreeMap<String, BlobRef>>,
}

impl Blobs for CountedBlobs {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let read = self.inner.blob(blob);
        if read.is_err() {
            let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
            missing.entry(blob.sha256.clone()).or_insert_with(|| blob.clone());
        }
        read
    }

    fn path(&self, blob: &BlobRef) -> Option<PathBuf> {
        self.inner.path(blob)
    }
}
