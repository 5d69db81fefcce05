//! What a session leaves on disk for other programs: every field of its stated type in every line,
//! the same bytes live and afterwards, also when the server is killed, and nothing that the
//! documentation does not name.
//!
//! A refused permission cannot happen on the real server yet: the fixtures of `ayeaye-export` hold it
//! (`leave_that_is_refused`). A host agent's lines: `planner.rs`.
pub mod fields;
mod film;
pub mod folders;
mod kills;
mod names;
mod scenes;
