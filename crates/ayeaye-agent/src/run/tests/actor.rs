//! The actor: announced on the disk, sent once, concluded. The phone complains about a command that
//! is not on the disk before it arrives.
use tokio::sync::mpsc;

use crate::fakes::{Call, Fault, Recording};
use crate::journal::Fact;
use crate::run::actor::Actor;
use crate::run::cancel::CancelHandle;
use crate::run::outcome::RunError;
use crate::{Gesture, Point, ScreenSize, StopReason};

const SIZE: ScreenSize = ScreenSize { width: 60, height: 120 };

fn actor(recording: &Recording, cancel: CancelHandle) -> Actor {
    let (_, changes) = mpsc::channel(1);
    Actor::new(recording.device.clone(), cancel, changes)
}

fn click() -> Gesture {
    Gesture::Click { point: Point::new(100, 500).unwrap() }
}

#[tokio::test(start_paused = true)]
async fn a_gesture_is_recorded_sent_and_concluded() {
    let mut recording = Recording::new().await;
    let mut actor = actor(&recording, CancelHandle::default());
    let sent = actor.perform(&mut recording.recorder, &click(), None, None, SIZE).await.unwrap();
    assert!(sent.result.is_ok());
    actor.wake(&mut recording.recorder).await.unwrap();
    assert_eq!(recording.device.sent(), ["CLICK 100,500", "WAKE"]);
    assert_eq!(recording.device.complaints(), [""; 0]);
    let facts = recording.facts().await;
    assert!(matches!(&facts[1], Fact::ToolEnd(end) if end.success && end.result == "done"));
}

#[tokio::test(start_paused = true)]
async fn what_may_have_been_done_is_not_repeated() {
    let mut recording = Recording::new().await;
    recording.device.breaks(Call::Perform, 1..=1, Fault::LinkLost);
    let mut actor = actor(&recording, CancelHandle::default());
    let sent = actor.perform(&mut recording.recorder, &click(), None, None, SIZE).await.unwrap();
    assert!(sent.result.unwrap_err().may_have_acted());
    assert_eq!(recording.device.sent(), ["CLICK 100,500"]);
    let facts = recording.facts().await;
    assert!(matches!(&facts[1], Fact::ToolEnd(end) if !end.success && end.unknown));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_run_sends_nothing_and_says_so() {
    let mut recording = Recording::new().await;
    let cancel = CancelHandle::default();
    let mut actor = actor(&recording, cancel.clone());
    cancel.stop(StopReason::UserPaused);
    let err = actor.perform(&mut recording.recorder, &click(), None, None, SIZE).await.unwrap_err();
    assert!(matches!(err, RunError::Cancelled(it) if it.reason == StopReason::UserPaused));
    assert_eq!(recording.device.sent(), [""; 0]);
    let facts = recording.facts().await;
    assert!(matches!(&facts[1], Fact::ToolEnd(end) if !end.success && !end.unknown), "{facts:?}");
    actor.wake(&mut recording.recorder).await.unwrap_err();
    assert_eq!(recording.facts().await.len(), 2, "not even announced");
}
