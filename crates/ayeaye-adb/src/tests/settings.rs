//! Settings that are changed and put back.
use std::sync::Mutex;

use ayeaye_agent::{Device as _, DeviceError, PutBack, SettingChange};

use super::fake::{Fake, Reply};

const SEPARATOR: &str = "--ayeaye--";
const OURS: &str = "com.android.adbkeyboard/.AdbIME";

fn change(setting: &str, before: Option<&str>, value: &str) -> SettingChange {
    let before = before.map(ToOwned::to_owned);
    SettingChange { setting: setting.to_owned(), before, value: value.to_owned() }
}

/// A phone whose commands print what the function says, and end with this code.
async fn phone(code: u8, one: impl Fn(&str) -> &'static str + Send + Sync + 'static) -> Fake {
    Fake::phone(move |request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        let between = format!("; echo {SEPARATOR}; ");
        let printed: Vec<&str> = line.split(&between).map(&one).collect();
        Some(Reply::Shell(printed.join(&format!("\n{SEPARATOR}\n")), String::new(), code))
    })
    .await
}

#[tokio::test]
async fn a_phone_that_is_still_starting_has_refused_nothing() {
    let timeout = change("system/screen_off_timeout", Some("30000"), "1800000");
    let fake = phone(20, |_| "cmd: Can't find service: settings").await;
    let error = fake.open().await.put_back(&timeout).await.unwrap_err();
    assert!(error.is_unreachable(), "{error:?}");
    // The one service is there, and the other one lists nothing yet.
    let enabled = change(&format!("keyboard-enabled/{OURS}"), None, "enabled");
    let fake = phone(0, |line| if line.starts_with("settings") { OURS } else { "" }).await;
    let error = fake.open().await.put_back(&enabled).await.unwrap_err();
    assert!(error.is_unreachable(), "{error:?}");
    assert_eq!(fake.acts(), [""; 0]);
}

#[tokio::test]
async fn a_setting_that_is_not_told_is_neither_put_back_nor_forgotten() {
    for (told, expected) in [
        ("1800000", Some(PutBack::Done)),
        ("WARNING: linker: x has text relocations.\n1800000", Some(PutBack::Done)),
        ("60000", Some(PutBack::ChangedSince)),
        ("null", Some(PutBack::ChangedSince)),
        ("", None),
        ("WARNING: linker: x has text relocations.", None),
    ] {
        let timeout = change("system/screen_off_timeout", Some("30000"), "1800000");
        let asked = Mutex::new(0);
        let answer = move |line: &str| match line {
            "getprop sys.boot_completed" => "1",
            _ if line.starts_with("settings") && line.contains(" get ") => {
                let mut asked = asked.lock().unwrap();
                *asked += 1;
                if *asked == 1 { told } else { "30000" }
            }
            _ => "",
        };
        let fake = phone(0, answer).await;
        let put_back = fake.open().await.put_back(&timeout).await;
        if let Some(expected) = expected {
            assert_eq!(put_back.unwrap(), expected, "{told}");
        } else {
            let error = put_back.unwrap_err();
            assert!(matches!(error, DeviceError::Garbled { .. }), "{told}: {error:?}");
        }
    }
}

/// A phone that answers to `get` with this, and to a change with an error on its other stream, ending with 0.
async fn refusing(now: &'static str, told: &'static str) -> Fake {
    Fake::phone(move |request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        let one = |line: &str| match line {
            "getprop sys.boot_completed" => "1",
            _ if line.starts_with("settings") && line.contains(" get ") => now,
            _ => "",
        };
        let printed: Vec<&str> = line.split("; echo --ayeaye--; ").map(one).collect();
        let changes =
            line.contains(" put ") || line.contains(" delete ") || line.contains("ime set");
        let told = if changes { told } else { "" };
        Some(Reply::Shell(printed.join("\n--ayeaye--\n"), told.to_owned(), 0))
    })
    .await
}

const OLD_REFUSAL: &str = "Error while accessing settings provider\njava.lang.SecurityException: Permission denial: \
    writing to secure settings requires android.permission.WRITE_SECURE_SETTINGS\n\tat android.os.Parcel.x(Y.java:1)\n";

#[tokio::test]
async fn why_a_setting_is_refused_is_told() {
    let timeout = change("system/screen_off_timeout", Some("30000"), "1800000");
    for (told, expected) in [
        (OLD_REFUSAL, "Disable permission monitoring"),
        (
            "\nException occurred while executing 'put':\njava.lang.SecurityException: not this one\n\tat a.B\n",
            "java.lang.SecurityException: not this one",
        ),
        ("", "system/screen_off_timeout cannot be set: it is still 30000"),
    ] {
        let fake = refusing("30000", told).await;
        let error = fake.open().await.change_setting(&timeout).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_setting_is_put_back_only_where_it_has_that_value_then() {
    for (before, now, told, expected) in [
        (Some("30000"), "1800000", OLD_REFUSAL, "Disable permission monitoring"),
        (Some("30000"), "1800000", "Can't set key x\n", "Can't set key x"),
        (Some("30000"), "1800000", "", "it is still 1800000"),
        (None, "1800000", OLD_REFUSAL, "WRITE_SECURE_SETTINGS"),
    ] {
        let timeout = change("system/screen_off_timeout", before, "1800000");
        let fake = refusing(now, told).await;
        let error = fake.open().await.put_back(&timeout).await.unwrap_err();
        assert!(matches!(error, DeviceError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(fake.commands().len(), 2, "it is read in the command that changes it");
    }
    let keyboard = change("keyboard", Some("com.own/.Ime"), OURS);
    let fake = refusing(OURS, "Error: Unknown id: com.own/.Ime\n").await;
    let error = fake.open().await.put_back(&keyboard).await.unwrap_err();
    assert!(error.to_string().contains("Unknown id"), "{error}");
}

#[tokio::test]
async fn what_a_phone_prints_instead_of_a_value_is_never_taken_for_the_one_before() {
    for told in ["", "cmd: Can't find service: settings", "WARNING: linker: x"] {
        let answer = move |line: &str| match line {
            _ if line.starts_with("dumpsys battery") => "USB powered: true",
            _ if line.starts_with("settings") && line.contains(" get ") => told,
            _ => "",
        };
        let device = phone(0, answer).await;
        let device = device.open().await;
        assert!(device.ways_to_stay_awake().await.is_err(), "{told}");
        assert!(device.ways_to_stop_animations().await.is_err(), "{told}");
    }
}

#[tokio::test]
async fn the_timeout_is_that_of_the_person_in_front() {
    let answer = |user: &'static str| {
        move |line: &str| match line {
            "getprop sys.boot_completed" => "1",
            "am get-current-user" => user,
            "settings --user 10 get system screen_off_timeout" => "1800000",
            "settings --user current get system screen_off_timeout" if user == "10" => "30000",
            "settings --user current get system screen_off_timeout"
            | "settings get system screen_off_timeout" => "15000",
            _ if line.starts_with("settings") && line.contains(" get ") => "0",
            _ => "",
        }
    };
    // An old phone knows no such question.
    for user in ["0", "Error: Unknown command: get-current-user"] {
        let ways = phone(0, answer(user)).await.open().await.ways_to_stay_awake().await.unwrap();
        assert_eq!(ways, [change("system/screen_off_timeout", Some("15000"), "1800000")]);
    }
    let asked = Mutex::new(0);
    let own = move |line: &str| {
        if line != "settings --user 10 get system screen_off_timeout" {
            return answer("10")(line);
        }
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        // Changed, seen when it is to be put back, and after that.
        ["1800000", "1800000", "30000"][*asked - 1]
    };
    let fake = phone(0, own).await;
    let device = fake.open().await;
    let theirs = change("system@10/screen_off_timeout", Some("30000"), "1800000");
    assert_eq!(device.ways_to_stay_awake().await.unwrap(), std::slice::from_ref(&theirs));
    device.change_setting(&theirs).await.unwrap();
    // Whoever is in front by then.
    assert_eq!(device.put_back(&theirs).await.unwrap(), PutBack::Done);
    let puts: Vec<String> = fake.commands().into_iter().filter(|it| it.contains(" put ")).collect();
    assert!(
        puts[0].starts_with("settings --user 10 put system screen_off_timeout '1800000';"),
        "{puts:?}"
    );
    assert!(
        puts[1].starts_with("settings --user 10 put system screen_off_timeout '30000';"),
        "{puts:?}"
    );
    // A value of theirs that was never set could not be taken away again: that is no phone that stays awake.
    let unset = |line: &str| match line {
        "am get-current-user" => "10",
        "settings --user current get system screen_off_timeout" => "null",
        _ if line.starts_with("settings") => "0",
        _ => "",
    };
    let refused = phone(0, unset).await.open().await.ways_to_stay_awake().await.unwrap_err();
    assert!(matches!(refused, DeviceError::Refused { .. }), "{refused}");
}

#[tokio::test]
async fn language_and_timeout_are_those_of_the_person_in_front() {
    let fake = Fake::phone(|request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        let told = |line: &str| match line {
            "settings --user current get system system_locales" => "pt-BR",
            "settings get system system_locales" => "de-DE",
            "settings --user current get system screen_off_timeout" => "60000",
            "settings get system screen_off_timeout" => "15000",
            "date '+%s %z'" => "1700000000 +0000",
            _ if line.contains(" put ") => "1",
            _ => "",
        };
        let told: Vec<&str> = line.split("; echo --ayeaye--; ").map(told).collect();
        Some(Reply::out(told.join("\n--ayeaye--\n")))
    })
    .await;
    let device = fake.open().await;
    assert_eq!(device.surroundings().await.unwrap().languages.as_deref(), Some("pt-BR"));
    let found = device.checkup().await;
    let sleep = found.iter().find(|it| it.about == "sleep").unwrap();
    assert!(sleep.text.contains("after 60 s"), "{sleep:?}");
    let put = fake.commands().into_iter().find(|line| line.contains(" put ")).unwrap();
    assert!(put.contains("settings --user current put system "), "{put}");
}
