//! Whether an app that was started has come to the front.
use std::time::Duration;

use ayeaye_agent::Performed;
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::parse::{self, batch, split_batch};

/// Android has had several places for it; since Android 16 the first may be empty.
const ASK: [&str; 2] = [
    "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'",
    "dumpsys activity activities | grep -E 'ResumedActivity'",
];

/// How long a cold start may take, and how often the phone is asked meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(80);

/// Waits until the app is in front. What is there instead is told: a question which copy is meant, another
/// app.
pub(super) async fn wait_for(client: &DeviceClient, package: &str) -> Performed {
    let deadline = Instant::now() + PATIENCE.min(client.limits().wake);
    loop {
        let Ok(output) = client.shell_quick("the app in front", &batch(&ASK)).await else {
            return Performed::uncertain(NOT_TOLD);
        };
        if let Some(window) = parse::chooser(&output.stdout) {
            return Performed::uncertain(format!(
                "the phone asks on its screen ({window}) which app is meant, as it does where an app is \
                 there twice: choose there"
            ));
        }
        let front = parse::foreground(&output.stdout).map(|app| app.package);
        if front.as_deref() == Some(package) {
            return Performed::done();
        }
        if deadline <= Instant::now() || is_silent(&output.stdout) {
            return match front {
                Some(other) => Performed::uncertain(format!("{other} is in front, not {package}")),
                None => Performed::uncertain(NOT_TOLD),
            };
        }
        sleep(INTERVAL).await;
    }
}

const NOT_TOLD: &str = "the phone does not tell which app is in front";

/// Whether the phone told nothing at all.
fn is_silent(output: &str) -> bool {
    let parts: [&str; 2] = split_batch(output);
    parts.iter().all(|part| part.trim().is_empty())
}
