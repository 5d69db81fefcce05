//! An approval in the hands of the call that came with it.
use ayeaye_agent::{Agreed, DirectOutcome, DirectRun, SessionId};

use super::{Approvals, Subject, Waiting};
use crate::one_time_codes::OneTimeCode;

/// An approval that a call has taken: no other call can use it meanwhile. It can be used again if the act was never
/// begun, was certainly not done, or turned out to need no approval.
#[derive(Debug)]
#[must_use]
pub(crate) struct TakenApproval<'a> {
    approvals: &'a Approvals,
    /// `None` once it is used.
    code: Option<OneTimeCode<Waiting>>,
    begun: bool,
}

impl<'a> TakenApproval<'a> {
    pub(super) fn new(approvals: &'a Approvals, code: OneTimeCode<Waiting>) -> Self {
        Self { approvals, code: Some(code), begun: false }
    }

    /// The act that a person has agreed to.
    pub(crate) fn agreed(&self) -> Agreed {
        match self.code.as_ref().map(|code| &code.subject.subject) {
            Some(Subject::Act(asked)) => Agreed::Act(Box::new(asked.act.clone())),
            Some(Subject::Command(_)) => Agreed::Command,
            None => Agreed::Nothing,
        }
    }

    /// Notes that the act is under way: if it is abandoned from now on, it may have been done.
    pub(crate) fn begun(&mut self) {
        self.begun = true;
    }

    /// Settles the approval by the act's outcome.
    pub(crate) fn came_of_it(mut self, acting: &DirectRun) {
        self.begun();
        // Without a result nobody knows whether it was done.
        let Some(acted) = acting.result() else { return };
        match acted.outcome {
            DirectOutcome::Done | DirectOutcome::Doubtful(_) if acted.was_agreed => {
                self.used(acted.step + 1, acted.session_id);
            }
            DirectOutcome::Done
            | DirectOutcome::Doubtful(_)
            | DirectOutcome::NotDone(_)
            | DirectOutcome::Refused(..)
            | DirectOutcome::NeedsApproval(_) => self.begun = false,
        }
    }

    /// Notes the step and the session it was used for.
    pub(super) fn used(&mut self, step: u32, in_session: SessionId) {
        if let Some(code) = self.code.take() {
            self.approvals.note_used(&code, step, in_session);
        }
    }
}

impl Drop for TakenApproval<'_> {
    fn drop(&mut self) {
        if !self.begun
            && let Some(code) = self.code.take()
        {
            self.approvals.give_back(code);
        }
    }
}
