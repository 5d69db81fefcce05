//! The installed apps: listing them, and opening one by name.
mod front;
mod icons;
pub(crate) mod labels;
mod launch;
mod profiles;
pub(crate) mod resolve;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ayeaye_agent::gate::lists_app;
use ayeaye_agent::{App, DeviceError, Performed};
use tokio::time::Instant;

use self::icons::{Icon, LIST, LIST_TV, icons};
use self::labels::AppLabels;
pub(crate) use self::launch::refusal;
use self::profiles::Installed;
use self::resolve::{AppNameError, AppNames, Certainty, resolve};
use crate::apk::Labels;
use crate::client::DeviceClient;
use crate::parse::{batch, packages, quoted, sanitize, split_batch};
use crate::quote::is_package;

/// How long a list of apps is cached. A name that is not found refreshes it sooner.
const MAX_AGE: Duration = Duration::from_mins(1);

/// How long an app that is asked for by an unknown name waits for the names of all apps.
const NAMES_WAITED_FOR: Duration = Duration::from_secs(20);
/// How long a list of all apps waits for them.
const LIST_WAITS: Duration = Duration::from_secs(2);

/// An app by one of its icons; without one where the phone does not list them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InstalledApp {
    package: String,
    icon: Option<Icon>,
}

impl InstalledApp {
    /// By what its name is kept.
    fn key(&self) -> String {
        self.icon.as_ref().map_or_else(|| self.package.clone(), Icon::key)
    }
}

/// An app that was looked for by a name.
#[derive(Debug)]
struct AppFound {
    app: InstalledApp,
    certainty: Certainty,
    /// The name of its icon, where the app has others with other names.
    icon: Option<String>,
    /// It has no other icon, or the names of all are known.
    is_clear: bool,
}

/// The apps of one phone, with the last list cached.
#[derive(Debug)]
pub(crate) struct AppCatalog {
    installed: Mutex<Option<(Instant, Vec<InstalledApp>)>>,
    labels: Arc<AppLabels>,
    /// Packages that are named to nobody who does not name them.
    private: Vec<String>,
}

impl AppCatalog {
    pub(crate) fn new(labels: Arc<AppLabels>, private: Vec<String>) -> Self {
        Self { installed: Mutex::default(), labels, private }
    }

    /// The apps that can be opened, with the names under their icons as far as they are known.
    pub(crate) async fn list(&self, client: &Arc<DeviceClient>) -> Result<Vec<App>, DeviceError> {
        let installed = self.query(client).await?;
        if !self.names_are_known(client, &installed) {
            self.labels.read_within(client, LIST_WAITS).await;
        }
        let named = self.named(client, &installed).into_iter().filter(|app| !app.is_further());
        Ok(named.map(|app| App { label: app.label(), package: app.package }).collect())
    }

    /// Begins to read the names of all apps, unless they have been read lately.
    pub(crate) fn read_names(&self, client: &Arc<DeviceClient>) {
        if self.labels.of(client.id()).is_none_or(|known| known.is_old()) {
            drop(self.labels.read(client));
        }
    }

    /// The name of an app, or of a further icon of one, if it is known already.
    pub(crate) fn name_of(&self, client: &DeviceClient, key: &str) -> Option<String> {
        let known = self.labels.of(client.id());
        let labels = known.and_then(|known| known.by_icon.get(key).cloned());
        AppNames::of(key, labels.unwrap_or_default()).label()
    }

    /// All apps with the names under their icons, as far as they are known already.
    pub(crate) fn known(&self, client: &DeviceClient) -> Vec<App> {
        let Some(known) = self.labels.of(client.id()) else { return Vec::new() };
        let named = |(key, labels): (&String, &Labels)| {
            let label = AppNames::of(key, labels.clone()).label()?;
            // A further icon is known by its component.
            let package = key.split('/').next().unwrap_or(key).to_owned();
            Some(App { package, label: Some(label) })
        };
        let mut apps: Vec<App> = known.by_icon.iter().filter_map(named).collect();
        apps.sort_unstable_by(|a, b| a.label.cmp(&b.label));
        apps
    }

    /// Brings an app to the front of this display, by the name under its icon or its package name.
    pub(crate) async fn open(
        &self,
        client: &Arc<DeviceClient>,
        name: &str,
        display: u32,
    ) -> Result<Performed, DeviceError> {
        let what = format!("opening {}", quoted(name));
        let found = self.find(client, &what, name).await;
        let AppFound { app, certainty, icon, is_clear } = match found {
            Err(DeviceError::NotSent { .. }) => {
                match profiles::installed(client, &what, name).await {
                    Installed::No => found?,
                    Installed::Yes => return Err(nothing_to_open(client, &what, name.trim())),
                    Installed::Disabled => {
                        let why = format!(
                            "{} is switched off on this phone: switch it on there, in Settings > Apps",
                            name.trim()
                        );
                        return Err(client.refused(&what, why));
                    }
                }
            }
            found => found?,
        };
        let key = app.key();
        let performed = launch::open(client, &what, &app, display).await?;
        let near = match certainty {
            Certainty::Named => None,
            Certainty::Near => Some(format!(
                "no app is called {}; the only one with a name near it was opened: {}",
                quoted(name),
                self.called(client, &key)
            )),
        };
        let icon = icon.map(|icon| {
            let icon = quoted(&icon);
            format!("{} has several icons; that of {icon} was opened", app.package)
        });
        let notes: Vec<String> = [near, icon].into_iter().flatten().collect();
        let note = Some(notes.join("; ")).filter(|note| !note.is_empty());
        let unclear = || format!("{} has several icons, whose names are not known", app.package);
        let doubts: Vec<String> =
            (!is_clear).then(unclear).into_iter().chain(performed.uncertain.clone()).collect();
        let uncertain = Some(doubts.join("; ")).filter(|doubts| !doubts.is_empty());
        Ok(Performed { note, uncertain, opened: Some(app.package), ..performed })
    }

    /// The package of an installed app. What is done to it may not be undone, so a name that is only near is none.
    pub(crate) async fn package_of(
        &self,
        client: &Arc<DeviceClient>,
        what: &str,
        name: &str,
    ) -> Result<String, DeviceError> {
        let name = name.trim();
        if is_package(name) {
            // Also one without an icon.
            let asked = client.shell_quick(what, &profiles::path_of(name)).await?;
            if asked.stdout.contains("package:") {
                return Ok(name.to_owned());
            }
        }
        let AppFound { app, certainty, .. } = self.find(client, what, name).await?;
        match certainty {
            Certainty::Named => Ok(app.package),
            Certainty::Near => {
                let near = self.called(client, &app.key());
                let why = format!(
                    "no app is called that; near it is {near}: name that one if it is meant"
                );
                Err(client.not_sent(what, why))
            }
        }
    }

    /// An app as people are told of it, by the package or the component of a further icon.
    fn called(&self, client: &DeviceClient, key: &str) -> String {
        match self.name_of(client, key) {
            Some(label) => format!("{} ({key})", sanitize(&label)),
            None => key.to_owned(),
        }
    }

    /// The list of apps has changed.
    pub(crate) fn forget(&self) {
        *self.installed.lock().expect("nothing panics while it is held") = None;
    }

    /// The installed app of this name, and whether it is really called that.
    async fn find(
        &self,
        client: &Arc<DeviceClient>,
        what: &str,
        name: &str,
    ) -> Result<AppFound, DeviceError> {
        let mut fresh = false;
        let mut installed = if let Some(known) = self.cached() {
            known
        } else {
            fresh = true;
            self.query(client).await?
        };
        loop {
            let mut named = self.named(client, &installed);
            let mut found = resolve(name, &named);
            // A name that is only near may be another app's very name, and a well-known one that of another icon.
            let is_certain = match &found {
                Ok((index, Certainty::Named)) => {
                    named[*index].is_meant_by(name)
                        || self.are_icons_known(client, &installed, *index, |_| true)
                }
                _ => false,
            };
            if !is_certain && !self.names_are_known(client, &installed) {
                self.labels.read_within(client, NAMES_WAITED_FOR).await;
                named = self.named(client, &installed);
                found = resolve(name, &named);
            }
            match found {
                Ok((index, certainty)) => {
                    let is_named = |labels: &Labels| *labels != Labels::default();
                    let is_clear = named[index].is_meant_by(name)
                        || self.are_icons_known(client, &installed, index, is_named);
                    let icon = resolve::name_of_icon(index, &named);
                    let app = installed.swap_remove(index);
                    return Ok(AppFound { app, certainty, icon, is_clear });
                }
                Err(_) if !fresh => {
                    fresh = true;
                    installed = self.query(client).await?;
                }
                Err(unclear) => {
                    let is_missing = matches!(unclear, AppNameError::Missing { .. });
                    let mut why = unclear.to_string();
                    if is_missing && !self.private.is_empty() {
                        named.retain(|app| !lists_app(&self.private, &app.package));
                        // That nothing has the name stays true of fewer apps.
                        why = resolve(name, &named)
                            .err()
                            .map_or_else(String::new, |it| it.to_string());
                    }
                    if is_missing {
                        why.push_str(&profiles::where_else(client, what).await);
                    }
                    return Err(client.not_sent(what, why));
                }
            }
        }
    }

    fn names_are_known(&self, client: &DeviceClient, installed: &[InstalledApp]) -> bool {
        // Without an activity there is no icon with a name under it.
        let with_icon = installed.iter().filter_map(|app| app.icon.as_ref());
        self.labels.covers(client.id(), with_icon.map(Icon::key))
    }

    /// Whether the app at this place has one icon, or what was read of the names of all is enough.
    fn are_icons_known(
        &self,
        client: &DeviceClient,
        installed: &[InstalledApp],
        at: usize,
        is_enough: impl Fn(&Labels) -> bool,
    ) -> bool {
        let own = || installed.iter().filter(|app| app.package == installed[at].package);
        let known = self.labels.of(client.id());
        let is_known = |app: &InstalledApp| {
            let labels = known.as_ref().and_then(|known| known.by_icon.get(&app.key()));
            labels.is_some_and(&is_enough)
        };
        own().nth(1).is_none() || own().all(is_known)
    }

    fn named(&self, client: &DeviceClient, installed: &[InstalledApp]) -> Vec<AppNames> {
        let known = self.labels.of(client.id());
        let named = |app: &InstalledApp| {
            let labels = known.as_ref().and_then(|known| known.by_icon.get(&app.key()));
            let icon = app.icon.as_ref();
            let names = AppNames::of(&app.package, labels.cloned().unwrap_or_default());
            let is_further = icon.is_some_and(|icon| icon.is_further);
            names.of_icon(icon.map(|icon| icon.activity.clone()), is_further)
        };
        resolve::apart(installed.iter().map(named).collect())
    }

    fn cached(&self) -> Option<Vec<InstalledApp>> {
        let known = self.installed.lock().expect("nothing panics while it is held");
        let (when, apps) = known.as_ref()?;
        (when.elapsed() < MAX_AGE).then(|| apps.clone())
    }

    async fn query(&self, client: &DeviceClient) -> Result<Vec<InstalledApp>, DeviceError> {
        let what = "the list of apps";
        let output = client.shell_quick(what, &batch(&[LIST, LIST_TV])).await?;
        let found = icons(split_batch(&output.stdout)).into_iter();
        let mut apps: Vec<InstalledApp> = found
            .map(|icon| InstalledApp { package: icon.package.clone(), icon: Some(icon) })
            .collect();
        if apps.is_empty() {
            // Before Android 7 `cmd package` has no queries; this lists apps without icons too.
            let output = client.shell_quick(what, "pm list packages").await?;
            let found = packages(&output.stdout).into_iter();
            apps = found.map(|package| InstalledApp { package, icon: None }).collect();
        }
        if apps.is_empty() {
            return Err(client.garbled(what, output.summary()));
        }
        *self.installed.lock().expect("nothing panics while it is held") =
            Some((Instant::now(), apps.clone()));
        Ok(apps)
    }
}

fn nothing_to_open(client: &DeviceClient, what: &str, package: &str) -> DeviceError {
    client.refused(what, format!("{package} is installed but has nothing to open: it has no icon"))
}
