//! Verdicts on screens that change at random, in all the ways that apps' screens do.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::{Instant, sleep};

use crate::fakes::{Motion, PageChange, Recording, SceneKind, ScriptedModel};
use crate::gate::Policy;
use crate::run::actor::Actor;
use crate::run::cancel::CancelHandle;
use crate::run::observer::Observer;
use crate::run::outcome::RunError;
use crate::settle::looks_same;
use crate::{Device as _, Gesture, Key, Limits, Model, Point, Speculate};

const TRANSITIONS: u32 = 10_000;

/// An app, and how its screen changes after a gesture.
type Habits = fn(&mut StdRng) -> (u32, Motion);

fn ms(from: u64, to: u64, random: &mut StdRng) -> Duration {
    Duration::from_millis(random.random_range(from..to))
}

/// Three apps whose screens move as a whole.
fn whole_screens(random: &mut StdRng) -> (u32, Motion) {
    let app = random.random_range(0..3);
    let motion = match app {
        // A page that is there at once, as with animations switched off, and now and then is not.
        0 if random.random_bool(0.9) => Motion::AtOnce,
        // What Android's own transitions take.
        1 => Motion::Takes { answer: ms(0, 60, random), moving: ms(200, 400, random) },
        // One that may take any time.
        _ => Motion::Takes { answer: ms(0, 250, random), moving: ms(0, 900, random) },
    };
    (app, motion)
}

/// An app for each way to change, and one where all come in turn.
fn all_kinds(random: &mut StdRng) -> (u32, Motion) {
    const KINDS: [SceneKind; 8] = [
        SceneKind::AtOnce,
        SceneKind::Slide,
        SceneKind::Fade,
        SceneKind::Small,
        SceneKind::Spinner,
        SceneKind::Caret,
        SceneKind::Clock,
        SceneKind::Nothing,
    ];
    let app = random.random_range(0..=8);
    let kind = KINDS.get(app).copied().unwrap_or_else(|| KINDS[random.random_range(0..8)]);
    // What does nothing as a rule may do something all the same.
    let kind = match kind {
        SceneKind::Nothing if random.random_bool(0.05) => SceneKind::Slide,
        kind => kind,
    };
    // The end of a longer fade differs by less than one shade.
    let longest = if kind == SceneKind::Fade { 400 } else { 900 };
    let (answer, moving) = (ms(0, 120, random), ms(50, longest, random));
    (u32::try_from(app).unwrap(), Motion::Shows(PageChange { kind, answer, moving }))
}

/// Screens that stand still for so long before they have come to rest.
fn plateaus(from: u64, to: u64, random: &mut StdRng) -> (u32, Motion) {
    let app = random.random_range(0..2);
    let kind = [SceneKind::Plateau, SceneKind::Late][app as usize];
    let scene = PageChange { kind, answer: ms(0, 60, random), moving: ms(from, to, random) };
    (app, Motion::Shows(scene))
}

/// How often a screen that counted as settled was not, by its kind, and how many frames were taken early.
async fn wrong_verdicts(
    speculate: Speculate,
    habits: Habits,
    transitions: u32,
) -> (BTreeMap<String, u32>, u32) {
    let mut recording = Recording::unsynced().await;
    let (device, cancel) = (recording.device.clone(), CancelHandle::default());
    let limits = Limits { speculate, ..Limits::USUAL };
    let policy = Policy::default();
    let mut observer =
        Observer::new(device.clone(), cancel.clone(), &limits, policy, Arc::default());
    let mut actor = Actor::new(device.clone(), cancel, tokio::sync::mpsc::channel(1).1);
    let model: Arc<dyn Model> = Arc::new(ScriptedModel::new([]));
    let mut random = StdRng::seed_from_u64(16);
    let gestures = [
        Gesture::Click { point: Point::new(500, 500).unwrap() },
        Gesture::HotKey { key: Key::Back },
        Gesture::Awake { app: "Chat".to_owned() },
    ];
    let (mut wrong, mut early) = (BTreeMap::new(), 0);
    for _ in 0..transitions {
        let (app, motion) = habits(&mut random);
        device.moves(motion);
        device.is_touched();
        // As it was before the touch.
        let before = device.page_before();
        let gesture = &gestures[app as usize % gestures.len()];
        observer.gesture_ended(gesture, before, Some(format!("app{app}")), Instant::now());
        let recorder = &mut recording.recorder;
        let mut seen =
            Box::pin(observer.observe_early(recorder, &mut actor, &model)).await.unwrap();
        seen = loop {
            early += u32::from(seen.is_early());
            match observer.confirm_settled(recorder, &model, &mut seen).await {
                Ok(()) => break seen,
                Err(RunError::ScreenMoved) => {
                    observer.goes_on_from(seen);
                    seen = Box::pin(observer.observe_early(recorder, &mut actor, &model))
                        .await
                        .unwrap();
                }
                Err(err) => panic!("{err}"),
            }
        };
        seen.watch = None;
        sleep(Duration::from_secs(3)).await;
        if !looks_same(&seen.frame, &device.capture().await.unwrap()) {
            let kind = match motion {
                Motion::Shows(scene) => format!("{:?}", scene.kind),
                other => format!("{other:?}").split([' ', '{']).next().unwrap().to_owned(),
            };
            *wrong.entry(kind).or_default() += 1;
        }
    }
    (wrong, early)
}

/// Half a percent may be wrong.
async fn verdicts_hold(speculate: Speculate, habits: Habits) {
    let (wrong, early) = Box::pin(wrong_verdicts(speculate, habits, TRANSITIONS)).await;
    assert!(TRANSITIONS / 10 < early, "only {early} frames were taken before they were proven");
    assert!(wrong.values().sum::<u32>() * 200 <= TRANSITIONS, "of {TRANSITIONS}: {wrong:?}");
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_counts_as_settled_is() {
    verdicts_hold(Speculate::Off, whole_screens).await;
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_a_model_is_asked_about_is_settled() {
    verdicts_hold(Speculate::On, whole_screens).await;
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_counts_as_settled_is_whatever_moves_on_it() {
    verdicts_hold(Speculate::Off, all_kinds).await;
}

#[tokio::test(start_paused = true)]
async fn whatever_moves_on_it_a_model_is_asked_about_the_settled_one() {
    verdicts_hold(Speculate::On, all_kinds).await;
}

#[tokio::test(start_paused = true)]
async fn a_rest_in_between_is_seen_through_only_if_it_is_short() {
    // The others count as settled, which docs/screens.md says.
    let short: Habits = |random| plateaus(5, 30, random);
    let (wrong, _) = Box::pin(wrong_verdicts(Speculate::Off, short, TRANSITIONS / 10)).await;
    assert!(wrong.values().sum::<u32>() * 200 <= TRANSITIONS / 10, "{wrong:?}");
    let long: Habits = |random| plateaus(300, 600, random);
    let (wrong, _) = Box::pin(wrong_verdicts(Speculate::Off, long, TRANSITIONS / 10)).await;
    assert!(TRANSITIONS / 20 < wrong.values().sum::<u32>(), "{wrong:?}");
}
