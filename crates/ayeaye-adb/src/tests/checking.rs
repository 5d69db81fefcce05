//! What `ayeaye doctor` finds of a phone.
use ayeaye_agent::DeviceId;

use super::fake::{Fake, Reply};
use crate::{CheckupFinding, CheckupVerdict};

/// What is found about one thing, of a phone that answers by the function.
async fn found(
    about: &str,
    answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static,
) -> (Option<CheckupFinding>, Vec<String>) {
    let fake = Fake::phone(answer).await;
    let device = fake.devices().open_adb(&DeviceId::new("X")).await.unwrap();
    let found = device.checkup().await.into_iter().find(|it| it.about == about);
    (found, fake.commands())
}

#[tokio::test]
async fn a_list_of_elements_that_did_not_come_is_told_in_the_phones_words() {
    for (said, text, mend) in [
        (
            "ERROR: null root node returned by UiTestAutomationBridge.\n",
            "null root node returned",
            "wake and unlock",
        ),
        (
            "UI hierchary dumped to: /dev/tty\n",
            "dumped to: /dev/tty\", but the list did not come",
            "plug it in",
        ),
        ("", "the phone said nothing", "wake and unlock"),
        (
            concat!(
                include_str!("../../samples/uiautomator_dump/12_xiaomi-miui_2_error.txt"),
                "\nERROR: null root node returned by UiTestAutomationBridge.\n"
            ),
            "(the phone said \"ERROR: null root node",
            "wake and unlock",
        ),
        ("Segmentation fault\n", "Segmentation fault", "another app"),
        ("ERROR: could not get idle state.\n", "never rests", "switch off animations"),
    ] {
        let dumps = move |request: &str| {
            let dump = || Reply::Bytes(said.as_bytes().to_vec());
            request.starts_with("exec:uiautomator").then(dump)
        };
        let (finding, _) = found("elements", dumps).await;
        let finding = finding.unwrap();
        assert!(finding.text.contains(text) && finding.mend.contains(mend), "{finding:?}");
        let is_restless = said.contains("idle");
        assert_eq!(finding.mend.contains("animations"), is_restless, "{finding:?}");
    }
}

#[tokio::test]
async fn a_phone_older_than_android_7_is_a_problem() {
    for (level, expected) in
        [("23", Some(CheckupVerdict::Problem)), ("24", None), ("36", None), ("", None)]
    {
        let answer = move |request: &str| {
            request
                .ends_with("getprop ro.build.version.sdk")
                .then(|| Reply::out(format!("{level}\n")))
        };
        let (finding, _) = found("android", answer).await;
        assert_eq!(finding.as_ref().map(|it| it.verdict), expected, "{level}: {finding:?}");
    }
}

#[tokio::test]
async fn settings_are_tried_in_one_command_and_a_refusal_is_told() {
    const REFUSED: &str =
        "Exception occurred while executing 'put':\njava.lang.SecurityException: not you\n";
    for (out, err, code, expected) in [
        ("1\n", "", 0, Some("may be written, ")),
        (
            "1\n",
            REFUSED,
            255,
            Some("may not be written: exit code 255: java.lang.SecurityException: not you"),
        ),
        // Before Android 8.
        (
            "1\n",
            "Error while accessing settings provider\njava.lang.SecurityException: old\n",
            0,
            Some("exit code 0: java.lang.SecurityException: old"),
        ),
        (
            "1\nException occurred while executing:\njava.lang.SecurityException: no\n",
            "",
            0,
            Some("SecurityException: no"),
        ),
        // There was nothing to try it with.
        ("", "cmd: Can't find service: settings\n", 1, None),
    ] {
        let answer = move |request: &str| {
            let reply = || Reply::Shell(out.to_owned(), err.to_owned(), code);
            request.contains(" put ").then(reply)
        };
        let (finding, commands) = found("settings", answer).await;
        let text = finding.map(|it| it.text);
        assert_eq!(text.is_some(), expected.is_some(), "{text:?}");
        assert!(text.unwrap_or_default().contains(expected.unwrap_or_default()), "{expected:?}");
        let tries: Vec<_> = commands.iter().filter(|it| it.contains(" put ")).collect();
        assert_eq!(tries.len(), 1, "{tries:?}");
        let (read, put) = tries[0].rsplit_once(" && ").unwrap();
        assert!(
            read.contains("get system $key") && put.ends_with("put system $key \"$now\""),
            "{tries:?}"
        );
    }
}

/// What a shell makes of the line that tries it, with a `settings` that has these two values.
#[cfg(unix)]
#[tokio::test]
async fn the_setting_that_is_tried_gets_the_value_that_it_has() {
    let settings = "settings() { case \"$3 $5\" in \
        'get sound_effects_enabled') echo $SOUNDS;; 'get screen_off_timeout') echo $TIMEOUT;; \
        put*) echo \"$5=$6\";; esac; }";
    for (sounds, timeout, expected) in [
        ("1", "30000", "1\nsound_effects_enabled=1\n"),
        ("null", "30000", "30000\nscreen_off_timeout=30000\n"),
        ("null", "null", ""),
        ("$(id)", "", ""),
    ] {
        let output = tokio::process::Command::new("sh")
            .kill_on_drop(true)
            .args(["-c", &format!("{settings}; {}", crate::checkup::WRITE_AGAIN)])
            .env("SOUNDS", sounds)
            .env("TIMEOUT", timeout)
            .output()
            .await
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{sounds} {timeout}");
    }
}
