//! The elements of screens on which this run has acted before. A phone takes seconds to list them: what looks exactly
//! as it did then, in the same place of the same app, is not listed again.
use std::collections::VecDeque;

use tokio::time::Instant;

use super::elements::{ElementTree, ElementsRequest};
use super::{Observation, Observer};
use crate::gate::presses_enter;
use crate::journal::DisplayRecord;
use crate::settle::below_status_bar;
use crate::{
    Component, Frame, Gesture, KeepElements, Point, PrivacySettings, ScreenSize, ScreenState,
};

/// How many bytes of dumps are kept by what was read from them, which is about as large.
const MOST_BYTES: usize = 1 << 20;
/// How many screens are remembered.
const MOST_SCREENS: usize = 16;

/// What a screen is known by: its pixels, without the status bar with its clock, and where it was.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScreenKey {
    front: Component,
    display: Option<DisplayRecord>,
    size: ScreenSize,
    pixels: u64,
}

impl ScreenKey {
    /// `None` of a screen that may look as another one: its app hides it from captures, a field hides what is typed,
    /// or the phone does not say which app it is of.
    pub(super) fn new(
        frame: &Frame,
        state: &ScreenState,
        display: Option<DisplayRecord>,
    ) -> Option<Self> {
        let front = state.foreground.clone()?;
        let (size, hides) = (frame.size(), state.protected || state.secret_field);
        let pixels = || frame.rows_hash(below_status_bar(size));
        (!hides).then(|| Self { front, display, size, pixels: pixels() })
    }
}

/// The elements of screens, the latest last.
#[derive(Debug, Default)]
pub(super) struct KnownElements(VecDeque<(ScreenKey, ElementTree)>);

impl KnownElements {
    fn of(&self, key: &ScreenKey) -> Option<&ElementTree> {
        self.0.iter().rev().find(|(known, _)| known == key).map(|(_, tree)| tree)
    }

    fn remember(&mut self, key: ScreenKey, mut tree: ElementTree) {
        tree.is_repeated = self.of(&key).is_some_and(|it| it.elements == tree.elements);
        self.0.retain(|(known, _)| *known != key);
        self.0.push_back((key, tree));
        while MOST_SCREENS < self.0.len() || MOST_BYTES < self.bytes() {
            self.0.pop_front();
        }
    }

    /// Forgets all screens of this activity of an app.
    fn forget(&mut self, app: Option<&str>, activity: &str) {
        let front = |it: &Component| Some(it.package.as_str()) == app && it.activity == activity;
        self.0.retain(|(known, _)| !front(&known.front));
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(_, tree)| tree.bytes).sum()
    }
}

impl Observer {
    /// The elements of such a screen, if this run has acted on it before. They count as read when it was seen.
    pub(super) fn known_elements(
        &self,
        privacy: PrivacySettings,
        screen: Option<&ScreenKey>,
        seen_at: Instant,
    ) -> Option<ElementTree> {
        // Who keeps the elements of every step wants to know what the phone says then.
        let may_know = privacy.elements != KeepElements::Always;
        let known = self.known.of(screen?).filter(|_| may_know)?;
        Some(ElementTree { is_known: true, read_at: seen_at, ..known.clone() })
    }

    /// Remembers the elements of a screen on which this is about to be done, if they are certainly its own. Where
    /// something is typed all are forgotten: a draft or its addressees may go on where no picture shows it.
    pub(in crate::run) fn remember_elements(
        &mut self,
        gesture: &Gesture,
        observation: &Observation,
    ) {
        if matches!(gesture, Gesture::Type { .. }) {
            self.known.forget(observation.app.as_deref(), observation.activity());
            return;
        }
        let (Some(screen), Some(tree)) = (&observation.screen, observation.elements.tree()) else {
            return;
        };
        let is_sure = observation.record.settled && observation.still_looked_so(tree);
        // A page may lay something else under the finger that nobody sees.
        if !tree.is_known && is_sure && !tree.elements.has_page() {
            self.known.remember(screen.clone(), tree.clone());
        }
    }
}

impl Observation {
    /// Has the phone asked for the elements if they are known from before and do not tell what this gesture is for: a
    /// page may have told less of itself then, unless it has said the same twice. What is typed may be secret: there
    /// the phone is always asked.
    pub(in crate::run) fn doubt_known_elements(&mut self, gesture: &Gesture) {
        let Some(tree) = self.elements.tree().filter(|tree| tree.is_known) else { return };
        let size = self.frame.size();
        let tells = |place: &Point| {
            let elements = &tree.elements;
            elements.at(place.to_pixel(size)).is_some_and(|it| !elements.label(it).is_empty())
        };
        let types = matches!(gesture, Gesture::Type { .. }) || presses_enter(gesture);
        if types || !tree.is_repeated && !gesture.points().iter().all(tells) {
            self.forget_known_elements();
        }
    }

    /// Has the phone asked for the elements if they are known from before.
    pub(in crate::run) fn forget_known_elements(&mut self) {
        if self.elements.tree().is_some_and(|tree| tree.is_known) {
            self.elements = ElementsRequest::NotAsked;
            self.record.ui_tree = None;
        }
    }
}
