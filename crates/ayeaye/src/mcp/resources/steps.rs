//! The steps of a session, read event by event in bounded memory.
use std::collections::VecDeque;

use ayeaye_agent::journal::{
    BlobRef, Event, Fact, Observe, PrivateScreens, QuestionAsked, StepEnd,
};
use ayeaye_agent::{Journal, JournalError, QuestionKind, SessionId};
use serde::Serialize;

use crate::mcp::address::Address;
use crate::mcp::results::ActionItem;
use crate::text::truncate;

/// Most steps in a list: the latest.
const MOST_STEPS: usize = 500;
/// Most calls to models in one step.
const MOST_CALLS: usize = 32;
/// Longest text in a step, in characters.
const MAX_TEXT: usize = 4_000;

/// The steps of a session.
#[derive(Debug, Serialize)]
pub(super) struct StepList {
    session_id: String,
    /// Earlier ones, which are counted only.
    omitted_steps: usize,
    steps: VecDeque<StepItem>,
}

/// A step of a list.
#[derive(Debug, Serialize)]
struct StepItem {
    /// From 0, as in addresses.
    step: u32,
    /// From 1, as in results of tools.
    global_step_idx: u32,
    started: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<ActionItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What the user was asked, as they were asked.
    #[serde(flatten)]
    asked: Asked,
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_uri: Option<String>,
    /// Whether an act went to the phone.
    #[serde(skip)]
    was_sent: bool,
}

/// The facts of one step that clients are shown.
#[derive(Debug, Serialize)]
pub(super) struct StepFacts {
    session_id: String,
    step: u32,
    global_step_idx: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    subtask: String,
    started: String,
    /// Absent while the step is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<Screen>,
    calls: Vec<ModelCall>,
    /// What the user was asked, as they were asked.
    #[serde(flatten)]
    asked: Asked,
    /// Whether an act went to the phone.
    #[serde(skip)]
    was_sent: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

/// What the user was asked in a step.
#[derive(Debug, Default, Serialize)]
struct Asked {
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    #[serde(skip)]
    is_for_permission: bool,
}

impl Asked {
    fn of(asked: &QuestionAsked) -> Self {
        let is_for_permission = asked.kind == QuestionKind::Confirm;
        Self { asked: Some(short(&asked.questions.join("\n"))), is_for_permission }
    }
}

/// What the phone showed.
#[derive(Debug, Serialize)]
struct Screen {
    size: [u32; 2],
    package: String,
    activity: String,
    on: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_uri: Option<String>,
    /// Why there is no picture, though there may have been one.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_shown: Option<&'static str>,
}

/// Shown in place of a recorded picture that must not be shown.
pub(super) const NOT_SHOWN: &str = "its app is private (policy.private-apps)";

/// A call to a model.
#[derive(Debug, Serialize)]
struct ModelCall {
    model: String,
    success: bool,
    latency_ms: f64,
    prompt_tokens: u64,
    completion_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What came of the step.
#[derive(Debug, Serialize)]
struct End {
    status: String,
    observation: String,
    thought: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<ActionItem>,
    result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    cost_usd: f64,
    cost_known: bool,
}

/// Reads the list of steps.
pub(super) async fn list(
    journal: &dyn Journal,
    id: SessionId,
    mut private: PrivateScreens,
) -> Result<StepList, JournalError> {
    let mut list =
        StepList { session_id: id.to_string(), omitted_steps: 0, steps: VecDeque::new() };
    let mut each = |mut event: Event| {
        private.hide(&mut event);
        list.apply(id, &event);
    };
    journal.visit_compact(&id, &mut each).await?;
    Ok(list)
}

/// Reads one step; `None` if there is no such step.
pub(super) async fn one(
    journal: &dyn Journal,
    id: SessionId,
    step: u32,
    mut private: PrivateScreens,
) -> Result<Option<StepFacts>, JournalError> {
    let mut facts = None;
    let mut each = |mut event: Event| {
        let is_private = private.hide(&mut event);
        if event.entry.step == Some(step) {
            let facts = facts.get_or_insert_with(|| StepFacts::new(id, step, &event));
            facts.apply(id, &event);
            if let (true, Some(screen)) = (is_private, &mut facts.screen) {
                screen.not_shown = Some(NOT_SHOWN);
            }
        }
    };
    journal.visit_compact(&id, &mut each).await?;
    Ok(facts)
}

/// The picture that the model was shown at a step, if there is one.
pub(crate) async fn picture(
    journal: &dyn Journal,
    id: SessionId,
    step: u32,
    mut private: PrivateScreens,
) -> Result<StepPicture, JournalError> {
    let mut found = StepPicture::None;
    let mut each = |mut event: Event| {
        let is_private = private.hide(&mut event);
        if let (Some(number), Fact::Observe(observe)) = (event.entry.step, event.entry.fact)
            && number == step
            && !matches!(found, StepPicture::Kept(_))
        {
            found = match observe.screenshot {
                Some(blob) => StepPicture::Kept(blob),
                None if is_private => StepPicture::Private,
                None => StepPicture::None,
            };
        }
    };
    journal.visit_compact(&id, &mut each).await?;
    Ok(found)
}

/// A step's picture, or why there is none.
#[derive(Debug)]
pub(crate) enum StepPicture {
    Kept(BlobRef),
    /// It is of an app of which nothing is shown.
    Private,
    None,
}

fn picture_of(id: SessionId, step: u32, observe: &Observe) -> Option<String> {
    observe.screenshot.as_ref().map(|_| Address::Screenshot(id, step).to_string())
}

fn action(end: &StepEnd, was_sent: bool, asked: &Asked) -> Option<ActionItem> {
    let permission = asked.asked.as_deref().filter(|_| asked.is_for_permission);
    let told = end.action.as_ref().map(|action| action.as_told(was_sent, permission));
    told.map(|action| ActionItem::new(&action, &end.response.comment))
}

fn short(text: &str) -> String {
    truncate(text, MAX_TEXT)
}

impl StepList {
    fn apply(&mut self, id: SessionId, event: &Event) {
        let Some(step) = event.entry.step else { return };
        match &event.entry.fact {
            Fact::StepStart(_) => {
                if self.steps.len() == MOST_STEPS {
                    self.steps.pop_front();
                    self.omitted_steps += 1;
                }
                self.steps.push_back(StepItem {
                    step,
                    global_step_idx: step.saturating_add(1),
                    started: event.ts.to_string(),
                    action: None,
                    error: None,
                    asked: Asked::default(),
                    was_sent: false,
                    uri: Address::Step(id, step).to_string(),
                    screenshot_uri: None,
                });
            }
            fact => {
                let last = self.steps.iter_mut().rev().find(|item| item.step == step);
                let Some(item) = last else { return };
                match fact {
                    Fact::Observe(observe) if item.screenshot_uri.is_none() => {
                        item.screenshot_uri = picture_of(id, step, observe);
                    }
                    Fact::StepEnd(end) => {
                        item.action = action(end, item.was_sent, &item.asked);
                        item.error = end.error.as_deref().map(|error| truncate(error, 320));
                    }
                    Fact::ToolStart(start) => item.was_sent |= start.is_act(),
                    Fact::Question(asked) => item.asked = Asked::of(asked),
                    _ => {}
                }
            }
        }
    }
}

impl StepFacts {
    fn new(id: SessionId, step: u32, event: &Event) -> Self {
        Self {
            session_id: id.to_string(),
            step,
            global_step_idx: step.saturating_add(1),
            round: event.entry.round,
            agent: event.entry.agent.clone(),
            subtask: String::new(),
            started: event.ts.to_string(),
            ended: None,
            screen: None,
            calls: Vec::new(),
            asked: Asked::default(),
            was_sent: false,
            end: None,
        }
    }

    fn apply(&mut self, id: SessionId, event: &Event) {
        match &event.entry.fact {
            Fact::StepStart(start) => self.subtask = short(&start.subtask),
            // A second observation in a step brings only the elements.
            Fact::Observe(observe) if self.screen.is_none() || observe.screenshot.is_some() => {
                self.screen = Some(Screen {
                    size: observe.screen_size,
                    package: truncate(&observe.package, 256),
                    activity: truncate(&observe.activity, 256),
                    on: observe.screen_on,
                    screenshot_uri: picture_of(id, self.step, observe),
                    not_shown: None,
                });
            }
            Fact::LlmResponse(answer) if self.calls.len() < MOST_CALLS => {
                self.calls.push(ModelCall {
                    model: truncate(&answer.model, 256),
                    success: answer.success,
                    latency_ms: answer.latency_ms,
                    prompt_tokens: answer.tokens.prompt,
                    completion_tokens: answer.tokens.completion,
                    error: answer.error.as_deref().map(short),
                });
            }
            Fact::StepEnd(end) => {
                self.ended = Some(event.ts.to_string());
                self.end = Some(End {
                    status: end.status.to_string(),
                    observation: short(&end.response.observation),
                    thought: short(&end.response.thought),
                    action: action(end, self.was_sent, &self.asked),
                    result: short(&end.result),
                    error: end.error.as_deref().map(short),
                    cost_usd: end.cost_usd,
                    cost_known: end.cost_known,
                });
            }
            Fact::ToolStart(start) => self.was_sent |= start.is_act(),
            Fact::Question(asked) => self.asked = Asked::of(asked),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::journal::{AgentType, FORMAT, RecordEntry, StepStart};

    use super::*;

    fn event(step: u32, fact: Fact) -> Event {
        let entry = RecordEntry { round: Some(0), step: Some(step), agent: None, fact };
        Event { v: FORMAT, seq: 1, ts: jiff::Timestamp::UNIX_EPOCH, entry }
    }

    fn start() -> Fact {
        Fact::StepStart(StepStart {
            agent_type: AgentType::AppAgent.into(),
            round_step: 0,
            agent_step: 0,
            subtask: "x".repeat(10_000),
            subtask_index: 0,
            request_number: 1,
        })
    }

    #[test]
    fn of_a_very_long_session_the_latest_steps_are_kept() {
        let id = SessionId::new();
        let mut list =
            StepList { session_id: id.to_string(), omitted_steps: 0, steps: VecDeque::new() };
        for step in 0..10_000 {
            list.apply(id, &event(step, start()));
        }
        assert_eq!((list.omitted_steps, list.steps.len()), (10_000 - MOST_STEPS, MOST_STEPS));
        assert_eq!(list.steps.back().map(|item| item.step), Some(9_999));
        assert!(serde_json::to_string(&list).unwrap().len() < 512 << 10);
    }

    #[test]
    fn a_step_under_way_is_told_without_an_end_and_its_texts_are_bounded() {
        let id = SessionId::new();
        let begun = event(7, start());
        let mut facts = StepFacts::new(id, 7, &begun);
        facts.apply(id, &begun);
        let told = serde_json::to_value(&facts).unwrap();
        assert_eq!((&told["step"], &told["global_step_idx"]), (&7.into(), &8.into()));
        assert_eq!(told["ended"], serde_json::Value::Null);
        assert_eq!(told["subtask"].as_str().unwrap().chars().count(), MAX_TEXT);
    }
}
