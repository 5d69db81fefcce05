//! What a run did, to be done again under guard: each act only where its element is there again.
//!
//! A [`Replay`] is read from the record of a session that was carried out. It says what to do next on a
//! screen, or why not; after the first "why not" a model has to go on.
mod matching;
mod read;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use self::matching::Mismatch;
use crate::SessionId;
use crate::event::ActionRecord;

/// Most steps that are done again: what takes more is no routine.
const MAX_STEPS: usize = 200;

/// The steps of a session that carried out its task, in order. The last one says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Whose steps they are.
    pub session: SessionId,
    /// What was done, step by step.
    steps: Vec<ReplayStep>,
}

/// What one step did, and on what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplayStep {
    /// Package of the app that was in front.
    app: String,
    /// What was decided.
    action: ActionRecord,
    /// The action in the model's words; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    explain: String,
    /// What the act was aimed at, where it was aimed at anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element: Option<ReplayElement>,
    /// Of the last step: the SHA-256 of what its screen consisted of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    screen: Option<String>,
}

/// An element by which a place is found again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplayElement {
    /// Its resource id; often empty.
    id: String,
    /// What a person would call it; may be empty.
    name: String,
    /// Such as `android.widget.Button`.
    class: String,
    /// Left, top, right, bottom in thousandths of the screen.
    bounds: [i32; 4],
    /// Whether it, or a switch in it, was on; where that is not known any state will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked: Option<bool>,
}

/// Why a session cannot be done again.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReplayError {
    #[error(transparent)]
    Journal(#[from] crate::JournalError),
    #[error(
        "session {0} has not carried out its task in one go: only a run that did can be done again"
    )]
    NotCompleted(SessionId),
    #[error("session {0} was planned over several apps: only what one agent did can be done again")]
    Planned(SessionId),
    #[error("session {id} took {steps} steps, and at most {MAX_STEPS} are done again")]
    TooLong { id: SessionId, steps: usize },
}

impl Replay {
    /// How many steps there are, the last one included, which says that it is done.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
