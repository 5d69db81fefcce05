//! Taking secrets out of a text, of several sets of them at once.
use std::borrow::Cow;
use std::ops::Range;

use super::known_secrets::{KnownSecrets, Secret};
use super::spelling::{SHORTEST, cut_off, is_in_pieces, standing_alone};
use crate::unseen::is_unseen;

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
        found.extend(broken_in(text, known).filter(|(_, secret)| meant(secret)));
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
    places_of(text, sets, |_| true)
}

/// Where those of these secrets that are meant stand in a text, in bytes.
pub(super) fn places_of(
    text: &str,
    sets: &[&KnownSecrets],
    meant: impl Fn(&Secret) -> bool,
) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for known in sets {
        let Some((finder, owners)) = &known.finder else { continue };
        let owner = |pattern: usize| &known.secrets[owners[pattern]];
        let found = finder.find_iter(text).map(|it| (it.range(), owner(it.pattern().as_usize())));
        let found = found.chain(broken_in(text, known)).filter(|(_, secret)| meant(secret));
        places.extend(found.map(|(range, _)| range));
    }
    places
}

/// Where secrets stand in a text with what nobody sees between their letters, as pages have it to break long words, or
/// with a hyphen of another kind.
fn broken_in<'a>(
    text: &str,
    known: &'a KnownSecrets,
) -> impl Iterator<Item = (Range<usize>, &'a Secret)> {
    let unbroken = Unbroken::of(text);
    let mut found = Vec::new();
    if let (Some(unbroken), Some((finder, owners))) = (unbroken, &known.finder) {
        let matches = finder.find_iter(&unbroken.text).filter_map(|it| {
            let range = unbroken.place(it.start())..unbroken.place(it.end() - 1) + 1;
            // The last letter may be longer than a byte.
            let range = range.start..text.ceil_char_boundary(range.end);
            let is_long = SHORTEST_BROKEN <= unbroken.text[it.range()].chars().count();
            is_long.then(|| (range, &known.secrets[owners[it.pattern().as_usize()]]))
        });
        found.extend(matches);
    }
    found.into_iter()
}

/// Fewer letters on two lines may be two numbers.
const SHORTEST_BROKEN: usize = 6;

/// A text without what nobody sees in it, and with plain hyphens.
struct Unbroken {
    text: String,
    /// From where in it on its places are those of the whole text, moved by how much.
    moved: Vec<(usize, usize)>,
}

impl Unbroken {
    /// `None` where that is the text itself.
    fn of(whole: &str) -> Option<Self> {
        let is_break = |c: char| {
            is_unseen(c) || matches!(c, '\n' | '\r' | '\t' | '\u{ad}' | '\u{200c}' | '\u{200d}')
        };
        let is_hyphen = |c: char| matches!(c, '\u{2010}'..='\u{2013}');
        let first = whole.find(|c| is_break(c) || is_hyphen(c))?;
        let (mut text, mut moved) = (String::with_capacity(whole.len()), vec![(0, 0)]);
        text.push_str(&whole[..first]);
        for (at, c) in whole[first..].char_indices() {
            if is_break(c) || is_hyphen(c) {
                if is_hyphen(c) {
                    text.push('-');
                }
                moved.push((text.len(), first + at + c.len_utf8() - text.len()));
            } else {
                text.push(c);
            }
        }
        Some(Self { text, moved })
    }

    /// Where in the whole text a byte of this one stands.
    fn place(&self, at: usize) -> usize {
        let behind = self.moved.partition_point(|(from, _)| *from <= at);
        at + self.moved[behind.saturating_sub(1)].1
    }
}

#[cfg(test)]
mod tests {
    use crate::privacy::{KeepText, SecretStore};
    use crate::secret_text::SecretKind;

    #[test]
    fn a_secret_is_found_with_what_nobody_sees_between_its_letters() {
        let store = SecretStore::new(KeepText::Redacted);
        store.add_all(&[(SecretKind::Password, "Zebra-Quärtz-77x"), (SecretKind::Code, "1234")]);
        for broken in [
            "Zebra-\u{200b}Quärtz-77x",
            "Zebra-Qu\u{ad}ärtz-77x",
            "Zebra\u{2011}Quärtz\u{2011}77x",
            "Zebra-\n\nQuärtz-77x",
            "\u{202d}Zebra-Qu\u{200e}ärtz-77x\u{202c}",
            "\u{feff}Z\u{200b}e\u{200b}b\u{200b}r\u{200b}a-Quär\u{2060}tz-77\u{200d}x",
        ] {
            for text in [broken.to_owned(), format!("é pw {broken}, é")] {
                let clean = store.redact(&text).into_owned();
                assert!(clean.contains("[secret password"), "{text:?}: {clean:?}");
                assert!(!clean.contains("77") && !clean.contains("Zeb"), "{text:?}: {clean:?}");
                assert_eq!(clean.ends_with(", é"), text.ends_with(", é"), "{clean:?}");
            }
        }
        assert_eq!(store.redact("12\n34"), "12\n34", "two numbers");
        let plain = "nothing\u{200b} in it\n";
        assert_eq!(store.redact(plain), plain);
    }
}
