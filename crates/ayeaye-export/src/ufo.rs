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
//! `output.md`, and one to a question for permission as `user_confirm` in the line of the next step.
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

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{
    AgentType, BlobRef, EvaluationLevel, EvaluationRecord, Event, Fact, LlmRequest, SessionStart,
    StepEnd,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use self::action::ActionView;
pub use self::pictures::Images;
use self::pictures::{PictureNames, as_png};
use self::state::{LogState, Step};
use crate::step_view::Dialogue;
use crate::text::{json_line, rfc_3339};
use crate::{Blobs, Content, FileOp, Projection};

const RESPONSES: &str = "response.log";
const REQUESTS: &str = "request.log";
const EVALUATION: &str = "evaluation.log";
const PAGE: &str = "output.md";
/// Calls of a step whose lines wait for its end. A step of ours has a handful.
const MAX_REQUESTS: usize = 16;

/// The projection. It is to be given every event of one session, from the first.
#[derive(Debug)]
pub struct Ufo {
    id: SessionId,
    images: Images,
    state: LogState,
}

impl Ufo {
    /// The files of a task folder; `#` stands for a number.
    pub(crate) const FILES: &[&str] = &[
        RESPONSES,
        REQUESTS,
        EVALUATION,
        PAGE,
        pictures::BLANK,
        "action_step#.png",
        "action_step#_annotated.png",
        "action_step#_concat.png",
        "action_step#_selected_controls.png",
        "action_round_#_sub_round_#_final.png",
        "action_round_#_final.png",
        "action_step_final.png",
        "xml/action_step#.xml",
        "xml/action_round_#_sub_round_#_final.xml",
        "xml/action_round_#_final.xml",
        "xml/action_step_final.xml",
    ];

    /// Begins a task folder.
    pub fn new(id: SessionId, images: Images) -> Self {
        Self { id, images, state: LogState::default() }
    }
}

impl Projection for Ufo {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        let entry = &event.entry;
        let ended = self.state.steps.apply(event);
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
            // The calls of a step that never ended. No record of ours has one.
            Fact::StepStart(_) => self.requests(None),
            Fact::StepEnd(end) => match ended {
                Some(view) => self.end_step(&Step::new(view, blobs), round, event.ts, end),
                None => Vec::new(),
            },
            Fact::Observe(observe) => {
                if let Some(picture) = &observe.screenshot {
                    self.state.last_picture = Some(picture.clone());
                }
                Vec::new()
            }
            Fact::LlmRequest(call) => self.request(step, event.ts, call, blobs),
            Fact::Question(asked) => self.dialogue(&Dialogue::Question(asked.clone())),
            Fact::Answer(answer) => self.dialogue(&Dialogue::Answer(answer.clone())),
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
                self.state.add_to_blackboard(json!({ section.as_str(): item }));
                Vec::new()
            }
            Fact::Evaluation(fact) => {
                EvaluationRecord::of(fact).map_or_else(Vec::new, |facts| self.judge(&facts))
            }
            Fact::Note { kind, text, .. } => vec![page(markdown::noted(kind, text))],
            Fact::LlmResponse(_)
            | Fact::ToolStart(_)
            | Fact::ToolEnd(_)
            | Fact::State { .. }
            | Fact::Unknown { .. } => Vec::new(),
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

    fn request(
        &mut self,
        step: Option<u32>,
        at: Timestamp,
        call: &LlmRequest,
        blobs: &dyn Blobs,
    ) -> Vec<FileOp> {
        // Judging and the like is not a request of an agent.
        let Some(step) = step else { return Vec::new() };
        let mut line = prompt::line(&self.state, step, call, blobs);
        line["call_id"] = json!(call.call_id);
        self.place(&mut line, at);
        if self.state.steps.step(Some(step)).is_none() {
            return vec![request_line(&prompt::complete(line, None, &self.state))];
        }
        let mut files = Vec::new();
        if self.state.requests.len() == MAX_REQUESTS {
            files.extend(self.requests(None));
        }
        self.state.requests.push(line);
        files
    }

    /// The lines of `request.log` that have waited for the end of a step.
    fn requests(&mut self, step: Option<&Step>) -> Vec<FileOp> {
        let lines = std::mem::take(&mut self.state.requests).into_iter();
        lines.map(|line| request_line(&prompt::complete(line, step, &self.state))).collect()
    }

    fn dialogue(&mut self, dialogue: &Dialogue) -> Vec<FileOp> {
        // Of an open step it is told behind what led to it, when the step is over.
        if self.state.steps.open().is_some() {
            return Vec::new();
        }
        self.state.hear(dialogue);
        vec![page(markdown::dialogue_text(dialogue))]
    }

    /// Says of a line whose it is and from when, for who reads the lines of many sessions.
    fn place(&self, line: &mut Value, at: Timestamp) {
        line["session_id"] = json!(self.id);
        line["timestamp"] = json!(rfc_3339(at));
    }

    fn end_step(&mut self, step: &Step, round: u32, at: Timestamp, end: &StepEnd) -> Vec<FileOp> {
        let number = step.view.number;
        self.state.round = round;
        let act = ActionView::of(step, end);
        let names = PictureNames::of(self.images, number, &step.view.screen, act.as_ref());
        let mut line = line::line(&mut self.state, step, end, act.as_ref(), &names);
        self.place(&mut line, at);
        // Pictures first: who follows the log finds what a line names.
        let mut files = names.files(&step.view.screen, act.as_ref());
        if let Some(picture) = step.view.screen.picture.as_ref().filter(|_| !names.clean.is_empty())
        {
            self.state.show(picture, number);
        }
        files.extend(self.requests(Some(step)));
        if let Some(ui_tree) = &step.view.screen.ui_tree {
            files.push(FileOp::Write {
                path: format!("xml/action_step{number}.xml"),
                content: Content::Blob(ui_tree.clone()),
            });
        }
        files.push(FileOp::Append { path: RESPONSES.to_owned(), bytes: bytes_of(&line) });
        files.push(page(markdown::step(step, end, act.as_ref(), &names)));
        self.state.last_error = end.error.clone();
        self.state.plan = end.response.plan.clone();
        if step.view.start.agent_type == AgentType::HostAgent {
            self.state.host_message = end.response.message.clone();
            let subtask = end.response.current_subtask.clone();
            self.state.assigned = line::app_of_subtask(&step.view.start, end, act.as_ref())
                .map(|app| (app.to_owned(), subtask));
        }
        files
    }

    /// A round that stopped short goes on and ends again, and so does a session; a sub-round does after a crash. Their
    /// last screen is the one that counts.
    fn snapshot(
        &mut self,
        scope: &str,
        round: u32,
        sub_round: Option<u32>,
        picture: Option<&BlobRef>,
        ui_tree: Option<&BlobRef>,
    ) -> Vec<FileOp> {
        let picture = picture.or(self.state.last_picture.as_ref());
        // A sub-round that ends again has another last screen; one that ends once keeps what its step has stored.
        let mut ends_once = false;
        let name = match scope {
            "sub_round" => {
                // One that was not photographed, or cut off, must not leave a gap.
                let next = self.state.sub_rounds;
                let number = sub_round.map_or(next, |number| number.min(next));
                ends_once = number == next;
                if picture.is_some() || ui_tree.is_some() {
                    self.state.sub_rounds = next.max(number + 1);
                }
                format!("action_round_{round}_sub_round_{number}_final")
            }
            "round" => format!("action_round_{round}_final"),
            "session" => "action_step_final".to_owned(),
            _ => return Vec::new(),
        };
        let put = |path: String, content: Content| {
            if ends_once {
                FileOp::Write { path, content }
            } else {
                FileOp::Replace { path, content }
            }
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
        let session = facts.level == EvaluationLevel::Session;
        if session || !self.state.judged {
            self.state.judged |= session;
            let scores: Vec<Value> = facts
                .sub_scores
                .iter()
                .map(|it| json!({ "name": it.name, "evaluation": it.evaluation }))
                .collect();
            let judgement = json!({
                "reason": facts.why(), "sub_scores": scores, "complete": facts.complete,
                "level": facts.level, "request": facts.request, "type": "evaluation_result",
            });
            files.push(FileOp::Replace {
                path: EVALUATION.to_owned(),
                content: Content::Bytes(bytes_of(&judgement)),
            });
        }
        files
    }
}

fn request_line(line: &Value) -> FileOp {
    FileOp::Append { path: REQUESTS.to_owned(), bytes: bytes_of(line) }
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
