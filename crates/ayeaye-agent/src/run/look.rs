//! Looking: a settled frame, or a reason why there is none.
use std::time::Duration;

use serde_json::Map;
use tokio::time::{Instant, sleep, sleep_until};

use super::act::WAKE;
use super::{Draft, Halt, Run, chain};
use crate::journal::{BlobRef, Fact, Observe};
use crate::settle::{self, Look};
use crate::{DeviceError, Frame, Picture, Question, QuestionKind, ScreenState, StopReason};

/// What a step works with.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) frame: Frame,
    pub(super) picture: Picture,
    pub(super) app: Option<String>,
}

impl Run {
    pub(super) async fn look(&mut self, draft: &mut Draft) -> Result<Seen, Halt> {
        let begun = Instant::now();
        let (look, mut state) = self.lit_screen().await?;
        let encoding = Instant::now();
        let model = self.parts.model.clone();
        let frame = look.frame.clone();
        let encode = tokio::task::spawn_blocking(move || model.picture(&frame));
        // Where the screen moved for long, what was in front at the beginning may not be now.
        let picture = if 2 < look.captures {
            let (picture, fresh) = tokio::join!(encode, self.device.state());
            state = fresh.unwrap_or(state);
            picture
        } else {
            encode.await
        };
        let picture = picture.map_err(|err| {
            Halt::new(StopReason::ModelFailed, format!("the screen could not be encoded: {err}"))
        })?;
        let encoded = encoding.elapsed();
        let blob = self.record.keep(picture.bytes.clone(), picture.media_type).await?;
        let app = state.foreground.as_ref().map(|component| component.package.clone());
        let observe = observed(&look, state, &picture, blob, encoded);
        self.append(Fact::Observe(observe)).await?;
        draft.times.data_collection += millis(begun.elapsed());
        Ok(Seen { frame: look.frame, picture, app })
    }

    /// A look at a screen that is on and shows something.
    async fn lit_screen(&mut self) -> Result<(Look, ScreenState), Halt> {
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
            if self.parts.limits.settle.cap <= since.elapsed() {
                let app = state.foreground.map(|component| component.package);
                return Err(self.take_over(BLACK_SCREEN, app).await);
            }
            self.stopper.race(sleep(Duration::from_millis(200))).await?;
        }
    }

    /// Wakes a dark screen, once: a second time in a row somebody means it. Only a wake that did not
    /// get through is tried once more.
    async fn wake(&mut self, nth: u32) -> Result<(), Halt> {
        let step = self.session.counts.steps;
        if self.memory.woken_at.is_some_and(|before| before + 1 == step || before == step) {
            return Err(Halt::new(
                StopReason::ManualStopScreenOff,
                "the screen was switched off again right after it was woken",
            ));
        }
        self.stopper.check()?;
        let id = self.announce(WAKE, Map::new()).await?;
        let begun = Instant::now();
        let outcome = self.device.wake().await;
        let took = millis(begun.elapsed());
        let Err(err) = outcome else {
            self.memory.woken_at = Some(step);
            return self.settle_account(id, Ok("awake".to_owned()), false, took).await;
        };
        let text = chain(&err);
        tracing::warn!(device = %self.device.id(), "waking: {text}");
        self.settle_account(id, Err(text), err.leaves_doubt(), took).await?;
        match err {
            DeviceError::Refused { .. } => Err(self.take_over(LOCKED_SCREEN, None).await),
            // Whether it is awake shows at the next look.
            _ if nth == 1 => Ok(()),
            _ => Err(Halt::new(StopReason::DeviceLost, chain(&err))),
        }
    }

    /// A look at the screen, waiting for a phone that has gone away.
    async fn present_screen(&mut self) -> Result<(Look, ScreenState), Halt> {
        let patience = self.parts.limits.device_wait;
        let begun = Instant::now();
        let mut pause = Duration::from_millis(250);
        loop {
            let err = match self.settled_screen().await? {
                Ok(seen) => return Ok(seen),
                Err(err) => err,
            };
            let text = chain(&err);
            let worth_waiting = err.is_absence() || matches!(err, DeviceError::Garbled { .. });
            if !worth_waiting || patience <= begun.elapsed() + pause {
                return Err(Halt::new(StopReason::DeviceLost, text));
            }
            tracing::warn!(device = %self.device.id(), "looking: {text}; trying again");
            // What the screen did meanwhile is not known.
            self.memory.last_gesture = None;
            self.stopper.race(sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(4));
        }
    }

    async fn settled_screen(&mut self) -> Result<Result<(Look, ScreenState), DeviceError>, Halt> {
        let rule = self.parts.limits.settle;
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
                None => settle::glance(&*device).await,
            }
        };
        let both = async { tokio::try_join!(looking, self.device.state()) };
        self.stopper.race(both).await
    }

    /// Asks a person to act on the phone.
    pub(super) async fn take_over(&mut self, text: &str, app: Option<String>) -> Halt {
        let question = Question {
            kind: QuestionKind::Takeover,
            text: text.to_owned(),
            options: Vec::new(),
            app,
        };
        match self.put_question(&question).await {
            Ok(()) => Halt::new(StopReason::InfoActionNeedsReply, text),
            Err(halt) => halt,
        }
    }
}

const BLACK_SCREEN: &str = "The phone is on but its screen reads as black: the app in front \
    protects its contents. Please go on by hand past this screen, then say that it is done.";
const LOCKED_SCREEN: &str =
    "The phone is locked. Please unlock it by hand, then say that it is done.";

fn observed(
    look: &Look,
    state: ScreenState,
    picture: &Picture,
    blob: BlobRef,
    encoded: Duration,
) -> Observe {
    let size = look.frame.size();
    let (package, activity) =
        state.foreground.map(|it| (it.package, it.activity)).unwrap_or_default();
    Observe {
        screenshot: Some(blob),
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
