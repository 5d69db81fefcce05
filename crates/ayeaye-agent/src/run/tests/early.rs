//! First frames against screens that move at random.
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::{Instant, sleep};

use crate::fakes::{Motion, Recording, ScriptedModel};
use crate::gate::Policy;
use crate::run::actor::Actor;
use crate::run::cancel::CancelHandle;
use crate::run::observer::Observer;
use crate::run::outcome::RunError;
use crate::settle::looks_same;
use crate::{Device as _, Gesture, Key, Limits, Model, Point, Speculate};

const TRANSITIONS: u32 = 10_000;

/// How a screen changes after a gesture: a time until it answers, and a time that it moves.
fn transition(random: &mut StdRng, habit: u32) -> Motion {
    let ms = Duration::from_millis;
    match habit {
        // A page that is there at once, as with animations switched off, and now and then is not.
        0 if random.random_bool(0.9) => Motion::AtOnce,
        // What Android's own transitions take.
        1 => Motion::Takes {
            answer: ms(random.random_range(0..60)),
            moving: ms(random.random_range(200..400)),
        },
        // One that may take any time.
        _ => Motion::Takes {
            answer: ms(random.random_range(0..250)),
            moving: ms(random.random_range(0..900)),
        },
    }
}

async fn wrong_verdicts(speculate: Speculate) -> (u32, u32) {
    let mut recording = Recording::unsynced().await;
    let (device, cancel) = (recording.device.clone(), CancelHandle::default());
    let limits = Limits { speculate, ..Limits::USUAL };
    let policy = Policy::default();
    let mut observer =
        Observer::new(device.clone(), cancel.clone(), &limits, policy, Arc::default());
    let actor = Actor::new(device.clone(), cancel, tokio::sync::mpsc::channel(1).1);
    let model: Arc<dyn Model> = Arc::new(ScriptedModel::new([]));
    let mut random = StdRng::seed_from_u64(16);
    let gestures = [
        Gesture::Click { point: Point::new(500, 500).unwrap() },
        Gesture::HotKey { key: Key::Back },
        Gesture::Awake { app: "Chat".to_owned() },
    ];
    let (mut wrong, mut early) = (0, 0);
    let mut before = device.capture().await.unwrap();
    for _ in 0..TRANSITIONS {
        let habit = random.random_range(0..3);
        device.moves(transition(&mut random, habit));
        device.is_touched();
        let app = Some(format!("com.example.app{habit}"));
        let gesture = &gestures[habit as usize % gestures.len()];
        observer.gesture_ended(gesture, (before, app), Instant::now());
        let recorder = &mut recording.recorder;
        let mut seen = observer.observe_early(recorder, &actor, &model).await.unwrap();
        early += u32::from(seen.is_early());
        seen = match observer.prove(recorder, &mut seen).await {
            Ok(()) => seen,
            Err(RunError::ScreenMoved) => observer.observe(recorder, &actor, &model).await.unwrap(),
            Err(err) => panic!("{err}"),
        };
        seen.watch = None;
        sleep(Duration::from_secs(2)).await;
        before = device.capture().await.unwrap();
        wrong += u32::from(!looks_same(&seen.frame, &before));
    }
    (wrong, early)
}

/// Half a percent may be wrong.
async fn verdicts_hold(speculate: Speculate) {
    let (wrong, early) = wrong_verdicts(speculate).await;
    assert!(TRANSITIONS / 10 < early, "only {early} first frames were taken");
    assert!(wrong * 200 <= TRANSITIONS, "{wrong} of {TRANSITIONS}");
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_that_counts_as_settled_is() {
    verdicts_hold(Speculate::Off).await;
}

#[tokio::test(start_paused = true)]
async fn so_is_one_that_a_model_is_asked_about() {
    verdicts_hold(Speculate::On).await;
}
