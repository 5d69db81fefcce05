//! Rounds as UFO means them: states, sub-rounds, snapshots, the blackboard, cost and judgements.
use std::sync::Arc;

use serde_json::json;

use crate::fakes::{
    Call, Fault, Rig, ScriptedModel, ScriptedReply, abort, click, complete, confirm, info,
};
use crate::journal::{BlackboardSection, EvaluationRecord, Fact, SnapshotScope};
use crate::{DIRECT_REQUEST, KeepElements, Prices, PrivacySettings, StopReason, UserInput};

const DUMP: &str = r#"<hierarchy rotation="0"><node text="Save" class="android.widget.Button"
    clickable="true" password="false" bounds="[0,0][100000,100000]"/></hierarchy>"#;

fn state(fact: &Fact) -> Option<String> {
    match fact {
        Fact::State { from, to } => Some(format!("{from} {to}")),
        _ => None,
    }
}

fn milestone(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::SubtaskEnd { index, status, result } => format!("subtask {index} {status} {result}"),
        Fact::Snapshot { scope, sub_round, screenshot, ui_tree } => {
            format!("snapshot {scope} {sub_round:?} {} {}", screenshot.is_some(), ui_tree.is_some())
        }
        Fact::BlackboardAdd { section, item } => format!("blackboard {section} {item}"),
        Fact::RoundEnd(end) => format!("round {} {}", end.status, end.subtask_amount),
        Fact::Evaluation(verdict) => {
            let verdict = EvaluationRecord::of(verdict).expect("it is a verdict");
            format!("{} {}", verdict.level, verdict.complete)
        }
        Fact::SessionEnd(end) => format!("session {}", end.stop_reason),
        _ => return None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_an_earlier_request_is_told_to_no_model_again() {
    let rig = Rig::new([info("What is the password?")]);
    let session = rig.run().await.session_id;
    rig.script.adds([complete("Signed in with Quince&41.")]);
    rig.go_on(session, UserInput::Reply("It is Quince&41".to_owned())).await;
    // Where it is needed, a placeholder is filled in for the model.
    assert!(format!("{:?}", rig.script.last().history).contains("[secret password"));
    rig.script.adds([complete("There is nothing.")]);
    rig.go_on(session, UserInput::Task("Look again".to_owned())).await;
    let told = format!("{:?}", rig.script.prompts().last());
    assert!(!told.contains("Quince") && !told.contains("[secret"), "{told}");
    let history = format!("{:?}", rig.script.last().history);
    assert!(history.contains("not told again"), "{history}");
}

#[tokio::test(start_paused = true)]
async fn a_round_ends_with_its_subtask_a_picture_and_the_blackboard() {
    let rig = Rig::new([click(1), complete("Sent.")]);
    rig.phone.shows(DUMP, false);
    let report = rig.run().await;
    assert_eq!(
        rig.facts(report.session_id, milestone).await,
        [
            "subtask 0 FINISH Sent.",
            "snapshot sub_round Some(0) true true",
            r#"blackboard requests {"request_0":"Text Anna"}"#,
            "snapshot round None true true",
            "round FINISH 1",
            "snapshot session None true true",
            "session TASK_COMPLETED_SUCCESSFULLY",
        ]
    );
    let targets = rig
        .facts(report.session_id, |fact| match fact {
            Fact::ToolStart(start) => Some(start.target.as_ref().map(|it| it.name.clone())),
            _ => None,
        })
        .await;
    assert_eq!(targets, [None, Some("Save".to_owned())], "the reset has no target");
}

#[tokio::test(start_paused = true)]
async fn every_change_of_state_is_on_the_record() {
    let rig = Rig::new([click(1), info("Which?"), confirm("Really?"), abort("No.")]);
    let first = rig.run().await;
    let second = rig.go_on(first.session_id, UserInput::Reply("B.".to_owned())).await;
    assert_eq!(second.stop_reason, StopReason::InfoActionNeedsReply);
    rig.go_on(first.session_id, UserInput::Reply("no".to_owned())).await;
    rig.script.adds([complete("done")]);
    rig.go_on(first.session_id, UserInput::Task("Text Bob".to_owned())).await;
    assert_eq!(
        rig.facts(first.session_id, state).await,
        [
            "CONTINUE PENDING",
            "PENDING CONTINUE",
            "CONTINUE CONFIRM",
            "CONFIRM CONTINUE",
            "CONTINUE FAIL",
            "FAIL CONTINUE",
            "CONTINUE FINISH",
        ]
    );
    let asked = |fact: &Fact| match fact {
        Fact::BlackboardAdd { section, item } if *section == BlackboardSection::Questions => {
            Some(item.clone())
        }
        _ => None,
    };
    assert_eq!(
        rig.facts(first.session_id, asked).await,
        [
            json!({ "question": "Which?", "answer": "B." }),
            json!({ "question": "Really?", "answer": "no" })
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_round_that_is_broken_off_still_shows_where_it_stands() {
    // After the last step the phone is looked at once more, with a moment for its elements.
    let rig = Rig::new([click(1), click(2)]).steps(2);
    rig.phone.shows(DUMP, false);
    let report = rig.run().await;
    assert_eq!(
        rig.facts(report.session_id, milestone).await,
        [
            "snapshot round None true true",
            "snapshot session None true true",
            "session MAX_STEPS_REACHED"
        ]
    );

    let rig = Rig::new([click(1), ScriptedReply::Fails("503".to_owned())]);
    rig.phone.shows(DUMP, false);
    let report = rig.run().await;
    let milestones = rig.facts(report.session_id, milestone).await;
    assert_eq!(milestones[0], "snapshot round None true true");
    assert_eq!(milestones.last().unwrap(), "session MODEL_FAILED");

    let rig = Rig::new([info("Which?")]);
    rig.phone.shows(DUMP, false);
    let report = rig.run().await;
    let milestones = rig.facts(report.session_id, milestone).await;
    assert_eq!(
        milestones,
        [
            "snapshot round None true true",
            "snapshot session None true true",
            "session INFO_ACTION_NEEDS_REPLY"
        ]
    );
    assert_eq!(rig.phone.count(Call::Capture), 3, "two after the reset, one for the step");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_lost_leaves_what_was_seen_last() {
    let rig = Rig::new([click(1), click(2)]);
    rig.phone.shows(DUMP, false);
    rig.phone.breaks(Call::Capture, 4..=100_000, Fault::Gone);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::DeviceLost);
    let pictures = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(it) => it.screenshot.clone().map(|blob| ("seen", blob.sha256)),
        Fact::Snapshot { scope, screenshot: Some(blob), .. } if *scope == SnapshotScope::Round => {
            Some(("round", blob.sha256.clone()))
        }
        _ => None,
    });
    let pictures = pictures.await;
    assert_eq!(pictures.len(), 2, "{pictures:?}");
    assert_eq!((pictures[1].0, &pictures[1].1), ("round", &pictures[0].1));
}

/// The kinds of facts of each step, in order: `tree` for the elements, `call` and `act`.
async fn steps(rig: &Rig, session: crate::SessionId) -> Vec<Vec<&'static str>> {
    let mut steps: Vec<Vec<&'static str>> = Vec::new();
    for event in rig.events(session).await {
        let kind = match &event.entry.fact {
            Fact::StepStart(_) => {
                steps.push(Vec::new());
                continue;
            }
            Fact::Observe(it) if it.ui_tree.is_some() => "tree",
            Fact::LlmRequest(_) => "call",
            Fact::ToolStart(_) => "act",
            Fact::StepEnd(_) => "end",
            _ => continue,
        };
        if event.entry.step.is_some() {
            steps.last_mut().expect("a step has begun").push(kind);
        }
    }
    steps
}

#[tokio::test(start_paused = true)]
async fn with_elements_at_every_step_each_step_has_them_before_it_acts_and_ends() {
    let keeping = PrivacySettings { elements: KeepElements::Always, ..PrivacySettings::default() };
    // Each model call takes 800 ms, the elements 3 s.
    let rig = Rig::new([click(1), ScriptedReply::Fails("503".to_owned())]).privacy(keeping);
    rig.phone.shows(DUMP, false);
    rig.phone.dumps_in(std::time::Duration::from_secs(3));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert_eq!(
        steps(&rig, report.session_id).await,
        [vec!["call", "tree", "act", "end"], vec!["call", "tree", "end"]]
    );
}

#[tokio::test(start_paused = true)]
async fn cost_is_summed_by_step_round_and_session() {
    let prices = Prices { input: 2.0, output: 10.0, cached: None };
    let rig =
        Rig::new([click(1), ScriptedReply::Says("?".to_owned()), complete("one")]).priced(prices);
    let one = rig.run().await;
    rig.script.adds([complete("two")]);
    let two = rig.go_on(one.session_id, UserInput::Task("Text Bob".to_owned())).await;
    assert!(two.usage.cost_known);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    // A call is 100 tokens in and 10 out.
    let call = (100.0 * 2.0 + 10.0 * 10.0) / 1e6;
    let costs = |fact: &Fact| match fact {
        Fact::StepEnd(end) => Some(("step", end.cost_usd, end.cost_known)),
        Fact::RoundEnd(end) => Some(("round", end.cost_usd, true)),
        Fact::SessionEnd(end) => Some(("session", end.cost_usd, end.cost_known)),
        _ => None,
    };
    let expected = [
        ("step", 1.0),
        ("step", 2.0),
        ("round", 3.0),
        ("session", 3.0),
        ("step", 1.0),
        ("round", 1.0),
        ("session", 4.0),
    ];
    let found = rig.facts(one.session_id, costs).await;
    assert_eq!(found.len(), expected.len());
    for ((what, cost, known), (should, calls)) in found.into_iter().zip(expected) {
        assert_eq!((what, known), (should, true));
        near(cost, call * calls);
    }
}

#[tokio::test(start_paused = true)]
async fn a_judge_looks_at_rounds_and_sessions_and_changes_nothing() {
    let verdict = r#"{"reason": "Seen.", "sub_scores": [{"name": "sent", "evaluation": "yes"}], "complete": "yes"}"#;
    let says = |text: &str| ScriptedReply::Says(text.to_owned());
    let rig = Rig::new([click(1), complete("Sent.")]).judged([
        says("I think so"),
        says(verdict),
        ScriptedReply::Fails("503".to_owned()),
    ]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let milestones = rig.facts(report.session_id, milestone).await;
    assert_eq!(milestones[4..6], ["round FINISH 1", "round yes"]);
    assert_eq!(milestones[7..], ["session unsure", "session TASK_COMPLETED_SUCCESSFULLY"]);
    let events = rig.events(report.session_id).await;
    let asked: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.entry.fact {
            Fact::LlmRequest(request) => Some((
                event.entry.agent.clone().unwrap(),
                request.request_number,
                request.iteration,
                request.call_id,
            )),
            _ => None,
        })
        .collect();
    let judge = || "EvaluationAgent".to_owned();
    assert_eq!(asked[2..], [(judge(), 1, 1, 3), (judge(), 1, 2, 4), (judge(), 2, 1, 5)]);
    assert_eq!(report.usage.prompt_tokens, 400, "two steps and two of the judge's calls");
}

#[tokio::test(start_paused = true)]
async fn a_judge_is_not_asked_when_nothing_is_left_to_pay_it_with() {
    // 110 tokens a call: one step and one of the judge's calls.
    let rig = Rig::new([complete("Sent.")])
        .judged([ScriptedReply::Says("I think so".to_owned())])
        .limited(|limits| limits.session_tokens = Some(200));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let verdicts = rig.facts(report.session_id, |fact| match fact {
        Fact::Evaluation(it) => Some((it["complete"].clone(), it["error"].clone())),
        _ => None,
    });
    let why = "not judged: the tokens of this session are used up";
    assert_eq!(verdicts.await, [("unsure".into(), why.into()), ("unsure".into(), why.into())]);
    assert_eq!(report.usage.prompt_tokens, 200);
}

#[tokio::test(start_paused = true)]
async fn a_round_is_judged_by_what_was_done_in_it() {
    let verdict = || ScriptedReply::Says(r#"{"complete": "no"}"#.to_owned());
    let judge = Arc::new(ScriptedModel::new((0..4).map(|_| verdict())));
    let rig = Rig::new([click(1), complete("Sent."), complete("Sent again.")]);
    let rig = rig.judged_by(judge.clone());
    let report = rig.run().await;
    rig.go_on(report.session_id, UserInput::Task("Text Anna once more".to_owned())).await;
    let told: Vec<String> = judge.prompts().iter().map(|prompt| format!("{prompt:?}")).collect();
    let [_, _, round, session] = &told[..] else { panic!("{} prompts", told.len()) };
    assert!(round.contains("once more") && round.contains("COMPLETE Sent again."), "{round}");
    assert!(!round.contains("CLICK"), "of the round before: {round}");
    assert!(session.contains("CLICK 1,500"), "{session}");
}

#[tokio::test(start_paused = true)]
async fn a_thought_is_no_verdict() {
    let says = |text: &str| ScriptedReply::Says(text.to_owned());
    let rig = Rig::new([complete("Sent.")]).judged([
        says(r#"<think>Maybe {"complete": "yes"} would do, but"#),
        ScriptedReply::Cut(r#"{"complete": "yes"}"#.to_owned()),
        says(r#"<think>{a, b}</think>{"complete": "no"}"#),
        says(r#"<think>{a, b}</think>{"complete": "no"}"#),
    ]);
    let report = rig.run().await;
    let verdicts = rig.facts(report.session_id, milestone).await;
    let verdicts: Vec<_> = verdicts.iter().filter(|it| it.ends_with(" no")).collect();
    assert_eq!(verdicts, ["round no", "session no"]);
}

#[tokio::test(start_paused = true)]
async fn an_act_waits_for_elements_however_soon_the_model_answers() {
    let rig = Rig::new((0..12).map(click).chain([complete("done")]));
    rig.phone.shows(DUMP, false);
    rig.phone.dumps_in(std::time::Duration::from_millis(2900));
    let report = rig.run().await;
    let trees = rig.facts(report.session_id, |fact| match fact {
        Fact::Observe(look) => look.ui_tree.clone(),
        _ => None,
    });
    assert!(12 <= trees.await.len(), "each touch has what it is aimed at");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_tells_no_elements_in_time_is_asked_less() {
    let rig = Rig::new((0..12).map(click).chain([complete("done")]));
    rig.phone.shows(DUMP, false);
    rig.phone.dumps_in(std::time::Duration::from_secs(9));
    rig.run().await;
    assert!(rig.phone.dumps() < 10, "{} dumps in 13 steps", rig.phone.dumps());
}

#[tokio::test(start_paused = true)]
async fn a_model_is_told_at_each_step_what_apps_were_known_at_the_start() {
    let rig = Rig::new([click(1), complete("Sent.")]);
    rig.run().await;
    let told: Vec<_> = rig.script.seen().into_iter().map(|it| it.installed_apps).collect();
    assert_eq!(told, vec![["Messages", "Notes", "Mail"]; 2]);
}

#[tokio::test(start_paused = true)]
async fn a_task_in_the_words_of_direct_control_is_a_task() {
    let rig = Rig::new([click(1)]).steps(1);
    let first = rig.run_task(DIRECT_REQUEST).await;
    assert_eq!(first.stop_reason, StopReason::MaxStepsReached);
    assert!(!first.is_by_hand(), "{}", first.task);
    rig.script.adds([complete("done")]);
    let report = rig.go_on(first.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
    rig.script.adds([click(2)]);
    let next = rig.go_on(first.session_id, UserInput::Task(DIRECT_REQUEST.to_owned())).await;
    assert!(!next.is_by_hand(), "{}", next.task);
}
