//! Direct control: a client that can see the screen acts on the phone itself, one action at a time.
//!
//! Every action is a short run under the phone's lease, recorded in a session. Between two actions the
//! phone is free, so nobody has to wait for a client to give up control.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::elsewhere::{RunPurpose, Standing};
use super::launch::Launch;
use super::registry::{DeviceLease, LeaseRequest, next_change};
use super::same_phone::ensure_same_phone;
use super::{Agent, AgentError, Follower, ensure_same_device};
use crate::coordinator::RunKind;
use crate::journal::RunRecord;
use crate::report::{DIRECT_REQUEST, Report};
use crate::run::{DirectRequest, DirectResult, ResumeKind};
use crate::{
    DeviceId, DeviceNames, DirectAction, Gesture, Principal, ReplyMode, SessionId, StopReason,
};

/// After this time the next action begins a new session.
const IDLE: Duration = Duration::from_mins(10);
/// The number of phones whose direct sessions are remembered.
const MAX_DIRECT_SESSIONS: usize = 256;

/// A direct action in progress.
#[derive(Debug)]
pub struct DirectRun {
    follower: Follower,
    result: Arc<OnceLock<DirectResult>>,
}

impl DirectRun {
    /// Waits until it is recorded. Cancelling the wait does not cancel the action.
    pub async fn finished(&mut self) {
        self.follower.finished().await;
    }

    /// Stops it if its gesture has not been sent yet.
    pub fn stop(&self, reason: StopReason) {
        self.follower.stop(reason);
    }

    /// Its result; `None` while it is in progress, or if it could not be recorded.
    pub fn result(&self) -> Option<&DirectResult> {
        self.result.get()
    }

    /// The session after the action.
    pub fn report(&self) -> Arc<Report> {
        self.follower.report()
    }
}

/// The current direct session of each phone. Clones share them.
#[derive(Debug, Default, Clone)]
pub(super) struct DirectSessions(Arc<Mutex<HashMap<DeviceId, DirectSession>>>);

#[derive(Debug)]
struct DirectSession {
    session: SessionId,
    owner: Principal,
    /// What the phone is known by, which changes where the address leads to another one; where it tells.
    phone: Option<String>,
    /// The last act in it.
    at: Instant,
}

impl DirectSessions {
    /// The session that the principal's next action on this phone belongs to.
    pub(super) fn of(&self, device: &DeviceId, principal: &Principal) -> Option<SessionId> {
        let direct_sessions = self.lock();
        let last = direct_sessions.get(device)?;
        (last.owner == *principal && last.at.elapsed() < IDLE).then_some(last.session)
    }

    /// Whether the phone of these names is the one of the last act, as far as that is known: who it is was asked within
    /// the last seconds, and is asked again when the phone is claimed.
    fn is_on(&self, names: &DeviceNames) -> bool {
        let direct_sessions = self.lock();
        let known = direct_sessions.get(&names.id).and_then(|it| it.phone.as_ref());
        known.is_some() && known == names.identity.as_ref()
    }

    fn keep(&self, names: &DeviceNames, session: SessionId, owner: &Principal) {
        let device = &names.id;
        let mut direct_sessions = self.lock();
        direct_sessions.retain(|_, session| session.at.elapsed() < IDLE);
        if direct_sessions.len() < MAX_DIRECT_SESSIONS || direct_sessions.contains_key(device) {
            let (phone, at) = (names.identity.clone(), Instant::now());
            let session = DirectSession { session, owner: owner.clone(), phone, at };
            direct_sessions.insert(device.clone(), session);
        }
    }

    /// Called when something else happens on the phone.
    pub(super) fn forget(&self, device: &DeviceId) {
        self.lock().remove(device);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DeviceId, DirectSession>> {
        // No code that holds this lock can panic half way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// Begins a direct action. If this future is dropped, nothing has been done.
    pub async fn act(&self, act: DirectAction) -> Result<DirectRun, AgentError> {
        let principal = act.principal.clone();
        if let Some(id) = act.session_id {
            self.ensure_visible(id, &principal).await?;
        }
        match self.act_exclusively(act).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            acting => acting,
        }
    }

    async fn act_exclusively(&self, act: DirectAction) -> Result<DirectRun, AgentError> {
        let DirectAction { session_id, principal, .. } = &act;
        self.secret_stores.check_hidden(principal)?;
        if let Gesture::Type { text, .. } = &act.gesture {
            self.secret_stores.check_named(text, principal)?;
        }
        loop {
            // Whoever has waited for another act may find another phone at this address.
            let names = self.device_names(&act.device_id).await;
            let device_id = &names.id;
            if session_id.is_none() && !act.by_hand {
                self.last_looks.ensure_same(&names, principal)?;
            }
            let own = self.direct_sessions.of(device_id, principal);
            let in_hand = self.in_hand.session_on(device_id, principal);
            if in_hand.is_some() && !act.by_hand {
                return Err(AgentError::DeviceInHand { device: device_id.clone() });
            }
            // The session of a phone in hand begins with its first act.
            let begun = match in_hand {
                Some(id) if self.read_summary(id).await.is_ok() => Some(id),
                _ => None,
            };
            let chosen = session_id.or(begun).or(own);
            if let Some(id) = chosen {
                match self.ensure_can_act(id, &names).await {
                    Ok(()) => {}
                    // A remembered session that is gone, damaged or busy is replaced by a new one.
                    Err(_) if session_id.is_none() && begun.is_none() => {
                        self.direct_sessions.forget(device_id);
                        continue;
                    }
                    Err(err) => return Err(err),
                }
            }
            self.ensure_not_in_hand(&act, &names).await?;
            let name = chosen.or(in_hand).unwrap_or_else(SessionId::new);
            let leased = self.runs.lease_for_action(&names, name, principal, chosen.is_some())?;
            let mut lease = match leased {
                LeaseRequest::Granted(lease) => lease,
                LeaseRequest::Later(changes) => {
                    next_change(changes).await;
                    continue;
                }
            };
            // A concurrent action may have begun a session: use the same one.
            if session_id.is_none() && self.direct_sessions.of(device_id, principal) != own {
                continue;
            }
            let stop = lease.stop_before_begin();
            let registering =
                self.register(&mut lease, name, principal, RunPurpose::of(RunKind::Act));
            let standing = stop.race(registering).await?;
            if standing == Standing::Elsewhere {
                // Look again what it is.
                continue;
            }
            // A person may have taken it in hand since.
            self.ensure_not_in_hand(&act, &names).await?;
            match self.act_under_lease(lease, &act, chosen, name).await {
                Err(AgentError::SessionFull(_)) if session_id.is_none() && own.is_some() => {
                    self.direct_sessions.forget(device_id);
                }
                // It is told, even where the act names no session: what it was aimed at is on the other phone.
                Err(err) if !matches!(err, AgentError::Device(_)) => {
                    self.direct_sessions.forget(device_id);
                    return Err(err);
                }
                outcome => return outcome,
            }
        }
    }

    /// Fails when a person drives the phone, by whichever server, and this is somebody else's act.
    async fn ensure_not_in_hand(
        &self,
        act: &DirectAction,
        names: &DeviceNames,
    ) -> Result<(), AgentError> {
        if !act.by_hand && self.is_phone_in_hand(names).await? {
            return Err(AgentError::DeviceInHand { device: names.id.clone() });
        }
        Ok(())
    }

    /// Fails when a session cannot take a direct action now.
    pub(super) async fn ensure_can_act(
        &self,
        id: SessionId,
        device: &DeviceNames,
    ) -> Result<(), AgentError> {
        if let Some(run) = self.active_run(id, Some(device))? {
            return if run.direct { Ok(()) } else { Err(AgentError::SessionBusy(id)) };
        }
        let starting = self.runs.starting(id).is_some();
        let summary = match self.read_summary(id).await {
            // It has none yet.
            Err(_) if starting => return Ok(()),
            summary => summary?,
        };
        ensure_same_device(id, &summary.device.device_id, Some(device))?;
        if starting {
            return Ok(());
        }
        match self.run_elsewhere(id).await? {
            Some(run) if run.kind == RunKind::Act => self.ended_elsewhere(&run).await,
            Some(_) => Err(AgentError::SessionBusy(id)),
            None => Ok(()),
        }
    }

    async fn act_under_lease(
        &self,
        lease: DeviceLease,
        act: &DirectAction,
        chosen: Option<SessionId>,
        name: SessionId,
    ) -> Result<DirectRun, AgentError> {
        let device_id = lease.names.id.clone();
        // The phone may take long to answer.
        let stop = lease.stop_before_begin();
        let device = stop.race(self.device(&device_id)).await?;
        let own = self.direct_sessions.of(&device_id, &act.principal);
        let (recorder, record, resume_kind) = if let Some(id) = chosen {
            let recorder = self.open_session(id).await?;
            // Where it goes on from act to act, the names tell, and the phone again before anything is done with it.
            if own != Some(id) || !self.direct_sessions.is_on(&lease.names) {
                let its = &recorder.session().device;
                stop.race(ensure_same_phone(id, its, &*device)).await?;
            }
            (recorder, None, ResumeKind::Continue)
        } else {
            let first = Launch::new(ResumeKind::First, 1, ReplyMode::PassToClient, false);
            let (record, owner) = (first.started_with, &act.principal);
            let (recorder, unbegun) =
                self.create_session(name, &*device, DIRECT_REQUEST, record, owner).await?;
            (recorder, Some(unbegun), ResumeKind::First)
        };
        let (session, limits) = (recorder.session(), &self.deps.limits);
        if limits.session_steps <= session.counts.steps
            || limits.session_bytes.is_some_and(|most| most <= recorder.size())
        {
            return Err(AgentError::SessionFull(name));
        }
        if act.session_id.is_none() || own == Some(name) {
            self.direct_sessions.keep(&lease.names, name, &act.principal);
        } else {
            self.direct_sessions.forget(&device_id);
        }
        let result = Arc::new(OnceLock::new());
        let request = DirectRequest {
            gesture: act.gesture.clone(),
            reason: act.reason.clone(),
            secret: act.secret,
            by_hand: act.by_hand,
            agreed: act.agreed.clone(),
            result: result.clone(),
        };
        let reply_mode = session.run.reply_mode.known().unwrap_or_default();
        // Unchanged: the agent may have an open round to resume later.
        let RunRecord { max_steps, planner, .. } = session.run;
        let launch = Launch::new(resume_kind, max_steps, reply_mode, planner);
        let follower = self.launch_direct(lease, recorder, device, launch, request)?;
        if let Some(record) = record {
            record.has_begun();
        }
        Ok(DirectRun { follower, result })
    }
}
