//! Runs of other servers: finding them, leaving them messages, and seeing that they come and go.
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::{Instant, timeout};

use super::follower::END_WAIT;
use super::registry::{DeviceLease, RunRegistry};
use super::run_elsewhere::RunElsewhere;
use super::{Agent, AgentError};
use crate::coordinator::{
    CoordinatorError, InboxMessage, InboxMessageBody, NewRun, News, Registered, Registration,
    RunEntry, RunKind, UserReply,
};
use crate::journal::{Journal, JournalError, Summary};
use crate::{DeviceId, DeviceNames, Principal, Report, SessionId, StopReason, error_chain};

/// How long a registered run of another server usually has no record, at most.
const BEGIN_WAIT: Duration = Duration::from_secs(2);

/// What came of registering a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has its phone.
    Running,
    /// It waits for its phone.
    Queued,
    /// Another server has begun a run of this session.
    Elsewhere,
}

/// What a run is registered for.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunPurpose {
    pub(super) kind: RunKind,
    /// Whether it waits its turn.
    pub(super) queue: bool,
}

impl RunPurpose {
    pub(super) const fn of(kind: RunKind) -> Self {
        Self { kind, queue: false }
    }
}

impl Agent {
    /// The run of a session in another server, if one has it.
    pub(super) async fn run_elsewhere(
        &self,
        id: SessionId,
    ) -> Result<Option<RunEntry>, AgentError> {
        let run = self.deps.coordinator.run_of(id).await?;
        // One that is registered and not known here yet is still starting.
        let ours = self.runs.get(id).is_some() || self.runs.starting(id).is_some();
        Ok(run.filter(|_| !ours))
    }

    /// Registers a run with the other servers. Waits while somebody has the phone for one act.
    pub(super) async fn register(
        &self,
        lease: &mut DeviceLease,
        session: SessionId,
        owner: &Principal,
        purpose: RunPurpose,
    ) -> Result<Standing, AgentError> {
        let names = lease.names.clone();
        let Some((registration, standing)) =
            self.register_run(&names, session, owner, purpose).await?
        else {
            return Ok(Standing::Elsewhere);
        };
        lease.registration = Some(registration);
        Ok(standing)
    }

    /// Registers a run for which no lease is held here; `None` where the session has such a run already.
    pub(super) async fn register_run(
        &self,
        names: &DeviceNames,
        session: SessionId,
        owner: &Principal,
        RunPurpose { kind, queue }: RunPurpose,
    ) -> Result<Option<(Box<Registration>, Standing)>, AgentError> {
        let coordinator = &self.deps.coordinator;
        let mut news = News::of_all(&**coordinator);
        let deadline = Instant::now() + END_WAIT;
        loop {
            let devices = self.shared_names(names);
            let run = NewRun { session, devices, owner: owner.clone(), kind, queue };
            let other = match coordinator.register(run).await? {
                Registered::Granted(registration) => {
                    return Ok(Some((Box::new(registration), Standing::Running)));
                }
                Registered::Queued(registration) => {
                    return Ok(Some((Box::new(registration), Standing::Queued)));
                }
                Registered::Taken(other) => other,
            };
            let device = names.id.clone();
            match other.kind {
                _ if other.session == session => return Ok(None),
                RunKind::Act if Instant::now() < deadline => news.next().await,
                RunKind::InHand => return Err(AgentError::DeviceInHand { device }),
                RunKind::Task | RunKind::Act => {
                    let session = Some(other.session);
                    return Err(AgentError::DeviceBusy { device, session });
                }
            }
        }
    }

    /// The names of a phone among all servers. What only this one reaches is named after it.
    pub(super) fn shared_names(&self, names: &DeviceNames) -> Vec<DeviceId> {
        match self.device_server(&names.id) {
            Some(server) => vec![DeviceId::new(format!("{}@{server}", names.id))],
            None => names.keys(),
        }
    }

    /// This server, for a phone that only it reaches.
    pub(super) fn device_server(&self, device: &DeviceId) -> Option<String> {
        let is_here_only = self.deps.in_process_devices.contains(device);
        is_here_only.then(|| self.deps.coordinator.server().to_owned())
    }

    /// Whether a session's phone is one that only another server reaches, or reached: here a phone of its name is
    /// another one.
    pub fn is_phone_elsewhere(&self, session: &Summary) -> bool {
        session.device_server.as_deref().is_some_and(|it| it != self.deps.coordinator.server())
    }

    /// Stops a run of another server and waits for its end, but not for ever.
    pub(super) async fn stop_elsewhere(
        &self,
        run: &RunEntry,
        reason: StopReason,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        let (session, epoch) = (run.session, run.epoch);
        let coordinator = self.deps.coordinator.clone();
        let asked = RunElsewhere { coordinator, session, epoch };
        // Followed first, so that its end is seen. Where it has no record yet, whoever is to begin it may be suspended.
        let mut followed = Box::pin(self.follow_elsewhere(run));
        let soon = timeout(BEGIN_WAIT, followed.as_mut()).await;
        asked.ask_to_stop(reason).await?;
        let mut follower = match soon {
            Ok(follower) => follower?,
            Err(_) => followed.await?,
        };
        follower.stopped().await;
        if !follower.running() {
            return Ok((*follower.report()).clone());
        }
        self.report(session, principal).await
    }

    /// Hands the user's words to a run in progress, wherever it is; false when it takes no more.
    pub(super) async fn hand_over(
        &self,
        id: SessionId,
        run: u64,
        reply: UserReply,
    ) -> Result<bool, AgentError> {
        let message = InboxMessage::new(InboxMessageBody::Reply(reply));
        match self.deps.coordinator.send(id, &message, Some(run)).await {
            Ok(()) => Ok(true),
            Err(CoordinatorError::RunEnded) => Ok(false),
            Err(err) => Err(err.into()),
        }
    }

    /// Posts an answer to the open question, for whichever server runs the session now or later. One that was
    /// left before and that nobody has taken does not count any more; whether there was one is returned.
    pub async fn post_answer(
        &self,
        id: SessionId,
        question: u32,
        text: String,
        principal: &Principal,
    ) -> Result<bool, AgentError> {
        self.ensure_visible(id, principal).await?;
        let coordinator = &self.deps.coordinator;
        let before = coordinator.inbox(id).await?.into_iter().filter(|message| {
            matches!(&message.body, InboxMessageBody::Reply(reply) if reply.question == Some(question))
        });
        let before: Vec<_> = before.map(|message| message.id).collect();
        let reply = UserReply { text, question: Some(question), secret: false };
        let message = InboxMessage::new(InboxMessageBody::Reply(reply));
        coordinator.send(id, &message, None).await?;
        // Not before: the session is never without an answer. A run that takes the first one in this moment has
        // it in its record, and drops the other.
        for earlier in &before {
            coordinator.acknowledge(id, *earlier).await?;
        }
        Ok(!before.is_empty())
    }

    /// Whether an answer to this question was left that nobody has taken.
    pub async fn has_answer_left(&self, id: SessionId, question: u32) -> bool {
        let is_it = |message: &InboxMessage| matches!(&message.body, InboxMessageBody::Reply(reply) if reply.question == Some(question));
        // What cannot be read now is looked for again when the session goes on.
        self.deps.coordinator.inbox(id).await.is_ok_and(|left| left.iter().any(is_it))
    }

    /// Waits for such an answer.
    pub async fn until_answer_is_left(&self, id: SessionId, question: u32) {
        let mut news = News::of(&*self.deps.coordinator, id);
        while !self.has_answer_left(id, question).await {
            news.next().await;
        }
    }

    /// What was left for a session by [`post_answer`](Self::post_answer) and nobody has taken, the first one first.
    pub async fn left_answers(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Vec<String>, AgentError> {
        self.ensure_visible(id, principal).await?;
        let left = self.deps.coordinator.inbox(id).await?;
        let answers = left.into_iter().filter_map(|message| match message.body {
            InboxMessageBody::Reply(reply) if !reply.secret => Some(reply.text),
            _ => None,
        });
        Ok(answers.collect())
    }

    /// Waits until another server's run of a session is over. One that does not end is busy.
    pub(super) async fn ended_elsewhere(&self, run: &RunEntry) -> Result<(), AgentError> {
        let mut news = News::of(&*self.deps.coordinator, run.session);
        let deadline = Instant::now() + END_WAIT;
        while self
            .deps
            .coordinator
            .run_of(run.session)
            .await?
            .is_some_and(|it| it.epoch == run.epoch)
        {
            if deadline < Instant::now() {
                return Err(AgentError::SessionBusy(run.session));
            }
            news.next().await;
        }
        Ok(())
    }

    /// Looks at the runs of other servers for as long as somebody waits for changes.
    pub(super) fn watch_elsewhere(&self) {
        if !self.runs.begin_watching() {
            return;
        }
        let (deps, runs) = (self.deps.clone(), self.runs.clone());
        tokio::spawn(
            async move {
                let mut news = News::of_all(&*deps.coordinator);
                let closing = runs.closing.clone();
                let mut waiting = Vec::new();
                loop {
                    match deps.coordinator.runs().await {
                        Ok(entries) => {
                            let entries =
                                recorded(&*deps.journal, &runs, entries, &mut waiting).await;
                            if !runs.see_elsewhere(&entries) {
                                return;
                            }
                        }
                        Err(err) => tracing::debug!("runs of other servers: {}", error_chain(&err)),
                    }
                    tokio::select! {
                        () = news.next() => {}
                        () = closing.cancelled() => return,
                    }
                }
            }
            .boxed(),
        );
    }
}

/// The runs that can be read: whoever is told of one reads it. Those of other servers that were registered and have no
/// record yet wait; one that has come to its end meanwhile is among them once more.
async fn recorded(
    journal: &dyn Journal,
    runs: &RunRegistry,
    entries: Vec<RunEntry>,
    waiting: &mut Vec<RunEntry>,
) -> Vec<RunEntry> {
    let is_recorded = async |run: &RunEntry| {
        !matches!(journal.is_locked(&run.session).await, Err(JournalError::Unknown(_)))
    };
    let mut readable = Vec::new();
    for run in std::mem::take(waiting) {
        let has_ended = entries.iter().all(|entry| entry.epoch != run.epoch);
        if has_ended && is_recorded(&run).await {
            readable.push(run);
        }
    }
    for run in entries {
        let is_new = run.kind != RunKind::InHand && runs.is_unseen(&run);
        if is_new && !is_recorded(&run).await {
            waiting.push(run);
        } else {
            readable.push(run);
        }
    }
    readable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::RunState;
    use crate::fakes::Rig;

    #[tokio::test(start_paused = true)]
    async fn a_run_that_ends_before_it_was_seen_with_its_record_is_seen_all_the_same() {
        let rig = Rig::new([]);
        let entry = |session, epoch| RunEntry {
            session,
            devices: vec![DeviceId::new("phone-1")],
            owner: Principal::local(),
            server: "there".to_owned(),
            epoch,
            kind: RunKind::Task,
            state: RunState::Running,
            queue_turn: 0,
        };
        let [begins, fails] = [1, 2].map(|epoch| entry(SessionId::new(), epoch));
        let (journal, runs) = (&*rig.agent.deps.journal, RunRegistry::default());
        let mut waiting = Vec::new();
        let both = vec![begins.clone(), fails.clone()];
        assert_eq!(recorded(journal, &runs, both, &mut waiting).await, []);
        drop(journal.create(&begins.session).await.unwrap());
        assert_eq!(recorded(journal, &runs, Vec::new(), &mut waiting).await, [begins]);
        assert_eq!(waiting, [], "the other one never began");
    }
}
