//! Logs of sessions that a client drives itself. Each of its acts is a run with an end of its own, and the next one
//! follows in seconds: to read the whole record for each would take longer from act to act.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::SessionId;
use tokio::time::Instant;

use super::projector::LogSlot;

/// How long logs wait for the next act.
pub(super) const REST: Duration = Duration::from_mins(1);

/// Sessions whose logs wait: what is known of a session for its report may take megabytes.
const MOST: usize = 8;

/// Logs that are complete, as they stand, and since when.
#[derive(Debug, Default)]
pub(super) struct RestingLogs(Mutex<HashMap<SessionId, (Instant, Vec<LogSlot>)>>);

impl RestingLogs {
    pub(super) fn keep(&self, id: SessionId, logs: Vec<LogSlot>) {
        let mut resting = self.resting();
        if MOST <= resting.len() && !resting.contains_key(&id) {
            let oldest = resting.iter().min_by_key(|(_, (since, _))| *since).map(|(id, _)| *id);
            oldest.and_then(|oldest| resting.remove(&oldest));
        }
        resting.insert(id, (Instant::now(), logs));
    }

    /// The logs of a session whose record has so many events, if they have taken in just those: another process may have
    /// gone on with it.
    pub(super) fn take(&self, id: SessionId, last: u64) -> Option<Vec<LogSlot>> {
        let (_, logs) = self.resting().remove(&id)?;
        logs.iter().all(|slot| slot.stands_at(last)).then_some(logs)
    }

    /// Lets go of those that have waited long enough.
    pub(super) fn expire(&self) {
        self.resting().retain(|_, (since, _)| since.elapsed() < REST);
    }

    pub(super) fn forget(&self, id: SessionId) {
        self.resting().remove(&id);
    }

    fn resting(&self) -> MutexGuard<'_, HashMap<SessionId, (Instant, Vec<LogSlot>)>> {
        // Nothing that holds it can panic half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn logs_rest_for_a_while_and_not_those_of_all_sessions() {
        let resting = RestingLogs::default();
        let ids: Vec<SessionId> = (0..=MOST).map(|_| SessionId::new()).collect();
        for id in &ids {
            resting.keep(*id, Vec::new());
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(resting.take(ids[0], 7).is_none(), "the oldest has gone");
        assert!(resting.take(ids[1], 7).is_some());
        assert!(resting.take(ids[1], 7).is_none(), "it is taken once");
        resting.expire();
        assert_eq!(resting.resting().len(), MOST - 1);
        tokio::time::advance(REST).await;
        resting.expire();
        assert_eq!(resting.resting().len(), 0);
    }
}
