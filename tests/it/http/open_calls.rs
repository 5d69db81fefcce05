//! How many calls a client may leave open in the protocols with sessions, where they outlive their connections.
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::Served;
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, http, within};

/// A client with a session.
struct Client<'a> {
    served: &'a Served,
    http: reqwest::Client,
    session: Option<String>,
}

impl<'a> Client<'a> {
    async fn new(served: &'a Served) -> Self {
        let mut client = Self { served, http: http(), session: None };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } });
        let answer = client.send(0, "initialize", hello).await;
        client.session = Some(answer.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        client
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let request = request
            .bearer_auth(TOKEN)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25");
        match &self.session {
            Some(id) => request.header("mcp-session-id", id),
            None => request,
        }
    }

    /// Sends a request; its answer once that has begun.
    async fn send(&self, id: u32, method: &str, params: Value) -> reqwest::Response {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let request = self.with_headers(self.http.post(self.served.url())).json(&body);
        let answer = within(30, method, request.send()).await.unwrap();
        assert_eq!(answer.status(), 200, "{method}");
        answer
    }

    async fn ping(&self) -> String {
        within(30, "a pong", self.send(999, "ping", json!({})).await.text()).await.unwrap()
    }

    /// What follows an event.
    async fn resume(&self, event: &str) -> String {
        let request = self.with_headers(self.http.get(self.served.url()));
        let answer = within(30, "a stream", request.header("last-event-id", event).send()).await;
        within(30, "its end", answer.unwrap().text()).await.unwrap()
    }
}

/// The id of a stream's first event.
async fn first_event(answer: reqwest::Response) -> String {
    let (mut stream, mut seen) = (answer.bytes_stream(), String::new());
    loop {
        if let Some((line, _)) = seen.split_once("id:").and_then(|(_, rest)| rest.split_once('\n'))
        {
            return line.trim().to_owned();
        }
        let more = within(30, "an event", stream.next()).await.unwrap().unwrap();
        seen.push_str(std::str::from_utf8(&more).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_outlive_their_connections_are_bounded_and_go_on() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    let gate = Arc::new(Notify::new());
    rig.vlm.then(vec![Answer::Held(gate.clone(), complete("Done."))]);
    let served = Served::new(rig.server.clone(), rig.data.path(), |_| {}).await;
    let start = json!({ "device_id": rig.serial, "task": "look", "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", start).await;

    let client = Client::new(&served).await;
    let follow = json!({ "name": "ask_agent_continue",
        "arguments": { "session_id": begun["session_id"], "wait_seconds": 3600 } });
    let mut events = Vec::new();
    for id in 1..=256 {
        // The connection ends as soon as the call is there.
        events.push(first_event(client.send(id, "tools/call", follow.clone()).await).await);
    }
    let refused = client.send(257, "tools/call", follow.clone()).await;
    let refused = within(30, "a refusal", refused.text()).await.unwrap();
    for says in ["256 requests of this session are open", "lost connection", "cancel one"] {
        assert!(refused.contains(says), "{says}: {refused}");
    }
    assert!(refused.contains(r#""id":257"#) && refused.contains("-32600"), "{refused}");
    assert!(client.ping().await.contains("are open"), "whatever it asks");
    let another = Client::new(&served).await;
    assert!(another.ping().await.contains(r#""result""#), "another session has its own");

    gate.notify_one();
    for event in [&events[0], &events[255]] {
        let text = client.resume(event).await;
        assert!(text.contains("TASK_COMPLETED_SUCCESSFULLY"), "{text}");
    }
    let answered = async { while !client.ping().await.contains(r#""result""#) {} };
    within(30, "room for a call", answered).await;
}
