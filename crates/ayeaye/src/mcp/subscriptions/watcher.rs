//! What one client is notified of, and when.
use std::collections::HashMap;
use std::time::Duration;

use ayeaye_agent::{Agent, Follower, Principal, RunActivity, SessionId};
use futures::future::{pending, select_all};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::mcp::address::Address;

/// The least time between two notifications of one URI. A client that reads slowly blocks everything
/// that is sent to it.
pub(super) const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// How old the name of a session may be that is news: it is made before a phone is had, and a client is told that it
/// is subscribed before it is watched for.
const RECENT: SignedDuration = SignedDuration::from_secs(10);

/// A notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceChange {
    /// The content of a URI has changed.
    Updated(Address),
    /// There is a new session.
    List,
}

/// Follows the runs that a client has subscribed to. It owns none of them and does not affect them.
#[derive(Debug)]
pub(super) struct Watcher {
    principal: Principal,
    /// Changes when any run begins or ends; `activity` tells whether it was one of the principal's.
    changes: watch::Receiver<()>,
    activity: RunActivity,
    addresses: HashMap<Address, Throttle>,
    /// The active runs of the watched sessions.
    runs: HashMap<SessionId, Follower>,
    /// Runs are to be looked for: one may have begun.
    look: bool,
    /// Set when new sessions are to be notified.
    list: Option<List>,
}

/// When a URI was notified last, and whether another notification is due.
#[derive(Debug, Default)]
struct Throttle {
    last: Option<Instant>,
    stale: bool,
}

#[derive(Debug)]
struct List {
    /// Sessions that are no news. One of an older name may begin later: it has waited for its phone.
    known: Vec<SessionId>,
    /// Names from before are no news: servers hear of each other's runs late.
    since: Option<Timestamp>,
    throttle: Throttle,
}

impl List {
    /// From now on, where these sessions have begun.
    fn after(known: Vec<SessionId>) -> Self {
        let now = SessionId::new().created();
        Self { known, since: now.map(|now| now - RECENT), throttle: Throttle::default() }
    }

    fn is_recent(&self, session: SessionId) -> bool {
        self.since <= session.created()
    }

    fn is_news(&self, session: SessionId) -> bool {
        !self.known.contains(&session) && self.is_recent(session)
    }
}

impl Throttle {
    /// When the next notification may be sent, if there is one.
    fn due(&self) -> Option<Instant> {
        self.stale.then(|| self.last.map_or_else(Instant::now, |last| last + LEAST_PAUSE))
    }

    /// Whether the notification is due; it then counts as sent.
    fn take(&mut self, now: Instant) -> bool {
        let due = self.stale && self.last.is_none_or(|last| last + LEAST_PAUSE <= now);
        if due {
            *self = Self { last: Some(now), stale: false };
        }
        due
    }
}

impl Watcher {
    pub(super) fn new(agent: &Agent, principal: Principal) -> Self {
        let changes = agent.changes();
        let activity = agent.activity(&principal);
        let (addresses, runs) = (HashMap::new(), HashMap::new());
        Self { principal, changes, activity, addresses, runs, look: false, list: None }
    }

    /// Notifies of new sessions, too.
    pub(super) fn watch_list(&mut self) {
        self.list.get_or_insert_with(|| List::after(self.activity.sessions.clone()));
    }

    /// Watches these URIs and no others.
    pub(super) fn watch(&mut self, addresses: &[Address]) {
        self.addresses.retain(|address, _| addresses.contains(address));
        for address in addresses {
            self.addresses.entry(*address).or_default();
        }
        let sessions: Vec<_> = self.addresses.keys().filter_map(|it| it.session()).collect();
        self.runs.retain(|session, _| sessions.contains(session));
        self.look = true;
    }

    /// Treats everything as changed that may have changed since the client was told that it is subscribed: rmcp tells
    /// it before it hands the request on.
    pub(super) fn catch_up(&mut self) {
        self.mark_stale(|_| true);
        if let Some(list) = &mut self.list
            && list.known.iter().any(|session| list.is_recent(*session))
        {
            // Not at once: a client that subscribes anew when it is told so does that once a second at most.
            list.throttle = Throttle { last: Some(Instant::now()), stale: true };
        }
    }

    /// Waits for the next notification. Cancel safe.
    pub(super) async fn next(&mut self, agent: &Agent) -> ResourceChange {
        loop {
            if self.look {
                self.find_runs(agent).await;
                self.look = false;
            }
            let now = Instant::now();
            if let Some(change) = self.take(now) {
                return change;
            }
            let due = self.due();
            let timer = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                changed = self.changes.changed() => {
                    if changed.is_err() {
                        // The agent is gone: nothing can change any more.
                        pending::<()>().await;
                    }
                    self.changed(agent);
                }
                (session, more) = news(&mut self.runs) => self.heard(session, more),
                () = timer => {}
            }
        }
    }

    fn take(&mut self, now: Instant) -> Option<ResourceChange> {
        if self.list.as_mut().is_some_and(|list| list.throttle.take(now)) {
            return Some(ResourceChange::List);
        }
        let mut addresses = self.addresses.iter_mut();
        addresses.find_map(|(address, throttle)| {
            throttle.take(now).then_some(ResourceChange::Updated(*address))
        })
    }

    fn due(&self) -> Option<Instant> {
        let list = self.list.iter().filter_map(|list| list.throttle.due());
        self.addresses.values().filter_map(Throttle::due).chain(list).min()
    }

    /// Marks what a change or the end of a run affects.
    fn heard(&mut self, session: SessionId, more: bool) {
        let steps = self.runs.get(&session).map_or(0, |run| run.report().global_steps);
        self.mark_stale(|address| match *address {
            Address::Sessions | Address::Devices => false,
            Address::Session(id) | Address::Steps(id) => id == session,
            // The report is rendered at each read, and people read it when the run has stopped.
            Address::Report(id) | Address::PicturedReport(id) => id == session && !more,
            // Earlier steps do not change.
            Address::Step(id, step) | Address::Screenshot(id, step) => {
                id == session && steps <= step.saturating_add(1)
            }
        });
        if !more {
            self.runs.remove(&session);
            self.look = true;
        }
    }

    /// Follows runs of watched sessions that have begun, in whichever server. What it has found is kept when it
    /// is cancelled.
    async fn find_runs(&mut self, agent: &Agent) {
        let sessions: Vec<_> = self.addresses.keys().filter_map(|it| it.session()).collect();
        for session in sessions {
            if self.runs.contains_key(&session) {
                continue;
            }
            if let Some(follower) = agent.follow(session, &self.principal).await {
                self.runs.insert(session, follower);
                self.mark_stale(|address| {
                    matches!(*address, Address::Session(id) | Address::Steps(id) if id == session)
                });
            }
        }
    }

    /// A run has begun or ended. Those of other principals are ignored.
    fn changed(&mut self, agent: &Agent) {
        let activity = agent.activity(&self.principal);
        if activity == self.activity {
            return;
        }
        self.activity = activity;
        self.look = true;
        self.mark_stale(|address| *address == Address::Sessions);
        if let Some(list) = &mut self.list {
            let sessions = &self.activity.sessions;
            list.throttle.stale |= sessions.iter().any(|session| list.is_news(*session));
            list.known.clone_from(sessions);
        }
    }

    fn mark_stale(&mut self, is_meant: impl Fn(&Address) -> bool) {
        for (address, throttle) in &mut self.addresses {
            throttle.stale |= is_meant(address);
        }
    }
}

/// Waits for a change of any of the runs; false when there will be no more.
async fn news(runs: &mut HashMap<SessionId, Follower>) -> (SessionId, bool) {
    if runs.is_empty() {
        return pending().await;
    }
    let each = runs.iter_mut().map(|(session, follower)| {
        Box::pin(async move {
            let more = follower.changed().await;
            (*session, more && follower.running())
        })
    });
    select_all(each).await.0
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[test]
    fn a_session_that_was_being_started_is_news_and_one_of_long_ago_is_not() {
        let (first, second) = (SessionId::new(), SessionId::new());
        let list = List::after(Vec::new());
        assert!(list.is_news(first), "its name is older than the list, and it has begun after it");
        let list = List::after(vec![first]);
        assert!(!list.is_news(first) && list.is_news(second));
        assert!(List::after(vec![second]).is_news(first), "it has waited for its phone meanwhile");
        // Of 2023.
        let old = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        assert!(!List::after(Vec::new()).is_news(old));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_is_told_of_at_once_and_then_once_a_second() {
        let mut throttle = Throttle { last: None, stale: true };
        assert!(throttle.take(Instant::now()), "at once");
        assert_eq!((throttle.take(Instant::now()), throttle.due()), (false, None), "nothing new");
        throttle.stale = true;
        advance(LEAST_PAUSE / 2).await;
        assert!(!throttle.take(Instant::now()), "too early");
        assert_eq!(throttle.due(), Some(Instant::now() + LEAST_PAUSE / 2));
        advance(LEAST_PAUSE / 2).await;
        assert!(throttle.take(Instant::now()));
    }
}
