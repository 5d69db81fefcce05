//! Lists under a finger.
use super::*;

#[tokio::test(start_paused = true)]
async fn a_swipe_stops_a_fling_and_goes_on_with_the_list() {
    let moved_by = async |swipes: usize| {
        let user = User::new();
        user.open("Settings").await;
        let row = || user.node("Notifications").bounds[1];
        let before = row();
        for swipe in 0..swipes {
            if swipe > 0 {
                sleep(Duration::from_millis(50)).await;
                assert!(user.phone.settles_at().is_some(), "it flings");
            }
            user.phone.swipe((500.0, 1800.0), (500.0, 1700.0), Duration::from_millis(100));
        }
        user.wait_idle().await;
        let state = user.phone.state();
        assert_eq!(state.counts.taps_in_transition, 0);
        assert!(state.actions.iter().all(|action| action.outcome != InputOutcome::Dropped));
        before - row()
    };
    let (once, twice) = (moved_by(1).await, moved_by(2).await);
    assert!(100 < once && once + 100 <= twice, "{once} pixels with one swipe, {twice} with two");
}

#[tokio::test(start_paused = true)]
async fn a_tap_on_a_fling_only_stops_it() {
    let user = User::new();
    user.open("Settings").await;
    user.phone.swipe((500.0, 1800.0), (500.0, 1500.0), Duration::from_millis(200));
    sleep(Duration::from_millis(50)).await;
    user.phone.tap(500.0, 1200.0);
    assert_eq!(user.phone.settles_at(), None);
    let state = user.phone.state();
    assert_eq!(state.counts.taps_in_transition, 1);
    assert_eq!(state.actions.last().map(|action| action.outcome), Some(InputOutcome::Dropped));
}

#[tokio::test(start_paused = true)]
async fn a_drag_moves_in_the_time_that_the_long_press_leaves() {
    let user = User::new();
    user.open("Settings").await;
    let row = || user.node("Notifications").bounds[1];
    let start = row();
    user.phone.put_setting("secure", "long_press_timeout", Some("1500"));
    let drag = |ms| {
        user.phone.drag((540.0, 1800.0), (540.0, 1600.0), Duration::from_millis(ms));
        start - row()
    };
    assert_eq!((drag(1500), drag(2500)), (0, 200));
}
