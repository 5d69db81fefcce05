//! Starting a task: the same one is started once, however often and from wherever it is asked for at a time.
use tokio::sync::watch;

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

impl RunRegistry {
    /// Asks for a phone, or for a place among those that wait for it, to start a task in this session. All in one:
    /// of equal starts that come together one is granted. A `patient` caller waits for a run that was asked to stop.
    pub(in crate::agent) fn request_start(
        &self,
        start: &StartTask,
        names: &DeviceNames,
        session: SessionId,
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
            session,
            owner: start.principal.clone(),
            direct: false,
            start: Some((start.task.clone(), names.clone())),
        };
        if start.queue {
            // A lease of no phone yet. Until its run begins it counts as starting; no phone has a session's name.
            inner.leases.insert(DeviceId::new(session.to_string()), holder);
            return Ok(StartRequest::Granted(self.lease_of(names, session)));
        }
        match inner.hold(names, &holder) {
            Ok(()) => Ok(StartRequest::Granted(self.lease_of(names, session))),
            Err(BusyPhone::Briefly(changes)) => Ok(StartRequest::Later(changes)),
            Err(BusyPhone::By(holder)) if patient && inner.is_stopping(holder) => {
                Ok(StartRequest::Later(inner.changes.subscribe()))
            }
            Err(BusyPhone::By(holder)) => Err(busy(names, holder)),
        }
    }
}

impl Inner {
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
