//! Two principals on one server see nothing of each other, and what one guesses of the other's is
//! answered like what never was.
use std::sync::Arc;

use ayeaye_agent::SessionId;
use ayeaye_phone::Trigger;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Served, give_tokens};
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, http, info, until, within};

const ANNA: &str = "annas-token-0123456789";
const BEN: &str = "bens-token-0123456789x";

/// A client with a token, in the protocol without sessions.
struct Client<'a> {
    served: &'a Served,
    token: &'static str,
}

impl Client<'_> {
    /// Sends a request; the whole answer as it came.
    async fn send(&self, method: &str, name: &str, mut params: Value) -> String {
        params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {} });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = http()
            .post(self.served.url())
            .bearer_auth(self.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .json(&body);
        if !name.is_empty() {
            request = request.header("mcp-name", name);
        }
        let answer = within(30, method, request.send()).await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        format!("{status}\n{text}")
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.send("tools/call", tool, json!({ "name": tool, "arguments": arguments })).await
    }

    async fn read(&self, uri: &str) -> String {
        self.send("resources/read", uri, json!({ "uri": uri })).await
    }

    /// Calls a tool that must not fail, and returns its facts.
    async fn facts(&self, tool: &str, arguments: Value) -> Value {
        let text = self.call(tool, arguments).await;
        let json = text.lines().find_map(|line| {
            let line = line.strip_prefix("data:").unwrap_or(line).trim();
            line.starts_with('{').then(|| serde_json::from_str::<Value>(line).unwrap())
        });
        let facts = json.expect("an answer")["result"]["structuredContent"].clone();
        assert!(facts.is_object(), "{tool}: {text}");
        facts
    }
}

async fn rig() -> (Rig, Served) {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    give_tokens(rig.data.path(), &format!("anna {ANNA}\nben {BEN}\n"));
    let served = Served::new(rig.server.clone(), rig.data.path(), |_| {}).await;
    (rig, served)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_principal_sees_anything_of_another() {
    let (rig, served) = rig().await;
    let client = |token| Client { served: &served, token };
    let (anna, ben, local) = (client(ANNA), client(BEN), client(TOKEN));
    rig.vlm.always(&info("Which Carla?"));
    let start = json!({ "device_id": rig.serial, "task": "Tell Carla about the party" });
    let asked = anna.facts("ask_agent_start_new_task", start.clone()).await;
    let id = asked["session_id"].as_str().unwrap().to_owned();
    let listed = anna.call("list_sessions", json!({})).await;
    assert!(listed.contains(&id) && listed.contains("Carla"), "{listed}");
    let uri = asked["screenshot_uri"].as_str().unwrap().to_owned();
    assert!(anna.read(&uri).await.contains("\"blob\""));

    for other in [&ben, &local] {
        let facts = other.facts("list_sessions", json!({})).await;
        assert_eq!(facts["sessions"], json!([]));
        let never = SessionId::new().to_string();
        let of = |id: &str| uri.replace(uri.split('/').nth(3).unwrap(), id);
        assert_eq!(of(&id), uri);
        assert_eq!(
            other.read(&of(&id)).await.replace(&id, "ID"),
            other.read(&of(&never)).await.replace(&never, "ID")
        );
        for (tool, more) in [
            ("get_session", json!({})),
            ("stop_task", json!({})),
            ("ask_agent_continue", json!({})),
            ("ask_agent_continue", json!({ "reply_from_client": "Carla Berg" })),
            ("ask_agent_continue", json!({ "task": "Open the settings" })),
        ] {
            let with = |id: &str| {
                let mut arguments = more.clone();
                arguments["session_id"] = json!(id);
                arguments
            };
            let theirs = other.call(tool, with(&id)).await;
            let none = other.call(tool, with(&never)).await;
            assert!(theirs.contains("isError\":true"), "{tool}: {theirs}");
            assert_eq!(theirs.replace(&id, "ID"), none.replace(&never, "ID"), "{tool}");
        }
    }
    // The question still waits, and its answer is taken from whom it was asked.
    rig.vlm.always(&complete("Told her."));
    let reply = json!({ "session_id": id, "reply_from_client": "Carla Berg" });
    let done = anna.facts("ask_agent_continue", reply).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_somebody_drives_tells_nothing_but_that() {
    let (rig, served) = rig().await;
    let client = |token| Client { served: &served, token };
    let (anna, ben) = (client(ANNA), client(BEN));
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    rig.vlm.now(move |_| Answer::Held(held.clone(), complete("Done.")));
    let start = |task: &str| json!({ "device_id": rig.serial, "task": task, "wait_seconds": 0 });
    let run = anna.facts("ask_agent_start_new_task", start("Buy roses for Carla")).await;
    let id = run["session_id"].as_str().unwrap();
    let hers = anna.call("list_connected_devices", json!({})).await;
    assert!(hers.contains(id), "{hers}");
    let phone = json!({ "device_id": rig.serial });
    for told in [
        ben.call("list_connected_devices", json!({})).await,
        ben.call("get_screenshot", phone.clone()).await,
        ben.call("ask_agent_start_new_task", start("Open the settings")).await,
        ben.call("list_sessions", json!({})).await,
    ] {
        for secret in [id, "roses", "Carla", "anna"] {
            assert!(!told.contains(secret), "{secret}: {told}");
        }
        assert!(!told.contains("\"type\":\"image\""), "{told}");
    }
    gate.notify_one();
    let end = anna.facts("ask_agent_continue", json!({ "session_id": id })).await;
    assert_eq!(end["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    // Free again, and still nothing of hers.
    let picture = ben.call("get_screenshot", phone).await;
    assert!(picture.contains("\"type\":\"image\""), "{picture}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_somebody_s_run_overtakes_shows_nothing_of_it() {
    let (rig, served) = rig().await;
    let client = |token| Client { served: &served, token };
    let (anna, ben) = (client(ANNA), client(BEN));
    let faults = rig.virtual_phone.faults();
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    rig.vlm.now(move |_| Answer::Held(held.clone(), complete("Done.")));
    faults.set(|plan| plan.hang_capture = Some(Trigger::Next));
    let meanwhile = async {
        until("the look has begun", || faults.plan().hang_capture.is_none()).await;
        let start = json!({ "device_id": rig.serial, "task": "Write to Carla", "wait_seconds": 0 });
        let run = anna.facts("ask_agent_start_new_task", start).await;
        rig.vlm.is_asked(1).await;
        faults.release();
        run
    };
    let phone = json!({ "device_id": rig.serial });
    let (seen, run) = tokio::join!(ben.call("get_screenshot", phone), meanwhile);
    assert!(!seen.contains("\"type\":\"image\""), "{}", seen.len());
    assert!(seen.contains("is busy: somebody else") && !seen.contains("stop_task"), "{seen}");
    gate.notify_one();
    let end = json!({ "session_id": run["session_id"] });
    anna.facts("ask_agent_continue", end).await;
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;

/// A request in a session; status, headers that are not about time, and body.
async fn in_session(
    served: &Served,
    token: &str,
    method: reqwest::Method,
    session: Option<&str>,
    more: &[(&'static str, &str)],
    body: &'static str,
) -> (u16, Vec<(String, String)>, String) {
    let mut request = http()
        .request(method, served.url())
        .bearer_auth(token)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body);
    if let Some(id) = session {
        request = request.header("mcp-session-id", id);
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    let answer = within(20, "an answer", request.send()).await.unwrap();
    let headers = answer
        .headers()
        .iter()
        .filter(|(name, _)| *name != "date")
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    (answer.status().as_u16(), headers, within(20, "its end", answer.text()).await.unwrap())
}

async fn open(served: &Served, token: &str) -> String {
    let post = reqwest::Method::POST;
    let (status, headers, _) = in_session(served, token, post, None, &[], INITIALIZE).await;
    assert_eq!(status, 200);
    let id = headers.into_iter().find(|(name, _)| name == "mcp-session-id").expect("a session").1;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let post = reqwest::Method::POST;
    let (status, ..) = in_session(served, token, post, Some(&id), &[], ready).await;
    assert_eq!(status, 202);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_protocol_is_its_openers_alone() {
    let (_rig, served) = rig().await;
    let hers = open(&served, ANNA).await;
    let never = "0b8f0d8e-2f4c-4b06-9d6b-3f2d8a1c7e55";
    for (method, body) in [
        (reqwest::Method::POST, LIST),
        (reqwest::Method::POST, INITIALIZE),
        (
            reqwest::Method::POST,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        ),
        (reqwest::Method::GET, ""),
        (reqwest::Method::DELETE, ""),
    ] {
        for token in [BEN, TOKEN] {
            let ask = |id| in_session(&served, token, method.clone(), Some(id), &[], body);
            let (theirs, none) = (ask(&hers).await, ask(never).await);
            assert_eq!(theirs, none, "{method} {body}");
            assert_eq!(theirs.0, 404, "{method} {body}");
        }
    }
    let post = reqwest::Method::POST;
    let (status, _, text) = in_session(&served, ANNA, post.clone(), Some(&hers), &[], LIST).await;
    assert!(status == 200 && text.contains("get_session"), "hers goes on: {text}");
    // An event that she was sent, asked for in a session of his own.
    let event = text.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim();
    let his = open(&served, BEN).await;
    let (stream, number) = event.rsplit_once('/').unwrap();
    let first = format!("{stream}/{}", number.parse::<u64>().unwrap() - 1);
    let since = async |token, session: &str, event: &str| {
        let more = [("last-event-id", event)];
        in_session(&served, token, reqwest::Method::GET, Some(session), &more, "").await
    };
    let hers_again = since(ANNA, &hers, &first).await;
    assert!(hers_again.2.contains("get_session"), "{hers_again:?}");
    let stolen = since(BEN, &his, &first).await;
    assert_eq!(stolen, since(BEN, &his, &format!("{never}/{number}")).await);
    assert_eq!(stolen.0, 405, "nothing is there for him: {stolen:?}");
    let (status, ..) =
        in_session(&served, ANNA, reqwest::Method::DELETE, Some(&hers), &[], "").await;
    assert_eq!(status, 204, "not 202, which the Python SDK takes for a failure");
    let (status, ..) = in_session(&served, ANNA, post, Some(&hers), &[], LIST).await;
    assert_eq!(status, 404, "ended by whom it belongs to");
}
