//! OpenAI-compatible chat completions.
use ayeaye_agent::{Message, Part, Picture, Prompt, Role, Tokens, ToolCall};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::completion::Completion;
use super::{Api, ModelRequest, OptionalFeature, base64_picture, non_empty_text};
use crate::{Endpoint, Secret};

/// See the module.
#[derive(Debug)]
pub(super) struct Chat;

impl Api for Chat {
    fn completion_url(&self, endpoint: &Endpoint, _model: &str, _stream: bool) -> Url {
        endpoint.join("/chat/completions")
    }

    fn models_url(&self, endpoint: &Endpoint) -> Url {
        endpoint.join("/models")
    }

    fn auth_header(&self, key: &Secret) -> (HeaderName, String) {
        (AUTHORIZATION, format!("Bearer {}", key.expose()))
    }

    fn headers(&self, _prompt: Option<&Prompt>) -> HeaderMap {
        HeaderMap::new()
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        let tools = request.includes(OptionalFeature::Tools);
        // For an endpoint without tools, earlier calls are written as text.
        let messages = request.prompt.messages.iter().flat_map(|message| {
            if request.unsupported.contains(OptionalFeature::Tools) {
                vec![encode_as_text(message)]
            } else {
                encode_message(message)
            }
        });
        let mut body = json!({
            "model": request.model,
            "messages": messages.collect::<Vec<Value>>(),
            "stream": request.stream,
        });
        for (name, value) in request.sampling() {
            body[name] = value;
        }
        let most = if request.includes(OptionalFeature::MaxTokens) {
            "max_tokens"
        } else {
            "max_completion_tokens"
        };
        body[most] = json!(request.sampling.max_tokens);
        if tools {
            body["tools"] = Value::from(request.prompt.tools.clone());
        }
        if let Some(schema) = request
            .prompt
            .schema
            .as_ref()
            .filter(|_| request.includes(OptionalFeature::ResponseSchema))
        {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": "reply", "strict": true, "schema": schema },
            });
        }
        if request.includes(OptionalFeature::StreamUsage) {
            body["stream_options"] = json!({ "include_usage": true });
        }
        body
    }

    fn merge(&self, completion: &mut Completion, json: &Value) -> bool {
        if completion.model.is_none() {
            let name = json["model"].as_str().filter(|name| !name.is_empty());
            completion.model = name.map(str::to_owned);
        }
        if json["usage"].is_object() {
            completion.tokens = read_usage(&json["usage"]);
        }
        let Some(choice) = first_choice(json) else { return false };
        // A stream has `delta`s; some endpoints repeat the whole `message` at its end.
        let piece = &choice["delta"];
        let whole = &choice["message"];
        let words = if piece.is_object() || completion.has_begun() { piece } else { whole };
        push_text(&mut completion.text, &words["content"]);
        if completion.text.is_empty() {
            push_text(&mut completion.text, &words["refusal"]);
        }
        let reasoning = &words["reasoning_content"];
        let reasoning = if reasoning.is_null() { &words["reasoning"] } else { reasoning };
        push_text(&mut completion.reasoning, reasoning);
        for (at, call) in words["tool_calls"].as_array().into_iter().flatten().enumerate() {
            merge_tool_call(completion, call, (piece.is_null()).then_some(at as u64));
        }
        // The deprecated form of a call.
        if words["function_call"].is_object() {
            merge_tool_call(completion, &json!({ "function": words["function_call"] }), Some(0));
        }
        // The legacy completions form, with the text in the choice itself.
        if !piece.is_object() && !whole.is_object() {
            push_text(&mut completion.text, &choice["text"]);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            completion.finish_reason = Some(reason.to_owned());
        }
        true
    }

    fn expected_content(&self) -> &'static str {
        "`choices`"
    }

    fn is_optional(&self, feature: OptionalFeature) -> bool {
        match feature {
            OptionalFeature::StreamUsage
            | OptionalFeature::ResponseSchema
            | OptionalFeature::Sampling
            | OptionalFeature::MaxTokens
            | OptionalFeature::Tools => true,
        }
    }

    fn always_gives_finish_reason(&self) -> bool {
        false
    }
}

fn first_choice(json: &Value) -> Option<&Value> {
    let choices = json["choices"].as_array()?;
    choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

/// Adds a call, or a piece of one, which says by `index` which call it belongs to. `place` is the
/// position of a whole call.
fn merge_tool_call(completion: &mut Completion, call: &Value, place: Option<u64>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let function = &call["function"];
    // Arguments are JSON in a string; some servers send the object itself.
    let arguments = match &function["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let key = place.or_else(|| call["index"].as_u64());
    completion.push_tool_call(key, &text(&call["id"]), &text(&function["name"]), &arguments);
}

/// Appends content: a string, or the texts of a list of parts.
fn push_text(words: &mut String, json: &Value) {
    match json {
        Value::String(text) => words.push_str(text),
        Value::Array(parts) => {
            for part in parts {
                let text = part.as_str().or_else(|| part["text"].as_str());
                words.push_str(text.unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn read_usage(usage: &Value) -> Tokens {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    Tokens {
        prompt: count(&usage["prompt_tokens"]),
        completion: count(&usage["completion_tokens"]),
        thinking: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
    }
}

/// A message as this API has it. Results of calls are messages of their own, which cannot hold
/// pictures: those follow in a user message.
fn encode_message(message: &Message) -> Vec<Value> {
    let mut told = Vec::new();
    let mut rest = Vec::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(_) | Part::Picture(_) => rest.push(part.clone()),
            Part::Call(call) => calls.push(encode_tool_call(call)),
            Part::Result { id, text, picture, .. } => {
                told.push(
                    json!({ "role": "tool", "tool_call_id": id, "content": non_empty_text(text) }),
                );
                rest.extend(picture.clone().map(Part::Picture));
            }
        }
    }
    if calls.is_empty() && (!rest.is_empty() || told.is_empty()) {
        told.push(encode_as_text(&Message { role: message.role, parts: rest }));
    } else if !calls.is_empty() {
        let text = joined_text(&rest);
        let content = if text.trim().is_empty() { Value::Null } else { Value::String(text) };
        told.push(
            json!({ "role": Role::Assistant.name(), "content": content, "tool_calls": calls }),
        );
    }
    told
}

fn encode_tool_call(call: &ToolCall) -> Value {
    // Chat templates that parse the arguments fail on anything but an object.
    let arguments = super::arguments_object(&call.arguments).to_string();
    let function = json!({ "name": call.name, "arguments": arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}

fn joined_text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Result { text, .. } => Some(text.clone()),
        Part::Call(call) => Some(format!("{}({})", call.name, call.arguments)),
        Part::Picture(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A message with text and pictures only.
fn encode_as_text(message: &Message) -> Value {
    let shows =
        |part: &Part| matches!(part, Part::Picture(_) | Part::Result { picture: Some(_), .. });
    let content = if message.parts.iter().any(shows) {
        Value::Array(message.parts.iter().flat_map(encode_part).collect())
    } else {
        // A plain string, for endpoints that accept parts only from users. Some refuse an empty one.
        Value::String(non_empty_text(&joined_text(&message.parts)).to_owned())
    };
    json!({ "role": message.role.name(), "content": content })
}

fn encode_part(part: &Part) -> Vec<Value> {
    let text = |text: &str| json!({ "type": "text", "text": non_empty_text(text) });
    let image = |picture: &Picture| {
        let url = format!("data:{};base64,{}", picture.media_type, base64_picture(picture));
        json!({ "type": "image_url", "image_url": { "url": url } })
    };
    match part {
        Part::Text(it) => vec![text(it)],
        Part::Result { text: it, picture, .. } => {
            let words = std::iter::once(text(it));
            words.chain(picture.as_ref().map(image)).collect()
        }
        Part::Call(call) => vec![text(&format!("{}({})", call.name, call.arguments))],
        Part::Picture(picture) => vec![image(picture)],
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::ParseError;

    use super::super::super::decoder::{decode_json, merge};
    use super::super::tests::{picture, prompt, request};
    use super::super::{UnsupportedFeatures, api};
    use super::*;
    use crate::profile::Wire;

    fn read(json: &Value) -> Completion {
        decode_json(api(Wire::Chat), json.to_string().as_bytes(), 1000).unwrap()
    }

    fn text(message: &Value) -> Completion {
        read(&json!({"choices": [{"message": message, "finish_reason": "stop"}]}))
    }

    #[test]
    fn an_answer_in_each_of_its_shapes() {
        assert_eq!(text(&json!({"content": "a"})).text, "a");
        let parts = json!([{"type": "text", "text": "a"}, {"type": "image"}, "b"]);
        assert_eq!(text(&json!({"content": parts})).text, "ab");
        let apart = text(&json!({"content": null, "reasoning_content": "r"}));
        assert_eq!((apart.text.as_str(), apart.reasoning.as_str()), ("", "r"));
        assert_eq!(text(&json!({"content": "a", "reasoning": "r"})).reasoning, "r");
        assert_eq!(text(&json!({"content": null, "refusal": "no"})).text, "no");
    }

    #[test]
    fn calls_are_taken_whole() {
        let call = |id: &str, arguments: Value| {
            let function = json!({"name": "tap", "arguments": arguments});
            json!({"id": id, "type": "function", "function": function})
        };
        let calls = [call("a", json!("{\"x\":1}")), call("b", json!({"x": 2}))];
        let mut answer = text(&json!({"content": null, "tool_calls": calls}));
        let expected = [("a", "{\"x\":1}"), ("b", "{\"x\":2}")].map(|(id, arguments)| ToolCall {
            id: id.to_owned(),
            name: "tap".to_owned(),
            arguments: arguments.to_owned(),
        });
        assert_eq!(answer.take_tool_calls(), expected);
        let old = json!({"content": "", "function_call": {"name": "tap", "arguments": "{}"}});
        let mut answer = text(&old);
        assert_eq!(answer.take_tool_calls()[0].name, "tap");
    }

    #[test]
    fn calls_are_put_together_from_pieces() {
        let piece = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]});
        let mut answer = Completion::default();
        for event in [
            piece(json!([{"index": 0, "id": "a", "function": {"name": "tap", "arguments": ""}}])),
            piece(json!([{"index": 0, "function": {"arguments": "{\"x\""}}])),
            piece(
                json!([{"index": 1, "id": "b", "function": {"name": "swipe", "arguments": "{"}}]),
            ),
            piece(json!([{"index": 0, "function": {"arguments": ":1}"}}])),
            piece(
                json!([{"index": 1, "id": "b", "function": {"name": "swipe", "arguments": "}"}}]),
            ),
        ] {
            assert!(merge(&mut answer, &Chat, &event, 1000).unwrap());
        }
        let told: Vec<_> = answer
            .take_tool_calls()
            .into_iter()
            .map(|call| format!("{} {}{}", call.id, call.name, call.arguments))
            .collect();
        assert_eq!(told, ["a tap{\"x\":1}", "b swipe{}"]);
        // Whole calls that are all numbered 0, and calls without a number.
        let mut answer = Completion::default();
        for event in [
            piece(json!([{"index": 0, "id": "a", "function": {"name": "tap", "arguments": "{}"}}])),
            piece(json!([{"index": 0, "id": "b", "function": {"name": "tap", "arguments": "{}"}}])),
            piece(json!([{"id": "c", "function": {"name": "tap", "arguments": "{"}}])),
            piece(json!([{"function": {"arguments": "}"}}])),
        ] {
            merge(&mut answer, &Chat, &event, 1000).unwrap();
        }
        assert_eq!(
            answer.take_tool_calls().iter().filter(|call| call.arguments == "{}").count(),
            3
        );
    }

    #[test]
    fn tokens_are_counted_where_they_are_told() {
        let answer = read(&json!({
            "model": "m-2", "choices": [{"index": 0, "message": {"content": "a"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5,
                "completion_tokens_details": {"reasoning_tokens": 3},
                "prompt_tokens_details": {"cached_tokens": 8}},
        }));
        assert_eq!(answer.model.as_deref(), Some("m-2"));
        let expected = Tokens { prompt: 10, completion: 5, thinking: 3, cached: 8 };
        assert_eq!(answer.tokens, expected);
        assert_eq!(answer.finish_reason, None);
    }

    #[test]
    fn a_prompt_as_it_is_sent() {
        let parts = vec![Part::Text("look".to_owned()), Part::Picture(picture())];
        let prompt = Prompt::of(vec![Message { role: Role::User, parts }]);
        let prompt = prompt.with_retry_notice("", &ParseError("it is empty".to_owned()));
        let sent = Chat.body(&request(&prompt));
        assert_eq!(sent["messages"][0]["content"][0], json!({"type": "text", "text": "look"}));
        let url = &sent["messages"][0]["content"][1]["image_url"]["url"];
        assert_eq!(url, "data:image/jpeg;base64,/9j/");
        assert_eq!(sent["messages"][1], json!({"role": "assistant", "content": "(empty)"}));
        assert!(sent["messages"][2]["content"].as_str().unwrap().contains("it is empty"));
        assert_eq!((&sent["temperature"], &sent["max_tokens"]), (&json!(0.1), &json!(4096)));
        assert_eq!((&sent["stream"], &sent["model"]), (&json!(true), &json!("m")));
        assert_eq!(sent["stream_options"]["include_usage"], true);
        let whole = Chat.body(&ModelRequest { stream: false, ..request(&prompt) });
        assert_eq!(whole["stream"], false);
        assert!(whole.get("stream_options").is_none());
    }

    #[test]
    fn calls_and_what_came_of_them_have_messages_of_their_own() {
        let prompt = prompt();
        let sent = Chat.body(&request(&prompt));
        let roles: Vec<_> =
            sent["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
        let call = &sent["messages"][2]["tool_calls"][0];
        assert_eq!(
            (&call["id"], &call["function"]["arguments"]),
            (&json!("step_1"), &json!("{\"x\":1}"))
        );
        assert_eq!(sent["messages"][2]["content"], "I tap.");
        let result = json!({"role": "tool", "tool_call_id": "step_1", "content": "Done."});
        assert_eq!(sent["messages"][3], result);
        assert_eq!(sent["messages"][4]["content"][0]["text"], "and now?");
        assert_eq!(sent["messages"][4]["content"][1]["type"], "image_url");
        assert_eq!(sent["tools"], json!([{"name": "tap"}]));
    }

    #[test]
    fn what_was_refused_is_left_out() {
        let mut prompt = prompt();
        prompt.schema = Some(json!({"type": "object"}));
        let sent = Chat.body(&request(&prompt));
        assert_eq!(sent["response_format"]["json_schema"]["schema"]["type"], "object");
        let unsupported = OptionalFeature::ALL
            .into_iter()
            .fold(UnsupportedFeatures::default(), UnsupportedFeatures::with);
        let sent = Chat.body(&ModelRequest { unsupported, ..request(&prompt) });
        for left_out in ["response_format", "temperature", "max_tokens", "tools", "stream_options"]
        {
            assert!(sent.get(left_out).is_none(), "{left_out}");
        }
        assert_eq!(sent["max_completion_tokens"], 4096);
        let roles: Vec<_> =
            sent["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        assert_eq!(sent["messages"][2]["content"], "I tap.\ntap({\"x\":1})");
    }
}
