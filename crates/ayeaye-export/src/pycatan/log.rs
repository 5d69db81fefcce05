//! Lines of `llm_communication.log`, which people read as it grows.
use ayeaye_agent::journal::{LlmRequest, LlmResponse, ResponseKind};
use jiff::Timestamp;

use super::files::Files;
use super::player::{Player, seconds};
use super::prompt::{self, Messages};
use crate::text::{excerpt, iso};

/// Characters of a thought.
const MAX_THOUGHT: usize = 100;
/// Characters of a rule between parts.
const RULE: usize = 50;

pub(super) fn header(files: &mut Files, folder: &str, started: Timestamp) {
    files.say_plainly("=== LLM Communication Log ===");
    files.say_plainly(&format!("Session: {folder}"));
    files.say_plainly(&format!("Started: {}", iso(started)));
    files.say_plainly(&"=".repeat(RULE));
    files.say_plainly("");
}

/// What everything has cost so far. At the end of a run, so that the log only ever grows.
pub(super) fn cost<'a>(files: &mut Files, players: impl Iterator<Item = &'a Player>) {
    let (mut cost, mut known, mut sent, mut received) = (0.0, true, 0_u64, 0_u64);
    for player in players {
        let (dollars, all) = player.cost();
        cost += dollars;
        known &= all;
        sent = sent.saturating_add(player.stats.tokens.prompt);
        received = received.saturating_add(player.stats.tokens.received());
    }
    let note = if known { "" } else { " (without calls whose price is not known)" };
    files.say_plainly("");
    files.say_plainly(&format!("💰 CUMULATIVE COST: ${cost:.6}{note}"));
    files.say_plainly(&format!("   Input:  {} tokens", grouped(sent)));
    files.say_plainly(&format!("   Output: {} tokens", grouped(received)));
    files.say_plainly(&"=".repeat(RULE));
    files.say_plainly("");
}

/// A call to a model. `results` are the tokens of what the tools returned.
pub(super) fn sent(
    files: &mut Files,
    now: Timestamp,
    name: &str,
    request: &LlmRequest,
    messages: &Messages,
    results: Option<u64>,
) {
    let LlmRequest { call_id, request_number: number, iteration, purpose, .. } = request;
    if request.tool_results.is_some() {
        let tokens = results.unwrap_or_default();
        files.log_line(
            now,
            "TOOL_RESULTS",
            &format!("✅ Tool results sent back to LLM ({tokens} tokens)"),
        );
    }
    let kind = match (*iteration, &request.tool_results) {
        (0 | 1, _) => "INITIAL",
        (_, Some(_)) => "TOOL_FOLLOWUP",
        (_, None) => "REPAIR",
    };
    let (count, pictures) = (messages.count, messages.pictures);
    files.log_line(
        now,
        "SEND",
        &format!(
            "Prompt {number} of {name} ({purpose}) to {}: {count} messages, {pictures} images",
            request.model
        ),
    );
    files.log_line(
        now,
        "API_SEND",
        &format!(
            "📤 API Call #{call_id} SENT [{kind}] - Player: {name}, Prompt: {number}, \
             Iteration: {iteration}"
        ),
    );
    let tools = prompt::tool_names(request);
    if !tools.is_empty() {
        files.log_line(now, "API_SEND", &format!("   🔧 Tools enabled: {tools:?}"));
    }
}

/// What came of it.
pub(super) fn received(files: &mut Files, now: Timestamp, response: &LlmResponse) {
    let LlmResponse { call_id, tokens, tool_calls, iteration, .. } = response;
    if !response.success {
        let error = response.error.as_deref().unwrap_or("not said");
        files.log_line(
            now,
            "API_RECV",
            &format!("📥 API Call #{call_id} FAILED ❌ - Error: {error}"),
        );
        return;
    }
    let what = match tool_calls.len() {
        0 if response.kind == ResponseKind::Final => " (final response)".to_owned(),
        0 => String::new(),
        n => format!(", {n} tool request(s)"),
    };
    let cost = if response.cost_known {
        format!("${:.6}", response.cost_usd)
    } else {
        "not known".to_owned()
    };
    let (sent, received) = (tokens.prompt, tokens.completion);
    let total = sent.saturating_add(received);
    files.log_line(
        now,
        "API_RECV",
        &format!(
            "📥 API Call #{call_id} RECEIVED ✅ - {total} tokens (in:{sent} out:{received}){what} | \
             💰 {cost}"
        ),
    );
    if !tool_calls.is_empty() {
        let n = tool_calls.len();
        let line = format!("🔧 LLM requested {n} tool(s) (iteration {iteration})");
        files.log_line(now, "TOOL_REQUEST", &line);
    }
    if let Some(parsed) = &response.parsed {
        let thought = excerpt(&parsed.response.thought, MAX_THOUGHT);
        let latency = seconds(response.latency_ms);
        let line = format!("{} in {latency:.1}s. Thinking: {thought}", parsed.action.function);
        files.log_line(now, "RECV", &line);
    }
}

/// `1,234,567`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
