//! The names of the commands, for `command -v` and `which`.
use super::{CommandOutput, args::flags};
use crate::{device::VirtualPhone, files::PROGRAMS};

/// Builtins of `mksh`.
#[rustfmt::skip]
const BUILTINS: [&str; 17] = [
    ":", "[", "cd", "command", "echo", "eval", "exec", "exit", "export", "false", "print", "pwd", "return",
    "sleep", "test", "true", "wait",
];
/// Builtins of `mksh` that are not here, or `set` only without words behind it.
#[rustfmt::skip]
pub(super) const LACKING_BUILTINS: [&str; 26] = [
    ".", "alias", "bg", "break", "builtin", "continue", "fg", "getopts", "jobs", "kill", "let", "local", "read",
    "readonly", "set", "shift", "source", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "whence",
];
/// Commands of toybox, `awk`, and some of Android's own, that phones with Android 14 have and this one has not.
#[rustfmt::skip]
const LACKING_PROGRAMS: [&str; 176] = [
    "acpi", "app_process", "appops", "awk", "base64", "basename", "blkdiscard", "blkid", "blockdev", "bmgr", "bu",
    "bugreport", "bugreportz", "cal", "chattr", "chcon", "chgrp", "chown", "chroot", "chrt", "cksum", "clear", "cmp",
    "comm", "cpio", "dd", "device_config", "devmem", "diff", "dirname", "dmesg", "dos2unix", "dpm", "du", "dumpstate",
    "env", "expand", "expr", "fallocate", "file", "find", "flock", "fmt", "free", "fsfreeze", "fsync", "getconf",
    "getenforce", "getfattr", "groups", "gunzip", "hid", "hostname", "hwclock", "iconv", "inotifyd", "insmod",
    "install", "ionice", "iorenice", "iotop", "killall", "ln", "load_policy", "logger", "logname", "losetup", "lsattr",
    "lsmod", "lsof", "lspci", "lsusb", "makedevs", "microcom", "mkfifo", "mknod", "mkswap", "mktemp", "modinfo",
    "modprobe", "more", "mount", "mountpoint", "nbd-client", "nc", "netcat", "netstat", "nice", "nl", "nohup", "nproc",
    "nsenter", "od", "partprobe", "paste", "patch", "perfetto", "pgrep", "ping", "ping6", "pivot_root", "pkill",
    "pmap", "printenv", "printf", "pwdx", "readelf", "readlink", "realpath", "reboot", "renice", "requestsync",
    "restorecon", "rev", "rfkill", "rmmod", "rtcwake", "run-as", "runcon", "screenrecord", "sed", "sendevent", "seq",
    "service", "setenforce", "setfattr", "setsid", "sha1sum", "sha224sum", "sha384sum", "sha512sum", "simpleperf",
    "sm", "sort", "split", "start", "stop", "strings", "stty", "swapoff", "swapon", "sysctl", "tac", "tar", "taskset",
    "tee", "telecom", "time", "timeout", "top", "tr", "traceroute", "traceroute6", "truncate", "tty", "tunctl",
    "uinput", "umount", "uname", "uniq", "unix2dos", "unlink", "unshare", "uptime", "usleep", "uudecode", "uuencode",
    "uuidgen", "vconfig", "vi", "vmstat", "watch", "xargs", "xxd", "yes", "zcat",
];

/// Whether real phones have this program.
pub(super) fn is_lacking(name: &str) -> bool {
    LACKING_PROGRAMS.contains(&name.strip_prefix("/system/bin/").unwrap_or(name))
}

/// Whether this is a program of this phone, with its faults.
fn is_program(phone: &VirtualPhone, name: &str) -> bool {
    let plan = phone.faults().plan();
    match name {
        "gzip" => !plan.no_gzip,
        "sha256sum" => !plan.no_sha256sum,
        name => PROGRAMS.contains(&name),
    }
}

/// Whether this is the file of a program that a fault has taken away.
pub(super) fn is_gone(phone: &VirtualPhone, path: &str) -> bool {
    let name = path.strip_prefix("/system/bin/");
    name.is_some_and(|name| PROGRAMS.contains(&name) && !is_program(phone, name))
}

/// `command -v NAME…`: what each is; it ends at one that there is not.
pub(super) fn found(phone: &VirtualPhone, names: &[&str]) -> CommandOutput {
    let mut text = String::new();
    for name in names {
        let program = name.strip_prefix("/system/bin/").unwrap_or(name);
        if BUILTINS.contains(name) {
            push_fmt!(text, "{name}\n");
        } else if is_program(phone, program) {
            push_fmt!(text, "/system/bin/{program}\n");
        } else {
            return CommandOutput::on_stdout(1, text);
        }
    }
    CommandOutput::ok(text)
}

/// `which NAME…`: where each program is.
pub(super) fn which(phone: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let flags = match flags(phone, "which", words, "") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    if flags.operands.is_empty() {
        let text = "which: Needs 1 argument (see \"which --help\")\n";
        return CommandOutput::malformed(phone, 1, text);
    }
    let (mut text, mut status) = (String::new(), 0);
    for name in flags.operands {
        let program = name.strip_prefix("/system/bin/").unwrap_or(name);
        if is_program(phone, program) {
            push_fmt!(text, "/system/bin/{program}\n");
        } else {
            status = 1;
        }
    }
    CommandOutput::on_stdout(status, text)
}

#[cfg(test)]
pub(in crate::shell) fn all() -> impl Iterator<Item = &'static str> {
    BUILTINS.into_iter().chain(PROGRAMS)
}
