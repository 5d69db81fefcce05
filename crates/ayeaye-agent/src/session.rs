//! A session as its record tells it.
//!
//! [`Session`] is never stored: it is folded from events, live and after a restart by the same code,
//! so whatever a run knows, the next process knows as well.
mod agents;
mod builder;
mod planning;
mod summary;

use jiff::Timestamp;

pub use self::agents::Agents;
pub(crate) use self::agents::{APP_AGENT, HOST_AGENT};
pub use self::builder::SessionBuilder;
pub use self::planning::Planning;
pub(crate) use self::planning::{FinishedSubtask, SubtaskClosing, lines, push_quoted};
pub use self::summary::Summary;
pub(crate) use self::summary::SummaryBuilder;

use crate::approval::{self, Approval};
use crate::event::{
    ActionRecord, AgentType, Answer, AnswerSource, BlobRef, CallPurpose, DeviceRecord, Event, Fact,
    LlmResponse, NoteKind, ParsedRecord, QuestionAsked, Recorded, ResponseRecord, RunRecord,
    SessionStart, StepEnd, TokenRecord, ToolEnd,
};
use crate::report::{Report, RunInfo, StepSummary, Usage};
use crate::{
    Action, Decision, HistoryItem, HistoryStep, Principal, Question, QuestionKind, ScreenSize,
    SessionId, StopReason,
};

/// Everything that is known of a session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// Whose it is.
    pub owner: Principal,
    /// The phone it began on, and stays on.
    pub device: DeviceRecord,
    /// The request of the current round.
    pub request: String,
    /// Number of the current round, from 0.
    pub round: u32,
    /// Whether the current round is still to be carried out.
    pub round_open: bool,
    /// What has happened, for the model.
    pub history: Vec<HistoryItem>,
    /// What waits for an answer.
    pub question: Option<Question>,
    /// How the last run stopped; `None` while one is under way, or when its process died.
    pub stopped: Option<(StopReason, String)>,
    /// What the current or last run was started with.
    pub run: RunRecord,
    /// Counters that go on through the whole session.
    pub counts: SessionCounts,
    /// Numbers and states of each agent.
    pub agents: Agents,
    /// What the host agent has given out, where there is one.
    pub planning: Planning,
    /// What was begun and not ended.
    pub in_progress: InProgress,
    /// Whether the current round is the client's own, without a request that the agent could carry
    /// out.
    pub client_round: bool,
    /// What the user was asked to allow last.
    pub pending_approval: Option<Approval>,
    /// What the user has allowed and is not done yet.
    pub approval: Option<Approval>,
    /// What the client has done on the phone itself since the agent's last step, in words.
    pub client_activity: ClientActivity,
    /// Number of the current or last run, from 0.
    pub run_number: u32,
    /// Steps of the session when something was last asked.
    pub asked_at_step: u32,
    /// The run whose question that one goes on from.
    pub run_began: u32,
    /// When a run or a step last began or ended, or something was asked.
    pub updated: Option<Timestamp>,
    /// The pictures of the last steps that a model decided, the newest last.
    pub(crate) step_pictures: Vec<StepPicture>,
    current_run: CurrentRun,
}

/// What a client has done itself while the agent did nothing.
#[derive(Debug, Clone, Default)]
pub struct ClientActivity {
    /// How many steps.
    pub steps: u32,
    /// The last few of them.
    pub lines: Vec<String>,
}

/// The picture of a step, and the model that decided on it.
#[derive(Debug, Clone)]
pub(crate) struct StepPicture {
    pub(crate) step: u32,
    pub(crate) blob: BlobRef,
    pub(crate) size: ScreenSize,
    pub(crate) model: String,
    pub(crate) profile: String,
}

/// Counters that go on through the whole session.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionCounts {
    /// Steps begun.
    pub steps: u32,
    /// Steps begun in this round.
    pub round_steps: u32,
    /// Calls to models.
    pub calls: u32,
    /// Requests to the model that judges.
    pub judgements: u32,
    /// Things done.
    pub tools: u32,
    /// US dollars.
    pub cost_usd: f64,
    /// US dollars of this round.
    pub round_cost_usd: f64,
    /// Calls whose price is not known.
    pub unpriced_calls: u32,
    /// Tokens, sent and received.
    pub tokens: u64,
}

/// What was begun and not ended: after a crash, the loose ends to tie up.
#[derive(Debug, Clone, Default)]
pub struct InProgress {
    /// The step.
    pub step: Option<u32>,
    /// The call to a model: its number, its request and its iteration.
    pub call: Option<(u32, u32, u32)>,
    /// The model that was called.
    pub model: String,
    /// Whether that is a call to the model that judges.
    pub judging: bool,
    /// The thing being done: its number, name, and whether the phone is concerned.
    pub tool: Option<(u32, String, bool)>,
    /// What was decided in this step.
    pub decision: Option<ParsedRecord>,
    /// How the last thing that was done after this decision ended.
    pub outcome: Option<ToolEnd>,
    /// Of the calls of this step.
    pub tokens: TokenRecord,
    /// US dollars of the calls of this step.
    pub cost_usd: f64,
    /// Whether the step is the client's, and not an agent's.
    pub by_client: bool,
    /// Whose step it is, as the record names it.
    pub agent: String,
    /// What was said in this step: it answers the step's own question, so it comes behind it.
    replies: Vec<String>,
    /// The picture that was looked at, and its size.
    picture: Option<(BlobRef, ScreenSize)>,
    /// The model that was last asked to decide, and its profile.
    decider: Option<(String, String)>,
}

/// What belongs to the current or last run only.
#[derive(Debug, Clone, Default)]
struct CurrentRun {
    steps: u32,
    lines: Vec<StepSummary>,
    usage: Usage,
    screenshot_step: Option<u32>,
    final_action: Option<StepSummary>,
}

/// Where a session stands: the rows of the table of `ask_agent_continue`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPhase {
    /// A question waits.
    Waiting,
    /// Stopped short of its end, or its process died.
    Interrupted,
    /// The last request was carried out or given up.
    Ended,
}

/// What is done to a phone to make it usable, as the record names it.
pub(crate) const WAKE: &str = "WAKE";

/// Who judges, as the record names it.
pub(crate) const JUDGE: &str = "EvaluationAgent";

/// The client that drives the phone itself, as the record names it among the agents.
pub(crate) const CLIENT: &str = AgentType::Client.name();

/// What a model is called for that is to decide.
const DECIDES: [CallPurpose; 2] = [CallPurpose::Act, CallPurpose::Repair];

/// How a model is told that a step in its history is not its own.
const CLIENT_STEP_PREFIX: &str = "(done by the client, not by you) ";

/// Most that is remembered of what has happened: a model is shown the end of it, and a session of
/// ten thousand steps must not fill the memory. Requests and answers stay longer than steps.
const MAX_HISTORY: usize = 1000;

/// Most steps of the client that the agent is told of; what it needs most is the screen.
const MAX_CLIENT_ACTIONS: usize = 8;

/// Most pictures of steps that are remembered; the largest number that a profile shows is smaller.
const MAX_STEP_PICTURES: usize = 16;

/// Most steps of a run that its report lists.
const MAX_REPORTED_STEPS: usize = 500;

/// A record that does not begin as one must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record of session {0} does not begin with session.start")]
pub struct MissingSessionStart(pub SessionId);

impl InProgress {
    /// Whether a question of this step has been answered.
    pub(crate) fn is_answered(&self) -> bool {
        !self.replies.is_empty()
    }
}

impl Session {
    /// Folds a whole record.
    pub fn from_events(id: SessionId, events: &[Event]) -> Result<Self, MissingSessionStart> {
        let mut events = events.iter();
        let mut session = loop {
            match events.next().map(|event| &event.entry.fact) {
                Some(Fact::SessionStart(start)) => {
                    break Self::begin(id, start);
                }
                Some(Fact::Note { .. }) => {}
                _ => return Err(MissingSessionStart(id)),
            }
        };
        events.for_each(|event| session.apply(event));
        Ok(session)
    }

    /// A session of which nothing but its beginning is known.
    pub fn begin(id: SessionId, start: &SessionStart) -> Self {
        Self {
            id,
            owner: Principal::from_record(start.owner.as_deref()),
            device: start.device.clone(),
            request: start.request.clone(),
            round: 0,
            round_open: false,
            history: Vec::new(),
            question: None,
            stopped: None,
            run: start.run.clone(),
            counts: SessionCounts::default(),
            agents: Agents::default(),
            planning: Planning::default(),
            in_progress: InProgress::default(),
            client_round: false,
            pending_approval: None,
            approval: None,
            client_activity: ClientActivity::default(),
            run_number: 0,
            asked_at_step: 0,
            run_began: 0,
            updated: None,
            step_pictures: Vec::new(),
            current_run: CurrentRun::default(),
        }
    }

    /// Takes one more event into account.
    pub fn apply(&mut self, event: &Event) {
        let step = event.entry.step;
        let agent = event.entry.agent.as_deref();
        self.planning.apply(self.round, agent, &event.entry.fact);
        if is_activity(&event.entry.fact) {
            self.updated = Some(event.ts);
        }
        match &event.entry.fact {
            Fact::SessionStart(start) => {
                self.run = start.run.clone();
                self.stopped = None;
            }
            Fact::SessionResume(resume) => {
                self.run = resume.run.clone();
                self.stopped = None;
                self.run_number += 1;
                if !resume.continues_question() {
                    self.run_began = self.run_number;
                }
                self.current_run = CurrentRun {
                    final_action: self.current_run.final_action.take(),
                    ..CurrentRun::default()
                };
            }
            Fact::SessionEnd(end) => self.stop(&end.stop_reason, &end.message),
            Fact::RoundStart { request } => {
                self.round = event.entry.round.unwrap_or(self.round);
                self.round_open = true;
                self.request = request.clone();
                self.client_round = false;
                self.approval = None;
                self.counts.round_steps = 0;
                self.counts.round_cost_usd = 0.0;
                self.planning.begin_round(self.run.planner);
                self.push_history(HistoryItem::Request(request.clone()));
            }
            Fact::RoundEnd(end) => {
                self.round_open = false;
                self.question = None;
                self.planning.end_round();
                // A process that died before the end of its run has still carried this out. Only a
                // request that was dropped has no reason.
                if let Some(reason) = &end.stop_reason {
                    self.stop(reason, &end.result);
                }
            }
            Fact::StepStart(start) => {
                self.counts.steps = self.counts.steps.max(step.map_or(0, |n| n + 1));
                self.counts.round_steps = start.round_step + 1;
                self.current_run.steps += 1;
                let by_client = start.agent_type == AgentType::Client;
                if !by_client {
                    self.client_activity = ClientActivity::default();
                }
                let agent = agent.unwrap_or(&start.agent_type).to_owned();
                self.agents.begin_step(&agent, start.agent_step);
                self.in_progress = InProgress { step, by_client, agent, ..InProgress::default() };
            }
            Fact::StepEnd(end) => self.end_step(step.unwrap_or_default(), end),
            Fact::Observe(observe) => {
                if let Some(blob) = &observe.screenshot {
                    self.current_run.screenshot_step = step;
                    let [width, height] = observe.screenshot_size.unwrap_or_default();
                    self.in_progress.picture = Some((blob.clone(), ScreenSize { width, height }));
                }
            }
            Fact::LlmRequest(request) => {
                self.counts.calls = self.counts.calls.max(request.call_id);
                let judges = agent == Some(JUDGE);
                if judges {
                    let number = &mut self.counts.judgements;
                    *number = (*number).max(request.request_number);
                } else {
                    self.agents.count_request(agent.unwrap_or(APP_AGENT), request.request_number);
                }
                self.in_progress.call =
                    Some((request.call_id, request.request_number, request.iteration));
                self.in_progress.model.clone_from(&request.model);
                self.in_progress.judging = judges;
                if request.purpose.known().is_some_and(|purpose| DECIDES.contains(&purpose)) {
                    self.in_progress.decider =
                        Some((request.model.clone(), request.profile.clone()));
                }
            }
            Fact::LlmResponse(response) => self.end_call(response),
            Fact::ToolStart(start) => {
                self.counts.tools = self.counts.tools.max(start.tool_call_id);
                // Leave is for one act. Waking the phone is none.
                if start.device && start.name != WAKE {
                    self.approval = None;
                }
                self.in_progress.tool =
                    Some((start.tool_call_id, start.name.clone(), start.device));
                if self.in_progress.by_client && start.name != WAKE {
                    // Nobody was asked: what is done is what was decided.
                    let (function, arguments) = (start.name.clone(), start.parameters.clone());
                    let action = ActionRecord { function, arguments };
                    let response = ResponseRecord::default();
                    self.in_progress.decision = Some(ParsedRecord { action, response });
                    self.in_progress.outcome = None;
                }
            }
            Fact::ToolEnd(end) => {
                self.in_progress.tool = None;
                self.in_progress.outcome = Some(end.clone());
            }
            Fact::Question(asked) => {
                let question = Question::from(asked);
                let confirm = question.kind == QuestionKind::Confirm;
                let leave = || Approval::requested(&question, self.in_progress.decision.as_ref());
                self.pending_approval = confirm.then(leave);
                self.approval = None;
                self.question = Some(question);
                self.asked_at_step = self.counts.steps;
            }
            Fact::Answer(answer) => self.apply_answer(answer),
            Fact::State { to, .. } => self.agents.set_state(agent.unwrap_or(APP_AGENT), to),
            Fact::Note { kind, .. } if *kind == NoteKind::DirectControl => self.client_round = true,
            Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Evaluation(_)
            | Fact::Note { .. } => {}
        }
    }

    fn stop(&mut self, reason: &Recorded<StopReason>, message: &str) {
        let reason = reason.known().unwrap_or(StopReason::ServerRestarted);
        self.stopped = Some((reason, message.to_owned()));
    }

    fn end_call(&mut self, response: &LlmResponse) {
        let LlmResponse { tokens, cost_usd, cost_known, .. } = response;
        self.in_progress.call = None;
        if !self.in_progress.judging {
            self.in_progress.tokens += *tokens;
            self.in_progress.cost_usd += cost_usd;
        }
        if let Some(parsed) = &response.parsed {
            self.in_progress.decision = Some(parsed.clone());
            self.in_progress.outcome = None;
        }
        self.counts.cost_usd += cost_usd;
        // What judging costs belongs to the session, as with UFO.
        if !self.in_progress.judging {
            self.counts.round_cost_usd += cost_usd;
        }
        self.counts.unpriced_calls += u32::from(!cost_known);
        self.counts.tokens += tokens.total;
        let usage = &mut self.current_run.usage;
        usage.prompt_tokens += tokens.prompt;
        usage.completion_tokens += tokens.completion;
        usage.cost_usd += cost_usd;
    }

    fn apply_answer(&mut self, answer: &Answer) {
        // What nobody asked for answers nothing.
        if answer.source == AnswerSource::Guidance {
            self.planning.add_guidance(&answer.answers);
        } else {
            let asked = self.question.take();
            if let Some(asked) = &asked {
                self.planning.add_answer(&asked.text, &answer.answers);
            }
            let said = &answer.answers;
            let yes = !said.is_empty() && said.iter().all(|text| approval::is_yes(text));
            self.approval = self.pending_approval.take().filter(|_| yes);
        }
        let said = answer.answers.iter().cloned();
        if self.in_progress.step.is_some() {
            self.in_progress.replies.extend(said);
        } else {
            said.for_each(|text| self.push_history(HistoryItem::UserReply(text)));
        }
    }

    /// Takes one more thing that happened into memory, and lets old ones go: steps first.
    fn push_history(&mut self, history: HistoryItem) {
        if MAX_HISTORY <= self.history.len() {
            let mut steps = MAX_HISTORY / 4;
            self.history.retain(|old| {
                let goes = 0 < steps && matches!(old, HistoryItem::Step(_));
                steps -= usize::from(goes);
                !goes
            });
            let most = MAX_HISTORY * 3 / 4;
            let too_many = self.history.len().saturating_sub(most);
            self.history.drain(..too_many);
        }
        self.history.push(history);
    }

    fn end_step(&mut self, step: u32, end: &StepEnd) {
        let InProgress { replies, by_client, agent, picture, decider, .. } =
            std::mem::take(&mut self.in_progress);
        if let (Some((blob, size)), Some((model, profile))) = (picture, decider) {
            if self.step_pictures.len() == MAX_STEP_PICTURES {
                self.step_pictures.remove(0);
            }
            self.step_pictures.push(StepPicture { step, blob, size, model, profile });
        }
        self.push_step(step, end, by_client);
        for text in replies {
            self.push_history(HistoryItem::UserReply(text));
        }
        if let Some(request) = self.planning.end_step(&agent, end) {
            self.push_history(HistoryItem::Subtask(request));
        }
    }

    fn push_step(&mut self, step: u32, end: &StepEnd, by_client: bool) {
        let times = end.time_ms;
        let usage = &mut self.current_run.usage;
        usage.model_ms += times.llm_interaction;
        usage.other_ms += times.data_collection + times.action_execution + times.memory_update;
        let Some(facts) = &end.action else { return };
        let line = StepSummary {
            step,
            action: facts.clone(),
            explain: end.response.comment.clone(),
            error: end.error.clone(),
            caption: end.caption.clone(),
        };
        let explain = if by_client {
            if self.client_activity.lines.len() == MAX_CLIENT_ACTIONS {
                self.client_activity.lines.remove(0);
            }
            self.client_activity.lines.push(line.describe());
            self.client_activity.steps += 1;
            format!("{CLIENT_STEP_PREFIX}{}", end.response.comment).trim_end().to_owned()
        } else {
            end.response.comment.clone()
        };
        self.current_run.final_action = Some(line.clone());
        if MAX_REPORTED_STEPS <= self.current_run.lines.len() {
            // The first steps and the last ones tell most.
            self.current_run.lines.drain(MAX_REPORTED_STEPS / 4..MAX_REPORTED_STEPS / 2);
        }
        self.current_run.lines.push(line);
        // An action of a later version that this one cannot name is left out of what the model is told.
        if let Ok(action) = Action::try_from(facts) {
            self.push_history(HistoryItem::Step(HistoryStep {
                step,
                decision: Decision {
                    action,
                    thought: end.response.thought.clone(),
                    explain,
                    summary: end.response.summary.clone(),
                    observation: end.response.observation.clone(),
                },
                error: end.error.clone(),
            }));
        }
    }

    /// Where it stands while nobody drives it.
    pub fn phase(&self) -> SessionPhase {
        if self.question.is_some() {
            SessionPhase::Waiting
        } else if self.round_open || self.history.is_empty() {
            // The first round of all may not have been opened before the process died.
            SessionPhase::Interrupted
        } else {
            SessionPhase::Ended
        }
    }

    /// The agent whose turn it is, as the record names it.
    pub(crate) fn next_agent(&self) -> String {
        match &self.planning.current {
            Some(subtask) => subtask.agent(),
            None if self.planning.enabled => HOST_AGENT.to_owned(),
            None => APP_AGENT.to_owned(),
        }
    }

    /// The agent of the step that is open, else the one whose turn it is.
    pub(crate) fn current_agent(&self) -> String {
        match self.in_progress.step {
            Some(_) if !self.in_progress.agent.is_empty() => self.in_progress.agent.clone(),
            _ => self.next_agent(),
        }
    }

    /// What the app agent whose turn it is has to do: a subtask, or the whole request.
    pub(crate) fn current_goal(&self) -> &str {
        self.planning.current.as_ref().map_or(&self.request, |subtask| &subtask.request)
    }

    /// What has happened as far as that agent may know of it: one with a subtask knows of nothing
    /// before that.
    pub(crate) fn visible_history(&self) -> &[HistoryItem] {
        let from = match &self.planning.current {
            Some(_) => {
                self.history.iter().rposition(|history| matches!(history, HistoryItem::Subtask(_)))
            }
            None => None,
        };
        &self.history[from.unwrap_or_default()..]
    }

    /// Steps of the current or last run.
    pub fn local_steps(&self) -> u32 {
        self.current_run.steps
    }

    /// The last step of this run that was decided.
    pub fn last_step(&self) -> Option<&StepSummary> {
        self.current_run.lines.last()
    }

    /// How a run ended whose process died.
    pub(crate) fn crash_outcome(&self) -> (StopReason, String) {
        match &self.question {
            Some(question) => (StopReason::InfoActionNeedsReply, question.text.clone()),
            None => (
                StopReason::ServerRestarted,
                "the server stopped in the middle of this run; nothing that was recorded is lost"
                    .to_owned(),
            ),
        }
    }

    /// What there is to tell of a run that is about to begin: nothing yet of its own.
    pub fn initial_report(&self, run: RunInfo) -> Report {
        let mut report = self.report(true);
        report.run = run;
        report.local_steps = 0;
        report.steps.clear();
        report.usage = Usage { cost_known: report.usage.cost_known, ..Usage::default() };
        report.question = None;
        report
    }

    /// What is told to whoever goes on with nothing to say: an open question again, however the run
    /// stopped that asked it.
    pub fn idle_report(&self) -> Report {
        let mut report = self.report(false);
        if let Some(question) = &self.question {
            report.stop_reason = StopReason::InfoActionNeedsReply;
            report.message = question.text.clone();
        }
        report
    }

    /// What there is to tell. `running` when a run is under way in this process.
    pub fn report(&self, running: bool) -> Report {
        let (stop_reason, message) = match (&self.stopped, running) {
            (_, true) => (StopReason::StillRunning, String::new()),
            (Some((reason, message)), false) => (*reason, message.clone()),
            (None, false) => self.crash_outcome(),
        };
        Report {
            session_id: self.id,
            stop_reason,
            task: self.request.clone(),
            device: self.device.clone(),
            global_steps: self.counts.steps,
            local_steps: self.current_run.steps,
            final_action: self.current_run.final_action.clone(),
            message,
            question: self.question.clone(),
            steps: self.current_run.lines.clone(),
            usage: Usage { cost_known: self.counts.unpriced_calls == 0, ..self.current_run.usage },
            screenshot_step: self.current_run.screenshot_step,
            run: RunInfo {
                number: self.run_number,
                began: self.run_began,
                facts: self.run.clone(),
            },
            updated: self.updated,
            asked_at_step: self.asked_at_step,
        }
    }
}

/// Whether followers may hear of it as a change.
fn is_activity(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::SessionStart(_)
            | Fact::SessionResume(_)
            | Fact::SessionEnd(_)
            | Fact::RoundEnd(_)
            | Fact::StepStart(_)
            | Fact::StepEnd(_)
            | Fact::Question(_)
    )
}

impl From<&QuestionAsked> for Question {
    fn from(asked: &QuestionAsked) -> Self {
        Self {
            kind: asked.kind.known().unwrap_or(QuestionKind::Info),
            text: asked.questions.join("\n"),
            options: asked.options.clone(),
            app: asked.app.clone(),
        }
    }
}
