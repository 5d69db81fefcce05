//! Cancelled calls and clients that hang up, in each era: what goes on, and what waits.
use std::sync::Arc;

use ayeaye_agent::{AgentError, Principal, SessionId, StopReason};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::clients::{LineClient, modern, serve_as};
use crate::support::fake_server::{FakeServer, SERIAL, asks, completes, presses_home, taps};
use crate::support::{LOOK_EVERY, http, within};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const START: &str = "ask_agent_start_new_task";
const CONTINUE: &str = "ask_agent_continue";

fn start() -> Value {
    json!({ "name": START, "arguments": { "device_id": SERIAL, "task": "Text Anna" } })
}

fn cancelled(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

/// Waits until the one session there is has stopped.
async fn stopped(fake: &FakeServer) -> (SessionId, StopReason) {
    let local = Principal::local();
    within(20, "the end of the run", async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            let sessions = fake.agent.listed(&local, None, 2).await.unwrap().sessions;
            if let [(id, Ok(brief))] = sessions.as_slice()
                && brief.stop_reason() != StopReason::StillRunning
            {
                return (*id, brief.stop_reason());
            }
            tick.tick().await;
        }
    })
    .await
}

#[tokio::test]
async fn a_cancelled_call_stops_its_run_and_the_session_can_go_on() {
    for era in ["old", "new"] {
        let gate = Arc::new(Notify::new());
        let fake = FakeServer::new([taps(1), taps(2).held(&gate)]);
        let mut client = LineClient::of(&fake.server, era, json!({})).await;
        let params = if era == "new" { modern(start(), &json!({})) } else { start() };
        let call = client.send("tools/call", params).await;
        fake.model.wait_for_calls(2).await;
        client.line(&cancelled(call)).await;
        let (session, reason) = stopped(&fake).await;
        assert_eq!((reason, fake.device.gestures()), (StopReason::Cancelled, 1), "{era}");
        fake.model.extend([completes("Done.")]);
        let go_on = json!({ "name": CONTINUE, "arguments": { "session_id": session.to_string() } });
        let params = if era == "new" { modern(go_on, &json!({})) } else { go_on };
        let done = client.ask("tools/call", params).await;
        assert_eq!(done["result"]["structuredContent"]["stop_reason"], DONE, "{era}: {done}");
    }
}

/// Waits until nothing has the phone, by an act, and says which tasks there are.
async fn tasks_once_free(fake: &FakeServer) -> Vec<String> {
    let local = Principal::local();
    within(20, "the end of what was cancelled", async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            match fake.agent.act(presses_home(local.clone())).await {
                Ok(mut acting) => return acting.finished().await,
                Err(AgentError::DeviceBusy { .. }) => {}
                Err(err) => panic!("{err}"),
            }
            tick.tick().await;
        }
    })
    .await;
    let sessions = fake.agent.listed(&local, None, 9).await.unwrap().sessions;
    sessions.iter().map(|(_, it)| it.as_ref().unwrap().task().to_owned()).collect()
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_its_run_begins_leaves_no_task_behind() {
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.")]);
    let mut client = LineClient::of(&fake.server, "new", json!({})).await;
    let mut cancel = async |params: Value| {
        let gate = Arc::new(Notify::new());
        fake.device.open_behind(&gate);
        let call = client.send("tools/call", modern(params, &tasks)).await;
        fake.device.is_wanted().await;
        client.line(&cancelled(call)).await;
        // Whoever is answered now was read behind the cancel.
        client.ask("tools/list", modern(json!({}), &tasks)).await;
        gate.notify_one();
    };
    cancel(start()).await;
    assert_eq!(tasks_once_free(&fake).await, ["Direct control by the client"]);

    // Nor is an answer used up.
    let mut old = LineClient::old(&fake.server, json!({})).await;
    let asked = old.ask("tools/call", start()).await;
    let session = &asked["result"]["structuredContent"]["session_id"];
    let arguments = json!({ "session_id": session, "reply_from_client": "Berg" });
    let answer = json!({ "name": CONTINUE, "arguments": arguments });
    cancel(answer.clone()).await;
    tasks_once_free(&fake).await;
    assert_eq!((fake.model.calls(), fake.model.user_replies().len()), (1, 0));
    let done = old.ask("tools/call", answer).await;
    assert_eq!(done["result"]["structuredContent"]["stop_reason"], DONE, "{done}");
    assert_eq!(fake.model.user_replies(), ["Berg"]);
}

/// An act that has the phone until the gate is opened.
async fn act_behind(fake: &FakeServer, gate: &Arc<Notify>) -> tokio::task::JoinHandle<()> {
    fake.device.open_behind(gate);
    let act = presses_home(Principal::local());
    let agent = fake.agent.clone();
    let acting = tokio::spawn(async move { agent.act(act).await.unwrap().finished().await });
    fake.device.is_wanted().await;
    acting
}

#[tokio::test(start_paused = true)]
async fn a_start_that_waits_for_an_act_says_so_in_time_and_the_same_call_follows_it() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([completes("Done.")]);
    let acting = act_behind(&fake, &gate).await;
    let mut client = LineClient::old(&fake.server, json!({})).await;
    let mut params = start();
    params["arguments"]["wait_seconds"] = 1.into();
    let told = client.ask("tools/call", params).await;
    let text = told["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("the task has not begun yet") && text.contains("same call"), "{told}");
    gate.notify_one();
    acting.await.unwrap();
    let done = client.ask("tools/call", start()).await;
    assert_eq!(done["result"]["structuredContent"]["stop_reason"], DONE, "{done}");
    let sessions = fake.agent.listed(&Principal::local(), None, 9).await.unwrap().sessions;
    assert_eq!((sessions.len(), fake.model.calls()), (2, 1), "one is the act's");
}

#[tokio::test]
async fn a_start_that_is_cancelled_while_it_waits_for_an_act_does_nothing() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([taps(1)]);
    let acting = act_behind(&fake, &gate).await;
    let mut client = LineClient::old(&fake.server, json!({})).await;
    let call = client.send("tools/call", start()).await;
    client.line(&cancelled(call)).await;
    // Whoever is answered now was read behind the cancel.
    client.ask("tools/list", json!({})).await;
    gate.notify_one();
    acting.await.unwrap();
    assert_eq!(tasks_once_free(&fake).await, ["Direct control by the client"]);
    assert_eq!((fake.device.gestures(), fake.model.calls()), (2, 0), "of the acts alone");
}

#[tokio::test]
async fn a_call_that_is_cancelled_over_a_form_leaves_the_session_waiting() {
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.")]);
    let mut client = LineClient::of(&fake.server, "old", json!({ "elicitation": {} })).await;
    let call = client.send("tools/call", start()).await;
    let form = loop {
        let message = client.next().await;
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    client.line(&cancelled(call)).await;
    // The form is taken back.
    let taken_back = loop {
        let message = client.next().await;
        if message["method"] == "notifications/cancelled" {
            break message;
        }
    };
    assert_eq!(taken_back["params"]["requestId"], form["id"]);
    // An answer that was on its way is nobody's any more.
    let late = json!({ "action": "accept", "content": { "reply": "Meier" } });
    client.line(&json!({ "jsonrpc": "2.0", "id": form["id"], "result": late })).await;
    let (session, reason) = stopped(&fake).await;
    assert_eq!((reason, fake.model.calls()), (StopReason::InfoActionNeedsReply, 1));
    let reply = json!({ "session_id": session.to_string(), "reply_from_client": "Berg" });
    let done = client.tool(CONTINUE, reply).await;
    assert_eq!(
        (&done["stop_reason"], fake.model.user_replies()),
        (&json!(DONE), vec!["Berg".to_owned()])
    );
}

#[tokio::test]
async fn a_cancel_that_comes_after_the_answer_changes_nothing() {
    for era in ["old", "new"] {
        let gate = Arc::new(Notify::new());
        let fake = FakeServer::new([taps(1).held(&gate), completes("Done.")]);
        let mut client = LineClient::of(&fake.server, era, json!({})).await;
        let mut call = start();
        call["arguments"]["wait_seconds"] = json!(0);
        let params = if era == "new" { modern(call, &json!({})) } else { call };
        let id = client.send("tools/call", params).await;
        let running = client.answer(id).await;
        let running = &running["result"]["structuredContent"];
        assert_eq!(running["stop_reason"], "STILL_RUNNING", "{era}");
        client.line(&cancelled(id)).await;
        gate.notify_one();
        let (_, reason) = stopped(&fake).await;
        assert_eq!(reason, StopReason::TaskCompletedSuccessfully, "{era}");
    }
}

/// Sends a call over HTTP and hangs up when the model is being asked.
async fn hang_up(fake: &FakeServer, modern_era: bool) {
    let served = serve_as(&fake.server, Principal::local()).await;
    let post = |body: Value, headers: Vec<(&'static str, String)>| {
        let mut request = http()
            .post(&served.url)
            .header("accept", "application/json, text/event-stream")
            .json(&body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send()
    };
    let of = |id: u64, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let (body, headers) = if modern_era {
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", START),
        ];
        (
            of(1, "tools/call", modern(start(), &json!({}))),
            headers.map(|(n, v)| (n, v.to_owned())).to_vec(),
        )
    } else {
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "http", "version": "0" } });
        let answer = post(of(0, "initialize", hello), vec![]).await.unwrap();
        let session = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        drop(answer.bytes().await.unwrap());
        let session = ("mcp-session-id", session);
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        post(begun, vec![session.clone()]).await.unwrap();
        (of(1, "tools/call", start()), vec![session])
    };
    tokio::select! {
        // Dropping what was sent so far closes its connection.
        answer = async { post(body, headers).await.unwrap().bytes().await } => panic!("{answer:?}"),
        () = fake.model.wait_for_calls(1) => {}
    }
    // The server lives on until the run has heard of it.
    tokio::spawn(async move {
        let _served = served;
        std::future::pending::<()>().await;
    });
}

#[tokio::test]
async fn hanging_up_stops_a_modern_call_and_leaves_an_older_one_at_work() {
    for modern_era in [true, false] {
        let gate = Arc::new(Notify::new());
        let fake = FakeServer::new([taps(1).held(&gate), completes("Done.")]);
        within(20, "hanging up", hang_up(&fake, modern_era)).await;
        if !modern_era {
            gate.notify_one();
        }
        let (_, reason) = stopped(&fake).await;
        let expected =
            if modern_era { StopReason::Cancelled } else { StopReason::TaskCompletedSuccessfully };
        assert_eq!(reason, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_phone_keeps_nobody_from_reading_or_stopping_the_session_that_goes_on_with_it() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([completes("One."), completes("Two.")]);
    let mut client = LineClient::old(&fake.server, json!({})).await;
    let done = client.ask("tools/call", start()).await["result"]["structuredContent"].clone();
    let session = json!({ "session_id": done["session_id"] });
    let more = json!({ "session_id": session["session_id"], "task": "more", "wait_seconds": 0 });
    let call = |name: &str, arguments: &Value| json!({ "name": name, "arguments": arguments });
    let stands = |answer: Value| answer["result"]["structuredContent"]["stop_reason"].clone();

    within(60, "the answers without the phone", async {
        for stops in [true, false] {
            fake.device.open_behind(&gate);
            let going_on = client.send("tools/call", call(CONTINUE, &more)).await;
            fake.device.is_wanted().await;
            // The phone is silent until the gate is opened.
            let list = client.ask("tools/call", call("list_sessions", &json!({}))).await;
            let listed = &list["result"]["structuredContent"]["sessions"][0];
            assert_eq!(listed["stop_reason"], "STILL_RUNNING", "{list}");
            let looked = client.ask("tools/call", call("get_session", &session)).await;
            assert_eq!(stands(looked), "STILL_RUNNING");
            if stops {
                let stopped = client.ask("tools/call", call("stop_task", &session)).await;
                assert_eq!(stands(stopped), DONE, "as it stood before");
                let told = client.answer(going_on).await.to_string();
                assert!(told.contains("was stopped before it went on"), "{told}");
            } else {
                let told = client.answer(going_on).await.to_string();
                assert!(told.contains("has not gone on yet"), "{told}");
                gate.notify_one();
            }
        }
    })
    .await;
    let followed = client.ask("tools/call", call(CONTINUE, &session)).await;
    let followed = &followed["result"]["structuredContent"];
    assert_eq!((&followed["message"], &followed["task"]), (&json!("Two."), &json!("more")));
    assert_eq!(fake.model.calls(), 2, "what was stopped has not begun");
}
