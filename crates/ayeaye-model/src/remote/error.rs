//! Why an attempt failed, and what to do next.
use std::time::Duration;

use ayeaye_agent::{ModelErrorKind, error_chain};
use reqwest::StatusCode;

use super::computer_tool;
use super::features::OptionalFeature;
use crate::Endpoint;
use crate::excerpt::excerpt;

mod classify;
mod inputs;
mod words;

pub(super) use self::classify::LEAST_REPLY;
use self::classify::{FAULT, NO_GENERATION, PROXY_KEY, SHARED_CONTEXT, TOO_SLOW, busy, classify};
use self::inputs::without_inputs;
use self::words::{UNPARSED_REPLY, status_of};

/// What is told of an answer instead of a page's text.
pub(super) const WEB_PAGE: &str = "a web page";

/// A failed attempt.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub kind: ModelErrorKind,
    /// What happened: goes on with a sentence that begins with "the model endpoint <URL>".
    what: Box<str>,
    /// The endpoint's own words, where it reported the error. They are whole and as they came, since what they say
    /// is read from them; a key in them is hidden before they are cut for a message.
    said: String,
    /// The way out, where `what` does not say it.
    hint: &'static str,
    pub recovery: Recovery,
    /// The status that was reported, and the wait that was asked for.
    status: Option<(u16, Option<Duration>)>,
    pub source: Option<reqwest::Error>,
    /// The endpoint says itself that it failed, by a status or in its answer.
    pub is_reported: bool,
    /// It had taken the request, and may have it paid for.
    pub is_taken: bool,
    /// The answer is that of another API, or of none.
    pub is_of_other_api: bool,
}

/// What may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recovery {
    /// Nothing but a change of settings.
    GiveUp,
    /// Another attempt, after the time that the endpoint asked for if it did.
    Retry { after: Option<Duration> },
    /// One more attempt at most, after the time that the endpoint asked for if it did: the failure itself took long, or
    /// has been paid for.
    RetryOnce { after: Option<Duration> },
    /// The same request without a feature that this endpoint does not support.
    WithoutFeature(OptionalFeature),
    /// The same request with another generation of the tool for computers.
    OtherComputerTool,
    /// The same request with less of the history.
    ShorterPrompt,
    /// The same request for a reply of at most so many tokens: that is what the prompt leaves of the context.
    ShorterReply { tokens: u32 },
    /// The same request for a reply half as long: how much the prompt leaves of the context was not said.
    HalfReply,
    /// The same request for a reply of at most so many tokens: the endpoint allows no more, whatever the prompt.
    FewerTokens { most: u32 },
    /// The same request with the last so many pictures.
    FewerPictures { most: usize },
}

impl AttemptError {
    fn new(kind: ModelErrorKind, what: impl Into<String>, recovery: Recovery) -> Self {
        Self {
            kind,
            what: what.into().into_boxed_str(),
            said: String::new(),
            hint: "",
            recovery,
            status: None,
            source: None,
            is_reported: false,
            is_taken: false,
            is_of_other_api: false,
        }
    }

    /// Notes that the endpoint had taken the request.
    pub(super) fn taken(self) -> Self {
        Self { is_taken: true, ..self }
    }

    /// Where the answer failed behind what may have to be paid for, it is repeated once. But requests that fill the
    /// context together are for a server of one's own, and fail until some of them have ended.
    pub(super) fn behind(self, has_cost: bool) -> Self {
        if !has_cost {
            return self;
        }
        let recovery = match self.recovery {
            Recovery::Retry { after } if self.hint != SHARED_CONTEXT => {
                Recovery::RetryOnce { after }
            }
            other => other,
        };
        let is_bare = self.hint.is_empty() && self.is_break();
        Self {
            recovery,
            is_taken: true,
            hint: if is_bare { BROKEN_OFF } else { self.hint },
            ..self
        }
    }

    /// Whether the server could not read what the model has written.
    pub(super) fn is_unparsed_reply(&self) -> bool {
        let said = self.said.to_ascii_lowercase();
        UNPARSED_REPLY.iter().any(|word| said.contains(word))
    }

    /// The error of an endpoint that has answered before: where nobody listens any more, its server has ended.
    pub(super) fn after_answers(self) -> Self {
        if self.is_refused() { Self { hint: ENDED, ..self } } else { self }
    }

    /// HTTP 408: the request did not come in time, or, as some hosts mean it, the model was not done in time.
    fn is_request_timeout(&self) -> bool {
        self.status.is_some_and(|(status, _)| status == 408)
    }

    /// The rest of a sentence that begins with "the model endpoint <URL>". `hide` takes keys out of a text.
    pub(super) fn message(&self, hide: impl Fn(&str) -> String) -> String {
        if self.said.is_empty() {
            return hide(&self.with_hint(&self.what));
        }
        hide(&self.with_hint(&format!("{} ({})", self.what, excerpt(&hide(&self.said)))))
    }

    /// The message without the endpoint's own words, if it has any. A key is in none of it.
    pub(super) fn unquoted(&self) -> Option<String> {
        (!self.said.is_empty()).then(|| self.with_hint(&self.what))
    }

    fn with_hint(&self, what: &str) -> String {
        if self.hint.is_empty() { what.to_owned() } else { format!("{what}: {}", self.hint) }
    }

    /// An answer that cannot be used, where the next one may be better.
    pub(super) fn invalid_response(message: impl Into<String>) -> Self {
        let recovery = Recovery::Retry { after: None };
        Self::new(ModelErrorKind::InvalidResponse, message, recovery)
    }

    /// An answer of some other API, or of none.
    pub(super) fn wrong_api(what: &str) -> Self {
        Self {
            hint: "the base URL must be that of an OpenAI-compatible API, which usually ends in /v1, or of \
                   the API that the model's profile uses",
            is_of_other_api: true,
            ..Self::invalid_response(format!("answered with {what}"))
        }
    }

    /// An answer of the right API without a reply in it.
    pub(super) fn withheld(field: &str) -> Self {
        Self {
            hint: "it may hold back what it does not allow, or what it relays to may have failed: look at its log",
            ..Self::invalid_response(format!(
                "answered without a reply, with {field} that are empty"
            ))
        }
    }

    /// Adds words that stand in the answer.
    pub(super) fn quoting(self, words: String) -> Self {
        Self { said: words, ..self }
    }

    /// An answer beyond a limit of ours.
    pub(super) fn too_long(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::ResponseTooLong, message, Recovery::GiveUp)
    }

    /// Whether the answer just ended so: what had come of it by then is what the endpoint meant to say.
    pub(super) fn is_break(&self) -> bool {
        !self.is_reported && self.kind != ModelErrorKind::ResponseTooLong
    }

    /// Nothing came for too long.
    pub(super) fn timed_out(what: &str, limit: Duration) -> Self {
        let what = format!("{what} within {:.1} s", limit.as_secs_f64());
        let once = Recovery::RetryOnce { after: None };
        Self { hint: TOO_SLOW, ..Self::new(ModelErrorKind::TimedOut, what, once) }
    }

    /// Notes that the endpoint had the request for long by then. It may have worked on it until the connection broke,
    /// which is paid for: that is repeated once, as what is too slow is.
    pub(super) fn late(self) -> Self {
        let is_broken = self.source.as_ref().is_some_and(|it| !it.is_builder() && !it.is_connect());
        // Some hosts say so of a model that took too long.
        if is_broken || self.is_request_timeout() {
            Self { recovery: Recovery::RetryOnce { after: None }, is_taken: true, ..self }
        } else {
            self
        }
    }

    /// The request could not be sent, or the answer not be received.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut root: &dyn std::error::Error = &error;
        while let Some(source) = root.source() {
            root = source;
        }
        let cause = excerpt(&root.to_string());
        let retry = Recovery::Retry { after: None };
        let (kind, message, hint, recovery) = if error.is_builder() {
            let message = format!("cannot be asked: {cause}");
            (ModelErrorKind::Rejected, message, "", Recovery::GiveUp)
        } else if error.is_connect() {
            let (way_out, recovery) = unconnected(&error_chain(&error));
            let message = format!("cannot be reached ({cause})");
            (ModelErrorKind::Unreachable, message, way_out, recovery)
        } else if error.is_timeout() {
            let message = format!("did not answer in time ({cause})");
            (ModelErrorKind::TimedOut, message, "", Recovery::RetryOnce { after: None })
        } else {
            let message = format!("broke off the connection ({cause})");
            (ModelErrorKind::Unreachable, message, "", retry)
        };
        Self { source: Some(error), hint, ..Self::new(kind, message, recovery) }
    }

    /// Whether nothing is there: no process listens at the address, or no machine has the name.
    pub(super) fn is_absent(&self) -> bool {
        let unknown = |error: &reqwest::Error| is_unknown_name(&error_chain(error));
        self.is_refused() || self.source.as_ref().is_some_and(unknown)
    }

    /// Whether the connection was refused: no process listens at the address.
    pub(super) fn is_refused(&self) -> bool {
        let mut source: Option<&(dyn std::error::Error + 'static)> =
            self.source.as_ref().filter(|error| error.is_connect()).map(|error| error as _);
        while let Some(error) = source {
            let io = error.downcast_ref::<std::io::Error>();
            if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused) {
                return true;
            }
            source = error.source();
        }
        false
    }

    /// An error that the endpoint reports, by status or inside its answer.
    pub(super) fn from_status(status: u16, reason: &str, retry_after: Option<Duration>) -> Self {
        let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let mut what = format!("answered {status}");
        if let Some(name) = name {
            what = format!("{what} {name}");
        }
        Self::classified(what, status, reason, retry_after)
    }

    /// An error inside an answer, for which no status came; a number in it may be the one it would have had.
    pub(super) fn inside(number: Option<u16>, reason: &str, retry_after: Option<Duration>) -> Self {
        let what = "reported an error in its answer".to_owned();
        let by_words = status_of(&without_inputs(&reason.to_ascii_lowercase()));
        // A number outranks words, but for Zhipu's of a path where there is nothing, which is 500. Where nothing
        // tells, it may be temporary, like one of the server's own.
        let like = by_words.filter(|it| *it == 404).or(number).or(by_words).unwrap_or(500);
        let status = number.map(|number| (number, retry_after));
        Self { status, ..Self::classified(what, like, reason, retry_after) }
    }

    fn classified(what: String, status: u16, reason: &str, retry_after: Option<Duration>) -> Self {
        let lower = reason.to_ascii_lowercase();
        let (kind, hint, recovery) = classify(status, &without_inputs(&lower), retry_after);
        Self {
            said: reason.to_owned(),
            hint,
            status: Some((status, retry_after)),
            is_reported: true,
            is_taken: kind == ModelErrorKind::TimedOut,
            ..Self::new(kind, what, recovery)
        }
    }

    /// The error by what its status means at this endpoint.
    pub(super) fn at(self, endpoint: &Endpoint) -> Self {
        match self.status {
            // Whatever its words: quotas are of tokens in a minute there. One that is used up for good is a 403.
            Some((429, retry_after)) if endpoint.is_aliyun() => {
                let (kind, hint, recovery) = busy(retry_after);
                let is_taken = self.is_taken;
                Self { kind, hint, recovery, ..self }.behind(is_taken)
            }
            Some(_) | None => self,
        }
    }

    /// The error of a request that declares the tool for computers: a refusal that points at the tools is one of it.
    pub(super) fn of_computer_tool(self) -> Self {
        let is_pointed_at = self.kind == ModelErrorKind::Rejected
            && self.status.is_some_and(|(status, _)| matches!(status, 400 | 422))
            && matches!(
                self.recovery,
                Recovery::GiveUp | Recovery::WithoutFeature(OptionalFeature::Tools)
            )
            && computer_tool::is_pointed_at_in(&without_inputs(&self.said.to_ascii_lowercase()));
        if !is_pointed_at {
            return self;
        }
        Self { hint: NO_GENERATION, recovery: Recovery::OtherComputerTool, ..self }
    }

    /// An answer that ended before its reply did.
    pub(super) fn cut() -> Self {
        let what = "ended its answer before the end of the reply";
        let once = Recovery::RetryOnce { after: None };
        let error = Self::new(ModelErrorKind::InvalidResponse, what, once);
        Self { hint: "look at its log", is_taken: true, ..error }
    }

    /// An answer without anything to use, and a finish reason that says that it failed.
    pub(super) fn failed(reason: &str) -> Self {
        let what = format!("broke off its answer (finish reason {})", excerpt(reason));
        let retry = Recovery::Retry { after: None };
        Self {
            hint: FAULT,
            is_reported: true,
            ..Self::new(ModelErrorKind::ServerFault, what, retry)
        }
    }

    /// A redirect. It is not followed: the key is for the configured address only.
    pub(super) fn redirect(status: u16, to: &str, is_slash: bool) -> Self {
        if is_slash {
            let message = format!(
                "answered {status} and points to its own path with a slash behind it: clients of such APIs ask without; \
                 have its router, or the proxy in front of it, take both"
            );
            return Self::new(ModelErrorKind::Rejected, message, Recovery::GiveUp);
        }
        let message = format!(
            "answered {status} and points to {}: not followed, so that the key stays where it is \
             meant to be; if that is the right place, make it the base URL",
            excerpt(to)
        );
        Self::new(ModelErrorKind::Rejected, message, Recovery::GiveUp)
    }
}

const BROKEN_OFF: &str =
    "look at its log, and at that of a gateway in front of it, whose guardrail may have ended it";

const ENDED: &str =
    "it has answered before, so its server has ended: look at its log, and start it again";

const PROXY_FAILS: &str = "it is asked through a proxy, and that fails: correct https_proxy or all_proxy, or name the endpoint's \
     host in no_proxy";

/// Whether a system has said that no machine has a name: Linux (with glibc, musl), Apple's, Windows (in English, and by
/// its number in any language).
fn is_unknown_name(why: &str) -> bool {
    [
        "Name or service not known",
        "Name does not resolve",
        "nodename nor servname",
        "No such host is known",
        "(os error 11001)",
    ]
    .iter()
    .any(|words| why.contains(words))
}

/// The way out where there is no connection, and what may help: a later attempt, unless it cannot.
fn unconnected(why: &str) -> (&'static str, Recovery) {
    let retry = Recovery::Retry { after: None };
    match untrusted(why, SYSTEM_STORE) {
        Some(way_out) => (way_out, Recovery::GiveUp),
        None if why.contains("proxy authorization required") => (PROXY_KEY, Recovery::GiveUp),
        None if why.contains("tunnel") => (PROXY_FAILS, retry),
        None if is_unknown_name(why) => (
            "no machine has this name: correct model.base-url (AYEAYE_MODEL_BASE_URL), or join the network where it has one",
            retry,
        ),
        None => (
            "start it, or correct model.base-url (AYEAYE_MODEL_BASE_URL); one that is loading its model may need minutes",
            retry,
        ),
    }
}

/// Whether the system itself judges certificates, by its own store. Elsewhere `SSL_CERT_FILE` and `SSL_CERT_DIR` count.
pub const SYSTEM_STORE: bool = cfg!(any(windows, target_vendor = "apple"));

/// The way out where a connection cannot be encrypted, or not to whom it should be: neither passes by itself.
/// `system_store`: see [`SYSTEM_STORE`].
fn untrusted(why: &str, system_store: bool) -> Option<&'static str> {
    let mentions = |words: &[&str]| words.iter().any(|word| why.contains(word));
    Some(match () {
        () if system_store && mentions(&["CaUsedAsEndEntity"]) => {
            "its certificate is not trusted, since it is that of an issuer: give the server one of its own, with \
             basicConstraints=CA:FALSE, and add the issuer's to the system's store"
        }
        () if system_store && mentions(&["UnknownIssuer"]) => {
            "its certificate is not trusted: add that of its issuer to the system's store"
        }
        // A system has many words, and which of them it says of an issuer of the user's own is up to it.
        () if system_store && mentions(&["invalid peer certificate: Other"]) => {
            "its certificate is not trusted: if you are its issuer, add the issuer's to the system's store; otherwise \
             have it renewed, or made for the name in model.base-url"
        }
        () if mentions(&["CaUsedAsEndEntity"]) => {
            "its certificate is not trusted, since it is that of an issuer: give the server one of its own, with \
             basicConstraints=CA:FALSE, and name the issuer's file in SSL_CERT_FILE"
        }
        () if mentions(&["UnknownIssuer"]) => {
            "its certificate is not trusted: name the file of the issuer's certificate in SSL_CERT_FILE; where that is \
             set, see that the file is there, can be read and is PEM"
        }
        () if mentions(&["invalid peer certificate"]) => {
            "its certificate is not trusted: have it renewed, or made for the name in model.base-url"
        }
        () if mentions(&["InvalidContentType", "invalid content type"]) => {
            "it speaks no TLS at this port: use http:// in model.base-url, or the port where it does"
        }
        () => return None,
    })
}

#[cfg(test)]
mod tests;
