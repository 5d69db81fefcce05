//! The screen is still the one the model saw, or nothing is done.
use std::time::Duration;

use serde_json::json;

use super::direct::{ended as acted, tap};
use crate::fakes::{
    Call, Fault, Motion, PageChange, Rig, SceneKind, ScriptedReply, click, complete, say, types,
};
use crate::gate::Policy;
use crate::{DirectAction, Gesture, Report, StopReason, UserInput};

/// The same, after so many milliseconds.
pub(super) fn after(milliseconds: u64, reply: ScriptedReply) -> ScriptedReply {
    let ScriptedReply::Says(words) = reply else { panic!("it says something: {reply:?}") };
    ScriptedReply::Late(Duration::from_millis(milliseconds), words)
}

/// A run whose phone is changed while the model thinks about the first step for three seconds.
async fn changed_while_thinking(first: ScriptedReply, change: impl FnOnce(&Rig)) -> (Rig, Report) {
    let rig = Rig::new([after(3000, first), complete("done")]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    change(&rig);
    let report = rig.ended(follower).await;
    (rig, report)
}

#[tokio::test(start_paused = true)]
async fn what_was_decided_in_one_app_is_not_done_in_another() {
    for act in [click(500), types("hello", None), types("hello", Some([500, 500]))] {
        let (rig, report) = changed_while_thinking(act, |rig| {
            rig.phone.fronts("com.bank", ".Transfer");
        })
        .await;
        assert_eq!(rig.phone.gestures(), [""; 0]);
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        let error = report.steps[0].error.clone().unwrap();
        assert!(error.contains("another app has come to the front: com.bank"), "{error}");
        let told = rig.script.last();
        let past = told.past_in_words().join(" ");
        assert!(past.contains("com.bank"), "{past}");
        assert_eq!(told.system_notes, [""; 0], "told once, with the step");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_another_one_by_now_is_not_touched() {
    let (rig, report) = changed_while_thinking(click(500), |rig| rig.phone.is_touched()).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let error = report.steps[0].error.clone().unwrap();
    assert!(error.contains("has changed"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_was_reckoned_for_a_screen_is_not_drawn_on_one_that_was_turned() {
    let scroll = say("SCROLL", &json!({"direction": "down"}));
    for act in [scroll, click(500), types("hello", Some([500, 500]))] {
        let (rig, report) = changed_while_thinking(act, |rig| rig.phone.turns()).await;
        assert_eq!(rig.phone.gestures(), [""; 0]);
        let error = report.steps[0].error.clone().unwrap();
        assert!(error.contains("the screen was turned"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_that_has_come_instead_is_seen_at_rest() {
    let rig = Rig::new([after(3000, click(500)), complete("done")]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_millis(1900)).await;
    let (answer, moving) = (Duration::ZERO, Duration::from_millis(2500));
    rig.phone.moves(Motion::Takes { answer, moving });
    rig.phone.is_touched();
    rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    // A page at rest has no second colour.
    assert_eq!(rig.script.last().picture.bytes[1], 0);
}

#[tokio::test(start_paused = true)]
async fn another_screen_of_the_app_is_not_touched() {
    let front = |rig: &Rig| rig.phone.fronts("com.example.chat", ".Pay");
    let (rig, report) = changed_while_thinking(click(500), front).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert!(report.steps[0].error.as_ref().unwrap().contains(".Pay"));
}

#[tokio::test(start_paused = true)]
async fn a_password_field_that_has_got_the_focus_is_not_typed_into() {
    let dump = r#"<hierarchy><node text="" class="android.widget.EditText" bounds="[0,0][60,6]"/></hierarchy>"#;
    let (rig, _) =
        changed_while_thinking(types("hello", None), |rig| rig.phone.shows(dump, true)).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn opening_an_app_and_going_home_do_not_depend_on_the_screen() {
    let home =
        ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"HOME"}}"#.to_owned());
    let (rig, _) = changed_while_thinking(home, |rig| rig.phone.fronts("com.bank", ".Pay")).await;
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_never_rests_is_touched_in_the_end_in_its_app_alone() {
    let rig = Rig::new((0..4).map(|_| after(3000, click(500))).chain([complete("done")]));
    rig.phone.moves(Motion::Endless);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures().len(), 1, "two put off, one done, one put off");
}

#[tokio::test(start_paused = true)]
async fn what_the_elements_say_decides_where_pixels_move() {
    let button = |text: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{text}" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    // Phones read no sooner than a second after they were asked, and many are slower.
    let slow = [Duration::ZERO, Duration::from_millis(1200), Duration::from_millis(1900)];
    for ((later, done), dump) in
        [("Next", 1), ("Buy now", 0)].into_iter().flat_map(|it| slow.map(|dump| (it, dump)))
    {
        let rig = Rig::new([click(100), after(3000, click(500)), complete("done")]);
        rig.phone.moves(Motion::Endless);
        rig.phone.dumps_in(dump);
        rig.phone.shows(&button("Next"), false);
        let follower = rig.begin().await;
        rig.script.is_asked(2).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        rig.phone.shows(&button(later), false);
        rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), 1 + done, "{later} in {dump:?}");
    }
}

/// A model that answers at once is done before the elements are there: they may be of the phone held the other way, where
/// another button lies under the finger.
#[tokio::test(start_paused = true)]
async fn elements_of_a_phone_that_was_turned_are_not_those_of_the_picture() {
    let button = |bounds: &str| {
        format!(
            r#"<hierarchy rotation="1"><node bounds="{bounds}" class="android.widget.FrameLayout"><node text="Next" class="android.widget.Button" clickable="true" bounds="[0,0][60,60]"/></node></hierarchy>"#
        )
    };
    for (window, done) in [("[0,0][60,120]", 1), ("[0,0][120,60]", 0), ("[0,0][110,60]", 0)] {
        let rig = Rig::new([click(400), complete("done")]);
        rig.phone.shows(&button(window), false);
        let report = rig.run().await;
        assert_eq!(rig.phone.gestures().len(), done, "{window}");
        if done == 0 {
            let error = report.steps[0].error.clone().unwrap();
            assert!(error.contains("the screen was turned"), "{error}");
        }
    }
}

/// Whatever moves elsewhere: what else the screen says may have changed before its elements were read. A change of
/// whom it is for, the gate sees by itself.
#[tokio::test(start_paused = true)]
async fn an_approval_is_not_used_where_elements_are_not_those_of_the_frame() {
    let screen = |terms: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="To Anna" class="android.widget.TextView" bounds="[0,30][140,50]"/>
            <node text="Pay €49.95" class="android.widget.Button" clickable="true" bounds="[0,100][140,180]"/>
            <node text="{terms}" class="android.widget.TextView" bounds="[0,190][140,210]"/></hierarchy>"#
        )
    };
    let banner =
        PageChange { kind: SceneKind::Banner, answer: Duration::ZERO, moving: Duration::ZERO };
    let rig = Rig::new([click(500), after(3000, click(500)), complete("done")]);
    rig.phone.plays(banner);
    rig.phone.dumps_after(Duration::from_secs(1), Duration::from_millis(1500));
    rig.phone.shows(&screen("once"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let yes = UserInput::Reply("yes".to_owned());
    let follower = rig.resume(report.session_id, yes).await.unwrap();
    rig.script.is_asked(2).await;
    // The model has seen the frame from before; what is read a second later is of another one.
    rig.phone.shows(&screen("each month"), false);
    rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_not_used_on_a_screen_that_has_changed() {
    let screen = |title: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{title}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="Pay €49.95" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let rig = Rig::new([click(500), after(3000, click(500)), complete("done")]);
    rig.phone.shows(&screen("To Anna"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let yes = UserInput::Reply("yes".to_owned());
    let follower = rig.resume(report.session_id, yes).await.unwrap();
    rig.script.is_asked(2).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    rig.phone.is_touched();
    rig.phone.shows(&screen("To Mallory"), false);
    rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_looks_cost_no_time_when_the_model_takes_longer_than_a_capture() {
    let took = |milliseconds: u64| async move {
        let rig = Rig::new([after(milliseconds, click(500)), complete("done")]);
        let follower = rig.begin().await;
        rig.script.is_asked(1).await;
        let asked = tokio::time::Instant::now();
        rig.phone.gets(Call::Perform, 1).await;
        let took = asked.elapsed();
        rig.ended(follower).await;
        took.as_millis() - u128::from(milliseconds)
    };
    let at_once = took(100).await;
    for thinking in [900, 1000, 1100, 1990, 2500, 10_000] {
        assert!(took(thinking).await <= at_once, "{thinking}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_looks_are_slow_an_act_waits_for_the_one_that_is_under_way() {
    let rig = Rig::new([after(5900, click(500)), complete("done")]);
    rig.phone.captures_in(Duration::from_millis(1500));
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    // Between two looks, of which the second is not over when the model answers.
    tokio::time::sleep(Duration::from_secs(3)).await;
    rig.phone.is_touched();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let error = report.steps[0].error.as_deref().unwrap();
    assert!(error.contains("has changed"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_cannot_be_looked_at_is_not_touched() {
    let rig = Rig::new([after(3000, click(500)), complete("done")]);
    rig.phone.breaks(Call::State, 2..=6, Fault::Gone);
    let report = rig.run().await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let error = report.steps[0].error.clone().unwrap();
    assert!(error.contains("could not be looked at"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_while_an_operator_thinks() {
    let rig = Rig::new([crate::fakes::info("Which?"), complete("done")])
        .answering(crate::ReplyMode::ManualReply)
        .under(Policy::default());
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let looks = rig.phone.count(Call::Capture);
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(rig.phone.count(Call::Capture), looks);
    rig.ended(follower).await;
}

#[tokio::test(start_paused = true)]
async fn a_text_without_a_place_is_not_typed_into_another_conversation() {
    let chat = |with: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{with}" class="android.widget.TextView" bounds="[0,6][60,14]"/>
            <node text="" class="android.widget.EditText" focused="true" clickable="true" bounds="[0,90][60,110]"/></hierarchy>"#
        )
    };
    for (later, done) in [("Anna", 1), ("Mallory", 0)] {
        let rig = Rig::new([after(3000, types("See you", None)), complete("done")]);
        rig.phone.shows(&chat("Anna"), false);
        let follower = rig.begin().await;
        rig.script.is_asked(1).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        if later != "Anna" {
            rig.phone.is_touched();
            rig.phone.shows(&chat(later), false);
        }
        rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), done, "{later}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_was_seen_dark_is_compared_before_it_is_touched() {
    let rig = Rig::new([after(3000, click(500)), complete("done")]);
    // It does not say any more whether it is on, so nothing but the look tells that it went off.
    rig.phone.breaks(Call::IsAwake, 1..=9, Fault::Refused);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    rig.phone.is_touched();
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let error = report.steps[0].error.as_deref().unwrap();
    assert!(error.contains("shows something else"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_direct_act_is_not_done_on_what_has_come_while_its_elements_were_read() {
    let screen = r#"<hierarchy rotation="0"><node text="Next" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#;
    let dialog = screen.replace("Next", "Delete");
    // Of a list that took longer than two seconds it is not known which screen it is of.
    for (takes, change, done) in [
        (1900, None, 1),
        (1900, Some(screen), 1),
        (1900, Some(&*dialog), 0),
        (3500, Some(&*dialog), 0),
    ] {
        let rig = Rig::new([]);
        rig.phone.shows(screen, false);
        rig.phone.dumps_after(Duration::from_secs(1), Duration::from_millis(takes));
        let acting = rig.agent.act(tap(500, None)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1020)).await;
        if let Some(screen) = change {
            rig.phone.is_touched();
            rig.phone.shows(screen, false);
        }
        let result = acted(acting).await;
        assert_eq!(rig.phone.gestures().len(), done, "{takes} {change:?}");
        let error = result.line.error.unwrap_or_default();
        assert_eq!(error.is_empty(), done == 1, "{error}");
    }
    let rig = Rig::new([]);
    rig.phone.moves(Motion::Endless);
    rig.phone.dumps_in(Duration::from_millis(3500));
    acted(rig.agent.act(tap(500, None)).await.unwrap()).await;
    assert_eq!(rig.phone.gestures().len(), 1, "what never rests is touched");
    // Nor is it known there which field a text goes into.
    let gesture = Gesture::Type { text: "a".to_owned(), point: None, clear: false, submit: false };
    let typing = DirectAction { gesture, ..tap(500, None) };
    acted(rig.agent.act(typing).await.unwrap()).await;
    assert_eq!(rig.phone.gestures().len(), 2, "and typed into");
}

/// A live stream says above it how many watch; its picture never rests.
#[tokio::test(start_paused = true)]
async fn a_direct_text_goes_to_where_a_count_at_the_top_ticks() {
    let stream = |who: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{who}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="" content-desc="Message" class="android.widget.EditText" focused="true" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    for (before, now, done) in [
        ("Anna", "Anna", 1),
        ("1,234 watching", "1,236 watching", 1),
        ("Time left 09:58", "Time left 09:56", 1),
        ("Anna", "Mallory", 0),
        ("7726", "4636", 0),
    ] {
        let rig = Rig::new([]);
        rig.phone.moves(Motion::Endless);
        rig.phone.shows(&stream(before), false);
        rig.phone.dumps_after(Duration::from_secs(1), Duration::from_millis(1900));
        let gesture =
            Gesture::Type { text: "a".to_owned(), point: None, clear: false, submit: false };
        let acting = rig.agent.act(DirectAction { gesture, ..tap(500, None) }).await.unwrap();
        // Between the list that is read first and the one before the act.
        tokio::time::sleep(Duration::from_secs(2)).await;
        rig.phone.shows(&stream(now), false);
        let result = acted(acting).await;
        assert_eq!(rig.phone.gestures().len(), done, "{before}: {result:?}");
    }
}
