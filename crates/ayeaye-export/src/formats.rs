//! The formats there are, and what a user may choose about them.
use std::sync::Arc;

use ayeaye_agent::{SessionId, word_list};

use crate::projection::{FileOp, Projection};
use crate::{Film, Gelab, Images, PyCatan, Report, Ufo};

word_list! {
    /// A format others read. Its word stands in settings and on the command line.
    #[derive(PartialOrd, Ord)]
    pub enum Format {
        /// UFO's task folder.
        Ufo = "ufo",
        /// PyCatan's session folder.
        PyCatan = "pycatan",
        /// GELab-Zero's trace.
        Gelab = "gelab",
        /// One page for a browser.
        Html = "html",
        /// A film, as one animated picture.
        Film = "film",
    }
}

impl Format {
    /// Those that are written while a session runs unless the user chooses others. A film is made for
    /// somebody, now and then.
    pub const LIVE: [Self; 4] = [Self::Ufo, Self::PyCatan, Self::Gelab, Self::Html];

    /// What it is, for people who choose one.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ufo => "UFO's task folder",
            Self::PyCatan => "PyCatan's session folder",
            Self::Gelab => "GELab-Zero's trace",
            Self::Html => "One file to look at in a browser",
            Self::Film => "A small film, as an animated GIF that plays where pictures are shown",
        }
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
        Self { formats: Format::LIVE.to_vec(), images: Images::Clean }
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
    /// Takes note that the record is not good to its end, and why. What grows line by line ends where it does, and
    /// says nothing.
    fn cut_short(&mut self, _why: &str) {}
    /// The files it makes, and nobody else: where it is made anew they are removed. `#` stands for a number, and `*` for
    /// the session's id, or in a folder that is the session's own for the first part of the path.
    fn own_files(&self) -> &'static [&'static str];
}

/// The real ones.
pub(crate) fn make_projection(
    format: Format,
    id: SessionId,
    settings: &LogSettings,
) -> Box<dyn Log> {
    match format {
        Format::Ufo => Box::new(Ufo::new(id, settings.images)),
        Format::PyCatan => Box::new(PyCatan::new()),
        Format::Gelab => Box::new(Gelab::new(id)),
        Format::Html => Box::new(Report::new(id)),
        Format::Film => Box::new(Film::new(id)),
    }
}

impl Log for Ufo {
    fn own_files(&self) -> &'static [&'static str] {
        Self::FILES
    }
}

impl Log for PyCatan {
    fn own_files(&self) -> &'static [&'static str] {
        Self::FILES
    }
}

impl Log for Gelab {
    fn own_files(&self) -> &'static [&'static str] {
        Self::FILES
    }
}

impl Log for Report {
    fn finish(&self) -> Option<FileOp> {
        Some(Self::finish(self))
    }

    fn cut_short(&mut self, why: &str) {
        Self::cut_short(self, why);
    }

    fn own_files(&self) -> &'static [&'static str] {
        &["*.html"]
    }
}

impl Log for Film {
    fn finish(&self) -> Option<FileOp> {
        Some(Self::finish(self))
    }

    fn cut_short(&mut self, _why: &str) {
        Self::cut_short(self);
    }

    fn own_files(&self) -> &'static [&'static str] {
        &["*.gif"]
    }
}
