//! Following a run of another server by its record: one reader for all who follow it here.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::timeout;

use super::follower::END_WAIT;
use super::follower::FollowedRun;
use super::run_elsewhere::RunElsewhere;
use super::{Agent, AgentError, Follower, queue};
use crate::coordinator::{News, RunEntry, RunState};
use crate::deps::AgentDeps;
use crate::journal::{Fact, NoteKind, ReadPosition, SessionBuilder};
use crate::report::Report;
use crate::run::{RunPhase, RunUpdate, waiting_for_operator};
use crate::{JournalError, ReplyMode, SessionId, error_chain};

/// The runs of other servers that are followed here.
#[derive(Debug, Clone, Default)]
pub(super) struct Tails(Arc<Mutex<HashMap<SessionId, SharedTail>>>);

#[derive(Debug)]
struct SharedTail {
    epoch: u64,
    updates: watch::Sender<RunUpdate>,
}

impl Tails {
    /// The updates of a run that somebody follows already.
    fn join(&self, run: &RunEntry) -> Option<watch::Receiver<RunUpdate>> {
        let tails = self.lock();
        let tail = tails.get(&run.session).filter(|tail| tail.epoch == run.epoch)?;
        Some(tail.updates.subscribe())
    }

    /// Keeps the newest run of the session, for others to join.
    fn keep(&self, run: &RunEntry, updates: watch::Sender<RunUpdate>) {
        let mut tails = self.lock();
        if tails.get(&run.session).is_none_or(|tail| tail.epoch < run.epoch) {
            tails.insert(run.session, SharedTail { epoch: run.epoch, updates });
        }
    }

    /// Whether nobody follows the run any more; then nobody can join it either.
    fn close_if_unfollowed(&self, run: &RunEntry, updates: &watch::Sender<RunUpdate>) -> bool {
        let mut tails = self.lock();
        let alone = updates.is_closed();
        if alone {
            remove(&mut tails, run);
        }
        alone
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, SharedTail>> {
        // No code that holds this lock can panic half way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tail that others can join: no longer when following it ends, however it does.
struct OpenTail {
    tails: Tails,
    run: RunEntry,
}

impl Drop for OpenTail {
    fn drop(&mut self) {
        remove(&mut self.tails.lock(), &self.run);
    }
}

fn remove(tails: &mut HashMap<SessionId, SharedTail>, run: &RunEntry) {
    if tails.get(&run.session).is_some_and(|tail| tail.epoch == run.epoch) {
        tails.remove(&run.session);
    }
}

impl Agent {
    /// A follower of a run of another server.
    pub(super) async fn follow_elsewhere(&self, run: &RunEntry) -> Result<Follower, AgentError> {
        let updates = match self.tails.join(run) {
            Some(updates) => updates,
            None => self.begin_tail(run).await?,
        };
        let coordinator = self.deps.coordinator.clone();
        let elsewhere = RunElsewhere { coordinator, session: run.session, epoch: run.epoch };
        let run = FollowedRun::Elsewhere(elsewhere);
        Ok(Follower::new(updates, run))
    }

    async fn begin_tail(&self, run: &RunEntry) -> Result<watch::Receiver<RunUpdate>, AgentError> {
        let mut tail = Tail::new(self.deps.clone(), run.clone());
        // From before the first look on: nothing is missed between the two.
        let news = News::of(&*self.deps.coordinator, run.session);
        let mut begins = News::of(&*self.deps.coordinator, run.session);
        let Ok(update) = timeout(END_WAIT, tail.first_update(&mut begins)).await else {
            return Err(AgentError::SessionBusy(run.session));
        };
        let update = update?;
        let (sender, updates) = watch::channel(update);
        self.tails.keep(run, sender.clone());
        let open = OpenTail { tails: self.tails.clone(), run: run.clone() };
        tokio::spawn(async move {
            if let Err(err) = tail.follow(&sender, news, &open.tails).await {
                // Whoever follows sees that there will be no more updates, and reads the record.
                tracing::warn!(session = %tail.run.session, "it cannot be followed: {}", error_chain(&err));
            }
        });
        Ok(updates)
    }
}

/// One reader of a record that another server writes.
#[derive(Debug)]
struct Tail {
    deps: Arc<AgentDeps>,
    run: RunEntry,
    session: SessionBuilder,
    position: ReadPosition,
    /// The end of a run that was recorded while this followed.
    ended: Option<Report>,
    line: String,
    phase: RunPhase,
}

impl Tail {
    fn new(deps: Arc<AgentDeps>, run: RunEntry) -> Self {
        let (session, position) = (SessionBuilder::new(run.session), ReadPosition::default());
        let (line, phase) = (String::new(), RunPhase::Preparing);
        Self { deps, run, session, position, ended: None, line, phase }
    }

    /// Waits until the record has a beginning.
    async fn first_update(&mut self, news: &mut News) -> Result<RunUpdate, AgentError> {
        loop {
            let now = self.now().await?;
            match self.read().await {
                Ok(_) if self.session.session().is_some() => {
                    // What was recorded before is not the end of this run.
                    self.ended = None;
                    let entries = self.deps.coordinator.runs().await?;
                    return self.update(now.is_some(), &entries);
                }
                Err(err) if now.is_none() => return Err(err.into()),
                Ok(_) if now.is_none() => return Err(AgentError::UnknownSession(self.run.session)),
                Ok(_) | Err(JournalError::Unknown(_)) => {}
                Err(err) => return Err(err.into()),
            }
            news.next().await;
        }
    }

    /// Follows the run to its end, or until nobody follows it here.
    async fn follow(
        &mut self,
        updates: &watch::Sender<RunUpdate>,
        mut news: News,
        tails: &Tails,
    ) -> Result<(), AgentError> {
        loop {
            // In this order: what a run has recorded before it ended is read.
            let entries = self.deps.coordinator.runs().await?;
            let running = entries.iter().any(|it| it.epoch == self.run.epoch);
            let read = self.read().await?;
            let update = self.update(running, &entries)?;
            let old = updates.borrow().report.clone();
            if !running {
                updates.send_replace(update);
                return Ok(());
            }
            if read || old.message != update.report.message {
                updates.send_replace(update);
            }
            if tails.close_if_unfollowed(&self.run, updates) {
                return Ok(());
            }
            news.next().await;
        }
    }

    /// The run as it is registered now.
    async fn now(&self) -> Result<Option<RunEntry>, AgentError> {
        let run = self.deps.coordinator.run_of(self.run.session).await?;
        Ok(run.filter(|it| it.epoch == self.run.epoch))
    }

    /// Reads what is new in the record; whether followers are to be told.
    async fn read(&mut self) -> Result<bool, JournalError> {
        let Self { deps, run, session, position, ended, line, phase } = self;
        let mut any = false;
        let mut each = |event: crate::journal::Event| {
            session.apply(&event);
            let Some(now) = session.session() else { return };
            match &event.entry.fact {
                Fact::StepStart(_) => *phase = RunPhase::Looking,
                Fact::LlmRequest(_) => *phase = RunPhase::Deciding,
                Fact::ToolStart(start) if start.device => *phase = RunPhase::Acting,
                Fact::Question(asked) => {
                    *phase = RunPhase::Asking;
                    if asked.reply_mode == ReplyMode::ManualReply {
                        *line = waiting_for_operator(&asked.questions.join("\n"));
                    }
                    any = true;
                }
                Fact::RoundEnd(_) => *phase = RunPhase::Ending,
                Fact::StepEnd(_) => {
                    *line = now.step_line(event.entry.step.unwrap_or_default());
                    any = true;
                }
                Fact::SessionEnd(_) => {
                    *ended = Some(now.report(false));
                    any = true;
                }
                Fact::Note { kind, text, .. }
                    if *kind == NoteKind::DeviceAway || *kind == NoteKind::DeviceBack =>
                {
                    line.clone_from(text);
                    any = true;
                }
                Fact::SessionResume(_) | Fact::Answer(_) => any = true,
                _ => {}
            }
        };
        *position = deps.journal.visit_after(&run.session, position, &mut each).await?;
        Ok(any)
    }

    fn update(&self, running: bool, entries: &[RunEntry]) -> Result<RunUpdate, AgentError> {
        let id = self.run.session;
        let session = self.session.session().ok_or(AgentError::UnknownSession(id))?;
        let mut report = match &self.ended {
            // A later run may have gone on already.
            Some(ended) if !running && !session.run_ended => ended.clone(),
            _ if running && session.run_ended => {
                session.initial_report(session.report(true).run.next())
            }
            _ => session.report(running),
        };
        let is_queued = |it: &&RunEntry| it.epoch == self.run.epoch && it.state == RunState::Queued;
        let queued = entries.iter().find(is_queued);
        if let Some(own) = queued {
            let place = own.place_among(entries);
            report.message = queue::place_message(place, &report.device.device_id);
        }
        let line = if running {
            self.line.clone()
        } else {
            format!("{}: {}", report.stop_reason, report.message)
        };
        let phase = match running {
            true if queued.is_some() => RunPhase::Queued,
            true => self.phase,
            false => RunPhase::Ending,
        };
        let (report, replay_ended) = (Arc::new(report), None);
        Ok(RunUpdate { report, line, phase, replay_ended, running })
    }
}
