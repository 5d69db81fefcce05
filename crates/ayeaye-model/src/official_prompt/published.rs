//! What is known of the prompts that models were published with: facts, and no words of theirs.
//!
//! Hashes of texts are over the text with `{expression}` where something is filled in.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{PromptPlace, Slot};

/// A prompt that was published.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Published {
    /// The profile it is for.
    pub family: String,
    /// Which of the family's prompts it is; empty for the usual one.
    #[serde(default)]
    pub variant: String,
    /// The repository at GitHub.
    pub repository: String,
    /// The commit at which it was read.
    pub commit: String,
    /// Why no phone is driven with it; empty where one is.
    #[serde(default)]
    pub not_for_phones: String,
    /// The SHA-256 of what is made of it, as [`OfficialPrompt::sha256`](super::OfficialPrompt::sha256)
    /// gives it; empty where its files were not to be had.
    #[serde(default)]
    pub sha256: String,
    /// The SHA-256 of each of its files.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) language: Language,
    #[serde(default, rename = "text")]
    pub(super) texts: Vec<PublishedText>,
    /// Its actions, which replies are read by.
    #[serde(default)]
    pub(crate) actions: Vec<String>,
}

/// The language of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Language {
    Chinese,
    #[default]
    English,
}

impl Language {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Chinese => "Chinese",
            Self::English => "English",
        }
    }
}

/// One text of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PublishedText {
    /// Its place in a request; `None` for a text that is filled into another one.
    pub place: Option<PromptPlace>,
    /// Its file; empty for a picture that a caller adds.
    #[serde(default)]
    pub path: String,
    /// Its name there: a constant, one of a function as `function.name`, an item as `name[0].text`.
    #[serde(default)]
    pub constant: String,
    #[serde(default)]
    pub sha256: String,
    #[serde(default)]
    pub form: Form,
    /// What its holes are filled with, by the expression in the hole.
    #[serde(default)]
    pub fills: BTreeMap<String, Fill>,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// As it is; holes are those of an f-string.
    #[default]
    Plain,
    /// For `str.format`.
    Format,
    /// For Jinja.
    Jinja,
    /// A JSON file, without its blanks.
    Schema,
    /// No text: the place of the picture.
    Picture,
}

/// What a hole is filled with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fill {
    /// Another text of the same prompt, by its constant.
    Text(String),
    #[serde(untagged)]
    Slot(Slot),
}

/// The table in `published.toml`, read once.
static TABLE: LazyLock<PublishedTable> =
    LazyLock::new(|| toml::from_str(include_str!("published.toml")).expect("a test reads it"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedTable {
    prompt: Vec<Published>,
}

impl Published {
    /// All that are known, those included that no phone is driven with.
    pub fn all() -> &'static [Self] {
        &TABLE.prompt
    }

    /// That of this family and variant.
    pub fn find(family: &str, variant: &str) -> Option<&'static Self> {
        Self::all().iter().find(|it| it.family == family && it.variant == variant)
    }

    /// Its name for people: the family, and the variant where there is one.
    pub fn name(&self) -> String {
        match self.variant.as_str() {
            "" => self.family.clone(),
            variant => format!("{} ({variant})", self.family),
        }
    }

    /// The files it stands in, each once.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> =
            self.texts.iter().map(|it| it.path.as_str()).filter(|it| !it.is_empty()).collect();
        paths.dedup();
        paths
    }

    /// Why it cannot be used, if so.
    pub(super) fn refusal(&self) -> Option<String> {
        let why = &self.not_for_phones;
        (!why.is_empty()).then(|| format!("{} is not used here: {why}", self.name()))
    }

    /// The places of its texts, in order.
    pub(super) fn places(&self) -> Vec<PromptPlace> {
        let mut places: Vec<PromptPlace> = self.texts.iter().filter_map(|it| it.place).collect();
        places.dedup();
        places
    }

    /// What is filled into it.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let fills = self.texts.iter().flat_map(|it| it.fills.values());
        fills
            .filter_map(|fill| match fill {
                Fill::Slot(slot) => Some(*slot),
                Fill::Text(_) => None,
            })
            .collect()
    }
}

impl PublishedText {
    /// What fills this hole.
    pub(super) fn fill(&self, expression: &str) -> Option<&Fill> {
        self.fills.get(expression)
    }
}
