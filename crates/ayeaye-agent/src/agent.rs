//! The agent: starts, resumes and stops sessions, one run per phone at a time.
//!
//! A run is a task of its own. Callers watch it through a [`Follower`]; dropping a follower does not
//! affect the run, and a new one can be created at any time.
mod access;
mod client_screen;
mod command_checks;
mod devices;
mod direct;
mod elsewhere;
mod error;
mod follower;
mod further_run;
mod give_up;
mod in_hand;
mod join;
mod last_looks;
mod launch;
mod listing;
mod new_session;
mod put_back;
mod queue;
mod recent_map;
mod registry;
mod resume;
mod run_elsewhere;
mod run_status;
mod same_phone;
mod tail;
#[cfg(test)]
mod tests;
mod told_ends;
mod told_questions;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

pub use self::devices::DeviceHolder;
use self::devices::Listing;
pub use self::direct::DirectRun;
use self::direct::DirectSessions;
use self::elsewhere::RunPurpose;
pub use self::error::AgentError;
use self::follower::END_WAIT;
pub use self::follower::Follower;
use self::in_hand::PhonesInHand;
pub use self::in_hand::{HOLD_LASTS, HoldId};
use self::last_looks::LastLooks;
use self::launch::Launch;
pub use self::listing::{SessionInBrief, SessionList};
pub use self::queue::DeviceQueue;
pub use self::registry::RunActivity;
use self::registry::{ActiveRun, RunRegistry, StartRequest, StopBeforeBegin, next_change};
pub use self::run_status::RunStatus;
use self::tail::Tails;
use self::told_ends::FollowedSessions;
use self::told_questions::ToldQuestions;
use crate::coordinator::RunKind;
use crate::deps::AgentDeps;
use crate::journal::{SessionBuilder, Summary};
use crate::privacy::SecretStores;
use crate::replay::Replay;
use crate::report::{DIRECT_REQUEST, Report, request_of_user};
use crate::run::{PhoneTaps, ResumeKind};
use crate::session::SessionPhase;
use crate::settle::times::SettleTimes;
use crate::{
    DeviceId, DeviceNames, DeviceSource, Journal, Principal, Session, SessionId, StartTask,
    StopReason,
};

/// Runs sessions on phones.
pub struct Agent {
    deps: Arc<AgentDeps>,
    runs: RunRegistry,
    secret_stores: SecretStores,
    direct_sessions: DirectSessions,
    last_looks: LastLooks,
    in_hand: PhonesInHand,
    told: ToldQuestions,
    followed: FollowedSessions,
    /// When this server began.
    begun: Option<Timestamp>,
    tails: Tails,
    settle_times: Arc<SettleTimes>,
    phone_taps: Arc<PhoneTaps>,
    /// The device listing in progress, if any.
    listing: Mutex<Option<Listing>>,
    /// Why some sources listed no phones last time, though others did.
    listing_trouble: Arc<Mutex<Vec<String>>>,
}

/// How many runs may begin while a session is being stopped.
const MOST_BEGUN: u32 = 8;

impl Agent {
    /// Creates an agent.
    pub fn new(deps: AgentDeps) -> Self {
        Self {
            secret_stores: SecretStores::new(deps.secrets.clone()),
            begun: deps.journal.now(),
            deps: Arc::new(deps),
            runs: RunRegistry::default(),
            direct_sessions: DirectSessions::default(),
            last_looks: LastLooks::default(),
            in_hand: PhonesInHand::default(),
            told: ToldQuestions::default(),
            followed: FollowedSessions::default(),
            tails: Tails::default(),
            settle_times: Arc::default(),
            phone_taps: Arc::default(),
            listing: Mutex::default(),
            listing_trouble: Arc::default(),
        }
    }

    /// Hides these keys and tokens of the server from now on: whoever repeats one, it is written nowhere.
    pub fn hide_keys<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        self.secret_stores.hide_keys(keys);
    }

    /// The store of session records.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.deps.journal
    }

    /// The device sources, in order.
    pub fn sources(&self) -> &[Arc<dyn DeviceSource>] {
        &self.deps.sources
    }

    /// Starts a session on a phone. The session is on disk when this returns.
    pub async fn start(&self, start: StartTask) -> Result<Follower, AgentError> {
        self.start_unless(start, &CancellationToken::new()).await
    }

    /// Starts a session for a call that may be withdrawn: what has not begun by then never does, and nothing is left of
    /// it.
    pub async fn start_unless(
        &self,
        start: StartTask,
        withdrawn: &CancellationToken,
    ) -> Result<Follower, AgentError> {
        self.start_with(start, None, withdrawn).await
    }

    /// Starts a session with the steps of an earlier run, done again as long as each finds its element. Then,
    /// or where one does not, a model goes on. No host agent splits up such a task.
    pub async fn start_replay(
        &self,
        start: StartTask,
        replay: Replay,
    ) -> Result<Follower, AgentError> {
        let (start, replay) = (StartTask { planner: false, ..start }, Some(Arc::new(replay)));
        self.start_with(start, replay, &CancellationToken::new()).await
    }

    async fn start_with(
        &self,
        start: StartTask,
        replay: Option<Arc<Replay>>,
        withdrawn: &CancellationToken,
    ) -> Result<Follower, AgentError> {
        let start = StartTask { task: request_of_user(start.task), ..start };
        let principal = start.principal.clone();
        let stop = self.runs.stop_before_begin(SessionId::new(), withdrawn);
        let starting = Box::pin(self.start_session(start, replay, &stop));
        match stop.race(starting).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            started => started,
        }
    }

    async fn start_session(
        &self,
        start: StartTask,
        replay: Option<Arc<Replay>>,
        stop: &StopBeforeBegin,
    ) -> Result<Follower, AgentError> {
        self.secret_stores.check_hidden(&start.principal)?;
        self.secret_stores.check_named(&start.task, &start.principal)?;
        let id = stop.session;
        let names = self.device_names(&start.device_id).await;
        let until = Instant::now() + END_WAIT;
        let mut lease = loop {
            let patient = Instant::now() < until;
            match self.runs.request_start(&start, &names, stop, patient)? {
                StartRequest::Granted(lease) => break lease,
                StartRequest::Runs(follower) => return Ok(follower),
                StartRequest::Stops(mut follower) => {
                    timeout_at(until, follower.finished()).await.ok();
                    // What was carried out before the word to stop came is not carried out again.
                    if follower.report().stop_reason == StopReason::TaskCompletedSuccessfully {
                        return Ok(follower);
                    }
                    // One that panicked is gone in a moment.
                    yield_now().await;
                }
                StartRequest::Later(changes) if patient => {
                    timeout_at(until, next_change(changes)).await.ok();
                }
                StartRequest::Later(changes) => next_change(changes).await,
            }
        };
        if start.queue {
            return Box::pin(self.start_in_turn(start, replay, lease)).await;
        }
        self.register(&mut lease, id, &start.principal, RunPurpose::of(RunKind::Task)).await?;
        self.direct_sessions.forget(&names.id);
        self.last_looks.forget(&names.id, &start.principal);
        let device = self.device(&names.id).await?;
        let launch = Launch { replay, ..start.launch() };
        let started_with = launch.started_with.clone();
        let (recorder, record) =
            self.create_session(id, &*device, &start.task, started_with, &start.principal).await?;
        let (follower, _begun) = self.launch(lease, recorder, device, launch, start.task)?;
        record.has_begun();
        Ok(follower)
    }

    /// Reports on a session without resuming it, and without its phone.
    pub async fn report(&self, id: SessionId, principal: &Principal) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        while let Some(changes) = self.runs.starting_anew(id) {
            next_change(changes).await;
        }
        let session = loop {
            // Before the look at what has begun, so that what begins meanwhile is seen.
            let last_run = self.runs.last_run(id);
            let (begins, goes_on) = (self.runs.starting(id), self.runs.going_on(id));
            if let Some(run) = self.active_run(id, None)? {
                return Ok((*run.follower().report()).clone());
            }
            if let Some(run) = self.run_elsewhere(id).await? {
                return Ok((*self.follow_elsewhere(&run).await?.report()).clone());
            }
            if let Some(going_on) = goes_on {
                return self.report_of_next(id, &going_on).await;
            }
            let session = self.read_session(id).await?;
            // What has begun since would look as if it had been broken off.
            let has_begun = begins.is_none() && self.runs.starting(id).is_some();
            if has_begun || self.is_outdated(&session, last_run).await? {
                continue;
            }
            break session;
        };
        Ok(self.report_at_rest(&session))
    }

    /// The report of a session that nobody drives. Where no record has the end of its last run, how that ended here.
    pub(super) fn report_at_rest(&self, session: &Session) -> Report {
        let report = session.report(false);
        let told = self.runs.unrecorded_end(session.id).filter(|_| session.stopped.is_none());
        match told.filter(|told| told.run.number == report.run.number) {
            None => report,
            Some(Report { stop_reason: StopReason::StorageFailed, message, .. }) => {
                Report { stop_reason: StopReason::StorageFailed, message, ..report }
            }
            Some(_) => report.of_panicked(),
        }
    }

    /// Stops a session's run and waits for its end. One that is about to begin does not, so that its phone need not
    /// answer; of a new session nothing is left then, so that this fails with [`AgentError::StoppedBefore`]. Without a
    /// run nothing changes.
    pub async fn stop(
        &self,
        id: SessionId,
        reason: StopReason,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        let mut begun = 0;
        loop {
            if let Some(run) = self.active_run(id, None)? {
                let mut follower = run.follower();
                follower.stop(reason);
                follower.finished().await;
                if follower.running() {
                    // The run ended without a final update, so the record is authoritative.
                    return Ok(self.report_at_rest(&self.read_session(id).await?));
                }
                return Ok((*follower.report()).clone());
            }
            let is_new = self.runs.starting_anew(id).is_some();
            if let Some(changes) = self.runs.stop_starting(id) {
                next_change(changes).await;
                if !is_new {
                    continue;
                }
                while let Some(changes) = self.runs.starting_anew(id) {
                    next_change(changes).await;
                }
                return Err(AgentError::StoppedBefore(id));
            }
            if let Some(run) = self.run_elsewhere(id).await? {
                return self.stop_elsewhere(&run, reason, principal).await;
            }
            let report = self.report(id, principal).await?;
            // One that has begun since it was looked for is to be stopped too.
            begun += 1;
            if report.stop_reason != StopReason::StillRunning || MOST_BEGUN < begun {
                return Ok(report);
            }
        }
    }

    /// Stops every run and waits up to `limit` until each has recorded its end.
    pub async fn shut_down(&self, limit: Duration) {
        self.in_hand.end_all();
        self.runs.close(limit).await;
    }

    async fn read_session(&self, id: SessionId) -> Result<Session, AgentError> {
        let mut session = SessionBuilder::new(id);
        self.deps.journal.visit_compact(&id, &mut |event| session.apply(&event)).await?;
        Ok(session.finish()?)
    }

    /// Whether a record may be of before a run that has begun here since the `last_run` was looked up, however soon it
    /// ended; or was read while a run of another server was writing it, so that it looks as if that had died.
    async fn is_outdated(
        &self,
        session: &Session,
        last_run: Option<u64>,
    ) -> Result<bool, AgentError> {
        let id = session.id;
        Ok(self.runs.last_run(id) != last_run
            || session.stopped.is_none() && self.run_elsewhere(id).await?.is_some())
    }

    async fn read_summary(&self, id: SessionId) -> Result<Summary, AgentError> {
        Ok(self.deps.journal.summary(&id).await?)
    }

    /// The session's run in this process, if any. A given device must be the run's.
    fn active_run(
        &self,
        id: SessionId,
        device: Option<&DeviceNames>,
    ) -> Result<Option<ActiveRun>, AgentError> {
        let run = self.runs.get(id);
        if let Some(run) = &run {
            ensure_same_device(id, run.device.as_str(), device)?;
        }
        Ok(run)
    }
}

fn ensure_same_device(
    id: SessionId,
    its: &str,
    given: Option<&DeviceNames>,
) -> Result<(), AgentError> {
    match given {
        Some(given) if !given.include(&DeviceId::new(its)) => {
            let given = given.id.clone();
            Err(AgentError::WrongDevice { session: id, its: its.to_owned(), given })
        }
        _ => Ok(()),
    }
}

/// Whether there is nothing to resume: the client has acted on the phone itself, or the last task was dropped for one
/// that the record does not hold, since the process died.
fn has_no_task(session: &Session) -> bool {
    let stopped = session.stopped.as_ref();
    let is_dropped = session.phase() == SessionPhase::Ended
        && !session.is_given_up()
        && !stopped.is_some_and(|(reason, _)| reason.ends_round());
    let is_by_hand = session.client_round || session.request == DIRECT_REQUEST;
    (is_by_hand || is_dropped) && session.question.is_none()
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("deps", &self.deps).finish_non_exhaustive()
    }
}
