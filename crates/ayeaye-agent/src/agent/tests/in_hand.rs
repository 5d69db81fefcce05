//! A person takes a phone in hand, and a question is given up.
use std::fs::{self, File};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::super::registry::LeaseRequest;
use super::direct::{act, tap};
use super::same_screen::after;
use crate::fakes::{Call, Fault, Rig, ScriptedReply, client, complete, info, within};
use crate::journal::{Fact, RoundStatus};
use crate::{
    ActedBy, AgentError, DeviceHolder, DeviceId, DirectAction, Follower, HOLD_LASTS, HoldId,
    Principal, SessionId, StartTask, StopReason, UserInput,
};

fn phone() -> DeviceId {
    DeviceId::new("phone-1")
}

async fn take(rig: &Rig, session: Option<SessionId>) -> (SessionId, HoldId) {
    rig.agent.take_in_hand(&phone(), session, &client()).await.unwrap()
}

async fn holder(rig: &Rig) -> DeviceHolder {
    rig.agent.device_holder(&phone(), &client()).await
}

/// A task that waits for the phone.
async fn queued(rig: &Rig, task: &str) -> Follower {
    let start = StartTask { queue: true, ..rig.task(task) };
    let follower = rig.agent.start(start).await.unwrap();
    assert!(follower.update().line.contains("place 1 in its queue"), "{}", follower.update().line);
    follower
}

/// What must not happen has had time to.
async fn nothing_more(rig: &Rig, asked: usize) {
    sleep(Duration::from_secs(20)).await;
    assert_eq!(rig.script.prompts().len(), asked);
}

fn by_hand(act: DirectAction) -> DirectAction {
    DirectAction { by_hand: true, ..act }
}

#[tokio::test(start_paused = true)]
async fn a_phone_in_hand_stays_the_persons_while_a_task_waits_for_it() {
    for through_another_server in [false, true] {
        let rig = Rig::new([ScriptedReply::Hangs, complete("first"), complete("second")]);
        let other = rig.beside([]);
        let person = if through_another_server { &other } else { &rig };
        let first = rig.begin().await.report().session_id;
        rig.script.is_asked(1).await;
        let second = queued(&rig, "the next").await;
        let (session, hold) = take(person, Some(first)).await;
        assert_eq!(session, first);
        let report = rig.agent.report(first, &client()).await.unwrap();
        assert_eq!(report.stop_reason, StopReason::UserPaused);
        nothing_more(&rig, 1).await;
        assert!(second.running());
        assert_eq!(holder(&rig).await, DeviceHolder::Person);
        for chosen in [None, Some(first)] {
            let refused = rig.agent.act(tap(300, chosen)).await.map(drop);
            assert!(matches!(refused, Err(AgentError::DeviceInHand { .. })), "{refused:?}");
        }
        let done = act(&person.agent, by_hand(tap(300, Some(first)))).await;
        assert_eq!(done.session_id, first);
        let paused = person.agent.report(first, &client()).await.unwrap();
        assert!(paused.message.starts_with("a person acts on the phone"), "{}", paused.message);
        let who = ActedBy::of_end(paused.stop_reason, &paused.message);
        assert_eq!(who, Some(ActedBy::Person));
        nothing_more(&rig, 1).await;
        // Handed back, the first goes on, and the second has its turn after it.
        let report = rig.go_on(first, UserInput::Nothing).await;
        assert_eq!(report.message, "first");
        let report = rig.ended(second).await;
        assert_eq!(report.message, "second");
        let kept = person.agent.keep_in_hand(&phone(), hold, &client()).await;
        assert!(matches!(kept, Err(AgentError::NotInHand { .. })), "{kept:?}");
        assert_eq!(holder(&rig).await, DeviceHolder::Free);
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_somebody_else_keeps_to_the_end_has_an_act_refused() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let other = Principal::new("other");
    let act_of = async |who: &Principal| rig.agent.until_act_is_free(&phone(), who).await;
    assert!(act_of(&other).await.is_ok());
    let (_, hold) = take(&rig, None).await;
    for who in [&client(), &other] {
        let refused = act_of(who).await;
        assert!(matches!(refused, Err(AgentError::DeviceInHand { .. })), "{refused:?}");
    }
    rig.agent.give_back(&phone(), hold, &client()).await;
    let running = rig.begin().await;
    let waits = queued(&rig, "the next").await;
    assert!(act_of(&client()).await.is_ok());
    let refused = act_of(&other).await;
    assert!(matches!(refused, Err(AgentError::DeviceBusy { session: None, .. })), "{refused:?}");
    for session in [waits.report().session_id, running.report().session_id] {
        rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    }
    assert!(act_of(&other).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_act_of_somebody_here_is_waited_for_to_its_end_and_one_of_another_server_for_half_a_minute()
 {
    const LONG: Duration = Duration::from_mins(5);
    let rig = Rig::new([]);
    let there = rig.beside([]);
    let other = Principal::new("other");
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let mut acting = rig.agent.act(tap(100, None)).await.unwrap();
    rig.phone.gets(Call::Perform, 1).await;
    let refused = timeout(LONG, there.agent.until_act_is_free(&phone(), &other)).await.unwrap();
    assert!(matches!(refused, Err(AgentError::DeviceBusy { session: None, .. })), "{refused:?}");
    let device = phone();
    let mut waits = Box::pin(rig.agent.until_act_is_free(&device, &other));
    assert!(timeout(LONG, &mut waits).await.is_err(), "as long as it takes");
    rig.phone.let_go();
    within(acting.finished()).await;
    within(waits).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_task_for_a_phone_in_a_persons_hand_is_refused_or_waits() {
    let rig = Rig::new([complete("done")]);
    let (session, hold) = take(&rig, None).await;
    let refused = rig.agent.start(rig.task("Text Anna")).await;
    let Err(refused) = refused else { panic!("it has begun") };
    assert_eq!(refused.to_string(), "device phone-1 is busy: a person is driving it by hand");
    assert!(rig.phone.sent().is_empty(), "nothing is reset");
    let waits = queued(&rig, "Text Anna").await;
    // Their acts have a session of their own, which begins with the first of them.
    for x in [100, 200] {
        assert_eq!(act(&rig.agent, by_hand(tap(x, None))).await.session_id, session);
    }
    // Those of their clients have to wait, in whichever session.
    for chosen in [None, Some(session)] {
        let refused = rig.agent.act(tap(300, chosen)).await.map(drop);
        assert!(matches!(refused, Err(AgentError::DeviceInHand { .. })), "{refused:?}");
    }
    nothing_more(&rig, 0).await;
    let someone = Principal::new("somebody else");
    rig.agent.give_back(&phone(), hold, &someone).await;
    assert!(waits.running(), "only whoever has it gives it back");
    rig.agent.give_back(&phone(), hold, &client()).await;
    assert_eq!(rig.ended(waits).await.message, "done");
    let after = act(&rig.agent, tap(300, None)).await;
    assert_ne!(after.session_id, session, "the task came between");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_another_task_has_cannot_be_taken() {
    let rig = Rig::new([ScriptedReply::Hangs, info("Which?"), complete("")]);
    let asks = rig.begin().await;
    rig.script.is_asked(1).await;
    rig.agent.stop(asks.report().session_id, StopReason::Cancelled, &client()).await.unwrap();
    let asked = rig.run_task("ask").await.session_id;
    let other = rig.beside([ScriptedReply::Hangs]);
    let at_work = other.begin().await.report().session_id;
    for session in [None, Some(asked)] {
        let refused = rig.agent.take_in_hand(&phone(), session, &client()).await.unwrap_err();
        let AgentError::DeviceBusy { session: holder, .. } = refused else { panic!("{refused}") };
        assert_eq!(holder, Some(at_work));
    }
    let stranger = Principal::new("bob");
    let refused = rig.agent.take_in_hand(&phone(), Some(asked), &stranger).await.unwrap_err();
    assert!(matches!(refused, AgentError::UnknownSession(_)), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_hold_lasts_as_long_as_it_is_kept_up() {
    let rig = Rig::new([complete("done")]);
    let (_, hold) = take(&rig, None).await;
    let waits = queued(&rig, "Text Anna").await;
    for _ in 0..5 {
        sleep(HOLD_LASTS * 2 / 3).await;
        rig.agent.keep_in_hand(&phone(), hold, &client()).await.unwrap();
    }
    assert!(waits.running());
    // The computer was shut.
    sleep(HOLD_LASTS).await;
    assert_eq!(rig.ended(waits).await.message, "done");
    let kept = rig.agent.keep_in_hand(&phone(), hold, &client()).await;
    assert!(matches!(kept, Err(AgentError::NotInHand { .. })), "{kept:?}");
}

#[tokio::test(start_paused = true)]
async fn acts_by_hand_after_a_task_do_not_change_what_a_list_says_of_it() {
    let rig = Rig::new([complete("Sent."), complete("Sent again.")]);
    let session = rig.run_task("Text Anna").await.session_id;
    let summary = async || rig.agent.session_summary(session, &client()).await.unwrap();
    let before = summary().await;
    for _ in 0..2 {
        act(&rig.agent, tap(100, Some(session))).await;
        let after = summary().await;
        assert_eq!((&after.task, after.stop_reason), (&before.task, before.stop_reason));
        assert_eq!(after.message, "Sent.");
        assert!(before.steps < after.steps);
    }
    let next = UserInput::Task("Text Ben".to_owned());
    rig.go_on(session, next).await;
    let after = summary().await;
    assert_eq!((&*after.task, &*after.message), ("Text Ben", "Sent again."));
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_an_answer_can_be_given_up() {
    let rig = Rig::new([info("Which?"), ScriptedReply::Hangs]);
    let asked = rig.run_task("Text Anna").await.session_id;
    // Meanwhile another one has the phone.
    let other = rig.beside([]);
    rig.begin().await;
    rig.script.is_asked(2).await;
    let sent = rig.phone.sent();
    let stranger = Principal::new("bob");
    let refused = other.agent.give_up(asked, &stranger).await.unwrap_err();
    assert!(matches!(refused, AgentError::UnknownSession(_)), "{refused}");
    for _ in 0..2 {
        let report = within(Box::pin(other.agent.give_up(asked, &client()))).await.unwrap();
        assert_eq!(report.stop_reason, StopReason::Cancelled);
        assert_eq!(
            (&*report.message, report.question),
            ("The task was stopped, and its question given up.", None)
        );
    }
    let summary = rig.agent.session_summary(asked, &client()).await.unwrap();
    assert_eq!((summary.question, &*summary.task), (None, "Text Anna"));
    assert_eq!(rig.phone.sent(), sent);
    let dropped = |fact: &Fact| match fact {
        Fact::RoundEnd(end) => Some(end.status.known().unwrap()),
        _ => None,
    };
    assert_eq!(rig.facts(asked, dropped).await, [RoundStatus::Dropped]);
}

#[tokio::test(start_paused = true)]
async fn what_was_given_up_takes_no_late_answer_also_of_one_that_waited_for_the_phone() {
    let rig = Rig::new([info("Which?"), complete("Told Ben.")]);
    let asked = rig.run_task("Text Anna").await.session_id;
    // An act of another server has the phone while the answer comes.
    let other = rig.beside([]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let mut acting = other.agent.act(tap(100, None)).await.unwrap();
    rig.phone.gets(Call::Perform, 1).await;
    let reply = || UserInput::Reply("yes, to Anna".to_owned());
    let answer = rig.resume(asked, reply());
    let given_up = async {
        sleep(Duration::from_secs(5)).await;
        other.agent.give_up(asked, &client()).await.unwrap();
        rig.phone.let_go();
        within(acting.finished()).await;
    };
    let (answered, ()) = tokio::join!(answer, given_up);
    assert!(matches!(answered, Err(AgentError::GivenUp(id)) if id == asked), "{answered:?}");
    // Nor after the client has acted in it.
    act(&rig.agent, tap(100, Some(asked))).await;
    let answered = rig.resume(asked, reply()).await;
    assert!(matches!(answered, Err(AgentError::GivenUp(_))), "{answered:?}");
    assert_eq!(rig.script.prompts().len(), 1);
    let next = UserInput::Task("Text Ben".to_owned());
    assert_eq!(rig.go_on(asked, next).await.message, "Told Ben.");
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_refused_while_another_session_has_the_phone() {
    for has_acted in [false, true] {
        let rig = Rig::new([info("Which?"), after(60_000, complete("Read it."))]);
        let asked = rig.run_task("Text Anna").await.session_id;
        rig.agent.give_up(asked, &client()).await.unwrap();
        if has_acted {
            act(&rig.agent, tap(100, Some(asked))).await;
        }
        let other = rig.begin().await;
        rig.script.is_asked(2).await;
        let answered = rig.resume(asked, UserInput::Reply("yes, to Anna".to_owned())).await;
        assert!(matches!(answered, Err(AgentError::GivenUp(id)) if id == asked), "{answered:?}");
        assert_eq!(rig.ended(other).await.message, "Read it.");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_at_work_is_stopped_and_not_given_up() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let other = rig.beside([]);
    let session = rig.begin().await.report().session_id;
    for agent in [&rig.agent, &other.agent] {
        let refused = agent.give_up(session, &client()).await.unwrap_err();
        assert!(matches!(refused, AgentError::SessionBusy(_)), "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_goes_on_by_hand_in_another_session_keeps_the_phone_from_those_that_wait() {
    let rig = Rig::new([info("Which?"), complete("done")]);
    let asked = rig.run().await.session_id;
    let (_, first) = take(&rig, None).await;
    let waits = queued(&rig, "Text Anna").await;
    let (session, second) = take(&rig, Some(asked)).await;
    assert_eq!(session, asked);
    let kept = rig.agent.keep_in_hand(&phone(), first, &client()).await;
    assert!(matches!(kept, Err(AgentError::NotInHand { .. })), "{kept:?}");
    rig.agent.keep_in_hand(&phone(), second, &client()).await.unwrap();
    nothing_more(&rig, 1).await;
    rig.agent.give_back(&phone(), second, &client()).await;
    assert_eq!(rig.ended(waits).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn where_a_phone_cannot_be_taken_the_person_keeps_what_they_had() {
    let rig = Rig::new([info("Which?"), info("Which one?")]);
    let (whole, damaged) = (rig.run().await.session_id, rig.run().await.session_id);
    rig.agent.session_summary(damaged, &client()).await.unwrap();
    // A line in the middle, which only whoever reads all of it sees.
    let record = rig.data().join("sessions").join(damaged.to_string()).join("events.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let at = text.find('\n').unwrap() + 9;
    let written = fs::metadata(&record).unwrap().modified().unwrap();
    fs::write(&record, format!("{}?{}", &text[..at], &text[at + 1..])).unwrap();
    File::options().write(true).open(&record).unwrap().set_modified(written).unwrap();
    let refused = async || {
        let refused = rig.agent.take_in_hand(&phone(), Some(damaged), &client()).await.unwrap_err();
        assert!(matches!(refused, AgentError::Journal(_)), "{refused:?}");
    };
    let mut changes = rig.agent.changes();
    refused().await;
    assert_eq!(holder(&rig).await, DeviceHolder::Free);
    assert!(changes.has_changed().unwrap());
    let (_, hold) = take(&rig, Some(whole)).await;
    changes.mark_unchanged();
    refused().await;
    assert!(changes.has_changed().unwrap());
    assert_eq!(rig.agent.hold_on(&phone(), &client()), Some(hold));
    rig.agent.keep_in_hand(&phone(), hold, &client()).await.unwrap();
    rig.agent.give_back(&phone(), hold, &client()).await;
    assert_eq!(holder(&rig).await, DeviceHolder::Free);
}

#[tokio::test(start_paused = true)]
async fn of_two_tabs_the_one_that_took_over_last_has_the_phone() {
    let rig = Rig::new([complete("done")]);
    let (session, first) = take(&rig, None).await;
    let waits = queued(&rig, "Text Anna").await;
    let (same, second) = take(&rig, None).await;
    assert_eq!((same, rig.agent.hold_on(&phone(), &client())), (session, Some(second)));
    let kept = rig.agent.keep_in_hand(&phone(), first, &client()).await;
    assert!(matches!(kept, Err(AgentError::NotInHand { .. })), "{kept:?}");
    // The first one is closed, which is nothing to the second.
    rig.agent.give_back(&phone(), first, &client()).await;
    nothing_more(&rig, 0).await;
    rig.agent.keep_in_hand(&phone(), second, &client()).await.unwrap();
    assert!(waits.running());
    rig.agent.give_back(&phone(), second, &client()).await;
    assert_eq!(rig.ended(waits).await.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_cannot_go_on_leaves_the_phone_in_the_hand() {
    let rig = Rig::new([info("Which?"), complete("done")]);
    let session = rig.run().await.session_id;
    let (_, hold) = take(&rig, Some(session)).await;
    // The cable is out when it is to go on.
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Gone);
    let failed = rig.resume(session, UserInput::Reply("B.".to_owned())).await;
    assert!(matches!(failed, Err(AgentError::Device(_))), "{failed:?}");
    // An answer to a question that is not open begins nothing either.
    let stale = UserInput::Answer { question: 77, text: "B.".to_owned() };
    assert!(!rig.resume(session, stale).await.unwrap().running());
    rig.agent.keep_in_hand(&phone(), hold, &client()).await.unwrap();
    assert_eq!(holder(&rig).await, DeviceHolder::Person);
    let report = rig.go_on(session, UserInput::Reply("B.".to_owned())).await;
    assert_eq!(report.message, "done");
    let kept = rig.agent.keep_in_hand(&phone(), hold, &client()).await;
    assert!(matches!(kept, Err(AgentError::NotInHand { .. })), "{kept:?}");
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_turn_has_come_can_be_stopped_before_it_has_the_phone() {
    let rig = Rig::new([complete("done")]);
    // Whoever has it is still giving it back, and has no run any more.
    let names = rig.agent.device_names(&phone()).await;
    let runs = &rig.agent.runs;
    let stop = runs.stop_before_begin(SessionId::new(), &CancellationToken::new());
    let lease = runs.lease(&names, &stop, &client(), false).unwrap();
    assert!(matches!(lease, LeaseRequest::Granted(_)));
    let start = StartTask { queue: true, ..rig.task("the next") };
    let waits = rig.agent.start(start).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(waits.running());
    let session = waits.report().session_id;
    within(rig.agent.stop(session, StopReason::Cancelled, &client())).await.unwrap();
    assert_eq!(rig.ended(waits).await.stop_reason, StopReason::Cancelled);
    assert!(rig.phone.sent().is_empty());
    drop(lease);
    assert_eq!(holder(&rig).await, DeviceHolder::Free);
}
