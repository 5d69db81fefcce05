//! `ime`: the input methods.
use super::CommandOutput;
use crate::device::VirtualPhone;

pub(super) fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    if device.faults().plan().ime_refused {
        return CommandOutput::security_exception(
            "ime",
            "uid 2000 does not have android.permission.WRITE_SECURE_SETTINGS.",
        );
    }
    let phone = device.phone();
    let words = match words {
        [command, "--user", _, rest @ ..] => [&[*command], rest].concat(),
        words => words.to_vec(),
    };
    let known = |id: &str| phone.input_methods().into_iter().find(|(known, _)| known == id);
    let unknown = |id: &str, message: &str| {
        let text = format!("Unknown input method {id} cannot be {message} for user #0\n");
        CommandOutput::malformed(device, 255, text)
    };
    match words.as_slice() {
        ["list", options @ ..] => list(device, options),
        ["set", id] => match phone.set_input_method(id) {
            Ok(()) => CommandOutput::ok(format!("Input method {id} selected for user #0\n")),
            // Android calls one that is not enabled unknown, too.
            Err(_) => unknown(id, "selected"),
        },
        [command @ ("enable" | "disable"), id] => {
            let on = *command == "enable";
            let word = if on { "enabled" } else { "disabled" };
            match known(id) {
                None => unknown(id, word),
                Some((_, is)) if is == on => {
                    CommandOutput::ok(format!("Input method {id}: already {word} for user #0\n"))
                }
                Some(_) => match phone.enable_input_method(id, on) {
                    Ok(()) => {
                        CommandOutput::ok(format!("Input method {id}: now {word} for user #0\n"))
                    }
                    Err(why) => CommandOutput::malformed(device, 255, format!("{why}\n")),
                },
            }
        }
        ["reset"] => {
            let first = phone.input_methods().into_iter().next();
            let Some((id, _)) = first else { return CommandOutput::status(255) };
            match phone.enable_input_method(&id, true).and_then(|()| phone.set_input_method(&id)) {
                Ok(()) => CommandOutput::ok(format!(
                    "Reset current and enabled IMEs for user #0\n  Newly selected IME: {id}\n"
                )),
                Err(why) => CommandOutput::error(255, format!("{why}\n")),
            }
        }
        [] => {
            CommandOutput::malformed_on_stdout(device, 255, "InputMethodManagerService commands:\n")
        }
        [command, ..] => {
            CommandOutput::malformed_on_stdout(device, 255, format!("Unknown command: {command}\n"))
        }
    }
}

fn list(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let (mut all, mut short) = (false, false);
    for option in options {
        match *option {
            "-a" => all = true,
            "-s" => short = true,
            other => {
                return CommandOutput::malformed(device, 255, format!("Unknown option: {other}\n"));
            }
        }
    }
    let mut text = String::new();
    for (id, enabled) in device.phone().input_methods() {
        if !enabled && !all {
            continue;
        }
        if short {
            push_fmt!(text, "{id}\n");
            continue;
        }
        let package = id.split('/').next().unwrap_or(&id);
        push_fmt!(
            text,
            "{id}:\n  mId={id} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=false\n  \
             mIsDefaultResId=0x0\n  Service:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    \
             ServiceInfo:\n      packageName={package}\n      enabled=true exported=true processName={package}\n      \
             permission=android.permission.BIND_INPUT_METHOD\n"
        );
    }
    CommandOutput::ok(text)
}
