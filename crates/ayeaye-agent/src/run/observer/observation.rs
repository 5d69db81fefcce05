//! The screen of one step, as it was seen and as it is told.
use std::time::Duration;

use tokio::time::Instant;

use super::super::recorder::StoredPicture;
use super::clocks::Clocks;
use super::early::Proof;
use super::elements::ElementsRequest;
use super::screen_key::ScreenKey;
use super::watch::ScreenWatch;
use crate::Frame;
use crate::journal::Observe;

/// The screen of one step.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(in crate::run) struct Observation {
    pub(in crate::run) frame: Frame,
    /// As sent to the model.
    pub(in crate::run) picture: StoredPicture,
    /// What may be stored of it is.
    pub(super) stored: bool,
    /// Package of the app in front, when the phone says.
    pub(in crate::run) app: Option<String>,
    /// Its name in the phone's language, where that is known.
    pub(in crate::run) app_name: Option<String>,
    /// The field in focus hides what is typed into it.
    pub(in crate::run) secret_field: bool,
    /// The keyboard is shown.
    pub(in crate::run) keyboard_shown: bool,
    pub(in crate::run) elements: ElementsRequest,
    /// What it is known by, where it can be.
    pub(super) screen: Option<ScreenKey>,
    /// The phone was asked for elements that were known.
    pub(super) asked_again: bool,
    /// What is black on the picture that models are sent.
    pub(super) hidden: Vec<[i32; 4]>,
    /// What should be black on it is not known.
    pub(super) unredacted: bool,
    /// The screen is off, and is left so: the model has pressed POWER.
    pub(in crate::run) dark: bool,
    /// What it shows in words, where its app protects it from being captured.
    pub(in crate::run) words: Option<String>,
    /// When it was seen: its capture began then.
    pub(in crate::run) seen_at: Instant,
    /// A little later.
    pub(super) prepared_at: Clocks,
    /// Looks at the screen while a model thinks.
    pub(in crate::run) watch: Option<ScreenWatch>,
    /// It may still move: whether it does is being seen.
    pub(super) proof: Option<Box<Proof>>,
    pub(super) record: Observe,
}

impl Observation {
    /// Activity of the app in front; empty when the phone did not say.
    pub(in crate::run) fn activity(&self) -> &str {
        &self.record.activity
    }

    /// The phone said that the screen was off, whoever has switched it off: the frame may be of before.
    pub(in crate::run) fn is_off(&self) -> bool {
        !self.record.screen_on
    }

    /// About how long one look takes.
    pub(super) fn look_time(&self) -> Duration {
        let each = self.record.settle_ms / f64::from(self.record.captures.max(1));
        Duration::try_from_secs_f64(each / 1e3).unwrap_or_default()
    }
}
