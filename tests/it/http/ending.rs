//! SIGTERM, with a client that waits and one that only listens.
use serde_json::json;

use crate::process::{TOKEN, serve_http};
use crate::support::{Answer, Binary, FakeVlm, http, plugged_in, quick_phone, within};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_call_is_answered_and_an_idle_stream_holds_nothing_up() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let asked = std::sync::Arc::new(tokio::sync::Notify::new());
    let seen = asked.clone();
    let vlm = FakeVlm::start(move |_| {
        seen.notify_one();
        Answer::Silence
    })
    .await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_HTTP_TOKEN", TOKEN);
    let (mut child, url) = serve_http(&binary).await;
    let post = |body: String| {
        http()
            .post(&url)
            .bearer_auth(TOKEN)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(body)
    };
    let opened = post(INITIALIZE.to_owned()).send().await.unwrap();
    let id = opened.headers()["mcp-session-id"].clone();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
    let ready = post(ready).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(ready.status(), 202);
    let idle = http()
        .get(&url)
        .bearer_auth(TOKEN)
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &id)
        .send()
        .await
        .unwrap();
    assert_eq!(idle.status(), 200);
    let start = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ask_agent_start_new_task",
        "arguments": { "device_id": virtual_phone.serial(), "task": "wait for it" } } });
    let call = post(start.to_string()).header("mcp-session-id", &id).send().await.unwrap();
    within(20, "the model to be asked", asked.notified()).await;
    let pid = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
    assert!(sent.success());
    let text = within(10, "the answer", call.text()).await.unwrap();
    assert!(text.contains("session_id"), "{text}");
    within(10, "the end of the idle stream", idle.text()).await.unwrap();
    let status = within(10, "the end", child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    // What was under way is in the record, with its end.
    let listed = binary.run(&["sessions", "list"]).await;
    assert!(listed.out.contains("wait for it"), "{listed:?}");
}
