//! Settled values: plain, complete, without defaults hidden in them.
use std::time::Duration;

use ayeaye_agent::Prices;

use crate::profile::coords::CoordSystem;
use crate::{Endpoint, Profile, Secret};

/// A model and how to ask it.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Where it is asked. The key is sent there and nowhere else.
    pub endpoint: Endpoint,
    /// As the endpoint knows it, such as `gelab-zero-4b-preview`.
    pub name: String,
    /// Sent as a bearer token, when there is one.
    pub key: Option<Secret>,
    /// Which format it speaks; by its name when not said.
    pub profile: Option<Profile>,
    /// Whether to ask for the reply piece by piece. Either is understood whichever comes.
    pub stream: bool,
    /// Most pixels of the picture it is sent; as its profile wants when not said.
    pub max_pixels: Option<u32>,
    /// What the numbers of its points mean; as its profile says when not said.
    pub space: Option<CoordSystem>,
    /// What its calls cost, where that is known.
    pub prices: Option<Prices>,
    /// How long and how much.
    pub limits: Limits,
    /// What is tried again.
    pub retries: RetryPolicy,
}

/// What one attempt may take. A whole call is also bounded by the limit it is given.
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
    /// Bytes of the answer around them, unpacked.
    pub body: usize,
}

impl Limits {
    /// What serves from a model on this machine to a busy one far away.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_mins(1),
        total: Duration::from_mins(3),
        reply: 1 << 20,
        // A streamed token costs about 250 bytes of JSON around it.
        body: 16 << 20,
    };
}

/// What is tried again when an endpoint is busy, broken or away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts of one call, the first included.
    pub attempts: u32,
    /// Before the second attempt; it doubles with each, and is varied by half either way so that
    /// callers who failed together do not come back together.
    pub initial_backoff: Duration,
    /// The longest `Retry-After` that is waited for; a longer one is not believed.
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
            profile: None,
            stream: true,
            max_pixels: None,
            space: None,
            prices: None,
            limits: Limits::DEFAULT,
            retries: RetryPolicy::DEFAULT,
        }
    }
}
