//! Tasks that their clients have ended while the session waits on: a question that was declined, or a
//! task that was cancelled then. The record does not know of it, as nothing has happened to the
//! session; after a restart such a task waits on its question again.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::SessionId;

use super::id::TaskId;
use crate::mcp::questions::Unanswered;

/// Most that are remembered.
const MOST: usize = 1000;

/// How a client has ended a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskEnd {
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
pub(super) struct EndedTasks(Mutex<VecDeque<(Place, u32, TaskEnd)>>);

impl EndedTasks {
    /// Remembers that a task has ended with this run.
    pub(super) fn set(&self, id: &TaskId, run: u32, end: TaskEnd) {
        let mut ended_tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ended_tasks.iter().any(|(marked, ..)| *marked == place(id)) {
            return;
        }
        if ended_tasks.len() == MOST {
            ended_tasks.pop_front();
        }
        ended_tasks.push_back((place(id), run, end));
    }

    /// The run a task has ended with, and how.
    pub(super) fn get(&self, id: &TaskId) -> Option<(u32, TaskEnd)> {
        // Without forms a task does not wait.
        if !id.asks {
            return None;
        }
        let ended_tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended_tasks
            .iter()
            .find(|(marked, ..)| *marked == place(id))
            .map(|(_, run, end)| (*run, *end))
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
        let ended_tasks = EndedTasks::default();
        let (theirs, mine) = (SessionId::new(), SessionId::new());
        ended_tasks.set(&id(theirs, 1), 0, TaskEnd::Cancelled);
        for at in 0..2000 {
            ended_tasks.set(&id(mine, at), 0, TaskEnd::Unanswered(Unanswered::Declined));
        }
        assert_eq!(ended_tasks.get(&id(theirs, 1)), Some((0, TaskEnd::Cancelled)));
        assert_eq!(ended_tasks.0.lock().unwrap().len(), 2);
        let returns = TaskId { asks: false, ..id(theirs, 1) };
        assert_eq!(ended_tasks.get(&returns), None);
    }

    #[test]
    fn only_so_many_are_remembered() {
        let ended_tasks = EndedTasks::default();
        let first = id(SessionId::new(), 1);
        ended_tasks.set(&first, 0, TaskEnd::Cancelled);
        for _ in 0..MOST {
            ended_tasks.set(&id(SessionId::new(), 1), 0, TaskEnd::Cancelled);
        }
        assert_eq!(ended_tasks.get(&first), None);
        assert_eq!(ended_tasks.0.lock().unwrap().len(), MOST);
    }
}
