//! UFO's task folder: `response.log`, `request.log`, `evaluation.log`, `output.md`, and the pictures
//! and trees of every step, sub-round and round.
//!
//! Built to what UFO's own readers ask for (its trajectory parser and Markdown generator, the builder
//! of its evaluator's input, its experience loader) and to its documentation of the step log and of
//! rounds.
//!
//! **`response.log` has one line for each step that is over**, failed ones too, written at
//! `step.end`, and so are the lines of its calls in `request.log`. A step that a crash has cut off has
//! none until the session is continued, which ends that step first. A line is never changed: an answer that comes after its step was over stands in
//! `output.md`, and a step that asked for leave then has no `user_confirm`.
//!
//! Steps and rounds are numbered from 0 through the session, sub-rounds from 0 in each round and
//! without gaps. Money is US dollars, time seconds. Paths are relative to the folder.
mod action;
mod elements;
mod line;
mod markdown;
mod pictures;
mod prompt;
mod state;
#[cfg(test)]
mod tests;

use ayeaye_agent::journal::{
    BlobRef, EvaluationRecord, Event, Fact, LlmRequest, SessionStart, StepEnd, StepStart,
};
use serde_json::{Value, json};

use self::action::ActionView;
pub use self::pictures::Images;
use self::pictures::{PictureNames, as_png, clean_name};
use self::state::{Dialogue, State, Step};
use crate::text::json_line;
use crate::{Blobs, Content, FileOp, Projection};

const RESPONSES: &str = "response.log";
const REQUESTS: &str = "request.log";
const PAGE: &str = "output.md";
/// Calls of a step whose lines wait for its end. A step of ours has a handful.
const MAX_REQUESTS: usize = 16;

/// The projection. It is to be given every event of one session, from the first.
#[derive(Debug)]
pub struct Ufo {
    images: Images,
    state: State,
}

impl Ufo {
    /// Begins a task folder.
    pub fn new(images: Images) -> Self {
        Self { images, state: State::default() }
    }
}

impl Projection for Ufo {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        let entry = &event.entry;
        let (step, round) = (entry.step, entry.round.unwrap_or(self.state.round));
        match &entry.fact {
            Fact::SessionStart(start) => self.begin(start, event),
            Fact::SessionResume(resume) => vec![page(markdown::resumed(resume, event.ts))],
            Fact::SessionEnd(end) => vec![page(markdown::stopped(end, event.ts))],
            Fact::RoundStart { request } => {
                self.state.begin_round(round, request);
                vec![page(markdown::round(round, request))]
            }
            Fact::RoundEnd(end) => vec![page(markdown::round_over(round, end))],
            Fact::StepStart(start) => {
                let number = step.unwrap_or_default();
                // One that never ended is in no record of ours.
                let files = self.state.step.as_mut().map(requests).unwrap_or_default();
                self.state.begin_step(number, entry.agent.as_deref(), start.clone());
                files
            }
            Fact::StepEnd(end) => self.end_step(step.unwrap_or_default(), round, entry, end),
            Fact::Observe(observe) => {
                self.state.observe(step, observe, blobs);
                Vec::new()
            }
            Fact::LlmRequest(call) => self.request(step, call, blobs),
            Fact::LlmResponse(response) => {
                let open = self.state.open(step).filter(|_| !response.success);
                if let Some(open) = open {
                    open.unusable_replies = open.unusable_replies.saturating_add(1);
                }
                Vec::new()
            }
            Fact::ToolStart(start) => {
                if let Some(open) = self.state.open(step).filter(|_| start.device) {
                    open.tool = Some((start.clone(), None));
                }
                Vec::new()
            }
            Fact::ToolEnd(end) => {
                let tool = self.state.open(step).and_then(|open| open.tool.as_mut());
                if let Some((start, outcome)) = tool
                    && start.tool_call_id == end.tool_call_id
                {
                    *outcome = Some(end.clone());
                }
                Vec::new()
            }
            Fact::Question(question) => self.add_dialogue(Dialogue::Question(question.clone())),
            Fact::Answer(answer) => self.add_dialogue(Dialogue::Answer(answer.clone())),
            Fact::SubtaskEnd { index, status, result } => {
                let mut over =
                    json!({ "subtask_index": index, "status": status, "result": result });
                if let Some((app, subtask)) = self.state.assigned.take() {
                    over["subtask"] = json!(subtask);
                    over["application"] = json!(app);
                }
                self.state.add_subtask(over);
                vec![page(markdown::subtask_over(*index, status, result))]
            }
            Fact::Snapshot { scope, sub_round, screenshot, ui_tree } => {
                self.snapshot(scope, round, *sub_round, screenshot.as_ref(), ui_tree.as_ref())
            }
            Fact::BlackboardAdd { section, item } => {
                self.state.add_to_blackboard(json!({ section: item }));
                Vec::new()
            }
            Fact::Evaluation(fact) => {
                EvaluationRecord::of(fact).map_or_else(Vec::new, |facts| self.judge(&facts))
            }
            Fact::Note { kind, text, .. } => vec![page(markdown::noted(kind, text))],
            Fact::State { .. } => Vec::new(),
        }
    }
}

impl Ufo {
    /// The logs are there from the beginning: readers refuse a folder without `response.log`.
    fn begin(&mut self, start: &SessionStart, event: &Event) -> Vec<FileOp> {
        self.state.device = Some(start.device.clone());
        self.state.request = start.request.clone();
        let empty = |path: &str| FileOp::Append { path: path.to_owned(), bytes: Vec::new() };
        vec![empty(RESPONSES), empty(REQUESTS), page(markdown::session(start, event.ts))]
    }

    fn request(&mut self, step: Option<u32>, call: &LlmRequest, blobs: &dyn Blobs) -> Vec<FileOp> {
        // Judging and the like is not a request of an agent.
        let Some(step) = step else { return Vec::new() };
        let line = prompt::line(&self.state, step, call, self.images, blobs);
        let mut files = Vec::new();
        // The line names it, and a process that is killed now never ends the step.
        if let Some(open) = self.state.open(Some(step)).filter(|open| !open.observation.written)
            && let Some(picture) = &open.observation.picture
            && self.images != Images::None
        {
            files.push(FileOp::Write { path: clean_name(step), content: as_png(picture) });
            open.observation.written = true;
        }
        match self.state.open(Some(step)) {
            Some(open) => {
                if open.requests.len() == MAX_REQUESTS {
                    files.extend(requests(open));
                }
                open.requests.push(line);
            }
            None => {
                files.push(FileOp::Append { path: REQUESTS.to_owned(), bytes: bytes_of(&line) });
            }
        }
        files
    }

    fn add_dialogue(&mut self, dialogue: Dialogue) -> Vec<FileOp> {
        // Told behind what led to it, which stands there when the step is over.
        if let Some(step) = &mut self.state.step {
            step.add_dialogue(dialogue);
            return Vec::new();
        }
        vec![page(markdown::dialogue_text(&dialogue))]
    }

    fn end_step(
        &mut self,
        number: u32,
        round: u32,
        entry: &ayeaye_agent::journal::Entry,
        end: &StepEnd,
    ) -> Vec<FileOp> {
        if self.state.open(Some(number)).is_none() {
            // Not in any record of ours; a line for it all the same.
            let agent = entry.agent.clone().unwrap_or_else(|| "AppAgent".to_owned());
            let start = StepStart {
                agent_type: if agent == "HostAgent" { agent } else { "AppAgent".to_owned() },
                round_step: 0,
                agent_step: 0,
                subtask: String::new(),
                subtask_index: 0,
                request_number: 0,
            };
            self.state.begin_step(number, entry.agent.as_deref(), start);
        }
        let Some(mut step) = self.state.step.take() else { return Vec::new() };
        self.state.round = round;
        let act = ActionView::of(&step, end);
        let names = PictureNames::of(self.images, number, &step.observation, act.as_ref());
        let line = line::line(&mut self.state, &step, end, act.as_ref(), &names);
        // Pictures first: who follows the log finds what a line names.
        let mut files = names.files(&step.observation, act.as_ref());
        files.extend(requests(&mut step));
        if let Some(ui_tree) = &step.observation.ui_tree {
            files.push(FileOp::Write {
                path: format!("xml/action_step{number}.xml"),
                content: Content::Blob(ui_tree.clone()),
            });
        }
        files.push(FileOp::Append { path: RESPONSES.to_owned(), bytes: bytes_of(&line) });
        files.push(page(markdown::step(&step, end, act.as_ref(), &names)));
        self.state.last_error = end.error.clone();
        self.state.plan = end.response.plan.clone();
        if step.start.agent_type == "HostAgent" {
            self.state.host_message = end.response.message.clone();
            let subtask = end.response.current_subtask.clone();
            self.state.assigned =
                line::assigned_app(&step.start, end).map(|app| (app.to_owned(), subtask));
        }
        files
    }

    /// A round that stopped short goes on and ends again, and so does a session: their last screen is the
    /// one that counts.
    fn snapshot(
        &mut self,
        scope: &str,
        round: u32,
        sub_round: Option<u32>,
        picture: Option<&BlobRef>,
        ui_tree: Option<&BlobRef>,
    ) -> Vec<FileOp> {
        let picture = picture.or(self.state.last_picture.as_ref());
        let name = match scope {
            "sub_round" => {
                // One that was not photographed, or cut off, must not leave a gap.
                let next = self.state.sub_rounds;
                let number = sub_round.map_or(next, |number| number.min(next));
                if picture.is_some() || ui_tree.is_some() {
                    self.state.sub_rounds = next.max(number + 1);
                }
                format!("action_round_{round}_sub_round_{number}_final")
            }
            "round" => format!("action_round_{round}_final"),
            "session" => "action_step_final".to_owned(),
            _ => return Vec::new(),
        };
        let latest = scope != "sub_round";
        let put = |path: String, content: Content| {
            if latest { FileOp::Replace { path, content } } else { FileOp::Write { path, content } }
        };
        let mut files = Vec::new();
        if let Some(picture) = picture.filter(|_| self.images != Images::None) {
            files.push(put(format!("{name}.png"), as_png(picture)));
        }
        if let Some(ui_tree) = ui_tree {
            files.push(put(format!("xml/{name}.xml"), Content::Blob(ui_tree.clone())));
        }
        files
    }

    /// One object is all that readers take. The session's judgement, once there is one, stays.
    fn judge(&mut self, facts: &EvaluationRecord) -> Vec<FileOp> {
        let mut files = vec![page(markdown::judged(facts))];
        let session = facts.level == "session";
        if session || !self.state.judged {
            self.state.judged |= session;
            let scores: Vec<Value> = facts
                .sub_scores
                .iter()
                .map(|it| json!({ "name": it.name, "evaluation": it.evaluation }))
                .collect();
            let judgement = json!({
                "reason": facts.reason, "sub_scores": scores, "complete": facts.complete,
                "level": facts.level, "request": facts.request, "type": "evaluation_result",
            });
            files.push(FileOp::Replace {
                path: "evaluation.log".to_owned(),
                content: Content::Bytes(bytes_of(&judgement)),
            });
        }
        files
    }
}

/// The lines of `request.log` that have waited for the end of a step.
fn requests(step: &mut Step) -> Vec<FileOp> {
    let lines = std::mem::take(&mut step.requests).into_iter();
    lines
        .map(|line| FileOp::Append {
            path: REQUESTS.to_owned(),
            bytes: bytes_of(&prompt::complete(line, &step.observation)),
        })
        .collect()
}

/// One line of JSON in ASCII.
fn bytes_of(value: &Value) -> Vec<u8> {
    let mut line = json_line(value);
    line.push('\n');
    line.into_bytes()
}

fn page(text: String) -> FileOp {
    FileOp::Append { path: PAGE.to_owned(), bytes: text.into_bytes() }
}
