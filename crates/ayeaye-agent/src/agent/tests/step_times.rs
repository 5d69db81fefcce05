//! The times of a run's steps, which add up to how long the user has waited.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Call, Fault, Rig, click, complete, types};
use crate::{Report, StopReason};

/// How much of the time since then no step accounts for, in seconds.
fn not_counted(report: &Report, since: Instant) -> f64 {
    since.elapsed().as_secs_f64() - (report.usage.model_ms + report.usage.other_ms) / 1e3
}

#[tokio::test(start_paused = true)]
async fn waiting_for_the_list_of_a_screen_counts_as_looking() {
    let rig =
        Rig::new([click(100), click(200), types("hello", Some([300, 500])), complete("done")]);
    rig.phone.dumps_in(Duration::from_secs(10));
    let begun = Instant::now();
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    assert!(Duration::from_secs(10) < begun.elapsed(), "it was waited for");
    let missing = not_counted(&report, begun);
    // The reset before the first step is none of its time.
    assert!((0.0..1.5).contains(&missing), "{missing} s of {:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn so_does_waiting_for_a_phone_in_vain() {
    let rig = Rig::new([click(100), complete("done")]);
    let begun = Instant::now();
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::Gone);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::DeviceLost);
    let missing = not_counted(&report, begun);
    assert!((0.0..1.5).contains(&missing), "{missing} s of {:?}", begun.elapsed());
}
