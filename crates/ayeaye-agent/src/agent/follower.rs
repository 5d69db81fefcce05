//! Following a run without owning it.
use std::sync::Arc;

use tokio::sync::watch;

use crate::StopReason;
use crate::report::Report;
use crate::run::{CancelHandle, RunUpdate};
use crate::session::Session;

/// Watches a run, or holds what a finished one has come to.
#[derive(Debug, Clone)]
pub struct Follower {
    pub(super) updates: watch::Receiver<RunUpdate>,
    pub(super) cancel: Option<CancelHandle>,
}

impl Follower {
    pub(super) fn of_finished(session: &Session) -> Self {
        let report = Arc::new(session.idle_report());
        let (_, updates) =
            watch::channel(RunUpdate { report, line: String::new(), running: false });
        Self { updates, cancel: None }
    }

    /// The latest updates.
    pub fn update(&self) -> RunUpdate {
        self.updates.borrow().clone()
    }

    /// What the run has come to.
    pub fn report(&self) -> Arc<Report> {
        self.updates.borrow().report.clone()
    }

    /// Whether the run is under way.
    pub fn running(&self) -> bool {
        self.updates.borrow().running
    }

    /// Waits for updates; false when there will be no more. Cancelling it loses nothing.
    pub async fn changed(&mut self) -> bool {
        self.running() && self.updates.changed().await.is_ok()
    }

    /// Whether the run ended without a last word (it panicked): then only its record tells how it
    /// stands.
    pub fn ended_abruptly(&self) -> bool {
        self.running() && self.updates.has_changed().is_err()
    }

    /// Waits until the run is over.
    pub async fn finished(&mut self) {
        while self.changed().await {}
    }

    /// Asks the run to stop at the next safe point.
    pub fn stop(&self, reason: StopReason) {
        if let Some(cancel) = &self.cancel {
            cancel.stop(reason);
        }
    }
}
