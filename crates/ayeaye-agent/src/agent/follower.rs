//! Following a run without owning it.
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::run_elsewhere::RunElsewhere;
use crate::StopReason;
use crate::report::Report;
use crate::run::{CancelHandle, RunPhase, RunUpdate};
use crate::session::Session;

/// How long somebody waits for the end of a run, or of an act, of another server: its process may be held still.
pub(super) const END_WAIT: Duration = Duration::from_secs(30);

/// Watches a run of whichever server, or holds the report of a finished one.
#[derive(Debug, Clone)]
pub struct Follower {
    pub(super) updates: watch::Receiver<RunUpdate>,
    pub(super) run: FollowedRun,
    /// What it was asked for with was an answer that came too late.
    pub(super) answer_dropped: bool,
    /// What it was asked for with was said after the question had been answered.
    pub(super) became_advice: bool,
}

/// Where the run is.
#[derive(Debug, Clone)]
pub(super) enum FollowedRun {
    /// It is over.
    Over,
    /// In this server.
    Here(CancelHandle),
    /// In another one.
    Elsewhere(RunElsewhere),
}

impl Follower {
    pub(super) fn of_finished(session: &Session) -> Self {
        let report = Arc::new(session.idle_report());
        let (_, updates) = watch::channel(RunUpdate {
            report,
            line: String::new(),
            phase: RunPhase::Ending,
            replay_ended: None,
            running: false,
        });
        Self { updates, run: FollowedRun::Over, answer_dropped: false, became_advice: false }
    }

    /// The same for somebody who has brought an answer to a question that is not open any more.
    pub(super) fn without_answer(self, is_answer: bool) -> Self {
        Self { answer_dropped: is_answer, ..self }
    }

    /// Whether the answer that was given with [`Agent::resume`](crate::Agent::resume) went nowhere: its question was
    /// answered or given up meanwhile, or another is asked.
    pub fn has_dropped_answer(&self) -> bool {
        self.answer_dropped
    }

    /// The same for somebody whose words came after the question had been answered.
    pub(super) fn with_advice(self) -> Self {
        Self { became_advice: true, ..self }
    }

    /// Whether the words that were given with [`Agent::resume`](crate::Agent::resume) were handed to the agent as advice,
    /// since what it had asked was answered before.
    pub fn has_become_advice(&self) -> bool {
        self.became_advice
    }

    /// Whether it holds the report of a session that nobody was driving when it was asked for.
    pub fn was_over(&self) -> bool {
        matches!(self.run, FollowedRun::Over)
    }

    /// The latest update.
    pub fn update(&self) -> RunUpdate {
        self.updates.borrow().clone()
    }

    /// The latest report.
    pub fn report(&self) -> Arc<Report> {
        self.updates.borrow().report.clone()
    }

    /// What the run is busy with.
    pub fn phase(&self) -> RunPhase {
        self.updates.borrow().phase
    }

    /// Whether the run is in progress.
    pub fn running(&self) -> bool {
        self.updates.borrow().running
    }

    /// Waits for the next update; false when there will be no more. Cancel safe.
    pub async fn changed(&mut self) -> bool {
        self.running() && self.updates.changed().await.is_ok()
    }

    /// Whether the run ended without a final update, because it panicked. Its state is then in the
    /// record only.
    pub fn ended_abruptly(&self) -> bool {
        self.running() && self.updates.has_changed().is_err()
    }

    /// Whether another server has the run: it goes on when this one ends.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.run, FollowedRun::Elsewhere(_))
    }

    /// Waits until the run is over.
    pub async fn finished(&mut self) {
        while self.changed().await {}
    }

    /// Waits until a run that was asked to stop is over. One of another server is waited for 30 s at most: its process
    /// may stand still.
    pub async fn stopped(&mut self) {
        if self.is_elsewhere() {
            timeout(END_WAIT, self.finished()).await.ok();
        } else {
            self.finished().await;
        }
    }

    /// Asks the run to stop at the next safe point. A run of another server learns of it a moment later.
    pub fn stop(&self, reason: StopReason) {
        match &self.run {
            FollowedRun::Over => {}
            FollowedRun::Here(cancel) => cancel.stop(reason),
            FollowedRun::Elsewhere(run) => run.stop(reason),
        }
    }
}
