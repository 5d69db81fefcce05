//! The host agent: looks, plans, and opens the app of the next subtask.
//!
//! As in UFO, it splits a request into subtasks over apps, assigns one at a time, reads its result, and
//! plans again, until it says that the request is carried out (FINISH), cannot be carried out (FAIL), or
//! that the user has to be asked (PENDING). Its steps count like any other. What it has assigned is in
//! the record ([`Planning`](crate::session::Planning)); the state here may be lost in a crash.
mod prompt;
mod reply;
mod subtask;

use std::time::Duration;

use tokio::time::Instant;

use self::reply::{HostReply, HostTurn, RefusedReply};
use super::decide::in_place_of_picture;
use super::observer::Observation;
use super::outcome::{RunEnd, RunError, StepOutcome};
use super::progress::Progress;
use super::reply_length::unread;
use super::step::StepBuilder;
use super::{Run, RunPhase, millis};
use crate::journal::{
    ActionRecord, AgentState, CallPurpose, ParsedRecord, ResponseRecord, TargetRecord,
};
use crate::{Action, App, Decision, DeviceError, Gesture, Question, StopReason, error_chain};

/// The wait before another look.
const ANOTHER_LOOK: Duration = Duration::from_secs(1);

/// The host agent's state between its steps.
#[derive(Debug, Default)]
pub(super) struct HostState {
    /// The phone's apps, sorted by package; listed once in a run, and again when one is unknown.
    apps: Option<Vec<App>>,
    /// Steps in a row that gave out nothing: it only looked, or the app of what it gave out did not open.
    idle: u32,
}

impl Run {
    /// Runs a step of the host agent.
    pub(super) async fn plan_and_assign(
        &mut self,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let mut observation = self.observe(step).await?;
        step.captioning = self.begin_caption(&observation);
        self.load_apps(step).await?;
        let turn = match self.plan(&observation, step).await {
            Ok(reply) => reply.turn,
            Err(err) => return Err(self.with_elements(err, &mut observation, step).await),
        };
        if let Some(decision) = step.decision.take() {
            self.drop_caption_unless_last(&decision.action, step).await?;
            step.decision = Some(decision);
        }
        let patience = self.observer.patience(&self.recorder, false);
        let reading = self.observer.read_elements(&mut self.recorder, &mut observation, patience);
        step.looking(reading).await?;
        // An answer is something new to plan with.
        if matches!(turn, HostTurn::Ask(_)) {
            self.state.host.idle = 0;
        }
        let stop = |reason, message| Ok(StepOutcome::Stop(RunEnd::new(reason, message)));
        match turn {
            // What the user has said meanwhile may be part of the task.
            HostTurn::Finish(_) | HostTurn::Fail(_) if !self.read_inbox().await?.is_empty() => {
                self.look_again(step).await
            }
            HostTurn::Assign { app, subtask } => {
                self.assign(app, &subtask, observation, step).await
            }
            HostTurn::Ask(questions) => {
                let question = Question::info(questions.join("\n"));
                self.ask(question, &observation, step).await
            }
            HostTurn::LookAgain => self.look_again(step).await,
            HostTurn::Finish(result) => stop(StopReason::TaskCompletedSuccessfully, result),
            HostTurn::Fail(reason) => stop(StopReason::TaskAbortedByAgent, reason),
        }
    }

    /// Assigns a subtask by opening its app. If that fails, it is not assigned.
    async fn assign(
        &mut self,
        app: String,
        subtask: &str,
        observation: Observation,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let session = self.session();
        // As recorded.
        let recorded = self.recorder.redact(subtask);
        let failures = session.planning.failures(session.round, &app, &recorded);
        if self.deps.limits.repeats as usize <= failures {
            return Err(RunError::NoProgress(format!(
                "the same subtask was given out again after it had failed {failures} times in {app}"
            )));
        }
        if self.deps.limits.subtasks <= session.planning.assigned {
            return Err(RunError::NoProgress(format!(
                "the host agent wants to give out more than {} subtasks for one request",
                self.deps.limits.subtasks
            )));
        }
        // The next agent begins without a past.
        self.state.progress = Progress::default();
        self.state.image_history.clear();
        let target = app_target(self.apps(), &app);
        let outcome =
            self.gate_act(&Gesture::Awake { app }, target, None, observation, step).await?;
        if step.error.is_none() && matches!(outcome, StepOutcome::Continue) {
            step.status = Some(AgentState::Assign);
            self.state.host.idle = 0;
        } else if matches!(outcome, StepOutcome::Continue) {
            self.count_idle("given out what could not begin")?;
        }
        Ok(outcome)
    }

    async fn look_again(&mut self, step: &mut StepBuilder) -> Result<StepOutcome, RunError> {
        self.count_idle("only looked")?;
        self.wait(ANOTHER_LOOK, step).await
    }

    /// Counts a step that gave out nothing: what it did, as in "it has ...".
    ///
    /// # Errors
    ///
    /// [`RunError::NoProgress`] after too many in a row.
    fn count_idle(&mut self, what: &str) -> Result<(), RunError> {
        self.state.host.idle += 1;
        let (idle, limit) = (self.state.host.idle, self.deps.limits.repeats);
        if limit * 2 <= idle {
            return Err(RunError::NoProgress(format!(
                "the host agent has given out nothing {idle} times in a row; the last time it has {what}"
            )));
        }
        if limit <= idle {
            self.state.system_notes.push(format!(
                "You have given out nothing {idle} times in a row; the last time you have {what}. Give \
                 out a subtask in another app, ask the user, or say that the request is done or \
                 cannot be done."
            ));
        }
        Ok(())
    }

    /// Asks the planning model until its reply can be parsed, up to a limit.
    async fn plan(
        &mut self,
        observation: &Observation,
        step: &mut StepBuilder,
    ) -> Result<HostReply, RunError> {
        self.enter(RunPhase::Deciding);
        let mut system_notes = std::mem::take(&mut self.state.system_notes);
        system_notes.extend(in_place_of_picture(observation));
        system_notes.extend(self.standing_notes(observation));
        let model = self.deps.models.plan.clone();
        let prompt = self.host_prompt(observation, &system_notes);
        let pictures = self.known_pictures(observation);
        let mut exchange = self.models.exchange(model.clone(), CallPurpose::Plan, prompt, pictures);
        loop {
            let reply =
                self.models.send(&mut self.recorder, &mut exchange, &mut step.costs).await?;
            let mut read = match unread(&*model, &reply) {
                Some(why) => Err(why.into()),
                None => reply::read(&reply, self.apps()),
            };
            if matches!(&read, Err(why) if why.unknown_app) && self.list_apps().await?.is_ok() {
                // The app may have been installed since the apps were listed.
                read = reply::read(&reply, self.apps());
            }
            let record = match &read {
                Ok(plan) => Ok(Some(plan.parsed())),
                Err(refused) => Err(refused.why.to_string()),
            };
            exchange.log_reply(&mut self.recorder, &reply, record, &mut step.costs).await?;
            match read {
                Ok(plan) => {
                    step.decision = Some(plan.decision());
                    step.response = Some(plan.response.clone());
                    return Ok(plan);
                }
                Err(RefusedReply { why, .. }) => {
                    tracing::warn!(session = %self.session().id, "unreadable plan: {}", self.recorder.redact_for_log(&why.to_string()));
                    exchange.ask_again(&self.recorder, "the planning model's", &reply, &why)?;
                }
            }
        }
    }

    /// Lists the phone's apps, unless they are known, waiting for a phone that has gone away.
    async fn load_apps(&mut self, step: &mut StepBuilder) -> Result<(), RunError> {
        if self.state.host.apps.is_some() {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let Err(err) = self.list_apps().await? else { break };
            if !err.is_unreachable() {
                return Err(RunError::NoApps(err));
            }
            tracing::warn!(device = %self.device.id(), "its apps: {}; trying again", error_chain(&err));
            self.observer
                .comes_back(err, begun, &mut self.recorder)
                .await?
                .map_err(RunError::NoApps)?;
        }
        step.times.data_collection += millis(begun.elapsed());
        Ok(())
    }

    async fn list_apps(&mut self) -> Result<Result<(), DeviceError>, RunError> {
        let apps = self.cancel.race(self.device.apps()).await?;
        Ok(apps.map(|mut apps| {
            apps.sort_by(|a, b| a.package.cmp(&b.package));
            apps.dedup_by(|a, b| a.package == b.package);
            self.leave_private_out(&mut apps);
            self.state.host.apps = Some(apps);
        }))
    }

    fn apps(&self) -> &[App] {
        self.state.host.apps.as_deref().unwrap_or_default()
    }
}

/// The selected application as UFO logs it: its index, from 0, in the list of apps in the prompt, and
/// its name. Its rectangle is empty: it is not on the screen yet.
fn app_target(apps: &[App], package: &str) -> Option<TargetRecord> {
    let index = apps.iter().position(|app| app.package == package)?;
    let label = apps[index].label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    Some(TargetRecord {
        id: index.to_string(),
        name: label.unwrap_or(package).chars().take(200).collect(),
        kind: "application".to_owned(),
        rect: [0; 4],
    })
}

impl HostReply {
    /// The decision as an action.
    fn action(&self) -> Action {
        match &self.turn {
            HostTurn::Assign { app, .. } => Gesture::Awake { app: app.clone() }.into(),
            HostTurn::Ask(questions) => Action::Info(Question::info(questions.join("\n"))),
            HostTurn::LookAgain => Action::Wait(ANOTHER_LOOK),
            HostTurn::Finish(result) => Action::Complete { message: result.clone() },
            HostTurn::Fail(reason) => Action::Abort { reason: reason.clone() },
        }
    }

    fn decision(&self) -> Decision {
        let ResponseRecord { observation, thought, comment, summary, .. } = self.response.clone();
        Decision { action: self.action(), thought, explain: comment, summary, observation }
    }

    fn parsed(&self) -> ParsedRecord {
        let action = ActionRecord::from(&self.action());
        ParsedRecord { action, response: self.response.clone() }
    }
}
