//! The steps of a session as the page shows them, read event by event in bounded memory.
use std::collections::VecDeque;

use ayeaye_agent::gate::Policy;
use ayeaye_agent::journal::{
    ActionRecord, AgentType, Answer, AnswerSource, BlobRef, Event, Fact, Observe, StepEnd, Summary,
    SummaryBuilder,
};
use ayeaye_agent::{JournalError, QuestionKind, SessionId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::mcp::resources::steps::StepPicture;
use crate::text::{one_line, short_lines, truncate};

/// Most steps that are given at a time.
pub(super) const MOST_STEPS: usize = 200;
/// Most rounds that are given: the latest.
const MOST_ROUNDS: usize = 100;
/// Longest text of a step, in characters.
const MAX_TEXT: usize = 2000;
/// Most things said that are shown with a step.
const MOST_SAID: usize = 8;
/// Longest line, in characters.
const MAX_LINE: usize = 200;

/// One step. Those that are over do not change any more.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own for the page")]
pub(super) struct Step {
    /// From 0 through the session.
    pub(super) index: u32,
    round: u32,
    /// `app`, `host` or `client`.
    agent: &'static str,
    /// Such as `CLICK`; empty until something is decided.
    action_type: String,
    /// The act in words, such as "Tap on Save".
    label: String,
    /// What it is about, whole, for a page that words the act itself: the text that is typed, the app, the
    /// question, the reason.
    #[serde(skip_serializing_if = "String::is_empty")]
    about: String,
    /// Where it touches, and where it lifts: thousandths of the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<[f64; 2]>,
    thought: String,
    explain: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Why it is not certain that it had its effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertain: Option<String>,
    /// RFC 3339, in UTC.
    started_at: String,
    /// Whether it is over.
    over: bool,
    model_ms: u64,
    other_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    picture: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture_url: Option<String>,
    #[serde(skip)]
    blob: Option<BlobRef>,
    /// Whether its picture is of an app that is private to whoever reads this.
    #[serde(skip)]
    is_private: bool,
    /// The name of what it is aimed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// What the user said since the step before, or in this one: answers and advice.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    said: VecDeque<String>,
    /// Whether somebody was asked for approval, and it was not done in this step.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    only_asked: bool,
    /// Whether an act went to the phone.
    #[serde(rename = "sent", skip_serializing_if = "std::ops::Not::not")]
    was_sent: bool,
    /// How the user was asked for permission.
    #[serde(skip)]
    asked: Option<String>,
    /// What was decided.
    #[serde(skip)]
    action: Option<ActionRecord>,
}

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Round {
    number: u32,
    request: String,
}

/// Reads a record: its steps before a certain one, the latest of them, its rounds, and all of it in short.
pub(super) struct StepReader {
    id: SessionId,
    before: u32,
    summary: SummaryBuilder,
    steps: VecDeque<Step>,
    rounds: VecDeque<Round>,
    /// What the user said between two steps.
    said: VecDeque<String>,
    /// What hides pictures from whoever reads this.
    hidden: Option<Policy>,
}

/// What was read.
#[derive(Debug)]
pub(super) struct ReadSteps {
    pub(super) summary: Summary,
    pub(super) steps: Vec<Step>,
    pub(super) rounds: Vec<Round>,
}

impl StepReader {
    /// Of all steps, or of those before one; without the pictures that the policy hides.
    pub(super) fn new(id: SessionId, before: Option<u32>, hidden: Option<Policy>) -> Self {
        let before = before.unwrap_or(u32::MAX);
        let summary = SummaryBuilder::new(id);
        let (steps, rounds, said) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self { id, before, summary, steps, rounds, said, hidden }
    }

    /// Takes in the next event of the record.
    pub(super) fn apply(&mut self, event: &Event) {
        self.summary.apply(event);
        if let (Fact::RoundStart { request }, Some(number)) = (&event.entry.fact, event.entry.round)
        {
            push(
                &mut self.rounds,
                MOST_ROUNDS,
                Round { number, request: short_lines(request, MAX_TEXT) },
            );
        }
        if let (Fact::Answer(answer), None) = (&event.entry.fact, event.entry.step) {
            words(answer).for_each(|text| push(&mut self.said, MOST_SAID, text));
        }
        let Some(index) = event.entry.step.filter(|step| *step < self.before) else { return };
        if let Fact::StepStart(start) = &event.entry.fact {
            let agent = match start.agent_type.known() {
                Some(AgentType::HostAgent) => "host",
                Some(AgentType::Client) => "client",
                Some(AgentType::AppAgent) | None => "app",
            };
            let round = event.entry.round.unwrap_or_default();
            let mut step = Step::new(index, round, agent, event.ts);
            step.said = std::mem::take(&mut self.said);
            push(&mut self.steps, MOST_STEPS, step);
        } else if let Some(step) = self.steps.iter_mut().rev().find(|it| it.index == index) {
            let fact = &event.entry.fact;
            if let (Fact::Observe(seen), Some(policy)) = (fact, &self.hidden) {
                step.is_private |= step.blob.is_none() && policy.hides(&seen.package);
            }
            step.apply(self.id, fact);
        }
    }

    /// What was read, when all of it was.
    pub(super) fn finish(self) -> Result<ReadSteps, JournalError> {
        let Self { summary, steps, rounds, .. } = self;
        Ok(ReadSteps {
            // How much room it takes is not shown.
            summary: summary.finish(0)?,
            steps: steps.into(),
            rounds: rounds.into(),
        })
    }
}

/// What a person has said; nothing where a model answered, or nobody.
fn words(answer: &Answer) -> impl Iterator<Item = String> {
    let by_nobody =
        matches!(answer.source.known(), Some(AnswerSource::Auto | AnswerSource::Nobody));
    answer.answers.iter().filter(move |_| !by_nobody).map(|text| short_lines(text, MAX_TEXT))
}

fn push<T>(list: &mut VecDeque<T>, most: usize, item: T) {
    if list.len() == most {
        list.pop_front();
    }
    list.push_back(item);
}

/// A time as the page reads it: to the millisecond.
pub(super) fn to_millis(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Milliseconds, whole.
pub(super) fn whole(ms: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates, and nothing that takes time is negative"
    )]
    let whole = ms.round() as u64;
    whole
}

impl Step {
    /// Its picture, as whoever reads this may have it.
    pub(super) fn picture(&self) -> StepPicture {
        match &self.blob {
            Some(blob) => StepPicture::Kept(blob.clone()),
            None if self.is_private => StepPicture::Private,
            None => StepPicture::None,
        }
    }

    /// Since when the phone may have looked as on its picture.
    pub(super) fn since(&self) -> Timestamp {
        self.started_at.parse().unwrap_or(Timestamp::MIN)
    }

    fn new(index: u32, round: u32, agent: &'static str, started: Timestamp) -> Self {
        Self {
            index,
            round,
            agent,
            action_type: String::new(),
            label: String::new(),
            about: String::new(),
            point: None,
            end: None,
            thought: String::new(),
            explain: String::new(),
            app: None,
            error: None,
            uncertain: None,
            started_at: to_millis(started),
            over: false,
            model_ms: 0,
            other_ms: 0,
            cost_usd: None,
            picture: false,
            picture_url: None,
            blob: None,
            is_private: false,
            target: None,
            said: VecDeque::new(),
            only_asked: false,
            asked: None,
            was_sent: false,
            action: None,
        }
    }

    fn apply(&mut self, id: SessionId, fact: &Fact) {
        match fact {
            Fact::Observe(seen) => self.saw(id, seen),
            Fact::LlmResponse(reply) => {
                self.model_ms = self.model_ms.saturating_add(whole(reply.latency_ms));
                if let Some(parsed) = &reply.parsed {
                    self.thought = short_lines(&parsed.response.thought, MAX_TEXT);
                    self.explain = short_lines(&parsed.response.comment, MAX_TEXT);
                    self.decided(&parsed.action);
                }
            }
            Fact::Question(asked) if asked.kind == QuestionKind::Confirm => {
                self.only_asked = true;
                self.asked = Some(asked.questions.join("\n"));
                if let Some(action) = self.action.clone() {
                    self.decided(&action.as_told(self.was_sent, self.asked.as_deref()));
                }
            }
            Fact::ToolStart(start) if start.is_act() => {
                (self.only_asked, self.was_sent) = (false, true);
                self.target = start.target.as_ref().and_then(|it| named(&it.name));
                let (function, arguments) = (start.name.clone(), start.parameters.clone());
                self.decided(&ActionRecord { function, arguments });
            }
            // While the gate's question waits, only its record says what the act is aimed at.
            Fact::Note { figures, .. } => {
                let target = figures.get("act").and_then(|act| act["target"][1].as_str());
                let decided = self.action.clone();
                if let (Some(name), Some(action)) = (target.and_then(named), decided) {
                    self.target = Some(name);
                    self.decided(&action);
                }
            }
            Fact::Answer(answer) => {
                words(answer).for_each(|text| push(&mut self.said, MOST_SAID, text));
            }
            Fact::StepEnd(end) => self.ended(end),
            _ => {}
        }
    }

    fn saw(&mut self, id: SessionId, seen: &Observe) {
        let app = if seen.app_name.is_empty() { &seen.package } else { &seen.app_name };
        if !app.is_empty() {
            self.app = Some(truncate(&one_line(app), MAX_LINE));
        }
        // The first is the one that was decided on.
        if let (None, false, Some(blob)) = (&self.blob, self.is_private, &seen.screenshot) {
            self.blob = Some(blob.clone());
            self.picture = true;
            let index = self.index;
            self.picture_url = Some(format!("/page/api/sessions/{id}/steps/{index}/picture"));
        }
    }

    fn decided(&mut self, action: &ActionRecord) {
        self.action_type = truncate(&action.function, MAX_LINE);
        self.label = truncate(&one_line(&action.in_words(self.target.as_deref())), MAX_LINE);
        self.about = short_lines(&about(action), MAX_TEXT);
        self.action = Some(action.clone());
        let place = |name: &str| point(action.arguments.get(name)?);
        (self.point, self.end) = match place("point1") {
            Some(from) => (Some(from), place("point2")),
            None => (place("point"), None),
        };
    }

    fn ended(&mut self, end: &StepEnd) {
        self.over = true;
        self.thought = short_lines(&end.response.thought, MAX_TEXT);
        self.explain = short_lines(&end.response.comment, MAX_TEXT);
        if let Some(action) = &end.action {
            self.decided(&action.as_told(self.was_sent, self.asked.as_deref()));
        }
        // That it waits for an answer is told by `only_asked`.
        let error = end.error.as_deref().filter(|_| !(self.only_asked && end.is_only_asked()));
        self.error = error.map(|text| short_lines(text, MAX_TEXT));
        self.uncertain = end.uncertain.as_deref().map(|text| short_lines(text, MAX_TEXT));
        self.model_ms = whole(end.time_ms.llm_interaction);
        self.other_ms = whole(end.time_ms.besides_model());
        // Where no model was asked to the end, nothing is known to be free.
        let was_asked = end.action.is_some() || end.cost_usd != 0.0 || end.tokens.total != 0;
        self.cost_usd = (end.cost_known && was_asked).then_some(end.cost_usd);
    }
}

/// The name of a control, where it has one.
fn named(name: &str) -> Option<String> {
    let name = truncate(&one_line(name), MAX_LINE);
    (!name.trim().is_empty()).then_some(name)
}

/// What an act is about besides a place.
fn about(action: &ActionRecord) -> String {
    let text = |name: &str| match action.arguments.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(number @ Value::Number(_)) => number.to_string(),
        _ => String::new(),
    };
    match action.function.as_str() {
        "TYPE" => text("value"),
        "SCROLL" => text("direction"),
        "AWAKE" => text("app"),
        "HOT_KEY" => text("key"),
        "WAIT" => text("seconds"),
        "NOTE" => text("text"),
        "INFO" => {
            let question = action.arguments.get("question");
            let text = question.and_then(|it| it["text"].as_str());
            text.unwrap_or_default().to_owned()
        }
        "COMPLETE" => text("return"),
        "ABORT" => text("reason"),
        _ => String::new(),
    }
}

/// A point of the record, if it is one on the screen.
fn point(value: &Value) -> Option<[f64; 2]> {
    let [x, y] = &value.as_array()?[..] else { return None };
    let on_screen = |value: &Value| value.as_f64().filter(|it| (0.0..=1000.0).contains(it));
    Some([on_screen(x)?, on_screen(y)?])
}

#[cfg(test)]
mod tests;
