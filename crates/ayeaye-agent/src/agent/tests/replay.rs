//! Steps of an earlier run, done again under guard.
use std::time::Duration;

use crate::fakes::{Call, Fault, Rig, ScriptedReply, click, complete, info, sensitive, types};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::Fact;
use crate::{Replay, ReplayError, ReplyMode, Report, StopReason, UserInput};

fn button(text: &str, top: u32) -> String {
    let bottom = top + 20;
    format!(
        r#"<hierarchy rotation="0"><node text="{text}" resource-id="com.example.chat:id/{text}" class="android.widget.Button"
        clickable="true" bounds="[10,{top}][50,{bottom}]"/></hierarchy>"#
    )
}

const LAST: &str = r#"<hierarchy rotation="0"><node text="Over" class="android.widget.TextView" bounds="[0,0][60,20]"/></hierarchy>"#;
const APP: &str = "com.example.chat";

/// A phone with a button that leads to the last screen.
fn with_button(rig: &Rig, dump: &str, after: &str) {
    rig.phone.shows(dump, false);
    rig.phone.turns_to(APP, ".Main", after);
}

/// A rig that has done the task once, and what it did.
async fn recorded(lines: impl IntoIterator<Item = ScriptedReply>) -> (Rig, Replay) {
    let rig = Rig::new(lines);
    with_button(&rig, &button("Next", 50), LAST);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let replay = Replay::read(&*rig.journal, report.session_id).await.unwrap();
    (rig, replay)
}

async fn again(rig: &Rig, replay: Replay) -> Report {
    let follower = rig.agent.start_replay(rig.task("Text Anna"), replay).await.unwrap();
    rig.ended(follower).await
}

/// Who decided each step, by the names in the record.
async fn deciders(rig: &Rig, report: &Report) -> Vec<String> {
    let asked = rig.events(report.session_id).await.into_iter();
    let asked = asked.filter_map(|event| match event.entry.fact {
        Fact::LlmRequest(request) => Some(request.model),
        _ => None,
    });
    asked.collect()
}

/// What the record says of the end of the replay.
async fn notes(rig: &Rig, report: &Report) -> Vec<String> {
    let facts = rig.events(report.session_id).await.into_iter();
    let notes = facts.filter_map(|event| match event.entry.fact {
        Fact::Note { kind, text, .. } if &*kind == "replay_ended" => Some(text),
        _ => None,
    });
    notes.collect()
}

#[tokio::test(start_paused = true)]
async fn on_the_same_screens_it_is_done_again_without_a_model() {
    let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
    assert_eq!(replay.len(), 2);
    with_button(&rig, &button("Next", 50), LAST);
    let asked = rig.script.seen().len();
    let report = again(&rig, replay.clone()).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    let told = format!(
        "All steps of session {} were done again, up to the same last screen. What was reported then: Anna knows.",
        replay.session
    );
    assert_eq!(report.message, told);
    assert_eq!(rig.phone.gestures(), ["CLICK 500,500", "CLICK 500,500"]);
    assert_eq!(rig.script.seen().len(), asked, "no model was asked");
    assert_eq!(deciders(&rig, &report).await, ["replay", "replay"]);
    assert!(report.usage.cost_known && report.usage.cost_usd == 0.0, "{:?}", report.usage);
    assert_eq!(notes(&rig, &report).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_element_that_has_moved_a_little_is_touched_where_it_is() {
    let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
    with_button(&rig, &button("Next", 56), LAST);
    let report = again(&rig, replay).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let last = rig.phone.gestures().pop().unwrap();
    let y: f64 = last.rsplit_once(',').unwrap().1.parse().unwrap();
    assert!((540.0..560.0).contains(&y), "{last}");
}

#[tokio::test(start_paused = true)]
async fn at_the_first_step_that_does_not_fit_the_model_goes_on_for_good() {
    let cases = [
        (Some(button("Back", 50)), "\u{201c}Next\u{201d} is not where it was"),
        (Some(button("Next", 90)), "\u{201c}Next\u{201d} is not where it was"),
        (None, "does not list the elements of its screen"),
    ];
    for (dump, why) in cases {
        let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
        match dump {
            Some(dump) => with_button(&rig, &dump, LAST),
            None => rig.phone.dumps_in(Duration::from_mins(1)),
        }
        rig.script.adds([click(300), complete("Done by hand.")]);
        let report = again(&rig, replay).await;
        assert_eq!(report.message, "Done by hand.", "{why}");
        assert_eq!(deciders(&rig, &report).await, ["script", "script"], "{why}");
        let told = notes(&rig, &report).await;
        assert!(told.len() == 1 && told[0].contains(why), "{told:?}");
        assert!(told[0].starts_with("step 1 of session "), "{told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn another_last_screen_is_judged_by_the_model_and_the_rest_was_done() {
    let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
    with_button(&rig, &button("Next", 50), &button("Retry", 50));
    rig.script.adds([complete("It is sent after all.")]);
    let report = again(&rig, replay).await;
    assert_eq!(report.message, "It is sent after all.");
    assert_eq!(deciders(&rig, &report).await, ["replay", "script"]);
    let told = notes(&rig, &report).await.concat();
    assert!(told.contains("the last screen is not the same as then"), "{told}");
    let heard = rig.script.last().system_notes.concat();
    assert!(heard.contains("The first step was repeated"), "{heard}");
}

#[tokio::test(start_paused = true)]
async fn in_another_app_nothing_is_done_again() {
    let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
    with_button(&rig, &button("Next", 50), LAST);
    rig.phone.fronts("com.bank", ".Transfer");
    rig.script.adds([complete("Nothing to do.")]);
    let report = again(&rig, replay).await;
    assert_eq!(report.message, "Nothing to do.");
    assert!(notes(&rig, &report).await.concat().contains("com.example.chat is not in front"));
    assert_eq!(rig.phone.gestures().len(), 1, "the one that was recorded");
}

#[tokio::test(start_paused = true)]
async fn the_gate_stands_before_what_is_done_again() {
    let delete = button("Next", 50).replace("text=\"Next\"", "text=\"Delete all\"");
    let rig = Rig::new([click(500), complete("Gone.")]).under(Policy::of(PolicyProfile::Trusted));
    with_button(&rig, &delete, LAST);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{report:?}");
    let replay = Replay::read(&*rig.journal, report.session_id).await.unwrap();
    let rig = rig.under(Policy::default());
    with_button(&rig, &delete, LAST);
    let report = again(&rig, replay).await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{report:?}");
    assert_eq!(rig.phone.gestures().len(), 1, "the one that was recorded");

    // A yes is for once: what was approved in between is no run in one go.
    rig.script.adds([click(500), complete("Gone.")]);
    let yes = UserInput::Reply("yes".to_owned());
    let follower = rig.resume(report.session_id, yes).await.unwrap();
    let approved = rig.ended(follower).await;
    assert_eq!(approved.stop_reason, StopReason::TaskCompletedSuccessfully, "{approved:?}");
    let refused = Replay::read(&*rig.journal, approved.session_id).await;
    assert!(matches!(refused, Err(ReplayError::NotCompleted(_))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_fails_hands_over() {
    let (rig, replay) = recorded([click(500), complete("Anna knows.")]).await;
    with_button(&rig, &button("Next", 50), &button("Next", 50));
    rig.phone.breaks(Call::Perform, 2..=9, Fault::Refused);
    rig.script.adds([complete("It does not work.")]);
    let report = again(&rig, replay).await;
    assert!(report.message.starts_with("It does not work."), "{}", report.message);
    assert!(notes(&rig, &report).await.concat().contains("did not go as recorded"));
}

#[tokio::test(start_paused = true)]
async fn only_a_run_that_carried_out_its_task_can_be_done_again() {
    let rig = Rig::new([info("Which Anna?")]);
    rig.phone.shows(&button("Next", 50), false);
    let report = rig.run().await;
    let refused = Replay::read(&*rig.journal, report.session_id).await;
    assert!(matches!(refused, Err(ReplayError::NotCompleted(_))), "{refused:?}");
    let unknown = crate::SessionId::new();
    assert!(matches!(Replay::read(&*rig.journal, unknown).await, Err(ReplayError::Journal(_))));
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_of_a_run_is_read_again() {
    let (_, replay) = recorded([click(500), types("hi", None), complete("Anna knows.")]).await;
    let text = serde_json::to_string(&replay).unwrap();
    assert!(text.contains("\"class\":\"android.widget.Button\""), "{text}");
    assert_eq!(serde_json::from_str::<Replay>(&text).unwrap(), replay);
}

#[tokio::test(start_paused = true)]
async fn what_leave_was_asked_for_is_not_done_again_without_it() {
    let lines = [sensitive(500, "May I go on?"), click(500), complete("Anna knows.")];
    let rig = Rig::new(lines).answering(ReplyMode::ManualReply);
    with_button(&rig, &button("Next", 50), LAST);
    let mut follower = rig.begin().await;
    let session = follower.report().session_id;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await);
    }
    rig.post_answer(session, "yes").await;
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures(), ["CLICK 500,500"], "once, after the yes");
    let replay = Replay::read(&*rig.journal, session).await.unwrap();
    with_button(&rig, &button("Next", 50), LAST);
    rig.script.adds([complete("seen")]);
    let report = again(&rig, replay).await;
    assert_eq!(report.message, "seen", "a model goes on");
    assert_eq!(rig.phone.gestures(), ["CLICK 500,500"]);
    assert!(notes(&rig, &report).await[0].contains("the user was asked for leave"));
}
