//! What is not carried out does not count as done: it is refused in words, with a status that says so.
use super::{device, run};

const UNSUPPORTED: &str = ": not supported by this virtual phone\n";

#[tokio::test]
async fn svc_switches_what_the_settings_and_the_network_tell() {
    let device = device();
    for (line, out) in [
        (
            "svc wifi disable; settings get global wifi_on; ip addr show wlan0 | grep -c inet",
            "0\n0\n",
        ),
        (
            "svc wifi enable; settings get global wifi_on; ip addr show wlan0 | grep -c inet",
            "1\n1\n",
        ),
        ("svc bluetooth disable; settings get global bluetooth_on", "0\n"),
        ("svc bluetooth enable; settings get global bluetooth_on", "1\n"),
        ("svc power stayon true; dumpsys power | grep -o mStayOn=.*", "mStayOn=true\n"),
        ("svc power stayon usb; settings get global stay_on_while_plugged_in", "2\n"),
        ("svc power stayon false; dumpsys power | grep -o mStayOn=.*", "mStayOn=false\n"),
        (
            "input keyevent SLEEP; svc power stayon ac; dumpsys power | grep -o Wakefulness=.*",
            "Wakefulness=Awake\n",
        ),
    ] {
        let (_, got, err) = run(&device, line).await;
        assert_eq!((got.as_str(), err.as_str()), (out, ""), "{line}");
    }
}

#[tokio::test]
async fn what_android_has_and_this_phone_has_not_is_no_success() {
    let device = device();
    for line in [
        "svc data disable",
        "svc nfc enable",
        "cmd notification post -S bigtext -t T tag hi",
        "cmd wifi status",
        "cmd phone data enable",
        "cmd connectivity airplane-mode enable",
        "cmd -w uimode night yes",
        "dumpsys connectivity",
        "dumpsys location",
        "dumpsys batterystats --reset",
        "am instrument -w com.example.test/androidx.test.runner.AndroidJUnitRunner",
        "am get-config",
        "am monitor",
        "am stack move-task 1 2 true",
        "dumpsys --priority HIGH window",
        "dumpsys --skip a,b",
        "pm list packages -i",
        "setprop debug.x 1",
        "settings reset system trusted_defaults",
    ] {
        let (status, out, err) = run(&device, line).await;
        let told = (status, out.as_str(), err.ends_with(UNSUPPORTED));
        assert_eq!(told, (255, "", true), "{line}: {err}");
    }
}

#[tokio::test]
async fn what_the_phone_came_with_is_not_uninstalled_and_its_apps_are_no_part_of_the_system() {
    let device = device();
    let (_, all, _) = run(&device, "pm list packages").await;
    let (_, apps, _) = run(&device, "pm list packages -3").await;
    let (_, system, _) = run(&device, "pm list packages -s").await;
    for line in all.lines() {
        assert_ne!(apps.contains(line), system.contains(line), "{line}");
    }
    assert_eq!(all.lines().count(), apps.lines().count() + system.lines().count());
    for name in apps.lines().filter_map(|it| it.strip_prefix("package:")) {
        let (status, out, _) = run(&device, &format!("pm uninstall {name}")).await;
        let own = name != "com.android.adbkeyboard";
        let failed = (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n");
        assert_eq!((status, out.as_str()), if own { failed } else { (0, "Success\n") }, "{name}");
        let path = format!("pm path {name} | grep -c ^package:/data/app/");
        assert_eq!(run(&device, &path).await.1, if own { "1\n" } else { "0\n" });
    }
    assert!(apps.contains("package:com.example.notes\n"), "{apps}");
}

#[tokio::test]
async fn programs_of_android_that_are_not_here_are_told_as_not_supported() {
    let device = device();
    for name in ["app_process", "bugreportz", "reboot", "run-as", "screenrecord", "service", "stop"]
    {
        let (status, _, err) = run(&device, &format!("{name} a")).await;
        let why = format!("/system/bin/sh: {name}: not supported by this virtual shell\n");
        assert_eq!((status, err), (127, why), "{name}");
    }
    assert_eq!(
        run(&device, "no_such_program").await.2,
        "/system/bin/sh: no_such_program: inaccessible or not found\n"
    );
}

#[tokio::test]
async fn builtins_of_mksh_that_are_not_there_are_told_as_not_supported() {
    let device = device();
    for name in ["set", "read", "unset", "trap", "kill", "umask", "readonly", "type", "shift", "."]
    {
        let (status, _, err) = run(&device, &format!("{name} a")).await;
        let why = format!("/system/bin/sh: {name}: not supported by this virtual shell\n");
        assert_eq!((status, err), (1, why), "{name}");
    }
    assert_eq!(device.adb_counts().unknown_commands, 10);
}

#[tokio::test]
async fn broadcasts_that_only_the_system_may_send_are_refused() {
    let device = device();
    for action in
        ["AIRPLANE_MODE --ez state true", "BOOT_COMPLETED -p a.b", "BATTERY_LOW", "SCREEN_OFF"]
    {
        let line = format!("am broadcast -a android.intent.action.{action}");
        let (status, out, err) = run(&device, &line).await;
        let name = action.split(' ').next().unwrap();
        let why = format!(
            "java.lang.SecurityException: Permission Denial: not allowed to send broadcast \
             android.intent.action.{name} from pid=4711, uid=2000\n"
        );
        let completed = out.contains("completed");
        assert_eq!((status, completed, err.contains(&why)), (255, false, true), "{line}: {err}");
    }
    let line = "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d file:///sdcard/a";
    assert!(run(&device, line).await.1.ends_with("Broadcast completed: result=0\n"));
}
