//! From a request to a run in progress.
use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::registry::{ActiveRun, DeviceLease};
use super::{Agent, AgentError, Follower};
use crate::gate::PolicyProfile;
use crate::journal::{DeviceRecord, LeaseGrant, RunRecord, SessionStart};
use crate::report::RunInfo;
use crate::run::{
    CancelHandle, DirectRequest, Recorder, ResumeKind, Run, RunPhase, RunSetup, RunUpdate,
};
use crate::{Device, Principal, ReplyMode, Session, SessionId, StartTask};

/// The capacity of a run's inbox.
const INBOX: usize = 8;

/// What a run is started with.
pub(super) struct Launch {
    pub(super) resume_kind: ResumeKind,
    pub(super) started_with: RunRecord,
    pub(super) reply_mode: ReplyMode,
}

impl Launch {
    pub(super) fn new(
        resume_kind: ResumeKind,
        max_steps: u32,
        reply_mode: ReplyMode,
        planner: bool,
    ) -> Self {
        let started_with =
            RunRecord { max_steps, reply_mode: reply_mode.into(), planner, policy: None };
        Self { resume_kind, started_with, reply_mode }
    }

    /// The same under a narrower policy.
    pub(super) fn narrowed(mut self, policy: Option<PolicyProfile>) -> Self {
        self.started_with.policy = policy.map(|it| it.name().to_owned());
        self
    }

    /// The place of the new run in its session.
    fn run_info(&self, session: &Session) -> RunInfo {
        let number = match self.resume_kind {
            ResumeKind::First => 0,
            _ => session.run_number + 1,
        };
        let began = match self.resume_kind {
            ResumeKind::Reply(_) => session.run_began,
            // A direct action while a question is open.
            ResumeKind::Continue if session.question.is_some() => session.run_began,
            _ => number,
        };
        RunInfo { number, began, facts: self.started_with.clone() }
    }
}

impl StartTask {
    pub(super) fn launch(&self) -> Launch {
        Launch::new(ResumeKind::First, self.max_steps, self.reply_mode, self.planner)
            .narrowed(self.policy)
    }
}

impl Agent {
    /// Locks the phone against other processes, under all of its names.
    pub(super) async fn lock_device(
        &self,
        lease: &mut DeviceLease,
        session: SessionId,
    ) -> Result<(), AgentError> {
        let device = lease.names.id.clone();
        if self.deps.in_process_devices.contains(&device) {
            return Ok(());
        }
        let mut locks = Vec::new();
        for key in lease.names.keys() {
            match self.deps.journal.acquire_lease(&key, &session).await? {
                LeaseGrant::Granted(held) => locks.push(held),
                LeaseGrant::Taken(Some(holder)) => {
                    return Err(AgentError::DeviceBusy { device, session: Some(holder) });
                }
                LeaseGrant::Taken(None) => return Err(AgentError::DeviceTaken(device)),
            }
        }
        lease.held = Some(Box::new(locks));
        Ok(())
    }

    /// Begins the record of a session. The session is on disk when this returns.
    pub(super) async fn create_session(
        &self,
        id: SessionId,
        device: &dyn Device,
        task: &str,
        run: RunRecord,
        owner: &Principal,
    ) -> Result<Recorder, AgentError> {
        let info = device.info().await?;
        let start = SessionStart {
            task_name: id.to_string(),
            request: task.to_owned(),
            device: DeviceRecord {
                device_id: info.id.as_str().to_owned(),
                model: info.model,
                android_version: info.android_version,
                wm_size: [info.screen.width, info.screen.height],
            },
            config: self.deps.config.clone(),
            run,
            owner: owner.recorded(),
        };
        let (journal, privacy) = (&*self.deps.journal, self.deps.privacy);
        let secrets = self.secret_stores.of(id, privacy.text);
        Ok(Recorder::create(journal, id, start, secrets, privacy).await?)
    }

    /// Opens the record of a session for writing.
    pub(super) async fn open_session(&self, id: SessionId) -> Result<Recorder, AgentError> {
        let (journal, privacy) = (&*self.deps.journal, self.deps.privacy);
        let secrets = self.secret_stores.of(id, privacy.text);
        Ok(Recorder::open(journal, id, secrets, privacy).await?)
    }

    /// Begins a run of the agent.
    pub(super) fn launch(
        &self,
        lease: DeviceLease,
        recorder: Recorder,
        device: Arc<dyn Device>,
        launch: Launch,
        task: String,
    ) -> Result<Follower, AgentError> {
        let id = recorder.session().id;
        let (active, run) = self.prepare(&lease, recorder, device, launch, task);
        self.runs.begin(id, active, run.drive(lease))
    }

    /// Begins the run of one direct action.
    pub(super) fn launch_direct(
        &self,
        lease: DeviceLease,
        recorder: Recorder,
        device: Arc<dyn Device>,
        launch: Launch,
        request: DirectRequest,
    ) -> Result<Follower, AgentError> {
        let id = recorder.session().id;
        let (active, run) = self.prepare(&lease, recorder, device, launch, String::new());
        let active = ActiveRun { direct: true, ..active };
        self.runs.begin(id, active, run.act(request, lease))
    }

    fn prepare(
        &self,
        lease: &DeviceLease,
        recorder: Recorder,
        device: Arc<dyn Device>,
        launch: Launch,
        task: String,
    ) -> (ActiveRun, Run) {
        let session = recorder.session();
        let report = Arc::new(session.initial_report(launch.run_info(session)));
        let (sender, inbox) = mpsc::channel(INBOX);
        let (updates, watched) = watch::channel(RunUpdate {
            report,
            line: String::new(),
            phase: RunPhase::Preparing,
            running: true,
        });
        let cancel = CancelHandle::default();
        let active = ActiveRun {
            device: lease.names.id.clone(),
            direct: false,
            task,
            owner: session.owner.clone(),
            cancel: cancel.clone(),
            inbox: sender,
            updates: watched,
        };
        let Launch { resume_kind, started_with, reply_mode } = launch;
        let settle_times = self.settle_times.clone();
        let setup = RunSetup {
            resume_kind,
            started_with,
            reply_mode,
            cancel,
            settle_times,
            inbox,
            updates,
        };
        (active, Run::new(self.deps.clone(), recorder, device, setup))
    }
}
