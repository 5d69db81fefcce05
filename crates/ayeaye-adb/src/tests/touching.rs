//! How long presses and drags last, by what the phone takes for a long press; and a phone that takes none.
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceError, Gesture, Point, ScreenSize};

use super::fake::{Fake, Reply};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };

/// A phone with this touch and hold delay of the person in front, and this one of the first person.
async fn with_delay(front: &'static str, first: &'static str, sdk: &'static str) -> Fake {
    Fake::phone(move |r| match r {
        _ if r.contains("long_press_timeout") => {
            Some(Reply::out(format!("{front}\n--ayeaye--\n{first}\n")))
        }
        _ if r.contains("build.version.sdk") => Some(Reply::out(format!("{sdk}\n"))),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn presses_and_drags_last_longer_than_the_touch_and_hold_delay() {
    let point = Point::new(500, 500).unwrap();
    for (front, first, asked, pressed, dragged) in [
        ("1500", "1500", 1000, 1700, 2500),
        ("1500", "1500", 3000, 3000, 2500),
        // As Samsung sets it: a press of just as long may be a tap.
        ("500", "500", 300, 700, 1500),
        ("400", "400", 300, 600, 1500),
        ("300", "300", 300, 500, 1500),
        ("null", "null", 1000, 1000, 1500),
        // In most versions what the first person has set holds for everybody.
        ("400", "1500", 1000, 1700, 2500),
        ("1500", "null", 1000, 1700, 2500),
        ("null", "1500", 1000, 1700, 2500),
    ] {
        let fake = with_delay(front, first, "34").await;
        let device = fake.open().await;
        let duration = Duration::from_millis(asked);
        device.perform(&Gesture::LongPress { point, duration }, ON).await.unwrap();
        device.perform(&Gesture::Drag { from: point, to: point }, ON).await.unwrap();
        let acts = [
            format!("input swipe 540 1200 540 1200 {pressed}"),
            format!("input draganddrop 540 1200 540 1200 {dragged}"),
        ];
        assert_eq!(fake.acts(), acts, "{front} {first}");
    }
}

#[tokio::test]
async fn a_drag_before_android_12_is_doubtful_after_a_longer_touch_and_hold_delay() {
    let point = Point::new(500, 500).unwrap();
    let long = "draganddrop 540 1200 540 1200 2500";
    let usual = "draganddrop 540 1200 540 1200 1500";
    for (sdk, delay, line, certain) in [
        ("30", "1500", usual, false),
        // As Samsung sets it, where Android 11 presses for 400 ms.
        ("30", "500", usual, false),
        ("30", "400", usual, true),
        ("30", "null", usual, true),
        ("29", "500", usual, true),
        ("29", "1000", usual, false),
        ("31", "1500", long, true),
    ] {
        let fake = with_delay(delay, delay, sdk).await;
        let done = fake.open().await.perform(&Gesture::Drag { from: point, to: point }, ON).await;
        assert_eq!(fake.acts(), [format!("input {line}")], "{sdk} {delay}");
        assert_eq!(done.unwrap().uncertain.is_none(), certain, "{sdk} {delay}");
    }
}

#[tokio::test]
async fn a_system_without_input_cannot_be_driven() {
    let fake = Fake::phone(|request| {
        let said = "/system/bin/sh: input: inaccessible or not found\n";
        let reply = || Reply::Shell(String::new(), said.to_owned(), 127);
        request.contains("input tap").then(reply)
    })
    .await;
    let device = fake.open().await;
    let point = Point::new(500, 500).unwrap();
    for gesture in [Gesture::Click { point }, Gesture::DoubleClick { point }] {
        let error = device.perform(&gesture, ON).await.unwrap_err();
        assert!(matches!(error, DeviceError::NotSent { .. }), "{error:?}");
        assert!(error.to_string().contains("its system has no `input`"), "{error}");
    }
}
