//! One run: from a request until there is a reason to stop.
//!
//! [`Run::work`] is the loop. Four owners do the work of a step, each testable alone: the `observer`
//! looks at the screen, `model_call` asks models, the `actor` changes the phone, and the `recorder`
//! writes the record. In the order of a run: `begin` (after a crash, `recover` first), then for each
//! step `observer`, `decide`, `act` or `ask`, and `end`. Besides, `caption` describes the screen,
//! `evaluation` asks a model whether the request was carried out, `host` has the steps of the host agent, `replayed` those
//! of an earlier run that are done again, and `direct` is the run of one direct action of a client.
mod act;
mod actor;
mod answer_times;
mod ask;
mod begin;
mod budget;
mod cancel;
mod caption;
mod decide;
mod decided_act;
mod direct;
mod drop_message;
mod drop_round;
mod end;
mod evaluation;
mod gate;
mod give_up;
mod host;
mod image_history;
mod look;
mod mailbox;
mod model_call;
mod named_app;
mod narrow_policy;
mod observer;
mod open_setting_changes;
mod outcome;
mod phone_taps;
mod progress;
mod put_off;
mod recipient;
mod recorder;
mod recover;
mod replayed;
mod reply_length;
mod same_screen;
mod secret_words;
mod settings;
mod step;
#[cfg(test)]
mod tests;
mod told_apps;
mod update;
mod whole_answer;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use self::actor::{Actor, STOPPED_BEFORE_SENDING};
pub(crate) use self::ask::waiting_for_operator;
pub(crate) use self::begin::ResumeKind;
use self::budget::Budget;
pub use self::cancel::CancelHandle;
pub use self::direct::{ActedBy, DirectOutcome, DirectResult, ScreenAfter};
pub(crate) use self::direct::{DirectRequest, LEFT_TO_CLIENT};
pub(crate) use self::end::end_in_queue;
use self::image_history::ImageHistory;
pub(crate) use self::mailbox::Mailbox;
use self::model_call::ModelCaller;
use self::observer::Observer;
pub(crate) use self::open_setting_changes::OpenSettingChanges;
use self::outcome::{RunEnd, RunError, StepOutcome};
pub(crate) use self::phone_taps::PhoneTaps;
use self::progress::Progress;
use self::put_off::PutOffs;
pub(crate) use self::recorder::Recorder;
use self::replayed::ReplayProgress;
use self::settings::RunChangeLog;
use self::step::StepBuilder;
pub use self::update::{RunPhase, RunUpdate};
use crate::deps::AgentDeps;
use crate::journal::{AgentState, AgentType, Fact, RunRecord, StepStart};
use crate::named_secret::names_secret;
use crate::replay::Replay;
use crate::session::HOST_AGENT;
use crate::settle::times::SettleTimes;
use crate::{Action, Device, Question, ReplyMode, Session, StopReason, Surroundings, error_chain};

/// The error of a step that would have ended the task, when the user has said something since.
const NOT_THE_END: &str =
    "not the end: the user has said something since, and it is to be decided on again";

/// A run's task, and the channels to it.
pub(crate) struct RunSetup {
    pub(crate) resume_kind: ResumeKind,
    pub(crate) started_with: RunRecord,
    /// Steps of an earlier run that are done again first.
    pub(crate) replay: Option<Arc<Replay>>,
    pub(crate) reply_mode: ReplyMode,
    pub(crate) cancel: CancelHandle,
    /// The times that screens took to come to rest, shared with other runs.
    pub(crate) settle_times: Arc<SettleTimes>,
    /// The touches on each phone, shared with other runs.
    pub(crate) phone_taps: Arc<PhoneTaps>,
    /// Answers and guidance from the user.
    pub(crate) mailbox: Mailbox,
    /// Fires once the run's first facts are recorded.
    pub(crate) begun: oneshot::Sender<()>,
    pub(crate) updates: watch::Sender<RunUpdate>,
}

/// Everything a run owns.
pub(crate) struct Run {
    deps: Arc<AgentDeps>,
    device: Arc<dyn Device>,
    recorder: Recorder,
    observer: Observer,
    models: ModelCaller,
    actor: Actor,
    phone_taps: Arc<PhoneTaps>,
    resume_kind: ResumeKind,
    started_with: RunRecord,
    reply_mode: ReplyMode,
    /// It is one direct action, not a task.
    is_direct: bool,
    cancel: CancelHandle,
    mailbox: Mailbox,
    begun: Option<oneshot::Sender<()>>,
    updates: watch::Sender<RunUpdate>,
    surroundings: Surroundings,
    installed_apps: Vec<String>,
    state: RunState,
}

/// The end of a success message if the record gives reason for doubt.
pub const SUCCESS_IN_DOUBT: &str = "Check that the task is done.]";

/// What one step passes on to the next, and a crash may lose.
#[derive(Debug, Default)]
struct RunState {
    /// Notes for the model's next prompt.
    system_notes: Vec<String>,
    progress: Progress,
    /// Acts that were put off because the screen moves where they are aimed at.
    put_off: PutOffs,
    /// Acts that are the user's in the end, or need permission, and were put off, for whatever reason.
    put_off_strictly: PutOffs,
    /// The number of questions answered without the user.
    auto_answers: u32,
    image_history: ImageHistory,
    /// The acting model has failed and the fallback model has taken over.
    fallen_back: bool,
    host: host::HostState,
    /// Steps of an earlier run that are still to be done again; none once a model has taken over.
    replay: Option<ReplayProgress>,
    /// What the user has said, as the gate compared it last.
    words: gate::LastWords,
}

impl Run {
    pub(crate) fn new(
        deps: Arc<AgentDeps>,
        recorder: Recorder,
        device: Arc<dyn Device>,
        setup: RunSetup,
    ) -> Self {
        let RunSetup {
            resume_kind,
            started_with,
            replay,
            reply_mode,
            cancel,
            settle_times,
            phone_taps,
            mailbox,
            begun,
            updates,
        } = setup;
        let budget = Budget::new(deps.limits.clone());
        device.claim();
        let open_changes = OpenSettingChanges {
            journal: deps.journal.clone(),
            device: device.id().clone(),
            session: recorder.session().id,
            driver: device.act_mark().map(|mark| mark.driver),
            phone: recorder.session().device.clone(),
        };
        let (log, changes) = RunChangeLog::new(open_changes);
        device.report_changes(log);
        let mut observer = Observer::new(
            device.clone(),
            cancel.clone(),
            &deps.limits,
            deps.policy.clone(),
            settle_times,
        );
        observer.tell_when_away(updates.clone());
        Self {
            observer,
            models: ModelCaller::new(budget, cancel.clone(), recorder.session()),
            actor: Actor::new(device.clone(), cancel.clone(), changes),
            phone_taps,
            deps,
            device,
            recorder,
            resume_kind,
            started_with,
            reply_mode,
            is_direct: false,
            cancel,
            mailbox,
            begun: Some(begun),
            updates,
            surroundings: Surroundings::default(),
            installed_apps: Vec::new(),
            state: RunState { replay: replay.map(ReplayProgress::new), ..RunState::default() },
        }
    }

    /// Runs until there is a reason to stop, and records that.
    pub(crate) async fn drive(mut self, lease: impl Send) {
        let end = match self.work().await {
            Ok(end) => end,
            Err(err) => self.end_for(err).await,
        };
        self.finish(end, lease).await;
    }

    async fn work(&mut self) -> Result<RunEnd, RunError> {
        self.recover().await?;
        // What an earlier run has typed may still be there.
        if self.session().acts.given.iter().any(|it| names_secret(it))
            && 0 < self.session().counts.steps
        {
            self.observer.named_secret_may_show();
        }
        let resume_kind = std::mem::replace(&mut self.resume_kind, ResumeKind::Continue);
        self.begin(resume_kind).await?;
        // A phone that does not say is driven all the same.
        match self.cancel.race(self.device.surroundings()).await? {
            Ok(surroundings) => self.surroundings = surroundings,
            Err(err) => tracing::debug!("the phone's date and language: {}", error_chain(&err)),
        }
        // Once, so that the beginning of a model's prompts stays the same.
        self.installed_apps = self.told_app_names();
        let (model, journal) = (self.acting_model(), &*self.deps.journal);
        self.state.image_history =
            ImageHistory::recall(self.session(), journal, &*model, &self.policy()).await;
        loop {
            Box::pin(self.close_subtask()).await?;
            self.cancel.check()?;
            self.read_inbox().await?;
            if let Some(end) = self.models.budget().check_step(&self.recorder) {
                return Ok(end);
            }
            if let StepOutcome::Stop(end) = self.step().await? {
                return Ok(end);
            }
        }
    }

    /// One look, one decision, one action. Its end is recorded however it ends.
    async fn step(&mut self) -> Result<StepOutcome, RunError> {
        let mut step = StepBuilder::default();
        self.begin_step().await?;
        let outcome = if self.session().in_progress.agent == HOST_AGENT {
            self.plan_and_assign(&mut step).await
        } else {
            self.look_decide_act(&mut step).await
        };
        let end = match outcome {
            Ok(StepOutcome::Continue) => None,
            Ok(StepOutcome::Stop(end)) => Some(end),
            Err(err) => {
                self.note_not_sent(&mut step);
                Some(self.end_for(err).await)
            }
        };
        self.finish_caption(end.as_ref(), &mut step).await?;
        self.end_step(step, end.as_ref()).await?;
        Ok(match end {
            // Only a subtask has ended, and the host agent goes on.
            Some(end) if end.reason.ends_round() && self.session().planning.closing.is_some() => {
                StepOutcome::Continue
            }
            Some(end) => StepOutcome::Stop(end),
            None => StepOutcome::Continue,
        })
    }

    /// Says of an act that was decided on and not begun, because the step was broken off, that it was not sent.
    fn note_not_sent(&self, step: &mut StepBuilder) {
        let decided = step.decision.as_ref().map(|decision| &decision.action);
        let open = &self.session().in_progress;
        let begun = open.tool.is_some() || open.outcome.is_some();
        let is_act = decided.is_some_and(|action| action.gesture().is_some());
        if is_act && !begun && step.error.is_none() {
            step.error = Some(STOPPED_BEFORE_SENDING.to_owned());
        }
    }

    async fn look_decide_act(&mut self, step: &mut StepBuilder) -> Result<StepOutcome, RunError> {
        let (mut observation, decided) = self.look_and_decide(step).await?;
        if !matches!(decided, Ok(Action::Gesture(_) | Action::Confirm { .. })) {
            observation.watch = None;
        }
        let action = match decided {
            Ok(action) => action,
            Err(err) => {
                if let RunError::Stuck(why) = &err {
                    step.error = Some(format!("not carried out: {why}"));
                }
                return Err(self.with_elements(err, &mut observation, step).await);
            }
        };
        match action {
            Action::Gesture(gesture) => {
                self.gate_act(&gesture, None, None, observation, step).await
            }
            Action::Wait(time) => self.wait(time, step).await,
            Action::Note { text } => self.note(text).await,
            Action::Confirm { gesture, question } => {
                self.gate_act(&gesture, None, Some(question), observation, step).await
            }
            Action::Info(question) => self.ask(question, &observation, step).await,
            // What the user has said meanwhile may be part of the task.
            Action::Complete { .. } | Action::Abort { .. } if self.has_more_to_do().await? => {
                step.error = Some(NOT_THE_END.to_owned());
                Ok(StepOutcome::Continue)
            }
            Action::Complete { mut message } => {
                if let Some(doubt) = self.session().doubt_about_success() {
                    let doubt = doubt.trim_end_matches('.');
                    message.extend(["\n[Not the model's words: ", doubt, ". ", SUCCESS_IN_DOUBT]);
                }
                let end = RunEnd::new(StopReason::TaskCompletedSuccessfully, message);
                Ok(StepOutcome::Stop(end))
            }
            Action::Abort { reason } => {
                Ok(StepOutcome::Stop(RunEnd::new(StopReason::TaskAbortedByAgent, reason)))
            }
        }
    }

    /// Whether the user has said something while the model decided that the task has ended. With a host agent that
    /// one reads it.
    async fn has_more_to_do(&mut self) -> Result<bool, RunError> {
        if self.session().planning.enabled {
            return Ok(false);
        }
        Ok(!self.read_inbox().await?.is_empty())
    }

    /// How an error ends the run. Where a person can help, the question is asked.
    async fn end_for(&mut self, err: RunError) -> RunEnd {
        let question = match err {
            RunError::NeedsTakeover { text, app } => Question { app, ..Question::takeover(text) },
            RunError::Stuck(tried) if self.reply_mode.has_person() => Question::stuck(&tried),
            err => return err.into(),
        };
        match self.stop_for_question(&question).await {
            Ok(StepOutcome::Stop(end)) => end,
            Ok(StepOutcome::Continue) => {
                RunEnd::new(StopReason::InfoActionNeedsReply, question.text)
            }
            Err(err) => err.into(),
        }
    }

    async fn begin_step(&mut self) -> Result<(), RunError> {
        self.recorder.secrets().refresh();
        let agent = self.session().next_agent();
        // A new step leaves any state such as PENDING.
        self.recorder.set_agent_state(&agent, AgentState::Continue).await?;
        let session = self.session();
        let (counts, own) = (session.counts, session.agents.get(&agent));
        let (agent_type, subtask, subtask_index) = match &session.planning.current {
            Some(subtask) => {
                let index = i32::try_from(subtask.index).unwrap_or(i32::MAX);
                (AgentType::AppAgent, subtask.text.clone(), index)
            }
            None if session.planning.enabled => (AgentType::HostAgent, String::new(), -1),
            None => (AgentType::AppAgent, session.request.clone(), 0),
        };
        let start = StepStart {
            agent_type: agent_type.into(),
            round_step: counts.round_steps,
            agent_step: own.steps,
            subtask,
            subtask_index,
            request_number: own.requests + 1,
        };
        self.recorder.append_as(&agent, Some(counts.steps), Fact::StepStart(start)).await?;
        Ok(())
    }

    /// Records the end of the step; `end` when it ended the run.
    async fn end_step(&mut self, step: StepBuilder, end: Option<&RunEnd>) -> Result<(), RunError> {
        let session = self.session();
        let number = session.in_progress.step.unwrap_or_default();
        // Clients have no state, and after the end of the step another agent may be the current one.
        let agent = (!session.in_progress.by_client).then(|| session.current_agent());
        let step_end = step.build(end);
        let status = step_end.status.clone();
        self.recorder.append(Fact::StepEnd(step_end)).await?;
        if let Some(agent) = agent {
            self.recorder.set_agent_state(&agent, status).await?;
        }
        self.publish(self.session().step_line(number));
        Ok(())
    }

    fn session(&self) -> &Session {
        self.recorder.session()
    }

    fn publish(&self, line: String) {
        let report = Arc::new(self.session().report(true));
        self.updates.send_modify(|update| {
            update.report = report;
            update.line = line;
        });
        self.mailbox.tell_followers();
    }

    fn enter(&self, phase: RunPhase) {
        self.updates.send_if_modified(|update| {
            update.phase = phase;
            false
        });
    }
}

/// Milliseconds, to the microsecond.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
