//! Which sessions are kept, and for how long.
//!
//! Nothing goes that somebody may still want to go on with: a session with a pending question, one
//! that is being written, one that is damaged or of a later version stay whatever the limits say. Of
//! the others the one that has been left alone for the longest goes first. The latest of them goes neither for
//! its size, however large it alone is, nor for the number of others: it may just have ended, and its client was told
//! that it can be continued.
//!
//! Ages are told by clocks, and clocks are wrong at times: one that has jumped ahead removes nothing, and neither does the
//! age of a session that was recorded before the clock of a machine without a battery was set.
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Journal, JournalError, Summary, SummaryBuilder};
use crate::{SessionId, StopReason};

/// A clock that is further ahead of the latest session than this may be wrong. Where it is right, the next session that
/// begins and ends by it shows it.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long after an act a client that drives itself may act again in the same session; each act leaves it paused.
const IN_USE: SignedDuration = SignedDuration::from_mins(10);
/// 2026-01-01: there was nothing before it that could have recorded a session.
const FIRST_RECORDS: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// The bounds on what is kept. Without a bound everything is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "each is a bound")]
pub struct Retention {
    /// Longest time since a session's last event.
    pub max_age: Option<Duration>,
    /// Most sessions. Those that must stay count, and may be more.
    pub max_sessions: Option<usize>,
    /// Most bytes of all sessions, with their blobs and their logs.
    pub max_total_bytes: Option<u64>,
}

impl Retention {
    /// The bounds for people, such as "after 90 days, or beyond 1 GiB"; nothing without any.
    pub fn in_words(&self) -> Option<String> {
        let age = self.max_age.map(|age| match age.as_secs() / 3600 {
            hours if 0 < hours && hours % 24 == 0 => format!("after {} days", hours / 24),
            hours if 0 < hours => format!("after {hours} hours"),
            _ => format!("after {} seconds", age.as_secs()),
        });
        let size = self.max_total_bytes.map(|bytes| format!("beyond {}", size_in_words(bytes)));
        let count = self.max_sessions.map(|most| format!("beyond {most} sessions"));
        let bounds: Vec<String> = [age, size, count].into_iter().flatten().collect();
        (!bounds.is_empty()).then(|| bounds.join(", or "))
    }
}

/// Bytes in the unit that they are written with in settings.
fn size_in_words(bytes: u64) -> String {
    const GIB: u64 = 1 << 30;
    match bytes {
        0 => "0 MiB".to_owned(),
        whole if whole.is_multiple_of(GIB) => format!("{} GiB", whole / GIB),
        bytes => format!("{} MiB", bytes >> 20),
    }
}

/// The result of removing sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// The removed sessions.
    pub removed: Vec<SessionId>,
    /// The bytes that they took.
    pub bytes: u64,
}

/// A session, with the facts that decide whether it is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionCandidate {
    /// Its id.
    pub id: SessionId,
    /// When its last event was written.
    pub last: Timestamp,
    /// Its bytes, with everything that is removed with it.
    pub bytes: u64,
    /// Whether it may go.
    pub removable: Removable,
}

/// Whether retention may remove a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removable {
    /// Its last run is over.
    Yes,
    /// Its last run has no recorded end: it is under way, or its process died. Nobody has seen how it
    /// ended, so only the age limit applies. So it is with a session that was paused minutes ago, as direct
    /// control leaves it between two acts.
    ByAgeOnly,
    /// A question waits for an answer, or the record cannot be read.
    No,
}

impl RetentionCandidate {
    /// The candidate for a summary.
    pub fn of(id: SessionId, summary: &Summary, now: Timestamp) -> Self {
        let is_recent = now.duration_since(summary.last).abs() < IN_USE;
        let removable = match (&summary.question, summary.stop_reason) {
            (Some(_), _) => Removable::No,
            (None, None) => Removable::ByAgeOnly,
            (None, Some(StopReason::UserPaused)) if is_recent => Removable::ByAgeOnly,
            (None, Some(_)) => Removable::Yes,
        };
        Self { id, last: summary.last, bytes: summary.bytes, removable }
    }

    /// Whether its age is known. It is not if the session was recorded before the clock was set.
    pub fn has_age(&self) -> bool {
        FIRST_RECORDS <= self.last
    }

    /// The latest time for which it speaks that the clock was right: its end, but not where the clock may have jumped
    /// ahead while it was under way. Then it is its beginning.
    fn clock_seen(&self) -> Timestamp {
        let jumped = |began: &Timestamp| LONGEST_PAUSE < self.last.duration_since(*began);
        self.id.created().filter(jumped).unwrap_or(self.last)
    }

    /// One whose beginning was never written whole.
    fn unbegun(id: SessionId, now: Timestamp) -> Self {
        let last = id.created().unwrap_or(now);
        Self { id, last, bytes: 0, removable: Removable::ByAgeOnly }
    }
}

/// Sessions to remove, least recently used first.
pub fn select_for_removal(
    retention: &Retention,
    now: Timestamp,
    kept: &[RetentionCandidate],
) -> Vec<SessionId> {
    let mut by_age: Vec<&RetentionCandidate> = kept.iter().collect();
    by_age.sort_unstable_by_key(|candidate| (candidate.last, candidate.id));
    let latest = by_age.iter().rev().find(|it| it.removable == Removable::Yes).map(|it| it.id);
    let newest = by_age.iter().map(|it| it.clock_seen()).max().unwrap_or(now);
    let is_plausible = now.duration_since(newest) <= LONGEST_PAUSE;
    let mut count = kept.len();
    let mut bytes = kept.iter().fold(0_u64, |sum, one| sum.saturating_add(one.bytes));
    let mut chosen = Vec::new();
    for candidate in by_age {
        let age = now.duration_since(candidate.last);
        let old = is_plausible
            && candidate.has_age()
            && retention
                .max_age
                .is_some_and(|most| SignedDuration::try_from(most).is_ok_and(|most| most < age));
        let is_latest = Some(candidate.id) == latest;
        let many =
            retention.max_sessions.is_some_and(|most| most < count && (most == 0 || !is_latest));
        let large =
            retention.max_total_bytes.is_some_and(|most| most < bytes && (most == 0 || !is_latest));
        let goes = match candidate.removable {
            Removable::Yes => old || many || large,
            Removable::ByAgeOnly => old,
            Removable::No => false,
        };
        if goes {
            count -= 1;
            bytes = bytes.saturating_sub(candidate.bytes);
            chosen.push(candidate.id);
        }
    }
    chosen
}

/// Every session as a candidate.
pub async fn candidates(
    journal: &dyn Journal,
    now: Timestamp,
) -> Result<Vec<RetentionCandidate>, JournalError> {
    let sizes = journal.disk_use().await?;
    let mut kept = Vec::new();
    for id in journal.list().await? {
        let candidate = match journal.summary(&id).await {
            Ok(summary) => RetentionCandidate::of(id, &summary, now),
            Err(JournalError::Unknown(_)) => continue, // somebody else removed it
            Err(JournalError::MissingSessionStart(_)) => RetentionCandidate::unbegun(id, now),
            // It counts as one, of a size that the record does not tell.
            Err(_) => RetentionCandidate { id, last: now, bytes: 0, removable: Removable::No },
        };
        let bytes = sizes.get(&id).copied().unwrap_or(candidate.bytes);
        kept.push(RetentionCandidate { bytes, ..candidate });
    }
    Ok(kept)
}

/// Removes the sessions beyond the limits, by [`Journal::remove`]. A session that somebody continues meanwhile stays,
/// as does one that cannot be removed; the others are removed all the same.
pub async fn prune(
    journal: &dyn Journal,
    retention: &Retention,
    now: Timestamp,
) -> Result<PruneReport, JournalError> {
    let mut report = PruneReport::default();
    if *retention == Retention::default() {
        return Ok(report);
    }
    let mut kept = candidates(journal, now).await?;
    // Whoever cannot be removed stays, and then it may be another's turn.
    loop {
        let chosen = select_for_removal(retention, now, &kept);
        if chosen.is_empty() {
            return Ok(report);
        }
        for id in chosen {
            let place = kept.iter().position(|one| one.id == id).expect("it was chosen among them");
            let removed = remove(journal, &kept[place], now).await;
            if removed {
                report.bytes = report.bytes.saturating_add(kept[place].bytes);
                report.removed.push(id);
                kept.swap_remove(place);
            } else {
                kept[place].removable = Removable::No;
            }
        }
    }
}

/// Whether the session has gone.
async fn remove(journal: &dyn Journal, candidate: &RetentionCandidate, now: Timestamp) -> bool {
    let id = &candidate.id;
    // Asked first, for the sake of journals that remove more than the record.
    if journal.is_locked(id).await.unwrap_or(true) {
        return false;
    }
    // The summary may be older than a damage that somebody may want to look into, or than a run that somebody has gone
    // on with since the choice was made: reading all the others may take a while.
    let mut summary = SummaryBuilder::new(*id);
    if journal.visit_compact(id, &mut |event| summary.apply(&event)).await.is_err() {
        return false;
    }
    let found = match summary.finish(0) {
        Ok(summary) => RetentionCandidate::of(*id, &summary, now),
        Err(_) => RetentionCandidate::unbegun(*id, now),
    };
    if (found.last, found.removable) != (candidate.last, candidate.removable) {
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

    fn candidate(last: i64, bytes: u64, removable: Removable) -> RetentionCandidate {
        RetentionCandidate { id: SessionId::new(), last: day(last), bytes, removable }
    }

    fn chosen(retention: Retention, kept: &[RetentionCandidate]) -> Vec<usize> {
        let place = |id| kept.iter().position(|one| one.id == id).unwrap();
        select_for_removal(&retention, day(100), kept).into_iter().map(place).collect()
    }

    #[test]
    fn bounds_are_put_in_words() {
        assert_eq!(Retention::default().in_words(), None);
        let retention = Retention {
            max_age: Some(Duration::from_hours(90 * 24)),
            max_sessions: Some(1000),
            max_total_bytes: Some(1 << 30),
        };
        assert_eq!(
            retention.in_words().unwrap(),
            "after 90 days, or beyond 1 GiB, or beyond 1000 sessions"
        );
        for (bytes, words) in [(0, "0 MiB"), (5 << 30, "5 GiB"), (1536 << 20, "1536 MiB")] {
            assert_eq!(size_in_words(bytes), words);
        }
    }

    #[test]
    fn a_session_that_alone_is_too_large_stays_while_it_is_the_latest() {
        let kept = [candidate(1, 10, Removable::Yes), candidate(2, 500, Removable::Yes)];
        let within = |most| Retention { max_total_bytes: Some(most), ..Retention::default() };
        assert_eq!(chosen(within(100), &kept), [0]);
        let newer = [kept[0], kept[1], candidate(3, 10, Removable::Yes)];
        assert_eq!(chosen(within(100), &newer), [0, 1]);
        assert_eq!(chosen(within(0), &kept), [0, 1], "nothing is to be kept");
    }

    #[test]
    fn the_latest_stays_however_many_wait_for_an_answer() {
        let kept = [
            candidate(0, 1, Removable::No),
            candidate(1, 1, Removable::No),
            candidate(2, 1, Removable::Yes),
            candidate(3, 1, Removable::Yes),
        ];
        let within = |most| Retention { max_sessions: Some(most), ..Retention::default() };
        assert_eq!(chosen(within(2), &kept), [2]);
        assert_eq!(chosen(within(0), &kept), [2, 3], "nothing is to be kept");
    }

    #[test]
    fn nothing_goes_without_a_limit() {
        let kept = [candidate(0, u64::MAX, Removable::Yes), candidate(1, u64::MAX, Removable::Yes)];
        assert!(chosen(Retention::default(), &kept).is_empty());
    }

    #[test]
    fn the_oldest_goes_first_and_no_more_than_must() {
        let kept = [
            candidate(30, 10, Removable::Yes),
            candidate(10, 10, Removable::Yes),
            candidate(20, 10, Removable::Yes),
            candidate(40, 10, Removable::Yes),
        ];
        let by = |max_sessions, max_total_bytes, max_age| {
            chosen(Retention { max_age, max_sessions, max_total_bytes }, &kept)
        };
        assert!(by(Some(4), None, None).is_empty());
        assert_eq!(by(Some(2), None, None), [1, 2]);
        assert_eq!(by(None, Some(39), None), [1]);
        assert_eq!(by(None, Some(0), None), [1, 2, 0, 3]);
        let days = |n: u64| Some(Duration::from_secs(n * 86_400));
        let kept = [kept.as_slice(), &[candidate(99, 0, Removable::No)]].concat();
        let by = |max_sessions, max_age| {
            chosen(Retention { max_age, max_sessions, max_total_bytes: None }, &kept)
        };
        assert_eq!(by(None, days(80)), [1]);
        assert_eq!(by(None, days(79)), [1, 2]);
        assert_eq!(by(Some(2), days(80)), [1, 2, 0]);
        assert!(by(None, Some(Duration::MAX)).is_empty());
    }

    #[test]
    fn a_clock_that_is_wrong_makes_nothing_old() {
        let month =
            Retention { max_age: Some(Duration::from_hours(30 * 24)), ..Retention::default() };
        // Ahead, at the start of the server and at that of the next session.
        let kept = [candidate(10, 1, Removable::Yes), candidate(69, 1, Removable::Yes)];
        assert!(chosen(month, &kept).is_empty());
        let with_latest = [kept[0], kept[1], candidate(99, 1, Removable::ByAgeOnly)];
        assert_eq!(chosen(month, &with_latest), [0, 1]);
        // It jumped while the latest was under way: that one says nothing of it.
        let began =
            uuid::Timestamp::from_unix(uuid::NoContext, day(60).as_second().unsigned_abs(), 0);
        let id = uuid::Uuid::new_v7(began).to_string().parse().unwrap();
        let across = RetentionCandidate { id, ..with_latest[2] };
        assert!(chosen(month, &[kept[0], kept[1], across]).is_empty());
        // Not set: 1973, and the same when it is set.
        let unset =
            RetentionCandidate { last: Timestamp::from_second(1 << 27).unwrap(), ..kept[0] };
        assert!(!unset.has_age() && kept[0].has_age());
        assert!(chosen(month, &[unset, with_latest[2]]).is_empty());
        let one = Retention { max_sessions: Some(1), ..Retention::default() };
        let three = [unset, kept[1], with_latest[2]];
        assert_eq!(chosen(one, &three), [0], "by their number it is the first");
    }

    #[test]
    fn what_waits_stays_and_what_died_goes_by_age_alone() {
        let kept = [
            candidate(0, 10, Removable::No),
            candidate(1, 10, Removable::ByAgeOnly),
            candidate(2, 10, Removable::Yes),
        ];
        let retention = Retention { max_sessions: Some(0), ..Retention::default() };
        assert_eq!(chosen(retention, &kept), [2]);
        let retention = Retention { max_age: Some(Duration::ZERO), ..Retention::default() };
        let here = [kept.as_slice(), &[candidate(99, 0, Removable::No)]].concat();
        assert_eq!(chosen(retention, &here), [1, 2]);
    }

    proptest! {
        #[test]
        fn the_limits_hold_as_far_as_they_may(
            kept in prop::collection::vec((0_i64..200, 0_u64..50, 0_usize..3), 0..20),
            most in 0_usize..20,
            bytes in 0_u64..500,
        ) {
            let holds = [Removable::Yes, Removable::ByAgeOnly, Removable::No];
            let kept: Vec<RetentionCandidate> = kept
                .into_iter()
                .map(|(last, bytes, removable)| candidate(last, bytes, holds[removable]))
                .collect();
            let retention =
                Retention { max_age: None, max_sessions: Some(most), max_total_bytes: Some(bytes) };
            let gone = select_for_removal(&retention, day(100), &kept);
            let left: Vec<_> = kept.iter().filter(|one| !gone.contains(&one.id)).collect();
            let may_go = kept.iter().filter(|one| one.removable == Removable::Yes);
            let latest = may_go.max_by_key(|one| (one.last, one.id)).map(|one| one.id);
            let closed = left.iter().filter(|one| one.removable == Removable::Yes);
            let older = closed.clone().filter(|one| Some(one.id) != latest).count();
            let few = left.len() <= most;
            let small = left.iter().map(|one| one.bytes).sum::<u64>() <= bytes;
            prop_assert!(few && small || older == 0);
            prop_assert!(few || 0 < most || closed.count() == 0);
            prop_assert!(kept.iter().all(|one| one.removable == Removable::Yes || !gone.contains(&one.id)));
        }
    }
}
