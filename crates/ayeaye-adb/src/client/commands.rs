//! Command lines in the phone's shell.
use std::ops::RangeInclusive;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ayeaye_agent::DeviceError;
use tokio::time::{Instant, timeout, timeout_at};

use super::DeviceClient;
use super::same_phone::{ask_marks, take_marks};
use crate::fence::NotBegun;
use crate::parse::batch;
use crate::protocol::{Connection, ProtocolError};
use crate::shell::{self, ExitMarker, ShellOutput};

/// Why nothing can be done with a phone whose link holds.
const NO_COMMAND_ENDS: &str = "its commands end without an exit status, even `true`, though its adbd says that it tells \
    them (`shell_v2`): turn USB debugging off and on again, or restart the phone; if that does not help, something \
    between it and adb cuts the answers off, or it only imitates adb";

/// The exit codes by which a shell tells that a signal has ended a program: 128 and the signal's number (POSIX, `sh`).
const SIGNALS: RangeInclusive<u8> = 129..=159;

/// How a shell of its own tells the exit code of its command.
#[derive(Debug)]
enum Ending {
    /// In a packet of its own, of shell v2.
    Packet,
    /// Behind this, in the output.
    Marker(ExitMarker),
}

impl Ending {
    fn of(has_shell_v2: bool) -> Self {
        if has_shell_v2 { Self::Packet } else { Self::Marker(ExitMarker::new()) }
    }

    fn service(&self, command: &str) -> String {
        match self {
            Self::Packet => format!("shell,v2,raw:{command}"),
            Self::Marker(mark) => format!("shell:{}", mark.append_to(command)),
        }
    }

    /// The inner error is what came where it ended without an exit code, as far as that is known.
    async fn read(
        &self,
        connection: &mut Connection,
    ) -> Result<Result<ShellOutput, String>, ProtocolError> {
        let read = match self {
            Self::Packet => shell::read_v2(connection).await,
            Self::Marker(mark) => shell::read_with_marker(connection, mark).await,
        };
        match read {
            Err(ProtocolError::NoExitCode(said)) => Ok(Err(said)),
            Err(ProtocolError::Closed) => Ok(Err(String::new())),
            read => read.map(Ok),
        }
    }
}

/// Whether a command may be sent a second time when its answer did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    No,
    Yes,
}

impl DeviceClient {
    /// Runs a command line that changes nothing in the phone's shell, and waits for its end. `what` names it in
    /// errors. It may be run twice.
    ///
    /// Output that ends without an exit status is a lost connection, never an empty success.
    pub(crate) async fn shell(
        &self,
        what: &str,
        command: &str,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        // The first command of a driver claims the phone, which costs no connection of its own.
        let Some(taking) = self.fence.is_due().then(|| self.fence.taking.try_lock().ok()).flatten()
        else {
            return self.run_open(what, command, limit, Again::Yes).await;
        };
        let output = self.claim_and(what, &format!("; {command}"), limit).await;
        drop(taking);
        output
    }

    /// Runs a command line that changes what the phone shows or has: at most once, and not if another driver
    /// has claimed the phone since this one did.
    pub(crate) async fn act(
        &self,
        what: &str,
        command: &str,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        self.claim_if_due(what).await?;
        let Some(line) = self.fence.guard(command) else {
            let output = self.run_open(what, command, limit, Again::No).await?;
            return self.unless_ended_by_signal(what, output);
        };
        let output = self.run_open(what, &line, limit, Again::No).await?;
        match self.fence.not_begun(&output) {
            None => self.unless_ended_by_signal(what, output),
            Some(why @ (NotBegun::ClaimedElsewhere | NotBegun::NotesAreGone)) => {
                Err(DeviceError::ClaimedElsewhere {
                    id: self.id.clone(),
                    what: what.to_owned(),
                    notes_are_gone: why == NotBegun::NotesAreGone,
                    partly: false,
                })
            }
            Some(NotBegun::NotNoted) => Err(self.refused(
                what,
                "it cannot make a folder in /data/local/tmp any more, so nothing was done: make room in its \
                 storage",
            )),
        }
    }

    /// A program that was ended by a signal, as Android ends programs where memory runs short, may have done its work.
    fn unless_ended_by_signal(
        &self,
        what: &str,
        output: ShellOutput,
    ) -> Result<ShellOutput, DeviceError> {
        if !SIGNALS.contains(&output.exit_code) {
            return Ok(output);
        }
        let number = output.exit_code - SIGNALS.start() + 1;
        Err(self.garbled(
            what,
            format!("its program was ended by signal {number} before it said how it went"),
        ))
    }

    /// [`act`](Self::act), with the limit for commands that return at once.
    pub(crate) async fn act_quick(
        &self,
        what: &str,
        command: &str,
    ) -> Result<ShellOutput, DeviceError> {
        self.act(what, command, self.limits().shell).await
    }

    /// Fails if another driver has claimed the phone. For what is not done by a command line.
    pub(crate) async fn ensure_driver(&self, what: &str) -> Result<(), DeviceError> {
        self.act_quick(what, "true").await.map(drop)
    }

    /// Claims the phone, if that is due. Once this is done, earlier drivers can begin nothing more.
    pub(crate) async fn claim_if_due(&self, what: &str) -> Result<(), DeviceError> {
        while self.fence.is_due() {
            let _taking = self.fence.taking.lock().await;
            if self.fence.is_due() {
                self.claim_and(what, "", self.limits.shell).await?;
            }
        }
        Ok(())
    }

    async fn claim_and(
        &self,
        what: &str,
        then: &str,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        let asks_who = self.may_become_another();
        let claim = format!("{}{then}", self.fence.taking_line());
        let line = if asks_who { batch(&[&ask_marks(), &claim]) } else { claim };
        let mut output = self.run(what, &line, limit).await?;
        // Another one in its place has been claimed now, but nothing more is done with it.
        if asks_who && let Some(now) = take_marks(&mut output.stdout) {
            self.ensure_is(&now)?;
        }
        if !self.fence.took_over(&mut output.stdout) {
            tracing::warn!(
                device = %self.id,
                "it has no place in /data/local/tmp where drivers can hold each other off: drive it from one \
                 server only"
            );
        }
        Ok(output)
    }

    /// Runs it in the shell that is open while somebody drives the phone, if that is free, else in one of its own.
    ///
    /// What fails there once it was sent is run again only if it may be: it may have been carried out.
    async fn run_open(
        &self,
        what: &str,
        command: &str,
        limit: Duration,
        again: Again,
    ) -> Result<ShellOutput, DeviceError> {
        let deadline = Instant::now() + limit;
        let left = || deadline.saturating_duration_since(Instant::now());
        let pays = self.fence.is_driven() && self.way().server.answers_at_once();
        let turn = if pays { self.shell.turn(&self.link()) } else { None };
        let Some(mut turn) = turn else { return self.run(what, command, limit).await };
        if !self.has_shell_v2().await? {
            return self.run(what, command, left()).await;
        }
        let in_doubt = self.is_in_doubt.load(Ordering::Relaxed);
        let had_one = turn.has_session();
        let is_open = turn.is_open(&self.link());
        if had_one && !is_open {
            self.same_phone.link_lost();
        }
        if in_doubt || !is_open {
            let connection = self.reach(what, deadline).await?;
            let opening = turn.open(self.link(), connection);
            let opened = timeout(limit / 4, opening).await;
            if !matches!(opened, Ok(Ok(()))) {
                tracing::info!(device = %self.id, ?opened, "no shell stays open; one for each command");
                turn.failed(self.link());
                return self.run(what, command, left()).await;
            }
        }
        // A shell that is not even at it leaves time to ask again what may be. What takes long there would take as
        // long in another one, beside the first.
        let spare = if again == Again::Yes { limit / 2 } else { Duration::ZERO };
        let begun = AtomicBool::default();
        let ended = {
            let mut running = pin!(turn.run(command, &begun));
            match timeout_at(deadline - spare, &mut running).await {
                Err(_) if begun.load(Ordering::Relaxed) => timeout_at(deadline, running).await,
                ended => ended,
            }
        };
        let again = if ended.is_err() && begun.load(Ordering::Relaxed) { Again::No } else { again };
        let error = match ended {
            Ok(Ok(output)) => {
                self.same_phone.answered();
                self.tells_exit_codes.store(true, Ordering::Relaxed);
                return Ok(output);
            }
            // It was not sent.
            Ok(Err(ProtocolError::RequestTooLong)) => {
                return self.run(what, command, left()).await;
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        tracing::info!(device = %self.id, what, ?error, "the open shell failed");
        self.same_phone.link_lost();
        turn.failed(self.link());
        if again == Again::Yes {
            return self.run(what, command, left()).await;
        }
        Err(match error {
            Some(error) => self.request_failed(what, error),
            None => self.timed_out(what, limit),
        })
    }

    /// Runs it in a shell of its own.
    async fn run(
        &self,
        what: &str,
        command: &str,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        if command.is_empty() {
            // For a phone that is the wish for a shell with a person at it, which does not end.
            return Err(self.not_sent(what, "there is no command"));
        }
        let ending = Ending::of(self.has_shell_v2().await?);
        let service = ending.service(command);
        let read = async |connection: &mut Connection| ending.read(connection).await;
        match self.call(what, &service, Instant::now() + limit, limit, read).await? {
            Ok(output) => {
                self.tells_exit_codes.store(true, Ordering::Relaxed);
                Ok(output)
            }
            Err(said) => Err(self.no_exit_code(what, said).await),
        }
    }

    /// A command's output without an exit code is that of a link which broke, or of something that only
    /// looks like a phone.
    async fn no_exit_code(&self, what: &str, said: String) -> DeviceError {
        let limit = self.limits.shell;
        let ends = async || {
            let has_shell_v2 = self.has_shell_v2().await?;
            if has_shell_v2 && self.tells_exit_codes.load(Ordering::Relaxed) {
                // It does end its commands.
                return Ok((has_shell_v2, true));
            }
            let ending = Ending::of(has_shell_v2);
            let read = async |connection: &mut Connection| ending.read(connection).await;
            let ended =
                self.call(what, &ending.service("true"), Instant::now() + limit, limit, read).await;
            ended.map(|ended| (has_shell_v2, ended.is_ok()))
        };
        match ends().await {
            Ok((false, false)) => self.garbled(
                what,
                format!(
                    "it does not run command lines as Android's shell does: `true; echo $?` tells no exit \
                     code (to this it said `{said}`), so it is no phone, or one that only imitates adb"
                ),
            ),
            Ok((true, false)) => self.garbled(what, NO_COMMAND_ENDS),
            Ok((_, true)) | Err::<_, DeviceError>(_) => {
                self.request_failed(what, ProtocolError::NoExitCode(said))
            }
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
}
