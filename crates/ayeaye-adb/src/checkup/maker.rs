//! What is particular to one maker's phones.
use super::{Asked, CheckupFinding};
use crate::device::AdbDevice;
use crate::parse::{Properties, batch, sanitize, split_batch};

/// Switches that only one maker has, as far as a phone tells them.
pub(super) async fn maker(device: &AdbDevice) -> Asked {
    let about = "maker";
    // Few of the thousand that there are.
    let ask = batch(&[
        "getprop ro.product.manufacturer",
        "getprop | grep -E 'version[.](oneui|emui|magic|oplusrom|opporom)|magic[.]version|\
         version[.]name|vivo[.]os|adbinstall'",
    ]);
    let output = device.client().shell_quick("its maker", &ask).await?;
    let [name, properties] = split_batch(&output.stdout);
    let (name, properties) = (sanitize(name.trim()), Properties::read(properties));
    // Xiaomi's own: "Install via USB".
    let may_install = properties.get("persist.security.adbinstall") == Some("1");
    let maker = match properties.system_name() {
        Some(system) => format!("{name}, {system}"),
        None => name.clone(),
    };
    Ok(match name.to_ascii_lowercase().as_str() {
        "xiaomi" | "redmi" | "poco" if !may_install => Some(CheckupFinding::unsure(
            about,
            format!("{maker}: nothing can be installed over adb yet"),
            "to install something, switch on \"Install via USB\" in the developer options",
        )),
        "oppo" | "realme" | "oneplus" => Some(CheckupFinding::fine(
            about,
            format!(
                "{maker}: if taps or the keyboard are refused, \"Disable permission monitoring\" in the \
                 developer options lets them through"
            ),
        )),
        "samsung" => Some(CheckupFinding::fine(
            about,
            format!(
                "{maker}: if it disappears from the list, Settings > Security and privacy > Auto Blocker \
                 has shut adb out"
            ),
        )),
        "huawei" | "honor" => Some(CheckupFinding::fine(
            about,
            format!(
                "{maker}: if it disappears when unplugged, \"Allow ADB debugging in charge only mode\" in the \
                 developer options keeps it"
            ),
        )),
        _ if maker != name => Some(CheckupFinding::fine(about, maker)),
        _ => None,
    })
}
