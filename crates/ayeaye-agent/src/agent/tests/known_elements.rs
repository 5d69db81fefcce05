//! A model that answers before a phone has listed its elements: those of a screen that was acted on before are not
//! listed again, unless they may be others.
use std::time::Duration;

use serde_json::json;

use crate::fakes::{Call, Motion, Rig, ScriptedReply, click, complete, info, say, types};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::Fact;
use crate::{KeepElements, PrivacySettings, ReplyMode, Report, Speculate, UserInput};

const APP: &str = "com.example.chat";
/// So long a list is compared with the screen when it has come.
const LONG: Duration = Duration::from_millis(2500);

fn button(text: &str) -> String {
    format!(
        r#"<hierarchy rotation="0"><node text="{text}" class="android.widget.Button"
        resource-id="com.example.chat:id/button" clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#
    )
}

fn clicks(count: u32) -> Vec<ScriptedReply> {
    (1..=count).map(click).collect()
}

/// A phone that goes from one page to another and back, each time something is done on it. It lists the elements of a
/// page in 2.5 s, and the model answers before that.
fn rig(acts: impl IntoIterator<Item = ScriptedReply>, pages: [&str; 2]) -> Rig {
    let acts: Vec<_> = acts.into_iter().collect();
    let turns = acts.len();
    let rig = Rig::new(acts.into_iter().chain([complete("done")]));
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.dumps_in(LONG);
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
async fn two_pages_are_listed_once_each() {
    let rig = rig(clicks(6), [&button("Next"), &button("More")]);
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(dumps, 2);
    assert_eq!(targets(&rig, &report).await, ["Next", "More", "Next", "More", "Next", "More"]);
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
async fn what_was_not_compared_with_the_screen_is_listed_until_it_has_been_said_twice() {
    let rig = rig(clicks(8), [&button("Next"), &button("More")]);
    rig.phone.dumps_in(Duration::from_millis(1500));
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(dumps, 4);
    assert_eq!(targets(&rig, &report).await[4..], ["Next", "More", "Next", "More"]);
}

#[tokio::test(start_paused = true)]
async fn what_only_looked_the_same_when_it_was_compared_is_listed_until_it_has_been_said_twice() {
    let [next, more] = ["Next", "More"].map(|text| button(text).replace("[60,120]", "[120,240]"));
    let rig = rig(clicks(8), [&next, &more]);
    rig.phone.blinks();
    assert_eq!(dumps(&rig).await.0, 4);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_longer_than_a_list_has_every_screen_listed_meanwhile() {
    let slowly = |reply| {
        let ScriptedReply::Says(words) = reply else { panic!("it says something: {reply:?}") };
        ScriptedReply::Late(Duration::from_secs(3), words)
    };
    let acts = clicks(4).into_iter().map(slowly);
    let rig = rig(acts, [&button("Next"), &button("More")]);
    assert_eq!(dumps(&rig).await.0, 5);
}

#[tokio::test(start_paused = true)]
async fn a_screen_is_listed_again_now_and_then() {
    let rig = rig(clicks(20), [&button("Next"), &button("More")])
        .limited(|limits| limits.repeats = 100)
        .steps(30);
    assert_eq!(dumps(&rig).await.0, 4, "each once more after eight times");
}

#[tokio::test(start_paused = true)]
async fn what_looks_the_same_elsewhere_is_listed() {
    let rig = Rig::new(clicks(4).into_iter().chain([complete("done")]));
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.dumps_in(LONG);
    rig.phone.shows(&button("Next"), false);
    for activity in [".A", ".B", ".C", ".D"] {
        rig.phone.turns_to(APP, activity, &button("Next"));
    }
    assert_eq!(dumps(&rig).await.0, 5);
}

#[tokio::test(start_paused = true)]
async fn what_may_have_changed_unseen_is_listed() {
    // Pages that did not tell what is touched, until they have said so twice.
    let mute = button("");
    assert_eq!(dumps(&rig(clicks(6), [&mute, &mute])).await.0, 4);
    // Half a screen to the side may delete what is under it.
    let aside = |_| say("SCROLL", &json!({ "direction": "right" }));
    assert_eq!(dumps(&rig((1..7).map(aside), [&mute, &mute])).await.0, 4);
    // A web page.
    let page = r#"<node class="android.webkit.WebView" bounds="[0,90][60,120]"/></hierarchy>"#;
    let page = button("Next").replace("</hierarchy>", page);
    assert_eq!(dumps(&rig(clicks(6), [&page, &page])).await.0, 7);
    // What captures do not show.
    let hidden = rig(clicks(6), [&button("Next"), &button("Next")])
        .limited(|limits| limits.read_protected = true);
    hidden.phone.protects(true);
    assert_eq!(dumps(&hidden).await.0, 7);
}

#[tokio::test(start_paused = true)]
async fn where_it_matters_what_is_touched_the_phone_is_asked_and_if_it_is_silent_what_is_known_counts()
 {
    let pages = [&*button("Send"), &*button("More")];
    let asked = rig(clicks(6), pages).under(Policy::of(PolicyProfile::Trusted));
    assert_eq!(dumps(&asked).await.0, 4, "one page for each of its touches, the other once");
    let silent = rig(clicks(6), pages).under(Policy::of(PolicyProfile::Trusted));
    let follower = silent.begin().await;
    silent.script.is_asked(3).await;
    silent.phone.refuses_dumps();
    let report = silent.ended(follower).await;
    assert_eq!(silent.phone.dumps(), 4);
    let targets = targets(&silent, &report).await;
    assert_eq!(targets, ["Send", "More", "Send", "More", "Send", "More"]);
}

#[tokio::test(start_paused = true)]
async fn where_something_was_typed_everything_is_listed_and_so_is_what_is_typed_into() {
    let pages = [&*button("Next"), &*button("More")];
    let acts = |act: ScriptedReply| [click(1), click(2), act, click(3), click(4)];
    // Two pages, the first again to be typed into, then both again.
    for place in [Some([500, 300]), None] {
        assert_eq!(dumps(&rig(acts(types("hello", place)), pages)).await.0, 5, "{place:?}");
    }
    // The enter key goes to whatever has the focus; what is known stays so.
    let enter = say("HOT_KEY", &json!({ "key": "ENTER" }));
    assert_eq!(dumps(&rig(acts(enter), pages)).await.0, 3);
}

#[tokio::test(start_paused = true)]
async fn a_field_that_hides_what_is_typed_by_now_is_not_taken_for_the_one_that_it_was() {
    let typed = types("Mango-Tree-77", Some([500, 500]));
    let hides = button("Name").replace("clickable", r#"password="true" clickable"#);
    let rig = Rig::new([click(1), click(2), typed, complete("done")]);
    rig.phone.moves(Motion::ToAndFro);
    rig.phone.dumps_in(LONG);
    rig.phone.shows(&button("Name"), false);
    for page in [button("More"), hides] {
        rig.phone.turns_to(APP, ".Main", &page);
    }
    let report = rig.run().await;
    assert!(report.message.contains("a field for a password"), "{}", report.message);
    assert_eq!(rig.phone.dumps(), 3);
    assert_eq!(rig.files_with("Mango-Tree"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_may_have_changed_is_listed() {
    let acts = [click(1), click(2), info("Which?"), click(3)];
    let rig = rig(acts, [&button("Next"), &button("More")]).answering(ReplyMode::ManualReply);
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
    let rig = rig(clicks(4), [&button("Next"), &button("More")]);
    assert_eq!(dumps(&rig.privacy(settings)).await.0, 5);
}

/// A screen that moves for so long after a touch, on a phone on which it is thought to change at once: a list is asked
/// for with a frame that does not stay. It is read and told so long after it was asked for. How often the phone made
/// one, for two touches and the end.
async fn dumps_of_a_screen_that_moves(moving: u64, reads: u64, takes: u64) -> u32 {
    let millis = Duration::from_millis;
    let rig = Rig::new([click(1), click(2), complete("done")]).limited(|limits| {
        (limits.stop_animations, limits.speculate) = (true, Speculate::Off);
    });
    rig.phone.moves(Motion::Takes { answer: Duration::ZERO, moving: millis(moving) });
    rig.phone.dumps_after(millis(reads), millis(takes));
    rig.phone.shows(&button("Next"), false);
    rig.phone.shows_while_moving(&button("Moving"));
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(targets(&rig, &report).await, ["Next", "Next"]);
    dumps
}

#[tokio::test(start_paused = true)]
async fn a_list_requested_too_early_is_used_for_a_screen_that_came_before_it_was_read() {
    assert_eq!(dumps_of_a_screen_that_moves(0, 1100, 1500).await, 3, "it rested at once");
    assert_eq!(dumps_of_a_screen_that_moves(300, 1100, 1500).await, 3);
    // So quick a phone has read the screen before.
    assert_eq!(dumps_of_a_screen_that_moves(300, 100, 900).await, 4);
    // It was reading when the screen at rest was not there yet.
    assert_eq!(dumps_of_a_screen_that_moves(1300, 1100, 1500).await, 4);
}

/// Two touches by which it is known that acts wait for lists, back twice, and a third touch. The model takes so long
/// for each. How often the phone made a list.
async fn dumps_for_touches_with_keys_between(answer: u64) -> u32 {
    let key = |key| say("HOT_KEY", &json!({ "key": key }));
    let replies =
        [click(1), click(2), key("BACK"), key("BACK"), click(3), complete("done")].map(|reply| {
            let ScriptedReply::Says(words) = reply else { panic!("it says something: {reply:?}") };
            ScriptedReply::Late(Duration::from_millis(answer), words)
        });
    let rig = Rig::new(replies);
    rig.phone.dumps_in(LONG);
    rig.phone.shows(&button("Next"), false);
    let (dumps, report) = dumps(&rig).await;
    assert_eq!(targets(&rig, &report).await, ["Next"; 3]);
    dumps
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_at_once_has_a_screen_listed_only_before_a_touch() {
    assert_eq!(dumps_for_touches_with_keys_between(160).await, 6, "each screen");
    assert_eq!(dumps_for_touches_with_keys_between(10).await, 3, "those that are touched");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_was_silent_for_a_while_is_asked_again_by_a_model_that_answers_at_once() {
    let quick = |reply| {
        let ScriptedReply::Says(words) = reply else { panic!("it says something: {reply:?}") };
        ScriptedReply::Late(Duration::from_millis(10), words)
    };
    let acts = clicks(30).into_iter().chain([complete("done")]).map(quick);
    let rig = Rig::new(acts).limited(|limits| limits.repeats = 100).steps(40);
    rig.phone.shows(&button("Next"), false);
    // Longer than an act waits.
    rig.phone.dumps_in(Duration::from_secs(6));
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 4).await;
    rig.phone.dumps_in(LONG);
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    let known = targets(&rig, &report).await.len();
    assert!((10..=26).contains(&known), "{known}");
}
