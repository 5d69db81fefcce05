//! Asking: attempts, their deadlines, and when to try again.
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use ayeaye_agent::{ModelError, Prompt, Reply, Retry};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response, redirect};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::completion::{self, Completion};
use super::decoder::ResponseDecoder;
use super::failure::{AttemptError, Recovery};
use super::wire::{Api, ModelRequest, OptionalFeature, UnsupportedFeatures, api};
use super::{ConfigError, backoff};
use crate::endpoint::redacted_url;
use crate::profile::{Sampling, Wire};
use crate::{Endpoint, ModelConfig, RetryPolicy};

/// The one who talks to an endpoint.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    config: ModelConfig,
    api: &'static dyn Api,
    /// The header of the key. Marked as sensitive: it is not shown either.
    key: Option<(HeaderName, HeaderValue)>,
    /// What the endpoint has refused to be asked: [`UnsupportedFeatures`].
    unsupported: AtomicU8,
    /// It has been said that another model answers than the one asked for.
    mismatch_logged: AtomicBool,
}

/// What an endpoint says when it is asked for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelList {
    /// Their names.
    Names(Vec<String>),
    /// It keeps no list.
    Unlisted,
    /// A page for people: perhaps nothing but a web server.
    WebPage,
}

/// One attempt that went well.
struct Attempt {
    answer: Completion,
    first_token: Option<Duration>,
}

/// After `[DONE]`: how long to wait for the end of the answer, so that the connection can serve
/// the next step.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(50);
/// The most bytes of an error answer that are looked at.
const MAX_ERROR_BYTES: usize = 16 << 10;
/// Longer limits are as good as none, and would overflow clocks.
const MAX_CALL: Duration = Duration::from_hours(24);

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
            // Without TLS, a machine without certificates does as well.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| ConfigError::Tls(error.to_string()))?;
        let api = api(wire);
        let key = config.key.as_ref().map(|key| {
            let (name, value) = api.auth_header(key);
            let mut value = HeaderValue::try_from(value).map_err(|_| ConfigError::Key)?;
            value.set_sensitive(true);
            Ok((name, value))
        });
        let key = key.transpose()?;
        Ok(Self {
            http,
            config,
            api,
            key,
            unsupported: AtomicU8::new(0),
            mismatch_logged: AtomicBool::new(false),
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
    /// What an endpoint does not take is left out from then on, and a prompt that is too long for it
    /// is shortened once; neither counts as an attempt that failed.
    pub(crate) async fn complete(
        &self,
        prompt: &Prompt,
        sampling: Sampling,
        retries: &RetryPolicy,
        limit: Duration,
    ) -> Result<Reply, ModelError> {
        let started = Instant::now();
        let end = started + limit.min(MAX_CALL);
        let mut prompt = Cow::Borrowed(prompt);
        let mut body = self.body(&prompt, sampling);
        let mut failed: Vec<Retry> = Vec::new();
        let mut changes: u32 = 0;
        let mut was_slow = false;
        let mut was_shortened = false;
        loop {
            let failure = match self.attempt(&prompt, body.clone(), end).await {
                Ok(attempt) => return Ok(self.reply(attempt, started.elapsed(), failed)),
                Err(failure) => failure,
            };
            let error = self.describe(&failure);
            // Its words may be the endpoint's, and those may be the prompt's.
            tracing::debug!("an attempt to ask the model failed");
            let all = u32::try_from(failed.len()).unwrap_or(u32::MAX).saturating_add(1);
            let mut made = all.saturating_sub(changes);
            let backoff = |asked| backoff::delay(retries, made + 1, asked, rand::random());
            let wait = match failure.next {
                Recovery::RetryOnce if !was_slow => {
                    was_slow = true;
                    Some(backoff(None))
                }
                Recovery::Retry { after } => Some(backoff(after)),
                Recovery::WithoutFeature(extra)
                    if self.api.is_optional(extra)
                        && self.request(&prompt, sampling).includes(extra) =>
                {
                    tracing::info!("the model endpoint refuses {}: left out", extra.name());
                    let unsupported = self.unsupported().with(extra);
                    self.unsupported.fetch_or(unsupported.0, Ordering::Relaxed);
                    body = self.body(&prompt, sampling);
                    changes += 1;
                    made -= 1;
                    Some(Duration::ZERO)
                }
                Recovery::ShorterPrompt if !was_shortened => prompt.shorter().map(|shorter| {
                    was_shortened = true;
                    prompt = Cow::Owned(shorter);
                    body = self.body(&prompt, sampling);
                    changes += 1;
                    made -= 1;
                    Duration::ZERO
                }),
                Recovery::GiveUp
                | Recovery::RetryOnce
                | Recovery::WithoutFeature(_)
                | Recovery::ShorterPrompt => None,
            };
            let wait = wait.filter(|_| made < retries.attempts);
            let wait = wait.filter(|wait| *wait < end.saturating_duration_since(Instant::now()));
            let Some(waited) = wait else {
                let cause = if all == 1 {
                    error.clone()
                } else {
                    format!("{error} (after {all} attempts)")
                };
                failed.push(Retry { error, waited: Duration::ZERO });
                return Err(ModelError { cause, retries: failed, latency: started.elapsed() });
            };
            failed.push(Retry { error, waited });
            tokio::time::sleep(waited).await;
        }
    }

    fn unsupported(&self) -> UnsupportedFeatures {
        UnsupportedFeatures(self.unsupported.load(Ordering::Relaxed))
    }

    /// A prompt as it is asked now.
    fn request<'a>(&'a self, prompt: &'a Prompt, sampling: Sampling) -> ModelRequest<'a> {
        let (model, stream) = (self.config.name.as_str(), self.config.stream);
        ModelRequest { model, prompt, sampling, stream, unsupported: self.unsupported() }
    }

    /// How words are asked to be chosen, without what the endpoint has refused.
    pub(super) fn params(&self, sampling: Sampling) -> Map<String, Value> {
        let mut params = sampling.params();
        params.retain(|name, _| {
            name == "max_tokens" || !self.unsupported().contains(OptionalFeature::Sampling)
        });
        params
    }

    fn body(&self, prompt: &Prompt, sampling: Sampling) -> Bytes {
        Bytes::from(self.api.body(&self.request(prompt, sampling)).to_string())
    }

    /// The models the endpoint offers.
    pub(crate) async fn models(&self) -> Result<ModelList, String> {
        let end = Instant::now() + self.config.limits.first_byte;
        let found = self.list(end).await;
        found.map_err(|failure| self.describe(&failure))
    }

    async fn list(&self, end: Instant) -> Result<ModelList, AttemptError> {
        let deadlines = self.deadlines(end);
        let url = self.api.models(self.endpoint());
        let response =
            self.send(Method::GET, url, self.api.headers(None), None, &deadlines).await?;
        if matches!(response.status().as_u16(), 404 | 405 | 501) {
            return Ok(ModelList::Unlisted);
        }
        let response = self.checked(response, &deadlines).await?;
        let body = read_prefix(response.bytes_stream(), self.config.limits.reply, &deadlines).await;
        if body.trim_ascii_start().starts_with(b"<") {
            return Ok(ModelList::WebPage);
        }
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        let list = said["data"].as_array().or_else(|| said["models"].as_array());
        Ok(list.map_or(ModelList::Unlisted, |list| {
            let name = |model: &Value| {
                let name = model["id"].as_str().or_else(|| model["name"].as_str())?;
                Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
            };
            ModelList::Names(list.iter().filter_map(name).collect())
        }))
    }

    async fn attempt(
        &self,
        prompt: &Prompt,
        body: Bytes,
        end: Instant,
    ) -> Result<Attempt, AttemptError> {
        let started = Instant::now();
        let deadlines = self.deadlines(end);
        let url = self.api.url(self.endpoint(), &self.config.name, self.config.stream);
        let headers = self.api.headers(Some(prompt));
        let response = self.send(Method::POST, url, headers, Some(body), &deadlines).await?;
        let response = self.checked(response, &deadlines).await?;
        let header = response.headers().get(CONTENT_TYPE);
        let content_type = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut decoder = ResponseDecoder::new(self.api, self.config.limits, content_type);
        let mut first_token = None;
        let mut bytes = response.bytes_stream();
        while let Some(piece) = deadlines.bound("sent no more of its answer", bytes.next()).await? {
            let done = decoder.push(&piece.map_err(AttemptError::transport)?)?;
            if first_token.is_none() && decoder.has_begun() {
                first_token = Some(started.elapsed());
            }
            if done {
                while let Ok(Some(Ok(_))) =
                    timeout_at(Instant::now() + DRAIN_TIMEOUT, bytes.next()).await
                {}
                break;
            }
        }
        Ok(Attempt { answer: decoder.finish()?, first_token })
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Option<Bytes>,
        deadlines: &Deadlines,
    ) -> Result<Response, AttemptError> {
        let mut request = self.http.request(method, url).headers(headers);
        request = request.header(ACCEPT, "application/json, text/event-stream");
        if let Some((name, key)) = &self.key {
            request = request.header(name, key.clone());
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        deadlines.bound("gave no answer", request.send()).await?.map_err(AttemptError::transport)
    }

    /// The answer, if its status says that it is one.
    async fn checked(
        &self,
        response: Response,
        deadlines: &Deadlines,
    ) -> Result<Response, AttemptError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to
                .map(|to| Url::parse(to).map_or_else(|_| to.to_owned(), |url| redacted_url(&url)));
            let to = to.unwrap_or_else(|| "nowhere".to_owned());
            return Err(AttemptError::redirect(status.as_u16(), &to));
        }
        let asked = backoff::retry_after(response.headers());
        let body = read_prefix(response.bytes_stream(), MAX_ERROR_BYTES, deadlines).await;
        Err(AttemptError::from_status(
            status.as_u16(),
            &self.redact(&completion::error_message(&body)),
            asked,
        ))
    }

    fn reply(&self, attempt: Attempt, latency: Duration, retries: Vec<Retry>) -> Reply {
        let Attempt { mut answer, first_token } = attempt;
        let model = answer.model.take().unwrap_or_else(|| self.config.name.clone());
        if !may_be_same_model(&self.config.name, &model)
            && !self.mismatch_logged.swap(true, Ordering::Relaxed)
        {
            // Not fatal: many servers answer under a name of their own. The record has it as well.
            let (asked, answers) = (&self.config.name, super::excerpt(&model));
            tracing::warn!("the model endpoint was asked for {asked} and answers as {answers}");
        }
        Reply {
            calls: answer.take_tool_calls(),
            text: answer.text,
            reasoning: answer.reasoning,
            finish_reason: answer.finish_reason,
            model,
            tokens: answer.tokens,
            latency,
            first_token,
            retries,
        }
    }

    fn deadlines(&self, end: Instant) -> Deadlines {
        let limits = &self.config.limits;
        let total = Instant::now() + limits.total.min(MAX_CALL);
        Deadlines {
            gap: limits.first_byte.min(MAX_CALL),
            started: Instant::now(),
            end: end.min(total),
        }
    }

    /// A failure in a whole sentence, without the key.
    fn describe(&self, failure: &AttemptError) -> String {
        self.redact(&format!("the model endpoint {} {}", self.endpoint(), failure.text))
    }

    fn redact(&self, text: &str) -> String {
        self.config.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact_in(text))
    }
}

/// The deadlines of one attempt.
struct Deadlines {
    /// The longest that nothing may come.
    gap: Duration,
    started: Instant,
    end: Instant,
}

impl Deadlines {
    async fn bound<T>(
        &self,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, AttemptError> {
        let until = (Instant::now() + self.gap).min(self.end);
        timeout_at(until, future).await.map_err(|_| {
            let whole = until == self.end;
            let limit = if whole { self.end.duration_since(self.started) } else { self.gap };
            AttemptError::timed_out(what, limit)
        })
    }
}

/// The start of a body that is only looked at; what goes wrong on the way ends it.
async fn read_prefix(
    bytes: impl Stream<Item = reqwest::Result<Bytes>>,
    most: usize,
    deadlines: &Deadlines,
) -> Vec<u8> {
    let mut bytes = std::pin::pin!(bytes);
    let mut body = Vec::new();
    while let Ok(Some(Ok(piece))) = deadlines.bound("", bytes.next()).await {
        let room = most - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if body.len() == most {
            break;
        }
    }
    body
}

/// Whether two names may be one model's: with or without a path before it or a date behind it.
fn may_be_same_model(asked: &str, answers: &str) -> bool {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let (asked, answers) = (bare(asked), bare(answers));
    asked.contains(&answers) || answers.contains(&asked)
}
