//! How large prompts are, by what endpoints counted: of a call that is given up they tell nothing, and yet it costs.
use super::HOST_AGENT;
use crate::event::{CallPurpose, LlmRequest, LlmResponse};

/// More models and purposes than a configuration has; the oldest go.
const MOST: usize = 32;

/// The tokens of the last prompt that was answered, for each model and purpose.
#[derive(Debug, Clone, Default)]
pub(crate) struct PromptTokens(Vec<(String, CallPurpose, u64)>);

impl PromptTokens {
    /// All that is known: the model, the purpose, and the tokens.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, CallPurpose, u64)> {
        self.0.iter()
    }

    /// Of this model's last prompt for this purpose; zero where nothing is known.
    pub(crate) fn expect(&self, model: &str, purpose: Option<CallPurpose>) -> u64 {
        let mut known = self.0.iter();
        let found = known.find(|(name, of, _)| name == model && Some(*of) == purpose);
        found.map_or(0, |(.., tokens)| *tokens)
    }

    /// Learns from an answered call. Tokens that were not counted, or counted together with lost attempts, are ignored.
    pub(super) fn learn(
        &mut self,
        model: &str,
        purpose: Option<CallPurpose>,
        response: &LlmResponse,
    ) {
        let tokens = response.tokens.prompt;
        let Some(purpose) = purpose.filter(|_| 0 < tokens && !response.tokens_estimated) else {
            return;
        };
        self.0.retain(|(name, of, _)| name != model || *of != purpose);
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((model.to_owned(), purpose, tokens));
    }
}

/// The purpose of a call. A repeated request counts as the first one's purpose.
pub(super) fn purpose_of(request: &LlmRequest, agent: &str) -> Option<CallPurpose> {
    request.purpose.known().map(|purpose| match purpose {
        CallPurpose::Repair if agent == HOST_AGENT => CallPurpose::Plan,
        CallPurpose::Repair => CallPurpose::Act,
        other => other,
    })
}
