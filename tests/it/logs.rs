//! What a session leaves on disk for other programs: every field of its stated type in every line,
//! the same bytes live and afterwards, also when the server is killed, and nothing that the
//! documentation does not name.
//!
//! A leave that is refused and a host agent cannot happen on the real server yet: the fixtures of
//! `ayeaye-export` hold them (`leave_that_is_refused`, `a_host_agent`).
mod fields;
mod folders;
mod kills;
mod names;
mod scenes;
