//! What the next files need of the events so far: the session, the round, the open step. All of it
//! is bounded, however long the session.
use std::collections::VecDeque;

use ayeaye_agent::gate::{is_no, is_yes};
use ayeaye_agent::journal::{AnswerSource, BlobRef, DeviceRecord};
use ayeaye_agent::{Elements, QuestionKind};
use serde_json::Value;

use super::elements;
use crate::Blobs;
use crate::step_view::{Dialogue, StepAssembler, StepView};

/// Pictures whose names are remembered: prompts hold those of the last few steps.
const MAX_PICTURES: usize = 64;
/// Subtasks and notes that a line of `request.log` repeats.
const MAX_REPEATED: usize = 16;

/// The session so far.
#[derive(Debug, Default)]
pub(super) struct LogState {
    pub(super) device: Option<DeviceRecord>,
    pub(super) round: u32,
    pub(super) request: String,
    /// Pictures of sub-rounds of this round, which have no gaps in their numbers.
    pub(super) sub_rounds: u32,
    /// Whether the session, not a round, has been judged.
    pub(super) judged: bool,
    pub(super) last_error: Option<String>,
    /// The last action that was carried out, and how often it was, one after the other.
    pub(super) last_success: Option<(String, u32)>,
    pub(super) plan: Vec<String>,
    pub(super) host_message: Vec<String>,
    /// What the host agent has given out: the app and the subtask.
    pub(super) assigned: Option<(String, String)>,
    pub(super) subtasks: VecDeque<Value>,
    pub(super) blackboard: VecDeque<Value>,
    /// The last picture of the screen.
    pub(super) last_picture: Option<BlobRef>,
    pub(super) steps: StepAssembler,
    /// Lines of `request.log` of the open step, which wait for its picture and the elements of its screen.
    pub(super) requests: Vec<Value>,
    /// Permission that was asked for in a step whose line is written.
    permission: Permission,
    pictures: VecDeque<(String, u32)>,
}

/// A step that is over, and the elements of its screen.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) view: StepView,
    pub(super) elements: Elements,
}

impl LogState {
    pub(super) fn begin_round(&mut self, number: u32, request: &str) {
        self.round = number;
        self.request = request.to_owned();
        self.sub_rounds = 0;
        self.last_error = None;
        self.permission = Permission::NotAsked;
        self.plan.clear();
        self.host_message.clear();
        self.assigned = None;
        self.subtasks.clear();
    }

    /// Remembers that a step's file shows this picture.
    pub(super) fn show(&mut self, picture: &BlobRef, step: u32) {
        self.pictures.retain(|(sha256, _)| *sha256 != picture.sha256);
        push(&mut self.pictures, (picture.sha256.clone(), step), MAX_PICTURES);
    }

    /// The step whose file shows a picture of a prompt.
    pub(super) fn step_of(&self, sha256: &str) -> Option<u32> {
        self.pictures.iter().find(|(of, _)| of == sha256).map(|(_, step)| *step)
    }

    /// Takes what is asked and said between steps into account.
    pub(super) fn hear(&mut self, dialogue: &Dialogue) {
        self.permission = self.permission.after(dialogue);
    }

    /// The answer to a question for permission that stands in the line of this step: that to its own, or where it asks nothing
    /// of the kind one that came after the line before was written.
    pub(super) fn take_permission(&mut self, step: &Step) -> Option<bool> {
        let permission = step.view.dialogue.iter().fold(self.permission, Permission::after);
        self.permission =
            if permission == Permission::Asked { Permission::Asked } else { Permission::NotAsked };
        permission.answer()
    }

    pub(super) fn add_subtask(&mut self, subtask: Value) {
        push(&mut self.subtasks, subtask, MAX_REPEATED);
    }

    pub(super) fn add_to_blackboard(&mut self, item: Value) {
        push(&mut self.blackboard, item, MAX_REPEATED);
    }

    /// Counts a success in; how often the same was done directly before, or `None` for the first
    /// success of all.
    pub(super) fn succeed(&mut self, action: &str) -> Option<u32> {
        let Some((last, times)) = &mut self.last_success else {
            self.last_success = Some((action.to_owned(), 1));
            return None;
        };
        if last != action {
            (*last, *times) = (action.to_owned(), 0);
        }
        *times = times.saturating_add(1);
        Some(*times - 1)
    }
}

impl Step {
    pub(super) fn new(view: StepView, blobs: &dyn Blobs) -> Self {
        let ui_tree = view.screen.ui_tree.as_ref();
        let elements = ui_tree.map(|ui_tree| elements::read(ui_tree, blobs)).unwrap_or_default();
        Self { view, elements }
    }
}

/// Whether the user was asked for permission, and what they have said to it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Permission {
    /// Nothing waits for an answer.
    #[default]
    NotAsked,
    Asked,
    /// Given or refused.
    Answered(bool),
}

impl Permission {
    fn after(self, dialogue: &Dialogue) -> Self {
        match dialogue {
            Dialogue::Question(asked) if asked.kind == QuestionKind::Confirm => Self::Asked,
            Dialogue::Question(_) if self == Self::Asked => Self::NotAsked,
            Dialogue::Answer(said) if self == Self::Asked => match said.source.known() {
                Some(AnswerSource::Guidance) => self,
                // Nobody has given or refused it.
                Some(AnswerSource::Nobody) => Self::NotAsked,
                // What can be taken for neither is left to the reader.
                _ => agrees(&said.answers).map_or(Self::NotAsked, Self::Answered),
            },
            Dialogue::Question(_) | Dialogue::Answer(_) => self,
        }
    }

    fn answer(self) -> Option<bool> {
        if let Self::Answered(given) = self { Some(given) } else { None }
    }
}

fn push<T>(queue: &mut VecDeque<T>, item: T, most: usize) {
    if queue.len() == most {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// Whether a person has agreed, as the gate takes it: a condition is neither a yes nor a no.
fn agrees(answers: &[String]) -> Option<bool> {
    let answer = answers.join(" ");
    is_yes(&answer).then_some(true).or_else(|| is_no(&answer).then_some(false))
}
