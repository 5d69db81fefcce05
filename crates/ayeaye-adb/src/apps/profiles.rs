//! Profiles of the person in front: a work profile, a Secure Folder. Their apps are in no list that is asked for here.
use crate::client::DeviceClient;
use crate::parse::{self, CURRENT_USER, User, batch, current_user, split_batch};
use crate::quote::is_package;

/// How many of them are named.
const MOST_NAMED: usize = 5;

/// Asks for the place of a package of the person in front: without a user it is asked of the phone's first.
pub(super) fn path_of(package: &str) -> String {
    debug_assert!(is_package(package), "the caller has seen to it");
    format!("pm path --user {CURRENT_USER} {package}")
}

/// Whether an app is on the phone for the person in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Installed {
    No,
    /// With an icon or without.
    Yes,
    /// It is there and switched off, and so has no icon.
    Disabled,
}

/// Whether a name is the package of an app that is there.
pub(super) async fn installed(client: &DeviceClient, what: &str, name: &str) -> Installed {
    let name = name.trim();
    if !is_package(name) {
        return Installed::No;
    }
    let disabled = format!("pm list packages -d --user {CURRENT_USER} {name}");
    let ask = batch(&[&path_of(name), &disabled]);
    let Ok(output) = client.shell_quick(what, &ask).await else { return Installed::No };
    let [path, disabled] = split_batch(&output.stdout);
    if disabled.lines().any(|line| line.trim().strip_prefix("package:") == Some(name)) {
        Installed::Disabled
    } else if path.contains("package:") {
        Installed::Yes
    } else {
        Installed::No
    }
}

/// Where an app may be that the person in front does not have; empty where there is no such place.
pub(super) async fn where_else(client: &DeviceClient, what: &str) -> String {
    let ask = batch(&["pm list users", "am get-current-user"]);
    let Ok(output) = client.shell_quick(what, &ask).await else { return String::new() };
    let [users, current] = split_batch(&output.stdout);
    let current = current_user(current).unwrap_or(0);
    let others = parse::users(users).into_iter();
    let profiles: Vec<User> =
        others.filter(|it| it.is_profile && it.is_running && it.id != current).collect();
    if profiles.is_empty() {
        return String::new();
    }
    let names: Vec<String> = profiles
        .iter()
        .take(MOST_NAMED)
        .map(|it| format!("{} (user {})", it.name, it.id))
        .collect();
    format!(
        "; apps of {} are not listed here: if it is one of those, open it by its icon on the screen",
        names.join(", ")
    )
}
