//! Settings of a model, complete: no defaults are applied later.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::Prices;

use crate::profile::coords::CoordSystem;
use crate::{CallSettings, Endpoint, ExtraHeaders, OfficialPrompt, Profile, Secret};

/// A model, and how to ask it.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Where it is asked. The key is sent there and nowhere else.
    pub endpoint: Endpoint,
    /// As the endpoint knows it, such as `gelab-zero-4b-preview`.
    pub name: String,
    /// The API key, if there is one.
    pub key: Option<Secret>,
    /// Further headers of requests.
    pub extra_headers: ExtraHeaders,
    /// Its profile; chosen by its name if `None`.
    pub profile: Option<Profile>,
    /// Whether to ask for a streamed reply. Whichever comes is understood.
    pub stream: bool,
    /// The most pixels of a picture that it is sent; as in its profile if `None`.
    pub max_pixels: Option<u32>,
    /// Its coordinate system; as in its profile if `None`.
    pub space: Option<CoordSystem>,
    /// How it is asked to choose its words, where that is not as in its profile.
    pub calls: CallSettings,
    /// The prompt in the place of the profile's own, if one was imported.
    pub prompt: Option<Arc<OfficialPrompt>>,
    /// What its calls cost, where that is known.
    pub prices: Option<Prices>,
    /// Limits of one attempt.
    pub limits: Limits,
    /// When failed attempts are retried.
    pub retries: RetryPolicy,
}

/// Limits of one attempt. A whole call is also bounded by the limit that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the first byte of the answer, and between any two pieces of it.
    pub first_byte: Duration,
    /// From the request to the last byte.
    pub total: Duration,
    /// Bytes of reply and reasoning together.
    pub reply: usize,
    /// Bytes of the whole answer, decompressed.
    pub body: usize,
}

impl Limits {
    /// Suits anything from a model on this machine to a busy one far away.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_mins(1),
        total: Duration::from_mins(3),
        reply: 1 << 20,
        // A streamed token costs about 250 bytes of JSON around it.
        body: 16 << 20,
    };
}

/// How a busy, broken or absent endpoint is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts of one call, the first included.
    pub attempts: u32,
    /// The wait before the second attempt. It doubles with each, with a jitter of half so that
    /// clients that failed together do not come back together.
    pub initial_backoff: Duration,
    /// The longest `Retry-After` that is waited for; a longer one ends the call.
    pub max_retry_after: Duration,
}

impl RetryPolicy {
    /// Five attempts, about 15 s of waiting.
    pub const DEFAULT: Self = Self {
        attempts: 5,
        initial_backoff: Duration::from_secs(1),
        max_retry_after: Duration::from_mins(1),
    };
}

impl ModelConfig {
    /// This model at this endpoint, with no key and standard limits.
    pub fn new(endpoint: Endpoint, name: impl Into<String>) -> Self {
        Self {
            endpoint,
            name: name.into(),
            key: None,
            extra_headers: ExtraHeaders::default(),
            profile: None,
            stream: true,
            max_pixels: None,
            space: None,
            calls: CallSettings::default(),
            prompt: None,
            prices: None,
            limits: Limits::DEFAULT,
            retries: RetryPolicy::DEFAULT,
        }
    }
}
