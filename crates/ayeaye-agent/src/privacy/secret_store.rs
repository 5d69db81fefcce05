//! The secrets of a session: known to this process, and to nothing that is written.
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use sha2::{Digest as _, Sha256};

use super::KeepText;
use super::digits::is_same;
use super::dropped_texts::DroppedTexts;
use super::hide::{hide, places_in};
use super::known_secrets::{KnownSecrets, Origin, Secret};
use super::placeholder::{PlaceholderKey, is_placeholder};
use super::server_keys::ServerKeys;
use super::shared_secrets::SharedSecrets;
use crate::named_secret::{SecretPlaces, mention, names_secret};
use crate::secret_text::{OPENING, SecretKind, likely_parts, secret_parts};
use crate::{NamedSecret, Principal, SessionId};

/// Most parts of one answer that are taken for secrets: a text with more is a document, and must not
/// push out what was learned before.
const MOST_PARTS: usize = 16;

/// The secrets of one session, and those of others that are hidden in it too.
pub(crate) struct SecretStore {
    level: KeepText,
    key: PlaceholderKey,
    server_keys: Arc<ServerKeys>,
    shared: Arc<SharedSecrets>,
    /// Whose session it is, once that is known.
    owner: OnceLock<Principal>,
    /// Whose secrets these are.
    session: String,
    known: RwLock<KnownSecrets>,
    dropped: DroppedTexts,
}

/// What is known of secrets that are learned.
#[derive(Clone, Copy)]
struct Learned {
    provisional: bool,
    /// They are hidden in every session of the owner.
    everywhere: bool,
    origin: Origin,
}

/// Secrets that a user has given.
const GIVEN: Learned = Learned { provisional: false, everywhere: true, origin: Origin::User };

impl SecretStore {
    pub(crate) fn new(level: KeepText) -> Self {
        Self {
            level,
            key: PlaceholderKey::new(),
            server_keys: Arc::default(),
            shared: Arc::default(),
            owner: OnceLock::new(),
            session: String::new(),
            known: RwLock::default(),
            dropped: DroppedTexts::default(),
        }
    }

    /// The store of a session, which hides the server's own keys besides and what is shared, and knows the secrets that
    /// the user names.
    pub(super) fn of(
        id: SessionId,
        level: KeepText,
        server_keys: Arc<ServerKeys>,
        shared: Arc<SharedSecrets>,
    ) -> Self {
        Self { server_keys, shared, session: id.to_string(), ..Self::new(level) }
    }

    /// Says whose session it is: what its owner has given in others is hidden in it, and the other way round.
    pub(crate) fn belongs_to(&self, owner: &Principal) {
        if self.owner.set(owner.clone()).is_ok() {
            let given = self.own().secrets.iter().filter_map(given_everywhere).collect();
            self.share(given);
        }
    }

    /// Learns of secrets that are kept by a name since.
    pub(crate) fn refresh(&self) {
        self.shared.refresh();
    }

    /// Learns that the user's words name a secret: [`restore`](Self::restore) knows it from now on. One that there is
    /// not stays as it is written.
    pub(crate) fn learn_named(&self, name: &str) {
        match self.shared.find(name) {
            Ok(Some(secret)) => self.add_named(name, secret),
            Ok(None) => {}
            Err(err) => tracing::warn!("{err}"),
        }
    }

    /// No secret of this name is typed any more; hidden it stays.
    pub(crate) fn forget_typing(&self, name: &str) {
        let placeholder = mention(name);
        self.forbid_typing(|it| it.placeholder == placeholder);
    }

    /// No secret that is kept by a name is typed any more; hidden they stay.
    pub(crate) fn forget_all_typing(&self) {
        self.forbid_typing(|_| true);
    }

    fn forbid_typing(&self, which: impl Fn(&Secret) -> bool) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for secret in known.secrets.iter_mut().filter(|it| it.named.is_some() && which(it)) {
            secret.may_be_typed = false;
        }
    }

    fn add_named(&self, name: &str, NamedSecret { value, places }: NamedSecret) {
        let placeholder = mention(name);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // It may have been changed meanwhile; what it was before is still one.
        known.secrets.retain(|it| it.placeholder != placeholder || it.value != value);
        for before in known.secrets.iter_mut().filter(|it| it.placeholder == placeholder) {
            before.placeholder = self.key.placeholder(SecretKind::Marked, &before.value);
            (before.named, before.may_be_typed) = (None, true);
        }
        // A text that is a secret for two reasons is told to nobody.
        known.secrets.retain(|it| !is_same(&it.value, &value));
        known.learn(Secret {
            value,
            placeholder,
            provisional: false,
            named: Some(places),
            may_be_typed: true,
            given_as: None,
            origin: Origin::User,
        });
        known.index();
    }

    /// Whether this app may show a secret that the user keeps by a name, since it may be typed there.
    pub(crate) fn has_named_in(&self, package: &str) -> bool {
        self.read(|sets| sets.iter().any(|known| has_named_in(known, package)))
    }

    /// Whether a secret of the session may be on any screen, or one of others on those of this app.
    pub(crate) fn may_show_in(&self, package: &str) -> bool {
        let was_typed =
            || self.owner.get().is_some_and(|owner| self.shared.was_typed_in(owner, package));
        !self.has_none()
            || self.has_named_in(package)
            || self.level != KeepText::Full && was_typed()
    }

    /// A text was typed in this app.
    pub(crate) fn note_typed(&self, text: &str, package: &str) {
        if let Some(owner) = self.owner.get() {
            self.shared.note_typed(owner, text, package);
        }
    }

    /// Where a secret of the user's may be typed, by how it is named in a text; `None` if it is not known.
    pub(crate) fn places_of_named(&self, mention: &str) -> Option<SecretPlaces> {
        let known = self.own();
        known.secrets.iter().find(|it| it.placeholder == mention).and_then(|it| it.named.clone())
    }

    /// A text in a form in which this session, also in a later process, knows it again.
    pub(super) fn digest(&self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let digest = Sha256::new().chain_update(&self.session).chain_update(text).finalize();
        let short = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        format!("{short:016x}")
    }

    pub(crate) fn level(&self) -> KeepText {
        self.level
    }

    /// The texts of which only lengths are written.
    pub(super) fn dropped(&self) -> &DroppedTexts {
        &self.dropped
    }

    /// From now on these are secrets, in whatever is written: of a user's text.
    pub(crate) fn add_all(&self, found: &[(SecretKind, &str)]) {
        self.add_each(found.iter().copied(), GIVEN);
    }

    /// From now on these are secrets, of what a model wrote or typed. However much it is, it pushes out nothing of the
    /// user's.
    pub(crate) fn add_of_model(&self, found: &[(SecretKind, &str)]) {
        let by_model = Learned { provisional: false, everywhere: false, origin: Origin::Model };
        self.add_each(found.iter().copied(), by_model);
    }

    /// From now on a text is a secret that was typed into a field which hides it.
    pub(crate) fn add_hidden_input(&self, text: &str) {
        let hidden = Learned { origin: Origin::Model, ..GIVEN };
        self.add_each([(SecretKind::Password, text)], hidden);
    }

    /// From now on an answer is a secret that is one, or that has one in it.
    pub(crate) fn add_answer(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        let all = [answer].into_iter().chain(likely(&parts));
        self.add_each(all.map(|it| (kind, it)), GIVEN);
    }

    /// From now on an answer is a secret in this session that only looks like one, whatever was asked. In other
    /// sessions the same text may be anything else.
    pub(crate) fn add_likely_answer(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        let all = [answer].into_iter().chain(likely(&parts));
        self.add_each(all.map(|it| (kind, it)), Learned { everywhere: false, ..GIVEN });
    }

    /// From now on an answer is a secret to a question that speaks of one and asks for something else: all of it is one
    /// in this session, and what looks like one in every session of the owner.
    pub(crate) fn add_doubtful_answer(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        self.add_each(likely(&parts).map(|it| (kind, it)), GIVEN);
        self.add_each([(kind, answer)], Learned { everywhere: false, ..GIVEN });
    }

    /// What looks like a secret in an answer that may be none: numbers but for those of everyday, and words that are
    /// not plain.
    pub(crate) fn add_likely_parts(&self, kind: SecretKind, answer: &str) {
        let parts = likely_parts(answer);
        let here = Learned { everywhere: false, ..GIVEN };
        self.add_each(likely(&parts).map(|it| (kind, it)), here);
    }

    /// A text that may be a secret: one, until it is [taken back](Self::take_back).
    pub(crate) fn add_provisional(&self, value: &str) {
        let perhaps = Learned { provisional: true, everywhere: false, origin: Origin::Model };
        self.add_each([(SecretKind::Password, value)], perhaps);
    }

    /// This text was no secret after all, unless it is one for another reason.
    pub(crate) fn take_back(&self, value: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.secrets.len();
        known.secrets.retain(|secret| !secret.provisional || secret.value != value.trim());
        if known.secrets.len() < before {
            known.index();
        }
    }

    fn add_each<'a>(
        &self,
        values: impl IntoIterator<Item = (SecretKind, &'a str)>,
        Learned { provisional, everywhere, origin }: Learned,
    ) {
        if self.level == KeepText::Full {
            return;
        }
        let mut given = Vec::new();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.learned;
        for (kind, value) in values {
            let value = value.trim();
            let given_as = everywhere.then_some(kind);
            // One that the user names is told to no model, in whatever groups its digits are.
            let is_known = |it: &&mut Secret| {
                it.value == value || it.named.is_some() && is_same(&it.value, value)
            };
            if let Some(secret) = known.secrets.iter_mut().find(is_known) {
                secret.provisional &= provisional;
                secret.origin = secret.origin.min(origin);
                secret.given_as = secret.given_as.or(given_as).filter(|_| secret.named.is_none());
                given.extend(given_everywhere(secret));
                continue;
            }
            if value.is_empty() || is_placeholder(value) {
                continue;
            }
            let secret = Secret {
                value: value.to_owned(),
                placeholder: self.key.placeholder(kind, value),
                provisional,
                named: None,
                may_be_typed: true,
                given_as,
                origin,
            };
            given.extend(given_everywhere(&secret));
            known.learn(secret);
        }
        if before != known.learned {
            known.index();
        }
        drop(known);
        self.share(given);
    }

    fn share(&self, given: Vec<(SecretKind, String)>) {
        if let Some(owner) = self.owner.get().filter(|_| !given.is_empty()) {
            self.shared.give(owner, given);
        }
    }

    /// Whether nothing is known to be a secret of the session. The server's own keys are none of it, nor
    /// what only may be one, nor those of other sessions.
    pub(crate) fn has_none(&self) -> bool {
        self.own().secrets.iter().all(|secret| secret.provisional)
    }

    /// Whether there is nothing to hide in what is written.
    pub(crate) fn hides_nothing(&self) -> bool {
        self.server_keys.are_none()
            && self.read(|sets| sets.iter().all(|known| known.secrets.is_empty()))
    }

    /// The text without its secrets, and without the server's own keys.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.server_keys.redact(text) {
            Cow::Borrowed(text) => self.redact_secrets(text),
            Cow::Owned(text) => Cow::Owned(self.redact_secrets(&text).into_owned()),
        }
    }

    fn redact_secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.read(|sets| hide(text, &sets, |_| true))
    }

    /// Whether a text has a secret in it.
    pub(crate) fn contains_secret(&self, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_))
    }

    /// Where secrets of four characters and more stand in a text, in bytes.
    pub(crate) fn places(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.read(|sets| places_in(text, &sets))
    }

    /// The text with its secrets again, but for those that the user keeps by a name: for the model. Those
    /// are named also where something else has put them in.
    pub(crate) fn restore_for_model<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let has_named = self
            .read(|sets| sets.iter().flat_map(|known| &known.secrets).any(|it| it.named.is_some()));
        if !has_named {
            return self.restore(text);
        }
        let hidden = match self.redact_secrets(text) {
            Cow::Borrowed(_) if !text.contains(OPENING) => return Cow::Borrowed(text),
            hidden => hidden,
        };
        Cow::Owned(self.put_back(hidden, |it| it.named.is_none()).into_owned())
    }

    /// The text with the user's named secrets as they are named, and everything else as it stands.
    pub(crate) fn hide_named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.read(|sets| hide(text, &sets, |secret| secret.named.is_some()))
    }

    /// The text with its secrets again: only for the phone.
    pub(crate) fn restore<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains(OPENING) && !names_secret(text) {
            return Cow::Borrowed(text);
        }
        self.put_back(Cow::Borrowed(text), |it| it.may_be_typed)
    }

    fn put_back<'a>(&self, text: Cow<'a, str>, meant: impl Fn(&Secret) -> bool) -> Cow<'a, str> {
        self.read(|sets| {
            let all = sets.iter().flat_map(|known| &known.secrets).filter(|it| meant(it));
            all.fold(text, |text, secret| {
                if text.contains(&secret.placeholder) {
                    Cow::Owned(text.replace(&secret.placeholder, &secret.value))
                } else {
                    text
                }
            })
        })
    }

    /// Looks at all that is hidden in this session: what has a name, its own, what was given in others.
    fn read<T>(&self, look: impl FnOnce([&KnownSecrets; 3]) -> T) -> T {
        let own = self.own();
        let nothing = KnownSecrets::default();
        self.shared.read(self.owner.get(), |named, given| {
            // Where every text is kept in full, only what has a name is hidden.
            let given = if self.level == KeepText::Full { &nothing } else { given };
            look([named, &own, given])
        })
    }

    /// Those of the session itself.
    pub(super) fn own(&self) -> RwLockReadGuard<'_, KnownSecrets> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a secret with a name may be typed in this app, so that it may show it.
pub(super) fn has_named_in(known: &KnownSecrets, package: &str) -> bool {
    let mut places = known.secrets.iter().filter_map(|it| it.named.as_ref());
    places.any(|it| it.apps.iter().any(|app| app == package))
}

/// A secret as it is hidden in every session of its owner, if it is.
fn given_everywhere(secret: &Secret) -> Option<(SecretKind, String)> {
    let kind = secret.given_as.filter(|_| !secret.provisional)?;
    Some((kind, secret.value.clone()))
}

/// The parts of an answer that are taken for secrets, the longest first.
fn likely(parts: &[String]) -> impl Iterator<Item = &str> {
    let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.into_iter().take(MOST_PARTS)
}

impl fmt::Debug for SecretStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.own().secrets.len();
        write!(f, "SecretStore({count} secrets)")
    }
}
