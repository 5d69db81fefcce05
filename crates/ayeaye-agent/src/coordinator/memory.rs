//! In memory, for agents of one process: tests and simulations.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::broadcast;

use super::table::{RunPlace, RunTable};
use super::{
    Coordinator, CoordinatorError, InboxMessage, InboxMessageBody, InboxMessageId, LONGEST_REPLY,
    NewRun, QueuePosition, Registered, Registration, RunEntry,
};
use crate::SessionId;

/// Wake-ups that a slow reader may be behind.
const WAKEUPS: usize = 64;

/// What several coordinators share. It knows no sessions: messages are kept for any.
#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    wakeups: broadcast::Sender<SessionId>,
}

#[derive(Debug, Default)]
struct MemoryState {
    table: RunTable,
    inboxes: HashMap<SessionId, Vec<InboxMessage>>,
    alive: HashSet<u64>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { state: Mutex::default(), wakeups: broadcast::Sender::new(WAKEUPS) }
    }
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // No code that holds this lock can panic half way through a change.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let MemoryState { table, alive, .. } = &mut *state;
        table.runs.retain(|run| alive.contains(&run.epoch));
        state
    }
}

/// One server of a [`MemoryStore`].
#[derive(Debug)]
pub struct MemoryCoordinator {
    store: Arc<MemoryStore>,
    server: String,
}

impl MemoryCoordinator {
    /// A server of this name.
    pub fn new(store: Arc<MemoryStore>, server: impl Into<String>) -> Self {
        Self { store, server: server.into() }
    }

    fn registration(&self, entry: RunEntry) -> Registration {
        let guard = Alive { store: self.store.clone(), epoch: entry.epoch, session: entry.session };
        Registration { entry, guard: Box::new(guard) }
    }
}

struct Alive {
    store: Arc<MemoryStore>,
    epoch: u64,
    session: SessionId,
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.store.state().alive.remove(&self.epoch);
        // Nobody may be listening.
        self.store.wakeups.send(self.session).ok();
    }
}

#[async_trait]
impl Coordinator for MemoryCoordinator {
    fn server(&self) -> &str {
        &self.server
    }

    async fn register(&self, run: NewRun) -> Result<Registered, CoordinatorError> {
        let session = run.session;
        let registered = {
            let mut state = self.store.state();
            let place = state.table.register(run, &self.server)?;
            if let RunPlace::Running(entry) | RunPlace::Queued(entry) = &place {
                state.alive.insert(entry.epoch);
            }
            place
        };
        let registered = match registered {
            RunPlace::Running(entry) => Registered::Granted(self.registration(entry)),
            RunPlace::Queued(entry) => Registered::Queued(self.registration(entry)),
            // Nothing is new.
            RunPlace::Taken(entry) => return Ok(Registered::Taken(entry)),
        };
        self.wake(session);
        Ok(registered)
    }

    async fn advance(&self, epoch: u64) -> Result<QueuePosition, CoordinatorError> {
        self.store.state().table.advance(epoch)
    }

    async fn close_inbox(&self, epoch: u64) -> Result<(), CoordinatorError> {
        self.store.state().table.close_inbox(epoch);
        Ok(())
    }

    async fn runs(&self) -> Result<Vec<RunEntry>, CoordinatorError> {
        Ok(self.store.state().table.runs.clone())
    }

    async fn send(
        &self,
        session: SessionId,
        message: &InboxMessage,
        run: Option<u64>,
    ) -> Result<(), CoordinatorError> {
        if let InboxMessageBody::Reply(reply) = &message.body
            && LONGEST_REPLY < reply.text.len()
        {
            return Err(CoordinatorError::TooLong);
        }
        {
            let mut state = self.store.state();
            if run.is_some_and(|run| !state.table.takes(run, &message.body)) {
                return Err(CoordinatorError::RunEnded);
            }
            let inbox = state.inboxes.entry(session).or_default();
            if message.body.adds_to(inbox, session)? {
                inbox.push(message.clone());
            }
        }
        self.wake(session);
        Ok(())
    }

    async fn inbox(&self, session: SessionId) -> Result<Vec<InboxMessage>, CoordinatorError> {
        Ok(self.store.state().inboxes.get(&session).cloned().unwrap_or_default())
    }

    async fn acknowledge(
        &self,
        session: SessionId,
        id: InboxMessageId,
    ) -> Result<(), CoordinatorError> {
        if let Some(inbox) = self.store.state().inboxes.get_mut(&session) {
            inbox.retain(|message| message.id != id);
        }
        Ok(())
    }

    fn wake(&self, session: SessionId) {
        // Nobody may be listening.
        self.store.wakeups.send(session).ok();
    }

    fn wakeups(&self) -> broadcast::Receiver<SessionId> {
        self.store.wakeups.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::conformance::{Store, bears_any_order, keeps_its_promises};

    async fn with_store(use_it: impl AsyncFnOnce(&Store<'_>)) {
        let store = Arc::new(MemoryStore::default());
        let server = || {
            let name = uuid::Uuid::new_v4().to_string();
            Arc::new(MemoryCoordinator::new(store.clone(), name)) as Arc<dyn Coordinator>
        };
        use_it(&Store { server: &server, session: &SessionId::new }).await;
    }

    #[tokio::test]
    async fn memory_keeps_the_promises() {
        with_store(async |store| keeps_its_promises(store).await).await;
    }

    #[tokio::test]
    async fn memory_bears_a_thousand_orders() {
        with_store(async |store| bears_any_order(store, 0..1000).await).await;
    }
}
