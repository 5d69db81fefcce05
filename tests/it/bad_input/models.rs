//! A model's endpoint that does what it should not. Each ends in `MODEL_FAILED` with the reason, the
//! phone is not touched, and the same session goes on when the model is well again.
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, info};

/// A session that waits on a question, before anything goes wrong.
async fn waiting() -> (Rig, Value) {
    let options = RigOptions { first_byte: Duration::from_secs(1), ..RigOptions::quick() };
    let rig = Rig::with(FakeVlm::start(|_| Answer::Says(info("Ready?"))).await, options).await;
    let asked = rig.start("do it").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    (rig, asked)
}

/// Lets the model answer so, and returns what the client is told. Afterwards the model is mended and
/// the session has to come to its end.
async fn fails(answer: impl Fn() -> Answer + Send + 'static, tries: usize) -> String {
    let (rig, asked) = waiting().await;
    rig.vlm.now(move |_| answer());
    let begun = Instant::now();
    let failed = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{failed}");
    assert_eq!(rig.vlm.asked_count(), 1 + tries, "how often it was asked");
    // A model that answers in vain is no matter for the doctor.
    let in_vain = failed["message"].as_str().unwrap().contains("could not be used");
    let way_out = if in_vain { "set another model" } else { "ayeaye doctor" };
    assert!(failed["next"].as_str().unwrap().contains(way_out), "{failed}");
    let counts = rig.virtual_phone.phone().state().counts;
    assert_eq!((counts.taps, counts.swipes, counts.texts), (0, 0, 0), "the phone is left alone");
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&asked, json!({})).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("yes"), "the reply is not lost: {told}");
    failed["message"].as_str().unwrap().to_owned()
}

fn says(text: &str, message: &str) {
    assert!(message.contains(text), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn html_is_no_reply() {
    let page = || Answer::Raw(200, "text/html", "<!doctype html><h1>It works!</h1>".to_owned());
    let message = fails(page, 2).await;
    says("answered with a web page", &message);
    says("base URL", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_no_reply() {
    let nothing = || Answer::Raw(200, "application/json", String::new());
    says("answered with nothing at all", &fails(nothing, 2).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_reply_is_asked_again_and_given_up() {
    let message = fails(|| Answer::Says(String::new()), 3).await;
    says("could not be used, 3 times in a row; the last: it is empty", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_asked_again_and_given_up() {
    let message =
        fails(|| Answer::Says("Sure! I will tap the green button now.".to_owned()), 3).await;
    says("could not be used, 3 times in a row", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_word_complete_alone_completes_nothing() {
    let message = fails(|| Answer::Says("The task is COMPLETE.".to_owned()), 3).await;
    says("could not be used, 3 times in a row", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_cut_for_its_length_is_not_acted_on() {
    let message = fails(|| Answer::Cut(click(500, 500)), 3).await;
    says("it was cut off before its end", &message);
}

/// As the record writes it, it is longer than a line may be.
#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_an_end_is_not_acted_on() {
    let endless = || Answer::Says(complete(&"\u{1f600}".repeat(120_000)));
    says("it is far too long", &fails(endless, 3).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_off_is_not_acted_on() {
    let cut = || {
        let delta = json!({ "choices": [{ "index": 0, "delta": { "content": click(500, 500) } }] });
        Answer::Raw(200, "text/event-stream", format!("data: {delta}\n\n"))
    };
    // Three replies, each tried once more.
    says("it was cut off before its end, and nothing says why", &fails(cut, 6).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coordinate_of_4000_is_not_tapped() {
    let message = fails(|| Answer::Says(click(4000, 300)), 3).await;
    says("4000", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_endpoint_is_tried_again_and_told() {
    let message = fails(|| Answer::Raw(500, "text/plain", "out of memory".to_owned()), 2).await;
    says("answered 500 Internal Server Error (“out of memory”)", &message);
    says("after 2 attempts", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_inside_its_limit() {
    let message = fails(|| Answer::Silence, 2).await;
    says("gave no answer within 1.0 s", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_told_at_once_and_never_shown() {
    let refused = || {
        let body = json!({ "error": { "message": format!("bad key {}", crate::support::KEY) } });
        Answer::Raw(401, "application/json", body.to_string())
    };
    let message = fails(refused, 1).await;
    says("the key is missing, wrong", &message);
    assert!(!message.contains(crate::support::KEY), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_500_is_not_noticed() {
    let (rig, asked) = waiting().await;
    let broken = Answer::Raw(500, "text/plain", "oops".to_owned());
    rig.vlm.then(vec![broken, Answer::Says(complete("Done."))]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(rig.vlm.asked_count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_endpoint_is_given_the_time_it_asks_for() {
    let (rig, asked) = waiting().await;
    rig.vlm.then(vec![Answer::Busy(1), Answer::Says(complete("Done."))]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let waited = done["usage"]["model_ms"].as_u64().unwrap();
    assert!((1000..5000).contains(&waited), "{waited} ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_can_be_mended_is_asked_again_with_the_reason() {
    let (rig, asked) = waiting().await;
    rig.vlm.then(vec![Answer::Says(click(4000, 300)), Answer::Says(complete("Done."))]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let again = rig.vlm.asked().pop().unwrap().to_string();
    assert!(again.contains("Nothing was done on the phone"), "{again}");
    assert!(again.contains("4000"), "{again}");
}
