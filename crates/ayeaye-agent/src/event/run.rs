//! What is recorded of sessions, their runs and their rounds.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// See [`Fact::SessionStart`](super::Fact::SessionStart).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStart {
    /// Name of the folder in projections; the session's id unless said otherwise.
    pub task_name: String,
    /// The first request.
    pub request: String,
    /// The phone.
    pub device: DeviceRecord,
    /// Settings that shape the run, never a key.
    pub config: Map<String, Value>,
    /// Limits and reply mode of the first run.
    pub run: RunRecord,
    /// Whose it is, when it is not the person's at this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// The phone as it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Its serial.
    pub device_id: String,
    /// Such as "Pixel 7".
    pub model: String,
    /// Such as "14".
    pub android_version: String,
    /// Width and height in pixels.
    pub wm_size: [u32; 2],
}

/// What a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Most steps of this run.
    pub max_steps: u32,
    /// Who answers questions: `pass_to_client`, `auto_reply`, `no_reply`, `manual_reply`.
    pub reply_mode: String,
    /// Whether a host agent splits up what is asked for, in rounds that begin in this run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub planner: bool,
}

/// See [`Fact::SessionResume`](super::Fact::SessionResume).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionResume {
    /// `reply`, `guidance`, `next_round`, `go_on`; for one step of the client's own `direct`, or
    /// `direct_asked` while a question waits.
    pub why: String,
    /// Limits and reply mode of this run.
    pub run: RunRecord,
}

/// See [`Fact::SessionEnd`](super::Fact::SessionEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// One of the closed list.
    pub stop_reason: String,
    /// COMPLETE's return, ABORT's reason, or what went wrong.
    pub message: String,
    /// Steps of the whole session.
    pub steps: u32,
    /// Steps of this run.
    pub local_steps: u32,
    /// Of the whole session, in US dollars.
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
}

/// See [`Fact::RoundEnd`](super::Fact::RoundEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundEnd {
    /// `FINISH`, `FAIL`, or `DROPPED` for a request that was replaced by the next.
    pub status: String,
    /// What came of it.
    pub result: String,
    /// One of the closed list; empty for a request that was dropped.
    pub stop_reason: String,
    /// Steps of this round.
    pub steps: u32,
    /// Subtasks of this round.
    pub subtask_amount: u32,
    /// In US dollars.
    pub cost_usd: f64,
}
