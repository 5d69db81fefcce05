//! Looking at the phone: a settled frame, its picture and its elements, or a reason why there is
//! none.
mod elements;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use self::elements::{ElementsRequest, ElementsTiming, places_to_blacken};
use super::actor::Actor;
use super::cancel::CancelHandle;
use super::millis;
use super::outcome::RunError;
use super::recorder::{Recorder, StoredPicture};
use crate::journal::{BlobRef, Fact, Observe};
use crate::settle::{self, ScreenCapture, SettleRule};
use crate::{
    Device, DeviceError, Frame, KeepImages, Limits, Model, Picture, ScreenState, error_chain,
};

/// What the end of a run waits for a last look, beyond the settling.
const LAST_LOOK: Duration = Duration::from_secs(5);
/// What the end of a run waits for the elements of its last screen.
const LAST_ELEMENTS: Duration = Duration::from_secs(1);

const BLACK_SCREEN: &str = "The phone is on but its screen reads as black: the app in front \
    protects its contents. Please go on by hand past this screen, then say that it is done.";
const LOCKED_SCREEN: &str =
    "The phone is locked. Please unlock it by hand, then say that it is done.";

/// What one step works with.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) frame: Frame,
    /// As the model is sent it.
    pub(super) picture: StoredPicture,
    /// Package of the app in front, when the phone says.
    pub(super) app: Option<String>,
    /// The field in focus hides what is typed into it.
    pub(super) secret_field: bool,
    pub(super) elements: ElementsRequest,
    record: Observe,
}

/// A screen, as far as it is stored.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredScreen {
    pub(super) screenshot: Option<BlobRef>,
    pub(super) ui_tree: Option<BlobRef>,
}

/// Looks at one phone.
#[derive(Debug)]
pub(super) struct Observer {
    device: Arc<dyn Device>,
    cancel: CancelHandle,
    settle: SettleRule,
    device_wait: Duration,
    /// The frame the last gesture was decided on, and when the gesture was over.
    last_gesture: Option<(Frame, Instant)>,
    /// The step at which a dark screen was woken.
    woken_at: Option<u32>,
    /// The screen that was seen last.
    last_screen: Option<StoredScreen>,
    /// Whether the phone still shows it, as nothing has been done since.
    is_current: bool,
    /// The picture that goes with it.
    last_picture: Option<StoredPicture>,
    elements: ElementsTiming,
}

impl Observer {
    pub(super) fn new(device: Arc<dyn Device>, cancel: CancelHandle, limits: &Limits) -> Self {
        Self {
            device,
            cancel,
            settle: limits.settle,
            device_wait: limits.device_wait,
            last_gesture: None,
            woken_at: None,
            last_screen: None,
            is_current: false,
            last_picture: None,
            elements: ElementsTiming::default(),
        }
    }

    /// Looks at a screen that is on and shows something, for this model, and records it.
    pub(super) async fn observe(
        &mut self,
        recorder: &mut Recorder,
        actor: &Actor,
        model: &Arc<dyn Model>,
    ) -> Result<Observation, RunError> {
        let (capture, state) = self.awake_screen(recorder, actor).await?;
        self.record(recorder, model, capture, &state).await
    }

    /// Makes the picture of a capture, stores what may be stored of it, and records the look.
    pub(super) async fn record(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        capture: ScreenCapture,
        state: &ScreenState,
    ) -> Result<Observation, RunError> {
        let observation = self.prepare(recorder, model, capture, state).await?;
        recorder.append(Fact::Observe(observation.record.clone())).await?;
        Ok(observation)
    }

    async fn prepare(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        capture: ScreenCapture,
        state: &ScreenState,
    ) -> Result<Observation, RunError> {
        let secret = may_show_secret(recorder, state.secret_field);
        let elements = self.request_elements(recorder, secret);
        let encoding = Instant::now();
        let encode = encode(model.clone(), capture.frame.clone());
        // Where the screen moved for long, what was in front at the beginning may not be now.
        let (picture, fresh) = if 2 < capture.captures {
            let (picture, fresh) = tokio::join!(encode, self.device.state());
            (picture?, fresh.ok())
        } else {
            (encode.await?, None)
        };
        let encoded = encoding.elapsed();
        let state = fresh.as_ref().unwrap_or(state);
        let record = observe_record(&capture, state, &picture, encoded);
        let mut observation = Observation {
            frame: capture.frame,
            picture: StoredPicture { picture, blob: None },
            app: state.foreground.as_ref().map(|component| component.package.clone()),
            secret_field: state.secret_field,
            elements,
            record,
        };
        self.last_screen = Some(StoredScreen::default());
        self.is_current = true;
        self.store_picture(recorder, model, &mut observation).await?;
        self.last_picture = Some(observation.picture.clone());
        if let Some(screen) = &mut self.last_screen {
            screen.screenshot.clone_from(&observation.picture.blob);
        }
        Ok(observation)
    }

    /// The same screen as another model wants it.
    pub(super) async fn encode_for(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        let picture = encode(model.clone(), observation.frame.clone()).await?;
        if picture != observation.picture.picture {
            observation.picture = StoredPicture { picture, blob: None };
            self.store_picture(recorder, model, observation).await?;
        }
        self.last_picture = Some(observation.picture.clone());
        Ok(())
    }

    /// Stores the picture without what must not be seen on it. Where the phone does not say what that
    /// is, nothing is stored.
    async fn store_picture(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        if recorder.privacy().images == KeepImages::None {
            observation.record.screenshot_size = None;
            return Ok(());
        }
        let mut picture = observation.picture.picture.clone();
        if may_show_secret(recorder, observation.secret_field) {
            self.insist_on_elements(recorder, observation).await?;
            let Some(tree) = observation.elements.tree() else {
                observation.record.screenshot_size = None;
                return note_unstored(recorder).await;
            };
            let places =
                places_to_blacken(&tree.elements, |text| recorder.secrets().contains_secret(text));
            observation.record.ui_tree.clone_from(&tree.blob);
            if !places.is_empty() {
                observation.record.blackened = u32::try_from(places.len()).unwrap_or(u32::MAX);
                picture =
                    encode(model.clone(), observation.frame.with_black_areas(&places)).await?;
            }
        }
        let blob = recorder.store(picture.bytes, picture.media_type).await?;
        observation.record.screenshot = Some(blob.clone());
        observation.picture.blob = Some(blob);
        Ok(())
    }

    /// A screen that is on and not black.
    async fn awake_screen(
        &mut self,
        recorder: &mut Recorder,
        actor: &Actor,
    ) -> Result<(ScreenCapture, ScreenState), RunError> {
        let mut black_since = None;
        let mut wakes = 0;
        loop {
            let (capture, state) = self.capture_with_retry(recorder).await?;
            if !state.awake {
                wakes += 1;
                self.wake(recorder, actor, wakes).await?;
                continue;
            }
            if !capture.frame.is_black() {
                return Ok((capture, state));
            }
            // A transition may pass through black; a protected window stays so.
            let since = *black_since.get_or_insert_with(Instant::now);
            if self.settle.cap <= since.elapsed() {
                let app = state.foreground.map(|component| component.package);
                return Err(RunError::NeedsTakeover { text: BLACK_SCREEN.to_owned(), app });
            }
            self.cancel.race(sleep(Duration::from_millis(200))).await?;
        }
    }

    /// Wakes a dark screen, once: a second time in a row somebody means it. Only a wake that did not
    /// get through is tried once more.
    async fn wake(
        &mut self,
        recorder: &mut Recorder,
        actor: &Actor,
        nth: u32,
    ) -> Result<(), RunError> {
        let step = recorder.session().counts.steps;
        if self.woken_at.is_some_and(|before| before + 1 == step || before == step) {
            return Err(RunError::ScreenOff);
        }
        let Err(err) = actor.wake(recorder).await?.result else {
            self.woken_at = Some(step);
            return Ok(());
        };
        tracing::warn!(device = %self.device.id(), "waking: {}", error_chain(&err));
        match err {
            DeviceError::Refused { .. } => {
                Err(RunError::NeedsTakeover { text: LOCKED_SCREEN.to_owned(), app: None })
            }
            // Whether it is awake shows at the next look.
            _ if nth == 1 => Ok(()),
            err => Err(RunError::DeviceLost(err)),
        }
    }

    /// A capture, waiting for a phone that has gone away.
    async fn capture_with_retry(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<(ScreenCapture, ScreenState), RunError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(250);
        loop {
            let err = match self.capture(recorder).await? {
                Ok(captured) => return Ok(captured),
                Err(err) => err,
            };
            let worth_waiting = err.is_unreachable() || matches!(err, DeviceError::Garbled { .. });
            if !worth_waiting || self.device_wait <= begun.elapsed() + pause {
                return Err(RunError::DeviceLost(err));
            }
            tracing::warn!(device = %self.device.id(), "looking: {}; trying again", error_chain(&err));
            // What the screen did meanwhile is not known.
            self.last_gesture = None;
            self.cancel.race(sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(4));
        }
    }

    /// The screen once it has settled after the last gesture, whatever it shows. The inner error is
    /// the phone's.
    pub(super) async fn capture(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<Result<(ScreenCapture, ScreenState), DeviceError>, RunError> {
        self.is_current = false;
        let gesture = self.last_gesture.take();
        if let Some((_, over)) = &gesture {
            // The disk works while the screen moves.
            let (synced, ()) =
                tokio::join!(recorder.sync(), sleep_until(*over + self.settle.first_look));
            synced?;
        }
        let looking = async {
            match &gesture {
                Some((before, over)) => {
                    settle::settle(&*self.device, &self.settle, Some(before), *over).await
                }
                None => settle::capture_once(&*self.device).await,
            }
        };
        let both = async { tokio::try_join!(looking, self.device.state()) };
        Ok(self.cancel.race(both).await?)
    }

    /// Waits for the screen to settle after the phone was reset. There is no frame to compare it
    /// with, and the first step looks again.
    pub(super) async fn settle_after_reset(&self) -> Result<(), RunError> {
        let settling = async {
            let since = Instant::now();
            sleep(self.settle.first_look).await;
            settle::settle(&*self.device, &self.settle, None, since).await
        };
        if let Err(err) = self.cancel.race(settling).await? {
            tracing::warn!(device = %self.device.id(), "after the reset: {}", error_chain(&err));
        }
        Ok(())
    }

    /// A gesture that was decided on this frame is over: what was seen is not what is shown.
    pub(super) fn gesture_ended(&mut self, frame: Frame, ended: Instant) {
        self.is_current = false;
        self.last_gesture = Some((frame, ended));
    }

    /// The settled screen after the last gesture, with the frame before it. Trouble with this look is
    /// no trouble with the gesture.
    pub(super) async fn after_gesture(&mut self) -> Option<(Frame, ScreenCapture, ScreenState)> {
        let (before, over) = self.last_gesture.take()?;
        let looking = async {
            sleep_until(over + self.settle.first_look).await;
            let capture = settle::settle(&*self.device, &self.settle, Some(&before), over).await?;
            Ok((capture, self.device.state().await?))
        };
        let (capture, state) = self.optional_look(looking).await?;
        Some((before, capture, state))
    }

    /// What the phone shows at the end of a run or a subtask: what was seen last, where nothing has
    /// been done since; else one more look. `None` where it cannot be seen.
    pub(super) async fn final_screen(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
    ) -> Result<Option<StoredScreen>, RunError> {
        if self.is_current {
            return Ok(self.last_screen.clone());
        }
        let gesture = self.last_gesture.take();
        let looking = async {
            let capture = match gesture {
                Some((before, over)) => {
                    settle::settle(&*self.device, &self.settle, Some(&before), over).await?
                }
                None => settle::capture_once(&*self.device).await?,
            };
            Ok((capture, self.device.state().await?))
        };
        let Some((capture, state)) = self.optional_look(looking).await else { return Ok(None) };
        if !state.awake {
            return Ok(None);
        }
        let Ok(mut observation) = self.prepare(recorder, model, capture, &state).await else {
            return Ok(None);
        };
        self.await_elements(recorder, &mut observation, LAST_ELEMENTS).await?;
        Ok(self.last_screen.clone())
    }

    /// The screen that was seen last, whether or not it is still shown.
    pub(super) fn last_screen(&self) -> Option<&StoredScreen> {
        self.last_screen.as_ref()
    }

    /// The picture of the screen that was seen last.
    pub(super) fn last_picture(&self) -> Option<&StoredPicture> {
        self.last_picture.as_ref()
    }

    /// A look that nothing depends on, and that nobody waits for longer than its limit.
    async fn optional_look(
        &self,
        looking: impl Future<Output = Result<(ScreenCapture, ScreenState), DeviceError>>,
    ) -> Option<(ScreenCapture, ScreenState)> {
        let limit = self.settle.cap + LAST_LOOK;
        match self.cancel.race(timeout(limit, looking)).await {
            Ok(Ok(Ok(captured))) => Some(captured),
            Ok(Ok(Err(err))) => {
                tracing::warn!(device = %self.device.id(), "a last look: {}", error_chain(&err));
                None
            }
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

/// Whether a picture of the screen may show a secret that must not be stored.
fn may_show_secret(recorder: &Recorder, secret_field: bool) -> bool {
    recorder.privacy().images == KeepImages::Redacted
        && (secret_field || !recorder.secrets().has_none())
}

async fn note_unstored(recorder: &mut Recorder) -> Result<(), RunError> {
    recorder
        .append(Fact::Note {
            kind: "picture_not_kept".to_owned(),
            text:
                "A secret may be on this screen and the phone does not say where: its picture is \
                 not kept."
                    .to_owned(),
            figures: Map::new(),
        })
        .await?;
    Ok(())
}

async fn encode(model: Arc<dyn Model>, frame: Frame) -> Result<Picture, RunError> {
    tokio::task::spawn_blocking(move || model.picture(&frame)).await.map_err(RunError::Encoding)
}

fn observe_record(
    capture: &ScreenCapture,
    state: &ScreenState,
    picture: &Picture,
    encoded: Duration,
) -> Observe {
    let size = capture.frame.size();
    let (package, activity) = match &state.foreground {
        Some(front) => (front.package.clone(), front.activity.clone()),
        None => Default::default(),
    };
    Observe {
        screenshot: None,
        screenshot_size: Some([picture.size.width, picture.size.height]),
        screen_size: [size.width, size.height],
        ui_tree: None,
        package,
        activity,
        screen_on: state.awake,
        blackened: 0,
        captures: capture.captures,
        settled: capture.settled,
        settle_ms: millis(capture.took),
        encode_ms: millis(encoded),
    }
}
