//! A person takes a phone over: between their acts too, nobody else's run begins on it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::elsewhere::RunPurpose;
use super::{Agent, AgentError, ensure_same_device};
use crate::coordinator::{Registration, RunKind};
use crate::{DeviceId, Principal, SessionId, StopReason};

/// How long a takeover lasts that nobody keeps up: whoever drove may have shut the computer.
pub const TAKEOVER_LASTS: Duration = Duration::from_mins(2);

/// One taking over of a phone. Whoever takes it over again, in another tab, has another one.
pub type TakeoverId = Uuid;

/// The phones that persons have taken over through this server.
#[derive(Clone, Default)]
pub(super) struct Takeovers(Arc<HeldPhones>);

type HeldPhones = Mutex<HashMap<DeviceId, Takeover>>;

struct Takeover {
    id: TakeoverId,
    session: SessionId,
    owner: Principal,
    until: Instant,
    registration: Box<Registration>,
}

impl Takeovers {
    /// The session to which a person's acts on this phone belong, if they have it.
    pub(super) fn session_on(&self, device: &DeviceId, owner: &Principal) -> Option<SessionId> {
        lock(&self.0).get(device).filter(|it| it.owner == *owner).map(|it| it.session)
    }

    /// Lets go of a session's phone, which its task takes out of the hand.
    pub(super) fn end_of(&self, session: SessionId) {
        self.remove_if(|it| it.session == session);
    }

    /// Lets go of every phone.
    pub(super) fn end_all(&self) {
        self.remove_if(|_| true);
    }

    fn remove_if(&self, is_meant: impl Fn(&Takeover) -> bool) {
        // The registrations end after the lock: that is work on files.
        let ended: Vec<_> = lock(&self.0).extract_if(|_, it| is_meant(it)).collect();
        drop(ended);
    }

    fn begin(&self, device: &DeviceId, takeover: Takeover) {
        let epoch = takeover.registration.entry.epoch;
        let before = lock(&self.0).insert(device.clone(), takeover);
        drop(before);
        tokio::spawn(end_in_time(Arc::downgrade(&self.0), device.clone(), epoch));
    }

    /// Keeps a takeover up, and tells how it is registered.
    fn renew(&self, device: &DeviceId, id: TakeoverId, owner: &Principal) -> Option<u64> {
        let mut held = lock(&self.0);
        let takeover = held.get_mut(device).filter(|it| it.owner == *owner && it.id == id)?;
        takeover.until = Instant::now() + TAKEOVER_LASTS;
        Some(takeover.registration.entry.epoch)
    }

    /// Hands what a person has already to another place of theirs.
    fn pass_on(
        &self,
        device: &DeviceId,
        session: SessionId,
        owner: &Principal,
    ) -> Option<TakeoverId> {
        let mut held = lock(&self.0);
        let is_it = |it: &&mut Takeover| it.owner == *owner && it.session == session;
        let takeover = held.get_mut(device).filter(is_it)?;
        takeover.id = Uuid::new_v4();
        Some(takeover.id)
    }
}

fn lock(held: &HeldPhones) -> MutexGuard<'_, HashMap<DeviceId, Takeover>> {
    // No code that holds this lock can panic half way through a change.
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a takeover when nobody has kept it up for long enough.
async fn end_in_time(held: Weak<HeldPhones>, device: DeviceId, epoch: u64) {
    loop {
        let until = {
            let Some(held) = held.upgrade() else { return };
            let mut held = lock(&held);
            let is_it = |it: &&Takeover| it.registration.entry.epoch == epoch;
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
    /// Takes a phone over for a person, before those that wait for it. A `session` at work there is paused, and what
    /// the person does belongs to it; otherwise to the returned one, which begins with the first act. It lasts
    /// until it is ended, a task of that session goes on, or nobody has kept it up for [`TAKEOVER_LASTS`]. Taken over
    /// again by the same person, what they had of it before is over.
    pub async fn take_over(
        &self,
        device: &DeviceId,
        session: Option<SessionId>,
        principal: &Principal,
    ) -> Result<(SessionId, TakeoverId), AgentError> {
        let taken = match session {
            Some(id) => self.take_over_from(device, id, principal).await,
            None => self.take_over_free(device, principal).await,
        };
        match taken {
            Err(err) => Err(self.redact_for(err, principal).await),
            taken => taken,
        }
    }

    async fn take_over_from(
        &self,
        device: &DeviceId,
        id: SessionId,
        principal: &Principal,
    ) -> Result<(SessionId, TakeoverId), AgentError> {
        let names = self.device_names(device).await;
        let summary = self.session_summary(id, principal).await?;
        ensure_same_device(id, &summary.device.device_id, Some(&names))?;
        let takeover = self.hold(device, id, principal).await?;
        // The phone is the person's before the run gives it back.
        match self.stop(id, StopReason::UserPaused, principal).await {
            Ok(_) => Ok((id, takeover)),
            Err(err) => {
                self.takeovers.end_of(id);
                Err(err)
            }
        }
    }

    async fn take_over_free(
        &self,
        device: &DeviceId,
        principal: &Principal,
    ) -> Result<(SessionId, TakeoverId), AgentError> {
        let names = self.device_names(device).await;
        let device = self.device(&names.id).await?;
        let held = self.takeovers.session_on(device.id(), principal);
        let own = held.or_else(|| self.direct_sessions.of(device.id(), principal));
        let session = own.unwrap_or_else(SessionId::new);
        Ok((session, self.hold(device.id(), session, principal).await?))
    }

    async fn hold(
        &self,
        device: &DeviceId,
        session: SessionId,
        principal: &Principal,
    ) -> Result<TakeoverId, AgentError> {
        let names = self.device_names(device).await;
        if let Some(id) = self.takeovers.pass_on(&names.id, session, principal)
            && self.keep_takeover(&names.id, id, principal).await.is_ok()
        {
            self.runs.tell_change();
            return Ok(id);
        }
        // What the same person has of this phone for another session.
        self.takeovers.remove_if(|it| {
            it.owner == *principal && it.registration.entry.wants_any_of(&self.shared_names(&names))
        });
        let registered =
            self.register_run(&names, session, principal, RunPurpose::of(RunKind::Takeover));
        let Some((registration, _)) = registered.await? else {
            return Err(AgentError::DeviceInHand { device: names.id });
        };
        let (id, owner) = (Uuid::new_v4(), principal.clone());
        let until = Instant::now() + TAKEOVER_LASTS;
        self.takeovers.begin(&names.id, Takeover { id, session, owner, until, registration });
        self.runs.tell_change();
        Ok(id)
    }

    /// Keeps a takeover up; an error when it is over.
    pub async fn keep_takeover(
        &self,
        device: &DeviceId,
        id: TakeoverId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let device = self.device_names(device).await.id;
        if let Some(epoch) = self.takeovers.renew(&device, id, principal) {
            let runs = self.deps.coordinator.runs().await?;
            if runs.iter().any(|it| it.epoch == epoch) {
                return Ok(());
            }
            self.takeovers.remove_if(|it| it.registration.entry.epoch == epoch);
        }
        Err(AgentError::NotInHand { device })
    }

    /// Whether a person has taken a session's phone over, through whichever server.
    pub(super) async fn is_in_hand(&self, id: SessionId) -> Result<bool, AgentError> {
        let runs = self.deps.coordinator.runs().await?;
        Ok(runs.iter().any(|it| it.session == id && it.kind == RunKind::Takeover))
    }

    /// Which takeover of this phone is in force, if the person has it through this server.
    pub fn takeover(&self, device: &DeviceId, principal: &Principal) -> Option<TakeoverId> {
        let held = lock(&self.takeovers.0);
        held.get(device).filter(|it| it.owner == *principal).map(|it| it.id)
    }

    /// Gives a phone back that a person has taken over, to whoever waits for it. A takeover that is over is no error.
    pub async fn end_takeover(&self, device: &DeviceId, id: TakeoverId, principal: &Principal) {
        let device = self.device_names(device).await.id;
        let ended = {
            let mut held = lock(&self.takeovers.0);
            let is_it = |it: &Takeover| it.owner == *principal && it.id == id;
            if held.get(&device).is_some_and(is_it) { held.remove(&device) } else { None }
        };
        if ended.is_some() {
            drop(ended);
            self.runs.tell_change();
        }
    }
}
