//! Who answers the agent's questions.
use crate::word_list;

word_list! {
    /// Who answers the agent's questions.
    #[derive(Default)]
    pub enum ReplyMode {
        /// The client, by continuing the session.
        #[default]
        PassToClient = "pass_to_client",
        /// A model, in the user's place.
        AutoReply = "auto_reply",
        /// Nobody: the agent is told to go on without an answer.
        NoReply = "no_reply",
        /// An operator on the server's side.
        ManualReply = "manual_reply",
    }
}

impl ReplyMode {
    /// Whether a person answers: only a person can help where the agent cannot go on by itself.
    pub fn has_person(self) -> bool {
        matches!(self, Self::PassToClient | Self::ManualReply)
    }
}
