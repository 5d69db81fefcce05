//! Why a run stopped.
use std::fmt;

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
    fn every_reason_is_found_by_its_name() {
        for reason in StopReason::ALL {
            assert_eq!(StopReason::from_name(reason.name()), Some(reason));
        }
    }
}
