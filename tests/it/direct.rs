//! A client that acts on the phone itself, over the real server.

use ayeaye::config::ToolSet;
use ayeaye_agent::{Limits, Principal, ReplyMode, StartTask, StopReason};
use ayeaye_phone::Trigger;
use serde_json::{Value, json};

use crate::contracts::{is_portable, keeps_to};
use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete};

mod displays;
mod leave;
mod limits;
mod other_phone;

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
    let phone = rig.virtual_phone.phone().clone();
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
    let in_focus = element(&rig, |it| it["focused"] == true).await;
    assert_eq!((&in_focus["id"], &in_focus["text"]), (&json!("title"), &json!("Milk")));
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
    assert_eq!(rig.vlm.asked_count(), 0, "no model was asked");
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
    assert_eq!(stuck["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{stuck}");
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
    assert_eq!(listed["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "the question stays");
    rig.vlm.always(&complete("Written."));
    let done = rig.go_on(&stuck, json!({ "reply_from_client": "I have opened it for you." })).await;
    assert_eq!((&done["stop_reason"], &done["task"]), (&json!(DONE), &json!("Write a note")));
    assert_eq!(rig.virtual_phone.phone().foreground().package, "com.example.notes", "no reset");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("the client, not you, has acted on the phone"), "{told}");
    assert!(told.contains("AWAKE Notes") && told.contains("look at it again"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_asks_for_is_done_by_the_client_and_then_answered() {
    let rig = rig().await;
    rig.virtual_phone.faults().set(|plan| plan.black = Some(Trigger::Every));
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
    assert!(pressed["next"].as_str().unwrap().contains("still open"), "{pressed}");
    rig.virtual_phone.faults().clear();
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
    assert!(text.contains("has no task to continue") && text.contains("hint: say what"), "{text}");
    rig.vlm.always(&complete("Written."));
    let done = rig.go_on(&opened, json!({ "task": "Write a note" })).await;
    assert_eq!((&done["stop_reason"], &done["session_id"]), (&json!(DONE), &opened["session_id"]));
    assert_eq!(rig.virtual_phone.phone().foreground().package, "com.example.notes", "no reset");
    let next = act(&rig, "press_key", json!({ "key": "HOME" })).await;
    assert_ne!(next["session_id"], opened["session_id"], "that one is the agent's now");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_at_work_is_left_alone() {
    let rig = rig().await;
    let begin = json!({ "device_id": rig.serial, "task": "do it", "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", begin).await;
    rig.vlm.is_asked(1).await;
    let before = rig.virtual_phone.phone().state().actions.len();
    let session = json!({ "session_id": begun["session_id"] });
    let place = json!({ "x": 500, "y": 500 });
    let text = refused(&rig, "tap", with(place.clone(), &session)).await;
    assert!(text.contains("is still running") && text.contains("stop_task"), "{text}");
    let text = refused(&rig, "tap", place.clone()).await;
    assert!(text.contains("is busy: session") && text.contains("stop_task"), "{text}");
    // One's own agent may be watched.
    act(&rig, "get_ui_tree", json!({})).await;
    assert_eq!(rig.virtual_phone.phone().state().actions.len(), before);
    rig.call("stop_task", session.clone()).await;
    assert_eq!(act(&rig, "tap", with(place, &session)).await["session_id"], begun["session_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_principal_s_phone_and_sessions_are_nobody_else_s_business() {
    let rig = rig().await;
    let theirs = StartTask {
        policy: None,
        device_id: ayeaye_agent::DeviceId::new(rig.serial.clone()),
        task: "theirs".to_owned(),
        max_steps: 5,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        queue: false,
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
async fn the_list_of_all_tools_is_as_it_was() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let all = ToolSet { manage: true, ..ToolSet::ALL };
    let rig = Rig::with(vlm, RigOptions { tools: all, ..RigOptions::quick() }).await;
    let tools = crate::contracts::tools(&rig).await;
    let ours = [
        "fetch_file",
        "get_app_log",
        "get_ui_tree",
        "install_app",
        "launch_app",
        "long_press",
        "open_url",
        "press_key",
        "send_file",
        "stop_app",
        "swipe",
        "tap",
        "type_text",
        "uninstall_app",
    ];
    let all = tools.as_array().unwrap();
    let direct: Vec<&Value> =
        all.iter().filter(|it| ours.contains(&it["name"].as_str().unwrap())).collect();
    assert_eq!((direct.len(), all.len()), (14, 21));
    for tool in &direct {
        let name = tool["name"].as_str().unwrap();
        is_portable(&tool["inputSchema"], name);
        is_portable(&tool["outputSchema"], name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], Value::Null, "{name}");
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
    let device = ToolSet::DIRECT;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions { tools: device, ..RigOptions::quick() }).await;
    let pressed = act(&rig, "press_key", json!({ "key": "HOME" })).await;
    assert!(!pressed["next"].as_str().unwrap().contains("ask_agent"), "{pressed}");
    let said = rig.client.peer().peer_info().unwrap().instructions.clone().unwrap();
    assert!(!said.contains("ask_agent"), "{said}");
    let tools = serde_json::to_value(rig.client.peer().list_all_tools().await.unwrap()).unwrap();
    for name in ["ask_agent", "stop_task"] {
        assert!(!tools.to_string().contains(name), "{name}: {tools}");
    }
    let schema = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["outputSchema"].clone()
    };
    keeps_to(&schema("press_key"), &pressed, "press_key");
    let tree = act(&rig, "get_ui_tree", json!({})).await;
    keeps_to(&schema("get_ui_tree"), &tree, "get_ui_tree");
    assert!(tree.to_string().chars().count() <= 7_500);
}
