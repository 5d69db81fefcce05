//! `kill -9` of the server at random points: what its logs lack is completed by the next one, whether
//! the session is continued or not.
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ayeaye_export::Images;
use serde_json::{Value, json};

use super::fields::is_step;
use super::folders::{json_lines, same_twice};
use crate::support::{Answer, Binary, FakeVlm, click, complete, plugged_in, quick_phone, within};

const KILLS: usize = 5;

/// The record's whole lines.
fn events(record: &Path) -> Vec<Value> {
    let text = fs::read_to_string(record).unwrap();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn grown_by(record: &Path, more: usize) {
    let lines = || fs::read_to_string(record).unwrap().matches('\n').count();
    let target = lines() + more;
    within(60, "more events", async {
        let mut tick = tokio::time::interval(Duration::from_millis(1));
        while lines() < target {
            tick.tick().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_of_a_killed_server_are_completed_whether_the_session_goes_on_or_not() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let enough = Arc::new(AtomicBool::new(false));
    let (over, mut taps) = (enough.clone(), 0);
    let vlm = FakeVlm::start(move |_| {
        taps += 1;
        let over = over.load(Ordering::SeqCst);
        Answer::Says(if over { complete("All done.") } else { click(100 + taps * 2, 300) })
    })
    .await;
    let binary = Binary::with(adb, &vlm);
    let data = binary.data.path();
    let mut served = binary.raw().await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "Tap", "max_steps": 500,
        "wait_seconds": 0 });
    let begun = served.facts("ask_agent_start_new_task", start).await;
    let session = begun["session_id"].as_str().unwrap();
    let record = data.join("sessions").join(session).join("events.jsonl");
    let lines =
        || json_lines(&fs::read(data.join("logs").join(session).join("response.log")).unwrap());
    for kill in 0..KILLS {
        let more = rand::random_range(0..=20);
        grown_by(&record, more).await;
        served.kill().await;
        if kill % 2 == 1 {
            // As if the power had gone too: half a line.
            let mut torn = OpenOptions::new().append(true).open(&record).unwrap();
            torn.write_all(br#"{"v":1,"seq":9,"ts":"20"#).unwrap();
        }
        let before = events(&record);
        // Not continued: only the server is started again.
        served = binary.raw().await;
        same_twice(data, session, Images::Clean).await;
        assert_eq!(events(&record), before, "looking after logs leaves the record alone");
        let ended = before.iter().filter(|event| event["type"] == "step.end").count();
        assert_eq!(lines().len(), ended);
        // Gone on with, and killed again.
        let more = json!({ "session_id": session, "max_steps": 500, "wait_seconds": 0 });
        served.facts("ask_agent_continue", more).await;
    }
    enough.store(true, Ordering::SeqCst);
    let done = served.facts("ask_agent_continue", json!({ "session_id": session })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    same_twice(data, session, Images::Clean).await;
    let lines = lines();
    assert_eq!(json!(lines.len()), done["global_step_idx"], "a line for every step");
    for (number, line) in lines.iter().enumerate() {
        is_step(line);
        assert_eq!(line["step"], number);
    }
    let told =
        |what: &str| events(&record).iter().filter(|it| it.to_string().contains(what)).count();
    assert_eq!(told(r#""kind":"recovered""#), KILLS / 2, "torn tails are cut off and noted");
    assert!((1..=KILLS + 1).contains(&told(r#""type":"session.resume""#)));
}
