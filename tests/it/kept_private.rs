//! Secrets that a task names, and apps of which nothing is shown: as a user sets them up, with the real server.
use serde_json::{Value, json};

use crate::support::{
    Answer, Binary, FakeVlm, aimed, complete, gelab, plugged_in, quick_phone, tap,
};

const PASSWORD: &str = "Quince-41 <&> \"x\"";
const NIMBUS: &str = "com.example.nimbus";

fn has(id: &'static str) -> impl Fn(&Value) -> bool {
    move |node| node["id"].as_str().is_some_and(|it| it.ends_with(id))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_task_names_is_typed_and_no_model_sees_it() {
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let phone = virtual_phone.phone().clone();
    let (screen, mut moves) = (phone.clone(), 0);
    let vlm = FakeVlm::start(move |_| {
        moves += 1;
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Nimbus", "opened Nimbus"),
            2 => tap(&screen, has("id/sign_in")),
            3 => aimed(&tap(&screen, has("id/username")), "robin"),
            4 => aimed(&tap(&screen, has("id/password")), "{{secret:nimbus}}"),
            _ => complete("Typed {{secret:nimbus}}."),
        })
    })
    .await;
    let binary = Binary::with(adb, &vlm);
    let start = json!({
        "device_id": virtual_phone.serial(), "task": "Sign in to Nimbus as robin with {{secret:nimbus}}",
    });
    let mut raw = binary.raw().await;
    let (failed, told) = raw.tool("ask_agent_start_new_task", start.clone()).await;
    assert!(failed && told.contains("there is no secret named \"nimbus\""), "{told}");
    assert!(told.contains("ayeaye secret set"), "{told}");
    // The server that is running finds what is kept now.
    let set = ["secret", "set", "nimbus", "--app", NIMBUS];
    let kept = binary.run_with_input(&set, PASSWORD).await;
    assert!(kept.code == 0 && kept.out.contains("{{secret:nimbus}}"), "{kept:?}");
    assert!(!kept.out.contains("Quince"), "{kept:?}");
    let done = raw.facts("ask_agent_start_new_task", start).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(done["message"], "Typed {{secret:nimbus}}.");
    raw.hang_up();
    raw.end().await;
    let typed = serde_json::to_value(phone.state()).unwrap()["actions"].to_string();
    assert!(typed.contains("Quince-41"), "{typed}");
    let sent = vlm.asked().iter().map(Value::to_string).collect::<String>();
    assert!(
        sent.contains("{{secret:nimbus}}") && !sent.contains("Quince"),
        "a model is told the name"
    );
    let listed = binary.run(&["secret", "list"]).await;
    assert!(listed.out.contains(NIMBUS) && !listed.out.contains("Quince"), "{}", listed.out);
    assert_eq!(binary.run(&["secret", "rm", "nimbus"]).await.code, 0);
    let again = binary.run(&["secret", "rm", "nimbus"]).await;
    assert_eq!(again.code, 1, "{}", again.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_private_app_neither_model_nor_client_is_shown_anything() {
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(gelab("AWAKE", "value:Nimbus", "opened it"))).await;
    let binary = Binary::with(adb, &vlm)
        .set("AYEAYE_POLICY_PRIVATE_APPS", "com.example.nimb*")
        .set("AYEAYE_MCP_TOOLS", "all,manage");
    let id = virtual_phone.serial();
    let mut raw = binary.raw().await;
    let start = json!({ "device_id": id, "task": "Open Nimbus" });
    let asked = raw.facts("ask_agent_start_new_task", start).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert_eq!(asked["question"]["kind"], "takeover", "{asked}");
    assert!(asked["question"]["text"].as_str().unwrap().contains(") private (policy"), "{asked}");
    assert_eq!(vlm.asked_count(), 1, "only the screen before was sent");
    for tool in ["get_screenshot", "get_ui_tree"] {
        let (failed, told) = raw.tool(tool, json!({ "device_id": id })).await;
        assert!(failed && told.contains("policy.private-apps"), "{tool}: {told}");
    }
    let log = json!({ "device_id": id, "app": "com.example.nimbus" });
    let (failed, told) = raw.tool("get_app_log", log).await;
    assert!(failed && told.contains("policy.private-apps"), "{told}");
    let tap = json!({ "device_id": id, "x": 500, "y": 500, "screenshot": 500 });
    let (_, told) = raw.tool("tap", tap).await;
    assert!(told.contains("private-app"), "{told}");
    // Whoever leaves it can go on.
    raw.tool("press_key", json!({ "device_id": id, "key": "HOME" })).await;
    let (failed, told) = raw.tool("get_ui_tree", json!({ "device_id": id })).await;
    assert!(!failed, "{told}");
}

/// Whoever acts on the phone itself is a model as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_kept_secret_that_the_screen_shows_is_listed_by_its_name() {
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MCP_TOOLS", "all");
    let set = ["secret", "set", "note", "--app", "com.example.notes"];
    assert_eq!(binary.run_with_input(&set, PASSWORD).await.code, 0);
    let device = json!(virtual_phone.serial());
    let mut raw = binary.raw().await;
    raw.facts("launch_app", json!({ "device_id": device, "app": "Notes" })).await;
    let tree = raw.facts("get_ui_tree", json!({ "device_id": device })).await;
    let elements = tree["elements"].as_array().unwrap();
    let add = &elements.iter().find(|it| it["id"] == "new_note").unwrap()["ref"];
    raw.facts("tap", json!({ "device_id": device, "ref": add })).await;
    // The title has the focus.
    let mut type_it = json!({ "device_id": device, "text": "{{secret:note}}" });
    let (failed, asked) = raw.tool("type_text", type_it.clone()).await;
    assert!(
        failed && asked.contains("a secret that you keep"),
        "no words of a user name it: {asked}"
    );
    let code = asked.split("\"approval\": \"").nth(1).and_then(|it| it.split('"').next());
    type_it["approval"] = json!(code.expect("a code"));
    raw.facts("type_text", type_it).await;
    let typed = serde_json::to_value(virtual_phone.phone().state()).unwrap()["actions"].to_string();
    assert!(typed.contains("Quince-41"), "{typed}");
    let tree = raw.facts("get_ui_tree", json!({ "device_id": device })).await.to_string();
    assert!(tree.contains("{{secret:note}}") && !tree.contains("Quince"), "{tree}");
    // Another server of the same folder has typed nothing, and hides it all the same.
    let mut other = binary.raw().await;
    let tree = other.facts("get_ui_tree", json!({ "device_id": device })).await.to_string();
    assert!(tree.contains("{{secret:note}}") && !tree.contains("Quince"), "{tree}");
}

/// An app may become private after its screens were recorded.
#[tokio::test(flavor = "multi_thread")]
async fn recorded_screens_of_a_private_app_are_shown_to_no_client() {
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let mut moves = 0;
    let vlm = FakeVlm::start(move |_| {
        moves += 1;
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Notes", "opened Notes"),
            _ => complete("Opened."),
        })
    })
    .await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MCP_TOOLS", "all,manage");
    let mut raw = binary.raw().await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "Open Notes" });
    let done = raw.facts("ask_agent_start_new_task", start).await;
    let session = done["session_id"].as_str().unwrap().to_owned();
    let address = |what: &str| json!({ "uri": format!("ayeaye://sessions/{session}/{what}") });
    let pictures = |page: &serde_json::Value| page.to_string().matches("data:image/").count();
    let with_all = pictures(&raw.ask("resources/read", address("report/pictures")).await);
    assert!(raw.ask("resources/read", address("steps/1/screenshot")).await["result"].is_object());
    raw.hang_up();
    raw.end().await;

    let binary = binary.set("AYEAYE_POLICY_PRIVATE_APPS", "com.example.notes");
    let mut raw = binary.raw().await;
    let refused = raw.ask("resources/read", address("steps/1/screenshot")).await;
    let told = refused["error"]["message"].as_str().unwrap();
    assert!(told.contains("not shown: its app is private"), "{told}");
    let step = raw.ask("resources/read", address("steps/1")).await.to_string();
    assert!(step.contains("not_shown") && !step.contains("screenshot_uri"), "{step}");
    let steps = raw.ask("resources/read", address("steps")).await.to_string();
    assert!(
        !steps.contains("steps/1/screenshot") && steps.contains("steps/0/screenshot"),
        "{steps}"
    );
    let left = pictures(&raw.ask("resources/read", address("report/pictures")).await);
    assert!(left < with_all, "{left} of {with_all}");
}
