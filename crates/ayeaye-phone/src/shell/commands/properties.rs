//! `getprop`.
use std::collections::BTreeMap;

use super::CommandOutput;
use crate::device::VirtualPhone;

pub(super) fn getprop(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let all = properties(device);
    match words {
        [] => CommandOutput::ok(
            all.iter()
                .map(|(key, value)| format!("[{key}]: [{value}]\n"))
                .collect::<Vec<_>>()
                .concat(),
        ),
        ["-T", ..] => CommandOutput::unsupported(device, "getprop -T"),
        [key] => CommandOutput::ok(format!("{}\n", all.get(*key).map_or("", String::as_str))),
        [key, default] => {
            CommandOutput::ok(format!("{}\n", all.get(*key).map_or(*default, String::as_str)))
        }
        _ => CommandOutput::malformed(device, 1, "getprop: Max 2 arguments\n"),
    }
}

fn properties(device: &VirtualPhone) -> BTreeMap<&'static str, String> {
    let options = device.phone().options();
    let release = &options.android;
    let (product, model, maker) = (&options.product, &options.model, &options.manufacturer);
    let fingerprint =
        format!("{maker}/{product}/{product}:{release}/UP1A.231005.007/1:user/release-keys");
    let fixed = [
        ("debug.sf.nobootanimation", "1"),
        ("dev.bootcomplete", "1"),
        ("init.svc.adbd", "running"),
        ("init.svc.bootanim", "stopped"),
        ("persist.sys.locale", "en-US"),
        ("persist.sys.timezone", "GMT"),
        ("ro.build.characteristics", "default"),
        ("ro.build.id", "UP1A.231005.007"),
        ("ro.build.tags", "release-keys"),
        ("ro.build.type", "user"),
        ("ro.build.version.codename", "REL"),
        ("ro.build.version.security_patch", "2023-10-05"),
        ("ro.debuggable", "0"),
        ("ro.hardware", "virtual"),
        ("ro.kernel.qemu", ""),
        ("ro.product.cpu.abi", "arm64-v8a"),
        ("ro.product.cpu.abilist", "arm64-v8a"),
        ("ro.secure", "1"),
        ("service.bootanim.exit", "1"),
        ("sys.boot_completed", "1"),
        ("sys.usb.config", "adb"),
    ];
    let mut all: BTreeMap<_, _> =
        fixed.into_iter().map(|(key, value)| (key, value.to_owned())).collect();
    all.extend([
        ("ro.boot.serialno", options.serial.clone()),
        (
            "ro.build.description",
            format!("{product}-user {release} UP1A.231005.007 1 release-keys"),
        ),
        ("ro.build.display.id", "UP1A.231005.007".to_owned()),
        ("ro.build.fingerprint", fingerprint),
        ("ro.build.product", product.clone()),
        ("ro.build.version.release", release.clone()),
        ("ro.build.version.sdk", options.sdk.to_string()),
        ("ro.product.brand", maker.to_lowercase()),
        ("ro.product.device", product.clone()),
        ("ro.product.manufacturer", maker.clone()),
        ("ro.product.model", model.clone()),
        ("ro.product.name", product.clone()),
        ("ro.serialno", options.serial.clone()),
        ("ro.sf.lcd_density", options.density.to_string()),
    ]);
    // What the maker calls its system.
    all.extend(match maker.as_str() {
        "samsung" => Some(("ro.build.version.oneui", "60100".to_owned())),
        "Xiaomi" => Some(("ro.miui.ui.version.name", "V140".to_owned())),
        "OPPO" => Some(("ro.build.version.oplusrom", "V14.0.0".to_owned())),
        "HUAWEI" => Some(("ro.build.version.emui", "EmotionUI_12.0.0".to_owned())),
        _ => None,
    });
    all
}
