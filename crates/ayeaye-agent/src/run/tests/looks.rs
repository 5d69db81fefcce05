//! Looks that fail, that take long, or that come after something other than a gesture.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::fakes::{Call, Fault, Motion, Recording, ScriptedModel};
use crate::gate::Policy;
use crate::journal::{Fact, Observe};
use crate::run::actor::Actor;
use crate::run::cancel::CancelHandle;
use crate::run::observer::{Observation, Observer};
use crate::run::outcome::RunError;
use crate::settle::looks_same;
use crate::{Device as _, Gesture, Limits, Model, Point};

const MOVING: Motion = Motion::Takes { answer: Duration::ZERO, moving: Duration::from_millis(400) };

/// Who looks at a phone, and what is written down.
struct Looking {
    recording: Recording,
    observer: Observer,
    actor: Actor,
    model: Arc<dyn Model>,
}

impl Looking {
    async fn at_rest() -> Self {
        let recording = Recording::new().await;
        let (device, cancel) = (recording.device.clone(), CancelHandle::default());
        let (limits, policy) = (&Limits::USUAL, Policy::default());
        Self {
            observer: Observer::new(device.clone(), cancel.clone(), limits, policy, Arc::default()),
            actor: Actor::new(device, cancel, tokio::sync::mpsc::channel(1).1),
            model: Arc::new(ScriptedModel::new([])),
            recording,
        }
    }

    /// Right after a gesture that has the screen move.
    async fn after_gesture() -> Self {
        let mut looking = Self::at_rest().await;
        looking.recording.device.moves(MOVING);
        looking.touches();
        looking
    }

    fn touches(&mut self) {
        let device = &self.recording.device;
        device.is_touched();
        let (before, app) = (device.page_before(), Some("com.example.chat".to_owned()));
        let click = Gesture::Click { point: Point::new(500, 500).unwrap() };
        self.observer.gesture_ended(&click, before, app, Instant::now());
    }

    async fn early(&mut self) -> Observation {
        let recorder = &mut self.recording.recorder;
        self.observer.observe_early(recorder, &mut self.actor, &self.model).await.unwrap()
    }

    async fn settled(&mut self) -> Observation {
        let recorder = &mut self.recording.recorder;
        self.observer.observe(recorder, &mut self.actor, &self.model).await.unwrap()
    }

    async fn confirm_settled(&mut self, observation: &mut Observation) -> Result<(), RunError> {
        self.observer.confirm_settled(&mut self.recording.recorder, &self.model, observation).await
    }

    /// Whether this is what the phone shows in the end.
    async fn is_at_rest(&self, observation: &Observation) -> bool {
        sleep(Duration::from_secs(20)).await;
        looks_same(&observation.frame, &self.recording.device.capture().await.unwrap())
    }

    async fn recorded(&self) -> Vec<Observe> {
        let facts = self.recording.facts().await.into_iter();
        facts
            .filter_map(|fact| match fact {
                Fact::Observe(observe) => Some(observe),
                _ => None,
            })
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_from_before_a_look_that_failed_is_nobodys_screen() {
    for fault in [Fault::TimedOut(Duration::from_secs(10)), Fault::Garbled, Fault::LinkLost] {
        let mut looking = Looking::after_gesture().await;
        looking.recording.device.breaks(Call::Capture, 2..=2, fault);
        let mut moving = looking.early().await;
        assert!(moving.is_early());
        looking.confirm_settled(&mut moving).await.unwrap_err();
        looking.observer.goes_on_from(moving);
        let seen = looking.early().await;
        assert!(!seen.is_early(), "{fault:?}: where looks fail, the settled frame is waited for");
        assert!(looking.is_at_rest(&seen).await, "{fault:?}");
        let recorded = looking.recorded().await;
        let last = recorded.last().unwrap();
        assert!(last.settled && 2 <= last.captures, "{fault:?}: {last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_was_not_gone_on_from_for_long_is_nobodys_screen() {
    let mut looking = Looking::after_gesture().await;
    let moving = looking.early().await;
    // As when its model fails and a person is asked.
    drop(moving);
    sleep(Duration::from_mins(1)).await;
    let asked = Instant::now();
    looking.recording.device.is_touched();
    let seen = looking.early().await;
    assert!(asked <= seen.seen_at);
    assert!(looking.is_at_rest(&seen).await);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_never_rests_is_taken_as_it_is_and_not_as_it_was() {
    let mut looking = Looking::at_rest().await;
    looking.recording.device.captures_in(Duration::from_millis(3200));
    looking.recording.device.moves(Motion::Endless);
    looking.touches();
    let mut moving = looking.early().await;
    looking.confirm_settled(&mut moving).await.unwrap_err();
    looking.observer.goes_on_from(moving);
    // As when the disk is slow.
    sleep(Duration::from_millis(500)).await;
    let asked = Instant::now();
    let seen = looking.early().await;
    assert!(asked <= seen.seen_at, "{:?} before", asked - seen.seen_at);
    assert!(!looking.recorded().await[0].settled);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_was_just_switched_on_is_waited_for() {
    let mut looking = Looking::at_rest().await;
    let device = looking.recording.device.clone();
    device.moves(MOVING);
    device.breaks(Call::State, 1..=1, Fault::ScreenOff);
    let unlocked = async {
        device.gets(Call::Wake, 1).await;
        device.is_touched();
    };
    let (seen, ()) = tokio::join!(looking.settled(), unlocked);
    assert!(looking.is_at_rest(&seen).await);
}

#[tokio::test(start_paused = true)]
async fn a_screen_is_waited_for_after_its_phone_was_away() {
    let mut looking = Looking::at_rest().await;
    let (answer, moving) = (Duration::ZERO, Duration::from_millis(900));
    looking.recording.device.moves(Motion::Takes { answer, moving });
    looking.recording.device.is_touched();
    looking.recording.device.breaks(Call::Capture, 1..=1, Fault::Gone);
    let seen = looking.settled().await;
    assert!(looking.is_at_rest(&seen).await);
}

#[tokio::test(start_paused = true)]
async fn a_screen_is_waited_for_that_was_black_until_now() {
    let mut looking = Looking::at_rest().await;
    let (answer, moving) = (Duration::ZERO, Duration::from_millis(900));
    looking.recording.device.moves(Motion::Takes { answer, moving });
    looking.recording.device.is_touched();
    looking.recording.device.breaks(Call::Capture, 1..=1, Fault::Black);
    let seen = looking.settled().await;
    assert!(looking.is_at_rest(&seen).await);
}

#[tokio::test(start_paused = true)]
async fn a_screen_at_rest_costs_one_capture_and_one_that_never_rests_its_time_once() {
    let mut looking = Looking::at_rest().await;
    looking.settled().await;
    assert_eq!(looking.recording.device.count(Call::Capture), 1);
    looking.recording.device.moves(Motion::Endless);
    looking.touches();
    looking.settled().await;
    let before = looking.recording.device.count(Call::Capture);
    looking.settled().await;
    assert_eq!(looking.recording.device.count(Call::Capture), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_takes_longer_than_the_limit_is_compared_with_another() {
    let slow = Duration::from_millis(3200);
    let mut looking = Looking::at_rest().await;
    looking.recording.device.captures_in(slow);
    let mut seconds = Vec::new();
    for _ in 0..4 {
        looking.touches();
        let touched = Instant::now();
        let mut seen = looking.early().await;
        if seen.is_early() {
            looking.confirm_settled(&mut seen).await.unwrap();
        }
        assert!(slow <= seen.seen_at.elapsed(), "it was seen when its capture began");
        seconds.push(touched.elapsed().as_secs_f64());
        sleep(Duration::from_secs(9)).await;
    }
    let recorded = looking.recorded().await;
    assert!(recorded.iter().all(|it| it.settled && it.captures == 2), "{recorded:?}");
    // What was learnt of the first is used for the next; two captures at once take as long as one.
    assert_eq!(recorded[1].first_look_ms, Some(0.0), "{recorded:?}");
    assert!(seconds.iter().all(|it| *it < 3.4), "{seconds:?}");
}

#[tokio::test(start_paused = true)]
async fn a_picture_shows_the_phone_as_its_capture_began() {
    let mut looking = Looking::at_rest().await;
    looking.recording.device.captures_in(Duration::from_millis(900));
    let seen = looking.settled().await;
    assert_eq!(seen.seen_at.elapsed(), Duration::from_millis(900));
}

#[tokio::test(start_paused = true)]
async fn an_act_that_a_yes_is_for_goes_by_a_look_of_its_own_however_fresh_the_last_is() {
    let mut looking = Looking::at_rest().await;
    let mut seen = looking.settled().await;
    looking.observer.watch(&mut seen);
    let captures = looking.recording.device.count(Call::Capture);
    let looked = looking.observer.look_before_act(&seen, true).await.unwrap().unwrap();
    assert!(looked.as_ref().as_ref().is_ok_and(|look| look.same));
    assert_eq!(looking.recording.device.count(Call::Capture), captures + 1);
}

#[tokio::test(start_paused = true)]
async fn a_screen_seen_before_the_computer_slept_is_looked_at_again_before_an_act() {
    let mut looking = Looking::at_rest().await;
    let mut seen = looking.settled().await;
    looking.observer.watch(&mut seen);
    assert!(looking.observer.look_before_act(&seen, false).await.unwrap().is_none(), "it is fresh");
    let captures = looking.recording.device.count(Call::Capture);
    seen.after_sleep_of(Duration::from_hours(8));
    assert!(!seen.is_of_last(Duration::from_millis(350)));
    let looked = looking.observer.look_before_act(&seen, false).await.unwrap().unwrap();
    assert!(looked.as_ref().as_ref().is_ok_and(|look| look.same));
    assert_eq!(looking.recording.device.count(Call::Capture), captures + 1);
}
