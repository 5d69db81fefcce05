//! Many phones of one agent. Time stands still while work is done, so what is counted is who waits for whom.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Call, Fault, Rig, click, within};
use crate::{DeviceId, Follower, StartTask, StopReason};

const PHONES: usize = 16;
const STEPS: u32 = 6;

/// Enough clicks for all, no two in a row alike.
fn rig() -> Rig {
    Rig::new((0..900).map(click)).unsynced().steps(STEPS)
}

fn serial(nth: usize) -> String {
    format!("phone-{}", nth + 2)
}

/// Starts the same task on each.
async fn begin(rig: &Rig, serials: impl IntoIterator<Item = String>) -> Vec<Follower> {
    let mut followers = Vec::new();
    for serial in serials {
        let start = StartTask { device_id: DeviceId::new(&serial), ..rig.task("Text Anna") };
        followers.push(rig.agent.start(start).await.expect("the run starts"));
    }
    followers
}

/// Waits for its end; how long that took.
async fn lasts(mut follower: Follower, since: Instant) -> Duration {
    within(async { while follower.changed().await {} }).await;
    assert_eq!(follower.report().stop_reason, StopReason::MaxStepsReached);
    since.elapsed()
}

async fn alone() -> Duration {
    let rig = rig();
    let since = Instant::now();
    let mut followers = begin(&rig, ["phone-1".to_owned()]).await;
    lasts(followers.remove(0), since).await
}

#[tokio::test(start_paused = true)]
async fn each_of_many_phones_takes_as_long_as_it_takes_alone_whichever_hangs() {
    let alone = alone().await;
    let mut rig = rig();
    let phones = rig.more_phones((0..PHONES).map(serial));
    // The one that was there from the beginning.
    rig.phone.breaks(Call::Capture, 2..=u32::MAX, Fault::TimedOut(Duration::from_secs(20)));
    let hung = begin(&rig, ["phone-1".to_owned()]).await.remove(0);
    let since = Instant::now();
    let followers = begin(&rig, (0..PHONES).map(serial)).await;
    let times = futures::future::join_all(followers.into_iter().map(|it| lasts(it, since))).await;
    let longest = times.iter().max().unwrap();
    assert!(*longest <= alone + alone / 20, "{longest:?} among {PHONES}, {alone:?} alone");
    assert!(hung.running(), "it has not even been given up");
    for phone in &phones {
        assert_eq!(phone.gestures().len(), STEPS as usize);
        assert_eq!(phone.complaints(), Vec::<String>::new());
    }
    rig.agent.shut_down(Duration::from_mins(5)).await;
}

#[tokio::test(start_paused = true)]
async fn phones_are_served_in_turn() {
    let mut rig = rig();
    let phones = rig.more_phones((0..PHONES).map(serial));
    let mut followers = begin(&rig, (0..PHONES).map(serial)).await;
    let first = followers.remove(0);
    lasts(first, Instant::now()).await;
    // When one has done all its steps, none of the others is more than one behind.
    let steps: Vec<usize> = phones.iter().map(|phone| phone.gestures().len()).collect();
    assert!(steps.iter().all(|done| STEPS as usize - 1 <= *done), "{steps:?}");
    let since = Instant::now();
    futures::future::join_all(followers.into_iter().map(|it| lasts(it, since))).await;
}
