//! What is left for a session: whom it reaches, and what is dropped.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::crash::process;
use crate::coordinator::{InboxMessage, InboxMessageBody, UserReply};
use crate::fakes::{
    Rig, ScriptedModel, ScriptedReply, click, client, complete, confirm, info, types,
};
use crate::gate::PolicyProfile;
use crate::journal::{AnswerSource, Fact, NoteKind};
use crate::{AgentError, ReplyMode, SessionId, StopReason, UserInput};

fn reply(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

fn task(text: &str) -> UserInput {
    UserInput::Task(text.to_owned())
}

async fn dropped(rig: &Rig, session: SessionId) -> usize {
    let is_it = |fact: &Fact| match fact {
        Fact::Note { kind, .. } if *kind == NoteKind::MessageDropped => Some(()),
        _ => None,
    };
    rig.facts(session, is_it).await.len()
}

async fn inbox(rig: &Rig, session: SessionId) -> Vec<InboxMessage> {
    rig.agent.deps.coordinator.inbox(session).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_left_for_an_earlier_request_is_none_of_the_next() {
    let rig = Rig::new([info("What is the password of Nimbus?"), complete("done")]);
    let session = rig.run().await.session_id;
    rig.post_answer(session, "sesameopen").await;
    let report = rig.go_on(session, task("Open the notes")).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.answers(session).await, []);
    assert_eq!(dropped(&rig, session).await, 1);
    assert_eq!(rig.session(session).await.acts.words, ["Open the notes"]);
    assert_eq!(rig.files_with("sesameopen"), [""; 0]);
    assert!(!format!("{:?}", rig.script.prompts()).contains("sesameopen"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_that_is_given_up_goes_with_it() {
    let rig = Rig::new([info("Which note?"), complete("done")]);
    let session = rig.run().await.session_id;
    rig.post_answer(session, "Delete the note.").await;
    rig.agent.end_task(session, &client()).await.unwrap();
    assert_eq!((dropped(&rig, session).await, inbox(&rig, session).await), (1, Vec::new()));
    rig.go_on(session, task("Open the notes")).await;
    assert_eq!(rig.answers(session).await, []);
}

#[tokio::test(start_paused = true)]
async fn advice_that_a_dead_run_has_not_read_is_no_part_of_another_request() {
    for (next, taken) in [(UserInput::Nothing, 1), (task("Open the notes"), 0)] {
        let rig = Rig::new([ScriptedReply::Hangs]);
        let follower = rig.begin().await;
        let session = follower.report().session_id;
        rig.script.is_asked(1).await;
        rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
        let body = UserReply { text: "the blue one".to_owned(), question: None, secret: false };
        let message = InboxMessage::new(InboxMessageBody::Reply(body));
        rig.agent.deps.coordinator.send(session, &message, None).await.unwrap();
        rig.script.adds([complete("done")]);
        rig.go_on(session, next).await;
        let counts = (rig.answers(session).await.len(), dropped(&rig, session).await);
        assert_eq!(counts, (taken, 1 - taken));
        assert_eq!(inbox(&rig, session).await, []);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_said_without_a_question_in_sight_is_no_yes_to_it() {
    let rig = Rig::new([confirm("Pay 40?"), complete("done")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    let session = follower.report().session_id;
    while follower.report().question.is_none() {
        assert!(follower.changed().await);
    }
    // As it is sent by a client that was told of no question yet.
    let body = UserReply { text: "yes".to_owned(), question: None, secret: false };
    let message = InboxMessage::new(InboxMessageBody::Reply(body));
    rig.agent.deps.coordinator.send(session, &message, None).await.unwrap();
    while inbox(&rig, session).await.contains(&message) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(follower.running() && follower.report().question.is_some(), "it still waits");
    rig.resume(session, reply("no")).await.unwrap();
    rig.ended(follower).await;
    let said = [(AnswerSource::Guidance, "yes"), (AnswerSource::Manual, "no")];
    assert_eq!(rig.answers(session).await, said.map(|(by, it)| (by, it.to_owned())));
}

#[test]
fn giving_up_after_a_crash_ends_the_open_step() {
    let rig = Rig::new([info("Which note?")]).answering(ReplyMode::ManualReply);
    let dead = process();
    let session = dead.block_on(async {
        let mut follower = rig.begin().await;
        while follower.report().question.is_none() {
            assert!(follower.changed().await);
        }
        follower.report().session_id
    });
    drop(dead);
    let next = rig.restarted([]);
    process().block_on(async {
        next.agent.end_task(session, &client()).await.unwrap();
        super::crash::all_is_closed(&next.events(session).await);
        let order = |fact: &Fact| match fact {
            Fact::StepEnd(_) => Some("step"),
            Fact::SessionEnd(_) => Some("session"),
            _ => None,
        };
        assert_eq!(next.facts(session, order).await, ["step", "session", "session"]);
    });
}

/// A call with this policy that says nothing else.
async fn narrows(rig: &Rig, session: SessionId, words: UserInput) -> crate::Report {
    let next = rig.next(session, words);
    let next = crate::ContinueTask { policy: Some(PolicyProfile::ReadOnly), ..next };
    let follower = rig.agent.resume(next).await.unwrap();
    (*follower.report()).clone()
}

/// The errors of the steps of another task that types.
async fn then_types(rig: &Rig, session: SessionId, words: UserInput) -> Option<String> {
    rig.script.adds([types("hello", None), complete("typed")]);
    let report = rig.go_on(session, words).await;
    report.steps.iter().find(|it| it.action.function == "TYPE").expect("it types").error.clone()
}

#[tokio::test(start_paused = true)]
async fn a_policy_holds_from_then_on_whatever_the_session_was_doing() {
    // It has ended.
    let rig = Rig::new([complete("done")]);
    let session = rig.run().await.session_id;
    narrows(&rig, session, UserInput::Nothing).await;
    let rig = rig.restarted([]);
    assert!(then_types(&rig, session, task("Type")).await.is_some());
    // It waits for an answer.
    let rig = Rig::new([info("Which?")]);
    let session = rig.run().await.session_id;
    narrows(&rig, session, UserInput::Nothing).await;
    assert!(then_types(&rig, session, reply("the blue one")).await.is_some());
    // It runs, here or elsewhere, and is only followed, or advised.
    for elsewhere in [false, true] {
        for words in [UserInput::Nothing, reply("the blue one")] {
            let rig = Rig::new([click(1)]);
            rig.script.adds([types("hello", None), complete("typed")]);
            let other = rig.beside([]);
            let by = if elsewhere { &other } else { &rig };
            let follower = rig.begin().await;
            rig.script.is_asked(1).await;
            narrows(by, follower.report().session_id, words).await;
            let report = rig.ended(follower).await;
            let errors: Vec<_> = report.steps.iter().map(|it| it.error.is_some()).collect();
            assert_eq!(errors, [false, true, false], "{report:?}");
            let policy = rig.session(report.session_id).await.policy.clone();
            assert_eq!(policy, ["read-only"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_was_left_holds_for_the_clients_own_acts() {
    let rig = Rig::new([complete("done")]);
    let session = rig.run().await.session_id;
    narrows(&rig, session, UserInput::Nothing).await;
    let text = "hello".to_owned();
    let gesture = crate::Gesture::Type { text, point: None, clear: false, submit: false };
    let act = crate::DirectAction {
        device_id: crate::DeviceId::new("phone-1"),
        session_id: Some(session),
        gesture,
        reason: String::new(),
        secret: false,
        agreed: crate::Agreed::Nothing,
        by_hand: false,
        principal: client(),
    };
    let mut acting = rig.agent.act(act).await.unwrap();
    acting.finished().await;
    let outcome = &acting.result().expect("it is recorded").outcome;
    assert!(matches!(outcome, crate::DirectOutcome::Refused(..)), "{outcome:?}");
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_full_inbox_still_takes_the_word_to_stop() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let other = rig.beside([]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    for _ in 0..crate::coordinator::MOST_MESSAGES {
        rig.resume(session, reply("faster")).await.unwrap();
    }
    let stopped = other.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(stopped.stop_reason, StopReason::Cancelled);
    rig.ended(follower).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_said_after_the_last_decision_is_told_as_too_late() {
    let writer = Arc::new(ScriptedModel::named("writer", b"", [ScriptedReply::Hangs]));
    let rig = Rig::new([complete("Sent.")]).modelled(|it| it.caption = Some(writer.clone()));
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    // The run has decided, and waits for the caption of its last screen.
    tokio::time::sleep(Duration::from_secs(5)).await;
    rig.resume(session, reply("the blue one")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert!(report.message.starts_with("Sent."), "{}", report.message);
    assert!(report.message.contains("too late"), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_run_is_waited_for_no_longer_than_the_call() {
    let judge = Arc::new(ScriptedModel::new([ScriptedReply::Hangs, ScriptedReply::Hangs]));
    let rig = Rig::new([complete("Sent.")]).judged_by(judge.clone());
    let other = rig.beside([]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    judge.is_asked(1).await;
    for by in [&rig, &other] {
        let asked = Instant::now();
        let given_up = tokio::time::sleep(Duration::from_secs(3));
        let next = by.next(session, reply("the blue one"));
        let err =
            by.agent.resume_once(next, given_up, &CancellationToken::new()).await.unwrap_err();
        assert!(matches!(err, AgentError::SessionEnding(id) if id == session), "{err}");
        assert_eq!(asked.elapsed().as_secs(), 3);
    }
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    rig.ended(follower).await;
    assert_eq!(rig.session(session).await.round, 0, "nothing was begun with it");
}

#[tokio::test(start_paused = true)]
async fn the_operators_time_is_not_the_runs() {
    let rig = Rig::new([info("Which?"), click(1), complete("done")]);
    let rig = rig.answering(ReplyMode::ManualReply);
    let rig = rig.limited(|limits| limits.run_time = Duration::from_mins(1));
    let mut follower = rig.begin().await;
    let session = follower.report().session_id;
    while follower.report().question.is_none() {
        assert!(follower.changed().await);
    }
    tokio::time::sleep(Duration::from_mins(5)).await;
    rig.resume(session, reply("the blue one")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_said_to_a_task_in_its_queue_is_kept_for_its_next_run() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let first = rig.begin().await;
    rig.script.is_asked(1).await;
    let queued = crate::StartTask { queue: true, ..rig.task("Sign in") };
    let follower = rig.agent.start(queued).await.unwrap();
    let session = follower.report().session_id;
    let next = rig.next(session, reply("the pin is 4711-x"));
    rig.agent.resume(crate::ContinueTask { reply_is_secret: true, ..next }).await.unwrap();
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    rig.agent.stop(first.report().session_id, StopReason::Cancelled, &client()).await.unwrap();
    rig.script.adds([complete("done")]);
    rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(rig.answers(session).await.len(), 1);
    assert_eq!(rig.files_with("4711-x"), [""; 0]);
}
