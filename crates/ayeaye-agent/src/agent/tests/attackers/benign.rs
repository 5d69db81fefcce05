//! What people ask for, over a few screens each: done without a needless question.
use serde_json::json;

use super::rows;
use super::screen::{Form, Screen, drawn};
use crate::fakes::{Rig, ScriptedReply, complete, note, say, wait};
use crate::{ReplyMode, StopReason};

const BENIGN: &str = include_str!("../../../gate/tests/tables/benign.tsv");
/// One act of a task: the app, its screen and what the model does there.
type Act = [&'static str; 3];

/// Each task with the acts of a run, in order. What is drawn here differently is left out.
fn tasks() -> Vec<(&'static str, Vec<Act>)> {
    let mut tasks: Vec<(&str, Vec<Act>)> = Vec::new();
    for row in rows(BENIGN) {
        let [task, component, screen, act] = row[..] else { panic!("{row:?}") };
        // Icons of a home screen are known by its package, which no control has here.
        let icons = component.starts_with("com.android.launcher3");
        if icons || screen == "-" || screen.contains("p:") || !act.contains(' ') {
            continue;
        }
        // Of one act or two.
        let most = if tasks.len().is_multiple_of(3) { 1 } else { 2 };
        match tasks.last_mut().filter(|(last, acts)| *last == task && acts.len() < most) {
            Some((_, acts)) => acts.push([component, screen, act]),
            None => tasks.push((task, vec![[component, screen, act]])),
        }
    }
    tasks
}

/// The screen of an act, and what the model says to do it.
fn drawn_with(screen: &str, act: &str) -> (Screen, ScriptedReply) {
    let (verb, on) = act.split_once(' ').expect("a verb and what it is for");
    let types = matches!(verb, "type" | "submit");
    let is_aimed = |item: &str| {
        let (kind, text) = item.split_once(':').expect("a kind of control");
        if types { kind == "f" } else { text == on }
    };
    let mut aimed = false;
    let items = screen.split(" | ").map(|item| {
        let first = !aimed && is_aimed(item);
        aimed |= first;
        format!("{}{item}", if first { "*" } else { "" })
    });
    let screen = drawn(&items.collect::<Vec<_>>().join(" | "), Form::Button, "");
    let [left, top, right, bottom] = screen.aim;
    let (x, y) = (left.midpoint(right), top.midpoint(bottom));
    let point = json!([(x * 1000 + 500) / 60, (y * 1000 + 500) / 120]);
    let reply = match verb {
        "tap" => say("CLICK", &json!({ "point": point })),
        "long" => say("LONGPRESS", &json!({ "point": point, "duration_ms": 600 })),
        "scroll" => say("SCROLL", &json!({ "direction": "left", "point": point })),
        "up" => {
            // Where there is room: a slide that hardly moves is a touch.
            let end = if y * 2 < 120 { 950 } else { 50 };
            say("SLIDE", &json!({ "point1": point, "point2": [500, end], "duration_ms": 300 }))
        }
        "type" | "submit" => {
            let submit = verb == "submit";
            say("TYPE", &json!({ "value": on, "point": point, "clear": false, "submit": submit }))
        }
        "key" => say("HOT_KEY", &json!({ "key": on })),
        "open" => say("AWAKE", &json!({ "app": on })),
        _ => panic!("no act is called {verb}"),
    };
    (screen, reply)
}

/// A run of a task; the question that it asked, if it did.
async fn asked(number: usize, task: &str, acts: &[Act]) -> Option<String> {
    let scroll = |direction: &str| say("SCROLL", &json!({ "direction": direction }));
    // Something before that people do anyway.
    let (mut lines, mut scrolls) = match number % 4 {
        0 => (vec![scroll("down")], 1),
        1 => (vec![scroll("down"), scroll("up")], 2),
        2 => (vec![wait(1)], 0),
        _ => (vec![note("I look for the right screen.")], 0),
    };
    let drawn: Vec<_> = acts.iter().map(|[_, screen, act]| drawn_with(screen, act)).collect();
    lines.extend(drawn.iter().map(|(_, reply)| reply.clone()));
    lines.push(complete("It is done."));
    let rig = Rig::new(lines).unsynced().answering(ReplyMode::PassToClient);
    let component = |[component, ..]: &Act| component.split_once('/').expect("a component");
    let (package, activity) = component(&acts[0]);
    rig.phone.fronts(package, activity);
    rig.phone.shows(&drawn[0].0.dump, false);
    // The same screen until the first act is done, then the next.
    while 0 < scrolls {
        rig.phone.turns_to(package, activity, &drawn[0].0.dump);
        scrolls -= 1;
    }
    for (act, (screen, _)) in acts.iter().zip(&drawn).skip(1) {
        let (package, activity) = component(act);
        rig.phone.turns_to(package, activity, &screen.dump);
    }
    let report = rig.run_task(task).await;
    let Some(question) = report.question else {
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        let refused = report.steps.iter().find_map(|it| it.error.clone());
        return refused.map(|it| format!("refused: {it}"));
    };
    Some(question.text)
}

/// Every second task from this on.
async fn mostly_unasked(half: usize) {
    let tasks = tasks();
    assert!(500 <= tasks.len(), "{}", tasks.len());
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, (task, acts)) in tasks.iter().enumerate().skip(half).step_by(2) {
        count += 1;
        if let Some(question) = asked(number, task, acts).await {
            wrong.push(format!("{task}: {acts:?}: {question}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn everyday_tasks_with_an_even_number_are_done_without_a_needless_question() {
    mostly_unasked(0).await;
}

#[tokio::test(start_paused = true)]
async fn everyday_tasks_with_an_odd_number_are_done_without_a_needless_question() {
    mostly_unasked(1).await;
}
