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
    words: WordsTaken,
}

/// What became of the words that somebody came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordsTaken {
    /// The run was told, as they were meant; or there were none.
    AsMeant,
    /// The run was told, as advice: what it had asked was answered before.
    AsAdvice,
    /// They were the answer to a question that was not open any more, and went nowhere.
    TooLate,
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
    pub(super) fn new(updates: watch::Receiver<RunUpdate>, run: FollowedRun) -> Self {
        Self { updates, run, words: WordsTaken::AsMeant }
    }

    pub(super) fn of_finished(session: &Session) -> Self {
        let report = Arc::new(session.idle_report());
        let (_, updates) = watch::channel(RunUpdate {
            report,
            line: String::new(),
            phase: RunPhase::Ending,
            replay_ended: None,
            running: false,
        });
        Self::new(updates, FollowedRun::Over)
    }

    /// For somebody whose words, if they were an answer, were one to a question that is not open any more.
    pub(super) fn without_answer(self, is_answer: bool) -> Self {
        if is_answer { Self { words: WordsTaken::TooLate, ..self } } else { self }
    }

    /// Whether the answer that was given with [`Agent::resume`](crate::Agent::resume) went nowhere: its question was
    /// answered or given up meanwhile, or another is asked.
    pub fn has_dropped_answer(&self) -> bool {
        self.words == WordsTaken::TooLate
    }

    /// For somebody whose words came after the question had been answered.
    pub(super) fn with_advice(self) -> Self {
        Self { words: WordsTaken::AsAdvice, ..self }
    }

    /// Whether the words that were given with [`Agent::resume`](crate::Agent::resume) were handed to the agent as advice,
    /// since what it had asked was answered before.
    pub fn has_become_advice(&self) -> bool {
        self.words == WordsTaken::AsAdvice
    }

    /// Whether it holds the report of a session that nobody was driving when it was asked for.
    pub fn was_over(&self) -> bool {
        matches!(self.run, FollowedRun::Over)
    }

    /// The latest update.
    pub fn update(&self) -> RunUpdate {
        self.updates.borrow().clone()
    }

    /// The latest report; of a run that has panicked, that it has.
    pub fn report(&self) -> Arc<Report> {
        let report = self.updates.borrow().report.clone();
        let has_panicked = matches!(self.run, FollowedRun::Here(_)) && self.ended_abruptly();
        if has_panicked { Arc::new(report.of_panicked()) } else { report }
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
