//! Installed packages and their activities.
use serde::Serialize;

/// An activity: `package/class`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Component {
    pub package: String,
    /// Fully qualified.
    pub class: String,
}

/// An installed app.
#[derive(Debug, Clone, Serialize)]
pub struct Package {
    pub name: String,
    pub label: String,
    /// `None` for apps without an icon (keyboards, system parts).
    pub launcher: Option<Component>,
    pub system: bool,
    pub version_name: String,
}

/// How an activity was started, in the words of `am start -W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchState {
    Cold,
    /// It was running and came to the front; `am` prints a warning and still exits with 0.
    Hot,
}

/// Why an activity could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("Activity class {{{0}}} does not exist.")]
    NoSuchActivity(String),
}
