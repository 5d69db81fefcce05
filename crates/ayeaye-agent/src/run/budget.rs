//! The budget of a run: steps, time, tokens, money and disk space.
use std::time::Duration;

use tokio::time::Instant;

use super::outcome::RunEnd;
use super::recorder::Recorder;
use crate::report::{RUN_TIME_USED_UP, SESSION_STEPS_USED_UP};
use crate::{Limits, StopReason};

/// The limits of one run, and its clock.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    begun: Instant,
}

impl Budget {
    /// Starts the clock.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, begun: Instant::now() }
    }

    /// Leaves out of the time limit the time spent waiting for a person.
    pub(super) fn leave_out(&mut self, waited: Duration) {
        self.begun += waited;
    }

    /// The end of the run, if no further step may begin.
    pub(super) fn check_step(&self, recorder: &Recorder) -> Option<RunEnd> {
        self.check_steps(recorder).or_else(|| self.check_call(recorder))
    }

    /// The end of the run, if the steps of the run or of the session are used up. During a step: whether it is the
    /// last.
    pub(super) fn check_steps(&self, recorder: &Recorder) -> Option<RunEnd> {
        let session = recorder.session();
        let used_up = |text| Some(RunEnd::new(StopReason::MaxStepsReached, text));
        if session.run.max_steps <= session.local_steps() {
            // Without their number: a call that goes on after answers has begun with more than are counted here.
            return used_up("the steps of this call are used up".to_owned());
        }
        if self.limits.session_steps <= session.counts.steps {
            let most = self.limits.session_steps;
            return used_up(format!("the {most}{SESSION_STEPS_USED_UP}"));
        }
        None
    }

    /// The end of the run, if no further model call may be made.
    pub(super) fn check_call(&self, recorder: &Recorder) -> Option<RunEnd> {
        let (limits, counts) = (&self.limits, &recorder.session().counts);
        let used_up = if limits.run_time <= self.begun.elapsed() {
            RUN_TIME_USED_UP
        } else if limits.session_tokens.is_some_and(|most| most <= counts.tokens) {
            "the tokens of this session are used up"
        } else if limits.session_cost_usd.is_some_and(|most| most <= counts.cost_usd) {
            "the money for this session is used up"
        } else if limits.session_bytes.is_some_and(|most| most <= recorder.size()) {
            "the room on the disk for this session is used up"
        } else {
            return None;
        };
        Some(RunEnd::new(StopReason::BudgetReached, used_up))
    }

    /// The least time of a call, even if the run has less left; the run's limit itself is checked before each step.
    pub(super) const LEAST_CALL: Duration = Duration::from_secs(1);

    /// The time limit of one model call.
    pub(super) fn call_limit(&self) -> Duration {
        let left = self.limits.run_time.saturating_sub(self.begun.elapsed());
        self.limits.model_call.min(left.max(Self::LEAST_CALL))
    }

    /// Whether a call with this limit got less time than usual, because the run had no more left.
    pub(super) fn cuts_short(&self, limit: Duration) -> bool {
        limit < self.limits.model_call
    }

    /// The number of attempts to get a usable reply from a model.
    pub(super) fn attempts(&self) -> u32 {
        self.limits.repairs + 1
    }
}
