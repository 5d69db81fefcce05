//! The journal in the formats others read.
//!
//! A projection is computed from a session's events alone and is never read back.
mod gelab;
mod projection;
mod report;

pub use gelab::{GelabTrace, gelab};
pub use projection::{Blobs, Content, FileOp, Make, Projection};
pub use report::Report;
