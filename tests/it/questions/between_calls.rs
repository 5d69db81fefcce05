//! What others do to a session between two calls of the client that follows it, or while its form is open.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{DeviceId, Principal, SessionId, StopReason};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{CONTINUE, DONE, START, task, which_anna};
use crate::support::clients::{Era, FakeUser, LineClient, facts, on_pipe};
use crate::support::fake_server::{FakeServer, SERIAL, asks, completes, taps};

/// What becomes of a run while nobody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    Stopped,
    Paused,
    TakenOver,
}

#[tokio::test(start_paused = true)]
async fn who_follows_a_run_learns_that_it_was_stopped_before_it_goes_on() {
    let says = |told: &Value, words: &str| {
        let next = told["next"].as_str().unwrap();
        assert!(next.contains(words), "{next}");
    };
    for meanwhile in [Meanwhile::Stopped, Meanwhile::Paused, Meanwhile::TakenOver] {
        let fake = FakeServer::new([taps(1).held(&Arc::new(Notify::new())), completes("Done.")]);
        let client = on_pipe(&fake.server, &FakeUser::new([]), Era::Old).await;
        let mut short = task();
        short["wait_seconds"] = json!(1);
        let running = facts(&client, START, short).await;
        assert_eq!(running["stop_reason"], "STILL_RUNNING", "{running}");
        let session = json!({ "session_id": running["session_id"] });
        let id = running["session_id"].as_str().unwrap().parse().unwrap();
        let (me, device) = (Principal::local(), DeviceId::new(SERIAL));
        let reason = match meanwhile {
            Meanwhile::Stopped => {
                // As the page does.
                fake.agent.end_task(id, &me).await.unwrap();
                "CANCELLED"
            }
            Meanwhile::Paused => {
                fake.agent.stop(id, StopReason::UserPaused, &me).await.unwrap();
                "USER_PAUSED"
            }
            Meanwhile::TakenOver => {
                fake.agent.take_in_hand(&device, Some(id), &me).await.unwrap();
                "USER_PAUSED"
            }
        };
        let told = facts(&client, CONTINUE, session.clone()).await;
        assert_eq!(told["stop_reason"], reason, "{told}");
        if meanwhile == Meanwhile::TakenOver {
            says(&told, "A person is driving this phone by hand");
            says(&facts(&client, "get_session", session.clone()).await, "takes it from them");
            assert!(fake.agent.hold_on(&device, &me).is_some(), "the person has it still");
        } else {
            says(&told, "sk your user before you go on");
        }
        let done = facts(&client, CONTINUE, session).await;
        assert_eq!(done["stop_reason"], DONE, "{meanwhile:?}: {done}");
    }
}

/// Waits until a client has been sent a form, and returns its id.
async fn form(client: &mut LineClient) -> Value {
    loop {
        let message = client.next().await;
        if message["method"] == "elicitation/create" {
            return message["id"].clone();
        }
    }
}

fn is_taken_back(client: &LineClient, form: &Value) -> bool {
    let is_it = |it: &Value| {
        it["method"] == "notifications/cancelled" && it["params"]["requestId"] == *form
    };
    client.others.iter().any(is_it)
}

async fn only_session(fake: &FakeServer) -> SessionId {
    fake.agent.listed(&Principal::local(), None, 1).await.unwrap().sessions[0].0
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_left_is_taken_while_a_form_is_open() {
    let fake = FakeServer::new(which_anna());
    let mut silent = LineClient::old(&fake.server, json!({ "elicitation": {} })).await;
    let begun = tokio::time::Instant::now();
    let call = silent.send("tools/call", json!({ "name": START, "arguments": task() })).await;
    let form = form(&mut silent).await;
    let id = only_session(&fake).await;
    let number = fake.agent.report(id, &Principal::local()).await.unwrap().asked_at_step;
    // As `ayeaye sessions answer` does, in a process of its own.
    let other = fake.restarted([]);
    let berg = "Berg".to_owned();
    other.agent.post_answer(id, number, berg, &Principal::operator()).await.unwrap();
    let told = silent.answer(call).await;
    assert_eq!(told["result"]["structuredContent"]["stop_reason"], DONE, "{told}");
    assert_eq!(fake.model.user_replies(), ["Berg"]);
    assert!(is_taken_back(&silent, &form), "{:?}", silent.others);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_request_is_told_as_one() {
    let fake = FakeServer::new([asks("Which Anna?"), completes("Timer set.")]);
    let mut silent = LineClient::old(&fake.server, json!({ "elicitation": {} })).await;
    let call = silent.send("tools/call", json!({ "name": START, "arguments": task() })).await;
    form(&mut silent).await;
    let other = on_pipe(&fake.server, &FakeUser::new([]).without_forms(), Era::Old).await;
    let id = only_session(&fake).await;
    let next = json!({ "session_id": id.to_string(), "task": "Set a timer" });
    let (told, done) = tokio::join!(silent.answer(call), facts(&other, CONTINUE, next));
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = &told["result"];
    assert_eq!(told["structuredContent"], done);
    let note = told["content"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
    assert!(note.contains("replaced by another one"), "{note}");
}
