//! Model calls, whatever their purpose: recorded before they are sent, within the run's limits, their
//! replies recorded with their cost. Calls in the background (captions) are recorded once they are over.
mod prompt_record;
mod prompt_sizes;
mod response_record;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use self::prompt_record::{restore_secrets, store_messages};
use self::prompt_sizes::PromptSizes;
pub(super) use self::response_record::{CallNumbers, INTERRUPTED, lost_response};
use self::response_record::{
    WITHHELD, charge, failed_response, keep_lengths, tool_call_records, wordings,
};
use super::budget::Budget;
use super::cancel::CancelHandle;
use super::millis;
use super::outcome::{RunEnd, RunError};
use super::recorder::{Recorder, StoredPicture};
use crate::journal::{
    CallPurpose, Fact, LlmRequest, LlmResponse, ParsedRecord, ResponseKind, TokenRecord,
};
use crate::model::is_cut;
use crate::prompt_text::quote_for_people;
use crate::report::RUN_TIME_USED_UP;
use crate::session::JUDGE;
use crate::{
    FailedAttempts, JournalError, KeepText, Model, ModelError, ModelErrorKind, ParseError, Prompt,
    Reply, Retry, Session, Tokens,
};

/// Most bytes of what a model said last, in the message of a run's end.
const LONGEST_LAST_WORDS: usize = 300;

/// Tokens, money and time of model calls.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallCosts {
    pub(super) tokens: TokenRecord,
    pub(super) cost_usd: f64,
    /// The price of at least one call is not known.
    pub(super) unpriced: bool,
    /// Milliseconds spent waiting.
    pub(super) waited_ms: f64,
}

/// A request to a model, with as many calls as it takes to get a usable reply.
#[derive(Debug)]
pub(super) struct Exchange {
    model: Arc<dyn Model>,
    purpose: CallPurpose,
    prompt: Prompt,
    /// The pictures in the prompt, with their blobs.
    pictures: Vec<StoredPicture>,
    /// A time limit that replaces the run's.
    limit: Option<Duration>,
    attempts: u32,
    call_id: u32,
    request_number: u32,
    iteration: u32,
    /// The messages of the prompt before any reply was asked for again.
    messages: usize,
    /// From this message on, and of the last reply, only lengths are recorded.
    withheld: Option<usize>,
    /// The screen that the model was shown was not the settled one: what is recorded of the call says so.
    withdrawn: bool,
    sizes: PromptSizes,
}

/// Calls models for one run.
#[derive(Debug)]
pub(super) struct ModelCaller {
    budget: Budget,
    cancel: CancelHandle,
    sizes: PromptSizes,
}

impl ModelCaller {
    pub(super) fn new(budget: Budget, cancel: CancelHandle, session: &Session) -> Self {
        Self { budget, cancel, sizes: PromptSizes::of(&session.prompt_tokens) }
    }

    /// Leaves out of the budget the time spent waiting for a person.
    pub(super) fn leave_out(&mut self, waited: Duration) {
        self.budget.leave_out(waited);
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A new request.
    pub(super) fn exchange(
        &self,
        model: Arc<dyn Model>,
        purpose: CallPurpose,
        prompt: Prompt,
        pictures: Vec<StoredPicture>,
    ) -> Exchange {
        Exchange {
            model,
            purpose,
            messages: prompt.messages.len(),
            prompt,
            pictures,
            limit: None,
            attempts: self.budget.attempts(),
            call_id: 0,
            request_number: 0,
            iteration: 0,
            withheld: None,
            withdrawn: false,
            sizes: self.sizes.clone(),
        }
    }

    /// Records and sends the prompt. The caller parses the reply and records it with
    /// [`Exchange::log_reply`]; failures are recorded here.
    pub(super) async fn send(
        &self,
        recorder: &mut Recorder,
        exchange: &mut Exchange,
        costs: &mut CallCosts,
    ) -> Result<Reply, RunError> {
        self.send_unless_moved(recorder, exchange, costs, std::future::pending()).await
    }

    /// Sends a call as [`send`](Self::send) does, but abandons it once the screen in its prompt turns out not to be the
    /// settled one.
    pub(super) async fn send_unless_moved(
        &self,
        recorder: &mut Recorder,
        exchange: &mut Exchange,
        costs: &mut CallCosts,
        moved: impl Future<Output = RunError>,
    ) -> Result<Reply, RunError> {
        // A step's first call is made, since the step has begun; another one only if there is something left for it.
        if 0 < exchange.iteration
            && let Some(end) = self.used_up(recorder)
        {
            return Err(RunError::BudgetUsedUp(end.message));
        }
        exchange.log_request(recorder).await?;
        let begun = Instant::now();
        let failed = FailedAttempts::default();
        let limit = exchange.limit.unwrap_or_else(|| self.budget.call_limit());
        let prompt = restore_secrets(recorder.secrets(), &exchange.prompt);
        let calling = async {
            tokio::select! {
                biased;
                outcome = exchange.model.call_counted(&prompt, limit, &failed) => Ok(outcome),
                moved = moved => Err(moved),
            }
        };
        let outcome = self.cancel.race(calling).await.map_err(RunError::from).flatten();
        costs.waited_ms += millis(begun.elapsed());
        match outcome {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(err)) => {
                exchange.log_failure(recorder, &err, costs).await?;
                let over = begun + limit <= Instant::now() + Budget::LEAST_CALL;
                let own = exchange.limit.is_none() && err.kind == ModelErrorKind::TimedOut;
                if own && over && self.budget.cuts_short(limit) {
                    return Err(RunError::BudgetUsedUp(RUN_TIME_USED_UP.to_owned()));
                }
                // The same is the run's message.
                let message = err.wording(keeps_quotes(recorder)).to_owned();
                Err(ModelError { message, ..err }.into())
            }
            Err(given_up) => {
                exchange.withdrawn = given_up.looks_again();
                let message = format!("given up: {given_up}");
                let err = ModelError::abandoned(message, begun.elapsed(), &failed);
                exchange.log_failure(recorder, &err, costs).await?;
                Err(given_up)
            }
        }
    }

    /// Sends the prompt in the background, with its secrets redacted. The caller records it.
    pub(super) fn send_in_background(&self, exchange: Exchange, limit: Duration) -> BackgroundCall {
        let (model, prompt) = (exchange.model.clone(), exchange.prompt.clone());
        let limit = limit.min(self.budget.call_limit());
        let failed = FailedAttempts::default();
        let call = tokio::spawn(
            {
                let failed = failed.clone();
                async move { model.call_counted(&prompt, limit, &failed).await }
            }
            .boxed(),
        );
        let call = AbortOnDropHandle::new(call);
        BackgroundCall { exchange, begun: Instant::now(), failed, call }
    }

    /// The end of the run, if its budget is used up.
    pub(super) fn used_up(&self, recorder: &Recorder) -> Option<RunEnd> {
        self.budget.check_call(recorder)
    }
}

/// A call in progress that nobody waits for yet. It is abandoned on drop.
#[derive(Debug)]
pub(super) struct BackgroundCall {
    pub(super) exchange: Exchange,
    pub(super) begun: Instant,
    pub(super) failed: FailedAttempts,
    pub(super) call: AbortOnDropHandle<Result<Reply, ModelError>>,
}

impl Exchange {
    /// The model that is asked.
    pub(super) fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// Replaces the run's time limit.
    pub(super) fn within(self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Makes the next recorded reply, and what follows from it, be recorded by its lengths only: it may contain a
    /// password, and nobody can tell where.
    pub(super) fn withhold_reply(&mut self) {
        self.withheld.get_or_insert(self.prompt.messages.len());
    }

    /// Takes back the reply that is about to be recorded, as the screen it is about was not the settled one.
    pub(super) fn withdraw(&mut self) {
        self.withdrawn = true;
    }

    /// Why the last reply could not be read, without anything that must be withheld.
    pub(super) fn reason_to_tell(&self, why: &ParseError) -> ParseError {
        if self.withheld.is_some() { ParseError::new(WITHHELD) } else { why.clone() }
    }

    /// What a model said of which nothing could be made, quoted for people behind a sentence; empty where replies are
    /// not kept.
    fn last_words(&self, recorder: &Recorder, reply: &Reply) -> String {
        let said = reply_text(reply);
        let is_kept = self.withheld.is_none() && recorder.privacy().text != KeepText::Metadata;
        if !is_kept || said.trim().is_empty() {
            return String::new();
        }
        let said = quote_for_people(recorder.redact(said.trim()).trim(), LONGEST_LAST_WORDS);
        format!(". The model's own words, to be taken as no more than that: {said}")
    }

    /// Prepares the next attempt, whose prompt says what is wrong with the last reply, and only with that one. Fails
    /// after the last attempt; `model` is for the error message, such as "the model's".
    pub(super) fn ask_again(
        &mut self,
        recorder: &Recorder,
        model: &'static str,
        reply: &Reply,
        why: &ParseError,
    ) -> Result<(), RunError> {
        if self.attempts <= self.iteration {
            let why = self.reason_to_tell(why);
            let why = if keeps_quotes(recorder) { why } else { why.without_quotes() };
            let said = self.last_words(recorder, reply);
            return Err(RunError::UnusableReplies { model, attempts: self.attempts, why, said });
        }
        let mut prompt = std::mem::take(&mut self.prompt);
        prompt.messages.truncate(self.messages);
        self.withheld = self.withheld.map(|from| from.min(self.messages));
        let mut quoted = reply_text(reply);
        if is_cut(&quoted) {
            // A half of a secret would be known to nobody as one. It is whole again when it is sent.
            quoted = recorder.redact(&quoted).into_owned();
        }
        self.prompt = prompt.with_retry_notice(&quoted, why);
        Ok(())
    }

    /// Records that the prompt is sent, once per attempt.
    pub(super) async fn log_request(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<(), JournalError> {
        let session = recorder.session();
        self.call_id = session.counts.calls + 1;
        self.iteration += 1;
        if self.iteration == 1 {
            // Counted when it is sent, so that a step that ends before leaves no gap.
            let requests = match self.purpose {
                CallPurpose::Evaluate => session.counts.judgements,
                _ => session.agents.get(&session.current_agent()).requests,
            };
            self.request_number = requests + 1;
        }
        let withheld = self.withheld.unwrap_or(usize::MAX);
        let messages =
            store_messages(recorder, &self.prompt.messages, withheld, &self.pictures).await?;
        let tools = &self.prompt.tools;
        let request = LlmRequest {
            call_id: self.call_id,
            request_number: self.request_number,
            iteration: self.iteration,
            purpose: recorded_purpose(self.purpose, self.iteration).into(),
            model: self.model.name().to_owned(),
            profile: self.model.profile().to_owned(),
            messages,
            params: self.model.params(),
            tools_schema: (!tools.is_empty()).then(|| Value::from(tools.clone())),
            response_schema: self.prompt.schema.clone(),
            tool_results: None,
        };
        self.append(recorder, Fact::LlmRequest(request)).await
    }

    /// Records a reply: what was parsed from it, or what is wrong with it. It is synced at the latest
    /// before the gesture that it decides on.
    pub(super) async fn log_reply(
        &self,
        recorder: &mut Recorder,
        reply: &Reply,
        read: Result<Option<ParsedRecord>, String>,
        costs: &mut CallCosts,
    ) -> Result<(), JournalError> {
        let (parsed, error) = match read {
            Ok(parsed) => (parsed, None),
            Err(error) => (None, Some(error)),
        };
        self.sizes.learn(self.model.name(), self.purpose, reply.tokens.prompt);
        let lost = self.lost(taken(&reply.retries));
        // Without a token count the cost is unknown, and so it is where an attempt before this one may have cost.
        let prices = self.model.prices();
        let is_known = reply.tokens != Tokens::default() && taken(&reply.retries) == 0;
        let cost = prices.map(|prices| prices.of(reply.tokens) + prices.of(lost));
        let mut response = LlmResponse {
            call_id: self.call_id,
            request_number: self.request_number,
            iteration: self.iteration,
            kind: if error.is_none() { ResponseKind::Final } else { ResponseKind::Intermediate }
                .into(),
            success: error.is_none(),
            raw_content: Some(reply.text.clone()),
            reasoning: reply.reasoning.clone(),
            tool_calls: tool_call_records(reply),
            parsed,
            finish_reason: reply.finish_reason.clone(),
            model: reply.model.clone(),
            tokens: TokenRecord::from(reply.tokens),
            tokens_estimated: lost != Tokens::default(),
            latency_ms: millis(reply.latency),
            first_token_ms: reply.first_token.map(millis),
            cost_usd: cost.unwrap_or_default(),
            cost_known: prices.is_some_and(|prices| is_known || prices.are_zero()),
            retries: wordings(&reply.retries, keeps_quotes(recorder)),
            error,
            withdrawn: self.withdrawn,
        };
        response.tokens += TokenRecord::from(lost);
        if self.withheld.is_some() && !response.success {
            keep_lengths(&mut response);
        }
        costs.tokens += response.tokens;
        costs.cost_usd += response.cost_usd;
        costs.unpriced |= !response.cost_known;
        self.append(recorder, Fact::LlmResponse(response)).await
    }

    /// Records a call without a reply. A call that was abandoned, and each attempt that the endpoint had accepted, is
    /// charged for its prompt as well as that can be estimated, so that budgets count it.
    pub(super) async fn log_failure(
        &self,
        recorder: &mut Recorder,
        err: &ModelError,
        costs: &mut CallCosts,
    ) -> Result<(), JournalError> {
        let call = CallNumbers {
            call_id: self.call_id,
            request_number: self.request_number,
            iteration: self.iteration,
        };
        let mut response = failed_response(self.model.name(), call, err, keeps_quotes(recorder));
        response.withdrawn = self.withdrawn;
        let given_up = u64::from(err.kind == ModelErrorKind::Abandoned);
        charge(&mut response, self.lost(given_up + taken(&err.retries)), self.model.prices());
        costs.tokens += response.tokens;
        costs.cost_usd += response.cost_usd;
        costs.unpriced |= !response.cost_known;
        self.append(recorder, Fact::LlmResponse(response)).await
    }

    /// What so many sendings of the prompt have cost at least that nobody has counted.
    fn lost(&self, sendings: u64) -> Tokens {
        let prompt = self.sizes.expect(self.model.name(), self.purpose);
        Tokens { prompt: prompt.saturating_mul(sendings), ..Tokens::default() }
    }

    async fn append(&self, recorder: &mut Recorder, fact: Fact) -> Result<(), JournalError> {
        match self.purpose {
            CallPurpose::Evaluate => recorder.append_as(JUDGE, None, fact).await,
            _ => recorder.append(fact).await,
        }
    }
}

/// Whether what endpoints say of themselves is kept: an error may quote the prompt.
fn keeps_quotes(recorder: &Recorder) -> bool {
    recorder.privacy().text != KeepText::Metadata
}

/// Of these attempts, those that the endpoint had taken.
fn taken(attempts: &[Retry]) -> u64 {
    attempts.iter().map(|attempt| u64::from(attempt.taken)).sum()
}

/// What is recorded as the purpose of a call: asking again for a decision has a word of its own.
fn recorded_purpose(purpose: CallPurpose, iteration: u32) -> CallPurpose {
    match purpose {
        CallPurpose::Act | CallPurpose::Plan if 1 < iteration => CallPurpose::Repair,
        other => other,
    }
}

/// A reply as text, tool calls included.
fn reply_text(reply: &Reply) -> String {
    let mut text = reply.text.clone();
    for call in &reply.calls {
        if !text.is_empty() {
            text.push('\n');
        }
        // Not as a reply in text would have it: the model is to call the tool again, and not to imitate this.
        text.extend(["[a call of the tool ", &call.name, " with ", &call.arguments, "]"]);
    }
    text
}
