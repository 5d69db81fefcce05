//! Asking an endpoint: attempts, and what is done after one that failed.
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use ayeaye_agent::{FailedAttempts, ModelError, Prompt, Reply, Retry};
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::redirect;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::ConfigError;
use super::computer_tool::{ComputerTool, ComputerTools};
use super::deadlines::MAX_LIMIT;
use super::error::{AttemptError, Recovery};
use super::features::{OptionalFeature, UnsupportedFeatures};
use super::wire::{Api, ModelRequest, api, merge_extra, recorded_extra};
use crate::excerpt::excerpt;
use crate::profile::{Sampling, Wire};
use crate::{Endpoint, ModelConfig, RetryPolicy, Secret};

mod attempt;
mod list;
mod recovery;

use attempt::Attempt;
pub use list::ModelList;

/// The HTTP client of one model.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    config: ModelConfig,
    api: &'static dyn Api,
    /// The headers with the key, marked as sensitive so that it is not shown either.
    auth: HeaderMap,
    /// What they and the further headers have that must not be shown.
    secrets: Vec<Secret>,
    /// [`UnsupportedFeatures`], learned from refusals.
    unsupported: AtomicU8,
    /// The code of the [`ComputerTool`] that was taken after another was refused; 0 before that.
    computer: AtomicU8,
    /// The most pictures that the endpoint takes in a request, as it has said; `usize::MAX` before that.
    pictures: AtomicUsize,
    /// The most tokens that it lets a reply have, as it has said; `u32::MAX` before that.
    tokens: AtomicU32,
    /// It has been logged that another model answers than the one asked for.
    mismatch_logged: AtomicBool,
    /// The endpoint has listed the model that it is asked for.
    is_listed: AtomicBool,
    /// The endpoint has answered, with whatever.
    has_answered: AtomicBool,
    /// An answer was one of this API.
    has_completed: AtomicBool,
}

/// What is sent, and what has been changed about it within one call.
struct Request<'a> {
    prompt: Cow<'a, Prompt>,
    sampling: Sampling,
    body: Bytes,
    /// What the body was made without. Other calls may have learned of more since.
    unsupported: UnsupportedFeatures,
    /// The tool for computers that the body declares.
    computer: Option<ComputerTool>,
    /// Those that were refused in this call.
    refused_tools: ComputerTools,
    /// Attempts that failed because something had to be changed. They do not count as retries.
    changes: u32,
    is_shortened: bool,
    reply: ReplyLength,
    /// An attempt has failed in a way that may be paid for, by taking long or by a cut: the next that does is the last.
    has_been_repeated: bool,
}

/// How long the reply may be that is asked for, beside what the sampling says of it now.
struct ReplyLength {
    /// Its tokens where the prompt leaves room for them.
    most: u32,
    /// That is what the endpoint has said in this call to allow.
    is_capped: bool,
    /// It was asked to be as short as the prompt leaves room for it.
    has_less_room: bool,
}

impl Client {
    pub(super) fn new(config: ModelConfig, wire: Wire) -> Result<Self, ConfigError> {
        // reqwest is built without a TLS provider of its own.
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::debug!("a TLS provider is already installed");
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("ayeaye/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the key and the screen to an address nobody configured.
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(config.limits.connect);
        if config.endpoint.is_loopback() {
            builder = builder.no_proxy();
        }
        if !config.endpoint.is_encrypted() {
            // Without TLS, a machine without certificates will do.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| ConfigError::Tls(error.to_string()))?;
        let api = api(wire);
        let headers = config.key.as_ref().map(|key| api.auth_headers(key, &config.endpoint));
        let mut auth = HeaderMap::new();
        for (name, value) in headers.unwrap_or_default() {
            let mut value = HeaderValue::try_from(value).map_err(|_| ConfigError::Key)?;
            value.set_sensitive(true);
            auth.insert(name, value);
        }
        let secrets =
            config.key.clone().into_iter().chain(config.extra_headers.secrets()).collect();
        Ok(Self {
            http,
            config,
            api,
            auth,
            secrets,
            unsupported: AtomicU8::new(0),
            computer: AtomicU8::new(0),
            pictures: AtomicUsize::new(usize::MAX),
            tokens: AtomicU32::new(u32::MAX),
            mismatch_logged: AtomicBool::new(false),
            is_listed: AtomicBool::new(false),
            has_answered: AtomicBool::new(false),
            has_completed: AtomicBool::new(false),
        })
    }

    pub(crate) fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn endpoint(&self) -> &Endpoint {
        &self.config.endpoint
    }

    /// Sends a prompt until an answer comes, attempts run out, or `limit` is over.
    ///
    /// A feature that the endpoint refuses is left out from then on, and so are pictures and tokens beyond the
    /// number it allows; where prompt and reply do not fit, the reply is made shorter, then the prompt, once.
    /// None of it counts as a failed attempt.
    /// Where nothing has ever answered and the connection is refused, nothing runs there: no attempt
    /// follows. Where no answer was ever one of this API, one of another is asked for once more.
    pub(crate) async fn complete(
        &self,
        prompt: &Prompt,
        sampling: Sampling,
        policy: &RetryPolicy,
        limit: Duration,
        failed: &FailedAttempts,
    ) -> Result<Reply, ModelError> {
        let started = Instant::now();
        let end = started + limit.min(MAX_LIMIT);
        let mut request = self.first_request(prompt, sampling);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (error, cut) = match self.attempt(&request, end).await {
                Ok(attempt) if attempt.completion.is_cut() => (AttemptError::cut(), Some(attempt)),
                Ok(attempt) => {
                    self.has_completed.store(true, Ordering::Relaxed);
                    return Ok(self.reply(attempt, started.elapsed(), failed.take()));
                }
                Err(error) if self.has_answered() => (error.after_answers(), None),
                Err(error) => (error, None),
            };
            // Not the message: it may quote the endpoint, and that may quote the prompt.
            tracing::debug!(attempts, kind = ?error.kind, "an attempt to ask the model failed");
            let retry = |waited| Retry {
                error: self.describe(&error, policy),
                unquoted: self.describe_unquoted(&error, policy),
                waited,
                taken: error.is_taken,
            };
            let left = end.saturating_duration_since(Instant::now());
            let wait = self.recover(self.recovery_from(&error), &mut request, attempts, policy);
            if let Some(waited) = wait.filter(|wait| *wait < left) {
                failed.push(retry(waited));
                tokio::time::sleep(waited).await;
                continue;
            }
            // Whoever asks for another reply tells the model that this one was cut.
            if let Some(attempt) = cut {
                return Ok(self.reply(attempt, started.elapsed(), failed.take()));
            }
            let last = retry(Duration::ZERO);
            failed.push(last.clone());
            let counted = |message: String| match attempts {
                1 => message,
                several => format!("{message} (after {several} attempts)"),
            };
            return Err(ModelError {
                kind: error.kind,
                message: counted(last.error),
                unquoted: last.unquoted.map(counted),
                source: error.source.map(Into::into),
                retries: failed.take(),
                latency: started.elapsed(),
            });
        }
    }

    /// A request within what the endpoint was learned to take.
    fn first_request<'a>(&self, prompt: &'a Prompt, sampling: Sampling) -> Request<'a> {
        let computer = self.computer_tool(prompt);
        let fewer = prompt.with_last_pictures(self.pictures.load(Ordering::Relaxed));
        let prompt = fewer.map_or(Cow::Borrowed(prompt), Cow::Owned);
        let sampling = self.within_limits(sampling);
        let unsupported = self.unsupported();
        Request {
            body: self.body(&prompt, sampling, unsupported, computer),
            prompt,
            unsupported,
            reply: ReplyLength {
                most: sampling.max_tokens,
                is_capped: false,
                has_less_room: false,
            },
            sampling,
            computer,
            refused_tools: ComputerTools::default(),
            changes: 0,
            is_shortened: false,
            has_been_repeated: false,
        }
    }

    /// What an error calls for, by what is known of the endpoint so far.
    fn recovery_from(&self, error: &AttemptError) -> Recovery {
        if error.is_absent() && !self.has_answered() {
            // Nothing runs there.
            return Recovery::GiveUp;
        }
        // That is another address, unless it was the right one before: then a gateway may say so for a moment.
        if error.is_of_other_api && !self.has_completed.load(Ordering::Relaxed) {
            return Recovery::RetryOnce { after: None };
        }
        error.recovery
    }

    fn unsupported(&self) -> UnsupportedFeatures {
        UnsupportedFeatures(self.unsupported.load(Ordering::Relaxed))
    }

    /// The sampling with replies no longer than the endpoint has said that it allows.
    pub(super) fn within_limits(&self, sampling: Sampling) -> Sampling {
        let most = self.tokens.load(Ordering::Relaxed);
        Sampling { max_tokens: sampling.max_tokens.min(most), ..sampling }
    }

    /// The generation of the tool for computers that a prompt is sent with.
    fn computer_tool(&self, prompt: &Prompt) -> Option<ComputerTool> {
        let declared = ComputerTool::declared(&prompt.tools)?;
        let learned = ComputerTool::from_code(self.computer.load(Ordering::Relaxed));
        Some(learned.unwrap_or_else(|| declared.first_for(&self.config.name)))
    }

    /// A prompt as it is sent without these features.
    fn request<'a>(
        &'a self,
        prompt: &'a Prompt,
        sampling: Sampling,
        unsupported: UnsupportedFeatures,
        computer: Option<ComputerTool>,
    ) -> ModelRequest<'a> {
        let (model, stream) = (self.config.name.as_str(), self.config.stream);
        let (calls, endpoint) = (&self.config.calls, Some(self.endpoint()));
        ModelRequest { model, prompt, sampling, calls, endpoint, stream, unsupported, computer }
    }

    /// The settings of calls that are sent: not those that the API has no field for, or the endpoint has refused.
    pub(super) fn params(&self, sampling: Sampling) -> Map<String, Value> {
        let mut params = self.within_limits(sampling).params();
        if self.unsupported().contains(OptionalFeature::Sampling) {
            params.retain(|name, _| name == "max_tokens");
        }
        params.extend(recorded_extra(&self.config.calls));
        params.retain(|name, _| self.api.takes(name));
        params
    }

    /// The settings of calls that the API has no field for.
    pub(crate) fn not_sent(&self, sampling: Sampling) -> Vec<String> {
        let set = sampling.params().into_iter().chain(recorded_extra(&self.config.calls));
        set.map(|(name, _)| name).filter(|name| !self.api.takes(name)).collect()
    }

    fn body(
        &self,
        prompt: &Prompt,
        sampling: Sampling,
        unsupported: UnsupportedFeatures,
        computer: Option<ComputerTool>,
    ) -> Bytes {
        let request = self.request(prompt, sampling, unsupported, computer);
        let mut body = self.api.body(&request);
        merge_extra(&mut body, &self.config.calls.extra_body);
        Bytes::from(body.to_string())
    }

    /// Notes that the endpoint lists the model, under whatever name it answers.
    pub(super) fn note_listed(&self) {
        self.is_listed.store(true, Ordering::Relaxed);
    }

    /// Whether the endpoint has answered anything so far.
    pub(crate) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }

    fn reply(&self, attempt: Attempt, latency: Duration, retries: Vec<Retry>) -> Reply {
        let Attempt { mut completion, first_token } = attempt;
        // An endpoint may put the key that it was sent anywhere, and these are shown and kept.
        let told = completion.model.take().map(|name| self.redact(&name));
        let model = told.unwrap_or_else(|| self.config.name.clone());
        if !may_be_same_model(&self.config.name, &model)
            && !self.mismatch_logged.swap(true, Ordering::Relaxed)
        {
            // No error: many servers answer under a name of their own. The journal has it as well.
            let (asked, answers) = (&self.config.name, excerpt(&model));
            let what = "the model endpoint was asked for";
            if self.is_listed.load(Ordering::Relaxed) {
                tracing::info!("{what} {asked}, which it lists, and answers as {answers}");
            } else {
                tracing::warn!("{what} {asked} and answers as {answers}");
            }
        }
        Reply {
            calls: completion.take_tool_calls(),
            text: completion.text,
            reasoning: completion.reasoning,
            finish_reason: completion.finish_reason.map(|reason| self.redact(&reason)),
            model,
            tokens: completion.tokens,
            latency,
            first_token,
            retries,
        }
    }

    /// An error as a whole sentence, without the key.
    fn describe(&self, error: &AttemptError, policy: &RetryPolicy) -> String {
        self.sentence(error, &error.message(|text| self.redact(text)), policy)
    }

    /// An error as a whole sentence without the endpoint's own words, where it quotes any.
    fn describe_unquoted(&self, error: &AttemptError, policy: &RetryPolicy) -> Option<String> {
        Some(self.sentence(error, &error.unquoted()?, policy))
    }

    fn sentence(&self, error: &AttemptError, message: &str, policy: &RetryPolicy) -> String {
        let wait = match error.recovery {
            Recovery::Retry { after: Some(after) } if policy.max_retry_after < after => {
                format!("; it asks not to be asked again for {}", in_words(after))
            }
            _ => String::new(),
        };
        self.redact(&format!("the model endpoint {} {message}{wait}", self.endpoint()))
    }

    fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.redact_in(&text))
    }
}

/// A long time, in its largest unit of which it is at least two; rounded up.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil();
    let units = [(86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    if 365.0 * 86400.0 < seconds {
        return "more than a year".to_owned();
    }
    let (each, unit) =
        units.into_iter().find(|(each, _)| 2.0 * each <= seconds).unwrap_or((1.0, "seconds"));
    format!("{} {unit}", (seconds / each).ceil())
}

/// Whether two names may mean one model, with or without a path before it or a date behind it.
fn may_be_same_model(asked: &str, answers: &str) -> bool {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let (asked, answers) = (bare(asked), bare(answers));
    asked.contains(&answers) || answers.contains(&asked)
}
