//! Anthropic's Messages API, version 2023-06-01, with its computer use tool.
use ayeaye_agent::{Message, Part, Picture, Role};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::completion::Completion;
use super::super::computer_tool::ComputerTool;
use super::{
    Api, ModelRequest, OptionalFeature, arguments_object, base64_picture, extra, header,
    non_empty_text, token_count,
};
use crate::{Endpoint, Secret};

mod computer;

/// See the module.
#[derive(Debug)]
pub(super) struct Anthropic;

const SAMPLING: [&str; 3] = ["temperature", "top_p", "top_k"];

impl Api for Anthropic {
    fn completion_url(&self, endpoint: &Endpoint, _model: &str, _stream: bool) -> Url {
        endpoint.join("/messages")
    }

    fn models_url(&self, endpoint: &Endpoint) -> Url {
        let mut url = endpoint.join("/models");
        // The most of a page. Without it, twenty.
        url.query_pairs_mut().append_pair("limit", "1000");
        url
    }

    fn auth_headers(&self, key: &Secret, endpoint: &Endpoint) -> Vec<(HeaderName, String)> {
        let mut headers = vec![(HeaderName::from_static("x-api-key"), key.expose().to_owned())];
        // Servers with the same API beside others know the key by this alone (vLLM). Gateways hand it on to the real API,
        // which takes it for a key of another kind.
        if endpoint.is_own() {
            headers.push((AUTHORIZATION, format!("Bearer {}", key.expose())));
        }
        headers
    }

    fn headers(&self, computer: Option<ComputerTool>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        header(&mut headers, "anthropic-version", "2023-06-01");
        if let Some(beta) = computer.and_then(ComputerTool::beta) {
            header(&mut headers, "anthropic-beta", beta);
        }
        headers
    }

    fn takes(&self, setting: &str) -> bool {
        let others = ["max_tokens", "reasoning_effort", "extra_body", "stop", "thinking"];
        SAMPLING.contains(&setting) || others.contains(&setting)
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        let (rules, turns): (Vec<&Message>, Vec<&Message>) =
            request.prompt.messages.iter().partition(|message| message.role == Role::System);
        let computer = request.computer;
        let encode_part = |part: &Part| encode_part(part, computer);
        let in_words = request.unsupported.contains(OptionalFeature::PastCalls);
        let encode_message = |message: &Message| {
            if in_words { encode_in_words(message) } else { encode_message(message, computer) }
        };
        let mut body = json!({
            "model": request.model,
            "max_tokens": request.sampling.max_tokens,
            "messages": turns.into_iter().map(encode_message).collect::<Vec<_>>(),
            "stream": request.stream,
        });
        let mut system: Vec<Value> =
            rules.into_iter().flat_map(|message| message.parts.iter().map(&encode_part)).collect();
        if let Some(last) = system.last_mut() {
            // Tools and rules are the same in every step: the endpoint may cache them.
            last["cache_control"] = json!({ "type": "ephemeral" });
            body["system"] = Value::Array(system);
        }
        for name in SAMPLING {
            if let Some(value) = request.sampling().remove(name) {
                body[name] = value;
            }
        }
        for (name, value) in extra::anthropic(request.calls) {
            body[name] = value;
        }
        if !request.prompt.tools.is_empty() {
            body["tools"] = Value::from(computer::declare(&request.prompt.tools, computer));
            body["tool_choice"] = json!({ "type": "auto", "disable_parallel_tool_use": true });
        }
        if let Some(schema) = request
            .prompt
            .schema
            .as_ref()
            .filter(|_| request.includes(OptionalFeature::ResponseSchema))
        {
            let format = json!({ "type": "json_schema", "schema": schema });
            body["output_config"]["format"] = format;
        }
        body
    }

    fn merge(&self, completion: &mut Completion, json: &Value) -> bool {
        match json["type"].as_str().unwrap_or_default() {
            "message" => {
                merge_start(completion, json);
                for (at, block) in json["content"].as_array().into_iter().flatten().enumerate() {
                    merge_block(completion, at as u64, block, true);
                }
                merge_stop_reason(completion, json);
            }
            "message_start" => merge_start(completion, &json["message"]),
            "content_block_start" => {
                merge_block(completion, block_index(json), &json["content_block"], false);
            }
            "content_block_delta" => merge_delta(completion, block_index(json), &json["delta"]),
            "message_delta" => {
                merge_stop_reason(completion, &json["delta"]);
                merge_usage(completion, &json["usage"]);
            }
            "message_stop" => completion.ended = true,
            // `ping`, the end of a block, and events of later versions.
            "" => return false,
            _ => {}
        }
        true
    }

    fn expected_content(&self) -> &'static str {
        "message of Anthropic's API"
    }

    fn is_optional(&self, feature: OptionalFeature) -> bool {
        match feature {
            OptionalFeature::ResponseSchema
            | OptionalFeature::Sampling
            | OptionalFeature::PastCalls => true,
            OptionalFeature::StreamUsage
            | OptionalFeature::MaxTokens
            | OptionalFeature::Tools
            | OptionalFeature::SystemMessage => false,
        }
    }

    fn always_gives_finish_reason(&self) -> bool {
        true
    }
}

fn block_index(json: &Value) -> u64 {
    json["index"].as_u64().unwrap_or(0)
}

fn merge_start(completion: &mut Completion, message: &Value) {
    completion.model = message["model"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    merge_usage(completion, &message["usage"]);
}

fn merge_stop_reason(completion: &mut Completion, json: &Value) {
    if let Some(reason) = json["stop_reason"].as_str() {
        completion.finish_reason = Some(reason.to_owned());
    }
}

/// A content block; `whole` when no deltas follow.
fn merge_block(completion: &mut Completion, at: u64, block: &Value, whole: bool) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => {
            if !completion.text.is_empty() {
                completion.text.push('\n');
            }
            completion.text.push_str(&text(&block["text"]));
        }
        "thinking" => completion.reasoning.push_str(&text(&block["thinking"])),
        "tool_use" => {
            // In a stream it is empty here and follows in deltas.
            let input = match &block["input"] {
                Value::Object(map) if !whole && map.is_empty() => String::new(),
                Value::Null => String::new(),
                input => input.to_string(),
            };
            completion.push_tool_call(
                Some(at),
                &text(&block["id"]),
                &computer::called_name(block),
                &input,
            );
        }
        _ => {}
    }
}

fn merge_delta(completion: &mut Completion, at: u64, delta: &Value) {
    let text = |name: &str| delta[name].as_str().unwrap_or_default().to_owned();
    match delta["type"].as_str().unwrap_or_default() {
        "text_delta" => completion.text.push_str(&text("text")),
        "thinking_delta" => completion.reasoning.push_str(&text("thinking")),
        "input_json_delta" => completion.push_tool_call(Some(at), "", "", &text("partial_json")),
        _ => {}
    }
}

/// Counts come at the beginning, and at the end those that have changed: what is absent there, or null, has
/// not. `input_tokens` excludes what was read from or written to the cache.
fn merge_usage(completion: &mut Completion, usage: &Value) {
    let (parts, tokens) = (&mut completion.prompt_parts, &mut completion.tokens);
    for (name, part) in [
        ("input_tokens", &mut parts.fresh),
        ("cache_read_input_tokens", &mut parts.read_from_cache),
        ("cache_creation_input_tokens", &mut parts.written_to_cache),
        ("output_tokens", &mut tokens.completion),
    ] {
        *part = token_count(&usage[name]).unwrap_or(*part);
    }
    let cached = [parts.read_from_cache, parts.written_to_cache].into_iter();
    tokens.prompt = cached.fold(parts.fresh, u64::saturating_add);
    tokens.cached = parts.read_from_cache;
}

/// The results of calls, which the API wants first, and all the rest.
fn results_first(message: &Message) -> (Vec<&Part>, Vec<&Part>) {
    message.parts.iter().partition(|part| matches!(part, Part::Result { .. }))
}

fn encode_message(message: &Message, computer: Option<ComputerTool>) -> Value {
    let (results, rest) = results_first(message);
    let parts: Vec<Value> =
        results.into_iter().chain(rest).map(|part| encode_part(part, computer)).collect();
    json!({ "role": message.role.name(), "content": parts })
}

/// A message whose calls and results are told in its text.
fn encode_in_words(message: &Message) -> Value {
    let words = |part: &Part| match part {
        Part::Text(it) => vec![text(it)],
        Part::Picture(picture) => vec![encode_image(picture)],
        Part::Call(call) => vec![text(&format!("(You called {} {}.)", call.name, call.arguments))],
        Part::Result { text: it, picture, .. } => {
            std::iter::once(text(it)).chain(picture.as_ref().map(encode_image)).collect()
        }
    };
    let (results, rest) = results_first(message);
    let parts: Vec<Value> = results.into_iter().chain(rest).flat_map(words).collect();
    json!({ "role": message.role.name(), "content": parts })
}

fn encode_part(part: &Part, computer: Option<ComputerTool>) -> Value {
    match part {
        Part::Text(it) => text(it),
        Part::Picture(picture) => encode_image(picture),
        Part::Call(call) => {
            let mut block = computer::call(&call.name, arguments_object(&call.arguments), computer);
            block["type"] = json!("tool_use");
            block["id"] = json!(call.id);
            block
        }
        Part::Result { id, name, text: it, picture, .. } => {
            let content = std::iter::once(text(it)).chain(picture.as_ref().map(encode_image));
            let content: Vec<Value> = content.collect();
            let mut block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
            if let Some(toolset) = computer::toolset_of(name, computer) {
                block["toolset_name"] = json!(toolset);
            }
            block
        }
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": non_empty_text(text) })
}

fn encode_image(picture: &Picture) -> Value {
    let source = json!({ "type": "base64", "media_type": picture.media_type, "data": base64_picture(picture) });
    json!({ "type": "image", "source": source })
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::Tokens;

    use super::super::super::completion::TRUNCATED;
    use super::super::super::decoder::{decode_json, merge};
    use super::super::UnsupportedFeatures;
    use super::super::tests::{prompt, request};
    use super::*;

    #[test]
    fn a_prompt_as_it_is_sent() {
        let mut prompt = prompt();
        prompt.tools = vec![json!({"type": "computer_20251124", "name": "computer"})];
        let sent = Anthropic.body(&request(&prompt));
        assert_eq!(sent["system"][0]["text"], "rules");
        assert_eq!(sent["system"][0]["cache_control"]["type"], "ephemeral");
        let roles: Vec<_> =
            sent["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        assert_eq!(sent["messages"][0]["content"][1]["source"]["data"], "/9j/");
        let call = &sent["messages"][1]["content"][1];
        assert_eq!((&call["type"], &call["input"]), (&json!("tool_use"), &json!({"x": 1})));
        let result = &sent["messages"][2]["content"][0];
        assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &call["id"]));
        assert_eq!(result["content"][1]["type"], "image");
        assert_eq!(sent["messages"][2]["content"][1]["text"], "and now?");
        assert_eq!((&sent["max_tokens"], &sent["stream"]), (&json!(4096), &json!(true)));
        assert_eq!(sent["temperature"], 0.1);
        let beta = Anthropic.headers(ComputerTool::declared(&prompt.tools));
        assert_eq!(beta["anthropic-beta"], "computer-use-2025-11-24");
        assert_eq!(beta["anthropic-version"], "2023-06-01");
        for none in [None, Some(ComputerTool::Toolset)] {
            assert!(Anthropic.headers(none).get("anthropic-beta").is_none());
        }
    }

    #[test]
    fn a_history_that_may_hold_no_calls_is_told_in_words() {
        let prompt = prompt();
        let unsupported = UnsupportedFeatures::default().with(OptionalFeature::PastCalls);
        let sent = Anthropic.body(&ModelRequest { unsupported, ..request(&prompt) });
        let kinds = |at: usize| {
            let parts = sent["messages"][at]["content"].as_array().unwrap();
            parts.iter().map(|it| it["type"].as_str().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(kinds(1), ["text", "text"]);
        assert_eq!(sent["messages"][1]["content"][1]["text"], "(You called tap {\"x\":1}.)");
        assert_eq!(kinds(2), ["text", "image", "text"]);
    }

    #[test]
    fn what_was_refused_is_left_out() {
        let mut prompt = prompt();
        prompt.schema = Some(json!({"type": "object"}));
        assert_eq!(
            Anthropic.body(&request(&prompt))["output_config"]["format"]["type"],
            "json_schema"
        );
        let unsupported = UnsupportedFeatures::default()
            .with(OptionalFeature::ResponseSchema)
            .with(OptionalFeature::Sampling);
        let sent = Anthropic.body(&ModelRequest { unsupported, ..request(&prompt) });
        assert!(sent.get("output_config").is_none() && sent.get("temperature").is_none());
    }

    fn decoded(content: &Value, reason: &Value) -> Completion {
        let body = json!({
            "type": "message", "model": "claude-x", "content": content, "stop_reason": reason,
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 3},
        });
        decode_json(&Anthropic, body.to_string().as_bytes(), 1000).unwrap()
    }

    #[test]
    fn an_answer_in_one_piece() {
        let content = json!([
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I tap."},
            {"type": "tool_use", "id": "t1", "name": "computer", "input": {"action": "screenshot"}},
        ]);
        let mut answer = decoded(&content, &json!("tool_use"));
        assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("I tap.", "hm"));
        assert_eq!(answer.finish_reason.as_deref(), Some("tool_use"));
        let expected = Tokens { prompt: 95, completion: 3, thinking: 0, cached: 90 };
        assert_eq!((answer.tokens, answer.model.as_deref()), (expected, Some("claude-x")));
        let calls = answer.take_tool_calls();
        assert_eq!(
            (calls[0].id.as_str(), calls[0].arguments.as_str()),
            ("t1", "{\"action\":\"screenshot\"}")
        );
        assert_eq!(decoded(&json!([]), &Value::Null).finish_reason.as_deref(), Some(TRUNCATED));
    }

    #[test]
    fn what_the_end_of_a_stream_does_not_count_stays_as_the_beginning_has_it() {
        let all = json!({"input_tokens": 100, "cache_read_input_tokens": 1800,
            "cache_creation_input_tokens": 100, "output_tokens": 1});
        let fresh = json!({"input_tokens": 100, "output_tokens": 1});
        for (start, end) in [
            (&all, json!({"output_tokens": 50})),
            (&all, json!({"input_tokens": 100, "output_tokens": 50})),
            (
                &all,
                json!({"input_tokens": 100, "cache_read_input_tokens": null,
                    "cache_creation_input_tokens": null, "output_tokens": 50}),
            ),
            (
                &fresh,
                json!({"cache_read_input_tokens": 1800, "cache_creation_input_tokens": 100,
                    "output_tokens": 50}),
            ),
        ] {
            let mut answer = Completion::default();
            for event in [
                json!({"type": "message_start", "message": {"usage": start}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end}),
            ] {
                merge(&mut answer, &Anthropic, &event, 1000).unwrap();
            }
            let expected = Tokens { prompt: 2000, completion: 50, thinking: 0, cached: 1800 };
            assert_eq!(answer.tokens, expected, "{start} {end}");
        }
    }

    #[test]
    fn an_answer_in_events() {
        let mut answer = Completion::default();
        for event in [
            json!({"type": "message_start", "message": {"model": "claude-x", "usage": {"input_tokens": 9, "output_tokens": 1}}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I tap."}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "computer", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"action\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"wait\"}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}}),
            json!({"type": "message_stop"}),
        ] {
            assert!(!answer.ended);
            merge(&mut answer, &Anthropic, &event, 1000).unwrap();
        }
        assert!(answer.ended);
        assert_eq!((answer.tokens.prompt, answer.tokens.completion), (9, 7));
        let calls = answer.take_tool_calls();
        assert_eq!(
            (calls[0].name.as_str(), calls[0].arguments.as_str()),
            ("computer", "{\"action\":\"wait\"}")
        );
    }
}
