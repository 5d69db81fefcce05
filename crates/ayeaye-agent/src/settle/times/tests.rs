//! What is learnt of phones whose screens rest at once, move, or do not answer.
use super::*;

const MS: Duration = Duration::from_millis(1);
const RULE: SettleRule = SettleRule::USUAL;

fn kind(app: &str, act: &'static str) -> ActKind {
    ActKind { device: DeviceId::new("phone"), app: Some(app.to_owned()), act: Some(act) }
}

/// A screen that rests after so many milliseconds, seen by captures that take so long each.
fn seen(first: Duration, rests: u32, capture: u32) -> ActTimes {
    let (rests, capture) = (MS * rests, MS * capture);
    let (mut moved, mut rested) = (None, first);
    while rested < rests {
        (moved, rested) = (Some(rested), rested + capture.max(RULE.between));
    }
    let change = Some(ScreenChange { answered: first, moved, rested });
    ActTimes { change, capture, patience: RULE.patience }
}

fn nothing() -> ActTimes {
    ActTimes { change: None, capture: 7 * MS, patience: RULE.patience }
}

/// By how much the settled frame came later than the screen's rest, act by act: the screen rests so many
/// milliseconds after each.
fn late(capture: u32, acts: &[u32]) -> Vec<u32> {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    let mut late = Vec::new();
    for rests in acts {
        let outcome = seen(times.expect(&tap, &RULE).first_look(), *rests, capture);
        let ScreenChange { rested, .. } = outcome.change.unwrap();
        late.push(u32::try_from(rested.saturating_sub(MS * *rests).as_millis()).unwrap());
        times.learn(&tap, outcome);
    }
    late
}

#[test]
fn a_phone_that_rests_at_once_is_looked_at_at_once() {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    let looks: Vec<_> = (0..6)
        .map(|_| {
            let expected = times.expect(&tap, &RULE);
            let look = expected.first_look();
            times.learn(&tap, seen(look, 0, 7));
            (look.as_millis(), (look + expected.stand(look)).as_millis())
        })
        .collect();
    // The second look first covers what was not seen before, and comes soon when nothing ever moved.
    assert_eq!(looks, [(80, 130), (0, 80), (0, 50), (0, 50), (0, 34), (0, 34)]);
    assert!(times.expect(&tap, &RULE).stays(Duration::ZERO));
}

#[test]
fn where_captures_are_quick_no_look_waits_longer_than_a_screen_that_moves() {
    // It moves, and from the tenth act on it does not.
    let acts: Vec<u32> = (0..20).map(|act| if act < 10 { 330 } else { 0 }).collect();
    for capture in [7, 20] {
        let late = late(capture, &acts);
        assert!(late[1..].iter().all(|it| *it <= 57), "{capture} ms a capture: {late:?}");
    }
    // Screens of all kinds.
    let acts: Vec<u32> = (0..100).map(|act| act * 7919 % 900).collect();
    let late = late(7, &acts);
    let most = late.iter().skip(2).max().unwrap();
    assert!(*most <= 110, "{late:?}");
}

#[test]
fn where_captures_are_slow_the_first_look_comes_when_the_screen_rests() {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    for _ in 0..3 {
        times.learn(&tap, seen(80 * MS, 330, 300));
    }
    let expected = times.expect(&tap, &RULE);
    assert_eq!(expected.first_look(), 380 * MS);
    assert!(!expected.may_stay(80 * MS));
    assert!(expected.stays(380 * MS));
    // A look that is right says nothing of whether an earlier one had been; that is found out in one act of six.
    let mut right = 0;
    for _ in 0..12 {
        let outcome = seen(times.expect(&tap, &RULE).first_look(), 330, 300);
        right += u32::from(outcome.change.unwrap().moved.is_none());
        times.learn(&tap, outcome);
    }
    assert!((9..=11).contains(&right), "{right}");
    // Where a screen rests now at once and now later, waiting for the later ones would cost more.
    let acts: Vec<u32> = (0..30).map(|act| act % 2 * 400).collect();
    let sum: u32 = late(300, &acts).iter().skip(2).sum();
    assert!(sum / 28 < 200, "{sum}");
}

#[test]
fn a_rest_that_comes_sooner_than_any_is_doubted() {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    assert_eq!(times.expect(&tap, &RULE).stand(MS), RULE.between);
    times.learn(&tap, seen(80 * MS, 330, 7));
    let expected = times.expect(&tap, &RULE);
    assert_eq!(expected.stand(100 * MS), 2 * RULE.between);
    assert_eq!(expected.stand(330 * MS), RULE.between);
}

#[test]
fn what_is_known_of_a_phone_holds_for_a_new_app_until_it_is_known_itself() {
    let times = SettleTimes::default();
    let look = |kind: &ActKind| times.expect(kind, &RULE).first_look();
    for _ in 0..3 {
        times.learn(&kind("chat", "CLICK"), seen(80 * MS, 280, 300));
    }
    assert_eq!(look(&kind("chat", "TYPE")), 380 * MS);
    assert_eq!(look(&kind("shop", "CLICK")), 380 * MS);
    times.learn(&kind("shop", "CLICK"), seen(100 * MS, 90, 300));
    assert_eq!(look(&kind("shop", "CLICK")), Duration::ZERO);
    assert_eq!(look(&kind("chat", "CLICK")), 380 * MS);
    let other = ActKind { device: DeviceId::new("other"), ..kind("chat", "CLICK") };
    assert_eq!(look(&other), RULE.first_look);
}

#[test]
fn an_act_that_does_nothing_is_waited_for_as_long_as_the_phone_may_take() {
    let (times, home, tap) =
        (SettleTimes::default(), kind("launcher", "HOME"), kind("launcher", "CLICK"));
    let patience = |kind: &ActKind| times.expect(kind, &RULE).rule.patience;
    for _ in 0..3 {
        times.learn(&home, nothing());
    }
    assert_eq!(patience(&home), RULE.patience, "nothing is known of when it answers");
    for _ in 0..5 {
        times.learn(&tap, seen(20 * MS, 0, 7));
    }
    assert_eq!(patience(&home), LEAST_PATIENCE);
    assert_eq!(patience(&tap), RULE.patience, "it has done something");
    times.learn(&tap, seen(70 * MS, 0, 7));
    assert_eq!(patience(&home), 140 * MS);
    times.learn(&tap, seen(300 * MS, 0, 7));
    assert_eq!(patience(&home), RULE.patience);
    times.learn(&home, seen(80 * MS, 0, 7));
    assert_eq!(patience(&home), RULE.patience, "now it has done something");
}

#[test]
fn that_an_act_does_nothing_is_found_out_anew_every_fourth_time() {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    let patience = || times.expect(&tap, &RULE).rule.patience;
    for _ in 0..5 {
        times.learn(&kind("chat", "BACK"), seen(55 * MS, 0, 7));
    }
    let mut waited = Vec::new();
    for _ in 0..11 {
        waited.push(patience());
        // A screen that answers after 200 ms is taken for one that does not.
        times.learn(&tap, ActTimes { patience: patience(), ..nothing() });
    }
    let (full, short) = (RULE.patience, 110 * MS);
    let shortened = [full, short, short, short, full];
    assert_eq!(waited[..2], [full; 2]);
    assert_eq!(waited[2..7], shortened);
    assert_eq!(waited[7..], shortened[1..]);
    times.learn(&tap, seen(200 * MS, 200, 7));
    assert_eq!(patience(), full);
}

#[test]
fn a_swipe_that_does_nothing_is_not_waited_for_where_others_were_followed_at_once() {
    let (times, swipe) = (SettleTimes::default(), kind("shop", "SLIDE"));
    let patience = |kind: &ActKind| times.expect(kind, &RULE).rule.patience;
    for _ in 0..5 {
        times.learn(&kind("shop", "BACK"), seen(20 * MS, 0, 7));
    }
    // Down and up, where it is the top already.
    let mut waited = Vec::new();
    for _ in 0..6 {
        times.learn(&swipe, seen(20 * MS, 0, 7));
        waited.push(patience(&swipe));
        times.learn(&swipe, ActTimes { patience: patience(&swipe), ..nothing() });
    }
    let (full, short) = (RULE.patience, LEAST_PATIENCE);
    assert_eq!(waited, [full, short, short, full, short, short]);
    // A tap may well be answered late.
    let tap = kind("shop", "CLICK");
    for _ in 0..2 {
        times.learn(&tap, seen(20 * MS, 0, 7));
        times.learn(&tap, nothing());
    }
    assert_eq!(patience(&tap), full);
    times.learn(&swipe, seen(120 * MS, 0, 7));
    assert_eq!(patience(&swipe), full, "it was followed late");
    for _ in 0..3 {
        times.learn(&swipe, nothing());
    }
    assert_eq!(patience(&swipe), 240 * MS, "as other acts that do nothing");
}

#[test]
fn a_frame_is_sent_by_which_half_of_such_acts_had_come_to_rest() {
    let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
    let at = |frame: u32| {
        let expected = times.expect(&tap, &RULE);
        (expected.may_stay(frame * MS), expected.stays(frame * MS))
    };
    for rest in [100, 200, 300, 400] {
        times.learn(&tap, seen(Duration::ZERO, rest, 7));
    }
    assert_eq!([at(150), at(260)], [(false, false), (true, true)]);
    times.learn(&tap, seen(Duration::ZERO, 500, 7));
    assert_eq!([at(260), at(360)], [(true, false), (true, true)], "two and three of five");
}

#[test]
fn guesses_that_were_wrong_are_not_made_any_more_until_they_would_have_been_right() {
    let (times, tap) = (SettleTimes::default(), kind("film", "CLICK"));
    let mut told = vec![times.guesses_well(&tap)];
    let guesses = [false, true, true, true, true, false, false, false, false, true];
    for right in guesses {
        times.guessed(&tap, right);
        told.push(times.guesses_well(&tap));
    }
    assert_eq!(told[..3], [true, false, true]);
    assert_eq!(told[3..8], [true; 5]);
    assert!(told[8], "two of the last five");
    assert_eq!(told[9..], [false, false]);
    // Of an act of which nothing is known, the app's.
    assert!(!times.guesses_well(&kind("film", "BACK")));
    assert!(times.guesses_well(&kind("chat", "CLICK")));
}
