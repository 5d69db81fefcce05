//! Deciding: asking the model until it says something that can be understood, three times at most.
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::look::{Seen, millis};
use super::{Draft, Run, RunEnd};
use crate::journal::{
    ActionRecord, BlobRef, Fact, LlmRequest, LlmResponse, MessageRecord, ParsedRecord, PartRecord,
    ResponseRecord, TokenRecord, ToolCallRecord,
};
use crate::privacy::{SecretKind, SecretStore, find_secrets};
use crate::{
    Action, Decision, Gesture, HistoryImage, KeepImages, KeepText, Message, Model, ModelError,
    ModelErrorKind, ParseError, Part, Picture, Prices, Prompt, Reply, StepInput, StopReason,
    Tokens, ToolCall,
};

/// Texts longer than this are kept as blobs: the same rules are sent with every step.
const LONG_TEXT: usize = 1024;

/// How long a decision to type waits for what is known of the field.
const ELEMENTS_OF_A_FIELD: Duration = Duration::from_secs(3);

/// A picture as a model is sent it, and as it is kept, if it is.
pub(super) type Kept = (Picture, Option<BlobRef>);

impl Run {
    /// What the model wants done; where it comes to nothing, what the other one does.
    pub(super) async fn decide(
        &mut self,
        seen: &mut Seen,
        draft: &mut Draft,
    ) -> Result<Decision, RunEnd> {
        let system_notes = std::mem::take(&mut self.memory.system_notes);
        loop {
            match self.decide_once(&system_notes, seen, draft).await {
                Err(run_end) if run_end.reason == StopReason::ModelFailed => {
                    self.fall_back(run_end, seen).await?;
                }
                decided => return decided,
            }
        }
    }

    async fn decide_once(
        &mut self,
        system_notes: &[String],
        seen: &mut Seen,
        draft: &mut Draft,
    ) -> Result<Decision, RunEnd> {
        let model = self.acting();
        let mut prompt = model.prompt(&StepInput {
            request: self.session.current_goal(),
            history: self.session.visible_history(),
            system_notes,
            picture: &seen.picture,
            history_images: &self.memory.history_images,
            app: seen.app.as_deref(),
        });
        let attempts = self.deps.limits.repairs + 1;
        let mut complaint = None;
        for iteration in 1..=attempts {
            let purpose = if iteration == 1 { "act" } else { "repair" };
            let (call_id, reply) =
                self.call(&model, &prompt, purpose, iteration, seen, draft).await?;
            let read = model.read(&reply, seen.picture.size);
            if let Ok(decision) = &read {
                self.notice_secret(decision, seen).await?;
            }
            let prices = model.prices();
            self.record_reply(call_id, iteration, &reply, prices, read.as_ref(), draft).await?;
            match read {
                Ok(decision) => {
                    draft.decision = Some(decision.clone());
                    self.remember_picture(seen, model.earlier_pictures());
                    return Ok(decision);
                }
                Err(why) => {
                    tracing::warn!(session = %self.session.id, iteration, "unreadable reply: {}", self.hide(&why.0));
                    prompt = prompt.with_retry_notice(&said(&reply), &why);
                    complaint = Some(why);
                }
            }
        }
        let why = complaint.map(|why| why.0).unwrap_or_default();
        Err(RunEnd::new(
            StopReason::ModelFailed,
            format!(
                "the model's reply could not be used, {attempts} times in a row; the last: {why}"
            ),
        ))
    }

    /// Keeps a picture at hand for the prompts of later steps.
    fn remember_picture(&mut self, seen: &Seen, most: usize) {
        let step = self.session.in_progress.step.unwrap_or_default();
        let history_images = &mut self.memory.history_images;
        history_images.push(HistoryImage { step, picture: seen.picture.clone() });
        let too_many = history_images.len().saturating_sub(most);
        history_images.drain(..too_many);
        let kept = &mut self.memory.earlier_kept;
        kept.push(seen.kept.clone());
        kept.drain(..too_many.min(kept.len()));
    }

    /// Sends a prompt and records that, and its failure if it fails.
    pub(super) async fn call(
        &mut self,
        model: &Arc<dyn Model>,
        prompt: &Prompt,
        purpose: &str,
        iteration: u32,
        seen: &Seen,
        draft: &mut Draft,
    ) -> Result<(u32, Reply), RunEnd> {
        let call_id = self.session.counts.calls + 1;
        // Asking again is part of the request. A step that ends before it asks takes no number, so
        // that they have no gaps.
        let asked = self.session.agents.get(&self.session.current_agent()).requests;
        let request_number = asked + u32::from(iteration == 1);
        let shown = (seen.picture.clone(), seen.kept.clone());
        let messages = self.keep_messages(&prompt.messages, Some(&shown)).await?;
        self.append(Fact::LlmRequest(LlmRequest {
            call_id,
            request_number,
            iteration,
            purpose: purpose.to_owned(),
            model: model.name().to_owned(),
            profile: model.profile().to_owned(),
            messages,
            params: model.params(),
            tools_schema: (!prompt.tools.is_empty()).then(|| Value::from(prompt.tools.clone())),
            response_schema: prompt.schema.clone(),
            tool_results: None,
        }))
        .await?;
        let begun = Instant::now();
        let limit = self.call_limit();
        let sent = self.unsealed_prompt(prompt);
        let outcome = self.cancel.race(model.call(&sent, limit)).await;
        draft.times.llm_interaction += millis(begun.elapsed());
        let (run_end, failed) = match outcome {
            Ok(Ok(reply)) => return Ok((call_id, reply)),
            Ok(Err(err)) => (RunEnd::new(StopReason::ModelFailed, err.message.clone()), err),
            Err(run_end) => {
                let cause = format!("given up: {}", run_end.message);
                (run_end, ModelError::new(ModelErrorKind::Abandoned, cause, begun.elapsed()))
            }
        };
        draft.unpriced = true;
        let call = (call_id, request_number, iteration);
        let failed = failure(model.name(), call, &failed);
        self.append(Fact::LlmResponse(failed)).await?;
        Err(run_end)
    }

    pub(super) fn call_limit(&self) -> Duration {
        let limits = &self.deps.limits;
        let left = limits.run_time.saturating_sub(self.memory.begun.elapsed());
        // A run that is nearly over still gets one short try; its end is checked before each step.
        limits.model_call.min(left.max(Duration::from_secs(1)))
    }

    async fn record_reply(
        &mut self,
        call_id: u32,
        iteration: u32,
        reply: &Reply,
        prices: Option<Prices>,
        read: Result<&Decision, &ParseError>,
        draft: &mut Draft,
    ) -> Result<(), RunEnd> {
        let parsed = read.ok().map(|decision| ParsedRecord {
            action: ActionRecord::from(&decision.action),
            response: ResponseRecord::from(decision),
        });
        let error = read.err().map(|why| why.0.clone());
        self.record_answer(call_id, iteration, reply, prices, (parsed, error), draft).await
    }

    /// Records what an endpoint answered. It cost money, so it is synced before anything is done
    /// with it: at the latest before the gesture it decides on.
    pub(super) async fn record_answer(
        &mut self,
        call_id: u32,
        iteration: u32,
        reply: &Reply,
        prices: Option<Prices>,
        (parsed, error): (Option<ParsedRecord>, Option<String>),
        draft: &mut Draft,
    ) -> Result<(), RunEnd> {
        let number = self.session.agents.get(&self.session.current_agent()).requests;
        let call = (call_id, number, iteration);
        let facts = answered(call, reply, prices, parsed, error);
        draft.tokens += facts.tokens;
        draft.cost_usd += facts.cost_usd;
        draft.unpriced |= !facts.cost_known;
        self.append(Fact::LlmResponse(facts)).await
    }

    /// What is typed into a field that hides it is a secret, and so is its echo in the reply that is
    /// about to be recorded.
    pub(super) async fn notice_secret(
        &mut self,
        decision: &Decision,
        seen: &mut Seen,
    ) -> Result<(), RunEnd> {
        let Action::Gesture(Gesture::Type { text, point, .. }) = &decision.action else {
            return Ok(());
        };
        for (kind, secret) in find_secrets(text) {
            self.secrets.add(kind, secret);
        }
        let mut hidden = seen.secret_field;
        if let Some(point) = point {
            // Which field it is, only the elements tell.
            self.know_elements(seen, ELEMENTS_OF_A_FIELD).await?;
            let run_info = point.to_pixel(seen.frame.size());
            if let Some(tree) = seen.reading.tree() {
                hidden |= tree.elements.at(run_info).is_some_and(|it| it.password);
            }
        }
        if hidden {
            self.secrets.add(SecretKind::Password, text);
        }
        Ok(())
    }

    /// The prompt as the model needs it.
    pub(super) fn unsealed_prompt<'a>(&self, prompt: &'a Prompt) -> Cow<'a, Prompt> {
        let sealed = |part: &Part| match part {
            Part::Text(text) | Part::Result { text, .. } => {
                matches!(self.secrets.restore(text), Cow::Owned(_))
            }
            Part::Call(call) => matches!(self.secrets.restore(&call.arguments), Cow::Owned(_)),
            Part::Picture(_) => false,
        };
        if !prompt.messages.iter().flat_map(|message| &message.parts).any(sealed) {
            return Cow::Borrowed(prompt);
        }
        let mut clear = prompt.clone();
        for part in clear.messages.iter_mut().flat_map(|message| &mut message.parts) {
            match part {
                Part::Text(text) | Part::Result { text, .. } => {
                    *text = self.secrets.restore(text).into_owned();
                }
                Part::Call(call) => {
                    call.arguments = restore_arguments(&self.secrets, &call.arguments)
                }
                Part::Picture(_) => {}
            }
        }
        Cow::Owned(clear)
    }

    /// Messages as they are kept: without secrets, pictures as blobs.
    pub(super) async fn keep_messages(
        &mut self,
        messages: &[Message],
        shown: Option<&Kept>,
    ) -> Result<Vec<MessageRecord>, RunEnd> {
        let mut kept = Vec::with_capacity(messages.len());
        for message in messages {
            let mut parts = Vec::with_capacity(message.parts.len());
            for part in &message.parts {
                match part {
                    Part::Text(text) => parts.push(self.keep_text(text).await?),
                    Part::Picture(picture) => parts.push(self.keep_shown(picture, shown).await?),
                    Part::Call(ToolCall { name, arguments, .. }) => {
                        parts.push(self.keep_text(&format!("{name}({arguments})")).await?);
                    }
                    Part::Result { name, text, picture, .. } => {
                        parts.push(self.keep_text(&format!("{name}: {text}")).await?);
                        if let Some(picture) = picture {
                            parts.push(self.keep_shown(picture, shown).await?);
                        }
                    }
                }
            }
            kept.push(MessageRecord { role: message.role.name().to_owned(), parts });
        }
        Ok(kept)
    }

    async fn keep_text(&mut self, text: &str) -> Result<PartRecord, RunEnd> {
        let clean = self.secrets.redact(text);
        if clean.len() <= LONG_TEXT || self.deps.privacy.text == KeepText::Metadata {
            return Ok(PartRecord::Text(clean.into_owned()));
        }
        let bytes = clean.into_owned().into();
        Ok(PartRecord::TextBlob(self.record.store_blob(bytes, "text/plain").await?))
    }

    /// A picture in a prompt, as it has been kept. One that nothing is known of is kept only where
    /// nothing is withheld.
    async fn keep_shown(
        &mut self,
        picture: &Picture,
        shown: Option<&Kept>,
    ) -> Result<PartRecord, RunEnd> {
        let kept = match shown {
            Some((same, kept)) if same == picture => kept.clone(),
            _ => match self.memory.history_images.iter().position(|it| it.picture == *picture) {
                Some(at) => self.memory.earlier_kept.get(at).cloned().flatten(),
                None if self.deps.privacy.images == KeepImages::Full => {
                    Some(self.record.store_blob(picture.bytes.clone(), picture.media_type).await?)
                }
                None => None,
            },
        };
        let unkept = || PartRecord::Text(format!("[picture {} not kept]", picture.size));
        Ok(kept.map_or_else(unkept, PartRecord::Picture))
    }
}

/// Arguments with their secrets in clear. They stay JSON whatever quotes a password has.
fn restore_arguments(secrets: &SecretStore, arguments: &str) -> String {
    fn inside(secrets: &SecretStore, value: &mut Value) {
        match value {
            Value::String(text) => *text = secrets.restore(text).into_owned(),
            Value::Array(list) => list.iter_mut().for_each(|it| inside(secrets, it)),
            Value::Object(map) => map.values_mut().for_each(|it| inside(secrets, it)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match serde_json::from_str(arguments) {
        Ok(mut value) => {
            inside(secrets, &mut value);
            value.to_string()
        }
        Err(_) => secrets.restore(arguments).into_owned(),
    }
}

/// What is recorded of a reply: what was understood of it, or what is wrong with it.
pub(super) fn answered(
    (call_id, request_number, iteration): (u32, u32, u32),
    reply: &Reply,
    prices: Option<Prices>,
    parsed: Option<ParsedRecord>,
    error: Option<String>,
) -> LlmResponse {
    // Where the endpoint did not count, a price tells nothing.
    let cost = prices.filter(|_| reply.tokens != Tokens::default()).map(|it| it.of(reply.tokens));
    LlmResponse {
        call_id,
        request_number,
        iteration,
        kind: if error.is_none() { "final" } else { "intermediate" }.to_owned(),
        success: error.is_none(),
        raw_content: Some(reply.text.clone()),
        reasoning: reply.reasoning.clone(),
        tool_calls: calls(reply),
        parsed,
        finish_reason: reply.finish_reason.clone(),
        model: reply.model.clone(),
        tokens: TokenRecord::from(reply.tokens),
        latency_ms: millis(reply.latency),
        first_token_ms: reply.first_token.map(millis),
        cost_usd: cost.unwrap_or_default(),
        cost_known: cost.is_some(),
        retries: reply.retries.iter().map(|retry| retry.error.clone()).collect(),
        error,
    }
}

/// What is recorded of a call that came to nothing.
pub(super) fn failure(
    model: &str,
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
        model: model.to_owned(),
        tokens: TokenRecord::from(Tokens::default()),
        latency_ms: millis(err.latency),
        first_token_ms: None,
        cost_usd: 0.0,
        cost_known: false,
        retries: err.retries.iter().map(|retry| retry.error.clone()).collect(),
        error: Some(err.message.clone()),
    }
}

/// A reply in words, calls of tools as well.
pub(super) fn said(reply: &Reply) -> String {
    let mut text = reply.text.clone();
    for call in &reply.calls {
        if !text.is_empty() {
            text.push('\n');
        }
        text.extend([&call.name, "(", &call.arguments, ")"]);
    }
    text
}

/// Calls of tools as they are kept. What is no JSON object is kept as it came.
fn calls(reply: &Reply) -> Vec<ToolCallRecord> {
    let parameters = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(parameters)) => parameters,
        _ => Map::from_iter([("raw".to_owned(), Value::from(text))]),
    };
    let kept = |call: &ToolCall| ToolCallRecord {
        id: call.id.clone(),
        name: call.name.clone(),
        parameters: parameters(&call.arguments),
    };
    reply.calls.iter().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_with_quotes_leaves_arguments_whole() {
        let secrets = SecretStore::new(KeepText::Redacted);
        secrets.add(SecretKind::Password, "p\"w\\4711");
        let sealed = secrets.redact("type p\"w\\4711 here").into_owned();
        assert!(!sealed.contains("4711"), "{sealed}");
        let arguments = serde_json::json!({ "text": sealed }).to_string();
        let clear: Value = serde_json::from_str(&restore_arguments(&secrets, &arguments)).unwrap();
        assert_eq!(clear["text"], "type p\"w\\4711 here");
    }
}
