//! What a prompt must have before a model is asked with it.
use std::fmt;

use super::published::{Language, Published};
use super::{OfficialPrompt, PlacedText, PromptPlace, TextPiece};

/// The most bytes of all texts of a prompt together.
const LONGEST: usize = 200 << 10;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptCheck {
    /// What was looked at.
    pub what: &'static str,
    /// Whether it is as it must be.
    pub passed: bool,
    /// What was found.
    pub found: String,
}

impl fmt::Display for PromptCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.found)
    }
}

impl OfficialPrompt {
    /// Everything that was looked at, in order.
    pub fn checks(&self) -> Vec<PromptCheck> {
        self.published().map(|published| checks(self, published)).unwrap_or_default()
    }
}

/// Looks at a prompt.
pub(super) fn checks(prompt: &OfficialPrompt, published: &Published) -> Vec<PromptCheck> {
    vec![
        places(prompt, published),
        slots(prompt, published),
        actions(prompt, published),
        picture(prompt),
        language(prompt, published),
        length(prompt),
    ]
}

fn result(what: &'static str, passed: bool, found: String) -> PromptCheck {
    PromptCheck { what, passed, found }
}

/// Its texts stand where the published ones do.
fn places(prompt: &OfficialPrompt, published: &Published) -> PromptCheck {
    let found: Vec<PromptPlace> = prompt.texts.iter().map(|it| it.place).collect();
    let places: Vec<&str> = found.iter().map(|it| it.name()).collect();
    let passed = found == published.places();
    let but = if passed { "" } else { ", which is not where the known ones stand" };
    result("places", passed, format!("{}{but}", places.join(", ")))
}

/// Everything that the published one fills in.
fn slots(prompt: &OfficialPrompt, published: &Published) -> PromptCheck {
    let count = |wanted| {
        let pieces = prompt.texts.iter().flat_map(|it| &it.pieces);
        pieces.filter(|it| **it == TextPiece::Slot(wanted)).count()
    };
    let wanted = published.slots();
    let missing = wanted.iter().filter(|slot| count(**slot) == 0);
    let missing: Vec<&str> = missing.map(|slot| slot.name()).collect();
    let names: Vec<&str> = wanted.iter().map(|slot| slot.name()).collect();
    let found = match (missing.as_slice(), names.as_slice()) {
        ([], []) => "none, as published".to_owned(),
        ([], names) => names.join(", "),
        (missing, _) => format!("{} missing", missing.join(", ")),
    };
    result("slots", missing.is_empty(), found)
}

/// Each action of the format that replies are read by.
fn actions(prompt: &OfficialPrompt, published: &Published) -> PromptCheck {
    let text: String = prompt.texts.iter().flat_map(PlacedText::words).collect();
    let actions = published.actions.iter().map(String::as_str);
    let missing: Vec<&str> = actions.filter(|name| !names(&text, name)).collect();
    let found = match missing.as_slice() {
        [] => format!("all {} are named", published.actions.len()),
        missing => format!("{} not named", missing.join(", ")),
    };
    result("actions", missing.is_empty(), found)
}

/// Whether the text has this name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(inner) && !behind.is_some_and(inner)
    })
}

/// One place for the picture where a whole message is given, and none elsewhere.
fn picture(prompt: &OfficialPrompt) -> PromptCheck {
    let count = |whole: bool| {
        let texts =
            prompt.texts.iter().filter(|it| (it.place == PromptPlace::UserMessage) == whole);
        texts.flat_map(|it| &it.pieces).filter(|it| **it == TextPiece::Picture).count()
    };
    let whole = prompt.texts.iter().filter(|it| it.place == PromptPlace::UserMessage).count();
    let passed = count(true) == whole && whole <= 1 && count(false) == 0;
    let found = match (passed, whole) {
        (true, 0) => "behind these texts, where the profile shows screens".to_owned(),
        (true, _) => "one place".to_owned(),
        (false, _) => format!("{} places", count(true) + count(false)),
    };
    result("picture", passed, found)
}

fn language(prompt: &OfficialPrompt, published: &Published) -> PromptCheck {
    let text: String = prompt.texts.iter().flat_map(PlacedText::words).collect();
    let is = if is_chinese(&text) { Language::Chinese } else { Language::English };
    let passed = is == published.language;
    let but = if passed { "" } else { ", where another is known" };
    result("language", passed, format!("{}{but}", is.name()))
}

fn length(prompt: &OfficialPrompt) -> PromptCheck {
    let words = prompt.texts.iter().map(|it| it.words().map(str::len).sum::<usize>());
    let words: Vec<usize> = words.collect();
    let sum: usize = words.iter().sum();
    let passed = sum <= LONGEST && words.iter().all(|length| *length > 0);
    result("length", passed, format!("{sum} bytes"))
}

/// Whether a text is written in Chinese rather than with letters.
pub(super) fn is_chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| ('\u{3400}'..='\u{9fff}').contains(c)).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    // A Chinese word is one or two signs, an English one five letters; names of actions are letters in both.
    han * 8 > letters
}
