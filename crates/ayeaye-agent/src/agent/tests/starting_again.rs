//! The same start once more: while the first one begins, waits for its phone, was told to stop, or ends.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Call, Fault, Rig, ScriptedReply, click, client, complete};
use crate::{AgentError, StartTask, StopReason};

fn queued(rig: &Rig) -> StartTask {
    StartTask { queue: true, ..rig.task("Text Anna") }
}

#[tokio::test(start_paused = true)]
async fn of_equal_starts_that_come_together_one_is_carried_out_whether_or_not_they_queue() {
    for (first_queues, second_queues) in [(true, true), (true, false), (false, true)] {
        let rig = Rig::new([complete("done"), complete("once more")]);
        rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
        let start = |queue| rig.agent.start(StartTask { queue, ..rig.task("Text Anna") });
        let (first, second, ()) = tokio::join!(
            start(first_queues),
            async {
                rig.phone.gets(Call::InProgress, 1).await;
                start(second_queues).await
            },
            async {
                rig.phone.gets(Call::InProgress, 1).await;
                tokio::time::sleep(Duration::from_secs(3)).await;
                rig.phone.let_go();
            },
        );
        let (first, second) = (first.unwrap(), second.unwrap());
        assert_eq!(
            first.report().session_id,
            second.report().session_id,
            "{first_queues}, {second_queues}"
        );
        assert_eq!(rig.ended(first).await.message, "done");
        assert_eq!(rig.journal.list().await.unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_queued_start_that_fails_leaves_its_place_to_the_one_that_repeats_it() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::TimedOut(Duration::from_secs(10)));
    let (first, second) = tokio::join!(rig.agent.start(queued(&rig)), async {
        rig.phone.gets(Call::InProgress, 1).await;
        rig.agent.start(queued(&rig)).await
    });
    assert!(matches!(first, Err(AgentError::Device(_))));
    assert_eq!(rig.ended(second.unwrap()).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_start_right_after_a_stop_begins_anew() {
    for queue in [false, true] {
        let rig = Rig::new([click(1), click(2), complete("done")]);
        // The run cannot end before its gesture has.
        rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
        let first = rig.begin().await;
        rig.phone.gets(Call::Perform, 1).await;
        first.stop(StopReason::Cancelled);
        let start = StartTask { queue, ..rig.task("Text Anna") };
        let (second, ()) = tokio::join!(rig.agent.start(start), async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            rig.phone.let_go();
        });
        let second = second.unwrap();
        assert_ne!(second.report().session_id, first.report().session_id, "queue: {queue}");
        assert_eq!(rig.ended(second).await.message, "done");
        assert_eq!(rig.ended(first).await.stop_reason, StopReason::Cancelled);
    }
}

#[tokio::test(start_paused = true)]
async fn another_task_waits_for_a_run_that_was_told_to_stop_but_not_for_ever() {
    let rig = Rig::new([click(1), complete("done")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let first = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    first.stop(StopReason::Cancelled);
    let asked = Instant::now();
    for task in ["Text Bob", "Text Anna"] {
        let busy = rig.agent.start(rig.task(task)).await.unwrap_err();
        assert!(matches!(busy, AgentError::DeviceBusy { session: Some(_), .. }), "{busy}");
    }
    assert!(asked.elapsed() < Duration::from_mins(2), "{:?}", asked.elapsed());
    let (second, ()) = tokio::join!(rig.agent.start(rig.task("Text Bob")), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        rig.phone.let_go();
    });
    assert_eq!(rig.ended(second.unwrap()).await.task, "Text Bob");
}

#[tokio::test(start_paused = true)]
async fn what_was_carried_out_before_the_stop_came_is_not_carried_out_again() {
    // Until a judge has spoken the run goes on, and whoever started it was told nothing.
    for stop in [false, true] {
        let rig = Rig::new([click(1), complete("done"), complete("once more")]);
        let late = ScriptedReply::Late(Duration::from_secs(20), "{}".to_owned());
        let rig = rig.judged([late.clone(), late]);
        let first = rig.begin().await;
        rig.script.is_asked(2).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(first.running());
        if stop {
            first.stop(StopReason::Cancelled);
        }
        let again = rig.agent.start(rig.task("Text Anna")).await.unwrap();
        assert_eq!(again.report().session_id, first.report().session_id, "stop: {stop}");
        assert_eq!(rig.ended(again).await.message, "done");
        assert_eq!(rig.phone.gestures(), ["CLICK 1,500"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_after_a_stop_in_the_queue_begins_anew() {
    let rig = Rig::new([ScriptedReply::Hangs, complete("done")]);
    let holds = rig.agent.start(rig.task("Text Bob")).await.unwrap();
    rig.script.is_asked(1).await;
    let waits = rig.agent.start(queued(&rig)).await.unwrap();
    waits.stop(StopReason::Cancelled);
    let again = rig.agent.start(queued(&rig)).await.unwrap();
    assert_ne!(again.report().session_id, waits.report().session_id);
    let session = holds.report().session_id;
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(rig.ended(again).await.message, "done");
    assert_eq!(rig.ended(waits).await.stop_reason, StopReason::Cancelled);
}
