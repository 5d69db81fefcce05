//! What the processes know of each other: a store in memory that outlives them, and the bugs planted in it.
use std::mem::ManuallyDrop;
use std::sync::Arc;

use async_trait::async_trait;
use ayeaye_agent::coordinator::{
    CoordinatorError, InboxMessage, InboxMessageId, MemoryCoordinator, NewRun, QueuePosition,
    Registered, Registration, RunEntry,
};
use ayeaye_agent::{Coordinator, SessionId};
use tokio::sync::broadcast;

use crate::disk::Disk;
use crate::planted::Planted;
use crate::world::World;

/// One process among the others.
#[derive(Debug)]
pub struct Servers {
    inner: MemoryCoordinator,
    world: Arc<World>,
}

impl Servers {
    pub fn new(disk: &Disk, world: Arc<World>) -> Self {
        Self { inner: MemoryCoordinator::new(disk.servers(), "process"), world }
    }

    fn with_bugs(&self, registration: Registration) -> Registration {
        let Registration { entry, guard } = registration;
        let guard: Box<dyn Send + Sync> = if self.world.has(Planted::LeaseLeaks) {
            Box::new(ManuallyDrop::new(guard))
        } else if self.world.has(Planted::LeaseDropped) {
            drop(guard);
            Box::new(())
        } else {
            guard
        };
        Registration { entry, guard }
    }
}

#[async_trait]
impl Coordinator for Servers {
    fn server(&self) -> &str {
        self.inner.server()
    }

    async fn register(&self, mut run: NewRun) -> Result<Registered, CoordinatorError> {
        if self.world.has(Planted::NoLease) {
            run.devices.clear();
        }
        Ok(match self.inner.register(run).await? {
            Registered::Granted(it) => Registered::Granted(self.with_bugs(it)),
            Registered::Queued(it) => Registered::Queued(self.with_bugs(it)),
            taken @ Registered::Taken(_) => taken,
        })
    }

    async fn advance(&self, epoch: u64) -> Result<QueuePosition, CoordinatorError> {
        self.inner.advance(epoch).await
    }

    async fn close_inbox(&self, epoch: u64) -> Result<(), CoordinatorError> {
        self.inner.close_inbox(epoch).await
    }

    async fn runs(&self) -> Result<Vec<RunEntry>, CoordinatorError> {
        self.inner.runs().await
    }

    async fn send(
        &self,
        session: SessionId,
        message: &InboxMessage,
        run: Option<u64>,
    ) -> Result<(), CoordinatorError> {
        self.inner.send(session, message, run).await
    }

    async fn inbox(&self, session: SessionId) -> Result<Vec<InboxMessage>, CoordinatorError> {
        self.inner.inbox(session).await
    }

    async fn acknowledge(
        &self,
        session: SessionId,
        id: InboxMessageId,
    ) -> Result<(), CoordinatorError> {
        self.inner.acknowledge(session, id).await
    }

    fn wake(&self, session: SessionId) {
        self.inner.wake(session);
    }

    fn wakeups(&self) -> broadcast::Receiver<SessionId> {
        self.inner.wakeups()
    }
}
