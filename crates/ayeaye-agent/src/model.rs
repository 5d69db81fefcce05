//! The seam to vision-language models.
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use jiff::civil::DateTime;

use crate::word_list;
use crate::{Action, Frame, Picture, Question, ScreenSize};

mod attempts;
mod parse_error;
mod quotation;
mod shortened;

pub use attempts::{FailedAttempts, Retry};
pub use parse_error::ParseError;
pub(crate) use quotation::is_cut;

/// What one step shows a model.
#[derive(Debug, Clone, Copy)]
pub struct StepInput<'a> {
    /// What the user wants now.
    pub request: &'a str,
    /// What has happened in this session, oldest first.
    pub history: &'a [HistoryItem],
    /// What the loop has to say, such as that the last action failed. In English.
    pub system_notes: &'a [String],
    /// The screen.
    pub picture: &'a Picture,
    /// Screens of earlier steps, as far as they are at hand: the newest last, at most as many as
    /// [`Model::earlier_pictures`] asks for.
    pub history_images: &'a [HistoryImage],
    /// The app in front by its name in the phone's language, else by its package, when known.
    pub app: Option<&'a str>,
    /// The phone's local date and time, when known.
    pub now: Option<DateTime>,
    /// The phone's languages, such as "zh-Hans-CN,en-US", when known.
    pub languages: Option<&'a str>,
    /// Names of apps that can be opened, in the phone's language, as far as they were known when the run
    /// began; in no order that means anything.
    pub installed_apps: &'a [String],
}

impl<'a> StepInput<'a> {
    /// A request and a screen, and nothing else known.
    pub fn of(request: &'a str, picture: &'a Picture) -> Self {
        Self {
            request,
            history: &[],
            system_notes: &[],
            picture,
            history_images: &[],
            app: None,
            now: None,
            languages: None,
            installed_apps: &[],
        }
    }
}

/// The screen of an earlier step, as a model was sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryImage {
    /// The number of the step in its session.
    pub step: u32,
    /// As it was sent.
    pub picture: Picture,
}

/// One thing that happened in a session, as a model may be told of it.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are steps")]
pub enum HistoryItem {
    /// The user asked for something.
    Request(String),
    /// The host agent gave this to an app agent, which knows nothing of what was before.
    Subtask(String),
    /// The model decided, and this came of it.
    Step(HistoryStep),
    /// The user answered the question that was put to them last.
    UserReply(String),
    /// The user said this unasked.
    Advice(String),
}

/// A step that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryStep {
    /// Its number in the session.
    pub step: u32,
    /// What was decided.
    pub decision: Decision,
    /// What went wrong; `None` if nothing is known to have.
    pub error: Option<String>,
    /// Why it is not certain that it had its effect.
    pub uncertain: Option<String>,
    /// What the user was asked in this step, as they were asked: the gate's question may take the place of the
    /// model's own. An act that is asked about is not done in the same step.
    pub asked: Option<Question>,
    /// The words of the reply that decided it, as they came, where they are known and not long. They may be
    /// another model's than the one's that is told.
    pub reply: Option<String>,
    /// The app that was in front, by its name, else by its package, where it is known.
    pub app: Option<String>,
}

/// What a model said, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// Why, in the model's own reasoning; may be empty.
    pub thought: String,
    /// The action in a few words; may be empty.
    pub explain: String,
    /// What has been done so far, for the next step; may be empty.
    pub summary: String,
    /// What the model sees, where its format has a place for it; may be empty.
    pub observation: String,
}

word_list! {
    /// Who speaks.
    #[allow(missing_docs, reason = "the variants say their own names")]
    pub enum Role {
        System = "system",
        User = "user",
        Assistant = "assistant",
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Picture(Picture),
    /// A tool that the model has called; only in what an assistant says.
    Call(ToolCall),
    /// What came of a call: words, and the screen where the tool shows it; only in what a user says.
    Result {
        /// The call's.
        id: String,
        /// The tool's.
        name: String,
        /// What came of it.
        text: String,
        /// The screen afterwards.
        picture: Option<Picture>,
        /// What came of it in words, where it is the user's answer: it is told also where the call is left
        /// out.
        answer: Option<String>,
    },
}

/// A tool that a model calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// As the endpoint named it; may be empty.
    pub id: String,
    /// The tool's.
    pub name: String,
    /// JSON, as it came: nobody has looked at it yet.
    pub arguments: String,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// In order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of words alone.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text(text.into())] }
    }
}

/// All that a model is sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    /// In order.
    pub messages: Vec<Message>,
    /// The tools that the model may call, each as the endpoint's own format wants it.
    pub tools: Vec<serde_json::Value>,
    /// The JSON schema that the reply has to obey, for endpoints that can hold a model to one.
    pub schema: Option<serde_json::Value>,
}

impl Prompt {
    /// Messages and nothing else.
    pub fn of(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// The same prompt with less of the history: without the pictures of earlier screens, and of the
    /// steps only the last few. What was asked for first stays, and so do the user's words. `None`
    /// where nothing can be left out.
    pub fn shortened(&self) -> Option<Self> {
        shortened::shortened(self)
    }

    /// The same prompt with the last so many pictures, and words in place of those before. `None` where it
    /// has no more.
    pub fn with_last_pictures(&self, most: usize) -> Option<Self> {
        shortened::with_last_pictures(self, most)
    }

    /// The same prompt, with a reply that could not be read and the reason. Of a long reply only the beginning
    /// and the end: one that was cut off would leave the next one less room than it had itself.
    #[must_use]
    pub fn with_retry_notice(mut self, reply: &str, why: &ParseError) -> Self {
        self.messages.push(Message::text(Role::Assistant, quotation::quoted(reply)));
        self.messages.push(Message::text(
            Role::User,
            format!(
                "Your reply could not be used: {why}. Nothing was done on the phone. \
                 Reply again for the same screen, exactly in the required format, with one action."
            ),
        ));
        self
    }
}

/// Tokens of one call, as the endpoint counted them; 0 where it did not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Sent.
    pub prompt: u64,
    /// Received, thinking included.
    pub completion: u64,
    /// Of the completion: reasoning.
    pub thinking: u64,
    /// Of the prompt: taken from a cache.
    pub cached: u64,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Sent.
    pub input: f64,
    /// Received, thinking included.
    pub output: f64,
    /// Sent before and taken from the endpoint's cache; as any other where no price is told.
    pub cached: Option<f64>,
}

impl Prices {
    /// Whether calls cost nothing, however many tokens they have.
    pub(crate) fn are_zero(self) -> bool {
        self.input == 0.0 && self.output == 0.0 && self.cached.unwrap_or_default() == 0.0
    }

    /// US dollars for a call.
    pub fn of(self, tokens: Tokens) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no call has 2^52 tokens")]
        let priced = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let cached = tokens.cached.min(tokens.prompt);
        priced(tokens.prompt - cached, self.input)
            + priced(cached, self.cached.unwrap_or(self.input))
            + priced(tokens.completion, self.output)
    }
}

/// What an endpoint answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// Reasoning, where the endpoint keeps it apart.
    pub reasoning: String,
    /// The tools it calls, in order.
    pub calls: Vec<ToolCall>,
    /// `stop`, `length` ... as the endpoint says it.
    pub finish_reason: Option<String>,
    /// The model that answered, as it calls itself.
    pub model: String,
    /// What it counted.
    pub tokens: Tokens,
    /// From the request to the last byte, retries and their waits included.
    pub latency: Duration,
    /// From the request to the first token, when the reply was streamed.
    pub first_token: Option<Duration>,
    /// Attempts that failed before this one.
    pub retries: Vec<Retry>,
}

/// A call that failed for good, after all its retries.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What the caller can do about it.
    pub kind: ModelErrorKind,
    /// Names the endpoint, what happened and the way out. Never the endpoint's own body beyond a
    /// short quoted piece, never a key.
    pub message: String,
    /// The message without the endpoint's own words, where it quotes any: they may quote the prompt.
    pub unquoted: Option<String>,
    /// The error underneath, where there is one. `message` already says what it says.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// The attempts that were made.
    pub retries: Vec<Retry>,
    /// The time spent on them.
    pub latency: Duration,
}

/// Why a call to a model failed, by what can be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// Nothing listens at the address, or the connection broke: check the address, or try later.
    Unreachable,
    /// No answer, or no whole one, in time, here or at a gateway (HTTP 504, 524).
    TimedOut,
    /// The key is missing, wrong, or not good for this model.
    Unauthorized,
    /// The quota or the credit of the key is used up.
    QuotaExceeded,
    /// The endpoint is busy (HTTP 408, 409, 425, 429): try later.
    Overloaded,
    /// The endpoint failed (HTTP 5xx): look at its log.
    ServerFault,
    /// There is no such path or model.
    NotFound,
    /// The prompt does not fit into the model's context, even shortened.
    PromptTooLong,
    /// The model takes no pictures.
    NoVision,
    /// The endpoint does not accept such a request, for another reason.
    Rejected,
    /// What came is not an answer of the API: a web page, broken JSON, a stream without content.
    InvalidResponse,
    /// The answer is longer than any reply may be.
    ResponseTooLong,
    /// Nobody waits for the answer any more: the run was cancelled, or the process restarted.
    Abandoned,
}

impl ModelError {
    /// An error before or after which nothing was tried again.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>, latency: Duration) -> Self {
        let (retries, message) = (Vec::new(), message.into());
        Self { kind, message, unquoted: None, source: None, retries, latency }
    }

    /// The message, with the endpoint's own words or without.
    pub(crate) fn wording(&self, quotes: bool) -> &str {
        let unquoted = self.unquoted.as_deref().filter(|_| !quotes);
        unquoted.unwrap_or(&self.message)
    }

    /// A call that was given up after these attempts.
    pub(crate) fn abandoned(message: String, latency: Duration, failed: &FailedAttempts) -> Self {
        let retries = failed.take();
        Self { retries, ..Self::new(ModelErrorKind::Abandoned, message, latency) }
    }
}

/// A model behind an endpoint, with the format it speaks.
///
/// [`prompt`](Self::prompt) and [`read`](Self::read) are pure; only [`call`](Self::call) waits, and
/// it ends by itself inside the limit it is given. Dropping its future abandons the call.
#[async_trait]
pub trait Model: Send + Sync + fmt::Debug {
    /// As it is asked for.
    fn name(&self) -> &str;
    /// The profile in use, such as `gelab`.
    fn profile(&self) -> &str;
    /// What its calls cost, where that is known.
    fn prices(&self) -> Option<Prices> {
        None
    }
    /// Where the words of its prompts come from: for the record.
    fn prompt_source(&self) -> String {
        "builtin".to_owned()
    }
    /// How it is asked to choose its words, and the like, as it is sent: for the record.
    fn params(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }
    /// Whether a call that is given up costs nothing to speak of, as with an endpoint of one's own.
    fn abandoned_calls_are_free(&self) -> bool {
        false
    }
    /// Why a reply is not a whole one by what the endpoint says of its end: cut off, withheld, refused.
    fn incomplete(&self, _reply: &Reply) -> Option<&'static str> {
        None
    }
    /// Why a reply that can be read may still be half of one, though its endpoint calls it whole: nothing in it shows
    /// its end, as earlier ones did. It is acted on only once the model has decided the same twice for one screen.
    fn may_be_cut(&self, _reply: &Reply) -> Option<ParseError> {
        None
    }
    /// How many screens of earlier steps its prompts show.
    fn earlier_pictures(&self) -> usize {
        0
    }
    /// The frame scaled and encoded as this model wants it.
    fn picture(&self, frame: &Frame) -> Picture;
    /// A run has ended: what is kept to make pictures sooner may go.
    fn forget_pictures(&self) {}
    /// What to send for one step.
    fn prompt(&self, view: &StepInput<'_>) -> Prompt;
    /// Sends a prompt. `limit` bounds the whole call, retries included.
    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError>;
    /// Sends a prompt as [`call`](Self::call) does. `failed` is told of each attempt as it fails, and hands them over
    /// to the reply or the error: who gives the call up finds them there.
    async fn call_counted(
        &self,
        prompt: &Prompt,
        limit: Duration,
        _failed: &FailedAttempts,
    ) -> Result<Reply, ModelError> {
        self.call(prompt, limit).await
    }
    /// Understands a reply to a picture of this size, or says why not. Never guesses an end of the
    /// task.
    fn read(&self, reply: &Reply, sent: ScreenSize) -> Result<Decision, ParseError>;
}
