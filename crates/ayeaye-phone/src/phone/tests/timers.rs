//! What falls due while nobody looks has happened when it was due.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::User;
use crate::system::Quirks;

/// Somebody who has sent name and password: the next page comes when the server has answered.
async fn signing_in() -> User {
    let user = User::new();
    user.open("Nimbus").await;
    user.tap("sign_in").await;
    user.tap("username").await;
    user.phone.input_text("kim");
    user.phone.key(66, false);
    user.phone.input_text("secret");
    user.phone.key(66, false);
    user
}

#[tokio::test(start_paused = true)]
async fn a_page_that_a_timer_opens_moves_from_when_it_is_due() {
    let (watched, looked_at, left) = tokio::join!(signing_in(), signing_in(), signing_in());
    let due = watched.phone.settles_at().unwrap();
    sleep_until(due).await;
    let rests = watched.phone.settles_at().expect("the next page is coming in");
    assert!(due + Duration::from_millis(100) < rests && watched.shows("code"));

    sleep(Duration::from_millis(60)).await;
    assert_eq!(looked_at.phone.settles_at(), Some(rests), "as far as the one that was watched");
    assert!(looked_at.phone.frame().rgba == watched.phone.frame().rgba);

    sleep_until(rests + Duration::from_secs(1)).await;
    assert_eq!(left.phone.settles_at(), None, "it has come to rest, although nobody looked");
    assert!(left.phone.frame().rgba == watched.phone.frame().rgba);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_goes_dark_before_a_timer_is_due_stays_dark() {
    let user = signing_in().await;
    let due = user.phone.settles_at().unwrap();
    let soon = Some((due - Instant::now()) / 2);
    user.phone.set_quirks(Quirks { screen_off_after: soon, ..Quirks::default() });
    sleep_until(due + Duration::from_millis(10)).await;
    assert_eq!((user.phone.is_awake(), user.phone.settles_at()), (false, None));
    user.phone.set_quirks(Quirks::default());
    user.phone.key(224, false);
    user.phone.dismiss_keyguard();
    user.wait_idle().await;
    assert!(user.shows("code"), "the app went on in the dark");
}
