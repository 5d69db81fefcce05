//! `kill -9` of the real server at random points of a task.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::fence::taps;
use crate::support::{Answer, Binary, FakeVlm, complete, gelab, plugged_in, quick_phone};

fn lines(record: &Path) -> usize {
    std::fs::read_to_string(record).unwrap().matches('\n').count()
}

/// Waits until the record has so many lines, looking every millisecond.
async fn grown_to(record: &Path, target: usize) {
    let mut tick = tokio::time::interval(Duration::from_millis(1));
    while lines(record) < target {
        tick.tick().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_kills_lose_no_session_and_repeat_no_action() {
    kills_lose_no_session_and_repeat_no_action(50).await;
}

/// Before a release: `cargo it five_hundred --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn five_hundred_kills_lose_no_session_and_repeat_no_action() {
    for _ in 0..10 {
        kills_lose_no_session_and_repeat_no_action(50).await;
    }
}

/// Kills the server so often during one session.
async fn kills_lose_no_session_and_repeat_no_action(kills: u32) {
    let adb_device = quick_phone();
    let (adb, _guard) = plugged_in(&adb_device).await;

    // Every decision is a tap that no other decision makes, so a tap seen twice was sent twice.
    let decided = Arc::new(AtomicU32::new(0));
    let enough = Arc::new(AtomicU32::new(0));
    let (counter, over) = (decided.clone(), enough.clone());
    let vlm = FakeVlm::start(move |_| {
        if over.load(Ordering::SeqCst) == 1 {
            return Answer::Says(complete("All done."));
        }
        let n = counter.fetch_add(1, Ordering::SeqCst);
        // Two thousandths apart: one may be less than a pixel.
        let (x, y) = (100 + n % 400 * 2, 300 + n / 400 * 2);
        Answer::Says(gelab("CLICK", &format!("point:{x},{y}"), &format!("tap {n}")))
    })
    .await;

    let binary = Binary::with(adb, &vlm);
    let mut served = binary.raw().await;
    let started = served
        .facts(
            "ask_agent_start_new_task",
            json!({ "device_id": adb_device.serial(), "task": "Tap", "max_steps": 500, "wait_seconds": 0 }),
        )
        .await;
    let session = started["session_id"].as_str().unwrap().to_owned();
    let record: PathBuf = binary.data.path().join("sessions").join(&session).join("events.jsonl");
    for _ in 0..kills {
        let target = lines(&record) + rand::random_range(1..=28);
        grown_to(&record, target).await;
        served.kill().await;
        served = binary.raw().await;
        let known = served.facts("get_session", json!({ "session_id": session })).await;
        assert_eq!(known["stop_reason"], "SERVER_RESTARTED", "{known}");
        let arguments = json!({ "session_id": session, "max_steps": 500, "wait_seconds": 0 });
        served.facts("ask_agent_continue", arguments).await;
    }
    enough.store(1, Ordering::SeqCst);
    let ended = served.facts("ask_agent_continue", json!({ "session_id": session })).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{ended}");
    assert_eq!(ended["session_id"], session);

    let mut seen: HashMap<String, u32> = HashMap::new();
    let state = serde_json::to_value(adb_device.phone().state()).unwrap();
    for action in state["actions"].as_array().unwrap() {
        let gesture = &action["gesture"];
        if gesture["kind"] == "tap" {
            *seen.entry(format!("{},{}", gesture["x"], gesture["y"])).or_default() += 1;
        }
    }
    let repeated: Vec<_> = seen.iter().filter(|(_, times)| 1 < **times).collect();
    assert_eq!(repeated, Vec::<(&String, &u32)>::new(), "taps that were sent twice");
    assert!(
        kills / 3 < u32::try_from(seen.len()).unwrap(),
        "the task went on between kills: {}",
        seen.len()
    );
    check_what_was_told(kills, &record, &taps(adb_device.phone()));
}

/// Of each tap that a kill interrupted, the phone has told the next server whether it had begun.
fn check_what_was_told(kills: u32, record: &Path, tapped: &[(u64, u64)]) {
    let text = std::fs::read_to_string(record).unwrap();
    let mut aims: HashMap<u64, (u64, u64)> = HashMap::new();
    let mut interrupted = 0;
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let data = &event["data"];
        let id = || data["tool_call_id"].as_u64().unwrap();
        match event["type"].as_str().unwrap() {
            "tool.start" if data["name"] == "CLICK" => {
                assert!(data["mark"]["number"].is_u64(), "{line}");
                let point = &data["parameters"]["point"];
                aims.insert(id(), (point[0].as_u64().unwrap(), point[1].as_u64().unwrap()));
            }
            "tool.end" => {
                let error = data["error"].as_str().unwrap_or_default();
                assert!(!error.contains("may or may not"), "the phone knows: {line}");
                interrupted += u32::from(error.contains("the server stopped"));
                if let (true, Some(aim)) = (error.starts_with("not carried out"), aims.get(&id())) {
                    assert!(!tapped.contains(aim), "it was: {line}");
                }
            }
            _ => {}
        }
    }
    // One in ten or so comes during a tap. Few kills may miss all of them; many do not.
    assert!(kills / 100 <= interrupted, "of {kills} kills {interrupted} came during a tap");
}
