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

use super::answer::{self, Answer};
use super::failure::{Failure, Next};
use super::intake::Intake;
use super::wire::{Api, Ask, Extra, Refused, api};
use super::{ConfigError, wait};
use crate::endpoint::shown;
use crate::profile::{Sampling, Wire};
use crate::{Endpoint, ModelConfig, Retries};

/// The one who talks to an endpoint.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    config: ModelConfig,
    api: &'static dyn Api,
    /// The header of the key. Marked as sensitive: it is not shown either.
    key: Option<(HeaderName, HeaderValue)>,
    /// What the endpoint has refused to be asked: [`Refused`].
    refused: AtomicU8,
    /// It has been said that another model answers than the one asked for.
    swap_told: AtomicBool,
}

/// What an endpoint says when it is asked for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Their names.
    Names(Vec<String>),
    /// It keeps no list.
    NoList,
    /// A page for people: perhaps nothing but a web server.
    Page,
}

/// One attempt that went well.
struct Heard {
    answer: Answer,
    first_token: Option<Duration>,
}

/// After `[DONE]`: how long to wait for the end of the answer, so that the connection can serve
/// the next step.
const FAREWELL: Duration = Duration::from_millis(50);
/// The most bytes of an error answer that are looked at.
const LONGEST_ERROR: usize = 16 << 10;
/// Longer limits are as good as none, and would overflow clocks.
const LONGEST_CALL: Duration = Duration::from_hours(24);

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
            let (name, value) = api.key(key);
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
            refused: AtomicU8::new(0),
            swap_told: AtomicBool::new(false),
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
    pub(crate) async fn ask(
        &self,
        prompt: &Prompt,
        sampling: Sampling,
        retries: &Retries,
        limit: Duration,
    ) -> Result<Reply, ModelError> {
        let started = Instant::now();
        let end = started + limit.min(LONGEST_CALL);
        let mut prompt = Cow::Borrowed(prompt);
        let mut body = self.body(&prompt, sampling);
        let mut failed: Vec<Retry> = Vec::new();
        let mut changes: u32 = 0;
        let mut was_slow = false;
        let mut was_shortened = false;
        loop {
            let failure = match self.attempt(&prompt, body.clone(), end).await {
                Ok(heard) => return Ok(self.reply(heard, started.elapsed(), failed)),
                Err(failure) => failure,
            };
            let error = self.told(&failure);
            // Its words may be the endpoint's, and those may be the prompt's.
            tracing::debug!("an attempt to ask the model failed");
            let all = u32::try_from(failed.len()).unwrap_or(u32::MAX).saturating_add(1);
            let mut made = all.saturating_sub(changes);
            let backoff = |asked| wait::before(retries, made + 1, asked, rand::random());
            let wait = match failure.next {
                Next::Once if !was_slow => {
                    was_slow = true;
                    Some(backoff(None))
                }
                Next::Again { asked } => Some(backoff(asked)),
                Next::Without(extra)
                    if self.api.can_do_without(extra)
                        && self.say(&prompt, sampling).says(extra) =>
                {
                    tracing::info!("the model endpoint refuses {}: left out", extra.name());
                    let refused = self.refused().with(extra);
                    self.refused.fetch_or(refused.0, Ordering::Relaxed);
                    body = self.body(&prompt, sampling);
                    changes += 1;
                    made -= 1;
                    Some(Duration::ZERO)
                }
                Next::Shorter if !was_shortened => prompt.shorter().map(|shorter| {
                    was_shortened = true;
                    prompt = Cow::Owned(shorter);
                    body = self.body(&prompt, sampling);
                    changes += 1;
                    made -= 1;
                    Duration::ZERO
                }),
                Next::GiveUp | Next::Once | Next::Without(_) | Next::Shorter => None,
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

    fn refused(&self) -> Refused {
        Refused(self.refused.load(Ordering::Relaxed))
    }

    /// A prompt as it is asked now.
    fn say<'a>(&'a self, prompt: &'a Prompt, sampling: Sampling) -> Ask<'a> {
        let (model, stream) = (self.config.name.as_str(), self.config.stream);
        Ask { model, prompt, sampling, stream, refused: self.refused() }
    }

    /// How words are asked to be chosen, without what the endpoint has refused.
    pub(super) fn params(&self, sampling: Sampling) -> Map<String, Value> {
        let mut params = sampling.params();
        params.retain(|name, _| name == "max_tokens" || !self.refused().holds(Extra::Sampling));
        params
    }

    fn body(&self, prompt: &Prompt, sampling: Sampling) -> Bytes {
        Bytes::from(self.api.body(&self.say(prompt, sampling)).to_string())
    }

    /// The models the endpoint offers.
    pub(crate) async fn models(&self) -> Result<Offer, String> {
        let end = Instant::now() + self.config.limits.first_byte;
        let found = self.list(end).await;
        found.map_err(|failure| self.told(&failure))
    }

    async fn list(&self, end: Instant) -> Result<Offer, Failure> {
        let pace = self.pace(end);
        let url = self.api.models(self.endpoint());
        let response = self.send(Method::GET, url, self.api.headers(None), None, &pace).await?;
        if matches!(response.status().as_u16(), 404 | 405 | 501) {
            return Ok(Offer::NoList);
        }
        let response = self.checked(response, &pace).await?;
        let body = some_bytes(response.bytes_stream(), self.config.limits.reply, &pace).await;
        if body.trim_ascii_start().starts_with(b"<") {
            return Ok(Offer::Page);
        }
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        let list = said["data"].as_array().or_else(|| said["models"].as_array());
        Ok(list.map_or(Offer::NoList, |list| {
            let name = |model: &Value| {
                let name = model["id"].as_str().or_else(|| model["name"].as_str())?;
                Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
            };
            Offer::Names(list.iter().filter_map(name).collect())
        }))
    }

    async fn attempt(&self, prompt: &Prompt, body: Bytes, end: Instant) -> Result<Heard, Failure> {
        let started = Instant::now();
        let pace = self.pace(end);
        let url = self.api.url(self.endpoint(), &self.config.name, self.config.stream);
        let headers = self.api.headers(Some(prompt));
        let response = self.send(Method::POST, url, headers, Some(body), &pace).await?;
        let response = self.checked(response, &pace).await?;
        let header = response.headers().get(CONTENT_TYPE);
        let content_type = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut intake = Intake::new(self.api, self.config.limits, content_type);
        let mut first_token = None;
        let mut bytes = response.bytes_stream();
        while let Some(piece) = pace.next("sent no more of its answer", bytes.next()).await? {
            let done = intake.push(&piece.map_err(Failure::transport)?)?;
            if first_token.is_none() && intake.has_begun() {
                first_token = Some(started.elapsed());
            }
            if done {
                while let Ok(Some(Ok(_))) =
                    timeout_at(Instant::now() + FAREWELL, bytes.next()).await
                {}
                break;
            }
        }
        Ok(Heard { answer: intake.finish()?, first_token })
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Option<Bytes>,
        pace: &Pace,
    ) -> Result<Response, Failure> {
        let mut request = self.http.request(method, url).headers(headers);
        request = request.header(ACCEPT, "application/json, text/event-stream");
        if let Some((name, key)) = &self.key {
            request = request.header(name, key.clone());
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        pace.next("gave no answer", request.send()).await?.map_err(Failure::transport)
    }

    /// The answer, if its status says that it is one.
    async fn checked(&self, response: Response, pace: &Pace) -> Result<Response, Failure> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.map(|to| Url::parse(to).map_or_else(|_| to.to_owned(), |url| shown(&url)));
            let to = to.unwrap_or_else(|| "nowhere".to_owned());
            return Err(Failure::redirected(status.as_u16(), &to));
        }
        let asked = wait::asked(response.headers());
        let body = some_bytes(response.bytes_stream(), LONGEST_ERROR, pace).await;
        Err(Failure::reported(status.as_u16(), &self.blotted(&answer::message(&body)), asked))
    }

    fn reply(&self, heard: Heard, latency: Duration, retries: Vec<Retry>) -> Reply {
        let Heard { mut answer, first_token } = heard;
        let model = answer.model.take().unwrap_or_else(|| self.config.name.clone());
        if !is_the_same(&self.config.name, &model) && !self.swap_told.swap(true, Ordering::Relaxed)
        {
            // Not fatal: many servers answer under a name of their own. The record has it as well.
            let (asked, answers) = (&self.config.name, super::quoted(&model));
            tracing::warn!("the model endpoint was asked for {asked} and answers as {answers}");
        }
        Reply {
            calls: answer.take_calls(),
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

    fn pace(&self, end: Instant) -> Pace {
        let limits = &self.config.limits;
        let total = Instant::now() + limits.total.min(LONGEST_CALL);
        Pace {
            gap: limits.first_byte.min(LONGEST_CALL),
            started: Instant::now(),
            end: end.min(total),
        }
    }

    /// A failure in a whole sentence, without the key.
    fn told(&self, failure: &Failure) -> String {
        self.blotted(&format!("the model endpoint {} {}", self.endpoint(), failure.text))
    }

    fn blotted(&self, text: &str) -> String {
        self.config.key.as_ref().map_or_else(|| text.to_owned(), |key| key.blot(text))
    }
}

/// The deadlines of one attempt.
struct Pace {
    /// The longest that nothing may come.
    gap: Duration,
    started: Instant,
    end: Instant,
}

impl Pace {
    async fn next<T>(&self, what: &str, future: impl Future<Output = T>) -> Result<T, Failure> {
        let until = (Instant::now() + self.gap).min(self.end);
        timeout_at(until, future).await.map_err(|_| {
            let whole = until == self.end;
            let limit = if whole { self.end.duration_since(self.started) } else { self.gap };
            Failure::slow(what, limit)
        })
    }
}

/// The start of a body that is only looked at; what goes wrong on the way ends it.
async fn some_bytes(
    bytes: impl Stream<Item = reqwest::Result<Bytes>>,
    most: usize,
    pace: &Pace,
) -> Vec<u8> {
    let mut bytes = std::pin::pin!(bytes);
    let mut body = Vec::new();
    while let Ok(Some(Ok(piece))) = pace.next("", bytes.next()).await {
        let room = most - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if body.len() == most {
            break;
        }
    }
    body
}

/// Whether two names may be one model's: with or without a path before it or a date behind it.
fn is_the_same(asked: &str, answers: &str) -> bool {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let (asked, answers) = (bare(asked), bare(answers));
    asked.contains(&answers) || answers.contains(&asked)
}
