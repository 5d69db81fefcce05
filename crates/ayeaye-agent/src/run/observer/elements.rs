//! The UI elements of the screen. They are read while the model thinks, for the gate and the logs; with a model that
//! answers sooner than any list could come, only before an act that needs them. A step waits for them before it asks
//! the model only if a secret may be on the screen; after that it has [`Observer::patience`].
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::capture::PROTECTED_SCREEN;
use super::dump::{Certainty, Dump, PendingDump, read_and_store};
use super::screen_key::ScreenKey;
use super::{Observation, Observer};
use crate::elements::{Elements, hidden_elements};
use crate::gate::is_secret_pad;
use crate::journal::{BlobRef, Fact, NoteKind, Observe, TargetRecord};
use crate::privacy::SecretStore;
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::{DeviceError, Frame, Gesture, KeepElements, NoElements, error_chain};

/// How long a decision waits for elements on phones that are quick with them.
const GRACE: Duration = Duration::from_millis(150);
/// A phone that is always late is asked in one step out of two to the power of this.
const MAX_BACKOFF: u32 = 4;
/// How long an act waits for the elements: the gate needs the act's target to decide whether to ask the user. Phones
/// take one to three seconds, even if the model answers at once.
pub(super) const BEFORE_AN_ACT: Duration = Duration::from_secs(5);
/// A phone that has told nothing so often in a row, however long it was waited for, will not now.
const GIVEN_UP_AFTER: u32 = 3;
/// A phone that takes so long for a list is not asked for one while a model answers that is quicker than [`GRACE`].
const LONG: Duration = Duration::from_secs(1);
/// How long the last step of a run waits, so that the last picture has its elements.
const LAST_STEP: Duration = Duration::from_secs(1);
/// Longer than any device's own timeout.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(30);

/// The progress of reading one screen's elements.
#[derive(Debug)]
pub(in crate::run) enum ElementsRequest {
    /// Not requested.
    NotAsked,
    /// Known from an earlier step, and not looked up yet.
    Known(ElementTree),
    /// Likewise, but the phone is to be asked; if it does not say, they are what is known.
    Doubted(ElementTree),
    /// In progress.
    Pending(PendingDump),
    /// The phone gave none, or not in time.
    Unavailable,
    /// The phone gave a list that cannot be used, as one that is too long: whoever makes the screen can see to that.
    Unusable,
    /// The phone could not be reached to ask it.
    Unreachable(DeviceError),
    /// Read.
    Read(ElementTree),
}

/// Elements, and the blob of their dump.
#[derive(Debug, Clone)]
pub(in crate::run) struct ElementTree {
    pub(in crate::run) elements: Arc<Elements>,
    pub(super) blob: Option<BlobRef>,
    /// When the phone had reported them.
    pub(in crate::run) read_at: Instant,
    pub(super) certainty: Certainty,
    /// Whether they are from an earlier step, in which the screen looked the same.
    pub(in crate::run) is_known: bool,
    /// Whether the phone reported the same elements for this screen before.
    pub(super) is_repeated: bool,
    /// The memory they take, with the dump, in bytes.
    pub(super) bytes: usize,
}

/// How quickly the phone has reported elements so far.
#[derive(Debug, Default)]
pub(super) struct ElementsTiming {
    /// How long the last request took.
    last: Option<Duration>,
    /// How long the last act that had to wait for them did.
    act_waited: Duration,
    /// How often in a row it told nothing though it had the time.
    silent: u32,
    /// The app in front of which that was.
    app: Option<String>,
    /// It was noted that the phone does not say.
    refusal_noted: bool,
}

impl ElementsTiming {
    /// Whether the last act had to wait for its screen's elements.
    pub(super) fn keeps_acts_waiting(&self) -> bool {
        GRACE < self.act_waited
    }
}

impl ElementsRequest {
    pub(in crate::run) fn tree(&self) -> Option<&ElementTree> {
        match self {
            Self::Read(tree) => Some(tree),
            Self::NotAsked
            | Self::Known(_)
            | Self::Doubted(_)
            | Self::Pending(_)
            | Self::Unusable
            | Self::Unreachable(_)
            | Self::Unavailable => None,
        }
    }

    /// Whether the phone reported a list that cannot be used.
    pub(in crate::run) fn is_unusable(&self) -> bool {
        matches!(self, Self::Unusable)
    }

    /// The error, if the phone could not be reached when asked.
    pub(in crate::run) fn unreachable(&self) -> Option<&DeviceError> {
        if let Self::Unreachable(err) = self { Some(err) } else { None }
    }

    /// Elements known from an earlier step, whether or not they were used.
    pub(super) fn known(&self) -> Option<&ElementTree> {
        match self {
            Self::Known(tree) => Some(tree),
            other => other.tree().filter(|tree| tree.is_known),
        }
    }
}

impl Observation {
    /// Before a decision to type is recorded: asks the phone for the elements if they are known only from an earlier
    /// step. Returns whether it did.
    pub(in crate::run) fn asks_only_now(&mut self) -> bool {
        self.ask_again_for_elements() || matches!(self.elements, ElementsRequest::NotAsked)
    }

    /// Abandons reading the elements, as the screen is about to change.
    pub(in crate::run) fn stop_reading_elements(&mut self) {
        self.elements = ElementsRequest::Unavailable;
    }

    /// How long ago the phone reported the elements, if they are known.
    pub(in crate::run) fn age_of_elements(&self) -> Option<Duration> {
        self.elements.tree().map(|tree| tree.read_at.elapsed())
    }

    /// Whether text typed now, without a field, would go to the lock screen or a PIN pad, as far as the elements tell.
    pub(in crate::run) fn takes_secret_without_field(&self) -> bool {
        let tree = self.elements.tree();
        let has_field = tree.is_some_and(|it| it.elements.has_focused_field());
        self.state.locked && !has_field || tree.is_some_and(|it| is_secret_pad(&it.elements))
    }

    /// Whether text typed now would certainly go nowhere: the phone has just reported that no field has the focus.
    pub(in crate::run) fn has_no_field(&self) -> bool {
        let tree = self.elements.tree().filter(|it| !it.is_known);
        !self.state.secret_field
            && !self.state.keyboard_shown
            && !self.takes_secret_without_field()
            && tree.is_some_and(|it| {
                it.elements.iter().next().is_some() && !it.elements.has_focused_field()
            })
    }

    /// The element that a gesture is aimed at, if the elements are known.
    pub(in crate::run) fn target(&self, gesture: &Gesture) -> Option<TargetRecord> {
        let tree = self.elements.tree()?;
        let point = match gesture {
            Gesture::Click { point }
            | Gesture::DoubleClick { point }
            | Gesture::LongPress { point, .. } => Some(*point),
            Gesture::Type { point, .. } => *point,
            Gesture::Scroll { at, .. } => *at,
            Gesture::Slide { from, .. } | Gesture::Drag { from, .. } => Some(*from),
            Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_) => None,
        };
        tree.elements.target_at(point?.to_pixel(self.frame.size()))
    }
}

impl Observer {
    /// Begins to request the elements, if they are wanted, without waiting for them.
    pub(super) fn request_elements(
        &self,
        recorder: &Recorder,
        frame: &Frame,
        secret: bool,
        screen: Option<&ScreenKey>,
    ) -> ElementsRequest {
        let wanted = match recorder.privacy().elements {
            KeepElements::Always => true,
            // A list that comes after the answer may be of use to nobody and delay the next one, so it is requested
            // only when an act needs it.
            _ if self.model_outpaces_lists() => false,
            // A phone that tells nothing is asked less often. What is not kept is read all the same: the gate goes
            // by it.
            KeepElements::Auto | KeepElements::Never => {
                let every =
                    1 << (self.elements.silent + 1).saturating_sub(GIVEN_UP_AFTER).min(MAX_BACKOFF);
                recorder.session().counts.steps.is_multiple_of(every)
            }
        };
        if wanted || secret {
            ElementsRequest::Pending(self.ask_phone(frame, secret, screen))
        } else {
            ElementsRequest::NotAsked
        }
    }

    /// Whether the model answers at once, and the phone takes so long that acts would wait for most of a list anyway.
    /// Of one that has told nothing of late it is not known how long it takes.
    fn model_outpaces_lists(&self) -> bool {
        let ElementsTiming { last, silent, .. } = self.elements;
        let at_once = self.answer_times.at_most().is_some_and(|took| took < GRACE);
        at_once && silent < GIVEN_UP_AFTER && last.is_some_and(|took| LONG <= took)
    }

    /// How long a step waits for the elements.
    pub(in crate::run) fn patience(&self, recorder: &Recorder, ends_run: bool) -> Duration {
        match recorder.privacy().elements {
            KeepElements::Always => AS_LONG_AS_IT_TAKES,
            KeepElements::Never => Duration::ZERO,
            KeepElements::Auto if ends_run => LAST_STEP,
            // A phone that was slow before is slow again.
            KeepElements::Auto if self.elements.last.is_some_and(|took| GRACE < took) => {
                Duration::ZERO
            }
            KeepElements::Auto => GRACE,
        }
    }

    /// How long an act waits for the elements at least, as the gate needs the act's target.
    pub(in crate::run) fn patience_of_act(patience: Duration) -> Duration {
        patience.max(BEFORE_AN_ACT)
    }

    /// How long a client's direct action waits for the elements. No model is thinking meanwhile, and each action is a
    /// run of its own.
    pub(in crate::run) fn patience_of_direct_act(&self, recorder: &Recorder) -> Duration {
        match recorder.privacy().elements {
            KeepElements::Auto | KeepElements::Never => BEFORE_AN_ACT,
            KeepElements::Always => self.patience(recorder, true),
        }
    }

    /// Records the elements if they arrive in time, else abandons them.
    pub(in crate::run) async fn read_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
        patience: Duration,
    ) -> Result<(), RunError> {
        if self.elements.app != observation.app {
            // Another app may rest where the last one never did.
            (self.elements.silent, self.elements.app) = (0, observation.app.clone());
        }
        let hopeless = GIVEN_UP_AFTER <= self.elements.silent && BEFORE_AN_ACT <= patience;
        let in_time =
            BEFORE_AN_ACT <= patience || self.elements.last.is_none_or(|took| took <= patience);
        let may_ask = match observation.elements {
            // A phone that sleeps has none.
            _ if observation.is_off() => false,
            ElementsRequest::NotAsked => !hopeless && in_time,
            ElementsRequest::Doubted(_) => true,
            _ => false,
        };
        let mut doubted = None;
        if LAST_STEP <= patience && may_ask {
            let (frame, screen) = (&observation.frame, observation.screen.as_ref());
            let asked = ElementsRequest::Pending(self.ask_phone(frame, false, screen));
            if let ElementsRequest::Doubted(tree) =
                std::mem::replace(&mut observation.elements, asked)
            {
                doubted = Some(tree);
            }
        }
        if !self.await_elements(recorder, observation, patience).await? {
            let Some(doubted) = doubted else { return Ok(()) };
            self.has_elements(observation, doubted);
        }
        let Some(tree) = observation.elements.tree().filter(|tree| tree.blob.is_some()) else {
            return Ok(());
        };
        let record = Observe {
            screenshot: None,
            screenshot_size: None,
            ui_tree: tree.blob.clone(),
            ui_tree_known: tree.is_known,
            capture: None,
            ..observation.record.clone()
        };
        recorder.append(Fact::Observe(record)).await?;
        Ok(())
    }

    /// Describes a screen that its app protects from captures, by its elements. If there are none either, a person has
    /// to go on.
    pub(super) async fn read_in_words(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        self.read_elements(recorder, observation, AS_LONG_AS_IT_TAKES).await?;
        let size = observation.frame.size();
        let words = observation.elements.tree().and_then(|tree| tree.elements.in_words(size));
        let Some(words) = words else {
            let (text, app) = (PROTECTED_SCREEN.to_owned(), observation.app.clone());
            return Err(RunError::NeedsTakeover { text, app });
        };
        observation.words = Some(words);
        Ok(())
    }

    /// Waits for the elements without a limit.
    pub(super) async fn insist_on_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        use ElementsRequest::{Doubted, Known, NotAsked};
        if matches!(observation.elements, NotAsked | Known(_) | Doubted(_)) {
            let asked = self.ask_phone(&observation.frame, true, None);
            observation.elements = ElementsRequest::Pending(asked);
        }
        self.await_elements(recorder, observation, AS_LONG_AS_IT_TAKES).await?;
        Ok(())
    }

    /// Waits for the elements; returns whether they have just arrived.
    pub(super) async fn await_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
        patience: Duration,
    ) -> Result<bool, RunError> {
        let dumping =
            match std::mem::replace(&mut observation.elements, ElementsRequest::Unavailable) {
                ElementsRequest::Pending(asked) => asked.dumping,
                ElementsRequest::Known(tree) => {
                    self.has_elements(observation, tree);
                    return Ok(true);
                }
                // Already read, or given up.
                settled => {
                    observation.elements = settled;
                    return Ok(false);
                }
            };
        let Some(dump) = self.await_dump(dumping, patience).await? else { return Ok(false) };
        let Dump { said, read_at, certainty, .. } = dump;
        let Some(xml) = self.listed(recorder, observation, said).await? else { return Ok(false) };
        let bytes = xml.len();
        let read = read_and_store(recorder, xml, observation.state.secret_field).await?;
        let Some((elements, blob)) = read else {
            observation.elements = ElementsRequest::Unusable;
            return Ok(false);
        };
        let tree = ElementTree {
            bytes: bytes + elements.bytes(),
            elements: Arc::new(elements),
            blob,
            read_at,
            certainty,
            is_known: false,
            is_repeated: false,
        };
        self.has_elements(observation, tree);
        Ok(true)
    }

    /// What the phone has answered within this time, if it has; from that it is known how quick the phone is.
    async fn await_dump(
        &mut self,
        dumping: AbortOnDropHandle<Dump>,
        patience: Duration,
    ) -> Result<Option<Dump>, RunError> {
        let begun = Instant::now();
        let answered = self.cancel.race(timeout(patience, dumping)).await?;
        if BEFORE_AN_ACT <= patience {
            self.elements.act_waited = begun.elapsed();
        }
        match answered {
            Ok(Ok(dump)) => {
                self.elements.last = Some(dump.took);
                match &dump.said {
                    // With lists that cannot be used, a screen would soon be one that has none.
                    Ok(Ok(_) | Err(NoElements::Unusable(_))) => self.elements.silent = 0,
                    _ => self.elements.silent += 1,
                }
                Ok(Some(dump))
            }
            Ok(Err(panicked)) => {
                tracing::error!(device = %self.device.id(), "reading the elements: {panicked}");
                Ok(None)
            }
            Err(_late) => {
                self.elements.last = self.elements.last.max(Some(patience.max(GRACE) + GRACE));
                // A step that does nothing does not wait, so that says nothing of the phone.
                self.elements.silent += u32::from(BEFORE_AN_ACT <= patience);
                Ok(None)
            }
        }
    }

    /// The list that the phone gave. Why there is none is noted once where it refuses, and kept with the observation
    /// where it is out of reach.
    async fn listed(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
        said: Result<Result<String, NoElements>, DeviceError>,
    ) -> Result<Option<String>, RunError> {
        match said {
            Ok(Ok(listed)) => return Ok(Some(listed)),
            Ok(Err(NoElements::Unusable(why))) => {
                tracing::debug!(device = %self.device.id(), "elements: {why}");
                observation.elements = ElementsRequest::Unusable;
            }
            Ok(Err(NoElements::Restless | NoElements::Said(_) | NoElements::Because(_))) => {}
            Err(err @ DeviceError::Refused { .. }) => {
                if !std::mem::replace(&mut self.elements.refusal_noted, true) {
                    tracing::warn!(device = %self.device.id(), "elements: {}", error_chain(&err));
                    let text = format!("Without the screen's elements: {}.", error_chain(&err));
                    let kind = NoteKind::NoElements.into();
                    recorder.append(Fact::Note { kind, text, figures: Map::new() }).await?;
                }
            }
            Err(err) => {
                tracing::debug!(device = %self.device.id(), "elements: {}", error_chain(&err));
                // Listing them may take too long for a phone that is there.
                if err.is_unreachable() && !matches!(err, DeviceError::TimedOut { .. }) {
                    observation.elements = ElementsRequest::Unreachable(err);
                }
            }
        }
        Ok(None)
    }

    fn has_elements(&mut self, observation: &mut Observation, tree: ElementTree) {
        if self.last.is_current
            && let Some(screen) = &mut self.last.screen
        {
            screen.ui_tree.clone_from(&tree.blob);
        }
        observation.elements = ElementsRequest::Read(tree);
    }
}

/// The areas of password fields, and of elements that show a known secret.
pub(super) fn places_to_blacken(elements: &Elements, secrets: &SecretStore) -> Vec<[i32; 4]> {
    let shows_secret = |text: &str| secrets.contains_secret(text);
    let hidden = hidden_elements(elements, shows_secret, |text| secrets.places(text));
    hidden.into_iter().map(|it| it.bounds).collect()
}
