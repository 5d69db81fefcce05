//! The result of a step so far. It is recorded however the step ends.
use tokio::time::Instant;

use super::millis;
use super::model_call::{BackgroundCall, CallCosts};
use super::outcome::RunEnd;
use crate::journal::{ActionRecord, AgentState, PhaseTimes, ResponseRecord, StepEnd};
use crate::{Decision, DeviceError, StopReason};

/// Builds the recorded end of a step.
#[derive(Debug, Default)]
pub(super) struct StepBuilder {
    /// The agent's state after the step, unless it follows from the outcome.
    pub(super) status: Option<AgentState>,
    pub(super) decision: Option<Decision>,
    /// The whole response, if it holds more than the decision.
    pub(super) response: Option<ResponseRecord>,
    pub(super) result: String,
    pub(super) error: Option<String>,
    /// What the phone said, or the way to it, where that is why its gesture failed.
    pub(super) device_error: Option<DeviceError>,
    /// Why it is not certain that the gesture had its effect.
    pub(super) uncertain: Option<String>,
    /// A remark on the gesture, such as one of the phone's.
    pub(super) note: Option<String>,
    pub(super) costs: CallCosts,
    pub(super) times: PhaseTimes,
    /// The screen in words, if the step ended the run.
    pub(super) caption: Option<String>,
    /// The caption that the model is writing.
    pub(super) captioning: Option<BackgroundCall>,
}

impl StepBuilder {
    /// Runs a look at the phone, and counts the time it takes as time for looking, even if it fails.
    pub(super) fn looking<T>(&mut self, look: impl Future<Output = T>) -> impl Future<Output = T> {
        // In each future around it, it would stand twice.
        let look = Box::pin(look);
        async move {
            let begun = Instant::now();
            let seen = look.await;
            self.times.data_collection += millis(begun.elapsed());
            seen
        }
    }

    /// The end of the step; `end` if it ended the run.
    pub(super) fn build(self, end: Option<&RunEnd>) -> StepEnd {
        let status = match end.map(|end| end.reason) {
            Some(StopReason::TaskCompletedSuccessfully) => AgentState::Finish,
            Some(StopReason::TaskAbortedByAgent) => AgentState::Fail,
            Some(StopReason::InfoActionNeedsReply) => self.status.unwrap_or(AgentState::Pending),
            None
            | Some(StopReason::Cancelled | StopReason::UserPaused | StopReason::ServerRestarted) => {
                self.status.unwrap_or(AgentState::Continue)
            }
            Some(
                StopReason::MaxStepsReached
                | StopReason::ManualStopScreenOff
                | StopReason::NotStarted
                | StopReason::StillRunning
                | StopReason::DeviceLost
                | StopReason::ModelFailed
                | StopReason::BudgetReached
                | StopReason::NoProgress
                | StopReason::StorageFailed,
            ) => AgentState::Error,
        };
        let (result, error) = match end {
            Some(end) if matches!(status, AgentState::Finish | AgentState::Fail) => {
                (end.message.clone(), None)
            }
            Some(end) if status == AgentState::Error => (String::new(), Some(end.message.clone())),
            _ => (self.result, self.error),
        };
        let decision = self.decision.as_ref();
        let mut times = self.times;
        times.llm_interaction += self.costs.waited_ms;
        StepEnd {
            status: status.into(),
            action: decision.map(|decision| ActionRecord::from(&decision.action)),
            response: self.response.or_else(|| decision.map(Into::into)).unwrap_or_default(),
            uncertain: self.uncertain.filter(|_| error.is_none()),
            result,
            error,
            tokens: self.costs.tokens,
            cost_usd: self.costs.cost_usd,
            cost_known: !self.costs.unpriced,
            time_ms: times,
            caption: self.caption,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    fn builder() -> StepBuilder {
        let decision = Decision {
            action: Action::Complete { message: "Sent.".to_owned() },
            thought: String::new(),
            explain: "It is there".to_owned(),
            summary: String::new(),
            observation: String::new(),
        };
        StepBuilder {
            decision: Some(decision),
            result: "done".to_owned(),
            ..StepBuilder::default()
        }
    }

    #[test]
    fn how_a_step_ends_follows_from_how_it_ends_the_run() {
        let ended = |reason: Option<StopReason>| {
            let end = reason.map(|reason| RunEnd::new(reason, "why"));
            let StepEnd { status, result, error, .. } = builder().build(end.as_ref());
            (status, result, error)
        };
        let is = |status: AgentState, result: &str, error: Option<&str>| {
            (status.into(), result.to_owned(), error.map(str::to_owned))
        };
        assert_eq!(ended(None), is(AgentState::Continue, "done", None));
        assert_eq!(
            ended(Some(StopReason::TaskCompletedSuccessfully)),
            is(AgentState::Finish, "why", None)
        );
        assert_eq!(ended(Some(StopReason::TaskAbortedByAgent)), is(AgentState::Fail, "why", None));
        assert_eq!(
            ended(Some(StopReason::InfoActionNeedsReply)),
            is(AgentState::Pending, "done", None)
        );
        assert_eq!(ended(Some(StopReason::Cancelled)), is(AgentState::Continue, "done", None));
        assert_eq!(ended(Some(StopReason::ModelFailed)), is(AgentState::Error, "", Some("why")));
        let confirmed = StepBuilder { status: Some(AgentState::Confirm), ..builder() };
        let end = RunEnd::new(StopReason::InfoActionNeedsReply, "Really?");
        assert_eq!(confirmed.build(Some(&end)).status, AgentState::Confirm);
    }

    #[test]
    fn its_line_has_what_was_decided_and_what_it_cost() {
        let mut step = builder();
        step.costs = CallCosts { cost_usd: 0.5, unpriced: true, waited_ms: 800.0, ..step.costs };
        let end = step.build(None);
        assert_eq!(end.action.unwrap().function, "COMPLETE");
        assert_eq!(end.response.comment, "It is there");
        assert!(!end.cost_known);
        let numbers = [end.cost_usd - 0.5, end.time_ms.llm_interaction - 800.0];
        assert!(numbers.iter().all(|it| it.abs() < 1e-9), "{numbers:?}");
    }
}
