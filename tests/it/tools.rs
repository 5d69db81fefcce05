//! The tools as a client uses them.
use serde_json::json;

use crate::support::{Answer, Binary, FakeVlm, Rig, complete, gelab, info, one_by_one};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_number_without_a_fraction_is_an_integer() {
    let rig = Rig::new(FakeVlm::start(|_| Answer::Says(complete("Done."))).await).await;
    let task = json!({ "device_id": rig.serial, "task": "do it", "max_steps": 3.0 });
    let done = rig.call("ask_agent_start_new_task", task).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let listed = rig.call("list_sessions", json!({ "limit": 5.0 })).await;
    assert_eq!(listed["sessions"][0]["session_id"], done["session_id"]);
    let refused = rig.refused("list_sessions", json!({ "limit": 5.5 })).await;
    assert!(refused.contains("`limit` does not fit"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn params_that_do_not_fit_are_told_from_an_unknown_method() {
    let mut raw = Binary::alone().raw().await;
    for (method, params, code, says) in [
        ("tools/call", json!({}), -32602, "missing field `name`"),
        ("resources/read", json!({ "uri": 5 }), -32602, "`uri`"),
        ("prompts/get", json!({}), -32602, "missing field `name`"),
        ("tools/delete", json!({}), -32601, "tools/delete"),
    ] {
        let answer = raw.ask(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains(says), "{text}");
    }
}
