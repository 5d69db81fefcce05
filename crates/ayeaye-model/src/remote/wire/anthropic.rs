//! Anthropic's Messages API, version 2023-06-01, with its tool for using computers.
use ayeaye_agent::{Message, Part, Picture, Prompt, Role, Tokens};
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::answer::Answer;
use super::super::failure::Failure;
use super::{Api, Ask, Extra, arguments, base64, header, spoken};
use crate::{Endpoint, Secret};

/// See the module.
#[derive(Debug)]
pub(super) struct Anthropic;

/// The tools for using computers that models know, and what says in a header that they are meant.
const TOOLS: [(&str, &str); 2] = [
    ("computer_20251124", "computer-use-2025-11-24"),
    ("computer_20250124", "computer-use-2025-01-24"),
];

impl Api for Anthropic {
    fn url(&self, endpoint: &Endpoint, _model: &str, _stream: bool) -> Url {
        endpoint.below("/messages")
    }

    fn models(&self, endpoint: &Endpoint) -> Url {
        endpoint.below("/models")
    }

    fn key(&self, key: &Secret) -> (HeaderName, String) {
        (HeaderName::from_static("x-api-key"), key.expose().to_owned())
    }

    fn headers(&self, prompt: Option<&Prompt>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        header(&mut headers, "anthropic-version", "2023-06-01");
        let tools = prompt.map(|prompt| prompt.tools.as_slice()).unwrap_or_default();
        for (kind, beta) in TOOLS {
            if tools.iter().any(|tool| tool["type"] == kind) {
                header(&mut headers, "anthropic-beta", beta);
            }
        }
        headers
    }

    fn body(&self, ask: &Ask<'_>) -> Value {
        let (rules, turns): (Vec<&Message>, Vec<&Message>) =
            ask.prompt.messages.iter().partition(|message| message.role == Role::System);
        let mut body = json!({
            "model": ask.model,
            "max_tokens": ask.sampling.max_tokens,
            "messages": turns.into_iter().map(said).collect::<Vec<_>>(),
            "stream": ask.stream,
        });
        let mut system: Vec<Value> =
            rules.into_iter().flat_map(|message| message.parts.iter().map(part)).collect();
        if let Some(last) = system.last_mut() {
            // Tools and rules are the same in every step: they are read once and kept.
            last["cache_control"] = json!({ "type": "ephemeral" });
            body["system"] = Value::Array(system);
        }
        for name in ["temperature", "top_p"] {
            if let Some(value) = ask.sampling().remove(name) {
                body[name] = value;
            }
        }
        if !ask.prompt.tools.is_empty() {
            body["tools"] = Value::from(ask.prompt.tools.clone());
            body["tool_choice"] = json!({ "type": "auto", "disable_parallel_tool_use": true });
        }
        if let Some(schema) = ask.prompt.schema.as_ref().filter(|_| ask.says(Extra::Schema)) {
            let format = json!({ "type": "json_schema", "schema": schema });
            body["output_config"] = json!({ "format": format });
        }
        body
    }

    fn take(&self, answer: &mut Answer, said: &Value) -> Result<bool, Failure> {
        match said["type"].as_str().unwrap_or_default() {
            "message" => {
                begin(answer, said);
                for (at, block) in said["content"].as_array().into_iter().flatten().enumerate() {
                    take_block(answer, at as u64, block, true);
                }
                end(answer, said);
            }
            "message_start" => begin(answer, &said["message"]),
            "content_block_start" => {
                take_block(answer, place(said), &said["content_block"], false);
            }
            "content_block_delta" => take_piece(answer, place(said), &said["delta"]),
            "message_delta" => {
                end(answer, &said["delta"]);
                count(&mut answer.tokens, &said["usage"]);
            }
            "message_stop" => answer.over = true,
            // `ping`, the end of a block, and what is not known yet.
            "" => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    fn holds(&self) -> &'static str {
        "message of Anthropic's API"
    }

    fn can_do_without(&self, extra: Extra) -> bool {
        match extra {
            Extra::Schema | Extra::Sampling => true,
            Extra::Usage | Extra::MaxTokens | Extra::Tools => false,
        }
    }

    fn says_why_it_ended(&self) -> bool {
        true
    }
}

fn place(said: &Value) -> u64 {
    said["index"].as_u64().unwrap_or(0)
}

fn begin(answer: &mut Answer, message: &Value) {
    answer.model = message["model"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    count(&mut answer.tokens, &message["usage"]);
}

fn end(answer: &mut Answer, said: &Value) {
    if let Some(reason) = said["stop_reason"].as_str() {
        answer.finish_reason = Some(reason.to_owned());
    }
}

/// A block of the reply; `whole` when no pieces follow.
fn take_block(answer: &mut Answer, at: u64, block: &Value, whole: bool) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => {
            if !answer.text.is_empty() {
                answer.text.push('\n');
            }
            answer.text.push_str(&text(&block["text"]));
        }
        "thinking" => answer.reasoning.push_str(&text(&block["thinking"])),
        "tool_use" => {
            // In a stream it is empty here, and comes in pieces.
            let input = match &block["input"] {
                Value::Object(map) if !whole && map.is_empty() => String::new(),
                Value::Null => String::new(),
                input => input.to_string(),
            };
            answer.call(Some(at), &text(&block["id"]), &text(&block["name"]), &input);
        }
        _ => {}
    }
}

fn take_piece(answer: &mut Answer, at: u64, delta: &Value) {
    let text = |name: &str| delta[name].as_str().unwrap_or_default().to_owned();
    match delta["type"].as_str().unwrap_or_default() {
        "text_delta" => answer.text.push_str(&text("text")),
        "thinking_delta" => answer.reasoning.push_str(&text("thinking")),
        "input_json_delta" => answer.call(Some(at), "", "", &text("partial_json")),
        _ => {}
    }
}

/// Counts come at the beginning, and again at the end as far as they have changed. What was read
/// from or written to the cache is not part of the input there.
fn count(tokens: &mut Tokens, usage: &Value) {
    let told = |name: &str| usage[name].as_u64();
    if let Some(input) = told("input_tokens") {
        let cached = told("cache_read_input_tokens").unwrap_or(0);
        tokens.prompt = input + cached + told("cache_creation_input_tokens").unwrap_or(0);
        tokens.cached = cached;
    }
    if let Some(output) = told("output_tokens") {
        tokens.completion = output;
    }
}

fn said(message: &Message) -> Value {
    let result = |part: &&Part| matches!(part, Part::Result { .. });
    // What came of a call has to be told first.
    let (results, rest): (Vec<&Part>, Vec<&Part>) = message.parts.iter().partition(result);
    let parts: Vec<Value> = results.into_iter().chain(rest).map(part).collect();
    json!({ "role": message.role.name(), "content": parts })
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(it) => text(it),
        Part::Picture(picture) => image(picture),
        Part::Call(call) => json!({
            "type": "tool_use", "id": call.id, "name": call.name,
            "input": arguments(&call.arguments),
        }),
        Part::Result { id, text: it, picture, .. } => {
            let content = std::iter::once(text(it)).chain(picture.as_ref().map(image));
            let content: Vec<Value> = content.collect();
            json!({ "type": "tool_result", "tool_use_id": id, "content": content })
        }
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": spoken(text) })
}

fn image(picture: &Picture) -> Value {
    let source =
        json!({ "type": "base64", "media_type": picture.media_type, "data": base64(picture) });
    json!({ "type": "image", "source": source })
}

#[cfg(test)]
mod tests {
    use super::super::super::answer::{CUT, whole};
    use super::super::Refused;
    use super::super::tests::{ask, prompt};
    use super::*;

    #[test]
    fn a_prompt_as_it_is_sent() {
        let mut prompt = prompt();
        prompt.tools = vec![json!({"type": "computer_20251124", "name": "computer"})];
        let sent = Anthropic.body(&ask(&prompt));
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
        let beta = Anthropic.headers(Some(&prompt));
        assert_eq!(beta["anthropic-beta"], "computer-use-2025-11-24");
        assert_eq!(beta["anthropic-version"], "2023-06-01");
        assert!(Anthropic.headers(None).get("anthropic-beta").is_none());
    }

    #[test]
    fn what_was_refused_is_left_out() {
        let mut prompt = prompt();
        prompt.schema = Some(json!({"type": "object"}));
        assert_eq!(Anthropic.body(&ask(&prompt))["output_config"]["format"]["type"], "json_schema");
        let refused = Refused::default().with(Extra::Schema).with(Extra::Sampling);
        let sent = Anthropic.body(&Ask { refused, ..ask(&prompt) });
        assert!(sent.get("output_config").is_none() && sent.get("temperature").is_none());
    }

    fn message(content: &Value, reason: &Value) -> Answer {
        let said = json!({
            "type": "message", "model": "claude-x", "content": content, "stop_reason": reason,
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 3},
        });
        whole(&Anthropic, said.to_string().as_bytes(), 1000).unwrap()
    }

    #[test]
    fn an_answer_in_one_piece() {
        let content = json!([
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I tap."},
            {"type": "tool_use", "id": "t1", "name": "computer", "input": {"action": "screenshot"}},
        ]);
        let mut answer = message(&content, &json!("tool_use"));
        assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("I tap.", "hm"));
        assert_eq!(answer.finish_reason.as_deref(), Some("tool_use"));
        let expected = Tokens { prompt: 95, completion: 3, thinking: 0, cached: 90 };
        assert_eq!((answer.tokens, answer.model.as_deref()), (expected, Some("claude-x")));
        let calls = answer.take_calls();
        assert_eq!(
            (calls[0].id.as_str(), calls[0].arguments.as_str()),
            ("t1", "{\"action\":\"screenshot\"}")
        );
        assert_eq!(message(&json!([]), &Value::Null).finish_reason.as_deref(), Some(CUT));
    }

    #[test]
    fn an_answer_in_events() {
        let mut answer = Answer::default();
        for said in [
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
            assert!(!answer.over);
            answer.take(&Anthropic, &said, 1000).unwrap();
        }
        assert!(answer.over);
        assert_eq!((answer.tokens.prompt, answer.tokens.completion), (9, 7));
        let calls = answer.take_calls();
        assert_eq!(
            (calls[0].name.as_str(), calls[0].arguments.as_str()),
            ("computer", "{\"action\":\"wait\"}")
        );
    }
}
