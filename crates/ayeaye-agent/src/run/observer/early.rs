//! Frames after a gesture, before it is known whether the screen has come to rest.
//!
//! One is prepared for the model, and perhaps sent to it, while captures go on and show whether it stays.
//! Nothing is done, and nothing counts as seen, before that is known: of a screen that still moved the newest
//! frame goes out next.
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::elements::ElementsRequest;
use super::last_gesture::{LastGesture, LookSoFar, MOST_EARLY};
use super::picture::may_show_secret;
use super::second_look::{Ahead, digest_at, look_at, state_at};
use super::{Observation, Observer, Taken};
use crate::journal::{Fact, Observe};
use crate::run::actor::Actor;
use crate::run::millis;
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::settle::{ScreenCapture, Settling};
use crate::{Device, DeviceError, Model, RedactPictures, ScreenState, Speculate};

/// A model that answers sooner gains nothing by being asked before the screen has settled.
const WORTH_ASKING_EARLY: Duration = Duration::from_millis(300);

/// A check in progress: does the screen stay as it is on a frame?
#[derive(Debug)]
pub(super) struct SettledProof {
    gesture: LastGesture,
    shown: LookSoFar,
    /// A model was sent it.
    sent: bool,
    watching: AbortOnDropHandle<Result<LookSoFar, DeviceError>>,
    /// What came of it, once that is known.
    found: Option<Result<LookSoFar, DeviceError>>,
}

impl SettledProof {
    /// What is known of the screen since: it has settled as it was, or has moved, or could not be looked at. May be
    /// called again.
    async fn outcome(&mut self) -> &Result<LookSoFar, DeviceError> {
        let found = match self.found.take() {
            Some(found) => found,
            None => (&mut self.watching).await.unwrap_or_else(|err| {
                tracing::error!("looking after an act: {err}");
                let phone = self.gesture.kind.device.clone();
                Err(DeviceError::NotReady(phone, "not looked at: internal error".to_owned()))
            }),
        };
        self.found.insert(found)
    }

    /// Whether the frame is likely enough to stay for a model to be sent it.
    fn is_likely(&self) -> bool {
        let settling = &self.shown.settling;
        settling.expected().stays(settling.age())
    }

    /// # Errors
    ///
    /// [`RunError::ScreenMoved`] if the screen has, [`RunError::ScreenUnseen`] if it could not be looked at.
    async fn stayed(&mut self) -> Result<(), RunError> {
        match self.outcome().await {
            Ok(look) if look.settling.has_settled() => Ok(()),
            Ok(_) => Err(RunError::ScreenMoved),
            Err(err) => Err(RunError::ScreenUnseen(err.clone())),
        }
    }
}

/// What was seen after a gesture.
enum FrameAfter {
    /// A frame that is likely to stay.
    Early(Box<SettledProof>),
    /// The screen at rest.
    Settled(Box<(ScreenCapture, ScreenState)>),
    /// It must not be shown to anybody as it is, or could not be looked at.
    Withheld,
}

impl Observation {
    /// Whether it is not known yet that the screen has come to rest.
    pub(in crate::run) fn is_early(&self) -> bool {
        self.proof.is_some()
    }

    /// Waits until the screen is known to have moved, or could not be looked at. Never returns if the screen has stayed
    /// as it was.
    pub(in crate::run) async fn moved(&mut self) -> RunError {
        match &mut self.proof {
            Some(proof) => match proof.stayed().await {
                Ok(()) => std::future::pending().await,
                Err(moved) => moved,
            },
            None => std::future::pending().await,
        }
    }
}

impl Observer {
    /// Whether this model is to be asked before the screen has settled.
    pub(in crate::run) fn may_ask_early(
        &self,
        observation: &Observation,
        model: &dyn Model,
    ) -> bool {
        let Some(proof) = &observation.proof else { return false };
        match self.speculate {
            Speculate::Off => false,
            Speculate::On => true,
            Speculate::Auto => {
                model.abandoned_calls_are_free()
                    && self.answer_times.latest().is_some_and(|it| WORTH_ASKING_EARLY <= it)
                    && proof.is_likely()
                    && self.times.guesses_well(&proof.gesture.kind)
            }
        }
    }

    /// An observation from before the screen has settled, prepared for this model and not recorded yet. If no early
    /// frame is likely to stay, or none may be shown as it is, a settled and recorded observation instead.
    pub(in crate::run) async fn observe_early(
        &mut self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        model: &Arc<dyn Model>,
    ) -> Result<Observation, RunError> {
        let begun = Instant::now();
        match self.look_after_gesture(recorder).await? {
            FrameAfter::Withheld => self.observe_since(recorder, actor, model, begun).await,
            FrameAfter::Settled(seen) => {
                let (capture, state) = *seen;
                let mut observation =
                    self.prepare(recorder, model, capture, &state, Taken::AtRest).await?;
                self.record_as_seen(recorder, model, &mut observation).await?;
                Ok(observation)
            }
            FrameAfter::Early(proof) => {
                let LookSoFar { settling, state } = proof.shown.clone();
                let capture = settling.capture();
                // A list that is requested with a frame that does not stay is of use only if the screen rests within a
                // second; else the right one has to wait for it.
                let taken = if proof.is_likely() { Taken::AtRest } else { Taken::InMotion };
                let mut observation = self.prepare(recorder, model, capture, &state, taken).await?;
                observation.proof = Some(proof);
                Ok(observation)
            }
        }
    }

    /// Looks at the screen after the last gesture until a frame is likely to stay, or has stayed.
    async fn look_after_gesture(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<FrameAfter, RunError> {
        let Some(mut gesture) = self.last_gesture.clone() else { return Ok(FrameAfter::Withheld) };
        let hides = self.redact == RedactPictures::Always || may_show_secret(recorder, false, None);
        if hides || !self.policy.private_apps.is_empty() {
            return Ok(FrameAfter::Withheld);
        }
        if self.is_long_ago(&gesture) {
            return Ok(FrameAfter::Withheld);
        }
        self.last.is_current = false;
        let (mut newest, mut ahead) = match gesture.seen.take() {
            Some(newest) => (newest, None),
            None => match self.first_look_after(recorder, &mut gesture).await? {
                Ok((newest, ahead)) => (newest, ahead),
                Err(err) => {
                    self.look_failed(gesture, &err);
                    return Ok(FrameAfter::Withheld);
                }
            },
        };
        loop {
            gesture.seen = Some(newest.clone());
            self.last_gesture = Some(gesture.clone());
            let LookSoFar { settling, state } = &newest;
            let shows_all = state.awake && !state.locked && !state.protected && !state.secret_field;
            if !shows_all || settling.is_over() || settling.newest().frame.is_black() {
                return Ok(FrameAfter::Withheld);
            }
            let likely = !settling.is_unmoved() && settling.expected().may_stay(settling.age());
            let watching = watch_until_known(self.device.clone(), newest.clone(), ahead.take());
            let (shown, watching) = (newest.clone(), spawned(watching));
            // It is under way before the frame is encoded.
            tokio::task::yield_now().await;
            let gesture = gesture.clone();
            let mut proof = SettledProof { gesture, shown, sent: false, watching, found: None };
            if likely && self.early.prepared < MOST_EARLY {
                self.early.prepared += 1;
                return Ok(FrameAfter::Early(Box::new(proof)));
            }
            self.cancel.race(proof.outcome()).await?;
            match proof.found {
                Some(Ok(LookSoFar { settling, state })) if settling.has_settled() => {
                    self.has_settled(&proof.gesture, &settling);
                    return Ok(FrameAfter::Settled(Box::new((settling.capture(), state))));
                }
                Some(Ok(look)) => newest = look,
                Some(Err(err)) => {
                    self.look_failed(proof.gesture, &err);
                    return Ok(FrameAfter::Withheld);
                }
                None => return Ok(FrameAfter::Withheld),
            }
        }
    }

    /// The first look after a gesture, and the next one if it has begun already.
    async fn first_look_after(
        &self,
        recorder: &mut Recorder,
        gesture: &mut LastGesture,
    ) -> Result<Result<(LookSoFar, Option<Ahead>), DeviceError>, RunError> {
        let first = self.first_look(gesture).max(Instant::now());
        // Where a phone is as quick with two captures at once, the second need not wait for the first.
        let next = first + gesture.expected.next_look(first - gesture.ended);
        let overlap = self.device.captures_overlap();
        let stays = gesture.expected.stays(first - gesture.ended);
        let ahead = if self.device.makes_digests() && (stays || !overlap) {
            Some(Ahead::Digest(spawned(digest_at(self.device.clone(), next))))
        } else {
            overlap.then(|| Ahead::Look(spawned(look_at(self.device.clone(), next))))
        };
        // The record is synced meanwhile.
        let looking = self.cancel.race(look_at(self.device.clone(), first));
        let (synced, looked) = tokio::join!(recorder.sync(), looking);
        synced?;
        gesture.synced = true;
        Ok(looked?.map(|(seen, state)| {
            let (before, ended) = (gesture.before.clone(), gesture.ended);
            let settling = Settling::new(gesture.expected.clone(), Some(before), ended, seen);
            (LookSoFar { settling, state }, ahead)
        }))
    }

    /// Stores and records an early observation before it is sent to a model. Its picture becomes the step's only once
    /// the screen is known to have settled as it is on it.
    pub(in crate::run) async fn record_early(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        self.store(recorder, model, observation).await?;
        if let Some(proof) = &mut observation.proof
            && !std::mem::replace(&mut proof.sent, true)
        {
            self.early.guesses += 1;
            observation.record.guesses = self.early.guesses;
        }
        let record =
            Observe { screenshot: None, screenshot_size: None, ..observation.record.clone() };
        recorder.append(Fact::Observe(record)).await?;
        Ok(())
    }

    /// Waits until the screen is known to have stayed as it is on this observation, and records it.
    ///
    /// # Errors
    ///
    /// [`RunError::ScreenMoved`] if it has not, [`RunError::ScreenUnseen`] if it could not be looked at.
    pub(in crate::run) async fn confirm_settled(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        let Some(proof) = &mut observation.proof else { return Ok(()) };
        let stayed = if proof.found.is_none() {
            // What a model was sent is brought to the disk meanwhile, so that the act need not wait for that.
            let (synced, stayed) = tokio::join!(recorder.sync(), self.cancel.race(proof.stayed()));
            synced?;
            stayed?
        } else {
            proof.stayed().await
        };
        stayed?;
        if proof.is_likely() {
            self.times.guessed(&proof.gesture.kind, true);
        } else if matches!(observation.elements, ElementsRequest::NotAsked) {
            let (frame, screen) = (&observation.frame, observation.screen.as_ref());
            observation.elements = self.request_elements(recorder, frame, false, screen);
        }
        let Some(SettledProof {
            gesture, found: Some(Ok(LookSoFar { settling, .. })), sent, ..
        }) = observation.proof.take().map(|proof| *proof)
        else {
            return Ok(());
        };
        if observation.screen.as_ref().is_some_and(|it| !it.is_of(&settling.newest().frame)) {
            observation.ask_again_for_elements();
        }
        self.has_settled(&gesture, &settling);
        self.last.is_current = true;
        observation.seen_at = settling.newest().began;
        let ScreenCapture { captures, settled, took, .. } = settling.capture();
        let record = &mut observation.record;
        (record.captures, record.settled, record.settle_ms) = (captures, settled, millis(took));
        record.guessed_right = sent;
        self.record_as_seen(recorder, model, observation).await
    }

    /// Notes that the screen of this observation was not the settled one. The next look starts from its newest frame,
    /// unless the screen could not be looked at.
    pub(in crate::run) fn goes_on_from(&mut self, observation: Observation) {
        let Some(proof) = observation.proof else { return };
        let is_likely = proof.is_likely();
        let SettledProof { gesture, found, .. } = *proof;
        match found {
            Some(Ok(look)) => {
                if is_likely {
                    self.times.guessed(&gesture.kind, false);
                }
                if let ElementsRequest::Pending(dump) = observation.elements
                    && dump.is_unread()
                {
                    self.reusable_dump = Some(dump);
                }
                self.last_gesture = Some(LastGesture { seen: Some(look), ..gesture });
            }
            Some(Err(err)) => self.look_failed(gesture, &err),
            None => {}
        }
    }
}

/// Looks at the phone until the screen is known to have come to rest as it is on this frame, or not to have.
async fn watch_until_known(
    device: Arc<dyn Device>,
    LookSoFar { mut settling, state }: LookSoFar,
    mut ahead: Option<Ahead>,
) -> Result<LookSoFar, DeviceError> {
    loop {
        let next = settling.next_look();
        let (seen, after) = match ahead.take() {
            Some(ahead) => match ahead.seen(&settling.newest().frame).await? {
                Some(seen) => seen,
                // It has been told already that the screen shows something else.
                None => look_at(device.clone(), next).await?,
            },
            None => tokio::try_join!(settling.look_again(&*device), state_at(&*device, next))?,
        };
        let mut same = settling.add(seen);
        if same && !is_same_screen(&state, &after) {
            settling.has_changed();
            same = false;
        }
        if !same || settling.is_over() {
            return Ok(LookSoFar { settling, state: after });
        }
    }
}

fn spawned<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> AbortOnDropHandle<T> {
    AbortOnDropHandle::new(tokio::spawn(future.boxed()))
}

/// Whether the phone says the same of itself, as far as it matters for what a model is shown.
fn is_same_screen(a: &ScreenState, b: &ScreenState) -> bool {
    let told =
        |state: &ScreenState| (state.awake, state.locked, state.protected, state.secret_field);
    a.foreground == b.foreground && told(a) == told(b)
}
