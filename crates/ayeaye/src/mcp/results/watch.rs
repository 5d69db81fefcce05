//! What the app shows of a session: more of each step than a client's model is told, and only what is new.
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ayeaye_agent::{DONE_BY_HAND, Question, Report, StepSummary, StopReason};
use serde::Serialize;

use super::next::{message, waits_for_operator};
use super::{ActionItem, DeviceInfo, MAX_EXPLAIN, QuestionItem};
use crate::mcp::answer_shape::AnswerShape;
use crate::text::truncate;

/// Most steps in one answer: the newest.
const MAX_STEPS: usize = 100;

/// A session as it is now.
#[derive(Debug, Serialize)]
pub struct WatchResult {
    session_id: String,
    /// Whether its run goes on.
    running: bool,
    /// Whether its request was carried out or given up: without another one it cannot go on.
    is_over: bool,
    stop_reason: &'static str,
    task: String,
    device_info: DeviceInfo,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<AskedNow>,
    /// Those of this run that are new, oldest first.
    steps: Vec<StepNow>,
    /// Steps of the whole session.
    global_step_idx: u32,
    /// The step whose picture comes with this, or is shown already.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<u32>,
    /// Another one whenever something has changed.
    state: String,
}

/// A question, and which answers it takes.
#[derive(Debug, Serialize)]
struct AskedNow {
    /// Tells it from every other of the session: an answer names it. Counted from 1, since a model that has to give
    /// an answer's number, and has none, gives 0.
    step: u32,
    #[serde(flatten)]
    question: QuestionItem,
    answer: AnswerNow,
}

#[derive(Debug, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum AnswerNow {
    Choice { options: Vec<String> },
    Hand { done: &'static str },
    Text,
}

/// A step.
#[derive(Debug, Serialize)]
struct StepNow {
    /// Counted from 0 through the session.
    step: u32,
    action: ActionItem,
    #[serde(skip_serializing_if = "String::is_empty")]
    thought: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertain: Option<String>,
}

impl From<&StepSummary> for StepNow {
    fn from(line: &StepSummary) -> Self {
        let short = |text: &String| truncate(text, MAX_EXPLAIN * 2);
        Self {
            step: line.step,
            action: ActionItem::new(&line.action, &line.explain),
            thought: line.thought.clone(),
            error: line.error.as_ref().map(short),
            uncertain: line.uncertain.as_ref().map(short),
        }
    }
}

impl AskedNow {
    fn new(question: &Question, number: u32) -> Self {
        let answer = match AnswerShape::of(question) {
            AnswerShape::Choice(options) => AnswerNow::Choice { options },
            AnswerShape::ByHand => AnswerNow::Hand { done: DONE_BY_HAND },
            AnswerShape::Text => AnswerNow::Text,
        };
        Self { step: number.saturating_add(1), question: question.into(), answer }
    }
}

/// The number of the question that an answer names.
pub fn number_asked(step: u32) -> u32 {
    step.saturating_sub(1)
}

impl WatchResult {
    /// The news after the step `after`.
    pub fn new(report: &Report, after: Option<i64>) -> Self {
        let new = |line: &&StepSummary| after.is_none_or(|known| known < i64::from(line.step));
        let mut steps: Vec<StepNow> =
            report.steps.iter().rev().take(MAX_STEPS).filter(new).map(StepNow::from).collect();
        steps.reverse();
        Self {
            session_id: report.session_id.to_string(),
            running: report.stop_reason == StopReason::StillRunning,
            is_over: report.is_over,
            stop_reason: report.stop_reason.name(),
            task: truncate(&report.task, 1000),
            device_info: DeviceInfo::from(&report.device),
            message: message(report),
            question: report.question.as_ref().map(|it| AskedNow::new(it, report.asked_at_step)),
            steps,
            global_step_idx: report.global_steps,
            picture: report.screenshot_step,
            state: state(report),
        }
    }

    /// The result as text, for hosts that show the results of their apps' calls.
    pub fn in_words(&self) -> String {
        format!("{}: {} steps", self.stop_reason, self.global_step_idx)
    }
}

/// A value that differs whenever the session's state has changed.
pub fn state(report: &Report) -> String {
    let last = report.steps.last().map_or(0, |line| line.step + 1);
    let reason = report.stop_reason.name();
    let asks = if waits_for_operator(report) { ".asks" } else { "" };
    // A run that waits for its phone does no steps, but moves up in the queue.
    let mut said = DefaultHasher::new();
    report.message.hash(&mut said);
    let (run, steps, said) = (report.run.number, report.global_steps, said.finish());
    format!("{run}.{steps}.{last}.{reason}{asks}.{said:x}")
}
