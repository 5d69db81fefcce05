//! `settings` and `content`: the settings tables.
use super::CommandOutput;
use crate::device::VirtualPhone;

const NAMESPACES: [&str; 3] = ["system", "secure", "global"];

/// The words without `--user`, which may stand anywhere but behind the key of `get` and `delete`. There is only
/// user 0.
fn of_user<'a>(device: &VirtualPhone, words: &[&'a str]) -> Result<Vec<&'a str>, CommandOutput> {
    let mut rest = words.to_vec();
    let read = if words.first() == Some(&"put") { 6 } else { 3 };
    let Some(at) = words.iter().take(read).position(|word| *word == "--user") else {
        return Ok(rest);
    };
    let Some(user) = words.get(at + 1) else {
        return Err(CommandOutput::argument_expected(device, words[0], "--user"));
    };
    rest.drain(at..at + 2);
    match *user {
        "0" | "current" | "cur" => Ok(rest),
        user if user == "all" || user.parse::<i32>().is_ok() => {
            Err(CommandOutput::malformed(device, 255, format!("Invalid user: {user}\n")))
        }
        user => {
            let what = format!("java.lang.IllegalArgumentException: Bad user number: {user}");
            Err(CommandOutput::exception(device, words[0], &what))
        }
    }
}

pub(super) fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let words = match of_user(device, words) {
        Ok(words) => words,
        Err(refusal) => return refusal,
    };
    let words = words.as_slice();
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
        ["put", _, key, value]
        | ["put", _, key, value, _]
        | ["put", _, key, value, _, "default"] => put(device, namespace, key, value),
        ["delete", _, key] => {
            let there = get(device, namespace, key).is_some();
            phone.put_setting(namespace, key, None);
            CommandOutput::ok(format!("Deleted {} rows\n", u8::from(there)))
        }
        ["list", _, ..] => {
            let mut lines: Vec<String> = phone
                .settings(namespace)
                .into_iter()
                .map(|(key, value)| {
                    let value = get(device, namespace, &key).unwrap_or(value);
                    format!("{key}={value}\n")
                })
                .collect();
            lines.sort_unstable();
            CommandOutput::ok(lines.concat())
        }
        [] => CommandOutput::malformed(device, 255, "Settings provider (settings) commands:\n"),
        ["get" | "put" | "delete" | "list", rest @ ..] if rest.len() < 2 => {
            CommandOutput::malformed(device, 255, "Bad arguments\n")
        }
        ["put", _, _] => CommandOutput::malformed(device, 255, "Bad arguments\n"),
        ["put", _, _, _, tag, _, ..] if *tag != "default" => {
            CommandOutput::malformed(device, 255, "Argument expected to be 'default'\n")
        }
        ["get" | "put" | "delete", ..] => {
            CommandOutput::malformed(device, 255, "Too many arguments\n")
        }
        ["reset", ..] => CommandOutput::unsupported(device, "settings reset"),
        [command, ..] => {
            CommandOutput::malformed(device, 255, format!("Invalid command: {command}\n"))
        }
    }
}

/// Puts a value; what `put` says of the one who puts it and of defaults changes nothing here.
fn put(device: &VirtualPhone, namespace: &str, key: &str, value: &str) -> CommandOutput {
    if (namespace, key) == ("secure", "default_input_method") {
        return match device.phone().set_input_method(value) {
            Ok(()) => CommandOutput::status(0),
            // Android accepts any text here and falls back later.
            Err(why) => CommandOutput::malformed(device, 255, format!("{why}\n")),
        };
    }
    device.phone().put_setting(namespace, key, Some(value));
    CommandOutput::status(0)
}

/// `content insert --uri content://settings/NAMESPACE --bind name:s:KEY --bind value:TYPE:VALUE`, with
/// which some agents rotate the screen. There are no other providers.
pub(super) fn content(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
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
fn get(device: &VirtualPhone, namespace: &str, key: &str) -> Option<String> {
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
