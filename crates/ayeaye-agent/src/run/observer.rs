//! Looking at the phone: a settled frame, its picture and its elements.
mod away;
mod capture;
mod clocks;
mod dump;
mod early;
mod elements;
mod known_elements;
mod last_gesture;
mod picture;
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
use self::picture::{UNREDACTED, encode, may_show_secret};
use self::private::private_app;
pub(super) use self::record::StoredScreen;
use self::record::observe_record;
use self::screen_key::ScreenKey;
use self::watch::ScreenWatch;
use super::actor::Actor;
use super::answer_times::AnswerTimes;
use super::cancel::CancelHandle;
use super::outcome::RunError;
use super::recorder::{Recorder, StoredPicture};
use super::update::RunUpdate;
use crate::gate::Policy;
use crate::journal::{CaptureRecord, DisplayRecord, Fact, Observe};
use crate::settle::times::SettleTimes;
use crate::settle::{ScreenCapture, SettleRule};
use crate::{CaptureRoute, Device, Frame, Limits, Model, RedactPictures, ScreenState, Speculate};

/// How long the end of a run waits for the elements of its last screen.
const LAST_ELEMENTS: Duration = Duration::from_secs(1);

/// The screen of one step.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) frame: Frame,
    /// As sent to the model.
    pub(super) picture: StoredPicture,
    /// What may be stored of it is.
    stored: bool,
    /// Package of the app in front, when the phone says.
    pub(super) app: Option<String>,
    /// Its name in the phone's language, where that is known.
    pub(super) app_name: Option<String>,
    /// The field in focus hides what is typed into it.
    pub(super) secret_field: bool,
    /// The lock screen is in front.
    pub(super) locked: bool,
    /// The keyboard is shown.
    pub(super) keyboard_shown: bool,
    pub(super) elements: ElementsRequest,
    /// What it is known by, where it can be.
    screen: Option<ScreenKey>,
    /// The phone was asked for elements that were known.
    asked_again: bool,
    /// What is black on the picture that models are sent.
    hidden: Vec<[i32; 4]>,
    /// What should be black on it is not known.
    unredacted: bool,
    /// The screen is off, and is left so: the model has pressed POWER.
    pub(super) dark: bool,
    /// What it shows in words, where its app protects it from being captured.
    pub(super) words: Option<String>,
    /// When it was seen: its capture began then.
    pub(super) seen_at: Instant,
    /// A little later.
    prepared_at: Clocks,
    /// Looks at the screen while a model thinks.
    pub(super) watch: Option<ScreenWatch>,
    /// It may still move: whether it does is being seen.
    proof: Option<Box<SettledProof>>,
    record: Observe,
}

impl Observation {
    /// Activity of the app in front; empty when the phone did not say.
    pub(super) fn activity(&self) -> &str {
        &self.record.activity
    }

    /// Whether something was made black on the picture that models are sent.
    pub(super) fn has_black_areas(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// The phone said that the screen was off, whoever has switched it off: the frame may be of before.
    pub(super) fn is_off(&self) -> bool {
        !self.record.screen_on
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
    /// How many frames since were prepared before the screen had settled, and how many of them a model was sent.
    early_frames: u32,
    guesses: u32,
    /// The step in which a dark screen was woken, and when.
    woken_at: Option<(u32, Instant)>,
    /// The last gesture was the power key, which was over then: a dark screen is what the model wanted.
    power_pressed: Option<Instant>,
    /// The phone does not go dark by itself, as far as it has said.
    stays_lit: bool,
    policy: Policy,
    redact: RedactPictures,
    /// Protected screens are told by their elements.
    read_protected: bool,
    /// The last screen seen.
    last_screen: Option<StoredScreen>,
    /// No gesture has been made since, so the phone should still show it.
    is_current: bool,
    /// Its picture.
    last_picture: Option<StoredPicture>,
    elements: ElementsTiming,
    /// A list that was asked for with a frame that did not stay.
    reusable_dump: Option<PendingDump>,
    /// The elements of screens that were acted on.
    known: KnownElements,
    /// How the last recorded capture came.
    route: Option<CaptureRoute>,
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
            early_frames: 0,
            guesses: 0,
            woken_at: None,
            power_pressed: None,
            stays_lit: false,
            policy,
            redact: limits.redact,
            read_protected: limits.read_protected,
            last_screen: None,
            is_current: false,
            last_picture: None,
            elements: ElementsTiming::default(),
            reusable_dump: None,
            known: KnownElements::default(),
            route: None,
        }
    }

    /// These followers are told while the phone is away.
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

    /// The same; a phone that has gone away is waited for from that time on.
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
        if observation.unredacted {
            let (text, app) = (UNREDACTED.to_owned(), observation.app);
            return Err(RunError::NeedsTakeover { text, app });
        }
        if hidden {
            self.read_in_words(recorder, &mut observation).await?;
        }
        Ok(observation)
    }

    /// A secret that the user keeps by a name was typed where it may be seen.
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

    /// Says whether the phone stays lit while nobody touches it.
    pub(super) fn set_stays_lit(&mut self, stays_lit: bool) {
        self.stays_lit = stays_lit;
    }

    /// Says whether screens change without animations.
    pub(super) fn set_changes_at_once(&mut self, at_once: bool) {
        self.settle.at_once = at_once;
    }

    /// Encodes a capture, stores what may be stored of it, and records it.
    pub(super) async fn record(
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

    /// Records an observation as the screen of its step, and stores what may be stored of its picture.
    pub(super) async fn record_as_seen(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        self.store(recorder, model, observation).await?;
        self.note_route(observation);
        recorder.append(Fact::Observe(observation.record.clone())).await?;
        // The next screen has its own.
        (self.early_frames, self.guesses) = (0, 0);
        Ok(())
    }

    /// Stores what may be stored of the picture, unless it is: from then on it is the last screen seen. A picture
    /// is stored only when something is about to name it.
    async fn store(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        if std::mem::replace(&mut observation.stored, true) {
            return Ok(());
        }
        self.store_picture(recorder, model, observation).await?;
        self.last_picture = Some(observation.picture.clone());
        self.last_screen = Some(StoredScreen {
            screenshot: observation.picture.blob.clone(),
            ui_tree: observation.elements.tree().and_then(|tree| tree.blob.clone()),
        });
        self.is_current = !observation.is_early();
        Ok(())
    }

    /// A screen of which nothing may be stored is the last one seen.
    fn store_nothing(&mut self, observation: &mut Observation) {
        observation.stored = true;
        self.last_picture = None;
        self.last_screen = Some(StoredScreen::default());
        self.is_current = true;
    }

    /// Has it recorded how the capture came, if that was otherwise than before.
    fn note_route(&mut self, observation: &mut Observation) {
        let route = self.device.captured_by();
        if route != self.route {
            observation.record.capture = route.clone().map(CaptureRecord::from);
            self.route = route;
        }
    }

    /// Encodes a capture, and asks for the elements if it may be the screen at rest and they have not been asked for.
    async fn prepare(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        capture: ScreenCapture,
        state: &ScreenState,
        taken: Taken,
    ) -> Result<Observation, RunError> {
        let stale = taken == Taken::AfterLongMotion;
        // A phone may be on for a moment after the key, and what it said of itself is as old as the first capture.
        let since_key = self.settle.cap + capture.took;
        self.power_pressed.take_if(|pressed| state.awake && since_key <= pressed.elapsed());
        let seen_at = capture.seen_at;
        let private = self.shows_private(state);
        let redact = self.redacts(recorder, package_of(state));
        let secret = redact || may_show_secret(recorder, state.secret_field, package_of(state));
        let display = self.device.shown_on().map(DisplayRecord::from);
        let screen =
            ScreenKey::new(&capture.frame, state, display.clone()).filter(|_| !private && !stale);
        let known = self.known_elements(recorder.privacy(), screen.as_ref(), seen_at);
        let requested = self.reusable_dump.take().filter(|_| !secret && !private);
        let requested =
            requested.and_then(|dump| dump.for_later_screen(&capture.frame, screen.as_ref()));
        let elements = match (known.filter(|_| !secret), requested) {
            (Some(tree), _) => ElementsRequest::Known(tree),
            (None, Some(dump)) => ElementsRequest::Pending(dump),
            _ if private || taken == Taken::InMotion || !state.awake => ElementsRequest::NotAsked,
            _ => self.request_elements(recorder, &capture.frame, secret, screen.as_ref()),
        };
        let encoding = Instant::now();
        let encode = encode(model.clone(), capture.frame.clone());
        let (picture, fresh) = if stale {
            let (picture, fresh) = tokio::join!(encode, self.device.state());
            (picture?, fresh.ok())
        } else {
            (encode.await?, None)
        };
        let encoded = encoding.elapsed();
        let state = fresh.as_ref().unwrap_or(state);
        let private = private || self.shows_private(state);
        let mut record = observe_record(&capture, state, &picture, encoded);
        record.display = display;
        let app = state.foreground.as_ref().map(|component| component.package.clone());
        let app_name = app.as_deref().and_then(|package| self.device.app_name(package));
        record.app_name = app_name.clone().unwrap_or_default();
        record.guesses = self.guesses;
        let mut observation = Observation {
            frame: capture.frame,
            picture: StoredPicture { picture, blob: None },
            stored: false,
            app_name,
            app,
            secret_field: state.secret_field,
            locked: state.locked,
            keyboard_shown: state.keyboard_shown,
            elements,
            screen,
            asked_again: false,
            hidden: Vec::new(),
            unredacted: false,
            dark: !state.awake && self.power_pressed.is_some(),
            words: None,
            seen_at,
            prepared_at: Clocks::now(),
            watch: None,
            proof: None,
            record,
        };
        if private {
            observation.elements = ElementsRequest::Unavailable;
            observation.record.screenshot_size = None;
            self.store_nothing(&mut observation);
            return Ok(observation);
        }
        if redact || self.redacts(recorder, observation.app.as_deref()) {
            self.redact_picture(recorder, model, &mut observation).await?;
            if observation.unredacted {
                self.store_nothing(&mut observation);
            }
        }
        Ok(observation)
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
            Ok(()) | Err(_) => Ok(self.last_screen.clone()),
        }
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

/// The app in front.
fn package_of(state: &ScreenState) -> Option<&str> {
    state.foreground.as_ref().map(|it| it.package.as_str())
}
