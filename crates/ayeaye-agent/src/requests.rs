//! What the agent can be asked.
use crate::{DeviceId, Gesture, Principal, SessionId};

/// Who answers the agent's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyMode {
    /// The client, by going on with the session.
    #[default]
    PassToClient,
    /// A model, as the user.
    AutoReply,
    /// Nobody: the agent is told to go on.
    NoReply,
    /// An operator on the server's side.
    ManualReply,
}

impl ReplyMode {
    /// Every mode.
    pub const ALL: [Self; 4] =
        [Self::PassToClient, Self::AutoReply, Self::NoReply, Self::ManualReply];

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::PassToClient => "pass_to_client",
            Self::AutoReply => "auto_reply",
            Self::NoReply => "no_reply",
            Self::ManualReply => "manual_reply",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// A new task.
#[derive(Debug, Clone)]
pub struct StartTask {
    /// The phone.
    pub device_id: DeviceId,
    /// What the user wants.
    pub task: String,
    /// Most steps of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits the task up over apps.
    pub planner: bool,
    /// Who asks, and owns the session from then on. The same principal's repeated start is taken for the
    /// first one, lost on its way.
    pub principal: Principal,
}

/// What to go on with.
#[derive(Debug, Clone)]
pub struct ContinueTask {
    /// The session.
    pub session_id: SessionId,
    /// Must be the session's, when given.
    pub device_id: Option<DeviceId>,
    /// What the client says.
    pub input: UserInput,
    /// Whether that is nobody else's business: it is kept nowhere.
    pub reply_is_secret: bool,
    /// Most steps of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits up what is asked for, if a round begins with it. A round that goes
    /// on stays as it was begun.
    pub planner: bool,
    /// Who asks. To anybody but its owner a session is unknown.
    pub principal: Principal,
}

/// What a client says when it goes on with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserInput {
    /// A request of its own.
    Task(String),
    /// An answer, or advice.
    Reply(String),
    /// An answer to one question and to nothing else: where that is not open any more, it has been
    /// answered already, and whatever came of that is followed.
    Answer {
        /// [`Report::question_number`](crate::Report::question_number).
        question: u32,
        /// What the person said.
        text: String,
    },
    /// Nothing.
    Nothing,
}

/// An act that a client has decided.
#[derive(Debug, Clone)]
pub struct DirectAction {
    /// The phone.
    pub device_id: DeviceId,
    /// The session it belongs to; `None` for one of direct control alone, the last if it is fresh.
    pub session_id: Option<SessionId>,
    /// What to do.
    pub gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub reason: String,
    /// Whether what is typed is nobody else's business: it is kept nowhere.
    pub secret: bool,
    /// Who asks. To anybody but its owner a session is unknown.
    pub principal: Principal,
}
