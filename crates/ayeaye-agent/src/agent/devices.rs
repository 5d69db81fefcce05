//! The phones there are, and who drives them.
use std::sync::{Arc, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, WeakShared};

use super::Agent;
use crate::deps::AgentDeps;
use crate::{Device, DeviceEntry, DeviceError, DeviceId, Principal, SessionId};

/// Who drives a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceHolder {
    /// It is free.
    Free,
    /// This session, which is the principal's.
    Session(SessionId),
    /// A session that is none of the principal's business.
    Other,
}

/// A listing that all who ask at the same time wait for.
pub(super) type Listing = WeakShared<BoxFuture<'static, Result<Vec<DeviceEntry>, DeviceError>>>;

/// Asks every source. One that is in trouble is an error only when no other has anything to show.
async fn list(deps: &AgentDeps) -> Result<Vec<DeviceEntry>, DeviceError> {
    let lists = deps.sources.iter().map(|source| source.list());
    let mut entries = Vec::new();
    let mut trouble = None;
    for list in futures::future::join_all(lists).await {
        match list {
            Ok(list) => entries.extend(list),
            Err(err) => trouble = Some(err),
        }
    }
    match trouble {
        Some(err) if entries.is_empty() => Err(err),
        _ => Ok(entries),
    }
}

impl Agent {
    /// Every phone of every source, with who drives it. A source that is in trouble is an error only
    /// when no other has anything to show.
    pub async fn devices(
        &self,
        principal: &Principal,
    ) -> Result<Vec<(DeviceEntry, DeviceHolder)>, DeviceError> {
        let entries = self.entries().await?;
        let mut devices = Vec::with_capacity(entries.len());
        for entry in entries {
            let driver = self.device_holder(&entry.id, principal).await;
            devices.push((entry, driver));
        }
        Ok(devices)
    }

    /// Every phone there is. Calls at the same time share one listing: a crowd of clients asks the
    /// phones no oftener than one does.
    async fn entries(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let listing = {
            let mut under_way = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
            let joined = under_way.as_ref().and_then(WeakShared::upgrade);
            joined.filter(|listing| listing.peek().is_none()).unwrap_or_else(|| {
                let deps = self.deps.clone();
                let listing = async move { list(&deps).await }.boxed().shared();
                *under_way = listing.downgrade();
                listing
            })
        };
        listing.await
    }

    /// Who drives a phone, as far as the principal may know.
    pub async fn device_holder(&self, device: &DeviceId, principal: &Principal) -> DeviceHolder {
        let session = match self.runs.device_holder(device) {
            Some(session) => Some(session),
            None if self.deps.in_process_devices.contains(device) => None,
            // A list is not refused because a lock cannot be read.
            None => self.deps.journal.lease_holder(device).await.unwrap_or_default(),
        };
        match session {
            None => DeviceHolder::Free,
            Some(session) if self.is_visible_to(session, principal).await => {
                DeviceHolder::Session(session)
            }
            Some(_) => DeviceHolder::Other,
        }
    }

    /// A phone that is ready. The last source's complaint is the one that is told.
    pub async fn device(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let mut trouble = DeviceError::NotFound(id.clone());
        for source in &self.deps.sources {
            match source.open(id).await {
                Ok(device) => return Ok(device),
                Err(DeviceError::NotFound(_)) => {}
                Err(err) => trouble = err,
            }
        }
        Err(trouble)
    }
}
