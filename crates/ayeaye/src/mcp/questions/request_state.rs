//! `requestState`: what a client keeps for this server while its user reads a question.
//!
//! It is signed (HMAC-SHA256), not encrypted: it names a session and a question, and both are checked
//! against the journal. The key is kept in the data folder, so that an answer is accepted after a
//! restart.
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Principal, SessionId, error_chain};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};

use crate::mcp::tool_error::ToolError;
use crate::secret;

/// The file of the key in the data folder.
pub const STATE_KEY_FILE: &str = "state-key";
/// How long a person may take to answer.
const TTL: Duration = Duration::from_mins(15);
/// Longer states are refused without decoding; ours are far shorter.
const MAX_LENGTH: usize = 4096;

/// Signs states and verifies them. Clones share the key.
#[derive(Clone)]
pub struct StateCodec(Arc<RequestStateCodec>);

/// The content of a `requestState`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestState {
    /// The session that asks the question.
    pub session: String,
    /// [`Report::question_number`](ayeaye_agent::Report::question_number).
    pub question: u32,
    /// The number of questions that this call has asked, including this one.
    #[serde(rename = "round")]
    pub forms_shown: u32,
    /// The last answer to it did not fit the form.
    #[serde(default)]
    pub misread: bool,
    /// The call it belongs to: [`RetryContext`](super::RetryContext) makes the hash.
    pub call: String,
}

/// The content of a `requestState` for an act that needs approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalState {
    /// The approval code that a yes stands for.
    pub approval: String,
    /// A digest of what a person is asked about, and on which phone: a no applies to that even if the code has expired.
    #[serde(default)]
    pub about: String,
    /// As in [`RequestState`].
    pub call: String,
}

/// Why a state is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// The person took longer than the state is valid.
    Expired,
    /// Not signed by this server, damaged, or issued to another principal.
    Foreign,
}

impl From<StateError> for ToolError {
    fn from(err: StateError) -> Self {
        match err {
            StateError::Expired => Self::state_expired(),
            StateError::Foreign => Self::state_foreign(),
        }
    }
}

impl StateCodec {
    /// A codec with a random key: its states are valid until this process ends.
    pub fn ephemeral() -> Self {
        let key: [u8; 32] = rand::random();
        Self::with_key(&key)
    }

    /// A codec with the key in this data folder, which is created if missing. If it cannot be read or created, a random
    /// key is used, so states end with this process: few clients ever send one back later.
    pub fn from_data_dir(data_dir: &Path) -> Self {
        match secret::read_or_create(data_dir, STATE_KEY_FILE) {
            Ok(key) => Self::with_key(key.expose().as_bytes()),
            Err(err) => {
                let err = error_chain(&err);
                tracing::warn!("{err}; until then, open forms are void when this server ends");
                Self::ephemeral()
            }
        }
    }

    fn with_key(key: &[u8]) -> Self {
        Self(Arc::new(RequestStateCodec::new_unchecked(key)))
    }

    /// Signs a state for this principal.
    pub fn encode(&self, state: &impl Serialize, principal: &Principal) -> String {
        self.encode_with_ttl(state, principal, TTL)
    }

    pub(super) fn encode_with_ttl(
        &self,
        state: &impl Serialize,
        principal: &Principal,
        valid: Duration,
    ) -> String {
        let options = SealOptions::new().ttl(valid).associated_data(principal.name().as_bytes());
        self.0.seal_json_with(state, &options).expect("strings and numbers can be written as JSON")
    }

    /// Verifies and decodes a state that was issued to this principal.
    pub fn decode(
        &self,
        encoded: &str,
        principal: &Principal,
    ) -> Result<(SessionId, RequestState), StateError> {
        let state: RequestState = self.open(encoded, principal)?;
        let session = state.session.parse().map_err(|_| StateError::Foreign)?;
        Ok((session, state))
    }

    /// Verifies and decodes a state of any kind. A state of another kind is an error.
    pub fn open<T: serde::de::DeserializeOwned>(
        &self,
        encoded: &str,
        principal: &Principal,
    ) -> Result<T, StateError> {
        if MAX_LENGTH < encoded.len() {
            return Err(StateError::Foreign);
        }
        let opened = self.0.open_json_with::<T>(encoded, principal.name().as_bytes());
        opened.map_err(|err| match err {
            RequestStateError::Expired => StateError::Expired,
            _ => StateError::Foreign,
        })
    }
}

impl std::fmt::Debug for StateCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateCodec")
    }
}
