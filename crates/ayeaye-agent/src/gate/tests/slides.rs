//! Swipes, scrolls and touches that are held, on what pays, sends or only moves.
use super::*;
use crate::Direction;

#[test]
fn a_swipe_pays_and_a_scroll_does_not() {
    let scene = Scene::of("com.example.pay", "Checkout").button("Slide to pay");
    let Gesture::Click { point } = scene.tap("Slide to pay") else { panic!("a tap") };
    let at = |x| Point::from_fractions(x, point.fractions().1).unwrap();
    let duration = std::time::Duration::from_millis(300);
    let aside = Gesture::Slide { from: at(0.1), to: at(0.9), duration };
    assert_eq!(scene.judge("Open the wallet", &aside).class(), Some(ActClass::Pay));
    let down = Gesture::Slide { from: at(0.5), to: Point::new(500, 10).unwrap(), duration };
    assert_eq!(scene.judge("Open the wallet", &down).name(), "allow");
    let scroll = Gesture::Scroll { direction: Direction::Down, at: Some(point) };
    assert_eq!(scene.judge("Open the wallet", &scroll).name(), "allow");
}

#[test]
fn a_scroll_is_the_slide_that_it_is_sent_as() {
    let mut scene = Scene::of("com.example.pay", "Checkout").text("$1,950.00");
    for _ in 0..10 {
        scene = scene.text("Terms");
    }
    let scene = scene.button("Swipe up to pay");
    let Gesture::Click { point } = scene.tap("Swipe up to pay") else { panic!("a tap") };
    let scroll = |direction, at| Gesture::Scroll { direction, at };
    // It begins at seven eighths of the height, whatever lower place it is aimed at.
    for at in [point, Point::new(500, 980).unwrap()] {
        let down = scroll(Direction::Down, Some(at));
        assert_eq!(scene.judge(TASK, &down).class(), Some(ActClass::Pay), "{at:?}");
        assert!(!needs_elements(&down), "as a swipe of that length it waits for nothing");
        assert_eq!(scene.judge_blind(TASK, &down).name(), "allow");
    }
    for elsewhere in [scroll(Direction::Down, None), scroll(Direction::Up, None)] {
        assert_eq!(scene.judge(TASK, &elsewhere).name(), "allow", "{elsewhere:?}");
    }
    // What `input swipe` is sent: see the tests of the gestures.
    let ends = |direction| match as_slide(&scroll(direction, Some(Point::new(500, 1000).unwrap())))
    {
        Some(Gesture::Slide { from, to, .. }) => (from, to),
        other => panic!("{other:?}"),
    };
    let point = |x, y| Point::new(x, y).unwrap();
    assert_eq!(ends(Direction::Down), (point(500, 875), point(500, 375)));
    assert_eq!(ends(Direction::Up), (point(500, 375), point(500, 875)));
    assert_eq!(ends(Direction::Right), (point(750, 1000), point(250, 1000)));
    assert_eq!(ends(Direction::Left), (point(250, 1000), point(750, 1000)));
}

#[test]
fn scrolling_up_and_down_is_no_touch_that_is_counted() {
    let bounds = PolicyBudgets { taps_per_minute: Some(1), typed_characters: None };
    let policy = Policy { budgets: bounds, ..Policy::default() };
    let history = GateHistory { taps: 1, ..GateHistory::default() };
    let scene = Scene::of("com.example.notes", "Notes").row("Shopping");
    let judged = |direction| {
        let scroll = Gesture::Scroll { direction, at: None };
        scene.judge_with(&policy, TASK, &scroll, &history).name()
    };
    assert_eq!(judged(Direction::Down), "allow");
    assert_eq!(judged(Direction::Right), "deny");
}

#[test]
fn a_slide_that_hardly_moves_is_a_touch() {
    let scene = Scene::of("com.example.pay", "Checkout").button("Pay now").button("Slide to pay");
    let duration = std::time::Duration::from_millis(500);
    let place = |name: &str| match scene.tap(name) {
        Gesture::Click { point } => point.fractions(),
        other => panic!("{other:?}"),
    };
    let slide = |name: &str, by: (f64, f64)| {
        let (x, y) = place(name);
        let to = Point::from_fractions(x + by.0, y + by.1).unwrap();
        let from = Point::from_fractions(x, y).unwrap();
        scene.judge("Open the wallet", &Gesture::Slide { from, to, duration })
    };
    for by in [(0.0, 0.001), (0.0, -0.03), (0.002, 0.01)] {
        assert_eq!(slide("Pay now", by).class(), Some(ActClass::Pay), "{by:?}");
    }
    assert_eq!(slide("Pay now", (0.0, 0.3)).name(), "allow", "a list is moved");
    assert_eq!(slide("Slide to pay", (0.4, 0.55)).class(), Some(ActClass::Pay), "aside too");
}

#[test]
fn a_slide_that_stays_on_a_control_presses_it() {
    let scene = Scene::of("com.example.pay", "Checkout").button("Pay now").text("Terms");
    let duration = std::time::Duration::from_millis(500);
    let slide = |name: &str, (begin, by): (f64, f64)| {
        let Gesture::Click { point } = scene.tap(name) else { panic!("a tap") };
        let (x, y) = point.fractions();
        let from = Point::from_fractions(x, y + begin).unwrap();
        let to = Point::from_fractions(x, y + begin + by).unwrap();
        let slide = Gesture::Slide { from, to, duration };
        assert!(needs_elements(&slide) == (by.abs() < 0.25), "{by}");
        (scene.judge(TASK, &slide), scene.judge_blind(TASK, &slide))
    };
    // 160 of 2400 pixels: from the upper edge to the lower one, and a little beyond.
    for within in [(-0.03, 0.06), (0.03, -0.06), (-0.03, 0.07)] {
        assert_eq!(slide("Pay now", within).0.class(), Some(ActClass::Pay), "{within:?}");
    }
    for beyond in [(0.0, 0.1), (-0.03, 0.2), (0.0, 0.3)] {
        assert_eq!(slide("Pay now", beyond).0.name(), "allow", "{beyond:?}");
    }
    assert_eq!(slide("Terms", (-0.03, 0.06)).0.name(), "allow", "nothing there reacts");
    let dialog = Scene::of("com.google.android.permissioncontroller/.GrantPermissionsActivity", "");
    let dialog = dialog.button("Allow");
    let Gesture::Click { point } = dialog.tap("Allow") else { panic!("a tap") };
    let (x, y) = point.fractions();
    let at = |y| Point::from_fractions(x, y).unwrap();
    let press = Gesture::Slide { from: at(y - 0.03), to: at(y + 0.03), duration };
    assert_ne!(dialog.judge(TASK, &press).name(), "allow");
    // Where nothing is known of the screen, it may be a press; in an app of money that is asked.
    let bank = Scene::of("com.chase.sig.android", "Transfer");
    assert_ne!(bank.judge_blind(TASK, &press).name(), "allow");
    let far = Gesture::Slide { from: at(0.7), to: at(0.3), duration };
    assert_eq!(bank.judge_blind(TASK, &far).name(), "allow");
}

#[test]
fn sliders_that_confirm_are_asked_about_where_something_is_paid() {
    let duration = std::time::Duration::from_millis(300);
    for label in [
        "Slide to confirm",
        "Swipe to book",
        "Desliza para confirmar",
        "Zum Bestätigen wischen",
        "Проведите для подтверждения",
        "右滑确认",
        "スライドして確定",
        "밀어서 확인",
        "Swipe for at betale",
        "Pyyhkäise maksaaksesi",
        "Přejetím zaplatíte",
    ] {
        let total = Scene::of("com.example.ride", "Ride").text("Total: $45.00");
        let scene = total.button(label);
        let Gesture::Click { point } = scene.tap(label) else { panic!("a tap") };
        let at = |x| Point::from_fractions(x, point.fractions().1).unwrap();
        let aside = Gesture::Slide { from: at(0.1), to: at(0.9), duration };
        assert_eq!(scene.judge(TASK, &aside).name(), "confirm", "{label}");
    }
    // Also by what stands above a slider that has no name.
    let scene = Scene::of("com.example.ride", "Ride").text("Total: $45.00");
    let scene = scene.text("Slide to confirm your order").slider("pay");
    let Gesture::Click { point } = scene.tap("pay") else { panic!("a tap") };
    let at = |x| Point::from_fractions(x, point.fractions().1).unwrap();
    let aside = Gesture::Slide { from: at(0.1), to: at(0.9), duration };
    assert_eq!(scene.judge(TASK, &aside).name(), "confirm");
    let gallery = Scene::of("com.example.shop", "Boots").text("$45.00").view("Swipe to see more");
    let Gesture::Click { point } = gallery.tap("Swipe to see more") else { panic!("a tap") };
    let at = |x| Point::from_fractions(x, point.fractions().1).unwrap();
    let aside = Gesture::Slide { from: at(0.9), to: at(0.1), duration };
    assert_eq!(gallery.judge(TASK, &aside).name(), "allow");
}

#[test]
fn what_records_while_it_is_held_sends() {
    let chat = Scene::of("com.whatsapp", "Anna").described("Voice message");
    let Gesture::Click { point } = chat.tap("Voice message") else { panic!("a tap") };
    let held = Gesture::LongPress { point, duration: std::time::Duration::from_secs(5) };
    assert_eq!(chat.judge(TASK, &held).class(), Some(ActClass::Send));
    assert_eq!(chat.judge("Send Anna a voice message", &held).name(), "allow");
    let notes = Scene::of("com.example.notes", "Notes").described("Record audio");
    assert_eq!(notes.judge(TASK, &held).name(), "allow");
}
