//! The agent: who may drive which phone, and where each session is found.
//!
//! A run is an activity of its own. Whoever starts it gets a [`Follower`]; a follower that goes away
//! changes nothing, and another can be had at any time.
mod direct;
mod follower;
mod overview;
mod registry;
mod requests;
mod run_status;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, WeakShared};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

pub use self::direct::{DirectAction, DirectRun};
use self::direct::{DirectSessions, has_no_task};
pub use self::follower::Follower;
pub use self::overview::RunActivity;
use self::registry::{ActiveRun, DeviceLease, LeaseRequest, RunRegistry};
pub use self::requests::{ContinueTask, ReplyMode, StartTask, UserInput};
pub use self::run_status::RunStatus;
use crate::journal::{DeviceRecord, Entry, Fact, RunRecord, SessionBuilder, SessionStart, Summary};
use crate::privacy::{PrivacySettings, SecretKind, SecretStores, find_secrets};
use crate::report::{Report, RunInfo};
use crate::run::{CancelHandle, DirectRequest, Memory, ResumeKind, Run, RunUpdate};
use crate::session::{MissingSessionStart, Session, SessionPhase};
use crate::{
    Device, DeviceEntry, DeviceError, DeviceId, DeviceSource, Journal, JournalError, JournalWriter,
    Limits, Model, Principal, SessionId, StopReason,
};

/// What an agent is made of.
#[derive(Debug)]
pub struct AgentDeps {
    /// Where phones are found; asked in this order.
    pub sources: Vec<Arc<dyn DeviceSource>>,
    /// Phones that no other process can reach, such as a virtual one in this process.
    pub in_process_devices: Vec<DeviceId>,
    /// What decides, plans and tells.
    pub models: Models,
    /// What is kept.
    pub journal: Arc<dyn Journal>,
    /// The bounds of every run.
    pub limits: Limits,
    /// Settings worth keeping with a session, never a key.
    pub config: serde_json::Map<String, serde_json::Value>,
    /// How much of what happens is kept.
    pub privacy: PrivacySettings,
    /// What judges whether a request was carried out, and when.
    pub judge: Option<Judge>,
}

/// The models by what they do. One may do it all.
#[derive(Debug, Clone)]
pub struct Models {
    /// Decides on the next action.
    pub act: Arc<dyn Model>,
    /// Takes over for the rest of a run when that one fails.
    pub fallback: Option<Arc<dyn Model>>,
    /// Splits requests over apps, as the host agent; its profile does not matter.
    pub plan: Arc<dyn Model>,
    /// Answers as the user would (`auto_reply`); its profile does not matter.
    pub reply: Arc<dyn Model>,
    /// Puts the last screen into words, where that is wanted; its profile does not matter.
    pub caption: Option<Arc<dyn Model>>,
}

impl Models {
    /// One model for everything that cannot be left out.
    pub fn one(model: Arc<dyn Model>) -> Self {
        Self {
            act: model.clone(),
            fallback: None,
            plan: model.clone(),
            reply: model,
            caption: None,
        }
    }
}

/// What judges whether a request was carried out.
#[derive(Debug, Clone)]
pub struct Judge {
    /// Asked in words and pictures; its profile does not matter.
    pub model: Arc<dyn Model>,
    /// After each round that has ended.
    pub rounds: bool,
    /// After each run that has ended a round, for the session so far.
    pub sessions: bool,
}

/// Why the agent did not do what it was asked. Variants are by what the caller can do.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Another session drives the phone.
    #[error("device {device} is busy: {} is driving it", device_holder(session.as_ref()))]
    DeviceBusy {
        /// The phone.
        device: DeviceId,
        /// Who has it; nothing where that is none of the principal's business.
        session: Option<SessionId>,
    },
    /// Another process drives the phone.
    #[error("device {0} is busy: another ayeaye process is driving it")]
    DeviceTaken(DeviceId),
    /// Another process drives the session.
    #[error("session {0} is being driven by another ayeaye process")]
    DrivenElsewhere(SessionId),
    /// The session is at work on something else.
    #[error("session {0} is still at work")]
    SessionBusy(SessionId),
    /// There is no such session.
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    /// There is nothing in the session that the agent could go on with.
    #[error("session {0} has no task yet: in it the client has acted on the phone itself")]
    NoTask(SessionId),
    /// The session takes no further step.
    #[error("session {0} is full: its steps, or its room on the disk, are used up")]
    SessionFull(SessionId),
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
    NotARecord(#[from] MissingSessionStart),
    /// The server is going down.
    #[error("the server is shutting down")]
    ShuttingDown,
}

fn device_holder(session: Option<&SessionId>) -> String {
    session.map_or_else(|| "somebody else".to_owned(), |session| format!("session {session}"))
}

/// Who drives a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceHolder {
    /// It is free.
    Free,
    /// This session, which is the principal's.
    Session(SessionId),
    /// A session that is none of the principal's business.
    Other,
}

/// Drives phones.
pub struct Agent {
    deps: Arc<AgentDeps>,
    runs: RunRegistry,
    secret_stores: SecretStores,
    direct_sessions: DirectSessions,
    /// The listing of phones that is under way.
    listing: Mutex<Option<Listing>>,
}

/// A listing that all who ask at the same time wait for.
type Listing = WeakShared<BoxFuture<'static, Result<Vec<DeviceEntry>, DeviceError>>>;

/// Asks every source. One that is in trouble is an error only when no other has anything to show.
async fn list(deps: &AgentDeps) -> Result<Vec<DeviceEntry>, DeviceError> {
    let lists = deps.sources.iter().map(|source| source.list());
    let mut entries = Vec::new();
    let mut trouble = None;
    for list in futures::future::join_all(lists).await {
        match list {
            Ok(list) => entries.extend(list),
            Err(err) => trouble = Some(err),
        }
    }
    match trouble {
        Some(err) if entries.is_empty() => Err(err),
        _ => Ok(entries),
    }
}

impl Agent {
    /// An agent of these deps.
    pub fn new(deps: AgentDeps) -> Self {
        Self {
            deps: Arc::new(deps),
            runs: RunRegistry::default(),
            secret_stores: SecretStores::default(),
            direct_sessions: DirectSessions::default(),
            listing: Mutex::default(),
        }
    }

    /// What is kept.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.deps.journal
    }

    /// Where phones are found.
    pub fn sources(&self) -> &[Arc<dyn DeviceSource>] {
        &self.deps.sources
    }

    /// Every phone of every source, with who drives it. A source that is in trouble is an error only
    /// when no other has anything to show.
    pub async fn devices(
        &self,
        principal: &Principal,
    ) -> Result<Vec<(DeviceEntry, DeviceHolder)>, DeviceError> {
        let entries = self.entries().await?;
        let mut devices = Vec::with_capacity(entries.len());
        for entry in entries {
            let driver = self.device_holder(&entry.id, principal).await;
            devices.push((entry, driver));
        }
        Ok(devices)
    }

    /// Every phone there is. Calls at the same time share one listing: a crowd of clients asks the
    /// phones no oftener than one does.
    async fn entries(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let listing = {
            let mut under_way = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
            let joined = under_way.as_ref().and_then(WeakShared::upgrade);
            joined.filter(|listing| listing.peek().is_none()).unwrap_or_else(|| {
                let deps = self.deps.clone();
                let listing = async move { list(&deps).await }.boxed().shared();
                *under_way = listing.downgrade();
                listing
            })
        };
        listing.await
    }

    /// Who drives a phone, as far as the principal may know.
    pub async fn device_holder(&self, device: &DeviceId, principal: &Principal) -> DeviceHolder {
        let session = match self.runs.device_holder(device) {
            Some(session) => Some(session),
            None if self.deps.in_process_devices.contains(device) => None,
            // A list is not refused because a lock cannot be read.
            None => self.deps.journal.lease_holder(device).await.unwrap_or_default(),
        };
        match session {
            None => DeviceHolder::Free,
            Some(session) if self.is_visible_to(session, principal).await => {
                DeviceHolder::Session(session)
            }
            Some(_) => DeviceHolder::Other,
        }
    }

    /// Whether the principal may know of a session. One that cannot be read is the business of the person
    /// at this machine.
    async fn is_visible_to(&self, session: SessionId, principal: &Principal) -> bool {
        if let Some(owner) = self.runs.owner(session) {
            return principal.owns(&owner);
        }
        let owner = match self.deps.journal.summary(&session).await {
            Ok(summary) => Principal::from_record(summary.owner.as_deref()),
            Err(_) => Principal::local(),
        };
        principal.owns(&owner)
    }

    /// Fails for a session that is not there, and in the same way for one that is not the principal's.
    pub async fn ensure_visible(
        &self,
        session: SessionId,
        principal: &Principal,
    ) -> Result<(), AgentError> {
        let known = match self.runs.owner(session) {
            Some(owner) => principal.owns(&owner),
            // One that is there and cannot be read is for the principal to hear of later.
            None => !matches!(
                self.session_summary(session, principal).await,
                Err(AgentError::UnknownSession(_))
            ),
        };
        if known { Ok(()) } else { Err(AgentError::UnknownSession(session)) }
    }

    /// The error as this principal may read it.
    async fn redact_for(&self, err: AgentError, principal: &Principal) -> AgentError {
        match err {
            AgentError::DeviceBusy { device, session: Some(session) }
                if !self.is_visible_to(session, principal).await =>
            {
                AgentError::DeviceBusy { device, session: None }
            }
            other => other,
        }
    }

    /// The principal's newest sessions, the newest first. One that cannot be read is there with the
    /// reason.
    pub async fn sessions(
        &self,
        principal: &Principal,
        limit: usize,
    ) -> Result<Vec<(SessionId, Result<Report, AgentError>)>, AgentError> {
        let mut sessions = Vec::new();
        for id in self.deps.journal.list().await? {
            if sessions.len() == limit {
                break;
            }
            match self.report(id, principal).await {
                Err(AgentError::UnknownSession(_)) => {}
                report => sessions.push((id, report)),
            }
        }
        Ok(sessions)
    }

    /// A phone that is ready. The last source's complaint is the one that is told.
    pub async fn device(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let mut trouble = DeviceError::NotFound(id.clone());
        for source in &self.deps.sources {
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
        let principal = start.principal.clone();
        match self.begin(start).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            begun => begun,
        }
    }

    async fn begin(&self, start: StartTask) -> Result<Follower, AgentError> {
        let id = SessionId::new();
        let mut lease = loop {
            if let Some(follower) = self.runs.of(&start) {
                return Ok(follower);
            }
            match self.runs.lease(&start.device_id, id, &start.principal)? {
                LeaseRequest::Granted(lease) => break lease,
                LeaseRequest::Later(changes) => next_change(changes).await,
            }
        };
        self.lock_device(&mut lease, id).await?;
        self.direct_sessions.forget(&start.device_id);
        let device = self.device(&start.device_id).await?;
        let run_facts = run_facts(start.max_steps, start.reply_mode, start.planner);
        let (session, record) = self
            .create_session(id, &*device, &start.task, run_facts.clone(), &start.principal)
            .await?;
        let plan =
            LaunchPlan { resume_kind: ResumeKind::First, run_facts, reply_mode: start.reply_mode };
        self.launch(lease, session, record, device, plan, start.task)
    }

    /// Begins the record of a session. When this returns, the session is on disk.
    async fn create_session(
        &self,
        id: SessionId,
        device: &dyn Device,
        task: &str,
        run: RunRecord,
        owner: &Principal,
    ) -> Result<(Session, Box<dyn JournalWriter>), AgentError> {
        let info = device.info().await?;
        let facts = DeviceRecord {
            device_id: info.id.as_str().to_owned(),
            model: info.model,
            android_version: info.android_version,
            wm_size: [info.screen.width, info.screen.height],
        };
        let secrets = self.secret_stores.of(id, self.deps.privacy.text);
        for (kind, secret) in find_secrets(task) {
            secrets.add(kind, secret);
        }
        let request = secrets.redact(task).into_owned();
        let mut record = self.deps.journal.create(&id).await?;
        let beginning = SessionStart {
            task_name: id.to_string(),
            request,
            device: facts,
            config: self.deps.config.clone(),
            run,
            owner: owner.recorded(),
        };
        let session = Session::begin(id, &beginning);
        let fact = Fact::SessionStart(beginning);
        record.append(Entry { round: None, step: None, agent: None, fact }).await?;
        record.sync().await?;
        Ok((session, record))
    }

    /// Goes on with a session, by the table in the tool's documentation.
    pub async fn resume(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        let principal = next.principal.clone();
        self.ensure_visible(next.session_id, &principal).await?;
        match self.take_up(next).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            taken => taken,
        }
    }

    async fn take_up(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        let id = next.session_id;
        let keep_secret = || {
            if let (true, UserInput::Reply(text) | UserInput::Answer { text, .. }) =
                (next.reply_is_secret, &next.input)
            {
                self.secret_stores
                    .of(id, self.deps.privacy.text)
                    .add_answer(SecretKind::Marked, text);
            }
        };
        loop {
            if let Some(live) = self.live(id, next.device_id.as_ref())? {
                if live.direct {
                    live.follower().finished().await;
                    continue;
                }
                keep_secret();
                match join(id, &live, &next.input)? {
                    Some(follower) => return Ok(follower),
                    // Too late for this run: what is said is said to the session it leaves behind.
                    None => live.follower().finished().await,
                }
                continue;
            }
            // The record is read once, when it is opened; until then what it comes to is enough.
            let summary = self.summary(id).await?;
            let its = &summary.device.device_id;
            same_device(id, its, next.device_id.as_ref())?;
            keep_secret();
            self.not_elsewhere(id, summary.stop_reason.is_some()).await?;
            // An operator may have answered while nobody drove the session.
            let left = match (&summary.question, &next.input) {
                (Some(_), UserInput::Nothing) => self.deps.journal.take_answer(&id).await?,
                _ => None,
            };
            let words = left.clone().map_or_else(|| next.input.clone(), UserInput::Reply);
            if matches!(words, UserInput::Nothing | UserInput::Answer { .. }) {
                let session = self.session(id).await?;
                if words == UserInput::Nothing && has_no_task(&session) {
                    return Err(AgentError::NoTask(id));
                }
                if resume_kind(&session, words.clone()).is_none() {
                    return Ok(Follower::of_finished(&session));
                }
            }
            let begun = self.go_on(DeviceId::new(its), &next, words).await;
            if let (Some(text), Err(_) | Ok(None)) = (left, &begun) {
                self.deps.journal.post_answer(&id, &text).await?;
            }
            if let Some(follower) = begun? {
                return Ok(follower);
            }
        }
    }

    /// Opens the phone and the record of a session and goes on with it; `None` when somebody else
    /// was about to do that.
    async fn go_on(
        &self,
        device_id: DeviceId,
        next: &ContinueTask,
        words: UserInput,
    ) -> Result<Option<Follower>, AgentError> {
        let id = next.session_id;
        let mut lease = match self.runs.lease(&device_id, id, &next.principal)? {
            LeaseRequest::Granted(lease) => lease,
            LeaseRequest::Later(changes) => {
                next_change(changes).await;
                return Ok(None);
            }
        };
        self.lock_device(&mut lease, id).await?;
        self.direct_sessions.forget(&device_id);
        let device = self.device(&device_id).await?;
        let mut folding = SessionBuilder::new(id);
        let record = self.deps.journal.open(&id, &mut |event| folding.apply(&event)).await?;
        // Another process may have gone on with it meanwhile: what counts is what stands there now.
        let session = folding.finish()?;
        let Some(resume_kind) = resume_kind(&session, words) else {
            return Ok(Some(Follower::of_finished(&session)));
        };
        let task = match &resume_kind {
            ResumeKind::NextRound(task) => task.clone(),
            ResumeKind::First
            | ResumeKind::Reply(_)
            | ResumeKind::Guidance(_)
            | ResumeKind::Continue => session.request.clone(),
        };
        let planner = match &resume_kind {
            ResumeKind::NextRound(_) => next.planner,
            // Its process died before the first round was opened.
            _ if session.history.is_empty() => session.run.planner,
            _ => session.planning.enabled,
        };
        let run_facts = run_facts(next.max_steps, next.reply_mode, planner);
        let plan = LaunchPlan { resume_kind, run_facts, reply_mode: next.reply_mode };
        self.launch(lease, session, record, device, plan, task).map(Some)
    }

    /// What a session has come to, without going on with it.
    pub async fn report(&self, id: SessionId, principal: &Principal) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        if let Some(live) = self.live(id, None)? {
            return Ok((*live.follower().report()).clone());
        }
        let session = self.session(id).await?;
        // Without an end it may be that another process drives it, or that one died.
        let driven = session.stopped.is_none() && self.deps.journal.is_locked(&id).await?;
        Ok(session.report(driven))
    }

    /// Asks the run of a session to stop, and waits until it has. A session that is not being
    /// driven is left as it is.
    pub async fn stop(
        &self,
        id: SessionId,
        reason: StopReason,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        loop {
            if let Some(live) = self.live(id, None)? {
                let mut follower = live.follower();
                follower.stop(reason);
                follower.finished().await;
                if follower.running() {
                    // It broke off without a last word: the record knows best.
                    return Ok(self.session(id).await?.report(false));
                }
                return Ok((*follower.report()).clone());
            }
            let Some(changes) = self.runs.resume_kind(id) else {
                let summary = self.summary(id).await?;
                self.not_elsewhere(id, summary.stop_reason.is_some()).await?;
                return self.report(id, principal).await;
            };
            next_change(changes).await;
        }
    }

    /// Fails when another process drives the session: nothing here can reach that run. An operator's
    /// answer is left on disk, where it is found.
    async fn not_elsewhere(&self, id: SessionId, stopped: bool) -> Result<(), AgentError> {
        let ours = self.runs.get(id).is_some() || self.runs.resume_kind(id).is_some();
        if !stopped && !ours && self.deps.journal.is_locked(&id).await? {
            return Err(AgentError::DrivenElsewhere(id));
        }
        Ok(())
    }

    /// Stops every run and waits until each has recorded its end, at most so long.
    pub async fn shut_down(&self, limit: Duration) {
        self.runs.close(limit).await;
    }

    /// Makes a lease hold against other processes too.
    async fn lock_device(
        &self,
        lease: &mut DeviceLease,
        session: SessionId,
    ) -> Result<(), AgentError> {
        use crate::journal::LeaseGrant;
        let device = lease.device.clone();
        if self.deps.in_process_devices.contains(&device) {
            return Ok(());
        }
        match self.deps.journal.acquire_lease(&device, &session).await? {
            LeaseGrant::Granted(held) => {
                lease.held = Some(held);
                Ok(())
            }
            LeaseGrant::Taken(Some(holder)) => {
                Err(AgentError::DeviceBusy { device, session: Some(holder) })
            }
            LeaseGrant::Taken(None) => Err(AgentError::DeviceTaken(device)),
        }
    }

    async fn session(&self, id: SessionId) -> Result<Session, AgentError> {
        let mut folding = SessionBuilder::new(id);
        match self.deps.journal.visit_compact(&id, &mut |event| folding.apply(&event)).await {
            Err(JournalError::Unknown(id)) => return Err(AgentError::UnknownSession(id)),
            other => other?,
        }
        Ok(folding.finish()?)
    }

    async fn summary(&self, id: SessionId) -> Result<Summary, AgentError> {
        match self.deps.journal.summary(&id).await {
            Err(JournalError::Unknown(id)) => Err(AgentError::UnknownSession(id)),
            Err(JournalError::MissingSessionStart(err)) => Err(err.into()),
            other => Ok(other?),
        }
    }

    fn live(
        &self,
        id: SessionId,
        device: Option<&DeviceId>,
    ) -> Result<Option<ActiveRun>, AgentError> {
        let live = self.runs.get(id);
        match (&live, device) {
            (Some(live), Some(given)) if *given != live.device => Err(AgentError::WrongDevice {
                session: id,
                its: live.device.to_string(),
                given: given.clone(),
            }),
            _ => Ok(live),
        }
    }

    fn launch(
        &self,
        lease: DeviceLease,
        session: Session,
        record: Box<dyn JournalWriter>,
        device: Arc<dyn Device>,
        plan: LaunchPlan,
        task: String,
    ) -> Result<Follower, AgentError> {
        let (live, run) = self.prepare(&lease, session, record, device, plan, task);
        self.runs.begin(run.session.id, live, run.drive(lease))
    }

    fn launch_act(
        &self,
        lease: DeviceLease,
        session: Session,
        record: Box<dyn JournalWriter>,
        device: Arc<dyn Device>,
        plan: LaunchPlan,
        hand: DirectRequest,
    ) -> Result<Follower, AgentError> {
        let (live, run) = self.prepare(&lease, session, record, device, plan, String::new());
        let live = ActiveRun { direct: true, ..live };
        self.runs.begin(run.session.id, live, run.act(hand, lease))
    }

    fn prepare(
        &self,
        lease: &DeviceLease,
        session: Session,
        record: Box<dyn JournalWriter>,
        device: Arc<dyn Device>,
        plan: LaunchPlan,
        task: String,
    ) -> (ActiveRun, Run) {
        let (words, listened) = mpsc::channel(8);
        let run = run_info(&session, &plan);
        let report = Arc::new(session.initial_report(run));
        let (updates, watched) =
            watch::channel(RunUpdate { report, line: String::new(), running: true });
        let cancel = CancelHandle::default();
        let live = ActiveRun {
            device: lease.device.clone(),
            direct: false,
            task,
            owner: session.owner.clone(),
            cancel: cancel.clone(),
            words,
            updates: watched,
        };
        let id = session.id;
        let run = Run {
            deps: self.deps.clone(),
            session,
            record,
            device,
            reply_mode: plan.reply_mode,
            cancel,
            secrets: self.secret_stores.of(id, self.deps.privacy.text),
            words: listened,
            updates,
            resume_kind: plan.resume_kind,
            facts: plan.run_facts,
            memory: Memory::default(),
        };
        (live, run)
    }
}

struct LaunchPlan {
    resume_kind: ResumeKind,
    run_facts: RunRecord,
    reply_mode: ReplyMode,
}

/// The run that this plan begins.
fn run_info(session: &Session, plan: &LaunchPlan) -> RunInfo {
    let number = match plan.resume_kind {
        ResumeKind::First => 0,
        _ => session.run_number + 1,
    };
    let began = match plan.resume_kind {
        ResumeKind::Reply(_) => session.run_began,
        // An act of the client, while the question waits.
        ResumeKind::Continue if session.question.is_some() => session.run_began,
        _ => number,
    };
    RunInfo { number, began, facts: plan.run_facts.clone() }
}

fn run_facts(max_steps: u32, reply_mode: ReplyMode, planner: bool) -> RunRecord {
    RunRecord { max_steps, reply_mode: reply_mode.name().to_owned(), planner }
}

/// What the words mean to a session that nobody drives; `None` when it is only to be told again.
fn resume_kind(session: &Session, words: UserInput) -> Option<ResumeKind> {
    Some(match (session.phase(), words) {
        // Without words it only follows.
        (SessionPhase::Waiting, UserInput::Answer { question, text })
            if question == session.asked_at_step && !text.is_empty() =>
        {
            ResumeKind::Reply(text)
        }
        (_, UserInput::Answer { .. })
        | (SessionPhase::Waiting | SessionPhase::Ended, UserInput::Nothing) => {
            return None;
        }
        (SessionPhase::Waiting, UserInput::Reply(text)) => ResumeKind::Reply(text),
        (_, UserInput::Reply(text)) if has_no_task(session) => ResumeKind::NextRound(text),
        (SessionPhase::Interrupted, UserInput::Reply(text)) => ResumeKind::Guidance(text),
        (SessionPhase::Interrupted, UserInput::Nothing) => ResumeKind::Continue,
        (SessionPhase::Ended, UserInput::Reply(text)) | (_, UserInput::Task(text)) => {
            ResumeKind::NextRound(text)
        }
    })
}

/// What the words mean to a session that is being driven; `None` when its run is all but over.
fn join(
    id: SessionId,
    live: &ActiveRun,
    words: &UserInput,
) -> Result<Option<Follower>, AgentError> {
    match words {
        // A run that is under way has its answer: nobody waits for one where it is taken in.
        UserInput::Nothing | UserInput::Answer { .. } => Ok(Some(live.follower())),
        UserInput::Task(_) => Err(AgentError::SessionBusy(id)),
        UserInput::Reply(text) => match live.words.try_send(text.clone()) {
            Ok(()) => Ok(Some(live.follower())),
            Err(TrySendError::Full(_)) => Err(AgentError::SessionBusy(id)),
            Err(TrySendError::Closed(_)) => Ok(None),
        },
    }
}

async fn next_change(mut changes: watch::Receiver<()>) {
    // It is told as long as there is an agent, and an agent is what waits here.
    if changes.changed().await.is_err() {
        tracing::debug!("the agent is gone");
    }
}

fn same_device(id: SessionId, its: &str, given: Option<&DeviceId>) -> Result<(), AgentError> {
    match given {
        Some(given) if given.as_str() != its => {
            Err(AgentError::WrongDevice { session: id, its: its.to_owned(), given: given.clone() })
        }
        _ => Ok(()),
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("deps", &self.deps).finish_non_exhaustive()
    }
}
