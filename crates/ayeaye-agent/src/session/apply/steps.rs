//! How a step changes the state of a session: its beginning, its picture, its act and its end.
use super::super::WAKE;
use super::super::doubt::{Doubt, is_act};
use super::super::state::{ClientActivity, InProgress, SessionState, StepPicture};
use crate::event::{
    ActionRecord, AgentType, Observe, ParsedRecord, ResponseRecord, StepEnd, StepStart, ToolEnd,
    ToolStart,
};
use crate::report::StepSummary;
use crate::{Action, Decision, HistoryItem, HistoryStep, Question, QuestionKind, ScreenSize};

/// How a model is told that a step in its history is not its own.
const CLIENT_STEP_PREFIX: &str = "(done by the client, not by you) ";
/// Most steps of the client that the agent is told of; what it needs most is the screen.
const MAX_CLIENT_ACTIONS: usize = 8;
/// Most pictures of steps that are remembered; the largest number that a profile shows is smaller.
const MAX_STEP_PICTURES: usize = 16;
/// Most steps of a run that its report lists.
const MAX_REPORTED_STEPS: usize = 500;
/// Longest thought of a step in the report, in characters.
const MAX_THOUGHT: usize = 600;

/// What is known of a step besides its end.
struct StepFacts {
    by_client: bool,
    /// Whether the phone was told.
    was_sent: bool,
    /// The note that it took, word for word.
    noted: Option<String>,
    /// What the user was asked.
    asked: Option<Question>,
    /// What its model replied, word for word.
    reply: Option<String>,
    app: Option<String>,
}

impl SessionState {
    pub(super) fn begin_step(&mut self, step: Option<u32>, agent: Option<&str>, start: &StepStart) {
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

    pub(super) fn observe(&mut self, step: Option<u32>, observe: &Observe) {
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

    pub(super) fn begin_act(&mut self, start: &ToolStart) {
        self.counts.tools = self.counts.tools.max(start.tool_call_id);
        // A permission is for one act. Waking the phone is none.
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

    pub(super) fn end_act(&mut self, end: &ToolEnd) {
        let ended = self.in_progress.tool.take();
        // That the phone was woken for it says nothing of what was decided.
        if ended.is_none_or(|start| start.name != WAKE) {
            self.in_progress.outcome = Some(end.clone());
        }
    }

    pub(super) fn end_step(&mut self, step: u32, end: &StepEnd) {
        let InProgress {
            replies,
            by_client,
            agent,
            picture,
            package,
            decider,
            noted,
            said,
            app,
            outcome,
            asked,
            answered,
            ..
        } = std::mem::take(&mut self.in_progress);
        if let Some(act) = end.action.as_ref().filter(|it| !by_client && is_act(it)) {
            self.doubt = Doubt::about(act, end, outcome.as_ref());
            let is_leave = asked.as_ref().is_some_and(|it| it.kind == QuestionKind::Confirm);
            if is_leave && answered && outcome.is_none() {
                self.answer_doubt();
            }
        }
        if let (Some((blob, size)), Some((model, profile))) = (picture, decider) {
            if self.step_pictures.len() == MAX_STEP_PICTURES {
                self.step_pictures.remove(0);
            }
            self.step_pictures.push(StepPicture { step, blob, size, package, model, profile });
        }
        let was_sent = outcome.is_some();
        let facts = StepFacts { by_client, was_sent, noted, asked, reply: said, app };
        self.push_step(step, end, facts);
        for item in replies {
            self.push_history(item);
        }
        if let Some(request) = self.planning.end_step(&agent, end) {
            self.push_history(HistoryItem::Subtask(request));
        }
    }

    /// What has shown after a step that its act may have had no effect.
    pub(super) fn doubt_act(&mut self, step: u32, why: &str) {
        let run = &mut self.current_run;
        let told = run.lines.iter_mut().chain(&mut run.final_action);
        for line in told.filter(|it| it.step == step && it.error.is_none()) {
            line.uncertain.get_or_insert_with(|| why.to_owned());
        }
        let told = self.history.iter_mut().rev().find_map(|item| match item {
            HistoryItem::Step(told) if told.step == step => Some(told),
            _ => None,
        });
        // What has failed, or is in doubt already, has a sentence of its own.
        if let Some(told) = told.filter(|it| it.error.is_none() && it.uncertain.is_none()) {
            told.uncertain = Some(why.to_owned());
            self.doubt = Some(Doubt::of_effect(&ActionRecord::from(&told.decision.action), why));
        }
    }

    fn push_step(
        &mut self,
        step: u32,
        end: &StepEnd,
        StepFacts { by_client, was_sent, noted, asked, reply, app }: StepFacts,
    ) {
        let times = end.time_ms;
        let usage = &mut self.current_run.usage;
        usage.model_ms += times.llm_interaction;
        usage.other_ms += times.besides_model();
        let Some(facts) = &end.action else { return };
        let action = {
            let permission = asked.as_ref().filter(|it| it.kind == QuestionKind::Confirm);
            facts.as_told(was_sent, permission.map(|it| &*it.text))
        };
        let line = StepSummary {
            step,
            action,
            explain: end.response.comment.clone(),
            thought: end.response.thought.chars().take(MAX_THOUGHT).collect(),
            error: end.error.clone(),
            uncertain: end.uncertain.clone(),
            asked: asked.as_ref().map(|it| it.text.clone()),
            caption: end.caption.clone(),
        };
        let explain = if by_client {
            if self.client_activity.lines.len() == MAX_CLIENT_ACTIONS {
                self.client_activity.lines.remove(0);
            }
            self.client_activity.lines.push(line.describe());
            self.client_activity.steps += 1;
            format!("{CLIENT_STEP_PREFIX}{}", end.response.comment).trim_end().to_owned()
        } else {
            end.response.comment.clone()
        };
        self.current_run.final_action = Some(line.clone());
        if MAX_REPORTED_STEPS <= self.current_run.lines.len() {
            // The first steps and the last ones tell most.
            self.current_run.lines.drain(MAX_REPORTED_STEPS / 4..MAX_REPORTED_STEPS / 2);
        }
        self.current_run.lines.push(line);
        // An action of a later version that this one cannot name is left out of what the model is told.
        if let Ok(mut action) = Action::try_from(facts) {
            // Where only lengths are written, the note itself is still known.
            if let (Action::Note { text }, Some(noted)) = (&mut action, noted) {
                *text = noted;
            }
            self.push_history(HistoryItem::Step(HistoryStep {
                step,
                decision: Decision {
                    action,
                    thought: end.response.thought.clone(),
                    explain,
                    summary: end.response.summary.clone(),
                    observation: end.response.observation.clone(),
                },
                error: end.error.clone(),
                uncertain: end.uncertain.clone(),
                asked,
                reply,
                app,
            }));
        }
    }
}
