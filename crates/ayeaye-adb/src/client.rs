//! The services of one phone behind the adb server, each on a connection of its own.
//!
//! Commands are the exception: starting a shell takes a phone some twenty milliseconds, so while it is driven they
//! share one (see [`PersistentShell`]).
mod commands;
mod failures;
mod reach;
mod same_phone;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{ChangeLog, DeviceError, DeviceId, PutBack, SettingChange};
use bytes::BytesMut;
use tokio::sync::{OnceCell, OwnedRwLockReadGuard, RwLock};
use tokio::time::{Instant, timeout_at};

pub use self::reach::is_network_address;
pub(crate) use self::reach::{CONNECT_EVERY, connect_again, transport};
pub(crate) use self::same_phone::PhoneMarks;
use self::same_phone::SamePhone;
use crate::dumps::Dumps;
use crate::errors::{Stage, device_error};
use crate::fence::Fence;
use crate::parse::FieldState;
use crate::persistent_shell::PersistentShell;
use crate::protocol::{Connection, ProtocolError};
use crate::raw_output::{RawService, Taker};
use crate::server::Server;

/// A way to a phone.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) server: Arc<Server>,
    /// What that server calls it.
    pub(crate) serial: String,
}

/// Finds other ways to the same phone.
#[async_trait]
pub(crate) trait OtherWays: Send + Sync + fmt::Debug {
    /// One that answers, in place of one that is gone, or of one that no longer answers.
    async fn instead_of(&self, way: &Route, is_gone: bool) -> Option<Route>;
}

/// Runs commands and services of one phone.
///
/// Where its link breaks and it can be reached in another way, it goes on there. What was under way is not
/// sent again.
#[derive(Debug)]
pub(crate) struct DeviceClient {
    id: DeviceId,
    limits: crate::Limits,
    found_at: Arc<Server>,
    way: Mutex<Route>,
    others: Option<Arc<dyn OtherWays>>,
    /// The last answer did not come.
    is_in_doubt: AtomicBool,
    /// A command has ended with its exit status.
    tells_exit_codes: AtomicBool,
    /// What the phone's adb can do, as it says itself.
    features: OnceCell<String>,
    raw_service: Mutex<RawService>,
    /// Who is told what is changed of the phone's settings.
    changes: OnceLock<Arc<dyn ChangeLog>>,
    /// Held by whoever has the phone use another keyboard for a while.
    keyboard: Arc<RwLock<()>>,
    /// The field in focus at the last look, if nothing was done since.
    field: Mutex<Option<FieldState>>,
    /// Holds off other drivers, once this one drives.
    fence: Fence,
    /// Runs its commands while this client drives it.
    shell: PersistentShell,
    /// Of the phone, whoever has it open.
    dumps: Arc<Dumps>,
    /// Whether it is still the phone that was driven.
    same_phone: SamePhone,
    /// When the adb server was last asked to connect it again.
    asked_to_connect: Mutex<Option<Instant>>,
}

impl DeviceClient {
    /// `serial` is what the server calls the phone, `id` what errors call it.
    pub(crate) fn at(server: Arc<Server>, id: DeviceId, serial: &str) -> Self {
        Self {
            id,
            limits: server.config().limits,
            found_at: Arc::clone(&server),
            way: Mutex::new(Route { server, serial: serial.to_owned() }),
            others: None,
            is_in_doubt: AtomicBool::new(false),
            tells_exit_codes: AtomicBool::new(false),
            features: OnceCell::new(),
            raw_service: Mutex::default(),
            changes: OnceLock::new(),
            keyboard: Arc::default(),
            field: Mutex::default(),
            fence: Fence::default(),
            shell: PersistentShell::default(),
            dumps: Arc::default(),
            same_phone: SamePhone::default(),
            asked_to_connect: Mutex::default(),
        }
    }

    /// A client that goes on in another way when its own is gone.
    pub(crate) fn with_other_ways(self, others: Arc<dyn OtherWays>) -> Self {
        Self { others: Some(others), ..self }
    }

    /// A client that takes turns at lists of elements with whoever has the phone open besides.
    pub(crate) fn with_dumps(self, dumps: Arc<Dumps>) -> Self {
        Self { dumps, ..self }
    }

    pub(crate) fn dumps(&self) -> &Dumps {
        &self.dumps
    }

    pub(crate) fn id(&self) -> &DeviceId {
        &self.id
    }

    /// Notes the field in focus, as it was seen now.
    pub(crate) fn saw_field(&self, field: FieldState) {
        *self.field.lock().unwrap_or_else(PoisonError::into_inner) = Some(field);
    }

    /// The field in focus as it was seen last; to be called before anything is done that may change it.
    pub(crate) fn take_field(&self) -> Option<FieldState> {
        self.field.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// From now on this one is told. There is one for each phone that is opened.
    pub(crate) fn report_changes(&self, log: Arc<dyn ChangeLog>) {
        if self.changes.set(log).is_err() {
            tracing::warn!(device = %self.id, "somebody is told of its changes already");
        }
    }

    /// To be held for as long as the phone uses another keyboard than its own.
    pub(crate) async fn borrow_keyboard(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.keyboard).read_owned().await
    }

    /// Waits until nobody holds it.
    pub(crate) async fn own_keyboard_is_back(&self) {
        drop(self.keyboard.write().await);
    }

    /// To be called before a setting of the phone is changed.
    pub(crate) async fn changing(&self, change: &SettingChange) -> Result<(), DeviceError> {
        let Some(log) = self.changes.get() else { return Ok(()) };
        let what = "the change of a setting";
        log.changing(change).await.map_err(|why| self.refused(what, format!("not recorded: {why}")))
    }

    /// To be called when it has been put back.
    pub(crate) async fn has_put_back(&self, change: &SettingChange) {
        if let Some(log) = self.changes.get() {
            log.put_back(change, &PutBack::Done).await;
        }
    }

    /// Holds off other drivers of the phone, and is held off by later ones.
    pub(crate) fn fence(&self) -> &Fence {
        &self.fence
    }

    pub(crate) fn limits(&self) -> &crate::Limits {
        &self.limits
    }

    /// The serial over which it is reached now; with the server's address behind it where that is not the
    /// one it was found at.
    pub(crate) fn link(&self) -> String {
        let Route { server, serial } = self.way();
        if Arc::ptr_eq(&server, &self.found_at) {
            return serial;
        }
        format!("{serial}@{}", server.config().server)
    }

    /// What the server calls it now.
    pub(crate) fn serial(&self) -> String {
        self.way().serial
    }

    fn way(&self) -> Route {
        self.way.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a command and takes its raw output until it ends, at most `most` bytes. There is no
    /// exit status: the caller must tell from the bytes whether they are complete.
    pub(crate) async fn exec(
        &self,
        what: &str,
        command: &str,
        deadline: Instant,
        most: usize,
        grow: impl Fn(&[u8]) -> usize,
    ) -> Result<BytesMut, DeviceError> {
        self.exec_watched(what, command, deadline, most, grow, |_| true).await
    }

    /// [`exec`](Self::exec) of a command that writes to `/dev/tty`.
    pub(crate) async fn exec_on_terminal(
        &self,
        what: &str,
        command: &str,
        deadline: Instant,
        most: usize,
    ) -> Result<BytesMut, DeviceError> {
        let taker = Taker::new(most, <[u8]>::len, |_: &mut BytesMut| true);
        self.exec_taken(what, command, deadline, taker, RawService::with_terminal).await
    }

    /// [`exec`](Self::exec) that is given up early, with what has come until then, as soon as `watch`
    /// is false for all that has come so far.
    ///
    /// Only for commands that may be run twice: a service that is refused may also be a link that broke.
    pub(crate) async fn exec_watched(
        &self,
        what: &str,
        command: &str,
        deadline: Instant,
        most: usize,
        grow: impl Fn(&[u8]) -> usize,
        watch: impl FnMut(&mut BytesMut) -> bool,
    ) -> Result<BytesMut, DeviceError> {
        self.exec_taken(what, command, deadline, Taker::new(most, grow, watch), |it| it).await
    }

    /// Asks the known service, and where adbd closes `exec:` the others, each as `serves` has it for this command.
    async fn exec_taken<G: Fn(&[u8]) -> usize, W: FnMut(&mut BytesMut) -> bool>(
        &self,
        what: &str,
        command: &str,
        deadline: Instant,
        mut taker: Taker<G, W>,
        serves: impl Fn(RawService) -> RawService,
    ) -> Result<BytesMut, DeviceError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let known = *self.raw_service.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ask = async |service: RawService| {
            let read = async |connection: &mut Connection| taker.take(service, connection).await;
            self.call_or_refusal(what, &service.runs(command), deadline, limit, read).await
        };
        let closed = match ask(serves(known)).await? {
            Ok(()) => return Ok(taker.bytes),
            Err(closed) => closed,
        };
        let mut others = Vec::new();
        if known == RawService::Exec {
            if self.has_shell_v2().await? {
                others.push(RawService::Packets);
            }
            others.push(RawService::Terminal);
        }
        let mut asked = None;
        for other in others {
            let served = serves(other);
            if asked.replace(served) == Some(served) {
                continue;
            }
            let taken = ask(served).await;
            if matches!(&taken, Err(error) if error.is_unreachable()) {
                // It was the link that broke.
                break;
            }
            if taken?.is_ok() {
                // What this command needs says nothing of what others may have.
                if served == other {
                    tracing::info!(device = %self.id(), to = ?other, "its adbd closes `exec:`; it goes through the shell");
                    *self.raw_service.lock().unwrap_or_else(PoisonError::into_inner) = other;
                }
                return Ok(taker.bytes);
            }
        }
        Err(self.request_failed(what, closed))
    }

    /// Takes what a service of adb's own sends until it ends, at most `most` bytes. `grow` guesses from those
    /// that have come how many there will be.
    pub(crate) async fn stream(
        &self,
        what: &str,
        service: &str,
        deadline: Instant,
        most: usize,
        grow: impl Fn(&[u8]) -> usize,
    ) -> Result<BytesMut, DeviceError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let mut taker = Taker::new(most, grow, |_| true);
        let read =
            async |connection: &mut Connection| taker.take(RawService::Exec, connection).await;
        self.call(what, service, deadline, limit, read).await?;
        Ok(taker.bytes)
    }

    /// Opens a service and talks to it until the deadline. Getting to the adb server has a limit of its own beside
    /// that (see [`reach`](Self::reach)), and so has [`has_feature`](Self::has_feature), which callers ask first.
    ///
    /// An error before the service is requested means that nothing was done; one after it leaves
    /// that open.
    pub(crate) async fn call<T>(
        &self,
        what: &str,
        service: &str,
        deadline: Instant,
        limit: Duration,
        talk: impl AsyncFnOnce(&mut Connection) -> Result<T, ProtocolError>,
    ) -> Result<T, DeviceError> {
        match self.call_or_refusal(what, service, deadline, limit, talk).await? {
            Ok(answer) => Ok(answer),
            Err(refusal) => Err(self.request_failed(what, refusal)),
        }
    }

    /// [`call`](Self::call) where the inner error is that of a service which is closed before it begins.
    async fn call_or_refusal<T>(
        &self,
        what: &str,
        service: &str,
        deadline: Instant,
        limit: Duration,
        talk: impl AsyncFnOnce(&mut Connection) -> Result<T, ProtocolError>,
    ) -> Result<Result<T, ProtocolError>, DeviceError> {
        let mut connection = self.reach(what, deadline).await?;
        let asked = async {
            match connection.request(service).await {
                Err(ProtocolError::Failed(said)) if said.contains("closed") => {
                    return Ok(Err(ProtocolError::Failed(said)));
                }
                granted => granted?,
            }
            talk(&mut connection).await.map(Ok)
        };
        match timeout_at(deadline, asked).await {
            Ok(Ok(answer)) => {
                self.same_phone.answered();
                Ok(answer)
            }
            Ok(Err(error)) => Err(self.request_failed(what, error)),
            Err(_) => Err(self.timed_out(what, limit)),
        }
    }

    /// Whether the phone's shell reports exit codes (Android 7 and later).
    pub(crate) async fn has_shell_v2(&self) -> Result<bool, DeviceError> {
        self.has_feature("shell_v2").await
    }

    /// Asked once: within `limits.list`, beside what it takes to get to the adb server.
    pub(crate) async fn has_feature(&self, name: &str) -> Result<bool, DeviceError> {
        let Route { server, serial } = self.way();
        let ask = async || match server.query_device(&serial, "features").await? {
            Ok(list) => Ok(String::from_utf8_lossy(&list).into_owned()),
            Err(error) => match device_error(&self.id, "its features", Stage::Connecting, error) {
                // A server that does not know this query knows nothing of that either.
                DeviceError::Refused { .. } => Ok(String::new()),
                error => Err(error),
            },
        };
        let list = self.features.get_or_try_init(ask).await?;
        Ok(list.trim().split(',').any(|feature| feature == name))
    }
}
