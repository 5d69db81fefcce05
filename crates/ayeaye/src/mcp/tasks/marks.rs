//! Tasks that their clients have ended while the session waits on: a question that was declined, or a
//! task that was cancelled then. The record does not know of it, as nothing has happened to the
//! session; after a restart such a task waits on its question again.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::SessionId;

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

/// The first run of a task. Every name of one task has the same, whenever it was told; so a client
/// that makes names up pushes nobody else's out.
type Place = (SessionId, u32);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<VecDeque<(Place, u32, Mark)>>);

impl Marks {
    /// Remembers that a task has ended with this run.
    pub(super) fn set(&self, id: &TaskId, run: u32, mark: Mark) {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.iter().any(|(marked, ..)| *marked == place(id)) {
            return;
        }
        if marks.len() == MOST {
            marks.pop_front();
        }
        marks.push_back((place(id), run, mark));
    }

    /// The run a task has ended with, and how.
    pub(super) fn get(&self, id: &TaskId) -> Option<(u32, Mark)> {
        // Without forms a task does not wait.
        if !id.asks {
            return None;
        }
        let marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.iter().find(|(marked, ..)| *marked == place(id)).map(|(_, run, mark)| (*run, *mark))
    }
}

fn place(id: &TaskId) -> Place {
    (id.session, id.run)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn id(session: SessionId, at: i64) -> TaskId {
        let created = Timestamp::from_millisecond(at).unwrap();
        TaskId { session, run: 0, asks: true, created }
    }

    #[test]
    fn made_up_names_of_one_task_push_no_other_out() {
        let marks = Marks::default();
        let (theirs, mine) = (SessionId::new(), SessionId::new());
        marks.set(&id(theirs, 1), 0, Mark::Cancelled);
        for at in 0..2000 {
            marks.set(&id(mine, at), 0, Mark::Unanswered(Unanswered::Declined));
        }
        assert_eq!(marks.get(&id(theirs, 1)), Some((0, Mark::Cancelled)));
        assert_eq!(marks.0.lock().unwrap().len(), 2);
        let returns = TaskId { asks: false, ..id(theirs, 1) };
        assert_eq!(marks.get(&returns), None);
    }

    #[test]
    fn only_so_many_are_remembered() {
        let marks = Marks::default();
        let first = id(SessionId::new(), 1);
        marks.set(&first, 0, Mark::Cancelled);
        for _ in 0..MOST {
            marks.set(&id(SessionId::new(), 1), 0, Mark::Cancelled);
        }
        assert_eq!(marks.get(&first), None);
        assert_eq!(marks.0.lock().unwrap().len(), MOST);
    }
}
