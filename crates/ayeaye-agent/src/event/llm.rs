//! What is recorded of calls to models: what was sent, what came back, and what was understood.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{BlobRef, CallPurpose, EvaluationLevel, Judgement, RecordedWord, ResponseKind, parse};
use crate::Role;

/// A model's response, as its profile parsed it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseRecord {
    /// The model's description of the screen.
    #[serde(default)]
    pub observation: String,
    /// Why.
    #[serde(default)]
    pub thought: String,
    /// The action in a few words.
    #[serde(default)]
    pub comment: String,
    /// The model's summary of what has been done so far.
    #[serde(default)]
    pub summary: String,
    /// The steps that are to follow this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// From a host agent: the app agent's task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub current_subtask: String,
    /// From a host agent: hints for the app agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// Questions to the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
}

/// An action as kept: GELab's name and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// Such as `CLICK`.
    pub function: String,
    /// Such as `{"point": [512, 203]}`, in thousandths.
    pub arguments: Map<String, Value>,
}

/// Tokens, as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Sent.
    pub prompt: u64,
    /// Received.
    pub completion: u64,
    /// Of the completion: reasoning.
    pub thinking: u64,
    /// Of the prompt: from a cache.
    pub cached: u64,
    /// Prompt and completion.
    pub total: u64,
}

/// A message of a prompt, its pictures by reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Who speaks.
    pub role: RecordedWord<Role>,
    /// In order.
    pub parts: Vec<PartRecord>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRecord {
    /// Words.
    Text(String),
    /// Words that are long or said in every step, kept once.
    TextBlob(BlobRef),
    /// A picture.
    Picture(BlobRef),
}

/// A tool that a model asked for in its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRecord {
    /// As the endpoint named it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub parameters: Map<String, Value>,
}

/// See [`Fact::LlmRequest`](super::Fact::LlmRequest).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmRequest {
    /// From 1 through the session.
    pub call_id: u32,
    /// From 1 for each agent.
    pub request_number: u32,
    /// From 1 in each request: more than 1 when a reply was asked for again.
    pub iteration: u32,
    /// The purpose of the call.
    pub purpose: RecordedWord<CallPurpose>,
    /// As it is asked for.
    pub model: String,
    /// Such as `gelab`.
    pub profile: String,
    /// In order.
    pub messages: Vec<MessageRecord>,
    /// Sampling and the like, as it was sent.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// The tools it was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_schema: Option<Value>,
    /// The JSON schema of the reply, if one was sent to the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<Value>,
    /// The results of the tools that the model called before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Value>,
}

/// See [`Fact::LlmResponse`](super::Fact::LlmResponse).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the fields of a line of the record")]
pub struct LlmResponse {
    /// That of the request.
    pub call_id: u32,
    /// That of the request.
    pub request_number: u32,
    /// That of the request.
    pub iteration: u32,
    /// Whether it was acted on.
    pub kind: RecordedWord<ResponseKind>,
    /// Whether an answer came and could be read.
    pub success: bool,
    /// As it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_content: Option<String>,
    /// Reasoning that the endpoint keeps apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Tools it asks for before it decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallRecord>,
    /// The parsed reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parsed: Option<ParsedRecord>,
    /// `stop`, `length` ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// As the endpoint names it.
    pub model: String,
    /// As the endpoint counted.
    pub tokens: TokenRecord,
    /// Nobody has counted all of them: it was given up, or an attempt before it broke off, and has cost at least about so
    /// many.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tokens_estimated: bool,
    /// Milliseconds, retries included.
    pub latency_ms: f64,
    /// Milliseconds to the first token, if streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<f64>,
    /// In US dollars.
    pub cost_usd: f64,
    /// Whether the price is known.
    pub cost_known: bool,
    /// Attempts that failed before, each in a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// It was taken back, since the screen that the model was shown was not the settled one: it is neither a failure
    /// nor a reply. Left out of records made before there was this field: only `error` says it there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}

/// A parsed reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "parse::FlatParsed")]
pub struct ParsedRecord {
    /// The action that the model decided on.
    pub action: ActionRecord,
    /// The rest of the response.
    #[serde(flatten)]
    pub response: ResponseRecord,
}

/// See [`Fact::Evaluation`](super::Fact::Evaluation).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRecord {
    /// Whether one round or the whole session was evaluated.
    pub level: RecordedWord<EvaluationLevel>,
    /// Whether all of it was carried out.
    pub complete: RecordedWord<Judgement>,
    /// The parts of the request, each evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_scores: Vec<SubScore>,
    /// Why.
    pub reason: String,
    /// The request that was evaluated, in the user's words.
    pub request: String,
    /// Tokens of the calls to the evaluating model.
    pub tokens: TokenRecord,
    /// In US dollars.
    pub cost_usd: f64,
    /// Whether the price is known.
    pub cost_known: bool,
    /// Why there is no evaluation; then `complete` is `unsure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EvaluationRecord {
    /// The evaluation in a fact, if it is one.
    pub fn of(fact: &Value) -> Option<Self> {
        Self::deserialize(fact).ok()
    }

    /// Why it was judged so, or why there is no judgement.
    pub fn why(&self) -> &str {
        let error = self.error.as_deref().filter(|_| self.reason.is_empty());
        error.unwrap_or(&self.reason)
    }
}

/// One part of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubScore {
    /// The part of the request.
    pub name: String,
    /// Whether it was carried out.
    pub evaluation: RecordedWord<Judgement>,
}
