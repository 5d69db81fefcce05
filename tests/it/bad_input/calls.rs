//! Calls with arguments that cannot be.
use ayeaye_phone::LinkState;
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, info};

const NOBODY: &str = "01900000-0000-7000-8000-000000000000";

async fn rig() -> Rig {
    Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await
}

/// That nothing reached the phone and no session was begun.
async fn nothing_happened(rig: &Rig) {
    let list = rig.call("list_sessions", json!({})).await;
    assert_eq!(list["sessions"], json!([]), "no session was begun");
    assert!(rig.virtual_phone.phone().state().actions.is_empty());
    assert!(rig.vlm.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_nobody_has_is_refused() {
    let rig = rig().await;
    for tool in ["ask_agent_start_new_task", "get_screenshot"] {
        let mut arguments = json!({ "device_id": "nobody" });
        if tool == "ask_agent_start_new_task" {
            arguments["task"] = json!("do it");
        }
        let text = rig.refused(tool, arguments).await;
        assert!(text.starts_with("device nobody is not connected\nhint: "), "{text}");
        assert!(text.contains("list_connected_devices"), "{text}");
    }
    nothing_happened(&rig).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unauthorized_phone_is_listed_with_a_hint_and_refused() {
    let rig = rig().await;
    rig.virtual_phone.faults().set(|plan| plan.link = LinkState::Unauthorized);
    let list = rig.call("list_connected_devices", json!({})).await;
    let device = &list["devices"][0];
    assert_eq!(device["state"], "unauthorized");
    assert!(device["hint"].as_str().unwrap().contains("allow USB debugging"), "{device}");
    let start = json!({ "device_id": rig.serial, "task": "do it" });
    let text = rig.refused("ask_agent_start_new_task", start).await;
    assert!(text.contains("has not authorized this computer\nhint: unlock the phone"), "{text}");
    nothing_happened(&rig).await;
    rig.virtual_phone.faults().clear();
    rig.vlm.always(&complete("Done."));
    assert_eq!(rig.start("do it").await["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offline_phone_is_listed_with_a_hint_and_refused() {
    let rig = rig().await;
    rig.virtual_phone.faults().set(|plan| plan.link = LinkState::Offline);
    let list = rig.call("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"][0]["state"], "offline");
    assert!(list["devices"][0]["hint"].as_str().unwrap().contains("unplug it"), "{list}");
    let start = json!({ "device_id": rig.serial, "task": "do it" });
    let text = rig.refused("ask_agent_start_new_task", start).await;
    assert!(text.contains("is offline\nhint: it does not answer: unplug it"), "{text}");
    nothing_happened(&rig).await;
    rig.virtual_phone.faults().clear();
    rig.vlm.always(&complete("Done."));
    assert_eq!(rig.start("do it").await["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_nobody_has_or_no_session_at_all_is_refused() {
    let rig = rig().await;
    for tool in ["ask_agent_continue", "get_session", "stop_task"] {
        let text = rig.refused(tool, json!({ "session_id": NOBODY })).await;
        assert!(text.starts_with(&format!("there is no session {NOBODY}\nhint: ")), "{text}");
        for not_one in ["../../etc/passwd", "", "yes", "01900000"] {
            let text = rig.refused(tool, json!({ "session_id": not_one })).await;
            assert!(text.contains("session_id") && text.contains("list_sessions"), "{text}");
        }
    }
    nothing_happened(&rig).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_stays_on_its_phone() {
    let rig = rig().await;
    rig.vlm.always(&info("Ready?"));
    let asked = rig.start("do it").await;
    let session = &asked["session_id"];
    let other = json!({ "session_id": session, "device_id": "other", "reply_from_client": "yes" });
    let text = rig.refused("ask_agent_continue", other).await;
    let expected = format!(
        "belongs to device {}, not to other\nhint: give the device_id that the session has",
        rig.serial
    );
    assert!(text.contains(&expected), "{text}");
    rig.vlm.always(&complete("Done."));
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_and_a_reply_together_are_refused_and_the_question_stays() {
    let rig = rig().await;
    rig.vlm.always(&info("Ready?"));
    let asked = rig.start("do it").await;
    let both = json!({ "session_id": asked["session_id"], "task": "a", "reply_from_client": "b" });
    let text = rig.refused("ask_agent_continue", both).await;
    assert!(text.starts_with("`task` and `reply_from_client` cannot be given together\nhint: "));
    let again = rig.go_on(&asked, json!({})).await;
    assert_eq!(again["question"]["text"], "Ready?");
    assert_eq!(rig.vlm.asked_count(), 1, "the model was not bothered");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_task_is_refused() {
    let rig = rig().await;
    for empty in ["", "  ", "\n\t", "\u{7}\u{1b}"] {
        let start = json!({ "device_id": rig.serial, "task": empty });
        let text = rig.refused("ask_agent_start_new_task", start).await;
        assert!(text.starts_with("`task` is empty\nhint: "), "{text}");
    }
    nothing_happened(&rig).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_10_mb_is_refused() {
    let rig = rig().await;
    let start = json!({ "device_id": rig.serial, "task": "y".repeat(10_000_000) });
    let text = rig.refused("ask_agent_start_new_task", start).await;
    assert!(
        text.starts_with("`task` has 10000000 bytes of UTF-8; at most 16384 are allowed\nhint: "),
        "{text}"
    );
    nothing_happened(&rig).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_and_words_out_of_range_are_refused_by_name() {
    let rig = rig().await;
    for (argument, value, said) in [
        ("max_steps", json!(501), "`max_steps` is 501; it can be 1 to 500"),
        ("max_steps", json!(0), "`max_steps` is 0; it can be 1 to 500"),
        ("max_steps", json!(-1), "`max_steps` is -1; it can be 1 to 500"),
        ("wait_seconds", json!(-1), "`wait_seconds` is -1; it can be 0 to 3600"),
        ("wait_seconds", json!(3601), "`wait_seconds` is 3601; it can be 0 to 3600"),
        ("reply_mode", json!("ask_mum"), "`reply_mode` is ask_mum; it can be pass_to_client, "),
    ] {
        for tool in ["ask_agent_start_new_task", "ask_agent_continue"] {
            let mut arguments = match tool {
                "ask_agent_continue" => json!({ "session_id": NOBODY }),
                _ => json!({ "device_id": rig.serial, "task": "do it" }),
            };
            arguments[argument] = value.clone();
            let text = rig.refused(tool, arguments).await;
            assert!(text.starts_with(said) && text.contains("\nhint: leave it out"), "{text}");
        }
    }
    nothing_happened(&rig).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_unknown_missing_or_of_the_wrong_kind_are_refused_by_name() {
    let rig = rig().await;
    let serial = &rig.serial;
    for (arguments, name) in [
        (json!({ "device_id": serial, "task": "x", "speed": 3 }), "speed"),
        (json!({ "device_id": serial, "task": "x", "max_step": 3 }), "; did you mean `max_steps`?"),
        (json!({ "device_id": serial }), "task"),
        (
            json!({ "device_id": 5, "task": "x" }),
            "`device_id` does not fit: invalid type: integer, expected a string",
        ),
        (
            json!({ "device_id": serial, "task": "x", "max_steps": "many" }),
            "`max_steps` does not fit: invalid type: string, expected a whole number",
        ),
    ] {
        let text = refused_somehow(&rig, arguments).await;
        assert!(text.contains(name), "{name}: {text}");
    }
    nothing_happened(&rig).await;
}

/// Frameworks with strict schemas make every argument required; what a model does not mean it leaves empty, or 0.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_gives_every_argument_asks_again_and_answers() {
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which one?"))).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    let asked = rig
        .call(
            "ask_agent_start_new_task",
            json!({
                "device_id": rig.serial, "task": "Text Anna", "max_steps": "20", "reply_mode": "", "planner": "false",
                "policy": "", "queue": false, "wait_seconds": "45", "screenshot": "", "toolCallId": "call_1",
            }),
        )
        .await;
    assert_eq!(asked["question"]["text"], "Which one?", "{asked}");
    let full = |reply: &str| {
        json!({
            "session_id": asked["session_id"], "device_id": "", "task": "", "reply_from_client": reply,
            "question_step": 0, "reply_is_secret": false, "max_steps": 20, "reply_mode": "pass_to_client",
            "planner": false, "policy": "careful", "wait_seconds": 45, "screenshot": "none",
        })
    };
    for nothing in ["", " \n"] {
        let again = rig.call("ask_agent_continue", full(nothing)).await;
        assert_eq!(again["question"]["text"], "Which one?", "{again}");
        assert_eq!(rig.vlm.asked_count(), 1, "nothing is no answer");
    }
    rig.vlm.always(&complete("Told her."));
    let done = rig.call("ask_agent_continue", full("Anna Berg")).await;
    assert_eq!(done["message"], "Told her.", "{done}");
}

/// Refused as a call that fails, or as one that is not understood.
async fn refused_somehow(rig: &Rig, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let params = rmcp::model::CallToolRequestParams::new("ask_agent_start_new_task")
        .with_arguments(arguments);
    match rig.client.peer().call_tool(params).await {
        Ok(result) => {
            assert_eq!(result.is_error, Some(true));
            result.content[0].as_text().unwrap().text.clone()
        }
        Err(err) => err.to_string(),
    }
}
