//! The identity of the virtual phone.
use std::time::Duration;

use crate::profile::Profile;

/// The identity of the phone, and how fast its screens move.
#[derive(Debug, Clone)]
pub struct PhoneOptions {
    /// As `adb devices` names it.
    pub serial: String,
    pub model: String,
    pub product: String,
    pub manufacturer: String,
    /// Android's release, such as "14".
    pub android: String,
    pub sdk: u32,
    /// Pixels in the natural (portrait) orientation.
    pub width: u32,
    pub height: u32,
    pub density: u32,
    /// Shortest and longest screen transition; each is drawn at random between them.
    pub transitions: (Duration, Duration),
    /// How long everything else takes.
    pub profile: Profile,
    /// Same seed, same transitions and codes.
    pub seed: u64,
}

impl Default for PhoneOptions {
    fn default() -> Self {
        Self {
            serial: "ayeaye-5554".to_owned(),
            model: "Aye-aye virtual phone".to_owned(),
            product: "ayeaye_phone".to_owned(),
            manufacturer: "Example".to_owned(),
            android: "14".to_owned(),
            sdk: 34,
            width: 1080,
            height: 2400,
            density: 420,
            transitions: Profile::AsIs.timing().transitions,
            profile: Profile::AsIs,
            seed: 1,
        }
    }
}

impl PhoneOptions {
    /// The same phone, as fast as this profile.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { transitions: profile.timing().transitions, profile, ..self }
    }
}
