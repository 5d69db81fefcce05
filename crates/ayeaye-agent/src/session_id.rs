//! The name of a session.
use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::{ContextV7, Uuid};

/// The name of a session: 128 bits, sorted by time of birth (UUID version 7).
///
/// It is parsed before it goes anywhere near a path, so that no client can name a file with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Uuid);

/// A text that is not a session's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a session_id: give all of one, as a result of this server had it, or list_sessions"
)]
pub struct InvalidSessionId(String);

impl SessionId {
    /// A new name.
    #[allow(clippy::new_without_default, reason = "a new name is never the same twice")]
    pub fn new() -> Self {
        Self(new_uuid())
    }

    /// When it was made, to the millisecond, where the name tells.
    pub fn created(&self) -> Option<jiff::Timestamp> {
        let (seconds, nanos) = self.0.get_timestamp()?.to_unix();
        jiff::Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanos).ok()?).ok()
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Only the one spelling we write: a session has one name.
        match Uuid::try_parse(text) {
            Ok(uuid) if uuid.hyphenated().to_string() == text => Ok(Self(uuid)),
            _ => Err(InvalidSessionId(text.chars().take(64).collect())),
        }
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A new id that sorts behind all that this process has made before, and by time among those of others.
pub(crate) fn new_uuid() -> Uuid {
    static MADE: Mutex<ContextV7> = Mutex::new(ContextV7::new());
    uuid_of(SystemTime::now(), &MADE)
}

/// `Uuid::now_v7` would panic where the clock is set to before 1970, from when on such ids count: those are of its first
/// millisecond.
fn uuid_of(now: SystemTime, made: &Mutex<ContextV7>) -> Uuid {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // For the very beginning uuid makes up no random number.
    let since = since.max(Duration::from_millis(1));
    Uuid::new_v7(uuid::Timestamp::from_unix(made, since.as_secs(), since.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_whatever_the_clock_says() {
        let century = Duration::from_hours(876_582);
        let after = |time| SystemTime::UNIX_EPOCH.checked_add(time);
        for (now, created) in [
            (SystemTime::UNIX_EPOCH.checked_sub(century), Some("1970-01-01T00:00:00.001Z")),
            (after(Duration::ZERO), Some("1970-01-01T00:00:00.001Z")),
            (after(century / 2), Some("2020-01-01T03:00:00Z")),
            // Beyond what can be written as a date.
            (after(century * 85), None),
            (after(Duration::from_secs(i64::MAX.unsigned_abs())), None),
        ] {
            // Not every system can tell the last of them.
            let Some(now) = now else { continue };
            let made = Mutex::new(ContextV7::new());
            let ids = [(); 3].map(|()| SessionId(uuid_of(now, &made)));
            assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
            if let Some(created) = created {
                assert!(ids.iter().all(|id| id.created().unwrap().to_string() == created));
            }
            let other = SessionId(uuid_of(now, &Mutex::new(ContextV7::new())));
            assert!(!ids.contains(&other), "another process has others");
        }
    }

    #[test]
    fn a_name_tells_when_it_was_made() {
        let id: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        // RFC 9562, 5.7: the first 48 bits are milliseconds, here 0x01890a5dac96 = 1688096058518.
        assert_eq!(id.created().unwrap().to_string(), "2023-06-30T03:34:18.518Z");
        let random: SessionId = "0b8f0d8e-2f4c-4b06-9d6b-3f2d8a1c7e55".parse().unwrap();
        assert_eq!(random.created(), None);
    }

    #[test]
    fn a_session_has_one_spelling() {
        let id = SessionId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!(id.to_string().to_uppercase().parse::<SessionId>().is_err());
        for hostile in ["", "../../etc/passwd", "{01890a5d-ac96-774b-bcce-b302099a8057}"] {
            assert!(hostile.parse::<SessionId>().is_err(), "{hostile}");
        }
    }
}
