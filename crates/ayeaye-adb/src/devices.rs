//! The phones of one adb server: the `DeviceSource` seam.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ayeaye_agent::{Device, DeviceEntry, DeviceError, DeviceId, DeviceSource, Transport};
use futures::{StreamExt as _, stream};
use tokio::time::timeout;

use crate::client::DeviceClient;
use crate::device::{DeviceProperties, SeenScreens};
use crate::parse::{self, DeviceListing};
use crate::server::Server;
use crate::tracker::Tracker;
use crate::{AdbConfig, AdbDevice, AppLabels};

/// How many phones are queried at the same time.
const MAX_CONCURRENT: usize = 64;

/// The phones of one adb server.
#[derive(Debug)]
pub struct AdbDevices {
    server: Arc<Server>,
    app_labels: Arc<AppLabels>,
    /// What was learnt about the screens of each phone.
    seen: Mutex<HashMap<DeviceId, Arc<SeenScreens>>>,
}

impl AdbDevices {
    /// Connects to nothing yet.
    pub fn new(config: AdbConfig) -> Self {
        let app_labels = Arc::new(AppLabels::new(None));
        let server = Arc::new(Server::new(config));
        Self { server, app_labels, seen: Mutex::default() }
    }

    /// The same, with names of apps that are kept for longer or shared with other servers.
    #[must_use]
    pub fn with_app_labels(self, app_labels: Arc<AppLabels>) -> Self {
        Self { app_labels, ..self }
    }

    /// The version of the adb server, such as 41. Starts a server if that is needed and allowed.
    pub async fn server_version(&self) -> Result<u32, DeviceError> {
        let answer = self.server.query("host:version").await?;
        let digits = String::from_utf8_lossy(&answer);
        u32::from_str_radix(digits.trim(), 16)
            .map_err(|_| self.server.unavailable("it does not say its version"))
    }

    /// Follows changes of the server's list of phones.
    ///
    /// The server takes a minute to notice that a phone on the network is gone: the list says what
    /// was attached and detached, not what is alive.
    pub async fn track(&self) -> Result<Tracker, DeviceError> {
        Tracker::start(Arc::clone(&self.server)).await
    }

    /// Opens a phone that is ready, with what only ADB has to offer.
    pub async fn open_adb(&self, id: &DeviceId) -> Result<Arc<AdbDevice>, DeviceError> {
        let lines = self.listings().await?;
        let mut found = lines.iter().filter(|line| line.serial == id.as_str());
        let line = found.next().ok_or_else(|| DeviceError::NotFound(id.clone()))?;
        if found.next().is_some() {
            return Err(DeviceError::Refused {
                id: id.clone(),
                what: "to be opened".to_owned(),
                reason: DUPLICATE_SERIAL.to_owned(),
            });
        }
        match line.state.as_str() {
            "device" => {}
            "unauthorized" => return Err(DeviceError::Unauthorized(id.clone())),
            other => return Err(DeviceError::NotReady(id.clone(), other.to_owned())),
        }
        let client = DeviceClient::new(Arc::clone(&self.server), id.clone());
        client.has_shell_v2().await?;
        let seen = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(seen.entry(id.clone()).or_default())
        };
        let labels = Arc::clone(&self.app_labels);
        Ok(Arc::new(AdbDevice::new(Arc::new(client), labels, seen)))
    }

    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    async fn listings(&self) -> Result<Vec<DeviceListing>, DeviceError> {
        let list = self.server.query("host:devices-l").await?;
        Ok(parse::devices(&String::from_utf8_lossy(&list)))
    }

    async fn entry(&self, line: &DeviceListing, is_duplicate: bool) -> DeviceEntry {
        let id = DeviceId::new(&line.serial);
        let mut entry = DeviceEntry {
            transport: transport(&line.serial),
            state: line.state.clone(),
            ready: line.state == "device" && !is_duplicate,
            model: line.model.clone(),
            product: line.product.clone(),
            android_version: None,
            screen: None,
            hint: hint(&line.state).map(ToOwned::to_owned),
            id,
        };
        if is_duplicate {
            let number = line.transport_id.map(|n| format!(" (transport {n})")).unwrap_or_default();
            entry.hint = Some(format!("{DUPLICATE_SERIAL}{number}"));
        } else if entry.ready {
            let client = DeviceClient::new(Arc::clone(&self.server), entry.id.clone());
            let limit = self.server.config().limits.describe;
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

const DUPLICATE_SERIAL: &str =
    "several phones have this serial and cannot be told apart: disconnect all but one";

#[async_trait]
impl DeviceSource for AdbDevices {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let lines = self.listings().await?;
        let is_duplicate =
            |line: &DeviceListing| lines.iter().filter(|l| l.serial == line.serial).count() != 1;
        let asked: Vec<_> = lines.iter().map(|line| self.entry(line, is_duplicate(line))).collect();
        Ok(stream::iter(asked).buffered(MAX_CONCURRENT).collect().await)
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let device = self.open_adb(id).await?;
        Ok(device)
    }
}

/// How a phone is attached, from its serial.
fn transport(serial: &str) -> Transport {
    let number = serial.strip_prefix("emulator-");
    if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
        return Transport::Emulator;
    }
    let port = serial.rsplit_once(':').map(|(_, port)| port);
    let is_address = port.is_some_and(|p| p.parse::<u16>().is_ok());
    if is_address || serial.contains("._adb-tls-connect._tcp") || serial.contains("._adb._tcp") {
        return Transport::Tcp;
    }
    Transport::Usb
}

/// The virtual phone of this project is known by its product name.
fn is_virtual_phone(product: Option<&str>) -> bool {
    product.is_some_and(|product| product.contains("ayeaye"))
}

/// What to do about a phone that is not ready.
fn hint(state: &str) -> Option<&'static str> {
    Some(match state {
        "device" => return None,
        "unauthorized" => {
            "unlock it and allow USB debugging from this computer; if it does not ask, unplug it \
             and plug it in again"
        }
        "authorizing" | "connecting" => "it is being connected: wait a moment",
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
        _ => "adb cannot use it as it is",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_tell_how_a_phone_is_attached() {
        for (serial, expected) in [
            ("emulator-5554", Transport::Emulator),
            ("192.168.0.3:5555", Transport::Tcp),
            ("phone.local:37199", Transport::Tcp),
            ("[fe80::1]:5555", Transport::Tcp),
            ("adb-X1._adb-tls-connect._tcp", Transport::Tcp),
            ("adb-X1-abc (2)._adb-tls-connect._tcp", Transport::Tcp),
            ("R01D234SZAE", Transport::Usb),
            ("emulator-", Transport::Usb),
        ] {
            assert_eq!(transport(serial), expected, "{serial}");
        }
    }

    #[test]
    fn every_state_but_ready_has_a_hint() {
        assert_eq!(hint("device"), None);
        for state in ["offline", "unauthorized", "no permissions", "whatever"] {
            assert!(hint(state).is_some());
        }
    }
}
