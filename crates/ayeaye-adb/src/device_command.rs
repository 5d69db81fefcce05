//! What adb can do with a phone beside its screen: addresses, apps, packages, files, logs.
mod files;
mod log;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{CommandPreview, DeviceCommand, DeviceError, PackageFile, Performed};

use crate::apk;
use crate::apps::{AppCatalog, refusal};
use crate::client::DeviceClient;
use crate::exchange::ExchangeFolder;
use crate::install::{self, Removal};
use crate::parse::{quoted, sanitize};
use crate::quote::quote;
use crate::{screen, sync};

/// The largest package that is installed.
pub(crate) const MAX_PACKAGE: u64 = 512 << 20;
/// The largest file that is copied.
pub(crate) const MAX_FILE: u64 = 256 << 20;
/// How long the phone may take to install a package; it may ask its owner meanwhile.
const INSTALLING: Duration = Duration::from_mins(3);
/// How long a file may take, over a slow network.
const COPYING: Duration = Duration::from_mins(5);
/// What a command works with.
#[derive(Debug)]
pub(crate) struct Commander<'a> {
    pub(crate) client: &'a Arc<DeviceClient>,
    pub(crate) apps: &'a AppCatalog,
    pub(crate) files: Option<&'a ExchangeFolder>,
    /// The display that is looked at.
    pub(crate) display: u32,
}

impl Commander<'_> {
    pub(crate) async fn perform(&self, command: &DeviceCommand) -> Result<Performed, DeviceError> {
        match command {
            DeviceCommand::OpenUrl { url } => self.open_url(url).await,
            DeviceCommand::StopApp { app } => self.stop(app).await,
            DeviceCommand::Install { file, package } => self.install(file, package.as_ref()).await,
            DeviceCommand::Uninstall { app } => self.uninstall(app).await,
            DeviceCommand::SendFile { file, to } => self.send(file, to).await,
            DeviceCommand::FetchFile { from, file } => self.fetch(from, file).await,
        }
    }

    /// What a command would be about: the package, and what is in its file.
    pub(crate) async fn preview(
        &self,
        command: &DeviceCommand,
    ) -> Result<CommandPreview, DeviceError> {
        match command {
            DeviceCommand::Install { file, .. } => {
                let what = format!("installing {}", quoted(file));
                let (path, _) = self.local(&what, file, MAX_PACKAGE).await?;
                let read = move || apk::package_of_file(&path).map_err(|error| error.to_string());
                let about = self.on_blocking_thread(&what, read).await?;
                Ok(CommandPreview {
                    package: Some(about.name),
                    version: about.version,
                    size: Some(about.size),
                    sha256: Some(about.sha256),
                })
            }
            DeviceCommand::Uninstall { app } | DeviceCommand::StopApp { app } => {
                let what = format!("looking for {}", quoted(app));
                let package = self.apps.package_of(self.client, &what, app).await?;
                Ok(CommandPreview { package: Some(package), ..CommandPreview::default() })
            }
            DeviceCommand::OpenUrl { .. }
            | DeviceCommand::SendFile { .. }
            | DeviceCommand::FetchFile { .. } => Ok(CommandPreview::default()),
        }
    }

    async fn open_url(&self, url: &str) -> Result<Performed, DeviceError> {
        let what = "opening an address";
        let word = quote(url).map_err(|error| self.client.not_sent(what, error.to_string()))?;
        // As a link in another app starts it: in a task of its own.
        let command = format!("am start -a android.intent.action.VIEW -f 0x10000000 -d {word}");
        let output = self.client.act_quick(what, &command).await?;
        match refusal(&output.combined(), output.exit_code) {
            None => Ok(Performed::done()),
            Some(told) if told.contains("unable to resolve") => {
                let scheme = url.split(':').next().unwrap_or_default();
                let text = format!("no app on it opens {} addresses: {told}", sanitize(scheme));
                Err(self.client.refused(what, text))
            }
            Some(told) => Err(self.client.refused(what, told)),
        }
    }

    async fn stop(&self, app: &str) -> Result<Performed, DeviceError> {
        let what = format!("stopping {}", quoted(app));
        let package = self.apps.package_of(self.client, &what, app).await?;
        // For everybody otherwise: the copy in a work profile would be stopped too. That one, or a double, is meant
        // where it is in front.
        let in_front = screen::user_in_front(self.client, self.display, &package).await;
        let user = screen::user_option(in_front);
        let command =
            format!("am force-stop --user {user} {package} && echo stopped; pidof {package}");
        let output = self.client.act_quick(&what, &command).await?;
        let mut lines = output.stdout.lines().map(str::trim).filter(|line| !line.is_empty());
        if lines.next() != Some("stopped") {
            return Err(self.client.refused(&what, output.summary()));
        }
        let pids = lines.next().unwrap_or_default().split(' ').map(str::parse);
        let pids: Vec<u32> = pids.collect::<Result<_, _>>().unwrap_or_default();
        let done = noted(format!("stopped {package}"));
        if pids.is_empty() {
            return Ok(done);
        }
        // What runs may be a copy that was not to be stopped.
        if self.of_user(&what, in_front, &pids).await?.is_some_and(|own| own.is_empty()) {
            let note = format!("stopped {package}; a copy of it for somebody else still runs");
            return Ok(noted(note));
        }
        let still = format!("{package} still has a process, or has started again");
        Ok(Performed { uncertain: Some(still), ..done })
    }

    async fn install(
        &self,
        file: &str,
        package: Option<&PackageFile>,
    ) -> Result<Performed, DeviceError> {
        let what = format!("installing {}", quoted(file));
        let (path, size) = self.local(&what, file, MAX_PACKAGE).await?;
        let place = install::new_place();
        let sha256 = package.map(|it| it.sha256.as_str());
        let pushing = sync::push_file(self.client, &place, (&path, sha256), COPYING);
        let installing = install::from(self.client, &what, &place, pushing, INSTALLING);
        install::verdict(self.client, &what, &installing.await?.combined())?;
        self.apps.forget();
        let name = package.map_or("a package", |it| &it.name);
        Ok(noted(format!("installed {name} ({size} bytes)")))
    }

    async fn uninstall(&self, app: &str) -> Result<Performed, DeviceError> {
        let what = format!("uninstalling {}", quoted(app));
        let package = self.apps.package_of(self.client, &what, app).await?;
        let Removal { line, kept, is_built_in } =
            install::removal(self.client, &what, &package).await?;
        let output = self.client.act(&what, &line, INSTALLING).await?;
        install::verdict(self.client, &what, &output.combined())?;
        self.apps.forget();
        Ok(noted(match kept {
            None if is_built_in => format!(
                "removed the updates of {package}, which came with the phone and stays, for everybody on it"
            ),
            None => format!("uninstalled {package}"),
            Some((user, others)) => format!(
                "uninstalled {package} for the person in front (user {user}); it may still be there for {}",
                others.iter().map(|it| format!("user {it}")).collect::<Vec<_>>().join(", ")
            ),
        }))
    }

    fn folder(&self, what: &str) -> Result<&ExchangeFolder, DeviceError> {
        self.files.ok_or_else(|| {
            self.client.not_sent(what, "no folder for files is set: adb.files in ayeaye.toml")
        })
    }

    /// A file of the folder, with its size.
    async fn local(
        &self,
        what: &str,
        name: &str,
        most: u64,
    ) -> Result<(PathBuf, u64), DeviceError> {
        let (folder, name) = (self.folder(what)?.clone(), name.to_owned());
        let find = move || {
            let path = folder.existing(&name).map_err(|error| error.to_string())?;
            let size = path.metadata().map_err(|error| error.to_string())?.len();
            Ok((path, size))
        };
        let (path, size) = self.on_blocking_thread(what, find).await?;
        if most < size {
            let text = format!("it has {size} bytes, the most is {most}");
            return Err(self.client.not_sent(what, text));
        }
        Ok((path, size))
    }

    /// Looks at this machine's disk, which may be far away, apart from the tasks that wait for phones.
    async fn on_blocking_thread<T: Send + 'static>(
        &self,
        what: &str,
        look: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, DeviceError> {
        let looked = tokio::task::spawn_blocking(look).await;
        let looked = looked.unwrap_or_else(|error| Err(format!("it broke down here: {error}")));
        looked.map_err(|why| self.client.not_sent(what, why))
    }
}

fn noted(note: String) -> Performed {
    Performed { note: Some(note), ..Performed::done() }
}
