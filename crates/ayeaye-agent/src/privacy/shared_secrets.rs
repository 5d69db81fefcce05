//! Secrets that are hidden in every session of whoever has them: those that the person at this machine keeps by
//! a name, and those that were given in any session of this process.
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::digits::is_same;
use super::known_secrets::{KnownSecrets, Origin, Secret};
use super::placeholder::PlaceholderKey;
use super::spelling::SHORTEST;
use crate::named_secret::mention;
use crate::secret_text::SecretKind;
use crate::{NamedSecret, NamedSecretError, NamedSecrets, NoNamedSecrets, Principal};

/// Most owners whose given secrets are known at a time.
const MOST_OWNERS: usize = 64;
/// Most secrets kept by a name that are looked for everywhere: more would slow down whatever is written.
const MOST_NAMED: usize = 1024;
/// Most apps that are remembered for one secret.
const MOST_APPS: usize = 16;

/// The secrets that all sessions hide.
pub(super) struct SharedSecrets {
    kept: Arc<dyn NamedSecrets>,
    key: PlaceholderKey,
    named: RwLock<KeptByName>,
    given: RwLock<VecDeque<GivenSecrets>>,
    /// Why those kept by a name could not be read last: it is told once.
    failure: Mutex<Option<NamedSecretError>>,
}

#[derive(Default)]
struct KeptByName {
    all: Arc<BTreeMap<String, NamedSecret>>,
    known: KnownSecrets,
}

/// What was given in the sessions of one owner.
struct GivenSecrets {
    owner: Principal,
    known: KnownSecrets,
    /// Each app in which one of them was typed, so that it may show it.
    apps: VecDeque<String>,
}

impl Default for SharedSecrets {
    fn default() -> Self {
        Self::new(Arc::new(NoNamedSecrets))
    }
}

impl SharedSecrets {
    /// None is given yet; those with names are found there.
    pub(super) fn new(kept: Arc<dyn NamedSecrets>) -> Self {
        let shared = Self {
            kept,
            key: PlaceholderKey::new(),
            named: RwLock::default(),
            given: RwLock::default(),
            failure: Mutex::default(),
        };
        shared.refresh();
        shared
    }

    /// The secret of this name.
    pub(super) fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        self.kept.find(name)
    }

    /// Learns what is kept by a name now. If that cannot be told, what was known before stays hidden.
    pub(super) fn refresh(&self) {
        let all = self.kept.all();
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let all = match all {
            Ok(all) => {
                *failure = None;
                all
            }
            Err(err) => {
                if failure.as_ref() != Some(&err) {
                    tracing::warn!("{err}; until then what is new or changed there is not known");
                    *failure = Some(err);
                }
                return;
            }
        };
        drop(failure);
        if Arc::ptr_eq(&all, &self.named().all) || all == self.named().all {
            return;
        }
        let mut known = KnownSecrets::default();
        let long = all.iter().filter(|(_, it)| SHORTEST <= it.value.chars().count());
        if MOST_NAMED < all.len() {
            tracing::warn!("only {MOST_NAMED} of {} kept secrets are hidden everywhere", all.len());
        }
        known.secrets.extend(long.take(MOST_NAMED).map(|(name, NamedSecret { value, places })| {
            Secret {
                value: value.clone(),
                placeholder: mention(name),
                provisional: false,
                named: Some(places.clone()),
                may_be_typed: false,
                given_as: None,
                origin: Origin::User,
            }
        }));
        known.index();
        *self.named.write().unwrap_or_else(PoisonError::into_inner) = KeptByName { all, known };
    }

    /// Fails where what is kept by a name cannot be read, and none of it is known from before: nothing of it could be
    /// hidden.
    pub(super) fn check_known(&self) -> Result<(), NamedSecretError> {
        self.refresh();
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            Some(err) if self.named().all.is_empty() => Err(err.clone()),
            _ => Ok(()),
        }
    }

    /// From now on these are hidden in every session of this owner.
    pub(super) fn give(&self, owner: &Principal, secrets: Vec<(SecretKind, String)>) {
        let mut all = self.given.write().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|it| it.owner == *owner).unwrap_or_else(|| {
            if all.len() == MOST_OWNERS {
                all.pop_front();
            }
            let (known, apps) = Default::default();
            all.push_back(GivenSecrets { owner: owner.clone(), known, apps });
            all.len() - 1
        });
        let known = &mut all[at].known;
        let before = known.learned;
        for (kind, value) in secrets {
            let is_known = known.secrets.iter().any(|it| is_same(&it.value, &value));
            if is_known || value.chars().count() < SHORTEST {
                continue;
            }
            known.learn(Secret {
                placeholder: self.key.placeholder(kind, &value),
                value,
                provisional: false,
                named: None,
                may_be_typed: true,
                given_as: Some(kind),
                origin: Origin::User,
            });
        }
        if before != known.learned {
            known.index();
        }
    }

    /// A text was typed in this app. If one of the owner's given secrets is in it, the app may show it from now on.
    pub(super) fn note_typed(&self, owner: &Principal, text: &str, package: &str) {
        let holds = |it: &&GivenSecrets| {
            it.owner == *owner && it.known.secrets.iter().any(|one| text.contains(&one.value))
        };
        if !self.given().iter().any(|it| holds(&it)) {
            return;
        }
        let mut all = self.given.write().unwrap_or_else(PoisonError::into_inner);
        let Some(its) = all.iter_mut().find(|it| it.owner == *owner) else { return };
        if its.apps.iter().any(|it| it == package) {
            return;
        }
        if its.apps.len() == MOST_APPS {
            its.apps.pop_front();
        }
        its.apps.push_back(package.to_owned());
    }

    /// Whether a given secret of this owner was typed in one of these apps.
    pub(super) fn was_typed_in(&self, owner: &Principal, package: &str) -> bool {
        self.given().iter().any(|it| it.owner == *owner && it.apps.iter().any(|app| app == package))
    }

    /// Looks at what is hidden in the sessions of this owner: what has a name, and what was given. Whoever is not the
    /// person at this machine would learn from a name in place of a text that they have found a secret.
    pub(super) fn read<T>(
        &self,
        owner: Option<&Principal>,
        look: impl FnOnce(&KnownSecrets, &KnownSecrets) -> T,
    ) -> T {
        let none = KnownSecrets::default();
        let (named, given) = (self.named(), self.given());
        let named = match owner {
            Some(owner) if owner.has_named_secrets() => &named.known,
            _ => &none,
        };
        let given = given.iter().find(|it| Some(&it.owner) == owner);
        look(named, given.map_or(&none, |it| &it.known))
    }

    /// Looks at all of them, whoever has given them.
    pub(super) fn read_all<T>(&self, look: impl FnOnce(&KnownSecrets, &[&KnownSecrets]) -> T) -> T {
        let (named, given) = (self.named(), self.given());
        let given: Vec<_> = given.iter().map(|it| &it.known).collect();
        look(&named.known, &given)
    }

    fn named(&self) -> RwLockReadGuard<'_, KeptByName> {
        self.named.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn given(&self) -> RwLockReadGuard<'_, VecDeque<GivenSecrets>> {
        self.given.read().unwrap_or_else(PoisonError::into_inner)
    }
}
