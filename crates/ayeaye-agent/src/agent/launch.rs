//! From a request to a run in progress.
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::new_session::UnbegunRecord;
use super::registry::{ActiveRun, DeviceLease};
use super::same_phone::device_record;
use super::{Agent, AgentError, Follower};
use crate::coordinator::InboxMessageId;
use crate::gate::PolicyProfile;
use crate::journal::{RunRecord, SessionStart};
use crate::replay::Replay;
use crate::report::RunInfo;
use crate::run::{
    CancelHandle, DirectRequest, Mailbox, Recorder, ResumeKind, Run, RunPhase, RunSetup, RunUpdate,
};
use crate::{Device, Principal, ReplyMode, Session, SessionId, StartTask};

/// How many secret replies wait for a run.
const SECRET_REPLIES: usize = 8;

/// What a run is started with.
pub(super) struct Launch {
    pub(super) resume_kind: ResumeKind,
    pub(super) started_with: RunRecord,
    pub(super) reply_mode: ReplyMode,
    pub(super) replay: Option<Arc<Replay>>,
    /// The messages that were left before the run was registered.
    pub(super) earlier: Vec<InboxMessageId>,
}

impl Launch {
    pub(super) fn new(
        resume_kind: ResumeKind,
        max_steps: u32,
        reply_mode: ReplyMode,
        planner: bool,
    ) -> Self {
        let started_with = RunRecord {
            max_steps,
            reply_mode: reply_mode.into(),
            planner,
            policy: None,
            device_server: None,
        };
        Self { resume_kind, started_with, reply_mode, replay: None, earlier: Vec::new() }
    }

    /// Narrows the policy that it runs under.
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
            ResumeKind::Reply(..) => session.run_began,
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
    /// Begins the record of a session, as [`Agent::new_record`] does.
    pub(super) async fn create_session(
        &self,
        id: SessionId,
        device: &dyn Device,
        task: &str,
        run: RunRecord,
        owner: &Principal,
    ) -> Result<(Recorder, UnbegunRecord), AgentError> {
        let info = device.info().await?;
        let start = SessionStart {
            task_name: id.to_string(),
            request: task.to_owned(),
            device: device_record(info),
            config: self.deps.config.clone(),
            run: RunRecord { device_server: self.device_server(device.id()), ..run },
            owner: owner.recorded(),
        };
        self.new_record(id, start).await
    }

    /// Opens the record of a session for writing.
    pub(super) async fn open_session(&self, id: SessionId) -> Result<Recorder, AgentError> {
        let (journal, privacy) = (&*self.deps.journal, self.deps.privacy);
        let secrets = self.secret_stores.of(id, privacy.text);
        Ok(Recorder::open(journal, id, secrets, privacy).await?)
    }

    /// Begins a run of the agent. What it begins with is in the record when the receiver is told.
    pub(super) fn launch(
        &self,
        lease: DeviceLease,
        recorder: Recorder,
        device: Arc<dyn Device>,
        launch: Launch,
        task: String,
    ) -> Result<(Follower, oneshot::Receiver<()>), AgentError> {
        let id = recorder.session().id;
        let (active, setup, begun) = self.prepare(&lease, &recorder, launch, task);
        let run = Run::new(self.deps.clone(), recorder, device, setup);
        Ok((self.runs.begin(id, active, run.drive(lease))?, begun))
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
        let (active, setup, _begun) = self.prepare(&lease, &recorder, launch, String::new());
        let active = ActiveRun { direct: true, ..active };
        let run = Run::new(self.deps.clone(), recorder, device, setup);
        self.runs.begin(id, active, run.act(request, lease))
    }

    /// The channels of a run that is about to begin.
    pub(super) fn prepare(
        &self,
        lease: &DeviceLease,
        recorder: &Recorder,
        launch: Launch,
        task: String,
    ) -> (ActiveRun, RunSetup, oneshot::Receiver<()>) {
        let session = recorder.session();
        let report = Arc::new(session.initial_report(launch.run_info(session)));
        let (secret, secrets) = mpsc::channel(SECRET_REPLIES);
        let (updates, watched) = watch::channel(RunUpdate {
            report,
            line: String::new(),
            phase: RunPhase::Preparing,
            replay_ended: None,
            running: true,
        });
        let cancel = CancelHandle::default();
        let epoch = lease.registration.as_ref().map_or(0, |it| it.entry.epoch);
        let coordinator = self.deps.coordinator.clone();
        let Launch { resume_kind, mut started_with, reply_mode, replay, earlier } = launch;
        let mailbox =
            Mailbox::new(coordinator, session.id, epoch, secrets, cancel.clone(), earlier);
        let active = ActiveRun {
            device: lease.names.id.clone(),
            direct: false,
            task,
            owner: session.owner.clone(),
            cancel: cancel.clone(),
            epoch,
            secret,
            updates: watched,
        };
        started_with.device_server = self.device_server(&lease.names.id);
        let (settle_times, phone_taps) = (self.settle_times.clone(), self.phone_taps.clone());
        let (begun, has_begun) = oneshot::channel();
        let setup = RunSetup {
            resume_kind,
            started_with,
            replay,
            reply_mode,
            cancel,
            settle_times,
            phone_taps,
            mailbox,
            begun,
            updates,
        };
        (active, setup, has_begun)
    }
}
