//! The model is asked about the first frame after an act, while it is seen whether the screen has settled.
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{
    Call, FailingJournal, Fault, Motion, Rig, ScriptedReply, Write, click, complete, info, types,
};
use crate::journal::{Fact, LlmResponse, Observe};
use crate::{ReplyMode, SessionId, Speculate, StopReason, UserInput};

const PAGE: &str = r#"<hierarchy rotation="0"><node text="Next" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;

fn moving(time: u64) -> Motion {
    Motion::Takes { answer: Duration::ZERO, moving: Duration::from_millis(time) }
}

/// A reply that takes so many milliseconds.
fn after(millis: u64, reply: ScriptedReply) -> ScriptedReply {
    match reply {
        ScriptedReply::Says(text) => ScriptedReply::Late(Duration::from_millis(millis), text),
        other => other,
    }
}

fn rig(replies: impl IntoIterator<Item = ScriptedReply>, speculate: Speculate) -> Rig {
    let rig = Rig::new(replies).limited(|limits| limits.speculate = speculate);
    rig.phone.shows(PAGE, false);
    rig
}

async fn answers(rig: &Rig, session: SessionId) -> Vec<LlmResponse> {
    rig.facts(session, |fact| match fact {
        Fact::LlmResponse(response) => Some(response.clone()),
        _ => None,
    })
    .await
}

/// The pictures that the steps showed, by their first bytes: the page, and how it was mixed with the one before.
fn shown(rig: &Rig) -> Vec<[u8; 2]> {
    rig.script.seen().iter().map(|seen| [seen.picture.bytes[0], seen.picture.bytes[1]]).collect()
}

#[tokio::test(start_paused = true)]
async fn the_model_starts_on_the_first_frame_of_a_screen_that_stays() {
    let rig = rig([click(1), complete("done")], Speculate::On);
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(shown(&rig).len(), 2, "each step asked once");
    let observed = rig.observed(report.session_id).await;
    let of_second: Vec<_> = observed.iter().filter(|it| it.captures == 1 && !it.settled).collect();
    assert_eq!(of_second.len(), 1, "asked before it had settled: {observed:?}");
    assert!(of_second[0].screenshot.is_none(), "not known to be the step's picture yet");
    let last = observed.iter().rfind(|it| it.screenshot.is_some()).unwrap();
    assert_eq!((last.captures, last.settled), (2, true));
    assert_eq!((last.guesses, last.guessed_right), (1, true));
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_still_moved_withdraws_the_request_and_its_newest_frame_goes_out() {
    let nobodys = [click(7), click(8), click(9)];
    let rig = rig(
        [click(1)].into_iter().chain(nobodys).chain([click(2), complete("done")]),
        Speculate::On,
    );
    rig.phone.moves(moving(400));
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    let given_up = rig.script.prompts().len();
    assert_eq!((given_up, rig.phone.count(Call::Perform)), (2, 1));
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    assert_eq!(
        rig.phone.sent(),
        ["RESET", "CLICK 1,500", "CLICK 2,500"],
        "the answer to it is nobody's"
    );
    // A page at rest has no second colour.
    let pages = shown(&rig);
    assert!(pages[1..4].iter().all(|page| page[1] != 0), "it moved: {pages:?}");
    assert!(pages[1..4].is_sorted_by(|a, b| a[1] < b[1]), "each is newer: {pages:?}");
    assert_eq!(pages[4][1], 0, "after so many the settled one is waited for");
    let answers = answers(&rig, report.session_id).await;
    let withdrawn: Vec<_> = answers.iter().filter(|it| !it.success).collect();
    assert_eq!(withdrawn.len(), 3);
    for call in withdrawn {
        assert!(call.withdrawn);
        assert_eq!(call.error.as_deref(), Some("given up: the screen still moved"));
    }
    let pictures = rig.observed(report.session_id).await;
    let kept: Vec<_> = pictures.iter().filter(|it| it.screenshot.is_some()).collect();
    assert_eq!(kept.len(), 3, "one a step");
    assert!(kept.iter().all(|it| it.settled));
    let guesses: Vec<_> = kept.iter().map(|it| (it.guesses, it.guessed_right)).collect();
    assert_eq!(guesses[..2], [(0, false), (3, false)]);
    // It is known by then when such a screen rests.
    assert_eq!(guesses[2], (1, true));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_before_the_proof_waits_for_it() {
    let quick = after(1, click(9));
    let nobodys = [quick, after(1, click(8)), after(1, click(7))];
    let replies = [click(1)].into_iter().chain(nobodys).chain([click(2), complete("done")]);
    let rig = rig(replies, Speculate::On);
    rig.phone.moves(moving(300));
    let report = rig.run().await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 2,500"]);
    let answers = answers(&rig, report.session_id).await;
    let unused =
        answers.iter().find(|it| it.raw_content.as_ref().is_some_and(|it| it.contains('9')));
    let unused = unused.expect("what it cost is recorded");
    assert!(unused.withdrawn);
    assert_eq!(unused.error.as_deref(), Some("the screen still moved"));
    assert_eq!(unused.tokens.prompt, 100);
}

#[tokio::test(start_paused = true)]
async fn another_app_in_front_is_another_screen() {
    let rig = rig([click(1), click(9), click(2), complete("done")], Speculate::On);
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    // After the first frame, and it looks the same.
    rig.phone.fronts("com.example.other", ".Main");
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 2,500"]);
}

#[tokio::test(start_paused = true)]
async fn a_password_in_an_unused_answer_is_not_kept() {
    let secret = types("hunter2!", None);
    let rig = rig([click(1), after(1, secret), click(2), complete("done")], Speculate::On);
    rig.phone.moves(moving(300));
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    rig.phone.shows(&PAGE.replace("clickable", "password=\"true\" clickable"), true);
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.files_with("hunter2!"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_early_where_that_is_off_or_costs_something() {
    for (speculate, own) in [(Speculate::Off, true), (Speculate::Auto, false)] {
        let rig = rig((0..9).map(click).chain([complete("done")]), speculate);
        if own {
            rig.script.is_ones_own();
        }
        let report = rig.run().await;
        assert_eq!(report.message, "done");
        let observed = rig.observed(report.session_id).await;
        assert!(observed.iter().all(|it| it.settled), "{observed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_learnt_whether_it_pays() {
    let asked_early = |observed: &[Observe]| observed.iter().filter(|it| !it.settled).count();
    // A phone that rests at once, and a model that takes its time.
    let rests = rig((0..9).map(click).chain([complete("done")]), Speculate::Auto);
    rests.script.is_ones_own();
    let report = rests.run().await;
    let early = asked_early(&rests.observed(report.session_id).await);
    assert!((5..=9).contains(&early), "{early}");
    // One that moves for long: a model is asked about the frame that is likely to be the settled one.
    let moves = rig((0..9).map(click).chain([complete("done")]), Speculate::Auto);
    moves.script.is_ones_own();
    moves.phone.moves(moving(600));
    let report = moves.run().await;
    let observed_moving = moves.observed(report.session_id).await;
    let right =
        observed_moving.iter().filter(|it| it.guessed_right && it.screenshot.is_some()).count();
    assert!(5 <= right, "{right}");
    assert_eq!(asked_early(&observed_moving), right, "no guess was wrong");
    // A model that answers at once.
    let quick = (0..9).map(|x| after(5, click(x))).chain([after(5, complete("done"))]);
    let quick = rig(quick, Speculate::Auto);
    quick.script.is_ones_own();
    let report = quick.run().await;
    assert_eq!(asked_early(&quick.observed(report.session_id).await), 0);
}

#[tokio::test(start_paused = true)]
async fn where_animations_are_off_a_first_frame_is_sent_before_anything_is_learnt() {
    for (stop_animations, early) in [(false, 0), (true, 2)] {
        let rig = rig((0..2).map(click).chain([complete("done")]), Speculate::Auto)
            .limited(|limits| limits.stop_animations = stop_animations);
        rig.script.is_ones_own();
        let report = rig.run().await;
        let observed = rig.observed(report.session_id).await;
        let asked_early = observed.iter().filter(|it| !it.settled).count();
        assert_eq!(asked_early, early, "{observed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_early_leaves_a_step_with_its_picture() {
    let rig = rig([click(1), ScriptedReply::Fails("no such model".to_owned())], Speculate::On);
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    // It never comes to be known whether the screen stays.
    rig.phone.breaks(Call::Capture, 4..=4, Fault::Hang);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    let observed = rig.observed(report.session_id).await;
    assert_eq!(observed.iter().filter(|it| it.screenshot.is_some()).count(), 2, "{observed:?}");
}

#[tokio::test(start_paused = true)]
async fn no_picture_is_kept_that_nothing_in_the_record_names() {
    for speculate in [Speculate::Auto, Speculate::On] {
        let rig = rig((0..6).map(click).chain([complete("done")]), speculate);
        rig.phone.moves(moving(400));
        let report = rig.run().await;
        let files = rig.files_with("");
        let record = files.iter().find(|it| it.ends_with("events.jsonl")).unwrap();
        let record = std::fs::read_to_string(record).unwrap();
        let pictures: Vec<_> = files
            .iter()
            .filter(|it| Path::new(it).extension().is_some_and(|it| it == "png"))
            .collect();
        let steps = rig.observed(report.session_id).await;
        let steps = steps.iter().filter(|it| it.screenshot.is_some()).count();
        assert!(steps <= pictures.len(), "{pictures:?}");
        for picture in pictures {
            let name = Path::new(picture).file_stem().unwrap().to_str().unwrap();
            assert!(record.contains(name), "{speculate:?}: {picture}");
        }
    }
}

/// How long a phone and a disk take.
#[derive(Debug, Clone, Copy, Default)]
struct Slowness {
    capture: Option<Duration>,
    /// A gesture, and each question of the phone's state.
    answer: Duration,
    sync: Duration,
    /// Milliseconds of the model.
    thinks: u64,
}

/// A step once the phone is known.
#[derive(Debug)]
struct KnownStep {
    took: Duration,
    captures: u32,
    /// How often the phone was asked for its state.
    states: u32,
    syncs: u32,
}

impl KnownStep {
    async fn of(slowness: Slowness) -> Self {
        const STEPS: u32 = 20;
        let replies = (0..2 * STEPS)
            .map(click)
            .chain([complete("done")])
            .map(|it| after(slowness.thinks, it));
        let mut disk = None;
        let rig = rig(replies, Speculate::Auto).steps(3 * STEPS).kept_by(|inner, phone| {
            let whole = Arc::new(FailingJournal::new(inner, phone, Write::Sync, u32::MAX));
            disk = Some(whole.clone());
            whole
        });
        let disk = disk.unwrap();
        disk.syncs_in(slowness.sync);
        rig.phone.dumps_in(Duration::ZERO);
        rig.phone.answers_in(slowness.answer);
        if let Some(time) = slowness.capture {
            rig.phone.captures_in(time);
        }
        let follower = rig.begin().await;
        let counted =
            || [rig.phone.count(Call::Capture), rig.phone.count(Call::State), disk.syncs()];
        rig.phone.gets(Call::Perform, STEPS).await;
        let (begun, before) = (Instant::now(), counted());
        rig.phone.gets(Call::Perform, 2 * STEPS).await;
        let (took, now) = (begun.elapsed() / STEPS, counted());
        rig.ended(follower).await;
        let [captures, states, syncs] = [0, 1, 2].map(|at| (now[at] - before[at]) / STEPS);
        Self { took, captures, states, syncs }
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_on_a_phone_that_is_known_takes_two_looks_and_little_else() {
    let step = KnownStep::of(Slowness::default()).await;
    // The first look is at once, the second 34 later, and it takes 20.
    assert!(step.took <= Duration::from_millis(60), "{step:?}");
    assert!(step.captures == 2 && step.states <= 2, "{step:?}");
    let capture = Some(Duration::from_millis(300));
    let step = KnownStep::of(Slowness { capture, ..Slowness::default() }).await;
    // The second capture begins while the first is under way: one capture, one act and little else.
    assert!(step.took <= Duration::from_millis(340), "{step:?}");
    assert!(step.captures == 2 && step.states <= 2, "{step:?}");
}

/// What a step waits for, by how much longer it takes where each of these takes longer.
#[tokio::test(start_paused = true)]
async fn a_step_waits_for_one_capture_one_answer_of_the_phone_and_one_sync() {
    let longer = Duration::from_millis(20);
    let of = |slowness: Slowness| async move {
        let capture = slowness.capture.or(Some(Duration::from_millis(300)));
        KnownStep::of(Slowness { capture, ..slowness }).await
    };
    let usual = of(Slowness::default()).await;
    let waits = |slow: &KnownStep| slow.took.saturating_sub(usual.took).div_duration_f64(longer);
    let capture = Some(Duration::from_millis(320));
    let captures = of(Slowness { capture, ..Slowness::default() }).await;
    let answers = of(Slowness { answer: longer, ..Slowness::default() }).await;
    let syncs = of(Slowness { sync: longer, ..Slowness::default() }).await;
    // A whole number only if nothing else changes with it. The answer is that of the act.
    for (what, slow) in [("captures", captures), ("answers", answers), ("syncs", syncs)] {
        assert!((waits(&slow) - 1.0).abs() < 0.2, "{what}: {usual:?}, {slow:?}");
    }
    // Beside others, while nobody waits: what was seen and decided, and that it was done.
    assert!((1..=3).contains(&usual.syncs), "{usual:?}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_kept_lit_is_not_asked_whether_it_is_while_a_step_waits() {
    let longer = Duration::from_millis(20);
    let thinks = 3000;
    let usual = KnownStep::of(Slowness { thinks, ..Slowness::default() }).await;
    let slow = KnownStep::of(Slowness { thinks, answer: longer, ..Slowness::default() }).await;
    let waits = slow.took.saturating_sub(usual.took).div_duration_f64(longer);
    // That of the act.
    assert!((waits - 1.0).abs() < 0.2, "{usual:?}, {slow:?}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_is_left_alone_until_the_model_is_about_to_answer() {
    let thinks = 8000;
    let step = KnownStep::of(Slowness { thinks, ..Slowness::default() }).await;
    // Two until the screen rests, and one each second from 6.4 s on.
    assert!((4..=5).contains(&step.captures), "{step:?}");
    assert!(step.took < Duration::from_millis(thinks + 60), "{step:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_look_begins_in_time_for_the_answer() {
    let capture = Some(Duration::from_secs(4));
    let thinks = 9000;
    let step = KnownStep::of(Slowness { capture, thinks, ..Slowness::default() }).await;
    // One capture, and the model: the look before the act is over when it answers.
    assert!(step.took < Duration::from_millis(13_200), "{step:?}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_was_looked_at_long_ago_is_asked_whether_it_is_lit() {
    let longer = Duration::from_millis(20);
    let (capture, thinks) = (Some(Duration::from_secs(2)), 9000);
    let usual = KnownStep::of(Slowness { capture, thinks, ..Slowness::default() }).await;
    let slow = Slowness { capture, thinks, answer: longer, ..Slowness::default() };
    let slow = KnownStep::of(slow).await;
    let waits = slow.took.saturating_sub(usual.took).div_duration_f64(longer);
    // That, and the act.
    assert!((waits - 2.0).abs() < 0.2, "{usual:?}, {slow:?}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_may_go_dark_since_an_operator_was_asked_is_asked_whether_it_is_lit() {
    for (stays_lit, asked) in [(true, 0), (false, 1)] {
        let replies = [click(1), info("Which?"), click(2), complete("done")];
        let rig = rig(replies.map(|it| after(3000, it)), Speculate::Off)
            .answering(ReplyMode::ManualReply);
        if !stays_lit {
            // After the answer, when settings are changed again.
            rig.phone.breaks(Call::StayAwake, 2..=2, Fault::Refused);
        }
        let mut follower = rig.begin().await;
        while !follower.update().line.contains("waiting for the operator") {
            assert!(follower.changed().await);
        }
        assert_eq!((rig.phone.count(Call::Perform), rig.phone.count(Call::IsAwake)), (1, 0));
        let answer = UserInput::Reply("The first.".to_owned());
        rig.resume(follower.report().session_id, answer).await.unwrap();
        let report = rig.ended(follower).await;
        assert_eq!(report.message, "done");
        assert_eq!(rig.phone.count(Call::IsAwake), asked, "it stays lit: {stays_lit}");
    }
}
