//! Looking at the phone: a settled frame, its picture and its elements.
//!
//! In the order of a step: `capture` gets a frame of a screen that is on and at rest (`last_gesture` knows what it rests
//! after, `away` waits for a phone that has gone), or `early` one that is likely to stay (`second_look` shows whether it
//! does). `prepare` makes an observation of it, with a `picture` for models; `elements` lists what is on the screen, from
//! the phone (`dump`) or from an earlier step (`known_elements`, by `screen_key`). Until the act, `watch` looks on.
mod away;
mod capture;
mod clocks;
mod dump;
mod early;
mod elements;
mod known_elements;
mod last_gesture;
mod picture;
mod prepare;
mod private;
mod record;
mod screen_key;
mod second_look;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch::Sender;
use tokio::time::Instant;

use self::clocks::Clocks;
use self::dump::PendingDump;
use self::early::SettledProof;
use self::elements::{ElementsRequest, ElementsTiming};
use self::known_elements::KnownElements;
use self::last_gesture::LastGesture;
pub(super) use self::last_gesture::WAS_OFF_AFTERWARDS;
use self::picture::UNREDACTED;
use self::private::private_app;
pub(super) use self::record::StoredScreen;
use self::screen_key::ScreenKey;
use self::watch::ScreenWatch;
use super::actor::Actor;
use super::answer_times::AnswerTimes;
use super::cancel::CancelHandle;
use super::outcome::RunError;
use super::recorder::{Recorder, StoredPicture};
use super::update::RunUpdate;
use crate::gate::Policy;
use crate::journal::Observe;
use crate::settle::SettleRule;
use crate::settle::times::SettleTimes;
use crate::{CaptureRoute, Device, Frame, Limits, Model, RedactPictures, ScreenState, Speculate};

/// How long the end of a run waits for the elements of its last screen.
const LAST_ELEMENTS: Duration = Duration::from_secs(1);

/// The screen of one step.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) frame: Frame,
    /// The picture as sent to the model.
    pub(super) picture: StoredPicture,
    /// What may be stored of it is.
    stored: bool,
    /// Package of the app in front, if the phone says which.
    pub(super) app: Option<String>,
    /// Its name in the phone's language, if known.
    pub(super) app_name: Option<String>,
    /// The state of the screen, as the phone reported it.
    pub(super) state: ScreenState,
    pub(super) elements: ElementsRequest,
    /// What it is known by, where it can be.
    screen: Option<ScreenKey>,
    /// The phone was asked for elements that were known.
    asked_again: bool,
    /// What is black on the picture that models are sent; `None` where it is not known what should be, and none is sent.
    black_areas: Option<Vec<[i32; 4]>>,
    /// The screen is off and stays off, as the model has pressed POWER.
    pub(super) dark: bool,
    /// The screen in words, if its app protects it from captures.
    pub(super) words: Option<String>,
    /// When its capture began.
    pub(super) seen_at: Instant,
    /// A little later.
    prepared_at: Clocks,
    /// Looks at the screen again and again while a model thinks.
    pub(super) watch: Option<ScreenWatch>,
    /// It may still move: whether it does is being seen.
    proof: Option<Box<SettledProof>>,
    record: Observe,
}

impl Observation {
    /// Activity of the app in front; empty if the phone did not say which.
    pub(super) fn activity(&self) -> &str {
        &self.record.activity
    }

    /// Whether parts of the model's picture are blacked out.
    pub(super) fn has_black_areas(&self) -> bool {
        self.black_areas.as_ref().is_some_and(|areas| !areas.is_empty())
    }

    /// Whether the phone said that the screen was off; the frame may then be from before.
    pub(super) fn is_off(&self) -> bool {
        !self.state.awake
    }

    /// About how long one look takes.
    fn look_time(&self) -> Duration {
        let each = self.record.settle_ms / f64::from(self.record.captures.max(1));
        Duration::try_from_secs_f64(each / 1e3).unwrap_or_default()
    }
}

/// Looks at one phone.
#[derive(Debug)]
pub(super) struct Observer {
    device: Arc<dyn Device>,
    cancel: CancelHandle,
    settle: SettleRule,
    /// How long the acting model took for its last answers.
    pub(super) answer_times: AnswerTimes,
    times: Arc<SettleTimes>,
    speculate: Speculate,
    device_wait: Duration,
    /// Who is told while the phone is away.
    followers: Option<Sender<RunUpdate>>,
    last_gesture: Option<LastGesture>,
    /// When the screen may have changed otherwise, if it has not been seen since.
    changed_at: Option<Instant>,
    early: EarlyFrames,
    light: Light,
    policy: Policy,
    redact: RedactPictures,
    /// Protected screens are told by their elements.
    read_protected: bool,
    last: LastSeen,
    elements: ElementsTiming,
    /// A list that was asked for with a frame that did not stay.
    reusable_dump: Option<PendingDump>,
    /// The elements of screens that were acted on.
    known: KnownElements,
    /// How the last recorded capture came.
    route: Option<CaptureRoute>,
}

/// Frames that were prepared before the screen had settled, since the last gesture or recorded screen.
#[derive(Debug, Default)]
struct EarlyFrames {
    prepared: u32,
    /// How many of them a model was sent.
    guesses: u32,
}

/// Why the screen may go off, and what was done about it.
#[derive(Debug, Default)]
struct Light {
    /// The step in which a dark screen was woken, and when.
    woken_at: Option<(u32, Instant)>,
    /// The last gesture was the power key, which was over then: a dark screen is what the model wanted.
    power_pressed: Option<Instant>,
    /// The step whose gesture needs a screen that is on, where none was seen on since.
    needed_by: Option<u32>,
    /// The phone does not go dark by itself, as far as it has said.
    stays_lit: bool,
}

/// The last screen seen.
#[derive(Debug, Default)]
struct LastSeen {
    screen: Option<StoredScreen>,
    picture: Option<StoredPicture>,
    /// No gesture has been made since, so the phone should still show it.
    is_current: bool,
}

/// When a capture was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    AtRest,
    /// At rest too, but what the phone said of itself before is stale, and asked again.
    AfterLongMotion,
    /// It is not likely to stay: no elements are asked for.
    InMotion,
}

impl Observer {
    pub(super) fn new(
        device: Arc<dyn Device>,
        cancel: CancelHandle,
        limits: &Limits,
        policy: Policy,
        times: Arc<SettleTimes>,
    ) -> Self {
        Self {
            device,
            cancel,
            settle: limits.settle,
            answer_times: AnswerTimes::default(),
            times,
            speculate: limits.speculate,
            device_wait: limits.device_wait,
            followers: None,
            last_gesture: None,
            changed_at: None,
            early: EarlyFrames::default(),
            light: Light::default(),
            policy,
            redact: limits.redact,
            read_protected: limits.read_protected,
            last: LastSeen::default(),
            elements: ElementsTiming::default(),
            reusable_dump: None,
            known: KnownElements::default(),
            route: None,
        }
    }

    /// Sets who gets updates while the phone cannot be reached.
    pub(super) fn tell_when_away(&mut self, followers: Sender<RunUpdate>) {
        self.followers = Some(followers);
    }

    /// Observes a screen that is on and not black, encoded for this model, and records it.
    pub(super) async fn observe(
        &mut self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        model: &Arc<dyn Model>,
    ) -> Result<Observation, RunError> {
        self.observe_since(recorder, actor, model, Instant::now()).await
    }

    /// Observes a screen as [`observe`](Self::observe) does; a phone that has gone away is waited for from `begun` on.
    async fn observe_since(
        &mut self,
        recorder: &mut Recorder,
        actor: &mut Actor,
        model: &Arc<dyn Model>,
        begun: Instant,
    ) -> Result<Observation, RunError> {
        let (capture, state) = self.awake_screen(recorder, actor, begun).await?;
        let hidden = state.awake && state.protected && capture.frame.is_blank_inside();
        let mut observation = self.record(recorder, model, capture, &state).await?;
        if self.is_private(observation.app.as_deref()) {
            return Err(private_app(observation.app));
        }
        if observation.black_areas.is_none() {
            let (text, app) = (UNREDACTED.to_owned(), observation.app);
            return Err(RunError::NeedsTakeover { text, app });
        }
        if hidden {
            self.read_in_words(recorder, &mut observation).await?;
        }
        Ok(observation)
    }

    /// Notes that a named secret was typed where it may be visible.
    pub(super) fn named_secret_may_show(&mut self) {
        if self.redact == RedactPictures::Auto {
            self.redact = RedactPictures::Always;
        }
    }

    /// Whether what models are sent of this app's screens has its secrets blacked out.
    fn redacts(&self, recorder: &Recorder, app: Option<&str>) -> bool {
        match self.redact {
            RedactPictures::Always => true,
            // Any session may have left one there that the user keeps by a name.
            RedactPictures::Auto => app.is_some_and(|app| recorder.secrets().has_named_in(app)),
            RedactPictures::Never => false,
        }
    }

    /// Sets whether the phone stays lit while nobody touches it.
    pub(super) fn set_stays_lit(&mut self, stays_lit: bool) {
        self.light.stays_lit = stays_lit;
    }

    /// Sets whether screens change without animations.
    pub(super) fn set_changes_at_once(&mut self, at_once: bool) {
        self.settle.at_once = at_once;
    }

    /// The screen at the end of a run or a subtask: the last one seen if it is still current, else
    /// another look. `None` if it cannot be seen.
    pub(super) async fn final_screen(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
    ) -> Result<Option<StoredScreen>, RunError> {
        if self.last.is_current {
            return Ok(self.last.screen.clone());
        }
        let gesture = self.take_gesture();
        let looking = async {
            // What is private is asked about before each look and after it.
            let may_show = self.policy.private_apps.is_empty();
            let before = if may_show { None } else { Some(self.device.state().await?) };
            let capture = self.settle_after(gesture).await?;
            Ok((capture, before, self.device.state().await?))
        };
        let Some((capture, before, state)) = self.optional_look(looking).await else {
            return Ok(None);
        };
        self.changed_at = None;
        let private = before.iter().chain([&state]).any(|state| self.shows_private(state));
        if !state.awake {
            self.doubt_last_gesture(recorder).await?;
        }
        if !state.awake || private {
            return Ok(None);
        }
        let mut observation =
            match self.prepare(recorder, model, capture, &state, Taken::AtRest).await {
                Ok(observation) => observation,
                Err(err @ RunError::Journal(_)) => return Err(err),
                Err(_) => return Ok(None),
            };
        let shown = match self.store(recorder, model, &mut observation).await {
            Ok(()) => {
                self.await_elements(recorder, &mut observation, LAST_ELEMENTS).await.map(drop)
            }
            Err(err) => Err(err),
        };
        match shown {
            Err(err @ RunError::Journal(_)) => Err(err),
            // Whoever stops the run meanwhile does not keep its end from being recorded.
            Ok(()) | Err(_) => Ok(self.last.screen.clone()),
        }
    }

    /// The last screen seen, whether or not it is still current.
    pub(super) fn last_screen(&self) -> Option<&StoredScreen> {
        self.last.screen.as_ref()
    }

    /// The picture of the last screen seen.
    pub(super) fn last_picture(&self) -> Option<&StoredPicture> {
        self.last.picture.as_ref()
    }
}
