//! The generations of Claude's tool for computers, against endpoints that take one of them.
use ayeaye_agent::{Gesture, Message, Point, ToolCall};
use serde_json::Value;

use super::server::Request;
use super::*;
use crate::Profile;

const TOOLSET: &str = "computer_toolset_20260801";

/// A step after a tap, declared as the profile `claude` does.
fn step() -> Prompt {
    let arguments = json!({"action": "left_click", "coordinate": [1, 2]}).to_string();
    let call = ToolCall { id: "call_0".to_owned(), name: "computer".to_owned(), arguments };
    let result = Part::Result {
        id: call.id.clone(),
        name: call.name.clone(),
        text: "Done.".to_owned(),
        picture: None,
        answer: None,
    };
    let mut prompt = prompt();
    prompt.messages.push(Message { role: Role::Assistant, parts: vec![Part::Call(call)] });
    prompt.messages.push(Message { role: Role::User, parts: vec![result] });
    prompt.tools = vec![json!({"type": "computer_20251124", "name": "computer",
        "display_width_px": 720, "display_height_px": 1600})];
    prompt
}

/// An endpoint that takes tools of these types alone, and answers with a tap in the words of the one.
async fn takes(kinds: &'static [&'static str]) -> super::server::RawEndpoint {
    super::server::RawEndpoint::start(move |request: &Request| {
        if request.head.starts_with("get ") {
            return http("404 Not Found", JSON, "{}");
        }
        let sent = request.body["tools"][0]["type"].as_str().unwrap_or_default().to_owned();
        if !kinds.contains(&sent.as_str()) {
            let why = format!("tools.0: 'claude-x' does not support tool types: {sent}.");
            let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": why}});
            return http("400 Bad Request", JSON, error.to_string());
        }
        let place = json!([360, 800]);
        let call = if sent == TOOLSET {
            json!({"type": "tool_use", "id": "t", "name": "left_click", "toolset_name": "computer",
                "input": {"coordinate": place}})
        } else {
            json!({"type": "tool_use", "id": "t", "name": "computer",
                "input": {"action": "left_click", "coordinate": place}})
        };
        Act::says(&json!({"type": "message", "content": [call], "stop_reason": "tool_use"}))
    })
    .await
}

fn claude(endpoint: &super::server::RawEndpoint, name: &str) -> RemoteModel {
    let endpoint = Endpoint::parse(&endpoint.url()).unwrap();
    let config = ModelConfig::new(endpoint, name);
    let retries = RetryPolicy { attempts: 1, ..RetryPolicy::DEFAULT };
    let config = ModelConfig { profile: Some(Profile::CLAUDE), stream: false, retries, ..config };
    RemoteModel::new(config).unwrap()
}

fn kinds(endpoint: &super::server::RawEndpoint) -> Vec<String> {
    let kind = |it: &Request| it.body["tools"][0]["type"].as_str().map(str::to_owned);
    endpoint.seen().iter().filter_map(kind).collect()
}

#[tokio::test]
async fn the_generation_that_is_taken_is_found_and_kept() {
    for (name, taken, expected) in [
        ("claude-opus-5-5", &[TOOLSET][..], &[TOOLSET, TOOLSET][..]),
        ("claude-next", &[TOOLSET], &["computer_20251124", TOOLSET, TOOLSET]),
        (
            "claude-opus-5-5",
            &["computer_20251124"],
            &[TOOLSET, "computer_20251124", "computer_20251124"],
        ),
        (
            "claude-opus-5-5",
            &["computer_20250124"],
            &[TOOLSET, "computer_20251124", "computer_20250124", "computer_20250124"],
        ),
        ("claude-opus-4-7", &["computer_20251124"], &["computer_20251124", "computer_20251124"]),
    ] {
        let endpoint = takes(taken).await;
        let model = claude(&endpoint, name);
        for _ in 0..2 {
            let reply = model.call(&step(), LIMIT).await.unwrap();
            let action = model.read(&reply, SENT).unwrap().action;
            let Action::Gesture(Gesture::Click { point }) = action else { panic!("{action:?}") };
            assert_eq!(point, Point::new(500, 500).unwrap(), "{name}");
        }
        assert_eq!(kinds(&endpoint), expected, "{name}");
        let last = endpoint.seen().pop().unwrap();
        let beta = |date: &str| format!("anthropic-beta: computer-use-{date}\r\n");
        let expected = match taken[0] {
            "computer_20251124" => Some(beta("2025-11-24")),
            "computer_20250124" => Some(beta("2025-01-24")),
            _ => None,
        };
        match expected {
            Some(header) => assert!(last.head.contains(&header), "{}", last.head),
            None => assert!(!last.head.contains("anthropic-beta"), "{}", last.head),
        }
        let call = &last.body["messages"][1]["content"][0];
        let result = &last.body["messages"][2]["content"][0];
        let is_toolset = taken[0] == TOOLSET;
        assert_eq!(call["name"], if is_toolset { "left_click" } else { "computer" });
        for block in [call, result] {
            let toolset = if is_toolset { json!("computer") } else { Value::Null };
            assert_eq!(block["toolset_name"], toolset, "{block}");
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_takes_none_is_asked_with_each_once_and_names_the_way_out() {
    let endpoint = takes(&[]).await;
    let error = claude(&endpoint, "claude-opus-5-5").call(&step(), LIMIT).await.unwrap_err();
    assert_eq!(kinds(&endpoint), [TOOLSET, "computer_20251124", "computer_20250124"]);
    assert!(error.message.contains("no generation of the computer-use tool"), "{}", error.message);
    assert!(error.message.contains("model.profile = \"claude-chat\""), "{}", error.message);
    let found = claude(&endpoint, "claude-opus-5-5").check().await;
    let vision = &found.last().unwrap().text;
    assert!(vision.contains("claude-chat"), "{vision}");
}

#[tokio::test]
async fn a_refusal_that_points_at_the_tool_without_its_name_is_one_of_it() {
    let sglang = r"tools.0.computer.type: String should match pattern '^computer_\d{8}$'";
    let vllm = "2 validation errors: [{'type': 'missing', 'loc': 'body.tools.0.name', 'msg': 'Field required'}]";
    for said in [sglang, vllm] {
        let endpoint = super::server::RawEndpoint::start(move |request: &Request| {
            if request.body["tools"][0]["type"] == "computer_20250124" {
                let block = json!({"type": "tool_use", "id": "t", "name": "done", "input": {"message": "ok"}});
                return Act::says(
                    &json!({"type": "message", "content": [block], "stop_reason": "tool_use"}),
                );
            }
            let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}});
            http("400 Bad Request", JSON, error.to_string())
        })
        .await;
        claude(&endpoint, "claude-opus-5-5").call(&step(), LIMIT).await.unwrap();
        assert_eq!(kinds(&endpoint), [TOOLSET, "computer_20251124", "computer_20250124"], "{said}");
    }
}

#[tokio::test]
async fn it_goes_back_when_the_endpoint_changes_its_mind() {
    let mut asked = 0;
    let endpoint = super::server::RawEndpoint::start(move |request: &Request| {
        asked += 1;
        let sent = request.body["tools"][0]["type"].as_str().unwrap_or_default();
        // Behind it the old host answers at first, and later the new one.
        let taken = if asked <= 2 { "computer_20251124" } else { TOOLSET };
        if sent == taken {
            let block =
                json!({"type": "tool_use", "id": "t", "name": "done", "input": {"message": "ok"}});
            return Act::says(
                &json!({"type": "message", "content": [block], "stop_reason": "tool_use"}),
            );
        }
        let error = json!({"error": {"message": format!("`{sent}` is not available")}});
        http("400 Bad Request", JSON, error.to_string())
    })
    .await;
    let model = claude(&endpoint, "claude-opus-5-5");
    for _ in 0..2 {
        model.call(&step(), LIMIT).await.unwrap();
    }
    assert_eq!(kinds(&endpoint), [TOOLSET, "computer_20251124", "computer_20251124", TOOLSET]);
}

#[tokio::test]
async fn a_key_that_is_to_be_pressed_several_times_is_not_pressed_once() {
    let endpoint = takes(&[TOOLSET]).await;
    let model = claude(&endpoint, "claude-opus-5-5");
    let read = |arguments: Value| {
        let call = ToolCall {
            id: "t".to_owned(),
            name: "computer.key".to_owned(),
            arguments: arguments.to_string(),
        };
        model.read(&Reply { calls: vec![call], ..Reply::default() }, SENT)
    };
    assert!(read(json!({"text": "Return", "repeat": 1})).is_ok());
    assert!(read(json!({"text": "Return", "repeat": 3})).is_err());
    assert!(read(json!({"text": "Return", "repeat": "x"})).is_err());
}
