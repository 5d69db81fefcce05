//! The secrets of a session: known to this process, and to nothing that is written.
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest as _, Sha256};

use super::KeepText;
use super::digits::is_same;
use super::known_secrets::{KnownSecrets, Origin, Secret};
use super::server_keys::ServerKeys;
use super::spelling::{SHORTEST, cut_off, standing_alone};
use crate::named_secret::{SecretPlaces, mention, mentioned, names_secret};
use crate::secret_text::{OPENING, SecretKind, placeholder_length, secret_parts};
use crate::{NamedSecret, NamedSecrets, NoNamedSecrets, SessionId};

/// Most parts of one answer that are taken for secrets: a text with more is a document, and must not
/// push out what was learned before.
const MOST_PARTS: usize = 16;

/// The secrets of one session.
pub(crate) struct SecretStore {
    level: KeepText,
    /// Makes the tags of this session's placeholders; nobody can try texts against them.
    key: [u8; 32],
    server_keys: Arc<ServerKeys>,
    named: Arc<dyn NamedSecrets>,
    /// Whose secrets these are.
    session: String,
    known: RwLock<KnownSecrets>,
}

impl SecretStore {
    pub(crate) fn new(level: KeepText) -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self {
            level,
            key,
            server_keys: Arc::default(),
            named: Arc::new(NoNamedSecrets),
            session: String::new(),
            known: RwLock::default(),
        }
    }

    /// The same, which hides the server's own keys besides, and knows the secrets that the user names.
    pub(super) fn of(
        id: SessionId,
        level: KeepText,
        server_keys: Arc<ServerKeys>,
        named: Arc<dyn NamedSecrets>,
    ) -> Self {
        Self { server_keys, named, session: id.to_string(), ..Self::new(level) }
    }

    /// Learns the secrets that a user's text names: [`restore`](Self::restore) knows them from now on. Those
    /// that there are not stay as they are written.
    pub(crate) fn learn_named(&self, text: &str) {
        for name in mentioned(text).take(MOST_PARTS) {
            match self.named.find(name) {
                Ok(Some(secret)) => self.add_named(name, secret),
                Ok(None) => {}
                Err(err) => tracing::warn!("{err}"),
            }
        }
    }

    fn add_named(&self, name: &str, NamedSecret { value, places }: NamedSecret) {
        let placeholder = mention(name);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // It may have been changed meanwhile; what it was before is still one.
        known.secrets.retain(|it| it.placeholder != placeholder || it.value != value);
        for before in known.secrets.iter_mut().filter(|it| it.placeholder == placeholder) {
            before.placeholder = self.placeholder(SecretKind::Marked, &before.value);
            before.named = None;
        }
        // A text that is a secret for two reasons is told to nobody.
        known.secrets.retain(|it| !is_same(&it.value, &value));
        known.learn(Secret {
            value,
            placeholder,
            provisional: false,
            named: Some(places),
            origin: Origin::User,
        });
        known.index();
    }

    /// Whether there is a named secret of the user's that may be typed in one of these apps.
    pub(crate) fn has_named_for(&self, is_here: impl Fn(&str) -> bool) -> bool {
        self.read(|known| {
            let mut places = known.secrets.iter().filter_map(|it| it.named.as_ref());
            places.any(|it| it.apps.iter().any(|app| is_here(app)))
        })
    }

    /// Where a secret of the user's may be typed, by how it is named in a text; `None` if it is not known.
    pub(crate) fn places_of_named(&self, mention: &str) -> Option<SecretPlaces> {
        self.read(|known| {
            known
                .secrets
                .iter()
                .find(|it| it.placeholder == mention)
                .and_then(|it| it.named.clone())
        })
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

    /// From now on these are secrets, in whatever is written: of a user's text.
    pub(crate) fn add_all(&self, found: &[(SecretKind, &str)]) {
        self.add_each(found.iter().copied(), false, Origin::User);
    }

    /// The same of what a model wrote or typed. However much it is, it pushes out nothing of the user's.
    pub(crate) fn add_of_model(&self, found: &[(SecretKind, &str)]) {
        self.add_each(found.iter().copied(), false, Origin::Model);
    }

    /// The same of an answer that is a secret, or that has one in it.
    pub(crate) fn add_answer(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        let all = [answer].into_iter().chain(likely(&parts));
        self.add_each(all.map(|it| (kind, it)), false, Origin::User);
    }

    /// What looks like a secret in an answer that may be none: numbers, and words that are not plain.
    pub(crate) fn add_likely_parts(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        self.add_each(likely(&parts).map(|it| (kind, it)), false, Origin::User);
    }

    /// A text that may be a secret: one, until it is [taken back](Self::take_back).
    pub(crate) fn add_provisional(&self, value: &str) {
        self.add_each([(SecretKind::Password, value)], true, Origin::Model);
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
        provisional: bool,
        origin: Origin,
    ) {
        if self.level == KeepText::Full {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.learned;
        for (kind, value) in values {
            let value = value.trim();
            // One that the user names is told to no model, in whatever groups its digits are.
            let is_known = |it: &&mut Secret| {
                it.value == value || it.named.is_some() && is_same(&it.value, value)
            };
            if let Some(secret) = known.secrets.iter_mut().find(is_known) {
                secret.provisional &= provisional;
                secret.origin = secret.origin.min(origin);
                continue;
            }
            if value.is_empty() || is_placeholder(value) {
                continue;
            }
            let placeholder = self.placeholder(kind, value);
            let value = value.to_owned();
            known.learn(Secret { value, placeholder, provisional, named: None, origin });
        }
        if before != known.learned {
            known.index();
        }
    }

    /// Whether nothing is known to be a secret of the session. The server's own keys are none of it, nor
    /// what only may be one.
    pub(crate) fn has_none(&self) -> bool {
        self.read(|known| known.secrets.iter().all(|secret| secret.provisional))
    }

    /// Whether there is nothing to hide in what is written.
    pub(crate) fn hides_nothing(&self) -> bool {
        self.server_keys.are_none() && self.read(|known| known.secrets.is_empty())
    }

    /// The text without its secrets, and without the server's own keys.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.server_keys.redact(text) {
            Cow::Borrowed(text) => self.redact_session(text),
            Cow::Owned(text) => Cow::Owned(self.redact_session(&text).into_owned()),
        }
    }

    fn redact_session<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redact_those(text, |_| true)
    }

    /// The text without those of its secrets that are meant.
    fn redact_those<'a>(&self, text: &'a str, meant: impl Fn(&Secret) -> bool) -> Cow<'a, str> {
        self.read(|known| {
            // A short secret is hidden where it is all there is.
            let mut meant_ones = known.secrets.iter().filter(|secret| meant(secret));
            let whole = meant_ones.find(|secret| secret.value == text.trim());
            if let Some(secret) = whole {
                return Cow::Owned(secret.placeholder.clone());
            }
            let mut clean = Cow::Borrowed(text);
            if let Some((finder, owners)) = &known.finder
                && finder.is_match(text)
            {
                let mut found_out = String::with_capacity(text.len());
                finder.replace_all_with(text, &mut found_out, |found, _, clean| {
                    let secret = &known.secrets[owners[found.pattern().as_usize()]];
                    let is_meant = meant(secret);
                    clean.push_str(if is_meant {
                        &secret.placeholder
                    } else {
                        &text[found.range()]
                    });
                    true
                });
                clean = Cow::Owned(found_out);
            }
            for Secret { value, placeholder, .. } in known.secrets.iter().filter(|it| meant(it)) {
                if value.chars().count() < SHORTEST
                    && let Some(without) = standing_alone(&clean, value, placeholder)
                {
                    clean = Cow::Owned(without);
                }
            }
            for (value, owner) in &known.may_be_cut {
                let secret = &known.secrets[*owner];
                let placeholder = &secret.placeholder;
                if meant(secret)
                    && let Some(without) = cut_off(&clean, value, placeholder)
                {
                    clean = Cow::Owned(without);
                }
            }
            clean
        })
    }

    /// Whether a text has a secret in it.
    pub(crate) fn contains_secret(&self, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_))
    }

    /// Where the session's secrets of four characters and more stand in a text, in bytes.
    pub(crate) fn places(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.read(|known| {
            let finder = known.finder.iter();
            finder.flat_map(|(finder, _)| finder.find_iter(text)).map(|it| it.range()).collect()
        })
    }

    /// The text with its secrets again, but for those that the user keeps by a name: for the model. Those
    /// are named also where something else has put them in.
    pub(crate) fn restore_for_model<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let has_named = self.read(|known| known.secrets.iter().any(|it| it.named.is_some()));
        if !has_named {
            return self.restore(text);
        }
        let hidden = match self.redact_session(text) {
            Cow::Borrowed(_) if !text.contains(OPENING) => return Cow::Borrowed(text),
            hidden => hidden,
        };
        self.read(|known| {
            let told = known.secrets.iter().filter(|it| it.named.is_none());
            let clear = told.fold(hidden.into_owned(), |text, secret| {
                text.replace(&secret.placeholder, &secret.value)
            });
            Cow::Owned(clear)
        })
    }

    /// The text with the user's named secrets as they are named, and everything else as it stands.
    pub(crate) fn hide_named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redact_those(text, |secret| secret.named.is_some())
    }

    /// The text with its secrets again: only for the phone.
    pub(crate) fn restore<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains(OPENING) && !names_secret(text) {
            return Cow::Borrowed(text);
        }
        self.read(|known| {
            let mut clear = Cow::Borrowed(text);
            for secret in &known.secrets {
                if clear.contains(&secret.placeholder) {
                    clear = Cow::Owned(clear.replace(&secret.placeholder, &secret.value));
                }
            }
            clear
        })
    }

    fn placeholder(&self, kind: SecretKind, value: &str) -> String {
        let kind = match kind {
            SecretKind::Password => "password",
            SecretKind::Code => "code",
            SecretKind::Card => "card",
            SecretKind::Identity => "identity",
            SecretKind::Marked => "reply",
        };
        let length = match value.chars().count() {
            0..4 => "1-3",
            4..8 => "4-7",
            8..16 => "8-15",
            _ => "16+",
        };
        let digest = Sha256::new().chain_update(self.key).chain_update(value).finalize();
        let tag = digest.iter().take(4).fold(0_u32, |tag, byte| tag << 8 | u32::from(*byte));
        format!("{OPENING}{kind} {length} #{tag:08x}]")
    }

    fn read<T>(&self, look: impl FnOnce(&KnownSecrets) -> T) -> T {
        look(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The placeholders in a text, and the secrets that it names.
pub(crate) fn placeholders(text: &str) -> Vec<String> {
    let tagged = text.match_indices(OPENING).filter_map(|(at, _)| {
        let length = placeholder_length(&text[at..])?;
        Some(text[at..at + length].to_owned())
    });
    tagged.chain(mentioned(text).map(mention)).collect()
}

/// Whether a text from a record holds a placeholder of a secret that only its own session knows: not one that
/// the user has kept under a name.
pub fn holds_placeholder(text: &str) -> bool {
    placeholders(text).iter().any(|it| !names_secret(it))
}

/// Whether a text holds a placeholder.
fn is_placeholder(text: &str) -> bool {
    names_secret(text)
        || text.match_indices(OPENING).any(|(at, _)| placeholder_length(&text[at..]).is_some())
}

/// The parts of an answer that are taken for secrets, the longest first.
fn likely(parts: &[String]) -> impl Iterator<Item = &str> {
    let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.into_iter().take(MOST_PARTS)
}

impl fmt::Debug for SecretStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.read(|known| known.secrets.len());
        write!(f, "SecretStore({count} secrets)")
    }
}
