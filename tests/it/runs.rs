//! Runs and who follows them: waiting, following, advising, stopping, racing.
use std::sync::Arc;
use std::time::Duration;

use ayeaye::mcp::{Defaults, Server};
use ayeaye_phone::Trigger;
use rmcp::ClientHandler;
use rmcp::model::{CallToolRequestParams, ClientRequest, ProgressNotificationParam, Request};
use rmcp::service::{NotificationContext, PeerRequestOptions, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::support::{
    Answer, DEFAULTS, FakeVlm, LOOK_EVERY, Quiet, Rig, RigOptions, click, complete, connect, gelab,
    info, until, within,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";

async fn rig() -> Rig {
    Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await
}

/// Waits until the model has been asked so often.
async fn asked(rig: &Rig, times: usize) {
    rig.vlm.is_asked(times).await;
}

fn start_of(rig: &Rig, task: &str) -> Value {
    json!({ "device_id": rig.serial, "task": task, "wait_seconds": 0 })
}

#[tokio::test(flavor = "multi_thread")]
async fn all_steps_of_a_run_ask_the_model_on_one_connection() {
    let rig = rig().await;
    let clicks = (1..=5).map(|at| Answer::Says(click(100 * at, 400)));
    rig.vlm.then(clicks.chain([Answer::Says(complete("Done."))]).collect());
    assert_eq!(rig.start("Tap five times").await["stop_reason"], DONE);
    assert_eq!((rig.vlm.asked_count(), rig.vlm.connections()), (6, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_not_waited_for_goes_on_and_can_be_followed_and_advised() {
    let rig = rig().await;
    let gate = Arc::new(Notify::new());
    rig.vlm
        .then(vec![Answer::Held(gate.clone(), click(300, 400)), Answer::Says(complete("Done."))]);
    let begun = rig.call("ask_agent_start_new_task", start_of(&rig, "first")).await;
    assert_eq!(begun["stop_reason"], "STILL_RUNNING", "{begun}");
    assert!(begun["next"].as_str().unwrap().contains("to follow it"), "{begun}");
    let session = json!({ "session_id": begun["session_id"] });
    let devices = rig.call("list_connected_devices", json!({})).await;
    assert_eq!(devices["devices"][0]["busy"], true);
    assert_eq!(devices["devices"][0]["session_id"], begun["session_id"]);
    let looked = rig.call("get_session", session.clone()).await;
    assert_eq!(looked["stop_reason"], "STILL_RUNNING");

    asked(&rig, 1).await;
    let task = json!({ "session_id": begun["session_id"], "task": "second" });
    let text = rig.refused("ask_agent_continue", task).await;
    assert!(text.contains("is still running") && text.contains("stop_task"), "{text}");
    let advice = json!({ "reply_from_client": "take the blue one", "wait_seconds": 0 });
    assert_eq!(rig.go_on(&begun, advice).await["stop_reason"], "STILL_RUNNING");

    gate.notify_one();
    let done = rig.go_on(&begun, json!({})).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("take the blue one"), "heard at the next step: {told}");
    let devices = rig.call("list_connected_devices", json!({})).await;
    assert_eq!(devices["devices"][0]["busy"], false);
}

/// The arguments that `next` asks for, taken at its word.
fn told(result: &Value) -> Value {
    let next = result["next"].as_str().unwrap();
    assert!(next.contains("ask_agent_continue with"), "{next}");
    let (_, number) = next.split_once("session_id and call_number ").expect(next);
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap();
    json!({ "session_id": result["session_id"], "call_number": number[..end].parse::<i64>().unwrap() })
}

/// Some hosts end a turn at the fifth call in a row that is the same.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_what_next_says_never_makes_the_same_call_again() {
    let clicks = (1..=8).map(|at| Answer::Says(click(100 * at, 400))).collect();
    for (reason, max_steps, wait, answers) in [
        ("STILL_RUNNING", 20, Duration::ZERO, vec![Answer::Silence]),
        ("MAX_STEPS_REACHED", 1, Duration::from_mins(4), clicks),
    ] {
        let mut rig = rig().await;
        rig.vlm.then(answers);
        // The client asks for progress with each call.
        let defaults = Defaults { max_steps, wait, wait_with_progress: wait, ..DEFAULTS };
        rig.server = Server::new(rig.agent.clone(), defaults);
        rig.client = connect(rig.server.clone(), Quiet).await;
        let start = json!({ "device_id": rig.serial, "task": "Tap about" });
        let mut result = rig.call("ask_agent_start_new_task", start).await;
        let mut calls: Vec<Value> = Vec::new();
        for _ in 0..6 {
            assert_eq!(result["stop_reason"], reason, "{result}");
            let call = told(&result);
            assert!(!calls.contains(&call), "{call} after {calls:?}");
            result = rig.call("ask_agent_continue", call.clone()).await;
            calls.push(call);
        }
        let odd = json!({ "session_id": result["session_id"], "call_number": -7 });
        assert_eq!(told(&rig.call("ask_agent_continue", odd).await)["call_number"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_driven_is_busy_for_another_task_and_the_same_start_follows() {
    let rig = rig().await;
    let begun = rig.call("ask_agent_start_new_task", start_of(&rig, "first")).await;
    let id = begun["session_id"].as_str().unwrap();
    let text = rig.refused("ask_agent_start_new_task", start_of(&rig, "second")).await;
    let busy = format!("device {} is busy: session {id} is driving it\nhint: ", rig.serial);
    assert!(text.starts_with(&busy), "{text}");
    let same = rig.call("ask_agent_start_new_task", start_of(&rig, "first")).await;
    assert_eq!(
        (&same["session_id"], same["stop_reason"].as_str()),
        (&begun["session_id"], Some("STILL_RUNNING"))
    );
    let list = rig.call("list_sessions", json!({})).await;
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);
    let stopped = rig.call("stop_task", json!({ "session_id": id })).await;
    assert_eq!(stopped["stop_reason"], "CANCELLED", "{stopped}");
    let again = rig.call("stop_task", json!({ "session_id": id })).await;
    assert_eq!(again["stop_reason"], "CANCELLED", "a second stop changes nothing");
    rig.vlm.always(&complete("Done."));
    assert_eq!(rig.go_on(&begun, json!({})).await["stop_reason"], DONE);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_clients_that_race_for_a_phone_one_gets_it() {
    let rig = rig().await;
    let other = connect(rig.server.clone(), ()).await;
    let Value::Object(arguments) = start_of(&rig, "theirs") else { panic!("an object") };
    let theirs = CallToolRequestParams::new("ask_agent_start_new_task").with_arguments(arguments);
    let (ours, theirs) = tokio::join!(
        rig.raw_call("ask_agent_start_new_task", start_of(&rig, "ours")),
        other.peer().call_tool(theirs)
    );
    let (won, lost) = match (ours, theirs.unwrap()) {
        (ours, theirs) if ours.is_error == Some(true) => (theirs, ours),
        (ours, theirs) => (ours, theirs),
    };
    assert_ne!(won.is_error, Some(true), "{won:?}");
    assert_eq!(lost.is_error, Some(true), "{lost:?}");
    let facts = won.structured_content.unwrap();
    let text = &lost.content[0].as_text().unwrap().text;
    let session = facts["session_id"].as_str().unwrap();
    assert!(text.contains("is busy") && text.contains(session), "{text}");
    let list = rig.call("list_sessions", json!({})).await;
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "the other left nothing");
}

/// A call that can be taken back.
async fn cancellable(rig: &Rig, arguments: Value) -> rmcp::service::RequestHandle<RoleClient> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let params = CallToolRequestParams::new("ask_agent_start_new_task").with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let options = PeerRequestOptions::no_options();
    rig.client.peer().send_cancellable_request(request, options).await.unwrap()
}

/// The session when its run has stopped.
async fn stopped(rig: &Rig) -> Value {
    within(20, "the end of the run", async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            let list = rig.call("list_sessions", json!({})).await;
            match list["sessions"].as_array().unwrap().first() {
                Some(session) if session["stop_reason"] != "STILL_RUNNING" => {
                    return session.clone();
                }
                _ => drop(tick.tick().await),
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_stops_its_run_after_the_action_under_way_and_the_session_goes_on() {
    // Nothing but the gesture is to hang: no elements are asked for.
    let elements = ayeaye_agent::KeepElements::Never;
    let privacy = ayeaye_agent::PrivacySettings { elements, ..Default::default() };
    let options = RigOptions { privacy, ..RigOptions::quick() };
    let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, options).await;
    let faults = rig.virtual_phone.faults().clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        if moves == 2 {
            // The gesture that this decides is under way until the phone is released.
            faults.set(|plan| plan.hang_shell = Some(Trigger::NextInput));
        }
        // The server may read of the cancelling later than the phone is released.
        if moves <= 2 { Answer::Says(click(300, 300 + moves)) } else { Answer::Silence }
    });
    let start = json!({ "device_id": rig.serial, "task": "tap", "max_steps": 100 });
    let call = cancellable(&rig, start).await;
    rig.vlm.is_asked(2).await;
    until("the second gesture", || rig.virtual_phone.faults().plan().hang_shell.is_none()).await;
    call.cancel(Some("the user pressed escape".to_owned())).await.unwrap();
    rig.virtual_phone.faults().release();
    let session = stopped(&rig).await;
    assert_eq!(session["stop_reason"], "CANCELLED", "{session}");
    let taps = || rig.virtual_phone.phone().state().counts.taps;
    assert_eq!(taps(), 2, "the one under way is finished, no other is begun");
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&session, json!({})).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(taps(), 2, "nothing was made up for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_cancelled_while_the_model_thinks_does_nothing_more() {
    let rig = rig().await;
    let call = cancellable(&rig, json!({ "device_id": rig.serial, "task": "tap" })).await;
    asked(&rig, 1).await;
    call.cancel(None).await.unwrap();
    let session = stopped(&rig).await;
    assert_eq!(session["stop_reason"], "CANCELLED", "{session}");
    assert_eq!(rig.virtual_phone.phone().state().counts.taps, 0);
}

/// A client that passes progress on.
#[derive(Debug, Clone)]
struct Listener(mpsc::Sender<ProgressNotificationParam>);

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        assert!(self.0.try_send(params).is_ok(), "more progress than anybody wants");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_rises_and_tells_every_step() {
    let rig = rig().await;
    let (first, last) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    rig.vlm.then(vec![
        Answer::Says(click(300, 400)),
        Answer::Held(first.clone(), click(310, 410)),
        Answer::Held(last.clone(), complete("Done.")),
    ]);
    let (told, mut hear) = mpsc::channel(64);
    let client = connect(rig.server.clone(), Listener(told)).await;
    let Value::Object(arguments) = json!({ "device_id": rig.serial, "task": "tap" }) else {
        panic!("an object")
    };
    let params = CallToolRequestParams::new("ask_agent_start_new_task").with_arguments(arguments);
    let peer = client.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool(params).await });
    let mut all = Vec::new();
    for (step, gate) in [("step 1: tapped", first), ("step 2: tapped", last)] {
        within(20, step, async {
            loop {
                let progress = hear.recv().await.unwrap();
                let message = progress.message.clone().unwrap_or_default();
                all.push(progress);
                if message.contains(step) {
                    break;
                }
            }
        })
        .await;
        gate.notify_one();
    }
    let result = within(20, "the result", call).await.unwrap().unwrap();
    assert_eq!(result.structured_content.unwrap()["stop_reason"], DONE);
    assert!(all.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{all:?}");
    let words: Vec<_> = all.iter().filter_map(|it| it.message.as_deref()).collect();
    assert_eq!(words.iter().filter(|words| words.contains("step 1:")).count(), 1, "{words:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_tells_the_agent_to_go_on_by_itself() {
    let rig = rig().await;
    rig.vlm.then(vec![Answer::Says(info("Which one?")), Answer::Says(complete("Done."))]);
    let start = json!({ "device_id": rig.serial, "task": "tap", "reply_mode": "no_reply" });
    let done = rig.call("ask_agent_start_new_task", start).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("go on; ask nothing more"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_reply_lets_a_model_answer_as_the_user() {
    let rig = rig().await;
    rig.vlm.then(vec![
        Answer::Says(info("Which one?")),
        Answer::Says("The blue one.".to_owned()),
        Answer::Says(complete("Done.")),
    ]);
    let start = json!({ "device_id": rig.serial, "task": "buy socks", "reply_mode": "auto_reply" });
    let done = rig.call("ask_agent_start_new_task", start).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let asked = rig.vlm.asked();
    let answering = asked[1].to_string();
    for said in ["stand in for the user", "buy socks", "Which one?", "never agree to paying"] {
        assert!(answering.contains(said), "{said}: {answering}");
    }
    assert!(asked[2].to_string().contains("The blue one."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_no_model_answers_is_the_users() {
    let rig = rig().await;
    rig.vlm.then(vec![
        Answer::Says(info("Which one?")),
        Answer::Raw(401, "application/json", "{}".to_owned()),
        Answer::Says(complete("Done.")),
    ]);
    let start = json!({ "device_id": rig.serial, "task": "buy socks", "reply_mode": "auto_reply" });
    let failed = rig.call("ask_agent_start_new_task", start).await;
    assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{failed}");
    assert_eq!(failed["question"]["text"], "Which one?", "{failed}");
    let next = failed["next"].as_str().unwrap();
    assert!(next.starts_with("Ask your user") && next.contains("reply_from_client"), "{next}");
    let answer =
        json!({ "session_id": failed["session_id"], "reply_from_client": "The blue one." });
    assert_eq!(rig.call("ask_agent_continue", answer).await["stop_reason"], DONE);
}

#[tokio::test(flavor = "multi_thread")]
async fn manual_reply_waits_for_the_operator() {
    let rig = rig().await;
    rig.vlm.then(vec![Answer::Says(info("Which one?")), Answer::Says(complete("Done."))]);
    let mut start = start_of(&rig, "tap");
    start["reply_mode"] = json!("manual_reply");
    let begun = rig.call("ask_agent_start_new_task", start).await;
    let id = begun["session_id"].as_str().unwrap().parse().unwrap();
    let me = ayeaye_agent::Principal::local();
    within(20, "the question", async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        while rig.agent.report(id, &me).await.unwrap().question.is_none() {
            tick.tick().await;
        }
    })
    .await;
    let waits = rig.call("get_session", json!({ "session_id": begun["session_id"] })).await;
    assert_eq!(waits["stop_reason"], "STILL_RUNNING", "{waits}");
    for told in [&waits["message"], &waits["next"]] {
        assert!(told.as_str().unwrap().contains("operator at the server"), "{waits}");
    }
    let operator = ayeaye_agent::Principal::operator();
    let question = rig.agent.report(id, &operator).await.unwrap().asked_at_step;
    rig.agent.post_answer(id, question, "the blue one".to_owned(), &operator).await.unwrap();
    let done = rig.go_on(&begun, json!({})).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert!(rig.vlm.asked().pop().unwrap().to_string().contains("the blue one"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_what_words_mean_holds_after_an_end() {
    let rig = rig().await;
    rig.vlm.always(&complete("First."));
    let ended = rig.start("first").await;
    let calls = rig.vlm.asked_count();
    let told = rig.go_on(&ended, json!({})).await;
    assert_eq!((&told["message"], told["stop_reason"].as_str()), (&json!("First."), Some(DONE)));
    assert_eq!(rig.vlm.asked_count(), calls, "only told again");
    rig.vlm.always(&complete("Second."));
    let next = rig.go_on(&ended, json!({ "task": "second" })).await;
    assert_eq!((&next["message"], &next["task"]), (&json!("Second."), &json!("second")));
    let next = rig.go_on(&ended, json!({ "reply_from_client": "third" })).await;
    assert_eq!(next["task"], "third");
    rig.vlm.always(&click(300, 400));
    let short = rig.go_on(&ended, json!({ "task": "fourth", "max_steps": 2 })).await;
    assert_eq!(short["stop_reason"], "MAX_STEPS_REACHED");
    assert_eq!(short["local_step_idx"], 2);
    rig.vlm.always(&info("Which?"));
    let asked = rig.go_on(&ended, json!({})).await;
    assert_eq!(
        (&asked["task"], asked["question"]["text"].as_str()),
        (&json!("fourth"), Some("Which?"))
    );
    let calls = rig.vlm.asked_count();
    let again = rig.go_on(&ended, json!({})).await;
    assert_eq!(again["question"]["text"], "Which?");
    assert_eq!(rig.vlm.asked_count(), calls, "the question again");
    rig.vlm.always(&complete("Fifth."));
    let dropped = rig.go_on(&ended, json!({ "task": "fifth" })).await;
    assert_eq!((&dropped["task"], &dropped["question"]), (&json!("fifth"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_only_waits_asks_how_to_go_on() {
    let rig = rig().await;
    rig.vlm.always(&gelab("WAIT", "value:0.01", "waited"));
    let stuck = rig.start("wait").await;
    assert_eq!(stuck["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{stuck}");
    let question = stuck["question"]["text"].as_str().unwrap();
    assert!(question.contains("nothing but waiting, 16 times, on a screen"), "{question}");
    assert_eq!(rig.vlm.asked_count(), 16);
    assert!(rig.vlm.asked()[8].to_string().contains("You have waited 8 times"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_taps_the_same_place_for_ever_asks_how_to_go_on() {
    let rig = rig().await;
    rig.vlm.always(&click(5, 5));
    let stuck = rig.start("tap").await;
    assert_eq!(stuck["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{stuck}");
    let question = stuck["question"]["text"].as_str().unwrap();
    assert!(question.contains("I am stuck") && question.contains("Tap on "), "{question}");
    assert!(
        rig.vlm.asked().iter().any(|asked| asked.to_string().contains("screen has not changed"))
    );
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&stuck, json!({ "reply_from_client": "try the other" })).await;
    assert_eq!(done["stop_reason"], DONE);
    rig.vlm.always(&click(5, 5));
    let alone = json!({ "device_id": rig.serial, "task": "tap", "reply_mode": "no_reply" });
    let alone = rig.call("ask_agent_start_new_task", alone).await;
    assert_eq!(alone["stop_reason"], "NO_PROGRESS", "{alone}");
}
