//! Tasks that their clients have ended while the session still waits: they declined its question, or
//! cancelled the task. The journal does not record that, because nothing has happened to the session;
//! after a restart such a task waits for an answer again.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::SessionId;

use super::id::TaskId;
use crate::mcp::results::Unanswered;

/// How many are remembered.
const MAX_ENDED: usize = 1000;

/// How a client has ended a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskEnd {
    /// `tasks/cancel`.
    Cancelled,
    /// The question is not going to be answered.
    Unanswered(Unanswered),
}

/// The first run of a task, which all ids of one task have in common. Keyed by it, a client that makes
/// up ids cannot evict the tasks of others.
type Key = (SessionId, u32);

/// The most recent ones, bounded.
#[derive(Debug, Default)]
pub(super) struct EndedTasks(Mutex<VecDeque<(Key, u32, TaskEnd)>>);

impl EndedTasks {
    /// Remembers that a task has ended with this run, and how.
    pub(super) fn set(&self, id: &TaskId, run: u32, end: TaskEnd) {
        let mut ended_tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ended_tasks.iter().any(|(marked, ..)| *marked == key(id)) {
            return;
        }
        if ended_tasks.len() == MAX_ENDED {
            ended_tasks.pop_front();
        }
        ended_tasks.push_back((key(id), run, end));
    }

    /// The run a task has ended with, and how.
    pub(super) fn get(&self, id: &TaskId) -> Option<(u32, TaskEnd)> {
        // A task that asks no questions never waits.
        if !id.asks {
            return None;
        }
        let ended_tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended_tasks.iter().find(|(marked, ..)| *marked == key(id)).map(|(_, run, end)| (*run, *end))
    }
}

fn key(id: &TaskId) -> Key {
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
        for _ in 0..MAX_ENDED {
            ended_tasks.set(&id(SessionId::new(), 1), 0, TaskEnd::Cancelled);
        }
        assert_eq!(ended_tasks.get(&first), None);
        assert_eq!(ended_tasks.0.lock().unwrap().len(), MAX_ENDED);
    }
}
