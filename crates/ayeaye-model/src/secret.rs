//! A text that must not be shown.
use std::fmt;

/// A key or token. It can be sent, and that is all: it has no `Display`, is not serialized, and
/// its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text without the blanks and line ends that copying leaves around it; `None` if nothing
    /// is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The text itself, for the one header it is sent in.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with this secret blotted out.
    pub(crate) fn redact_in(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing() {
        let secret = Secret::new(" sk-canary\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(secret.expose(), "sk-canary");
        assert_eq!(secret.redact_in("wrong key sk-canary!"), "wrong key [key]!");
        assert_eq!(Secret::new(" \n"), None);
    }
}
