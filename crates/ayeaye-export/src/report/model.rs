//! What a page tells, folded from events: bounded, whatever the session's length.
use std::collections::VecDeque;
use std::sync::Arc;

use ayeaye_agent::StopReason;
use ayeaye_agent::journal::{
    BlobRef, DeviceRecord, EvaluationLevel, EvaluationRecord, Event, Fact, ResumeReason,
    SessionStart, StepStart, ToolEnd,
};
use jiff::Timestamp;
use serde_json::Value;

use super::call::ModelCall;
use super::clip::{MAX_TEXT, clip, clip_blob, json_text};
use super::html::Clipped;
use super::item::{
    Ended, ModelText, Observation, Round, RoundOver, Step, TimelineItem, ToolCall, ToolOutcome,
    answer_item, question,
};
use super::silence::Silence;
use super::totals::Totals;
use crate::step_view::StepAssembler;

/// Steps a page tells of; earlier ones are counted only.
pub(super) const MAX_STEPS: usize = 1000;
/// Everything a page tells of, steps included.
const MAX_ITEMS: usize = 5000;
/// Words a page holds, in bytes.
const MAX_TEXT_BYTES: usize = 48 << 20;
/// Rounds listed at the top, and bars of the timeline, are of the items that are told; of rounds
/// this many are kept besides.
const MAX_ROUNDS: usize = 50;

/// The session as it is to be told.
#[derive(Debug, Clone, Default)]
pub(super) struct ReportModel {
    pub(super) start: Option<Start>,
    pub(super) last: Option<Timestamp>,
    pub(super) ended: Option<Ended>,
    pub(super) totals: Totals,
    /// The latest judgement since the last request: of the session, else of the round.
    pub(super) evaluation: Option<Arc<EvaluationRecord>>,
    /// The first and the latest rounds.
    pub(super) rounds: Vec<Arc<Round>>,
    pub(super) items: VecDeque<Arc<TimelineItem>>,
    /// Steps in front of the first item that were dropped.
    pub(super) dropped_steps: u64,
    /// The round the first item belongs to, when its beginning was dropped.
    pub(super) in_round: Option<u32>,
    steps: StepAssembler,
    silence: Silence,
    /// Whether the record cannot be read to its end.
    pub(super) cut_short: bool,
    /// Whether a call of this round has no known price.
    round_unpriced: bool,
    steps_told: usize,
    text_bytes: usize,
}

/// Of `session.start`.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) at: Timestamp,
    pub(super) request: Clipped,
    pub(super) device: Arc<DeviceRecord>,
    pub(super) model: Clipped,
    pub(super) reply_mode: Clipped,
    pub(super) version: Clipped,
}

impl ReportModel {
    /// Takes the next event into account.
    pub(super) fn apply(&mut self, event: &Event) {
        let at = event.ts;
        let entry = &event.entry;
        self.steps.apply(event);
        self.silence.hear(event);
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
        match &entry.fact {
            Fact::SessionStart(start) => self.begin(at, start),
            Fact::SessionResume(resume) => self.resume(at, &resume.why),
            Fact::SessionEnd(end) => self.stop(at, &end.stop_reason, &end.message),
            Fact::RoundStart { request } => self.begin_round(at, entry.round, request),
            Fact::RoundEnd(end) => {
                let over = RoundOver {
                    status: clip(&end.status, 100).text,
                    reason: clip(end.stop_reason.as_deref().unwrap_or_default(), 100).text,
                    result: clip(&end.result, MAX_TEXT),
                    steps: end.steps,
                    cost_usd: end.cost_usd,
                    cost_known: !self.round_unpriced,
                };
                if let Some(reason) = &end.stop_reason {
                    self.stop(at, reason, &end.result);
                }
                self.end_round(entry.round, over);
            }
            Fact::StepStart(start) => {
                let number = entry.step.unwrap_or_else(|| self.next_step());
                self.begin_step(at, number, entry.agent.as_deref(), Some(start));
            }
            Fact::StepEnd(end) => {
                let step = self.step(event);
                step.end(end);
                let failed = step.failed();
                self.totals.add_step(end, failed);
            }
            Fact::Observe(_) => {
                if let Some(view) = self.steps.step(entry.step) {
                    let observation = Observation::new(&view.screen);
                    self.step(event).observation = Some(observation);
                }
            }
            Fact::LlmRequest(request) => {
                self.totals.calls += 1;
                if entry.step.is_some() {
                    self.step(event).add_call(ModelCall::new(request));
                }
            }
            Fact::LlmResponse(response) => {
                self.totals.add_response(response);
                self.round_unpriced |= !response.cost_known;
                if entry.step.is_some() {
                    self.step(event).on_response(response);
                }
            }
            Fact::ToolStart(start) => {
                let tool_call = ToolCall::new(start);
                if entry.step.is_some() {
                    self.step(event).add_tool_call(tool_call);
                } else {
                    self.push(TimelineItem::ToolCall(at, tool_call));
                }
            }
            Fact::ToolEnd(end) => self.end_tool_call(end),
            Fact::Question(asked) => {
                if entry.step.is_some() {
                    self.step(event).asks(asked);
                }
                self.push(question(at, asked));
            }
            Fact::Answer(answer) => self.push(answer_item(at, answer)),
            Fact::SubtaskEnd { index, status, result } => self.push(TimelineItem::SubtaskOver {
                at,
                index: *index,
                status: clip(status, 100).text,
                result: clip(result, MAX_TEXT),
            }),
            Fact::Snapshot { scope, screenshot, .. } => {
                if let Some(picture) = screenshot {
                    self.snapshot(at, scope, picture);
                }
            }
            Fact::Evaluation(facts) => {
                if let Some(facts) = EvaluationRecord::of(facts) {
                    self.judge(at, facts);
                }
            }
            Fact::Note { kind, text, figures } => self.push(TimelineItem::Note {
                at,
                kind: clip(kind, 100),
                text: clip(text, MAX_TEXT),
                figures: json_text(figures, 1000),
            }),
            Fact::State { .. } | Fact::BlackboardAdd { .. } | Fact::Unknown { .. } => {}
        }
    }

    /// Says at the end of what is told why it goes no further.
    pub(super) fn cut_short(&mut self, why: &str) {
        self.cut_short = true;
        let at = self.last.unwrap_or_default();
        let kind = clip("damaged", 100);
        let (text, figures) = (clip(why, MAX_TEXT), Clipped::default());
        self.push(TimelineItem::Note { at, kind, text, figures });
    }

    /// The picture that the latest step has seen.
    pub(super) fn latest_picture(&self) -> Option<&BlobRef> {
        let latest = self.items.iter().rev().find_map(|item| match &**item {
            TimelineItem::Step(step) => Some(step),
            _ => None,
        })?;
        latest.observation.as_ref()?.picture.as_ref()
    }

    /// Whether the last run has stopped.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    fn begin(&mut self, at: Timestamp, start: &SessionStart) {
        let setting = |name| match start.config.get(name) {
            Some(Value::String(text)) => clip(text, 200),
            _ => Clipped::default(),
        };
        self.totals.runs += 1;
        self.start = Some(Start {
            at,
            request: clip(&start.request, MAX_TEXT),
            device: Arc::new(DeviceRecord {
                device_id: clip(&start.device.device_id, 200).text,
                model: clip(&start.device.model, 200).text,
                android_version: clip(&start.device.android_version, 200).text,
                wm_size: start.device.wm_size,
                serial_digest: None,
            }),
            model: setting("model"),
            reply_mode: clip(&start.run.reply_mode, 100),
            version: setting("version"),
        });
    }

    fn resume(&mut self, at: Timestamp, why: &str) {
        self.totals.runs += 1;
        let mut stopped = self.ended.take();
        if let Some(ended) = &mut stopped {
            self.silence.date(ended, at);
        }
        let why = clip(why, 100).text;
        let reason = stopped.as_ref().map_or("", |it| it.reason.as_str());
        // A question and its answer say it all; so does a new chapter.
        let is = |end: StopReason, next: ResumeReason| reason == end.name() && why == next.name();
        let described = is(StopReason::InfoActionNeedsReply, ResumeReason::Reply)
            || is(StopReason::TaskCompletedSuccessfully, ResumeReason::NextRound);
        if !described {
            self.push(TimelineItem::Pause { stopped, at, why });
        }
    }

    fn stop(&mut self, at: Timestamp, reason: &str, message: &str) {
        let (reason, message) = (clip(reason, 100).text, clip(message, MAX_TEXT));
        self.ended = Some(Ended { at, cut_off: false, reason, message });
    }

    fn begin_round(&mut self, at: Timestamp, number: Option<u32>, request: &str) {
        let next = self.rounds.last().map_or(0, |it| it.number.saturating_add(1));
        let number = number.unwrap_or(next);
        let round = Round { number, at, request: clip(request, MAX_TEXT), end: None };
        self.totals.rounds += 1;
        self.round_unpriced = false;
        // A judgement is of what was asked for before.
        self.evaluation = None;
        if self.rounds.len() == MAX_ROUNDS {
            // The first stays: it is what the session was begun for.
            self.rounds.remove(1);
        }
        self.rounds.push(Arc::new(round.clone()));
        self.push(TimelineItem::Round(round));
    }

    fn end_round(&mut self, number: Option<u32>, over: RoundOver) {
        let Some(round) = self.rounds.last_mut() else { return };
        Arc::make_mut(round).end = Some(over.clone());
        let number = number.unwrap_or(round.number);
        self.push(TimelineItem::RoundOver(number, over));
    }

    fn begin_step(
        &mut self,
        at: Timestamp,
        number: u32,
        agent: Option<&str>,
        start: Option<&StepStart>,
    ) {
        self.totals.steps += 1;
        let agent = agent.or(start.map(|it| it.agent_type.as_str())).unwrap_or("");
        self.push(TimelineItem::Step(Box::new(Step {
            number,
            at,
            agent: clip(agent, 100),
            subtask: clip(start.map_or("", |it| &it.subtask), MAX_TEXT),
            observation: None,
            calls: Vec::new(),
            more_calls: 0,
            tool_calls: Vec::new(),
            action: None,
            asked: None,
            model_text: ModelText::default(),
            end: None,
        })));
    }

    fn next_step(&self) -> u32 {
        u32::try_from(self.totals.steps).unwrap_or(u32::MAX)
    }

    /// The step an event belongs to. A record that does not say when it began still gets it told.
    fn step(&mut self, event: &Event) -> &mut Step {
        let wanted = event.entry.step;
        let fits = |item: &Arc<TimelineItem>| matches!(&**item, TimelineItem::Step(step) if wanted.is_none_or(|it| it == step.number));
        let latest = self.items.iter().rposition(|item| matches!(**item, TimelineItem::Step(_)));
        let found = latest.filter(|&at| fits(&self.items[at]));
        let at = found.unwrap_or_else(|| {
            let number = wanted.unwrap_or_else(|| self.next_step());
            self.begin_step(event.ts, number, event.entry.agent.as_deref(), None);
            self.items.len() - 1
        });
        match Arc::make_mut(&mut self.items[at]) {
            TimelineItem::Step(step) => step,
            _ => unreachable!("looked for a step, or put one there"),
        }
    }

    /// Ends what was begun under this number, among the last few things.
    fn end_tool_call(&mut self, end: &ToolEnd) {
        let over = ToolOutcome {
            success: end.success,
            unknown: end.unknown,
            result: clip(&end.result, MAX_TEXT),
            error: end.error.as_deref().map(|error| clip(error, MAX_TEXT)),
            uncertain: end.uncertain.as_deref().map(|why| clip(why, MAX_TEXT)),
            ms: end.duration_ms,
        };
        for item in self.items.iter_mut().rev().take(20) {
            let waits =
                |tool_call: &ToolCall| tool_call.id == end.tool_call_id && tool_call.end.is_none();
            let here = match &**item {
                TimelineItem::Step(step) => step.tool_calls.iter().any(waits),
                TimelineItem::ToolCall(_, tool_call) => waits(tool_call),
                _ => false,
            };
            if !here {
                continue;
            }
            match Arc::make_mut(item) {
                TimelineItem::Step(step) => {
                    if let Some(tool_call) =
                        step.tool_calls.iter_mut().find(|tool_call| waits(tool_call))
                    {
                        tool_call.end = Some(over);
                    }
                }
                TimelineItem::ToolCall(_, tool_call) => tool_call.end = Some(over),
                _ => {}
            }
            return;
        }
    }

    /// Whether somebody splits requests up into subtasks, as far as the page tells of it.
    pub(super) fn has_host_agent(&self) -> bool {
        let is_host = |step: &Step| step.agent.text == "HostAgent";
        self.items.iter().any(|it| matches!(&**it, TimelineItem::Step(step) if is_host(step)))
    }

    /// A subtask, a round and the session often end on the same screen.
    fn snapshot(&mut self, at: Timestamp, scope: &str, picture: &BlobRef) {
        let scope = clip(scope, 100).text;
        for item in self.items.iter_mut().rev().take(4) {
            let same = matches!(&**item, TimelineItem::Snapshot { picture: before, scopes, .. }
                if before == picture && scopes.len() < 4 && !scopes.contains(&scope));
            if same && let TimelineItem::Snapshot { scopes, .. } = Arc::make_mut(item) {
                scopes.push(scope);
                return;
            }
        }
        self.push(TimelineItem::Snapshot { at, scopes: vec![scope], picture: clip_blob(picture) });
    }

    fn judge(&mut self, at: Timestamp, mut facts: EvaluationRecord) {
        facts.reason = clip(&facts.reason, MAX_TEXT).text;
        facts.request = clip(&facts.request, MAX_TEXT).text;
        facts.error = facts.error.map(|error| clip(&error, MAX_TEXT).text);
        facts.sub_scores.truncate(50);
        for score in &mut facts.sub_scores {
            score.name = clip(&score.name, 500).text;
        }
        let facts = Arc::new(facts);
        if facts.level == EvaluationLevel::Session
            || self.evaluation.as_ref().is_none_or(|it| it.level != EvaluationLevel::Session)
        {
            self.evaluation = Some(facts.clone());
        }
        self.push(TimelineItem::Evaluation { at, facts });
    }

    fn push(&mut self, item: TimelineItem) {
        // The step before this one takes no more words, except its end's.
        if let TimelineItem::Step(_) = item {
            self.weigh_latest();
            self.steps_told += 1;
        } else {
            self.text_bytes += item.text_len();
        }
        self.items.push_back(Arc::new(item));
        while MAX_STEPS < self.steps_told
            || MAX_ITEMS < self.items.len()
            || (MAX_TEXT_BYTES < self.text_bytes && 1 < self.items.len())
        {
            let Some(dropped) = self.items.pop_front() else { break };
            self.text_bytes = self.text_bytes.saturating_sub(dropped.text_len());
            match &*dropped {
                TimelineItem::Step(_) => {
                    self.steps_told -= 1;
                    self.dropped_steps += 1;
                }
                TimelineItem::Round(round) => self.in_round = Some(round.number),
                _ => {}
            }
        }
    }

    /// Counts the words of the latest step, which is over.
    fn weigh_latest(&mut self) {
        let latest = self.items.iter().rev().find(|item| matches!(***item, TimelineItem::Step(_)));
        self.text_bytes += latest.map_or(0, |item| item.text_len());
    }
}
