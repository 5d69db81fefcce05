//! A phone whose screen goes off ignores what it is sent, and says nothing of what is on it.
use std::time::Duration;

use serde_json::json;

use super::direct::{act, tap};
use crate::fakes::{Call, Fault, Rig, ScriptedReply, click, complete, say, wait};
use crate::journal::{Fact, NoteKind};
use crate::{DirectOutcome, HistoryItem, StopReason, UserInput};

const WAS_OFF: &str = "the screen was off when it was looked at afterwards";
const NO_EFFECT: &str =
    "its last act before this (CLICK 1,500) may have had no effect: the screen was off";

/// Somebody presses the power key before the phone says of itself for the nth time how it is.
fn switched_off_at(nth: u32, lines: impl IntoIterator<Item = ScriptedReply>) -> Rig {
    let rig = Rig::new(lines);
    rig.phone.breaks(Call::State, nth..=nth, Fault::ScreenOff);
    rig
}

#[tokio::test(start_paused = true)]
async fn a_gesture_behind_which_the_phone_is_dark_may_have_had_no_effect() {
    let rig = switched_off_at(2, [click(1), complete("done")]);
    let report = rig.run().await;
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "WAKE"]);
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert!(report.message.starts_with("done\n"), "{}", report.message);
    assert!(report.message.contains(NO_EFFECT), "{}", report.message);
    let uncertain = report.steps[0].uncertain.as_deref().unwrap_or_default();
    assert!(uncertain.starts_with(WAS_OFF), "{report:?}");
    let told = rig.script.last().history;
    let told = told.iter().find_map(|item| match item {
        HistoryItem::Step(step) => step.uncertain.clone(),
        _ => None,
    });
    assert_eq!(told.as_deref(), Some(uncertain), "the model is told");
    let noted = rig.facts(report.session_id, |fact| match fact {
        Fact::Note { kind, figures, .. } if *kind == NoteKind::ActInDoubt => {
            figures["step"].as_u64()
        }
        _ => None,
    });
    assert_eq!(noted.await, [0]);
    // What is known of it is in the record.
    let session = rig.session(report.session_id).await;
    assert_eq!(session.report(false).steps, report.steps);
}

#[tokio::test(start_paused = true)]
async fn a_gesture_that_was_seen_to_be_over_before_the_screen_went_off_is_not_in_doubt() {
    let lines = || [click(1), wait(1), complete("done")];
    for nth in [3, 4] {
        let rig = switched_off_at(nth, lines());
        let report = rig.run().await;
        assert_eq!(report.message, "done", "{nth}");
        assert!(report.steps.iter().all(|it| it.uncertain.is_none()), "{report:?}");
    }
    // Nor what opens an app, for which no screen is needed.
    let opens = say("AWAKE", &json!({ "app": "Notes" }));
    let report = switched_off_at(2, [opens, complete("done")]).run().await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn the_last_gesture_of_a_run_is_in_doubt_too() {
    let rig = switched_off_at(2, [click(1)]).steps(1);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    assert!(report.steps[0].uncertain.as_deref().unwrap_or_default().starts_with(WAS_OFF));
    rig.script.adds([complete("done")]);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert!(report.message.contains(NO_EFFECT), "{}", report.message);
    // A client is told with the result.
    let rig = switched_off_at(2, []);
    let acted = act(&rig.agent, tap(1, None)).await;
    assert_eq!(acted.outcome, DirectOutcome::Done);
    assert!(acted.line.uncertain.as_deref().unwrap_or_default().starts_with(WAS_OFF), "{acted:?}");
}

const SETTINGS: &str = r#"<hierarchy rotation="0"><node text="About phone" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_screen_that_says_nothing_because_it_is_off() {
    let ScriptedReply::Says(words) = click(1) else { panic!("it says something") };
    let at_once = || ScriptedReply::Late(Duration::ZERO, words.clone());
    let rig = Rig::new([at_once(), click(1), complete("done")]);
    rig.phone.fronts("com.android.settings", ".Settings");
    rig.phone.shows(SETTINGS, false);
    let follower = rig.begin().await;
    rig.phone.gets(Call::State, 1).await;
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done", "{report:?}");
    let error = report.steps[0].error.as_deref().unwrap_or_default();
    assert!(error.contains("went off while this was being decided"), "{error}");
    assert_eq!(rig.phone.sent(), ["RESET", "WAKE", "CLICK 1,500"]);
    // A client looks again itself.
    let rig = Rig::new([]);
    rig.phone.fronts("com.android.settings", ".Settings");
    rig.phone.shows(SETTINGS, false);
    let acting = rig.agent.act(tap(1, None)).await.expect("it begins");
    rig.phone.gets(Call::State, 1).await;
    rig.phone.goes_dark();
    let acted = super::direct::ended(acting).await;
    let told = format!("{:?}", acted.outcome);
    assert!(matches!(acted.outcome, DirectOutcome::NotDone(_)), "{told}");
    assert!(told.contains("the screen was off"), "{told}");
    assert_eq!(rig.phone.sent(), ["WAKE"]);
}
