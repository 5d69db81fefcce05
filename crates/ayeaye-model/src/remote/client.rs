//! Asking: attempts, their deadlines, and when to try again.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ayeaye_agent::{ModelError, Prompt, Reply, Retry};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Method, Response, redirect};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::ConfigError;
use super::answer::{self, Answer};
use super::failure::{Failure, Next};
use super::intake::Intake;
use super::request::{self, Delivery};
use super::wait;
use crate::endpoint::shown;
use crate::profile::Sampling;
use crate::{Endpoint, ModelConfig, Retries, Secret};

/// The one who talks to an endpoint.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    config: ModelConfig,
    /// Marked as sensitive: it is not shown either.
    authorization: Option<HeaderValue>,
    /// The endpoint has refused to be asked for token counts.
    usage_refused: AtomicBool,
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
    pub(super) fn new(config: ModelConfig) -> Result<Self, ConfigError> {
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
        let authorization = config.key.as_ref().map(bearer).transpose()?;
        Ok(Self { http, config, authorization, usage_refused: AtomicBool::new(false) })
    }

    pub(crate) fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn endpoint(&self) -> &Endpoint {
        &self.config.endpoint
    }

    /// Sends a prompt until an answer comes, attempts run out, or `limit` is over.
    pub(crate) async fn ask(
        &self,
        prompt: &Prompt,
        sampling: Sampling,
        retries: &Retries,
        limit: Duration,
    ) -> Result<Reply, ModelError> {
        let started = Instant::now();
        let end = started + limit.min(LONGEST_CALL);
        let mut how = self.delivery();
        let mut body = request::body(&self.config.name, prompt, sampling, how);
        let mut failed: Vec<Retry> = Vec::new();
        let mut was_slow = false;
        loop {
            let failure = match self.attempt(body.clone(), end).await {
                Ok(heard) => return Ok(self.reply(heard, started.elapsed(), failed)),
                Err(failure) => failure,
            };
            let error = self.told(&failure);
            // Its words may be the endpoint's, and those may be the prompt's.
            tracing::debug!("an attempt to ask the model failed");
            let made = u32::try_from(failed.len()).unwrap_or(u32::MAX).saturating_add(1);
            let backoff = |asked| wait::before(retries, made + 1, asked, rand::random());
            let wait = match failure.next {
                Next::Once if !was_slow => {
                    was_slow = true;
                    Some(backoff(None))
                }
                Next::Again { asked } => Some(backoff(asked)),
                Next::WithoutUsage if how == Delivery::StreamWithUsage => {
                    self.usage_refused.store(true, Ordering::Relaxed);
                    how = self.delivery();
                    body = request::body(&self.config.name, prompt, sampling, how);
                    Some(Duration::ZERO)
                }
                Next::GiveUp | Next::Once | Next::WithoutUsage => None,
            };
            let wait = wait.filter(|_| made < retries.attempts);
            let wait = wait.filter(|wait| *wait < end.saturating_duration_since(Instant::now()));
            let Some(waited) = wait else {
                let cause = if made == 1 {
                    error.clone()
                } else {
                    format!("{error} (after {made} attempts)")
                };
                failed.push(Retry { error, waited: Duration::ZERO });
                return Err(ModelError { cause, retries: failed, latency: started.elapsed() });
            };
            failed.push(Retry { error, waited });
            tokio::time::sleep(waited).await;
        }
    }

    /// The names of the models the endpoint offers; `None` if it keeps no list.
    pub(crate) async fn models(&self) -> Result<Option<Vec<String>>, String> {
        let end = Instant::now() + self.config.limits.first_byte;
        let found = self.list(end).await;
        found.map_err(|failure| self.told(&failure))
    }

    async fn list(&self, end: Instant) -> Result<Option<Vec<String>>, Failure> {
        let pace = self.pace(end);
        let response = self.send(Method::GET, self.endpoint().models(), None, &pace).await?;
        if matches!(response.status().as_u16(), 404 | 405 | 501) {
            return Ok(None);
        }
        let response = self.checked(response, &pace).await?;
        let body = some_bytes(response.bytes_stream(), self.config.limits.reply, &pace).await;
        let said: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let list = said["data"].as_array().or_else(|| said["models"].as_array());
        Ok(list.map(|list| {
            let name = |model: &serde_json::Value| {
                let name = model["id"].as_str().or_else(|| model["name"].as_str());
                name.map(str::to_owned)
            };
            list.iter().filter_map(name).collect()
        }))
    }

    async fn attempt(&self, body: Bytes, end: Instant) -> Result<Heard, Failure> {
        let started = Instant::now();
        let pace = self.pace(end);
        let response = self.send(Method::POST, self.endpoint().chat(), Some(body), &pace).await?;
        let response = self.checked(response, &pace).await?;
        let header = response.headers().get(CONTENT_TYPE);
        let content_type = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut intake = Intake::new(self.config.limits, content_type);
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
        body: Option<Bytes>,
        pace: &Pace,
    ) -> Result<Response, Failure> {
        let mut request = self.http.request(method, url);
        request = request.header(ACCEPT, "application/json, text/event-stream");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
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
        let Heard { answer, first_token } = heard;
        Reply {
            text: answer.text,
            reasoning: answer.reasoning,
            calls: Vec::new(),
            finish_reason: answer.finish_reason,
            model: answer.model.unwrap_or_else(|| self.config.name.clone()),
            tokens: answer.tokens,
            latency,
            first_token,
            retries,
        }
    }

    fn delivery(&self) -> Delivery {
        match (self.config.stream, self.usage_refused.load(Ordering::Relaxed)) {
            (false, _) => Delivery::Whole,
            (true, false) => Delivery::StreamWithUsage,
            (true, true) => Delivery::Stream,
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

fn bearer(key: &Secret) -> Result<HeaderValue, ConfigError> {
    let mut value =
        HeaderValue::try_from(format!("Bearer {}", key.expose())).map_err(|_| ConfigError::Key)?;
    value.set_sensitive(true);
    Ok(value)
}
