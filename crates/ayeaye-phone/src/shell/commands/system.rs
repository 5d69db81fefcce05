//! Commands about the system.
use super::{CommandOutput, args, package};
use crate::device::VirtualPhone;

/// The services of `dumpsys -l` and `cmd -l`: those that every phone has and clients ask for.
pub(super) const SERVICES: [&str; 38] = [
    "SurfaceFlinger",
    "accessibility",
    "activity",
    "activity_task",
    "alarm",
    "appops",
    "audio",
    "battery",
    "batterystats",
    "clipboard",
    "connectivity",
    "cpuinfo",
    "device_policy",
    "device_state",
    "deviceidle",
    "display",
    "gfxinfo",
    "input",
    "input_method",
    "jobscheduler",
    "locale",
    "location",
    "media_session",
    "meminfo",
    "netstats",
    "notification",
    "package",
    "phone",
    "power",
    "settings",
    "statusbar",
    "telecom",
    "telephony.registry",
    "trust",
    "uimode",
    "user",
    "wifi",
    "window",
];

pub(super) fn service_names(indent: &str) -> String {
    SERVICES.iter().map(|name| format!("{indent}{name}\n")).collect::<Vec<_>>().concat()
}

const GROUPS: [(u32, &str); 15] = [
    (2000, "shell"),
    (1004, "input"),
    (1007, "log"),
    (1011, "adb"),
    (1015, "sdcard_rw"),
    (1028, "sdcard_r"),
    (1078, "ext_data_rw"),
    (1079, "ext_obb_rw"),
    (3001, "net_bt_admin"),
    (3002, "net_bt"),
    (3003, "inet"),
    (3006, "net_bw_stats"),
    (3009, "readproc"),
    (3011, "uhid"),
    (3012, "readtracefs"),
];
/// `KEYCODE_WAKEUP`.
const WAKEUP: u32 = 224;
const CONTEXT: &str = "u:r:shell:s0";

/// `id [-u | -g | -G | -Z] [-n] [-r]`.
pub(super) fn id(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let flags = match args::flags(device, "id", words, "GgnruZ") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let one =
        |group: &(u32, &str)| if flags.has('n') { group.1.to_owned() } else { group.0.to_string() };
    let what: Vec<char> = "ugGZ".chars().filter(|flag| flags.has(*flag)).collect();
    match (flags.operands.as_slice(), what.as_slice()) {
        ([], ['u' | 'g']) => CommandOutput::ok(one(&GROUPS[0]) + "\n"),
        ([], ['G']) => {
            let all: Vec<String> = GROUPS.iter().map(one).collect();
            CommandOutput::ok(all.join(" ") + "\n")
        }
        ([], ['Z']) => CommandOutput::ok(format!("{CONTEXT}\n")),
        ([], []) if !flags.has('n') && !flags.has('r') => {
            let all: Vec<String> =
                GROUPS.iter().map(|(id, name)| format!("{id}({name})")).collect();
            CommandOutput::ok(format!(
                "uid=2000(shell) gid=2000(shell) groups={} context={CONTEXT}\n",
                all.join(",")
            ))
        }
        _ => CommandOutput::unsupported(device, &format!("id {}", words.join(" "))),
    }
}

/// Formats a time in UTC, the time zone of this phone; `None` for an unknown format.
pub(super) fn strftime(format: &str, unix: u64) -> Option<String> {
    let moment = jiff::Timestamp::from_second(i64::try_from(unix).ok()?).ok()?;
    jiff::fmt::strtime::format(with_zone(format, "GMT"), moment).ok()
}

/// The format with this in place of `%Z`; `%%Z` is a percent sign and a letter.
pub(super) fn with_zone(format: &str, zone: &str) -> String {
    format.split("%%").map(|part| part.replace("%Z", zone)).collect::<Vec<_>>().join("%%")
}

/// A process id that is stable for a name.
fn pid_of(name: &str) -> u32 {
    1000 + name.bytes().fold(7_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 30_000)
}

/// The id of a process of this phone.
pub(super) fn process_id(name: &str) -> u32 {
    if name == "init" { 1 } else { pid_of(name) }
}

/// All that run: who owns each, and its name.
pub(super) fn processes(device: &VirtualPhone) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> =
        ["init", "adbd", "surfaceflinger", "zygote64", "system_server"]
            .map(|name| ("root", name.to_owned()))
            .into();
    all.push(("u0_a95", "com.android.systemui".to_owned()));
    all.push(("u0_a96", package::home().package));
    for task in device.phone().tasks() {
        if !all.iter().any(|(_, name)| *name == task.package) {
            all.push(("u0_a123", task.package));
        }
    }
    all
}

pub(super) fn ps(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let all = match words {
        [] => false,
        ["-A" | "-e" | "-ef"] => true,
        // Appium looks in it for how to list all of them.
        ["--help"] => {
            return CommandOutput::ok("usage: ps [-A]\n\nList processes.\n\n-A\tAll processes\n");
        }
        _ => return CommandOutput::unsupported(device, &format!("ps {}", words.join(" "))),
    };
    let mut text =
        "USER            PID   PPID     VSZ    RSS WCHAN            ADDR S NAME\n".to_owned();
    if all {
        for (user, name) in processes(device) {
            let pid = process_id(&name);
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

/// `pidof [-s] NAME…`: the ids of those that run, on one line.
pub(super) fn pidof(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let flags = match args::flags(device, "pidof", words, "s") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    if flags.operands.is_empty() {
        return CommandOutput::malformed(device, 1, "pidof: Needs 1 argument\n");
    }
    let running = processes(device);
    let wanted = |name: &str| flags.operands.contains(&name);
    let found = running.iter().filter(|(_, name)| wanted(name));
    let most = if flags.has('s') { 1 } else { usize::MAX };
    let pids: Vec<String> =
        found.take(most).map(|(_, name)| process_id(name).to_string()).collect();
    if pids.is_empty() {
        return CommandOutput::status(1);
    }
    CommandOutput::ok(format!("{}\n", pids.join(" ")))
}

pub(super) fn svc(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let set = |key: &str, value: &str| {
        device.phone().put_setting("global", key, Some(value));
        CommandOutput::status(0)
    };
    match words {
        [radio @ ("wifi" | "bluetooth"), state @ ("enable" | "disable")] => {
            set(&format!("{radio}_on"), if *state == "enable" { "1" } else { "0" })
        }
        ["power", "stayon", source @ ("true" | "false" | "usb" | "ac" | "wireless")] => {
            // Flags of `BatteryManager`. All but "false" wake the phone, too.
            let flags = match *source {
                "true" => "15",
                "ac" => "1",
                "usb" => "2",
                "wireless" => "4",
                _ => "0",
            };
            if flags != "0" {
                device.phone().key(WAKEUP, false);
            }
            set("stay_on_while_plugged_in", flags)
        }
        _ => CommandOutput::unsupported(device, &format!("svc {}", words.join(" "))),
    }
}

/// `locksettings get-disabled`: whether there is no lock screen at all.
pub(super) fn locksettings(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    match words {
        ["get-disabled"] => CommandOutput::ok("false\n"),
        _ => CommandOutput::unsupported(device, &format!("locksettings {}", words.join(" "))),
    }
}

/// `cmd statusbar …`.
pub(super) fn statusbar(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    match words {
        ["expand-notifications" | "expand-settings"] => {
            device.phone().open_shade(true);
            CommandOutput::status(0)
        }
        ["collapse"] => {
            device.phone().open_shade(false);
            CommandOutput::status(0)
        }
        _ => CommandOutput::unsupported(device, &format!("cmd statusbar {}", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_formatted_in_utc() {
        assert_eq!(strftime("%a %F %T", 0).unwrap(), "Thu 1970-01-01 00:00:00");
        assert_eq!(strftime("%s %Z", 951_782_400).unwrap(), "951782400 GMT");
        assert_eq!(strftime("%!", 0), None);
    }
}
