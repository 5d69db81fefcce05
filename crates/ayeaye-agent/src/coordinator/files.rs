//! In files below the data folder, for the servers of one machine.
//!
//! ```text
//! <data>/runs/                        0700
//!   table.json                        who runs what; replaced whole; a damaged one is put aside as table.json.bad
//!   lock                              held for a moment by whoever changes the table or leaves a message
//!   <epoch>.live                      locked as long as that run is registered
//!   <name>.sock                       where a server is woken
//! <data>/sessions/<session_id>/inbox/<n>-<message>.json    messages that nobody has acknowledged
//! ```
//!
//! The system gives a lock back when its process dies, so nothing expires and no clock is asked. What a dead
//! process left in the table is removed by the next that changes it.
mod inbox;
mod live;
mod table_file;
#[cfg(test)]
mod tests;
mod wakeups;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use uuid::Uuid;

use self::live::LiveFile;
use self::wakeups::Wakeups;
use super::table::{RunPlace, RunTable};
use super::{
    Coordinator, CoordinatorError, InboxMessage, InboxMessageId, NewRun, QueuePosition, Registered,
    Registration, RunEntry,
};
use crate::SessionId;
use crate::journal::SyncPolicy;
use crate::private_files::lock_within;

/// How long the others may take to change the table. They take milliseconds, unless one is held still.
const PATIENCE: Duration = Duration::from_secs(10);

/// One server among those of a data folder.
#[derive(Debug)]
pub struct FileCoordinator {
    place: Arc<Folders>,
    server: Arc<str>,
    wakeups: Arc<Wakeups>,
}

/// Where everything is.
#[derive(Debug)]
struct Folders {
    runs: PathBuf,
    sessions: PathBuf,
    /// Whether what is written is put on the disk at once.
    sync: bool,
}

impl FileCoordinator {
    /// Another server of `data`, which need not exist yet. Its name begins with this word.
    pub fn new(data: &Path, word: &str, sync: SyncPolicy) -> Self {
        let server = format!("{word}-{:.8}", Uuid::new_v4().simple().to_string());
        let (runs, sessions) = (data.join("runs"), data.join("sessions"));
        let wakeups = Arc::new(Wakeups::new(&runs));
        let place = Arc::new(Folders { runs, sessions, sync: sync != SyncPolicy::Never });
        Self { place, server: server.into(), wakeups }
    }

    /// Does file work away from the threads that must not wait.
    async fn at<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folders) -> Result<T, CoordinatorError> + Send + 'static,
    ) -> Result<T, CoordinatorError> {
        let place = self.place.clone();
        // Boxed: a task is compiled once for what it returns, and not once for each closure.
        let work: Box<dyn FnOnce() -> Result<T, CoordinatorError> + Send> =
            Box::new(move || work(&place));
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(err) => Err(storage("use", &self.place.runs)(io::Error::other(err))),
        }
    }

    /// Waits until nobody else changes anything; nobody does until what is returned is dropped.
    async fn lock(&self) -> Result<File, CoordinatorError> {
        let runs = &self.place.runs;
        lock_within(&runs.join("lock"), PATIENCE).await.map_err(storage("lock", runs))
    }

    /// Forgets the runs of a session that was removed: those that are over stay in the table until it is next written.
    pub async fn forget(&self, session: SessionId) -> Result<(), CoordinatorError> {
        let is_named = move |place: &Folders| {
            Ok(table_file::load(&place.runs)?.runs.iter().any(|run| run.session == session))
        };
        if !self.at(is_named).await? {
            return Ok(());
        }
        let lock = self.lock().await?;
        self.at(move |place| {
            let forgotten = place.drop_dead();
            drop(lock);
            forgotten
        })
        .await
    }

    /// Decides something in one order with all other servers.
    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folders, &mut RunTable) -> Result<T, CoordinatorError> + Send + 'static,
    ) -> Result<T, CoordinatorError> {
        let lock = self.lock().await?;
        self.at(move |place| {
            let changed = place.change(|table| work(place, table));
            drop(lock);
            changed
        })
        .await
    }
}

impl Folders {
    /// For whoever has the lock.
    fn drop_dead(&self) -> Result<(), CoordinatorError> {
        let mut table = table_file::load(&self.runs)?;
        let before = table.clone();
        table.runs = live::only_alive(&self.runs, table.runs)?;
        if table == before {
            return Ok(());
        }
        table_file::store(&self.runs, &table, self.sync)
    }

    /// For whoever has the lock. The runs of dead processes are gone before anything is decided.
    fn change<T>(
        &self,
        work: impl FnOnce(&mut RunTable) -> Result<T, CoordinatorError>,
    ) -> Result<T, CoordinatorError> {
        let (mut table, is_new) = table_file::load_to_change(&self.runs)?;
        table.runs = live::only_alive(&self.runs, table.runs)?;
        let before = table.clone();
        let done = work(&mut table)?;
        // That dead runs are gone is no reason to write: everybody sees that. A message that was left would be
        // told as refused if it failed.
        if is_new || table != before {
            table_file::store(&self.runs, &table, self.sync)?;
        }
        Ok(done)
    }
}

#[async_trait]
impl Coordinator for FileCoordinator {
    fn server(&self) -> &str {
        &self.server
    }

    async fn register(&self, run: NewRun) -> Result<Registered, CoordinatorError> {
        let (session, server) = (run.session, self.server.clone());
        let wakeups = self.wakeups.clone();
        let registered = self
            .change(move |place, table| {
                // Before the table changes: if that cannot be written, the runs that this one ends go on.
                live::sweep(&place.runs, table);
                let standing = table.register(run, &server)?;
                let live = |entry: RunEntry| {
                    let file = LiveFile::create(&place.runs, &entry, wakeups)?;
                    Ok(Registration { entry, guard: Box::new(file) })
                };
                Ok(match standing {
                    RunPlace::Running(entry) => Registered::Granted(live(entry)?),
                    RunPlace::Queued(entry) => Registered::Queued(live(entry)?),
                    RunPlace::Taken(entry) => Registered::Taken(entry),
                })
            })
            .await?;
        // Nothing is new where it was taken: whoever tries again at each news would wake themselves.
        if !matches!(registered, Registered::Taken(_)) {
            self.wake(session);
        }
        Ok(registered)
    }

    async fn advance(&self, epoch: u64) -> Result<QueuePosition, CoordinatorError> {
        self.change(move |_, table| table.advance(epoch)).await
    }

    async fn close_inbox(&self, epoch: u64) -> Result<(), CoordinatorError> {
        let close = move |_: &Folders, table: &mut RunTable| {
            table.close_inbox(epoch);
            Ok(())
        };
        self.change(close).await
    }

    async fn runs(&self) -> Result<Vec<RunEntry>, CoordinatorError> {
        self.at(|place| live::only_alive(&place.runs, table_file::load(&place.runs)?.runs)).await
    }

    async fn send(
        &self,
        session: SessionId,
        message: &InboxMessage,
        run: Option<u64>,
    ) -> Result<(), CoordinatorError> {
        let message = message.clone();
        self.change(move |place, table| {
            if run.is_some_and(|run| !table.takes(run, &message.body)) {
                return Err(CoordinatorError::RunEnded);
            }
            inbox::post(&place.sessions, session, &message, place.sync)
        })
        .await?;
        self.wake(session);
        Ok(())
    }

    async fn inbox(&self, session: SessionId) -> Result<Vec<InboxMessage>, CoordinatorError> {
        self.at(move |place| inbox::read(&place.sessions, session)).await
    }

    async fn acknowledge(
        &self,
        session: SessionId,
        id: InboxMessageId,
    ) -> Result<(), CoordinatorError> {
        self.at(move |place| inbox::remove(&place.sessions, session, id)).await
    }

    fn wake(&self, session: SessionId) {
        self.wakeups.wake(session);
    }

    fn wakeups(&self) -> broadcast::Receiver<SessionId> {
        self.wakeups.subscribe()
    }
}

/// For `map_err`: names the file and what was to be done with it.
fn storage(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> CoordinatorError {
    let what = format!("{} ({doing})", path.display());
    move |source| {
        let what = match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => format!(
                "{what}; the data folder cannot be written: make it writable, or name another with \
                 --data-dir or AYEAYE_DATA_DIR"
            ),
            _ => what,
        };
        CoordinatorError::Storage { what, source }
    }
}

/// The names in a folder; none where it is not there.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        }
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(err) => Err(err),
    }
}
