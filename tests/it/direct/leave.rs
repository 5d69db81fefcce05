//! What the gate asks about when a client acts itself: once a person has agreed, that act is done, once.
use ayeaye_agent::SessionId;
use ayeaye_agent::gate::{Policy, PolicyProfile};
use serde_json::{Value, json};

use super::{act, element, middle, refused, rig, rig_of, with};
use crate::support::clients::{
    Era, FakeUser, LineClient, UserAction, call_of, on_pipe, tool_error_text,
};
use crate::support::{Rig, RigOptions, files, within};

/// The code in what a client is told, as an argument.
pub(super) fn code_in(told: &str) -> Value {
    let code = told.split("\"approval\": \"").nth(1).and_then(|it| it.split('"').next());
    json!({ "approval": code.unwrap_or_else(|| panic!("no code: {told}")) })
}

/// Opens a conversation of the Messages app, and types into it.
async fn write_to(rig: &Rig, name: &str, text: &str) {
    act(rig, "launch_app", json!({ "app": "Messages" })).await;
    let in_chat =
        || rig.virtual_phone.phone().state().nodes.iter().any(|it| it.id.ends_with("compose"));
    // The first closes the keyboard.
    for _ in 0..2 {
        if in_chat() {
            act(rig, "press_key", json!({ "key": "BACK" })).await;
        }
    }
    let found = element(rig, |it| it["text"] == name).await;
    let at = |edge: usize| found["bounds"][edge].as_i64().unwrap() + 4;
    act(rig, "tap", json!({ "x": at(0), "y": at(1) })).await;
    let field = middle(rig, "compose").await;
    act(rig, "type_text", with(field, &json!({ "text": text, "clear": true }))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_sent_once_after_a_yes_and_to_nobody_else() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let sent = || phone.state().sent.len();
    let names: Vec<String> =
        phone.state().conversations.iter().take(2).map(|it| it.with.clone()).collect();
    let before = sent();
    write_to(&rig, &names[0], "hello").await;
    let button = middle(&rig, "send_button").await;
    let told = refused(&rig, "tap", button.clone()).await;
    assert!(told.contains("This would send something"), "{told}");
    assert!(told.contains("The text: \"hello\""), "{told}");
    assert!(told.contains(&names[0]) && told.contains("your user has to agree first"), "{told}");
    let code = code_in(&told);
    assert_eq!(sent(), before);
    // A code that nobody gave is none.
    let invented = with(button.clone(), &json!({ "approval": "00000000" }));
    assert!(refused(&rig, "tap", invented).await.contains("is not an approval"));
    // The yes was for this conversation.
    write_to(&rig, &names[1], "hello").await;
    let elsewhere = with(middle(&rig, "send_button").await, &code);
    let told = refused(&rig, "tap", elsewhere).await;
    assert!(told.contains(&names[1]), "asked anew: {told}");
    assert_eq!(sent(), before);
    // There it is still good, once.
    write_to(&rig, &names[0], "hello").await;
    let button = middle(&rig, "send_button").await;
    let done = act(&rig, "tap", with(button.clone(), &code)).await;
    assert_eq!(sent(), before + 1);
    assert_eq!(phone.state().sent.last().unwrap().text, "hello");
    // A client whose answer was lost asks again.
    let again = refused(&rig, "tap", with(button, &code)).await;
    let at = format!("used already, at step {} of session", done["global_step_idx"]);
    assert!(again.contains(&at) && again.contains("get_screenshot first"), "{again}");
    assert_eq!(sent(), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_is_not_used_up_by_what_was_not_done() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let send = ready_to_send(&rig).await;
    let before = phone.state().sent.len();
    let code = code_in(&refused(&rig, "tap", send.clone()).await);
    let send = with(send, &code);
    phone.press_power();
    let told = refused(&rig, "tap", send.clone()).await;
    assert!(told.contains("the screen was off"), "{told}");
    // Nor by a call that is refused before its act begins.
    let elsewhere = json!({ "session_id": SessionId::new().to_string() });
    let told = refused(&rig, "tap", with(send.clone(), &elsewhere)).await;
    assert!(told.contains("there is no session"), "{told}");
    assert_eq!(phone.state().sent.len(), before);
    // Of two calls with one code one acts.
    let calls = [(); 2].map(|()| rig.raw_call("tap", send.clone()));
    let failed = futures::future::join_all(calls)
        .await
        .iter()
        .filter(|it| it.is_error == Some(true))
        .count();
    assert_eq!((failed, phone.state().sent.len()), (1, before + 1));
    let told = refused(&rig, "tap", send).await;
    assert!(told.contains("used already, at step "), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_comes_with_another_act_is_left_for_its_own() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let send = ready_to_send(&rig).await;
    let before = phone.state().sent.len();
    let code = code_in(&refused(&rig, "tap", send.clone()).await);
    // Nobody is asked about these.
    let field = middle(&rig, "compose").await;
    let told = act(&rig, "tap", with(field, &code)).await;
    assert!(!told.to_string().contains("approval"), "{told}");
    let volume = with(json!({ "key": "VOLUME_UP" }), &code);
    act(&rig, "press_key", volume).await;
    assert_eq!(phone.state().sent.len(), before);
    let send = with(send, &code);
    act(&rig, "tap", send.clone()).await;
    assert_eq!(phone.state().sent.len(), before + 1);
    let told = refused(&rig, "tap", send).await;
    assert!(told.contains("used already, at step "), "{told}");
}

/// A message that is ready to be sent, and the tap that sends it.
async fn ready_to_send(rig: &Rig) -> Value {
    let name = rig.virtual_phone.phone().state().conversations[0].with.clone();
    write_to(rig, &name, "hello").await;
    with(middle(rig, "send_button").await, &json!({ "device_id": rig.serial }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_was_closed_is_no_answer_and_leaves_the_code_until_a_no() {
    let rig = rig().await;
    for era in [Era::Old, Era::New] {
        let send = ready_to_send(&rig).await;
        let sent = rig.virtual_phone.phone().state().sent.len();
        let closes = UserAction::Cancels;
        let user = FakeUser::new([closes.clone(), UserAction::Declines, closes]);
        let client = on_pipe(&rig.server, &user, era).await;
        let told = client.call_tool(call_of("tap", send.clone())).await.unwrap();
        let code = code_in(&tool_error_text(&told));
        let declined = client.call_tool(call_of("tap", send.clone())).await.unwrap();
        assert!(tool_error_text(&declined).contains("did not agree"), "{declined:?}");
        let ended = refused(&rig, "tap", with(send.clone(), &code)).await;
        assert!(ended.contains("is not an approval for this call"), "{ended}");
        let told = client.call_tool(call_of("tap", send.clone())).await.unwrap();
        let code = code_in(&tool_error_text(&told));
        assert_eq!((user.forms().len(), rig.virtual_phone.phone().state().sent.len()), (3, sent));
        act(&rig, "tap", with(send, &code)).await;
        assert_eq!(rig.virtual_phone.phone().state().sent.len(), sent + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_taken_back_with_the_call_that_it_was_for() {
    let rig = rig().await;
    let send = ready_to_send(&rig).await;
    let mut client = LineClient::old(&rig.server, json!({ "elicitation": {} })).await;
    let id = client.send("tools/call", json!({ "name": "tap", "arguments": send })).await;
    let form = until(&mut client, "elicitation/create").await;
    let over = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": id } });
    client.line(&over).await;
    let taken_back = until(&mut client, "notifications/cancelled").await;
    assert_eq!(taken_back["params"]["requestId"], form["id"], "{taken_back}");
}

/// The next message with this method.
async fn until(client: &mut LineClient, method: &str) -> Value {
    let next = async {
        loop {
            let message = client.next().await;
            if message["method"] == method {
                return message;
            }
        }
    };
    within(20, method, next).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_policy_refuses_is_refused_whoever_agrees() {
    let policy = Policy::of(PolicyProfile::ReadOnly);
    let rig = rig_of(RigOptions { policy, ..RigOptions::quick() }).await;
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    let tap = middle(&rig, "new_note").await;
    act(&rig, "tap", tap).await;
    let field = middle(&rig, "title").await;
    let told = refused(&rig, "type_text", with(field, &json!({ "text": "Milk" }))).await;
    assert!(told.contains("the policy refuses it (rule read-only"), "{told}");
    assert!(!told.contains("\"approval\""), "{told}");
    assert_eq!(
        rig.virtual_phone.phone().state().focused_field.unwrap().text,
        "",
        "nothing was typed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pin_for_the_lock_screen_is_asked_about_each_time_and_kept_nowhere() {
    /// Longer than what a digest may hold by chance.
    const PIN: &str = "8642097531";
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    phone.set_pin(Some(PIN));
    phone.press_power();
    phone.press_power();
    let up = json!({ "from_x": 500, "from_y": 900, "to_x": 500, "to_y": 200 });
    act(&rig, "swipe", up).await;
    assert!(phone.state().asks_pin);
    let guess = |text: &str| json!({ "text": text, "submit": true });
    let mut codes = Vec::new();
    for text in ["1111", "2222", PIN] {
        let told = refused(&rig, "type_text", guess(text)).await;
        assert!(told.contains("type into a field for a password or a code"), "{told}");
        codes.push(code_in(&told));
        // Calling it a secret gives no permission.
        let secret = with(guess(text), &json!({ "secret": true }));
        codes.push(code_in(&refused(&rig, "type_text", secret).await));
    }
    let other = refused(&rig, "type_text", with(guess(PIN), &codes[0])).await;
    assert!(phone.is_locked(), "a yes to one guess is none to another: {other}");
    let typed = act(&rig, "type_text", with(guess(PIN), codes.last().unwrap())).await;
    assert!(!phone.is_locked(), "{typed}");
    assert!(typed.to_string().contains("unlocked now"), "{typed}");
    assert!(!typed.to_string().contains("no text field"), "{typed}");
    assert_eq!(files::with(rig.data.path(), PIN), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_text_that_goes_nowhere() {
    let rig = rig().await;
    act(&rig, "launch_app", json!({ "app": "Messages" })).await;
    let found = element(&rig, |it| it["text"] == "Anna Berg").await;
    let at = |edge: usize| found["bounds"][edge].as_i64().unwrap() + 4;
    act(&rig, "tap", json!({ "x": at(0), "y": at(1) })).await;
    assert!(rig.virtual_phone.phone().state().focused_field.is_none());
    let told = refused(&rig, "type_text", json!({ "text": "Hi", "submit": true })).await;
    assert!(!told.contains("approval"), "{told}");
    assert!(told.contains("Give x and y of the field"), "{told}");
}
