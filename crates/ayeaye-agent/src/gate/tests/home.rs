//! The home screen, what lies over it, and what only calls itself one.
use super::*;
use crate::{Direction, Key};

const HOME: &str = "com.android.launcher3/x";

/// A window of an app that the phone does not say is in front: that is what lies under it.
fn dialog(over: &str) -> Scene {
    Scene::of(over, "Checkout").text("Total €1,299.00").button("Pay now").shown_by("com.evil.app")
}

fn judged(policy: &Policy, scene: &Scene, gesture: &Gesture) -> Verdict {
    scene.judge_with(policy, TASK, gesture, &GateHistory::default())
}

fn allowing(app: &str) -> Policy {
    Policy { allow_apps: vec![vec![app.to_owned()]], ..Policy::default() }
}

#[test]
fn the_buttons_of_a_window_over_the_home_screen_are_read() {
    let pay = dialog(HOME);
    let verdict = judged(&Policy::default(), &pay, &pay.tap("Pay now"));
    let GateDecision::Confirm(ask) = &verdict.decision else { panic!("{verdict:?}") };
    assert_eq!((ask.class, ask.app.as_str()), (ActClass::Pay, "com.evil.app"));
    let no_commerce = Policy::of(PolicyProfile::NoCommerce);
    assert_eq!(judged(&no_commerce, &pay, &pay.tap("Pay now")).name(), "deny");
    let send = Scene::of(HOME, "Send the message to 72345?").button("Send").shown_by("com.evil");
    assert_eq!(judged(&Policy::default(), &send, &send.tap("Send")).name(), "confirm");
    let enter = Gesture::HotKey { key: Key::Enter };
    let focused = Scene::of(HOME, "Checkout").focused_button("Pay now").shown_by("com.evil.app");
    assert_eq!(judged(&Policy::default(), &focused, &enter).name(), "confirm");
    // Where the phone does not say whose it is, it may be anybody's.
    let unsaid = pay.shown_by("");
    assert_eq!(judged(&Policy::default(), &unsaid, &unsaid.tap("Pay now")).name(), "confirm");
}

#[test]
fn parts_of_the_system_over_the_home_screen_are_known_by_their_package() {
    let dialog = Scene::of(HOME, "Connection request").button("OK");
    let dialog = dialog.shown_by("com.android.vpndialogs");
    assert_eq!(judged(&Policy::default(), &dialog, &dialog.tap("OK")).name(), "deny");
}

#[test]
fn lists_of_apps_bind_what_lies_over_the_home_screen_and_the_shade() {
    let notes = allowing("com.example.notes");
    let denied = Policy { deny_apps: vec!["com.evil.*".into()], ..Policy::default() };
    for under in [HOME, "com.android.systemui/x"] {
        let scene = Scene::of(under, "").button("Open").shown_by("com.evil.app");
        let tap = scene.tap("Open");
        for policy in [&notes, &denied] {
            assert_eq!(judged(policy, &scene, &tap).name(), "deny", "{under}");
        }
        // Moving what is shown does nothing in the app.
        let up = Gesture::Scroll { direction: Direction::Up, at: None };
        assert_eq!(judged(&notes, &scene, &up).name(), "allow", "{under}");
        let own = Scene::of(under, "").button("Open");
        assert_eq!(judged(&notes, &own, &own.tap("Open")).name(), "allow", "{under}");
        let listed = scene.shown_by("com.example.notes");
        assert_eq!(judged(&notes, &listed, &listed.tap("Open")).name(), "allow", "{under}");
    }
}

#[test]
fn an_app_that_calls_itself_a_home_screen_is_none() {
    for package in ["com.evil.launcher", "com.evil_launcher3"] {
        let evil = Scene::of(package, "").button("Pay").button("Open");
        assert_eq!(judged(&Policy::default(), &evil, &evil.tap("Pay")).name(), "confirm");
        let listed = allowing("com.example.notes");
        assert_eq!(judged(&listed, &evil, &evil.tap("Open")).name(), "deny", "{package}");
        assert!(!is_home(package), "{package}");
    }
}
