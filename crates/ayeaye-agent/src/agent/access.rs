//! Visibility of sessions, and read-only views of them.
use std::borrow::Cow;
use std::collections::HashSet;

use tokio::sync::watch;

use super::{Agent, AgentError, Follower, RunActivity};
use crate::coordinator::{RunEntry, RunKind};
use crate::journal::{Event, Fact, SessionBuilder, Summary};
use crate::report::Report;
use crate::{Elements, Principal, SessionId, StepSummary, error_chain};

impl Agent {
    /// Whether the principal may see a session. An unreadable session is visible to the local user only.
    pub(super) async fn is_visible_to(&self, session: SessionId, principal: &Principal) -> bool {
        principal.owns(&self.owner_of(session).await)
    }

    /// Whose session it is.
    pub(super) async fn owner_of(&self, session: SessionId) -> Principal {
        if let Some(owner) = self.owner_of_run(session).await {
            return owner;
        }
        match self.deps.journal.summary(&session).await {
            Ok(summary) => Principal::from_record(summary.owner.as_deref()),
            Err(_) => Principal::local(),
        }
    }

    /// Whose session it is, if it is at work in any server. Its record may not have begun.
    async fn owner_of_run(&self, session: SessionId) -> Option<Principal> {
        if let Some(owner) = self.runs.owner(session) {
            return Some(owner);
        }
        self.deps.coordinator.run_of(session).await.ok().flatten().map(|run| run.owner)
    }

    /// A text from a phone, such as a log, without the secrets that this process has met in any session.
    pub fn without_secrets(&self, text: &str) -> String {
        self.secret_stores.redact(text)
    }

    /// A text from a phone's screen without the user's named secrets, which no model is told, a client's neither.
    /// Others see the screen as it is: to them a name in its place would tell that they have found the secret.
    pub fn without_named_secrets<'a>(&self, text: &'a str, reader: &Principal) -> Cow<'a, str> {
        if reader.owns(&Principal::local()) {
            self.secret_stores.hide_named(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// A phone's elements without the texts of those that show a named secret of the user's only together: a box for each
    /// letter. As [`without_named_secrets`](Self::without_named_secrets) has it for one text.
    pub fn without_spread_secrets(&self, elements: Elements, reader: &Principal) -> Elements {
        if !reader.owns(&Principal::local()) || !self.secret_stores.has_named() {
            return elements;
        }
        elements.without_spread(|text| self.secret_stores.places_of_named(text))
    }

    /// Fails for an unknown session and, with the same error, for one owned by another principal.
    pub async fn ensure_visible(
        &self,
        session: SessionId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let known = match self.owner_of_run(session).await {
            Some(owner) => principal.owns(&owner),
            // An unreadable session fails later, with a better error.
            None => !matches!(
                self.session_summary(session, principal).await,
                Err(AgentError::UnknownSession(_))
            ),
        };
        if known { Ok(()) } else { Err(AgentError::UnknownSession(session)) }
    }

    /// The error without what this principal may not see.
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

    /// The summary of a session; usually read from a cache, unless the session is being written.
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
            // An unreadable session is visible to the local user only.
            Err(err) if principal.owns(&Principal::local()) => Err(err),
            Err(_) => Err(unknown()),
        }
    }

    /// Every step of a session in which something was decided, of all its runs, oldest first.
    pub async fn steps(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Vec<StepSummary>, AgentError> {
        self.ensure_visible(id, principal).await?;
        let mut session = SessionBuilder::new(id);
        let mut steps: Vec<StepSummary> = Vec::new();
        let mut each = |event: Event| {
            session.apply(&event);
            if let (Fact::StepEnd(_), Some(session)) = (&event.entry.fact, session.session()) {
                steps.extend(
                    session.last_step().filter(|it| Some(it.step) == event.entry.step).cloned(),
                );
            }
        };
        self.deps.journal.visit_compact(&id, &mut each).await?;
        Ok(steps)
    }

    /// Like [`report`](Self::report), after any direct action in progress: that takes seconds, and a
    /// question that was open before it is still open after it.
    pub async fn report_after_direct_action(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await?;
        self.report(id, principal).await
    }

    /// Waits until no direct action is in progress in a session.
    pub(super) async fn wait_for_direct_action(&self, id: SessionId) -> Result<(), AgentError> {
        while let Some(live) = self.runs.get(id).filter(|live| live.direct) {
            live.follower().finished().await;
        }
        if let Some(run) = self.run_elsewhere(id).await?
            && run.kind == RunKind::Act
        {
            self.ended_elsewhere(&run).await?;
        }
        Ok(())
    }

    /// A follower of the session's run, if the principal owns one in progress, in whichever server.
    pub async fn follow(&self, id: SessionId, principal: &Principal) -> Option<Follower> {
        let follower = match self.runs.get(id) {
            Some(live) => Some(live.follower()).filter(|_| principal.owns(&live.owner)),
            None => self.follow_in_other_server(id, principal).await,
        }?;
        (follower.running() && !follower.ended_abruptly()).then_some(follower)
    }

    /// The sessions of the principal that this server or another one is at work on, or that wait for a phone, as far as
    /// that can be told.
    pub async fn sessions_at_work(&self, principal: &Principal) -> HashSet<SessionId> {
        let runs = self.deps.coordinator.runs().await.unwrap_or_else(|err| {
            tracing::debug!("which sessions go on: {}", error_chain(&err));
            Vec::new()
        });
        let is_its = |run: &RunEntry| run.kind != RunKind::InHand && principal.owns(&run.owner);
        runs.into_iter().filter(is_its).map(|run| run.session).collect()
    }

    async fn follow_in_other_server(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Option<Follower> {
        let following = async {
            match self.run_elsewhere(id).await? {
                Some(run) if principal.owns(&run.owner) => {
                    self.follow_elsewhere(&run).await.map(Some)
                }
                _ => Ok(None),
            }
        };
        following.await.unwrap_or_else(|err| {
            tracing::debug!(session = %id, "it cannot be followed: {}", error_chain(&err));
            None
        })
    }

    /// Counts the principal's runs, of all servers. Compare it after [`Self::changes`] fires, which it
    /// does for every principal's runs.
    pub fn activity(&self, principal: &Principal) -> RunActivity {
        self.runs.activity(principal)
    }

    /// Changes whenever a run begins or ends, in whichever server.
    pub fn changes(&self) -> watch::Receiver<()> {
        let changes = self.runs.changes();
        self.watch_elsewhere();
        changes
    }

    /// Returns when the server begins to shut down, so that watchers can disconnect.
    pub async fn closing(&self) {
        self.runs.closing.cancelled().await;
    }
}
