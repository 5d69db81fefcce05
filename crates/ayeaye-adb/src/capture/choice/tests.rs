//! Which way is chosen, after what was measured.
use super::*;

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_good_link_has_raw_captures() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    for took in [300, 900, 400] {
        assert_eq!(choice.next(now, false), CaptureWay::Raw);
        choice.succeeded(CaptureWay::Raw, took * MS, now);
    }
    assert_eq!(choice.next(now, false), CaptureWay::Raw);
}

#[test]
fn a_slow_link_has_what_takes_least_and_is_tried_again_now_and_then() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    choice.was_too_slow(CaptureWay::Raw, 10_000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip);
    choice.succeeded(CaptureWay::Gzip, 1500 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip);
    choice.succeeded(CaptureWay::Gzip, 3000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip, "once may be chance");
    choice.succeeded(CaptureWay::Gzip, 3000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png, "not measured yet");
    choice.succeeded(CaptureWay::Png, 4000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip);
    choice.was_too_slow(CaptureWay::Gzip, 10_000 * MS, now);
    choice.was_too_slow(CaptureWay::Gzip, 10_000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    let later = now + PAUSE;
    assert_eq!(choice.next(later, false), CaptureWay::Raw);
    choice.was_too_slow(CaptureWay::Raw, 9_000 * MS, later);
    assert_eq!(choice.next(later + PAUSE, false), CaptureWay::Png, "less and less often");
    assert_eq!(choice.next(later + 2 * PAUSE, false), CaptureWay::Raw);
    choice.succeeded(CaptureWay::Raw, 300 * MS, later + 2 * PAUSE);
    assert_eq!(choice.next(later + 2 * PAUSE, false), CaptureWay::Raw);
}

#[test]
fn a_phone_is_not_asked_for_what_it_does_not_know() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    choice.was_too_slow(CaptureWay::Raw, 3_000 * MS, now);
    choice.refused(CaptureWay::Gzip, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    choice.succeeded(CaptureWay::Png, 4_000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Raw, "slow, and still the quickest");
    choice.refused(CaptureWay::Raw, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    assert_eq!(choice.next(now + PAUSE, false), CaptureWay::Raw);
}

#[test]
fn one_refusal_is_soon_asked_about_and_a_phone_that_always_refuses_less_and_less_often() {
    let (mut choice, mut now) = (Choice::default(), Instant::now());
    let mut waits = Vec::new();
    for _ in 0..7 {
        choice.refused(CaptureWay::Raw, now);
        // The same capture may say so twice.
        choice.refused(CaptureWay::Raw, now);
        let begun = now;
        while choice.next(now, false) != CaptureWay::Raw {
            choice.succeeded(CaptureWay::Png, 700 * MS, now);
            now += Duration::from_secs(1);
        }
        waits.push((now - begun).as_secs());
    }
    assert_eq!(waits, [30, 60, 120, 240, 480, 480, 480]);
    choice.succeeded(CaptureWay::Raw, 300 * MS, now);
    choice.refused(CaptureWay::Raw, now);
    assert_eq!(choice.next(now + PAUSE, false), CaptureWay::Raw, "it knows it after all");
}

#[test]
fn one_capture_that_never_came_changes_nothing_and_two_do_for_a_while() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    choice.was_too_slow(CaptureWay::Raw, 10_000 * MS, now);
    choice.succeeded(CaptureWay::Gzip, 1000 * MS, now);
    choice.was_too_slow(CaptureWay::Gzip, 20_000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip, "once may be chance");
    choice.was_too_slow(CaptureWay::Gzip, 20_000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    choice.succeeded(CaptureWay::Png, 2000 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    // Raw captures are as slow as ever.
    let later = now + MAX_PAUSE;
    choice.was_too_slow(CaptureWay::Raw, 10_000 * MS, later);
    assert_eq!(choice.next(later, false), CaptureWay::Gzip, "it is measured again");
    choice.succeeded(CaptureWay::Gzip, 1000 * MS, later);
    assert_eq!(choice.next(later, false), CaptureWay::Gzip);
}

#[test]
fn the_framebuffer_is_for_phones_with_one_panel_that_give_no_other_picture() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    choice.refused(CaptureWay::Raw, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    choice.refused(CaptureWay::Png, now);
    assert_eq!(choice.next(now, true), CaptureWay::Png, "of one of several panels");
    assert_eq!(choice.next(now, false), CaptureWay::Framebuffer);
    choice.succeeded(CaptureWay::Framebuffer, 500 * MS, now);
    assert_eq!(choice.latest(), Some((CaptureWay::Framebuffer, 500 * MS)));
    assert_eq!(choice.next(now + PAUSE, false), CaptureWay::Raw);
    choice.refused(CaptureWay::Framebuffer, now);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
}

#[test]
fn a_way_whose_captures_come_damaged_is_followed_by_the_next() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    // Raw is slow, gzip is to be measured.
    choice.succeeded(CaptureWay::Raw, 650 * MS, now);
    assert_eq!(choice.next(now, false), CaptureWay::Gzip);
    assert!(!choice.was_broken(CaptureWay::Gzip, now));
    assert_eq!(choice.next(now, false), CaptureWay::Gzip, "once may be the link's fault");
    choice.link_broke();
    assert!(!choice.was_broken(CaptureWay::Gzip, now));
    assert!(choice.was_broken(CaptureWay::Gzip, now));
    assert_eq!(choice.next(now, false), CaptureWay::Raw, "slow, and it works");
    for (broken, next) in [
        (CaptureWay::Raw, CaptureWay::Png),
        (CaptureWay::Png, CaptureWay::Framebuffer),
        (CaptureWay::Framebuffer, CaptureWay::Png),
    ] {
        for _ in 0..MOST_BROKEN {
            choice.was_broken(broken, now);
        }
        assert_eq!(choice.next(now, false), next, "{broken:?}");
    }
    assert_eq!(choice.next(now + PAUSE, false), CaptureWay::Gzip, "they are asked again");
}

#[test]
fn the_only_way_that_works_may_take_its_time() {
    let (mut choice, now) = (Choice::default(), Instant::now());
    choice.was_too_slow(CaptureWay::Raw, 5_000 * MS, now);
    choice.refused(CaptureWay::Gzip, now);
    assert!(choice.patience_for_raw(now) < 5_000 * MS);
    assert_eq!(choice.next(now, false), CaptureWay::Png);
    choice.refused(CaptureWay::Png, now);
    assert_eq!(choice.next(now, false), CaptureWay::Raw);
    assert!(5_000 * MS < choice.patience_for_raw(now));
}

/// How long a capture takes by the figures of the virtual phone: a screen of so many bytes, packed to a
/// twentieth, over a link of so many a second.
fn times(bytes: u64, rate: u64) -> impl Fn(CaptureWay) -> Duration {
    let carried = move |bytes: u64| Duration::from_nanos(bytes * 1_000_000_000 / rate);
    move |way| {
        let packing = Duration::from_nanos(bytes * 1_000_000_000 / 28_500_000);
        let made = match way {
            CaptureWay::Raw | CaptureWay::Framebuffer => carried(bytes),
            CaptureWay::Gzip => packing + carried(bytes / 20),
            CaptureWay::Png => 549 * MS + carried(bytes / 20),
        };
        100 * MS + made
    }
}

/// The ways of so many captures, each as long as the function says.
fn ways(
    choice: &mut Choice,
    captures: usize,
    now: Instant,
    took: impl Fn(CaptureWay) -> Duration,
) -> Vec<CaptureWay> {
    let one = |_| {
        let way = choice.next(now, false);
        choice.succeeded(way, took(way), now);
        way
    };
    (0..captures).map(one).collect()
}

#[test]
fn each_link_has_its_way_after_the_first_two_captures() {
    const SCREEN: u64 = 1080 * 2400 * 4;
    const TALL: u64 = 1440 * 3120 * 4;
    for (screen, rate, first) in [
        (SCREEN, 125_000_000, [CaptureWay::Raw, CaptureWay::Raw, CaptureWay::Raw]),
        (SCREEN, 36_000_000, [CaptureWay::Raw, CaptureWay::Raw, CaptureWay::Raw]),
        // Tried, and not worth it.
        (TALL, 36_000_000, [CaptureWay::Raw, CaptureWay::Gzip, CaptureWay::Raw]),
        (SCREEN, 16_000_000, [CaptureWay::Raw, CaptureWay::Gzip, CaptureWay::Gzip]),
        (TALL, 12_000_000, [CaptureWay::Raw, CaptureWay::Gzip, CaptureWay::Gzip]),
    ] {
        let (mut choice, now) = (Choice::default(), Instant::now());
        let ways = ways(&mut choice, 20, now, times(screen, rate));
        assert_eq!((&ways[..3], &ways[3..]), (&first[..], &[first[2]; 17][..]), "{rate}");
    }
}

#[test]
fn a_link_that_changes_is_measured_again() {
    const SCREEN: u64 = 1080 * 2400 * 4;
    let (mut choice, now) = (Choice::default(), Instant::now());
    let of = |rate| times(SCREEN, rate);
    assert_eq!(
        ways(&mut choice, 5, now, of(30_000_000)),
        [CaptureWay::Raw, CaptureWay::Gzip, CaptureWay::Raw, CaptureWay::Raw, CaptureWay::Raw]
    );
    let slower = ways(&mut choice, 6, now, of(14_000_000));
    assert_eq!(
        slower,
        [
            CaptureWay::Raw,
            CaptureWay::Raw,
            CaptureWay::Gzip,
            CaptureWay::Gzip,
            CaptureWay::Gzip,
            CaptureWay::Gzip
        ]
    );
    assert_eq!(ways(&mut choice, 2, now, of(125_000_000)), [CaptureWay::Gzip; 2], "not yet");
    assert_eq!(ways(&mut choice, 3, now + PAUSE, of(125_000_000)), [CaptureWay::Raw; 3]);
}

#[test]
fn a_raw_capture_that_is_chosen_is_not_given_up() {
    let now = Instant::now();
    for raw in [450, 1400, 1600, 2000, 2600, 9000] {
        for (gzip, png) in
            [(None, Some(700)), (Some(1900), None), (Some(2600), Some(2600)), (None, None)]
        {
            let mut choice = Choice::default();
            let mut given_up = 0;
            for _ in 0..50 {
                let way = choice.next(now, false);
                match (way, gzip, png) {
                    (CaptureWay::Raw, ..) if choice.patience_for_raw(now) < raw * MS => {
                        given_up += 1;
                        choice.was_too_slow(way, raw * MS, now);
                    }
                    (CaptureWay::Raw, ..) => choice.succeeded(way, raw * MS, now),
                    (CaptureWay::Gzip, Some(gzip), _) => choice.succeeded(way, gzip * MS, now),
                    (CaptureWay::Gzip, None, _) => choice.refused(way, now),
                    (_, _, Some(png)) => choice.succeeded(way, png * MS, now),
                    (_, _, None) => choice.was_too_slow(way, 20_000 * MS, now),
                }
            }
            assert!(given_up < 2, "{raw} {gzip:?} {png:?}");
        }
    }
}
