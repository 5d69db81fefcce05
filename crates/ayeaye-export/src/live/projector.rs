//! The task that keeps the logs of one session up with its record.
use std::mem;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ayeaye_agent::journal::Event;
use ayeaye_agent::{JournalError, SessionId, error_chain};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::SharedState;
use super::pending::PendingMarker;
use super::removal::remove_logs;
use super::session_blobs::{SessionBlobs, UnpackBuffer};
use crate::folder::FolderError;
use crate::formats::Format;
use crate::log_writer::{LogError, LogWriter, Target, why_cut_short};
use crate::projection::Blobs;

/// Events that are worked through on a thread before anybody is asked whether to go on.
const BATCH: usize = 64;

/// See the module.
pub(super) struct Projector {
    shared: Arc<SharedState>,
    id: SessionId,
    live: bool,
    /// The record is closed: what fails now is not tried again here.
    at_end: bool,
    logs: Vec<LogSlot>,
    events: mpsc::Receiver<Event>,
    /// Number of the last event of the record.
    appended: Arc<AtomicU64>,
    stop: CancellationToken,
    unpack_buffer: UnpackBuffer,
    /// Why the record cannot be read to its end.
    damage: Option<String>,
}

/// A log and how it stands.
#[derive(Debug)]
pub(super) struct LogSlot {
    writer: LogWriter,
    /// Nothing is written until the record is closed.
    failed: bool,
    /// What has just happened, and is yet to be looked at.
    error: Option<LogError>,
    error_logged: bool,
    /// How often it was begun anew since it was out of step.
    restarts: u8,
}

impl LogSlot {
    /// Whether it has taken in the events up to that one, and all went well.
    pub(super) fn stands_at(&self, last: u64) -> bool {
        !self.failed && self.error.is_none() && self.writer.last_seq() == last
    }
}

/// More than this and somebody else writes in its folder: it is left until the next time.
const MAX_RESTARTS: u8 = 2;

impl Projector {
    /// For a record that is being written.
    pub(super) fn of_open(
        shared: &Arc<SharedState>,
        id: SessionId,
        events: mpsc::Receiver<Event>,
        appended: Arc<AtomicU64>,
        stop: CancellationToken,
    ) -> Self {
        Self::new(shared, id, true, events, appended, stop)
    }

    /// For a record that nobody writes.
    pub(super) fn of_closed(
        shared: &Arc<SharedState>,
        id: SessionId,
        stop: CancellationToken,
    ) -> Self {
        let (_, events) = mpsc::channel(1);
        // How many there are is seen when it is read.
        let appended = Arc::new(AtomicU64::new(1));
        Self::new(shared, id, false, events, appended, stop)
    }

    fn new(
        shared: &Arc<SharedState>,
        id: SessionId,
        live: bool,
        events: mpsc::Receiver<Event>,
        appended: Arc<AtomicU64>,
        stop: CancellationToken,
    ) -> Self {
        let shared = Arc::clone(shared);
        let (logs, unpack_buffer, damage) = (Vec::new(), shared.unpack_buffer(), None);
        let mut projector = Self {
            shared,
            id,
            live,
            at_end: false,
            logs,
            events,
            appended,
            stop,
            unpack_buffer,
            damage,
        };
        let mut formats = projector.shared.settings.formats.clone();
        // The page takes the picture that another log has unpacked.
        formats.sort_by_key(|format| *format == Format::Html);
        projector.logs = formats
            .into_iter()
            .map(|format| {
                let target = Target::DataDir { data: projector.shared.data.clone(), live };
                let SharedState { settings, make_projection, .. } = &*projector.shared;
                let writer = LogWriter::new(format, id, target, settings, make_projection);
                LogSlot { writer, failed: false, error: None, error_logged: false, restarts: 0 }
            })
            .collect();
        projector
    }

    /// Keeps the logs up until the record is closed, and completes them. Returns whether they are
    /// complete.
    pub(super) async fn run(mut self, marker: PendingMarker) -> bool {
        let complete = self.follow(&marker).await;
        if complete && let Err(err) = marker.set(false) {
            tracing::debug!(session = %self.id, "logs stay marked as unfinished: {err}");
        }
        if complete && self.live && self.logs.iter().all(|slot| slot.writer.is_direct()) {
            self.shared.rest(self.id, mem::take(&mut self.logs));
        }
        self.stop.cancel();
        complete
    }

    /// Goes on with logs that have taken in all of the record there was when it was opened.
    pub(super) async fn go_on_with(&mut self, logs: Vec<LogSlot>) {
        self.logs = logs;
        for slot in &mut self.logs {
            (slot.restarts, slot.error_logged) = (0, false);
        }
        self.work(|logs, _| each(logs, LogWriter::reopen)).await;
    }

    async fn follow(&mut self, marker: &PendingMarker) -> bool {
        if let Err(err) = marker.set(true) {
            tracing::debug!(session = %self.id, "logs cannot be marked as unfinished: {err}");
        }
        loop {
            if !self.catch_up(None).await {
                return false;
            }
            let mut batch = Vec::new();
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return false,
                received = self.events.recv_many(&mut batch, BATCH) => {
                    if received == 0 {
                        break;
                    }
                }
            }
            let last = batch.last().map(|event| event.seq);
            let fed = self
                .work(move |logs, blobs| {
                    feed(logs, &batch, blobs);
                    flush(logs, blobs);
                })
                .await;
            // After a gap the rest of the queue would be of no use.
            if !fed || !self.catch_up(last).await {
                return false;
            }
        }
        self.at_end = true;
        for number in 0..self.logs.len() {
            if self.logs[number].failed {
                self.logs[number].error_logged = false;
                self.restart(number);
            }
        }
        for _ in 0..=MAX_RESTARTS {
            if !self.catch_up(None).await {
                return false;
            }
            let damage = self.damage.clone();
            if !self.work(move |logs, blobs| finish(logs, blobs, damage.as_deref())).await {
                return false;
            }
            if !self.is_behind(None) {
                return self.logs.iter().all(|slot| !slot.failed);
            }
            // One was out of step and begins anew.
        }
        false
    }

    /// Reads in the record what is missing up to `last`, or up to its end. Returns whether there is
    /// any use in going on.
    async fn catch_up(&mut self, last: Option<u64>) -> bool {
        let mut before = None;
        while self.is_behind(last) {
            let restarts: u8 = self.logs.iter().map(|slot| slot.restarts).sum();
            let now = Some((self.lowest_seq(), restarts));
            // The record holds less than was appended, or was put aside.
            if mem::replace(&mut before, now) == now || !self.read().await {
                return false;
            }
        }
        true
    }

    /// Whether a log misses events up to `last`, or, without one, any that are no longer on their
    /// way.
    fn is_behind(&self, last: Option<u64>) -> bool {
        let last = last.unwrap_or_else(|| {
            // First the number: what has one was put into the queue before, if there was room.
            let appended = self.appended.load(Ordering::Acquire);
            if self.events.is_empty() { appended } else { 0 }
        });
        self.lowest_seq().is_some_and(|folded| folded < last)
    }

    /// Goes through the record once. Returns whether there is any use in going on.
    async fn read(&mut self) -> bool {
        let (inner, id, stop) = (Arc::clone(&self.shared.inner), self.id, self.stop.clone());
        let runtime = Handle::current();
        let (sender, receiver) = oneshot::channel();
        let work = move |logs: &mut [LogSlot], blobs: &dyn Blobs| {
            let (mut batch, mut last) = (Vec::with_capacity(BATCH), 0);
            let mut each = |event: Event| {
                last = event.seq;
                batch.push(event);
                if batch.len() == BATCH {
                    if !stop.is_cancelled() {
                        feed(logs, &batch, blobs);
                    }
                    batch.clear();
                }
            };
            let visited = runtime.block_on(inner.visit(&id, &mut each));
            feed(logs, &batch, blobs);
            // Only now: of what was replaced at the end of each run only the last is made.
            flush(logs, blobs);
            // The asker waits for this.
            drop(sender.send((visited, last)));
        };
        if !self.work(work).await || self.stop.is_cancelled() {
            return false;
        }
        let Ok((visited, last)) = receiver.await else { return false };
        if !self.live {
            self.appended.store(last, Ordering::Release);
        }
        match visited {
            Ok(()) => true,
            Err(err) => self.handle_read_error(&err).await,
        }
    }

    /// What the last of the logs has taken in.
    fn lowest_seq(&self) -> Option<u64> {
        let good = self.logs.iter().filter(|slot| !slot.failed);
        good.map(|slot| slot.writer.last_seq()).min()
    }

    /// What to do about a record that cannot be read, or not to its end.
    async fn handle_read_error(&mut self, err: &JournalError) -> bool {
        match err {
            // A removal was broken off after the record was gone.
            JournalError::Unknown(_) if !self.live => {
                if let Err(err) = remove_logs(&self.shared.data, self.id).await {
                    tracing::warn!(session = %self.id, "logs of a removed session remain: {err}");
                    return false;
                }
                true
            }
            // It will never hold more than what is good of it.
            JournalError::Damaged { .. } | JournalError::TooNew { .. } if !self.live => {
                tracing::warn!("logs are complete up to where their record is good: {err}");
                self.damage = Some(why_cut_short(err));
                true
            }
            _ => {
                tracing::warn!(session = %self.id, "logs are incomplete: {err}");
                false
            }
        }
    }

    /// Does file work on a thread that may wait. Returns whether there is any use in going on.
    async fn work(
        &mut self,
        work: impl FnOnce(&mut [LogSlot], &dyn Blobs) + Send + 'static,
    ) -> bool {
        // It is never closed.
        let turn = self.shared.turns.clone().acquire_owned().await.ok();
        let mut logs = mem::take(&mut self.logs);
        let inner = Arc::clone(&self.shared.inner);
        let buffer = Arc::clone(&self.unpack_buffer);
        let blobs = SessionBlobs::unpacking_into(buffer, inner, self.id);
        let done = tokio::task::spawn_blocking(move || {
            work(&mut logs, &blobs);
            drop(turn);
            logs
        });
        match done.await {
            Ok(logs) => self.logs = logs,
            // The process goes down, or a log has panicked where it is not caught.
            Err(err) => {
                tracing::error!(session = %self.id, "logs are incomplete: {err}");
                return false;
            }
        }
        for number in 0..self.logs.len() {
            if let Some(error) = self.logs[number].error.take() {
                self.handle_error(number, &error);
            }
        }
        true
    }

    fn handle_error(&mut self, number: usize, error: &LogError) {
        let slot = &mut self.logs[number];
        let out_of_step = matches!(error, LogError::Folder(FolderError::Inconsistent(_)));
        if out_of_step && slot.restarts < MAX_RESTARTS {
            slot.restarts += 1;
            tracing::debug!(session = %self.id, "{error}: it is made anew");
            match slot.writer.remove() {
                Ok(()) => return self.restart(number),
                Err(err) => tracing::debug!(session = %self.id, "{err}"),
            }
        }
        let slot = &mut self.logs[number];
        slot.failed = true;
        if !mem::replace(&mut slot.error_logged, true) {
            let (format, error) = (slot.writer.format(), error_chain(error));
            let until = if self.at_end { "" } else { " until the run ends" };
            tracing::warn!(session = %self.id, %format, "a log is not written{until}: {error}");
        }
    }

    fn restart(&mut self, number: usize) {
        let SharedState { settings, make_projection, data, .. } = &*self.shared;
        let slot = &mut self.logs[number];
        let target = Target::DataDir { data: data.clone(), live: self.live };
        slot.writer =
            LogWriter::new(slot.writer.format(), self.id, target, settings, make_projection);
        slot.failed = false;
    }
}

/// Event by event, so that all logs find the picture of one step unpacked before the next one's is.
fn feed(logs: &mut [LogSlot], events: &[Event], blobs: &dyn Blobs) {
    for event in events {
        each(logs, |writer| writer.feed(slice::from_ref(event), blobs));
    }
}

fn flush(logs: &mut [LogSlot], blobs: &dyn Blobs) {
    each(logs, |writer| writer.flush(blobs));
}

fn finish(logs: &mut [LogSlot], blobs: &dyn Blobs, damage: Option<&str>) {
    each(logs, |writer| writer.finish(blobs, damage));
}

fn each(logs: &mut [LogSlot], work: impl Fn(&mut LogWriter) -> Result<(), LogError>) {
    for slot in logs.iter_mut().filter(|slot| !slot.failed && slot.error.is_none()) {
        slot.error = work(&mut slot.writer).err();
    }
}
