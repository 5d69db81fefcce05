use ayeaye_agent::journal::DeviceRecord;

use super::*;
use crate::mcp::results::samples;

fn report(stop_reason: StopReason, task: &str, question: Option<Question>) -> Report {
    Report { task: task.to_owned(), question, ..samples::report(stop_reason) }
}

fn device() -> DeviceRecord {
    DeviceRecord {
        device_id: "a".to_owned(),
        model: String::new(),
        android_version: String::new(),
        wm_size: [1, 1],
        serial_digest: None,
    }
}

fn summary(question: Option<&str>) -> Summary {
    Summary {
        task_name: String::new(),
        task: "t".to_owned(),
        owner: None,
        device: device(),
        device_server: None,
        stop_reason: None,
        message: String::new(),
        by_hand: None,
        question: question.map(str::to_owned),
        asked_at_step: question.map(|_| 4),
        rounds: 1,
        round_open: true,
        steps: 5,
        calls: 5,
        tokens: 0,
        cost_usd: 0.0,
        cost_known: true,
        model_ms: 0.4,
        other_ms: 1.5,
        apps: Vec::new(),
        started: jiff::Timestamp::UNIX_EPOCH,
        last: jiff::Timestamp::UNIX_EPOCH,
        last_seq: 1,
        bytes: 0,
    }
}

/// A session that runs, after so many events.
pub(in crate::page) fn sample(last_seq: u64) -> View {
    let running = report(StopReason::StillRunning, "t", None);
    let head = Head {
        line: SessionLine::new(
            running.session_id,
            &summary(None),
            Told { report: Some(&running), ..Told::default() },
        ),
        rounds: Vec::new(),
        first_step: 0,
        question: None,
        next: "",
        can: Can::default(),
    };
    View { head, steps: Vec::new(), last_seq }
}

/// The controls of a session that stands so, by their names.
fn controls(report: &Report, elsewhere: bool, round_open: bool) -> Vec<String> {
    let asked = report.question.as_ref().map(|it| it.text.as_str());
    let summary = Summary { round_open, ..summary(asked) };
    let line = SessionLine::new(
        report.session_id,
        &summary,
        Told { report: Some(report), elsewhere, ..Told::default() },
    );
    let can = serde_json::to_value(Can::of(&line, report, &summary)).unwrap();
    let on = can.as_object().unwrap().iter().filter(|(_, on)| **on == true);
    on.map(|(name, _)| name.clone()).collect()
}

#[test]
fn the_controls_are_those_that_do_something() {
    use StopReason::{
        Cancelled, InfoActionNeedsReply, StillRunning, TaskAbortedByAgent,
        TaskCompletedSuccessfully, UserPaused,
    };
    let question = || Some(Question::info("Which?"));
    for (reason, task, question, expected) in [
        (StillRunning, "t", None, &["guide", "pause", "stop", "take"][..]),
        (InfoActionNeedsReply, "t", question(), &["answer", "new_task", "stop", "take"]),
        (UserPaused, "t", question(), &["answer", "new_task", "stop", "take"]),
        (UserPaused, "t", None, &["guide", "new_task", "resume", "take"]),
        (Cancelled, "t", None, &["guide", "new_task", "resume", "take"]),
        (TaskCompletedSuccessfully, "t", None, &["new_task"]),
        (TaskAbortedByAgent, "t", None, &["new_task"]),
        (UserPaused, DIRECT_REQUEST, None, &["new_task", "take"]),
    ] {
        let mut report = report(reason, task, question);
        if reason == StillRunning {
            // Only a run that waits for its phone says something before its end.
            report.message.clear();
        }
        let mut on = controls(&report, false, true);
        on.sort();
        assert_eq!(on, expected, "{reason:?} {task}");
        // A phone that is not here is not taken over from here.
        let mut there = controls(&report, true, true);
        there.sort();
        on.retain(|it| it != "take");
        assert_eq!(there, on);
    }
    let given_up = report(Cancelled, "t", None);
    assert_eq!(controls(&given_up, false, false), ["take", "new_task"]);
}

#[test]
fn what_a_person_does_with_their_own_hands_is_no_run_that_goes_on() {
    let asking = summary(Some("Which?"));
    for (summary, question) in [(summary(None), None), (asking, Some(Question::info("Which?")))] {
        let seen = |reason| {
            // Between their acts it is paused, or asks; during one it runs.
            let report = Report { message: String::new(), ..report(reason, "t", question.clone()) };
            let told = Told { report: Some(&report), driven: true, ..Told::default() };
            let line = SessionLine::new(report.session_id, &summary, told);
            assert!(line.driven && line.is_open() && !line.running);
            assert!(next(&line, &report, false).contains("driven by hand"));
            (line.waiting, Can::of(&line, &report, &summary))
        };
        let between = seen(StopReason::UserPaused);
        assert_eq!(seen(StopReason::StillRunning), between);
        assert_eq!((between.0, between.1.resume), (question.is_some(), question.is_none()));
    }
}

#[test]
fn who_acted_in_place_of_the_agent_is_told_by_the_end_of_the_run_alone() {
    let left = |reason, message: &str| {
        let summary =
            Summary { stop_reason: Some(reason), message: message.to_owned(), ..summary(None) };
        SessionLine::new(SessionId::new(), &summary, Told::default()).acted_by
    };
    let person = "a person acts on the phone by hand; the session can be handed to the agent";
    let client = "the client acts on the phone itself; the session can be handed to the agent";
    assert_eq!(left(StopReason::UserPaused, person), Some("person"));
    assert_eq!(left(StopReason::UserPaused, client), Some("client"));
    assert_eq!(left(StopReason::UserPaused, "the operator paused the run"), None);
    // What a model says of it is a model's word.
    assert_eq!(left(StopReason::TaskCompletedSuccessfully, person), None);
}

#[test]
fn a_question_of_a_run_that_stands_still_for_it_waits_and_takes_nothing_but_the_answer() {
    let running = report(StopReason::StillRunning, "t", Some(Question::info("Which?")));
    let running = Report { message: String::new(), ..running };
    let asking = summary(Some("Which?"));
    let line = SessionLine::new(
        running.session_id,
        &asking,
        Told { report: Some(&running), asks: true, ..Told::default() },
    );
    assert!(line.running && line.waiting);
    let can = Can::of(&line, &running, &asking);
    assert!(can.answer && can.pause && can.stop && can.take && !can.guide, "{can:?}");
    // The record has the answer before the report goes without the question.
    let line = SessionLine::new(
        running.session_id,
        &summary(None),
        Told { report: Some(&running), asks: true, ..Told::default() },
    );
    assert!(!line.waiting);
}

#[test]
fn a_question_of_a_run_that_goes_on_does_not_wait() {
    let running = report(StopReason::StillRunning, "t", Some(Question::info("Which?")));
    let running = Report { message: String::new(), ..running };
    let line = SessionLine::new(
        running.session_id,
        &summary(Some("Which?")),
        Told { report: Some(&running), ..Told::default() },
    );
    assert!(line.running && !line.waiting && !line.queued && line.ended_at.is_none());
    assert_eq!((line.model_ms, line.other_ms), (0, 2));
    // Only a run that waits for its phone says something before its end.
    let queued = Report { message: "2nd in the queue".to_owned(), ..running };
    assert!(
        SessionLine::new(
            queued.session_id,
            &summary(None),
            Told { report: Some(&queued), ..Told::default() }
        )
        .queued
    );
}

#[test]
fn a_run_whose_phone_has_gone_away_is_not_in_line() {
    let message =
        "The phone is waited for until 2026-11-30T02:58:30Z: a is not connected.".to_owned();
    let away = Report { message, ..report(StopReason::StillRunning, "t", None) };
    let summary = summary(None);
    let told = Told { report: Some(&away), ..Told::default() };
    let line = SessionLine::new(away.session_id, &summary, told);
    assert!(line.running && !line.queued);
    assert_eq!(line.away_until.as_deref(), Some("2026-11-30T02:58:30Z"));
    let can = Can::of(&line, &away, &summary);
    assert!(can.stop && !can.take, "{can:?}");
    assert!(next(&line, &away, false).contains("gone away"));
}

#[test]
fn a_session_that_cannot_be_read_says_no_more_than_that() {
    let id = SessionId::new();
    let damaged = ListItem::unreadable(id, &AgentError::UnknownSession(id));
    let told = serde_json::to_value(damaged).unwrap();
    assert_eq!((&told["unreadable"], &told["running"]), (&true.into(), &false.into()));
    assert_eq!(told.get("ended_at"), None, "nobody knows when it ended");
}
