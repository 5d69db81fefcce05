//! A call with an answer that comes once more, since its result got lost: it approves nothing that nobody was asked.
use std::future::pending;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::fakes::{Rig, click, complete, confirm, info, sensitive};
use crate::journal::AnswerSource;
use crate::{
    AgentError, ContinueTask, Follower, ReplyMode, Report, SessionId, StopReason, UserInput,
};

/// A call of a client that may be made again.
async fn call(rig: &Rig, session: SessionId, text: &str) -> Result<Follower, AgentError> {
    let next = rig.next(session, UserInput::Reply(text.to_owned()));
    rig.agent.resume_once(next, pending(), &CancellationToken::new()).await
}

/// A session whose first question a client was told.
async fn asked(rig: &Rig) -> SessionId {
    let asked = rig.run().await;
    rig.agent.note_question_told(&asked);
    asked.session_id
}

async fn ended_call(rig: &Rig, session: SessionId, text: &str) -> Report {
    let follower = call(rig, session, text).await.unwrap();
    rig.ended(follower).await
}

fn asks(report: &Report) -> &str {
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{report:?}");
    &report.question.as_ref().expect("it asks").text
}

fn pays() -> [crate::fakes::ScriptedReply; 4] {
    let (first, second) = (sensitive(100, "Pay 12?"), sensitive(900, "Pay 40?"));
    [first.clone(), first, second.clone(), second]
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_comes_again_is_none_to_a_question_that_nobody_was_told() {
    let rig = Rig::new(pays().into_iter().chain([complete("Paid.")]));
    let session = asked(&rig).await;
    assert_eq!(asks(&ended_call(&rig, session, "yes").await), "Pay 40?");
    assert_eq!(rig.phone.gestures().len(), 1);
    // The client was not told that.
    for _ in 0..2 {
        let again = ended_call(&rig, session, "yes").await;
        assert_eq!(asks(&again), "Pay 40?");
        assert_eq!(rig.answers(session).await.len(), 1, "nor was any result of these calls read");
    }
    let again = ended_call(&rig, session, "yes").await;
    rig.agent.note_question_told(&again);
    // Now it has been, so that the same words are meant.
    let paid = ended_call(&rig, session, "yes").await;
    assert_eq!(paid.message, "Paid.");
    assert_eq!(rig.phone.gestures().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_a_question_that_was_told_is_taken_at_once() {
    let rig = Rig::new(pays().into_iter().chain([complete("Paid.")]));
    let session = asked(&rig).await;
    let report = ended_call(&rig, session, "yes").await;
    rig.agent.note_question_told(&report);
    assert_eq!(ended_call(&rig, session, "yes").await.message, "Paid.");
}

#[tokio::test(start_paused = true)]
async fn a_name_that_comes_again_is_none_for_what_is_asked_next() {
    let lines = [info("Which Anna?"), info("What shall I write to her?"), complete("Sent.")];
    let rig = Rig::new(lines);
    let session = asked(&rig).await;
    ended_call(&rig, session, "Anna Berg").await;
    let again = ended_call(&rig, session, "Anna Berg").await;
    assert_eq!(asks(&again), "What shall I write to her?");
    assert_eq!(rig.answers(session).await.len(), 1);
    rig.agent.note_question_told(&again);
    // Whoever was told of the question may mean just that.
    assert_eq!(ended_call(&rig, session, "Anna Berg").await.message, "Sent.");
}

#[tokio::test(start_paused = true)]
async fn other_questions_and_who_makes_no_call_again_are_taken_at_once() {
    // A question that asks for no permission, in other words than the last answer's.
    let rig = Rig::new([confirm("Pay 12?"), info("Which card?"), complete("done")]);
    let session = asked(&rig).await;
    ended_call(&rig, session, "yes").await;
    assert_eq!(ended_call(&rig, session, "the blue one").await.message, "done");
    // A person at a terminal.
    let rig = Rig::new([confirm("Pay 12?"), confirm("Pay 40?"), complete("done")]);
    let session = asked(&rig).await;
    let yes = || UserInput::Reply("yes".to_owned());
    rig.go_on(session, yes()).await;
    assert_eq!(rig.go_on(session, yes()).await.message, "done");
}

/// What answers a question is no request: the call is made again, since its result got lost.
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_again_after_the_end_begins_nothing() {
    let rig = Rig::new([info("7:00 or 8:00?"), complete("Set."), complete("Another one.")]);
    let session = asked(&rig).await;
    assert_eq!(ended_call(&rig, session, "8:00").await.message, "Set.");
    let again = call(&rig, session, "8:00").await.unwrap();
    assert!(again.has_dropped_answer());
    assert_eq!(rig.ended(again).await.message, "Set.");
    // Other words are the next request, as before.
    assert_eq!(ended_call(&rig, session, "Now 9:00").await.message, "Another one.");
}

/// Also of an earlier run of the same request, which its step limit ended, and of advice.
#[tokio::test(start_paused = true)]
async fn what_was_said_to_the_whole_request_is_none_when_it_comes_again() {
    let rig = Rig::new([info("7:00 or 8:00?"), click(100), complete("Set."), complete("More.")]);
    let session = asked(&rig).await;
    let short =
        ContinueTask { max_steps: 1, ..rig.next(session, UserInput::Reply("8:00".to_owned())) };
    let follower =
        rig.agent.resume_once(short, pending(), &CancellationToken::new()).await.unwrap();
    assert_eq!(rig.ended(follower).await.stop_reason, StopReason::MaxStepsReached);
    assert_eq!(ended_call(&rig, session, "the short way").await.message, "Set.");
    for said in ["8:00", "the short way"] {
        let again = call(&rig, session, said).await.unwrap();
        assert!(again.has_dropped_answer(), "{said}");
        assert_eq!(rig.ended(again).await.message, "Set.");
    }
    assert_eq!(ended_call(&rig, session, "the long way").await.message, "More.");
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_it_is_asked_once_more_and_no_oftener() {
    let rig = Rig::new([confirm("Pay 12?"), confirm("Pay 40?")]);
    let session = asked(&rig).await;
    let report = ended_call(&rig, session, "yes").await;
    rig.agent.note_question_told(&report);
    let next = rig.restarted([complete("done")]);
    let again = ended_call(&next, session, "yes").await;
    assert_eq!(asks(&again), "Pay 40?");
    next.agent.note_question_told(&again);
    assert_eq!(ended_call(&next, session, "yes").await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_its_operator_is_told_no_yes_twice() {
    for through_another_server in [false, true] {
        let lines = [confirm("Pay 12?"), confirm("Pay 40?"), complete("done")];
        let rig = Rig::new(lines).answering(ReplyMode::ManualReply);
        let other = rig.beside([]);
        let by = if through_another_server { &other } else { &rig };
        let mut follower = rig.begin().await;
        let session = follower.report().session_id;
        let is_open = async |follower: &mut Follower, text: &str| {
            let is_asked =
                |it: &Follower| it.report().question.as_ref().is_some_and(|it| it.text == text);
            while !is_asked(follower) {
                assert!(follower.changed().await, "{text}");
            }
        };
        is_open(&mut follower, "Pay 12?").await;
        by.agent.note_question_told(&follower.report());
        call(by, session, "yes").await.unwrap();
        is_open(&mut follower, "Pay 40?").await;
        call(by, session, "yes").await.unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(follower.running(), "it still waits");
        by.agent.note_question_told(&follower.report());
        assert_eq!(rig.answers(session).await, [(AnswerSource::Manual, "yes".to_owned())]);
        call(by, session, "yes").await.unwrap();
        assert_eq!(rig.ended(follower).await.message, "done");
    }
}

#[tokio::test(start_paused = true)]
async fn no_words_are_leave_for_what_was_asked_after_the_callers_last_result() {
    // Another client has answered the question that this one means.
    let rig = Rig::new([info("Which card?"), confirm("Pay 40?"), complete("done")]);
    let session = asked(&rig).await;
    rig.go_on(session, UserInput::Reply("the blue one".to_owned())).await;
    for (said, is_told) in [("ok", false), ("ok", true)] {
        let report = ended_call(&rig, session, said).await;
        rig.agent.note_question_told(&report);
        let message = if is_told { "done" } else { "Pay 40?" };
        assert_eq!(report.message, message);
    }
    // After a restart nobody knows what clients were told: words that have answered nothing yet are taken.
    let rig = Rig::new([confirm("Pay 40?")]);
    let session = asked(&rig).await;
    let next = rig.restarted([complete("done")]);
    for _ in 0..1000 {
        next.journal.now().expect("it has a clock, which each look moves on");
    }
    // An agent that begins by then.
    let next = next.limited(|_| ());
    assert_eq!(ended_call(&next, session, "ok").await.message, "done");
}
