//! Following a run of another server by its record: one reader for all who follow it here.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures::FutureExt as _;
use tokio::sync::{OnceCell, watch};
use tokio::time::{Instant, timeout};

use super::follower::END_WAIT;
use super::follower::FollowedRun;
use super::run_elsewhere::RunElsewhere;
use super::{Agent, AgentError, Follower, queue};
use crate::coordinator::{News, RunEntry, RunState};
use crate::deps::AgentDeps;
use crate::journal::{Fact, NoteKind, ReadPosition, SessionBuilder};
use crate::report::Report;
use crate::run::{RunPhase, RunUpdate, waiting_for_operator};
use crate::{JournalError, ReplyMode, error_chain};

/// The runs of other servers that are followed here, by their epochs.
#[derive(Debug, Clone, Default)]
pub(super) struct Tails(Arc<Mutex<HashMap<u64, Weak<SharedTail>>>>);

/// Where the reader of a run tells what is new, once there is something to tell. It lasts as long as its reader, or
/// somebody who is about to follow.
type SharedTail = OnceCell<watch::Sender<RunUpdate>>;

impl Tails {
    /// The tail of a run, the same for all who follow it at a time.
    fn of(&self, run: &RunEntry) -> Arc<SharedTail> {
        let mut tails = self.lock();
        if let Some(tail) = tails.get(&run.epoch).and_then(Weak::upgrade) {
            return tail;
        }
        tails.retain(|_, tail| 0 < tail.strong_count());
        let tail = Arc::default();
        tails.insert(run.epoch, Arc::downgrade(&tail));
        tail
    }

    /// Whether nobody follows the run any more or is about to; then nobody can join it either.
    fn close_if_unfollowed(&self, tail: &OpenTail) -> bool {
        let mut tails = self.lock();
        let alone = tail.updates.is_closed() && Arc::strong_count(&tail.shared) == 1;
        if alone {
            tails.remove(&tail.epoch);
        }
        alone
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<SharedTail>>> {
        // No code that holds this lock can panic half way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tail that others can join, as its reader has it.
struct OpenTail {
    tails: Tails,
    epoch: u64,
    shared: Arc<SharedTail>,
    updates: watch::Sender<RunUpdate>,
}

impl Agent {
    /// A follower of a run of another server.
    pub(super) async fn follow_elsewhere(&self, run: &RunEntry) -> Result<Follower, AgentError> {
        let tail = self.tails.of(run);
        let begun = tail.get_or_try_init(|| self.begin_tail(run, tail.clone()));
        let Ok(begun) = timeout(END_WAIT, begun).await else {
            return Err(AgentError::SessionBusy(run.session));
        };
        let updates = begun?.subscribe();
        let coordinator = self.deps.coordinator.clone();
        let elsewhere = RunElsewhere { coordinator, session: run.session, epoch: run.epoch };
        let run = FollowedRun::Elsewhere(elsewhere);
        Ok(Follower::new(updates, run))
    }

    /// Begins to read the record of a run for all who follow it.
    async fn begin_tail(
        &self,
        run: &RunEntry,
        shared: Arc<SharedTail>,
    ) -> Result<watch::Sender<RunUpdate>, AgentError> {
        let mut tail = Tail::new(self.deps.clone(), run.clone());
        // From before the first look on: nothing is missed between the two.
        let news = News::of(&*self.deps.coordinator, run.session);
        let mut begins = News::of(&*self.deps.coordinator, run.session);
        let updates = watch::Sender::new(tail.first_update(&mut begins).await?);
        let (tails, epoch) = (self.tails.clone(), run.epoch);
        let open = OpenTail { tails, epoch, shared, updates: updates.clone() };
        tokio::spawn(async move {
            if let Err(err) = tail.follow(&open, news).await {
                // Whoever follows sees that there will be no more updates, and reads the record.
                tracing::warn!(session = %tail.run.session, "it cannot be followed: {}", error_chain(&err));
            }
        }.boxed());
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
    async fn follow(&mut self, open: &OpenTail, mut news: News) -> Result<(), AgentError> {
        let updates = &open.updates;
        let mut unread_since = None;
        loop {
            // In this order: what a run has recorded before it ended is read.
            let entries = match self.deps.coordinator.runs().await {
                Ok(entries) => entries,
                Err(err) => {
                    // As for a run that waits for its turn: it goes on, only its news cannot be read.
                    let since = *unread_since.get_or_insert_with(Instant::now);
                    if queue::LONGEST_UNREADABLE <= since.elapsed() {
                        return Err(err.into());
                    }
                    if open.tails.close_if_unfollowed(open) {
                        return Ok(());
                    }
                    news.next().await;
                    continue;
                }
            };
            unread_since = None;
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
            if open.tails.close_if_unfollowed(open) {
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
