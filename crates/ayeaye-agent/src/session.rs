//! What a session is called and how a run of it can stop.
use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The name of a session: 128 bits, sorted by time of birth (UUID version 7).
///
/// It is parsed before it goes anywhere near a path, so that no client can name a file with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Uuid);

/// A text that is not a session's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a session_id: it is the text that ask_agent_start_new_task returned")]
pub struct InvalidSessionId(String);

impl SessionId {
    /// A new name.
    #[allow(clippy::new_without_default, reason = "a new name is never the same twice")]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Only the one spelling we write: a session has one name.
        match Uuid::try_parse(text) {
            Ok(uuid) if uuid.hyphenated().to_string() == text => Ok(Self(uuid)),
            _ => Err(InvalidSessionId(text.chars().take(64).collect())),
        }
    }
}

/// Why a run stopped, or is only being followed. A closed list: clients branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model said COMPLETE.
    TaskCompletedSuccessfully,
    /// The model said ABORT.
    TaskAbortedByAgent,
    /// A question waits for an answer.
    InfoActionNeedsReply,
    /// The steps of this call, or of the session, are used up.
    MaxStepsReached,
    /// Somebody switched the screen off, twice.
    ManualStopScreenOff,
    /// The run could not begin.
    NotStarted,
    /// The operator paused it.
    UserPaused,
    /// The client took the task back.
    Cancelled,
    /// Not a stop: the run goes on.
    StillRunning,
    /// The phone went away and did not come back in time.
    DeviceLost,
    /// The model did not answer, or not in a way that could be understood.
    ModelFailed,
    /// Time, tokens or money are used up.
    BudgetReached,
    /// The same action on the same screen, again and again.
    NoProgress,
    /// The server went down in the middle of the run.
    ServerRestarted,
    /// The record could not be written.
    StorageFailed,
}

impl StopReason {
    /// Every one.
    pub const ALL: [Self; 15] = [
        Self::TaskCompletedSuccessfully,
        Self::TaskAbortedByAgent,
        Self::InfoActionNeedsReply,
        Self::MaxStepsReached,
        Self::ManualStopScreenOff,
        Self::NotStarted,
        Self::UserPaused,
        Self::Cancelled,
        Self::StillRunning,
        Self::DeviceLost,
        Self::ModelFailed,
        Self::BudgetReached,
        Self::NoProgress,
        Self::ServerRestarted,
        Self::StorageFailed,
    ];

    /// The word on the wire and in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::TaskCompletedSuccessfully => "TASK_COMPLETED_SUCCESSFULLY",
            Self::TaskAbortedByAgent => "TASK_ABORTED_BY_AGENT",
            Self::InfoActionNeedsReply => "INFO_ACTION_NEEDS_REPLY",
            Self::MaxStepsReached => "MAX_STEPS_REACHED",
            Self::ManualStopScreenOff => "MANUAL_STOP_SCREEN_OFF",
            Self::NotStarted => "NOT_STARTED",
            Self::UserPaused => "USER_PAUSED",
            Self::Cancelled => "CANCELLED",
            Self::StillRunning => "STILL_RUNNING",
            Self::DeviceLost => "DEVICE_LOST",
            Self::ModelFailed => "MODEL_FAILED",
            Self::BudgetReached => "BUDGET_REACHED",
            Self::NoProgress => "NO_PROGRESS",
            Self::ServerRestarted => "SERVER_RESTARTED",
            Self::StorageFailed => "STORAGE_FAILED",
        }
    }

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The round is over: the next words of the user open another.
    pub fn ends_round(self) -> bool {
        match self {
            Self::TaskCompletedSuccessfully | Self::TaskAbortedByAgent => true,
            Self::InfoActionNeedsReply
            | Self::MaxStepsReached
            | Self::ManualStopScreenOff
            | Self::NotStarted
            | Self::UserPaused
            | Self::Cancelled
            | Self::StillRunning
            | Self::DeviceLost
            | Self::ModelFailed
            | Self::BudgetReached
            | Self::NoProgress
            | Self::ServerRestarted
            | Self::StorageFailed => false,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_spelling() {
        let id = SessionId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!(id.to_string().to_uppercase().parse::<SessionId>().is_err());
        for hostile in ["", "../../etc/passwd", "{01890a5d-ac96-774b-bcce-b302099a8057}"] {
            assert!(hostile.parse::<SessionId>().is_err(), "{hostile}");
        }
    }

    #[test]
    fn every_reason_is_found_by_its_name() {
        for reason in StopReason::ALL {
            assert_eq!(StopReason::from_name(reason.name()), Some(reason));
        }
    }
}
