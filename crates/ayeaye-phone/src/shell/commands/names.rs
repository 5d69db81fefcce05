//! The names of the commands, for `command -v`.
use super::CommandOutput;
use crate::device::VirtualPhone;

/// Builtins of `mksh`.
#[rustfmt::skip]
const BUILTINS: [&str; 17] = [
    ":", "[", "cd", "command", "echo", "eval", "exec", "exit", "export", "false", "print", "pwd", "return",
    "sleep", "test", "true", "wait",
];
/// Builtins of `mksh` that are not here.
#[rustfmt::skip]
pub(super) const LACKING: [&str; 26] = [
    ".", "alias", "bg", "break", "builtin", "continue", "fg", "getopts", "jobs", "kill", "let", "local", "read",
    "readonly", "set", "shift", "source", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "whence",
];
/// Programs in `/system/bin`.
#[rustfmt::skip]
const PROGRAMS: [&str; 46] = [
    "am", "cat", "cmd", "content", "cp", "cut", "date", "df", "dumpsys", "egrep", "fgrep", "getprop", "grep", "gzip",
    "head", "id", "ifconfig", "ime", "input", "ip", "locksettings", "logcat", "ls", "md5sum", "mkdir", "monkey", "mv",
    "pidof", "pm", "ps", "rm", "screencap", "setprop", "settings", "sh", "sha256sum", "stat", "svc", "tail", "touch",
    "toybox", "uiautomator", "unzip", "wc", "whoami", "wm",
];

/// `command -v NAME…`: what each is; it ends at one that there is not.
pub(super) fn found(phone: &VirtualPhone, names: &[&str]) -> CommandOutput {
    let mut text = String::new();
    for name in names {
        let program = name.strip_prefix("/system/bin/").unwrap_or(name);
        let plan = phone.faults().plan();
        let lacks = match program {
            "gzip" => plan.no_gzip,
            "sha256sum" => plan.no_sha256sum,
            _ => false,
        };
        let there = PROGRAMS.contains(&program) && !lacks;
        if BUILTINS.contains(name) {
            push_fmt!(text, "{name}\n");
        } else if there {
            push_fmt!(text, "/system/bin/{program}\n");
        } else {
            return CommandOutput::on_stdout(1, text);
        }
    }
    CommandOutput::ok(text)
}

#[cfg(test)]
pub(in crate::shell) fn all() -> impl Iterator<Item = &'static str> {
    BUILTINS.into_iter().chain(PROGRAMS)
}
