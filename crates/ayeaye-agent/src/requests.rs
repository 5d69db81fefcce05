//! Requests to the agent.
use crate::event::GateRecord;
use crate::gate::PolicyProfile;
use crate::{DeviceId, Gesture, Principal, ReplyMode, SessionId};

/// A new task.
#[derive(Debug, Clone)]
pub struct StartTask {
    /// The phone.
    pub device_id: DeviceId,
    /// What the user wants.
    pub task: String,
    /// The step limit of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits the task into subtasks over apps.
    pub planner: bool,
    /// By what the policy is narrowed for the session.
    pub policy: Option<PolicyProfile>,
    /// Whether it waits its turn where the phone is busy, and is not refused.
    pub queue: bool,
    /// Who asks, and will own the session. A repeated start by the same principal follows the first
    /// one: its reply may have been lost.
    pub principal: Principal,
}

/// A request to continue a session.
#[derive(Debug, Clone)]
pub struct ContinueTask {
    /// The session.
    pub session_id: SessionId,
    /// Must be the session's device, when given.
    pub device_id: Option<DeviceId>,
    /// What the user says.
    pub input: UserInput,
    /// Whether the reply is secret: then it is recorded nowhere.
    pub reply_is_secret: bool,
    /// The step limit of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits up a request that begins a new round. A round that goes on keeps
    /// its mode.
    pub planner: bool,
    /// By what the policy is narrowed from here on.
    pub policy: Option<PolicyProfile>,
    /// Who asks. A session is unknown to everybody but its owner.
    pub principal: Principal,
    /// By which of the principal's connections, where these are told apart: clients that share a token.
    pub connection: Option<String>,
}

/// What the user says when a session continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserInput {
    /// A new request.
    Task(String),
    /// An answer, or guidance.
    Reply(String),
    /// An answer to one particular question. If that is no longer open, it has been answered already,
    /// and the outcome of that answer is followed: [`Follower::has_dropped_answer`](crate::Follower::has_dropped_answer)
    /// tells it.
    Answer {
        /// [`Report::question_number`](crate::Report::question_number).
        question: u32,
        /// The answer.
        text: String,
    },
    /// Nothing.
    Nothing,
}

impl UserInput {
    /// Whether it answers a particular question. An answer without text only follows.
    pub(crate) fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { text, .. } if !text.is_empty())
    }
}

/// An action that the client has decided itself.
#[derive(Debug, Clone)]
pub struct DirectAction {
    /// The phone.
    pub device_id: DeviceId,
    /// The session to record it in; `None` for the client's recent direct session on this phone, or a
    /// new one.
    pub session_id: Option<SessionId>,
    /// What to do.
    pub gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub reason: String,
    /// Whether the typed text is secret: then it is recorded nowhere.
    pub secret: bool,
    /// What a person has agreed to.
    pub agreed: Agreed,
    /// Whether a person does it with their own hands, who may have the phone in hand. Meanwhile it is theirs alone.
    pub by_hand: bool,
    /// Who asks. A session is unknown to everybody but its owner.
    pub principal: Principal,
}

/// What a person has agreed to, of a direct action that the gate asks about.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Agreed {
    /// Nothing: the gate may ask.
    #[default]
    Nothing,
    /// This very command, whatever the screen shows.
    Command,
    /// The act that the gate has asked about, on its element, app and screen; on no other.
    Act(Box<GateRecord>),
}

/// What the gate asks about: an action that waits for a person's yes.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// The question for the person.
    pub question: String,
    /// Which act it is; with it as [`Agreed::Act`] the same action goes ahead.
    pub act: GateRecord,
}
