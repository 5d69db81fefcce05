use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::elements::Elements;
use crate::{Action, Gesture, ScreenSize};

const SIZE: ScreenSize = ScreenSize { width: 1000, height: 2000 };

fn row(text: &str, id: &str, top: i32) -> String {
    let bottom = top + 100;
    format!(
        r#"<node text="{text}" resource-id="{id}" class="android.widget.Button" clickable="true" bounds="[0,{top}][1000,{bottom}]"/>"#
    )
}

fn screen(rows: &[String]) -> Elements {
    Elements::read(&format!("<hierarchy>{}</hierarchy>", rows.concat())).unwrap()
}

fn replay(action: &serde_json::Value, element: Option<(&str, &str, i32)>) -> Replay {
    let step = json!({
        "app": "com.example", "action": action,
        "element": element.map(|(name, id, top)| json!({
            "id": id, "name": name, "class": "android.widget.Button", "bounds": [0, top / 2, 1000, top / 2 + 50],
        })),
    });
    let session = SessionId::new();
    serde_json::from_value(json!({ "session": session, "steps": [step] })).unwrap()
}

fn tap() -> serde_json::Value {
    json!({ "function": "CLICK", "arguments": { "point": [500, 125] } })
}

fn decided(replay: &Replay, elements: &Elements) -> Result<Action, String> {
    let decided = replay.decide(0, Some("com.example"), elements, SIZE);
    decided.map(|decision| decision.action).map_err(|why| why.to_string())
}

#[test]
fn the_element_is_known_by_its_name_id_and_class_and_has_to_be_the_only_one() {
    let there = replay(&tap(), Some(("Anna", "a:id/row", 200)));
    let ok = |rows: &[String]| decided(&there, &screen(rows)).is_ok();
    assert!(ok(&[row("Anna", "a:id/row", 200)]));
    assert!(ok(&[row("Ben", "a:id/row", 300), row("Anna", "a:id/row", 200)]));
    assert!(!ok(&[row("Anna", "a:id/other", 200)]));
    assert!(!ok(&[row("Anna", "a:id/row", 200).replace("Button", "CheckBox")]));
    let twice = [row("Anna", "a:id/row", 200), row("Anna", "a:id/row", 300)];
    assert!(
        decided(&there, &screen(&twice)).unwrap_err().contains("several like \u{201c}Anna\u{201d}")
    );
    assert!(
        ok(&[row("Anna", "a:id/row", 200), row("Anna", "a:id/row", 1500)]),
        "one of them is near"
    );
}

#[test]
fn what_lies_over_the_element_is_not_touched_in_its_stead() {
    let there = replay(&tap(), Some(("Anna", "a:id/row", 200)));
    let around = row("Anna", "a:id/row", 190).replace("290]", "310]").replace("true", "false");
    let rows = [around, row("Anna", "a:id/row", 200)];
    assert!(decided(&there, &screen(&rows)).is_ok(), "what lies around it is not reached");
    let over = row("Pay", "a:id/pay", 200);
    let rows = [row("Anna", "a:id/row", 200), over];
    assert!(decided(&there, &screen(&rows)).unwrap_err().contains("is not where it was"));
}

#[test]
fn a_point_moves_with_its_element() {
    let there = replay(&tap(), Some(("Anna", "a:id/row", 200)));
    let Action::Gesture(Gesture::Click { point }) =
        decided(&there, &screen(&[row("Anna", "a:id/row", 300)])).unwrap()
    else {
        panic!("a tap stays a tap")
    };
    assert_eq!((point.x(), point.y()), (500, 175));
}

#[test]
fn a_switch_has_to_be_as_it_was() {
    let switch = |on: bool| {
        let inside = format!(
            r#"<node class="android.widget.Switch" checkable="true" checked="{on}" clickable="true" bounds="[800,210][900,290]"/>"#
        );
        screen(&[row("Wi-Fi", "a:id/row", 200), inside])
    };
    let mut there = replay(&tap(), Some(("Wi-Fi", "a:id/row", 200)));
    assert!(decided(&there, &switch(true)).is_ok(), "where it is not known");
    if let Some(element) = &mut there.steps[0].element {
        element.checked = Some(true);
    }
    assert!(decided(&there, &switch(true)).is_ok());
    let why = decided(&there, &switch(false)).unwrap_err();
    assert!(why.contains("is not switched as it was"), "{why}");
}

#[test]
fn what_cannot_be_known_to_be_the_same_is_not_done() {
    let screen = screen(&[row("Anna", "", 200)]);
    let why = |action: &serde_json::Value, element| {
        decided(&replay(action, element), &screen).unwrap_err()
    };
    assert!(why(&tap(), None).contains("is not known"));
    let secret = json!({ "function": "TYPE", "arguments": {
        "value": "[secret password #0123abcd]", "clear": false, "submit": false } });
    assert!(why(&secret, None).contains("was a secret"));
    let length = json!({ "function": "TYPE", "arguments": {
        "value": "[12 characters]", "clear": false, "submit": false } });
    assert!(why(&length, None).contains("only the length"));
    let typed = json!({ "function": "TYPE", "arguments": { "value": "x", "clear": false, "submit": false } });
    assert!(why(&typed, None).contains("no field has the focus"));
    let asked = json!({ "function": "INFO", "arguments": { "question": { "kind": "info", "text": "?", "options": [] } } });
    assert!(why(&asked, None).contains("was asked something"));
    assert!(
        why(&json!({ "function": "ABORT", "arguments": { "reason": "x" } }), None)
            .contains("given up")
    );
    assert!(
        why(&json!({ "function": "COMPLETE", "arguments": { "return": "x" } }), None)
            .contains("but to look")
    );
    assert!(why(&json!({ "function": "PINCH", "arguments": {} }), None).contains("cannot be read"));
    let home = json!({ "function": "HOT_KEY", "arguments": { "key": "HOME" } });
    let elsewhere = replay(&home, None).decide(0, Some("com.other"), &screen, SIZE);
    assert!(elsewhere.unwrap_err().to_string().contains("com.example is not in front"));
}

#[test]
fn text_and_enter_go_where_the_same_field_has_the_focus() {
    let typed = json!({ "function": "TYPE", "arguments": { "value": "x", "clear": false, "submit": true } });
    let enter = json!({ "function": "HOT_KEY", "arguments": { "key": "ENTER" } });
    let in_focus = |text, id| row(text, id, 200).replace("clickable", "focused=\"true\" clickable");
    for act in [&typed, &enter] {
        let there = replay(act, Some(("Search", "a:id/search", 200)));
        assert!(decided(&there, &screen(&[in_focus("boots", "a:id/search")])).is_ok());
        let why = decided(&there, &screen(&[in_focus("Search", "a:id/comment")])).unwrap_err();
        assert!(
            why.contains("a:id/comment") || why.contains("\u{201c}Search\u{201d} has the focus"),
            "{why}"
        );
        let unfocused = screen(&[row("Search", "a:id/search", 200)]);
        assert!(decided(&there, &unfocused).unwrap_err().contains("no field has the focus"));
        let unknown = decided(&replay(act, None), &screen(&[in_focus("Search", "a:id/search")]));
        assert!(unknown.unwrap_err().contains("is not known"));
        // Without an identifier what stands in it has to be the same.
        let nameless = replay(act, Some(("Search", "", 200)));
        assert!(decided(&nameless, &screen(&[in_focus("Search", "")])).is_ok());
        assert!(decided(&nameless, &screen(&[in_focus("Comment", "")])).is_err());
    }
}

proptest! {
    #[test]
    fn any_element_and_point_are_matched_without_fear(
        point in (0..=1000_u16, 0..=1000_u16), bounds in any::<[i32; 4]>(), now in any::<[i16; 4]>(),
    ) {
        let action = json!({ "function": "CLICK", "arguments": { "point": [point.0, point.1] } });
        let mut replay = replay(&action, Some(("Anna", "", 200)));
        if let Some(element) = &mut replay.steps[0].element {
            element.bounds = bounds.map(|side| side / 4);
        }
        let [left, top, right, bottom] = now;
        let row = row("Anna", "", 0).replace("[0,0][1000,100]", &format!("[{left},{top}][{right},{bottom}]"));
        if let Ok(Action::Gesture(Gesture::Click { point })) = decided(&replay, &screen(&[row])) {
            prop_assert!(point.x() <= 1000 && point.y() <= 1000);
        }
    }
}
