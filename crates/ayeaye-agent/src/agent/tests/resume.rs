//! The table of `ask_agent_continue`: four standings, and a dead process, by three sorts of words.
use std::sync::Arc;

use crate::device::DeviceInfo;
use crate::fakes::{Call, Fault, Rig, abort, click, client, complete, info, within};
use crate::journal::{Fact, ResumeReason};
use crate::{AgentError, ContinueTask, DeviceId, SessionId, StopReason, UserInput};

pub(super) fn reply() -> UserInput {
    UserInput::Reply("Anna B.".to_owned())
}

pub(super) fn task() -> UserInput {
    UserInput::Task("Text Bob".to_owned())
}

/// Numbers and requests of the rounds, and how each was closed.
async fn rounds(rig: &Rig, session: SessionId) -> Vec<String> {
    let events = rig.events(session).await;
    let round = |event: &crate::journal::Event| {
        let number = event.entry.round.unwrap_or_default();
        match &event.entry.fact {
            Fact::RoundStart { request } => Some(format!("{number} {request}")),
            Fact::RoundEnd(end) => Some(format!("{number} {}", end.status)),
            _ => None,
        }
    };
    events.iter().filter_map(round).collect()
}

async fn why(rig: &Rig, session: SessionId) -> Vec<ResumeReason> {
    let why = |fact: &Fact| match fact {
        Fact::SessionResume(resume) => resume.why.known(),
        _ => None,
    };
    rig.facts(session, why).await
}

#[tokio::test(start_paused = true)]
async fn a_reply_answers_a_question_and_the_round_goes_on() {
    let rig = Rig::new([info("Which?"), complete("done")]);
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, reply()).await;
    assert_eq!(report.message, "done");
    assert_eq!(rounds(&rig, session).await, ["0 Text Anna", "0 FINISH"]);
    assert_eq!(why(&rig, session).await, [ResumeReason::Reply]);
}

#[tokio::test(start_paused = true)]
async fn a_task_drops_a_question_and_opens_the_next_round() {
    let rig = Rig::new([info("Which?"), complete("done")]);
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, task()).await;
    assert_eq!((report.task.as_str(), report.question), ("Text Bob", None));
    assert_eq!(rounds(&rig, session).await, ["0 Text Anna", "0 DROPPED", "1 Text Bob", "1 FINISH"]);
    assert_eq!(rig.script.last().request, "Text Bob");
}

#[tokio::test(start_paused = true)]
async fn the_request_that_was_taken_up_is_told_before_its_first_step() {
    let rig = Rig::new([complete("one"), complete("two")]);
    let session = rig.run().await.session_id;
    let follower = rig.resume(session, task()).await.unwrap();
    let begun = follower.report();
    assert_eq!((begun.task.as_str(), begun.stop_reason), ("Text Bob", StopReason::StillRunning));
    assert_eq!((begun.final_action.as_ref(), begun.local_steps), (None, 0));
    rig.ended(follower).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_put_again_when_nothing_is_said() {
    let rig = Rig::new([info("Which?")]);
    let asked = rig.run().await;
    let recorded = rig.events(asked.session_id).await;
    let again = rig.go_on(asked.session_id, UserInput::Nothing).await;
    assert_eq!(again, asked);
    assert_eq!(rig.events(asked.session_id).await, recorded, "asking leaves no trace");
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_a_session_that_stopped_short_is_guidance_for_its_round() {
    let rig = Rig::new([click(1), complete("done")]).steps(1);
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, reply()).await;
    assert_eq!(report.message, "done");
    assert_eq!(rounds(&rig, session).await, ["0 Text Anna", "0 FINISH"]);
    assert_eq!(why(&rig, session).await, [ResumeReason::Guidance]);
    let history = rig.script.last().past_in_words();
    assert_eq!(history, ["? Text Anna", "CLICK 1,500", "! Anna B."]);
}

#[tokio::test(start_paused = true)]
async fn a_task_to_a_session_that_stopped_short_opens_the_next_round() {
    let rig = Rig::new([click(1), complete("done")]).steps(1);
    let session = rig.run().await.session_id;
    rig.go_on(session, task()).await;
    assert_eq!(rounds(&rig, session).await, ["0 Text Anna", "0 DROPPED", "1 Text Bob", "1 FINISH"]);
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500"], "a session is reset once");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_stopped_short_goes_on_when_nothing_is_said() {
    let rig = Rig::new([click(1), complete("done")]).steps(1);
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
    assert_eq!(rounds(&rig, session).await, ["0 Text Anna", "0 FINISH"]);
    assert_eq!(why(&rig, session).await, [ResumeReason::GoOn]);
}

#[tokio::test(start_paused = true)]
async fn any_words_to_an_ended_session_open_the_next_round() {
    for (end, status) in [(complete("one"), "FINISH"), (abort("no such app"), "FAIL")] {
        for words in [UserInput::Reply("Text Bob".to_owned()), task()] {
            let rig = Rig::new([end.clone(), complete("two")]);
            let session = rig.run().await.session_id;
            let report = rig.go_on(session, words).await;
            assert_eq!((report.task.as_str(), report.message.as_str()), ("Text Bob", "two"));
            assert_eq!(
                rounds(&rig, session).await,
                ["0 Text Anna", &format!("0 {status}"), "1 Text Bob", "1 FINISH"]
            );
            assert_eq!(rig.phone.sent(), ["RESET"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_result_is_told_again_when_nothing_is_said() {
    let rig = Rig::new([abort("no such app")]);
    let ended = rig.run().await;
    assert_eq!(ended.stop_reason, StopReason::TaskAbortedByAgent);
    assert_eq!(rig.go_on(ended.session_id, UserInput::Nothing).await, ended);
}

#[tokio::test(start_paused = true)]
async fn a_running_session_takes_guidance_or_is_followed_but_takes_no_task() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    let err = rig.resume(session, task()).await.unwrap_err();
    assert!(matches!(err, AgentError::SessionBusy(id) if id == session), "{err}");
    let followed = rig.resume(session, UserInput::Nothing).await.unwrap();
    let advised = rig.resume(session, reply()).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(rig.ended(followed).await, report);
    assert_eq!(rig.ended(advised).await, report);
    assert_eq!(why(&rig, session).await, [], "one run");
    assert_eq!(rig.script.last().past_in_words().pop().unwrap(), "! Anna B.");
}

#[tokio::test(start_paused = true)]
async fn a_session_does_not_go_on_with_another_phone_at_its_address() {
    let phones = [
        ("Redmi 12", "F7", "the model Redmi 12"),
        ("Redmi 12", "R1", "the model Redmi 12"),
        ("Fake 7", "F8", "another phone of that model"),
    ];
    for (model, serial_number, is_now) in phones {
        let rig = Rig::new([info("Which?"), complete("done")]);
        let session = rig.run().await.session_id;
        rig.phone.is_replaced_by(model, serial_number);
        let refused = rig.resume(session, reply()).await.unwrap_err().to_string();
        let told = format!(
            "session {session} began on another phone: phone-1 was the model Fake 7, and is {is_now} now"
        );
        assert_eq!(refused, told);
        // Nothing is lost: the question waits for the phone.
        rig.phone.is_replaced_by("Fake 7", "F7");
        assert_eq!(rig.go_on(session, reply()).await.message, "done");
    }
}

/// A phone that does not tell, and a record of before.
#[tokio::test(start_paused = true)]
async fn what_is_not_known_of_a_phone_does_not_make_it_another() {
    let rig = Rig::new([info("Which?"), complete("done")]);
    rig.phone.is_replaced_by(DeviceInfo::UNKNOWN, "F7");
    let session = rig.run().await.session_id;
    rig.phone.is_replaced_by("Fake 7", "F7");
    assert_eq!(rig.go_on(session, reply()).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_session_stays_on_its_phone() {
    let rig = Rig::new([click(1), complete("")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    let elsewhere = |words| ContinueTask {
        device_id: Some(DeviceId::new("phone-2")),
        ..rig.next(session, words)
    };
    for moment in ["while it runs", "afterwards"] {
        let err = rig.agent.resume(elsewhere(UserInput::Nothing)).await.unwrap_err();
        assert_eq!(
            err.to_string(),
            format!("session {session} belongs to device phone-1, not to phone-2"),
            "{moment}"
        );
        rig.ended(follower.clone()).await;
    }
    let here = ContinueTask {
        device_id: Some(DeviceId::new("phone-1")),
        ..rig.next(session, UserInput::Nothing)
    };
    assert!(rig.agent.resume(here).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_session_nobody_knows_is_named() {
    let rig = Rig::new([]);
    let session = SessionId::new();
    for words in [reply(), task(), UserInput::Nothing] {
        let err = rig.resume(session, words).await.unwrap_err();
        assert!(matches!(err, AgentError::UnknownSession(id) if id == session), "{err}");
    }
    assert!(matches!(
        rig.agent.report(session, &client()).await,
        Err(AgentError::UnknownSession(_))
    ));
    let stopped = rig.agent.stop(session, StopReason::Cancelled, &client()).await;
    assert!(matches!(stopped, Err(AgentError::UnknownSession(_))));
}

#[tokio::test(start_paused = true)]
async fn a_repeated_start_is_told_from_a_round_of_that_session() {
    let rig = Rig::new([complete("one"), click(1), complete("two")]);
    let session = rig.run().await.session_id;
    let next = rig.resume(session, task()).await.unwrap();
    // The same client asks for the first task again: that is not what the session does now.
    let err = rig.agent.start(rig.task("Text Anna")).await.unwrap_err();
    assert!(
        matches!(err, AgentError::DeviceBusy { session: id, .. } if id == Some(session)),
        "{err}"
    );
    let same = rig.agent.start(rig.task("Text Bob")).await.unwrap();
    assert_eq!(same.report().session_id, session);
    rig.ended(next).await;
}

/// A session that has come to rest, whose phone is asked for, and does not answer, so that it goes on with this.
pub(super) async fn with_silent_phone(
    rig: &Arc<Rig>,
    words: UserInput,
) -> (crate::Report, tokio::task::JoinHandle<Result<crate::Follower, AgentError>>) {
    let rested = rig.run().await;
    // By somebody else than its owner, who sees it all the while.
    let next = rig.next(rested.session_id, words);
    let next = ContinueTask { principal: crate::Principal::operator(), ..next };
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Hang);
    let resuming = rig.clone();
    let going_on = tokio::spawn(async move { resuming.agent.resume(next).await });
    rig.phone.gets(Call::InProgress, 2).await;
    (rested, going_on)
}

#[tokio::test(start_paused = true)]
async fn a_session_is_read_while_its_phone_does_not_answer_and_is_followed_from_then_on() {
    let rig = Arc::new(Rig::new([complete("one"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, task()).await;
    let id = rested.session_id;
    let report = within(rig.agent.report(id, &client())).await.unwrap();
    assert_eq!(report.stop_reason, StopReason::StillRunning);
    assert_eq!((report.global_steps, report.local_steps), (rested.global_steps, 0));
    let second = tokio::spawn({
        let (rig, next) = (rig.clone(), rig.next(id, UserInput::Nothing));
        async move { rig.agent.resume(next).await }
    });
    let other = rig.beside([complete("other")]);
    within(other.agent.report(id, &client())).await.unwrap();
    rig.phone.let_go();
    going_on.await.unwrap().unwrap();
    let followed = rig.ended(second.await.unwrap().unwrap()).await;
    assert_eq!(followed.message, "two", "it is not told how the session stood before");
}

#[tokio::test(start_paused = true)]
async fn a_session_is_stopped_while_its_phone_does_not_answer() {
    for (first, words) in [(complete("one"), task()), (info("Which Anna?"), reply())] {
        let rig = Arc::new(Rig::new([first, complete("two")]));
        let (rested, going_on) = with_silent_phone(&rig, words).await;
        let id = rested.session_id;
        let stopped = within(rig.agent.stop(id, StopReason::Cancelled, &client())).await.unwrap();
        assert_eq!(stopped, rested, "nothing has happened in it");
        let err = going_on.await.unwrap().unwrap_err();
        assert!(matches!(err, AgentError::StoppedBefore(it) if it == id), "{err}");
        rig.phone.let_go();
        assert_eq!(rig.go_on(id, task()).await.message, "two");
        assert_eq!(rig.script.prompts().len(), 2, "what was stopped has asked no model");
    }
}
