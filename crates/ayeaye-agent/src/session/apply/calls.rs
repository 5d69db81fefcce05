//! How calls to models change the state of a session.
use super::super::agents::{APP_AGENT, HOST_AGENT, JUDGE};
use super::super::prompt_tokens::purpose_of;
use super::super::state::{InProgress, SessionState};
use crate::event::{CallPurpose, LlmRequest, LlmResponse};

/// What a model is called for that is to decide.
const DECIDES: [CallPurpose; 2] = [CallPurpose::Act, CallPurpose::Repair];

/// Bytes of a model's reply that is told it again as it was; of a longer one, what was understood.
const LONGEST_REPLY: usize = 8 << 10;

impl SessionState {
    pub(super) fn begin_call(&mut self, agent: Option<&str>, request: &LlmRequest) {
        self.counts.calls = self.counts.calls.max(request.call_id);
        let evaluates = agent == Some(JUDGE);
        if evaluates {
            let number = &mut self.counts.judgements;
            *number = (*number).max(request.request_number);
        } else {
            self.agents.count_request(agent.unwrap_or(APP_AGENT), request.request_number);
        }
        self.in_progress.call = Some((request.call_id, request.request_number, request.iteration));
        self.in_progress.model.clone_from(&request.model);
        self.in_progress.purpose = purpose_of(request, &self.in_progress.agent);
        self.in_progress.evaluating = evaluates;
        // A plan that is asked for again has the same purpose, and sees no picture of a step.
        let plans = self.in_progress.agent == HOST_AGENT;
        if !plans && request.purpose.known().is_some_and(|it| DECIDES.contains(&it)) {
            self.in_progress.decider = Some((request.model.clone(), request.profile.clone()));
        }
    }

    pub(super) fn end_call(&mut self, response: &LlmResponse) {
        let LlmResponse { tokens, cost_usd, cost_known, latency_ms, .. } = response;
        self.in_progress.call = None;
        let InProgress { model, purpose, .. } = &self.in_progress;
        self.prompt_tokens.learn(model, *purpose, response);
        if !self.in_progress.evaluating {
            self.in_progress.tokens += *tokens;
            self.in_progress.cost_usd += cost_usd;
            self.in_progress.unpriced |= !cost_known;
            self.in_progress.waited_ms += latency_ms;
        }
        if let Some(parsed) = &response.parsed {
            self.in_progress.decision = Some(parsed.clone());
            self.in_progress.outcome = None;
            let said = response.raw_content.clone();
            self.in_progress.said = said.filter(|it| it.len() <= LONGEST_REPLY && !it.is_empty());
        }
        self.counts.cost_usd += cost_usd;
        // What an evaluation costs belongs to the session, as with UFO.
        if !self.in_progress.evaluating {
            self.counts.round_cost_usd += cost_usd;
        }
        self.counts.unpriced_calls += u32::from(!cost_known);
        self.counts.tokens = self.counts.tokens.saturating_add(tokens.total);
        let usage = &mut self.current_run.usage;
        usage.prompt_tokens = usage.prompt_tokens.saturating_add(tokens.prompt);
        usage.completion_tokens = usage.completion_tokens.saturating_add(tokens.completion);
        usage.cost_usd += cost_usd;
    }
}
