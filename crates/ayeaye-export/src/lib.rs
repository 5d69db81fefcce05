//! The journal in the formats others read.
//!
//! A projection is computed from a session's events alone and is never read back. It says what is
//! to be done to files ([`Projection`]); a [`Folder`] does that, while the session runs
//! ([`Projecting`]) or later ([`export`]).
#![warn(missing_docs)]

mod projection;
mod report;

mod gelab;

mod formats;

mod folder;
mod outlet;
mod place;

mod export;
mod live;
#[cfg(test)]
mod sample;

pub use export::{ExportError, Exported, export};
pub use folder::{Folder, FolderError};
pub use formats::{Format, Images, LogSettings};
//! A projection is computed from a session's events alone and is never read back.

mod ufo;

mod draw;

pub use gelab::{GelabTrace, gelab};
pub use live::Projecting;
pub use place::logs;
//! A projection is computed from a session's events alone and is never read back.

mod pycatan;

mod testing;
mod text;

pub use gelab::{Gelab, GelabTrace, gelab};
pub use projection::{Blobs, Content, FileOp, Make, Projection};
pub use pycatan::PyCatan;
pub use ufo::{Images, Ufo};
pub use report::Report;
