//! What the system keeps for all apps: settings and input methods, the clipboard, and chance.
mod random;
mod settings;

pub(crate) use random::Random;
pub(crate) use settings::{ADB_KEYBOARD, LATIN_KEYBOARD, SystemSettings};
