//! OpenAI-compatible chat completions.
use std::borrow::Cow;

use ayeaye_agent::{Message, Part, Picture, Role, Tokens, ToolCall};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::completion::Completion;
use super::super::computer_tool::ComputerTool;
use super::{Api, ModelRequest, OptionalFeature, data_url, extra, non_empty_text, token_count};
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

    fn auth_headers(&self, key: &Secret, _endpoint: &Endpoint) -> Vec<(HeaderName, String)> {
        vec![(AUTHORIZATION, format!("Bearer {}", key.expose()))]
    }

    fn headers(&self, _computer: Option<ComputerTool>) -> HeaderMap {
        HeaderMap::new()
    }

    fn takes(&self, _: &str) -> bool {
        true
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        let tools = request.includes(OptionalFeature::Tools);
        // For an endpoint without tools, earlier calls are written as text.
        let messages = if request.unsupported.contains(OptionalFeature::SystemMessage) {
            Cow::Owned(without_system(&request.prompt.messages))
        } else {
            Cow::Borrowed(&request.prompt.messages)
        };
        let messages = messages.iter().flat_map(|message| {
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
        for (name, value) in extra::chat(request.calls, request.model, request.endpoint) {
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
        let choice = first_choice(json);
        // Kimi tells it within the choice of the last chunk.
        let in_choice = choice.map_or(&Value::Null, |choice| &choice["usage"]);
        if let Some(usage) = [&json["usage"], in_choice].into_iter().find(|it| it.is_object()) {
            completion.tokens = read_usage(usage);
        }
        let Some(choice) = choice else { return false };
        // A stream has `delta`s; some endpoints repeat the whole `message` at its end.
        let piece = &choice["delta"];
        let whole = &choice["message"];
        let message = if piece.is_object() || completion.has_begun() { piece } else { whole };
        push_text(&mut completion.text, &message["content"]);
        // A stream has it in pieces too.
        if message["content"].as_str().unwrap_or_default().is_empty() {
            let refusal = &message["refusal"];
            completion.refused |= refusal.as_str().is_some_and(|it| !it.is_empty());
            push_text(&mut completion.text, refusal);
        }
        let reasoning = &message["reasoning_content"];
        let reasoning = if reasoning.is_null() { &message["reasoning"] } else { reasoning };
        push_text(&mut completion.reasoning, reasoning);
        for (at, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            merge_tool_call(completion, call, (piece.is_null()).then_some(at as u64));
        }
        // The deprecated form of a call.
        if message["function_call"].is_object() {
            merge_tool_call(completion, &json!({ "function": message["function_call"] }), Some(0));
        }
        // The legacy completions form, with the text in the choice itself.
        if !piece.is_object() && !whole.is_object() {
            push_text(&mut completion.text, &choice["text"]);
        }
        completion.gives_reason |= choice.get("finish_reason").is_some();
        // As a word it is DashScope's way to say that there is none yet.
        let is_reason = |reason: &&str| !reason.is_empty() && *reason != "null";
        if let Some(reason) = choice["finish_reason"].as_str().filter(is_reason) {
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
            | OptionalFeature::Tools
            | OptionalFeature::SystemMessage => true,
            OptionalFeature::PastCalls => false,
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
fn push_text(into: &mut String, json: &Value) {
    match json {
        Value::String(text) => into.push_str(text),
        Value::Array(parts) => {
            for part in parts {
                let text = part.as_str().or_else(|| part["text"].as_str());
                into.push_str(text.unwrap_or_default());
            }
        }
        _ => {}
    }
}

/// More tokens than any reply has.
const MOST_TOKENS: u64 = 1 << 20;

fn read_usage(usage: &Value) -> Tokens {
    let count = |value: &Value| token_count(value).unwrap_or(0);
    // Beside the place of the others, Kimi's and DeepSeek's.
    let cached = [
        &usage["prompt_tokens_details"]["cached_tokens"],
        &usage["cached_tokens"],
        &usage["prompt_cache_hit_tokens"],
    ];
    let (prompt, completion) = (count(&usage["prompt_tokens"]), count(&usage["completion_tokens"]));
    let cached = cached.into_iter().find_map(token_count).unwrap_or(0);
    // Some endpoints count reasoning in the total only. What is cached is a part of the prompt, unless it is more.
    let input = if prompt < cached { prompt.saturating_add(cached) } else { prompt };
    let rest = count(&usage["total_tokens"]).saturating_sub(input);
    let rest = if 0 < prompt && rest <= MOST_TOKENS { rest } else { 0 };
    Tokens {
        prompt,
        completion: completion.max(rest),
        thinking: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        cached,
    }
}

/// The messages with the system's in front of what the user says first.
fn without_system(messages: &[Message]) -> Vec<Message> {
    let (rules, mut rest): (Vec<_>, Vec<_>) =
        messages.iter().cloned().partition(|message| message.role == Role::System);
    let mut parts: Vec<Part> = rules.into_iter().flat_map(|message| message.parts).collect();
    if let Some(Part::Text(last)) = parts.last_mut() {
        last.push('\n');
    }
    match rest.iter_mut().find(|message| message.role == Role::User) {
        Some(first) => {
            parts.append(&mut first.parts);
            first.parts = parts;
        }
        None => rest.insert(0, Message { role: Role::User, parts }),
    }
    rest
}

/// A message as this API has it. Results of calls are messages of their own, which cannot hold
/// pictures: those follow in a user message.
fn encode_message(message: &Message) -> Vec<Value> {
    let mut encoded = Vec::new();
    let mut rest = Vec::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(_) | Part::Picture(_) => rest.push(part.clone()),
            Part::Call(call) => calls.push(encode_tool_call(call)),
            Part::Result { id, text, picture, .. } => {
                encoded.push(
                    json!({ "role": "tool", "tool_call_id": id, "content": non_empty_text(text) }),
                );
                rest.extend(picture.clone().map(Part::Picture));
            }
        }
    }
    if calls.is_empty() && (!rest.is_empty() || encoded.is_empty()) {
        encoded.push(encode_as_text(&Message { role: message.role, parts: rest }));
    } else if !calls.is_empty() {
        let text = joined_text(&rest);
        let content = if text.trim().is_empty() { Value::Null } else { Value::String(text) };
        encoded.push(
            json!({ "role": Role::Assistant.name(), "content": content, "tool_calls": calls }),
        );
    }
    encoded
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
        Part::Call(call) => Some(call_as_text(call)),
        Part::Picture(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A call where the endpoint takes none: in the form that is asked for then, since models repeat what they see.
fn call_as_text(call: &ToolCall) -> String {
    // As they are written: in them, what would part speakers is escaped.
    match call.arguments.trim() {
        object if object.starts_with('{') => format!("Action: {object}"),
        other => format!("Action: {}", super::arguments_object(other)),
    }
}

/// A message with text and pictures only.
fn encode_as_text(message: &Message) -> Value {
    let shows =
        |part: &Part| matches!(part, Part::Picture(_) | Part::Result { picture: Some(_), .. });
    let content = if message.parts.iter().any(shows) {
        Value::Array(message.parts.iter().flat_map(encode_part).collect())
    } else {
        // A plain string, for endpoints that accept parts only from users. Some refuse an empty one:
        // it is sent only where a family's own client does.
        let text = joined_text(&message.parts);
        let is_meant = message.role == Role::User
            && matches!(message.parts.as_slice(), [Part::Text(it)] if it.is_empty());
        Value::String(if is_meant { text } else { non_empty_text(&text).to_owned() })
    };
    json!({ "role": message.role.name(), "content": content })
}

fn encode_part(part: &Part) -> Vec<Value> {
    let text = |text: &str| json!({ "type": "text", "text": non_empty_text(text) });
    let image = |picture: &Picture| json!({ "type": "image_url", "image_url": { "url": data_url(picture) } });
    match part {
        Part::Text(it) => vec![text(it)],
        Part::Result { text: it, picture, .. } => {
            let parts = std::iter::once(text(it));
            parts.chain(picture.as_ref().map(image)).collect()
        }
        Part::Call(call) => vec![text(&call_as_text(call))],
        Part::Picture(picture) => vec![image(picture)],
    }
}

#[cfg(test)]
mod tests;
