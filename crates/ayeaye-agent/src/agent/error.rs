//! Errors of the agent.
use crate::coordinator::CoordinatorError;
use crate::session::MissingSessionStart;
use crate::{DeviceError, DeviceId, JournalError, NamedSecretError, NoSuchOption, SessionId};

/// Why a request to the agent failed. There is one variant per thing the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Another session holds the phone.
    #[error("device {device} is busy: {} is driving it", device_holder(session.as_ref()))]
    DeviceBusy {
        /// The phone.
        device: DeviceId,
        /// The session that holds it, if the principal may know.
        session: Option<SessionId>,
    },
    /// A person drives the phone by hand.
    #[error("device {device} is busy: a person is driving it by hand")]
    DeviceInHand {
        /// The phone.
        device: DeviceId,
    },
    /// The person does not have the phone in hand, or no longer.
    #[error(
        "device {device} is no longer driven by hand: the time was up, or its task has resumed"
    )]
    NotInHand {
        /// The phone.
        device: DeviceId,
    },
    /// The session is running another task.
    #[error("session {0} is still running")]
    SessionBusy(SessionId),
    /// The run of the session is ending, and what was said was not passed on: it would begin another task.
    #[error("session {0} is just ending and takes no more words: nothing was passed on")]
    SessionEnding(SessionId),
    /// The session was stopped while its phone was asked for.
    #[error(
        "session {0} was stopped before it went on: nothing was done, and nothing was passed on"
    )]
    StoppedBefore(SessionId),
    /// There is no such session.
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    /// The session holds only direct actions, or a task that was dropped for another one: no task to resume.
    #[error("session {0} has no task to continue")]
    NoTask(SessionId),
    /// Its question was given up, so a reply has nothing to answer; only another task continues it.
    #[error("the request of session {0} was given up")]
    GivenUp(SessionId),
    /// The answer is the number of no option of the question, which stays open.
    #[error(transparent)]
    NoSuchOption(#[from] NoSuchOption),
    /// The session has used up its steps or its room on the disk.
    #[error("session {0} is full: its steps, or its room on the disk, are used up")]
    SessionFull(SessionId),
    /// The session belongs to another phone.
    #[error("session {session} belongs to device {its}, not to {given}")]
    WrongDevice {
        /// The session.
        session: SessionId,
        /// The phone it began on.
        its: String,
        /// The phone in the request.
        given: DeviceId,
    },
    /// The session's device id now leads to another phone: addresses are reused.
    #[error(
        "session {session} began on another phone: {device} was the model {before}, and is {now} now"
    )]
    OtherPhone {
        /// The session.
        session: SessionId,
        /// The id that both were reached by.
        device: DeviceId,
        /// The model of the phone that it began on.
        before: String,
        /// What is there now, such as "the model Pixel 9" or "another phone of that model".
        now: String,
    },
    /// The device id leads to another phone than the one that the client has looked at last, or the phone was restarted:
    /// what the act was aimed at is not on its screen.
    #[error(
        "device {device} is another phone than the one you looked at last, or it was restarted since; nothing was done on it"
    )]
    OtherPhoneThanSeen {
        /// The id that both are reached by.
        device: DeviceId,
    },
    /// A kept secret may be on the screen, and it is not known where.
    #[error("the screen of device {device} is not shown: a kept secret may be on it, and {why}")]
    ScreenWithheld {
        /// The phone.
        device: DeviceId,
        /// Why it is not known, as a clause.
        why: &'static str,
    },
    /// The phone failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The record could not be read or written.
    #[error(transparent)]
    Journal(JournalError),
    /// The other servers could not be reached, or have no room.
    #[error(transparent)]
    Coordinator(CoordinatorError),
    /// The record has no beginning.
    #[error(transparent)]
    NotARecord(#[from] MissingSessionStart),
    /// A secret that the task names is not available.
    #[error(transparent)]
    Secret(#[from] NamedSecretError),
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
}

fn device_holder(session: Option<&SessionId>) -> String {
    session.map_or_else(|| "somebody else".to_owned(), |session| format!("session {session}"))
}

impl From<JournalError> for AgentError {
    fn from(err: JournalError) -> Self {
        match err {
            JournalError::Unknown(id) => Self::UnknownSession(id),
            JournalError::MissingSessionStart(err) => Self::NotARecord(err),
            other => Self::Journal(other),
        }
    }
}

impl From<CoordinatorError> for AgentError {
    fn from(err: CoordinatorError) -> Self {
        match err {
            CoordinatorError::UnknownSession(id) => Self::UnknownSession(id),
            other => Self::Coordinator(other),
        }
    }
}
