use ayeaye_agent::{ParseError, Prompt};

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
fn rules_that_may_be_no_message_of_their_own_stand_in_front_of_the_first_request() {
    let unsupported = UnsupportedFeatures::default().with(OptionalFeature::SystemMessage);
    let prompt = prompt();
    let sent = Chat.body(&ModelRequest { unsupported, ..request(&prompt) });
    let roles: Vec<_> = sent["messages"].as_array().unwrap().iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
    let parts = sent["messages"][0]["content"].as_array().unwrap();
    assert_eq!((&parts[0]["text"], &parts[1]["text"]), (&json!("rules\n"), &json!("look")));
    assert_eq!(parts[2]["type"], "image_url");
    // Where the user says nothing.
    let alone =
        Prompt { messages: vec![Message::text(Role::System, "rules")], ..Prompt::default() };
    let sent = Chat.body(&ModelRequest { unsupported, ..request(&alone) });
    assert_eq!(sent["messages"], json!([{"role": "user", "content": "rules\n"}]));
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
        piece(json!([{"index": 1, "id": "b", "function": {"name": "swipe", "arguments": "{"}}])),
        piece(json!([{"index": 0, "function": {"arguments": ":1}"}}])),
        piece(json!([{"index": 1, "id": "b", "function": {"name": "swipe", "arguments": "}"}}])),
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
    assert_eq!(answer.take_tool_calls().iter().filter(|call| call.arguments == "{}").count(), 3);
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
fn tokens_are_counted_wherever_they_are_told() {
    let choice = |usage: Value| json!({"delta": {}, "finish_reason": "stop", "usage": usage});
    let kimi = json!({"prompt_tokens": 1336, "completion_tokens": 31, "cached_tokens": 1280});
    let mut answer = Completion::default();
    let chunk = json!({"choices": [choice(kimi.clone())]});
    merge(&mut answer, &Chat, &chunk, 1000).unwrap();
    let expected = Tokens { prompt: 1336, completion: 31, thinking: 0, cached: 1280 };
    assert_eq!(answer.tokens, expected);
    // Told again it is no more, and what is told last counts.
    merge(&mut answer, &Chat, &chunk, 1000).unwrap();
    merge(&mut answer, &Chat, &json!({"choices": [], "usage": kimi}), 1000).unwrap();
    assert_eq!(answer.tokens, expected);
    let both = json!({"usage": {"prompt_tokens": 5}, "choices": [choice(kimi)]});
    merge(&mut answer, &Chat, &both, 1000).unwrap();
    assert_eq!(answer.tokens, Tokens { prompt: 5, ..Tokens::default() });
    let cached = |usage: Value| {
        read(&json!({"usage": usage, "choices": [{"message": {"content": "a"}}]})).tokens.cached
    };
    assert_eq!(cached(json!({"prompt_cache_hit_tokens": 7})), 7);
    assert_eq!(cached(json!({"cached_tokens": 8, "prompt_cache_hit_tokens": 7})), 8);
    let details = json!({"cached_tokens": 9});
    assert_eq!(cached(json!({"prompt_tokens_details": details, "cached_tokens": 8})), 9);
}

#[test]
fn tokens_that_are_in_the_total_only_are_counted() {
    let tokens = |usage: Value| {
        read(&json!({"usage": usage, "choices": [{"message": {"content": "a"}}]})).tokens
    };
    let beside = json!({"prompt_tokens": 21, "completion_tokens": 0, "total_tokens": 81,
        "completion_tokens_details": {"reasoning_tokens": 60}});
    assert_eq!(
        tokens(beside),
        Tokens { prompt: 21, completion: 60, thinking: 60, ..Tokens::default() }
    );
    for (total, completion) in [
        (json!(26), 5),
        (json!(90), 69),
        // What cannot be is left out.
        (json!(20), 5),
        (json!(0), 5),
        (json!(null), 5),
        (json!(u64::MAX), 5),
    ] {
        let usage = json!({"prompt_tokens": 21, "completion_tokens": 5, "total_tokens": total});
        assert_eq!(tokens(usage).completion, completion, "{total}");
    }
    for (usage, completion) in [
        // Of a total alone nobody knows what is the prompt's.
        (json!({"completion_tokens": 5, "total_tokens": 90}), 5),
        (json!({"total_tokens": 90}), 0),
        // A cached part that is beside the prompt and not in it.
        (
            json!({"prompt_tokens": 21, "completion_tokens": 5, "total_tokens": 126, "cached_tokens": 100}),
            5,
        ),
        (
            json!({"prompt_tokens": 21, "completion_tokens": 5, "total_tokens": 186, "cached_tokens": 100}),
            65,
        ),
        (
            json!({"prompt_tokens": 21, "completion_tokens": 5, "total_tokens": 90, "cached_tokens": 20}),
            69,
        ),
    ] {
        assert_eq!(tokens(usage.clone()).completion, completion, "{usage}");
    }
}

#[test]
fn a_prompt_as_it_is_sent() {
    let parts = vec![Part::Text("look".to_owned()), Part::Picture(picture())];
    let prompt = Prompt::of(vec![Message { role: Role::User, parts }]);
    let prompt = prompt.with_retry_notice("", &ParseError::new("it is empty"));
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
    for left_out in ["response_format", "temperature", "max_tokens", "tools", "stream_options"] {
        assert!(sent.get(left_out).is_none(), "{left_out}");
    }
    assert_eq!(sent["max_completion_tokens"], 4096);
    let roles: Vec<_> =
        sent["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(sent["messages"][1]["content"], "I tap.\nAction: {\"x\":1}");
}

#[test]
fn an_empty_turn_is_sent_only_where_it_is_meant() {
    let prompt = Prompt::of(vec![
        Message::text(Role::User, ""),
        Message::text(Role::Assistant, " "),
        Message { role: Role::User, parts: Vec::new() },
    ]);
    let sent = Chat.body(&request(&prompt));
    let contents: Vec<&Value> =
        sent["messages"].as_array().unwrap().iter().map(|it| &it["content"]).collect();
    assert_eq!(contents, ["", "(empty)", "(empty)"]);
}

#[test]
fn a_refusal_in_pieces_is_whole() {
    let mut completion = Completion::default();
    for piece in ["I'm", " sorry", "."] {
        let delta = json!({ "choices": [{ "delta": { "content": null, "refusal": piece } }] });
        Chat.merge(&mut completion, &delta);
    }
    assert_eq!(completion.text, "I'm sorry.");
}
