//! Why a run stopped.
use crate::word_list;

word_list! {
    /// Why a run stopped, or is only being followed. A closed list: clients branch on it.
    pub enum StopReason {
        /// The model said COMPLETE.
        TaskCompletedSuccessfully = "TASK_COMPLETED_SUCCESSFULLY",
        /// The model said ABORT.
        TaskAbortedByAgent = "TASK_ABORTED_BY_AGENT",
        /// A question waits for an answer.
        InfoActionNeedsReply = "INFO_ACTION_NEEDS_REPLY",
        /// The steps of this call, or of the session, are used up.
        MaxStepsReached = "MAX_STEPS_REACHED",
        /// Somebody switched the screen off, twice.
        ManualStopScreenOff = "MANUAL_STOP_SCREEN_OFF",
        /// The run could not begin.
        NotStarted = "NOT_STARTED",
        /// The operator paused it.
        UserPaused = "USER_PAUSED",
        /// The client took the task back.
        Cancelled = "CANCELLED",
        /// Not a stop: the run goes on.
        StillRunning = "STILL_RUNNING",
        /// The phone went away and did not come back in time.
        DeviceLost = "DEVICE_LOST",
        /// The model did not answer, or not in a way that could be understood.
        ModelFailed = "MODEL_FAILED",
        /// Time, tokens, money or room on the disk are used up.
        BudgetReached = "BUDGET_REACHED",
        /// The same action on the same screen again and again, or subtasks that lead nowhere.
        NoProgress = "NO_PROGRESS",
        /// The server went down in the middle of the run.
        ServerRestarted = "SERVER_RESTARTED",
        /// The record could not be written.
        StorageFailed = "STORAGE_FAILED",
    }
}

impl StopReason {
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
