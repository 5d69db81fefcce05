//! Several servers of one store: what one runs, the others follow, answer and stop.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::coordinator::{
    FileCoordinator, InboxMessage, InboxMessageBody, NewRun, Registered, RunKind, RunState,
    UserReply,
};
use crate::fakes::{
    Call, Fault, Rig, ScriptedModel, ScriptedReply, click, client, complete, info, within,
};
use crate::journal::{AnswerSource, Fact, SyncPolicy};
use crate::{
    Agent, AgentError, Coordinator as _, DeviceHolder, DeviceId, Follower, Principal, ReplyMode,
    StartTask, StopReason, UserInput,
};

fn reply(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

async fn until(follower: &mut Follower, what: impl Fn(&Follower) -> bool) {
    within(async {
        while !what(follower) {
            assert!(follower.changed().await, "{:?}", follower.report());
        }
    })
    .await;
}

/// With a model whose last call goes on until it is given up. What another server sees comes from the disk, in time
/// that is not paused: on a busy machine hours of paused time go by before it is there.
fn hanging(lines: impl IntoIterator<Item = ScriptedReply>) -> Rig {
    const LONG: Duration = Duration::from_hours(24 * 365);
    Rig::new(lines).limited(|limits| (limits.model_call, limits.run_time) = (LONG, LONG))
}

#[tokio::test(start_paused = true)]
async fn a_run_of_another_server_is_followed_to_its_end() {
    let rig = hanging([click(1), click(2), ScriptedReply::Hangs]);
    let other = rig.beside([]);
    let here = rig.begin().await;
    let session = here.report().session_id;
    let mut there = other.resume(session, UserInput::Nothing).await.unwrap();
    let mut again = other.agent.follow(session, &client()).await.unwrap();
    assert!(other.agent.follow(session, &Principal::new("bob")).await.is_none());
    rig.script.is_asked(3).await;
    until(&mut there, |it| it.report().global_steps == 3).await;
    assert_eq!(there.report().stop_reason, StopReason::StillRunning);
    assert!(there.update().line.starts_with("step 2: CLICK 2,500"), "{}", there.update().line);
    assert_eq!(there.report().steps, here.report().steps);
    let told = other.agent.report(session, &client()).await.unwrap();
    assert_eq!(told.stop_reason, StopReason::StillRunning);
    rig.agent.stop(session, StopReason::UserPaused, &client()).await.unwrap();
    until(&mut there, |it| !it.running()).await;
    until(&mut again, |it| !it.running()).await;
    let end = rig.agent.report(session, &client()).await.unwrap();
    assert_eq!(end.stop_reason, StopReason::UserPaused);
    assert_eq!(*there.report(), end);
    assert_eq!(*again.report(), end);
    assert!(other.agent.follow(session, &client()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn those_who_follow_a_run_of_another_server_share_one_reader() {
    let rig = hanging([click(1), ScriptedReply::Hangs]);
    let other = rig.beside([]);
    let session = rig.begin().await.report().session_id;
    rig.script.is_asked(2).await;
    let run = other.agent.run_elsewhere(session).await.unwrap().unwrap();
    let follow = async || other.agent.follow_elsewhere(&run).await.unwrap();
    let (one, two) = tokio::join!(follow(), follow());
    assert!(one.updates.same_channel(&two.updates), "also where both begin at a time");
    drop(one);
    assert!(two.updates.same_channel(&follow().await.updates));
    // It is read on for as long as one of them follows.
    sleep(Duration::from_secs(5)).await;
    assert!(two.updates.same_channel(&follow().await.updates));
    drop(two);
    sleep(Duration::from_secs(5)).await;
    rig.agent.stop(session, StopReason::UserPaused, &client()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_of_another_server_is_stopped_and_continued_here() {
    let rig = hanging([click(1), ScriptedReply::Hangs]);
    let other = rig.beside([complete("Sent.")]);
    let here = rig.begin().await;
    let session = here.report().session_id;
    rig.script.is_asked(2).await;
    let asked = Instant::now();
    let stopped = other.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(stopped.stop_reason, StopReason::Cancelled);
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(!here.running());
    let report = other.go_on(session, UserInput::Nothing).await;
    assert_eq!(
        (report.stop_reason, &*report.message),
        (StopReason::TaskCompletedSuccessfully, "Sent.")
    );
    // The run that went on was not the one that was to stop.
    let ends = |fact: &Fact| match fact {
        Fact::SessionEnd(end) => Some(end.stop_reason.known().unwrap()),
        _ => None,
    };
    let ends = rig.facts(session, ends).await;
    assert_eq!(ends, [StopReason::Cancelled, StopReason::TaskCompletedSuccessfully]);
}

#[tokio::test(start_paused = true)]
async fn a_run_of_a_server_that_stands_still_is_not_waited_for_without_end() {
    let rig = hanging([click(1), complete("Sent.")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let other = rig.beside([]);
    let here = rig.begin().await;
    let session = here.report().session_id;
    rig.phone.gets(Call::Perform, 1).await;
    let mut there = other.agent.follow(session, &client()).await.unwrap();
    let asked = Instant::now();
    there.stop(StopReason::Cancelled);
    there.stopped().await;
    assert!(there.running());
    assert_eq!(asked.elapsed().as_secs(), 30);
    let told = other.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(told.stop_reason, StopReason::StillRunning);
    rig.phone.let_go();
    rig.ended(here).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_being_judged_is_stopped_from_another_server() {
    let judge = Arc::new(ScriptedModel::new([ScriptedReply::Hangs, ScriptedReply::Hangs]));
    let rig = Rig::new([complete("Sent.")]).judged_by(judge.clone());
    let other = rig.beside([complete("Sent again.")]);
    let here = rig.begin().await;
    let session = here.report().session_id;
    judge.is_asked(1).await;
    let coordinator = FileCoordinator::new(rig.data(), "third", SyncPolicy::Never);
    let run = coordinator.run_of(session).await.unwrap().unwrap();
    assert_eq!(run.state, RunState::Ending);
    let asked = Instant::now();
    let stopped = other.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(stopped.stop_reason, StopReason::TaskCompletedSuccessfully, "it was done before");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(!here.running());
    let verdict = |fact: &Fact| match fact {
        Fact::Evaluation(it) => it["error"].as_str().map(str::to_owned),
        _ => None,
    };
    let given_up = "given up: the run was cancelled; the session can be continued";
    assert_eq!(rig.facts(session, verdict).await, [given_up; 2]);
    assert_eq!(coordinator.inbox(session).await.unwrap(), [], "it was obeyed");
    // One that came too late for its run is dropped by the next, and does not stop it.
    let body = InboxMessageBody::Stop { run: run.epoch, reason: StopReason::Cancelled };
    coordinator.send(session, &InboxMessage::new(body), None).await.unwrap();
    let report = other.go_on(session, reply("once more")).await;
    assert_eq!(
        (report.stop_reason, &*report.message),
        (StopReason::TaskCompletedSuccessfully, "Sent again.")
    );
    assert_eq!(coordinator.inbox(session).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn guidance_from_another_server_is_seen_once() {
    let rig = Rig::new([click(1), click(2), complete("")]);
    let other = rig.beside([]);
    let session = rig.begin().await.report().session_id;
    rig.script.is_asked(2).await;
    let follower = other.resume(session, reply("the blue one")).await.unwrap();
    let report = other.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.answers(session).await, [(AnswerSource::Guidance, "the blue one".to_owned())]);
    assert_eq!(rig.script.last().past_in_words().last().unwrap(), "! the blue one");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_its_operator_is_answered_from_another_server() {
    for to_its_question in [false, true] {
        let rig = Rig::new([info("Which?"), complete("")]).answering(ReplyMode::ManualReply);
        let other = rig.beside([]);
        let session = rig.begin().await.report().session_id;
        let mut there = other.resume(session, UserInput::Nothing).await.unwrap();
        until(&mut there, |it| it.report().question.is_some()).await;
        assert_eq!(there.update().line, "waiting for the operator: Which?");
        let question = there.report().asked_at_step;
        let late = UserInput::Answer { question: question + 1, text: "to another".to_owned() };
        other.resume(session, late).await.unwrap();
        let text = "The second.".to_owned();
        let said = if to_its_question {
            UserInput::Answer { question, text: text.clone() }
        } else {
            UserInput::Reply(text.clone())
        };
        let follower = other.resume(session, said).await.unwrap();
        let report = other.ended(follower).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        assert_eq!(rig.answers(session).await, [(AnswerSource::Manual, text)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_the_record_has_is_not_taken_again() {
    let rig = hanging([click(1), click(2), ScriptedReply::Hangs]);
    let session = rig.begin().await.report().session_id;
    let coordinator = FileCoordinator::new(rig.data(), "third", SyncPolicy::Never);
    let run = coordinator.run_of(session).await.unwrap().unwrap();
    let body = UserReply { text: "faster".to_owned(), question: None, secret: false };
    let message = InboxMessage::new(InboxMessageBody::Reply(body));
    coordinator.send(session, &message, Some(run.epoch)).await.unwrap();
    rig.script.is_asked(3).await;
    assert_eq!(coordinator.inbox(session).await.unwrap(), []);
    // As after a crash between the record and the acknowledgement.
    coordinator.send(session, &message, None).await.unwrap();
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    let next = rig.restarted([complete("")]);
    next.go_on(session, UserInput::Nothing).await;
    assert_eq!(rig.answers(session).await.len(), 1);
    assert_eq!(coordinator.inbox(session).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn what_a_dead_run_has_not_taken_is_taken_by_the_next() {
    let rig = Rig::new([info("Which?")]);
    let asked = rig.run().await;
    let session = asked.session_id;
    let coordinator = FileCoordinator::new(rig.data(), "third", SyncPolicy::Never);
    for (question, text) in [(asked.question_number(), "The third."), (None, "be quick")] {
        let body = UserReply { text: text.to_owned(), question, secret: false };
        let message = InboxMessage::new(InboxMessageBody::Reply(body));
        coordinator.send(session, &message, None).await.unwrap();
    }
    let next = rig.restarted([complete("")]);
    let report = next.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let said = [
        (AnswerSource::Client, "The third.".to_owned()),
        (AnswerSource::Guidance, "be quick".to_owned()),
    ];
    assert_eq!(rig.answers(session).await, said);
    assert_eq!(coordinator.inbox(session).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_server_died_is_over_and_can_go_on_elsewhere() {
    let rig = Rig::new([click(1), complete("")]);
    let session = rig.run_task("x").await.session_id;
    // The record of a run that was cut short, and a registration without anybody behind it.
    let cut = rig.cut(session, 12, [complete("Sent.")]);
    let coordinator = FileCoordinator::new(cut.data(), "dead", SyncPolicy::Never);
    let run = NewRun {
        session,
        devices: vec![DeviceId::new("phone-1")],
        owner: client(),
        kind: RunKind::Task,
        queue: false,
    };
    let Registered::Granted(dead) = coordinator.register(run).await.unwrap() else {
        panic!("free")
    };
    let mut follower = cut.agent.follow(session, &client()).await.unwrap();
    assert_eq!(follower.report().stop_reason, StopReason::StillRunning);
    assert!(matches!(cut.agent.start(cut.task("other")).await, Err(AgentError::DeviceBusy { .. })));
    drop(dead);
    let died = Instant::now();
    until(&mut follower, |it| !it.running()).await;
    assert!(died.elapsed() < Duration::from_secs(1), "{:?}", died.elapsed());
    assert_eq!(follower.report().stop_reason, StopReason::ServerRestarted);
    let report = cut.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
}

#[tokio::test(start_paused = true)]
async fn a_busy_phone_is_waited_for_in_turn_across_servers() {
    let rig = hanging([ScriptedReply::Hangs]);
    let second = rig.beside([complete("second")]);
    let third = rig.beside([complete("third")]);
    let first = rig.begin().await;
    let queued = async |rig: &Rig, task: &str| {
        let start = StartTask { queue: true, ..rig.task(task) };
        rig.agent.start(start).await.unwrap()
    };
    let two = queued(&second, "two").await;
    let gone = queued(&rig, "gone").await;
    let three = queued(&third, "three").await;
    let places = |followers: &[&Follower]| -> Vec<String> {
        followers.iter().map(|it| it.report().message.clone()).collect()
    };
    for (message, place) in places(&[&two, &gone, &three]).iter().zip(1..) {
        assert!(message.contains(&format!("phone-1 is busy: place {place} ")), "{message}");
    }
    let (id, me) = (three.report().session_id, client());
    let seen = second.agent.report(id, &me).await.unwrap();
    assert_eq!(seen.stop_reason, StopReason::StillRunning);
    assert_eq!(seen.message, three.report().message, "it is told in any server");
    let names = [crate::DeviceNames::only(DeviceId::new("phone-1"))];
    let queue = rig.agent.device_queues(&names, &me).await.unwrap().remove(0);
    assert_eq!((queue.length, queue.sessions.last()), (3, Some(&id)));
    let others = rig.agent.device_queues(&names, &Principal::new("bob")).await.unwrap().remove(0);
    assert_eq!((others.length, others.sessions.len()), (3, 0));
    // One leaves the queue, by the word of another server.
    let left =
        third.agent.stop(gone.report().session_id, StopReason::Cancelled, &me).await.unwrap();
    assert_eq!(left.stop_reason, StopReason::Cancelled);
    assert_eq!(
        rig.agent
            .stop(first.report().session_id, StopReason::Cancelled, &me)
            .await
            .unwrap()
            .stop_reason,
        StopReason::Cancelled
    );
    let two = second.ended(two).await;
    assert_eq!((two.stop_reason, &*two.message), (StopReason::TaskCompletedSuccessfully, "second"));
    let three = third.ended(three).await;
    assert_eq!(
        (three.stop_reason, &*three.message),
        (StopReason::TaskCompletedSuccessfully, "third")
    );
    assert!(matches!(holder(&rig.agent).await, DeviceHolder::Free));
    // Whoever was taken out of the queue goes on like any other.
    let next = rig.restarted([complete("gone")]);
    let report = next.go_on(left.session_id, UserInput::Nothing).await;
    assert_eq!(
        (report.stop_reason, &*report.message),
        (StopReason::TaskCompletedSuccessfully, "gone")
    );
}

async fn holder(agent: &Agent) -> DeviceHolder {
    agent.device_holder(&DeviceId::new("phone-1"), &client()).await
}

#[tokio::test(start_paused = true)]
async fn other_servers_runs_are_heard_of() {
    let rig = hanging([ScriptedReply::Hangs]);
    let other = rig.beside([]);
    let mut changes = other.agent.changes();
    let me = client();
    let before = other.agent.activity(&me);
    let session = rig.begin().await.report().session_id;
    within(changes.changed()).await.unwrap();
    let begun = other.agent.activity(&me);
    assert_eq!((begun.count, &*begun.sessions), (before.count + 1, &[session][..]));
    assert_eq!(other.agent.activity(&Principal::new("bob")), before);
    assert_eq!(holder(&other.agent).await, DeviceHolder::Session(session));
    rig.agent.stop(session, StopReason::Cancelled, &me).await.unwrap();
    within(changes.changed()).await.unwrap();
    assert_eq!(other.agent.activity(&me).count, begun.count + 1);
    assert_eq!(holder(&other.agent).await, DeviceHolder::Free);
}
