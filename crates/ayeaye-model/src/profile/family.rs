//! The seam to one family of models.
use std::fmt;

use ayeaye_agent::{Decision, ParseError, Prompt, Reply, StepInput};
use serde_json::{Map, Value, json};

use super::coords::{CoordContext, CoordSystem};
use super::verbs::VerbTable;
use crate::Endpoint;
use crate::picture::PictureRule;

/// One family of models: its prompt out, its reply in.
///
/// Both are pure. What a family writes and reads are points in its own space, which is handed in:
/// the settings may say another than its [`ProfileSpec`].
pub(crate) trait Family: fmt::Debug + Send + Sync {
    /// What can be said of it in figures.
    fn spec(&self) -> &'static ProfileSpec;
    /// Its verbs: by them its replies are read and earlier steps are written.
    fn verbs(&self) -> VerbTable;
    /// What to send for one step. What is the same in every step comes first and is the same to the
    /// byte, so that an endpoint can keep what it made of it.
    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt;
    /// Reads a whole reply: tolerant of how it is written, never of what it says. Whether it is whole
    /// is not for the family to know.
    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError>;
}

/// A family in figures.
#[derive(Debug)]
pub(crate) struct ProfileSpec {
    /// The word for it in settings and in the journal.
    pub name: &'static str,
    /// What people call it, for lists.
    pub title: &'static str,
    /// Lower-case parts of the names of its models.
    pub patterns: &'static [&'static str],
    /// What the numbers of a point are.
    pub coords: CoordSystem,
    /// How its pictures are made.
    pub picture: PictureRule,
    /// How many screens of earlier steps its prompts show.
    pub earlier_pictures: usize,
    /// What its prompts tell of earlier steps, for lists.
    pub history: &'static str,
    /// How it is asked to choose its words.
    pub sampling: Sampling,
    /// The API it is asked over.
    pub wire: Wire,
}

impl ProfileSpec {
    /// Whether a model of the family can be asked at this endpoint. An API of its own is spoken only
    /// where it is at home: elsewhere the same model answers chats.
    pub(crate) fn serves(&self, endpoint: &Endpoint) -> bool {
        self.wire.is_spoken_at(endpoint)
    }
}

/// The API of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// OpenAI-compatible chat completions.
    Chat,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Wire {
    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Chat => "OpenAI chat",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        }
    }

    /// Where it is taken for granted, in words that go on from the names of models.
    pub(super) fn host_note(self) -> &'static str {
        match self {
            Self::Chat => "",
            Self::Anthropic => "; at api.anthropic.com",
            Self::Gemini => "; at generativelanguage.googleapis.com",
        }
    }

    /// Whether an endpoint is known to speak it. Others may, such as a proxy: there the profile has
    /// to be set.
    fn is_spoken_at(self, endpoint: &Endpoint) -> bool {
        let at = |host| endpoint.host() == Some(host);
        match self {
            Self::Chat => true,
            Self::Anthropic => at("api.anthropic.com"),
            // Its OpenAI-compatible side door speaks chat.
            Self::Gemini => {
                at("generativelanguage.googleapis.com") && !endpoint.path().ends_with("/openai")
            }
        }
    }
}

/// How a model is asked to choose its words. What is `None` is not said at all: some endpoints
/// refuse what they do not know, and some models every temperature but their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub frequency_penalty: Option<f64>,
    pub seed: Option<u64>,
    /// Tokens of a reply, reasoning included.
    pub max_tokens: u32,
}

impl Sampling {
    /// Always the likeliest word.
    pub(crate) const GREEDY: Self = Self {
        temperature: Some(0.0),
        top_p: None,
        frequency_penalty: None,
        seed: None,
        max_tokens: 2048,
    };

    /// As a chat endpoint is told, and as the record has it.
    pub(crate) fn params(&self) -> Map<String, Value> {
        let params = [
            ("temperature", self.temperature.map(|it| json!(it))),
            ("top_p", self.top_p.map(|it| json!(it))),
            ("frequency_penalty", self.frequency_penalty.map(|it| json!(it))),
            ("seed", self.seed.map(|it| json!(it))),
            ("max_tokens", Some(json!(self.max_tokens))),
        ];
        params.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}
