//! A field is empty before a text is typed into it, or that is not told as done.
use ayeaye_phone::{PhoneOptions, SelectAll};

use super::*;

const GREETING: &str =
    "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{643} \u{623}\u{647}\u{644}\u{627}";

/// A new note on a phone with this version of Android, and this text in a field of it, the caret where it is put.
async fn holding(
    sdk: u32,
    faults: impl FnOnce(&mut FaultPlan),
    name: &str,
    text: &str,
    keys: &[u32],
) -> Rig {
    let usual = quick_phone().phone().options().clone();
    let phone = Phone::new(PhoneOptions { sdk, ..usual });
    let rig = on_a_note_of(VirtualPhone::new(phone), faults).await;
    act(&rig, "tap", middle(&rig.virtual_phone, name)).await;
    let phone = rig.virtual_phone.phone();
    assert!(phone.commit_text(text));
    for key in keys {
        phone.key(*key, false);
    }
    rig
}

/// Types over it; whether that is told as certain.
async fn replaced(rig: &Rig, by: &str) -> bool {
    let typed = act(rig, "type_text", json!({ "text": by, "clear": true })).await;
    typed.get("uncertain").is_none()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_from_right_to_left_is_emptied() {
    for sdk in [30, 34] {
        for select_all in [SelectAll::Works, SelectAll::Swallowed, SelectAll::TypesA] {
            for by in ["new", "\u{62c}\u{62f}\u{64a}\u{62f}"] {
                let faults = |plan: &mut FaultPlan| {
                    plan.select_all = select_all;
                    plan.deaf_keyboard = by == "new";
                };
                let rig = holding(sdk, faults, "title", &GREETING.repeat(6), &[]).await;
                let certain = replaced(&rig, by).await;
                assert_eq!((field(&rig).as_str(), certain), (by, true), "{sdk} {select_all:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_many_lines_is_emptied_from_its_middle() {
    let lines = "these are thirty characters ok\n".repeat(14);
    for (sdk, select_all) in
        [(30, SelectAll::Works), (34, SelectAll::Swallowed), (34, SelectAll::TypesA)]
    {
        for up in [0, 200, lines.len()] {
            let keys = vec![21; up];
            let faults = |plan: &mut FaultPlan| plan.select_all = select_all;
            let rig = holding(sdk, faults, "body", &lines, &keys).await;
            let certain = replaced(&rig, "new").await;
            assert_eq!((field(&rig).as_str(), certain), ("new", true), "{sdk} {select_all:?} {up}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blank_line_is_not_taken_for_an_empty_field() {
    for (sdk, select_all) in [
        (30, SelectAll::Works),
        (31, SelectAll::Works),
        (34, SelectAll::Works),
        (34, SelectAll::Swallowed),
        (34, SelectAll::TypesA),
    ] {
        let faults = |plan: &mut FaultPlan| plan.select_all = select_all;
        let rig = holding(sdk, faults, "body", "\nkeep this", &[21; 10]).await;
        let certain = replaced(&rig, "new").await;
        assert_eq!((field(&rig).as_str(), certain), ("new", true), "{sdk} {select_all:?}");
    }
}
