//! One shell that stays open while a phone is driven, so that no command has to start one: on a phone that is most
//! of what a quick command takes.
//!
//! `shell,v2,raw:` without a command is a shell that reads its lines from standard input (AOSP,
//! `shell_service.cpp`). Each command runs in a subshell of it, without input. Before and after it the shell
//! prints a random marker on both streams, with the exit code behind the last one: what a command prints cannot
//! contain it, since nothing on the phone but the shell is told. A command's output is what stands between the
//! markers. Anything else that comes ends the session, and what was asked is then in doubt.
//!
//! Phones before Android 7 have only a terminal that echoes; they get a connection for each command, as before.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use tokio::sync::MutexGuard;
use tokio::time::Instant;

use crate::protocol::{Connection, ProtocolError};
use crate::shell::{MAX_OUTPUT, ShellOutput};

/// The service that starts one.
pub(crate) const SERVICE: &str = "shell,v2,raw:";
/// The longest line, as for a service's name.
const MAX_LINE: usize = crate::protocol::MAX_SERVICE;
/// How long none is opened after one that failed, at first and at most.
const PAUSE: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_mins(8);
/// After so many commands one has proved itself: what failed before says nothing of it.
const PROVEN: u32 = 100;

/// The shell of one phone, where one is open.
#[derive(Debug, Default)]
pub(crate) struct PersistentShell(tokio::sync::Mutex<ShellState>);

#[derive(Debug, Default)]
struct ShellState {
    session: Option<Session>,
    /// After a failure, and on which link that was.
    not_until: Option<(Instant, String)>,
    pause: Option<Duration>,
    /// Commands since the last failure.
    answered: u32,
}

/// A shell on a connection of its own.
#[derive(Debug)]
struct Session {
    connection: Connection,
    /// The link over which it was opened.
    link: String,
}

/// The shell, for one command.
pub(crate) struct ShellTurn<'a>(MutexGuard<'a, ShellState>);

impl PersistentShell {
    /// `None` while another command has it, and for a while after it has failed on this link.
    pub(crate) fn turn(&self, link: &str) -> Option<ShellTurn<'_>> {
        let mut state = self.0.try_lock().ok()?;
        let now = Instant::now();
        if state.not_until.as_ref().is_some_and(|(until, of)| of == link && now < *until) {
            return None;
        }
        if state.not_until.take_if(|(_, of)| of != link).is_some() {
            state.pause = None;
        }
        Some(ShellTurn(state))
    }
}

impl ShellTurn<'_> {
    /// Whether one was open when it was last used.
    pub(crate) fn has_session(&self) -> bool {
        self.0.session.is_some()
    }

    /// Whether it is open on this link. One that has ended meanwhile, or said something unasked, is closed.
    pub(crate) fn is_open(&mut self, link: &str) -> bool {
        let usable = |it: &mut Session| it.link == link && it.connection.is_silent();
        if !self.0.session.as_mut().is_some_and(usable) {
            self.0.session = None;
        }
        self.0.session.is_some()
    }

    /// Opens it on a connection to the phone, and has it prove that it does as it should before any command is
    /// entrusted to it.
    pub(crate) async fn open(
        &mut self,
        link: String,
        mut connection: Connection,
    ) -> Result<(), ProtocolError> {
        connection.request(SERVICE).await?;
        let mut session = Session { connection, link };
        // Not the code of a shell that understood nothing.
        let marker = Marker::new();
        let line = marker.wrap("echo out; echo err >&2; exit 7")?;
        let proof = session.run(&line, &marker, &AtomicBool::default()).await?;
        if (proof.exit_code, &*proof.stdout, &*proof.stderr) != (7, "out\n", "err\n") {
            return Err(ProtocolError::OutOfTurn);
        }
        self.0.session = Some(session);
        Ok(())
    }

    /// Runs a command, once. An error, and a wait that is given up, end the session: whether the command was
    /// carried out is then not known. `begun` becomes true when the shell shows that it is at it.
    pub(crate) async fn run(
        &mut self,
        command: &str,
        begun: &AtomicBool,
    ) -> Result<ShellOutput, ProtocolError> {
        // One that is too long is not sent, and the shell is as good as before.
        let marker = Marker::new();
        let line = marker.wrap(command)?;
        // Not put back unless the whole of the answer has come.
        let mut session = self.0.session.take().ok_or(ProtocolError::Closed)?;
        let output = session.run(&line, &marker, begun).await?;
        self.0.session = Some(session);
        self.0.answered += 1;
        if PROVEN <= self.0.answered {
            self.0.pause = None;
        }
        Ok(output)
    }

    /// For a while no other one is opened on this link.
    pub(crate) fn failed(mut self, link: String) {
        let pause = self.0.pause.unwrap_or(PAUSE);
        self.0.session = None;
        self.0.answered = 0;
        self.0.not_until = Some((Instant::now() + pause, link));
        self.0.pause = Some((pause * 2).min(MAX_PAUSE));
    }
}

impl Session {
    async fn run(
        &mut self,
        line: &str,
        marker: &Marker,
        begun: &AtomicBool,
    ) -> Result<ShellOutput, ProtocolError> {
        let length = u32::try_from(line.len()).map_err(|_| ProtocolError::RequestTooLong)?;
        // A packet of standard input.
        self.connection.write(&[&[0][..], &length.to_le_bytes(), line.as_bytes()].concat()).await?;
        let (mut out, mut err) = (MarkedStream::default(), MarkedStream::default());
        loop {
            self.connection.acknowledge();
            let mut head = [0; 5];
            self.connection.read_exact(&mut head).await?;
            begun.store(true, Ordering::Relaxed);
            let [kind, length @ ..] = head;
            let length = u32::from_le_bytes(length) as usize;
            if MAX_OUTPUT < out.bytes.len() + err.bytes.len() + length {
                return Err(ProtocolError::ResponseTooLong(MAX_OUTPUT));
            }
            match kind {
                1 => out.take(&mut self.connection, length, marker).await?,
                2 => err.take(&mut self.connection, length, marker).await?,
                3 => return Err(ProtocolError::Closed),
                _ => return Err(ProtocolError::NotAdb),
            }
            if let (Some(out), Some(err)) = (&out.content, &err.content) {
                let text = |content: &Content| String::from_utf8_lossy(&content.text).into_owned();
                let exit_code = out.code.ok_or(ProtocolError::OutOfTurn)?;
                return Ok(ShellOutput { exit_code, stdout: text(out), stderr: text(err) });
            }
        }
    }
}

/// A word that nothing on the phone can know before it is printed.
#[derive(Debug)]
pub(crate) struct Marker(String);

impl Marker {
    fn new() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// The line that runs a command and says where its output begins and ends.
    fn wrap(&self, command: &str) -> Result<String, ProtocolError> {
        let Self(marker) = self;
        let quoted = command.replace('\'', r"'\''");
        let line = format!(
            "echo {marker}b; echo {marker}b >&2; (eval '{quoted}') </dev/null; echo \"{marker}e$?\"; \
             echo {marker}e >&2\n"
        );
        let fits = line.len() <= MAX_LINE && !line.contains('\0');
        fits.then_some(line).ok_or(ProtocolError::RequestTooLong)
    }
}

/// One stream of a command, as it comes.
#[derive(Debug, Default)]
struct MarkedStream {
    bytes: BytesMut,
    /// Up to where there is no end.
    searched: usize,
    /// Where the marker at the end is.
    end: Option<usize>,
    content: Option<Content>,
}

#[derive(Debug, PartialEq, Eq)]
struct Content {
    text: BytesMut,
    /// What stands behind the marker at the end, which is nothing on the stream of errors.
    code: Option<u8>,
}

impl MarkedStream {
    async fn take(
        &mut self,
        connection: &mut Connection,
        length: usize,
        marker: &Marker,
    ) -> Result<(), ProtocolError> {
        let start = self.bytes.len();
        self.bytes.resize(start + length, 0);
        connection.read_exact(&mut self.bytes[start..]).await?;
        self.look(marker)
    }

    /// Whether all of it has come. An error for what is not between the markers.
    fn look(&mut self, Marker(marker): &Marker) -> Result<(), ProtocolError> {
        let begin = format!("{marker}b\n");
        let known = self.bytes.len().min(begin.len());
        if self.content.is_some() || self.bytes[..known] != begin.as_bytes()[..known] {
            return Err(ProtocolError::OutOfTurn);
        }
        let end = format!("{marker}e");
        let from = self.searched.max(known);
        self.searched = self.bytes.len().saturating_sub(end.len() - 1);
        if self.end.is_none() {
            let found = self.bytes[from..].windows(end.len()).position(|it| it == end.as_bytes());
            self.end = found.map(|at| from + at);
        }
        let Some(at) = self.end else { return Ok(()) };
        let code = &self.bytes[at + end.len()..];
        let digits = code.strip_suffix(b"\n").unwrap_or(code);
        if 3 < digits.len() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(ProtocolError::OutOfTurn);
        }
        if digits.len() == code.len() {
            return Ok(());
        }
        let code = match std::str::from_utf8(digits).unwrap_or_default() {
            "" => None,
            digits => Some(digits.parse().map_err(|_| ProtocolError::OutOfTurn)?),
        };
        let mut text = std::mem::take(&mut self.bytes).split_off(begin.len());
        text.truncate(at - begin.len());
        self.content = Some(Content { text, code });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
