//! What the screen says it consists of. It is read while the model thinks, for the logs' sake; only
//! where a secret may be on the screen does anything wait for it.
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::{Observation, Observer};
use crate::elements::{Elements, without_passwords};
use crate::journal::{BlobRef, Fact, Observe, TargetRecord};
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::{DeviceError, Gesture, KeepElements, KeepText, error_chain};

/// What a decision waits for elements that are nearly there, on phones that are quick with them.
const GRACE: Duration = Duration::from_millis(150);
/// A phone that is always late is asked at one step in two to the power of this.
const MAX_BACKOFF: u32 = 4;
/// What the last step of a run waits for them: a last picture is worth more with its elements.
const LAST_STEP: Duration = Duration::from_secs(1);
/// Longer than any phone's own limit.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(30);

/// What the phone answered, and how long that took.
type Dump = (Result<Option<String>, DeviceError>, Duration);

/// How far the reading of one screen's elements has come.
#[derive(Debug)]
pub(in crate::run) enum ElementsRequest {
    /// Nobody asked.
    NotAsked,
    /// The phone is at it. Dropped, it is no longer waited for.
    Pending(AbortOnDropHandle<Dump>),
    /// There are none to be had.
    Unavailable,
    /// Here they are.
    Read(ElementTree),
}

/// Elements, and where their dump is stored.
#[derive(Debug)]
pub(in crate::run) struct ElementTree {
    pub(in crate::run) elements: Elements,
    pub(super) blob: Option<BlobRef>,
}

/// How the phone has kept up so far.
#[derive(Debug, Default)]
pub(super) struct ElementsTiming {
    /// How long it took when it was last asked.
    last: Option<Duration>,
    /// How often in a row it was too late.
    late: u32,
}

impl ElementsRequest {
    pub(in crate::run) fn tree(&self) -> Option<&ElementTree> {
        match self {
            Self::Read(tree) => Some(tree),
            Self::NotAsked | Self::Pending(_) | Self::Unavailable => None,
        }
    }
}

impl Observation {
    /// The element a gesture is aimed at, where the elements are known.
    pub(in crate::run) fn target(&self, gesture: &Gesture) -> Option<TargetRecord> {
        let tree = self.elements.tree()?;
        let point = match gesture {
            Gesture::Click { point }
            | Gesture::DoubleClick { point }
            | Gesture::LongPress { point, .. } => Some(*point),
            Gesture::Type { point, .. } => *point,
            Gesture::Scroll { at, .. } => *at,
            Gesture::Slide { from, .. } | Gesture::Drag { from, .. } => Some(*from),
            Gesture::Awake { .. } | Gesture::HotKey { .. } => None,
        };
        tree.elements.target_at(point?.to_pixel(self.frame.size()))
    }
}

impl Observer {
    /// Asks the phone for its elements, where that is wanted, and does not wait.
    pub(super) fn request_elements(&self, recorder: &Recorder, secret: bool) -> ElementsRequest {
        let wanted = match recorder.privacy().elements {
            KeepElements::Always => true,
            // A phone that was late again and again is asked less and less.
            KeepElements::Auto => {
                let every = 1 << self.elements.late.min(MAX_BACKOFF);
                recorder.session().counts.steps.is_multiple_of(every)
            }
            KeepElements::Never => false,
        };
        if wanted || secret { self.ask_phone() } else { ElementsRequest::NotAsked }
    }

    fn ask_phone(&self) -> ElementsRequest {
        let device = self.device.clone();
        let asking = async move {
            let begun = Instant::now();
            let dump = device.ui_tree().await;
            (dump, begun.elapsed())
        };
        ElementsRequest::Pending(AbortOnDropHandle::new(tokio::spawn(asking)))
    }

    /// How long the elements of a step are waited for, once it is decided whether it ends the run.
    pub(in crate::run) fn patience(&self, recorder: &Recorder, ends_run: bool) -> Duration {
        match recorder.privacy().elements {
            KeepElements::Always => AS_LONG_AS_IT_TAKES,
            KeepElements::Never => Duration::ZERO,
            KeepElements::Auto if ends_run => LAST_STEP,
            // A phone that took longer before takes longer again.
            KeepElements::Auto if self.elements.last.is_some_and(|took| GRACE < took) => {
                Duration::ZERO
            }
            KeepElements::Auto => GRACE,
        }
    }

    /// Takes in the elements, if they come in time, and records them. Afterwards the phone is no
    /// longer waited for.
    pub(in crate::run) async fn read_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
        patience: Duration,
    ) -> Result<(), RunError> {
        if LAST_STEP <= patience && matches!(observation.elements, ElementsRequest::NotAsked) {
            observation.elements = self.ask_phone();
        }
        if !self.await_elements(recorder, observation, patience).await? {
            return Ok(());
        }
        let Some(blob) = observation.elements.tree().and_then(|tree| tree.blob.clone()) else {
            return Ok(());
        };
        let record = Observe {
            screenshot: None,
            screenshot_size: None,
            ui_tree: Some(blob),
            ..observation.record.clone()
        };
        recorder.append(Fact::Observe(record)).await?;
        Ok(())
    }

    /// Waits for the elements as long as the phone takes.
    pub(super) async fn insist_on_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        if matches!(observation.elements, ElementsRequest::NotAsked) {
            observation.elements = self.ask_phone();
        }
        self.await_elements(recorder, observation, AS_LONG_AS_IT_TAKES).await?;
        Ok(())
    }

    /// Waits for the elements; true when they are new.
    pub(super) async fn await_elements(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
        patience: Duration,
    ) -> Result<bool, RunError> {
        let handle =
            match std::mem::replace(&mut observation.elements, ElementsRequest::Unavailable) {
                ElementsRequest::Pending(handle) => handle,
                // What is known stays known.
                settled => {
                    observation.elements = settled;
                    return Ok(false);
                }
            };
        let dump = match self.cancel.race(timeout(patience, handle)).await? {
            Ok(Ok((dump, took))) => {
                self.elements = ElementsTiming { last: Some(took), late: 0 };
                dump
            }
            Ok(Err(panicked)) => {
                tracing::error!(device = %self.device.id(), "reading the elements: {panicked}");
                return Ok(false);
            }
            Err(_late) => {
                self.elements.last = Some(patience.max(GRACE) + GRACE);
                self.elements.late += 1;
                return Ok(false);
            }
        };
        let xml = match dump {
            Ok(Some(xml)) => xml,
            Ok(None) => return Ok(false),
            Err(err) => {
                tracing::debug!(device = %self.device.id(), "elements: {}", error_chain(&err));
                return Ok(false);
            }
        };
        let Some(elements) = Elements::read(&xml) else { return Ok(false) };
        let stored = match recorder.privacy().text {
            KeepText::Full => Some(xml),
            KeepText::Redacted => Some(recorder.redact(&without_passwords(&xml)).into_owned()),
            KeepText::Metadata => None,
        };
        let blob = match stored {
            Some(xml) => Some(recorder.store(xml.into(), "application/xml").await?),
            None => None,
        };
        if self.is_current
            && let Some(screen) = &mut self.last_screen
        {
            screen.ui_tree.clone_from(&blob);
        }
        observation.elements = ElementsRequest::Read(ElementTree { elements, blob });
        Ok(true)
    }
}

/// Places of the frame that must not be stored: fields that hide what is typed, and elements that show
/// a secret all the same.
pub(super) fn places_to_blacken(
    elements: &Elements,
    shows_secret: impl Fn(&str) -> bool,
) -> Vec<[i32; 4]> {
    let secret = |it: &&crate::Element| {
        it.password || shows_secret(&it.text) || shows_secret(&it.description)
    };
    elements.iter().filter(secret).map(|it| it.bounds).collect()
}
