//! The elements of a screen that was acted on before are not listed again, unless they may be others.
use std::time::Duration;

use serde_json::json;

use crate::fakes::{Motion, Rig, click, complete, say, types};
use crate::journal::Fact;
use crate::{KeepElements, PrivacySettings, Report};

const NEXT: &str = r#"<hierarchy rotation="0"><node text="Next" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,80]"/></hierarchy>"#;

/// Four touches of a phone that goes from one page to another and back.
fn rig() -> Rig {
    let rig = Rig::new([click(1), click(2), click(3), click(4), complete("done")]);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(NEXT, false);
    rig
}

/// Runs to its end. How often the phone listed its elements.
async fn dumps(rig: &Rig) -> (u32, Report) {
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    (rig.phone.dumps(), report)
}

#[tokio::test(start_paused = true)]
async fn two_pages_are_listed_once_each() {
    let rig = rig();
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(dumps, 2);
    // Every step has its elements in the record all the same, and every touch its target.
    let listed = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(observe) => observe.ui_tree.clone(),
        _ => None,
    });
    let listed = listed.await;
    assert!(5 <= listed.len() && listed.iter().all(|it| *it == listed[0]), "{listed:?}");
    let targets = rig.facts(report.session_id, |fact| match fact {
        Fact::ToolStart(start) => start.target.as_ref().map(|it| it.name.clone()),
        _ => None,
    });
    assert_eq!(targets.await, ["Next"; 4]);
}

#[tokio::test(start_paused = true)]
async fn what_looks_the_same_elsewhere_is_listed() {
    let rig = rig();
    for activity in [".A", ".B", ".C", ".D"] {
        rig.phone.turns_to("com.example.chat", activity, NEXT);
    }
    assert_eq!(dumps(&rig).await.0, 5);
}

#[tokio::test(start_paused = true)]
async fn what_may_have_changed_unseen_is_listed() {
    // A page that did not tell what is touched, until it has said so twice.
    let rig = Rig::new((1..8).map(click).chain([complete("done")]));
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(&NEXT.replace("Next", ""), false);
    assert_eq!(dumps(&rig).await.0, 4);
    // One that was seen so long before its elements were read that it may have been another by then.
    let rig = self::rig();
    rig.phone.dumps_in(Duration::from_millis(1500));
    assert_eq!(dumps(&rig).await.0, 5);
    // One that was seen to be the same when they had been read.
    let rig = self::rig();
    rig.phone.dumps_in(Duration::from_millis(2500));
    assert_eq!(dumps(&rig).await.0, 2);
    // A web page.
    let rig = self::rig();
    let page = r#"<node class="android.webkit.WebView" bounds="[0,90][60,120]"/></hierarchy>"#;
    rig.phone.shows(&NEXT.replace("</hierarchy>", page), false);
    assert_eq!(dumps(&rig).await.0, 5);
    // Pages of which captures show nothing.
    let rig = self::rig().limited(|limits| limits.read_protected = true);
    rig.phone.protects(true);
    assert_eq!(dumps(&rig).await.0, 5);
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_into_is_listed_and_so_is_what_is_typed_into() {
    let rig = Rig::new([
        click(1),
        click(2),
        types("hello", Some([500, 300])),
        click(3),
        click(4),
        complete("done"),
    ]);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(NEXT, false);
    // Two pages, the first again to be typed into, then both again.
    assert_eq!(dumps(&rig).await.0, 5);
    // What is typed in one part of an app leaves the others as they are.
    let hello = types("hello", None);
    let rig = Rig::new([click(1), click(2), hello, click(3), click(4), complete("done")]);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(NEXT, false);
    for activity in [".List", ".Main", ".List", ".Main", ".List"] {
        rig.phone.turns_to("com.example.chat", activity, NEXT);
    }
    // Both, the first again to be typed into and again afterwards.
    assert_eq!(dumps(&rig).await.0, 4);
    // The enter key goes to whatever has the focus.
    let enter = say("HOT_KEY", &json!({ "key": "ENTER" }));
    let rig = Rig::new([click(1), click(2), enter, complete("done")]);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(NEXT, false);
    assert_eq!(dumps(&rig).await.0, 3);
}

#[tokio::test(start_paused = true)]
async fn who_keeps_all_elements_has_them_listed() {
    let rig = rig()
        .privacy(PrivacySettings { elements: KeepElements::Always, ..PrivacySettings::default() });
    assert_eq!(dumps(&rig).await.0, 5);
}
