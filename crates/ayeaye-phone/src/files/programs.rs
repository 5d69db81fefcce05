//! The programs in `/system/bin`: each is a file there, which clients look for before they run it.

/// Those that the shell of this phone runs.
#[rustfmt::skip]
pub(crate) const PROGRAMS: [&str; 58] = [
    "[", "am", "cat", "chmod", "cmd", "content", "cp", "cut", "date", "df", "dumpsys", "echo", "egrep", "false",
    "fgrep", "getevent", "getprop", "grep", "gzip", "head", "id", "ifconfig", "ime", "input", "ip", "locksettings",
    "logcat", "ls", "md5sum", "mkdir", "monkey", "mv", "pidof", "pm", "ps", "pwd", "rm", "rmdir", "screencap",
    "setprop", "settings", "sh", "sha256sum", "sleep", "stat", "svc", "sync", "tail", "test", "touch", "toybox",
    "true", "uiautomator", "unzip", "wc", "which", "whoami", "wm",
];
