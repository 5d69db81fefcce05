//! Which callers were told that a run goes on, and not yet how it has ended.
//!
//! A client that follows a run in several calls asks with the session alone, and a session whose run has stopped resumes
//! when it is asked like that. If the run was stopped between two of its calls, the next one would undo the stop, and
//! nobody who reads its result would learn of it. This is lost with the process.
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Agent;
use super::recent_map::RecentMap;
use crate::run::LEFT_TO_CLIENT;
use crate::session::SessionPhase;
use crate::{ContinueTask, Principal, Report, Session, SessionId, StopReason};

/// Most callers that are remembered; those that were told longest ago go first.
const MOST_FOLLOWING: usize = 1024;
/// Most connections of one caller that are remembered of a session; those that were told longest ago go first.
const MOST_CONNECTIONS: usize = 8;

/// Who was told that the run of a session goes on, and whether they have been told the end since.
#[derive(Debug, Default)]
pub(super) struct FollowedSessions(Mutex<FollowersOf>);

type FollowersOf = RecentMap<(SessionId, Principal), Followers, MOST_FOLLOWING>;

/// The connections of a caller that have read how a session stands, the latest last, and whether each is yet to be told
/// how it has ended: clients that share a token may follow it side by side, and what stops it is told to each of them.
#[derive(Debug, Default)]
struct Followers(VecDeque<(Option<String>, bool)>);

impl Followers {
    /// A connection has read how the run stands.
    fn note(&mut self, connection: Option<String>, owes_end: bool) {
        self.0.retain(|(known, _)| *known != connection);
        self.0.push_back((connection, owes_end));
        if MOST_CONNECTIONS < self.0.len() {
            let least = self.0.iter().position(|(_, owes_end)| !owes_end).unwrap_or_default();
            self.0.remove(least);
        }
    }

    /// A connection asks how the run stands: whether it is to be told the end before anything goes on. One that is not
    /// known counts from now on as that of the client which has waited longest, connected anew: some do so for each call.
    fn asked_by(&mut self, connection: Option<&str>) -> bool {
        if let Some((_, owes_end)) = self.0.iter().find(|(known, _)| known.as_deref() == connection)
        {
            return *owes_end;
        }
        let Some((longest, _)) = self.0.iter_mut().find(|(_, owes_end)| *owes_end) else {
            return false;
        };
        *longest = connection.map(str::to_owned);
        true
    }

    fn owe_any(&self) -> bool {
        self.0.iter().any(|(_, owes_end)| *owes_end)
    }
}

impl FollowedSessions {
    fn note(
        &self,
        session: SessionId,
        caller: Principal,
        connection: Option<String>,
        goes_on: bool,
    ) {
        let (mut sessions, key) = (self.lock(), (session, caller));
        let mut followers = sessions.take(&key).unwrap_or_default();
        followers.note(connection, goes_on);
        if followers.owe_any() {
            sessions.put(key, followers);
        }
    }

    /// See [`Followers::asked_by`].
    fn asked_by(&self, session: SessionId, caller: Principal, connection: Option<&str>) -> bool {
        self.lock().get_mut(&(session, caller)).is_some_and(|it| it.asked_by(connection))
    }

    fn lock(&self) -> MutexGuard<'_, FollowersOf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// A caller is given this of a session that it may follow, by one of its connections where these are told apart:
    /// whether its run goes on, or how it has ended.
    pub fn note_followed(&self, report: &Report, caller: &Principal, connection: Option<String>) {
        let goes_on = report.stop_reason == StopReason::StillRunning;
        self.followed.note(report.session_id, caller.clone(), connection, goes_on);
    }

    /// Whether a run has stopped since whoever asks was told that it goes on. An act of direct control by a client ends that,
    /// whichever it was: who acts in a session knows how it stands. That the server ended is no reason to stop.
    pub(super) fn owes_end(&self, session: &Session, next: &ContinueTask) -> bool {
        session.phase() == SessionPhase::Interrupted
            && session.stopped.as_ref().is_some_and(|(reason, message)| {
                *reason != StopReason::ServerRestarted && message != LEFT_TO_CLIENT
            })
            && self.followed.asked_by(
                session.id,
                next.principal.clone(),
                next.connection.as_deref(),
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_remembered_each_for_itself() {
        let followed = FollowedSessions::default();
        let (anna, ben) = (|| Principal::new("anna"), || Principal::new("ben"));
        let sessions: Vec<_> = (0..=MOST_FOLLOWING).map(|_| SessionId::new()).collect();
        followed.note(sessions[0], anna(), None, true);
        assert!(followed.asked_by(sessions[0], anna(), None));
        assert!(!followed.asked_by(sessions[0], ben(), None));
        followed.note(sessions[0], ben(), None, false);
        assert!(followed.asked_by(sessions[0], anna(), None));
        for session in sessions.iter().rev() {
            followed.note(*session, anna(), None, true);
            assert!(followed.asked_by(*session, anna(), None), "also of an old session");
        }
        let owed = sessions.iter().filter(|it| followed.asked_by(**it, anna(), None)).count();
        assert_eq!(owed, MOST_FOLLOWING);
    }

    #[test]
    fn each_connection_is_told_for_itself_and_one_that_is_new_as_the_one_before() {
        let mut followers = Followers::default();
        let named = |name: &str| Some(name.to_owned());
        followers.note(named("one"), true);
        followers.note(named("other"), false);
        assert!(followers.asked_by(Some("one")) && !followers.asked_by(Some("other")));
        // The first, connected anew, and once more for its next call.
        assert!(followers.asked_by(Some("new")));
        followers.note(named("new"), false);
        assert!(!followers.asked_by(Some("new")) && !followers.asked_by(Some("newer")));
    }

    #[test]
    fn of_many_connections_those_that_know_the_end_are_forgotten_first() {
        let mut followers = Followers::default();
        followers.note(Some("waits".to_owned()), true);
        for number in 0..2 * MOST_CONNECTIONS {
            followers.note(Some(number.to_string()), false);
        }
        assert_eq!(followers.0.len(), MOST_CONNECTIONS);
        assert!(followers.asked_by(Some("waits")));
    }
}
