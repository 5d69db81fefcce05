//! The pieces of a page, as they are kept: every text clipped, every list bounded.
use std::sync::Arc;

use ayeaye_agent::QuestionKind;
use ayeaye_agent::journal::{
    ActionRecord, Answer, BlobRef, EvaluationRecord, LlmResponse, PhaseTimes, QuestionAsked,
    ResponseRecord, StepEnd, TargetRecord, TokenRecord, ToolStart,
};
use jiff::Timestamp;

use super::call::ModelCall;
use super::clip::{MAX_TEXT, clip, clip_action, clip_all, clip_blob, json_text, length, weight};
use super::html::Clipped;
use crate::labels;
use crate::step_view::{ScreenView, permitted_act};

/// Calls to models, or things done besides the action, in one step.
const MAX_PER_STEP: usize = 8;

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
    pub(super) cost_known: bool,
}

/// Why the last run stopped.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) at: Timestamp,
    /// Whether that is only when something was last recorded: the end was written by the process that went on.
    pub(super) cut_off: bool,
    pub(super) reason: String,
    pub(super) message: Clipped,
}

/// A piece of the page, in the order of the record.
#[derive(Debug, Clone)]
pub(super) enum TimelineItem {
    Round(Round),
    RoundOver(u32, RoundOver),
    Step(Box<Step>),
    Question {
        at: Timestamp,
        kind: String,
        texts: Vec<Clipped>,
        options: Vec<Clipped>,
        app: Clipped,
    },
    Answer {
        at: Timestamp,
        source: String,
        texts: Vec<Clipped>,
    },
    /// A run stopped, and another went on.
    Pause {
        stopped: Option<Ended>,
        at: Timestamp,
        why: String,
    },
    /// Done to the phone outside of any step.
    ToolCall(Timestamp, ToolCall),
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
    Evaluation {
        at: Timestamp,
        facts: Arc<EvaluationRecord>,
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
    pub(super) observation: Option<Observation>,
    pub(super) calls: Vec<ModelCall>,
    /// Calls that were left out for lack of space.
    pub(super) more_calls: u64,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) action: Option<ActionRecord>,
    /// How the user was asked for permission.
    pub(super) asked: Option<String>,
    pub(super) model_text: ModelText,
    pub(super) end: Option<StepOver>,
}

/// What a phone showed.
#[derive(Debug, Clone)]
pub(super) struct Observation {
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
pub(super) struct ModelText {
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
pub(super) struct ToolCall {
    pub(super) id: u32,
    pub(super) name: Clipped,
    pub(super) parameters: Clipped,
    pub(super) device: bool,
    pub(super) target: Option<TargetRecord>,
    pub(super) end: Option<ToolOutcome>,
}

#[derive(Debug, Clone)]
pub(super) struct ToolOutcome {
    pub(super) success: bool,
    pub(super) unknown: bool,
    pub(super) result: Clipped,
    pub(super) error: Option<Clipped>,
    pub(super) uncertain: Option<Clipped>,
    pub(super) ms: f64,
}

#[derive(Debug, Clone)]
pub(super) struct StepOver {
    pub(super) status: String,
    pub(super) result: Clipped,
    pub(super) error: Option<Clipped>,
    pub(super) tokens: TokenRecord,
    pub(super) cost_usd: f64,
    pub(super) cost_known: bool,
    pub(super) times: PhaseTimes,
    pub(super) caption: Option<Clipped>,
}

impl Step {
    pub(super) fn add_call(&mut self, call: ModelCall) {
        if self.calls.len() < MAX_PER_STEP {
            self.calls.push(call);
        } else {
            self.more_calls += 1;
        }
    }

    pub(super) fn on_response(&mut self, response: &LlmResponse) {
        if let Some(parsed) = &response.parsed {
            self.action = Some(clip_action(&parsed.action));
            self.model_text = ModelText::new(&parsed.response);
        }
        let waits = |call: &&mut ModelCall| call.id == response.call_id && call.answer.is_none();
        if let Some(call) = self.calls.iter_mut().find(waits) {
            call.on_response(response);
        }
    }

    pub(super) fn add_tool_call(&mut self, tool_call: ToolCall) {
        if self.tool_calls.len() < MAX_PER_STEP {
            self.tool_calls.push(tool_call);
            self.tell_act();
        }
    }

    /// An act that was carried out is told as that, also where the model decided on a question for permission.
    fn tell_act(&mut self) {
        let Some(decided) = &self.action else { return };
        let mut done = self.tool_calls.iter().rev().filter(|tool_call| tool_call.device);
        let act = done.find_map(|tool_call| permitted_act(decided, &tool_call.name.text));
        if act.is_some() {
            self.action = act;
        } else if self.asked.is_some() {
            self.action = Some(decided.as_told(false, self.asked.as_deref()));
        }
    }

    /// The user was asked: a question for permission is told as it was put.
    pub(super) fn asks(&mut self, asked: &QuestionAsked) {
        if asked.kind == QuestionKind::Confirm {
            self.asked = Some(clip(&asked.questions.join("\n"), MAX_TEXT).text);
            self.tell_act();
        }
    }

    pub(super) fn end(&mut self, end: &StepEnd) {
        if let Some(action) = &end.action {
            self.action = Some(clip_action(action));
            self.tell_act();
        }
        self.model_text = ModelText::new(&end.response);
        self.end = Some(StepOver {
            status: clip(&end.status, 100).text,
            result: clip(&end.result, MAX_TEXT),
            error: end.error.as_deref().map(|error| clip(error, MAX_TEXT)),
            tokens: end.tokens,
            cost_usd: end.cost_usd,
            cost_known: end.cost_known,
            times: end.time_ms,
            caption: end.caption.as_deref().map(|caption| clip(caption, MAX_TEXT)),
        });
    }

    /// Whether something went wrong. A question is no failure, though what it is about was not done; unless it was tried
    /// before it was asked about.
    pub(super) fn failed(&self) -> bool {
        let act = self.act().and_then(|it| it.end.as_ref());
        let was_refused = act.is_some_and(|over| !over.success && !over.unknown);
        self.end
            .as_ref()
            .is_some_and(|end| end.error.is_some() && (was_refused || !labels::asks(&end.status)))
    }

    /// What the action did to the phone, as it was recorded when it was done.
    pub(super) fn act(&self) -> Option<&ToolCall> {
        let action = self.action.as_ref()?;
        self.tool_calls
            .iter()
            .rev()
            .find(|tool_call| tool_call.device && tool_call.name.text == action.function)
    }
}

impl Step {
    /// Milliseconds that it took.
    pub(super) fn time(&self) -> f64 {
        let Some(end) = &self.end else { return 0.0 };
        let times = end.times;
        let all = times.data_collection
            + times.llm_interaction
            + times.action_execution
            + times.memory_update;
        if all.is_finite() { all.max(0.0) } else { 0.0 }
    }
}

impl Observation {
    pub(super) fn new(screen: &ScreenView) -> Self {
        let size = if screen.picture.is_some() { screen.picture_size } else { screen.size };
        Self {
            picture: screen.picture.as_ref().map(clip_blob),
            size,
            screen: screen.size,
            app: clip(&screen.package, 200),
            activity: clip(&screen.activity, 200),
            screen_on: screen.screen_on,
            settled: screen.settled,
            blackened: screen.blackened,
        }
    }
}

impl ModelText {
    pub(super) fn new(response: &ResponseRecord) -> Self {
        Self {
            observation: clip(&response.observation, MAX_TEXT),
            thought: clip(&response.thought, MAX_TEXT),
            comment: clip(&response.comment, MAX_TEXT),
            summary: clip(&response.summary, MAX_TEXT),
            plan: clip_all(&response.plan),
            subtask: clip(&response.current_subtask, MAX_TEXT),
            message: clip_all(&response.message),
        }
    }
}

impl ToolCall {
    pub(super) fn new(start: &ToolStart) -> Self {
        Self {
            id: start.tool_call_id,
            name: clip(&start.name, 100),
            parameters: json_text(&start.parameters, 2000),
            device: start.device,
            target: start.target.as_ref().map(|target| TargetRecord {
                id: clip(&target.id, 100).text,
                name: clip(&target.name, 200).text,
                kind: clip(&target.kind, 200).text,
                rect: target.rect,
            }),
            end: None,
        }
    }
}

impl TimelineItem {
    /// Its bytes in memory, roughly.
    pub(super) fn text_len(&self) -> usize {
        const EMPTY: usize = 400;
        let all = |texts: &[Clipped]| texts.iter().map(|it| it.text.len()).sum::<usize>();
        EMPTY
            + match self {
                Self::Round(round) => round.request.text.len(),
                Self::RoundOver(_, over) => over.result.text.len(),
                Self::Step(step) => step.text_len(),
                Self::Question { texts, options, .. } => all(texts) + all(options),
                Self::Answer { texts, .. } => all(texts),
                Self::Pause { stopped, .. } => {
                    stopped.as_ref().map_or(0, |it| it.message.text.len())
                }
                Self::ToolCall(_, tool_call) => tool_call.text_len(),
                Self::SubtaskOver { result, .. } => result.text.len(),
                Self::Snapshot { .. } => 0,
                Self::Evaluation { facts, .. } => {
                    let scores: usize = facts.sub_scores.iter().map(|it| it.name.len()).sum();
                    facts.reason.len() + facts.request.len() + scores
                }
                Self::Note { text, figures, .. } => text.text.len() + figures.text.len(),
            }
    }
}

impl Step {
    fn text_len(&self) -> usize {
        let model_text = &self.model_text;
        let clip_action = [
            &model_text.observation,
            &model_text.thought,
            &model_text.comment,
            &model_text.summary,
            &model_text.subtask,
        ];
        let lists = model_text.plan.iter().chain(&model_text.message);
        clip_action.into_iter().chain(lists).map(|it| it.text.len()).sum::<usize>()
            + self.calls.iter().map(ModelCall::text_len).sum::<usize>()
            + self.tool_calls.iter().map(ToolCall::text_len).sum::<usize>()
            + self.subtask.text.len()
            + self.action.as_ref().map_or(0, |it| weight(&it.arguments))
            + self.end.as_ref().map_or(0, |it| it.result.text.len() + length(it.error.as_ref()))
    }
}

impl ToolCall {
    fn text_len(&self) -> usize {
        let end = self.end.as_ref();
        let end = end.map_or(0, |it| it.result.text.len() + length(it.error.as_ref()));
        200 + self.parameters.text.len() + end
    }
}

pub(super) fn question(at: Timestamp, asked: &QuestionAsked) -> TimelineItem {
    TimelineItem::Question {
        at,
        kind: clip(&asked.kind, 100).text,
        texts: clip_all(&asked.questions),
        options: clip_all(&asked.options),
        app: clip(asked.app.as_deref().unwrap_or(""), 200),
    }
}

pub(super) fn answer_item(at: Timestamp, answer: &Answer) -> TimelineItem {
    TimelineItem::Answer {
        at,
        source: clip(&answer.source, 100).text,
        texts: clip_all(&answer.answers),
    }
}
