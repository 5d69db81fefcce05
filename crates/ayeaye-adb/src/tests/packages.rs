//! Packages that are installed and removed, and logs, on phones where an app may be there twice.
use ayeaye_agent::{Device as _, DeviceCommand, DeviceId, Gesture, ScreenSize};

use super::fake::{Fake, Reply};
use super::opening::APPS;
use crate::ExchangeFolder;

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };
const PATH: &str = "pm path --user $(am get-current-user 2>/dev/null | grep -m 1 -x '[0-9][0-9]*' || echo 0) com.a.player";
const SEPARATOR: &str = "--ayeaye--";
const TWO_USERS: &str =
    "Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{999:Dual:4001010} running";

/// A phone whose commands print what the function says.
async fn phone(one: impl Fn(&str) -> &'static str + Send + Sync + 'static) -> Fake {
    Fake::phone(move |request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        if line.contains("query-activities") {
            return Some(Reply::out(APPS));
        }
        // The line with which a driver takes the phone over names its own folder.
        if let Some((_, own)) = line.split_once("/.ayeaye-old/") {
            return Some(Reply::out(format!("ayeaye-drivers: {}\n", &own[..17])));
        }
        let between = format!("; echo {SEPARATOR}; ");
        let printed: Vec<&str> = line.split(&between).map(&one).collect();
        Some(Reply::out(printed.join(&format!("\n{SEPARATOR}\n"))))
    })
    .await
}

fn uninstall() -> Gesture {
    Gesture::Command(DeviceCommand::Uninstall { app: "com.a.player".to_owned() })
}

#[tokio::test]
async fn an_app_that_others_have_too_is_removed_for_the_person_in_front_alone() {
    for (users, theirs, system, expected) in [
        ("Users:\n\tUserInfo{0:Owner:c13} running", "", "", "pm uninstall com.a.player"),
        (TWO_USERS, "package:com.a.player.more", "", "pm uninstall com.a.player"),
        (TWO_USERS, "package:com.a.player", "", "pm uninstall --user 0 com.a.player"),
        // What is not told may be there.
        (TWO_USERS, "java.lang.SecurityException: no", "", "pm uninstall --user 0 com.a.player"),
        // For one person alone a part of the phone could be taken away too.
        (TWO_USERS, "package:com.a.player", "package:com.a.player", "pm uninstall com.a.player"),
        // An old phone knows no such question.
        ("Error: unknown command 'list users'", "", "", "pm uninstall com.a.player"),
    ] {
        let fake = phone(move |line| match line {
            PATH => "package:/data/app/a.apk",
            "pm list users" => users,
            "am get-current-user" => "0",
            "pm list packages -s --user 0 com.a.player" => system,
            "pm list packages --user 999 com.a.player" => theirs,
            _ if line.starts_with("pm uninstall") => "Success",
            _ => "",
        })
        .await;
        let done = fake.open().await.perform(&uninstall(), ON).await.unwrap();
        assert_eq!(fake.commands().last().unwrap(), expected, "{theirs}");
        let note = done.note.unwrap();
        assert_eq!(note.contains("999"), expected.contains("--user"), "{note}");
    }
}

/// A phone with a Secure Folder, which lets no computer ask: without a user `pm list packages` asks it too since
/// Android 13, and fails as a whole.
#[tokio::test]
async fn a_part_of_the_phone_is_known_as_one_beside_a_secure_folder() {
    const USERS: &str =
        "Users:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{150:Secure Folder:10061030} running";
    const DENIED: &str = "\nException occurred while executing 'list':\njava.lang.SecurityException: \
        Shell does not have permission to access user 150\n\tat com.android.server.pm.X.y(Z.java:1)";
    for (own_user_may_be_asked, expected) in [
        (true, Ok("pm uninstall com.a.player")),
        (
            false,
            Err("does not tell whether com.a.player came with it: exit code 255: java.lang.Sec"),
        ),
    ] {
        let fake = Fake::phone(move |request| {
            let line = request.strip_prefix("shell,v2,raw:")?;
            let denied = || Reply::Shell(String::new(), DENIED.to_owned(), 255);
            Some(match line {
                PATH => Reply::out("package:/product/app/a.apk"),
                _ if line.starts_with("pm list users") => {
                    Reply::out(format!("{USERS}\n{SEPARATOR}\n0\n"))
                }
                "pm list packages -s --user 0 com.a.player" if own_user_may_be_asked => {
                    Reply::out("package:com.a.player")
                }
                _ if line.starts_with("pm list packages") => denied(),
                _ if line.starts_with("pm uninstall") => Reply::out("Success"),
                _ => return None,
            })
        })
        .await;
        let done = fake.open().await.perform(&uninstall(), ON).await;
        match expected {
            Ok(line) => {
                assert!(done.unwrap().note.unwrap().contains("updates of com.a.player"));
                assert_eq!(fake.commands().last().unwrap(), line);
            }
            Err(why) => {
                let error = done.unwrap_err();
                assert!(error.to_string().contains(why), "{error}");
                assert!(!error.may_have_acted(), "{error:?}");
                assert!(!fake.commands().iter().any(|line| line.contains("uninstall")));
            }
        }
    }
}

/// `AdbDevice::uninstall` takes away what was installed for everybody.
#[tokio::test]
async fn what_is_removed_is_removed_by_the_driver_alone() {
    let fake = phone(|line| if line.contains("pm uninstall") { "Success" } else { "" }).await;
    let device = fake.open().await;
    device.claim();
    device.uninstall("com.a.player").await.unwrap();
    let line = fake.commands().pop().unwrap();
    assert!(line.starts_with("(mkdir ") && line.contains("pm uninstall"), "{line}");
}

#[tokio::test]
async fn a_package_that_was_not_installed_does_not_stay_on_the_phone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.apk"), b"PK").unwrap();
    let fake = phone(|_| "").await;
    let devices = fake.devices().with_files(ExchangeFolder::new(folder.path().to_owned()));
    let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
    // The fake takes no files.
    let install =
        Gesture::Command(DeviceCommand::Install { file: "a.apk".to_owned(), package: None });
    device.perform(&install, ON).await.unwrap_err();
    let line = fake.commands().pop().unwrap();
    let place = line.strip_prefix("rm -f /data/local/tmp/ayeaye-").expect("it is removed");
    assert_eq!(place.len(), "0123456789abcdef0123456789abcdef.apk".len(), "{place}");
    assert_ne!(
        crate::install::new_place(),
        crate::install::new_place(),
        "of each installation its own"
    );
}

/// Some makers' adbd closes `exec:`.
#[tokio::test]
async fn an_app_is_installed_where_no_program_may_be_run_without_a_shell() {
    for (said, succeeds) in [("Success", true), ("Failure [INSTALL_FAILED_INVALID_APK]", false)] {
        let fake = Fake::phone(move |request| match request {
            "sync:" => Some(Reply::Sync(|id| match id {
                b"DONE" => b"OKAY\0\0\0\0".to_vec(),
                _ => Vec::new(),
            })),
            _ if request.starts_with("exec:") => Some(Reply::Cut),
            _ => request.contains("pm install -r").then(|| Reply::out(said)),
        })
        .await;
        let installed = fake.open().await.install(b"PK").await;
        assert_eq!(installed.is_ok(), succeeds, "{installed:?}");
        let line = fake.commands().pop().unwrap();
        assert!(line.starts_with("pm install -r /data/local/tmp/ayeaye-"), "{line}");
        assert!(line.contains("; rm -f /data/local/tmp/ayeaye-"), "{line}");
    }
}

#[tokio::test]
async fn of_an_app_that_is_there_twice_the_log_is_that_of_the_person_in_front() {
    for (pids, user, owners, expected) in [
        ("4321 1234", "0", "/proc/4321 99910123\n/proc/1234 10123", "1234"),
        ("4321 1234", "999", "/proc/4321 99910123\n/proc/1234 10123", "4321"),
        ("4321 1234", "10", "/proc/4321 99910123\n/proc/1234 10123", "4321"),
        ("4321 1234", "", "stat: not found", "4321"),
        ("1234", "0", "", "1234"),
    ] {
        let fake = phone(move |line| match line {
            PATH => "package:/data/app/a.apk",
            "pidof com.a.player" => pids,
            "am get-current-user" => user,
            _ if line.starts_with("stat -c") => owners,
            _ => "a line",
        })
        .await;
        fake.open().await.app_log("com.a.player", false, 10).await.unwrap();
        let line = fake.commands().pop().unwrap();
        assert!(line.contains(&format!("--pid={expected} ")), "{user}: {line}");
    }
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_not_one_without_crashes() {
    let fake = Fake::phone(|request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        if line.contains("query-activities") {
            return Some(Reply::out(APPS));
        }
        let said = "Unable to open log device '/dev/log/crash'\nayeaye-failed\n".to_owned();
        line.contains("logcat").then(|| Reply::Shell(String::new(), said, 0))
    })
    .await;
    let error = fake.open().await.app_log("com.a.player", true, 10).await.unwrap_err();
    assert!(error.to_string().contains("Unable to open log device"), "{error}");
}

/// Android 5.
#[tokio::test]
async fn an_app_in_front_is_not_told_as_not_running_where_the_phone_has_no_pidof() {
    for (code, expected) in [(1, "is not running"), (127, "this phone has no `pidof`")] {
        let fake = Fake::phone(move |request| {
            let line = request.strip_prefix("shell,v2,raw:")?;
            if line.contains("query-activities") {
                return Some(Reply::out(APPS));
            }
            line.starts_with("pidof ").then(|| Reply::Shell(String::new(), String::new(), code))
        })
        .await;
        let error = fake.open().await.app_log("com.a.player", false, 10).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn of_an_app_that_is_there_twice_that_of_the_person_in_front_is_stopped() {
    const OURS: &str = "  mFocusedApp=ActivityRecord{2 u0 com.a.player/.Main t1}";
    const DOUBLE: &str = "  mFocusedApp=ActivityRecord{2 u999 com.a.player/.Main t1}";
    const ANOTHER: &str = "  mFocusedApp=ActivityRecord{2 u10 com.b/.Main t1}";
    const OTHER: Option<&str> = Some("a copy of it for somebody else still runs");
    let certain = |note| (true, note);
    let doubtful = (false, None);
    for (in_front, told, owners, stopped, expected) in [
        (ANOTHER, "stopped", "", "current", certain(None)),
        (ANOTHER, "stopped\n4321", "/proc/4321 99910123", "current", certain(OTHER)),
        (OURS, "stopped\n4321 1234", "/proc/4321 99910123\n/proc/1234 10123", "0", doubtful),
        (ANOTHER, "stopped\n4321", "stat: not found", "current", doubtful),
        // What is on the screen is the double, or the copy in a work profile.
        (DOUBLE, "stopped", "", "999", certain(None)),
        (DOUBLE, "stopped\n1234", "/proc/1234 10123", "999", certain(OTHER)),
        (DOUBLE, "stopped\n4321", "/proc/4321 99910123", "999", doubtful),
    ] {
        let fake = phone(move |line| match line {
            PATH => "package:/data/app/a.apk",
            _ if line.starts_with("am force-stop") => told,
            "am get-current-user" => "0",
            _ if line.starts_with("stat -c") => owners,
            _ if line.starts_with("dumpsys power | grep") && !line.contains("dumpsys window") => {
                "mWakefulness=Awake"
            }
            _ if line.contains("mFocusedApp") => in_front,
            _ => "",
        })
        .await;
        let stop = Gesture::Command(DeviceCommand::StopApp { app: "com.a.player".to_owned() });
        let done = fake.open().await.perform(&stop, ON).await.unwrap();
        let (is_certain, note) = expected;
        assert_eq!(done.uncertain.is_none(), is_certain, "{in_front} {told}: {done:?}");
        let told_note = done.note.unwrap();
        assert!(told_note.contains(note.unwrap_or("stopped com.a.player")), "{told_note}");
        assert_eq!(told_note.contains("copy"), note.is_some(), "{told_note}");
        let acts = fake.acts();
        let line = format!("am force-stop --user {stopped} com.a.player");
        assert!(acts[0].starts_with(&line), "{acts:?}");
    }
}
