//! The elements of a screen that was acted on before are not listed again, unless they may be others.
use std::time::Duration;

use serde_json::json;

use crate::fakes::{Motion, Rig, ScriptedReply, click, complete, info, say, types};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::Fact;
use crate::{KeepElements, PrivacySettings, ReplyMode, Report, UserInput};

const APP: &str = "com.example.chat";

fn button(text: &str) -> String {
    format!(
        r#"<hierarchy rotation="0"><node text="{text}" class="android.widget.Button"
        resource-id="com.example.chat:id/button" clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#
    )
}

/// A model that thinks, so that the screen is looked at again before it answers.
fn slowly(reply: ScriptedReply) -> ScriptedReply {
    let ScriptedReply::Says(words) = reply else { panic!("it says something: {reply:?}") };
    ScriptedReply::Late(Duration::from_secs(3), words)
}

/// A phone that goes from one page to another and back, each time something is done on it.
fn rig(acts: impl IntoIterator<Item = ScriptedReply>, pages: [&str; 2]) -> Rig {
    let acts: Vec<_> = acts.into_iter().collect();
    let turns = acts.len();
    let rig = Rig::new(acts.into_iter().chain([complete("done")]));
    rig.phone.moves(Motion::ToAndFro);
    // Only the reset comes before the first page is seen.
    rig.phone.shows(pages[0], false);
    (1..=turns).for_each(|turn| rig.phone.turns_to(APP, ".Main", pages[turn % 2]));
    rig
}

/// Runs to its end. How often the phone listed its elements.
async fn dumps(rig: &Rig) -> (u32, Report) {
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    (rig.phone.dumps(), report)
}

async fn targets(rig: &Rig, report: &Report) -> Vec<String> {
    let target = |fact: &Fact| match fact {
        Fact::ToolStart(start) => start.target.as_ref().map(|it| it.name.clone()),
        _ => None,
    };
    rig.facts(report.session_id, target).await
}

#[tokio::test(start_paused = true)]
async fn two_pages_are_listed_once_each_where_they_were_seen_again() {
    let rig = rig((1..7).map(|n| slowly(click(n))), [&button("Next"), &button("Back")]);
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(dumps, 2);
    assert_eq!(targets(&rig, &report).await, ["Next", "Back", "Next", "Back", "Next", "Back"]);
    // Every step has its elements in the record, and says whether they are an earlier one's.
    let listed = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(it) if it.ui_tree.is_some() => Some((it.ui_tree.clone(), it.ui_tree_known)),
        _ => None,
    });
    let listed = listed.await;
    let known: Vec<_> = listed.iter().map(|(_, known)| *known).collect();
    assert_eq!(known, [false, false, true, true, true, true, true]);
    assert_eq!(listed[0].0, listed[2].0);
    assert_ne!(listed[0].0, listed[1].0);
}

#[tokio::test(start_paused = true)]
async fn two_pages_that_were_not_seen_again_are_listed_until_they_have_said_the_same_twice() {
    let rig = rig((1..9).map(click), [&button("Next"), &button("Back")]);
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(dumps, 4);
    assert_eq!(targets(&rig, &report).await[4..], ["Next", "Back", "Next", "Back"]);
    // A list that takes so long is compared with the screen anyway.
    let rig = self::rig((1..5).map(click), [&button("Next"), &button("Back")]);
    rig.phone.dumps_in(Duration::from_millis(2500));
    assert_eq!(self::dumps(&rig).await.0, 2);
}

#[tokio::test(start_paused = true)]
async fn what_looks_the_same_elsewhere_is_listed() {
    let rig = Rig::new((1..5).map(|n| slowly(click(n))).chain([complete("done")]));
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(&button("Next"), false);
    for activity in [".A", ".B", ".C", ".D"] {
        rig.phone.turns_to(APP, activity, &button("Next"));
    }
    assert_eq!(dumps(&rig).await.0, 5);
}

#[tokio::test(start_paused = true)]
async fn what_may_have_changed_unseen_is_listed() {
    let clicks = || (1..7).map(|n| slowly(click(n)));
    // Pages that did not tell what is touched, until they have said so twice.
    let mute = button("");
    let rig = rig(clicks(), [&mute, &mute]);
    assert_eq!(dumps(&rig).await.0, 4);
    // Half a screen to the side may delete what is under it.
    let aside = |_| slowly(say("SCROLL", &json!({ "direction": "right" })));
    let rig = self::rig((1..7).map(aside), [&mute, &mute]);
    assert_eq!(dumps(&rig).await.0, 4);
    // A web page.
    let page = r#"<node class="android.webkit.WebView" bounds="[0,90][60,120]"/></hierarchy>"#;
    let page = button("Next").replace("</hierarchy>", page);
    let rig = self::rig(clicks(), [&page, &page]);
    assert_eq!(dumps(&rig).await.0, 7);
    // What captures do not show.
    let rig = self::rig(clicks(), [&button("Next"), &button("Next")])
        .limited(|limits| limits.read_protected = true);
    rig.phone.protects(true);
    assert_eq!(dumps(&rig).await.0, 7);
    // Where it matters what is touched: the policy has to let the one pass, and nobody minds the other.
    let rig = self::rig(clicks(), [&button("Send"), &button("Back")])
        .under(Policy::of(PolicyProfile::Trusted));
    assert_eq!(dumps(&rig).await.0, 4, "one page for each of its touches, the other once");
}

#[tokio::test(start_paused = true)]
async fn where_something_was_typed_everything_is_listed_and_so_is_what_is_typed_into() {
    let [next, back] = [button("Next"), button("Back")];
    let acts = |act: ScriptedReply| {
        [click(1), click(2)].into_iter().chain([act]).chain([click(3), click(4)]).map(slowly)
    };
    // Two pages, the first again to be typed into, then both again.
    for place in [Some([500, 300]), None] {
        let rig = rig(acts(types("hello", place)), [&next, &back]);
        assert_eq!(dumps(&rig).await.0, 5, "{place:?}");
    }
    // The enter key goes to whatever has the focus; what is known stays so.
    let rig = rig(acts(say("HOT_KEY", &json!({ "key": "ENTER" }))), [&next, &back]);
    assert_eq!(dumps(&rig).await.0, 3);
}

#[tokio::test(start_paused = true)]
async fn a_field_that_hides_what_is_typed_by_now_is_not_taken_for_the_one_that_it_was() {
    let typed = types("Mango-Tree-77", Some([500, 500]));
    let acts = [click(1), click(2), typed, complete("done")].map(slowly);
    let rig = Rig::new(acts);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.shows(&button("Name"), false);
    let hides = button("Name").replace("clickable", r#"password="true" clickable"#);
    for page in [button("Back"), hides] {
        rig.phone.turns_to(APP, ".Main", &page);
    }
    let report = rig.run().await;
    assert!(report.message.contains("a field for a password"), "{}", report.message);
    assert_eq!(rig.phone.dumps(), 3);
    assert_eq!(rig.files_with("Mango-Tree"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_may_have_changed_is_listed() {
    let [next, back] = [button("Next"), button("Back")];
    let acts = [slowly(click(1)), slowly(click(2)), info("Which?"), slowly(click(3))];
    let rig = rig(acts, [&next, &back]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await);
    }
    let that = UserInput::Reply("That.".to_owned());
    rig.resume(follower.report().session_id, that).await.unwrap();
    assert_eq!(rig.ended(follower).await.message, "done");
    assert_eq!(rig.phone.dumps(), 4, "both, and both again");
}

#[tokio::test(start_paused = true)]
async fn who_keeps_all_elements_has_them_listed() {
    let settings = PrivacySettings { elements: KeepElements::Always, ..PrivacySettings::default() };
    let rig = rig((1..5).map(|n| slowly(click(n))), [&button("Next"), &button("Back")]);
    assert_eq!(dumps(&rig.privacy(settings)).await.0, 5);
}
