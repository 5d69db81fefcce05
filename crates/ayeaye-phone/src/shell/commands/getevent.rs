//! `getevent -p`: the touch screen, of which some clients want to know how wide and tall it is.
use super::CommandOutput;
use crate::device::VirtualPhone;

/// Code, name and greatest value of what a touch tells; those of its place are the screen's.
const AXES: [(u16, &str, u32); 4] = [
    (0x2f, "ABS_MT_SLOT", 9),
    (0x35, "ABS_MT_POSITION_X", 0),
    (0x36, "ABS_MT_POSITION_Y", 0),
    (0x39, "ABS_MT_TRACKING_ID", 65_535),
];

/// `getevent -p` and `-lp`, for all devices or this one. Events themselves are neither read nor written here.
pub(super) fn getevent(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let labels = match words {
        ["-p"] | ["-p", "/dev/input/event1"] => false,
        ["-lp" | "-pl"] | ["-lp" | "-pl", "/dev/input/event1"] => true,
        _ => return CommandOutput::unsupported(device, &format!("getevent {}", words.join(" "))),
    };
    let options = device.phone().options();
    let mut text =
        "add device 1: /dev/input/event1\n  name:     \"virtual_touchscreen\"\n  events:\n"
            .to_owned();
    let touch = if labels { "BTN_TOUCH" } else { "014a" };
    push_fmt!(text, "    KEY (0001): {touch}\n");
    for (index, (code, name, most)) in AXES.into_iter().enumerate() {
        let most = match code {
            0x35 => options.width - 1,
            0x36 => options.height - 1,
            _ => most,
        };
        let kind = if index == 0 { "ABS (0003):" } else { "" };
        let code = if labels { format!("{name:<21}") } else { format!("{code:04x} ") };
        push_fmt!(
            text,
            "    {kind:<11} {code} : value 0, min 0, max {most}, fuzz 0, flat 0, resolution 0\n"
        );
    }
    CommandOutput::ok(text + "  input props:\n    INPUT_PROP_DIRECT\n")
}
