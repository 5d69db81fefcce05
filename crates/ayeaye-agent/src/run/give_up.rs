//! Gives up a session that waits for an answer, without a run.
use super::Recorder;
use super::end::record_session_end;
use super::model_call::{CallNumbers, lost_response};
use super::recover::recovered_step;
use crate::coordinator::{InboxMessageId, UserReply};
use crate::journal::{Fact, ResumeReason, SessionResume};
use crate::{JournalError, StopReason};

const GIVEN_UP: &str = "The task was stopped, and its question given up.";

impl Recorder {
    /// Gives up the open question and the request it belongs to, and drops the `left` messages, which were for them.
    pub(crate) async fn give_up(
        mut self,
        left: &[(InboxMessageId, UserReply)],
    ) -> Result<(), JournalError> {
        let given_up = self.record_given_up(left).await;
        self.close().await;
        given_up
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

    /// Ends a step that a crash left open while its question waited.
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
}
