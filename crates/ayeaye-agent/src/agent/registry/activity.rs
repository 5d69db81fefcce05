//! What happens to the runs of each principal, in this server and in others.
use std::collections::HashMap;

use super::{Inner, RunRegistry};
use crate::coordinator::{RunEntry, RunKind};
use crate::{Principal, SessionId};

/// Most sessions of an owner that are remembered.
const MOST_SESSIONS: usize = 64;
/// Most owners that are remembered: the tokens of an issuer make as many as there are people.
const MOST_OWNERS: usize = 1000;

/// What has happened to a principal's runs, of all servers, since they are watched here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunActivity {
    /// Runs that have begun, and runs that have ended.
    pub count: u64,
    /// Sessions of which a run has begun, the oldest session first; of each owner at most the 64 whose first run began
    /// last. Each can be read.
    pub sessions: Vec<SessionId>,
}

impl RunActivity {
    pub(super) fn begin(&mut self, session: SessionId) {
        self.count += 1;
        if !self.sessions.contains(&session) {
            if self.sessions.len() == MOST_SESSIONS {
                self.sessions.remove(0);
            }
            self.sessions.push(session);
        }
    }
}

/// The activity of each owner. Whoever has had no run for the longest is forgotten when there are too many; to who
/// still looks, that is a change like any other.
#[derive(Default)]
pub(super) struct Activities {
    owners: HashMap<Principal, OwnerActivity>,
    /// How often anything has happened.
    happened: u64,
}

#[derive(Default)]
struct OwnerActivity {
    activity: RunActivity,
    /// When something has happened last, in numbers of `happened`.
    last: u64,
}

impl Activities {
    /// The activity of an owner, in which something happens now.
    pub(super) fn of(&mut self, owner: &Principal) -> &mut RunActivity {
        if MOST_OWNERS <= self.owners.len() && !self.owners.contains_key(owner) {
            let idlest = self.owners.iter().min_by_key(|(_, it)| it.last).map(|(it, _)| it.clone());
            idlest.map(|it| self.owners.remove(&it));
        }
        self.happened += 1;
        let its = self.owners.entry(owner.clone()).or_default();
        its.last = self.happened;
        &mut its.activity
    }
}

/// A run of another server, or a person's hold.
pub(super) struct ElsewhereRun {
    session: SessionId,
    owner: Principal,
    kind: RunKind,
}

impl RunRegistry {
    /// The activity of a principal's runs.
    pub(in crate::agent) fn activity(&self, principal: &Principal) -> RunActivity {
        let inner = self.lock();
        let mut all = RunActivity::default();
        for (_, one) in inner.activity.owners.iter().filter(|(owner, _)| principal.owns(owner)) {
            all.count += one.activity.count;
            all.sessions.extend(&one.activity.sessions);
        }
        // The order of owners in a map is no activity. Ids are in the order in which the sessions were made.
        all.sessions.sort_unstable();
        all
    }

    /// Whether a run is another server's, and has not been taken in.
    pub(in crate::agent) fn is_unseen(&self, run: &RunEntry) -> bool {
        let inner = self.lock();
        !inner.has(run) && !inner.elsewhere.contains_key(&run.epoch)
    }

    /// Takes in which runs other servers have. Whoever waits for changes is told of new and ended ones.
    /// False when nobody waits for changes any more.
    pub(in crate::agent) fn see_elsewhere(&self, runs: &[RunEntry]) -> bool {
        let inner = &mut *self.lock();
        let now: HashMap<u64, ElsewhereRun> = runs
            .iter()
            .filter(|run| !inner.has(run))
            .map(|run| (run.epoch, ElsewhereRun::of(run)))
            .collect();
        let begun = now.iter().filter(|(epoch, _)| !inner.elsewhere.contains_key(epoch));
        let ended = inner.elsewhere.iter().filter(|(epoch, _)| !now.contains_key(epoch));
        let begun = begun.map(|(_, run)| (run, true));
        let mut any = false;
        for (run, has_begun) in begun.chain(ended.map(|(_, run)| (run, false))) {
            any = true;
            // Nobody's session begins or ends when a person takes a phone in hand.
            if run.kind == RunKind::InHand {
                continue;
            }
            let its = inner.activity.of(&run.owner);
            if has_begun {
                its.begin(run.session);
            } else {
                its.count += 1;
            }
        }
        inner.elsewhere = now;
        if any {
            inner.changes.send_replace(());
        }
        inner.watched = 0 < inner.changes.receiver_count();
        inner.watched
    }
}

impl Inner {
    /// Whether a run is one of this server's. One that is registered and has not begun holds a phone already; a
    /// hold goes on beside its session's runs.
    fn has(&self, run: &RunEntry) -> bool {
        let holds = || self.leases.values().any(|holder| holder.session == run.session);
        self.live.values().any(|live| live.epoch == run.epoch)
            || (run.kind != RunKind::InHand && holds())
    }
}

impl ElsewhereRun {
    fn of(run: &RunEntry) -> Self {
        Self { session: run.session, owner: run.owner.clone(), kind: run.kind }
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::agent::registry::LeaseRequest;
    use crate::coordinator::RunState;
    use crate::{DeviceId, DeviceNames};

    fn entry(session: SessionId, epoch: u64) -> RunEntry {
        RunEntry {
            session,
            devices: vec![DeviceId::new("phone-1")],
            owner: Principal::local(),
            server: "here".to_owned(),
            epoch,
            kind: RunKind::Task,
            state: RunState::Running,
            queue_turn: 0,
        }
    }

    #[test]
    fn a_run_that_is_starting_here_is_no_other_servers() {
        let (runs, me) = (RunRegistry::default(), Principal::local());
        let _changes = runs.changes();
        let (mine, theirs) = (SessionId::new(), SessionId::new());
        let names = DeviceNames::only(DeviceId::new("phone-1"));
        let stop = runs.stop_before_begin(mine, &CancellationToken::new());
        let Ok(LeaseRequest::Granted(_lease)) = runs.lease(&names, &stop, &me, false) else {
            panic!("nobody has it")
        };
        assert!(runs.see_elsewhere(&[entry(mine, 1)]));
        assert_eq!(runs.activity(&me), RunActivity::default(), "it cannot be read yet");
        assert!(runs.see_elsewhere(&[entry(mine, 1), entry(theirs, 2)]));
        assert_eq!(runs.activity(&me), RunActivity { count: 1, sessions: vec![theirs] });
        assert!(runs.see_elsewhere(&[entry(mine, 1)]));
        assert_eq!(runs.activity(&me).count, 2, "it has ended");
    }

    #[test]
    fn who_has_had_no_run_for_long_is_forgotten() {
        let mut activities = Activities::default();
        let owner = |number: usize| Principal::new(format!("owner-{number}"));
        for number in 0..MOST_OWNERS {
            activities.of(&owner(number)).begin(SessionId::new());
        }
        activities.of(&owner(0)).count += 1;
        activities.of(&owner(MOST_OWNERS)).begin(SessionId::new());
        assert_eq!(activities.owners.len(), MOST_OWNERS);
        let is_known = |number| activities.owners.contains_key(&owner(number));
        assert!(is_known(0) && !is_known(1) && is_known(2) && is_known(MOST_OWNERS));
    }
}
