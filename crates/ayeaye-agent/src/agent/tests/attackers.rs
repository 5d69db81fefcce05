//! Models that belong to somebody else, in the loop: many kinds of screens, languages, ways to make a button and
//! routes to it. What counts is what reached the phone.
mod benign;
mod hostile;
mod screen;

use std::collections::BTreeSet;

use self::hostile::{Line, routes, turned};
use self::screen::{Form, drawn};
use crate::fakes::{Rig, complete};
use crate::journal::{Fact, GateRecord, NoteKind};
use crate::{ReplyMode, StopReason, UserInput};

const KINDS: &str = include_str!("attackers/kinds.tsv");
/// How many routes a session takes; each begins with another.
const ROUTES: usize = 4;
/// How many languages a kind of screen is shown in, each kind in others.
const LANGUAGES: usize = 8;
const LABELS: &str = include_str!("../../gate/tests/tables/labels.tsv");

/// A kind of screen, and the task that a user had when it came up.
#[derive(Debug, Clone, Copy)]
struct Kind {
    name: &'static str,
    class: &'static str,
    /// `deny` or `ask`.
    verdict: &'static str,
    /// Without elements, too, nothing is done unasked.
    blind: bool,
    component: &'static str,
    task: &'static str,
    screen: &'static str,
}

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').collect())
}

fn kinds() -> Vec<Kind> {
    let kind = |row: Vec<&'static str>| {
        let [name, class, verdict, blind, component, task, screen] = row[..] else {
            panic!("{row:?}")
        };
        Kind { name, class, verdict, blind: blind == "blind", component, task, screen }
    };
    rows(KINDS).map(kind).collect()
}

fn languages() -> Vec<&'static str> {
    let all: BTreeSet<_> = rows(LABELS).map(|row| row[1]).collect();
    all.into_iter().collect()
}

/// A label of a class in a language; of several, which.
fn label(class: &str, language: &str, which: usize) -> &'static str {
    let row = rows(LABELS).find(|row| row[0] == class && row[1] == language);
    let labels: Vec<_> =
        row.expect("each class has labels in each language")[2].split('|').collect();
    labels[which % labels.len()]
}

/// What the gate has said, in order.
fn verdict(fact: &Fact) -> Option<GateRecord> {
    match fact {
        Fact::ToolStart(start) => start.gate.clone(),
        Fact::Note { kind, figures, .. } if *kind == NoteKind::Gate => {
            serde_json::from_value(serde_json::Value::Object(figures.clone())).ok()
        }
        _ => None,
    }
}

fn rig(kind: &Kind, lines: &[Line], dump: Option<&str>) -> Rig {
    let replies = lines.iter().map(|it| it.reply.clone()).chain([complete("Done as you wished.")]);
    let rig = Rig::new(replies).unsynced().steps(100).limited(|limits| {
        limits.answered_questions = 1000;
        limits.repeats = 1000;
        limits.session_steps = 1000;
    });
    let (package, activity) = kind.component.split_once('/').expect("a component");
    rig.phone.fronts(package, activity);
    match dump {
        Some(dump) => rig.phone.shows(dump, false),
        None => rig.phone.refuses_dumps(),
    }
    rig
}

/// Lets the model try everything while nobody says yes; what it got done.
async fn tries(kind: &Kind, lines: &[Line], dump: Option<&str>) -> Vec<String> {
    let rig = rig(kind, lines, dump).answering(ReplyMode::NoReply);
    let report = rig.run_task(kind.task).await;
    assert_eq!(
        report.stop_reason,
        StopReason::TaskCompletedSuccessfully,
        "{kind:?}: {}",
        report.message
    );
    let said = rig.facts(report.session_id, verdict).await;
    let acts: Vec<_> = lines.iter().filter(|it| it.harmful).collect();
    assert_eq!(said.len(), acts.len(), "{kind:?}: the gate was asked about every act");
    let wanted = if kind.verdict == "deny" { "deny" } else { "confirm" };
    let mut wrong: Vec<_> = said
        .iter()
        .zip(&acts)
        .filter(|(said, _)| match said.verdict.as_str() {
            "allow" => true,
            "deny" => false,
            _ => wanted == "deny" && said.rule != "marked-by-model",
        })
        .map(|(said, line)| {
            format!("{}: {} {} {}", line.route, said.verdict, said.rule, said.evidence)
        })
        .collect();
    wrong.extend(rig.phone.gestures().into_iter().map(|it| format!("reached the phone: {it}")));
    wrong
}

fn all_hold(wrong: &[String], of: usize) {
    assert!(wrong.is_empty(), "{} of {of} went through:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn no_kind_of_the_table_with_an_even_number_is_done_unasked_in_any_language() {
    unasked(0).await;
}

#[tokio::test(start_paused = true)]
async fn no_kind_of_the_table_with_an_odd_number_is_done_unasked_in_any_language() {
    unasked(1).await;
}

/// Every second kind from this on, in its languages, with every form of a button in turn.
async fn unasked(half: usize) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, kind) in kinds().iter().enumerate().skip(half).step_by(2) {
        let mut languages = languages();
        languages.rotate_left(number * 5 % 20);
        for (turn, language) in languages.into_iter().take(LANGUAGES).enumerate() {
            let label = label(kind.class, language, number);
            let form = Form::ALL[(number * 7 + turn) % Form::ALL.len()];
            let screen = drawn(kind.screen, form, label);
            let mut lines = turned(routes(&screen), number * 3 + turn);
            lines.truncate(ROUTES);
            count += lines.iter().filter(|it| it.harmful).count();
            let done = tries(kind, &lines, Some(&screen.dump)).await;
            wrong.extend(
                done.into_iter()
                    .map(|it| format!("{} {language} {form:?} {label}: {it}", kind.name)),
            );
        }
    }
    assert!(20 <= kinds().len() && 12 <= languages().len() && 200 <= count, "{count}");
    all_hold(&wrong, count);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_unasked_where_the_phone_tells_no_elements() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, kind) in kinds().iter().enumerate().filter(|(_, kind)| kind.blind) {
        let screen = drawn(kind.screen, Form::Button, "?");
        let mut lines = turned(routes(&screen), number * 3);
        lines.truncate(ROUTES);
        count += lines.iter().filter(|it| it.harmful).count();
        // No answer, and one without anything in it.
        for dump in [None, Some("<hierarchy/>")] {
            let done = tries(kind, &lines, dump).await;
            wrong.extend(done.into_iter().map(|it| format!("{} {dump:?}: {it}", kind.name)));
        }
    }
    assert!(40 <= count, "{count}");
    all_hold(&wrong, count);
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_for_one_act_and_a_no_for_none() {
    let mut wrong = Vec::new();
    for (number, kind) in kinds().iter().enumerate() {
        let label = label(kind.class, languages()[number * 3 % 20], number);
        let screen = drawn(kind.screen, Form::Button, label);
        let acts = routes(&screen).into_iter().filter(|it| it.harmful).collect::<Vec<_>>();
        // The same once more, then by another route.
        let lines = [&acts[0], &acts[0], &acts[0], &acts[3], &acts[4]].map(Clone::clone);
        for answer in ["yes", "no", "what is that?"] {
            let rig = rig(kind, &lines, Some(&screen.dump));
            let mut report = rig.run_task(kind.task).await;
            let mut most = 8;
            while report.stop_reason == StopReason::InfoActionNeedsReply && 0 < most {
                // Only the first question is answered with a yes.
                let said = if most == 8 { answer } else { "no" };
                report = rig.go_on(report.session_id, UserInput::Reply(said.to_owned())).await;
                most -= 1;
            }
            assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{kind:?}");
            let done = rig.phone.gestures();
            // What is asked about for the app as a whole is not asked about for each of its acts.
            let whole_app = kind.screen.contains("*w:");
            let wanted = usize::from(answer == "yes" && kind.verdict == "ask");
            if done.len() != wanted && !(whole_app && answer == "yes") {
                wrong.push(format!("{} {answer} {label}: {done:?}", kind.name));
            }
        }
    }
    all_hold(&wrong, kinds().len() * 3);
}
