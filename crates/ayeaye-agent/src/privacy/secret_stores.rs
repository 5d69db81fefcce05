//! The secrets of all sessions that this process has driven.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::KeepText;
use super::secret_store::SecretStore;
use super::server_keys::ServerKeys;
use crate::named_secret::mentioned;
use crate::{NamedSecretError, NamedSecrets, Principal, SessionId};

/// Most sessions whose secrets are known at a time.
const MOST_SESSIONS: usize = 256;

/// The secrets of the sessions this process has driven. They outlive a run, since the next one may
/// show them again, and end with the process.
pub(crate) struct SecretStores {
    sessions: Mutex<VecDeque<(SessionId, Arc<SecretStore>)>>,
    server_keys: Arc<ServerKeys>,
    named: Arc<dyn NamedSecrets>,
}

impl SecretStores {
    /// None yet; the user's named secrets are found there.
    pub(crate) fn new(named: Arc<dyn NamedSecrets>) -> Self {
        Self { sessions: Mutex::default(), server_keys: Arc::default(), named }
    }

    /// Fails unless every secret that a user's text names can be had in a session of this owner. They are those of the
    /// person at this machine: in sessions of others there is none of any name.
    pub(crate) fn check_named(
        &self,
        text: &str,
        owner: &Principal,
    ) -> Result<(), NamedSecretError> {
        let is_own = owner.has_named_secrets();
        for name in mentioned(text) {
            if !is_own || self.named.find(name)?.is_none() {
                return Err(NamedSecretError::Unknown(name.to_owned()));
            }
        }
        Ok(())
    }

    /// Hides these keys and tokens of the server, in every session.
    pub(crate) fn hide_keys<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        self.server_keys.add(keys);
    }

    /// The secrets of a session.
    pub(crate) fn of(&self, id: SessionId, level: KeepText) -> Arc<SecretStore> {
        let mut all = self.lock();
        if let Some(at) = all.iter().position(|(known, _)| *known == id) {
            let entry = all.remove(at).expect("it was found there");
            let secrets = entry.1.clone();
            all.push_back(entry);
            return secrets;
        }
        if all.len() == MOST_SESSIONS {
            all.pop_front();
        }
        let secrets =
            Arc::new(SecretStore::of(id, level, self.server_keys.clone(), self.named.clone()));
        all.push_back((id, secrets.clone()));
        secrets
    }

    /// A text that may hold secrets of any session.
    pub(crate) fn redact(&self, text: &str) -> String {
        let all: Vec<Arc<SecretStore>> = self.lock().iter().map(|(_, it)| it.clone()).collect();
        let mut clean = self.server_keys.redact(text).into_owned();
        for secrets in all.iter().filter(|secrets| !secrets.has_none()) {
            clean = secrets.redact(&clean).into_owned();
        }
        clean
    }

    /// Whether a session of this process was to type a named secret of the user's.
    pub(crate) fn has_named(&self) -> bool {
        self.lock().iter().any(|(_, secrets)| secrets.has_named_for(|_| true))
    }

    /// The same for one that may be typed in this app.
    pub(crate) fn has_named_of(&self, package: &str) -> bool {
        let is_here = |app: &str| app == package;
        self.lock().iter().any(|(_, secrets)| secrets.has_named_for(is_here))
    }

    /// Where secrets of any session stand in a text, in bytes.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.lock().iter().flat_map(|(_, secrets)| secrets.places(text)).collect()
    }

    /// A text without the user's named secrets that a session of this process was to type.
    pub(crate) fn hide_named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let all: Vec<Arc<SecretStore>> = self.lock().iter().map(|(_, it)| it.clone()).collect();
        let mut clean = Cow::Borrowed(text);
        for secrets in all.iter().filter(|secrets| !secrets.has_none()) {
            if let Cow::Owned(hidden) = secrets.hide_named(&clean) {
                clean = Cow::Owned(hidden);
            }
        }
        clean
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionId, Arc<SecretStore>)>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
