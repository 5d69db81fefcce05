//! Direct control: a client with eyes acts on a phone itself, one act at a time.
//!
//! Every act is a short run of its own, under the phone's lease and in a session's record. Between
//! two acts the phone is free: whoever needs it next, the agent or somebody else, need not wait for
//! the client to say that it is through.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::registry::{DeviceLease, LeaseRequest};
use super::{
    Agent, AgentError, Follower, LaunchPlan, ReplyMode, next_change, run_facts, same_device,
};
use crate::journal::{RunRecord, SessionBuilder};
use crate::report::Report;
use crate::run::{DIRECT_REQUEST, DirectRequest, DirectResult, ResumeKind};
use crate::{DeviceId, Gesture, JournalError, Principal, Session, SessionId, StopReason};

/// After so long the next act begins a session of its own.
const IDLE: Duration = Duration::from_mins(10);
/// Most phones whose sessions of direct control are remembered.
const MAX_DIRECT_SESSIONS: usize = 256;

/// An act that a client has decided.
#[derive(Debug, Clone)]
pub struct DirectAction {
    /// The phone.
    pub device_id: DeviceId,
    /// The session it belongs to; `None` for one of direct control alone, the last if it is fresh.
    pub session_id: Option<SessionId>,
    /// What to do.
    pub gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub reason: String,
    /// Whether what is typed is nobody else's business: it is kept nowhere.
    pub secret: bool,
    /// Who asks. To anybody but its owner a session is unknown.
    pub principal: Principal,
}

/// An act under way.
#[derive(Debug)]
pub struct DirectRun {
    follower: Follower,
    acted: Arc<OnceLock<DirectResult>>,
}

impl DirectRun {
    /// Waits until it is over and recorded. Cancelling the wait changes nothing.
    pub async fn finished(&mut self) {
        self.follower.finished().await;
    }

    /// Asks that nothing be sent that has not been. A gesture under way is not interrupted.
    pub fn stop(&self, reason: StopReason) {
        self.follower.stop(reason);
    }

    /// What came of it; nothing as long as it is under way, and where that could not be recorded.
    pub fn result(&self) -> Option<&DirectResult> {
        self.acted.get()
    }

    /// The session as the act has left it.
    pub fn report(&self) -> Arc<Report> {
        self.follower.report()
    }
}

/// The sessions of direct control, by phone.
#[derive(Debug, Default)]
pub(super) struct DirectSessions(Mutex<HashMap<DeviceId, DirectSession>>);

#[derive(Debug)]
struct DirectSession {
    session: SessionId,
    owner: Principal,
    last: Instant,
}

impl DirectSessions {
    /// The session that an act on this phone goes on with.
    fn of(&self, device: &DeviceId, principal: &Principal) -> Option<SessionId> {
        let direct_sessions = self.lock();
        let hand = direct_sessions.get(device)?;
        (hand.owner == *principal && hand.last.elapsed() < IDLE).then_some(hand.session)
    }

    fn keep(&self, device: &DeviceId, session: SessionId, owner: &Principal) {
        let mut direct_sessions = self.lock();
        direct_sessions.retain(|_, hand| hand.last.elapsed() < IDLE);
        if direct_sessions.len() < MAX_DIRECT_SESSIONS || direct_sessions.contains_key(device) {
            let hand = DirectSession { session, owner: owner.clone(), last: Instant::now() };
            direct_sessions.insert(device.clone(), hand);
        }
    }

    /// Something else is done with the phone.
    pub(super) fn forget(&self, device: &DeviceId) {
        self.lock().remove(device);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DeviceId, DirectSession>> {
        // Nothing that holds this lock can leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// Begins an act of the client's own. It is under way when this returns. Dropped before, nothing
    /// was done.
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
        let DirectAction { device_id, session_id, principal, .. } = &act;
        loop {
            let own = self.direct_sessions.of(device_id, principal);
            let chosen = session_id.or(own);
            if let Some(id) = chosen {
                match self.ensure_can_act(id, device_id).await {
                    Ok(()) => {}
                    // One that is gone, damaged or driven elsewhere is no reason not to act.
                    Err(_) if session_id.is_none() => {
                        self.direct_sessions.forget(device_id);
                        continue;
                    }
                    Err(err) => return Err(err),
                }
            }
            let name = chosen.unwrap_or_else(SessionId::new);
            let mut lease = match self.runs.lease_for_action(device_id, name, principal)? {
                LeaseRequest::Granted(lease) => lease,
                LeaseRequest::Later(changes) => {
                    next_change(changes).await;
                    continue;
                }
            };
            // Another act may have begun a session meanwhile: this one belongs into the same.
            if session_id.is_none() && self.direct_sessions.of(device_id, principal) != own {
                continue;
            }
            self.lock_device(&mut lease, name).await?;
            match self.act_under_lease(lease, &act, chosen, name).await {
                Err(AgentError::SessionFull(_)) if session_id.is_none() && own.is_some() => {
                    self.direct_sessions.forget(device_id);
                }
                Err(err) if !matches!(err, AgentError::Device(_)) => {
                    self.direct_sessions.forget(device_id);
                    return Err(err);
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether a session that somebody named can take an act.
    async fn ensure_can_act(&self, id: SessionId, device: &DeviceId) -> Result<(), AgentError> {
        if let Some(live) = self.live(id, Some(device))? {
            return if live.direct { Ok(()) } else { Err(AgentError::SessionBusy(id)) };
        }
        if self.runs.resume_kind(id).is_some() {
            return Ok(());
        }
        let summary = self.summary(id).await?;
        same_device(id, &summary.device.device_id, Some(device))?;
        self.not_elsewhere(id, summary.stop_reason.is_some()).await
    }

    async fn act_under_lease(
        &self,
        lease: DeviceLease,
        act: &DirectAction,
        chosen: Option<SessionId>,
        name: SessionId,
    ) -> Result<DirectRun, AgentError> {
        let device = self.device(&act.device_id).await?;
        let (session, record, resume_kind) = if let Some(id) = chosen {
            let mut folding = SessionBuilder::new(id);
            let record = match self.deps.journal.open(&id, &mut |event| folding.apply(&event)).await
            {
                Err(JournalError::Unknown(id)) => return Err(AgentError::UnknownSession(id)),
                other => other?,
            };
            (folding.finish()?, record, ResumeKind::Continue)
        } else {
            let facts = run_facts(1, ReplyMode::PassToClient, false);
            let owner = &act.principal;
            let (session, record) =
                self.create_session(name, &*device, DIRECT_REQUEST, facts, owner).await?;
            (session, record, ResumeKind::First)
        };
        let limits = &self.deps.limits;
        if limits.session_steps <= session.counts.steps
            || limits.session_bytes.is_some_and(|most| most <= record.size())
        {
            return Err(AgentError::SessionFull(name));
        }
        let own = self.direct_sessions.of(&act.device_id, &act.principal);
        if act.session_id.is_none() || own == Some(name) {
            self.direct_sessions.keep(&act.device_id, name, &act.principal);
        } else {
            self.direct_sessions.forget(&act.device_id);
        }
        let acted = Arc::new(OnceLock::new());
        let hand = DirectRequest {
            gesture: act.gesture.clone(),
            reason: act.reason.clone(),
            secret: act.secret,
            acted: acted.clone(),
        };
        let reply_mode = ReplyMode::from_name(&session.run.reply_mode).unwrap_or_default();
        // As it was: the agent may have something open that it goes on with.
        let RunRecord { max_steps, planner, .. } = session.run;
        let run_facts = run_facts(max_steps, reply_mode, planner);
        let plan = LaunchPlan { resume_kind, run_facts, reply_mode };
        let follower = self.launch_act(lease, session, record, device, plan, hand)?;
        Ok(DirectRun { follower, acted })
    }
}

/// What a client's words mean to a session in which only it has acted so far: there is no request
/// that the agent could go on with.
pub(super) fn has_no_task(session: &Session) -> bool {
    session.client_round && session.question.is_none()
}
