//! The process dies: what was open is closed, what was begun is not repeated, the model is told.
use std::sync::Arc;

use tokio::runtime::Runtime;

use crate::fakes::{
    Call, Fault, Rig, ScriptedReply, click, client, complete, info, sensitive, wait,
};
use crate::journal::{Event, Fact};
use crate::{Prices, ReplyMode, SessionId, StopReason, UserInput};

/// A runtime whose end is the process's: no code of a run is run after it.
pub(super) fn process() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime can be made")
}

/// Starts "Text Anna" and kills the process at that moment.
fn dies(rig: &Rig, moment: impl AsyncFnOnce(&Rig)) -> SessionId {
    let process = process();
    let session = process.block_on(async {
        let session = rig.begin().await.report().session_id;
        moment(rig).await;
        session
    });
    drop(process);
    session
}

/// What a restarted server makes of the session, given these lines of the model.
fn revives(
    dead: &Rig,
    session: SessionId,
    words: UserInput,
    lines: impl IntoIterator<Item = ScriptedReply>,
) -> (Rig, crate::Report) {
    let next = dead.restarted(lines);
    let before = process().block_on(next.agent.report(session, &client())).expect("it can be read");
    let reason = match before.question {
        Some(_) => StopReason::InfoActionNeedsReply,
        None => StopReason::ServerRestarted,
    };
    assert_eq!(before.stop_reason, reason);
    let report = process().block_on(next.go_on(session, words));
    let events = process().block_on(next.events(session));
    all_is_closed(&events);
    (next, report)
}

/// Every beginning has its end, and each comes once.
pub(super) fn all_is_closed(events: &[Event]) {
    let mut open: Vec<String> = Vec::new();
    for event in events {
        let step = event.entry.step;
        match &event.entry.fact {
            Fact::StepStart(_) => open.push(format!("step {step:?}")),
            Fact::StepEnd(_) => close(&mut open, &format!("step {step:?}")),
            Fact::LlmRequest(it) => open.push(format!("call {}", it.call_id)),
            Fact::LlmResponse(it) => close(&mut open, &format!("call {}", it.call_id)),
            Fact::ToolStart(it) => open.push(format!("tool {}", it.tool_call_id)),
            Fact::ToolEnd(it) => close(&mut open, &format!("tool {}", it.tool_call_id)),
            Fact::RoundStart { .. } => open.push(format!("round {:?}", event.entry.round)),
            Fact::RoundEnd(_) => close(&mut open, &format!("round {:?}", event.entry.round)),
            Fact::SessionStart(_) | Fact::SessionResume(_) => open.insert(0, "run".to_owned()),
            Fact::SessionEnd(_) => {
                let at = open.iter().position(|it| it == "run").expect("a run was open");
                open.remove(at);
            }
            _ => {}
        }
    }
    assert_eq!(open, [""; 0], "left open");
}

fn close(open: &mut Vec<String>, what: &str) {
    assert_eq!(open.pop().as_deref(), Some(what), "ends are in the order of beginnings");
}

fn errors(rig: &Rig, session: SessionId) -> Vec<String> {
    let events = process().block_on(rig.events(session));
    let error = |event: &Event| match &event.entry.fact {
        Fact::LlmResponse(it) => it.error.clone(),
        Fact::ToolEnd(it) => it.error.clone(),
        Fact::StepEnd(it) => it.error.clone(),
        Fact::SessionEnd(it) if it.stop_reason == StopReason::ServerRestarted => {
            Some(it.message.clone())
        }
        _ => None,
    };
    events.iter().filter_map(error).collect()
}

#[test]
fn in_the_middle_of_a_reset() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::Reset, 1..=1, Fault::Hang);
    let session = dies(&rig, async |rig| rig.phone.gets(Call::Reset, 1).await);
    let (next, report) = revives(&rig, session, UserInput::Nothing, [complete("done")]);
    assert_eq!(report.message, "done");
    // Nothing has been done on the phone yet, so it is made ready anew.
    assert_eq!(next.phone.sent(), ["RESET"]);
    assert_eq!(errors(&next, session).len(), 2, "the reset and the run");
    assert_eq!(next.script.last().system_notes, [""; 0], "a reset is not the model's action");
}

#[test]
fn in_the_middle_of_a_call_to_the_model() {
    let rig = Rig::new([click(1), ScriptedReply::Hangs]);
    let session = dies(&rig, async |rig| rig.script.is_asked(2).await);
    let (next, report) = revives(&rig, session, UserInput::Nothing, [complete("done")]);
    assert_eq!(report.message, "done");
    assert_eq!((report.global_steps, report.local_steps), (3, 1));
    assert_eq!(next.phone.sent(), [""; 0], "no reset, no gesture");
    assert_eq!(errors(&next, session).len(), 3, "the call, the step and the run");
    assert!(!report.usage.cost_known);
    assert_eq!(next.script.last().past_in_words(), ["? Text Anna", "CLICK 1,500"]);
}

/// What the calls of a session without a usable reply were charged: prompt tokens, whether that is a guess, and whether
/// the cost is known.
fn charged(rig: &Rig, session: SessionId) -> Vec<(u64, bool, bool)> {
    process().block_on(rig.facts(session, |fact| match fact {
        Fact::LlmResponse(it) if !it.success => {
            Some((it.tokens.prompt, it.tokens_estimated, it.cost_known))
        }
        _ => None,
    }))
}

#[test]
fn a_call_that_a_crash_cuts_off_is_charged_like_one_that_is_given_up() {
    let prices = |input| Prices { input, output: 0.0, cached: None };
    for (input, cost_known) in [(10_000.0, false), (0.0, true)] {
        let rig = Rig::new([click(1), ScriptedReply::Hangs]).priced(prices(input));
        let session = dies(&rig, async |rig| rig.script.is_asked(2).await);
        let next = rig.restarted([ScriptedReply::Hangs]).priced(prices(input));
        // Killed again, by which time its own calls have taught the process nothing.
        let life = process();
        life.block_on(async {
            next.resume(session, UserInput::Nothing).await.unwrap();
            next.script.is_asked(1).await;
        });
        drop(life);
        let next = next.restarted([ScriptedReply::Hangs]).priced(prices(input));
        process().block_on(async {
            let follower = next.resume(session, UserInput::Nothing).await.unwrap();
            next.script.is_asked(1).await;
            follower.stop(StopReason::Cancelled);
            next.ended(follower).await;
        });
        assert_eq!(charged(&next, session), [(100, true, cost_known); 3], "at {input}");
        let report = process().block_on(next.agent.report(session, &client())).unwrap();
        assert_eq!(report.usage.cost_known, cost_known);
    }
}

#[test]
fn the_phone_says_whether_a_gesture_had_begun() {
    for (had_begun, note, recorded) in [
        (true, "the phone had begun it", "CLICK 1,500 (interrupted: "),
        (false, "it was not carried out", "CLICK 1,500 (not carried out: "),
    ] {
        let rig = Rig::new([click(1)]);
        rig.phone.notes_acts(true);
        rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
        let session = dies(&rig, async |rig| rig.phone.gets(Call::Perform, 1).await);
        let next = rig.restarted([complete("done")]);
        next.phone.notes_acts(had_begun);
        process().block_on(next.go_on(session, UserInput::Nothing));
        let told = next.script.last();
        assert!(told.system_notes[0].contains(note), "{told:?}");
        let history = told.past_in_words();
        assert!(history[1].starts_with(recorded), "{history:?}");
        all_is_closed(&process().block_on(next.events(session)));
    }
}

#[test]
fn in_the_middle_of_a_gesture() {
    let rig = Rig::new([click(1), click(2)]);
    rig.phone.breaks(Call::Perform, 2..=2, Fault::Hang);
    let session = dies(&rig, async |rig| rig.phone.gets(Call::Perform, 2).await);
    assert_eq!(rig.phone.gestures(), ["CLICK 1,500", "CLICK 2,500"]);
    let (next, report) = revives(&rig, session, UserInput::Nothing, [complete("done")]);
    let doubt = "done\n[Not the model's words: its last act before this (CLICK 2,500) is not known to be done: interrupted";
    assert!(report.message.starts_with(doubt), "{}", report.message);
    assert_eq!(next.phone.sent(), [""; 0], "what was begun is not repeated");
    let told = next.script.last();
    assert!(told.system_notes[0].contains("(CLICK) was under way: it may or may not"), "{told:?}");
    let history = told.past_in_words();
    assert!(
        history[2].starts_with("CLICK 2,500 (interrupted"),
        "the model knows which: {history:?}"
    );
    let unknown = process().block_on(next.facts(session, |fact| match fact {
        Fact::ToolEnd(end) if end.unknown => Some(end.tool_call_id),
        _ => None,
    }));
    assert_eq!(unknown, [3]);
}

#[test]
fn in_the_middle_of_a_gesture_and_again_before_the_model_was_told() {
    let rig = Rig::new([click(1)]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
    let session = dies(&rig, async |rig| rig.phone.gets(Call::Perform, 1).await);
    let second = rig.restarted([]);
    second.phone.breaks(Call::Capture, 1..=1, Fault::Hang);
    let life = process();
    life.block_on(async {
        second.resume(session, UserInput::Nothing).await.unwrap();
        second.phone.gets(Call::Capture, 1).await;
    });
    drop(life);
    let (next, report) = revives(&second, session, UserInput::Nothing, [complete("done")]);
    assert!(report.message.contains("not known to be done"), "{}", report.message);
    let history = next.script.last().past_in_words();
    assert!(history[1].starts_with("CLICK 1,500 (interrupted"), "{history:?}");
}

#[test]
fn in_the_middle_of_a_wait() {
    let rig = Rig::new([wait(60)]);
    let session = dies(&rig, async |rig| {
        rig.script.is_asked(1).await;
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    });
    let (next, report) = revives(&rig, session, UserInput::Nothing, [complete("done")]);
    assert_eq!(report.message, "done");
    assert_eq!(errors(&next, session).len(), 2, "the step and the run");
    assert_eq!(next.script.last().system_notes, [""; 0]);
}

#[test]
fn while_an_operator_is_waited_for() {
    let rig = Rig::new([info("Which?")]).answering(ReplyMode::ManualReply);
    let session = dies(&rig, async |rig| {
        rig.script.is_asked(1).await;
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    });
    let words = UserInput::Reply("Anna B.".to_owned());
    let (next, report) = revives(&rig, session, words, [complete("done")]);
    assert_eq!(report.message, "done");
    assert_eq!(
        next.script.last().past_in_words(),
        ["? Text Anna", "INFO Which?", "! Anna B."],
        "the answer comes after its question"
    );
}

#[test]
fn each_sort_of_words_goes_on_after_a_crash() {
    for (words, history) in [
        (UserInput::Nothing, vec!["? Text Anna", "CLICK 1,500"]),
        (UserInput::Reply("hurry".to_owned()), vec!["? Text Anna", "CLICK 1,500", "! hurry"]),
        (UserInput::Task("Text Bob".to_owned()), vec!["? Text Anna", "CLICK 1,500", "? Text Bob"]),
    ] {
        let rig = Rig::new([click(1), ScriptedReply::Hangs]);
        let session = dies(&rig, async |rig| rig.script.is_asked(2).await);
        let (next, report) = revives(&rig, session, words, [complete("done")]);
        assert_eq!(report.message, "done");
        assert_eq!(next.script.last().past_in_words(), history);
    }
}

#[test]
fn a_record_cut_anywhere_goes_on_to_its_end() {
    let rig = Rig::new([click(1), info("Which?"), click(2), complete("done")])
        .answering(ReplyMode::NoReply);
    let session = process().block_on(rig.run()).session_id;
    let whole = process().block_on(rig.events(session));
    let rig = Arc::new(rig);
    for length in 1..whole.len() {
        let next = rig.cut(session, length, [complete("revived")]);
        let report = process().block_on(next.go_on(session, UserInput::Nothing));
        let last = &whole[length - 1].entry.fact;
        let report = match report.stop_reason {
            StopReason::InfoActionNeedsReply => {
                let words = UserInput::Reply("B.".to_owned());
                process().block_on(next.go_on(session, words))
            }
            StopReason::TaskCompletedSuccessfully => report,
            other => panic!("cut after {length}, {last:?}: {other}"),
        };
        // What was completed on the disk is told again; everything else goes on.
        let ends = |event: &crate::journal::Event| matches!(event.entry.fact, Fact::RoundEnd(_));
        let ended = whole[..length].iter().any(ends);
        let message = if ended { "done" } else { "revived" };
        // What may be said beside it of an act that was interrupted stands on a line of its own.
        let said = report.message.lines().next();
        assert_eq!(said, Some(message), "cut after {length}, {last:?}");
        assert_eq!(next.phone.gestures(), [""; 0], "cut after {length}, {last:?}");
        if ended {
            // The end of the run is recorded before the next one, even if the round's was already.
            process().block_on(next.go_on(session, UserInput::Task("Again".to_owned())));
        }
        all_is_closed(&process().block_on(next.events(session)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_act_for_which_the_phone_was_only_woken_was_not_carried_out() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    rig.phone.goes_dark();
    let session = rig.ended(follower).await.session_id;
    let is_wake = |event: &Event| matches!(&event.entry.fact, Fact::ToolEnd(_));
    let events = rig.events(session).await;
    // The reset, then the wake.
    let woken = events.iter().enumerate().filter(|(_, it)| is_wake(it)).nth(1).unwrap().0;
    let next = rig.cut(session, woken + 1, [complete("done")]);
    let report = next.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let past = next.script.last().past_in_words();
    assert!(past[1].contains("CLICK 1,500 (not carried out"), "{past:?}");
}

#[test]
fn an_act_that_was_allowed_and_done_counts_as_done_after_a_crash() {
    let asks = || sensitive(500, "Send it?");
    let rig = Rig::new([asks(), asks(), complete("done")]);
    let session = process().block_on(async {
        let report = rig.run().await;
        rig.go_on(report.session_id, UserInput::Reply("yes".to_owned())).await.session_id
    });
    let events = process().block_on(rig.events(session));
    let done = |event: &crate::journal::Event| matches!(event.entry.fact, Fact::ToolEnd(_));
    let last = events.iter().rposition(done).unwrap();
    let next = rig.cut(session, last + 1, [complete("done")]);
    let report = process().block_on(next.go_on(session, UserInput::Nothing));
    assert_eq!(report.message, "done");
    let history = next.script.last().past_in_words();
    assert!(!history.iter().any(|step| step.contains("interrupted")), "{history:?}");
}

/// The events of a session with two tasks up to the last one that is so.
fn up_to(events: &[Event], is_last: impl Fn(&Fact) -> bool) -> usize {
    events.iter().rposition(|event| is_last(&event.entry.fact)).expect("there is one") + 1
}

#[test]
fn a_task_that_had_ended_is_told_as_it_ended_where_the_next_one_was_cut_off() {
    let rig = Rig::new([complete("one"), complete("two")]);
    let session = process().block_on(async {
        let session = rig.run().await.session_id;
        rig.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
        session
    });
    let events = process().block_on(rig.events(session));
    let resumed = up_to(&events, |fact| matches!(fact, Fact::SessionResume(_)));
    let next = rig.cut(session, resumed, [complete("three")]);
    process().block_on(async {
        let told = next.agent.report(session, &client()).await.unwrap();
        assert_eq!(told.stop_reason, StopReason::TaskCompletedSuccessfully);
        assert_eq!((told.message.as_str(), told.is_over), ("one", true));
        let again = next.go_on(session, UserInput::Nothing).await;
        assert_eq!((again.stop_reason, again.message.as_str()), (told.stop_reason, "one"));
        let done = next.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
        assert_eq!((done.task.as_str(), done.message.as_str()), ("Text Bob", "three"));
        all_is_closed(&next.events(session).await);
    });
}

#[test]
fn a_task_that_was_dropped_for_another_one_is_not_gone_on_with() {
    let rig = Rig::new([click(1), complete("two")]).steps(1);
    let session = process().block_on(async {
        let session = rig.run().await.session_id;
        rig.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
        session
    });
    let events = process().block_on(rig.events(session));
    let second = up_to(&events, |fact| matches!(fact, Fact::RoundStart { .. }));
    assert!(matches!(events[second - 2].entry.fact, Fact::RoundEnd(_)));
    let next = rig.cut(session, second - 1, [complete("three")]);
    process().block_on(async {
        let nothing = next.resume(session, UserInput::Nothing).await.map(drop);
        let no_task = matches!(nothing, Err(crate::AgentError::NoTask(id)) if id == session);
        assert!(no_task, "{nothing:?}");
        let done = next.go_on(session, UserInput::Reply("Text Bob".to_owned())).await;
        assert_eq!((done.task.as_str(), done.message.as_str()), ("Text Bob", "three"));
        all_is_closed(&next.events(session).await);
    });
}

#[test]
fn a_question_that_was_dropped_for_another_task_is_not_asked_after_a_crash() {
    let rig = Rig::new([info("Which Anna?"), complete("two")]);
    let session = process().block_on(async {
        let session = rig.run().await.session_id;
        rig.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
        session
    });
    let events = process().block_on(rig.events(session));
    let dropped = up_to(&events, |fact| matches!(fact, Fact::RoundStart { .. })) - 1;
    let next = rig.cut(session, dropped, [complete("three")]);
    process().block_on(async {
        let told = next.agent.report(session, &client()).await.unwrap();
        assert_eq!((told.stop_reason, told.question), (StopReason::ServerRestarted, None));
        assert!(told.is_over, "nothing but another task goes on with it");
        let done = next.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
        assert_eq!((done.task.as_str(), done.message.as_str()), ("Text Bob", "three"));
        all_is_closed(&next.events(session).await);
    });
}
