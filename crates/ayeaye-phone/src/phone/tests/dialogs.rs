//! Dialogs of apps are windows of their own, and selections are what leads to some.
use std::time::Duration;

use super::{User, texts};

impl User {
    async fn hold(&self, what: &str) {
        self.wait_idle().await;
        let at = self.node(what).center();
        self.phone.swipe(at, at, Duration::from_millis(700));
        self.wait_idle().await;
    }

    async fn tap_at(&self, x: f32, y: f32) {
        self.wait_idle().await;
        self.phone.tap(x, y);
        self.wait_idle().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_dialog_of_an_app_is_a_window_of_its_own() {
    let user = User::new();
    user.open("Notes").await;
    user.hold("Bike").await;
    let title = "com.example.notes/com.example.notes.MainActivity";
    assert_eq!(user.phone.focused_window(), title, "as Android names a dialog");
    let xml = user.phone.ui_xml();
    let xml = roxmltree::Document::parse(&xml).unwrap();
    let nodes: Vec<_> = xml.descendants().filter(|n| n.has_tag_name("node")).collect();
    let listed: Vec<&str> =
        nodes.iter().filter_map(|n| n.attribute("text")).filter(|text| !text.is_empty()).collect();
    assert_eq!(
        listed,
        ["Delete note?", "The note will be gone for good.", "Cancel", "Delete"],
        "nothing of the list behind it"
    );
    let root = &user.phone.state().nodes[0];
    assert_eq!(
        (root.package.as_str(), root.id.as_str()),
        ("com.example.notes", "android:id/parentPanel")
    );
    let (width, height) = user.phone.display_size();
    let [left, top, right, bottom] = root.bounds.map(|at| u32::try_from(at).unwrap());
    assert!(0 < left && right < width && height / 4 < top && bottom < height * 3 / 4, "{root:?}");
    assert_eq!((left, top), (width - right, height - bottom), "in the middle");
    let window = &user.phone.dialog_windows()[0];
    let size = (i32::try_from(right - left).unwrap(), i32::try_from(bottom - top).unwrap());
    assert_eq!((window.size, window.has_focus), (size, true));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_is_cancelled_beside_it_and_by_back_and_nothing_behind_it_is_touched() {
    let user = User::new();
    user.open("Notes").await;
    let (x, y) = user.node("new_note").center();
    user.hold("Bike").await;
    user.tap("Delete note?").await;
    assert!(user.shows("Delete note?"), "a touch on its text does nothing");
    user.tap_at(x, y).await;
    assert!(!user.shows("Delete note?") && user.shows("Bike"), "{:?}", texts(&user.phone));
    assert_eq!(user.phone.foreground().class, "com.example.notes.MainActivity");
    user.hold("Bike").await;
    user.phone.key(4, false);
    user.wait_idle().await;
    assert!(user.shows("Bike") && user.phone.dialog_windows().is_empty());
    user.hold("Bike").await;
    user.tap("Delete").await;
    assert!(!user.shows("Bike") && user.phone.state().notes.len() == 2);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_of_the_system_stays_when_touched_beside() {
    let user = User::new();
    user.open("Notes").await;
    let behind = user.node("Bike").center();
    user.phone.show_dialog("Notes isn't responding", "Close it?", &["Close app", "Wait"]);
    user.wait_idle().await;
    user.tap_at(behind.0, behind.1).await;
    assert!(user.shows("Wait") && user.phone.state().dialogs_answered.is_empty());
    assert_eq!(user.phone.state().nodes[0].package, "android");
}

#[tokio::test(start_paused = true)]
async fn conversations_are_selected_and_deleted_only_after_a_question() {
    let user = User::new();
    let with = || -> Vec<String> {
        user.phone.state().conversations.into_iter().map(|it| it.with).collect()
    };
    user.open("Messages").await;
    let all = with();
    user.hold("Mum").await;
    assert!(user.shows("1 selected") && with() == all, "{:?}", texts(&user.phone));
    // In a selection a tap selects too, and no longer.
    user.tap("Ben Carter").await;
    user.tap("Anna Berg").await;
    assert!(user.shows("3 selected"));
    user.tap("Anna Berg").await;
    assert!(user.shows("2 selected"));
    let selected = user.phone.state().nodes.iter().filter(|node| node.selected).count();
    assert_eq!(selected, 2);

    user.tap("Delete").await;
    assert!(user.shows("Delete these 2 conversations?") && with() == all);
    user.tap("Cancel").await;
    assert!(user.shows("2 selected") && with() == all, "the selection stays");
    user.phone.key(4, false);
    user.wait_idle().await;
    assert!(user.shows("Start chat") && with() == all, "Back ends the selection");

    user.hold("Ben Carter").await;
    user.tap("Delete").await;
    assert!(user.shows("Delete this conversation?"));
    user.tap("Delete").await;
    let kept: Vec<String> = all.iter().filter(|name| *name != "Ben Carter").cloned().collect();
    assert_eq!(with(), kept);
    assert!(user.shows("Start chat"));
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn a_selection_and_its_question_end_where_another_screen_comes() {
    let user = User::new();
    user.open("Messages").await;
    user.hold("Mum").await;
    user.tap("Delete").await;
    user.phone.receive_message("Ben Carter", "Tonight?");
    user.tap("Messages notification: Ben Carter: Tonight?").await;
    assert!(user.shows("Send SMS") && user.phone.dialog_windows().is_empty());
    user.phone.key(4, false);
    user.wait_idle().await;
    assert!(user.shows("Start chat"));
}

#[tokio::test(start_paused = true)]
async fn messages_are_under_the_day_that_the_list_names() {
    let user = User::new();
    user.open("Messages").await;
    assert!(user.shows("Sat") && user.shows("9:12"));
    user.tap("Ben Carter").await;
    assert!(user.shows("Saturday") && !user.shows("Today"));
    user.phone.receive_message("Ben Carter", "Tonight?");
    let shown = texts(&user.phone);
    let at = |what: &str| shown.iter().position(|text| text.contains(what));
    assert!(
        at("Great game last night!") < at("Today") && at("Today") < at("Tonight?"),
        "{shown:?}"
    );
}
