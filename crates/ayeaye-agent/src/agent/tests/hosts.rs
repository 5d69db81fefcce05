//! The host agent: what it gives out, what it is told, and that nothing of it is lost when the
//! process dies.
use std::sync::Arc;

use serde_json::{Value, json};

use super::crash::{all_is_closed, process};
use crate::fakes::{Call, Fault, Rig, ScriptedReply, abort, click, complete, info, note};
use crate::journal::{CallPurpose, Event, Fact};
use crate::{ReplyMode, StopReason, UserInput};

fn says(fields: &Value) -> ScriptedReply {
    ScriptedReply::Says(fields.to_string())
}

pub(super) fn assign(app: &str, subtask: &str) -> ScriptedReply {
    says(&json!({
        "observation": "The home screen.", "thought": "One by one.", "current_subtask": subtask,
        "app": app, "message": ["Be quick"], "plan": ["the rest"], "status": "ASSIGN",
        "questions": [], "comment": format!("I open {app}"), "result": "",
    }))
}

pub(super) fn finish(result: &str) -> ScriptedReply {
    says(&json!({ "status": "FINISH", "result": result }))
}

pub(super) fn asks(question: &str) -> ScriptedReply {
    says(&json!({ "status": "PENDING", "questions": [question] }))
}

fn looks() -> ScriptedReply {
    says(&json!({ "status": "CONTINUE" }))
}

/// What stands in the record of steps, subtasks and rounds, in short words.
fn story(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| {
        let agent = event.entry.agent.as_deref().unwrap_or("-");
        Some(match &event.entry.fact {
            Fact::StepStart(it) => {
                let numbers = format!("{} {} {}", it.round_step, it.agent_step, it.request_number);
                format!("{agent} {numbers} [{} {}]", it.subtask_index, it.subtask)
            }
            Fact::StepEnd(it) => {
                let function = it.action.as_ref().map_or("", |it| it.function.as_str());
                format!("{agent} {} {function} {}", it.status, it.result)
            }
            Fact::State { from, to } => format!("{agent} {from} -> {to}"),
            Fact::SubtaskEnd { index, status, result } => {
                format!("subtask {index} {status} {result}")
            }
            Fact::Snapshot { scope, sub_round, .. } => format!("snapshot {scope} {sub_round:?}"),
            Fact::BlackboardAdd { section, item } => format!("blackboard {section} {item}"),
            Fact::RoundEnd(it) => {
                format!("round {} {} {}", it.status, it.subtask_amount, it.result)
            }
            _ => return None,
        })
    };
    events.iter().filter_map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn a_request_over_two_apps_is_given_out_and_carried_out() {
    let rig =
        Rig::new([click(1), note("it is yellow"), complete("4711"), click(2), complete("Saved.")])
            .planned([
                assign("Messages", "Find the code"),
                assign("com.notes", "Note it"),
                finish("Noted 4711."),
            ]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!((report.message.as_str(), report.task.as_str()), ("Noted 4711.", "Text Anna"));
    assert_eq!((report.global_steps, report.local_steps), (8, 8));
    assert_eq!(
        rig.phone.sent(),
        ["RESET", "AWAKE com.chat", "CLICK 1,500", "AWAKE com.notes", "CLICK 2,500"]
    );
    let final_action = report.final_action.unwrap().action;
    assert_eq!(final_action.describe(), "COMPLETE Noted 4711.");
    let events = rig.events(report.session_id).await;
    all_is_closed(&events);
    assert_eq!(
        story(&events),
        [
            "HostAgent 0 0 1 [-1 ]",
            "HostAgent ASSIGN AWAKE done",
            "HostAgent CONTINUE -> ASSIGN",
            "AppAgent_com.chat 1 0 1 [0 Find the code]",
            "AppAgent_com.chat CONTINUE CLICK done",
            "AppAgent_com.chat 2 1 2 [0 Find the code]",
            r#"blackboard notes "it is yellow""#,
            "AppAgent_com.chat CONTINUE NOTE ",
            "AppAgent_com.chat 3 2 3 [0 Find the code]",
            "AppAgent_com.chat FINISH COMPLETE 4711",
            "AppAgent_com.chat CONTINUE -> FINISH",
            "subtask 0 FINISH 4711",
            "snapshot sub_round Some(0)",
            r#"blackboard results {"subtask":"Find the code","app":"com.chat","status":"FINISH","result":"4711"}"#,
            "HostAgent ASSIGN -> CONTINUE",
            "HostAgent 4 1 2 [-1 ]",
            "HostAgent ASSIGN AWAKE done",
            "HostAgent CONTINUE -> ASSIGN",
            "AppAgent_com.notes 5 0 1 [1 Note it]",
            "AppAgent_com.notes CONTINUE CLICK done",
            "AppAgent_com.notes 6 1 2 [1 Note it]",
            "AppAgent_com.notes FINISH COMPLETE Saved.",
            "AppAgent_com.notes CONTINUE -> FINISH",
            "subtask 1 FINISH Saved.",
            "snapshot sub_round Some(1)",
            r#"blackboard results {"subtask":"Note it","app":"com.notes","status":"FINISH","result":"Saved."}"#,
            "HostAgent ASSIGN -> CONTINUE",
            "HostAgent 7 2 3 [-1 ]",
            "HostAgent FINISH COMPLETE Noted 4711.",
            "HostAgent CONTINUE -> FINISH",
            r#"blackboard requests {"request_0":"Text Anna"}"#,
            "snapshot round None",
            "round FINISH 2 Noted 4711.",
            "snapshot session None",
        ]
    );
    // What is assigned is on record as UFO has it: the place of the app in the list, and its name.
    let targets = events.iter().filter_map(|event| match &event.entry.fact {
        Fact::ToolStart(start) if start.name == "AWAKE" => start.target.clone(),
        _ => None,
    });
    let targets: Vec<_> = targets.map(|it| (it.id, it.name, it.kind, it.rect)).collect();
    let app =
        |id: &str, name: &str| (id.to_owned(), name.to_owned(), "application".to_owned(), [0; 4]);
    assert_eq!(targets, [app("0", "Messages"), app("2", "Notes")]);
    // Each app agent knows its own subtask, and what was found before as content.
    let seen = rig.script.seen();
    assert!(
        seen[0].request.starts_with("Find the code\n\nWhat you should know for it:\n- Be quick")
    );
    let of_notes = &seen[3];
    assert_eq!(of_notes.past_in_words(), [format!("? {}", of_notes.request)]);
    assert!(
        of_notes.request.contains("| found in com.chat (Find the code): 4711\n"),
        "{of_notes:?}"
    );
    assert!(
        of_notes.request.ends_with("| noted by AppAgent_com.chat: it is yellow"),
        "{of_notes:?}"
    );
    assert_eq!(seen[4].past_in_words()[1..], ["CLICK 2,500"]);
}

#[tokio::test(start_paused = true)]
async fn the_host_agent_is_told_the_name_of_the_app_in_front_and_the_languages() {
    let rig = Rig::new([]).planned([finish("Nothing to do.")]);
    rig.phone.fronts("com.chat", "Main");
    rig.phone.speaks("pt-BR,en-US");
    rig.run().await;
    let page = &rig.pages()[0];
    assert!(page.contains("In front now: com.chat, \"Messages\". The screen now:"), "{page}");
    assert!(page.contains("The phone's date and time: Thursday, 1970-01-01 "), "{page}");
    assert!(page.contains("; its languages: pt-BR,en-US\n"), "{page}");
}

#[tokio::test(start_paused = true)]
async fn the_host_agent_is_told_of_apps_results_and_answers() {
    let rig = Rig::new([note("hm"), abort("no signal"), complete("Sent.")]).planned([
        assign("Messages", "Send it"),
        asks("By mail then?"),
        assign("Mail", "Send it"),
        finish("Sent by mail."),
    ]);
    let asked = rig.run().await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(asked.question.as_ref().unwrap().text, "By mail then?");
    let report = rig.go_on(asked.session_id, UserInput::Reply("Yes".to_owned())).await;
    assert_eq!(report.message, "Sent by mail.");
    let pages = rig.pages();
    assert!(pages[0].contains("| Messages (com.chat)\n"), "{}", pages[0]);
    assert!(pages[0].contains("The user asks for:\n> Text Anna\n"), "{}", pages[0]);
    assert!(pages[0].contains("In front now: com.example.chat"), "{}", pages[0]);
    assert!(pages[1].contains("| FAIL in com.chat: Send it\n|   no signal\n"), "{}", pages[1]);
    assert!(pages[1].contains("| noted by AppAgent_com.chat: hm\n"), "{}", pages[1]);
    assert!(pages[1].contains("Your plan from last time:\n- the rest\n"), "{}", pages[1]);
    assert!(
        pages[2].contains("the newest last:\n| the user was asked: By mail then?\n> Yes\n"),
        "{}",
        pages[2]
    );
    let prompts = rig.planner.as_ref().unwrap().prompts();
    let schema = prompts[0].schema.as_ref().unwrap();
    assert_eq!(schema["properties"]["status"]["enum"].as_array().unwrap().len(), 5);
    let purposes = rig
        .facts(report.session_id, |fact| match fact {
            Fact::LlmRequest(it) => Some((it.purpose.clone(), it.response_schema.is_some())),
            _ => None,
        })
        .await;
    let (plan, act) = ((CallPurpose::Plan.into(), true), (CallPurpose::Act.into(), false));
    assert_eq!(purposes, [&plan, &act, &act, &plan, &plan, &act, &plan].map(Clone::clone));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_an_app_agent_is_answered_and_the_same_subtask_goes_on() {
    let rig = Rig::new([click(1), info("Which Anna?"), complete("Sent.")])
        .planned([assign("Messages", "Text her"), finish("Done.")]);
    let asked = rig.run().await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    let report = rig.go_on(asked.session_id, UserInput::Reply("Anna B.".to_owned())).await;
    assert_eq!(report.message, "Done.");
    let history = rig.script.last().past_in_words();
    assert_eq!(history[1..], ["CLICK 1,500", "INFO Which Anna?", "! Anna B."]);
    assert!(rig.pages()[1].contains("| the user was asked: Which Anna?\n> Anna B.\n"));
    assert_eq!(rig.phone.gestures(), ["AWAKE com.chat", "CLICK 1,500"], "the app is opened once");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_cannot_be_read_is_asked_for_again_and_is_no_end() {
    let rig = Rig::new([complete("Sent.")]).planned([
        ScriptedReply::Says("FINISH".to_owned()),
        assign("Bank", "Text her"),
        assign("Messages", "Text her"),
        finish("Done."),
    ]);
    let report = rig.run().await;
    assert_eq!(report.message, "Done.");
    let session = rig.session(report.session_id).await;
    let shown: Vec<_> = session.step_pictures.iter().map(|it| it.step).collect();
    assert_eq!(shown, [1], "only what the app agent saw is shown to it again");
    let prompts = rig.planner.as_ref().unwrap().prompts();
    assert_eq!([0, 1, 2, 3].map(|n| prompts[n].messages.len()), [2, 4, 4, 2]);
    let rig = Rig::new([]).planned((0..3).map(|_| says(&json!({ "status": "FINISH" }))));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.message.contains("does not say what came of it"), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn an_app_that_was_installed_meanwhile_is_found() {
    let rig = Rig::new([complete("Got it."), complete("Sent.")]).planned([
        assign("Messages", "Get the app"),
        assign("Courier", "Send it"),
        finish("Done."),
    ]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    rig.phone.installs("com.courier", "Courier");
    assert_eq!(rig.ended(follower).await.message, "Done.");
    assert_eq!(rig.phone.gestures(), ["AWAKE com.chat", "AWAKE com.courier"]);
    assert_eq!(rig.phone.count(Call::Apps), 2);
}

#[tokio::test(start_paused = true)]
async fn an_app_that_does_not_open_is_not_given_a_subtask() {
    for (fault, words) in [
        (Fault::Refused, "(AWAKE) was not carried out"),
        (Fault::TimedOut(std::time::Duration::from_secs(5)), "(AWAKE) may or may not"),
    ] {
        let rig = Rig::new([complete("Sent.")]).planned([
            assign("Messages", "Text her"),
            assign("Mail", "Mail her"),
            finish("Done."),
        ]);
        rig.phone.breaks(Call::Perform, 1..=1, fault);
        let report = rig.run().await;
        assert_eq!(report.message, "Done.");
        assert!(rig.pages()[1].contains(words), "{}", rig.pages()[1]);
        let story = story(&rig.events(report.session_id).await);
        let ends: Vec<_> = story.iter().filter(|line| line.starts_with("subtask")).collect();
        assert_eq!(ends, ["subtask 0 FINISH Sent."], "what was not begun has no number");
    }
}

#[tokio::test(start_paused = true)]
async fn the_apps_of_a_phone_that_is_away_are_waited_for() {
    let rig = Rig::new([]).planned([finish("Nothing to do.")]);
    rig.phone.breaks(Call::Apps, 1..=2, Fault::LinkLost);
    assert_eq!(rig.run().await.message, "Nothing to do.");
    let rig = Rig::new([]).planned([]);
    rig.phone.breaks(Call::Apps, 1..=1, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::DeviceLost);
    assert!(report.message.contains("the phone's apps"), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn what_fails_again_and_again_is_told_and_then_stopped() {
    let rig = Rig::new((0..4).map(|_| abort("no signal")))
        .planned((0..5).map(|_| assign("Messages", "Text  her")));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NoProgress);
    assert!(report.message.contains("failed 4 times in com.chat"), "{}", report.message);
    let told: Vec<_> =
        rig.pages().iter().map(|page| page.contains("failed more than once")).collect();
    assert_eq!(told, [false, false, true, true, true]);
}

#[tokio::test(start_paused = true)]
async fn a_round_has_so_many_subtasks_and_a_look_so_many_repetitions() {
    let rig = Rig::new([complete("one"), complete("two")])
        .limited(|limits| limits.subtasks = 2)
        .planned([assign("Mail", "a"), assign("Mail", "b"), assign("Mail", "c")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NoProgress);
    assert!(report.message.contains("more than 2 subtasks"), "{}", report.message);
    assert!(rig.pages()[2].contains("No further subtask"), "{}", rig.pages()[2]);
    let rig = Rig::new([]).planned((0..8).map(|_| looks()));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NoProgress);
    assert!(rig.pages()[4].contains("given out nothing 4 times in a row"), "{}", rig.pages()[4]);
    assert!(!rig.pages()[3].contains("given out nothing"));
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_was_cut_off_is_no_end() {
    let end = r#"{"status": "FINISH", "result": "Done."}"#.to_owned();
    let rig = Rig::new([]).planned([ScriptedReply::Cut(end), finish("Nothing to do.")]);
    assert_eq!(rig.run().await.message, "Nothing to do.");
}

#[tokio::test(start_paused = true)]
async fn what_never_begins_is_given_out_only_so_often() {
    // Looks in between do not make it any better.
    let plans = (0..8).map(|n| if n % 3 == 2 { looks() } else { assign("Mail", "Mail her") });
    let rig = Rig::new([]).planned(plans);
    rig.phone.breaks(Call::Perform, 1..=100, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NoProgress);
    assert!(report.message.contains("given out nothing 8 times"), "{}", report.message);
    assert!(
        rig.pages()[4].contains("you have given out what could not begin"),
        "{}",
        rig.pages()[4]
    );
}

#[tokio::test(start_paused = true)]
async fn steps_that_are_used_up_leave_the_subtask_open() {
    let rig = Rig::new([click(1), click(2), complete("Sent.")])
        .planned([assign("Messages", "Text her"), finish("Done.")])
        .steps(2);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    let report = rig.go_on(report.session_id, UserInput::Reply("Hurry".to_owned())).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    let history = rig.script.last().past_in_words();
    assert_eq!(history[1..], ["CLICK 1,500", "! Hurry", "CLICK 2,500"]);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "Done.");
    assert!(
        rig.pages()[1].contains("The user has also said, the newest last:\n> Hurry\n"),
        "{}",
        rig.pages()[1]
    );
    let story = story(&rig.events(report.session_id).await);
    assert_eq!(story.iter().filter(|line| line.starts_with("subtask")).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_new_request_drops_the_subtask_and_may_do_without_a_host_agent() {
    let mut rig =
        Rig::new([click(1), complete("Read.")]).planned([assign("Messages", "Text her")]).steps(2);
    let report = rig.run().await;
    let planner = rig.planner.take();
    let next = UserInput::Task("Read the news".to_owned());
    let report = rig.go_on(report.session_id, next).await;
    assert_eq!(report.message, "Read.");
    let seen = rig.script.last();
    assert_eq!(seen.request, "Read the news");
    let story = story(&rig.events(report.session_id).await);
    assert!(
        story.contains(&"subtask 0 FAIL dropped: the user asked for something else".to_owned())
    );
    assert!(story.contains(&"round DROPPED 1 ".to_owned()), "{story:?}");
    assert!(story.contains(&"round FINISH 1 Read.".to_owned()), "{story:?}");
    assert!(story.iter().any(|line| line.starts_with("AppAgent 0 0 1 ")), "{story:?}");
    drop(planner);
}

#[tokio::test(start_paused = true)]
async fn the_next_request_knows_what_came_of_the_last_one() {
    let rig = Rig::new([complete("4711"), complete("Sent.")]).planned([
        assign("Messages", "Find the code"),
        finish("It is 4711."),
        assign("Mail", "Mail the code"),
        finish("Mailed."),
    ]);
    let report = rig.run().await;
    let next = UserInput::Task("Mail it to Bob".to_owned());
    let report = rig.go_on(report.session_id, next).await;
    assert_eq!(report.message, "Mailed.");
    let page = &rig.pages()[2];
    assert!(page.contains("Subtasks of earlier requests"), "{page}");
    assert!(page.contains("reported to them:\n| Text Anna\n|   reported: It is 4711.\n"), "{page}");
    assert!(rig.script.last().request.contains("4711"));
    let story = story(&rig.events(report.session_id).await);
    assert_eq!(story.iter().filter(|line| line.starts_with("subtask 0 FINISH")).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_planner_is_told_of_requests_that_it_has_not_planned() {
    let rig =
        Rig::new([note("it is yellow"), complete("Boots 99, Sandals 29"), info("Which Ben?")])
            .planned([finish("Sent."), finish("Sent.")]);
    let plainly = |next: crate::ContinueTask| crate::ContinueTask { planner: false, ..next };
    let mut task = rig.task("Look up the prices");
    task.planner = false;
    let first = rig.ended(rig.agent.start(task).await.unwrap()).await;
    let next = plainly(rig.next(first.session_id, UserInput::Task("Ask Ben".to_owned())));
    rig.ended(rig.agent.resume(next).await.unwrap()).await;
    let next = UserInput::Task("Text the boots' price to Ben".to_owned());
    let next = crate::ContinueTask { planner: true, ..rig.next(first.session_id, next) };
    rig.ended(rig.agent.resume(next).await.unwrap()).await;
    let page = &rig.pages()[0];
    let told =
        "| Look up the prices\n|   reported: Boots 99, Sandals 29\n| Ask Ben\n|   not finished\n";
    assert!(page.contains(told), "{page}");
    assert!(
        page.contains("\nNotes of earlier requests:\n| noted by AppAgent: it is yellow\n"),
        "{page}"
    );
    assert!(!page.contains("\nNotes:\n"), "{page}");
}

#[test]
fn an_app_that_was_being_opened_when_the_process_died_is_not_opened_again() {
    let rig = Rig::new([]).planned([assign("Messages", "Text her")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let life = process();
    let session = life.block_on(async {
        let session = rig.begin().await.report().session_id;
        rig.phone.gets(Call::Perform, 1).await;
        session
    });
    drop(life);
    let next =
        rig.restarted([complete("Sent.")]).planned([assign("Mail", "Mail her"), finish("Done.")]);
    let report = process().block_on(next.go_on(session, UserInput::Nothing));
    assert_eq!(report.message, "Done.");
    assert!(
        next.pages()[0].contains("(AWAKE) was under way: it may or may not"),
        "{}",
        next.pages()[0]
    );
    assert_eq!(next.phone.gestures(), ["AWAKE com.mail"]);
}

#[test]
fn a_planned_record_cut_anywhere_goes_on_to_its_end() {
    let rig = Rig::new([
        note("it is yellow"),
        info("Which?"),
        complete("4711"),
        abort("full"),
        click(2),
        complete("Saved."),
    ])
    .planned([
        assign("Messages", "Find the code"),
        assign("Notes", "Note it"),
        asks("Elsewhere?"),
        assign("Mail", "Note it there"),
        finish("Noted."),
    ])
    .answering(ReplyMode::NoReply);
    let session = process().block_on(rig.run()).session_id;
    let whole = process().block_on(rig.events(session));
    let rig = Arc::new(rig);
    for length in 1..whole.len() {
        // Whoever's turn it is has enough to say, and the plan is short.
        let app = (0..2).map(|_| complete("revived")).collect::<Vec<_>>();
        let next = rig.cut(session, length, app).planned([finish("revived")]);
        let report = process().block_on(next.go_on(session, UserInput::Nothing));
        let last = &whole[length - 1].entry.fact;
        let report = match report.stop_reason {
            StopReason::InfoActionNeedsReply => {
                let words = UserInput::Reply("B.".to_owned());
                process().block_on(next.go_on(session, words))
            }
            StopReason::TaskCompletedSuccessfully => report,
            other => panic!("cut after {length}, {last:?}: {other} {}", report.message),
        };
        let ends = |event: &Event| matches!(event.entry.fact, Fact::RoundEnd(_));
        if whole[..length].iter().any(ends) {
            assert_eq!(report.message, "Noted.");
            continue;
        }
        assert_eq!(report.message, "revived", "cut after {length}, {last:?}");
        assert_eq!(next.phone.gestures(), [""; 0], "cut after {length}, {last:?}");
        let events = process().block_on(next.events(session));
        all_is_closed(&events);
        // Every subtask that was given out has one end, one picture and one place on the board.
        let story = story(&events);
        let count = |what: &str| story.iter().filter(|line| line.starts_with(what)).count();
        let given = count("HostAgent ASSIGN AWAKE");
        assert_eq!(count("subtask "), given, "cut after {length}: {story:#?}");
        assert_eq!(count("blackboard results"), given, "cut after {length}: {story:#?}");
        assert!(given <= count("snapshot sub_round"), "cut after {length}: {story:#?}");
        // Numbers go on: none is given twice.
        let mut numbers: Vec<&String> = story.iter().filter(|line| line.ends_with(']')).collect();
        let all = numbers.len();
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), all, "cut after {length}: {story:#?}");
    }
}

#[test]
fn old_records_have_no_host_agent() {
    let facts: crate::journal::RunRecord =
        serde_json::from_value(json!({ "max_steps": 3, "reply_mode": "no_reply" })).unwrap();
    assert!(!facts.planner);
    assert_eq!(
        serde_json::to_value(&facts).unwrap(),
        json!({ "max_steps": 3, "reply_mode": "no_reply" })
    );
}

#[tokio::test(start_paused = true)]
async fn an_app_that_an_operator_has_allowed_is_opened_before_its_subtask_begins() {
    let rig = Rig::new([complete("Paid.")])
        .planned([assign("Venmo", "Pay"), assign("Venmo", "Pay"), finish("Done.")])
        .answering(ReplyMode::ManualReply);
    rig.phone.installs("com.venmo", "Venmo");
    let mut follower = rig.begin().await;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await);
    }
    let yes = UserInput::Reply("yes".to_owned());
    rig.resume(follower.report().session_id, yes).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), ["AWAKE com.venmo"]);
    let story = story(&rig.events(report.session_id).await);
    let ends: Vec<_> = story.iter().filter(|line| line.starts_with("subtask")).collect();
    assert_eq!(ends, ["subtask 0 FINISH Paid."]);
}
