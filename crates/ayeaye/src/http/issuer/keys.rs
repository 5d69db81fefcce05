//! An issuer's keys: fetched, kept, and fetched anew when one is missing or they are old.
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ayeaye_agent::error_chain;
use futures::FutureExt as _;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;
use url::Url;

use super::Denied;
use super::discovery::KeySource;
use crate::text::{one_line, truncate};

/// After this long the keys are fetched again, while the old ones stay valid.
const OLD: Duration = Duration::from_hours(1);
/// After this long without an answer the keys are dropped: one may have been revoked.
const TOO_OLD: Duration = Duration::from_hours(24);
/// The least time between two fetches because of an unknown key, which anybody can name.
const AGAIN: Duration = Duration::from_secs(30);
/// The least time between two fetches when the issuer does not answer.
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long a request waits for a fetch.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an RSA key may be: ring takes 2048 to 8192 bits. Its text has four characters for three bytes.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;
/// Most keys of one issuer.
const MAX_KEYS: usize = 64;
/// The most characters that are told of what is wrong with an issuer.
const LONGEST_PROBLEM: usize = 500;

#[derive(Debug)]
pub(super) struct Keys {
    source: KeySource,
    kept: RwLock<Option<CachedKeys>>,
    /// Locked while fetching.
    last_try: Arc<Mutex<LastTry>>,
}

/// When keys were last fetched, and whether that succeeded.
type LastTry = Option<(Instant, bool)>;

#[derive(Debug, Clone)]
struct CachedKeys {
    keys: Arc<[Key]>,
    at: Instant,
}

#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    decoding: DecodingKey,
}

impl Keys {
    pub(super) fn new(issuer: &str, keys: Option<Url>) -> Result<Self, String> {
        let source = KeySource::new(issuer, keys)?;
        Ok(Self { source, kept: RwLock::default(), last_try: Arc::default() })
    }

    /// Fetches the keys in a task of its own.
    pub(super) fn prepare(self: &Arc<Self>) {
        tokio::spawn(Arc::clone(self).fetch(Instant::now()).boxed());
    }

    /// Fetches the keys to tell of them, not to keep them.
    pub(super) async fn check(&self) -> Result<String, String> {
        let (keys, told) = self.fetch_usable().await?;
        if keys.is_empty() { Err(told) } else { Ok(told) }
    }

    /// The keys that may have signed a token with this header.
    pub(super) async fn fitting(
        self: &Arc<Self>,
        header: &Header,
    ) -> Result<Vec<DecodingKey>, Denied> {
        let kept = self.kept().filter(|kept| kept.at.elapsed() < TOO_OLD);
        if let Some(kept) = kept {
            // Nobody waits for it: where a fetch is under way already, another one would only queue.
            if OLD < kept.at.elapsed()
                && let Ok(last_try) = Arc::clone(&self.last_try).try_lock_owned()
            {
                tokio::spawn(Arc::clone(self).fetch_locked(last_try, Instant::now()).boxed());
            }
            let found = kept.fitting(header);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // In a task of its own: this request may be dropped while others wait for the keys.
        let fetch = tokio::spawn(Arc::clone(self).fetch(Instant::now()).boxed());
        let wait = match tokio::time::timeout(PATIENCE, fetch).await {
            Ok(Ok(wait)) => wait,
            Ok(Err(_)) | Err(_) => Some(AGAIN_AFTER_FAILURE),
        };
        let kept = self.kept().filter(|kept| kept.at.elapsed() < TOO_OLD);
        match (kept, wait) {
            (None, wait) => Err(Denied::Unavailable(wait.unwrap_or(AGAIN_AFTER_FAILURE))),
            (Some(kept), wait) => match (kept.fitting(header), wait) {
                // Its key may be newer than these. One that is here is not, and does not fit.
                (found, Some(wait)) if found.is_empty() && !kept.has_id_of(header) => {
                    Err(Denied::UnknownKey(wait))
                }
                (found, _) => Ok(found),
            },
        }
    }

    fn kept(&self) -> Option<CachedKeys> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the keys, unless that was done since `seen` or just now. Returns how long it takes until they may be
    /// fetched again, where those that are kept are not of now.
    async fn fetch(self: Arc<Self>, seen: Instant) -> Option<Duration> {
        let last_try = Arc::clone(&self.last_try).lock_owned().await;
        self.fetch_locked(last_try, seen).await
    }

    async fn fetch_locked(
        self: Arc<Self>,
        mut last_try: OwnedMutexGuard<LastTry>,
        seen: Instant,
    ) -> Option<Duration> {
        if let Some((when, good)) = *last_try {
            let pause = if good { AGAIN } else { AGAIN_AFTER_FAILURE };
            let left = pause.saturating_sub(when.elapsed());
            if seen < when || !left.is_zero() {
                return (!good || when <= seen).then_some(left);
            }
        }
        let good = match self.fetch_usable().await {
            Ok((keys, told)) => {
                if keys.is_empty() {
                    tracing::warn!("{told}");
                } else {
                    tracing::info!("{told}");
                }
                let kept = CachedKeys { keys, at: Instant::now() };
                *self.kept.write().unwrap_or_else(PoisonError::into_inner) = Some(kept);
                true
            }
            Err(problem) => {
                tracing::warn!("{problem}");
                false
            }
        };
        *last_try = Some((Instant::now(), good));
        (!good).then_some(AGAIN_AFTER_FAILURE)
    }

    /// The keys that can be used, and what to tell of them; or what is wrong, in one line whatever the issuer's server
    /// answered.
    async fn fetch_usable(&self) -> Result<(Arc<[Key]>, String), String> {
        let issuer = self.source.issuer();
        let values = self.source.fetch().await.map_err(|err| {
            let problem = truncate(&one_line(&error_chain(&err)), LONGEST_PROBLEM);
            format!("no keys of the issuer {issuer}: {problem}")
        })?;
        let all = values.len();
        let keys: Arc<[Key]> = values.into_iter().filter_map(Key::new).take(MAX_KEYS).collect();
        let told = match keys.len() {
            0 if all == 0 => format!("the issuer {issuer} publishes no keys"),
            0 => format!(
                "none of the {all} keys of the issuer {issuer} can be used: tokens must be signed with RS or PS by a \
                 key of 2048 to 8192 bits, ES256, ES384 or EdDSA"
            ),
            usable => format!("{usable} of {all} keys of the issuer {issuer} can be used"),
        };
        Ok((keys, told))
    }
}

impl CachedKeys {
    fn fitting(&self, header: &Header) -> Vec<DecodingKey> {
        let fits = |key: &&Key| {
            key.algorithms.contains(&header.alg)
                && match &header.kid {
                    Some(id) => key.id.as_ref() == Some(id),
                    None => true,
                }
        };
        self.keys.iter().filter(fits).map(|key| key.decoding.clone()).collect()
    }

    /// Whether the key that a header names is here.
    fn has_id_of(&self, header: &Header) -> bool {
        header.kid.is_some() && self.keys.iter().any(|key| key.id == header.kid)
    }
}

impl Key {
    /// Reads one key of a set; keys of unknown types are ignored.
    fn new(value: serde_json::Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value).ok()?;
        if !matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(key) if RSA_BYTES.contains(&(key.n.len() * 3 / 4)) => vec![
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => vec![Algorithm::ES256],
                EllipticCurve::P384 => vec![Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                vec![Algorithm::EdDSA]
            }
            _ => return None,
        };
        if let Some(only) = jwk.common.key_algorithm {
            let only: Algorithm = only.to_string().parse().ok()?;
            algorithms.retain(|algorithm| *algorithm == only);
        }
        let decoding = DecodingKey::from_jwk(&jwk).ok()?;
        Some(Self { id: jwk.common.key_id, algorithms, decoding })
    }
}
