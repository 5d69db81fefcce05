//! A model behind an endpoint.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::prompt_text::{LONGEST_LINE, LONGEST_TEXT, quote_untrusted, verbatim};
use ayeaye_agent::{
    Decision, FailedAttempts, Frame, HistoryItem, Model, ModelError, ParseError, Picture, Prices,
    Prompt, Reply, ScreenSize, StepInput,
};
use serde_json::{Map, Value};

use crate::official_prompt::SlotTexts;
use crate::picture::{self, JpegStrips, PictureRule, Resize};
use crate::profile::coords::CoordSystem;
use crate::profile::{CoordContext, Family, Sampling, Wire};
use crate::{ModelConfig, OfficialPrompt, Profile};

mod backoff;
mod client;
mod completion;
mod computer_tool;
mod deadlines;
mod decoder;
mod error;
mod error_body;
mod features;
#[cfg(test)]
mod fuzz;
mod reach;
mod sse;
mod surrogates;
mod wire;

pub(crate) use client::Client;
pub use client::ModelList;
use completion::{DONE_WITHOUT_REASON, FAILED, TRUNCATED, UNPARSED};
pub use error::SYSTEM_STORE;
pub use reach::Reach;
pub(crate) use reach::lists;
pub use surrogates::without_halves;

/// A model behind an endpoint, and the profile it needs.
///
/// A call sends the key to the configured address and nowhere else, follows no redirect, and ends
/// inside its limit. Its errors name the address, the cause and the way out.
#[derive(Debug)]
pub struct RemoteModel {
    client: Client,
    profile: Profile,
    picture: PictureRule,
    strips: JpegStrips,
    space: CoordSystem,
    /// A reply has shown its end in the way of its format: see [`Model::may_be_cut`].
    has_shown_end: AtomicBool,
}

/// Why no model can be asked with these settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The model has no name.
    #[error("the model has no name: name one of those the endpoint lists under /models")]
    NoName,
    /// The key cannot stand in an HTTP header.
    #[error("the model's key holds characters that cannot be sent: copy it again")]
    Key,
    /// The imported prompt is another family's.
    #[error(
        "model.prompt is for {of}, and this model is asked as {as_}: import the prompt of its family, or set \
         model.prompt to \"builtin\""
    )]
    Prompt { of: String, as_: &'static str },
    /// TLS cannot be set up on this machine.
    #[error("no encrypted connection can be made: {0}")]
    Tls(String),
}

impl RemoteModel {
    /// Sends nothing yet.
    pub fn new(mut config: ModelConfig) -> Result<Self, ConfigError> {
        config.name = config.name.trim().to_owned();
        if config.name.is_empty() {
            return Err(ConfigError::NoName);
        }
        let by_name = || Profile::for_model(&config.name, &config.endpoint);
        let profile = config.profile.unwrap_or_else(by_name);
        if let Some(prompt) = config.prompt.as_deref()
            && prompt.family() != profile.name()
        {
            return Err(ConfigError::Prompt {
                of: prompt.family().to_owned(),
                as_: profile.name(),
            });
        }
        let mut picture = profile.spec().picture;
        if let Some(most) = config.max_pixels {
            picture.resize = match picture.resize {
                // The API would shrink anything larger without saying so: the settings cannot
                // raise this bound.
                Resize::Within { side, pixels } => {
                    Resize::Within { side, pixels: most.min(pixels) }
                }
                Resize::Sides { long, short } if most < long * short => {
                    Resize::Within { side: long, pixels: most.min(short * short) }
                }
                sides @ Resize::Sides { .. } => sides,
                Resize::MaxPixels(_) | Resize::Smart(_) => Resize::MaxPixels(most),
            };
        }
        let space = config.space.unwrap_or(profile.spec().coords);
        let client = Client::new(config, profile.spec().wire)?;
        Ok(Self {
            client,
            profile,
            picture,
            strips: JpegStrips::default(),
            space,
            has_shown_end: AtomicBool::default(),
        })
    }

    /// The settings it was made from.
    pub fn config(&self) -> &ModelConfig {
        self.client.config()
    }

    /// The size of the picture that is made of a screen of this size, both in pixels.
    pub fn picture_size(&self, screen: ScreenSize) -> ScreenSize {
        self.picture.resize.apply(screen)
    }

    /// What coordinates mean in a prompt with a picture of this size, and in its reply.
    fn coords(&self, sent: ScreenSize) -> CoordContext {
        CoordContext { system: self.space, image: sent }
    }

    /// The name of the profile in use.
    pub fn profile_name(&self) -> &'static str {
        self.profile.name()
    }

    /// Whether its endpoint has answered anything so far.
    pub fn has_answered(&self) -> bool {
        self.client.has_answered()
    }

    /// Whether its endpoint can be reached, found out within `limit` by asking for its list of models.
    pub async fn reach(&self, limit: Duration) -> Reach {
        self.client.reach(limit).await
    }

    /// The profile's sampling with what is set otherwise.
    pub(crate) fn sampling(&self) -> Sampling {
        self.profile.spec().sampling.with(&self.config().calls)
    }

    /// Whether a reply that was cut off for its length is well below the limit that it was asked with. Some count a few
    /// tokens less than there were.
    fn is_context_full(&self, reply: &Reply) -> bool {
        let asked = u64::from(self.client.within_limits(self.sampling()).max_tokens);
        let other_limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        let extra = &self.config().calls.extra_body;
        !other_limits.iter().any(|it| extra.contains_key(*it))
            && (1..asked - asked / 10).contains(&reply.tokens.completion)
    }

    pub(crate) fn resolved_profile(&self) -> Profile {
        self.profile
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

#[async_trait]
impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.config().name
    }

    fn profile(&self) -> &str {
        self.profile.name()
    }

    fn prices(&self) -> Option<Prices> {
        self.config().prices
    }

    fn prompt_source(&self) -> String {
        let prompt = self.config().prompt.as_deref();
        prompt.map_or_else(|| "builtin".to_owned(), OfficialPrompt::description)
    }

    fn params(&self) -> Map<String, Value> {
        self.client.params(self.sampling())
    }

    fn abandoned_calls_are_free(&self) -> bool {
        // What has a price is somebody else's, wherever it is reached.
        let free = self.config().prices.is_none_or(|it| it.input <= 0.0 && it.output <= 0.0);
        free && self.config().endpoint.is_own()
    }

    fn earlier_pictures(&self) -> usize {
        self.profile.spec().earlier_pictures
    }

    fn picture(&self, frame: &Frame) -> Picture {
        picture::encode_with(frame, self.picture, &self.strips)
    }

    fn forget_pictures(&self) {
        self.strips.clear();
    }

    fn prompt(&self, input: &StepInput<'_>) -> Prompt {
        let family = self.profile.family_of(&self.config().name);
        let coords = self.coords(input.picture.size);
        let prompt = family.prompt(input, &coords);
        match &self.config().prompt {
            Some(official) => {
                let texts = slot_texts(family, official.variant(), input, &coords);
                official.put_into(prompt, &texts)
            }
            None => prompt,
        }
    }

    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        self.call_counted(prompt, limit, &FailedAttempts::default()).await
    }

    async fn call_counted(
        &self,
        prompt: &Prompt,
        limit: Duration,
        failed: &FailedAttempts,
    ) -> Result<Reply, ModelError> {
        let retries = &self.config().retries;
        self.client.complete(prompt, self.sampling(), retries, limit, failed).await
    }

    fn incomplete(&self, reply: &Reply) -> Option<&'static str> {
        let reason = reply.finish_reason.as_deref().unwrap_or_default();
        // Chats end in words of their hosts. An API of a maker's own says when a reply is whole.
        let is_odd = self.profile.spec().wire != Wire::Chat
            && !WHOLE.contains(&&*reason.to_ascii_lowercase());
        if is_cut_by_length(reason) && self.is_context_full(reply) {
            return Some(CONTEXT_FULL);
        }
        incomplete_reason(reason).or_else(|| is_odd.then_some(
            "its endpoint ended it in a way that is no end of a whole reply: look at the finish reason in the record",
        ))
    }

    fn may_be_cut(&self, reply: &Reply) -> Option<ParseError> {
        let doubt = self.profile.family().may_be_cut(reply);
        if doubt.is_none() {
            self.has_shown_end.store(true, Ordering::Relaxed);
        }
        // Where a model never writes what shows the end, its absence says nothing.
        doubt.filter(|_| self.has_shown_end.load(Ordering::Relaxed))
    }

    fn read(&self, reply: &Reply, sent: ScreenSize) -> Result<Decision, ParseError> {
        let unusable = |why: &str| Err(ParseError::new(why));
        if let Some(why) = self.incomplete(reply) {
            return unusable(why);
        }
        let has_no_text = reply.text.trim().is_empty();
        if has_no_text && reply.calls.is_empty() && !reply.reasoning.trim().is_empty() {
            return Err(ParseError::new(
                "it holds reasoning and no action; write the action behind the reasoning",
            )
            .with_way_out(
                "where the reasoning ends in one, the server's reasoning parser has taken all of the reply: \
                 serve the model without it (vLLM: --reasoning-parser), or set model.thinking = \"off\"",
            ));
        }
        let (family, coords) = (self.profile.family(), self.coords(sent));
        let read = family.read(reply, &coords);
        if has_no_text && !reply.calls.is_empty() && read.is_err() {
            // A family whose format has no tool calls ignores them.
            let text_only = Reply { calls: Vec::new(), ..reply.clone() };
            if family.read(&text_only, &coords) == read {
                return unusable("it calls a tool; write the action as text");
            }
        }
        let mut decision = read?;
        if decision.thought.is_empty() {
            reply.reasoning.trim().clone_into(&mut decision.thought);
        }
        Ok(decision)
    }
}

/// What an imported prompt's slots are filled with in one step.
fn slot_texts(
    family: &dyn Family,
    variant: &str,
    input: &StepInput<'_>,
    coords: &CoordContext,
) -> SlotTexts {
    let answer = match input.history.last() {
        Some(HistoryItem::UserReply(text) | HistoryItem::Advice(text)) => {
            verbatim(text, LONGEST_TEXT)
        }
        _ => String::new(),
    };
    let (task, history) = family.task_and_history(variant, input, coords);
    SlotTexts {
        task,
        history,
        now: input.now,
        app: input.app.map(|app| quote_untrusted(app, LONGEST_LINE)).unwrap_or_default(),
        answers: answer,
    }
}

/// The finish reasons of whole replies, but for chats. The last is that of chats, which a relay may leave as it is.
const WHOLE: [&str; 6] = ["", "stop", "end_turn", "tool_use", "stop_sequence", "tool_calls"];

/// Whether a finish reason says that a reply is as long as may be: as was asked for, or as the context has room for.
fn is_cut_by_length(reason: &str) -> bool {
    ["length", "max_tokens", "max_output_tokens", "model_length", "token_limit"]
        .iter()
        .any(|it| reason.eq_ignore_ascii_case(it))
}

const CONTEXT_FULL: &str = "it was cut off before its end, since nothing more goes into the model's context (serve it with a longer one, \
     or send smaller pictures by model.max-pixels); think in fewer words";

/// Why a reply with this finish reason is not used, even where what has come of it can be parsed:
/// the rest might have changed its meaning.
fn incomplete_reason(finish_reason: &str) -> Option<&'static str> {
    Some(match finish_reason.to_ascii_lowercase().as_str() {
        reason if is_cut_by_length(reason) || reason == "time_limit" => {
            "it was cut off before its end (model.max-tokens can be raised); think in fewer words"
        }
        TRUNCATED => {
            "it was cut off before its end, and nothing says why: look at the server's log"
        }
        DONE_WITHOUT_REASON => {
            "it was cut off before its end, or its endpoint never gives a finish reason: look at the server's \
             log, or set model.stream = false"
        }
        // Of vLLM.
        "repetition" => {
            "it was cut off, since it repeated itself without end; say each thing once, and reply with one action"
        }
        "model_context_window_exceeded" => CONTEXT_FULL,
        UNPARSED => {
            "the server could not read it: its log says why, and model.profile = \"generic-text\" needs no calls of \
             tools; say it again in the format that was asked for"
        }
        "refusal" => {
            "the model refuses to go on; do another step towards what the user asked for, ask the \
             user, or give up and say why"
        }
        "content_filter"
        | "safety"
        | "recitation"
        | "blocklist"
        | "prohibited_content"
        | "spii"
        | "image_safety"
        | "image_prohibited_content"
        | "model_armor"
        | "jailbreak"
        | "sensitive"
        | "language" => "the endpoint withheld it or part of it",
        "pause_turn" => "it stopped in the middle of its turn; reply with one action",
        "malformed_function_call"
        | "malformed_response"
        | "unexpected_tool_call"
        | "missing_thought_signature"
        | "too_many_tool_calls" => "its call of a tool was malformed; call one tool, by its schema",
        "cancelled" | "other" => "the endpoint broke it off",
        reason if FAILED.contains(&reason) => "the endpoint broke it off",
        _ => return None,
    })
}
