//! From a capture to an observation, and from there to the record.
use std::sync::Arc;

use tokio::time::Instant;

use super::clocks::Clocks;
use super::elements::ElementsRequest;
use super::picture::{encode, may_show_secret};
use super::record::{StoredScreen, observe_record};
use super::screen_key::ScreenKey;
use super::{EarlyFrames, LastSeen, Observation, Observer, Taken};
use crate::journal::{CaptureRecord, DisplayRecord, Fact, Observe};
use crate::run::outcome::RunError;
use crate::run::recorder::{Recorder, StoredPicture};
use crate::settle::ScreenCapture;
use crate::{Frame, Model, Picture, ScreenState};

impl Observer {
    /// Encodes a capture, stores as much of it as may be stored, and records it.
    pub(in crate::run) async fn record(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        capture: ScreenCapture,
        state: &ScreenState,
    ) -> Result<Observation, RunError> {
        // If the screen moved for long, another app may be in front by now.
        let taken = if 2 < capture.captures { Taken::AfterLongMotion } else { Taken::AtRest };
        let mut observation = self.prepare(recorder, model, capture, state, taken).await?;
        self.record_as_seen(recorder, model, &mut observation).await?;
        Ok(observation)
    }

    /// Records an observation as the screen of its step, and stores its picture as far as that may be stored.
    pub(in crate::run) async fn record_as_seen(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        self.store(recorder, model, observation).await?;
        self.note_route(observation);
        recorder.append(Fact::Observe(observation.record.clone())).await?;
        // The next screen has its own.
        self.early = EarlyFrames::default();
        Ok(())
    }

    /// Stores the picture, as far as it may be stored and is not yet; it then is the last screen seen. A picture is
    /// stored only when the record is about to refer to it.
    pub(super) async fn store(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        if std::mem::replace(&mut observation.stored, true) {
            return Ok(());
        }
        self.store_picture(recorder, model, observation).await?;
        self.last = LastSeen {
            screen: Some(StoredScreen {
                screenshot: observation.picture.blob.clone(),
                ui_tree: observation.elements.tree().and_then(|tree| tree.blob.clone()),
            }),
            picture: Some(observation.picture.clone()),
            is_current: !observation.is_early(),
        };
        Ok(())
    }

    /// A screen of which nothing may be stored is the last one seen.
    fn store_nothing(&mut self, observation: &mut Observation) {
        observation.stored = true;
        let screen = Some(StoredScreen::default());
        self.last = LastSeen { screen, picture: None, is_current: true };
    }

    /// Has the way of the capture recorded (raw, compressed and so on), if it differs from the last one.
    pub(super) fn note_route(&mut self, observation: &mut Observation) {
        let route = self.device.captured_by();
        if route != self.route {
            observation.record.capture = route.clone().map(CaptureRecord::from);
            self.route = route;
        }
    }

    /// Encodes a capture. Also asks for the elements, if the screen may be at rest on it and they were not asked for
    /// yet.
    pub(super) async fn prepare(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        capture: ScreenCapture,
        state: &ScreenState,
        taken: Taken,
    ) -> Result<Observation, RunError> {
        // A phone may be on for a moment after the key, and what it said of itself is as old as the first capture.
        let since_key = self.settle.cap + capture.took;
        self.light.power_pressed.take_if(|pressed| state.awake && since_key <= pressed.elapsed());
        self.light.needed_by.take_if(|_| state.awake);
        let was_private = self.shows_private(state);
        let redact = self.redacts(recorder, package_of(state));
        let display = self.device.shown_on().map(DisplayRecord::from);
        let screen = ScreenKey::new(&capture.frame, state, display.clone())
            .filter(|_| !was_private && taken != Taken::AfterLongMotion);
        let elements = if was_private {
            self.reusable_dump = None;
            ElementsRequest::NotAsked
        } else {
            let secret = redact || may_show_secret(recorder, state.secret_field, package_of(state));
            self.elements_of(recorder, &capture, state, screen.as_ref(), taken, secret)
        };
        let encoding = Instant::now();
        let (picture, fresh) = self.encode_and_ask_again(model, &capture.frame, taken).await?;
        let encoded = encoding.elapsed();
        let state = fresh.unwrap_or_else(|| state.clone());
        let app = package_of(&state).map(str::to_owned);
        let app_name = app.as_deref().and_then(|package| self.device.app_name(package));
        let record = Observe {
            display,
            app_name: app_name.clone().unwrap_or_default(),
            guesses: self.early.guesses,
            ..observe_record(&capture, &state, &picture, encoded)
        };
        let mut observation = Observation {
            frame: capture.frame,
            picture: StoredPicture { picture, blob: None },
            stored: false,
            app_name,
            app,
            dark: !state.awake && self.light.power_pressed.is_some(),
            state,
            elements,
            screen,
            asked_again: false,
            black_areas: Some(Vec::new()),
            words: None,
            seen_at: capture.seen_at,
            prepared_at: Clocks::now(),
            watch: None,
            proof: None,
            record,
        };
        if was_private || self.shows_private(&observation.state) {
            observation.elements = ElementsRequest::Unavailable;
            observation.record.screenshot_size = None;
            self.store_nothing(&mut observation);
            return Ok(observation);
        }
        if redact || self.redacts(recorder, observation.app.as_deref()) {
            self.redact_picture(recorder, model, &mut observation).await?;
            if observation.black_areas.is_none() {
                self.store_nothing(&mut observation);
            }
        }
        Ok(observation)
    }

    /// The elements of the screen of a capture: those that are known, a list that was requested before, or one that is
    /// requested now, if any.
    fn elements_of(
        &mut self,
        recorder: &Recorder,
        capture: &ScreenCapture,
        state: &ScreenState,
        screen: Option<&ScreenKey>,
        taken: Taken,
        secret: bool,
    ) -> ElementsRequest {
        let known = self.known_elements(recorder.privacy(), screen, capture.seen_at);
        let requested = self.reusable_dump.take().filter(|_| !secret);
        let requested = requested.and_then(|dump| dump.for_later_screen(&capture.frame, screen));
        match (known.filter(|_| !secret), requested) {
            (Some(tree), _) => ElementsRequest::Known(tree),
            (None, Some(dump)) => ElementsRequest::Pending(dump),
            _ if taken == Taken::InMotion || !state.awake => ElementsRequest::NotAsked,
            _ => self.request_elements(recorder, &capture.frame, secret, screen),
        }
    }

    /// Encodes a frame. Where what the phone said of itself is stale, it is asked again meanwhile.
    async fn encode_and_ask_again(
        &self,
        model: &Arc<dyn Model>,
        frame: &Frame,
        taken: Taken,
    ) -> Result<(Picture, Option<ScreenState>), RunError> {
        let encode = encode(model.clone(), frame.clone());
        if taken != Taken::AfterLongMotion {
            return Ok((encode.await?, None));
        }
        let (picture, fresh) = tokio::join!(encode, self.device.state());
        Ok((picture?, fresh.ok()))
    }
}

/// The app in front.
fn package_of(state: &ScreenState) -> Option<&str> {
    state.foreground.as_ref().map(|it| it.package.as_str())
}
