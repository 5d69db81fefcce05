//! What somebody brings to a run in progress.
use tokio::sync::mpsc::error::TrySendError;

use super::registry::ActiveRun;
use super::{Agent, AgentError, Follower};
use crate::coordinator::{InboxMessage, InboxMessageBody, RunEntry, UserReply};
use crate::{ContinueTask, Question, Report, SessionId, UserInput};

/// What has become of what somebody brought to a run in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    /// The run was told.
    Told,
    /// The run was told, as advice: what it had asked was answered before.
    Advised,
    /// There was nothing to tell it.
    Followed,
    /// The run is ending and takes no more.
    TooLate,
}

impl Joined {
    /// Whether the run has `taken` what was handed to it, and how; `before` is what it had come to by then.
    fn of_handover(taken: bool, before: Option<&Report>) -> Self {
        match (taken, before.is_some_and(Report::is_answered)) {
            (true, true) => Self::Advised,
            (true, false) => Self::Told,
            (false, _) => Self::TooLate,
        }
    }

    /// How the run is followed by whoever brought it.
    pub(super) fn follow(self, run: Follower, is_answer: bool) -> Follower {
        match self {
            Self::Told | Self::TooLate => run,
            Self::Advised => run.with_advice(),
            Self::Followed => run.without_answer(is_answer),
        }
    }
}

impl Agent {
    /// Leaves the policy that comes with a call for the session, where the call begins no run: the run in progress
    /// obeys it from its next step on, else the next one does, and each act of a client's own, in whichever server.
    pub(super) async fn narrow(&self, next: &ContinueTask) -> Result<(), AgentError> {
        let Some(profile) = next.policy else { return Ok(()) };
        let message = InboxMessage::new(InboxMessageBody::Policy(profile));
        Ok(self.deps.coordinator.send(next.session_id, &message, None).await?)
    }

    /// Hands the input to a run in progress here.
    pub(super) async fn join(
        &self,
        id: SessionId,
        run: &ActiveRun,
        next: &ContinueTask,
    ) -> Result<Joined, AgentError> {
        let report = run.follower().report();
        let Some(reply) = reply_to(id, next, Some(&report))? else {
            self.narrow(next).await?;
            return Ok(Joined::Followed);
        };
        self.narrow(next).await?;
        if !reply.secret {
            return Ok(Joined::of_handover(
                self.hand_over(id, run.epoch, reply).await?,
                Some(&report),
            ));
        }
        match run.secret.try_send(InboxMessage::new(InboxMessageBody::Reply(reply))) {
            Ok(()) => {
                self.deps.coordinator.wake(id);
                Ok(Joined::of_handover(true, Some(&report)))
            }
            Err(TrySendError::Full(_)) => Err(AgentError::SessionBusy(id)),
            Err(TrySendError::Closed(_)) => Ok(Joined::TooLate),
        }
    }

    /// Hands the input to a run in progress in another server.
    pub(super) async fn join_elsewhere(
        &self,
        run: &RunEntry,
        next: &ContinueTask,
    ) -> Result<Joined, AgentError> {
        let report = match &next.input {
            // Only these depend on what is asked.
            UserInput::Answer { .. } | UserInput::Reply(_) => {
                Some(self.follow_elsewhere(run).await?.report())
            }
            _ => None,
        };
        let asked = report.as_deref();
        let reply = reply_to(run.session, next, asked)?;
        self.narrow(next).await?;
        match reply {
            Some(reply) => {
                Ok(Joined::of_handover(self.hand_over(run.session, run.epoch, reply).await?, asked))
            }
            None => Ok(Joined::Followed),
        }
    }
}

/// Refuses an answer that names no option of the question that is asked.
pub(super) fn check_answer(question: Option<&Question>, text: &str) -> Result<(), AgentError> {
    Ok(question.map_or(Ok(()), |question| question.check_answer(text))?)
}

/// What a run in progress is told; `None` where it is only followed.
fn reply_to(
    id: SessionId,
    next: &ContinueTask,
    asked: Option<&Report>,
) -> Result<Option<UserReply>, AgentError> {
    let secret = next.reply_is_secret;
    match &next.input {
        UserInput::Nothing => Ok(None),
        UserInput::Task(_) => Err(AgentError::SessionBusy(id)),
        // The model has been told that.
        UserInput::Reply(text) if asked.is_some_and(|it| it.repeats_answer(text)) => Ok(None),
        UserInput::Reply(text) => {
            check_answer(asked.and_then(|it| it.question.as_ref()), text)?;
            // It answers the question that is shown to whoever says it, and no later one.
            let asked = asked.filter(|it| it.question.is_some());
            let question = asked.map(|it| it.asked_at_step);
            Ok(Some(UserReply { text: text.clone(), question, secret }))
        }
        // Only a run that waits for the operator has a question.
        UserInput::Answer { question, text } => {
            let asked = asked.filter(|it| it.asks(*question));
            let waits = asked.is_some();
            check_answer(asked.and_then(|it| it.question.as_ref()), text)?;
            let reply = UserReply { text: text.clone(), question: Some(*question), secret };
            Ok(Some(reply).filter(|_| waits && !text.is_empty()))
        }
    }
}
