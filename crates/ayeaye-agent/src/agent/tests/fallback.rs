//! A second model goes on where the first one comes to nothing.
use std::sync::Arc;

use crate::fakes::{Motion, Rig, ScriptedModel, ScriptedReply, click, complete, info, types, wait};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::{Fact, NoteKind, PartRecord};
use crate::{Part, Prices, SessionId, StopReason, UserInput};

fn garbage() -> ScriptedReply {
    ScriptedReply::Says("I think I should tap the button.".to_owned())
}

/// A rig whose model says these lines, and another one that says those.
fn two(
    lines: impl IntoIterator<Item = ScriptedReply>,
    others: impl IntoIterator<Item = ScriptedReply>,
) -> (Rig, Arc<ScriptedModel>) {
    let other = Arc::new(ScriptedModel::named("other", b"other", others));
    let rig = Rig::new(lines).modelled(|models| models.fallback = Some(other.clone()));
    (rig, other)
}

async fn notes(rig: &Rig, session: SessionId) -> Vec<String> {
    let notes = |fact: &Fact| match fact {
        Fact::Note { kind, text, figures } if *kind == NoteKind::ModelFallback => {
            assert_eq!((&figures["from"], &figures["to"]), (&"script".into(), &"other".into()));
            Some(text.clone())
        }
        _ => None,
    };
    rig.facts(session, notes).await
}

#[tokio::test(start_paused = true)]
async fn another_model_goes_on_from_the_same_screen_for_the_rest_of_the_run() {
    let fails = || ScriptedReply::Fails("HTTP 503".to_owned());
    for trouble in [vec![fails()], vec![garbage(), garbage(), garbage()]] {
        let calls = trouble.len();
        let lines = [click(1)].into_iter().chain(trouble).chain([complete("never said")]);
        let (rig, other) = two(lines, [click(2), click(3), complete("done")]);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        assert_eq!(report.message, "done");
        assert_eq!(rig.phone.gestures(), ["CLICK 1,500", "CLICK 2,500", "CLICK 3,500"]);
        assert_eq!(report.local_steps, 4, "it is still the same step");
        assert_eq!(rig.script.prompts().len(), 1 + calls);
        assert_eq!(
            other.last().past_in_words(),
            ["? Text Anna", "CLICK 1,500", "CLICK 2,500", "CLICK 3,500"]
        );
        let first = &other.seen()[0];
        assert!(first.picture.bytes.ends_with(b"other"), "scaled as it wants it");
        assert_eq!(first.picture.bytes[..4], rig.script.last().picture.bytes[..]);
        let notes = notes(&rig, report.session_id).await;
        assert!(matches!(&notes[..], [one] if one.starts_with("other goes on")), "{notes:?}");
        assert_eq!(other.complaints(), [""; 0]);
        // The next run begins with the first model.
        let report = rig.go_on(report.session_id, UserInput::Task("Again".to_owned())).await;
        assert_eq!(report.message, "never said");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_of_it_names_each_model_and_numbers_its_calls() {
    let (rig, other) = two([garbage(), garbage(), garbage()], [garbage(), complete("done")]);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(report.usage.prompt_tokens, 500, "every call counts");
    let calls = rig.facts(report.session_id, |fact| match fact {
        Fact::LlmRequest(it) => {
            let pictures = it.messages.iter().flat_map(|it| &it.parts);
            let kept = pictures.filter(|part| matches!(part, PartRecord::Picture(_))).count();
            Some((it.model.clone(), it.call_id, it.request_number, it.iteration, kept))
        }
        _ => None,
    });
    let call = |model: &str, id, request, iteration| (model.to_owned(), id, request, iteration, 1);
    assert_eq!(
        calls.await,
        [
            call("script", 1, 1, 1),
            call("script", 2, 1, 2),
            call("script", 3, 1, 3),
            call("other", 4, 2, 1),
            call("other", 5, 2, 2),
        ]
    );
    assert_eq!(other.complaints(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_turns_in_circles_hands_over() {
    let lines = (0..4).map(|_| click(1));
    let (rig, other) = two(lines, [click(2), complete("done")]);
    let rig = rig.limited(|limits| limits.repeats = 2);
    rig.phone.moves(Motion::Dead);
    let report = rig.run().await;
    assert_eq!((report.message.as_str(), report.local_steps), ("done", 5));
    let gestures = ["CLICK 1,500", "CLICK 1,500", "CLICK 1,500", "CLICK 2,500"];
    assert_eq!(rig.phone.gestures(), gestures, "the fourth of them was not done");
    let system_notes = &other.seen()[0].system_notes;
    // It is told what the first model was told in this step, too.
    assert!(system_notes[0].contains("the same action 3 times"), "{system_notes:?}");
    assert!(system_notes[1].contains("the same action 4 times"), "{system_notes:?}");
    assert_eq!(notes(&rig, report.session_id).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn when_both_come_to_nothing_the_run_stops() {
    let fails = |cause: &str| ScriptedReply::Fails(cause.to_owned());
    let (rig, other) = two([fails("HTTP 401")], [fails("HTTP 500")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert_eq!(report.message, "HTTP 500");
    assert_eq!(other.complaints(), [""; 0]);
    assert!(!report.usage.cost_known);
}

#[tokio::test(start_paused = true)]
async fn there_is_no_second_model_without_money_for_it() {
    let (rig, other) = two([garbage(), garbage(), garbage()], []);
    let rig = rig
        .priced(Prices { input: 10_000.0, output: 0.0, cached: None })
        .limited(|limits| limits.session_cost_usd = Some(3.0));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert_eq!(notes(&rig, report.session_id).await, [""; 0]);
    assert_eq!(other.prompts().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_picture_of_the_second_model_is_kept_without_secrets_too() {
    const SECRET: &str = "hunter2 <&> x";
    let screen = r#"<hierarchy rotation="0"><node text="hunter2 &lt;&amp;&gt; x"
        class="android.widget.EditText" clickable="true" password="true" bounds="[0,0][60,120]"/>
        </hierarchy>"#;
    let (rig, other) =
        two([types(SECRET, None), garbage(), garbage(), garbage()], [complete("done")]);
    let rig = rig.under(Policy::of(PolicyProfile::Trusted));
    rig.phone.shows(screen, true);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    let sent = other.seen()[0].picture.bytes.clone();
    let sent = String::from_utf8_lossy(&sent).into_owned();
    assert_eq!(rig.files_with(&sent), [""; 0], "what was sent is not what is kept");
    assert_ne!(rig.files_with("other"), [""; 0]);
    assert_eq!(rig.files_with("hunter2"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn pictures_of_earlier_steps_are_shown_again_after_a_restart() {
    let rig = Rig::new([click(1), click(2), click(3), click(4)]).steps(4);
    rig.script.shows_earlier(2);
    let session = rig.run().await.session_id;
    let shown = |rig: &Rig| -> Vec<Vec<u32>> {
        rig.script.seen().iter().map(|it| it.history_images.clone()).collect()
    };
    assert_eq!(shown(&rig), [vec![], vec![0], vec![0, 1], vec![1, 2]]);
    let sent = rig.script.prompts();
    let next = rig.restarted([wait(1), info("Which?")]).steps(9);
    next.script.shows_earlier(2);
    let report = next.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(shown(&next), [[2, 3], [3, 4]]);
    // Byte for byte as they were sent.
    let pictures = |prompt: &crate::Prompt| -> Vec<_> {
        let parts = prompt.messages.iter().flat_map(|it| it.parts.clone());
        parts.filter(|part| matches!(part, Part::Picture(_))).collect()
    };
    let now = pictures(&next.script.prompts()[0]);
    assert_eq!(now[0], pictures(&sent[3])[1], "the screen of step 2");
    // In what is kept they stand by reference.
    let kept = next.facts(session, |fact| match fact {
        Fact::LlmRequest(it) if it.call_id == 5 => {
            let parts = it.messages.iter().flat_map(|it| &it.parts);
            Some(parts.filter(|part| matches!(part, PartRecord::Picture(_))).count())
        }
        _ => None,
    });
    assert_eq!(kept.await, [3]);
    // A new request begins without them.
    next.script.adds([complete("")]);
    next.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
    assert_eq!(next.script.last().history_images, [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_picture_that_is_damaged_or_of_another_model_is_not_shown_again() {
    let rig = Rig::new([click(1), click(2)]).steps(2);
    rig.script.shows_earlier(2);
    let session = rig.run().await.session_id;
    let blobs = rig.facts(session, |fact| match fact {
        Fact::Observe(it) => it.screenshot.clone(),
        _ => None,
    });
    rig.damages(session, &blobs.await[0]);
    let other = Arc::new(ScriptedModel::named("other", b"", [wait(1)]));
    other.shows_earlier(2);
    let next = rig.restarted([wait(1)]).steps(1);
    next.script.shows_earlier(2);
    next.go_on(session, UserInput::Nothing).await;
    assert_eq!(next.script.last().history_images, [1]);
    let next = next.modelled(|models| models.act = other.clone());
    next.go_on(session, UserInput::Nothing).await;
    assert_eq!(other.last().history_images, [0; 0]);
}
