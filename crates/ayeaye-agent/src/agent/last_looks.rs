//! Which phone a client has looked at last: what it aims its next act at is on that one. An address of the network, and the
//! name of an emulator, may lead to another one by then.
use std::sync::{Mutex, PoisonError};

use super::recent_map::RecentMap;
use super::{Agent, AgentError};
use crate::{DeviceId, DeviceNames, Principal};

/// The number of clients' looks at phones that are remembered.
const MAX_LOOKS: usize = 256;

/// What the phone that was looked at is known by, for each client at each phone.
#[derive(Debug, Default)]
pub(super) struct LastLooks(Mutex<RecentMap<(DeviceId, Principal), String, MAX_LOOKS>>);

impl LastLooks {
    fn keep(&self, phone: &DeviceNames, principal: &Principal) {
        let key = (phone.id.clone(), principal.clone());
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &phone.identity {
            Some(identity) => looks.put(key, identity.clone()),
            None => drop(looks.take(&key)),
        }
    }

    /// Called when a task of the client begins, which shows it the phone in its own way.
    pub(super) fn forget(&self, device: &DeviceId, principal: &Principal) {
        let key = (device.clone(), principal.clone());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(&key);
    }

    /// Fails where a phone is surely another than the one that the client has looked at last, until it looks again.
    pub(super) fn ensure_same(
        &self,
        phone: &DeviceNames,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let key = (phone.id.clone(), principal.clone());
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (looks.get_mut(&key), &phone.identity) {
            (Some(seen), Some(now)) if seen != now => {
                Err(AgentError::OtherPhoneThanSeen { device: phone.id.clone() })
            }
            _ => Ok(()),
        }
    }
}

impl Agent {
    /// To be called when a client was shown the screen of a phone, with the names that it had right before.
    pub fn was_shown(&self, phone: &DeviceNames, principal: &Principal) {
        self.last_looks.keep(phone, principal);
    }
}
