//! The runs in progress in this process, and the leases on phones.
mod activity;
mod starting;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::activity::RunActivity;
use self::activity::{Activities, ElsewhereRun};
pub(super) use self::starting::{GoingOn, StartRequest, StopBeforeBegin};
use super::follower::FollowedRun;
use super::{AgentError, Follower};
use crate::coordinator::{InboxMessage, Registration};
use crate::run::{CancelHandle, RunUpdate};
use crate::{DeviceId, DeviceNames, Principal, Report, SessionId, StopReason};

/// Most ended runs that are remembered.
const MOST_ENDED: usize = 64;

/// All runs of this process.
#[derive(Clone, Default)]
pub(super) struct RunRegistry {
    inner: Arc<Mutex<Inner>>,
    /// What the end of the server waits for: runs, and records that are still to go away.
    pub(super) tracker: TaskTracker,
    /// Cancelled when the server begins to shut down.
    pub(super) closing: CancellationToken,
}

#[derive(Default)]
struct Inner {
    /// Runs in progress, by session.
    live: HashMap<SessionId, ActiveRun>,
    /// The last runs that ended, each the last of its session: what their record may not say.
    ended: VecDeque<EndedRun>,
    /// Holders by phone, under all of its names. A holder without a run in `live` is still starting.
    leases: HashMap<DeviceId, Holder>,
    /// Notified when `live` or `leases` changes.
    changes: watch::Sender<()>,
    /// Runs of other servers that were seen, by their epochs.
    elsewhere: HashMap<u64, ElsewhereRun>,
    /// Whether somebody looks at the runs of other servers.
    watched: bool,
    /// Run counts by owner.
    activity: Activities,
    /// The server is shutting down: no run may begin.
    closed: bool,
}

/// A run that ended.
struct EndedRun {
    session: SessionId,
    epoch: u64,
    updates: watch::Receiver<RunUpdate>,
}

/// A session that holds a phone.
#[derive(Clone)]
struct Holder {
    session: SessionId,
    owner: Principal,
    /// It holds the phone for one direct action, which takes seconds.
    direct: bool,
    /// What it was started for; its run may not have begun.
    start: Option<(String, DeviceNames)>,
    /// Whether the session can be read while nothing has begun: it goes on with a record that it has.
    has_record: bool,
    /// Whether it goes on with another task, and not with the one that it had.
    next_task: bool,
    /// Cancelled when the session is stopped before anything has begun.
    stopped: CancellationToken,
}

impl Holder {
    /// Of a new session, for a task.
    fn new(session: SessionId, owner: &Principal) -> Self {
        Self {
            session,
            owner: owner.clone(),
            direct: false,
            start: None,
            has_record: false,
            next_task: false,
            stopped: CancellationToken::new(),
        }
    }

    /// Of a new session that may be stopped before it holds a phone.
    fn of(stop: &StopBeforeBegin, owner: &Principal) -> Self {
        Self { stopped: stop.stopped.clone(), ..Self::new(stop.session, owner) }
    }
}

/// Handles to a run in progress.
#[derive(Clone)]
pub(super) struct ActiveRun {
    pub(super) device: DeviceId,
    /// It is one direct action, not a task.
    pub(super) direct: bool,
    pub(super) task: String,
    pub(super) owner: Principal,
    pub(super) cancel: CancelHandle,
    /// What its registration is called.
    pub(super) epoch: u64,
    /// For replies that are not to be on the disk.
    pub(super) secret: mpsc::Sender<InboxMessage>,
    pub(super) updates: watch::Receiver<RunUpdate>,
}

/// The outcome of asking for a lease.
pub(super) enum LeaseRequest {
    /// The phone was free.
    Granted(DeviceLease),
    /// The phone is about to become free or busy: ask again after the next change.
    Later(watch::Receiver<()>),
}

/// The right to use a phone; released on drop.
pub(super) struct DeviceLease {
    runs: RunRegistry,
    pub(super) names: DeviceNames,
    pub(super) session: SessionId,
    /// What other servers see of it.
    pub(super) registration: Option<Box<Registration>>,
    stopped: CancellationToken,
}

impl RunRegistry {
    /// Asks for a phone, for a session that goes on, with the `next_task` or the one that it has. While its holder is
    /// still starting, the answer is `Later`: the start may fail.
    pub(super) fn lease(
        &self,
        names: &DeviceNames,
        stop: &StopBeforeBegin,
        principal: &Principal,
        next_task: bool,
    ) -> Result<LeaseRequest, AgentError> {
        let holder = Holder::of(stop, principal);
        self.lease_as(names, Holder { has_record: true, next_task, ..holder })
    }

    /// Like [`lease`](Self::lease), for one direct action: others wait for its end instead of failing. It may be the
    /// first of its session.
    pub(super) fn lease_for_action(
        &self,
        names: &DeviceNames,
        session: SessionId,
        principal: &Principal,
        has_record: bool,
    ) -> Result<LeaseRequest, AgentError> {
        let holder = Holder { direct: true, has_record, ..Holder::new(session, principal) };
        self.lease_as(names, holder)
    }

    fn lease_as(&self, names: &DeviceNames, holder: Holder) -> Result<LeaseRequest, AgentError> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(AgentError::ShuttingDown);
        }
        match inner.hold(names, &holder) {
            Ok(()) => Ok(LeaseRequest::Granted(self.lease_of(names, holder))),
            Err(BusyPhone::Briefly(changes)) => Ok(LeaseRequest::Later(changes)),
            Err(BusyPhone::By(holder)) => Err(busy(names, holder)),
        }
    }

    fn lease_of(&self, names: &DeviceNames, holder: Holder) -> DeviceLease {
        let Holder { session, stopped, .. } = holder;
        let (runs, names) = (self.clone(), names.clone());
        DeviceLease { runs, names, session, registration: None, stopped }
    }

    /// Takes the phone that a lease was waiting for; `false` while a run here still gives it back.
    pub(super) fn claim(&self, lease: &DeviceLease, owner: &Principal) -> bool {
        let mut inner = self.lock();
        let keys = lease.names.keys();
        let free = !keys.iter().any(|key| inner.leases.contains_key(key));
        if free {
            for key in keys {
                inner.leases.insert(key, Holder::new(lease.session, owner));
            }
        }
        free
    }

    /// Whether the caller is the one who is to look at the runs of other servers.
    pub(super) fn begin_watching(&self) -> bool {
        !std::mem::replace(&mut self.lock().watched, true)
    }

    /// Spawns a run, unless it was stopped before, or the server is shutting down and would not wait for its end.
    pub(super) fn begin(
        &self,
        session: SessionId,
        live: ActiveRun,
        run: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Follower, AgentError> {
        let mut inner = self.lock();
        if let Err(err) = inner.may_begin(session) {
            // Dropping the run releases its lease, which takes this lock.
            drop(inner);
            return Err(err);
        }
        let follower = live.follower();
        inner.activity.of(&live.owner).begin(session);
        inner.ended.retain(|it| it.session != session);
        inner.live.insert(session, live);
        inner.changes.send_replace(());
        self.tracker.spawn(run.boxed());
        Ok(follower)
    }

    /// The report of a session whose last run has no end in its record: that could not be written, or the run panicked.
    pub(super) fn unrecorded_end(&self, session: SessionId) -> Option<Report> {
        let inner = self.lock();
        let updates = &inner.ended(session)?.updates;
        let RunUpdate { report, running, .. } = &*updates.borrow();
        if *running && updates.has_changed().is_err() {
            return Some(report.of_panicked());
        }
        (report.stop_reason == StopReason::StorageFailed).then(|| (**report).clone())
    }

    /// The last run of a session here, in progress or not, by what its registration is called. Whoever finds another
    /// one after reading a record has read it while a run was writing it.
    pub(super) fn last_run(&self, session: SessionId) -> Option<u64> {
        let inner = self.lock();
        let live = inner.live.get(&session).map(|it| it.epoch);
        live.or_else(|| Some(inner.ended(session)?.epoch))
    }

    /// The run in progress of a session.
    pub(super) fn get(&self, session: SessionId) -> Option<ActiveRun> {
        self.lock().live.get(&session).cloned()
    }

    /// The session that holds a phone.
    pub(super) fn device_holder(&self, names: &DeviceNames) -> Option<SessionId> {
        let inner = self.lock();
        let holder = names.keys().iter().find_map(|key| inner.leases.get(key))?;
        Some(holder.session)
    }

    /// The owner of a session that holds a phone.
    pub(super) fn owner(&self, session: SessionId) -> Option<Principal> {
        let inner = self.lock();
        let mut holders = inner.leases.values();
        holders.find(|holder| holder.session == session).map(|holder| holder.owner.clone())
    }

    /// Changes whenever a run begins or a lease is released.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.lock().changes.subscribe()
    }

    /// Tells whoever waits for changes that there is one.
    pub(super) fn tell_change(&self) {
        self.lock().changes.send_replace(());
    }

    /// Refuses new runs, stops those in progress and what is about to begin, and waits for their end, at most `limit`.
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
        // No code that holds this lock can panic half way through a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a phone cannot be had.
enum BusyPhone {
    /// That changes soon.
    Briefly(watch::Receiver<()>),
    /// A run of this session has it.
    By(SessionId),
}

impl Inner {
    fn ended(&self, session: SessionId) -> Option<&EndedRun> {
        self.ended.iter().find(|it| it.session == session)
    }

    fn may_begin(&self, session: SessionId) -> Result<(), AgentError> {
        let holder = self.leases.values().find(|holder| holder.session == session);
        if self.closed {
            Err(AgentError::ShuttingDown)
        } else if holder.is_some_and(|holder| holder.stopped.is_cancelled()) {
            Err(AgentError::StoppedBefore(session))
        } else {
            Ok(())
        }
    }

    /// Holds a phone under all of its names, if nobody has it, and if the session has no other one: giving back a lease
    /// gives back all that its session holds.
    fn hold(&mut self, names: &DeviceNames, holder: &Holder) -> Result<(), BusyPhone> {
        let keys = names.keys();
        let its_own = || self.leases.values().find(|other| other.session == holder.session);
        let other = keys.iter().find_map(|key| self.leases.get(key)).or_else(its_own);
        let Some(other) = other else {
            self.leases.extend(keys.into_iter().map(|key| (key, holder.clone())));
            return Ok(());
        };
        let mut changes = self.changes.subscribe();
        if other.direct || !self.live.contains_key(&other.session) {
            return Err(BusyPhone::Briefly(changes));
        }
        if other.session == holder.session {
            changes.mark_changed();
            return Err(BusyPhone::Briefly(changes));
        }
        Err(BusyPhone::By(other.session))
    }
}

fn busy(names: &DeviceNames, holder: SessionId) -> AgentError {
    AgentError::DeviceBusy { device: names.id.clone(), session: Some(holder) }
}

impl ActiveRun {
    pub(super) fn follower(&self) -> Follower {
        let run = FollowedRun::Here(self.cancel.clone());
        Follower::new(self.updates.clone(), run)
    }
}

impl Drop for DeviceLease {
    fn drop(&mut self) {
        // Give it back to other servers first: a caller here may ask as soon as the change is notified.
        self.registration = None;
        let mut inner = self.runs.lock();
        let session = self.session;
        inner.leases.retain(|_, holder| holder.session != session);
        if let Some(live) = inner.live.remove(&session) {
            if inner.ended.len() == MOST_ENDED {
                inner.ended.pop_front();
            }
            let ActiveRun { owner, epoch, updates, .. } = live;
            inner.ended.push_back(EndedRun { session, epoch, updates });
            inner.activity.of(&owner).count += 1;
        }
        inner.changes.send_replace(());
    }
}

/// Waits for the next change. The sender lives as long as the agent that waits.
pub(super) async fn next_change(mut changes: watch::Receiver<()>) {
    if changes.changed().await.is_err() {
        tracing::debug!("the agent is gone");
    }
}
