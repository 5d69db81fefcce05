//! What the agent is tested with: a phone, a model and a journal that do as they are told, and complain
//! when the agent breaks its promises.
mod device;
mod files;
mod journal;
mod model;
mod scene;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{Timestamp, ToSpan as _};
use tempfile::TempDir;

pub(crate) use self::device::{Call, FakeDevice, Fault, Motion};
pub(crate) use self::journal::{FailingJournal, Write};
pub(crate) use self::model::{
    ScriptedModel, ScriptedReply, abort, click, complete, confirm, info, note, say, sensitive,
    types, wait,
};
pub(crate) use self::scene::{PageChange, SceneKind};
use crate::coordinator::FileCoordinator;
use crate::gate::Policy;
use crate::journal::{
    AnswerSource, BlobRef, DeviceRecord, Event, Fact, FileJournal, Observe, RunRecord,
    SessionStart, SyncPolicy,
};
use crate::privacy::SecretStore;
use crate::run::Recorder;
use crate::{
    Agent, AgentDeps, AgentError, ContinueTask, DeviceId, DeviceSource, Follower, Journal, Judge,
    Limits, Models, NamedSecrets, NoNamedSecrets, Part, Prices, Principal, PrivacySettings, Prompt,
    ReplyMode, Report, SessionId, StartTask, UserInput,
};

/// Who asks in these tests.
pub(crate) fn client() -> Principal {
    Principal::local()
}

/// One phone, one model, one agent, one disk.
pub(crate) struct Rig {
    pub(crate) agent: Agent,
    pub(crate) phone: Arc<FakeDevice>,
    pub(crate) script: Arc<ScriptedModel>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) limits: Limits,
    pub(crate) privacy: PrivacySettings,
    pub(crate) judge: Option<Judge>,
    pub(crate) models: Models,
    /// Plans, where a host agent is wanted.
    pub(crate) planner: Option<Arc<ScriptedModel>>,
    pub(crate) mode: ReplyMode,
    pub(crate) max_steps: u32,
    pub(crate) policy: Policy,
    pub(crate) secrets: Arc<dyn NamedSecrets>,
    /// Shared by the rigs before and after a crash.
    disk: Arc<TempDir>,
}

impl Rig {
    /// An agent whose model says these lines, one a call.
    pub(crate) fn new(lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let disk = Arc::new(tempfile::tempdir().expect("a temporary folder can be made"));
        Self::on(disk, Limits::USUAL, lines)
    }

    /// The next process on the same disk: another agent, the phone as new.
    pub(crate) fn restarted(&self, lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        Self::on(self.disk.clone(), self.limits.clone(), lines)
    }

    /// The next process, on a copy of the disk whose record of the session ends after so many events.
    pub(crate) fn cut(
        &self,
        session: SessionId,
        events: usize,
        lines: impl IntoIterator<Item = ScriptedReply>,
    ) -> Self {
        let disk = Arc::new(tempfile::tempdir().expect("a temporary folder can be made"));
        let folder = |disk: &TempDir| disk.path().join("sessions").join(session.to_string());
        let record = fs::read_to_string(folder(&self.disk).join("events.jsonl"));
        let record = record.expect("the record can be read");
        let kept: String = record.split_inclusive('\n').take(events).collect();
        fs::create_dir_all(folder(&disk)).expect("a folder can be made");
        fs::write(folder(&disk).join("events.jsonl"), kept).expect("a file can be written");
        Self::on(disk, self.limits.clone(), lines)
    }

    fn on(
        disk: Arc<TempDir>,
        limits: Limits,
        lines: impl IntoIterator<Item = ScriptedReply>,
    ) -> Self {
        let journal = files(disk.path());
        let phone = Arc::new(FakeDevice::new("phone-1", disk.path()));
        let script = Arc::new(ScriptedModel::new(lines));
        let mut rig = Self {
            agent: bare(&phone, &script, &journal, disk.path()),
            phone,
            journal,
            limits,
            privacy: PrivacySettings::default(),
            judge: None,
            models: Models::one(script.clone()),
            script,
            planner: None,
            mode: ReplyMode::PassToClient,
            max_steps: 20,
            policy: Policy::default(),
            secrets: Arc::new(NoNamedSecrets),
            disk,
        };
        rig.rewire();
        rig
    }

    /// The session as its record tells it.
    pub(crate) async fn session(&self, id: SessionId) -> crate::session::Session {
        let mut builder = crate::session::SessionBuilder::new(id);
        self.events(id).await.iter().for_each(|event| builder.apply(event));
        builder.finish().expect("the session has a beginning")
    }

    /// This rig with other limits.
    pub(crate) fn limited(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self.rewire();
        self
    }

    /// This rig with a journal that is not the disk's own.
    pub(crate) fn kept_by(
        mut self,
        wrap: impl FnOnce(Arc<dyn Journal>, Arc<FakeDevice>) -> Arc<dyn Journal>,
    ) -> Self {
        self.journal = wrap(self.journal.clone(), self.phone.clone());
        self.rewire();
        self
    }

    /// This rig on a disk that nobody waits for, where many sessions are about something else.
    pub(crate) fn unsynced(mut self) -> Self {
        self.journal = kept(self.disk.path(), SyncPolicy::Never);
        self.rewire();
        self
    }

    /// This rig with other answers to questions.
    pub(crate) fn answering(mut self, mode: ReplyMode) -> Self {
        self.mode = mode;
        self
    }

    /// This rig with fewer steps a run.
    pub(crate) fn steps(mut self, max_steps: u32) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// This rig with more or less privacy.
    pub(crate) fn privacy(mut self, privacy: PrivacySettings) -> Self {
        self.privacy = privacy;
        self.rewire();
        self
    }

    /// This rig with secrets that the user has kept.
    pub(crate) fn keeping(mut self, secrets: Arc<dyn NamedSecrets>) -> Self {
        self.secrets = secrets;
        self.rewire();
        self
    }

    /// This rig under another policy.
    pub(crate) fn under(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self.rewire();
        self
    }

    /// This rig with prices.
    pub(crate) fn priced(self, prices: Prices) -> Self {
        self.script.cost(prices);
        self
    }

    /// This rig with a judge who says these lines.
    pub(crate) fn judged(self, lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        self.judged_by(Arc::new(ScriptedModel::new(lines)))
    }

    pub(crate) fn judged_by(mut self, model: Arc<ScriptedModel>) -> Self {
        self.judge = Some(Judge { model, rounds: true, sessions: true });
        self.rewire();
        self
    }

    /// This rig with other models beside the one that acts.
    pub(crate) fn modelled(mut self, change: impl FnOnce(&mut Models)) -> Self {
        change(&mut self.models);
        self.rewire();
        self
    }

    /// This rig with a host agent whose model says these lines.
    pub(crate) fn planned(mut self, lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        self.planner = Some(Arc::new(ScriptedModel::new(lines)));
        self.rewire();
        self
    }

    /// What the host agent was told, in order.
    pub(crate) fn pages(&self) -> Vec<String> {
        let planner = self.planner.as_ref().expect("there is a host agent");
        planner.prompts().iter().map(last_words).collect()
    }

    fn rewire(&mut self) {
        let mut deps = deps(&self.phone, &self.script, &self.journal, self.disk.path());
        deps.limits = self.limits.clone();
        deps.policy = self.policy.clone();
        deps.privacy = self.privacy;
        deps.secrets = self.secrets.clone();
        deps.judge.clone_from(&self.judge);
        deps.models.clone_from(&self.models);
        if let Some(planner) = &self.planner {
            deps.models.plan = planner.clone();
        }
        self.agent = Agent::new(deps);
    }

    /// More phones of the same agent.
    pub(crate) fn more_phones(
        &mut self,
        serials: impl IntoIterator<Item = String>,
    ) -> Vec<Arc<FakeDevice>> {
        let phone = |serial: String| Arc::new(FakeDevice::new(&serial, self.disk.path()));
        let phones: Vec<_> = serials.into_iter().map(phone).collect();
        let mut deps = deps(&self.phone, &self.script, &self.journal, self.disk.path());
        let source = |phone: &Arc<FakeDevice>| Arc::new(device::FakeSource(phone.clone())) as _;
        deps.sources.extend(phones.iter().map(source));
        deps.limits = self.limits.clone();
        self.agent = Agent::new(deps);
        phones
    }

    /// A start of this task by [`client`].
    pub(crate) fn task(&self, task: &str) -> StartTask {
        StartTask {
            device_id: DeviceId::new("phone-1"),
            task: task.to_owned(),
            max_steps: self.max_steps,
            reply_mode: self.mode,
            planner: self.planner.is_some(),
            policy: None,
            queue: false,
            principal: client(),
        }
    }

    /// Another server on the same disk, which reaches the same phone.
    pub(crate) fn beside(&self, lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let mut other = self.restarted(lines);
        other.phone = self.phone.clone();
        other.mode = self.mode;
        other.rewire();
        other
    }

    /// What an operator leaves for the question that was asked last.
    pub(crate) async fn post_answer(&self, id: SessionId, text: &str) {
        let me = Principal::operator();
        let question = self.agent.report(id, &me).await.expect("it can be read").asked_at_step;
        let left = self.agent.post_answer(id, question, text.to_owned(), &me).await;
        left.expect("an answer can be left");
    }

    /// Starts "Text Anna" and does not wait.
    pub(crate) async fn begin(&self) -> Follower {
        self.agent.start(self.task("Text Anna")).await.expect("the run starts")
    }

    /// A run of this task, to its end.
    pub(crate) async fn run_task(&self, task: &str) -> Report {
        let follower = self.agent.start(self.task(task)).await;
        self.ended(follower.expect("the task begins")).await
    }

    /// Starts "Text Anna" and waits for the run's end.
    pub(crate) async fn run(&self) -> Report {
        self.ended(self.begin().await).await
    }

    /// What a client that goes on with the session asks for.
    pub(crate) fn next(&self, session_id: SessionId, words: UserInput) -> ContinueTask {
        ContinueTask {
            session_id,
            device_id: None,
            input: words,
            reply_is_secret: false,
            max_steps: self.max_steps,
            reply_mode: self.mode,
            planner: self.planner.is_some(),
            policy: None,
            principal: client(),
            connection: None,
        }
    }

    /// Goes on with a session and does not wait.
    pub(crate) async fn resume(
        &self,
        session: SessionId,
        words: UserInput,
    ) -> Result<Follower, AgentError> {
        self.agent.resume(self.next(session, words)).await
    }

    /// Goes on with a session and waits for the run's end.
    pub(crate) async fn go_on(&self, session: SessionId, words: UserInput) -> Report {
        let follower = self.resume(session, words).await.expect("the session goes on");
        self.ended(follower).await
    }

    /// Waits for a run's end. What is told then is what is on the disk, word for word.
    pub(crate) async fn ended(&self, mut follower: Follower) -> Report {
        within(async { while follower.changed().await {} }).await;
        let report = (*follower.report()).clone();
        assert!(!follower.running(), "the run went away without a word");
        let kept = self.agent.report(report.session_id, &client()).await.expect("it can be read");
        if report.stop_reason != crate::StopReason::StorageFailed {
            assert_eq!(report, kept);
        }
        report
    }

    /// The folder that all servers share.
    pub(crate) fn data(&self) -> &Path {
        self.disk.path()
    }

    /// Every file of the journal that holds this text, with a session's name in its path or not.
    pub(crate) fn files_with(&self, text: &str) -> Vec<String> {
        files::with(self.disk.path(), text)
    }

    /// Changes what is kept under this name.
    pub(crate) fn damages(&self, session: SessionId, blob: &BlobRef) {
        let folder = self.disk.path().join("sessions").join(session.to_string()).join("blobs");
        let file = folder.join(&blob.sha256[..2]).join(format!("{}.png", blob.sha256));
        let length = fs::metadata(&file).expect("it is kept").len();
        let other = vec![b'x'; usize::try_from(length).expect("it is small")];
        fs::write(file, other).expect("a file can be written");
    }

    /// Everything recorded of a session.
    pub(crate) async fn events(&self, session: SessionId) -> Vec<Event> {
        files(self.disk.path()).read(&session).await.expect("the record can be read")
    }

    /// The facts of a session of which `pick` makes something.
    pub(crate) async fn facts<T>(
        &self,
        session: SessionId,
        pick: impl Fn(&Fact) -> Option<T>,
    ) -> Vec<T> {
        self.events(session).await.iter().filter_map(|event| pick(&event.entry.fact)).collect()
    }

    /// Who answered in a session, and what.
    pub(crate) async fn answers(&self, session: SessionId) -> Vec<(AnswerSource, String)> {
        let answer = |fact: &Fact| match fact {
            Fact::Answer(it) => {
                Some((it.source.known().expect("a source has a name"), it.answers.join("\n")))
            }
            _ => None,
        };
        self.facts(session, answer).await
    }

    /// What was seen in a session, as it is recorded.
    pub(crate) async fn observed(&self, session: SessionId) -> Vec<Observe> {
        let observe = |fact: &Fact| match fact {
            Fact::Observe(observe) => Some(observe.clone()),
            _ => None,
        };
        self.facts(session, observe).await
    }
}

impl Drop for Rig {
    /// What the fakes found wrong while the test looked elsewhere.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.phone.complaints(), Vec::<String>::new());
            assert_eq!(self.script.complaints(), Vec::<String>::new());
            let planner = self.planner.as_ref().map(|planner| planner.complaints());
            assert_eq!(planner.unwrap_or_default(), Vec::<String>::new());
        }
    }
}

/// The first words of the last message.
fn last_words(prompt: &Prompt) -> String {
    let last = prompt.messages.last().expect("there is a message");
    match last.parts.first() {
        Some(Part::Text(text)) => text.clone(),
        other => panic!("no words: {other:?}"),
    }
}

fn bare(
    phone: &Arc<FakeDevice>,
    script: &Arc<ScriptedModel>,
    journal: &Arc<dyn Journal>,
    data: &Path,
) -> Agent {
    Agent::new(deps(phone, script, journal, data))
}

fn deps(
    phone: &Arc<FakeDevice>,
    script: &Arc<ScriptedModel>,
    journal: &Arc<dyn Journal>,
    data: &Path,
) -> AgentDeps {
    let source: Arc<dyn DeviceSource> = Arc::new(device::FakeSource(phone.clone()));
    AgentDeps {
        policy: Policy::default(),
        sources: vec![source],
        in_process_devices: Vec::new(),
        models: Models::one(script.clone()),
        journal: journal.clone(),
        coordinator: Arc::new(FileCoordinator::new(data, "test", SyncPolicy::Never)),
        limits: Limits::USUAL,
        config: serde_json::Map::new(),
        secrets: Arc::new(NoNamedSecrets),
        privacy: PrivacySettings::default(),
        judge: None,
    }
}

fn files(data: &Path) -> Arc<dyn Journal> {
    kept(data, SyncPolicy::Step)
}

fn kept(data: &Path, sync: SyncPolicy) -> Arc<dyn Journal> {
    let ticks = std::sync::atomic::AtomicI64::new(0);
    // A clock of its own: every event is a millisecond after the one before.
    let clock = move || {
        let tick = ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Timestamp::UNIX_EPOCH + (1_700_000_000_000 + tick).milliseconds()
    };
    Arc::new(FileJournal::new(data, Arc::new(clock), sync))
}

/// Waits, but not for ever: a test that hangs says where.
pub(crate) async fn within<T>(waiting: impl Future<Output = T>) -> T {
    let limit = Duration::from_hours(10);
    tokio::time::timeout(limit, waiting).await.expect("this ends by itself")
}

/// The record of a session that has just begun, on a disk of its own, and the phone that checks it.
pub(crate) struct Recording {
    pub(crate) device: Arc<FakeDevice>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) recorder: Recorder,
    _disk: TempDir,
}

impl Recording {
    pub(crate) async fn new() -> Self {
        Self::synced(SyncPolicy::Step).await
    }

    /// On a disk that is not waited for.
    pub(crate) async fn unsynced() -> Self {
        Self::synced(SyncPolicy::Never).await
    }

    async fn synced(sync: SyncPolicy) -> Self {
        let disk = tempfile::tempdir().expect("a temporary folder can be made");
        let journal = kept(disk.path(), sync);
        let device = Arc::new(FakeDevice::new("phone-1", disk.path()));
        let start = SessionStart {
            task_name: "test".to_owned(),
            request: "Text Anna".to_owned(),
            device: DeviceRecord {
                device_id: "phone-1".to_owned(),
                model: String::new(),
                android_version: String::new(),
                wm_size: [60, 120],
                serial_digest: None,
            },
            config: serde_json::Map::new(),
            run: RunRecord {
                max_steps: 20,
                reply_mode: ReplyMode::PassToClient.into(),
                planner: false,
                policy: None,
                device_server: None,
            },
            owner: None,
        };
        let privacy = PrivacySettings::default();
        let secrets = Arc::new(SecretStore::new(privacy.text));
        let recorder = Recorder::create(&*journal, SessionId::new(), start, secrets, privacy);
        let recorder = recorder.await.expect("a session can be created");
        Self { device, journal, recorder, _disk: disk }
    }

    /// The facts behind the beginning of the session.
    pub(crate) async fn facts(&self) -> Vec<Fact> {
        let id = self.recorder.session().id;
        let events = self.journal.read(&id).await.expect("the record can be read");
        events.into_iter().skip(1).map(|event| event.entry.fact).collect()
    }
}
