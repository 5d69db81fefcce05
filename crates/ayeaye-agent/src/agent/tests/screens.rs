//! Screens that show nothing: off, black, locked.
use std::time::Duration;

use crate::fakes::{Call, Fault, Motion, Rig, ScriptedReply, click, complete, wait};
use crate::journal::Fact;
use crate::{Device as _, QuestionKind, RedactPictures, StopReason, UserInput};

#[tokio::test(start_paused = true)]
async fn a_black_screen_is_handed_to_the_user() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::Black);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let question = report.question.unwrap();
    assert_eq!(question.kind, QuestionKind::Takeover);
    assert_eq!(question.app.as_deref(), Some("com.example.chat"));
    assert!(question.text.contains("no window says that it is protected"), "{}", question.text);
    rig.phone.mended();
    let report = rig.go_on(report.session_id, UserInput::Reply("done by hand".to_owned())).await;
    assert_eq!(report.message, "done");
    let history = rig.script.last().past_in_words();
    assert_eq!(history, ["? Text Anna", "CLICK 1,500", "! done by hand"]);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_passes_through_black_is_waited_for() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    let looks = rig.phone.count(Call::Capture);
    rig.phone.breaks(Call::Capture, looks + 1..=looks + 6, Fault::Black);
    assert_eq!(rig.ended(follower).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_off_is_woken_once_and_that_is_recorded() {
    let rig = Rig::new([click(1), click(2), complete("done")]);
    rig.phone.breaks(Call::State, 2..=2, Fault::ScreenOff);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "WAKE", "CLICK 2,500"]);
    let tools = rig.facts(report.session_id, |fact| match fact {
        Fact::ToolStart(start) => Some((start.tool_call_id, start.name.clone())),
        _ => None,
    });
    let names = ["RESET", "CLICK", "WAKE", "CLICK"].map(str::to_owned);
    assert_eq!(tools.await, (1..).zip(names).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_switched_off_again_right_after_is_left_off() {
    let rig = Rig::new([click(1), click(2), complete("done")]);
    // Off at the second step's first look, and at its second; woken, looked at; off again at the third step's.
    rig.phone.breaks(Call::State, 2..=2, Fault::ScreenOff);
    rig.phone.breaks(Call::State, 5..=5, Fault::ScreenOff);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ManualStopScreenOff);
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "WAKE", "CLICK 2,500"]);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert!(report.message.starts_with("done\n"), "going on with it means it may be woken");
    let doubt = "its last act before this (CLICK 2,500) may have had no effect: the screen was off";
    assert!(report.message.contains(doubt), "{}", report.message);
}

fn power() -> ScriptedReply {
    ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"POWER"}}"#.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_the_model_switches_off_stays_off_and_the_model_is_told() {
    let rig = Rig::new([power(), wait(5), complete("The screen is off.")]);
    let report = rig.run().await;
    assert_eq!(report.message, "The screen is off.");
    assert_eq!(rig.phone.count(Call::Wake), 0);
    assert!(!rig.phone.is_awake().await.unwrap());
    for seen in &rig.script.seen()[1..] {
        let told = seen.system_notes.join(" ");
        assert!(told.contains("The screen is off because you pressed POWER"), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_screen_is_not_said_to_be_off_by_a_key_that_the_phone_has_refused() {
    let rig = Rig::new([power(), complete("done")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Refused);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert!(report.message.starts_with("done\n"), "{report:?}");
    let told = rig.script.last().system_notes.join(" ");
    assert!(!told.contains("because you pressed"), "{told}");
    assert_eq!(rig.phone.count(Call::Wake), 1, "{:?}", rig.phone.sent());
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_at_the_phone_while_it_acts() {
    let late = |n| {
        let ScriptedReply::Says(words) = click(n) else { panic!("it says something") };
        ScriptedReply::Late(Duration::from_secs(5), words)
    };
    let rig = Rig::new([late(1), complete("done")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    let looks = || rig.phone.count(Call::Capture) + rig.phone.count(Call::State);
    let before = looks();
    tokio::time::advance(Duration::from_secs(4)).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(looks(), before);
    rig.phone.let_go();
    assert_eq!(rig.ended(follower).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_a_person_keeps_switching_off_is_not_said_to_be_off_by_the_models_key() {
    let rig = Rig::new([click(1), complete("done")]);
    // It moves for so long that the phone is asked of itself once more. It is off at first, woken, and lit at the second
    // look; somebody switches it off before that question, and once more after it was woken for the act.
    rig.phone.moves(Motion::Endless);
    for nth in [1, 3, 4] {
        rig.phone.breaks(Call::State, nth..=nth, Fault::ScreenOff);
    }
    let report = rig.run().await;
    let told = rig.script.seen()[0].system_notes.join(" ");
    assert!(told.contains("went off while this picture was taken"), "{told}");
    assert!(!told.contains("POWER"), "it has not pressed it: {told}");
    assert_eq!(report.stop_reason, StopReason::ManualStopScreenOff, "{report:?}");
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_to_a_screen_that_went_off_while_it_was_looked_at() {
    // So soon that nobody looks once more before the act.
    let ScriptedReply::Says(words) = click(1) else { panic!("it says something") };
    let at_once = ScriptedReply::Late(Duration::ZERO, words);
    let rig = Rig::new([at_once, complete("done")]);
    rig.phone.moves(Motion::Endless);
    let follower = rig.begin().await;
    // Asked with the first look, and once more since it moves for so long.
    rig.phone.gets(Call::State, 1).await;
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.sent()[..2], ["RESET", "WAKE"]);
    assert_eq!(rig.phone.gestures(), [""; 0], "what it shows now is not what was decided on");
    let error = report.steps[0].error.as_deref().unwrap();
    assert!(error.contains("went off while this was being decided"), "{error}");
}

/// On a slow link the last capture may be of seconds after the key, and what the phone said with the first is as old.
#[tokio::test(start_paused = true)]
async fn a_screen_that_is_still_on_when_the_first_look_begins_is_off_by_the_models_key() {
    let rig = Rig::new([power(), power(), complete("done")])
        .limited(|limits| limits.redact = RedactPictures::Always);
    rig.phone.shows(ACCOUNT, false);
    let follower = rig.begin().await;
    // Off and on, so that it says of itself that it is on; then it is off.
    rig.phone.gets(Call::Perform, 2).await;
    rig.phone.moves(Motion::Endless);
    rig.phone.captures_in(Duration::from_secs(1));
    let asked = rig.phone.count(Call::State);
    rig.phone.breaks(Call::State, asked + 2..=asked + 2, Fault::ScreenOff);
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.count(Call::Wake), 0);
    let told = rig.script.last().system_notes.join(" ");
    assert!(told.contains("because you pressed POWER"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn power_twice_switches_off_and_on_and_nobody_else_is_said_to_have() {
    let rig = Rig::new([power(), power(), power(), power(), click(1), complete("done")]);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.gestures().len(), 5);
    assert_eq!(rig.phone.count(Call::Wake), 0);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_the_model_has_switched_off_is_woken_for_its_next_act() {
    let home =
        || ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"HOME"}}"#.to_owned());
    // A click is decided on anew, since nobody saw what it would hit; the home screen is where it always is.
    for (act, done) in [(click(1), 1), (home(), 2)] {
        let rig = Rig::new([power(), act, power(), wait(1), click(2), complete("done")]);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{report:?}");
        assert_eq!(rig.phone.gestures().len(), done + 1, "{:?}", rig.phone.sent());
        assert_eq!(rig.phone.count(Call::Wake), 2);
        let error = report.steps[4].error.clone();
        assert!(error.unwrap().contains("because you pressed POWER"), "{report:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_goes_off_now_and_then_is_woken_each_time() {
    let rig = Rig::new((0..6).map(click).chain([complete("done")]));
    // A step in which nothing goes wrong asks twice, one in which the screen is off three times.
    for look in [2, 7, 12] {
        rig.phone.breaks(Call::State, look..=look, Fault::ScreenOff);
    }
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.count(Call::Wake), 3);
}

#[tokio::test(start_paused = true)]
async fn a_wake_that_does_not_get_through_is_tried_once_more() {
    for (failures, reason) in
        [(1, StopReason::TaskCompletedSuccessfully), (2, StopReason::DeviceLost)]
    {
        let rig = Rig::new([click(1), complete("done")]);
        rig.phone.breaks(Call::State, 2..=2, Fault::ScreenOff);
        rig.phone.breaks(Call::Wake, 1..=failures, Fault::TimedOut(Duration::from_secs(5)));
        let report = rig.run().await;
        assert_eq!(report.stop_reason, reason);
        assert_eq!(rig.phone.count(Call::Wake), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_with_a_secret_lock_is_handed_to_the_user() {
    let rig = Rig::new([click(1), complete("done")]);
    rig.phone.breaks(Call::State, 2..=2, Fault::ScreenOff);
    rig.phone.breaks(Call::Wake, 1..=1, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let question = report.question.unwrap();
    assert_eq!(question.kind, QuestionKind::Takeover);
    assert!(question.text.contains("locked"), "{}", question.text);
    let report = rig.go_on(report.session_id, UserInput::Reply("done".to_owned())).await;
    assert!(report.message.starts_with("done\n"), "{}", report.message);
    let doubt = "its last act before this (CLICK 1,500) may have had no effect: the screen was off";
    assert!(report.message.contains(doubt), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_was_locked_meanwhile_is_unlocked_or_handed_to_the_user() {
    for wants_secret in [false, true] {
        let rig = Rig::new([click(1), click(2), complete("done")]);
        // Somebody has locked it and lit it again while the model decided.
        rig.phone.breaks(Call::State, 3..=3, Fault::Locked);
        if wants_secret {
            rig.phone.breaks(Call::Wake, 1..=1, Fault::Refused);
        }
        let report = rig.run().await;
        let touched = rig.phone.sent().iter().filter(|sent| sent.starts_with("CLICK")).count();
        assert_eq!(rig.phone.count(Call::Wake), 1);
        if !wants_secret {
            assert_eq!((&*report.message, touched), ("done", 2));
            continue;
        }
        let question = report.question.unwrap();
        assert_eq!(question.kind, QuestionKind::Takeover);
        assert!(question.text.contains("locked"), "{}", question.text);
        assert!(touched < 2, "nothing is done on a lock screen");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_shown_over_the_lock_screen_is_seen_and_nothing_is_swiped_away() {
    let rig = Rig::new([click(1), click(2), complete("done")]);
    rig.phone.breaks(Call::State, 3..=3, Fault::Locked);
    rig.phone.is_called();
    assert_eq!(rig.run().await.message, "done");
    assert_eq!(rig.phone.count(Call::Wake), 0);
}

#[tokio::test(start_paused = true)]
async fn a_lock_screen_is_never_shown_to_the_model_because_unlocking_did_not_get_through() {
    for (failures, reason) in
        [(1, StopReason::TaskCompletedSuccessfully), (2, StopReason::DeviceLost)]
    {
        let rig = Rig::new([click(1), click(2), complete("done")]);
        rig.phone.breaks(Call::State, 3..=3, Fault::Locked);
        rig.phone.breaks(Call::Wake, 1..=failures, Fault::TimedOut(Duration::from_secs(5)));
        assert_eq!(rig.run().await.stop_reason, reason);
        assert_eq!(rig.phone.count(Call::Wake), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_locked_from_the_start_is_handed_to_the_user_and_then_reset() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::Reset, 1..=1, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(report.question.unwrap().kind, QuestionKind::Takeover);
    let report = rig.go_on(report.session_id, UserInput::Reply("done".to_owned())).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.sent(), ["RESET", "RESET"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_goes_dark_in_two_long_waits_is_woken_each_time() {
    let rig = Rig::new([wait(40), wait(40), wait(40), complete("done")])
        .limited(|limits| limits.keep_awake = false);
    // At each look after a wait; the look after waking is the next one.
    for look in [2, 4, 6] {
        rig.phone.breaks(Call::State, look..=look, Fault::ScreenOff);
    }
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    assert_eq!(rig.phone.sent(), ["RESET", "WAKE", "WAKE", "WAKE"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_goes_dark_before_it_is_captured_is_not_woken_for_ever() {
    let rig = Rig::new([complete("done")]).limited(|limits| limits.keep_awake = false);
    rig.phone.captures_in(Duration::from_secs(20));
    rig.phone.breaks(Call::State, 1..=99, Fault::ScreenOff);
    assert_eq!(rig.run().await.stop_reason, StopReason::ManualStopScreenOff);
    assert_eq!(rig.phone.sent(), ["RESET", "WAKE", "WAKE", "WAKE"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_kept_lit_and_goes_dark_all_the_same_is_left_off() {
    let rig = Rig::new([wait(40), wait(40), complete("done")]);
    for look in [2, 4] {
        rig.phone.breaks(Call::State, look..=look, Fault::ScreenOff);
    }
    assert_eq!(rig.run().await.stop_reason, StopReason::ManualStopScreenOff);
    assert_eq!(rig.phone.sent(), ["RESET", "WAKE"]);
}

const ACCOUNT: &str = r#"<hierarchy rotation="0">
    <node text="Balance: 12.40" class="android.widget.TextView" bounds="[0,0][60,50]"/>
    <node text="hunter2" hint="PIN" password="true" clickable="true" class="android.widget.EditText" bounds="[0,60][60,110]"/>
    </hierarchy>"#;

#[tokio::test(start_paused = true)]
async fn a_protected_screen_is_told_by_its_elements_where_that_is_wanted() {
    let rig =
        Rig::new([click(1), complete("12.40")]).limited(|limits| limits.read_protected = true);
    rig.phone.protects(true);
    rig.phone.shows(ACCOUNT, false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    let told = rig.script.last().system_notes.join("\n");
    assert!(told.contains("protects its screen") && told.contains("Balance: 12.40"), "{told}");
    assert!(told.contains("\"PIN\"") && !told.contains("hunter2"), "{told}");
    let observed = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(it) => Some((it.protected, it.ui_tree.is_some())),
        _ => None,
    });
    assert!(observed.await.contains(&(true, true)));
}

#[tokio::test(start_paused = true)]
async fn a_protected_screen_that_says_nothing_is_handed_to_the_user_all_the_same() {
    let rig = Rig::new([complete("done")]).limited(|limits| limits.read_protected = true);
    rig.phone.protects(true);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert!(report.question.unwrap().text.contains("protects its screen"));
}
