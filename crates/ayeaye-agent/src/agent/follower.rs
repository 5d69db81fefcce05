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
    pub(super) news: watch::Receiver<RunUpdate>,
    pub(super) stopper: Option<CancelHandle>,
}

impl Follower {
    pub(super) fn finished(session: &Session) -> Self {
        let report = Arc::new(session.idle_report());
        let (_, news) = watch::channel(RunUpdate { report, line: String::new(), running: false });
        Self { news, stopper: None }
    }

    /// The latest news.
    pub fn news(&self) -> RunUpdate {
        self.news.borrow().clone()
    }

    /// What the run has come to.
    pub fn report(&self) -> Arc<Report> {
        self.news.borrow().report.clone()
    }

    /// Whether the run is under way.
    pub fn running(&self) -> bool {
        self.news.borrow().running
    }

    /// Waits for news; false when there will be no more. Cancelling it loses nothing.
    pub async fn changed(&mut self) -> bool {
        self.running() && self.news.changed().await.is_ok()
    }

    /// Whether the run ended without a last word (it panicked): then only its record tells how it
    /// stands.
    pub fn broke_off(&self) -> bool {
        self.running() && self.news.has_changed().is_err()
    }

    /// Waits until the run is over.
    pub async fn end(&mut self) {
        while self.changed().await {}
    }

    /// Asks the run to stop at the next safe point.
    pub fn stop(&self, reason: StopReason) {
        if let Some(stopper) = &self.stopper {
            stopper.stop(reason);
        }
    }
}
