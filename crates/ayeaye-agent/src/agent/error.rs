//! Why the agent refuses.
use crate::session::MissingSessionStart;
use crate::{DeviceError, DeviceId, JournalError, SessionId};

/// Why the agent did not do what it was asked. Variants are by what the caller can do.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Another session drives the phone.
    #[error("device {device} is busy: {} is driving it", device_holder(session.as_ref()))]
    DeviceBusy {
        /// The phone.
        device: DeviceId,
        /// Who has it; nothing where that is none of the principal's business.
        session: Option<SessionId>,
    },
    /// Another process drives the phone.
    #[error("device {0} is busy: another ayeaye process is driving it")]
    DeviceTaken(DeviceId),
    /// Another process drives the session.
    #[error("session {0} is being driven by another ayeaye process")]
    DrivenElsewhere(SessionId),
    /// The session is at work on something else.
    #[error("session {0} is still at work")]
    SessionBusy(SessionId),
    /// There is no such session.
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    /// There is nothing in the session that the agent could go on with.
    #[error("session {0} has no task yet: in it the client has acted on the phone itself")]
    NoTask(SessionId),
    /// The session takes no further step.
    #[error("session {0} is full: its steps, or its room on the disk, are used up")]
    SessionFull(SessionId),
    /// A session stays on its phone.
    #[error("session {session} belongs to device {its}, not to {given}")]
    WrongDevice {
        /// The session.
        session: SessionId,
        /// The phone it began on.
        its: String,
        /// The one that was named.
        given: DeviceId,
    },
    /// The phone is in trouble.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The record is in trouble.
    #[error(transparent)]
    Journal(JournalError),
    /// The record is not one.
    #[error(transparent)]
    NotARecord(#[from] MissingSessionStart),
    /// The server is going down.
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
