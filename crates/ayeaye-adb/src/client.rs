//! The services of one phone behind the adb server, each on a connection of its own.
//!
//! A connection costs a third of a millisecond on one machine, less than mistaking one answer for
//! another would.
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{ChangeLog, DeviceError, DeviceId, PutBack, SettingChange};
use bytes::BytesMut;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};

use crate::errors::{Stage, device_error};
use crate::parse::FieldState;
use crate::protocol::{Connection, ProtocolError};
use crate::server::Server;
use crate::shell::{self, ShellOutput};

/// A way to a phone.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) server: Arc<Server>,
    /// What that server calls it.
    pub(crate) serial: String,
}

/// Finds other ways to the same phone.
#[async_trait]
pub(crate) trait OtherWays: Send + Sync + fmt::Debug {
    /// One that answers, in place of one that is gone, or of one that no longer answers.
    async fn instead_of(&self, way: &Way, is_gone: bool) -> Option<Way>;
}

/// Runs commands and services of one phone.
///
/// Where its link breaks and it can be reached in another way, it goes on there. What was under way is not
/// sent again.
#[derive(Debug)]
pub(crate) struct DeviceClient {
    id: DeviceId,
    limits: crate::Limits,
    way: Mutex<Way>,
    others: Option<Arc<dyn OtherWays>>,
    /// The last answer did not come.
    is_in_doubt: AtomicBool,
    shell_v2: OnceCell<bool>,
    /// Who is told what is changed of the phone's settings.
    changes: OnceLock<Arc<dyn ChangeLog>>,
    /// The field in focus at the last look, if nothing was done since.
    field: Mutex<Option<FieldState>>,
}

impl DeviceClient {
    /// `serial` is what the server calls the phone, `id` what errors call it.
    pub(crate) fn at(server: Arc<Server>, id: DeviceId, serial: &str) -> Self {
        Self {
            id,
            limits: server.config().limits,
            way: Mutex::new(Way { server, serial: serial.to_owned() }),
            others: None,
            is_in_doubt: AtomicBool::new(false),
            shell_v2: OnceCell::new(),
            changes: OnceLock::new(),
            field: Mutex::default(),
        }
    }

    /// The same, which goes on in another way when its own is gone.
    pub(crate) fn with_other_ways(self, others: Arc<dyn OtherWays>) -> Self {
        Self { others: Some(others), ..self }
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

    pub(crate) fn limits(&self) -> &crate::Limits {
        &self.limits
    }

    fn way(&self) -> Way {
        self.way.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a command line in the phone's shell and waits for its end. `what` names it in errors.
    ///
    /// Output that ends without an exit status is a lost connection, never an empty success.
    pub(crate) async fn shell(
        &self,
        what: &str,
        command: &str,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        let deadline = Instant::now() + limit;
        if self.has_shell_v2().await? {
            let service = format!("shell,v2,raw:{command}");
            self.call(what, &service, deadline, limit, async |connection| {
                shell::read_v2(connection).await
            })
            .await
        } else {
            let mark = shell::ExitMarker::new();
            let service = format!("shell:{}", mark.append_to(command));
            let read = async |connection: &mut Connection| {
                shell::read_with_marker(connection, &mark).await
            };
            self.call(what, &service, deadline, limit, read).await
        }
    }

    /// [`shell`](Self::shell), with the limit for commands that return at once.
    pub(crate) async fn shell_quick(
        &self,
        what: &str,
        command: &str,
    ) -> Result<ShellOutput, DeviceError> {
        self.shell(what, command, self.limits().shell).await
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

    /// [`exec`](Self::exec) that is given up early, with what has come until then, as soon as `watch`
    /// is false for all that has come so far.
    pub(crate) async fn exec_watched(
        &self,
        what: &str,
        command: &str,
        deadline: Instant,
        most: usize,
        grow: impl Fn(&[u8]) -> usize,
        mut watch: impl FnMut(&[u8]) -> bool,
    ) -> Result<BytesMut, DeviceError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let service = format!("exec:{command}");
        let read = async |connection: &mut Connection| {
            let mut bytes = BytesMut::with_capacity(64 * 1024);
            loop {
                if bytes.len() == bytes.capacity() {
                    // One spare byte, so that the end can be told from a full buffer.
                    let room = grow(&bytes).max(bytes.len() * 2).min(most) + 1;
                    bytes.reserve(room.saturating_sub(bytes.len()).max(1));
                }
                if connection.read_some(&mut bytes).await? == 0 {
                    return Ok(bytes);
                }
                if most < bytes.len() {
                    return Err(ProtocolError::ResponseTooLong(most));
                }
                if !watch(&bytes) {
                    return Ok(bytes);
                }
            }
        };
        self.call(what, &service, deadline, limit, read).await
    }

    /// Opens a service and talks to it until the deadline.
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
        let mut connection = self.reach(what, deadline).await?;
        let asked = async {
            connection.request(service).await?;
            talk(&mut connection).await
        };
        let error = match timeout_at(deadline, asked).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => device_error(&self.id, what, Stage::Requested, error),
            Err(_) => {
                DeviceError::TimedOut { id: self.id.clone(), what: what.to_owned(), after: limit }
            }
        };
        if error.is_unreachable() {
            self.is_in_doubt.store(true, Ordering::Relaxed);
        }
        Err(error)
    }

    /// A connection to the phone itself, on which nothing has been asked of it yet. That is why another way
    /// may be tried where there is one.
    async fn reach(&self, what: &str, deadline: Instant) -> Result<Connection, DeviceError> {
        if self.is_in_doubt.swap(false, Ordering::Relaxed) {
            self.go_another_way(false).await;
        }
        match self.transport(what, deadline).await {
            Err(error) if error.is_unreachable() && self.go_another_way(true).await => {
                self.transport(what, deadline).await
            }
            reached => reached,
        }
    }

    async fn transport(&self, what: &str, deadline: Instant) -> Result<Connection, DeviceError> {
        let Way { server, serial } = self.way();
        let mut connection = server.connect().await?;
        let transport = format!("host:transport:{serial}");
        match timeout_at(deadline, connection.request(&transport)).await {
            Ok(Ok(())) => Ok(connection),
            Ok(Err(error)) => Err(device_error(&self.id, what, Stage::Connecting, error)),
            Err(_) => {
                let state = "out of reach: the adb server does not answer".to_owned();
                Err(DeviceError::NotReady(self.id.clone(), state))
            }
        }
    }

    /// True if there is another way, which is taken from now on.
    async fn go_another_way(&self, is_gone: bool) -> bool {
        let Some(others) = &self.others else { return false };
        let limit = self.limits.list + 2 * self.limits.describe;
        let found = timeout(limit, others.instead_of(&self.way(), is_gone)).await;
        let Ok(Some(way)) = found else { return false };
        let server = &way.server.config().server;
        tracing::warn!(device = %self.id, serial = way.serial, %server, "its link is gone; going on over another");
        *self.way.lock().unwrap_or_else(PoisonError::into_inner) = way;
        true
    }

    /// Whether the phone's shell reports exit codes (Android 7 and later). Asked once.
    pub(crate) async fn has_shell_v2(&self) -> Result<bool, DeviceError> {
        let Way { server, serial } = self.way();
        let ask = async || match server.query_device(&serial, "features").await? {
            Ok(list) => {
                let list = String::from_utf8_lossy(&list).into_owned();
                Ok(list.trim().split(',').any(|feature| feature == "shell_v2"))
            }
            Err(error) => match device_error(&self.id, "its features", Stage::Connecting, error) {
                // A server that does not know this query does not know shell v2 either.
                DeviceError::Refused { .. } => Ok(false),
                error => Err(error),
            },
        };
        self.shell_v2.get_or_try_init(ask).await.copied()
    }

    /// The error for a phone that refuses.
    pub(crate) fn refused(&self, what: &str, reason: impl Into<String>) -> DeviceError {
        DeviceError::Refused { id: self.id.clone(), what: what.to_owned(), reason: reason.into() }
    }

    /// The error for an answer that cannot be understood.
    pub(crate) fn garbled(&self, what: &str, reason: impl Into<String>) -> DeviceError {
        DeviceError::Garbled { id: self.id.clone(), what: what.to_owned(), reason: reason.into() }
    }
}
