//! `settings` and `content`: the settings tables.
use super::CommandOutput;
use crate::device::AdbDevice;

const NAMESPACES: [&str; 3] = ["system", "secure", "global"];

/// The keys that `settings list` prints.
const KNOWN: [&str; 16] = [
    "accelerometer_rotation",
    "adb_enabled",
    "airplane_mode_on",
    "animator_duration_scale",
    "default_input_method",
    "device_name",
    "enabled_input_methods",
    "font_scale",
    "screen_brightness",
    "screen_brightness_mode",
    "screen_off_timeout",
    "show_ime_with_hard_keyboard",
    "stay_on_while_plugged_in",
    "transition_animation_scale",
    "user_rotation",
    "window_animation_scale",
];

pub(super) fn run(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let words = match words {
        ["--user", _, rest @ ..] => rest,
        words => words,
    };
    let phone = device.phone();
    let namespace = words.get(1).copied().unwrap_or_default();
    if words.len() > 1 && !NAMESPACES.contains(&namespace) {
        let text = format!("Invalid namespace '{namespace}'\n");
        return CommandOutput::malformed(device, 255, text);
    }
    if matches!(words, ["put" | "delete", ..]) && device.faults().plan().settings_refused {
        return CommandOutput::security_exception(
            words[0],
            "Permission denial: writing to settings requires:android.permission.WRITE_SECURE_SETTINGS",
        );
    }
    match words {
        ["get", _, key] => {
            let value = get(device, namespace, key);
            CommandOutput::ok(format!("{}\n", value.as_deref().unwrap_or("null")))
        }
        ["put", "secure", "default_input_method", id] => match phone.set_input_method(id) {
            Ok(()) => CommandOutput::status(0),
            // Android accepts any text here and falls back later.
            Err(why) => CommandOutput::malformed(device, 255, format!("{why}\n")),
        },
        ["put", _, key, value] | ["put", _, key, value, "default"] => {
            phone.put_setting(namespace, key, Some(value));
            CommandOutput::status(0)
        }
        ["delete", _, key] => {
            let there = get(device, namespace, key).is_some();
            phone.put_setting(namespace, key, None);
            CommandOutput::ok(format!("Deleted {} rows\n", u8::from(there)))
        }
        ["list", _] => {
            let lines = KNOWN.iter().filter_map(|key| {
                get(device, namespace, key).map(|value| format!("{key}={value}\n"))
            });
            CommandOutput::ok(lines.collect::<String>())
        }
        [] => CommandOutput::malformed(device, 255, "Settings provider (settings) commands:\n"),
        ["get" | "put" | "delete", rest @ ..] if rest.len() < 2 => {
            CommandOutput::malformed(device, 255, "Bad arguments\n")
        }
        [command, ..] => {
            CommandOutput::malformed(device, 255, format!("Invalid command: {command}\n"))
        }
    }
}

/// `content insert --uri content://settings/NAMESPACE --bind name:s:KEY --bind value:TYPE:VALUE`, with
/// which some agents rotate the screen. There are no other providers.
pub(super) fn content(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let ["insert", "--uri", uri, "--bind", name, "--bind", value] = words else {
        return CommandOutput::unsupported(device, &format!("content {}", words.join(" ")));
    };
    let namespace = uri.strip_prefix("content://settings/").unwrap_or_default();
    let key = name.strip_prefix("name:s:");
    let value = value.strip_prefix("value:").and_then(|value| value.split_once(':'));
    match (NAMESPACES.contains(&namespace), key, value) {
        (true, Some(key), Some((_, value))) => {
            device.phone().put_setting(namespace, key, Some(value));
            CommandOutput::status(0)
        }
        _ => CommandOutput::unsupported(device, &format!("content insert --uri {uri}")),
    }
}

/// A setting; those of input methods are computed.
fn get(device: &AdbDevice, namespace: &str, key: &str) -> Option<String> {
    let phone = device.phone();
    match (namespace, key) {
        ("secure", "default_input_method") => Some(phone.input_method()),
        ("secure", "enabled_input_methods") => {
            let enabled = phone.input_methods().into_iter().filter(|(_, on)| *on);
            Some(enabled.map(|(id, _)| id).collect::<Vec<_>>().join(":"))
        }
        _ => phone.setting(namespace, key),
    }
}
