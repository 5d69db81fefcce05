//! Secrets that the user keeps on this machine and names in a task: `{{secret:NAME}}`. The model sees the
//! name; the phone is typed the value.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::host::lists_host;

/// Where the user's named secrets are kept.
pub trait NamedSecrets: fmt::Debug + Send + Sync {
    /// The secret of this name; `None` if there is none. It is asked each time a user names one, so that a
    /// new one counts at once.
    fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError>;

    /// All of them by name, to be hidden wherever they turn up. It is asked often, so it has to be quick where nothing
    /// has changed.
    fn all(&self) -> Result<Arc<BTreeMap<String, NamedSecret>>, NamedSecretError>;
}

/// A secret, and where it may be typed.
#[derive(Clone, PartialEq, Eq)]
pub struct NamedSecret {
    /// What is typed.
    pub value: String,
    /// Where; elsewhere it is refused.
    pub places: SecretPlaces,
}

/// Where a secret may be typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretPlaces {
    /// Packages of the apps.
    pub apps: Vec<String>,
    /// Hosts of the pages, such as `example.org`, which stands for those below it too; empty for an app that is
    /// no browser.
    pub hosts: Vec<String>,
}

impl SecretPlaces {
    /// The place that it would have to be, if it is not here: on a page of this host, in this app.
    pub(crate) fn elsewhere(&self, package: &str, host: Option<&str>) -> Option<String> {
        if !self.apps.iter().any(|it| it == package) {
            return Some(self.apps.join(", "));
        }
        let here = self.hosts.is_empty() || host.is_some_and(|host| lists_host(&self.hosts, host));
        (!here).then(|| self.hosts.join(", "))
    }
}

/// Why a secret cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NamedSecretError {
    /// The user has kept none of this name.
    #[error("there is no secret named {0:?}")]
    Unknown(String),
    /// What they are kept in cannot be read.
    #[error("the secret {name:?} cannot be read: {why}")]
    Unreadable {
        /// Its name.
        name: String,
        /// What is wrong, with the way out.
        why: String,
    },
    /// What all of them are kept in cannot be read.
    #[error("the kept secrets cannot be read: {0}")]
    AllUnreadable(String),
}

/// Keeps no secrets.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNamedSecrets;

impl NamedSecrets for NoNamedSecrets {
    fn find(&self, _: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        Ok(None)
    }

    fn all(&self) -> Result<Arc<BTreeMap<String, NamedSecret>>, NamedSecretError> {
        Ok(Arc::default())
    }
}

impl fmt::Debug for NamedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedSecret").field("places", &self.places).finish_non_exhaustive()
    }
}

const OPENING: &str = "{{secret:";
const CLOSING: &str = "}}";
/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

/// How a secret is named in a text.
pub(crate) fn mention(name: &str) -> String {
    format!("{OPENING}{name}{CLOSING}")
}

/// Whether this can name a secret: ASCII letters, digits, `-`, `_` and `.`, at most 64.
pub fn is_secret_name(name: &str) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(inner)
}

/// The names in a text, in order; one that stands there twice is named twice.
pub(crate) fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.split(OPENING)
        .skip(1)
        .filter_map(|rest| rest.split_once(CLOSING).map(|(name, _)| name))
        .filter(|name| is_secret_name(name))
}

/// Whether a text names a secret.
pub(crate) fn names_secret(text: &str) -> bool {
    mentioned(text).next().is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_found_as_they_are_written() {
        let found = |text| mentioned(text).collect::<Vec<_>>();
        assert_eq!(found("type {{secret:bank}} and {{secret:mail-2.x}}."), ["bank", "mail-2.x"]);
        for none in
            ["", "{{secret:}}", "{{secret:a b}}", "{{secret:a", "{secret:a}", "{{Secret:a}}"]
        {
            assert_eq!(found(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn a_secret_belongs_to_apps_and_to_pages_in_them() {
        let of = |hosts: &[&str]| SecretPlaces {
            apps: vec!["a.browser".to_owned()],
            hosts: hosts.iter().map(|it| (*it).to_owned()).collect(),
        };
        assert_eq!(of(&[]).elsewhere("a.browser", None), None);
        assert_eq!(of(&[]).elsewhere("a.chat", None).as_deref(), Some("a.browser"));
        let page = of(&["example.org"]);
        for here in ["example.org", "login.example.org", "EXAMPLE.org"] {
            assert_eq!(page.elsewhere("a.browser", Some(here)), None, "{here}");
        }
        for there in [Some("example.org.evil.net"), Some("notexample.org"), Some(""), None] {
            let told = page.elsewhere("a.browser", there);
            assert_eq!(told.as_deref(), Some("example.org"), "{there:?}");
        }
        assert_eq!(page.elsewhere("a.chat", Some("example.org")).as_deref(), Some("a.browser"));
    }

    #[test]
    fn a_secret_is_not_printed() {
        let places = SecretPlaces { apps: vec!["a.b".to_owned()], hosts: Vec::new() };
        let secret = NamedSecret { value: "hunter2".to_owned(), places };
        assert!(!format!("{secret:?}").contains("hunter2"));
    }

    proptest! {
        #[test]
        fn whatever_is_mentioned_is_found(name in "[a-zA-Z0-9._-]{1,64}", around in "[^{}]{0,20}") {
            let text = format!("{around}{}{around}", mention(&name));
            prop_assert_eq!(mentioned(&text).collect::<Vec<_>>(), [name.as_str()]);
        }
    }
}
