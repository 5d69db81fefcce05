//! A phone of which several displays show something, with the focus on one or the other.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ayeaye_agent::{Device as _, Gesture, Key, NoElements, Point, ScreenSize};

use super::fake::{Fake, Reply};

const ON: ScreenSize = ScreenSize { width: 1920, height: 1080 };

/// In place of a display: the phone does not say which one has the focus.
const UNTOLD: u32 = u32::MAX;

/// What `dumpsys window` tells of it: a shop on its own display, a calculator on the other one.
fn windows(in_focus: u32) -> String {
    let of = |display: u32, app: &str| {
        format!(
            "  Display: mDisplayId={display} (organized)\n    init=1080x1920 cur=1920x1080\n  \
             mCurrentFocus=Window{{a{display} u0 {app}/{app}.Main}}\n  \
             mFocusedApp=ActivityRecord{{b{display} u0 {app}/.Main t{display}}}\n"
        )
    };
    let focus = match in_focus {
        UNTOLD => String::new(),
        display => format!("  mTopFocusedDisplayId={display}\n"),
    };
    let (other, shown) = (of(4, "a.calculator"), of(0, "a.shop"));
    format!("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n{other}{shown}{focus}")
}

/// As `uiautomator` lists them: those of the display in focus.
fn tree(in_focus: u32) -> String {
    let package = if in_focus == 0 { "a.shop" } else { "a.calculator" };
    format!("<hierarchy rotation=\"0\"><node package=\"{package}\" /></hierarchy>")
}

/// A phone with two displays, whose focus is on the one that is told.
async fn phone(in_focus: Arc<AtomicU32>) -> Fake {
    Fake::phone(move |request| {
        let on = in_focus.load(Ordering::Relaxed);
        let (windows, tree) = (windows(on), tree(on));
        Some(match request {
            "exec:uiautomator dump /dev/tty" => Reply::Silence,
            "exec:uiautomator dump --compressed /dev/tty" => Reply::Bytes(tree.into_bytes()),
            _ if request.contains("uiautomator dump") => {
                let told = format!("{windows}--ayeaye--\n{tree}\n--ayeaye--\n{windows}");
                Reply::Bytes(told.replace('\n', "\r\n").into_bytes())
            }
            _ if request.contains("dumpsys power") => {
                Reply::out(format!("  mWakefulness=Awake\n--ayeaye--\n{windows}--ayeaye--\n"))
            }
            _ if request.contains("build.version.sdk") => Reply::out("34\n"),
            _ if request.contains("dumpsys input_method") => {
                Reply::out("  mInputShown=true\n  mCursorSelStart=2 mCursorSelEnd=2\n")
            }
            _ if request.starts_with("shell,v2,raw:W=$(dumpsys window") => Reply::out(windows),
            _ => return None,
        })
    })
    .await
}

#[tokio::test]
async fn elements_of_another_display_are_not_those_of_the_one_that_is_shown() {
    let in_focus = Arc::new(AtomicU32::new(4));
    let fake = phone(in_focus.clone()).await;
    let device = fake.open().await;
    let state = device.state().await.unwrap();
    assert_eq!(state.foreground.unwrap().package, "a.shop", "that is what is seen");
    assert_eq!(device.ui_tree().await.unwrap(), None);
    let Err(NoElements::Because(why)) = device.elements().await.unwrap() else {
        panic!("elements")
    };
    assert!(why.contains("display 4, which has the focus"), "{why}");
    in_focus.store(0, Ordering::Relaxed);
    assert_eq!(device.ui_tree().await.unwrap(), Some(tree(0)));
    let asked = fake.commands();
    assert_eq!(asked.len(), 4, "one command each: {asked:?}");
}

#[tokio::test]
async fn another_display_that_is_told_of_meanwhile_counts() {
    let fake = phone(Arc::new(AtomicU32::new(4))).await;
    let device = fake.open().await;
    let asking = tokio::spawn({
        let device = device.clone();
        async move { device.ui_tree().await }
    });
    while fake.commands().is_empty() {
        tokio::task::yield_now().await;
    }
    device.state().await.unwrap();
    assert_eq!(asking.await.unwrap().unwrap(), None);
    let asked = fake.commands();
    let plain = asked.iter().filter(|it| it.starts_with("uiautomator")).count();
    assert_eq!(plain, 2, "before it was known: {asked:?}");
}

#[tokio::test]
async fn keys_and_texts_go_to_the_display_that_is_shown() {
    let fake = phone(Arc::new(AtomicU32::new(0))).await;
    let device = fake.open().await;
    device.state().await.unwrap();
    let typing =
        |point| Gesture::Type { text: "input 1".to_owned(), point, clear: true, submit: true };
    drop(device.perform(&typing(None), ON).await);
    device.perform(&Gesture::HotKey { key: Key::VolumeUp }, ON).await.unwrap();
    let sent = fake.acts();
    assert!(1 < sent.len(), "{sent:?}");
    for line in sent {
        let calls = line.replace("'input%s1'", "").matches("input ").count();
        assert_eq!(line.matches("input -d 0 ").count(), calls, "{line}");
    }
}

#[tokio::test]
async fn nothing_is_typed_while_another_display_has_the_focus() {
    let in_focus = Arc::new(AtomicU32::new(4));
    let fake = phone(in_focus).await;
    let device = fake.open().await;
    device.state().await.unwrap();
    for point in [None, Some(Point::new(500, 500).unwrap())] {
        let typing = Gesture::Type { text: "hi".to_owned(), point, clear: false, submit: false };
        let error = device.perform(&typing, ON).await.unwrap_err();
        assert!(error.to_string().contains("display 4"), "{error}");
    }
    assert_eq!(fake.acts(), ["input -d 0 tap 960 540"], "and no text");
}

#[tokio::test]
async fn without_a_tap_nothing_is_typed_where_no_display_is_said_to_have_the_focus() {
    let fake = phone(Arc::new(AtomicU32::new(UNTOLD))).await;
    let device = fake.open().await;
    device.state().await.unwrap();
    let typing = Gesture::Type { text: "hi".to_owned(), point: None, clear: false, submit: false };
    let error = device.perform(&typing, ON).await.unwrap_err().to_string();
    assert!(error.contains("does not say which of its displays has the focus"), "{error}");
    assert_eq!(fake.acts(), [""; 0]);
}
