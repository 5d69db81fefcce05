//! Command lines as a client sends them, and what comes back.
use std::time::Duration;

use super::{
    exec::{Shell, Stop},
    io::{Io, Sink, Stdin},
};
use crate::{Handset, Phone, PhoneOptions};

fn handset() -> Handset {
    let options = PhoneOptions { width: 320, height: 640, ..PhoneOptions::default() };
    Handset::new(Phone::new(options))
}

/// Status, stdout and stderr of one line.
async fn run(handset: &Handset, line: &str) -> (u8, String, String) {
    let (stdout, out) = Sink::pipe();
    let (stderr, err) = Sink::pipe();
    let io = Io { stdin: Stdin::bytes("in\n".into()), stdout, stderr };
    let status = match Shell::new(handset.clone()).run_line(line, &io).await {
        Ok(status) | Err(Stop::Exit(status)) => status,
        Err(stop) => panic!("{line}: {stop:?}"),
    };
    let text = |held: std::sync::Arc<std::sync::Mutex<Vec<u8>>>| {
        String::from_utf8_lossy(&held.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
            .into_owned()
    };
    (status, text(out), text(err))
}

#[tokio::test]
async fn lines_do_what_they_do_in_mksh() {
    let handset = handset();
    for (line, status, out) in [
        ("echo a  'b  c' \"d $HOME\"", 0, "a b  c d /\n"),
        ("x=1 y=2; echo $x$y ${x}z", 0, "12 1z\n"),
        ("false; echo $?", 0, "1\n"),
        ("false && echo no || echo yes", 0, "yes\n"),
        ("! false", 0, ""),
        ("true | false", 1, ""),
        ("echo a | cat | cat", 0, "a\n"),
        ("echo $(echo 'a  b') \"$(echo 'a  b')\"", 0, "a b a  b\n"),
        ("echo `echo x`", 0, "x\n"),
        ("x='a b'; printf '<%s>' $x \"$x\" \"\" $nothing", 0, "<a><b><a b><>"),
        ("for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", 0, "1\n3\n"),
        ("printf 'a b\\nc d\\n' | while read x y; do echo $y$x; done", 0, "ba\ndc\n"),
        ("(cd /sdcard; exit 3); echo $? $PWD", 0, "3 /\n"),
        ("{ echo a; echo b; } > /sdcard/f; wc -l < /sdcard/f", 0, "2\n"),
        ("echo c >> /sdcard/f; tail -n 1 /sdcard/f", 0, "c\n"),
        ("echo hidden > /dev/null 2>&1", 0, ""),
        ("cd /sdcard; touch a.x b.x; echo *.x '*.x' *.y", 0, "a.x b.x *.x *.y\n"),
        ("A=b env | grep ^A=", 0, "A=b\n"),
        ("A=b; (A=c); echo $A", 0, "b\n"),
        ("echo 1 | read v; echo $v", 0, "1\n"),
        ("sh -c 'exit 4'; echo $?", 0, "4\n"),
        ("eval 'z=1'; echo $z", 0, "1\n"),
        ("exit 300", 44, ""),
        ("cat", 0, "in\n"),
        ("echo a#b # c", 0, "a#b\n"),
        ("echo a\\\nb", 0, "ab\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", 0, "b\n"),
        ("/system/bin/echo x", 0, "x\n"),
        ("toybox echo x", 0, "x\n"),
        ("echo abc | md5sum", 0, "0bee89b07a248e27c83fc3d5951213c1  -\n"),
        ("echo abc | base64 | base64 -d", 0, "abc\n"),
        ("printf 'a1\\nb2\\n' | grep -E '^(a|c)'", 0, "a1\n"),
        ("printf 'a1\\n' | grep -c z", 1, "0\n"),
    ] {
        let (got_status, got_out, err) = run(&handset, line).await;
        assert_eq!((got_status, got_out.as_str(), err.as_str()), (status, out, ""), "{line}");
    }
}

#[tokio::test]
async fn what_fails_says_so_as_android_does() {
    let handset = handset();
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
        ("ls -Z", 1, "ls: Unknown option 'Z' (see \"ls --help\")\n"),
        ("[ 1", 2, "/system/bin/sh: [: missing ]\n"),
        ("input fly 1", 255, "Unknown command: fly\n"),
        (
            "am start -n a/.B 2>&1 >/dev/null | cat >&2",
            0,
            "Error type 3\nError: Activity class {a/a.B} does not exist.\n",
        ),
        ("ime set nope/.X", 255, "Unknown input method nope/.X cannot be selected for user #0\n"),
    ] {
        let (got_status, _, got_err) = run(&handset, line).await;
        assert_eq!((got_status, got_err.as_str()), (status, err), "{line}");
    }
    let counts = handset.wire_counts();
    assert_eq!((counts.unknown_commands, counts.syntax_errors), (1, 1));
    assert!(counts.malformed_commands >= 4, "{counts:?}");
}

#[tokio::test]
async fn text_that_a_shell_could_run_stays_text_in_quotes() {
    let handset = handset();
    for text in ["$(reboot)", "`id`", "; exit 9", "a'b", "\"", "\\", "*", "é 你好", "-n"] {
        let quoted = format!("'{}'", text.replace('\'', r"'\''"));
        let (status, out, _) = run(&handset, &format!("printf %s {quoted}")).await;
        assert_eq!((status, out.as_str()), (0, text));
    }
}

#[tokio::test(start_paused = true)]
async fn a_swipe_takes_its_time_and_is_counted_once() {
    let handset = handset();
    let before = tokio::time::Instant::now();
    let (status, ..) = run(&handset, "input swipe 10 20 30 40 700").await;
    assert_eq!(status, 0);
    assert_eq!(before.elapsed(), Duration::from_millis(700));
    assert_eq!(handset.phone().state().counts.swipes, 1);
}

#[tokio::test(start_paused = true)]
async fn a_swipe_that_began_is_finished() {
    let handset = handset();
    let cut = tokio::time::timeout(
        Duration::from_millis(100),
        run(&handset, "input swipe 10 20 30 40 700"),
    );
    assert!(cut.await.is_err());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(handset.phone().state().counts.swipes, 1);
}

#[tokio::test]
async fn what_agents_look_for_is_there() {
    let handset = handset();
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
        ("uiautomator dump /dev/tty", "</hierarchy>"),
        ("dumpsys SurfaceFlinger --display-id", "Display 4619827259835644672 "),
    ] {
        let (_, out, err) = run(&handset, line).await;
        assert!(out.contains(wanted), "{line}: {out}{err}");
    }
}

#[tokio::test]
async fn loops_and_pipes_are_bounded() {
    let handset = handset();
    let endless = run(&handset, "while true; do :; done");
    assert!(tokio::time::timeout(Duration::from_millis(50), endless).await.is_err());
    let (status, ..) = run(&handset, "screencap | cat | wc -c").await;
    assert_eq!(status, 0);
    let deep = format!("{}true{}", "( ".repeat(20), " )".repeat(20));
    assert_eq!(run(&handset, &deep).await.0, 0);
}
