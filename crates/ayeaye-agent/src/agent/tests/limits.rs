//! Limits: each stops a run so that it can be resumed.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Rig, ScriptedReply, click, complete, types, wait};
use crate::{Prices, ReplyMode, StopReason, UserInput};

#[tokio::test(start_paused = true)]
async fn the_steps_of_a_run_are_counted_for_that_run() {
    let rig = Rig::new([click(1), click(2), click(3), click(4), complete("done")]).steps(2);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    assert_eq!(report.message, "the steps of this call are used up");
    assert!(!report.is_session_used_up());
    let session = report.session_id;
    for (steps, reason) in
        [(4, StopReason::MaxStepsReached), (5, StopReason::TaskCompletedSuccessfully)]
    {
        let report = rig.go_on(session, UserInput::Nothing).await;
        assert_eq!((report.global_steps, report.stop_reason), (steps, reason));
    }
    assert_eq!(rig.phone.gestures().len(), 4, "none twice");
}

#[tokio::test(start_paused = true)]
async fn the_steps_of_a_session_are_counted_over_its_runs() {
    let rig = Rig::new((0..3).map(click)).steps(2).limited(|limits| limits.session_steps = 3);
    let session = rig.run().await.session_id;
    for local in [1, 0] {
        let report = rig.go_on(session, UserInput::Nothing).await;
        assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
        assert_eq!(report.message, "the 3 steps of this session are used up");
        assert!(report.is_session_used_up());
        assert_eq!((report.global_steps, report.local_steps), (3, local));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_too_long_is_stopped_and_can_go_on() {
    let rig = Rig::new([wait(40), wait(40), complete("done")])
        .limited(|limits| limits.run_time = Duration::from_mins(1));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    assert_eq!(report.message, "the time for one run is used up");
    assert_eq!(report.local_steps, 2);
    assert!(report.is_run_time_used_up());
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_call_to_the_model_ends_with_its_run() {
    let rig = Rig::new([ScriptedReply::Hangs])
        .limited(|limits| limits.run_time = Duration::from_secs(90));
    let begun = Instant::now();
    let report = rig.run().await;
    // It was not the model that took too long.
    assert_eq!(report.stop_reason, StopReason::BudgetReached, "{}", report.message);
    assert_eq!(report.message, "the time for one run is used up");
    assert!((89..=91).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_tokens_of_a_session_are_counted_over_its_runs() {
    // 110 a call.
    let rig = Rig::new((0..3).map(click)).limited(|limits| limits.session_tokens = Some(330));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    assert_eq!(report.message, "the tokens of this session are used up");
    assert!(!report.is_run_time_used_up());
    assert_eq!(report.local_steps, 3);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!((report.stop_reason, report.local_steps), (StopReason::BudgetReached, 0));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_used_is_asked_for_again_only_while_something_is_left() {
    // 110 a call.
    let rubbish = || ScriptedReply::Says("I would rather tap somewhere.".to_owned());
    let rig = Rig::new([rubbish(), rubbish(), rubbish(), complete("done")])
        .limited(|limits| limits.session_tokens = Some(200));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    assert_eq!(report.message, "the tokens of this session are used up");
    assert_eq!(rig.script.prompts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_model_answers_for_the_user_once_the_budget_is_used_up() {
    let rig = Rig::new([crate::fakes::info("Which?")])
        .answering(ReplyMode::AutoReply)
        .limited(|limits| limits.session_tokens = Some(100));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(report.question.unwrap().text, "Which?");
    assert!(
        report.message.contains("the tokens of this session are used up"),
        "{}",
        report.message
    );
    assert_eq!(rig.script.prompts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_money_of_a_session_is_counted_over_its_runs() {
    // 110 tokens a call.
    let prices = Prices { input: 1000.0, output: 1000.0, cached: None };
    let rig = Rig::new([click(1)])
        .priced(prices)
        .steps(1)
        .limited(|limits| limits.session_cost_usd = Some(0.11));
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    assert_eq!(report.message, "the money for this session is used up");
}

#[tokio::test(start_paused = true)]
async fn a_record_that_grows_too_large_stops_its_run() {
    let rig = Rig::new((0..9).map(click)).limited(|limits| limits.session_bytes = Some(8000));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::BudgetReached);
    assert_eq!(report.message, "the room on the disk for this session is used up");
    assert!((1..9).contains(&report.local_steps), "{}", report.local_steps);
}

#[tokio::test(start_paused = true)]
async fn the_same_act_on_an_unchanged_screen_is_remarked_on_and_then_stopped() {
    let rig = Rig::new((0..8).map(|_| click(1)).chain([complete("")]));
    rig.phone.moves(crate::fakes::Motion::Dead);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let question = report.question.clone().unwrap();
    assert!(question.text.contains("CLICK 1,500"), "what was tried: {}", question.text);
    assert_eq!(rig.phone.gestures().len(), 7, "the eighth is not sent");
    assert_eq!(report.local_steps, 8);
    assert!(report.steps[7].error.as_ref().unwrap().contains("not carried out"));
    let system_notes: Vec<_> =
        rig.script.seen().iter().map(|seen| seen.system_notes.len()).collect();
    assert_eq!(system_notes, [0, 0, 0, 0, 1, 1, 1, 1]);
    assert!(
        rig.script.last().system_notes[0].contains("7 times"),
        "{:?}",
        rig.script.last().system_notes
    );
    let advice = UserInput::Reply("Try the other button".to_owned());
    let report = rig.go_on(report.session_id, advice).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
}

#[tokio::test(start_paused = true)]
async fn a_question_how_to_get_on_asks_for_no_secret_whatever_was_typed() {
    for (typed, is_quoted) in
        [("my password", false), ("the code from the SMS", false), ("milk", true)]
    {
        let rig = Rig::new((0..8).map(|_| types(typed, None)));
        rig.phone.moves(crate::fakes::Motion::Dead);
        let question = rig.run().await.question.unwrap();
        assert!(question.text.starts_with("I am stuck"), "{}", question.text);
        assert!(question.text.contains("TYPE"), "what was tried: {}", question.text);
        assert_eq!(question.text.contains(typed), is_quoted, "{}", question.text);
        assert!(!question.asks_for_secret(), "{}", question.text);
    }
    // Nor where what was said of it speaks of one.
    let question = crate::Question::stuck("TYPE 3 times, not carried out, since the PIN is secret");
    assert!(question.text.contains("the last steps"), "{}", question.text);
    assert!(!question.asks_for_secret(), "{}", question.text);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_answers_a_model_that_is_stuck_is_stopped() {
    for mode in [ReplyMode::NoReply, ReplyMode::AutoReply] {
        let rig = Rig::new((0..8).map(|_| click(1))).answering(mode);
        rig.phone.moves(crate::fakes::Motion::Dead);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::NoProgress);
        assert!(report.message.contains("CLICK 1,500"), "{}", report.message);
    }
}

#[tokio::test(start_paused = true)]
async fn different_acts_without_effect_are_remarked_on_and_then_asked_about() {
    let rig = Rig::new((0..9).map(|nth| click(nth * 100)).chain([complete("")]));
    rig.phone.moves(crate::fakes::Motion::Dead);
    let report = rig.run().await;
    let question = report.question.unwrap();
    assert!(question.text.contains("none of which has changed the screen"), "{}", question.text);
    assert_eq!(rig.phone.gestures().len(), 8);
    assert!(rig.script.last().system_notes[0].contains("None of your last"));
}

#[tokio::test(start_paused = true)]
async fn the_same_act_on_a_screen_that_changes_is_progress() {
    let rig = Rig::new((0..12).map(|_| click(1)).chain([complete("")]));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert!(rig.script.seen().iter().all(|seen| seen.system_notes.is_empty()));
}

/// A reply of which a record could not hold all it is told in.
#[tokio::test(start_paused = true)]
async fn a_model_that_writes_without_an_end_is_asked_again_and_pays_for_it() {
    let endless = || {
        let text = "\u{1f600}".repeat(120_000);
        crate::fakes::say("COMPLETE", &serde_json::json!({ "return": text }))
    };
    let prices = Prices { input: 1000.0, output: 1000.0, cached: None };
    let rig = Rig::new([endless(), complete("done")]).priced(prices);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert!(report.usage.cost_known && (report.usage.cost_usd - 0.22).abs() < 1e-9, "{report:?}");
    let rig = Rig::new([endless(), endless(), endless()]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.message.contains("far too long"), "{}", report.message);
    let rig =
        Rig::new([endless()]).priced(prices).limited(|limits| limits.session_cost_usd = Some(0.1));
    assert_eq!(rig.run().await.stop_reason, StopReason::BudgetReached);
}
