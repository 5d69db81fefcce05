//! One run: the activity that drives a phone until there is a reason to stop.
//!
//! [`Run::work`] is the loop. The files below it are its parts in the order of a step: `look`,
//! `decide`, `act`, `ask`; then `end`, which closes a run and its round, and `judge`; `fallback`, which
//! lets another model go on; `caption`, which puts the screen into words; `direct`, the run of one
//! step that a client has decided; `host`, the steps of the agent that plans; and `mend`, which ties
//! up what a crash has left open.
mod act;
mod ask;
mod caption;
mod decide;
mod direct;
mod elements;
mod end;
mod fallback;
mod host;
mod judge;
mod look;
mod mend;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) use direct::{DIRECT_REQUEST, DirectRequest};
pub use direct::{DirectOutcome, DirectResult, ScreenAfter};
pub(crate) use mend::ResumeKind;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agent::{AgentDeps, ReplyMode};
use crate::error_chain;
use crate::journal::{
    ActionRecord, Answer, BlobRef, Entry, Fact, PhaseTimes, ResponseRecord, RunRecord, StepEnd,
    StepStart, TokenRecord,
};
use crate::privacy::{SecretStore, find_secrets, secret_asked_for};
use crate::report::Report;
use crate::session::{APP_AGENT, CONTINUE, HOST_AGENT, Session};
use crate::{
    Action, Decision, Device, Frame, HistoryImage, JournalError, JournalWriter, QuestionKind,
    StopReason,
};

/// What followers of a run are told: always the latest, never all.
#[derive(Debug, Clone)]
pub struct RunUpdate {
    /// What the run has come to.
    pub report: Arc<Report>,
    /// What happened last, in one short line.
    pub line: String,
    /// False once the run has stopped and everything is recorded.
    pub running: bool,
}

/// Asks a run to stop at the next safe point.
#[derive(Debug, Clone, Default)]
pub struct CancelHandle {
    token: CancellationToken,
    reason: Arc<OnceLock<StopReason>>,
}

impl CancelHandle {
    /// Stops the run; the first reason wins.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
    }

    fn check(&self) -> Result<(), RunEnd> {
        if self.token.is_cancelled() { Err(self.run_end()) } else { Ok(()) }
    }

    fn run_end(&self) -> RunEnd {
        let reason = self.reason.get().copied().unwrap_or(StopReason::Cancelled);
        let message = match reason {
            StopReason::ServerRestarted => "the server was shut down; the session can be continued",
            StopReason::UserPaused => "the operator paused the run; the session can be continued",
            _ => "the run was cancelled; the session can be continued",
        };
        RunEnd::new(reason, message)
    }

    /// Waits for the future, or for the order to stop. Only for waiting and reading, never for what
    /// changes the phone.
    async fn race<T>(&self, waiting: impl Future<Output = T>) -> Result<T, RunEnd> {
        self.token.run_until_cancelled(waiting).await.ok_or_else(|| self.run_end())
    }
}

/// A reason to stop.
#[derive(Debug)]
pub(crate) struct RunEnd {
    reason: StopReason,
    message: String,
}

impl RunEnd {
    fn new(reason: StopReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

impl From<JournalError> for RunEnd {
    fn from(err: JournalError) -> Self {
        Self::new(StopReason::StorageFailed, error_chain(&err))
    }
}

/// Everything a run owns.
pub(crate) struct Run {
    pub(crate) deps: Arc<AgentDeps>,
    pub(crate) session: Session,
    pub(crate) record: Box<dyn JournalWriter>,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) reply_mode: ReplyMode,
    pub(crate) cancel: CancelHandle,
    /// What must not be written down.
    pub(crate) secrets: Arc<SecretStore>,
    /// Answers, and advice nobody asked for.
    pub(crate) words: mpsc::Receiver<String>,
    pub(crate) updates: watch::Sender<RunUpdate>,
    pub(crate) resume_kind: ResumeKind,
    pub(crate) facts: RunRecord,
    pub(crate) memory: Memory,
}

/// What a run remembers between its steps and does not need to after a crash.
#[derive(Debug)]
pub(crate) struct Memory {
    begun: Instant,
    /// The frame the last gesture was decided on, and when the gesture was over.
    last_gesture: Option<(Frame, Instant)>,
    /// The last decision's frame and action, and how often that has been repeated.
    last_try: Option<(Frame, Action, u32)>,
    /// What the model has to be told at the next step.
    system_notes: Vec<String>,
    /// The step at which a dark screen was woken.
    woken_at: Option<u32>,
    /// Questions that were answered without the user.
    answered: u32,
    /// What the screen showed last, as it is kept, as long as nothing was done since.
    last_screen: Option<LastScreen>,
    /// The picture that goes with it, as the model was sent it.
    last_picture: Option<decide::Kept>,
    /// Pictures of earlier steps that the model's prompts show again.
    pub(crate) history_images: Vec<HistoryImage>,
    /// The same as they are kept, if they are.
    pub(crate) earlier_kept: Vec<Option<BlobRef>>,
    /// How long the phone took to name its screen's elements, when it last did.
    elements_took: Option<Duration>,
    /// How often in a row it was too late with them.
    elements_late: u32,
    /// Whether the model that acts has failed, and the other one goes on.
    fallen_back: bool,
    /// What the host agent needs to know between its steps.
    host: host::Notes,
}

/// A screen as it is kept.
#[derive(Debug, Clone, Default)]
struct LastScreen {
    screenshot: Option<BlobRef>,
    ui_tree: Option<BlobRef>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            last_gesture: None,
            last_try: None,
            system_notes: Vec::new(),
            woken_at: None,
            answered: 0,
            last_screen: None,
            last_picture: None,
            history_images: Vec::new(),
            earlier_kept: Vec::new(),
            elements_took: None,
            elements_late: 0,
            fallen_back: false,
            host: host::Notes::default(),
        }
    }
}

/// What a step has come to so far; written down however the step ends.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    status: Option<&'static str>,
    decision: Option<Decision>,
    /// All that was said with the decision, where it is more than a decision holds.
    response: Option<ResponseRecord>,
    result: String,
    error: Option<String>,
    tokens: TokenRecord,
    cost_usd: f64,
    unpriced: bool,
    times: PhaseTimes,
    /// The screen in words, where the step has ended the run.
    caption: Option<String>,
    captioning: Option<caption::Captioning>,
}

impl Run {
    /// Drives the phone until there is a reason to stop, and records that.
    pub(crate) async fn drive(mut self, lease: impl Send) {
        let run_end = match self.work().await {
            Ok(never) => match never {},
            Err(run_end) => run_end,
        };
        self.finish(run_end, lease).await;
    }

    async fn work(&mut self) -> Result<std::convert::Infallible, RunEnd> {
        self.mend().await?;
        self.begin().await?;
        self.recall_pictures().await;
        loop {
            self.close_subtask().await?;
            self.cancel.check()?;
            self.listen().await?;
            self.check_limits()?;
            self.step().await?;
        }
    }

    /// One look, one decision, one act. However it ends, its line is written.
    async fn step(&mut self) -> Result<(), RunEnd> {
        let mut draft = Draft::default();
        self.begin_step().await?;
        let outcome = if self.session.in_progress.agent == HOST_AGENT {
            self.plan_and_assign(&mut draft).await
        } else {
            self.look_decide_act(&mut draft).await
        };
        self.settle_caption(outcome.as_ref().err(), &mut draft).await?;
        self.end_step(draft, outcome.as_ref().err()).await?;
        match outcome {
            // What is over is a subtask, and the host agent goes on from there.
            Err(run_end)
                if run_end.reason.ends_round() && self.session.planning.closing.is_some() =>
            {
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn look_decide_act(&mut self, draft: &mut Draft) -> Result<(), RunEnd> {
        let mut seen = self.look(draft).await?;
        draft.captioning = self.begin_caption(&seen);
        let mut decision = self.decide(&mut seen, draft).await?;
        self.need_caption(&decision.action, draft).await?;
        loop {
            let patience = self.patience(&decision.action);
            self.know_elements(&mut seen, patience).await?;
            let Err(run_end) = self.check_progress(&seen.frame, &decision.action) else { break };
            self.fall_back(run_end, &mut seen).await?;
            draft.decision = None;
            decision = self.decide(&mut seen, draft).await?;
        }
        match decision.action {
            Action::Gesture(gesture) => self.perform(&gesture, seen, draft).await,
            Action::Wait(time) => self.wait(time, draft).await,
            Action::Note { text } => self.note(text).await,
            Action::Confirm { gesture, question } if self.is_allowed(&gesture, &question) => {
                self.perform(&gesture, seen, draft).await
            }
            Action::Info(question) | Action::Confirm { question, .. } => {
                self.ask(question, &seen, draft).await
            }
            Action::Complete { message } => {
                Err(RunEnd::new(StopReason::TaskCompletedSuccessfully, message))
            }
            Action::Abort { reason } => Err(RunEnd::new(StopReason::TaskAbortedByAgent, reason)),
        }
    }

    /// Whether the user has said yes to this, and it has not been done.
    fn is_allowed(&self, gesture: &crate::Gesture, question: &crate::Question) -> bool {
        self.session.approval.as_ref().is_some_and(|leave| leave.covers(gesture, question))
    }

    async fn begin_step(&mut self) -> Result<(), RunEnd> {
        let agent = self.session.next_agent();
        // Whatever it was in before, it works again.
        self.enter(&agent, CONTINUE).await?;
        let (counts, own) = (self.session.counts, self.session.agents.get(&agent));
        let (agent_type, subtask, subtask_index) = match &self.session.planning.current {
            Some(subtask) => {
                let index = i32::try_from(subtask.index).unwrap_or(i32::MAX);
                (APP_AGENT, subtask.text.clone(), index)
            }
            None if self.session.planning.enabled => (HOST_AGENT, String::new(), -1),
            None => (APP_AGENT, self.session.request.clone(), 0),
        };
        let fact = Fact::StepStart(StepStart {
            agent_type: agent_type.to_owned(),
            round_step: counts.round_steps,
            agent_step: own.steps,
            subtask,
            subtask_index,
            request_number: own.requests + 1,
        });
        self.write_of(Some(&agent), Some(counts.steps), fact).await
    }

    async fn end_step(&mut self, draft: Draft, run_end: Option<&RunEnd>) -> Result<(), RunEnd> {
        let status = match run_end.map(|run_end| run_end.reason) {
            Some(StopReason::TaskCompletedSuccessfully) => "FINISH",
            Some(StopReason::TaskAbortedByAgent) => "FAIL",
            Some(StopReason::InfoActionNeedsReply) => draft.status.unwrap_or("PENDING"),
            None
            | Some(StopReason::Cancelled | StopReason::UserPaused | StopReason::ServerRestarted) => {
                draft.status.unwrap_or("CONTINUE")
            }
            Some(_) => "ERROR",
        };
        let (result, error) = match run_end {
            Some(run_end) if status == "FINISH" || status == "FAIL" => {
                (run_end.message.clone(), None)
            }
            Some(run_end) if status == "ERROR" => (String::new(), Some(run_end.message.clone())),
            _ => (draft.result, draft.error),
        };
        let decided = draft.decision.as_ref();
        let action = decided.map(|decision| ActionRecord::from(&decision.action));
        let response = draft.response.or_else(|| decided.map(ResponseRecord::from));
        let response = response.unwrap_or_default();
        let step = self.session.in_progress.step.unwrap_or_default();
        // The client is in no state, and behind the end of the step it may be another agent's turn.
        let agent = (!self.session.in_progress.by_client).then(|| self.session.current_agent());
        self.append_at(
            step,
            Fact::StepEnd(StepEnd {
                status: status.to_owned(),
                response,
                action,
                result,
                error,
                tokens: draft.tokens,
                cost_usd: draft.cost_usd,
                cost_known: !draft.unpriced,
                time_ms: draft.times,
                caption: draft.caption,
            }),
        )
        .await?;
        if let Some(agent) = agent {
            self.enter(&agent, status).await?;
        }
        let line = self.session.last_step().map(crate::StepSummary::describe).unwrap_or_default();
        self.publish(format!("step {}: {line}", step + 1));
        Ok(())
    }

    /// Takes up what was said meanwhile.
    pub(crate) async fn listen(&mut self) -> Result<(), RunEnd> {
        let mut heard = false;
        while let Ok(text) = self.words.try_recv() {
            self.advised(text).await?;
            heard = true;
        }
        if heard {
            self.record.sync().await?;
        }
        Ok(())
    }

    /// Records words that nobody asked for.
    pub(crate) async fn advised(&mut self, text: String) -> Result<(), RunEnd> {
        self.keep_secret(&text);
        let answer = Answer { answers: vec![text], source: "guidance".to_owned() };
        self.append(Fact::Answer(answer)).await
    }

    /// Learns what is secret in somebody's words.
    fn keep_secret(&self, text: &str) {
        for (kind, secret) in find_secrets(text) {
            self.secrets.add(kind, secret);
        }
        if crate::action::is_done_by_hand(text) {
            return;
        }
        let question = self.session.question.as_ref();
        let question = question.filter(|it| it.kind == QuestionKind::Info);
        let Some(kind) = question.and_then(|it| secret_asked_for(&it.text)) else { return };
        self.secrets.add_answer(kind, text);
    }

    fn check_limits(&self) -> Result<(), RunEnd> {
        let limits = &self.deps.limits;
        let counts = &self.session.counts;
        if self.session.run.max_steps <= self.session.local_steps() {
            return Err(RunEnd::new(
                StopReason::MaxStepsReached,
                format!("the {} steps of this call are used up", self.session.run.max_steps),
            ));
        }
        if limits.session_steps <= counts.steps {
            return Err(RunEnd::new(
                StopReason::MaxStepsReached,
                format!("the {} steps of this session are used up", limits.session_steps),
            ));
        }
        self.check_budgets()
    }

    /// What can also run out between two calls of one step.
    fn check_budgets(&self) -> Result<(), RunEnd> {
        let limits = &self.deps.limits;
        let counts = &self.session.counts;
        let budget = |what: &str| Err(RunEnd::new(StopReason::BudgetReached, what));
        if limits.run_time <= self.memory.begun.elapsed() {
            return budget("the time for one run is used up");
        }
        if limits.session_tokens.is_some_and(|most| most <= counts.tokens) {
            return budget("the tokens of this session are used up");
        }
        if limits.session_cost_usd.is_some_and(|most| most <= counts.cost_usd) {
            return budget("the money for this session is used up");
        }
        if limits.session_bytes.is_some_and(|most| most <= self.record.size()) {
            return budget("the room on the disk for this session is used up");
        }
        Ok(())
    }

    /// Records a fact about the round.
    pub(crate) async fn append(&mut self, fact: Fact) -> Result<(), RunEnd> {
        let step = self.session.in_progress.step;
        self.write(step, fact).await
    }

    async fn append_at(&mut self, step: u32, fact: Fact) -> Result<(), RunEnd> {
        self.write(Some(step), fact).await
    }

    async fn write(&mut self, step: Option<u32>, fact: Fact) -> Result<(), RunEnd> {
        let agent = step.map(|_| self.session.current_agent());
        self.write_of(agent.as_deref(), step, fact).await
    }

    /// The one way into the record: past the vault.
    async fn write_of(
        &mut self,
        agent: Option<&str>,
        step: Option<u32>,
        fact: Fact,
    ) -> Result<(), RunEnd> {
        let fact = self.secrets.redact_fact(fact);
        let round = Some(self.session.round);
        let agent = agent.map(str::to_owned);
        let event = self.record.append(Entry { round, step, agent, fact }).await?;
        self.session.apply(&event);
        Ok(())
    }

    /// Records that an agent is in another state than before.
    async fn enter(&mut self, agent: &str, state: &str) -> Result<(), RunEnd> {
        let from = self.session.agents.get(agent).state;
        if from == state {
            return Ok(());
        }
        let fact = Fact::State { from, to: state.to_owned() };
        self.write_of(Some(agent), None, fact).await
    }

    /// What may be logged of a text.
    fn hide<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        self.secrets.redact(text)
    }

    fn publish(&self, line: String) {
        let report = Arc::new(self.session.report(true));
        self.updates.send_replace(RunUpdate { report, line, running: true });
    }
}
