//! What other programs send to find out what is shown, and to go somewhere.
use super::{device, run};
use crate::{
    Phone, PhoneOptions,
    device::VirtualPhone,
    os::state::{Gesture, NodeState},
};

const HOME: &str = "com.android.launcher3/com.android.launcher3.uioverrides.QuickstepLauncher";

/// Status and stdout of a line that says nothing on stderr but warnings.
async fn out(device: &VirtualPhone, line: &str) -> (u8, String) {
    let (status, out, err) = run(device, line).await;
    assert!(err.is_empty() || err.starts_with("Warning: "), "{line}: {err}");
    (status, out)
}

#[tokio::test]
async fn home_is_an_activity_that_can_be_found_and_started() {
    let device = device();
    let intent = "-a android.intent.action.MAIN -c android.intent.category.HOME";
    for front in ["com.example.shop/.MainActivity", HOME] {
        assert_eq!(run(&device, &format!("am start -n {front}")).await.0, 0);
        let found = format!("cmd package resolve-activity --brief {intent}");
        let (status, told) = out(&device, &found).await;
        let brief = "com.android.launcher3/.uioverrides.QuickstepLauncher\n";
        assert_eq!((status, told.ends_with(brief)), (0, true), "{told}");
        let queried = format!("cmd package query-activities --components {intent}");
        assert_eq!(out(&device, &queried).await, (0, brief.to_owned()));
        let (status, _) = out(&device, &format!("am start {intent}")).await;
        assert_eq!((status, device.phone().foreground().full().as_str()), (0, HOME));
    }
    let (status, told) = out(&device, &format!("am start -W {intent}")).await;
    assert!(status == 0 && told.contains("\nStatus: ok\n"), "{told}");
    let other = format!("cmd package resolve-activity --brief {intent} com.example.shop");
    assert_eq!(out(&device, &other).await, (0, "No activity found\n".to_owned()));
}

#[tokio::test]
async fn pages_of_the_settings_are_opened_by_their_actions() {
    let device = device();
    for (args, class) in [
        ("WIFI_SETTINGS", "Settings$WifiSettingsActivity"),
        ("DISPLAY_SETTINGS", "Settings$DisplaySettingsActivity"),
        ("BLUETOOTH_SETTINGS", "Settings$BluetoothSettingsActivity"),
        ("SETTINGS", "Settings"),
        ("ACCESSIBILITY_SETTINGS", "Settings"),
        ("APPLICATION_DETAILS_SETTINGS -d package:com.example.shop", "Settings"),
        ("SOUND_SETTINGS", "Settings$SoundSettingsActivity"),
        ("WIFI_SETTINGS -p com.android.settings", "Settings$WifiSettingsActivity"),
        ("DEVICE_INFO_SETTINGS", "Settings$MyDeviceInfoActivity"),
    ] {
        run(&device, "am force-stop com.android.settings").await;
        let (status, _) = out(&device, &format!("am start -a android.settings.{args}")).await;
        let front = device.phone().foreground();
        assert_eq!((status, front.class), (0, format!("com.android.settings.{class}")), "{args}");
    }
    let found = "pm resolve-activity --components -a android.settings.WIFI_SETTINGS";
    let wifi = "com.android.settings/.Settings$WifiSettingsActivity\n";
    assert_eq!(out(&device, found).await, (0, wifi.to_owned()));
    let unknown = run(&device, "am start -a android.settings.NOPE").await;
    assert!(unknown.0 == 1 && unknown.2.contains("unable to resolve"), "{unknown:?}");
}

#[tokio::test]
async fn the_dump_of_the_keyboard_has_the_hint_of_the_field() {
    let device = device();
    let dump = "dumpsys input_method | grep -E 'hintText|packageName=|actionLabel|initialSel'";
    assert_eq!(run(&device, dump).await.1, "");
    device.phone().enable_input_method("com.android.adbkeyboard/.AdbIME", true).unwrap();
    device.phone().set_input_method("com.android.adbkeyboard/.AdbIME").unwrap();
    run(&device, "am start -n com.example.notes/.MainActivity").await;
    let tap = |what: &str| {
        let state = device.phone().state();
        let found = |node: &&NodeState| node.desc == what || node.id.ends_with(what);
        let (x, y) = state.nodes.iter().find(found).unwrap().center();
        device.phone().tap(x, y);
    };
    let settled = async || {
        while let Some(at) = device.phone().settles_at() {
            tokio::time::sleep_until(at).await;
        }
    };
    settled().await;
    tap("New note");
    settled().await;
    tap("/body");
    device.phone().commit_text("ab");
    let (_, told) = out(&device, dump).await;
    let wanted = "    actionLabel=null actionId=0\n    \
        initialSelStart=2 initialSelEnd=2 initialCapsMode=0x0\n    \
        hintText=Note label=null\n    packageName=com.example.notes ";
    assert!(told.starts_with(wanted), "{told}");
    run(&device, "am broadcast -a ADB_INPUT_CHARS --eia chars '128230, 67,32'").await;
    let field = device.phone().state().focused_field.unwrap();
    assert_eq!(field.text, "ab📦C ");
    assert_eq!(device.adb_counts().malformed_commands, 0);
}

#[tokio::test]
async fn dumps_that_others_ask_for_are_there() {
    let device = device();
    run(&device, "am start -n com.example.shop/.MainActivity").await;
    for (line, wanted) in [
        ("dumpsys SurfaceFlinger", "orientation=0"),
        ("dumpsys SurfaceFlinger", "GLES: "),
        ("dumpsys SurfaceFlinger", "320x640"),
        ("dumpsys window -a", "mCurrentFocus="),
        ("dumpsys window -a windows", "Window #0"),
        ("dumpsys activity -a top", "ACTIVITY com.example.shop/"),
        ("dumpsys notification", "Notification List:"),
        ("dumpsys notification --noredact", "Notification List:"),
        ("dumpsys meminfo", "Total RAM: 7,900,000K"),
        ("dumpsys meminfo com.example.shop", "** MEMINFO in pid "),
        ("dumpsys meminfo com.example.nope", "No process found for: com.example.nope"),
        ("dumpsys cpuinfo", "CPU usage from "),
        ("ps --help", "-A"),
        ("dumpsys gfxinfo com.example.shop", "Graphics info for pid "),
        ("dumpsys package", "Package [com.example.shop]"),
        ("dumpsys package", "Package [com.android.launcher3]"),
        ("dumpsys package packages", "Package [com.example.shop]"),
        ("dumpsys -l", "  meminfo\n"),
    ] {
        let (status, told) = out(&device, line).await;
        assert!(status == 0 && told.contains(wanted), "{line}: {told}");
    }
    for (turns, degrees) in [(0, 0), (1, 90), (3, 270)] {
        device.phone().set_rotation(turns);
        let (_, told) = out(&device, "dumpsys SurfaceFlinger").await;
        assert!(told.contains(&format!("orientation={turns}")), "{told}");
        let window = "dumpsys window | grep -o mCurrentRotation=ROTATION_.*";
        let rotation = format!("mCurrentRotation=ROTATION_{degrees}\n");
        assert_eq!(out(&device, window).await.1, rotation);
        let display = "dumpsys display | grep -o mCurrentOrientation=.*";
        assert_eq!(out(&device, display).await.1, format!("mCurrentOrientation={turns}\n"));
    }
}

#[tokio::test]
async fn the_task_in_front_is_the_visible_one_and_home_is_a_task() {
    let device = device();
    run(&device, "am start -n com.example.shop/.MainActivity").await;
    let (_, told) = out(&device, "am stack list | grep visible=").await;
    let visible: Vec<&str> = told.lines().filter(|line| line.contains(" visible=true ")).collect();
    let [visible] = visible[..] else { panic!("{told}") };
    let end = "topActivity=ComponentInfo{com.example.shop/com.example.shop.MainActivity}";
    assert!(visible.trim_start().starts_with("taskId=") && visible.ends_with(end), "{visible}");
    assert!(told.contains(&format!(": {HOME} ")), "{told}");
    device.phone().key(3, false);
    let (_, told) = out(&device, "am stack list | grep visible=true").await;
    assert!(told.ends_with(&format!("topActivity=ComponentInfo{{{HOME}}}\n")), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    let ids = out(&device, "am stack list | grep -o taskId=.*:").await.1;
    assert_eq!(ids.lines().count(), 2, "{ids}");
}

#[tokio::test]
async fn programs_are_files_and_say_how_they_are_used() {
    let device = device();
    for name in ["ls", "sh", "pidof", "screencap", "[", "echo", "chmod"] {
        let path = format!("/system/bin/{name}");
        assert_eq!(out(&device, &format!("ls {path}")).await, (0, format!("{path}\n")));
        assert_eq!(out(&device, &format!("[ -x {path} ] && which {name}")).await.1, path + "\n");
    }
    for (line, told) in [
        ("cp --help", "usage: cp [-afnpRr]\n"),
        ("pidof --help", "usage: pidof [-s]\n"),
        ("which --help", "usage: which\n"),
        ("sync", ""),
        ("stat /sdcard | head -n 1", "  File: '/sdcard'\n"),
        ("stat /system/bin/ls | grep -o '^Access: (.*/-'", "Access: (0755/-\n"),
        ("x='a b'; set | grep -e ^x= -e ^HOME=", "HOME=/\nx='a b'\n"),
        ("x=\"it's\"; set | grep ^x=", "x='it'\\''s'\n"),
        ("cd /data/local/tmp; touch a; chmod 700 a; stat -c %a a", "700\n"),
        ("cd /data/local/tmp; mkdir -p d/e; touch d/e/f; chmod -R u=rwx,go= d", ""),
        ("cd /data/local/tmp; stat -c %a d d/e d/e/f; rm -r a d", "700\n700\n700\n"),
        ("cd /sdcard; touch a; chmod 777 a; stat -c %a a", "660\n"),
    ] {
        assert_eq!(out(&device, line).await, (0, told.to_owned()), "{line}");
    }
    for (line, told) in [
        (
            "chmod 644 /system/build.prop",
            "chmod '/system/build.prop' to 0644: Read-only file system",
        ),
        ("chmod 644 nope", "nope: No such file or directory"),
        ("chmod 9 /sdcard/a", "bad mode '9'"),
        ("chmod 644", "Needs 1 argument"),
    ] {
        let expected = (1, String::new(), format!("chmod: {told}\n"));
        assert_eq!(run(&device, line).await, expected, "{line}");
    }
}

#[tokio::test]
async fn permissions_are_granted_to_packages_that_there_are() {
    let device = device();
    let camera = "android.permission.CAMERA";
    for line in [
        &format!("pm grant com.example.shop {camera}"),
        &format!("pm revoke --user 0 com.example.shop {camera}"),
        "cmd package grant --all-permissions com.example.shop",
    ] {
        assert_eq!(out(&device, line).await, (0, String::new()), "{line}");
    }
    for (line, told) in [
        (
            format!("pm grant a.b {camera}"),
            "java.lang.IllegalArgumentException: Unknown package: a.b",
        ),
        ("pm grant com.example.shop".to_owned(), "Error: no permission specified"),
        ("pm grant".to_owned(), "Error: no package specified"),
    ] {
        let (status, _, err) = run(&device, &line).await;
        assert!(status != 0 && err.contains(told), "{line}: {err}");
    }
    let uid = "pm list packages -U -f com.example.shop | grep -o ' uid:.*'";
    assert_eq!(out(&device, uid).await.1, " uid:10016\n");
}

#[tokio::test]
async fn getevent_tells_how_large_the_touch_screen_is() {
    let device = device();
    let (_, told) = out(&device, "getevent -p | grep -E '003[56]'").await;
    let axis = |code, most| {
        format!(
            "                {code}  : value 0, min 0, max {most}, fuzz 0, flat 0, resolution 0\n"
        )
    };
    assert_eq!(told, axis("0035", 319) + &axis("0036", 639));
    let labels = "getevent -lp | grep -o 'ABS_MT_POSITION_Y  *: value 0, min 0, max 639'";
    assert_eq!(out(&device, labels).await.0, 0);
    let (status, _, err) = run(&device, "getevent -c 1").await;
    assert_eq!(
        (status, err.as_str()),
        (255, "getevent -c 1: not supported by this virtual phone\n")
    );
}

#[tokio::test(start_paused = true)]
async fn events_of_a_finger_are_one_gesture() {
    let device = device();
    for (line, gesture) in [
        ("DOWN 100 500; motionevent UP 100 500", Gesture::Tap { x: 100.0, y: 500.0 }),
        (
            "DOWN 100 500; sleep 0.7; motionevent UP 101 500",
            Gesture::Swipe { from: (100.0, 500.0), to: (101.0, 500.0), ms: 700 },
        ),
        (
            "DOWN 100 500; sleep 0.1; motionevent MOVE 100 400; sleep 0.1; motionevent UP 100 300",
            Gesture::Swipe { from: (100.0, 500.0), to: (100.0, 300.0), ms: 200 },
        ),
        (
            "DOWN 100 500; sleep 0.7; motionevent MOVE 100 400; sleep 0.3; motionevent UP 100 300",
            Gesture::Drag { from: (100.0, 500.0), to: (100.0, 300.0), ms: 1000 },
        ),
    ] {
        let before = device.phone().state().actions.len();
        let line =
            format!("input motionevent {line}").replace("; motionevent", "; input motionevent");
        assert_eq!(out(&device, &line).await, (0, String::new()), "{line}");
        let actions = device.phone().state().actions;
        assert_eq!(actions.len(), before + 1, "{line}");
        assert_eq!(actions.last().map(|it| &it.gesture), Some(&gesture), "{line}");
    }
    // What is cancelled, and what no finger began.
    let before = device.phone().state().actions.len();
    let line = "input motionevent DOWN 100 500; input motionevent CANCEL; \
        input touchscreen motionevent UP 100 500";
    assert_eq!(out(&device, line).await, (0, String::new()));
    assert_eq!(device.phone().state().actions.len(), before);
    assert_eq!(device.adb_counts().malformed_commands, 1);
    let (status, _, err) = run(&device, "input motionevent FLY 1 2").await;
    assert!(status == 255 && err.contains("Unknown action: FLY"), "{err}");
}

#[tokio::test]
async fn a_task_is_named_by_the_activity_it_began_with_and_can_be_removed() {
    let device = device();
    run(&device, "am start -n com.example.notes/.MainActivity").await;
    run(&device, "am start -n com.example.notes/.EditActivity").await;
    let (_, line) = out(&device, "am stack list | grep com.example.notes/").await;
    let top = "topActivity=ComponentInfo{com.example.notes/com.example.notes.EditActivity}\n";
    assert!(line.ends_with(top), "{line}");
    let (id, _) = line.trim_start().strip_prefix("taskId=").unwrap().split_once(": ").unwrap();
    assert!(line.contains(&format!("{id}: com.example.notes/com.example.notes.MainActivity ")));
    let recents =
        "dumpsys activity recents | grep -c 'realActivity={com.example.notes/.MainActivity}'";
    assert_eq!(out(&device, recents).await.1, "1\n");
    assert_eq!(out(&device, "am stack remove 4711").await, (0, String::new()));
    assert_eq!(device.phone().tasks().len(), 1);
    assert_eq!(out(&device, &format!("am stack remove {id}")).await, (0, String::new()));
    assert!(device.phone().tasks().is_empty());
    let lock = out(&device, "am task lock stop").await;
    assert_eq!(lock, (0, "Activity manager is not in lockTaskMode\n".to_owned()));
}

#[tokio::test]
async fn what_ps_lists_pidof_finds() {
    let device = device();
    run(&device, "am start -n com.example.shop/.MainActivity").await;
    let (_, listed) = out(&device, "ps -A").await;
    for name in [
        "init",
        "system_server",
        "com.android.systemui",
        "com.android.launcher3",
        "com.example.shop",
    ] {
        let (status, pid) = out(&device, &format!("pidof {name}")).await;
        let line = listed.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap();
        assert_eq!((status, line.split_whitespace().nth(1)), (0, Some(pid.trim())), "{name}");
    }
    let (status, both) = out(&device, "pidof com.example.shop nope com.android.systemui").await;
    assert_eq!((status, both.split_whitespace().count()), (0, 2), "{both}");
    assert_eq!(out(&device, "pidof nope").await, (1, String::new()));
}

#[tokio::test]
async fn the_keyboard_in_use_is_named_as_the_version_names_it() {
    for (sdk, line, expected) in [
        (34, "dumpsys input_method | grep -c mCurMethodId=", "1\n"),
        (36, "dumpsys input_method | grep -c mCurMethodId=", "0\n"),
        (36, "dumpsys input_method | grep -c '^  UserId='", "2\n"),
        (34, "dumpsys input_method | grep -c mSelectedMethodId=", "0\n"),
    ] {
        let options = PhoneOptions { width: 320, height: 640, sdk, ..PhoneOptions::default() };
        let device = VirtualPhone::new(Phone::new(options));
        assert_eq!(run(&device, line).await.1, expected, "{sdk} {line}");
    }
}
