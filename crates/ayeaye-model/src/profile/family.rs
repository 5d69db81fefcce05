//! The trait of a family of models.
use std::fmt;

use ayeaye_agent::{Decision, ParseError, Prompt, Reply, StepInput};
use serde_json::{Map, Value, json};

use super::coords::{CoordContext, CoordSystem};
use super::escape::{LONGEST_TASK, verbatim};
use super::verbs::VerbTable;
use crate::picture::PictureRule;
use crate::{CallSettings, Endpoint, Sent};

/// One family of models: its prompt out, its reply in.
///
/// Both are pure. Points are written and read in `coords`: the settings may name another system than the
/// [`ProfileSpec`].
pub(crate) trait Family: fmt::Debug + Send + Sync {
    /// Its fixed properties.
    fn spec(&self) -> &'static ProfileSpec;
    /// The family as models of this name have it, where its models differ in how they are asked. Replies are
    /// the same.
    fn of_model(&self, _name: &str) -> Option<&'static dyn Family> {
        None
    }
    /// Its verbs, by which replies are parsed and earlier steps are written.
    fn verbs(&self) -> VerbTable;
    /// The prompt of one step. What does not change from step to step comes first, byte for byte, so that
    /// endpoints can cache it.
    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt;
    /// What was done so far, for an imported prompt that has a place for it. Where earlier steps are turns,
    /// there is none.
    fn history_text(&self, _input: &StepInput<'_>, _coords: &CoordContext) -> String {
        String::new()
    }
    /// The task and what was done so far, as an imported prompt of this variant has them.
    fn task_and_history(
        &self,
        _variant: &str,
        input: &StepInput<'_>,
        coords: &CoordContext,
    ) -> (String, String) {
        (verbatim(input.request, LONGEST_TASK), self.history_text(input, coords))
    }
    /// Parses a complete reply: tolerant of notation, never of meaning. The caller knows whether the
    /// reply is complete.
    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError>;
    /// Why a reply that can be read may be half of one: nothing in it shows its end. Most formats have a
    /// bracket or a tag that does.
    fn may_be_cut(&self, _reply: &Reply) -> Option<ParseError> {
        None
    }
}

/// The fixed properties of a family.
#[derive(Debug)]
pub(crate) struct ProfileSpec {
    /// The word for it in settings and in the journal.
    pub name: &'static str,
    /// What people call it, for lists.
    pub title: &'static str,
    /// Lower-case parts of the names of its models.
    pub patterns: &'static [&'static str],
    /// Its coordinate system.
    pub coords: CoordSystem,
    /// How its pictures are made.
    pub picture: PictureRule,
    /// How many screens of earlier steps its prompts hold.
    pub earlier_pictures: usize,
    /// How its prompts show earlier steps, for lists.
    pub history: &'static str,
    /// Its sampling parameters.
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
    /// OpenAI's Responses API.
    Responses,
}

impl Wire {
    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Chat => "OpenAI chat",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Responses => "OpenAI Responses",
        }
    }

    /// Where it is assumed, as a continuation of the names of models.
    pub(super) fn host_note(self) -> &'static str {
        match self {
            Self::Chat => "",
            Self::Anthropic => "; at api.anthropic.com",
            Self::Gemini => "; at generativelanguage.googleapis.com",
            Self::Responses => "; at api.openai.com",
        }
    }

    /// Whether an endpoint is known to speak it. Others may, such as a proxy; there the profile has to be
    /// set.
    fn is_spoken_at(self, endpoint: &Endpoint) -> bool {
        let at = |host| endpoint.host() == Some(host);
        match self {
            Self::Chat => true,
            Self::Anthropic => at("api.anthropic.com"),
            Self::Responses => at("api.openai.com"),
            // Its OpenAI-compatible path speaks chat.
            Self::Gemini => {
                at("generativelanguage.googleapis.com") && !endpoint.path().ends_with("/openai")
            }
        }
    }
}

/// Sampling parameters. `None` is not sent: some endpoints reject parameters they do not know, and some
/// models any temperature but their default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<i64>,
    pub repetition_penalty: Option<f64>,
    pub frequency_penalty: Option<f64>,
    pub seed: Option<u64>,
    /// Tokens of a reply, reasoning included.
    pub max_tokens: u32,
}

impl Sampling {
    /// Always the likeliest token.
    pub(crate) const GREEDY: Self = Self {
        temperature: Some(0.0),
        top_p: None,
        top_k: None,
        repetition_penalty: None,
        frequency_penalty: None,
        seed: None,
        max_tokens: 2048,
    };

    /// What the endpoint chooses by itself.
    pub(crate) const SERVERS: Self = Self { temperature: None, ..Self::GREEDY };

    /// With what is set otherwise.
    #[must_use]
    pub(crate) fn with(mut self, calls: &CallSettings) -> Self {
        fn set<T: Copy>(here: &mut Option<T>, setting: Option<Sent<T>>) {
            if let Some(setting) = setting {
                *here = setting.value();
            }
        }
        set(&mut self.temperature, calls.temperature);
        set(&mut self.top_p, calls.top_p);
        set(&mut self.top_k, calls.top_k);
        set(&mut self.repetition_penalty, calls.repetition_penalty);
        set(&mut self.frequency_penalty, calls.frequency_penalty);
        self.max_tokens = calls.max_tokens.unwrap_or(self.max_tokens);
        self
    }

    /// By the names of chat endpoints, as the journal has them, too.
    pub(crate) fn params(&self) -> Map<String, Value> {
        let params = [
            ("temperature", self.temperature.map(|it| json!(it))),
            ("top_p", self.top_p.map(|it| json!(it))),
            ("top_k", self.top_k.map(|it| json!(it))),
            ("repetition_penalty", self.repetition_penalty.map(|it| json!(it))),
            ("frequency_penalty", self.frequency_penalty.map(|it| json!(it))),
            ("seed", self.seed.map(|it| json!(it))),
            ("max_tokens", Some(json!(self.max_tokens))),
        ];
        params.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}
