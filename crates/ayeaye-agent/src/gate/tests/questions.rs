//! What a person is asked: whose act it is, and which text would be sent.
use super::*;
use crate::gate::{Ask, GateDecision};

fn chat() -> Scene {
    Scene::of("com.example.chat", "Anna")
}

fn asked(scene: &Scene, gesture: &Gesture, history: &GateHistory) -> Ask {
    let verdict = scene.judge_with(&Policy::default(), TASK, gesture, history);
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    ask
}

fn question(scene: &Scene, gesture: &Gesture) -> String {
    asked(scene, gesture, &GateHistory::default()).text(str::to_owned)
}

#[test]
fn the_text_that_would_be_sent_is_quoted() {
    let scene = chat().filled("I am late").button("Send");
    assert_eq!(
        question(&scene, &scene.tap("Send")),
        "The agent wants to send something in com.example.chat: \"Send – Anna\". The text: \"I am late\". May it?"
    );
    let scene = chat().filled("I am ").button("Send");
    assert!(question(&scene, &submit("late")).contains("The text: \"late\""));
}

#[test]
fn an_act_by_hand_is_nobody_elses() {
    let scene = chat().filled("I am late").button("Send");
    let by_hand = GateHistory { by_client: true, ..GateHistory::default() };
    assert_eq!(
        asked(&scene, &scene.tap("Send"), &by_hand).text(str::to_owned),
        "This would send something in com.example.chat: \"Send – Anna\". The text: \"I am late\". Shall it be done?"
    );
}

#[test]
fn a_kept_secret_that_only_a_client_names_is_asked_about_by_its_name() {
    let scene = chat().field("Message").button("Send");
    let history = GateHistory {
        unnamed_secrets: vec!["{{secret:bank}}".to_owned()],
        secrets: vec![String::new()],
        by_client: true,
        ..GateHistory::default()
    };
    let types = type_text("{{secret:bank}}");
    assert_eq!(
        asked(&scene, &types, &history).text(str::to_owned),
        "This would type a secret that you keep, and that your words do not name, in com.example.chat: \
         \"{{secret:bank}}\". Shall it be done?"
    );
    let judged = |profile| scene.judge_with(&Policy::of(profile), "", &types, &history).name();
    assert_eq!(judged(PolicyProfile::Trusted), "allow");
    assert_eq!(judged(PolicyProfile::ReadOnly), "deny");
}

#[test]
fn what_an_act_is_about_is_named() {
    let bank = |payee: &str| {
        Scene::of("com.chase.sig.android", "Transfer").text(payee).text("$500.00").button("Confirm")
    };
    for payee in ["To Anna", "To Mallory"] {
        let scene = bank(payee);
        let text = question(&scene, &scene.tap("Confirm"));
        assert!(text.ends_with(&format!("$500.00. It shows: \"{payee}\". May it?")), "{text}");
    }
    let store = Scene::of("com.android.vending", "Google Play")
        .text("Signal")
        .text("Signal Foundation")
        .button("Install");
    let text = question(&store, &store.tap("Install"));
    assert!(text.contains("\"Install – Google Play\""), "{text}");
    assert!(text.contains("It shows: \"Signal · Signal Foundation\""), "{text}");
    // A text that says what is on another button tells nothing.
    let photos = Scene::of("com.example.photos", "Photos")
        .text("500 selected")
        .button("Delete")
        .button("Share");
    let text = question(&photos, &photos.tap("Delete"));
    assert!(text.ends_with("\"Delete – Photos\". It shows: \"500 selected\". May it?"), "{text}");
}

/// A line of text, and what stands at the end of it.
fn line(top: i32, text: &str, end: &str) -> String {
    let part = |text: &str, left: i32, right: i32| {
        let to = top + 60;
        format!(
            r#"<node text="{text}" class="android.widget.TextView" bounds="[{left},{top}][{right},{to}]"/>"#
        )
    };
    part(text, 60, 700) + &if end.is_empty() { String::new() } else { part(end, 800, 1020) }
}

#[test]
fn what_is_ordered_is_named_before_where_it_goes_and_how_it_is_paid() {
    let nodes = [
        line(80, "Checkout", ""),
        line(200, "Deliver to", ""),
        line(260, "Birch Lane 12, 1011 Example", ""),
        line(400, "Pay with", ""),
        line(460, "Card ending in 4242", ""),
        line(600, "Delivery", ""),
        line(660, "Thu–Sat, standard", ""),
        line(800, "1 × Stride Running Shoes", "€39.00"),
        line(900, "Delivery", "Free"),
        line(1000, "Total", "€39.00"),
        line(1200, "By placing the order you agree to pay the total above.", ""),
    ];
    let button = r#"<node text="Place order" clickable="true" class="android.widget.Button" bounds="[40,2200][1040,2360]"/>"#;
    let xml = format!(
        r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">{}{button}</node></hierarchy>"#,
        nodes.concat()
    );
    let elements = Elements::read(&xml).unwrap();
    let tap = Gesture::Click { point: Point::new(500, 950).unwrap() };
    let screen = ScreenFacts::new(Some(&elements), &tap, SIZE, false);
    let (words, history) = (UserWords::new([TASK]), GateHistory::default());
    let scene = Scene::of("com.example.shop", "");
    let verdict = judge(&Policy::default(), &scene.request(&words, &tap, &screen, &history));
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    assert_eq!(
        ask.text(str::to_owned),
        "The agent wants to place an order in com.example.shop: \"Place order – Checkout\", €39.00. It shows: \
         \"1 × Stride Running Shoes · Deliver to · Birch Lane 12, 1011 Example · Pay with · Card ending in 4242\". May it?"
    );
}

#[test]
fn signing_out_is_called_so_and_not_what_was_touched_on_another_screen() {
    let scene = Scene::of("com.example.nimbus", "Nimbus").button("Sign out");
    let history = GateHistory { path: vec!["Verify".to_owned()], ..GateHistory::default() };
    assert_eq!(
        asked(&scene, &scene.tap("Sign out"), &history).text(str::to_owned),
        "The agent wants to sign out in com.example.nimbus: \"Sign out – Nimbus\". May it?"
    );
    let scene = Scene::of("com.example.chat", "Nimbus").button("退出登录");
    assert!(question(&scene, &scene.tap("退出登录")).starts_with("The agent wants to sign out in"));
}

#[test]
fn only_what_is_sent_is_quoted() {
    let empty = chat().field("Message").button("Send");
    assert!(!question(&empty, &empty.tap("Send")).contains("The text"));
    let hidden = chat().hidden_field("pin").button("Send");
    assert!(!question(&hidden, &hidden.tap("Send")).contains("The text"));
    let note = chat().filled("Milk").button("Save");
    let hidden = chat().hidden_field("pin").button("Delete");
    assert!(!question(&hidden, &hidden.tap("Delete")).contains("It shows"));
    assert_eq!(note.judge("", &note.tap("Save")).name(), "allow", "nothing is sent");
}

#[test]
fn what_stands_on_the_screen_is_quoted_where_something_is_deleted() {
    let scene = chat().filled("Milk and bread").filled("from the corner shop").button("Delete");
    assert_eq!(
        question(&scene, &scene.tap("Delete")),
        "The agent wants to delete something in com.example.chat: \"Delete – Anna\". It shows: \"Milk and bread\". May it?"
    );
    let ask = asked(&scene, &scene.tap("Delete"), &GateHistory::default());
    assert!(ask.text(|text| text.replace("bread", "[secret]")).contains("Milk and [secret]"));
}

#[test]
fn what_is_typed_into_a_field_that_hides_it_is_not_quoted() {
    let scene = chat().filled("1234").button("Send");
    let elements = Elements::read(&scene.xml()).unwrap();
    let facts = ScreenFacts::new(Some(&elements), &scene.tap("Send"), SIZE, true);
    assert_eq!((facts.draft, facts.filled), (String::new(), String::new()));
}

#[test]
fn a_long_text_is_cut_after_its_secrets_are_out() {
    let long = format!("{}hunter2 and more", "x".repeat(195));
    let scene = chat().filled(&long).button("Send");
    let ask = asked(&scene, &scene.tap("Send"), &GateHistory::default());
    let text = ask.text(|text| text.replace("hunter2", "[secret]"));
    assert!(text.contains("x[secr…\""), "{text}");
    assert!(!text.contains("hunt"), "{text}");
}

#[test]
fn a_question_has_nothing_that_turns_what_it_shows() {
    let scene = Scene::of("com.example.x", "Total \u{202e}00.1$\u{202c}").text("Total $999.00");
    let scene = scene.button("Pay now\u{202e} eerf");
    let text = question(&scene, &scene.tap("Pay now\u{202e} eerf"));
    assert!(text.contains("Pay now eerf") && !text.contains(crate::is_unseen), "{text:?}");
    // Nor has what a refusal and the record quote.
    let verdict = scene.judge(TASK, &scene.tap("Pay now\u{202e} eerf"));
    assert!(verdict.evidence.contains("Pay now eerf"), "{:?}", verdict.evidence);
    assert!(!verdict.evidence.contains(crate::is_unseen), "{:?}", verdict.evidence);
}

#[test]
fn the_largest_of_several_amounts_in_one_text_is_named() {
    let named = |text: &str| {
        let scene = Scene::of("com.example.x", "Premium").text(text).button("Pay now");
        question(&scene, &scene.tap("Pay now"))
    };
    for (text, largest) in [
        ("$0.99 for the first month, then $49.99/month", "$49.99"),
        ("首月¥1之后¥49", "¥49"),
        ("0,99 € im ersten Monat, danach 1.049,99 €", "1.049,99 €"),
    ] {
        assert!(named(text).contains(largest), "{text}: {}", named(text));
    }
    for text in ["0.99 €", "Total 12 500 €", "$12.50"] {
        assert!(!named(text).contains("also shows"), "{text}: {}", named(text));
    }
}
