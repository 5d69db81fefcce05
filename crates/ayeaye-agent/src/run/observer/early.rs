//! The first frame after a gesture, before it is known whether the screen has come to rest.
//!
//! It is prepared for the model, and perhaps sent to it, while a second capture shows whether it stays.
//! Nothing is done, and nothing counts as seen, before that is known: a screen that still moved is looked at
//! again from its newest frame on.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::picture::may_show_secret;
use super::{LastGesture, Observation, Observer};
use crate::journal::{Fact, Observe};
use crate::run::actor::Actor;
use crate::run::millis;
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::settle::{EarlyFrame, ScreenCapture, capture_at, looks_same};
use crate::{Device, DeviceError, Model, RedactPictures, ScreenState, Speculate, error_chain};

/// A model that answers sooner gains nothing by being asked before the screen has settled.
const WORTH_ASKING_EARLY: Duration = Duration::from_millis(300);

/// Whether a screen stays as it is on its first frame, which is being found out.
#[derive(Debug)]
pub(super) struct Proof {
    gesture: LastGesture,
    first: EarlyFrame,
    /// What the phone said of itself with the first frame.
    state: ScreenState,
    second: AbortOnDropHandle<Result<Second, DeviceError>>,
    /// What came of it, once that is known.
    found: Option<Result<Second, DeviceError>>,
}

/// The frame after the first one.
#[derive(Debug)]
struct Second {
    seen: EarlyFrame,
    /// It shows the same.
    same: bool,
    /// From the beginning of the first capture to the end of this one.
    took: Duration,
}

impl Proof {
    /// Whether the screen has stayed as it was, once that is known. May be called again.
    async fn stayed(&mut self) -> bool {
        if self.found.is_none() {
            self.found = (&mut self.second).await.ok();
        }
        matches!(&self.found, Some(Ok(Second { same: true, .. })))
    }
}

impl Observation {
    /// It is not known yet whether the screen has come to rest.
    pub(in crate::run) fn is_early(&self) -> bool {
        self.proof.is_some()
    }

    /// Ends when the screen is known to have moved since: never, if it has not.
    pub(in crate::run) async fn moved(&mut self) {
        if let Some(proof) = &mut self.proof
            && !proof.stayed().await
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl Observer {
    /// Whether a model that last took so long to answer is to be asked before the screen has settled.
    pub(in crate::run) fn may_ask_early(
        &self,
        observation: &Observation,
        model: &dyn Model,
        answered_in: Option<Duration>,
    ) -> bool {
        let Some(proof) = &observation.proof else { return false };
        match self.speculate {
            Speculate::Off => false,
            Speculate::On => true,
            Speculate::Auto => {
                model.abandoned_calls_are_free()
                    && answered_in.is_some_and(|it| WORTH_ASKING_EARLY <= it)
                    && self.times.first_frame_stays(&proof.gesture.kind)
            }
        }
    }

    /// The first frame after the last gesture, prepared for this model and not recorded yet; a settled one,
    /// recorded, where the first is not likely to stay or must not be shown to anybody as it is.
    pub(in crate::run) async fn observe_early(
        &mut self,
        recorder: &mut Recorder,
        actor: &Actor,
        model: &Arc<dyn Model>,
    ) -> Result<Observation, RunError> {
        let begun = Instant::now();
        let Some(proof) = self.first_frame(recorder).await? else {
            return self.observe_since(recorder, actor, model, begun).await;
        };
        let EarlyFrame { began, frame } = proof.first.clone();
        let took = began.elapsed();
        let capture =
            ScreenCapture { frame, captures: 1, settled: false, began, took, rested: None };
        let state = proof.state.clone();
        let mut observation = self.prepare(recorder, model, capture, &state).await?;
        // The screen may be another one yet.
        self.is_current = false;
        observation.proof = Some(proof);
        self.watch(&mut observation);
        Ok(observation)
    }

    /// The first frame after the last gesture, if it may be shown to a model before it is known to stay.
    async fn first_frame(&mut self, recorder: &mut Recorder) -> Result<Option<Proof>, RunError> {
        let Some(gesture) = self.last_gesture.clone().filter(|it| it.seen.is_none()) else {
            return Ok(None);
        };
        let likely =
            self.speculate == Speculate::On || self.times.first_frame_may_stay(&gesture.kind);
        let hides = self.redact == RedactPictures::Always || may_show_secret(recorder, false);
        if !likely || hides || !self.policy.private_apps.is_empty() {
            return Ok(None);
        }
        self.is_current = false;
        // Sync while the screen moves.
        let (synced, ()) = tokio::join!(recorder.sync(), sleep_until(self.first_look(&gesture)));
        synced?;
        let began = Instant::now();
        let next = began + self.settle.between;
        // Where a phone is as quick with two captures at once, the second need not wait for the first.
        let ahead = self.device.captures_overlap();
        let ahead = ahead.then(|| spawned(look(self.device.clone(), next)));
        let looking = async { tokio::try_join!(self.device.capture(), self.device.state()) };
        let (frame, state) = match self.cancel.race(looking).await? {
            Ok(seen) => seen,
            Err(err) => {
                tracing::debug!(device = %self.device.id(), "the first look: {}", error_chain(&err));
                return Ok(None);
            }
        };
        let shows_all = state.awake && !state.protected && !state.secret_field && !frame.is_black();
        // Nothing may have come of the gesture so far.
        let usable = shows_all && !looks_same(&gesture.before, &frame);
        let first = EarlyFrame { began, frame };
        let gesture = LastGesture { first: Some(began), seen: Some(first.clone()), ..gesture };
        self.last_gesture = Some(gesture.clone());
        if !usable {
            return Ok(None);
        }
        let second = ahead.unwrap_or_else(|| spawned(look(self.device.clone(), next)));
        let (shown, before) = (first.clone(), state.clone());
        let compared = async move {
            let (seen, after) = match second.await {
                Ok(looked) => looked?,
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            };
            let took = shown.began.elapsed();
            let same = is_same_screen(&before, &after) && looks_same(&shown.frame, &seen.frame);
            Ok(Second { seen, same, took })
        };
        let second = spawned(compared);
        // It is under way before the frame is encoded.
        tokio::task::yield_now().await;
        Ok(Some(Proof { gesture, first, state, second, found: None }))
    }

    /// Records an early observation that a model is about to be sent. Its picture is recorded as the step's when
    /// it is known to be that.
    pub(in crate::run) async fn record_early(
        &self,
        recorder: &mut Recorder,
        observation: &Observation,
    ) -> Result<(), RunError> {
        let record =
            Observe { screenshot: None, screenshot_size: None, ..observation.record.clone() };
        recorder.append(Fact::Observe(record)).await?;
        Ok(())
    }

    /// Waits until the screen is known to have stayed as it is on this observation, and records it.
    ///
    /// # Errors
    ///
    /// [`RunError::ScreenMoved`] if it has not: the next look goes on from its newest frame.
    pub(in crate::run) async fn prove(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        let Some(proof) = &mut observation.proof else { return Ok(()) };
        self.cancel.race(proof.stayed()).await?;
        let Some(Proof { gesture, found, .. }) = observation.proof.take() else { return Ok(()) };
        let Some(Ok(Second { seen, same, took })) = found else {
            return Err(RunError::ScreenMoved);
        };
        if !same {
            self.last_gesture = Some(LastGesture { seen: Some(seen), ..gesture });
            return Err(RunError::ScreenMoved);
        }
        let first = gesture.first.unwrap_or(seen.began) - gesture.ended;
        self.times.learn(&gesture.kind, first, first, self.settle.between);
        self.last_gesture = None;
        self.is_current = true;
        observation.seen_at = seen.began;
        let record = &mut observation.record;
        (record.captures, record.settled, record.settle_ms) = (2, true, millis(took));
        self.record_as_seen(recorder, observation).await
    }

    /// Records an early observation as the screen of its step, as far as it was seen.
    pub(in crate::run) async fn record_as_seen(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        self.note_route(observation);
        recorder.append(Fact::Observe(observation.record.clone())).await?;
        Ok(())
    }
}

/// A look at the phone that begins then.
async fn look(
    device: Arc<dyn Device>,
    time: Instant,
) -> Result<(EarlyFrame, ScreenState), DeviceError> {
    let state = async {
        sleep_until(time).await;
        device.state().await
    };
    tokio::try_join!(capture_at(&*device, time), state)
}

fn spawned<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> AbortOnDropHandle<T> {
    AbortOnDropHandle::new(tokio::spawn(future))
}

/// Whether the phone says the same of itself, as far as it matters for what a model is shown.
fn is_same_screen(a: &ScreenState, b: &ScreenState) -> bool {
    let told = |state: &ScreenState| (state.awake, state.protected, state.secret_field);
    a.foreground == b.foreground && told(a) == told(b)
}
