//! `wm`: size, density, rotation.
use super::CommandOutput;
use crate::device::VirtualPhone;

/// What Android accepts as a density.
const DENSITIES: std::ops::RangeInclusive<u32> = 72..=2000;
/// The sides of a size override; larger pictures would be too expensive.
const SIDES: std::ops::RangeInclusive<u32> = 200..=4096;

pub(super) fn run(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let phone = device.phone();
    let options = phone.options();
    match without_display(words).as_slice() {
        ["size"] => {
            let mut text = format!("Physical size: {}x{}\n", options.width, options.height);
            if let Some((width, height)) = phone.size_override() {
                push_fmt!(text, "Override size: {width}x{height}\n");
            }
            CommandOutput::ok(text)
        }
        ["size", "reset"] => {
            phone.set_size_override(None);
            CommandOutput::status(0)
        }
        ["size", size] => match parse_size(size) {
            Some(size) => {
                phone.set_size_override(Some(size));
                CommandOutput::status(0)
            }
            None => CommandOutput::malformed(device, 255, format!("Error: bad size {size}\n")),
        },
        ["density"] => {
            let mut text = format!("Physical density: {}\n", options.density);
            if let Some(density) = phone.density_override() {
                push_fmt!(text, "Override density: {density}\n");
            }
            CommandOutput::ok(text)
        }
        ["density", "reset"] => {
            phone.set_density_override(None);
            CommandOutput::status(0)
        }
        ["density", density] => match density.parse() {
            Ok(density) if DENSITIES.contains(&density) => {
                phone.set_density_override(Some(density));
                CommandOutput::status(0)
            }
            Ok(_) => CommandOutput::malformed(device, 255, "Error: density must be >= 72\n"),
            Err(_) => {
                CommandOutput::malformed(device, 255, format!("Error: bad number {density}\n"))
            }
        },
        ["user-rotation" | "set-user-rotation"] => {
            let automatic =
                phone.setting("system", "accelerometer_rotation").as_deref() == Some("1");
            CommandOutput::ok(if automatic {
                "free\n".to_owned()
            } else {
                format!("lock {}\n", phone.rotation())
            })
        }
        ["user-rotation" | "set-user-rotation", "free"] => {
            phone.put_setting("system", "accelerometer_rotation", Some("1"));
            CommandOutput::status(0)
        }
        ["user-rotation" | "set-user-rotation", "lock", rest @ ..] => match rest {
            [] => {
                let turns = phone.rotation().to_string();
                phone.put_setting("system", "user_rotation", Some(&turns));
                phone.put_setting("system", "accelerometer_rotation", Some("0"));
                CommandOutput::status(0)
            }
            [turns @ ("0" | "1" | "2" | "3")] => {
                phone.put_setting("system", "user_rotation", Some(turns));
                phone.put_setting("system", "accelerometer_rotation", Some("0"));
                CommandOutput::status(0)
            }
            _ => {
                let what =
                    "java.lang.IllegalArgumentException: Error: rotation must be 0, 1, 2 or 3";
                CommandOutput::exception(device, "user-rotation", what)
            }
        },
        ["dismiss-keyguard"] => {
            if !device.faults().plan().stubborn_lock {
                phone.dismiss_keyguard();
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
