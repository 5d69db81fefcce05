//! Which texts are secrets of a session, and how they are found in whatever form they are written.
use std::collections::VecDeque;

use aho_corasick::{AhoCorasick, MatchKind};

use super::spelling::spellings;
use crate::named_secret::SecretPlaces;

/// Most secrets of one session that its user has told; the oldest is forgotten, and stays redacted where it was
/// written.
const MOST_OF_USER: usize = 256;
/// Most that are known from what models wrote and typed.
const MOST_OF_MODELS: usize = 64;

/// Who has told a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The session's user, or whoever acts for them.
    User,
    /// A model.
    Model,
}

pub(super) struct Secret {
    pub(super) value: String,
    pub(super) placeholder: String,
    /// Only until it is known whether it is one.
    pub(super) provisional: bool,
    /// Where it may be typed, of a secret that the user has named: no model is told it.
    pub(super) named: Option<SecretPlaces>,
    pub(super) origin: Origin,
}

#[derive(Default)]
pub(super) struct KnownSecrets {
    pub(super) secrets: VecDeque<Secret>,
    /// How many there have been.
    pub(super) learned: u64,
    /// Finds every way a secret is written; which secret, by the pattern's number.
    pub(super) finder: Option<(AhoCorasick, Vec<usize>)>,
}

impl KnownSecrets {
    /// Knows one more; where it is one too many of its kind, the oldest is forgotten, and one that the user has named
    /// last of all. [`index`](Self::index) has it found.
    pub(super) fn learn(&mut self, secret: Secret) {
        let origin = secret.origin;
        let most = match origin {
            Origin::User => MOST_OF_USER,
            Origin::Model => MOST_OF_MODELS,
        };
        let of_its_kind = |it: &Secret| it.origin == origin;
        if most <= self.secrets.iter().filter(|it| of_its_kind(it)).count() {
            let unnamed = |it: &Secret| of_its_kind(it) && it.named.is_none();
            let oldest = self.secrets.iter().position(unnamed);
            let oldest = oldest.or_else(|| self.secrets.iter().position(of_its_kind));
            oldest.map(|at| self.secrets.remove(at));
        }
        self.secrets.push_back(secret);
        self.learned += 1;
    }

    /// Called when the secrets have changed.
    pub(super) fn index(&mut self) {
        let mut patterns = Vec::new();
        let mut owners = Vec::new();
        for (owner, secret) in self.secrets.iter().enumerate() {
            for spelling in spellings(&secret.value) {
                patterns.push(spelling);
                owners.push(owner);
            }
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns);
        // It can fail only for sizes that the bounds above keep far away.
        self.finder = finder.ok().map(|finder| (finder, owners));
    }
}
