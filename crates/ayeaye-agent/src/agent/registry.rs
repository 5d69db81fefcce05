//! What is under way: who drives which phone, and who follows.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{AgentError, Follower};
use crate::run::{CancelHandle, RunUpdate};
use crate::{DeviceId, Principal, SessionId, StartTask, StopReason};

/// What has happened to somebody's runs since the process began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunActivity {
    /// Runs that have begun, and runs that have ended.
    pub count: u64,
    /// The youngest session that was driven.
    pub newest: Option<SessionId>,
}

/// All runs of this process.
#[derive(Clone, Default)]
pub(super) struct RunRegistry {
    inner: Arc<Mutex<Inner>>,
    tracker: TaskTracker,
    /// Cancelled when the server begins to go down.
    pub(super) closing: CancellationToken,
}

#[derive(Default)]
struct Inner {
    /// Under way now, by session.
    live: HashMap<SessionId, ActiveRun>,
    /// Who may drive which phone. A holder that is not live yet is opening it.
    leases: HashMap<DeviceId, Holder>,
    /// Told whenever one of the two has changed.
    changes: watch::Sender<()>,
    /// What has happened, by whose runs it was.
    turns: HashMap<Principal, RunActivity>,
    /// The server is going down: nothing begins any more.
    closed: bool,
}

/// A session that may drive a phone.
struct Holder {
    session: SessionId,
    owner: Principal,
    /// It gives the phone back by itself within seconds.
    direct: bool,
}

/// A run, as others see it.
#[derive(Clone)]
pub(super) struct ActiveRun {
    pub(super) device: DeviceId,
    /// One act of a client, and not a task.
    pub(super) direct: bool,
    pub(super) task: String,
    pub(super) owner: Principal,
    pub(super) cancel: CancelHandle,
    pub(super) inbox: mpsc::Sender<String>,
    pub(super) updates: watch::Receiver<RunUpdate>,
}

/// What comes of asking for a phone.
pub(super) enum LeaseRequest {
    /// It is free, and now it is the principal's.
    Granted(DeviceLease),
    /// Somebody is about to drive it, or has begun a moment ago: ask again after the next change.
    Later(watch::Receiver<()>),
}

/// The right to drive a phone; given back when dropped.
pub(super) struct DeviceLease {
    runs: RunRegistry,
    pub(super) device: DeviceId,
    session: SessionId,
    /// Keeps the phone from other processes.
    pub(super) held: Option<Box<dyn Send + Sync>>,
}

impl RunRegistry {
    /// Asks for a phone. A holder that is still opening it is waited for: it may fail, and until it
    /// has not, its session cannot be read by whoever is told of it.
    pub(super) fn lease(
        &self,
        device: &DeviceId,
        session: SessionId,
        principal: &Principal,
    ) -> Result<LeaseRequest, AgentError> {
        self.lease_as(device, session, principal, false)
    }

    /// The same for one act: others wait for its end and are not refused.
    pub(super) fn lease_for_action(
        &self,
        device: &DeviceId,
        session: SessionId,
        principal: &Principal,
    ) -> Result<LeaseRequest, AgentError> {
        self.lease_as(device, session, principal, true)
    }

    fn lease_as(
        &self,
        device: &DeviceId,
        session: SessionId,
        principal: &Principal,
        direct: bool,
    ) -> Result<LeaseRequest, AgentError> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(AgentError::ShuttingDown);
        }
        let held = inner.leases.get(device).map(|holder| (holder.session, holder.direct));
        let Some((holder, held_briefly)) = held else {
            inner
                .leases
                .insert(device.clone(), Holder { session, owner: principal.clone(), direct });
            let lease =
                DeviceLease { runs: self.clone(), device: device.clone(), session, held: None };
            return Ok(LeaseRequest::Granted(lease));
        };
        let mut changes = inner.changes.subscribe();
        if held_briefly || !inner.live.contains_key(&holder) {
            return Ok(LeaseRequest::Later(changes));
        }
        if holder == session {
            changes.mark_changed();
            return Ok(LeaseRequest::Later(changes));
        }
        Err(AgentError::DeviceBusy { device: device.clone(), session: Some(holder) })
    }

    /// Begins a run, unless the server has begun to go down: its end would not be waited for.
    pub(super) fn begin(
        &self,
        session: SessionId,
        live: ActiveRun,
        run: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Follower, AgentError> {
        let mut inner = self.lock();
        if inner.closed {
            // Dropping the run gives its phone back, which takes this lock.
            drop(inner);
            return Err(AgentError::ShuttingDown);
        }
        let follower = live.follower();
        let turns = inner.turns.entry(live.owner.clone()).or_default();
        turns.count += 1;
        turns.newest = turns.newest.max(Some(session));
        inner.live.insert(session, live);
        inner.changes.send_replace(());
        self.tracker.spawn(run);
        Ok(follower)
    }

    /// The run of a session.
    pub(super) fn get(&self, session: SessionId) -> Option<ActiveRun> {
        self.lock().live.get(&session).cloned()
    }

    /// The run that this start asks for, when it is under way already.
    pub(super) fn find(&self, start: &StartTask) -> Option<Follower> {
        let inner = self.lock();
        let same = |live: &&ActiveRun| {
            !live.direct
                && live.device == start.device_id
                && live.task == start.task
                && live.owner == start.principal
        };
        inner.live.values().find(same).map(ActiveRun::follower)
    }

    /// Who drives a phone.
    pub(super) fn device_holder(&self, device: &DeviceId) -> Option<SessionId> {
        self.lock().leases.get(device).map(|holder| holder.session)
    }

    /// Whose a session is that holds a phone.
    pub(super) fn owner(&self, session: SessionId) -> Option<Principal> {
        let inner = self.lock();
        let mut holders = inner.leases.values();
        holders.find(|holder| holder.session == session).map(|holder| holder.owner.clone())
    }

    /// What has happened to somebody's runs.
    pub(super) fn activity(&self, principal: &Principal) -> RunActivity {
        let inner = self.lock();
        let theirs = inner.turns.iter().filter(|(owner, _)| principal.owns(owner));
        theirs.fold(RunActivity::default(), |sum, (_, one)| RunActivity {
            count: sum.count + one.count,
            newest: sum.newest.max(one.newest),
        })
    }

    /// Told whenever a run begins or a phone is given back.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.lock().changes.subscribe()
    }

    /// Tells of the next change when a session is about to be driven.
    pub(super) fn starting(&self, session: SessionId) -> Option<watch::Receiver<()>> {
        let inner = self.lock();
        let holds = inner.leases.values().any(|holder| holder.session == session);
        (holds && !inner.live.contains_key(&session)).then(|| inner.changes.subscribe())
    }

    /// Lets nothing begin any more, stops everything, and waits until it is over or the time is up.
    pub(super) async fn close(&self, limit: Duration) {
        {
            let mut inner = self.lock();
            inner.closed = true;
            for live in inner.live.values() {
                live.cancel.stop(StopReason::ServerRestarted);
            }
        }
        self.closing.cancel();
        self.tracker.close();
        if tokio::time::timeout(limit, self.tracker.wait()).await.is_err() {
            tracing::warn!("a run did not stop within {} s", limit.as_secs());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing that holds this lock can leave it half changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRun {
    pub(super) fn follower(&self) -> Follower {
        Follower { updates: self.updates.clone(), cancel: Some(self.cancel.clone()) }
    }
}

impl Drop for DeviceLease {
    fn drop(&mut self) {
        // First for the others: whoever of us hears of the change may ask for it at once.
        self.held = None;
        let mut inner = self.runs.lock();
        inner.leases.remove(&self.device);
        if let Some(live) = inner.live.remove(&self.session) {
            inner.turns.entry(live.owner).or_default().count += 1;
        }
        inner.changes.send_replace(());
    }
}

/// Waits for the next change. There is one as long as there is an agent, and an agent is what waits.
pub(super) async fn next_change(mut changes: watch::Receiver<()>) {
    if changes.changed().await.is_err() {
        tracing::debug!("the agent is gone");
    }
}
