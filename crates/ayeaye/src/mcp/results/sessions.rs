//! Lists of sessions.
use ayeaye_agent::{Agent, Principal, Report, StopReason, error_chain};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::tool_error::ToolError;
use crate::text::truncate;

/// All sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    /// Newest first.
    pub sessions: Vec<SessionItem>,
}

/// A session in brief.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionItem {
    /// Its name in the other tools.
    pub session_id: String,
    /// Why its last run stopped; `STILL_RUNNING` if it has not.
    pub stop_reason: &'static str,
    /// Its last request.
    pub task: String,
    /// Its phone.
    pub device_id: String,
    /// Its place in the queue for its phone, while it is waiting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<String>,
    /// Steps so far.
    pub global_step_idx: u32,
    /// When it began: RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When something last happened in it: RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// What is wrong with its record, when it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl SessionList {
    /// Reads the newest sessions. One that cannot be read is in the list, with the reason.
    pub async fn read(agent: &Agent, principal: &Principal, limit: u8) -> Result<Self, ToolError> {
        let mut sessions = Vec::new();
        for (id, report) in agent.sessions(principal, usize::from(limit)).await? {
            sessions.push(match report {
                Ok(report) => SessionItem {
                    session_id: id.to_string(),
                    stop_reason: report.stop_reason.name(),
                    task: truncate(&report.task, 120),
                    device_id: report.device.device_id.clone(),
                    waits: waits(&report),
                    global_step_idx: report.global_steps,
                    started_at: id.created().map(to_seconds),
                    updated_at: report.updated.map(to_seconds),
                    error: None,
                },
                Err(err) => SessionItem {
                    session_id: id.to_string(),
                    stop_reason: StopReason::StorageFailed.name(),
                    task: String::new(),
                    device_id: String::new(),
                    waits: None,
                    global_step_idx: 0,
                    started_at: id.created().map(to_seconds),
                    updated_at: None,
                    error: Some(error_chain(&err)),
                },
            });
        }
        Ok(Self { sessions })
    }
}

/// What a run that goes on says of itself: it waits for its phone.
pub(crate) fn waits(report: &Report) -> Option<String> {
    let goes_on = report.stop_reason == StopReason::StillRunning;
    (goes_on && !report.message.is_empty()).then(|| report.message.clone())
}

/// A time as lists show it: to the second.
pub(in crate::mcp) fn to_seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
