//! Where in a user's words stand verbs that reach somebody, and of which languages these are.
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::nouns::is_noun;
use super::{INTENTS, Phrase, intents};
use crate::gate::class::ActClass;
use crate::gate::text::{is_stem, mentions};

/// Finds the verbs that reach somebody.
static REACHING: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(verbs().map(|it| &it.text)).ok());

fn verbs() -> impl Iterator<Item = &'static Phrase<ActClass>> {
    INTENTS.iter().filter(|it| matches!(it.of, ActClass::Send | ActClass::Call))
}

/// Where the verbs stand, and which of them each is.
fn found(text: &str) -> Vec<(usize, usize, usize)> {
    let Some(finder) = REACHING.as_ref() else { return Vec::new() };
    let places = finder.find_overlapping_iter(text);
    let places = places.map(|it| (it.start(), it.end(), it.pattern().as_usize()));
    places.filter(|(at, end, _)| is_stem(text, *at, *end)).collect()
}

/// Where in the user's words stand verbs that reach somebody: that write, tell, send or call.
pub(in crate::gate) fn reaching(text: &str) -> Vec<(usize, usize)> {
    // "WhatsApp'tan" is no verb.
    let is_verb = |at: usize, end: usize| !text[end..].starts_with('\'') && !is_noun(text, at, end);
    let places = found(text).into_iter().map(|(at, end, _)| (at, end));
    places.filter(|(at, end)| is_verb(*at, *end)).collect()
}

/// The languages of the verbs in a text that reach somebody, of those that begin alike the longest's: "napisz" is not
/// "napiš".
pub(in crate::gate) fn languages_in(text: &str) -> Vec<&'static str> {
    let all = found(text);
    let is_longest = |at: usize, end: usize| !all.iter().any(|it| it.0 == at && end < it.1);
    let longest = all.iter().filter(|it| is_longest(it.0, it.1));
    longest.filter_map(|it| verbs().nth(it.2)).map(|it| it.language).collect()
}

/// Whether a title (normalized) is of a page on which something is published.
pub(in crate::gate) fn tells_of_publishing(title: &str) -> bool {
    intents(ActClass::Publish).any(|it| mentions(title, &it.text))
}
