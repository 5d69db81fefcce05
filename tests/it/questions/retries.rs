//! Answers that come with a retry of the call: late, twice, after a restart or to the wrong call.
use ayeaye_agent::{Agreed, DeviceId, DirectAction, Gesture, Point, Principal, QuestionKind};
use rmcp::model::{CallToolResponse, InputRequest};
use serde_json::json;

use super::{
    CONTINUE, DONE, ERAS, START, asked, complete, retry, says, structured_result, task, waits,
    which_anna,
};
use crate::support::clients::{
    Era, FakeUser, UserAction, call_of, facts, modern, on_pipe, over_http, serve_as,
    tool_error_text,
};
use crate::support::fake_server::{FakeServer, SERIAL, asks, asks_for, completes};
use crate::support::{
    Answer, Binary, FakeVlm, complete as completed, info, one_by_one, plugged_in, quick_phone,
};

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_with_the_same_question() {
    let fake = FakeServer::new(which_anna());
    let client = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let first = asked(&client, task()).await;
    let state = first.request_state.clone().unwrap();
    let unanswered = call_of(START, task()).with_request_state(&state);
    let CallToolResponse::InputRequired(again) = client.call_tool_once(unanswered).await.unwrap()
    else {
        panic!("nothing was answered")
    };
    assert_eq!(again.input_requests, first.input_requests);
    assert!(matches!(again.input_requests.unwrap()["reply"], InputRequest::Elicitation(_)));
    let state = again.request_state.unwrap();
    let done = structured_result(retry(&client, START, task(), &state, says("Berg")).await);
    assert_eq!(done["stop_reason"], DONE, "{done}");
}

#[tokio::test]
async fn an_answer_that_comes_twice_is_given_once() {
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.").held(&gate)]);
    let client = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let state = asked(&client, task()).await.request_state.unwrap();
    let mut short = task();
    short["wait_seconds"] = json!(0);
    // The state belongs to the call as it was made.
    let other = complete(retry(&client, START, short, &state, says("Berg")).await);
    assert!(tool_error_text(&other).contains("nothing was started"));
    let once = retry(&client, START, task(), &state, says("Berg"));
    let twice = async {
        fake.model.wait_for_calls(2).await;
        let late = retry(&client, START, task(), &state, says("Meier"));
        // The retry has left when the model is let go on.
        tokio::join!(late, async { gate.notify_one() }).0
    };
    let (once, twice) = tokio::join!(once, twice);
    let (once, twice) = (structured_result(once), structured_result(twice));
    assert_eq!((&once["stop_reason"], &twice), (&json!(DONE), &once), "it only followed");
    assert_eq!(fake.model.user_replies(), ["Berg"]);
    // And after the end as well.
    let late = complete(retry(&client, START, task(), &state, says("Meier")).await);
    let said = late.content.last().unwrap().as_text().unwrap();
    assert!(said.text.contains("was not passed on"), "{}", said.text);
    let late = late.structured_content.unwrap();
    assert_eq!((&late["stop_reason"], &late["session_id"]), (&json!(DONE), &once["session_id"]));
    assert_eq!((fake.model.user_replies(), fake.model.calls()), (vec!["Berg".to_owned()], 2));
    let list = facts(&client, "list_sessions", json!({})).await;
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{list}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_while_the_client_acts_itself_is_not_lost() {
    let fake = FakeServer::new(which_anna());
    let client = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let state = asked(&client, task()).await.request_state.unwrap();
    let sessions = fake.agent.listed(&Principal::local(), None, 1).await.unwrap().sessions;
    let acting = fake.agent.act(DirectAction {
        device_id: DeviceId::new(SERIAL),
        session_id: Some(sessions[0].0),
        gesture: Gesture::Click { point: Point::new(500, 500).unwrap() },
        reason: String::new(),
        secret: false,
        agreed: Agreed::Nothing,
        by_hand: false,
        principal: Principal::local(),
    });
    let mut acting = acting.await.unwrap();
    let done = structured_result(retry(&client, START, task(), &state, says("Berg")).await);
    acting.finished().await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(fake.model.user_replies(), ["Berg"]);
}

#[tokio::test]
async fn a_state_is_good_for_its_call_and_its_principal_only() {
    let fake = FakeServer::new(which_anna());
    let mine = serve_as(&fake.server, Principal::new("anna")).await;
    let other = serve_as(&fake.server, Principal::new("eve")).await;
    let anna = over_http(&mine.url, None, &FakeUser::new([]), Era::New).await;
    let eve = over_http(&other.url, None, &FakeUser::new([]), Era::New).await;
    let state = asked(&anna, task()).await.request_state.unwrap();
    let mut tampered = state.clone();
    let middle = tampered.len() / 2;
    let flipped = if &tampered[middle..=middle] == "A" { "B" } else { "A" };
    tampered.replace_range(middle..=middle, flipped);
    let mut other_task = task();
    other_task["task"] = json!("Text Eve");
    let long = "x".repeat(100_000);
    let session = json!({ "session_id": "0199a1b2-0000-7000-8000-000000000000" });
    for (what, client, tool, arguments, state) in [
        ("tampered", &anna, START, task(), tampered.as_str()),
        ("another task", &anna, START, other_task, &state),
        ("another tool", &anna, CONTINUE, session, &state),
        ("another principal", &eve, START, task(), &state),
        ("garbage", &anna, START, task(), "garbage"),
        ("too long", &anna, START, task(), &long),
        ("empty", &anna, START, task(), ""),
    ] {
        let answer = retry(client, tool, arguments, state, says("Berg")).await;
        let text = tool_error_text(&complete(answer));
        assert!(text.contains("nothing was started"), "{what}: {text}");
    }
    let stateless =
        call_of(START, task()).with_input_responses([("reply".to_owned(), says("Berg"))].into());
    let answer = complete(anna.call_tool_once(stateless).await.unwrap());
    assert!(tool_error_text(&answer).contains("without the `requestState`"));
    for client in [&anna, &eve] {
        let list = facts(client, "list_sessions", json!({})).await;
        let mine = usize::from(std::ptr::eq(client, &raw const anna));
        assert_eq!(list["sessions"].as_array().unwrap().len(), mine, "{list}");
    }
    assert_eq!(fake.model.calls(), 1, "nothing was started, nothing was answered");
    let done = structured_result(retry(&anna, START, task(), &state, says("Berg")).await);
    assert_eq!(done["stop_reason"], DONE);
}

#[tokio::test]
async fn a_state_is_good_after_a_restart_and_not_for_another_installation() {
    let fake = FakeServer::new([asks("Which Anna?")]);
    let client = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let state = asked(&client, task()).await.request_state.unwrap();
    let elsewhere = FakeServer::new([]);
    let client = on_pipe(&elsewhere.server, &FakeUser::new([]), Era::New).await;
    let refused = complete(retry(&client, START, task(), &state, says("Berg")).await);
    assert!(tool_error_text(&refused).contains("nothing was started"));
    let next = fake.restarted([completes("Told her.")]);
    let client = on_pipe(&next.server, &FakeUser::new([]), Era::New).await;
    let done = structured_result(retry(&client, START, task(), &state, says("Berg")).await);
    assert_eq!(
        (&done["stop_reason"], next.model.user_replies()),
        (&json!(DONE), vec!["Berg".to_owned()])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_takes_the_answer_when_it_is_back() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let script = vec![Answer::Says(info("Which Anna?")), Answer::Says(completed("Told her."))];
    let vlm = FakeVlm::start(one_by_one(script)).await;
    let binary = Binary::with(adb, &vlm);
    let can = json!({ "elicitation": { "form": {} } });
    let mut call = json!({ "name": START,
        "arguments": { "device_id": virtual_phone.serial(), "task": "Text Anna" } });
    let mut raw = binary.modern();
    let asked = raw.ask("tools/call", modern(call.clone(), &can)).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    raw.kill().await;
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({ "reply": says("Berg") });
    let mut raw = binary.modern();
    let done = raw.ask("tools/call", modern(call.clone(), &can)).await;
    assert_eq!(done["result"]["structuredContent"]["stop_reason"], DONE, "{done}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Berg"));
    let again = raw.ask("tools/call", modern(call, &can)).await;
    assert_eq!(again["result"]["structuredContent"]["message"], "Told her.", "{again}");
    assert_eq!(vlm.asked_count(), 2, "it is only told again");
}

#[tokio::test]
async fn a_client_that_shows_forms_no_more_is_not_asked_again() {
    let fake = FakeServer::new(which_anna());
    let client = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let state = asked(&client, task()).await.request_state.unwrap();
    let silent = on_pipe(&fake.server, &FakeUser::new([]).without_forms(), Era::New).await;
    let again = call_of(START, task()).with_request_state(&state);
    let CallToolResponse::Complete(told) = silent.call_tool_once(again).await.unwrap() else {
        panic!("it shows no forms")
    };
    waits(&told.structured_content.unwrap(), None);
    let old = on_pipe(&fake.server, &FakeUser::new([]), Era::Old).await;
    let odd =
        structured_result(retry(&old, START, task(), &state, json!({ "action": "shrug" })).await);
    waits(&odd, Some("not_understood"));
}

#[tokio::test]
async fn an_answer_that_cannot_be_delivered_is_not_lost_silently() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Berg")]);
        let client = on_pipe(&fake.server, &user, era).await;
        let call = client.call_tool(call_of(START, task()));
        let unplug = async {
            // The run has its phone; the next one will not.
            fake.model.wait_for_calls(1).await;
            fake.device.set_away(true);
        };
        let (result, ()) = tokio::join!(call, unplug);
        let text = tool_error_text(&result.unwrap());
        let parts = ["was not delivered to session", "stays open", "is not connected"];
        assert!(parts.iter().all(|part| text.contains(part)), "{era:?}: {text}");
        fake.device.set_away(false);
        let list = facts(&client, "list_sessions", json!({})).await;
        let session = &list["sessions"][0]["session_id"];
        let answer = json!({ "session_id": session, "reply_from_client": "Berg" });
        assert_eq!(facts(&client, CONTINUE, answer).await["stop_reason"], DONE, "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_is_said_again_answers_no_question_that_no_result_has_told() {
    let confirms = |text| asks_for(QuestionKind::Confirm, text, &[]);
    for told in [false, true] {
        let fake =
            FakeServer::new([confirms("Pay 12?"), confirms("Pay 40?"), completes("Paid twice.")]);
        let user = FakeUser::new([]).without_forms();
        let client = on_pipe(&fake.server, &user, Era::Old).await;
        let first = facts(&client, START, task()).await;
        assert_eq!(first["question"]["text"], "Pay 12?", "{first}");
        let session = &first["session_id"];
        let yes = |wait: u32| json!({ "session_id": session, "reply_from_client": "yes", "wait_seconds": wait });
        if told {
            let second = facts(&client, CONTINUE, yes(45)).await;
            assert_eq!(second["question"]["text"], "Pay 40?", "{second}");
        } else {
            let goes_on = facts(&client, CONTINUE, yes(0)).await;
            assert_eq!(goes_on["stop_reason"], "STILL_RUNNING", "{goes_on}");
            let session = session.as_str().unwrap().parse().unwrap();
            let local = Principal::local();
            fake.agent.follow(session, &local).await.expect("it goes on").finished().await;
            let again = facts(&client, CONTINUE, yes(45)).await;
            waits(&again, None);
            assert_eq!(again["question"]["text"], "Pay 40?", "{again}");
            assert_eq!(fake.model.calls(), 2);
        }
        let paid = facts(&client, CONTINUE, yes(45)).await;
        assert_eq!(paid["stop_reason"], DONE, "{paid}");
        assert_eq!(fake.model.user_replies(), ["yes", "yes"]);
    }
}
