//! Apps of which nothing is shown to anybody.
use super::Observer;
use crate::ScreenState;
use crate::run::outcome::RunError;

impl Observer {
    /// Whether an app of which nothing is shown to anybody is in front, or may be.
    pub(super) fn shows_private(&self, state: &ScreenState) -> bool {
        self.is_private(state.foreground.as_ref().map(|it| it.package.as_str()))
    }

    pub(super) fn is_private(&self, package: Option<&str>) -> bool {
        match package {
            Some(package) => self.policy.is_private(package),
            None => !self.policy.private_apps.is_empty(),
        }
    }
}

/// The end of a run before an app of which nothing is shown to anybody.
pub(super) fn private_app(app: Option<String>) -> RunError {
    let text = match &app {
        Some(package) => format!(
            "The app in front ({package}) is private by the settings (policy.private-apps): nothing of its \
             screen leaves this machine. Please go on by hand past it, then say that it is done."
        ),
        None => "The phone does not say which app is in front, and some are private by the settings \
                 (policy.private-apps). Please show another screen by hand, then say that it is done."
            .to_owned(),
    };
    RunError::NeedsTakeover { text, app }
}
