//! Looking at the phone: a settled frame, its picture and its elements.
mod capture;
mod elements;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::Instant;

use self::elements::{ElementsRequest, ElementsTiming, places_to_blacken};
use super::actor::Actor;
use super::cancel::CancelHandle;
use super::millis;
use super::outcome::RunError;
use super::recorder::{Recorder, StoredPicture};
use crate::journal::{BlobRef, DisplayRecord, Fact, NoteKind, Observe};
use crate::settle::{self, ScreenCapture, SettleRule};
use crate::{Device, Frame, KeepImages, Limits, Model, Picture, ScreenState};

/// How long the end of a run waits for the elements of its last screen.
const LAST_ELEMENTS: Duration = Duration::from_secs(1);

/// The screen of one step.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) frame: Frame,
    /// As sent to the model.
    pub(super) picture: StoredPicture,
    /// Package of the app in front, when the phone says.
    pub(super) app: Option<String>,
    /// Its name in the phone's language, where that is known.
    pub(super) app_name: Option<String>,
    /// The field in focus hides what is typed into it.
    pub(super) secret_field: bool,
    pub(super) elements: ElementsRequest,
    /// What it shows in words, where its app protects it from being captured.
    pub(super) words: Option<String>,
    /// When it was seen.
    pub(super) seen_at: Instant,
    record: Observe,
}

impl Observation {
    /// Activity of the app in front; empty when the phone did not say.
    pub(super) fn activity(&self) -> &str {
        &self.record.activity
    }
}

/// The stored parts of a screen.
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
    /// The frame that the last gesture was decided on, and when the gesture ended.
    last_gesture: Option<(Frame, Instant)>,
    /// The step in which a dark screen was woken, and when.
    woken_at: Option<(u32, Instant)>,
    /// The phone does not go dark by itself, as far as it has said.
    stays_lit: bool,
    /// Protected screens are told by their elements.
    read_protected: bool,
    /// The last screen seen.
    last_screen: Option<StoredScreen>,
    /// No gesture has been made since, so the phone should still show it.
    is_current: bool,
    /// Its picture.
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
            stays_lit: false,
            read_protected: limits.read_protected,
            last_screen: None,
            is_current: false,
            last_picture: None,
            elements: ElementsTiming::default(),
        }
    }

    /// Observes a screen that is on and not black, encoded for this model, and records it.
    pub(super) async fn observe(
        &mut self,
        recorder: &mut Recorder,
        actor: &Actor,
        model: &Arc<dyn Model>,
    ) -> Result<Observation, RunError> {
        let (capture, state) = self.awake_screen(recorder, actor).await?;
        let hidden = state.protected && capture.frame.is_blank_inside();
        let mut observation = self.record(recorder, model, capture, &state).await?;
        if hidden {
            self.read_in_words(recorder, &mut observation).await?;
        }
        Ok(observation)
    }

    /// Says whether the phone stays lit while nobody touches it.
    pub(super) fn set_stays_lit(&mut self, stays_lit: bool) {
        self.stays_lit = stays_lit;
    }

    /// Encodes a capture, stores what may be stored of it, and records it.
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
        let seen_at = Instant::now();
        let secret = may_show_secret(recorder, state.secret_field);
        let elements = self.request_elements(recorder, &capture.frame, secret);
        let encoding = Instant::now();
        let encode = encode(model.clone(), capture.frame.clone());
        // If the screen moved for long, another app may be in front by now.
        let (picture, fresh) = if 2 < capture.captures {
            let (picture, fresh) = tokio::join!(encode, self.device.state());
            (picture?, fresh.ok())
        } else {
            (encode.await?, None)
        };
        let encoded = encoding.elapsed();
        let state = fresh.as_ref().unwrap_or(state);
        let mut record = observe_record(&capture, state, &picture, encoded);
        record.display = self.device.shown_on().map(DisplayRecord::from);
        let app = state.foreground.as_ref().map(|component| component.package.clone());
        let mut observation = Observation {
            frame: capture.frame,
            picture: StoredPicture { picture, blob: None },
            app_name: app.as_deref().and_then(|package| self.device.app_name(package)),
            app,
            secret_field: state.secret_field,
            elements,
            words: None,
            seen_at,
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

    /// Encodes the same screen for another model.
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

    /// Stores the picture with secrets blacked out. If the phone does not say where they are, nothing is
    /// stored.
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

    /// Called after a gesture that was decided on this frame: the last screen is out of date.
    pub(super) fn gesture_ended(&mut self, frame: Frame, ended: Instant) {
        self.is_current = false;
        self.last_gesture = Some((frame, ended));
    }

    /// The screen at the end of a run or a subtask: the last one seen if it is still current, else
    /// another look. `None` if it cannot be seen.
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
        let mut observation = match self.prepare(recorder, model, capture, &state).await {
            Ok(observation) => observation,
            Err(err @ RunError::Journal(_)) => return Err(err),
            Err(_) => return Ok(None),
        };
        self.await_elements(recorder, &mut observation, LAST_ELEMENTS).await?;
        Ok(self.last_screen.clone())
    }

    /// The last screen seen, whether or not it is still current.
    pub(super) fn last_screen(&self) -> Option<&StoredScreen> {
        self.last_screen.as_ref()
    }

    /// The picture of the last screen seen.
    pub(super) fn last_picture(&self) -> Option<&StoredPicture> {
        self.last_picture.as_ref()
    }
}

/// Whether the screen may show a secret that must not be stored.
fn may_show_secret(recorder: &Recorder, secret_field: bool) -> bool {
    recorder.privacy().images == KeepImages::Redacted
        && (secret_field || !recorder.secrets().has_none())
}

async fn note_unstored(recorder: &mut Recorder) -> Result<(), RunError> {
    recorder
        .append(Fact::Note {
            kind: NoteKind::PictureNotKept.into(),
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
        display: None,
        protected: state.protected,
        blackened: 0,
        captures: capture.captures,
        settled: capture.settled,
        settle_ms: millis(capture.took),
        encode_ms: millis(encoded),
    }
}
