//! Which apps there are, which one a name means, and bringing it to the front.
pub(crate) mod names;

use std::sync::Mutex;
use std::time::Duration;

use ayeaye_agent::{App, DeviceError};
use tokio::time::Instant;

use crate::link::Link;
use crate::parse::{clean, components, first_component, packages};
use crate::quote::{is_package, quote};

/// How long a list of apps is believed. One that was installed since is found by asking again.
const FRESH: Duration = Duration::from_mins(1);

const LIST: &str = "cmd package query-activities --brief -a android.intent.action.MAIN \
                    -c android.intent.category.LAUNCHER";

/// `FLAG_ACTIVITY_NEW_TASK` and `FLAG_ACTIVITY_RESET_TASK_IF_NEEDED`, as a launcher says them:
/// without them an app that runs would get a second copy of its first screen on top.
const BROUGHT_TO_FRONT: &str = "0x10200000";

/// An app with the activity that its icon starts, where the phone says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Installed {
    package: String,
    activity: Option<String>,
}

/// The apps of one phone, as it last told.
#[derive(Debug, Default)]
pub(crate) struct Apps(Mutex<Option<(Instant, Vec<Installed>)>>);

impl Apps {
    /// The apps that can be opened, with labels where they are known without asking each app.
    pub(crate) async fn list(&self, link: &Link) -> Result<Vec<App>, DeviceError> {
        let installed = self.ask(link).await?;
        let with_label = |app: Installed| {
            let label = names::label(&app.package).map(ToOwned::to_owned);
            App { package: app.package, label }
        };
        Ok(installed.into_iter().map(with_label).collect())
    }

    /// Brings an app to the front, by its label or package name.
    pub(crate) async fn open(&self, link: &Link, name: &str) -> Result<(), DeviceError> {
        let what = format!("opening {:?}", clean(name));
        let mut fresh = false;
        let mut installed = if let Some(known) = self.remembered() {
            known
        } else {
            fresh = true;
            self.ask(link).await?
        };
        let app = loop {
            let all: Vec<&str> = installed.iter().map(|app| app.package.as_str()).collect();
            match names::resolve(name, &all) {
                Ok(package) => {
                    let package = package.to_owned();
                    break installed.into_iter().find(|app| app.package == package);
                }
                Err(_) if !fresh => {
                    fresh = true;
                    installed = self.ask(link).await?;
                }
                Err(unclear) => return Err(link.refused(&what, unclear.to_string())),
            }
        };
        let app = app.ok_or_else(|| link.refused(&what, "it is not installed"))?;
        let activity = match app.activity {
            Some(activity) => activity,
            None => launcher_activity(link, &what, &app.package).await?,
        };
        start(link, &what, &app.package, &activity).await
    }

    fn remembered(&self) -> Option<Vec<Installed>> {
        let known = self.0.lock().expect("nothing panics while it is held");
        let (when, apps) = known.as_ref()?;
        (when.elapsed() < FRESH).then(|| apps.clone())
    }

    async fn ask(&self, link: &Link) -> Result<Vec<Installed>, DeviceError> {
        let what = "the list of apps";
        let output = link.quick(what, LIST).await?;
        let mut apps: Vec<Installed> = Vec::new();
        for (package, activity) in components(&output.out) {
            // An app with several icons is listed once, with the first.
            if apps.iter().all(|app| app.package != package) {
                apps.push(Installed { package, activity: Some(activity) });
            }
        }
        if apps.is_empty() {
            // Before Android 7 `cmd package` knows no queries; this lists apps without icons too.
            let output = link.quick(what, "pm list packages").await?;
            let found = packages(&output.out).into_iter();
            apps = found.map(|package| Installed { package, activity: None }).collect();
        }
        if apps.is_empty() {
            return Err(link.garbled(what, output.gist()));
        }
        *self.0.lock().expect("nothing panics while it is held") =
            Some((Instant::now(), apps.clone()));
        Ok(apps)
    }
}

async fn launcher_activity(link: &Link, what: &str, package: &str) -> Result<String, DeviceError> {
    debug_assert!(is_package(package), "lists are parsed");
    let ask = format!(
        "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER {package}"
    );
    let output = link.quick(what, &ask).await?;
    match first_component(&output.out) {
        Some((found, activity)) if found == package => Ok(activity),
        _ => Err(link.refused(what, format!("{package} is installed but has nothing to open"))),
    }
}

/// As its icon does it: an app that is there already comes to the front as it was left.
async fn start(link: &Link, what: &str, package: &str, activity: &str) -> Result<(), DeviceError> {
    let component = quote(&format!("{package}/{activity}"))
        .map_err(|error| link.refused(what, error.to_string()))?;
    let command = format!(
        "am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER \
         -f {BROUGHT_TO_FRONT} -n {component}"
    );
    let output = link.quick(what, &command).await?;
    let all = output.all();
    let complains = all.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("Error") || line.contains("Exception:")
    });
    if output.code != 0 || complains {
        let told = all.lines().find(|line| line.contains("Error")).unwrap_or(all.trim());
        return Err(link.refused(what, format!("exit code {}: {}", output.code, clean(told))));
    }
    Ok(())
}
