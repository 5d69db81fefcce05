//! Drops a message of the inbox that the run does not take.
use serde_json::Map;

use super::Recorder;
use crate::JournalError;
use crate::coordinator::{InboxMessageId, UserReply};
use crate::event::MESSAGE_ID;
use crate::journal::{Fact, NoteKind};
use crate::secret_text::SecretKind;

const ANSWER_DROPPED: &str = "an answer was dropped: its question is not open any more";
const ADVICE_DROPPED: &str = "advice was dropped: it was left for an earlier request";

impl Recorder {
    /// Records that a message was dropped. The record does not hold its words, as they may answer a question for a secret.
    pub(crate) async fn drop_message(
        &mut self,
        id: InboxMessageId,
        reply: &UserReply,
    ) -> Result<(), JournalError> {
        if reply.secret {
            self.secrets().add_answer(SecretKind::Marked, &reply.text);
        } else if reply.question.is_some() {
            // Its question may have asked for one.
            self.secrets().add_likely_parts(SecretKind::Marked, &reply.text);
        }
        let text = if reply.question.is_some() { ANSWER_DROPPED } else { ADVICE_DROPPED };
        let mut figures = Map::new();
        figures.insert(MESSAGE_ID.to_owned(), id.to_string().into());
        let (kind, text) = (NoteKind::MessageDropped.into(), text.to_owned());
        tracing::info!(session = %self.session().id, "{text}");
        self.append(Fact::Note { kind, text, figures }).await
    }
}
