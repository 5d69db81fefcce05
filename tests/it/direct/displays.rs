//! A phone of which another display has the focus, so that it lists the elements of that one.
use serde_json::json;

use super::{act, refused, rig};

#[tokio::test(flavor = "multi_thread")]
async fn what_another_display_shows_is_not_told_and_an_act_on_this_one_is_asked_about() {
    let rig = rig().await;
    let state = || rig.virtual_phone.phone().state();
    act(&rig, "launch_app", json!({ "app": "shop", "reason": "to look at it" })).await;
    rig.virtual_phone.inject(|plan| plan.other_display = true);
    let told = act(&rig, "get_ui_tree", json!({})).await;
    assert_eq!(told["elements"], json!([]), "{told}");
    let hint = told["hint"].as_str().unwrap();
    assert!(hint.contains("display 4, which has the focus"), "{hint}");
    // What is tapped here is not the alarm over there.
    let taps = state().actions.len();
    let asked = refused(&rig, "tap", json!({ "x": 500, "y": 500 })).await;
    assert!(asked.contains("your user has to agree first"), "{asked}");
    assert_eq!(state().actions.len(), taps);
    // Keyboards and their fields are those of the display in focus. In this app nobody is asked before.
    act(&rig, "launch_app", json!({ "app": "notes", "reason": "to write" })).await;
    let typed = refused(&rig, "type_text", json!({ "text": "secret" })).await;
    assert!(typed.contains("the focus is on the phone's display 4"), "{typed}");
    assert!(!state().nodes.iter().any(|it| it.text.contains("secret")));
    rig.virtual_phone.inject(|plan| plan.other_display = false);
    let told = act(&rig, "get_ui_tree", json!({})).await;
    assert_ne!(told["elements"], json!([]), "{told}");
}
