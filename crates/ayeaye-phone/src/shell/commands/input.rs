//! `input`: touch, keys and text.
//!
//! As on a real phone, where the system server does the work, a gesture that has begun is finished
//! even when its shell is gone.
use std::time::Duration;

use futures::FutureExt as _;

use super::{CommandOutput, args::pixel, keys};
use crate::{device::VirtualPhone, os::finger::FingerEvent, profile::pause};

/// Before Android 12 `input` is a Java program, which knows no combinations of keys, and starting one takes this
/// long.
const JVM_START: Duration = Duration::from_millis(400);
const FIRST_SDK_WITHOUT_JAVA: u32 = 31;
/// From Android 13 on a key of a combination is told with the keys that are held.
const FIRST_SDK_WITH_HELD_KEYS: u32 = 33;
const FIRST_SDK_WITH_MOTION_EVENTS: u32 = 30;
/// The default duration of a swipe.
const SWIPE: Duration = Duration::from_millis(300);
/// Longer gestures are refused, so that none blocks a phone for ever.
const MAX_DURATION_MS: u64 = 60_000;

const SOURCES: [&str; 12] = [
    "dpad",
    "gamepad",
    "joystick",
    "keyboard",
    "mouse",
    "rotaryencoder",
    "stylus",
    "touchnavigation",
    "touchpad",
    "touchscreen",
    "trackball",
    "unknown",
];

#[derive(Debug, Clone, PartialEq)]
enum Gesture {
    Tap(f32, f32),
    Swipe((f32, f32), (f32, f32), Duration),
    Drag((f32, f32), (f32, f32), Duration),
    Finger(FingerEvent, (f32, f32)),
    Keys(Vec<u32>, Press),
    Together(Vec<u32>),
    Text(String),
    /// Trackballs: there are none.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Press {
    Short,
    Long,
    Double,
}

/// Why arguments were refused.
#[derive(Debug, PartialEq, Eq)]
enum ArgumentError {
    Missing(String),
    Invalid,
    /// The text has a character that no key types.
    Untypable,
    UnknownCommand,
    UnknownAction(String),
    UnknownKey(String),
}

pub(super) async fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let mut words = words;
    if let [source, rest @ ..] = words
        && SOURCES.contains(source)
    {
        words = rest;
    }
    if let ["-d", display, rest @ ..] = words {
        if !matches!(*display, "0" | "DEFAULT_DISPLAY" | "INVALID_DISPLAY") {
            let message =
                format!("java.lang.IllegalArgumentException: Invalid display id: {display}");
            return CommandOutput::exception(device, "-d", &message);
        }
        words = rest;
    }
    let Some((command, args)) = words.split_first() else {
        return CommandOutput::malformed(
            device,
            255,
            "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n",
        );
    };
    let parsed = match *command {
        "keycombination" if is_java(device) => Err(ArgumentError::UnknownCommand),
        "motionevent" if device.phone().options().sdk < FIRST_SDK_WITH_MOTION_EVENTS => {
            Err(ArgumentError::UnknownCommand)
        }
        _ => parse(command, args),
    };
    match parsed {
        Ok(_) if device.faults().plan().input_refused => CommandOutput::security_exception(
            command,
            "Injecting input events requires the caller (or the source of the instrumentation, if any) \
             to have the INJECT_EVENTS permission.",
        ),
        Ok((gesture, extra)) => {
            if extra {
                device.count(|counts| counts.malformed_commands += 1);
            }
            let phone = device.clone();
            match tokio::spawn(async move { perform(&phone, gesture).await }.boxed()).await {
                Ok(()) => CommandOutput::status(0),
                Err(error) => CommandOutput::error(255, format!("Error: {error}\n")),
            }
        }
        Err(ArgumentError::Missing(last)) => {
            CommandOutput::argument_expected(device, command, &last)
        }
        Err(ArgumentError::Invalid) => {
            let message = format!(
                "java.lang.IllegalArgumentException: Error: Invalid arguments for command: {command}"
            );
            CommandOutput::exception(device, command, &message)
        }
        Err(ArgumentError::Untypable) => {
            let message = "java.lang.NullPointerException: Attempt to get length of null array\n\
                        \tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:390)";
            CommandOutput::exception(device, command, message)
        }
        Err(ArgumentError::UnknownCommand) => {
            CommandOutput::malformed_on_stdout(device, 0, format!("Unknown command: {command}\n"))
        }
        Err(ArgumentError::UnknownAction(action)) => {
            let message = format!("java.lang.IllegalArgumentException: Unknown action: {action}");
            CommandOutput::exception(device, command, &message)
        }
        Err(ArgumentError::UnknownKey(key)) => {
            let message = format!("java.lang.IllegalArgumentException: Unknown keycode: {key}");
            CommandOutput::exception(device, command, &message)
        }
    }
}

/// The gesture, and whether there were extra arguments or keys that nobody knows, which a real phone ignores.
fn parse(command: &str, args: &[&str]) -> Result<(Gesture, bool), ArgumentError> {
    match command {
        "tap" => {
            let [x, y] = pixels(command, args)?;
            Ok((Gesture::Tap(x, y), args.len() > 2))
        }
        "swipe" | "draganddrop" => {
            let [x1, y1, x2, y2] = pixels(command, args)?;
            let time = match args.get(4) {
                None => SWIPE,
                Some(word) => match word.parse::<i64>() {
                    Ok(negative) if negative < 0 => SWIPE,
                    Ok(ms) => u64::try_from(ms)
                        .ok()
                        .filter(|ms| *ms <= MAX_DURATION_MS)
                        .map(Duration::from_millis)
                        .ok_or(ArgumentError::Invalid)?,
                    Err(_) => return Err(ArgumentError::Invalid),
                },
            };
            let gesture = match command {
                "swipe" => Gesture::Swipe((x1, y1), (x2, y2), time),
                _ => Gesture::Drag((x1, y1), (x2, y2), time),
            };
            Ok((gesture, args.len() > 5))
        }
        "motionevent" => {
            let (action, args) =
                args.split_first().ok_or(ArgumentError::Missing(command.to_owned()))?;
            let event = match action.to_uppercase().as_str() {
                "DOWN" => FingerEvent::Down,
                "MOVE" => FingerEvent::Move,
                "UP" => FingerEvent::Up,
                "CANCEL" => FingerEvent::Cancel,
                _ => return Err(ArgumentError::UnknownAction((*action).to_owned())),
            };
            let [x, y] = match event {
                FingerEvent::Cancel if args.is_empty() => [0.0; 2],
                _ => pixels(action, args)?,
            };
            Ok((Gesture::Finger(event, (x, y)), args.len() > 2))
        }
        "text" => {
            let (text, rest) =
                args.split_first().ok_or(ArgumentError::Missing(command.to_owned()))?;
            let text = with_spaces(text);
            if !text.chars().all(|c| matches!(c, ' '..='~' | '\n' | '\t')) {
                return Err(ArgumentError::Untypable);
            }
            Ok((Gesture::Text(text), !rest.is_empty()))
        }
        "keyevent" => {
            let (press, names) = match args {
                ["--longpress", names @ ..] => (Press::Long, names),
                ["--doubletap", names @ ..] => (Press::Double, names),
                ["--async", names @ ..] | names => (Press::Short, names),
            };
            if names.is_empty() {
                let last = args.last().copied().unwrap_or(command);
                return Err(ArgumentError::Missing(last.to_owned()));
            }
            let codes: Vec<u32> =
                names.iter().map(|name| keys::code(name).unwrap_or(keys::UNKNOWN)).collect();
            let unknown = codes.contains(&keys::UNKNOWN);
            Ok((Gesture::Keys(codes, press), unknown))
        }
        "keycombination" => {
            let names = match args {
                ["-t", ms, names @ ..] => {
                    ms.parse::<u32>().map_err(|_| ArgumentError::Invalid)?;
                    names
                }
                names => names,
            };
            if names.len() < 2 {
                return Err(ArgumentError::Missing(command.to_owned()));
            }
            Ok((Gesture::Together(codes(names)?), false))
        }
        "press" if args.is_empty() => Ok((Gesture::Nothing, false)),
        "roll" => {
            let [_, _] = pixels(command, args)?;
            Ok((Gesture::Nothing, args.len() > 2))
        }
        _ => Err(ArgumentError::UnknownCommand),
    }
}

fn is_java(device: &VirtualPhone) -> bool {
    device.phone().options().sdk < FIRST_SDK_WITHOUT_JAVA
}

async fn perform(device: &VirtualPhone, gesture: Gesture) {
    let phone = device.phone();
    let java = if is_java(device) { JVM_START } else { Duration::ZERO };
    let start = device.timing().input.max(java);
    pause(start).await;
    match gesture {
        Gesture::Tap(x, y) => phone.tap(x, y),
        Gesture::Swipe(from, to, time) => {
            tokio::time::sleep(time).await;
            phone.swipe(from, to, time);
        }
        Gesture::Drag(from, to, time) => {
            let long = phone.long_press();
            let press = java_press(device).unwrap_or(long);
            tokio::time::sleep(time.max(press)).await;
            // A finger that moves before its touch is a long press swipes.
            if press < long && press < time {
                phone.swipe(from, to, time);
            } else {
                phone.drag(from, to, time);
            }
        }
        Gesture::Finger(event, at) => {
            // Android drops what no finger that is down can do, too.
            if !phone.finger(event, at) {
                device.count(|counts| counts.malformed_commands += 1);
            }
        }
        Gesture::Keys(codes, press) => {
            for code in codes {
                if press == Press::Long {
                    tokio::time::sleep(phone.long_press()).await;
                }
                phone.key(code, press == Press::Long);
                if press == Press::Double {
                    phone.key(code, false);
                }
            }
        }
        Gesture::Together(codes) if device.phone().options().sdk < FIRST_SDK_WITH_HELD_KEYS => {
            for code in codes {
                phone.key(code, false);
            }
        }
        Gesture::Together(codes) => phone.key_combination(&codes),
        Gesture::Text(text) => phone.input_text(&text),
        Gesture::Nothing => {}
    }
}

/// How long that Java program, which sees no settings, presses before a drag.
fn java_press(device: &VirtualPhone) -> Option<Duration> {
    match device.phone().options().sdk {
        ..30 => Some(Duration::from_millis(500)),
        30 => Some(Duration::from_millis(400)),
        _ => None,
    }
}

fn pixels<const N: usize>(command: &str, args: &[&str]) -> Result<[f32; N], ArgumentError> {
    let mut numbers = [0.0; N];
    for (index, number) in numbers.iter_mut().enumerate() {
        let last = if index == 0 { command } else { args[index - 1] };
        let word = args.get(index).ok_or_else(|| ArgumentError::Missing(last.to_owned()))?;
        *number = pixel(word).ok_or(ArgumentError::Invalid)?;
    }
    Ok(numbers)
}

fn codes(names: &[&str]) -> Result<Vec<u32>, ArgumentError> {
    let code =
        |name: &&str| keys::code(name).ok_or_else(|| ArgumentError::UnknownKey((*name).to_owned()));
    names.iter().map(code).collect()
}

/// `%s` becomes a space; a `%` before it stays, as in Android's own loop.
fn with_spaces(text: &str) -> String {
    text.replace("%s", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gestures_are_read() {
        let gesture = |command: &str, args: &[&str]| parse(command, args).map(|it| it.0);
        assert_eq!(gesture("tap", &["1", "2.5"]), Ok(Gesture::Tap(1.0, 2.5)));
        assert_eq!(
            gesture("swipe", &["1", "2", "3", "4"]),
            Ok(Gesture::Swipe((1.0, 2.0), (3.0, 4.0), SWIPE))
        );
        assert_eq!(gesture("text", &["a%sb%%sc%"]), Ok(Gesture::Text("a b% c%".to_owned())));
        assert_eq!(
            gesture("keyevent", &["--longpress", "HOME", "4"]),
            Ok(Gesture::Keys(vec![3, 4], Press::Long))
        );
        assert_eq!(
            parse("keyevent", &["NOPE", "9999", "4"]),
            Ok((Gesture::Keys(vec![0, 0, 4], Press::Short), true))
        );
        assert_eq!(
            gesture("motionevent", &["down", "1", "2"]),
            Ok(Gesture::Finger(FingerEvent::Down, (1.0, 2.0)))
        );
        assert_eq!(
            gesture("motionevent", &["CANCEL"]),
            Ok(Gesture::Finger(FingerEvent::Cancel, (0.0, 0.0)))
        );
        assert_eq!(gesture("keycombination", &["113", "29"]), Ok(Gesture::Together(vec![113, 29])));
    }

    #[test]
    fn what_is_wrong_is_refused_as_android_does() {
        assert_eq!(parse("tap", &["1"]), Err(ArgumentError::Missing("1".to_owned())));
        assert_eq!(parse("tap", &["1", "y"]), Err(ArgumentError::Invalid));
        assert_eq!(parse("tap", &["1", "NaN"]), Err(ArgumentError::Invalid));
        assert_eq!(parse("text", &["é"]), Err(ArgumentError::Untypable));
        assert_eq!(
            parse("keycombination", &["113", "NOPE"]),
            Err(ArgumentError::UnknownKey("NOPE".to_owned()))
        );
        assert_eq!(
            parse("motionevent", &["FLY", "1", "2"]),
            Err(ArgumentError::UnknownAction("FLY".to_owned()))
        );
        assert_eq!(parse("motionevent", &["UP", "1"]), Err(ArgumentError::Missing("1".to_owned())));
        assert_eq!(parse("fly", &[]), Err(ArgumentError::UnknownCommand));
        assert_eq!(parse("swipe", &["1", "2", "3", "4", "99999999"]), Err(ArgumentError::Invalid));
        assert_eq!(parse("tap", &["1", "2", "3"]), Ok((Gesture::Tap(1.0, 2.0), true)));
    }
}
