//! Taking secrets out of a text, of several sets of them at once.
use std::borrow::Cow;
use std::ops::Range;

use super::known_secrets::{KnownSecrets, Secret};
use super::spelling::{SHORTEST, cut_off, is_in_pieces, standing_alone};

/// The text without those of these secrets that are meant. Where two are found at one place, the longer is told; of
/// the same length, that of the earlier set.
pub(super) fn hide<'a>(
    text: &'a str,
    sets: &[&KnownSecrets],
    meant: impl Fn(&Secret) -> bool,
) -> Cow<'a, str> {
    let all = || sets.iter().flat_map(|known| &known.secrets).filter(|it| meant(it));
    // A short secret is hidden where it is all there is.
    if let Some(whole) = all().find(|secret| secret.value == text.trim()) {
        return Cow::Owned(whole.placeholder.clone());
    }
    let mut found: Vec<(Range<usize>, &Secret)> = Vec::new();
    for known in sets {
        let Some((finder, owners)) = &known.finder else { continue };
        let matches = finder.find_iter(text);
        let matches =
            matches.map(|it| (it.range(), &known.secrets[owners[it.pattern().as_usize()]]));
        found.extend(matches.filter(|(_, secret)| meant(secret)));
    }
    let mut clean = Cow::Borrowed(text);
    if !found.is_empty() {
        clean = Cow::Owned(replaced(text, found));
    }
    for Secret { value, placeholder, .. } in all() {
        if value.chars().count() < SHORTEST
            && let Some(without) = standing_alone(&clean, value, placeholder)
        {
            clean = Cow::Owned(without);
        }
    }
    for known in sets {
        for (value, owner) in &known.may_be_cut {
            let secret = &known.secrets[*owner];
            if meant(secret)
                && let Some(without) = cut_off(&clean, value, &secret.placeholder)
            {
                clean = Cow::Owned(without);
            }
        }
    }
    clean
}

/// The text with a placeholder at each of these places, once for the pieces of one secret that follow each other. Of
/// places that overlap nothing is left.
fn replaced(text: &str, mut found: Vec<(Range<usize>, &Secret)>) -> String {
    // It is stable: of the same length the earlier set is the first.
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    let mut before: Option<&Secret> = None;
    for (range, secret) in found {
        let goes_on = from == range.start
            && is_in_pieces(&secret.value)
            && before.is_some_and(|it| std::ptr::eq(it, secret));
        if from <= range.start && !goes_on {
            clean.push_str(&text[from..range.start]);
            clean.push_str(&secret.placeholder);
        }
        if from < range.end {
            (from, before) = (range.end, Some(secret));
        }
    }
    clean.push_str(&text[from..]);
    clean
}

/// Where secrets of four characters and more stand in a text, in bytes.
pub(super) fn places_in(text: &str, sets: &[&KnownSecrets]) -> Vec<Range<usize>> {
    let finders = sets.iter().filter_map(|known| known.finder.as_ref());
    finders.flat_map(|(finder, _)| finder.find_iter(text)).map(|it| it.range()).collect()
}
