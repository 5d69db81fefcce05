//! How an event changes the state of a session.
mod calls;
mod questions;
mod steps;

use serde_json::{Map, Value};

use super::agents::APP_AGENT;
use super::state::{CurrentRun, SessionState};
use crate::event::{
    BlackboardSection, Event, Fact, MESSAGE_ID, NoteKind, POLICY, RecordedWord, ResumeReason,
    RoundEnd, RunRecord, STEP, SessionEnd, SessionResume,
};
use crate::secret_text::not_told_again;
use crate::{Action, HistoryItem, HistoryStep, Question, StopReason};

/// Most that is remembered of what has happened: a model is shown the end of it, and a session of
/// ten thousand steps must not fill the memory. Requests and answers stay longer than steps.
const MAX_HISTORY: usize = 1000;

/// Most messages that are known to have had their effect. Those that wait are fewer, and they are taken in
/// their order.
const MAX_TAKEN_MESSAGES: usize = 256;

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
            Fact::SessionStart(start) => self.begin_first_run(&start.run),
            Fact::SessionResume(resume) => self.begin_next_run(resume),
            Fact::SessionEnd(end) => self.end_run(end),
            Fact::RoundStart { request } => self.begin_round(event.entry.round, request),
            Fact::RoundEnd(end) => self.end_round(end),
            Fact::StepStart(start) => self.begin_step(step, agent, start),
            Fact::StepEnd(end) => self.end_step(step.unwrap_or_default(), end),
            Fact::Observe(observe) => self.observe(step, observe),
            Fact::LlmRequest(request) => self.begin_call(agent, request),
            Fact::LlmResponse(response) => self.end_call(response),
            Fact::ToolStart(start) => self.begin_act(start),
            Fact::ToolEnd(end) => self.end_act(end),
            Fact::Question(asked) => self.ask(Question::from(asked), event.ts),
            Fact::Answer(answer) => self.take_answer(answer),
            Fact::State { to, .. } => self.agents.set_state(agent.unwrap_or(APP_AGENT), to),
            Fact::Note { kind, text, figures } => {
                if let Some(kind) = kind.known() {
                    self.take_note(kind, text, figures);
                }
            }
            Fact::BlackboardAdd { section, item } if *section == BlackboardSection::Notes => {
                self.in_progress.noted = item.as_str().map(str::to_owned);
            }
            Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Evaluation(_)
            | Fact::Unknown { .. } => {}
        }
    }

    fn begin_first_run(&mut self, run: &RunRecord) {
        self.run = run.clone();
        self.narrow_to_run();
        self.stopped = None;
        self.run_ended = false;
    }

    fn begin_next_run(&mut self, resume: &SessionResume) {
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
        let final_action = self.current_run.final_action.take();
        self.current_run = CurrentRun { final_action, ..CurrentRun::default() };
    }

    fn end_run(&mut self, end: &SessionEnd) {
        self.waits_for_device = None;
        self.stop(&end.stop_reason, &end.message);
        self.run_ended = true;
    }

    fn begin_round(&mut self, round: Option<u32>, request: &str) {
        self.round = round.unwrap_or(self.round);
        self.round_open = true;
        self.stopped = None;
        request.clone_into(&mut self.request);
        self.current_run.final_action = None;
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
        self.push_history(HistoryItem::Request(request.to_owned()));
    }

    fn end_round(&mut self, end: &RoundEnd) {
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

    fn take_note(&mut self, kind: NoteKind, text: &str, figures: &Map<String, Value>) {
        let figure = |name| figures.get(name).and_then(Value::as_str);
        match kind {
            NoteKind::DirectControl => self.client_round = true,
            NoteKind::MessageDropped => {
                if let Some(id) = figure(MESSAGE_ID) {
                    self.note_taken(id);
                }
                // It may have been meant as a no.
                self.approval = None;
            }
            NoteKind::PolicyNarrowed => {
                if let Some(profile) = figure(POLICY) {
                    self.narrow_policy(profile.to_owned());
                }
            }
            NoteKind::DeviceAway => self.waits_for_device = Some(text.to_owned()),
            NoteKind::DeviceBack => self.waits_for_device = None,
            NoteKind::ActInDoubt => {
                let step = figures.get(STEP).and_then(Value::as_u64);
                if let Some(step) = step.and_then(|step| u32::try_from(step).ok()) {
                    self.doubt_act(step, text);
                }
            }
            _ => {}
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
