//! The agent: who may drive which phone, and where each session is found.
//!
//! A run is an activity of its own. Whoever starts it gets a [`Follower`]; a follower that goes away
//! changes nothing, and another can be had at any time.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

use crate::fold::{NoBeginning, Session, Standing};
use crate::journal::{DeviceFacts, Entry, Fact, RunFacts, SessionStart};
use crate::report::Report;
use crate::run::{Memory, News, Opening, Run, Stopper};
use crate::{
    Device, DeviceEntry, DeviceError, DeviceId, DeviceSource, Journal, JournalError, Limits, Model,
    Record, SessionId, StopReason,
};

/// What an agent is made of.
#[derive(Debug)]
pub struct Parts {
    /// Where phones are found; asked in this order.
    pub sources: Vec<Arc<dyn DeviceSource>>,
    /// What decides.
    pub model: Arc<dyn Model>,
    /// What is kept.
    pub journal: Arc<dyn Journal>,
    /// The bounds of every run.
    pub limits: Limits,
    /// Settings worth keeping with a session, never a key.
    pub config: serde_json::Map<String, serde_json::Value>,
}

/// Who answers the agent's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyMode {
    /// The client, by going on with the session.
    #[default]
    PassToClient,
    /// A model, as the user.
    AutoReply,
    /// Nobody: the agent is told to go on.
    NoReply,
    /// An operator on the server's side.
    ManualReply,
}

impl ReplyMode {
    /// Every mode.
    pub const ALL: [Self; 4] =
        [Self::PassToClient, Self::AutoReply, Self::NoReply, Self::ManualReply];

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::PassToClient => "pass_to_client",
            Self::AutoReply => "auto_reply",
            Self::NoReply => "no_reply",
            Self::ManualReply => "manual_reply",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// A new task.
#[derive(Debug, Clone)]
pub struct StartTask {
    /// The phone.
    pub device_id: DeviceId,
    /// What the user wants.
    pub task: String,
    /// Most steps of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Who asks: the same asker's repeated start is taken for the first one, lost on its way.
    pub asker: String,
}

/// What to go on with.
#[derive(Debug, Clone)]
pub struct Continue {
    /// The session.
    pub session_id: SessionId,
    /// Must be the session's, when given.
    pub device_id: Option<DeviceId>,
    /// What the client says.
    pub words: Words,
    /// Most steps of this run, at least 1.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Who asks.
    pub asker: String,
}

/// What a client says when it goes on with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// A request of its own.
    Task(String),
    /// An answer, or advice.
    Reply(String),
    /// Nothing.
    Nothing,
}

/// Why the agent did not do what it was asked. Variants are by what the caller can do.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Another session drives the phone.
    #[error("device {device} is busy: session {session} is driving it")]
    DeviceBusy {
        /// The phone.
        device: DeviceId,
        /// Who has it.
        session: SessionId,
    },
    /// The session is at work on something else.
    #[error("session {0} is still at work")]
    SessionBusy(SessionId),
    /// There is no such session.
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    /// A session stays on its phone.
    #[error("session {session} belongs to device {its}, not to {given}")]
    WrongDevice {
        /// The session.
        session: SessionId,
        /// The phone it began on.
        its: String,
        /// The one that was named.
        given: DeviceId,
    },
    /// The phone is in trouble.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The record is in trouble.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The record is not one.
    #[error(transparent)]
    NotARecord(#[from] NoBeginning),
    /// The server is going down.
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// Drives phones.
pub struct Agent {
    parts: Arc<Parts>,
    runs: Arc<Mutex<Runs>>,
    tracker: TaskTracker,
}

#[derive(Default)]
struct Runs {
    /// Under way now, by session.
    live: HashMap<SessionId, Live>,
    /// Who may drive which phone.
    leases: HashMap<DeviceId, SessionId>,
}

struct Live {
    device: DeviceId,
    task: String,
    asker: String,
    stopper: Stopper,
    words: mpsc::Sender<String>,
    news: watch::Receiver<News>,
}

/// The right to drive a phone; given back when dropped.
struct Lease {
    runs: Arc<Mutex<Runs>>,
    device: DeviceId,
    session: SessionId,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut runs = lock(&self.runs);
        runs.leases.remove(&self.device);
        runs.live.remove(&self.session);
    }
}

fn lock(runs: &Mutex<Runs>) -> MutexGuard<'_, Runs> {
    // Nothing that holds this lock can leave it half changed.
    runs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches a run, or holds what a finished one has come to.
#[derive(Debug, Clone)]
pub struct Follower {
    news: watch::Receiver<News>,
    stopper: Option<Stopper>,
}

impl Agent {
    /// An agent of these parts.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), runs: Arc::default(), tracker: TaskTracker::new() }
    }

    /// What is kept.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.parts.journal
    }

    /// Where phones are found.
    pub fn sources(&self) -> &[Arc<dyn DeviceSource>] {
        &self.parts.sources
    }

    /// Every phone of every source, with the session that drives it. A source that is in trouble is
    /// an error only when no other has anything to show.
    pub async fn devices(&self) -> Result<Vec<(DeviceEntry, Option<SessionId>)>, DeviceError> {
        let lists = self.parts.sources.iter().map(|source| source.list());
        let mut entries = Vec::new();
        let mut trouble = None;
        for list in futures::future::join_all(lists).await {
            match list {
                Ok(list) => entries.extend(list),
                Err(err) => trouble = Some(err),
            }
        }
        if let (true, Some(err)) = (entries.is_empty(), trouble) {
            return Err(err);
        }
        let runs = lock(&self.runs);
        Ok(entries
            .into_iter()
            .map(|entry| {
                let driver = runs.leases.get(&entry.id).copied();
                (entry, driver)
            })
            .collect())
    }

    /// A phone that is ready. The last source's complaint is the one that is told.
    pub async fn device(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let mut trouble = DeviceError::NotFound(id.clone());
        for source in &self.parts.sources {
            match source.open(id).await {
                Ok(device) => return Ok(device),
                Err(DeviceError::NotFound(_)) => {}
                Err(err) => trouble = err,
            }
        }
        Err(trouble)
    }

    /// Starts a session on a phone. When this returns, the session is on disk.
    pub async fn start(&self, start: StartTask) -> Result<Follower, AgentError> {
        if let Some(follower) = self.same_start(&start) {
            return Ok(follower);
        }
        let id = SessionId::new();
        let lease = self.lease(&start.device_id, id)?;
        let device = self.device(&start.device_id).await?;
        let info = device.info().await?;
        let facts = DeviceFacts {
            device_id: info.id.as_str().to_owned(),
            model: info.model,
            android_version: info.android_version,
            wm_size: [info.screen.width, info.screen.height],
        };
        let run_facts = run_facts(start.max_steps, start.reply_mode);
        let mut record = self.parts.journal.create(&id).await?;
        let beginning = Fact::SessionStart(SessionStart {
            task_name: id.to_string(),
            request: start.task.clone(),
            device: facts.clone(),
            config: self.parts.config.clone(),
            run: run_facts.clone(),
        });
        record.append(Entry { round: None, step: None, agent: None, fact: beginning }).await?;
        record.sync().await?;
        let session = Session::begin(id, facts, &start.task, run_facts.clone());
        let plan = Plan { opening: Opening::First, run_facts, reply_mode: start.reply_mode };
        self.launch(lease, session, record, device, plan, (start.task, start.asker))
    }

    /// Goes on with a session, by the table in the tool's documentation.
    pub async fn resume(&self, next: Continue) -> Result<Follower, AgentError> {
        let id = next.session_id;
        if let Some(live) = self.live(id, next.device_id.as_ref())? {
            return match next.words {
                Words::Nothing => Ok(live.0),
                Words::Task(_) => Err(AgentError::SessionBusy(id)),
                Words::Reply(text) => {
                    live.1.send(text).await.map_err(|_| AgentError::SessionBusy(id))?;
                    Ok(live.0)
                }
            };
        }
        let session = self.session(id).await?;
        same_device(&session, next.device_id.as_ref())?;
        let opening = match (session.standing(), next.words) {
            // An operator may have answered while nobody drove the session.
            (Standing::Waiting, Words::Nothing) => match self.parts.journal.take_answer(&id).await?
            {
                Some(text) => Opening::Reply(text),
                None => return Ok(Follower::finished(&session)),
            },
            (Standing::Ended, Words::Nothing) => return Ok(Follower::finished(&session)),
            (Standing::Waiting, Words::Reply(text)) => Opening::Reply(text),
            (Standing::Short, Words::Reply(text)) => Opening::Guidance(text),
            (Standing::Short, Words::Nothing) => Opening::GoOn,
            (Standing::Ended, Words::Reply(text)) | (_, Words::Task(text)) => {
                Opening::NextRound(text)
            }
        };
        let device_id = DeviceId::new(&session.device.device_id);
        let lease = self.lease(&device_id, id)?;
        let device = self.device(&device_id).await?;
        let (events, record) = self.parts.journal.open(&id).await?;
        let session = Session::from_events(id, &events)?;
        let run_facts = run_facts(next.max_steps, next.reply_mode);
        let task = session.request.clone();
        let plan = Plan { opening, run_facts, reply_mode: next.reply_mode };
        self.launch(lease, session, record, device, plan, (task, next.asker))
    }

    /// What a session has come to, without going on with it.
    pub async fn report(&self, id: SessionId) -> Result<Report, AgentError> {
        match self.live(id, None)? {
            Some((follower, _)) => Ok((*follower.report()).clone()),
            None => Ok(self.session(id).await?.report(false)),
        }
    }

    /// Asks the run of a session to stop, and waits until it has. A session that is not being
    /// driven is left as it is.
    pub async fn stop(&self, id: SessionId, reason: StopReason) -> Result<Report, AgentError> {
        if let Some((mut follower, _)) = self.live(id, None)? {
            follower.stop(reason);
            while follower.changed().await {}
            return Ok((*follower.report()).clone());
        }
        self.report(id).await
    }

    /// Stops every run and waits until each has recorded its end, at most so long.
    pub async fn shut_down(&self, limit: Duration) {
        self.tracker.close();
        for live in lock(&self.runs).live.values() {
            live.stopper.stop(StopReason::ServerRestarted);
        }
        if tokio::time::timeout(limit, self.tracker.wait()).await.is_err() {
            tracing::warn!("a run did not stop within {} s", limit.as_secs());
        }
    }

    async fn session(&self, id: SessionId) -> Result<Session, AgentError> {
        let events = match self.parts.journal.read(&id).await {
            Err(JournalError::Unknown(id)) => return Err(AgentError::UnknownSession(id)),
            other => other?,
        };
        Ok(Session::from_events(id, &events)?)
    }

    fn same_start(&self, start: &StartTask) -> Option<Follower> {
        let runs = lock(&self.runs);
        runs.live
            .values()
            .find(|live| {
                live.device == start.device_id
                    && live.task == start.task
                    && live.asker == start.asker
            })
            .map(Live::follower)
    }

    fn live(
        &self,
        id: SessionId,
        device: Option<&DeviceId>,
    ) -> Result<Option<(Follower, mpsc::Sender<String>)>, AgentError> {
        let runs = lock(&self.runs);
        let Some(live) = runs.live.get(&id) else { return Ok(None) };
        match device {
            Some(given) if *given != live.device => Err(AgentError::WrongDevice {
                session: id,
                its: live.device.to_string(),
                given: given.clone(),
            }),
            _ => Ok(Some((live.follower(), live.words.clone()))),
        }
    }

    fn lease(&self, device: &DeviceId, session: SessionId) -> Result<Lease, AgentError> {
        if self.tracker.is_closed() {
            return Err(AgentError::ShuttingDown);
        }
        let mut runs = lock(&self.runs);
        if let Some(holder) = runs.leases.get(device) {
            return Err(AgentError::DeviceBusy { device: device.clone(), session: *holder });
        }
        runs.leases.insert(device.clone(), session);
        Ok(Lease { runs: self.runs.clone(), device: device.clone(), session })
    }

    fn launch(
        &self,
        lease: Lease,
        session: Session,
        record: Box<dyn Record>,
        device: Arc<dyn Device>,
        plan: Plan,
        (task, asker): (String, String),
    ) -> Result<Follower, AgentError> {
        let (words, listened) = mpsc::channel(8);
        let report = Arc::new(session.report(true));
        let (news, watched) = watch::channel(News { report, line: String::new(), running: true });
        let stopper = Stopper::default();
        let live = Live {
            device: lease.device.clone(),
            task,
            asker,
            stopper: stopper.clone(),
            words,
            news: watched,
        };
        let follower = live.follower();
        {
            let mut runs = lock(&self.runs);
            // A shutdown that began meanwhile has not seen this run.
            if self.tracker.is_closed() {
                drop(runs);
                return Err(AgentError::ShuttingDown);
            }
            runs.live.insert(session.id, live);
        }
        let run = Run {
            parts: self.parts.clone(),
            session,
            record,
            device,
            reply_mode: plan.reply_mode,
            stopper,
            words: listened,
            news,
            opening: plan.opening,
            facts: plan.run_facts,
            memory: Memory::default(),
        };
        self.tracker.spawn(run.drive(lease));
        Ok(follower)
    }
}

struct Plan {
    opening: Opening,
    run_facts: RunFacts,
    reply_mode: ReplyMode,
}

fn run_facts(max_steps: u32, reply_mode: ReplyMode) -> RunFacts {
    RunFacts { max_steps, reply_mode: reply_mode.name().to_owned() }
}

fn same_device(session: &Session, given: Option<&DeviceId>) -> Result<(), AgentError> {
    match given {
        Some(given) if given.as_str() != session.device.device_id => Err(AgentError::WrongDevice {
            session: session.id,
            its: session.device.device_id.clone(),
            given: given.clone(),
        }),
        _ => Ok(()),
    }
}

impl Live {
    fn follower(&self) -> Follower {
        Follower { news: self.news.clone(), stopper: Some(self.stopper.clone()) }
    }
}

impl Follower {
    fn finished(session: &Session) -> Self {
        let report = Arc::new(session.report(false));
        let (_, news) = watch::channel(News { report, line: String::new(), running: false });
        Self { news, stopper: None }
    }

    /// The latest news.
    pub fn news(&self) -> News {
        self.news.borrow().clone()
    }

    /// What the run has come to.
    pub fn report(&self) -> Arc<Report> {
        self.news.borrow().report.clone()
    }

    /// Whether the run is under way.
    pub fn running(&self) -> bool {
        self.news.borrow().running
    }

    /// Waits for news; false when there will be no more. Cancelling it loses nothing.
    pub async fn changed(&mut self) -> bool {
        self.running() && self.news.changed().await.is_ok()
    }

    /// Asks the run to stop at the next safe point.
    pub fn stop(&self, reason: StopReason) {
        if let Some(stopper) = &self.stopper {
            stopper.stop(reason);
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("parts", &self.parts).finish_non_exhaustive()
    }
}
