//! `requestState`: what a client holds for us while its user reads a question.
//!
//! It is signed (HMAC-SHA256) and not secret: it names a session and a question, and what is done with
//! it is checked against the record. The key is kept in the data folder, so that an answer is taken by
//! the server that was started after the one that asked.
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Principal, SessionId};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};

use crate::secret::{self, SecretFileError};

/// The key's file in the data folder.
const FILE: &str = "state-key";
/// How long a person may take to answer.
const VALID: Duration = Duration::from_mins(15);
/// A state of ours is far shorter; a longer one is not looked at.
const LONGEST: usize = 4096;

/// Signs states and knows its own again. Clones share the key.
#[derive(Clone)]
pub struct StateCodec(Arc<RequestStateCodec>);

/// What a state says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The session that asks.
    pub session: String,
    /// [`Report::question_number`](ayeaye_agent::Report::question_number).
    pub question: u32,
    /// Questions of this call so far, this one included.
    pub round: u32,
    /// SHA-256 of the call that it belongs to.
    pub call: String,
}

/// Why a state is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// The person took too long.
    Expired,
    /// It is not ours, not whole, or somebody else's.
    Foreign,
}

impl StateCodec {
    /// A seal of this process only.
    pub fn ephemeral() -> Self {
        let key: [u8; 32] = rand::random();
        Self::with_key(&key)
    }

    /// The seal of this data folder.
    pub fn from_data_dir(data_dir: &Path) -> Result<Self, SecretFileError> {
        let key = secret::read_or_create(data_dir, FILE)?;
        Ok(Self::with_key(key.expose().as_bytes()))
    }

    fn with_key(key: &[u8]) -> Self {
        Self(Arc::new(RequestStateCodec::new_unchecked(key)))
    }

    /// Seals a state for this principal.
    pub fn encode(&self, state: &State, principal: &Principal) -> String {
        self.encode_with_ttl(state, principal, VALID)
    }

    pub(super) fn encode_with_ttl(
        &self,
        state: &State,
        principal: &Principal,
        valid: Duration,
    ) -> String {
        let options = SealOptions::new().ttl(valid).associated_data(principal.name().as_bytes());
        self.0.seal_json_with(state, &options).expect("strings and numbers can be written as JSON")
    }

    /// Opens a state that this principal was given.
    pub fn decode(
        &self,
        encoded: &str,
        principal: &Principal,
    ) -> Result<(SessionId, State), StateError> {
        if LONGEST < encoded.len() {
            return Err(StateError::Foreign);
        }
        let opened = self.0.open_json_with::<State>(encoded, principal.name().as_bytes());
        let state = opened.map_err(|err| match err {
            RequestStateError::Expired => StateError::Expired,
            _ => StateError::Foreign,
        })?;
        let session = state.session.parse().map_err(|_| StateError::Foreign)?;
        Ok((session, state))
    }
}

impl std::fmt::Debug for StateCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}
