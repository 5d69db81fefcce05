//! Tasks that their clients have ended while the session waits on: a question that was declined, or a
//! task that was cancelled then. The record does not know of it, as nothing has happened to the
//! session; after a restart such a task waits on its question again.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::Report;

use super::id::TaskId;
use crate::mcp::ladder::Unanswered;

/// Most that are remembered.
const MOST: usize = 1000;

/// How a client has ended a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// `tasks/cancel`.
    Cancelled,
    /// Nobody answers.
    Unanswered(Unanswered),
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<VecDeque<(TaskId, u32, Mark)>>);

impl Marks {
    /// Remembers that a task has ended with this run.
    pub(super) fn set(&self, id: &TaskId, report: &Report, mark: Mark) {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.iter().any(|(marked, ..)| marked == id) {
            return;
        }
        if marks.len() == MOST {
            marks.pop_front();
        }
        marks.push_back((*id, report.run.number, mark));
    }

    /// The run a task has ended with, and how.
    pub(super) fn get(&self, id: &TaskId) -> Option<(u32, Mark)> {
        let marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.iter().find(|(marked, ..)| marked == id).map(|(_, run, mark)| (*run, *mark))
    }
}
