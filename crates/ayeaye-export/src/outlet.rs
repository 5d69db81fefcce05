//! One log of one session: its projection and the folder that it fills.
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{Event, Fact};

use crate::folder::{Folder, FolderError};
use crate::formats::{Format, Log, LogSettings, Make};
use crate::place::Place;
use crate::projection::Blobs;

/// A log that takes events in and writes files.
#[derive(Debug)]
pub(crate) struct Outlet {
    format: Format,
    id: SessionId,
    site: Site,
    log: Box<dyn Log>,
    /// From the first event on, which says where it lies.
    open: Option<(Place, Folder)>,
    /// The last event that was taken in.
    folded: u64,
    /// Whether that was the end of a run.
    ended: bool,
}

/// Where logs are written.
#[derive(Debug, Clone)]
pub(crate) enum Site {
    /// The data folder, where what is there is gone on with.
    Data {
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
pub(crate) enum Trouble {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("its projection failed: {0}")]
    Panic(String),
}

impl Outlet {
    pub(crate) fn new(
        format: Format,
        id: SessionId,
        site: Site,
        settings: &LogSettings,
        make: &Make,
    ) -> Self {
        let log = make(format, id, settings);
        Self { format, id, site, log, open: None, folded: 0, ended: false }
    }

    /// Which format it has.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The number of the last event that was taken in.
    pub(crate) fn folded(&self) -> u64 {
        self.folded
    }

    /// Where its files are, once there is an event.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.open.as_ref().map(|(_, folder)| folder)
    }

    /// Takes in those events that come next, up to a gap in their numbers; what they replace waits for
    /// [`flush`](Self::flush). A panic of the projection is one more reason to fail.
    pub(crate) fn feed(&mut self, events: &[Event], blobs: &dyn Blobs) -> Result<(), Trouble> {
        guarded(|| {
            for event in events {
                if event.seq <= self.folded {
                    continue;
                }
                if event.seq != self.folded + 1 {
                    break;
                }
                self.take(event, blobs)?;
            }
            Ok(())
        })
    }

    /// Makes what waits to be replaced.
    pub(crate) fn flush(&mut self, blobs: &dyn Blobs) -> Result<(), Trouble> {
        guarded(|| match &mut self.open {
            Some((_, folder)) => folder.flush(blobs),
            None => Ok(()),
        })
    }

    /// Completes the log of a record that goes no further for now.
    pub(crate) fn settle(&mut self, blobs: &dyn Blobs) -> Result<(), Trouble> {
        guarded(|| {
            let Some((_, folder)) = &mut self.open else { return Ok(()) };
            if !self.ended
                && let Some(op) = self.log.finish()
            {
                folder.apply(op, blobs)?;
            }
            folder.flush(blobs)?;
            folder.settle()
        })
    }

    /// Removes what is there, for a beginning from the first event.
    pub(crate) fn remove(&self) -> Result<(), FolderError> {
        match &self.open {
            Some((place, _)) => place.remove(),
            None => Ok(()),
        }
    }

    fn take(&mut self, event: &Event, blobs: &dyn Blobs) -> Result<(), FolderError> {
        let (_, folder) = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(begin(&self.site, self.format, self.id, event)?),
        };
        for op in self.log.fold(event, blobs) {
            folder.apply(op, blobs)?;
        }
        self.folded = event.seq;
        self.ended = matches!(event.entry.fact, Fact::SessionEnd(_));
        Ok(())
    }
}

fn begin(
    site: &Site,
    format: Format,
    id: SessionId,
    first: &Event,
) -> Result<(Place, Folder), FolderError> {
    let place = match site {
        Site::Data { data, .. } => Place::in_data(data, format, id, first)?,
        Site::Export(out) => Place::in_export(out, format, id, first)?,
    };
    let afresh = matches!(site, Site::Export(_));
    let folder = Folder::new(&place.root, &id.to_string(), afresh)?;
    if !matches!(site, Site::Data { live: false, .. }) {
        place.announce()?;
    }
    Ok((place, folder))
}

fn guarded(work: impl FnOnce() -> Result<(), FolderError>) -> Result<(), Trouble> {
    // Whatever it leaves half done is not used again: a log that failed is begun anew.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(Trouble::from),
        Err(panic) => Err(Trouble::Panic(in_words(&*panic))),
    }
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given")
        .to_owned()
}
