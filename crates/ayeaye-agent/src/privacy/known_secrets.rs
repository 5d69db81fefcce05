//! Which texts are secrets of a session, and how they are found in whatever form they are written.
use std::collections::{HashMap, VecDeque};

use aho_corasick::{AhoCorasick, MatchKind};

use super::digits::{bare_digits, usual_ways};
use super::spelling::{SHORTEST, pieces, restyled, spellings};
use crate::named_secret::SecretPlaces;
use crate::secret_text::SecretKind;

/// Most secrets of one session that its user has told; the oldest is forgotten, and stays redacted where it was
/// written.
const MOST_OF_USER: usize = 256;
/// Most that are known from what models wrote and typed.
const MOST_OF_MODELS: usize = 64;

/// Most pieces of long secrets that are looked for beside the first of each: those that are kept by a name come first, then
/// the user's others, each the newest first. It is room for sixteen of the longest.
const MOST_PIECES: usize = 128;

/// Who has told a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The session's user, or whoever acts for them.
    User,
    /// A model.
    Model,
}

#[derive(Clone)]
pub(super) struct Secret {
    pub(super) value: String,
    pub(super) placeholder: String,
    /// Only until it is known whether it is one.
    pub(super) provisional: bool,
    /// Where it may be typed, of a secret that the user keeps by a name: no model is told it.
    pub(super) named: Option<SecretPlaces>,
    /// It may be typed in this session: of a secret that is kept by a name only where the user's words name it.
    pub(super) may_be_typed: bool,
    /// As what it was given, if it is hidden in every session of its owner.
    pub(super) given_as: Option<SecretKind>,
    pub(super) origin: Origin,
}

#[derive(Default)]
pub(super) struct KnownSecrets {
    pub(super) secrets: VecDeque<Secret>,
    /// How many there have been.
    pub(super) learned: u64,
    /// Finds every way a secret is written; which secret, by the pattern's number.
    pub(super) finder: Option<(AhoCorasick, Vec<usize>)>,
    /// What is found also where it was cut off, and which secret it is.
    pub(super) may_be_cut: Vec<(String, usize)>,
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

    /// How secrets stand in what was written when only a part of each was known, and whose text that is.
    fn beside_placeholders(&self) -> Vec<(String, usize)> {
        /// A longer text that holds others is a document.
        const LONGEST: usize = 512;
        let mut all = Vec::new();
        for (owner, whole) in self.secrets.iter().enumerate() {
            let parts = self.secrets.iter().filter(|it| {
                SHORTEST <= it.value.chars().count()
                    && it.value.len() < whole.value.len()
                    && whole.value.len() <= LONGEST
                    && it.named.is_none()
            });
            let held = parts.filter(|it| whole.value.contains(&it.value));
            all.extend(held.map(|it| (whole.value.replace(&it.value, &it.placeholder), owner)));
        }
        all
    }

    /// Called when the secrets have changed.
    pub(super) fn index(&mut self) {
        if self.secrets.is_empty() {
            (self.finder, self.may_be_cut) = Default::default();
            return;
        }
        let mut in_pieces: Vec<(usize, String)> = Vec::new();
        let mut spare = MOST_PIECES;
        let mut by_weight: Vec<_> = self.secrets.iter().enumerate().rev().collect();
        // What models type must not take the room of what the user keeps.
        by_weight.sort_by_key(|(_, it)| (it.named.is_none(), it.origin));
        for (owner, Secret { value, .. }) in by_weight {
            let mut pieces = pieces(value);
            // Of a document that somebody has marked the beginning has to do.
            pieces.truncate(1 + spare);
            spare -= pieces.len().saturating_sub(1);
            in_pieces.extend(pieces.into_iter().map(|piece| (owner, piece)));
        }
        in_pieces.sort_by_key(|(owner, _)| *owner);
        // What is another way to write one secret may be another secret as it is.
        let mut found: HashMap<String, usize> = HashMap::new();
        for (owner, piece) in &in_pieces {
            found.entry(piece.clone()).or_insert(*owner);
        }
        for (owner, piece) in &in_pieces {
            for spelling in spellings(piece) {
                found.entry(spelling).or_insert(*owner);
            }
        }
        for (text, owner) in self.beside_placeholders() {
            found.entry(text).or_insert(owner);
        }
        for (owner, secret) in self.secrets.iter().enumerate().filter(|(_, it)| it.named.is_some())
        {
            for spelling in restyled(&secret.value) {
                found.entry(spelling).or_insert(owner);
            }
        }
        let mut may_be_cut: Vec<(String, usize)> = Vec::new();
        for (owner, piece) in &in_pieces {
            let numbers = bare_digits(piece).map(|it| usual_ways(&it)).unwrap_or_default();
            let others = numbers.into_iter().filter(|it| it != piece);
            may_be_cut.extend(std::iter::once(piece.clone()).chain(others).map(|it| (it, *owner)));
        }
        let (patterns, owners): (Vec<String>, Vec<usize>) = found.into_iter().unzip();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns);
        // It can fail only for sizes that the bounds above keep far away.
        self.finder = finder.ok().map(|finder| (finder, owners));
        self.may_be_cut = may_be_cut;
    }
}
