//! Tokens of an external issuer: JWTs, checked according to RFC 9068 and RFC 8725.
//!
//! The issuer's keys are fetched when first needed and kept, so that the server starts and answers
//! clients with tokens of its own while the issuer is down.
mod discovery;
mod keys;
mod signature;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::Principal;
use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::{Algorithm, AlgorithmFamily, Header, Validation, decode, decode_header};
use serde::Deserialize;
use url::Url;

use keys::Keys;

/// The scope a token must have.
pub(super) const SCOPE: &str = "phone:control";

/// A longer token is refused without decoding. Headers are limited to 64 KiB anyway.
const MAX_TOKEN: usize = 16 << 10;
/// The longest subject, in bytes.
const LONGEST_SUBJECT: usize = 255;
/// How far the issuer's clock and ours may be apart.
const LEEWAY: Duration = Duration::from_mins(1);
/// Most keys that are tried for a token that names none.
const MOST_TRIES: usize = 8;

/// Why a token is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Denied {
    #[error("{0}")]
    Wrong(String),
    #[error("it has not the scope {SCOPE}")]
    Scope,
    /// It may be valid, but its issuer's keys are not available.
    #[error("the issuer's keys cannot be fetched now")]
    Unavailable,
}

/// An external issuer of tokens.
#[derive(Debug)]
pub(super) struct Issuer {
    /// Exactly as in `iss`.
    name: String,
    audience: String,
    keys: Arc<Keys>,
}

/// The claims that we check besides the library. Deserializing checks their types: a claim of the
/// wrong type does not count as absent.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read for their types")]
struct Claims {
    iss: String,
    sub: String,
    exp: f64,
    nbf: Option<f64>,
    /// RFC 8693, 4.2: names separated by spaces.
    scope: Option<String>,
    /// What two large issuers send instead: a list, or the same as `scope`.
    scp: Option<Scopes>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scopes {
    List(Vec<String>),
    Text(String),
}

/// The part that is read before the signature is checked.
#[derive(Debug, Deserialize)]
struct UnverifiedClaims {
    iss: String,
}

impl Issuer {
    /// Accepts the tokens that `name` issues for `audience`. Its keys are at `keys`, or where its
    /// metadata says.
    pub(super) fn new(name: &str, audience: String, keys: Option<Url>) -> Result<Self, String> {
        signature::install();
        let keys = Arc::new(Keys::new(name, keys)?);
        Ok(Self { name: name.to_owned(), audience, keys })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The `aud` its tokens must have.
    pub(super) fn audience(&self) -> &str {
        &self.audience
    }

    /// Whether this has the form of a JWT. The tokens that this server makes do not.
    pub(super) fn is_like_its(token: &str) -> bool {
        token.bytes().filter(|byte| *byte == b'.').count() == 2
    }

    /// The principal of a token.
    pub(super) async fn principal_of(&self, token: &str) -> Result<Principal, Denied> {
        let wrong = |why: &str| Denied::Wrong(why.to_owned());
        if MAX_TOKEN < token.len() {
            return Err(wrong("it is too long"));
        }
        let header = decode_header(token).map_err(|err| Denied::Wrong(err.to_string()))?;
        is_acceptable(&header).map_err(wrong)?;
        let unverified: UnverifiedClaims =
            insecure_decode_claims(token).map_err(|err| Denied::Wrong(err.to_string()))?;
        if unverified.iss != self.name {
            return Err(wrong("another issuer made it"));
        }
        let mut last = wrong("no key of its issuer fits");
        for key in self.keys.fitting(&header).await?.iter().take(MOST_TRIES) {
            match decode::<Claims>(token, key, &self.validation(header.alg)) {
                Ok(token) => return self.subject(&token.claims),
                Err(err) => last = Denied::Wrong(err.to_string()),
            }
        }
        Err(last)
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }

    fn subject(&self, claims: &Claims) -> Result<Principal, Denied> {
        let subject = &claims.sub;
        if subject.is_empty()
            || LONGEST_SUBJECT < subject.len()
            || subject.chars().any(char::is_control)
        {
            return Err(Denied::Wrong(
                "its subject is empty, too long or no plain text".to_owned(),
            ));
        }
        let has_scope = claims.scope.as_deref().is_some_and(names_ours)
            || match &claims.scp {
                Some(Scopes::List(list)) => list.iter().any(|scope| scope == SCOPE),
                Some(Scopes::Text(text)) => names_ours(text),
                None => false,
            };
        if !has_scope {
            return Err(Denied::Scope);
        }
        // An issuer's name has no `#`, so two pairs never give the same name.
        Ok(Principal::new(format!("jwt:{}#{subject}", self.name)))
    }
}

fn names_ours(scopes: &str) -> bool {
    scopes.split(' ').any(|scope| scope == SCOPE)
}

/// Whether we support all that a header demands.
fn is_acceptable(header: &Header) -> Result<(), &'static str> {
    if header.alg.family() == AlgorithmFamily::Hmac {
        return Err("its algorithm is no asymmetric one");
    }
    if header.crit.is_some() {
        return Err("it has critical extensions");
    }
    // An access token (RFC 9068) or an untyped one, not a logout token or a DPoP proof.
    let kind = header.typ.as_deref().unwrap_or("JWT").to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    if kind != "jwt" && kind != "at+jwt" {
        return Err("it is no access token");
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests;
