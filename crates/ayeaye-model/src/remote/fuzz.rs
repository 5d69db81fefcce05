//! Fuzzing of answers in each API, whole and in pieces.
use serde_json::json;

use super::completion::{Completion, TRUNCATED};
use super::decoder::ResponseDecoder;
use super::error::AttemptError;
use super::error_body::error_message;
use super::wire::{Api, api};
use crate::Limits;
use crate::excerpt::excerpt;
use crate::fuzz::mutator::{Dice, LONG, Mutator, SHORT, fuzz};
use crate::profile::Wire;

const WORDS: &[&str] = &[
    "data: ",
    "data:",
    "event: message\n",
    "event: error\n",
    "\"finish_reason\":null",
    "\"finish_reason\":\"error\"",
    "{\"code\":1008,\"msg\":\"insufficient balance\"}",
    "\"base_resp\":{\"status_code\":1008,\"status_msg\":\"no\"}",
    "\"total_tokens\":18446744073709551615",
    "\n\n",
    "\r\n",
    ": keep-alive\n",
    "[DONE]",
    "{\"choices\":[",
    "{\"index\":0,\"delta\":{",
    "\"content\":\"x\"",
    "\"content\":[{\"text\":\"a\"}]",
    "\"finish_reason\":\"stop\"",
    "\"finish_reason\":\"length\"",
    "\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]",
    "\"error\":{\"message\":\"gone\",\"code\":500}",
    "\"usage\":{\"prompt_tokens\":7}",
    "{\"type\":\"content_block_delta\",\"index\":0,",
    "\"stop_reason\":\"end_turn\"",
    "{\"type\":\"message_stop\"}",
    "\"finishReason\":\"STOP\"",
    "{\"candidates\":[",
    "\"functionCall\":{\"name\":\"done\",\"args\":{}}",
    "\"promptFeedback\":{\"blockReason\":\"SAFETY\"}",
    "null",
    "18446744073709551616",
    "-1",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "<html>",
    "]",
    "}",
    "\"index\":4294967296",
];

/// Answers as each API gives them, whole and as a stream.
fn answers(wire: Wire) -> Vec<Vec<u8>> {
    let (whole, events) = match wire {
        Wire::Chat => (
            json!({ "model": "m", "choices": [{ "index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": "tap it 你", "reasoning_content": "why",
                "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "done", "arguments": "{\"message\":\"ok\"}" } }] } }],
                "usage": { "prompt_tokens": 7, "completion_tokens": 2, "completion_tokens_details": { "reasoning_tokens": 1 } } }),
            vec![
                json!({ "model": "m", "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "" } }] }),
                json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "想" } }] }),
                json!({ "choices": [{ "index": 0, "delta": { "content": "tap" } }] }),
                json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "done", "arguments": "" } }] } }] }),
                json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "{\"a\":1}" } }] } }] }),
                json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
                json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2 } }),
            ],
        ),
        Wire::Anthropic => (
            json!({ "type": "message", "model": "c", "role": "assistant", "stop_reason": "tool_use",
                "content": [{ "type": "text", "text": "tap" }, { "type": "thinking", "thinking": "why" },
                    { "type": "tool_use", "id": "t", "name": "computer", "input": { "action": "left_click", "coordinate": [1, 2] } }],
                "usage": { "input_tokens": 7, "output_tokens": 2, "cache_read_input_tokens": 1 } }),
            vec![
                json!({ "type": "message_start", "message": { "model": "c", "usage": { "input_tokens": 7 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "tap" } }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "t", "name": "computer", "input": {} } }),
                json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "{\"action\":\"wait\"}" } }),
                json!({ "type": "content_block_stop", "index": 1 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 2 } }),
                json!({ "type": "message_stop" }),
            ],
        ),
        Wire::Gemini => (
            json!({ "modelVersion": "g", "candidates": [{ "index": 0, "finishReason": "STOP", "content": { "role": "model",
                "parts": [{ "text": "tap" }, { "text": "why", "thought": true }, { "functionCall": { "name": "click", "args": { "x": 1, "y": 2 } } }] } }],
                "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 1 } }),
            vec![
                json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "tap" }] } }] }),
                json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "functionCall": { "name": "click", "args": { "x": 1, "y": 2 } } }] } }] }),
                json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 7 } }),
            ],
        ),
        Wire::Responses => (
            json!({ "model": "g", "status": "completed", "output": [
                { "type": "message", "content": [{ "type": "output_text", "text": "tap" }] },
                { "type": "reasoning", "summary": [{ "text": "why" }] },
                { "type": "computer_call", "call_id": "c", "actions": [{ "type": "click", "x": 1, "y": 2 }], "pending_safety_checks": [] }],
                "usage": { "input_tokens": 7, "output_tokens": 2 } }),
            vec![
                json!({ "type": "response.output_text.delta", "delta": "tap" }),
                json!({ "type": "response.output_item.done", "item": { "type": "function_call", "call_id": "c", "name": "done", "arguments": "{\"a\":1}" } }),
                json!({ "type": "response.completed", "response": { "status": "completed", "usage": { "input_tokens": 7 } } }),
            ],
        ),
    };
    let mut stream: String = events
        .iter()
        .flat_map(|event| ["data: ".to_owned(), event.to_string(), "\n\n".to_owned()])
        .collect();
    if wire == Wire::Chat {
        stream += "data: [DONE]\n\n";
    }
    vec![
        whole.to_string().into_bytes(),
        stream.into_bytes(),
        br#"{"error":{"message":"no","code":429}}"#.to_vec(),
    ]
}

fn take<'a>(
    api: &'static dyn Api,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Completion, AttemptError> {
    let limits = Limits { body: 8000, reply: 4000, ..Limits::DEFAULT };
    let mut decoder = ResponseDecoder::new(api, limits, content_type);
    for piece in pieces {
        if decoder.push(piece)? {
            break;
        }
        decoder.has_begun();
    }
    decoder.finish()
}

fn pieces<'a>(mut bytes: &'a [u8], dice: &mut Dice) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(1 + dice.below(bytes.len().min(300)));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

fn decoder(wire: Wire, executions: u64) {
    let api = api(wire);
    let mut mutator = Mutator::new(21, answers(wire), WORDS);
    fuzz(&format!("answers by {wire:?}"), executions, &mut mutator, |bytes, dice| {
        let content_type = *dice.pick(&["text/event-stream", "application/json", ""]);
        let whole = take(api, content_type, [bytes]);
        let text = String::from_utf8_lossy(bytes);
        if let Ok(answer) = &whole {
            let ended = [
                "finish_reason",
                "stop_reason",
                "finishReason",
                "[DONE]",
                "message_stop",
                "\"choices\"",
                "\"status\"",
                "incomplete_details",
            ];
            if answer.finish_reason.as_deref() != Some(TRUNCATED)
                && !ended.iter().any(|word| text.contains(word))
                && !text.contains("\\u")
            {
                return Err(format!("nobody said that it ended: {answer:?}"));
            }
            if 4000 < answer.text.len() + answer.reasoning.len() {
                return Err("a reply beyond its bounds".to_owned());
            }
        }
        // Pieces decode to the same as the whole. One that begins with blanks may be recognized as
        // something else while it is short.
        let apart = take(api, content_type, pieces(bytes, dice));
        match (whole, apart) {
            (Ok(whole), Ok(apart)) if whole != apart => Err(format!("{whole:?} or {apart:?}")),
            (Ok(whole), Err(err)) if !text.starts_with(['\u{feff}', ' ']) => {
                Err(format!("{whole:?}, or in pieces {}", err.message(str::to_owned)))
            }
            _ => Ok(()),
        }
        .map(|()| {
            excerpt(&text);
            error_message(bytes);
        })
    });
}

#[test]
fn a_little_fuzz_does_no_harm() {
    for wire in [Wire::Chat, Wire::Anthropic, Wire::Gemini, Wire::Responses] {
        decoder(wire, SHORT);
    }
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_answers() {
    for wire in [Wire::Chat, Wire::Anthropic, Wire::Gemini, Wire::Responses] {
        decoder(wire, LONG / 2);
    }
}
