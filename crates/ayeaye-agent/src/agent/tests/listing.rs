//! Lists of sessions: they say of each what its report says, and read no record for it that was summed up.
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::direct::{act, tap};
use super::resume::{task, with_silent_phone};
use crate::fakes::{Rig, ScriptedReply, click, client, complete, info};
use crate::{DIRECT_REQUEST, Principal, SessionId, SessionInBrief, StopReason, UserInput};

/// Each session of the list, as its report tells it too.
async fn listed(rig: &Rig, case: &str) -> Vec<SessionInBrief> {
    let list = rig.agent.listed(&client(), None, usize::MAX).await.unwrap();
    assert!(!list.more, "{case}");
    let mut sessions = Vec::new();
    for (id, brief) in list.sessions {
        let (brief, report) = (brief.unwrap(), rig.agent.report(id, &client()).await.unwrap());
        let told = (brief.stop_reason(), brief.task(), brief.device_id(), brief.steps());
        let device = &*report.device.device_id;
        assert_eq!(
            told,
            (report.stop_reason, &*report.task, device, report.global_steps),
            "{case}"
        );
        assert!(report.updated <= brief.updated(), "{case}");
        sessions.push(brief);
    }
    sessions
}

#[tokio::test(start_paused = true)]
async fn a_list_says_what_reports_say_wherever_the_record_ends() {
    let rig = Rig::new([info("Which Anna?"), click(1), complete("Sent."), complete("Done.")]);
    let session = rig.run().await.session_id;
    act(&rig.agent, tap(100, Some(session))).await;
    rig.go_on(session, UserInput::Reply("Berg".to_owned())).await;
    act(&rig.agent, tap(200, Some(session))).await;
    act(&rig.agent, tap(300, Some(session))).await;
    assert_eq!(listed(&rig, "by hand").await[0].task(), DIRECT_REQUEST);
    rig.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
    assert_eq!(listed(&rig, "the end").await[0].task(), "Text Bob");
    for events in 1..rig.events(session).await.len() {
        let (died, case) = (rig.cut(session, events, []), format!("after {events} events"));
        // Of an act by hand that broke off the request before it is told, which was there before.
        let report = died.agent.report(session, &client()).await.unwrap();
        let brief = died.agent.in_brief(session, &client()).await.unwrap();
        assert_eq!(brief.stop_reason(), report.stop_reason, "{case}");
        assert_eq!(brief.steps(), report.global_steps, "{case}");
        let SessionInBrief::Record { message, .. } = &brief else { panic!("{case}: {brief:?}") };
        if brief.task() == report.task && report.task != DIRECT_REQUEST {
            assert_eq!(*message, report.message, "{case}");
        } else {
            assert_eq!(report.task, DIRECT_REQUEST, "{case}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_at_work_here_or_elsewhere_is_listed_as_its_run_stands() {
    // What another server sees comes from the disk, while hours of paused time go by.
    const LONG: Duration = Duration::from_hours(24 * 365);
    let rig = Rig::new([complete("Sent."), click(1), ScriptedReply::Hangs])
        .limited(|limits| (limits.model_call, limits.run_time) = (LONG, LONG));
    let done = rig.run().await.session_id;
    let running = rig.begin().await.report().session_id;
    rig.script.is_asked(3).await;
    for (server, case) in [(&rig, "here"), (&rig.beside([]), "elsewhere")] {
        let list = server.agent.listed(&client(), None, 9).await.unwrap();
        let [(first, Ok(SessionInBrief::Run(report))), (second, Ok(brief))] = &list.sessions[..]
        else {
            panic!("{case}: {list:?}")
        };
        assert_eq!((*first, *second), (running, done), "{case}");
        let told = server.agent.report(running, &client()).await.unwrap();
        assert_eq!(told, **report, "{case}");
        assert_eq!(report.stop_reason, StopReason::StillRunning, "{case}");
        assert!(matches!(brief, SessionInBrief::Record { .. }), "{case}: {brief:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_was_summed_up_is_not_read_for_a_list() {
    let rig = Rig::new([complete("Sent.")]);
    let session = rig.run().await.session_id;
    listed(&rig, "it is summed up").await;
    let folder = rig.data().join("sessions").join(session.to_string());
    let kept = fs::read(folder.join("session.json")).unwrap();
    let mut kept: Value = serde_json::from_slice(&kept).unwrap();
    kept["summary"]["task"] = "marked".into();
    fs::write(folder.join("session.json"), kept.to_string()).unwrap();
    let list = rig.agent.listed(&client(), None, 9).await.unwrap();
    assert_eq!(list.sessions[0].1.as_ref().unwrap().task(), "marked");
    // One that cannot be read is listed with its error.
    fs::write(folder.join("events.jsonl"), "{}\n{}\n").unwrap();
    let list = rig.agent.listed(&client(), None, 9).await.unwrap();
    assert!(matches!(list.sessions[..], [(id, Err(_))] if id == session), "{list:?}");
}

#[tokio::test(start_paused = true)]
async fn a_list_says_whether_its_principal_has_more() {
    let rig = Rig::new((0..3).map(|_| complete("Sent.")));
    let mut ids: Vec<SessionId> = Vec::new();
    for _ in 0..3 {
        ids.insert(0, rig.run().await.session_id);
    }
    let page = async |principal: &Principal, before, most| {
        let list = rig.agent.listed(principal, before, most).await.unwrap();
        (list.sessions.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), list.more)
    };
    assert_eq!(page(&client(), None, 2).await, (ids[..2].to_vec(), true));
    assert_eq!(page(&client(), None, 3).await, (ids.clone(), false));
    assert_eq!(page(&client(), Some(ids[1]), 2).await, (ids[2..].to_vec(), false));
    // That others have some is not told.
    assert_eq!(page(&Principal::new("other"), None, 2).await, (Vec::new(), false));
}

#[tokio::test(start_paused = true)]
async fn one_that_is_about_to_go_on_is_listed_as_running_and_acts_by_hand_do_not_change_what_came_of_it()
 {
    let rig = Arc::new(Rig::new([complete("one"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, task()).await;
    let id = rested.session_id;
    let brief = rig.agent.in_brief(id, &client()).await.unwrap();
    assert_eq!(brief.stop_reason_of_request(), StopReason::StillRunning);
    rig.phone.let_go();
    rig.ended(going_on.await.unwrap().unwrap()).await;
    act(&rig.agent, tap(100, Some(id))).await;
    let brief = rig.agent.in_brief(id, &client()).await.unwrap();
    assert_eq!(brief.stop_reason(), StopReason::UserPaused);
    assert_eq!(brief.stop_reason_of_request(), StopReason::TaskCompletedSuccessfully);
}
