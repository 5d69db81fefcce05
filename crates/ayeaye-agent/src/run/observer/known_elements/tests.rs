//! What is certain, and how much is kept.
use std::sync::Arc;

use tokio::time::Instant;

use super::super::screen_key::tests::{key, state};
use super::*;
use crate::Elements;

fn tree(name: &str, bytes: usize, is_confirmed: bool) -> ElementTree {
    let certainty = if is_confirmed { Certainty::Confirmed } else { Certainty::Requested };
    let dump = format!(r#"<hierarchy><node text="{name}" bounds="[0,0][9,9]"/></hierarchy>"#);
    ElementTree {
        elements: Arc::new(Elements::read(&dump).unwrap()),
        blob: None,
        read_at: Instant::now(),
        certainty,
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
    known.remember(screen(30), tree("Next", 9, false));
    assert_eq!(certain(&known, 30), Some(false));
    known.remember(screen(30), tree("Buy", 9, false));
    assert_eq!(certain(&known, 30), Some(false), "it says something else now");
    known.remember(screen(30), tree("Buy", 9, false));
    assert_eq!(certain(&known, 30), Some(true));
    known.remember(screen(40), tree("Buy", 9, true));
    assert_eq!(certain(&known, 40), Some(true));
    // Requested with the screen before, twice.
    let reused = || ElementTree { certainty: Certainty::Reused, ..tree("Buy", 9, false) };
    known.remember(screen(60), reused());
    known.remember(screen(60), reused());
    assert_eq!(certain(&known, 60), Some(false));
    known.remember(screen(60), tree("Buy", 9, false));
    assert_eq!(certain(&known, 60), Some(true));
    assert_eq!(certain(&known, 50), None);
}

#[tokio::test]
async fn no_more_is_kept_than_there_is_room_for_and_what_was_used_last_stays() {
    let screen = |row| key(row, &state("chat", ".Main")).unwrap();
    let mut known = KnownElements::default();
    (0..MOST_SCREENS).for_each(|row| known.remember(screen(20 + row), tree("", 9, true)));
    known.used(&screen(20));
    known.remember(screen(300), tree("", 9, true));
    assert_eq!(known.0.len(), MOST_SCREENS);
    assert!(known.of(&screen(20)).is_some() && known.of(&screen(21)).is_none());
    known.remember(screen(301), tree("", MOST_BYTES + 1, true));
    assert_eq!(known.0.len(), MOST_SCREENS, "what has no room itself takes nobody's");
    assert!(known.of(&screen(301)).is_none());
    known.remember(screen(302), tree("", MOST_BYTES - 9, true));
    assert_eq!(known.bytes(), MOST_BYTES);
    known.forget(Some("bank"));
    assert_eq!(known.0.len(), 2);
    known.forget(None);
    assert_eq!(known.bytes(), 0);
}
