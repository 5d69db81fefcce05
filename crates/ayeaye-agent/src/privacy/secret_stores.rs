//! The secrets of all sessions that this process has driven.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::KeepText;
use super::hide::{hide, places_in, places_of};
use super::known_secrets::KnownSecrets;
use super::secret_store::{SecretStore, has_named_in};
use super::server_keys::ServerKeys;
use super::shared_secrets::SharedSecrets;
use crate::named_secret::mentioned;
use crate::{NamedSecretError, NamedSecrets, Principal, SessionId};

/// Most sessions whose secrets are known at a time.
const MOST_SESSIONS: usize = 256;

/// The secrets of the sessions this process has driven. They outlive a run, since the next one may
/// show them again, and end with the process.
pub(crate) struct SecretStores {
    sessions: Mutex<VecDeque<(SessionId, Arc<SecretStore>)>>,
    server_keys: Arc<ServerKeys>,
    shared: Arc<SharedSecrets>,
}

impl SecretStores {
    /// None yet; the user's named secrets are found there.
    pub(crate) fn new(named: Arc<dyn NamedSecrets>) -> Self {
        let shared = Arc::new(SharedSecrets::new(named));
        Self { sessions: Mutex::default(), server_keys: Arc::default(), shared }
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
            if !is_own || self.shared.find(name)?.is_none() {
                return Err(NamedSecretError::Unknown(name.to_owned()));
            }
        }
        Ok(())
    }

    /// Fails where the secrets that this owner has kept by a name could not be hidden, since they cannot be read.
    pub(crate) fn check_hidden(&self, owner: &Principal) -> Result<(), NamedSecretError> {
        if owner.has_named_secrets() { self.shared.check_known() } else { Ok(()) }
    }

    /// Hides these keys and tokens of the server, in every session.
    pub(crate) fn hide_keys<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        self.server_keys.add(keys);
    }

    /// The secrets of a session.
    pub(crate) fn of(&self, id: SessionId, level: KeepText) -> Arc<SecretStore> {
        self.shared.refresh();
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
            Arc::new(SecretStore::of(id, level, self.server_keys.clone(), self.shared.clone()));
        all.push_back((id, secrets.clone()));
        secrets
    }

    /// A text that may hold secrets of any session.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = self.server_keys.redact(text);
        self.read(|sets| hide(&text, sets, |_| true).into_owned())
    }

    /// Whether the user keeps secrets by a name, or a session of this process has one.
    pub(crate) fn has_named(&self) -> bool {
        let has_named = |known: &&KnownSecrets| known.secrets.iter().any(|it| it.named.is_some());
        self.read(|sets| sets.iter().any(has_named))
    }

    /// Whether there is a secret with a name that may be typed in this app.
    pub(crate) fn has_named_of(&self, package: &str) -> bool {
        self.read(|sets| sets.iter().any(|known| has_named_in(known, package)))
    }

    /// Where secrets of any session stand in a text, in bytes.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.read(|sets| places_in(text, sets))
    }

    /// Where the user's named secrets stand in a text, in bytes.
    pub(crate) fn places_of_named(&self, text: &str) -> Vec<Range<usize>> {
        self.read(|sets| places_of(text, sets, |it| it.named.is_some()))
    }

    /// A text without the user's named secrets.
    pub(crate) fn hide_named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.read(|sets| hide(text, sets, |it| it.named.is_some()))
    }

    /// Looks at all secrets: those with a name, those of each session, and what was given in sessions that are
    /// forgotten.
    fn read<T>(&self, look: impl FnOnce(&[&KnownSecrets]) -> T) -> T {
        self.shared.refresh();
        let all: Vec<Arc<SecretStore>> = self.lock().iter().map(|(_, it)| it.clone()).collect();
        let own: Vec<_> = all.iter().map(|it| it.own()).collect();
        self.shared.read_all(|named, given| {
            let mut sets = vec![named];
            // Of a session that has none, what only may be one is none either.
            let has_any = |it: &KnownSecrets| it.secrets.iter().any(|secret| !secret.provisional);
            own.iter().filter(|it| has_any(it)).for_each(|it| sets.push(it));
            sets.extend(given);
            look(&sets)
        })
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionId, Arc<SecretStore>)>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
