//! The keys and tokens of this server: no session's secrets, and yet in nothing that is written.
use std::borrow::Cow;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use aho_corasick::{AhoCorasick, MatchKind};

use super::spelling::{pieces, spellings};

/// Characters of the shortest key that is hidden. A shorter text is none, but a word in its place (`none`, `x`), and
/// would be found everywhere.
pub const SHORTEST_KEY: usize = 8;
/// What stands in place of one. It is no placeholder: nothing becomes the key again.
const HIDDEN: &str = "[key]";

/// Finds the server's own keys in texts.
#[derive(Debug, Default)]
pub(crate) struct ServerKeys(RwLock<KnownKeys>);

#[derive(Debug, Default)]
struct KnownKeys {
    spellings: Vec<String>,
    finder: Option<AhoCorasick>,
}

impl ServerKeys {
    pub(crate) fn add<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        let long = |key: &&str| SHORTEST_KEY <= key.chars().count();
        let pieces = keys.into_iter().filter(long).flat_map(pieces);
        let new: Vec<String> = pieces.flat_map(|piece| spellings(&piece)).collect();
        if new.is_empty() {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.spellings.extend(new);
        let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).clone();
        // It can fail only for sizes that no settings have.
        known.finder = builder.build(&known.spellings).ok();
    }

    /// The text without them.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.read().finder {
            Some(finder) if finder.is_match(text) => {
                let mut clean = String::with_capacity(text.len());
                finder.replace_all_with(text, &mut clean, |_, _, clean| {
                    clean.push_str(HIDDEN);
                    true
                });
                Cow::Owned(clean)
            }
            _ => Cow::Borrowed(text),
        }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.read().finder.is_none()
    }

    fn read(&self) -> RwLockReadGuard<'_, KnownKeys> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_short_texts_are_none() {
        let keys = ServerKeys::default();
        keys.add(["EMPTY"]);
        assert!(keys.are_none());
        keys.add(["sk-canary-77", "local"]);
        assert_eq!(keys.redact("{\"say\": \"sk-canary-77\"} local"), "{\"say\": \"[key]\"} local");
        assert!(matches!(keys.redact("nothing here"), Cow::Borrowed(_)));
        keys.add(["another-token"]);
        assert_eq!(keys.redact("another-token, sk-canary-77"), "[key], [key]");
    }
}
