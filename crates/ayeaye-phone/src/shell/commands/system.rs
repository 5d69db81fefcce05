//! Commands that tell about the system, and the few that would change it.
use super::CommandOutput;
use crate::device::{AdbDevice, unix_seconds};

/// The services `dumpsys -l` and `service list` know.
pub(super) const SERVICES: [&str; 20] = [
    "SurfaceFlinger",
    "accessibility",
    "activity",
    "activity_task",
    "alarm",
    "audio",
    "battery",
    "clipboard",
    "display",
    "input",
    "input_method",
    "media_session",
    "notification",
    "package",
    "power",
    "settings",
    "statusbar",
    "telecom",
    "wifi",
    "window",
];

pub(super) fn service_names(indent: &str) -> String {
    SERVICES.iter().map(|name| format!("{indent}{name}\n")).collect::<Vec<_>>().concat()
}

pub(super) fn id() -> CommandOutput {
    CommandOutput::ok(
        "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),\
         1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),3001(net_bt_admin),\
         3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid),3012(readtracefs) \
         context=u:r:shell:s0\n",
    )
}

pub(super) fn uname(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    const KERNEL: &str = "6.1.75-android14-11";
    match words {
        [] | ["-s"] => CommandOutput::ok("Linux\n"),
        ["-r"] => CommandOutput::ok(format!("{KERNEL}\n")),
        ["-m"] => CommandOutput::ok("aarch64\n"),
        ["-n"] => CommandOutput::ok("localhost\n"),
        ["-a"] => CommandOutput::ok(format!(
            "Linux localhost {KERNEL} #1 SMP PREEMPT Thu Jan  1 00:00:00 UTC 2024 aarch64 Toybox\n"
        )),
        _ => CommandOutput::malformed(device, 1, "uname: Unknown option\n"),
    }
}

pub(super) fn uptime(device: &AdbDevice) -> CommandOutput {
    let minutes = device.uptime().as_secs() / 60;
    let now = Civil::from_unix(unix_seconds());
    CommandOutput::ok(format!(
        " {:02}:{:02}:{:02} up {minutes} min,  0 users,  load average: 0.10, 0.12, 0.09\n",
        now.hour, now.minute, now.second
    ))
}

pub(super) fn date(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let now = unix_seconds();
    match words {
        [] | ["-u"] => {
            CommandOutput::ok(Civil::from_unix(now).format("%a %b %e %H:%M:%S GMT %Y", now) + "\n")
        }
        [format] if format.starts_with('+') => {
            CommandOutput::ok(Civil::from_unix(now).format(&format[1..], now) + "\n")
        }
        _ => CommandOutput::malformed(device, 1, "date: bad date\n"),
    }
}

/// A moment in UTC, which is the time zone of this phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
    /// 0 is Sunday.
    weekday: u64,
}

impl Civil {
    fn from_unix(seconds: u64) -> Self {
        let days = seconds / 86_400;
        let rest = seconds % 86_400;
        // Counted in eras of 400 years that begin in March, so that leap days come last.
        let shifted = days + 719_468;
        let (era, of_era) = (shifted / 146_097, shifted % 146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: year + era * 400 + u64::from(month <= 2),
            month,
            day: of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4) % 7,
        }
    }

    fn format(&self, format: &str, unix: u64) -> String {
        const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let pick = |names: &[&str], index: u64| {
            usize::try_from(index)
                .ok()
                .and_then(|index| names.get(index))
                .map_or(String::new(), |name| (*name).to_owned())
        };
        let mut out = String::new();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match chars.next() {
                Some('Y') => out += &self.year.to_string(),
                Some('m') => push_fmt!(out, "{:02}", self.month),
                Some('d') => push_fmt!(out, "{:02}", self.day),
                Some('e') => push_fmt!(out, "{:2}", self.day),
                Some('H') => push_fmt!(out, "{:02}", self.hour),
                Some('M') => push_fmt!(out, "{:02}", self.minute),
                Some('S') => push_fmt!(out, "{:02}", self.second),
                Some('F') => out += &self.format("%Y-%m-%d", unix),
                Some('T') => out += &self.format("%H:%M:%S", unix),
                Some('s') => out += &unix.to_string(),
                Some('a') => out += &pick(&DAYS, self.weekday),
                Some('b') => out += &pick(&MONTHS, self.month - 1),
                Some('N') => out += "000000000",
                Some('z') => out += "+0000",
                Some('Z') => out += "GMT",
                Some('%') | None => out.push('%'),
                Some(other) => out.extend(['%', other]),
            }
        }
        out
    }
}

/// The time as `ls -l` prints it.
pub(super) fn short_time(unix: u64) -> String {
    Civil::from_unix(unix).format("%Y-%m-%d %H:%M", unix)
}

/// A process number that stays with its name.
pub(super) fn pid_of(name: &str) -> u32 {
    1000 + name.bytes().fold(7_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 30_000)
}

fn processes(device: &AdbDevice) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> =
        ["init", "adbd", "surfaceflinger", "zygote64", "system_server"]
            .map(|name| ("root", name.to_owned()))
            .into();
    all.push(("u0_a95", "com.android.systemui".to_owned()));
    for task in device.phone().tasks() {
        if !all.iter().any(|(_, name)| *name == task.package) {
            all.push(("u0_a123", task.package));
        }
    }
    all
}

pub(super) fn ps(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let all = match words {
        [] => false,
        ["-A" | "-e" | "-ef"] => true,
        _ => return CommandOutput::unsupported(device, &format!("ps {}", words.join(" "))),
    };
    let mut text =
        "USER            PID   PPID     VSZ    RSS WCHAN            ADDR S NAME\n".to_owned();
    if all {
        for (user, name) in processes(device) {
            let pid = if name == "init" { 1 } else { pid_of(&name) };
            push_fmt!(
                text,
                "{user:<12} {pid:>6} {:>6} 1234567 123456 do_epoll_wait       0 S {name}\n",
                u32::from(name != "init")
            );
        }
    }
    CommandOutput::ok(
        text + "shell          4711   4700   12345   3456 0                   0 R ps\n",
    )
}

pub(super) fn pidof(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let all = processes(device);
    let found: Vec<String> = words
        .iter()
        .filter(|word| all.iter().any(|(_, name)| name == *word))
        .map(|word| pid_of(word).to_string())
        .collect();
    if found.is_empty() {
        CommandOutput::status(1)
    } else {
        CommandOutput::ok(found.join(" ") + "\n")
    }
}

pub(super) fn df(device: &AdbDevice) -> CommandOutput {
    let total = crate::files::CAPACITY / 1024;
    let used = device.files().used().div_ceil(1024);
    CommandOutput::ok(format!(
        "Filesystem     1K-blocks   Used Available Use% Mounted on\n\
         /dev/fuse      {total:>9} {used:>6} {:>9} {:>3}% /storage/emulated\n",
        total - used,
        used * 100 / total
    ))
}

pub(super) fn stty(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    match words {
        ["size"] => CommandOutput::ok("24 80\n"),
        ["raw" | "-raw" | "echo" | "-echo" | "sane" | "cbreak" | "-onlcr", ..] => {
            CommandOutput::status(0)
        }
        _ => CommandOutput::malformed(device, 1, "stty: not supported\n"),
    }
}

pub(super) fn service(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    match words {
        ["list"] => {
            let lines = SERVICES.iter().enumerate().map(|(n, name)| format!("{n}\t{name}: []\n"));
            CommandOutput::ok(format!(
                "Found {} services:\n{}",
                SERVICES.len(),
                lines.collect::<String>()
            ))
        }
        ["check", name] => {
            let found = if SERVICES.contains(name) { "found" } else { "not found" };
            CommandOutput::ok(format!("Service {name}: {found}\n"))
        }
        _ => CommandOutput::unsupported(device, &format!("service {}", words.join(" "))),
    }
}

/// An empty log: with `-d` it ends, without it never does.
pub(super) async fn logcat(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    if words.iter().any(|word| matches!(*word, "-c" | "--clear" | "-g" | "-G")) {
        return CommandOutput::status(0);
    }
    if words.iter().any(|word| matches!(*word, "-d" | "-t")) {
        return CommandOutput::ok("--------- beginning of main\n");
    }
    tracing::debug!(serial = device.serial(), "following an empty log");
    std::future::pending().await
}

pub(super) fn svc(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    match words {
        ["wifi" | "data" | "bluetooth" | "nfc", "enable" | "disable"]
        | ["power", "stayon", "true" | "false" | "usb" | "ac" | "wireless"] => {
            CommandOutput::status(0)
        }
        _ => CommandOutput::unsupported(device, &format!("svc {}", words.join(" "))),
    }
}

/// `cmd statusbar …`: taken, but the shade is pulled with a finger.
pub(super) fn statusbar(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    match words {
        ["expand-notifications" | "expand-settings" | "collapse"] => CommandOutput::status(0),
        _ => CommandOutput::unsupported(device, &format!("cmd statusbar {}", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_do() {
        let day = |unix| Civil::from_unix(unix).format("%a %F %T", unix);
        assert_eq!(day(0), "Thu 1970-01-01 00:00:00");
        assert_eq!(day(951_782_400), "Tue 2000-02-29 00:00:00");
        assert_eq!(day(1_709_251_199), "Thu 2024-02-29 23:59:59");
        assert_eq!(day(4_102_444_800), "Fri 2100-01-01 00:00:00");
    }
}
