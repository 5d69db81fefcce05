//! The elements of screens on which this run has acted before. A phone takes seconds to list them: what looks exactly
//! as it did then, in the same place of the same app, is not listed again for an act that nothing speaks against.
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use tokio::time::Instant;

use super::dump::Certainty;
use super::elements::{ElementTree, ElementsRequest};
use super::screen_key::ScreenKey;
use super::{Observation, Observer};
use crate::gate::{as_slide, presses_enter};
use crate::{Gesture, KeepElements, Point, PrivacySettings};

/// How many bytes are kept of dumps and of what was read from them.
const MOST_BYTES: usize = 1 << 20;
/// How many screens are remembered.
const MOST_SCREENS: usize = 16;
/// How often they are used before the phone is asked again.
const MOST_USES: u32 = 8;

/// What is known of one screen.
#[derive(Debug)]
struct KnownScreen {
    screen: ScreenKey,
    tree: ElementTree,
    /// It was seen to be exactly the same after the elements were read, or the phone has said the same of it twice.
    is_certain: bool,
    /// The phone has said the same of it twice.
    is_repeated: bool,
    uses: u32,
}

/// The elements of screens, those that were used last at the end.
#[derive(Debug, Default)]
pub(super) struct KnownElements(VecDeque<KnownScreen>);

impl KnownElements {
    fn of(&self, screen: &ScreenKey) -> Option<&KnownScreen> {
        self.0.iter().find(|known| known.screen == *screen)
    }

    fn remember(&mut self, screen: ScreenKey, tree: ElementTree) {
        let before = self.of(&screen);
        // Lists that were requested with the same earlier screen may both be of that.
        let is_repeated = before.is_some_and(|it| {
            it.tree.elements == tree.elements
                && [&it.tree, &tree].iter().any(|it| it.certainty != Certainty::Reused)
        });
        let is_certain = tree.certainty == Certainty::Confirmed || is_repeated;
        self.0.retain(|known| known.screen != screen);
        if tree.bytes <= MOST_BYTES {
            self.0.push_back(KnownScreen { screen, tree, is_certain, is_repeated, uses: 0 });
        }
        while MOST_SCREENS < self.0.len() || MOST_BYTES < self.bytes() {
            self.0.pop_front();
        }
    }

    fn used(&mut self, screen: &ScreenKey) {
        if let Some(at) = self.0.iter().position(|known| known.screen == *screen)
            && let Some(mut known) = self.0.remove(at)
        {
            known.uses += 1;
            self.0.push_back(known);
        }
    }

    /// Forgets all screens of this app; all there are if it is not known which.
    fn forget(&mut self, app: Option<&str>) {
        self.0.retain(|known| app.is_some_and(|app| known.screen.package() != app));
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|known| known.tree.bytes).sum()
    }
}

impl Observer {
    /// The elements of such a screen, if they are certainly its own. They count as read when it was seen. Where no act
    /// has to wait for them, nothing is gained by them.
    pub(super) fn known_elements(
        &self,
        privacy: PrivacySettings,
        screen: Option<&ScreenKey>,
        seen_at: Instant,
    ) -> Option<ElementTree> {
        // Who keeps the elements of every step wants to know what the phone says then.
        let is_wanted = privacy.elements != KeepElements::Always;
        let known = self.known.of(screen?).filter(|it| it.is_certain && it.uses < MOST_USES)?;
        if !is_wanted || !self.elements.keeps_acts_waiting() {
            return None;
        }
        let is_repeated = known.is_repeated;
        Some(ElementTree { is_known: true, is_repeated, read_at: seen_at, ..known.tree.clone() })
    }

    /// Remembers the elements of a screen on which this is about to be done. Where something is typed, and where adb
    /// does something beside the screen, what is known is forgotten: drafts and addressees may go on where no picture
    /// shows them.
    pub(in crate::run) fn remember_elements(
        &mut self,
        gesture: &Gesture,
        observation: &Observation,
    ) {
        match gesture {
            Gesture::Type { .. } => return self.known.forget(observation.app.as_deref()),
            Gesture::Command(_) => return self.forget_screens(),
            _ => {}
        }
        let (Some(screen), Some(tree)) = (&observation.screen, observation.elements.tree()) else {
            return;
        };
        if tree.is_known {
            return self.known.used(screen);
        }
        // A page may lay something else under the finger that nobody sees.
        let may_be_known = observation.record.settled && !tree.elements.has_page();
        if may_be_known && !observation.has_moved_since() {
            self.known.remember(screen.clone(), tree.clone());
        }
    }

    /// Forgets all screens: a person may have done something on the phone.
    pub(in crate::run) fn forget_screens(&mut self) {
        self.reusable_dump = None;
        self.known = KnownElements::default();
    }
}

impl Observation {
    /// Has the phone asked for the elements if they are known from before and do not tell what this gesture is for: a
    /// page may have told less of itself then, unless it has said the same twice. What is typed may be secret: there
    /// the phone is always asked.
    pub(in crate::run) fn doubt_known_elements(&mut self, gesture: &Gesture) {
        let Some(tree) = self.elements.known() else { return };
        let size = self.frame.size();
        let tells = |place: &Point| tree.elements.tells(place.to_pixel(size));
        let types = matches!(gesture, Gesture::Type { .. }) || presses_enter(gesture);
        let touch = as_slide(gesture);
        let points = touch.as_ref().unwrap_or(gesture).points();
        if types || !tree.is_repeated && !points.iter().all(tells) {
            self.ask_again_for_elements();
        }
    }

    /// Has the phone asked for the elements if they are known from before, and it was not asked again yet. Whether
    /// that is so.
    pub(in crate::run) fn ask_again_for_elements(&mut self) -> bool {
        let Some(known) = self.elements.known().cloned() else { return false };
        if std::mem::replace(&mut self.asked_again, true) {
            return false;
        }
        self.elements = ElementsRequest::Doubted(known);
        true
    }
}
