//! How large prompts are, for all calls of a run: see [`PromptTokens`].
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::journal::CallPurpose;
use crate::session::PromptTokens;

/// The tokens of the last prompt that was answered, for each model and purpose.
#[derive(Debug, Clone, Default)]
pub(super) struct PromptSizes {
    known: Arc<Mutex<HashMap<(String, CallPurpose), u64>>>,
}

impl PromptSizes {
    /// The sizes that earlier runs of the session learnt.
    pub(super) fn of(session: &PromptTokens) -> Self {
        let known =
            session.iter().map(|(model, purpose, tokens)| ((model.clone(), *purpose), *tokens));
        Self { known: Arc::new(Mutex::new(known.collect())) }
    }

    /// Learns the size of a prompt that was answered. One that the endpoint has not counted says nothing, to the session
    /// neither.
    pub(super) fn learn(&self, model: &str, purpose: CallPurpose, tokens: u64) {
        if tokens == 0 {
            return;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((model.to_owned(), purpose), tokens);
    }

    /// The expected size of the next prompt; zero if nothing is known.
    pub(super) fn expect(&self, model: &str, purpose: CallPurpose) -> u64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(model.to_owned(), purpose)).copied().unwrap_or_default()
    }
}
