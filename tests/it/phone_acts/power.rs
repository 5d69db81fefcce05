//! The phone stays on while it is driven, and has its own settings back afterwards.
use std::sync::Arc;

use ayeaye_phone::{FaultPlan, VirtualPhone};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::phone_acts::middle;
use crate::support::{
    Answer, Binary, FakeVlm, Rig, RigOptions, click, complete, gelab, info, plugged_in,
    quick_phone, until,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const STAY_ON: (&str, &str) = ("global", "stay_on_while_plugged_in");
/// When the screen goes off by itself, in milliseconds: not before it was seen to rest and a model was asked.
const SOON: u64 = 2500;
const TIMEOUT: (&str, &str) = ("system", "screen_off_timeout");

pub(super) fn setting(device: &VirtualPhone, (table, key): (&str, &str)) -> String {
    device.phone().setting(table, key).unwrap_or_default()
}

async fn rig(faults: impl FnOnce(&mut FaultPlan)) -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    rig.virtual_phone.inject(faults);
    rig
}

/// The `figures` of the notes of this kind in a session's record.
fn notes(data: &std::path::Path, session: &Value, kind: &str) -> Vec<Value> {
    let folder = data.join("sessions").join(session.as_str().unwrap());
    let record = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    let events = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let notes = events.filter(|event| event["type"] == "note" && event["data"]["kind"] == kind);
    notes.map(|event| event["data"]["figures"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_that_goes_off_while_the_model_thinks_gets_no_blind_tap() {
    // It cannot be told to stay on.
    let rig = rig(|plan| {
        plan.screen_off_after_ms = Some(SOON);
        plan.settings_refused = true;
    })
    .await;
    let gate = Arc::new(Notify::new());
    let taps = [(300, 400), (500, 500)];
    let held = |reply: String| Answer::Held(gate.clone(), reply);
    let mut answers: Vec<Answer> = taps.iter().map(|(x, y)| held(click(*x, *y))).collect();
    answers.push(held(complete("Tapped.")));
    let steps = answers.len();
    rig.vlm.then(answers);
    let thinking = async {
        for step in 1..=steps {
            rig.vlm.is_asked(step).await;
            until("the screen goes off", || !rig.virtual_phone.phone().is_awake()).await;
            gate.notify_one();
        }
    };
    let (done, ()) = tokio::join!(rig.start("Tap twice"), thinking);
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let state = rig.virtual_phone.phone().state();
    assert_eq!(state.counts.input_while_off, 0, "nothing went to a dark phone");
    assert_eq!(state.counts.taps, 2, "{:?}", state.actions);
    assert_eq!(setting(&rig.virtual_phone, STAY_ON), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_aimed_at_another_screen_is_not_done_after_a_dark_one() {
    let rig = rig(|plan| {
        plan.screen_off_after_ms = Some(SOON);
        plan.settings_refused = true;
    })
    .await;
    let gate = Arc::new(Notify::new());
    rig.vlm.then(vec![
        Answer::Held(gate.clone(), click(500, 500)),
        Answer::Says(complete("Something else is there.")),
    ]);
    let thinking = async {
        rig.vlm.is_asked(1).await;
        until("the screen goes off", || !rig.virtual_phone.phone().is_awake()).await;
        rig.virtual_phone.phone().show_dialog("Update", "Restart now?", &["Later", "Restart"]);
        gate.notify_one();
    };
    let (done, ()) = tokio::join!(rig.start("Tap"), thinking);
    let line = &done["intermediate_logs"][0];
    assert!(line["error"].as_str().unwrap().contains("shows something else"), "{line}");
    assert_eq!(rig.virtual_phone.phone().state().counts.taps, 0);
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("CLICK 没有成功"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_phone_stays_on_while_a_run_has_it_and_no_longer() {
    for (unplugged, at, own, ours) in
        [(false, STAY_ON, "0", "7"), (true, TIMEOUT, "30000", "1800000")]
    {
        let rig = rig(|plan| {
            plan.unplugged = unplugged;
            plan.screen_off_after_ms = Some(300);
        })
        .await;
        let device = rig.virtual_phone.clone();
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let (look, looks) = (device.clone(), seen.clone());
        let mut answers = [info("Which one?"), complete("Done.")].into_iter();
        rig.vlm.now(move |_| {
            looks.lock().unwrap().push(setting(&look, at));
            Answer::Says(answers.next().unwrap())
        });
        let asked = rig.start("Ask, then go on").await;
        assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
        assert_eq!(setting(&device, at), own, "a run that only asks gives it back");
        let done = rig.go_on(&asked, json!({ "reply_from_client": "The first." })).await;
        assert_eq!(done["stop_reason"], DONE, "{done}");
        assert_eq!(setting(&device, at), own);
        assert_eq!(*seen.lock().unwrap(), [ours, ours]);
        let name = format!("{}/{}", at.0, at.1);
        let changed = json!({ "setting": name, "before": own, "value": ours });
        let (data, session) = (rig.data.path(), &done["session_id"]);
        assert_eq!(notes(data, session, "setting_changed"), [changed.clone(), changed.clone()]);
        assert_eq!(notes(data, session, "setting_put_back"), [changed.clone(), changed]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_has_changed_meanwhile_is_left_so() {
    let rig = rig(|_| {}).await;
    let device = rig.virtual_phone.clone();
    rig.vlm.now(move |_| {
        device.phone().put_setting("global", "stay_on_while_plugged_in", Some("3"));
        Answer::Says(complete("Done."))
    });
    let done = rig.start("Nothing").await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(setting(&rig.virtual_phone, STAY_ON), "3");
}

/// Starts a task that does not end by itself.
pub(super) async fn begun(binary: &Binary, device: &VirtualPhone) -> crate::support::Raw {
    let mut served = binary.raw().await;
    let arguments =
        json!({ "device_id": device.serial(), "task": "Write a note", "wait_seconds": 0 });
    served.facts("ask_agent_start_new_task", arguments).await;
    served
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_the_next_server_puts_the_settings_back() {
    let device = quick_phone();
    let (adb, _guard) = plugged_in(&device).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let served = begun(&binary, &device).await;
    vlm.is_asked(1).await;
    assert_eq!(setting(&device, STAY_ON), "7");
    served.kill().await;
    assert_eq!(setting(&device, STAY_ON), "7", "nobody was left to put it back");
    let _next = binary.raw().await;
    until("it is put back", || setting(&device, STAY_ON) == "0").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_the_next_server_puts_the_keyboard_back() {
    let device = quick_phone();
    let (adb, _guard) = plugged_in(&device).await;
    let phone = device.phone().clone();
    // Where things are, as the model will find them.
    phone
        .start_activity(
            &phone
                .packages()
                .into_iter()
                .find_map(|it| it.launcher.filter(|_| it.label == "Notes"))
                .unwrap(),
        )
        .unwrap();
    until("the app is open", || phone.settles_at().is_none()).await;
    let new = middle(&device, "new_note");
    phone.key(3, false);
    let tap = format!("point:{},{}", new["x"], new["y"]);
    let mut moves = [
        gelab("AWAKE", "value:Notes", "open"),
        gelab("CLICK", &tap, "a new one"),
        gelab("TYPE", "value:\u{725b}\u{5976}", "type"),
    ]
    .into_iter();
    let slow = device.clone();
    let vlm = FakeVlm::start(move |_| {
        let Some(next) = moves.next() else { return Answer::Silence };
        if next.contains("TYPE") {
            slow.faults().set(|plan| plan.shell_delay_ms = 120);
        }
        Answer::Says(next)
    })
    .await;
    let binary = Binary::with(adb, &vlm);
    let served = begun(&binary, &device).await;
    until("the keyboard is borrowed", || phone.input_method().contains("adbkeyboard")).await;
    served.kill().await;
    assert!(phone.input_method().contains("adbkeyboard"), "nobody was left to put it back");
    device.faults().set(|plan| plan.shell_delay_ms = 0);
    let _next = binary.raw().await;
    until("all is put back", || {
        let enabled = phone.input_methods().into_iter().filter(|(_, on)| *on).count();
        phone.input_method().contains("latin") && enabled == 1 && setting(&device, STAY_ON) == "0"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_can_have_the_phone_left_as_it_is() {
    let device = quick_phone();
    let (adb, _guard) = plugged_in(&device).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    std::fs::write(binary.data.path().join("ayeaye.toml"), "[run]\nkeep-awake = \"off\"\n")
        .unwrap();
    let config = binary.data.path().join("ayeaye.toml").to_str().unwrap().to_owned();
    let binary = binary.set("AYEAYE_CONFIG", &config);
    let served = begun(&binary, &device).await;
    vlm.is_asked(1).await;
    assert_eq!(setting(&device, STAY_ON), "0");
    served.kill().await;
}
