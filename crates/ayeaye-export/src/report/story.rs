//! What a page tells, folded from events: bounded, whatever the session's length.
use std::collections::VecDeque;
use std::sync::Arc;

use ayeaye_agent::journal::{
    ActionFacts, Answer, BlobRef, DeviceFacts, EvaluationFacts, Event, Fact, LlmResponse, Observe,
    PhaseTimes, QuestionAsked, SessionStart, StepEnd, StepStart, TargetFacts, TokenFacts, ToolEnd,
    ToolStart,
};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::call::Call;
use super::html::Clipped;

/// Steps a page tells of; earlier ones are counted only.
pub(super) const MOST_STEPS: usize = 1000;
/// Everything a page tells of, steps included.
const MOST_ITEMS: usize = 5000;
/// Words a page holds, in bytes.
const MOST_WORDS: usize = 48 << 20;
/// The longest thought, task or answer, in bytes.
const LONG: usize = 8_000;
/// Calls to models, or things done besides the action, in one step.
const MOST_IN_A_STEP: usize = 8;
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
    /// The latest judgement of the session, else of a round.
    pub(super) judged: Option<Arc<EvaluationFacts>>,
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
    pub(super) device: Arc<DeviceFacts>,
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
    pub(super) tokens: TokenFacts,
    pub(super) cost_usd: f64,
    pub(super) unpriced: bool,
    pub(super) times: PhaseTimes,
}

/// A request of the user.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) at: Timestamp,
    pub(super) request: Clipped,
    pub(super) end: Option<RoundOver>,
}

#[derive(Debug, Clone)]
pub(super) struct RoundOver {
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) result: Clipped,
    pub(super) steps: u32,
    pub(super) cost_usd: f64,
}

/// A piece of the page, in the order of the record.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Round(Round),
    RoundOver(u32, RoundOver),
    Step(Box<Step>),
    Question {
        at: Timestamp,
        kind: String,
        words: Vec<Clipped>,
        options: Vec<Clipped>,
        app: Clipped,
    },
    Answer {
        at: Timestamp,
        source: String,
        words: Vec<Clipped>,
    },
    /// A run stopped, and another went on.
    Pause {
        stopped: Option<Ended>,
        at: Timestamp,
        why: String,
    },
    /// Done to the phone outside of any step.
    Deed(Timestamp, Deed),
    SubtaskOver {
        at: Timestamp,
        index: u32,
        status: String,
        result: Clipped,
    },
    Snapshot {
        at: Timestamp,
        scopes: Vec<String>,
        picture: BlobRef,
    },
    Judged {
        at: Timestamp,
        facts: Arc<EvaluationFacts>,
    },
    Note {
        at: Timestamp,
        kind: Clipped,
        text: Clipped,
        figures: Clipped,
    },
}

/// One look, one decision, one act.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Counted from 0 through the session.
    pub(super) number: u32,
    pub(super) at: Timestamp,
    pub(super) agent: Clipped,
    pub(super) subtask: Clipped,
    pub(super) seen: Option<Seen>,
    pub(super) calls: Vec<Call>,
    /// Calls that found no place.
    pub(super) more_calls: u64,
    pub(super) deeds: Vec<Deed>,
    pub(super) action: Option<ActionFacts>,
    pub(super) said: Said,
    pub(super) end: Option<StepOver>,
}

/// What a phone showed.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) picture: Option<BlobRef>,
    pub(super) size: [u32; 2],
    pub(super) screen: [u32; 2],
    pub(super) app: Clipped,
    pub(super) activity: Clipped,
    pub(super) screen_on: bool,
    pub(super) settled: bool,
    pub(super) blackened: u32,
}

/// What a model said, clipped.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) observation: Clipped,
    pub(super) thought: Clipped,
    pub(super) comment: Clipped,
    pub(super) summary: Clipped,
    pub(super) plan: Vec<Clipped>,
    pub(super) subtask: Clipped,
    pub(super) message: Vec<Clipped>,
}

/// Something that was done.
#[derive(Debug, Clone)]
pub(super) struct Deed {
    pub(super) id: u32,
    pub(super) name: Clipped,
    pub(super) parameters: Clipped,
    pub(super) device: bool,
    pub(super) target: Option<TargetFacts>,
    pub(super) end: Option<DeedOver>,
}

#[derive(Debug, Clone)]
pub(super) struct DeedOver {
    pub(super) success: bool,
    pub(super) unknown: bool,
    pub(super) result: Clipped,
    pub(super) error: Option<Clipped>,
    pub(super) ms: f64,
}

#[derive(Debug, Clone)]
pub(super) struct StepOver {
    pub(super) status: String,
    pub(super) result: Clipped,
    pub(super) error: Option<Clipped>,
    pub(super) tokens: TokenFacts,
    pub(super) cost_usd: f64,
    pub(super) cost_known: bool,
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
            Fact::Observe(observe) => self.step(event).seen = Some(Seen::new(observe)),
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
                if let Some(facts) = EvaluationFacts::of(facts) {
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
            device: Arc::new(DeviceFacts {
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

    fn judge(&mut self, at: Timestamp, mut facts: EvaluationFacts) {
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

impl Step {
    fn ask(&mut self, call: Call) {
        if self.calls.len() < MOST_IN_A_STEP {
            self.calls.push(call);
        } else {
            self.more_calls += 1;
        }
    }

    fn hear(&mut self, response: &LlmResponse) {
        if let Some(parsed) = &response.parsed {
            self.action = Some(short(&parsed.action));
            self.said = Said::new(&parsed.response);
        }
        let waits = |call: &&mut Call| call.id == response.call_id && call.answer.is_none();
        if let Some(call) = self.calls.iter_mut().find(waits) {
            call.hear(response);
        }
    }

    fn end(&mut self, end: &StepEnd) {
        if let Some(action) = &end.action {
            self.action = Some(short(action));
        }
        self.said = Said::new(&end.response);
        self.end = Some(StepOver {
            status: clip(&end.status, 100).text,
            result: clip(&end.result, LONG),
            error: end.error.as_deref().map(|error| clip(error, LONG)),
            tokens: end.tokens,
            cost_usd: end.cost_usd,
            cost_known: end.cost_known,
            times: end.time_ms,
        });
    }

    /// What the action did to the phone, as it was recorded when it was done.
    pub(super) fn act(&self) -> Option<&Deed> {
        let action = self.action.as_ref()?;
        self.deeds.iter().rev().find(|deed| deed.device && deed.name.text == action.function)
    }
}

impl Seen {
    fn new(observe: &Observe) -> Self {
        Self {
            picture: observe.screenshot.as_ref().map(small),
            size: observe.screenshot_size.unwrap_or(observe.screen_size),
            screen: observe.screen_size,
            app: clip(&observe.package, 200),
            activity: clip(&observe.activity, 200),
            screen_on: observe.screen_on,
            settled: observe.settled,
            blackened: observe.blackened,
        }
    }
}

impl Said {
    fn new(response: &ayeaye_agent::journal::ResponseFacts) -> Self {
        Self {
            observation: clip(&response.observation, LONG),
            thought: clip(&response.thought, LONG),
            comment: clip(&response.comment, LONG),
            summary: clip(&response.summary, LONG),
            plan: clip_all(&response.plan),
            subtask: clip(&response.current_subtask, LONG),
            message: clip_all(&response.message),
        }
    }
}

impl Deed {
    fn new(start: &ToolStart) -> Self {
        Self {
            id: start.tool_call_id,
            name: clip(&start.name, 100),
            parameters: in_line(&start.parameters, 2000),
            device: start.device,
            target: start.target.as_ref().map(|target| TargetFacts {
                id: clip(&target.id, 100).text,
                name: clip(&target.name, 200).text,
                kind: clip(&target.kind, 200).text,
                rect: target.rect,
            }),
            end: None,
        }
    }
}

impl Item {
    /// Its bytes in memory, roughly.
    fn words(&self) -> usize {
        const EMPTY: usize = 400;
        let all = |texts: &[Clipped]| texts.iter().map(|it| it.text.len()).sum::<usize>();
        EMPTY
            + match self {
                Self::Round(round) => round.request.text.len(),
                Self::RoundOver(_, over) => over.result.text.len(),
                Self::Step(step) => step.words(),
                Self::Question { words, options, .. } => all(words) + all(options),
                Self::Answer { words, .. } => all(words),
                Self::Pause { stopped, .. } => {
                    stopped.as_ref().map_or(0, |it| it.message.text.len())
                }
                Self::Deed(_, deed) => deed.words(),
                Self::SubtaskOver { result, .. } => result.text.len(),
                Self::Snapshot { .. } => 0,
                Self::Judged { facts, .. } => {
                    let scores: usize = facts.sub_scores.iter().map(|it| it.name.len()).sum();
                    facts.reason.len() + facts.request.len() + scores
                }
                Self::Note { text, figures, .. } => text.text.len() + figures.text.len(),
            }
    }
}

impl Step {
    fn words(&self) -> usize {
        let said = &self.said;
        let short = [&said.observation, &said.thought, &said.comment, &said.summary, &said.subtask];
        let lists = said.plan.iter().chain(&said.message);
        short.into_iter().chain(lists).map(|it| it.text.len()).sum::<usize>()
            + self.calls.iter().map(Call::words).sum::<usize>()
            + self.deeds.iter().map(Deed::words).sum::<usize>()
            + self.subtask.text.len()
            + self.end.as_ref().map_or(0, |it| it.result.text.len())
    }
}

impl Deed {
    fn words(&self) -> usize {
        200 + self.parameters.text.len() + self.end.as_ref().map_or(0, |it| it.result.text.len())
    }
}

fn question(at: Timestamp, asked: &QuestionAsked) -> Item {
    Item::Question {
        at,
        kind: clip(&asked.kind, 100).text,
        words: clip_all(&asked.questions),
        options: clip_all(&asked.options),
        app: clip(asked.app.as_deref().unwrap_or(""), 200),
    }
}

fn spoken(at: Timestamp, answer: &Answer) -> Item {
    Item::Answer { at, source: clip(&answer.source, 100).text, words: clip_all(&answer.answers) }
}

fn clip(text: &str, bytes: usize) -> Clipped {
    Clipped::of(text, bytes)
}

fn clip_all(texts: &[String]) -> Vec<Clipped> {
    texts.iter().take(20).map(|text| clip(text, LONG)).collect()
}

/// Names and values in one line of JSON.
pub(super) fn in_line(map: &Map<String, Value>, bytes: usize) -> Clipped {
    if map.is_empty() {
        return Clipped::default();
    }
    clip(&serde_json::to_string(map).unwrap_or_default(), bytes)
}

/// An action whose texts are not endless. One that is far too large keeps its name alone.
fn short(action: &ActionFacts) -> ActionFacts {
    let mut action = action.clone();
    action.function = clip(&action.function, 100).text;
    if action.arguments.values().map(size).sum::<usize>() <= LONG {
        return action;
    }
    for value in action.arguments.values_mut() {
        if let Value::String(text) = value {
            *text = clip(text, LONG).text;
        } else if LONG < size(value) {
            *value = Value::Null;
        }
    }
    let all: usize = action.arguments.iter().map(|(name, it)| name.len() + size(it)).sum();
    if 8 * LONG < all {
        action.arguments = Map::new();
    }
    action
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size).sum::<usize>() + 8,
        Value::Object(map) => map.iter().map(|(name, it)| name.len() + size(it)).sum::<usize>() + 8,
    }
}

/// A reference whose words are not endless.
pub(super) fn small(blob: &BlobRef) -> BlobRef {
    BlobRef {
        sha256: clip(&blob.sha256, 64).text,
        bytes: blob.bytes,
        media_type: clip(&blob.media_type, 100).text,
    }
}

fn sum(a: TokenFacts, b: TokenFacts) -> TokenFacts {
    TokenFacts {
        prompt: a.prompt.saturating_add(b.prompt),
        completion: a.completion.saturating_add(b.completion),
        thinking: a.thinking.saturating_add(b.thinking),
        cached: a.cached.saturating_add(b.cached),
        total: a.total.saturating_add(b.total),
    }
}
