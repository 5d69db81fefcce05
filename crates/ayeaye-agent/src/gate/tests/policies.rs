//! What a policy changes: budgets, lists of apps, private apps, profiles.
use super::*;
use crate::{DeviceCommand, Key};

#[test]
fn budgets_and_lists_refuse() {
    let scene = Scene::of("com.example.notes", "Notes").button("New note");
    let tap = scene.tap("New note");
    let mut policy = Policy::default();
    policy.budgets.taps_per_minute = Some(10);
    policy.budgets.typed_characters = Some(5);
    let history = GateHistory { taps: 10, typed: 3, ..GateHistory::default() };
    let judged =
        |policy: &Policy, gesture: &Gesture| scene.judge_with(policy, TASK, gesture, &history).rule;
    assert_eq!(judged(&policy, &tap), Rule::TapBudget);
    assert_eq!(judged(&policy, &type_text("abc")), Rule::TypingBudget);
    assert_eq!(judged(&policy, &type_text("ab")), Rule::Harmless);
    let denied = Policy { deny_apps: vec!["com.example.*".into()], ..Policy::default() };
    assert_eq!(judged(&denied, &tap), Rule::DeniedApp);
    let listed = Policy { allow_apps: vec![vec!["com.other".into()]], ..Policy::default() };
    assert_eq!(judged(&listed, &tap), Rule::AppNotListed);
    let home = Gesture::HotKey { key: Key::Home };
    assert_eq!(judged(&listed, &home), Rule::Harmless);
}

/// A widget, or a window over another app.
#[test]
fn lists_bind_what_another_app_shows() {
    let scene = Scene::of("com.example.notes", "Notes").button("Next").shown_by("com.bank");
    let bank = || vec!["com.bank".to_owned()];
    let judged = |policy: &Policy| {
        scene.judge_with(policy, TASK, &scene.tap("Next"), &GateHistory::default()).rule
    };
    assert_eq!(judged(&Policy { deny_apps: bank(), ..Policy::default() }), Rule::DeniedApp);
    assert_eq!(judged(&Policy { private_apps: bank(), ..Policy::default() }), Rule::PrivateApp);
    let notes = vec![vec!["com.example.notes".to_owned()]];
    assert_eq!(judged(&Policy { allow_apps: notes, ..Policy::default() }), Rule::AppNotListed);
    let both = vec![vec!["com.example.notes".to_owned(), "com.bank".to_owned()]];
    assert_eq!(judged(&Policy { allow_apps: both, ..Policy::default() }), Rule::Harmless);
}

/// An app that nobody knows may be any that a list denies.
#[test]
fn an_unknown_app_is_refused_where_lists_bind() {
    let scene = Scene::of("", "Notes").button("New note");
    let denied = Policy { deny_apps: vec!["com.bank".into()], ..Policy::default() };
    let listed = Policy { allow_apps: vec![vec!["com.other".into()]], ..Policy::default() };
    let judged = |policy: &Policy, gesture: &Gesture| {
        scene.judge_with(policy, TASK, gesture, &GateHistory::default()).rule
    };
    let tap = scene.tap("New note");
    for gesture in [&tap, &type_text("abc")] {
        assert_eq!(judged(&denied, gesture), Rule::DeniedApp);
        assert_eq!(judged(&listed, gesture), Rule::AppNotListed);
        assert_eq!(judged(&Policy::default(), gesture), Rule::Harmless);
    }
    // One leaves it, and opens others.
    let home = Gesture::HotKey { key: Key::Home };
    assert_eq!(judged(&denied, &home), Rule::Harmless);
    let notes = Gesture::Awake { app: "com.example.notes".to_owned() };
    assert_eq!(judged(&denied, &notes), Rule::Harmless);
}

#[test]
fn lists_bind_commands_on_apps_and_on_their_files() {
    let scene = Scene::of("com.example.notes", "Notes");
    let judged = |policy: &Policy, command: DeviceCommand| {
        scene.judge_with(policy, TASK, &Gesture::Command(command), &GateHistory::default()).rule
    };
    let denied = Policy { deny_apps: vec!["com.bank".into()], ..Policy::default() };
    let private = Policy { private_apps: vec!["com.bank".into()], ..Policy::default() };
    for app in ["com.bank", "com.bank/.Main", "com.bank/com.bank.Main"] {
        let app = app.to_owned();
        assert_eq!(judged(&denied, DeviceCommand::StopApp { app: app.clone() }), Rule::DeniedApp);
        assert_eq!(judged(&denied, DeviceCommand::Uninstall { app }), Rule::DeniedApp);
    }
    for path in [
        "/sdcard/Android/data/com.bank/files/keys",
        "/storage/emulated/0/Android/media/com.bank/a.jpg",
        "/sdcard//android/./OBB/COM.bank/a",
        "/sdcard/Andro\u{200b}id/da\u{200b}ta/com.\u{feff}bank/a",
    ] {
        let fetch = || DeviceCommand::FetchFile { from: path.to_owned(), file: "a".to_owned() };
        let send = DeviceCommand::SendFile { file: "a".to_owned(), to: path.to_owned() };
        assert_eq!(judged(&denied, fetch()), Rule::DeniedApp, "{path}");
        assert_eq!(judged(&denied, send), Rule::DeniedApp, "{path}");
        assert_eq!(judged(&private, fetch()), Rule::PrivateApp, "{path}");
    }
    let photo = DeviceCommand::FetchFile {
        from: "/sdcard/DCIM/com.bank/a.jpg".to_owned(),
        file: "a".to_owned(),
    };
    assert_eq!(judged(&private, photo), Rule::Harmless);
}

#[test]
fn the_overview_is_nobodys_while_an_app_is_private() {
    let scene = Scene::of("com.example.notes", "Notes");
    let overview = Gesture::HotKey { key: Key::Recents };
    let judged =
        |policy: &Policy| scene.judge_with(policy, TASK, &overview, &GateHistory::default()).rule;
    let private = Policy { private_apps: vec!["com.bank".into()], ..Policy::default() };
    // It has pictures of the apps, and the app in front is the home screen then.
    assert_eq!(judged(&private), Rule::PrivateApp);
    assert_eq!(judged(&Policy::default()), Rule::Harmless);
}

#[test]
fn profiles_differ_in_what_they_refuse() {
    let shop = Scene::of("com.example.shop", "Checkout").button("Place order").switch("Gift");
    let named = |profile, name: &str| {
        let policy = Policy::of(profile);
        let history = GateHistory::default();
        shop.judge_with(&policy, "Order the boots", &shop.tap(name), &history).name()
    };
    assert_eq!(named(PolicyProfile::Careful, "Place order"), "confirm");
    assert_eq!(named(PolicyProfile::Trusted, "Place order"), "confirm");
    assert_eq!(named(PolicyProfile::NoCommerce, "Place order"), "deny");
    assert_eq!(named(PolicyProfile::ReadOnly, "Place order"), "deny");
    assert_eq!(named(PolicyProfile::ReadOnly, "Gift"), "deny");
    assert_eq!(named(PolicyProfile::Careful, "Gift"), "allow");
    let notes = Scene::of("com.example.notes", "Notes").button("Delete all");
    let delete = |profile| {
        let policy = Policy::of(profile);
        notes.judge_with(&policy, TASK, &notes.tap("Delete all"), &GateHistory::default()).name()
    };
    assert_eq!(delete(PolicyProfile::Trusted), "allow");
    assert_eq!(delete(PolicyProfile::Careful), "confirm");
}
