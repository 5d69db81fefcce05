//! The phones of the adb servers: the `DeviceSource` seam.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ayeaye_agent::{
    Device, DeviceEntry, DeviceError, DeviceId, DeviceNames, DeviceSource, NearbyPhone, RefusedBy,
    Transport,
};
use futures::future::join_all;
use futures::{StreamExt as _, stream};
use tokio::time::{Instant, timeout};

use crate::apps::AppCatalog;
use crate::client::{CONNECT_EVERY, connect_again, is_network_address, transport};
use crate::device::{DeviceProperties, SeenScreens};
use crate::identity::{Identities, Identity};
use crate::links::{self, Phone, Ways};
use crate::server::Server;
use crate::{AdbConfig, AdbDevice, AppLabels, ExchangeFolder, ServerAddress};

/// How many phones are queried at the same time.
const MAX_CONCURRENT: usize = 64;

/// What is learnt of so many phones is kept; of more only while they are driven.
const MAX_SEEN: usize = 256;

/// What was learnt about the screens of a phone, whatever name it is asked for by.
#[derive(Debug)]
struct SeenPhone {
    /// Its best link when it was last opened.
    id: DeviceId,
    server: Arc<Server>,
    identity: Option<Identity>,
    screens: Arc<SeenScreens>,
}

/// The phones of one adb server or of several, each once.
#[derive(Debug)]
pub struct AdbDevices {
    /// The first is the one that connects phones on the network.
    servers: Vec<Arc<Server>>,
    first: Arc<Server>,
    identities: Arc<Identities>,
    app_labels: Arc<AppLabels>,
    /// Who was opened last is the last.
    seen: Mutex<Vec<SeenPhone>>,
    /// Phones that were driven and could not be connected again, and when that was last tried.
    away: Mutex<HashMap<DeviceId, Instant>>,
    files: Option<ExchangeFolder>,
    private_apps: Vec<String>,
}

impl AdbDevices {
    /// Connects to nothing yet.
    pub fn new(config: AdbConfig) -> Self {
        Self::with_further(config, Vec::new())
    }

    /// Adds a folder from which files may go to phones and into which they may come.
    #[must_use]
    pub fn with_files(self, folder: ExchangeFolder) -> Self {
        Self { files: Some(folder), ..self }
    }

    /// Names none of these apps (packages; `com.example.*` stands for all that begin so) in answer to a name that no app
    /// has: that an app is installed is as private as the app.
    #[must_use]
    pub fn with_private_apps(self, private_apps: Vec<String>) -> Self {
        Self { private_apps, ..self }
    }

    /// Takes names of apps from here, which are kept for longer or shared with other servers.
    #[must_use]
    pub fn with_app_labels(self, app_labels: Arc<AppLabels>) -> Self {
        Self { app_labels, ..self }
    }

    /// The phones of several servers. Where a phone can be reached over several of them, or in several ways
    /// over one, it is driven by the best: a cable, then an emulator's console, then the network; of equals
    /// the one of the first server.
    pub fn with_further(config: AdbConfig, further: Vec<AdbConfig>) -> Self {
        let first = Arc::new(Server::new(config));
        let further = further.into_iter().map(|config| Arc::new(Server::new(config)));
        let servers = std::iter::once(Arc::clone(&first)).chain(further).collect();
        let app_labels = Arc::new(AppLabels::new(None));
        let seen = Mutex::default();
        Self {
            servers,
            first,
            identities: Arc::default(),
            app_labels,
            seen,
            away: Mutex::default(),
            files: None,
            private_apps: Vec::new(),
        }
    }

    /// The version of the first adb server, such as 41. Starts a server if that is needed and allowed.
    #[cfg(test)]
    pub(crate) async fn server_version(&self) -> Result<u32, DeviceError> {
        version(&self.first).await
    }

    /// Whether phones are looked for at more than one server.
    pub fn has_several_servers(&self) -> bool {
        1 < self.servers.len()
    }

    /// Every server with its version, or why it does not tell.
    pub async fn servers(&self) -> Vec<(ServerAddress, Result<u32, DeviceError>)> {
        let versions = self
            .servers
            .iter()
            .map(|server| async move { (server.config().server.clone(), version(server).await) });
        join_all(versions).await
    }

    /// Opens a phone that is ready, with what only ADB has to offer.
    pub async fn open_adb(&self, id: &DeviceId) -> Result<Arc<AdbDevice>, DeviceError> {
        let phone = self.phone(id).await?;
        let link = &phone.link;
        if let Some(why) = link.nameless {
            return Err(DeviceError::Refused {
                id: id.clone(),
                what: "to be opened".to_owned(),
                reason: why.to_owned(),
                by: RefusedBy::Device,
            });
        }
        match link.line.state.as_str() {
            "device" => {}
            "unauthorized" => return Err(DeviceError::Unauthorized(id.clone())),
            other => return Err(DeviceError::NotReady(id.clone(), other.to_owned())),
        }
        let mut client = link.client();
        if let Some(identity) = &phone.identity {
            client.was_found_to_be(identity.marks());
            client = client.with_other_ways(Arc::new(Ways {
                servers: self.servers.clone(),
                identities: Arc::clone(&self.identities),
                phone: identity.clone(),
            }));
        }
        let seen = self.seen_of(&phone);
        let client = client.with_dumps(seen.dumps());
        client.has_shell_v2().await?;
        let (labels, files) = (Arc::clone(&self.app_labels), self.files.clone());
        let apps = AppCatalog::new(labels, self.private_apps.clone());
        Ok(Arc::new(AdbDevice::new(Arc::new(client), apps, seen, files)))
    }

    /// The phone that a name means now. Whoever can be another one by now is asked, and one on the network that was
    /// driven is connected again where its server has forgotten it.
    async fn phone(&self, id: &DeviceId) -> Result<Phone, DeviceError> {
        let mut phones = links::phones(&self.servers, &self.identities).await?;
        if links::find(&phones, id, &self.identities).is_none() && self.connected_again(id).await {
            phones = links::phones(&self.servers, &self.identities).await?;
        }
        let found = links::find(&phones, id, &self.identities);
        if found.is_some_and(|it| it.link.has_to_be_asked_again(&self.identities)) {
            phones = links::phones(&self.servers, &self.identities).await?;
        }
        let found = links::find(&phones, id, &self.identities).cloned();
        found.ok_or_else(|| links::not_found(&phones, id))
    }

    /// Whether a phone on the network was driven, and its server, which had forgotten it, has it again.
    async fn connected_again(&self, id: &DeviceId) -> bool {
        let lock = || self.away.lock().unwrap_or_else(PoisonError::into_inner);
        let server = {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let was_driven = |it: &&SeenPhone| it.id == *id && it.screens.was_driven();
            seen.iter().find(was_driven).map(|it| Arc::clone(&it.server))
        };
        let Some(server) = server.filter(|_| is_network_address(id.as_str())) else { return false };
        if lock().get(id).is_some_and(|tried| tried.elapsed() < CONNECT_EVERY) {
            return false;
        }
        tracing::info!(device = %id, "it is missing from the adb server's list; asking for it");
        let is_back = connect_again(&server, id.as_str()).await;
        let mut away = lock();
        away.retain(|_, tried| tried.elapsed() < CONNECT_EVERY);
        if !is_back {
            away.insert(id.clone(), Instant::now());
        }
        is_back
    }

    /// What was learnt of this phone. One that was booted since is known by its link.
    fn seen_of(&self, phone: &Phone) -> Arc<SeenScreens> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let by_identity = |it: &SeenPhone| {
            it.identity
                .as_ref()
                .zip(phone.identity.as_ref())
                .is_some_and(|(it, its)| it.is_same(its))
        };
        let known = seen.iter().position(by_identity);
        let known = known.or_else(|| seen.iter().position(|it| it.id == phone.link.id));
        let screens = known.map_or_else(Arc::default, |at| seen.remove(at).screens);
        if MAX_SEEN <= seen.len() {
            seen.retain(|it| 1 < Arc::strong_count(&it.screens));
        }
        seen.push(SeenPhone {
            id: phone.link.id.clone(),
            server: Arc::clone(&phone.link.server),
            identity: phone.identity.clone(),
            screens: Arc::clone(&screens),
        });
        screens
    }

    /// The server that connects phones on the network.
    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.first
    }

    /// All servers, that one first.
    pub(crate) fn all_servers(&self) -> &[Arc<Server>] {
        &self.servers
    }

    async fn entry(&self, phone: &Phone) -> DeviceEntry {
        let Phone { link, also, identity, .. } = phone;
        let line = &link.line;
        let mut entry = DeviceEntry {
            id: link.id.clone(),
            transport: transport(&line.serial),
            state: line.state.clone(),
            ready: link.is_ready(),
            model: line.model.clone(),
            product: line.product.clone(),
            android_version: None,
            screen: None,
            hint: hint(&line.state).map(ToOwned::to_owned),
            also: also.clone(),
            identity: identity.as_ref().map(Identity::key),
        };
        if let Some(why) = link.nameless {
            let number = line.transport_id.map(|n| format!(" (transport {n})")).unwrap_or_default();
            entry.hint = Some(format!("{why}{number}"));
        } else if entry.ready {
            let client = link.client();
            let limit = client.limits().describe;
            match timeout(limit, DeviceProperties::query(&client)).await {
                Ok(Ok(about)) => {
                    entry.model = about.model.or(entry.model);
                    entry.product = about.product.or(entry.product);
                    entry.android_version = about.android_version;
                    entry.screen = about.screen;
                }
                Ok(Err(error)) => entry.hint = Some(format!("it does not say what it is: {error}")),
                Err(_) => {
                    let seconds = limit.as_secs_f32();
                    entry.hint = Some(format!(
                        "it did not answer within {seconds} s: wake it, or unplug it and plug it in again"
                    ));
                }
            }
        }
        if is_virtual_phone(entry.product.as_deref()) {
            entry.transport = Transport::Virtual;
        }
        entry
    }
}

async fn version(server: &Server) -> Result<u32, DeviceError> {
    let answer = server.query("host:version").await?;
    let digits = String::from_utf8_lossy(&answer);
    u32::from_str_radix(digits.trim(), 16)
        .map_err(|_| server.unavailable("it does not say its version"))
}

#[async_trait]
impl DeviceSource for AdbDevices {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let phones = links::phones(&self.servers, &self.identities).await?;
        let asked: Vec<_> = phones.iter().map(|phone| self.entry(phone)).collect();
        Ok(stream::iter(asked).buffered(MAX_CONCURRENT).collect().await)
    }

    async fn nearby(&self, listed: &[DeviceNames]) -> Vec<NearbyPhone> {
        self.not_connected(listed).await
    }

    async fn names(&self, id: &DeviceId) -> Option<DeviceNames> {
        let phone = self.phone(id).await.ok()?;
        let mut names = phone.names();
        // It may be in no list any more, and others may still hold the phone under it.
        if !names.include(id) {
            names.also.push(id.clone());
        }
        Some(names)
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let device = self.open_adb(id).await?;
        Ok(device)
    }
}

/// The virtual phone of this project is known by its product name.
fn is_virtual_phone(product: Option<&str>) -> bool {
    product.is_some_and(|product| product.contains("ayeaye"))
}

/// What to do about a phone that is not ready; `None` of one that is.
fn hint(state: &str) -> Option<&'static str> {
    match state {
        "device" => None,
        other => Some(hint_for_state(other).unwrap_or("adb cannot use it as it is")),
    }
}

/// What to do about a phone in this state of adb's, where that is known.
pub fn hint_for_state(state: &str) -> Option<&'static str> {
    Some(match state {
        "unauthorized" => {
            "unlock it and allow USB debugging from this computer; if it does not ask, unplug it \
             and plug it in again"
        }
        "authorizing" | "connecting" | "still connecting" => "it is being connected: wait a moment",
        "still starting" => "it is starting up: wait a moment",
        "offline" => {
            "it does not answer: unplug it and plug it in again, or over Wi-Fi `ayeaye disconnect` \
             and `ayeaye connect` it"
        }
        "no permissions" => {
            "this user may not use it: on Linux install the udev rules for Android \
             (android-sdk-platform-tools-common) and join the group plugdev"
        }
        "bootloader" | "recovery" | "rescue" | "sideload" => "start it up into Android",
        "host" => "this is a computer, not a phone",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_but_ready_has_a_hint() {
        assert_eq!(hint("device"), None);
        for state in ["offline", "unauthorized", "no permissions", "whatever"] {
            assert!(hint(state).is_some());
        }
        assert_eq!(hint_for_state("whatever"), None, "no way out is known");
    }
}
