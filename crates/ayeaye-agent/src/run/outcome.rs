//! How steps and runs end.
use super::cancel::Cancelled;
use crate::report::UNUSABLE;
use crate::{DeviceError, JournalError, ModelError, ParseError, StopReason, error_chain};

/// Why a run stopped, and the message for its report.
#[derive(Debug)]
pub(crate) struct RunEnd {
    pub(super) reason: StopReason,
    pub(super) message: String,
}

impl RunEnd {
    pub(super) fn new(reason: StopReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

/// What follows a step without an error.
#[derive(Debug)]
pub(super) enum StepOutcome {
    /// The next step.
    Continue,
    /// The end of the run: the request was carried out or given up, or a question is open.
    Stop(RunEnd),
}

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    /// The record cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The run was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The phone could not be reset for the first step.
    #[error(transparent)]
    NotReady(DeviceError),
    /// The phone went away and did not come back in time.
    #[error(transparent)]
    DeviceLost(DeviceError),
    /// The phone did not list its apps.
    #[error("planning over the phone's apps failed")]
    NoApps(#[source] DeviceError),
    /// A person at the phone has to help.
    #[error("{text}")]
    NeedsTakeover {
        /// What the person is asked to do.
        text: String,
        /// The app in front.
        app: Option<String>,
    },
    /// Somebody keeps switching the screen off.
    #[error("the screen was switched off again right after it was woken")]
    ScreenOff,
    /// The model did not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model's replies could not be parsed, several times in a row.
    #[error("{model} {UNUSABLE}{attempts} times in a row; the last: {}{said}", why.for_people())]
    UnusableReplies {
        /// Whose replies, such as "the model's".
        model: &'static str,
        attempts: u32,
        why: ParseError,
        /// The last one, quoted behind a sentence; empty where it must not be told.
        said: String,
    },
    /// The budget was used up by a call whose reply could not be used; the message of the run's end.
    #[error("{0}")]
    BudgetUsedUp(String),
    /// Encoding the picture panicked.
    #[error("the screen could not be encoded")]
    Encoding(#[source] tokio::task::JoinError),
    /// The acting model repeats itself without effect; what it has tried.
    #[error("{0}")]
    Stuck(String),
    /// The screen that a model was shown had not come to rest; the step looks again.
    #[error("the screen still moved")]
    ScreenMoved,
    /// It could not be looked at whether the screen that a model was shown had come to rest; the step looks again.
    #[error("the screen could not be looked at: {0}")]
    ScreenUnseen(DeviceError),
    /// The plan does not get on.
    #[error("{0}")]
    NoProgress(String),
}

impl RunError {
    /// Whether the step must look at the phone again, as the model's screen is not known to be the settled one.
    pub(super) fn looks_again(&self) -> bool {
        matches!(self, Self::ScreenMoved | Self::ScreenUnseen(_))
    }

    pub(super) fn reason(&self) -> StopReason {
        match self {
            Self::Journal(_) => StopReason::StorageFailed,
            Self::Cancelled(cancelled) => cancelled.reason,
            Self::NotReady(_) => StopReason::NotStarted,
            Self::DeviceLost(_) | Self::NoApps(_) | Self::ScreenUnseen(_) => StopReason::DeviceLost,
            Self::NeedsTakeover { .. } => StopReason::InfoActionNeedsReply,
            Self::ScreenOff => StopReason::ManualStopScreenOff,
            Self::Model(_) | Self::UnusableReplies { .. } | Self::Encoding(_) => {
                StopReason::ModelFailed
            }
            Self::BudgetUsedUp(_) => StopReason::BudgetReached,
            Self::Stuck(_) | Self::NoProgress(_) | Self::ScreenMoved => StopReason::NoProgress,
        }
    }
}

impl From<RunError> for RunEnd {
    fn from(err: RunError) -> Self {
        Self::new(err.reason(), error_chain(&err))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_not_told_what_the_model_is_to_do() {
        let end = |why: ParseError| {
            let (model, attempts, said) = ("the model's", 3, ". It: \"no\"".to_owned());
            RunEnd::from(RunError::UnusableReplies { model, attempts, why, said }).message
        };
        let told = |what: &str| {
            format!(
                "the model's reply could not be used, 3 times in a row; the last: {what}. It: \"no\""
            )
        };
        for (why, what) in [
            ("it names no action; give it as one JSON object", "it names no action"),
            (
                "the model refuses to go on; do another step, or give up",
                "the model refuses to go on",
            ),
            ("`a; b` is no action; use another", "`a; b` is no action"),
            ("it is empty", "it is empty"),
        ] {
            assert_eq!(end(ParseError::new(why)), told(what));
            let why = ParseError::new(why).with_way_out("serve it otherwise");
            assert_eq!(end(why), told(&format!("{what}; serve it otherwise")));
        }
    }

    #[test]
    fn the_message_of_an_end_names_every_cause() {
        let source = std::io::Error::other("no space left on device");
        let storage = JournalError::Storage { what: "events.jsonl".to_owned(), source };
        let end = RunEnd::from(RunError::from(storage));
        assert_eq!(end.reason, StopReason::StorageFailed);
        assert_eq!(end.message, "cannot use events.jsonl: no space left on device");
        let gone = DeviceError::NotFound(crate::DeviceId::new("phone-1"));
        let reason = gone.to_string();
        let end = RunEnd::from(RunError::NoApps(gone));
        assert_eq!(end.message, format!("planning over the phone's apps failed: {reason}"));
    }
}
