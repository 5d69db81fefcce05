//! What is known of a session.
use std::collections::VecDeque;

use jiff::Timestamp;

use super::acts::ActHistory;
use super::agents::{APP_AGENT, Agents, HOST_AGENT};
use super::doubt::Doubt;
use super::planning::Planning;
use super::prompt_tokens::PromptTokens;
use crate::approval::Approval;
use crate::event::{
    BlobRef, CallPurpose, DeviceRecord, ParsedRecord, RunRecord, SessionStart, TokenRecord,
    ToolEnd, ToolStart,
};
use crate::report::{StepSummary, Usage};
use crate::{HistoryItem, Principal, Question, ScreenSize, SessionId, StopReason};

/// Everything that is known of a session.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct SessionState {
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
    /// The history for the model.
    pub history: Vec<HistoryItem>,
    /// The question that waits for an answer.
    pub question: Option<Question>,
    /// How the last run stopped; `None` while one is under way, or when its process died.
    pub stopped: Option<(StopReason, String)>,
    /// Whether the end of the last run is recorded.
    pub run_ended: bool,
    /// Its last question was given up, whatever the client has done by itself since.
    pub(crate) given_up: bool,
    /// The options that the current or last run was started with.
    pub run: RunRecord,
    /// Profiles by which the policy is narrowed for this session.
    pub policy: Vec<String>,
    /// Counters that go on through the whole session.
    pub counts: SessionCounts,
    /// Numbers and states of each agent.
    pub agents: Agents,
    /// The host agent's subtasks, if there is a host agent.
    pub planning: Planning,
    /// Everything that was begun and not ended.
    pub in_progress: InProgress,
    /// Whether the current round is the client's own, without a request that the agent could carry
    /// out.
    pub client_round: bool,
    /// The act that the user was last asked to allow.
    pub pending_approval: Option<Approval>,
    /// The act that the user has allowed and that is not done yet.
    pub approval: Option<Approval>,
    /// The history that the gate needs.
    pub acts: Box<ActHistory>,
    /// The client's own acts on the phone since the agent's last step, in words.
    pub client_activity: ClientActivity,
    /// Number of the current or last run, from 0.
    pub run_number: u32,
    /// Number of the last question: how many steps the session had then, or more where it had asked before at that
    /// step. No two questions of a session have the same.
    pub asked_at_step: u32,
    /// When that was asked.
    pub(crate) asked_at: Option<Timestamp>,
    /// The least number that the next question may have.
    pub(super) next_question: u32,
    /// The last answer of a person or a client.
    pub(crate) last_answer: Option<String>,
    /// The last answer of a person or a client in this run, with its question.
    pub(crate) answered: Option<(Question, String)>,
    /// The run whose question that one goes on from.
    pub run_began: u32,
    /// When a run or a step last began or ended, or something was asked.
    pub updated: Option<Timestamp>,
    /// The pictures of the last steps that a model decided, the newest last.
    pub(crate) step_pictures: Vec<StepPicture>,
    /// How large the last prompts were.
    pub(crate) prompt_tokens: PromptTokens,
    pub(super) current_run: CurrentRun,
    /// The reason to doubt that the last act of the round was done and had its effect.
    pub(super) doubt: Option<Doubt>,
    /// The message while a phone that has gone away is waited for.
    pub(super) waits_for_device: Option<String>,
    /// The last messages that had their effect, the newest last.
    pub(super) taken_messages: VecDeque<String>,
}

/// A client's own acts while the agent was idle.
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
    /// The app that was in front; empty if the phone did not say.
    pub(crate) package: String,
    pub(crate) model: String,
    pub(crate) profile: String,
}

/// Counters that go on through the whole session.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionCounts {
    /// Questions for the keyboard that a text needs.
    pub keyboard_questions: u32,
    /// Steps begun.
    pub steps: u32,
    /// Steps begun in this round.
    pub round_steps: u32,
    /// Calls to models.
    pub calls: u32,
    /// Requests to the evaluating model.
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

/// Everything that was begun and not ended; after a crash, recovery closes it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they have nothing to do with one another")]
pub struct InProgress {
    /// The model's note to itself in this step.
    pub(super) noted: Option<String>,
    /// The reply that was understood, word for word.
    pub(super) said: Option<String>,
    /// The app in front that was seen, by its name, else by its package.
    pub(super) app: Option<String>,
    /// The step.
    pub step: Option<u32>,
    /// The call to a model: its number, its request and its iteration.
    pub call: Option<(u32, u32, u32)>,
    /// The model that was called.
    pub model: String,
    /// The purpose of the call.
    pub(crate) purpose: Option<CallPurpose>,
    /// Whether that is a call to the evaluating model.
    pub evaluating: bool,
    /// The thing being done.
    pub tool: Option<ToolStart>,
    /// The decision of this step.
    pub decision: Option<ParsedRecord>,
    /// How the last thing that was done after this decision ended.
    pub outcome: Option<ToolEnd>,
    /// Of the calls of this step.
    pub tokens: TokenRecord,
    /// US dollars of the calls of this step.
    pub cost_usd: f64,
    /// Whether the price of one of them is not known.
    pub unpriced: bool,
    /// Milliseconds that they took.
    pub waited_ms: f64,
    /// Whether the step is the client's, and not an agent's.
    pub by_client: bool,
    /// Whose step it is, as the record names it.
    pub agent: String,
    /// Whether a question of this step has been answered.
    pub(crate) answered: bool,
    /// The user's words in this step. An answer to the step's own question comes behind it.
    pub(super) replies: Vec<HistoryItem>,
    /// The question to the user in this step.
    pub(super) asked: Option<Question>,
    /// The picture that was looked at, and its size.
    pub(super) picture: Option<(BlobRef, ScreenSize)>,
    /// Package of the app in front of it.
    pub(super) package: String,
    /// The model that was last asked to decide, and its profile.
    pub(super) decider: Option<(String, String)>,
}

/// State of the current or last run only.
#[derive(Debug, Clone, Default)]
pub(super) struct CurrentRun {
    pub(super) steps: u32,
    pub(super) lines: Vec<StepSummary>,
    pub(super) usage: Usage,
    pub(super) screenshot_step: Option<u32>,
    pub(super) final_action: Option<StepSummary>,
}

/// The state of a session between runs, which decides what `ask_agent_continue` may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPhase {
    /// A question waits.
    Waiting,
    /// Stopped short of its end, or its process died.
    Interrupted,
    /// The last request was carried out or given up.
    Ended,
}

impl SessionState {
    /// The state of a session that has only begun.
    pub(super) fn begin(id: SessionId, start: &SessionStart) -> Self {
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
            run_ended: false,
            given_up: false,
            run: start.run.clone(),
            policy: start.run.policy.iter().cloned().collect(),
            counts: SessionCounts::default(),
            agents: Agents::default(),
            planning: Planning::default(),
            in_progress: InProgress::default(),
            client_round: false,
            pending_approval: None,
            approval: None,
            acts: Box::default(),
            client_activity: ClientActivity::default(),
            run_number: 0,
            asked_at_step: 0,
            asked_at: None,
            next_question: 0,
            last_answer: None,
            answered: None,
            run_began: 0,
            updated: None,
            step_pictures: Vec::new(),
            prompt_tokens: PromptTokens::default(),
            current_run: CurrentRun::default(),
            doubt: None,
            waits_for_device: None,
            taken_messages: VecDeque::new(),
        }
    }

    /// Whether this message has had its effect.
    pub(crate) fn has_taken(&self, message: &str) -> bool {
        self.taken_messages.iter().any(|taken| taken == message)
    }

    /// The session's state while no run drives it.
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

    /// Whether the user has said these very words since their last request, as an answer or unasked.
    pub(crate) fn was_said(&self, text: &str) -> bool {
        let since = self.history.iter().rev();
        since.take_while(|it| !matches!(it, HistoryItem::Request(_))).any(|it| {
            matches!(it, HistoryItem::UserReply(said) | HistoryItem::Advice(said) if said == text)
        })
    }

    /// Whether its question was given up, and nothing was asked for since.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up && self.question.is_none()
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

    /// The goal of the current app agent: a subtask, or the whole request.
    pub(crate) fn current_goal(&self) -> &str {
        self.planning.current.as_ref().map_or(&self.request, |subtask| &subtask.request)
    }

    /// The part of the history that the current agent sees: an agent with a subtask sees nothing from before it.
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

    /// A line of progress for the step that has just ended; steps are counted from 1 there.
    pub(crate) fn step_line(&self, step: u32) -> String {
        let decided = self.last_step().filter(|last| last.step == step);
        let what = decided.map_or_else(|| "nothing was decided".to_owned(), StepSummary::describe);
        format!("step {}: {what}", step + 1)
    }
}
