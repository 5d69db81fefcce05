//! How questions and answers change the state of a session.
use jiff::Timestamp;

use super::super::doubt::Doubt;
use super::super::state::SessionState;
use crate::approval::{self, Approval};
use crate::event::{Answer, AnswerSource, QuestionAsked};
use crate::{HistoryItem, Question, QuestionKind};

impl SessionState {
    pub(super) fn ask(&mut self, question: Question, at: Timestamp) {
        let is_confirm = question.kind == QuestionKind::Confirm;
        let gate = self.acts.proposed.take();
        let decision = self.in_progress.decision.as_ref();
        let approval = || Approval::requested(&question, decision, gate);
        self.pending_approval = is_confirm.then(approval);
        self.approval = None;
        self.counts.keyboard_questions += u32::from(question.is_about_keyboard());
        if self.in_progress.step.is_some() {
            self.in_progress.asked = Some(question.clone());
        }
        self.question = Some(question);
        // Before the first step a run may ask again and again, for a phone that cannot be made ready.
        self.asked_at = Some(at);
        self.asked_at_step = self.counts.steps.max(self.next_question);
        self.next_question = self.asked_at_step.saturating_add(1);
    }

    pub(super) fn take_answer(&mut self, answer: &Answer) {
        if let Some(id) = &answer.message_id {
            self.note_taken(id);
        }
        // What nobody asked for answers nothing.
        let guidance = answer.source == AnswerSource::Guidance;
        let said = &answer.answers;
        let yes = !said.is_empty() && said.iter().all(|text| approval::is_yes(text));
        if guidance {
            self.planning.add_guidance(said);
            // Whatever else the user says after a yes may be about that act: it is asked about again.
            self.approval = self.approval.take().filter(|_| yes);
        } else {
            let by_a_person = [AnswerSource::Client, AnswerSource::Manual].map(Into::into);
            let asked = self.question.take();
            let by_a_person = by_a_person.contains(&answer.source);
            if by_a_person {
                self.last_answer = answer.answers.last().cloned();
                self.answered = asked.clone().zip(self.last_answer.clone());
            }
            if let Some(asked) = &asked {
                self.planning.add_answer(&asked.text, &answer.answers, by_a_person);
            }
            let approval = self.pending_approval.take();
            // Within a step its act is doubted when it ends.
            let is_of_last_act = approval.is_some() && self.in_progress.step.is_none();
            self.approval = approval.filter(|_| yes);
            if is_of_last_act {
                self.answer_doubt();
            }
        }
        let kind = if guidance { HistoryItem::Advice } else { HistoryItem::UserReply };
        let said = answer.answers.iter().cloned().map(kind);
        if self.in_progress.step.is_some() {
            self.in_progress.answered |= !guidance;
            self.in_progress.replies.extend(said);
        } else {
            said.for_each(|item| self.push_history(item));
        }
    }

    /// Updates the doubt about the last act by the user's answer about it; a no has a sentence of its own.
    pub(super) fn answer_doubt(&mut self) {
        let doubt = self.doubt.take();
        self.doubt = if self.approval.is_some() {
            doubt.map(Doubt::after_yes)
        } else {
            doubt.filter(|_| self.acts.declined().is_none())
        };
    }
}

impl From<&QuestionAsked> for Question {
    fn from(asked: &QuestionAsked) -> Self {
        Self {
            kind: asked.kind.known().unwrap_or(QuestionKind::Info),
            text: asked.questions.join("\n"),
            options: asked.options.clone(),
            app: asked.app.clone(),
        }
    }
}
