//! Captures: of a screen that is on and has settled, waiting for a phone that has gone away.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::Observer;
use super::away::{Away, FIRST_PAUSE, LONGEST_PAUSE};
use super::last_gesture::{LastGesture, LookSoFar};
use super::private::private_app;
use crate::prompt_text::quote_untrusted;
use crate::run::actor::Actor;
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::settle::{self, ScreenCapture, Settling, capture_at};
use crate::{DeviceError, Frame, ScreenState, error_chain};

/// How long the end of a run waits for a last look, beyond the settling.
const LAST_LOOK: Duration = Duration::from_secs(5);
/// The shortest time after which Android's settings let a screen go off that nobody touches.
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a protected window may take until it has its elements.
const APPEARING: Duration = Duration::from_millis(500);
/// How often in one look a dark screen is woken: it may go off in less time than a capture takes.
const MOST_WAKES: u32 = 3;
/// How often in one look a lock screen is tried to be taken away.
const MOST_UNLOCKS: u32 = 2;
/// How long a phone that says that it cannot capture its screen is asked again.
const CAPTURES_AGAIN: Duration = Duration::from_secs(10);
/// The most bytes of its words in a question.
const MAX_SAID: usize = 200;
const BLACK_SCREEN: &str = "The phone is on but its screen reads as black, and no window says that it is protected. \
    Please get past this screen by hand, then say that it is done.";
pub(super) const PROTECTED_SCREEN: &str = "The app in front protects its screen: what it shows cannot be \
    captured. Please get past this screen by hand, then say that it is done.";
const LOCKED_SCREEN: &str =
    "The phone is locked. Please unlock it by hand, then say that it is done.";

impl Observer {
    /// Captures a screen that is on and not black, or one that the model itself switched off.
    pub(super) async fn awake_screen(
        &mut self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        mut begun: Instant,
    ) -> Result<(ScreenCapture, ScreenState), RunError> {
        let mut black_since = None;
        let mut wakes = 0;
        let mut unlocks = 0;
        loop {
            let (capture, state) = self.capture_with_retry(recorder, begun).await?;
            begun = Instant::now();
            if !state.awake && self.light.power_pressed.is_some() {
                return Ok((capture, state));
            }
            if !state.awake {
                wakes += 1;
                self.wake(recorder, actor, wakes).await?;
                // The lock screen goes away, or comes.
                self.may_have_changed();
                continue;
            }
            // It was locked since the run began. A lock screen that the model has called up itself may be what it is to
            // see, and behind a call or an alarm it is not in the way.
            let in_the_way =
                state.locked && !state.app_over_lock && self.light.power_pressed.is_none();
            if in_the_way && unlocks < MOST_UNLOCKS {
                unlocks += 1;
                self.unlock(recorder, actor, unlocks).await?;
                self.may_have_changed();
                continue;
            }
            let front = state.foreground.as_ref().map(|it| it.package.clone());
            if self.shows_private(&state) {
                let since = *black_since.get_or_insert_with(Instant::now);
                // A phone may be slow to say what is in front.
                if front.is_some() || self.settle.cap <= since.elapsed() {
                    return Err(private_app(front));
                }
                self.cancel.race(sleep(Duration::from_millis(200))).await?;
                continue;
            }
            let black = capture.frame.is_black();
            // A phone may capture such a window all the same.
            let protected = state.protected && capture.frame.is_blank_inside();
            if !black && !protected {
                if black_since.is_some() && capture.captures == 1 {
                    // It has just appeared, and may not be complete.
                    self.may_have_changed();
                    continue;
                }
                return Ok((capture, state));
            }
            // A transition may pass through black; a protected window stays so.
            let since = *black_since.get_or_insert_with(Instant::now);
            if protected && self.read_protected && APPEARING <= since.elapsed() {
                return Ok((capture, state));
            }
            if self.settle.cap <= since.elapsed() {
                let app = state.foreground.map(|component| component.package);
                let text = if state.protected { PROTECTED_SCREEN } else { BLACK_SCREEN };
                return Err(RunError::NeedsTakeover { text: text.to_owned(), app });
            }
            self.cancel.race(sleep(Duration::from_millis(200))).await?;
        }
    }

    /// Lets the next look switch the screen on again, as the model wants to act on a screen it switched off itself.
    pub(in crate::run) fn may_wake_again(&mut self) {
        (self.light.power_pressed, self.light.woken_at) = (None, None);
        self.may_have_changed();
    }

    /// Wakes a dark screen. If it goes dark again by the next step, somebody means it; within one look it may be no more
    /// than a short timeout. A wake that did not get through is tried once more.
    async fn wake(
        &mut self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        nth: u32,
    ) -> Result<(), RunError> {
        self.doubt_last_gesture(recorder).await?;
        let step = recorder.session().counts.steps;
        // A phone that may go dark by itself has done so if there was time for it.
        let by_somebody =
            |woken: Instant| self.light.stays_lit || woken.elapsed() < SHORTEST_TIMEOUT;
        let went_off_again =
            |(before, woken): (u32, Instant)| step <= before + 1 && by_somebody(woken);
        if MOST_WAKES < nth || self.light.woken_at.is_some_and(went_off_again) {
            return Err(RunError::ScreenOff);
        }
        let Err(err) = actor.wake(recorder).await?.result else {
            self.light.woken_at = Some((step, Instant::now()));
            return Ok(());
        };
        tracing::warn!(device = %self.device.id(), "waking: {}", error_chain(&err));
        match err {
            DeviceError::Refused { .. } => {
                Err(RunError::NeedsTakeover { text: LOCKED_SCREEN.to_owned(), app: None })
            }
            err if err.ends_driving() => Err(RunError::DeviceLost(err)),
            // The next look shows whether it is awake.
            _ if nth == 1 => Ok(()),
            err => Err(RunError::DeviceLost(err)),
        }
    }

    /// Takes a lock screen away. One that wants a secret is the user's: a code is never tried. What did not get through
    /// is tried once more.
    async fn unlock(
        &self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        nth: u32,
    ) -> Result<(), RunError> {
        let Err(err) = actor.wake(recorder).await?.result else { return Ok(()) };
        tracing::warn!(device = %self.device.id(), "unlocking: {}", error_chain(&err));
        match err {
            DeviceError::Refused { .. } => {
                Err(RunError::NeedsTakeover { text: LOCKED_SCREEN.to_owned(), app: None })
            }
            err if err.ends_driving() => Err(RunError::DeviceLost(err)),
            _ if nth < MOST_UNLOCKS => Ok(()),
            err => Err(RunError::DeviceLost(err)),
        }
    }

    /// A capture, waiting for a phone that has gone away.
    async fn capture_with_retry(
        &mut self,
        recorder: &mut Recorder,
        begun: Instant,
    ) -> Result<(ScreenCapture, ScreenState), RunError> {
        let mut pause = FIRST_PAUSE;
        let mut away: Option<Away> = None;
        let mut cannot_since = None;
        loop {
            let err = match self.capture(recorder).await? {
                Ok(captured) => {
                    if let Some(away) = away {
                        away.end(recorder).await?;
                    }
                    return Ok(captured);
                }
                Err(err) => err,
            };
            let is_last = self.device_wait <= begun.elapsed() + pause;
            let is_there =
                matches!(err, DeviceError::Garbled { .. } | DeviceError::CannotCapture { .. });
            if is_there && let Ok(state) = self.cancel.race(self.device.state()).await? {
                let app = state.foreground.map(|component| component.package);
                // Before Android 10 there is no picture at all of a screen with a protected window.
                if state.awake && state.protected {
                    return Err(RunError::NeedsTakeover { text: PROTECTED_SCREEN.to_owned(), app });
                }
                if let DeviceError::CannotCapture { said, .. } = &err {
                    // It may be turning, or starting up.
                    let since: &Instant = cannot_since.get_or_insert_with(Instant::now);
                    if is_last || CAPTURES_AGAIN <= since.elapsed() {
                        return Err(RunError::NeedsTakeover { text: cannot_capture(said), app });
                    }
                }
            }
            if !matches!(err, DeviceError::CannotCapture { .. }) {
                cannot_since = None;
            }
            if !is_there && !err.is_unreachable() || is_last {
                return Err(RunError::DeviceLost(err));
            }
            tracing::warn!(device = %self.device.id(), "looking: {}; trying again", error_chain(&err));
            let left = self.device_wait.saturating_sub(begun.elapsed());
            let away = away.get_or_insert_with(|| Away::new(self.followers.clone()));
            away.goes_on(&err, left, recorder).await?;
            // In any way, meanwhile.
            self.last_gesture = None;
            self.may_have_changed();
            self.cancel.race(sleep(pause)).await?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// The screen once it has settled after the last gesture, even if dark or black. The inner error is the phone's.
    pub(in crate::run) async fn capture(
        &mut self,
        recorder: &mut Recorder,
    ) -> Result<Result<(ScreenCapture, ScreenState), DeviceError>, RunError> {
        self.last.is_current = false;
        let gesture = self.take_gesture();
        if let Some(gesture) = gesture.as_ref().filter(|it| !it.synced) {
            // Sync while the screen moves.
            let (synced, ()) = tokio::join!(recorder.sync(), sleep_until(self.first_look(gesture)));
            synced?;
        } else if let (None, Some(changed)) = (&gesture, self.changed_at) {
            self.cancel.race(sleep_until(changed + self.settle.first_look)).await?;
        }
        let looking = Box::pin(self.settle_after(gesture));
        let both = async {
            if self.policy.private_apps.is_empty() {
                return tokio::try_join!(looking, self.device.state());
            }
            // Before and after, so that a picture of a private app is not taken for one of another.
            let before = self.device.state().await?;
            let (capture, state) = tokio::try_join!(looking, self.device.state())?;
            let after = self.device.state().await?;
            let private = [before, after].into_iter().find(|it| self.shows_private(it));
            Ok((capture, private.unwrap_or(state)))
        };
        let captured = self.cancel.race(both).await?;
        if captured.is_ok() {
            self.changed_at = None;
        }
        Ok(captured)
    }

    /// Waits for the screen to settle after a reset. Errors are ignored, as is a screen that does not come to rest: the
    /// first step looks again.
    pub(in crate::run) async fn settle_after_reset(&mut self) -> Result<(), RunError> {
        let settling = async {
            let since = Instant::now();
            sleep(self.settle.first_look).await;
            settle::settle(&*self.device, &self.settle, None, since).await
        };
        let settled = match self.cancel.race(settling).await? {
            Ok(capture) => capture.settled,
            Err(err) => {
                tracing::warn!(device = %self.device.id(), "after the reset: {}", error_chain(&err));
                false
            }
        };
        if !settled {
            self.may_have_changed();
        }
        Ok(())
    }

    /// Whether the screen, once it has come to rest, looks as in `before`.
    pub(in crate::run) async fn still_shows(&self, before: &Frame) -> Result<bool, RunError> {
        let looking = settle::settle(&*self.device, &self.settle, None, Instant::now());
        let now = self.cancel.race(looking).await?;
        Ok(now.is_ok_and(|capture| settle::is_unchanged(before, &capture.frame)))
    }

    /// The frame before the last gesture and the settled screen after it; `None` if it cannot be seen.
    pub(in crate::run) async fn after_gesture(
        &mut self,
    ) -> Option<(Frame, ScreenCapture, ScreenState)> {
        let gesture = self.take_gesture()?;
        let before = gesture.before.clone();
        let looking = async {
            sleep_until(self.first_look(&gesture)).await;
            let capture = self.settle_after(Some(gesture)).await?;
            Ok((capture, self.device.state().await?))
        };
        let (capture, state) = self.optional_look(looking).await?;
        self.changed_at = None;
        Some((before, capture, state))
    }

    /// When to take the first look after a gesture.
    pub(super) fn first_look(&self, gesture: &LastGesture) -> Instant {
        gesture.ended + gesture.expected.first_look().min(self.settle.cap)
    }

    /// The screen once it has settled after this gesture; the time it took is remembered. If there was no gesture, the
    /// screen only has to stand still.
    pub(super) async fn settle_after(
        &self,
        gesture: Option<LastGesture>,
    ) -> Result<ScreenCapture, DeviceError> {
        let device = &*self.device;
        let Some(gesture) = gesture.filter(|it| !self.is_long_ago(it)) else {
            if self.changed_at.is_none() {
                return settle::capture_once(device).await;
            }
            let settling = settle::settle(device, &self.settle, None, Instant::now());
            let settled = Box::pin(settling).await?;
            return Ok(ScreenCapture { first_look: None, ..settled });
        };
        let LastGesture { before, ended, kind, expected, seen, .. } = gesture;
        let settling = if let Some(LookSoFar { mut settling, .. }) = seen {
            if settling.is_out_of_date() {
                settling.add(capture_at(device, Instant::now()).await?);
            }
            settling
        } else {
            let first = capture_at(device, Instant::now()).await?;
            Settling::new(expected, Some(before), ended, first)
        };
        let settling = Box::pin(settle::go_on(device, settling)).await?;
        if let Some(outcome) = settling.outcome() {
            self.times.learn(&kind, outcome);
        }
        Ok(settling.capture())
    }

    /// A look at the phone that may fail, and is abandoned after a limit.
    pub(super) async fn optional_look<T>(
        &self,
        looking: impl Future<Output = Result<T, DeviceError>>,
    ) -> Option<T> {
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

/// What a person is asked about a phone that has no picture of its screen, in its own words.
fn cannot_capture(said: &str) -> String {
    let said = quote_untrusted(said, MAX_SAID);
    format!(
        "The phone cannot capture its screen: it says {said}. Please restart the phone, or see what `ayeaye doctor` \
         says of it, then say that it is done."
    )
}
