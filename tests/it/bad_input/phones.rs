//! A phone that does what it should not.
use std::time::{Duration, Instant};

use ayeaye_phone::{LinkState, Trigger};
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, info};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
/// Of one capture and of one command.
const LIMIT: Duration = Duration::from_secs(1);

/// A session that waits on a question, on a phone that is not waited for long.
async fn waiting() -> (Rig, Value) {
    let usual = RigOptions::quick();
    let adb = ayeaye_adb::Limits { shell: LIMIT, capture: LIMIT, wake: LIMIT, ..usual.adb };
    let limits =
        ayeaye_agent::Limits { device_wait: Duration::from_secs(2), ..usual.limits.clone() };
    // No other command than the one that is meant is to run into a fault.
    let elements = ayeaye_agent::KeepElements::Never;
    let privacy = ayeaye_agent::PrivacySettings { elements, ..usual.privacy };
    let options = RigOptions { limits, adb, privacy, ..usual };
    let rig = Rig::with(FakeVlm::start(|_| Answer::Says(info("Ready?"))).await, options).await;
    let asked = rig.start("do it").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    rig.vlm.always(&complete("Done."));
    (rig, asked)
}

async fn reply(rig: &Rig, session: &Value) -> Value {
    let begun = Instant::now();
    let result = rig.go_on(session, json!({ "reply_from_client": "yes" })).await;
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}: {result}", begun.elapsed());
    result
}

/// Once the phone is well again, the same session comes to its end.
async fn goes_on(rig: &Rig, session: &Value) {
    let done = rig.go_on(session, json!({})).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(done["session_id"], session["session_id"]);
}

/// A click while this is wrong with the phone, then the end of the task.
async fn click_while(rig: &Rig, session: &Value, wrong: fn(&mut ayeaye_phone::FaultPlan)) -> Value {
    let faults = rig.virtual_phone.faults().clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        if moves == 1 {
            faults.set(wrong);
            return Answer::Says(click(300, 400));
        }
        Answer::Says(complete("Done."))
    });
    reply(rig, session).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_hangs_is_given_up_and_can_come_back() {
    let (rig, asked) = waiting().await;
    rig.virtual_phone.faults().set(|plan| plan.hang_capture = Some(Trigger::Every));
    let lost = reply(&rig, &asked).await;
    assert_eq!(lost["stop_reason"], "DEVICE_LOST", "{lost}");
    let message = lost["message"].as_str().unwrap();
    assert!(message.contains("did not answer a screenshot within 1.0 s"), "{message}");
    assert!(lost["next"].as_str().unwrap().contains("When it is back"), "{lost}");
    rig.virtual_phone.faults().release();
    goes_on(&rig, &asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screenshot_of_a_phone_that_hangs_is_an_error_inside_its_limit() {
    let (rig, asked) = waiting().await;
    rig.virtual_phone.faults().set(|plan| plan.hang_capture = Some(Trigger::Next));
    let text = rig.refused("get_screenshot", json!({ "device_id": rig.serial })).await;
    assert!(text.contains("within 1.0 s\nhint: "), "{text}");
    rig.virtual_phone.faults().release();
    rig.raw_call("get_screenshot", json!({ "device_id": rig.serial })).await;
    goes_on_after_reply(&rig, &asked).await;
}

async fn goes_on_after_reply(rig: &Rig, session: &Value) {
    let done = reply(rig, session).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_lost_in_the_middle_of_a_capture_is_waited_for() {
    let (rig, asked) = waiting().await;
    rig.virtual_phone.faults().set(|plan| plan.drop_capture_after = Some(5000));
    goes_on_after_reply(&rig, &asked).await;
    assert_eq!(rig.virtual_phone.faults().plan().drop_capture_after, None, "it did happen");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_that_is_cut_short_is_taken_again() {
    let (rig, asked) = waiting().await;
    rig.virtual_phone.faults().set(|plan| plan.truncate_capture_to = Some(70_000));
    let before = rig.virtual_phone.adb_counts().captures;
    goes_on_after_reply(&rig, &asked).await;
    assert_eq!(rig.virtual_phone.faults().plan().truncate_capture_to, None, "it did happen");
    assert!(before + 2 <= rig.virtual_phone.adb_counts().captures);
    // The endpoint complains of pictures that are not whole.
    assert_eq!(rig.vlm.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_goes_away_ends_the_run_and_can_come_back() {
    let (rig, asked) = waiting().await;
    let lost = click_while(&rig, &asked, |plan| plan.link = LinkState::Offline).await;
    assert_eq!(lost["stop_reason"], "DEVICE_LOST", "{lost}");
    assert!(lost["message"].as_str().unwrap().contains("offline"), "{lost}");
    let session = json!({ "session_id": asked["session_id"] });
    let text = rig.refused("ask_agent_continue", session.clone()).await;
    assert!(text.contains("is offline\nhint: it does not answer: unplug it"), "{text}");
    let kept = rig.call("get_session", session).await;
    assert_eq!(kept["stop_reason"], "DEVICE_LOST");
    rig.virtual_phone.faults().clear();
    goes_on(&rig, &asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_black_screen_is_a_person_s_turn() {
    let (rig, asked) = waiting().await;
    rig.virtual_phone.faults().set(|plan| plan.black = Some(Trigger::Every));
    let calls = rig.vlm.asked_count();
    let asked = reply(&rig, &asked).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert_eq!(asked["question"]["kind"], "takeover");
    assert!(asked["question"]["text"].as_str().unwrap().contains("reads as black"), "{asked}");
    assert_eq!(rig.vlm.asked_count(), calls, "the model is not shown a black picture");
    rig.virtual_phone.faults().clear();
    goes_on_after_reply(&rig, &asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gesture_without_an_exit_status_is_doubted_and_not_repeated() {
    let (rig, asked) = waiting().await;
    let done =
        click_while(&rig, &asked, |plan| plan.no_exit_status = Some(Trigger::NextInput)).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let log = &done["intermediate_logs"][0];
    assert_eq!(log["action"]["action_type"], "CLICK");
    assert!(log["error"].as_str().is_some_and(|error| !error.is_empty()), "{log}");
    assert_eq!(rig.virtual_phone.faults().plan().no_exit_status, None, "it did happen");
    assert_eq!(rig.virtual_phone.phone().state().counts.taps, 1, "sent once");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("may have been carried out all the same"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gesture_that_hangs_is_doubted_and_not_repeated() {
    let (rig, asked) = waiting().await;
    let done = click_while(&rig, &asked, |plan| plan.hang_shell = Some(Trigger::NextInput)).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let error = done["intermediate_logs"][0]["error"].as_str().unwrap();
    assert!(error.contains("within 1.0 s"), "{error}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("may have been carried out all the same"), "{told}");
    rig.virtual_phone.faults().release();
    assert!(rig.virtual_phone.phone().state().counts.taps <= 1, "sent once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_killed_in_the_middle_of_a_task_is_found_again() {
    let (rig, asked) = waiting().await;
    let virtual_phone = rig.virtual_phone.clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        virtual_phone.faults().kill_link();
        Answer::Says(if moves < 4 { click(300, 300 + moves) } else { complete("Done.") })
    });
    goes_on_after_reply(&rig, &asked).await;
    assert!(rig.virtual_phone.phone().state().counts.taps <= 3, "no tap was sent twice");
}
