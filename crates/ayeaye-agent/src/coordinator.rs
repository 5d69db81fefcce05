//! The seam between the servers of one store: who runs which session, what is left for a session to read,
//! and a wake-up for whoever waits.
//!
//! Every client starts a server of its own, and all of them may reach the same sessions. A run registers
//! here before it drives a phone; whoever wants something from it leaves a message in its session's inbox.
//! The record stays the only truth about a session: what is kept here is who is at work now, and what
//! nobody has read yet. Nothing here says where servers are: an implementation may keep it in files, in
//! memory, or in a database that many hosts share.
#[cfg(test)]
pub(crate) mod conformance;
mod files;
mod memory;
mod message;
mod news;
mod table;

use std::fmt;

use async_trait::async_trait;
use tokio::sync::broadcast;

pub use files::FileCoordinator;
pub use memory::{MemoryCoordinator, MemoryStore};
pub use message::{InboxMessage, InboxMessageBody, InboxMessageId, UserReply};
pub(crate) use news::News;

use crate::{DeviceId, Principal, SessionId};

/// Most runs that are registered at a time, those that wait for a phone included.
pub const MOST_RUNS: usize = 512;
/// Most runs of one owner that wait for a phone.
pub const MOST_WAITING: usize = 64;
/// Most messages of one session that nobody has taken.
pub const MOST_MESSAGES: usize = 64;
/// Most bytes of a reply.
pub const LONGEST_REPLY: usize = 64 << 10;

/// Why something could not be arranged between servers.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The run is over, is about to end, or never was: it does not take the message.
    #[error("the run has ended")]
    RunEnded,
    /// There is no such session.
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    /// Nobody takes the session's messages.
    #[error("session {0} has {MOST_MESSAGES} messages that were not taken")]
    InboxFull(SessionId),
    /// A reply is too long to be left.
    #[error("a reply has at most {LONGEST_REPLY} bytes")]
    TooLong,
    /// Too many runs.
    #[error(
        "{MOST_RUNS} runs are at work or wait for a phone: stop one of yours, or wait for the end of another"
    )]
    TooManyRuns,
    /// Too many runs of one owner wait.
    #[error("{MOST_WAITING} of your tasks wait for a phone: stop one first, or wait for its end")]
    TooManyWaiting,
    /// What is shared could not be read or written.
    #[error("cannot use {what}: {source}")]
    Storage {
        /// What was read or written, and where.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What kind of run it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// The agent carries out a task.
    Task,
    /// One act, which takes seconds: others wait for its end.
    Act,
    /// A person has the phone in the hand, between their acts too. The runs of the same session are not kept from
    /// it; a task among them ends this.
    InHand,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It waits for its phone.
    Queued,
    /// It has its phone.
    Running,
    /// It takes no more messages but the word to stop.
    Ending,
}

/// A run that wants to be registered.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The session.
    pub session: SessionId,
    /// All names of the phone. A run without any has a phone that no other server reaches.
    pub devices: Vec<DeviceId>,
    /// Whose the session is.
    pub owner: Principal,
    /// What kind it is.
    pub kind: RunKind,
    /// Whether it waits where the phone is taken.
    pub queue: bool,
}

/// A run of whichever server, which was alive a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEntry {
    /// The session.
    pub session: SessionId,
    /// All names of the phone.
    pub devices: Vec<DeviceId>,
    /// Whose the session is.
    pub owner: Principal,
    /// The server that runs it.
    pub server: String,
    /// Greater than that of every run that was registered before, of any session.
    pub epoch: u64,
    /// What kind it is.
    pub kind: RunKind,
    /// How far it is.
    pub state: RunState,
    /// In which of the queue's turns it gets its phone: in each, every owner has the phone once.
    pub queue_turn: u64,
}

impl RunEntry {
    /// When it gets its phone, before those with a greater one.
    pub fn place_in_line(&self) -> (u64, u64) {
        (self.queue_turn, self.epoch)
    }

    /// Its place among those of all runs that wait for its phone: 1 for the one that is next.
    pub fn place_among(&self, runs: &[Self]) -> u32 {
        let is_ahead = |it: &Self| {
            it.state == RunState::Queued
                && it.place_in_line() < self.place_in_line()
                && it.wants_any_of(&self.devices)
        };
        runs.iter().filter(|it| is_ahead(it)).fold(1, |place, _| place + 1)
    }

    /// Whether it has this phone.
    pub fn has_any_of(&self, devices: &[DeviceId]) -> bool {
        self.state != RunState::Queued && self.wants_any_of(devices)
    }

    /// Whether it has this phone, or waits for it.
    pub fn wants_any_of(&self, devices: &[DeviceId]) -> bool {
        self.devices.iter().any(|device| devices.contains(device))
    }
}

/// A registered run: it is one until this is dropped or the process dies.
pub struct Registration {
    /// What others see, as it was at the time.
    pub entry: RunEntry,
    /// Ends the registration when it is dropped.
    pub guard: Box<dyn Send + Sync>,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.entry).finish()
    }
}

/// What comes of asking to run.
#[derive(Debug)]
pub enum Registered {
    /// It runs, and has its phone.
    Granted(Registration),
    /// It waits for its phone: [`Coordinator::advance`] says when it has it.
    Queued(Registration),
    /// The session has a run already, or this run has the phone or waits for it first.
    Taken(RunEntry),
}

/// Where a run stands that waits for its phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueuePosition {
    /// It has its phone from now on.
    Yours,
    /// It waits.
    Waiting {
        /// 1 for the one that is next.
        place: u32,
    },
}

/// What the servers of one store know of each other.
///
/// All of it is decided in one order: of two servers that ask for the same, one is first. Every call ends
/// by itself.
#[async_trait]
pub trait Coordinator: Send + Sync + fmt::Debug {
    /// What other servers call this one.
    fn server(&self) -> &str;
    /// Registers a run, unless its session has one or its phone is taken: a phone is taken by the run that
    /// has it and by those that wait for it. A person is granted it while a run of its own session has the phone,
    /// before those that wait, and then the phone is free for that session only; it ends when a task of that
    /// session is registered, or when the same person takes the phone through the same server once more.
    async fn register(&self, run: NewRun) -> Result<Registered, CoordinatorError>;
    /// Gives a run that waits its phone when that is free and it is its turn: owners take turns, and the runs of each
    /// come in their order.
    async fn advance(&self, epoch: u64) -> Result<QueuePosition, CoordinatorError>;
    /// Takes no more replies for a run: from here on [`send`](Self::send) of one to it fails, and its inbox has all
    /// that were sent before. It takes the word to stop until it is over.
    async fn close_inbox(&self, epoch: u64) -> Result<(), CoordinatorError>;
    /// Every run that is alive, the earliest first.
    async fn runs(&self) -> Result<Vec<RunEntry>, CoordinatorError>;
    /// The run of a session, if one is alive. A person who has its phone in the hand is none.
    async fn run_of(&self, session: SessionId) -> Result<Option<RunEntry>, CoordinatorError> {
        let is_its = |run: &RunEntry| run.session == session && run.kind != RunKind::InHand;
        Ok(self.runs().await?.into_iter().find(is_its))
    }
    /// Leaves a message behind the others of a session. It is kept for good when this returns, until
    /// somebody acknowledges it. With `run` it is left only if that run still takes it.
    async fn send(
        &self,
        session: SessionId,
        message: &InboxMessage,
        run: Option<u64>,
    ) -> Result<(), CoordinatorError>;
    /// The messages of a session that nobody has acknowledged, in the order in which they were sent.
    async fn inbox(&self, session: SessionId) -> Result<Vec<InboxMessage>, CoordinatorError>;
    /// Removes a message, after its effect is in the record. One that is not there is no error.
    async fn acknowledge(
        &self,
        session: SessionId,
        id: InboxMessageId,
    ) -> Result<(), CoordinatorError>;
    /// Wakes whoever waits for news of a session, in all servers. It may be lost, and never waits.
    fn wake(&self, session: SessionId);
    /// The sessions of which there is news. Some may be missing: reading is the truth, so look now and then.
    fn wakeups(&self) -> broadcast::Receiver<SessionId>;
}
