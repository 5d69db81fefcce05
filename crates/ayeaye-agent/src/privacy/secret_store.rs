//! The secrets of a session: known to this process, and to nothing that is written.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};
use sha2::{Digest as _, Sha256};

use super::KeepText;
use crate::SessionId;
use crate::secret_text::{SecretKind, secret_parts};

/// Most secrets of one session; the oldest is forgotten, and stays redacted where it was written.
const MOST_SECRETS: usize = 256;
/// Most parts of one answer that are taken for secrets: a text with more is a document, and must not
/// push out what was learned before.
const MOST_PARTS: usize = 16;
/// Shorter ones are not looked for inside other texts: they would be found everywhere.
const SHORTEST: usize = 4;
/// Longer texts are no secrets but documents; only so much of one is looked for.
const LONGEST: usize = 512;
/// Most sessions whose secrets are known at a time.
const MOST_SESSIONS: usize = 256;

/// The secrets of one session.
pub(crate) struct SecretStore {
    level: KeepText,
    /// Makes the tags of this session's placeholders; nobody can try texts against them.
    key: [u8; 32],
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    secrets: VecDeque<Secret>,
    /// How many there have been.
    learned: u64,
    /// Finds every way a secret is written; which secret, by the pattern's number.
    finder: Option<(AhoCorasick, Vec<usize>)>,
}

struct Secret {
    value: String,
    placeholder: String,
}

impl SecretStore {
    pub(crate) fn new(level: KeepText) -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self { level, key, known: RwLock::default() }
    }

    pub(crate) fn level(&self) -> KeepText {
        self.level
    }

    /// From now on this is a secret, in whatever is written.
    pub(crate) fn add(&self, kind: SecretKind, value: &str) {
        self.add_all(kind, [value]);
    }

    /// The same of an answer that is a secret, or that has one in it.
    pub(crate) fn add_answer(&self, kind: SecretKind, answer: &str) {
        let parts = secret_parts(answer);
        self.add_all(kind, [answer].into_iter().chain(likely(&parts)));
    }

    /// What looks like a secret in an answer that may be none: numbers, and words that are not plain.
    pub(crate) fn add_likely_parts(&self, kind: SecretKind, answer: &str) {
        self.add_all(kind, likely(&secret_parts(answer)));
    }

    fn add_all<'a>(&self, kind: SecretKind, values: impl IntoIterator<Item = &'a str>) {
        if self.level == KeepText::Full {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.learned;
        for value in values {
            let value = value.trim();
            let new = !known.secrets.iter().any(|secret| secret.value == value);
            if value.is_empty() || is_placeholder(value) || !new {
                continue;
            }
            if known.secrets.len() == MOST_SECRETS {
                known.secrets.pop_front();
            }
            let placeholder = self.placeholder(kind, value);
            known.secrets.push_back(Secret { value: value.to_owned(), placeholder });
            known.learned += 1;
        }
        if before != known.learned {
            known.index();
        }
    }

    /// Whether there is anything to hide.
    pub(crate) fn has_none(&self) -> bool {
        self.read(|known| known.secrets.is_empty())
    }

    /// The text without its secrets.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.read(|known| {
            // A short secret is hidden where it is all there is.
            let whole = known.secrets.iter().find(|secret| secret.value == text.trim());
            if let Some(secret) = whole {
                return Cow::Owned(secret.placeholder.clone());
            }
            let mut clean = Cow::Borrowed(text);
            if let Some((finder, owners)) = &known.finder
                && finder.is_match(text)
            {
                let mut found_out = String::with_capacity(text.len());
                finder.replace_all_with(text, &mut found_out, |found, _, clean| {
                    let owner = owners[found.pattern().as_usize()];
                    clean.push_str(&known.secrets[owner].placeholder);
                    true
                });
                clean = Cow::Owned(found_out);
            }
            for Secret { value, placeholder } in &known.secrets {
                let without = if value.chars().count() < SHORTEST {
                    standing_alone(&clean, value, placeholder)
                } else {
                    cut_off(&clean, value, placeholder)
                };
                if let Some(without) = without {
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

    /// The text with its secrets again: only for the model and the phone.
    pub(crate) fn restore<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains(OPENING) {
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

    fn read<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How every placeholder begins.
const OPENING: &str = "[secret ";

/// The placeholders in a text.
pub(crate) fn placeholders(text: &str) -> Vec<String> {
    text.match_indices(OPENING)
        .filter_map(|(at, _)| {
            let end = text[at..].find(']')?;
            let found = &text[at..=at + end];
            is_placeholder(found).then(|| found.to_owned())
        })
        .collect()
}

/// Whether a text holds a placeholder that nothing is known for any more.
pub(super) fn is_placeholder(text: &str) -> bool {
    text.split(OPENING).skip(1).any(|rest| {
        rest.split_once(']').is_some_and(|(inside, _)| {
            inside.split_once(" #").is_some_and(|(_, tag)| {
                tag.len() == 8 && tag.bytes().all(|b| b.is_ascii_hexdigit())
            })
        })
    })
}

impl SecretStore {
    /// Whether a text still holds a placeholder after its secrets were restored: one of an earlier
    /// process, which nobody knows any more.
    pub(crate) fn has_unknown_placeholder(restored: &str) -> bool {
        is_placeholder(restored)
    }
}

impl Known {
    fn index(&mut self) {
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

/// The text without a short secret where no letter or digit stands beside it; `None` when it is not
/// there.
fn standing_alone(text: &str, value: &str, placeholder: &str) -> Option<String> {
    let mut clean = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices(value) {
        let end = at + value.len();
        let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if beside(text[..at].chars().next_back()) || beside(text[end..].chars().next()) {
            continue;
        }
        clean.push_str(&text[from..at]);
        clean.push_str(placeholder);
        from = end;
    }
    (0 < from).then(|| clean + &text[from..])
}

/// The parts of an answer that are taken for secrets, the longest first.
fn likely(parts: &[String]) -> impl Iterator<Item = &str> {
    let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.into_iter().take(MOST_PARTS)
}

/// The text without the beginning of a secret that was shortened away: at its end, or before dots.
fn cut_off(text: &str, value: &str, placeholder: &str) -> Option<String> {
    let ends = value.char_indices().map(|(at, _)| at).skip(SHORTEST).take(LONGEST);
    let mut ends: Vec<usize> = ends.collect();
    // Nothing shorter is looked for, so most texts are done with here.
    if !ends.first().is_some_and(|shortest| text.contains(&value[..*shortest])) {
        return None;
    }
    ends.reverse();
    let dots = ["…", "..."].into_iter();
    let places = dots.flat_map(|dots| text.match_indices(dots).map(|(at, _)| at));
    for place in places.chain([text.len()]) {
        for end in &ends {
            let Some(at) = place.checked_sub(*end) else { continue };
            if text.get(at..place) == Some(&value[..*end]) {
                return Some(format!("{}{placeholder}{}", &text[..at], &text[place..]));
            }
        }
    }
    None
}

/// The ways a text is written where it may turn up again: in JSON, XML, a web address, a shell's
/// word, `input text`, and a prompt that allows no line breaks.
fn spellings(value: &str) -> Vec<String> {
    let value: String = value.chars().take(LONGEST).collect();
    if value.chars().count() < SHORTEST {
        return Vec::new();
    }
    let json = serde_json::Value::from(value.as_str()).to_string();
    let in_one_line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = |of: &str| {
        of.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let percent: String = value
        .bytes()
        .map(|byte| match byte {
            b if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => char::from(b).to_string(),
            b => format!("%{b:02X}"),
        })
        .collect();
    let digits = value.len() < 12 && value.bytes().all(|b| b.is_ascii_digit());
    let (front, back) = value.split_at_checked(value.len() / 2).unwrap_or((&value, ""));
    let halves = [" ", "-"].map(|between| format!("{front}{between}{back}"));
    let mut all = vec![
        json[1..json.len() - 1].to_owned(),
        escaped(&value),
        escaped(&value).replace('\'', "&apos;"),
        escaped(&value).replace('\'', "&#39;"),
        percent,
        value.replace(' ', "%s"),
        value.replace('\'', "'\\''"),
        in_one_line.replace('<', "＜"),
        in_one_line,
    ];
    // Codes are read out and written in two groups.
    all.extend(halves.into_iter().filter(|_| digits));
    all.push(value.clone());
    all.retain(|spelling| SHORTEST <= spelling.chars().count());
    all.sort_unstable();
    all.dedup();
    all
}

/// The secrets of the sessions this process has driven. They outlive a run, since the next one may
/// show them again, and end with the process.
#[derive(Default)]
pub(crate) struct SecretStores(Mutex<VecDeque<(SessionId, Arc<SecretStore>)>>);

impl SecretStores {
    /// The secrets of a session.
    pub(crate) fn of(&self, id: SessionId, level: KeepText) -> Arc<SecretStore> {
        let mut all = self.lock();
        if let Some(at) = all.iter().position(|(known, _)| *known == id) {
            let entry = all.remove(at).expect("it was found there");
            let secrets = entry.1.clone();
            all.push_back(entry);
            return secrets;
        }
        if all.len() == MOST_SESSIONS {
            all.pop_front();
        }
        let secrets = Arc::new(SecretStore::new(level));
        all.push_back((id, secrets.clone()));
        secrets
    }

    /// A text that may hold secrets of any session.
    pub(crate) fn redact(&self, text: &str) -> String {
        let all: Vec<Arc<SecretStore>> = self.lock().iter().map(|(_, it)| it.clone()).collect();
        let mut clean = text.to_owned();
        for secrets in all.iter().filter(|secrets| !secrets.has_none()) {
            clean = secrets.redact(&clean).into_owned();
        }
        clean
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionId, Arc<SecretStore>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SecretStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.read(|known| known.secrets.len());
        write!(f, "SecretStore({count} secrets)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn store(secrets: &[&str]) -> SecretStore {
        let store = SecretStore::new(KeepText::Redacted);
        for secret in secrets {
            store.add(SecretKind::Password, secret);
        }
        store
    }

    #[test]
    fn a_secret_is_found_however_it_is_written() {
        let secrets = store(&["p<w'd & \"x\" y"]);
        for text in [
            "typed p<w'd & \"x\" y here",
            r#"{"value":"p<w'd & \"x\" y"}"#,
            r#"text="p&lt;w&apos;d &amp; &quot;x&quot; y""#,
            r#"text="p&lt;w&#39;d &amp; &quot;x&quot; y""#,
            "q=p%3Cw%27d%20%26%20%22x%22%20y",
            "input text 'p<w'\\''d & \"x\" y'",
            "input text p<w'd%s&%s\"x\"%sy",
            "回复：p＜w'd & \"x\" y。",
        ] {
            let clean = secrets.redact(text);
            assert!(clean.contains("[secret password 8-15 #"), "{text}: {clean}");
            assert!(!clean.contains("w'd"), "{clean}");
        }
        assert_eq!(secrets.redact("nothing here"), "nothing here");
    }

    #[test]
    fn the_same_secret_has_the_same_placeholder_in_one_session_only() {
        let (one, other) = (store(&["hunter2!"]), store(&["hunter2!"]));
        assert_eq!(one.redact("hunter2!"), one.redact("hunter2!"));
        assert_ne!(one.redact("hunter2!"), other.redact("hunter2!"));
        assert_eq!(one.restore(&one.redact("say hunter2! now")), "say hunter2! now");
        assert!(SecretStore::has_unknown_placeholder(&other.restore(&one.redact("hunter2!"))));
        assert!(!SecretStore::has_unknown_placeholder("[secret santa] is a game #12345678"));
    }

    #[test]
    fn a_short_secret_is_hidden_where_it_stands_alone() {
        let secrets = store(&["12"]);
        assert!(secrets.redact("12").starts_with("[secret"));
        assert_eq!(secrets.redact("at 112:30"), "at 112:30");
        assert!(secrets.redact("code 12, please").starts_with("code [secret"));
    }

    #[test]
    fn what_is_left_of_a_shortened_secret_is_hidden() {
        let secrets = store(&["Mango-Tree-77 and more"]);
        for text in
            ["value: Mango-Tre…", "say Mango-Tree-77 an... (cut)", "it is Mango-Tree-77 and mor"]
        {
            let clean = secrets.redact(text);
            assert!(!clean.contains("Mango"), "{clean}");
        }
        assert_eq!(secrets.redact("a Man…"), "a Man…");
    }

    #[test]
    fn a_long_answer_pushes_out_nothing() {
        let secrets = store(&["hunter2!"]);
        let items: Vec<String> = (1000..4000).map(|n| format!("item-{n}")).collect();
        let long = items.join(" ");
        for _ in 0..10 {
            secrets.add_answer(SecretKind::Marked, &long);
        }
        assert!(secrets.redact("say hunter2! now").contains("[secret password"));
    }

    #[test]
    fn a_code_in_two_groups_is_the_same_code() {
        let secrets = SecretStore::new(KeepText::Redacted);
        secrets.add_answer(SecretKind::Code, "It is 482-913.");
        for text in ["482913", "482 913", "482-913", "typed 482913 now"] {
            assert!(secrets.redact(text).contains("[secret code"), "{text}");
        }
    }

    #[test]
    fn with_every_word_kept_nothing_is_secret() {
        let secrets = SecretStore::new(KeepText::Full);
        secrets.add(SecretKind::Code, "482913");
        assert_eq!(secrets.redact("482913"), "482913");
    }

    proptest! {
        #[test]
        fn no_text_keeps_its_secrets(
            secrets in prop::collection::vec("\\PC{4,24}", 1..5), parts in prop::collection::vec("\\PC{0,12}", 2..6)
        ) {
            let secrets: Vec<String> = secrets.iter().map(|it| it.trim().to_owned())
                .filter(|it| 4 <= it.chars().count() && !it.contains("secret")).collect();
            let store = store(&secrets.iter().map(String::as_str).collect::<Vec<_>>());
            let mut text = parts.concat();
            for secret in &secrets { text.push_str(secret); text.push(' '); }
            let clean = store.redact(&text).into_owned();
            let bare = clean.split("[secret password").map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("\u{0}");
            for secret in &secrets {
                prop_assert!(!bare.contains(secret.as_str()), "{secret:?} in {clean:?}");
            }
        }
    }
}
