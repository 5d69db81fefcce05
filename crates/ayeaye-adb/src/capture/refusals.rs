//! What a phone refused while one capture was tried for, and what is told of it where none came.
use ayeaye_agent::DeviceError;

use super::choice::{CaptureWay, Choice};
use super::{BEGINNING, WHAT};
use crate::client::DeviceClient;

/// The ways that gave nothing, and why.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    reasons: Vec<(CaptureWay, String)>,
    /// Not even a PNG came in the last attempt.
    no_picture: bool,
    /// What the phone prints in whatever way it is asked, in place of a picture.
    printed: Option<String>,
}

impl Refusals {
    pub(super) fn begin_attempt(&mut self) {
        self.no_picture = false;
    }

    pub(super) fn add(&mut self, way: CaptureWay, reason: &str) {
        self.reasons.push((way, format!("{}: {reason}", way.name())));
    }

    /// A PNG is what every phone has: without one there is no picture at all.
    pub(super) fn add_png(&mut self, client: &DeviceClient, reason: &str) -> DeviceError {
        self.no_picture = true;
        self.reasons.retain(|(way, _)| *way != CaptureWay::Png);
        let png = if self.is_empty() { reason.to_owned() } else { format!("PNG: {reason}") };
        let others = self.reasons.iter().map(|(_, reason)| reason.as_str());
        let all: Vec<&str> = others.chain([png.as_str()]).collect();
        let error = client.garbled(WHAT, all.join("; "));
        self.printed = printed_by_all(&all).map(ToOwned::to_owned);
        error
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Whether adb's own service is the way that is left.
    pub(super) fn leave_framebuffer(&self) -> bool {
        self.no_picture && !self.has(CaptureWay::Framebuffer)
    }

    fn has(&self, way: CaptureWay) -> bool {
        self.reasons.iter().any(|(refused, _)| *refused == way)
    }

    /// Where no way gave anything, none is worse than another.
    pub(super) fn forgive(&self, choice: &mut Choice) {
        for (way, _) in &self.reasons {
            choice.forgive(*way);
        }
        if self.has(CaptureWay::Framebuffer) {
            choice.forgive(CaptureWay::Raw);
            choice.forgive(CaptureWay::Png);
        }
    }

    /// What is told of all of them, where this one came last.
    pub(super) fn into_error(self, client: &DeviceClient, last: DeviceError) -> DeviceError {
        match self.printed.filter(|_| self.no_picture) {
            Some(said) => DeviceError::CannotCapture { id: client.id().clone(), said },
            None => last,
        }
    }
}

/// The words that came in every way in which anything came, of reasons as [`describe`](super::describe) has them. A
/// damaged picture is none.
fn printed_by_all<'a>(reasons: &[&'a str]) -> Option<&'a str> {
    let is_silent = |reason: &&&str| {
        let told = reason.rsplit_once(": ").map_or(**reason, |(_, told)| told);
        matches!(told, "0 bytes came" | "refused")
    };
    let words = |reason: &&'a str| {
        let (_, behind) = reason.split_once(BEGINNING)?;
        let (words, _) = behind.rsplit_once('`')?;
        let is_text = !words.contains('\u{fffd}') && words.chars().any(char::is_alphabetic);
        is_text.then_some(words)
    };
    let mut all = reasons.iter().filter(|reason| !is_silent(reason)).map(words);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
