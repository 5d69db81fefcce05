//! What is about to begin. The same task is started once, however often and from wherever it is asked for at a time; what
//! goes on in a session that has a record can be stopped before it begins.
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{ActiveRun, BusyPhone, DeviceLease, Holder, Inner, RunRegistry, busy};
use crate::agent::{AgentError, Follower};
use crate::{DeviceId, DeviceNames, SessionId, StartTask};

/// The outcome of asking to start a task.
pub(in crate::agent) enum StartRequest {
    /// The phone was free, or the task waits for it.
    Granted(DeviceLease),
    /// The same is being done already: a client may repeat a start whose reply got lost.
    Runs(Follower),
    /// The same was being done, by a run that was asked to stop and has not ended.
    Stops(Follower),
    /// As in [`LeaseRequest`].
    Later(watch::Receiver<()>),
}

/// A session that is about to go on.
pub(in crate::agent) struct GoingOn {
    /// A receiver of the next change.
    pub(in crate::agent) changes: watch::Receiver<()>,
    /// Whether it does so with another task.
    pub(in crate::agent) next_task: bool,
}

/// The word that a session is to stop, or that its call is not wanted any longer, as whoever is about to begin in it
/// hears it. What has not begun by then never does.
pub(in crate::agent) struct StopBeforeBegin {
    pub(in crate::agent) session: SessionId,
    pub(super) stopped: CancellationToken,
    closing: CancellationToken,
}

impl RunRegistry {
    /// A receiver of the next change, if the session holds a lease and its run has not begun yet.
    pub(in crate::agent) fn starting(&self, session: SessionId) -> Option<watch::Receiver<()>> {
        self.lock().starting(session).map(|(_, changes)| changes)
    }

    /// A receiver of the next change, if the session is new and its run has not begun yet. There is nothing to read of
    /// it, or only its first words, with which it looks like one that was broken off.
    pub(in crate::agent) fn starting_anew(
        &self,
        session: SessionId,
    ) -> Option<watch::Receiver<()>> {
        let (_, changes) =
            self.lock().starting(session).filter(|(holder, _)| !holder.has_record)?;
        Some(changes)
    }

    /// The next change of a session that has a record, if a task in it is about to go on. It can be read all the while;
    /// its phone may take long to answer.
    pub(in crate::agent) fn going_on(&self, session: SessionId) -> Option<GoingOn> {
        let goes_on = |holder: &Holder| holder.has_record && !holder.direct;
        let (holder, changes) =
            self.lock().starting(session).filter(|(holder, _)| goes_on(holder))?;
        Some(GoingOn { changes, next_task: holder.next_task })
    }

    /// Asks whoever is about to begin in the session to leave it, which happens at once: a receiver of the next change,
    /// if there is somebody.
    pub(in crate::agent) fn stop_starting(
        &self,
        session: SessionId,
    ) -> Option<watch::Receiver<()>> {
        let (holder, changes) = self.lock().starting(session)?;
        holder.stopped.cancel();
        Some(changes)
    }

    /// What to begin in this session is raced with; `withdrawn` when nobody wants it any longer.
    pub(in crate::agent) fn stop_before_begin(
        &self,
        session: SessionId,
        withdrawn: &CancellationToken,
    ) -> StopBeforeBegin {
        let (stopped, closing) = (withdrawn.child_token(), self.closing.clone());
        StopBeforeBegin { session, stopped, closing }
    }

    /// Asks for a phone, or for a place among those that wait for it, to start a task in a new session. All in one:
    /// of equal starts that come together one is granted. A `patient` caller waits for a run that was asked to stop.
    pub(in crate::agent) fn request_start(
        &self,
        start: &StartTask,
        names: &DeviceNames,
        stop: &StopBeforeBegin,
        patient: bool,
    ) -> Result<StartRequest, AgentError> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(AgentError::ShuttingDown);
        }
        let (stopping, running): (Vec<_>, Vec<_>) =
            inner.same(start, names).partition(|live| live.cancel.is_asked());
        if let Some(live) = running.first() {
            return Ok(StartRequest::Runs(live.follower()));
        }
        if let (true, Some(live)) = (patient, stopping.first()) {
            return Ok(StartRequest::Stops(live.follower()));
        }
        if inner.begins_same(start, names) {
            return Ok(StartRequest::Later(inner.changes.subscribe()));
        }
        let holder = Holder {
            start: Some((start.task.clone(), names.clone())),
            ..Holder::of(stop, &start.principal)
        };
        if start.queue {
            // A lease of no phone yet. Until its run begins it counts as starting; no phone has a session's name.
            inner.leases.insert(DeviceId::new(stop.session.to_string()), holder.clone());
            return Ok(StartRequest::Granted(self.lease_of(names, holder)));
        }
        match inner.hold(names, &holder) {
            Ok(()) => Ok(StartRequest::Granted(self.lease_of(names, holder))),
            Err(BusyPhone::Briefly(changes)) => Ok(StartRequest::Later(changes)),
            Err(BusyPhone::By(holder)) if patient && inner.is_stopping(holder) => {
                Ok(StartRequest::Later(inner.changes.subscribe()))
            }
            Err(BusyPhone::By(holder)) => Err(busy(names, holder)),
        }
    }
}

impl Inner {
    /// Who holds a phone for a session, if nothing has begun there yet; and a receiver of the next change.
    fn starting(&self, session: SessionId) -> Option<(Holder, watch::Receiver<()>)> {
        let holder = self.leases.values().find(|holder| holder.session == session)?;
        let starting = !self.live.contains_key(&session);
        starting.then(|| (holder.clone(), self.changes.subscribe()))
    }

    /// The runs in progress of the same request.
    fn same(&self, start: &StartTask, names: &DeviceNames) -> impl Iterator<Item = &ActiveRun> {
        self.live.values().filter(move |live| {
            !live.direct
                && names.include(&live.device)
                && live.task == start.task
                && live.owner == start.principal
        })
    }

    /// Whether the same request is about to be carried out.
    fn begins_same(&self, start: &StartTask, names: &DeviceNames) -> bool {
        let keys = names.keys();
        self.leases.values().any(|holder| {
            let wanted = holder.start.as_ref().filter(|(task, _)| *task == start.task);
            holder.owner == start.principal
                && wanted.is_some_and(|(_, its)| its.keys().iter().any(|key| keys.contains(key)))
                && !self.live.contains_key(&holder.session)
        })
    }

    /// Whether a session's run was asked to stop.
    fn is_stopping(&self, session: SessionId) -> bool {
        self.live.get(&session).is_some_and(|live| live.cancel.is_asked())
    }
}

impl DeviceLease {
    /// What to begin with it is raced with.
    pub(in crate::agent) fn stop_before_begin(&self) -> StopBeforeBegin {
        let (stopped, closing) = (self.stopped.clone(), self.runs.closing.clone());
        StopBeforeBegin { session: self.session, stopped, closing }
    }
}

impl StopBeforeBegin {
    /// Fails where the session was stopped.
    pub(in crate::agent) fn check(&self) -> Result<(), AgentError> {
        let stopped = self.stopped.is_cancelled();
        if stopped { Err(AgentError::StoppedBefore(self.session)) } else { Ok(()) }
    }

    /// What comes of this, unless the session is stopped first.
    pub(in crate::agent) async fn race<T, E: Into<AgentError>>(
        &self,
        beginning: impl Future<Output = Result<T, E>>,
    ) -> Result<T, AgentError> {
        tokio::select! {
            biased;
            () = self.stopped.cancelled() => Err(AgentError::StoppedBefore(self.session)),
            () = self.closing.cancelled() => Err(AgentError::ShuttingDown),
            begun = beginning => begun.map_err(Into::into),
        }
    }
}
