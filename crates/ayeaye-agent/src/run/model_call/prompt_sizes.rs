//! How large prompts are, by what endpoints counted: of a call that is given up they tell nothing, and yet it costs.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::journal::CallPurpose;

/// The tokens of the last prompt that was answered, for each model and purpose.
#[derive(Debug, Clone, Default)]
pub(super) struct PromptSizes {
    known: Arc<Mutex<HashMap<(String, CallPurpose), u64>>>,
}

impl PromptSizes {
    /// A prompt was answered.
    pub(super) fn learn(&self, model: &str, purpose: CallPurpose, tokens: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((model.to_owned(), purpose), tokens);
    }

    /// How large the next one is about; zero where nothing is known.
    pub(super) fn expect(&self, model: &str, purpose: CallPurpose) -> u64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(model.to_owned(), purpose)).copied().unwrap_or_default()
    }
}
