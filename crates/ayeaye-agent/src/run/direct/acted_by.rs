//! Who acted on a phone in place of the agent, as the end of their act is recorded.
use crate::StopReason;

pub(crate) const LEFT_TO_CLIENT: &str =
    "the client acts on the phone itself; the session can be handed to the agent";
pub(super) const LEFT_BY_PERSON: &str =
    "a person acts on the phone by hand; the session can be handed to the agent";

/// Who acted on a phone in place of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActedBy {
    /// A client, through its tools.
    Client,
    /// A person, by hand.
    Person,
}

impl ActedBy {
    /// Who acted last in a session with this end; `None` if it did not end with a direct act.
    pub fn of_end(reason: StopReason, message: &str) -> Option<Self> {
        match message {
            LEFT_TO_CLIENT if reason == StopReason::UserPaused => Some(Self::Client),
            LEFT_BY_PERSON if reason == StopReason::UserPaused => Some(Self::Person),
            _ => None,
        }
    }

    /// The name of it that the page gets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Person => "person",
        }
    }
}
