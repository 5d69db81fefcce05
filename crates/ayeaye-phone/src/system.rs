//! State that all apps share: settings, input methods, the clipboard and the random generator.
mod quirks;
mod random;
mod settings;

pub(crate) use quirks::Quirks;
pub use quirks::SelectAll;
pub(crate) use random::Random;
pub(crate) use settings::{ADB_KEYBOARD, LATIN_KEYBOARD, SystemSettings};
