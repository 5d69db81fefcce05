//! Labels that have consequences in some apps or beside something only, by `tables/labels_in_apps.tsv`; and what stands
//! in the same places and has none, which its rows with `allow` have.
use super::table::{all_hold, rows, verdict};
use super::*;

const IN_APPS: &str = include_str!("tables/labels_in_apps.tsv");

/// It names the apps for money, which are asked about else, and asks for nothing that the labels do.
const NAMED: &str = "Show me the balance of my bank account and of my wallet";

#[test]
fn what_a_message_in_a_list_of_mail_says_is_no_command() {
    let judged = |app: &str, texts: [&str; 3]| {
        let scene = Scene::of(app, "Inbox").letter(texts);
        scene.judge_with(&Policy::default(), TASK, &scene.tap(texts[0]), &GateHistory::default())
    };
    for subject in ["Your order has shipped", "Please pay the invoice", "Call me back"] {
        let verdict = judged("com.google.android.gm", ["Amazon", subject, "Hello"]);
        assert_eq!(verdict.name(), "allow", "{verdict:?}");
    }
    // Where the subject comes first.
    let verdict =
        judged("com.google.android.gm", ["Pay now: your invoice of €49.95", "Amazon", "Hi"]);
    assert_eq!(verdict.name(), "allow", "{verdict:?}");
    // A command and nothing else, and the first text.
    for texts in [["Amazon", "Place order", "Hello"], ["Pay now", "Amazon", "Hello"]] {
        assert_eq!(judged("com.google.android.gm", texts).name(), "confirm", "{texts:?}");
    }
    // Where a row is one text that is read out.
    for row in [
        "Amazon, Pay now: the invoice of 49.95 €, Hello, 10:30",
        "亚马逊，请立即付款 ¥49 避免滞纳金，你好，昨天",
    ] {
        let scene = Scene::of("com.google.android.gm", "Inbox").row(row);
        let verdict = scene.judge(TASK, &scene.tap(row));
        assert_eq!(verdict.name(), "allow", "{verdict:?}");
    }
    let texts = ["Amazon", "Please pay now", "Hello"];
    assert_eq!(judged("com.example.shop", texts).name(), "confirm");
}

#[test]
fn labels_count_where_they_have_consequences_and_nowhere_else() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows(IN_APPS) {
        let [expected, component, screen, verb, labels] = row[..] else { panic!("{row:?}") };
        // The control that has the labels, one after the other: `b:*`.
        let control = screen.split(" | ").find(|it| it.contains('*')).unwrap();
        let (kind, pattern) = control.split_once(':').unwrap();
        for label in labels.split('|') {
            count += 1;
            let text = pattern.replace('*', label);
            let drawn = screen.replace(control, &format!("{kind}:{text}"));
            let on = if "klRS".contains(kind) { format!("{kind}:{text}") } else { text };
            let verdict = verdict(NAMED, component, &drawn, &format!("{verb} {on}"));
            if verdict.name() != expected {
                wrong.push(format!("{expected}: {component} {drawn}: {verdict:?}"));
            }
        }
    }
    all_hold(&wrong, count);
    assert!(400 <= count, "{count}");
}

#[test]
fn the_form_of_a_transfer_is_opened_unasked() {
    const BANK: &str = "de.number26.android";
    let home = |name: &str| {
        Scene::of(BANK, "Main account").text("€2,310.00").text("Coffee, -€4.50").button(name)
    };
    let tabs = |scene: Scene| scene.text("Home").text("Cards").text("More");
    for name in ["Send money", "Überweisung", "转账", "Faire un virement"] {
        let scene = tabs(home(name));
        let verdict = scene.judge(NAMED, &scene.tap(name));
        assert_eq!(verdict.name(), "allow", "{name}: {verdict:?}");
    }
    for name in ["Send money", "转账"] {
        let named = home(name).text("To").text("Viktor Malory");
        for scene in [home(name), tabs(home(name).left("50")), tabs(named)] {
            let verdict = scene.judge(NAMED, &scene.tap(name));
            assert_eq!(verdict.class(), Some(ActClass::Transfer), "{name}: {verdict:?}");
        }
    }
    for name in ["Confirm transfer", "Send €50", "Send now"] {
        let scene = tabs(home(name));
        assert_eq!(scene.judge(NAMED, &scene.tap(name)).name(), "confirm", "{name}");
    }
}
