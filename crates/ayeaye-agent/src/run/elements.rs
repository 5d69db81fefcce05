//! What the screen says it consists of. It is read while the model thinks, for the logs' sake; only
//! where a secret may be on the screen does anything wait for it.
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::look::Seen;
use super::{Run, RunEnd};
use crate::elements::{Elements, without_passwords};
use crate::error_chain;
use crate::journal::{BlobRef, Fact, Observe, TargetRecord};
use crate::{Action, DeviceError, Gesture, KeepElements, KeepImages, KeepText};

/// What a decision waits for elements that are nearly there, on phones that are quick with them.
const GRACE: Duration = Duration::from_millis(150);
/// A phone that is always late is asked at one step in two to the power of this.
const MOST_SELDOM: u32 = 4;
/// What the end of a task waits for them: a last picture is worth more with its elements.
const AT_THE_END: Duration = Duration::from_secs(1);
/// Longer than any phone's own limit.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(30);

type Dump = (Result<Option<String>, DeviceError>, Duration);

/// How far the reading of one screen's elements has come.
#[derive(Debug)]
pub(super) enum Reading {
    /// Nobody asked.
    Unasked,
    /// The phone is at it. Dropped, it is no longer waited for.
    UnderWay(AbortOnDropHandle<Dump>),
    /// There are none to be had.
    Without,
    /// Here they are.
    Known(Tree),
}

/// Elements, and where their dump is kept.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) elements: Elements,
    pub(super) blob: Option<BlobRef>,
}

impl Reading {
    pub(super) fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Known(tree) => Some(tree),
            Self::Unasked | Self::UnderWay(_) | Self::Without => None,
        }
    }
}

impl Run {
    /// Whether a picture may show a secret.
    pub(super) fn is_delicate(&self, secret_field: bool) -> bool {
        self.deps.privacy.images == KeepImages::Redacted
            && (secret_field || !self.secrets.has_none())
    }

    /// Asks the phone, if that is wanted, and does not wait.
    pub(super) fn ask_elements(&self, delicate: bool) -> Reading {
        let wanted = match self.deps.privacy.elements {
            KeepElements::Always => true,
            // A phone that was late again and again is asked less and less.
            KeepElements::Auto => {
                let seldom = 1 << self.memory.elements_late.min(MOST_SELDOM);
                self.session.counts.steps.is_multiple_of(seldom)
            }
            KeepElements::Never => false,
        };
        if !wanted && !delicate {
            return Reading::Unasked;
        }
        let device = self.device.clone();
        let asking = async move {
            let begun = Instant::now();
            let dump = device.ui_tree().await;
            (dump, begun.elapsed())
        };
        Reading::UnderWay(AbortOnDropHandle::new(tokio::spawn(asking)))
    }

    /// How long elements are waited for once this has been decided.
    pub(super) fn patience(&self, action: &Action) -> Duration {
        let ends = matches!(action, Action::Complete { .. } | Action::Abort { .. });
        match self.deps.privacy.elements {
            KeepElements::Always => AS_LONG_AS_IT_TAKES,
            KeepElements::Never => Duration::ZERO,
            KeepElements::Auto if ends => AT_THE_END,
            // A phone that took longer before takes longer again.
            KeepElements::Auto if self.memory.elements_took.is_some_and(|took| GRACE < took) => {
                Duration::ZERO
            }
            KeepElements::Auto => GRACE,
        }
    }

    /// Takes note of the elements, if they come in time, and records them.
    pub(super) async fn know_elements(
        &mut self,
        seen: &mut Seen,
        patience: Duration,
    ) -> Result<(), RunEnd> {
        if AT_THE_END <= patience && matches!(seen.reading, Reading::Unasked) {
            seen.reading = self.ask_elements(true);
        }
        if !self.settle_elements(seen, patience).await? {
            return Ok(());
        }
        let Some(blob) = seen.reading.tree().and_then(|tree| tree.blob.clone()) else {
            return Ok(());
        };
        let facts = Observe {
            screenshot: None,
            screenshot_size: None,
            ui_tree: Some(blob),
            ..seen.facts.clone()
        };
        self.append(Fact::Observe(facts)).await
    }

    /// Waits for the elements; true when they are new. Afterwards the phone is not at it any more.
    pub(super) async fn settle_elements(
        &mut self,
        seen: &mut Seen,
        patience: Duration,
    ) -> Result<bool, RunEnd> {
        let handle = match std::mem::replace(&mut seen.reading, Reading::Without) {
            Reading::UnderWay(handle) => handle,
            // What is known stays known.
            settled => {
                seen.reading = settled;
                return Ok(false);
            }
        };
        let dump = match self.cancel.race(timeout(patience, handle)).await? {
            Ok(Ok((dump, took))) => {
                self.memory.elements_took = Some(took);
                self.memory.elements_late = 0;
                dump
            }
            Ok(Err(panicked)) => {
                tracing::error!(device = %self.device.id(), "reading the elements: {panicked}");
                return Ok(false);
            }
            Err(_late) => {
                self.memory.elements_took = Some(patience.max(GRACE) + GRACE);
                self.memory.elements_late += 1;
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
        let kept = match self.deps.privacy.text {
            KeepText::Full => Some(xml),
            KeepText::Redacted => Some(self.secrets.redact(&without_passwords(&xml)).into_owned()),
            KeepText::Metadata => None,
        };
        let blob = match kept {
            Some(xml) => Some(self.record.store_blob(xml.into(), "application/xml").await?),
            None => None,
        };
        if let Some(screen) = &mut self.memory.last_screen {
            screen.ui_tree.clone_from(&blob);
        }
        seen.reading = Reading::Known(Tree { elements, blob });
        Ok(true)
    }

    /// Waits for the elements as long as the phone takes.
    pub(super) async fn insist_on_elements(&mut self, seen: &mut Seen) -> Result<(), RunEnd> {
        self.settle_elements(seen, AS_LONG_AS_IT_TAKES).await.map(drop)
    }
}

/// Places of the frame that must not be kept: fields that hide what is typed, and elements that show
/// a secret all the same.
pub(super) fn delicate_places(
    elements: &Elements,
    shows_secret: impl Fn(&str) -> bool,
) -> Vec<[i32; 4]> {
    let delicate = |it: &&crate::Element| {
        it.password || shows_secret(&it.text) || shows_secret(&it.description)
    };
    elements.iter().filter(delicate).map(|it| it.bounds).collect()
}

/// The element a gesture is aimed at.
pub(super) fn target(gesture: &Gesture, seen: &Seen) -> Option<TargetRecord> {
    let tree = seen.reading.tree()?;
    let point = match gesture {
        Gesture::Click { point }
        | Gesture::DoubleClick { point }
        | Gesture::LongPress { point, .. } => Some(*point),
        Gesture::Type { point, .. } => *point,
        Gesture::Scroll { at, .. } => *at,
        Gesture::Slide { from, .. } | Gesture::Drag { from, .. } => Some(*from),
        Gesture::Awake { .. } | Gesture::HotKey { .. } => None,
    };
    let run_info = point?.to_pixel(seen.frame.size());
    tree.elements.at(run_info).map(TargetRecord::from)
}
