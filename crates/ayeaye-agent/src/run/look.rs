//! Looking: a settled frame, or a reason why there is none.
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::{Instant, sleep, sleep_until};

use super::act::WAKE;
use super::elements::{Reading, delicate_places};
use super::{Draft, LastScreen, Run, RunEnd};
use crate::error_chain;
use crate::journal::{BlobRef, Fact, Observe};
use crate::settle::{self, ScreenCapture};
use crate::{
    DeviceError, Frame, KeepImages, Model, Picture, Question, QuestionKind, ScreenState, StopReason,
};

/// What a step works with.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) frame: Frame,
    /// As the model is sent it.
    pub(super) picture: Picture,
    /// The same as it is kept, if it is.
    pub(super) kept: Option<BlobRef>,
    pub(super) app: Option<String>,
    /// The field in focus hides what is typed into it.
    pub(super) secret_field: bool,
    pub(super) reading: Reading,
    pub(super) facts: Observe,
}

impl Run {
    pub(super) async fn look(&mut self, draft: &mut Draft) -> Result<Seen, RunEnd> {
        let begun = Instant::now();
        self.memory.last_screen = None;
        let (look, state) = self.lit_screen().await?;
        let seen = self.take_in(look, &state).await?;
        self.append(Fact::Observe(seen.facts.clone())).await?;
        draft.times.data_collection += millis(begun.elapsed());
        Ok(seen)
    }

    /// Makes the picture of a look and keeps what may be kept of it.
    pub(super) async fn take_in(
        &mut self,
        look: ScreenCapture,
        state: &ScreenState,
    ) -> Result<Seen, RunEnd> {
        let delicate = self.is_delicate(state.secret_field);
        let reading = self.ask_elements(delicate);
        let encoding = Instant::now();
        let encode = encode(self.acting(), look.frame.clone());
        // Where the screen moved for long, what was in front at the beginning may not be now.
        let (picture, fresh) = if 2 < look.captures {
            let (picture, fresh) = tokio::join!(encode, self.device.state());
            (picture?, fresh.ok())
        } else {
            (encode.await?, None)
        };
        let encoded = encoding.elapsed();
        let state = fresh.as_ref().unwrap_or(state);
        let facts = observed(&look, state, &picture, encoded);
        let app = state.foreground.as_ref().map(|component| component.package.clone());
        let secret_field = state.secret_field;
        let frame = look.frame;
        let mut seen = Seen { frame, picture, kept: None, app, secret_field, reading, facts };
        self.memory.last_screen = Some(LastScreen::default());
        self.keep_picture(&mut seen).await?;
        self.memory.last_picture = Some((seen.picture.clone(), seen.kept.clone()));
        if let Some(screen) = &mut self.memory.last_screen {
            screen.screenshot.clone_from(&seen.kept);
        }
        Ok(seen)
    }

    /// The same screen as another model wants it.
    pub(super) async fn show_anew(&mut self, seen: &mut Seen) -> Result<(), RunEnd> {
        let picture = encode(self.acting(), seen.frame.clone()).await?;
        if picture != seen.picture {
            seen.picture = picture;
            seen.kept = None;
            self.keep_picture(seen).await?;
        }
        self.memory.last_picture = Some((seen.picture.clone(), seen.kept.clone()));
        Ok(())
    }

    /// Keeps the picture, without what must not be seen on it. Where it cannot be told what that is,
    /// nothing is kept.
    async fn keep_picture(&mut self, seen: &mut Seen) -> Result<(), RunEnd> {
        if self.deps.privacy.images == KeepImages::None {
            seen.facts.screenshot_size = None;
            return Ok(());
        }
        let mut picture = seen.picture.clone();
        if self.is_delicate(seen.secret_field) {
            if matches!(seen.reading, Reading::Unasked) {
                seen.reading = self.ask_elements(true);
            }
            self.insist_on_elements(seen).await?;
            let Some(tree) = seen.reading.tree() else {
                seen.facts.screenshot_size = None;
                return self.note_unkept().await;
            };
            let places = delicate_places(&tree.elements, |text| self.secrets.contains_secret(text));
            seen.facts.ui_tree.clone_from(&tree.blob);
            if !places.is_empty() {
                seen.facts.blackened = u32::try_from(places.len()).unwrap_or(u32::MAX);
                picture = encode(self.acting(), seen.frame.with_black_areas(&places)).await?;
            }
        }
        let blob = self.record.store_blob(picture.bytes, picture.media_type).await?;
        seen.facts.screenshot = Some(blob.clone());
        seen.kept = Some(blob);
        Ok(())
    }

    async fn note_unkept(&mut self) -> Result<(), RunEnd> {
        self.append(Fact::Note {
            kind: "picture_not_kept".to_owned(),
            text:
                "A secret may be on this screen and the phone does not say where: its picture is \
                   not kept."
                    .to_owned(),
            figures: Map::new(),
        })
        .await
    }

    /// A look at a screen that is on and shows something.
    async fn lit_screen(&mut self) -> Result<(ScreenCapture, ScreenState), RunEnd> {
        let mut black_since = None;
        let mut wakes = 0;
        loop {
            let (look, state) = self.present_screen().await?;
            if !state.awake {
                wakes += 1;
                self.wake(wakes).await?;
                continue;
            }
            if !look.frame.is_black() {
                return Ok((look, state));
            }
            // A transition may pass through black; a protected window stays so.
            let since = *black_since.get_or_insert_with(Instant::now);
            if self.deps.limits.settle.cap <= since.elapsed() {
                let app = state.foreground.map(|component| component.package);
                return Err(self.take_over(BLACK_SCREEN, app).await);
            }
            self.cancel.race(sleep(Duration::from_millis(200))).await?;
        }
    }

    /// Wakes a dark screen, once: a second time in a row somebody means it. Only a wake that did not
    /// get through is tried once more.
    async fn wake(&mut self, nth: u32) -> Result<(), RunEnd> {
        self.memory.last_screen = None;
        let step = self.session.counts.steps;
        if self.memory.woken_at.is_some_and(|before| before + 1 == step || before == step) {
            return Err(RunEnd::new(
                StopReason::ManualStopScreenOff,
                "the screen was switched off again right after it was woken",
            ));
        }
        self.cancel.check()?;
        let id = self.announce(WAKE, Map::new()).await?;
        let begun = Instant::now();
        let outcome = self.device.wake().await;
        let took = millis(begun.elapsed());
        let Err(err) = outcome else {
            self.memory.woken_at = Some(step);
            return self.settle_account(id, Ok("awake".to_owned()), false, took).await;
        };
        let text = error_chain(&err);
        tracing::warn!(device = %self.device.id(), "waking: {text}");
        self.settle_account(id, Err(text), err.may_have_acted(), took).await?;
        match err {
            DeviceError::Refused { .. } => Err(self.take_over(LOCKED_SCREEN, None).await),
            // Whether it is awake shows at the next look.
            _ if nth == 1 => Ok(()),
            _ => Err(RunEnd::new(StopReason::DeviceLost, error_chain(&err))),
        }
    }

    /// A look at the screen, waiting for a phone that has gone away.
    async fn present_screen(&mut self) -> Result<(ScreenCapture, ScreenState), RunEnd> {
        let patience = self.deps.limits.device_wait;
        let begun = Instant::now();
        let mut pause = Duration::from_millis(250);
        loop {
            let err = match self.settled_screen().await? {
                Ok(seen) => return Ok(seen),
                Err(err) => err,
            };
            let text = error_chain(&err);
            let worth_waiting = err.is_unreachable() || matches!(err, DeviceError::Garbled { .. });
            if !worth_waiting || patience <= begun.elapsed() + pause {
                return Err(RunEnd::new(StopReason::DeviceLost, text));
            }
            tracing::warn!(device = %self.device.id(), "looking: {text}; trying again");
            // What the screen did meanwhile is not known.
            self.memory.last_gesture = None;
            self.cancel.race(sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(4));
        }
    }

    pub(super) async fn settled_screen(
        &mut self,
    ) -> Result<Result<(ScreenCapture, ScreenState), DeviceError>, RunEnd> {
        let rule = self.deps.limits.settle;
        let gesture = self.memory.last_gesture.take();
        if let Some((_, over)) = &gesture {
            // The disk works while the screen moves.
            let (synced, ()) =
                tokio::join!(self.record.sync(), sleep_until(*over + rule.first_look));
            synced?;
        }
        let device = self.device.clone();
        let looking = async {
            match &gesture {
                Some((before, over)) => settle::settle(&*device, &rule, Some(before), *over).await,
                None => settle::capture_once(&*device).await,
            }
        };
        let both = async { tokio::try_join!(looking, self.device.state()) };
        self.cancel.race(both).await
    }

    /// Asks a person to act on the phone.
    pub(super) async fn take_over(&mut self, text: &str, app: Option<String>) -> RunEnd {
        let question = Question {
            kind: QuestionKind::Takeover,
            text: text.to_owned(),
            options: Vec::new(),
            app,
        };
        match self.put_question(&question).await {
            Ok(()) => RunEnd::new(StopReason::InfoActionNeedsReply, text),
            Err(run_end) => run_end,
        }
    }
}

const BLACK_SCREEN: &str = "The phone is on but its screen reads as black: the app in front \
    protects its contents. Please go on by hand past this screen, then say that it is done.";
const LOCKED_SCREEN: &str =
    "The phone is locked. Please unlock it by hand, then say that it is done.";

async fn encode(model: Arc<dyn Model>, frame: Frame) -> Result<Picture, RunEnd> {
    tokio::task::spawn_blocking(move || model.picture(&frame)).await.map_err(|err| {
        RunEnd::new(StopReason::ModelFailed, format!("the screen could not be encoded: {err}"))
    })
}

fn observed(
    look: &ScreenCapture,
    state: &ScreenState,
    picture: &Picture,
    encoded: Duration,
) -> Observe {
    let size = look.frame.size();
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
        captures: look.captures,
        settled: look.settled,
        settle_ms: millis(look.took),
        encode_ms: millis(encoded),
    }
}

/// Milliseconds, to the microsecond.
pub(super) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
