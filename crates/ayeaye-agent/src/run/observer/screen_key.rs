//! By what a screen is known again.
use crate::journal::DisplayRecord;
use crate::settle::below_status_bar;
use crate::{Component, Frame, ScreenSize, ScreenState};

/// Identifies a screen by its pixels, without the status bar, and by the app and window it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScreenKey {
    front: Component,
    display: Option<DisplayRecord>,
    size: ScreenSize,
    pixels: u64,
}

impl ScreenKey {
    /// The key of a screen. `None` if different screens may look the same: the app hides it from captures, a field
    /// hides typed text, or the phone does not say which app is in front.
    pub(super) fn new(
        frame: &Frame,
        state: &ScreenState,
        display: Option<DisplayRecord>,
    ) -> Option<Self> {
        let front = state.foreground.clone()?;
        let (size, hides) = (frame.size(), state.protected || state.secret_field);
        (!hides).then(|| Self { front, display, size, pixels: pixels_of(frame) })
    }

    /// Package of the app in front.
    pub(super) fn package(&self) -> &str {
        &self.front.package
    }

    /// Whether a frame of the same phone has the same pixels.
    pub(super) fn is_of(&self, frame: &Frame) -> bool {
        self.size == frame.size() && self.pixels == pixels_of(frame)
    }
}

fn pixels_of(frame: &Frame) -> u64 {
    frame.pixels_hash(below_status_bar(frame.size()))
}

#[cfg(test)]
pub(super) mod tests {
    use bytes::Bytes;

    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 20, height: 400 };
    /// The first row below the status bar.
    const FIRST_ROW: usize = 18;

    pub(crate) fn state(package: &str, activity: &str) -> ScreenState {
        let front = Component { package: package.to_owned(), activity: activity.to_owned() };
        ScreenState {
            awake: true,
            locked: false,
            app_over_lock: false,
            foreground: Some(front),
            protected: false,
            keyboard_shown: false,
            secret_field: false,
        }
    }

    /// A grey screen with one pixel of another shade in this row.
    fn frame(size: ScreenSize, row: usize) -> Frame {
        let mut rgba = vec![90; (size.width * size.height * 4) as usize];
        rgba[row * size.width as usize * 4] = 91;
        Frame::new(size, Bytes::from(rgba)).unwrap()
    }

    pub(crate) fn key(row: usize, state: &ScreenState) -> Option<ScreenKey> {
        ScreenKey::new(&frame(SIZE, row), state, None)
    }

    #[test]
    fn a_screen_is_known_by_its_pixels_below_the_clock_and_where_it_is() {
        let chat = state("chat", ".Main");
        let known = key(3, &chat).unwrap();
        assert_eq!(key(FIRST_ROW - 1, &chat), Some(known.clone()), "the clock");
        for row in [FIRST_ROW, FIRST_ROW + 13, FIRST_ROW + 14, 399] {
            assert_ne!(key(row, &chat), Some(known.clone()), "row {row}");
        }
        assert!(known.is_of(&frame(SIZE, 3)) && !known.is_of(&frame(SIZE, 200)));
        for other in [state("chat", ".Pay"), state("bank", ".Main")] {
            assert_ne!(key(3, &other), Some(known.clone()));
        }
        let other_size = ScreenSize { width: 40, height: 200 };
        assert!(!known.is_of(&frame(other_size, 3)));
        let folded = DisplayRecord { id: 1, panel: "7".to_owned(), posture: None };
        assert_ne!(ScreenKey::new(&frame(SIZE, 3), &chat, Some(folded)), Some(known));
    }

    #[test]
    fn screens_that_look_alike_without_being_so_are_not_known() {
        let chat = state("chat", ".Main");
        for state in [
            ScreenState { protected: true, ..chat.clone() },
            ScreenState { secret_field: true, ..chat.clone() },
            ScreenState { foreground: None, ..chat },
        ] {
            assert_eq!(key(3, &state), None);
        }
    }
}
