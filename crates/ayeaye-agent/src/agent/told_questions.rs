//! Which questions clients were told, as far as this server knows.
//!
//! A call that answers a question may reach the next one and its result be lost. Made again, it would answer a
//! question that nobody has read. Whether a client has read something nobody knows; that no result was given to a
//! client that still waited for one is known. This is lost with the process: then a question is told once more.
use std::sync::{Mutex, PoisonError};

use super::Agent;
use super::recent_map::RecentMap;
use crate::question::lone_number;
use crate::{ContinueTask, QuestionKind, Report, Session, SessionId, UserInput};

/// Most sessions whose last question is remembered.
const MOST_TOLD: usize = 1024;

/// The number of the last question of each session that a client was told.
#[derive(Debug, Default)]
pub(super) struct ToldQuestions(Mutex<RecentMap<SessionId, u32, MOST_TOLD>>);

impl ToldQuestions {
    fn add(&self, session: SessionId, question: u32) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = told.take(&session).unwrap_or_default();
        told.put(session, question.max(last));
    }

    /// Whether this question or a later one was told.
    fn has(&self, session: SessionId, question: u32) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.get_mut(&session).is_some_and(|last| question <= *last)
    }
}

impl Agent {
    /// A client that waits for a result is given this one. What it asks can be answered in any words from here on.
    pub fn note_question_told(&self, report: &Report) {
        if report.question.is_some() {
            self.told.add(report.session_id, report.asked_at_step);
        }
    }

    /// The session, if this would answer its open question, which nobody was told yet: whoever says it means another
    /// question, or the call that answered the one before is made again. For a question that asks for no permission, only
    /// the words of the last answer are taken for that. The caller returns the question, and whoever is told it answers it.
    pub(super) async fn repeated_answer(&self, next: &ContinueTask) -> Option<Session> {
        let UserInput::Reply(text) = &next.input else { return None };
        // Where it cannot be read, whoever goes on with it says so.
        let summary = self.read_summary(next.session_id).await.ok()?;
        summary.question?;
        let session = self.read_session(next.session_id).await.ok()?;
        let question = session.question.as_ref()?;
        // One that was asked before this server began may have been told by another, so that words which have
        // answered nothing yet are meant for it.
        let asked_meanwhile =
            self.begun.zip(session.asked_at).is_some_and(|(begun, at)| begun < at);
        // An option's number is recorded as that option, and would be another one's of this question.
        let said_before = session.last_answer.as_ref().is_some_and(|last| {
            last == text || lone_number(text).is_some() && !question.options.is_empty()
        });
        let repeats = (said_before || question.kind == QuestionKind::Confirm && asked_meanwhile)
            && !self.told.has(session.id, session.asked_at_step);
        if repeats {
            tracing::info!(session = %session.id, "a reply came to a question that nobody was told yet");
        }
        repeats.then_some(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_remembered_the_newest_longest() {
        let told = ToldQuestions::default();
        let sessions: Vec<_> = (0..=MOST_TOLD).map(|_| SessionId::new()).collect();
        for session in &sessions {
            told.add(*session, 3);
            assert!(told.has(*session, 2) && told.has(*session, 3) && !told.has(*session, 4));
        }
        let forgotten: Vec<_> = sessions.iter().filter(|it| !told.has(**it, 3)).collect();
        assert_eq!(forgotten.len(), 1);
        // An old one that asks again is not forgotten over that.
        told.add(*forgotten[0], 3);
        assert!(told.has(*forgotten[0], 3));
    }
}
