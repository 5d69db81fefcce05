//! Whether an app that was started has come to the front.
use std::time::Duration;

use ayeaye_agent::Performed;
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::parse::{self, batch, split_batch};

/// Android has had several places for it; since Android 16 the first may be empty.
const ASK: [&str; 2] = [
    "dumpsys window | grep -E '^WINDOW MANAGER|mCurrentFocus|mFocusedApp|Display: mDisplayId=|Window #|mOwnerUid=|mAttrs=|\
     howing|ccluded=|mInputRestricted|inputRestricted|mDreamingLockscreen'",
    "dumpsys activity activities | grep -E 'Display #|Display: mDisplayId=|ResumedActivity'",
];

/// How long a cold start may take, and how often the phone is asked meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(80);

/// Waits until the app is in front on this display. What is there instead is told: a question which copy is meant,
/// another app.
pub(super) async fn wait_for(client: &DeviceClient, package: &str, display: u32) -> Performed {
    let deadline = Instant::now() + PATIENCE.min(client.limits().wake);
    let (mut collapsed, mut asked) = (false, false);
    loop {
        let Ok(output) = client.shell_quick("the app in front", &batch(&ASK)).await else {
            return Performed::uncertain(NOT_TOLD);
        };
        let told = parse::as_of_now(&output.stdout);
        let parts: [&str; 2] = split_batch(told);
        if parts.into_iter().any(parse::is_forged) {
            return Performed::uncertain(NOT_TOLD);
        }
        // Each has headings of its own.
        let shown = parts.map(|part| parse::on_display(part, display)).join("\n");
        let is_own = |window: &String| window.split('/').next() == Some(package);
        if let Some(window) = parse::chooser(&shown).filter(|window| !is_own(window)) {
            // One that was there before, or that goes by itself, asks nobody.
            if asked || deadline <= Instant::now() {
                return Performed::uncertain(format!(
                    "the phone asks on its screen ({window}) which app is meant, as it does where an app is \
                     there twice: choose there"
                ));
            }
            asked = true;
            sleep(INTERVAL).await;
            continue;
        }
        asked = false;
        // What another display shows is nothing that is seen.
        let anywhere = || parse::foreground(told).filter(|_| display == 0);
        let front = parse::foreground(&shown).or_else(anywhere);
        let front = front.map(|app| app.package);
        let system_ui = parse::in_front(&shown).is_some_and(|it| it.package == SYSTEM_UI);
        // The lock screen is a window of the same app, and closing the shade does not open it.
        let locked =
            system_ui && parse::locked(told).unwrap_or(false) && !parse::is_app_over_lock(told);
        let shade = system_ui && !locked;
        if front.as_deref() == Some(package) && !system_ui {
            return match parse::error_dialog(&shown) {
                None => Performed::done(),
                Some(title) => Performed::uncertain(format!(
                    "a window of the phone lies over it ({title}): choose there what to do with that app"
                )),
            };
        }
        // Starting an app from a shell leaves the notification shade open above it.
        if shade && !collapsed {
            collapsed = true;
            if let Err(error) = client.act_quick("closing the shade", CLOSE_SHADE).await {
                return Performed::uncertain(format!(
                    "the notification shade lies over it: {error}"
                ));
            }
            continue;
        }
        if deadline <= Instant::now() || is_silent(&output.stdout) {
            return match front {
                _ if locked => Performed::uncertain(LOCKED),
                Some(front) if front == package => Performed::uncertain(SHADED),
                Some(other) => Performed::uncertain(
                    match parts
                        .iter()
                        .find_map(|part| parse::other_display_of(part, package, display))
                    {
                        Some(elsewhere) => format!(
                            "{other} is in front on display {display}, which is the one that is shown here and touched; \
                         the phone has opened {package} on its display {elsewhere}"
                        ),
                        None => format!("{other} is in front, not {package}"),
                    },
                ),
                None => Performed::uncertain(NOT_TOLD),
            };
        }
        sleep(INTERVAL).await;
    }
}

const SYSTEM_UI: &str = "com.android.systemui";
const CLOSE_SHADE: &str = "cmd statusbar collapse";
const LOCKED: &str = "the phone is locked, so that it is seen once somebody has unlocked it";
const SHADED: &str = "the notification shade, which does not close, lies over it";
const NOT_TOLD: &str = "the phone does not tell which app is in front";

/// Whether the phone told nothing at all.
fn is_silent(output: &str) -> bool {
    let parts: [&str; 2] = split_batch(output);
    parts.iter().all(|part| part.trim().is_empty())
}
