//! The phone's shell: one session, from the request to the exit status.
mod commands;
mod exec;
mod expand;
mod glob;
mod io;
mod jobs;
mod parse;
mod process;
mod protocol;
mod syntax;
mod terminal;
#[cfg(test)]
mod tests;
mod variables;

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::{Notify, mpsc},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::protocol::Framing;
use self::{
    io::{Io, Sink, Stdin},
    process::{Shell, Stop},
    protocol::{Channel, Disconnected, Id, PeerWriter, next_packet},
    terminal::{LineEditor, TerminalEvent},
};
use crate::{
    device::VirtualPhone,
    profile::pause,
    stream::{ServiceEnd, Stream},
};

/// How long a raw command may go on after the end of its input. `adb exec-in` closes its side before
/// the command has read everything, which looks the same as a client that is gone. adbd hangs up on both; what
/// reads its input is let finish here.
const GRACE: Duration = Duration::from_secs(5);
/// Most bytes of one line of a script on stdin.
const MAX_LINE: usize = 64 << 10;
/// Most chunks of unread input, which are of `READ` bytes at most.
const INPUT_QUEUE: usize = 16;
/// Bytes of input read, and handed on, at a time.
const READ: usize = 64 << 10;

/// The status of what Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// A shell service as requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) framing: Framing,
    /// With a terminal: echo, line editing, carriage returns.
    pub(crate) terminal: bool,
    /// `None`: lines are read from the input.
    pub(crate) command: Option<String>,
}

/// Runs one session to its end.
pub(crate) async fn serve(device: &VirtualPhone, request: Request, stream: Stream) -> ServiceEnd {
    let Request { framing, terminal, command } = request;
    let peer = PeerWriter::new(framing, terminal, stream.output);
    let (sender, receiver) = mpsc::channel(INPUT_QUEUE);
    let interrupt = Arc::new(Notify::new());
    let io = Io {
        stdin: Stdin::stream(receiver),
        stdout: Sink::Peer(peer.clone(), Channel::Stdout),
        stderr: Sink::Peer(peer.clone(), Channel::Stderr),
    };
    let line = command.clone().unwrap_or_default();
    let mut shell = Shell::new(device.clone());
    // `exec:` and `shell:` have a terminal too, one that changes nothing: only in that way adbd can hang up there
    // (since Android 7; `StartSubprocess` in AOSP's `shell_service.cpp`).
    shell.has_terminal = terminal || framing == Framing::Raw;
    let hang_up = CancellationToken::new();
    if shell.has_terminal || parse::is_one_program(&line) {
        shell.hang_up = Some(hang_up.clone());
    }
    let input = Input {
        from: stream.input,
        framing,
        to: Some(sender),
        terminal: terminal.then(LineEditor::default),
        peer: peer.clone(),
        interrupt: interrupt.clone(),
        hang_up,
    };
    let session = Session { shell, io, interrupt };
    let work = async {
        match command {
            Some(command) => session.one(&command).await,
            None => session.lines(terminal).await,
        }
    };
    let status = tokio::select! {
        status = work => status,
        () = input.pump() => Err(Disconnected { by_fault: false }),
    };
    let ended = match status {
        Ok(_) if device.faults().take_no_exit_status(&line) => Ok(()),
        Ok(status) => peer.exit(status).await,
        Err(gone) => Err(gone),
    };
    if ended == Err(Disconnected { by_fault: true }) {
        return ServiceEnd::CutLink;
    }
    peer.close().await;
    ServiceEnd::Done
}

#[derive(Debug)]
struct Session {
    shell: Shell,
    io: Io,
    interrupt: Arc<Notify>,
}

impl Session {
    async fn one(mut self, command: &str) -> Result<u8, Disconnected> {
        self.shell.device().faults().before_shell(command).await;
        let interrupt = self.interrupt.clone();
        let work = async {
            let ended = self.shell.run_line(command, &self.io).await;
            // As in adbd, the stream ends when no process can write to it any more.
            self.shell.output_closed().await;
            ended.or_else(exited)
        };
        tokio::select! {
            ended = work => ended,
            () = interrupt.notified() => Ok(INTERRUPTED),
        }
    }

    /// Reads lines and runs each, until `exit` or the end of the input.
    async fn lines(mut self, terminal: bool) -> Result<u8, Disconnected> {
        let mut line = String::new();
        loop {
            if terminal {
                let prompt = match line.as_str() {
                    "" => format!("{}:{} $ ", self.shell.variable("HOSTNAME"), self.shell.cwd()),
                    _ => "> ".to_owned(),
                };
                self.print(prompt).await?;
            }
            let interrupt = self.interrupt.clone();
            let read = tokio::select! {
                read = self.io.stdin.line(MAX_LINE) => read,
                () = interrupt.notified() => {
                    line.clear();
                    self.shell.status = INTERRUPTED;
                    continue;
                }
            };
            let Some(read) = read else { break };
            line.push_str(&String::from_utf8_lossy(&read));
            let parsed = parse::parse(&line);
            if parsed.as_ref().is_err_and(parse::SyntaxError::wants_more) && line.len() < MAX_LINE {
                line.push('\n');
                continue;
            }
            let whole = std::mem::take(&mut line);
            self.shell.device().count(|counts| counts.requests += 1);
            self.shell.device().faults().before_shell(&whole).await;
            pause(self.shell.device().timing().round_trip).await;
            if self.shell.device().faults().take_no_exit_status(&whole) {
                // It is carried out, and nothing of its answer arrives.
                let silent =
                    Io { stdout: Sink::Null, stderr: Sink::Null, stdin: self.io.stdin.clone() };
                return match self.shell.run_line(&whole, &silent).await {
                    Err(Stop::Disconnected(gone)) => Err(gone),
                    Ok(_) | Err(Stop::Exit(_)) => Err(Disconnected { by_fault: false }),
                };
            }
            let ended = tokio::select! {
                ended = self.shell.run_line(&whole, &self.io) => ended,
                () = interrupt.notified() => Ok(INTERRUPTED),
            };
            match ended {
                Ok(status) => (self.shell.status, self.shell.depth) = (status, 0),
                Err(stop) => return exited(stop),
            }
            if parsed.is_err() && !terminal {
                return Ok(1);
            }
        }
        if !line.is_empty() {
            return self.shell.run_line(&line, &self.io).await.or_else(exited);
        }
        if terminal {
            self.print("\n".to_owned()).await?;
        } else {
            self.shell.output_closed().await;
        }
        Ok(self.shell.status())
    }

    async fn print(&self, text: String) -> Result<(), Disconnected> {
        match self.io.stdout.write(&[Bytes::from(text)], None).await {
            Err(io::WriteError::Disconnected(gone)) => Err(gone),
            Ok(()) | Err(io::WriteError::File(_)) => Ok(()),
        }
    }
}

fn exited(stop: Stop) -> Result<u8, Disconnected> {
    match stop {
        Stop::Exit(status) => Ok(status),
        Stop::Disconnected(gone) => Err(gone),
    }
}

/// Feeds the client's bytes to the running command.
struct Input {
    from: Box<dyn AsyncRead + Send + Unpin>,
    framing: Framing,
    /// `None` after the end of the input.
    to: Option<mpsc::Sender<Bytes>>,
    terminal: Option<LineEditor>,
    peer: Arc<PeerWriter>,
    interrupt: Arc<Notify>,
    hang_up: CancellationToken,
}

impl Input {
    /// Returns when the client is gone and the session has to end.
    async fn pump(mut self) {
        let mut read = BytesMut::with_capacity(READ);
        while let Ok(1..) = self.from.read_buf(&mut read).await {
            match self.framing {
                Framing::Raw => {
                    let bytes = read.split().freeze();
                    self.deliver(bytes).await;
                }
                Framing::V2 => loop {
                    match next_packet(&mut read) {
                        Ok(Some((Id::Stdin, data))) => self.deliver(data).await,
                        Ok(Some((Id::CloseStdin, _))) => self.to = None,
                        Ok(Some((
                            Id::Stdout | Id::Stderr | Id::Exit | Id::WindowSize | Id::Other(_),
                            _,
                        ))) => {}
                        Ok(None) => break,
                        Err(error) => {
                            tracing::debug!(%error, "dropping a shell session");
                            return;
                        }
                    }
                },
            }
            read.reserve(READ);
        }
        self.to = None;
        self.hang_up.cancel();
        if self.framing == Framing::Raw && self.terminal.is_none() {
            tokio::time::sleep(GRACE).await;
        }
    }

    async fn deliver(&mut self, bytes: Bytes) {
        let Some(editor) = &mut self.terminal else {
            return self.send(bytes).await;
        };
        for typed in editor.feed(&bytes) {
            match typed {
                TerminalEvent::Echo(text) => {
                    let echoed = self.peer.write(Channel::Stdout, &[Bytes::from(text)], None).await;
                    if echoed.is_err() {
                        self.to = None;
                    }
                }
                TerminalEvent::Line(line) => self.send(line).await,
                TerminalEvent::Interrupt => self.interrupt.notify_waiters(),
                // Whoever reads then is at the end: a program, or at the prompt the shell. Another one reads on.
                TerminalEvent::End => self.send_chunk(Bytes::new()).await,
            }
        }
    }

    async fn send(&mut self, mut bytes: Bytes) {
        while !bytes.is_empty() {
            let chunk = bytes.split_to(bytes.len().min(READ));
            self.send_chunk(chunk).await;
        }
    }

    /// Unread input is dropped, as for a process that has closed its stdin.
    async fn send_chunk(&mut self, chunk: Bytes) {
        if let Some(to) = &self.to
            && to.send(chunk).await.is_err()
        {
            self.to = None;
        }
    }
}
