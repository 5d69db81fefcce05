//! Stops from outside: at a safe point, recorded, resumable.
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{
    Call, FailingJournal, Fault, Rig, ScriptedReply, Write, click, client, complete, info, wait,
};
use crate::journal::Fact;
use crate::{AgentError, ReplyMode, StartTask, StopReason, UserInput};

#[tokio::test(start_paused = true)]
async fn a_stop_during_a_model_call_sends_nothing_more() {
    let late = ScriptedReply::Late(Duration::from_mins(1), String::new());
    let rig = Rig::new([click(1), late, complete("done")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(2).await;
    let asked = Instant::now();
    let report = rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert!(asked.elapsed() < Duration::from_millis(50), "{:?}", asked.elapsed());
    assert_eq!(report.stop_reason, StopReason::Cancelled);
    assert_eq!(rig.ended(follower).await, report);
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500"]);
    let unanswered = rig.facts(session, |fact| match fact {
        Fact::LlmResponse(it) if !it.success => it.error.clone(),
        _ => None,
    });
    assert_eq!(unanswered.await.len(), 1, "the call that was given up is recorded");
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_a_gesture_lets_it_finish_and_no_other_begin() {
    let rig = Rig::new([click(1), click(2), complete("done")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.phone.gets(Call::Perform, 1).await;
    follower.stop(StopReason::Cancelled);
    let principal = client();
    let (report, ()) =
        tokio::join!(rig.agent.stop(session, StopReason::UserPaused, &principal), async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert!(follower.running(), "the gesture is still under way");
            rig.phone.let_go();
        });
    let report = report.unwrap();
    assert_eq!(report.stop_reason, StopReason::Cancelled, "the first reason wins");
    assert_eq!(rig.phone.gestures(), ["CLICK 1,500"]);
    let line = &report.steps[0];
    assert_eq!((line.action.function.as_str(), &line.error), ("CLICK", &None), "it was done");
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.gestures(), ["CLICK 1,500", "CLICK 2,500"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_the_last_look_does_not_keep_the_end_from_the_record() {
    let rig = Rig::new([click(1)]).steps(1);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.dumps_in(Duration::from_secs(20));
    // In the second that the last screen's elements are waited for.
    tokio::time::sleep(Duration::from_secs(1)).await;
    follower.stop(StopReason::Cancelled);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached, "{report:?}");
    let ends = rig.facts(session, |fact| match fact {
        Fact::SessionEnd(end) => Some(end.stop_reason.to_string()),
        _ => None,
    });
    assert_eq!(ends.await, [StopReason::MaxStepsReached.to_string()]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_a_gesture_is_written_down_keeps_it_from_the_phone() {
    let mut disk = None;
    let rig = Rig::new([click(1), complete("done")]).kept_by(|inner, phone| {
        let whole = Arc::new(FailingJournal::new(inner, phone, Write::Append, u32::MAX));
        disk = Some(whole.clone());
        whole
    });
    let follower = rig.begin().await;
    disk.unwrap().stops_at("CLICK", follower.clone());
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::Cancelled);
    assert_eq!(rig.phone.sent(), ["RESET"]);
    let not_sent = "not sent: the run was stopped";
    assert_eq!(report.steps[0].error.as_deref(), Some(not_sent));
    let ends = rig.facts(report.session_id, |fact| match fact {
        Fact::ToolEnd(end) => Some((end.success, end.unknown)),
        _ => None,
    });
    assert_eq!(ends.await, [(true, false), (false, false)]);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert!(report.message.contains(not_sent), "{}", report.message);
    let history = rig.script.last().past_in_words();
    assert_eq!(history[1], format!("CLICK 1,500 ({not_sent})"));
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_a_wait_does_not_wait() {
    let rig = Rig::new([wait(60), complete("")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let asked = Instant::now();
    let report = rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert!(asked.elapsed() < Duration::from_millis(50), "{:?}", asked.elapsed());
    assert_eq!(report.stop_reason, StopReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_first_gesture_leaves_the_phone_alone() {
    let rig = Rig::new([complete("")]);
    let follower = rig.begin().await;
    follower.stop(StopReason::Cancelled);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::Cancelled);
    assert_eq!(rig.phone.sent(), [""; 0]);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.sent(), ["RESET"], "made up for when it goes on");
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_an_operator_is_waited_for_keeps_the_question() {
    let rig = Rig::new([info("Which?"), complete("")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await);
    }
    let session = follower.report().session_id;
    let report = rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(report.stop_reason, StopReason::Cancelled);
    assert_eq!(report.question.unwrap().text, "Which?");
    let report = rig.go_on(session, UserInput::Reply("B.".to_owned())).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_goes_away_changes_nothing() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    drop(follower);
    rig.script.is_asked(1).await;
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn stopping_what_does_not_run_tells_what_it_came_to() {
    let rig = Rig::new([complete("done")]);
    let ended = rig.run().await;
    let told = rig.agent.stop(ended.session_id, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(told, ended);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_is_recorded_in_every_run_before_it_is_over() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    let begun = Instant::now();
    rig.agent.shut_down(Duration::from_secs(5)).await;
    assert!(begun.elapsed() < Duration::from_millis(50), "{:?}", begun.elapsed());
    assert!(!follower.running(), "it is recorded by now");
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::ServerRestarted);

    let err = rig.agent.start(rig.task("Text Bob")).await.unwrap_err();
    assert!(matches!(err, AgentError::ShuttingDown), "{err}");
    let err = rig.resume(report.session_id, UserInput::Nothing).await.unwrap_err();
    assert!(matches!(err, AgentError::ShuttingDown), "{err}");

    let next = rig.restarted([complete("done")]);
    let report = next.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_wait_for_a_phone_that_hangs() {
    let rig = Rig::new([click(1)]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    let begun = Instant::now();
    rig.agent.shut_down(Duration::from_secs(5)).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert!(follower.running());
    rig.phone.let_go();
    assert_eq!(rig.ended(follower).await.stop_reason, StopReason::ServerRestarted);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_meets_a_shutdown_drives_nothing() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
    let (started, ()) = tokio::join!(rig.agent.start(rig.task("Text Anna")), async {
        rig.phone.gets(Call::InProgress, 1).await;
        rig.agent.shut_down(Duration::from_secs(5)).await;
        rig.phone.let_go();
    });
    assert!(matches!(started, Err(AgentError::ShuttingDown)));
    assert_eq!(rig.phone.sent(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_a_shutdown_refuses_leaves_no_record_when_that_is_over() {
    for queue in [false, true] {
        let rig = Rig::new([]).kept_by(|inner, phone| {
            let slow = FailingJournal::new(inner, phone, Write::Sync, u32::MAX);
            slow.syncs_in(Duration::from_secs(1));
            Arc::new(slow)
        });
        let start = StartTask { queue, ..rig.task("Text Anna") };
        let (started, ()) = tokio::join!(rig.agent.start(start), async {
            while rig.journal.list().await.unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            rig.agent.shut_down(Duration::from_secs(5)).await;
            assert_eq!(rig.journal.list().await.unwrap(), [], "queue: {queue}");
        });
        assert!(matches!(started, Err(AgentError::ShuttingDown)), "{started:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_the_screen_is_looked_at_again_says_that_the_act_was_not_sent() {
    let ScriptedReply::Says(tap) = click(1) else { unreachable!("a click is said") };
    let rig = Rig::new([ScriptedReply::Late(Duration::from_secs(10), tap), complete("done")]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    // No look from here on has an answer, so the act waits for its evidence.
    rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::Hang);
    tokio::time::sleep(Duration::from_secs(11)).await;
    follower.stop(StopReason::UserPaused);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::UserPaused);
    assert_eq!(report.steps[0].error.as_deref(), Some("not sent: the run was stopped"));
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_given_up_leaves_no_record() {
    // Time stands still while something is on its way to the disk, so that each look sees it get on. A sync takes many
    // moments, since how long the rest takes is for the machine to say.
    const SYNC: u32 = 10;
    let moment = || tokio::time::sleep(Duration::from_millis(1));
    for polls in 0..500 {
        let rig = Rig::new([complete("done")]).kept_by(|inner, phone| {
            let slow = FailingJournal::new(inner, phone, Write::Sync, u32::MAX);
            slow.syncs_in(Duration::from_millis(1) * SYNC);
            Arc::new(slow)
        });
        let mut starting = Box::pin(rig.agent.start(rig.task("Text Anna")));
        for _ in 0..polls {
            if let Poll::Ready(begun) = futures::poll!(&mut starting) {
                assert_eq!(rig.ended(begun.unwrap()).await.message, "done");
                assert!(SYNC <= polls, "it was given up on its way");
                return;
            }
            moment().await;
        }
        drop(starting);
        // The phone is free soon, and in the end there is the record of that run alone.
        let begun = loop {
            match rig.agent.start(rig.task("Text Anna")).await {
                Err(AgentError::DeviceBusy { .. }) => moment().await,
                begun => break begun.unwrap(),
            }
        };
        let report = rig.ended(begun).await;
        assert_eq!(report.message, "done");
        let mut looks = 0;
        while rig.journal.list().await.unwrap() != [report.session_id] {
            looks += 1;
            assert!(looks < 5000, "after {polls} polls a record stays");
            moment().await;
        }
    }
    panic!("it never began");
}
