//! Who asks.
use std::fmt;

/// Whoever a session belongs to: what one principal has begun, no other sees or touches.
///
/// A name and nothing more; how somebody proves to be it is the transport's business.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(String);

impl Principal {
    /// The person at this machine: whoever starts the server on stdio, uses the command line, or
    /// holds the token from the data folder. Owns every session whose record names nobody.
    pub fn local() -> Self {
        Self("local".to_owned())
    }

    /// Somebody else, by a name that is nobody else's.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Whoever has the command line and the data folder: nothing is hidden from them.
    pub fn operator() -> Self {
        Self("operator".to_owned())
    }

    /// Whether what belongs to `owner` is this one's to see.
    pub fn owns(&self, owner: &Self) -> bool {
        self == owner || *self == Self::operator()
    }

    /// Whether the named secrets are typed in its sessions: they are of the person at this machine.
    pub(crate) fn has_named_secrets(&self) -> bool {
        *self == Self::local()
    }

    /// The name, fit for logs.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// As a record has it: nothing for the person at this machine.
    pub(crate) fn recorded(&self) -> Option<String> {
        (*self != Self::local()).then(|| self.0.clone())
    }

    /// As a record has it.
    pub(crate) fn from_record(owner: Option<&str>) -> Self {
        owner.map_or_else(Self::local, Self::new)
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
