//! The journal in the formats others read.
//!
//! A projection is computed from a session's events alone and is never read back. It says what is
//! to be done to files ([`Projection`]); a [`Folder`] does that, while the session runs
//! ([`LoggingJournal`]) or later ([`export`]).
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![warn(missing_docs)]

mod projection;
mod step_view;

mod film;
mod gelab;
mod pycatan;
mod report;
mod ufo;

mod draw;
mod labels;
mod markdown;
mod text;

mod disk_use;
mod folder;
mod formats;
mod log_path;
mod log_writer;
mod render;

mod export;
mod live;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod testing;

pub use disk_use::{DiskUse, disk_use};
pub use draw::{DecodedPicture, SMALL_COPY, small_copy};
pub use export::{ExportError, Exported, export};
pub use film::Film;
pub use folder::{Folder, FolderError};
pub use formats::{Format, LogSettings};
pub use gelab::Gelab;
pub use live::LoggingJournal;
pub use log_path::session_logs;
pub use projection::{Blobs, Content, FileOp, MakeContent, Projection};
pub use pycatan::PyCatan;
pub use render::render_report;
pub use report::Report;
pub use ufo::{Images, Ufo};
