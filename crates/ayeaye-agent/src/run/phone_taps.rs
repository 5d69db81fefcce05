//! Touches of the last minute by phone: of all sessions, so that a new one does not begin to count anew.
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::session::is_counted_touch;
use crate::{DeviceId, SessionId};

const MINUTE: Duration = Duration::from_mins(1);

/// The touches that this server's runs have made, for each phone.
#[derive(Debug, Default)]
pub(crate) struct PhoneTaps(Mutex<HashMap<DeviceId, VecDeque<(SessionId, Instant)>>>);

impl PhoneTaps {
    /// Remembers an act, if its name is that of a touch.
    pub(super) fn note(&self, phone: &DeviceId, session: SessionId, act: &str) {
        if !is_counted_touch(act) {
            return;
        }
        let mut phones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        phones.retain(|_, taps| {
            taps.retain(|(_, at)| at.elapsed() < MINUTE);
            !taps.is_empty()
        });
        phones.entry(phone.clone()).or_default().push_back((session, Instant::now()));
    }

    /// The touches of other sessions. A session's own are in its record.
    pub(super) fn of_others(&self, phone: &DeviceId, session: SessionId) -> u32 {
        let phones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let theirs =
            |(whose, at): &&(SessionId, Instant)| *whose != session && at.elapsed() < MINUTE;
        let count = phones.get(phone).map_or(0, |taps| taps.iter().filter(theirs).count());
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}
