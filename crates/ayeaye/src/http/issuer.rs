//! Tokens of an external issuer: JWTs, checked according to RFC 9068 and RFC 8725.
//!
//! The issuer's keys are fetched at the start, which does not wait for them, and kept, so that the server answers
//! clients with tokens of its own while the issuer is down.
mod discovery;
mod keys;
mod signature;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::Principal;
use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, AlgorithmFamily, Header, Validation, decode, decode_header};
use serde::Deserialize;
use url::Url;

use keys::Keys;

use crate::config::IssuerSettings;

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

/// Why a token is refused: one of the texts of this module, which clients and the log are told. Nothing of a token is in
/// them, since anybody can send one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    Wrong(&'static str),
    Scope,
    /// It may be valid, but the key that would tell is not available for this long.
    Unavailable(Duration),
    /// It may be valid, but none of the issuer's keys has its key's name; they are fetched again after this long.
    UnknownKey(Duration),
}

/// What is no token of this server, and cannot be one of its issuer.
pub(super) const NO_JWT: &str = "the token is none of this server's own, and no signed JWT, as the issuer's must be: \
                                 have it issue JWT access tokens for this server";
const ALGORITHM: &str = "the token's header names none of the algorithms RS256 to RS512, PS256 to PS512, ES256, ES384 \
                         and EdDSA, or cannot be read";
const MALFORMED: &str = "the token's claims cannot be read";
const OTHER_ISSUER: &str =
    "another issuer made the token: its iss is not http.issuer, to the letter";
const NO_KEY: &str = "no key of the issuer fits the token";

/// An external issuer of tokens.
#[derive(Debug)]
pub(super) struct Issuer {
    /// Exactly as in `iss`.
    name: String,
    /// A token must be for one of them.
    audiences: Vec<String>,
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
    scope: Option<Scopes>,
    /// What two large issuers send instead.
    scp: Option<Scopes>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scopes {
    /// As Spring's and Duende's servers write it.
    List(Vec<String>),
    /// RFC 8693, 4.2: names separated by spaces.
    Text(String),
}

impl Scopes {
    fn have_ours(&self) -> bool {
        match self {
            Self::List(list) => list.iter().any(|scope| scope == SCOPE),
            Self::Text(text) => text.split(' ').any(|scope| scope == SCOPE),
        }
    }
}

/// The part that is read before the signature is checked.
#[derive(Debug, Deserialize)]
struct UnverifiedClaims {
    iss: String,
}

impl Issuer {
    /// Accepts the tokens that `name` issues for one of `audiences`. Its keys are at `keys`, or where its
    /// metadata says.
    pub(super) fn new(
        name: &str,
        audiences: Vec<String>,
        keys: Option<Url>,
    ) -> Result<Self, String> {
        signature::install();
        let keys = Arc::new(Keys::new(name, keys)?);
        Ok(Self { name: name.to_owned(), audiences, keys })
    }

    /// Fetches the keys, without anybody waiting: what is wrong with the issuer is in the log before the first client
    /// comes.
    pub(super) fn prepare(&self) {
        self.keys.prepare();
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its tokens must have one of these as `aud`.
    pub(super) fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// Whether this has the form of a JWT. The tokens that this server makes do not.
    pub(super) fn is_like_its(token: &str) -> bool {
        token.bytes().filter(|byte| *byte == b'.').count() == 2
    }

    /// The principal of a token.
    pub(super) async fn principal_of(&self, token: &str) -> Result<Principal, Denied> {
        if MAX_TOKEN < token.len() {
            return Err(Denied::Wrong("the token is too long"));
        }
        let header = decode_header(token).map_err(|_| Denied::Wrong(ALGORITHM))?;
        is_acceptable(&header).map_err(Denied::Wrong)?;
        let unverified: UnverifiedClaims =
            insecure_decode_claims(token).map_err(|_| Denied::Wrong(MALFORMED))?;
        if unverified.iss != self.name {
            return Err(Denied::Wrong(OTHER_ISSUER));
        }
        let mut last = NO_KEY;
        for key in self.keys.fitting(&header).await?.iter().take(MOST_TRIES) {
            match decode::<Claims>(token, key, &self.validation(header.alg)) {
                Ok(token) => return self.subject(&token.claims),
                // A key that fits tells more than those that were tried for want of its name.
                Err(err) if last == NO_KEY => last = reason(&err),
                Err(_) => {}
            }
        }
        Err(Denied::Wrong(last))
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&self.audiences);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }

    fn subject(&self, claims: &Claims) -> Result<Principal, Denied> {
        let subject = &claims.sub;
        if subject.is_empty()
            || LONGEST_SUBJECT < subject.len()
            || subject.chars().any(char::is_control)
        {
            return Err(Denied::Wrong("the token's sub is empty, too long or no plain text"));
        }
        if ![&claims.scope, &claims.scp].into_iter().flatten().any(Scopes::have_ours) {
            return Err(Denied::Scope);
        }
        // An issuer's name has no `#`, so two pairs never give the same name.
        Ok(Principal::new(format!("jwt:{}#{subject}", self.name)))
    }
}

/// Why a token that a key of the issuer was tried on is refused. The library's own text can quote the token.
fn reason(err: &Error) -> &'static str {
    match err.kind() {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet: its nbf is to come",
        ErrorKind::InvalidIssuer => OTHER_ISSUER,
        ErrorKind::InvalidAudience => {
            "the token is for another audience: its aud is neither http.audience, where that is set, nor this \
             server's URL"
        }
        ErrorKind::Json(_)
        | ErrorKind::MissingRequiredClaim(_)
        | ErrorKind::InvalidClaimFormat(_) => {
            "the token lacks one of the claims iss, sub, aud and exp, or one has a wrong type"
        }
        _ => NO_KEY,
    }
}

/// Looks for an issuer's keys, as a server does when it starts: what there is of them, or what is wrong.
pub(crate) async fn check_issuer(settings: &IssuerSettings) -> Result<String, String> {
    Keys::new(&settings.name, settings.keys.clone())?.check().await
}

/// Whether we support all that a header demands.
fn is_acceptable(header: &Header) -> Result<(), &'static str> {
    if header.alg.family() == AlgorithmFamily::Hmac {
        return Err(ALGORITHM);
    }
    if header.crit.is_some() {
        return Err("the token has critical extensions (crit)");
    }
    // An access token (RFC 9068) or an untyped one, not a logout token or a DPoP proof.
    let kind = header.typ.as_deref().unwrap_or("JWT").to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    if kind != "jwt" && kind != "at+jwt" {
        return Err("the token is no access token: its typ is neither JWT nor at+jwt");
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests;
