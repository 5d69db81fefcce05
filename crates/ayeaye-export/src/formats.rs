//! The formats there are, and what a user may choose about them.
use std::fmt;
use std::sync::Arc;

use ayeaye_agent::SessionId;

use crate::projection::{FileOp, Projection};
use crate::{Gelab, Images, PyCatan, Report, Ufo};

/// A format others read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// UFO's task folder.
    Ufo,
    /// PyCatan's session folder.
    PyCatan,
    /// GELab-Zero's trace.
    Gelab,
    /// One page for a browser.
    Html,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ufo, Self::PyCatan, Self::Gelab, Self::Html];

    /// Its name in settings and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ufo => "ufo",
            Self::PyCatan => "pycatan",
            Self::Gelab => "gelab",
            Self::Html => "html",
        }
    }

    /// What it is, for people who choose one.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ufo => "UFO's task folder",
            Self::PyCatan => "PyCatan's session folder",
            Self::Gelab => "GELab-Zero's trace",
            Self::Html => "One file to look at in a browser",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// The formats that are written while a session runs.
    pub formats: Vec<Format>,
    /// The pictures UFO's folder gets.
    pub images: Images,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { formats: Format::ALL.to_vec(), images: Images::Clean }
    }
}

/// Makes the projections of a session: the real ones, or those of a test.
pub(crate) type MakeProjection =
    Arc<dyn Fn(Format, SessionId, &LogSettings) -> Box<dyn Log> + Send + Sync>;

/// A projection that also knows what to do about a session that has no end.
pub(crate) trait Log: Projection {
    /// What is left to be written when the record stops without a `session.end`.
    fn finish(&self) -> Option<FileOp> {
        None
    }
}
/// The real ones.
pub(crate) fn make_projection(
    format: Format,
    id: SessionId,
    settings: &LogSettings,
) -> Box<dyn Log> {
    match format {
        Format::Ufo => Box::new(Ufo::new(settings.images)),
        Format::PyCatan => Box::new(PyCatan::new()),
        Format::Gelab => Box::new(Gelab::new(id)),
        Format::Html => Box::new(Report::new(id)),
    }
}

impl Log for Ufo {}
impl Log for PyCatan {}
impl Log for Gelab {}

impl Log for Report {
    fn finish(&self) -> Option<FileOp> {
        Some(Self::finish(self))
    }
}
