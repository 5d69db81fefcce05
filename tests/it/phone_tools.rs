//! What clients expect of a phone's server beside fingers: addresses, apps, packages, files, logs, elements
//! by reference, and the picture after an act.
mod packages;

use std::sync::Arc;
use std::time::Duration;

use ayeaye::config::{ToolChoice, ToolSet};
use ayeaye::mcp::{Defaults, Server};
use ayeaye_agent::{DeviceId, Principal, ReplyMode, StartTask};
use rmcp::model::CallToolResponse;
use serde_json::{Value, json};
use tokio::sync::Notify;

use self::packages::code_in;
use crate::support::clients::{Era, FakeUser, UserAction, call_of, on_pipe};
use crate::support::fake_server::{FakeServer, SERIAL, presses_home};
use crate::support::{Answer, DEFAULTS, FakeVlm, Quiet, Rig, RigOptions, connect};

async fn rig() -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    Rig::with(
        vlm,
        RigOptions { tools: ToolSet { manage: true, ..ToolSet::ALL }, ..RigOptions::quick() },
    )
    .await
}

async fn act(rig: &Rig, tool: &str, mut arguments: Value) -> Value {
    arguments["device_id"] = json!(rig.serial);
    rig.call(tool, arguments).await
}

async fn refused(rig: &Rig, tool: &str, mut arguments: Value) -> String {
    arguments["device_id"] = json!(rig.serial);
    rig.refused(tool, arguments).await
}

/// The reference of the first element with this id.
async fn reference(rig: &Rig, id: &str) -> String {
    let tree = act(rig, "get_ui_tree", json!({})).await;
    let all = tree["elements"].as_array().unwrap();
    let found = all.iter().find(|it| it["id"] == id).unwrap_or_else(|| panic!("{tree}"));
    found["ref"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_opened_in_its_app_or_refused_in_words() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let opened = act(&rig, "open_url", json!({ "url": "https://shop.example/x?a='b'" })).await;
    assert_eq!(opened["app"], "com.example.shop");
    assert_eq!(opened["action"]["action_type"], "OPEN_URL");
    assert_eq!(phone.foreground().package, "com.example.shop");
    let told = refused(&rig, "open_url", json!({ "url": "https://nobody.example/" })).await;
    assert!(told.contains("no app on it opens https addresses"), "{told}");
    for url in ["tel:112", "file:///sdcard/a", "shop.example", ""] {
        let told = refused(&rig, "open_url", json!({ "url": url })).await;
        assert!(told.contains("http, https"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_stopped_by_name_and_its_log_is_told() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let told = refused(&rig, "get_app_log", json!({ "app": "Notes" })).await;
    assert!(told.contains("com.example.notes is not running"), "{told}");
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    let log = act(&rig, "get_app_log", json!({ "app": "Notes", "lines": 1 })).await;
    let lines = log["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].as_str().unwrap().contains("onResume com.example.notes"), "{log}");
    let none = act(&rig, "get_app_log", json!({ "app": "Notes", "crashes": true })).await;
    assert_eq!(none["lines"], json!([]));
    let stopped = act(&rig, "stop_app", json!({ "app": "notes" })).await;
    assert_eq!(stopped["note"], "stopped com.example.notes");
    assert!(phone.tasks().iter().all(|task| task.package != "com.example.notes"));
    let told = refused(&rig, "stop_app", json!({ "app": "Zettelkasten" })).await;
    assert!(told.contains("no app of this name is installed"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_does_not_come_back_in_a_log() {
    let rig = rig().await;
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    // The app's log says its class: whatever of it was typed as a secret is hidden.
    act(&rig, "tap", json!({ "ref": reference(&rig, "new_note").await })).await;
    let title = reference(&rig, "title").await;
    act(&rig, "tap", json!({ "ref": title })).await;
    act(&rig, "type_text", json!({ "text": "onResume", "secret": true })).await;
    let log = act(&rig, "get_app_log", json!({ "app": "Notes" })).await.to_string();
    assert!(!log.contains("onResume") && log.contains("Process started"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_phone_at_work_for_somebody_else_no_app_is_told() {
    let rig = rig().await;
    let theirs = StartTask {
        policy: None,
        device_id: DeviceId::new(&rig.serial),
        task: "theirs".to_owned(),
        max_steps: 5,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        queue: false,
        principal: Principal::new("bob"),
    };
    let _follower = rig.agent.start(theirs).await.unwrap();
    // What is refused of an unknown name lists what is installed, and a question names the package.
    for tool in ["get_app_log", "uninstall_app"] {
        for app in ["Notes", "Zettelkasten"] {
            let told = refused(&rig, tool, json!({ "app": app })).await;
            assert!(told.contains("is busy: somebody else"), "{tool} {app}: {told}");
            assert!(!told.contains("com.example"), "{tool} {app}: {told}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn removing_an_app_waits_for_somebody_elses_act_and_not_for_a_persons_hand() {
    let fake = FakeServer::new([]);
    let all = ToolSet { manage: true, ..ToolSet::ALL };
    let defaults = Defaults { tools: ToolChoice::Only(all), ..DEFAULTS };
    let server = Server::new(fake.agent.clone(), defaults);
    let client = connect(server, Quiet).await;
    let call = async |mut arguments: Value| {
        arguments["device_id"] = json!(SERIAL);
        let called = client.peer().call_tool(call_of("uninstall_app", arguments)).await.unwrap();
        (called.is_error, called.content[0].as_text().unwrap().text.clone())
    };
    let bob = Principal::new("bob");
    let gate = Arc::new(Notify::new());
    fake.device.open_behind(&gate);
    let theirs = presses_home(bob.clone());
    let acting = tokio::spawn({
        let agent = fake.agent.clone();
        async move { agent.act(theirs).await.unwrap().finished().await }
    });
    fake.device.is_wanted().await;
    // Nor is it told meanwhile which apps there are.
    let mut asking = std::pin::pin!(call(json!({ "app": "Notes" })));
    let early = tokio::time::timeout(Duration::from_secs(5), &mut asking).await;
    assert!(early.is_err(), "{early:?}");
    assert!(!acting.is_finished());
    gate.notify_one();
    let (_, asked) = asking.await;
    acting.await.unwrap();
    assert!(asked.contains("your user has to agree first"), "{asked}");
    let (is_error, done) = call(json!({ "app": "Notes", "approval": code_in(&asked) })).await;
    assert_ne!(is_error, Some(true), "{done}");

    fake.agent.take_in_hand(&DeviceId::new(SERIAL), None, &bob).await.unwrap();
    let (_, told) = call(json!({ "app": "Notes" })).await;
    assert!(told.contains("a person is driving it by hand"), "{told}");
    assert!(told.contains("until they give it back"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_is_tapped_by_reference_while_it_is_there() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    let new_note = reference(&rig, "new_note").await;
    let taps = phone.state().counts.taps;
    let tapped = act(&rig, "tap", json!({ "ref": new_note })).await;
    assert_eq!((&tapped["screen_changed"], phone.state().counts.taps), (&json!(true), taps + 1));
    let told = refused(&rig, "tap", json!({ "ref": new_note })).await;
    assert!(told.contains("still there and unchanged") && told.contains("get_ui_tree"), "{told}");
    let title = reference(&rig, "title").await;
    let told = refused(&rig, "tap", json!({ "ref": new_note })).await;
    assert!(told.contains("is not an element from your last look"), "{told}");
    for wrong in [json!({}), json!({ "ref": title, "x": 1, "y": 1 }), json!({ "x": 500 })] {
        let told = refused(&rig, "tap", wrong).await;
        assert!(told.contains("either `ref`, or `x` and `y`"), "{told}");
    }
    assert_eq!(phone.state().counts.taps, taps + 1, "nothing refused was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_typed_and_a_finger_held_by_reference_too() {
    let rig = rig().await;
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    act(&rig, "tap", json!({ "ref": reference(&rig, "new_note").await })).await;
    let title = reference(&rig, "title").await;
    act(&rig, "type_text", json!({ "text": "Milk", "ref": title })).await;
    let title_text = || {
        let nodes = rig.virtual_phone.phone().state().nodes;
        nodes.iter().find(|it| it.id.ends_with("/title")).map(|it| it.text.clone())
    };
    assert_eq!(title_text().as_deref(), Some("Milk"));
    // By the same checks as a tap: it says something else now.
    for (tool, more) in [("long_press", json!({})), ("type_text", json!({ "text": "more" }))] {
        let mut arguments = more;
        arguments["ref"] = json!(title);
        let told = refused(&rig, tool, arguments.clone()).await;
        assert!(told.contains("still there and unchanged"), "{tool}: {told}");
        (arguments["x"], arguments["y"]) = (json!(1), json!(1));
        let told = refused(&rig, tool, arguments).await;
        assert!(told.contains("either `ref`, or `x` and `y`"), "{tool}: {told}");
    }
    let title = reference(&rig, "title").await;
    let held = act(&rig, "long_press", json!({ "ref": title })).await;
    assert_eq!(held["action"]["action_type"], "LONGPRESS", "{held}");
    assert_eq!(title_text().as_deref(), Some("Milk"), "nothing else was typed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_typed_is_an_error_of_this_act_and_no_question_of_later_ones() {
    let rig = rig().await;
    rig.virtual_phone.inject(|plan| plan.no_keyboard = true);
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    act(&rig, "tap", json!({ "ref": reference(&rig, "new_note").await })).await;
    let title = reference(&rig, "title").await;
    act(&rig, "tap", json!({ "ref": title })).await;
    let told = refused(&rig, "type_text", json!({ "text": "你好" })).await;
    assert!(told.contains("was not carried out") && told.contains("'你'"), "{told}");
    assert!(told.contains("keyboard"), "{told}");
    let after = act(&rig, "press_key", json!({ "key": "BACK" })).await;
    assert!(after.get("question").is_none(), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_after_an_act_comes_with_its_size() {
    let rig = rig().await;
    let arguments = json!({ "device_id": rig.serial, "app": "Notes", "screenshot": 400 });
    let result = rig.raw_call("launch_app", arguments).await;
    assert_eq!(result.structured_content.as_ref().unwrap()["app"], "com.example.notes");
    let content = serde_json::to_value(&result.content).unwrap();
    let kinds: Vec<&str> =
        content.as_array().unwrap().iter().filter_map(|it| it["type"].as_str()).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    let size: Value = serde_json::from_str(content[2]["text"].as_str().unwrap()).unwrap();
    assert_eq!(size["picture"][1], 400, "{size}");
    assert!(size["bytes"].as_u64().unwrap() < 200_000);
    let told = refused(&rig, "press_key", json!({ "key": "HOME", "screenshot": 10 })).await;
    assert!(told.contains("`screenshot` is 10"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_to_the_phone_and_back_and_nowhere_else() {
    let rig = rig().await;
    let files = rig.data.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    let content: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(files.join("a b.bin"), &content).unwrap();
    let sent = act(&rig, "send_file", json!({ "file": "a b.bin" })).await;
    assert_eq!(sent["note"], "sent 800000 bytes to /sdcard/Download/a b.bin");
    let fetched =
        act(&rig, "fetch_file", json!({ "from": "/sdcard/Download/a b.bin", "file": "c" })).await;
    assert_eq!(fetched["note"], "fetched 800000 bytes as c");
    assert_eq!(std::fs::read(files.join("c")).unwrap(), content);
    // Neither the name nor the content of a file that is there changes.
    std::fs::write(files.join("a b.bin"), "other").unwrap();
    let told = refused(&rig, "send_file", json!({ "file": "a b.bin" })).await;
    assert!(told.contains("there is a \"/sdcard/Download/a b.bin\" on it already"), "{told}");
    act(&rig, "fetch_file", json!({ "from": "/sdcard/Download/a b.bin", "file": "e" })).await;
    assert_eq!(std::fs::read(files.join("e")).unwrap(), content);
    std::fs::write(rig.data.path().join("outside"), "x").unwrap();
    for (tool, arguments, why) in [
        ("send_file", json!({ "file": "../outside" }), "not the name of a file"),
        ("send_file", json!({ "file": "gone" }), "there is no file"),
        ("send_file", json!({ "file": "c", "to": "/data/data/x" }), "is not a file below /sdcard/"),
        ("send_file", json!({ "file": "c", "to": "/sdcard/../x" }), "is not a file below"),
        ("fetch_file", json!({ "from": "/sdcard/Download/a b.bin", "file": "c" }), "already"),
        ("fetch_file", json!({ "from": "/sdcard/none", "file": "d" }), "no such file"),
        ("fetch_file", json!({ "from": "/sdcard/none", "file": "../d" }), "not the name"),
        ("fetch_file", json!({ "from": "/system/build.prop" }), "is not a file below"),
    ] {
        let told = refused(&rig, tool, arguments.clone()).await;
        assert!(told.contains(why), "{arguments}: {told}");
    }
    assert!(!files.join("d").exists(), "nothing is left of what failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_newest_revision_calls_again_with_its_users_yes() {
    let rig = rig().await;
    let user = FakeUser::new([UserAction::Says("no"), UserAction::Says("yes")]);
    let client = on_pipe(&rig.server, &user, Era::New).await;
    let arguments = |app: &str| json!({ "device_id": rig.serial, "app": app });
    let uninstall = async || {
        let call = call_of("uninstall_app", arguments("Notes"));
        let result = client.call_tool(call).await.unwrap();
        result.content[0].as_text().unwrap().text.clone()
    };
    let told = uninstall().await;
    assert!(told.contains("your user did not agree"), "{told}");
    // Agreed, and refused by the phone: this app is a part of it.
    let told = uninstall().await;
    assert!(told.contains("uninstall_app was not carried out"), "{told}");
    let forms = user.forms();
    assert_eq!(forms.len(), 2);
    assert!(forms[0]["message"].as_str().unwrap().contains("Uninstall \"Notes\""), "{forms:?}");
    // A yes is for the call that asked, once, and no answer is none.
    let once = async |app: &str| {
        client.call_tool_once(call_of("uninstall_app", arguments(app))).await.unwrap()
    };
    let CallToolResponse::InputRequired(asked) = once("Notes").await else { panic!("no form") };
    let state = asked.request_state.unwrap();
    let again = async |app: &str, answer: Option<Value>| {
        let call = call_of("uninstall_app", arguments(app)).with_request_state(&state);
        let call = match answer {
            Some(answer) => call.with_input_responses([("reply".to_owned(), answer)].into()),
            None => call,
        };
        client.call_tool_once(call).await.unwrap()
    };
    let yes = || Some(json!({ "action": "accept", "content": { "reply": "yes" } }));
    let text = |answer: CallToolResponse| match answer {
        CallToolResponse::Complete(result) => result.content[0].as_text().unwrap().text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(again("Notes", None).await, CallToolResponse::InputRequired(_)));
    let told = text(again("Settings", yes()).await);
    assert!(told.contains("requestState"), "another call's: {told}");
    let told = text(again("Notes", yes()).await);
    assert!(told.contains("uninstall_app was not carried out"), "{told}");
    // What was not done has not used the yes up.
    let told = text(again("Notes", yes()).await);
    assert!(told.contains("uninstall_app was not carried out"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_forms_shows_its_user_what_is_asked() {
    let rig = rig().await;
    let user = FakeUser::new([UserAction::Says("no"), UserAction::Fails, UserAction::Says("yes")]);
    let client = on_pipe(&rig.server, &user, Era::Old).await;
    let uninstall = async || {
        let arguments = json!({ "device_id": rig.serial, "app": "Notes" });
        let call = call_of("uninstall_app", arguments);
        let result = client.peer().call_tool(call).await.unwrap();
        result.content[0].as_text().unwrap().text.clone()
    };
    let told = uninstall().await;
    assert!(told.contains("your user did not agree"), "{told}");
    // A client that shows none after all is told what to ask.
    let told = uninstall().await;
    assert!(told.contains("\"approval\""), "{told}");
    // Agreed, and refused by the phone: this app is a part of it.
    let told = uninstall().await;
    assert!(told.contains("uninstall_app was not carried out"), "{told}");
    let forms = user.forms();
    assert_eq!(forms.len(), 3);
    let message = forms[0]["message"].as_str().unwrap();
    assert!(message.contains("Uninstall \"Notes\"") && message.contains(&rig.serial), "{message}");
}
