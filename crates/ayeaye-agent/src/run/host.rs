//! The host agent: one look, one plan, and one app opened for the agent that is to work in it.
//!
//! It is UFO's: it splits a request into subtasks over apps, gives out one at a time, reads what came
//! of it, and plans again, until it says that the request is carried out (FINISH), cannot be (FAIL),
//! or that the user has to be asked (PENDING). Its steps count like any other. Everything it has given
//! out is folded from the record ([`Planning`](crate::session::Planning)); what is here can be lost.
mod closing;
mod page;
mod words;

use std::time::Duration;

use tokio::time::{Instant, sleep};

use self::words::{Plan, Turn};
use super::look::{Seen, millis};
use super::{Draft, Run, RunEnd};
use crate::error_chain;
use crate::journal::{ActionRecord, ParsedRecord, ResponseRecord};
use crate::session::ASSIGN;
use crate::{Action, App, Decision, Gesture, Question, StopReason};

/// How long is waited when the host agent only wants to look again.
const ANOTHER_LOOK: Duration = Duration::from_secs(1);

/// What the host agent needs to know between its steps and does not need to after a crash.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The phone's apps; they are asked for once in a run, and again when one is not among them.
    apps: Option<Vec<App>>,
    /// How often in a row it has only looked.
    looks: u32,
}

impl Run {
    /// A step of the host agent.
    pub(super) async fn plan_and_assign(&mut self, draft: &mut Draft) -> Result<(), RunEnd> {
        let mut seen = self.look(draft).await?;
        self.know_apps(draft).await?;
        let plan = self.plan(&seen, draft).await?;
        let patience = self.patience(&Action::Wait(ANOTHER_LOOK));
        self.know_elements(&mut seen, patience).await?;
        if !matches!(plan.turn, Turn::ScreenCapture) {
            self.memory.host.looks = 0;
        }
        match plan.turn {
            Turn::Assign { app, subtask } => self.assign(app, &subtask, seen, draft).await,
            Turn::Ask(questions) => {
                let question = Question::info(questions.join("\n"));
                self.ask(question, &seen, draft).await
            }
            Turn::ScreenCapture => self.look_again(draft).await,
            Turn::Finish(result) => Err(RunEnd::new(StopReason::TaskCompletedSuccessfully, result)),
            Turn::Fail(reason) => Err(RunEnd::new(StopReason::TaskAbortedByAgent, reason)),
        }
    }

    /// Opens the app. Only where that was done has the subtask been given out.
    async fn assign(
        &mut self,
        app: String,
        subtask: &str,
        seen: Seen,
        draft: &mut Draft,
    ) -> Result<(), RunEnd> {
        let planning = &self.session.planning;
        // As it is on record.
        let told = self.secrets.redact(subtask);
        let failures = planning.failures(self.session.round, &app, &told);
        let stuck = |text: String| Err(RunEnd::new(StopReason::NoProgress, text));
        if self.deps.limits.repeats as usize <= failures {
            return stuck(format!(
                "the same subtask was given out again after it had failed {failures} times in {app}"
            ));
        }
        if self.deps.limits.subtasks <= planning.assigned {
            return stuck(format!(
                "the host agent wants to give out more than {} subtasks for one request",
                self.deps.limits.subtasks
            ));
        }
        // Nothing of what was before is the next agent's business.
        self.memory.last_try = None;
        self.memory.history_images.clear();
        self.memory.earlier_kept.clear();
        self.perform(&Gesture::Awake { app }, seen, draft).await?;
        if draft.error.is_none() {
            draft.status = Some(ASSIGN);
        }
        Ok(())
    }

    async fn look_again(&mut self, draft: &mut Draft) -> Result<(), RunEnd> {
        self.memory.host.looks += 1;
        let (looks, limit) = (self.memory.host.looks, self.deps.limits.repeats);
        if limit * 2 <= looks {
            return Err(RunEnd::new(
                StopReason::NoProgress,
                format!("the host agent only looked, {looks} times in a row"),
            ));
        }
        if limit <= looks {
            self.memory.system_notes.push(format!(
                "You have only looked, {looks} times in a row. Give out a subtask, ask the user, or \
                 say that the request is carried out or cannot be."
            ));
        }
        self.wait(ANOTHER_LOOK, draft).await
    }

    /// Asks the planning model until it says something that can be understood, three times at most.
    async fn plan(&mut self, seen: &Seen, draft: &mut Draft) -> Result<Plan, RunEnd> {
        let system_notes = std::mem::take(&mut self.memory.system_notes);
        let model = self.deps.models.plan.clone();
        let mut prompt = self.plan_prompt(seen, &system_notes);
        let attempts = self.deps.limits.repairs + 1;
        let mut complaint = String::new();
        for iteration in 1..=attempts {
            let purpose = if iteration == 1 { "plan" } else { "repair" };
            let (call_id, reply) =
                self.call(&model, &prompt, purpose, iteration, seen, draft).await?;
            let mut read = words::read(&reply, self.apps());
            if matches!(&read, Err(why) if why.unknown_app) && self.ask_apps().await?.is_ok() {
                // It may have been installed since the apps were last asked for.
                read = words::read(&reply, self.apps());
            }
            let prices = model.prices();
            let (parsed, error) = match &read {
                Ok(plan) => (Some(plan.parsed()), None),
                Err(why) => (None, Some(why.why.0.clone())),
            };
            self.record_answer(call_id, iteration, &reply, prices, (parsed, error), draft).await?;
            match read {
                Ok(plan) => {
                    draft.decision = Some(plan.decision());
                    draft.response = Some(plan.response.clone());
                    return Ok(plan);
                }
                Err(words::Refused { why, .. }) => {
                    tracing::warn!(session = %self.session.id, iteration, "unreadable plan: {}", self.hide(&why.0));
                    prompt = prompt.with_retry_notice(&super::decide::said(&reply), &why);
                    complaint = why.0;
                }
            }
        }
        Err(RunEnd::new(
            StopReason::ModelFailed,
            format!(
                "the planning model's reply could not be used, {attempts} times in a row; the last: \
                 {complaint}"
            ),
        ))
    }

    /// Sees to it that the phone's apps are known, and waits for a phone that has gone away.
    async fn know_apps(&mut self, draft: &mut Draft) -> Result<(), RunEnd> {
        if self.memory.host.apps.is_some() {
            return Ok(());
        }
        let begun = Instant::now();
        let mut pause = Duration::from_millis(250);
        loop {
            let Err(err) = self.ask_apps().await? else { break };
            let text = error_chain(&err);
            if !err.is_unreachable() || self.deps.limits.device_wait <= begun.elapsed() + pause {
                let text = format!("the apps of the phone cannot be planned over: {text}");
                return Err(RunEnd::new(StopReason::DeviceLost, text));
            }
            tracing::warn!(device = %self.device.id(), "its apps: {text}; trying again");
            self.cancel.race(sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(4));
        }
        draft.times.data_collection += millis(begun.elapsed());
        Ok(())
    }

    async fn ask_apps(&mut self) -> Result<Result<(), crate::DeviceError>, RunEnd> {
        let device = self.device.clone();
        let apps = self.cancel.race(device.apps()).await?;
        Ok(apps.map(|mut apps| {
            apps.sort_by(|a, b| a.package.cmp(&b.package));
            apps.dedup_by(|a, b| a.package == b.package);
            self.memory.host.apps = Some(apps);
        }))
    }

    fn apps(&self) -> &[App] {
        self.memory.host.apps.as_deref().unwrap_or_default()
    }
}

impl Plan {
    /// What the host agent has decided, in the words that all agents share.
    fn action(&self) -> Action {
        match &self.turn {
            Turn::Assign { app, .. } => Gesture::Awake { app: app.clone() }.into(),
            Turn::Ask(questions) => Action::Info(Question::info(questions.join("\n"))),
            Turn::ScreenCapture => Action::Wait(ANOTHER_LOOK),
            Turn::Finish(result) => Action::Complete { message: result.clone() },
            Turn::Fail(reason) => Action::Abort { reason: reason.clone() },
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
