//! `wm`: size, density, rotation.
use super::CommandOutput;
use crate::device::VirtualPhone;

/// What Android accepts as a density.
const DENSITIES: std::ops::RangeInclusive<u32> = 72..=2000;
/// The sides of a size override; larger pictures would be too expensive.
const SIDES: std::ops::RangeInclusive<u32> = 200..=4096;

pub(super) fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    match without_display(words).as_slice() {
        ["size", rest @ ..] if rest.len() < 2 => size(device, rest.first().copied()),
        ["density", rest @ ..] if rest.len() < 2 => density(device, rest.first().copied()),
        ["user-rotation" | "set-user-rotation"] => CommandOutput::ok(rotation(device)),
        ["user-rotation" | "set-user-rotation", "free"] => {
            device.phone().put_setting("system", "accelerometer_rotation", Some("1"));
            CommandOutput::status(0)
        }
        ["user-rotation" | "set-user-rotation", "lock", turns @ ..] => lock_rotation(device, turns),
        ["dismiss-keyguard"] => {
            if !device.faults().plan().stubborn_lock {
                device.phone().dismiss_keyguard();
            }
            CommandOutput::status(0)
        }
        [] => {
            CommandOutput::malformed_on_stdout(device, 255, "Window manager (window) commands:\n")
        }
        [command, ..] => {
            CommandOutput::malformed_on_stdout(device, 255, format!("Unknown command: {command}\n"))
        }
    }
}

/// Tells the sizes; sets another one, or with `reset` none.
fn size(device: &VirtualPhone, wanted: Option<&str>) -> CommandOutput {
    let phone = device.phone();
    let Some(wanted) = wanted else {
        let options = phone.options();
        let mut text = format!("Physical size: {}x{}\n", options.width, options.height);
        if let Some((width, height)) = phone.size_override() {
            push_fmt!(text, "Override size: {width}x{height}\n");
        }
        return CommandOutput::ok(text);
    };
    let size = parse_size(wanted);
    if size.is_none() && wanted != "reset" {
        return CommandOutput::malformed(device, 255, format!("Error: bad size {wanted}\n"));
    }
    phone.set_size_override(size);
    CommandOutput::status(0)
}

/// Tells the densities; sets another one, or with `reset` none.
fn density(device: &VirtualPhone, wanted: Option<&str>) -> CommandOutput {
    let phone = device.phone();
    let Some(wanted) = wanted else {
        let mut text = format!("Physical density: {}\n", phone.options().density);
        if let Some(density) = phone.density_override() {
            push_fmt!(text, "Override density: {density}\n");
        }
        return CommandOutput::ok(text);
    };
    let density = match wanted.parse() {
        Ok(density) if DENSITIES.contains(&density) => Some(density),
        Ok(_) => {
            return CommandOutput::malformed(device, 255, "Error: density must be >= 72\n");
        }
        Err(_) if wanted == "reset" => None,
        Err(_) => {
            let text = format!("Error: bad number {wanted}\n");
            return CommandOutput::malformed(device, 255, text);
        }
    };
    phone.set_density_override(density);
    CommandOutput::status(0)
}

/// Whether the screen turns with the phone, and if not, how it stands.
fn rotation(device: &VirtualPhone) -> String {
    let phone = device.phone();
    if phone.setting("system", "accelerometer_rotation").as_deref() == Some("1") {
        "free\n".to_owned()
    } else {
        format!("lock {}\n", phone.rotation())
    }
}

/// Keeps the screen as it stands, or turned by so many quarters.
fn lock_rotation(device: &VirtualPhone, turns: &[&str]) -> CommandOutput {
    let phone = device.phone();
    let turns = match turns {
        [] => phone.rotation().to_string(),
        [turns @ ("0" | "1" | "2" | "3")] => (*turns).to_owned(),
        _ => {
            let what = "java.lang.IllegalArgumentException: Error: rotation must be 0, 1, 2 or 3";
            return CommandOutput::exception(device, "user-rotation", what);
        }
    };
    phone.put_setting("system", "user_rotation", Some(&turns));
    phone.put_setting("system", "accelerometer_rotation", Some("0"));
    CommandOutput::status(0)
}

/// Removes `-d 0`: there is only one display.
fn without_display<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut rest = words.to_vec();
    if let Some(at) = rest.windows(2).position(|pair| pair == ["-d", "0"]) {
        rest.drain(at..at + 2);
    }
    rest
}

fn parse_size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| text.parse().ok().filter(|side| SIDES.contains(side));
    Some((side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_bounded() {
        assert_eq!(parse_size("1080x2400"), Some((1080, 2400)));
        for bad in ["1080", "1080x", "x", "0x0", "99999x99999", "-1x2", "1080x2400x2"] {
            assert_eq!(parse_size(bad), None, "{bad}");
        }
        assert_eq!(without_display(&["size", "-d", "0"]), ["size"]);
    }
}
