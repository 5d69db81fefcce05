//! The settle rule against screens that move.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Call, FakeDevice, Motion, Rig, click, complete, wait};
use crate::journal::{Fact, Observe};
use crate::settle::{looks_same, settle};
use crate::{Device as _, SettleRule, UserInput};

const RULE: SettleRule = SettleRule::USUAL;

fn takes(answer: u64, moving: u64) -> Motion {
    let (answer, moving) = (Duration::from_millis(answer), Duration::from_millis(moving));
    Motion::Takes { answer, moving }
}

/// A phone that has been at rest for a while, and was touched just now.
async fn touched(motion: Motion) -> (Rig, crate::Frame, Instant) {
    let rig = Rig::new([]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = rig.phone.capture().await.unwrap();
    rig.phone.moves(motion);
    rig.phone.is_touched();
    let since = Instant::now();
    tokio::time::sleep(RULE.first_look).await;
    (rig, before, since)
}

async fn rested(phone: &FakeDevice) -> crate::Frame {
    tokio::time::sleep(Duration::from_secs(10)).await;
    phone.capture().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_transition_is_waited_out_to_its_last_frame() {
    for moving in [120, 250, 400, 650, 900] {
        for answer in [0, 100, 250] {
            let (rig, before, since) = touched(takes(answer, moving)).await;
            let look = settle(&*rig.phone, &RULE, Some(&before), since).await.unwrap();
            let took = since.elapsed();
            let over = Duration::from_millis(answer + moving);
            assert!(look.settled);
            assert!(over <= took, "{answer}+{moving} ms: looked at after {took:?}");
            let most = over + 2 * RULE.between + Duration::from_millis(40);
            assert!(took <= most, "{answer}+{moving} ms: not before {took:?}");
            assert_eq!(look.frame, rested(&rig.phone).await, "{answer}+{moving} ms");
            let looks = u32::try_from(took.as_millis() / 50).unwrap();
            assert!(look.captures <= looks, "{} captures in {took:?}", look.captures);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_there_at_once_costs_two_looks() {
    let (rig, before, since) = touched(Motion::AtOnce).await;
    let look = settle(&*rig.phone, &RULE, Some(&before), since).await.unwrap();
    assert_eq!((look.captures, look.settled), (2, true));
    assert!(!looks_same(&before, &look.frame));
    let took = since.elapsed();
    assert!(took <= Duration::from_millis(160), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_tap_that_does_nothing_costs_no_third_capture_where_they_are_slow() {
    for capture in [200, 250, 300] {
        let capture = Duration::from_millis(capture);
        let (rig, _, _) = touched(Motion::Dead).await;
        rig.phone.captures_in(capture);
        let before = rig.phone.capture().await.unwrap();
        let since = Instant::now();
        tokio::time::sleep(RULE.first_look).await;
        let look = settle(&*rig.phone, &RULE, Some(&before), since).await.unwrap();
        assert!(look.settled);
        assert_eq!(look.captures, 2);
        assert_eq!(since.elapsed(), capture + RULE.patience.max(RULE.first_look + capture));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tap_that_does_nothing_costs_the_rules_patience() {
    let (rig, _, _) = touched(Motion::Dead).await;
    let before = rig.phone.capture().await.unwrap();
    let since = Instant::now();
    let look = settle(&*rig.phone, &RULE, Some(&before), since).await.unwrap();
    let took = since.elapsed();
    assert!(look.settled);
    assert!(RULE.patience <= took && took <= RULE.patience + Duration::from_millis(80), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_never_rests_is_taken_at_the_cap_and_said_so() {
    let (rig, before, since) = touched(Motion::Endless).await;
    let look = settle(&*rig.phone, &RULE, Some(&before), since).await.unwrap();
    let took = since.elapsed();
    assert!(!look.settled);
    assert!(RULE.cap <= took && took <= RULE.cap + Duration::from_millis(80), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_model_sees_the_frame_that_has_settled() {
    let rig = Rig::new([click(1), click(2), complete("")]);
    rig.phone.moves(takes(100, 600));
    let report = rig.run().await;
    let observed = rig.observed(report.session_id).await;
    assert!(observed.iter().all(|it| it.settled), "{observed:?}");
    // After the reset the screen has been looked at already.
    assert_eq!(observed[0].captures, 1);
    let told = |it: &Observe| (it.captures, it.settle_ms);
    let ((captures, took), later) = (told(&observed[1]), told(&observed[2]));
    assert!((8..=14).contains(&captures) && (600.0..750.0).contains(&took), "{captures} {took}");
    // By then it is known that this phone takes its time; where a capture takes none to speak of, it is looked at all
    // the same.
    assert!((8..=18).contains(&later.0) && later.1 < 800.0, "{later:?}");
    assert_eq!(observed[1].first_look_ms, Some(80.0));
    assert!(observed[2].first_look_ms.is_some_and(|it| it < 50.0), "{observed:?}");
    // The reset leads to page 1 and each click to the next; at rest a page has no second colour.
    let shown: Vec<_> = rig.script.seen().iter().map(|seen| seen.picture.bytes[1]).collect();
    assert_eq!(shown, [0, 0, 0]);
    let pages: Vec<_> = rig.script.seen().iter().map(|seen| seen.picture.bytes[0]).collect();
    assert_eq!(pages, [57, 94, 131]);
    assert_eq!(rig.phone.count(Call::Perform), 2);
}

#[tokio::test(start_paused = true)]
async fn a_film_is_looked_at_all_the_same() {
    let rig = Rig::new([click(1), complete("seen")]);
    rig.phone.moves(Motion::Endless);
    let report = rig.run().await;
    assert_eq!(report.message, "seen");
    let observed = rig.observed(report.session_id).await;
    assert_eq!((observed[0].settled, observed[1].settled), (false, false));
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_was_left_to_itself_is_not_at_rest_by_one_capture() {
    let rig = Rig::new([wait(5), complete("first"), complete("second")]);
    let report = rig.run().await;
    rig.go_on(report.session_id, UserInput::Task("again".to_owned())).await;
    let observed = rig.observed(report.session_id).await;
    let captures: Vec<u32> = observed.iter().map(|it| it.captures).collect();
    assert_eq!(captures, [1, 2, 2], "after the reset, a wait, a run that ended");
}

#[tokio::test(start_paused = true)]
async fn what_came_in_a_wait_is_the_last_screen_of_a_run_that_ends_with_it() {
    let rig = Rig::new([wait(5)]).steps(1);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    rig.phone.is_touched();
    rig.ended(follower).await;
    let pictures = rig.facts(session, |fact| match fact {
        Fact::Observe(it) => it.screenshot.clone(),
        Fact::Snapshot { screenshot, .. } => screenshot.clone(),
        _ => None,
    });
    let pictures = pictures.await;
    assert_ne!(pictures.first(), pictures.last());
}
