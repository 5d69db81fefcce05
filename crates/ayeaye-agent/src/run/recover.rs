//! Recovery: whatever a crash left open is closed before anything new begins.
//!
//! A call without a response has failed. Of a gesture without an outcome the phone says whether it began, where
//! it can; else it may have been carried out. It is never repeated from here. A step without an end has failed.
use super::actor::RESET;
use super::end::record_session_end;
use super::model_call::{CallCosts, CallNumbers, INTERRUPTED, lost_response};
use super::outcome::RunError;
use super::recorder::ToolOutcome;
use super::step::StepBuilder;
use super::{Recorder, Run};
use crate::journal::{AgentState, Fact, ResponseRecord, ToolStart};
use crate::session::{HOST_AGENT, JUDGE, WAKE};
use crate::{Action, Decision, Device, JournalError, Prices, Session, error_chain};

const INTERRUPTED_ACT: &str = "interrupted: the server stopped while it was under way, and it may or \
    may not have been carried out";
const BEGUN_ACT: &str = "interrupted: the server stopped while it was under way: the phone had begun it, and \
    it may not have been carried out whole";
const NOT_BEGUN: &str = "not carried out: the server stopped before the phone began it";
const CRASHED_BEFORE_SENDING: &str = "not carried out: the server stopped before it was sent";

impl Run {
    /// Closes whatever a crash of the last run left open: a call to a model, an act, a step.
    pub(super) async fn recover(&mut self) -> Result<(), RunError> {
        let open = &self.session().in_progress;
        if let Some((call_id, request_number, iteration)) = open.call {
            let call = CallNumbers { call_id, request_number, iteration };
            let prices = self.prices_of(&open.model);
            let fact = Fact::LlmResponse(lost_response(self.session(), call, prices));
            if open.evaluating {
                self.recorder.append_as(JUDGE, None, fact).await?;
            } else {
                self.recorder.append(fact).await?;
            }
        }
        if let Some(tool) = self.session().in_progress.tool.clone() {
            let begun = if tool.device { has_begun(&*self.device, &tool).await } else { None };
            let outcome = match (tool.device, begun) {
                (false, _) => ToolOutcome::Failed(INTERRUPTED.to_owned()),
                (true, None) => ToolOutcome::Unknown(INTERRUPTED_ACT.to_owned()),
                (true, Some(true)) => ToolOutcome::Unknown(BEGUN_ACT.to_owned()),
                (true, Some(false)) => ToolOutcome::Failed(NOT_BEGUN.to_owned()),
            };
            self.recorder.log_tool_end(tool.tool_call_id, outcome, 0.0).await?;
            let name = &tool.name;
            if tool.device && name != RESET && name != WAKE && !self.session().in_progress.by_client
            {
                let what_came = match begun {
                    None => {
                        "was under way: it may or may not have been carried out. Look before you repeat it."
                    }
                    Some(true) => {
                        "was under way: the phone had begun it, but may not have finished. Look before you \
                         repeat it."
                    }
                    Some(false) => "was about to begin: it was not carried out.",
                };
                let note =
                    format!("The server was restarted while your last action ({name}) {what_came}");
                self.state.system_notes.push(note);
            }
        }
        if self.session().in_progress.step.is_some() {
            let step = recovered_step(self.session());
            self.end_step(step, None).await?;
        }
        Ok(())
    }
}

impl Run {
    /// The prices of a model that an earlier run has called, if it is still in use.
    fn prices_of(&self, name: &str) -> Option<Prices> {
        let judge = self.deps.judge.as_ref().map(|judge| &judge.model);
        let mut models = self.deps.models.all().chain(judge);
        models.find(|model| model.name() == name).and_then(|model| model.prices())
    }
}

/// Whether the phone had begun it. `None` where it cannot say.
async fn has_begun(device: &dyn Device, tool: &ToolStart) -> Option<bool> {
    match device.has_begun(tool.mark.as_ref()?).await {
        Ok(begun) => begun,
        Err(err) => {
            tracing::info!(device = %device.id(), "what came of {}: {}", tool.name, error_chain(&err));
            None
        }
    }
}

impl Recorder {
    /// Records the end of the last run, if it crashed before it could.
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
}

/// The end of a step that a crash left open, from what the record has of it. The model sees it like any other step.
pub(super) fn recovered_step(session: &Session) -> StepBuilder {
    let open = &session.in_progress;
    let decision = open.decision.as_ref().and_then(|parsed| {
        // Actions of later versions are not understood.
        let action = Action::try_from(&parsed.action).ok()?;
        let ResponseRecord { observation, thought, comment, summary, .. } = parsed.response.clone();
        Some(Decision { action, thought, explain: comment, summary, observation })
    });
    let asked = session.question.is_some() || open.answered;
    let plans = open.agent == HOST_AGENT;
    let (status, result, error) = match (decision.as_ref().map(|it| &it.action), &open.outcome) {
        (Some(Action::Info(_)), _) | (Some(Action::Confirm { .. }), None) if asked => {
            (AgentState::Pending, String::new(), None)
        }
        // The app is open, so the subtask was assigned.
        (Some(action), Some(end)) if action.gesture().is_some() && end.success => (
            if plans { AgentState::Assign } else { AgentState::Continue },
            end.result.clone(),
            None,
        ),
        (Some(action), Some(end)) if action.gesture().is_some() => {
            (AgentState::Error, String::new(), end.error.clone())
        }
        (Some(action), None) if action.gesture().is_some() => {
            (AgentState::Error, String::new(), Some(CRASHED_BEFORE_SENDING.to_owned()))
        }
        _ => (AgentState::Error, String::new(), Some(INTERRUPTED.to_owned())),
    };
    let uncertain = open.outcome.as_ref().and_then(|end| end.uncertain.clone());
    StepBuilder {
        status: Some(status),
        decision,
        uncertain,
        response: open.decision.as_ref().map(|parsed| parsed.response.clone()),
        result,
        error,
        costs: CallCosts {
            tokens: open.tokens,
            cost_usd: open.cost_usd,
            unpriced: open.unpriced,
            waited_ms: open.waited_ms,
        },
        ..StepBuilder::default()
    }
}
