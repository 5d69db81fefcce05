//! What direct control refuses, keeps to itself and does once.
use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::leave::code_in;
use super::{ASKED, DONE, act, element, middle, refused, rig, with};
use crate::support::{
    Answer, Binary, FakeVlm, complete, files, info, plugged_in, quick_phone, within,
};

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_refused_with_the_way_out() {
    let rig = rig().await;
    let before = rig.virtual_phone.phone().state().actions.len();
    for (tool, arguments, says) in [
        ("tap", json!({ "x": 540, "y": 1200 }), "`y` is 1200; it can be 0 to 1000"),
        ("tap", json!({ "x": -1, "y": 0 }), "`x` is -1"),
        // A fraction is rounded, and must be on the screen all the same.
        ("tap", json!({ "x": -0.6, "y": 0 }), "`x` is -1"),
        ("tap", json!({ "x": "a", "y": 0 }), "`x` does not fit"),
        (
            "type_text",
            json!({ "text": 481_516, "secret": true }),
            "`text` does not fit: invalid type: integer, expected a string\n",
        ),
        (
            "type_text",
            json!({ "text": "x", "secret": "Quince-41, expected \"x" }),
            "`secret` does not fit: invalid type: string, expected true or false\n",
        ),
        ("tap", json!({ "x": 1 }), "missing field `y`"),
        ("tap", json!({ "x": 1, "y": 1, "z": 1 }), "unknown field `z`"),
        ("tap", json!({ "x": 1, "y": 1, "session_id": "me" }), "`me` is not a session_id"),
        ("long_press", json!({ "x": 1, "y": 1, "duration_ms": 99_999 }), "500 to 10000"),
        ("swipe", json!({ "from_x": 1, "from_y": 1, "to_x": 1, "to_y": 1001 }), "`to_y` is 1001"),
        ("type_text", json!({ "text": "" }), "`text` is empty"),
        ("type_text", json!({ "text": "a\u{7}" }), "U+0007"),
        ("type_text", json!({ "text": "hi", "x": 4 }), "`y` is missing"),
        ("press_key", json!({ "key": "SELF_DESTRUCT" }), "BACK, HOME"),
        ("launch_app", json!({ "app": " " }), "`app` is empty"),
    ] {
        let text = refused(&rig, tool, arguments.clone()).await;
        assert!(text.contains(says) && text.contains("\nhint: "), "{tool} {arguments}: {text}");
    }
    assert_eq!(rig.call("list_sessions", json!({})).await["sessions"], json!([]), "nothing begun");
    let text = refused(&rig, "launch_app", json!({ "app": "com.example.message" })).await;
    assert!(
        text.contains("launch_app was not carried out") && text.contains("com.example.messages"),
        "{text}"
    );
    let text = rig.refused("tap", json!({ "device_id": "nobody", "x": 1, "y": 1 })).await;
    assert!(text.starts_with("device nobody is not connected\nhint: "), "{text}");
    assert_eq!(rig.virtual_phone.phone().state().actions.len(), before, "nothing was done");
}

/// Frameworks with strict schemas make every argument required; what a model does not mean it leaves empty, or 0.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_gives_every_argument_can_act() {
    let rig = rig().await;
    let rest = json!({ "session_id": "", "reason": "", "screenshot": 0, "approval": "", "double": "false" });
    let place = with(rest.clone(), &json!({ "ref": "", "x": "500", "y": 990 }));
    let done = act(&rig, "tap", place).await;
    assert_eq!(done["action"]["point"], json!([500, 990]), "{done}");
    let found = element(&rig, |it| it["ref"].is_string()).await;
    let named = with(rest, &json!({ "ref": found["ref"], "x": 0, "y": 0 }));
    let done = act(&rig, "tap", named.clone()).await;
    assert_eq!(done["action"]["action_type"], "CLICK", "{done}");
    let both = with(named, &json!({ "x": 5 }));
    let text = refused(&rig, "tap", both).await;
    assert!(text.contains("needs either `ref`, or `x` and `y`"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dark_screen_is_switched_on_and_nothing_hit_that_was_not_seen() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    phone.press_power();
    assert!(!phone.is_awake());
    let text = refused(&rig, "tap", json!({ "x": 500, "y": 500 })).await;
    assert!(text.contains("the screen was off"), "{text}");
    assert!(phone.is_awake());
    assert_eq!((phone.state().counts.taps, phone.state().counts.input_while_off), (0, 0));
    let off = act(&rig, "press_key", json!({ "key": "POWER" })).await;
    assert_eq!((&off["screen_on"], phone.is_awake()), (&json!(false), false));
    let opened = act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    assert_eq!(opened["app"], "com.example.notes");
}

#[tokio::test(flavor = "multi_thread")]
async fn acts_at_the_same_time_come_one_after_the_other() {
    let rig = rig().await;
    let tap = |x: u32| act(&rig, "tap", json!({ "x": x, "y": 500 }));
    let all = futures::future::join_all([100, 300, 500, 700, 900].map(tap)).await;
    let mut steps: Vec<_> = all.iter().map(|it| it["global_step_idx"].as_u64()).collect();
    steps.sort_unstable();
    assert_eq!(steps, (1..=5).map(Some).collect::<Vec<_>>());
    assert!(all.iter().all(|it| it["session_id"] == all[0]["session_id"]));
    assert_eq!(rig.virtual_phone.phone().state().counts.taps, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_and_a_secret_reach_the_phone_and_no_file() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    act(&rig, "launch_app", json!({ "app": "Nimbus" })).await;
    act(&rig, "tap", middle(&rig, "sign_in").await).await;
    let user =
        with(middle(&rig, "username").await, &json!({ "text": "Quince-41", "secret": true }));
    let typed = act(&rig, "type_text", user).await;
    let hidden = element(&rig, |it| it["password"] == true).await;
    assert_eq!(hidden["text"], Value::Null);
    let password = middle(&rig, hidden["id"].as_str().unwrap()).await;
    let password = with(password, &json!({ "text": "Medlar-77" }));
    let asked = refused(&rig, "type_text", password.clone()).await;
    assert!(asked.contains("a field for a password") && !asked.contains("Medlar"), "{asked}");
    let told = act(&rig, "type_text", with(password, &code_in(&asked))).await;
    assert_eq!(told["password_field"], true);
    assert_eq!(phone.state().focused_field.unwrap().text, "Medlar-77");
    let tree = act(&rig, "get_ui_tree", json!({})).await.to_string();
    assert!(!tree.contains("Medlar"), "{tree}");
    for (text, result) in [("Quince-41", &typed), ("Medlar-77", &told)] {
        assert!(!result.to_string().contains(text), "{result}");
        assert!(result["action"]["value"].as_str().unwrap().starts_with("[secret "), "{result}");
        assert_eq!(files::with(rig.data.path(), text), [""; 0], "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_in_the_middle_of_acts_repeat_nothing_and_lose_nothing() {
    const KILLS: u32 = 12;
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Please sign in"))).await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MCP_TOOLS", "all");
    let mut served = binary.raw().await;
    let serial = virtual_phone.serial();
    let start = json!({ "device_id": serial, "task": "Sign in" });
    let asked = served.facts("ask_agent_start_new_task", start).await;
    let session = asked["session_id"].as_str().unwrap().to_owned();
    let record = binary.data.path().join("sessions").join(&session).join("events.jsonl");
    let lines = || std::fs::read_to_string(&record).unwrap().matches('\n').count();
    let mut x = 0;
    for _ in 0..KILLS {
        let target = lines() + rand::random_range(1..=24);
        // Nobody waits for the answers: the next act waits for the one before.
        for _ in 0..4 {
            x += 2;
            let arguments = json!({ "device_id": serial, "session_id": session, "x": x, "y": 500 });
            served.send("tools/call", json!({ "name": "tap", "arguments": arguments })).await;
        }
        within(30, "more of the record", async {
            let mut tick = tokio::time::interval(Duration::from_millis(1));
            while lines() < target {
                tick.tick().await;
            }
        })
        .await;
        served.kill().await;
        served = binary.raw().await;
        let known = served.facts("get_session", json!({ "session_id": session })).await;
        assert_eq!(known["stop_reason"], ASKED, "the question is there: {known}");
    }
    let last = json!({ "device_id": serial, "session_id": session, "key": "HOME" });
    let last = served.facts("press_key", last).await;
    let state = serde_json::to_value(virtual_phone.phone().state()).unwrap();
    let mut taps: HashMap<String, u32> = HashMap::new();
    for action in state["actions"].as_array().unwrap() {
        if action["gesture"]["kind"] == "tap" {
            *taps.entry(action["gesture"]["x"].to_string()).or_default() += 1;
        }
    }
    assert!(taps.values().all(|times| *times == 1), "sent twice: {taps:?}");
    assert!(2 < taps.len(), "some were sent: {taps:?}");
    // What reached the phone stands in the record, and every step has its end.
    let text = std::fs::read_to_string(&record).unwrap();
    let count = |what: &str| text.matches(&format!(r#""type":"{what}""#)).count();
    assert!(taps.len() <= count("tool.start"));
    for (begun, ended) in [("step.start", "step.end"), ("tool.start", "tool.end")] {
        assert_eq!(count(begun), count(ended), "{begun}");
    }
    assert_eq!(last["global_step_idx"], count("step.start"));
    vlm.always(&complete("In."));
    let reply = json!({ "session_id": session, "reply_from_client": "done" });
    assert_eq!(served.facts("ask_agent_continue", reply).await["stop_reason"], DONE);
}
