//! What it costs that a model is asked before the screen has settled, and when it is asked no more.
use std::time::Duration;

use crate::fakes::{Call, Fault, Motion, Rig, ScriptedReply, click, complete, wait};
use crate::journal::{Fact, LlmResponse, Observe};
use crate::{Prices, SessionId, Speculate, StopReason};

const PAGE: &str = r#"<hierarchy rotation="0"><node text="Next" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;

fn rig(replies: impl IntoIterator<Item = ScriptedReply>, speculate: Speculate) -> Rig {
    let rig = Rig::new(replies).limited(|limits| limits.speculate = speculate);
    rig.phone.shows(PAGE, false);
    rig
}

/// The screens that the steps went by.
async fn screens(rig: &Rig, session: SessionId) -> Vec<Observe> {
    rig.facts(session, |fact| match fact {
        Fact::Observe(observe) if observe.screenshot.is_some() => Some(observe.clone()),
        _ => None,
    })
    .await
}

/// The answers that came to nothing.
async fn withdrawn(rig: &Rig, session: SessionId) -> Vec<LlmResponse> {
    rig.facts(session, |fact| match fact {
        Fact::LlmResponse(response) if !response.success => Some(response.clone()),
        _ => None,
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_told_from_a_screen_that_moves_and_asks_no_model_again() {
    for (fault, given_up) in [
        // Known before the model answers, and after.
        (Fault::Garbled, "given up: "),
        (Fault::TimedOut(Duration::from_secs(10)), ""),
    ] {
        let rig = rig([click(1), click(9), click(2), complete("done")], Speculate::On);
        let follower = rig.begin().await;
        rig.script.is_asked(2).await;
        let looks = rig.phone.count(Call::Capture) + 1;
        rig.phone.breaks(Call::Capture, looks..=looks, fault);
        let report = rig.ended(follower).await;
        assert_eq!(report.message, "done");
        assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 2,500"]);
        let withdrawn = withdrawn(&rig, report.session_id).await;
        let [only] = &withdrawn[..] else { panic!("{withdrawn:?}") };
        let why = only.error.as_deref().unwrap();
        let said = format!("{given_up}the screen could not be looked at: device phone-1 ");
        assert!(why.starts_with(&said), "{why}");
        let screens = screens(&rig, report.session_id).await;
        assert!(screens.iter().all(|it| it.settled), "{screens:?}");
        assert_eq!((screens[1].guesses, screens[1].guessed_right), (1, false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_not_expected_to_stay_is_not_asked_for_its_elements() {
    let rig = rig([click(1), click(2), click(3), click(4), complete("done")], Speculate::Off);
    let moving = Duration::from_millis(400);
    rig.phone.moves(Motion::Takes { answer: Duration::ZERO, moving });
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    // One for each screen, and none for those in between.
    assert_eq!(rig.phone.dumps(), 5);
    let known = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(observe) => observe.ui_tree.as_ref().map(|_| ()),
        _ => None,
    });
    assert_eq!(known.await.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn guesses_are_counted_for_their_own_screen() {
    let rig = rig([click(1), wait(1), complete("done")], Speculate::On);
    let report = rig.run().await;
    let screens = screens(&rig, report.session_id).await;
    let guesses: Vec<_> = screens.iter().map(|it| (it.guesses, it.guessed_right)).collect();
    assert_eq!(guesses, [(0, false), (1, true), (0, false)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_taken_back_is_charged_for_its_prompt() {
    let replies = [click(1), click(7), click(8), click(2), complete("done")];
    let moving = Duration::from_millis(400);
    let motion = Motion::Takes { answer: Duration::ZERO, moving };
    let rig = rig(replies, Speculate::On)
        .priced(Prices { input: 1000.0, output: 0.0, cached: None })
        // Three prompts.
        .limited(|limits| limits.session_cost_usd = Some(0.25));
    rig.phone.moves(motion);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    let withdrawn = withdrawn(&rig, report.session_id).await;
    assert_eq!(withdrawn.len(), 2, "then the money is used up, and the settled frame waited for");
    for call in &withdrawn {
        assert_eq!((call.tokens.prompt, call.tokens.total, call.cost_known), (100, 100, false));
        assert!(call.tokens_estimated && (call.cost_usd - 0.1).abs() < 1e-9, "{call:?}");
    }
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 2,500"]);
    assert_eq!(report.usage.prompt_tokens, 400);
    assert!((report.usage.cost_usd - 0.4).abs() < 1e-9 && !report.usage.cost_known);
}

#[tokio::test(start_paused = true)]
async fn where_screens_never_rest_a_model_is_soon_asked_early_no_more() {
    let rig = rig((0..60).map(click), Speculate::Auto).steps(14);
    rig.script.is_ones_own();
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 7).await;
    assert!(rig.script.prompts().len() <= 7);
    rig.phone.moves(Motion::Endless);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    let withdrawn = withdrawn(&rig, report.session_id).await;
    // Those of two screens, until one of the last five was right.
    assert_eq!(withdrawn.len(), 4, "{withdrawn:?}");
}
