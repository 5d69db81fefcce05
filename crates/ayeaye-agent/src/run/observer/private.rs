//! Private apps: nothing of them is shown to anybody.
use super::Observer;
use crate::ScreenState;
use crate::run::outcome::RunError;

impl Observer {
    /// Whether an app of `policy.private-apps` is in front, or may be.
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

/// The end of a run that came upon a private app.
pub(super) fn private_app(app: Option<String>) -> RunError {
    let text = match &app {
        Some(package) => format!(
            "The settings make the app in front ({package}) private (policy.private-apps): nothing on its \
             screen leaves this machine. Please get past it by hand, then say that it is done."
        ),
        None => "The phone does not say which app is in front, and the settings make some apps private \
                 (policy.private-apps). Please switch to another screen by hand, then say that it is done."
            .to_owned(),
    };
    RunError::NeedsTakeover { text, app }
}
