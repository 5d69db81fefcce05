//! The observer: a screen that is on and shows something, its picture and its elements.
use std::sync::Arc;
use std::time::Duration;

use crate::fakes::{Call, Fault, Recording, ScriptedModel};
use crate::gate::Policy;
use crate::journal::Fact;
use crate::run::actor::Actor;
use crate::run::cancel::CancelHandle;
use crate::run::observer::Observer;
use crate::run::outcome::RunError;
use crate::{Gesture, Limits, Model, Point};

const DUMP: &str = r#"<hierarchy rotation="0"><node text="Send" class="android.widget.Button"
    clickable="true" bounds="[0,0][60,120]"/></hierarchy>"#;

fn owners(recording: &Recording) -> (Observer, Actor, Arc<dyn Model>) {
    let (device, cancel) = (recording.device.clone(), CancelHandle::default());
    let observer = Observer::new(
        device.clone(),
        cancel.clone(),
        &Limits::USUAL,
        Policy::default(),
        Arc::default(),
    );
    (
        observer,
        Actor::new(device, cancel, tokio::sync::mpsc::channel(1).1),
        Arc::new(ScriptedModel::new([])),
    )
}

#[tokio::test(start_paused = true)]
async fn a_look_has_a_picture_and_elements_when_they_come() {
    let mut recording = Recording::new().await;
    recording.device.shows(DUMP, false);
    let (mut observer, mut actor, model) = owners(&recording);
    let recorder = &mut recording.recorder;
    let mut observation = observer.observe(recorder, &mut actor, &model).await.unwrap();
    assert!(observation.picture.blob.is_some());
    assert_eq!(observation.app.as_deref(), Some("com.example.chat"));
    let click = Gesture::Click { point: Point::new(500, 500).unwrap() };
    assert_eq!(observation.target(&click), None, "the elements are still to come");
    let patience = Duration::from_secs(1);
    observer.read_elements(recorder, &mut observation, patience).await.unwrap();
    assert_eq!(observation.target(&click).unwrap().name, "Send");
    let screen = Box::pin(observer.final_screen(recorder, &model)).await.unwrap().unwrap();
    assert_eq!(screen.screenshot, observation.picture.blob);
    assert!(screen.ui_tree.is_some());
    assert_eq!(recording.device.count(Call::Capture), 1, "nothing was done since the look");
}

#[tokio::test(start_paused = true)]
async fn a_dark_screen_is_woken_once() {
    let mut recording = Recording::new().await;
    recording.device.breaks(Call::State, 1..=1, Fault::ScreenOff);
    recording.device.breaks(Call::State, 3..=3, Fault::ScreenOff);
    let (mut observer, mut actor, model) = owners(&recording);
    let recorder = &mut recording.recorder;
    observer.observe(recorder, &mut actor, &model).await.unwrap();
    assert_eq!(recording.device.sent(), ["WAKE"]);
    let err = observer.observe(recorder, &mut actor, &model).await.unwrap_err();
    assert!(matches!(err, RunError::ScreenOff), "{err:?}");
    assert_eq!(recording.device.sent(), ["WAKE"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_went_away_is_waited_for_and_a_black_screen_needs_a_person() {
    let mut recording = Recording::new().await;
    recording.device.breaks(Call::Capture, 1..=2, Fault::Gone);
    let (mut observer, mut actor, model) = owners(&recording);
    observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap();
    recording.device.breaks(Call::Capture, 4..=1000, Fault::Black);
    let err = observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap_err();
    assert!(matches!(&err, RunError::NeedsTakeover { app: Some(_), .. }), "{err:?}");
    recording.device.mended();
    recording.device.breaks(Call::Capture, 1..=100_000, Fault::Gone);
    let err = observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap_err();
    assert!(matches!(err, RunError::DeviceLost(_)), "{err:?}");
    assert!(observer.last_screen().is_some(), "what was seen last is still known");
    let observed = recording.facts().await;
    let observed = observed.iter().filter(|fact| matches!(fact, Fact::Observe(_)));
    assert_eq!(observed.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_protected_screen_needs_a_person_although_its_status_bar_shows() {
    let mut recording = Recording::new().await;
    // One colour all over, and not black.
    recording.device.protects(true);
    let (mut observer, mut actor, model) = owners(&recording);
    let err = observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap_err();
    let RunError::NeedsTakeover { text, app } = err else { panic!("{err:?}") };
    assert!(text.contains("protects its screen"), "{text}");
    assert_eq!(app.as_deref(), Some("com.example.chat"));
    recording.device.protects(false);
    observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_protected_screen_of_which_there_is_no_picture_needs_a_person_at_once() {
    let mut recording = Recording::new().await;
    recording.device.protects(true);
    recording.device.breaks(Call::Capture, 1..=u32::MAX, Fault::Garbled);
    let (mut observer, mut actor, model) = owners(&recording);
    let err = observer.observe(&mut recording.recorder, &mut actor, &model).await.unwrap_err();
    assert!(matches!(&err, RunError::NeedsTakeover { app: Some(_), .. }), "{err:?}");
}

#[tokio::test(start_paused = true)]
async fn elements_that_come_late_count_only_if_the_screen_is_still_the_same() {
    for touched in [false, true] {
        let mut recording = Recording::new().await;
        recording.device.shows(DUMP, false);
        recording.device.dumps_in(Duration::from_secs(3));
        let (mut observer, mut actor, model) = owners(&recording);
        let recorder = &mut recording.recorder;
        let mut observation = observer.observe(recorder, &mut actor, &model).await.unwrap();
        if touched {
            recording.device.is_touched();
        }
        let patience = Duration::from_secs(5);
        observer.read_elements(recorder, &mut observation, patience).await.unwrap();
        assert_eq!(observation.elements.tree().is_some(), !touched);
        assert_eq!(recording.device.count(Call::Capture), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn that_a_phone_will_not_say_its_elements_is_noted_once() {
    let mut recording = Recording::new().await;
    recording.device.shows(DUMP, false);
    recording.device.refuses_dumps();
    let (mut observer, mut actor, model) = owners(&recording);
    let recorder = &mut recording.recorder;
    for _ in 0..2 {
        let mut observation = observer.observe(recorder, &mut actor, &model).await.unwrap();
        observer.read_elements(recorder, &mut observation, Duration::from_secs(1)).await.unwrap();
        assert!(observation.elements.tree().is_none());
    }
    let notes = recording.facts().await;
    let notes = notes.iter().filter(|fact| matches!(fact, Fact::Note { .. }));
    assert_eq!(notes.count(), 1);
}
