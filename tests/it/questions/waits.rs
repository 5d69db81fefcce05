//! How long a call waits for an answer, and what its client hears meanwhile.
use std::time::Duration;

use ayeaye_agent::Principal;
use serde_json::{Value, json};

use super::{CONTINUE, DONE, START, task, waits, which_anna};
use crate::support::clients::{Era, FakeUser, LineClient, UserAction, facts, on_pipe};
use crate::support::fake_server::{FakeServer, asks, completes, taps};

#[tokio::test(start_paused = true)]
async fn nobody_who_answers_is_waited_for_as_long_as_the_call_may_take() {
    let forms = json!({ "elicitation": {} });
    for (token, waited) in [(None, 45), (Some(7), 300)] {
        let fake = FakeServer::new(which_anna());
        let mut client = LineClient::old(&fake.server, forms.clone()).await;
        let mut call = json!({ "name": START, "arguments": task() });
        if let Some(token) = token {
            call["_meta"] = json!({ "progressToken": token });
        }
        let begun = tokio::time::Instant::now();
        let answer = client.ask("tools/call", call).await;
        let question = &answer["result"]["structuredContent"];
        waits(question, Some("no_answer"));
        let after = begun.elapsed().as_secs();
        assert!((waited - 1..=waited + 10).contains(&after), "{token:?}: {after} s");
        let methods: Vec<_> =
            client.others.iter().map(|it| it["method"].as_str().unwrap()).collect();
        assert_eq!(methods.iter().filter(|it| **it == "elicitation/create").count(), 1);
        let beats = methods.iter().filter(|it| **it == "notifications/progress").count();
        assert_eq!(token.is_some(), 14 < beats, "a sign of life every 20 s: {beats}");
        // The form is taken back, before or after the answer.
        let pong = client.ask("ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
        let taken_back = client.others.iter().any(|it| it["method"] == "notifications/cancelled");
        assert!(taken_back, "{:?}", client.others);
        let numbers: Vec<f64> =
            client.others.iter().filter_map(|it| it["params"]["progress"].as_f64()).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        let reply = json!({ "session_id": question["session_id"], "reply_from_client": "Berg" });
        assert_eq!(client.tool(CONTINUE, reply).await["stop_reason"], DONE);
    }
}

#[tokio::test(start_paused = true)]
async fn a_form_that_nobody_answers_is_no_reason_to_tell_what_was_answered_elsewhere() {
    let fake = FakeServer::new(which_anna());
    let mut silent = LineClient::old(&fake.server, json!({ "elicitation": {} })).await;
    let other = on_pipe(&fake.server, &FakeUser::new([]).without_forms(), Era::Old).await;
    let call = json!({ "name": START, "arguments": task() });
    let elsewhere = async {
        fake.model.wait_for_calls(1).await;
        let sessions = fake.agent.listed(&Principal::local(), None, 1).await.unwrap().sessions;
        let session = json!({ "session_id": sessions[0].0.to_string() });
        waits(&facts(&other, CONTINUE, session.clone()).await, None);
        let mut answer = session;
        answer["reply_from_client"] = json!("Berg");
        facts(&other, CONTINUE, answer).await
    };
    let (told, done) = tokio::join!(silent.ask("tools/call", call), elsewhere);
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(told["result"]["structuredContent"], done);
}

#[tokio::test(start_paused = true)]
async fn a_form_is_taken_back_when_its_question_is_answered_elsewhere() {
    let slow = taps(1).after(Duration::from_secs(3));
    let fake = FakeServer::new([asks("Which Anna?"), slow, completes("Told her.")]);
    let mut silent = LineClient::old(&fake.server, json!({ "elicitation": {} })).await;
    let other = on_pipe(&fake.server, &FakeUser::new([]).without_forms(), Era::Old).await;
    let begun = tokio::time::Instant::now();
    let call = json!({ "name": START, "arguments": task() });
    let call = silent.send("tools/call", call).await;
    let form = loop {
        let message = silent.next().await;
        if message["method"] == "elicitation/create" {
            break message["id"].clone();
        }
    };
    let sessions = fake.agent.listed(&Principal::local(), None, 1).await.unwrap().sessions;
    let answer = json!({ "session_id": sessions[0].0.to_string(), "reply_from_client": "Berg" });
    let (told, done) = tokio::join!(silent.answer(call), facts(&other, CONTINUE, answer));
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(told["result"]["structuredContent"], done);
    let taken_back =
        |it: &Value| it["method"] == "notifications/cancelled" && it["params"]["requestId"] == form;
    assert!(silent.others.iter().any(taken_back), "{:?}", silent.others);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn whoever_does_not_wait_is_shown_no_form_that_holds_the_call() {
    let fake = FakeServer::new(which_anna());
    let user = FakeUser::new([UserAction::Declines, UserAction::Says("Berg")]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    let question = facts(&client, START, task()).await;
    let session = json!({ "session_id": question["session_id"], "wait_seconds": 0 });
    waits(&facts(&client, CONTINUE, session).await, None);
    assert_eq!(user.forms().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn progress_rises_over_a_question_and_ends_with_the_answer() {
    let lines =
        [taps(1), asks("Which?"), taps(2).after(Duration::from_secs(30)), completes("Done.")];
    let fake = FakeServer::new(lines);
    let user = FakeUser::new([UserAction::Says("that one")]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    let done = facts(&client, START, task()).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = user.progress();
    assert!(told.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{told:?}");
    assert!(2 <= told.len(), "{told:?}");
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(user.progress().len(), told.len(), "none after the answer");
}

#[tokio::test(start_paused = true)]
async fn each_of_several_quick_steps_is_told_on_a_line_of_its_own() {
    let slow = completes("Done.").after(Duration::from_secs(5));
    let fake = FakeServer::new([taps(40), taps(80), taps(120), slow]);
    let user = FakeUser::new([]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    let done = facts(&client, START, task()).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = user.progress();
    assert!(told.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{told:?}");
    let lines = told.iter().filter_map(|it| it.message.as_deref());
    let steps: Vec<_> = lines.filter_map(|it| it.strip_prefix("step ")?.get(..2)).collect();
    assert_eq!(steps, ["1:", "2:", "3:"], "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn the_last_step_is_told_by_the_result_alone() {
    let slow = |step: i64| taps(step * 40).after(Duration::from_secs(5));
    let fake = FakeServer::new([slow(1), slow(2), slow(3)]);
    let user = FakeUser::new([]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    let mut arguments = task();
    arguments["max_steps"] = json!(3);
    let paused = facts(&client, START, arguments).await;
    assert_eq!(paused["stop_reason"], "MAX_STEPS_REACHED", "{paused}");
    let told: Vec<_> = user.progress().into_iter().filter_map(|it| it.message).collect();
    let is_told = |step: &str| told.iter().any(|it| it.contains(step));
    assert!(is_told("step 1:") && is_told("step 2:"), "{told:?}");
    assert!(!is_told("step 3:"), "a client may read it together with the result: {told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_ten_minute_task_ends_for_a_client_that_gives_up_at_a_minute() {
    let steps = (0..20).map(|step| taps(step * 40).after(Duration::from_secs(30)));
    let fake = FakeServer::new(steps.chain([completes("Done.")]));
    // It shows nothing and sends no progress token.
    let mut client = LineClient::old(&fake.server, json!({})).await;
    let begun = tokio::time::Instant::now();
    let mut arguments = json!({ "name": START, "arguments": task() });
    arguments["arguments"]["max_steps"] = json!(40);
    let mut calls = 0;
    let facts = loop {
        calls += 1;
        let asked = client.ask("tools/call", arguments);
        let answer = tokio::time::timeout(Duration::from_mins(1), asked).await;
        let facts = answer.expect("no call takes a minute")["result"]["structuredContent"].clone();
        if facts["stop_reason"] != "STILL_RUNNING" {
            break facts;
        }
        let session = json!({ "session_id": facts["session_id"] });
        arguments = json!({ "name": CONTINUE, "arguments": session });
    };
    assert_eq!(facts["stop_reason"], DONE, "{facts}");
    assert_eq!((&facts["global_step_idx"], fake.device.gestures()), (&json!(21), 20));
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    assert!((10.0..12.0).contains(&minutes) && 10 <= calls, "{calls} calls in {minutes} min");
    assert_eq!(client.others, Vec::<Value>::new(), "nothing it did not ask for");
}
