//! What is said while nothing has begun yet, since the phone is still asked for.
use std::future::pending;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::resume::{reply, task, with_silent_phone};
use crate::fakes::{Call, Fault, Rig, client, complete, info, within};
use crate::journal::AnswerSource;
use crate::{AgentError, DeviceId, DeviceNames, StartTask, StopReason, UserInput};

#[tokio::test(start_paused = true)]
async fn a_run_whose_question_is_being_answered_is_stopped_before_the_answer_is_passed_on() {
    let rig = Arc::new(Rig::new([info("Which Anna?"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, reply()).await;
    let (id, agent, me) = (rested.session_id, &rig.agent, client());
    let status = within(agent.run_status(id, 0, true, &me)).await.unwrap();
    assert_eq!(status.report.stop_reason, StopReason::StillRunning, "it asks nobody any more");
    assert!(!status.superseded);
    let status = within(agent.run_status(id, 0, false, &me)).await.unwrap();
    assert_eq!(status.report, rested, "without its answers it has come to rest");
    assert!(!within(agent.stop_run(id, 0, false, &me)).await.unwrap());
    assert!(!going_on.is_finished());
    assert!(!within(agent.stop_run(id, 0, true, &me)).await.unwrap(), "nothing runs any more");
    let err = going_on.await.unwrap().unwrap_err();
    assert!(matches!(err, AgentError::StoppedBefore(it) if it == id), "{err}");
    assert_eq!(within(agent.run_status(id, 0, true, &me)).await.unwrap().report, rested);
    rig.phone.let_go();
    assert_eq!(rig.go_on(id, reply()).await.message, "two");
}

#[tokio::test(start_paused = true)]
async fn who_stops_a_run_that_asked_stops_no_other_task_that_the_session_goes_on_with() {
    let rig = Arc::new(Rig::new([info("Which Anna?"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, task()).await;
    let stopped = within(rig.agent.stop_run(rested.session_id, 0, true, &client())).await;
    assert!(!stopped.unwrap());
    rig.phone.let_go();
    let follower = going_on.await.unwrap().unwrap();
    assert_eq!(rig.ended(follower).await.message, "two");
}

/// The phone answers again only after the second call has come.
#[tokio::test(start_paused = true)]
async fn a_start_after_one_that_was_withdrawn_begins_anew_whether_the_same_or_another() {
    for (queue, second) in [(false, "Text Anna"), (true, "Text Anna"), (false, "Text Bob")] {
        let rig = Rig::new([complete("done")]);
        rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
        let withdrawn = CancellationToken::new();
        let start = |task| StartTask { queue, ..rig.task(task) };
        let (first, second) =
            tokio::join!(rig.agent.start_unless(start("Text Anna"), &withdrawn), async {
                rig.phone.gets(Call::InProgress, 1).await;
                withdrawn.cancel();
                within(rig.agent.start(start(second))).await
            });
        assert!(matches!(first, Err(AgentError::StoppedBefore(_))), "{first:?}");
        rig.phone.let_go();
        assert_eq!(rig.ended(second.unwrap()).await.message, "done", "queue: {queue}");
        assert_eq!(rig.journal.list().await.unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_withdrawn_leaves_nothing() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
    let withdrawn = CancellationToken::new();
    let (first, ()) =
        tokio::join!(within(rig.agent.start_unless(rig.task("Text Anna"), &withdrawn)), async {
            rig.phone.gets(Call::InProgress, 1).await;
            withdrawn.cancel();
        });
    assert!(matches!(first, Err(AgentError::StoppedBefore(_))), "{first:?}");
    rig.phone.let_go();
    assert_eq!(rig.journal.list().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_withdrawn_is_not_used_up() {
    for second in ["Anna Bauer", "Anna Berg"] {
        let rig = Rig::new([info("Which Anna?"), complete("Sent.")]);
        let asked = rig.run().await;
        rig.agent.note_question_told(&asked);
        let id = asked.session_id;
        let next = |text: &str| rig.next(id, UserInput::Reply(text.to_owned()));
        rig.phone.breaks(Call::InProgress, 2..=2, Fault::Hang);
        let (withdrawn, kept) = (CancellationToken::new(), CancellationToken::new());
        let (first, ()) = tokio::join!(
            within(rig.agent.resume_once(next("Anna Bauer"), pending(), &withdrawn)),
            async {
                rig.phone.gets(Call::InProgress, 2).await;
                withdrawn.cancel();
            }
        );
        assert!(matches!(first, Err(AgentError::StoppedBefore(it)) if it == id), "{first:?}");
        assert_eq!(rig.agent.report(id, &client()).await.unwrap(), asked, "it asks as before");
        let again = within(rig.agent.resume_once(next(second), pending(), &kept)).await.unwrap();
        assert!(!again.has_become_advice() && !again.has_dropped_answer());
        assert_eq!(rig.ended(again).await.message, "Sent.");
        assert_eq!(rig.answers(id).await, [(AnswerSource::Client, second.to_owned())]);
        rig.phone.let_go();
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_withdrawn_begins_nothing_however_late_it_was() {
    let rig = Rig::new([info("Which Anna?"), complete("Sent.")]);
    let id = rig.run().await.session_id;
    let withdrawn = CancellationToken::new();
    withdrawn.cancel();
    let late = rig.agent.resume_once(rig.next(id, reply()), pending(), &withdrawn).await;
    assert!(matches!(late, Err(AgentError::StoppedBefore(it)) if it == id), "{late:?}");
    let late = rig.agent.start_unless(rig.task("Text Bob"), &withdrawn).await;
    assert!(matches!(late, Err(AgentError::StoppedBefore(_))), "{late:?}");
    assert_eq!(rig.go_on(id, reply()).await.message, "Sent.");
}

#[tokio::test(start_paused = true)]
async fn who_stops_a_new_session_that_is_about_to_begin_is_told_that_it_never_did() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
    let start = rig.task("Text Anna");
    let (started, stopped) = tokio::join!(within(rig.agent.start(start)), async {
        rig.phone.gets(Call::InProgress, 1).await;
        let names = DeviceNames::only(DeviceId::new("phone-1"));
        // As the refusal of another start names it.
        let id = rig.agent.runs.device_holder(&names).unwrap();
        (id, within(rig.agent.stop(id, StopReason::Cancelled, &client())).await)
    });
    let (id, stopped) = stopped;
    assert!(matches!(started, Err(AgentError::StoppedBefore(it)) if it == id), "{started:?}");
    assert!(matches!(stopped, Err(AgentError::StoppedBefore(it)) if it == id), "{stopped:?}");
    rig.phone.let_go();
    assert_eq!(rig.journal.list().await.unwrap(), []);
}
