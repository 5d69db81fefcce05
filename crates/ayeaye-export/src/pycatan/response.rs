//! What came back: `responses/response_N.json` for the answer that counted, and
//! `responses/intermediate/response_N_iterK.json` for every reply before it: calls of tools, replies
//! nobody could read, calls that failed. A reply whose call of a tool was the answer has both.
use ayeaye_agent::journal::{LlmResponse, ParsedRecord};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::files::Files;
use super::player::{Request, TokenSum, seconds};
use crate::text::{iso, reply_text};

/// A reply that was not acted on.
pub(super) fn intermediate(files: &mut Files, player: &str, at: Timestamp, reply: &LlmResponse) {
    let LlmResponse { request_number: number, iteration, .. } = *reply;
    let mut object = json!({
        "request_number": number, "iteration": iteration, "timestamp": iso(at),
        "player_name": player, "type": "intermediate", "success": reply.success,
        "raw_content": reply.raw_content, "has_tool_calls": !reply.tool_calls.is_empty(),
        "tool_calls": reply.tool_calls, "model": reply.model,
        "tokens": TokenSum::from(reply.tokens).to_json(0),
        "latency_seconds": seconds(reply.latency_ms), "error": reply.error,
    });
    add_call_details(&mut object, reply);
    let path = format!("{player}/responses/intermediate/response_{number}_iter{iteration}.json");
    files.json(path, &object);
}

/// The answer that counted. Tokens are those of all calls of the request, and of its tools.
pub(super) fn last(
    files: &mut Files,
    player: &str,
    at: Timestamp,
    request: &Request,
    reply: &LlmResponse,
) {
    let parsed = reply.parsed.as_ref().map(|parsed| parsed_json(parsed, &reply.reasoning));
    let raw = reply_text(reply);
    let outcome = ReplyOutcome {
        success: reply.success,
        raw: raw.as_deref(),
        parsed: parsed.unwrap_or_default(),
        error: reply.error.as_deref(),
    };
    let mut object = answer(player, at, request, &outcome);
    add_call_details(&mut object, reply);
    files.json(path(player, request.number), &object);
}

/// A request that came to nothing: it has a response too, which says so.
pub(super) fn unanswered(
    files: &mut Files,
    player: &str,
    at: Timestamp,
    request: &Request,
    why: &str,
) {
    let (raw, _) = &request.last;
    let outcome =
        ReplyOutcome { success: false, raw: raw.as_deref(), parsed: Value::Null, error: Some(why) };
    files.json(path(player, request.number), &answer(player, at, request, &outcome));
}

struct ReplyOutcome<'a> {
    success: bool,
    raw: Option<&'a str>,
    parsed: Value,
    error: Option<&'a str>,
}

fn path(player: &str, number: u32) -> String {
    format!("{player}/responses/response_{number}.json")
}

fn answer(player: &str, at: Timestamp, request: &Request, outcome: &ReplyOutcome<'_>) -> Value {
    let (latency, all) = request.latency_ms;
    json!({
        "request_number": request.number, "timestamp": iso(at), "player_name": player,
        "type": "final", "success": outcome.success, "raw_content": outcome.raw,
        "parsed": outcome.parsed, "model": request.model,
        "tokens": request.tokens.to_json(request.tool_tokens), "latency_seconds": seconds(latency),
        "error": outcome.error, "latency_seconds_total": seconds(all), "calls": request.calls,
        "purpose": request.purpose, "cost_usd": request.cost_usd, "cost_known": !request.unpriced,
    })
}

/// What else the record knows of a call, behind the usual keys.
fn add_call_details(object: &mut Value, reply: &LlmResponse) {
    object["call_id"] = json!(reply.call_id);
    object["finish_reason"] = json!(reply.finish_reason);
    if !reply.reasoning.is_empty() {
        object["reasoning"] = json!(reply.reasoning);
    }
    if !reply.retries.is_empty() {
        object["retries"] = json!(reply.retries);
    }
    if object["type"] == "intermediate" {
        object["cost_usd"] = json!(reply.cost_usd);
        object["cost_known"] = json!(reply.cost_known);
    }
}

fn parsed_json(parsed: &ParsedRecord, reasoning: &str) -> Value {
    let ParsedRecord { action, response } = parsed;
    let thinking = if response.thought.is_empty() { reasoning } else { &response.thought };
    let mut object = json!({
        "action_type": action.function, "parameters": action.arguments,
        "internal_thinking": thinking, "note_to_self": response.summary,
        "say_outloud": question_text(parsed), "thought": response.thought, "comment": response.comment,
        "summary": response.summary, "observation": response.observation,
    });
    let lists = [
        ("plan", &response.plan),
        ("message", &response.message),
        ("questions", &response.questions),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            object[name] = json!(list);
        }
    }
    if !response.current_subtask.is_empty() {
        object["current_subtask"] = json!(response.current_subtask);
    }
    object
}

/// What an agent says to the user: its question.
fn question_text(parsed: &ParsedRecord) -> Option<&str> {
    parsed.action.arguments.get("question").and_then(|it| it.get("text")).and_then(Value::as_str)
}
