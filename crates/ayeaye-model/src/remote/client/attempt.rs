//! One attempt: a request and its answer.
use std::sync::atomic::Ordering;
use std::time::Duration;

use ayeaye_agent::ModelErrorKind;
use bytes::Bytes;
use futures::StreamExt as _;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Response};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::super::backoff;
use super::super::completion::Completion;
use super::super::deadlines::{Deadlines, read_into};
use super::super::decoder::ResponseDecoder;
use super::super::error::AttemptError;
use super::super::error_body::{error_message, stated_wait};
use super::{Client, Request};
use crate::endpoint::redacted_url;

/// An attempt that succeeded.
pub(super) struct Attempt {
    pub(super) completion: Completion,
    pub(super) first_token: Option<Duration>,
}

/// How long to wait for the end of the answer after `[DONE]`, so that the connection can be reused.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(50);
/// How long to wait for the counts of tokens behind a reply, and for the end of its stream.
const COUNTS_TIMEOUT: Duration = Duration::from_secs(3);
/// The most bytes of an error answer that are looked at.
const MAX_ERROR_BYTES: usize = 16 << 10;

/// A connection that breaks this long after its attempt began may have been in use: it was not just stale. To connect
/// and to send is part of that time, so that what takes so long to send counts as received too.
const LATE: Duration = Duration::from_secs(5);

impl Client {
    pub(super) async fn attempt(
        &self,
        request: &Request<'_>,
        end: Instant,
    ) -> Result<Attempt, AttemptError> {
        let started = Instant::now();
        let late = LATE.min(self.config.limits.first_byte / 2);
        let attempt = self.exchange(request, end, started).await;
        let attempt = attempt.map_err(|err| err.at(self.endpoint()));
        let attempt =
            attempt.map_err(|err| if late <= started.elapsed() { err.late() } else { err });
        attempt.map_err(|err| if request.computer.is_some() { err.of_computer_tool() } else { err })
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        end: Instant,
        started: Instant,
    ) -> Result<Attempt, AttemptError> {
        let deadlines = Deadlines::new(&self.config.limits, end);
        let url = self.api.completion_url(self.endpoint(), &self.config.name, self.config.stream);
        let headers = self.api.headers(request.computer);
        let body = Some(request.body.clone());
        let sent = self.send(Method::POST, url, headers, body, &deadlines).await;
        // A connection that is not made in time is an endpoint that cannot be reached, another error.
        let is_late = |error: &AttemptError| error.kind == ModelErrorKind::TimedOut;
        let response = sent.map_err(|err| if is_late(&err) { err.taken() } else { err })?;
        let response = self.checked(response, &deadlines).await?;
        self.receive(response, &deadlines, started).await
    }

    /// The reply, once the endpoint has taken the request.
    async fn receive(
        &self,
        response: Response,
        deadlines: &Deadlines,
        started: Instant,
    ) -> Result<Attempt, AttemptError> {
        let header = response.headers().get(CONTENT_TYPE);
        let content_type = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut decoder = ResponseDecoder::new(self.api, self.config.limits, content_type);
        let mut first_token = None;
        // What it reports before any of the reply has come is an error with another status, and knows that itself.
        let failed = |error: AttemptError| if error.is_reported { error } else { error.taken() };
        let mut bytes = response.bytes_stream();
        let mut last = None;
        let broken = loop {
            let piece = deadlines.bound_by(last, "sent no more of its answer", bytes.next()).await;
            let piece = match piece {
                Ok(Some(Ok(piece))) => piece,
                Ok(Some(Err(err))) => break Some(AttemptError::transport(err).taken()),
                Ok(None) => break None,
                Err(late) => break Some(late.taken()),
            };
            let pushed = decoder.push(&piece);
            if first_token.is_none() && decoder.has_begun() {
                first_token = Some(started.elapsed());
            }
            match pushed {
                Ok(true) => {
                    // Once for all of it: an endpoint may go on for ever.
                    let until = Instant::now() + DRAIN_TIMEOUT;
                    while let Ok(Some(Ok(_))) = timeout_at(until, bytes.next()).await {}
                    break None;
                }
                Ok(false) if !decoder.is_whole() => last = None,
                Ok(false) => last = last.or_else(|| Some(Instant::now() + COUNTS_TIMEOUT)),
                Err(err) => break Some(failed(err)),
            }
        };
        let completion = match broken {
            None => decoder.finish().map_err(failed),
            Some(error) => decoder.finish_after(error),
        };
        Ok(Attempt { completion: completion?, first_token })
    }

    pub(super) async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Option<Bytes>,
        deadlines: &Deadlines,
    ) -> Result<Response, AttemptError> {
        // Those of the API count where a name is in both.
        let extra = self.config.extra_headers.to_send().clone();
        let mut request = self.http.request(method, url).headers(extra).headers(headers);
        request = request.header(ACCEPT, "application/json, text/event-stream");
        request = request.headers(self.auth.clone());
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let answer = deadlines.bound("gave no answer", request.send()).await?;
        let answer = answer.map_err(AttemptError::transport)?;
        self.has_answered.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    /// The answer, if its status says that it is one.
    pub(super) async fn checked(
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
            let shown =
                |to: &str| Url::parse(to).map_or_else(|_| to.to_owned(), |it| redacted_url(&it));
            let joined = to.and_then(|to| response.url().join(to).ok());
            let is_slash =
                joined.is_some_and(|it| it.path() == format!("{}/", response.url().path()));
            let to = to.map_or_else(|| "nowhere".to_owned(), shown);
            return Err(AttemptError::redirect(status.as_u16(), &to, is_slash));
        }
        let retry_after = backoff::retry_after(response.headers());
        let mut body = Vec::new();
        // What came of it says more than why there is no more of it.
        read_into(&mut body, response.bytes_stream(), MAX_ERROR_BYTES, deadlines).await.ok();
        if body.len() == MAX_ERROR_BYTES {
            self.secrets.iter().for_each(|it| it.drop_beginning_at_end(&mut body));
        }
        // Read as it came: a key that is a word may be in any of its words.
        let reason = error_message(&body);
        let retry_after = retry_after.or_else(|| stated_wait(&body, &reason));
        Err(AttemptError::from_status(status.as_u16(), &reason, retry_after))
    }
}
