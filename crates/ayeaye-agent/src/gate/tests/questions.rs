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

/// Whatever it is called: beside what declines there is nothing else to agree with.
#[test]
fn the_only_other_choice_of_a_dialog_agrees() {
    for name in ["✓", "Prosegui", "Egyetértek", "Geht klar", "Xyzzy"] {
        for said in ["Delete all 500 photos?", "Pay €500.00 to Mallory?"] {
            let dialog = || Scene::of("com.example.x", "").text(said).button("Cancel");
            let scene = dialog().button(name);
            assert!(question(&scene, &scene.tap(name)).contains(said), "{said} {name}");
            let decides = |scene: &Scene, name: &str| {
                let tap = scene.tap(name);
                scene.judge_with(&Policy::default(), TASK, &tap, &GateHistory::default()).name()
            };
            assert_eq!(decides(&scene, "Cancel"), "allow");
            let scene = dialog().button("Show me").button(name);
            assert_eq!(decides(&scene, "Show me"), "allow");
        }
    }
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
fn what_an_empty_field_asks_for_is_no_text_that_is_sent() {
    for (hint, shown) in [
        ("", "Text message"),
        ("", "Type a message…"),
        ("", "Nachricht"),
        ("", "メッセージ"),
        ("Write to Anna", "write to Anna "),
    ] {
        let xml = format!(
            r#"<hierarchy><node text="Anna" class="android.widget.TextView" bounds="[0,0][1080,100]"/><node text="{shown}" hint="{hint}" class="android.widget.EditText" clickable="true" bounds="[0,2000][800,2200]"/><node text="Send" class="android.widget.Button" clickable="true" bounds="[800,2000][1080,2200]"/></hierarchy>"#
        );
        let elements = Elements::read(&xml).unwrap();
        let tap = Gesture::Click { point: Point::new(870, 875).unwrap() };
        let facts = ScreenFacts::new(Some(&elements), &tap, SIZE, false);
        assert_eq!(facts.draft, "", "{shown}");
        let verdict = judge_on(&elements, &tap);
        let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
        assert!(!ask.text(str::to_owned).contains("The text"), "{ask:?}");
    }
    let sent = chat().filled("Message me").button("Send");
    assert!(question(&sent, &sent.tap("Send")).contains("The text: \"Message me\""));
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
