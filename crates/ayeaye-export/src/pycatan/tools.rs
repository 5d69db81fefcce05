//! Tools: `tool_executions.json`, one element for the calls of one reply, or for one action.
//!
//! `PyCatan`'s analysis ties a reply that was not the last word to the first batch behind it whose calls
//! begin with the names of those that the reply made. So every such reply has a batch: of the calls as the
//! model named them, whatever action they turned out to be; or, where there were none or they could not be
//! used, one in which nothing was done.
use ayeaye_agent::journal::{LlmResponse, ToolCallRecord, ToolEnd, ToolStart};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::files::Files;
use crate::text::{excerpt, iso, json_line, json_pretty};

/// The one JSON array.
pub(super) const TOOLS: &str = "tool_executions.json";
/// Calls of one reply; a batch that is fuller is written as several.
const MAX_CALLS: usize = 256;
/// Characters of a result in the log.
const MAX_RESULT: usize = 200;
/// Characters that `PyCatan` takes for a token.
const CHARS_PER_TOKEN: u64 = 4;

/// Tools that were called together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) player: String,
    /// Number in the record; one without it holds one call.
    number: Option<u32>,
    request: Option<u32>,
    started: Timestamp,
    calls: Vec<RecordedCall>,
    /// Calls of the same reply that came to nothing.
    unused: Vec<UnusedCall>,
    /// Why nothing of the reply was used.
    error: Option<String>,
}

#[derive(Debug)]
struct RecordedCall {
    /// As the model named it, else by its number.
    id: String,
    /// The call by which the model asked for it.
    called: Option<ToolCallRecord>,
    start: ToolStart,
    end: Option<ToolEnd>,
}

/// A call of a reply that led to nothing on the phone.
#[derive(Debug)]
struct UnusedCall {
    called: ToolCallRecord,
    /// What came of it, or why nothing did.
    outcome: Result<String, String>,
}

impl Batch {
    pub(super) fn new(
        player: String,
        number: Option<u32>,
        request: Option<u32>,
        started: Timestamp,
    ) -> Self {
        let (calls, unused, error) = (Vec::new(), Vec::new(), None);
        Self { player, number, request, started, calls, unused, error }
    }

    /// What a reply called that decided without the phone: the first call has this outcome, the others none.
    pub(super) fn of_calls(
        player: String,
        request: u32,
        at: Timestamp,
        calls: &[ToolCallRecord],
        outcome: Result<String, String>,
    ) -> Self {
        let mut batch = Self::new(player, None, Some(request), at);
        batch.add_unused(calls, Some(outcome));
        batch
    }

    /// A reply that was not used, with what it called, if anything.
    pub(super) fn rejected(player: String, response: &LlmResponse, at: Timestamp) -> Self {
        let mut batch = Self::new(player, None, Some(response.request_number), at);
        let why = response.error.clone().unwrap_or_else(|| "it was not acted on".to_owned());
        let unused = |called: &ToolCallRecord| UnusedCall {
            called: called.clone(),
            outcome: Err(why.clone()),
        };
        batch.unused = response.tool_calls.iter().take(MAX_CALLS).map(unused).collect();
        batch.error = Some(why);
        batch
    }

    /// Takes the action that a reply's calls turned out to be: the first of them is it.
    pub(super) fn start_called(&mut self, start: &ToolStart, calls: &[ToolCallRecord]) {
        let Some((called, others)) = calls.split_first() else { return self.start(start, &[]) };
        let (id, called) = (call_id(&called.id, start), Some(called.clone()));
        self.calls.push(RecordedCall { id, called, start: start.clone(), end: None });
        self.add_unused(others, None);
    }

    fn add_unused(&mut self, calls: &[ToolCallRecord], mut first: Option<Result<String, String>>) {
        self.unused.extend(calls.iter().take(MAX_CALLS).map(|called| {
            UnusedCall {
                called: called.clone(),
                outcome: first
                    .take()
                    .unwrap_or_else(|| Err("not carried out: a step has one action".to_owned())),
            }
        }));
    }

    /// Whether a call belongs here too.
    pub(super) fn accepts(&self, start: &ToolStart) -> bool {
        self.number.is_some() && self.number == start.batch && self.calls.len() < MAX_CALLS
    }

    /// Takes a call. `asked` are the calls of the reply it comes from.
    pub(super) fn start(&mut self, start: &ToolStart, asked: &[ToolCallRecord]) {
        let same = |it: &&ToolCallRecord| it.name == start.name && !start.device;
        let asked = asked.get(self.calls.len()).filter(same).filter(|it| !it.id.is_empty());
        let id = call_id(asked.map_or("", |it| &it.id), start);
        self.calls.push(RecordedCall { id, called: None, start: start.clone(), end: None });
    }

    /// Notes how a call ended: its name, and whether it was done to the phone.
    pub(super) fn end(&mut self, end: &ToolEnd) -> Option<(String, bool)> {
        let open = |call: &&mut RecordedCall| call.start.tool_call_id == end.tool_call_id;
        let call = self.calls.iter_mut().find(open)?;
        call.end = Some(end.clone());
        Some((call.start.name.clone(), call.start.device))
    }

    /// Whether nothing more can follow. Only a call of its own is known to be the last.
    pub(super) fn is_complete(&self) -> bool {
        self.number.is_none() && self.calls.iter().all(|call| call.end.is_some())
    }

    pub(super) fn len(&self) -> usize {
        self.calls.len() + self.unused.len()
    }

    /// Estimated tokens, sent and received. Only what went back to a model has any.
    fn tokens(&self) -> (u64, u64) {
        let add = |sum: (u64, u64), it: (u64, u64)| {
            (sum.0.saturating_add(it.0), sum.1.saturating_add(it.1))
        };
        self.calls.iter().map(RecordedCall::tokens).fold((0, 0), add)
    }

    /// What a model is told of its tools, and the tokens of that; none where only the phone was
    /// touched.
    pub(super) fn results(&self) -> Option<(String, u64)> {
        let calls: Vec<_> = self.calls.iter().filter(|call| !call.start.device).collect();
        if calls.is_empty() {
            return None;
        }
        let mut lines = vec!["=== Tool Results ===\n".to_owned()];
        for call in calls {
            lines.push(format!("Tool: {}", call.start.name));
            lines.push(format!("Parameters: {}", json_pretty(&call.start.parameters)));
            if call.success() {
                lines.push("Result:".to_owned());
                lines.push(json_pretty(&call.result()));
            } else {
                lines.push(format!("Error: {}", call.error().unwrap_or_default()));
            }
            lines.push("---\n".to_owned());
        }
        let (sent, received) = self.tokens();
        Some((lines.join("\n"), sent.saturating_add(received)))
    }

    /// Writes it down.
    pub(super) fn write(&self, files: &mut Files, at: Timestamp) {
        let total = self.len();
        let successful = self.calls.iter().filter(|call| call.success()).count()
            + self.unused.iter().filter(|call| call.outcome.is_ok()).count();
        let millis =
            rounded(self.calls.iter().map(RecordedCall::millis).fold(0.0, |sum, it| sum + it));
        let (sent, received) = self.tokens();
        let calls = self.calls.iter().map(RecordedCall::to_json);
        let calls: Vec<Value> = calls.chain(self.unused.iter().map(UnusedCall::to_json)).collect();
        let mut batch = json!({
            "timestamp": iso(self.started), "total_calls": total, "successful": successful,
            "failed": total - successful, "total_time_ms": millis,
            "tokens": token_facts(sent, received), "calls": calls,
            "player_name": self.player, "request_number": self.request,
        });
        if let Some(error) = &self.error {
            batch["error"] = json!(error);
        }
        files.element(TOOLS, &batch);
        if total == 0 {
            return;
        }
        files.log_line(at, "TOOL", &format!("=== Tool Execution Batch ({total} calls) ==="));
        self.calls.iter().for_each(|call| call.log_line(files, at));
        self.unused.iter().for_each(|call| call.log_line(files, at));
        let tokens = sent.saturating_add(received);
        let sum =
            format!("  Total: {successful}/{total} successful | {tokens} tokens | {millis:.1}ms");
        files.log_line(at, "TOOL", &sum);
        files.log_line(at, "TOOL", &"=".repeat(50));
    }
}

impl RecordedCall {
    fn success(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.success)
    }

    fn error(&self) -> Option<&str> {
        match &self.end {
            None => Some("the record does not say how it ended"),
            Some(end) if end.success => end.error.as_deref(),
            Some(end) => Some(end.error.as_deref().unwrap_or("failed")),
        }
    }

    /// Why it may have had no effect, though the phone has accepted it.
    fn uncertain(&self) -> Option<&str> {
        self.end.as_ref().and_then(|end| end.uncertain.as_deref())
    }

    fn millis(&self) -> f64 {
        self.end.as_ref().map_or(0.0, |end| end.duration_ms)
    }

    /// A result that is JSON counts as JSON.
    fn result(&self) -> Value {
        match &self.end {
            Some(end) if end.success => match end.result.as_bytes().first() {
                Some(b'{' | b'[') => serde_json::from_str(&end.result)
                    .unwrap_or_else(|_| Value::String(end.result.clone())),
                _ => Value::String(end.result.clone()),
            },
            _ => Value::Null,
        }
    }

    fn tokens(&self) -> (u64, u64) {
        if self.start.device {
            return (0, 0);
        }
        let estimate = |text: &str| text.len() as u64 / CHARS_PER_TOKEN;
        let sent = estimate(&json_line(&self.start.parameters));
        let received = if self.success() { estimate(&json_line(&self.result())) } else { 0 };
        (sent, received)
    }

    fn to_json(&self) -> Value {
        let (sent, received) = self.tokens();
        let unknown = self.end.as_ref().is_none_or(|end| end.unknown);
        let own = (&self.start.name, &self.start.parameters);
        let (name, parameters) =
            self.called.as_ref().map_or(own, |called| (&called.name, &called.parameters));
        let mut call = json!({
            "id": self.id, "name": name, "parameters": parameters,
            "result": self.result(), "success": self.success(), "error": self.error(),
            "execution_time_ms": rounded(self.millis()), "tokens": token_facts(sent, received),
            "device": self.start.device, "outcome_unknown": unknown,
            "uncertain": self.uncertain(), "tool_call_id": self.start.tool_call_id,
        });
        if self.called.is_some() {
            call["action"] =
                json!({ "function": self.start.name, "arguments": self.start.parameters });
        }
        call
    }

    fn log_line(&self, files: &mut Files, at: Timestamp) {
        let mark = if self.success() { "✅" } else { "❌" };
        let mut parameters = self.start.parameters.clone();
        let reasoning = parameters.shift_remove("reasoning");
        let name = &self.start.name;
        files.log_line(at, "TOOL", &format!("  {mark} {name}({})", json_line(&parameters)));
        if let Some(reasoning) = reasoning {
            let words = reasoning.as_str().map_or_else(|| reasoning.to_string(), str::to_owned);
            files.log_line(at, "TOOL", &format!("     💭 Reasoning: {words}"));
        }
        let (sent, received) = self.tokens();
        let all = sent.saturating_add(received);
        let millis = self.millis();
        let cost =
            format!("     Time: {millis:.1}ms | Tokens: {sent} in + {received} out = {all} total");
        files.log_line(at, "TOOL", &cost);
        let outcome = if self.success() {
            format!("     Result: {}", excerpt(&json_line(&self.result()), MAX_RESULT))
        } else {
            format!("     Error: {}", self.error().unwrap_or_default())
        };
        files.log_line(at, "TOOL", &outcome);
        if let Some(why) = self.uncertain() {
            files.log_line(at, "TOOL", &format!("     Not certain: {}", excerpt(why, MAX_RESULT)));
        }
    }
}

impl UnusedCall {
    fn to_json(&self) -> Value {
        let ToolCallRecord { id, name, parameters } = &self.called;
        json!({
            "id": id, "name": name, "parameters": parameters,
            "result": self.outcome.as_ref().ok(), "success": self.outcome.is_ok(),
            "error": self.outcome.as_ref().err(), "execution_time_ms": 0.0,
            "tokens": token_facts(0, 0), "device": false, "outcome_unknown": false,
            "uncertain": null, "tool_call_id": null,
        })
    }

    fn log_line(&self, files: &mut Files, at: Timestamp) {
        let ToolCallRecord { name, parameters, .. } = &self.called;
        let (mark, kind, text) = match &self.outcome {
            Ok(result) => ("✅", "Result", result),
            Err(error) => ("❌", "Error", error),
        };
        files.log_line(at, "TOOL", &format!("  {mark} {name}({})", json_line(parameters)));
        files.log_line(at, "TOOL", &format!("     {kind}: {}", excerpt(text, MAX_RESULT)));
    }
}

/// As the model named it, else by its number.
fn call_id(id: &str, start: &ToolStart) -> String {
    if id.is_empty() { format!("call_{}", start.tool_call_id) } else { id.to_owned() }
}

fn token_facts(sent: u64, received: u64) -> Value {
    json!({ "input": sent, "output": received, "total": sent.saturating_add(received) })
}

/// To a hundredth, as `PyCatan` keeps its times.
fn rounded(millis: f64) -> f64 {
    (millis * 100.0).round() / 100.0
}
