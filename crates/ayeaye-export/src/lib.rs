//! The journal in the formats others read.
//!
//! A projection is computed from a session's events alone and is never read back.
mod projection;

mod gelab;
mod pycatan;
mod ufo;

mod draw;
#[cfg(test)]
mod testing;
mod text;

pub use gelab::{Gelab, GelabTrace, gelab};
pub use projection::{Blobs, Content, FileOp, Make, Projection};
pub use pycatan::PyCatan;
pub use ufo::{Images, Ufo};
