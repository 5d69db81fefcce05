//! Listing and opening phones.
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, WeakShared};
use tokio::time::Instant;

use super::follower::END_WAIT;
use super::{Agent, AgentError};
use crate::coordinator::{CoordinatorError, News, RunEntry, RunKind};
use crate::deps::AgentDeps;
use crate::journal::PrivateScreens;
use crate::{
    Device, DeviceEntry, DeviceError, DeviceId, DeviceNames, NearbyPhone, Principal, SessionId,
    error_chain,
};

/// Who holds a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceHolder {
    /// Nobody.
    Free,
    /// This session, owned by the principal who asked.
    Session(SessionId),
    /// A person who has it in hand, and whom the principal who asked may know of.
    Person,
    /// A session of another principal, or a person of whom the principal may not know.
    Other,
}

/// A listing shared by all concurrent callers.
pub(super) type Listing = WeakShared<BoxFuture<'static, Result<Vec<DeviceEntry>, DeviceError>>>;

/// Lists every source. An error counts only when no source lists anything, and is then the first one's; any other is
/// `told`, once as long as it stays the same.
async fn list(
    deps: &AgentDeps,
    told: &Mutex<Vec<String>>,
) -> Result<Vec<DeviceEntry>, DeviceError> {
    let lists = deps.sources.iter().map(|source| source.list());
    let mut entries = Vec::new();
    let mut troubles = Vec::new();
    for list in futures::future::join_all(lists).await {
        match list {
            Ok(list) => entries.extend(list),
            Err(err) => troubles.push(err),
        }
    }
    let failed = (entries.is_empty() && !troubles.is_empty()).then(|| troubles.remove(0));
    let others: Vec<_> = troubles.iter().map(|err| error_chain(err)).collect();
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    for trouble in others.iter().filter(|it| !told.contains(it)) {
        tracing::warn!("phones that are not listed: {trouble}");
    }
    *told = others;
    failed.map_or(Ok(entries), Err)
}

impl Agent {
    /// The app in front of which nothing is shown to anybody, if that is one; empty when the phone does not
    /// say what is in front. `None` costs nothing where no app is private.
    pub async fn private_app_in_front(&self, id: &DeviceId) -> Result<Option<String>, AgentError> {
        let policy = &self.deps.policy;
        if policy.private_apps.is_empty() {
            return Ok(None);
        }
        let state = self.device(id).await?.state().await?;
        let front = state.foreground.map(|it| it.package).unwrap_or_default();
        Ok((front.is_empty() || policy.is_private(&front)).then_some(front))
    }

    /// Whether nothing of this app is shown to anybody.
    pub fn is_private_app(&self, package: &str) -> bool {
        self.deps.policy.is_private(package)
    }

    /// Takes the screens of private apps out of the events of a session: nothing of them is shown to a client, also if
    /// they were recorded before the app was private.
    pub fn private_screens(&self) -> PrivateScreens {
        PrivateScreens::new(self.deps.policy.clone())
    }

    /// Every phone with its holder. A failing source is an error only when no source lists anything.
    pub async fn devices(
        &self,
        principal: &Principal,
    ) -> Result<Vec<(DeviceEntry, DeviceHolder)>, DeviceError> {
        let entries = self.entries().await?;
        let names: Vec<_> = entries.iter().map(DeviceEntry::names).collect();
        let holders = self.holders(&names, principal).await;
        Ok(entries.into_iter().zip(holders).collect())
    }

    /// Phones that announce themselves on the network and are not among these.
    pub async fn nearby(&self, listed: &[DeviceNames]) -> Vec<NearbyPhone> {
        let mut nearby = Vec::new();
        for source in &self.deps.sources {
            nearby.extend(source.nearby(listed).await);
        }
        nearby
    }

    /// Every phone. Concurrent calls share one listing, so many clients cost no more than one.
    async fn entries(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let listing = {
            let mut under_way = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
            let joined = under_way.as_ref().and_then(WeakShared::upgrade);
            joined.filter(|listing| listing.peek().is_none()).unwrap_or_else(|| {
                let (deps, told) = (self.deps.clone(), self.listing_trouble.clone());
                let listing = async move { list(&deps, &told).await }.boxed().shared();
                *under_way = listing.downgrade();
                listing
            })
        };
        listing.await
    }

    /// The holder of a phone, as far as the principal may know.
    pub async fn device_holder(&self, device: &DeviceId, principal: &Principal) -> DeviceHolder {
        let names = self.device_names(device).await;
        let holders = self.holders(slice::from_ref(&names), principal).await;
        holders.first().copied().unwrap_or(DeviceHolder::Free)
    }

    /// Waits until an act on this phone would be carried out at once, as far as somebody else has a say in that; fails
    /// where it would be refused. An act that this server carries out is waited for to its end, those of others for
    /// half a minute.
    pub async fn until_act_is_free(
        &self,
        device: &DeviceId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let names = self.device_names(device).await;
        let mut news = News::of_all(&*self.deps.coordinator);
        let mut deadline = Instant::now() + END_WAIT;
        loop {
            let mut theirs = None;
            for run in self.registered_holders(&names).await? {
                let (device, session) = (device.clone(), None);
                match run.kind {
                    RunKind::InHand => return Err(AgentError::DeviceInHand { device }),
                    RunKind::Task if !self.is_visible_to(run.session, principal).await => {
                        return Err(AgentError::DeviceBusy { device, session });
                    }
                    RunKind::Act if !principal.owns(&run.owner) => theirs = Some(run),
                    RunKind::Task | RunKind::Act => {}
                }
            }
            let Some(act) = theirs else { return Ok(()) };
            if self.runs.device_holder(&names) == Some(act.session) {
                deadline = Instant::now() + END_WAIT;
            } else if deadline <= Instant::now() {
                // It is not told whose session that is.
                let (device, session) = (device.clone(), None);
                return Err(AgentError::DeviceBusy { device, session });
            }
            news.next().await;
        }
    }

    /// The holder of each phone. The table of all runs is read once, and only where that is not known here.
    async fn holders(&self, phones: &[DeviceNames], principal: &Principal) -> Vec<DeviceHolder> {
        let here: Vec<_> = phones.iter().map(|names| self.runs.device_holder(names)).collect();
        let mut runs = Vec::new();
        if here.contains(&None) {
            // After the look at those here: what has ended since is not told as somebody's.
            runs = self.deps.coordinator.runs().await.unwrap_or_else(|err| {
                // That must not fail the whole list.
                tracing::warn!("who drives a phone: {}", error_chain(&err));
                Vec::new()
            });
        }
        let mut holders = Vec::with_capacity(phones.len());
        for (names, here) in phones.iter().zip(here) {
            holders.push(self.holder(names, here, &runs, principal).await);
        }
        holders
    }

    async fn holder(
        &self,
        names: &DeviceNames,
        here: Option<SessionId>,
        runs: &[RunEntry],
        principal: &Principal,
    ) -> DeviceHolder {
        let names = self.shared_names(names);
        // A person who has it in hand counts where none of their acts does.
        let has_it = runs.iter().filter(|run| run.has_any_of(&names));
        let session = match here {
            Some(session) => session,
            None => match has_it.min_by_key(|run| run.kind == RunKind::InHand) {
                None => return DeviceHolder::Free,
                Some(run) if run.kind == RunKind::InHand => {
                    let may_know = principal.owns(&run.owner);
                    return if may_know { DeviceHolder::Person } else { DeviceHolder::Other };
                }
                Some(run) => run.session,
            },
        };
        if self.is_visible_to(session, principal).await {
            DeviceHolder::Session(session)
        } else {
            DeviceHolder::Other
        }
    }

    /// Whether a person has a phone in hand, at whichever server.
    pub(super) async fn is_phone_in_hand(
        &self,
        names: &DeviceNames,
    ) -> Result<bool, CoordinatorError> {
        let holders = self.registered_holders(names).await?;
        Ok(holders.iter().any(|run| run.kind == RunKind::InHand))
    }

    /// All runs that have a phone, of any server: besides a person's hold their acts.
    async fn registered_holders(
        &self,
        names: &DeviceNames,
    ) -> Result<Vec<RunEntry>, CoordinatorError> {
        let names = self.shared_names(names);
        let mut runs = self.deps.coordinator.runs().await?;
        runs.retain(|run| run.has_any_of(&names));
        Ok(runs)
    }

    /// What the phone that a serial means is known by until its next boot: not by what the serial is, which may be another
    /// phone's later. One that does not tell is known by its model and its serial number; `None` where it does not tell
    /// that either.
    pub async fn phone_identity(&self, id: &DeviceId) -> Option<String> {
        if let Some(identity) = self.device_names(id).await.identity {
            return Some(identity);
        }
        let info = self.device(id).await.ok()?.info().await.ok()?;
        Some(format!("{} {}", info.model, info.serial_number?))
    }

    /// All names of the phone that a serial means now.
    pub async fn device_names(&self, id: &DeviceId) -> DeviceNames {
        for source in &self.deps.sources {
            if let Some(names) = source.names(id).await {
                return names;
            }
        }
        DeviceNames::only(id.clone())
    }

    /// Opens a phone; the error is that of the first source that does not say that it has no such phone.
    pub async fn device(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let mut trouble = None;
        for source in &self.deps.sources {
            match source.open(id).await {
                Ok(device) => return Ok(device),
                Err(DeviceError::NotFound(_)) => {}
                Err(err) if trouble.is_none() => trouble = Some(err),
                Err(err) => tracing::warn!("{}", error_chain(&err)),
            }
        }
        Err(trouble.unwrap_or_else(|| DeviceError::NotFound(id.clone())))
    }
}
