//! Phones as they are listed, and the names they are known by.
use std::fmt;

use crate::ScreenSize;

/// A phone's name: its serial, as `adb devices` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId(String);

impl DeviceId {
    /// Any text; whether there is such a phone is another question.
    pub fn new(serial: impl Into<String>) -> Self {
        Self(serial.into())
    }

    /// The serial.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a phone is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say their own names")]
pub enum Transport {
    Usb,
    Tcp,
    Emulator,
    Virtual,
}

impl Transport {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usb => "usb",
            Self::Tcp => "tcp",
            Self::Emulator => "emulator",
            Self::Virtual => "virtual",
        }
    }
}

/// Under which names a phone is known. The names are the keys of its lease, so that one phone has one,
/// however it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceNames {
    /// Its serial, by which it is driven.
    pub id: DeviceId,
    /// Other serials that lead to it.
    pub also: Vec<DeviceId>,
    /// What it is known by whatever it is reached through, if it tells.
    pub identity: Option<String>,
}

impl DeviceNames {
    /// A phone that is known by its serial alone.
    pub fn only(id: DeviceId) -> Self {
        Self { id, also: Vec::new(), identity: None }
    }

    /// Whether a serial leads to it.
    pub fn include(&self, id: &DeviceId) -> bool {
        self.id == *id || self.also.contains(id)
    }

    /// All of them, its serial first.
    pub(crate) fn keys(&self) -> Vec<DeviceId> {
        let identity = self.identity.iter().map(DeviceId::new);
        std::iter::once(self.id.clone()).chain(self.also.iter().cloned()).chain(identity).collect()
    }
}

/// One phone in a list. A phone that is in trouble is in the list all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceEntry {
    /// Its serial.
    pub id: DeviceId,
    /// As adb says it: `device` (ready), `offline`, `unauthorized`, `no permissions` ...
    pub state: String,
    /// Whether it can be driven now.
    pub ready: bool,
    /// How it is attached.
    pub transport: Transport,
    /// Such as "Pixel 7".
    pub model: Option<String>,
    /// The build's product name.
    pub product: Option<String>,
    /// Such as "14".
    pub android_version: Option<String>,
    /// As it is held now.
    pub screen: Option<ScreenSize>,
    /// What to do about it when it is not ready, or only half readable.
    pub hint: Option<String>,
    /// Other serials that lead to it.
    pub also: Vec<DeviceId>,
    /// What it is known by whatever it is reached through.
    pub identity: Option<String>,
}

impl DeviceEntry {
    /// Under which names it is known.
    pub fn names(&self) -> DeviceNames {
        DeviceNames {
            id: self.id.clone(),
            also: self.also.clone(),
            identity: self.identity.clone(),
        }
    }
}

/// A phone that announces itself on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearbyPhone {
    /// As it calls itself there.
    pub name: String,
    /// Where it listens, as `HOST:PORT`.
    pub address: String,
    /// It waits to be paired; otherwise it can be connected.
    pub pairing: bool,
}
