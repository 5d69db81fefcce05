//! Dumps of which only the beginning is known to be read: displays, memory, processors, drawing, notifications.
use super::{CommandOutput, DISPLAY_ID, system};
use crate::device::VirtualPhone;

/// Kilobytes of all memory, and what is free of it, as in `/proc/meminfo`.
const TOTAL: u32 = 7_900_000;
const FREE: u32 = 4_200_000;
/// What an app takes.
const APP: u32 = 85_000;

pub(super) fn surface_flinger(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let (width, height) = phone.display_size();
    let rotation = phone.rotation();
    let state = if phone.is_awake() { 2 } else { 0 };
    format!(
        "Build configuration: [sf PRESENT_TIME_OFFSET=0 FORCE_HWC_FOR_RBG_TO_YUV=1]\n\
         Displays (1 entries)\nDisplay {DISPLAY_ID} (active)\n  powerMode={state} isEnabled=1\n  \
         orientation={rotation} layerStackSpaceRect=Rect(0, 0, {width}, {height}) ({width}x{height})\n\n\
         SurfaceFlinger global state:\n  \
         GLES: Aye-aye, virtual GPU, OpenGL ES 3.2\n  \
         orientation={rotation}, isPoweredOn={on}\n  transaction-flags: 00000000\n",
        on = u8::from(phone.is_awake()),
    )
}

pub(super) fn memory(device: &VirtualPhone) -> String {
    let mut apps = String::new();
    for (_, name) in system::processes(device) {
        let (takes, id) = (grouped(APP), system::process_id(&name));
        push_fmt!(apps, "    {takes:>7}K: {name} (pid {id})\n");
    }
    format!(
        "{head}Total PSS by process:\n{apps}\nTotal RAM: {total}K (status normal)\n \
         Free RAM: {free}K\n Used RAM: {used}K\n Lost RAM:       0K\n",
        head = head(device, "Memory Usage (in Kilobytes)"),
        total = grouped(TOTAL),
        free = grouped(FREE),
        used = grouped(TOTAL - FREE),
    )
}

/// With a comma between thousands, as Android writes sums of memory since version 7.
fn grouped(kilobytes: u32) -> String {
    match kilobytes / 1000 {
        0 => kilobytes.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), kilobytes % 1000),
    }
}

pub(super) fn memory_of(device: &VirtualPhone, name: &str) -> CommandOutput {
    let running = system::processes(device).into_iter().any(|(_, process)| process == name);
    if !running {
        return CommandOutput::ok(format!("No process found for: {name}\n"));
    }
    CommandOutput::ok(format!(
        "{head}** MEMINFO in pid {pid} [{name}] **\n                   Pss  Private\n                 \
         Total    Dirty\n                ------   ------\n        TOTAL    {APP:>6}   {APP:>6}\n\n \
         App Summary\n                       Pss(KB)\n           TOTAL PSS:    {APP:>6}\n",
        head = head(device, "Memory Usage (in Kilobytes)"),
        pid = system::process_id(name),
    ))
}

pub(super) fn cpu(device: &VirtualPhone) -> String {
    let mut each = String::new();
    for (_, name) in system::processes(device) {
        let pid = system::process_id(&name);
        push_fmt!(each, "  0.5% {pid}/{name}: 0.3% user + 0.2% kernel\n");
    }
    format!(
        "Load: 0.5 / 0.4 / 0.3\nCPU usage from 10000ms to 0ms ago:\n{each}5% TOTAL: 3% user + 2% kernel\n"
    )
}

/// Of all apps, or of one.
pub(super) fn graphics(device: &VirtualPhone, only: Option<&str>) -> String {
    let mut text = head(device, "Graphics Acceleration Info");
    let tasks = device.phone().tasks();
    for task in tasks.iter().filter(|task| only.is_none_or(|name| task.package == name)) {
        let pid = system::process_id(&task.package);
        push_fmt!(
            text,
            "** Graphics info for pid {pid} [{}] **\n\nTotal frames rendered: 120\nJanky frames: 0 (0.00%)\n\
             50th percentile: 8ms\n90th percentile: 12ms\n99th percentile: 16ms\n\n",
            task.package
        );
    }
    text
}

fn head(device: &VirtualPhone, what: &str) -> String {
    let up = device.uptime().as_millis();
    format!("Applications {what}:\nUptime: {up} Realtime: {up}\n\n")
}

/// The shade of this phone has none.
pub(super) const NOTIFICATIONS: &str = "Current Notification Manager state:\n  Notification List:\n\n  \
    mMaxPackageEnqueueRate=5.0\n  mDisableNotificationEffects=false\n  mZenMode=ZEN_MODE_OFF\n";

/// Nobody administers this phone.
pub(super) const DEVICE_POLICY: &str = "Current Device Policy Manager state:\n  Immutable state:\n    \
    mHasFeature=true\n\n  Enabled Device Admins (User 0, provisioningState: 0):\n    mPasswordOwner=-1\n\n  \
    Device policy cache:\n    Screen capture disallowed users: []\n    Password quality: {}\n";
