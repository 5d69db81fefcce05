//! Several handshakes on one connection, as some bridges and clients make them.
use serde_json::json;

use super::{DONE, START, task, which_anna};
use crate::support::clients::LineClient;
use crate::support::fake_server::FakeServer;
use crate::support::within;

#[tokio::test]
async fn the_version_that_was_answered_last_holds() {
    let fake = FakeServer::new(which_anna());
    let forms = json!({ "elicitation": {} });
    let mut client = LineClient::old(&fake.server, forms.clone()).await;
    let again = json!({ "protocolVersion": "2026-07-28", "capabilities": forms,
        "clientInfo": { "name": "lines", "version": "0" } });
    let answer = client.ask("initialize", again).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    let pong = client.ask("ping", json!({})).await;
    assert_eq!(pong["result"], json!({}), "{pong}");
    let call = client.send("tools/call", json!({ "name": START, "arguments": task() })).await;
    let form = within(20, "the question", async {
        loop {
            let message = client.next().await;
            assert_ne!(message["id"], call, "{message}");
            if message["method"] == "elicitation/create" {
                return message;
            }
        }
    })
    .await;
    let says = json!({ "action": "accept", "content": { "reply": "Anna Berg" } });
    client.line(&json!({ "jsonrpc": "2.0", "id": form["id"], "result": says })).await;
    let done = within(20, "the task", client.answer(call)).await;
    assert_eq!(done["result"]["structuredContent"]["stop_reason"], DONE, "{done}");
}
