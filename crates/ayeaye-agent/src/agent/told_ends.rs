//! Which callers were told that a run goes on, and not yet how it has ended.
//!
//! A client that follows a run in several calls asks with the session alone, and a session whose run has stopped resumes
//! when it is asked like that. If the run was stopped between two of its calls, the next one would undo the stop, and
//! nobody who reads its result would learn of it. This is lost with the process.
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Agent;
use crate::run::LEFT_TO_CLIENT;
use crate::session::SessionPhase;
use crate::{Principal, Report, Session, SessionId, StopReason};

/// Most callers that are remembered; the oldest session's go first.
const MOST_FOLLOWING: usize = 1024;

/// The sessions of which a caller was told last that their run goes on.
#[derive(Debug, Default)]
pub(super) struct FollowedSessions(Mutex<BTreeSet<(SessionId, Principal)>>);

impl FollowedSessions {
    fn add(&self, session: SessionId, caller: Principal) {
        let mut following = self.lock();
        following.insert((session, caller));
        if MOST_FOLLOWING < following.len() {
            following.pop_first();
        }
    }

    fn remove(&self, session: SessionId, caller: Principal) {
        self.lock().remove(&(session, caller));
    }

    fn has(&self, session: SessionId, caller: Principal) -> bool {
        self.lock().contains(&(session, caller))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<(SessionId, Principal)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// A caller is given this of a session that it may follow: whether its run goes on, or how it has ended.
    pub fn note_followed(&self, report: &Report, caller: &Principal) {
        if report.stop_reason == StopReason::StillRunning {
            self.followed.add(report.session_id, caller.clone());
        } else {
            self.followed.remove(report.session_id, caller.clone());
        }
    }

    /// Whether a run has stopped since this caller was told that it goes on. An act of direct control ends that, whichever
    /// client it was: who acts in a session knows how it stands. That the server ended is no reason to stop.
    pub(super) fn owes_end(&self, session: &Session, caller: &Principal) -> bool {
        session.phase() == SessionPhase::Interrupted
            && session.stopped.as_ref().is_some_and(|(reason, message)| {
                *reason != StopReason::ServerRestarted && message != LEFT_TO_CLIENT
            })
            && self.followed.has(session.id, caller.clone())
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
        followed.add(sessions[0], anna());
        assert!(followed.has(sessions[0], anna()) && !followed.has(sessions[0], ben()));
        followed.remove(sessions[0], ben());
        assert!(followed.has(sessions[0], anna()));
        for session in &sessions {
            followed.add(*session, anna());
        }
        let forgotten = sessions.iter().filter(|it| !followed.has(**it, anna())).count();
        assert_eq!(forgotten, 1);
    }
}
