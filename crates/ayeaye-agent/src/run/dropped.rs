//! A request that is not carried out any more.
use serde_json::Map;

use super::Recorder;
use super::end::record_session_end;
use super::model_call::{CallNumbers, lost_response};
use super::recover::recovered_step;
use crate::coordinator::{InboxMessageId, UserReply};
use crate::event::{MESSAGE_ID, POLICY};
use crate::gate::PolicyProfile;
use crate::journal::{
    AgentState, Fact, NoteKind, ResumeReason, RoundEnd, RoundStatus, SessionResume,
};
use crate::secret_text::SecretKind;
use crate::session::SubtaskClosing;
use crate::{JournalError, StopReason};

const DROPPED: &str = "dropped: the user asked for something else";
const ANSWER_DROPPED: &str = "an answer was dropped: its question is not open any more";
const ADVICE_DROPPED: &str = "advice was dropped: it was left for an earlier request";
const GIVEN_UP: &str = "The task was stopped, and its question given up.";

impl Recorder {
    /// Records the end of a run that has crashed.
    pub(super) async fn end_crashed_run(&mut self) -> Result<(), JournalError> {
        let session = self.session();
        if session.run_ended {
            return Ok(());
        }
        // The round may have ended before the crash.
        let stopped = session.stopped.clone();
        let (reason, message) = stopped.unwrap_or_else(|| session.crash_outcome());
        record_session_end(self, reason, message).await
    }

    /// Ends a round whose request is not carried out any more.
    pub(super) async fn drop_round(&mut self, result: &str) -> Result<(), JournalError> {
        if !self.session().round_open {
            return Ok(());
        }
        let planning = &self.session().planning;
        let dropped = planning.current.as_ref().map(|subtask| {
            let (status, result) = match planning.closing.clone() {
                Some(SubtaskClosing::End { status, result }) => (status, result),
                _ => (AgentState::Fail.into(), DROPPED.to_owned()),
            };
            Fact::SubtaskEnd { index: subtask.index, status, result }
        });
        if let Some(fact) = dropped {
            self.append(fact).await?;
        }
        let session = self.session();
        let end = RoundEnd {
            status: RoundStatus::Dropped.into(),
            result: result.to_owned(),
            stop_reason: None,
            steps: session.counts.round_steps,
            subtask_amount: session.planning.assigned,
            cost_usd: session.counts.round_cost_usd,
        };
        self.append(Fact::RoundEnd(end)).await
    }

    /// Records that a message is not taken, without its words: they may answer a question for a secret.
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

    /// Narrows the session's policy for good.
    pub(crate) async fn narrow_policy(
        &mut self,
        profile: PolicyProfile,
    ) -> Result<(), JournalError> {
        let name = profile.name();
        if self.session().policy.iter().any(|it| it == name) {
            return Ok(());
        }
        let mut figures = Map::new();
        figures.insert(POLICY.to_owned(), name.into());
        let text = format!("from here on the policy of this session is also {name}");
        self.append(Fact::Note { kind: NoteKind::PolicyNarrowed.into(), text, figures }).await
    }

    /// Ends what a session waits for, without a run: nobody has to answer its question any more. The `left` messages
    /// were for what is given up.
    pub(crate) async fn give_up(
        mut self,
        left: &[(InboxMessageId, UserReply)],
    ) -> Result<(), JournalError> {
        let given_up = self.record_given_up(left).await;
        self.close().await;
        given_up
    }

    /// Ends a step that a crash has left open while its question waited.
    async fn close_step(&mut self) -> Result<(), JournalError> {
        let session = self.session();
        let open = &session.in_progress;
        if open.step.is_none() {
            return Ok(());
        }
        let agent = (!open.by_client).then(|| session.current_agent());
        let end = recovered_step(session).build(None);
        if let Some((call_id, request_number, iteration)) = open.call {
            let call = CallNumbers { call_id, request_number, iteration };
            let lost = lost_response(session, call, None);
            self.append(Fact::LlmResponse(lost)).await?;
        }
        let status = end.status.clone();
        self.append(Fact::StepEnd(end)).await?;
        match agent {
            Some(agent) => self.set_agent_state(&agent, status).await,
            None => Ok(()),
        }
    }

    async fn record_given_up(
        &mut self,
        left: &[(InboxMessageId, UserReply)],
    ) -> Result<(), JournalError> {
        if self.session().question.is_none() {
            return Ok(());
        }
        for (id, reply) in left {
            if !self.session().has_taken(&id.to_string()) {
                self.drop_message(*id, reply).await?;
            }
        }
        self.close_step().await?;
        self.end_crashed_run().await?;
        let (why, run) = (ResumeReason::GivenUp.into(), self.session().run.clone());
        self.append(Fact::SessionResume(SessionResume { why, run })).await?;
        self.drop_round(GIVEN_UP).await?;
        record_session_end(self, StopReason::Cancelled, GIVEN_UP.to_owned()).await?;
        self.sync().await
    }
}
