//! Parts of the record of a reply, and that of a call without one.
use std::time::Duration;

use serde_json::{Map, Value};

use crate::journal::{LlmResponse, ResponseKind, TokenRecord, ToolCallRecord};
use crate::privacy::{keep_length, length_of};
use crate::run::millis;
use crate::run::reply_length::is_too_long;
use crate::{ModelError, ModelErrorKind, Prices, Reply, Retry, Session, Tokens, ToolCall};

/// Recorded in place of a reply that may contain a password.
pub(super) const WITHHELD: &str =
    "the reply could not be read; it is not kept, as a password may be in it";

/// The recorded error of whatever a crash left open.
pub(in crate::run) const INTERRUPTED: &str = "interrupted: the server stopped before it was over";

/// Replaces the texts of a reply by their lengths.
pub(super) fn keep_lengths(response: &mut LlmResponse) {
    response.raw_content.iter_mut().for_each(keep_length);
    keep_length(&mut response.reasoning);
    for call in &mut response.tool_calls {
        for value in call.parameters.values_mut() {
            *value = Value::from(length_of(&value.to_string()));
        }
    }
    response.error = Some(WITHHELD.to_owned());
}

/// The numbers that identify a call within its session.
#[derive(Debug, Clone, Copy)]
pub(in crate::run) struct CallNumbers {
    pub(in crate::run) call_id: u32,
    pub(in crate::run) request_number: u32,
    pub(in crate::run) iteration: u32,
}

/// The record of a call without a reply; with `quotes`, the endpoint's own words are in it.
pub(super) fn failed_response(
    model: &str,
    CallNumbers { call_id, request_number, iteration }: CallNumbers,
    err: &ModelError,
    quotes: bool,
) -> LlmResponse {
    LlmResponse {
        call_id,
        request_number,
        iteration,
        kind: ResponseKind::Intermediate.into(),
        success: false,
        raw_content: None,
        reasoning: String::new(),
        tool_calls: Vec::new(),
        parsed: None,
        finish_reason: None,
        model: model.to_owned(),
        tokens: TokenRecord::default(),
        tokens_estimated: false,
        latency_ms: millis(err.latency),
        first_token_ms: None,
        cost_usd: 0.0,
        cost_known: false,
        retries: wordings(&err.retries, quotes),
        error: Some(err.wording(quotes).to_owned()),
        withdrawn: false,
    }
}

/// The errors of these attempts, for the record.
pub(super) fn wordings(attempts: &[Retry], quotes: bool) -> Vec<String> {
    attempts.iter().map(|attempt| attempt.wording(quotes).to_owned()).collect()
}

/// The record of a call that a crash cut off, charged like an abandoned one. `prices` are its model's.
pub(in crate::run) fn lost_response(
    session: &Session,
    call: CallNumbers,
    prices: Option<Prices>,
) -> LlmResponse {
    let open = &session.in_progress;
    let lost = ModelError::new(ModelErrorKind::Abandoned, INTERRUPTED, Duration::ZERO);
    let mut response = failed_response(&open.model, call, &lost, true);
    let prompt = session.prompt_tokens.expect(&open.model, open.purpose);
    charge(&mut response, Tokens { prompt, ..Tokens::default() }, prices);
    response
}

/// Charges a call without a reply for its least possible cost.
pub(super) fn charge(response: &mut LlmResponse, lost: Tokens, prices: Option<Prices>) {
    response.tokens = TokenRecord::from(lost);
    response.tokens_estimated = lost != Tokens::default();
    response.cost_usd = prices.map(|prices| prices.of(lost)).unwrap_or_default();
    response.cost_known = prices.is_some_and(Prices::are_zero);
}

/// Most tool calls of a reply that are recorded where that is too long to be read.
const MOST_UNREAD_CALLS: usize = 16;
/// Arguments that are nested deeper could not be read back from a record, which itself is some deep.
const DEEPEST: usize = 100;

/// The tool calls of a reply for the record.
pub(super) fn tool_call_records(reply: &Reply) -> Vec<ToolCallRecord> {
    let read = !is_too_long(reply);
    let most = if read { usize::MAX } else { MOST_UNREAD_CALLS };
    reply.calls.iter().take(most).map(|call| tool_call_record(call, read)).collect()
}

/// Arguments that are not a JSON object, or are not read, are kept under `raw`.
fn tool_call_record(call: &ToolCall, read: bool) -> ToolCallRecord {
    let arguments = read.then(|| serde_json::from_str(&call.arguments));
    let parameters = match arguments {
        Some(Ok(Value::Object(parameters)))
            if parameters.values().all(|it| is_flat(it, DEEPEST)) =>
        {
            parameters
        }
        _ => Map::from_iter([("raw".to_owned(), Value::from(call.arguments.as_str()))]),
    };
    ToolCallRecord { id: call.id.clone(), name: call.name.clone(), parameters }
}

/// Whether a value is no deeper than this.
fn is_flat(value: &Value, most: usize) -> bool {
    match value {
        _ if most == 0 => false,
        Value::Array(items) => items.iter().all(|item| is_flat(item, most - 1)),
        Value::Object(map) => map.values().all(|item| is_flat(item, most - 1)),
        _ => true,
    }
}
