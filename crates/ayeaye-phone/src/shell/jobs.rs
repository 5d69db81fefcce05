//! Background jobs: lists that end with `&`, and `wait`.
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use futures::FutureExt as _;
use tokio::{sync::Semaphore, task::JoinHandle};
use tokio_util::task::TaskTracker;

/// The process id of the session's shell, `$$`.
pub(super) const SHELL_PID: u32 = 4711;
/// Most running jobs of a session.
const MAX_RUNNING: usize = 32;

/// The background jobs of one shell process.
#[derive(Debug)]
pub(super) struct Jobs {
    unwaited: BTreeMap<u32, JoinHandle<u8>>,
    last: Option<u32>,
    /// Jobs that may still write to this process' output, those of subshells included.
    writers: TaskTracker,
    session: Arc<Session>,
}

/// Shared by all shells of a session.
#[derive(Debug)]
struct Session {
    next_pid: AtomicU32,
    slots: Arc<Semaphore>,
}

impl Jobs {
    pub(super) fn new() -> Self {
        let session = Session {
            next_pid: AtomicU32::new(SHELL_PID + 1),
            slots: Arc::new(Semaphore::new(MAX_RUNNING)),
        };
        Self {
            unwaited: BTreeMap::new(),
            last: None,
            writers: TaskTracker::new(),
            session: Arc::new(session),
        }
    }

    /// For a subshell, which cannot wait for its parent's jobs.
    pub(super) fn of_subshell(&self) -> Self {
        Self {
            unwaited: BTreeMap::new(),
            last: self.last,
            writers: self.writers.clone(),
            session: Arc::clone(&self.session),
        }
    }

    /// For a subshell whose output is collected.
    pub(super) fn of_piped_subshell(&self) -> Self {
        Self { writers: TaskTracker::new(), ..self.of_subshell() }
    }

    /// Starts a job; `false` when there are too many. `writes`: it writes to this process' output.
    pub(super) fn start(
        &mut self,
        writes: bool,
        job: impl Future<Output = u8> + Send + 'static,
    ) -> bool {
        let Ok(slot) = Arc::clone(&self.session.slots).try_acquire_owned() else { return false };
        let pid = self.session.next_pid.fetch_add(1, Ordering::Relaxed);
        let job = async move {
            let _slot = slot;
            job.await
        }
        .boxed();
        let task = if writes { self.writers.spawn(job) } else { tokio::spawn(job) };
        self.unwaited.insert(pid, task);
        self.last = Some(pid);
        true
    }

    /// `$!`
    pub(super) fn last_pid(&self) -> Option<u32> {
        self.last
    }

    /// Waits for a job of this shell; `None` for an unknown process id, or one already waited for.
    pub(super) async fn wait(&mut self, pid: u32) -> Option<u8> {
        // Removed only when it has ended, so that a cancelled wait can be repeated.
        let status = self.unwaited.get_mut(&pid)?.await.unwrap_or(1);
        self.unwaited.remove(&pid);
        Some(status)
    }

    /// Waits for all jobs of this shell.
    pub(super) async fn wait_all(&mut self) {
        while let Some(pid) = self.unwaited.keys().next().copied() {
            self.wait(pid).await;
        }
    }

    /// Waits until no job is left that could write to this process' output.
    pub(super) async fn output_closed(&self) {
        self.writers.close();
        self.writers.wait().await;
    }
}
