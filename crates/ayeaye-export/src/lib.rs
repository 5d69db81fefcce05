//! The journal in the formats others read.
//!
//! A projection is computed from a session's events alone and is never read back.
mod gelab;

pub use gelab::{GelabTrace, gelab};
