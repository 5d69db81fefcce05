//! Tests that use the phone as a person would: look for a thing, tap it, see what became of it.
use std::time::Duration;

use proptest::prelude::*;
use tokio::time::{Instant, sleep, sleep_until};

use super::report::{NodeState, Outcome};
use crate::{Component, LaunchState, Phone, PhoneOptions, StartError};

struct Hand {
    phone: Phone,
}

/// What has the text, description or end of the id; what can be clicked comes first.
fn find(nodes: &[NodeState], what: &str) -> Option<NodeState> {
    let id = format!("/{what}");
    let fits = |n: &&NodeState| n.text == what || n.desc == what || n.id.ends_with(&id);
    nodes.iter().find(|n| n.clickable && fits(n)).or_else(|| nodes.iter().find(fits)).cloned()
}

impl Hand {
    fn new() -> Self {
        Self { phone: Phone::new(PhoneOptions::default()) }
    }

    async fn still(&self) {
        while let Some(at) = self.phone.settles_at() {
            sleep_until(at + Duration::from_millis(1)).await;
        }
    }

    #[track_caller]
    fn seen(&self, what: &str) -> NodeState {
        let state = self.phone.state();
        find(&state.nodes, what)
            .or_else(|| find(&state.system_nodes, what))
            .unwrap_or_else(|| panic!("no {what} in {:#?}", texts(&self.phone)))
    }

    fn sees(&self, what: &str) -> bool {
        find(&self.phone.state().nodes, what).is_some()
    }

    async fn tap(&self, what: &str) {
        self.still().await;
        let (x, y) = self.seen(what).center();
        self.phone.tap(x, y);
        self.still().await;
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

    fn is_clean(&self) {
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
    let hand = Hand::new();
    hand.open("Settings").await;
    hand.tap("Network & internet").await;
    hand.tap("Internet").await;
    assert!(hand.sees("Aurora"));
    hand.tap("switch_widget").await;
    assert!(!hand.phone.state().wifi);
    assert_eq!(hand.phone.setting("global", "wifi_on").as_deref(), Some("0"));
    assert!(!hand.sees("Aurora"));
    let class = hand.phone.foreground().class;
    assert_eq!(class, "com.android.settings.Settings$WifiSettingsActivity");
    hand.is_clean();
}

#[tokio::test(start_paused = true)]
async fn a_note_keeps_every_byte() {
    let body = "\u{4e70}\u{725b}\u{5976} \u{1F95B}\n2 x \"bread\" & <milk>\n\u{e9}t\u{e9}";
    let hand = Hand::new();
    hand.phone.enable_input_method("com.android.adbkeyboard/.AdbIME", true).unwrap();
    hand.phone.set_input_method("com.android.adbkeyboard/.AdbIME").unwrap();
    hand.open("Notes").await;
    hand.tap("New note").await;
    assert!(hand.phone.commit_text("Trip \u{1F1EF}\u{1F1F5}"));
    hand.tap("body").await;
    assert!(hand.phone.commit_text(body));
    let xml = hand.phone.ui_xml();
    let parsed = roxmltree::Document::parse(&xml).unwrap();
    assert!(parsed.descendants().any(|n| n.attribute("text") == Some(body)), "{xml}");
    hand.tap("save").await;
    let note = hand.phone.state().notes[0].clone();
    assert_eq!((note.title.as_str(), note.body.as_str()), ("Trip \u{1F1EF}\u{1F1F5}", body));
    hand.is_clean();
}

#[tokio::test(start_paused = true)]
async fn a_message_goes_to_the_right_anna() {
    let hand = Hand::new();
    hand.open("Messages").await;
    hand.tap("Start chat").await;
    hand.type_keys("anna").await;
    assert!(hand.sees("Anna Berg") && hand.sees("Anna Bauer"));
    hand.tap("Anna Bauer").await;
    hand.tap("compose").await;
    hand.phone.input_text("Lunch on");
    hand.type_keys(" friday").await;
    hand.tap("send_button").await;
    let state = hand.phone.state();
    assert_eq!(state.sent.len(), 1);
    assert_eq!(
        (state.sent[0].to.as_str(), state.sent[0].text.as_str()),
        ("Anna Bauer", "Lunch on friday")
    );
    assert_eq!(state.conversations[0].with, "Anna Bauer");
    assert!(hand.sees("Lunch on friday"));
    // Back leads to the list, not to the search.
    hand.phone.key(4, false);
    hand.phone.key(4, false);
    hand.still().await;
    assert!(hand.sees("Start chat"));
    hand.is_clean();
}

#[tokio::test(start_paused = true)]
async fn signing_in_needs_the_code() {
    let hand = Hand::new();
    hand.open("Nimbus").await;
    hand.tap("sign_in").await;
    hand.tap("username").await;
    hand.phone.input_text("kim");
    // Next on the keyboard leads to the password.
    hand.phone.key(66, false);
    hand.phone.input_text("secret");
    assert!(!hand.phone.ui_xml().contains("secret"));
    assert!(hand.phone.ui_xml().contains("\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\""));
    hand.phone.key(66, false);
    assert!(hand.phone.settles_at().is_some(), "the server takes its time");
    hand.still().await;
    assert_eq!(hand.phone.state().focused_field.unwrap().resource_id, "com.example.nimbus:id/code");
    let code = hand.phone.state().one_time_code;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    hand.phone.input_text(wrong);
    hand.tap("verify").await;
    assert!(hand.sees("error"));
    assert_eq!(hand.phone.state().signed_in, None);
    hand.phone.input_text(&hand.phone.state().one_time_code);
    hand.tap("verify").await;
    assert_eq!(hand.phone.state().signed_in.as_deref(), Some("kim"));
    hand.is_clean();
    hand.tap("recovery").await;
    assert!(hand.phone.is_secure());
    let frame = hand.phone.frame();
    let middle = (frame.height / 2 * frame.width + frame.width / 2) as usize * 4;
    assert_eq!(&frame.rgba[middle..middle + 4], &[0, 0, 0, 255]);
}

#[tokio::test(start_paused = true)]
async fn shoes_are_found_and_bought_only_at_the_end() {
    let hand = Hand::new();
    hand.open("Shop").await;
    hand.tap("search").await;
    hand.phone.input_text("running shoes");
    assert!(hand.phone.editor_action(3));
    hand.still().await;
    assert_eq!(hand.seen("result_count").text, "4 results");
    hand.tap("sort_price_asc").await;
    assert_eq!(hand.seen("product_name").text, "Stride Running Shoes");
    hand.tap("filter_under_50").await;
    assert_eq!(hand.seen("result_count").text, "1 result");
    hand.tap("product").await;
    hand.tap("add_to_cart").await;
    assert!(hand.phone.state().cart.is_empty(), "no size was chosen");
    hand.tap("42").await;
    hand.tap("add_to_cart").await;
    hand.tap("cart").await;
    hand.tap("checkout").await;
    let state = hand.phone.state();
    assert_eq!((state.cart[0].size.as_str(), state.orders.len()), ("42", 0));
    hand.tap("place_order").await;
    assert_eq!(hand.phone.state().orders[0].total_cents, 3_900);
    hand.is_clean();
}

#[tokio::test(start_paused = true)]
async fn touches_in_a_transition_are_dropped_and_counted() {
    let hand = Hand::new();
    let (x, y) = hand.seen("Settings").center();
    let before = hand.phone.frame().rgba;
    hand.phone.tap(x, y);
    let end = hand.phone.settles_at().unwrap();
    assert!(end - Instant::now() >= Duration::from_millis(120));
    let first = hand.phone.frame().rgba;
    sleep(Duration::from_millis(60)).await;
    let second = hand.phone.frame().rgba;
    assert!(first != second, "it moves");
    hand.phone.tap(540.0, 900.0);
    assert_eq!(hand.phone.state().counts.taps_in_transition, 1);
    hand.still().await;
    let after = hand.phone.frame().rgba;
    assert!(after != before);
    sleep(Duration::from_secs(2)).await;
    let later = hand.phone.frame().rgba;
    assert_eq!(after.as_ptr(), later.as_ptr(), "a still screen is not drawn again");
    let class = hand.phone.foreground().class;
    assert_eq!(class, "com.android.settings.Settings", "the dropped touch opened nothing");
    let actions = hand.phone.state().actions;
    assert_eq!(actions.last().unwrap().outcome, Outcome::Dropped);
    assert_eq!(actions.iter().map(|a| a.n).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn only_the_caret_blinks_in_a_focused_field() {
    let hand = Hand::new();
    hand.open("Notes").await;
    hand.tap("New note").await;
    let (a, b) = (hand.phone.frame().rgba, {
        sleep(Duration::from_millis(500)).await;
        hand.phone.frame().rgba
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
        let hand = Hand::new();
        hand.phone.set_size_override(size);
        hand.phone.set_rotation(rotation);
        let (w, h) = hand.phone.display_size();
        assert_eq!(w > h, rotation % 2 == 1);
        let frame = hand.phone.frame();
        assert_eq!((frame.width, frame.height), (w, h));
        assert_eq!(frame.rgba.len(), (w * h * 4) as usize);
        hand.open("Messages").await;
        hand.tap("Start chat").await;
        assert_eq!(hand.phone.foreground().class, "com.example.messages.NewMessageActivity");
        hand.type_keys("berg").await;
        // On its side the keyboard leaves little room for the list.
        hand.phone.key(4, false);
        hand.tap("Anna Berg").await;
        assert!(hand.sees("send_button"));
        assert!(hand.phone.ui_xml().contains(&format!("rotation=\"{rotation}\"")));
        hand.is_clean();
    }
}

#[tokio::test(start_paused = true)]
async fn lists_scroll_and_stop_at_their_ends() {
    let hand = Hand::new();
    hand.open("Settings").await;
    let y = |hand: &Hand| hand.seen("Network & internet").bounds[1];
    let start = y(&hand);
    hand.phone.drag((540.0, 1800.0), (540.0, 1600.0), Duration::from_millis(600));
    assert_eq!(start - y(&hand), 200, "the list follows the finger");
    assert!(hand.phone.settles_at().is_none());
    hand.phone.swipe((540.0, 1800.0), (540.0, 1700.0), Duration::from_millis(30));
    assert!(hand.phone.settles_at().is_some(), "a fast finger makes it roll");
    hand.still().await;
    assert!(hand.sees("About phone") && !hand.sees("Network & internet"));
    for _ in 0..3 {
        hand.phone.swipe((540.0, 800.0), (540.0, 2000.0), Duration::from_millis(100));
        hand.still().await;
    }
    assert_eq!(y(&hand), start);
    hand.is_clean();
}

#[tokio::test(start_paused = true)]
async fn a_pin_guards_the_phone() {
    let hand = Hand::new();
    hand.phone.set_pin(Some("2468"));
    hand.phone.press_power();
    assert!(!hand.phone.is_awake());
    assert!(hand.phone.frame().rgba.chunks(4).all(|p| p == [0, 0, 0, 255]));
    hand.phone.tap(500.0, 500.0);
    assert_eq!(hand.phone.state().counts.input_while_off, 1);
    hand.phone.key(224, false);
    assert_eq!(hand.phone.focused_window(), "NotificationShade");
    hand.phone.swipe((540.0, 1900.0), (540.0, 600.0), Duration::from_millis(200));
    hand.still().await;
    assert!(hand.phone.is_locked() && hand.phone.state().asks_pin);
    for key in ["key1", "key_enter"] {
        hand.tap(key).await;
    }
    assert!(hand.phone.is_locked());
    for key in ["key2", "key4", "key6", "key8", "key_enter"] {
        hand.tap(key).await;
    }
    assert!(!hand.phone.is_locked());
}

#[tokio::test(start_paused = true)]
async fn dialogs_cover_everything_and_remember_the_answer() {
    let hand = Hand::new();
    hand.open("Shop").await;
    hand.phone.show_dialog("Shop isn't responding", "Close it?", &["Close app", "Wait"]);
    assert_eq!(hand.phone.focused_window(), "Shop isn't responding");
    assert_eq!(hand.phone.foreground().package, "com.example.shop");
    hand.tap("Wait").await;
    let answers = hand.phone.state().dialogs_answered;
    assert_eq!(answers[0].button.as_deref(), Some("Wait"));
    assert!(hand.phone.focused_window().starts_with("com.example.shop/"));
}

#[tokio::test(start_paused = true)]
async fn a_received_message_shows_for_five_seconds() {
    let hand = Hand::new();
    hand.phone.receive_message("Ben Carter", "Tonight?");
    assert!(find(&hand.phone.state().system_nodes, "Tonight?").is_some());
    sleep(Duration::from_secs(6)).await;
    assert!(find(&hand.phone.state().system_nodes, "Tonight?").is_none());
    hand.phone.receive_message("Ben Carter", "Hello?");
    let card = find(&hand.phone.state().system_nodes, "Hello?").unwrap();
    let (x, y) = card.center();
    hand.phone.tap(x, y);
    hand.still().await;
    assert_eq!(hand.phone.foreground().class, "com.example.messages.ConversationActivity");
    assert!(hand.sees("Hello?"));
}

#[tokio::test(start_paused = true)]
async fn recents_bring_back_and_close() {
    let hand = Hand::new();
    hand.open("Notes").await;
    hand.open("Clock").await;
    hand.phone.key(187, false);
    hand.still().await;
    assert_eq!(hand.phone.foreground().package, "com.android.launcher3");
    let names: Vec<String> = hand.phone.tasks().into_iter().map(|c| c.package).collect();
    assert_eq!(names, ["com.example.clock", "com.example.notes"]);
    let (x, y) = hand.seen("Clock").center();
    hand.phone.swipe((x, y), (x, y - 900.0), Duration::from_millis(200));
    hand.still().await;
    hand.tap("Notes").await;
    assert_eq!(hand.phone.foreground().package, "com.example.notes");
    assert_eq!(hand.phone.tasks().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn activities_start_as_am_start_does_it() {
    let hand = Hand::new();
    let notes = Component {
        package: "com.example.notes".to_owned(),
        class: "com.example.notes.MainActivity".to_owned(),
    };
    assert_eq!(hand.phone.start_activity(&notes), Ok(LaunchState::Cold));
    assert_eq!(hand.phone.start_activity(&notes), Ok(LaunchState::Hot));
    let empty_state = Component { class: "com.example.notes.Nope".to_owned(), ..notes };
    assert_eq!(
        hand.phone.start_activity(&empty_state),
        Err(StartError::NoSuchActivity("com.example.notes/com.example.notes.Nope".to_owned()))
    );
    hand.phone.force_stop("com.example.notes");
    hand.phone.force_stop("no.such.package");
    assert_eq!(hand.phone.foreground().package, "com.android.launcher3");
    assert!(hand.phone.tasks().is_empty());
}

#[tokio::test(start_paused = true)]
async fn text_needs_a_field_and_select_all_replaces() {
    let hand = Hand::new();
    hand.phone.input_text("lost");
    assert!(!hand.phone.commit_text("lost"));
    assert_eq!(hand.phone.state().counts.text_without_focus, 2);
    hand.open("Notes").await;
    hand.tap("New note").await;
    hand.phone.input_text("first");
    hand.phone.input_text("n\u{f6}");
    assert_eq!(hand.phone.state().counts.text_without_focus, 3, "input text takes ASCII only");
    hand.phone.key_combination(&[113, 29]);
    hand.phone.key(278, false);
    hand.phone.key(67, false);
    assert_eq!(hand.phone.state().focused_field.unwrap().text, "");
    hand.phone.key(279, false);
    hand.phone.key(279, false);
    assert_eq!(hand.phone.state().focused_field.unwrap().text, "firstfirst");
    // Back hides the keyboard and keeps the focus, so text still arrives.
    hand.phone.key(4, false);
    assert!(!hand.phone.keyboard_shown());
    assert!(hand.phone.clear_text());
    assert_eq!(hand.phone.state().focused_field.unwrap().text, "");
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
enum Poke {
    Tap(f32, f32),
    /// The node of this number, so that random pokes get somewhere.
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

fn poke() -> impl Strategy<Value = Poke> {
    let point = || (-50.0f32..2500.0, -50.0f32..2500.0);
    prop_oneof![
        1 => point().prop_map(|(x, y)| Poke::Tap(x, y)),
        8 => any::<usize>().prop_map(Poke::Node),
        1 => (point(), point(), 0u64..1500).prop_map(|(a, b, ms)| Poke::Swipe(a, b, ms)),
        1 => (0u32..300).prop_map(Poke::Key),
        1 => (0u32..300, 0u32..300).prop_map(|(a, b)| Poke::Combination(a, b)),
        2 => "(\\PC|\n){0,20}".prop_map(Poke::Text),
        1 => (0u8..8).prop_map(Poke::Rotate),
        1 => (0u32..5000, 0u32..5000).prop_map(|(w, h)| Poke::Size(w, h)),
        1 => Just(Poke::Dialog),
        1 => "\\PC{0,20}".prop_map(Poke::Message),
        4 => (0u64..1500).prop_map(Poke::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_a_finger_does_breaks_it(pokes in proptest::collection::vec(poke(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let phone = Phone::new(PhoneOptions::default());
            for poke in pokes {
                match poke {
                    Poke::Tap(x, y) => phone.tap(x, y),
                    Poke::Node(i) => {
                        let nodes = phone.state().nodes;
                        let can: Vec<&NodeState> = nodes.iter().filter(|n| n.clickable).collect();
                        if !can.is_empty() {
                            let (x, y) = can[i % can.len()].center();
                            phone.tap(x, y);
                        }
                    }
                    Poke::Swipe(a, b, ms) => phone.swipe(a, b, Duration::from_millis(ms)),
                    Poke::Key(key) => phone.key(key, false),
                    Poke::Combination(a, b) => phone.key_combination(&[a, b]),
                    Poke::Text(text) => {
                        phone.commit_text(&text);
                        phone.input_text(&text);
                    }
                    Poke::Rotate(turns) => phone.set_rotation(turns),
                    Poke::Size(w, h) => phone.set_size_override(Some((w, h))),
                    Poke::Dialog => phone.show_dialog("Title", "Text", &["Yes", "No"]),
                    Poke::Message(text) => phone.receive_message("Mum", &text),
                    Poke::Wait(ms) => sleep(Duration::from_millis(ms)).await,
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
