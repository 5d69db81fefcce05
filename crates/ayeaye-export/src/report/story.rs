//! What a page tells, folded from events: bounded, whatever the session's length.
use std::collections::VecDeque;
use std::sync::Arc;

use ayeaye_agent::journal::{
    BlobRef, DeviceRecord, EvaluationRecord, Event, Fact, PhaseTimes, SessionStart, StepEnd,
    StepStart, TokenRecord, ToolEnd,
};
use jiff::Timestamp;
use serde_json::Value;

use super::call::Call;
use super::html::Clipped;
use super::item::{
    Deed, DeedOver, Item, LONG, MOST_IN_A_STEP, Round, RoundOver, Said, Seen, Step, clip, in_line,
    question, small, spoken,
};

/// Steps a page tells of; earlier ones are counted only.
pub(super) const MOST_STEPS: usize = 1000;
/// Everything a page tells of, steps included.
const MOST_ITEMS: usize = 5000;
/// Words a page holds, in bytes.
const MOST_WORDS: usize = 48 << 20;
/// Rounds listed at the top, and bars of the timeline, are of the items that are told; of rounds
/// this many are kept besides.
const MOST_ROUNDS: usize = 50;

/// The session as it is to be told.
#[derive(Debug, Clone, Default)]
pub(super) struct Story {
    pub(super) start: Option<Start>,
    pub(super) last: Option<Timestamp>,
    pub(super) ended: Option<Ended>,
    pub(super) totals: Totals,
    /// The latest judgement since the last request: of the session, else of the round.
    pub(super) judged: Option<Arc<EvaluationRecord>>,
    /// The first and the latest rounds.
    pub(super) rounds: Vec<Arc<Round>>,
    pub(super) items: VecDeque<Arc<Item>>,
    /// Steps in front of the first item that were dropped.
    pub(super) dropped_steps: u64,
    /// The round the first item belongs to, when its beginning was dropped.
    pub(super) in_round: Option<u32>,
    steps_told: usize,
    words: usize,
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

/// Why the last run stopped.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) at: Timestamp,
    pub(super) reason: String,
    pub(super) message: Clipped,
}

/// Sums of the whole session.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    pub(super) steps: u64,
    pub(super) failed_steps: u64,
    pub(super) runs: u64,
    pub(super) rounds: u64,
    pub(super) calls: u64,
    pub(super) tokens: TokenRecord,
    pub(super) cost_usd: f64,
    pub(super) unpriced: bool,
    pub(super) times: PhaseTimes,
}

impl Story {
    /// Takes the next event into account.
    pub(super) fn apply(&mut self, event: &Event) {
        let at = event.ts;
        let entry = &event.entry;
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
        match &entry.fact {
            Fact::SessionStart(start) => self.begin(at, start),
            Fact::SessionResume(resume) => self.resume(at, &resume.why),
            Fact::SessionEnd(end) => self.stop(at, &end.stop_reason, &end.message),
            Fact::RoundStart { request } => self.begin_round(at, entry.round, request),
            Fact::RoundEnd(end) => {
                let over = RoundOver {
                    status: clip(&end.status, 100).text,
                    reason: clip(&end.stop_reason, 100).text,
                    result: clip(&end.result, LONG),
                    steps: end.steps,
                    cost_usd: end.cost_usd,
                };
                if !end.stop_reason.is_empty() {
                    self.stop(at, &end.stop_reason, &end.result);
                }
                self.end_round(entry.round, over);
            }
            Fact::StepStart(start) => {
                let number = entry.step.unwrap_or_else(|| self.next_step());
                self.begin_step(at, number, entry.agent.as_deref(), Some(start));
            }
            Fact::StepEnd(end) => {
                self.totals.add(end);
                self.step(event).end(end);
            }
            // A further look in a step brings the elements alone.
            Fact::Observe(observe) => {
                let seen = &mut self.step(event).seen;
                if observe.screenshot.is_some() || seen.is_none() {
                    *seen = Some(Seen::new(observe));
                }
            }
            Fact::LlmRequest(request) => {
                self.totals.calls += 1;
                if entry.step.is_some() {
                    self.step(event).ask(Call::new(request));
                }
            }
            Fact::LlmResponse(response) => {
                self.totals.tokens = sum(self.totals.tokens, response.tokens);
                self.totals.cost_usd += response.cost_usd;
                self.totals.unpriced |= !response.cost_known;
                if entry.step.is_some() {
                    self.step(event).hear(response);
                }
            }
            Fact::ToolStart(start) => {
                let deed = Deed::new(start);
                if entry.step.is_some() {
                    let deeds = &mut self.step(event).deeds;
                    if deeds.len() < MOST_IN_A_STEP {
                        deeds.push(deed);
                    }
                } else {
                    self.push(Item::Deed(at, deed));
                }
            }
            Fact::ToolEnd(end) => self.end_deed(end),
            Fact::Question(asked) => self.push(question(at, asked)),
            Fact::Answer(answer) => self.push(spoken(at, answer)),
            Fact::SubtaskEnd { index, status, result } => self.push(Item::SubtaskOver {
                at,
                index: *index,
                status: clip(status, 100).text,
                result: clip(result, LONG),
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
            Fact::Note { kind, text, figures } => self.push(Item::Note {
                at,
                kind: clip(kind, 100),
                text: clip(text, LONG),
                figures: in_line(figures, 1000),
            }),
            Fact::State { .. } | Fact::BlackboardAdd { .. } => {}
        }
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
            request: clip(&start.request, LONG),
            device: Arc::new(DeviceRecord {
                device_id: clip(&start.device.device_id, 200).text,
                model: clip(&start.device.model, 200).text,
                android_version: clip(&start.device.android_version, 200).text,
                wm_size: start.device.wm_size,
            }),
            model: setting("model"),
            reply_mode: clip(&start.run.reply_mode, 100),
            version: setting("version"),
        });
    }

    fn resume(&mut self, at: Timestamp, why: &str) {
        self.totals.runs += 1;
        let stopped = self.ended.take();
        let why = clip(why, 100).text;
        let reason = stopped.as_ref().map_or("", |it| it.reason.as_str());
        // A question and its answer say it all; so does a new chapter.
        let told = (reason == "INFO_ACTION_NEEDS_REPLY" && why == "reply")
            || (reason == "TASK_COMPLETED_SUCCESSFULLY" && why == "next_round");
        if !told {
            self.push(Item::Pause { stopped, at, why });
        }
    }

    fn stop(&mut self, at: Timestamp, reason: &str, message: &str) {
        let (reason, message) = (clip(reason, 100).text, clip(message, LONG));
        self.ended = Some(Ended { at, reason, message });
    }

    fn begin_round(&mut self, at: Timestamp, number: Option<u32>, request: &str) {
        let next = self.rounds.last().map_or(0, |it| it.number.saturating_add(1));
        let number = number.unwrap_or(next);
        let round = Round { number, at, request: clip(request, LONG), end: None };
        self.totals.rounds += 1;
        // A judgement is of what was asked for before.
        self.judged = None;
        if self.rounds.len() == MOST_ROUNDS {
            // The first stays: it is what the session was begun for.
            self.rounds.remove(1);
        }
        self.rounds.push(Arc::new(round.clone()));
        self.push(Item::Round(round));
    }

    fn end_round(&mut self, number: Option<u32>, over: RoundOver) {
        let Some(round) = self.rounds.last_mut() else { return };
        Arc::make_mut(round).end = Some(over.clone());
        let number = number.unwrap_or(round.number);
        self.push(Item::RoundOver(number, over));
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
        self.push(Item::Step(Box::new(Step {
            number,
            at,
            agent: clip(agent, 100),
            subtask: clip(start.map_or("", |it| &it.subtask), LONG),
            seen: None,
            calls: Vec::new(),
            more_calls: 0,
            deeds: Vec::new(),
            action: None,
            said: Said::default(),
            end: None,
        })));
    }

    fn next_step(&self) -> u32 {
        u32::try_from(self.totals.steps).unwrap_or(u32::MAX)
    }

    /// The step an event belongs to. A record that does not say when it began still gets it told.
    fn step(&mut self, event: &Event) -> &mut Step {
        let wanted = event.entry.step;
        let fits = |item: &Arc<Item>| matches!(&**item, Item::Step(step) if wanted.is_none_or(|it| it == step.number));
        let latest = self.items.iter().rposition(|item| matches!(**item, Item::Step(_)));
        let found = latest.filter(|&at| fits(&self.items[at]));
        let at = found.unwrap_or_else(|| {
            let number = wanted.unwrap_or_else(|| self.next_step());
            self.begin_step(event.ts, number, event.entry.agent.as_deref(), None);
            self.items.len() - 1
        });
        match Arc::make_mut(&mut self.items[at]) {
            Item::Step(step) => step,
            _ => unreachable!("looked for a step, or put one there"),
        }
    }

    /// Ends what was begun under this number, among the last few things.
    fn end_deed(&mut self, end: &ToolEnd) {
        let over = DeedOver {
            success: end.success,
            unknown: end.unknown,
            result: clip(&end.result, LONG),
            error: end.error.as_deref().map(|error| clip(error, LONG)),
            ms: end.duration_ms,
        };
        for item in self.items.iter_mut().rev().take(20) {
            let waits = |deed: &Deed| deed.id == end.tool_call_id && deed.end.is_none();
            let here = match &**item {
                Item::Step(step) => step.deeds.iter().any(waits),
                Item::Deed(_, deed) => waits(deed),
                _ => false,
            };
            if !here {
                continue;
            }
            match Arc::make_mut(item) {
                Item::Step(step) => {
                    if let Some(deed) = step.deeds.iter_mut().find(|deed| waits(deed)) {
                        deed.end = Some(over);
                    }
                }
                Item::Deed(_, deed) => deed.end = Some(over),
                _ => {}
            }
            return;
        }
    }

    /// A subtask, a round and the session often end on the same screen.
    fn snapshot(&mut self, at: Timestamp, scope: &str, picture: &BlobRef) {
        let scope = clip(scope, 100).text;
        for item in self.items.iter_mut().rev().take(4) {
            let same = matches!(&**item, Item::Snapshot { picture: before, scopes, .. }
                if before == picture && scopes.len() < 4 && !scopes.contains(&scope));
            if same && let Item::Snapshot { scopes, .. } = Arc::make_mut(item) {
                scopes.push(scope);
                return;
            }
        }
        self.push(Item::Snapshot { at, scopes: vec![scope], picture: small(picture) });
    }

    fn judge(&mut self, at: Timestamp, mut facts: EvaluationRecord) {
        facts.reason = clip(&facts.reason, LONG).text;
        facts.request = clip(&facts.request, LONG).text;
        facts.error = facts.error.map(|error| clip(&error, LONG).text);
        facts.sub_scores.truncate(50);
        for score in &mut facts.sub_scores {
            score.name = clip(&score.name, 500).text;
        }
        let facts = Arc::new(facts);
        if facts.level == "session" || self.judged.as_ref().is_none_or(|it| it.level != "session") {
            self.judged = Some(facts.clone());
        }
        self.push(Item::Judged { at, facts });
    }

    fn push(&mut self, item: Item) {
        // The step before this one takes no more words, except its end's.
        if let Item::Step(_) = item {
            self.weigh_latest();
            self.steps_told += 1;
        } else {
            self.words += item.words();
        }
        self.items.push_back(Arc::new(item));
        while MOST_STEPS < self.steps_told
            || MOST_ITEMS < self.items.len()
            || (MOST_WORDS < self.words && 1 < self.items.len())
        {
            let Some(dropped) = self.items.pop_front() else { break };
            self.words = self.words.saturating_sub(dropped.words());
            match &*dropped {
                Item::Step(_) => {
                    self.steps_told -= 1;
                    self.dropped_steps += 1;
                }
                Item::Round(round) => self.in_round = Some(round.number),
                _ => {}
            }
        }
    }

    /// Counts the words of the latest step, which is over.
    fn weigh_latest(&mut self) {
        let latest = self.items.iter().rev().find(|item| matches!(***item, Item::Step(_)));
        self.words += latest.map_or(0, |item| item.words());
    }
}

impl Totals {
    fn add(&mut self, end: &StepEnd) {
        self.failed_steps += u64::from(end.error.is_some());
        let (sum, more) = (&mut self.times, end.time_ms);
        sum.data_collection += more.data_collection;
        sum.llm_interaction += more.llm_interaction;
        sum.action_execution += more.action_execution;
        sum.memory_update += more.memory_update;
    }
}

fn sum(a: TokenRecord, b: TokenRecord) -> TokenRecord {
    TokenRecord {
        prompt: a.prompt.saturating_add(b.prompt),
        completion: a.completion.saturating_add(b.completion),
        thinking: a.thinking.saturating_add(b.thinking),
        cached: a.cached.saturating_add(b.cached),
        total: a.total.saturating_add(b.total),
    }
}
