//! Ends a round whose request is not carried out any more.
use super::Recorder;
use crate::JournalError;
use crate::journal::{AgentState, Fact, RoundEnd, RoundStatus};
use crate::session::SubtaskClosing;

const DROPPED: &str = "dropped: the user asked for something else";

impl Recorder {
    /// Ends the open round, if there is one, and its subtask, as dropped.
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
}
