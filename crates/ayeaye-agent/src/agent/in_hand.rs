//! A person takes a phone in hand: between their acts too, nobody else's run begins on it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::elsewhere::RunPurpose;
use super::{Agent, AgentError, ensure_same_device};
use crate::coordinator::{Registration, RunKind};
use crate::{DeviceId, DeviceNames, Principal, SessionId, StopReason};

/// How long a hold lasts that nobody keeps up: whoever drove may have shut the computer.
pub const HOLD_LASTS: Duration = Duration::from_mins(2);

/// One hold of a phone. Whoever takes it in hand again, in another tab, has another one.
pub type HoldId = Uuid;

/// The phones that persons have in hand through this server.
#[derive(Clone, Default)]
pub(super) struct PhonesInHand(Arc<HeldPhones>);

type HeldPhones = Mutex<HashMap<DeviceId, Hold>>;

struct Hold {
    id: HoldId,
    session: SessionId,
    owner: Principal,
    until: Instant,
    registration: Box<Registration>,
}

impl PhonesInHand {
    /// The session to which a person's acts on this phone belong, if they have it.
    pub(super) fn session_on(&self, device: &DeviceId, owner: &Principal) -> Option<SessionId> {
        self.on(device, owner).map(|(session, _)| session)
    }

    /// The hold of this phone that a person has, and its session.
    fn on(&self, device: &DeviceId, owner: &Principal) -> Option<(SessionId, HoldId)> {
        let held = lock(&self.0);
        held.get(device).filter(|it| it.owner == *owner).map(|it| (it.session, it.id))
    }

    /// Lets go of a session's phone, which its task takes out of the hand.
    pub(super) fn end_of(&self, session: SessionId) {
        self.remove_if(|it| it.session == session);
    }

    /// Lets go of every phone.
    pub(super) fn end_all(&self) {
        self.remove_if(|_| true);
    }

    fn remove_if(&self, is_meant: impl Fn(&Hold) -> bool) {
        // The registrations end after the lock: that is work on files.
        let ended: Vec<_> = lock(&self.0).extract_if(|_, it| is_meant(it)).collect();
        drop(ended);
    }

    /// Begins a hold, in place of what was held of the phone before. False where a later one has taken its place already.
    fn begin(&self, device: &DeviceId, hold: Hold) -> bool {
        let entry = hold.registration.entry.clone();
        let is_of_phone = |it: &Hold| it.registration.entry.wants_any_of(&entry.devices);
        let mut held = lock(&self.0);
        let is_later = |it: &Hold| is_of_phone(it) && entry.epoch < it.registration.entry.epoch;
        if held.values().any(is_later) {
            drop(held);
            return false;
        }
        let before: Vec<_> = held.extract_if(|_, it| is_of_phone(it)).collect();
        held.insert(device.clone(), hold);
        drop(held);
        drop(before);
        tokio::spawn(end_in_time(Arc::downgrade(&self.0), device.clone(), entry.epoch).boxed());
        true
    }

    /// Keeps a hold up, and tells how it is registered.
    fn renew(&self, device: &DeviceId, id: HoldId, owner: &Principal) -> Option<u64> {
        let mut held = lock(&self.0);
        let hold = held.get_mut(device).filter(|it| it.owner == *owner && it.id == id)?;
        hold.until = Instant::now() + HOLD_LASTS;
        Some(hold.registration.entry.epoch)
    }

    /// Hands what a person has already to another place of theirs; false when it is over.
    fn pass_on(&self, device: &DeviceId, owner: &Principal, from: HoldId, to: HoldId) -> bool {
        let mut held = lock(&self.0);
        let hold = held.get_mut(device).filter(|it| it.owner == *owner && it.id == from);
        hold.map(|it| it.id = to).is_some()
    }
}

fn lock(held: &HeldPhones) -> MutexGuard<'_, HashMap<DeviceId, Hold>> {
    // No code that holds this lock can panic half way through a change.
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a hold when nobody has kept it up for long enough.
async fn end_in_time(held: Weak<HeldPhones>, device: DeviceId, epoch: u64) {
    loop {
        let until = {
            let Some(held) = held.upgrade() else { return };
            let mut held = lock(&held);
            let is_it = |it: &&Hold| it.registration.entry.epoch == epoch;
            let Some(until) = held.get(&device).filter(is_it).map(|it| it.until) else { return };
            if until <= Instant::now() {
                let ended = held.remove(&device);
                drop(held);
                drop(ended);
                return;
            }
            until
        };
        sleep_until(until).await;
    }
}

impl Agent {
    /// Takes a phone in hand for a person, before those that wait for it. A `session` at work there is paused, and what
    /// the person does belongs to it; otherwise to the returned one, which begins with the first act. It lasts
    /// until it is ended, a task of that session goes on, or nobody has kept it up for [`HOLD_LASTS`]. Taken
    /// again by the same person, what they had of it before is over.
    pub async fn take_in_hand(
        &self,
        device: &DeviceId,
        session: Option<SessionId>,
        principal: &Principal,
    ) -> Result<(SessionId, HoldId), AgentError> {
        let taken = match session {
            Some(id) => self.take_from_run(device, id, principal).await,
            None => self.take_free(device, principal).await,
        };
        match taken {
            Err(err) => Err(self.redact_for(err, principal).await),
            taken => taken,
        }
    }

    async fn take_from_run(
        &self,
        device: &DeviceId,
        id: SessionId,
        principal: &Principal,
    ) -> Result<(SessionId, HoldId), AgentError> {
        let names = self.device_names(device).await;
        let summary = self.session_summary(id, principal).await?;
        ensure_same_device(id, &summary.device.device_id, Some(&names))?;
        let before = self.in_hand.on(&names.id, principal);
        let hold = HoldId::new_v4();
        self.hold(&names, id, principal, hold).await?;
        // The phone is the person's before the run gives it back.
        let Err(err) = self.stop(id, StopReason::UserPaused, principal).await else {
            return Ok((id, hold));
        };
        // What they had before, they keep.
        let kept = match before {
            Some((session, before)) => self.hold(&names, session, principal, before).await.is_ok(),
            None => false,
        };
        if !kept {
            self.give_back(&names.id, hold, principal).await;
        }
        Err(err)
    }

    async fn take_free(
        &self,
        device: &DeviceId,
        principal: &Principal,
    ) -> Result<(SessionId, HoldId), AgentError> {
        let names = self.device_names(device).await;
        let device = self.device(&names.id).await?;
        let held = self.in_hand.session_on(device.id(), principal);
        let own = held.or_else(|| self.direct_sessions.of(device.id(), principal));
        let session = own.unwrap_or_else(SessionId::new);
        let names = self.device_names(device.id()).await;
        let hold = HoldId::new_v4();
        self.hold(&names, session, principal, hold).await?;
        Ok((session, hold))
    }

    /// Begins a hold. What the same person has of this phone already is over when this is granted, and not before.
    async fn hold(
        &self,
        names: &DeviceNames,
        session: SessionId,
        principal: &Principal,
        id: HoldId,
    ) -> Result<(), AgentError> {
        let device = &names.id;
        if let Some((same, before)) = self.in_hand.on(device, principal)
            && same == session
        {
            match self.keep_in_hand(device, before, principal).await {
                Ok(()) if self.in_hand.pass_on(device, principal, before, id) => {
                    self.runs.tell_change();
                    return Ok(());
                }
                Ok(()) | Err(AgentError::NotInHand { .. }) => {}
                Err(err) => return Err(err),
            }
        }
        let in_hand = || AgentError::DeviceInHand { device: device.clone() };
        let registered =
            self.register_run(names, session, principal, RunPurpose::of(RunKind::InHand));
        let (registration, _) = registered.await?.ok_or_else(in_hand)?;
        let (owner, until) = (principal.clone(), Instant::now() + HOLD_LASTS);
        if !self.in_hand.begin(device, Hold { id, session, owner, until, registration }) {
            return Err(in_hand());
        }
        self.runs.tell_change();
        Ok(())
    }

    /// Keeps a hold up; an error when it is over.
    pub async fn keep_in_hand(
        &self,
        device: &DeviceId,
        id: HoldId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let device = self.device_names(device).await.id;
        if let Some(epoch) = self.in_hand.renew(&device, id, principal) {
            let runs = self.deps.coordinator.runs().await?;
            if runs.iter().any(|it| it.epoch == epoch) {
                return Ok(());
            }
            self.in_hand.remove_if(|it| it.registration.entry.epoch == epoch);
        }
        Err(AgentError::NotInHand { device })
    }

    /// Whether a person has a session's phone in hand, through whichever server.
    pub async fn is_in_hand(&self, id: SessionId) -> Result<bool, AgentError> {
        let runs = self.deps.coordinator.runs().await?;
        Ok(runs.iter().any(|it| it.session == id && it.kind == RunKind::InHand))
    }

    /// Which hold of this phone is in force, if the person has it through this server.
    pub fn hold_on(&self, device: &DeviceId, principal: &Principal) -> Option<HoldId> {
        self.in_hand.on(device, principal).map(|(_, hold)| hold)
    }

    /// Gives a phone back that a person has in hand, to whoever waits for it. A hold that is over is no error.
    pub async fn give_back(&self, device: &DeviceId, id: HoldId, principal: &Principal) {
        let device = self.device_names(device).await.id;
        let ended = {
            let mut held = lock(&self.in_hand.0);
            let is_it = |it: &Hold| it.owner == *principal && it.id == id;
            if held.get(&device).is_some_and(is_it) { held.remove(&device) } else { None }
        };
        if ended.is_some() {
            drop(ended);
            self.runs.tell_change();
        }
    }
}
