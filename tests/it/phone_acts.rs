//! What a phone accepts and does not do: nothing of that is told as done.
use ayeaye::config::ToolSet;
use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress};
use ayeaye_agent::{Device as _, DeviceId, Gesture, Performed, Point};
use ayeaye_phone::{FaultPlan, Phone, SelectAll, VirtualPhone};
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, gelab, plugged_in, quick_phone};

mod animations;
mod emptied;
mod power;

/// A rig for direct control, with a small phone that has these faults, and Notes open on a new note.
async fn on_a_note(faults: impl FnOnce(&mut FaultPlan)) -> Rig {
    on_a_note_of(quick_phone(), faults).await
}

/// The same with this phone.
async fn on_a_note_of(virtual_phone: VirtualPhone, faults: impl FnOnce(&mut FaultPlan)) -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let options = RigOptions { tools: ToolSet::ALL, virtual_phone, ..RigOptions::default() };
    let rig = Rig::with(vlm, options).await;
    act(&rig, "launch_app", json!({ "app": "Notes" })).await;
    act(&rig, "tap", middle(&rig.virtual_phone, "new_note")).await;
    rig.virtual_phone.inject(faults);
    rig
}

async fn act(rig: &Rig, tool: &str, mut arguments: Value) -> Value {
    arguments["device_id"] = json!(rig.serial);
    rig.call(tool, arguments).await
}

async fn refused(rig: &Rig, tool: &str, mut arguments: Value) -> String {
    arguments["device_id"] = json!(rig.serial);
    rig.refused(tool, arguments).await
}

/// The middle of the element with this id, in thousandths.
pub fn middle(device: &VirtualPhone, id: &str) -> Value {
    let state = device.phone().state();
    let found = state.nodes.iter().find(|node| node.id.ends_with(&format!("/{id}")));
    let (x, y) = found.unwrap_or_else(|| panic!("there is no {id}: {:?}", state.nodes)).center();
    let part = |at: f32, of: u32| (f64::from(at) / f64::from(of) * 1000.0).round();
    json!({ "x": part(x, state.size.0), "y": part(y, state.size.1) })
}

fn field(rig: &Rig) -> String {
    rig.virtual_phone.phone().state().focused_field.expect("a field has the focus").text
}

fn title(rig: &Rig, more: &Value) -> Value {
    let mut facts = middle(&rig.virtual_phone, "title");
    facts.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    facts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_arrives_is_checked_by_one_quick_command() {
    let rig = on_a_note(|_| {}).await;
    act(&rig, "tap", title(&rig, &json!({}))).await;
    let (adb, _guard) = plugged_in(&rig.virtual_phone).await;
    let address = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: adb.port() };
    let devices = AdbDevices::new(AdbConfig::new(address, None));
    let device = devices.open_adb(&DeviceId::new(&rig.serial)).await.unwrap();
    let size = device.capture().await.unwrap().size();
    let at = middle(&rig.virtual_phone, "title");
    let part = |key: &str| at[key].as_f64().unwrap() / 1000.0;
    let point = Some(Point::from_fractions(part("x"), part("y")).unwrap());
    // The commands without the check, and the text that the field holds then.
    for (point, clear, without, holds) in [
        (None, false, 1, "Tea"),
        (None, true, 2, "Tea"),
        (point, false, 3, "TeaTea"),
        (point, true, 4, "Tea"),
    ] {
        // As a run looks before each step.
        device.state().await.unwrap();
        let before = rig.virtual_phone.adb_counts();
        let text = "Tea".to_owned();
        let gesture = Gesture::Type { text, point, clear, submit: false };
        let told = Performed { secret_field: Some(false), ..Performed::done() };
        assert_eq!(device.perform(&gesture, size).await.unwrap(), told, "the field hides nothing");
        let after = rig.virtual_phone.adb_counts();
        assert_eq!(field(&rig), holds);
        let commands = after.command_lines - before.command_lines;
        assert_eq!(commands, without + 1, "{point:?} {clear}");
        assert_eq!(after.dumps, before.dumps, "no elements were asked for");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_emptied_where_select_all_is_swallowed_or_typed() {
    for select_all in [SelectAll::Swallowed, SelectAll::TypesA] {
        let rig = on_a_note(|plan| plan.select_all = select_all).await;
        act(&rig, "type_text", title(&rig, &json!({ "text": "old text" }))).await;
        assert_eq!(field(&rig), "old text");
        let again = json!({ "text": "new", "clear": true });
        let typed = act(&rig, "type_text", title(&rig, &again)).await;
        assert_eq!(field(&rig), "new", "{select_all:?}");
        assert_eq!(typed.get("uncertain"), None, "{typed}");
        // Through the keyboard app too, which empties by itself.
        let again = json!({ "text": "\u{725b}\u{5976}", "clear": true });
        act(&rig, "type_text", title(&rig, &again)).await;
        assert_eq!(field(&rig), "\u{725b}\u{5976}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyboard_that_takes_the_text_and_types_nothing_is_not_told_as_done() {
    let rig = on_a_note(|plan| plan.deaf_keyboard = true).await;
    act(&rig, "type_text", title(&rig, &json!({ "text": "old" }))).await;
    let told = refused(&rig, "type_text", json!({ "text": "\u{725b}\u{5976}" })).await;
    assert!(told.contains("was not carried out"), "{told}");
    assert!(told.contains("an old ADBKeyboard does nothing"), "{told}");
    assert_eq!(field(&rig), "old");
    // It does not empty the field either, and then keys do.
    let told = refused(&rig, "type_text", json!({ "text": "\u{725b}", "clear": true })).await;
    assert!(told.contains("an old ADBKeyboard does nothing"), "{told}");
    assert_eq!(field(&rig), "");
    // Nor one of several lines, of which a phone does not tell that it is empty.
    let body = |more: &Value| {
        let mut facts = middle(&rig.virtual_phone, "body");
        facts.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        facts
    };
    act(&rig, "type_text", body(&json!({ "text": "old" }))).await;
    let again = json!({ "text": "\u{725b}", "clear": true });
    let told = refused(&rig, "type_text", body(&again)).await;
    assert!(told.contains("the field may have been emptied, and then"), "{told}");
    assert!(told.contains("an old ADBKeyboard does nothing"), "{told}");
    assert_eq!(field(&rig), "");
    let own = rig.virtual_phone.phone().input_method();
    assert!(own.contains("latin"), "the own keyboard is back: {own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_go_through_the_keyboard_app_where_the_own_one_composes_words() {
    let rig = on_a_note(|plan| plan.composing_keyboard = true).await;
    let typed = act(&rig, "type_text", title(&rig, &json!({ "text": "milk" }))).await;
    assert_eq!(field(&rig), "milk");
    assert_eq!(typed.get("uncertain"), None, "{typed}");
    assert!(typed["note"].as_str().unwrap().contains("ADBKeyboard"), "{typed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_of_which_a_keyboard_made_other_words_are_typed_again_and_the_next_go_round_it() {
    let rig = on_a_note(|plan| plan.composing_keyboard = true).await;
    let typed = act(&rig, "type_text", title(&rig, &json!({ "text": "oat milk" }))).await;
    assert_eq!(field(&rig), "oat milk");
    assert_eq!(typed.get("uncertain"), None, "{typed}");
    assert!(typed["note"].as_str().unwrap().contains("typed again through ADBKeyboard"), "{typed}");
    // Enter is pressed once the text is there, not into what the keyboard was making of it.
    let again = json!({ "text": "new $HOME", "clear": true, "submit": true });
    let typed = act(&rig, "type_text", title(&rig, &again)).await;
    assert_eq!((typed.get("uncertain"), typed.get("note")), (None, None), "{typed}");
    let note = |id: &str| {
        let state = rig.virtual_phone.phone().state();
        let field = state.nodes.into_iter().find(|node| node.id.ends_with(&format!("/{id}")));
        field.map(|field| field.text)
    };
    assert_eq!(note("title").as_deref(), Some("new $HOME"));
    let own = rig.virtual_phone.phone().input_method();
    assert!(own.contains("latin"), "the own keyboard is back: {own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stood_in_a_field_is_not_lost_to_a_keyboard_that_composes_words() {
    let rig = on_a_note(|plan| plan.composing_keyboard = true).await;
    act(&rig, "type_text", title(&rig, &json!({ "text": "\u{725b}\u{5976}" }))).await;
    let typed = act(&rig, "type_text", title(&rig, &json!({ "text": "oat milk" }))).await;
    assert!(typed["uncertain"].as_str().unwrap().contains("does not hold the text"), "{typed}");
    assert!(field(&rig).starts_with("\u{725b}\u{5976}"), "{}", field(&rig));
    // What is in the way now may go.
    let again = json!({ "text": "oat milk", "clear": true });
    let typed = act(&rig, "type_text", title(&rig, &again)).await;
    assert_eq!((field(&rig).as_str(), typed.get("uncertain")), ("oat milk", None), "{typed}");
    let typed = act(&rig, "type_text", json!({ "text": " and tea" })).await;
    assert_eq!((field(&rig).as_str(), typed.get("uncertain")), ("oat milk and tea", None));
    assert_eq!(typed.get("note"), None, "{typed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_that_a_keyboard_composed_are_told_where_there_is_no_other_way() {
    let rig = on_a_note(|plan| {
        plan.composing_keyboard = true;
        plan.no_keyboard = true;
    })
    .await;
    let told = refused(&rig, "type_text", title(&rig, &json!({ "text": "milk" }))).await;
    assert!(told.contains("was not carried out") && told.contains("install ADBKeyboard"), "{told}");
    // A blank makes a word of the letters: that is told too.
    let rig = on_a_note(|plan| {
        plan.composing_keyboard = true;
        plan.no_keyboard = true;
    })
    .await;
    let typed = act(&rig, "type_text", title(&rig, &json!({ "text": "oat milk" }))).await;
    let uncertain = typed["uncertain"].as_str().unwrap();
    assert!(uncertain.contains("does not hold the text"), "{typed}");
    assert!(uncertain.contains("in focus (") && uncertain.contains("compose"), "{typed}");
    assert!(typed["next"].as_str().unwrap().contains("--keyboard fetch"), "{typed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_is_there_twice_asks_first_and_that_is_told() {
    for window in [
        "android/com.android.internal.app.ResolverActivity",
        "com.android.intentresolver/.ResolverActivity",
        "com.miui.securitycore/com.miui.xspace.ui.activity.XSpaceResolveActivity",
    ] {
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        let rig = Rig::with(vlm, RigOptions { tools: ToolSet::ALL, ..RigOptions::quick() }).await;
        rig.virtual_phone.inject(|plan| plan.app_chooser = Some(window.to_owned()));
        let opened = act(&rig, "launch_app", json!({ "app": "Messages" })).await;
        let told = opened["uncertain"].as_str().unwrap_or_default();
        assert!(told.contains(window) && told.contains("there twice"), "{opened}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_told_what_is_not_certain() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    rig.virtual_phone.inject(|plan| {
        plan.app_chooser = Some("android/com.android.internal.app.ResolverActivity".to_owned());
    });
    rig.vlm.then(vec![
        Answer::Says(gelab("AWAKE", "value:Messages", "Open Messages")),
        Answer::Says(complete("It asks.")),
    ]);
    let done = rig.start("Open Messages").await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let line = &done["intermediate_logs"][0];
    assert!(line["uncertain"].as_str().unwrap().contains("which app is meant"), "{line}");
    let asked = rig.vlm.asked().pop().unwrap().to_string();
    assert!(asked.contains("AWAKE 不确定是否生效"), "{asked}");
}
