//! Two servers that know nothing of each other, with data folders and adb servers of their own, and two
//! serials for one phone: the phone itself has one driver.
use std::sync::Arc;

use ayeaye_phone::{AdbServer, Phone, PhoneOptions, VirtualPhone};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::support::{
    Answer, Binary, FakeVlm, Raw, aimed, click, complete, one_by_one, plugged_in, quick_phone,
    until, within,
};

pub(crate) const OVER_WIFI: &str = "10.0.0.9:5555";
const TAKEN: &str = "another ayeaye server has taken it over";

/// The places that were tapped, in thousandths of the screen.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thousandths of a screen"
)]
pub(crate) fn taps(phone: &Phone) -> Vec<(u64, u64)> {
    let (width, height) = phone.display_size();
    let state = serde_json::to_value(phone.state()).unwrap();
    let actions = state["actions"].as_array().unwrap().iter().map(|it| &it["gesture"]);
    let taps = actions.filter(|gesture| gesture["kind"] == "tap");
    let thousandths =
        |at: &Value, of: u32| (at.as_f64().unwrap() * 1000.0 / f64::from(of)).round() as u64;
    taps.map(|it| (thousandths(&it["x"], width), thousandths(&it["y"], height))).collect()
}

async fn start(server: &mut Raw, serial: &str, wait: u32) -> Value {
    let task =
        json!({ "device_id": serial, "task": "Look around", "wait_seconds": wait, "max_steps": 9 });
    server.facts("ask_agent_start_new_task", task).await
}

async fn asked(vlm: &FakeVlm, times: usize) {
    vlm.is_asked(times).await;
}

/// The session of the earlier driver, which was refused by the phone.
async fn refused(server: &mut Raw, started: &Value) -> Value {
    let asked = json!({ "session_id": started["session_id"] });
    let ended = within(20, "its end", async {
        loop {
            let now = server.facts("get_session", asked.clone()).await;
            if now["stop_reason"] != "STILL_RUNNING" {
                return now;
            }
        }
    })
    .await;
    assert_eq!(ended["stop_reason"], "DEVICE_LOST", "{ended}");
    assert!(ended["message"].as_str().unwrap().contains(TAKEN), "{ended}");
    ended
}

struct Both {
    phone: VirtualPhone,
    cable: Binary,
    wifi: Binary,
    /// The adb servers.
    _guards: Vec<tokio_util::sync::DropGuard>,
}

async fn both(first: &FakeVlm, second: &FakeVlm) -> Both {
    let phone = quick_phone();
    let (cable, over_cable) = plugged_in(&phone).await;
    let (wifi, over_wifi) = plugged_in(&phone.also_as(OVER_WIFI)).await;
    Both {
        phone,
        cable: Binary::with(cable, first),
        wifi: Binary::with(wifi, second),
        _guards: vec![over_cable, over_wifi],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_phone_refuses_a_driver_once_another_has_taken_it_over() {
    let gate = Arc::new(Notify::new());
    let first = FakeVlm::start(one_by_one(vec![
        Answer::Says(click(300, 400)),
        Answer::Held(gate.clone(), click(700, 700)),
    ]))
    .await;
    let second = FakeVlm::start(one_by_one(vec![
        Answer::Says(click(200, 600)),
        Answer::Says(complete("Done.")),
    ]))
    .await;
    let both = both(&first, &second).await;
    let (mut cable, mut wifi) = (both.cable.raw().await, both.wifi.raw().await);

    let started = start(&mut cable, both.phone.serial(), 0).await;
    asked(&first, 2).await;
    let other = start(&mut wifi, OVER_WIFI, 20).await;
    assert_eq!(other["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{other}");
    let screen = serde_json::to_value(both.phone.phone().state()).unwrap();
    gate.notify_one();
    let ended = refused(&mut cable, &started).await;

    assert_eq!(taps(both.phone.phone()), [(300, 400), (200, 600)]);
    let now = serde_json::to_value(both.phone.phone().state()).unwrap();
    assert_eq!(now["actions"], screen["actions"], "nothing more was done");
    let last = ended["steps"].as_array().and_then(|steps| steps.last()).unwrap_or(&Value::Null);
    assert!(!last.to_string().contains("\"done\""), "{last}");

    // Whoever begins anew is the driver.
    first.then(vec![Answer::Says(click(800, 300)), Answer::Says(complete("Done."))]);
    let again = json!({ "session_id": started["session_id"], "wait_seconds": 20 });
    let again = cable.facts("ask_agent_continue", again).await;
    assert_eq!(again["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{again}");
    assert_eq!(taps(both.phone.phone()).last(), Some(&(800, 300)));
}

/// An adb server at this address with this phone in its list, as soon as the last one has left it.
pub(crate) async fn served_at(
    address: std::net::SocketAddr,
    phone: VirtualPhone,
) -> CancellationToken {
    let down = CancellationToken::new();
    let server = within(10, "the address", async {
        loop {
            match AdbServer::bind(address, vec![phone.clone()]).await {
                Ok(server) => return server,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    tokio::spawn(server.serve(down.clone()));
    down
}

#[tokio::test(flavor = "multi_thread")]
async fn another_phone_that_comes_to_the_address_of_a_run_is_neither_shown_nor_touched() {
    let gate = Arc::new(Notify::new());
    let vlm = FakeVlm::start(one_by_one(vec![
        Answer::Says(click(300, 400)),
        Answer::Held(gate.clone(), click(700, 700)),
    ]))
    .await;
    let (first, options) = (quick_phone(), quick_phone().phone().options().clone());
    let other = VirtualPhone::new(Phone::new(PhoneOptions {
        serial: "ANNA-9-0001".to_owned(),
        model: "Pixel 9 Pro".to_owned(),
        ..options
    }));
    let (address, attached) = plugged_in(&first.also_as(OVER_WIFI)).await;
    let mut server = Binary::with(address, &vlm).raw().await;
    let started = start(&mut server, OVER_WIFI, 0).await;
    asked(&vlm, 2).await;
    // The network gives the address to another phone while the model thinks.
    drop(attached);
    first.faults().kill_link();
    let down = served_at(address, other.also_as(OVER_WIFI)).await;
    gate.notify_one();

    let session = json!({ "session_id": started["session_id"], "wait_seconds": 30 });
    let ended = server.facts("ask_agent_continue", session.clone()).await;
    assert_eq!(ended["stop_reason"], "DEVICE_LOST", "{ended}");
    let message = ended["message"].as_str().unwrap();
    assert!(
        message.contains("is another phone now: it was Aye-aye virtual phone, and is Pixel 9 Pro"),
        "{message}"
    );
    assert_eq!(vlm.asked_count(), 2, "its screen is not sent to the model");
    assert_eq!(taps(other.phone()), []);
    assert_eq!(taps(first.phone()), [(300, 400)]);

    // The first phone is there again.
    down.cancel();
    let _down = served_at(address, first.also_as(OVER_WIFI)).await.drop_guard();
    vlm.then(vec![Answer::Says(click(800, 300)), Answer::Says(complete("Done."))]);
    let again = server.facts("ask_agent_continue", session).await;
    assert_eq!(again["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{again}");
    assert_eq!(taps(other.phone()), []);
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a process is paused as its user pauses it")]
fn signal(pid: &str, which: &str) {
    assert!(std::process::Command::new("kill").args([which, pid]).status().unwrap().success());
}

/// Whether it is paused.
#[cfg(target_os = "linux")]
fn is_stopped(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_driver_that_goes_on_after_another_changes_nothing() {
    let pid: Arc<std::sync::OnceLock<String>> = Arc::default();
    let paused = pid.clone();
    let mut answers = vec![click(300, 400), aimed(&click(500, 500), "late")].into_iter();
    let first = FakeVlm::start(move |_| {
        let Some(answer) = answers.next() else { return Answer::Silence };
        if answers.len() == 0 {
            // Paused while it waits for this answer, which it finds when it goes on.
            signal(paused.get().unwrap(), "-STOP");
        }
        Answer::Says(answer)
    })
    .await;
    let second = FakeVlm::start(one_by_one(vec![
        Answer::Says(click(200, 600)),
        Answer::Says(complete("Done.")),
    ]))
    .await;
    let both = both(&first, &second).await;
    let (mut cable, mut wifi) = (both.cable.raw().await, both.wifi.raw().await);
    let pid = pid.get_or_init(|| cable.pid()).clone();

    let started = start(&mut cable, both.phone.serial(), 0).await;
    asked(&first, 2).await;
    until("the pause", || is_stopped(&pid)).await;
    let other = start(&mut wifi, OVER_WIFI, 20).await;
    assert_eq!(other["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{other}");
    let before = serde_json::to_value(both.phone.phone().state()).unwrap();

    signal(&pid, "-CONT");
    refused(&mut cable, &started).await;
    let after = serde_json::to_value(both.phone.phone().state()).unwrap();
    assert_eq!(after["actions"], before["actions"]);
    assert_eq!(after["nodes"], before["nodes"]);
    assert_eq!(taps(both.phone.phone()), [(300, 400), (200, 600)]);
}
