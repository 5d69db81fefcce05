//! A client that acts on the phone itself, over the real server.
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use ayeaye::config::ToolSet;
use ayeaye_agent::{Limits, Principal, ReplyMode, StartTask, StopReason};
use ayeaye_phone::Trigger;
use rand::Rng as _;
use serde_json::{Value, json};

use crate::contracts::{is_portable, keeps_to};
use crate::support::{
    Answer, Binary, FakeVlm, Rig, RigOptions, click, complete, info, plugged_in, quick_phone,
    within,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const ASKED: &str = "INFO_ACTION_NEEDS_REPLY";

async fn rig_of(options: RigOptions) -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    Rig::with(vlm, RigOptions { tools: ToolSet::ALL, ..options }).await
}

async fn rig() -> Rig {
    rig_of(RigOptions::quick()).await
}

/// Acts with these arguments beside the phone's name.
async fn act(rig: &Rig, tool: &str, mut arguments: Value) -> Value {
    arguments["device_id"] = json!(rig.serial);
    rig.call(tool, arguments).await
}

async fn refused(rig: &Rig, tool: &str, mut arguments: Value) -> String {
    arguments["device_id"] = json!(rig.serial);
    rig.refused(tool, arguments).await
}

/// The first element that fits, as the tool tells it.
async fn element(rig: &Rig, fits: impl Fn(&Value) -> bool) -> Value {
    let tree = act(rig, "get_ui_tree", json!({})).await;
    let mut all = tree["elements"].as_array().unwrap().iter();
    all.find(|it| fits(it)).unwrap_or_else(|| panic!("it is not there: {tree}")).clone()
}

/// The middle of the element with this id.
async fn middle(rig: &Rig, id: &str) -> Value {
    let found = element(rig, |it| it["id"] == id).await;
    let edge = |at: usize| found["bounds"][at].as_i64().unwrap();
    json!({ "x": i64::midpoint(edge(0), edge(2)), "y": i64::midpoint(edge(1), edge(3)) })
}

fn with(mut facts: Value, more: &Value) -> Value {
    facts.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    facts
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_does_what_it_says() {
    let rig = rig().await;
    let phone = rig.adb_device.phone().clone();
    let opened = act(&rig, "launch_app", json!({ "app": "notes", "reason": "to write" })).await;
    assert_eq!(
        (&opened["app"], &opened["screen_changed"]),
        (&json!("com.example.notes"), &json!(true))
    );
    assert_eq!(phone.foreground().package, "com.example.notes");
    assert_eq!((&opened["global_step_idx"], &opened["screen_on"]), (&json!(1), &json!(true)));
    assert_eq!(
        opened["action"],
        json!({ "action_type": "AWAKE", "explain": "to write", "app": "notes" })
    );

    let tapped = act(&rig, "tap", middle(&rig, "new_note").await).await;
    assert_eq!(tapped["session_id"], opened["session_id"], "one session for all");
    assert_eq!((&tapped["global_step_idx"], &tapped["screen_changed"]), (&json!(2), &json!(true)));

    let title = middle(&rig, "title").await;
    let typed = act(&rig, "type_text", with(title.clone(), &json!({ "text": "Milk" }))).await;
    assert_eq!((&typed["keyboard_shown"], &typed["password_field"]), (&json!(true), &json!(false)));
    assert_eq!(phone.state().focused_field.unwrap().text, "Milk");
    act(&rig, "type_text", json!({ "text": " & honey" })).await;
    assert_eq!(phone.state().focused_field.unwrap().text, "Milk & honey");
    act(&rig, "type_text", with(title, &json!({ "text": "Tea", "clear": true }))).await;
    assert_eq!(phone.state().focused_field.unwrap().text, "Tea");

    act(&rig, "press_key", json!({ "key": "BACK" })).await;
    assert!(!phone.keyboard_shown(), "the first closes the keyboard");
    act(&rig, "tap", middle(&rig, "save").await).await;
    assert!(
        phone.state().notes.iter().any(|note| note.title == "Tea"),
        "{:?}",
        phone.state().notes
    );
    let note = element(&rig, |it| it["text"] == "Tea").await;
    let y = note["bounds"][1].as_i64().unwrap() + 5;
    let pressed = act(&rig, "long_press", json!({ "x": 300, "y": y, "duration_ms": 900 })).await;
    assert_eq!(pressed["action"]["duration_ms"], 900);
    // A long press asks whether to delete it.
    element(&rig, |it| it["text"].as_str().is_some_and(|it| it.starts_with("Delete"))).await;
    act(&rig, "press_key", json!({ "key": "back" })).await;

    let swipe = json!({ "from_x": 500, "from_y": 700, "to_x": 500, "to_y": 300 });
    act(&rig, "swipe", swipe).await;
    let drawn = serde_json::to_value(phone.state().actions).unwrap();
    let last = &drawn.as_array().unwrap().last().unwrap()["gesture"];
    let (width, height) = phone.display_size();
    assert_eq!(last["kind"], "swipe");
    assert_eq!(last["from"], json!([f64::from(width) * 0.5, f64::from(height) * 0.7]));
    assert_eq!(last["ms"], 500);

    let taps = phone.state().counts.taps;
    let twice = act(&rig, "tap", json!({ "x": 500, "y": 500, "double": true })).await;
    assert_eq!(twice["action"]["action_type"], "DOUBLE_CLICK");
    assert_eq!(phone.state().counts.taps, taps + 2);
    act(&rig, "press_key", json!({ "key": "HOME" })).await;
    assert_ne!(phone.foreground().package, "com.example.notes");
    let again = act(&rig, "tap", json!({ "x": 999, "y": 999 })).await;
    assert!(again["next"].as_str().unwrap().contains("ask_agent_continue"), "{again}");
    assert_eq!(rig.vlm.asked().len(), 0, "no model was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_takes_over_from_an_agent_that_is_stuck_and_hands_back() {
    let rig = rig_of(RigOptions {
        limits: Limits { repeats: 1, ..Limits::USUAL },
        ..RigOptions::quick()
    })
    .await;
    rig.vlm.always(&click(998, 500));
    let stuck = rig.start("Write a note").await;
    assert_eq!(stuck["stop_reason"], "NO_PROGRESS", "{stuck}");
    let session = json!({ "session_id": stuck["session_id"] });
    let opened = act(&rig, "launch_app", with(json!({ "app": "Notes" }), &session)).await;
    assert_eq!(opened["session_id"], stuck["session_id"]);
    let steps = stuck["global_step_idx"].as_u64().unwrap();
    assert_eq!(opened["global_step_idx"], steps + 1);
    let uri = opened["screenshot_uri"].as_str().unwrap().to_owned();
    assert!(uri.ends_with(&format!("/steps/{steps}/screenshot")), "{uri}");
    let read = rmcp::model::ReadResourceRequestParams::new(uri);
    assert!(rig.client.peer().read_resource(read).await.is_ok());
    let listed = rig.call("get_session", session).await;
    assert_eq!(listed["stop_reason"], "USER_PAUSED");
    rig.vlm.always(&complete("Written."));
    let done = rig.go_on(&stuck, json!({})).await;
    assert_eq!((&done["stop_reason"], &done["task"]), (&json!(DONE), &json!("Write a note")));
    assert_eq!(rig.adb_device.phone().foreground().package, "com.example.notes", "no reset");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("the client has acted on the phone itself, not you"), "{told}");
    assert!(told.contains("AWAKE Notes") && told.contains("look anew"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_asks_for_is_done_by_the_client_and_then_answered() {
    let rig = rig().await;
    rig.adb_device.faults().set(|plan| plan.black = Some(Trigger::Every));
    rig.vlm.always(&complete("Signed in."));
    let asked = rig.start("Sign in").await;
    assert_eq!(
        (&asked["stop_reason"], &asked["question"]["kind"]),
        (&json!(ASKED), &json!("takeover"))
    );
    let session = json!({ "session_id": asked["session_id"] });
    // Also on the black screen: the client may know what is there.
    let pressed = act(&rig, "press_key", with(json!({ "key": "BACK" }), &session)).await;
    assert_eq!(pressed["question"], asked["question"]);
    assert!(pressed["next"].as_str().unwrap().contains("still waits"), "{pressed}");
    rig.adb_device.faults().clear();
    act(&rig, "launch_app", with(json!({ "app": "Nimbus" }), &session)).await;
    let waiting = rig.call("get_session", session).await;
    assert_eq!(
        (&waiting["stop_reason"], &waiting["question"]),
        (&json!(ASKED), &asked["question"])
    );
    assert_eq!(rig.go_on(&asked, json!({})).await["question"], asked["question"], "asked again");
    let done = rig.go_on(&asked, json!({ "reply_from_client": "done" })).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("done") && told.contains("AWAKE Nimbus"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_acts_is_handed_to_the_agent_with_a_task() {
    let rig = rig().await;
    let opened = act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    let session = json!({ "session_id": opened["session_id"] });
    let text = rig.refused("ask_agent_continue", session.clone()).await;
    assert!(text.contains("has no task yet") && text.contains("hint: say what"), "{text}");
    rig.vlm.always(&complete("Written."));
    let done = rig.go_on(&opened, json!({ "task": "Write a note" })).await;
    assert_eq!((&done["stop_reason"], &done["session_id"]), (&json!(DONE), &opened["session_id"]));
    assert_eq!(rig.adb_device.phone().foreground().package, "com.example.notes", "no reset");
    let next = act(&rig, "press_key", json!({ "key": "HOME" })).await;
    assert_ne!(next["session_id"], opened["session_id"], "that one is the agent's now");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_at_work_is_left_alone() {
    let rig = rig().await;
    let begin = json!({ "device_id": rig.serial, "task": "do it", "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", begin).await;
    within(20, "a question to the model", async {
        while rig.vlm.asked().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let before = rig.adb_device.phone().state().actions.len();
    let session = json!({ "session_id": begun["session_id"] });
    let place = json!({ "x": 500, "y": 500 });
    let text = refused(&rig, "tap", with(place.clone(), &session)).await;
    assert!(text.contains("is still at work") && text.contains("stop_task"), "{text}");
    let text = refused(&rig, "tap", place.clone()).await;
    assert!(text.contains("is busy: session") && text.contains("stop_task"), "{text}");
    // One's own agent may be watched.
    act(&rig, "get_ui_tree", json!({})).await;
    assert_eq!(rig.adb_device.phone().state().actions.len(), before);
    rig.call("stop_task", session.clone()).await;
    assert_eq!(act(&rig, "tap", with(place, &session)).await["session_id"], begun["session_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_principal_s_phone_and_sessions_are_nobody_else_s_business() {
    let rig = rig().await;
    let theirs = StartTask {
        device_id: ayeaye_agent::DeviceId::new(rig.serial.clone()),
        task: "theirs".to_owned(),
        max_steps: 5,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        principal: Principal::new("bob"),
    };
    let follower = rig.agent.start(theirs).await.unwrap();
    let id = follower.report().session_id.to_string();
    let place = json!({ "x": 500, "y": 500 });
    for (tool, arguments) in [("tap", place.clone()), ("get_ui_tree", json!({}))] {
        let text = refused(&rig, tool, arguments).await;
        assert!(text.contains("is busy: somebody else") && !text.contains(&id), "{text}");
        assert!(!text.contains("stop_task"), "there is nothing to be stopped: {text}");
    }
    let unknown = "01900000-0000-7000-8000-000000000000";
    let named = async |id: &str| {
        let text = refused(&rig, "tap", with(place.clone(), &json!({ "session_id": id }))).await;
        text.replace(id, "ID")
    };
    assert_eq!(named(&id).await, named(unknown).await, "a guessed id answers like an unknown one");
    let bob = Principal::new("bob");
    rig.agent.stop(follower.report().session_id, StopReason::Cancelled, &bob).await.unwrap();
    assert_eq!(named(&id).await, named(unknown).await);
    assert_ne!(act(&rig, "tap", place).await["session_id"], json!(id));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_refused_with_the_way_out() {
    let rig = rig().await;
    let before = rig.adb_device.phone().state().actions.len();
    for (tool, arguments, says) in [
        ("tap", json!({ "x": 540, "y": 1200 }), "`y` is 1200; it can be 0 to 1000"),
        ("tap", json!({ "x": -1, "y": 0 }), "`x` is -1"),
        ("tap", json!({ "x": 1.5, "y": 0 }), "`x` does not fit"),
        (
            "type_text",
            json!({ "text": 481_516, "secret": true }),
            "`text` does not fit: invalid type: integer, expected a string\n",
        ),
        (
            "type_text",
            json!({ "text": "x", "secret": "Quince-41, expected \"x" }),
            "`secret` does not fit: invalid type: string, expected a boolean\n",
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
        text.contains("AWAKE was not carried out") && text.contains("com.example.messages"),
        "{text}"
    );
    let text = rig.refused("tap", json!({ "device_id": "nobody", "x": 1, "y": 1 })).await;
    assert!(text.starts_with("device nobody is not connected\nhint: "), "{text}");
    assert_eq!(rig.adb_device.phone().state().actions.len(), before, "nothing was done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dark_screen_is_switched_on_and_nothing_hit_that_was_not_seen() {
    let rig = rig().await;
    let phone = rig.adb_device.phone().clone();
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
    assert_eq!(rig.adb_device.phone().state().counts.taps, 5);
}

/// Every file below a folder that holds this text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|it| it == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_and_a_secret_reach_the_phone_and_no_file() {
    let rig = rig().await;
    let phone = rig.adb_device.phone().clone();
    act(&rig, "launch_app", json!({ "app": "Nimbus" })).await;
    act(&rig, "tap", middle(&rig, "sign_in").await).await;
    let user =
        with(middle(&rig, "username").await, &json!({ "text": "Quince-41", "secret": true }));
    let typed = act(&rig, "type_text", user).await;
    let hidden = element(&rig, |it| it["password"] == true).await;
    assert_eq!(hidden["text"], Value::Null);
    let password = middle(&rig, hidden["id"].as_str().unwrap()).await;
    let told = act(&rig, "type_text", with(password, &json!({ "text": "Medlar-77" }))).await;
    assert_eq!(told["password_field"], true);
    assert_eq!(phone.state().focused_field.unwrap().text, "Medlar-77");
    let tree = act(&rig, "get_ui_tree", json!({})).await.to_string();
    assert!(!tree.contains("Medlar"), "{tree}");
    for (text, result) in [("Quince-41", &typed), ("Medlar-77", &told)] {
        assert!(!result.to_string().contains(text), "{result}");
        assert!(result["action"]["value"].as_str().unwrap().starts_with("[secret "), "{result}");
        assert_eq!(files_with(rig.data.path(), text), [""; 0], "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_in_the_middle_of_acts_repeat_nothing_and_lose_nothing() {
    const KILLS: u32 = 12;
    let adb_device = quick_phone();
    let (adb, _guard) = plugged_in(&adb_device).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Please sign in"))).await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MCP_TOOLS", "all");
    let mut served = binary.raw().await;
    let serial = adb_device.serial();
    let start = json!({ "device_id": serial, "task": "Sign in" });
    let asked = served.facts("ask_agent_start_new_task", start).await;
    let session = asked["session_id"].as_str().unwrap().to_owned();
    let record = binary.data.path().join("sessions").join(&session).join("events.jsonl");
    let lines = || std::fs::read_to_string(&record).unwrap().matches('\n').count();
    let mut x = 0;
    for _ in 0..KILLS {
        let target = lines() + rand::rng().random_range(1..=24);
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
    let state = serde_json::to_value(adb_device.phone().state()).unwrap();
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

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_all_tools_is_as_it_was() {
    let rig = rig().await;
    let tools = crate::contracts::tools(&rig).await;
    let ours =
        ["get_ui_tree", "launch_app", "long_press", "press_key", "swipe", "tap", "type_text"];
    let all = tools.as_array().unwrap();
    let direct: Vec<&Value> =
        all.iter().filter(|it| ours.contains(&it["name"].as_str().unwrap())).collect();
    assert_eq!((direct.len(), all.len()), (7, 14));
    for tool in &direct {
        let name = tool["name"].as_str().unwrap();
        is_portable(&tool["inputSchema"], name);
        is_portable(&tool["outputSchema"], name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        for (field, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{field}");
        }
        assert!(tool["description"].as_str().unwrap().len() < 2048, "hosts cut at 2 KB: {name}");
        assert!(tool["title"].is_string() && tool["annotations"].is_object(), "{name}");
    }
    insta::assert_json_snapshot!(direct);
    let said = rig.client.peer().peer_info().unwrap().instructions.clone().unwrap();
    assert!(said.contains("thousandths") && said.len() < 2600, "{}", said.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_agent_s_tools_the_phone_can_be_driven_alone() {
    let device = ToolSet { agent: false, device: true };
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions { tools: device, ..RigOptions::quick() }).await;
    let pressed = act(&rig, "press_key", json!({ "key": "HOME" })).await;
    assert!(!pressed["next"].as_str().unwrap().contains("ask_agent"), "{pressed}");
    let said = rig.client.peer().peer_info().unwrap().instructions.clone().unwrap();
    assert!(!said.contains("ask_agent"), "{said}");
    let tools = serde_json::to_value(rig.client.peer().list_all_tools().await.unwrap()).unwrap();
    let schema = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["outputSchema"].clone()
    };
    keeps_to(&schema("press_key"), &pressed, "press_key");
    let tree = act(&rig, "get_ui_tree", json!({})).await;
    keeps_to(&schema("get_ui_tree"), &tree, "get_ui_tree");
    assert!(tree.to_string().chars().count() <= 7_500);
}
