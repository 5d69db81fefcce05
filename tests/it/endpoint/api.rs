//! The answers of the four APIs.
use serde_json::{Value, json};

use super::server::Act;
use crate::support::gelab;

/// The APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    Chat,
    Anthropic,
    Gemini,
    Responses,
}

impl Api {
    pub const ALL: [Self; 4] = [Self::Chat, Self::Anthropic, Self::Gemini, Self::Responses];

    /// A model that is asked over it, and its profile.
    pub fn model(self) -> (&'static str, &'static str) {
        match self {
            Self::Chat => ("gelab-fake", "gelab"),
            Self::Anthropic => ("claude-fake", "claude"),
            Self::Gemini => ("gemini-fake", "gemini"),
            Self::Responses => ("gpt-fake", "gpt-computer"),
        }
    }

    /// A whole answer that calls a tool of this name, or in GELab's words does the same.
    pub fn says(self, tool: &str, arguments: &Value) -> Value {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        match self {
            Self::Chat => {
                let reply = match tool {
                    "ask_user" => gelab("INFO", &format!("value:{}", text("question")), "asked"),
                    "done" => gelab("COMPLETE", &format!("return:{}", text("message")), "done"),
                    _ => gelab("BACK", "", "went back"),
                };
                json!({
                    "model": "gelab-fake", "choices": [{ "finish_reason": "stop",
                        "message": { "content": reply } }],
                    "usage": { "prompt_tokens": 7, "completion_tokens": 2 },
                })
            }
            Self::Anthropic => json!({
                "type": "message", "model": "claude-fake", "stop_reason": "tool_use",
                "content": [{ "type": "tool_use", "id": "t", "name": tool, "input": arguments }],
                "usage": { "input_tokens": 7, "output_tokens": 2 },
            }),
            Self::Gemini => json!({
                "modelVersion": "gemini-fake",
                "candidates": [{ "finishReason": "STOP", "content": { "parts": [
                    { "functionCall": { "name": tool, "args": arguments } } ] } }],
                "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 2 },
            }),
            Self::Responses => json!({
                "object": "response", "model": "gpt-fake", "status": "completed", "error": null,
                "incomplete_details": null,
                "output": [{ "type": "function_call", "id": "f", "call_id": "c", "status": "completed",
                    "name": tool, "arguments": arguments.to_string() }],
                "usage": { "input_tokens": 7, "output_tokens": 2 },
            }),
        }
    }

    pub fn asks(self) -> Act {
        Act::says(&self.says("ask_user", &json!({ "question": "Ready?" })))
    }

    pub fn done(self) -> Act {
        Act::says(&self.says("done", &json!({ "message": "Done." })))
    }

    /// The same end of a task in the events of a stream, up to the last byte that is needed.
    pub fn done_in_events(self) -> String {
        let events = match self {
            Self::Chat => {
                let whole = self.says("done", &json!({ "message": "Done." }));
                let text = &whole["choices"][0]["message"]["content"];
                vec![
                    json!({ "choices": [{ "delta": { "content": text } }] }),
                    json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
                ]
            }
            Self::Anthropic => vec![
                json!({ "type": "message_start", "message": { "model": "claude-fake" } }),
                json!({ "type": "content_block_start", "index": 0, "content_block":
                    { "type": "tool_use", "id": "t", "name": "done", "input": {} } }),
                json!({ "type": "content_block_delta", "index": 0, "delta":
                    { "type": "input_json_delta", "partial_json": "{\"message\":\"Done.\"}" } }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            ],
            Self::Gemini => vec![
                json!({ "candidates": [{ "content": { "parts": [
                    { "functionCall": { "name": "done", "args": { "message": "Done." } } }] } }] }),
                json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": "STOP" }] }),
            ],
            Self::Responses => {
                let whole = self.says("done", &json!({ "message": "Done." }));
                vec![
                    json!({ "type": "response.created", "response": { "status": "in_progress" } }),
                    json!({ "type": "response.output_item.done", "output_index": 0,
                        "item": whole["output"][0] }),
                    json!({ "type": "response.completed", "response": whole }),
                ]
            }
        };
        let lines: Vec<String> = events.iter().map(|event| format!("data: {event}")).collect();
        lines.join("\n\n")
    }
}
