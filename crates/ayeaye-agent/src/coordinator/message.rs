//! What is left in the inbox of a session.
use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use super::{CoordinatorError, MOST_MESSAGES};
use crate::gate::PolicyProfile;
use crate::session_id::new_uuid;
use crate::{SessionId, StopReason};

/// The name of a message: never the same twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InboxMessageId(Uuid);

/// A message for whoever runs a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxMessage {
    /// By this the record tells that it had its effect.
    pub id: InboxMessageId,
    /// What it says.
    pub body: InboxMessageBody,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxMessageBody {
    /// An answer or guidance.
    Reply(UserReply),
    /// The session's policy is narrowed by this from here on, for good.
    Policy(PolicyProfile),
    /// Stop. A later run of the session drops it.
    Stop {
        /// The run that is meant.
        run: u64,
        /// Why.
        reason: StopReason,
    },
}

/// An answer, or guidance.
#[derive(Clone, PartialEq, Eq)]
pub struct UserReply {
    /// The user's words.
    pub text: String,
    /// The question that it answers, by the step that asked; none for what nobody had asked for. Where another one is
    /// open, or none, it is dropped.
    pub question: Option<u32>,
    /// Whether the user has marked it as secret.
    pub secret: bool,
}

impl InboxMessageId {
    /// A new name.
    #[allow(clippy::new_without_default, reason = "a new name is never the same twice")]
    pub fn new() -> Self {
        Self(new_uuid())
    }
}

impl fmt::Display for InboxMessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for InboxMessageId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

impl InboxMessage {
    /// A new message.
    pub fn new(body: InboxMessageBody) -> Self {
        Self { id: InboxMessageId::new(), body }
    }
}

impl InboxMessageBody {
    pub(super) fn is_reply(&self) -> bool {
        matches!(self, Self::Reply(_))
    }

    /// Whether it has to be left behind what waits already. There is room for so many replies; the word to stop and
    /// a policy are always taken, and once is enough.
    pub(super) fn adds_to(
        &self,
        waiting: &[InboxMessage],
        session: SessionId,
    ) -> Result<bool, CoordinatorError> {
        let is_like = |it: &InboxMessage| match (&it.body, self) {
            (Self::Policy(one), Self::Policy(other)) => one == other,
            (Self::Stop { run: one, .. }, Self::Stop { run: other, .. }) => one == other,
            _ => false,
        };
        let replies = waiting.iter().filter(|it| it.body.is_reply()).count();
        if self.is_reply() && MOST_MESSAGES <= replies {
            return Err(CoordinatorError::InboxFull(session));
        }
        Ok(!waiting.iter().any(is_like))
    }
}

impl fmt::Debug for UserReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may be a secret.
        let Self { text, question, secret } = self;
        f.debug_struct("UserReply")
            .field("chars", &text.chars().count())
            .field("question", question)
            .field("secret", secret)
            .finish()
    }
}
