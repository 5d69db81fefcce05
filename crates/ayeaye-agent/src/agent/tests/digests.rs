//! A phone that tells by a digest whether its screen is still the one that was captured.
use std::time::Duration;

use tokio::time::Instant;

use crate::Speculate;
use crate::fakes::{Call, Fault, Motion, Rig, ScriptedReply, click, complete};

const CAPTURE: Duration = Duration::from_millis(360);
const DIGEST: Duration = Duration::from_millis(120);
const STEPS: u32 = 20;

const PAGE: &str = r#"<hierarchy rotation="0"><node text="Next" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;

/// As one on USB 2, where two captures at once share the link.
fn slow_phone(replies: impl IntoIterator<Item = ScriptedReply>, makes_digests: bool) -> Rig {
    let rig =
        Rig::new(replies).steps(3 * STEPS).limited(|limits| limits.speculate = Speculate::Off);
    rig.phone.shows(PAGE, false);
    rig.phone.dumps_in(Duration::ZERO);
    rig.phone.captures_in(CAPTURE);
    if makes_digests {
        rig.phone.makes_digests_in(DIGEST);
    }
    rig
}

/// Captures and digests of a step once the phone is known, and how long it takes.
async fn known_step(rig: &Rig) -> ([u32; 2], Duration) {
    let follower = rig.begin().await;
    let counted = || [Call::Capture, Call::Digest].map(|call| rig.phone.count(call));
    rig.phone.gets(Call::Perform, STEPS).await;
    let (begun, before) = (Instant::now(), counted());
    rig.phone.gets(Call::Perform, 2 * STEPS).await;
    let (took, now) = (begun.elapsed() / STEPS, counted());
    assert_eq!(rig.ended(follower).await.message, "done");
    ([0, 1].map(|at| (now[at] - before[at]) / STEPS), took)
}

fn after(time: Duration, reply: ScriptedReply) -> ScriptedReply {
    match reply {
        ScriptedReply::Says(text) | ScriptedReply::Late(_, text) => ScriptedReply::Late(time, text),
        other => other,
    }
}

fn late(reply: ScriptedReply) -> ScriptedReply {
    after(Duration::from_secs(8), reply)
}

/// Of a model that takes no time.
fn clicks() -> impl Iterator<Item = ScriptedReply> {
    let all = (0..2 * STEPS).map(click).chain([complete("done")]);
    all.map(|reply| after(Duration::ZERO, reply))
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_stays_is_captured_once() {
    let rig = slow_phone(clicks(), true);
    let (calls, took) = known_step(&rig).await;
    assert_eq!(calls, [1, 1]);
    // The digest is made while the capture is carried.
    assert!(took <= CAPTURE + Duration::from_millis(30), "{took:?}");
    let (calls, without) = known_step(&slow_phone(clicks(), false)).await;
    assert_eq!(calls[0], 2);
    assert!(took < without, "{took:?}, {without:?}");
}

#[tokio::test(start_paused = true)]
async fn one_that_has_moved_is_captured_again() {
    for moving in [100, 400, 700, 1500] {
        let rig = slow_phone(clicks(), true);
        let moving = Duration::from_millis(moving);
        rig.phone.moves(Motion::Takes { answer: Duration::ZERO, moving });
        let report = rig.run().await;
        assert_eq!(report.message, "done");
        let observed = rig.observed(report.session_id).await;
        assert!(observed.iter().all(|it| it.settled), "{moving:?}");
        // A page at rest has no second colour.
        let seen = rig.script.seen();
        assert!(seen.iter().all(|seen| seen.picture.bytes[1] == 0), "{moving:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn while_a_model_thinks_its_screen_is_not_carried_again() {
    let rig = slow_phone(clicks().map(late), true);
    let ([captures, digests], _) = known_step(&rig).await;
    assert_eq!(captures, 1);
    assert!((2..=5).contains(&digests), "{digests}");
}

#[tokio::test(start_paused = true)]
async fn what_changes_while_a_model_thinks_is_seen() {
    let rig = slow_phone([click(1), late(click(7)), complete("done")], true);
    let follower = rig.begin().await;
    rig.script.is_asked(2).await;
    rig.phone.is_touched();
    assert!(rig.ended(follower).await.message.starts_with("done"));
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500"], "decided on another screen");
}

#[tokio::test(start_paused = true)]
async fn a_digest_that_fails_costs_nothing_but_itself() {
    let rig = slow_phone(clicks(), true);
    rig.phone.breaks(Call::Digest, 3..=9, Fault::LinkLost);
    assert_eq!(rig.run().await.message, "done");
}
