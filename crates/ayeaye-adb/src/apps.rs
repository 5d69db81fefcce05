//! The installed apps: listing them, and opening one by name.
pub(crate) mod resolve;

use std::sync::Mutex;
use std::time::Duration;

use ayeaye_agent::{App, DeviceError};
use tokio::time::Instant;

use crate::client::DeviceClient;
use crate::parse::{components, first_component, packages, sanitize};
use crate::quote::{is_package, quote};

/// How long a list of apps is cached. A name that is not found refreshes it sooner.
const MAX_AGE: Duration = Duration::from_mins(1);

const LIST: &str = "cmd package query-activities --brief -a android.intent.action.MAIN \
                    -c android.intent.category.LAUNCHER";

/// `FLAG_ACTIVITY_NEW_TASK` and `FLAG_ACTIVITY_RESET_TASK_IF_NEEDED`, as a launcher sets
/// them: without them a running app would get a second copy of its first screen on top.
const LAUNCH_FLAGS: &str = "0x10200000";

/// An app, with the activity that its icon starts if the phone lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InstalledApp {
    package: String,
    activity: Option<String>,
}

/// The apps of one phone, with the last list cached.
#[derive(Debug, Default)]
pub(crate) struct AppCatalog(Mutex<Option<(Instant, Vec<InstalledApp>)>>);

impl AppCatalog {
    /// The apps that can be opened, with labels where they are known without asking each app.
    pub(crate) async fn list(&self, client: &DeviceClient) -> Result<Vec<App>, DeviceError> {
        let installed = self.query(client).await?;
        let with_label = |app: InstalledApp| {
            let label = resolve::label(&app.package).map(ToOwned::to_owned);
            App { package: app.package, label }
        };
        Ok(installed.into_iter().map(with_label).collect())
    }

    /// Brings an app to the front, by its label or package name.
    pub(crate) async fn open(&self, client: &DeviceClient, name: &str) -> Result<(), DeviceError> {
        let what = format!("opening {:?}", sanitize(name));
        let mut fresh = false;
        let mut installed = if let Some(known) = self.cached() {
            known
        } else {
            fresh = true;
            self.query(client).await?
        };
        let app = loop {
            let all: Vec<&str> = installed.iter().map(|app| app.package.as_str()).collect();
            match resolve::resolve(name, &all) {
                Ok(package) => {
                    let package = package.to_owned();
                    break installed.into_iter().find(|app| app.package == package);
                }
                Err(_) if !fresh => {
                    fresh = true;
                    installed = self.query(client).await?;
                }
                Err(unclear) => return Err(client.refused(&what, unclear.to_string())),
            }
        };
        let app = app.ok_or_else(|| client.refused(&what, "it is not installed"))?;
        let activity = match app.activity {
            Some(activity) => activity,
            None => launcher_activity(client, &what, &app.package).await?,
        };
        start(client, &what, &app.package, &activity).await
    }

    fn cached(&self) -> Option<Vec<InstalledApp>> {
        let known = self.0.lock().expect("nothing panics while it is held");
        let (when, apps) = known.as_ref()?;
        (when.elapsed() < MAX_AGE).then(|| apps.clone())
    }

    async fn query(&self, client: &DeviceClient) -> Result<Vec<InstalledApp>, DeviceError> {
        let what = "the list of apps";
        let output = client.shell_quick(what, LIST).await?;
        let mut apps: Vec<InstalledApp> = Vec::new();
        for (package, activity) in components(&output.stdout) {
            // Of an app with several icons, the first one counts.
            if apps.iter().all(|app| app.package != package) {
                apps.push(InstalledApp { package, activity: Some(activity) });
            }
        }
        if apps.is_empty() {
            // Before Android 7 `cmd package` has no queries; this lists apps without icons too.
            let output = client.shell_quick(what, "pm list packages").await?;
            let found = packages(&output.stdout).into_iter();
            apps = found.map(|package| InstalledApp { package, activity: None }).collect();
        }
        if apps.is_empty() {
            return Err(client.garbled(what, output.summary()));
        }
        *self.0.lock().expect("nothing panics while it is held") =
            Some((Instant::now(), apps.clone()));
        Ok(apps)
    }
}

async fn launcher_activity(
    client: &DeviceClient,
    what: &str,
    package: &str,
) -> Result<String, DeviceError> {
    debug_assert!(is_package(package), "lists are parsed");
    let ask = format!(
        "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER {package}"
    );
    let output = client.shell_quick(what, &ask).await?;
    match first_component(&output.stdout) {
        Some((found, activity)) if found == package => Ok(activity),
        _ => Err(client.refused(what, format!("{package} is installed but has nothing to open"))),
    }
}

/// Starts an app as its icon does: one that is running comes to the front as it was left.
async fn start(
    client: &DeviceClient,
    what: &str,
    package: &str,
    activity: &str,
) -> Result<(), DeviceError> {
    let component = quote(&format!("{package}/{activity}"))
        .map_err(|error| client.refused(what, error.to_string()))?;
    let command = format!(
        "am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER \
         -f {LAUNCH_FLAGS} -n {component}"
    );
    let output = client.shell_quick(what, &command).await?;
    let all = output.combined();
    let complains = all.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("Error") || line.contains("Exception:")
    });
    if output.exit_code != 0 || complains {
        let told = all.lines().find(|line| line.contains("Error")).unwrap_or(all.trim());
        return Err(
            client.refused(what, format!("exit code {}: {}", output.exit_code, sanitize(told)))
        );
    }
    Ok(())
}
