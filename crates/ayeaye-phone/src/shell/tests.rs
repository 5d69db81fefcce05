//! Command lines as clients send them, and their output.
mod clients;
mod clock;
mod limits;
mod log;
mod paths;
mod refusals;
mod scripts;
mod sessions;
mod toybox;

use std::{path::Path, time::Duration};

use super::{
    io::{Io, PIPE_LIMIT, Sink, Stdin},
    process::{Shell, Stop},
};
use crate::{
    device::VirtualPhone, memory::HeldBuffer, options::PhoneOptions, os::state::Gesture,
    phone::Phone,
};

fn device() -> VirtualPhone {
    let options = PhoneOptions { width: 320, height: 640, ..PhoneOptions::default() };
    VirtualPhone::new(Phone::new(options))
}

/// Status, stdout and stderr of one line.
async fn run(device: &VirtualPhone, line: &str) -> (u8, String, String) {
    let (stdout, out) = Sink::pipe(device.memory(), PIPE_LIMIT);
    let (stderr, err) = Sink::pipe(device.memory(), PIPE_LIMIT);
    let io = Io { stdin: Stdin::bytes("in\n".into()), stdout, stderr };
    let mut shell = Shell::new(device.clone());
    let status = match shell.run_line(line, &io).await {
        Ok(status) | Err(Stop::Exit(status)) => status,
        Err(stop) => panic!("{line}: {stop:?}"),
    };
    shell.output_closed().await;
    let text = |buffer: std::sync::Arc<std::sync::Mutex<HeldBuffer>>| {
        let buffer = buffer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        String::from_utf8_lossy((*buffer).as_ref()).into_owned()
    };
    (status, text(out), text(err))
}

#[tokio::test]
async fn lines_do_what_they_do_in_mksh() {
    let device = device();
    for (line, status, out) in [
        ("echo a  'b  c' \"d $HOME\"", 0, "a b  c d /\n"),
        ("x=1 y=2; echo $x$y ${x}z", 0, "12 1z\n"),
        ("false; echo $?", 0, "1\n"),
        ("print -r -- '-a\\nb' c; print -n 'a\\nb'", 0, "-a\\nb c\na\nb"),
        ("false && echo no || echo yes", 0, "yes\n"),
        ("! false", 0, ""),
        ("true | false", 1, ""),
        ("echo a | cat | cat", 0, "a\n"),
        ("echo $(echo 'a  b') \"$(echo 'a  b')\"", 0, "a b a  b\n"),
        ("x='a b'; echo $x \"$x\" \"\" $nothing.", 0, "a b a b  .\n"),
        ("(cd /sdcard; exit 3); echo $? $PWD", 0, "3 /\n"),
        ("{ echo a; echo b; } > /sdcard/f; grep -n . < /sdcard/f", 0, "1:a\n2:b\n"),
        ("echo c >> /sdcard/f; cat /sdcard/f", 0, "a\nb\nc\n"),
        ("echo hidden > /dev/null 2>&1", 0, ""),
        ("cd /sdcard; echo > a.x; echo > b.x; echo *.x '*.x' *.y", 0, "a.x b.x *.x *.y\n"),
        ("echo 'a1\nb2' | grep -E '^(a|c)'", 0, "a1\n"),
        ("echo a1 | grep -c z", 1, "0\n"),
        ("A=b; (A=c); echo $A", 0, "b\n"),
        ("sh -c 'exit 4'; echo $?", 0, "4\n"),
        ("eval 'z=1'; echo $z", 0, "1\n"),
        ("exit 300", 44, ""),
        ("cat", 0, "in\n"),
        ("echo a#b # c", 0, "a#b\n"),
        ("echo a\\\nb", 0, "ab\n"),
        ("/system/bin/echo x", 0, "x\n"),
        ("{ echo abc; false || echo d; } | (tail -c 4 2>/dev/null || cat)", 0, "c\nd\n"),
        ("stat -c %d:%s:%n /data/local/tmp", 0, "64769:4096:/data/local/tmp\n"),
        ("toybox echo x", 0, "x\n"),
    ] {
        let (got_status, got_out, err) = run(&device, line).await;
        assert_eq!((got_status, got_out.as_str(), err.as_str()), (status, out, ""), "{line}");
    }
}

/// Android's shell, where it is installed: the real thing to compare with.
pub(super) fn mksh() -> Option<&'static str> {
    ["/bin/mksh", "/usr/bin/mksh"].into_iter().find(|path| Path::new(path).exists())
}

/// Lines with background jobs, and the status and stdout they have in `mksh`.
const JOBS: [(&str, u8, &str); 17] = [
    ("sleep 0.1 & wait $!; echo $?", 0, "0\n"),
    ("(exit 3) & wait $!; echo $?", 0, "3\n"),
    ("exit 3 & wait $!; echo $?", 0, "3\n"),
    ("(exit 3) & p=$!; (exit 4) & wait $p $!; echo $?; wait $p; echo $?", 0, "4\n127\n"),
    ("wait 99999; echo $?", 0, "127\n"),
    ("wait; echo \"$?<$!>\"", 0, "0<>\n"),
    ("false & echo $?; wait", 0, "0\n"),
    ("cat & wait", 0, ""),
    ("a=1; a=2 & wait; echo $a", 0, "1\n"),
    ("echo a & wait; echo b", 0, "a\nb\n"),
    ("echo $(sleep 0.1 & echo a)", 0, "a\n"),
    ("{ echo a & wait; } | cat", 0, "a\n"),
    ("sleep 0.1 && echo late & echo early; wait", 0, "early\nlate\n"),
    ("false || echo c & wait", 0, "c\n"),
    ("eval 'sleep 0.1 &' 'wait; echo ok'", 0, "ok\n"),
    ("(sleep 0.1 & echo $!) | grep -c .", 0, "1\n"),
    ("sleep 0.1 & (wait $!; echo $?)", 0, "127\n"),
];

/// Lines with assignments, redirections and substitutions in place of a command, likewise.
const STATUSES: [(&str, u8, &str); 16] = [
    ("x=$(false); echo $?", 0, "1\n"),
    ("p=$(exit 3) && echo a || echo b", 0, "b\n"),
    ("$(exit 4); echo $?", 0, "4\n"),
    ("false; y=1; echo $?", 0, "0\n"),
    ("false; >/dev/null; echo $?", 0, "0\n"),
    ("x=$(exit 3) y=1; echo $?", 0, "3\n"),
    ("x=$(exit 3) y=$(true); echo $?", 0, "0\n"),
    ("x=1 $(exit 4); echo $?", 0, "4\n"),
    ("x=$(exit 3) true; echo $?", 0, "0\n"),
    ("$(false) >/dev/null; echo $?", 0, "1\n"),
    (">$(echo /dev/null; exit 5); echo $?", 0, "5\n"),
    ("echo $(exit 4) $?", 0, "0\n"),
    ("false; echo $(true)$?", 0, "1\n"),
    ("false; x=a$(echo $?); echo $x $?", 0, "a1 0\n"),
    ("! x=$(false); echo $?", 0, "0\n"),
    ("x=$(false)", 1, ""),
];

/// Conditions, likewise; `/` and `/dev/null` are on both.
const CONDITIONS: [(&str, u8, &str); 27] = [
    ("[ -e '/nope' ] && echo a || echo b", 0, "b\n"),
    ("[ -e / ] && echo __PASS__", 0, "__PASS__\n"),
    ("[ -d / ] && [ ! -f / ]", 0, ""),
    ("[ -e '' ]", 1, ""),
    ("test 1 -eq 01", 0, ""),
    ("test 2 -gt 10", 1, ""),
    ("test 2 -lt 10 -a 3 -ge 3", 0, ""),
    ("[ 1 -ne 2 -a 2 -le 1 ]", 1, ""),
    ("[ 1 -eq x ]", 1, ""),
    ("x=1; [ 1 -eq x ]", 0, ""),
    ("[ 3 -gt '' ]", 0, ""),
    ("[ 1 -eq 1x ]", 2, ""),
    ("[ a = a ", 2, ""),
    ("[ a == a ]", 0, ""),
    ("[ a != a ]", 1, ""),
    ("test", 1, ""),
    ("[ ]", 1, ""),
    ("test x", 0, ""),
    ("test ''", 1, ""),
    ("test a b", 2, ""),
    ("[ a b c ]", 2, ""),
    ("[ -n x -o -n '' ]", 0, ""),
    ("[ -z ]", 0, ""),
    ("[ ! ]", 0, ""),
    ("[ ! = a ]", 1, ""),
    ("[ ! -n a ]", 1, ""),
    ("command -v echo nope [; echo $?", 0, "echo\n1\n"),
];

#[tokio::test]
async fn commands_are_found_by_their_names() {
    let device = device();
    let (status, out, _) = run(&device, "command -v ls input test").await;
    assert_eq!((status, out.as_str()), (0, "/system/bin/ls\n/system/bin/input\ntest\n"));
    assert_eq!(run(&device, "command -v nope").await.0, 1);
    assert_eq!(run(&device, "command echo a").await.1, "a\n");
    for name in super::commands::names::all() {
        let (_, _, err) = run(&device, &format!("{name} --nope")).await;
        assert!(!err.contains(&format!(": {name}: inaccessible")), "{name}: {err}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn background_jobs_run_and_statuses_are_as_in_mksh() {
    let device = device();
    let mksh = mksh();
    for (line, status, out) in JOBS.into_iter().chain(STATUSES).chain(CONDITIONS) {
        let (got_status, got_out, err) = run(&device, line).await;
        assert_eq!((got_status, got_out.as_str()), (status, out), "{line}: {err}");
        assert_eq!(err.is_empty(), status != 2, "{line}: {err}");
        let Some(mksh) = mksh else { continue };
        let mut command = tokio::process::Command::new(mksh);
        let command = command.args(["-c", line]).stdin(std::process::Stdio::null());
        let real = command.kill_on_drop(true).output().await.unwrap();
        let real_out = String::from_utf8(real.stdout).unwrap();
        assert_eq!((real.status.code(), real_out.as_str()), (Some(status.into()), out), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn jobs_run_at_the_same_time() {
    let device = device();
    let start = tokio::time::Instant::now();
    let (status, out, _) = run(&device, "sleep 2 & sleep 3 & sleep 1; echo 1; wait; echo 3").await;
    assert_eq!((status, out.as_str(), start.elapsed().as_secs()), (0, "1\n3\n", 3));
    // The output ends when no job can write to it any more.
    let (_, out, _) = run(&device, "(sleep 2; echo late) & echo early").await;
    assert_eq!((out.as_str(), start.elapsed().as_secs()), ("early\nlate\n", 5));
    run(&device, "sleep 9 > /dev/null 2>&1 &").await;
    assert_eq!(start.elapsed().as_secs(), 5);
    let (_, _, err) = run(&device, &"sleep 1 & ".repeat(40)).await;
    assert_eq!(err.lines().count(), 8, "{err}");
}

/// Where `input` takes long to start, two taps are a double tap only when the second `input` is
/// started while the first still runs.
#[tokio::test(start_paused = true)]
async fn two_taps_are_a_double_tap_when_they_are_close_in_time() {
    let in_turn = "input tap 50 60 && input tap 50 60";
    let together = "input tap 50 60 & first=$!; sleep 0.12; input tap 50 60 && wait $first";
    for (sdk, line, double_taps) in
        [(34, in_turn, 1), (30, in_turn, 0), (30, together, 1), (34, together, 1)]
    {
        let options = PhoneOptions { sdk, ..PhoneOptions::default() };
        let device = VirtualPhone::new(Phone::new(options));
        let (status, _, err) = run(&device, line).await;
        assert_eq!((status, err.as_str()), (0, ""));
        let counts = device.phone().state().counts;
        assert_eq!((counts.taps, counts.double_taps), (2, double_taps), "{sdk}: {line}");
    }
}

#[tokio::test]
async fn what_fails_says_so_as_android_does() {
    let device = device();
    for (line, status, err) in [
        ("foo", 127, "/system/bin/sh: foo: inaccessible or not found\n"),
        ("echo )", 1, "/system/bin/sh: syntax error: unexpected ')'\n"),
        ("cd /nope", 2, "/system/bin/sh: cd: /nope: No such file or directory\n"),
        (
            "echo a > /system/x",
            1,
            "/system/bin/sh: can't create /system/x: Read-only file system\n",
        ),
        ("cat /nope", 1, "cat: /nope: No such file or directory\n"),
        ("ls -e", 1, "ls: Unknown option 'e' (see \"ls --help\")\n"),
        ("ls -Z", 255, "ls -Z: not supported by this virtual phone\n"),
        ("input keyevent NOPE 9999", 0, ""),
        (
            "am start -n a/.B 2>&1 >/dev/null | cat >&2",
            0,
            "Error type 3\nError: Activity class {a/a.B} does not exist.\n",
        ),
        ("monkey --nope 1", 255, "** Error: Unknown option: --nope\n"),
        ("am start -n com.example.shop/.MainActivity", 0, ""),
        (
            "am start -n com.example.shop/.MainActivity",
            0,
            "Warning: Activity not started, its current task has been brought to the front\n",
        ),
        ("am start -W -n com.example.shop/.MainActivity", 0, ""),
        (
            "am start -a no.Such",
            1,
            "Error: Activity not started, unable to resolve Intent { act=no.Such flg=0x10000000 }\n",
        ),
        (
            "uiautomator dump --windows",
            255,
            "uiautomator dump --windows: not supported by this virtual phone\n",
        ),
        (
            "ime set com.android.adbkeyboard/.AdbIME",
            255,
            "Unknown input method com.android.adbkeyboard/.AdbIME cannot be selected for user #0\n",
        ),
        ("ime set nope/.X", 255, "Unknown input method nope/.X cannot be selected for user #0\n"),
    ] {
        let (got_status, _, got_err) = run(&device, line).await;
        assert_eq!((got_status, got_err.as_str()), (status, err), "{line}");
    }
    let counts = device.adb_counts();
    assert_eq!((counts.unknown_commands, counts.syntax_errors), (1, 1));
    assert!(counts.malformed_commands >= 3, "{counts:?}");
    assert_eq!(device.phone().state().counts.unknown_keys, 2);
}

#[tokio::test]
async fn settings_are_of_a_user_and_listed_with_what_was_put() {
    let device = device();
    for (line, status, out, err) in [
        (
            "settings put --user 0 system zoom 3; settings get system --user current zoom",
            0,
            "3\n",
            "",
        ),
        ("settings --user 0 put system b 1 tag && settings get system b", 0, "1\n", ""),
        ("settings put global c --user 0 2 tag default && settings get global c", 0, "2\n", ""),
        (
            "settings list --user 0 system | grep -E '^(b|font_scale|zoom)='",
            0,
            "b=1\nfont_scale=1.0\nzoom=3\n",
            "",
        ),
        (
            "settings delete --user 0 system zoom; settings list system | grep -c zoom",
            1,
            "Deleted 1 rows\n0\n",
            "",
        ),
        (
            "settings list secure | grep ^default_input",
            0,
            "default_input_method=com.android.inputmethod.latin/.LatinIME\n",
            "",
        ),
        ("settings put --user 10 system a 1", 255, "", "Invalid user: 10\n"),
        ("settings get system a --user 0", 255, "", "Too many arguments\n"),
        ("settings put system a 1 tag other", 255, "", "Argument expected to be 'default'\n"),
        ("settings put system a", 255, "", "Bad arguments\n"),
    ] {
        let got = run(&device, line).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (status, out, err), "{line}");
    }
}

#[tokio::test]
async fn an_app_that_is_cleared_is_stopped_and_as_on_a_new_phone() {
    let device = device();
    device.phone().receive_message("Ada", "a new one");
    run(&device, "am start -n com.example.messages/.ConversationListActivity").await;
    let conversations = || device.phone().state().conversations;
    let before = conversations();
    for (line, status, out, err) in [
        ("pm clear com.example.nope", 1, "", "Failed\n"),
        ("pm clear", 1, "", "Error: no package specified\n"),
        ("pm clear --nope x", 1, "Error: Unknown option: --nope\n", ""),
        ("pm clear --cache-only com.example.messages", 0, "Success\n", ""),
    ] {
        let got = run(&device, line).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (status, out, err), "{line}");
    }
    assert_eq!(conversations(), before);
    let new = Phone::new(PhoneOptions::default()).state().conversations;
    assert_ne!(before, new);
    let (status, out, _) = run(&device, "cmd package clear --user 0 com.example.messages").await;
    assert_eq!((status, out.as_str()), (0, "Success\n"));
    assert_eq!(conversations(), new);
    assert!(device.phone().tasks().is_empty());
    assert_eq!(device.phone().foreground().package, "com.android.launcher3");
    for app in ["android", "com.android.settings", "com.android.launcher3", "com.example.shop"] {
        assert_eq!(run(&device, &format!("pm clear {app}")).await.1, "Success\n", "{app}");
    }
}

/// Answers that Android has on stdout, whether they are of success or not.
#[tokio::test(start_paused = true)]
async fn what_android_says_on_stdout_is_there() {
    let device = device();
    let injected = "Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n";
    for (line, status, out) in [
        (
            "am start -W -n a/.B",
            1,
            "Starting: Intent { cmp=a/.B }\nError type 3\nError: Activity class {a/a.B} does not exist.\n",
        ),
        (
            "am start -W -a no.Such",
            1,
            "Starting: Intent { act=no.Such }\nError: Activity not started, unable to resolve Intent { act=no.Such flg=0x10000000 }\n",
        ),
        (
            "am start -W -n a/.B -d 'https://a.example/b?c=d'",
            1,
            "Starting: Intent { dat=https://a.example/... cmp=a/.B }\nError type 3\nError: Activity class {a/a.B} does not exist.\n",
        ),
        ("input fly 1", 0, "Unknown command: fly\n"),
        ("am fly", 255, "Unknown command: fly\n"),
        ("wm fly", 255, "Unknown command: fly\n"),
        ("cmd window fly", 255, "Unknown command: fly\n"),
        ("ime fly", 255, "Unknown command: fly\n"),
        ("monkey -p a.b 1", 252, "** No activities found to run, monkey aborted.\n"),
        ("monkey -p com.example.shop --pct-touch 100 --ignore-crashes -v 1", 0, injected),
        ("monkey --pct-syskeys 0 --ignore-timeouts -p com.example.shop 1", 0, injected),
    ] {
        let got = run(&device, line).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (status, out, ""), "{line}");
    }
}

#[tokio::test]
async fn grep_shows_context_and_names() {
    let device = device();
    let lines = r"cd /sdcard; echo 'a\nb\nc\nd\ne\nf\ng\nb2' > f; echo x > g";
    assert_eq!(run(&device, lines).await.0, 0);
    for (args, status, out) in [
        ("-A1 b f", 0, "b\nc\n--\nb2\n"),
        ("-B 1 -n b f", 0, "1-a\n2:b\n--\n7-g\n8:b2\n"),
        ("-C1 b f g", 0, "f-a\nf:b\nf-c\n--\nf-g\nf:b2\n"),
        ("-A 2 -e b -e d f", 0, "b\nc\nd\ne\nf\n--\nb2\n"),
        ("-c b f g", 0, "f:2\ng:0\n"),
        ("-hc b f g", 0, "2\n0\n"),
        ("-l b f g", 0, "f\n"),
        ("-l x < g", 0, "(standard input)\n"),
        ("-m1 b f", 0, "b\n"),
        ("-nm 1 b f", 0, "2:b\n"),
        ("-x b f", 0, "b\n"),
        ("-o b f g", 0, "f:b\nf:b\n"),
        ("-x nope f", 1, ""),
        ("-vc . f", 1, "0\n"),
        ("-- -l f", 1, ""),
    ] {
        let (got_status, got_out, err) = run(&device, &format!("cd /sdcard; grep {args}")).await;
        assert_eq!((got_status, got_out.as_str(), err.as_str()), (status, out, ""), "{args}");
    }
    let refused = run(&device, "grep -A x f").await;
    assert_eq!((refused.0, refused.2.as_str()), (2, "grep: not integer: x\n"));
}

#[tokio::test]
async fn the_screen_turns_by_the_setting_only_where_it_does_not_turn_itself() {
    let device = device();
    let mode = "dumpsys window displays | grep -o 'USER_ROTATION_[A-Z]*'";
    for (line, turns, shown) in [
        ("settings put system user_rotation 1", 1, "LOCKED"),
        ("settings put system accelerometer_rotation 1", 1, "FREE"),
        ("settings put system user_rotation 3", 1, "FREE"),
        ("wm user-rotation lock", 1, "LOCKED"),
        ("wm user-rotation free; settings put system user_rotation 2", 1, "FREE"),
        ("settings put system accelerometer_rotation 0", 2, "LOCKED"),
        ("wm user-rotation free", 2, "FREE"),
        ("wm user-rotation lock 0", 0, "LOCKED"),
    ] {
        run(&device, line).await;
        let (_, out, _) = run(&device, mode).await;
        let shown = format!("USER_ROTATION_{shown}\n");
        assert_eq!((device.phone().rotation(), out), (turns, shown), "{line}");
    }
}

#[tokio::test]
async fn text_that_a_shell_could_run_stays_text_in_quotes() {
    let device = device();
    for text in ["$(reboot)", "`id`", "; exit 9", "a'b", "\"", "\\", "*", "é 你好", "-n"] {
        let quoted = format!("'{}'", text.replace('\'', r"'\''"));
        let (status, out, _) = run(&device, &format!("echo -nE . {quoted}")).await;
        assert_eq!((status, out), (0, format!(". {text}")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_swipe_takes_its_time_and_is_counted_once() {
    let device = device();
    let before = tokio::time::Instant::now();
    let (status, ..) = run(&device, "input swipe 10 20 30 40 700").await;
    assert_eq!(status, 0);
    assert_eq!(before.elapsed(), Duration::from_millis(700));
    assert_eq!(device.phone().state().counts.swipes, 1);
}

#[tokio::test(start_paused = true)]
async fn a_swipe_that_began_is_finished() {
    let device = device();
    let cut = tokio::time::timeout(
        Duration::from_millis(100),
        run(&device, "input swipe 10 20 30 40 700"),
    );
    assert!(cut.await.is_err());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(device.phone().state().counts.swipes, 1);
}

#[tokio::test(start_paused = true)]
async fn before_android_12_a_drag_sees_no_touch_and_hold_delay() {
    for (sdk, delay, drags) in [
        (29, "500", true),
        (30, "400", true),
        (30, "500", false),
        (30, "1500", false),
        (31, "1500", true),
    ] {
        let options = PhoneOptions { width: 320, height: 640, sdk, ..PhoneOptions::default() };
        let device = VirtualPhone::new(Phone::new(options));
        device.phone().put_setting("secure", "long_press_timeout", Some(delay));
        run(&device, "input draganddrop 160 400 160 200 2500").await;
        let actions = device.phone().state().actions;
        let has_dragged = matches!(actions.last().unwrap().gesture, Gesture::Drag { .. });
        assert_eq!(has_dragged, drags, "{sdk} {delay}");
    }
}

#[tokio::test]
async fn what_agents_look_for_is_there() {
    let device = device();
    for (line, wanted) in [
        ("wm size", "Physical size: 320x640\n"),
        ("wm size 400x800; wm size; wm size reset", "Override size: 400x800\n"),
        ("dumpsys window displays | grep mCurrentFocus", "  mCurrentFocus=Window{"),
        ("dumpsys window | grep mFocusedApp", "  mFocusedApp=ActivityRecord{"),
        ("dumpsys activity activities", "topResumedActivity=ActivityRecord{"),
        ("dumpsys power", "mWakefulness=Awake"),
        ("dumpsys window policy", "showing=false"),
        ("dumpsys input_method", "mInputShown=false"),
        ("dumpsys input", "SurfaceOrientation: 0"),
        ("dumpsys display", "deviceWidth=320, deviceHeight=640"),
        ("dumpsys battery", "level: 87"),
        ("getprop", "[ro.build.version.release]: [14]\n"),
        ("settings get system screen_brightness_mode", "0\n"),
        ("getprop ro.product.model", "Aye-aye virtual phone\n"),
        ("settings get secure default_input_method", "/"),
        ("ime list -s", "/"),
        ("pm list packages", "package:com.android.settings\n"),
        (
            "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER com.android.settings",
            "isDefault=true\ncom.android.settings/.",
        ),
        (
            "uiautomator dump && cat /sdcard/window_dump.xml",
            "UI hierchary dumped to: /sdcard/window_dump.xml\n<?xml",
        ),
        // There is none.
        ("uiautomator dump /dev/tty", "UI hierchary dumped to: /dev/tty\n"),
        ("uiautomator dump /nowhere/a.xml", "UI hierchary dumped to: /nowhere/a.xml\n"),
        (
            "cd /sdcard; uiautomator dump --verbose a.xml && cat /sdcard/a.xml",
            "UI hierchary dumped to: /sdcard/a.xml\n<?xml",
        ),
        ("dumpsys SurfaceFlinger --display-id", "Display 4619827259835644672 "),
    ] {
        let (_, out, err) = run(&device, line).await;
        assert!(out.contains(wanted), "{line}: {out}{err}");
    }
}

#[tokio::test]
async fn pipes_and_nesting_are_bounded() {
    let device = device();
    let (status, out, _) = run(&device, "screencap | cat | grep -c .").await;
    assert_eq!(status, 0, "{out}");
    let deep = format!("{}true{}", "( ".repeat(20), " )".repeat(20));
    assert_eq!(run(&device, &deep).await.0, 0);
}

#[tokio::test]
async fn a_short_line_does_not_take_any_amount_of_memory() {
    let device = device();
    let doubled = format!("a=aaaaaaaaaaaaaaaa; {}echo no", "a=$a$a; ".repeat(24));
    let many = (0..40).map(|number| format!("b{number}=$a")).collect::<Vec<_>>().join("; ");
    let many = format!("a=aaaaaaaaaaaaaaaa; {}{many}; echo no", "a=$a$a; ".repeat(15));
    let words = format!("a=aaaaaaaaaaaaaaaa; {}echo{}", "a=$a$a; ".repeat(15), " $a".repeat(40));
    let exported = format!("a=aaaaaaaaaaaaaaaa; {}export {}", "a=$a$a; ".repeat(15), "b=$a$a");
    for line in [&doubled, &many, &words, &exported] {
        let (status, out, err) = run(&device, line).await;
        let said = err.starts_with("internal error: can't allocate ")
            && err.ends_with(" data bytes: Cannot allocate memory\n");
        assert!(said && status == 255 && out.is_empty(), "{line}: {status} {out} {err}");
    }
    let (status, out, _) = run(&device, &format!("({doubled}); echo $?")).await;
    assert_eq!((status, out.as_str()), (0, "255\n"), "the shell around it goes on");

    let big = vec![b'x'; 40 << 20];
    device.files().write("/sdcard/big", big, 0o644, 0).unwrap();
    for (line, full) in [
        ("echo $(cat /sdcard/big)", "cat: write: No space left on device\n"),
        ("grep x /sdcard/big /sdcard/big | cat", "grep: write: No space left on device\n"),
    ] {
        let (_, out, err) = run(&device, line).await;
        assert!(out.len() < 2 && err == full, "{line}: {} bytes, {err}", out.len());
    }
}

/// However many there are: what waits in pipes, and in jobs that their client has left, has room together.
#[tokio::test]
async fn pipes_have_room_together() {
    let device = device();
    device.files().write("/sdcard/big", vec![b'x'; 40 << 20], 0o644, 0).unwrap();
    let full = "cat: write: No space left on device\n";
    let line = "cat /sdcard/big | sleep 1 & ".repeat(10) + "wait";
    let (_, _, err) = run(&device, &line).await;
    assert_eq!(err, full.repeat(4), "six times 40 MiB fit");
    let (_, out, err) = run(&device, "cat /sdcard/big | wc -c").await;
    assert_eq!((out.as_str(), err.as_str()), ("41943040\n", ""), "there is room again");
}
