//! A client that follows a run in several calls learns how it has ended before anything goes on.
use std::future::pending;

use tokio_util::sync::CancellationToken;

use crate::fakes::{Rig, ScriptedReply, click, client, complete, info};
use crate::{
    ContinueTask, DeviceId, Principal, Report, SessionId, StartTask, StopReason, UserInput,
};

/// A call of a client with this to say.
async fn call(rig: &Rig, session: SessionId, input: UserInput) -> Report {
    resumed(rig, rig.next(session, input)).await
}

async fn resumed(rig: &Rig, next: ContinueTask) -> Report {
    let follower = rig.agent.resume_once(next, pending(), &CancellationToken::new()).await.unwrap();
    rig.ended(follower).await
}

/// What a client does that was told to follow a run.
async fn poll(rig: &Rig, session: SessionId) -> Report {
    call(rig, session, UserInput::Nothing).await
}

/// A session whose client was told that its run goes on, with the script's second answer still to come.
async fn followed(rig: &Rig) -> SessionId {
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    assert!(follower.running());
    rig.agent.note_followed(&follower.report(), &client(), None);
    follower.report().session_id
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_told_before_anything_goes_on() {
    for reason in [StopReason::Cancelled, StopReason::UserPaused] {
        let rig = Rig::new([click(1), ScriptedReply::Hangs, complete("done")]);
        let session = followed(&rig).await;
        rig.agent.stop(session, reason, &client()).await.unwrap();
        // A result that nobody has read tells nothing.
        for _ in 0..2 {
            assert_eq!(poll(&rig, session).await.stop_reason, reason);
        }
        let told = poll(&rig, session).await;
        rig.agent.note_followed(&told, &client(), None);
        assert_eq!(poll(&rig, session).await.message, "done");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_with_the_token_of_another_is_told_of_its_stop() {
    let rig = Rig::new([click(1), ScriptedReply::Hangs, complete("done")]);
    let session = followed(&rig).await;
    let stopped = rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    rig.agent.note_followed(&stopped, &client(), Some("another".to_owned()));
    assert_eq!(poll(&rig, session).await.stop_reason, StopReason::Cancelled);
    let other = ContinueTask {
        connection: Some("another".to_owned()),
        ..rig.next(session, UserInput::Nothing)
    };
    assert_eq!(resumed(&rig, other).await.message, "done", "it has been told");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_holds_is_not_taken_by_who_only_follows() {
    let rig = Rig::new([click(1), ScriptedReply::Hangs, complete("done")]);
    let session = followed(&rig).await;
    let summary = rig.agent.session_summary(session, &client()).await.unwrap();
    let device = DeviceId::new(&summary.device.device_id);
    let (_, hold) = rig.agent.take_in_hand(&device, Some(session), &client()).await.unwrap();
    let told = poll(&rig, session).await;
    assert_eq!(told.stop_reason, StopReason::UserPaused);
    rig.agent.keep_in_hand(&device, hold, &client()).await.expect("the person has it still");
}

#[tokio::test(start_paused = true)]
async fn a_step_limit_between_two_calls_is_told() {
    let rig = Rig::new([click(1), click(2), complete("done")]);
    let short = StartTask { max_steps: 1, ..rig.task("Tell Anna") };
    let follower = rig.agent.start(short).await.unwrap();
    let session = follower.report().session_id;
    rig.agent.note_followed(&follower.report(), &client(), None);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    let told = poll(&rig, session).await;
    assert_eq!(told.stop_reason, StopReason::MaxStepsReached);
    rig.agent.note_followed(&told, &client(), None);
    assert_eq!(poll(&rig, session).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn words_and_who_was_told_nothing_go_on_as_before() {
    let stopped = async || {
        let rig = Rig::new([click(1), ScriptedReply::Hangs, complete("done")]);
        let session = followed(&rig).await;
        rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
        (rig, session)
    };
    for input in
        [UserInput::Reply("the short way".to_owned()), UserInput::Task("Text Ben".to_owned())]
    {
        let (rig, session) = stopped().await;
        assert_eq!(call(&rig, session, input).await.message, "done");
    }
    // A person at a terminal.
    let (rig, session) = stopped().await;
    assert_eq!(rig.go_on(session, UserInput::Nothing).await.message, "done");
    // An operator, who has not followed it.
    let (rig, session) = stopped().await;
    let other =
        ContinueTask { principal: Principal::operator(), ..rig.next(session, UserInput::Nothing) };
    assert_eq!(resumed(&rig, other).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_question_and_a_success_are_told_once_more_as_before() {
    for last in [info("Which?"), complete("done")] {
        let rig = Rig::new([click(1), last]);
        let follower = rig.begin().await;
        rig.agent.note_followed(&follower.report(), &client(), None);
        let report = rig.ended(follower).await;
        let again = poll(&rig, report.session_id).await;
        assert_eq!((again.stop_reason, &again.message), (report.stop_reason, &report.message));
    }
}
