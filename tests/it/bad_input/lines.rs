//! Bad bytes at the doors of the real program.
use serde_json::json;

use crate::support::{Binary, within};

#[tokio::test(flavor = "multi_thread")]
async fn broken_lines_on_stdio_are_survived() {
    let binary = Binary::alone();
    let mut raw = binary.raw().await;
    let deep = "[".repeat(100_000);
    let lines: [&[u8]; 8] = [
        br#"{"jsonrpc": "2.0", "id": 107, "method": "#,
        b"GET / HTTP/1.1\r",
        b"{\"jsonrpc\":\"2.0\",\"id\":108,\"method\":\"\xff\xfe\"}",
        b"",
        b"17",
        b"null",
        br#"{"jsonrpc":"2.0","id":109,"method":"tools/call","params":[1,2]}"#,
        deep.as_bytes(),
    ];
    for line in lines {
        raw.line(line).await;
        let listed = raw.ask("tools/list", json!({})).await;
        assert!(listed["result"]["tools"].is_array(), "after {:?}", String::from_utf8_lossy(line));
    }
    raw.hang_up();
    assert_eq!(raw.end().await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_on_stdio_sends_no_long_text_back() {
    let binary = Binary::alone();
    let mut raw = binary.raw().await;
    let long = "x".repeat(100_000);
    for (method, params) in [
        ("skills/get", json!({ "uri": long })),
        ("logging/setLevel", json!({ "level": long })),
        (
            "completion/complete",
            json!({ "ref": { "type": long }, "argument": { "name": "a", "value": "" } }),
        ),
    ] {
        let refused = raw.ask(method, params).await;
        let text = refused["error"]["message"].as_str().unwrap();
        assert!(text.contains("xxx") && text.len() < 500, "{method}: {} bytes", text.len());
    }
    let mut raw = binary.modern();
    let modern = || crate::support::clients::modern(json!({}), &json!({}));
    raw.ask("tools/list", modern()).await;
    let refused = raw.ask("ping", modern()).await;
    assert_eq!(refused["error"]["message"], "unknown method `ping`", "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_10_mb_on_stdio_is_refused() {
    let binary = Binary::alone();
    let mut raw = binary.raw().await;
    let start = json!({ "device_id": "x", "task": "y".repeat(10_000_000) });
    let (failed, text) = raw.tool("ask_agent_start_new_task", start).await;
    assert!(failed && text.starts_with("`task` has 10000000 bytes"), "{text}");
    let (failed, _) = raw.tool("list_sessions", json!({})).await;
    assert!(!failed, "the server goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_20_mb_on_stdio_is_answered_with_an_error() {
    let binary = Binary::alone();
    let mut raw = binary.raw().await;
    let start = json!({ "device_id": "x", "task": "y".repeat(20_000_000) });
    let params = json!({ "name": "ask_agent_start_new_task", "arguments": start });
    let refused = raw.ask("tools/call", params).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.starts_with("the message is longer than"), "{text}");
    let (failed, _) = raw.tool("list_sessions", json!({})).await;
    assert!(!failed, "the server goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_10_mb_over_http_is_413_and_the_next_call_is_served() {
    let binary = Binary::alone().set("AYEAYE_HTTP_TOKEN", crate::process::TOKEN);
    let (mut child, url) = crate::process::serve_http(&binary).await;
    let http = crate::support::http();
    let post = |body: String| {
        http.post(&url)
            .bearer_auth(crate::process::TOKEN)
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .body(body)
            .send()
    };
    let big = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        { "name": "ask_agent_start_new_task",
          "arguments": { "device_id": "x", "task": "y".repeat(10_000_000) } } });
    let refused = within(20, "413", post(big.to_string())).await.unwrap();
    assert_eq!(refused.status(), 413);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        { "protocolVersion": "2025-06-18", "capabilities": {},
          "clientInfo": { "name": "raw", "version": "0" } } });
    assert_eq!(within(20, "hello", post(hello.to_string())).await.unwrap().status(), 200);
    let stranger = http.post(&url).body("{}").send().await.unwrap();
    assert_eq!(stranger.status(), 401, "no token, no service");
    child.start_kill().unwrap();
    child.wait().await.unwrap();
}
