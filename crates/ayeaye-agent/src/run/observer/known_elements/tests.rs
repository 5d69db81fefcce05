//! What a screen is known by, and how much is kept.
use std::sync::Arc;

use bytes::Bytes;

use super::*;
use crate::Elements;

const SIZE: ScreenSize = ScreenSize { width: 20, height: 400 };
/// The first row below the status bar.
const FIRST_ROW: usize = 18;

fn state(package: &str, activity: &str) -> ScreenState {
    let front = Component { package: package.to_owned(), activity: activity.to_owned() };
    ScreenState {
        awake: true,
        locked: false,
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

fn key(row: usize, state: &ScreenState) -> Option<ScreenKey> {
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

fn tree(name: &str, bytes: usize) -> ElementTree {
    let dump = format!(r#"<hierarchy><node text="{name}" bounds="[0,0][9,9]"/></hierarchy>"#);
    ElementTree {
        elements: Arc::new(Elements::read(&dump).unwrap()),
        blob: None,
        read_at: Instant::now(),
        is_confirmed: false,
        is_known: false,
        is_repeated: false,
        bytes,
    }
}

#[tokio::test]
async fn what_the_phone_has_said_once_is_certain_only_if_the_screen_was_seen_again() {
    let screen = |row| key(row, &state("chat", ".Main")).unwrap();
    let mut known = KnownElements::default();
    let certain = |known: &KnownElements, row| known.of(&screen(row)).map(|it| it.is_certain);
    known.remember(screen(30), tree("Next", 9), false);
    assert_eq!(certain(&known, 30), Some(false));
    known.remember(screen(30), tree("Buy", 9), false);
    assert_eq!(certain(&known, 30), Some(false), "it says something else now");
    known.remember(screen(30), tree("Buy", 9), false);
    assert_eq!(certain(&known, 30), Some(true));
    known.remember(screen(40), tree("Buy", 9), true);
    assert_eq!(certain(&known, 40), Some(true));
    assert_eq!(certain(&known, 50), None);
}

#[tokio::test]
async fn no_more_is_kept_than_there_is_room_for_and_what_was_used_last_stays() {
    let screen = |row| key(row, &state("chat", ".Main")).unwrap();
    let mut known = KnownElements::default();
    (0..MOST_SCREENS).for_each(|row| known.remember(screen(20 + row), tree("", 9), true));
    known.used(&screen(20));
    known.remember(screen(300), tree("", 9), true);
    assert_eq!(known.0.len(), MOST_SCREENS);
    assert!(known.of(&screen(20)).is_some() && known.of(&screen(21)).is_none());
    known.remember(screen(301), tree("", MOST_BYTES + 1), true);
    assert_eq!(known.0.len(), MOST_SCREENS, "what has no room itself takes nobody's");
    assert!(known.of(&screen(301)).is_none());
    known.remember(screen(302), tree("", MOST_BYTES - 9), true);
    assert_eq!(known.bytes(), MOST_BYTES);
    known.forget(Some("bank"));
    assert_eq!(known.0.len(), 2);
    known.forget(None);
    assert_eq!(known.bytes(), 0);
}
