//! `uiautomator dump`: what is on the screen, as XML.
use std::time::Duration;

use bytes::Bytes;

use super::CommandOutput;
use crate::{
    device::{AdbDevice, unix_seconds},
    faults::DumpFault,
    files::normalize_path,
};

/// How long the JVM takes to start, each time.
const JVM_START: Duration = Duration::from_millis(300);
/// How long it waits for the screen to settle.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT: &str = "/sdcard/window_dump.xml";

pub(super) async fn run(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let ["dump", options @ ..] = words else {
        return match words {
            [] => {
                CommandOutput::malformed(device, 1, "Usage: uiautomator <subcommand> [options]\n")
            }
            [command, ..] => {
                let text = format!("Error: Unknown subcommand: {command}\n");
                CommandOutput::malformed(device, 1, text)
            }
        };
    };
    let (mut path, mut compressed) = (DEFAULT, false);
    for option in options {
        match *option {
            "--compressed" => compressed = true,
            "--windows" => {}
            flag if flag.starts_with('-') => {
                return CommandOutput::malformed(
                    device,
                    1,
                    format!("Error: Unknown option: {flag}\n"),
                );
            }
            file => path = file,
        }
    }
    device.count(|counts| counts.dumps += 1);
    tokio::time::sleep(JVM_START).await;
    match device.faults().plan().dump {
        Some(DumpFault::NeverIdle) if !compressed => {
            return CommandOutput::error(0, "ERROR: could not get idle state.\n");
        }
        Some(DumpFault::Taken) => return CommandOutput::error(137, TAKEN),
        Some(DumpFault::NeverIdle) | None => {}
    }
    if !settled(device).await {
        return CommandOutput::error(0, "ERROR: could not get idle state.\n");
    }
    let xml = device.phone().ui_xml();
    // The misspelling is Android's own, and tools look for it.
    let message = format!("UI hierchary dumped to: {path}\n");
    if path == "/dev/tty" || path == "/dev/stdout" {
        return CommandOutput {
            stdout: vec![Bytes::from(xml), Bytes::from(message)],
            ..CommandOutput::default()
        };
    }
    let stored =
        device.files().write(&normalize_path(cwd, path), xml.into_bytes(), 0o660, unix_seconds());
    match stored {
        Ok(()) => CommandOutput::ok(message),
        Err(error) => CommandOutput::error(
            0,
            format!(
                "ERROR: could not write {path}: java.io.FileNotFoundException: {path}: open failed: {error}\n"
            ),
        ),
    }
}

const TAKEN: &str = "\njava.lang.IllegalStateException: UiAutomationService \
    android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5c0ad1already registered!\n\
    \tat android.os.Parcel.createExceptionOrNull(Parcel.java:3079)\n\
    \tat android.app.UiAutomation.connect(UiAutomation.java:305)\nKilled \n";

/// Waits until the screen has settled, as the real one does.
async fn settled(device: &AdbDevice) -> bool {
    let deadline = tokio::time::Instant::now() + SETTLE_TIMEOUT;
    while let Some(at) = device.phone().settles_at() {
        let now = tokio::time::Instant::now();
        if now >= deadline {
            return false;
        }
        let soon = now + Duration::from_millis(10);
        tokio::time::sleep_until(at.clamp(soon, deadline.max(soon))).await;
    }
    true
}
