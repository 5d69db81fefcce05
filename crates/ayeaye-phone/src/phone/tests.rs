//! Tests that use the phone as a person does: find a node, tap it, check what happened.
mod carets;
mod dialogs;
mod scrolling;
mod timers;

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::{Instant, sleep, sleep_until};

use super::Phone;
use crate::{
    options::PhoneOptions,
    os::state::{InputOutcome, NodeState},
    packages::{Component, LaunchState, StartError},
    system::Quirks,
};

struct User {
    phone: Phone,
}

/// A node with this text, description or id; clickable ones first.
fn find(nodes: &[NodeState], what: &str) -> Option<NodeState> {
    let id = format!("/{what}");
    let fits = |n: &&NodeState| n.text == what || n.desc == what || n.id.ends_with(&id);
    nodes.iter().find(|n| n.clickable && fits(n)).or_else(|| nodes.iter().find(fits)).cloned()
}

impl User {
    fn new() -> Self {
        Self { phone: Phone::new(PhoneOptions::default()) }
    }

    async fn wait_idle(&self) {
        while let Some(at) = self.phone.settles_at() {
            sleep_until(at + Duration::from_millis(1)).await;
        }
    }

    #[track_caller]
    fn node(&self, what: &str) -> NodeState {
        let state = self.phone.state();
        find(&state.nodes, what)
            .or_else(|| find(&state.system_nodes, what))
            .unwrap_or_else(|| panic!("no {what} in {:#?}", texts(&self.phone)))
    }

    fn shows(&self, what: &str) -> bool {
        find(&self.phone.state().nodes, what).is_some()
    }

    async fn tap(&self, what: &str) {
        self.wait_idle().await;
        let (x, y) = self.node(what).center();
        self.phone.tap(x, y);
        self.wait_idle().await;
    }

    async fn type_keys(&self, text: &str) {
        for c in text.chars() {
            let name = if c == ' ' { "Space".to_owned() } else { c.to_string() };
            self.tap(&name).await;
        }
    }

    async fn open(&self, app: &str) {
        self.phone.key(3, false);
        self.tap(app).await;
    }

    fn assert_no_stray_input(&self) {
        let counts = self.phone.state().counts;
        let wrong = counts.dead_taps
            + counts.taps_in_transition
            + counts.taps_off_screen
            + counts.input_while_off
            + counts.text_without_focus
            + counts.unknown_keys;
        assert_eq!(wrong, 0, "{counts:?}");
    }
}

fn texts(phone: &Phone) -> Vec<String> {
    let nodes = phone.state().nodes;
    nodes.into_iter().map(|n| format!("{} {} {}", n.id, n.text, n.desc)).collect()
}

#[tokio::test(start_paused = true)]
async fn wifi_is_turned_off_by_hand() {
    let user = User::new();
    user.open("Settings").await;
    user.tap("Network & internet").await;
    user.tap("Internet").await;
    assert!(user.shows("Aurora"));
    user.tap("switch_widget").await;
    assert!(!user.phone.state().wifi);
    assert_eq!(user.phone.setting("global", "wifi_on").as_deref(), Some("0"));
    assert!(!user.shows("Aurora"));
    let class = user.phone.foreground().class;
    assert_eq!(class, "com.android.settings.Settings$WifiSettingsActivity");
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn a_note_keeps_every_byte() {
    let body = "\u{4e70}\u{725b}\u{5976} \u{1F95B}\n2 x \"bread\" & <milk>\n\u{e9}t\u{e9}";
    let user = User::new();
    user.phone.enable_input_method("com.android.adbkeyboard/.AdbIME", true).unwrap();
    user.phone.set_input_method("com.android.adbkeyboard/.AdbIME").unwrap();
    user.open("Notes").await;
    user.tap("New note").await;
    assert!(user.phone.commit_text("Trip \u{1F1EF}\u{1F1F5}"));
    user.tap("body").await;
    assert!(user.phone.commit_text(body));
    let xml = user.phone.ui_xml();
    let parsed = roxmltree::Document::parse(&xml).unwrap();
    assert!(parsed.descendants().any(|n| n.attribute("text") == Some(body)), "{xml}");
    user.tap("save").await;
    let note = user.phone.state().notes[0].clone();
    assert_eq!((note.title.as_str(), note.body.as_str()), ("Trip \u{1F1EF}\u{1F1F5}", body));
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn a_message_goes_to_the_right_anna() {
    let user = User::new();
    user.open("Messages").await;
    user.tap("Start chat").await;
    user.type_keys("anna").await;
    assert!(user.shows("Anna Berg") && user.shows("Anna Bauer"));
    user.tap("Anna Bauer").await;
    user.tap("compose").await;
    user.phone.input_text("Lunch on");
    user.type_keys(" friday").await;
    user.tap("send_button").await;
    let state = user.phone.state();
    assert_eq!(state.sent.len(), 1);
    assert_eq!(
        (state.sent[0].to.as_str(), state.sent[0].text.as_str()),
        ("Anna Bauer", "Lunch on friday")
    );
    assert_eq!(state.conversations[0].with, "Anna Bauer");
    assert!(user.shows("Lunch on friday"));
    // Back leads to the list, not to the search.
    user.phone.key(4, false);
    user.phone.key(4, false);
    user.wait_idle().await;
    assert!(user.shows("Start chat"));
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn signing_in_needs_the_code() {
    let user = User::new();
    user.open("Nimbus").await;
    user.tap("sign_in").await;
    user.tap("username").await;
    user.phone.input_text("kim");
    // Next on the keyboard leads to the password.
    user.phone.key(66, false);
    user.phone.input_text("secret");
    assert!(!user.phone.ui_xml().contains("secret"));
    assert!(user.phone.ui_xml().contains("\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\""));
    user.phone.key(66, false);
    assert!(user.phone.settles_at().is_some(), "the server takes its time");
    user.wait_idle().await;
    assert_eq!(user.phone.state().focused_field.unwrap().resource_id, "com.example.nimbus:id/code");
    let code = user.phone.state().one_time_code;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    user.phone.input_text(wrong);
    user.tap("verify").await;
    assert!(user.shows("error"));
    assert_eq!(user.phone.state().signed_in, None);
    user.phone.input_text(&user.phone.state().one_time_code);
    user.tap("verify").await;
    assert_eq!(user.phone.state().signed_in.as_deref(), Some("kim"));
    user.assert_no_stray_input();
    user.tap("recovery").await;
    assert!(user.phone.is_secure());
    let frame = user.phone.frame();
    let middle = (frame.height / 2 * frame.width + frame.width / 2) as usize * 4;
    assert_eq!(&frame.rgba[middle..middle + 4], &[0, 0, 0, 255]);
}

#[tokio::test(start_paused = true)]
async fn shoes_are_found_and_bought_only_at_the_end() {
    let user = User::new();
    user.open("Shop").await;
    user.tap("search").await;
    user.phone.input_text("running shoes");
    assert!(user.phone.editor_action(3));
    user.wait_idle().await;
    assert_eq!(user.node("result_count").text, "4 results");
    user.tap("sort_price_asc").await;
    assert_eq!(user.node("product_name").text, "Stride Running Shoes");
    user.tap("filter_under_50").await;
    assert_eq!(user.node("result_count").text, "1 result");
    user.tap("product").await;
    user.tap("add_to_cart").await;
    assert!(user.phone.state().cart.is_empty(), "no size was chosen");
    user.tap("42").await;
    user.tap("add_to_cart").await;
    user.tap("cart").await;
    user.tap("checkout").await;
    let state = user.phone.state();
    assert_eq!((state.cart[0].size.as_str(), state.orders.len()), ("42", 0));
    user.tap("place_order").await;
    assert_eq!(user.phone.state().orders[0].total_cents, 3_900);
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn touches_in_a_transition_are_dropped_and_counted() {
    let user = User::new();
    let (x, y) = user.node("Settings").center();
    let before = user.phone.frame().rgba;
    user.phone.tap(x, y);
    let end = user.phone.settles_at().unwrap();
    assert!(end - Instant::now() >= Duration::from_millis(120));
    let first = user.phone.frame().rgba;
    sleep(Duration::from_millis(60)).await;
    let second = user.phone.frame().rgba;
    assert!(first != second, "it moves");
    user.phone.tap(540.0, 900.0);
    assert_eq!(user.phone.state().counts.taps_in_transition, 1);
    user.wait_idle().await;
    let after = user.phone.frame().rgba;
    assert!(after != before);
    sleep(Duration::from_secs(2)).await;
    let later = user.phone.frame().rgba;
    assert_eq!(after.as_ptr(), later.as_ptr(), "a still screen is not drawn again");
    let class = user.phone.foreground().class;
    assert_eq!(class, "com.android.settings.Settings", "the dropped touch opened nothing");
    let actions = user.phone.state().actions;
    assert_eq!(actions.last().unwrap().outcome, InputOutcome::Dropped);
    assert_eq!(actions.iter().map(|a| a.n).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn only_the_caret_blinks_in_a_focused_field() {
    let user = User::new();
    user.open("Notes").await;
    user.tap("New note").await;
    let (a, b) = (user.phone.frame().rgba, {
        sleep(Duration::from_millis(500)).await;
        user.phone.frame().rgba
    });
    let different = a.chunks(4).zip(b.chunks(4)).filter(|(a, b)| a != b).count();
    assert!((1..2_000).contains(&different), "{different} pixels");
}

#[tokio::test(start_paused = true)]
async fn rotation_and_size_keep_the_taps_right() {
    for (rotation, size) in [
        (1, None),
        (3, None),
        (0, Some((720, 1600))),
        (1, Some((720, 1600))),
        (0, Some((1440, 3200))),
    ] {
        let user = User::new();
        user.phone.set_size_override(size);
        user.phone.set_rotation(rotation);
        let (w, h) = user.phone.display_size();
        assert_eq!(w > h, rotation % 2 == 1);
        let frame = user.phone.frame();
        assert_eq!((frame.width, frame.height), (w, h));
        assert_eq!(frame.rgba.len(), (w * h * 4) as usize);
        user.open("Messages").await;
        user.tap("Start chat").await;
        assert_eq!(user.phone.foreground().class, "com.example.messages.NewMessageActivity");
        user.type_keys("berg").await;
        // In landscape the keyboard leaves little room for the list.
        user.phone.key(4, false);
        user.tap("Anna Berg").await;
        assert!(user.shows("send_button"));
        assert!(user.phone.ui_xml().contains(&format!("rotation=\"{rotation}\"")));
        user.assert_no_stray_input();
    }
}

#[tokio::test(start_paused = true)]
async fn lists_scroll_and_stop_at_their_ends() {
    let user = User::new();
    user.open("Settings").await;
    let y = |user: &User| user.node("Network & internet").bounds[1];
    let start = y(&user);
    user.phone.drag((540.0, 1800.0), (540.0, 1600.0), Duration::from_millis(600));
    assert_eq!(start - y(&user), 200, "the list follows the finger");
    assert!(user.phone.settles_at().is_none());
    user.phone.swipe((540.0, 1800.0), (540.0, 1700.0), Duration::from_millis(30));
    assert!(user.phone.settles_at().is_some(), "a fast finger makes it roll");
    user.wait_idle().await;
    assert!(user.shows("About phone") && !user.shows("Network & internet"));
    for _ in 0..3 {
        user.phone.swipe((540.0, 800.0), (540.0, 2000.0), Duration::from_millis(100));
        user.wait_idle().await;
    }
    assert_eq!(y(&user), start);
    user.assert_no_stray_input();
}

#[tokio::test(start_paused = true)]
async fn a_slide_that_stays_on_a_control_presses_it() {
    for (down, saved) in [(60.0, true), (400.0, false)] {
        let user = User::new();
        user.open("Notes").await;
        user.tap("New note").await;
        user.tap("body").await;
        user.type_keys("milk").await;
        let [_, top, _, bottom] = user.node("save").bounds;
        let (x, y) = user.node("save").center();
        assert!(bottom - top > 80, "{}", bottom - top);
        user.phone.swipe((x, y - 30.0), (x, y - 30.0 + down), Duration::from_millis(300));
        user.wait_idle().await;
        assert_eq!(user.phone.state().notes.iter().any(|note| note.body == "milk"), saved);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pin_guards_the_phone() {
    let user = User::new();
    user.phone.set_pin(Some("2468"));
    user.phone.press_power();
    assert!(!user.phone.is_awake());
    assert!(user.phone.frame().rgba.chunks(4).all(|p| p == [0, 0, 0, 255]));
    user.phone.tap(500.0, 500.0);
    assert_eq!(user.phone.state().counts.input_while_off, 1);
    user.phone.key(224, false);
    assert_eq!(user.phone.focused_window(), "NotificationShade");
    user.phone.swipe((540.0, 1900.0), (540.0, 600.0), Duration::from_millis(200));
    user.wait_idle().await;
    assert!(user.phone.is_locked() && user.phone.state().asks_pin);
    for key in ["key1", "key_enter"] {
        user.tap(key).await;
    }
    assert!(user.phone.is_locked());
    for key in ["key2", "key4", "key6", "key8", "key_enter"] {
        user.tap(key).await;
    }
    assert!(!user.phone.is_locked());
}

#[tokio::test(start_paused = true)]
async fn dialogs_cover_everything_and_remember_the_answer() {
    let user = User::new();
    user.open("Shop").await;
    user.phone.show_dialog("Shop isn't responding", "Close it?", &["Close app", "Wait"]);
    assert_eq!(user.phone.focused_window(), "Shop isn't responding");
    assert_eq!(user.phone.foreground().package, "com.example.shop");
    user.tap("Wait").await;
    let answers = user.phone.state().dialogs_answered;
    assert_eq!(answers[0].button.as_deref(), Some("Wait"));
    assert!(user.phone.focused_window().starts_with("com.example.shop/"));
}

#[tokio::test(start_paused = true)]
async fn a_received_message_shows_for_five_seconds() {
    let user = User::new();
    user.phone.receive_message("Ben Carter", "Tonight?");
    assert!(find(&user.phone.state().system_nodes, "Tonight?").is_some());
    sleep(Duration::from_secs(6)).await;
    assert!(find(&user.phone.state().system_nodes, "Tonight?").is_none());
    user.phone.receive_message("Ben Carter", "Hello?");
    let card = find(&user.phone.state().system_nodes, "Hello?").unwrap();
    let (x, y) = card.center();
    user.phone.tap(x, y);
    user.wait_idle().await;
    assert_eq!(user.phone.foreground().class, "com.example.messages.ConversationActivity");
    assert!(user.shows("Hello?"));
}

#[tokio::test(start_paused = true)]
async fn recents_bring_back_and_close() {
    let user = User::new();
    user.open("Notes").await;
    user.open("Clock").await;
    user.phone.key(187, false);
    user.wait_idle().await;
    assert_eq!(user.phone.foreground().package, "com.android.launcher3");
    let names: Vec<String> = user.phone.tasks().into_iter().map(|c| c.package).collect();
    assert_eq!(names, ["com.example.clock", "com.example.notes"]);
    let (x, y) = user.node("Clock").center();
    user.phone.swipe((x, y), (x, y - 900.0), Duration::from_millis(200));
    user.wait_idle().await;
    user.tap("Notes").await;
    assert_eq!(user.phone.foreground().package, "com.example.notes");
    assert_eq!(user.phone.tasks().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn activities_start_as_am_start_does_it() {
    let user = User::new();
    let notes = Component {
        package: "com.example.notes".to_owned(),
        class: "com.example.notes.MainActivity".to_owned(),
    };
    assert_eq!(user.phone.start_activity(&notes), Ok(LaunchState::Cold));
    assert_eq!(user.phone.start_activity(&notes), Ok(LaunchState::Hot));
    let empty_state = Component { class: "com.example.notes.Nope".to_owned(), ..notes };
    assert_eq!(
        user.phone.start_activity(&empty_state),
        Err(StartError::NoSuchActivity("com.example.notes/com.example.notes.Nope".to_owned()))
    );
    user.phone.force_stop("com.example.notes");
    user.phone.force_stop("no.such.package");
    assert_eq!(user.phone.foreground().package, "com.android.launcher3");
    assert!(user.phone.tasks().is_empty());
}

#[tokio::test(start_paused = true)]
async fn text_needs_a_field_and_select_all_replaces() {
    let user = User::new();
    user.phone.input_text("lost");
    assert!(!user.phone.commit_text("lost"));
    assert_eq!(user.phone.state().counts.text_without_focus, 2);
    user.open("Notes").await;
    user.tap("New note").await;
    user.phone.input_text("first");
    user.phone.input_text("n\u{f6}");
    assert_eq!(user.phone.state().counts.text_without_focus, 3, "input text takes ASCII only");
    user.phone.key_combination(&[113, 29]);
    user.phone.key(278, false);
    user.phone.key(67, false);
    assert_eq!(user.phone.state().focused_field.unwrap().text, "");
    user.phone.key(279, false);
    user.phone.key(279, false);
    assert_eq!(user.phone.state().focused_field.unwrap().text, "firstfirst");
    // Back hides the keyboard and keeps the focus, so text still arrives.
    user.phone.key(4, false);
    assert!(!user.phone.keyboard_shown());
    assert!(user.phone.clear_text());
    assert_eq!(user.phone.state().focused_field.unwrap().text, "");
}

#[test]
fn the_dump_has_androids_attributes_in_androids_order() {
    let phone = Phone::new(PhoneOptions::default());
    let xml = phone.ui_xml();
    assert!(xml.starts_with(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index=\"0\" text=\"\" resource-id=\""
    ));
    let parsed = roxmltree::Document::parse(&xml).unwrap();
    let node = parsed.descendants().find(|n| n.attribute("content-desc") == Some("Shop")).unwrap();
    let names: Vec<&str> = node.attributes().map(|a| a.name()).collect();
    assert_eq!(
        names.join(" "),
        "index text resource-id class package content-desc checkable checked clickable enabled \
         focusable focused scrollable long-clickable password selected bounds"
    );
    assert_eq!(node.attribute("package"), Some("com.android.launcher3"));
    serde_json::to_string(&phone.state()).unwrap();
}

#[derive(Debug, Clone)]
enum RandomInput {
    Tap(f32, f32),
    /// The clickable node of this index, so that random input gets somewhere.
    Node(usize),
    Swipe((f32, f32), (f32, f32), u64),
    Key(u32),
    Combination(u32, u32),
    Text(String),
    Rotate(u8),
    Size(u32, u32),
    Dialog,
    Message(String),
    Wait(u64),
}

fn random_input() -> impl Strategy<Value = RandomInput> {
    let point = || (-50.0f32..2500.0, -50.0f32..2500.0);
    prop_oneof![
        1 => point().prop_map(|(x, y)| RandomInput::Tap(x, y)),
        8 => any::<usize>().prop_map(RandomInput::Node),
        1 => (point(), point(), 0u64..1500).prop_map(|(a, b, ms)| RandomInput::Swipe(a, b, ms)),
        1 => (0u32..300).prop_map(RandomInput::Key),
        1 => (0u32..300, 0u32..300).prop_map(|(a, b)| RandomInput::Combination(a, b)),
        2 => "(\\PC|\n){0,20}".prop_map(RandomInput::Text),
        1 => (0u8..8).prop_map(RandomInput::Rotate),
        1 => (0u32..5000, 0u32..5000).prop_map(|(w, h)| RandomInput::Size(w, h)),
        1 => Just(RandomInput::Dialog),
        1 => "\\PC{0,20}".prop_map(RandomInput::Message),
        4 => (0u64..1500).prop_map(RandomInput::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_a_finger_does_breaks_it(inputs in proptest::collection::vec(random_input(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let phone = Phone::new(PhoneOptions::default());
            for random_input in inputs {
                match random_input {
                    RandomInput::Tap(x, y) => phone.tap(x, y),
                    RandomInput::Node(i) => {
                        let nodes = phone.state().nodes;
                        let can: Vec<&NodeState> = nodes.iter().filter(|n| n.clickable).collect();
                        if !can.is_empty() {
                            let (x, y) = can[i % can.len()].center();
                            phone.tap(x, y);
                        }
                    }
                    RandomInput::Swipe(a, b, ms) => phone.swipe(a, b, Duration::from_millis(ms)),
                    RandomInput::Key(key) => phone.key(key, false),
                    RandomInput::Combination(a, b) => phone.key_combination(&[a, b]),
                    RandomInput::Text(text) => {
                        phone.commit_text(&text);
                        phone.input_text(&text);
                    }
                    RandomInput::Rotate(turns) => phone.set_rotation(turns),
                    RandomInput::Size(w, h) => phone.set_size_override(Some((w, h))),
                    RandomInput::Dialog => phone.show_dialog("Title", "Text", &["Yes", "No"]),
                    RandomInput::Message(text) => phone.receive_message("Mum", &text),
                    RandomInput::Wait(ms) => sleep(Duration::from_millis(ms)).await,
                }
                let xml = phone.ui_xml();
                roxmltree::Document::parse(&xml).unwrap();
            }
            phone.set_size_override(Some((300, 600)));
            let frame = phone.frame();
            assert_eq!(frame.rgba.len(), (frame.width * frame.height * 4) as usize);
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_transition_is_shown_frame_by_frame() {
    let phone = Phone::new(PhoneOptions::default());
    let settings = Component::parse("com.android.settings/.Settings").unwrap();
    phone.start_activity(&settings).unwrap();
    let mut pictures = Vec::new();
    // The display shows a new frame every 16.7 ms.
    for wait in [30, 2, 20] {
        sleep(Duration::from_millis(wait)).await;
        pictures.push(phone.frame().rgba);
    }
    assert!(pictures[0] == pictures[1], "the same frame");
    assert!(pictures[1] != pictures[2], "another frame");
}

#[tokio::test(start_paused = true)]
async fn a_video_never_stands_still_and_the_rest_does() {
    let phone = Phone::new(PhoneOptions::default());
    let still = phone.frame();
    phone.set_quirks(Quirks { video: true, ..Quirks::default() });
    let mut before = phone.frame();
    for _ in 0..3 {
        sleep(Duration::from_millis(40)).await;
        let now = phone.frame();
        assert!(now.rgba != before.rgba);
        let row = |frame: &crate::Frame, y: usize| frame.rgba.slice(y * 4320..(y + 1) * 4320);
        assert_eq!(row(&now, 2000), row(&still, 2000), "nothing else moves");
        before = now;
    }
    assert!(phone.state().settled);
}
