//! A data folder that does what it should not.
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, info};

async fn rig() -> (Rig, std::path::PathBuf) {
    let data = TempDir::new().unwrap();
    let sessions = data.path().join("sessions");
    let vlm = FakeVlm::start(|_| Answer::Says(info("Ready?"))).await;
    (Rig::with(vlm, RigOptions { data, ..RigOptions::quick() }).await, sessions)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_place_for_records_nothing_is_done_on_the_phone() {
    let (rig, sessions) = rig().await;
    std::fs::write(&sessions, "not a folder").unwrap();
    let start = json!({ "device_id": rig.serial, "task": "do it" });
    let text = rig.refused("ask_agent_start_new_task", start).await;
    assert!(text.contains("sessions") && text.contains("\nhint: free some disk space"), "{text}");
    assert!(rig.virtual_phone.phone().state().actions.is_empty());
    std::fs::remove_file(&sessions).unwrap();
    let asked = rig.start("do it").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "the phone is free again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_damaged_in_the_middle_is_refused_and_harms_no_other() {
    let (rig, sessions) = rig().await;
    let (damaged, whole) = (rig.start("first").await, rig.start("second").await);
    let id = damaged["session_id"].as_str().unwrap();
    let record = sessions.join(id).join("events.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replacen("first", "fi_st", 1)).unwrap();
    let text = rig.refused("ask_agent_continue", json!({ "session_id": id })).await;
    assert!(text.contains("hint: the record was changed by something else"), "{text}");
    let list = rig.call("list_sessions", json!({})).await;
    let items = list["sessions"].as_array().unwrap();
    let item = items.iter().find(|item| item["session_id"] == id).expect("it is in the list");
    assert_eq!(item["stop_reason"], "STORAGE_FAILED");
    assert!(item["error"].is_string(), "{item}");
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&whole, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_whose_last_line_is_torn_goes_on_without_it() {
    let (rig, sessions) = rig().await;
    let asked = rig.start("do it").await;
    let record = sessions.join(asked["session_id"].as_str().unwrap()).join("events.jsonl");
    let mut text = std::fs::read_to_string(&record).unwrap();
    text.truncate(text.len() - 20);
    std::fs::write(&record, text).unwrap();
    let again = rig.go_on(&asked, json!({})).await;
    assert_eq!(again["question"]["text"], "Ready?", "{again}");
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}
