//! The five tasks, each judged by the phone itself.
use ayeaye_phone::InputCounts;
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, aimed, complete, gelab, tap};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";

/// Nothing was done that a real phone would have shrugged at.
fn nothing_was_wasted(rig: &Rig) {
    let InputCounts {
        dead_taps,
        taps_in_transition,
        taps_off_screen,
        input_while_off,
        text_without_focus,
        unknown_keys,
        ..
    } = rig.virtual_phone.phone().state().counts;
    let wasted =
        [dead_taps, taps_in_transition, taps_off_screen, input_while_off, text_without_focus];
    assert_eq!(wasted, [0; 5], "{:?}", rig.virtual_phone.phone().state().actions);
    assert_eq!(unknown_keys, 0);
    let wire = rig.virtual_phone.adb_counts();
    let odd = [wire.syntax_errors, wire.unknown_commands, wire.malformed_commands, wire.monkeys];
    assert_eq!(odd, [0; 4], "{wire:?}");
}

fn is_done(result: &Value) {
    assert_eq!(result["stop_reason"], DONE, "{result}");
    assert_eq!(result["final_action"]["action_type"], "COMPLETE");
    assert!(!result["message"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn wifi_is_switched_off() {
    let rig = Rig::scripted().await;
    assert_eq!(rig.phone()["wifi"], true);
    is_done(&rig.start("Switch Wi-Fi off").await);
    let phone = rig.phone();
    assert_eq!((&phone["wifi"], &phone["bluetooth"]), (&json!(false), &json!(true)));
    nothing_was_wasted(&rig);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stand_in_offers_the_choices_that_its_question_lists() {
    let rig = Rig::scripted().await;
    let asked = rig.start("Tell Anna in the Messages app: \"I am late\"").await;
    let question = &asked["question"];
    assert_eq!(question["options"], json!(["Anna Bauer", "Anna Berg"]), "{asked}");
    let text = question["text"].as_str().unwrap();
    assert_eq!(text, "There are two Annas: Anna Bauer and Anna Berg. Which one?");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_kept_to_the_byte() {
    const TITLE: &str = "100% \"odd\"";
    const TEXT: &str = "it's \"quoted\" $HOME `id` \\ \\n 中文 👩\u{200d}👩\u{200d}👧 <tag> %s & ; | é e\u{301}\nsecond line";
    let rig = Rig::new(FakeVlm::start(|_| Answer::Silence).await).await;
    let phone = rig.virtual_phone.phone().clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        let has = |id: &'static str| {
            move |node: &Value| node["id"].as_str().is_some_and(|it| it.ends_with(id))
        };
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Notes", "opened Notes"),
            2 => tap(&phone, has("id/new_note")),
            3 => aimed(&tap(&phone, has("id/title")), TITLE),
            4 => aimed(&tap(&phone, has("id/body")), TEXT),
            5 => tap(&phone, has("id/save")),
            _ => complete("Saved."),
        })
    });
    is_done(&rig.start("Save a note").await);
    let notes = rig.virtual_phone.phone().state().notes;
    assert_eq!((notes[0].title.as_str(), notes[0].body.as_str()), (TITLE, TEXT));
    nothing_was_wasted(&rig);
}

#[tokio::test(flavor = "multi_thread")]
async fn shoes_are_found_under_a_price_and_not_paid() {
    let rig = Rig::scripted().await;
    let task = "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in the cart \
                and go on to the checkout, but stop before paying.";
    let mut result = rig.start(task).await;
    if result["stop_reason"] == "MAX_STEPS_REACHED" {
        result = rig.go_on(&result, json!({})).await;
    }
    is_done(&result);
    let state = rig.virtual_phone.phone().state();
    assert!(state.orders.is_empty(), "{:?}", state.orders);
    let [line] = state.cart.as_slice() else { panic!("{:?}", state.cart) };
    assert_eq!((line.size.as_str(), line.quantity), ("42", 1));
    assert!(line.name.contains("Running"), "{line:?}");
    assert!(state.foreground.class.ends_with("CheckoutActivity"), "{:?}", state.foreground);
    nothing_was_wasted(&rig);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_sent_once_to_the_one_who_was_meant() {
    let rig = Rig::scripted().await;
    let asked = rig.start("In Messages, tell Anna: I am ten minutes late").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert!(asked["question"]["text"].as_str().unwrap().contains("Anna Berg"), "{asked}");
    assert!(rig.virtual_phone.phone().state().sent.is_empty(), "nothing is sent before the answer");
    let done = rig.go_on(&asked, json!({ "reply_from_client": "Anna Berg" })).await;
    is_done(&done);
    assert_eq!(done["session_id"], asked["session_id"]);
    let sent = rig.virtual_phone.phone().state().sent;
    let [message] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(
        (message.to.as_str(), message.text.as_str()),
        ("Anna Berg", "I am ten minutes late")
    );
    nothing_was_wasted(&rig);
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_asks_for_the_code_that_only_the_user_has() {
    let rig = Rig::scripted().await;
    let task = "Sign in to the Nimbus app as robin with the password Quince-41; the code comes to \
                my other phone.";
    let asked = rig.start(task).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert!(asked["question"]["text"].as_str().unwrap().contains("code"), "{asked}");
    assert_eq!(rig.phone()["signed_in"], Value::Null);
    let code = rig.virtual_phone.phone().state().one_time_code;
    let done = rig.go_on(&asked, json!({ "reply_from_client": format!("It is {code}.") })).await;
    is_done(&done);
    assert_eq!(rig.phone()["signed_in"], "robin");
    nothing_was_wasted(&rig);
}
