//! Which sessions are kept, and for how long.
//!
//! Nothing goes that somebody may still want to go on with: a session with a pending question, one
//! that is being written, one that is damaged or of a later version stay whatever the limits say. Of
//! the others the one that has been left alone for the longest goes first.
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Journal, JournalError, Summary};
use crate::SessionId;

/// What is kept. By default everything is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "each is a bound")]
pub struct Retention {
    /// Longest time since a session's last event.
    pub max_age: Option<Duration>,
    /// Most sessions. Those that must stay count, and may be more.
    pub max_sessions: Option<usize>,
    /// Most bytes of all sessions, blobs included.
    pub max_total_bytes: Option<u64>,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tidied {
    /// The sessions.
    pub removed: Vec<SessionId>,
    /// What they took.
    pub bytes: u64,
}

/// A session, as far as the choice goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Which.
    pub id: SessionId,
    /// When its last event was written.
    pub last: Timestamp,
    /// Of its record and its blobs.
    pub bytes: u64,
    /// Whether it may go.
    pub hold: Hold,
}

/// What keeps a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Nothing: its last run is over.
    Closed,
    /// Its last run has no end: it is under way, or its process died. It goes by age alone, since
    /// nobody has seen how it ended.
    Unended,
    /// A question waits for an answer, or its record cannot be judged.
    Stays,
}

impl Candidate {
    /// What a summary says.
    pub fn of(id: SessionId, summary: &Summary) -> Self {
        let hold = match (&summary.question, summary.stop_reason) {
            (Some(_), _) => Hold::Stays,
            (None, None) => Hold::Unended,
            (None, Some(_)) => Hold::Closed,
        };
        Self { id, last: summary.last, bytes: summary.bytes, hold }
    }
}

/// Whom the limits concern, the one left alone for the longest first.
pub fn victims(retention: &Retention, now: Timestamp, kept: &[Candidate]) -> Vec<SessionId> {
    let mut by_age: Vec<&Candidate> = kept.iter().collect();
    by_age.sort_unstable_by_key(|candidate| (candidate.last, candidate.id));
    let mut count = kept.len();
    let mut bytes = kept.iter().fold(0_u64, |sum, one| sum.saturating_add(one.bytes));
    let mut victims = Vec::new();
    for candidate in by_age {
        let age = now.duration_since(candidate.last);
        let old = retention
            .max_age
            .is_some_and(|most| SignedDuration::try_from(most).is_ok_and(|most| most < age));
        let many = retention.max_sessions.is_some_and(|most| most < count);
        let large = retention.max_total_bytes.is_some_and(|most| most < bytes);
        let goes = match candidate.hold {
            Hold::Closed => old || many || large,
            Hold::Unended => old,
            Hold::Stays => false,
        };
        if goes {
            count -= 1;
            bytes = bytes.saturating_sub(candidate.bytes);
            victims.push(candidate.id);
        }
    }
    victims
}

/// Removes what the limits concern, through [`Journal::remove`]. A session that somebody takes up
/// meanwhile stays, and so does one that cannot be removed; the rest goes on.
pub async fn tidy(
    journal: &dyn Journal,
    retention: &Retention,
    now: Timestamp,
) -> Result<Tidied, JournalError> {
    let mut tidied = Tidied::default();
    if *retention == Retention::default() {
        return Ok(tidied);
    }
    let mut kept = Vec::new();
    for id in journal.list().await? {
        kept.push(match journal.summary(&id).await {
            Ok(summary) => Candidate::of(id, &summary),
            Err(JournalError::Unknown(_)) => continue, // somebody else removed it
            // It counts as one, of a size that nobody knows.
            Err(_) => Candidate { id, last: now, bytes: 0, hold: Hold::Stays },
        });
    }
    // Whoever cannot be removed stays, and then it may be another's turn.
    loop {
        let victims = victims(retention, now, &kept);
        if victims.is_empty() {
            return Ok(tidied);
        }
        for id in victims {
            let removed = remove(journal, &id).await;
            let place = kept.iter().position(|one| one.id == id).expect("a victim is one of them");
            if removed {
                tidied.bytes = tidied.bytes.saturating_add(kept[place].bytes);
                tidied.removed.push(id);
                kept.swap_remove(place);
            } else {
                kept[place].hold = Hold::Stays;
            }
        }
    }
}

/// Whether the session has gone.
async fn remove(journal: &dyn Journal, id: &SessionId) -> bool {
    // Asked first, for the sake of journals that remove more than the record.
    if journal.driven(id).await.unwrap_or(true) {
        return false;
    }
    // A summary may be older than a damage that somebody may want to look into.
    if journal.outline(id, &mut |_| {}).await.is_err() {
        return false;
    }
    match journal.remove(id).await {
        Ok(()) => true,
        Err(JournalError::Unknown(_) | JournalError::Busy(_)) => false,
        Err(err) => {
            tracing::warn!(session = %id, error = %err, "a session was not removed");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 86_400;

    fn day(n: i64) -> Timestamp {
        Timestamp::from_second(1_767_323_045 + n * DAY).unwrap()
    }

    fn candidate(last: i64, bytes: u64, hold: Hold) -> Candidate {
        Candidate { id: SessionId::new(), last: day(last), bytes, hold }
    }

    fn chosen(retention: Retention, kept: &[Candidate]) -> Vec<usize> {
        let place = |id| kept.iter().position(|one| one.id == id).unwrap();
        victims(&retention, day(100), kept).into_iter().map(place).collect()
    }

    #[test]
    fn nothing_goes_without_a_limit() {
        let kept = [candidate(0, u64::MAX, Hold::Closed), candidate(1, u64::MAX, Hold::Closed)];
        assert!(chosen(Retention::default(), &kept).is_empty());
    }

    #[test]
    fn the_oldest_goes_first_and_no_more_than_must() {
        let kept = [
            candidate(30, 10, Hold::Closed),
            candidate(10, 10, Hold::Closed),
            candidate(20, 10, Hold::Closed),
            candidate(40, 10, Hold::Closed),
        ];
        let by = |max_sessions, max_total_bytes, max_age| {
            chosen(Retention { max_age, max_sessions, max_total_bytes }, &kept)
        };
        assert!(by(Some(4), None, None).is_empty());
        assert_eq!(by(Some(2), None, None), [1, 2]);
        assert_eq!(by(None, Some(39), None), [1]);
        assert_eq!(by(None, Some(0), None), [1, 2, 0, 3]);
        let days = |n: u64| Some(Duration::from_secs(n * 86_400));
        assert_eq!(by(None, None, days(80)), [1]);
        assert_eq!(by(None, None, days(79)), [1, 2]);
        assert_eq!(by(Some(1), None, days(80)), [1, 2, 0]);
        assert!(by(None, None, Some(Duration::MAX)).is_empty());
    }

    #[test]
    fn what_waits_stays_and_what_died_goes_by_age_alone() {
        let kept = [
            candidate(0, 10, Hold::Stays),
            candidate(1, 10, Hold::Unended),
            candidate(2, 10, Hold::Closed),
        ];
        let retention = Retention { max_sessions: Some(0), ..Retention::default() };
        assert_eq!(chosen(retention, &kept), [2]);
        let retention = Retention { max_age: Some(Duration::ZERO), ..Retention::default() };
        assert_eq!(chosen(retention, &kept), [1, 2]);
    }

    proptest! {
        #[test]
        fn the_limits_hold_as_far_as_they_may(
            kept in prop::collection::vec((0_i64..200, 0_u64..50, 0_usize..3), 0..20),
            most in 0_usize..20,
            bytes in 0_u64..500,
        ) {
            let holds = [Hold::Closed, Hold::Unended, Hold::Stays];
            let kept: Vec<Candidate> = kept
                .into_iter()
                .map(|(last, bytes, hold)| candidate(last, bytes, holds[hold]))
                .collect();
            let retention =
                Retention { max_age: None, max_sessions: Some(most), max_total_bytes: Some(bytes) };
            let gone = victims(&retention, day(100), &kept);
            let left: Vec<_> = kept.iter().filter(|one| !gone.contains(&one.id)).collect();
            let closed = left.iter().any(|one| one.hold == Hold::Closed);
            let within =
                left.len() <= most && left.iter().map(|one| one.bytes).sum::<u64>() <= bytes;
            prop_assert!(within || !closed);
            prop_assert!(kept.iter().all(|one| one.hold == Hold::Closed || !gone.contains(&one.id)));
        }
    }
}
