//! `am` and `monkey`: starting and stopping apps, and the broadcasts `ADBKeyboard` understands.
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{CommandOutput, logcat, package};
use crate::{
    device::AdbDevice,
    packages::{Component, LaunchState, StartError},
    system::ADB_KEYBOARD,
};

/// How long the JVM takes to start, which `monkey` does each time.
const JVM_START: Duration = Duration::from_millis(400);
/// How long `am start -W` waits for the first drawn frame.
const LAUNCH: Duration = Duration::from_millis(250);

pub(super) async fn run(device: &AdbDevice, words: &[&str]) -> CommandOutput {
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
        ["get-current-user"] => CommandOutput::ok("0\n"),
        ["startservice" | "start-service" | "start-foreground-service", ..] => {
            CommandOutput::on_stdout(255, "Error: Not found; no service started.\n")
        }
        [] => CommandOutput::malformed_on_stdout(
            device,
            255,
            "Activity manager (activity) commands:\n",
        ),
        [command, ..] => {
            CommandOutput::malformed_on_stdout(device, 255, format!("Unknown command: {command}\n"))
        }
    }
}

/// What `am` takes without a value and what changes nothing on this phone.
const NO_EFFECT: [&str; 14] = [
    "-D",
    "-N",
    "--allow-background-starts",
    "--async",
    "--attach-agent-bind",
    "--debug-log-resolution",
    "--dismiss-keyguard-if-insecure",
    "--exclude-stopped-packages",
    "--include-stopped-packages",
    "--lock-task",
    "--splashscreen-show-icon",
    "--streaming",
    "--task-overlay",
    "--track-allocation",
];

const VIEW: &str = "android.intent.action.VIEW";

/// The arguments of an intent.
#[derive(Debug, Default, PartialEq, Eq)]
struct Intent<'a> {
    action: Option<&'a str>,
    categories: Vec<&'a str>,
    data: Option<&'a str>,
    component: Option<Component>,
    package: Option<&'a str>,
    /// `--es`, `--ei` and so on; the value as it stands.
    extras: Vec<(&'a str, &'a str)>,
    flags: Option<&'a str>,
    wait: bool,
    stop: bool,
}

impl<'a> Intent<'a> {
    fn parse(args: &[&'a str]) -> Result<Self, String> {
        let mut intent = Self::default();
        let mut words = args.iter().copied();
        let missing = |flag: &str| {
            format!("java.lang.IllegalArgumentException: Argument expected after \"{flag}\"")
        };
        while let Some(word) = words.next() {
            let mut next = || words.next().ok_or_else(|| missing(word));
            match word {
                "-a" => intent.action = Some(next()?),
                "-c" => intent.categories.push(next()?),
                "-d" => intent.data = Some(next()?),
                "-t"
                | "-i"
                | "-R"
                | "-P"
                | "--windowingMode"
                | "--activityType"
                | "--receiver-permission"
                | "--sampling"
                | "--start-profiler" => {
                    next()?;
                }
                "-p" => intent.package = Some(next()?),
                "-f" => intent.flags = Some(next()?),
                "-n" => {
                    let name = next()?;
                    let bad = || {
                        format!("java.lang.IllegalArgumentException: Bad component name: {name}")
                    };
                    intent.component = Some(Component::parse(name).ok_or_else(bad)?);
                }
                "--user" => {
                    if !matches!(next()?, "0" | "current" | "all") {
                        return Err("java.lang.IllegalArgumentException: no such user".to_owned());
                    }
                }
                "--display" => {
                    if next()? != "0" {
                        return Err(
                            "java.lang.IllegalArgumentException: no such display".to_owned()
                        );
                    }
                }
                "--esn" => intent.extras.push((next()?, "")),
                "-e" | "--es" | "--ei" | "--ez" | "--el" | "--ef" | "--ed" | "--eu" | "--ecn"
                | "--eia" | "--eial" | "--ela" | "--elal" | "--efa" | "--efal" | "--eda"
                | "--edal" | "--esa" | "--esal" => {
                    let key = next()?;
                    intent.extras.push((key, next()?));
                }
                "-W" => intent.wait = true,
                "-S" => intent.stop = true,
                flag if NO_EFFECT.contains(&flag) => {}
                // Flags of the intent, such as `--activity-clear-top`.
                flag if ["--activity-", "--grant-", "--receiver-"]
                    .iter()
                    .any(|of| flag.starts_with(of)) => {}
                flag if flag.starts_with('-') => {
                    return Err(format!(
                        "java.lang.IllegalArgumentException: Unknown option: {flag}"
                    ));
                }
                name if name.contains('/') && intent.component.is_none() => {
                    intent.component = Component::parse(name);
                }
                url if url.contains(':') && intent.data.is_none() => intent.data = Some(url),
                package if intent.package.is_none() => intent.package = Some(package),
                _ => {
                    return Err("java.lang.IllegalArgumentException: Too many arguments".to_owned());
                }
            }
        }
        Ok(intent)
    }

    /// As Android prints it.
    fn shown(&self, flags: &str) -> String {
        let mut parts = Vec::new();
        if let Some(action) = self.action {
            parts.push(format!("act={action}"));
        }
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        if let Some(data) = self.data {
            let scheme = data.split(':').next().unwrap_or(data);
            parts.push(format!("dat={scheme}:/..."));
        }
        if let Some(flags) = self.flags.or((!flags.is_empty()).then_some(flags)) {
            parts.push(format!("flg={flags}"));
        }
        if let Some(package) = self.package {
            parts.push(format!("pkg={package}"));
        }
        if let Some(component) = &self.component {
            parts.push(format!("cmp={}", component.short()));
        }
        if !self.extras.is_empty() {
            parts.push("(has extras)".to_owned());
        }
        format!("Intent {{ {} }}", parts.join(" "))
    }
}

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

/// Since which API level this opens the settings, which show their search here.
fn settings_since(action: Option<&str>) -> Option<u32> {
    match action? {
        "android.settings.SETTINGS" => Some(1),
        "android.settings.APP_SEARCH_SETTINGS" => Some(29),
        _ => None,
    }
}

async fn start(device: &AdbDevice, args: &[&str]) -> CommandOutput {
    let intent = match Intent::parse(args) {
        Ok(intent) => intent,
        Err(what) => return CommandOutput::exception(device, "start", &what),
    };
    let starting = format!("Starting: {}\n", intent.shown(""));
    let named = intent.component.clone();
    let found = named.or_else(|| match (intent.package, intent.data) {
        (Some(package), None) => package::launcher_of(device, package),
        (_, Some(url)) if intent.action.is_none_or(|action| action == VIEW) => {
            package::launcher_of(device, app_for(url)?)
        }
        (None, None) => {
            let since = settings_since(intent.action);
            since
                .filter(|since| *since <= device.phone().options().sdk)
                .and_then(|_| package::launcher_of(device, "com.android.settings"))
        }
        _ => None,
    });
    let Some(component) = found else {
        let error = format!(
            "Error: Activity not started, unable to resolve {}\n",
            intent.shown("0x10000000")
        );
        return told(intent.wait, 1, starting, &error);
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
            let mut output = told(intent.wait, 0, text, warning);
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
            told(intent.wait, 1, text, &error)
        }
    }
}

/// What became of a start is on stdout where it was waited for, and else on stderr.
fn told(waited: bool, status: u8, text: String, outcome: &str) -> CommandOutput {
    if waited {
        CommandOutput::on_stdout(status, text + outcome)
    } else {
        CommandOutput { stderr: outcome.into(), ..CommandOutput::on_stdout(status, text) }
    }
}

fn broadcast(device: &AdbDevice, args: &[&str]) -> CommandOutput {
    let intent = match Intent::parse(args) {
        Ok(intent) => intent,
        Err(what) => return CommandOutput::exception(device, "broadcast", &what),
    };
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
    CommandOutput::ok(format!(
        "Broadcasting: {}\nBroadcast completed: result=0\n",
        intent.shown("0x400000")
    ))
}

fn stacks(device: &AdbDevice) -> CommandOutput {
    let (width, height) = device.phone().display_size();
    let front = device.phone().foreground();
    let mut text = String::new();
    for (task, id) in device.phone().tasks().iter().zip(7..) {
        let visible = *task == front;
        push_fmt!(
            text,
            "RootTask id={id} bounds=[0,0][{width},{height}] displayId=0 userId=0\n  \
             taskId={id}: {} bounds=[0,0][{width},{height}] userId=0 visible={visible}\n\n",
            task.full()
        );
    }
    CommandOutput::ok(text)
}

/// `monkey -p PACKAGE -c android.intent.category.LAUNCHER 1`, with which many tools start an app.
pub(super) async fn monkey(device: &AdbDevice, words: &[&str]) -> CommandOutput {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_are_read_and_shown() {
        let intent = Intent::parse(&[
            "-W",
            "-a",
            "android.intent.action.MAIN",
            "-c",
            "android.intent.category.LAUNCHER",
            "-n",
            "com.example/.Main",
        ]);
        let intent = intent.unwrap();
        assert!(intent.wait);
        assert_eq!(
            intent.shown(""),
            "Intent { act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] cmp=com.example/.Main }"
        );
        let extras = Intent::parse(&["-a", "ADB_INPUT_TEXT", "--es", "msg", "-n x"]).unwrap();
        assert_eq!(extras.extras, [("msg", "-n x")]);
        assert!(Intent::parse(&["-n"]).is_err());
        assert!(Intent::parse(&["-n", "com.example"]).is_err());
        assert!(Intent::parse(&["--nope"]).is_err());
        let ignored = [
            "--include-stopped-packages --receiver-foreground --async -D -N -R 2 --esn k",
            "--eu k content:a --ecn k a/.B --ela k 1,2 --efa k 1.5 --activity-no-history",
            "--activity-reset-task-if-needed --grant-read-uri-permission -n a/.B",
        ];
        let words: Vec<&str> = ignored.iter().flat_map(|line| line.split(' ')).collect();
        let intent = Intent::parse(&words).unwrap();
        assert_eq!(intent.shown(""), "Intent { cmp=a/.B (has extras) }");
    }
}
