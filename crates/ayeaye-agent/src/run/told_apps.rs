//! Which of the phone's apps models are told of.
use super::Run;
use crate::App;

impl Run {
    /// The names of the apps that can be opened, as far as they are known already.
    pub(super) fn told_app_names(&self) -> Vec<String> {
        let mut apps = self.device.known_apps();
        self.leave_private_out(&mut apps);
        let mut names: Vec<String> = apps.into_iter().filter_map(|app| app.label).collect();
        names.dedup();
        names
    }

    /// That an app is on the phone is private, if the app is. One that the user has named is told: a model that reads the
    /// name in the task must be able to open it.
    pub(super) fn leave_private_out(&self, apps: &mut Vec<App>) {
        let policy = self.policy();
        if policy.private_apps.is_empty() {
            return;
        }
        let words = self.session().acts.words.join("\n").to_lowercase();
        apps.retain(|app| !policy.is_private(&app.package) || is_named(app, &words));
    }
}

/// Whether words in lower case name an app by its label or its package. Where a short label stands in another word, nothing
/// is told that the words do not say.
fn is_named(app: &App, words: &str) -> bool {
    let names = [app.label.as_deref().unwrap_or_default(), app.package.as_str()];
    names.iter().any(|name| !name.trim().is_empty() && words.contains(&name.trim().to_lowercase()))
}
