//! How a person names a session.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::SessionId;

/// A session as a person names it on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionName {
    /// `last`: the one that was begun last.
    Last,
    /// Its whole id. It need not exist.
    Id(SessionId),
    /// The beginning of its id: at least [`SessionName::SHORTEST`] characters.
    Prefix(String),
}

/// A text that names no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a session is named by its id, by the first {} or more characters of it, or by `last`; `ayeaye sessions \
     list` shows them",
    SessionName::SHORTEST
)]
pub struct InvalidSessionName;

impl SessionName {
    /// Fewer characters say nothing: ids begin with the time.
    pub const SHORTEST: usize = 4;
}

impl FromStr for SessionName {
    type Err = InvalidSessionName;

    fn from_str(text: &str) -> Result<Self, InvalidSessionName> {
        let text = text.trim().to_ascii_lowercase();
        if text == "last" {
            return Ok(Self::Last);
        }
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        let fits = Self::SHORTEST <= text.len() && text.len() < 36;
        if fits && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
            Ok(Self::Prefix(text))
        } else {
            Err(InvalidSessionName)
        }
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("last"),
            Self::Id(id) => id.fmt(f),
            Self::Prefix(prefix) => f.write_str(prefix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_id_or_by_the_beginning_of_it() {
        let id = SessionId::new();
        let text = id.to_string();
        assert_eq!(text.parse(), Ok(SessionName::Id(id)));
        assert_eq!(text.to_uppercase().parse(), Ok(SessionName::Id(id)));
        assert_eq!(text[..13].parse(), Ok(SessionName::Prefix(text[..13].to_owned())));
        assert_eq!("last".parse(), Ok(SessionName::Last));
        for wrong in ["", "019", "../../etc/passwd", "latest", &format!("{text}0"), "wxyz"] {
            assert_eq!(wrong.parse::<SessionName>(), Err(InvalidSessionName), "{wrong}");
        }
    }
}
