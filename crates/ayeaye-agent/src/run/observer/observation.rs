//! A screen as it was seen, and what is recorded of it.
use std::time::Duration;

use tokio::time::Instant;

use super::early::Proof;
use super::elements::ElementsRequest;
use super::watch::ScreenWatch;
use crate::journal::{BlobRef, Observe};
use crate::run::millis;
use crate::run::recorder::StoredPicture;
use crate::settle::ScreenCapture;
use crate::{Frame, Picture, ScreenState};

/// The screen of one step.
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
    pub(in crate::run) elements: ElementsRequest,
    /// What is black on the picture that models are sent.
    pub(super) hidden: Vec<[i32; 4]>,
    /// What should be black on it is not known.
    pub(super) unredacted: bool,
    /// What it shows in words, where its app protects it from being captured.
    pub(in crate::run) words: Option<String>,
    /// When it was seen.
    pub(in crate::run) seen_at: Instant,
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

    /// About how long one look takes.
    pub(super) fn look_time(&self) -> Duration {
        let each = self.record.settle_ms / f64::from(self.record.captures.max(1));
        Duration::try_from_secs_f64(each / 1e3).unwrap_or_default()
    }
}

/// The stored parts of a screen.
#[derive(Debug, Clone, Default)]
pub(in crate::run) struct StoredScreen {
    pub(in crate::run) screenshot: Option<BlobRef>,
    pub(in crate::run) ui_tree: Option<BlobRef>,
}

/// The record of a screen whose picture is not stored yet.
pub(super) fn observe_record(
    capture: &ScreenCapture,
    state: &ScreenState,
    picture: &Picture,
    encoded: Duration,
) -> Observe {
    let size = capture.frame.size();
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
        app_name: String::new(),
        screen_on: state.awake,
        display: None,
        capture: None,
        protected: state.protected,
        blackened: 0,
        captures: capture.captures,
        settled: capture.settled,
        first_look_ms: capture.first_look.map(millis),
        guesses: 0,
        guessed_right: false,
        settle_ms: millis(capture.took),
        encode_ms: millis(encoded),
    }
}
