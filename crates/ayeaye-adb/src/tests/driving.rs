//! Gestures and states: what is sent, how often, and what is said of it.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ayeaye_agent::{
    Component, Device as _, DeviceError, Direction, Gesture, Key, Point, ScreenSize,
};

use super::fake::{Fake, Reply, packet};
use super::opening::APPS;

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };

fn click() -> Gesture {
    Gesture::Click { point: Point::new(500, 500).unwrap() }
}

/// A phone whose `input` answers like this.
async fn input(reply: Reply) -> Fake {
    Fake::phone(move |r| r.starts_with("shell,v2,raw:input").then(|| reply.clone())).await
}

#[tokio::test]
async fn every_gesture_is_one_call() {
    let fake = Fake::phone(|_| None).await;
    let device = fake.open().await;
    let point = Point::new(500, 500).unwrap();
    let gestures = [
        click(),
        Gesture::LongPress { point, duration: Duration::from_secs(1) },
        Gesture::Slide { from: point, to: point, duration: Duration::from_millis(300) },
        Gesture::Scroll { direction: Direction::Down, at: None },
        Gesture::Drag { from: point, to: point },
        Gesture::HotKey { key: Key::Recents },
    ];
    for gesture in &gestures {
        device.perform(gesture, ON).await.unwrap();
    }
    assert_eq!(
        fake.commands(),
        [
            "input tap 540 1200",
            "settings --user current get secure long_press_timeout; echo --ayeaye--; \
             settings --user 0 get secure long_press_timeout",
            "input swipe 540 1200 540 1200 1000",
            "input swipe 540 1200 540 1200 300",
            "input swipe 540 1800 540 600 500",
            "input draganddrop 540 1200 540 1200 1500",
            "input keyevent 187",
        ]
    );
}

#[tokio::test]
async fn what_answers_adb_without_a_shell_is_told_from_a_link_that_broke() {
    for is_shell in [false, true] {
        let fake = Fake::phone(move |request| {
            let line = request.strip_prefix("shell:");
            match request {
                "host-serial:X:features" => Some(Reply::Body("cmd".to_owned())),
                _ if line.is_some_and(|line| is_shell && line.starts_with("true;")) => {
                    let mark = line?.split('"').nth(1)?.strip_suffix("$?")?;
                    Some(Reply::Bytes(format!("{mark}0\r\n").into_bytes()))
                }
                _ => line.map(|_| Reply::Bytes(b"Pixel\n".to_vec())),
            }
        })
        .await;
        let error = fake.open().await.info().await.unwrap_err();
        if is_shell {
            assert!(matches!(error, DeviceError::LinkLost(..)), "{error:?}");
        } else {
            let told = error.to_string();
            assert!(matches!(error, DeviceError::Garbled { .. }), "{error:?}");
            assert!(told.contains("imitates adb") && told.contains("`Pixel`"), "{told}");
        }
    }
}

#[tokio::test]
async fn a_shell_that_ends_no_command_with_a_code_is_told_from_a_link_that_broke() {
    for ends_others in [false, true] {
        let fake = Fake::phone(move |request| {
            let line = request.strip_prefix("shell,v2,raw:")?;
            let is_ended = ends_others && line == "true";
            (!is_ended).then(|| Reply::Bytes(packet(1, b"Pixel\n")))
        })
        .await;
        let error = fake.open().await.info().await.unwrap_err();
        if ends_others {
            assert!(matches!(error, DeviceError::LinkLost(..)), "{error:?}");
        } else {
            assert!(matches!(error, DeviceError::Garbled { .. }), "{error:?}");
            assert!(error.to_string().contains("end without an exit status"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_tap_whose_answer_is_cut_anywhere_is_doubtful_and_sent_once() {
    let whole = [packet(1, b"ok\n"), packet(2, b""), packet(3, &[0])].concat();
    for end in 0..whole.len() {
        let fake = input(Reply::Bytes(whole[..end].to_vec())).await;
        let error = fake.open().await.perform(&click(), ON).await.unwrap_err();
        assert!(matches!(&error, DeviceError::LinkLost(..)), "{end}: {error:?}");
        assert!(error.may_have_acted());
        assert_eq!(fake.acts().len(), 1, "{end}");
    }
}

#[tokio::test]
async fn what_fails_before_the_tap_leaves_no_doubt() {
    for reply in [Reply::Mute, Reply::Cut, Reply::Fail("device offline")] {
        let broken = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&broken);
        let fake = Fake::phone(move |request| {
            let reached = request.starts_with("host:transport:");
            (reached && switch.load(Ordering::Relaxed)).then(|| reply.clone())
        })
        .await;
        let device = fake.open().await;
        broken.store(true, Ordering::Relaxed);
        let error = device.perform(&click(), ON).await.unwrap_err();
        assert!(!error.may_have_acted() && error.is_unreachable(), "{error:?}");
        assert_eq!(fake.acts(), [""; 0]);
    }
}

#[tokio::test]
async fn a_phone_that_is_silent_endless_or_mad_is_told_apart() {
    let error = async |reply| {
        let fake = input(reply).await;
        let error = fake.open().await.perform(&click(), ON).await.unwrap_err();
        assert_eq!(fake.acts().len(), 1);
        error
    };
    assert!(matches!(error(Reply::Silence).await, DeviceError::TimedOut { .. }));
    assert!(matches!(error(Reply::Mute).await, DeviceError::TimedOut { .. }));
    let flood = packet(1, &vec![b'x'; 60_000]);
    assert!(matches!(error(Reply::Endless(flood)).await, DeviceError::Garbled { .. }));
    let mad = Reply::Bytes(b"HTTP/1.1 400 Bad Request".to_vec());
    assert!(error(mad).await.may_have_acted());
    assert!(matches!(error(Reply::Fail("closed")).await, DeviceError::LinkLost(..)));
    assert!(matches!(error(Reply::Fail("device 'X' not found")).await, DeviceError::NotFound(_)));
}

#[tokio::test]
async fn a_phone_that_lets_nobody_touch_it_says_which_setting() {
    let samples = ["11_sharpadb_1.txt", "unknown_sharpadb_2.txt"];
    for sample in samples {
        let path = format!("{}/samples/input_error/{sample}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        // Some print it and call that success.
        for (reply, code) in [
            (Reply::Shell(text.clone(), String::new(), 0), 0),
            (Reply::Shell(String::new(), text.clone(), 255), 255),
        ] {
            let fake = input(reply).await;
            let error = fake.open().await.perform(&click(), ON).await.unwrap_err();
            assert!(matches!(&error, DeviceError::Refused { .. }), "{code}: {error:?}");
            assert!(error.to_string().contains("USB debugging (Security settings)"), "{error}");
        }
    }
    let fake = input(Reply::Shell(String::new(), "Error: Unknown command: drag\n".to_owned(), 1));
    let error = fake.await.open().await.perform(&click(), ON).await.unwrap_err();
    assert!(error.to_string().contains("exit code 1: Error: Unknown command: drag"), "{error}");
}

#[tokio::test]
async fn an_old_phone_tells_its_exit_codes_too() {
    let answer = Arc::new(std::sync::Mutex::new(String::from("%")));
    let text = Arc::clone(&answer);
    let fake = Fake::phone(move |request| {
        if request == "host-serial:X:features" {
            return Some(Reply::Body("cmd".to_owned()));
        }
        let line = request.strip_prefix("shell:")?;
        let mark = line.rsplit_once("echo \"")?.1.strip_suffix("$?\"")?;
        // The link that was cut off works again.
        let text = if line.starts_with("true;") {
            "%0\n".to_owned()
        } else {
            text.lock().unwrap().clone()
        };
        Some(Reply::Bytes(text.replace('%', mark).into_bytes()))
    })
    .await;
    let device = fake.open().await;
    let result = async |printed: &str| {
        *answer.lock().unwrap() = printed.to_owned();
        device.perform(&click(), ON).await
    };
    result("%0\r\n").await.unwrap();
    assert!(matches!(result("oops\r\n%1\r\n").await, Err(DeviceError::Refused { .. })));
    assert!(matches!(result("cut off").await, Err(DeviceError::LinkLost(..))));
    assert!(fake.acts()[0].starts_with("input tap 540 1200; echo \"ayeaye-end-"));
}

#[tokio::test]
async fn two_taps_are_adapted_to_the_phones_age() {
    for (sdk, parallel) in [("34\n", false), ("28\n", true), ("", false)] {
        let fake = Fake::phone(move |r| r.contains("build.version.sdk").then(|| Reply::out(sdk)));
        let fake = fake.await;
        let gesture = Gesture::DoubleClick { point: Point::new(1, 1).unwrap() };
        fake.open().await.perform(&gesture, ON).await.unwrap();
        let acts = fake.acts();
        assert_eq!(acts.len(), 1);
        assert_eq!(acts[0].contains("sleep"), parallel, "{acts:?}");
        assert_eq!(acts[0].matches("input tap 1 2").count(), 2);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_line_for_old_phones_is_read_by_a_shell_as_meant() {
    let line = crate::gesture::double_tap(Point::new(1, 1).unwrap(), ON, Some(28)).line;
    for (status, code) in [("true", 0), ("false", 1)] {
        let script = format!("input() {{ echo \"$@\"; {status}; }}\n{line}");
        let shell = if std::path::Path::new("/usr/bin/mksh").exists() { "mksh" } else { "sh" };
        let output =
            tokio::process::Command::new(shell).arg("-c").arg(script).output().await.unwrap();
        assert_eq!(output.stdout, b"tap 1 2\ntap 1 2\n", "{shell}");
        assert_eq!(output.status.code(), Some(code), "{shell}");
    }
}

fn state(awake: &str, locked: bool, app: &str) -> Reply {
    Reply::out(format!(
        "  mWakefulness={awake}\n--ayeaye--\n  mFocusedApp=ActivityRecord{{1 u0 {app} t1}}\n  \
         showing={locked}\n  inputRestricted={locked}\n--ayeaye--\n  mInputShown=true\n"
    ))
}

#[tokio::test]
async fn the_state_takes_one_call() {
    let fake = Fake::phone(|r| {
        r.contains("dumpsys power").then(|| state("Awake", false, "com.android.settings/.Settings"))
    })
    .await;
    let now = fake.open().await.state().await.unwrap();
    assert!(now.awake && !now.locked && now.keyboard_shown);
    let settings =
        Component { package: "com.android.settings".to_owned(), activity: ".Settings".to_owned() };
    assert_eq!(now.foreground, Some(settings));
    assert_eq!(fake.commands().len(), 1);

    let nothing = Fake::phone(|_| None).await;
    let error = nothing.open().await.state().await.unwrap_err();
    assert!(matches!(error, DeviceError::Garbled { .. }), "{error:?}");
}

/// What takes away a lock screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    Dismissed,
    /// Only a swipe does, although it has no secret.
    Swiped,
    Secret,
}

/// A phone that sleeps behind a lock screen, and what undoes either.
async fn sleeper(wakes: bool, lock: Lock, app: &'static str) -> Fake {
    let (awake, locked) = (AtomicBool::new(false), AtomicBool::new(true));
    Fake::phone(move |request| {
        let command = request.strip_prefix("shell,v2,raw:")?;
        match command {
            "input keyevent 224" => awake.store(wakes, Ordering::Relaxed),
            "wm dismiss-keyguard" => locked.store(lock != Lock::Dismissed, Ordering::Relaxed),
            _ if command.starts_with("input swipe") => {
                locked.store(lock == Lock::Secret, Ordering::Relaxed);
            }
            _ if command.contains("dumpsys trust") => {
                let secure = lock == Lock::Secret;
                return Some(Reply::out(format!(
                    "      secure={secure}\n--ayeaye--\n--ayeaye--\nfalse\n--ayeaye--\n   \
                     init=1080x2400 420dpi cur=1080x2400 app=1080x2337\n--ayeaye--\n"
                )));
            }
            _ if command.contains("dumpsys power") => {
                let word = if awake.load(Ordering::Relaxed) { "Awake" } else { "Dozing" };
                return Some(state(word, locked.load(Ordering::Relaxed), app));
            }
            _ if command.contains("category.HOME") => {
                return Some(Reply::out("priority=0\ncom.x.start/.Home\n"));
            }
            _ => {}
        }
        None
    })
    .await
}

#[tokio::test]
async fn a_phone_is_woken_and_unlocked_where_no_secret_is_needed() {
    let fake = sleeper(true, Lock::Dismissed, "com.android.settings/.Settings").await;
    let closed = fake.open().await.reset().await.unwrap();
    assert_eq!(closed.as_deref(), Some("com.android.settings"));
    let acts = fake.acts();
    assert_eq!(
        acts,
        [
            "input keyevent 224",
            "wm dismiss-keyguard",
            "am force-stop --user 0 com.android.settings >/dev/null 2>&1; input keyevent 3"
        ]
    );

    let fake = sleeper(true, Lock::Secret, "com.android.settings/.Settings").await;
    let error = fake.open().await.wake().await.unwrap_err();
    assert!(error.to_string().contains("a person has to unlock it"), "{error}");
    assert_eq!(fake.acts().len(), 2);

    let fake = sleeper(false, Lock::Dismissed, "com.android.settings/.Settings").await;
    assert!(matches!(fake.open().await.wake().await, Err(DeviceError::Refused { .. })));
}

#[tokio::test]
async fn a_lock_without_a_secret_that_stays_is_swiped_away() {
    let fake = sleeper(true, Lock::Swiped, "com.android.settings/.Settings").await;
    fake.open().await.wake().await.unwrap();
    let acts = ["input keyevent 224", "wm dismiss-keyguard", "input swipe 540 1920 540 480 200"];
    assert_eq!(fake.acts(), acts);
}

#[tokio::test]
async fn the_shade_over_an_app_that_is_opened_is_closed() {
    for closes in [true, false] {
        let closed = Arc::new(AtomicBool::new(false));
        let fake = Fake::phone(move |request| {
            if request.contains("statusbar collapse") {
                closed.store(closes, Ordering::SeqCst);
            }
            if request.contains("query-activities") {
                return Some(Reply::out(APPS));
            }
            let window = if closed.load(Ordering::SeqCst) { "com.a.player/.A" } else { "NotificationShade" };
            request.contains("mCurrentFocus").then(|| {
                Reply::out(format!(
                    "  mCurrentFocus=Window{{1 u0 {window}}}\n  mFocusedApp=ActivityRecord{{1 u0 com.a.player/.A t1}}\n--ayeaye--\n"
                ))
            })
        })
        .await;
        let device = fake.open().await;
        let opened = device.perform(&Gesture::Awake { app: "com.a.player".to_owned() }, ON).await;
        let told = opened.unwrap().uncertain;
        assert_eq!(told.is_none(), closes, "{told:?}");
        let acts = fake.commands();
        assert_eq!(acts.iter().filter(|act| act.contains("statusbar")).count(), 1, "{acts:?}");
    }
}

/// Runs a command line in a shell in which `am` refuses everything that is for user 10, as it does where a profile lets
/// no computer close apps.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a shell as a phone has one")]
fn in_a_shell(line: &str) -> Reply {
    let refusal = "java.lang.SecurityException: Shell does not have permission to access user 10";
    let am = format!(
        "am() {{ case $3 in 10) echo '{refusal}'; echo '{refusal}' >&2; return 255;; esac; }}"
    );
    let script = format!("{am}; input() {{ echo \"input $*\"; }}; {line}");
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    Reply::Shell(text(output.stdout), text(output.stderr), u8::try_from(code).unwrap())
}

#[cfg(unix)]
#[tokio::test]
async fn the_app_behind_the_shade_is_closed_at_the_start() {
    // In a work profile it is that copy; where that may not be closed, HOME is enough.
    for user in [0, 10] {
        let fake = Fake::phone(move |r| {
            if let Some(line) = r.strip_prefix("shell,v2,raw:").filter(|it| it.starts_with("am ")) {
                return Some(in_a_shell(line));
            }
            r.contains("dumpsys power").then(|| {
                Reply::out(format!(
                    "  mWakefulness=Awake\n--ayeaye--\n  mCurrentFocus=Window{{1 u0 NotificationShade}}\n  \
                     mFocusedApp=ActivityRecord{{1 u{user} com.android.settings/.Settings t1}}\n--ayeaye--\n"
                ))
            })
        })
        .await;
        let device = fake.open().await;
        let front = device.state().await.unwrap().foreground.unwrap();
        assert_eq!(front.package, "com.android.systemui");
        device.reset().await.unwrap();
        let acts = fake.acts();
        let close = format!("am force-stop --user {user} com.android.settings ");
        assert!(acts[0].starts_with(&close) && acts[0].ends_with("; input keyevent 3"), "{acts:?}");
    }
}

#[tokio::test]
async fn the_launcher_is_never_closed() {
    let fake = sleeper(true, Lock::Dismissed, "com.x.start/.Home").await;
    assert_eq!(fake.open().await.reset().await.unwrap(), None);
    assert_eq!(fake.acts().last().unwrap(), "input keyevent 3");
}
