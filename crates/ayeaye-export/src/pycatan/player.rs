//! A player: an agent, by the name of its folder, and the request it is busy with.
use std::collections::HashSet;

use ayeaye_agent::journal::{
    CallPurpose, Event, Fact, LlmRequest, LlmResponse, TokenRecord, ToolCallRecord,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::files::LOG;
use super::tools::TOOLS;
use crate::step_view::is_withdrawn;
use crate::text::{iso, limited};

/// Characters of a folder's name.
const MAX_NAME: usize = 80;
/// Characters that are kept of what an agent notes for itself.
const MAX_NOTE: usize = 4000;

/// What stands beside the agents' folders.
const RESERVED_NAMES: [&str; 6] = [
    LOG,
    TOOLS,
    "agent_memories.json",
    "chat_history.json",
    "session_metadata.json",
    "session_summary.json",
];

/// An agent of the session.
#[derive(Debug, Default)]
pub(super) struct Player {
    /// Whether its page has been begun.
    pub(super) introduced: bool,
    /// The request of which an answer may still come.
    pub(super) request: Option<Request>,
    /// What it noted for itself last, and when.
    pub(super) note: Option<(String, Timestamp)>,
    pub(super) stats: Stats,
    /// The texts of its latest prompt that was to decide something, as hashes.
    pub(super) sent: HashSet<u64>,
}

/// What the summary says of an agent.
#[derive(Debug, Default)]
pub(super) struct Stats {
    requests: u64,
    successful: u64,
    failed: u64,
    /// Taken back because the screen still moved.
    withdrawn: u64,
    intermediate: u64,
    pub(super) tool_calls: u64,
    pub(super) tokens: TokenSum,
    tool_tokens: u64,
    latency_ms: f64,
    cost_usd: f64,
    unpriced: bool,
}

/// A request and all that was called for it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) number: u32,
    pub(super) purpose: String,
    pub(super) model: String,
    /// Calls that were answered or failed.
    pub(super) calls: u32,
    pub(super) tokens: TokenSum,
    /// Of the tools it used, as estimated.
    pub(super) tool_tokens: u64,
    /// Of the last call, and of all.
    pub(super) latency_ms: (f64, f64),
    pub(super) cost_usd: f64,
    pub(super) unpriced: bool,
    /// Whether its last call was taken back.
    pub(super) withdrawn: bool,
    /// Whether its final answer is written.
    pub(super) answered: bool,
    /// The last reply that was not acted on, and what was wrong with it.
    pub(super) last: (Option<String>, Option<String>),
    /// Tools that the last reply asked for before it decides.
    pub(super) asked: Vec<ToolCallRecord>,
    /// What they returned, in words, and its tokens.
    pub(super) results: Option<(String, u64)>,
}

/// Tokens, none of them counted twice: `PyCatan` keeps thinking apart from the completion, the record
/// has it inside.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct TokenSum {
    pub(super) prompt: u64,
    pub(super) completion: u64,
    pub(super) thinking: u64,
    pub(super) cached: u64,
}

impl Player {
    /// Takes up a call. A further one of the same request belongs to it; another request ends it,
    /// and is handed back when it was never answered.
    pub(super) fn on_request(&mut self, request: &LlmRequest) -> Option<Request> {
        if self.request.as_ref().is_some_and(|open| open.number == request.request_number) {
            return None;
        }
        self.start(Request::new(request.request_number, &request.purpose, &request.model))
    }

    /// Counts a reply to the request that is open, or to one of which the record says nothing.
    pub(super) fn on_response(
        &mut self,
        response: &LlmResponse,
    ) -> (Option<Request>, &mut Request) {
        let number = response.request_number;
        let known = self.request.as_ref().is_some_and(|open| open.number == number);
        let left = if known { None } else { self.start(Request::new(number, "", &response.model)) };
        let tokens = TokenSum::from(response.tokens);
        self.stats.tokens.add(tokens);
        self.stats.latency_ms += response.latency_ms;
        self.stats.cost_usd += response.cost_usd;
        self.stats.unpriced |= !response.cost_known;
        let request = self.request.get_or_insert_with(|| Request::new(number, "", &response.model));
        request.withdrawn = is_withdrawn(response);
        request.calls = request.calls.saturating_add(1);
        request.tokens.add(tokens);
        request.latency_ms = (response.latency_ms, request.latency_ms.1 + response.latency_ms);
        request.cost_usd += response.cost_usd;
        request.unpriced |= !response.cost_known;
        if !response.model.is_empty() {
            request.model.clone_from(&response.model);
        }
        (left, request)
    }

    /// Begins a request; the one before is handed back when it was never answered.
    fn start(&mut self, next: Request) -> Option<Request> {
        self.stats.requests += 1;
        let left = self.request.replace(next).filter(|before| !before.answered);
        if let Some(left) = &left {
            self.stats.count_unanswered(left);
        }
        left
    }

    /// Counts how a call ended.
    pub(super) fn count_response(&mut self, last: bool, success: bool) {
        let Stats { successful, failed, intermediate, .. } = &mut self.stats;
        *match (last, success) {
            (false, _) => intermediate,
            (true, true) => successful,
            (true, false) => failed,
        } += 1;
    }

    /// Counts the open request as one that came to nothing.
    pub(super) fn count_unanswered(&mut self) {
        if let Some(request) = &self.request {
            self.stats.count_unanswered(request);
        }
    }

    /// Counts tools that ran for the open request.
    pub(super) fn count_tools(&mut self, calls: usize, results: Option<(String, u64)>) {
        self.stats.tool_calls += calls as u64;
        let Some((words, tokens)) = results else { return };
        self.stats.tool_tokens = self.stats.tool_tokens.saturating_add(tokens);
        if let Some(request) = self.request.as_mut().filter(|it| !it.answered) {
            request.tool_tokens = request.tool_tokens.saturating_add(tokens);
            request.results = Some((words, tokens));
        }
    }

    /// Notes what it noted; false when it is nothing new.
    pub(super) fn set_note(&mut self, note: &str, at: Timestamp) -> bool {
        let note = limited(note, MAX_NOTE);
        let new = !note.is_empty() && self.note.as_ref().is_none_or(|(last, _)| last != note);
        if new {
            self.note = Some((note.to_owned(), at));
        }
        new
    }

    /// `agent_memories.json`: what it noted last.
    pub(super) fn memory(&self) -> Option<Value> {
        let (note, at) = self.note.as_ref()?;
        Some(json!({ "note_to_self": note, "last_updated": iso(*at) }))
    }

    /// `session_summary.json`: what it did.
    pub(super) fn summary(&self) -> Value {
        let Stats { requests, successful, failed, intermediate, .. } = self.stats;
        json!({
            "total_requests": requests, "successful_requests": successful,
            "failed_requests": failed, "intermediate_responses": intermediate,
            "tool_calls": self.stats.tool_calls,
            "tokens": self.stats.tokens.to_json(self.stats.tool_tokens),
            "total_latency_seconds": seconds(self.stats.latency_ms),
            "cost_usd": self.stats.cost_usd, "cost_known": !self.stats.unpriced,
            "withdrawn_requests": self.stats.withdrawn,
            "memory": self.note.as_ref().map(|(note, _)| note),
        })
    }

    /// In US dollars, and whether that is all.
    pub(super) fn cost(&self) -> (f64, bool) {
        (self.stats.cost_usd, !self.stats.unpriced)
    }
}

impl Stats {
    fn count_unanswered(&mut self, request: &Request) {
        let count = if request.withdrawn { &mut self.withdrawn } else { &mut self.failed };
        *count += 1;
    }
}

impl Request {
    fn new(number: u32, purpose: &str, model: &str) -> Self {
        Self {
            number,
            purpose: purpose.to_owned(),
            model: model.to_owned(),
            calls: 0,
            tokens: TokenSum::default(),
            tool_tokens: 0,
            latency_ms: (0.0, 0.0),
            cost_usd: 0.0,
            unpriced: false,
            withdrawn: false,
            answered: false,
            last: (None, None),
            asked: Vec::new(),
            results: None,
        }
    }
}

impl TokenSum {
    pub(super) fn add(&mut self, other: Self) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        add(&mut self.prompt, other.prompt);
        add(&mut self.completion, other.completion);
        add(&mut self.thinking, other.thinking);
        add(&mut self.cached, other.cached);
    }

    /// Received in all.
    pub(super) fn received(self) -> u64 {
        self.completion.saturating_add(self.thinking)
    }

    /// As files say it; the total includes `tools`.
    pub(super) fn to_json(self, tools: u64) -> Value {
        let total = self.prompt.saturating_add(self.received()).saturating_add(tools);
        json!({
            "prompt": self.prompt, "completion": self.completion, "thinking": self.thinking,
            "total": total, "cached": self.cached, "tools": tools,
        })
    }
}

impl From<TokenRecord> for TokenSum {
    fn from(record: TokenRecord) -> Self {
        // Some endpoints count thinking beside the completion; then it can be the larger.
        let inside = if record.thinking <= record.completion { record.thinking } else { 0 };
        Self {
            prompt: record.prompt,
            completion: record.completion - inside,
            thinking: record.thinking,
            cached: record.cached,
        }
    }
}

/// Milliseconds as seconds.
pub(super) fn seconds(millis: f64) -> f64 {
    millis / 1e3
}

/// The name of the folder of whoever an event is about.
pub(super) fn player_of(event: &Event) -> String {
    if let Some(agent) = &event.entry.agent {
        return folder(agent);
    }
    let fact = &event.entry.fact;
    match fact {
        Fact::LlmRequest(request) if request.purpose == CallPurpose::Evaluate => "EvaluationAgent",
        Fact::LlmRequest(request) if request.purpose == CallPurpose::Plan => "HostAgent",
        _ => "AppAgent",
    }
    .to_owned()
}

/// A name as a folder: letters, digits, `.`, `_` and `-`, and no dot in front.
fn folder(name: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || "._-".contains(it) { it } else { '_' };
    let safe: String = name.chars().map(plain).take(MAX_NAME).collect();
    match safe.as_str() {
        "" => "agent".to_owned(),
        dotted if dotted.starts_with('.') => format!("_{}", dotted.trim_start_matches('.')),
        file if RESERVED_NAMES.contains(&file) => format!("{file}_"),
        _ => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_as_folders() {
        assert_eq!(folder("AppAgent"), "AppAgent");
        assert_eq!(folder("AppAgent/com.example.chat"), "AppAgent_com.example.chat");
        assert_eq!(folder("../../etc"), "__.._etc");
        assert_eq!(folder("..."), "_");
        assert_eq!(folder(""), "agent");
        assert_eq!(folder("chat_history.json"), "chat_history.json_");
        assert_eq!(folder(&"長".repeat(300)).len(), 80);
    }

    #[test]
    fn thinking_is_counted_once() {
        let record =
            TokenRecord { prompt: 100, completion: 60, thinking: 20, cached: 0, total: 160 };
        let sum = TokenSum::from(record).to_json(4);
        assert_eq!(
            sum,
            json!({ "prompt": 100, "completion": 40, "thinking": 20, "total": 164,
                    "cached": 0, "tools": 4 })
        );
    }
}
