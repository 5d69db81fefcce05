//! The tools as a client uses them.
use serde_json::json;

use crate::support::{Answer, FakeVlm, Rig, complete, gelab, info, one_by_one};

#[tokio::test(flavor = "multi_thread")]
async fn the_virtual_phone_is_listed() {
    let rig = Rig::new(FakeVlm::start(|_| Answer::Silence).await).await;
    let list = rig.call("list_connected_devices", json!({})).await;
    let device = &list["devices"][0];
    assert_eq!(device["device_id"], rig.serial);
    assert_eq!(device["state"], "device");
    assert_eq!(device["transport"], "virtual");
    assert_eq!(device["screen"], json!({ "width": 1080, "height": 2400 }));
    assert_eq!(device["busy"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_stops_the_run_and_a_reply_goes_on_in_the_same_session() {
    let vlm = FakeVlm::start(one_by_one(vec![
        Answer::Says(gelab("AWAKE", "value:Messages", "opened Messages")),
        Answer::Says(info("Which Anna?")),
        Answer::Says(complete("Told her.")),
    ]))
    .await;
    let rig = Rig::new(vlm).await;
    let asked = rig
        .call(
            "ask_agent_start_new_task",
            json!({ "device_id": rig.serial, "task": "Tell Anna that I am late" }),
        )
        .await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY");
    assert_eq!(asked["question"]["text"], "Which Anna?");
    assert_eq!(asked["question"]["app"], "com.example.messages");
    assert_eq!(asked["final_action"]["action_type"], "INFO");
    assert_eq!(asked["final_action"]["value"], "Which Anna?");
    let done = rig
        .call(
            "ask_agent_continue",
            json!({ "session_id": asked["session_id"], "reply_from_client": "Anna Berg" }),
        )
        .await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(done["session_id"], asked["session_id"]);
    assert_eq!(done["message"], "Told her.");
    assert_eq!(done["global_step_idx"], 3);
    assert_eq!(done["local_step_idx"], 1);
    let last = rig.vlm.asked().pop().unwrap().to_string();
    assert!(last.contains("Anna Berg"), "the reply reached the model");
}
