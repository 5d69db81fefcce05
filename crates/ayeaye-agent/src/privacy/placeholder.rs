//! What stands for a secret in the record.
use sha2::{Digest as _, Sha256};

use crate::named_secret::{mention, mentioned, names_secret};
use crate::secret_text::{OPENING, SecretKind, placeholder_length};

/// Makes the tags of placeholders: nobody without it can try texts against them.
pub(super) struct PlaceholderKey([u8; 32]);

impl PlaceholderKey {
    pub(super) fn new() -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self(key)
    }

    /// What stands for a secret; for the same secret always the same.
    pub(super) fn placeholder(&self, kind: SecretKind, value: &str) -> String {
        let kind = match kind {
            SecretKind::Password => "password",
            SecretKind::Code => "code",
            SecretKind::Card => "card",
            SecretKind::Identity => "identity",
            SecretKind::Marked => "reply",
        };
        let length = match value.chars().count() {
            0..4 => "1-3",
            4..8 => "4-7",
            8..16 => "8-15",
            _ => "16+",
        };
        let digest = Sha256::new().chain_update(self.0).chain_update(value).finalize();
        let tag = digest.iter().take(4).fold(0_u32, |tag, byte| tag << 8 | u32::from(*byte));
        format!("{OPENING}{kind} {length} #{tag:08x}]")
    }
}

/// The placeholders in a text, and the secrets that it names.
pub(crate) fn placeholders(text: &str) -> Vec<String> {
    let tagged = text.match_indices(OPENING).filter_map(|(at, _)| {
        let length = placeholder_length(&text[at..])?;
        Some(text[at..at + length].to_owned())
    });
    tagged.chain(mentioned(text).map(mention)).collect()
}

/// Whether a placeholder stands for a password, or for what somebody has marked as a secret.
pub(crate) fn may_be_password(placeholder: &str) -> bool {
    let kind = placeholder.strip_prefix(OPENING).and_then(|it| it.split(' ').next());
    matches!(kind, Some("password" | "reply"))
}

/// Whether a text from a record holds a placeholder of a secret that only its own session knows: not one that
/// the user has kept under a name.
pub fn holds_placeholder(text: &str) -> bool {
    placeholders(text).iter().any(|it| !names_secret(it))
}

/// Whether a text holds a placeholder.
pub(super) fn is_placeholder(text: &str) -> bool {
    names_secret(text)
        || text.match_indices(OPENING).any(|(at, _)| placeholder_length(&text[at..]).is_some())
}
