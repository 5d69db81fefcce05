//! What the followers of a run see of it.
use std::sync::Arc;

use crate::report::Report;

/// The present activity of a run, for a person who waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPhase {
    /// Waiting in the queue for the phone.
    Queued,
    /// Making the phone ready.
    Preparing,
    /// Looking at the phone until its screen has settled.
    Looking,
    /// Waiting for a model.
    Deciding,
    /// Acting on the phone.
    Acting,
    /// Waiting for an operator's answer.
    Asking,
    /// Recording the end and completing the logs.
    Ending,
}

/// The state of a run as its followers see it. They see the latest update, not every one.
#[derive(Debug, Clone)]
pub struct RunUpdate {
    /// The report so far.
    pub report: Arc<Report>,
    /// What happened last, in one short line.
    pub line: String,
    /// The present activity. Its changes do not wake followers: read it from time to time.
    pub phase: RunPhase,
    /// Why the replay of an earlier run ended, once it has.
    pub replay_ended: Option<Arc<str>>,
    /// False once the run has stopped and everything is recorded.
    pub running: bool,
}
