//! A client that acts on the phone itself, before, between and after the agent.
use std::sync::Arc;
use std::time::Duration;

use super::crash::{all_is_closed, process};
use crate::fakes::{
    Call, FailingJournal, Fault, Motion, Rig, ScriptedReply, Write, click, client, complete, info,
    within,
};
use crate::journal::Fact;
use crate::{
    Agent, AgentError, Agreed, DeviceCommand, DeviceId, DirectOutcome, DirectResult, Gesture, Key,
    Performed, Point, Principal, SessionId, StartTask, StopReason, UserInput,
};
use crate::{DirectAction, DirectRun};

/// A tap at this place of the middle line, by [`client`].
pub(super) fn tap(x: i64, session_id: Option<SessionId>) -> DirectAction {
    let point = Point::new(x, 500).unwrap();
    DirectAction {
        device_id: DeviceId::new("phone-1"),
        session_id,
        gesture: Gesture::Click { point },
        reason: "the button is there".to_owned(),
        secret: false,
        agreed: Agreed::Nothing,
        by_hand: false,
        principal: client(),
    }
}

fn types(text: &str, session_id: Option<SessionId>) -> DirectAction {
    let (text, point) = (text.to_owned(), None);
    let gesture = Gesture::Type { text, point, clear: false, submit: false };
    DirectAction { gesture, reason: String::new(), ..tap(1, session_id) }
}

pub(super) async fn ended(mut acting: DirectRun) -> DirectResult {
    within(acting.finished()).await;
    acting.result().expect("it was recorded").clone()
}

/// Has it done and waits.
pub(super) async fn act(agent: &Agent, act: DirectAction) -> DirectResult {
    ended(agent.act(act).await.expect("it begins")).await
}

pub(super) async fn refused(agent: &Agent, act: DirectAction) -> AgentError {
    agent.act(act).await.expect_err("it does not begin")
}

async fn kinds(rig: &Rig, session: SessionId) -> Vec<String> {
    let kind = |fact: &Fact| {
        let fact = serde_json::to_value(fact).unwrap();
        Some(fact["type"].as_str().unwrap().to_owned())
    };
    rig.facts(session, kind).await
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_into_a_field_that_a_tap_finds_is_a_secret_until_the_phone_says_otherwise() {
    for told in [Some(true), None, Some(false)] {
        let rig = Rig::new([]);
        rig.phone.refuses_dumps();
        rig.phone.says_of_gestures(Performed { secret_field: told, ..Performed::done() });
        let mut typing = types("hunter2 zz", None);
        if let Gesture::Type { point, .. } = &mut typing.gesture {
            *point = Some(Point::new(500, 750).unwrap());
        }
        let done = act(&rig.agent, typing).await;
        assert!(rig.phone.sent()[0].starts_with("TYPE hunter2 zz"));
        let shown = format!("{done:?}").contains("hunter2");
        let kept = !rig.files_with("hunter2").is_empty();
        assert_eq!((shown, kept), (told == Some(false), told == Some(false)), "{told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn acts_without_a_session_have_one_of_their_own_which_the_agent_takes_over() {
    let rig = Rig::new([click(300), complete("Sent.")]);
    let first = act(&rig.agent, tap(100, None)).await;
    assert_eq!((first.step, &first.outcome), (0, &DirectOutcome::Done));
    assert!(first.pictured);
    let shown = first.shown.clone().unwrap();
    assert!(shown.changed && shown.settled && shown.awake);
    let second = act(&rig.agent, tap(200, None)).await;
    assert_eq!((second.session_id, second.step), (first.session_id, 1));
    assert_eq!(rig.phone.sent(), ["CLICK 100,500", "CLICK 200,500"], "no reset");
    let session = first.session_id;
    assert_eq!(
        kinds(&rig, session).await[..10],
        [
            "session.start",
            "round.start",
            "note",
            "step.start",
            "observe",
            "tool.start",
            "tool.end",
            "step.end",
            "session.end",
            "session.resume"
        ]
    );
    let paused = rig.agent.report(session, &client()).await.unwrap();
    assert_eq!(paused.stop_reason, StopReason::UserPaused);
    assert_eq!((paused.global_steps, paused.local_steps), (2, 1));
    assert_eq!(paused.steps[0].explain, "the button is there");

    // There is nothing to go on with, until there is a task.
    let nothing = rig.resume(session, UserInput::Nothing).await.unwrap_err();
    assert!(matches!(nothing, AgentError::NoTask(id) if id == session), "{nothing}");
    let done = rig.go_on(session, UserInput::Task("Text Anna".to_owned())).await;
    assert_eq!(done.message, "Sent.");
    assert_eq!((done.global_steps, done.local_steps), (4, 2));
    assert_eq!(rig.phone.sent()[2..], ["CLICK 300,500"], "still no reset");
    all_is_closed(&rig.events(session).await);
    let told = rig.script.seen().remove(0);
    assert_eq!(told.request, "Text Anna");
    let [remark] = told.system_notes.as_slice() else { panic!("{told:?}") };
    assert!(remark.contains("the client, not you, has acted on the phone (2 steps"), "{remark}");
    assert!(remark.contains("CLICK 200,500 \u{2013} the button is there"), "{remark}");
    assert_eq!(rig.script.last().system_notes, [""; 0], "once");
    let history = format!("{:?}", rig.script.last().history);
    assert!(history.contains("(done by the client, not by you) the button is there"), "{history}");

    // It is the agent's now: the next act is the client's own again.
    let third = act(&rig.agent, tap(400, None)).await;
    assert_ne!(third.session_id, session);
}

#[tokio::test(start_paused = true)]
async fn after_a_task_an_act_begins_a_session_of_its_own() {
    for queue in [false, true] {
        let rig = Rig::new([complete("Sent.")]);
        let before = act(&rig.agent, tap(100, None)).await.session_id;
        let start = StartTask { queue, ..rig.task("Text Anna") };
        let task = rig.agent.start(start).await.unwrap();
        assert_eq!(rig.ended(task).await.message, "Sent.");
        let after = act(&rig.agent, tap(200, None)).await.session_id;
        assert_ne!(after, before, "queue: {queue}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_leaves_the_client_its_session() {
    let rig = Rig::new([info("Please sign in")]);
    let asked = rig.run().await.session_id;
    rig.agent.give_up(asked, &client()).await.unwrap();
    let own = act(&rig.agent, tap(100, None)).await.session_id;
    let late = rig.resume(asked, UserInput::Reply("done".to_owned())).await.unwrap_err();
    assert!(matches!(late, AgentError::GivenUp(id) if id == asked), "{late}");
    assert_eq!(act(&rig.agent, tap(200, None)).await.session_id, own);
}

#[tokio::test(start_paused = true)]
async fn words_to_a_session_without_a_task_are_its_task() {
    let rig = Rig::new([complete("Sent.")]);
    let session = act(&rig.agent, tap(100, None)).await.session_id;
    let done = rig.go_on(session, UserInput::Reply("Text Bob".to_owned())).await;
    assert_eq!((done.task.as_str(), done.message.as_str()), ("Text Bob", "Sent."));
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Direct control by the client", "CLICK 100,500", "? Text Bob"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_helps_an_agent_that_is_stuck_and_hands_back() {
    let rig = Rig::new([click(1)]).steps(1);
    let stuck = rig.run().await;
    assert_eq!(stuck.stop_reason, StopReason::MaxStepsReached);
    let session = stuck.session_id;
    let helped = act(&rig.agent, tap(700, Some(session))).await;
    assert_eq!((helped.session_id, helped.step), (session, 1));
    rig.script.adds([complete("Sent.")]);
    let done = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!((done.message.as_str(), done.task.as_str()), ("Sent.", "Text Anna"));
    let seen = rig.script.last();
    assert_eq!(seen.past_in_words(), ["? Text Anna", "CLICK 1,500", "CLICK 700,500"]);
    assert!(seen.system_notes[0].contains("(1 step): CLICK 700,500"), "{:?}", seen.system_notes);
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 700,500"]);
    let agents = rig
        .events(session)
        .await
        .iter()
        .filter(|event| matches!(event.entry.fact, Fact::StepStart(_)))
        .map(|event| (event.entry.round, event.entry.agent.clone().unwrap()))
        .collect::<Vec<_>>();
    let who = ["AppAgent", "Client", "AppAgent"].map(|who| (Some(0), who.to_owned()));
    assert_eq!(agents, who);
    // The request was carried out; what the client does now is a round of its own.
    let after = act(&rig.agent, tap(800, Some(session))).await;
    let report = rig.agent.report(session, &client()).await.unwrap();
    assert_eq!((after.step, report.task.as_str()), (3, "Direct control by the client"));
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_while_the_client_does_what_it_asks_for() {
    let rig = Rig::new([info("Please sign in")]);
    let asked = rig.run().await;
    let session = asked.session_id;
    for x in [100, 200] {
        act(&rig.agent, tap(x, Some(session))).await;
        let report = rig.agent.report(session, &client()).await.unwrap();
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
        assert_eq!(report.question, asked.question);
    }
    let again = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(again.message, "Please sign in", "it is asked again");
    rig.script.adds([complete("In.")]);
    let done = rig.go_on(session, UserInput::Reply("done".to_owned())).await;
    assert_eq!((done.message.as_str(), done.question), ("In.", None));
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Text Anna", "INFO Please sign in", "CLICK 100,500", "CLICK 200,500", "! done"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_on_when_an_act_is_taken_back() {
    for reason in [StopReason::Cancelled, StopReason::ServerRestarted] {
        let rig = Rig::new([info("Please sign in")]);
        let asked = rig.run().await;
        let session = asked.session_id;
        rig.phone.breaks(Call::Capture, 1..=99, Fault::Hang);
        let acting = rig.agent.act(tap(1, Some(session))).await.unwrap();
        acting.stop(reason);
        let taken_back = ended(acting).await;
        assert!(matches!(taken_back.outcome, DirectOutcome::NotDone(_)), "{taken_back:?}");
        let report = rig.agent.report(session, &client()).await.unwrap();
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
        assert_eq!(report.question_number(), asked.question_number());
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_at_a_question_sees_it_through_an_act() {
    let rig = Rig::new([info("Please sign in")]);
    let asked = rig.run().await;
    let session = asked.session_id;
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let acting = rig.agent.act(tap(1, Some(session))).await.unwrap();
    rig.phone.gets(Call::Perform, 1).await;
    let (agent, me) = (&rig.agent, client());
    let (settled, outcome, stopped, ()) = within(async {
        tokio::join!(
            biased;
            Box::pin(agent.report_after_direct_action(session, &me)),
            Box::pin(agent.run_status(session, 0, true, &me)),
            agent.stop_run(session, 0, true, &me),
            async { rig.phone.let_go() },
        )
    })
    .await;
    assert_eq!(settled.unwrap().question_number(), asked.question_number());
    assert_eq!(outcome.unwrap().report.question_number(), asked.question_number());
    assert!(!stopped.unwrap(), "the act is none of the task's");
    assert_eq!(ended(acting).await.outcome, DirectOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn while_the_agent_is_at_work_nobody_else_acts() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let running = rig.begin().await.report().session_id;
    rig.script.is_asked(1).await;
    let busy = refused(&rig.agent, tap(1, Some(running))).await;
    assert!(matches!(busy, AgentError::SessionBusy(id) if id == running), "{busy}");
    let busy = refused(&rig.agent, tap(1, None)).await;
    assert!(
        matches!(&busy, AgentError::DeviceBusy { session: Some(id), .. } if *id == running),
        "{busy}"
    );
    let stranger =
        |session_id| DirectAction { principal: Principal::new("mallory"), ..tap(1, session_id) };
    let busy = refused(&rig.agent, stranger(None)).await;
    assert!(matches!(busy, AgentError::DeviceBusy { session: None, .. }), "{busy}");
    for session in [running, SessionId::new()] {
        let unknown = refused(&rig.agent, stranger(Some(session))).await;
        assert!(matches!(unknown, AgentError::UnknownSession(id) if id == session), "{unknown}");
    }
    rig.agent.stop(running, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(act(&rig.agent, tap(5, Some(running))).await.session_id, running);
    assert_eq!(rig.phone.gestures(), ["CLICK 5,500"]);
    let other = DirectAction { device_id: DeviceId::new("phone-2"), ..tap(1, Some(running)) };
    let wrong = refused(&rig.agent, other).await;
    assert!(matches!(wrong, AgentError::WrongDevice { .. }), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn each_principal_has_a_session_of_its_own() {
    let rig = Rig::new([]);
    let bob = || DirectAction { principal: Principal::new("bob"), ..tap(2, None) };
    let ours = act(&rig.agent, tap(1, None)).await.session_id;
    let theirs = act(&rig.agent, bob()).await.session_id;
    assert_ne!(ours, theirs);
    assert!(rig.agent.report(theirs, &client()).await.is_err());
    // Somebody else has used the phone since.
    assert_ne!(act(&rig.agent, tap(3, None)).await.session_id, ours);
}

#[tokio::test(start_paused = true)]
async fn acts_at_the_same_time_wait_for_each_other_and_share_a_session() {
    let rig = Rig::new([complete("Sent.")]);
    let acts = (1..=6).map(|x| act(&rig.agent, tap(x, None)));
    let acted = within(futures::future::join_all(acts)).await;
    let session = acted[0].session_id;
    assert!(acted.iter().all(|it| it.session_id == session && it.outcome == DirectOutcome::Done));
    let mut steps: Vec<u32> = acted.iter().map(|it| it.step).collect();
    steps.sort_unstable();
    assert_eq!(steps, [0, 1, 2, 3, 4, 5]);
    let mut sent = rig.phone.sent();
    sent.sort_unstable();
    assert_eq!(sent, (1..=6).map(|x| format!("CLICK {x},500")).collect::<Vec<_>>());
    // And whoever wants the phone for a task waits as well.
    let acting = rig.agent.act(tap(9, None)).await.unwrap();
    let task = UserInput::Task("Text Anna".to_owned());
    let (acted, done) = tokio::join!(ended(acting), rig.go_on(session, task));
    assert_eq!((acted.outcome, done.message.as_str()), (DirectOutcome::Done, "Sent."));
}

#[tokio::test(start_paused = true)]
async fn a_session_of_ones_own_is_left_after_ten_minutes_or_when_it_is_full() {
    let rig = Rig::new([]).limited(|limits| limits.session_steps = 2);
    let first = act(&rig.agent, tap(1, None)).await.session_id;
    tokio::time::sleep(Duration::from_secs(599)).await;
    assert_eq!(act(&rig.agent, tap(2, None)).await.session_id, first);
    let full = refused(&rig.agent, tap(3, Some(first))).await;
    assert!(matches!(full, AgentError::SessionFull(id) if id == first), "{full}");
    let second = act(&rig.agent, tap(3, None)).await.session_id;
    assert_ne!(second, first);
    tokio::time::sleep(Duration::from_secs(601)).await;
    assert_ne!(act(&rig.agent, tap(4, None)).await.session_id, second);
    assert_eq!(rig.phone.sent().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_went_wrong_is_told_and_never_tried_again() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Refused);
    rig.phone.breaks(Call::Perform, 2..=2, Fault::LinkLost);
    let refused = act(&rig.agent, tap(1, None)).await;
    assert!(matches!(&refused.outcome, DirectOutcome::NotDone(why) if why.contains("exit code 1")));
    assert!(refused.shown.is_none() && refused.line.error.is_some(), "{refused:?}");
    let doubtful = act(&rig.agent, tap(2, None)).await;
    assert!(matches!(&doubtful.outcome, DirectOutcome::Doubtful(why) if why.contains("was lost")));
    assert!(doubtful.shown.unwrap().changed, "it was done all the same, and that shows");
    rig.phone.moves(Motion::Dead);
    let dead = act(&rig.agent, tap(3, None)).await;
    assert_eq!(dead.outcome, DirectOutcome::Done);
    assert!(!dead.shown.unwrap().changed);
    assert_eq!(rig.phone.sent(), ["CLICK 1,500", "CLICK 2,500", "CLICK 3,500"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_gone_is_told_at_once() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Gone);
    rig.phone.breaks(Call::Capture, 3..=3, Fault::Gone);
    let session = act(&rig.agent, tap(1, None)).await.session_id;
    let gone = refused(&rig.agent, tap(2, None)).await;
    assert!(matches!(gone, AgentError::Device(_)), "{gone}");
    let before = tokio::time::Instant::now();
    rig.phone.breaks(Call::Capture, 4..=9, Fault::Gone);
    let lost = act(&rig.agent, tap(2, None)).await;
    assert_eq!(lost.session_id, session);
    assert!(matches!(&lost.outcome, DirectOutcome::NotDone(why) if why.contains("not connected")));
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
    assert_eq!(rig.phone.sent(), ["CLICK 1,500"]);
    all_but_the_round_is_closed(&rig, session).await;
}

async fn all_but_the_round_is_closed(rig: &Rig, session: SessionId) {
    let mut events = rig.events(session).await;
    events.retain(|event| !matches!(event.entry.fact, Fact::RoundStart { .. }));
    all_is_closed(&events);
}

#[tokio::test(start_paused = true)]
async fn on_a_dark_screen_nothing_is_hit_that_nobody_saw() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::State, 1..=1, Fault::ScreenOff);
    let dark = act(&rig.agent, tap(1, None)).await;
    assert!(
        matches!(&dark.outcome, DirectOutcome::NotDone(why) if why.contains("the screen was off"))
    );
    assert_eq!(rig.phone.sent(), ["WAKE"]);
    let lit = act(&rig.agent, tap(1, None)).await;
    assert_eq!(lit.outcome, DirectOutcome::Done);

    for (key, sent) in
        [(Key::Home, &["WAKE", "HOT_KEY HOME"][..]), (Key::Power, &["HOT_KEY POWER"])]
    {
        let rig = Rig::new([]);
        rig.phone.breaks(Call::State, 1..=1, Fault::ScreenOff);
        let pressed = act(&rig.agent, key_act(key)).await;
        assert_eq!(pressed.outcome, DirectOutcome::Done, "{key:?}");
        assert_eq!(rig.phone.sent(), sent);
    }
}

fn key_act(key: Key) -> DirectAction {
    DirectAction { gesture: Gesture::HotKey { key }, ..tap(1, None) }
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_back_in_time_is_not_sent_and_a_gesture_is_not_interrupted() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::Capture, 1..=1, Fault::Hang);
    let acting = rig.agent.act(tap(1, None)).await.unwrap();
    rig.phone.gets(Call::Capture, 1).await;
    acting.stop(StopReason::Cancelled);
    let taken_back = ended(acting).await;
    assert!(matches!(taken_back.outcome, DirectOutcome::NotDone(_)), "{taken_back:?}");
    assert_eq!(rig.phone.sent(), [""; 0]);

    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let mut acting = rig.agent.act(tap(2, None)).await.unwrap();
    rig.phone.gets(Call::Perform, 1).await;
    acting.stop(StopReason::Cancelled);
    let early = tokio::time::timeout(Duration::from_mins(1), acting.finished()).await;
    assert!(early.is_err(), "it is waited for");
    rig.phone.let_go();
    assert_eq!(ended(acting).await.outcome, DirectOutcome::Done);
    assert_eq!(rig.phone.sent(), ["CLICK 2,500"]);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_nobody_waits_for_any_more_does_not_hold_the_phone() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let from = "/sdcard/film.mp4".to_owned();
    let fetch = DeviceCommand::FetchFile { from, file: "film.mp4".to_owned() };
    let fetch = DirectAction { gesture: Gesture::Command(fetch), ..tap(1, None) };
    let acting = rig.agent.act(fetch).await.unwrap();
    rig.phone.gets(Call::Perform, 1).await;
    acting.stop(StopReason::Cancelled);
    let DirectOutcome::NotDone(why) = ended(acting).await.outcome else { panic!("it is over") };
    assert!(why.contains("nothing of it was kept"), "{why}");
    assert_eq!(act(&rig.agent, tap(2, None)).await.outcome, DirectOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_typed_and_kept_nowhere() {
    const SECRET: &str = "hunter2 <&> x";
    let rig = Rig::new([complete("done")]);
    let typed = act(&rig.agent, DirectAction { secret: true, ..types(SECRET, None) }).await;
    assert!(rig.phone.sent()[0].starts_with(&format!("TYPE {SECRET}")), "{:?}", rig.phone.sent());
    assert!(!format!("{typed:?}").contains("hunter2"), "{typed:?}");
    let kept = typed.line.action.arguments["value"].as_str().unwrap().to_owned();
    assert!(kept.starts_with("[secret reply"), "{kept}");
    // Into a field that hides it, nobody has to say so.
    rig.phone.shows("<hierarchy/>", true);
    act(&rig.agent, types("swordfish", None)).await;
    rig.go_on(typed.session_id, UserInput::Task("go on".to_owned())).await;
    for text in ["hunter2", "&lt;&amp;", "swordfish"] {
        assert_eq!(rig.files_with(text), [""; 0], "{text}");
    }
    // A placeholder of another process means nothing here, and nobody is asked.
    let next = rig.restarted([]);
    let lost = act(&next.agent, types(&kept, Some(typed.session_id))).await;
    assert!(
        matches!(&lost.outcome, DirectOutcome::NotDone(why) if why.contains("forgotten when the server"))
    );
    assert_eq!(next.phone.sent(), [""; 0]);
    let report = next.agent.report(typed.session_id, &client()).await.unwrap();
    assert_eq!(report.question, None);
}

#[test]
fn a_process_that_dies_in_an_act_leaves_an_honest_record() {
    let rig = Rig::new([info("Please sign in")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let life = process();
    let session = life.block_on(async {
        let session = rig.run().await.session_id;
        let _acting = rig.agent.act(tap(7, Some(session))).await.unwrap();
        rig.phone.gets(Call::Perform, 1).await;
        session
    });
    drop(life);
    assert_eq!(rig.phone.gestures(), ["CLICK 7,500"]);
    let next = rig.restarted([complete("In.")]);
    process().block_on(async {
        let report = next.agent.report(session, &client()).await.unwrap();
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "the question is there");
        let done = next.go_on(session, UserInput::Reply("done".to_owned())).await;
        assert_eq!(done.message, "In.");
        assert_eq!(next.phone.sent(), [""; 0], "what was begun is not repeated");
        let seen = next.script.last();
        let history = seen.past_in_words();
        assert!(history[2].starts_with("CLICK 7,500 (interrupted"), "{history:?}");
        assert!(history[2].contains("may or may not have been carried out"), "{history:?}");
        assert!(
            seen.system_notes.iter().any(|it| it.contains("CLICK 7,500")),
            "{:?}",
            seen.system_notes
        );
        all_is_closed(&next.events(session).await);
    });
}

#[test]
fn a_record_of_acts_cut_anywhere_takes_the_next_act_and_the_next_task() {
    let rig = Rig::new([]);
    let session = process().block_on(async {
        let session = act(&rig.agent, tap(1, None)).await.session_id;
        act(&rig.agent, types("Anna", None)).await;
        session
    });
    let whole = process().block_on(rig.events(session));
    assert!(15 < whole.len(), "{}", whole.len());
    for length in 1..=whole.len() {
        let last = &whole[length - 1].entry.fact;
        let next = rig.cut(session, length, [complete("revived")]);
        process().block_on(async {
            let acted = act(&next.agent, tap(9, Some(session))).await;
            assert_eq!(acted.outcome, DirectOutcome::Done, "cut after {length}, {last:?}");
            let done = next.go_on(session, UserInput::Task("Text Anna".to_owned())).await;
            assert_eq!(done.message, "revived", "cut after {length}, {last:?}");
            assert_eq!(next.phone.sent(), ["CLICK 9,500"], "cut after {length}, {last:?}");
            all_is_closed(&next.events(session).await);
        });
    }
}

/// What the client does by itself is no task for a model, however early its record ends.
#[test]
fn a_record_of_acts_cut_anywhere_has_no_task() {
    let rig = Rig::new([]);
    let session = process().block_on(async { act(&rig.agent, tap(1, None)).await.session_id });
    let whole = process().block_on(rig.events(session));
    for length in 1..=whole.len() {
        let last = &whole[length - 1].entry.fact;
        let next = rig.cut(session, length, [complete("Sent.")]);
        process().block_on(async {
            let nothing = next.resume(session, UserInput::Nothing).await.map(drop);
            let no_task = matches!(nothing, Err(AgentError::NoTask(id)) if id == session);
            assert!(no_task, "cut after {length}, {last:?}: {nothing:?}");
            let acted = act(&next.agent, tap(9, Some(session))).await;
            assert_eq!(acted.outcome, DirectOutcome::Done, "cut after {length}, {last:?}");
            let notes = kinds(&next, session).await;
            let notes = notes.iter().filter(|kind| *kind == "note").count();
            assert_eq!(notes, 1, "cut after {length}, {last:?}: direct control is noted once");
            let done = next.go_on(session, UserInput::Reply("Text Bob".to_owned())).await;
            assert_eq!((done.task.as_str(), done.message.as_str()), ("Text Bob", "Sent."));
        });
    }
}

#[tokio::test(start_paused = true)]
async fn wherever_the_disk_fails_in_an_act_nothing_is_sent_afterwards_and_no_lie_told() {
    for write in [Write::Append, Write::Sync, Write::Keep] {
        let mut failures = 0;
        for nth in 1.. {
            let mut disk = None;
            let rig = Rig::new([]).kept_by(|inner, phone| {
                let failing = Arc::new(FailingJournal::new(inner, phone, write, nth));
                disk = Some(failing.clone());
                failing
            });
            let disk = disk.expect("it was wrapped");
            let where_ = format!("{write:?} {nth}");
            let outcome = match rig.agent.act(tap(1, None)).await {
                Ok(mut acting) => {
                    within(acting.finished()).await;
                    let reason = acting.report().stop_reason;
                    acting.result().map_or(Err(reason), |acted| Ok(acted.outcome.clone()))
                }
                Err(AgentError::Journal(_)) => Err(StopReason::StorageFailed),
                Err(err) => panic!("{where_}: {err}"),
            };
            let Some(sent) = disk.sent() else {
                assert_eq!(outcome, Ok(DirectOutcome::Done), "{where_}");
                break;
            };
            failures += 1;
            assert_eq!(rig.phone.sent(), sent, "{where_}: nothing after the failure");
            match outcome {
                Ok(told) => {
                    // Only what comes after the step was lost.
                    assert_eq!((told, sent.len()), (DirectOutcome::Done, 1), "{where_}");
                }
                Err(reason) => assert_eq!(reason, StopReason::StorageFailed, "{where_}"),
            }
        }
        assert!(0 < failures, "{write:?}");
    }
}
