//! Who may know of which session, and what there is to see of it from outside.
use tokio::sync::watch;

use super::{Agent, AgentError, Follower, RunActivity};
use crate::journal::Summary;
use crate::report::Report;
use crate::{Principal, SessionId};

impl Agent {
    /// Whether the principal may know of a session. One that cannot be read is the business of the person
    /// at this machine.
    pub(super) async fn is_visible_to(&self, session: SessionId, principal: &Principal) -> bool {
        if let Some(owner) = self.runs.owner(session) {
            return principal.owns(&owner);
        }
        let owner = match self.deps.journal.summary(&session).await {
            Ok(summary) => Principal::from_record(summary.owner.as_deref()),
            Err(_) => Principal::local(),
        };
        principal.owns(&owner)
    }

    /// Fails for a session that is not there, and in the same way for one that is not the principal's.
    pub async fn ensure_visible(
        &self,
        session: SessionId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let known = match self.runs.owner(session) {
            Some(owner) => principal.owns(&owner),
            // One that is there and cannot be read is for the principal to hear of later.
            None => !matches!(
                self.session_summary(session, principal).await,
                Err(AgentError::UnknownSession(_))
            ),
        };
        if known { Ok(()) } else { Err(AgentError::UnknownSession(session)) }
    }

    /// The error as this principal may read it.
    pub(super) async fn redact_for(&self, err: AgentError, principal: &Principal) -> AgentError {
        match err {
            AgentError::DeviceBusy { device, session: Some(session) }
                if !self.is_visible_to(session, principal).await =>
            {
                AgentError::DeviceBusy { device, session: None }
            }
            other => other,
        }
    }

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
        match self.read_summary(id).await {
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
