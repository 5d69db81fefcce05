//! Who runs what, as a table: the rules, without a place to keep it.
use super::{
    CoordinatorError, InboxMessageBody, MOST_RUNS, MOST_WAITING, NewRun, QueuePosition, RunEntry,
    RunKind, RunState,
};
use crate::{DeviceId, Principal, SessionId};

/// The runs of all servers. Whoever changes it has removed those whose process died.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunTable {
    /// The epoch of the last run that was registered.
    pub(super) last_epoch: u64,
    /// The earliest first.
    pub(super) runs: Vec<RunEntry>,
    /// The last turns that owners have had, as long as they count.
    pub(super) served: Vec<Served>,
}

/// The last turn that an owner has had on a phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Served {
    pub(super) owner: Principal,
    /// All names of the phone.
    pub(super) devices: Vec<DeviceId>,
    pub(super) queue_turn: u64,
}

/// Where a new run stands.
#[derive(Debug)]
pub(super) enum RunPlace {
    Running(RunEntry),
    Queued(RunEntry),
    Taken(RunEntry),
}

impl RunTable {
    pub(super) fn register(
        &mut self,
        run: NewRun,
        server: &str,
    ) -> Result<RunPlace, CoordinatorError> {
        let NewRun { session, devices, owner, kind, queue } = run;
        // What the same person has in hand already ends with this, and not before: they keep the phone.
        let ends_with_this = |it: &RunEntry| {
            (it.kind, kind) == (RunKind::InHand, RunKind::InHand)
                && it.owner == owner
                && it.server == server
                && it.wants_any_of(&devices)
        };
        let excludes = |it: &&RunEntry| excludes(it, session, kind) && !ends_with_this(it);
        if let Some(same) = self.runs.iter().find(excludes) {
            return Ok(RunPlace::Taken(same.clone()));
        }
        let is_own = |it: &RunEntry| it.session == session || ends_with_this(it);
        let has_it_already = self.runs.iter().find(|it| is_own(it) && it.has_any_of(&devices));
        let others = || self.runs.iter().filter(|it| !is_own(it) && it.wants_any_of(&devices));
        let first = match others().find(|it| it.has_any_of(&devices)) {
            // Those that wait go on waiting while the phone stays with its session.
            None if has_it_already.is_none() => others().next(),
            first => first,
        };
        let state = match first {
            None => RunState::Running,
            Some(_) if queue => RunState::Queued,
            Some(first) => return Ok(RunPlace::Taken(first.clone())),
        };
        if MOST_RUNS <= self.runs.len() {
            return Err(CoordinatorError::TooManyRuns);
        }
        // Those that run are bounded by the phones that there are.
        if state == RunState::Queued && MOST_WAITING <= self.waiting_of(&owner) {
            return Err(CoordinatorError::TooManyWaiting);
        }
        // What a session does while it has the phone is one turn.
        let same_turn =
            has_it_already.filter(|_| state == RunState::Running).map(|it| it.queue_turn);
        self.runs.retain(|it| !ends_with_this(it));
        self.forget_old_turns();
        let queue_turn = same_turn.unwrap_or_else(|| self.queue_turn_of(&owner, &devices));
        self.end_hold(session, kind);
        // The file of the table may say anything.
        self.last_epoch = self.last_epoch.saturating_add(1);
        let epoch = self.last_epoch;
        let server = server.to_owned();
        let entry = RunEntry { session, devices, owner, server, epoch, kind, state, queue_turn };
        self.runs.push(entry.clone());
        if state == RunState::Running {
            self.note_turn(&entry);
        }
        Ok(match state {
            RunState::Queued => RunPlace::Queued(entry),
            RunState::Running | RunState::Ending => RunPlace::Running(entry),
        })
    }

    pub(super) fn advance(&mut self, epoch: u64) -> Result<QueuePosition, CoordinatorError> {
        let own =
            self.runs.iter().find(|it| it.epoch == epoch).ok_or(CoordinatorError::RunEnded)?;
        if own.state != RunState::Queued {
            return Ok(QueuePosition::Yours);
        }
        let place = own.place_among(&self.runs);
        let is_in_the_way =
            |it: &RunEntry| it.session != own.session && it.has_any_of(&own.devices);
        if 1 < place || self.runs.iter().any(is_in_the_way) {
            return Ok(QueuePosition::Waiting { place });
        }
        let own = own.clone();
        self.end_hold(own.session, own.kind);
        self.set(epoch, RunState::Running);
        self.note_turn(&own);
        Ok(QueuePosition::Yours)
    }

    /// The turn in which a new run gets its phone: the first after those of its owner's other runs there, and after the
    /// last in which the owner had it. Others join the turn that is on, so that nobody waits for all that another has
    /// queued, and none who comes again and again passes over one who waits.
    fn queue_turn_of(&self, owner: &Principal, devices: &[DeviceId]) -> u64 {
        let there = self.runs.iter().filter(|it| it.wants_any_of(devices) && it.owner == *owner);
        let had = self.served.iter().filter(|it| it.owner == *owner && it.is_of(devices));
        let last = there.map(|it| it.queue_turn).chain(had.map(|it| it.queue_turn)).max();
        let next = last.map(|turn| turn.saturating_add(1));
        next.max(self.current_turn(devices)).unwrap_or_default()
    }

    /// The turn that is on.
    fn current_turn(&self, devices: &[DeviceId]) -> Option<u64> {
        self.runs.iter().filter(|it| it.wants_any_of(devices)).map(|it| it.queue_turn).min()
    }

    fn note_turn(&mut self, run: &RunEntry) {
        let RunEntry { owner, devices, queue_turn, .. } = run;
        self.served.retain(|it| it.owner != *owner || !it.is_of(devices));
        if !devices.is_empty() {
            self.served.push(Served {
                owner: owner.clone(),
                devices: devices.clone(),
                queue_turn: *queue_turn,
            });
        }
    }

    /// Turns before the one that is on count no more, and none does where nobody has the phone or waits for it.
    fn forget_old_turns(&mut self) {
        let mut served = std::mem::take(&mut self.served);
        served.retain(|it| self.current_turn(&it.devices).is_some_and(|on| on <= it.queue_turn));
        self.served = served;
    }

    fn waiting_of(&self, owner: &Principal) -> usize {
        let waits = |it: &&RunEntry| it.state == RunState::Queued && it.owner == *owner;
        self.runs.iter().filter(waits).count()
    }

    /// A task of a session takes the phone out of the person's hand.
    fn end_hold(&mut self, session: SessionId, by: RunKind) {
        if by == RunKind::Task {
            self.runs.retain(|it| it.session != session || it.kind != RunKind::InHand);
        }
    }

    pub(super) fn close_inbox(&mut self, epoch: u64) {
        self.set(epoch, RunState::Ending);
    }

    /// Whether the run takes this. One that ends reads no more words, which would be lost, but can be told to stop:
    /// its end may take minutes.
    pub(super) fn takes(&self, epoch: u64, body: &InboxMessageBody) -> bool {
        let takes = |state: RunState| match body {
            InboxMessageBody::Reply(_) => state != RunState::Ending,
            InboxMessageBody::Stop { .. } | InboxMessageBody::Policy(_) => true,
        };
        self.runs.iter().any(|it| it.epoch == epoch && takes(it.state))
    }

    fn set(&mut self, epoch: u64, state: RunState) {
        if let Some(run) = self.runs.iter_mut().find(|it| it.epoch == epoch) {
            run.state = state;
        }
    }
}

impl Served {
    fn is_of(&self, devices: &[DeviceId]) -> bool {
        self.devices.iter().any(|device| devices.contains(device))
    }
}

/// Whether a session that has `run` cannot have another of this kind: it has one at a time, and one hold of a person
/// beside it.
fn excludes(run: &RunEntry, session: SessionId, kind: RunKind) -> bool {
    let is_in_hand = |kind: RunKind| kind == RunKind::InHand;
    run.session == session && is_in_hand(run.kind) == is_in_hand(kind)
}
