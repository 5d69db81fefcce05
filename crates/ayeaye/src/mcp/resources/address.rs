//! The addresses of what can be read. Parsed before anything is looked for, and each thing has only
//! the one spelling that we write.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::SessionId;

/// What an address of ours names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// The newest sessions.
    Sessions,
    /// The phones.
    Devices,
    /// What a session has come to.
    Session(SessionId),
    /// The steps of a session.
    Steps(SessionId),
    /// A session as one HTML page.
    Report(SessionId),
    /// What is known of one step, counted from 0.
    Step(SessionId, u32),
    /// The picture the model saw at a step.
    Screenshot(SessionId, u32),
}

/// A text that is no address of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotOurs;

/// The longest address there is, in bytes: nothing longer is looked at.
const LONGEST: usize = 128;

impl Address {
    /// The session it is about, if it is about one.
    pub fn session(self) -> Option<SessionId> {
        match self {
            Self::Sessions | Self::Devices => None,
            Self::Session(id)
            | Self::Steps(id)
            | Self::Report(id)
            | Self::Step(id, _)
            | Self::Screenshot(id, _) => Some(id),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sessions => f.write_str("ayeaye://sessions"),
            Self::Devices => f.write_str("ayeaye://devices"),
            Self::Session(id) => write!(f, "ayeaye://sessions/{id}"),
            Self::Steps(id) => write!(f, "ayeaye://sessions/{id}/steps"),
            Self::Report(id) => write!(f, "ayeaye://sessions/{id}/report"),
            Self::Step(id, step) => write!(f, "ayeaye://sessions/{id}/steps/{step}"),
            Self::Screenshot(id, step) => {
                write!(f, "ayeaye://sessions/{id}/steps/{step}/screenshot")
            }
        }
    }
}

impl FromStr for Address {
    type Err = NotOurs;

    fn from_str(text: &str) -> Result<Self, NotOurs> {
        if LONGEST < text.len() {
            return Err(NotOurs);
        }
        let path = text.strip_prefix("ayeaye://").ok_or(NotOurs)?;
        let parts: Vec<&str> = path.split('/').collect();
        let session = |text: &str| text.parse::<SessionId>().map_err(|_| NotOurs);
        let step = |text: &str| text.parse::<u32>().map_err(|_| NotOurs);
        let address = match parts.as_slice() {
            ["sessions"] => Self::Sessions,
            ["devices"] => Self::Devices,
            ["sessions", id] => Self::Session(session(id)?),
            ["sessions", id, "steps"] => Self::Steps(session(id)?),
            ["sessions", id, "report"] => Self::Report(session(id)?),
            ["sessions", id, "steps", number] => Self::Step(session(id)?, step(number)?),
            ["sessions", id, "steps", number, "screenshot"] => {
                Self::Screenshot(session(id)?, step(number)?)
            }
            _ => return Err(NotOurs),
        };
        // `+5` and `05` are numbers too.
        if address.to_string() == text { Ok(address) } else { Err(NotOurs) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(id: SessionId, step: u32) -> [Address; 7] {
        [
            Address::Sessions,
            Address::Devices,
            Address::Session(id),
            Address::Steps(id),
            Address::Report(id),
            Address::Step(id, step),
            Address::Screenshot(id, step),
        ]
    }

    proptest! {
        #[test]
        fn every_address_is_read_back(step: u32) {
            for address in all(SessionId::new(), step) {
                prop_assert_eq!(address.to_string().parse(), Ok(address));
                prop_assert!(address.to_string().len() <= LONGEST);
            }
        }

        #[test]
        fn what_is_read_is_what_is_written(text in "(ayeaye://)?(sessions|devices|/|steps|[0-9+]{0,3}|.{0,5}){0,6}") {
            if let Ok(address) = text.parse::<Address>() {
                prop_assert_eq!(address.to_string(), text);
            }
        }
    }

    #[test]
    fn other_spellings_are_not_ours() {
        let id = SessionId::new();
        for text in [
            String::new(),
            "ayeaye://".to_owned(),
            "ayeaye://sessions/".to_owned(),
            "AYEAYE://sessions".to_owned(),
            "ayeaye://sessions?all".to_owned(),
            "ayeaye://sessions/../devices".to_owned(),
            format!("ayeaye://sessions/{id}/"),
            format!("ayeaye://sessions/{}", id.to_string().to_uppercase()),
            format!("ayeaye://sessions/{id}/steps/+5"),
            format!("ayeaye://sessions/{id}/steps/05"),
            format!("ayeaye://sessions/{id}/steps/-1"),
            format!("ayeaye://sessions/{id}/steps/4294967296"),
            format!("ayeaye://sessions/{id}/steps/5/screenshot/x"),
            format!("ayeaye://sessions/{id}/steps/5/%73creenshot"),
            "ayeaye://sessions/".to_owned() + &"x".repeat(1000),
        ] {
            assert_eq!(text.parse::<Address>(), Err(NotOurs), "{text}");
        }
    }
}
