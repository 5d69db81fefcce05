//! What the followers of a run see of it.
use std::sync::Arc;

use crate::report::Report;

/// What a run is busy with, for a person who waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPhase {
    /// It waits for its turn on the phone.
    Queued,
    /// The phone is made ready.
    Preparing,
    /// The phone is looked at, until its screen stands still.
    Looking,
    /// A model has been asked.
    Deciding,
    /// Something is done on the phone.
    Acting,
    /// An operator has been asked.
    Asking,
    /// The end is recorded, and logs are completed.
    Ending,
}

/// The state of a run as its followers see it. They see the latest update, not every one.
#[derive(Debug, Clone)]
pub struct RunUpdate {
    /// The report so far.
    pub report: Arc<Report>,
    /// What happened last, in one short line.
    pub line: String,
    /// What is being done. That it changes wakes no follower: look now and then.
    pub phase: RunPhase,
    /// Why the steps of an earlier run are not done again any more, once that is so.
    pub replay_ended: Option<Arc<str>>,
    /// False once the run has stopped and everything is recorded.
    pub running: bool,
}
