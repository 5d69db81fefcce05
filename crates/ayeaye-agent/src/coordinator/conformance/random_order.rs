//! Random orders of everything that servers do, beside a simple model of what has to come of them.
use std::collections::HashMap;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Store, granted, in_hand, run, say, stop};
use crate::SessionId;
use crate::coordinator::{
    Coordinator, CoordinatorError, InboxMessageBody, InboxMessageId, QueuePosition, Registered,
    Registration, RunEntry, RunKind, RunState,
};

/// So many random orders of everything that servers do, and of their deaths: no phone and no session has two
/// runs, a queue keeps its order, and every message has its effect once.
pub(crate) async fn bears_any_order(store: &Store<'_>, seeds: std::ops::Range<u64>) {
    let servers = [(store.server)(), (store.server)(), (store.server)()];
    for seed in seeds {
        let mut order = RandomOrder {
            random: StdRng::seed_from_u64(seed),
            servers: &servers,
            sessions: [(store.session)(), (store.session)(), (store.session)()],
            runs: Vec::new(),
            sent: HashMap::new(),
            records: HashMap::new(),
        };
        for nth in 0..21 {
            order.step().await;
            if nth % 3 == 0 {
                order.check_runs().await;
            }
        }
        order.check_end().await;
    }
}

struct RandomOrder<'a> {
    random: StdRng,
    servers: &'a [Arc<dyn Coordinator>],
    sessions: [SessionId; 3],
    runs: Vec<LiveRun>,
    /// What was sent to each session and accepted.
    sent: HashMap<SessionId, Vec<InboxMessageId>>,
    /// What the record of each session has.
    records: HashMap<SessionId, Vec<InboxMessageId>>,
}

struct LiveRun {
    registration: Registration,
    state: RunState,
}

impl RandomOrder<'_> {
    fn below(&mut self, most: usize) -> usize {
        self.random.random_range(0..most)
    }

    fn server(&mut self) -> Arc<dyn Coordinator> {
        self.servers[self.below(self.servers.len())].clone()
    }

    async fn step(&mut self) {
        match self.below(8) {
            0 | 1 => self.register().await,
            2 => self.die(),
            3 => self.advance().await,
            4 | 5 => self.send().await,
            6 => self.take().await,
            _ => self.close().await,
        }
    }

    async fn check_runs(&mut self) {
        let expected: Vec<_> =
            self.runs.iter().map(|it| (it.registration.entry.epoch, it.state)).collect();
        let runs = self.server().runs().await.unwrap();
        let found: Vec<_> = runs.iter().map(|it| (it.epoch, it.state)).collect();
        assert_eq!(found, expected);
    }

    async fn register(&mut self) {
        let session = self.sessions[self.below(3)];
        let names = [&["a"][..], &["b"], &["a", "c"], &["c"]][self.below(4)];
        let wanted = match self.below(4) {
            0 => in_hand(session, names),
            _ => run(session, names, self.below(2) == 0),
        };
        let (kind, server) = (wanted.kind, self.server());
        let hold_before: Vec<_> = self
            .runs
            .iter()
            .map(|it| &it.registration.entry)
            .filter(|it| (it.kind, kind) == (RunKind::InHand, RunKind::InHand))
            .filter(|it| it.server == server.server() && it.wants_any_of(&wanted.devices))
            .map(|it| it.epoch)
            .collect();
        let ends = |it: &LiveRun| hold_before.contains(&it.registration.entry.epoch);
        let own = |it: &&LiveRun| it.registration.entry.session == session || ends(it);
        let wants = |it: &&LiveRun| it.registration.entry.wants_any_of(&wanted.devices);
        let has = |it: &&LiveRun| it.state != RunState::Queued;
        let mut same = self.runs.iter().filter(|it| own(it) && !ends(it));
        let taken = same.any(|it| it.registration.entry.kind == kind);
        let has_it = self.runs.iter().filter(own).filter(wants).any(|it| has(&it));
        let mut others = self.runs.iter().filter(wants).filter(|it| !own(it));
        let busy = others.any(|it| !has_it || has(&it));
        let queue = wanted.queue;
        let (registration, state) = match server.register(wanted).await.unwrap() {
            Registered::Granted(registration) if !taken && !busy => {
                (registration, RunState::Running)
            }
            Registered::Queued(registration) if !taken && busy && queue => {
                (registration, RunState::Queued)
            }
            Registered::Taken(_) if taken || busy && !queue => return,
            other => panic!("session taken: {taken}, phone: {busy}, queues: {queue}; {other:?}"),
        };
        self.runs.retain(|it| !ends(it));
        self.end_hold(&registration.entry);
        self.runs.push(LiveRun { registration, state });
    }

    fn end_hold(&mut self, by: &RunEntry) {
        if by.kind == RunKind::Task {
            let entry = |it: &LiveRun| it.registration.entry.clone();
            self.runs
                .retain(|it| entry(it).session != by.session || entry(it).kind != RunKind::InHand);
        }
    }

    /// A run ends, or its process dies: nobody can tell.
    fn die(&mut self) {
        if !self.runs.is_empty() {
            let nth = self.below(self.runs.len());
            self.runs.remove(nth);
        }
    }

    async fn advance(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let nth = self.below(self.runs.len());
        let own = &self.runs[nth].registration.entry;
        let waits = self.runs[nth].state == RunState::Queued;
        let own = own.clone();
        let before = self.runs.iter().enumerate().filter(|(other, it)| {
            let entry = &it.registration.entry;
            let wants = entry.session != own.session && entry.wants_any_of(&own.devices);
            wants && (it.state != RunState::Queued || *other < nth)
        });
        let free = before.count() == 0;
        match self.server().advance(own.epoch).await.unwrap() {
            QueuePosition::Yours if !waits => {}
            QueuePosition::Yours if free => {
                self.runs[nth].state = RunState::Running;
                self.end_hold(&own);
            }
            QueuePosition::Waiting { place } if waits && !free && 0 < place => {}
            other => panic!("waits: {waits}, free: {free}; {other:?}"),
        }
    }

    async fn send(&mut self) {
        let to_run = self.below(2) == 0 && !self.runs.is_empty();
        let is_stop = self.below(3) == 0;
        let (session, run, takes) = if to_run {
            let nth = self.below(self.runs.len());
            let run = &self.runs[nth];
            let entry = &run.registration.entry;
            (entry.session, Some(entry.epoch), is_stop || run.state != RunState::Ending)
        } else {
            (self.sessions[self.below(3)], None, true)
        };
        let message = if is_stop { stop(run.unwrap_or_default()) } else { say("words") };
        // The same word to stop is left once.
        let is_stop = matches!(message.body, InboxMessageBody::Stop { .. });
        let waiting = self.server().inbox(session).await.unwrap();
        let repeats = is_stop && waiting.iter().any(|it| it.body == message.body);
        match self.server().send(session, &message, run).await {
            Ok(()) if takes && repeats => {}
            Ok(()) if takes => self.sent.entry(session).or_default().push(message.id),
            Err(CoordinatorError::RunEnded) if !takes => {}
            other => panic!("takes messages: {takes}; {other:?}"),
        }
    }

    /// A run takes what it finds; its process may die between the record and the acknowledgement.
    async fn take(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let nth = self.below(self.runs.len());
        let session = self.runs[nth].registration.entry.session;
        let server = self.server();
        let dies = self.below(3) == 0;
        for message in server.inbox(session).await.unwrap() {
            let record = self.records.entry(session).or_default();
            if !record.contains(&message.id) {
                record.push(message.id);
            }
            if dies {
                self.runs.remove(nth);
                return;
            }
            server.acknowledge(session, message.id).await.unwrap();
        }
    }

    async fn close(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let nth = self.below(self.runs.len());
        let run = &mut self.runs[nth];
        // Only one that has its phone comes to an end by itself.
        if run.state != RunState::Queued {
            run.state = RunState::Ending;
            let epoch = run.registration.entry.epoch;
            self.server().close_inbox(epoch).await.unwrap();
        }
    }

    /// Whoever comes next takes what is left: nothing is lost, nothing had its effect twice.
    async fn check_end(&mut self) {
        self.runs.clear();
        let server = self.server();
        for session in self.sessions {
            let _run = granted(&*server, run(session, &["a"], false)).await;
            for message in server.inbox(session).await.unwrap() {
                let record = self.records.entry(session).or_default();
                if !record.contains(&message.id) {
                    record.push(message.id);
                }
                server.acknowledge(session, message.id).await.unwrap();
            }
            assert_eq!(server.inbox(session).await.unwrap(), []);
            assert_eq!(self.records.get(&session), self.sent.get(&session));
        }
    }
}
