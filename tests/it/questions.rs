//! Questions: every way in which one reaches a person, and every way in which the answer may not come.
use std::time::Duration;

use ayeaye_agent::{DeviceId, DirectAction, Gesture, Point, Principal, QuestionKind};
use rmcp::model::{CallToolResponse, CallToolResult, InputRequest, InputRequiredResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::support::clients::{
    Era, FakeUser, LineClient, UserAction, call_of, facts, modern, on_pipe, over_http, serve_as,
    tool_error_text,
};
use crate::support::fake_server::{
    FakeDecision, FakeServer, SERIAL, asks, asks_for, completes, taps,
};
use crate::support::{
    Answer, Binary, FakeVlm, complete as completed, info, one_by_one, plugged_in, quick_phone,
    within,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const ASKS: &str = "INFO_ACTION_NEEDS_REPLY";
const START: &str = "ask_agent_start_new_task";
const CONTINUE: &str = "ask_agent_continue";
const ERAS: [Era; 2] = [Era::Old, Era::New];

type Client = RunningService<RoleClient, FakeUser>;

fn task() -> Value {
    json!({ "device_id": SERIAL, "task": "Text Anna" })
}

fn which_anna() -> [FakeDecision; 2] {
    [asks("Which Anna?"), completes("Told her.")]
}

/// Starts a task and returns what the client is to ask.
async fn asked(client: &Client, arguments: Value) -> InputRequiredResult {
    match client.call_tool_once(call_of(START, arguments)).await.unwrap() {
        CallToolResponse::InputRequired(asked) => asked,
        other => panic!("{other:?}"),
    }
}

/// Calls again, as a client does that has an answer.
async fn retry(
    client: &Client,
    tool: &'static str,
    arguments: Value,
    state: &str,
    answer: Value,
) -> CallToolResponse {
    let answers = [("reply".to_owned(), answer)].into();
    let call = call_of(tool, arguments).with_request_state(state).with_input_responses(answers);
    client.call_tool_once(call).await.unwrap()
}

fn says(text: &str) -> Value {
    json!({ "action": "accept", "content": { "reply": text } })
}

fn complete(answer: CallToolResponse) -> CallToolResult {
    match answer {
        CallToolResponse::Complete(result) => result,
        other => panic!("{other:?}"),
    }
}

fn structured_result(answer: CallToolResponse) -> Value {
    crate::support::clients::structured_result(complete(answer))
}

fn waits(facts: &Value, asked: Option<&str>) {
    assert_eq!(facts["stop_reason"], ASKS, "{facts}");
    assert_eq!(facts["question"]["asked"].as_str(), asked, "{facts}");
}

#[tokio::test]
async fn a_person_answers_in_a_form_and_the_same_call_ends_the_task() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let client = on_pipe(&fake.server, &user, era).await;
        let done = facts(&client, START, task()).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        assert_eq!(fake.model.user_replies(), ["Anna Berg"], "{era:?}");
        let [form] = user.forms().try_into().unwrap();
        let message = form["message"].as_str().unwrap();
        for part in ["Which Anna?", "Text Anna", "com.example.chat", "may try to deceive"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert_eq!(form["requestedSchema"]["properties"]["reply"]["type"], "string");
        let list = facts(&client, "list_sessions", json!({})).await;
        assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{era:?}: {list}");
    }
}

#[tokio::test]
async fn a_person_answers_in_a_form_over_http() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let served = serve_as(&fake.server, Principal::local()).await;
        let client = over_http(&served.url, None, &user, era).await;
        let call = facts(&client, START, task());
        let done = within(30, "the task", call).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        assert_eq!(fake.model.user_replies(), ["Anna Berg"], "{era:?}");
    }
}

#[tokio::test]
async fn a_client_without_forms_gets_the_question_as_a_result() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([]).without_forms();
        let client = on_pipe(&fake.server, &user, era).await;
        let question = facts(&client, START, task()).await;
        waits(&question, None);
        let notice = question["question"]["notice"].as_str().unwrap();
        assert!(notice.contains("may try to deceive"), "{notice}");
        assert_eq!(question["question"]["app"], "com.example.chat");
        let answer = json!({ "session_id": question["session_id"], "reply_from_client": "Berg" });
        let done = facts(&client, CONTINUE, answer).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
    }
}

/// Kind, text and options of a question; the choices of its form, what is said, what the agent hears.
type Case =
    (QuestionKind, &'static str, &'static [&'static str], Value, &'static str, &'static str);

#[tokio::test]
async fn each_kind_of_question_has_its_form() {
    let password = "What is the password for Nimbus?";
    let cases: [Case; 5] = [
        (
            QuestionKind::Info,
            "Which one?",
            &["the red one", "the blue one", "the red one"],
            json!(["the red one", "the blue one"]),
            "the blue one",
            "the blue one",
        ),
        (QuestionKind::Confirm, "Send it?", &[], json!(["yes", "no"]), "yes", "yes"),
        (
            QuestionKind::Takeover,
            "Solve the puzzle",
            &[],
            json!(["done", "give up"]),
            "done",
            "I have done it myself",
        ),
        (
            QuestionKind::Info,
            password,
            &[],
            json!(["done", "give up"]),
            "done",
            "I have done it myself",
        ),
        (QuestionKind::Info, "What is her name?", &[], Value::Null, "Zoe", "Zoe"),
    ];
    for (kind, text, options, choices, answer, heard) in cases {
        for era in ERAS {
            let fake = FakeServer::new([asks_for(kind, text, options), completes("Done.")]);
            let user = FakeUser::new([UserAction::Says(answer)]);
            let client = on_pipe(&fake.server, &user, era).await;
            let done = facts(&client, START, task()).await;
            assert_eq!(done["stop_reason"], DONE, "{text}: {done}");
            let form = &user.forms()[0];
            let field = &form["requestedSchema"]["properties"]["reply"];
            assert_eq!((&field["type"], &field["enum"]), (&json!("string"), &choices), "{text}");
            assert_eq!(form["requestedSchema"]["required"], json!(["reply"]));
            let said = fake.model.user_replies();
            assert!(said[0].starts_with(heard), "{text}: {said:?}");
            let by_hand = choices == json!(["done", "give up"]);
            let message = form["message"].as_str().unwrap();
            assert_eq!(message.contains("on the phone yourself"), by_hand, "{message}");
            assert_eq!(message.contains("Do not write it here"), text == password, "{message}");
        }
    }
}

#[tokio::test]
async fn a_person_who_declines_leaves_the_session_waiting() {
    let ways = [
        (UserAction::Declines, "declined"),
        (UserAction::Cancels, "declined"),
        (UserAction::Says("give up"), "given_up"),
    ];
    for (does, asked) in ways {
        for era in ERAS {
            let takeover = asks_for(QuestionKind::Takeover, "Sign in", &[]);
            let fake = FakeServer::new([takeover, completes("Done.")]);
            let user = FakeUser::new([does.clone(), UserAction::Says("done")]);
            let client = on_pipe(&fake.server, &user, era).await;
            let question = facts(&client, START, task()).await;
            waits(&question, Some(asked));
            assert_eq!(user.forms().len(), 1, "asked once in a call");
            assert_eq!(fake.model.calls(), 1, "the agent was told nothing");
            let go_on = json!({ "session_id": question["session_id"] });
            let done = facts(&client, CONTINUE, go_on).await;
            assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        }
    }
}

#[tokio::test]
async fn a_client_that_fails_to_ask_gets_the_question_as_a_result() {
    let fake = FakeServer::new(which_anna());
    let user = FakeUser::new([UserAction::Fails]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    waits(&facts(&client, START, task()).await, Some("not_shown"));
}

#[tokio::test]
async fn what_does_not_fit_the_form_is_asked_again_and_not_for_ever() {
    for era in ERAS {
        let fake =
            FakeServer::new([asks_for(QuestionKind::Confirm, "Send?", &[]), completes("Sent.")]);
        let wrong = [json!({ "reply": "perhaps" }), json!({ "reply": 7 }), json!({})];
        let does = wrong.map(UserAction::Sends).into_iter().chain([UserAction::Says("no")]);
        let user = FakeUser::new(does);
        let client = on_pipe(&fake.server, &user, era).await;
        assert_eq!(facts(&client, START, task()).await["stop_reason"], DONE, "{era:?}");
        assert_eq!((fake.model.user_replies(), user.forms().len()), (vec!["no".to_owned()], 4));

        let fake = FakeServer::new([asks_for(QuestionKind::Confirm, "Send?", &[])]);
        let user = FakeUser::new((0..20).map(|_| UserAction::Says("perhaps")));
        let client = on_pipe(&fake.server, &user, era).await;
        let given_up = facts(&client, START, task()).await;
        assert_eq!(given_up["stop_reason"], ASKS, "{era:?}: {given_up}");
        assert_eq!(user.forms().len(), 8, "{era:?}");
    }
}

#[tokio::test]
async fn after_eight_questions_of_one_call_the_ninth_is_its_result() {
    for era in ERAS {
        let questions = (1..=9).map(|number| asks(&format!("Question {number}?")));
        let fake = FakeServer::new(questions.chain([completes("Done.")]));
        let user = FakeUser::new((0..20).map(|_| UserAction::Says("so")));
        let client = on_pipe(&fake.server, &user, era).await;
        let ninth = facts(&client, START, task()).await;
        waits(&ninth, Some("too_many"));
        assert_eq!(ninth["question"]["text"], "Question 9?");
        assert_eq!((user.forms().len(), fake.model.user_replies().len()), (8, 8), "{era:?}");
        let go_on = json!({ "session_id": ninth["session_id"] });
        assert_eq!(facts(&client, CONTINUE, go_on).await["stop_reason"], DONE, "{era:?}");
    }
}

#[tokio::test]
async fn steps_of_a_call_are_counted_over_its_answers() {
    for era in ERAS {
        let lines = [taps(1), taps(2), asks("Which?"), taps(3), taps(4), taps(5)];
        let fake = FakeServer::new(lines);
        let user = FakeUser::new([UserAction::Says("that one")]);
        let client = on_pipe(&fake.server, &user, era).await;
        let mut arguments = task();
        arguments["max_steps"] = json!(5);
        let stopped = facts(&client, START, arguments).await;
        assert_eq!(stopped["stop_reason"], "MAX_STEPS_REACHED", "{era:?}: {stopped}");
        assert_eq!((&stopped["global_step_idx"], fake.device.gestures()), (&json!(5), 4));
    }
}

#[tokio::test]
async fn a_question_for_the_operator_is_not_put_to_the_client() {
    for mode in ["auto_reply", "manual_reply"] {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let client = on_pipe(&fake.server, &user, Era::Old).await;
        let mut arguments = task();
        arguments["reply_mode"] = json!(mode);
        arguments["wait_seconds"] = json!(1);
        facts(&client, START, arguments).await;
        assert_eq!(user.forms(), Vec::<Value>::new(), "{mode}");
    }
}

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
    let late = structured_result(retry(&client, START, task(), &state, says("Meier")).await);
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
    let sessions = fake.agent.sessions(&Principal::local(), 1).await.unwrap();
    let acting = fake.agent.act(DirectAction {
        device_id: DeviceId::new(SERIAL),
        session_id: Some(sessions[0].0),
        gesture: Gesture::Click { point: Point::new(500, 500).unwrap() },
        reason: String::new(),
        secret: false,
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
    let adb_device = quick_phone();
    let (adb, _guard) = plugged_in(&adb_device).await;
    let script = vec![Answer::Says(info("Which Anna?")), Answer::Says(completed("Told her."))];
    let vlm = FakeVlm::start(one_by_one(script)).await;
    let binary = Binary::with(adb, &vlm);
    let can = json!({ "elicitation": { "form": {} } });
    let mut call = json!({ "name": START,
        "arguments": { "device_id": adb_device.serial(), "task": "Text Anna" } });
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
    assert_eq!(vlm.asked().len(), 2, "it is only told again");
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
            *fake.device.away.lock().unwrap() = true;
        };
        let (result, ()) = tokio::join!(call, unplug);
        let text = tool_error_text(&result.unwrap());
        let parts = ["was not delivered to session", "stays open", "is not connected"];
        assert!(parts.iter().all(|part| text.contains(part)), "{era:?}: {text}");
        *fake.device.away.lock().unwrap() = false;
        let list = facts(&client, "list_sessions", json!({})).await;
        let session = &list["sessions"][0]["session_id"];
        let answer = json!({ "session_id": session, "reply_from_client": "Berg" });
        assert_eq!(facts(&client, CONTINUE, answer).await["stop_reason"], DONE, "{era:?}");
    }
}

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
        let sessions = fake.agent.sessions(&Principal::local(), 1).await.unwrap();
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
