//! The connected phones.
use ayeaye_agent::{DeviceEntry, DeviceHolder};
use schemars::JsonSchema;
use serde::Serialize;

/// The phones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceList {
    /// Every phone adb knows, ready or not.
    pub devices: Vec<DeviceItem>,
    /// What to do when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A phone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceItem {
    /// Name it so in the other tools.
    pub device_id: String,
    /// `device` is ready; `offline`, `unauthorized` and others are not.
    pub state: String,
    /// Such as "Pixel 7".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The build's product name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// `usb`, `tcp`, `emulator` or `virtual`.
    pub transport: &'static str,
    /// Such as "14".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub android_version: Option<String>,
    /// In pixels, as it is held now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    /// Whether a session drives it now.
    pub busy: bool,
    /// That session, when it is yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A screen's size.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Screen {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl From<Vec<(DeviceEntry, DeviceHolder)>> for DeviceList {
    fn from(devices: Vec<(DeviceEntry, DeviceHolder)>) -> Self {
        let hint = devices.is_empty().then(|| {
            "no phone is connected: plug one in and enable USB debugging, or start the server with \
             --virtual; `ayeaye doctor` checks everything"
                .to_owned()
        });
        Self { devices: devices.into_iter().map(DeviceItem::from).collect(), hint }
    }
}

impl From<(DeviceEntry, DeviceHolder)> for DeviceItem {
    fn from((entry, driver): (DeviceEntry, DeviceHolder)) -> Self {
        Self {
            device_id: entry.id.to_string(),
            state: entry.state,
            model: entry.model,
            product: entry.product,
            transport: entry.transport.name(),
            android_version: entry.android_version,
            screen: entry.screen.map(|size| Screen { width: size.width, height: size.height }),
            busy: driver != DeviceHolder::Free,
            session_id: match driver {
                DeviceHolder::Session(id) => Some(id.to_string()),
                DeviceHolder::Free | DeviceHolder::Other => None,
            },
            hint: entry.hint,
        }
    }
}
