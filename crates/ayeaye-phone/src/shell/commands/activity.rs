//! `am` and `monkey`: starting and stopping apps, and the broadcasts `ADBKeyboard` understands.
mod intent;

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use self::intent::Intent;
use super::{CommandOutput, dumpsys, logcat, package};
use crate::{
    device::VirtualPhone,
    packages::{Component, LaunchState, StartError},
    shell::jobs::SHELL_PID,
    system::ADB_KEYBOARD,
};

/// How long the JVM takes to start, which `monkey` does each time.
const JVM_START: Duration = Duration::from_millis(400);
/// How long `am start -W` waits for the first drawn frame.
const LAUNCH: Duration = Duration::from_millis(250);

/// What Android has besides.
#[rustfmt::skip]
const UNSUPPORTED: [&str; 18] = [
    "attach-agent", "bug-report", "clear-debug-app", "display", "dumpheap", "get-config", "get-standby-bucket", "hang",
    "idle-maintenance", "instrument", "monitor", "profile", "set-debug-app", "set-standby-bucket", "stack", "switch-user",
    "task", "to-uri",
];
/// Behind `android.intent.action.`: what only the system may send.
#[rustfmt::skip]
const PROTECTED: [&str; 15] = [
    "ACTION_POWER_CONNECTED", "ACTION_POWER_DISCONNECTED", "ACTION_SHUTDOWN", "AIRPLANE_MODE", "BATTERY_CHANGED",
    "BATTERY_LOW", "BATTERY_OKAY", "BOOT_COMPLETED", "LOCALE_CHANGED", "LOCKED_BOOT_COMPLETED", "SCREEN_OFF",
    "SCREEN_ON", "TIMEZONE_CHANGED", "TIME_SET", "USER_PRESENT",
];

pub(super) async fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    match words {
        ["start" | "start-activity", args @ ..] => start(device, args).await,
        ["force-stop", args @ ..] => match without_user(args).as_slice() {
            [package] => {
                device.phone().force_stop(package);
                CommandOutput::status(0)
            }
            [] => CommandOutput::argument_expected(device, "force-stop", "force-stop"),
            _ => CommandOutput::unsupported(device, "am force-stop with several packages"),
        },
        ["crash", args @ ..] => match without_user(args).as_slice() {
            [package] => logcat::crash(device, package),
            _ => CommandOutput::argument_expected(device, "crash", "crash"),
        },
        // Kills background processes; there are none here.
        ["kill", ..] | ["kill-all"] => CommandOutput::status(0),
        ["broadcast", args @ ..] => broadcast(device, args),
        ["stack" | "task", "list"] => stacks(device),
        ["stack", "remove", id] => remove_task(device, id),
        // No app keeps this phone to itself, and so it says.
        ["task", "lock", _] => CommandOutput::ok("Activity manager is not in lockTaskMode\n"),
        ["get-current-user"] => CommandOutput::ok("0\n"),
        ["startservice" | "start-service" | "start-foreground-service", ..] => {
            CommandOutput::on_stdout(255, "Error: Not found; no service started.\n")
        }
        [] => CommandOutput::malformed_on_stdout(
            device,
            255,
            "Activity manager (activity) commands:\n",
        ),
        [command, ..] if UNSUPPORTED.contains(command) => {
            CommandOutput::unsupported(device, &format!("am {command}"))
        }
        [command, ..] => {
            CommandOutput::malformed_on_stdout(device, 255, format!("Unknown command: {command}\n"))
        }
    }
}

const VIEW: &str = "android.intent.action.VIEW";

/// The app that has said that it shows such addresses. There is no browser.
fn app_for(url: &str) -> Option<&'static str> {
    let (scheme, rest) = url.split_once(':')?;
    match scheme {
        "sms" | "smsto" => Some("com.example.messages"),
        "http" | "https" => {
            let host = rest.trim_start_matches('/').split(['/', '?', '#']).next()?;
            (host == "shop.example").then_some("com.example.shop")
        }
        _ => None,
    }
}

async fn start(device: &VirtualPhone, args: &[&str]) -> CommandOutput {
    let intent = match Intent::parse(args) {
        Ok(intent) => intent,
        Err(what) => return CommandOutput::exception(device, "start", &what),
    };
    let starting = format!("Starting: {}\n", intent.shown(""));
    let named = intent.component.clone();
    let found = named.or_else(|| {
        let special = package::system_activity(device, intent.action, &intent.categories);
        if let Some(special) = special {
            return intent.package.is_none_or(|name| special.package == name).then_some(special);
        }
        match (intent.package, intent.data) {
            (Some(package), None) => package::launcher_of(device, package),
            (_, Some(url)) if intent.action.is_none_or(|action| action == VIEW) => {
                package::launcher_of(device, app_for(url)?)
            }
            _ => None,
        }
    });
    let Some(component) = found else {
        let error = format!(
            "Error: Activity not started, unable to resolve {}\n",
            intent.shown("0x10000000")
        );
        return start_output(intent.wait, 1, starting, &error);
    };
    let mut text = String::new();
    if intent.stop {
        push_fmt!(text, "Stopping: {}\n", component.package);
        device.phone().force_stop(&component.package);
    }
    text += &starting;
    let chooser = device.faults().plan().app_chooser;
    let known = device.phone().packages().iter().any(|it| it.name == component.package);
    let started = match chooser.filter(|_| known) {
        Some(window) => {
            device.phone().ask_for_copy(&window, &component);
            Ok(LaunchState::Cold)
        }
        None => device.phone().start_activity(&component),
    };
    if intent.wait && started.is_ok() {
        tokio::time::sleep(LAUNCH).await;
    }
    match started {
        Ok(started) => {
            let (state, warning) = match started {
                LaunchState::Cold => ("COLD", ""),
                LaunchState::Hot => (
                    "HOT",
                    "Warning: Activity not started, its current task has been brought to the front\n",
                ),
            };
            let mut output = start_output(intent.wait, 0, text, warning);
            if intent.wait {
                let ms = LAUNCH.as_millis();
                let times = format!(
                    "Status: ok\nLaunchState: {state}\nActivity: {}\nTotalTime: {ms}\nWaitTime: {}\nComplete\n",
                    component.short(),
                    ms + 3
                );
                output.stdout.push(times.into());
            }
            output
        }
        Err(StartError::NoSuchActivity(_)) => {
            let Component { package, class } = &component;
            let error = format!(
                "Error type 3\nError: Activity class {{{package}/{class}}} does not exist.\n"
            );
            start_output(intent.wait, 1, text, &error)
        }
    }
}

/// What became of a start is on stdout where it was waited for, and else on stderr.
fn start_output(waited: bool, status: u8, text: String, outcome: &str) -> CommandOutput {
    if waited {
        CommandOutput::on_stdout(status, text + outcome)
    } else {
        CommandOutput { stderr: outcome.into(), ..CommandOutput::on_stdout(status, text) }
    }
}

fn broadcast(device: &VirtualPhone, args: &[&str]) -> CommandOutput {
    let intent = match Intent::parse(args) {
        Ok(intent) => intent,
        Err(what) => return CommandOutput::exception(device, "broadcast", &what),
    };
    let shown = format!("Broadcasting: {}\n", intent.shown("0x400000"));
    let action = intent.action.unwrap_or_default();
    if action.strip_prefix("android.intent.action.").is_some_and(|it| PROTECTED.contains(&it)) {
        let why = format!(
            "Permission Denial: not allowed to send broadcast {action} from pid={SHELL_PID}, uid=2000"
        );
        let refusal = CommandOutput::security_exception("broadcast", &why);
        return CommandOutput { stdout: vec![shown.into()], ..refusal };
    }
    let phone = device.phone();
    // Only the current input method listens.
    if phone.input_method() == ADB_KEYBOARD {
        let extra = |key: &str| intent.extras.iter().find(|(name, _)| *name == key).map(|it| it.1);
        let taken = match intent.action {
            _ if device.faults().plan().deaf_keyboard => true,
            Some("ADB_INPUT_TEXT") => extra("msg").is_some_and(|text| phone.commit_text(text)),
            Some("ADB_INPUT_B64") => extra("msg")
                .and_then(|text| STANDARD.decode(text.trim()).ok())
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .is_some_and(|text| phone.commit_text(&text)),
            Some("ADB_INPUT_CHARS") => extra("chars")
                .and_then(|codes| codes.split(',').map(character).collect::<Option<String>>())
                .is_some_and(|text| phone.commit_text(&text)),
            Some("ADB_CLEAR_TEXT") => phone.clear_text(),
            Some("ADB_EDITOR_CODE") => extra("code")
                .and_then(|code| code.parse().ok())
                .is_some_and(|code| phone.editor_action(code)),
            Some("ADB_INPUT_CODE") => {
                extra("code").and_then(|code| code.parse().ok()).is_some_and(|code| {
                    phone.key(code, false);
                    true
                })
            }
            _ => true,
        };
        if !taken {
            device.count(|counts| counts.malformed_commands += 1);
        }
    }
    CommandOutput::ok(shown + "Broadcast completed: result=0\n")
}

/// The character of a decimal code point.
fn character(code: &str) -> Option<char> {
    code.trim().parse().ok().and_then(char::from_u32)
}

/// The tasks from the one in front on, and the home screen's, which is always there.
fn stacks(device: &VirtualPhone) -> CommandOutput {
    let (width, height) = device.phone().display_size();
    let front = dumpsys::resumed(device).then(|| device.phone().foreground());
    let mut text = String::new();
    for (id, task) in dumpsys::tasks_and_home(device) {
        let visible = front.as_ref() == Some(&task);
        push_fmt!(
            text,
            "RootTask id={id} bounds=[0,0][{width},{height}] displayId=0 userId=0\n  \
             taskId={id}: {name} bounds=[0,0][{width},{height}] userId=0 visible={visible} \
             topActivity=ComponentInfo{{{top}}}\n\n",
            name = dumpsys::base(device, &task).full(),
            top = task.full(),
        );
    }
    CommandOutput::ok(text)
}

/// `am stack remove ID`: a task is closed; one that there is not has no need to be.
fn remove_task(device: &VirtualPhone, id: &str) -> CommandOutput {
    let Ok(id) = id.parse::<usize>() else {
        let what = format!("java.lang.NumberFormatException: For input string: \"{id}\"");
        return CommandOutput::exception(device, "stack", &what);
    };
    let tasks = dumpsys::tasks_and_home(device);
    if let Some((_, task)) = tasks.iter().find(|(of_task, _)| *of_task == id) {
        device.phone().force_stop(&task.package);
    }
    CommandOutput::status(0)
}

/// `monkey -p PACKAGE -c android.intent.category.LAUNCHER 1`, with which many tools start an app.
pub(super) async fn monkey(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    device.count(|counts| counts.monkeys += 1);
    let (mut packages, mut count) = (Vec::new(), None);
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "-p" => packages.extend(rest.next()),
            share if share.starts_with("--pct-") => {
                rest.next();
            }
            "-c"
            | "-s"
            | "--throttle"
            | "--match-description"
            | "--device-sleep-time"
            | "--pkg-blacklist-file"
            | "--pkg-whitelist-file" => {
                rest.next();
            }
            "-v"
            | "--ignore-crashes"
            | "--ignore-timeouts"
            | "--ignore-security-exceptions"
            | "--ignore-native-crashes"
            | "--monitor-native-crashes"
            | "--kill-process-after-error"
            | "--hprof"
            | "--bugreport"
            | "--periodic-bugreport"
            | "--permission-target-system"
            | "--randomize-throttle"
            | "--dbg-no-events"
            | "--wait-dbg" => {}
            number if number.parse::<u32>().is_ok() => count = number.parse().ok(),
            other => {
                let text = format!("** Error: Unknown option: {other}\n");
                return CommandOutput::malformed(device, 255, text);
            }
        }
    }
    let Some(1) = count else {
        // Random events are not supported.
        return CommandOutput::unsupported(device, "monkey with other than 1 event");
    };
    tokio::time::sleep(JVM_START).await;
    let launcher = match packages.as_slice() {
        [package] => package::launcher_of(device, package),
        _ => None,
    };
    match launcher.map(|component| device.phone().start_activity(&component)) {
        Some(Ok(LaunchState::Cold | LaunchState::Hot)) => CommandOutput::ok(
            "Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n",
        ),
        Some(Err(StartError::NoSuchActivity(_))) | None => {
            CommandOutput::on_stdout(252, "** No activities found to run, monkey aborted.\n")
        }
    }
}

fn without_user<'a>(words: &[&'a str]) -> Vec<&'a str> {
    match words {
        ["--user", _, rest @ ..] => rest.to_vec(),
        words => words.to_vec(),
    }
}
