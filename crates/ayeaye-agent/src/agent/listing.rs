//! Sessions in brief, for lists. Of one that is at work its run is asked, in whichever server; of every other one the
//! summary of its record is enough, so that a list of long sessions does not read their records.
use std::sync::Arc;

use jiff::Timestamp;

use super::registry::next_change;
use super::{Agent, AgentError};
use crate::coordinator::RunEntry;
use crate::journal::Summary;
use crate::report::{DIRECT_REQUEST, Report, outcome_without_end};
use crate::{Principal, SessionId, StopReason};

/// Sessions of a principal, newest first.
#[derive(Debug)]
pub struct SessionList {
    /// One that cannot be read is listed with its error.
    pub sessions: Vec<(SessionId, Result<SessionInBrief, AgentError>)>,
    /// Whether the principal has older ones.
    pub more: bool,
}

/// What a list says of a session.
#[derive(Debug, Clone)]
pub enum SessionInBrief {
    /// It is at work, or has just come to its end.
    Run(Arc<Report>),
    /// It is known from its record.
    Record {
        /// The record, summed up.
        summary: Box<Summary>,
        /// How it stands, as [`Agent::report`] says it: that of a run without a recorded end too.
        stop_reason: StopReason,
        /// What there is to say about that.
        message: String,
    },
}

impl SessionInBrief {
    /// Why its last run stopped, or [`StopReason::StillRunning`].
    pub fn stop_reason(&self) -> StopReason {
        match self {
            Self::Run(report) => report.stop_reason,
            Self::Record { stop_reason, .. } => *stop_reason,
        }
    }

    /// Why its last request stopped: what a client has done by itself since does not change what came of that.
    pub fn stop_reason_of_request(&self) -> StopReason {
        match self {
            Self::Record { summary, stop_reason, .. }
                if *stop_reason != StopReason::StillRunning =>
            {
                summary.stop_reason.unwrap_or(*stop_reason)
            }
            brief => brief.stop_reason(),
        }
    }

    /// Its last request; [`DIRECT_REQUEST`] where the client has acted by itself since.
    pub fn task(&self) -> &str {
        match self {
            Self::Run(report) => &report.task,
            Self::Record { summary, .. } if summary.by_hand.is_some() => DIRECT_REQUEST,
            Self::Record { summary, .. } => &summary.task,
        }
    }

    /// Its phone.
    pub fn device_id(&self) -> &str {
        match self {
            Self::Run(report) => &report.device.device_id,
            Self::Record { summary, .. } => &summary.device.device_id,
        }
    }

    /// Steps so far.
    pub fn steps(&self) -> u32 {
        match self {
            Self::Run(report) => report.global_steps,
            Self::Record { summary, .. } => summary.steps,
        }
    }

    /// When something last happened in it.
    pub fn updated(&self) -> Option<Timestamp> {
        match self {
            Self::Run(report) => report.updated,
            Self::Record { summary, .. } => Some(summary.last),
        }
    }
}

impl Agent {
    /// The newest `most` sessions of the principal, of those before one where it is given.
    pub async fn listed(
        &self,
        principal: &Principal,
        before: Option<SessionId>,
        most: usize,
    ) -> Result<SessionList, AgentError> {
        let ids = self.deps.journal.list().await?;
        // After the list: what is on it and runs is registered by now.
        let runs = self.deps.coordinator.runs().await.ok();
        let (mut sessions, mut more) = (Vec::new(), false);
        for id in ids.into_iter().filter(|id| before.is_none_or(|before| *id < before)) {
            if sessions.len() == most {
                more = self.ensure_visible(id, principal).await.is_ok();
                if more {
                    break;
                }
                continue;
            }
            // Where that cannot be told, each session says so.
            let has_run = |runs: &Vec<RunEntry>| runs.iter().any(|run| run.session == id);
            let registered = runs.as_ref().is_none_or(has_run);
            match self.brief_with(id, principal, registered).await {
                Err(AgentError::UnknownSession(_)) => {}
                brief => sessions.push((id, brief)),
            }
        }
        Ok(SessionList { sessions, more })
    }

    /// How a session stands, in brief: what [`report`](Self::report) says, without reading its record whole. So it does
    /// not say whether secrets that the user gave are lost with a server that died.
    pub async fn in_brief(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<SessionInBrief, AgentError> {
        self.brief_with(id, principal, true).await
    }

    /// A session in brief. Only one that may be `registered` is asked for in other servers, which a list of many finds
    /// out at once.
    async fn brief_with(
        &self,
        id: SessionId,
        principal: &Principal,
        mut registered: bool,
    ) -> Result<SessionInBrief, AgentError> {
        let ensure_owns = |owner: &Principal| {
            if principal.owns(owner) { Ok(()) } else { Err(AgentError::UnknownSession(id)) }
        };
        if let Some(owner) = self.runs.owner(id) {
            ensure_owns(&owner)?;
        }
        while let Some(changes) = self.runs.starting_anew(id) {
            next_change(changes).await;
        }
        loop {
            // Before the look at what has begun, so that what begins meanwhile is seen.
            let last_run = self.runs.last_run(id);
            let (begins, goes_on) = (self.runs.starting(id), self.runs.going_on(id));
            if let Some(run) = self.runs.get(id) {
                ensure_owns(&run.owner)?;
                return Ok(SessionInBrief::Run(run.follower().report()));
            }
            if registered && let Some(run) = self.run_elsewhere(id).await? {
                ensure_owns(&run.owner)?;
                return Ok(SessionInBrief::Run(self.follow_elsewhere(&run).await?.report()));
            }
            let summary = self.session_summary(id, principal).await?;
            if goes_on.is_some() {
                return Ok(about_to_go_on(summary));
            }
            // What has begun since would look as if it had been broken off.
            let has_begun = begins.is_none() && self.runs.starting(id).is_some();
            if has_begun || self.runs.last_run(id) != last_run {
                continue;
            }
            // Likewise in another server.
            if !registered && recorded_end(&summary).is_none() {
                registered = true;
                continue;
            }
            return Ok(self.left(id, summary));
        }
    }

    /// A session that nobody is at work on.
    fn left(&self, id: SessionId, summary: Summary) -> SessionInBrief {
        let (stop_reason, message) = match recorded_end(&summary) {
            Some(reason) => (reason, summary.message.clone()),
            None => match self.runs.unrecorded_end(id) {
                Some(told) => (told.stop_reason, told.message),
                None => outcome_without_end(summary.question.as_deref()),
            },
        };
        SessionInBrief::Record { summary: Box::new(summary), stop_reason, message }
    }
}

/// How the last run of all ended.
fn recorded_end(summary: &Summary) -> Option<StopReason> {
    summary.by_hand.or(summary.stop_reason)
}

/// Its phone may take long to answer, and nothing is recorded of that yet.
fn about_to_go_on(summary: Summary) -> SessionInBrief {
    let (stop_reason, message) = (StopReason::StillRunning, String::new());
    SessionInBrief::Record { summary: Box::new(summary), stop_reason, message }
}
