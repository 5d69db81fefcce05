//! A client that wants its task done, whatever happens, and checks what it is told.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::gate::Policy;
use ayeaye_agent::journal::{ActionRecord, Event, Fact};
use ayeaye_agent::{
    Agent, AgentDeps, AgentError, ContinueTask, DeviceId, DeviceSource, Follower, Journal, Limits,
    Models, Principal, PrivacySettings, ReplyMode, Report, SessionId, StartTask, StopReason,
    UserInput,
};
use tokio::time::{Instant, sleep, sleep_until};

use crate::disk::{Disk, DiskJournal};
use crate::model::Mind;
use crate::phone::{Phone, Source};
use crate::servers::Servers;
use crate::world::{ClientFault, World};

/// Longest run, and what its end may take besides: a phone that is waited for, a model, a call to the phone.
const RUN_TIME: Duration = Duration::from_mins(10);
const END_TIME: Duration = Duration::from_mins(5);

/// What outlives processes.
#[derive(Debug)]
pub struct Client {
    pub world: Arc<World>,
    pub disk: Arc<Disk>,
    pub phone: Arc<Phone>,
    pub mind: Arc<Mind>,
    /// The session, once the client has been told of it.
    pub session: Option<SessionId>,
    twice: bool,
}

/// Whether there is anything left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Over,
    GivenUp,
}

impl Client {
    pub fn new(world: Arc<World>) -> Self {
        let disk = Arc::new(Disk::new(world.clone()));
        let phone = Arc::new(Phone::new(world.clone(), disk.clone()));
        let mind = Arc::new(Mind::new(world.clone()));
        Self { world, disk, phone, mind, session: None, twice: false }
    }

    fn agent(&self) -> Agent {
        let source: Arc<dyn DeviceSource> = Arc::new(Source(self.phone.clone()));
        let journal: Arc<dyn Journal> = Arc::new(DiskJournal(self.disk.clone()));
        let limits = Limits {
            run_time: RUN_TIME,
            model_call: Duration::from_mins(1),
            operator_wait: Duration::from_mins(2),
            speculate: self.world.speculate,
            ..Limits::USUAL
        };
        Agent::new(AgentDeps {
            secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
            sources: vec![source],
            in_process_devices: Vec::new(),
            models: Models::one(self.mind.clone()),
            journal,
            coordinator: Arc::new(Servers::new(&self.disk, self.world.clone())),
            limits,
            config: serde_json::Map::new(),
            policy: Policy::default(),
            privacy: PrivacySettings::default(),
            judge: None,
        })
    }

    fn task(who: &str) -> StartTask {
        StartTask {
            device_id: DeviceId::new("phone-1"),
            task: "Do all of it".to_owned(),
            max_steps: 25,
            reply_mode: ReplyMode::PassToClient,
            planner: false,
            queue: false,
            policy: None,
            principal: Principal::new(who),
        }
    }

    /// One process, from its start to the end of the task; the caller may kill it at any moment.
    pub async fn drive(&mut self) -> Progress {
        let agent = self.agent();
        drop(agent.put_back_settings().await);
        let mut next = match self.session {
            None => self.start(&agent).await,
            Some(id) => {
                self.check_known(&agent, id).await;
                self.resume(&agent, id, UserInput::Nothing).await
            }
        };
        for _ in 0..30 {
            let Some(follower) = next else { return self.leave(&agent, Progress::GivenUp).await };
            let Some(report) = Box::pin(self.follow(&agent, follower)).await else {
                return Progress::GivenUp;
            };
            let input = match report.stop_reason {
                StopReason::TaskCompletedSuccessfully | StopReason::TaskAbortedByAgent => {
                    return self.leave(&agent, Progress::Over).await;
                }
                StopReason::InfoActionNeedsReply => self.answer(&report),
                StopReason::NoProgress => {
                    self.mind.is_advised();
                    UserInput::Reply("Try another way".to_owned())
                }
                _ => UserInput::Nothing,
            };
            let id = report.session_id;
            if std::mem::take(&mut self.twice) | self.world.answered_twice() {
                let first = self.resume(&agent, id, input.clone()).await;
                let again = self.resume(&agent, id, input).await;
                next = again.or(first);
            } else {
                next = self.resume(&agent, id, input).await;
            }
        }
        self.leave(&agent, Progress::GivenUp).await
    }

    async fn start(&mut self, agent: &Agent) -> Option<Follower> {
        for _ in 0..15 {
            match self.within("a start", agent.start(Self::task("client"))).await? {
                Ok(follower) => {
                    self.session = Some(follower.report().session_id);
                    self.world.note("client: started");
                    return Some(follower);
                }
                Err(err) => self.world.note(format!("client: cannot start: {}", self.plain(&err))),
            }
            sleep(Duration::from_mins(1)).await;
        }
        self.world.broken("the phone is there and no task can be started");
        None
    }

    /// What the client has been told of is there, whatever happened.
    async fn check_known(&self, agent: &Agent, id: SessionId) {
        if let Some(Err(err)) =
            self.within("a report", agent.report(id, &Principal::new("client"))).await
        {
            self.world.broken(format!("the session cannot be read: {}", self.plain(&err)));
        }
    }

    async fn resume(&self, agent: &Agent, id: SessionId, input: UserInput) -> Option<Follower> {
        for _ in 0..15 {
            let go_on = ContinueTask {
                session_id: id,
                device_id: None,
                input: input.clone(),
                reply_is_secret: false,
                max_steps: 25,
                reply_mode: ReplyMode::PassToClient,
                planner: false,
                policy: None,
                principal: Principal::new("client"),
                connection: None,
            };
            match self.within("a continue", agent.resume(go_on)).await? {
                Ok(follower) => return Some(follower),
                Err(AgentError::SessionFull(_)) => return None,
                Err(err) => self.world.note(format!("client: cannot go on: {}", self.plain(&err))),
            }
            sleep(Duration::from_mins(1)).await;
        }
        self.world.broken("the phone is there and the session cannot go on");
        None
    }

    /// Follows a run to its end. `None` where it has none, which is a broken promise.
    async fn follow(&mut self, agent: &Agent, mut follower: Follower) -> Option<Report> {
        let world = self.world.clone();
        let deadline = Instant::now() + RUN_TIME + END_TIME;
        // Gestures that had arrived when it was told to stop.
        let mut stopped_at = None;
        loop {
            tokio::select! {
                biased;
                more = follower.changed() => if !more { break },
                fault = world.client_fault() => {
                    let arrived = world.truth(|truth| truth.arrived.len());
                    match fault {
                        ClientFault::Cancelled | ClientFault::Paused => {
                            let cancelled = fault == ClientFault::Cancelled;
                            follower.stop(if cancelled { StopReason::Cancelled } else { StopReason::UserPaused });
                            stopped_at.get_or_insert(arrived);
                        }
                        ClientFault::AnsweredTwice => self.twice = true,
                        other => {
                            let id = follower.report().session_id;
                            follower = Box::pin(self.misbehave(agent, id, follower, other)).await?;
                        }
                    }
                }
                () = sleep_until(deadline) => {
                    world.broken("a run goes on beyond its limit");
                    return None;
                }
            }
        }
        let report = (*follower.report()).clone();
        world.note(format!("client: {} {:?}", report.stop_reason.name(), report.message));
        world.check(!follower.ended_abruptly(), || "a run went away without a word".to_owned());
        let arrived = world.truth(|truth| truth.arrived.len());
        let late = stopped_at.map_or(0, |then| arrived - then);
        world.check(late <= 1, || format!("{late} gestures after it was told to stop"));
        self.check_end(&report);
        Some(report)
    }

    /// What a client may do while a run goes on.
    async fn misbehave(
        &self,
        agent: &Agent,
        id: SessionId,
        follower: Follower,
        fault: ClientFault,
    ) -> Option<Follower> {
        match fault {
            ClientFault::Gone => {
                drop(follower);
                sleep(Duration::from_secs(u64::from(self.world.random(20)))).await;
                self.check_known(agent, id).await;
                self.resume(agent, id, UserInput::Nothing).await
            }
            ClientFault::Repeated => {
                let again = self.within("a start", agent.start(Self::task("client"))).await?;
                if let (Ok(again), true) = (&again, follower.running()) {
                    let same = again.report().session_id == id;
                    self.world.check(same, || "a repeated start began a second session".to_owned());
                }
                Some(follower)
            }
            ClientFault::SecondProcess => {
                let other = self.agent();
                let taken =
                    self.within("a start", other.start(Self::task("somebody else"))).await?;
                if let (Ok(taken), true) = (&taken, follower.running()) {
                    self.world.broken("two processes have the phone");
                    taken.stop(StopReason::Cancelled);
                }
                Some(follower)
            }
            ClientFault::Cancelled | ClientFault::Paused | ClientFault::AnsweredTwice => {
                Some(follower)
            }
        }
    }

    /// An end is told for no other reason than the model's word.
    fn check_end(&self, report: &Report) {
        // What the agent itself adds is told as not the model's.
        let words = report.message.split("\n[Not the model's words: ").next().unwrap_or_default();
        let said = self.world.truth(|truth| match report.stop_reason {
            StopReason::TaskCompletedSuccessfully => truth.completed.contains(words),
            StopReason::TaskAbortedByAgent => truth.aborted.contains(&report.message),
            _ => true,
        });
        self.world.check(said, || {
            format!(
                "{} is told, and the model has not said {:?}",
                report.stop_reason.name(),
                report.message
            )
        });
    }

    fn answer(&self, report: &Report) -> UserInput {
        let question = report.question.as_ref();
        let text = question.map(|question| question.text.clone()).unwrap_or_default();
        let yes = self.world.random(2) == 0;
        let asked = self.world.truth(|truth| {
            let asked = truth.asked.iter().find(|(asked, _)| text.contains(asked.as_str()));
            let act = asked.map(|(_, act)| act.clone());
            if let Some(act) = &act {
                truth.leave.insert(act.clone(), Some(yes));
            }
            act.is_some()
        });
        let answer = match (asked, yes) {
            (true, true) => "Yes".to_owned(),
            (true, false) => "No".to_owned(),
            (false, _) => "The first one".to_owned(),
        };
        self.world.note(format!("client: answers {answer:?} to {text:?}"));
        match report.question_number() {
            Some(question) => UserInput::Answer { question, text: answer },
            None => UserInput::Reply(answer),
        }
    }

    /// Nothing is under way any more: what has to be true of record and phone?
    async fn leave(&mut self, agent: &Agent, progress: Progress) -> Progress {
        for _ in 0..10 {
            if matches!(agent.put_back_settings().await, Ok(0)) {
                break;
            }
            sleep(Duration::from_mins(1)).await;
        }
        let left = self.disk.remembers_any() || self.phone.is_as_it_was();
        self.world.check(left, || "a setting stays changed and nobody remembers it".to_owned());
        if let Some(id) = self.session {
            self.check_record(id);
            let within = self.within("a report", agent.report(id, &Principal::new("client"))).await;
            if let Some(Err(err)) = within {
                self.world
                    .broken(format!("the session cannot be read at the end: {}", self.plain(&err)));
            }
        }
        progress
    }

    /// The record has every gesture that arrived, and none that is told as done was not.
    fn check_record(&self, id: SessionId) {
        let events = self.disk.events(id);
        let lost = self.disk.lost_blobs(id);
        self.world.check(lost.is_empty(), || format!("{} pictures are not there", lost.len()));
        let announced = |what: &str| {
            let is_it = |event: &&Event| {
                matches!(&event.entry.fact, Fact::ToolStart(start)
                if start.device && describe(start.name.clone(), &start.parameters) == what)
            };
            events.iter().filter(is_it).count()
        };
        let arrived = self.world.truth(|truth| truth.arrived.clone());
        for (what, _) in &arrived {
            let times = arrived.iter().filter(|(other, _)| other == what).count();
            self.world.check(times <= announced(what), || format!("{what} is not in the record"));
        }
        let mut started = std::collections::HashMap::new();
        for event in &events {
            match &event.entry.fact {
                Fact::ToolStart(start) if start.device => {
                    started.insert(
                        start.tool_call_id,
                        describe(start.name.clone(), &start.parameters),
                    );
                }
                Fact::ToolEnd(end) if end.success && !end.unknown && end.uncertain.is_none() => {
                    let Some(what) = started.get(&end.tool_call_id) else { continue };
                    if what == "RESET" || what == "WAKE" {
                        continue;
                    }
                    let done = arrived.contains(&(what.clone(), true));
                    self.world.check(done, || format!("{what} is recorded as done and was not"));
                }
                _ => {}
            }
        }
    }

    async fn within<T>(&self, what: &str, call: impl Future<Output = T>) -> Option<T> {
        let ended = tokio::time::timeout(RUN_TIME, call).await.ok();
        self.world.check(ended.is_some(), || format!("{what} does not come back"));
        ended
    }

    /// An error without the session's name, which is another every time.
    fn plain(&self, err: &AgentError) -> String {
        let text = err.to_string();
        self.session.map_or(text.clone(), |id| text.replace(&id.to_string(), "ID"))
    }
}

fn describe(function: String, arguments: &serde_json::Map<String, serde_json::Value>) -> String {
    ActionRecord { function, arguments: arguments.clone() }.describe()
}
