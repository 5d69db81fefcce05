//! Waiting for a phone that is busy, among all servers: owners take turns, and of each the first comes first.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::direct::DirectSessions;
use super::launch::Launch;
use super::registry::{DeviceLease, RunRegistry, next_change};
use super::{Agent, AgentError, Follower};
use crate::coordinator::{CoordinatorError, News, QueuePosition, RunEntry, RunKind, RunState};
use crate::deps::AgentDeps;
use crate::replay::Replay;
use crate::run::{Recorder, Run, RunPhase, RunSetup, end_in_queue};
use crate::{Device, DeviceNames, Principal, SessionId, StartTask, StopReason, error_chain};

use super::elsewhere::{RunPurpose, Standing};

/// How long a run goes on waiting, or is followed, while the table that all servers share cannot be read.
pub(super) const LONGEST_UNREADABLE: Duration = Duration::from_mins(1);

/// Who waits for a phone, as far as somebody may know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceQueue {
    /// How many sessions wait.
    pub length: u32,
    /// Those of them that are the asker's, the next one first.
    pub sessions: Vec<SessionId>,
}

/// A run in its queue.
struct QueuedRun {
    deps: Arc<AgentDeps>,
    runs: RunRegistry,
    direct_sessions: DirectSessions,
    owner: Principal,
    lease: DeviceLease,
    setup: RunSetup,
    epoch: u64,
}

impl Agent {
    /// Starts a session that waits for its phone if that is taken.
    pub(super) async fn start_in_turn(
        &self,
        start: StartTask,
        replay: Option<Arc<Replay>>,
        mut lease: DeviceLease,
    ) -> Result<Follower, AgentError> {
        let (id, device) = (lease.session, lease.names.id.clone());
        let standing = self
            .register(
                &mut lease,
                id,
                &start.principal,
                RunPurpose { kind: RunKind::Task, queue: true },
            )
            .await?;
        let device = self.device(&device).await?;
        let mut first_place = None;
        if standing == Standing::Queued
            && let Some(registration) = &lease.registration
        {
            // Its place is only told: where it cannot be, the session waits all the same.
            match self.deps.coordinator.advance(registration.entry.epoch).await {
                Ok(QueuePosition::Waiting { place }) => first_place = Some(place),
                Ok(QueuePosition::Yours) => {}
                Err(err) => {
                    tracing::warn!(session = %id, "its place in the queue: {}", error_chain(&err));
                }
            }
        }
        let launch = Launch { replay, ..start.launch() };
        let run = launch.started_with.clone();
        let (recorder, record) =
            self.create_session(id, &*device, &start.task, run, &start.principal).await?;
        let (active, setup, _begun) = self.prepare(&lease, &recorder, launch, start.task);
        let (deps, runs, epoch) = (self.deps.clone(), self.runs.clone(), active.epoch);
        let owner = active.owner.clone();
        let direct_sessions = self.direct_sessions.clone();
        let queued = QueuedRun { deps, runs, direct_sessions, owner, lease, setup, epoch };
        if let Some(place) = first_place {
            queued.tell_place(place);
        }
        let follower = self.runs.begin(id, active, queued.drive(recorder, device))?;
        record.has_begun();
        Ok(follower)
    }

    /// Who waits for each of these phones, by one look.
    pub async fn device_queues(
        &self,
        phones: &[DeviceNames],
        principal: &Principal,
    ) -> Result<Vec<DeviceQueue>, AgentError> {
        let mut waiting = self.deps.coordinator.runs().await?;
        waiting.retain(|run| run.state == RunState::Queued);
        waiting.sort_by_key(RunEntry::place_in_line);
        let queues = phones.iter().map(|names| {
            let names = self.shared_names(names);
            let mut queue = DeviceQueue::default();
            for run in waiting.iter().filter(|run| run.wants_any_of(&names)) {
                queue.length += 1;
                if principal.owns(&run.owner) {
                    queue.sessions.push(run.session);
                }
            }
            queue
        });
        Ok(queues.collect())
    }
}

impl QueuedRun {
    /// Waits for the phone, then drives it.
    async fn drive(self, recorder: Recorder, device: Arc<dyn Device>) {
        let waited = self.wait().await;
        let Self { deps, direct_sessions, lease, mut setup, .. } = self;
        match waited {
            Ok(()) => {
                // Not before: whoever has the phone until then may still act on it.
                direct_sessions.forget(&lease.names.id);
                Box::pin(Run::new(deps, recorder, device, setup).drive(lease)).await;
            }
            Err((reason, message)) => {
                let left = setup.mailbox.take_secrets(&recorder);
                setup.mailbox.post(left).await;
                Box::pin(end_in_queue(recorder, reason, message, setup.updates, lease)).await;
            }
        }
    }

    /// Waits until it is this run's turn; an error says how the run ends instead.
    async fn wait(&self) -> Result<(), (StopReason, String)> {
        let waited = self.setup.cancel.race(async {
            self.until_turn().await?;
            // The last run here may still be giving the phone back.
            loop {
                let changes = self.runs.changes();
                if self.runs.claim(&self.lease, &self.owner) {
                    return Ok::<(), CoordinatorError>(());
                }
                next_change(changes).await;
            }
        });
        match waited.await.map_err(|it| (it.reason, it.to_string()))? {
            Ok(()) => {}
            Err(err) => return Err((StopReason::NotStarted, error_chain(&err))),
        }
        self.setup.updates.send_modify(|update| {
            Arc::make_mut(&mut update.report).message.clear();
            update.line.clear();
            update.phase = RunPhase::Preparing;
        });
        Ok(())
    }

    /// Waits until the phone is this run's. What the servers share may be out of reach for a while: it is looked at again.
    async fn until_turn(&self) -> Result<(), CoordinatorError> {
        let coordinator = &*self.deps.coordinator;
        // Also of the sessions before it.
        let mut news = News::of_all(coordinator);
        let mut unread_since = None;
        loop {
            match coordinator.advance(self.epoch).await {
                Ok(QueuePosition::Yours) => return Ok(()),
                Ok(QueuePosition::Waiting { place }) => {
                    unread_since = None;
                    self.tell_place(place);
                }
                Err(err @ CoordinatorError::RunEnded) => return Err(err),
                Err(err) => {
                    let session = self.lease.session;
                    let since = *unread_since.get_or_insert_with(|| {
                        tracing::warn!(%session, "it waits on, its turn unknown: {}", error_chain(&err));
                        Instant::now()
                    });
                    if LONGEST_UNREADABLE <= since.elapsed() {
                        return Err(err);
                    }
                }
            }
            news.next().await;
        }
    }

    /// Tells the followers which place it has.
    fn tell_place(&self, place: u32) {
        let message = place_message(place, self.lease.names.id.as_str());
        self.setup.updates.send_if_modified(|update| {
            let changed = update.report.message != message;
            if changed {
                let report = Arc::make_mut(&mut update.report);
                report.message.clone_from(&message);
                update.line = message;
                update.phase = RunPhase::Queued;
            }
            changed
        });
    }
}

/// Which place a run has in the queue for its phone, in words.
pub(super) fn place_message(place: u32, device: &str) -> String {
    format!(
        "{device} is busy: place {place} in its queue; the task starts by itself when its turn comes"
    )
}
