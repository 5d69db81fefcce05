//! What lists and subscriptions see: sessions in short, and when something about them changes.
use tokio::sync::watch;

use super::{Agent, AgentError, Follower};
use crate::journal::Summary;
use crate::report::Report;
use crate::{Principal, SessionId};

/// What has happened to somebody's runs since the process began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunActivity {
    /// Runs that have begun, and runs that have ended.
    pub count: u64,
    /// The youngest session that was driven.
    pub newest: Option<SessionId>,
}

impl Agent {
    /// A session in short. Of one that is not being written this reads no record, as a rule.
    pub async fn session_summary(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Summary, AgentError> {
        let unknown = || AgentError::UnknownSession(id);
        if self.runs.owner(id).is_some_and(|owner| !principal.owns(&owner)) {
            return Err(unknown());
        }
        match self.summary(id).await {
            Ok(summary) => {
                let owner = Principal::from_record(summary.owner.as_deref());
                if principal.owns(&owner) { Ok(summary) } else { Err(unknown()) }
            }
            // One that cannot be read is the business of the person at this machine.
            Err(err) if principal.owns(&Principal::local()) => Err(err),
            Err(_) => Err(unknown()),
        }
    }

    /// What a session has come to, for whoever looks at its question: an act of the client that is
    /// under way is waited for, which takes seconds, and the question waits on behind it.
    pub async fn report_after_direct_action(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await;
        self.report(id, principal).await
    }

    /// Waits until no act of the client is under way in a session.
    pub(super) async fn wait_for_direct_action(&self, id: SessionId) {
        while let Some(live) = self.runs.get(id).filter(|live| live.direct) {
            live.follower().finished().await;
        }
    }

    /// A follower of the session's run, while one is under way in this process and is the principal's.
    pub fn follow(&self, id: SessionId, principal: &Principal) -> Option<Follower> {
        let live = self.runs.get(id)?;
        let follower = live.follower();
        (principal.owns(&live.owner) && follower.running() && !follower.ended_abruptly())
            .then_some(follower)
    }

    /// How far the principal's runs have come in this process, for whoever waits on [`Self::changes`]: those
    /// tell of everybody's.
    pub fn activity(&self, principal: &Principal) -> RunActivity {
        self.runs.activity(principal)
    }

    /// Told whenever a run begins or has ended in this process.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.runs.changes()
    }

    /// Returns when the server begins to go down: whoever only watches is to leave then.
    pub async fn closing(&self) {
        self.runs.closing.cancelled().await;
    }
}
