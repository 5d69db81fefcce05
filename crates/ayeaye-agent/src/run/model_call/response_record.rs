//! Parts of the record of a reply, and that of a call without one.
use serde_json::{Map, Value};

use crate::journal::{LlmResponse, ResponseKind, TokenRecord, ToolCallRecord};
use crate::privacy::{keep_length, length_of};
use crate::run::millis;
use crate::{ModelError, ToolCall};

/// What is recorded of a reply in which a password may be.
pub(super) const WITHHELD: &str =
    "the reply could not be read; it is not kept, as a password may be in it";

/// Leaves of a reply only how long it was.
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

/// The record of a call without a reply.
pub(in crate::run) fn failed_response(
    model: &str,
    (call_id, request_number, iteration): (u32, u32, u32),
    err: &ModelError,
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
        retries: err.retries.iter().map(|retry| retry.error.clone()).collect(),
        error: Some(err.message.clone()),
    }
}

/// A tool call for the record. Arguments that are not a JSON object are kept under `raw`.
pub(super) fn tool_call_record(call: &ToolCall) -> ToolCallRecord {
    let parameters = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(parameters)) => parameters,
        _ => Map::from_iter([("raw".to_owned(), Value::from(call.arguments.as_str()))]),
    };
    ToolCallRecord { id: call.id.clone(), name: call.name.clone(), parameters }
}
