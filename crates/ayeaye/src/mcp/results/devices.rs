//! The connected phones.
use ayeaye_agent::{DeviceEntry, DeviceHolder, DeviceId, DeviceQueue, NearbyPhone};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::connection_tools::ConnectionTools;
use crate::mcp::schema::names_say_it;
use crate::model_presence::ModelState;
use crate::text::one_line;

/// The phones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceList {
    pub devices: Vec<DeviceItem>,
    /// What to know about the list, or what to do when it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What to do now, if you drive the phone yourself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
}

/// A phone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceItem {
    pub device_id: String,
    /// `device` is ready; `offline`, `unauthorized` and others are not.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// `usb`, `tcp`, `emulator` or `virtual`.
    pub transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub android_version: Option<String>,
    /// In pixels, as the phone is held now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    pub busy: bool,
    /// The session that drives it, if it is yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// How many tasks wait for it.
    #[serde(skip_serializing_if = "is_zero")]
    pub queue: u32,
    /// Yours among them, the next one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queued_sessions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A screen's size.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = names_say_it)]
pub struct Screen {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl From<Vec<(DeviceEntry, DeviceHolder)>> for DeviceList {
    fn from(devices: Vec<(DeviceEntry, DeviceHolder)>) -> Self {
        let hint = devices.is_empty().then(|| {
            "no phone is connected: plug one in and enable USB debugging, connect one over Wi-Fi with `ayeaye connect` and \
             the address that it shows, as after each restart of the adb server, or start the server with --virtual; \
             `ayeaye doctor` checks everything"
                .to_owned()
        });
        Self { devices: devices.into_iter().map(DeviceItem::from).collect(), hint, next: None }
    }
}

impl DeviceList {
    /// Adds hints about phones that were found on the network but are not connected.
    #[must_use]
    pub fn near(mut self, phones: &[NearbyPhone]) -> Self {
        if phones.is_empty() {
            return self;
        }
        let told = phones.iter().take(MOST_NEARBY).map(|phone| {
            let does = if phone.pairing { "pair" } else { "connect" };
            format!("{} (`ayeaye {does} {}`)", one_line(&phone.name), one_line(&phone.address))
        });
        let told = told.collect::<Vec<_>>().join(", ");
        let near = format!(
            "on the network but not connected, each with the command your user can run: {told}"
        );
        self.hint = Some(match self.hint {
            Some(hint) => format!("{hint}; {near}"),
            None => near,
        });
        self
    }

    /// Adds the queue of each phone, in the order of the list.
    #[must_use]
    pub fn queued(mut self, queues: impl IntoIterator<Item = DeviceQueue>) -> Self {
        for (item, queue) in self.devices.iter_mut().zip(queues) {
            item.queue = queue.length;
            item.queued_sessions = queue.sessions.iter().map(ToString::to_string).collect();
        }
        self
    }

    /// Adds the hint what to do next, for a client with these tools.
    #[must_use]
    pub fn offered(mut self, offer: ConnectionTools) -> Self {
        if self.devices.iter().any(|it| it.state == "device") && offer.client_drives() {
            self.next = Some(
                "You drive: get_ui_tree or get_screenshot with a device_id whose state is `device`, \
                 then one act, then look again.",
            );
        }
        if offer.model == ModelState::StandIn && offer.tools.agent {
            self.hint.get_or_insert_with(|| STAND_IN.to_owned());
        }
        self
    }
}

const BY_HAND: &str = "a person is driving it by hand now; a task can wait until they give it back";

/// The most phones on the network that are named.
const MOST_NEARBY: usize = 8;

/// Real phones are not listed: the stand-in would tap on them blindly.
const STAND_IN: &str = "\
only the virtual phone is listed: the server was started with --virtual and no model is configured, so a \
stand-in decides. It knows this phone and a few tasks. For real phones, configure a model, or start the \
server without --virtual and drive them yourself";

/// The other serials that lead to a phone, in words.
pub fn also_reachable(entry: &DeviceEntry) -> Option<String> {
    let also: Vec<_> = entry.also.iter().map(DeviceId::as_str).collect();
    (!also.is_empty()).then(|| format!("also reachable as {}", also.join(", ")))
}

impl From<(DeviceEntry, DeviceHolder)> for DeviceItem {
    fn from((entry, driver): (DeviceEntry, DeviceHolder)) -> Self {
        let also = also_reachable(&entry);
        let by_hand = driver == DeviceHolder::Person;
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
                DeviceHolder::Free | DeviceHolder::Person | DeviceHolder::Other => None,
            },
            queue: 0,
            queued_sessions: Vec::new(),
            hint: entry.hint.or_else(|| by_hand.then(|| BY_HAND.to_owned())).or(also),
        }
    }
}
