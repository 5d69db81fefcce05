//! `uiautomator dump`: what is on the screen, as XML. One at a time: each holds the phone's only `UiAutomation`
//! from when its Java machine runs until it ends, which is when its client is gone only where that is hung up on.
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::{super::process::Shell, CommandOutput};
use crate::{
    device::VirtualPhone,
    faults::DumpFault,
    files::normalize_path,
    profile::{pause, pause_until},
};

/// How long it listens at least before it takes the screen for idle; on a real phone a second.
const IDLE: Duration = Duration::from_millis(300);
/// How long it waits for the screen to settle.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT: &str = "/sdcard/window_dump.xml";

pub(super) async fn run(shell: &Shell, words: &[&str]) -> CommandOutput {
    let device = shell.device();
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
            "--windows" => {
                return CommandOutput::unsupported(device, "uiautomator dump --windows");
            }
            // As on a real phone.
            flag if flag.starts_with('-') => {}
            file => path = file,
        }
    }
    device.count(|counts| counts.dumps += 1);
    let full = normalize_path(shell.cwd(), path);
    let dump = Dump {
        device: device.clone(),
        path: if path.starts_with('/') { path.to_owned() } else { full.clone() },
        full,
        compressed,
        has_terminal: shell.has_terminal,
    };
    let process = tokio::spawn(dump.run().boxed());
    let ended = match &shell.hang_up {
        Some(hang_up) => {
            let process = AbortOnDropHandle::new(process);
            tokio::select! {
                ended = process => ended,
                () = hang_up.cancelled() => return CommandOutput::error(129, "Hangup \n"),
            }
        }
        None => process.await,
    };
    ended.unwrap_or_else(|_| CommandOutput::error(137, "Killed \n"))
}

/// The process of one dump.
struct Dump {
    device: VirtualPhone,
    /// As it was said, but absolute, and in full.
    path: String,
    full: String,
    compressed: bool,
    has_terminal: bool,
}

impl Dump {
    async fn run(self) -> CommandOutput {
        let timing = self.device.timing();
        let done = Instant::now() + timing.elements;
        pause(timing.java).await;
        let fault = self.device.faults().plan().dump;
        let connected = self.device.connect_ui_automation();
        if connected.is_none() || fault == Some(DumpFault::Taken) {
            return CommandOutput::error(137, TAKEN);
        }
        pause(IDLE).await;
        let idle = self.compressed || fault != Some(DumpFault::NeverIdle);
        let rests = idle && settled(&self.device).await;
        // A phone that sleeps has no window in front.
        let phone = self.device.phone();
        let listed = || {
            if self.device.faults().plan().other_display {
                OTHER_DISPLAY.to_owned()
            } else {
                phone.ui_xml()
            }
        };
        let xml = rests.then(|| phone.is_awake().then(listed));
        pause_until(done).await;
        let output = match xml {
            Some(Some(xml)) => self.store(xml),
            Some(None) => CommandOutput::error(0, NO_ROOT),
            None => CommandOutput::error(0, "ERROR: could not get idle state.\n"),
        };
        drop(connected);
        output
    }

    fn store(&self, xml: String) -> CommandOutput {
        let path = &self.path;
        // The misspelling is Android's own, and tools look for it.
        let message = format!("UI hierchary dumped to: {path}\n");
        if path == "/dev/stdout" || (path == "/dev/tty" && self.has_terminal) {
            return CommandOutput {
                stdout: vec![Bytes::from(xml), Bytes::from(message)],
                ..CommandOutput::default()
            };
        }
        // It says so too where that fails, which only Android's log tells (`AccessibilityNodeInfoDumper.java`).
        if path != "/dev/tty"
            && let Err(error) = self.device.files().write(
                &self.full,
                xml.into_bytes(),
                0o660,
                self.device.unix_seconds(),
            )
        {
            tracing::debug!(%error, path, "failed to dump window to file");
        }
        CommandOutput::ok(message)
    }
}

/// The elements of the display that a fault adds.
const OTHER_DISPLAY: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">\
    <node index=\"0\" text=\"Alarm\" resource-id=\"com.example.clock:id/alarm\" class=\"android.widget.Button\" \
    package=\"com.example.clock\" content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" \
    enabled=\"true\" focusable=\"true\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" \
    password=\"false\" selected=\"false\" bounds=\"[0,0][1240,1080]\" /></hierarchy>";
const NO_ROOT: &str = "ERROR: null root node returned by UiTestAutomationBridge.\n";
const TAKEN: &str = "\njava.lang.IllegalStateException: UiAutomationService \
    android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5c0ad1already registered!\n\
    \tat android.os.Parcel.createExceptionOrNull(Parcel.java:3079)\n\
    \tat android.app.UiAutomation.connect(UiAutomation.java:305)\nKilled \n";

/// Waits until the screen has settled, as the real one does.
async fn settled(device: &VirtualPhone) -> bool {
    let deadline = Instant::now() + SETTLE_TIMEOUT;
    while let Some(at) = device.phone().settles_at() {
        let now = Instant::now();
        if now >= deadline {
            return false;
        }
        let soon = now + Duration::from_millis(10);
        tokio::time::sleep_until(at.clamp(soon, deadline.max(soon))).await;
    }
    true
}
