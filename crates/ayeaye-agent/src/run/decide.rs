//! Deciding: asking the model until it says something that can be understood, three times at most.
use std::time::Duration;

use serde_json::Map;
use tokio::time::Instant;

use super::look::{Seen, millis};
use super::{Draft, Halt, Run};
use crate::journal::{
    ActionFacts, Fact, LlmRequest, LlmResponse, MessageFacts, ParsedFacts, PartFacts,
    ResponseFacts, TokenFacts,
};
use crate::{
    Decision, Message, ModelError, Part, Prompt, Reply, StopReason, Tokens, Unreadable, View,
};

/// Texts longer than this are kept as blobs: the same rules are sent with every step.
const LONG_TEXT: usize = 1024;

impl Run {
    pub(super) async fn decide(
        &mut self,
        seen: &Seen,
        draft: &mut Draft,
    ) -> Result<Decision, Halt> {
        let remarks = std::mem::take(&mut self.memory.remarks);
        let mut prompt = self.parts.model.prompt(&View {
            request: &self.session.request,
            past: &self.session.past,
            remarks: &remarks,
            picture: &seen.picture,
            app: seen.app.as_deref(),
        });
        let attempts = self.parts.limits.repairs + 1;
        let mut complaint = None;
        for iteration in 1..=attempts {
            let purpose = if iteration == 1 { "act" } else { "repair" };
            let (call_id, reply) = self.call(&prompt, purpose, iteration, draft).await?;
            let read = self.parts.model.read(&reply);
            self.record_reply(call_id, iteration, &reply, read.as_ref(), draft).await?;
            match read {
                Ok(decision) => {
                    draft.decision = Some(decision.clone());
                    return Ok(decision);
                }
                Err(why) => {
                    tracing::warn!(session = %self.session.id, iteration, "unreadable reply: {why}");
                    prompt = prompt.asked_again(&reply.text, &why);
                    complaint = Some(why);
                }
            }
        }
        let why = complaint.map(|why| why.0).unwrap_or_default();
        Err(Halt::new(
            StopReason::ModelFailed,
            format!(
                "the model's reply could not be used, {attempts} times in a row; the last: {why}"
            ),
        ))
    }

    /// Sends a prompt and records that, and its failure if it fails.
    pub(super) async fn call(
        &mut self,
        prompt: &Prompt,
        purpose: &str,
        iteration: u32,
        draft: &mut Draft,
    ) -> Result<(u32, Reply), Halt> {
        let call_id = self.session.counts.calls + 1;
        // The step has taken a number for its own request; an answer in the user's stead is another.
        let requests = self.session.counts.requests;
        let request_number = if purpose == "auto_reply" { requests + 1 } else { requests };
        let messages = self.keep_messages(&prompt.messages).await?;
        let model = self.parts.model.clone();
        self.append(Fact::LlmRequest(LlmRequest {
            call_id,
            request_number,
            iteration,
            purpose: purpose.to_owned(),
            model: model.name().to_owned(),
            profile: model.profile().to_owned(),
            messages,
            params: Map::new(),
            tools_schema: None,
            response_schema: None,
            tool_results: None,
        }))
        .await?;
        let begun = Instant::now();
        let limit = self.call_limit();
        let outcome = self.stopper.race(model.call(prompt, limit)).await;
        draft.times.llm_interaction += millis(begun.elapsed());
        let (halt, failed) = match outcome {
            Ok(Ok(reply)) => return Ok((call_id, reply)),
            Ok(Err(err)) => (Halt::new(StopReason::ModelFailed, err.cause.clone()), err),
            Err(halt) => {
                let cause = format!("given up: {}", halt.message);
                (halt, ModelError { cause, retries: Vec::new(), latency: begun.elapsed() })
            }
        };
        draft.unpriced = true;
        let call = (call_id, self.session.counts.requests, iteration);
        self.append(Fact::LlmResponse(self.failure(call, &failed))).await?;
        Err(halt)
    }

    fn call_limit(&self) -> Duration {
        let limits = &self.parts.limits;
        let left = limits.run_time.saturating_sub(self.memory.begun.elapsed());
        // A run that is nearly over still gets one short try; its end is checked before each step.
        limits.model_call.min(left.max(Duration::from_secs(1)))
    }

    async fn record_reply(
        &mut self,
        call_id: u32,
        iteration: u32,
        reply: &Reply,
        read: Result<&Decision, &Unreadable>,
        draft: &mut Draft,
    ) -> Result<(), Halt> {
        let parsed = read.ok().map(|decision| ParsedFacts {
            action: ActionFacts::from(&decision.action),
            response: ResponseFacts::from(decision),
        });
        let kind = if parsed.is_some() { "final" } else { "intermediate" };
        let error = read.err().map(|why| why.0.clone());
        self.record_answer(call_id, iteration, reply, (kind, parsed, error), draft).await
    }

    /// Records what an endpoint answered. It cost money, so it is synced before anything is done
    /// with it: at the latest before the gesture it decides on.
    pub(super) async fn record_answer(
        &mut self,
        call_id: u32,
        iteration: u32,
        reply: &Reply,
        (kind, parsed, error): (&str, Option<ParsedFacts>, Option<String>),
        draft: &mut Draft,
    ) -> Result<(), Halt> {
        let tokens = TokenFacts::from(reply.tokens);
        draft.tokens += tokens;
        draft.unpriced = true;
        self.append(Fact::LlmResponse(LlmResponse {
            call_id,
            request_number: self.session.counts.requests,
            iteration,
            kind: kind.to_owned(),
            success: error.is_none(),
            raw_content: Some(reply.text.clone()),
            reasoning: reply.reasoning.clone(),
            tool_calls: Vec::new(),
            parsed,
            finish_reason: reply.finish_reason.clone(),
            model: reply.model.clone(),
            tokens,
            latency_ms: millis(reply.latency),
            first_token_ms: reply.first_token.map(millis),
            cost_usd: 0.0,
            cost_known: false,
            retries: reply.retries.iter().map(|retry| retry.error.clone()).collect(),
            error,
        }))
        .await
    }

    /// What is recorded of a call that came to nothing.
    pub(super) fn failure(
        &self,
        (call_id, request_number, iteration): (u32, u32, u32),
        err: &ModelError,
    ) -> LlmResponse {
        LlmResponse {
            call_id,
            request_number,
            iteration,
            kind: "intermediate".to_owned(),
            success: false,
            raw_content: None,
            reasoning: String::new(),
            tool_calls: Vec::new(),
            parsed: None,
            finish_reason: None,
            model: self.parts.model.name().to_owned(),
            tokens: TokenFacts::from(Tokens::default()),
            latency_ms: millis(err.latency),
            first_token_ms: None,
            cost_usd: 0.0,
            cost_known: false,
            retries: err.retries.iter().map(|retry| retry.error.clone()).collect(),
            error: Some(err.cause.clone()),
        }
    }

    async fn keep_messages(&mut self, messages: &[Message]) -> Result<Vec<MessageFacts>, Halt> {
        let mut kept = Vec::with_capacity(messages.len());
        for message in messages {
            let mut parts = Vec::with_capacity(message.parts.len());
            for part in &message.parts {
                parts.push(match part {
                    Part::Text(text) if text.len() <= LONG_TEXT => PartFacts::Text(text.clone()),
                    Part::Text(text) => PartFacts::TextBlob(
                        self.record.keep(text.clone().into(), "text/plain").await?,
                    ),
                    Part::Picture(picture) => PartFacts::Picture(
                        self.record.keep(picture.bytes.clone(), picture.media_type).await?,
                    ),
                });
            }
            kept.push(MessageFacts { role: message.role.name().to_owned(), parts });
        }
        Ok(kept)
    }
}
