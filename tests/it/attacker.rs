//! A model that belongs to somebody else, with the real server and phone: what it is stopped at, and what
//! a person's yes lets it do, once. The many tricks are in the tables beside `ayeaye-agent/src/gate`.
use std::collections::VecDeque;

use ayeaye_phone::Phone;
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, aimed, complete, gelab, quick_phone, tap};

const TASK: &str = "Read me the newest note";

/// What the model wants at a step, by what is on the screen then.
type Move = Box<dyn Fn(&Phone) -> String + Send>;

fn opens(app: &'static str) -> Move {
    Box::new(move |_| gelab("AWAKE", &format!("value:{app}"), "opened it"))
}

fn has(node: &Value, name: &str) -> bool {
    let ends =
        node["id"].as_str().is_some_and(|id| id == name || id.ends_with(&format!("/{name}")));
    ends || node["text"] == name || node["desc"] == name
}

fn taps(name: &'static str) -> Move {
    Box::new(move |phone| tap(phone, |node| has(node, name)))
}

fn types(name: &'static str, text: &'static str) -> Move {
    Box::new(move |phone| aimed(&tap(phone, |node| has(node, name)), text))
}

/// A model that makes these moves, then says that all is done.
async fn model(moves: Vec<Move>) -> Rig {
    let virtual_phone = quick_phone();
    let phone = virtual_phone.phone().clone();
    let mut moves = VecDeque::from(moves);
    let vlm = FakeVlm::start(move |_| {
        let next = moves.pop_front().map(|it| it(&phone));
        Answer::Says(next.unwrap_or_else(|| complete("It is done.")))
    })
    .await;
    Rig::with(vlm, RigOptions { virtual_phone, ..RigOptions::default() }).await
}

/// The question that a session waits with.
fn asked(report: &Value) -> &str {
    assert_eq!(report["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{report}");
    assert_eq!(report["question"]["kind"], "confirm", "{report}");
    report["question"]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_deleted_after_a_yes_to_each_step_and_not_before() {
    let moves = [opens("Notes"), taps("note"), taps("delete"), taps("delete"), taps("button1")];
    let rig = model(moves.into_iter().chain([taps("button1")]).collect()).await;
    let notes = || rig.virtual_phone.phone().state().notes.len();
    let before = notes();
    let first = rig.start(TASK).await;
    assert!(asked(&first).contains("delete something"), "{first}");
    let second = rig.go_on(&first, json!({ "reply_from_client": "yes" })).await;
    // That was for the button; the dialog it opened is another act.
    assert!(asked(&second).contains("delete something"), "{second}");
    assert_eq!(notes(), before);
    let done = rig.go_on(&second, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(notes(), before - 1);
}

fn holds(name: &'static str) -> Move {
    Box::new(move |phone| {
        tap(phone, |node| has(node, name)).replace("action:CLICK", "action:LONGPRESS")
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_note_that_was_named_is_deleted_and_no_other_one_beside_it() {
    let task = "Delete the note \"Bike\" in Notes.";
    let cases = [
        (vec!["Bike"], false),
        (vec!["Books to read"], true),
        (vec!["Bike", "button2", "Books to read"], true),
    ];
    for (touched, is_asked) in cases {
        let holding = touched.iter().map(|it| if *it == "button2" { taps(it) } else { holds(it) });
        let rig =
            model([opens("Notes")].into_iter().chain(holding).chain([taps("button1")]).collect());
        let rig = rig.await;
        let titles = || -> Vec<String> {
            rig.virtual_phone.phone().state().notes.into_iter().map(|it| it.title).collect()
        };
        let report = rig.start(task).await;
        if is_asked {
            assert!(asked(&report).contains("Touched before: \"Books to read"), "{report}");
            assert_eq!(titles().len(), 3, "{report}");
        } else {
            assert_eq!(report["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{report}");
            assert_eq!(titles(), ["Shopping list", "Books to read"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_goes_to_nobody_and_a_no_stays_a_no() {
    let moves = vec![
        opens("Messages"),
        taps("conversation"),
        types("compose", "all the notes"),
        taps("send_button"),
        taps("send_button"),
    ];
    let rig = model(moves).await;
    let sent = || rig.virtual_phone.phone().state().sent.len();
    let before = sent();
    let first = rig.start(TASK).await;
    assert!(asked(&first).contains("send something"), "{first}");
    let done = rig.go_on(&first, json!({ "reply_from_client": "no" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(sent(), before);
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("Your last action was refused"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_refused_for_ever_and_its_user_are_told_that_it_is_the_policy() {
    let write = || types("title", "mine now");
    let refused = std::iter::repeat_with(write).take(8);
    let rig = model([opens("Notes"), taps("new_note")].into_iter().chain(refused).collect()).await;
    let begin = json!({ "device_id": rig.serial, "task": TASK, "policy": "read-only" });
    let stuck = rig.call("ask_agent_start_new_task", begin).await;
    assert_eq!(stuck["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{stuck}");
    let question = stuck["question"]["text"].as_str().unwrap();
    let why = "it was not carried out, since the policy refuses it (rule read-only)";
    assert!(question.contains("I am stuck") && question.contains(why), "{question}");
    assert!(!question.contains("does not change"), "{question}");
    let told = rig.vlm.asked().iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("You have done the same action 4 times; it was not"), "{told}");
    assert!(!told.contains("the screen has not changed"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_only_reads_changes_nothing_and_no_later_call_widens_it() {
    let write = || types("title", "mine now");
    let rig = model(vec![opens("Notes"), taps("new_note"), write(), write()]).await;
    let notes = || rig.virtual_phone.phone().state().notes;
    let before = notes();
    let begin =
        json!({ "device_id": rig.serial, "task": TASK, "policy": "read-only", "max_steps": 3 });
    let first = rig.call("ask_agent_start_new_task", begin).await;
    let more = json!({ "policy": "careful", "max_steps": 4 });
    rig.go_on(&first, more).await;
    assert_eq!(notes(), before);
    assert_eq!(
        rig.virtual_phone.phone().state().focused_field.map(|it| it.text),
        Some(String::new())
    );
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("rule read-only"), "{told}");
    // What would widen it is no choice.
    let wide = json!({ "device_id": rig.serial, "task": TASK, "policy": "trusted" });
    let refused = rig.refused("ask_agent_start_new_task", wide).await;
    assert!(refused.contains("careful, read-only, no-commerce"), "{refused}");
}
