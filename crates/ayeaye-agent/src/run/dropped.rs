//! A request that is not carried out any more.
use super::Recorder;
use super::end::record_session_end;
use crate::journal::{AgentState, Fact, ResumeReason, RoundEnd, RoundStatus, SessionResume};
use crate::session::SubtaskClosing;
use crate::{JournalError, StopReason};

const DROPPED: &str = "dropped: the user asked for something else";
const GIVEN_UP: &str = "the user gave the task up";

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

    /// Ends what a session waits for, without a run: nobody has to answer its question any more.
    pub(crate) async fn give_up(mut self) -> Result<(), JournalError> {
        let given_up = self.record_given_up().await;
        self.close().await;
        given_up
    }

    async fn record_given_up(&mut self) -> Result<(), JournalError> {
        if self.session().question.is_none() {
            return Ok(());
        }
        self.end_crashed_run().await?;
        let (why, run) = (ResumeReason::GivenUp.into(), self.session().run.clone());
        self.append(Fact::SessionResume(SessionResume { why, run })).await?;
        self.drop_round(GIVEN_UP).await?;
        record_session_end(self, StopReason::Cancelled, GIVEN_UP.to_owned()).await?;
        self.sync().await
    }
}
