//! What is recorded of a screen.
use std::time::Duration;

use crate::journal::{BlobRef, Observe};
use crate::run::millis;
use crate::settle::ScreenCapture;
use crate::{Picture, ScreenState};

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
        ui_tree_known: false,
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
