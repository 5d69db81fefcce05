//! What is kept of what is secret: nothing, wherever it would be written down.
//!
//! [`SecretStore`] is the one place. It learns the secrets of a session while the session is at work, and
//! everything passes it on the way to the record, which is where projections, results and logs come
//! from. In the record a secret is a placeholder; on the way to the model and to the phone the
//! placeholder becomes the secret again, as long as this process lives.
mod digits;
mod dropped_texts;
mod foreign_json;
mod hide;
mod known_secrets;
mod metadata;
mod placeholder;
mod redact;
mod secret_store;
mod secret_stores;
mod server_keys;
mod shared_secrets;
mod shorten;
mod spelling;

pub(crate) use self::metadata::{is_length, keep_length, length_of, length_told, refusal_text};
pub use self::placeholder::holds_placeholder;
pub(crate) use self::placeholder::{may_be_password, placeholders};
pub(crate) use self::secret_store::SecretStore;
pub(crate) use self::secret_stores::SecretStores;
pub use self::server_keys::SHORTEST_KEY;
pub(crate) use self::shorten::bytes_in_record;

/// How much of what happens is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrivacySettings {
    /// Of the screen.
    pub images: KeepImages,
    /// Of what is said and typed.
    pub text: KeepText,
    /// Of what a screen says it consists of.
    pub elements: KeepElements,
}

/// When a phone is asked for its screen's elements. On many phones that takes seconds; it is done
/// while the model thinks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepElements {
    /// At every step, however long the phone takes.
    Always,
    /// At every step, as far as that delays nothing; waited for where a secret may be on the screen
    /// and at the end of a task.
    #[default]
    Auto,
    /// Only where a secret may be on the screen. For the gate they are read all the same.
    Never,
}

/// How much of the screen is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepImages {
    /// Every picture as the model was sent it.
    Full,
    /// Fields for passwords, and elements that show a secret, are blacked out.
    #[default]
    Redacted,
    /// No picture at all.
    None,
}

/// How much of what is said and typed is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepText {
    /// Every word.
    Full,
    /// Secrets are replaced by placeholders.
    #[default]
    Redacted,
    /// As redacted; and of prompts, replies, thoughts, elements and typed texts only the length.
    Metadata,
}

impl KeepImages {
    /// Every level, by its word in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("full", Self::Full), ("redacted", Self::Redacted), ("none", Self::None)];
}

impl KeepElements {
    /// Every level, by its word in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("always", Self::Always), ("auto", Self::Auto), ("never", Self::Never)];
}

impl KeepText {
    /// Every level, by its word in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("full", Self::Full), ("redacted", Self::Redacted), ("metadata", Self::Metadata)];
}
