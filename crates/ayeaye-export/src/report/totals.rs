//! Sums of a session, which count what the page does not tell any more too.
use ayeaye_agent::journal::{LlmResponse, PhaseTimes, StepEnd, TokenRecord};

/// Sums of the whole session.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    pub(super) steps: u64,
    pub(super) failed_steps: u64,
    pub(super) runs: u64,
    pub(super) rounds: u64,
    pub(super) calls: u64,
    pub(super) tokens: TokenRecord,
    pub(super) cost_usd: f64,
    pub(super) unpriced: bool,
    pub(super) times: PhaseTimes,
}

impl Totals {
    pub(super) fn add_step(&mut self, end: &StepEnd, failed: bool) {
        self.failed_steps += u64::from(failed);
        let (sum, more) = (&mut self.times, end.time_ms);
        sum.data_collection += more.data_collection;
        sum.llm_interaction += more.llm_interaction;
        sum.action_execution += more.action_execution;
        sum.memory_update += more.memory_update;
    }

    pub(super) fn add_response(&mut self, response: &LlmResponse) {
        self.tokens = sum(self.tokens, response.tokens);
        self.cost_usd += response.cost_usd;
        self.unpriced |= !response.cost_known;
    }
}

fn sum(a: TokenRecord, b: TokenRecord) -> TokenRecord {
    TokenRecord {
        prompt: a.prompt.saturating_add(b.prompt),
        completion: a.completion.saturating_add(b.completion),
        thinking: a.thinking.saturating_add(b.thinking),
        cached: a.cached.saturating_add(b.cached),
        total: a.total.saturating_add(b.total),
    }
}
