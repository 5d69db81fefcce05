//! How an event changes the state of a session.
mod steps;

use serde_json::Value;

use super::WAKE;
use super::agents::{APP_AGENT, HOST_AGENT, JUDGE};
use super::prompt_tokens::purpose_of;
use super::state::{ClientActivity, CurrentRun, InProgress, SessionState};
use crate::approval::{self, Approval};
use crate::event::{
    ActionRecord, AgentType, Answer, AnswerSource, BlackboardSection, CallPurpose, Event, Fact,
    LlmResponse, NoteKind, ParsedRecord, QuestionAsked, RecordedWord, ResponseRecord, ResumeReason,
};
use crate::secret_text::not_told_again;
use crate::{Action, HistoryItem, HistoryStep, Question, QuestionKind, ScreenSize, StopReason};

/// What is told of a request in later ones that may have a secret of an answer in it.
fn told_of_request(item: &mut HistoryItem) -> Option<&mut String> {
    match item {
        HistoryItem::UserReply(text) | HistoryItem::Advice(text) => Some(text),
        HistoryItem::Step(HistoryStep { decision, .. }) => match &mut decision.action {
            Action::Complete { message } => Some(message),
            Action::Abort { reason } => Some(reason),
            Action::Note { text } => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// What a model is called for that is to decide.
const DECIDES: [CallPurpose; 2] = [CallPurpose::Act, CallPurpose::Repair];

/// Most that is remembered of what has happened: a model is shown the end of it, and a session of
/// ten thousand steps must not fill the memory. Requests and answers stay longer than steps.
const MAX_HISTORY: usize = 1000;

/// Most messages that are known to have had their effect. Those that wait are fewer, and they are taken in
/// their order.
const MAX_TAKEN_MESSAGES: usize = 256;

/// The figure of a note that names the message it tells of.
pub(crate) const MESSAGE_ID: &str = "message_id";
/// The figure of a note that names the policy it tells of.
pub(crate) const POLICY: &str = "policy";

/// Bytes of a model's reply that is told it again as it was; of a longer one, what was understood.
const LONGEST_REPLY: usize = 8 << 10;

impl SessionState {
    /// Takes one more event into account.
    pub(super) fn apply(&mut self, event: &Event) {
        let step = event.entry.step;
        let agent = event.entry.agent.as_deref();
        self.planning.apply(self.round, agent, &event.entry.fact);
        self.acts.apply(event, self.question.as_ref(), self.pending_approval.as_ref());
        if is_activity(&event.entry.fact) {
            self.updated = Some(event.ts);
        }
        match &event.entry.fact {
            Fact::SessionStart(start) => {
                self.run = start.run.clone();
                self.narrow_to_run();
                self.stopped = None;
                self.run_ended = false;
            }
            Fact::SessionResume(resume) => {
                self.run = resume.run.clone();
                self.narrow_to_run();
                // Until another request takes its place it is told as it ended: the process may die before.
                if resume.why != ResumeReason::NextRound {
                    self.stopped = None;
                }
                self.run_ended = false;
                self.answered = None;
                // The process may have died while it waited.
                self.waits_for_device = None;
                self.run_number += 1;
                self.given_up = resume.gives_up() || self.given_up && resume.is_direct();
                if !resume.continues_question() {
                    self.run_began = self.run_number;
                }
                self.current_run = CurrentRun {
                    final_action: self.current_run.final_action.take(),
                    ..CurrentRun::default()
                };
            }
            Fact::SessionEnd(end) => {
                self.waits_for_device = None;
                self.stop(&end.stop_reason, &end.message);
                self.run_ended = true;
            }
            Fact::RoundStart { request } => {
                self.round = event.entry.round.unwrap_or(self.round);
                self.round_open = true;
                self.stopped = None;
                self.request = request.clone();
                self.client_round = false;
                self.approval = None;
                self.doubt = None;
                self.counts.round_steps = 0;
                self.counts.round_cost_usd = 0.0;
                self.planning.begin_round(self.run.planner);
                for item in &mut self.history {
                    if let Some(text) = told_of_request(item) {
                        *text = not_told_again(text);
                    }
                }
                self.push_history(HistoryItem::Request(request.clone()));
            }
            Fact::RoundEnd(end) => {
                self.round_open = false;
                self.question = None;
                self.planning.end_round();
                // A process that died before the end of its run has still carried this out.
                match &end.stop_reason {
                    Some(reason) => self.stop(reason, &end.result),
                    // The request was dropped, and with it the question for which its run had stopped.
                    None => self.stopped = None,
                }
            }
            Fact::StepStart(start) => {
                self.counts.steps = self.counts.steps.max(step.map_or(0, |n| n.saturating_add(1)));
                self.counts.round_steps = start.round_step.saturating_add(1);
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
                let names = [&observe.app_name, &observe.package];
                let named = names.into_iter().find(|name| !name.is_empty());
                self.in_progress.app = named.cloned();
                if let Some(blob) = &observe.screenshot {
                    self.current_run.screenshot_step = step;
                    let [width, height] = observe.screenshot_size.unwrap_or_default();
                    self.in_progress.picture = Some((blob.clone(), ScreenSize { width, height }));
                    self.in_progress.package.clone_from(&observe.package);
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
                self.in_progress.purpose = purpose_of(request, &self.in_progress.agent);
                self.in_progress.judging = judges;
                // A plan that is asked for again has the same purpose, and sees no picture of a step.
                let plans = self.in_progress.agent == HOST_AGENT;
                if !plans && request.purpose.known().is_some_and(|it| DECIDES.contains(&it)) {
                    self.in_progress.decider =
                        Some((request.model.clone(), request.profile.clone()));
                }
            }
            Fact::LlmResponse(response) => self.end_call(response),
            Fact::ToolStart(start) => {
                self.counts.tools = self.counts.tools.max(start.tool_call_id);
                // Leave is for one act. Waking the phone is none.
                if start.is_act() {
                    self.approval = None;
                }
                self.in_progress.tool = Some(start.clone());
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
                let ended = self.in_progress.tool.take();
                // That the phone was woken for it says nothing of what was decided.
                if ended.is_none_or(|start| start.name != WAKE) {
                    self.in_progress.outcome = Some(end.clone());
                }
            }
            Fact::Question(asked) => {
                let question = Question::from(asked);
                let confirm = question.kind == QuestionKind::Confirm;
                let gate = self.acts.proposed.take();
                let decision = self.in_progress.decision.as_ref();
                let leave = || Approval::requested(&question, decision, gate);
                self.pending_approval = confirm.then(leave);
                self.approval = None;
                self.counts.keyboard_questions += u32::from(question.is_about_keyboard());
                if self.in_progress.step.is_some() {
                    self.in_progress.asked = Some(question.clone());
                }
                self.question = Some(question);
                // Before the first step a run may ask again and again, for a phone that cannot be made ready.
                self.asked_at = Some(event.ts);
                self.asked_at_step = self.counts.steps.max(self.next_question);
                self.next_question = self.asked_at_step.saturating_add(1);
            }
            Fact::Answer(answer) => self.apply_answer(answer),
            Fact::State { to, .. } => self.agents.set_state(agent.unwrap_or(APP_AGENT), to),
            Fact::Note { kind, .. } if *kind == NoteKind::DirectControl => self.client_round = true,
            Fact::Note { kind, figures, .. } if *kind == NoteKind::MessageDropped => {
                if let Some(id) = figures.get(MESSAGE_ID).and_then(Value::as_str) {
                    self.note_taken(id);
                }
                // It may have been meant as a no.
                self.approval = None;
            }
            Fact::Note { kind, figures, .. } if *kind == NoteKind::PolicyNarrowed => {
                if let Some(profile) = figures.get(POLICY).and_then(Value::as_str) {
                    self.narrow_policy(profile.to_owned());
                }
            }
            Fact::Note { kind, text, .. } if *kind == NoteKind::DeviceAway => {
                self.waits_for_device = Some(text.clone());
            }
            Fact::Note { kind, .. } if *kind == NoteKind::DeviceBack => {
                self.waits_for_device = None;
            }
            Fact::BlackboardAdd { section, item } if *section == BlackboardSection::Notes => {
                self.in_progress.noted = item.as_str().map(str::to_owned);
            }
            Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Evaluation(_)
            | Fact::Note { .. }
            | Fact::Unknown { .. } => {}
        }
    }

    /// What a run was narrowed to, the session stays narrowed to.
    fn narrow_to_run(&mut self) {
        if let Some(profile) = self.run.policy.clone() {
            self.narrow_policy(profile);
        }
    }

    fn narrow_policy(&mut self, profile: String) {
        if !self.policy.contains(&profile) {
            self.policy.push(profile);
        }
    }

    /// Remembers that a message has had its effect.
    fn note_taken(&mut self, message: &str) {
        if self.taken_messages.len() == MAX_TAKEN_MESSAGES {
            self.taken_messages.pop_front();
        }
        self.taken_messages.push_back(message.to_owned());
    }

    fn stop(&mut self, reason: &RecordedWord<StopReason>, message: &str) {
        let reason = reason.known().unwrap_or(StopReason::ServerRestarted);
        self.stopped = Some((reason, message.to_owned()));
    }

    fn end_call(&mut self, response: &LlmResponse) {
        let LlmResponse { tokens, cost_usd, cost_known, latency_ms, .. } = response;
        self.in_progress.call = None;
        let InProgress { model, purpose, .. } = &self.in_progress;
        self.prompt_tokens.learn(model, *purpose, response);
        if !self.in_progress.judging {
            self.in_progress.tokens += *tokens;
            self.in_progress.cost_usd += cost_usd;
            self.in_progress.unpriced |= !cost_known;
            self.in_progress.waited_ms += latency_ms;
        }
        if let Some(parsed) = &response.parsed {
            self.in_progress.decision = Some(parsed.clone());
            self.in_progress.outcome = None;
            let said = response.raw_content.clone();
            self.in_progress.said = said.filter(|it| it.len() <= LONGEST_REPLY && !it.is_empty());
        }
        self.counts.cost_usd += cost_usd;
        // What judging costs belongs to the session, as with UFO.
        if !self.in_progress.judging {
            self.counts.round_cost_usd += cost_usd;
        }
        self.counts.unpriced_calls += u32::from(!cost_known);
        self.counts.tokens = self.counts.tokens.saturating_add(tokens.total);
        let usage = &mut self.current_run.usage;
        usage.prompt_tokens = usage.prompt_tokens.saturating_add(tokens.prompt);
        usage.completion_tokens = usage.completion_tokens.saturating_add(tokens.completion);
        usage.cost_usd += cost_usd;
    }

    fn apply_answer(&mut self, answer: &Answer) {
        if let Some(id) = &answer.message_id {
            self.note_taken(id);
        }
        // What nobody asked for answers nothing.
        let guidance = answer.source == AnswerSource::Guidance;
        let said = &answer.answers;
        let yes = !said.is_empty() && said.iter().all(|text| approval::is_yes(text));
        if guidance {
            self.planning.add_guidance(said);
            // Whatever else the user says after a yes may be about that act: it is asked about again.
            self.approval = self.approval.take().filter(|_| yes);
        } else {
            let by_a_person = [AnswerSource::Client, AnswerSource::Manual].map(Into::into);
            let asked = self.question.take();
            let by_a_person = by_a_person.contains(&answer.source);
            if by_a_person {
                self.last_answer = answer.answers.last().cloned();
                self.answered = asked.clone().zip(self.last_answer.clone());
            }
            if let Some(asked) = &asked {
                self.planning.add_answer(&asked.text, &answer.answers, by_a_person);
            }
            self.approval = self.pending_approval.take().filter(|_| yes);
        }
        let kind = if guidance { HistoryItem::Advice } else { HistoryItem::UserReply };
        let said = answer.answers.iter().cloned().map(kind);
        if self.in_progress.step.is_some() {
            self.in_progress.answered |= !guidance;
            self.in_progress.replies.extend(said);
        } else {
            said.for_each(|item| self.push_history(item));
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
