//! OpenAI's Responses API. Nothing is kept there: every request holds the whole conversation.
//!
//! Items and events as the types of OpenAI's client for Python, 3.54.0, have them.
use ayeaye_agent::{Message, Part, Picture, Role, Tokens};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::completion::Completion;
use super::super::computer_tool::ComputerTool;
use super::{Api, ModelRequest, OptionalFeature, data_url, extra, non_empty_text, token_count};
use crate::profile::COMPUTER;
use crate::{Endpoint, Secret};

/// See the module.
#[derive(Debug)]
pub(super) struct Responses;

const SAMPLING: [&str; 2] = ["temperature", "top_p"];

impl Api for Responses {
    fn completion_url(&self, endpoint: &Endpoint, _model: &str, _stream: bool) -> Url {
        endpoint.join("/responses")
    }

    fn models_url(&self, endpoint: &Endpoint) -> Url {
        endpoint.join("/models")
    }

    fn auth_headers(&self, key: &Secret, _endpoint: &Endpoint) -> Vec<(HeaderName, String)> {
        vec![(AUTHORIZATION, format!("Bearer {}", key.expose()))]
    }

    fn headers(&self, _computer: Option<ComputerTool>) -> HeaderMap {
        HeaderMap::new()
    }

    fn takes(&self, setting: &str) -> bool {
        let others = ["max_tokens", "reasoning_effort", "extra_body"];
        SAMPLING.contains(&setting) || others.contains(&setting)
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        let messages = &request.prompt.messages;
        let rules: Vec<&str> = messages
            .iter()
            .filter(|message| message.role == Role::System)
            .flat_map(|message| &message.parts)
            .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        let tools = request.prompt.tools.iter();
        let declared: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        let turns = messages.iter().filter(|message| message.role != Role::System);
        let mut body = json!({
            "model": request.model,
            "input": turns.flat_map(|it| encode_message(it, &declared)).collect::<Vec<Value>>(),
            "max_output_tokens": request.sampling.max_tokens,
            "stream": request.stream,
            "store": false,
        });
        if !rules.is_empty() {
            body["instructions"] = json!(rules.join("\n\n"));
        }
        if !request.prompt.tools.is_empty() {
            body["tools"] = Value::from(request.prompt.tools.clone());
            // One action in each reply.
            body["parallel_tool_calls"] = json!(false);
        }
        let mut sampling = request.sampling();
        for name in SAMPLING {
            if let Some(value) = sampling.remove(name) {
                body[name] = value;
            }
        }
        for (name, value) in extra::responses(request.calls) {
            body[name] = value;
        }
        if let Some(schema) = request
            .prompt
            .schema
            .as_ref()
            .filter(|_| request.includes(OptionalFeature::ResponseSchema))
        {
            body["text"] = json!({
                "format": { "type": "json_schema", "name": "reply", "strict": true, "schema": schema },
            });
        }
        body
    }

    fn merge(&self, completion: &mut Completion, json: &Value) -> bool {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match json["type"].as_str() {
            Some(event @ ("response.output_text.delta" | "response.refusal.delta")) => {
                completion.refused |= event == "response.refusal.delta";
                completion.text_in_pieces = true;
                completion.text.push_str(&text(&json["delta"]));
            }
            Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
                completion.reasoning.push_str(&text(&json["delta"]));
            }
            // Texts have mostly come in pieces before; calls are taken whole.
            Some("response.output_item.done") => {
                merge_missing_texts(completion, &json["item"]);
                merge_call(completion, &json["item"]);
            }
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                // Some send nothing before.
                let has_text = !completion.text.is_empty();
                let has_call = 0 < completion.tool_call_count();
                for item in json["response"]["output"].as_array().into_iter().flatten() {
                    if !has_text {
                        merge_missing_texts(completion, item);
                    }
                    if !has_call {
                        merge_call(completion, item);
                    }
                }
                merge_end(completion, &json["response"]);
                completion.ended = true;
            }
            Some(event) if event.starts_with("response.") => {}
            _ => {
                let Some(output) = json["output"].as_array() else { return false };
                for item in output {
                    merge_texts(completion, item);
                    merge_call(completion, item);
                }
                merge_end(completion, json);
            }
        }
        true
    }

    fn expected_content(&self) -> &'static str {
        "`output`"
    }

    fn is_optional(&self, feature: OptionalFeature) -> bool {
        match feature {
            OptionalFeature::ResponseSchema | OptionalFeature::Sampling => true,
            OptionalFeature::StreamUsage
            | OptionalFeature::MaxTokens
            | OptionalFeature::Tools
            | OptionalFeature::PastCalls
            | OptionalFeature::SystemMessage => false,
        }
    }

    fn always_gives_finish_reason(&self) -> bool {
        true
    }
}

/// The texts of an item that did not come in pieces.
fn merge_missing_texts(completion: &mut Completion, item: &Value) {
    let is_missing = match item["type"].as_str() {
        Some("reasoning") => completion.reasoning.is_empty(),
        _ => !completion.text_in_pieces,
    };
    if is_missing {
        merge_texts(completion, item);
    }
}

fn merge_texts(completion: &mut Completion, item: &Value) {
    for part in item["content"].as_array().into_iter().flatten() {
        let refusal = part["refusal"].as_str();
        completion.refused |= refusal.is_some_and(|it| !it.is_empty());
        let text = part["text"].as_str().or(refusal).unwrap_or_default();
        if item["type"] == "reasoning" {
            completion.reasoning.push_str(text);
        } else {
            completion.text.push_str(text);
        }
    }
    for part in item["summary"].as_array().into_iter().flatten() {
        completion.reasoning.push_str(part["text"].as_str().unwrap_or_default());
    }
}

/// A function's call as it is; the tool's as one call for each of its actions, the first with its safety
/// checks.
fn merge_call(completion: &mut Completion, item: &Value) {
    let id = item["call_id"].as_str().unwrap_or_default();
    match item["type"].as_str() {
        Some("function_call") => {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            let name = item["name"].as_str().filter(|name| !name.is_empty());
            completion.push_tool_call(None, id, name.unwrap_or("?"), arguments);
        }
        Some("computer_call") => {
            let several = item["actions"].as_array().map(Vec::as_slice).unwrap_or_default();
            let one = std::slice::from_ref(&item["action"]);
            let actions = if several.is_empty() { one } else { several };
            for (at, action) in actions.iter().enumerate() {
                let mut action = action.clone();
                let checks = &item["pending_safety_checks"];
                let checked = checks.as_array().is_some_and(|checks| !checks.is_empty());
                if at == 0 && checked && action.is_object() {
                    action["pending_safety_checks"] = checks.clone();
                }
                completion.push_tool_call(None, id, COMPUTER, &action.to_string());
            }
        }
        _ => {}
    }
}

fn merge_end(completion: &mut Completion, response: &Value) {
    if let Some(name) = response["model"].as_str().filter(|name| !name.is_empty()) {
        completion.model = Some(name.to_owned());
    }
    let usage = &response["usage"];
    if usage.is_object() {
        let count = |value: &Value| token_count(value).unwrap_or(0);
        completion.tokens = Tokens {
            prompt: count(&usage["input_tokens"]),
            completion: count(&usage["output_tokens"]),
            thinking: count(&usage["output_tokens_details"]["reasoning_tokens"]),
            cached: count(&usage["input_tokens_details"]["cached_tokens"]),
        };
    }
    let why = response["incomplete_details"]["reason"].as_str();
    let reason = match (why, response["status"].as_str()) {
        // As chats call it.
        (Some("max_output_tokens"), _) => Some("length"),
        (Some(why), _) => Some(why),
        (None, Some("completed")) => Some("stop"),
        (None, ended @ Some("failed" | "cancelled")) => ended,
        // Still at work, or unknown: not a whole answer.
        (None, _) => None,
    };
    completion.finish_reason = reason.map(str::to_owned);
}

/// A message as the items that it is: calls of declared functions and their results stand for themselves. Those of
/// the tool are said in words: as calls they would have to come with the reasoning behind them, which is
/// not kept.
fn encode_message(message: &Message, declared: &[&str]) -> Vec<Value> {
    let input = |text: &str| json!({ "type": "input_text", "text": non_empty_text(text) });
    let (mut items, mut content) = (Vec::new(), Vec::new());
    for part in &message.parts {
        match part {
            Part::Text(text) => content.push(input(text)),
            Part::Picture(picture) => content.push(encode_image(picture)),
            Part::Call(call) if !declared.contains(&call.name.as_str()) => {
                content.push(input(&format!("{COMPUTER}: {} {}", call.name, call.arguments)));
            }
            Part::Call(call) => items.push(json!({
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
            })),
            Part::Result { name, text, picture, .. } if !declared.contains(&name.as_str()) => {
                content.push(input(text));
                content.extend(picture.as_ref().map(encode_image));
            }
            Part::Result { id, text, picture, .. } => {
                items.push(json!({
                    "type": "function_call_output",
                    "call_id": id,
                    "output": non_empty_text(text),
                }));
                content.extend(picture.as_ref().map(encode_image));
            }
        }
    }
    if content.is_empty() {
        return items;
    }
    // What was said stands before the call, and the result before what is shown after it.
    if message.role == Role::Assistant {
        // In parts it would have to have the id that it came with, which is not kept.
        let said = content.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>();
        let said = said.join("\n");
        items.insert(0, json!({ "type": "message", "role": "assistant", "content": said }));
    } else {
        items.push(json!({ "type": "message", "role": "user", "content": content }));
    }
    items
}

fn encode_image(picture: &Picture) -> Value {
    json!({ "type": "input_image", "image_url": data_url(picture), "detail": "original" })
}

#[cfg(test)]
mod tests {
    use super::super::super::completion::TRUNCATED;
    use super::super::super::decoder::{decode_json, merge};
    use ayeaye_agent::Prompt;

    use super::super::tests::{prompt, request};
    use super::*;

    #[test]
    fn a_prompt_as_it_is_sent() {
        let prompt = prompt();
        let sent = Responses.body(&request(&prompt));
        assert_eq!((&sent["instructions"], &sent["store"]), (&json!("rules"), &json!(false)));
        let input = sent["input"].as_array().unwrap();
        let kinds: Vec<&str> =
            input.iter().map(|it| it["role"].as_str().or(it["type"].as_str()).unwrap()).collect();
        assert_eq!(kinds, ["user", "assistant", "function_call", "function_call_output", "user"]);
        let image = &input[0]["content"][1];
        assert_eq!((&image["detail"], &image["type"]), (&json!("original"), &json!("input_image")));
        assert!(image["image_url"].as_str().unwrap().starts_with("data:image/jpeg;base64,/9j/"));
        let said = json!({"type": "message", "role": "assistant", "content": "I tap."});
        assert_eq!(input[1], said);
        assert_eq!(
            (&input[2]["call_id"], &input[3]["call_id"]),
            (&json!("step_1"), &json!("step_1"))
        );
        assert_eq!(
            (&input[3]["output"], &input[4]["content"][0]["text"]),
            (&json!("Done."), &json!("and now?"))
        );
        assert_eq!((&sent["max_output_tokens"], &sent["temperature"]), (&json!(4096), &json!(0.1)));
        // What is not declared is said in words.
        let tools = vec![json!({ "type": "computer" })];
        let sent = Responses.body(&request(&Prompt { tools, ..prompt }));
        let input = sent["input"].as_array().unwrap();
        assert_eq!(input.len(), 3);
        assert_eq!(input[1]["content"], "I tap.\ncomputer: tap {\"x\":1}");
        assert_eq!(input[2]["content"][1]["text"], "Done.");
    }

    fn calls(completion: &mut Completion) -> Vec<String> {
        let calls = completion.take_tool_calls().into_iter();
        calls.map(|call| format!("{}{}", call.name, call.arguments)).collect()
    }

    #[test]
    fn an_answer_is_taken_in_whole_and_in_events() {
        let item = json!({
            "type": "computer_call", "id": "cu_1", "call_id": "c1", "status": "completed",
            "actions": [{"type": "click", "button": "left", "x": 1, "y": 2}, {"type": "wait"}],
            "pending_safety_checks": [{"id": "s", "message": "Sure?"}],
        });
        let usage = json!({
            "input_tokens": 9, "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 14,
        });
        let message = json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "I tap."}]});
        let whole = json!({
            "object": "response", "model": "gpt-5.4", "status": "completed", "error": null, "usage": usage,
            "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, message, item],
        });
        let expected = [
            r#"computer{"type":"click","button":"left","x":1,"y":2,"pending_safety_checks":[{"id":"s","message":"Sure?"}]}"#,
            r#"computer{"type":"wait"}"#,
        ];
        let mut read = decode_json(&Responses, whole.to_string().as_bytes(), 1000).unwrap();
        assert_eq!((read.text.as_str(), read.reasoning.as_str()), ("I tap.", "hm"));
        assert_eq!((read.tokens.prompt, read.tokens.completion, read.tokens.thinking), (9, 5, 2));
        assert_eq!(calls(&mut read), expected);
        let mut streamed = Completion::default();
        for event in [
            json!({"type": "response.created", "response": {"status": "in_progress"}}),
            json!({"type": "response.reasoning_summary_text.delta", "delta": "hm"}),
            json!({"type": "response.output_text.delta", "delta": "I "}),
            json!({"type": "response.output_text.delta", "delta": "tap."}),
            json!({"type": "response.output_item.done", "item": message}),
            json!({"type": "response.output_item.done", "item": item}),
            json!({"type": "response.completed", "response": whole}),
        ] {
            assert!(merge(&mut streamed, &Responses, &event, 1000).unwrap());
        }
        assert!(streamed.ended);
        assert_eq!((streamed.text.as_str(), streamed.reasoning.as_str()), ("I tap.", "hm"));
        assert_eq!(streamed.finish_reason.as_deref(), Some("stop"));
        assert_eq!(calls(&mut streamed), expected);
    }

    #[test]
    fn texts_that_did_not_come_in_pieces_are_taken_from_where_they_are() {
        let part = json!({"type": "output_text", "text": "I tap."});
        let message = json!({"type": "message", "content": [part]});
        let reasoning =
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]});
        let call =
            json!({"type": "function_call", "call_id": "c", "name": "done", "arguments": "{}"});
        let item = |item: &Value| json!({"type": "response.output_item.done", "item": item});
        let completed = |output: Value| json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
        let all = json!([reasoning, message, call]);
        let delta = json!({"type": "response.output_text.delta", "delta": "I tap."});
        for events in [
            vec![item(&reasoning), item(&message), item(&call), completed(json!([]))],
            vec![item(&reasoning), item(&message), item(&call), completed(all.clone())],
            vec![item(&reasoning), delta, item(&message), item(&call), completed(all.clone())],
            vec![completed(all)],
        ] {
            let mut read = Completion::default();
            for event in &events {
                assert!(merge(&mut read, &Responses, event, 1000).unwrap());
            }
            assert_eq!(
                (read.text.as_str(), read.reasoning.as_str()),
                ("I tap.", "hm"),
                "{events:?}"
            );
            assert_eq!(calls(&mut read), ["done{}"], "{events:?}");
            assert_eq!(read.finish_reason.as_deref(), Some("stop"));
        }
        let refusal =
            json!({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
        let mut read = Completion::default();
        merge(&mut read, &Responses, &completed(json!([refusal])), 1000).unwrap();
        assert_eq!((read.text.as_str(), read.refused), ("No.", true));
    }

    #[test]
    fn what_is_cut_off_or_fails_is_told() {
        let read = |json: Value| decode_json(&Responses, json.to_string().as_bytes(), 1000);
        let cut = json!({"output": [], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
        assert_eq!(read(cut).unwrap().finish_reason.as_deref(), Some("length"));
        assert_eq!(read(json!({"output": []})).unwrap().finish_reason.as_deref(), Some(TRUNCATED));
        assert!(read(json!({"choices": []})).is_err());
        let failed = json!({"type": "response.failed",
            "response": {"status": "failed", "error": {"code": "server_error", "message": "down"}}});
        assert!(merge(&mut Completion::default(), &Responses, &failed, 1000).is_err());
        let error = json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"});
        assert!(merge(&mut Completion::default(), &Responses, &error, 1000).is_err());
    }
}
