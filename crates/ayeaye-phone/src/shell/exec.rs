//! Runs parsed scripts.
use std::{pin::Pin, sync::PoisonError};

use bytes::Bytes;

use super::{
    commands::{self, CommandOutput},
    io::{Io, PIPE_LIMIT, Sink, Stdin, WriteError},
    parse::{SyntaxError, parse},
    process::{SHELL_PATH, Shell, Stop},
    protocol::Channel,
    syntax::{Command, CommandKind, Item, List, Pipeline, Redirect, Script, Target, When},
    variables::{MAX_TEXT, OutOfMemory, check_size},
};
use crate::{files, memory::HeldBuffer};

/// Levels of nested execution: groups, substitutions, `eval` and `sh -c`.
const MAX_DEPTH: usize = 64;

type Running<'a, T> = Pin<Box<dyn Future<Output = Result<T, Stop>> + Send + 'a>>;

impl Shell {
    /// Runs a command line inside another one.
    pub(crate) async fn run_nested(&mut self, line: &str, io: &Io) -> Result<u8, Stop> {
        if self.depth >= MAX_DEPTH {
            self.complain("nested too deeply", io).await?;
            return Ok(1);
        }
        self.depth += 1;
        let ended = Box::pin(self.run_line(line, io)).await;
        self.depth -= 1;
        ended
    }

    /// Parses and runs a command line; returns its exit status.
    pub(crate) async fn run_line(&mut self, line: &str, io: &Io) -> Result<u8, Stop> {
        self.device.count(|counts| counts.command_lines += 1);
        match parse(line) {
            Ok(script) => self.script(&script, io).await?,
            Err(error) => self.refuse(&error, io).await?,
        }
        Ok(self.status)
    }

    /// Reports a syntax error.
    pub(crate) async fn refuse(&mut self, error: &SyntaxError, io: &Io) -> Result<(), Stop> {
        self.device.count(|counts| counts.syntax_errors += 1);
        self.complain(&error.to_string(), io).await?;
        self.status = 1;
        Ok(())
    }

    fn script<'a>(&'a mut self, script: &'a Script, io: &'a Io) -> Running<'a, ()> {
        Box::pin(async move {
            for list in script {
                if list.background {
                    self.start_job(list.clone(), io).await?;
                } else {
                    self.list(list, io).await?;
                }
            }
            Ok(())
        })
    }

    async fn list(&mut self, list: &List, io: &Io) -> Result<(), Stop> {
        for Item { when, pipeline } in &list.items {
            let wanted = match when {
                When::Always => true,
                When::Succeeded => self.status == 0,
                When::Failed => self.status != 0,
            };
            if wanted {
                self.status = self.pipeline(pipeline, io).await?;
            }
        }
        Ok(())
    }

    /// Runs the list as a background process without input.
    async fn start_job(&mut self, list: List, io: &Io) -> Result<(), Stop> {
        let writes = !has_own_output(&list);
        let list = vec![List { background: false, ..list }];
        let mut child = self.subshell();
        let io = Io { stdin: Stdin::bytes(Bytes::new()), ..io.clone() };
        let job = {
            let io = io.clone();
            async move {
                match child.script(&list, &io).await {
                    Ok(()) => child.status,
                    Err(Stop::Exit(status)) => status,
                    Err(Stop::Disconnected(_)) => 1,
                }
            }
        };
        if self.jobs.start(writes, job) {
            self.status = 0;
        } else {
            self.complain("can't fork - try again", &io).await?;
            self.status = 1;
        }
        Ok(())
    }

    /// Waits for the background jobs that could still write to this shell's output.
    pub(crate) async fn output_closed(&self) {
        self.jobs.output_closed().await;
    }

    /// The commands run one after the other; a pipe buffers everything.
    async fn pipeline(&mut self, pipeline: &Pipeline, io: &Io) -> Result<u8, Stop> {
        let Some((last, before)) = pipeline.commands.split_last() else { return Ok(0) };
        let mut stdin = io.stdin.clone();
        for command in before {
            // Pipes inside of others hold less, so that all of a command line together hold only so much.
            let (stdout, buffer) =
                Sink::pipe(self.device.memory(), PIPE_LIMIT >> self.depth.min(32));
            let through = Io { stdin, stdout, stderr: io.stderr.clone() };
            // Each part is a process of its own; `exit` ends only that.
            let mut child = self.piped_subshell();
            match child.command(command, &through).await {
                Err(Stop::Disconnected(gone)) => return Err(Stop::Disconnected(gone)),
                Ok(_) | Err(Stop::Exit(_)) => {}
            }
            child.output_closed().await;
            stdin = Stdin::bytes(drain(&buffer));
        }
        let through = Io { stdin, ..io.clone() };
        let status = if before.is_empty() {
            self.command(last, &through).await?
        } else {
            // In `mksh` the last part runs in the shell itself.
            match self.command(last, &through).await {
                Err(Stop::Exit(status)) => status,
                ended => ended?,
            }
        };
        Ok(if pipeline.negated { u8::from(status == 0) } else { status })
    }

    async fn command(&mut self, command: &Command, io: &Io) -> Result<u8, Stop> {
        tokio::task::consume_budget().await;
        self.substituted = 0;
        let io = &match self.redirected(&command.redirects, io).await? {
            Some(io) => io,
            None => return Ok(1),
        };
        match &command.kind {
            CommandKind::Simple { assignments, words } => {
                let mut assigned = Vec::new();
                let mut size = 0;
                for (name, value) in assignments {
                    let value = self.text(value, io).await?;
                    size += value.len();
                    self.bounded(check_size(size), io).await?;
                    assigned.push((name, value));
                }
                let fields = self.fields(words, io).await?;
                if fields.is_empty() {
                    // Without a command, assignments set the shell's variables.
                    self.assign(assigned, io).await?;
                    return Ok(self.substituted);
                }
                let before = (!assigned.is_empty()).then(|| self.variables.clone());
                let names: Vec<&String> = assigned.iter().map(|(name, _)| *name).collect();
                self.assign(assigned, io).await?;
                for name in names {
                    let exported = self.variables.export(name);
                    self.bounded(exported, io).await?;
                }
                let ended = self.simple(&fields, io).await;
                if let Some(before) = before {
                    self.variables = before;
                }
                ended
            }
            CommandKind::Group(script) => self.nested(script, io).await,
            CommandKind::Subshell(script) => {
                let mut child = self.subshell();
                match child.nested(script, io).await {
                    Err(Stop::Exit(status)) => Ok(status),
                    ended => ended,
                }
            }
        }
    }

    async fn assign(&mut self, values: Vec<(&String, String)>, io: &Io) -> Result<(), Stop> {
        for (name, value) in values {
            let set = self.set_variable(name, value);
            self.bounded(set, io).await?;
        }
        Ok(())
    }

    /// A shell that would hold too much says so and ends.
    pub(super) async fn bounded(
        &self,
        checked: Result<(), OutOfMemory>,
        io: &Io,
    ) -> Result<(), Stop> {
        let Err(error) = checked else { return Ok(()) };
        self.error_text(format!("{error}\n").into_bytes(), io).await?;
        Err(Stop::Exit(OutOfMemory::STATUS))
    }

    async fn nested(&mut self, script: &Script, io: &Io) -> Result<u8, Stop> {
        if self.depth >= MAX_DEPTH {
            self.complain("nested too deeply", io).await?;
            return Ok(1);
        }
        self.depth += 1;
        let ended = self.script(script, io).await;
        self.depth -= 1;
        ended.map(|()| self.status)
    }

    async fn simple(&mut self, fields: &[String], io: &Io) -> Result<u8, Stop> {
        let Some((name, args)) = fields.split_first() else { return Ok(0) };
        let reply = commands::run(self, name, args, io).await?;
        self.show(name, reply, io).await
    }

    async fn show(&self, name: &str, reply: CommandOutput, io: &Io) -> Result<u8, Stop> {
        for (channel, bytes) in reply.earlier {
            let written = match channel {
                Channel::Stdout => io.stdout.write(&[bytes], None).await,
                Channel::Stderr => Ok(self.error_text(bytes, io).await?),
            };
            if !self.was_written(name, written, io).await? {
                return Ok(1);
            }
        }
        if !reply.stdout.is_empty() || reply.drop_after.is_some() {
            let written = io.stdout.write(&reply.stdout, reply.drop_after).await;
            if !self.was_written(name, written, io).await? {
                return Ok(1);
            }
        }
        if !reply.stderr.is_empty() {
            self.error_text(reply.stderr, io).await?;
        }
        Ok(reply.status)
    }

    /// `false` where a command's output did not fit; that was said.
    async fn was_written(
        &self,
        name: &str,
        written: Result<(), WriteError>,
        io: &Io,
    ) -> Result<bool, Stop> {
        match written {
            Ok(()) => Ok(true),
            Err(WriteError::Disconnected(gone)) => Err(Stop::Disconnected(gone)),
            Err(WriteError::File(error)) => {
                self.complain_as(&format!("{name}: write: {error}"), io).await?;
                Ok(false)
            }
        }
    }

    /// The output of a script without trailing newlines.
    pub(crate) async fn output_of(&mut self, script: &Script, io: &Io) -> Result<String, Stop> {
        let (stdout, buffer) = Sink::pipe(self.device.memory(), MAX_TEXT);
        let through = Io { stdout, ..io.clone() };
        let mut child = self.piped_subshell();
        self.substituted = match Box::pin(child.nested(script, &through)).await {
            Ok(status) | Err(Stop::Exit(status)) => status,
            Err(Stop::Disconnected(gone)) => return Err(Stop::Disconnected(gone)),
        };
        child.output_closed().await;
        let text = String::from_utf8_lossy(&drain(&buffer)).replace('\0', "");
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// `None` when a redirection failed; the error was reported.
    async fn redirected(&mut self, redirects: &[Redirect], io: &Io) -> Result<Option<Io>, Stop> {
        let mut new = io.clone();
        for Redirect { fd, to } in redirects {
            let sink = match to {
                Target::Copy(1) => new.stdout.clone(),
                Target::Copy(_) => new.stderr.clone(),
                Target::Read(word) => {
                    let path = self.text(word, io).await?;
                    match commands::read(&self.device, &self.cwd, &path) {
                        Ok(content) => new.stdin = Stdin::bytes(content),
                        Err(error) => {
                            self.complain(&format!("can't open {path}: {error}"), io).await?;
                            return Ok(None);
                        }
                    }
                    continue;
                }
                Target::Write(word) | Target::Append(word) => {
                    let path = self.text(word, io).await?;
                    match self.open(&path, matches!(to, Target::Append(_))) {
                        Ok(sink) => sink,
                        Err(error) => {
                            self.complain(&format!("can't create {path}: {error}"), io).await?;
                            return Ok(None);
                        }
                    }
                }
            };
            match fd {
                1 => new.stdout = sink,
                2 => new.stderr = sink,
                _ => {}
            }
        }
        Ok(Some(new))
    }

    fn open(&self, path: &str, append: bool) -> Result<Sink, files::FileError> {
        if files::normalize_path(&self.cwd, path) == "/dev/null" {
            return Ok(Sink::Null);
        }
        let mut files = self.device.files();
        let path = files.path_to_write(&self.cwd, path)?;
        if append {
            files.append(&path, b"", self.device.unix_seconds())?;
        } else {
            files.write(&path, Vec::new(), 0o660, self.device.unix_seconds())?;
        }
        Ok(Sink::File(self.device.clone(), path))
    }

    async fn complain(&self, text: &str, io: &Io) -> Result<(), Stop> {
        self.complain_as(&format!("{SHELL_PATH}: {text}"), io).await
    }

    async fn complain_as(&self, text: &str, io: &Io) -> Result<(), Stop> {
        self.error_text(format!("{text}\n").into_bytes(), io).await
    }

    async fn error_text(&self, text: impl Into<Bytes>, io: &Io) -> Result<(), Stop> {
        match io.stderr.write(&[text.into()], None).await {
            // Error messages that do not fit are lost, as on a real phone.
            Ok(()) | Err(WriteError::File(_)) => Ok(()),
            Err(WriteError::Disconnected(gone)) => Err(Stop::Disconnected(gone)),
        }
    }
}

/// Whether it is one command with both outputs redirected.
fn has_own_output(list: &List) -> bool {
    let [Item { pipeline, .. }] = &list.items[..] else { return false };
    let [command] = &pipeline.commands[..] else { return false };
    [1, 2].iter().all(|fd| command.redirects.iter().any(|redirect| redirect.fd == *fd))
}

fn drain(buffer: &std::sync::Mutex<HeldBuffer>) -> Bytes {
    buffer.lock().unwrap_or_else(PoisonError::into_inner).take().into_bytes()
}
