//! Opening apps by what people call them.
use std::sync::atomic::{AtomicUsize, Ordering};

use ayeaye_agent::{Device as _, DeviceCommand, DeviceError, Gesture, Performed, ScreenSize};

use super::fake::{Fake, Reply};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };

pub(super) const APPS: &str = "2 activities found:\n  Activity #0:\n    priority=0\n    \
    com.android.settings/.Settings\n    com.tencent.mm/.ui.LauncherUI\n    \
    com.tencent.mm/.Second\n    com.a.player/.A$B\n    com.b.player/.P\n";

#[tokio::test]
async fn apps_are_opened_by_what_people_call_them() {
    let fake = Fake::phone(|r| r.contains("query-activities").then(|| Reply::out(APPS))).await;
    let device = fake.open().await;
    assert_eq!(device.apps().await.unwrap().len(), 4);
    assert_eq!(device.apps().await.unwrap()[1].label.as_deref(), Some("WeChat"));
    let open = async |app: &str| device.perform(&Gesture::Awake { app: app.to_owned() }, ON).await;
    assert_eq!(open("微信").await.unwrap().opened.as_deref(), Some("com.tencent.mm"));
    open("com.a.player").await.unwrap();
    let starts = fake.acts();
    assert!(
        starts[0].starts_with("am start ")
            && starts[0].ends_with("-n 'com.tencent.mm/.ui.LauncherUI'")
    );
    assert!(starts[1].ends_with("-n 'com.a.player/.A$B'"));
    let unclear = open("player").await.unwrap_err().to_string();
    assert!(unclear.contains("com.a.player, com.b.player"), "{unclear}");
    let missing = open("'; reboot; '").await.unwrap_err();
    assert!(matches!(missing, DeviceError::NotSent { .. }));
    assert_eq!(fake.acts().len(), 2);
}

#[tokio::test]
async fn apps_of_a_television_are_opened_by_their_own_icon() {
    let fake = Fake::phone(|request| {
        if request.contains("query-activities") {
            assert!(request.contains("LEANBACK_LAUNCHER"), "in one round trip: {request}");
            let phone = "1 activities found:\n    com.a.both/.Phone\n";
            let tv = "2 activities found:\n    com.a.both/.Tv\n    com.a.cinema/.Tv\n";
            return Some(Reply::out(format!("{phone}--ayeaye--\n{tv}")));
        }
        request
            .contains("pm path --user $(am get-current-user 2>/dev/null | grep -m 1 -x '[0-9][0-9]*' || echo 0) com.a.service")
            .then(|| Reply::out("package:/system/a.apk\n"))
    })
    .await;
    let device = fake.open().await;
    let open = async |app: &str| device.perform(&Gesture::Awake { app: app.to_owned() }, ON).await;
    open("com.a.cinema").await.unwrap();
    open("com.a.both").await.unwrap();
    let starts = fake.acts();
    assert!(starts[0].contains("-c android.intent.category.LEANBACK_LAUNCHER "), "{starts:?}");
    assert!(starts[0].ends_with("-n 'com.a.cinema/.Tv'"), "{starts:?}");
    assert!(starts[1].contains("-c android.intent.category.LAUNCHER "), "{starts:?}");
    assert!(starts[1].ends_with("-n 'com.a.both/.Phone'"), "{starts:?}");
    let error = open("com.a.service").await.unwrap_err().to_string();
    assert!(error.contains("com.a.service is installed but has nothing to open"), "{error}");
    let error = open("com.a.nowhere").await.unwrap_err().to_string();
    assert!(error.contains("no app of this name is installed"), "{error}");
}

#[tokio::test]
async fn of_an_app_that_is_not_there_it_is_said_that_it_may_be_in_a_profile() {
    for (users, expected) in [
        (
            "\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Work:1030} running",
            Some("Work (user 10)"),
        ),
        // One that sleeps shows no icons, and another person's are not on this screen.
        ("\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Work:1030}", None),
        ("\tUserInfo{0:Owner:4c13} running\n\tUserInfo{11:Anna:410} running", None),
    ] {
        let fake = Fake::phone(move |request| {
            if request.contains("pm list users") {
                return Some(Reply::out(format!("Users:\n{users}\n--ayeaye--\n0\n")));
            }
            request.contains("query-activities").then(|| Reply::out(APPS))
        })
        .await;
        let awake = Gesture::Awake { app: "Slack".to_owned() };
        let error = fake.open().await.perform(&awake, ON).await.unwrap_err().to_string();
        assert!(error.contains("no app of this name is installed"), "{error}");
        let told = expected.unwrap_or("by its icon");
        assert_eq!(error.contains(told), expected.is_some(), "{error}");
    }
}

#[tokio::test]
async fn an_app_on_an_old_phone_is_looked_up_and_its_refusal_is_told() {
    let fake = Fake::phone(|request| {
        if request.contains("resolve-activity") {
            let told = "priority=0\ncom.android.settings/.Settings\n";
            let none = "No activity found\n--ayeaye--\nNo activity found\n";
            return Some(Reply::out(if request.contains("com.x.y") { none } else { told }));
        }
        if request.contains("query-activities") {
            return Some(Reply::Shell(String::new(), "Unknown command\n".to_owned(), 255));
        }
        if request.contains("pm list packages") {
            return Some(Reply::out("package:com.android.settings\npackage:com.x.y\n"));
        }
        let refusal = "Starting: Intent\nError type 3\nError: Activity class {x} does not exist.\n";
        request.contains("am start").then(|| Reply::out(refusal))
    })
    .await;
    let awake = Gesture::Awake { app: "Settings".to_owned() };
    let error = fake.open().await.perform(&awake, ON).await.unwrap_err();
    assert!(error.to_string().contains("Error type 3"), "{error}");
    let awake = Gesture::Awake { app: "com.x.y".to_owned() };
    let error = fake.open().await.perform(&awake, ON).await.unwrap_err();
    assert!(error.to_string().contains("nothing to open"), "{error}");
}

#[tokio::test]
async fn of_an_app_that_is_switched_off_that_is_said() {
    let fake = Fake::phone(|request| {
        if request.contains("pm list packages -d ") {
            let told =
                "package:/data/app/a.apk\n--ayeaye--\npackage:com.a.off.too\npackage:com.a.off\n";
            return Some(Reply::out(told));
        }
        request.contains("query-activities").then(|| Reply::out(APPS))
    })
    .await;
    let device = fake.open().await;
    for (app, expected) in [
        ("com.a.off", "com.a.off is switched off on this phone"),
        ("com.a.of", "com.a.of is installed but has nothing to open"),
    ] {
        let awake = Gesture::Awake { app: app.to_owned() };
        let error = device.perform(&awake, ON).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(fake.acts(), [""; 0]);
}

/// Phones before Android 7, and whatever answers nothing about icons.
#[tokio::test]
async fn a_phone_that_does_not_tell_what_an_icon_opens_opens_the_app_by_monkey() {
    let missing = "/system/bin/sh: cmd: not found\n--ayeaye--\n/system/bin/sh: cmd: not found\n";
    let injected = "Events injected: 1\n## Network stats: elapsed time=27ms\n";
    let none = "** No activities found to run, monkey aborted.\n";
    for (told, monkey, expected) in [
        (missing, (injected, 0), None),
        ("--ayeaye--\n", (injected, 0), None),
        (missing, (none, 252), Some("com.x.y is installed but has nothing to open")),
        (missing, ("monkey: not found", 127), Some("open the app by its icon")),
        ("--ayeaye--\n", ("", 0), Some("open the app by its icon")),
    ] {
        let fake = Fake::phone(move |request| {
            if request.contains("cmd package") {
                return Some(Reply::Shell(told.to_owned(), String::new(), 127));
            }
            if request.contains("monkey -p com.x.y ") {
                return Some(Reply::Shell(monkey.0.to_owned(), String::new(), monkey.1));
            }
            if request.contains("settings get system accelerometer_rotation") {
                return Some(Reply::out("0\n--ayeaye--\n1\n"));
            }
            if request.contains("mCurrentFocus") {
                return Some(Reply::out("  mCurrentFocus=Window{1 u0 com.x.y/com.x.y.Main}\n"));
            }
            request.contains("pm list packages").then(|| Reply::out("package:com.x.y\n"))
        })
        .await;
        let awake = Gesture::Awake { app: "com.x.y".to_owned() };
        let opened = fake.open().await.perform(&awake, ON).await;
        match (&opened, expected) {
            (Ok(performed), None) => {
                let opened = Some("com.x.y".to_owned());
                assert_eq!(*performed, Performed { opened, ..Performed::done() });
            }
            (Err(DeviceError::Refused { .. }), Some(why)) => {
                assert!(opened.unwrap_err().to_string().contains(why), "{monkey:?}");
            }
            other => panic!("{monkey:?}: {other:?}"),
        }
        // Monkey lets the screen turn, which its user had not.
        let back =
            "settings put system user_rotation 1; settings put system accelerometer_rotation 0";
        let of_monkey = |command: &String| command.starts_with("monkey ") && command.contains(back);
        assert!(fake.commands().iter().any(of_monkey), "in one line: {monkey:?}");
    }
}

#[tokio::test]
async fn where_the_screen_may_turn_nothing_is_put_back_after_monkey() {
    let fake = Fake::phone(|request| match request {
        _ if request.contains("monkey -p ") => Some(Reply::out("Events injected: 1\n")),
        _ if request.contains("settings get system") => Some(Reply::out("1\n--ayeaye--\n0\n")),
        _ if request.contains("pm list packages") => Some(Reply::out("package:com.x.y\n")),
        _ => None,
    })
    .await;
    let awake = Gesture::Awake { app: "com.x.y".to_owned() };
    drop(fake.open().await.perform(&awake, ON).await);
    let commands = fake.commands();
    assert!(commands.iter().any(|command| command.contains("monkey -p com.x.y ")));
    assert!(commands.iter().all(|command| !command.contains("settings put")), "{commands:?}");
}

#[tokio::test]
async fn an_activity_with_letters_of_any_script_is_opened_as_one_word() {
    let apps = "1 activities found:\n    com.a.player/.Mäin$主\n    com.b.player/.P;id\n";
    let fake = Fake::phone(move |r| r.contains("query-activities").then(|| Reply::out(apps))).await;
    let device = fake.open().await;
    assert_eq!(device.apps().await.unwrap().len(), 1);
    device.perform(&Gesture::Awake { app: "com.a.player".to_owned() }, ON).await.unwrap();
    assert!(fake.acts()[0].ends_with("-n 'com.a.player/.Mäin$主'"), "{:?}", fake.acts());
}

#[tokio::test]
async fn an_app_by_a_name_that_is_only_near_is_opened_with_a_word_and_not_removed() {
    let fake = Fake::phone(|r| r.contains("query-activities").then(|| Reply::out(APPS))).await;
    let device = fake.open().await;
    let named = async |app: &str| {
        device.perform(&Gesture::Awake { app: app.to_owned() }, ON).await.unwrap().note
    };
    let note = named("Setings").await.unwrap();
    assert!(note.contains("Settings (com.android.settings)") && note.contains("Setings"), "{note}");
    assert_eq!(named("Settings").await, None);
    let acts = fake.acts().len();
    for command in [
        DeviceCommand::StopApp { app: "Setings".to_owned() },
        DeviceCommand::Uninstall { app: "Setings".to_owned() },
    ] {
        let error = device.preview(&command).await.unwrap_err().to_string();
        assert!(error.contains("Settings (com.android.settings)"), "{error}");
        let error = device.perform(&Gesture::Command(command), ON).await.unwrap_err();
        assert!(matches!(error, DeviceError::NotSent { .. }), "{error}");
    }
    assert!(matches!(device.app_log("Setings", false, 9).await, Err(DeviceError::NotSent { .. })));
    assert_eq!(fake.acts().len(), acts);
}

/// Opens an app while these windows are in front, one after the other.
async fn opened(windows: &'static [&'static str]) -> Performed {
    let asked = AtomicUsize::new(0);
    let fake = Fake::phone(move |request| {
        if request.contains("query-activities") {
            return Some(Reply::out(APPS));
        }
        request.contains("mCurrentFocus").then(|| {
            let at = asked.fetch_add(1, Ordering::Relaxed).min(windows.len() - 1);
            let window = windows[at];
            Reply::out(format!(
                "  mCurrentFocus=Window{{1 u0 {window}}}\n  mFocusedApp=ActivityRecord{{1 u0 {window} t1}}\n"
            ))
        })
    })
    .await;
    let awake = Gesture::Awake { app: "com.a.player".to_owned() };
    fake.open().await.perform(&awake, ON).await.unwrap()
}

#[tokio::test]
async fn a_screen_of_an_app_is_not_taken_for_the_question_which_copy_is_meant() {
    const APP: &str = "com.a.player/com.a.player.Main";
    const RESOLVER: &str = "android/com.android.internal.app.ResolverActivity";
    for windows in [
        &["com.a.player/com.a.player.LanguageChooserActivity"][..],
        &["com.a.player/com.a.player.DeepLinkResolverActivity"],
        &["com.b.other/com.b.other.LinkResolverActivity", APP],
        // One that goes by itself asked nobody.
        &[RESOLVER, APP],
    ] {
        let app = Some("com.a.player".to_owned());
        let done = Performed { opened: app, ..Performed::done() };
        assert_eq!(opened(windows).await, done, "{windows:?}");
    }
    let asked = opened(&[RESOLVER]).await.uncertain.unwrap();
    assert!(asked.contains(RESOLVER) && asked.contains("there twice"), "{asked}");
}

#[tokio::test]
async fn a_locked_phone_is_told_as_locked_and_its_lock_screen_is_not_taken_for_the_shade() {
    for (policy, is_locked) in [
        ("mIsShowing=true\n mInputRestricted=true", true),
        ("showing=true\n occluded=false\n inputRestricted=true", true),
        ("mShowingLockscreen=false mDreamingLockscreen=false", false),
        // An alarm over the lock screen: what lies over that is the shade.
        ("showing=true\n occluded=true\n inputRestricted=true", false),
    ] {
        let fake = Fake::phone(move |request| {
            if request.contains("query-activities") {
                return Some(Reply::out(APPS));
            }
            request.contains("mCurrentFocus").then(|| {
                Reply::out(format!(
                    "  {policy}\n  mCurrentFocus=Window{{1 u0 NotificationShade}}\n  \
                     mFocusedApp=ActivityRecord{{1 u0 com.a.player/.Main t1}}\n"
                ))
            })
        })
        .await;
        let awake = Gesture::Awake { app: "com.a.player".to_owned() };
        let done = fake.open().await.perform(&awake, ON).await.unwrap();
        let told = done.uncertain.unwrap();
        assert_eq!(told.contains("is locked"), is_locked, "{policy}: {told}");
        assert_eq!(told.contains("notification shade"), !is_locked, "{policy}: {told}");
        let collapsed = fake.commands().iter().any(|it| it.contains("collapse"));
        assert_eq!(collapsed, !is_locked, "{:?}", fake.commands());
    }
}

/// A phone that is folded, and whose cover is a display of its own: 1.
#[tokio::test]
async fn an_app_is_opened_on_the_display_that_is_looked_at() {
    const PANELS: &str =
        "Display 4611 (HWC display 0): port=0\nDisplay 4622 (HWC display 1): port=1\n";
    const CUT: &str = "\n--ayeaye--\n";
    for (shown_on, has_focus, is_seen) in
        [(1, true, true), (0, true, false), (1, false, true), (0, false, false)]
    {
        let fake = Fake::phone(move |request| {
            if request.contains("query-activities") {
                return Some(Reply::out(APPS));
            }
            if request.contains("SurfaceFlinger") {
                let size = "Physical size: 20x30";
                return Some(Reply::out(["m", "14", "p", "34", size, "", PANELS].join(CUT)));
            }
            if request.contains("dumpsys display") {
                let viewport = |id: u32, display: u32| {
                    format!(
                        "DisplayViewport{{type=INTERNAL, valid=true, isActive={}, displayId={display}, \
                         uniqueId='local:{id}', logicalFrame=Rect(0, 0 - 20, 30), \
                         physicalFrame=Rect(0, 0 - 20, 30), deviceWidth=20, deviceHeight=30}}",
                        display == 1
                    )
                };
                let both = [viewport(4611, 0), viewport(4622, 1)].join(", ");
                return Some(Reply::out(format!("  mViewports=[{both}]\n")));
            }
            if request.starts_with("exec:screencap -d 4622") {
                let head = [20_u32, 30, 1, 1].into_iter().flat_map(u32::to_le_bytes);
                let raw: Vec<u8> = head.chain(std::iter::repeat_n(200, 20 * 30 * 4)).collect();
                return Some(Reply::Bytes(raw));
            }
            let app = |display: u32| {
                let app = if display == shown_on { "com.a.player/.Main" } else { "com.b.home/.Home" };
                format!("ActivityRecord{{2 u0 {app} t1}}")
            };
            let window = |display: u32| {
                let focused = if has_focus { app(display) } else { "null".to_owned() };
                format!("  Display: mDisplayId={display}\n  mFocusedApp={focused}\n")
            };
            let activity = |display: u32| {
                let resumed = app(display);
                format!("Display #{display} (activities):\n    topResumedActivity={resumed}\n")
            };
            let of_all = format!("  ResumedActivity: {}\n", app(shown_on));
            let activities = activity(0) + &activity(1) + &of_all;
            let told = [window(0) + &window(1), activities].join(CUT);
            request.contains("mCurrentFocus").then(|| Reply::out(told))
        })
        .await;
        let device = fake.open().await;
        device.info().await.unwrap();
        device.capture().await.unwrap();
        let awake = Gesture::Awake { app: "com.a.player".to_owned() };
        let done = device.perform(&awake, ON).await.unwrap();
        assert_eq!(done.uncertain.is_none(), is_seen, "{done:?}");
        assert!(fake.acts()[0].starts_with("am start --display 1 "), "{:?}", fake.acts());
    }
}
