//! One log of one session: its projection and the folder that it fills.
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use ayeaye_agent::journal::{Event, Fact, NoteKind, ResumeReason};
use ayeaye_agent::{JournalError, SessionId};

use crate::folder::{Folder, FolderError};
use crate::formats::{Format, Log, LogSettings, MakeProjection};
use crate::log_path::LogPath;
use crate::projection::Blobs;

/// A log that takes events in and writes files.
#[derive(Debug)]
pub(crate) struct LogWriter {
    format: Format,
    id: SessionId,
    target: Target,
    log: Box<dyn Log>,
    /// From the first event on, which says where it lies.
    opened: Option<(LogPath, Folder)>,
    /// The last event that was taken in.
    last_seq: u64,
    /// Whether that was the end of a run.
    ended: bool,
    /// Whether the latest run is an act of the client's own.
    direct: bool,
    /// Whether the log knows that its record is not good to its end.
    cut_short: bool,
}

/// Where logs are written.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The data folder, where existing logs are continued.
    DataDir {
        /// The folder.
        data: PathBuf,
        /// Whether the session is being written now.
        live: bool,
    },
    /// A folder of the user's, in which everything is written afresh.
    Export(PathBuf),
}

/// Why a log is not written any more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("its projection failed: {0}")]
    Panic(String),
}

impl LogWriter {
    pub(crate) fn new(
        format: Format,
        id: SessionId,
        target: Target,
        settings: &LogSettings,
        make_projection: &MakeProjection,
    ) -> Self {
        let log = make_projection(format, id, settings);
        let (opened, last_seq) = (None, 0);
        let (ended, direct, cut_short) = (false, false, false);
        Self { format, id, target, log, opened, last_seq, ended, direct, cut_short }
    }

    /// Which format it has.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The number of the last event that was taken in.
    pub(crate) fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Whether the latest run that was taken in is an act of the client's own: another one may follow in seconds.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Begins the next run of the session where the last one has ended.
    pub(crate) fn reopen(&mut self) -> Result<(), LogError> {
        let Some((place, folder)) = &self.opened else { return Ok(()) };
        if !folder.root().is_dir() {
            return Err(FolderError::Inconsistent(folder.root().to_owned()).into());
        }
        place.mark_current().map_err(LogError::from)
    }

    /// Where its files are, once there is an event.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.opened.as_ref().map(|(_, folder)| folder)
    }

    /// Takes in those events that come next, up to a gap in their numbers; what they replace waits for
    /// [`flush`](Self::flush). A panic of the projection is one more reason to fail.
    pub(crate) fn feed(&mut self, events: &[Event], blobs: &dyn Blobs) -> Result<(), LogError> {
        catch_panic(|| {
            for event in events {
                if event.seq <= self.last_seq {
                    continue;
                }
                if event.seq != self.last_seq + 1 {
                    break;
                }
                self.apply(event, blobs)?;
            }
            Ok(())
        })
    }

    /// Makes what waits to be replaced.
    pub(crate) fn flush(&mut self, blobs: &dyn Blobs) -> Result<(), LogError> {
        catch_panic(|| match &mut self.opened {
            Some((_, folder)) => folder.flush(blobs),
            None => Ok(()),
        })
    }

    /// Completes the log of a record that goes no further for now; where it is damaged, says why.
    pub(crate) fn finish(
        &mut self,
        blobs: &dyn Blobs,
        damage: Option<&str>,
    ) -> Result<(), LogError> {
        catch_panic(|| {
            let Some((_, folder)) = &mut self.opened else { return Ok(()) };
            if let Some(why) = damage.filter(|_| !self.cut_short) {
                self.cut_short = true;
                self.log.cut_short(why);
            }
            if (!self.ended || self.cut_short)
                && let Some(op) = self.log.finish()
            {
                folder.apply(op, blobs)?;
            }
            folder.flush(blobs)?;
            folder.check_lengths()
        })
    }

    /// Removes what is there, for a beginning from the first event.
    pub(crate) fn remove(&self) -> Result<(), FolderError> {
        match &self.opened {
            Some((place, _)) => place.remove(self.log.own_files()),
            None => Ok(()),
        }
    }

    fn apply(&mut self, event: &Event, blobs: &dyn Blobs) -> Result<(), FolderError> {
        let (_, folder) = match &mut self.opened {
            Some(opened) => opened,
            None => self.opened.insert(open_folder(&self.target, self.format, self.id, event)?),
        };
        for op in self.log.fold(event, blobs) {
            folder.apply(op, blobs)?;
        }
        self.last_seq = event.seq;
        self.ended = matches!(event.entry.fact, Fact::SessionEnd(_));
        match &event.entry.fact {
            Fact::SessionResume(resume) => {
                let why = resume.why.known();
                self.direct = matches!(why, Some(ResumeReason::Direct | ResumeReason::DirectAsked));
            }
            Fact::Note { kind, .. } => self.direct |= *kind == NoteKind::DirectControl,
            _ => {}
        }
        Ok(())
    }
}

/// What a log says at its end of a record that is not good to its own.
pub(crate) fn why_cut_short(err: &JournalError) -> String {
    format!("{err}; what is before it is told here")
}

fn open_folder(
    target: &Target,
    format: Format,
    id: SessionId,
    first: &Event,
) -> Result<(LogPath, Folder), FolderError> {
    let place = match target {
        Target::DataDir { data, .. } => LogPath::in_data(data, format, id, first)?,
        Target::Export(out) => LogPath::in_export(out, format, id, first)?,
    };
    let overwrite = matches!(target, Target::Export(_));
    let folder = Folder::new(&place.root, &id.to_string(), overwrite)?;
    if !matches!(target, Target::DataDir { live: false, .. }) {
        place.mark_current()?;
    }
    Ok((place, folder))
}

fn catch_panic(work: impl FnOnce() -> Result<(), FolderError>) -> Result<(), LogError> {
    // Whatever it leaves half done is not used again: a log that failed is begun anew.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(LogError::from),
        Err(panic) => Err(LogError::Panic(panic_message(&*panic))),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given")
        .to_owned()
}
