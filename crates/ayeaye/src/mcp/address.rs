//! The URIs of resources. They are parsed before anything is looked up, and each resource has only the
//! spelling that is written here.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::SessionId;
use rmcp::ErrorData;
use serde_json::json;

use crate::text::excerpt;

/// The address of a resource of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// The newest sessions.
    Sessions,
    /// The phones.
    Devices,
    /// The result of a session.
    Session(SessionId),
    /// The steps of a session.
    Steps(SessionId),
    /// A session as one HTML page, without its pictures.
    Report(SessionId),
    /// A session as one HTML page, with its pictures.
    PicturedReport(SessionId),
    /// One step, counted from 0.
    Step(SessionId, u32),
    /// The picture the model saw at a step.
    Screenshot(SessionId, u32),
}

/// The URI names no resource of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownAddress;

/// The longest address, in bytes.
const MAX_LENGTH: usize = 128;

impl Address {
    /// The session it is about, if it is about one.
    pub fn session(self) -> Option<SessionId> {
        match self {
            Self::Sessions | Self::Devices => None,
            Self::Session(id)
            | Self::Steps(id)
            | Self::Report(id)
            | Self::PicturedReport(id)
            | Self::Step(id, _)
            | Self::Screenshot(id, _) => Some(id),
        }
    }
}

/// The error for a resource that does not exist, and for one that belongs to another principal.
pub fn unknown(uri: &str) -> ErrorData {
    let shown = excerpt(uri, 200);
    let text = format!(
        "there is no resource {shown}; resources/list names what there is, and a session's /steps its steps, counted from 0"
    );
    ErrorData::resource_not_found(text, Some(json!({ "uri": shown })))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sessions => f.write_str("ayeaye://sessions"),
            Self::Devices => f.write_str("ayeaye://devices"),
            Self::Session(id) => write!(f, "ayeaye://sessions/{id}"),
            Self::Steps(id) => write!(f, "ayeaye://sessions/{id}/steps"),
            Self::Report(id) => write!(f, "ayeaye://sessions/{id}/report"),
            Self::PicturedReport(id) => write!(f, "ayeaye://sessions/{id}/report/pictures"),
            Self::Step(id, step) => write!(f, "ayeaye://sessions/{id}/steps/{step}"),
            Self::Screenshot(id, step) => {
                write!(f, "ayeaye://sessions/{id}/steps/{step}/screenshot")
            }
        }
    }
}

impl FromStr for Address {
    type Err = UnknownAddress;

    fn from_str(text: &str) -> Result<Self, UnknownAddress> {
        if MAX_LENGTH < text.len() {
            return Err(UnknownAddress);
        }
        let path = text.strip_prefix("ayeaye://").ok_or(UnknownAddress)?;
        let parts: Vec<&str> = path.split('/').collect();
        let session = |text: &str| text.parse::<SessionId>().map_err(|_| UnknownAddress);
        let step = |text: &str| text.parse::<u32>().map_err(|_| UnknownAddress);
        let address = match parts.as_slice() {
            ["sessions"] => Self::Sessions,
            ["devices"] => Self::Devices,
            ["sessions", id] => Self::Session(session(id)?),
            ["sessions", id, "steps"] => Self::Steps(session(id)?),
            ["sessions", id, "report"] => Self::Report(session(id)?),
            ["sessions", id, "report", "pictures"] => Self::PicturedReport(session(id)?),
            ["sessions", id, "steps", number] => Self::Step(session(id)?, step(number)?),
            ["sessions", id, "steps", number, "screenshot"] => {
                Self::Screenshot(session(id)?, step(number)?)
            }
            _ => return Err(UnknownAddress),
        };
        // `+5` and `05` are numbers too.
        if address.to_string() == text { Ok(address) } else { Err(UnknownAddress) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(id: SessionId, step: u32) -> [Address; 8] {
        [
            Address::Sessions,
            Address::Devices,
            Address::Session(id),
            Address::Steps(id),
            Address::Report(id),
            Address::PicturedReport(id),
            Address::Step(id, step),
            Address::Screenshot(id, step),
        ]
    }

    proptest! {
        #[test]
        fn every_address_is_read_back(step: u32) {
            for address in all(SessionId::new(), step) {
                prop_assert_eq!(address.to_string().parse(), Ok(address));
                prop_assert!(address.to_string().len() <= MAX_LENGTH);
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
            assert_eq!(text.parse::<Address>(), Err(UnknownAddress), "{text}");
        }
    }
}
