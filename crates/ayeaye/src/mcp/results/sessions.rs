//! Lists of sessions.
use ayeaye_agent::{
    Agent, AgentError, Principal, Report, SessionId, SessionInBrief, StopReason, error_chain,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::text::truncate;

/// All sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    pub sessions: Vec<SessionItem>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// How to see older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
}

/// What is said of a list that is not all.
const OLDER: &str =
    "There are older sessions: call list_sessions again with `before`, the last session_id here.";

/// A session in brief.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionItem {
    pub session_id: String,
    /// Why its last run stopped; `STILL_RUNNING` if it has not.
    pub stop_reason: &'static str,
    /// Its last request.
    pub task: String,
    pub device_id: String,
    /// Its place in the queue for its phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<String>,
    /// Steps so far.
    pub global_step_idx: u32,
    /// In UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When something last happened in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl SessionList {
    /// The newest sessions, or those older than one. A session that cannot be read is listed with the reason.
    pub async fn read(
        agent: &Agent,
        principal: &Principal,
        before: Option<SessionId>,
        limit: u8,
    ) -> Result<Self, AgentError> {
        let list = agent.listed(principal, before, usize::from(limit)).await?;
        let sessions =
            list.sessions.iter().map(|(id, brief)| SessionItem::new(*id, brief.as_ref()));
        let next = list.more.then_some(OLDER);
        Ok(Self { sessions: sessions.collect(), more: list.more, next })
    }
}

impl SessionItem {
    fn new(id: SessionId, brief: Result<&SessionInBrief, &AgentError>) -> Self {
        let started_at = id.created().map(to_seconds);
        match brief {
            Ok(brief) => Self {
                session_id: id.to_string(),
                stop_reason: brief.stop_reason().name(),
                task: truncate(brief.task(), 120),
                device_id: brief.device_id().to_owned(),
                waits: match brief {
                    SessionInBrief::Run(report) => waits(report),
                    SessionInBrief::Record { .. } => None,
                },
                global_step_idx: brief.steps(),
                started_at,
                updated_at: brief.updated().map(to_seconds),
                error: None,
            },
            Err(err) => Self {
                session_id: id.to_string(),
                stop_reason: StopReason::StorageFailed.name(),
                task: String::new(),
                device_id: String::new(),
                waits: None,
                global_step_idx: 0,
                started_at,
                updated_at: None,
                error: Some(error_chain(err)),
            },
        }
    }
}

/// The message of a run that waits in the queue for its phone, if it does.
pub(crate) fn waits(report: &Report) -> Option<String> {
    let goes_on = report.stop_reason == StopReason::StillRunning;
    (goes_on && !report.message.is_empty()).then(|| report.message.clone())
}

/// A time as lists show it: to the second.
fn to_seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
