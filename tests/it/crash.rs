//! `kill -9` of the real server at random points of a task.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::fence::taps;
use crate::support::{Answer, Binary, FakeVlm, complete, gelab, plugged_in, quick_phone, within};

fn lines(record: &str) -> usize {
    record.matches('\n').count()
}

fn read(record: &Path) -> String {
    std::fs::read_to_string(record).unwrap()
}

/// Waits until the record is as wanted, looking every millisecond.
async fn until(record: &Path, wanted: impl Fn(&str) -> bool) {
    within(60, "the record", async {
        let mut tick = tokio::time::interval(Duration::from_millis(1));
        while !wanted(&read(record)) {
            tick.tick().await;
        }
    })
    .await;
}

/// Whether a tap is under way: its start is the last whole line.
fn is_tapping(record: &str) -> bool {
    let last = record.lines().next_back().filter(|_| record.ends_with('\n'));
    let event = last.and_then(|line| serde_json::from_str::<Value>(line).ok());
    event.is_some_and(|it| it["type"] == "tool.start" && it["data"]["name"] == "CLICK")
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_kills_lose_no_session_and_repeat_no_action() {
    let interrupted = kills_lose_no_session_and_repeat_no_action(17, 50).await;
    assert!(0 < interrupted, "of ten kills that wait for a tap, none came during one");
}

/// Before a release: `cargo it five_hundred --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn five_hundred_kills_lose_no_session_and_repeat_no_action() {
    let mut interrupted = 0;
    for seed in 0..10 {
        interrupted += kills_lose_no_session_and_repeat_no_action(seed, 50).await;
    }
    assert!(10 <= interrupted, "of 500 kills {interrupted} came during a tap");
}

/// Kills the server so often during one session, every fifth time during a tap if it can. Returns how often
/// that was so.
async fn kills_lose_no_session_and_repeat_no_action(seed: u64, kills: u32) -> u32 {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;

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
            json!({ "device_id": virtual_phone.serial(), "task": "Tap", "max_steps": 500, "wait_seconds": 0 }),
        )
        .await;
    let session = started["session_id"].as_str().unwrap().to_owned();
    let record: PathBuf = binary.data.path().join("sessions").join(&session).join("events.jsonl");
    let mut random = StdRng::seed_from_u64(seed);
    for kill in 0..kills {
        let target = lines(&read(&record)) + random.random_range(1..=28);
        let aimed = kill % 5 == 0;
        until(&record, |text| target <= lines(text) && (!aimed || is_tapping(text))).await;
        served.kill().await;
        served = binary.raw().await;
        let known = served.facts("get_session", json!({ "session_id": session })).await;
        assert_eq!(known["stop_reason"], "SERVER_RESTARTED", "seed {seed}: {known}");
        let arguments = json!({ "session_id": session, "max_steps": 500, "wait_seconds": 0 });
        served.facts("ask_agent_continue", arguments).await;
    }
    enough.store(1, Ordering::SeqCst);
    let ended = served.facts("ask_agent_continue", json!({ "session_id": session })).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "seed {seed}: {ended}");
    assert_eq!(ended["session_id"], session);

    let mut seen: HashMap<String, u32> = HashMap::new();
    let state = serde_json::to_value(virtual_phone.phone().state()).unwrap();
    for action in state["actions"].as_array().unwrap() {
        let gesture = &action["gesture"];
        if gesture["kind"] == "tap" {
            *seen.entry(format!("{},{}", gesture["x"], gesture["y"])).or_default() += 1;
        }
    }
    let repeated: Vec<_> = seen.iter().filter(|(_, times)| 1 < **times).collect();
    assert_eq!(repeated, Vec::<(&String, &u32)>::new(), "seed {seed}: taps that were sent twice");
    assert!(
        kills / 3 < u32::try_from(seen.len()).unwrap(),
        "seed {seed}: the task went on between kills: {}",
        seen.len()
    );
    check_what_was_told(&read(&record), &taps(virtual_phone.phone()))
}

/// Of each tap that a kill interrupted, the phone has told the next server whether it had begun. Returns how
/// many those are.
fn check_what_was_told(text: &str, tapped: &[(u64, u64)]) -> u32 {
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
    interrupted
}
