//! The prompt that a model was trained with, as a person's own checkout of its repository has it.
//!
//! None of them is in this program. [`Published`] holds what is known of each: where it stands, what is
//! filled in, its hash. [`OfficialPrompt::from_checkout`] reads it there by the syntax of the source, without
//! running any of it; [`OfficialPrompt::put_into`] puts it in the place of the profile's own words.
use std::fmt::Write as _;

use ayeaye_agent::{Part, Prompt, Role};
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

mod check;
mod checkout;
#[cfg(test)]
mod fuzz;
mod javascript;
mod json;
mod literal;
mod published;
mod python;
mod source;
#[cfg(test)]
mod tests;
mod tokens;

pub use check::PromptCheck;
pub use checkout::TextFound;
pub use published::Published;

/// The most bytes of a prompt's file.
pub const LONGEST_PROMPT_FILE: usize = 1 << 20;
/// The most texts of a prompt, and the most pieces of a text.
const MOST_TEXTS: usize = 4;
const MOST_PIECES: usize = 400;

/// Why a prompt is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(String);

impl ImportError {
    fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    fn at(self, place: &str) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

/// A prompt that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficialPrompt {
    /// The version of this form: 1.
    format: u32,
    /// The profile it is for.
    family: String,
    /// Which of the family's prompts it is; empty for the usual one.
    variant: String,
    /// Where it was read.
    source: PromptSource,
    texts: Vec<PlacedText>,
}

/// Where a prompt was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptSource {
    /// The repository that such a checkout is of.
    pub repository: String,
    /// The files, and the SHA-256 of each as it was found.
    pub files: Vec<(String, String)>,
}

/// A text and its place in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacedText {
    place: PromptPlace,
    pieces: Vec<TextPiece>,
}

/// Where in a request a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PromptPlace {
    /// It is the system's message.
    System,
    /// It is what the user's first message begins with; what follows stays.
    UserOpening,
    /// It is the user's whole message, the picture included.
    UserMessage,
}

impl PromptPlace {
    /// Its words, for people.
    fn name(self) -> &'static str {
        match self {
            Self::System => "system message",
            Self::UserOpening => "front of the first user message",
            Self::UserMessage => "user message",
        }
    }
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TextPiece {
    /// These words.
    Text(String),
    /// What is filled in.
    Slot(Slot),
    /// The picture of the screen.
    Picture,
    /// The end of a part of the message.
    Break,
}

/// What is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// The user's task.
    Task,
    /// What was done so far.
    History,
    /// The date as Chinese clients write it.
    DateChinese,
    /// The date and, behind a comma, the day of the week.
    DateComma,
    /// The date and, behind a blank, the day of the week.
    DateBlank,
    /// The app in front.
    App,
    /// What the user answered.
    Answers,
    /// The language of thoughts.
    Language,
}

impl Slot {
    /// Its word, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::History => "history",
            Self::DateChinese | Self::DateComma | Self::DateBlank => "date",
            Self::App => "app",
            Self::Answers => "answers",
            Self::Language => "language",
        }
    }
}

/// What slots are filled with.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlotTexts {
    pub task: String,
    pub history: String,
    pub now: Option<DateTime>,
    pub app: String,
    pub answers: String,
}

impl SlotTexts {
    fn text(&self, slot: Slot) -> String {
        match slot {
            Slot::Task => self.task.clone(),
            Slot::History => self.history.clone(),
            Slot::App => self.app.clone(),
            Slot::Answers => self.answers.clone(),
            Slot::Language => {
                let is_chinese = check::is_chinese(&self.task);
                if is_chinese { "Chinese" } else { "English" }.to_owned()
            }
            Slot::DateChinese => self.date("%Y年%m月%d日 ") + self.weekday(),
            Slot::DateComma => self.date("%Y-%m-%d, %A"),
            Slot::DateBlank => self.date("%Y-%m-%d %A"),
        }
    }

    fn date(&self, form: &str) -> String {
        self.now.map_or_else(String::new, |now| now.strftime(form).to_string())
    }

    fn weekday(&self) -> &'static str {
        const DAYS: [&str; 7] =
            ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"];
        let day = self.now.map(|now| now.weekday().to_monday_zero_offset());
        day.and_then(|day| DAYS.get(usize::try_from(day).ok()?)).copied().unwrap_or_default()
    }
}

impl OfficialPrompt {
    /// Parses a file that [`to_file`](Self::to_file) made. It may have been changed since: every check is
    /// made again.
    pub fn parse(bytes: &[u8]) -> Result<Self, ImportError> {
        if bytes.len() > LONGEST_PROMPT_FILE {
            return Err(ImportError::new(format!("it is longer than {LONGEST_PROMPT_FILE} bytes")));
        }
        let prompt: Self = serde_json::from_slice(bytes)
            .map_err(|err| ImportError::new(format!("it is no imported prompt: {err}")))?;
        prompt.ensure_sound()?;
        Ok(prompt)
    }

    /// As it is kept.
    pub fn to_file(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain values") + "\n"
    }

    /// The profile it is for.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// Which of the family's prompts it is; empty for the usual one.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Where it was read.
    pub fn source(&self) -> &PromptSource {
        &self.source
    }

    /// What is known of it.
    pub fn published(&self) -> Option<&'static Published> {
        Published::find(&self.family, &self.variant)
    }

    /// The SHA-256 of its texts and their places.
    pub fn sha256(&self) -> String {
        let texts = serde_json::to_string(&self.texts).expect("plain values");
        sha256(texts.as_bytes())
    }

    /// What it is, where it is from and its hash, in a line.
    pub fn description(&self) -> String {
        let name = self.published().map_or_else(|| self.family.clone(), Published::name);
        let state =
            if self.is_as_published() { "as published" } else { "changed or of another version" };
        let sha256 = self.sha256();
        format!("{name} of github.com/{}, {state}, sha256 {sha256}", self.source.repository)
    }

    /// Whether its texts are those that were published.
    pub fn is_as_published(&self) -> bool {
        self.published().is_some_and(|it| it.sha256 == self.sha256())
    }

    /// For people: its texts, `{task}` and the like where something is filled in.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for PlacedText { place, pieces } in &self.texts {
            shown = shown + "--- " + place.name() + "\n";
            for piece in pieces {
                match piece {
                    TextPiece::Text(text) => shown += text,
                    TextPiece::Slot(slot) => shown = shown + "{" + slot.name() + "}",
                    TextPiece::Picture => shown += "\n{picture}\n",
                    TextPiece::Break => shown += "\n",
                }
            }
            shown += "\n";
        }
        shown
    }

    /// Puts its texts in the place of those that the profile has of its own.
    pub(crate) fn put_into(&self, mut prompt: Prompt, slots: &SlotTexts) -> Prompt {
        for placed in &self.texts {
            let role = match placed.place {
                PromptPlace::System => Role::System,
                PromptPlace::UserOpening | PromptPlace::UserMessage => Role::User,
            };
            let Some(message) = prompt.messages.iter_mut().find(|it| it.role == role) else {
                continue;
            };
            match placed.place {
                PromptPlace::System => message.parts = placed.parts(slots, &[]),
                PromptPlace::UserMessage => message.parts = placed.parts(slots, &message.parts),
                PromptPlace::UserOpening => {
                    let opening = placed.parts(slots, &[]);
                    let own = usize::from(matches!(message.parts.first(), Some(Part::Text(_))));
                    message.parts.splice(..own, opening);
                }
            }
        }
        prompt
    }

    fn ensure_sound(&self) -> Result<(), ImportError> {
        if self.format != 1 {
            return Err(ImportError::new(
                "it is of another version of this program: import it again",
            ));
        }
        let published = self.published().ok_or_else(|| {
            ImportError::new(format!("no prompt of {:?} is known here", self.family))
        })?;
        if let Some(why) = published.refusal() {
            return Err(ImportError::new(why));
        }
        let pieces = self.texts.iter().map(|it| it.pieces.len()).max().unwrap_or(0);
        if self.texts.is_empty() || self.texts.len() > MOST_TEXTS || pieces > MOST_PIECES {
            return Err(ImportError::new("it has no texts, or too many"));
        }
        match check::checks(self, published).into_iter().find(|check| !check.passed) {
            Some(check) => Err(ImportError::new(check.to_string())),
            None => Ok(()),
        }
    }
}

impl PlacedText {
    /// As parts of a message; the picture is that of these.
    fn parts(&self, slots: &SlotTexts, before: &[Part]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut open = String::new();
        let close = |open: &mut String, parts: &mut Vec<Part>| {
            if !open.is_empty() {
                parts.push(Part::Text(std::mem::take(open)));
            }
        };
        for piece in &self.pieces {
            match piece {
                TextPiece::Text(text) => open += text,
                TextPiece::Slot(slot) => open += &slots.text(*slot),
                TextPiece::Break => close(&mut open, &mut parts),
                TextPiece::Picture => {
                    close(&mut open, &mut parts);
                    let picture = before.iter().find(|it| matches!(it, Part::Picture(_)));
                    parts.extend(picture.cloned());
                }
            }
        }
        close(&mut open, &mut parts);
        parts
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|it| match it {
            TextPiece::Text(text) => Some(text.as_str()),
            TextPiece::Slot(_) | TextPiece::Picture | TextPiece::Break => None,
        })
    }
}

/// The SHA-256 of bytes, in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}
