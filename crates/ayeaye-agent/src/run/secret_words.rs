//! What the user's words say of a secret in them: "Sign in to N26 with the password …" gives it to one app.
use super::Run;
use super::gate::contains_value;
use crate::gate::{is_given_for, is_page_of, normalized};
use crate::privacy::placeholders;
use crate::{Elements, Gesture};

/// The user's words in the same sentences as the secrets of a typed text.
#[derive(Debug, Default)]
pub(super) struct BesideSecrets {
    /// The apps named there, if none of them is the one in front, and the site, if the page is none of it.
    pub(super) others: Vec<String>,
    pub(super) sentences: Vec<String>,
}

impl Run {
    /// The user's words beside the secrets of a typed text.
    pub(super) fn words_beside_secrets(
        &self,
        gesture: &Gesture,
        label: Option<&str>,
        package: &str,
        elements: Option<&Elements>,
    ) -> BesideSecrets {
        let Gesture::Type { text, .. } = gesture else { return BesideSecrets::default() };
        let acts = &self.session().acts;
        let secrets = self.recorder.secrets();
        let answered = |it: &String| acts.secrets.iter().any(|(known, _)| known == it);
        let mut found = self.secrets_typed(text);
        found.retain(|it| secrets.places_of_named(it).is_none() && !answered(it));
        if found.is_empty() {
            return BesideSecrets::default();
        }
        let host = elements.and_then(|it| it.page_host(package)).unwrap_or_default();
        let is_page = !host.is_empty() || elements.is_some_and(|it| it.is_without_host(package));
        let installed = self.device.known_apps();
        let mut installed: Vec<String> =
            installed.into_iter().filter_map(|app| app.label).collect();
        installed.dedup();
        let mut beside = BesideSecrets::default();
        for found in &found {
            let value = secrets.restore(found);
            let sentences = acts.words.iter().rev().flat_map(|it| sentences_of(it));
            let mut holding = sentences.filter(|it| {
                it.contains(found.as_str()) || contains_value(&secrets.restore(it), &value)
            });
            let Some(sentence) = holding.next() else { continue };
            let named = apps_named(sentence, &installed);
            // Nor is an app without a name the one that is named: the gate asks about it.
            let is_here = label.is_some_and(|it| named.contains(&it.trim()))
                || named.iter().any(|it| is_page_of(it, &host));
            if !is_here {
                beside.others.extend(named.into_iter().map(str::to_owned));
            }
            // What is given for an app may go to its pages; the page of a browser may be anybody's.
            let said = |it: &str| secrets.restore(it).replace(value.as_ref(), " ");
            let words: Vec<String> = acts.words.iter().map(|it| said(it)).collect();
            if is_page
                && let Err(site) =
                    is_given_for(&said(sentence), words.iter().map(String::as_str), &host)
            {
                beside.others.push(site.unwrap_or_else(|| "no site by name".to_owned()));
            }
            beside.sentences.push(sentence.to_owned());
        }
        beside
    }
}

impl Run {
    /// What stands for the secrets in a typed text: those that are hidden in records, and those of the user's words and
    /// answers also where the text has only a part of one, or writes it in another way.
    pub(super) fn secrets_typed(&self, text: &str) -> Vec<String> {
        let acts = &self.session().acts;
        let secrets = self.recorder.secrets();
        let mut found = placeholders(&self.recorder.redact(text));
        let said = acts.words.iter().flat_map(|it| placeholders(it));
        let answered = acts.secrets.iter().flat_map(|(it, _)| placeholders(it));
        let mut known: Vec<String> = said.chain(answered).collect();
        known.sort_unstable();
        known.dedup();
        known.retain(|it| !found.contains(it) && secrets.places_of_named(it).is_none());
        if known.is_empty() {
            return found;
        }
        let typed = typed_parts(text);
        let words: Vec<String> = acts.words.iter().map(|it| letters_of(it)).collect();
        // What the user says beside a secret too is none, such as the Berlin of a route; nor is a year in a password.
        let is_secret = |part: &String, value: &str| {
            let is_number = part.bytes().all(|it| it.is_ascii_digit());
            value.contains(part.as_str())
                && (!is_number || value.len() <= 2 * part.len())
                && !words.iter().any(|it| it.contains(part.as_str()))
        };
        let mut whole = letters_of(text);
        whole.truncate(whole.floor_char_boundary(LONGEST_TYPED));
        found.extend(known.into_iter().filter(|placeholder| {
            let value = letters_of(&secrets.restore(placeholder));
            SHORTEST_PART <= value.chars().count()
                && (whole.contains(&value) || typed.iter().any(|part| is_secret(part, &value)))
        }));
        found
    }
}

/// Fewer letters of a secret may be anything.
const SHORTEST_PART: usize = 4;
/// Most words of a typed text that are looked at on their own, and most bytes of it.
const MOST_WORDS: usize = 64;
const LONGEST_TYPED: usize = 65_536;

/// The letters and digits of a text, as texts are compared: in small letters of usual width, without what nobody sees.
fn letters_of(text: &str) -> String {
    normalized(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A typed text and its words, as far as they may be parts of a secret.
fn typed_parts(text: &str) -> Vec<String> {
    let words = text.split_whitespace().take(MOST_WORDS);
    let mut parts: Vec<String> = std::iter::once(text).chain(words).map(letters_of).collect();
    parts.retain(|it| SHORTEST_PART <= it.chars().count());
    parts
}

/// The sentences of a text. A mark in a word, as in an address or a password, ends none.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        while let Some((at, c)) = letters.next() {
            let next = letters.peek().map(|(_, c)| *c);
            let ends = matches!(c, '\n' | '。' | '！' | '？')
                || matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace);
            if ends {
                let (sentence, after) = rest.split_at(at + c.len_utf8());
                rest = after;
                return Some(sentence);
            }
        }
        let last = std::mem::take(&mut rest);
        (!last.is_empty()).then_some(last)
    })
}

/// The apps of a phone that a sentence names as they are written: "Messages" is one, and "messages" are none.
fn apps_named<'a>(sentence: &str, installed: &'a [String]) -> Vec<&'a str> {
    let is_whole = |at: usize, name: &str| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + name.len()..].chars().next();
        let is_spaced = name.is_ascii();
        !is_spaced
            || before.is_none_or(|c| !c.is_alphanumeric())
                && after.is_none_or(|c| !c.is_alphanumeric())
    };
    let is_named = |name: &&str| {
        2 <= name.chars().count() && sentence.match_indices(name).any(|(at, _)| is_whole(at, name))
    };
    installed.iter().map(|it| it.trim()).filter(|it| is_named(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_apps_as_they_are_written() {
        let text =
            "Tell Viktor in WhatsApp I am late. Then sign in to N26 as anna@x.de with Hunter2!x";
        let sentences: Vec<&str> = sentences_of(text).collect();
        assert_eq!(sentences.len(), 2, "{sentences:?}");
        let installed = ["WhatsApp", "N26", "Phone", "微信"].map(str::to_owned);
        assert_eq!(apps_named(sentences[0], &installed), ["WhatsApp"]);
        assert_eq!(apps_named(sentences[1], &installed), ["N26"]);
        assert_eq!(apps_named("connect the phone to the WhatsApps", &installed), [""; 0]);
        assert_eq!(apps_named("打开微信登录", &installed), ["微信"]);
    }
}
