//! The loop against a phone, a model and a disk that do as they are told.
mod approval;
mod attackers;
mod before_it_begins;
mod caption;
mod changing;
mod crash;
mod declined;
mod digests;
mod direct;
mod direct_phones;
mod fallback;
mod followed;
mod gate;
mod guesses;
mod hosts;
mod in_hand;
mod in_the_dark;
mod kept_private;
mod known_elements;
mod left_messages;
mod lengths_only;
mod limits;
mod listing;
mod many;
mod privacy;
mod private_apps;
mod put_back;
mod question_numbers;
mod questions;
mod queue;
mod racing;
mod repeated_answers;
mod replay;
mod resume;
mod rounds;
mod same_screen;
mod screens;
mod secret_pieces;
mod servers;
mod settling;
mod speculation;
mod starting_again;
mod step_times;
mod stopping;
mod storage;
mod trouble;
mod unreadable_secrets;
mod which_person;
mod written_otherwise;

use crate::fakes::{Rig, click, complete, note, wait};
use crate::journal::Fact;
use crate::{Session, StopReason};

#[tokio::test(start_paused = true)]
async fn a_task_is_carried_out_step_by_step() {
    let rig = Rig::new([click(100), note("she is online"), wait(2), click(200), complete("Sent.")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(report.message, "Sent.");
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 100,500", "CLICK 200,500"]);
    assert_eq!((report.global_steps, report.local_steps), (5, 5));
    assert_eq!(report.screenshot_step, Some(4));
    assert_eq!(report.final_action.unwrap().action.function, "COMPLETE");
    assert_eq!(report.usage.prompt_tokens, 500);
    assert!((report.usage.model_ms - 5.0 * 800.0).abs() < 1.0, "{:?}", report.usage);
    assert!(!report.usage.cost_known);
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Text Anna", "CLICK 100,500", "NOTE she is online", "WAIT 2", "CLICK 200,500"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_followers_are_told_is_what_the_record_says() {
    let rig = Rig::new([click(100), note("she is online"), click(200), complete("Sent.")]);
    let mut follower = rig.begin().await;
    let mut told = Vec::new();
    while follower.changed().await {
        told.push((*follower.report()).clone());
    }
    let session = follower.report().session_id;
    let events = rig.events(session).await;
    let ends = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| matches!(event.entry.fact, Fact::StepEnd(_)).then_some(at + 1));
    let mut kept: Vec<_> = ends
        .map(|end| Session::from_events(session, &events[..end]).unwrap().report(true))
        .collect();
    kept.push(Session::from_events(session, &events).unwrap().report(false));
    // Only the latest is told, so some may be left out; the end never is.
    assert_eq!(told.last(), kept.last());
    let mut rest = kept.iter();
    for report in &told {
        assert!(rest.any(|kept| kept == report), "no step of the record is {report:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_number_goes_on_through_rounds_and_runs() {
    let rig = Rig::new([click(1), complete("one"), click(2), click(3), complete("two")]).steps(2);
    let session = rig.run().await.session_id;
    let report = rig.go_on(session, crate::UserInput::Task("Text Bob".to_owned())).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    assert_eq!((report.global_steps, report.local_steps), (4, 2));
    let report = rig.go_on(session, crate::UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!((report.global_steps, report.local_steps), (5, 1));
    assert_eq!(report.task, "Text Bob");

    let steps = rig.events(session).await;
    let steps: Vec<_> = steps
        .iter()
        .filter_map(|event| match &event.entry.fact {
            Fact::StepStart(start) => Some((
                (event.entry.round, event.entry.step),
                (start.round_step, start.agent_step, start.request_number),
            )),
            _ => None,
        })
        .collect();
    assert_eq!(
        steps,
        [
            ((Some(0), Some(0)), (0, 0, 1)),
            ((Some(0), Some(1)), (1, 1, 2)),
            ((Some(1), Some(2)), (0, 2, 3)),
            ((Some(1), Some(3)), (1, 3, 4)),
            ((Some(1), Some(4)), (2, 4, 5)),
        ]
    );
    let requests = rig
        .facts(session, |fact| match fact {
            Fact::LlmRequest(it) => Some((it.call_id, it.request_number, it.iteration)),
            _ => None,
        })
        .await;
    assert_eq!(requests, [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1)]);
    let tools = rig
        .facts(session, |fact| match fact {
            Fact::ToolStart(it) => Some((it.tool_call_id, it.name.clone())),
            _ => None,
        })
        .await;
    let names = ["RESET", "CLICK", "CLICK", "CLICK"].map(str::to_owned);
    assert_eq!(tools, (1..).zip(names).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_gesture_is_on_the_disk_before_it_is_sent() {
    // The phone reads the file when it is touched, and complains when the rig is dropped. Here it
    // is shown that this would be seen: a gesture past the loop is complained about.
    let rig = Rig::new([click(1), complete("")]);
    rig.run().await;
    let device: &dyn crate::Device = &*rig.phone;
    let point = crate::Point::new(1, 1).unwrap();
    let size = crate::ScreenSize { width: 60, height: 120 };
    device.perform(&crate::Gesture::Click { point }, size).await.unwrap();
    assert_eq!(rig.phone.forgiven(), ["CLICK 1,1 came before its tool.start was on the disk"]);
}
