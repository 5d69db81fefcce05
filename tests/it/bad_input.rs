//! Bad input at every door: each gets a clear error or stop reason inside its limit, and the session
//! goes on afterwards. `docs/faults.md` is the table of these tests.
mod calls;
mod lines;
mod models;
mod phones;
