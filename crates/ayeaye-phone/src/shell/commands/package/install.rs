//! Installing and removing package files.
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;

use super::{CommandOutput, find, path};
use crate::{
    apk,
    device::VirtualPhone,
    faults::FaultPlan,
    files::normalize_path,
    packages::{Component, Package},
    shell::io::Io,
    system::ADB_KEYBOARD,
};

/// Most bytes of a package file.
const MAX: usize = 64 << 20;

/// `pm install [OPTION]… [-S SIZE | PATH]`: from standard input or a file of the phone.
pub(super) async fn install(
    device: &VirtualPhone,
    cwd: &str,
    options: &[&str],
    io: &Io,
) -> CommandOutput {
    let (mut size, mut file) = (None, None);
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-S" => size = words.next().and_then(|size| size.parse::<usize>().ok()),
            "--user" | "-i" | "--abi" | "--install-location" | "--dexopt-compiler-filter" => {
                words.next();
            }
            "-" => {}
            flag if flag.starts_with('-') => {}
            path => file = Some(path),
        }
    }
    let content = match (size, file) {
        (Some(size), _) => match streamed(device, size, io).await {
            Ok(content) => content,
            Err(why) => return failure(why),
        },
        (None, Some(file)) => match device.files().read(&normalize_path(cwd, file)) {
            Ok(content) => content,
            Err(_) => {
                return CommandOutput::error(255, format!("Error: Unable to open file: {file}\n"));
            }
        },
        _ => {
            return CommandOutput::error(
                1,
                "Error: must either specify a package size or an APK file\n",
            );
        }
    };
    if let Some(refusal) = device.faults().plan().install_refused {
        return failure(refusal.code());
    }
    let manifest = match apk::read(&content) {
        Ok(manifest) => manifest,
        Err(not_one) => return failure(&not_one.to_string()),
    };
    let launcher = manifest.launcher.and_then(|class| {
        let class = if class.contains('.') { class } else { format!(".{class}") };
        Component::parse(&format!("{}/{class}", manifest.package))
    });
    let package = Package {
        label: manifest.label.unwrap_or_else(|| manifest.package.clone()),
        name: manifest.package,
        launcher,
        system: false,
        version_name: manifest.version_name,
    };
    let (name, place) = (package.name.clone(), path(&package));
    if !device.phone().install(package) {
        return failure("INSTALL_FAILED_UPDATE_INCOMPATIBLE: the phone came with this package");
    }
    if device.files().write_package(&place, content.to_vec(), device.unix_seconds()).is_err() {
        device.phone().uninstall(&name);
        return failure("INSTALL_FAILED_INSUFFICIENT_STORAGE");
    }
    if ADB_KEYBOARD.split('/').next() == Some(name.as_str()) {
        let late = Duration::from_millis(device.faults().plan().keyboard_late_ms);
        let there = |plan: &mut FaultPlan| {
            plan.no_keyboard = false;
            plan.deaf_keyboard = false;
        };
        if late.is_zero() {
            device.inject(there);
        } else {
            let device = device.clone();
            tokio::spawn(
                async move {
                    tokio::time::sleep(late).await;
                    device.inject(there);
                }
                .boxed(),
            );
        }
    }
    CommandOutput::ok("Success\n")
}

/// So many bytes of standard input. They are read before anything is refused, or adb would report a broken pipe.
async fn streamed(device: &VirtualPhone, size: usize, io: &Io) -> Result<Bytes, &'static str> {
    let mut content = device.memory().buffer();
    let (mut left, mut fits) = (size, size <= MAX);
    while left > 0 {
        let Some(chunk) = io.stdin.chunk().await else {
            return Err("INSTALL_FAILED_INTERNAL_ERROR: the stream ended early");
        };
        let now = chunk.len().min(left);
        left -= now;
        if fits && content.push(&chunk[..now]).is_err() {
            fits = false;
            content = device.memory().buffer();
        }
    }
    if fits { Ok(content.into_bytes()) } else { Err("INSTALL_FAILED_INSUFFICIENT_STORAGE") }
}

fn failure(code: &str) -> CommandOutput {
    CommandOutput::on_stdout(1, format!("Failure [{code}]\n"))
}

/// `pm uninstall [OPTION]… PACKAGE`.
pub(super) fn uninstall(device: &VirtualPhone, options: &[&str]) -> CommandOutput {
    let mut words = options.iter().copied();
    let mut name = None;
    while let Some(word) = words.next() {
        match word {
            "--user" | "--versionCode" => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            package => name = Some(package),
        }
    }
    let Some(name) = name else {
        return CommandOutput::malformed(device, 1, "Error: package name not specified\n");
    };
    let place = find(device, name).map(|package| path(&package));
    if !device.phone().uninstall(name) {
        return CommandOutput::on_stdout(1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n");
    }
    if let Some(place) = place {
        device.files().remove_package(&place);
    }
    if ADB_KEYBOARD.split('/').next() == Some(name) {
        device.inject(|plan| plan.no_keyboard = true);
    }
    CommandOutput::ok("Success\n")
}
