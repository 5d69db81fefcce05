//! Direct control: a client with eyes acts on a phone itself, one act at a time.
//!
//! Every act is a short run of its own, under the phone's lease and in a session's record. Between
//! two acts the phone is free: whoever needs it next, the agent or somebody else, need not wait for
//! the client to say that it is through.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::runs::{Claim, Lease};
use super::{Agent, AgentError, Follower, Plan, ReplyMode, next_change, run_facts, same_device};
use crate::journal::{RunRecord, SessionBuilder};
use crate::report::Report;
use crate::run::{DIRECT_REQUEST, DirectResult, Hand, Opening};
use crate::{DeviceId, Gesture, JournalError, Principal, Session, SessionId, StopReason};

/// After so long the next act begins a session of its own.
const IDLE: Duration = Duration::from_mins(10);
/// Most phones whose sessions of direct control are remembered.
const MOST_HANDS: usize = 256;

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
    pub async fn end(&mut self) {
        self.follower.end().await;
    }

    /// Asks that nothing be sent that has not been. A gesture under way is not interrupted.
    pub fn stop(&self, reason: StopReason) {
        self.follower.stop(reason);
    }

    /// What came of it; nothing as long as it is under way, and where that could not be recorded.
    pub fn acted(&self) -> Option<&DirectResult> {
        self.acted.get()
    }

    /// The session as the act has left it.
    pub fn report(&self) -> Arc<Report> {
        self.follower.report()
    }
}

/// The sessions of direct control, by phone.
#[derive(Debug, Default)]
pub(super) struct Hands(Mutex<HashMap<DeviceId, InHand>>);

#[derive(Debug)]
struct InHand {
    session: SessionId,
    owner: Principal,
    last: Instant,
}

impl Hands {
    /// The session that an act on this phone goes on with.
    fn of(&self, device: &DeviceId, principal: &Principal) -> Option<SessionId> {
        let hands = self.lock();
        let hand = hands.get(device)?;
        (hand.owner == *principal && hand.last.elapsed() < IDLE).then_some(hand.session)
    }

    fn keep(&self, device: &DeviceId, session: SessionId, owner: &Principal) {
        let mut hands = self.lock();
        hands.retain(|_, hand| hand.last.elapsed() < IDLE);
        if hands.len() < MOST_HANDS || hands.contains_key(device) {
            let hand = InHand { session, owner: owner.clone(), last: Instant::now() };
            hands.insert(device.clone(), hand);
        }
    }

    /// Something else is done with the phone.
    pub(super) fn forget(&self, device: &DeviceId) {
        self.lock().remove(device);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DeviceId, InHand>> {
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
            self.known(id, &principal).await?;
        }
        match self.take_in_hand(act).await {
            Err(err) => Err(self.discreet(err, &principal).await),
            acting => acting,
        }
    }

    async fn take_in_hand(&self, act: DirectAction) -> Result<DirectRun, AgentError> {
        let DirectAction { device_id, session_id, principal, .. } = &act;
        loop {
            let own = self.hands.of(device_id, principal);
            let chosen = session_id.or(own);
            if let Some(id) = chosen {
                match self.may_go_on(id, device_id).await {
                    Ok(()) => {}
                    // One that is gone, damaged or driven elsewhere is no reason not to act.
                    Err(_) if session_id.is_none() => {
                        self.hands.forget(device_id);
                        continue;
                    }
                    Err(err) => return Err(err),
                }
            }
            let name = chosen.unwrap_or_else(SessionId::new);
            let mut lease = match self.runs.claim_briefly(device_id, name, principal)? {
                Claim::Mine(lease) => lease,
                Claim::Later(changes) => {
                    next_change(changes).await;
                    continue;
                }
            };
            // Another act may have begun a session meanwhile: this one belongs into the same.
            if session_id.is_none() && self.hands.of(device_id, principal) != own {
                continue;
            }
            self.hold(&mut lease, name).await?;
            match self.act_in(lease, &act, chosen, name).await {
                Err(AgentError::SessionFull(_)) if session_id.is_none() && own.is_some() => {
                    self.hands.forget(device_id);
                }
                Err(err) if !matches!(err, AgentError::Device(_)) => {
                    self.hands.forget(device_id);
                    return Err(err);
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether a session that somebody named can take an act.
    async fn may_go_on(&self, id: SessionId, device: &DeviceId) -> Result<(), AgentError> {
        if let Some(live) = self.live(id, Some(device))? {
            return if live.brief { Ok(()) } else { Err(AgentError::SessionBusy(id)) };
        }
        if self.runs.opening(id).is_some() {
            return Ok(());
        }
        let summary = self.summary(id).await?;
        same_device(id, &summary.device.device_id, Some(device))?;
        self.not_elsewhere(id, summary.stop_reason.is_some()).await
    }

    async fn act_in(
        &self,
        lease: Lease,
        act: &DirectAction,
        chosen: Option<SessionId>,
        name: SessionId,
    ) -> Result<DirectRun, AgentError> {
        let device = self.device(&act.device_id).await?;
        let (session, record, opening) = if let Some(id) = chosen {
            let mut folding = SessionBuilder::new(id);
            let record =
                match self.parts.journal.open(&id, &mut |event| folding.apply(&event)).await {
                    Err(JournalError::Unknown(id)) => return Err(AgentError::UnknownSession(id)),
                    other => other?,
                };
            (folding.finish()?, record, Opening::GoOn)
        } else {
            let facts = run_facts(1, ReplyMode::PassToClient, false);
            let owner = &act.principal;
            let (session, record) =
                self.found(name, &*device, DIRECT_REQUEST, facts, owner).await?;
            (session, record, Opening::First)
        };
        let limits = &self.parts.limits;
        if limits.session_steps <= session.counts.steps
            || limits.session_bytes.is_some_and(|most| most <= record.size())
        {
            return Err(AgentError::SessionFull(name));
        }
        let own = self.hands.of(&act.device_id, &act.principal);
        if act.session_id.is_none() || own == Some(name) {
            self.hands.keep(&act.device_id, name, &act.principal);
        } else {
            self.hands.forget(&act.device_id);
        }
        let acted = Arc::new(OnceLock::new());
        let hand = Hand {
            gesture: act.gesture.clone(),
            reason: act.reason.clone(),
            secret: act.secret,
            acted: acted.clone(),
        };
        let reply_mode = ReplyMode::from_name(&session.run.reply_mode).unwrap_or_default();
        // As it was: the agent may have something open that it goes on with.
        let RunRecord { max_steps, planner, .. } = session.run;
        let run_facts = run_facts(max_steps, reply_mode, planner);
        let plan = Plan { opening, run_facts, reply_mode };
        let follower = self.launch_act(lease, session, record, device, plan, hand)?;
        Ok(DirectRun { follower, acted })
    }
}

/// What a client's words mean to a session in which only it has acted so far: there is no request
/// that the agent could go on with.
pub(super) fn has_no_task(session: &Session) -> bool {
    session.client_round && session.question.is_none()
}
