//! What is left in the inbox of a session.
use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::StopReason;
use crate::session_id::new_uuid;

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
    /// The question that it answers, by the step that asked. Where another one is open, or none, it is dropped.
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
